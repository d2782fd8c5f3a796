/* Ridge regression on polynomials of inputs: Hoerl, Kennard, Technometrics 12(1), 1970,
 * doi:10.1080/00401706.1970.10488634, eq. 2.1. */
#include "surrogate/base.h"

#include <gsl/gsl_errno.h>
#include <gsl/gsl_linalg.h>
#include <math.h>
#include <string.h>

#include "core/mem.h"

enum { MOST_PAIRED = 48, FEW_LEVELS = 8, BLOCK = 64 };
static const double PAST_END = 0.1; /* of the range, that a real may lie outside of it */

struct sc_base {
    size_t reals, codes;
    size_t inputs; /* reals, then a 0 or 1 for every level of a code */
    size_t paired; /* inputs that have squares and products */
    size_t terms;  /* constant, inputs, pairs */
    uint32_t degree;
    uint32_t *first;    /* [codes + 1] input of level 0 */
    uint32_t *pair_of;  /* [paired] inputs */
    double *low, *high; /* [reals] */
    double *weight;     /* [terms] */
};

void sc_base_destroy(sc_base *b)
{
    if (b == NULL)
        return;
    sc_free(b->first);
    sc_free(b->pair_of);
    sc_free(b->low);
    sc_free(b->weight);
    sc_free(b);
}

/* ---- shape ---- */

static sc_status allot(sc_base *b)
{
    b->terms = 1 + b->inputs + (b->degree == 2 ? b->paired * (b->paired + 1) / 2 : 0);
    b->low = sc_calloc(2 * b->reals + 1, sizeof *b->low);
    b->weight = sc_calloc(b->terms, sizeof *b->weight);
    if (b->low == NULL || b->weight == NULL)
        return SC_ENOMEM;
    b->high = b->low + b->reals;
    return SC_OK;
}

/* Reals first, then codes of few levels, as far as there is room for their products. */
static sc_status shape(sc_base *b, const sc_encoder *e, uint32_t degree)
{
    b->reals = sc_encoder_reals(e);
    b->codes = sc_encoder_codes(e);
    b->degree = degree;
    b->first = sc_calloc(b->codes + 1, sizeof *b->first);
    b->pair_of = sc_calloc(MOST_PAIRED, sizeof *b->pair_of);
    if (b->first == NULL || b->pair_of == NULL)
        return SC_ENOMEM;
    for (size_t i = 0; i < b->reals && b->paired < MOST_PAIRED; i++)
        b->pair_of[b->paired++] = (uint32_t)i;
    b->inputs = b->reals;
    for (size_t c = 0; c < b->codes; c++) {
        const uint32_t levels = sc_encoder_levels(e, c);
        b->first[c] = (uint32_t)b->inputs;
        for (uint32_t k = 0; k < levels && levels <= FEW_LEVELS && sc_encoder_is_label(e, c); k++)
            if (b->paired + levels - k <= MOST_PAIRED)
                b->pair_of[b->paired++] = (uint32_t)(b->inputs + k);
        b->inputs += levels;
    }
    b->first[b->codes] = (uint32_t)b->inputs;
    return allot(b);
}

static double clamped(const sc_base *b, size_t i, sc_real v)
{
    const double margin = PAST_END * (b->high[i] - b->low[i]);
    return fmin(fmax((double)v, b->low[i] - margin), b->high[i] + margin);
}

/* One input; one of a code is 1 at the level that the sample has. */
static double input_of(const sc_base *b, size_t input, const sc_real *real, const uint32_t *code)
{
    if (input < b->reals)
        return clamped(b, input, real[input]);
    size_t c = 0;
    while (b->first[c + 1] <= input)
        c++;
    return code[c] == input - b->first[c] ? 1.0 : 0.0;
}

static void terms_of(double *term, const sc_base *b, const sc_real *real, const uint32_t *code)
{
    double paired[MOST_PAIRED];
    size_t at = 1;
    memset(term, 0, b->terms * sizeof *term);
    term[0] = 1.0;
    for (size_t i = 0; i < b->reals; i++)
        term[at + i] = clamped(b, i, real[i]);
    for (size_t c = 0; c < b->codes; c++)
        if (code[c] < b->first[c + 1] - b->first[c])
            term[at + b->first[c] + code[c]] = 1.0;
    at += b->inputs;
    if (b->degree < 2)
        return;
    for (size_t i = 0; i < b->paired; i++)
        paired[i] = input_of(b, b->pair_of[i], real, code);
    for (size_t i = 0; i < b->paired; i++)
        for (size_t k = i; k < b->paired; k++)
            term[at++] = paired[i] * paired[k];
}

