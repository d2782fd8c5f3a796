/* Matrix products, sums of products in index notation, recurrent layers. */
#include <inttypes.h>
#include <string.h>

#include "workloads/checked.h"
#include "workloads/onnx_infer.h"

sc_status sc_infer__gemm(sc_onnx *x, sc_onnx_node *n)
{
    sc_onnx_value *out = sc_onnx_out(n, 0);
    const bool q = strcmp(n->call->op, "QGemm") == 0;
    const sc_onnx_value *a = sc_onnx_in(n, 0), *b = sc_onnx_in(n, q ? 3 : 1);
    if (!q && a && b && a->rank > 2 && b->rank == a->rank) { /* against the rules, but clear */
        char shown[SC_ONNX_SHOWN_LEN];
        sc_onnx_note(x, "%s: operands of %d dimensions, read as matrices of their last two",
                     sc_onnx_show(shown, n), a->rank);
        return sc_infer__product2(x, n);
    }
    if (!a || !b || a->rank != 2 || b->rank != 2)
        return sc_onnx_fail(x, n, "its operands must be two matrices");
    const bool ta = sc_onnx_int(n, "transA", 0) != 0, tb = sc_onnx_int(n, "transB", 0) != 0;
    const int64_t dim[2] = {a->dim[ta], b->dim[!tb]};
    if (a->dim[!ta] != b->dim[tb])
        return sc_onnx_fail(x, n, "sums over %" PRId64 " columns and %" PRId64 " rows", a->dim[!ta],
                            b->dim[tb]);
    if (out)
        out->elem = a->elem;
    return sc_onnx_shape(x, n, 0, 2, dim);
}

/** A matrix operand, its own axes apart from those that are repeated over. */
typedef struct operand {
    sc_onnx_value batch; /* its leading axes alone */
    int elem;
    int64_t rows, columns;
    bool vector;
} operand;

/* FusedMatMul may say that rows stand first, before the axes repeated over, and that rows and
 * columns change places after that. */
static operand operand_of(const sc_onnx_node *n, const sc_onnx_value *v, bool first)
{
    operand o = {.batch = {.elem = 0}, .elem = v->elem, .vector = v->rank == 1};
    if (v->rank == 1) {
        o.rows = first ? 1 : v->dim[0];
        o.columns = first ? v->dim[0] : 1;
        return o;
    }
    const bool rows_first = sc_onnx_int(n, first ? "transBatchA" : "transBatchB", 0) != 0;
    o.batch.rank = (uint8_t)(v->rank - 2);
    memcpy(o.batch.dim, v->dim + rows_first, o.batch.rank * sizeof *v->dim);
    o.rows = v->dim[rows_first ? 0 : v->rank - 2];
    o.columns = v->dim[v->rank - 1];
    if (sc_onnx_int(n, first ? "transA" : "transB", 0)) {
        const int64_t rows = o.rows;
        o.rows = o.columns;
        o.columns = rows;
    }
    return o;
}

static sc_status read_operands(sc_onnx *x, const sc_onnx_node *n, operand *a, operand *b)
{
    const bool q = strncmp(n->call->op, "QLinear", 7) == 0;
    sc_onnx_value *va = sc_onnx_in(n, 0), *vb = sc_onnx_in(n, q ? 3 : 1);
    if (!va || !vb || !va->rank || !vb->rank)
        return sc_onnx_fail(x, n, "its operands must be two vectors or matrices");
    *a = operand_of(n, va, true);
    *b = operand_of(n, vb, false);
    if (a->columns != b->rows)
        return sc_onnx_fail(x, n, "sums over %" PRId64 " columns and %" PRId64 " rows", a->columns,
                            b->rows);
    return SC_OK;
}

static bool meet_batches(int64_t *dim, size_t *rank, const operand *a, const operand *b)
{
    *rank = 0;
    return sc_infer__meet(dim, rank, &a->batch) && sc_infer__meet(dim, rank, &b->batch);
}

sc_status sc_infer__product2(sc_onnx *x, sc_onnx_node *n)
{
    static const char *const wide[] = {"MatMulInteger", "DynamicQuantizeMatMul",
                                       "MatMulIntegerToFloat"};
    static const int wide_type[] = {SC_ONNX_INT32, SC_ONNX_FLOAT, SC_ONNX_FLOAT};
    int64_t dim[SC_ONNX_RANK + 2];
    size_t rank;
    operand a, b;
    sc_onnx_value *out = sc_onnx_out(n, 0);
    const sc_status st = read_operands(x, n, &a, &b);
    if (st != SC_OK || !out)
        return st;
    if (!meet_batches(dim, &rank, &a, &b))
        return sc_onnx_fail(x, n, "the leading axes of its operands do not fit each other");
    if (!a.vector)
        dim[rank++] = a.rows;
    if (!b.vector)
        dim[rank++] = b.columns;
    out->elem = a.elem;
    for (size_t i = 0; i < sizeof wide / sizeof *wide; i++)
        if (strcmp(n->call->op, wide[i]) == 0)
            out->elem = wide_type[i];
    return sc_onnx_shape(x, n, 0, rank, dim);
}

