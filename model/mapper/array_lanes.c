#include "model/mapper/array_search.h"

#include "model/mapper/factor.h"

/* What is left of the array, and what the dimensions so far make of it. */
typedef struct so_far {
    uint64_t rows, cols;
    double steps;      /* of the run */
    double inner_pass; /* steps in the innermost buffer that leave what stays in place */
    bool moving;       /* a loop of the innermost buffer moves it */
    double macs;       /* cycles of the MACs: the largest bound */
} so_far;

typedef struct laying {
    sc_array_search *q;
    const sc_array_tile *tile;
    sc_lanes *lanes;
    uint16_t moves; /* dimensions that move what stays in the array */
    double memory, prefill;
    double pass; /* steps outside the innermost buffer that leave what stays in place */
    unsigned n, dim[SC_MAX_DIMS]; /* largest first */
    unsigned n_ways[SC_MAX_DIMS];
    sc_way way[SC_MAX_DIMS][SC_MAX_LANES];
    double rest[SC_MAX_DIMS + 1], rest_pass[SC_MAX_DIMS + 1];
} laying;

static double mac_cycles(const laying *w, double steps, double pass)
{
    return ceil(sc_array_ramped(w->q->space.a, w->lanes->dataflow, steps, sc_smaller(steps, pass)) *
                (1 - 1e-12));
}

/* Lanes of an array have their places. Plain MACs stand along two axes, of which a dimension takes
 * one. @return false if they do not go there. */
static bool lay_macs(laying *w)
{
    const sc_array_space *s = &w->q->space;
    const sc_level *v = &s->a->level[s->array];
    return !s->plain || sc_array_lay_axes(&w->lanes->macs_on_y, &w->lanes->array, s->n_dims,
                                          v->fanout_x, v->fanout_y);
}

static void complete(laying *w, const so_far *s)
{
    sc_array_search *q = w->q;
    sc_lanes *y = w->lanes;
    sc_extents all;
    if (!lay_macs(w))
        return;
    for (unsigned d = 0; d < q->space.n_dims; d++) {
        all.of[d] = y->array.of[d] * y->arrays.of[d] * y->time.of[d];
        for (unsigned i = 0; i < q->space.n_grids; i++)
            all.of[d] *= y->grid[i].of[d];
        if (sc_factor_rounds(q->space.e->bound[d], all.of[d]) < w->tile->steps.of[d])
            return; /* it is a larger tile with fewer steps */
    }
    y->steps = s->steps;
    y->inner_pass = s->inner_pass;
    y->pass = s->inner_pass * (s->moving ? 1 : w->pass);
    y->macs = sc_larger(s->macs, mac_cycles(w, s->steps, y->pass));
    const double bound = sc_larger(y->macs, w->memory) + sc_array_prefill(&q->space, &all);
    if (sc_array_wanted(q, bound))
        sc_array_finish(q, w->tile, y);
}

static void look(laying *w, const so_far *before, unsigned k)
{
    sc_array_search *q = w->q;
    so_far s = *before;
    const double left = (double)s.rows * (double)s.cols;
    const double pass = s.inner_pass * (s.moving ? 1 : w->pass) * w->rest_pass[k];
    s.macs = sc_larger(s.macs, mac_cycles(w, s.steps * sc_larger(1, w->rest[k] / left), pass));
    q->nodes++;
    if (!sc_array_wanted(q, sc_larger(s.macs, w->memory) + w->prefill) || sc_array_spent(q))
        return;
    if (k == w->n) {
        complete(w, &s);
        return;
    }
    const unsigned d = w->dim[k];
    const sc_array_place place = q->place[w->lanes->dataflow][d];
    const bool moves = w->moves >> d & 1;
    for (unsigned i = 0; i < w->n_ways[k]; i++) {
        const sc_way *y = &w->way[k][i];
        so_far next = s;
        if (place == SC_PLACE_ROWS || place == SC_PLACE_DIAGONAL)
            next.rows /= y->lanes;
        if (place == SC_PLACE_COLUMNS || place == SC_PLACE_DIAGONAL)
            next.cols /= y->lanes;
        if (next.rows == 0 || next.cols == 0)
            continue;
        next.steps *= (double)y->steps;
        if (!moves)
            next.inner_pass *= (double)y->steps;
        else
            next.moving |= y->steps > 1;
        w->lanes->array.of[d] = y->lanes;
        w->lanes->time.of[d] = y->steps;
        look(w, &next, k + 1);
    }
}

