#include "model/net/evaluation.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "model/net/padding.h"
#include "model/net/rules.h"

const char *sc_model_version(void)
{
    return "7"; /* raise with every change of arithmetic: stored results are keyed by it */
}

static const char *keep_text(sc_arena *a, const char *text)
{
    return sc_arena_strndup(a, text, strlen(text));
}

const char *sc_bound_name(const sc_evaluation *e, int bound)
{
    if (bound >= 0)
        return e->level_names[bound];
    return bound == SC_BOUND_VECTOR ? "vector" : "compute";
}

static bool fill_op(sc_evaluation *e, sc_op_detail *d, const sc_op *op, const sc_op_cost *cost,
                    const sc_arch *a)
{
    const double cycles = cost->cycles, dram = cost->level_bytes[0];
    d->cost = cost;
    d->lanes = !sc_op_is_mac(op);
    sc_op_tensor_names(d->tensors, op);
    d->row = (sc_op_result){
        .name = keep_text(e->arena, op->name),
        .kind = keep_text(e->arena, sc_op_word(op)),
        .bound = sc_bound_name(e, cost->bound),
        .time_s = cycles / a->clock_hz,
        .compute_s = cost->compute_cycles / a->clock_hz,
        .macs = op->macs,
        .utilization =
            cycles > 0.0 ? (double)op->macs / (cycles * (double)a->compute.instances) : 0.0,
        .dram_bytes = dram,
        .intensity = dram > 0.0 ? 2.0 * (double)op->macs / dram : 0.0,
        .energy_j = cost->energy_pj * 1e-12};
    return d->row.name && d->row.kind;
}

/* The step at the place of the last op of a cascade or a group does the MACs of all. */
static void fill_joined(sc_op_detail *d, const sc_evaluation *e, const sc_workload *w,
                        const sc_arch *a, size_t i)
{
    const sc_cascade_chain *chain = sc_cascades_chain(e->cascades, i);
    const sc_tile_taken *group = sc_tiles_group(e->tiles, i);
    double macs = (double)w->ops[i].macs;
    if (!(chain && chain->av == i) && !(group && group->last == i))
        return;
    if (chain)
        macs += (double)w->ops[chain->qk].macs;
    for (size_t k = group ? group->first : i; k < i; k++)
        macs += (double)w->ops[k].macs;
    d->row.utilization = macs / (d->cost->cycles * (double)a->compute.instances);
    d->row.intensity = d->row.dram_bytes > 0.0 ? 2.0 * macs / d->row.dram_bytes : 0.0;
}

/* The einsum of each shape that runs on MACs, shared by its ops, and what padding adds to them. */
static sc_status fill_padding(sc_evaluation *e, const sc_network *n, const sc_op_cost *cost,
                              const sc_arch *a)
{
    const sc_workload *w = sc_network_workload(n);
    double own = 0.0, done = 0.0;
    const sc_einsum **known = sc_arena_calloc(e->arena, sc_network_unique(n), sizeof *known);
    if (!known)
        return SC_ENOMEM;
    for (size_t i = 0; i < w->n_ops; i++) {
        const size_t u = sc_network_unique_of(n, i);
        if (!sc_op_is_mac(&w->ops[i]) || cost[u].misfit.code != SC_FITS)
            continue;
        if (!known[u]) {
            sc_einsum *einsum = sc_arena_calloc(e->arena, 1, sizeof *einsum);
            const sc_status st = einsum ? sc_op_einsum_on(einsum, &w->ops[i], a) : SC_ENOMEM;
            if (st != SC_OK)
                return st;
            known[u] = einsum;
        }
        const double share = sc_padding_share(known[u]->n_dims, known[u]->bound, cost[u].padded);
        e->ops[i].einsum = known[u];
        e->ops[i].row.padding = share;
        own += (double)w->ops[i].macs;
        done += (double)w->ops[i].macs / (1.0 - share);
    }
    e->padding = done > 0.0 ? 1.0 - own / done : 0.0;
    return SC_OK;
}

