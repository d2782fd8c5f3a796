/* Ops that move elements without changing them: reshapes and permutations. */
#include <inttypes.h>
#include <string.h>

#include "workloads/checked.h"
#include "workloads/onnx_infer.h"

/* The first output takes type, precision and, where it is a plain reshape, numbers of the first
 * input.
 */
static sc_onnx_value *begin(sc_onnx_node *n)
{
    sc_onnx_value *out = sc_onnx_out(n, 0);
    if (out) {
        out->elem = n->in[0]->elem;
        out->bits = n->in[0]->bits;
    }
    return out;
}

static sc_status reshaped(sc_onnx *x, sc_onnx_node *n, size_t rank, const int64_t *dim)
{
    const sc_status st = sc_onnx_shape(x, n, 0, rank, dim);
    if (st != SC_OK)
        return st;
    if (sc_onnx_count(n->out[0]) != sc_onnx_count(n->in[0]))
        return sc_onnx_fail(x, n, "%" PRIu64 " elements into %" PRIu64, sc_onnx_count(n->in[0]),
                            sc_onnx_count(n->out[0]));
    n->out[0]->data = n->in[0]->data;
    n->out[0]->n = n->in[0]->n;
    return SC_OK;
}

static sc_status vector_of(sc_onnx *x, sc_onnx_node *n, const int64_t *v, size_t count, size_t rank)
{
    const int64_t dim[1] = {(int64_t)count};
    sc_onnx_value *out = n->out[0];
    out->elem = SC_ONNX_INT64;
    const sc_status st = sc_onnx_shape(x, n, 0, rank, dim);
    sc_onnx_number *data = st == SC_OK ? sc_onnx_data(x, out, count) : NULL;
    if (!data)
        return st != SC_OK ? st : SC_ENOMEM;
    for (size_t i = 0; i < count; i++)
        data[i].i = v[i];
    return SC_OK;
}

sc_status sc_infer__shape(sc_onnx *x, sc_onnx_node *n)
{
    const sc_status st = sc_infer__want(x, n, 1);
    if (st != SC_OK || !sc_onnx_out(n, 0))
        return st;
    const int64_t rank = n->in[0]->rank;
    int64_t from = sc_onnx_int(n, "start", 0), to = sc_onnx_int(n, "end", rank);
    from = from < -rank ? 0 : from < 0 ? from + rank : from > rank ? rank : from;
    to = to < -rank ? 0 : to < 0 ? to + rank : to > rank ? rank : to;
    return vector_of(x, n, n->in[0]->dim + from, to > from ? (size_t)(to - from) : 0, 1);
}

sc_status sc_infer__size(sc_onnx *x, sc_onnx_node *n)
{
    const sc_status st = sc_infer__want(x, n, 1);
    if (st != SC_OK || !sc_onnx_out(n, 0))
        return st;
    const int64_t count = (int64_t)sc_onnx_count(n->in[0]);
    return vector_of(x, n, &count, 1, 0);
}

sc_status sc_infer__reshape(sc_onnx *x, sc_onnx_node *n)
{
    int64_t dim[SC_ONNX_RANK], open_axis = -1;
    uint64_t others = 1;
    const int64_t *wanted;
    size_t rank;
    bool given;
    sc_status st = sc_infer__want(x, n, 1);
    if (st != SC_OK || !begin(n))
        return st;
    sc_infer__ints(n, 1, "shape", &given, &wanted, &rank, x);
    if (!wanted)
        return SC_OK;
    if (rank > SC_ONNX_RANK)
        return sc_onnx_fail(x, n, "%zu dimensions, at most %d", rank, SC_ONNX_RANK);
    const bool zero_is_zero = sc_onnx_int(n, "allowzero", 0) != 0;
    for (size_t i = 0; i < rank; i++) {
        dim[i] =
            wanted[i] == 0 && !zero_is_zero && i < n->in[0]->rank ? n->in[0]->dim[i] : wanted[i];
        if (dim[i] == -1 && open_axis < 0) {
            open_axis = (int64_t)i;
            continue;
        }
        if (dim[i] < 0 || !sc_count_mul(&others, (uint64_t)dim[i]))
            return sc_onnx_fail(x, n, "dimension %zu of the shape it wants is %" PRId64, i, dim[i]);
    }
    const uint64_t count = sc_onnx_count(n->in[0]);
    if (open_axis >= 0)
        dim[open_axis] = others && count % others == 0 ? (int64_t)(count / others) : 0;
    if (open_axis >= 0 && count && !dim[open_axis])
        return sc_onnx_fail(x, n, "%" PRIu64 " elements into a multiple of %" PRIu64, count,
                            others);
    return reshaped(x, n, rank, dim);
}

