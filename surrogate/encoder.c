#include "surrogate/encoder.h"

#include <math.h>
#include <string.h>

#include "core/mem.h"
#include "core/order.h"

typedef struct feature {
    char *name;
    sc_column_kind kind;
    bool constant, missing; /* missing: cells of those learned from were */
    double mean, deviation; /* on the scale that is learned */
    double low, high;       /* of the cells themselves */
    double *level;          /* [n_levels] of an ordinal, rising */
    size_t n_levels;        /* of a label: distinct texts */
    sc_intern seen;         /* of a label */
} feature;

struct sc_encoder {
    size_t n, reals, codes, constants;
    feature *feature;
};

static bool has_code(const feature *f)
{
    return !f->constant && (f->kind == SC_COLUMN_LABEL || f->kind == SC_COLUMN_ORDINAL);
}

static size_t reals_of(const feature *f)
{
    return f->constant ? 0 : (size_t)(f->kind != SC_COLUMN_LABEL) + f->missing;
}

void sc_encoder_destroy(sc_encoder *e)
{
    if (!e)
        return;
    for (size_t i = 0; e->feature && i < e->n; i++) {
        sc_free(e->feature[i].name);
        sc_free(e->feature[i].level);
        sc_intern_clear(&e->feature[i].seen);
    }
    sc_free(e->feature);
    sc_free(e);
}

/* ---- scales ---- */

/* Number of a level, 0 to n - 1; between two of them for a value that is. */
static double level_of(const feature *f, double v)
{
    size_t low = 0, high = f->n_levels - 1;
    if (v <= f->level[0])
        return 0.0;
    if (v >= f->level[high])
        return (double)high;
    while (high - low > 1) {
        const size_t middle = (low + high) / 2;
        if (f->level[middle] <= v)
            low = middle;
        else
            high = middle;
    }
    return (double)low + (v - f->level[low]) / (f->level[high] - f->level[low]);
}

static double scaled(const feature *f, double v)
{
    if (f->kind == SC_COLUMN_LOG)
        return v > 0.0 ? log(v) : (double)NAN;
    return f->kind == SC_COLUMN_ORDINAL ? level_of(f, v) : v;
}

/* ---- fit ---- */

static bool lower(const void *context, uint32_t a, uint32_t b)
{
    const double *v = context;
    return v[a] < v[b];
}

/* Distinct values of v [n], rising. */
static sc_status fit_levels(feature *f, const double *v, size_t n)
{
    uint32_t *room = sc_calloc(n, 2 * sizeof *room);
    double *level = sc_calloc(n, sizeof *level);
    if (!room || !level) {
        sc_free(room);
        sc_free(level);
        return SC_ENOMEM;
    }
    for (size_t i = 0; i < n; i++)
        room[i] = (uint32_t)i;
    sc_order_sort(room, room + n, n, lower, v);
    for (size_t i = 0; i < n; i++)
        if (f->n_levels == 0 || v[room[i]] > level[f->n_levels - 1])
            level[f->n_levels++] = v[room[i]];
    f->level = level;
    sc_free(room);
    return SC_OK;
}

/* v: room for [n]. */
static sc_status fit_numbers(feature *f, const sc_dataset *d, size_t column, const uint32_t *row,
                             size_t n, double *v)
{
    size_t known = 0;
    f->low = (double)INFINITY;
    f->high = -(double)INFINITY;
    for (size_t i = 0; i < n; i++) {
        const double x = sc_dataset_number(d, row[i], column);
        f->missing |= isnan(x);
        if (isnan(x))
            continue;
        v[known++] = x;
        f->low = fmin(f->low, x);
        f->high = fmax(f->high, x);
    }
    f->constant = !(f->low < f->high);
    if (f->constant)
        return SC_OK;
    const sc_status st = f->kind == SC_COLUMN_ORDINAL ? fit_levels(f, v, known) : SC_OK;
    if (st != SC_OK)
        return st;
    double sum = 0.0, squares = 0.0;
    for (size_t i = 0; i < known; i++) {
        v[i] = scaled(f, v[i]);
        sum += v[i];
    }
    f->mean = sum / (double)known;
    for (size_t i = 0; i < known; i++)
        squares += (v[i] - f->mean) * (v[i] - f->mean);
    f->deviation = sqrt(squares / (double)known);
    f->constant = !(f->deviation > 0.0 && isfinite(f->deviation));
    return SC_OK;
}

