#include "model/count/nest.h"

#include <string.h>

static bool is_dense(const sc_plan_tensor *t)
{
    uint16_t seen = 0;
    for (unsigned r = 0; r < t->n_ranks; r++) {
        const uint16_t bit = (uint16_t)(1u << t->rank[r].dim[0]);
        if (t->rank[r].coef[0] != 1 || (seen & bit))
            return false;
        seen |= bit;
    }
    return true;
}

void sc_count_plan_init(sc_count_plan *p, const sc_einsum *e)
{
    p->n_dims = e->n_dims;
    p->n_tensors = e->n_tensors;
    p->output = e->output;
    memcpy(p->bound, e->bound, sizeof p->bound);
    for (unsigned i = 0; i < e->n_tensors; i++) {
        sc_plan_tensor *t = &p->tensor[i];
        t->relevant = 0;
        t->plain = true;
        t->n_ranks = e->tensor[i].n_ranks;
        memcpy(t->rank, e->tensor[i].rank, sizeof t->rank);
        for (unsigned r = 0; r < t->n_ranks; r++) {
            t->plain &= t->rank[r].n_terms == 1;
            for (unsigned k = 0; k < t->rank[r].n_terms; k++)
                t->relevant |= (uint16_t)(1u << t->rank[r].dim[k]);
        }
        t->dense = t->plain && is_dense(t);
    }
}

void sc_nest_move(uint64_t *v, const sc_plan_tensor *t, unsigned d, uint64_t step)
{
    for (unsigned r = 0; r < t->n_ranks; r++) {
        v[r] = 0;
        for (unsigned k = 0; k < t->rank[r].n_terms; k++)
            if (t->rank[r].dim[k] == d)
                v[r] += (uint64_t)t->rank[r].coef[k] * step;
    }
}

uint64_t sc_nest_box(uint64_t *size, const sc_rank *rank, unsigned n_ranks, const uint64_t *extent,
                     bool *overflow)
{
    uint64_t volume = 1;
    for (unsigned r = 0; r < n_ranks; r++) {
        uint64_t side = 1;
        for (unsigned k = 0; k < rank[r].n_terms; k++) {
            uint64_t reach = extent[rank[r].dim[k]] - 1;
            sc_nest_mul(&reach, (uint64_t)rank[r].coef[k], overflow);
            *overflow |= __builtin_add_overflow(side, reach, &side);
        }
        if (size)
            size[r] = side;
        sc_nest_mul(&volume, side, overflow);
    }
    return volume;
}

/* The words of the tile that the extents span; `volume` already is that of a dense tensor. */
static uint64_t tile_of(uint64_t *size, const sc_plan_tensor *t, uint64_t volume,
                        const uint64_t *extent, bool *overflow)
{
    return t->dense ? volume : sc_nest_box(size, t->rank, t->n_ranks, extent, overflow);
}

/* One loop more around what the extents and volumes describe. */
static void grow(uint64_t *volume, uint64_t *extent, const sc_count_plan *p, unsigned d,
                 uint64_t factor, bool *overflow)
{
    for (unsigned i = 0; i < p->n_tensors; i++)
        if (p->tensor[i].relevant >> d & 1)
            sc_nest_mul(&volume[i], factor, overflow);
    sc_nest_mul(&extent[d], factor, overflow);
}

static void add_spatial(sc_nest *n, const sc_count_plan *p, const sc_block *b, unsigned l,
                        uint64_t *volume, uint64_t *extent)
{
    unsigned count = 0;
    n->fan[l] = 1;
    for (unsigned i = 0; i < p->n_tensors; i++)
        n->groups[l][i] = 1;
    for (unsigned i = 0; i < b->spatial.n; i++) {
        const unsigned d = b->spatial.dim[i];
        const uint64_t factor = b->spatial.factor[i];
        if (factor == 1)
            continue;
        n->spatial[l][count] = (sc_nest_loop){factor, extent[d], (uint8_t)d};
        n->spatial_index[l][count++] = (uint8_t)i;
        sc_nest_mul(&n->fan[l], factor, &n->overflow);
        grow(n->groups[l], extent, p, d, factor, &n->overflow);
    }
    n->n_spatial[l] = count;
    if (count > 0)
        for (unsigned i = 0; i < p->n_tensors; i++)
            sc_nest_mul(&volume[i], n->groups[l][i], &n->overflow);
    n->spread[l] = tile_of(NULL, &p->tensor[p->output], volume[p->output], extent, &n->overflow);
}

static void add_temporal(sc_nest *n, const sc_count_plan *p, const sc_block *b, unsigned l,
                         uint64_t *volume, uint64_t *extent)
{
    n->first[l] = n->n_loops;
    for (unsigned i = 0; i < b->temporal.n; i++) {
        const unsigned d = b->temporal.dim[i];
        const uint64_t factor = b->temporal.factor[i];
        if (factor == 1)
            continue;
        n->loop[n->n_loops++] = (sc_nest_loop){factor, extent[d], (uint8_t)d};
        grow(volume, extent, p, d, factor, &n->overflow);
    }
    for (unsigned i = 0; i < p->n_tensors; i++)
        n->tile[l][i] = tile_of(n->size[l][i], &p->tensor[i], volume[i], extent, &n->overflow);
}

void sc_nest_build(sc_nest *n, const sc_count_plan *p, const sc_mapping *m)
{
    uint64_t volume[SC_MAX_TENSORS], extent[SC_MAX_DIMS];
    n->n_levels = m->n_levels;
    n->n_loops = 0;
    n->overflow = false;
    for (unsigned d = 0; d < p->n_dims; d++)
        extent[d] = 1;
    for (unsigned i = 0; i < p->n_tensors; i++)
        volume[i] = n->tile[n->n_levels][i] = 1;
    for (unsigned l = n->n_levels; l-- > 0;) {
        add_spatial(n, p, &m->level[l], l, volume, extent);
        add_temporal(n, p, &m->level[l], l, volume, extent);
    }
    n->ragged = false;
    for (unsigned d = 0; d < p->n_dims; d++)
        n->ragged |= extent[d] != p->bound[d];
    n->outer[n->n_loops] = 1;
    for (unsigned i = n->n_loops; i-- > 0;) {
        n->outer[i] = n->outer[i + 1];
        sc_nest_mul(&n->outer[i], n->loop[i].factor, &n->overflow);
    }
    n->used[0] = 1;
    for (unsigned l = 0; l < n->n_levels; l++) {
        n->used[l + 1] = n->used[l];
        sc_nest_mul(&n->used[l + 1], n->fan[l], &n->overflow);
    }
}
