#include "model/count/mapping.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "model/count/nest.h"

const char *sc_misfit_name(sc_misfit_code c)
{
    switch (c) {
    case SC_FITS: return "fits";
    case SC_MISFIT_CAPACITY: return "capacity";
    case SC_MISFIT_MESH_X: return "mesh_x";
    case SC_MISFIT_MESH_Y: return "mesh_y";
    case SC_MISFIT_KEEP: return "keep";
    }
    return "unknown";
}

/* One block of loops; multiplies `product` by its factors. */
static sc_status check_loops(uint64_t *product, const sc_loops *loops, const char *kind,
                             const sc_einsum *e, const char *level)
{
    unsigned seen = 0;
    if (loops->n > SC_MAX_DIMS)
        return sc_fail(SC_EINVAL, "level %s: %u %s loops, at most %d", level, loops->n, kind,
                       SC_MAX_DIMS);
    for (unsigned i = 0; i < loops->n; i++) {
        const unsigned d = loops->dim[i];
        if (d >= e->n_dims)
            return sc_fail(SC_EINVAL, "level %s: %s loop over dimension %u of %u", level, kind, d,
                           e->n_dims);
        if (seen >> d & 1)
            return sc_fail(SC_EINVAL, "level %s: dimension %s stands twice in the %s loops", level,
                           e->dim_name[d], kind);
        seen |= 1u << d;
        if (loops->factor[i] < 1)
            return sc_fail(SC_EINVAL, "level %s: %s factor 0 of dimension %s", level, kind,
                           e->dim_name[d]);
        if (__builtin_mul_overflow(product[d], loops->factor[i], &product[d]))
            return sc_fail(SC_EINVAL, "dimension %s: its factors multiply to more than 2^64 - 1",
                           e->dim_name[d]);
    }
    return SC_OK;
}

static sc_status check_kept(const sc_mapping *m, const sc_einsum *e, const sc_arch *a)
{
    unsigned kept = 0;
    for (unsigned l = 0; l < m->n_levels; l++) {
        if (m->level[l].keep >> e->n_tensors)
            return sc_fail(SC_EINVAL, "level %s: keeps a tensor that the op does not have",
                           a->level[l].name);
        kept |= m->level[l].keep;
    }
    for (unsigned i = 0; i < e->n_tensors; i++)
        if (!(kept >> i & 1))
            return sc_fail(SC_EINVAL, "no level keeps tensor %s", e->tensor[i].name);
    return SC_OK;
}

sc_status sc_mapping_check(const sc_mapping *m, const sc_einsum *e, const sc_arch *a)
{
    uint64_t product[SC_MAX_DIMS];
    sc_status st;
    if (m->n_levels != a->n_levels || m->n_levels < 1 || m->n_levels > SC_MAX_LEVELS)
        return sc_fail(SC_EINVAL, "the mapping has %u levels, the design %u", m->n_levels,
                       (unsigned)a->n_levels);
    for (unsigned d = 0; d < e->n_dims; d++)
        product[d] = 1;
    for (unsigned l = 0; l < m->n_levels; l++) {
        const sc_block *b = &m->level[l];
        const char *name = a->level[l].name;
        if ((st = check_loops(product, &b->temporal, "temporal", e, name)) != SC_OK ||
            (st = check_loops(product, &b->spatial, "spatial", e, name)) != SC_OK)
            return st;
    }
    for (unsigned d = 0; d < e->n_dims; d++)
        if (product[d] != e->bound[d])
            return sc_fail(SC_EINVAL,
                           "dimension %s: the factors of all levels multiply to %llu, its bound "
                           "is %llu",
                           e->dim_name[d], (unsigned long long)product[d],
                           (unsigned long long)e->bound[d]);
    return check_kept(m, e, a);
}

/* Extents of the tiles at a level: all loops from here inwards, this level's spatial ones last. */
static bool take_in(uint64_t *extent, const sc_loops *loops)
{
    bool overflow = false;
    for (unsigned i = 0; i < loops->n; i++)
        sc_nest_mul(&extent[loops->dim[i]], loops->factor[i], &overflow);
    return !overflow;
}

/* Size of a tensor's tile; UINT64_MAX if more than that. */
static uint64_t tile_size(const sc_level *l, const sc_tensor *t, const uint64_t *extent)
{
    bool overflow = false;
    const uint64_t words = sc_nest_box(NULL, t->rank, t->n_ranks, extent, &overflow);
    return overflow ? UINT64_MAX : sc_level_size(l, t, words);
}

uint64_t sc_level_size(const sc_level *l, const sc_tensor *t, uint64_t words)
{
    if (l->word_bits > 0)
        return words;
    const sc_u128 bits = (sc_u128)words * sc_level_bits(l, t);
    const sc_u128 bytes = (bits + 7) / 8;
    return bytes > UINT64_MAX ? UINT64_MAX : (uint64_t)bytes;
}

