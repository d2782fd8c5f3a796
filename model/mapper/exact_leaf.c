#include "model/mapper/exact_search.h"
#include "model/mapper/exact_served.h"

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

/* Is it known exactly how many of the children need different words? */
static bool groups_are_known(const sc_search *s, const sc_xstep *step, unsigned tensor)
{
    return sc_served_known(&s->grid, step->level) &&
           sc_served_least(&s->x, &s->grid, step->level, tensor, &s->node[step->level + 1].tile)
                   .all > 0;
}

/* Words that pass children by which do not keep them do so in the mixture of shares that links
 * would make: of all words that the first level to keep them serves, some. */
static double passing_saves(const sc_search *s, const sc_counts *plain, const sc_xstep *step,
                            unsigned tensor)
{
    const sc_xtile *child = &s->node[step->level + 1].tile;
    const unsigned from = s->first_loop[step->level + 1];
    const sc_xrest none = {child->left, child->extent, 0, NULL};
    unsigned keeper = step->level;
    if (step->passed[tensor] >= step->share[tensor])
        return 0;
    if (!groups_are_known(s, step, tensor))
        return HUGE_VAL;
    while (keeper > 0 && !(s->node[keeper].keep >> tensor & 1))
        keeper--;
    const sc_access *at = &plain->at[keeper][tensor];
    const double words = (double)(tensor == s->x.output ? at->updates : at->reads);
    const double received = sc_xtile_fill_known(child, &s->x, tensor, &s->loops, from, &none);
    const double passed =
        sc_grid_passed(child, &s->x, tensor, &s->grid, &s->loops, from, step, received);
    return (1 - passed / step->share[tensor]) * words * s->grid.used[keeper] *
           dearest_pj(&s->x, keeper, tensor);
}

/* Words that neighbours under a level may hand on of one tensor, all children together. */
static double handed_on(const sc_search *s, unsigned level, unsigned tensor, const sc_xstep *step)
{
    return step->child_used * sc_grid_handed(&s->node[level + 1].tile, &s->x, tensor, &s->grid,
                                             &s->loops, s->first_loop[level + 1], step);
}

/* Energy that links under a level save at most, all loops known. @param plain  counts without. */
static double links_save(const sc_search *s, unsigned level, const sc_counts *plain)
{
    const sc_space *x = &s->x;
    const bool macs = level + 1 == x->n_levels;
    sc_xstep step;
    double pj = 0;
    sc_grid_step(&step, x, &s->grid, level, &s->node[level + 1].tile, true);
    for (unsigned i = 0; i < x->n_tensors; i++) {
        const double handed = s->linked[level] >> i & 1 ? handed_on(s, level, i, &step) : 0;
        if (handed == 0)
            continue;
        pj += rounding_pj(s);
        if (!macs && !(s->node[level + 1].keep >> i & 1)) {
            pj += passing_saves(s, plain, &step, i);
            continue;
        }
        pj += handed * dearest_pj(x, level, i) *
              (groups_are_known(s, &step, i) ? step.share[i] - step.left[i]
                                             : 1 / sharers(s, level, i));
        if (!macs && x->level[level + 1].charged > 0)
            pj += handed * (1 - step.peers) * x->level[level + 1].pj[i].write /
                  x->level[level + 1].charged;
    }
    return pj;
}

/* Can neighbours under a level hand on words: does it count how children lie? */
static bool has_links(const sc_search *s, unsigned level)
{
    sc_xstep step;
    if (!s->linked[level])
        return false;
    sc_grid_step(&step, &s->x, &s->grid, level, &s->node[level + 1].tile, true);
    for (unsigned i = 0; i < s->x.n_tensors; i++)
        if (s->linked[level] >> i & 1 && handed_on(s, level, i, &step) > 0)
            return true;
    return false;
}

/* Every arrangement under the spatial levels from f on; only the first where links do nothing.
 * @param linked  levels under which they do, bit 1 << level. */
static void arrange(sc_search *s, sc_mapping *m, unsigned f, unsigned linked)
{
    sc_arrangement a, last = {0};
    if (f == s->spreads.n_fans) {
        if (s->x.limits && sc_map_constraints_check(s->x.limits, m, s->x.e).code != SC_OBEYS)
            return;
        count(s, m);
        return;
    }
    const unsigned level = s->spreads.level[f];
    const bool all = s->x.limits || linked >> level & 1;
    if (!sc_arrangement_first(&a, &s->x, &s->grid, level))
        return;
    do {
        if (!s->x.limits && a.n > 0 && !sc_arrangement_differs(&a, &last, &s->x))
            continue;
        last = a;
        lay(&m->level[level], s, level, &a);
        arrange(s, m, f + 1, linked);
    } while (all && sc_arrangement_next(&a, &s->x, &s->grid, level));
}

/* Is the mapping worse than the best whatever links save? Of what bandwidths set the search has a
 * bound that holds with links. */
static bool links_cannot_help(const sc_search *s, const sc_mapping *m, unsigned linked)
{
    const sc_space *x = &s->x;
    sc_count_options plain = x->o->count;
    sc_counts counts;
    sc_cost cost;
    double saved = 0;
    plain.links = SC_LINKS_NONE;
    if (sc_count_with(&counts, &s->plan, x->a, m, &plain) != SC_OK)
        return false;
    sc_cost_of(&cost, &counts, (double)counts.compute_cycles, x->e, x->a);
    const double cycles = fmin(cost.cycles, fmax((double)counts.compute_cycles, s->node[0].cycles));
    for (unsigned l = 0; l < x->n_levels; l++) {
        saved += linked >> l & 1 ? links_save(s, l, &counts) : 0;
        saved += cost.leak_pj[l] * (1 - cycles / cost.cycles);
    }
    const double energy = fmax(cost.energy_pj - saved, 0);
    return sc_search_worse(s, sc_goal_value(&x->o->goal, energy, cycles),
                           sc_goal_tie(&x->o->goal, energy, cycles));
}

void sc_search_leaf(sc_search *s)
{
    unsigned linked = 0;
    sc_mapping m;
    build(&m, s);
    for (unsigned l = 0; l < s->x.n_levels; l++)
        linked |= (unsigned)has_links(s, l) << l;
    for (unsigned l = 0; l < s->x.n_levels && linked; l++)
        lay_any(&m.level[l], s, l);
    if (!linked || !links_cannot_help(s, &m, linked))
        arrange(s, &m, 0, linked);
}
