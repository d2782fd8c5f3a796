#include <stdio.h>

#include "core/json.h"
#include "model/count/reference_case.h"

/* Whole cycles held in a double. */
static json_t *cycles(double v)
{
    return v < 0x1p63 ? json_integer((json_int_t)v) : sc_json_real(v);
}

json_t *sc_reference_reason(const char *code, const char *where, uint64_t need, uint64_t have,
                            bool *ok)
{
    json_t *r = json_object();
    sc_json_set(r, "code", json_string(code), ok);
    sc_json_set(r, "where", json_string(where), ok);
    sc_json_set(r, "need", sc_json_count(need), ok);
    sc_json_set(r, "have", sc_json_count(have), ok);
    sc_json_set(r, "excess", sc_json_count(need > have ? need - have : have - need), ok);
    return r;
}

static json_t *reason(const sc_misfit *m, const sc_reference_case *c, bool *ok)
{
    char where[2 * SC_NAME_LEN + 4];
    const char *level = c->arch.level[m->level].name;
    if (m->tensor >= 0)
        snprintf(where, sizeof where, "%s: %s", level, c->problem.tensor[m->tensor].name);
    else
        snprintf(where, sizeof where, "%s", level);
    return sc_reference_reason(sc_misfit_name(m->code), where, m->need, m->have, ok);
}

static json_t *infeasible(const sc_misfit *m, unsigned n, const sc_reference_case *c, bool *ok)
{
    json_t *report = json_object(), *reasons = json_array();
    for (unsigned i = 0; i < n; i++)
        sc_json_append(reasons, reason(&m[i], c, ok), ok);
    sc_json_set(report, "feasible", json_false(), ok);
    sc_json_set(report, "reasons", reasons, ok);
    sc_json_set(report, "cycles", json_null(), ok);
    sc_json_set(report, "energy_pj", json_null(), ok);
    return report;
}

static json_t *tensor(const sc_access *a, const char *name, uint64_t instances, double pj, bool *ok)
{
    json_t *t = json_object();
    sc_json_set(t, "name", json_string(name), ok);
    sc_json_set(t, "tile", sc_json_count(a->tile), ok);
    sc_json_set(t, "reads", sc_json_count(a->reads), ok);
    sc_json_set(t, "fills", sc_json_count(a->fills), ok);
    sc_json_set(t, "updates", sc_json_count(a->updates), ok);
    sc_json_set(t, "instances", sc_json_count(instances), ok);
    sc_json_set(t, "energy_pj", sc_json_real(pj), ok);
    return t;
}

/* Capacity of all instances together. */
static json_t *total_of(const sc_level *l)
{
    uint64_t total;
    return __builtin_mul_overflow(l->capacity[0], l->instances, &total)
               ? sc_json_real((double)l->capacity[0] * (double)l->instances)
               : sc_json_count(total);
}

static json_t *level(unsigned l, const sc_reference_case *c, const sc_mapping *m,
                     const sc_counts *counts, const sc_cost *cost, bool *ok)
{
    const sc_level *v = &c->arch.level[l];
    json_t *object = json_object(), *tensors = json_array();
    double pj = cost->leak_pj[l];
    for (unsigned i = 0; i < c->problem.n_tensors; i++) {
        if (!(m->level[l].keep >> i & 1))
            continue;
        pj += cost->tensor_pj[l][i];
        sc_json_append(tensors,
                       tensor(&counts->at[l][i], c->problem.tensor[i].name,
                              counts->used_instances[l], cost->tensor_pj[l][i], ok),
                       ok);
    }
    sc_json_set(object, "name", json_string(v->name), ok);
    sc_json_set(object, "cycles", cycles(cost->level_cycles[l]), ok);
    sc_json_set(object, "instances", sc_json_count(v->instances), ok);
    sc_json_set(object, "utilized_instances", sc_json_count(counts->used_instances[l]), ok);
    sc_json_set(object, "capacity", v->bounded ? sc_json_count(v->capacity[0]) : json_null(), ok);
    sc_json_set(object, "total_capacity", v->bounded ? total_of(v) : json_null(), ok);
    sc_json_set(object, "energy_pj", sc_json_real(pj), ok);
    sc_json_set(object, "leak_pj", sc_json_real(cost->leak_pj[l]), ok);
    sc_json_set(object, "tensors", tensors, ok);
    return object;
}

static json_t *feasible_report(const sc_reference_case *c, const sc_mapping *m,
                               const sc_counts *counts, bool *ok)
{
    sc_cost cost;
    json_t *report = json_object(), *levels = json_array();
    sc_cost_of(&cost, counts, (double)counts->compute_cycles, &c->problem, &c->arch);
    for (unsigned l = 0; l < c->arch.n_levels; l++)
        sc_json_append(levels, level(l, c, m, counts, &cost, ok), ok);
    sc_json_set(report, "feasible", json_true(), ok);
    sc_json_set(report, "problem", json_string(c->problem.name), ok);
    sc_json_set(report, "cycles", cycles(cost.cycles), ok);
    sc_json_set(report, "compute_cycles", sc_json_count(counts->compute_cycles), ok);
    sc_json_set(report, "bound",
                json_string(cost.bound < 0 ? "compute" : c->arch.level[cost.bound].name), ok);
    sc_json_set(report, "energy_pj", sc_json_real(cost.energy_pj), ok);
    sc_json_set(report, "mac_energy_pj", sc_json_real(cost.mac_pj), ok);
    sc_json_set(report, "macs", sc_json_count(counts->macs), ok);
    sc_json_set(report, "utilized_macs", sc_json_count(counts->used_macs), ok);
    sc_json_set(
        report, "utilization",
        sc_json_real((double)counts->macs / cost.cycles / (double)c->arch.compute.instances), ok);
    sc_json_set(report, "levels", levels, ok);
    return report;
}

sc_status sc_reference_report(json_t **report, bool *feasible, const sc_reference_case *c,
                              const sc_mapping *m, const sc_count_options *o)
{
    sc_misfit misfits[SC_MAX_MISFITS];
    sc_counts counts;
    bool ok = true;
    const unsigned n = sc_mapping_misfits(misfits, m, &c->problem, &c->arch);
    json_t *made = NULL;
    if (n > 0) {
        made = infeasible(misfits, n, c, &ok);
    } else {
        const sc_status st = sc_count(&counts, &c->problem, &c->arch, m, o);
        if (st != SC_OK)
            return st;
        made = feasible_report(c, m, &counts, &ok);
    }
    if (!ok) {
        json_decref(made);
        return sc_fail(SC_ENOMEM, "out of memory for the report");
    }
    *report = made;
    *feasible = n == 0;
    return SC_OK;
}

sc_status sc_reference_map(char **json, int *feasible, const char *architecture_path,
                           const char *problem_path, const char *mapping_path,
                           const sc_reference_options *o)
{
    sc_reference_case c;
    sc_count_options options;
    json_t *report = NULL;
    bool fits = false;
    sc_status st;
    if (!architecture_path || !problem_path || !mapping_path)
        return sc_fail(SC_EINVAL, "an architecture, a problem and a mapping file are needed");
    if ((st = sc_reference_count_options(&options, o)) != SC_OK ||
        (st = sc_reference_case_read(&c, architecture_path, problem_path, mapping_path, o)) !=
            SC_OK)
        goto done;
    sc_reference_case_rules(&c, &options);
    if ((st = sc_reference_report(&report, &fits, &c, &c.mapping, &options)) != SC_OK ||
        (st = sc_json_write(json, report, 1)) != SC_OK)
        goto done;
    if (feasible)
        *feasible = fits;
done:
    json_decref(report);
    return st;
}