/* ---- use ---- */

double sc_base_value(const sc_base *b, const sc_real *real, const uint32_t *code)
{
    double paired[MOST_PAIRED], sum = 0.0;
    if (b == NULL)
        return 0.0;
    const double *w = b->weight + 1;
    sum = b->weight[0];
    for (size_t i = 0; i < b->reals; i++)
        sum += w[i] * clamped(b, i, real[i]);
    for (size_t c = 0; c < b->codes; c++)
        if (code[c] < b->first[c + 1] - b->first[c])
            sum += w[b->first[c] + code[c]];
    w += b->inputs;
    if (b->degree < 2)
        return sum;
    for (size_t i = 0; i < b->paired; i++)
        paired[i] = input_of(b, b->pair_of[i], real, code);
    for (size_t i = 0; i < b->paired; i++) {
        double row = 0.0;
        for (size_t k = i; k < b->paired; k++)
            row += *w++ * paired[k];
        sum += row * paired[i];
    }
    return sum;
}

void sc_base_add(sc_real *result, const sc_base *b, const sc_real *real, const uint32_t *code,
                 size_t n)
{
    for (size_t i = 0; b != NULL && i < n; i++)
        result[2 * i] += (sc_real)sc_base_value(b, real + i * b->reals, code + i * b->codes);
}

void sc_base_slope(sc_real *d, const sc_base *b, const sc_real *real, const uint32_t *code)
{
    if (b == NULL)
        return;
    for (size_t i = 0; i < b->reals; i++)
        d[i] += (sc_real)b->weight[1 + i];
    const double *w = b->weight + 1 + b->inputs;
    for (size_t i = 0; b->degree == 2 && i < b->paired; i++)
        for (size_t k = i; k < b->paired; k++, w++) {
            const uint32_t p = b->pair_of[i], q = b->pair_of[k];
            if (p < b->reals)
                d[p] += (sc_real)(*w * input_of(b, q, real, code));
            if (q < b->reals)
                d[q] += (sc_real)(*w * input_of(b, p, real, code));
        }
}

/* ---- fit ---- */

static void find_range(sc_base *b, const sc_samples *s, const uint8_t *use)
{
    bool any = false;
    for (size_t i = 0; i < s->n; i++) {
        if (!use[i] || isnan(s->y[i]))
            continue;
        for (size_t k = 0; k < b->reals; k++) {
            const double v = (double)s->real[i * b->reals + k];
            b->low[k] = any ? fmin(b->low[k], v) : v;
            b->high[k] = any ? fmax(b->high[k], v) : v;
        }
        any = true;
    }
}

/* Add a block of rows of terms to the lower half of the normal equations. */
static void add_block(gsl_matrix *a, gsl_vector *right, const double *term, const double *y,
                      size_t rows)
{
    const size_t n = right->size;
    for (size_t i = 0; i < n; i++) {
        double *of = a->data + i * a->tda;
        for (size_t r = 0; r < rows; r++) {
            const double v = term[r * n + i];
            if (v == 0.0)
                continue;
            const double *row = term + r * n;
            for (size_t k = 0; k <= i; k++)
                of[k] += v * row[k];
            right->data[i] += v * y[r];
        }
    }
}

static size_t add_all(gsl_matrix *a, gsl_vector *right, double *term, const sc_base *b,
                      const sc_samples *s, const uint8_t *use)
{
    double y[BLOCK];
    size_t in_block = 0, n = 0;
    for (size_t i = 0; i < s->n; i++) {
        if (!use[i] || isnan(s->y[i]))
            continue;
        terms_of(term + in_block * b->terms, b, s->real + i * s->reals, s->code + i * s->codes);
        y[in_block++] = (double)s->y[i];
        n++;
        if (in_block == BLOCK) {
            add_block(a, right, term, y, in_block);
            in_block = 0;
        }
    }
    add_block(a, right, term, y, in_block);
    return n;
}

