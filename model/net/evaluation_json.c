#include "core/json.h"
#include "model/net/calibrated.h"
#include "model/net/evaluation.h"
#include "model/net/explain.h"
#include "model/net/padding.h"
#include "model/net/rules.h"

static json_t *per_level(const sc_evaluation *e, const double *values, bool *ok)
{
    json_t *o = json_object();
    for (uint32_t level = 0; level < e->n_levels; level++)
        sc_json_set(o, e->level_names[level], sc_json_real(values[level]), ok);
    return o;
}

static json_t *tensor_energy(const sc_evaluation *e, const sc_op_detail *d, bool *ok)
{
    json_t *o = json_object();
    for (uint32_t level = 0; level < e->n_levels; level++) {
        json_t *tensors = json_object();
        for (int t = 0; t < SC_MAX_TENSORS; t++)
            if (d->tensors[t][0] != '\0')
                sc_json_set(tensors, d->tensors[t],
                            sc_json_real(d->cost->tensor_pj[level][t] * 1e-12), ok);
        sc_json_set(o, e->level_names[level], tensors, ok);
    }
    sc_json_set(o, "compute", sc_json_real(d->cost->compute_pj * 1e-12), ok);
    return o;
}

/* How the op is run, and what each way would cost. */
static void set_variant(json_t *o, const sc_evaluation *e, const sc_op_cost *cost, bool *ok)
{
    json_t *ways = json_object();
    for (int v = SC_VARIANT_NONE + 1; v < SC_VARIANTS; v++) {
        json_t *way = json_object();
        sc_json_set(way, "time_s", sc_json_real(cost->ways[v].cycles / e->clock_hz), ok);
        sc_json_set(way, "energy_j", sc_json_real(cost->ways[v].energy_pj * 1e-12), ok);
        sc_json_set(ways, sc_variant_name((sc_variant)v), way, ok);
    }
    sc_json_set(o, "variant", json_string(sc_variant_name(cost->variant)), ok);
    sc_json_set(o, "variants", ways, ok);
}

static json_t *op_json(const sc_evaluation *e, const sc_op_detail *d, bool *ok)
{
    const bool runs = d->cost->misfit.code == SC_FITS;
    json_t *o = json_object();
    sc_json_set(o, "name", json_string(d->row.name), ok);
    sc_json_set(o, "kind", json_string(d->row.kind), ok);
    sc_json_set(o, "macs", json_integer((json_int_t)d->row.macs), ok);
    if (e->fused)
        sc_json_set(o, "unfused_time_s",
                    runs ? sc_json_real(d->plain_cycles / e->clock_hz) : json_null(), ok);
    sc_json_set(o, "time_s", runs ? sc_json_real(d->row.time_s) : json_null(), ok);
    sc_json_set(o, "compute_s", runs ? sc_json_real(d->row.compute_s) : json_null(), ok);
    sc_json_set(o, "bound", runs ? json_string(d->row.bound) : json_null(), ok);
    sc_json_set(o, "utilization", runs ? sc_json_real(d->row.utilization) : json_null(), ok);
    sc_json_set(o, "dram_bytes", runs ? sc_json_real(d->row.dram_bytes) : json_null(), ok);
    sc_json_set(o, "intensity", runs ? sc_json_real(d->row.intensity) : json_null(), ok);
    sc_json_set(o, "energy_j", runs ? sc_json_real(d->row.energy_j) : json_null(), ok);
    if (runs && e->calibration.name[0]) {
        const bool measured = d->cost->modelled_cycles > 0;
        sc_json_set(o, "calibrated", json_boolean(measured), ok);
        if (measured)
            sc_json_set(o, "modelled_time_s", sc_json_real(d->cost->modelled_cycles / e->clock_hz),
                        ok);
    }
    if (runs && d->cost->variant != SC_VARIANT_NONE)
        set_variant(o, e, d->cost, ok);
    if (d->einsum)
        sc_json_set(o, "padding", sc_padding_json(d->einsum, d->einsum->bound, d->cost->padded, ok),
                    ok);
    if (runs) {
        sc_json_set(o, "level_bytes", per_level(e, d->cost->level_bytes, ok), ok);
        sc_json_set(o, "level_energy_j", tensor_energy(e, d, ok), ok);
    }
    return o;
}

json_t *sc_reasons_json(const sc_evaluation *e, bool *ok)
{
    json_t *list = json_array();
    for (size_t i = 0; i < e->n_reasons; i++) {
        json_t *r = json_object();
        sc_json_set(r, "code", json_string(e->reasons[i].code), ok);
        sc_json_set(r, "where", json_string(e->reasons[i].where), ok);
        sc_json_set(r, "excess", sc_json_real(e->reasons[i].excess), ok);
        sc_json_append(list, r, ok);
    }
    return list;
}

