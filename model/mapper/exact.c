#include "model/mapper/exact.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/mem.h"
#include "model/mapper/exact_search.h"
#include "model/mapper/exact_served.h"

enum { BRANCHES = 1 << 14, ARENA_BYTES = 1 << 16 };

const char *sc_goal_name(sc_goal_kind k)
{
    static const char *const names[SC_GOALS] = {"energy", "delay", "edp", "ed2p", "weighted"};
    return (unsigned)k < SC_GOALS ? names[k] : "unknown";
}

double sc_goal_value(const sc_goal *g, double energy_pj, double cycles)
{
    switch (g->kind) {
    case SC_GOAL_ENERGY: return energy_pj;
    case SC_GOAL_DELAY: return cycles;
    case SC_GOAL_EDP: return energy_pj * cycles;
    case SC_GOAL_ED2P: return energy_pj * cycles * cycles;
    case SC_GOAL_WEIGHTED: return g->energy_weight * energy_pj + g->delay_weight * cycles;
    case SC_GOALS: break;
    }
    return HUGE_VAL;
}

double sc_goal_tie(const sc_goal *g, double energy_pj, double cycles)
{
    return g->kind == SC_GOAL_ENERGY ? cycles : energy_pj;
}

double sc_exact_gap(const sc_exact *x)
{
    return x->found && x->bound < x->value ? x->value / x->bound - 1 : 0;
}

static sc_status check(const sc_einsum *e, const sc_arch *a, const sc_exact_options *o)
{
    const sc_status st = sc_einsum_check(e);
    if (st != SC_OK)
        return st;
    if ((unsigned)o->goal.kind >= SC_GOALS)
        return sc_fail(SC_EINVAL, "goal %d is none of the goals", (int)o->goal.kind);
    if (o->goal.kind == SC_GOAL_WEIGHTED &&
        (!(o->goal.energy_weight >= 0) || !(o->goal.delay_weight >= 0) ||
         !isfinite(o->goal.energy_weight + o->goal.delay_weight)))
        return sc_fail(SC_EINVAL, "weights of a goal must be 0 or more and finite");
    if (a->n_levels < 1 || a->n_levels > SC_MAX_LEVELS)
        return sc_fail(SC_EINVAL, "a design of %u levels", (unsigned)a->n_levels);
    if (o->constraints && o->constraints->n_levels != a->n_levels)
        return sc_fail(SC_EINVAL, "constraints of %u levels for a design of %u",
                       o->constraints->n_levels, (unsigned)a->n_levels);
    return SC_OK;
}

static int by_value(const void *a, const void *b)
{
    const sc_spread *x = a, *y = b;
    if (x->value != y->value)
        return x->value < y->value ? -1 : 1;
    if (x->tie != y->tie)
        return x->tie < y->tie ? -1 : 1;
    return memcmp(x->fan, y->fan, sizeof x->fan);
}

/* The last access of each kind to an instance may move a block that is not full; where all words
 * are whole and reads are of one kind that is counted. */
static void set_margins(sc_search *s)
{
    const sc_space *x = &s->x;
    /* From there on a sum's rounding may be as large as a word. */
    const bool some_open = x->o->count.charge_drain || x->macs > 1e8;
    s->margin[x->n_levels] = 0;
    for (unsigned l = x->n_levels; l-- > 0;) {
        const sc_level *v = &x->a->level[l];
        s->margin[l] = s->margin[l + 1];
        if (v->word_bits > 0 ? some_open && v->block_words > 1 : v->block_bits > 1)
            s->margin[l] += (double)x->n_tensors * (double)v->instances *
                            (v->read_pj + v->write_pj + v->update_pj);
        if (v->cluster_size > 1) /* a cluster is charged as a whole */
            s->margin[l] = HUGE_VAL;
    }
}

