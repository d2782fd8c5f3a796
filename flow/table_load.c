/* The two passes over the rows of a recorded table. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/mem.h"
#include "flow/study_read.h"
#include "flow/table_inner.h"

enum { MOST_SAID = 8 /* rows that stand twice, one a line of the message */ };

/* The outcome a cell of this row states, feasible if none does. */
static sc_store_state marked(const sc_table *t, const sc_rows *r)
{
    sc_store_state state = SC_STATE_FEASIBLE;
    for (size_t i = 0; i < t->n_marks; i++)
        if (strcmp(sc_rows_cell(r, t->mark[i].column), t->mark[i].text) == 0 &&
            t->mark[i].state > state)
            state = t->mark[i].state; /* failed is more than infeasible */
    return state;
}

/* ---- first pass: values and labels ---- */

/* A column is of texts until a number turns up. */
static sc_status see_symbol(sc_table_symbol *x, const sc_rows *r)
{
    double number;
    uint32_t ignored;
    const char *text = sc_rows_cell(r, x->column);
    if (!x->used || x->numbers || text[0] == '\0')
        return SC_OK;
    if (sc_rows_is_number(&number, text)) {
        x->numbers = true;
        sc_intern_clear(&x->labels);
        return SC_OK;
    }
    const sc_status st = sc_intern_add(&ignored, &x->labels, text, SC_MAX_LABELS);
    return st == SC_ERANGE ? sc_rows_fail(r, x->column, "'%.60s' has over %d different texts",
                                          x->name, SC_MAX_LABELS)
                           : st;
}

static sc_status first_pass(sc_table *t, sc_rows *r, sc_buf *scratch)
{
    bool got = true;
    sc_status st = SC_OK;
    while (st == SC_OK && (st = sc_rows_next(&got, r)) == SC_OK && got) {
        for (size_t i = 0; i < t->n_axes && st == SC_OK; i++)
            st = sc_table__see(&t->axis[i], scratch, r);
        if (st != SC_OK || marked(t, r) == SC_STATE_FAILED)
            continue;
        for (size_t i = 0; i < t->n_symbols && st == SC_OK; i++)
            st = see_symbol(&t->symbol[i], r);
    }
    t->n_rows = (size_t)sc_rows_count(r);
    if (st == SC_OK && t->n_rows == 0)
        st = sc_fail(SC_EPARSE, "%s:1:1: error: no row behind the heading", t->path);
    return st;
}

/* ---- between them ---- */

typedef struct label {
    const char *text;
    uint32_t id;
} label;

static int by_text(const void *a, const void *b)
{
    return strcmp(((const label *)a)->text, ((const label *)b)->text);
}

/* Labels by their texts, so that the order of the rows does not count. labels: [labels.n]. */
static sc_status order_labels(sc_table_symbol *x, const char **labels)
{
    const size_t n = x->labels.n;
    label *order = sc_calloc(n, sizeof *order);
    x->rank = sc_calloc(n, sizeof *x->rank);
    if (!order || !x->rank) {
        sc_free(order);
        return SC_ENOMEM;
    }
    for (uint32_t i = 0; i < n; i++)
        order[i] = (label){sc_intern_text(&x->labels, i), i};
    qsort(order, n, sizeof *order, by_text);
    for (uint32_t i = 0; i < n; i++) {
        labels[i] = order[i].text;
        x->rank[order[i].id] = i;
    }
    sc_free(order);
    return SC_OK;
}

static bool compile(sc_table *t, sc_study *s, const sc_node *at)
{
    sc_symbol *symbols = sc_study_array(s, at, t->n_symbols, sizeof *symbols);
    bool ok = symbols != NULL;
    for (size_t i = 0; i < t->n_symbols && ok; i++) {
        sc_table_symbol *x = &t->symbol[i];
        symbols[i] = (sc_symbol){.name = x->name};
        if (!x->used || x->numbers || x->labels.n == 0)
            continue;
        const char **labels = sc_study_array(s, at, x->labels.n, sizeof *labels);
        if (!labels)
            return false;
        const sc_status st = order_labels(x, labels);
        if (st != SC_OK)
            return sc_study_fault(at, st);
        symbols[i].labels = labels;
        symbols[i].n_labels = x->labels.n;
    }
    for (size_t i = 0; i < SC_TABLE_RULES && ok; i++)
        if (t->rule[i].text)
            ok &= sc_expr_from_node(&t->rule[i].e, t->rule[i].at, symbols, t->n_symbols);
    for (size_t i = 0; i < t->n_figures && ok; i++)
        ok &= sc_expr_from_node(&t->figure[i].e, t->figure[i].at, symbols, t->n_symbols);
    return ok;
}

