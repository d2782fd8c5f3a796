#include "model/mapper/array_search.h"
#include "model/mapper/footprint.h"

enum { MAX_WAYS = 256 };

/* One way to lay a dimension: so many lanes side by side, steps left in time. */
typedef struct way {
    uint16_t lanes;
    uint32_t steps;
} way;

/* Lanes left, and what the dimensions so far make of them. */
typedef struct state {
    uint64_t rows, cols, children;
    double steps;      /* of the run so far */
    double pass;       /* of the loops outside the innermost buffer, at most */
    double inner_pass; /* of those in it, so far */
    bool moving;       /* a loop of the innermost buffer moves the stationary tensor */
    double memory;     /* cycles of traffic, the grid being known */
    double prefill;
    sc_lanes lanes;
} state;

/* A list of the ways to lay each dimension, largest first, at one of two places. */
typedef struct ways {
    unsigned n, dim[SC_MAX_DIMS];
    unsigned n_ways[SC_MAX_DIMS];
    way way[SC_MAX_DIMS][MAX_WAYS];
    double rest[SC_MAX_DIMS + 1], rest_pass[SC_MAX_DIMS + 1];
} ways;

typedef struct laying {
    sc_array_search *q;
    const sc_array_tile *tile;
    sc_dataflow dataflow;
    int stationary;
    ways grid, array;
} laying;

static uint64_t ceil_div(uint64_t a, uint64_t b)
{
    return (a + b - 1) / b;
}

/* Least numbers of lanes for each number of steps of an extent; fewest steps first. */
static unsigned list_ways(way *out, uint64_t extent, uint64_t lanes)
{
    unsigned n = 0;
    for (uint64_t steps = 1; steps <= extent && n < MAX_WAYS;) {
        const uint64_t needed = ceil_div(extent, steps);
        if (needed <= lanes)
            out[n++] = (way){(uint16_t)needed, (uint32_t)steps};
        if (needed == 1)
            break;
        steps = needed - 1 > lanes ? ceil_div(extent, lanes) : ceil_div(extent, needed - 1);
    }
    return n;
}

static void sort_dims(ways *w, const sc_array_search *q, const sc_extents *extent)
{
    w->n = 0;
    for (unsigned i = 0; i < q->n_order; i++) {
        const unsigned d = q->order[i];
        unsigned at = w->n;
        if (extent->of[d] == 1)
            continue;
        for (; at > 0 && extent->of[w->dim[at - 1]] < extent->of[d]; at--)
            w->dim[at] = w->dim[at - 1];
        w->dim[at] = d;
        w->n++;
    }
}

static void sum_up(ways *w, const laying *l, const sc_extents *extent)
{
    w->rest[w->n] = w->rest_pass[w->n] = 1;
    for (unsigned k = w->n; k-- > 0;) {
        const unsigned d = w->dim[k];
        const bool moves = l->q->space.moves[l->stationary] >> d & 1;
        w->rest[k] = w->rest[k + 1] * (double)extent->of[d];
        w->rest_pass[k] = w->rest_pass[k + 1] * (moves ? 1 : (double)extent->of[d]);
    }
}

static double mac_cycles(const laying *w, double steps, double pass)
{
    return sc_array_ramped(w->q->space.a, w->dataflow, steps, sc_smaller(steps, pass));
}

static bool open_to(sc_array_search *q, double bound)
{
    return sc_array_wanted(q, bound) && !sc_array_spent(q);
}

/* ---- the array ---- */

