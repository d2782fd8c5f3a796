#include "model/mapper/blocker.h"

#include <stdio.h>
#include <string.h>

enum { LARGEST_MESH = 1 << 30 };

const char *sc_blocker_name(sc_blocker_code c)
{
    switch (c) {
    case SC_BLOCKER_CAPACITY: return "capacity";
    case SC_BLOCKER_FACTOR: return "factor";
    case SC_BLOCKER_KEEP: return "keep";
    case SC_BLOCKER_BYPASS: return "bypass";
    case SC_BLOCKER_MESH_X: return "mesh_x";
    case SC_BLOCKER_MESH_Y: return "mesh_y";
    case SC_BLOCKER_ORDER: return "order";
    case SC_BLOCKER_SPLIT: return "split";
    case SC_BLOCKER_DATAFLOW: return "dataflow";
    case SC_BLOCKER_SEQUENTIAL: return "sequential";
    }
    return "unknown";
}

void sc_blocker_where(char out[SC_BLOCKER_WHERE], const sc_blocker *b, const sc_einsum *e,
                      const sc_arch *a)
{
    const char *level = a->level[b->level].name;
    if (b->dim >= 0)
        (void)snprintf(out, SC_BLOCKER_WHERE, "%s: %s %s", level, e->dim_name[b->dim],
                       b->spatial ? "in space" : "in time");
    else if (b->tensor >= 0)
        (void)snprintf(out, SC_BLOCKER_WHERE, "%s: %s", level, e->tensor[b->tensor].name);
    else if (b->code == SC_BLOCKER_ORDER)
        (void)snprintf(out, SC_BLOCKER_WHERE, "%s: %s", level, b->spatial ? "in space" : "in time");
    else
        (void)snprintf(out, SC_BLOCKER_WHERE, "%s", level);
}

/* Where looking gives up, the limit that was taken off is kept: what is named rules out every
 * mapping in any case. */
static sc_status any(bool *fits, sc_blocked *s)
{
    const sc_status st = s->look(s);
    if (st == SC_OK)
        *fits = s->fits || !s->decided;
    return st;
}

void sc_blocked_init(sc_blocked *s, const sc_einsum *e, const sc_arch *a,
                     const sc_map_constraints *limits)
{
    memset(s, 0, sizeof *s);
    s->e = e;
    s->arch = *a;
    s->sequential = -1;
    if (limits)
        s->limits = *limits;
    else
        sc_map_constraints_init(&s->limits, a->n_levels);
    for (unsigned l = 1; l < a->n_levels; l++) {
        sc_level *level = &s->arch.level[l];
        for (unsigned i = 0; i < e->n_tensors; i++) {
            const uint8_t bit = (uint8_t)(1u << i);
            if (level->must_keep >> e->tensor[i].role & 1)
                s->limits.level[l].must_keep |= bit;
            if (!(level->may_keep >> e->tensor[i].role & 1))
                s->limits.level[l].must_bypass |= bit;
        }
        level->must_keep = 0;
        level->may_keep = (1 << SC_ROLES) - 1;
    }
}

static sc_loop_limits *loops_of(sc_blocked *s, const sc_blocker *b)
{
    sc_level_limits *l = &s->limits.level[b->level];
    return b->spatial ? &l->spatial : &l->temporal;
}

static bool take_off_factor(sc_blocked *s, const sc_blocker *b)
{
    sc_loop_limits *loops = loops_of(s, b);
    if (b->dim < 0)
        return false;
    const bool was = loops->fixed[b->dim] > 0 || loops->min[b->dim] > 1 || loops->max[b->dim] > 0;
    loops->fixed[b->dim] = loops->max[b->dim] = 0;
    loops->min[b->dim] = 1;
    return was;
}

static bool take_off_tensor(uint8_t *tensors, int tensor)
{
    const uint8_t bit = (uint8_t)(1u << tensor);
    const bool was = *tensors & bit;
    *tensors &= (uint8_t)~bit;
    return was;
}

static bool take_off_order(sc_loop_limits *loops)
{
    const bool was = loops->n_inner + loops->n_outer > 0;
    loops->n_inner = loops->n_outer = 0;
    loops->order_total = 0;
    return was;
}

