#ifndef CORE_CSV_H
#define CORE_CSV_H
/**
 * CSV tables (RFC 4180: quotes, CRLF; a comma between cells; gzip too), whole in memory, cells as
 * text with their places. UTF-8, a byte order mark is skipped. At most 256 MiB and 16 Mi cells.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/buf.h"
#include "scantle/error.h"

typedef struct sc_csv sc_csv;

/** Read; ragged rows, an unclosed quote, a quote inside a cell that does not begin with one, NUL
 *  bytes, broken UTF-8 and a table without rows are errors with line and column. Blank lines are
 *  passed over. Columns count characters.
 *  @return SC_OK; SC_EPARSE; the statuses of sc_file_read(): SC_ENOTFOUND, SC_EIO; SC_ENOMEM.
 *  Cost: O(bytes). */
sc_status sc_csv_open(sc_csv **out, const char *path) SC_MUST_USE;
/** The same from a text of n bytes, which is copied; name stands in messages. */
sc_status sc_csv_parse(sc_csv **out, const char *name, const char *text, size_t n) SC_MUST_USE;
void sc_csv_close(sc_csv *c);             /* NULL is fine */
const char *sc_csv_name(const sc_csv *c); /* the path or name it was read under */
size_t sc_csv_rows(const sc_csv *c);      /* header not special: row 0 is the first line */
size_t sc_csv_columns(const sc_csv *c);
/** Borrowed text of a cell; "" outside the table. */
const char *sc_csv_cell(const sc_csv *c, size_t row, size_t column);
int sc_csv_line(const sc_csv *c, size_t row); /* 1-based, where the row begins; 0 outside */
/** Column whose cell in row 0 is that name; SIZE_MAX if none. */
size_t sc_csv_find(const sc_csv *c, const char *name);
/** Whether none of n columns stands twice: SC_EPARSE at the second place of the first that does. */
sc_status sc_csv_once(const sc_csv *c, const char *const *names, size_t n) SC_MUST_USE;

/** Record a failure at a cell as `name:line:column: error: ...`. @return SC_EPARSE. */
sc_status sc_csv_fail(const sc_csv *c, size_t row, size_t column, const char *fmt, ...)
    SC_PRINTF(4, 5);
/** Exact integer of a cell, blanks around it allowed; SC_EPARSE names file, line and column. */
sc_status sc_csv_integer(int64_t *out, const sc_csv *c, size_t row, size_t column) SC_MUST_USE;
/** The same for a finite number. */
sc_status sc_csv_number(double *out, const sc_csv *c, size_t row, size_t column) SC_MUST_USE;

/** Append one cell, quoted when it must be; the caller writes commas and line ends. An empty text
 *  is written bare, so a table of one column should not hold any: its line would be blank. */
void sc_csv_quote(sc_buf *b, const char *text);
#endif
