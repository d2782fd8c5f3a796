#include "model/mapper/plain.h"

#include <string.h>

#include "model/mapper/factor.h"
#include "model/mapper/footprint.h"
#include "model/mapper/tile.h"

enum { LEAST_SHARE = 4 }; /* of what fits that a divisor must be, lest it is padded */

/* A mapping being made: what the tile so far spans, and what no level has yet. */
typedef struct build {
    const sc_einsum *e;
    const sc_arch *a;
    sc_mapping *m;
    bool divisors;
    sc_dataflow dataflow;
    int stationary, weight;       /* tensors; -1: none */
    uint64_t left[SC_MAX_DIMS];   /* steps */
    uint64_t extent[SC_MAX_DIMS]; /* of the tile, what lies side by side in it included */
} build;

static bool moves(const build *b, int tensor, unsigned d)
{
    return tensor >= 0 && sc_einsum_relevant(b->e, (unsigned)tensor, d);
}

static int tensor_of(const sc_einsum *e, sc_role role)
{
    for (int t = 0; t < e->n_tensors; t++)
        if (e->tensor[t].role == role)
            return t;
    return -1;
}

/* Weights if they can stay, else results, else inputs. @return false if none can. */
static bool choose_dataflow(build *b)
{
    static const sc_dataflow wanted[] = {SC_WS, SC_OS, SC_IS};
    b->dataflow = SC_DATAFLOWS;
    b->stationary = -1;
    if (sc_array_level(b->a) < 0)
        return true;
    for (int i = 0; i < SC_DATAFLOWS && b->stationary < 0; i++)
        if (b->a->compute.dataflows >> wanted[i] & 1) {
            b->dataflow = wanted[i];
            b->stationary = sc_array_stationary(b->e, wanted[i]);
        }
    return b->stationary >= 0;
}

/* ---- side by side ---- */

static uint64_t take(build *b, sc_loops *loops, unsigned d, uint64_t room)
{
    for (int i = 0; i < loops->n; i++)
        if (loops->dim[i] == d)
            return 1; /* a block names a dimension once */
    const uint64_t factor = room > 0 ? sc_factor_even(b->left[d], room, b->divisors) : 1;
    if (factor > 1) {
        loops->dim[loops->n] = (uint8_t)d;
        loops->factor[loops->n++] = factor;
        b->left[d] = (b->left[d] + factor - 1) / factor;
    }
    return factor;
}

/* The op's dimensions of a place in their order. @return lanes used. */
static uint64_t take_place(build *b, sc_loops *loops, sc_array_place place, uint64_t room)
{
    uint64_t used = 1;
    for (unsigned d = 0; d < b->e->n_dims; d++)
        if (sc_array_place_of(b->e, b->dataflow, d) == place)
            used *= take(b, loops, d, room / used);
    return used;
}

static bool has_columns(const build *b)
{
    for (unsigned d = 0; d < b->e->n_dims; d++)
        if (b->e->bound[d] > 1 && sc_array_place_of(b->e, b->dataflow, d) == SC_PLACE_COLUMNS)
            return true;
    return false;
}

/* Groups lie on the diagonal: first if nothing but rows is beside them (depthwise), else in what
 * columns and rows leave. */
static void lay_array(build *b, sc_block *block, uint64_t cols, uint64_t rows)
{
    sc_loops upright = {0}, *loops = &block->spatial;
    const bool groups_first = !has_columns(b);
    uint64_t groups = 1;
    *loops = upright;
    block->diagonal = 0;
    if (groups_first)
        groups = take_place(b, loops, SC_PLACE_DIAGONAL, cols < rows ? cols : rows);
    cols /= groups * take_place(b, loops, SC_PLACE_COLUMNS, cols / groups);
    rows /= groups * take_place(b, &upright, SC_PLACE_ROWS, rows / groups);
    if (!groups_first)
        (void)take_place(b, loops, SC_PLACE_DIAGONAL, cols < rows ? cols : rows);
    block->split = loops->n;
    for (int i = 0; i < loops->n; i++)
        if (sc_array_place_of(b->e, b->dataflow, loops->dim[i]) == SC_PLACE_DIAGONAL)
            block->diagonal |= (uint8_t)(1u << i);
    for (int i = 0; i < upright.n; i++) {
        loops->dim[loops->n] = upright.dim[i];
        loops->factor[loops->n++] = upright.factor[i];
    }
}