/* Take one limit off. @return false if it is none. */
static bool take_off(sc_blocked *s, const sc_blocker *b)
{
    sc_level *level = &s->arch.level[b->level];
    sc_level_limits *limits = &s->limits.level[b->level];
    bool was = true;
    switch (b->code) {
    case SC_BLOCKER_CAPACITY:
        was = level->bounded;
        level->bounded = false;
        break;
    case SC_BLOCKER_FACTOR: return take_off_factor(s, b);
    case SC_BLOCKER_KEEP: return take_off_tensor(&limits->must_keep, b->tensor);
    case SC_BLOCKER_BYPASS: return take_off_tensor(&limits->must_bypass, b->tensor);
    case SC_BLOCKER_MESH_X:
    case SC_BLOCKER_MESH_Y: /* a level over one child is made so: that is no limit */
        was = level->fanout_x > 1 || level->fanout_y > 1;
        if (was)
            *(b->code == SC_BLOCKER_MESH_X ? &level->fanout_x : &level->fanout_y) = LARGEST_MESH;
        break;
    case SC_BLOCKER_ORDER: return take_off_order(loops_of(s, b));
    case SC_BLOCKER_SPLIT:
        was = limits->split >= 0;
        limits->split = -1;
        break;
    case SC_BLOCKER_DATAFLOW:
        was = s->arch.compute.rows > 0 && !s->any_place;
        s->any_place = true;
        break;
    case SC_BLOCKER_SEQUENTIAL:
        was = s->sequential >= 0;
        s->sequential = -1;
        break;
    }
    return was;
}

/* Put it back as it was in another trial. */
static void put_back(sc_blocked *s, const sc_blocker *b, const sc_blocked *was)
{
    s->arch.level[b->level] = was->arch.level[b->level];
    s->limits.level[b->level] = was->limits.level[b->level];
    s->any_place = was->any_place;
    s->sequential = was->sequential;
}

/* The least number at `to` with which something fits, the other blockers alone in force; `low` is
 * too little. */
static sc_status least_of(uint64_t *least, uint64_t *to, uint64_t low, uint64_t end, sc_blocked *s)
{
    uint64_t high = low + 1;
    bool fits = false;
    sc_status st;
    for (;; high = 2 * high) {
        *to = high;
        if ((st = any(&fits, s)) != SC_OK || fits || high > end)
            break;
        low = high;
    }
    while (st == SC_OK && fits && high - low > 1) {
        const uint64_t middle = low + (high - low) / 2;
        bool enough = false;
        *to = middle;
        if ((st = any(&enough, s)) == SC_OK)
            *(enough ? &high : &low) = middle;
    }
    *least = high;
    return st;
}

static sc_status least_capacity(sc_blocker *b, sc_blocked *s)
{
    sc_level *level = &s->arch.level[b->level];
    const sc_level was = *level;
    b->have = sc_level_room(level, 0);
    level->partitioned = false;
    level->buffers = 1;
    const sc_status st = least_of(&b->need, &level->capacity[0], b->have, UINT64_C(1) << 50, s);
    *level = was;
    return st;
}

static sc_status least_mesh(sc_blocker *b, sc_blocked *s)
{
    sc_level *level = &s->arch.level[b->level];
    const sc_level was = *level;
    uint64_t *side = b->code == SC_BLOCKER_MESH_X ? &level->fanout_x : &level->fanout_y;
    b->have = *side;
    const sc_status st = least_of(&b->need, side, b->have, LARGEST_MESH, s);
    *level = was;
    return st;
}

/* A split with which something fits. */
static sc_status split_that_fits(sc_blocker *b, sc_blocked *s)
{
    int *split = &s->limits.level[b->level].split;
    const int was = *split;
    sc_status st = SC_OK;
    bool fits = false;
    b->have = (uint64_t)was;
    for (int on_x = 0; on_x <= s->e->n_dims && st == SC_OK && !fits; on_x++) {
        *split = on_x;
        b->need = (uint64_t)on_x;
        st = any(&fits, s);
    }
    *split = was;
    return st;
}

/* A factor of the mapping that is found once the limit is gone. */
static void factor_that_fits(sc_blocker *b, const sc_blocked *s, const sc_loop_limits *limits)
{
    const sc_block *block = &s->mapping.level[b->level];
    const sc_loops *loops = b->spatial ? &block->spatial : &block->temporal;
    b->need = 1;
    for (unsigned i = 0; i < loops->n && s->fits; i++)
        if (loops->dim[i] == b->dim)
            b->need = loops->factor[i];
    b->have = limits->fixed[b->dim]                                      ? limits->fixed[b->dim]
              : limits->max[b->dim] > 0 && b->need > limits->max[b->dim] ? limits->max[b->dim]
                                                                         : limits->min[b->dim];
}

/* The factor next to the one asked for with which something fits: between it and one that does. The
 * limit is off; it is left so. */
static sc_status nearest_factor(sc_blocker *b, sc_blocked *s)
{
    sc_loop_limits *loops = loops_of(s, b);
    uint64_t wrong = b->have;
    sc_status st = SC_OK;
    while (st == SC_OK && wrong + 1 != b->need && b->need + 1 != wrong && wrong != b->need) {
        const uint64_t middle = wrong / 2 + b->need / 2 + (wrong % 2 + b->need % 2) / 2;
        bool fits = false;
        loops->fixed[b->dim] = middle;
        if ((st = any(&fits, s)) == SC_OK)
            *(fits ? &b->need : &wrong) = middle;
    }
    loops->fixed[b->dim] = 0;
    return st;
}

