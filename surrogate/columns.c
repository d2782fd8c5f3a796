/* Kinds of columns from one look through a table. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/mem.h"
#include "core/rows.h"
#include "core/text.h"
#include "surrogate/columns.h"

enum { FEW_LEVELS = 12, SEEN = 64 };
static const double WIDE = 16.0; /* from the smallest to the largest of a logarithm */
static const double WIDE_TARGET = 10.0;

typedef struct look {
    uint64_t cells, numbers;
    double low, high;
    bool all_whole;
    sc_intern seen; /* at most SEEN */
    bool many;      /* more than that */
} look;

static bool is_among(const char *name, const sc_surrogate_names *names)
{
    for (size_t i = 0; i < names->n; i++)
        if (strcmp(names->name[i], name) == 0)
            return true;
    return false;
}

/* ---- one look ---- */

static sc_status look_at(look *l, const char *cell)
{
    double v = 0;
    uint32_t number = 0;
    if (sc_dataset_is_missing(cell))
        return SC_OK;
    l->cells++;
    if (sc_rows_is_number(&v, cell)) {
        l->low = l->numbers == 0 ? v : fmin(l->low, v);
        l->high = l->numbers == 0 ? v : fmax(l->high, v);
        l->all_whole = (l->numbers == 0 || l->all_whole) && v == floor(v);
        l->numbers++;
    }
    if (l->many)
        return SC_OK;
    const sc_status st = sc_intern_add(&number, &l->seen, cell, SEEN);
    l->many = st == SC_ERANGE;
    return st == SC_ERANGE ? SC_OK : st;
}

static sc_status look_through(look *of, sc_rows *r)
{
    bool got = true;
    sc_status st = SC_OK;
    while ((st = sc_rows_next(&got, r)) == SC_OK && got)
        for (size_t i = 0; st == SC_OK && i < sc_rows_columns(r); i++)
            st = look_at(&of[i], sc_rows_cell(r, i));
    return st;
}

static sc_column_kind kind_of(const look *l)
{
    if (l->numbers < l->cells)
        return SC_COLUMN_LABEL;
    if (l->low > 0 && l->high / l->low >= WIDE)
        return SC_COLUMN_LOG;
    if (!l->many && l->seen.n <= FEW_LEVELS)
        return SC_COLUMN_ORDINAL;
    return SC_COLUMN_REAL;
}

/* ---- what the user names ---- */

static sc_status must_be(const sc_rows *r, const char *option, const char *name)
{
    size_t again = 0;
    char suggestion[SC_SUGGEST_LEN], shown[SC_SHOWN_LEN];
    sc_near near;
    if (name == NULL || sc_rows_find(r, name, &again) != SIZE_MAX)
        return SC_OK;
    sc_near_begin(&near, name);
    for (size_t k = 0; k < sc_rows_columns(r); k++)
        sc_near_offer(&near, sc_rows_column(r, k));
    return sc_fail(SC_EINVAL, "%s:1:1: error: no column '%s', which %s names%s", sc_rows_name(r),
                   sc_text_show(shown, name), option, sc_did_you_mean(suggestion, near.best));
}

static sc_status all_must_be(const sc_rows *r, const char *option, const sc_surrogate_names *names)
{
    sc_status st = SC_OK;
    for (size_t i = 0; i < names->n && st == SC_OK; i++)
        st = must_be(r, option, names->name[i]);
    return st;
}

static sc_status check_names(const sc_rows *r, const sc_surrogate_columns *w)
{
    sc_status st = must_be(r, "the target", w->target);
    if (st == SC_OK)
        st = must_be(r, "the flag of feasible rows", w->feasible);
    if (st == SC_OK)
        st = must_be(r, "the group", w->group);
    if (st == SC_OK)
        st = all_must_be(r, "the list of categorical ones", &w->categorical);
    if (st == SC_OK)
        st = all_must_be(r, "the list of logarithms", &w->logarithm);
    return st == SC_OK ? all_must_be(r, "the list of ignored ones", &w->ignore) : st;
}

