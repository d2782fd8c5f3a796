#ifndef FLOW_VALIDATE_H
#define FLOW_VALIDATE_H
/** The validation as it is gathered: sections of rows, kept as the JSON document that comes out. */
#include <jansson.h>
#include <stdbool.h>

#include "scantle/validate.h"

typedef struct sc_validation {
    json_t *sections, *rows; /* rows: of the section begun last, borrowed */
    bool ok;                 /* false: memory ran out */
    sc_validate_options options;
} sc_validation;

/** One comparison; NULL texts and NaN figures are what the row has not. */
typedef struct sc_validation_row {
    const char *what, *unit, *use, *source, *note;
    double published, modelled;
    double error; /* % of the published figure; points, where the figure itself is in % */
    bool points;
    double aim; /* bound on the error, or on a modelled figure without a published one; NaN: none */
} sc_validation_row;
#define SC_VALIDATION_ROW(text)                                                                    \
    {                                                                                              \
        .what = (text), .published = (double)NAN, .modelled = (double)NAN, .error = (double)NAN,   \
        .aim = (double)NAN                                                                         \
    }

void sc_validation_begin(sc_validation *v, const char *title, const char *about);
void sc_validation_add(sc_validation *v, const sc_validation_row *r);
/** A row that says why there is no figure. */
void sc_validation_absent(sc_validation *v, const char *what, const char *why);
/** Path of a thing in the data folder, free with sc_free(); NULL, after a row that says so, if
 * there is no such folder or thing, and on out of memory. */
char *sc_validation_data(sc_validation *v, const char *what, const char *name);

/* The sections, in the order of the page. */
void sc_validate_counts(sc_validation *v);
void sc_validate_systolic(sc_validation *v);
void sc_validate_rtl(sc_validation *v);
void sc_validate_gemm(sc_validation *v);
void sc_validate_tpu_v1(sc_validation *v);
void sc_validate_eyeriss(sc_validation *v);
void sc_validate_anchors(sc_validation *v);

/** The page. @return SC_OK or SC_ENOMEM. */
sc_status sc_validation_markdown(char **out, const json_t *sections) SC_MUST_USE;
#endif
