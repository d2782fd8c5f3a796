/* Ops with a sliding window: convolutions and pools. */
#include <inttypes.h>

#include "workloads/checked.h"
#include "workloads/infer.h"

/** One axis of a window. */
typedef struct axis {
    uint64_t in, kernel, stride, dilation, pad_before, pad_after, out;
} axis;

static const char *const axis_name[SC_AXES] = {"depth", "height", "width"};

static uint64_t or_1(uint64_t v)
{
    return v ? v : 1;
}

/* What the description says of an axis; `out` is still open. */
static axis stated_axis(const sc_infer *job, int a)
{
    const sc_op_spec *s = job->spec;
    const sc_op *op = job->op;
    const uint64_t in[SC_AXES] = {op->d, op->h, op->w};
    const bool pool = op->kind == SC_OP_POOL;
    axis x = {.in = in[a], .kernel = s->global && pool ? in[a] : or_1(s->kernel[a])};
    x.stride = s->stride[a] ? s->stride[a] : pool ? x.kernel : 1;
    x.dilation = or_1(s->dilation[a]);
    if (s->padding == SC_PAD_EXPLICIT) {
        x.pad_before = s->pad[a];
        x.pad_after = s->pad[SC_AXES + a];
    }
    return x;
}

/* Positions from the first to the last tap of the kernel. */
static bool effective_kernel(uint64_t *out, const axis *x)
{
    uint64_t reach = x->kernel - 1;
    *out = 1;
    return sc_count_mul(&reach, x->dilation) && sc_count_add(out, reach);
}

static sc_status too_large(const sc_infer *job, int a)
{
    return sc_fail(SC_ERANGE, "op '%s': the %s passes 2^63 - 1", job->name, axis_name[a]);
}

/* Padding total = what the last window overhangs, its smaller half in front (as in TensorFlow). */
static bool pad_same(axis *x, uint64_t effective)
{
    uint64_t need = (x->in - 1) / x->stride; /* ceil(in / stride) - 1 */
    if (!sc_count_mul(&need, x->stride) || !sc_count_add(&need, effective))
        return false;
    const uint64_t total = need > x->in ? need - x->in : 0;
    x->pad_before = total / 2;
    x->pad_after = total - total / 2;
    return true;
}

static sc_status slide(const sc_infer *job, int a, axis *x)
{
    uint64_t effective, padded = x->in;
    if (!effective_kernel(&effective, x) ||
        (job->spec->padding == SC_PAD_SAME && !pad_same(x, effective)) ||
        !sc_count_add(&padded, x->pad_before) || !sc_count_add(&padded, x->pad_after))
        return too_large(job, a);
    if (effective > padded)
        return sc_fail(SC_EINVAL,
                       "op '%s': effective kernel %" PRIu64 " > %" PRIu64
                       ", the %s of the padded input",
                       job->name, effective, padded, axis_name[a]);
    x->out = (padded - effective) / x->stride + 1;
    return SC_OK;
}

/* The transposed window: (in - 1) * stride + effective kernel, less what padding crops. */
static sc_status slide_back(const sc_infer *job, int a, axis *x)
{
    uint64_t effective, full = x->in - 1, behind = job->spec->output_padding[a];
    if (!effective_kernel(&effective, x))
        return too_large(job, a);
    if (job->spec->padding == SC_PAD_SAME) { /* in * stride positions */
        const uint64_t crop = effective > x->stride ? effective - x->stride : 0;
        behind = effective > x->stride ? 0 : x->stride - effective;
        x->pad_before = crop / 2;
        x->pad_after = crop - crop / 2;
    }
    if (!sc_count_mul(&full, x->stride) || !sc_count_add(&full, effective) ||
        !sc_count_add(&full, behind))
        return too_large(job, a);
    if (x->pad_before >= full || x->pad_after >= full - x->pad_before)
        return sc_fail(SC_EINVAL,
                       "op '%s': padding %" PRIu64 " and %" PRIu64 " crops all of %" PRIu64
                       " positions of %s",
                       job->name, x->pad_before, x->pad_after, full, axis_name[a]);
    x->out = full - x->pad_before - x->pad_after;
    return SC_OK;
}

