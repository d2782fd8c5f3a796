#include "model/mapper/limits_fit.h"

#include <string.h>

#include "model/mapper/array.h"
#include "model/mapper/factor.h"
#include "model/mapper/footprint.h"
#include "model/mapper/limits.h"

enum { MAX_TRIED = 1 << 14 };

typedef struct attempt {
    sc_blocked *s;
    int array_level; /* -1: none, or its rule is off */
    unsigned tried;
    bool
        padded_out; /* a mapping missed the outermost level, which the op without padding may fit */
    uint64_t factor[SC_MAX_LEVELS][SC_BLOCKS][SC_MAX_DIMS];
    sc_mapping m;
} attempt;

/* ---- one set of factors ---- */

static uint64_t *factor_of(attempt *t, int block, unsigned dim)
{
    return &t->factor[block / SC_BLOCKS][block % SC_BLOCKS][dim];
}

/* Lay a level's factors where its children, its order and its split have them; those of the array
 * where the dataflow has them. */
static bool lay(attempt *t, int level, sc_dataflow f)
{
    const sc_einsum *e = t->s->e;
    const uint64_t *factor = t->factor[level][SC_IN_SPACE];
    sc_sides places = {0, 0};
    for (unsigned d = 0; level == t->array_level && d < e->n_dims; d++) {
        const sc_array_place place = sc_array_place_of(e, f, d);
        if (place == SC_PLACE_NONE && factor[d] > 1)
            return false;
        places.on_x |= place == SC_PLACE_ROWS ? 0 : 1u << d;
        places.diagonal |= place == SC_PLACE_DIAGONAL ? 1u << d : 0;
    }
    return sc_limits_lay(&t->m.level[level], &t->s->arch.level[level], &t->s->limits.level[level],
                         e, factor, level == t->array_level ? &places : NULL);
}

/* What the level must keep; of the outermost all, of the array's registers what stays. */
static uint8_t kept(const attempt *t, int level, int stationary)
{
    const sc_einsum *e = t->s->e;
    const sc_level *l = &t->s->arch.level[level];
    uint8_t keep = t->s->limits.level[level].must_keep;
    if (level == 0)
        return sc_keepable(l, e);
    if (t->array_level >= 0 && level == t->array_level + 1)
        return (uint8_t)(1u << stationary);
    for (unsigned i = 0; i < e->n_tensors; i++)
        keep |= (uint8_t)((l->must_keep >> e->tensor[i].role & 1) << i);
    return keep;
}

static void in_time(attempt *t, int level)
{
    sc_loops *loops = &t->m.level[level].temporal;
    const uint64_t *factor = t->factor[level][SC_IN_TIME];
    loops->n = 0;
    for (unsigned d = 0; d < t->s->e->n_dims; d++)
        if (factor[d] > 1) {
            loops->dim[loops->n] = (uint8_t)d;
            loops->factor[loops->n++] = factor[d];
        }
    sc_limits_sort(loops, &t->s->limits.level[level].temporal, level == 0 ? t->s->sequential : -1);
}

static bool try_dataflow(attempt *t, sc_dataflow f)
{
    const sc_blocked *s = t->s;
    const int stationary = sc_array_stationary(s->e, f);
    if (t->array_level >= 0 && (!(s->arch.compute.dataflows >> f & 1) || stationary < 0))
        return false;
    memset(&t->m, 0, sizeof t->m);
    t->m.n_levels = (uint8_t)s->arch.n_levels;
    for (int level = 0; level < t->m.n_levels; level++) {
        t->m.level[level].keep = kept(t, level, stationary);
        in_time(t, level);
        if (!lay(t, level, f))
            return false;
    }
    const sc_misfit misfit = sc_mapping_fit_padded(&t->m, s->e, &s->arch);
    t->padded_out |=
        misfit.code == SC_MISFIT_CAPACITY && misfit.level == 0 &&
        sc_footprint_fit(&s->arch, 0, s->e, t->m.level[0].keep, s->e->bound).code == SC_FITS;
    return misfit.code == SC_FITS &&
           sc_map_constraints_check(&s->limits, &t->m, s->e).code == SC_OBEYS;
}

