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

/* Do neighbours under a level hand anything on, now that every loop is known? */
static bool links_matter(const sc_search *s, unsigned level)
{
    const bool macs = level + 1 == s->x.n_levels;
    for (unsigned i = 0; i < s->x.n_tensors; i++)
        if (s->linked[level] >> i & 1 && (macs || s->node[level + 1].keep >> i & 1) &&
            sc_grid_handed(&s->node[level + 1].tile, &s->x, i, &s->grid.fan[level], &s->loops,
                           s->first_loop[level + 1], macs) > 0)
            return true;
    return false;
}

/* Every arrangement under the spatial levels from f on; only the first where none differs. */
static void arrange(sc_search *s, sc_mapping *m, unsigned f)
{
    sc_arrangement a;
    if (f == s->spreads.n_fans) {
        if (s->x.limits && sc_map_constraints_check(s->x.limits, m, s->x.e).code != SC_OBEYS)
            return;
        count(s, m);
        return;
    }
    const unsigned level = s->spreads.level[f];
    const bool all = s->x.limits || (s->linked[level] && links_matter(s, level));
    if (!sc_arrangement_first(&a, &s->x, &s->grid, level))
        return;
    do {
        lay(&m->level[level], s, level, &a);
        arrange(s, m, f + 1);
    } while (all && sc_arrangement_next(&a, &s->x, &s->grid, level));
}

void sc_search_leaf(sc_search *s)
{
    sc_mapping m;
    build(&m, s);
    arrange(s, &m, 0);
}
