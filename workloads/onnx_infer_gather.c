/* Ops that put elements together, pick some, or change how many there are. */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "workloads/onnx_infer.h"

static sc_onnx_value *begin(sc_onnx_node *n)
{
    sc_onnx_value *out = sc_onnx_out(n, 0);
    if (out) {
        out->elem = n->in[0]->elem;
        out->bits = n->in[0]->bits;
    }
    return out;
}

static sc_status fold_concat(sc_onnx *x, const sc_onnx_node *n, sc_onnx_value *out, size_t axis)
{
    if (!sc_fold_fits(out))
        return SC_OK;
    for (size_t i = 0; i < n->n_in; i++)
        if (n->in[i] && !n->in[i]->data)
            return SC_OK;
    sc_onnx_number *data = sc_onnx_data(x, out, (size_t)sc_onnx_count(out));
    if (!data)
        return SC_ENOMEM;
    const size_t outer = (size_t)sc_onnx_span(out, 0, axis);
    size_t used = 0;
    for (size_t o = 0; o < outer; o++)
        for (size_t i = 0; i < n->n_in; i++) {
            const sc_onnx_value *v = n->in[i];
            const size_t part = v ? (size_t)sc_onnx_span(v, axis, v->rank) : 0;
            for (size_t k = 0; k < part && used < out->n; k++)
                data[used++] = v->data[o * part + k];
        }
    return SC_OK;
}

sc_status sc_infer__concat(sc_onnx *x, sc_onnx_node *n)
{
    /* QLinearConcat: scale, zero, then data, scale, zero of each part */
    const bool q = strcmp(n->call->op, "QLinearConcat") == 0;
    size_t i = q ? 2 : 0;
    const sc_onnx_value *first = sc_onnx_in(n, i);
    int64_t dim[SC_ONNX_RANK], axis = sc_onnx_int(n, "axis", 1), sum = 0;
    sc_onnx_value *out = sc_onnx_out(n, 0);
    if (!first)
        return sc_onnx_fail(x, n, "input %zu is missing", i);
    sc_status st = sc_onnx_axis(x, n, &axis, first->rank);
    if (st != SC_OK || !out)
        return st;
    memcpy(dim, first->dim, sizeof dim);
    for (; i < n->n_in; i += q ? 3 : 1) {
        const sc_onnx_value *v = n->in[i];
        bool fits = v && v->rank == first->rank;
        for (size_t k = 0; fits && k < v->rank; k++)
            fits = (int64_t)k == axis || v->dim[k] == dim[k];
        if (!fits || __builtin_add_overflow(sum, v->dim[axis], &sum))
            return sc_onnx_fail(x, n, "input %zu does not fit the others", i);
    }
    dim[axis] = sum;
    out->elem = first->elem;
    out->bits = first->bits;
    if ((st = sc_onnx_shape(x, n, 0, first->rank, dim)) != SC_OK || q)
        return st;
    return fold_concat(x, n, out, (size_t)axis);
}

/* Numbers picked from a constant by constant indices. */
static sc_status fold_gather(sc_onnx *x, const sc_onnx_node *n, sc_onnx_value *out, size_t axis)
{
    const sc_onnx_value *in = n->in[0], *at = n->in[1];
    if (!in->data || !at->data || !sc_fold_fits(out) || !in->n)
        return SC_OK;
    sc_onnx_number *data = sc_onnx_data(x, out, (size_t)sc_onnx_count(out));
    if (!data)
        return SC_ENOMEM;
    const size_t outer = (size_t)sc_onnx_span(in, 0, axis);
    const size_t inner = (size_t)sc_onnx_span(in, axis + 1, in->rank);
    const int64_t extent = in->dim[axis];
    size_t used = 0;
    for (size_t o = 0; o < outer; o++)
        for (size_t i = 0; i < at->n; i++) {
            const int64_t wanted = at->data[i].i, k = wanted < 0 ? wanted + extent : wanted;
            if (k < 0 || k >= extent)
                return sc_onnx_fail(x, n, "index %" PRId64 " of %" PRId64 " elements", wanted,
                                    extent);
            for (size_t e = 0; e < inner && used < out->n; e++)
                data[used++] = in->data[(o * (size_t)extent + (size_t)k) * inner + e];
        }
    return SC_OK;
}

