#include "model/mapper/imperfect.h"

#include <math.h>
#include <string.h>

#include "core/mem.h"
#include "model/mapper/exact_fit.h"
#include "model/mapper/imperfect_space.h"

enum {
    ARENA_BYTES = 1 << 16,
    NODES_A_MAPPING = 100, /* of the search of perfect factors take as long as one count here */
    START_NODES = 50000,   /* of a search for a start among perfect factors of padded bounds */
    STARTS = 5
};

void sc_last_iterations(uint64_t last[SC_MAX_LEVELS][2][SC_MAX_DIMS], const sc_mapping *m,
                        const sc_einsum *e)
{
    for (unsigned l = 0; l < SC_MAX_LEVELS; l++)
        for (unsigned d = 0; d < SC_MAX_DIMS; d++)
            last[l][0][d] = last[l][1][d] = 1;
    for (unsigned d = 0; d < e->n_dims; d++) {
        uint64_t rest = e->bound[d] - 1;
        for (unsigned l = m->n_levels; l-- > 0;)
            for (int block = 1; block >= 0; block--) {
                const sc_loops *loops = block ? &m->level[l].spatial : &m->level[l].temporal;
                for (unsigned i = 0; i < loops->n; i++)
                    if (loops->dim[i] == d) {
                        last[l][block][d] = rest % loops->factor[i] + 1;
                        rest /= loops->factor[i];
                    }
            }
    }
}

/* ---- one mapping ---- */

bool sc_ragged_lay(sc_ragged *r)
{
    const sc_space *x = r->x;
    for (unsigned l = 0; l < x->n_levels; l++) {
        sc_block *b = &r->m.level[l];
        if (!sc_limits_lay(b, &x->a->level[l], &r->limits.level[l], x->e, r->factor[l][SC_IN_SPACE],
                           NULL))
            return false;
        b->temporal.n = 0;
        for (unsigned d = 0; d < x->e->n_dims; d++)
            if (r->factor[l][SC_IN_TIME][d] > 1) {
                b->temporal.dim[b->temporal.n] = (uint8_t)d;
                b->temporal.factor[b->temporal.n++] = r->factor[l][SC_IN_TIME][d];
            }
        sc_limits_sort(&b->temporal, &r->limits.level[l].temporal, -1);
    }
    return true;
}

static bool outermost_keeps_all(const sc_ragged *r, const sc_mapping *m)
{
    return m->level[0].keep == r->x->level[0].may && r->limits.level[0].must_bypass == 0;
}

void sc_ragged_try(sc_ragged *r, const sc_mapping *m)
{
    const sc_space *x = r->x;
    sc_counts counts;
    sc_cost cost;
    r->value = r->value_tie = HUGE_VAL;
    if (!outermost_keeps_all(r, m) || sc_mapping_fit(m, x->e, x->a).code != SC_FITS ||
        sc_map_constraints_check(&r->limits, m, x->e).code != SC_OBEYS)
        return;
    r->left -= r->left < UINT64_MAX;
    r->best.evaluations++;
    const sc_status st = sc_count_with(&counts, &r->plan, x->a, m, &x->o->count);
    if (st == SC_EINVAL) {
        r->refused = true;
        return;
    }
    if ((r->status = st) != SC_OK)
        return;
    sc_cost_of(&cost, &counts, (double)counts.compute_cycles, x->e, x->a);
    r->value = sc_goal_value(&x->o->goal, cost.energy_pj, cost.cycles);
    r->value_tie = sc_goal_tie(&x->o->goal, cost.energy_pj, cost.cycles);
    if (r->best.found &&
        !(r->value < r->best.value || (r->value == r->best.value && r->value_tie < r->tie)))
        return;
    r->best.found = true;
    r->best.mapping = *m;
    r->best.counts = counts;
    r->best.cost = cost;
    r->best.value = r->value;
    r->tie = r->value_tie;
}

/* ---- starts ---- */