uint32_t sc_level_bits(const sc_level *l, const sc_tensor *t)
{
    if (l->word_bits > 0)
        return l->word_bits;
    return t->role == SC_ROLE_OUTPUT && l->output_bits > 0 ? l->output_bits : t->bits;
}

uint64_t sc_level_room(const sc_level *l, unsigned role)
{
    const uint64_t built = l->capacity[l->partitioned ? role : 0];
    return l->buffers > 1 ? (uint64_t)floor((double)built / l->buffers) : built;
}

static sc_misfit misfit(sc_misfit_code code, unsigned level, int tensor, uint64_t need,
                        uint64_t have)
{
    return (sc_misfit){code, (int)level, tensor, need, have};
}

static sc_misfit fit_kept(const sc_block *b, const sc_einsum *e, const sc_level *l, unsigned level)
{
    for (unsigned i = 0; i < e->n_tensors; i++) {
        const unsigned role = e->tensor[i].role;
        const bool keeps = b->keep >> i & 1;
        if (keeps && !(l->may_keep >> role & 1))
            return misfit(SC_MISFIT_KEEP, level, (int)i, 1, 0);
        if (!keeps && l->must_keep >> role & 1)
            return misfit(SC_MISFIT_KEEP, level, (int)i, 0, 1);
    }
    return misfit(SC_FITS, level, -1, 0, 0);
}

static sc_misfit fit_capacity(const uint64_t *size, const sc_block *b, const sc_einsum *e,
                              const sc_level *l, unsigned level)
{
    uint64_t need[SC_ROLES] = {0};
    int last[SC_ROLES] = {-1, -1, -1};
    if (!l->bounded)
        return misfit(SC_FITS, level, -1, 0, 0);
    for (unsigned i = 0; i < e->n_tensors; i++) {
        const unsigned buffer = l->partitioned ? e->tensor[i].role : 0;
        if (!(b->keep >> i & 1))
            continue;
        if (__builtin_add_overflow(need[buffer], size[i], &need[buffer]))
            need[buffer] = UINT64_MAX;
        last[buffer] = l->partitioned ? (int)i : -1;
    }
    for (unsigned buffer = 0; buffer < (l->partitioned ? SC_ROLES : 1u); buffer++)
        if (need[buffer] > sc_level_room(l, buffer))
            return misfit(SC_MISFIT_CAPACITY, level, last[buffer], need[buffer],
                          sc_level_room(l, buffer));
    return misfit(SC_FITS, level, -1, 0, 0);
}

static sc_misfit fit_mesh(const sc_block *b, const sc_level *l, unsigned level)
{
    uint64_t across[2] = {1, 1};
    bool overflow[2] = {false, false};
    for (unsigned i = 0; i < b->spatial.n; i++)
        for (unsigned side = 0; side < 2; side++)
            if (b->diagonal >> i & 1 || side == (i >= b->split))
                sc_nest_mul(&across[side], b->spatial.factor[i], &overflow[side]);
    if (overflow[0] || across[0] > l->fanout_x)
        return misfit(SC_MISFIT_MESH_X, level, -1, overflow[0] ? UINT64_MAX : across[0],
                      l->fanout_x);
    if (overflow[1] || across[1] > l->fanout_y)
        return misfit(SC_MISFIT_MESH_Y, level, -1, overflow[1] ? UINT64_MAX : across[1],
                      l->fanout_y);
    return misfit(SC_FITS, level, -1, 0, 0);
}

sc_misfit sc_mapping_fit(const sc_mapping *m, const sc_einsum *e, const sc_arch *a)
{
    uint64_t extent[SC_MAX_DIMS], size[SC_MAX_TENSORS];
    sc_misfit found = misfit(SC_FITS, 0, -1, 0, 0);
    for (unsigned d = 0; d < e->n_dims; d++)
        extent[d] = 1;
    for (unsigned l = m->n_levels; l-- > 0;) {
        const sc_block *b = &m->level[l];
        const sc_level *level = &a->level[l];
        const bool counted = take_in(extent, &b->spatial) && take_in(extent, &b->temporal);
        for (unsigned i = 0; i < e->n_tensors; i++)
            size[i] = counted ? tile_size(level, &e->tensor[i], extent) : UINT64_MAX;
        sc_misfit here = fit_kept(b, e, level, l);
        if (here.code == SC_FITS)
            here = fit_capacity(size, b, e, level, l);
        if (here.code == SC_FITS)
            here = fit_mesh(b, level, l);
        if (here.code != SC_FITS)
            found = here;
    }
    return found;
}
