#ifndef SCANTLE_SYSTOLIC_H
#define SCANTLE_SYSTOLIC_H
/**
 * @file scantle/systolic.h
 * @brief Cycles of matrix products on systolic arrays, a table at a time.
 */
#include <stdint.h>

#include "scantle/error.h"
#ifdef __cplusplus
extern "C" {
#endif

typedef struct sc_systolic_csv_options {
    uint32_t version;
    int double_buffered; /**< the next tile loads, and os results leave, while a tile runs */
    int drain;           /**< os: count the cycles in which results leave the array */
} sc_systolic_csv_options;
#define SC_SYSTOLIC_CSV_OPTIONS_INIT                                                               \
    {                                                                                              \
        1, 0, 0                                                                                    \
    }

/**
 * Add a column `cycles` to a table of products [M][K] x [K][N] on arrays of R rows and C columns.
 *
 * With a header line: columns M, N, K, R, C and dataflow (os, ws or is) in any order, in any letter
 * case. Without one: those six first, in that order. Further columns are passed through; one that
 * is named cycles already becomes given_cycles. Gzip is read too.
 * @param[out] csv  the same rows with the cycles last; free with sc_release(); untouched on
 * failure.
 * @param      o    NULL = defaults.
 * @return SC_OK; SC_EPARSE with every wrong cell (the first 20) as file:line:column; SC_ENOTFOUND,
 *         SC_EIO; SC_ENOMEM. A product of more than 2^63 - 1 cycles is a wrong row.
 * Threads: safe. Cost: O(bytes). See docs/algorithms/systolic.md.
 */
SC_API sc_status sc_systolic_csv(char **csv, const char *path,
                                 const sc_systolic_csv_options *o) SC_MUST_USE;
#ifdef __cplusplus
}
#endif
#endif