static sc_status solve(sc_base *b, const sc_samples *s, const uint8_t *use, double ridge)
{
    gsl_matrix *a = gsl_matrix_calloc(b->terms, b->terms);
    gsl_vector *right = gsl_vector_calloc(b->terms);
    double *term = sc_calloc(BLOCK * b->terms, sizeof *term);
    sc_status st = a != NULL && right != NULL && term != NULL ? SC_OK : SC_ENOMEM;
    if (st == SC_OK) {
        const size_t n = add_all(a, right, term, b, s, use);
        for (size_t i = 0; i < b->terms; i++) {
            a->data[i * a->tda + i] += i > 0 ? ridge : 1e-9;
            for (size_t k = i + 1; k < b->terms; k++)
                a->data[i * a->tda + k] = a->data[k * a->tda + i];
        }
        if (n == 0 || gsl_linalg_cholesky_decomp1(a) != GSL_SUCCESS ||
            gsl_linalg_cholesky_svx(a, right) != GSL_SUCCESS)
            st = sc_fail(SC_EINVAL, "surrogate: the equations of its base have no solution");
        else
            memcpy(b->weight, right->data, b->terms * sizeof *b->weight);
    }
    gsl_matrix_free(a);
    gsl_vector_free(right);
    sc_free(term);
    return st;
}

sc_status sc_base_fit(sc_base **out, const sc_encoder *e, const sc_samples *s, const uint8_t *use,
                      const sc_base_options *o)
{
    sc_base *b = sc_calloc(1, sizeof *b);
    sc_status st = b != NULL ? shape(b, e, o->degree) : SC_ENOMEM;
    if (st == SC_OK) {
        find_range(b, s, use);
        st = solve(b, s, use, o->ridge);
    }
    if (st == SC_OK) {
        *out = b;
        return SC_OK;
    }
    sc_base_destroy(b);
    return st;
}

/* ---- bytes ---- */

void sc_base_write(sc_buf *out, const sc_base *b)
{
    sc_blob_u32(out, b->degree);
    sc_blob_u64(out, b->reals);
    sc_blob_u64(out, b->codes);
    for (size_t c = 0; c <= b->codes; c++)
        sc_blob_u32(out, b->first[c]);
    sc_blob_u64(out, b->paired);
    for (size_t i = 0; i < b->paired; i++)
        sc_blob_u32(out, b->pair_of[i]);
    for (size_t i = 0; i < 2 * b->reals; i++)
        sc_blob_double(out, b->low[i]);
    for (size_t i = 0; i < b->terms; i++)
        sc_blob_double(out, b->weight[i]);
}

static sc_status read_shape(sc_base *b, sc_blob *in)
{
    b->degree = sc_blob_read_u32(in);
    b->reals = sc_blob_read_count(in, 16);
    b->codes = sc_blob_read_count(in, 4);
    b->first = sc_calloc(b->codes + 1, sizeof *b->first);
    b->pair_of = sc_calloc(MOST_PAIRED, sizeof *b->pair_of);
    if (b->first == NULL || b->pair_of == NULL)
        return SC_ENOMEM;
    for (size_t c = 0; c <= b->codes; c++) {
        b->first[c] = sc_blob_read_u32(in);
        if (b->first[c] < (c == 0 ? b->reals : b->first[c - 1]))
            return SC_EPARSE;
    }
    b->inputs = b->first[b->codes];
    b->paired = sc_blob_read_count(in, 4);
    if (in->broken || b->first[0] != b->reals || b->degree > 2 || b->paired > MOST_PAIRED ||
        b->inputs > in->left / sizeof(double))
        return SC_EPARSE;
    for (size_t i = 0; i < b->paired; i++) {
        b->pair_of[i] = sc_blob_read_u32(in);
        if (b->pair_of[i] >= b->inputs)
            return SC_EPARSE;
    }
    return allot(b);
}

sc_status sc_base_read(sc_base **out, sc_blob *in)
{
    sc_base *b = sc_calloc(1, sizeof *b);
    sc_status st = b != NULL ? read_shape(b, in) : SC_ENOMEM;
    if (st == SC_OK) {
        for (size_t i = 0; i < 2 * b->reals; i++)
            b->low[i] = sc_blob_read_double(in);
        for (size_t i = 0; i < b->terms; i++)
            b->weight[i] = sc_blob_read_double(in);
        st = in->broken ? SC_EPARSE : SC_OK;
    }
    if (st == SC_OK) {
        *out = b;
        return SC_OK;
    }
    sc_base_destroy(b);
    return st;
}

bool sc_base_fits(const sc_base *b, const sc_encoder *e)
{
    bool fits = b->reals == sc_encoder_reals(e) && b->codes == sc_encoder_codes(e);
    for (size_t c = 0; fits && c < b->codes; c++)
        fits = b->first[c + 1] - b->first[c] == sc_encoder_levels(e, c);
    return fits;
}
