#ifndef MODEL_COUNT_ARRAY_SHARE_H
#define MODEL_COUNT_ARRAY_SHARE_H
/** How a network's MACs fill one weight-stationary array, and what depthwise ops take of its time:
 *  the cheapest check of a model of such arrays. See docs/algorithms/systolic.md. */
#include "workloads/graph.h"

typedef struct sc_array_share {
    uint64_t cycles, depthwise_cycles;
    double depthwise;   /* share of the cycles, 0 to 1 */
    double utilization; /* MACs / (cycles * rows * cols) */
} sc_array_share;

/**
 * Cycles without fill or drain. A product [m][k] x [k][n] takes ceil(k / rows) ceil(n / cols) m
 * cycles, count of them as many times. A depthwise op puts one tap of min(rows, cols) channels on
 * the array's diagonal at a time: taps * ceil(channels / min(rows, cols)) * m cycles.
 * @return SC_OK; SC_EINVAL without rows, columns or MAC ops; SC_ERANGE past 2^63 - 1.
 */
sc_status sc_array_share_of(sc_array_share *out, const sc_workload *w, uint64_t rows,
                            uint64_t cols) SC_MUST_USE;
#endif
