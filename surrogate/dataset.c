#include "surrogate/dataset.h"

#include <ctype.h>
#include <math.h>
#include <string.h>

#include "core/mem.h"
#include "core/number.h"
#include "core/rows.h"
#include "core/text.h"

enum { FIRST_ROWS = 256 };
static const size_t MOST_BYTES = (size_t)2 << 30;

typedef struct field {
    char *name;
    sc_column_kind kind;
    size_t at;      /* among the numbers or the texts of a row */
    sc_intern seen; /* of texts */
} field;

struct sc_dataset {
    size_t n, n_columns, n_numbers, n_texts, n_targets;
    field *column;
    size_t target[SC_DATASET_TARGETS]; /* columns */
    size_t group, flag;                /* columns; SIZE_MAX: none */
    size_t rows, capacity, most_rows;
    double *number; /* [rows][n_numbers] */
    uint32_t *text; /* [rows][n_texts]; UINT32_MAX missing */
    uint8_t *feasible;
};

static const char *const kind_names[SC_COLUMN_KINDS] = {"real",  "log",    "ordinal", "label",
                                                        "group", "target", "feasible"};

const char *sc_column_kind_name(sc_column_kind kind)
{
    return kind < SC_COLUMN_KINDS ? kind_names[kind] : "unknown";
}

static bool is_text(sc_column_kind kind)
{
    return kind == SC_COLUMN_LABEL || kind == SC_COLUMN_GROUP;
}

static bool is_feature(sc_column_kind kind)
{
    return kind <= SC_COLUMN_LABEL;
}

static size_t row_bytes(const sc_dataset *d)
{
    return 8 * d->n_numbers + 4 * d->n_texts + 1;
}

/* ---- life ---- */

/* Give a column its place; names what does not go together. */
static sc_status place(sc_dataset *d, size_t i)
{
    field *c = &d->column[i];
    size_t *only = c->kind == SC_COLUMN_GROUP      ? &d->group
                   : c->kind == SC_COLUMN_FEASIBLE ? &d->flag
                                                   : NULL;
    if (c->name[0] == '\0')
        return sc_fail(SC_EINVAL, "data set: column %zu has no name", i);
    for (size_t k = 0; k < i; k++)
        if (strcmp(d->column[k].name, c->name) == 0)
            return sc_fail(SC_EINVAL, "data set: column %s stands twice", c->name);
    if (only && *only != SIZE_MAX)
        return sc_fail(SC_EINVAL, "data set: %s and %s are both of kind %s, of which there is one",
                       d->column[*only].name, c->name, kind_names[c->kind]);
    if (only)
        *only = i;
    if (c->kind == SC_COLUMN_TARGET && d->n_targets == SC_DATASET_TARGETS)
        return sc_fail(SC_EINVAL, "data set: more than %d targets", SC_DATASET_TARGETS);
    if (c->kind == SC_COLUMN_TARGET)
        d->target[d->n_targets++] = i;
    if (is_text(c->kind))
        c->at = d->n_texts++;
    else if (c->kind != SC_COLUMN_FEASIBLE)
        c->at = d->n_numbers++;
    return SC_OK;
}

