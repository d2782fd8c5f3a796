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
    case SC_MISFIT_FANOUT: return "fanout";
    case SC_MISFIT_MESH_X: return "mesh_x";
    case SC_MISFIT_MESH_Y: return "mesh_y";
    case SC_MISFIT_KEEP: return "keep";
    case SC_MISFIT_CONSTRAINTS: return "constraints";
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

/* *acc *= factor, UINT64_MAX standing for all that is more. */
static void saturate(uint64_t *acc, uint64_t factor)
{
    if (__builtin_mul_overflow(*acc, factor, acc))
        *acc = UINT64_MAX;
}

static uint64_t factor_of(const sc_loops *loops, unsigned dim)
{
    for (unsigned i = 0; i < loops->n; i++)
        if (loops->dim[i] == dim)
            return loops->factor[i];
    return 1;
}

sc_mapped_dim sc_mapping_dim(const sc_mapping *m, unsigned dim, uint64_t bound)
{
    sc_mapped_dim out = {1, 1, 1, 1};
    uint64_t rest = bound - 1, all_steps = 1;
    for (unsigned l = m->n_levels; l-- > 0;) {
        const uint64_t space = factor_of(&m->level[l].spatial, dim);
        const uint64_t time = factor_of(&m->level[l].temporal, dim);
        for (unsigned k = 0; k < 2; k++) {
            const uint64_t factor = k ? time : space;
            if (factor > 1) {
                out.outer = factor;
                out.needed = rest < factor ? rest + 1 : factor + 1;
            }
            if (k)
                out.steps += rest % factor * all_steps;
            else if (rest % factor > 0)
                out.steps = all_steps; /* a child below the last has all iterations */
            rest /= factor;
        }
        saturate(&out.product, space);
        saturate(&out.product, time);
        all_steps *= time;
    }
    return out;
}

