#include <math.h>

#include "model/mapper/imperfect_space.h"

enum { SMALL = 16, CANDIDATES = 2 * SMALL + 4 };

/* A mapping and what it is worth. */
typedef struct stand {
    sc_mapping m;
    double value, tie;
} stand;

static bool better(const stand *now, double value, double tie)
{
    return value < now->value || (value == now->value && tie < now->tie);
}

/* Put the loops into the orders asked for, try the mapping, and stand there if it is better. */
static bool step_to(sc_ragged *r, stand *now, sc_mapping *m)
{
    if (r->left == 0 || r->status != SC_OK)
        return false;
    for (unsigned l = 0; l < m->n_levels; l++)
        sc_limits_sort(&m->level[l].temporal, &r->limits.level[l].temporal, -1);
    sc_ragged_try(r, m);
    if (!better(now, r->value, r->value_tie))
        return false;
    *now = (stand){*m, r->value, r->value_tie};
    return true;
}

/* ---- factors ---- */

static int loop_of(const sc_loops *loops, unsigned d)
{
    for (int i = 0; i < loops->n; i++)
        if (loops->dim[i] == d)
            return i;
    return -1;
}

static uint64_t factor_in(const sc_loops *loops, unsigned d)
{
    const int i = loop_of(loops, d);
    return i < 0 ? 1 : loops->factor[i];
}

/* Set a factor; a new loop goes to the inner or the outer end. */
static void set_factor(sc_loops *loops, unsigned d, uint64_t f, bool inside)
{
    int i = loop_of(loops, d);
    if (f == 1 && i >= 0) {
        loops->n--;
        for (; i < loops->n; i++) {
            loops->dim[i] = loops->dim[i + 1];
            loops->factor[i] = loops->factor[i + 1];
        }
    } else if (f > 1 && i < 0) {
        for (i = loops->n; inside && i > 0; i--) {
            loops->dim[i] = loops->dim[i - 1];
            loops->factor[i] = loops->factor[i - 1];
        }
        loops->dim[i] = (uint8_t)d;
        loops->factor[i] = f;
        loops->n++;
    } else if (i >= 0) {
        loops->factor[i] = f;
    }
}

static sc_loops *block_of(sc_mapping *m, unsigned block)
{
    sc_block *b = &m->level[m->n_levels - 1u - block / SC_BLOCKS];
    return block % SC_BLOCKS ? &b->temporal : &b->spatial;
}

/* Let the loops over a dimension cover the bound and no more, from the innermost outwards: what is
 * missing the outermost level takes in time. */
static void cover(sc_mapping *m, unsigned d, uint64_t bound)
{
    const unsigned n = SC_BLOCKS * m->n_levels;
    uint64_t extent = 1;
    for (unsigned block = 0; block < n; block++) {
        sc_loops *loops = block_of(m, block);
        const uint64_t last = sc_last_factor(bound, extent);
        uint64_t f = factor_in(loops, d);
        if (f > last || block + 1 == n)
            f = last;
        set_factor(loops, d, f, false);
        extent = f == last ? bound : extent * f;
    }
}

/* Lay the children of every level anew. */
static bool lay_all(const sc_ragged *r, sc_mapping *m)
{
    for (unsigned l = 0; l < m->n_levels; l++) {
        uint64_t factor[SC_MAX_DIMS];
        for (unsigned d = 0; d < r->x->e->n_dims; d++)
            factor[d] = factor_in(&m->level[l].spatial, d);
        if (!sc_limits_lay(&m->level[l], &r->x->a->level[l], &r->limits.level[l], r->x->e, factor,
                           NULL))
            return false;
    }
    return true;
}

/* Factors worth a try: small ones, those after which so few steps are left, whole axes. */
static unsigned candidates(uint64_t out[CANDIDATES], const sc_level *l, uint64_t bound)
{
    unsigned n = 0;
    for (uint64_t k = 1; k <= SMALL; k++) {
        out[n++] = k;
        out[n++] = bound / k + (bound % k != 0);
    }
    out[n++] = l->fanout_x;
    out[n++] = l->fanout_y;
    return n;
}

