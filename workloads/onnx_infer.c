/* Elementwise ops, constants, reductions, quantisation. */
#include "workloads/onnx_infer.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

sc_onnx_value *sc_onnx_out(const sc_onnx_node *n, size_t i)
{
    return i < n->n_out ? n->out[i] : NULL;
}

sc_status sc_infer__want(sc_onnx *x, const sc_onnx_node *n, size_t inputs)
{
    for (size_t i = 0; i < inputs; i++)
        if (!sc_onnx_in(n, i))
            return sc_onnx_fail(x, n, "input %zu is missing", i);
    return SC_OK;
}

void sc_infer__ints(const sc_onnx_node *n, size_t input, const char *attribute, bool *given,
                    const int64_t **out, size_t *count, sc_onnx *x)
{
    const sc_onnx_value *v = sc_onnx_in(n, input);
    *out = NULL;
    *count = 0;
    *given = v != NULL;
    if (v && v->data && !sc_onnx_is_real(v->elem)) {
        int64_t *list = sc_onnx_afford(x, v->n)
                            ? sc_arena_calloc(x->arena, v->n ? v->n : 1, sizeof *list)
                            : NULL;
        x->no_memory = x->no_memory || !list;
        for (size_t i = 0; list && i < v->n; i++)
            list[i] = v->data[i].i;
        *out = list;
        *count = list ? v->n : 0;
    } else if (!v && attribute && (*out = sc_onnx_ints(n, attribute, count)) != NULL) {
        *given = true;
    }
}

static sc_status like(sc_onnx *x, sc_onnx_node *n, size_t out, const sc_onnx_value *v, int elem)
{
    sc_onnx_value *to = sc_onnx_out(n, out);
    if (!to)
        return SC_OK;
    to->elem = elem;
    return sc_onnx_shape(x, n, out, v->rank, v->dim);
}

sc_status sc_infer__same(sc_onnx *x, sc_onnx_node *n)
{
    sc_status st = sc_infer__want(x, n, 1);
    for (size_t i = 0; i < n->n_out && i < 2 && st == SC_OK; i++) /* Dropout has a mask */
        st = like(x, n, i, n->in[0], i ? SC_ONNX_BOOL : n->in[0]->elem);
    return st;
}

sc_status sc_infer__identity(sc_onnx *x, sc_onnx_node *n)
{
    sc_onnx_value *out = sc_onnx_out(n, 0);
    const sc_status st = sc_infer__same(x, n);
    if (st == SC_OK && out) {
        out->data = n->in[0]->data;
        out->n = n->in[0]->n;
        out->bits = n->in[0]->bits;
    }
    return st;
}

static sc_status convert(sc_onnx *x, sc_onnx_value *out, const sc_onnx_value *in)
{
    const bool from = sc_onnx_is_real(in->elem), to = sc_onnx_is_real(out->elem);
    if (!in->data || !sc_fold_fits(out))
        return SC_OK;
    sc_onnx_number *data = sc_onnx_data(x, out, in->n);
    if (!data)
        return SC_ENOMEM;
    for (size_t i = 0; i < in->n; i++) {
        const double r = in->data[i].r;
        if (from == to)
            data[i] = in->data[i];
        else if (to)
            data[i].r = (double)in->data[i].i;
        else /* a number that no integer holds has no meaning as a size */
            data[i].i = r > -9e18 && r < 9e18 ? (int64_t)r : r > 0.0 ? INT64_MAX : INT64_MIN;
        if (out->elem == SC_ONNX_BOOL)
            data[i].i = from ? r != 0.0 : in->data[i].i != 0;
    }
    return SC_OK;
}

sc_status sc_infer__cast(sc_onnx *x, sc_onnx_node *n)
{
    sc_onnx_value *out = sc_onnx_out(n, 0);
    sc_status st = sc_infer__want(x, n, 1);
    if (st != SC_OK || !out)
        return st;
    const sc_onnx_value *target = sc_onnx_in(n, 1); /* CastLike */
    const int64_t to = sc_onnx_int(n, "to", target ? target->elem : SC_ONNX_FLOAT);
    st = like(x, n, 0, n->in[0], to > 0 && to < INT16_MAX ? (int)to : SC_ONNX_FLOAT);
    return st == SC_OK ? convert(x, out, n->in[0]) : st;
}

