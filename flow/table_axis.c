/* From the cells of a column, or of several, to the values of a parameter. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "core/mem.h"
#include "core/text.h"
#include "flow/table_inner.h"

/* A key is the cells of `within`, a GROUP, and the own cells, with a CELL between two. */
enum { CELL = '\x1e', GROUP = '\x1f' };

int sc_table__compare(const char *a, const char *b)
{
    double x, y;
    const bool first = sc_rows_is_number(&x, a), second = sc_rows_is_number(&y, b);
    if (first && second && x != y)
        return x < y ? -1 : 1;
    if (first != second)
        return first ? -1 : 1;
    return strcmp(a, b);
}

static sc_status check_cell(const sc_table_axis *a, const sc_rows *r, size_t column)
{
    const char *text = sc_rows_cell(r, column);
    if (text[0] == '\0')
        return sc_rows_fail(r, column, "parameter '%.60s' has no value here", a->name);
    if (strcasecmp(text, "nan") == 0)
        return sc_rows_fail(r, column, "parameter '%.60s' is not a number here", a->name);
    if (strpbrk(text, "\x1e\x1f"))
        return sc_rows_fail(r, column, "a control character in a value of '%.60s'", a->name);
    return SC_OK;
}

/* A column by itself is of numbers or of texts; if both, somebody has to say what is meant. */
static sc_status check_kind(sc_table_axis *a, const sc_rows *r)
{
    double ignored;
    char shown[SC_SHOWN_LEN];
    const size_t column = a->column[0];
    if (a->n_columns != 1 || a->n_within != 0 || a->kind == SC_SPACE_CATEGORICAL)
        return SC_OK;
    const char *text = sc_rows_cell(r, column);
    *(sc_rows_is_number(&ignored, text) ? &a->numbers : &a->texts) = true;
    if (a->texts && a->kind == SC_SPACE_ORDINAL)
        return sc_rows_fail(r, column, "'%s' is not a finite number", sc_text_show(shown, text));
    if (a->texts && a->numbers)
        return sc_rows_fail(r, column,
                            "parameter '%.60s' has both numbers and texts, here '%s': if all are "
                            "labels, say {column: %.60s, kind: categorical}",
                            a->name, sc_text_show(shown, text), a->name);
    return SC_OK;
}

static sc_status make_key(sc_buf *b, const sc_table_axis *a, const sc_rows *r)
{
    b->length = 0;
    for (size_t k = 0; k < a->n_within + a->n_columns; k++) {
        const char mark = k == a->n_within ? GROUP : CELL;
        const sc_status st = check_cell(a, r, a->column[k]);
        if (st != SC_OK)
            return st;
        if (k > 0)
            sc_buf_append(b, &mark, 1);
        sc_buf_puts(b, sc_rows_cell(r, a->column[k]));
    }
    return b->status;
}

sc_status sc_table__see(sc_table_axis *a, sc_buf *scratch, const sc_rows *r)
{
    uint32_t ignored;
    const size_t before = a->seen.n;
    sc_status st = make_key(scratch, a, r);
    if (st != SC_OK)
        return st;
    if ((st = sc_intern_add(&ignored, &a->seen, scratch->text, SC_MAX_VALUES)) == SC_OK &&
        a->seen.n > before)
        return check_kind(a, r);
    if (st == SC_ERANGE)
        return sc_rows_fail(r, a->column[0], "parameter '%.60s' has over %d values", a->name,
                            SC_MAX_VALUES);
    return st;
}

sc_status sc_table__index(uint32_t *out, const sc_table_axis *a, sc_buf *scratch, const sc_rows *r)
{
    const sc_status st = make_key(scratch, a, r);
    if (st != SC_OK)
        return st;
    const uint32_t key = sc_intern_find(&a->seen, scratch->text);
    if (key == UINT32_MAX)
        return sc_rows_fail(r, a->column[0], "the file has changed while it was read");
    *out = a->index[key];
    return SC_OK;
}

/* ---- values ---- */

typedef struct entry {
    double value; /* of a number */
    const char *key;
    uint32_t id;
} entry;

static int by_value(const void *a, const void *b)
{
    const entry *x = a, *y = b;
    return (x->value > y->value) - (x->value < y->value);
}

