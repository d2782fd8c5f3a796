/** A placement's costs and violations as JSON. */
#include <math.h>

#include "core/json.h"
#include "core/mem.h"
#include "placement/cost.h"
#include "placement/legal.h"

const char *sc_place_options_check(const sc_place_options *o)
{
    if (o->version != SC_PLACE_OPTIONS_VERSION)
        return "place options: another version of the library";
    if (!isfinite(o->wirelength_weight) || !isfinite(o->density_weight) ||
        !isfinite(o->congestion_weight) || o->wirelength_weight < 0 || o->density_weight < 0 ||
        o->congestion_weight < 0)
        return "place options: a weight should be a number of at least 0";
    if ((o->congestion_columns == 0) != (o->congestion_rows == 0) || o->congestion_columns > 4096 ||
        o->congestion_rows > 4096)
        return "place options: the grid of congestion should be 1 to 4096 columns and rows, or "
               "neither given";
    return NULL;
}

sc_status sc_place_cost_of(sc_place_cost *out, const sc_netlist *list,
                           const sc_placement *placement, const sc_place_options *options)
{
    sc_cost *cost = NULL;
    const sc_status st = sc_cost_create(&cost, list, &placement->canvas, placement->spot, options);
    if (st == SC_OK)
        *out = sc_cost_now(cost);
    sc_cost_destroy(cost);
    return st;
}

static json_t *violation_json(const sc_violation *v, const sc_netlist *list, bool *ok)
{
    json_t *row = json_object();

    sc_json_set(row, "code", json_string(sc_violation_names[v->kind]), ok);
    sc_json_set(row, "macro", json_string(list->block[v->block].name), ok);
    if (v->kind == SC_VIOLATION_OVERLAP ||
        (v->kind == SC_VIOLATION_HALO && v->other != SC_NO_BLOCK))
        sc_json_set(row, "other", json_string(list->block[v->other].name), ok);
    if (v->kind == SC_VIOLATION_BLOCKED)
        sc_json_set(row, "blockage", json_integer(v->other), ok);
    const bool is_area = v->kind == SC_VIOLATION_OUTSIDE || v->kind == SC_VIOLATION_OVERLAP ||
                         v->kind == SC_VIOLATION_BLOCKED;
    if (v->kind != SC_VIOLATION_ORIENTATION)
        sc_json_set(row, is_area ? "excess_um2" : "excess_um", sc_json_real(v->amount), ok);
    return row;
}

static json_t *canvas_json(const sc_canvas *canvas, bool *ok)
{
    json_t *root = json_object();
    sc_json_set(root, "width_um", sc_json_real(canvas->width_um), ok);
    sc_json_set(root, "height_um", sc_json_real(canvas->height_um), ok);
    sc_json_set(root, "columns", json_integer(canvas->columns), ok);
    sc_json_set(root, "rows", json_integer(canvas->rows), ok);
    return root;
}

static json_t *score_json(const sc_netlist *list, const sc_placement *placement,
                          const sc_place_cost *cost, const sc_violation *violation, size_t n,
                          bool *ok)
{
    json_t *root = json_object(), *rows = json_array();

    sc_json_set(root, "netlist", json_string(list->name), ok);
    sc_json_set(root, "placement", json_string(placement->name), ok);
    sc_json_set(root, "canvas", canvas_json(&placement->canvas, ok), ok);
    sc_json_set(root, "hpwl_um", sc_json_real(cost->hpwl_um), ok);
    sc_json_set(root, "wirelength_cost", sc_json_real(cost->wirelength), ok);
    sc_json_set(root, "density_cost", sc_json_real(cost->density), ok);
    sc_json_set(root, "congestion_cost", sc_json_real(cost->congestion), ok);
    sc_json_set(root, "proxy_cost", sc_json_real(cost->proxy), ok);
    sc_json_set(root, "legal", json_boolean(n == 0), ok);
    for (size_t i = 0; i < n; i++)
        sc_json_append(rows, violation_json(&violation[i], list, ok), ok);
    sc_json_set(root, "violations", rows, ok);
    return root;
}

sc_status sc_place_score_json(char **out, const sc_netlist *list, const sc_placement *placement,
                              const sc_place_options *options)
{
    sc_place_cost cost;
    sc_violation *violation = NULL;
    size_t n = 0;
    bool ok = true;

    sc_status st = sc_place_cost_of(&cost, list, placement, options);
    if (st == SC_OK)
        st = sc_legal_check(&violation, &n, list, &placement->canvas, options->rules,
                            placement->spot);
    if (st != SC_OK)
        return st;
    json_t *root = score_json(list, placement, &cost, violation, n, &ok);
    st = ok ? sc_json_write(out, root, 1) : SC_ENOMEM;
    json_decref(root);
    sc_free(violation);
    return st;
}
