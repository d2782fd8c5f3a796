#include "model/mapper/map_size.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/mem.h"
#include "model/mapper/array.h"
#include "model/mapper/exact_space.h"
#include "model/mapper/limits.h"

enum { ARENA_BYTES = 1 << 20, MAX_WORK = 1 << 27 };

/* A number in two forms: modulo 2^64, which is exact where the number is below that, whatever
 * stands on the way to it, and as a double, which says whether it is. */
typedef struct number {
    uint64_t low;
    double value;
} number;

/* Ways to reach each set of steps that are left, one level after another. */
typedef struct count {
    const sc_space *x;
    sc_map_constraints limits;
    bool arrays;
    int array_level; /* -1: none */
    sc_dataflow flow;
    number *now, *next;     /* [lattice] */
    number *layer, *beyond; /* [n_dims + 1][lattice], by loops of free order */
    double work, most;      /* steps done, and allowed */
} count;

static void add(number *to, number n, number times)
{
    to->low += n.low * times.low;
    to->value += n.value * times.value;
}

static number factorial(unsigned n)
{
    number f = {1, 1.0};
    for (unsigned i = 2; i <= n; i++) {
        f.low *= i;
        f.value *= (double)i;
    }
    return f;
}

static const number one = {1, 1.0};

/* ---- loops in time ---- */

/* Dimensions of the space without a place in the order of a block, bit 1 << dimension. */
static unsigned free_dims(const count *c, const sc_loop_limits *limits)
{
    uint8_t rank[SC_MAX_DIMS];
    unsigned free = 0;
    sc_loop_ranks(rank, limits);
    for (unsigned d = 0; d < c->x->n_dims; d++)
        free |= rank[c->x->dim[d].dim] == limits->n_inner ? 1u << d : 0;
    return free;
}

/* Give one dimension a factor, in all ways: from `layer` to `beyond`. */
static void factors_of(count *c, unsigned level, unsigned d, unsigned layers, bool free)
{
    const sc_space *x = c->x;
    const sc_xdim *v = &x->dim[d];
    const size_t run = v->stride, span = v->stride * v->n;
    memset(c->beyond, 0, (layers + 1) * x->lattice * sizeof *c->beyond);
    for (unsigned j = 0; j < v->n; j++) {
        if (!sc_space_allows(x, level, false, d, v->divisor[j]))
            continue;
        for (unsigned i = 0; i < v->n; i++) {
            const uint16_t rest = v->over[i * v->n + j];
            if (rest == SC_NO_DIVISOR)
                continue;
            for (unsigned k = 0; k < layers; k++) {
                const number *from = c->layer + k * x->lattice + i * run;
                number *to = c->beyond + (k + (free && j > 0)) * x->lattice + rest * run;
                for (size_t base = 0; base < x->lattice; base += span)
                    for (size_t at = base; at < base + run; at++)
                        add(&to[at], from[at], one);
            }
            c->work += (double)layers * (double)x->lattice / v->n;
        }
    }
}

static void loops_in_time(count *c, unsigned level)
{
    const sc_space *x = c->x;
    const unsigned free = free_dims(c, &c->limits.level[level].temporal);
    unsigned layers = 1;
    memcpy(c->layer, c->now, x->lattice * sizeof *c->now);
    for (unsigned d = 0; d < x->n_dims && c->work < c->most; d++) {
        number *swap = c->layer;
        factors_of(c, level, d, layers, free >> d & 1);
        c->layer = c->beyond;
        c->beyond = swap;
        layers++;
    }
    memset(c->now, 0, x->lattice * sizeof *c->now);
    for (unsigned k = 0; k < layers; k++) {
        const number orders = factorial(k);
        for (size_t at = 0; at < x->lattice; at++)
            add(&c->now[at], c->layer[k * x->lattice + at], orders);
    }
}

/* ---- children ---- */

/* Ways to lay factors that are given their sides (bit 1 << dimension of the space: along X). */
static number orders_of_sides(const count *c, unsigned level, const uint64_t *factor, unsigned on_x,
                              unsigned diagonal)
{
    const sc_space *x = c->x;
    const sc_level *v = &x->a->level[level];
    const sc_level_limits *limits = &c->limits.level[level];
    const unsigned free = free_dims(c, &limits->spatial);
    const number none = {0, 0.0};
    unsigned n_free[2] = {0, 0};
    double side[2] = {1.0, 1.0};
    sc_block b = {.keep = 0};
    for (unsigned y = 0; y < 2; y++) {
        for (unsigned d = 0; d < x->n_dims; d++) {
            const bool both = diagonal >> d & 1;
            if (factor[d] == 1 || (!both && (on_x >> d & 1) == y))
                continue;
            side[y] *= (double)factor[d];
            if (both && y == 1)
                continue; /* its loop stands with those along X */
            if (both)
                b.diagonal |= (uint8_t)(1u << b.spatial.n);
            b.spatial.dim[b.spatial.n] = (uint8_t)x->dim[d].dim;
            b.spatial.factor[b.spatial.n++] = factor[d];
            n_free[y] += free >> d & 1;
        }
        if (y == 0)
            b.split = b.spatial.n;
    }
    sc_limits_sort_sides(&b, limits);
    if (side[0] > (double)v->fanout_x || side[1] > (double)v->fanout_y ||
        !sc_map_constraints_places(limits, &b, x->e))
        return none;
    number ways = none;
    add(&ways, factorial(n_free[0]), factorial(n_free[1]));
    return ways;
}

