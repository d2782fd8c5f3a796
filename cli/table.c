#include "table.h"

#include <stdarg.h>
#include <stdlib.h>

#include "text.h"

void sc_cli_table_begin(sc_cli_table *t, const sc_cli_column *columns, size_t n_columns)
{
    *t = (sc_cli_table){.columns = columns, .n_columns = n_columns};
}

SC_PRINTF(1, 0) static char *format_cell(const char *fmt, va_list args)
{
    va_list again;
    va_copy(again, args);
    int n = vsnprintf(NULL, 0, fmt, args);
    char *text = n >= 0 ? malloc((size_t)n + 1) : NULL;
    if (text != NULL)
        (void)vsnprintf(text, (size_t)n + 1, fmt, again);
    va_end(again);
    return text;
}

void sc_cli_table_cell(sc_cli_table *t, const char *fmt, ...)
{
    if (t->n_cells == t->capacity) {
        size_t capacity = t->capacity != 0 ? 2 * t->capacity : 64;
        char **grown = realloc(t->cell, capacity * sizeof *grown);
        if (grown == NULL) {
            t->failed = true;
            return;
        }
        t->cell = grown;
        t->capacity = capacity;
    }
    va_list args;
    va_start(args, fmt);
    char *text = format_cell(fmt, args);
    va_end(args);
    if (text == NULL)
        t->failed = true;
    else
        t->cell[t->n_cells++] = text;
}

static void put_row(FILE *out, const sc_cli_table *t, const size_t *widths,
                    const char *const *texts)
{
    for (size_t c = 0; c < t->n_columns; c++) {
        size_t blanks = widths[c] - sc_cli_width(texts[c]);
        if (c > 0)
            fputs("  ", out);
        if (t->columns[c].right)
            sc_cli_put_blanks(out, blanks);
        sc_cli_put_safe(out, texts[c]);
        if (!t->columns[c].right && c + 1 < t->n_columns)
            sc_cli_put_blanks(out, blanks);
    }
}

static void put_table(FILE *out, const sc_cli_table *t, size_t *widths, const char **headings,
                      bool color)
{
    for (size_t c = 0; c < t->n_columns; c++) {
        headings[c] = t->columns[c].heading;
        widths[c] = sc_cli_width(headings[c]);
    }
    for (size_t i = 0; i < t->n_cells; i++) {
        size_t width = sc_cli_width(t->cell[i]);
        if (width > widths[i % t->n_columns])
            widths[i % t->n_columns] = width;
    }
    if (color)
        fputs("\033[1m", out);
    put_row(out, t, widths, headings);
    fputs(color ? "\033[0m\n" : "\n", out);
    for (size_t i = 0; i + t->n_columns <= t->n_cells; i += t->n_columns) {
        put_row(out, t, widths, (const char *const *)t->cell + i);
        fputc('\n', out);
    }
}

sc_status sc_cli_table_end(sc_cli_table *t, FILE *out, bool color)
{
    size_t *widths = calloc(t->n_columns, sizeof *widths);
    const char **headings = calloc(t->n_columns, sizeof *headings);
    bool failed = t->failed || widths == NULL || headings == NULL;

    if (!failed)
        put_table(out, t, widths, headings, color);
    for (size_t i = 0; i < t->n_cells; i++)
        free(t->cell[i]);
    free(t->cell);
    free(headings);
    free(widths);
    *t = (sc_cli_table){0};
    return failed ? sc_fail(SC_ENOMEM, "out of memory for a table") : SC_OK;
}
