#include "core/csv.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "core/file.h"
#include "core/mem.h"
#include "core/number.h"
#include "core/text.h"

enum { MAX_BYTES = 256 << 20, MAX_CELLS = 16 << 20, LONGEST_NUMBER = 400 };

static const char byte_order_mark[] = "\xEF\xBB\xBF";

typedef struct cell {
    const char *text;
    uint32_t line, column; /* of its first character, the quote if it has one */
} cell;

struct sc_csv {
    char *name;
    char *text;  /* the file; cells are ended and unquoted in place */
    cell *cells; /* [rows][columns] */
    size_t rows, columns, n_cells, capacity;
};

/* Where reading stands. */
typedef struct cursor {
    sc_csv *csv;
    char *at;
    const char *end;
    uint32_t line, column;
} cursor;

static sc_status error_at(const sc_csv *c, uint32_t line, uint32_t column, const char *what)
{
    return sc_fail(SC_EPARSE, "%s:%u:%u: error: %s", c->name, line, column, what);
}

static void step(cursor *c)
{
    if (*c->at == '\n') {
        c->line++;
        c->column = 1;
    } else if (((unsigned char)*c->at & 0xC0) != 0x80) {
        c->column++;
    }
    c->at++;
}

/* Bytes of the line end at the cursor: 1, 2, or 0 if there is none. */
static size_t line_end(const char *at, const char *end)
{
    if (at < end && *at == '\n')
        return 1;
    return end - at >= 2 && at[0] == '\r' && at[1] == '\n' ? 2 : 0;
}

static bool ends_cell(const cursor *c)
{
    return c->at == c->end || *c->at == ',' || line_end(c->at, c->end) > 0;
}

/* Move a quoted text one byte down over its opening quote, doubled quotes made single. */
static sc_status read_quoted(cursor *c, char **stop)
{
    const uint32_t line = c->line, column = c->column;
    char *to = c->at;
    step(c);
    for (;;) {
        if (c->at == c->end)
            return error_at(c->csv, line, column, "this quote is never closed");
        const bool quote = *c->at == '"';
        if (quote)
            step(c);
        if (quote && (c->at == c->end || *c->at != '"'))
            break;
        *to++ = *c->at;
        step(c);
    }
    if (!ends_cell(c))
        return error_at(c->csv, c->line, c->column, "text after a closing quote");
    *stop = to;
    return SC_OK;
}

static sc_status read_bare(cursor *c, char **stop)
{
    for (; !ends_cell(c); step(c))
        if (*c->at == '"')
            return error_at(c->csv, c->line, c->column,
                            "a quote inside a cell (quote the whole cell and double this one)");
    *stop = c->at;
    return SC_OK;
}

static sc_status add_cell(sc_csv *t, const cell *it)
{
    if (t->n_cells == MAX_CELLS)
        return error_at(t, it->line, it->column, "too many cells in one table");
    if (t->n_cells == t->capacity) {
        const size_t capacity = t->capacity ? 2 * t->capacity : 64;
        cell *grown = sc_realloc_array(t->cells, capacity, sizeof *grown);
        if (!grown)
            return SC_ENOMEM;
        t->cells = grown;
        t->capacity = capacity;
    }
    t->cells[t->n_cells++] = *it;
    return SC_OK;
}

/* One cell and what ends it. The end of the text is looked at before its NUL is put there: for a
 * bare cell it is the very comma or line end. */
static sc_status read_cell(cursor *c, bool *last)
{
    sc_status st;
    char *stop = NULL;
    const cell it = {.text = c->at, .line = c->line, .column = c->column};
    const bool quoted = c->at < c->end && *c->at == '"';
    if ((st = quoted ? read_quoted(c, &stop) : read_bare(c, &stop)) != SC_OK)
        return st;
    *last = c->at == c->end || *c->at != ',';
    for (size_t skip = *last ? line_end(c->at, c->end) : 1; skip > 0; skip--)
        step(c);
    *stop = '\0';
    return add_cell(c->csv, &it);
}

static sc_status read_row(cursor *c)
{
    sc_csv *t = c->csv;
    const size_t before = t->n_cells;
    for (bool last = false; !last;) {
        const sc_status st = read_cell(c, &last);
        if (st != SC_OK)
            return st;
    }
    const size_t got = t->n_cells - before;
    if (t->rows == 0)
        t->columns = got;
    if (got != t->columns) {
        const cell *odd = &t->cells[before + (got < t->columns ? got : t->columns + 1) - 1];
        return sc_fail(SC_EPARSE, "%s:%u:%u: error: this row has %zu cells, the first row has %zu",
                       t->name, odd->line, odd->column, got, t->columns);
    }
    t->rows++;
    return SC_OK;
}

/* Pass over a line of nothing but blanks. @return whether there was one. */
static bool skip_blank(cursor *c)
{
    const char *at = c->at;
    while (at < c->end && (*at == ' ' || *at == '\t'))
        at++;
    const size_t end = line_end(at, c->end);
    if (end == 0 && at < c->end)
        return false;
    while (c->at < at + end)
        step(c);
    return true;
}

static sc_status read_table(sc_csv *t, size_t n)
{
    const size_t skip = n >= 3 && memcmp(t->text, byte_order_mark, 3) == 0 ? 3 : 0;
    cursor c = {.csv = t, .at = t->text + skip, .end = t->text + n, .line = 1, .column = 1};
    const size_t bad = sc_text_bad_byte(c.at, n - skip);
    if (bad < n - skip) {
        const sc_place p = sc_text_place(c.at, bad);
        return error_at(t, (uint32_t)p.line, (uint32_t)p.column,
                        c.at[bad] ? "not UTF-8 text" : "a NUL byte: this is no text file");
    }
    while (c.at < c.end) {
        const sc_status st = skip_blank(&c) ? SC_OK : read_row(&c);
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

static cell cell_at(const sc_csv *c, size_t row, size_t column)
{
    if (row >= c->rows || column >= c->columns)
        return (cell){.text = ""};
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
    const cell it = cell_at(c, row, column);
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
