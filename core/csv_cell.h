#ifndef CORE_CSV_CELL_H
#define CORE_CSV_CELL_H
/** One cell of a CSV text after the other, for the readers of whole tables (core/csv.h) and of rows
 *  (core/rows.h) only. */
#include <stdbool.h>
#include <stdint.h>

#include "scantle/error.h"

typedef struct sc_cell {
    const char *text;
    uint32_t line, column; /* of its first character, the quote if it has one */
} sc_cell;

/** Where reading stands. */
typedef struct sc_csv_cursor {
    const char *name; /* in messages */
    char separator;   /* ' ': one blank or tab or more between cells, any at the ends of a line */
    char *at;
    const char *end;
    uint32_t line, column;
} sc_csv_cursor;

/**
 * Read a cell and what ends it: the text is ended and unquoted in place.
 * @param[out] last  whether its row ends with it.
 * @return SC_OK; SC_EPARSE with its place. Cost: O(bytes).
 */
sc_status sc_cell_next(sc_cell *out, sc_csv_cursor *c, bool *last) SC_MUST_USE;
/** Pass over a line of nothing but blanks, its end included. @return whether there was one. */
bool sc_cell_blank_line(sc_csv_cursor *c);
/** `name:line:column: error: what`. @return SC_EPARSE. */
sc_status sc_cell_fail(const char *name, uint32_t line, uint32_t column, const char *what);
#endif