static sc_status fit_labels(feature *f, const sc_dataset *d, size_t column, const uint32_t *row,
                            size_t n)
{
    for (size_t i = 0; i < n; i++) {
        uint32_t number;
        const char *text = sc_dataset_text(d, row[i], column);
        f->missing |= !text;
        const sc_status st =
            text ? sc_intern_add(&number, &f->seen, text, SC_DATASET_LABELS) : SC_OK;
        if (st != SC_OK)
            return st;
    }
    f->n_levels = f->seen.n;
    f->constant = f->n_levels + f->missing < 2;
    return SC_OK;
}

static void count_inputs(sc_encoder *e)
{
    e->reals = e->codes = e->constants = 0;
    for (size_t i = 0; i < e->n; i++) {
        e->reals += reals_of(&e->feature[i]);
        e->codes += has_code(&e->feature[i]);
        e->constants += e->feature[i].constant;
    }
}

static bool is_feature(const sc_dataset *d, size_t i)
{
    return sc_dataset_column(d, i).kind <= SC_COLUMN_LABEL;
}

sc_status sc_encoder_fit(sc_encoder **out, const sc_dataset *d, const uint32_t *row, size_t n)
{
    sc_status st = SC_ENOMEM;
    if (n == 0)
        return sc_fail(SC_EINVAL, "encoder: no row to learn from");
    double *v = sc_calloc(n, sizeof *v);
    sc_encoder *e = sc_calloc(1, sizeof *e);
    if (!v || !e || !(e->feature = sc_calloc(sc_dataset_columns(d), sizeof *e->feature)))
        goto done;
    for (size_t i = 0; i < sc_dataset_columns(d); i++) {
        if (!is_feature(d, i))
            continue;
        feature *f = &e->feature[e->n++];
        f->kind = sc_dataset_column(d, i).kind;
        f->name = sc_strdup(sc_dataset_column(d, i).name);
        st = !f->name                     ? SC_ENOMEM
             : f->kind == SC_COLUMN_LABEL ? fit_labels(f, d, i, row, n)
                                          : fit_numbers(f, d, i, row, n, v);
        if (st != SC_OK)
            goto done;
    }
    count_inputs(e);
    if (e->reals + e->codes == 0) {
        st = sc_fail(SC_EINVAL, "encoder: every feature is constant over the %zu rows learned from",
                     n);
        goto done;
    }
    *out = e;
    e = NULL;
done:
    sc_encoder_destroy(e);
    sc_free(v);
    return st;
}

/* ---- use ---- */

size_t sc_encoder_reals(const sc_encoder *e)
{
    return e->reals;
}

size_t sc_encoder_codes(const sc_encoder *e)
{
    return e->codes;
}

size_t sc_encoder_features(const sc_encoder *e)
{
    return e->n;
}

sc_column sc_encoder_feature(const sc_encoder *e, size_t i)
{
    return (sc_column){e->feature[i].name, e->feature[i].kind};
}

uint32_t sc_encoder_levels(const sc_encoder *e, size_t code)
{
    for (size_t i = 0; i < e->n; i++)
        if (has_code(&e->feature[i]) && code-- == 0)
            return (uint32_t)e->feature[i].n_levels + 1;
    return 0;
}

bool sc_encoder_moves(const sc_encoder *e, size_t real)
{
    for (size_t i = 0; i < e->n; i++) {
        const size_t reals = reals_of(&e->feature[i]);
        if (real < reals)
            return real == 0 && e->feature[i].kind != SC_COLUMN_LABEL;
        real -= reals;
    }
    return false;
}

bool sc_encoder_is_label(const sc_encoder *e, size_t code)
{
    for (size_t i = 0; i < e->n; i++)
        if (has_code(&e->feature[i]) && code-- == 0)
            return e->feature[i].kind == SC_COLUMN_LABEL;
    return false;
}