/* The bounds rounded up so that they divide more often: by the n-th way. */
static uint64_t padded(const sc_arch *a, uint64_t bound, unsigned n)
{
    uint64_t to = 1;
    switch (n) {
    case 0: to = 2; break;
    case 1: to = 4; break;
    case 2: to = 6; break;
    default:
        for (unsigned l = 0; l < a->n_levels && to == 1; l++)
            to = n == 3 ? a->level[l].fanout_x : a->level[l].fanout_y;
    }
    return bound == 1 || to > bound ? bound : (bound + to - 1) / to * to;
}

/* The best of perfect factors, of the bounds and of some padded ones, each improved. */
static sc_status improve_starts(sc_imperfect *out, sc_ragged *r)
{
    const sc_space *x = r->x;
    sc_exact_options o = *x->o;
    sc_exact start;
    if (__builtin_mul_overflow(o.node_budget, NODES_A_MAPPING, &o.node_budget))
        o.node_budget = 0;
    sc_status st = sc_exact_map(&start, x->e, x->a, &o);
    if (st != SC_OK)
        return st;
    out->perfect_found = start.found;
    out->perfect_optimal = start.optimal;
    out->perfect_value = start.value;
    if (start.found)
        sc_ragged_improve(r, &start.mapping);
    o.node_budget = START_NODES;
    for (unsigned n = 0; n < STARTS && r->status == SC_OK; n++) {
        sc_einsum e = *x->e;
        for (unsigned d = 0; d < e.n_dims; d++)
            e.bound[d] = padded(x->a, e.bound[d], n);
        if (memcmp(e.bound, x->e->bound, sizeof e.bound) == 0)
            continue;
        st = sc_exact_map(&start, &e, x->a, &o);
        if (st != SC_OK && st != SC_ERANGE)
            return st;
        if (st == SC_OK && start.found)
            sc_ragged_improve(r, &start.mapping);
    }
    return r->status;
}

/* ---- all ---- */

static void prepare(sc_ragged *r, const sc_space *x)
{
    memset(r, 0, sizeof *r);
    r->x = x;
    if (x->limits)
        r->limits = *x->limits;
    else
        sc_map_constraints_init(&r->limits, x->n_levels);
    r->m.n_levels = (uint8_t)x->n_levels;
    r->left = x->o->node_budget > 0 ? x->o->node_budget : UINT64_MAX;
    sc_count_plan_init(&r->plan, x->e);
    sc_least_of(&r->least, x);
}

/* Few enough sets of factors that the walk may end in time. */
static bool worth_walking(const sc_ragged *r)
{
    return r->x->o->node_budget == 0 || sc_ragged_sets(r) <= (double)r->left;
}

sc_status sc_imperfect_map(sc_imperfect *out, const sc_einsum *e, const sc_arch *a,
                           const sc_exact_options *o)
{
    sc_exact_options own = *o;
    sc_imperfect found = {.walked = false};
    sc_arena *arena = NULL;
    sc_ragged *r = sc_calloc(1, sizeof *r);
    sc_space x;
    sc_status st;
    if (!r)
        return SC_ENOMEM;
    own.count.links = SC_LINKS_NONE;
    own.count.pad = false;
    if ((st = sc_arena_create(&arena, ARENA_BYTES)) != SC_OK ||
        (st = sc_space_init(&x, arena, e, a, &own)) != SC_OK)
        goto done;
    prepare(r, &x);
    if ((st = improve_starts(&found, r)) != SC_OK)
        goto done;
    found.walked = worth_walking(r) && sc_ragged_walk(r);
    if ((st = r->status) != SC_OK)
        goto done;
    found.best = r->best;
    const double bound = sc_least_value(&r->least, &own.goal, 0);
    const bool all = found.walked && !r->refused && r->best.found;
    found.best.bound = all ? r->best.value : r->best.found ? fmin(bound, r->best.value) : bound;
    found.best.optimal = r->best.found && found.best.bound >= r->best.value * (1 - 1e-9);
    *out = found;
done:
    sc_arena_destroy(arena);
    sc_free(r);
    return st;
}