static void complete(laying *w, state *s)
{
    sc_array_search *q = w->q;
    sc_lanes *y = &s->lanes;
    sc_extents all;
    for (unsigned d = 0; d < q->space.n_dims; d++) {
        all.of[d] = y->array.of[d] * y->grid.of[d] * y->time.of[d];
        if (ceil_div(q->space.e->bound[d], all.of[d]) < w->tile->steps.of[d])
            return; /* it is a larger tile with fewer steps */
    }
    y->steps = s->steps;
    y->inner_pass = s->inner_pass;
    y->pass = s->inner_pass * (s->moving ? 1 : s->pass);
    const double macs = ceil(mac_cycles(w, s->steps, y->pass) * (1 - 1e-12));
    const double bound = sc_larger(macs, s->memory) + sc_array_prefill(&q->space, &all);
    if (open_to(q, bound))
        sc_array_finish(q, w->tile, y);
}

static void look_at_array(laying *w, state *s, unsigned k)
{
    sc_array_search *q = w->q;
    const double left = (double)s->rows * (double)s->cols;
    const double pass = (s->moving ? 1 : s->pass) * w->array.rest_pass[k];
    const double macs =
        mac_cycles(w, s->steps * sc_larger(1, w->array.rest[k] / left), s->inner_pass * pass);
    q->nodes++;
    if (!open_to(q, sc_larger(ceil(macs * (1 - 1e-12)), s->memory) + s->prefill))
        return;
    if (k == w->array.n) {
        complete(w, s);
        return;
    }
    const unsigned d = w->array.dim[k];
    const sc_array_place place = q->place[w->dataflow][d];
    const bool moves = q->space.moves[w->stationary] >> d & 1;
    for (unsigned i = 0; i < w->array.n_ways[k]; i++) {
        const way *y = &w->array.way[k][i];
        state next = *s;
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
        next.lanes.array.of[d] = y->lanes;
        next.lanes.time.of[d] = y->steps;
        look_at_array(w, &next, k + 1);
    }
}

static void lay_array(laying *w, const state *s, const sc_extents *child)
{
    sc_array_search *q = w->q;
    const uint64_t rows = q->space.a->compute.rows, cols = q->space.a->compute.cols;
    state next = *s;
    next.rows = rows;
    next.cols = cols;
    sort_dims(&w->array, q, child);
    for (unsigned k = 0; k < w->array.n; k++) {
        const unsigned d = w->array.dim[k];
        uint64_t lanes = 1;
        switch (q->place[w->dataflow][d]) {
        case SC_PLACE_ROWS: lanes = rows; break;
        case SC_PLACE_COLUMNS: lanes = cols; break;
        case SC_PLACE_DIAGONAL: lanes = rows < cols ? rows : cols; break;
        case SC_PLACE_NONE: break;
        }
        w->array.n_ways[k] = list_ways(w->array.way[k], child->of[d], lanes);
    }
    sum_up(&w->array, w, child);
    look_at_array(w, &next, 0);
}

/* ---- the grid ---- */

/* Words of one child and of all, whether its innermost buffer keeps the tensor or not, by the first
 * loop outside it: of dimension order[i], or none at n_order. */
typedef struct choice_words {
    double inside[2][SC_MAX_DIMS + 1], served[2][SC_MAX_DIMS + 1];
    bool keeping_helps; /* never more words if it is kept */
} choice_words;

static void words_of(choice_words *out, const laying *w, unsigned t, const sc_extents *child,
                     const sc_extents *grid)
{
    const sc_array_search *q = w->q;
    const sc_array_space *v = &q->space;
    const sc_array_tile *tile = w->tile;
    sc_words box, touched;
    double each = 0;
    sc_array_words(&box, v, t, child, grid, &tile->steps, true);
    sc_array_words(&touched, v, t, child, grid, &tile->steps, false);
    if ((int)t != w->stationary) {
        each = tile->n_steps / sc_array_sharing(q, w->dataflow, t, child);
        for (unsigned d = 0; d < v->n_dims; d++)
            each *= (double)child->of[d];
    }
    const double groups = sc_array_groups(v, t, v->grid, grid);
    out->keeping_helps = true;
    for (unsigned i = 0; i <= q->n_order; i++) {
        const unsigned d = i < q->n_order ? q->order[i] : 0;
        const bool moved = i < q->n_order && v->moves[t] >> d & 1;
        const double least =
            sc_larger(v->compulsory[t], moved ? tile->words[t].by[d] : tile->words[t].still);
        out->inside[1][i] = moved ? box.by[d] : box.still;
        out->inside[0][i] = sc_larger(each, moved ? touched.by[d] : touched.still);
        for (unsigned k = 0; k < 2; k++)
            out->served[k][i] = sc_larger(least, groups * out->inside[k][i]);
        out->keeping_helps &= out->inside[1][i] <= out->inside[0][i];
    }
}

