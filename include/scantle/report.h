#ifndef SCANTLE_REPORT_H
#define SCANTLE_REPORT_H
/**
 * @file scantle/report.h
 * @brief What a database tells about its studies: best trials, fronts, tables, and one offline
 * page. Reads the database only: no model is run.
 */
#include <stddef.h>
#include <stdint.h>

#include "scantle/store.h"
#ifdef __cplusplus
extern "C" {
#endif

/** Which trials of a study, and in which order. */
typedef enum sc_report_which {
    SC_REPORT_BEST,   /**< feasible ones, best first by the first objective */
    SC_REPORT_PARETO, /**< the front, by the first objective */
    SC_REPORT_TRIALS  /**< all kept ones, by index */
} sc_report_which;

/**
 * Rows as JSON:
 * `{"study","objectives":[{"name","goal"}],"trials":[{"index","id","state","params":{...},
 * "metrics":{...},"reasons":[...]}],"units":{parameter: unit},"baseline":{"spec","values":{...}}}`;
 * the baseline only where the study has one and a run of it has ended; units (base units, "B") of
 * the parameters that have one, where a run has ended or points were asked for.
 * @param study   a study's name or first digits of its ID; NULL = the only one of the database.
 * @param top     at most so many rows, 0 = all.
 * @return SC_OK, also with no rows; SC_ENOTFOUND; SC_EINVAL if the word is ambiguous, or NULL with
 * several studies; SC_ESTORE; SC_ENOMEM. Free with sc_release().
 */
SC_API sc_status sc_report_rows(char **json, sc_store *store, const char *study,
                                sc_report_which which, uint64_t top) SC_MUST_USE;

/**
 * One self-contained HTML page (no network, no script needed): the outcome in a sentence and beside
 * the baseline and the limits, plots, the best designs with their figures and their parameters, ops
 * of the best one where the database has them, why points were infeasible, and the study file.
 * @return as sc_report_rows(). Free with sc_release().
 */
SC_API sc_status sc_report_html(char **html, sc_store *store, const char *study) SC_MUST_USE;

/** The Pareto plot alone (first two objectives; one objective: against the area, or the trial's
 *  number where no area is known), as SVG. @return as sc_report_rows(). Free with sc_release(). */
SC_API sc_status sc_report_svg(char **svg, sc_store *store, const char *study) SC_MUST_USE;
#ifdef __cplusplus
}
#endif
#endif
