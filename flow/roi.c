#include "scantle/roi.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/json.h"
#include "core/mem.h"
#include "core/text.h"
#include "core/yaml.h"
#include "model/arch/data_dir.h"

enum { MOST_NODES = 32, NODE_LEN = 32, NAME_LEN = 64, MOST_VOLUMES = 64 };
static const double pi = 3.14159265358979323846;
static const double hours_per_year = 8766.0; /* 365.25 days */

/* Figures of an economics file that are not a node's. */
typedef enum figure {
    LIFETIME,
    ELECTRICITY,
    PUE,
    PROVISIONING,
    PROVISIONING_LIFE,
    REST,
    WAFER_DIAMETER,
    DEFECTS,
    CLUSTERING,
    FIGURES
} figure;

static const struct {
    const char *key, *unit;
    bool zero; /* may be 0 */
} figures[FIGURES] = {
    [LIFETIME] = {"lifetime", "year", false},
    [ELECTRICITY] = {"electricity", "USD/kWh", true},
    [PUE] = {"pue", "1", false},
    [PROVISIONING] = {"provisioning", "USD/W", true},
    [PROVISIONING_LIFE] = {"provisioning_life", "year", false},
    [REST] = {"rest", "USD", true},
    [WAFER_DIAMETER] = {"wafer_diameter", "mm", false},
    [DEFECTS] = {"defects", "1/cm2", true},
    [CLUSTERING] = {"clustering", "1", false},
};

typedef struct node_costs {
    char name[NODE_LEN];
    double design_usd, wafer_usd;
    bool recalled;
} node_costs;

typedef struct economics {
    char name[NAME_LEN];
    double value[FIGURES];
    bool recalled[FIGURES];
    size_t n_nodes;
    node_costs nodes[MOST_NODES];
} economics;

/* `{value, unit, source}`: the unit must be the one that is meant, the source must be there. */
static void read_figure(double *out, bool *recalled, const sc_node *map, const char *key,
                        const char *unit, bool zero)
{
    static const char *const keys[] = {"value", "unit", "source"};
    const sc_node *at = sc_map_map(map, key);
    const char *written = NULL, *source = NULL;
    double value;
    if (!at || !sc_map_only(at, keys, 3))
        return;
    if (sc_map_text(&written, at, "unit") && strcmp(written, unit) != 0)
        sc_node_error(sc_node_get(at, "unit"), "%s is in %s", key, unit);
    if (sc_map_text(&source, at, "source") && source[0] == '\0')
        sc_node_error(sc_node_get(at, "source"), "say where %s is from", key);
    if (source && strncmp(source, "[R]", 3) == 0)
        *recalled = true;
    if (!sc_map_number(&value, at, "value", SC_UNIT_NONE))
        return;
    if (!isfinite(value) || value < 0.0 || (value == 0.0 && !zero))
        sc_node_error(sc_node_get(at, "value"), "%s must be %s", key,
                      zero ? "0 or more" : "above 0");
    else
        *out = value;
}

static void read_node_name(economics *e, size_t i, const sc_node *at, const char *name)
{
    if (name[0] == '\0' || !sc_text_copy(e->nodes[i].name, sizeof e->nodes[i].name, name)) {
        sc_node_error(at, "a node's name is 1 to %d bytes", NODE_LEN - 1);
        return;
    }
    for (size_t k = 0; k < i; k++)
        if (strcmp(e->nodes[k].name, name) == 0)
            sc_node_error(at, "node '%s' stands twice", e->nodes[i].name);
}

static void read_nodes(economics *e, const sc_node *root)
{
    static const char *const keys[] = {"node", "design", "wafer"};
    const sc_node *list = sc_map_sequence(root, "nodes");
    const size_t n = sc_node_count(list);
    if (list && (n == 0 || n > MOST_NODES)) {
        sc_node_error(list, "%zu nodes: must be 1 to %d", n, MOST_NODES);
        return;
    }
    for (size_t i = 0; i < n; i++) {
        const sc_node *item = sc_node_item(list, i);
        node_costs *node = &e->nodes[i];
        const char *name = NULL;
        if (!sc_map_only(item, keys, 3))
            continue;
        if (sc_map_text(&name, item, "node"))
            read_node_name(e, i, sc_node_get(item, "node"), name);
        read_figure(&node->design_usd, &node->recalled, item, "design", "USD", true);
        read_figure(&node->wafer_usd, &node->recalled, item, "wafer", "USD", false);
    }
    e->n_nodes = n;
}