sc_status sc_infer__unary(sc_onnx *x, sc_onnx_node *n)
{
    sc_onnx_value *out = sc_onnx_out(n, 0);
    sc_status st = sc_infer__want(x, n, 1);
    if (st != SC_OK || !out || (st = like(x, n, 0, n->in[0], n->in[0]->elem)) != SC_OK)
        return st;
    return sc_fold_elementwise(x, n, out);
}

bool sc_infer__meet(int64_t *dim, size_t *rank, const sc_onnx_value *v)
{
    if (v->rank > *rank) {
        const size_t more = v->rank - *rank;
        memmove(dim + more, dim, *rank * sizeof *dim);
        for (size_t i = 0; i < more; i++)
            dim[i] = 1;
        *rank = v->rank;
    }
    for (size_t i = 0; i < v->rank; i++) {
        int64_t *d = &dim[*rank - v->rank + i];
        if (v->dim[i] != *d && v->dim[i] != 1 && *d != 1)
            return false;
        *d = *d == 1 ? v->dim[i] : *d;
    }
    return true;
}

static sc_status broadcast(sc_onnx *x, sc_onnx_node *n, int elem)
{
    int64_t dim[SC_ONNX_RANK] = {0};
    size_t rank = 0;
    sc_onnx_value *out = sc_onnx_out(n, 0);
    sc_status st = sc_infer__want(x, n, 1);
    if (st != SC_OK || !out)
        return st;
    for (size_t i = 0; i < n->n_in; i++)
        if (n->in[i] && !sc_infer__meet(dim, &rank, n->in[i]))
            return sc_onnx_fail(x, n, "the shapes of its inputs do not fit each other");
    out->elem = elem;
    st = sc_onnx_shape(x, n, 0, rank, dim);
    return st == SC_OK ? sc_fold_elementwise(x, n, out) : st;
}

sc_status sc_infer__broadcast(sc_onnx *x, sc_onnx_node *n)
{
    return broadcast(x, n, n->n_in && n->in[0] ? n->in[0]->elem : 0);
}

sc_status sc_infer__compare(sc_onnx *x, sc_onnx_node *n)
{
    return broadcast(x, n, SC_ONNX_BOOL);
}

sc_status sc_infer__where(sc_onnx *x, sc_onnx_node *n)
{
    return broadcast(x, n, n->n_in > 1 && n->in[1] ? n->in[1]->elem : 0);
}

/* Numbers that stand in the node itself. */
static sc_status listed_constant(sc_onnx *x, sc_onnx_node *n, sc_onnx_value *out, bool scalar,
                                 const sc_onnx_attribute *a)
{
    const bool real = a->kind == SC_ONNX_REAL || a->kind == SC_ONNX_REALS;
    const size_t count = scalar ? 1 : a->n;
    const int64_t dim[1] = {(int64_t)count};
    out->elem = real ? SC_ONNX_FLOAT : SC_ONNX_INT64;
    const sc_status st = sc_onnx_shape(x, n, 0, scalar ? 0 : 1, dim);
    if (st != SC_OK || !sc_fold_fits(out))
        return st;
    sc_onnx_number *data = sc_onnx_data(x, out, count);
    if (!data)
        return SC_ENOMEM;
    for (size_t i = 0; i < count; i++) {
        if (scalar && real)
            data[i].r = a->real;
        else if (scalar)
            data[i].i = a->integer;
        else if (real)
            data[i].r = (double)a->reals[i];
        else
            data[i].i = a->ints[i];
    }
    return SC_OK;
}

sc_status sc_infer__constant(sc_onnx *x, sc_onnx_node *n)
{
    static const char *const names[] = {"value_int", "value_float", "value_ints", "value_floats"};
    sc_onnx_value *out = sc_onnx_out(n, 0);
    const sc_onnx_attribute *a = sc_onnx_get(n, "value");
    if (!out)
        return SC_OK;
    out->constant = true;
    if (a && a->tensor) {
        out->elem = a->tensor->elem;
        out->n = a->tensor->n;
        out->data = a->tensor->data;
        return sc_onnx_shape(x, n, 0, a->tensor->rank, a->tensor->dims);
    }
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if ((a = sc_onnx_get(n, names[i])) != NULL)
            return listed_constant(x, n, out, i < 2, a);
    out->elem = SC_ONNX_STRING;
    return sc_onnx_shape(x, n, 0, 0, NULL);
}

