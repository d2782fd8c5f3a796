#include "model/mapper/exact_price.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double same = 1e-12; /* relative: sums in another order differ less */

bool sc_search_worse(const sc_search *s, double value, double tie)
{
    if (!s->best.found)
        return false;
    if (value < s->best.value * (1 - same))
        return false;
    return value > s->best.value * (1 + same) || tie >= s->tie * (1 - same);
}

/* Is it time to make the tables of the spatial choice? */
static bool halted(const sc_search *s)
{
    return s->stop > 0 && s->best.nodes >= s->stop;
}

static bool spent(sc_search *s)
{
    const uint64_t budget = s->x.o->node_budget;
    return s->status != SC_OK || (budget > 0 && s->best.nodes + s->best.evaluations >= budget);
}

/* Energy of the op with so much in its accesses, so long, and so much leaking. */
static double energy_of(const sc_search *s, double pj, double cycles, double leak)
{
    return s->x.mac_pj + pj + leak * cycles;
}

/* Is a mapping with so much energy in its accesses, or so long, worse than the best? */
static bool hopeless(const sc_expansion *e, double pj, double cycles, double leak)
{
    const sc_goal *g = &e->s->x.o->goal;
    const double energy = energy_of(e->s, pj, cycles, leak);
    return pj == HUGE_VAL ||
           sc_search_worse(e->s, sc_goal_value(g, energy, cycles), sc_goal_tie(g, energy, cycles));
}

/* The longer of the cycles inside a tile and of those outside. */
static double longer(const sc_search *s, double cycles, const sc_outside *outside)
{
    if (!s->x.timed)
        return cycles;
    const double last = sc_bound_cycles(&s->x.a->level[0], 1, outside->reads, outside->writes);
    return fmax(cycles, fmax(last, outside->cycles));
}

/* Of a tile of a level that keeps a set: what fills it, and all outside. */
static sc_outside in_table(const sc_search *s, unsigned level, double *const table[SC_ALL_MASKS],
                           unsigned set, size_t at)
{
    return level > 0 ? sc_tables_at(s->tables, table[set], at) : (sc_outside){0, 0, 0, 0};
}

/* Can this tile, or one that contains it, still be best? As the table says. */
static bool promising(const sc_expansion *e, size_t at, double *const table[SC_ALL_MASKS])
{
    const sc_search *s = e->s;
    const sc_xlevel *l = &s->x.level[e->outer];
    for (unsigned k = 0; k < l->n_sets; k++) {
        const unsigned set = l->set[k];
        const sc_outside outside =
            sc_outside_sum(e->base[set], in_table(s, e->outer, table, set, at));
        if (!hopeless(e, e->from->paid + outside.pj, longer(s, e->from->cycles, &outside),
                      e->from->leak))
            return true;
    }
    return false;
}

static void follow_all(sc_expansion *e);

static void push(sc_expansion *e, double pj, double cycles)
{
    sc_search *s = e->s;
    const sc_goal *g = &s->x.o->goal;
    const double energy = energy_of(s, pj, cycles, e->next.leak);
    const double value = sc_goal_value(g, energy, cycles), tie = sc_goal_tie(g, energy, cycles);
    if (sc_search_worse(s, value, tie))
        return;
    size_t *n = &s->n_branches[e->outer];
    if (*n == s->room)
        follow_all(e);
    s->branch[e->outer][*n] =
        (sc_branch){value, tie, (uint32_t)*n, e->next.keep, e->order, e->tile};
    ++*n;
}

/* Least of all outside the outer tile. */
static sc_outside least_outside(const sc_expansion *e)
{
    const sc_search *s = e->s;
    sc_outside base[SC_ALL_MASKS], least = SC_OUTSIDE_NONE;
    if (e->outer == 0)
        return (sc_outside){0, 0, 0, 0};
    sc_bound_outside(base, &s->x, s->tables, e->at, &e->outside, e->next.keep, &e->next.tile,
                     e->next.pending);
    const sc_xlevel *l = &s->x.level[e->outer - 1];
    for (unsigned k = 0; k < l->n_sets; k++) {
        const unsigned set = l->set[k];
        const sc_outside table =
            in_table(s, e->outer - 1, s->tables->least[e->outer - 1], set, e->at);
        least = sc_outside_least(least, sc_outside_sum(base[set], table));
    }
    return least;
}

