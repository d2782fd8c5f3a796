#ifndef CORE_ROWS_INNER_H
#define CORE_ROWS_INNER_H
/** The inside of sc_rows, shared by rows.c and rows_json.c only. */
#include <jansson.h>

#include "core/csv_cell.h"
#include "core/rows.h"

enum { SC_ROWS_NUMBER = 32 };

struct sc_rows {
    char *name;
    size_t n_columns;
    char **column; /* [n_columns] names */
    sc_cell *cell; /* [n_columns] of this row */
    uint64_t count;
    uint32_t line; /* of this row; JSON: its number */
    sc_hash128 hash;
    /* text */
    void *file; /* gzFile */
    char separator;
    bool heading, ended;
    char *buffer;    /* [2 * SC_ROWS_LONGEST + 1] */
    size_t from, to; /* what of the buffer is not read yet */
    uint32_t next_line;
    /* JSON */
    json_t *root;                   /* NULL: text */
    json_t *list;                   /* of the rows: array or object; borrowed from root */
    size_t next;                    /* of an array */
    void *next_member;              /* of an object */
    const char *key;                /* of this row, NULL in an array */
    char (*number)[SC_ROWS_NUMBER]; /* [n_columns] texts of numbers */
};

sc_status sc_rows__add_column(sc_rows *r, const char *name) SC_MUST_USE;
/** Cells for the columns there are. */
sc_status sc_rows__make_cells(sc_rows *r) SC_MUST_USE;
sc_status sc_rows__json_open(sc_rows *r, const sc_rows_form *form) SC_MUST_USE;
void sc_rows__json_next(bool *got, sc_rows *r);
void sc_rows__json_rewind(sc_rows *r);
#endif
