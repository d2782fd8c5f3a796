#include "model/mapper/choice_bound.h"

#include <math.h>
#include <string.h>

#include "model/mapper/factor.h"
#include "model/mapper/footprint.h"

enum { MAX_WAYS = 512, MAX_LOOKED_AT = 2000 /* states of a dataflow */ };

/* One way to lay a dimension: lanes of the array, of one axis of the grid, steps left in time. */
typedef struct way {
    uint16_t array, grid;
    uint64_t steps;
} way;

/* What is left of the hardware, and what the dimensions so far make of it. */
typedef struct state {
    uint64_t rows, cols, grid[2]; /* lanes */
    double steps;                 /* product over the dimensions so far */
    double pass;                  /* of those that leave the stationary tensor in place */
    uint64_t extent[SC_MAX_DIMS]; /* side by side */
} state;

typedef struct listing {
    const sc_einsum *e;
    const sc_arch *a;
    const sc_memory_bound *memory;
    unsigned n, dim[SC_MAX_DIMS]; /* that can be laid out, largest first */
    sc_array_place place[SC_MAX_DIMS];
    bool moves[SC_MAX_DIMS]; /* the stationary tensor */
    unsigned n_axes;         /* of the grid; 1 where several levels' children count as one axis */
    double rest[SC_MAX_DIMS + 1];      /* product of the bounds from the k-th dimension on */
    double rest_pass[SC_MAX_DIMS + 1]; /* of those among them that leave the tensor in place */
    sc_dataflow dataflow;
    unsigned n_ways[SC_MAX_DIMS];
    way ways[SC_MAX_DIMS][MAX_WAYS];
    double best;
    unsigned looked_at;
} listing;

static double prefill_cycles(const listing *w, const state *s)
{
    double units = 0;
    if (w->memory->bytes_a_cycle <= 0 || w->memory->no_overlap)
        return 0; /* where memory and MACs take turns the first words are among all others */
    for (unsigned t = 0; t < w->e->n_tensors; t++)
        if (w->e->tensor[t].role != SC_ROLE_OUTPUT)
            units += sc_footprint_units(&w->a->level[0], &w->e->tensor[t],
                                        sc_footprint_words(&w->e->tensor[t], s->extent));
    return ceil(units / w->memory->bytes_a_cycle);
}

/* At least, whatever becomes of the dimensions from the k-th on: they may use all lanes left.
 * First words are left out where they decide nothing. */
static double cycles_of(const listing *w, const state *s, unsigned k)
{
    double lanes = (double)s->grid[0] * (double)s->grid[1];
    if (w->dataflow != SC_DATAFLOWS)
        lanes *= (double)s->rows * (double)s->cols;
    const double steps = s->steps * fmax(1, w->rest[k] / lanes);
    const double compute = sc_array_ramped(w->a, w->dataflow, steps, s->pass * w->rest_pass[k]);
    const double both =
        w->memory->no_overlap ? compute + w->memory->cycles : fmax(compute, w->memory->cycles);
    const double cycles = ceil(both * (1 - 1e-12));
    return cycles < w->best ? cycles + prefill_cycles(w, s) : cycles;
}

static void look(listing *w, const state *s, unsigned k);

static void take(listing *w, const state *s, unsigned k, const way *y, unsigned axis)
{
    state next = *s;
    const unsigned d = w->dim[k];
    switch (w->place[k]) {
    case SC_PLACE_ROWS: next.rows /= y->array; break;
    case SC_PLACE_COLUMNS: next.cols /= y->array; break;
    case SC_PLACE_DIAGONAL:
        next.rows /= y->array;
        next.cols /= y->array;
        break;
    case SC_PLACE_NONE: break;
    }
    next.grid[axis] /= y->grid;
    if (next.rows == 0 || next.cols == 0 || next.grid[axis] == 0)
        return;
    next.steps *= (double)y->steps;
    if (!w->moves[k])
        next.pass *= (double)y->steps;
    next.extent[d] = (uint64_t)y->array * y->grid;
    look(w, &next, k + 1);
}

/* Past the limit nothing is divided further: what is left below a state is not looked at, and its
 * own bound stands for it. */
static void look(listing *w, const state *s, unsigned k)
{
    const double cycles = cycles_of(w, s, k);
    if (cycles >= w->best)
        return;
    if (k == w->n || w->looked_at++ >= MAX_LOOKED_AT) {
        w->best = cycles;
        return;
    }
    for (unsigned i = 0; i < w->n_ways[k]; i++) {
        const way *y = &w->ways[k][i];
        for (unsigned axis = 0; axis < (y->grid > 1 ? w->n_axes : 1); axis++)
            take(w, s, k, y, axis);
    }
}

