#ifndef CORE_CSV_H
#define CORE_CSV_H
/** CSV tables (RFC 4180: quotes, CRLF; gzip too), whole in memory, cells as text with their places.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/buf.h"
#include "scantle/error.h"

typedef struct sc_csv sc_csv;
/** Read; ragged rows, an unclosed quote and NUL bytes are errors with line and column. Blank lines
 *  are passed over. Columns count characters.
 *  @return SC_OK; SC_EPARSE; the statuses of sc_file_read(): SC_ENOTFOUND, SC_EIO; SC_ENOMEM. */
sc_status sc_csv_open(sc_csv **out, const char *path) SC_MUST_USE;
sc_status sc_csv_parse(sc_csv **out, const char *name, const char *text, size_t n) SC_MUST_USE;
void sc_csv_close(sc_csv *c);
size_t sc_csv_rows(const sc_csv *c); /* header not special: row 0 is the first line */
size_t sc_csv_columns(const sc_csv *c);
const char *sc_csv_cell(const sc_csv *c, size_t row, size_t column);
int sc_csv_line(const sc_csv *c, size_t row); /* 1-based */
/** Column whose cell in row 0 is that name; SIZE_MAX if none. */
size_t sc_csv_find(const sc_csv *c, const char *name);
/** Exact integer of a cell; SC_EPARSE names file, line and column of the cell. */
sc_status sc_csv_integer(int64_t *out, const sc_csv *c, size_t row, size_t column) SC_MUST_USE;
sc_status sc_csv_number(double *out, const sc_csv *c, size_t row, size_t column) SC_MUST_USE;
/** Append one cell, quoted when it must be; the caller writes commas and line ends. */
void sc_csv_quote(sc_buf *b, const char *text);
#endif
