#include "model/net/fused.h"

#include "core/mem.h"

sc_status sc_fused_create(sc_fused **out, const sc_network *n)
{
    const size_t ops = sc_network_workload(n)->n_ops;
    sc_status st = SC_ENOMEM;
    sc_fused *f = sc_calloc(1, sizeof *f);
    if (!f)
        return SC_ENOMEM;
    f->cost = sc_calloc(ops, sizeof *f->cost);
    f->step_cycles = sc_calloc(ops, sizeof *f->step_cycles);
    bool all = true;
    for (int i = 0; i < SC_FUSED_TRIES; i++)
        all = (f->pick[i] = sc_calloc(ops, sizeof *f->pick[i])) != NULL && all;
    if (!all || !f->cost || !f->step_cycles || (st = sc_residency_create(&f->plan, n)) != SC_OK) {
        sc_fused_destroy(f);
        return st;
    }
    *out = f;
    return SC_OK;
}

void sc_fused_destroy(sc_fused *f)
{
    if (!f)
        return;
    sc_fusion_solution_clear(&f->solution);
    sc_residency_destroy(f->plan);
    for (int i = 0; i < SC_FUSED_TRIES; i++)
        sc_free(f->pick[i]);
    sc_free(f->cost);
    sc_free(f->step_cycles);
    sc_free(f);
}

/* With the cascades that are taken now. */
static sc_status solve(sc_fused *f, const sc_op_cost *cost, const sc_arch *a)
{
    const sc_fusion_options o = SC_FUSION_OPTIONS_INIT;
    const sc_fusion_problem *p = sc_residency_problem(f->plan, cost, f->cascades, a);
    f->capacity_bytes = p->capacity_bytes;
    f->problem = p;
    sc_fusion_solution_clear(&f->solution);
    sc_status st = sc_fusion_solve(&f->solution, p, &o);
    if (st != SC_OK || (st = sc_fusion_value_of(&f->solution.value, f->step_cycles, p,
                                                &f->solution.choice)) != SC_OK)
        return st;
    sc_residency_apply(f->cost, f->plan, cost, a, &f->solution.choice, f->step_cycles);
    return SC_OK;
}

/* Fewest cycles; of equals the first, which has fewer cascades. */
static sc_status take_best(sc_fused *f, const sc_op_cost *cost, const sc_arch *a)
{
    double least = 0.0;
    sc_cascade_take best = SC_CASCADE_NONE, now = SC_CASCADE_NONE;
    size_t before = 0;
    sc_status st = SC_OK;
    for (int what = SC_CASCADE_NONE; what < SC_CASCADE_TAKES && st == SC_OK; what++) {
        const size_t taken = sc_cascades_take(f->cascades, (sc_cascade_take)what);
        if (what > SC_CASCADE_NONE && taken == before)
            continue; /* each takes what the one before does, and maybe more */
        before = taken;
        now = (sc_cascade_take)what;
        st = solve(f, cost, a);
        if (what > SC_CASCADE_NONE && f->solution.value.cycles >= least)
            continue;
        least = f->solution.value.cycles;
        best = now;
    }
    (void)sc_cascades_take(f->cascades, best);
    return st == SC_OK && now != best ? solve(f, cost, a) : st;
}

/* Fewest cycles of no groups and both choices; of equals the first. */
static sc_status add_groups(sc_fused *f, const sc_op_cost *cost, const sc_arch *a)
{
    const sc_tile_around around = {f->problem, &f->solution, f->step_cycles};
    size_t n[SC_FUSED_TRIES];
    int best = -1, now = -1;
    double least = f->solution.value.cycles;
    sc_status st =
        sc_tiles_price(f->tiles, cost, f->mapping, a, f->cascades, f->softmax, f->step_cycles);
    f->tiles_bound = st == SC_OK ? sc_tiles_bound(f->tiles, f->problem) : 0.0;
    for (int i = 0; i < SC_FUSED_TRIES && st == SC_OK; i++) {
        st = sc_tiles_choose(f->tiles, i == 0 ? &around : NULL);
        n[i] = sc_tiles_picks(f->tiles, f->pick[i]);
    }
    sc_residency_set_tiles(f->plan, f->tiles);
    for (int i = 0; i < SC_FUSED_TRIES && st == SC_OK; i++) {
        if (n[i] == 0)
            continue;
        now = i;
        if ((st = sc_tiles_take(f->tiles, f->pick[i], n[i])) != SC_OK ||
            (st = solve(f, cost, a)) != SC_OK)
            break;
        if (f->solution.value.cycles < least) {
            least = f->solution.value.cycles;
            best = i;
        }
    }
    if (st == SC_OK && now != best) {
        sc_tiles_clear(f->tiles);
        if (best >= 0)
            st = sc_tiles_take(f->tiles, f->pick[best], n[best]);
        if (st == SC_OK)
            st = solve(f, cost, a);
    }
    return st;
}

sc_status sc_fused_run(sc_fused *f, const sc_network *n, const sc_op_cost *cost, const sc_arch *a)
{
    f->possible = sc_residency_level(a) > 0;
    f->capacity_bytes = 0.0;
    f->problem = NULL;
    sc_fusion_solution_clear(&f->solution);
    sc_residency_set_tiles(f->plan, NULL);
    if (f->tiles)
        sc_tiles_clear(f->tiles);
    if (f->possible) {
        sc_status st = f->cascades ? take_best(f, cost, a) : solve(f, cost, a);
        f->whole_cycles = st == SC_OK ? f->solution.value.cycles : 0.0;
        if (st == SC_OK && f->tiles && sc_tiles_possible(a))
            st = add_groups(f, cost, a);
        return st;
    }
    if (f->cascades)
        (void)sc_cascades_take(f->cascades, SC_CASCADE_FASTER);
    for (size_t i = 0; i < sc_network_workload(n)->n_ops; i++)
        f->cost[i] = *sc_cascades_cost(f->cascades, n, cost, i);
    return SC_OK;
}