/* Place among those that the grid takes: 0 first; 3 never. Groups of a product with columns are
 * products of their own; those of a depthwise conv lie on the array. */
static int grid_rank(const build *b, unsigned d)
{
    const bool in = moves(b, tensor_of(b->e, SC_ROLE_INPUT), d), w = moves(b, b->weight, d);
    if (!moves(b, b->e->output, d))
        return 3;
    if (in && w)
        return has_columns(b) ? 0 : 2;
    return w ? 2 : 1;
}

static void lay_axis(build *b, int level, bool y)
{
    const sc_level *l = &b->a->level[level];
    sc_loops *loops = &b->m->level[level].spatial;
    uint64_t room = y ? l->fanout_y : l->fanout_x;
    const int wanted = sc_level_lead(l, b->e, y ? SC_LEAD_Y : SC_LEAD_X);
    if (wanted >= 0)
        room /= take(b, loops, (unsigned)wanted, room);
    for (int rank = 0; rank < 3; rank++)
        for (unsigned d = 0; d < b->e->n_dims; d++)
            if (grid_rank(b, d) == rank)
                room /= take(b, loops, d, room);
    if (!y)
        b->m->level[level].split = loops->n;
}

static void widen(build *b, int level)
{
    const sc_loops *loops = &b->m->level[level].spatial;
    for (int i = 0; i < loops->n; i++)
        b->extent[loops->dim[i]] *= loops->factor[i];
}

static void start(build *b)
{
    memcpy(b->left, b->e->bound, sizeof b->left);
    for (int d = 0; d < SC_MAX_DIMS; d++)
        b->extent[d] = 1;
}

/* What lies on the array at once must fit the innermost buffer: else the longer side of the array
 * is halved. */
static sc_misfit lay_on_array(build *b)
{
    const int level = sc_array_level(b->a), buffer = sc_inner_buffer(b->a);
    const uint8_t keep = sc_keepable(&b->a->level[buffer], b->e);
    uint64_t cols = 1, rows = 1;
    if (level >= 0) {
        cols = b->a->level[level].fanout_x;
        rows = b->a->level[level].fanout_y;
    }
    for (;;) {
        start(b);
        if (level >= 0) {
            lay_array(b, &b->m->level[level], cols, rows);
            widen(b, level);
        }
        const sc_misfit misfit = sc_footprint_fit(b->a, buffer, b->e, keep, b->extent);
        if (misfit.code == SC_FITS || cols * rows == 1)
            return misfit;
        *(cols > rows ? &cols : &rows) /= 2;
    }
}

/* ---- in time ---- */

/* Weights take at most half of a buffer that all tensors share. */
static bool fits(const build *b, int level, uint8_t keep, bool weights)
{
    const sc_level *l = &b->a->level[level];
    if (sc_footprint_fit(b->a, level, b->e, keep, b->extent).code != SC_FITS)
        return false;
    if (!weights || b->weight < 0 || l->partitioned || !l->bounded)
        return true;
    const sc_tensor *w = &b->e->tensor[b->weight];
    return 2.0 * sc_footprint_units(l, w, sc_footprint_words(w, b->extent)) <=
           (double)sc_level_room(l, SC_ROLE_WEIGHT);
}

/* As much of a dimension as fits; a divisor of it, unless none is above a quarter of that. */
static void grow(build *b, int level, unsigned d, bool weights)
{
    sc_block *block = &b->m->level[level];
    const uint64_t extent = b->extent[d];
    uint64_t low = 1, high = b->left[d];
    while (low < high) {
        const uint64_t middle = low + (high - low + 1) / 2;
        b->extent[d] = extent * middle;
        if (fits(b, level, block->keep, weights))
            low = middle;
        else
            high = middle - 1;
    }
    const uint64_t whole = sc_factor_even(b->left[d], low, true);
    b->extent[d] = extent * take(b, &block->temporal, d, LEAST_SHARE * whole >= low ? whole : low);
}

/* Reductions, then results' other dimensions that the inputs do not have: a block of weights; then
 * what passes by it, rows of an image before images; then groups. */
