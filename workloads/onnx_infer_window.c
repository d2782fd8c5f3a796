/* Convolutions and pools: padding by rule or by number, the extents that follow. */
#include <inttypes.h>
#include <string.h>

#include "workloads/checked.h"
#include "workloads/onnx_infer.h"

/* Larger numbers make no window; sums and products of two of them fit an int64_t. */
static const int64_t largest = INT64_C(1) << 31;

typedef enum pad_rule {
    PAD_EXPLICIT,
    PAD_SAME_UPPER,
    PAD_SAME_LOWER,
    PAD_NONE,
    PAD_RULES
} pad_rule;

static sc_status read_rule(sc_onnx *x, const sc_onnx_node *n, pad_rule *out)
{
    static const char *const names[PAD_RULES] = {"NOTSET", "SAME_UPPER", "SAME_LOWER", "VALID"};
    const char *text = sc_onnx_text(n, "auto_pad", names[0]);
    char shown[SC_SHOWN_LEN], hint[SC_SUGGEST_LEN];
    for (int i = 0; i < PAD_RULES; i++)
        if (strcmp(text, names[i]) == 0 || (!text[0] && i == 0)) {
            *out = (pad_rule)i;
            return SC_OK;
        }
    return sc_onnx_fail(x, n, "auto_pad '%s' is none of NOTSET, SAME_UPPER, SAME_LOWER, VALID%s",
                        sc_text_show(shown, text),
                        sc_did_you_mean(hint, sc_nearest(text, names, PAD_RULES)));
}

/* A list attribute with one number an axis, within [least, largest]. */
static sc_status read_axes(sc_onnx *x, const sc_onnx_node *n, int64_t *out, size_t axes,
                           const char *name, int64_t fallback, int64_t least)
{
    size_t count;
    const int64_t *list = sc_onnx_ints(n, name, &count);
    if (list && count != axes)
        return sc_onnx_fail(x, n, "%s has %zu numbers for %zu axes", name, count, axes);
    for (size_t i = 0; i < axes; i++) {
        out[i] = list ? list[i] : fallback;
        if (out[i] < least || out[i] > largest)
            return sc_onnx_fail(x, n, "%s is %" PRId64 ", must be at least %" PRId64, name, out[i],
                                least);
    }
    return SC_OK;
}

static sc_status read_pads(sc_onnx *x, const sc_onnx_node *n, sc_onnx_window *w)
{
    int64_t both[2 * SC_ONNX_WINDOW_AXES];
    const sc_status st = read_axes(x, n, both, 2 * w->axes, "pads", 0, 0);
    for (size_t i = 0; st == SC_OK && i < w->axes; i++) {
        w->before[i] = both[i];
        w->after[i] = both[w->axes + i];
    }
    return st;
}

static int64_t effective(const sc_onnx_window *w, size_t i)
{
    return (w->kernel[i] - 1) * w->dilation[i] + 1;
}

/* Put `total` before and behind, the odd one where the rule says. */
static void divide_padding(sc_onnx_window *w, size_t i, int64_t total, bool more_before)
{
    w->before[i] = more_before ? total - total / 2 : total / 2;
    w->after[i] = total - w->before[i];
}

static sc_status check_result(sc_onnx *x, const sc_onnx_node *n, const sc_onnx_window *w, size_t i)
{
    if (w->out[i] >= 1)
        return SC_OK;
    return sc_onnx_fail(x, n,
                        "axis %zu of its result would be %" PRId64 ": an effective kernel of "
                        "%" PRId64 " on %" PRId64 " positions and %" PRId64 " of padding",
                        i, w->out[i], effective(w, i), w->in[i], w->before[i] + w->after[i]);
}

