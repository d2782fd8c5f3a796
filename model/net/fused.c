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
    if (!f->cost || !f->step_cycles || (st = sc_residency_create(&f->plan, n)) != SC_OK) {
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
    sc_free(f->cost);
    sc_free(f->step_cycles);
    sc_free(f);
}

sc_status sc_fused_run(sc_fused *f, const sc_network *n, const sc_op_cost *cost, const sc_arch *a)
{
    const sc_fusion_options o = SC_FUSION_OPTIONS_INIT;
    f->possible = sc_residency_level(a) > 0;
    f->capacity_bytes = 0.0;
    f->problem = NULL;
    sc_fusion_solution_clear(&f->solution);
    if (!f->possible) {
        for (size_t i = 0; i < sc_network_workload(n)->n_ops; i++)
            f->cost[i] = cost[sc_network_unique_of(n, i)];
        return SC_OK;
    }
    const sc_fusion_problem *p = sc_residency_problem(f->plan, cost, a);
    f->capacity_bytes = p->capacity_bytes;
    f->problem = p;
    sc_status st = sc_fusion_solve(&f->solution, p, &o);
    if (st != SC_OK || (st = sc_fusion_value_of(&f->solution.value, f->step_cycles, p,
                                                &f->solution.choice)) != SC_OK)
        return st;
    sc_residency_apply(f->cost, f->plan, cost, a, &f->solution.choice, f->step_cycles);
    return SC_OK;
}
