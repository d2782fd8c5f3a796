#include <math.h>
#include <string.h>

#include "model/net/tile_group.h"

/* Positions [lo, hi) of the first tile; each further one lies `step` on. */
typedef struct range {
    bool set, all;
    int64_t lo, hi;
    uint64_t step;
} range;

static uint64_t least(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

static uint64_t parts(uint64_t whole, uint64_t part)
{
    return whole / part + (whole % part != 0);
}

/* What a reader asks for, joined with what others did. Steps must agree. */
static bool ask(range *to, int64_t lo, int64_t hi, uint64_t step)
{
    if (!to->set) {
        *to = (range){true, to->all, lo, hi, step};
        return true;
    }
    if (lo < to->lo)
        to->lo = lo;
    if (hi > to->hi)
        to->hi = hi;
    return to->step == step;
}

/* What member m needs along the axis. Kept halos: only what its new results need. */
static bool ask_operand(range *inside, range *outside, const sc_tile_group *g, uint32_t m,
                        uint32_t k, int axis, bool again)
{
    const range *r = &inside[m];
    const sc_tile_window w = sc_tile_window_of(g->op[m], k, axis);
    const sc_tile_edge *e = &g->edge[m][k];
    if (w.reach == SC_TILE_BARRED)
        return false;
    if (w.reach == SC_TILE_WHOLE) {
        if (!e->inside)
            outside[e->from].all = true;
        return !e->inside;
    }
    if (sc_tile_out(g->op[m], axis) == 1)
        return false; /* one window over all: a global pool */
    const int64_t stride = (int64_t)w.stride, pad = (int64_t)w.pad;
    const int64_t from = again ? r->lo : r->hi - (int64_t)r->step;
    range *to = e->inside ? &inside[e->from] : &outside[e->from];
    return ask(to, from * stride - pad, (r->hi - 1) * stride - pad + (int64_t)w.kernel,
               r->step * w.stride);
}

static sc_tile_span not_cut(uint64_t extent)
{
    return (sc_tile_span){extent, extent, 1, extent};
}

/* Sum of start, start + step, ... n numbers, each at least 0 and at most `most`. */
static uint64_t sum_within(int64_t start, uint64_t step, uint64_t n, uint64_t most)
{
    const uint64_t below = start >= 0 ? 0 : least(n, parts((uint64_t)(-start), step));
    const uint64_t first = (uint64_t)(start + (int64_t)(below * step));
    if (below == n)
        return 0;
    uint64_t inside = first >= most ? 0 : parts(most - first, step);
    inside = least(inside, n - below);
    /* inside * (inside - 1) is even */
    return inside * first + (inside > 0 ? inside * (inside - 1) / 2 : 0) * step +
           (n - below - inside) * most;
}

/* Positions below `extent` of all tiles' ranges, one tile's counted apart from the next's. */
static uint64_t read_again(const range *r, uint64_t extent, uint64_t tiles)
{
    return sum_within(r->hi, r->step, tiles, extent) - sum_within(r->lo, r->step, tiles, extent);
}

/* Each call makes `step` positions, and one ends where the first tile's range does: a first call
 * may begin before position 0. */
static uint64_t calls_of(const range *r, uint64_t extent)
{
    const int64_t step = (int64_t)r->step;
    const uint64_t lead = (uint64_t)((r->hi % step + step) % step);
    return lead == 0 || lead >= extent ? parts(extent, r->step) : 1 + parts(extent - lead, r->step);
}

static sc_tile_span span_of(const range *r, uint64_t extent, uint64_t tiles, bool again)
{
    const uint64_t wide = (uint64_t)(r->hi - r->lo);
    if (again) {
        const uint64_t held = least(extent, wide);
        return (sc_tile_span){held, held, tiles, read_again(r, extent, tiles)};
    }
    const uint64_t fresh = least(extent, r->step);
    const uint64_t held = least(extent, wide > r->step ? wide : r->step);
    return (sc_tile_span){held, fresh, calls_of(r, extent), extent};
}

static uint64_t outside_extent(const sc_tile_outside *o, int axis)
{
    return axis == SC_TILE_ROWS ? o->shape.h : o->shape.w;
}

static bool spans_along(sc_tile_shape *out, const sc_tile_group *g, const sc_tile_choice *w,
                        int axis)
{
    range inside[SC_TILE_MEMBERS] = {{0}}, outside[SC_TILE_OUTSIDE] = {{0}};
    const uint64_t all = sc_tile_out(g->op[g->n - 1], axis), t = w->extent[axis];
    const uint64_t tiles = parts(all, t);
    if (tiles == 1) {
        for (uint32_t m = 0; m < g->n; m++)
            out->inside[m][axis] = not_cut(sc_tile_out(g->op[m], axis));
        for (uint32_t k = 0; k < g->n_outside; k++)
            out->outside[k][axis] = not_cut(outside_extent(&g->outside[k], axis));
        return true;
    }
    inside[g->n - 1] = (range){true, false, 0, (int64_t)t, t};
    for (uint32_t m = g->n; m-- > 0;) {
        if (!inside[m].set)
            return false;
        for (uint32_t k = 0; k < g->op[m]->n_operands; k++)
            if (!ask_operand(inside, outside, g, m, k, axis, w->again[axis]))
                return false;
        out->inside[m][axis] =
            span_of(&inside[m], sc_tile_out(g->op[m], axis), tiles, w->again[axis]);
    }
    for (uint32_t k = 0; k < g->n_outside; k++) {
        const uint64_t extent = outside_extent(&g->outside[k], axis);
        out->outside[k][axis] = outside[k].all || !outside[k].set
                                    ? not_cut(extent)
                                    : span_of(&outside[k], extent, tiles, w->again[axis]);
    }
    return true;
}

/* Elements a channel: of what stays from tile to tile, and of what is new in one. Rows that stay
 * while tiles go along the columns are kept over their full width. */
static void area_of(double *kept, double *fresh, const sc_tile_span s[SC_TILE_AXES], uint64_t width)
{
    const sc_tile_span *r = &s[SC_TILE_ROWS], *c = &s[SC_TILE_COLUMNS];
    *fresh = (double)r->fresh * (double)c->fresh;
    *kept = (double)r->held * (double)c->held - *fresh;
    if (c->calls > 1)
        *kept += (double)(r->held - r->fresh) * (double)(width - c->held);
}

static double elements(const sc_op *op)
{
    return (double)op->cout * (double)op->od;
}

/* Operands and the result: one tile more where the buffer does not fill one half while the other
 * is worked on. */
static void room_outside(sc_tile_shape *s, const sc_tile_group *g)
{
    const double extra = g->a->level[1].buffers < 2.0 && s->tiles > 1.0 ? 1.0 : 0.0;
    double kept, fresh;
    for (uint32_t k = 0; k < g->n_outside; k++) {
        const sc_tile_outside *o = &g->outside[k];
        const double all = (double)o->shape.c * (double)o->shape.d * o->width;
        area_of(&kept, &fresh, s->outside[k], o->shape.w);
        s->in_bytes += all * (double)s->batch * (kept + (1.0 + extra) * fresh);
        s->first_bytes += all * (double)s->batch * (double)s->outside[k][SC_TILE_ROWS].held *
                          (double)s->outside[k][SC_TILE_COLUMNS].held;
        s->read[k] = all * (double)g->batch * (double)s->outside[k][SC_TILE_ROWS].read *
                     (double)s->outside[k][SC_TILE_COLUMNS].read;
    }
    const uint32_t last = g->n - 1;
    area_of(&kept, &fresh, s->inside[last], g->op[last]->ow);
    s->out_bytes =
        elements(g->op[last]) * g->width[last] * (double)s->batch * (1.0 + extra) * (kept + fresh);
}

/* What members pass on: halos all the time, the rest from the maker's turn to the last reader's. */
static void room_inside(sc_tile_shape *s, const sc_tile_group *g)
{
    const double extra = g->a->level[1].buffers < 2.0 && s->tiles > 1.0 ? 1.0 : 0.0;
    for (uint32_t m = 0; m + 1 < g->n; m++) {
        double kept, fresh;
        const double all = elements(g->op[m]) * g->width[m] * (double)s->batch;
        area_of(&kept, &fresh, s->inside[m], g->op[m]->ow);
        s->kept_bytes += all * kept;
        for (uint32_t at = m; at <= g->last_reader[m]; at++)
            s->live_bytes[at] += all * fresh;
        if (!g->leaves[m])
            continue;
        s->kept_bytes += extra * all * fresh; /* on its way out */
        s->left_bytes += (double)g->op[m]->out_elems * g->width[m];
    }
}

bool sc_tile_shape_of(sc_tile_shape *out, const sc_tile_group *g, const sc_tile_choice *w)
{
    memset(out, 0, sizeof *out);
    out->batch = w->batch;
    out->rounds = parts(g->batch, w->batch);
    out->tiles = (double)out->rounds;
    for (int axis = 0; axis < SC_TILE_AXES; axis++) {
        if (!spans_along(out, g, w, axis))
            return false;
        out->tiles *= (double)out->inside[g->n - 1][axis].calls;
    }
    for (uint32_t m = 0; m < g->n; m++)
        out->calls[m] = (double)out->rounds * (double)out->inside[m][SC_TILE_ROWS].calls *
                        (double)out->inside[m][SC_TILE_COLUMNS].calls;
    room_outside(out, g);
    room_inside(out, g);
    return true;
}

bool sc_tile_may_cut(const sc_tile_group *g, int axis)
{
    const uint64_t all = sc_tile_out(g->op[g->n - 1], axis);
    sc_tile_choice w = {.batch = 1, .extent = {all, all}};
    sc_tile_shape s;
    w.extent[axis] = parts(all, 2);
    return all > 1 && spans_along(&s, g, &w, axis);
}

bool sc_tile_has_halo(const sc_tile_group *g, int axis)
{
    for (uint32_t m = 0; m < g->n; m++)
        for (uint32_t k = 0; k < g->op[m]->n_operands; k++) {
            const sc_tile_window w = sc_tile_window_of(g->op[m], k, axis);
            if (w.reach == SC_TILE_WINDOW && w.kernel > w.stride)
                return true;
        }
    return false;
}

double sc_tile_result_bytes(const sc_tile_group *g)
{
    return (double)g->op[g->n - 1]->out_elems * g->width[g->n - 1];
}

void sc_tile_call(uint64_t extent[SC_TILE_AXES], const sc_tile_shape *s, uint32_t member)
{
    for (int axis = 0; axis < SC_TILE_AXES; axis++)
        extent[axis] = s->inside[member][axis].fresh;
}