/* Sets that the innermost buffer may keep, those left out to which a tensor could be added that is
 * better kept. @return how many. */
static unsigned list_kept(uint8_t *set, const laying *w, const choice_words *words,
                          const sc_extents *child)
{
    const sc_array_space *v = &w->q->space;
    const sc_level *inner = &v->a->level[v->inner];
    const unsigned all = 1u << v->n_tensors, may = sc_keepable(inner, v->e);
    bool fits[1 << SC_MAX_TENSORS];
    unsigned n = 0, must = 0;
    for (unsigned t = 0; t < v->n_tensors; t++)
        must |= (unsigned)(inner->must_keep >> v->e->tensor[t].role & 1) << t;
    for (unsigned k = 0; k < all; k++)
        fits[k] = (k & may) == k && (k & must) == must &&
                  sc_footprint_fit(v->a, v->inner, v->e, (uint8_t)k, child->of).code == SC_FITS;
    for (unsigned k = 0; k < all; k++) {
        bool best = fits[k];
        for (unsigned t = 0; best && t < v->n_tensors; t++)
            best = k >> t & 1 || !words[t].keeping_helps || !fits[k | 1u << t];
        if (best)
            set[n++] = (uint8_t)k;
    }
    return n;
}

/* The grid is known: cycles of traffic over all that the innermost buffers may keep. */
static double grid_bound(const laying *w, const state *s, const sc_extents *child)
{
    const sc_array_search *q = w->q;
    const sc_array_space *v = &q->space;
    choice_words words[SC_MAX_TENSORS];
    uint8_t set[1 << SC_MAX_TENSORS];
    double memory = HUGE_VAL;
    for (unsigned t = 0; t < v->n_tensors; t++)
        words_of(&words[t], w, t, child, &s->lanes.grid);
    const unsigned n_sets = list_kept(set, w, words, child);
    bool loops = false;
    for (unsigned i = 0; i <= q->n_order; i++) {
        if (i < q->n_order ? w->tile->steps.of[q->order[i]] < 2 : loops)
            continue;
        loops = true;
        for (unsigned k = 0; k < n_sets; k++) {
            double served[SC_MAX_TENSORS], inside[SC_MAX_TENSORS];
            for (unsigned t = 0; t < v->n_tensors; t++) {
                inside[t] = words[t].inside[set[k] >> t & 1][i];
                served[t] = words[t].served[set[k] >> t & 1][i];
            }
            memory = sc_smaller(memory, sc_array_memory(q, 1, served, inside, HUGE_VAL));
        }
    }
    return memory;
}

/* Put the grid's loops on its two axes. @return false if they do not go there. */
static bool lay_axes(sc_lanes *y, const sc_array_space *v)
{
    unsigned n = 0, dim[SC_MAX_DIMS];
    for (unsigned d = 0; d < v->n_dims; d++)
        if (y->grid.of[d] > 1)
            dim[n++] = d;
    for (unsigned on_y = 0; on_y < 1u << n; on_y++) {
        uint64_t along[2] = {1, 1};
        y->on_y = 0;
        for (unsigned i = 0; i < n; i++) {
            along[on_y >> i & 1] *= y->grid.of[dim[i]];
            y->on_y |= (uint16_t)((on_y >> i & 1) << dim[i]);
        }
        if (n == 0 || (along[0] <= v->a->level[v->grid].fanout_x &&
                       along[1] <= v->a->level[v->grid].fanout_y))
            return true;
    }
    return false;
}

