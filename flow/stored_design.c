#include "flow/stored_design.h"

#include <string.h>

#include "core/buf.h"
#include "core/mem.h"
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
    *x = (stored){NULL, NULL, NULL};
}

static sc_status open_at(stored *x, sc_store *store, sc_hash128 study, uint64_t index)
{
    sc_status st = sc_store_info_open(&x->info, store, study);
    if (st != SC_OK || (st = sc_store_get_trial(&x->trial, store, study, index)) != SC_OK)
        return st;
    if (!x->trial)
        return sc_fail(SC_ENOTFOUND, "trial %llu of study %s is not kept",
                       (unsigned long long)index, x->info->study.name);
    const char *text = x->info->study.config;
    return sc_yaml_parse(&x->config, "the study's file", text, strlen(text));
}

static const char *calibration_of(const stored *x)
{
    return sc_map_text_or(sc_yaml_root(x->config), "calibration", "");
}

/* The rules that the study's trials were evaluated under: the file's, or its rung's. */
static sc_status rules_of(sc_rules *out, const stored *x)
{
    const sc_node *root = sc_yaml_root(x->config);
    const sc_node *map = sc_node_get(root, "rules"), *at = sc_node_get(root, "rung");
    const sc_rung *rung = NULL;
    *out = (sc_rules)SC_RULES_INIT;
    if ((map && !sc_rules_read(out, map)) || (at && !sc_rung_read(&rung, at)))
        return sc_yaml_status(x->config);
    if (rung)
        *out = rung->rules;
    return SC_OK;
}

const char *sc_stored_network_name(const sc_yaml *config, size_t i)
{
    const sc_node *list = sc_node_get(sc_yaml_root(config), "networks");
    const sc_node *item = i < sc_node_count(list) ? sc_node_item(list, i) : NULL;
    if (sc_node_kind_of(item) == SC_NODE_MAP)
        item = sc_node_get(item, "network");
    return item ? sc_node_text(item) : NULL;
}

/* What a caller may want of a trial beside its point. */
typedef enum aspect { AS_DESIGN, AS_TASK } aspect;

/* As a text, equal for two studies that mean the same by a point: the template and the calibration;
 * of a task also the rules and the networks. */
static sc_status put_aspect(sc_buf *b, const stored *x, aspect which)
{
    sc_rules rules;
    char text[SC_RULES_LEN];
    sc_buf_printf(b, "%s\n%s\n", sc_map_text_or(sc_yaml_root(x->config), "template", ""),
                  calibration_of(x));
    const sc_status st = which == AS_TASK ? rules_of(&rules, x) : SC_OK;
    if (st != SC_OK || which != AS_TASK)
        return st;
    sc_buf_puts(b, sc_rules_text(text, &rules));
    for (size_t i = 0; sc_stored_network_name(x->config, i); i++)
        sc_buf_printf(b, "\n%s", sc_stored_network_name(x->config, i));
    return SC_OK;
}

static sc_status take_aspect(char **out, const stored *x, aspect which)
{
    sc_buf b;
    sc_buf_init(&b);
    const sc_status st = put_aspect(&b, x, which), taken = sc_buf_take(&b, out);
    return st != SC_OK ? st : taken;
}

static sc_status refuse(const stored *x, const stored *other, const char *id, aspect which)
{
    return sc_fail(SC_EINVAL,
                   which == AS_DESIGN
                       ? "'%s' is in studies %s and %s, which calibrate it differently: write the "
                         "design out, as best prints it"
                       : "'%s' is in studies %s and %s, whose networks or rules differ: name the "
                         "network and, where they are not the defaults, the rules",
                   id, x->info->study.name, other->info->study.name);
}

/* Go through the other studies that have the point: all must mean the same by it. */
static sc_status check_alike(const stored *x, sc_store *store, sc_hash128 study, const char *id,
                             aspect which)
{
    const sc_hash128 point = x->trial->point;
    char *own = NULL;
    bool more = true;
    sc_status st = take_aspect(&own, x, which);
    while (st == SC_OK && more) {
        stored other = {NULL, NULL, NULL};
        char *text = NULL;
        uint64_t index;
        if ((st = sc_store_next_of_point(&more, &study, &index, store, point)) != SC_OK || !more)
            break;
        if ((st = open_at(&other, store, study, index)) == SC_OK &&
            (st = take_aspect(&text, &other, which)) == SC_OK && strcmp(own, text) != 0)
            st = refuse(x, &other, id, which);
        sc_free(text);
        close_stored(&other);
    }
    sc_free(own);
    return st;
}

static sc_status open_stored(stored *x, sc_store *store, const char *id, aspect which)
{
    sc_hash128 study;
    uint64_t index;
    sc_status st = sc_store_find_point(&study, &index, store, id);
    if (st != SC_OK || (st = open_at(x, store, study, index)) != SC_OK ||
        (st = check_alike(x, store, study, id, which)) != SC_OK)
        return st;
    return sc_store_get_trial(&x->trial, store, study, index); /* others were read since */
}

sc_status sc_study_design_open(sc_design **out, sc_store *store, const char *id)
{
    stored x = {NULL, NULL, NULL};
    sc_design *d = NULL;
    char *spec = NULL;
    sc_buf b;
    sc_buf_init(&b);
    sc_status st = open_stored(&x, store, id, AS_DESIGN);
    if (st != SC_OK || (st = put_spec(&b, x.config, x.trial->parameters)) != SC_OK ||
        (st = sc_buf_take(&b, &spec)) != SC_OK || (st = sc_design_open(&d, spec)) != SC_OK)
        goto done;
    const char *calibration = calibration_of(&x);
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
    sc_status st = open_stored(&x, store, id, AS_TASK);
    if (st == SC_OK && (st = rules_of(&r, &x)) == SC_OK)
        *out = r;
    close_stored(&x);
    return st;
}

sc_status sc_study_network_open(sc_workload **out, sc_store *store, const char *id, size_t i)
{
    stored x = {NULL, NULL, NULL};
    sc_workload *w = NULL;
    sc_status st = open_stored(&x, store, id, AS_TASK);
    const char *name = st == SC_OK ? sc_stored_network_name(x.config, i) : NULL;
    if (name)
        st = sc_workload_open(&w, name);
    if (st == SC_OK)
        *out = w;
    close_stored(&x);
    return st;
}
