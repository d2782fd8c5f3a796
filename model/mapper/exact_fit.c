#include "model/mapper/exact_fit.h"

#include <string.h>

#include "core/mem.h"
#include "model/mapper/exact_space.h"

enum { ARENA_BYTES = 1 << 16, MAX_TILES = 1 << 18 };

typedef struct walk {
    const sc_space *x;
    uint8_t *seen;                  /* [levels][n_dims + 1][lattice] bits, see been_at */
    uint64_t tiles;                 /* looked at */
    bool free_outside[SC_MAX_DIMS]; /* the outermost level takes any factor that is left */
    sc_shape tile;
    sc_mapping m;
} walk;

static const sc_loop_limits *limits_of(const walk *w, unsigned level, bool spatial)
{
    const sc_level_limits *l = &w->x->limits->level[level];
    return spatial ? &l->spatial : &l->temporal;
}

/* A factor need not be tried if a divisor of it is allowed too and the outermost level takes what
 * is left: tiles get smaller, and all outside stays as it was. */
static bool worth(const walk *w, unsigned level, bool spatial, unsigned d, unsigned k)
{
    const sc_xdim *v = &w->x->dim[d];
    const bool spare = w->free_outside[d] && (spatial || level > 0);
    if (!sc_space_allows(w->x, level, spatial, d, v->divisor[k]))
        return false;
    for (unsigned less = 0; less < k && spare; less++)
        if (v->divisor[k] % v->divisor[less] == 0 &&
            sc_space_allows(w->x, level, spatial, d, v->divisor[less]))
            return false;
    return true;
}

/* Dimensions in an order that the constraints of a block ask for, innermost first. */
static void asked_order(uint8_t order[SC_MAX_DIMS], const walk *w, unsigned level, bool spatial)
{
    const sc_loop_limits none = {.n_inner = 0};
    const sc_loop_limits *l = w->x->limits ? limits_of(w, level, spatial) : &none;
    unsigned n = 0, given = 0;
    for (unsigned i = 0; i < l->n_inner; i++)
        order[n++] = l->order[i];
    for (unsigned i = 0; i < l->n_outer; i++)
        given |= 1u << l->order[SC_MAX_DIMS - l->n_outer + i];
    for (unsigned i = 0; i < n; i++)
        given |= 1u << order[i];
    for (unsigned d = 0; d < w->x->e->n_dims; d++)
        if (!(given >> d & 1))
            order[n++] = (uint8_t)d;
    for (unsigned i = 0; i < l->n_outer; i++)
        order[n++] = l->order[SC_MAX_DIMS - l->n_outer + i];
}

/* Loops of the factors by dimension of the einsum, those of `which`, behind those there are. */
static void append(sc_loops *loops, const uint64_t *factor, const uint8_t *order, unsigned n_dims,
                   unsigned which)
{
    for (unsigned i = 0; i < n_dims; i++) {
        const unsigned d = order[i];
        if (factor[d] == 1 || !(which >> d & 1))
            continue;
        loops->dim[loops->n] = (uint8_t)d;
        loops->factor[loops->n++] = factor[d];
    }
}

static void factors_of(uint64_t factor[SC_MAX_DIMS], const walk *w, const sc_shape *s)
{
    for (unsigned d = 0; d < w->x->e->n_dims; d++)
        factor[d] = 1;
    for (unsigned d = 0; d < w->x->n_dims; d++)
        factor[w->x->dim[d].dim] = sc_shape_extent(w->x, s, d);
}

static bool obeys(const walk *w, unsigned level, const sc_block *b)
{
    sc_map_constraints c;
    sc_mapping m = {.n_levels = 1};
    if (!w->x->limits)
        return true;
    sc_map_constraints_init(&c, 1);
    c.level[0].spatial = *limits_of(w, level, true);
    c.level[0].split = w->x->limits->level[level].split;
    m.level[0] = *b;
    return sc_map_constraints_check(&c, &m, w->x->e).code == SC_OBEYS;
}

/* Lay the factors on X and Y so that the mesh and the constraints have them. */
static bool lay(walk *w, unsigned level, const sc_shape *fan)
{
    const sc_space *x = w->x;
    const sc_level *l = &x->a->level[level];
    uint64_t factor[SC_MAX_DIMS] = {0};
    uint8_t order[SC_MAX_DIMS] = {0};
    unsigned all = 0;
    w->tiles++;
    factors_of(factor, w, fan);
    asked_order(order, w, level, true);
    for (unsigned d = 0; d < x->e->n_dims; d++)
        all |= factor[d] > 1 ? 1u << d : 0;
    for (unsigned on_x = all;; on_x = (on_x - 1) & all) {
        sc_block b = {.keep = 0};
        uint64_t side[2] = {1, 1};
        append(&b.spatial, factor, order, x->e->n_dims, on_x);
        b.split = b.spatial.n;
        append(&b.spatial, factor, order, x->e->n_dims, all & ~on_x);
        for (unsigned i = 0; i < b.spatial.n; i++)
            side[i >= b.split] *= b.spatial.factor[i];
        if (side[0] <= l->fanout_x && side[1] <= l->fanout_y && obeys(w, level, &b)) {
            w->m.level[level].spatial = b.spatial;
            w->m.level[level].split = b.split;
            return true;
        }
        if (on_x == 0)
            return false;
    }
}

