#include "model/count/constraints.h"

#include <string.h>

void sc_map_constraints_init(sc_map_constraints *c, unsigned n_levels)
{
    memset(c, 0, sizeof *c);
    c->n_levels = (uint8_t)n_levels;
    for (unsigned l = 0; l < SC_MAX_LEVELS; l++) {
        c->level[l].split = -1;
        for (unsigned d = 0; d < SC_MAX_DIMS; d++)
            c->level[l].temporal.min[d] = c->level[l].spatial.min[d] = 1;
    }
}

const char *sc_breach_name(sc_breach_code c)
{
    switch (c) {
    case SC_OBEYS: return "obeys";
    case SC_BREACH_FACTOR: return "factor";
    case SC_BREACH_MIN: return "min";
    case SC_BREACH_MAX: return "max";
    case SC_BREACH_ORDER: return "order";
    case SC_BREACH_SPLIT: return "split";
    case SC_BREACH_KEEP: return "keep";
    case SC_BREACH_BYPASS: return "bypass";
    }
    return "unknown";
}

/* One level under examination; `found` is the first breach. */
typedef struct level_check {
    const sc_level_limits *limits;
    const sc_einsum *e;
    sc_breach found;
} level_check;

static void breach(level_check *c, sc_breach_code code, int dim, uint64_t need, uint64_t have)
{
    if (c->found.code == SC_OBEYS) {
        c->found.code = code;
        c->found.dim = dim;
        c->found.need = need;
        c->found.have = have;
    }
}

static void check_kept(level_check *c, uint8_t keep)
{
    for (unsigned t = 0; t < c->e->n_tensors && c->found.code == SC_OBEYS; t++) {
        const bool kept = keep >> t & 1;
        if (!kept && c->limits->must_keep >> t & 1)
            breach(c, SC_BREACH_KEEP, -1, 1, 0);
        else if (kept && c->limits->must_bypass >> t & 1)
            breach(c, SC_BREACH_BYPASS, -1, 0, 1);
        if (c->found.code != SC_OBEYS)
            c->found.tensor = (int)t;
    }
}

static void check_factors(level_check *c, const sc_loops *loops, const sc_loop_limits *limits)
{
    uint64_t factor[SC_MAX_DIMS];
    for (unsigned d = 0; d < c->e->n_dims; d++)
        factor[d] = 1;
    for (unsigned i = 0; i < loops->n; i++)
        factor[loops->dim[i]] = loops->factor[i];
    for (unsigned d = 0; d < c->e->n_dims; d++) {
        if (limits->fixed[d] > 0 && factor[d] != limits->fixed[d])
            breach(c, SC_BREACH_FACTOR, (int)d, limits->fixed[d], factor[d]);
        if (factor[d] < limits->min[d])
            breach(c, SC_BREACH_MIN, (int)d, limits->min[d], factor[d]);
        if (limits->max[d] > 0 && factor[d] > limits->max[d])
            breach(c, SC_BREACH_MAX, (int)d, limits->max[d], factor[d]);
    }
}

void sc_loop_ranks(uint8_t rank[SC_MAX_DIMS], const sc_loop_limits *limits)
{
    memset(rank, limits->n_inner, SC_MAX_DIMS);
    for (unsigned i = 0; i < limits->n_inner; i++)
        rank[limits->order[i]] = (uint8_t)i;
    for (unsigned i = 0; i < limits->n_outer; i++)
        rank[limits->order[SC_MAX_DIMS - limits->n_outer + i]] = (uint8_t)(limits->n_inner + 1 + i);
}

static void check_order(level_check *c, const sc_loops *loops, const sc_loop_limits *limits)
{
    uint8_t rank[SC_MAX_DIMS];
    unsigned inside = 0; /* loops met */
    uint8_t outermost = 0;
    sc_loop_ranks(rank, limits);
    for (unsigned i = 0; i < loops->n; i++) {
        const uint8_t own = rank[loops->dim[i]];
        if (loops->factor[i] == 1)
            continue;
        if (own < outermost) {
            uint64_t need = 0;
            for (unsigned k = 0; k < loops->n; k++)
                need += loops->factor[k] > 1 && rank[loops->dim[k]] < own;
            breach(c, SC_BREACH_ORDER, loops->dim[i], need, inside);
            return;
        }
        outermost = own;
        inside++;
    }
}

static void check_split(level_check *c, const sc_block *b)
{
    const sc_loop_limits *limits = &c->limits->spatial;
    const int n_free = c->e->n_dims - limits->n_inner - limits->n_outer, split = c->limits->split;
    uint8_t rank[SC_MAX_DIMS];
    int on[2] = {0, 0}; /* loops without a given place along X and Y */
    if (split < 0)
        return;
    sc_loop_ranks(rank, limits);
    for (unsigned i = 0; i < b->spatial.n; i++) {
        const unsigned dim = b->spatial.dim[i], axis = i >= b->split;
        if (b->spatial.factor[i] == 1 || b->diagonal >> i & 1)
            continue;
        if (rank[dim] == limits->n_inner) {
            on[axis]++;
            continue;
        }
        const int place = rank[dim] < limits->n_inner ? rank[dim] : rank[dim] - 1 + n_free;
        if (axis != (place >= split))
            breach(c, SC_BREACH_SPLIT, (int)dim, place >= split, axis);
    }
    int room = split - limits->n_inner;
    room = room < 0 ? 0 : room > n_free ? n_free : room;
    if (on[0] > room)
        breach(c, SC_BREACH_SPLIT, -1, (uint64_t)room, (uint64_t)on[0]);
    if (on[1] > n_free - room)
        breach(c, SC_BREACH_SPLIT, -1, (uint64_t)(on[0] + on[1] - (n_free - room)),
               (uint64_t)on[0]);
}

bool sc_map_constraints_places(const sc_level_limits *limits, const sc_block *b, const sc_einsum *e)
{
    level_check check = {limits, e, {SC_OBEYS, 0, -1, -1, true, 0, 0}};
    check_order(&check, &b->spatial, &limits->spatial);
    check_split(&check, b);
    return check.found.code == SC_OBEYS;
}

sc_breach sc_map_constraints_check(const sc_map_constraints *c, const sc_mapping *m,
                                   const sc_einsum *e)
{
    sc_breach none = {SC_OBEYS, 0, -1, -1, false, 0, 0};
    for (unsigned l = 0; l < m->n_levels; l++) {
        level_check check = {&c->level[l], e, none};
        const sc_block *b = &m->level[l];
        check.found.level = (int)l;
        check_kept(&check, b->keep);
        check_factors(&check, &b->temporal, &c->level[l].temporal);
        check_order(&check, &b->temporal, &c->level[l].temporal);
        if (check.found.code != SC_OBEYS)
            return check.found;
        check.found.spatial = true;
        check_factors(&check, &b->spatial, &c->level[l].spatial);
        check_order(&check, &b->spatial, &c->level[l].spatial);
        check_split(&check, b);
        if (check.found.code != SC_OBEYS)
            return check.found;
    }
    return none;
}
