#ifndef SCANTLE_EVALUATE_H
#define SCANTLE_EVALUATE_H
/**
 * @file scantle/evaluate.h
 * @brief Score one design on one network: time, energy, power, area, and what bounds each op.
 */
#include "scantle/design.h"
#include "scantle/rules.h"
#include "scantle/workload.h"
#ifdef __cplusplus
extern "C" {
#endif

typedef struct sc_evaluate_options {
    uint32_t version;
    int threads;         /**< 0 = all cores; the result does not depend on it */
    uint64_t batch;      /**< 0 = the design's native batch times the workload's own */
    uint64_t map_budget; /**< mappings looked at an op, 0 = the default; work, not time */
    sc_rules rules;      /**< parts of the method, each a switch */
    uint64_t map_nodes;  /**< then search on for a proof, so many partial mappings an op at most
                              (docs/algorithms/array_mapper.md); 0 = do not */
} sc_evaluate_options;
#define SC_EVALUATE_OPTIONS_INIT                                                                   \
    {                                                                                              \
        1, 0, 0, 0, SC_RULES_INIT, 0                                                               \
    }

typedef struct sc_evaluation sc_evaluation;

/**
 * Evaluate. A pure function of (design, workload, options.batch, options.map_budget,
 * options.map_nodes, options.rules): bitwise the same for any thread count. An infeasible design
 * gives SC_OK and an evaluation that says why.
 * @return SC_OK; SC_EINVAL, SC_ERANGE, SC_ENOMEM. Threads: safe on distinct outputs.
 */
SC_API sc_status sc_evaluate(sc_evaluation **out, const sc_design *d, const sc_workload *w,
                             const sc_evaluate_options *o) SC_MUST_USE;
SC_API void sc_evaluation_destroy(sc_evaluation *e); /**< NULL is fine */

/** Totals; NaN where infeasible (area and TDP are always there). */
typedef struct sc_metrics {
    double latency_s;        /**< of one batch */
    double throughput_per_s; /**< samples (decode: tokens) a second */
    double energy_j;         /**< of one batch */
    double power_w;          /**< average */
    double tdp_w, area_mm2;
    double perf_per_tdp; /**< throughput_per_s / tdp_w */
    double utilization;  /**< MACs / (latency * peak MACs a second) */
} sc_metrics;

SC_API int sc_evaluation_feasible(const sc_evaluation *e);
SC_API const sc_metrics *sc_evaluation_metrics(const sc_evaluation *e);

/** Why it is infeasible; i from 0, NULL past the end. */
typedef struct sc_reason {
    const char *code;  /**< "capacity", "area", "tdp", "mesh_x", ... */
    const char *where; /**< op and level, or the budget */
    double excess;     /**< by how much it misses, in bytes, mm2, W, ... as the code implies */
} sc_reason;
SC_API const sc_reason *sc_evaluation_reason(const sc_evaluation *e, size_t i);

/** One op of the network; i from 0 in execution order, NULL past the end. */
typedef struct sc_op_result {
    const char *name, *kind;
    const char *bound; /**< "compute", a level's name, "vector", ... */
    double time_s;
    double compute_s; /**< what the array or the lanes alone need */
    uint64_t macs;
    double utilization; /**< of the MAC array while the op runs */
    double dram_bytes;
    double intensity; /**< MAC operations (2 a MAC) per DRAM byte */
    double energy_j;
    double padding; /**< share of the MACs done that are padding of dimensions */
} sc_op_result;
SC_API const sc_op_result *sc_evaluation_op(const sc_evaluation *e, size_t i);

/** The fixed form of `evaluate --json`, per-op bytes and energies by level and tensor included,
 * what each MAC op's dimensions are padded to, and both ways to run a softmax; free with
 * sc_release(). */
SC_API sc_status sc_evaluation_json(char **out, const sc_evaluation *e) SC_MUST_USE;
/** Name of the model's arithmetic; changes whenever a result may change. */
SC_API const char *sc_model_version(void);
#ifdef __cplusplus
}
#endif
#endif