/* The level holds what it must of the tile. */
static bool holds(walk *w, unsigned level)
{
    const sc_space *x = w->x;
    double extent[SC_MAX_DIMS], words[SC_MAX_TENSORS];
    w->tiles++;
    for (unsigned d = 0; d < x->n_dims; d++)
        extent[d] = (double)sc_shape_extent(x, &w->tile, d);
    for (unsigned i = 0; i < x->n_tensors; i++)
        words[i] = sc_space_words(&x->tensor[i], extent);
    w->m.level[level].keep = x->level[level].must;
    return sc_space_fits(x, level, x->level[level].must, words);
}

/* Have the tile of now and the loops of a level from dimension d on led to nothing? Asked once a
 * visit. @param d  n_dims: the level's children come first. */
static bool been_at(walk *w, unsigned level, unsigned d)
{
    const size_t stage = (size_t)level * (w->x->n_dims + 1) + d;
    const size_t at = stage * w->x->lattice + sc_shape_index(w->x, &w->tile);
    const uint8_t bit = (uint8_t)(1u << at % 8);
    const bool was = w->seen[at / 8] & bit;
    w->seen[at / 8] |= bit;
    return was;
}

static bool enter(walk *w, unsigned level);

/* Factors of one block from dimension d on: those of the children first, then in time. */
static bool choose(walk *w, unsigned level, bool spatial, unsigned d, uint64_t used,
                   sc_shape *factor)
{
    const sc_space *x = w->x;
    /* A tile that does not fit is part of none that does. */
    if (w->tiles > MAX_TILES ||
        (!spatial && ((d < x->n_dims && been_at(w, level, d)) || !holds(w, level))))
        return false;
    if (d == x->n_dims && spatial) {
        sc_shape time = {{0}};
        return lay(w, level, factor) && choose(w, level, false, 0, 1, &time);
    }
    if (d == x->n_dims) {
        uint64_t by_dim[SC_MAX_DIMS] = {0};
        uint8_t order[SC_MAX_DIMS] = {0};
        if (level > 0 && !enter(w, level - 1))
            return false;
        factors_of(by_dim, w, factor);
        asked_order(order, w, level, false);
        w->m.level[level].temporal.n = 0;
        append(&w->m.level[level].temporal, by_dim, order, x->e->n_dims, UINT32_MAX);
        return true;
    }
    const sc_xdim *v = &x->dim[d];
    const uint16_t from = w->tile.at[d], rest = v->over[(v->n - 1) * v->n + from];
    for (unsigned k = !spatial && level == 0 ? rest : 0; k <= rest; k++) {
        const uint64_t fan = spatial ? x->level[level].fan : UINT64_MAX;
        if (used > fan / v->divisor[k])
            break;
        if (v->over[rest * v->n + k] == SC_NO_DIVISOR || !worth(w, level, spatial, d, k))
            continue;
        factor->at[d] = (uint16_t)k;
        w->tile.at[d] = v->times[from * v->n + k];
        if (choose(w, level, spatial, d + 1, spatial ? used * v->divisor[k] : 1, factor))
            return true;
        w->tile.at[d] = from;
    }
    factor->at[d] = 0;
    return false;
}

/* With the tile inside a level known. */
static bool enter(walk *w, unsigned level)
{
    sc_shape fan = {{0}};
    return !been_at(w, level, w->x->n_dims) && choose(w, level, true, 0, 1, &fan);
}

/* Whether no walk is needed to see that nothing fits. */
static bool hopeless(const sc_space *x)
{
    for (unsigned l = 0; l < x->n_levels; l++) {
        const sc_level_limits *limits = x->limits ? &x->limits->level[l] : NULL;
        if ((x->level[l].must & ~x->level[l].may) != 0 ||
            (limits && l == 0 && limits->must_bypass != 0))
            return true;
        for (unsigned d = 0; d < x->e->n_dims && limits; d++)
            if (x->e->bound[d] == 1 &&
                (limits->temporal.fixed[d] > 1 || limits->spatial.fixed[d] > 1 ||
                 limits->temporal.min[d] > 1 || limits->spatial.min[d] > 1))
                return true;
    }
    return false;
}

static sc_status prepare(walk *w, sc_arena *arena, const sc_space *x)
{
    memset(w, 0, sizeof *w);
    w->x = x;
    w->m.n_levels = (uint8_t)x->n_levels;
    for (unsigned d = 0; d < x->n_dims; d++) {
        const sc_loop_limits *outermost = x->limits ? limits_of(w, 0, false) : NULL;
        const unsigned dim = x->dim[d].dim;
        w->free_outside[d] = !outermost || (outermost->fixed[dim] == 0 && outermost->max[dim] == 0);
    }
    w->seen = sc_arena_calloc(arena, (size_t)x->n_levels * (x->n_dims + 1) * x->lattice / 8 + 1, 1);
    return w->seen ? SC_OK : SC_ENOMEM;
}

sc_status sc_fit_any(sc_fit *out, const sc_einsum *e, const sc_arch *a,
                     const sc_map_constraints *limits)
{
    sc_exact_options o = SC_EXACT_OPTIONS_INIT;
    sc_arena *arena = NULL;
    sc_space x;
    walk w;
    sc_status st;
    o.constraints = limits;
    if ((st = sc_arena_create(&arena, ARENA_BYTES)) != SC_OK ||
        (st = sc_space_init(&x, arena, e, a, &o)) != SC_OK ||
        (st = prepare(&w, arena, &x)) != SC_OK)
        goto done;
    out->fits = !hopeless(&x) && enter(&w, x.n_levels - 1);
    out->decided = out->fits || w.tiles <= MAX_TILES;
    out->mapping = w.m;
done:
    sc_arena_destroy(arena);
    return st;
}