static void set_metrics(json_t *o, const sc_evaluation *e, bool *ok)
{
    const sc_metrics *m = &e->result.metrics;
    sc_json_set(o, "latency_s", sc_json_real(m->latency_s), ok);
    sc_json_set(o, "throughput_per_s", sc_json_real(m->throughput_per_s), ok);
    sc_json_set(o, "energy_j", sc_json_real(m->energy_j), ok);
    sc_json_set(o, "power_w", sc_json_real(m->power_w), ok);
    sc_json_set(o, "tdp_w", sc_json_real(m->tdp_w), ok);
    sc_json_set(o, "area_mm2", sc_json_real(m->area_mm2), ok);
    sc_json_set(o, "perf_per_tdp", sc_json_real(m->perf_per_tdp), ok);
    sc_json_set(o, "utilization", sc_json_real(m->utilization), ok);
}

static json_t *memory_json(const sc_evaluation *e, bool *ok)
{
    const sc_memory_need *m = &e->result.memory;
    json_t *o = json_object();
    sc_json_set(o, "level", json_string(e->level_names[0]), ok);
    sc_json_set(o, "need_bytes", sc_json_real(m->weights + m->cache + m->activations), ok);
    sc_json_set(o, "weight_bytes", sc_json_real(m->weights), ok);
    sc_json_set(o, "cache_bytes", sc_json_real(m->cache), ok);
    sc_json_set(o, "activation_bytes", sc_json_real(m->activations), ok);
    sc_json_set(o, "have_bytes", m->have > 0 ? sc_json_real(m->have) : json_null(), ok);
    return o;
}

static json_t *precision_json(const sc_evaluation *e, bool *ok)
{
    json_t *o = json_object();
    sc_json_set(o, "network_bits", sc_json_count(e->network_bits), ok);
    sc_json_set(o, "element_bits", sc_json_count(e->element_bits), ok);
    sc_json_set(o, "mac_bits", e->mac_bits ? sc_json_count(e->mac_bits) : json_null(), ok);
    return o;
}

static json_t *energy_json(const sc_evaluation *e, bool *ok)
{
    const sc_energy_parts *p = &e->result.energy;
    json_t *o = json_object();
    sc_json_set(o, "compute", sc_json_real(p->compute_j), ok);
    sc_json_set(o, "levels", per_level(e, p->level_j, ok), ok);
    sc_json_set(o, "clock", sc_json_real(p->clock_j), ok);
    sc_json_set(o, "leakage", sc_json_real(p->leakage_j), ok);
    return o;
}

sc_status sc_evaluation_json(char **out, const sc_evaluation *e)
{
    bool ok = true;
    json_t *o = json_object(), *list = json_array();
    sc_json_set(o, "design", json_string(e->design), &ok);
    sc_json_set(o, "spec", json_string(e->spec), &ok);
    sc_json_set(o, "workload", json_string(e->workload), &ok);
    sc_json_set(o, "batch", json_integer((json_int_t)e->batch), &ok);
    sc_json_set(o, "feasible", json_boolean(e->result.feasible), &ok);
    sc_json_set(o, "reasons", sc_reasons_json(e, &ok), &ok);
    sc_json_set(o, "calibration", sc_calibration_json(&e->calibration, &ok), &ok);
    sc_json_set(o, "rules", sc_rules_json(&e->rules, &ok), &ok);
    set_metrics(o, e, &ok);
    sc_json_set(o, "energy_per_sample_j",
                sc_json_real(e->result.metrics.energy_j / (double)e->batch), &ok);
    sc_json_set(o, "padding_share", e->result.feasible ? sc_json_real(e->padding) : json_null(),
                &ok);
    sc_json_set(o, "memory", memory_json(e, &ok), &ok);
    sc_json_set(o, "precision", precision_json(e, &ok), &ok);
    if (e->result.feasible)
        sc_json_set(o, "energy_by_part_j", energy_json(e, &ok), &ok);
    for (size_t i = 0; i < e->n_ops; i++)
        sc_json_append(list, op_json(e, &e->ops[i], &ok), &ok);
    sc_json_set(o, "op_list", list, &ok);
    sc_json_set(o, "fusion", sc_fused_json(e, &ok), &ok);
    sc_json_set(o, "cascades", sc_cascades_json(e, &ok), &ok);
    sc_json_set(o, "tiles", sc_tiles_json(e, &ok), &ok);
    sc_json_set(o, "model_version", json_string(sc_model_version()), &ok);
    const sc_status st =
        ok ? sc_json_write(out, o, 1) : sc_fail(SC_ENOMEM, "no memory for the evaluation's JSON");
    json_decref(o);
    return st;
}
