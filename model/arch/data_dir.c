#define _GNU_SOURCE /* dladdr */
#include "model/arch/data_dir.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "core/buf.h"
#include "core/file.h"
#include "core/mem.h"
#include "core/text.h"
#include "scantle/design.h"

enum { MAX_PATH = 4096, MAX_NAME = 64 };

static char data_dir[MAX_PATH];
static pthread_once_t once = PTHREAD_ONCE_INIT;

/* The folder installed with the library: where it was configured to be, or, if the whole tree was
 * installed or moved elsewhere, as far from the library as it was to be. */
static void find_installed(void)
{
    Dl_info self;
    const char *slash;
    (void)snprintf(data_dir, sizeof data_dir, "%s", SCANTLE_DATA_DIR);
    if (sc_file_exists(SCANTLE_DATA_DIR "/templates/fast.yaml") ||
        !dladdr((const void *)data_dir, &self) || !self.dli_fname ||
        !(slash = strrchr(self.dli_fname, '/')))
        return;
    char beside[MAX_PATH], probe[MAX_PATH];
    const int folder = (int)(slash - self.dli_fname);
    if (snprintf(beside, sizeof beside, "%.*s/%s", folder, self.dli_fname,
                 SCANTLE_DATA_FROM_LIBRARY) >= (int)sizeof beside ||
        snprintf(probe, sizeof probe, "%s/templates/fast.yaml", beside) >= (int)sizeof probe)
        return;
    if (sc_file_exists(probe))
        memcpy(data_dir, beside, strlen(beside) + 1);
}

sc_status sc_data_dir_set(const char *path)
{
    const size_t n = strlen(path);
    if (n == 0 || n >= sizeof data_dir)
        return sc_fail(SC_EINVAL, "a data folder's path has 1 to %d bytes", MAX_PATH - 1);
    (void)pthread_once(&once, find_installed);
    memcpy(data_dir, path, n + 1);
    return SC_OK;
}

const char *sc_data_dir(void)
{
    (void)pthread_once(&once, find_installed);
    return data_dir;
}

static bool ends_with(const char *text, const char *end)
{
    const size_t n = strlen(text), k = strlen(end);
    return n > k && strcmp(text + n - k, end) == 0;
}

bool sc_data__is_path(const char *reference)
{
    return strchr(reference, '/') || ends_with(reference, ".yaml") || ends_with(reference, ".yml");
}

static bool is_name(const char *text)
{
    static const char ALLOWED[] =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-";
    const size_t n = strlen(text);
    return n > 0 && n <= MAX_NAME && strspn(text, ALLOWED) == n;
}

static sc_status path_beside(char **out, const char *reference, const char *beside)
{
    const char *slash = beside && reference[0] != '/' ? strrchr(beside, '/') : NULL;
    sc_buf path;
    sc_buf_init(&path);
    if (slash)
        sc_buf_append(&path, beside, (size_t)(slash - beside) + 1);
    sc_buf_puts(&path, reference);
    return sc_buf_take(&path, out);
}

sc_status sc_data__find(char **out, const char *reference, const sc_data_kind *kind,
                        const char *beside)
{
    char shown[SC_SHOWN_LEN], hint[SC_SUGGEST_LEN];
    if (sc_data__is_path(reference))
        return path_beside(out, reference, beside);
    for (size_t i = 0; i < kind->n_folders && is_name(reference); i++) {
        sc_buf text;
        char *path = NULL;
        sc_buf_init(&text);
        sc_buf_printf(&text, "%s/%s/%s.yaml", sc_data_dir(), kind->folders[i], reference);
        const sc_status st = sc_buf_take(&text, &path);
        if (st != SC_OK)
            return st;
        if (sc_file_exists(path)) {
            *out = path;
            return SC_OK;
        }
        sc_free(path);
    }
    const char *near = sc_nearest(reference, kind->known, kind->n_known);
    if (near && strcmp(near, reference) == 0)
        return sc_fail(SC_ENOTFOUND,
                       "no %s '%s' in the data folder %s: is it scantle's? (sc_data_dir_set, or "
                       "SCANTLE_DATA_DIR for the program)",
                       kind->what, reference, sc_data_dir());
    return sc_fail(SC_ENOTFOUND, "no %s '%s' in %s%s", kind->what, sc_text_show(shown, reference),
                   sc_data_dir(), sc_did_you_mean(hint, near));
}