/* Do two dimensions of a window lie side by side further out? How many children then need the same
 * words depends on the tiles inside. With links one is enough: where neighbours stand does too. */
static bool spread_twice(const sc_expansion *e, unsigned tensor)
{
    const sc_space *x = &e->s->x;
    const sc_xtensor *t = &x->tensor[tensor];
    const unsigned most = x->o->count.links == SC_LINKS_NONE;
    for (unsigned l = 0; l < e->outer; l++)
        for (unsigned c = 0; c < t->n_components; c++)
            if (sc_spread_along(t, c, &e->s->grid.fan[l]) > most && sc_is_window(t, c))
                return true;
    return false;
}

/* A level that keeps nothing needs no loops: they may as well stand in the level outside. Where
 * movements along a window can cancel, a loop split in two may reuse more; with gaps in the output
 * the share of it that is an instance's own depends on the tile. */
static bool needs_no_loops(const sc_expansion *e)
{
    const sc_space *x = &e->s->x;
    if (x->limits || e->outer == 0)
        return false;
    for (unsigned i = 0; i < x->n_tensors; i++)
        if (e->step.linked[i] < e->step.share[i] ||
            (!x->tensor[i].plain && (e->inner < x->n_levels || spread_twice(e, i))) ||
            (i == x->output && !x->tensor[i].dense && e->inner < x->n_levels))
            return false;
    return true;
}

/* With a set kept at the outer level, and its order as far as it is known: can it still be best?
 * Then e->next is that level. */
static bool may_keep(sc_expansion *e, unsigned set, const sc_parts *parts)
{
    /* Of the outer level's fills and all outside it. */
    sc_outside outside = in_table(e->s, e->outer, e->s->tables->own[e->outer], set, e->at);
    double kept = 0;
    if (outside.pj == HUGE_VAL)
        return false;
    for (unsigned i = 0; i < e->s->x.n_tensors; i++)
        if (set >> i & 1)
            kept += parts->kept[i];
        else
            outside = sc_outside_sum(outside, parts->passed[i]);
    e->s->best.nodes++;
    if (hopeless(e, e->inner_pj + kept + outside.pj, longer(e->s, e->inner_cycles, &outside),
                 e->from->leak))
        return false;
    sc_expansion_complete(e, (uint8_t)set);
    return !hopeless(e, e->next.paid + outside.pj, longer(e->s, e->next.cycles, &outside),
                     e->next.leak);
}

static bool visit_order(void *context, const sc_order *order, uint16_t rest)
{
    sc_expansion *e = context;
    sc_search *s = e->s;
    const sc_xlevel *l = &s->x.level[e->outer];
    const bool bare = order->n + rest > 0 && needs_no_loops(e);
    sc_parts parts;
    e->order = *order;
    e->rest = rest;
    sc_expansion_receive(e);
    sc_bound_parts(&parts, &s->x, s->tables, e->at, &e->step, e->from->keep, e->received, e->handed,
                   e->passed);
    for (unsigned k = 0; k < l->n_sets; k++) {
        const unsigned set = l->set[k];
        if ((bare && set == 0) || !may_keep(e, set, &parts))
            continue;
        if (rest)
            return true;
        const sc_outside least = least_outside(e);
        const double cycles = longer(s, e->next.cycles, &least);
        if (!hopeless(e, e->next.paid + least.pj, cycles, e->next.leak) && !sc_expansion_beaten(e))
            push(e, e->next.paid + least.pj, cycles);
    }
    return false;
}

/* Whether a tensor's loops outside a level have moved it, and along what. */
static void add_stake(sc_order_stake *k, const sc_search *s, unsigned level, unsigned tensor)
{
    const sc_xtensor *t = &s->x.tensor[tensor];
    unsigned moved = SC_NO_COMPONENT;
    bool open = true, tracked = true;
    for (unsigned j = s->first_loop[level]; j < s->loops.n; j++) {
        const unsigned c = t->component[s->loops.dim[j]];
        if (c == SC_NO_COMPONENT)
            continue;
        tracked = tracked && (open || c == moved);
        moved = c;
        open = false;
    }
    if (open)
        k->open |= (uint8_t)(1u << tensor);
    else if (tracked && sc_is_window(t, moved))
        k->component[tensor] = (uint8_t)moved;
}

