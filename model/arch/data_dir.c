#include "model/arch/data_dir.h"

#include <string.h>

#include "core/buf.h"
#include "core/file.h"
#include "core/mem.h"
#include "core/text.h"
#include "scantle/design.h"

enum { MAX_PATH = 4096, MAX_NAME = 64 };

static char data_dir[MAX_PATH] = SCANTLE_DATA_DIR;

sc_status sc_data_dir_set(const char *path)
{
    const size_t n = strlen(path);
    if (n == 0 || n >= sizeof data_dir)
        return sc_fail(SC_EINVAL, "a data folder's path has 1 to %d bytes", MAX_PATH - 1);
    memcpy(data_dir, path, n + 1);
    return SC_OK;
}

const char *sc_data_dir(void)
{
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
        sc_buf_printf(&text, "%s/%s/%s.yaml", data_dir, kind->folders[i], reference);
        const sc_status st = sc_buf_take(&text, &path);
        if (st != SC_OK)
            return st;
        if (sc_file_exists(path)) {
            *out = path;
            return SC_OK;
        }
        sc_free(path);
    }
    return sc_fail(SC_ENOTFOUND, "no %s '%s' in %s%s", kind->what, sc_text_show(shown, reference),
                   data_dir,
                   sc_did_you_mean(hint, sc_nearest(reference, kind->known, kind->n_known)));
}
