#include <string.h>

#include "model/mapper/exact.h"
#include "model/mapper/exact_fit.h"

const char *sc_blocker_name(sc_blocker_code c)
{
    switch (c) {
    case SC_BLOCKER_CAPACITY: return "capacity";
    case SC_BLOCKER_FACTOR: return "factor";
    case SC_BLOCKER_KEEP: return "keep";
    case SC_BLOCKER_BYPASS: return "bypass";
    }
    return "unknown";
}

/* A space from which limits are taken off, one after another. */
typedef struct trial {
    const sc_einsum *e;
    sc_arch arch;
    sc_map_constraints limits;
    sc_fit found;
} trial;

/* Where the walk gives up, the limit that was taken off is kept: what is named rules out every
 * mapping in any case. */
static sc_status any(bool *fits, trial *t)
{
    const sc_status st = sc_fit_any(&t->found, t->e, &t->arch, &t->limits);
    if (st == SC_OK)
        *fits = t->found.fits || !t->found.decided;
    return st;
}

/* Orders and splits are asked for of factors; what stands in the way are those. Tensors that the
 * design makes a level keep, or not keep, are told as if a constraint did. */
static void begin(trial *t, const sc_einsum *e, const sc_arch *a, const sc_map_constraints *limits)
{
    t->e = e;
    t->arch = *a;
    if (limits)
        t->limits = *limits;
    else
        sc_map_constraints_init(&t->limits, a->n_levels);
    for (unsigned l = 1; l < a->n_levels; l++) {
        sc_level *level = &t->arch.level[l];
        for (unsigned i = 0; i < e->n_tensors; i++) {
            const uint8_t bit = (uint8_t)(1u << i);
            if (level->must_keep >> e->tensor[i].role & 1)
                t->limits.level[l].must_keep |= bit;
            if (!(level->may_keep >> e->tensor[i].role & 1))
                t->limits.level[l].must_bypass |= bit;
        }
        level->must_keep = 0;
        level->may_keep = (1 << SC_ROLES) - 1;
    }
}

static sc_loop_limits *loops_of(trial *t, const sc_blocker *b)
{
    sc_level_limits *l = &t->limits.level[b->level];
    return b->spatial ? &l->spatial : &l->temporal;
}

/* Take one limit off. @return false if it is none. */
static bool take_off(trial *t, const sc_blocker *b)
{
    sc_level *level = &t->arch.level[b->level];
    sc_level_limits *limits = &t->limits.level[b->level];
    const uint8_t bit = (uint8_t)(b->tensor >= 0 ? 1u << b->tensor : 0u);
    bool was = false;
    switch (b->code) {
    case SC_BLOCKER_CAPACITY:
        was = level->bounded;
        level->bounded = false;
        break;
    case SC_BLOCKER_FACTOR: {
        sc_loop_limits *loops = loops_of(t, b);
        was = loops->fixed[b->dim] > 0 || loops->min[b->dim] > 1 || loops->max[b->dim] > 0;
        loops->fixed[b->dim] = loops->max[b->dim] = 0;
        loops->min[b->dim] = 1;
        break;
    }
    case SC_BLOCKER_KEEP:
        was = limits->must_keep & bit;
        limits->must_keep &= (uint8_t)~bit;
        break;
    case SC_BLOCKER_BYPASS:
        was = limits->must_bypass & bit;
        limits->must_bypass &= (uint8_t)~bit;
        break;
    }
    return was;
}

/* Put it back as it was in another trial. */
static void put_back(trial *t, const sc_blocker *b, const trial *was)
{
    t->arch.level[b->level] = was->arch.level[b->level];
    t->limits.level[b->level] = was->limits.level[b->level];
}

