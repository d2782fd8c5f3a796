/* Layers but attention, forward and backward. Each works on a whole batch. */
#include <math.h>
#include <string.h>

#include "surrogate/blas.h"
#include "surrogate/nn_inner.h"

#ifdef SC_REAL_DOUBLE
#define EXP  exp
#define TANH tanh
#define ROOT sqrt
#else
#define EXP  expf
#define TANH tanhf
#define ROOT sqrtf
#endif

static const sc_real NORM_FLOOR = (sc_real)1e-5; /* added to a variance; the usual value */

/* ---- activations ---- */

void sc_nn__activate(sc_activation act, sc_real *y, const sc_real *z, size_t n)
{
    switch (act) {
    case SC_ACT_NONE: break;
    case SC_ACT_RELU:
        for (size_t i = 0; i < n; i++)
            y[i] = z[i] > 0 ? z[i] : 0;
        break;
    case SC_ACT_SILU:
        for (size_t i = 0; i < n; i++)
            y[i] = z[i] / (1 + EXP(-z[i]));
        break;
    case SC_ACT_TANH:
        for (size_t i = 0; i < n; i++)
            y[i] = TANH(z[i]);
        break;
    }
}

void sc_nn__deactivate(sc_activation act, sc_real *d, const sc_real *z, const sc_real *y, size_t n)
{
    switch (act) {
    case SC_ACT_NONE: break;
    case SC_ACT_RELU:
        for (size_t i = 0; i < n; i++)
            d[i] = y[i] > 0 ? d[i] : 0;
        break;
    case SC_ACT_SILU:
        for (size_t i = 0; i < n; i++) {
            const sc_real s = 1 / (1 + EXP(-z[i]));
            d[i] *= s + y[i] * (1 - s);
        }
        break;
    case SC_ACT_TANH:
        for (size_t i = 0; i < n; i++)
            d[i] *= 1 - y[i] * y[i];
        break;
    }
}

void sc_nn__softmax(sc_real *x, size_t n)
{
    sc_real most = x[0], sum = 0;
    for (size_t i = 1; i < n; i++)
        most = x[i] > most ? x[i] : most;
    for (size_t i = 0; i < n; i++) {
        x[i] = EXP(x[i] - most);
        sum += x[i];
    }
    for (size_t i = 0; i < n; i++)
        x[i] /= sum;
}

/* ---- embedding, tokens ---- */

/* Where the row of a code stands among the weights. */
static size_t row_of(const sc_pass *p, size_t sample, uint32_t field)
{
    const sc_layer *l = p->l;
    const uint32_t code = p->b->code[l->option][sample * l->fields + field];
    return (size_t)(l->first_level[field] + (code < l->level[field] ? code : 0)) * l->width;
}

void sc_nn__embed(const sc_pass *p)
{
    const size_t width = p->l->width;
    sc_real *y = p->y;
    for (size_t s = 0; s < p->b->n; s++)
        for (uint32_t f = 0; f < p->l->fields; f++, y += width)
            memcpy(y, p->weight + row_of(p, s, f), width * sizeof *y);
}

void sc_nn__embed_back(const sc_pass *p)
{
    const size_t width = p->l->width;
    const sc_real *dy = p->dy;
    if (!p->d_weight)
        return;
    for (size_t s = 0; s < p->b->n; s++)
        for (uint32_t f = 0; f < p->l->fields; f++, dy += width)
            sc_nn__give(p->d_weight + row_of(p, s, f), dy, width, false);
}

void sc_nn__tokens(const sc_pass *p)
{
    const size_t width = p->l->width, numbers = p->l->fields;
    const sc_real *bias = p->weight + numbers * width;
    sc_real *y = p->y;
    for (size_t i = 0; i < p->b->n * numbers; i++, y += width) {
        const sc_real x = p->x[0][i], *w = p->weight + i % numbers * width;
        const sc_real *c = bias + i % numbers * width;
        for (size_t k = 0; k < width; k++)
            y[k] = x * w[k] + c[k];
    }
}