/* Ways to lay a dimension in which no lane less would do for as many steps; fewest steps first. */
static bool list_ways(listing *w, unsigned k, uint64_t array, uint64_t grid)
{
    const uint64_t bound = w->e->bound[w->dim[k]];
    w->n_ways[k] = 0;
    for (uint64_t a = 1; a <= array && a <= bound; a++)
        for (uint64_t g = 1; g <= grid && a * g < bound + a; g++) {
            const uint64_t steps = sc_factor_rounds(bound, a * g);
            if (sc_factor_rounds(bound, g * steps) != a || sc_factor_rounds(bound, a * steps) != g)
                continue;
            if (w->n_ways[k] == MAX_WAYS)
                return false;
            unsigned at = w->n_ways[k]++;
            for (; at > 0 && w->ways[k][at - 1].steps > steps; at--)
                w->ways[k][at] = w->ways[k][at - 1];
            w->ways[k][at] = (way){(uint16_t)a, (uint16_t)g, steps};
        }
    return true;
}

static void list_dims(listing *w, int sequential)
{
    w->n = 0;
    for (unsigned d = 0; d < w->e->n_dims; d++) {
        unsigned at = w->n;
        if (w->e->bound[d] == 1 || (int)d == sequential)
            continue;
        for (; at > 0 && w->e->bound[w->dim[at - 1]] < w->e->bound[d]; at--)
            w->dim[at] = w->dim[at - 1];
        w->dim[at] = d;
        w->n++;
    }
}

/* Children side by side outside the array. Where several levels have some they count as one axis
 * as long as all together: what is laid on both axes of two levels can be laid there too. */
static unsigned grid_of(uint64_t axis[2], const sc_arch *a)
{
    unsigned levels = 0;
    axis[0] = axis[1] = 1;
    for (int l = 0; l < (int)a->n_levels; l++) {
        const sc_level *v = &a->level[l];
        if (l == sc_array_level(a) || v->fanout_x * v->fanout_y == 1)
            continue;
        levels++;
        axis[0] *= v->fanout_x;
        axis[1] *= v->fanout_y;
    }
    if (levels < 2)
        return 2;
    axis[0] *= axis[1];
    axis[1] = 1;
    return 1;
}

/* All choices of one dataflow. @return false if a dimension has too many. */
static bool look_at_dataflow(listing *w, sc_dataflow f)
{
    state s = {.rows = w->a->compute.rows, .cols = w->a->compute.cols, .steps = 1, .pass = 1};
    const int stationary = f < SC_DATAFLOWS ? sc_array_stationary(w->e, f) : -1;
    w->looked_at = 0;
    w->dataflow = f;
    w->n_axes = grid_of(s.grid, w->a);
    if (f == SC_DATAFLOWS)
        s.rows = s.cols = 1;
    w->rest[w->n] = w->rest_pass[w->n] = 1;
    for (unsigned k = w->n; k-- > 0;) {
        const unsigned d = w->dim[k];
        const uint64_t longest = s.grid[0] > s.grid[1] ? s.grid[0] : s.grid[1];
        uint64_t lanes = 1;
        w->place[k] = f < SC_DATAFLOWS ? sc_array_place_of(w->e, f, d) : SC_PLACE_NONE;
        w->moves[k] = stationary >= 0 && sc_einsum_relevant(w->e, (unsigned)stationary, d);
        if (w->place[k] == SC_PLACE_ROWS)
            lanes = s.rows;
        if (w->place[k] == SC_PLACE_COLUMNS)
            lanes = s.cols;
        if (w->place[k] == SC_PLACE_DIAGONAL)
            lanes = s.rows < s.cols ? s.rows : s.cols;
        if (!list_ways(w, k, lanes, longest))
            return false;
        w->rest[k] = w->rest[k + 1] * (double)w->e->bound[d];
        w->rest_pass[k] = w->rest_pass[k + 1] * (w->moves[k] ? 1 : (double)w->e->bound[d]);
    }
    for (unsigned d = 0; d < w->e->n_dims; d++)
        s.extent[d] = 1;
    look(w, &s, 0);
    return true;
}

double sc_choice_bound(const sc_einsum *e, const sc_arch *a, const sc_memory_bound *memory,
                       int sequential)
{
    listing w = {.e = e, .a = a, .memory = memory, .best = HUGE_VAL};
    if (sequential >= 0)
        return 0; /* its steps pay ramps of their own */
    list_dims(&w, sequential);
    if (sc_array_level(a) < 0)
        return look_at_dataflow(&w, SC_DATAFLOWS) ? w.best : 0;
    for (int f = 0; f < SC_DATAFLOWS; f++)
        if (a->compute.dataflows >> f & 1 && sc_array_stationary(e, (sc_dataflow)f) >= 0 &&
            !look_at_dataflow(&w, (sc_dataflow)f))
            return 0;
    return w.best < HUGE_VAL ? w.best : 0;
}