static void keep_axes(sc_op *op, const axis x[SC_AXES])
{
    op->t = x[SC_DEPTH].kernel;
    op->r = x[SC_HEIGHT].kernel;
    op->s = x[SC_WIDTH].kernel;
    op->stride_d = x[SC_DEPTH].stride;
    op->stride_h = x[SC_HEIGHT].stride;
    op->stride_w = x[SC_WIDTH].stride;
    op->dilation_d = x[SC_DEPTH].dilation;
    op->dilation_h = x[SC_HEIGHT].dilation;
    op->dilation_w = x[SC_WIDTH].dilation;
    op->pad_front = x[SC_DEPTH].pad_before;
    op->pad_top = x[SC_HEIGHT].pad_before;
    op->pad_left = x[SC_WIDTH].pad_before;
    op->pad_back = x[SC_DEPTH].pad_after;
    op->pad_bottom = x[SC_HEIGHT].pad_after;
    op->pad_right = x[SC_WIDTH].pad_after;
}

typedef sc_status (*slide_fn)(const sc_infer *job, int a, axis *x);

/* Work out all three axes and set the op's kernel, stride, padding and result. */
static sc_status infer_window(sc_infer *job, slide_fn move, uint64_t channels)
{
    axis x[SC_AXES];
    for (int a = 0; a < SC_AXES; a++) {
        x[a] = stated_axis(job, a);
        const sc_status st = move(job, a, &x[a]);
        if (st != SC_OK)
            return st;
    }
    keep_axes(job->op, x);
    sc_infer__result(job, channels, x[SC_DEPTH].out, x[SC_HEIGHT].out, x[SC_WIDTH].out);
    return SC_OK;
}

static sc_status check_groups(const sc_infer *job, uint64_t cin, uint64_t cout, uint64_t groups)
{
    if (cout < 1)
        return sc_fail(SC_EINVAL, "op '%s' produces 0 channels", job->name);
    if (cin % groups != 0 || cout % groups != 0)
        return sc_fail(SC_EINVAL,
                       "op '%s': %" PRIu64 " groups do not divide %" PRIu64 " input and %" PRIu64
                       " output channels",
                       job->name, groups, cin, cout);
    return SC_OK;
}

sc_status sc_infer__conv(sc_infer *job)
{
    sc_op *op = job->op;
    const sc_op_spec *s = job->spec;
    const bool depthwise = op->kind == SC_OP_DWCONV;
    const uint64_t cout = depthwise && !s->channels ? op->cin : s->channels;
    sc_status st;
    op->groups = depthwise ? op->cin : or_1(s->groups);
    if ((st = check_groups(job, op->cin, cout, op->groups)) != SC_OK ||
        (st = infer_window(job, slide, cout)) != SC_OK)
        return st;
    op->n = cout / op->groups;
    op->count = op->groups;
    if ((st = sc_infer__product(job, &op->m, "positions", op->batch, op->od, op->oh, op->ow, 1)) !=
            SC_OK ||
        (st = sc_infer__product(job, &op->k, "weights", op->cin / op->groups, op->t, op->r, op->s,
                                1)) != SC_OK)
        return st;
    return sc_infer__parameters(job);
}

sc_status sc_infer__tconv(sc_infer *job)
{
    sc_op *op = job->op;
    const sc_op_spec *s = job->spec;
    sc_status st;
    op->groups = or_1(s->groups);
    if ((st = check_groups(job, op->cin, s->channels, op->groups)) != SC_OK ||
        (st = infer_window(job, slide_back, s->channels)) != SC_OK)
        return st;
    op->k = op->cin / op->groups;
    op->count = op->groups;
    if ((st = sc_infer__product(job, &op->m, "positions", op->batch, op->d, op->h, op->w, 1)) !=
            SC_OK ||
        (st = sc_infer__product(job, &op->n, "weights", s->channels / op->groups, op->t, op->r,
                                op->s, 1)) != SC_OK)
        return st;
    return sc_infer__parameters(job);
}

sc_status sc_infer__pool(sc_infer *job)
{
    sc_op *op = job->op;
    const sc_status st = infer_window(job, slide, op->cin);
    if (st != SC_OK || !job->spec->input_norm)
        return st;
    return sc_infer__product(job, &op->other_params, "parameters", 2, op->cin, 1, 1, 1);
}