static bool is(const char *name, const char *wanted)
{
    return wanted != NULL && strcmp(name, wanted) == 0;
}

/* @return false for a column that is left out. */
static bool choose(sc_column_kind *kind, const char *name, const look *l,
                   const sc_surrogate_columns *w)
{
    *kind = is(name, w->target)               ? SC_COLUMN_TARGET
            : is(name, w->feasible)           ? SC_COLUMN_FEASIBLE
            : is(name, w->group)              ? SC_COLUMN_GROUP
            : is_among(name, &w->categorical) ? SC_COLUMN_LABEL
            : is_among(name, &w->logarithm)   ? SC_COLUMN_LOG
                                              : kind_of(l);
    return *kind == SC_COLUMN_TARGET || *kind == SC_COLUMN_FEASIBLE || *kind == SC_COLUMN_GROUP ||
           (l->cells > 0 && !is_among(name, &w->ignore));
}

/* A text of its own on every row says nothing of a row that is new. */
static bool is_id(const char *name, sc_column_kind kind, const look *l,
                  const sc_surrogate_columns *w)
{
    return kind == SC_COLUMN_LABEL && l->many && l->numbers == 0 &&
           !is_among(name, &w->categorical) && l->seen.n + 1 >= l->cells;
}

static sc_status keep(sc_columns *out, const sc_rows *r, const look *of,
                      const sc_surrogate_columns *w)
{
    const size_t n = sc_rows_columns(r);
    sc_status st = SC_OK;
    uint32_t number = 0;
    for (size_t i = 0; i < n && st == SC_OK; i++)
        st = sc_intern_add(&number, &out->name, sc_rows_column(r, i), UINT32_MAX);
    for (size_t i = 0; i < n && st == SC_OK; i++) {
        sc_column_kind kind = SC_COLUMN_REAL;
        const char *name =
            sc_intern_text(&out->name, sc_intern_find(&out->name, sc_rows_column(r, i)));
        if (!choose(&kind, name, &of[i], w))
            continue;
        if (is_id(name, kind, &of[i], w)) {
            st = sc_intern_add(&number, &out->ids, name, UINT32_MAX);
            continue;
        }
        out->column[out->n++] = (sc_column){name, kind};
        if (kind == SC_COLUMN_TARGET) {
            out->target = name;
            out->log_target = of[i].low > 0 && of[i].high / of[i].low >= WIDE_TARGET;
        }
    }
    return st;
}

sc_status sc_columns_infer(sc_columns *out, const char *path, const sc_surrogate_columns *wanted)
{
    const sc_rows_form form = {.separator = ','};
    sc_rows *r = NULL;
    look *of = NULL;
    sc_columns c = {0};
    size_t n = 0;
    sc_status st = sc_rows_open(&r, path, &form);
    if (st != SC_OK)
        return st;
    n = sc_rows_columns(r);
    of = sc_calloc(n, sizeof *of);
    c.column = sc_calloc(n, sizeof *c.column);
    st = of != NULL && c.column != NULL ? check_names(r, wanted) : SC_ENOMEM;
    if (st == SC_OK)
        st = look_through(of, r);
    if (st == SC_OK)
        st = keep(&c, r, of, wanted);
    if (st == SC_OK) {
        *out = c;
        memset(&c, 0, sizeof c);
    }
    for (size_t i = 0; of != NULL && i < n; i++)
        sc_intern_clear(&of[i].seen);
    sc_free(of);
    sc_columns_clear(&c);
    sc_rows_close(r);
    return st;
}

void sc_columns_clear(sc_columns *c)
{
    sc_intern_clear(&c->name);
    sc_intern_clear(&c->ids);
    sc_free(c->column);
    memset(c, 0, sizeof *c);
}