static sc_status prepare(sc_search *s, sc_arena *arena, const sc_einsum *e, const sc_arch *a,
                         const sc_exact_options *o)
{
    sc_status st;
    if ((st = sc_space_init(&s->x, arena, e, a, o)) != SC_OK ||
        (st = sc_tables_build(&s->loose, &s->x, arena)) != SC_OK ||
        (st = sc_spreads_list(&s->spreads, &s->x, arena)) != SC_OK)
        return st;
    s->room = BRANCHES;
    for (unsigned l = 0; l < a->n_levels; l++)
        if (!(s->branch[l] = sc_malloc(s->room * sizeof *s->branch[l])))
            return SC_ENOMEM;
    if (!sc_frontier_init(&s->frontier))
        return SC_ENOMEM;
    set_margins(s);
    s->tables = &s->loose;
    sc_count_plan_init(&s->plan, e);
    for (size_t i = 0; i < s->spreads.n; i++) {
        sc_grid_choose(&s->grid, &s->x, &s->spreads, i, false);
        sc_search_bound_spread(s, &s->spreads.at[i].value, &s->spreads.at[i].tie);
    }
    if (!(s->grid.memo = sc_served_create()))
        return SC_ENOMEM;
    if (s->spreads.n > 0)
        qsort(s->spreads.at, s->spreads.n, sizeof *s->spreads.at, by_value);
    return SC_OK;
}

static void search(sc_search *s)
{
    const sc_exact_options *o = s->x.o;
    s->open_value = s->spreads.cut ? 0 : HUGE_VAL;
    for (size_t i = 0; i < s->spreads.n && s->status == SC_OK; i++) {
        const sc_spread *c = &s->spreads.at[i];
        if (c->value == HUGE_VAL || (s->best.found && c->value > s->best.value * (1 + 1e-9)))
            break;
        if (sc_search_worse(s, c->value, c->tie))
            continue;
        if (o->node_budget > 0 && s->best.nodes + s->best.evaluations >= o->node_budget) {
            s->open_value = fmin(s->open_value, c->value);
            break;
        }
        sc_grid_choose(&s->grid, &s->x, &s->spreads, i, o->count.links != SC_LINKS_NONE);
        sc_served_reset(s->grid.memo);
        s->standing = c->value;
        sc_search_spread(s);
        s->best.spatial++;
    }
    if (s->best.found)
        s->best.bound = fmin(s->open_value, s->best.value);
    else if (s->open_value < HUGE_VAL)
        s->best.bound = s->open_value;
    s->best.optimal = s->best.found && s->best.bound >= s->best.value * (1 - 1e-9);
}

/* How the mapping with the smallest tiles misses: every loop in the outermost level, and each level
 * keeping only what it must. */
static sc_misfit nearest_misfit(const sc_space *x)
{
    sc_mapping m;
    memset(&m, 0, sizeof m);
    m.n_levels = (uint8_t)x->n_levels;
    for (unsigned l = 0; l < x->n_levels; l++)
        m.level[l].keep = x->level[l].must;
    for (unsigned d = 0; d < x->n_dims; d++) {
        m.level[0].temporal.dim[d] = (uint8_t)x->dim[d].dim;
        m.level[0].temporal.factor[d] = x->dim[d].bound;
    }
    m.level[0].temporal.n = (uint8_t)x->n_dims;
    return sc_mapping_fit(&m, x->e, x->a);
}

sc_status sc_exact_map(sc_exact *out, const sc_einsum *e, const sc_arch *a,
                       const sc_exact_options *o)
{
    const sc_exact_options defaults = SC_EXACT_OPTIONS_INIT;
    sc_arena *arena = NULL;
    sc_search *s = NULL;
    sc_status st = check(e, a, o ? o : &defaults);
    if (st != SC_OK)
        return st;
    if (!(s = sc_calloc(1, sizeof *s)))
        return SC_ENOMEM;
    if ((st = sc_arena_create(&arena, ARENA_BYTES)) != SC_OK ||
        (st = prepare(s, arena, e, a, o ? o : &defaults)) != SC_OK)
        goto done;
    search(s);
    if (!s->best.found)
        s->best.misfit = nearest_misfit(&s->x);
    if ((st = s->status) == SC_OK)
        *out = s->best;
done:
    for (unsigned l = 0; l < SC_MAX_LEVELS; l++)
        sc_free(s->branch[l]);
    sc_frontier_clear(&s->frontier);
    sc_choice_clear(&s->choice);
    sc_served_destroy(s->grid.memo);
    sc_arena_destroy(arena);
    sc_free(s);
    return st;
}