static sc_status make_rows(sc_table *t)
{
    uint64_t grid = 1;
    bool fits = true;
    for (size_t i = 0; i < t->n_axes; i++) {
        fits = fits && grid <= UINT64_MAX / t->axis[i].n_values;
        grid *= t->axis[i].n_values;
    }
    t->key_words = fits && t->n_axes > 2 ? 2 : t->n_axes;
    for (t->slots = 4; t->slots < t->n_rows + t->n_rows / 4;)
        t->slots *= 2;
    t->keys = sc_calloc(t->n_rows, t->key_words * sizeof *t->keys);
    t->values = sc_calloc(t->n_rows, t->n_figures * sizeof *t->values);
    t->line = sc_calloc(t->n_rows, sizeof *t->line);
    t->state = sc_calloc(t->n_rows, sizeof *t->state);
    t->slot = sc_calloc(t->slots, sizeof *t->slot);
    if (t->rule[SC_TABLE_VIOLATION].text)
        t->violation = sc_calloc(t->n_rows, sizeof *t->violation);
    return t->keys && t->values && t->line && t->state && t->slot &&
                   (t->violation || !t->rule[SC_TABLE_VIOLATION].text)
               ? SC_OK
               : SC_ENOMEM;
}

/* ---- second pass: rows ---- */

/* Values of the names; NaN where a cell is empty or not what its column is. */
static void read_symbols(double *values, const sc_table *t, const sc_rows *r)
{
    for (size_t i = 0; i < t->n_symbols; i++) {
        const sc_table_symbol *x = &t->symbol[i];
        values[i] = (double)NAN;
        if (!x->used)
            continue;
        const char *text = sc_rows_cell(r, x->column);
        if (x->numbers) {
            (void)sc_rows_is_number(&values[i], text);
        } else {
            const uint32_t id = sc_intern_find(&x->labels, text);
            if (id != UINT32_MAX)
                values[i] = x->rank[id];
        }
    }
}

/* An expression that has no value in a row that needs it: which cell is to blame. */
static sc_status no_value(const sc_table *t, const sc_rows *r, const sc_table_figure *f,
                          const double *values)
{
    double number;
    for (size_t i = 0; i < t->n_symbols; i++) {
        const sc_table_symbol *x = &t->symbol[i];
        if (!sc_expr_uses(f->e, i) || !isnan(values[i]))
            continue;
        const sc_status st = x->numbers
                                 ? sc_rows_number(&number, r, x->column)
                                 : sc_rows_fail(r, x->column, "'%.60s' is missing here", x->name);
        if (st != SC_OK)
            return st;
    }
    for (size_t i = 0; i < t->n_symbols; i++)
        if (sc_expr_uses(f->e, i))
            return sc_rows_fail(r, t->symbol[i].column, "'%.60s' (%.200s) has no value in this row",
                                f->name, f->text);
    return sc_rows_fail(r, 0, "'%.60s' (%.200s) has no value", f->name, f->text);
}

static sc_status judge_row(sc_store_state *state, double *violation, const sc_table *t,
                           const sc_rows *r, const double *symbols)
{
    static const sc_store_state becomes[] = {SC_STATE_FAILED, SC_STATE_INFEASIBLE,
                                             SC_STATE_INFEASIBLE};
    *violation = 1.0;
    for (size_t i = 0; i < SC_TABLE_RULES && *state != SC_STATE_FAILED; i++) {
        const sc_table_figure *f = &t->rule[i];
        if (!f->e)
            continue;
        const double v = sc_expr_eval(f->e, symbols);
        if (isnan(v))
            return no_value(t, r, f, symbols);
        if (i == SC_TABLE_VIOLATION)
            *violation = v;
        if ((i == SC_TABLE_VIOLATION ? v > 0.0 : v != 0.0) && *state < becomes[i])
            *state = becomes[i];
    }
    *violation = *state == SC_STATE_INFEASIBLE ? fmax(*violation, 0.0) : 0.0;
    return SC_OK;
}