static bool multiply(uint64_t *out, const sc_onnx_value *v)
{
    *out = 1;
    for (size_t i = 0; i < v->rank; i++)
        if (!sc_count_mul(out, (uint64_t)v->dim[i]))
            return false;
    return true;
}

sc_status sc_onnx_product_of(sc_onnx *x, const sc_onnx_node *n, sc_onnx_product *out)
{
    int64_t dim[SC_ONNX_RANK + 2];
    size_t rank;
    operand a, b;
    const sc_status st = read_operands(x, n, &a, &b);
    if (st != SC_OK)
        return st;
    sc_onnx_product p = {
        .batch = 1, .m = (uint64_t)a.rows, .n = (uint64_t)b.columns, .k = (uint64_t)a.columns};
    bool ok = meet_batches(dim, &rank, &a, &b) && multiply(&p.batch_a, &a.batch) &&
              multiply(&p.batch_b, &b.batch);
    for (size_t i = 0; ok && i < rank; i++)
        ok = sc_count_mul(&p.batch, (uint64_t)dim[i]);
    if (!ok)
        return sc_onnx_fail(x, n, "its products pass 2^63 - 1");
    *out = p;
    return SC_OK;
}

sc_status sc_infer__packed_product(sc_onnx *x, sc_onnx_node *n)
{
    sc_onnx_value *out = sc_onnx_out(n, 0), *a = sc_onnx_in(n, 0);
    const int64_t k = sc_onnx_int(n, "K", 0), columns = sc_onnx_int(n, "N", 0);
    int64_t dim[SC_ONNX_RANK];
    if (!a || !a->rank || k < 1 || columns < 1 || a->dim[a->rank - 1] != k)
        return sc_onnx_fail(x, n, "its data do not have the K = %" PRId64 " columns that it states",
                            k);
    if (!out)
        return SC_OK;
    memcpy(dim, a->dim, sizeof dim);
    dim[a->rank - 1] = columns;
    out->elem = a->elem;
    return sc_onnx_shape(x, n, 0, a->rank, dim);
}

/* ---- Einsum ---- */

enum { LETTERS = 128, TERMS = 2 };

/** One letter of an equation. The axes of an ellipsis are letters too, before all others: the last
 *  of them has the code SC_ONNX_RANK - 1. */
typedef struct letter {
    int64_t size;
    bool in[TERMS], out;
} letter;

typedef struct equation {
    size_t terms;
    letter of[LETTERS];
    size_t out_rank;
    int64_t out_dim[SC_ONNX_RANK];
} equation;

static const char not_read[] = "an equation of more than two tensors, or with a repeated letter in "
                               "one of two, is not read";

static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

/* A letter that a term repeats is its diagonal, which is read where it is the only tensor. */
static bool take_axis(equation *e, size_t code, size_t term, int64_t size)
{
    letter *l = &e->of[code];
    if (l->in[term] && (e->terms > 1 || l->size != size))
        return false;
    if ((l->size > 1 && size > 1 && l->size != size))
        return false;
    l->size = size > l->size ? size : l->size;
    l->in[term] = true;
    return true;
}

static size_t count_letters(const char *at)
{
    size_t n = 0;
    for (; *at && *at != ',' && *at != '-'; at++)
        n += is_letter(*at);
    return n;
}

/* The letters of one input, from *at to a comma, an arrow or the end. */
static bool read_term(equation *e, const char **at, size_t term, const sc_onnx_value *v)
{
    const size_t named = count_letters(*at);
    size_t i = 0;
    for (; **at && **at != ',' && **at != '-'; (*at)++) {
        if (**at == ' ')
            continue;
        if (strncmp(*at, "...", 3) == 0 && named <= v->rank) {
            const size_t axes = v->rank - named;
            for (size_t k = 0; k < axes && i < v->rank; k++)
                if (!take_axis(e, SC_ONNX_RANK - axes + k, term, v->dim[i++]))
                    return false;
            *at += 2;
        } else if (!is_letter(**at) || i == v->rank ||
                   !take_axis(e, (size_t) * *at, term, v->dim[i++])) {
            return false;
        }
    }
    return i == v->rank;
}

static bool put_out(equation *e, size_t code)
{
    letter *l = &e->of[code];
    if (e->out_rank == SC_ONNX_RANK || l->out || !(l->in[0] || l->in[1]))
        return false;
    l->out = true;
    e->out_dim[e->out_rank++] = l->size;
    return true;
}

static bool put_ellipsis(equation *e)
{
    bool ok = true;
    for (size_t c = 0; c < SC_ONNX_RANK && ok; c++)
        if (e->of[c].in[0] || e->of[c].in[1])
            ok = put_out(e, c);
    return ok;
}

/* Without an arrow: the ellipsis, then the letters that stand once, in the order of the alphabet.
 */