sc_status sc_infer__gather(sc_onnx *x, sc_onnx_node *n)
{
    int64_t dim[2 * SC_ONNX_RANK], axis = sc_onnx_int(n, "axis", 0);
    size_t rank = 0;
    sc_status st = sc_infer__want(x, n, 2);
    if (st != SC_OK || !begin(n) || (st = sc_onnx_axis(x, n, &axis, n->in[0]->rank)) != SC_OK)
        return st;
    const sc_onnx_value *in = n->in[0], *at = n->in[1];
    for (size_t i = 0; i < (size_t)axis; i++)
        dim[rank++] = in->dim[i];
    for (size_t i = 0; i < at->rank; i++)
        dim[rank++] = at->dim[i];
    for (size_t i = (size_t)axis + 1; i < in->rank; i++)
        dim[rank++] = in->dim[i];
    st = sc_onnx_shape(x, n, 0, rank, dim);
    return st == SC_OK ? fold_gather(x, n, n->out[0], (size_t)axis) : st;
}

sc_status sc_infer__gather_elements(sc_onnx *x, sc_onnx_node *n)
{
    const sc_status st = sc_infer__want(x, n, 2);
    if (st != SC_OK || !begin(n))
        return st;
    return sc_onnx_shape(x, n, 0, n->in[1]->rank, n->in[1]->dim);
}

sc_status sc_infer__gather_nd(sc_onnx *x, sc_onnx_node *n)
{
    int64_t dim[2 * SC_ONNX_RANK];
    const int64_t skipped = sc_onnx_int(n, "batch_dims", 0);
    size_t rank = 0;
    const sc_status st = sc_infer__want(x, n, 2);
    if (st != SC_OK || !begin(n))
        return st;
    const sc_onnx_value *in = n->in[0], *at = n->in[1];
    const int64_t depth = at->rank ? at->dim[at->rank - 1] : 0;
    if (!at->rank || skipped < 0 || skipped >= at->rank || depth < 0 ||
        depth > in->rank - skipped || skipped > in->rank)
        return sc_onnx_fail(x, n, "its indices do not fit its data");
    for (size_t i = 0; i + 1 < at->rank; i++)
        dim[rank++] = at->dim[i];
    for (size_t i = (size_t)(skipped + depth); i < in->rank; i++)
        dim[rank++] = in->dim[i];
    return sc_onnx_shape(x, n, 0, rank, dim);
}

sc_status sc_infer__pad(sc_onnx *x, sc_onnx_node *n)
{
    int64_t dim[SC_ONNX_RANK], where[SC_ONNX_RANK];
    const int64_t *pads, *axes;
    size_t count, n_axes;
    bool given, has_axes;
    sc_status st = sc_infer__want(x, n, 1);
    if (st != SC_OK || !begin(n))
        return st;
    const sc_onnx_value *in = n->in[0];
    const bool old = sc_onnx_get(n, "paddings") != NULL; /* of the first opset */
    sc_infer__ints(n, 1, old ? "paddings" : "pads", &given, &pads, &count, x);
    sc_infer__ints(n, 3, NULL, &has_axes, &axes, &n_axes, x);
    if (!pads || (has_axes && !axes))
        return SC_OK;
    const size_t padded = axes ? n_axes : in->rank;
    if (count != 2 * padded || padded > SC_ONNX_RANK)
        return sc_onnx_fail(x, n, "%zu pads for %zu axes", count, padded);
    memcpy(dim, in->dim, sizeof dim);
    for (size_t i = 0; i < padded; i++) {
        where[i] = axes ? axes[i] : (int64_t)i;
        if ((st = sc_onnx_axis(x, n, &where[i], in->rank)) != SC_OK)
            return st;
        int64_t *d = &dim[where[i]];
        if (__builtin_add_overflow(*d, pads[i], d) ||
            __builtin_add_overflow(*d, pads[padded + i], d))
            return sc_onnx_fail(x, n, "axis %zu passes 2^63 - 1", i);
    }
    return sc_onnx_shape(x, n, 0, in->rank, dim);
}