sc_status sc_infer__constant_of_shape(sc_onnx *x, sc_onnx_node *n)
{
    sc_onnx_value *out = sc_onnx_out(n, 0);
    const sc_onnx_attribute *a = sc_onnx_get(n, "value");
    const int64_t *dim;
    size_t rank;
    bool given;
    sc_status st = sc_infer__want(x, n, 1);
    if (st != SC_OK || !out)
        return st;
    out->elem = a && a->tensor ? a->tensor->elem : SC_ONNX_FLOAT;
    sc_infer__ints(n, 0, NULL, &given, &dim, &rank, x);
    if (!dim)
        return SC_OK;
    if ((st = sc_onnx_shape(x, n, 0, rank, dim)) != SC_OK || !sc_fold_fits(out) ||
        (a && a->tensor && a->tensor->n != 1))
        return st;
    sc_onnx_number *data = sc_onnx_data(x, out, (size_t)sc_onnx_count(out));
    if (!data)
        return SC_ENOMEM;
    for (size_t i = 0; i < out->n && a && a->tensor; i++)
        data[i] = a->tensor->data[0];
    return SC_OK;
}

sc_status sc_infer__shape_like(sc_onnx *x, sc_onnx_node *n)
{
    sc_onnx_value *out = sc_onnx_out(n, 0);
    size_t rank;
    const int64_t *dim = sc_onnx_ints(n, "shape", &rank);
    const sc_onnx_value *like_it = sc_onnx_in(n, 0);
    if (!out)
        return SC_OK;
    out->constant = true; /* made up, not computed */
    out->elem = SC_ONNX_FLOAT;
    if (dim)
        return sc_onnx_shape(x, n, 0, rank, dim);
    return like_it ? sc_onnx_shape(x, n, 0, like_it->rank, like_it->dim) : SC_OK;
}

static double as_real(const sc_onnx_value *v)
{
    return sc_onnx_is_real(v->elem) ? v->data[0].r : (double)v->data[0].i;
}

sc_status sc_infer__range(sc_onnx *x, sc_onnx_node *n)
{
    sc_onnx_value *out = sc_onnx_out(n, 0);
    sc_status st = sc_infer__want(x, n, 3);
    if (st != SC_OK || !out)
        return st;
    out->elem = n->in[0]->elem;
    for (size_t i = 0; i < 3; i++)
        if (!n->in[i]->data || n->in[i]->n != 1)
            return SC_OK;
    const double start = as_real(n->in[0]), step = as_real(n->in[2]);
    const double steps = ceil((as_real(n->in[1]) - start) / step);
    if (!(fabs(steps) < 9e15)) /* not a number, either */
        return sc_onnx_fail(x, n, "its step is 0, or it has too many elements");
    const int64_t dim[1] = {steps > 0.0 ? (int64_t)steps : 0};
    if ((st = sc_onnx_shape(x, n, 0, 1, dim)) != SC_OK || !sc_fold_fits(out))
        return st;
    sc_onnx_number *data = sc_onnx_data(x, out, (size_t)dim[0]);
    if (!data)
        return SC_ENOMEM;
    for (int64_t i = 0; i < dim[0]; i++) {
        if (sc_onnx_is_real(out->elem))
            data[i].r = start + (double)i * step;
        else
            data[i].i = (int64_t)((uint64_t)n->in[0]->data[0].i +
                                  (uint64_t)i * (uint64_t)n->in[2]->data[0].i);
    }
    return SC_OK;
}

