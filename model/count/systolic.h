#ifndef MODEL_COUNT_SYSTOLIC_H
#define MODEL_COUNT_SYSTOLIC_H
/**
 * Cycles of a matrix product on one systolic array, exact. [m][k] x [k][n] on R rows x C columns:
 * the operand that stays is cut into ceil(Sr / R) * ceil(Sc / C) tiles (folds), and T values stream
 * past each. (Sr, Sc, T) = os (M, N, K), ws (K, N, M), is (K, M, N).
 * See docs/algorithms/systolic.md.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/arch/arch.h"

typedef struct sc_systolic_options {
    uint32_t version;
    bool double_buffered; /* the next tile loads, and os results leave, while a tile runs */
    bool drain;           /* os: count the cycles in which results leave the array */
} sc_systolic_options;
#define SC_SYSTOLIC_OPTIONS_INIT                                                                   \
    {                                                                                              \
        1, false, false                                                                            \
    }

typedef struct sc_systolic_gemm {
    uint64_t m, n, k;
    uint64_t rows, cols; /* of the array */
    sc_dataflow dataflow;
} sc_systolic_gemm;

/** What one product costs. */
typedef struct sc_systolic_cost {
    uint64_t cycles;
    uint64_t folds_r, folds_c;
    uint64_t a_reads, b_reads, out_writes; /* words at the array's SRAM; partial sums each time */
} sc_systolic_cost;

/**
 * One product. A fold takes T + R + C - 2 cycles, in ws and is R more to load it, in os with drain
 * R more to empty it; folds run one after the other. Double buffered, a fold starts max(T, R)
 * cycles after the one before.
 * @param o  NULL = defaults: no double buffering, no drain.
 * @return SC_OK; SC_EINVAL if an extent is 0; SC_ERANGE past 2^63 - 1. out is untouched then.
 */
sc_status sc_systolic_evaluate(sc_systolic_cost *out, const sc_systolic_gemm *g,
                               const sc_systolic_options *o) SC_MUST_USE;

/** Columns of a table of products, [rows_total] each. */
typedef struct sc_systolic_table {
    const uint32_t *m, *n, *k, *rows, *cols; /* 1 to 2^31 - 1 */
    const uint8_t *dataflow;                 /* sc_dataflow */
} sc_systolic_table;

/**
 * Cycles of n products: cycles[i] of row i, as sc_systolic_evaluate gives them.
 * @return SC_OK; SC_EINVAL naming the first row with an extent outside 1 to 2^31 - 1 or an unknown
 *         dataflow; SC_ERANGE naming the first row past 2^63 - 1. cycles then holds no results.
 * Threads: safe on distinct outputs. Cost: O(n), two double divisions a row: for operands of 31
 * bits they round to the exact ceiling.
 */
sc_status sc_systolic_batch(uint64_t *cycles, size_t n, const sc_systolic_table *t,
                            const sc_systolic_options *o) SC_MUST_USE;
#endif
