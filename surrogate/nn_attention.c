/* Self-attention of the fields of a sample: Vaswani et al., NeurIPS'17, arXiv:1706.03762, eq. 1 and
 * section 3.2.2, and its derivative. The projections are products over the whole batch; what is
 * between is a few small sums a sample. */
#include <math.h>
#include <string.h>

#include "surrogate/blas.h"
#include "surrogate/nn_inner.h"

/* Parts of what is kept, each of the whole batch. */
typedef struct parts {
    size_t width, fields, heads, deep; /* deep: numbers of one head */
    sc_real *qkv, *found, *d_qkv, *d_found, *look;
    const sc_real *w_in, *b_in, *w_out, *b_out;
    sc_real scale; /* 1 / sqrt(deep) */
} parts;

static parts parts_of(const sc_pass *p)
{
    parts a = {.width = p->l->width, .fields = p->l->fields, .heads = p->l->option};
    const size_t block = p->b->n * a.fields * a.width, w = a.width;
    a.deep = w / a.heads;
    a.qkv = p->kept;
    a.found = a.qkv + 3 * block;
    a.d_qkv = a.found + block;
    a.d_found = a.d_qkv + 3 * block;
    a.look = a.d_found + block;
    a.w_in = p->weight;
    a.b_in = a.w_in + 3 * w * w;
    a.w_out = a.b_in + 3 * w;
    a.b_out = a.w_out + w * w;
    a.scale = (sc_real)(1.0 / sqrt((double)a.deep));
    return a;
}

static sc_real dot(const sc_real *a, const sc_real *b, size_t n)
{
    sc_real sum = 0;
    for (size_t i = 0; i < n; i++)
        sum += a[i] * b[i];
    return sum;
}

static void add_times(sc_real *out, sc_real f, const sc_real *v, size_t n)
{
    for (size_t i = 0; i < n; i++)
        out[i] += f * v[i];
}

/* One head of one sample: found = softmax(q k' scale) v. */
static void look(const parts *a, size_t sample, size_t head, size_t count)
{
    const size_t w = a->width, row = 3 * w, at = sample * a->fields;
    const sc_real *q = a->qkv + at * row + head * a->deep, *k = q + w, *v = k + w;
    sc_real *weight = a->look + (sample * a->heads + head) * a->fields * a->fields;
    for (size_t i = 0; i < count; i++, weight += a->fields) {
        sc_real *found = a->found + (at + i) * w + head * a->deep;
        for (size_t j = 0; j < count; j++)
            weight[j] = a->scale * dot(q + i * row, k + j * row, a->deep);
        sc_nn__softmax(weight, count);
        for (size_t j = 0; j < count; j++)
            add_times(found, weight[j], v + j * row, a->deep);
    }
}

void sc_nn__attention(const sc_pass *p)
{
    const parts a = parts_of(p);
    const size_t w = a.width, rows = p->b->n * a.fields;
    for (size_t r = 0; r < rows; r++) {
        memcpy(a.qkv + r * 3 * w, a.b_in, 3 * w * sizeof(sc_real));
        memcpy(p->y + r * w, a.b_out, w * sizeof(sc_real));
    }
    sc_gemm(a.qkv, 3 * w, rows, 3 * w, w, (sc_factor){p->x[0], w, false},
            (sc_factor){a.w_in, 3 * w, false}, 1);
    memset(a.found, 0, rows * w * sizeof(sc_real));
    for (size_t s = 0; s < p->b->n; s++) {
        const size_t count = sc_nn__count(p, p->l, s);
        for (size_t h = 0; count > 0 && h < a.heads; h++)
            look(&a, s, h, count);
    }
    sc_gemm(p->y, w, rows, w, w, (sc_factor){a.found, w, false}, (sc_factor){a.w_out, w, false}, 1);
    for (size_t s = 0; s < p->b->n; s++) {
        const size_t count = sc_nn__count(p, p->l, s);
        memset(p->y + (s * a.fields + count) * w, 0, (a.fields - count) * w * sizeof(sc_real));
    }
}

/* d of q, k, v of one head of one sample. row_d: [fields]. */
static void look_back(const parts *a, size_t sample, size_t head, size_t count, sc_real *row_d)
{
    const size_t w = a->width, row = 3 * w, at = sample * a->fields;
    const sc_real *q = a->qkv + at * row + head * a->deep, *k = q + w, *v = k + w;
    sc_real *d_q = a->d_qkv + at * row + head * a->deep, *d_k = d_q + w, *d_v = d_k + w;
    const sc_real *weight = a->look + (sample * a->heads + head) * a->fields * a->fields;
    for (size_t i = 0; i < count; i++, weight += a->fields) {
        const sc_real *d = a->d_found + (at + i) * w + head * a->deep;
        sc_real mean = 0;
        for (size_t j = 0; j < count; j++) {
            add_times(d_v + j * row, weight[j], d, a->deep);
            row_d[j] = dot(d, v + j * row, a->deep);
            mean += weight[j] * row_d[j];
        }
        for (size_t j = 0; j < count; j++) {
            const sc_real score = weight[j] * (row_d[j] - mean) * a->scale;
            add_times(d_q + i * row, score, k + j * row, a->deep);
            add_times(d_k + j * row, score, q + i * row, a->deep);
        }
    }
}

/* Bias and matrix of one projection: x [rows][in], d [rows][out]. */
static void project_back(const sc_real *x, const sc_real *d, size_t rows, size_t in, size_t out,
                         sc_real *d_matrix)
{
    sc_gemm(d_matrix, out, in, out, rows, (sc_factor){x, in, true}, (sc_factor){d, out, false}, 1);
    for (size_t r = 0; r < rows; r++)
        sc_nn__give(d_matrix + in * out, d + r * out, out, false);
}

void sc_nn__attention_back(const sc_pass *p)
{
    const parts a = parts_of(p);
    const size_t w = a.width, rows = p->b->n * a.fields;
    for (size_t s = 0; s < p->b->n; s++) {
        const size_t count = sc_nn__count(p, p->l, s);
        memset(p->dy + (s * a.fields + count) * w, 0, (a.fields - count) * w * sizeof(sc_real));
    }
    sc_gemm(a.d_found, w, rows, w, w, (sc_factor){p->dy, w, false}, (sc_factor){a.w_out, w, true},
            0);
    memset(a.d_qkv, 0, rows * 3 * w * sizeof(sc_real));
    for (size_t s = 0; s < p->b->n; s++) {
        const size_t count = sc_nn__count(p, p->l, s);
        for (size_t h = 0; h < a.heads; h++)
            look_back(&a, s, h, count, p->scratch);
    }
    if (p->d_weight) {
        project_back(a.found, p->dy, rows, w, w, p->d_weight + 3 * w * (w + 1));
        project_back(p->x[0], a.d_qkv, rows, w, 3 * w, p->d_weight);
    }
    if (p->dx[0])
        sc_gemm(p->dx[0], w, rows, w, 3 * w, (sc_factor){a.d_qkv, 3 * w, false},
                (sc_factor){a.w_in, 3 * w, true}, !p->l->fresh[0]);
}