static void grid_done(laying *w, state *s)
{
    sc_array_search *q = w->q;
    sc_extents child, all;
    if (!lay_axes(&s->lanes, &q->space))
        return;
    for (unsigned d = 0; d < q->space.n_dims; d++) {
        child.of[d] = s->lanes.time.of[d];
        all.of[d] = child.of[d] * s->lanes.grid.of[d];
    }
    s->prefill = sc_array_prefill(&q->space, &all);
    if (!open_to(q, s->memory + s->prefill))
        return;
    s->memory = sc_larger(s->memory, grid_bound(w, s, &child));
    if (open_to(q, s->memory + s->prefill))
        lay_array(w, s, &child);
}

static void look_at_grid(laying *w, state *s, unsigned k)
{
    sc_array_search *q = w->q;
    sc_extents child = w->tile->all;
    q->nodes++;
    double inside = w->grid.rest[k];
    for (unsigned i = 0; i < k; i++) {
        child.of[w->grid.dim[i]] = s->lanes.time.of[w->grid.dim[i]];
        inside *= (double)child.of[w->grid.dim[i]];
    }
    const double left = sc_array_busy(q, w->dataflow, &child) * (double)s->children;
    const double macs = mac_cycles(w, w->tile->n_steps * sc_larger(1, inside / left),
                                   s->pass * w->grid.rest_pass[0]);
    if (!open_to(q, sc_larger(ceil(macs * (1 - 1e-12)), s->memory) + s->prefill))
        return;
    if (k == w->grid.n) {
        grid_done(w, s);
        return;
    }
    const unsigned d = w->grid.dim[k];
    for (unsigned i = 0; i < w->grid.n_ways[k]; i++) {
        const way *y = &w->grid.way[k][i];
        state next = *s;
        next.children /= y->lanes;
        if (next.children == 0)
            continue;
        next.lanes.grid.of[d] = y->lanes;
        next.lanes.time.of[d] = y->steps;
        look_at_grid(w, &next, k + 1);
    }
}

static void lay(laying *w, sc_dataflow f)
{
    const sc_array_space *s = &w->q->space;
    state start = {.children = 1};
    w->dataflow = f;
    w->stationary = sc_array_stationary(s->e, f);
    start.lanes.dataflow = f;
    start.inner_pass = 1;
    start.steps = w->tile->n_steps;
    start.pass = 1;
    start.memory = w->tile->memory;
    start.prefill = sc_array_prefill(s, &w->tile->all);
    for (unsigned d = 0; d < s->n_dims; d++) {
        start.lanes.array.of[d] = start.lanes.grid.of[d] = start.lanes.time.of[d] = 1;
        if (!(s->moves[w->stationary] >> d & 1))
            start.pass *= (double)w->tile->steps.of[d];
    }
    const sc_level *parent = s->grid >= 0 ? &s->a->level[s->grid] : NULL;
    uint64_t longest = 1;
    if (parent) {
        start.children = parent->fanout_x * parent->fanout_y;
        longest = parent->fanout_x > parent->fanout_y ? parent->fanout_x : parent->fanout_y;
    }
    for (unsigned k = 0; k < w->grid.n; k++)
        w->grid.n_ways[k] = list_ways(w->grid.way[k], w->tile->all.of[w->grid.dim[k]], longest);
    sum_up(&w->grid, w, &w->tile->all);
    look_at_grid(w, &start, 0);
}

void sc_array_walk_lanes(sc_array_search *q, const sc_array_tile *tile)
{
    laying w = {.q = q, .tile = tile};
    sort_dims(&w.grid, q, &tile->all);
    for (int f = 0; f < SC_DATAFLOWS; f++)
        if (q->space.a->compute.dataflows >> f & 1 &&
            sc_array_stationary(q->space.e, (sc_dataflow)f) >= 0)
            lay(&w, (sc_dataflow)f);
}
