#include "model/net/network.h"

#include <math.h>
#include <omp.h>
#include <stdio.h>
#include <string.h>

#include "core/mem.h"
#include "model/net/fused.h"

struct sc_network {
    sc_workload *workload;
    size_t n_unique;
    size_t *unique_of; /* [ops] */
    size_t *first;     /* [n_unique] op that stands for the shape */
    int32_t *from;     /* [ops] see sc_network_passed_from */
    sc_memory_plan *memory;
};

/* Quadratic in the number of distinct shapes, which is small (B7 has 90 of 433 ops). */
static sc_status fold_equal_shapes(sc_network *n, sc_hash128 *seen)
{
    for (size_t i = 0; i < n->workload->n_ops; i++) {
        sc_hash128 h;
        const sc_status st = sc_op_shape_hash(&h, &n->workload->ops[i]);
        if (st != SC_OK)
            return st;
        size_t u = 0;
        while (u < n->n_unique && !sc_hash_equal(seen[u], h))
            u++;
        if (u == n->n_unique) {
            seen[u] = h;
            n->first[u] = i;
            n->n_unique++;
        }
        n->unique_of[i] = u;
    }
    return SC_OK;
}

sc_status sc_network_batch(uint64_t *out, const sc_arch *a, const sc_workload *w, uint64_t wanted)
{
    uint64_t batch = wanted;
    if (wanted == 0 && __builtin_mul_overflow(a->native_batch, sc_workload_batch(w), &batch))
        return sc_fail(SC_ERANGE, "batch: the design's times the workload's is past 2^64");
    *out = batch;
    return SC_OK;
}

static bool may_be_passed_to(const sc_op *op)
{
    return op->kind == SC_OP_ADD || op->kind == SC_OP_MUL || op->kind == SC_OP_ACTIVATION ||
           op->kind == SC_OP_BATCHNORM || op->kind == SC_OP_POOL;
}

/* What the array or a chain of such ops behind it makes for one op alone may pass straight to it;
 * of several such operands the last, since the array makes one at a time. */
static sc_status mark_passed(int32_t *passed_from, sc_workload *w)
{
    uint32_t *readers = sc_calloc(w->n_ops, sizeof *readers);
    if (!readers)
        return SC_ENOMEM;
    for (size_t i = 0; i < w->n_ops; i++)
        for (size_t j = 0; j < w->ops[i].n_inputs; j++)
            if (w->ops[i].inputs[j] >= 0)
                readers[w->ops[i].inputs[j]]++;
    for (size_t i = 0; i < w->n_ops; i++) {
        sc_op *op = &w->ops[i];
        int32_t from = -1;
        for (size_t j = 0; may_be_passed_to(op) && j < op->n_inputs; j++) {
            const int32_t k = op->inputs[j];
            if (k > from && readers[k] == 1 &&
                (sc_op_is_mac(&w->ops[k]) || w->ops[k].passed_elems > 0))
                from = k;
        }
        passed_from[i] = from;
        op->passed_elems = from >= 0 ? w->ops[from].out_elems : 0;
        op->passed_macs = from >= 0 ? w->ops[from].macs : 0;
    }
    sc_free(readers);
    return SC_OK;
}

sc_status sc_network_create(sc_network **out, const sc_workload *w, uint64_t batch)
{
    sc_status st = SC_ENOMEM;
    sc_hash128 *seen = NULL;
    sc_network *n = sc_calloc(1, sizeof *n);
    if (!n)
        return SC_ENOMEM;
    const size_t ops = sc_workload_ops(w);
    if (!(n->unique_of = sc_calloc(ops, sizeof *n->unique_of)) ||
        !(n->first = sc_calloc(ops, sizeof *n->first)) ||
        !(n->from = sc_calloc(ops, sizeof *n->from)) || !(seen = sc_calloc(ops, sizeof *seen)))
        goto done;
    if ((st = sc_workload_with_batch(&n->workload, w, batch)) != SC_OK ||
        (st = mark_passed(n->from, n->workload)) != SC_OK ||
        (st = fold_equal_shapes(n, seen)) != SC_OK ||
        (st = sc_memory_plan_create(&n->memory, n->workload)) != SC_OK)
        goto done;
    *out = n;
    n = NULL;
done:
    sc_free(seen);
    sc_network_destroy(n);
    return st;
}

void sc_network_destroy(sc_network *n)
{
    if (!n)
        return;
    sc_memory_plan_destroy(n->memory);
    sc_workload_destroy(n->workload);
    sc_free(n->unique_of);
    sc_free(n->first);
    sc_free(n->from);
    sc_free(n);
}

const sc_workload *sc_network_workload(const sc_network *n)
{
    return n->workload;
}

size_t sc_network_unique(const sc_network *n)
{
    return n->n_unique;
}

size_t sc_network_unique_of(const sc_network *n, size_t op)
{
    return n->unique_of[op];
}

int32_t sc_network_passed_from(const sc_network *n, size_t op)
{
    return n->from[op];
}

