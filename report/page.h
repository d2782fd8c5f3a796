#ifndef REPORT_PAGE_H
#define REPORT_PAGE_H
/** Sections of the page in their order, each appended to a buffer whose failure sticks. */
#include "core/buf.h"
#include "report/rows.h"

void sc_page_style(sc_buf *b, const char *title);
/** The outcome in a sentence, and the best design's figures beside the baseline's and the limits;
 *  best: NULL if no trial is feasible. */
void sc_page_outcome(sc_buf *b, const sc_report_study *r, const sc_report_row *best,
                     const sc_report_baseline *base);
/** Designs with their figures, best first: list [n]. */
void sc_page_designs(sc_buf *b, const sc_report_study *r, const sc_report_row *const *list,
                     size_t n, const sc_report_baseline *base);
/** Their parameters: a column a design, a row a parameter, what differs in bold. */
void sc_page_parameters(sc_buf *b, const sc_report_study *r, const sc_report_row *const *list,
                        size_t n);
/** Ops of a design on each network, and their sums by kind, where the database has them. */
sc_status sc_page_ops(sc_buf *b, const sc_report_study *r, const sc_report_row *best,
                      sc_store *store) SC_MUST_USE;
/** Why points were infeasible, the counts, and the study file. */
void sc_page_rest(sc_buf *b, const sc_report_study *r);
#endif