void sc_encoder_snap(sc_real *real, uint32_t *code, const sc_encoder *e, bool whole)
{
    for (size_t i = 0; i < e->n; i++) {
        const feature *f = &e->feature[i];
        const bool number = !f->constant && f->kind != SC_COLUMN_LABEL;
        if (number) {
            const double low = scaled(f, f->low), high = scaled(f, f->high);
            const double at = (double)*real * f->deviation + f->mean;
            const double inside = fmin(fmax(at, low), high);
            if (inside != at)
                *real = (sc_real)((inside - f->mean) / f->deviation);
            if (f->kind == SC_COLUMN_ORDINAL) {
                const double level = round(inside);
                *code = (uint32_t)level + 1;
                if (whole)
                    *real = (sc_real)((level - f->mean) / f->deviation);
            }
        }
        real += reals_of(f);
        code += has_code(f);
    }
}

const char *sc_encoder_constant(const sc_encoder *e, size_t i)
{
    for (size_t k = 0; k < e->n; k++)
        if (e->feature[k].constant && i-- == 0)
            return e->feature[k].name;
    return NULL;
}

sc_status sc_encoder_match(size_t *column, const sc_encoder *e, const sc_dataset *d)
{
    for (size_t i = 0; i < e->n; i++) {
        const feature *f = &e->feature[i];
        size_t k = 0;
        while (k < sc_dataset_columns(d) && strcmp(sc_dataset_column(d, k).name, f->name) != 0)
            k++;
        if (k == sc_dataset_columns(d))
            return sc_fail(SC_EINVAL, "the data has no column %s, which the surrogate learned from",
                           f->name);
        if (sc_dataset_column(d, k).kind != f->kind)
            return sc_fail(SC_EINVAL, "column %s is %s, but the surrogate learned from it as %s",
                           f->name, sc_column_kind_name(sc_dataset_column(d, k).kind),
                           sc_column_kind_name(f->kind));
        column[i] = k;
    }
    return SC_OK;
}

static unsigned encode_label(uint32_t *code, const feature *f, const char *text)
{
    const uint32_t seen = text ? sc_intern_find(&f->seen, text) : UINT32_MAX;
    *code = seen == UINT32_MAX ? 0 : seen + 1;
    if (!text)
        return f->missing ? 0 : SC_NEW_MISSING;
    return *code ? 0 : SC_NEW_LABEL;
}

static unsigned encode_number(sc_real *real, uint32_t *code, const feature *f, double v)
{
    *code = 0;
    *real = 0;
    if (isnan(v))
        return f->missing ? 0 : SC_NEW_MISSING;
    const double at = scaled(f, v);
    unsigned flags = v < f->low || v > f->high ? SC_NEW_VALUE : 0;
    if (!isnan(at))
        *real = (sc_real)((at - f->mean) / f->deviation);
    if (f->kind == SC_COLUMN_ORDINAL) {
        *code = (uint32_t)lround(at) + 1;
        flags |= f->level[*code - 1] != v ? SC_NEW_VALUE : 0;
    }
    return flags;
}

static unsigned new_constant(const feature *f, const sc_dataset *d, size_t row, size_t column)
{
    if (f->kind == SC_COLUMN_LABEL) {
        const char *text = sc_dataset_text(d, row, column);
        return text && sc_intern_find(&f->seen, text) == UINT32_MAX ? SC_NEW_CONSTANT : 0;
    }
    const double v = sc_dataset_number(d, row, column);
    return v < f->low || v > f->high ? SC_NEW_CONSTANT : 0;
}

unsigned sc_encoder_row(sc_real *real, uint32_t *code, const sc_encoder *e, const sc_dataset *d,
                        const size_t *column, size_t row)
{
    unsigned flags = 0;
    for (size_t i = 0; i < e->n; i++) {
        const feature *f = &e->feature[i];
        bool missing;
        uint32_t now = 0;
        sc_real value = 0;
        if (f->constant) {
            flags |= new_constant(f, d, row, column[i]);
            continue;
        }
        if (f->kind == SC_COLUMN_LABEL) {
            const char *text = sc_dataset_text(d, row, column[i]);
            missing = !text;
            flags |= encode_label(&now, f, text);
        } else {
            const double v = sc_dataset_number(d, row, column[i]);
            missing = isnan(v);
            flags |= encode_number(&value, &now, f, v);
            *real++ = value;
        }
        if (has_code(f))
            *code++ = now;
        if (f->missing)
            *real++ = missing ? 1 : 0;
    }
    return flags;
}

