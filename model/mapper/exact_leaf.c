#include "model/mapper/exact_search.h"

#include <math.h>
#include <string.h>

static sc_loops time_loops(const sc_search *s, unsigned level)
{
    sc_loops loops = {.n = 0};
    for (unsigned j = s->first_loop[level + 1]; j < s->first_loop[level]; j++) {
        loops.dim[loops.n] = (uint8_t)s->x.dim[s->loops.dim[j]].dim;
        loops.factor[loops.n++] = (uint64_t)s->loops.factor[j];
    }
    return loops;
}

static void build(sc_mapping *m, const sc_search *s)
{
    memset(m, 0, sizeof *m);
    m->n_levels = (uint8_t)s->x.n_levels;
    for (unsigned l = 0; l < s->x.n_levels; l++) {
        m->level[l].keep = s->node[l].keep;
        m->level[l].temporal = time_loops(s, l);
    }
}

static void lay(sc_block *b, const sc_search *s, unsigned level, const sc_arrangement *a)
{
    b->spatial.n = (uint8_t)a->n;
    b->split = (uint8_t)a->split;
    for (unsigned i = 0; i < a->n; i++) {
        b->spatial.dim[i] = (uint8_t)s->x.dim[a->dim[i]].dim;
        b->spatial.factor[i] = sc_shape_extent(&s->x, &s->grid.fan[level], a->dim[i]);
    }
}

static void lay_any(sc_block *b, const sc_search *s, unsigned level)
{
    sc_arrangement a;
    if (sc_arrangement_first(&a, &s->x, &s->grid, level))
        lay(b, s, level, &a);
}

static void count(sc_search *s, const sc_mapping *m)
{
    const sc_space *x = &s->x;
    sc_counts counts;
    sc_cost cost;
    s->best.evaluations++;
    if (sc_mapping_fit(m, x->e, x->a).code != SC_FITS)
        return;
    if (sc_count_with(&counts, &s->plan, x->a, m, &x->o->count) != SC_OK)
        return; /* more than 2^63 accesses: never the best */
    sc_cost_of(&cost, &counts, (double)counts.compute_cycles, x->e, x->a);
    const double value = sc_goal_value(&x->o->goal, cost.energy_pj, cost.cycles);
    const double tie = sc_goal_tie(&x->o->goal, cost.energy_pj, cost.cycles);
    if (sc_search_worse(s, value, tie))
        return;
    s->best.found = true;
    s->best.mapping = *m;
    s->best.counts = counts;
    s->best.cost = cost;
    s->best.value = value;
    s->tie = tie;
}

/* What links can do under a level, now that every loop is known. */
typedef struct saving {
    bool some; /* neighbours may hand on words: how children lie counts */
    double pj; /* at most */
} saving;

/* Energy of a word served by the dearest level outside the children. */
static double dearest_pj(const sc_space *x, unsigned level, unsigned tensor)
{
    double dearest = 0;
    for (unsigned l = 0; l <= level; l++) {
        const sc_xlevel *v = &x->level[l];
        if (v->charged > 0)
            dearest = fmax(dearest, (v->pj[tensor].read + v->pj[tensor].update) / v->charged);
    }
    return dearest;
}

/* Children of a level for one that it serves, all of different tiles: fewer only if windows
 * overlap.
 */
static double sharers(const sc_search *s, unsigned level, unsigned tensor)
{
    const sc_level *v = &s->x.a->level[level];
    double idle = 1;
    if (tensor == s->x.output ? v->no_reduction : v->no_multicast)
        return 1;
    for (unsigned d = 0; d < s->x.n_dims; d++)
        if (!(s->x.tensor[tensor].relevant >> d & 1))
            idle *= (double)sc_shape_extent(&s->x, &s->grid.fan[level], d);
    return idle;
}

/* Energy by which whole blocks, and averages of whole words, may differ from the words' own. */
static double rounding_pj(const sc_search *s)
{
    double pj = 0;
    for (unsigned l = 0; l < s->x.n_levels; l++) {
        const sc_level *v = &s->x.a->level[l];
        pj += 2 * s->grid.used[l] * (v->read_pj + v->write_pj + v->update_pj);
    }
    return pj;
}