/* The same of all sides that the factors may have. */
static number arrangements(const count *c, unsigned level, const uint64_t *factor)
{
    const sc_space *x = c->x;
    number ways = {0, 0.0};
    unsigned all = 0, columns = 0, diagonal = 0;
    for (unsigned d = 0; d < x->n_dims; d++) {
        if (factor[d] == 1)
            continue;
        all |= 1u << d;
        if ((int)level != c->array_level)
            continue;
        switch (sc_array_place_of(x->e, c->flow, x->dim[d].dim)) {
        case SC_PLACE_NONE: return ways;
        case SC_PLACE_ROWS: break;
        case SC_PLACE_DIAGONAL: diagonal |= 1u << d; break;
        case SC_PLACE_COLUMNS: columns |= 1u << d; break;
        }
    }
    if ((int)level == c->array_level)
        return orders_of_sides(c, level, factor, columns, diagonal);
    for (unsigned on_x = all;; on_x = (on_x - 1) & all) {
        add(&ways, orders_of_sides(c, level, factor, on_x, 0), one);
        if (on_x == 0)
            return ways;
    }
}

/* Take a shape of children off all steps that hold it, from dimension d on. */
static void take_off(count *c, const sc_shape *fan, number ways, unsigned d, size_t from, size_t to)
{
    const sc_xdim *v = &c->x->dim[d];
    if (d == c->x->n_dims) {
        add(&c->next[to], c->now[from], ways);
        c->work += 1.0;
        return;
    }
    for (unsigned i = 0; i < v->n && c->work < c->most; i++) {
        const uint16_t rest = v->over[i * v->n + fan->at[d]];
        if (rest != SC_NO_DIVISOR)
            take_off(c, fan, ways, d + 1, from + i * v->stride, to + rest * v->stride);
    }
}

/* Every shape of children from dimension d on. */
static void shapes(count *c, unsigned level, unsigned d, uint64_t used, sc_shape *fan)
{
    const sc_space *x = c->x;
    uint64_t factor[SC_MAX_DIMS] = {0};
    if (d == x->n_dims) {
        for (unsigned i = 0; i < x->n_dims; i++)
            factor[i] = sc_shape_extent(x, fan, i);
        const number ways = arrangements(c, level, factor);
        c->work += 1.0;
        if (ways.value > 0)
            take_off(c, fan, ways, 0, 0, 0);
        return;
    }
    for (unsigned j = 0; j < x->dim[d].n && c->work < c->most; j++) {
        const uint64_t f = x->dim[d].divisor[j];
        if (used > x->level[level].fan / f)
            break;
        if (!sc_space_allows(x, level, true, d, f))
            continue;
        fan->at[d] = (uint16_t)j;
        shapes(c, level, d + 1, used * f, fan);
    }
    fan->at[d] = 0;
}

static void children(count *c, unsigned level)
{
    number *swap = c->now;
    sc_shape fan = {{0}};
    memset(c->next, 0, c->x->lattice * sizeof *c->next);
    shapes(c, level, 0, 1, &fan);
    c->now = c->next;
    c->next = swap;
}

/* ---- all levels ---- */

/* Sets of tensors that the level may keep. */
static number kept(const count *c, unsigned level)
{
    const sc_space *x = c->x;
    const uint8_t must_not = c->limits.level[level].must_bypass;
    number sets = {0, 0.0};
    const int stationary = c->array_level >= 0 ? sc_array_stationary(x->e, c->flow) : -1;
    const bool registers = c->array_level >= 0 && (int)level == c->array_level + 1;
    for (unsigned i = 0; i < x->level[level].n_sets; i++) {
        const uint8_t set = x->level[level].set[i];
        if (!(set & must_not) && (!registers || set == 1u << stationary))
            add(&sets, one, one);
    }
    return sets;
}

static bool allows(const sc_loop_limits *asked, unsigned d, uint64_t factor)
{
    return (asked->fixed[d] == 0 || asked->fixed[d] == factor) && asked->min[d] <= factor &&
           (asked->max[d] == 0 || asked->max[d] >= factor);
}

/* Whether dimensions that are not in the space may have the one form they can: no loop, or all
 * steps that wait for one another outermost. */
static bool others_allowed(const sc_einsum *e, const sc_map_constraints *limits, int sequential)
{
    for (int i = 0; i < SC_BLOCKS * (int)limits->n_levels; i++)
        for (unsigned d = 0; d < e->n_dims; d++) {
            const bool outermost = (int)d == sequential && i == 0;
            const sc_loop_limits *asked = sc_limits_of(limits, i / SC_BLOCKS, i % SC_BLOCKS);
            if ((e->bound[d] == 1 || (int)d == sequential) &&
                !allows(asked, d, outermost ? e->bound[d] : 1))
                return false;
        }
    return true;
}

