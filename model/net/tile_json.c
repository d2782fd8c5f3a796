#include <math.h>

#include "core/json.h"
#include "model/net/evaluation.h"

static const char *op_name(const sc_evaluation *e, size_t i)
{
    return e->ops[i].row.name;
}

/* What becomes of halos along an axis. */
static const char *halos(const sc_tile_taken *g, const sc_evaluation *e, int axis)
{
    const sc_op_extent *whole = &e->ops[g->last].extent;
    const uint64_t all = axis == SC_TILE_ROWS ? whole->rows : whole->columns;
    if (g->point.choice.extent[axis] == all)
        return "none"; /* the axis is not cut */
    return g->point.choice.again[axis] ? "again" : "kept";
}

static void set_choice(json_t *o, const sc_evaluation *e, const sc_tile_taken *g, bool *ok)
{
    const sc_tile_choice *w = &g->point.choice;
    json_t *stay = json_array();
    for (size_t i = g->first; i <= g->last; i++)
        if (w->stay >> (i - g->first) & 1)
            sc_json_append(stay, json_string(op_name(e, i)), ok);
    sc_json_set(o, "tiles", sc_json_count((uint64_t)g->point.lines.tiles), ok);
    sc_json_set(o, "samples", sc_json_count(w->batch), ok);
    sc_json_set(o, "rows", sc_json_count(w->extent[SC_TILE_ROWS]), ok);
    sc_json_set(o, "columns", sc_json_count(w->extent[SC_TILE_COLUMNS]), ok);
    sc_json_set(o, "row_halos", json_string(halos(g, e, SC_TILE_ROWS)), ok);
    sc_json_set(o, "column_halos", json_string(halos(g, e, SC_TILE_COLUMNS)), ok);
    sc_json_set(o, "weights_stay", stay, ok);
}

/* time_s is with what is resident, apart_time_s of the ops by themselves with nothing resident. */
static json_t *group_json(const sc_evaluation *e, const sc_tile_taken *g, bool *ok)
{
    json_t *o = json_object(), *ops = json_array();
    double apart = 0.0, apart_bytes = 0.0;
    for (size_t i = g->first; i <= g->last; i++) {
        sc_json_append(ops, json_string(op_name(e, i)), ok);
        apart += e->ops[i].plain_cycles;
        apart_bytes += e->ops[i].plain_dram_bytes;
    }
    sc_json_set(o, "ops", ops, ok);
    set_choice(o, e, g, ok);
    sc_json_set(o, "room_bytes", sc_json_real(g->point.lines.bytes), ok);
    sc_json_set(o, "inside_bytes", sc_json_real(g->inside_bytes), ok);
    sc_json_set(o, "time_s", sc_json_real(e->ops[g->last].row.time_s), ok);
    sc_json_set(o, "apart_time_s", sc_json_real(apart / e->clock_hz), ok);
    sc_json_set(o, "dram_bytes", sc_json_real(e->ops[g->last].row.dram_bytes), ok);
    sc_json_set(o, "apart_dram_bytes", sc_json_real(apart_bytes), ok);
    return o;
}

static void set_whole(json_t *o, const sc_evaluation *e, bool *ok)
{
    double before = 0.0, now = 0.0;
    for (size_t i = 0; i < e->n_ops; i++) {
        before += e->ops[i].plain_dram_bytes;
        now += e->ops[i].row.dram_bytes;
    }
    sc_json_set(o, "dram_bytes_before", sc_json_real(before), ok);
    sc_json_set(o, "dram_bytes_after", sc_json_real(now), ok);
    if (!e->fused || !e->fused->possible)
        return;
    const double cycles = e->fused->solution.value.cycles;
    sc_json_set(o, "cycles_without", sc_json_real(e->fused->whole_cycles), ok);
    sc_json_set(o, "cycles_with", sc_json_real(cycles), ok);
    sc_json_set(o, "bound_cycles", sc_json_real(e->fused->tiles_bound), ok);
    sc_json_set(o, "gap", sc_json_real(fmax(0.0, cycles - e->fused->tiles_bound) / cycles), ok);
}

json_t *sc_tiles_json(const sc_evaluation *e, bool *ok)
{
    if (!e->tiles || !e->result.feasible)
        return json_null();
    json_t *o = json_object(), *groups = json_array();
    size_t n;
    const sc_tile_taken *g = sc_tiles_taken(e->tiles, &n);
    const sc_tiles_counts c = sc_tiles_count(e->tiles);
    for (size_t i = n; i-- > 0;) /* they were taken from the end */
        sc_json_append(groups, group_json(e, &g[i], ok), ok);
    sc_json_set(o, "groups", groups, ok);
    set_whole(o, e, ok);
    sc_json_set(o, "runs", sc_json_count(c.runs), ok);
    sc_json_set(o, "shapes", sc_json_count(c.shapes), ok);
    sc_json_set(o, "choices", sc_json_count(c.choices), ok);
    sc_json_set(o, "priced", sc_json_count(c.priced), ok);
    sc_json_set(o, "parts", sc_json_count(c.priced_parts), ok);
    sc_json_set(o, "dropped", sc_json_count(c.dropped), ok);
    return o;
}