/* Dimensions whose loops leave it open whether neighbours under a level can hand on a tensor's
 * words; none once another one has moved the tile. */
static uint16_t alive(const sc_search *s, unsigned level, unsigned tensor)
{
    const sc_xtile *child = &s->node[level + 1].tile;
    const uint16_t dims = sc_grid_alive(child, &s->x, tensor, &s->grid.fan[level]);
    for (unsigned j = s->first_loop[level + 1]; j < s->loops.n; j++)
        if (!(dims >> s->loops.dim[j] & 1))
            return 0;
    return dims;
}

/* What the tensors have at stake in the outer level's loops: tiles of the levels inside, and, where
 * MACs hand on what they got, those. */
static sc_order_stake stake_of(const sc_expansion *e)
{
    const sc_search *s = e->s;
    sc_order_stake k = {0, {0}, {0}, 0};
    memset(k.component, SC_NO_COMPONENT, sizeof k.component);
    for (unsigned i = 0; i < s->x.n_tensors; i++) {
        const uint8_t bit = (uint8_t)(1u << i);
        for (unsigned l = e->inner; l < s->x.n_levels; l++)
            if (s->node[l].keep & bit)
                add_stake(&k, s, l, i);
        if (s->linked[s->x.n_levels - 1] & bit)
            add_stake(&k, s, s->x.n_levels, i);
        for (unsigned l = e->outer; l < s->x.n_levels; l++)
            if (s->linked[l] & bit) {
                const uint16_t dims = alive(s, l, i);
                k.linked[i] |= dims;
                if (dims && l + 1 < s->x.n_levels)
                    k.costs |= bit;
            }
    }
    return k;
}

/* The outer tile, and what is left outside it, from its factors. */
static void set_outer_tile(sc_expansion *e)
{
    const sc_space *x = &e->s->x;
    sc_xtile *t = &e->next.tile;
    t->shape = e->tile;
    t->blocks = e->outer;
    for (unsigned d = 0; d < x->n_dims; d++) {
        const sc_xdim *v = &x->dim[d];
        t->left[d] = (double)v->divisor[v->over[e->most.at[d] * v->n + e->factor.at[d]]];
        t->spread[d] =
            e->outer > 0 ? (double)sc_shape_extent(x, &e->s->grid.fan[e->outer - 1], d) : 1;
    }
    sc_xtile_init(t, x);
}

static void look_at_tile(sc_expansion *e)
{
    sc_search *s = e->s;
    const sc_space *x = &s->x;
    uint16_t loops = 0;
    if (!promising(e, e->at, s->tables->own[e->outer]))
        return;
    for (unsigned d = 0; d < x->n_dims; d++)
        if (e->factor.at[d] > 0)
            loops |= (uint16_t)(1u << d);
    set_outer_tile(e);
    if (e->outer > 0)
        sc_grid_step(&e->outside, x, &s->grid, e->outer - 1, &e->next.tile, false);
    const sc_order_stake stake = stake_of(e);
    sc_orders_visit(x, e->outer, loops, &stake, visit_order, e);
}

/* Factors of the outer level's loops, one dimension after another; a tile from which no larger one
 * can be best ends the walk there. */
static void walk_tiles(sc_expansion *e, unsigned d)
{
    const sc_space *x = &e->s->x;
    if (halted(e->s))
        return;
    if (spent(e->s)) {
        e->s->open_value = fmin(e->s->open_value, e->s->standing);
        return;
    }
    if (d == x->n_dims) {
        look_at_tile(e);
        return;
    }
    const sc_xdim *v = &x->dim[d];
    const uint16_t most = e->most.at[d], start = e->start.at[d];
    const size_t at = e->at;
    const uint32_t *offset = e->s->tables->offset[e->outer][d];
    for (unsigned k = e->outer == 0 ? most : 0; k <= most; k++) {
        if (v->over[most * v->n + k] == SC_NO_DIVISOR ||
            !sc_space_allows(x, e->outer, false, d, v->divisor[k]))
            continue;
        e->factor.at[d] = (uint16_t)k;
        e->tile.at[d] = v->times[start * v->n + k];
        e->at = at + offset[e->tile.at[d]] - offset[start];
        if (k == 0 || promising(e, e->at, e->s->tables->least[e->outer]))
            walk_tiles(e, d + 1);
    }
    e->factor.at[d] = 0;
    e->tile.at[d] = start;
    e->at = at;
}