/* Give dimension d a factor in a block, and dimension `off`, if it is another, none there. */
static bool try_factor(sc_ragged *r, stand *now, unsigned block, unsigned d, unsigned off,
                       uint64_t f)
{
    const sc_einsum *e = r->x->e;
    bool any = false;
    if (f > e->bound[d])
        return false;
    for (int inside = 0; inside < 2 && !any; inside++) {
        sc_mapping m = now->m;
        if (inside && (block % SC_BLOCKS == 0 || loop_of(block_of(&m, block), d) >= 0))
            break; /* an end of its own is for new loops in time */
        if (off != d) {
            set_factor(block_of(&m, block), off, 1, false);
            cover(&m, off, e->bound[off]);
        }
        set_factor(block_of(&m, block), d, f, inside);
        cover(&m, d, e->bound[d]);
        any = lay_all(r, &m) && step_to(r, now, &m);
    }
    return any;
}

static bool try_factors(sc_ragged *r, stand *now)
{
    const sc_einsum *e = r->x->e;
    uint64_t f[CANDIDATES];
    bool any = false;
    for (unsigned block = 0; block < SC_BLOCKS * r->x->n_levels; block++)
        for (unsigned d = 0; d < e->n_dims; d++) {
            const sc_level *l = &r->x->a->level[r->x->n_levels - 1 - block / SC_BLOCKS];
            const bool space = block % SC_BLOCKS == 0;
            if (e->bound[d] == 1 || (space && l->fanout_x * l->fanout_y == 1))
                continue;
            const unsigned n = candidates(f, l, e->bound[d]);
            for (unsigned off = 0; off < e->n_dims; off++) {
                if (off != d && (!space || loop_of(block_of(&now->m, block), off) < 0))
                    continue;
                for (unsigned i = 0; i < n; i++)
                    if (factor_in(block_of(&now->m, block), d) != f[i])
                        any |= try_factor(r, now, block, d, off, f[i]);
            }
        }
    return any;
}

/* ---- orders and kept tensors ---- */

static bool try_orders(sc_ragged *r, stand *now)
{
    bool any = false;
    for (unsigned l = 0; l < r->x->n_levels; l++)
        for (unsigned from = 0; from < now->m.level[l].temporal.n; from++)
            for (unsigned to = 0; to < now->m.level[l].temporal.n; to++) {
                sc_mapping m = now->m;
                sc_loops *loops = &m.level[l].temporal;
                for (unsigned i = from; i != to;) {
                    const unsigned next = to > i ? i + 1 : i - 1;
                    const uint8_t dim = loops->dim[i];
                    const uint64_t factor = loops->factor[i];
                    loops->dim[i] = loops->dim[next];
                    loops->factor[i] = loops->factor[next];
                    loops->dim[next] = dim;
                    loops->factor[next] = factor;
                    i = next;
                }
                if (from != to)
                    any |= step_to(r, now, &m);
            }
    return any;
}

static bool try_kept(sc_ragged *r, stand *now)
{
    bool any = false;
    for (unsigned l = 1; l < r->x->n_levels; l++)
        for (unsigned i = 0; i < r->x->level[l].n_sets; i++) {
            sc_mapping m = now->m;
            m.level[l].keep = r->x->level[l].set[i];
            if (m.level[l].keep != now->m.level[l].keep)
                any |= step_to(r, now, &m);
        }
    return any;
}

void sc_ragged_improve(sc_ragged *r, const sc_mapping *start)
{
    stand now = {.m = *start, .value = HUGE_VAL, .tie = HUGE_VAL};
    sc_mapping m = *start;
    for (unsigned d = 0; d < r->x->e->n_dims; d++)
        cover(&m, d, r->x->e->bound[d]);
    if (!lay_all(r, &m) || !step_to(r, &now, &m))
        return;
    for (bool improved = true; improved;) {
        improved = try_kept(r, &now);
        improved |= try_orders(r, &now);
        improved |= try_factors(r, &now);
    }
}
