#ifndef REPORT_ROWS_H
#define REPORT_ROWS_H
/** A study read whole from the database: what tables, plots and the page are made of. */
#include "core/json.h"
#include "core/mem.h"
#include "scantle/report.h"
#include "store/store.h"

typedef struct sc_report_row {
    uint64_t index;
    char id[SC_ID_HEX];
    sc_store_state state;
    bool front;
    const char *parameters; /* `a=1,b=2` */
    const double *values;   /* [n_values] */
    const char *reasons;    /* JSON array or "" */
} sc_report_row;

typedef struct sc_report_study {
    sc_arena *arena;
    sc_store_info *info;
    size_t n_objectives;
    size_t objectives[SC_STORE_MAX_VALUES]; /* indices into the study's values */
    size_t n_rows;
    sc_report_row *rows; /* [n_rows] by index */
    json_t *form; /* units of parameters and limits, as the database keeps them; NULL: unknown */
} sc_report_study;

/** @param word  NULL = the only study. @return as sc_report_rows(). */
sc_status sc_report_study_open(sc_report_study **out, sc_store *store,
                               const char *word) SC_MUST_USE;
void sc_report_study_close(sc_report_study *r); /* NULL is fine */

/** Rows of a kind, in its order: *list [n] of pointers, free with sc_free. */
sc_status sc_report_select(const sc_report_row ***list, size_t *n, const sc_report_study *r,
                           sc_report_which which, uint64_t top) SC_MUST_USE;

/** Whether a is better than b in objective k; false if either is NaN. */
bool sc_report_better(const sc_report_study *r, size_t k, double a, double b);

/** Name of objective k. */
const char *sc_report_objective(const sc_report_study *r, size_t k);

/** The study's units of parameters: an object, or NULL. Borrowed. */
json_t *sc_report_units(const sc_report_study *r);

/** The parameters text as an object: numbers where they read as such (whole ones as integers), else
 *  strings. */
json_t *sc_report_params(const char *text);
/** What the study's database says of its baseline: NULL members if there is none. */
typedef struct sc_report_baseline {
    json_t *root; /* owned; {"spec","values"} */
    const char *spec;
    const json_t *values;
} sc_report_baseline;
sc_status sc_report_baseline_open(sc_report_baseline *out, const sc_report_study *r,
                                  sc_store *store) SC_MUST_USE;
/** Its figure for a value; NaN if there is none. */
double sc_report_baseline_value(const sc_report_baseline *b, const char *name);
#endif