sc_status sc_dataset_create(sc_dataset **out, const sc_column *columns, size_t n, size_t max_bytes)
{
    sc_status st = SC_ENOMEM;
    bool features = false;
    if (n == 0 || n > SC_DATASET_COLUMNS)
        return sc_fail(SC_EINVAL, "data set: 1 to %d columns, not %zu", SC_DATASET_COLUMNS, n);
    for (size_t i = 0; i < n; i++) {
        if (columns[i].kind >= SC_COLUMN_KINDS)
            return sc_fail(SC_EINVAL, "data set: column %s has no such kind", columns[i].name);
        features |= is_feature(columns[i].kind);
    }
    if (!features)
        return sc_fail(SC_EINVAL, "data set: no column to learn from (real, log, ordinal, label)");
    sc_dataset *d = sc_calloc(1, sizeof *d);
    if (!d || !(d->column = sc_calloc(n, sizeof *d->column)))
        goto done;
    d->group = d->flag = SIZE_MAX;
    for (; d->n_columns < n; d->n_columns++) {
        field *c = &d->column[d->n_columns];
        st = SC_ENOMEM;
        if (!(c->name = sc_strdup(columns[d->n_columns].name)))
            goto done;
        c->kind = columns[d->n_columns].kind;
        if ((st = place(d, d->n_columns)) != SC_OK) {
            sc_free(c->name);
            goto done;
        }
    }
    d->most_rows = (max_bytes ? max_bytes : MOST_BYTES) / row_bytes(d);
    *out = d;
    d = NULL;
done:
    sc_dataset_destroy(d);
    return st;
}

void sc_dataset_destroy(sc_dataset *d)
{
    if (!d)
        return;
    for (size_t i = 0; d->column && i < d->n_columns; i++) {
        sc_free(d->column[i].name);
        sc_intern_clear(&d->column[i].seen);
    }
    sc_free(d->column);
    sc_free(d->number);
    sc_free(d->text);
    sc_free(d->feasible);
    sc_free(d);
}

/* ---- rows ---- */

static sc_status room(sc_dataset *d)
{
    if (d->rows < d->capacity)
        return SC_OK;
    if (d->rows >= d->most_rows)
        return sc_fail(SC_ERANGE,
                       "data set: only %zu rows of %zu bytes fit its memory: raise the limit, or "
                       "give it a sample of the rows",
                       d->most_rows, row_bytes(d));
    size_t capacity = d->capacity ? d->capacity + d->capacity / 2 : FIRST_ROWS;
    capacity = capacity < d->most_rows ? capacity : d->most_rows;
    double *number = sc_realloc_array(d->number, capacity, d->n_numbers * sizeof *number);
    if (!number)
        return SC_ENOMEM;
    d->number = number;
    uint32_t *text = sc_realloc_array(d->text, capacity, d->n_texts * sizeof *text);
    if (!text)
        return SC_ENOMEM;
    d->text = text;
    uint8_t *feasible = sc_realloc_array(d->feasible, capacity, sizeof *feasible);
    if (!feasible)
        return SC_ENOMEM;
    d->feasible = feasible;
    d->capacity = capacity;
    return SC_OK;
}

/* Put a number into the row that is being made. @return why it cannot stand there; NULL if it can.
 */
static const char *put_number(sc_dataset *d, const field *c, double v)
{
    if (isinf(v))
        return "is infinite";
    if (c->kind == SC_COLUMN_LOG && v <= 0.0)
        return "is not positive, so it has no logarithm: make the column real";
    d->number[d->rows * d->n_numbers + c->at] = v;
    return NULL;
}

static sc_status put_text(sc_dataset *d, field *c, const char *text)
{
    uint32_t *cell = &d->text[d->rows * d->n_texts + c->at];
    *cell = UINT32_MAX;
    if (!text)
        return SC_OK;
    const sc_status st = sc_intern_add(cell, &c->seen, text, SC_DATASET_LABELS);
    if (st == SC_ERANGE)
        return sc_fail(SC_ERANGE,
                       "data set: column %s has more than %d distinct texts: is it a "
                       "number?",
                       c->name, SC_DATASET_LABELS);
    return st;
}

static sc_status add_row(sc_dataset *d, const double *cells)
{
    sc_status st = room(d);
    char text[32];
    for (size_t i = 0; st == SC_OK && i < d->n_columns; i++) {
        field *c = &d->column[i];
        if (c->kind == SC_COLUMN_FEASIBLE) {
            d->feasible[d->rows] = isnan(cells[i]) || cells[i] != 0.0;
        } else if (is_text(c->kind)) {
            sc_double_text(text, sizeof text, cells[i]);
            st = put_text(d, c, isnan(cells[i]) ? NULL : text);
        } else {
            const char *why = put_number(d, c, cells[i]);
            if (why)
                st = sc_fail(SC_EINVAL, "data set: row %zu, column %s: %g %s", d->rows, c->name,
                             cells[i], why);
        }
    }
    if (st != SC_OK)
        return st;
    if (d->flag == SIZE_MAX)
        d->feasible[d->rows] = 1;
    d->rows++;
    return SC_OK;
}

