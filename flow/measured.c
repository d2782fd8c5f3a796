#include "flow/measured.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/buf.h"
#include "core/csv.h"
#include "core/file.h"
#include "core/mem.h"

enum { MAX_TABLE_BYTES = 256 << 20, MAX_ERRORS = 20, NAME_BYTES = 32 };

/* Where each thing stands in a table. */
typedef struct columns {
    size_t extent[SC_TILED_DIMS], stride_p, stride_q, mapping, array, target, group;
} columns;

void sc_measured_clear(sc_measured *m)
{
    for (size_t i = 0; i < m->n; i++)
        sc_free(m->group[i]);
    sc_free(m->work);
    sc_free(m->cycles);
    sc_free(m->group);
    sc_free(m->fold);
    *m = (sc_measured){0};
}

static size_t find_either(const sc_csv *c, const char *prefix, const char *name)
{
    char full[NAME_BYTES];
    (void)snprintf(full, sizeof full, "%s.%s", prefix, name);
    const size_t at = sc_csv_find(c, full);
    return at != SIZE_MAX ? at : sc_csv_find(c, name);
}

static sc_status need(const sc_csv *c, size_t column, const char *name)
{
    return column != SIZE_MAX ? SC_OK : sc_csv_fail(c, 0, 0, "no column %s", name);
}

static sc_status find_columns(columns *out, const sc_csv *c, const char *target, const char *group,
                              sc_tiled_driver driver)
{
    static const char *const dims[SC_TILED_DIMS] = {"K", "C", "P", "Q", "R", "S"};
    const char *const given[] = {target, group, "stride", "array", "mapping"};
    sc_status st = sc_csv_once(c, given, sizeof given / sizeof *given);
    const size_t stride = sc_csv_find(c, "stride");
    for (unsigned d = 0; d < SC_TILED_DIMS && st == SC_OK; d++) {
        out->extent[d] = find_either(c, "prob", dims[d]);
        st = need(c, out->extent[d], dims[d]);
    }
    out->stride_p = find_either(c, "prob", "Wstride");
    out->stride_q = find_either(c, "prob", "Hstride");
    out->stride_p = out->stride_p == SIZE_MAX ? stride : out->stride_p;
    out->stride_q = out->stride_q == SIZE_MAX ? stride : out->stride_q;
    out->mapping = find_either(c, "mapping", "mapping");
    out->array = sc_csv_find(c, "array");
    if (out->array == SIZE_MAX)
        out->array = sc_csv_find(c, "arch.meshX");
    out->target = sc_csv_find(c, target);
    out->group = sc_csv_find(c, group);
    if (st == SC_OK)
        st = need(c, out->mapping, "mapping");
    if (st == SC_OK && driver == SC_TILED_PLAIN)
        st = need(c, out->array, "array");
    if (st == SC_OK)
        st = need(c, out->target, target);
    return st == SC_OK ? need(c, out->group, group) : st;
}

static sc_status read_size(uint64_t *out, const sc_csv *c, size_t row, size_t column)
{
    int64_t v = 1;
    const sc_status st = column == SIZE_MAX ? SC_OK : sc_csv_integer(&v, c, row, column);
    if (st != SC_OK)
        return st;
    if (v < 1 || v > (int64_t)1 << 31)
        return sc_csv_fail(c, row, column, "%lld is not 1 to 2^31", (long long)v);
    *out = (uint64_t)v;
    return SC_OK;
}

static sc_status read_work(sc_tiled_work *out, const sc_csv *c, size_t row, const columns *at,
                           sc_tiled_driver driver)
{
    sc_tiled_layer layer = {0};
    uint64_t side = 0;
    sc_status st = SC_OK;
    for (unsigned d = 0; d < SC_TILED_DIMS && st == SC_OK; d++)
        st = read_size(&layer.extent[d], c, row, at->extent[d]);
    if (st == SC_OK)
        st = read_size(&layer.stride_p, c, row, at->stride_p);
    if (st == SC_OK)
        st = read_size(&layer.stride_q, c, row, at->stride_q);
    if (st == SC_OK && driver == SC_TILED_PLAIN)
        st = read_size(&side, c, row, at->array);
    if (st != SC_OK)
        return st;
    if ((st = sc_tiled_parse(&layer, sc_csv_cell(c, row, at->mapping))) == SC_OK)
        st = sc_tiled_count(out, &layer, side, driver);
    if (st == SC_OK)
        return st;
    char what[256]; /* a copy: the message is about to be replaced */
    (void)snprintf(what, sizeof what, "%s", sc_error_message());
    return sc_csv_fail(c, row, at->mapping, "%s", what);
}

