#include "core/csv.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "core/csv_cell.h"
#include "core/file.h"
#include "core/mem.h"
#include "core/number.h"
#include "core/text.h"

enum { MAX_BYTES = 256 << 20, MAX_CELLS = 16 << 20, LONGEST_NUMBER = 400 };

static const char byte_order_mark[] = "\xEF\xBB\xBF";

struct sc_csv {
    char *name;
    char *text;     /* the file; cells are ended and unquoted in place */
    sc_cell *cells; /* [rows][columns] */
    size_t rows, columns, n_cells, capacity;
};

static sc_status error_at(const sc_csv *c, uint32_t line, uint32_t column, const char *what)
{
    return sc_cell_fail(c->name, line, column, what);
}

static sc_status add_cell(sc_csv *t, const sc_cell *it)
{
    if (t->n_cells == MAX_CELLS)
        return error_at(t, it->line, it->column, "too many cells in one table");
    if (t->n_cells == t->capacity) {
        const size_t capacity = t->capacity ? 2 * t->capacity : 64;
        sc_cell *grown = sc_realloc_array(t->cells, capacity, sizeof *grown);
        if (!grown)
            return SC_ENOMEM;
        t->cells = grown;
        t->capacity = capacity;
    }
    t->cells[t->n_cells++] = *it;
    return SC_OK;
}

static sc_status read_row(sc_csv *t, sc_csv_cursor *c)
{
    const size_t before = t->n_cells;
    for (bool last = false; !last;) {
        sc_cell it;
        sc_status st = sc_cell_next(&it, c, &last);
        if (st != SC_OK || (st = add_cell(t, &it)) != SC_OK)
            return st;
    }
    const size_t got = t->n_cells - before;
    if (t->rows == 0)
        t->columns = got;
    if (got != t->columns) {
        const sc_cell *odd = &t->cells[before + (got < t->columns ? got : t->columns + 1) - 1];
        return sc_fail(SC_EPARSE, "%s:%u:%u: error: this row has %zu cells, the first row has %zu",
                       t->name, odd->line, odd->column, got, t->columns);
    }
    t->rows++;
    return SC_OK;
}

static sc_status read_table(sc_csv *t, size_t n)
{
    const size_t skip = n >= 3 && memcmp(t->text, byte_order_mark, 3) == 0 ? 3 : 0;
    sc_csv_cursor c = {.name = t->name,
                       .separator = ',',
                       .at = t->text + skip,
                       .end = t->text + n,
                       .line = 1,
                       .column = 1};
    const size_t bad = sc_text_bad_byte(c.at, n - skip);
    if (bad < n - skip) {
        const sc_place p = sc_text_place(c.at, bad);
        return error_at(t, (uint32_t)p.line, (uint32_t)p.column,
                        c.at[bad] ? "not UTF-8 text" : "a NUL byte: this is no text file");
    }
    while (c.at < c.end) {
        const sc_status st = sc_cell_blank_line(&c) ? SC_OK : read_row(t, &c);
        if (st != SC_OK)
            return st;
    }
    return t->rows > 0 ? SC_OK : error_at(t, 1, 1, n == 0 ? "the file is empty" : "no row in it");
}

/* Take over the text, which ends in a NUL. */
static sc_status create(sc_csv **out, const char *name, char *text, size_t n)
{
    sc_status st = SC_ENOMEM;
    sc_csv *t = sc_calloc(1, sizeof *t);
    if (!t) {
        sc_free(text);
        return SC_ENOMEM;
    }
    t->text = text;
    if ((t->name = sc_strdup(name)) && (st = read_table(t, n)) == SC_OK) {
        *out = t;
        return SC_OK;
    }
    sc_csv_close(t);
    return st;
}

sc_status sc_csv_open(sc_csv **out, const char *path)
{
    char *text = NULL;
    size_t n = 0;
    const sc_status st = sc_file_read(&text, &n, path, MAX_BYTES);
    return st == SC_OK ? create(out, path, text, n) : st;
}

sc_status sc_csv_parse(sc_csv **out, const char *name, const char *text, size_t n)
{
    if (n > MAX_BYTES)
        return sc_fail(SC_EPARSE, "%s:1:1: error: over the limit of %d MiB", name, MAX_BYTES >> 20);
    char *copy = sc_malloc(n + 1);
    if (!copy)
        return SC_ENOMEM;
    if (n > 0)
        memcpy(copy, text, n);
    copy[n] = '\0';
    return create(out, name, copy, n);
}