void sc_nn__tokens_back(const sc_pass *p)
{
    const size_t width = p->l->width, numbers = p->l->fields;
    const sc_real *dy = p->dy;
    for (size_t i = 0; i < p->b->n * numbers; i++, dy += width) {
        const size_t at = i % numbers * width;
        const sc_real x = p->x[0][i], *w = p->weight + at;
        sc_real sum = 0;
        for (size_t k = 0; k < width; k++)
            sum += w[k] * dy[k];
        if (p->dx[0])
            p->dx[0][i] = p->l->fresh[0] ? sum : p->dx[0][i] + sum;
        if (!p->d_weight)
            continue;
        for (size_t k = 0; k < width; k++)
            p->d_weight[at + k] += x * dy[k];
        sc_nn__give(p->d_weight + numbers * width + at, dy, width, false);
    }
}

/* ---- dense ---- */

/* Rows of a dense layer's product, and the numbers of one row. */
static size_t dense_rows(const sc_pass *p, size_t *in)
{
    *in = p->l->whole ? sc_nn__size(p->from[0]) : p->from[0]->width;
    return p->b->n * p->l->fields;
}

void sc_nn__dense(const sc_pass *p)
{
    const sc_activation act = (sc_activation)p->l->option;
    const size_t out = p->l->width;
    size_t in;
    const size_t rows = dense_rows(p, &in);
    sc_real *z = act == SC_ACT_SILU ? p->kept : p->y;
    const sc_real *bias = p->weight + in * out;
    for (size_t r = 0; r < rows; r++)
        memcpy(z + r * out, bias, out * sizeof *z);
    sc_gemm(z, out, rows, out, in, (sc_factor){p->x[0], in, false},
            (sc_factor){p->weight, out, false}, 1);
    sc_nn__activate(act, p->y, z, rows * out);
}

void sc_nn__dense_back(const sc_pass *p)
{
    const size_t out = p->l->width;
    size_t in;
    const size_t rows = dense_rows(p, &in);
    sc_nn__deactivate((sc_activation)p->l->option, p->dy, p->kept, p->y, rows * out);
    if (p->d_weight) {
        sc_gemm(p->d_weight, out, in, out, rows, (sc_factor){p->x[0], in, true},
                (sc_factor){p->dy, out, false}, 1);
        for (size_t r = 0; r < rows; r++)
            sc_nn__give(p->d_weight + in * out, p->dy + r * out, out, false);
    }
    if (p->dx[0])
        sc_gemm(p->dx[0], in, rows, in, out, (sc_factor){p->dy, out, false},
                (sc_factor){p->weight, out, true}, !p->l->fresh[0]);
}

/* ---- layer normalisation ---- */

void sc_nn__norm(const sc_pass *p)
{
    const size_t width = p->l->width, rows = p->b->n * p->l->fields;
    const sc_real *gain = p->weight, *bias = p->weight + width;
    sc_real *inverse = p->kept + rows * width;
    for (size_t r = 0; r < rows; r++) {
        const sc_real *x = p->x[0] + r * width;
        sc_real *unit = p->kept + r * width, *y = p->y + r * width, mean = 0, squares = 0;
        for (size_t k = 0; k < width; k++)
            mean += x[k];
        mean /= (sc_real)width;
        for (size_t k = 0; k < width; k++)
            squares += (x[k] - mean) * (x[k] - mean);
        inverse[r] = 1 / ROOT(squares / (sc_real)width + NORM_FLOOR);
        for (size_t k = 0; k < width; k++) {
            unit[k] = (x[k] - mean) * inverse[r];
            y[k] = unit[k] * gain[k] + bias[k];
        }
    }
}