static sc_status slide(sc_onnx *x, const sc_onnx_node *n, sc_onnx_window *w, pad_rule rule,
                       bool pool)
{
    const bool ceiling = pool && sc_onnx_int(n, "ceil_mode", 0) != 0;
    sc_status st = SC_OK;
    for (size_t i = 0; i < w->axes && st == SC_OK; i++) {
        const int64_t reach = effective(w, i), step = w->stride[i];
        if (rule == PAD_SAME_UPPER || rule == PAD_SAME_LOWER) {
            const int64_t steps = (w->in[i] + step - 1) / step;
            const int64_t total = (steps - 1) * step + reach - w->in[i];
            divide_padding(w, i, total > 0 ? total : 0, rule == PAD_SAME_LOWER);
        } else if (rule == PAD_NONE) {
            w->before[i] = w->after[i] = 0;
        }
        const int64_t room = w->in[i] + w->before[i] + w->after[i] - reach;
        w->out[i] = room < 0 ? room / step : room / step + 1; /* none, however far it misses */
        if (ceiling && room > 0 && room % step) {
            const bool in_padding = w->out[i] * step >= w->in[i] + w->before[i];
            if (!in_padding) { /* one more window, which overhangs */
                w->after[i] += step - room % step;
                w->out[i]++;
            }
        }
        if (room < 0 && w->out[i] >= 0)
            w->out[i] = room;
        if (pool && room < 0 && room > -step) { /* runtimes divide towards 0: one that overhangs */
            w->after[i] -= room;
            w->out[i] = 1;
            w->overhangs = true;
        }
        st = check_result(x, n, w, i);
    }
    return st;
}

/* What the transposed window leaves: padding crops, or the stated extent says how much. */
static sc_status slide_back(sc_onnx *x, const sc_onnx_node *n, sc_onnx_window *w, pad_rule rule)
{
    size_t count;
    const int64_t *wanted = sc_onnx_ints(n, "output_shape", &count);
    sc_status st = SC_OK;
    if (wanted && count == w->axes + 2) { /* some files state batch and channels too */
        wanted += 2;
        count -= 2;
    }
    if (wanted && count != w->axes)
        return sc_onnx_fail(x, n, "output_shape has %zu numbers for %zu axes", count, w->axes);
    const bool same = rule == PAD_SAME_UPPER || rule == PAD_SAME_LOWER;
    for (size_t i = 0; i < w->axes && st == SC_OK; i++) {
        const int64_t full = w->stride[i] * (w->in[i] - 1) + effective(w, i) + w->behind[i];
        if (wanted || same) {
            const int64_t target = wanted ? wanted[i] : w->in[i] * w->stride[i];
            if (target < 1 || target > largest)
                return sc_onnx_fail(x, n, "output_shape is %" PRId64, target);
            const int64_t crop = full - target;
            divide_padding(w, i, crop > 0 ? crop : 0, rule != PAD_SAME_UPPER);
            w->behind[i] += crop < 0 ? -crop : 0;
            w->out[i] = target;
        } else {
            if (rule == PAD_NONE)
                w->before[i] = w->after[i] = 0;
            w->out[i] = full - w->before[i] - w->after[i];
        }
        st = check_result(x, n, w, i);
    }
    return st;
}