static saving links_save(const sc_search *s, unsigned level)
{
    const sc_space *x = &s->x;
    const bool macs = level + 1 == x->n_levels;
    const sc_xtile *child = &s->node[level + 1].tile;
    sc_xstep step;
    saving out = {false, 0};
    if (!s->linked[level])
        return out;
    sc_grid_step(&step, x, &s->grid, level, child);
    for (unsigned i = 0; i < x->n_tensors; i++) {
        if (!(s->linked[level] >> i & 1))
            continue;
        const double handed = step.child_used * sc_grid_handed(child, x, i, &s->grid, &s->loops,
                                                               s->first_loop[level + 1], &step);
        if (handed == 0)
            continue;
        out.some = true;
        out.pj += rounding_pj(s);
        if (!macs && !(s->node[level + 1].keep >> i & 1)) {
            /* Words pass in the shares in which they would be served with links. */
            out.pj += step.passed[i] < step.share[i] ? HUGE_VAL : 0;
            continue;
        }
        out.pj += handed / sharers(s, level, i) * dearest_pj(x, level, i);
        if (!macs && x->level[level + 1].charged > 0)
            out.pj += handed * (1 - step.peers) * x->level[level + 1].pj[i].write /
                      x->level[level + 1].charged;
    }
    return out;
}

/* Every arrangement under the spatial levels from f on; only the first where links do nothing.
 */
static void arrange(sc_search *s, sc_mapping *m, unsigned f, const saving *saved)
{
    sc_arrangement a;
    if (f == s->spreads.n_fans) {
        if (s->x.limits && sc_map_constraints_check(s->x.limits, m, s->x.e).code != SC_OBEYS)
            return;
        count(s, m);
        return;
    }
    const unsigned level = s->spreads.level[f];
    const bool all = s->x.limits || saved[level].some;
    if (!sc_arrangement_first(&a, &s->x, &s->grid, level))
        return;
    do {
        lay(&m->level[level], s, level, &a);
        arrange(s, m, f + 1, saved);
    } while (all && sc_arrangement_next(&a, &s->x, &s->grid, level));
}

/* Is the mapping worse than the best whatever links save? Time is that without links, as what they
 * save of a bandwidth is not looked at: then only if no level's bandwidth sets it. */
static bool links_cannot_help(const sc_search *s, const sc_mapping *m, double saved)
{
    const sc_space *x = &s->x;
    sc_count_options plain = x->o->count;
    sc_counts counts;
    sc_cost cost;
    plain.links = SC_LINKS_NONE;
    if (sc_count_with(&counts, &s->plan, x->a, m, &plain) != SC_OK)
        return false;
    sc_cost_of(&cost, &counts, (double)counts.compute_cycles, x->e, x->a);
    const double cycles = fmin(cost.cycles, (double)counts.compute_cycles);
    for (unsigned l = 0; l < x->n_levels; l++)
        saved += cost.leak_pj[l] * (1 - cycles / cost.cycles);
    const double energy = fmax(cost.energy_pj - saved, 0);
    return sc_search_worse(s, sc_goal_value(&x->o->goal, energy, cycles),
                           sc_goal_tie(&x->o->goal, energy, cycles));
}

void sc_search_leaf(sc_search *s)
{
    saving saved[SC_MAX_LEVELS];
    bool some = false;
    double pj = 0;
    sc_mapping m;
    build(&m, s);
    for (unsigned l = 0; l < s->x.n_levels; l++) {
        saved[l] = links_save(s, l);
        some = some || saved[l].some;
        pj += saved[l].pj;
    }
    for (unsigned l = 0; l < s->x.n_levels && some; l++)
        lay_any(&m.level[l], s, l);
    if (!some || !links_cannot_help(s, &m, pj))
        arrange(s, &m, 0, saved);
}
