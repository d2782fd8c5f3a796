/** Rules of a legal placement from YAML (docs/formats/placement_constraints.md). */
#include <math.h>
#include <string.h>

#include "core/mem.h"
#include "core/text.h"
#include "core/yaml.h"
#include "placement/rules.h"

#define COUNT_OF(a) (sizeof(a) / sizeof *(a))

typedef struct reading {
    const sc_netlist *list;
    sc_place_rules *rules;
    const sc_node *regions; /* NULL if there are none */
} reading;

/* A list of n numbers. */
static bool read_numbers(double *out, size_t n, const sc_node *node, const char *what)
{
    bool ok = true;
    if (sc_node_kind_of(node) != SC_NODE_SEQUENCE || sc_node_count(node) != n) {
        sc_node_error(node, "%s should be a list of %zu numbers, in um", what, n);
        return false;
    }
    for (size_t i = 0; i < n; i++)
        ok = sc_node_number(&out[i], sc_node_item(node, i), SC_UNIT_NONE) && ok;
    for (size_t i = 0; i < n && ok; i++) {
        if (isfinite(out[i]))
            continue;
        sc_node_error(sc_node_item(node, i), "%s should be finite", what);
        ok = false;
    }
    return ok;
}

/* One length for both axes or a list of two, at least 0. @return false if absent or wrong. */
static bool read_lengths(double out[2], const sc_node *map, const char *key)
{
    const sc_node *node = sc_node_get(map, key);
    double of[2];

    if (node == NULL)
        return false;
    if (sc_node_kind_of(node) == SC_NODE_SCALAR) {
        if (!sc_node_number(&of[0], node, SC_UNIT_NONE))
            return false;
        of[1] = of[0];
    } else if (!read_numbers(of, 2, node, key)) {
        return false;
    }
    if (!(of[0] >= 0 && of[1] >= 0 && isfinite(of[0]) && isfinite(of[1]))) {
        sc_node_error(node, "%s should be at least 0", key);
        return false;
    }
    out[0] = of[0];
    out[1] = of[1];
    return true;
}

static bool read_rect(sc_rect *out, const sc_node *node, const char *what)
{
    double at[4];
    if (!read_numbers(at, 4, node, what))
        return false;
    if (!(at[0] < at[2] && at[1] < at[3])) {
        sc_node_error(node, "%s should be [x0, y0, x1, y1] with x0 < x1 and y0 < y1", what);
        return false;
    }
    *out = (sc_rect){at[0], at[1], at[2], at[3]};
    return true;
}

/* ---- regions and blockages ---- */

static void read_regions(reading *r)
{
    const size_t n = sc_node_count(r->regions);
    if (r->regions == NULL)
        return;
    if (sc_node_kind_of(r->regions) != SC_NODE_MAP) {
        sc_node_error(r->regions, "regions should be a map of names to [x0, y0, x1, y1]");
        return;
    }
    r->rules->region = sc_calloc(n + 1, sizeof *r->rules->region);
    if (r->rules->region == NULL) {
        sc_node_fail(r->regions, SC_ENOMEM);
        return;
    }
    for (size_t i = 0; i < n; i++)
        (void)read_rect(&r->rules->region[i], sc_node_item(r->regions, i), "a region");
    r->rules->n_regions = n;
}

static void read_blockages(reading *r, const sc_node *root)
{
    const sc_node *list = sc_node_get(root, "blockages");
    const size_t n = sc_node_count(list);

    if (list == NULL)
        return;
    if (sc_node_kind_of(list) != SC_NODE_SEQUENCE) {
        sc_node_error(list, "blockages should be a list of [x0, y0, x1, y1]");
        return;
    }
    r->rules->blockage = sc_calloc(n + 1, sizeof *r->rules->blockage);
    if (r->rules->blockage == NULL) {
        sc_node_fail(list, SC_ENOMEM);
        return;
    }
    for (size_t i = 0; i < n; i++) {
        sc_rect at;
        if (read_rect(&at, sc_node_item(list, i), "a blockage"))
            r->rules->blockage[r->rules->n_blockages++] =
                (sc_blockage){at.x0_um, at.y0_um, at.x1_um, at.y1_um, 1};
    }
}

/* ---- macros ---- */

static bool read_orient(sc_orient *out, const sc_node *node)
{
    size_t at = 0;
    if (!sc_node_choice(&at, node, sc_orient_names, SC_ORIENTS))
        return false;
    *out = (sc_orient)at;
    return true;
}

static void read_orients(sc_rule *rule, const sc_node *map)
{
    const sc_node *list = sc_node_get(map, "orientations");
    if (list == NULL)
        return;
    if (sc_node_kind_of(list) != SC_NODE_SEQUENCE || sc_node_count(list) == 0) {
        sc_node_error(list, "orientations should be a list of some of N FN S FS E FE W FW");
        return;
    }
    for (size_t i = 0; i < sc_node_count(list); i++) {
        sc_orient orient;
        if (read_orient(&orient, sc_node_item(list, i)))
            rule->orients |= (uint8_t)(1U << orient);
    }
}