sc_status sc_dataset_add(sc_dataset *d, const double *cells, size_t n)
{
    for (size_t r = 0; r < n; r++) {
        const sc_status st = add_row(d, cells + r * d->n_columns);
        if (st != SC_OK)
            return st;
    }
    return SC_OK;
}

/* ---- files ---- */

static bool same(const char *a, const char *lower)
{
    for (; *a && *lower; a++, lower++)
        if (tolower((unsigned char)*a) != *lower)
            return false;
    return *a == *lower;
}

static bool one_of(const char *cell, const char *const *names, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (same(cell, names[i]))
            return true;
    return false;
}

bool sc_dataset_is_missing(const char *cell)
{
    static const char *const names[] = {"", "nan", "na", "null", "?"};
    return one_of(cell, names, sizeof names / sizeof *names);
}

static sc_status read_flag(sc_dataset *d, const sc_rows *r, size_t at)
{
    static const char *const yes[] = {"1", "true", "yes"}, *const no[] = {"0", "false", "no"};
    const char *cell = sc_rows_cell(r, at);
    const bool good = sc_dataset_is_missing(cell) || one_of(cell, yes, 3);
    if (!good && !one_of(cell, no, 3))
        return sc_rows_fail(r, at, "a flag is 1, true, yes or 0, false, no");
    d->feasible[d->rows] = good;
    return SC_OK;
}

static sc_status read_cell(sc_dataset *d, const sc_rows *r, field *c, size_t at)
{
    const char *cell = at == SIZE_MAX ? "" : sc_rows_cell(r, at);
    const bool missing = sc_dataset_is_missing(cell);
    double v = (double)NAN;
    if (c->kind == SC_COLUMN_FEASIBLE) {
        d->feasible[d->rows] = 1;
        return at == SIZE_MAX ? SC_OK : read_flag(d, r, at);
    }
    if (is_text(c->kind))
        return put_text(d, c, missing ? NULL : cell);
    const sc_status st = missing ? SC_OK : sc_rows_number(&v, r, at);
    if (st != SC_OK)
        return st;
    const char *why = put_number(d, c, v);
    return why ? sc_rows_fail(r, at, "%s in column %s %s", cell, c->name, why) : SC_OK;
}

/* Which column of the file each of ours is; SIZE_MAX for one that a file need not have. */
static sc_status find_columns(size_t *at, const sc_dataset *d, const sc_rows *r)
{
    char suggestion[SC_SUGGEST_LEN];
    for (size_t i = 0; i < d->n_columns; i++) {
        size_t again;
        at[i] = sc_rows_find(r, d->column[i].name, &again);
        if (at[i] != SIZE_MAX && again != SIZE_MAX)
            return sc_rows_fail(r, again, "column %s stands twice", d->column[i].name);
        if (at[i] != SIZE_MAX || !is_feature(d->column[i].kind))
            continue;
        sc_near near;
        sc_near_begin(&near, d->column[i].name);
        for (size_t k = 0; k < sc_rows_columns(r); k++)
            sc_near_offer(&near, sc_rows_column(r, k));
        return sc_fail(SC_EPARSE, "%s:1:1: error: no column %s%s", sc_rows_name(r),
                       d->column[i].name, sc_did_you_mean(suggestion, near.best));
    }
    return SC_OK;
}

struct sc_dataset_file {
    sc_rows *rows;
    size_t *at; /* [columns of the data set] */
};

