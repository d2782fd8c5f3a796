#include "model/arch/tech.h"

#include <stdio.h>
#include <string.h>

#include "core/text.h"
#include "model/arch/data_dir.h"
#include "model/arch/digest.h"
#include "workloads/einsum.h"

enum { MAX_BUILT_ON = 4 };

void sc_tech__destroy(sc_tech *t)
{
    if (!t)
        return;
    sc_tech__destroy(t->base[0]); /* as deep as a chain may be */
    sc_tech__destroy(t->base[1]);
    sc_arena_destroy(t->arena);
    sc_free(t);
}

/* A figure every table must have, of its own or of a base. */
static void read_required(double *out, const sc_tech *t, const sc_node *at, const char *name)
{
    const sc_constant *c = sc_constants__find(&t->constants, name);
    if (c)
        *out = c->value;
    else
        sc_node_error(at, "constant '%s' is missing", name);
}

static void read_constants(sc_tech *t, const sc_node *root)
{
    const bool own = sc_node_get(root, "constants") || !t->base[0];
    const sc_node *map = own ? sc_map_map(root, "constants") : NULL;
    if (own && !map)
        return;
    sc_constants__read(&t->constants, t->arena, map);
    for (size_t i = 0; i < t->constants.n; i++)
        if (t->constants.item[i].value < 0)
            sc_node_error(sc_node_get(map, t->constants.item[i].name), "a figure is not negative");
    const sc_node *at = map ? map : root;
    read_required(&t->overhead_share, t, at, "overhead_share");
    read_required(&t->leakage_w_per_mm2, t, at, "leakage_w_per_mm2");
    read_required(&t->clock_share, t, at, "clock_share");
    const sc_constant *wire = sc_constants__find(&t->constants, "wire_pj_per_bit_mm");
    t->wire_pj_per_bit_mm = wire ? wire->value : 0;
    const sc_constant *supply = sc_constants__find(&t->constants, "supply_share");
    t->dynamic_scale = supply ? supply->value * supply->value : 1;
    const sc_constant *fixed = sc_constants__find(&t->constants, "access_fixed_share");
    t->fixed_share = fixed ? fixed->value : 0;
    if (t->fixed_share > 1)
        sc_node_error(at, "access_fixed_share is at most 1");
}

sc_curve *sc_tech__slot(sc_tech *t, const sc_node *at, const char *name)
{
    for (size_t i = 0; i < t->n_curves; i++)
        if (strcmp(t->curve[i].name, name) == 0)
            return &t->curve[i];
    if (t->n_curves < SC_MAX_CURVES)
        return &t->curve[t->n_curves++];
    sc_node_error(at, "more than %d curves", SC_MAX_CURVES);
    return NULL;
}

static void read_curves(sc_tech *t, const sc_node *root)
{
    const bool own = sc_node_get(root, "curves") || !t->base[0];
    const sc_node *curves = own ? sc_map_map(root, "curves") : NULL;
    for (size_t i = 0; i < sc_node_count(curves); i++) {
        sc_curve c;
        if (!sc_curve__read(&c, t->arena, curves, i))
            continue;
        sc_curve *slot = sc_tech__slot(t, sc_node_key_node(curves, i), c.name);
        if (!slot)
            return;
        *slot = c;
    }
}

static sc_status open_at(sc_tech **out, const char *reference, const char *beside, int depth);

static sc_status open_base(sc_tech **out, const sc_node *at, const char *path, int depth)
{
    if (depth == MAX_BUILT_ON) {
        sc_node_error(at, "more than %d tables build on one another", MAX_BUILT_ON);
        return SC_OK;
    }
    const sc_status st = open_at(out, sc_node_text(at), path, depth + 1);
    if (st != SC_ENOTFOUND)
        return st;
    sc_node_error(at, "%s", sc_error_message());
    return SC_OK;
}

/* The tables that this one builds on, if any. */
static sc_status read_bases(sc_tech *t, const sc_node *root, const char *path, int depth)
{
    const sc_node *extends = sc_node_get(root, "extends"), *between = sc_node_get(root, "between");
    sc_status st = SC_OK;
    if (extends && between)
        sc_node_error(between, "a table extends another or stands between two, not both");
    else if (extends)
        st = open_base(&t->base[0], extends, path, depth);
    else if (between && sc_node_count(sc_map_sequence(root, "between")) != 2)
        sc_node_error(between, "a table stands between two others");
    else if (between &&
             (st = open_base(&t->base[0], sc_node_item(between, 0), path, depth)) == SC_OK)
        st = open_base(&t->base[1], sc_node_item(between, 1), path, depth);
    return st;
}

static void read_node_nm(sc_tech *t, const sc_node *root)
{
    const bool inherited = t->base[0] && !t->base[1] && !sc_node_get(root, "node_nm");
    if (inherited)
        t->node_nm = t->base[0]->node_nm;
    else if (sc_map_number(&t->node_nm, root, "node_nm", SC_UNIT_NONE) && !(t->node_nm > 0))
        sc_node_error(sc_node_get(root, "node_nm"), "a node is above 0 nm");
}