static bool try_factors(attempt *t)
{
    t->tried++;
    for (int i = 1; t->s->sequential >= 0 && i < SC_BLOCKS * (int)t->s->arch.n_levels; i++)
        if (*factor_of(t, i, (unsigned)t->s->sequential) > 1)
            return false;
    for (int f = 0; f < SC_DATAFLOWS; f++) {
        if (try_dataflow(t, (sc_dataflow)f))
            return true;
        if (t->array_level < 0)
            return false;
    }
    return false;
}

/* ---- all sets ---- */

/* Steps of a dimension that a block would have to take for all others to stay as they are. */
static uint64_t wanted_of(attempt *t, int block, unsigned dim)
{
    uint64_t left = t->s->e->bound[dim];
    for (int i = 0; i < SC_BLOCKS * (int)t->s->arch.n_levels; i++)
        if (i != block)
            left = sc_factor_rounds(left, *factor_of(t, i, dim));
    return left;
}

/* The largest factor that a block may have. Of the outermost loops in time none may stand outside
 * steps that wait for one another. */
static uint64_t most_of(const attempt *t, int block, unsigned dim)
{
    const sc_loop_limits *asked = sc_limits_of(&t->s->limits, block / SC_BLOCKS, block % SC_BLOCKS);
    if (block == 0 && sc_limits_outside_steps(asked, t->s->e, t->s->sequential) >> dim & 1)
        return 1;
    return asked->fixed[dim] > 0 ? asked->fixed[dim]
           : asked->max[dim] > 0 ? asked->max[dim]
                                 : UINT64_MAX;
}

/* Give what is left of dimension d to blocks `block`.., then go on with the next dimension. Between
 * two factors after which the same number of steps is left the smaller will do. Steps in time of
 * the outermost level, block 0, make no tile larger: as many as may be. */
static bool spread(attempt *t, unsigned d, int block)
{
    const sc_einsum *e = t->s->e;
    if (t->tried > MAX_TRIED)
        return false;
    if (d == e->n_dims)
        return try_factors(t);
    if (block == SC_BLOCKS * (int)t->s->arch.n_levels)
        return false;
    uint64_t *factor = factor_of(t, block, d);
    const uint64_t least = *factor, wanted = wanted_of(t, block, d);
    const uint64_t most = most_of(t, block, d);
    const bool alone = (int)d == t->s->sequential && block > 0;
    for (uint64_t f = block == 0 && wanted > least ? (wanted < most ? wanted : most) : least;
         f <= most && !(alone && f > 1);) {
        *factor = f;
        if (f >= wanted ? spread(t, d + 1, 0) : spread(t, d, block + 1))
            return true;
        if (f >= wanted || block == 0)
            break;
        f = sc_factor_rounds(wanted, sc_factor_rounds(wanted, f) - 1);
    }
    *factor = least;
    return false;
}

sc_status sc_limits_look(sc_blocked *s)
{
    attempt t = {.s = s, .array_level = s->any_place ? -1 : sc_array_level(&s->arch)};
    for (int i = 0; i < SC_BLOCKS * (int)s->arch.n_levels; i++)
        for (unsigned d = 0; d < s->e->n_dims; d++) {
            const sc_loop_limits *asked = sc_limits_of(&s->limits, i / SC_BLOCKS, i % SC_BLOCKS);
            *factor_of(&t, i, d) = asked->fixed[d] > 0 ? asked->fixed[d] : asked->min[d];
        }
    s->fits = spread(&t, 0, 0);
    s->decided = s->fits || (t.tried <= MAX_TRIED && !t.padded_out);
    s->mapping = t.m;
    return SC_OK;
}