static void read_region_of(reading *r, sc_rule *rule, const sc_node *map)
{
    const sc_node *node = sc_node_get(map, "region");
    sc_near near;
    char hint[SC_SUGGEST_LEN];

    if (node == NULL)
        return;
    sc_near_begin(&near, sc_node_text(node));
    for (size_t i = 0; i < sc_node_count(r->regions); i++) {
        const char *key = sc_node_key(r->regions, i);
        sc_near_offer(&near, key);
        if (strcmp(key, sc_node_text(node)) == 0) {
            rule->region = (uint32_t)i;
            return;
        }
    }
    sc_node_error(node, "no region of that name is under regions%s",
                  sc_did_you_mean(hint, near.best));
}

/* What an entry says. */
static sc_rule read_rule(reading *r, const sc_node *map)
{
    sc_rule rule = {.region = SC_NO_REGION, .fixed = -1};
    const sc_node *at = sc_node_get(map, "at_um"), *orient = sc_node_get(map, "orientation");
    bool fixed = false;

    rule.has_halo = read_lengths(rule.halo_um, map, "halo_um");
    read_orients(&rule, map);
    read_region_of(r, &rule, map);
    rule.has_at = at != NULL && read_numbers(rule.at_um, 2, at, "at_um");
    rule.has_orient = orient != NULL && read_orient(&rule.orient, orient);
    if (rule.has_at)
        rule.fixed = 1;
    if (sc_node_get(map, "fixed") != NULL && sc_map_bool(&fixed, map, "fixed"))
        rule.fixed = fixed;
    return rule;
}

/* An entry after others says more, or says it again. */
static void join_rule(sc_rule *to, const sc_rule *from)
{
    if (from->has_halo) {
        to->has_halo = true;
        memcpy(to->halo_um, from->halo_um, sizeof to->halo_um);
    }
    if (from->orients != 0)
        to->orients = from->orients;
    if (from->region != SC_NO_REGION)
        to->region = from->region;
    if (from->has_at) {
        to->has_at = true;
        memcpy(to->at_um, from->at_um, sizeof to->at_um);
    }
    if (from->has_orient) {
        to->has_orient = true;
        to->orient = from->orient;
    }
    if (from->fixed >= 0)
        to->fixed = from->fixed;
}

static void read_macro(reading *r, const sc_node *map)
{
    static const char *const keys[] = {"name",  "halo_um",     "orientations", "region",
                                       "at_um", "orientation", "fixed"};
    const char *name = NULL;
    sc_near near;
    char hint[SC_SUGGEST_LEN];
    size_t met = 0;

    if (!sc_map_only(map, keys, COUNT_OF(keys)) || !sc_map_text(&name, map, "name"))
        return;
    const sc_rule rule = read_rule(r, map);
    sc_near_begin(&near, name);
    for (size_t b = 0; b < r->list->n_blocks; b++) {
        const sc_block *block = &r->list->block[b];
        if (block->kind != SC_BLOCK_HARD && block->kind != SC_BLOCK_SOFT)
            continue;
        sc_near_offer(&near, block->name);
        if (!sc_rules_match(name, block->name))
            continue;
        join_rule(&r->rules->of[b], &rule);
        met++;
    }
    const sc_node *at = sc_node_get(map, "name");
    if (met == 0)
        sc_node_error(at, "no macro of '%s' has that name%s", r->list->name,
                      sc_did_you_mean(hint, near.best));
    if (met > 1 && rule.has_at)
        sc_node_error(at, "at_um puts %zu macros on one place; name one", met);
}

static void read_all(reading *r, const sc_node *root)
{
    static const char *const keys[] = {"version", "halo_um",   "spacing_um", "rotate",
                                       "regions", "blockages", "macros"};
    const sc_node *macros = sc_node_get(root, "macros");

    if (!sc_map_only(root, keys, COUNT_OF(keys)) || !sc_map_version(root, 1))
        return;
    (void)read_lengths(r->rules->halo_um, root, "halo_um");
    (void)read_lengths(r->rules->spacing_um, root, "spacing_um");
    (void)sc_map_bool_or(&r->rules->rotate, root, "rotate", false);
    r->regions = sc_node_get(root, "regions");
    read_regions(r);
    read_blockages(r, root);
    if (macros != NULL && sc_node_kind_of(macros) != SC_NODE_SEQUENCE)
        sc_node_error(macros, "macros should be a list of maps, each with a name");
    for (size_t i = 0; i < sc_node_count(macros); i++)
        read_macro(r, sc_node_item(macros, i));
}

static sc_status read_rules(sc_place_rules **out, const sc_netlist *list, sc_yaml *y)
{
    reading r = {.list = list};
    sc_status st = sc_place_rules_create(&r.rules, list);
    if (st == SC_OK) {
        read_all(&r, sc_yaml_root(y));
        st = sc_yaml_status(y);
    }
    if (st == SC_OK)
        *out = r.rules;
    else
        sc_place_rules_destroy(r.rules);
    return st;
}

sc_status sc_place_rules_parse(sc_place_rules **out, const sc_netlist *list, const char *name,
                               const char *text, size_t n)
{
    sc_yaml *y = NULL;
    sc_status st = sc_yaml_parse(&y, name, text, n);
    if (st == SC_OK)
        st = read_rules(out, list, y);
    sc_yaml_close(y);
    return st;
}

sc_status sc_place_rules_open(sc_place_rules **out, const sc_netlist *netlist, const char *path)
{
    sc_yaml *y = NULL;
    sc_status st = sc_yaml_open(&y, path);
    if (st == SC_OK)
        st = read_rules(out, netlist, y);
    sc_yaml_close(y);
    return st;
}