sc_status sc_infer__quantize(sc_onnx *x, sc_onnx_node *n)
{
    const sc_onnx_value *zero = sc_onnx_in(n, 2);
    sc_status st = sc_infer__want(x, n, 1);
    if (st != SC_OK)
        return st;
    const int64_t given = sc_onnx_int(n, "output_dtype", SC_ONNX_UINT8);
    const int fallback = given > 0 && given < INT16_MAX ? (int)given : SC_ONNX_UINT8;
    return like(x, n, 0, n->in[0], zero && zero->elem ? zero->elem : fallback);
}

sc_status sc_infer__dequantize(sc_onnx *x, sc_onnx_node *n)
{
    sc_onnx_value *out = sc_onnx_out(n, 0);
    const sc_onnx_value *scale = sc_onnx_in(n, 1);
    sc_status st = sc_infer__want(x, n, 1);
    if (st != SC_OK || !out)
        return st;
    out->bits = n->in[0]->bits ? n->in[0]->bits : sc_onnx_bits(n->in[0]->elem);
    return like(x, n, 0, n->in[0], scale && scale->elem ? scale->elem : SC_ONNX_FLOAT);
}

sc_status sc_infer__quantize_dynamic(sc_onnx *x, sc_onnx_node *n)
{
    sc_status st = sc_infer__want(x, n, 1);
    if (st == SC_OK)
        st = like(x, n, 0, n->in[0], SC_ONNX_UINT8);
    for (size_t i = 1; i < n->n_out && st == SC_OK; i++) {
        if (n->out[i])
            n->out[i]->elem = i == 1 ? SC_ONNX_FLOAT : SC_ONNX_UINT8;
        st = sc_onnx_shape(x, n, i, 0, NULL);
    }
    return st;
}

sc_status sc_infer__quantize_bits(sc_onnx *x, sc_onnx_node *n)
{
    const sc_onnx_value *width = sc_onnx_in(n, 3);
    sc_onnx_value *out = sc_onnx_out(n, 0);
    sc_status st = sc_infer__want(x, n, 1);
    if (st != SC_OK || !out)
        return st;
    const bool one = strcmp(n->call->op, "BipolarQuant") == 0;
    const double bits = one                                     ? 1.0
                        : width && width->data && width->n == 1 ? ceil(as_real(width))
                                                                : 0.0;
    out->bits = bits >= 1.0 && bits <= 64.0 ? (uint32_t)bits : 0;
    return like(x, n, 0, n->in[0], n->in[0]->elem);
}

/* Extents after the marked axes were taken out, or kept as 1. */
static sc_status set_reduced(sc_onnx *x, sc_onnx_node *n, size_t out, const bool *gone, bool keep)
{
    int64_t dim[SC_ONNX_RANK];
    size_t rank = 0;
    for (size_t i = 0; i < n->in[0]->rank; i++)
        if (!gone[i] || keep)
            dim[rank++] = gone[i] ? 1 : n->in[0]->dim[i];
    return sc_onnx_shape(x, n, out, rank, dim);
}

/* The product, sum or extreme of a small constant list: sizes are computed so. */
static sc_status fold_reduce(sc_onnx *x, const sc_onnx_node *n, sc_onnx_value *out)
{
    const sc_onnx_value *in = n->in[0];
    const char *op = n->call->op;
    if (!in->data || sc_onnx_is_real(in->elem) || sc_onnx_count(out) != 1 || !in->n)
        return SC_OK;
    const bool product = strcmp(op, "ReduceProd") == 0, sum = strcmp(op, "ReduceSum") == 0;
    const bool most = strcmp(op, "ReduceMax") == 0;
    if (!product && !sum && !most && strcmp(op, "ReduceMin") != 0)
        return SC_OK;
    int64_t v = in->data[0].i;
    for (size_t i = 1; i < in->n; i++) {
        const int64_t w = in->data[i].i;
        if ((product && __builtin_mul_overflow(v, w, &v)) ||
            (sum && __builtin_add_overflow(v, w, &v)))
            return SC_OK;
        if (!product && !sum)
            v = (most ? w > v : w < v) ? w : v;
    }
    sc_onnx_number *data = sc_onnx_data(x, out, 1);
    if (!data)
        return SC_ENOMEM;
    data[0].i = v;
    return SC_OK;
}