static bool fill_reason(sc_evaluation *e, const char *op, const sc_op_cost *cost, const sc_arch *a)
{
    const sc_misfit *m = &cost->misfit;
    const char *unit = m->code == SC_MISFIT_CAPACITY ? " B" : "";
    char where[256];
    if (m->level < 0)
        (void)snprintf(where, sizeof where, "op %s: no vector unit", op);
    else
        (void)snprintf(where, sizeof where, "op %s, level %s: needs %llu%s, has %llu%s", op,
                       a->level[m->level].name, (unsigned long long)m->need, unit,
                       (unsigned long long)m->have, unit);
    sc_reason *r = &e->reasons[e->n_reasons++];
    *r = (sc_reason){sc_misfit_name(m->code), keep_text(e->arena, where),
                     (double)m->need - (double)m->have};
    return r->where != NULL;
}

static bool fill_memory_reason(sc_evaluation *e)
{
    const sc_memory_need *m = &e->result.memory;
    char where[256];
    (void)snprintf(
        where, sizeof where,
        "network, level %s: needs %.0f B (weights %.0f, cache %.0f, live activations %.0f), "
        "has %.0f B",
        e->level_names[0], m->weights + m->cache + m->activations, m->weights, m->cache,
        m->activations, m->have);
    sc_reason *r = &e->reasons[e->n_reasons++];
    *r = (sc_reason){sc_misfit_name(SC_MISFIT_CAPACITY), keep_text(e->arena, where),
                     e->result.over_memory_bytes};
    return r->where != NULL;
}

/* How wide the elements are that MACs multiply. */
static void fill_bits(sc_evaluation *e, const sc_workload *w, const sc_arch *a)
{
    e->mac_bits = a->compute.mac_bits;
    for (size_t i = 0; i < w->n_ops; i++) {
        const uint32_t own = w->ops[i].bits, here = sc_op_bits_on(&w->ops[i], a);
        if (w->ops[i].macs == 0)
            continue;
        e->network_bits = own > e->network_bits ? own : e->network_bits;
        e->element_bits = here > e->element_bits ? here : e->element_bits;
    }
}

static sc_status fill(sc_evaluation *e, const sc_network *n, const sc_op_cost *cost,
                      const sc_arch *a)
{
    const sc_workload *w = sc_network_workload(n);
    e->n_levels = a->n_levels;
    for (uint32_t level = 0; level < a->n_levels; level++)
        if (!(e->level_names[level] = keep_text(e->arena, a->level[level].name)))
            return SC_ENOMEM;
    fill_bits(e, w, a);
    e->n_ops = w->n_ops;
    e->ops = sc_arena_calloc(e->arena, w->n_ops, sizeof *e->ops);
    e->reasons = sc_arena_calloc(e->arena, w->n_ops + 2, sizeof *e->reasons);
    if (!e->ops || !e->reasons)
        return SC_ENOMEM;
    if (e->result.over_area_mm2 > 0)
        e->reasons[e->n_reasons++] =
            (sc_reason){"area", "limit of the template", e->result.over_area_mm2};
    if (e->result.over_memory_bytes > 0 && !fill_memory_reason(e))
        return SC_ENOMEM;
    for (size_t i = 0; i < w->n_ops; i++) {
        const sc_op_cost *plain = &cost[sc_network_unique_of(n, i)];
        const sc_op_cost *group = sc_tiles_cost(e->tiles, i);
        const sc_op_cost *now = group ? group : sc_cascades_cost(e->cascades, n, cost, i);
        const sc_op_cost *c = e->fused && e->result.feasible ? &e->fused->cost[i] : now;
        e->ops[i].plain_cycles = plain->cycles;
        e->ops[i].plain_dram_bytes = plain->level_bytes[0];
        e->ops[i].extent = (sc_op_extent){w->ops[i].oh, w->ops[i].ow};
        if (!fill_op(e, &e->ops[i], &w->ops[i], c, a) ||
            (c->misfit.code != SC_FITS && !fill_reason(e, w->ops[i].name, c, a)))
            return SC_ENOMEM;
        fill_joined(&e->ops[i], e, w, a, i);
    }
    e->n_inputs = w->n_inputs;
    e->input_names = sc_arena_calloc(e->arena, w->n_inputs, sizeof *e->input_names);
    for (size_t i = 0; e->input_names && i < w->n_inputs; i++)
        if (!(e->input_names[i] = keep_text(e->arena, w->inputs[i].name)))
            return SC_ENOMEM;
    return e->input_names ? fill_padding(e, n, cost, a) : SC_ENOMEM;
}

