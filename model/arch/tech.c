#include "model/arch/tech.h"

#include <stdio.h>
#include <string.h>

#include "core/text.h"
#include "model/arch/data_dir.h"
#include "model/arch/digest.h"
#include "workloads/einsum.h"

void sc_tech__destroy(sc_tech *t)
{
    if (t) {
        sc_arena_destroy(t->arena);
        sc_free(t);
    }
}

/* A figure every table must have. */
static void read_required(double *out, const sc_tech *t, const sc_node *constants, const char *name)
{
    const sc_constant *c = sc_constants__find(&t->constants, name);
    if (c)
        *out = c->value;
    else
        sc_node_error(constants, "constant '%s' is missing", name);
}

static void read_constants(sc_tech *t, const sc_node *root)
{
    const sc_node *map = sc_map_map(root, "constants");
    if (!map)
        return;
    sc_constants__read(&t->constants, t->arena, map);
    for (size_t i = 0; i < t->constants.n; i++)
        if (t->constants.item[i].value < 0)
            sc_node_error(sc_node_get(map, t->constants.item[i].name), "a figure is not negative");
    read_required(&t->overhead_share, t, map, "overhead_share");
    read_required(&t->leakage_w_per_mm2, t, map, "leakage_w_per_mm2");
    read_required(&t->clock_share, t, map, "clock_share");
}

static void read_curves(sc_tech *t, const sc_node *root)
{
    const sc_node *curves = sc_map_map(root, "curves");
    for (size_t i = 0; i < sc_node_count(curves); i++) {
        if (t->n_curves == SC_MAX_CURVES) {
            sc_node_error(sc_node_key_node(curves, i), "more than %d curves", SC_MAX_CURVES);
            return;
        }
        if (sc_curve__read(&t->curve[t->n_curves], t->arena, curves, i))
            t->n_curves++;
    }
}

static sc_status read_table(sc_tech *t, const sc_yaml *y)
{
    static const char *const KEYS[] = {"version", "name",   "about",    "source",
                                       "node_nm", "curves", "constants"};
    const sc_node *root = sc_yaml_root(y);
    const char *name = NULL;
    (void)sc_map_only(root, KEYS, sizeof KEYS / sizeof KEYS[0]);
    (void)sc_map_version(root, 1);
    if (sc_map_text(&name, root, "name"))
        t->name = sc_arena__text(t->arena, root, name);
    t->about = sc_arena__text(t->arena, root, sc_map_text_or(root, "about", ""));
    if (sc_map_number(&t->node_nm, root, "node_nm", SC_UNIT_NONE) && !(t->node_nm > 0))
        sc_node_error(sc_node_get(root, "node_nm"), "a node is above 0 nm");
    read_constants(t, root);
    read_curves(t, root);
    return sc_yaml_status(y);
}

static sc_status hash_table(sc_tech *t, const sc_yaml *y)
{
    sc_buf text;
    sc_buf_init(&text);
    sc_yaml__digest(&text, sc_yaml_root(y));
    const sc_status st = text.status;
    if (st == SC_OK)
        t->hash = sc_hash128_of(text.text, text.length);
    sc_buf_clear(&text);
    return st;
}

sc_status sc_tech__open(sc_tech **out, const char *name_or_path, const char *beside)
{
    static const char *const FOLDERS[] = {"technology"}, *const KNOWN[] = {"7nm", "16nm", "45nm"};
    static const sc_data_kind KIND = {"technology table", FOLDERS, 1, KNOWN, 3};
    sc_status st = SC_OK;
    char *path = NULL;
    sc_yaml *y = NULL;
    sc_tech *t = NULL;

    if ((st = sc_data__find(&path, name_or_path, &KIND, beside)) != SC_OK ||
        (st = sc_yaml_open(&y, path)) != SC_OK)
        goto done;
    if (!(t = sc_calloc(1, sizeof *t))) {
        st = SC_ENOMEM;
        goto done;
    }
    if ((st = sc_arena_create(&t->arena, 1 << 13)) != SC_OK || (st = read_table(t, y)) != SC_OK ||
        (st = hash_table(t, y)) != SC_OK)
        goto done;
    *out = t;
    t = NULL;
done:
    sc_tech__destroy(t);
    sc_yaml_close(y);
    sc_free(path);
    return st;
}

/* "name" without its suffix; false if it does not end so. */
static bool prefix_of(char out[SC_NAME_LEN], const char *name, const char *suffix)
{
    const size_t n = strlen(name), k = strlen(suffix);
    if (n <= k || n - k >= SC_NAME_LEN || strcmp(name + n - k, suffix) != 0)
        return false;
    memcpy(out, name, n - k);
    out[n - k] = '\0';
    return true;
}

static void record_missing(const sc_tech *t, const sc_node *at, const char *prefix,
                           const char *suffix, const char *const *names, size_t n)
{
    char have[256] = "";
    char shown[SC_SHOWN_LEN], one[SC_NAME_LEN];
    size_t used = 0;
    for (size_t i = 0; i < n; i++)
        if (prefix_of(one, names[i], suffix) && used + strlen(one) + 3 < sizeof have)
            used +=
                (size_t)snprintf(have + used, sizeof have - used, "%s%s", used ? ", " : "", one);
    sc_node_error(at, "technology '%s' has no '%s%s' (of that kind it has: %s)", t->name,
                  sc_text_show(shown, prefix), suffix, used ? have : "none");
}

static bool full_name(char out[2 * SC_NAME_LEN], const char *prefix, const char *suffix)
{
    const int n = snprintf(out, 2 * SC_NAME_LEN, "%s%s", prefix, suffix);
    return n > 0 && n < 2 * SC_NAME_LEN;
}

bool sc_tech__figure(double *out, const sc_tech *t, const sc_node *at, const char *prefix,
                     const char *suffix)
{
    const char *names[SC_MAX_CONSTANTS];
    char name[2 * SC_NAME_LEN];
    const sc_constant *c =
        full_name(name, prefix, suffix) ? sc_constants__find(&t->constants, name) : NULL;
    if (c) {
        *out = c->value;
        return true;
    }
    for (size_t i = 0; i < t->constants.n; i++)
        names[i] = t->constants.item[i].name;
    record_missing(t, at, prefix, suffix, names, t->constants.n);
    return false;
}

const sc_curve *sc_tech__curve(const sc_tech *t, const sc_node *at, const char *prefix,
                               const char *suffix)
{
    const char *names[SC_MAX_CURVES];
    char name[2 * SC_NAME_LEN];
    const bool fits = full_name(name, prefix, suffix);
    for (size_t i = 0; i < t->n_curves; i++) {
        if (fits && strcmp(t->curve[i].name, name) == 0)
            return &t->curve[i];
        names[i] = t->curve[i].name;
    }
    record_missing(t, at, prefix, suffix, names, t->n_curves);
    return NULL;
}