/* The dimensions of the child's tile, largest first. */
static void sort_dims(laying *w, const sc_extents *extent)
{
    w->n = 0;
    for (unsigned i = 0; i < w->q->n_order; i++) {
        const unsigned d = w->q->order[i];
        unsigned at = w->n;
        if (extent->of[d] == 1)
            continue;
        for (; at > 0 && extent->of[w->dim[at - 1]] < extent->of[d]; at--)
            w->dim[at] = w->dim[at - 1];
        w->dim[at] = d;
        w->n++;
    }
}

static void list_ways(laying *w, const sc_extents *child)
{
    const sc_array_search *q = w->q;
    const sc_level *v = &q->space.a->level[q->space.array];
    uint64_t rows = q->rows;
    if (q->space.plain) /* a dimension has one axis */
        rows = v->fanout_x > v->fanout_y ? v->fanout_x : v->fanout_y;
    w->rest[w->n] = w->rest_pass[w->n] = 1;
    for (unsigned k = w->n; k-- > 0;) {
        const unsigned d = w->dim[k];
        const bool moves = w->moves >> d & 1;
        uint64_t lanes = 1;
        switch (q->place[w->lanes->dataflow][d]) {
        case SC_PLACE_ROWS: lanes = rows; break;
        case SC_PLACE_COLUMNS: lanes = q->cols; break;
        case SC_PLACE_DIAGONAL: lanes = rows < q->cols ? rows : q->cols; break;
        case SC_PLACE_NONE: break;
        }
        w->n_ways[k] = sc_array_ways(w->way[k], child->of[d], lanes);
        w->rest[k] = w->rest[k + 1] * (double)child->of[d];
        w->rest_pass[k] = w->rest_pass[k + 1] * (moves ? 1 : (double)child->of[d]);
    }
}

/* One array's part of the tile. */
static void lay_array(laying *w)
{
    const sc_array_search *q = w->q;
    const sc_extents child = w->lanes->time, array = w->lanes->array;
    const so_far start = {q->rows, q->cols, w->tile->n_steps, 1, false, 0};
    sort_dims(w, &child);
    list_ways(w, &child);
    look(w, &start, 0);
    w->lanes->time = child;
    w->lanes->array = array;
}

/* All ways to lay the tile on the arrays under one innermost buffer, from dimension order[i] on. */
static void lay_arrays(laying *w, unsigned i, uint64_t left)
{
    // cppcheck-suppress ctuuninitvar -- its lists are written before they are read: 40 KB to clear
    const sc_array_search *q = w->q;
    const sc_array_grid *g = &q->space.arrays;
    sc_lanes *y = w->lanes;
    if (i == q->n_order) {
        if (g->children == 1 ||
            sc_array_lay_axes(&y->arrays_on_y, &y->arrays, q->space.n_dims, g->x, g->y))
            lay_array(w);
        return;
    }
    const unsigned d = q->order[i];
    const uint64_t extent = y->time.of[d], longest = g->x > g->y ? g->x : g->y;
    sc_way way[SC_MAX_LANES];
    const unsigned n = sc_array_ways(way, extent, left < longest ? left : longest);
    for (unsigned k = 0; k < n; k++) {
        y->arrays.of[d] = way[k].lanes;
        y->time.of[d] = way[k].steps;
        lay_arrays(w, i + 1, left / way[k].lanes);
    }
    y->arrays.of[d] = 1;
    y->time.of[d] = extent;
}

void sc_array_lay_child(sc_array_search *q, const sc_array_tile *tile, sc_lanes *lanes,
                        double memory, double prefill)
{
    laying w;
    w.q = q;
    w.tile = tile;
    w.lanes = lanes;
    w.moves = q->ends_pass[lanes->dataflow];
    w.memory = memory;
    w.prefill = prefill;
    w.pass = 1;
    for (unsigned d = 0; d < q->space.n_dims; d++)
        if (!(w.moves >> d & 1))
            w.pass *= (double)tile->steps.of[d];
    lay_arrays(&w, 0, q->space.arrays.children);
}