static sc_status read_economics(economics *e, const char *path)
{
    static const char *const heads[] = {"version", "name", "about", "nodes"};
    const char *keys[FIGURES + 4], *name = NULL;
    sc_yaml *y = NULL;
    sc_status st = sc_yaml_open(&y, path);
    if (st != SC_OK)
        return st;
    const sc_node *root = sc_yaml_root(y);
    for (int f = 0; f < FIGURES; f++)
        keys[f] = figures[f].key;
    memcpy(keys + FIGURES, heads, sizeof heads);
    (void)sc_map_version(root, 1);
    (void)sc_map_only(root, keys, FIGURES + 4);
    if (sc_map_text(&name, root, "name") && !sc_text_copy(e->name, sizeof e->name, name))
        sc_node_error(sc_node_get(root, "name"), "a name is 1 to %d bytes", NAME_LEN - 1);
    for (int f = 0; f < FIGURES; f++)
        read_figure(&e->value[f], &e->recalled[f], root, figures[f].key, figures[f].unit,
                    figures[f].zero);
    read_nodes(e, root);
    st = sc_yaml_status(y);
    sc_yaml_close(y);
    return st;
}

static sc_status open_economics(economics *e, const char *reference)
{
    static const char *const folders[] = {"economics"};
    static const char *const known[] = {"datacenter"};
    static const sc_data_kind kind = {"economics", folders, 1, known, 1};
    char *path = NULL;
    sc_status st = sc_data__find(&path, reference ? reference : known[0], &kind, NULL);
    if (st == SC_OK)
        st = read_economics(e, path);
    sc_free(path);
    return st;
}

/* ---- one unit ---- */

typedef struct unit_cost {
    double dies, yield, chip, rest, provisioning, energy, all; /* NaN: part of a bought unit */
} unit_cost;

static sc_status find_node(const node_costs **out, const economics *e, const char *name)
{
    char list[MOST_NODES * (NODE_LEN + 2)] = "";
    size_t n = 0;
    for (size_t i = 0; i < e->n_nodes; i++) {
        if (strcmp(e->nodes[i].name, name) == 0) {
            *out = &e->nodes[i];
            return SC_OK;
        }
        n += (size_t)snprintf(list + n, sizeof list - n, "%s%s", i > 0 ? ", " : "",
                              e->nodes[i].name);
    }
    return sc_fail(SC_EINVAL, "economics %s has no costs of a node '%.30s', only of %s", e->name,
                   name, list);
}

/* Dies that come whole out of a wafer, and the share of them that works. */
static sc_status make_chip(unit_cost *c, const economics *e, const node_costs *node, double mm2)
{
    const double radius = e->value[WAFER_DIAMETER] / 2.0, alpha = e->value[CLUSTERING];
    c->dies = pi * radius * radius / mm2 - pi * 2.0 * radius / sqrt(2.0 * mm2);
    if (!(c->dies >= 1.0))
        return sc_fail(SC_EINVAL, "a die of %.6g mm2 does not fit a wafer of %.6g mm", mm2,
                       e->value[WAFER_DIAMETER]);
    c->yield = pow(1.0 + mm2 / 100.0 * e->value[DEFECTS] / alpha, -alpha);
    c->chip = node->wafer_usd / (c->dies * c->yield);
    return SC_OK;
}