static void grow_tile(build *b, int level)
{
    const int in = tensor_of(b->e, SC_ROLE_INPUT);
    for (unsigned d = 0; d < b->e->n_dims; d++)
        if (moves(b, b->weight, d) && !moves(b, b->e->output, d))
            grow(b, level, d, true);
    for (unsigned d = 0; d < b->e->n_dims; d++)
        if (moves(b, b->weight, d) && moves(b, b->e->output, d) && !moves(b, in, d))
            grow(b, level, d, true);
    for (unsigned d = b->e->n_dims; d-- > 0;)
        if (!moves(b, b->weight, d))
            grow(b, level, d, false);
    for (unsigned d = 0; d < b->e->n_dims; d++)
        if (moves(b, b->weight, d) && moves(b, b->e->output, d) && moves(b, in, d))
            grow(b, level, d, false);
}

/* Innermost first: around the array what leaves its tensor in place; further out reductions first,
 * so that sums are finished before they leave. */
static int order_rank(const build *b, int level, unsigned d)
{
    const int stays = b->stationary >= 0 ? b->stationary : b->weight;
    if (level < sc_inner_buffer(b->a) && !moves(b, b->e->output, d))
        return 0;
    return moves(b, stays, d) ? 2 : 1;
}

static void order(const build *b, int level)
{
    sc_loops *loops = &b->m->level[level].temporal;
    const sc_loops was = *loops;
    loops->n = 0;
    for (int rank = 0; rank < 3; rank++)
        for (int i = 0; i < was.n; i++)
            if (order_rank(b, level, was.dim[i]) == rank) {
                loops->dim[loops->n] = was.dim[i];
                loops->factor[loops->n++] = was.factor[i];
            }
}

/* All that a level may keep, or what it must if all does not fit. */
static sc_misfit choose_keep(build *b, int level)
{
    const sc_level *l = &b->a->level[level];
    uint8_t *keep = &b->m->level[level].keep;
    *keep = sc_keepable(l, b->e);
    if (sc_array_level(b->a) >= 0 && level == (int)b->a->n_levels - 1)
        *keep = (uint8_t)(1u << b->stationary);
    sc_misfit misfit = sc_footprint_fit(b->a, level, b->e, *keep, b->extent);
    if (misfit.code == SC_FITS || level >= sc_inner_buffer(b->a))
        return misfit;
    for (int t = 0; t < b->e->n_tensors; t++)
        if (!(l->must_keep & 1u << b->e->tensor[t].role))
            *keep &= (uint8_t) ~(1u << t);
    return sc_footprint_fit(b->a, level, b->e, *keep, b->extent);
}

static sc_misfit lay_in_time(build *b)
{
    for (int d = 0; d < SC_MAX_DIMS; d++)
        b->extent[d] = 1;
    for (int level = (int)b->a->n_levels - 1; level >= 0; level--) {
        sc_block *block = &b->m->level[level];
        widen(b, level);
        const sc_misfit misfit = choose_keep(b, level);
        if (misfit.code != SC_FITS)
            return misfit;
        if (level == 0)
            for (unsigned d = 0; d < b->e->n_dims; d++)
                (void)take(b, &block->temporal, d, b->left[d]);
        else if (level <= sc_inner_buffer(b->a) && block->keep != 0)
            grow_tile(b, level);
        order(b, level);
    }
    return (sc_misfit){SC_FITS, 0, -1, 0, 0};
}

sc_misfit sc_plain_mapping(sc_mapping *m, const sc_einsum *e, const sc_arch *a, bool divisors)
{
    build b = {
        .e = e, .a = a, .m = m, .divisors = divisors, .weight = tensor_of(e, SC_ROLE_WEIGHT)};
    memset(m, 0, sizeof *m);
    if (!choose_dataflow(&b))
        return (sc_misfit){SC_FITS, 0, -1, 0, 0};
    m->n_levels = (uint8_t)a->n_levels;
    const sc_misfit misfit = lay_on_array(&b);
    if (misfit.code != SC_FITS)
        return misfit;
    for (int level = 0; level < (int)a->n_levels; level++)
        for (int y = 0; y < 2 && level != sc_array_level(a); y++)
            lay_axis(&b, level, y);
    return lay_in_time(&b);
}