static void begin(sc_expansion *e, sc_search *s, unsigned inner)
{
    const sc_space *x = &s->x;
    e->s = s;
    e->from = &s->node[inner];
    e->inner = inner;
    e->outer = inner - 1;
    e->at = 0;
    for (unsigned d = 0; d < x->n_dims; d++) {
        const sc_xdim *v = &x->dim[d];
        const uint16_t inside = inner < x->n_levels ? e->from->tile.shape.at[d] : 0;
        const uint16_t outer = s->grid.outer[e->outer].at[d];
        e->start.at[d] = v->times[inside * v->n + s->grid.fan[e->outer].at[d]];
        e->most.at[d] = v->over[v->over[(v->n - 1) * v->n + outer] * v->n + e->start.at[d]];
        e->factor.at[d] = 0;
        e->tile.at[d] = e->start.at[d];
        e->at += s->tables->offset[e->outer][d][e->start.at[d]];
    }
    sc_grid_step(&e->step, x, &s->grid, e->outer, &e->from->tile, true);
    s->step[e->outer] = e->step;
    s->linked[e->outer] = sc_grid_linked(&e->step, x);
    sc_bound_outside(e->base, x, s->tables, e->at, &e->step, e->from->keep, &e->from->tile,
                     e->from->pending);
}

static int by_value(const void *a, const void *b)
{
    const sc_branch *x = a, *y = b;
    if (x->value != y->value)
        return x->value < y->value ? -1 : 1;
    if (x->tie != y->tie)
        return x->tie < y->tie ? -1 : 1;
    return x->number < y->number ? -1 : x->number > y->number;
}

static void descend(sc_search *s, unsigned inner);

/* Stand at a branch: its level's node, loops and order. */
static void follow(sc_search *s, sc_expansion *e, const sc_branch *b)
{
    const sc_space *x = &s->x;
    const unsigned n = s->loops.n;
    e->tile = b->tile;
    e->order = b->order;
    e->rest = 0;
    e->at = 0;
    for (unsigned d = 0; d < x->n_dims; d++) {
        const sc_xdim *v = &x->dim[d];
        e->factor.at[d] = v->over[b->tile.at[d] * v->n + e->start.at[d]];
        e->at += s->tables->offset[e->outer][d][b->tile.at[d]];
    }
    set_outer_tile(e);
    sc_expansion_receive(e);
    sc_expansion_complete(e, b->keep);
    s->node[e->outer] = e->next;
    (void)sc_expansion_append(e);
    s->first_loop[e->outer] = s->loops.n;
    if (e->outer == 0)
        sc_search_leaf(s);
    else
        descend(s, e->outer);
    s->loops.n = n;
}

/* Follow the branches found so far, best first; the walk that found them goes on after. */
static void follow_all(sc_expansion *e)
{
    sc_search *s = e->s;
    const size_t n = s->n_branches[e->outer];
    sc_branch *list = s->branch[e->outer];
    qsort(list, n, sizeof *list, by_value);
    for (size_t i = 0; i < n && !halted(s); i++) {
        if (spent(s)) {
            s->open_value = fmin(s->open_value, list[i].value);
            break;
        }
        if (sc_search_worse(s, list[i].value, list[i].tie)) {
            if (list[i].value > s->best.value * (1 + same))
                break;
            continue; /* equal: the next may be better in the second value */
        }
        sc_expansion one = *e;
        const double outer = s->standing;
        s->standing = list[i].value;
        follow(s, &one, &list[i]);
        s->standing = outer;
    }
    s->n_branches[e->outer] = 0;
}