static sc_status check_unit(const sc_roi_unit *u, const char *which)
{
    const double must[] = {u->throughput_per_s, u->area_mm2, u->tdp_w, u->power_w};
    static const char *const names[] = {"throughput", "area", "TDP", "power"};
    for (size_t i = 0; i < sizeof must / sizeof *must; i++)
        if (!(must[i] > 0.0) || !isfinite(must[i]))
            return sc_fail(SC_EINVAL, "%s of the %s is %.6g: it must be above 0 and finite",
                           names[i], which, must[i]);
    if (u->price_usd && !(isfinite(*u->price_usd) && *u->price_usd >= 0.0))
        return sc_fail(SC_EINVAL, "price of the %s is %.6g USD: it must not be negative", which,
                       *u->price_usd);
    return SC_OK;
}

static sc_status cost_unit(unit_cost *c, const economics *e, const sc_roi_unit *u)
{
    const double *v = e->value;
    const node_costs *node = NULL;
    sc_status st = SC_OK;
    c->provisioning = u->tdp_w * v[PROVISIONING] * v[LIFETIME] / v[PROVISIONING_LIFE];
    c->energy = u->power_w / 1000.0 * v[PUE] * v[LIFETIME] * hours_per_year * v[ELECTRICITY];
    if (u->price_usd) {
        c->dies = c->yield = c->chip = c->rest = (double)NAN;
        c->all = *u->price_usd + c->provisioning + c->energy;
        return SC_OK;
    }
    if ((st = find_node(&node, e, u->node)) != SC_OK ||
        (st = make_chip(c, e, node, u->area_mm2)) != SC_OK)
        return st;
    c->rest = v[REST];
    c->all = c->chip + c->rest + c->provisioning + c->energy;
    return SC_OK;
}

/* ---- the document ---- */

static json_t *unit_json(const unit_cost *c, const sc_roi_unit *u, bool *ok)
{
    json_t *o = json_object();
    sc_json_set(o, "node", json_string(u->node), ok);
    sc_json_set(o, "throughput_per_s", sc_json_real(u->throughput_per_s), ok);
    sc_json_set(o, "area_mm2", sc_json_real(u->area_mm2), ok);
    sc_json_set(o, "tdp_w", sc_json_real(u->tdp_w), ok);
    sc_json_set(o, "power_w", sc_json_real(u->power_w), ok);
    sc_json_set(o, "price_usd", u->price_usd ? sc_json_real(*u->price_usd) : json_null(), ok);
    sc_json_set(o, "dies_per_wafer", sc_json_real(c->dies), ok);
    sc_json_set(o, "yield", sc_json_real(c->yield), ok);
    sc_json_set(o, "chip_usd", sc_json_real(c->chip), ok);
    sc_json_set(o, "rest_usd", sc_json_real(c->rest), ok);
    sc_json_set(o, "provisioning_usd", sc_json_real(c->provisioning), ok);
    sc_json_set(o, "energy_usd", sc_json_real(c->energy), ok);
    sc_json_set(o, "unit_usd", sc_json_real(c->all), ok);
    return o;
}

static json_t *volumes_json(const double *volumes, size_t n, double saved, double cost, bool *ok)
{
    json_t *list = json_array();
    for (size_t i = 0; i < n; i++) {
        json_t *o = json_object();
        sc_json_set(o, "units", sc_json_number(volumes[i]), ok);
        sc_json_set(o, "saved_usd", sc_json_real(volumes[i] * saved), ok);
        sc_json_set(o, "net_usd", sc_json_real(volumes[i] * saved - cost), ok);
        sc_json_set(o, "roi", sc_json_real(volumes[i] * saved / cost), ok);
        sc_json_append(list, o, ok);
    }
    return list;
}

/* Figures of the file that its source calls recalled; nodes by name. */
static json_t *recalled_json(const economics *e, const char *a, const char *b, bool *ok)
{
    json_t *list = json_array();
    for (int f = 0; f < FIGURES; f++)
        if (e->recalled[f])
            sc_json_append(list, json_string(figures[f].key), ok);
    for (size_t i = 0; i < e->n_nodes; i++)
        if (e->nodes[i].recalled &&
            (strcmp(e->nodes[i].name, a) == 0 || strcmp(e->nodes[i].name, b) == 0))
            sc_json_append(list, json_string(e->nodes[i].name), ok);
    return list;
}