/* Leave the limit off if there is still no mapping; else it is one of the blockers. */
static sc_status try(sc_blocker *out, unsigned *n, sc_blocked *s, sc_blocked *was, sc_blocker b)
{
    bool fits = false;
    if (!(s->codes >> b.code & 1))
        return SC_OK;
    *was = *s;
    if (!take_off(s, &b))
        return SC_OK;
    const sc_status st = any(&fits, s);
    if (st != SC_OK || !fits)
        return st;
    put_back(s, &b, was);
    if (*n < SC_MAX_BLOCKERS)
        out[(*n)++] = b;
    return SC_OK;
}

/* What the limit is, and what it would have to be, with the other blockers alone in force. */
static sc_status measure(sc_blocker *b, sc_blocked *s, sc_blocked *was)
{
    bool fits = false;
    sc_status st = SC_OK;
    switch (b->code) {
    case SC_BLOCKER_CAPACITY: return least_capacity(b, s);
    case SC_BLOCKER_MESH_X:
    case SC_BLOCKER_MESH_Y: return least_mesh(b, s);
    case SC_BLOCKER_SPLIT: return split_that_fits(b, s);
    case SC_BLOCKER_KEEP:
    case SC_BLOCKER_ORDER:
    case SC_BLOCKER_SEQUENTIAL: b->have = 1; break;
    case SC_BLOCKER_BYPASS: b->need = 1; break;
    case SC_BLOCKER_DATAFLOW:
        b->have = (uint64_t)__builtin_popcount(s->arch.compute.dataflows);
        break;
    case SC_BLOCKER_FACTOR:
        *was = *s;
        (void)take_off(s, b);
        if ((st = any(&fits, s)) == SC_OK) {
            factor_that_fits(b, s, loops_of(was, b));
            st = s->nearest ? nearest_factor(b, s) : SC_OK;
        }
        put_back(s, b, was);
        break;
    }
    return st;
}

static sc_status try_level(sc_blocker *out, unsigned *n, sc_blocked *s, sc_blocked *was, int l)
{
    sc_status st = SC_OK;
    for (int d = 0; d < 2 * s->e->n_dims && st == SC_OK; d++)
        st = try(out, n, s, was, (sc_blocker){SC_BLOCKER_FACTOR, l, d / 2, -1, d % 2, 0, 0});
    for (int i = 0; i < 2 * s->e->n_tensors && st == SC_OK; i++)
        st = try(
            out, n, s, was,
            (sc_blocker){i % 2 ? SC_BLOCKER_BYPASS : SC_BLOCKER_KEEP, l, -1, i / 2, false, 0, 0});
    for (int spatial = 0; spatial < 2 && st == SC_OK; spatial++)
        st = try(out, n, s, was, (sc_blocker){SC_BLOCKER_ORDER, l, -1, -1, spatial, 0, 0});
    if (st == SC_OK)
        st = try(out, n, s, was, (sc_blocker){SC_BLOCKER_SPLIT, l, -1, -1, true, 0, 0});
    return st;
}

static sc_status try_design(sc_blocker *out, unsigned *n, sc_blocked *s, sc_blocked *was)
{
    static const sc_blocker_code of_level[] = {SC_BLOCKER_MESH_X, SC_BLOCKER_MESH_Y,
                                               SC_BLOCKER_CAPACITY};
    const int levels = (int)s->arch.n_levels;
    sc_status st =
        try(out, n, s, was, (sc_blocker){SC_BLOCKER_SEQUENTIAL, 0, s->sequential, -1, false, 0, 0});
    if (st == SC_OK)
        st = try(
            out, n, s, was,
            (sc_blocker){SC_BLOCKER_DATAFLOW, levels > 1 ? levels - 2 : 0, -1, -1, false, 0, 0});
    for (int k = 0; k < 3; k++)
        for (int l = 0; l < levels && st == SC_OK; l++)
            st = try(out, n, s, was, (sc_blocker){of_level[k], l, -1, -1, false, 0, 0});
    return st;
}

sc_status sc_blockers_find(sc_blocker out[SC_MAX_BLOCKERS], unsigned *n, sc_blocked *s)
{
    sc_blocked was = {0};
    bool fits = false;
    sc_status st;
    *n = 0;
    if ((st = any(&fits, s)) != SC_OK || fits)
        return st;
    if (s->design_first)
        st = try_design(out, n, s, &was);
    for (int l = 0; l < (int)s->arch.n_levels && st == SC_OK; l++)
        st = try_level(out, n, s, &was, l);
    if (st == SC_OK && !s->design_first)
        st = try_design(out, n, s, &was);
    for (unsigned i = 0; i < *n && st == SC_OK; i++)
        st = measure(&out[i], s, &was);
    return st;
}
