#include "flow/metric.h"

#include <math.h>

/* Indexed by sc_metric. */
static const sc_metric_about about[SC_METRICS] = {
    {"latency_s", SC_UNIT_SECOND, 1.0, SC_GOAL_MIN, false},
    {"throughput_per_s", SC_UNIT_NONE, 1.0, SC_GOAL_MAX, false},
    {"energy_j", SC_UNIT_JOULE, 1.0, SC_GOAL_MIN, false},
    {"power_w", SC_UNIT_WATT, 1.0, SC_GOAL_MIN, false},
    {"area_mm2", SC_UNIT_AREA_M2, 1e-6, SC_GOAL_MIN, true},
    {"tdp_w", SC_UNIT_WATT, 1.0, SC_GOAL_MIN, true},
    {"perf_per_tdp", SC_UNIT_NONE, 1.0, SC_GOAL_MAX, false},
    {"perf_per_area", SC_UNIT_NONE, 1.0, SC_GOAL_MAX, false},
    {"edp_js", SC_UNIT_NONE, 1.0, SC_GOAL_MIN, false},
    {"ed2p_js2", SC_UNIT_NONE, 1.0, SC_GOAL_MIN, false},
    {"utilization", SC_UNIT_NONE, 1.0, SC_GOAL_MAX, false},
};

static const char *const names[SC_METRICS] = {
    "latency_s",    "throughput_per_s", "energy_j", "power_w",  "area_mm2",    "tdp_w",
    "perf_per_tdp", "perf_per_area",    "edp_js",   "ed2p_js2", "utilization",
};

const sc_metric_about *sc_metric_about_of(sc_metric m)
{
    return &about[m];
}

const char *const *sc_metric_names(void)
{
    return names;
}

double sc_metric_of(sc_metric m, const sc_metrics *v)
{
    switch (m) {
    case SC_METRIC_LATENCY: return v->latency_s;
    case SC_METRIC_THROUGHPUT: return v->throughput_per_s;
    case SC_METRIC_ENERGY: return v->energy_j;
    case SC_METRIC_POWER: return v->power_w;
    case SC_METRIC_AREA: return v->area_mm2;
    case SC_METRIC_TDP: return v->tdp_w;
    case SC_METRIC_PERF_PER_TDP: return v->perf_per_tdp;
    case SC_METRIC_PERF_PER_AREA: return v->throughput_per_s / v->area_mm2;
    case SC_METRIC_EDP: return v->energy_j * v->latency_s;
    case SC_METRIC_ED2P: return v->energy_j * v->latency_s * v->latency_s;
    case SC_METRIC_UTILIZATION: return v->utilization;
    case SC_METRICS: break;
    }
    return (double)NAN;
}

static double worst(sc_store_goal goal, const double *values, size_t n)
{
    double w = values[0];
    for (size_t i = 1; i < n; i++)
        if (isnan(values[i]) || (goal == SC_GOAL_MAX ? values[i] < w : values[i] > w))
            w = values[i];
    return w;
}

double sc_metric_join(sc_metric m, sc_aggregate how, const double *values, const double *weights,
                      size_t n)
{
    double sum = 0.0, total = 0.0;
    if (about[m].of_design || n == 1)
        return values[0];
    if (how == SC_AGGREGATE_WORST)
        return worst(about[m].goal, values, n);
    for (size_t i = 0; i < n; i++) {
        sum += weights[i] * log(values[i]);
        total += weights[i];
    }
    return exp(sum / total);
}