static sc_status check_options(const sc_roi_options *o)
{
    if (o->version != 1)
        return sc_fail(SC_EINVAL, "return on investment: options of version %u, not 1",
                       (unsigned)o->version);
    if (o->design_usd && !(isfinite(*o->design_usd) && *o->design_usd >= 0.0))
        return sc_fail(SC_EINVAL, "the design costs %.6g USD: it must not be negative",
                       *o->design_usd);
    if (o->n_volumes > MOST_VOLUMES)
        return sc_fail(SC_EINVAL, "%zu volumes: at most %d", o->n_volumes, MOST_VOLUMES);
    for (size_t i = 0; i < o->n_volumes; i++)
        if (!(o->volumes[i] > 0.0) || !isfinite(o->volumes[i]))
            return sc_fail(SC_EINVAL, "a volume of %.6g units: it must be above 0 and finite",
                           o->volumes[i]);
    return SC_OK;
}

static sc_status write_roi(char **json, const economics *e, const sc_roi_unit *unit[2],
                           const unit_cost cost[2], const sc_roi_options *o, double design_usd)
{
    static const double usual[] = {1e3, 1e4, 1e5};
    const double replaces = unit[0]->throughput_per_s / unit[1]->throughput_per_s;
    const double saved = replaces * cost[1].all - cost[0].all;
    const double even = saved > 0.0 ? ceil(design_usd / saved) : (double)NAN;
    bool ok = true;
    json_t *root = json_object();
    sc_json_set(root, "economics", json_string(e->name), &ok);
    sc_json_set(root, "design", unit_json(&cost[0], unit[0], &ok), &ok);
    sc_json_set(root, "baseline", unit_json(&cost[1], unit[1], &ok), &ok);
    sc_json_set(root, "replaces", sc_json_real(replaces), &ok);
    sc_json_set(root, "saved_per_unit_usd", sc_json_real(saved), &ok);
    sc_json_set(root, "design_cost_usd", sc_json_real(design_usd), &ok);
    sc_json_set(root, "break_even_units", sc_json_number(even), &ok);
    sc_json_set(root, "break_even_replaced", sc_json_real(even * replaces), &ok);
    sc_json_set(root, "volumes",
                volumes_json(o->n_volumes > 0 ? o->volumes : usual,
                             o->n_volumes > 0 ? o->n_volumes : 3, saved, design_usd, &ok),
                &ok);
    sc_json_set(root, "recalled", recalled_json(e, unit[0]->node, unit[1]->node, &ok), &ok);
    const sc_status st = ok ? sc_json_write(json, root, 1)
                            : sc_fail(SC_ENOMEM, "no memory for the return on investment");
    json_decref(root);
    return st;
}

sc_status sc_roi(char **json, const sc_roi_unit *design, const sc_roi_unit *baseline,
                 const sc_roi_options *o)
{
    const sc_roi_unit *unit[2] = {design, baseline};
    static const char *const which[2] = {"design", "baseline"};
    const node_costs *node = NULL;
    unit_cost cost[2] = {0};
    economics *e = NULL;
    sc_status st = check_options(o);
    for (int i = 0; i < 2 && st == SC_OK; i++)
        st = check_unit(unit[i], which[i]);
    if (st != SC_OK)
        return st;
    if (!(e = sc_calloc(1, sizeof *e)))
        return SC_ENOMEM;
    st = open_economics(e, o->economics);
    for (int i = 0; i < 2 && st == SC_OK; i++)
        st = cost_unit(&cost[i], e, unit[i]);
    double design_usd = o->design_usd ? *o->design_usd : (double)NAN;
    if (st == SC_OK && !o->design_usd && (st = find_node(&node, e, design->node)) == SC_OK)
        design_usd = node->design_usd;
    if (st == SC_OK)
        st = write_roi(json, e, unit, cost, o, design_usd);
    sc_free(e);
    return st;
}
