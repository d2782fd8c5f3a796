/* CSV: every cell of an accepted table is read, written, and must come back. */
#include "fuzz.h"

#include <stdlib.h>
#include <string.h>

#include "core/csv.h"
#include "core/mem.h"

static void write_table(sc_buf *b, const sc_csv *c)
{
    for (size_t i = 0; i < sc_csv_rows(c); i++) {
        for (size_t j = 0; j < sc_csv_columns(c); j++) {
            sc_buf_puts(b, j ? "," : "");
            sc_csv_quote(b, sc_csv_cell(c, i, j));
        }
        sc_buf_puts(b, "\n");
    }
}

static void compare(const sc_csv *a, const sc_csv *b)
{
    if (sc_csv_rows(a) != sc_csv_rows(b) || sc_csv_columns(a) != sc_csv_columns(b))
        abort();
    for (size_t i = 0; i < sc_csv_rows(a); i++)
        for (size_t j = 0; j < sc_csv_columns(a); j++)
            if (strcmp(sc_csv_cell(a, i, j), sc_csv_cell(b, i, j)) != 0)
                abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    sc_csv *c = NULL, *again = NULL;
    sc_buf b;
    char *text = NULL;
    if (sc_csv_parse(&c, "fuzz.csv", (const char *)data, size) != SC_OK)
        return 0;
    for (size_t i = 0; i < sc_csv_rows(c); i++) {
        for (size_t j = 0; j < sc_csv_columns(c); j++) {
            int64_t n;
            double d;
            if (sc_csv_integer(&n, c, i, j) == SC_OK && sc_csv_number(&d, c, i, j) == SC_OK &&
                (double)n != d)
                abort();
        }
    }
    sc_buf_init(&b);
    write_table(&b, c);
    /* an empty cell alone on its line is a blank line: such a table does not come back */
    if (sc_buf_take(&b, &text) == SC_OK && sc_csv_columns(c) > 1) {
        if (sc_csv_parse(&again, "again.csv", text, strlen(text)) != SC_OK)
            abort();
        compare(c, again);
    }
    sc_free(text);
    sc_csv_close(again);
    sc_csv_close(c);
    return 0;
}