sc_status sc_infer__flatten(sc_onnx *x, sc_onnx_node *n)
{
    int64_t axis = sc_onnx_int(n, "axis", 1);
    sc_status st = sc_infer__want(x, n, 1);
    if (st != SC_OK || !begin(n))
        return st;
    const int64_t rank = n->in[0]->rank;
    if (axis < -rank || axis > rank)
        return sc_onnx_fail(x, n, "axis %" PRId64 " of a tensor of %" PRId64 " dimensions", axis,
                            rank);
    const size_t at = (size_t)(axis < 0 ? axis + rank : axis);
    const int64_t dim[2] = {(int64_t)sc_onnx_span(n->in[0], 0, at),
                            (int64_t)sc_onnx_span(n->in[0], at, (size_t)rank)};
    return reshaped(x, n, 2, dim);
}

sc_status sc_infer__squeeze(sc_onnx *x, sc_onnx_node *n)
{
    bool gone[SC_ONNX_RANK] = {false}, given;
    int64_t dim[SC_ONNX_RANK];
    const int64_t *axes;
    size_t n_axes, rank = 0;
    sc_status st = sc_infer__want(x, n, 1);
    if (st != SC_OK || !begin(n))
        return st;
    const sc_onnx_value *in = n->in[0];
    sc_infer__ints(n, 1, "axes", &given, &axes, &n_axes, x);
    if (given && !axes)
        return SC_OK;
    for (size_t i = 0; !given && i < in->rank; i++)
        gone[i] = in->dim[i] == 1;
    for (size_t i = 0; i < n_axes; i++) {
        int64_t axis = axes[i];
        if ((st = sc_onnx_axis(x, n, &axis, in->rank)) != SC_OK)
            return st;
        if (in->dim[axis] != 1)
            return sc_onnx_fail(x, n, "axis %" PRId64 " has %" PRId64 " elements, not 1", axis,
                                in->dim[axis]);
        gone[axis] = true;
    }
    for (size_t i = 0; i < in->rank; i++)
        if (!gone[i])
            dim[rank++] = in->dim[i];
    return reshaped(x, n, rank, dim);
}

sc_status sc_infer__unsqueeze(sc_onnx *x, sc_onnx_node *n)
{
    bool new_axis[SC_ONNX_RANK] = {false}, given;
    int64_t dim[SC_ONNX_RANK];
    const int64_t *axes;
    size_t n_axes;
    sc_status st = sc_infer__want(x, n, 1);
    if (st != SC_OK || !begin(n))
        return st;
    sc_infer__ints(n, 1, "axes", &given, &axes, &n_axes, x);
    if (!axes)
        return SC_OK;
    const size_t rank = n->in[0]->rank + n_axes;
    if (rank > SC_ONNX_RANK)
        return sc_onnx_fail(x, n, "%zu dimensions, at most %d", rank, SC_ONNX_RANK);
    for (size_t i = 0; i < n_axes; i++) {
        int64_t axis = axes[i];
        if ((st = sc_onnx_axis(x, n, &axis, rank)) != SC_OK)
            return st;
        if (new_axis[axis])
            return sc_onnx_fail(x, n, "axis %" PRId64 " is put in twice", axis);
        new_axis[axis] = true;
    }
    for (size_t i = 0, from = 0; i < rank; i++)
        dim[i] = new_axis[i] ? 1 : n->in[0]->dim[from++];
    return reshaped(x, n, rank, dim);
}

/* Distance in elements between neighbours along each axis. */
static void strides_of(int64_t *stride, const sc_onnx_value *v)
{
    int64_t step = 1;
    for (size_t i = v->rank; i-- > 0;) {
        stride[i] = step;
        step *= v->dim[i] > 0 ? v->dim[i] : 1;
    }
}

sc_status sc_infer__transpose(sc_onnx *x, sc_onnx_node *n)
{
    int64_t dim[SC_ONNX_RANK], stride[SC_ONNX_RANK], in_stride[SC_ONNX_RANK];
    bool seen[SC_ONNX_RANK] = {false};
    size_t count;
    const int64_t *perm = sc_onnx_ints(n, "perm", &count);
    sc_status st = sc_infer__want(x, n, 1);
    if (st != SC_OK || !begin(n))
        return st;
    const sc_onnx_value *in = n->in[0];
    if (perm && count != in->rank)
        return sc_onnx_fail(x, n, "perm has %zu numbers for %d dimensions", count, in->rank);
    strides_of(in_stride, in);
    for (size_t i = 0; i < in->rank; i++) {
        int64_t from = perm ? perm[i] : (int64_t)(in->rank - 1U - i);
        if ((st = sc_onnx_axis(x, n, &from, in->rank)) != SC_OK)
            return st;
        if (seen[from])
            return sc_onnx_fail(x, n, "perm names axis %" PRId64 " twice", from);
        seen[from] = true;
        dim[i] = in->dim[from];
        stride[i] = in_stride[from];
    }
    if ((st = sc_onnx_shape(x, n, 0, in->rank, dim)) != SC_OK)
        return st;
    return sc_fold_view(x, n->out[0], in, 0, stride);
}

