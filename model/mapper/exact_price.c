#include "model/mapper/exact_price.h"

#include <math.h>

/* Levels of reference files leak where they keep something and are used; in ours all leak. */
static double leak_of(const sc_search *s, unsigned level, uint8_t keep)
{
    const sc_level *l = &s->x.a->level[level];
    if (l->word_bits == 0)
        return l->leak_pj * (double)l->instances;
    return keep ? l->leak_pj * s->grid.used[level] : 0;
}

unsigned sc_expansion_append(sc_expansion *e)
{
    sc_search *s = e->s;
    const unsigned n = s->loops.n;
    for (unsigned i = 0; i < e->order.n; i++) {
        const unsigned d = e->order.dim[i];
        s->loops.dim[n + i] = (uint8_t)d;
        s->loops.factor[n + i] = (double)sc_shape_extent(&s->x, &e->factor, d);
        s->loops.step[n + i] = (double)sc_shape_extent(&s->x, &e->start, d);
    }
    s->loops.n = n + e->order.n;
    return n;
}

/* What a level has to be filled with, and what it gives up, with all loops known so far.
 * @param child  the level, n_levels: the MACs. @param pending  words asked for from inside it. */
static void fill(sc_expansion *e, unsigned child, const sc_xrest *rest, const double *pending,
                 double *pj, double *reads, double *writes)
{
    sc_search *s = e->s;
    const sc_space *x = &s->x;
    const sc_node *n = &s->node[child];
    const sc_xstep *step = &s->step[child - 1];
    const bool macs = child == x->n_levels;
    const unsigned from = s->first_loop[child];
    for (unsigned i = 0; i < x->n_tensors; i++) {
        const bool kept = n->keep >> i & 1;
        e->received[i] = pending[i];
        e->handed[i] = 0;
        if ((macs || kept) && step->linked[i] < step->share[i])
            e->handed[i] =
                step->child_used * sc_grid_handed(&n->tile, x, i, &s->grid, &s->loops, from, step);
        e->settled = e->settled && step->linked[i] >= step->share[i];
        e->passed[i] = step->passed[i];
        if (!kept && !macs && step->passed[i] < step->share[i])
            e->passed[i] =
                sc_grid_passed(&n->tile, x, i, &s->grid, &s->loops, from, step,
                               sc_xtile_fill_known(&n->tile, x, i, &s->loops, from, rest));
        if (!kept)
            continue;
        e->received[i] =
            step->child_used * sc_xtile_fill_known(&n->tile, x, i, &s->loops, from, rest);
        e->settled = e->settled && sc_xtile_settled(x, i, &s->loops, from, rest->outer);
        double filled = sc_bound_filled(x, step, i, e->received[i], e->handed[i]);
        const double drained = i == x->output ? sc_bound_drained(x, filled, step->child_part) : 0;
        *pj += sc_bound_fill(x, child, i, filled, step->child_part, step->child_used);
        if (i == x->output && !x->o->count.charge_first_read)
            filled -= step->child_part;
        if (filled > 0)
            *writes += filled * x->level[child].unit[i];
        *reads += drained * x->level[child].unit[i];
    }
}

/* What a level serves over the boundary under it if it keeps a set, and what it asks for in turn.
 */
static void serve(const sc_expansion *e, unsigned level, uint8_t set, double *pending, double *pj,
                  double *reads, double *writes)
{
    const sc_space *x = &e->s->x;
    const sc_xstep *step = &e->s->step[level];
    for (unsigned i = 0; i < x->n_tensors; i++) {
        const bool below = level + 1 == x->n_levels || e->s->node[level + 1].keep >> i & 1;
        double words = below ? sc_bound_served(step, i, e->received[i], e->handed[i])
                             : e->received[i] * e->passed[i];
        pending[i] = words;
        if (!(set >> i & 1))
            continue;
        const double spared = e->handed[i] > 0 ? e->received[i] * step->share[i] - words : 0;
        words = sc_bound_rounded(x, step, i, below, words);
        *pj += sc_bound_step(x, step, i, words, spared);
        sc_bound_traffic(x, level, i, words, step->part, reads, writes);
    }
}

static double level_cycles(const sc_search *s, unsigned level, double reads, double writes)
{
    return sc_bound_cycles(&s->x.a->level[level], s->grid.used[level], reads, writes);
}

/* What is left outside the loops known: of those of the outer level whose order is not, too. */
typedef struct unknown {
    double outer[SC_MAX_DIMS], next[SC_MAX_DIMS], factor[SC_MAX_DIMS];
} unknown;

static sc_xrest rest_of(const sc_expansion *e, unknown *u)
{
    const sc_space *x = &e->s->x;
    if (!e->rest)
        return (sc_xrest){e->next.tile.left, e->next.tile.extent, 0, NULL};
    for (unsigned d = 0; d < x->n_dims; d++) {
        const bool here = e->rest >> d & 1;
        u->factor[d] = here ? (double)sc_shape_extent(x, &e->factor, d) : 1;
        u->outer[d] = e->next.tile.left[d] * u->factor[d];
        u->next[d] = here ? (double)sc_shape_extent(x, &e->start, d) : e->next.tile.extent[d];
    }
    return (sc_xrest){u->outer, u->next, e->rest, u->factor};
}

void sc_expansion_receive(sc_expansion *e)
{
    sc_search *s = e->s;
    const sc_space *x = &s->x;
    const unsigned n = sc_expansion_append(e);
    double pending[SC_MAX_TENSORS], reads = 0, writes = 0;
    unknown u;
    const sc_xrest rest = rest_of(e, &u);
    e->inner_pj = 0;
    e->inner_cycles = s->node[x->n_levels].cycles;
    e->settled = s->exact_shares && !e->rest;
    for (unsigned i = 0; i < SC_MAX_TENSORS; i++)
        pending[i] = x->macs;
    for (unsigned child = x->n_levels; child >= e->inner; child--) {
        fill(e, child, &rest, pending, &e->inner_pj, &reads, &writes);
        if (child < x->n_levels)
            e->inner_cycles = fmax(e->inner_cycles, level_cycles(s, child, reads, writes));
        reads = writes = 0;
        if (child > e->inner)
            serve(e, child - 1, s->node[child - 1].keep, pending, &e->inner_pj, &reads, &writes);
    }
    s->loops.n = n;
}

void sc_expansion_complete(sc_expansion *e, uint8_t set)
{
    sc_node *next = &e->next;
    double reads = 0, writes = 0;
    next->keep = set;
    next->paid = e->inner_pj;
    next->leak = e->from->leak + leak_of(e->s, e->outer, set);
    serve(e, e->outer, set, next->pending, &next->paid, &reads, &writes);
    next->cycles = fmax(e->inner_cycles, level_cycles(e->s, e->outer, reads, writes));
    e->reads = reads;
    e->writes = writes;
}

bool sc_expansion_beaten(sc_expansion *e)
{
    sc_search *s = e->s;
    double size[SC_FRONTIER_SIZES] = {e->next.paid, e->next.cycles, e->reads, e->writes,
                                      e->next.leak};
    if (!e->settled || e->outer == 0)
        return false;
    for (unsigned i = 0; i < s->x.n_tensors; i++)
        size[5 + i] = e->next.keep >> i & 1 ? 0 : e->next.pending[i];
    const uint64_t key = ((uint64_t)e->at << 4 | e->outer) << SC_MAX_TENSORS | e->next.keep;
    return !sc_frontier_add(&s->frontier, key, size, s->margin[e->outer]);
}