static sc_status check(const sc_evaluate_options *o)
{
    if (o->version != 1)
        return sc_fail(SC_EINVAL, "evaluate options: version must be 1");
    if (o->threads < 0)
        return sc_fail(SC_EINVAL, "evaluate options: negative threads");
    return sc_rules_check(&o->rules);
}

sc_status sc_evaluate(sc_evaluation **out, const sc_design *d, const sc_workload *w,
                      const sc_evaluate_options *o)
{
    sc_network *n = NULL;
    sc_evaluation *e = NULL;
    const sc_arch *a = sc_design_arch(d);
    uint64_t batch;

    sc_status st = check(o);
    if (st != SC_OK || (st = sc_network_batch(&batch, a, w, o->batch)) != SC_OK ||
        (st = sc_network_create(&n, w, batch)) != SC_OK)
        goto done;
    st = SC_ENOMEM;
    if (!(e = sc_calloc(1, sizeof *e)) || sc_arena_create(&e->arena, 0) != SC_OK)
        goto done;
    sc_op_cost *cost = sc_arena_calloc(e->arena, sc_network_unique(n), sizeof *cost);
    e->design = keep_text(e->arena, sc_design_name(d));
    e->spec = keep_text(e->arena, sc_design_spec(d));
    e->workload = keep_text(e->arena, sc_workload_name(w));
    e->batch = batch;
    e->clock_hz = a->clock_hz;
    e->calibration = a->calibration;
    e->rules = o->rules;
    if (!cost || !e->design || !e->spec || !e->workload)
        goto done;
    if (o->rules.fusion == SC_FUSION_ON && (st = sc_fused_create(&e->fused, n)) != SC_OK)
        goto done;
    if (o->rules.attention == SC_ATTENTION_CASCADE &&
        (st = sc_cascades_create(&e->cascades, n)) != SC_OK)
        goto done;
    if (o->rules.tiles == SC_TILES_ON && (st = sc_tiles_create(&e->tiles, n)) != SC_OK)
        goto done;
    const sc_network_options no = {.map_budget = o->map_budget,
                                   .map_nodes = o->map_nodes,
                                   .rules = o->rules,
                                   .threads = o->threads,
                                   .fused = e->fused,
                                   .cascades = e->cascades,
                                   .tiles = e->tiles};
    if ((st = sc_network_cost(&e->result, cost, n, a, sc_design_budget(d), &no)) != SC_OK ||
        (st = fill(e, n, cost, a)) != SC_OK)
        goto done;
    *out = e;
    e = NULL;
done:
    sc_evaluation_destroy(e);
    sc_network_destroy(n);
    return st;
}

void sc_evaluation_destroy(sc_evaluation *e)
{
    if (!e)
        return;
    sc_fused_destroy(e->fused);
    sc_tiles_destroy(e->tiles);
    sc_cascades_destroy(e->cascades);
    sc_arena_destroy(e->arena);
    sc_free(e);
}

int sc_evaluation_feasible(const sc_evaluation *e)
{
    return e->result.feasible;
}

const sc_metrics *sc_evaluation_metrics(const sc_evaluation *e)
{
    return &e->result.metrics;
}

const sc_reason *sc_evaluation_reason(const sc_evaluation *e, size_t i)
{
    return i < e->n_reasons ? &e->reasons[i] : NULL;
}

const sc_op_result *sc_evaluation_op(const sc_evaluation *e, size_t i)
{
    return i < e->n_ops ? &e->ops[i].row : NULL;
}
