#include "flow/stored_task.h"

#include <stdio.h>
#include <string.h>

#include "model/net/rules.h"

enum { OPTIONS_LEN = 192 + SC_RULES_LEN, N_STORED = 8 };

/* The stored metrics, in this order. */
static const char *const stored_names[N_STORED] = {
    "latency_s",   "throughput_per_s", "energy_j", "power_w",
    "utilization", "perf_per_tdp",     "area_mm2", "tdp_w"};

static double *stored_field(sc_metrics *m, int i)
{
    double *const fields[N_STORED] = {
        &m->latency_s,   &m->throughput_per_s, &m->energy_j, &m->power_w,
        &m->utilization, &m->perf_per_tdp,     &m->area_mm2, &m->tdp_w};
    return fields[i];
}

/* The result row of a task; metrics: [N_STORED], options: [OPTIONS_LEN] of the caller. An
 * infeasible one carries its violation instead of what was not computed. */
static sc_store_result result_of(sc_task *t, sc_store_metric *metrics, char *options)
{
    size_t n = 0;
    char rules[SC_RULES_LEN];
    char nodes[40] = "";
    if (t->map_nodes > 0)
        (void)snprintf(nodes, sizeof nodes, ",map_nodes=%llu", (unsigned long long)t->map_nodes);
    const int used = snprintf(options, OPTIONS_LEN, "batch=%llu,map_budget=%llu%s%s",
                              (unsigned long long)t->batch, (unsigned long long)t->map_budget,
                              nodes, sc_rules_text(rules, &t->rules));
    if (t->arch.calibration.name[0]) {
        char hash[SC_HASH_HEX];
        sc_hash_hex(sc_calibration_hash(&t->arch.calibration), hash);
        (void)snprintf(options + used, OPTIONS_LEN - (size_t)used, ",calibration=%s:%s",
                       t->arch.calibration.name, hash);
    }
    for (int i = 0; i < N_STORED && t->feasible; i++)
        metrics[n++] = (sc_store_metric){stored_names[i], *stored_field(&t->metrics, i)};
    if (!t->feasible)
        metrics[n++] = (sc_store_metric){"violation", t->violation};
    return (sc_store_result){.design = t->design,
                             .workload = t->workload,
                             .model_version = sc_model_version(),
                             .options = options,
                             .evaluator = "model",
                             .state = t->feasible ? SC_STATE_FEASIBLE : SC_STATE_INFEASIBLE,
                             .metrics = metrics,
                             .n_metrics = n,
                             .reasons = t->feasible ? "" : t->reasons};
}

static void read_metric(sc_task *t, const sc_store_metric *m)
{
    for (int i = 0; i < N_STORED; i++)
        if (strcmp(m->name, stored_names[i]) == 0)
            *stored_field(&t->metrics, i) = m->value;
    if (strcmp(m->name, "violation") == 0)
        t->violation = m->value;
}

sc_status sc_task_look_up(sc_task *t, sc_store *store)
{
    sc_store_metric metrics[N_STORED];
    char options[OPTIONS_LEN];
    const sc_store_result *found = NULL;
    const sc_store_result key = result_of(t, metrics, options);
    const sc_status st = sc_store_get_result(&found, store, sc_store_result_key(&key));
    if (st != SC_OK || !found || found->state == SC_STATE_FAILED)
        return st;
    t->feasible = found->state == SC_STATE_FEASIBLE;
    for (size_t i = 0; i < found->n_metrics; i++)
        read_metric(t, &found->metrics[i]);
    if (found->reasons)
        (void)snprintf(t->reasons, sizeof t->reasons, "%s", found->reasons);
    t->known = true;
    return SC_OK;
}

sc_status sc_task_put(sc_task *t, sc_store *store)
{
    sc_store_metric metrics[N_STORED];
    char options[OPTIONS_LEN];
    const sc_store_result r = result_of(t, metrics, options);
    return sc_store_put_result(store, &r);
}
