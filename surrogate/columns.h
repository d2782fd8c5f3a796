#ifndef SURROGATE_COLUMNS_H
#define SURROGATE_COLUMNS_H
/** What the columns of a user's table are, where the user does not say. Page:
 *  docs/algorithms/datasets.md. */
#include "core/intern.h"
#include "scantle/surrogate.h"
#include "surrogate/dataset.h"

typedef struct sc_columns {
    size_t n;
    sc_column *column;  /* [n] those that a data set takes; names in text */
    sc_intern name;     /* names of all columns of the file */
    sc_intern ids;      /* names of text columns left out: another text on every row */
    bool log_target;    /* the target is positive and spans a factor of ten or more */
    const char *target; /* name of the target */
} sc_columns;           /* all zero: empty */

/**
 * Look a table through: a named column is what the user says; a column of texts is a label, one of
 * few numbers an ordinal, one of positive numbers over more than a factor of 16 a logarithm, any
 * other a real.
 * @return SC_OK; SC_EINVAL naming an option's column that is not there, or no feature; the statuses
 *         of sc_rows_next(); SC_ENOMEM. Cost: O(bytes). Memory: 64 texts a column.
 */
sc_status sc_columns_infer(sc_columns *out, const char *path,
                           const sc_surrogate_columns *wanted) SC_MUST_USE;
void sc_columns_clear(sc_columns *c);
#endif