void sc_csv_close(sc_csv *c)
{
    if (!c)
        return;
    sc_free(c->cells);
    sc_free(c->text);
    sc_free(c->name);
    sc_free(c);
}

const char *sc_csv_name(const sc_csv *c)
{
    return c->name;
}

size_t sc_csv_rows(const sc_csv *c)
{
    return c->rows;
}

size_t sc_csv_columns(const sc_csv *c)
{
    return c->columns;
}

static sc_cell cell_at(const sc_csv *c, size_t row, size_t column)
{
    if (row >= c->rows || column >= c->columns)
        return (sc_cell){.text = ""};
    return c->cells[row * c->columns + column];
}

const char *sc_csv_cell(const sc_csv *c, size_t row, size_t column)
{
    return cell_at(c, row, column).text;
}

int sc_csv_line(const sc_csv *c, size_t row)
{
    return (int)cell_at(c, row, 0).line;
}

size_t sc_csv_find(const sc_csv *c, const char *name)
{
    for (size_t i = 0; i < c->columns; i++)
        if (strcmp(sc_csv_cell(c, 0, i), name) == 0)
            return i;
    return SIZE_MAX;
}

sc_status sc_csv_once(const sc_csv *c, const char *const *names, size_t n)
{
    for (size_t k = 0; k < n; k++) {
        const size_t first = sc_csv_find(c, names[k]);
        for (size_t i = first; i != SIZE_MAX && ++i < c->columns;)
            if (strcmp(sc_csv_cell(c, 0, i), names[k]) == 0)
                return sc_csv_fail(c, 0, i, "a second column %s", names[k]);
    }
    return SC_OK;
}

sc_status sc_csv_fail(const sc_csv *c, size_t row, size_t column, const char *fmt, ...)
{
    char message[512];
    const sc_cell it = cell_at(c, row, column);
    va_list ap;
    va_start(ap, fmt);
    (void)vsnprintf(message, sizeof message, fmt, ap);
    va_end(ap);
    return error_at(c, it.line, it.column, message);
}

/* Copy the cell without the blanks around it. @return false if that is longer than any number. */
static bool trim(char out[LONGEST_NUMBER + 1], const char *text)
{
    text += strspn(text, " \t");
    size_t n = strlen(text);
    while (n > 0 && (text[n - 1] == ' ' || text[n - 1] == '\t'))
        n--;
    if (n > LONGEST_NUMBER)
        return false;
    memcpy(out, text, n);
    out[n] = '\0';
    return true;
}

sc_status sc_csv_integer(int64_t *out, const sc_csv *c, size_t row, size_t column)
{
    char text[LONGEST_NUMBER + 1];
    if (!trim(text, sc_csv_cell(c, row, column)))
        return sc_csv_fail(c, row, column, "too long for a whole number");
    const sc_status st = sc_integer_read(out, text);
    return st == SC_OK ? SC_OK : sc_csv_fail(c, row, column, "%s", sc_error_message());
}

sc_status sc_csv_number(double *out, const sc_csv *c, size_t row, size_t column)
{
    char text[LONGEST_NUMBER + 1], shown[SC_SHOWN_LEN];
    if (!trim(text, sc_csv_cell(c, row, column)))
        return sc_csv_fail(c, row, column, "too long for a number");
    const size_t n = strlen(text);
    if (n == 0 || sc_number_span(text) != n)
        return sc_csv_fail(c, row, column, "'%s' is not a number", sc_text_show(shown, text));
    const sc_status st = sc_number_read(out, text, n, 0);
    return st == SC_OK ? SC_OK : sc_csv_fail(c, row, column, "%s", sc_error_message());
}

void sc_csv_quote(sc_buf *b, const char *text)
{
    const size_t n = strlen(text);
    const bool mark = strncmp(text, byte_order_mark, 3) == 0; /* not to be skipped when read */
    const bool blank_edge = n > 0 && (strchr(" \t", text[0]) || strchr(" \t", text[n - 1]));
    if (!mark && !blank_edge && !strpbrk(text, ",\"\r\n")) {
        sc_buf_append(b, text, n);
        return;
    }
    sc_buf_puts(b, "\"");
    for (const char *quote; (quote = strchr(text, '"')); text = quote + 1) {
        sc_buf_append(b, text, (size_t)(quote + 1 - text));
        sc_buf_puts(b, "\"");
    }
    sc_buf_puts(b, text);
    sc_buf_puts(b, "\"");
}