/* One sample of an op whose operands lie in the buffer; left as it is where nothing fits. */
static sc_status map_sample(sc_mapping *out, sc_memo *memo, sc_hash128 hash, const sc_op *op,
                            const sc_arch *inside, const sc_cost_options *o)
{
    const uint64_t extent[SC_TILE_AXES] = {op->oh, op->ow};
    sc_op_cost cost;
    sc_op one;
    if (!sc_tile_may(op))
        return SC_OK;
    sc_tile_part(&one, op, 1, extent);
    return sc_memo_cost_with_mapping(&cost, out, memo, hash, &one, inside, o);
}

/* Slot u holds the cost of unique op u, and its mapping where mappings are asked for. With
 * stop_at_misfit an op after the first misfit may or may not have been computed; the caller looks
 * at none of them. */
static sc_status cost_unique_ops(sc_op_cost *cost, sc_mapping *mapping, const sc_network *n,
                                 const sc_arch *a, const sc_network_options *o)
{
    const sc_hash128 arch_hash = sc_memo_arch_hash(a);
    const long long count = (long long)n->n_unique;
    const int threads = o->threads > 0 ? o->threads : omp_get_max_threads();
    const sc_cost_options how = {
        .map_budget = o->map_budget, .map_nodes = o->map_nodes, .rules = o->rules};
    const sc_arch inside = sc_tile_inside(a);
    const sc_hash128 inside_hash = sc_memo_arch_hash(&inside);
    sc_status worst = SC_OK;
    long long stop = count;
    char message[256] = "";

#pragma omp parallel for schedule(dynamic, 1) num_threads(threads)
    for (long long u = 0; u < count; u++) {
        long long limit;
#pragma omp atomic read
        limit = stop;
        if (u > limit)
            continue;
        const sc_op *op = &n->workload->ops[n->first[u]];
        sc_mapping *own = mapping ? &mapping[SC_TILE_MAPPINGS * u] : NULL;
        sc_status st = sc_memo_cost_with_mapping(&cost[u], own, o->memo, arch_hash, op, a, &how);
        if (st == SC_OK && own && sc_op_is_mac(op) && cost[u].misfit.code == SC_FITS)
            st = map_sample(&own[1], o->memo, inside_hash, op, &inside, &how);
        const bool misfit = st == SC_OK && cost[u].misfit.code != SC_FITS;
        if (st != SC_OK || (misfit && o->stop_at_misfit)) {
#pragma omp critical(sc_network_stop)
            if (u < stop) {
                worst = st;
                (void)snprintf(message, sizeof message, "%s", sc_error_message());
#pragma omp atomic write
                stop = u;
            }
        }
    }
    return worst == SC_OK ? SC_OK : sc_fail(worst, "%s", message);
}

static void no_metrics(sc_metrics *m, const sc_budget *budget)
{
    const double none = (double)NAN;
    *m = (sc_metrics){none, none, none, none, budget->tdp_w, budget->area_mm2, none, none};
}

/* @param fused  costs op by op instead of shape by shape, or NULL
 * @param cascades  what has become of attention, or NULL; fused costs know it
 * @param tiles  the same of groups */
static void sum_up(sc_network_result *r, const sc_op_cost *cost, const sc_fused *fused,
                   const sc_cascades *cascades, const sc_tiles *tiles, const sc_network *n,
                   const sc_arch *a, const sc_budget *budget)
{
    double cycles = 0.0, dynamic_pj = 0.0;
    for (size_t i = 0; i < n->workload->n_ops; i++) {
        const sc_op_cost *group = sc_tiles_cost(tiles, i);
        const sc_op_cost *c = fused   ? &fused->cost[i]
                              : group ? group
                                      : sc_cascades_cost(cascades, n, cost, i);
        cycles += c->cycles;
        r->energy.compute_j += c->compute_pj * 1e-12;
        for (uint32_t level = 0; level < a->n_levels; level++)
            for (int t = 0; t < SC_MAX_TENSORS; t++)
                r->energy.level_j[level] += c->tensor_pj[level][t] * 1e-12;
        dynamic_pj += c->energy_pj;
    }
    sc_metrics *m = &r->metrics;
    m->latency_s = cycles / a->clock_hz;
    r->energy.clock_j = dynamic_pj * 1e-12 * budget->clock_share;
    r->energy.leakage_j = budget->leak_w * m->latency_s;
    m->energy_j = r->energy.compute_j; /* the sum of the parts in order, to the last bit */
    for (uint32_t level = 0; level < a->n_levels; level++)
        m->energy_j += r->energy.level_j[level];
    m->energy_j += r->energy.clock_j + r->energy.leakage_j;
    m->throughput_per_s = (double)n->workload->batch / m->latency_s;
    m->power_w = m->energy_j / m->latency_s;
    m->perf_per_tdp = m->throughput_per_s / m->tdp_w;
    m->utilization = (double)n->workload->macs / (cycles * (double)a->compute.instances);
}