/* Scales as an attribute (Upsample) or as an input; NULL if they are not constant. */
static const double *read_scales(sc_onnx *x, const sc_onnx_node *n, size_t *count)
{
    const sc_onnx_attribute *a = sc_onnx_get(n, "scales");
    const sc_onnx_value *v = sc_onnx_in(n, n->n_in == 2 ? 1 : 2);
    const bool listed = a && a->kind == SC_ONNX_REALS;
    const bool there = v && v->data && v->n && sc_onnx_is_real(v->elem);
    *count = listed ? a->n : there ? v->n : 0;
    double *out = sc_onnx_afford(x, *count)
                      ? sc_arena_calloc(x->arena, *count ? *count : 1, sizeof *out)
                      : NULL;
    x->no_memory = x->no_memory || !out;
    for (size_t i = 0; out && i < *count; i++)
        out[i] = listed ? (double)a->reals[i] : v->data[i].r;
    return out && *count ? out : NULL;
}

static sc_status scaled(sc_onnx *x, const sc_onnx_node *n, int64_t *out, int64_t extent,
                        double scale)
{
    const double size = floor((double)extent * scale);
    if (!(size >= 1.0 && size < 9e15))
        return sc_onnx_fail(x, n, "%" PRId64 " positions scaled by %g", extent, scale);
    *out = (int64_t)size;
    return SC_OK;
}

sc_status sc_infer__resize(sc_onnx *x, sc_onnx_node *n)
{
    int64_t dim[SC_ONNX_RANK];
    const int64_t *sizes;
    size_t count = 0, n_axes;
    bool given;
    sc_status st = sc_infer__want(x, n, 1);
    if (st != SC_OK || !begin(n))
        return st;
    const sc_onnx_value *in = n->in[0];
    const int64_t *axes = sc_onnx_ints(n, "axes", &n_axes);
    sc_infer__ints(n, 3, NULL, &given, &sizes, &count, x);
    const double *scales = sizes ? NULL : read_scales(x, n, &count);
    if (!sizes && !scales)
        return SC_OK;
    if (count != (axes ? n_axes : in->rank) || count > SC_ONNX_RANK)
        return sc_onnx_fail(x, n, "%zu scales or sizes for %zu axes", count,
                            axes ? n_axes : (size_t)in->rank);
    memcpy(dim, in->dim, sizeof dim);
    for (size_t i = 0; i < count && st == SC_OK; i++) {
        int64_t axis = axes ? axes[i] : (int64_t)i;
        if ((st = sc_onnx_axis(x, n, &axis, in->rank)) != SC_OK)
            return st;
        if (sizes)
            dim[axis] = sizes[i];
        else
            st = scaled(x, n, &dim[axis], in->dim[axis], scales[i]);
    }
    return st == SC_OK ? sc_onnx_shape(x, n, 0, in->rank, dim) : st;
}

static sc_status blocks(sc_onnx *x, sc_onnx_node *n, bool to_space)
{
    const int64_t b = sc_onnx_int(n, "blocksize", 0);
    const sc_status st = sc_infer__want(x, n, 1);
    if (st != SC_OK || !begin(n))
        return st;
    const int64_t *in = n->in[0]->dim;
    if (n->in[0]->rank != 4 || b < 1 || b > INT16_MAX || (to_space && in[1] % (b * b)) ||
        (!to_space && (in[2] % b || in[3] % b)))
        return sc_onnx_fail(x, n, "blocks of %" PRId64 " do not fit its data", b);
    int64_t dim[4] = {in[0], in[1] / (b * b), 0, 0};
    bool wrapped = false;
    if (to_space) {
        wrapped =
            __builtin_mul_overflow(in[2], b, &dim[2]) || __builtin_mul_overflow(in[3], b, &dim[3]);
    } else {
        wrapped = __builtin_mul_overflow(in[1], b * b, &dim[1]);
        dim[2] = in[2] / b;
        dim[3] = in[3] / b;
    }
    return wrapped ? sc_onnx_fail(x, n, "an axis passes 2^63 - 1") : sc_onnx_shape(x, n, 0, 4, dim);
}