sc_status sc_infer__expand(sc_onnx *x, sc_onnx_node *n)
{
    int64_t dim[SC_ONNX_RANK] = {0}, stride[SC_ONNX_RANK], in_stride[SC_ONNX_RANK];
    const int64_t *wanted;
    size_t count, rank = 0;
    bool given;
    sc_status st = sc_infer__want(x, n, 1);
    if (st != SC_OK || !begin(n))
        return st;
    const sc_onnx_value *in = n->in[0];
    sc_infer__ints(n, 1, NULL, &given, &wanted, &count, x);
    if (!wanted)
        return SC_OK;
    sc_onnx_value target = {.rank = (uint8_t)count};
    if (count > SC_ONNX_RANK)
        return sc_onnx_fail(x, n, "%zu dimensions, at most %d", count, SC_ONNX_RANK);
    for (size_t i = 0; i < count; i++) /* some files write -1 for "as it is" */
        target.dim[i] = wanted[i] == -1 ? 1 : wanted[i];
    if (!sc_infer__meet(dim, &rank, in) || !sc_infer__meet(dim, &rank, &target))
        return sc_onnx_fail(x, n, "its input does not fit the shape it is expanded to");
    if ((st = sc_onnx_shape(x, n, 0, rank, dim)) != SC_OK)
        return st;
    strides_of(in_stride, in);
    for (size_t i = 0; i < rank; i++) {
        const size_t lead = rank - in->rank;
        stride[i] = i < lead || in->dim[i - lead] == 1 ? 0 : in_stride[i - lead];
    }
    return sc_fold_view(x, n->out[0], in, 0, stride);
}

sc_status sc_infer__tile(sc_onnx *x, sc_onnx_node *n)
{
    int64_t dim[SC_ONNX_RANK];
    const int64_t *repeats;
    size_t count;
    bool given;
    sc_status st = sc_infer__want(x, n, 1);
    if (st != SC_OK || !begin(n))
        return st;
    sc_infer__ints(n, 1, NULL, &given, &repeats, &count, x);
    if (!repeats)
        return SC_OK;
    if (count != n->in[0]->rank)
        return sc_onnx_fail(x, n, "%zu repeats for %d dimensions", count, n->in[0]->rank);
    for (size_t i = 0; i < count; i++)
        if (__builtin_mul_overflow(n->in[0]->dim[i], repeats[i], &dim[i]))
            return sc_onnx_fail(x, n, "axis %zu passes 2^63 - 1", i);
    return sc_onnx_shape(x, n, 0, count, dim);
}

/* One axis from `from` to `to` by `step`, as Slice clamps them. @return elements left. */
static int64_t clamp_slice(int64_t *start, int64_t to, int64_t step, int64_t extent)
{
    int64_t from = *start;
    from = from < 0 ? (from < -extent ? -1 : from + extent) : from;
    to = to < 0 ? (to < -extent ? -1 : to + extent) : to;
    if (step > 0) {
        from = from < 0 ? 0 : from > extent ? extent : from;
        to = to < 0 ? 0 : to > extent ? extent : to;
        *start = from;
        return to > from ? (to - from - 1) / step + 1 : 0;
    }
    from = from > extent - 1 ? extent - 1 : from < 0 ? 0 : from;
    to = to > extent - 1 ? extent - 1 : to;
    *start = from;
    return from > to ? (from - to - 1) / -step + 1 : 0;
}

typedef struct slice_lists {
    const int64_t *start, *end, *axis, *step;
    size_t count;
} slice_lists;

/* false: some are not constant. */
static bool read_slice(sc_onnx *x, const sc_onnx_node *n, slice_lists *s, bool *sound)
{
    size_t ends, axes, steps;
    bool given, has_axes, has_steps;
    sc_infer__ints(n, 1, "starts", &given, &s->start, &s->count, x);
    sc_infer__ints(n, 2, "ends", &given, &s->end, &ends, x);
    sc_infer__ints(n, 3, "axes", &has_axes, &s->axis, &axes, x);
    sc_infer__ints(n, 4, NULL, &has_steps, &s->step, &steps, x);
    *sound = ends == s->count && (!s->axis || axes == s->count) && (!s->step || steps == s->count);
    return s->start && s->end && (s->axis || !has_axes) && (s->step || !has_steps);
}