/* Cell by cell, numbers by value. */
static int by_key(const void *first, const void *second)
{
    static const char stops[] = {CELL, GROUP, '\0'};
    const char *a = ((const entry *)first)->key, *b = ((const entry *)second)->key;
    char x[256], y[256];
    for (;;) {
        const size_t n = strcspn(a, stops), m = strcspn(b, stops);
        (void)snprintf(x, sizeof x, "%.*s", (int)n, a);
        (void)snprintf(y, sizeof y, "%.*s", (int)m, b);
        const int c = sc_table__compare(x, y);
        if (c != 0 || a[n] == '\0' || b[m] == '\0')
            return c != 0 ? c : strcmp(a, b);
        a += n + 1;
        b += m + 1;
    }
}

static size_t group_length(const char *key)
{
    return strcspn(key, (const char[]){GROUP, '\0'});
}

/* Values by size; texts of one value, as 1 and 1.0, are one. @return how many. */
static size_t number_values(sc_table_axis *a, entry *list, double *values)
{
    size_t n = 0;
    for (size_t i = 0; i < a->seen.n; i++)
        (void)sc_rows_is_number(&list[i].value, list[i].key);
    qsort(list, a->seen.n, sizeof *list, by_value);
    for (size_t i = 0; i < a->seen.n; i++) {
        if (n == 0 || list[i].value > values[n - 1])
            values[n++] = list[i].value;
        a->index[list[i].id] = (uint32_t)(n - 1);
    }
    return n;
}

/* Places within each group, from 0. @return the size of the largest. */
static size_t number_places(sc_table_axis *a, entry *list, double *values)
{
    size_t most = 0, place = 0;
    qsort(list, a->seen.n, sizeof *list, by_key);
    for (size_t i = 0; i < a->seen.n; i++) {
        const size_t n = group_length(list[i].key);
        const bool same = i > 0 && group_length(list[i - 1].key) == n &&
                          memcmp(list[i - 1].key, list[i].key, n) == 0;
        place = same ? place + 1 : 0;
        values[place] = (double)place;
        a->index[list[i].id] = (uint32_t)place;
        most = place + 1 > most ? place + 1 : most;
    }
    return most;
}

/* Labels in order, cells joined by '/'; they are written into the keys, which keep their length. */
static sc_status add_labels(sc_space *space, sc_table_axis *a, entry *list, sc_space_param *p)
{
    const char **labels = sc_calloc(a->seen.n, sizeof *labels);
    if (!labels)
        return SC_ENOMEM;
    qsort(list, a->seen.n, sizeof *list, by_key);
    for (size_t i = 0; i < a->seen.n; i++) {
        char *label = sc_strdup(list[i].key);
        for (char *at = label; label && (at = strchr(at, CELL)) != NULL;)
            *at++ = '/';
        labels[i] = label;
        a->index[list[i].id] = (uint32_t)i;
        if (!label)
            break;
    }
    p->kind = SC_SPACE_CATEGORICAL;
    p->labels = labels;
    p->n_values = a->seen.n;
    const sc_status st = labels[a->seen.n - 1] ? sc_space_add(space, p) : SC_ENOMEM;
    for (size_t i = 0; i < a->seen.n; i++)
        sc_free((char *)labels[i]);
    sc_free(labels);
    return st;
}

sc_status sc_table__add_axis(sc_space *space, sc_table_axis *a)
{
    sc_space_param p = {.name = a->name, .kind = SC_SPACE_ORDINAL};
    entry *list = sc_calloc(a->seen.n, sizeof *list);
    double *values = sc_calloc(a->seen.n, sizeof *values);
    sc_status st = SC_ENOMEM;
    if (!list || !values || !(a->index = sc_calloc(a->seen.n, sizeof *a->index)))
        goto done;
    for (uint32_t i = 0; i < a->seen.n; i++)
        list[i] = (entry){.key = sc_intern_text(&a->seen, i), .id = i};
    if (a->n_within == 0 && !a->numbers) {
        st = add_labels(space, a, list, &p);
    } else {
        p.values = values;
        p.n_values =
            a->n_within > 0 ? number_places(a, list, values) : number_values(a, list, values);
        st = sc_space_add(space, &p);
    }
    a->n_values = (uint32_t)p.n_values;
done:
    sc_free(values);
    sc_free(list);
    return st;
}