sc_status sc_onnx_window_of(sc_onnx *x, const sc_onnx_node *n, sc_onnx_window *out,
                            const sc_onnx_value *v, const int64_t *kernel,
                            enum sc_onnx_window_kind kind)
{
    sc_onnx_window w = {.axes = v->rank > 2 ? v->rank - 2U : 0};
    pad_rule rule = PAD_EXPLICIT;
    sc_status st;
    if (w.axes < 1 || w.axes > SC_ONNX_WINDOW_AXES)
        return sc_onnx_fail(x, n, "a window over a tensor of %d dimensions, must be 3 to 5",
                            v->rank);
    for (size_t i = 0; i < w.axes; i++) {
        w.in[i] = v->dim[2 + i];
        if (w.in[i] > largest || (kernel && (kernel[i] < 1 || kernel[i] > largest)))
            return sc_onnx_fail(x, n, "axis %zu or its kernel is out of range", i);
    }
    /* a kernel that the weights have need not be stated, and is theirs where the two differ */
    if (!kernel && (st = read_axes(x, n, w.kernel, w.axes, "kernel_shape", 0, 1)) != SC_OK)
        return st;
    if (kernel)
        memcpy(w.kernel, kernel, w.axes * sizeof *kernel);
    if ((st = read_axes(x, n, w.stride, w.axes, "strides", 1, 1)) != SC_OK ||
        (st = read_axes(x, n, w.dilation, w.axes, "dilations", 1, 1)) != SC_OK ||
        (st = read_axes(x, n, w.behind, w.axes, "output_padding", 0, 0)) != SC_OK ||
        (st = read_rule(x, n, &rule)) != SC_OK ||
        (st = rule == PAD_EXPLICIT ? read_pads(x, n, &w) : SC_OK) != SC_OK)
        return st;
    st = kind == SC_ONNX_SLIDE_BACK ? slide_back(x, n, &w, rule)
                                    : slide(x, n, &w, rule, kind == SC_ONNX_POOL);
    if (st == SC_OK)
        *out = w;
    return st;
}

static bool is_quantised(const sc_onnx_node *n)
{
    return strncmp(n->call->op, "QLinear", 7) == 0;
}

void sc_onnx_operands(const sc_onnx_node *n, sc_onnx_value **a, sc_onnx_value **b,
                      sc_onnx_value **bias)
{
    const bool q = is_quantised(n); /* x, scale, zero, w, scale, zero, scale, zero, bias */
    const bool integer = strcmp(n->call->op, "ConvInteger") == 0;
    *a = sc_onnx_in(n, 0);
    *b = sc_onnx_in(n, q ? 3 : 1);
    *bias = integer ? NULL : sc_onnx_in(n, q ? 8 : 2);
}

static int result_type(const sc_onnx_node *n, const sc_onnx_value *a)
{
    const sc_onnx_value *zero = sc_onnx_in(n, 7);
    if (strcmp(n->call->op, "ConvInteger") == 0)
        return SC_ONNX_INT32;
    return is_quantised(n) && zero ? zero->elem : a->elem;
}

static sc_status set_result(sc_onnx *x, sc_onnx_node *n, int64_t batch, int64_t channels,
                            const sc_onnx_window *w)
{
    int64_t dim[2 + SC_ONNX_WINDOW_AXES] = {batch, channels};
    memcpy(dim + 2, w->out, w->axes * sizeof *dim);
    return sc_onnx_shape(x, n, 0, 2 + w->axes, dim);
}

static sc_status check_weights(sc_onnx *x, const sc_onnx_node *n, const sc_onnx_value *a,
                               const sc_onnx_value *b)
{
    if (!a || !b)
        return sc_onnx_fail(x, n, "its data or weights are missing");
    if (a->rank < 3 || a->rank > 2 + SC_ONNX_WINDOW_AXES || b->rank != a->rank)
        return sc_onnx_fail(x, n,
                            "data of %d and weights of %d dimensions, must be as many, 3 to 5",
                            a->rank, b->rank);
    return SC_OK;
}

/* A bias of another size multiplies nothing: it is told, not refused. */
static void check_bias(sc_onnx *x, const sc_onnx_node *n, const sc_onnx_value *bias,
                       int64_t channels)
{
    char shown[SC_ONNX_SHOWN_LEN];
    if (bias && bias->shaped && sc_onnx_count(bias) != (uint64_t)channels)
        sc_onnx_note(x, "%s: its bias has %" PRIu64 " elements for %" PRId64 " channels",
                     sc_onnx_show(shown, n), sc_onnx_count(bias), channels);
}

