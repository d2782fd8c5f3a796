#ifndef CLI_TEXT_H
#define CLI_TEXT_H
/**
 * Text that may come from hostile files, on its way to a terminal: control characters, broken UTF-8
 * and direction overrides are shown as escapes, so that no name can move the cursor, colour the
 * screen or pretend to be another.
 */
#include <stdio.h>

/** Write text, escaping what is said above; '\n' and '\t' too. */
void sc_cli_put_safe(FILE *out, const char *text);
/** The same for the first n bytes. */
void sc_cli_put_safe_n(FILE *out, const char *text, size_t n);
/** Columns that sc_cli_put_safe takes on a terminal (wide characters count two). */
size_t sc_cli_width(const char *text);
/** Write text broken at blanks so that no line passes `right` columns; lines after the first start
 *  with `indent` blanks. column: where the cursor stands. Line ends in text are kept. */
void sc_cli_put_wrapped(FILE *out, const char *text, size_t column, size_t indent, size_t right);
/** Write n blanks. */
void sc_cli_put_blanks(FILE *out, size_t n);
#endif