/* One row: its key at place n, its outcome and its figures. */
static sc_status keep_row(sc_table *t, size_t n, const sc_rows *r, sc_buf *scratch, double *symbols)
{
    uint32_t origin[SC_MAX_PARAMS] = {0};
    double violation = 0.0;
    sc_status st = SC_OK;
    for (size_t i = 0; i < t->n_axes && st == SC_OK; i++)
        st = sc_table__index(&origin[i], &t->axis[i], scratch, r);
    if (st != SC_OK)
        return st;
    sc_store_state state = marked(t, r);
    if (state != SC_STATE_FAILED) {
        read_symbols(symbols, t, r);
        if ((st = judge_row(&state, &violation, t, r, symbols)) != SC_OK)
            return st;
    }
    for (size_t i = 0; i < t->n_figures; i++) {
        const sc_table_figure *f = &t->figure[i];
        const double v = state == SC_STATE_FAILED ? (double)NAN : sc_expr_eval(f->e, symbols);
        if (state == SC_STATE_FEASIBLE && isnan(v))
            return no_value(t, r, f, symbols);
        t->values[n * t->n_figures + i] = v;
    }
    sc_table__pack(t, origin, t->keys + n * t->key_words);
    t->line[n] = sc_rows_line(r);
    t->state[n] = (uint8_t)state;
    if (t->violation)
        t->violation[n] = violation;
    t->worst = fmax(t->worst, violation);
    return SC_OK;
}

/* Put row n into the index; one whose parameters stand there already is noted. */
static void enter(sc_table *t, size_t n, const sc_rows *r, sc_buf *twice, size_t *n_twice)
{
    const size_t slot = sc_table__slot(t, t->keys + n * t->key_words);
    if (t->slot[slot] == 0) {
        t->slot[slot] = (uint32_t)(n + 1);
        return;
    }
    if (++*n_twice > MOST_SAID)
        return;
    (void)sc_rows_fail(r, t->axis[0].column[0], "the parameters of %s %u again",
                       t->numbered ? "row" : "line", t->line[t->slot[slot] - 1]);
    sc_buf_printf(twice, "%s%s", *n_twice > 1 ? "\n" : "", sc_error_message());
}

static sc_status second_pass(sc_table *t, sc_rows *r, sc_buf *scratch, double *symbols)
{
    const sc_hash128 before = sc_rows_hash(r);
    size_t n = 0, n_twice = 0;
    bool got = true;
    sc_buf twice;
    sc_status st = sc_rows_rewind(r);
    sc_buf_init(&twice);
    t->worst = 1.0;
    while (st == SC_OK && (st = sc_rows_next(&got, r)) == SC_OK && got) {
        if (n == t->n_rows)
            break;
        if ((st = keep_row(t, n, r, scratch, symbols)) == SC_OK)
            enter(t, n++, r, &twice, &n_twice);
    }
    if (st == SC_OK && (n != t->n_rows || got || !sc_hash_equal(before, sc_rows_hash(r))))
        st = sc_fail(SC_EPARSE, "%s:1:1: error: the file has changed while it was read", t->path);
    if (st == SC_OK && n_twice > MOST_SAID)
        sc_buf_printf(&twice, "\n%zu more rows stand twice", n_twice - MOST_SAID);
    if (st == SC_OK && n_twice > 0)
        st = twice.status == SC_OK ? sc_fail(SC_EPARSE, "%s", twice.text) : SC_ENOMEM;
    sc_buf_clear(&twice);
    return st;
}

/* What only the reading needed. */
static void drop_texts(sc_table *t)
{
    for (size_t i = 0; i < t->n_axes; i++) {
        sc_intern_clear(&t->axis[i].seen);
        sc_free(t->axis[i].index);
        t->axis[i].index = NULL;
    }
    for (size_t i = 0; i < t->n_symbols; i++) {
        sc_intern_clear(&t->symbol[i].labels);
        sc_free(t->symbol[i].rank);
    }
    t->n_symbols = 0;
}

bool sc_table__load(sc_table *t, sc_study *s, sc_rows *r, const sc_node *at)
{
    sc_buf scratch;
    double *symbols = sc_study_array(s, at, t->n_symbols, sizeof *symbols);
    bool ok = symbols != NULL;
    if (!ok)
        return false;
    sc_buf_init(&scratch);
    sc_status st = first_pass(t, r, &scratch);
    if (st == SC_OK)
        st = sc_space_create(&s->space, s->name);
    if (st != SC_OK)
        ok = sc_study_fault(at, st);
    for (size_t i = 0; ok && i < t->n_axes; i++)
        if ((st = sc_table__add_axis(s->space, &t->axis[i])) != SC_OK)
            ok = sc_study_fault(t->axis[i].at, st);
    ok = ok && compile(t, s, at);
    if (ok &&
        ((st = make_rows(t)) != SC_OK || (st = second_pass(t, r, &scratch, symbols)) != SC_OK))
        ok = sc_study_fault(at, st);
    drop_texts(t);
    sc_buf_clear(&scratch);
    return ok;
}