sc_status sc_infer__depth_to_space(sc_onnx *x, sc_onnx_node *n)
{
    return blocks(x, n, true);
}

sc_status sc_infer__space_to_depth(sc_onnx *x, sc_onnx_node *n)
{
    return blocks(x, n, false);
}

sc_status sc_infer__one_hot(sc_onnx *x, sc_onnx_node *n)
{
    int64_t dim[SC_ONNX_RANK + 1], axis = sc_onnx_int(n, "axis", -1);
    sc_status st = sc_infer__want(x, n, 3);
    if (st != SC_OK || !begin(n))
        return st;
    const sc_onnx_value *in = n->in[0], *depth = n->in[1];
    n->out[0]->elem = n->in[2]->elem;
    if (!depth->data || depth->n != 1)
        return SC_OK;
    if ((st = sc_onnx_axis(x, n, &axis, in->rank + 1U)) != SC_OK)
        return st;
    memcpy(dim, in->dim, (size_t)axis * sizeof *dim);
    dim[axis] = sc_onnx_is_real(depth->elem) ? (int64_t)fmin(fmax(depth->data[0].r, 0.0), 9e15)
                                             : depth->data[0].i;
    memcpy(dim + axis + 1, in->dim + axis, ((size_t)in->rank - (size_t)axis) * sizeof *dim);
    return sc_onnx_shape(x, n, 0, in->rank + 1U, dim);
}

sc_status sc_infer__skip_norm(sc_onnx *x, sc_onnx_node *n)
{
    sc_status st = sc_infer__want(x, n, 2);
    for (size_t i = 0; i < n->n_out && st == SC_OK; i += 3) { /* mean and deviation are unused */
        if (n->out[i])
            n->out[i]->elem = n->in[0]->elem;
        st = sc_onnx_shape(x, n, i, n->in[0]->rank, n->in[0]->dim);
    }
    return st;
}

sc_status sc_infer__embed_norm(sc_onnx *x, sc_onnx_node *n)
{
    const sc_status st = sc_infer__want(x, n, 1);
    const sc_onnx_value *words = sc_onnx_in(n, 2);
    if (st != SC_OK || !sc_onnx_out(n, 0))
        return st;
    if (n->in[0]->rank != 2 || !words || words->rank != 2)
        return sc_onnx_fail(x, n, "its tokens and table must be matrices");
    const int64_t dim[3] = {n->in[0]->dim[0], n->in[0]->dim[1], words->dim[1]};
    n->out[0]->elem = words->elem;
    return sc_onnx_shape(x, n, 0, 3, dim);
}

sc_status sc_infer__roi_align(sc_onnx *x, sc_onnx_node *n)
{
    const sc_status st = sc_infer__want(x, n, 2);
    if (st != SC_OK || !begin(n))
        return st;
    if (n->in[0]->rank != 4 || n->in[1]->rank != 2)
        return sc_onnx_fail(x, n, "its map must have 4 dimensions and its regions 2");
    const int64_t dim[4] = {n->in[1]->dim[0], n->in[0]->dim[1], sc_onnx_int(n, "output_height", 1),
                            sc_onnx_int(n, "output_width", 1)};
    return sc_onnx_shape(x, n, 0, 4, dim);
}

sc_status sc_infer__grid_sample(sc_onnx *x, sc_onnx_node *n)
{
    int64_t dim[SC_ONNX_RANK];
    const sc_status st = sc_infer__want(x, n, 2);
    if (st != SC_OK || !begin(n))
        return st;
    const sc_onnx_value *in = n->in[0], *grid = n->in[1];
    if (in->rank < 3 || grid->rank != in->rank)
        return sc_onnx_fail(x, n, "its map and its grid must have as many dimensions");
    for (size_t i = 0; i < in->rank; i++)
        dim[i] = i < 2 ? in->dim[i] : grid->dim[i - 1];
    return sc_onnx_shape(x, n, 0, in->rank, dim);
}