static bool default_result(equation *e)
{
    bool ok = put_ellipsis(e);
    for (size_t c = SC_ONNX_RANK; c < LETTERS && ok; c++)
        if (e->of[c].in[0] != e->of[c].in[1])
            ok = put_out(e, c);
    return ok;
}

static bool read_equation(equation *e, const sc_onnx_node *n)
{
    const char *at = sc_onnx_text(n, "equation", "");
    if (!at[0] || n->n_in < 1 || n->n_in > TERMS)
        return false;
    e->terms = n->n_in;
    for (size_t i = 0; i < n->n_in; i++) {
        if (!n->in[i] || !read_term(e, &at, i, n->in[i]))
            return false;
        if (i + 1 < n->n_in && *at++ != ',')
            return false;
    }
    if (!*at)
        return default_result(e);
    if (*at++ != '-' || *at++ != '>')
        return false;
    for (; *at; at++) {
        const bool dots = strncmp(at, "...", 3) == 0;
        if (*at != ' ' && !(dots ? put_ellipsis(e) : is_letter(*at) && put_out(e, (size_t)*at)))
            return false;
        at += dots ? 2 : 0;
    }
    return true;
}

sc_status sc_infer__einsum(sc_onnx *x, sc_onnx_node *n)
{
    equation e = {.terms = 0};
    sc_onnx_value *out = sc_onnx_out(n, 0);
    if (!out)
        return SC_OK;
    if (!read_equation(&e, n))
        return sc_onnx_fail(x, n, not_read);
    out->elem = n->in[0]->elem;
    return sc_onnx_shape(x, n, 0, e.out_rank, e.out_dim);
}

sc_status sc_onnx_einsum_of(sc_onnx *x, const sc_onnx_node *n, sc_onnx_product *out)
{
    equation e = {.terms = 0};
    sc_onnx_product p = {1, 1, 1, 1, 1, 1};
    bool ok = true;
    if (!read_equation(&e, n))
        return sc_onnx_fail(x, n, not_read);
    for (size_t c = 0; c < LETTERS && ok; c++) {
        const letter *l = &e.of[c];
        const uint64_t size = (uint64_t)l->size;
        if (l->in[0] && l->in[1])
            ok = sc_count_mul(l->out ? &p.batch : &p.k, size);
        else if (l->in[0])
            ok = sc_count_mul(l->out ? &p.m : &p.k, size);
        else if (l->in[1])
            ok = sc_count_mul(l->out ? &p.n : &p.k, size);
    }
    if (!ok)
        return sc_onnx_fail(x, n, "its products pass 2^63 - 1");
    p.batch_a = p.batch_b = p.batch;
    *out = p;
    return SC_OK;
}

/* ---- recurrent layers ---- */

bool sc_onnx_layer_of(const sc_onnx_node *n, sc_onnx_layer *out)
{
    const sc_onnx_value *w = n->in[1], *r = n->in[2];
    const char *op = n->call->op;
    const bool packed = strcmp(op, "DynamicQuantizeLSTM") == 0;
    if (w->rank != 3 || r->rank != 3 || r->dim[0] != w->dim[0])
        return false;
    const sc_onnx_layer y = {.ways = w->dim[0],
                             .gates = strstr(op, "LSTM")       ? 4
                                      : strcmp(op, "GRU") == 0 ? 3
                                                               : 1,
                             .features = w->dim[packed ? 1 : 2],
                             .hidden = r->dim[packed ? 1 : 2]};
    const int64_t rows = w->dim[packed ? 2 : 1];
    *out = y;
    return r->dim[packed ? 2 : 1] == rows && y.hidden <= INT64_MAX / 8 &&
           rows == y.gates * y.hidden;
}

sc_status sc_infer__recurrent(sc_onnx *x, sc_onnx_node *n)
{
    const bool batch_first = sc_onnx_int(n, "layout", 0) != 0;
    sc_onnx_layer y;
    sc_status st = sc_infer__want(x, n, 3);
    if (st != SC_OK)
        return st;
    const sc_onnx_value *in = n->in[0];
    if (in->rank != 3 || !sc_onnx_layer_of(n, &y) || y.features != in->dim[2])
        return sc_onnx_fail(x, n,
                            "the shapes of its data, weights and recurrent weights do not fit each "
                            "other");
    const int64_t steps = in->dim[batch_first ? 1 : 0], batch = in->dim[batch_first ? 0 : 1];
    const int64_t all[2][4] = {{steps, y.ways, batch, y.hidden}, {batch, steps, y.ways, y.hidden}};
    const int64_t last[2][3] = {{y.ways, batch, y.hidden}, {batch, y.ways, y.hidden}};
    for (size_t i = 0; i < n->n_out && i < 3 && st == SC_OK; i++) {
        if (n->out[i])
            n->out[i]->elem = in->elem;
        st = i ? sc_onnx_shape(x, n, i, 3, last[batch_first])
               : sc_onnx_shape(x, n, 0, 4, all[batch_first]);
    }
    return st;
}
