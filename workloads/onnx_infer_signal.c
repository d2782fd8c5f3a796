/* Ops of signals and of sampling grids: transforms, windows, what undoes a pool. */
#include <string.h>

#include "workloads/onnx_infer.h"

/* Integers of an input that must be constant for the result to have a shape; NULL if they are not.
 */
static const int64_t *known(sc_onnx *x, const sc_onnx_node *n, size_t input, size_t *count)
{
    const int64_t *list;
    bool given;
    sc_infer__ints(n, input, NULL, &given, &list, count, x);
    return given ? list : NULL;
}

/* One number that must be constant; NULL if it is not, or is not one. */
static const int64_t *known_one(sc_onnx *x, const sc_onnx_node *n, size_t input)
{
    size_t count;
    const int64_t *list = known(x, n, input, &count);
    return list && count == 1 ? list : NULL;
}

sc_status sc_infer__signal_window(sc_onnx *x, sc_onnx_node *n)
{
    sc_onnx_value *out = sc_onnx_out(n, 0);
    const int64_t type = sc_onnx_int(n, "output_datatype", SC_ONNX_FLOAT);
    const sc_status st = sc_infer__want(x, n, 1);
    if (st != SC_OK || !out)
        return st;
    out->elem = type > 0 && type < INT16_MAX ? (int)type : SC_ONNX_FLOAT;
    const int64_t *size = known_one(x, n, 0);
    return size ? sc_onnx_shape(x, n, 0, 1, size) : SC_OK;
}

/* A real signal has as many different frequencies as half its samples, and the constant one. */
static int64_t frequencies(const sc_onnx_node *n, int64_t samples, int64_t fallback)
{
    return sc_onnx_int(n, "onesided", fallback) != 0 ? samples / 2 + 1 : samples;
}

sc_status sc_infer__fourier(sc_onnx *x, sc_onnx_node *n)
{
    sc_onnx_value *out = sc_onnx_out(n, 0);
    int64_t dim[SC_ONNX_RANK], axis = sc_onnx_int(n, "axis", 1);
    sc_status st = sc_infer__want(x, n, 1);
    if (st != SC_OK || !out)
        return st;
    const sc_onnx_value *in = n->in[0];
    const int64_t *length = known_one(x, n, 1), *from = known_one(x, n, 2);
    out->elem = in->elem;
    if ((sc_onnx_in(n, 1) && !length) || (sc_onnx_in(n, 2) && !from))
        return SC_OK;
    axis = from ? *from : axis;
    if (in->rank < 2)
        return sc_onnx_fail(x, n, "a transform of %d dimensions, must be at least 2", in->rank);
    if ((st = sc_onnx_axis(x, n, &axis, in->rank)) != SC_OK)
        return st;
    memcpy(dim, in->dim, sizeof dim);
    const bool back = sc_onnx_int(n, "inverse", 0) != 0;
    const bool half = sc_onnx_int(n, "onesided", 0) != 0;
    if (length)
        dim[axis] = *length;
    else if (back && half && dim[axis] <= INT64_MAX / 2)
        dim[axis] = 2 * (dim[axis] - 1);
    if (!back)
        dim[axis] = frequencies(n, dim[axis], 0);
    dim[in->rank - 1] = back && half ? 1 : 2; /* real and imaginary part */
    return sc_onnx_shape(x, n, 0, in->rank, dim);
}

sc_status sc_infer__fourier_frames(sc_onnx *x, sc_onnx_node *n)
{
    sc_onnx_value *out = sc_onnx_out(n, 0);
    const sc_onnx_value *window = sc_onnx_in(n, 2);
    const sc_status st = sc_infer__want(x, n, 2);
    if (st != SC_OK || !out)
        return st;
    const sc_onnx_value *in = n->in[0];
    const int64_t *step = known_one(x, n, 1), *length = known_one(x, n, 3);
    out->elem = in->elem;
    if (!step || (!length && (sc_onnx_in(n, 3) || !window)))
        return SC_OK;
    const int64_t samples = length ? *length : window->rank == 1 ? window->dim[0] : 0;
    if (in->rank < 2 || *step < 1 || samples < 1 || samples > in->dim[1])
        return sc_onnx_fail(x, n, "its frames do not fit its signal");
    const int64_t dim[4] = {in->dim[0], (in->dim[1] - samples) / *step + 1,
                            frequencies(n, samples, 1), 2};
    return sc_onnx_shape(x, n, 0, 4, dim);
}

