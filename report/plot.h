#ifndef REPORT_PLOT_H
#define REPORT_PLOT_H
/** Scatter and line plots of a study, as SVG. Free the texts with sc_free. */
#include "report/rows.h"

enum { SC_PLOT_TRIAL = SC_STORE_MAX_VALUES }; /* in the place of a value: the trial's number */

/**
 * Feasible trials by two of the study's values, those on the front in another colour, and one
 * marked point (the baseline; NaN: none). x_value may be SC_PLOT_TRIAL.
 */
sc_status sc_plot_front(char **svg, const sc_report_study *r, size_t x_value, size_t y_value,
                        double mark_x, double mark_y, const char *mark_label) SC_MUST_USE;

/** First objective by trial: dots, and the best so far as a line. */
sc_status sc_plot_history(char **svg, const sc_report_study *r, double mark,
                          const char *mark_label) SC_MUST_USE;
#endif
