#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "core/buf.h"
#include "core/csv.h"
#include "core/mem.h"
#include "core/text.h"
#include "model/count/systolic.h"
#include "scantle/systolic.h"

enum { M, N, K, R, C, DATAFLOW, COLUMNS, MAX_ERRORS = 20 };

static const char *const column_names[COLUMNS] = {"M", "N", "K", "R", "C", "dataflow"};

/* One table while it is read. */
typedef struct table {
    sc_csv *csv;
    size_t column[COLUMNS];
    size_t first; /* row of the first product: 1 behind a header */
    size_t n_errors;
    sc_buf errors;
} table;

/* Keep the last failure; false when there are enough of them. */
static bool note(table *t)
{
    if (t->n_errors++ < MAX_ERRORS) {
        if (t->errors.length > 0)
            sc_buf_puts(&t->errors, "\n");
        sc_buf_puts(&t->errors, sc_error_message());
    }
    return t->n_errors < MAX_ERRORS;
}

/* The cell is that word, whatever the case and the blanks around it. */
static bool is_word(const char *cell, const char *word)
{
    while (isspace((unsigned char)*cell))
        cell++;
    for (; *word; word++, cell++)
        if (tolower((unsigned char)*cell) != tolower((unsigned char)*word))
            return false;
    while (isspace((unsigned char)*cell))
        cell++;
    return *cell == '\0';
}

/* A header is a first row in which some cell names one of our columns. */
static bool has_header(const sc_csv *csv)
{
    for (size_t k = 0; k < sc_csv_columns(csv); k++)
        for (unsigned i = 0; i < COLUMNS; i++)
            if (is_word(sc_csv_cell(csv, 0, k), column_names[i]))
                return true;
    return false;
}

static void find_columns(table *t)
{
    const size_t n = sc_csv_columns(t->csv);
    t->first = has_header(t->csv);
    for (unsigned i = 0; i < COLUMNS; i++) {
        t->column[i] = t->first ? SIZE_MAX : i;
        for (size_t k = 0; k < n && t->first; k++) {
            if (!is_word(sc_csv_cell(t->csv, 0, k), column_names[i]))
                continue;
            if (t->column[i] != SIZE_MAX) {
                (void)sc_csv_fail(t->csv, 0, k, "a second column %s", column_names[i]);
                (void)note(t);
            }
            t->column[i] = k;
        }
        if (t->column[i] < n)
            continue;
        (void)sc_csv_fail(t->csv, 0, 0,
                          t->first ? "no column %s in the header (needed: M,N,K,R,C,dataflow)"
                                   : "no header and no column %s: rows are M,N,K,R,C,dataflow",
                          column_names[i]);
        (void)note(t);
    }
}

static bool read_extent(uint64_t *out, table *t, size_t row, unsigned which)
{
    int64_t v;
    const size_t k = t->column[which];
    sc_status st = sc_csv_integer(&v, t->csv, row, k);
    if (st == SC_OK && v < 1)
        st = sc_csv_fail(t->csv, row, k, "%s is %lld, must be at least 1", column_names[which],
                         (long long)v);
    if (st != SC_OK)
        return note(t), false;
    *out = (uint64_t)v;
    return true;
}

static bool read_dataflow(sc_dataflow *out, table *t, size_t row)
{
    static const char *const names[SC_DATAFLOWS] = {"os", "ws", "is"};
    char shown[SC_SHOWN_LEN];
    const char *cell = sc_csv_cell(t->csv, row, t->column[DATAFLOW]);
    for (unsigned i = 0; i < SC_DATAFLOWS; i++)
        if (is_word(cell, names[i])) {
            *out = (sc_dataflow)i;
            return true;
        }
    (void)sc_csv_fail(t->csv, row, t->column[DATAFLOW],
                      "dataflow '%s' is none of os, ws, is (output, weight, input stationary)",
                      sc_text_show(shown, cell));
    return note(t), false;
}

static bool read_row(uint64_t *cycles, table *t, size_t row, const sc_systolic_options *o)
{
    sc_systolic_gemm g = {.dataflow = SC_OS};
    sc_systolic_cost cost;
    uint64_t *const extents[] = {&g.m, &g.n, &g.k, &g.rows, &g.cols};
    bool ok = read_dataflow(&g.dataflow, t, row);
    for (unsigned i = 0; i < DATAFLOW; i++)
        ok &= read_extent(extents[i], t, row, i);
    if (!ok)
        return false;
    if (sc_systolic_evaluate(&cost, &g, o) != SC_OK) {
        char why[128];
        (void)sc_text_copy(why, sizeof why, sc_error_message());
        (void)sc_csv_fail(t->csv, row, 0, "%s", why);
        return note(t), false;
    }
    *cycles = cost.cycles;
    return true;
}

static void write_row(sc_buf *b, const sc_csv *csv, size_t row, const char *last, bool header)
{
    for (size_t k = 0; k < sc_csv_columns(csv); k++) {
        const char *cell = sc_csv_cell(csv, row, k);
        sc_csv_quote(b, header && is_word(cell, "cycles") ? "given_cycles" : cell);
        sc_buf_puts(b, ",");
    }
    sc_buf_puts(b, last);
    sc_buf_puts(b, "\n");
}

static void write_rows(sc_buf *b, table *t, const sc_systolic_options *o)
{
    char text[24];
    uint64_t cycles;
    if (t->first)
        write_row(b, t->csv, 0, "cycles", true);
    for (size_t row = t->first; row < sc_csv_rows(t->csv) && t->n_errors < MAX_ERRORS; row++) {
        if (!read_row(&cycles, t, row, o))
            continue;
        (void)snprintf(text, sizeof text, "%llu", (unsigned long long)cycles);
        write_row(b, t->csv, row, text, false);
    }
}

sc_status sc_systolic_csv(char **csv, const char *path, const sc_systolic_csv_options *o)
{
    table t = {.csv = NULL};
    sc_systolic_options options = SC_SYSTOLIC_OPTIONS_INIT;
    sc_buf b;
    sc_status st;
    if (o) {
        options.double_buffered = o->double_buffered != 0;
        options.drain = o->drain != 0;
    }
    sc_buf_init(&b);
    sc_buf_init(&t.errors);
    if ((st = sc_csv_open(&t.csv, path)) != SC_OK)
        goto done;
    find_columns(&t);
    if (t.n_errors == 0)
        write_rows(&b, &t, &options);
    if (t.n_errors > 0)
        st = t.errors.status == SC_OK ? sc_fail(SC_EPARSE, "%s", t.errors.text) : t.errors.status;
    else
        st = sc_buf_take(&b, csv);
done:
    sc_csv_close(t.csv);
    sc_buf_clear(&t.errors);
    sc_buf_clear(&b);
    return st;
}