void sc_nn__norm_back(const sc_pass *p)
{
    const size_t width = p->l->width, rows = p->b->n * p->l->fields;
    const sc_real *gain = p->weight, *inverse = p->kept + rows * width;
    for (size_t r = 0; r < rows; r++) {
        const sc_real *unit = p->kept + r * width, *dy = p->dy + r * width;
        sc_real mean = 0, along = 0;
        for (size_t k = 0; k < width; k++) {
            mean += dy[k] * gain[k];
            along += dy[k] * gain[k] * unit[k];
        }
        mean /= (sc_real)width;
        along /= (sc_real)width;
        for (size_t k = 0; p->d_weight && k < width; k++) {
            p->d_weight[k] += dy[k] * unit[k];
            p->d_weight[width + k] += dy[k];
        }
        sc_real *dx = p->dx[0] ? p->dx[0] + r * width : NULL;
        for (size_t k = 0; dx && k < width; k++) {
            const sc_real v = inverse[r] * (dy[k] * gain[k] - mean - unit[k] * along);
            dx[k] = p->l->fresh[0] ? v : dx[k] + v;
        }
    }
}

/* ---- two joined ---- */

/* Place in the second one of element i of a sample of the first. */
static size_t beside(const sc_pass *p, size_t sample, size_t i)
{
    const size_t width = p->l->width, size = sc_nn__size(p->l);
    return p->from[1]->fields == 1 ? sample * width + i % width : sample * size + i;
}

void sc_nn__add(const sc_pass *p)
{
    const size_t size = sc_nn__size(p->l);
    for (size_t s = 0; s < p->b->n; s++)
        for (size_t i = 0; i < size; i++)
            p->y[s * size + i] = p->x[0][s * size + i] + p->x[1][beside(p, s, i)];
}

/* The derivative of the second one begins at 0 where the layer is the first to reach it. */
static void clear_second(const sc_pass *p)
{
    if (p->dx[1] && p->l->fresh[1])
        memset(p->dx[1], 0, p->b->n * sc_nn__size(p->from[1]) * sizeof *p->dx[1]);
}

void sc_nn__add_back(const sc_pass *p)
{
    const size_t size = sc_nn__size(p->l);
    if (p->dx[0])
        sc_nn__give(p->dx[0], p->dy, p->b->n * size, p->l->fresh[0]);
    clear_second(p);
    for (size_t s = 0; p->dx[1] && s < p->b->n; s++)
        for (size_t i = 0; i < size; i++)
            p->dx[1][beside(p, s, i)] += p->dy[s * size + i];
}

void sc_nn__multiply(const sc_pass *p)
{
    const size_t size = sc_nn__size(p->l);
    for (size_t s = 0; s < p->b->n; s++)
        for (size_t i = 0; i < size; i++)
            p->y[s * size + i] = p->x[0][s * size + i] * p->x[1][beside(p, s, i)];
}

void sc_nn__multiply_back(const sc_pass *p)
{
    const size_t size = sc_nn__size(p->l);
    for (size_t s = 0; p->dx[0] && s < p->b->n; s++)
        for (size_t i = 0; i < size; i++) {
            const sc_real v = p->dy[s * size + i] * p->x[1][beside(p, s, i)];
            sc_nn__give(p->dx[0] + s * size + i, &v, 1, p->l->fresh[0]);
        }
    clear_second(p);
    for (size_t s = 0; p->dx[1] && s < p->b->n; s++)
        for (size_t i = 0; i < size; i++)
            p->dx[1][beside(p, s, i)] += p->dy[s * size + i] * p->x[0][s * size + i];
}

void sc_nn__join(const sc_pass *p)
{
    const size_t a = sc_nn__size(p->from[0]), b = sc_nn__size(p->from[1]);
    for (size_t s = 0; s < p->b->n; s++) {
        sc_real *y = p->y + s * (a + b);
        memcpy(y, p->x[0] + s * a, a * sizeof *y);
        memcpy(y + a, p->x[1] + s * b, b * sizeof *y);
    }
}

void sc_nn__join_back(const sc_pass *p)
{
    const size_t a = sc_nn__size(p->from[0]), b = sc_nn__size(p->from[1]);
    for (size_t s = 0; s < p->b->n; s++) {
        const sc_real *dy = p->dy + s * (a + b);
        if (p->dx[0])
            sc_nn__give(p->dx[0] + s * a, dy, a, p->l->fresh[0]);
        if (p->dx[1])
            sc_nn__give(p->dx[1] + s * b, dy + a, b, p->l->fresh[1]);
    }
}