static void descend(sc_search *s, unsigned inner)
{
    sc_expansion e;
    begin(&e, s, inner);
    s->n_branches[e.outer] = 0;
    walk_tiles(&e, 0);
    follow_all(&e);
}

/* The MACs: each operand once a MAC, the output updated once a MAC. */
static void stand_at_macs(sc_search *s)
{
    const sc_space *x = &s->x;
    sc_node *n = &s->node[x->n_levels];
    memset(n, 0, sizeof *n);
    n->cycles = x->macs / s->grid.used[x->n_levels];
    for (unsigned d = 0; d < x->n_dims; d++) {
        const sc_xdim *v = &x->dim[d];
        n->tile.left[d] =
            (double)v->divisor[v->over[(v->n - 1) * v->n + s->grid.outer[x->n_levels].at[d]]];
        n->tile.spread[d] = (double)sc_shape_extent(x, &s->grid.fan[x->n_levels - 1], d);
    }
    n->tile.blocks = x->n_levels;
    sc_xtile_init(&n->tile, x);
    for (unsigned i = 0; i < x->n_tensors; i++)
        n->pending[i] = x->macs;
    s->loops.n = 0;
    s->first_loop[x->n_levels] = 0;
}

void sc_search_bound_spread(sc_search *s, double *value, double *tie)
{
    const sc_goal *g = &s->x.o->goal;
    sc_expansion e;
    sc_outside least = SC_OUTSIDE_NONE;
    stand_at_macs(s);
    begin(&e, s, s->x.n_levels);
    const sc_xlevel *l = &s->x.level[e.outer];
    for (unsigned k = 0; k < l->n_sets; k++) {
        const sc_outside table = in_table(s, e.outer, s->tables->least[e.outer], l->set[k], e.at);
        least = sc_outside_least(least, sc_outside_sum(e.base[l->set[k]], table));
    }
    const double cycles = longer(s, e.from->cycles, &least);
    const double energy = energy_of(s, least.pj, cycles, 0);
    *value = least.pj < HUGE_VAL ? sc_goal_value(g, energy, cycles) : HUGE_VAL;
    *tie = least.pj < HUGE_VAL ? sc_goal_tie(g, energy, cycles) : HUGE_VAL;
}

/* Two dimensions of a window side by side: how many places they make is known as a bound only. With
 * gaps in the output the part of it that an instance first writes depends on tiles further out. */
static bool shares_are_exact(const sc_search *s)
{
    const sc_space *x = &s->x;
    if (!x->tensor[x->output].dense)
        return false;
    for (unsigned l = 0; l < x->n_levels; l++)
        for (unsigned i = 0; i < x->n_tensors; i++)
            for (unsigned c = 0; c < x->tensor[i].n_components; c++)
                if (sc_spread_along(&x->tensor[i], c, &s->grid.fan[l]) > 1)
                    return false;
    return true;
}

static void start(sc_search *s, const sc_tables *tables, uint64_t stop)
{
    s->tables = tables;
    s->stop = stop;
    stand_at_macs(s);
    sc_frontier_reset(&s->frontier);
    descend(s, s->x.n_levels);
}

/* The choice's own tables are as dear as so many nodes; the walk begins without them. */
void sc_search_spread(sc_search *s)
{
    enum { NODES_A_TILE = 2, MOST_TILES = 1 << 18 };
    const size_t tiles = sc_choice_tiles(&s->x, &s->grid);
    const uint64_t stop = s->best.nodes + NODES_A_TILE * tiles * s->x.n_levels;
    double value, tie;
    s->exact_shares = shares_are_exact(s);
    start(s, &s->loose, tiles > MOST_TILES || s->x.n_levels < 2 ? 0 : stop);
    if (!halted(s) || spent(s))
        return;
    if ((s->status = sc_choice_build(&s->choice, &s->x, &s->grid, HUGE_VAL)) != SC_OK)
        return;
    s->tables = &s->choice.tables;
    s->stop = 0;
    sc_search_bound_spread(s, &value, &tie);
    if (!sc_search_worse(s, value, tie))
        start(s, &s->choice.tables, 0);
    s->tables = &s->loose;
}