/* The name to show of a table inside another file: that of the one it changes. */
static const char *shown_name(const sc_tech *t, const sc_node *root, bool inside)
{
    const char *name = t->base[0] ? t->base[0]->name : "inline";
    if (inside)
        name = sc_map_text_or(root, "name", name);
    else if (!sc_map_text(&name, root, "name"))
        return "";
    return sc_arena__text(t->arena, root, name);
}

static sc_status read_table(sc_tech *t, sc_buf *text, const sc_yaml *y, const sc_node *root,
                            const char *path, int depth)
{
    static const char *const KEYS[] = {"version", "name",   "about",     "source",
                                       "node_nm", "curves", "constants", "extends",
                                       "between", "sram",   "ert"};
    const bool inside = root != sc_yaml_root(y);
    sc_status st = SC_OK;
    (void)sc_map_only(root, KEYS, sizeof KEYS / sizeof KEYS[0]);
    if (!inside || sc_node_get(root, "version"))
        (void)sc_map_version(root, 1);
    if ((st = read_bases(t, root, path, depth)) != SC_OK)
        return st;
    t->name = shown_name(t, root, inside);
    t->about = sc_arena__text(t->arena, root, sc_map_text_or(root, "about", ""));
    read_node_nm(t, root);
    if ((st = sc_yaml_status(y)) != SC_OK)
        return st;
    if (t->base[1])
        sc_tech__scale(t, root);
    else if (t->base[0])
        sc_tech__inherit(t, root);
    read_constants(t, root);
    read_curves(t, root);
    sc_tech__import(t, text, root, path);
    return sc_yaml_status(y);
}

/* What names the figures: the document's, those of imported files (already in text), the bases'. */
static sc_status hash_table(sc_tech *t, sc_buf *text, const sc_node *root)
{
    char hex[SC_HASH_HEX];
    sc_yaml__digest(text, root);
    for (int i = 0; i < 2 && t->base[i]; i++) {
        sc_hash_hex(t->base[i]->hash, hex);
        sc_buf_puts(text, hex);
    }
    if (text->status == SC_OK)
        t->hash = sc_hash128_of(text->text, text->length);
    return text->status;
}

static sc_status read_at(sc_tech **out, const sc_yaml *y, const sc_node *root, const char *path,
                         int depth)
{
    sc_status st = SC_OK;
    sc_buf text;
    sc_tech *t = sc_calloc(1, sizeof *t);
    if (!t)
        return SC_ENOMEM;
    sc_buf_init(&text);
    if ((st = sc_arena_create(&t->arena, 1 << 13)) != SC_OK ||
        (st = read_table(t, &text, y, root, path, depth)) != SC_OK ||
        (st = hash_table(t, &text, root)) != SC_OK)
        goto done;
    *out = t;
    t = NULL;
done:
    sc_buf_clear(&text);
    sc_tech__destroy(t);
    return st;
}

static sc_status open_at(sc_tech **out, const char *reference, const char *beside, int depth)
{
    static const char *const FOLDERS[] = {"technology"};
    static const char *const KNOWN[] = {"7nm", "12nm", "16nm", "28nm", "45nm", "65nm"};
    static const sc_data_kind KIND = {"technology table", FOLDERS, 1, KNOWN,
                                      sizeof KNOWN / sizeof KNOWN[0]};
    sc_status st = SC_OK;
    char *path = NULL;
    sc_yaml *y = NULL;

    if ((st = sc_data__find(&path, reference, &KIND, beside)) == SC_OK &&
        (st = sc_yaml_open(&y, path)) == SC_OK)
        st = read_at(out, y, sc_yaml_root(y), path, depth);
    sc_yaml_close(y);
    sc_free(path);
    return st;
}

sc_status sc_tech__open(sc_tech **out, const char *name_or_path, const char *beside)
{
    return open_at(out, name_or_path, beside, 0);
}

sc_status sc_tech__read(sc_tech **out, const sc_yaml *y, const sc_node *map, const char *path)
{
    return read_at(out, y, map, path, 0);
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

const sc_curve *sc_tech__optional_curve(const sc_tech *t, const char *name)
{
    for (size_t i = 0; i < t->n_curves; i++)
        if (strcmp(t->curve[i].name, name) == 0)
            return &t->curve[i];
    return NULL;
}

const sc_curve *sc_tech__optional_curve_of(const sc_tech *t, const char *prefix, const char *suffix)
{
    char name[2 * SC_NAME_LEN];
    return full_name(name, prefix, suffix) ? sc_tech__optional_curve(t, name) : NULL;
}

const sc_ert_entry *sc_tech__measured(const sc_tech *t, const char *name)
{
    for (size_t i = 0; i < t->n_measured; i++)
        if (strcmp(t->measured[i].name, name) == 0)
            return &t->measured[i];
    return NULL;
}