/* ---- pooling over fields ---- */

void sc_nn__pool(const sc_pass *p)
{
    const size_t width = p->l->width, size = sc_nn__size(p->from[0]);
    for (size_t s = 0; s < p->b->n; s++) {
        const uint32_t count = sc_nn__count(p, p->from[0], s);
        const sc_real *x = p->x[0] + s * size;
        sc_real *y = p->y + s * width, *whose = p->kept + s * width;
        memset(y, 0, width * sizeof *y);
        if (p->l->option != SC_POOL_MAX) {
            for (uint32_t f = 0; f < count; f++)
                sc_nn__give(y, x + f * width, width, false);
            for (size_t k = 0; p->l->option == SC_POOL_MEAN && count > 0 && k < width; k++)
                y[k] /= (sc_real)count;
            continue;
        }
        for (size_t k = 0; k < width; k++) {
            uint32_t most = 0;
            for (uint32_t f = 1; f < count; f++)
                most = x[f * width + k] > x[most * width + k] ? f : most;
            whose[k] = (sc_real)most;
            y[k] = count > 0 ? x[most * width + k] : 0;
        }
    }
}

void sc_nn__pool_back(const sc_pass *p)
{
    const size_t width = p->l->width, size = sc_nn__size(p->from[0]);
    if (!p->dx[0])
        return;
    if (p->l->fresh[0])
        memset(p->dx[0], 0, p->b->n * size * sizeof *p->dx[0]);
    for (size_t s = 0; s < p->b->n; s++) {
        const uint32_t count = sc_nn__count(p, p->from[0], s);
        const sc_real *dy = p->dy + s * width, *whose = p->kept + s * width;
        sc_real *dx = p->dx[0] + s * size;
        const sc_real part = p->l->option == SC_POOL_MEAN && count > 0 ? 1 / (sc_real)count : 1;
        if (p->l->option == SC_POOL_MAX)
            for (size_t k = 0; count > 0 && k < width; k++)
                dx[(size_t)whose[k] * width + k] += dy[k];
        else
            for (uint32_t f = 0; f < count; f++)
                for (size_t k = 0; k < width; k++)
                    dx[f * width + k] += part * dy[k];
    }
}

/* ---- mixture of heads ---- */

void sc_nn__mix(const sc_pass *p)
{
    const size_t heads = p->from[0]->fields, width = p->l->width;
    for (size_t s = 0; s < p->b->n; s++) {
        sc_real *vote = p->kept + s * heads, *y = p->y + s * width;
        memcpy(vote, p->x[1] + s * heads, heads * sizeof *vote);
        sc_nn__softmax(vote, heads);
        memset(y, 0, width * sizeof *y);
        for (size_t e = 0; e < heads; e++)
            for (size_t k = 0; k < width; k++)
                y[k] += vote[e] * p->x[0][(s * heads + e) * width + k];
    }
}

void sc_nn__mix_back(const sc_pass *p)
{
    const size_t heads = p->from[0]->fields, width = p->l->width;
    for (size_t s = 0; s < p->b->n; s++) {
        const sc_real *vote = p->kept + s * heads, *dy = p->dy + s * width, *y = p->y + s * width;
        for (size_t e = 0; e < heads; e++) {
            const sc_real *x = p->x[0] + (s * heads + e) * width;
            sc_real gain = 0;
            for (size_t k = 0; k < width; k++) {
                const sc_real v = vote[e] * dy[k];
                gain += dy[k] * (x[k] - y[k]);
                if (p->dx[0])
                    sc_nn__give(p->dx[0] + (s * heads + e) * width + k, &v, 1, p->l->fresh[0]);
            }
            gain *= vote[e];
            if (p->dx[1])
                sc_nn__give(p->dx[1] + s * heads + e, &gain, 1, p->l->fresh[1]);
        }
    }
}
