#ifndef SCANTLE_CALIBRATE_H
#define SCANTLE_CALIBRATE_H
/**
 * @file scantle/calibrate.h
 * @brief Fit the free factors of the tiled-run model to measured cycles, by cross-validation, and
 * judge a stored fit on other measurements.
 */
#include <stddef.h>
#include <stdint.h>

#include "scantle/error.h"
#ifdef __cplusplus
extern "C" {
#endif

typedef struct sc_calibrate_options {
    uint32_t version;
    const char *target; /**< column of measured cycles; NULL: "cycles" */
    const char *group;  /**< column whose equal values are held out together; NULL: "layer" */
    const char *driver; /**< "gemmini" (also NULL) or "plain": see docs/algorithms/calibration.md */
    const char *name;   /**< of the calibration; NULL: "calibration" */
    int folds;          /**< groups are dealt to so many folds, at least 2; 0: 5 */
} sc_calibrate_options;
#define SC_CALIBRATE_OPTIONS_INIT                                                                  \
    {                                                                                              \
        1, NULL, NULL, NULL, NULL, 0                                                               \
    }

/**
 * Fit to tables of measured runs (CSV, gzip too; columns: docs/algorithms/calibration.md).
 *
 * Groups, sorted by name, are dealt to the folds in turn; each fold is predicted by a fit that saw
 * none of its groups. The factors given out are then fitted to all rows. Least squares of log
 * ratios with outliers damped; no random numbers, so the result is the same every time.
 * @param[out] yaml  the calibration as a file: factors, provenance, errors. Free with sc_release().
 * @param[out] json  `{"name","driver","rows","groups","folds","uncalibrated":{"mape","median",
 *                   "within_20","spearman"},"fitted":{...},"held_out":{...},"factors":{},
 *                   "row_list":[{"group","fold","measured","uncalibrated","fitted","held_out"}]}`,
 *                   shares of 1; free with sc_release(). NULL is fine for either.
 * @param      paths [n] tables, read as one.
 * @return SC_OK; SC_EPARSE for a table that is wrong, with file:line:column; SC_EINVAL for an
 * unknown driver, fewer rows than factors or fewer groups than folds; SC_ENOTFOUND, SC_EIO,
 *         SC_ENOMEM. Outputs are untouched on failure. Threads: one at a time, since the
 *         error handler of GSL is the whole process's. Cost: some hundred passes
 * over the rows a fold.
 */
SC_API sc_status sc_calibrate(char **yaml, char **json, const char *const *paths, size_t n,
                              const sc_calibrate_options *o) SC_MUST_USE;

/**
 * Judge a stored calibration on tables it was not fitted to.
 * @param[out] json  as sc_calibrate(), without folds and "held_out"; "fitted" is the calibration's.
 *                   Free with sc_release().
 * @param      o     driver, name and folds are not looked at.
 * @return as sc_calibrate().
 */
SC_API sc_status sc_calibration_judge(char **json, const char *calibration_path,
                                      const char *const *paths, size_t n,
                                      const sc_calibrate_options *o) SC_MUST_USE;
#ifdef __cplusplus
}
#endif
#endif