/* ---- bytes ---- */

void sc_encoder_write(sc_buf *b, const sc_encoder *e)
{
    sc_blob_u64(b, e->n);
    for (size_t i = 0; i < e->n; i++) {
        const feature *f = &e->feature[i];
        sc_blob_text(b, f->name);
        sc_blob_u32(b, (uint32_t)f->kind);
        sc_blob_u32(b, (uint32_t)f->constant + 2 * (uint32_t)f->missing);
        const double numbers[] = {f->mean, f->deviation, f->low, f->high};
        for (size_t k = 0; k < 4; k++)
            sc_blob_double(b, numbers[k]);
        const bool label = f->kind == SC_COLUMN_LABEL;
        const size_t n = label ? f->seen.n : f->level ? f->n_levels : 0;
        sc_blob_u64(b, n);
        for (size_t k = 0; k < n; k++) {
            if (label)
                sc_blob_text(b, sc_intern_text(&f->seen, (uint32_t)k));
            else
                sc_blob_double(b, f->level[k]);
        }
    }
}

static sc_status read_label(feature *f, sc_blob *b)
{
    uint32_t number;
    char *text = sc_blob_read_text(b);
    if (!text)
        return b->broken ? SC_EPARSE : SC_ENOMEM;
    const sc_status st = sc_intern_add(&number, &f->seen, text, SC_DATASET_LABELS);
    sc_free(text);
    return st == SC_ERANGE ? SC_EPARSE : st;
}

static sc_status read_feature(feature *f, sc_blob *b)
{
    double numbers[4];
    sc_status st = SC_OK;
    if (!(f->name = sc_blob_read_text(b)))
        return b->broken ? SC_EPARSE : SC_ENOMEM;
    const uint32_t kind = sc_blob_read_u32(b), flags = sc_blob_read_u32(b);
    for (size_t k = 0; k < 4; k++)
        numbers[k] = sc_blob_read_double(b);
    const bool label = kind == SC_COLUMN_LABEL;
    const size_t n = sc_blob_read_count(b, 8);
    if (b->broken || kind > SC_COLUMN_LABEL || flags > 3 || n > SC_DATASET_LABELS)
        return SC_EPARSE;
    f->kind = (sc_column_kind)kind;
    f->constant = flags & 1;
    f->missing = flags & 2;
    f->mean = numbers[0];
    f->deviation = numbers[1];
    f->low = numbers[2];
    f->high = numbers[3];
    if (!label && n > 0 && !(f->level = sc_calloc(n, sizeof *f->level)))
        return SC_ENOMEM;
    for (size_t k = 0; st == SC_OK && k < n; k++) {
        if (label)
            st = read_label(f, b);
        else
            f->level[k] = sc_blob_read_double(b);
    }
    f->n_levels = label ? f->seen.n : n;
    if (st == SC_OK && (f->seen.n != (label ? n : 0) || (has_code(f) && n == 0)))
        st = SC_EPARSE;
    return st;
}

sc_status sc_encoder_read(sc_encoder **out, sc_blob *b)
{
    sc_status st = SC_OK;
    sc_encoder *e = sc_calloc(1, sizeof *e);
    if (!e)
        return SC_ENOMEM;
    const size_t n = sc_blob_read_count(b, 60); /* bytes of a feature, at least */
    if (b->broken || n == 0 || n > SC_DATASET_COLUMNS)
        st = SC_EPARSE;
    else if (!(e->feature = sc_calloc(n, sizeof *e->feature)))
        st = SC_ENOMEM;
    while (st == SC_OK && e->n < n)
        st = read_feature(&e->feature[e->n++], b);
    if (st == SC_OK) {
        count_inputs(e);
        *out = e;
        return SC_OK;
    }
    sc_encoder_destroy(e);
    return st == SC_EPARSE ? sc_fail(st, "the features' scales are damaged") : st;
}
