/* Small constants: the numbers that extents, axes and scales are computed with. */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "workloads/onnx_infer.h"

bool sc_fold_fits(const sc_onnx_value *out)
{
    uint64_t n = 1;
    for (size_t i = 0; i < out->rank; i++) {
        if (out->dim[i] == 0)
            return true;
        if ((uint64_t)out->dim[i] > SC_ONNX_ELEMENTS)
            return false;
        n *= (uint64_t)out->dim[i];
        if (n > SC_ONNX_ELEMENTS)
            return false;
    }
    return true;
}

sc_status sc_fold_view(sc_onnx *x, sc_onnx_value *out, const sc_onnx_value *in, int64_t start,
                       const int64_t *stride)
{
    int64_t index[SC_ONNX_RANK] = {0};
    if (!in->data || !sc_fold_fits(out))
        return SC_OK;
    const size_t n = (size_t)sc_onnx_count(out);
    sc_onnx_number *data = sc_onnx_data(x, out, n);
    if (!data)
        return SC_ENOMEM;
    for (size_t i = 0; i < n; i++) {
        int64_t at = start;
        for (size_t k = 0; k < out->rank; k++)
            at += index[k] * stride[k];
        if (at >= 0 && (uint64_t)at < in->n)
            data[i] = in->data[at];
        for (size_t k = out->rank; k-- > 0;) { /* count up, the last axis fastest */
            if (++index[k] < out->dim[k])
                break;
            index[k] = 0;
        }
    }
    return SC_OK;
}

typedef enum operation {
    OP_ADD,
    OP_SUB,
    OP_MUL,
    OP_DIV,
    OP_MOD,
    OP_MIN,
    OP_MAX,
    OP_EQUAL,
    OP_LESS,
    OP_GREATER,
    OP_LESS_EQUAL,
    OP_GREATER_EQUAL,
    OP_AND,
    OP_OR,
    OP_NOT,
    OP_NEG,
    OP_ABS,
    OP_FLOOR,
    OP_CEIL,
    OP_ROUND,
    OP_SQRT,
    OP_POW,
    OP_WHERE,
    OPERATIONS
} operation;

static operation operation_of(const char *op)
{
    static const char *const names[OPERATIONS] = {
        "Add",  "Sub",   "Mul",  "Div",     "Mod",         "Min",
        "Max",  "Equal", "Less", "Greater", "LessOrEqual", "GreaterOrEqual",
        "And",  "Or",    "Not",  "Neg",     "Abs",         "Floor",
        "Ceil", "Round", "Sqrt", "Pow",     "Where"};
    operation k = 0;
    while (k < OPERATIONS && strcmp(names[k], op) != 0)
        k++;
    return k;
}

/* Integers wrap as they do in a run; false where a run would trap. */
static bool on_integers(int64_t *out, operation k, int64_t a, int64_t b)
{
    const uint64_t u = (uint64_t)a, v = (uint64_t)b;
    switch (k) {
    case OP_ADD: *out = (int64_t)(u + v); return true;
    case OP_SUB: *out = (int64_t)(u - v); return true;
    case OP_MUL: *out = (int64_t)(u * v); return true;
    case OP_DIV:
        if (b == 0 || (a == INT64_MIN && b == -1))
            return false;
        *out = a / b;
        return true;
    case OP_MOD:
        if (b == 0 || b == -1)
            return false;
        *out = a % b + (a % b != 0 && (a % b < 0) != (b < 0) ? b : 0);
        return true;
    case OP_MIN: *out = a < b ? a : b; return true;
    case OP_MAX: *out = a > b ? a : b; return true;
    case OP_EQUAL: *out = a == b; return true;
    case OP_LESS: *out = a < b; return true;
    case OP_GREATER: *out = a > b; return true;
    case OP_LESS_EQUAL: *out = a <= b; return true;
    case OP_GREATER_EQUAL: *out = a >= b; return true;
    case OP_AND: *out = a && b; return true;
    case OP_OR: *out = a || b; return true;
    case OP_NOT: *out = !a; return true;
    case OP_NEG: *out = (int64_t)(0 - u); return true;
    case OP_ABS: *out = a < 0 ? (int64_t)(0 - u) : a; return true;
    default: return false;
    }
}

