#ifndef FLOW_METRIC_H
#define FLOW_METRIC_H
/** What a study may optimise, constrain or record: named figures of a design on its networks. */
#include <stdbool.h>
#include <stddef.h>

#include "core/units.h"
#include "scantle/evaluate.h"
#include "store/store.h"

typedef enum sc_metric {
    SC_METRIC_LATENCY,
    SC_METRIC_THROUGHPUT,
    SC_METRIC_ENERGY,
    SC_METRIC_POWER,
    SC_METRIC_AREA,
    SC_METRIC_TDP,
    SC_METRIC_PERF_PER_TDP,
    SC_METRIC_PERF_PER_AREA,
    SC_METRIC_EDP,
    SC_METRIC_ED2P,
    SC_METRIC_UTILIZATION,
    SC_METRICS
} sc_metric;

typedef struct sc_metric_about {
    const char *name; /* with its unit: "latency_s" */
    sc_unit unit;     /* what a limit may be written in */
    double scale;     /* base units of `unit` per 1 of the metric: 1e-6 m2 per mm2 */
    sc_store_goal goal;
    bool of_design; /* known without a network: area and TDP */
} sc_metric_about;

const sc_metric_about *sc_metric_about_of(sc_metric m);
/** Names in the order of the enum, for choices and suggestions. */
const char *const *sc_metric_names(void);

/** The figure of one network on one design. */
double sc_metric_of(sc_metric m, const sc_metrics *v);

/** How the figures of several networks become one. */
typedef enum sc_aggregate { SC_AGGREGATE_GEOMEAN, SC_AGGREGATE_WORST } sc_aggregate;

/** values: [n], weights: [n] > 0. Worst is by the metric's goal. NaN if any value is NaN. */
double sc_metric_join(sc_metric m, sc_aggregate how, const double *values, const double *weights,
                      size_t n);
#endif
