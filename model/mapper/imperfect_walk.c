#include <math.h>

#include "model/mapper/imperfect_space.h"

enum { MOST_SETS = 1 << 20 };

/* ---- orders and kept tensors ---- */

static void swap(sc_loops *loops, unsigned i, unsigned j)
{
    const uint8_t dim = loops->dim[i];
    const uint64_t factor = loops->factor[i];
    loops->dim[i] = loops->dim[j];
    loops->factor[i] = loops->factor[j];
    loops->dim[j] = dim;
    loops->factor[j] = factor;
}

static bool in_order(const sc_loops *loops, const sc_loop_limits *asked)
{
    uint8_t rank[SC_MAX_DIMS];
    sc_loop_ranks(rank, asked);
    for (unsigned i = 1; i < loops->n; i++)
        if (rank[loops->dim[i]] < rank[loops->dim[i - 1]])
            return false;
    return true;
}

static bool ended(const sc_ragged *r)
{
    return r->left == 0 || r->status != SC_OK;
}

/* Every order of the temporal loops of levels l.., of which the first `placed` of level l stand.
 * One MAC below the innermost level takes its operands once a step, whatever the order of its
 * steps: there one order that is asked for will do. */
static void orders(sc_ragged *r, unsigned l, unsigned placed)
{
    if (ended(r))
        return;
    if (l == r->x->n_levels) {
        sc_ragged_try(r, &r->m);
        return;
    }
    sc_loops *loops = &r->m.level[l].temporal;
    const bool one_will_do = l + 1 == r->x->n_levels && r->x->level[l].fan == 1;
    if (placed >= loops->n || one_will_do) {
        if (in_order(loops, &r->limits.level[l].temporal))
            orders(r, l + 1, 0);
        return;
    }
    for (unsigned i = placed; i < loops->n; i++) {
        swap(loops, placed, i);
        orders(r, l, placed + 1);
        swap(loops, placed, i);
    }
}

static void kept(sc_ragged *r, unsigned l)
{
    if (l == r->x->n_levels) {
        if (sc_mapping_fit(&r->m, r->x->e, r->x->a).code == SC_FITS)
            orders(r, 0, 0);
        return;
    }
    for (unsigned i = 0; i < r->x->level[l].n_sets && !ended(r); i++) {
        r->m.level[l].keep = r->x->level[l].set[i];
        kept(r, l + 1);
    }
}

/* ---- factors ---- */

static void try_factors(sc_ragged *r)
{
    double cycles = 1.0;
    r->best.nodes++;
    if (!sc_ragged_lay(r))
        return;
    for (unsigned d = 0; d < r->x->e->n_dims; d++)
        cycles *= (double)sc_mapping_dim(&r->m, d, r->x->e->bound[d]).steps;
    if (r->best.found &&
        sc_least_value(&r->least, &r->x->o->goal, cycles) > r->best.value * (1 + 1e-9))
        return;
    kept(r, 0);
}

/* Blocks innermost first: the children of the innermost level, its time, those of the next. */
static uint64_t *factor_of(sc_ragged *r, unsigned block, unsigned d)
{
    const unsigned level = r->x->n_levels - 1 - block / SC_BLOCKS;
    return &r->factor[level][block % SC_BLOCKS ? SC_IN_TIME : SC_IN_SPACE][d];
}

static bool allowed(const sc_ragged *r, unsigned block, unsigned d, uint64_t f)
{
    const unsigned level = r->x->n_levels - 1 - block / SC_BLOCKS;
    const bool space = block % SC_BLOCKS == 0;
    const sc_loop_limits *l = sc_limits_of(&r->limits, (int)level, space);
    return (!space || f <= r->x->level[level].fan) && (l->fixed[d] == 0 || l->fixed[d] == f) &&
           l->min[d] <= f && (l->max[d] == 0 || f <= l->max[d]);
}

/* All loops over dimension d from a block outwards, with a tile of `extent` inside; then the next
 * dimension. Until the tile spans the bound any factor may stand, and the one that does is just as
 * large as it needs be: all its iterations have work, and loops outside it have one. */
static void factors(sc_ragged *r, unsigned d, unsigned block, uint64_t extent)
{
    const unsigned n_blocks = SC_BLOCKS * r->x->n_levels;
    const uint64_t bound = d < r->x->e->n_dims ? r->x->e->bound[d] : 1;
    if (ended(r))
        return;
    if (d == r->x->e->n_dims) {
        try_factors(r);
        return;
    }
    if (block == n_blocks) {
        if (extent >= bound)
            factors(r, d + 1, 0, 1);
        return;
    }
    const uint64_t last = sc_last_factor(bound, extent);
    uint64_t *factor = factor_of(r, block, d);
    for (uint64_t f = 1; f <= last; f++) {
        if (block % SC_BLOCKS == 0 && f > r->x->level[r->x->n_levels - 1 - block / 2].fan)
            break;
        if (!allowed(r, block, d, f))
            continue;
        *factor = f;
        factors(r, d, block + 1, f == last && last > 1 ? bound : extent * f);
    }
    *factor = 1;
}

bool sc_ragged_walk(sc_ragged *r)
{
    for (unsigned l = 0; l < SC_MAX_LEVELS; l++)
        for (unsigned d = 0; d < SC_MAX_DIMS; d++)
            r->factor[l][SC_IN_TIME][d] = r->factor[l][SC_IN_SPACE][d] = 1;
    factors(r, 0, 0, 1);
    return !ended(r);
}

/* ---- how many ---- */

static double sets_of(sc_ragged *r, unsigned d, unsigned block, uint64_t extent, double *most)
{
    const uint64_t bound = r->x->e->bound[d];
    double sum = 0.0;
    if (block == SC_BLOCKS * r->x->n_levels || *most <= 0.0) {
        *most -= 1.0;
        return extent >= bound ? 1.0 : 0.0;
    }
    const uint64_t last = sc_last_factor(bound, extent);
    for (uint64_t f = 1; f <= last && *most > 0.0; f++) {
        if (block % SC_BLOCKS == 0 && f > r->x->level[r->x->n_levels - 1 - block / 2].fan)
            break;
        if (allowed(r, block, d, f))
            sum += sets_of(r, d, block + 1, f == last && last > 1 ? bound : extent * f, most);
    }
    return sum;
}

double sc_ragged_sets(const sc_ragged *r)
{
    sc_ragged copy = *r;
    double product = 1.0, most = MOST_SETS;
    for (unsigned d = 0; d < r->x->e->n_dims; d++)
        product *= sets_of(&copy, d, 0, 1, &most);
    return most > 0.0 ? product : HUGE_VAL;
}