static bool on_reals(double *out, operation k, double a, double b)
{
    switch (k) {
    case OP_ADD: *out = a + b; return true;
    case OP_SUB: *out = a - b; return true;
    case OP_MUL: *out = a * b; return true;
    case OP_DIV: *out = a / b; return true;
    case OP_MIN: *out = fmin(a, b); return true;
    case OP_MAX: *out = fmax(a, b); return true;
    case OP_NEG: *out = -a; return true;
    case OP_ABS: *out = fabs(a); return true;
    case OP_FLOOR: *out = floor(a); return true;
    case OP_CEIL: *out = ceil(a); return true;
    case OP_ROUND: *out = rint(a); return true;
    case OP_SQRT: *out = sqrt(a); return true;
    case OP_POW: *out = pow(a, b); return true;
    default: return false;
    }
}

static bool compare_reals(int64_t *out, operation k, double a, double b)
{
    switch (k) {
    case OP_EQUAL: *out = a == b; return true;
    case OP_LESS: *out = a < b; return true;
    case OP_GREATER: *out = a > b; return true;
    case OP_LESS_EQUAL: *out = a <= b; return true;
    case OP_GREATER_EQUAL: *out = a >= b; return true;
    default: return false;
    }
}

/* Place in an input that is broadcast to the result's index. */
static size_t place(const sc_onnx_value *v, const sc_onnx_value *out, const int64_t *index)
{
    size_t at = 0;
    const size_t skipped = (size_t)(out->rank - v->rank);
    for (size_t k = 0; k < v->rank; k++)
        at = at * (size_t)v->dim[k] + (v->dim[k] == 1 ? 0 : (size_t)index[skipped + k]);
    return at;
}

/* One element of the result; false where it is not worked out. */
static bool combine(sc_onnx_number *out, const sc_onnx_node *n, operation k, bool to_real,
                    const sc_onnx_number *v, size_t n_v)
{
    const bool real = sc_onnx_is_real(n->in[0]->elem);
    if (k == OP_WHERE) {
        *out = n_v == 3 ? v[v[0].i ? 1 : 2] : v[0];
        return n_v == 3;
    }
    if (real && !to_real)
        return compare_reals(&out->i, k, v[0].r, v[n_v > 1].r);
    *out = v[0];
    if (n_v == 1)
        return real ? on_reals(&out->r, k, v[0].r, 0.0) : on_integers(&out->i, k, v[0].i, 0);
    for (size_t i = 1; i < n_v; i++)
        if (!(real ? on_reals(&out->r, k, out->r, v[i].r)
                   : on_integers(&out->i, k, out->i, v[i].i)))
            return false;
    return true;
}

/* Whether every input is there, in numbers, and (but for the exponent of integers) of one kind. */
static bool foldable(const sc_onnx_node *n, operation k)
{
    enum { MOST = 4 };
    if (k == OPERATIONS || n->n_in > MOST)
        return false;
    for (size_t i = 0; i < n->n_in; i++) {
        if (!n->in[i] || !n->in[i]->data)
            return false;
        if (k != OP_WHERE && sc_onnx_is_real(n->in[i]->elem) != sc_onnx_is_real(n->in[0]->elem))
            return false;
    }
    return k != OP_WHERE ||
           (n->n_in == 3 && sc_onnx_is_real(n->in[1]->elem) == sc_onnx_is_real(n->in[2]->elem));
}

sc_status sc_fold_elementwise(sc_onnx *x, const sc_onnx_node *n, sc_onnx_value *out)
{
    const operation k = operation_of(n->call->op);
    int64_t index[SC_ONNX_RANK] = {0};
    sc_onnx_number v[4] = {{0}};
    if (!foldable(n, k) || !sc_fold_fits(out))
        return SC_OK;
    const size_t count = (size_t)sc_onnx_count(out);
    sc_onnx_number *data = sc_onnx_data(x, out, count);
    if (!data)
        return SC_ENOMEM;
    for (size_t i = 0; i < count; i++) {
        for (size_t m = 0; m < n->n_in; m++)
            v[m] = n->in[m]->data[place(n->in[m], out, index)];
        if (!combine(&data[i], n, k, sc_onnx_is_real(out->elem), v, n->n_in)) {
            out->data = NULL;
            out->n = 0;
            return SC_OK;
        }
        for (size_t a = out->rank; a-- > 0;) {
            if (++index[a] < out->dim[a])
                break;
            index[a] = 0;
        }
    }
    return SC_OK;
}