static sc_status read_row(sc_measured *m, const sc_csv *c, size_t row, const columns *at,
                          sc_tiled_driver driver)
{
    double cycles = 0;
    sc_status st = read_work(&m->work[m->n], c, row, at, driver);
    if (st == SC_OK)
        st = sc_csv_number(&cycles, c, row, at->target);
    if (st == SC_OK && cycles <= 0)
        st = sc_csv_fail(c, row, at->target, "measured cycles are above 0");
    if (st != SC_OK)
        return st;
    if (!(m->group[m->n] = sc_strdup(sc_csv_cell(c, row, at->group))))
        return SC_ENOMEM;
    m->cycles[m->n++] = cycles;
    return SC_OK;
}

static sc_status reserve(sc_measured *m, size_t rows)
{
    const size_t n = m->n + rows;
    void *p;
    if (!(p = sc_realloc_array(m->work, n, sizeof *m->work)))
        return SC_ENOMEM;
    m->work = p;
    if (!(p = sc_realloc_array(m->cycles, n, sizeof *m->cycles)))
        return SC_ENOMEM;
    m->cycles = p;
    if (!(p = sc_realloc_array(m->group, n, sizeof *m->group)))
        return SC_ENOMEM;
    m->group = p;
    return SC_OK;
}

/* All rows of a table; every wrong one is told. */
static sc_status read_rows(sc_measured *m, const sc_csv *c, const columns *at,
                           sc_tiled_driver driver)
{
    sc_buf errors;
    sc_status st = reserve(m, sc_csv_rows(c));
    size_t wrong = 0;
    sc_buf_init(&errors);
    for (size_t row = 1; row < sc_csv_rows(c) && st == SC_OK && wrong < MAX_ERRORS; row++) {
        st = read_row(m, c, row, at, driver);
        if (st == SC_EPARSE) {
            sc_buf_printf(&errors, "%s%s", wrong++ ? "\n" : "", sc_error_message());
            st = SC_OK;
        }
    }
    if (st == SC_OK && wrong)
        st = errors.status == SC_OK ? sc_fail(SC_EPARSE, "%s", errors.text) : SC_ENOMEM;
    sc_buf_clear(&errors);
    return st;
}

static sc_status read_table(sc_measured *m, const char *path, const char *target, const char *group,
                            sc_tiled_driver driver)
{
    char *text = NULL;
    size_t length = 0;
    sc_csv *c = NULL;
    columns at;
    sc_status st = sc_file_read(&text, &length, path, MAX_TABLE_BYTES);
    if (st != SC_OK || (st = sc_csv_parse(&c, path, text, length)) != SC_OK ||
        (st = find_columns(&at, c, target, group, driver)) != SC_OK ||
        (st = read_rows(m, c, &at, driver)) != SC_OK)
        goto done;
    const sc_hash128 both[2] = {m->data_hash, sc_hash128_of(text, length)};
    m->data_hash = sc_hash128_of(both, sizeof both);
done:
    sc_csv_close(c);
    sc_free(text);
    return st;
}

sc_status sc_measured_read(sc_measured *out, const char *const *paths, size_t n_paths,
                           const char *target, const char *group, sc_tiled_driver driver)
{
    sc_measured m = {0};
    sc_status st = n_paths > 0 ? SC_OK : sc_fail(SC_EINVAL, "no table of measured cycles is given");
    for (size_t i = 0; i < n_paths && st == SC_OK; i++)
        st = read_table(&m, paths[i], target, group, driver);
    if (st == SC_OK && m.n == 0)
        st = sc_fail(SC_EPARSE, "%s:1:1: error: a header without rows", paths[0]);
    if (st != SC_OK) {
        sc_measured_clear(&m);
        return st;
    }
    *out = m;
    return SC_OK;
}

/* ---- folds ---- */

typedef struct named_row {
    const char *group;
    size_t row;
} named_row;

static int by_group(const void *a, const void *b)
{
    const named_row *x = a, *y = b;
    const int order = strcmp(x->group, y->group);
    return order ? order : (x->row > y->row) - (x->row < y->row);
}

sc_status sc_measured_deal(sc_measured *m, uint32_t folds)
{
    if (folds < 2)
        return sc_fail(SC_EINVAL, "cross-validation needs at least 2 folds, not %u", folds);
    named_row *rows = sc_calloc(m->n, sizeof *rows);
    uint32_t *fold = sc_calloc(m->n, sizeof *fold);
    size_t groups = 0;
    if (!rows || !fold) {
        sc_free(rows);
        sc_free(fold);
        return SC_ENOMEM;
    }
    for (size_t i = 0; i < m->n; i++)
        rows[i] = (named_row){m->group[i], i};
    qsort(rows, m->n, sizeof *rows, by_group);
    for (size_t i = 0; i < m->n; i++) {
        groups += i == 0 || strcmp(rows[i].group, rows[i - 1].group) != 0;
        fold[rows[i].row] = (uint32_t)((groups - 1) % folds);
    }
    sc_free(rows);
    if (groups < folds) {
        sc_free(fold);
        return sc_fail(SC_EINVAL, "%zu groups cannot be dealt to %u folds", groups, folds);
    }
    sc_free(m->fold);
    m->fold = fold;
    m->n_groups = groups;
    return SC_OK;
}
