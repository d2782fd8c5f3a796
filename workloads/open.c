/* sc_workload_open: a built-in's name or a file's path, options behind a colon. */
#include <inttypes.h>
#include <string.h>

#include "core/buf.h"
#include "core/file.h"
#include "core/mem.h"
#include "core/text.h"
#include "workloads/builtin.h"
#include "workloads/onnx_import.h"
#include "workloads/yaml_form.h"

enum { DEFAULT_BITS = 16 };

/* The options in force behind the name, so that the name alone opens the same network. */
static sc_status full_name(char **out, const sc_generator *g, const uint64_t *value)
{
    sc_buf b;
    const char *separator = ":";
    sc_buf_init(&b);
    sc_buf_puts(&b, g->name);
    for (size_t i = 0; i < g->n_options; i++) {
        const sc_net_option *o = &g->options[i];
        bool in_force = o->most || value[i];
        for (size_t k = 0; k < g->n_options; k++) {
            const char *key = g->options[k].key;
            if ((o->with && strcmp(o->with, key) == 0 && !value[k]) ||
                (o->without && strcmp(o->without, key) == 0 && value[k]))
                in_force = false;
        }
        if (!in_force)
            continue;
        sc_buf_printf(&b, "%s%s", separator, o->key);
        if (o->most)
            sc_buf_printf(&b, "%s%" PRIu64, o->key[0] ? "=" : "", value[i]);
        separator = ",";
    }
    return sc_buf_take(&b, out);
}

static sc_status open_builtin(sc_workload **out, const sc_generator *g, const char *options)
{
    sc_common_options common;
    sc_net n = {.status = SC_OK};
    char *name = NULL;
    sc_status st = sc_options_read(&common, n.value, options, g);
    if (st != SC_OK || (st = full_name(&name, g, n.value)) != SC_OK)
        goto done;
    st = sc_builder_create(&n.b, name, common.has_batch ? common.batch : 1,
                           common.bits ? common.bits : DEFAULT_BITS);
    if (st != SC_OK)
        goto done;
    g->build(&n, g->table);
    st = n.status == SC_OK ? sc_builder_finish(out, n.b) : n.status;
done:
    sc_builder_destroy(n.b);
    sc_free(name);
    return st;
}

static sc_status open_file(sc_workload **out, const char *path, const char *options)
{
    sc_common_options common;
    sc_workload *read = NULL;
    sc_status st = sc_options_read(&common, NULL, options, NULL);
    if (st != SC_OK || (st = sc_workload__yaml_open(&read, path)) != SC_OK)
        goto done;
    if (common.has_batch || common.bits) {
        st = sc_workload__derive(out, read, common.has_batch ? common.batch : read->batch,
                                 common.bits ? common.bits : read->bits);
    } else {
        *out = read;
        read = NULL;
    }
done:
    sc_workload_destroy(read);
    return st;
}

static bool looks_like_path(const char *text)
{
    const size_t n = strlen(text);
    return strchr(text, '/') || (n > 5 && strcmp(text + n - 5, ".yaml") == 0) ||
           (n > 4 && strcmp(text + n - 4, ".yml") == 0) || sc_file_exists(text);
}

static sc_status no_such_network(const char *name)
{
    char shown[SC_SHOWN_LEN], hint[SC_SUGGEST_LEN];
    sc_near near;
    const sc_generator *g;
    sc_near_begin(&near, name);
    for (size_t i = 0; (g = sc_builtin(i)) != NULL; i++)
        sc_near_offer(&near, g->name);
    return sc_fail(SC_ENOTFOUND, "no built-in network and no file '%s'%s",
                   sc_text_show(shown, name), sc_did_you_mean(hint, near.best));
}

sc_status sc_workload_import_onnx(sc_workload **out, char **report, const char *spec)
{
    return sc_onnx_open(out, report, spec);
}

sc_status sc_workload_open(sc_workload **out, const char *spec)
{
    const size_t first = strcspn(spec, ":");
    const sc_generator *g = sc_builtin_find(spec, first);
    if (g)
        return open_builtin(out, g, spec[first] ? spec + first + 1 : "");
    if (sc_onnx_is_spec(spec))
        return sc_onnx_open(out, NULL, spec);
    if (sc_file_exists(spec)) /* a path may hold colons */
        return open_file(out, spec, "");
    char *path = sc_strdup(spec);
    if (!path)
        return SC_ENOMEM;
    char *colon = strrchr(path, ':');
    if (colon)
        *colon = '\0';
    const sc_status st = looks_like_path(path) ? open_file(out, path, colon ? colon + 1 : "")
                                               : no_such_network(path);
    sc_free(path);
    return st;
}
