#include <math.h>
#include <string.h>

#include "model/mapper/array_grid.h"

/* ---- units ---- */

/* Dimensions that windows of some tensor join with d, over any number of tensors. */
static uint16_t joined_with(const sc_array_space *s, unsigned d)
{
    uint16_t joined = (uint16_t)(1u << d), before = 0;
    while (joined != before) {
        before = joined;
        for (unsigned k = 0; k < s->n_dims; k++)
            for (unsigned t = 0; before >> k & 1 && t < s->n_tensors; t++)
                joined |= s->window[t][k];
    }
    return joined;
}

bool sc_grid_ways_init(sc_grid_ways *g, const sc_array_space *s, unsigned grid)
{
    uint16_t seen = 0;
    g->space = s;
    g->on = &s->grid[grid];
    g->longest = g->on->x > g->on->y ? g->on->x : g->on->y;
    g->n_units = g->n_ways = 0;
    memset(g->list, 0, sizeof g->list);
    for (unsigned d = 0; d < s->n_dims; d++) {
        if (seen >> d & 1)
            continue;
        const uint16_t dims = joined_with(s, d);
        const unsigned u = g->n_units++;
        g->n_dims[u] = 0;
        for (unsigned k = d; k < s->n_dims; k++) {
            if (!(dims >> k & 1))
                continue;
            if (g->n_dims[u] == SC_UNIT_DIMS)
                return false;
            g->unit_of[k] = u;
            g->dim[u][g->n_dims[u]++] = k;
        }
        seen |= dims;
    }
    return true;
}

/* ---- the ways of one unit ---- */

/* A list while it is made. */
typedef struct making {
    sc_grid_ways *g;
    sc_grid_list *list;
    unsigned unit;
    sc_extents steps; /* of the unit; others 1 */
    double n_steps;
} making;

static void start_least(sc_grid_list *l)
{
    l->least.inside = HUGE_VAL;
    for (unsigned t = 0; t < SC_MAX_TENSORS; t++) {
        l->least.all_inside[t] = HUGE_VAL;
        for (unsigned k = 0; k < SC_GRID_KEPT; k++)
            l->least.words[k][t] = l->least.all_words[k][t] = l->least_shares.of[k][t] = HUGE_VAL;
    }
}

static void lower(double *least, double x)
{
    *least = sc_smaller(*least, x);
}

static const sc_extents one_apart = {{1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1}};

/* Words of one tensor. Other units count as 1 extent and 1 step: what is left is the unit's. */
static void price_tensor(sc_grid_way *w, const making *m, unsigned t, const sc_extents *child,
                         const sc_extents *grid)
{
    sc_grid_list *l = m->list;
    const double groups = sc_array_groups(m->g->space, t, m->g->on->level, grid);
    const sc_extents *apart = m->g->on->between ? &one_apart : grid;
    w->factors.all_inside[t] = groups * w->factors.inside;
    lower(&l->least.all_inside[t], w->factors.all_inside[t]);
    for (unsigned k = 0; k < SC_GRID_KEPT; k++) {
        sc_words words;
        sc_array_words(&words, m->g->space, t, child, apart, &m->steps, k == 1);
        const double whole = words.one * m->n_steps;
        double least = whole;
        for (unsigned i = 0; i < m->g->n_dims[m->unit]; i++)
            lower(&least, words.by[m->g->dim[m->unit][i]]);
        w->factors.words[k][t] = words.one;
        w->factors.all_words[k][t] = groups * words.one;
        w->shares.of[k][t] = least / whole;
        lower(&l->least.words[k][t], words.one);
        lower(&l->least.all_words[k][t], w->factors.all_words[k][t]);
        lower(&l->least_shares.of[k][t], w->shares.of[k][t]);
    }
}

static void price(sc_grid_way *w, const making *m)
{
    const sc_grid_ways *g = m->g;
    sc_extents child, grid;
    for (unsigned d = 0; d < SC_MAX_DIMS; d++)
        child.of[d] = grid.of[d] = 1;
    w->factors.inside = w->children = 1;
    for (unsigned i = 0; i < g->n_dims[m->unit]; i++) {
        const unsigned d = g->dim[m->unit][i];
        child.of[d] = w->time[i];
        grid.of[d] = w->lanes[i];
        w->factors.inside *= (double)w->time[i];
        w->children *= (double)w->lanes[i];
    }
    lower(&m->list->least.inside, w->factors.inside);
    for (unsigned t = 0; t < g->space->n_tensors; t++)
        price_tensor(w, m, t, &child, &grid);
}

/* All ways from dimension i of the unit on. @return false if there is no room. */
static bool list_from(const making *m, const sc_grid_way *before, unsigned i, uint64_t left)
{
    sc_grid_ways *g = m->g;
    if (i == g->n_dims[m->unit]) {
        if (g->n_ways == SC_GRID_WAYS)
            return false;
        g->way[g->n_ways] = *before;
        price(&g->way[g->n_ways++], m);
        m->list->n++;
        return true;
    }
    sc_way ways[SC_MAX_LANES];
    const unsigned n =
        sc_array_ways(ways, m->list->extent[i], left < g->longest ? left : g->longest);
    for (unsigned k = 0; k < n; k++) {
        sc_grid_way w = *before;
        w.lanes[i] = ways[k].lanes;
        w.time[i] = ways[k].steps;
        if (!list_from(m, &w, i + 1, left / ways[k].lanes))
            return false;
    }
    return true;
}

/* The unit's list, looked up or made; NULL if there is no room. */
static const sc_grid_list *list_of(sc_grid_ways *g, unsigned u, const sc_extents *tile,
                                   const sc_extents *steps)
{
    sc_grid_list want = {.first = g->n_ways};
    making m = {.g = g, .unit = u, .n_steps = 1};
    const sc_grid_way none = {.lanes = {0}};
    uint32_t hash = 0;
    for (unsigned d = 0; d < SC_MAX_DIMS; d++)
        m.steps.of[d] = 1;
    for (unsigned i = 0; i < g->n_dims[u]; i++) {
        const unsigned d = g->dim[u][i];
        want.extent[i] = (uint32_t)tile->of[d];
        want.steps[i] = (uint32_t)steps->of[d];
        m.steps.of[d] = steps->of[d];
        m.n_steps *= (double)steps->of[d];
        hash = (hash ^ want.steps[i]) * 0x9e3779b1u;
        hash = (hash ^ want.extent[i]) * 0x9e3779b1u;
    }
    m.list = &g->list[u][(hash >> 16) % SC_GRID_LISTS];
    if (m.list->n > 0 && memcmp(m.list->extent, want.extent, sizeof want.extent) == 0 &&
        memcmp(m.list->steps, want.steps, sizeof want.steps) == 0)
        return m.list;
    *m.list = want;
    start_least(m.list);
    if (list_from(&m, &none, 0, g->on->children))
        return m.list;
    m.list->n = 0;
    return NULL;
}

bool sc_grid_ways_of(const sc_grid_list **list, sc_grid_ways *g, const sc_extents *tile,
                     const sc_extents *steps)
{
    for (unsigned attempt = 0; attempt < 2; attempt++) {
        unsigned u = 0;
        while (u < g->n_units && (list[u] = list_of(g, u, tile, steps)))
            u++;
        if (u == g->n_units)
            return true;
        for (u = 0; u < g->n_units; u++)
            for (unsigned i = 0; i < SC_GRID_LISTS; i++)
                g->list[u][i].n = 0;
        g->n_ways = 0;
    }
    return false;
}