sc_status sc_infer__conv1(sc_onnx *x, sc_onnx_node *n)
{
    sc_onnx_value *a, *b, *bias, *out = sc_onnx_out(n, 0);
    const int64_t groups = sc_onnx_int(n, "group", 1);
    sc_onnx_window w;
    sc_onnx_operands(n, &a, &b, &bias);
    sc_status st = check_weights(x, n, a, b);
    if (st != SC_OK || !out ||
        (st = sc_onnx_window_of(x, n, &w, a, &b->dim[2], SC_ONNX_SLIDE)) != SC_OK)
        return st;
    if (groups < 1 || groups > largest || b->dim[1] > largest || a->dim[1] != b->dim[1] * groups)
        return sc_onnx_fail(x, n,
                            "reads %" PRId64 " channels; its weights are for %" PRId64
                            " in each of %" PRId64 " groups",
                            a->dim[1], b->dim[1], groups);
    if (b->dim[0] % groups)
        return sc_onnx_fail(x, n, "%" PRId64 " groups do not divide %" PRId64 " output channels",
                            groups, b->dim[0]);
    check_bias(x, n, bias, b->dim[0]);
    out->elem = result_type(n, a);
    return set_result(x, n, a->dim[0], b->dim[0], &w);
}

sc_status sc_infer__conv_back(sc_onnx *x, sc_onnx_node *n)
{
    sc_onnx_value *a, *b, *bias, *out = sc_onnx_out(n, 0);
    const int64_t groups = sc_onnx_int(n, "group", 1);
    sc_onnx_window w;
    sc_onnx_operands(n, &a, &b, &bias);
    sc_status st = check_weights(x, n, a, b);
    if (st != SC_OK || !out ||
        (st = sc_onnx_window_of(x, n, &w, a, &b->dim[2], SC_ONNX_SLIDE_BACK)) != SC_OK)
        return st;
    if (groups < 1 || groups > largest || b->dim[1] > largest || a->dim[1] != b->dim[0] ||
        b->dim[0] % groups)
        return sc_onnx_fail(x, n,
                            "reads %" PRId64 " channels; its weights are for %" PRId64
                            ", in %" PRId64 " groups",
                            a->dim[1], b->dim[0], groups);
    check_bias(x, n, bias, b->dim[1] * groups);
    out->elem = a->elem;
    return set_result(x, n, a->dim[0], b->dim[1] * groups, &w);
}

sc_status sc_infer__window_pool(sc_onnx *x, sc_onnx_node *n)
{
    char shown[SC_ONNX_SHOWN_LEN];
    sc_onnx_window w;
    sc_status st = sc_infer__want(x, n, 1);
    if (st != SC_OK || (st = sc_onnx_window_of(x, n, &w, n->in[0], NULL, SC_ONNX_POOL)) != SC_OK)
        return st;
    int64_t dim[2 + SC_ONNX_WINDOW_AXES] = {n->in[0]->dim[0], n->in[0]->dim[1]};
    memcpy(dim + 2, w.out, w.axes * sizeof *dim);
    if (w.overhangs)
        sc_onnx_note(x, "%s: its window is larger than its data: taken as one that overhangs them",
                     sc_onnx_show(shown, n));
    for (size_t i = 0; i < n->n_out && i < 2 && st == SC_OK; i++) {
        if (n->out[i])
            n->out[i]->elem = i ? SC_ONNX_INT64 : n->in[0]->elem;
        st = sc_onnx_shape(x, n, i, n->in[0]->rank, dim);
    }
    return st;
}

sc_status sc_infer__global_pool(sc_onnx *x, sc_onnx_node *n)
{
    int64_t dim[SC_ONNX_RANK];
    sc_status st = sc_infer__want(x, n, 1);
    if (st != SC_OK)
        return st;
    if (n->in[0]->rank < 2)
        return sc_onnx_fail(x, n, "a pool over a tensor of %d dimensions", n->in[0]->rank);
    for (size_t i = 0; i < n->in[0]->rank; i++)
        dim[i] = i < 2 ? n->in[0]->dim[i] : 1;
    if (sc_onnx_out(n, 0))
        n->out[0]->elem = n->in[0]->elem;
    return sc_onnx_shape(x, n, 0, n->in[0]->rank, dim);
}