sc_status sc_infer__affine_grid(sc_onnx *x, sc_onnx_node *n)
{
    sc_onnx_value *out = sc_onnx_out(n, 0);
    int64_t dim[5];
    size_t count;
    const sc_status st = sc_infer__want(x, n, 2);
    if (st != SC_OK || !out)
        return st;
    const int64_t *size = known(x, n, 1, &count);
    out->elem = n->in[0]->elem;
    if (!size)
        return SC_OK;
    if (count != 4 && count != 5)
        return sc_onnx_fail(x, n, "its size has %zu numbers, must be 4 or 5", count);
    dim[0] = size[0];
    memcpy(dim + 1, size + 2, (count - 2) * sizeof *dim);
    dim[count - 1] = (int64_t)count - 2; /* coordinates of a position */
    return sc_onnx_shape(x, n, 0, count, dim);
}

sc_status sc_infer__unpool(sc_onnx *x, sc_onnx_node *n)
{
    sc_onnx_value *out = sc_onnx_out(n, 0);
    int64_t kernel[SC_ONNX_WINDOW_AXES];
    size_t count;
    sc_onnx_window w;
    sc_status st = sc_infer__want(x, n, 2);
    if (st != SC_OK || !out)
        return st;
    const sc_onnx_value *in = n->in[0];
    const int64_t *stated = known(x, n, 2, &count);
    out->elem = in->elem;
    if (stated)
        return sc_onnx_shape(x, n, 0, count, stated);
    if (sc_onnx_in(n, 2))
        return SC_OK;
    stated = sc_onnx_ints(n, "kernel_shape", &count);
    if (!stated || count > SC_ONNX_WINDOW_AXES || count + 2 != in->rank)
        return sc_onnx_fail(x, n, "its kernel_shape does not fit %d dimensions", in->rank);
    memcpy(kernel, stated, count * sizeof *kernel);
    if ((st = sc_onnx_window_of(x, n, &w, in, kernel, SC_ONNX_SLIDE_BACK)) != SC_OK)
        return st;
    int64_t dim[2 + SC_ONNX_WINDOW_AXES] = {in->dim[0], in->dim[1]};
    memcpy(dim + 2, w.out, w.axes * sizeof *dim);
    return sc_onnx_shape(x, n, 0, in->rank, dim);
}

sc_status sc_infer__column_to_image(sc_onnx *x, sc_onnx_node *n)
{
    sc_onnx_value *out = sc_onnx_out(n, 0);
    int64_t dim[SC_ONNX_RANK], taps = 1;
    size_t axes, count;
    const sc_status st = sc_infer__want(x, n, 3);
    if (st != SC_OK || !out)
        return st;
    const sc_onnx_value *in = n->in[0];
    const int64_t *image = known(x, n, 1, &axes), *block = known(x, n, 2, &count);
    out->elem = in->elem;
    if (!image || !block)
        return SC_OK;
    bool fits = in->rank == 3 && axes == count && axes + 2 <= SC_ONNX_RANK;
    for (size_t i = 0; i < count && fits; i++)
        fits = block[i] > 0 && !__builtin_mul_overflow(taps, block[i], &taps);
    if (!fits || in->dim[1] % taps)
        return sc_onnx_fail(x, n, "its blocks do not fit its columns");
    dim[0] = in->dim[0];
    dim[1] = in->dim[1] / taps;
    memcpy(dim + 2, image, axes * sizeof *dim);
    return sc_onnx_shape(x, n, 0, 2 + axes, dim);
}

sc_status sc_infer__crop_or_pad(sc_onnx *x, sc_onnx_node *n)
{
    sc_onnx_value *out = sc_onnx_out(n, 0);
    int64_t dim[SC_ONNX_RANK];
    size_t count, n_axes;
    sc_status st = sc_infer__want(x, n, 2);
    if (st != SC_OK || !out)
        return st;
    const sc_onnx_value *in = n->in[0];
    const int64_t *size = known(x, n, 1, &count), *axes = sc_onnx_ints(n, "axes", &n_axes);
    out->elem = in->elem;
    if (!size)
        return SC_OK;
    if (count != (axes ? n_axes : in->rank))
        return sc_onnx_fail(x, n, "its shape has %zu numbers for %zu axes", count,
                            axes ? n_axes : (size_t)in->rank);
    memcpy(dim, in->dim, sizeof dim);
    for (size_t i = 0; i < count; i++) {
        int64_t axis = axes ? axes[i] : (int64_t)i;
        if ((st = sc_onnx_axis(x, n, &axis, in->rank)) != SC_OK)
            return st;
        dim[axis] = size[i];
    }
    return sc_onnx_shape(x, n, 0, in->rank, dim);
}
