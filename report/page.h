#ifndef REPORT_PAGE_H
#define REPORT_PAGE_H
/** Sections of the page, each appended to a buffer whose failure sticks. */
#include "core/buf.h"
#include "report/rows.h"

void sc_page_style(sc_buf *b, const char *title);
/** The question, the counts, and why points were infeasible. */
void sc_page_outcome(sc_buf *b, const sc_report_study *r);
/** The best designs, their parameters, and their ratio to the baseline. */
sc_status sc_page_designs(sc_buf *b, const sc_report_study *r,
                          const sc_report_baseline *base) SC_MUST_USE;
/** Per-op table of the best design's evaluations, where the database has them. */
sc_status sc_page_ops(sc_buf *b, const sc_report_study *r, sc_store *store) SC_MUST_USE;
#endif
