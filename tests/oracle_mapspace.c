#include "oracle_mapspace.h"

#include <stdlib.h>
#include <string.h>

typedef struct walk {
    const oracle_problem *p;
    oracle_result *out; /* NULL: only the size is asked for */
    uint64_t size, looked, most;
    sc_count_plan plan;
    sc_mapping m;
    uint64_t time[SC_MAX_LEVELS][SC_MAX_DIMS], space[SC_MAX_LEVELS][SC_MAX_DIMS];
} walk;

double oracle_value(const oracle_problem *p, unsigned goal, double energy_pj, double cycles)
{
    switch (goal) {
    case ORACLE_ENERGY: return energy_pj;
    case ORACLE_CYCLES: return cycles;
    case ORACLE_EDP: return energy_pj * cycles;
    case ORACLE_ED2P: return energy_pj * cycles * cycles;
    default: return p->energy_weight * energy_pj + p->cycle_weight * cycles;
    }
}

double oracle_tie(unsigned goal, double energy_pj, double cycles)
{
    return goal == ORACLE_ENERGY ? cycles : energy_pj;
}

static void take(oracle_best *b, double value, double tie, const sc_cost *cost, const sc_mapping *m)
{
    if (value < b->value * (1 - 1e-9) || (value <= b->value * (1 + 1e-9) && tie < b->near_tie))
        b->near_tie = tie;
    if (value < b->value || (value == b->value && tie < b->tie)) {
        b->value = value;
        b->tie = tie;
        b->energy_pj = cost->energy_pj;
        b->cycles = cost->cycles;
        b->mapping = *m;
    }
}

static void evaluate(walk *w)
{
    const oracle_problem *p = w->p;
    sc_counts counts;
    sc_cost cost;
    w->out->fitting++;
    if (p->constrained && sc_map_constraints_check(&p->limits, &w->m, &p->e).code != SC_OBEYS)
        return;
    if (sc_count_with(&counts, &w->plan, &p->a, &w->m, &p->count) != SC_OK)
        abort();
    sc_cost_of(&cost, &counts, (double)counts.compute_cycles, &p->e, &p->a);
    for (unsigned g = 0; g < ORACLE_GOALS; g++) {
        oracle_best *b = &w->out->best[g];
        const double value = oracle_value(p, g, cost.energy_pj, cost.cycles);
        const double tie = oracle_tie(g, cost.energy_pj, cost.cycles);
        if (w->out->found == 0)
            *b = (oracle_best){value, tie, tie, cost.energy_pj, cost.cycles, w->m};
        else
            take(b, value, tie, &cost, &w->m);
    }
    w->out->found++;
}

/* Loops above factor 1, by dimension. */
static void gather(sc_loops *loops, const uint64_t *factor, unsigned n_dims)
{
    loops->n = 0;
    for (unsigned d = 0; d < n_dims; d++)
        if (factor[d] > 1) {
            loops->dim[loops->n] = (uint8_t)d;
            loops->factor[loops->n++] = factor[d];
        }
}

static void swap(sc_loops *loops, unsigned i, unsigned j)
{
    const uint8_t dim = loops->dim[i];
    const uint64_t factor = loops->factor[i];
    loops->dim[i] = loops->dim[j];
    loops->factor[i] = loops->factor[j];
    loops->dim[j] = dim;
    loops->factor[j] = factor;
}

/* Below a level without a fan-out stands one MAC, which takes each of its operands once a step
 * whatever the order of the steps; tiles and what passes above them are the same too. An order that
 * is asked for matters, to obey it. The test of the oracle compares counts over all such orders. */
static bool one_order_will_do(const oracle_problem *p, unsigned l)
{
    const sc_level *v = &p->a.level[l];
    return l + 1 == p->a.n_levels && v->fanout_x * v->fanout_y == 1 && !p->every_order &&
           !p->constrained;
}

/* All orders of the temporal loops of levels l.., of which the first `placed` of level l stand. */
static void walk_orders(walk *w, unsigned l, unsigned placed)
{
    if (l == w->p->a.n_levels) {
        evaluate(w);
        return;
    }
    sc_loops *loops = &w->m.level[l].temporal;
    if (placed >= loops->n || one_order_will_do(w->p, l)) {
        walk_orders(w, l + 1, 0);
        return;
    }
    for (unsigned i = placed; i < loops->n; i++) {
        swap(loops, placed, i);
        walk_orders(w, l, placed + 1);
        swap(loops, placed, i);
    }
}

static uint64_t count_orders(const walk *w)
{
    uint64_t n = 1;
    for (unsigned l = 0; l < w->p->a.n_levels; l++)
        for (unsigned i = 2; i <= w->m.level[l].temporal.n && !one_order_will_do(w->p, l); i++)
            n *= i;
    return n;
}

