#ifndef CORE_ROWS_H
#define CORE_ROWS_H
/**
 * The rows of a recorded table, one at a time, so that a table larger than memory can be read: text
 * with a separator (CSV as core/csv.h has it, tabs, semicolons, blanks) or JSON, each also gzip.
 * Cells are texts with their places. One thread at a time.
 *
 * JSON: a list of objects, or an object of objects, at the root or under one key; an object is a
 * row and its members are the cells: numbers by the fewest digits that read back equal, `true` and
 * `false` as such, null and absent members empty. A place is then `name: row N (its key)`.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/hash.h"
#include "scantle/error.h"

enum {
    SC_ROWS_LONGEST = 1 << 20, /* bytes of one row of text */
    SC_ROWS_MOST_COLUMNS = 4096,
    SC_ROWS_MOST = 1 << 24 /* rows */
};

typedef struct sc_rows sc_rows;

typedef struct sc_rows_form {
    char separator;             /* of text: ',', '\t', ';', ' ' (one blank or tab or more) */
    const char *const *columns; /* [n_columns] names; NULL: the first row of text has them */
    size_t n_columns;
    const char *member; /* JSON: the key that holds the rows; NULL: the root does */
} sc_rows_form;

/**
 * Open; a name that ends in .json or .json.gz is read as JSON, any other as text. The form is
 * borrowed for the call only.
 * @return SC_OK; SC_ENOTFOUND; SC_EPARSE (not a regular file, broken gzip, no heading, over a cap
 *         above, broken JSON or over the caps of sc_json_parse()); SC_EIO; SC_ENOMEM.
 * Memory: one row of text (at most 2 MiB and a buffer); JSON whole.
 */
sc_status sc_rows_open(sc_rows **out, const char *path, const sc_rows_form *form) SC_MUST_USE;
void sc_rows_close(sc_rows *r); /* NULL is fine */

const char *sc_rows_name(const sc_rows *r);
size_t sc_rows_columns(const sc_rows *r);
const char *sc_rows_column(const sc_rows *r, size_t i);
/** The first column of that name, SIZE_MAX if none; *again: the second, SIZE_MAX if none. */
size_t sc_rows_find(const sc_rows *r, const char *name, size_t *again);

/** Read the next row. @param[out] got  false past the last.
 *  @return SC_OK; SC_EPARSE with the place; SC_EIO; SC_ENOMEM. Cost: O(bytes). */
sc_status sc_rows_next(bool *got, sc_rows *r) SC_MUST_USE;
/** Borrowed text of a cell of this row, without blanks around it; until the next row. */
const char *sc_rows_cell(const sc_rows *r, size_t column);
/** Of this row: the line it begins in, or its number in JSON, both from 1. */
uint32_t sc_rows_line(const sc_rows *r);
/** Rows read so far. */
uint64_t sc_rows_count(const sc_rows *r);
/** Begin anew before the first row. @return SC_OK; SC_EIO; SC_EPARSE; SC_ENOMEM. */
sc_status sc_rows_rewind(sc_rows *r) SC_MUST_USE;
/** Hash of the content read so far, whatever it was packed in. After the last row: of the file. */
sc_hash128 sc_rows_hash(const sc_rows *r);

/** Finite number of a cell, SC_EPARSE with its place otherwise. Also "nan" and "inf" are none. */
sc_status sc_rows_number(double *out, const sc_rows *r, size_t column) SC_MUST_USE;
/** Whether a text is a number as sc_rows_number() reads it. */
bool sc_rows_is_number(double *out, const char *text);
/** Record a failure at a cell of this row. @return SC_EPARSE. */
sc_status sc_rows_fail(const sc_rows *r, size_t column, const char *fmt, ...) SC_PRINTF(3, 4);
#endif