/* What may change what ops cost, each made where the caller has none. */
typedef struct between {
    sc_fused *own, *fused;
    sc_cascades *own_cascades, *cascades;
    sc_tiles *own_tiles, *tiles;
} between;

static sc_status open_between(between *b, const sc_network *n, const sc_network_options *o)
{
    sc_status st = SC_OK;
    *b = (between){.fused = o->fused, .cascades = o->cascades, .tiles = o->tiles};
    if (o->rules.attention != SC_ATTENTION_CASCADE)
        b->cascades = NULL;
    else if (!b->cascades && (st = sc_cascades_create(&b->own_cascades, n)) == SC_OK)
        b->cascades = b->own_cascades;
    if (o->rules.tiles != SC_TILES_ON)
        b->tiles = NULL;
    else if (st == SC_OK && !b->tiles && (st = sc_tiles_create(&b->own_tiles, n)) == SC_OK)
        b->tiles = b->own_tiles;
    if (o->rules.fusion != SC_FUSION_ON)
        b->fused = NULL;
    else if (st == SC_OK && !b->fused && (st = sc_fused_create(&b->own, n)) == SC_OK)
        b->fused = b->own;
    return st;
}

static void close_between(between *b)
{
    sc_fused_destroy(b->own);
    sc_tiles_destroy(b->own_tiles);
    sc_cascades_destroy(b->own_cascades);
}

/* With fusion on, ops cost what they do with their tensors where they stay; with cascades,
 * attention what it does as one step where that is faster; with tiles, groups the same. */
static sc_status add_up(sc_network_result *r, const sc_op_cost *cost, const sc_mapping *mapping,
                        const sc_network *n, const sc_arch *a, const sc_budget *budget,
                        const sc_network_options *o)
{
    between b;
    sc_status st = open_between(&b, n, o);
    if (st == SC_OK && b.cascades) {
        sc_cascades_price(b.cascades, n, cost, a);
        (void)sc_cascades_take(b.cascades, SC_CASCADE_FASTER);
    }
    if (st == SC_OK && b.fused) {
        b.fused->cascades = b.cascades;
        b.fused->tiles = b.tiles;
        b.fused->mapping = mapping;
        b.fused->softmax = o->rules.softmax;
        st = sc_fused_run(b.fused, n, cost, a);
    } else if (st == SC_OK && b.tiles && sc_tiles_possible(a)) {
        st = sc_tiles_price(b.tiles, cost, mapping, a, b.cascades, o->rules.softmax, NULL);
        if (st == SC_OK)
            st = sc_tiles_choose(b.tiles, NULL);
    }
    if (st == SC_OK)
        sum_up(r, cost, b.fused, b.cascades, b.tiles, n, a, budget);
    close_between(&b);
    return st;
}

static sc_status cost_network(sc_network_result *out, sc_op_cost *cost, sc_mapping *mapping,
                              const sc_network *n, const sc_arch *a, const sc_budget *budget,
                              const sc_network_options *o)
{
    sc_network_result r = {.feasible = true};
    no_metrics(&r.metrics, budget);
    sc_memory_need_of(&r.memory, n->memory, a);
    r.over_memory_bytes = sc_memory_over(&r.memory);
    r.feasible = r.over_memory_bytes <= 0;
    const bool mapped = r.feasible || !o->stop_at_misfit;
    sc_status st = mapped ? cost_unique_ops(cost, mapping, n, a, o) : SC_OK;
    if (st != SC_OK)
        return st;
    for (size_t i = 0; mapped && i < n->workload->n_ops && r.misfit.code == SC_FITS; i++) {
        const sc_op_cost *c = &cost[n->unique_of[i]];
        if (c->misfit.code != SC_FITS) {
            r.feasible = false;
            r.misfit_op = i;
            r.misfit = c->misfit;
        }
    }
    if (budget->area_limit_mm2 > 0 && budget->area_mm2 > budget->area_limit_mm2) {
        r.over_area_mm2 = budget->area_mm2 - budget->area_limit_mm2;
        r.feasible = false;
    }
    if (r.feasible && (st = add_up(&r, cost, mapping, n, a, budget, o)) != SC_OK)
        return st;
    if (r.feasible && !(isfinite(r.metrics.latency_s) && isfinite(r.metrics.energy_j)))
        return sc_fail(SC_ERANGE,
                       "network %s: its time or energy is not finite: look for a rate that is too "
                       "small or an energy that is too large",
                       n->workload->name);
    *out = r;
    return SC_OK;
}

sc_status sc_network_cost(sc_network_result *out, sc_op_cost *cost, const sc_network *n,
                          const sc_arch *a, const sc_budget *budget, const sc_network_options *o)
{
    sc_mapping *mapping = NULL;
    if (o->rules.tiles == SC_TILES_ON && sc_tiles_possible(a) &&
        !(mapping = sc_calloc(n->n_unique, SC_TILE_MAPPINGS * sizeof *mapping)))
        return SC_ENOMEM;
    const sc_status st = cost_network(out, cost, mapping, n, a, budget, o);
    sc_free(mapping);
    return st;
}