sc_status sc_infer__reduce(sc_onnx *x, sc_onnx_node *n)
{
    sc_onnx_value *out = sc_onnx_out(n, 0);
    bool gone[SC_ONNX_RANK] = {false}, given;
    const int64_t *axes;
    size_t n_axes;
    sc_status st = sc_infer__want(x, n, 1);
    if (st != SC_OK || !out)
        return st;
    out->elem = n->in[0]->elem;
    sc_infer__ints(n, 1, "axes", &given, &axes, &n_axes, x);
    if (given && !axes)
        return SC_OK;
    const bool idle = sc_onnx_int(n, "noop_with_empty_axes", 0) != 0;
    for (size_t i = 0; i < n->in[0]->rank; i++)
        gone[i] = n_axes == 0 && !idle;
    for (size_t i = 0; i < n_axes; i++) {
        int64_t axis = axes[i];
        if ((st = sc_onnx_axis(x, n, &axis, n->in[0]->rank)) != SC_OK)
            return st;
        gone[axis] = true;
    }
    st = set_reduced(x, n, 0, gone, sc_onnx_int(n, "keepdims", 1) != 0);
    return st == SC_OK ? fold_reduce(x, n, out) : st;
}

sc_status sc_infer__arg(sc_onnx *x, sc_onnx_node *n)
{
    sc_onnx_value *out = sc_onnx_out(n, 0);
    bool gone[SC_ONNX_RANK] = {false};
    int64_t axis = sc_onnx_int(n, "axis", 0);
    sc_status st = sc_infer__want(x, n, 1);
    if (st != SC_OK || !out || (st = sc_onnx_axis(x, n, &axis, n->in[0]->rank)) != SC_OK)
        return st;
    out->elem = SC_ONNX_INT64;
    gone[axis] = true;
    return set_reduced(x, n, 0, gone, sc_onnx_int(n, "keepdims", 1) != 0);
}

sc_status sc_infer__top_k(sc_onnx *x, sc_onnx_node *n)
{
    const sc_onnx_value *k = sc_onnx_in(n, 1);
    int64_t dim[SC_ONNX_RANK], axis = sc_onnx_int(n, "axis", -1);
    sc_status st = sc_infer__want(x, n, 1);
    if (st != SC_OK || (st = sc_onnx_axis(x, n, &axis, n->in[0]->rank)) != SC_OK)
        return st;
    if (k && (!k->data || k->n != 1))
        return SC_OK;
    memcpy(dim, n->in[0]->dim, sizeof dim);
    dim[axis] = k ? k->data[0].i : sc_onnx_int(n, "k", 1);
    for (size_t i = 0; i < n->n_out && i < 2 && st == SC_OK; i++) {
        if (n->out[i])
            n->out[i]->elem = i ? SC_ONNX_INT64 : n->in[0]->elem;
        st = sc_onnx_shape(x, n, i, n->in[0]->rank, dim);
    }
    return st;
}

/* The result as the input; further ones hold a figure a vector (LayerNormalization) or a channel
 * (BatchNormalization in training). */
sc_status sc_infer__norm(sc_onnx *x, sc_onnx_node *n)
{
    const bool batch = strcmp(n->call->op, "BatchNormalization") == 0;
    bool gone[SC_ONNX_RANK] = {false};
    int64_t axis = sc_onnx_int(n, "axis", -1);
    sc_status st = sc_infer__want(x, n, 1);
    if (st != SC_OK || (st = like(x, n, 0, n->in[0], n->in[0]->elem)) != SC_OK || n->n_out < 2)
        return st;
    if (!batch && (st = sc_onnx_axis(x, n, &axis, n->in[0]->rank)) != SC_OK)
        return st;
    for (size_t i = 0; i < n->in[0]->rank; i++)
        gone[i] = !batch && (int64_t)i >= axis;
    for (size_t i = 1; i < n->n_out && st == SC_OK; i++) {
        if (n->out[i])
            n->out[i]->elem = SC_ONNX_FLOAT;
        st = batch ? sc_onnx_shape(x, n, i, n->in[0]->rank > 1 ? 1 : 0, &n->in[0]->dim[1])
                   : set_reduced(x, n, i, gone, true);
    }
    return st;
}