static sc_status check_product(const sc_mapping *m, const sc_einsum *e, unsigned d)
{
    const sc_mapped_dim f = sc_mapping_dim(m, d, e->bound[d]);
    const char *name = e->dim_name[d];
    const unsigned long long product = f.product, bound = e->bound[d];
    if (f.product < e->bound[d])
        return sc_fail(
            SC_EINVAL,
            "dimension %s: the factors of all levels multiply to %llu, its bound is %llu", name,
            product, bound);
    if (f.needed < f.outer)
        return sc_fail(SC_EINVAL,
                       "dimension %s: the factors of all levels multiply to %llu, its bound is "
                       "%llu: of its outermost loop only %llu of %llu iterations have work",
                       name, product, bound, (unsigned long long)f.needed,
                       (unsigned long long)f.outer);
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
        if ((st = check_product(m, e, d)) != SC_OK)
            return st;
    return check_kept(m, e, a);
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

double sc_level_moved_bits(const sc_level *l, const sc_tensor *t)
{
    const double bits = sc_level_bits(l, t), by = l->compression[t->role];
    return l->word_bits == 0 && by > 1 ? bits / by : bits;
}

uint64_t sc_level_room(const sc_level *l, unsigned role)
{
    const uint64_t built = l->capacity[l->partitioned ? role : 0];
    return l->buffers > 1 ? (uint64_t)floor((double)built / l->buffers) : built;
}

/* Misfits of one level, as they are found. */
typedef struct level_fit {
    unsigned level, n;
    sc_misfit at[SC_MAX_TENSORS + SC_ROLES + 3];
} level_fit;

static void add_misfit(level_fit *f, sc_misfit_code code, int tensor, uint64_t need, uint64_t have)
{
    f->at[f->n++] = (sc_misfit){code, (int)f->level, tensor, need, have};
}

static void fit_kept(level_fit *f, const sc_block *b, const sc_einsum *e, const sc_level *l)
{
    for (unsigned i = 0; i < e->n_tensors; i++) {
        const unsigned role = e->tensor[i].role;
        const bool keeps = b->keep >> i & 1;
        if (keeps && !(l->may_keep >> role & 1))
            add_misfit(f, SC_MISFIT_KEEP, (int)i, 1, 0);
        if (!keeps && l->must_keep >> role & 1)
            add_misfit(f, SC_MISFIT_KEEP, (int)i, 0, 1);
    }
}

static void fit_capacity(level_fit *f, const uint64_t *extent, const sc_block *b,
                         const sc_einsum *e, const sc_level *l)
{
    uint64_t need[SC_ROLES] = {0};
    int last[SC_ROLES] = {-1, -1, -1};
    if (!l->bounded)
        return;
    for (unsigned i = 0; i < e->n_tensors; i++) {
        const unsigned buffer = l->partitioned ? e->tensor[i].role : 0;
        if (!(b->keep >> i & 1))
            continue;
        if (__builtin_add_overflow(need[buffer], tile_size(l, &e->tensor[i], extent),
                                   &need[buffer]))
            need[buffer] = UINT64_MAX;
        last[buffer] = l->partitioned ? (int)i : -1;
    }
    for (unsigned buffer = 0; buffer < (l->partitioned ? SC_ROLES : 1u); buffer++)
        if (need[buffer] > sc_level_room(l, buffer))
            add_misfit(f, SC_MISFIT_CAPACITY, last[buffer], need[buffer], sc_level_room(l, buffer));
}

static void fit_children(level_fit *f, const sc_block *b, const sc_level *l)
{
    uint64_t across[2] = {1, 1}, used = 1, built = l->fanout_x;
    for (unsigned i = 0; i < b->spatial.n; i++) {
        saturate(&used, b->spatial.factor[i]);
        for (unsigned side = 0; side < 2; side++)
            if (b->diagonal >> i & 1 || side == (i >= b->split))
                saturate(&across[side], b->spatial.factor[i]);
    }
    saturate(&built, l->fanout_y);
    if (used > built)
        add_misfit(f, SC_MISFIT_FANOUT, -1, used, built);
    if (across[0] > l->fanout_x)
        add_misfit(f, SC_MISFIT_MESH_X, -1, across[0], l->fanout_x);
    if (across[1] > l->fanout_y)
        add_misfit(f, SC_MISFIT_MESH_Y, -1, across[1], l->fanout_y);
}

/* Extents of the tiles once the loops stand around them too; they end at the bounds, if given. */
static void take_in(uint64_t *extent, const sc_loops *loops, const uint64_t *bound)
{
    for (unsigned i = 0; i < loops->n; i++) {
        const unsigned d = loops->dim[i];
        saturate(&extent[d], loops->factor[i]);
        if (bound && extent[d] > bound[d])
            extent[d] = bound[d];
    }
}

/* Misfits of level l; `extent` holds the tile of its child and becomes that of its own. */
static void fit_level(level_fit *f, uint64_t *extent, const uint64_t *bound, unsigned l,
                      const sc_mapping *m, const sc_einsum *e, const sc_arch *a)
{
    const sc_block *b = &m->level[l];
    f->level = l;
    f->n = 0;
    take_in(extent, &b->spatial, bound);
    take_in(extent, &b->temporal, bound);
    fit_kept(f, b, e, &a->level[l]);
    fit_capacity(f, extent, b, e, &a->level[l]);
    fit_children(f, b, &a->level[l]);
}

unsigned sc_mapping_misfits(sc_misfit out[SC_MAX_MISFITS], const sc_mapping *m, const sc_einsum *e,
                            const sc_arch *a)
{
    uint64_t extent[SC_MAX_DIMS];
    unsigned n = 0;
    for (unsigned d = 0; d < e->n_dims; d++)
        extent[d] = 1;
    for (unsigned l = m->n_levels; l-- > 0;) {
        level_fit f;
        fit_level(&f, extent, e->bound, l, m, e, a);
        memmove(out + f.n, out, n * sizeof *out); /* outer levels come first */
        memcpy(out, f.at, f.n * sizeof *out);
        n += f.n;
    }
    return n;
}

static sc_misfit first_misfit(const uint64_t *bound, const sc_mapping *m, const sc_einsum *e,
                              const sc_arch *a)
{
    uint64_t extent[SC_MAX_DIMS];
    sc_misfit first = {SC_FITS, 0, -1, 0, 0};
    for (unsigned d = 0; d < e->n_dims; d++)
        extent[d] = 1;
    for (unsigned l = m->n_levels; l-- > 0;) {
        level_fit f;
        fit_level(&f, extent, bound, l, m, e, a);
        if (f.n > 0)
            first = f.at[0];
    }
    return first;
}

sc_misfit sc_mapping_fit(const sc_mapping *m, const sc_einsum *e, const sc_arch *a)
{
    return first_misfit(e->bound, m, e, a);
}

sc_misfit sc_mapping_fit_padded(const sc_mapping *m, const sc_einsum *e, const sc_arch *a)
{
    return first_misfit(NULL, m, e, a);
}