/* The least capacity with which something fits, the other blockers alone in force. */
static sc_status least_capacity(sc_blocker *b, trial *t)
{
    sc_level *level = &t->arch.level[b->level];
    const sc_level was = *level;
    uint64_t low = sc_level_room(level, 0), high = low + 1;
    bool fits = false;
    sc_status st;
    b->have = low;
    level->partitioned = false;
    level->buffers = 1;
    for (;; high = 2 * high) {
        level->capacity[0] = high;
        if ((st = any(&fits, t)) != SC_OK || fits || high > UINT64_C(1) << 50)
            break;
        low = high;
    }
    while (st == SC_OK && fits && high - low > 1) {
        const uint64_t middle = low + (high - low) / 2;
        bool enough = false;
        level->capacity[0] = middle;
        if ((st = any(&enough, t)) == SC_OK)
            *(enough ? &high : &low) = middle;
    }
    b->need = high;
    *level = was;
    return st;
}

/* A factor of the mapping that is found once the limit is gone. */
static void factor_that_fits(sc_blocker *b, const trial *t, const sc_loop_limits *limits)
{
    const sc_block *block = &t->found.mapping.level[b->level];
    const sc_loops *loops = b->spatial ? &block->spatial : &block->temporal;
    b->need = 1;
    for (unsigned i = 0; i < loops->n && t->found.fits; i++)
        if (loops->dim[i] == b->dim)
            b->need = loops->factor[i];
    b->have = limits->fixed[b->dim]                                      ? limits->fixed[b->dim]
              : limits->max[b->dim] > 0 && b->need > limits->max[b->dim] ? limits->max[b->dim]
                                                                         : limits->min[b->dim];
}

/* Leave the limit off if there is still no mapping; else it is one of the blockers. */
static sc_status try(sc_blocker *out, unsigned *n, trial *t, trial *was, sc_blocker b)
{
    bool fits = false;
    *was = *t;
    if (!take_off(t, &b))
        return SC_OK;
    const sc_status st = any(&fits, t);
    if (st != SC_OK || !fits)
        return st;
    put_back(t, &b, was);
    if (*n < SC_MAX_BLOCKERS)
        out[(*n)++] = b;
    return SC_OK;
}

/* What the limit is, and what it would have to be, with the other blockers alone in force. */
static sc_status measure(sc_blocker *b, trial *t, trial *was)
{
    bool fits = false;
    sc_status st;
    if (b->code == SC_BLOCKER_CAPACITY)
        return least_capacity(b, t);
    b->need = b->code == SC_BLOCKER_BYPASS;
    b->have = b->code == SC_BLOCKER_KEEP;
    if (b->code != SC_BLOCKER_FACTOR)
        return SC_OK;
    *was = *t;
    (void)take_off(t, b);
    if ((st = any(&fits, t)) == SC_OK)
        factor_that_fits(b, t, loops_of(was, b));
    put_back(t, b, was);
    return st;
}

sc_status sc_exact_blockers(sc_blocker out[SC_MAX_BLOCKERS], unsigned *n, const sc_einsum *e,
                            const sc_arch *a, const sc_map_constraints *limits)
{
    trial t = {0}, was = {0};
    bool fits = false;
    sc_status st;
    *n = 0;
    begin(&t, e, a, limits);
    if ((st = any(&fits, &t)) != SC_OK || fits)
        return st;
    for (int l = 0; l < (int)a->n_levels && st == SC_OK; l++) {
        for (int d = 0; d < 2 * e->n_dims && st == SC_OK; d++)
            st = try(out, n, &t, &was, (sc_blocker){SC_BLOCKER_FACTOR, l, d / 2, -1, d % 2, 0, 0});
        for (int i = 0; i < 2 * e->n_tensors && st == SC_OK; i++)
            st = try(out, n, &t, &was,
                     (sc_blocker){i % 2 ? SC_BLOCKER_BYPASS : SC_BLOCKER_KEEP, l, -1, i / 2, false,
                                  0, 0});
    }
    for (int l = 0; l < (int)a->n_levels && st == SC_OK; l++)
        st = try(out, n, &t, &was, (sc_blocker){SC_BLOCKER_CAPACITY, l, -1, -1, false, 0, 0});
    for (unsigned i = 0; i < *n && st == SC_OK; i++)
        st = measure(&out[i], &t, &was);
    return st;
}
