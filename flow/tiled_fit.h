#ifndef FLOW_TILED_FIT_H
#define FLOW_TILED_FIT_H
/** Fitting the free factors of the tiled-run model, and how far predictions are off. */
#include "flow/measured.h"

/** Errors of predictions, shares of 1. */
typedef struct sc_fit_quality {
    size_t n;
    double mape;      /* mean of |predicted / measured - 1| */
    double median;    /* of the same */
    double within_20; /* share of rows with at most 0.2 */
    double spearman;  /* rank correlation; NaN for fewer than 2 rows or all equal */
} sc_fit_quality;

/** @param predicted, measured  [n], measured above 0. @return SC_OK or SC_ENOMEM. Cost: sorting. */
sc_status sc_fit_quality_of(sc_fit_quality *out, const double *predicted, const double *measured,
                            size_t n) SC_MUST_USE;

/** Cycles of every row by one set of factors. predicted: [m->n]. */
void sc_tiled_predict(double *predicted, const sc_measured *m, const double *factor);

/**
 * Fit the factors to the rows outside one fold (hold_out >= the number of folds, e.g. UINT32_MAX:
 * to all). Levenberg-Marquardt of GSL on the logs of the factors; residual: log(predicted /
 * measured), damped as 2 (sqrt(1 + z^2) - 1) is against z^2, z = residual / 0.05, so that a row
 * that is far off pulls like an absolute error; each factor is held weakly to where the search
 * starts, which decides only factors that no row shows.
 * @param[out] factor  [SC_TILED_FACTORS].
 * @return SC_OK; SC_EINVAL for fewer rows than factors; SC_ERANGE if the search fails; SC_ENOMEM.
 * Deterministic; threads: one at a time (GSL's error handler is the process's). Cost: up to 200
 * steps of 11 passes over the rows.
 */
sc_status sc_tiled_fit(double *factor, const sc_measured *m, uint32_t hold_out) SC_MUST_USE;

/** Predictions of each row by a fit that saw no row of its fold. held_out: [m->n]; m is dealt to so
 *  many folds. @return as sc_tiled_fit. */
sc_status sc_tiled_cross_validate(double *held_out, const sc_measured *m,
                                  uint32_t folds) SC_MUST_USE;
#endif
