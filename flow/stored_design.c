#include <string.h>

#include "core/buf.h"
#include "core/mem.h"
#include "core/yaml.h"
#include "model/net/rules.h"
#include "scantle/study.h"
#include "store/store.h"

/* The store writes `a=1,b='x'`, a design's spec is `a=1,b=x`: drop the quotes, and of a doubled
 * quote one. Parameter names and labels of templates hold no commas. */
static void put_values(sc_buf *b, const char *parameters)
{
    for (const char *p = parameters; *p; p++) {
        if (*p == '\'' && p[1] == '\'')
            p++;
        else if (*p == '\'')
            continue;
        sc_buf_append(b, p, 1);
    }
}

/* `template:name=value,...`: a whole point, as sc_design_open takes it. */
static sc_status put_spec(sc_buf *b, const sc_yaml *config, const char *parameters)
{
    const char *name = sc_map_text_or(sc_yaml_root(config), "template", "");
    if (!*name)
        return sc_fail(SC_EINVAL, "its study has a space of its own, whose points are no designs");
    sc_buf_printf(b, "%s:", name);
    put_values(b, parameters);
    return SC_OK;
}

/* The kept trial that an ID's first digits name, and its study. */
typedef struct stored {
    sc_store_info *info;
    const sc_store_trial *trial; /* of the store */
    sc_yaml *config;
} stored;

static void close_stored(stored *x)
{
    sc_yaml_close(x->config);
    sc_store_info_close(x->info);
}

static sc_status open_stored(stored *x, sc_store *store, const char *id)
{
    sc_hash128 study;
    uint64_t index;
    sc_status st = sc_store_find_point(&study, &index, store, id);
    if (st != SC_OK || (st = sc_store_info_open(&x->info, store, study)) != SC_OK ||
        (st = sc_store_get_trial(&x->trial, store, study, index)) != SC_OK)
        return st;
    if (!x->trial)
        return sc_fail(SC_ENOTFOUND, "no trial '%s' is kept", id);
    const char *text = x->info->study.config;
    return sc_yaml_parse(&x->config, "the study's file", text, strlen(text));
}

sc_status sc_study_design_open(sc_design **out, sc_store *store, const char *id)
{
    stored x = {NULL, NULL, NULL};
    sc_design *d = NULL;
    char *spec = NULL;
    sc_buf b;
    sc_buf_init(&b);
    sc_status st = open_stored(&x, store, id);
    if (st != SC_OK || (st = put_spec(&b, x.config, x.trial->parameters)) != SC_OK ||
        (st = sc_buf_take(&b, &spec)) != SC_OK || (st = sc_design_open(&d, spec)) != SC_OK)
        goto done;
    const char *calibration = sc_map_text_or(sc_yaml_root(x.config), "calibration", "");
    if (*calibration && (st = sc_design_calibrate(d, calibration)) != SC_OK)
        goto done;
    *out = d;
    d = NULL;
done:
    sc_design_destroy(d);
    sc_free(spec);
    sc_buf_clear(&b);
    close_stored(&x);
    return st;
}

sc_status sc_study_rules_open(sc_rules *out, sc_store *store, const char *id)
{
    stored x = {NULL, NULL, NULL};
    sc_rules r = SC_RULES_INIT;
    sc_status st = open_stored(&x, store, id);
    const sc_node *root = st == SC_OK ? sc_yaml_root(x.config) : NULL;
    const sc_node *map = sc_node_get(root, "rules"), *at = sc_node_get(root, "rung");
    const sc_rung *rung = NULL;
    if ((map && !sc_rules_read(&r, map)) || (at && !sc_rung_read(&rung, at)))
        st = sc_yaml_status(x.config);
    if (rung)
        r = rung->rules;
    if (st == SC_OK)
        *out = r;
    close_stored(&x);
    return st;
}

sc_status sc_study_network_open(sc_workload **out, sc_store *store, const char *id, size_t i)
{
    stored x = {NULL, NULL, NULL};
    sc_workload *w = NULL;
    sc_status st = open_stored(&x, store, id);
    if (st == SC_OK) {
        const sc_node *list = sc_node_get(sc_yaml_root(x.config), "networks");
        const sc_node *item = i < sc_node_count(list) ? sc_node_item(list, i) : NULL;
        if (sc_node_kind_of(item) == SC_NODE_MAP)
            item = sc_node_get(item, "network");
        if (item)
            st = sc_workload_open(&w, sc_node_text(item));
    }
    if (st == SC_OK)
        *out = w;
    close_stored(&x);
    return st;
}
