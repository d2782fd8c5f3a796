#ifndef SURROGATE_METRICS_H
#define SURROGATE_METRICS_H
/**
 * How good predictions are. Each writes one number and returns SC_OK, SC_EINVAL if a value is NaN
 * or there are fewer than two, or SC_ENOMEM; *out is NaN where the figure is not defined (all
 * equal, no positive). Lists are [n], n below 2^32. Threads: safe. Formulas:
 * docs/algorithms/metrics.md.
 */
#include <stddef.h>
#include <stdint.h>

#include "scantle/error.h"

/** Kendall's tau-b, ties counted as Knight, JASA 61(314), 1966, doi:10.2307/2282833. O(n log n). */
sc_status sc_metric_tau(double *out, const double *a, const double *b, size_t n) SC_MUST_USE;
/** Spearman's correlation of mean ranks. O(n log n). */
sc_status sc_metric_spearman(double *out, const double *a, const double *b, size_t n) SC_MUST_USE;
/** Mean and median of |predicted / actual - 1|; NaN if an actual value is 0. O(n log n). */
sc_status sc_metric_relative_error(double *mean, double *median, const double *predicted,
                                   const double *actual, size_t n) SC_MUST_USE;
/** How far the best of the k with the highest scores stays below the best of all, in the unit of
 *  `actual`, higher better. Equal scores: lower index first. O(n log n). */
sc_status sc_metric_regret(double *out, const double *score, const double *actual, size_t n,
                           size_t k) SC_MUST_USE;
/** Share of the `top` best that are among the `kept` of highest score. O(n log n). */
sc_status sc_metric_retention(double *out, const double *score, const double *actual, size_t n,
                              size_t top, size_t kept) SC_MUST_USE;
/** Area under the receiver's curve: the chance that a positive scores above a negative, ties half.
 *  O(n log n). */
sc_status sc_metric_auc(double *out, const double *score, const uint8_t *label,
                        size_t n) SC_MUST_USE;
/** Share of values inside their intervals, ends included. O(n). */
sc_status sc_metric_coverage(double *out, const double *low, const double *high,
                             const double *actual, size_t n) SC_MUST_USE;
#endif