static number count_flow(count *c)
{
    const sc_space *x = c->x;
    number all = {0, 0.0}, sets = one;
    memset(c->now, 0, x->lattice * sizeof *c->now);
    c->now[x->lattice - 1] = one; /* all steps are left */
    for (unsigned l = 0; l < x->n_levels && c->work < c->most; l++) {
        number product = {0, 0.0};
        add(&product, sets, kept(c, l));
        sets = product;
        if (c->array_level < 0 || (int)l != c->array_level + 1)
            loops_in_time(c, l);
        children(c, l);
    }
    add(&all, c->now[0], sets);
    return all;
}

/* Of an array every dataflow that it runs and the op has a tensor for: the tensor that the
 * registers keep tells them apart. */
static number count_all(count *c)
{
    number sum = {0, 0.0};
    if (c->array_level < 0)
        return count_flow(c);
    for (int f = 0; f < SC_DATAFLOWS; f++) {
        c->flow = (sc_dataflow)f;
        if (c->x->a->compute.dataflows >> f & 1 && sc_array_stationary(c->x->e, c->flow) >= 0)
            add(&sum, count_flow(c), one);
    }
    return sum;
}

static sc_status make_room(count *c, sc_arena *arena)
{
    const size_t n = c->x->lattice;
    c->now = sc_arena_calloc(arena, n, sizeof *c->now);
    c->next = sc_arena_calloc(arena, n, sizeof *c->next);
    c->layer = sc_arena_calloc(arena, (c->x->n_dims + 1) * n, sizeof *c->layer);
    c->beyond = sc_arena_calloc(arena, (c->x->n_dims + 1) * n, sizeof *c->beyond);
    return c->now && c->next && c->layer && c->beyond ? SC_OK : SC_ENOMEM;
}

static bool too_large(const sc_space *x)
{
    double divisors = 0;
    for (unsigned d = 0; d < x->n_dims; d++)
        divisors += x->dim[d].n;
    return (double)x->lattice * divisors * x->n_levels > MAX_WORK;
}

sc_status sc_map_size_of(sc_map_size *out, const sc_einsum *e, const sc_arch *a,
                         const sc_map_size_options *o)
{
    static const sc_map_size_options defaults;
    sc_exact_options exact = SC_EXACT_OPTIONS_INIT;
    sc_einsum op = *e; /* without steps that have one place only */
    sc_arena *arena = NULL;
    sc_space x;
    count c = {.x = &x, .most = MAX_WORK};
    sc_map_size size = {.counted = true, .exact = true};
    sc_status st;
    o = o ? o : &defaults;
    if (o->constraints)
        c.limits = *o->constraints;
    else
        sc_map_constraints_init(&c.limits, a->n_levels);
    const uint16_t outside =
        sc_limits_outside_steps(&c.limits.level[0].temporal, e, o->sequential - 1);
    for (unsigned d = 0; d < e->n_dims; d++)
        if (outside >> d & 1)
            c.limits.level[0].temporal.max[d] = 1;
    if (o->sequential > 0)
        op.bound[o->sequential - 1] = 1;
    c.array_level = o->arrays ? sc_array_level(a) : -1;
    exact.constraints = &c.limits;
    if ((st = sc_arena_create(&arena, ARENA_BYTES)) != SC_OK ||
        (st = sc_space_init(&x, arena, &op, a, &exact)) != SC_OK)
        goto done;
    size.counted = !too_large(&x);
    if (size.counted && others_allowed(e, &c.limits, o->sequential - 1)) {
        if ((st = make_room(&c, arena)) != SC_OK)
            goto done;
        const number n = count_all(&c);
        size.counted = c.work < c.most;
        size.exact = n.value < 0x1p63;
        size.count = size.exact ? n.low : 0;
        size.value = size.exact ? (double)n.low : n.value;
    }
    *out = size.counted ? size : (sc_map_size){.counted = false};
done:
    sc_arena_destroy(arena);
    return st;
}

const char *sc_map_size_text(char out[SC_MAP_SIZE_TEXT], const sc_map_size *s)
{
    if (!s->counted)
        (void)snprintf(out, SC_MAP_SIZE_TEXT, "too many to count");
    else if (s->exact)
        (void)snprintf(out, SC_MAP_SIZE_TEXT, "%" PRIu64, s->count);
    else
        (void)snprintf(out, SC_MAP_SIZE_TEXT, "%.6e", s->value);
    return out;
}

json_t *sc_map_size_json(const sc_map_size *s, bool *ok)
{
    json_t *o;
    if (!s->counted)
        return json_null();
    o = json_object();
    sc_json_set(o, "mappings", s->exact ? sc_json_count(s->count) : sc_json_real(s->value), ok);
    sc_json_set(o, "exact", json_boolean(s->exact), ok);
    return o;
}
