#ifndef CLI_TABLE_H
#define CLI_TABLE_H
/** Aligned columns on standard output; what a cell says is escaped as cli/text.h says. */
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "scantle/error.h"

typedef struct sc_cli_column {
    const char *heading;
    bool right; /* numbers stand at the right of their column */
} sc_cli_column;

typedef struct sc_cli_table {
    const sc_cli_column *columns; /* [n_columns], borrowed */
    size_t n_columns;
    char **cell; /* [n_cells] row-major */
    size_t n_cells, capacity;
    bool failed; /* out of memory: sticks, reported by sc_cli_table_end */
} sc_cli_table;

void sc_cli_table_begin(sc_cli_table *t, const sc_cli_column *columns, size_t n_columns);
/** The next cell, row by row. */
void sc_cli_table_cell(sc_cli_table *t, const char *fmt, ...) SC_PRINTF(2, 3);
/** Print headings and rows, and free the table. Headings are bold where color says.
 *  @return SC_OK; SC_ENOMEM if a cell could not be kept, nothing is printed then. */
sc_status sc_cli_table_end(sc_cli_table *t, FILE *out, bool color) SC_MUST_USE;
#endif