/* Whether the size is known to be past the most, or to take too long to find. */
static bool too_many(const walk *w)
{
    return !w->out && (w->size > w->most || w->looked / 4 > w->most);
}

/* Whether a mapping is well formed and fits depends on factors, sides and kept tensors, not on
 * orders. */
static void try_orders(walk *w)
{
    const oracle_problem *p = w->p;
    w->looked++;
    if (sc_mapping_check(&w->m, &p->e, &p->a) != SC_OK)
        abort();
    if (sc_mapping_fit(&w->m, &p->e, &p->a).code != SC_FITS)
        return;
    if (w->out)
        walk_orders(w, 0, 0);
    else
        w->size += count_orders(w);
}

static void walk_kept(walk *w, unsigned l)
{
    const unsigned all = (1u << w->p->e.n_tensors) - 1;
    if (too_many(w))
        return;
    if (l == w->p->a.n_levels) {
        try_orders(w);
        return;
    }
    for (unsigned keep = l == 0 ? all : 0; keep <= all; keep++) {
        w->m.level[l].keep = (uint8_t)keep;
        walk_kept(w, l + 1);
    }
}

/* Whether the two sides of level l have room for its spatial loops: sc_mapping_fit would say the
 * same, for every set of kept tensors anew. */
static bool has_room(const walk *w, unsigned l)
{
    const sc_block *b = &w->m.level[l];
    uint64_t x = 1, y = 1;
    for (unsigned i = 0; i < b->spatial.n; i++)
        *(i < b->split ? &x : &y) *= b->spatial.factor[i];
    return x <= w->p->a.level[l].fanout_x && y <= w->p->a.level[l].fanout_y;
}

/* All orders of the spatial loops and all splits of each order: every pair of a list along X and a
 * list along Y, once. */
static void walk_sides(walk *w, unsigned l, unsigned placed)
{
    if (l == w->p->a.n_levels) {
        walk_kept(w, 0);
        return;
    }
    sc_block *b = &w->m.level[l];
    if (placed == b->spatial.n) {
        for (b->split = 0; b->split <= b->spatial.n; b->split++)
            if (has_room(w, l))
                walk_sides(w, l + 1, 0);
        return;
    }
    for (unsigned i = placed; i < b->spatial.n; i++) {
        swap(&b->spatial, placed, i);
        walk_sides(w, l, placed + 1);
        swap(&b->spatial, placed, i);
    }
}

static void try_factors(walk *w)
{
    for (unsigned l = 0; l < w->p->a.n_levels; l++) {
        gather(&w->m.level[l].temporal, w->time[l], w->p->e.n_dims);
        gather(&w->m.level[l].spatial, w->space[l], w->p->e.n_dims);
    }
    walk_sides(w, 0, 0);
}

/* All ways to write what is left of dimension d's bound as a product over blocks `block`.., two a
 * level, and so on for the dimensions after it. */
static void walk_factors(walk *w, unsigned d, unsigned block, uint64_t left)
{
    const oracle_problem *p = w->p;
    if (too_many(w))
        return;
    if (block == 2 * p->a.n_levels) {
        if (left > 1)
            return;
        if (d + 1 < p->e.n_dims)
            walk_factors(w, d + 1, 0, p->e.bound[d + 1]);
        else
            try_factors(w);
        return;
    }
    const sc_level *v = &p->a.level[block / 2];
    uint64_t *factor = block % 2 ? w->space[block / 2] : w->time[block / 2];
    const uint64_t most = block % 2 ? v->fanout_x * v->fanout_y : left;
    for (uint64_t f = 1; f <= left && f <= most; f++) {
        if (left % f)
            continue;
        factor[d] = f;
        walk_factors(w, d, block + 1, left / f);
    }
}

static void start(walk *w, const oracle_problem *p, oracle_result *out)
{
    memset(w, 0, sizeof *w);
    w->p = p;
    w->out = out;
    w->m.n_levels = (uint8_t)p->a.n_levels;
    sc_count_plan_init(&w->plan, &p->e);
}

uint64_t oracle_mapspace_size(const oracle_problem *p, uint64_t most)
{
    walk w;
    start(&w, p, NULL);
    w.most = most;
    walk_factors(&w, 0, 0, p->e.bound[0]);
    return too_many(&w) && w.size <= most ? most + 1 : w.size;
}

void oracle_mapspace(oracle_result *out, const oracle_problem *p)
{
    walk w;
    memset(out, 0, sizeof *out);
    start(&w, p, out);
    walk_factors(&w, 0, 0, p->e.bound[0]);
}