sc_status sc_dataset_file_open(sc_dataset_file **out, const sc_dataset *d, const char *path)
{
    const sc_rows_form form = {.separator = ','};
    sc_dataset_file *f = sc_calloc(1, sizeof *f);
    sc_status st = f && (f->at = sc_calloc(d->n_columns, sizeof *f->at)) ? SC_OK : SC_ENOMEM;
    if (st == SC_OK)
        st = sc_rows_open(&f->rows, path, &form);
    if (st == SC_OK)
        st = find_columns(f->at, d, f->rows);
    if (st == SC_OK) {
        *out = f;
        return SC_OK;
    }
    sc_dataset_file_close(f);
    return st;
}

void sc_dataset_file_close(sc_dataset_file *f)
{
    if (!f)
        return;
    sc_rows_close(f->rows);
    sc_free(f->at);
    sc_free(f);
}

sc_status sc_dataset_read_some(sc_dataset *d, sc_dataset_file *f, size_t most)
{
    sc_status st = SC_OK;
    bool got = false;
    for (size_t k = 0; k < most; k++) {
        if ((st = sc_rows_next(&got, f->rows)) != SC_OK || !got || (st = room(d)) != SC_OK)
            break;
        d->feasible[d->rows] = 1;
        for (size_t i = 0; st == SC_OK && i < d->n_columns; i++)
            st = read_cell(d, f->rows, &d->column[i], f->at[i]);
        if (st != SC_OK)
            break;
        d->rows++;
    }
    return st;
}

sc_status sc_dataset_read(sc_dataset *d, const char *path)
{
    sc_dataset_file *f = NULL;
    sc_status st = sc_dataset_file_open(&f, d, path);
    if (st == SC_OK)
        st = sc_dataset_read_some(d, f, SIZE_MAX);
    sc_dataset_file_close(f);
    return st;
}

void sc_dataset_empty(sc_dataset *d)
{
    d->rows = 0;
}

/* ---- reading ---- */

size_t sc_dataset_rows(const sc_dataset *d)
{
    return d->rows;
}

size_t sc_dataset_bytes(const sc_dataset *d)
{
    size_t bytes = sizeof *d + d->capacity * row_bytes(d) + d->n_columns * sizeof *d->column;
    for (size_t i = 0; i < d->n_columns; i++) {
        const sc_intern *s = &d->column[i].seen;
        bytes += s->byte_capacity + s->capacity * sizeof *s->at + s->slots * sizeof *s->slot;
    }
    return bytes;
}

size_t sc_dataset_columns(const sc_dataset *d)
{
    return d->n_columns;
}

sc_column sc_dataset_column(const sc_dataset *d, size_t i)
{
    return (sc_column){d->column[i].name, d->column[i].kind};
}

size_t sc_dataset_targets(const sc_dataset *d)
{
    return d->n_targets;
}

const char *sc_dataset_target_name(const sc_dataset *d, size_t i)
{
    return d->column[d->target[i]].name;
}

double sc_dataset_number(const sc_dataset *d, size_t row, size_t column)
{
    return d->number[row * d->n_numbers + d->column[column].at];
}

static uint32_t text_at(const sc_dataset *d, size_t row, size_t column)
{
    return d->text[row * d->n_texts + d->column[column].at];
}

const char *sc_dataset_text(const sc_dataset *d, size_t row, size_t column)
{
    const uint32_t i = text_at(d, row, column);
    return i == UINT32_MAX ? NULL : sc_intern_text(&d->column[column].seen, i);
}

bool sc_dataset_feasible(const sc_dataset *d, size_t row)
{
    return d->feasible[row];
}

uint32_t sc_dataset_group(const sc_dataset *d, size_t row)
{
    return d->group == SIZE_MAX ? UINT32_MAX : text_at(d, row, d->group);
}

double sc_dataset_target(const sc_dataset *d, size_t row, size_t i)
{
    return sc_dataset_number(d, row, d->target[i]);
}