sc_status sc_infer__slice(sc_onnx *x, sc_onnx_node *n)
{
    int64_t dim[SC_ONNX_RANK], stride[SC_ONNX_RANK], first = 0;
    slice_lists s;
    bool sound;
    sc_status st = sc_infer__want(x, n, 1);
    if (st != SC_OK || !begin(n) || !read_slice(x, n, &s, &sound))
        return st;
    const sc_onnx_value *in = n->in[0];
    if (!sound || (!s.axis && s.count > in->rank))
        return sc_onnx_fail(x, n, "starts, ends, axes and steps are not as many");
    memcpy(dim, in->dim, sizeof dim);
    strides_of(stride, in);
    for (size_t i = 0; i < s.count; i++) {
        int64_t axis = s.axis ? s.axis[i] : (int64_t)i, start = s.start[i];
        const int64_t step = s.step ? s.step[i] : 1;
        if ((st = sc_onnx_axis(x, n, &axis, in->rank)) != SC_OK)
            return st;
        if (step == 0 || step == INT64_MIN)
            return sc_onnx_fail(x, n, "a step of %" PRId64, step);
        dim[axis] = clamp_slice(&start, s.end[i], step, in->dim[axis]);
        if (!sc_fold_fits(in)) /* only small ones are worked out, whose places cannot overflow */
            continue;
        first += start * stride[axis];
        stride[axis] *= step > SC_ONNX_ELEMENTS    ? SC_ONNX_ELEMENTS
                        : step < -SC_ONNX_ELEMENTS ? -SC_ONNX_ELEMENTS
                                                   : step;
    }
    st = sc_onnx_shape(x, n, 0, in->rank, dim);
    return st == SC_OK ? sc_fold_view(x, n->out[0], in, first, stride) : st;
}

/* Sizes of the parts: as listed, or as equal as they come. */
static sc_status split_sizes(sc_onnx *x, const sc_onnx_node *n, int64_t *sizes, int64_t extent,
                             bool *known)
{
    const int64_t *listed;
    size_t count;
    bool given;
    int64_t sum = 0;
    sc_infer__ints(n, 1, "split", &given, &listed, &count, x);
    *known = listed || !given;
    if (!*known)
        return SC_OK;
    if (listed && count != n->n_out)
        return sc_onnx_fail(x, n, "%zu sizes for %zu parts", count, n->n_out);
    const int64_t parts = (int64_t)n->n_out, each = extent ? (extent - 1) / parts + 1 : 0;
    for (size_t i = 0; i < n->n_out; i++) {
        const int64_t left = extent - sum;
        sizes[i] = listed ? listed[i] : each < left ? each : left;
        if (sizes[i] < 0 || sizes[i] > left)
            return sc_onnx_fail(x, n, "part %zu of %" PRId64 " elements, %" PRId64 " are left", i,
                                sizes[i], left);
        sum += sizes[i];
    }
    return sum == extent ? SC_OK
                         : sc_onnx_fail(x, n, "parts of %" PRId64 " elements in all, not %" PRId64,
                                        sum, extent);
}

sc_status sc_infer__split(sc_onnx *x, sc_onnx_node *n)
{
    int64_t dim[SC_ONNX_RANK], stride[SC_ONNX_RANK], axis = sc_onnx_int(n, "axis", 0), first = 0;
    bool known;
    sc_status st = sc_infer__want(x, n, 1);
    if (st != SC_OK || !n->n_out || (st = sc_onnx_axis(x, n, &axis, n->in[0]->rank)) != SC_OK)
        return st;
    const sc_onnx_value *in = n->in[0];
    int64_t *sizes = sc_arena_calloc(x->arena, n->n_out, sizeof *sizes);
    if (!sizes)
        return SC_ENOMEM;
    if ((st = split_sizes(x, n, sizes, in->dim[axis], &known)) != SC_OK || !known)
        return st;
    memcpy(dim, in->dim, sizeof dim);
    strides_of(stride, in);
    for (size_t i = 0; i < n->n_out && st == SC_OK; i++) {
        dim[axis] = sizes[i];
        if (n->out[i]) {
            n->out[i]->elem = in->elem;
            n->out[i]->bits = in->bits;
            if ((st = sc_onnx_shape(x, n, i, in->rank, dim)) == SC_OK)
                st = sc_fold_view(x, n->out[i], in, first, stride);
        }
        first += sc_fold_fits(in) ? sizes[i] * stride[axis] : 0;
    }
    return st;
}
