/* Rows of the multiply-accumulate array: convolutions and matrix products. */
#include <inttypes.h>
#include <string.h>

#include "workloads/checked.h"
#include "workloads/onnx_lower.h"

static bool ready(sc_lower *l, const sc_onnx_node *n, const sc_onnx_value *a,
                  const sc_onnx_value *b)
{
    if (a && b && a->shaped && b->shaped && sc_onnx_count(a) && sc_onnx_count(b) &&
        (a->constant || sc_lower_has(a)) && (b->constant || sc_lower_has(b)))
        return true;
    sc_lower_leave(l, n);
    return false;
}

static uint32_t wider(const sc_onnx_value *a, const sc_onnx_value *b)
{
    const uint32_t x = sc_lower_bits(a), y = sc_lower_bits(b);
    return x > y ? x : y;
}

/* The row, and what was folded into it. */
static sc_status add_folded(sc_lower *l, sc_onnx_node *n, sc_op_spec *spec, sc_onnx_value *out,
                            size_t channel_axis)
{
    sc_onnx_value *last = out;
    int32_t row;
    sc_lower_look_ahead(spec, &last, out, channel_axis);
    return sc_lower_row(l, &row, n, "", spec, last);
}

/* ---- convolutions ---- */

/* Extents, kernel and the like on the row's three axes. Samples that a row holds itself stand along
 * the depth, which a kernel of one and two axes leaves free. */
static sc_status place_window(sc_lower *l, sc_op_spec *spec, sc_shape *as, const sc_onnx_value *a,
                              const sc_onnx_window *w, bool *unfolded)
{
    uint64_t samples = (uint64_t)a->dim[0], e[SC_AXES] = {1, 1, 1};
    const sc_status st = sc_lower_divide(l, &samples);
    if (st != SC_OK)
        return st;
    for (size_t i = 0; i < w->axes; i++) {
        const size_t at = w->axes == 1 ? SC_HEIGHT : i + SC_AXES - w->axes;
        e[at] = (uint64_t)w->in[i];
        spec->kernel[at] = (uint64_t)w->kernel[i];
        spec->stride[at] = (uint64_t)w->stride[i];
        spec->dilation[at] = (uint64_t)w->dilation[i];
        spec->pad[at] = (uint64_t)w->before[i];
        spec->pad[SC_AXES + at] = (uint64_t)w->after[i];
        spec->output_padding[at] = (uint64_t)w->behind[i];
    }
    *unfolded = w->axes == SC_AXES && samples > 1;
    if (w->axes < SC_AXES)
        e[SC_DEPTH] = samples;
    *as = (sc_shape){(uint64_t)a->dim[1], e[SC_DEPTH], e[SC_HEIGHT], e[SC_WIDTH]};
    return SC_OK;
}

/* A convolution over three axes of several samples that cannot be told from the rest of the graph:
 * the product of the weights and of the windows, written out. */
static sc_status add_unfolded(sc_lower *l, sc_onnx_node *n, sc_onnx_value *a, sc_op_spec *conv,
                              uint64_t positions)
{
    sc_op_spec spec = {.kind = SC_OP_CONV,
                       .channels = conv->channels,
                       .groups = conv->groups,
                       .bias = conv->bias,
                       .bits = conv->bits,
                       .n_inputs = 1};
    char shown[SC_ONNX_SHOWN_LEN];
    sc_input_ref ref;
    uint64_t channels = (uint64_t)a->dim[1];
    for (int i = 0; i < SC_AXES; i++)
        if (!sc_count_mul(&channels, conv->kernel[i]))
            return sc_fail(SC_ERANGE, "%s: error: %s: its windows pass 2^63 - 1", l->x->file.name,
                           sc_onnx_show(shown, n));
    const sc_status st = sc_lower_read(l, &ref, a, (sc_shape){channels, 1, positions, 1});
    if (st != SC_OK)
        return st;
    spec.inputs = &ref;
    sc_onnx_note(l->x, "%s: several samples over three axes: counted as a product with its windows",
                 sc_onnx_show(shown, n));
    return add_folded(l, n, &spec, n->out[0], 1);
}

static sc_status lower_conv(sc_lower *l, sc_onnx_node *n, bool back)
{
    sc_onnx_value *a, *b, *bias, *out = sc_onnx_out(n, 0);
    const uint64_t groups = (uint64_t)sc_onnx_int(n, "group", 1);
    sc_op_spec spec = {.kind = back ? SC_OP_TCONV : SC_OP_CONV, .n_inputs = 1, .groups = groups};
    sc_onnx_window w;
    sc_input_ref ref;
    sc_shape as;
    bool unfolded;
    sc_onnx_operands(n, &a, &b, &bias);
    if (!out || !ready(l, n, a, b))
        return SC_OK;
    sc_lower_fetch(a);
    sc_status st =
        sc_onnx_window_of(l->x, n, &w, a, &b->dim[2], back ? SC_ONNX_SLIDE_BACK : SC_ONNX_SLIDE);
    if (st != SC_OK || (st = place_window(l, &spec, &as, a, &w, &unfolded)) != SC_OK)
        return st;
    spec.channels = back ? (uint64_t)b->dim[1] * groups : (uint64_t)b->dim[0];
    spec.bias = bias != NULL;
    spec.bits = wider(a, b);
    if (unfolded) {
        const sc_onnx_value *slid = back ? a : out; /* a transposed window stands at each input */
        uint64_t positions = (uint64_t)slid->dim[0];
        if ((st = sc_lower_divide(l, &positions)) != SC_OK)
            return st;
        if (back)
            return sc_fail(SC_EPARSE,
                           "%s: error: a transposed convolution over three axes of several samples",
                           l->x->file.name);
        return add_unfolded(l, n, a, &spec, positions * sc_onnx_span(slid, 2, slid->rank));
    }
    if ((st = sc_lower_read(l, &ref, a, as)) != SC_OK)
        return st;
    spec.inputs = &ref;
    return add_folded(l, n, &spec, out, 1);
}

sc_status sc_lower__conv(sc_lower *l, sc_onnx_node *n)
{
    return lower_conv(l, n, false);
}

sc_status sc_lower__conv_back(sc_lower *l, sc_onnx_node *n)
{
    return lower_conv(l, n, true);
}

/* ---- matrix products ---- */

/** A product with the node it comes from. */
typedef struct product {
    sc_onnx_node *node;
    sc_onnx_value *a, *b, *out;
    sc_onnx_product p;
    bool bias;
    const char *suffix;
} product;

/* One set of weights for all rows: fully connected, or a product a position. */
static sc_status add_dense(sc_lower *l, const product *d)
{
    uint64_t rows = d->p.batch;
    sc_op_spec spec = {.kind = SC_OP_MATMUL,
                       .n_inputs = 1,
                       .channels = d->p.n,
                       .bias = d->bias,
                       .bits = wider(d->a, d->b)};
    sc_input_ref ref;
    sc_status st = SC_OK;
    if (!sc_count_mul(&rows, d->p.m))
        return sc_fail(SC_ERANGE, "%s: error: a product of more than 2^63 - 1 rows",
                       l->x->file.name);
    if ((st = sc_lower_divide(l, &rows)) != SC_OK ||
        (st = sc_lower_read(l, &ref, d->a, (sc_shape){d->p.k, 1, rows, 1})) != SC_OK)
        return st;
    if (rows == 1)
        spec.kind = SC_OP_FC;
    spec.inputs = &ref;
    return add_folded(l, d->node, &spec, d->out, d->out->rank ? d->out->rank - 1U : 0);
}

/* Several sets of weights, each for its own share of the rows: a grouped convolution of one tap. */
static sc_status add_grouped(sc_lower *l, const product *d)
{
    uint64_t positions = d->p.batch / d->p.batch_b, cin = d->p.k, cout = d->p.n;
    sc_op_spec spec = {.kind = SC_OP_CONV, .n_inputs = 1, .groups = d->p.batch_b};
    sc_input_ref ref;
    int32_t row;
    sc_status st = SC_OK;
    if (!sc_count_mul(&positions, d->p.m) || !sc_count_mul(&cin, d->p.batch_b) ||
        !sc_count_mul(&cout, d->p.batch_b))
        return sc_fail(SC_ERANGE, "%s: error: a product of more than 2^63 - 1 rows",
                       l->x->file.name);
    if ((st = sc_lower_divide(l, &positions)) != SC_OK ||
        (st = sc_lower_read(l, &ref, d->a, (sc_shape){cin, 1, positions, 1})) != SC_OK)
        return st;
    spec.inputs = &ref;
    spec.channels = cout;
    spec.bits = wider(d->a, d->b);
    return sc_lower_row(l, &row, d->node, d->suffix, &spec, d->out);
}

static void swap_sides(product *d)
{
    sc_onnx_value *v = d->a;
    sc_onnx_product p = d->p;
    d->a = d->b;
    d->b = v;
    d->p.m = p.n;
    d->p.n = p.m;
    d->p.batch_a = p.batch_b;
    d->p.batch_b = p.batch_a;
}

/* Both operands are computed. Products that share a second operand say so. */
static sc_status add_batched(sc_lower *l, product *d)
{
    sc_op_spec spec = {.kind = SC_OP_BMM, .n_inputs = 2, .transpose = true};
    sc_input_ref refs[2];
    int32_t row;
    if (d->p.batch_a < d->p.batch_b)
        swap_sides(d); /* (A B)' = B' A' */
    if (d->b->repeat > 1 && d->p.batch_b % d->b->repeat == 0)
        d->p.batch_b /= d->b->repeat; /* expanded before: the same elements again */
    uint64_t heads = d->p.batch, shared = d->p.batch_b;
    sc_status st = sc_lower_divide(l, &heads);
    if (st != SC_OK || (st = sc_lower_divide(l, &shared)) != SC_OK)
        return st;
    if (heads % shared)
        shared = heads;
    uint64_t first = heads, second = shared;
    if (!sc_count_mul(&first, d->p.k) || !sc_count_mul(&second, d->p.k))
        return sc_fail(SC_ERANGE, "%s: error: a product of more than 2^63 - 1 elements",
                       l->x->file.name);
    if ((st = sc_lower_read(l, &refs[0], d->a, (sc_shape){first, 1, d->p.m, 1})) != SC_OK ||
        (st = sc_lower_read(l, &refs[1], d->b, (sc_shape){second, 1, d->p.n, 1})) != SC_OK)
        return st;
    spec.inputs = refs;
    spec.heads = heads;
    spec.kv_heads = shared == heads ? 0 : shared;
    spec.bits = wider(d->a, d->b);
    return sc_lower_row(l, &row, d->node, d->suffix, &spec, d->out);
}

static sc_status add_product(sc_lower *l, product *d)
{
    if (!d->out || !ready(l, d->node, d->a, d->b))
        return SC_OK;
    const bool swapped = d->a->constant && !d->b->constant;
    if (swapped)
        swap_sides(d);
    sc_lower_fetch(d->a);
    if (!d->b->constant)
        return add_batched(l, d);
    if (d->p.batch_b == 1 && !swapped)
        return add_dense(l, d);
    if (d->p.batch_b == 1) { /* the result has its channels in front */
        sc_op_spec spec = {
            .kind = SC_OP_MATMUL, .n_inputs = 1, .channels = d->p.n, .bias = d->bias};
        sc_input_ref ref;
        int32_t row;
        uint64_t rows = d->p.batch;
        sc_status st = sc_count_mul(&rows, d->p.m) ? sc_lower_divide(l, &rows) : SC_ERANGE;
        if (st != SC_OK ||
            (st = sc_lower_read(l, &ref, d->a, (sc_shape){d->p.k, 1, rows, 1})) != SC_OK)
            return st;
        spec.inputs = &ref;
        spec.bits = wider(d->a, d->b);
        return sc_lower_row(l, &row, d->node, d->suffix, &spec, d->out);
    }
    return add_grouped(l, d);
}

sc_status sc_lower__product(sc_lower *l, sc_onnx_node *n)
{
    const bool q = strncmp(n->call->op, "QLinear", 7) == 0;
    product d = {.node = n,
                 .a = sc_onnx_in(n, 0),
                 .b = sc_onnx_in(n, q ? 3 : 1),
                 .out = sc_onnx_out(n, 0),
                 .suffix = ""};
    const sc_status st = sc_onnx_product_of(l->x, n, &d.p);
    return st == SC_OK ? add_product(l, &d) : st;
}

sc_status sc_lower__einsum(sc_lower *l, sc_onnx_node *n)
{
    product d = {.node = n,
                 .a = sc_onnx_in(n, 0),
                 .b = sc_onnx_in(n, 1),
                 .out = sc_onnx_out(n, 0),
                 .suffix = ""};
    if (!d.b) /* of one tensor: a permutation or a sum */
        return sc_lower__move(l, n);
    const sc_status st = sc_onnx_einsum_of(l->x, n, &d.p);
    return st == SC_OK ? add_product(l, &d) : st;
}

sc_status sc_lower__packed_product(sc_lower *l, sc_onnx_node *n)
{
    sc_onnx_value *a = sc_onnx_in(n, 0);
    product d = {.node = n, .a = a, .b = sc_onnx_in(n, 1), .out = sc_onnx_out(n, 0), .suffix = ""};
    if (!sc_lower_has(a) || !d.b || !d.out)
        return SC_OK;
    const uint64_t k = (uint64_t)a->dim[a->rank - 1];
    d.p = (sc_onnx_product){.batch = 1,
                            .batch_a = 1,
                            .batch_b = 1,
                            .m = sc_onnx_count(a) / k,
                            .n = (uint64_t)sc_onnx_int(n, "N", 1),
                            .k = k};
    return add_product(l, &d);
}

/* The third operand of a Gemm where it is no bias a column. */
static sc_status add_term(sc_lower *l, sc_onnx_node *n, sc_onnx_value *c)
{
    sc_onnx_value *out = n->out[0];
    sc_op_spec spec = {.kind = SC_OP_ADD, .bits = sc_lower_bits(out)};
    sc_input_ref refs[2];
    sc_shape s, whole;
    int32_t row;
    sc_status st = sc_lower_shape(l, &s, out);
    if (st != SC_OK || (st = sc_lower_read(l, &refs[0], out, s)) != SC_OK)
        return st;
    whole = s;
    spec.n_inputs = 1;
    spec.parameters = c->constant ? sc_onnx_count(c) : 0;
    if (sc_lower_has(c)) {
        if (sc_onnx_count(c) != sc_onnx_count(out)) /* a row, a column or one number */
            whole = c->rank && c->dim[c->rank - 1] == out->dim[1] ? (sc_shape){s.c, 1, 1, 1}
                    : sc_onnx_count(c) == 1                       ? (sc_shape){1, 1, 1, 1}
                                                                  : (sc_shape){1, 1, s.h, 1};
        if ((st = sc_lower_read(l, &refs[1], c, whole)) != SC_OK)
            return st;
        spec.n_inputs = 2;
    }
    spec.inputs = refs;
    return sc_lower_row(l, &row, n, "_c", &spec, out);
}

sc_status sc_lower__gemm(sc_lower *l, sc_onnx_node *n)
{
    const bool q = strcmp(n->call->op, "QGemm") == 0;
    sc_onnx_value *c = sc_onnx_in(n, q ? 6 : 2), *out = sc_onnx_out(n, 0);
    product d = {
        .node = n, .a = sc_onnx_in(n, 0), .b = sc_onnx_in(n, q ? 3 : 1), .out = out, .suffix = ""};
    if (!out || !d.a || !d.b)
        return SC_OK;
    if (out->rank != 2)
        return sc_lower__product(l, n);
    d.p = (sc_onnx_product){.batch = 1,
                            .batch_a = 1,
                            .batch_b = 1,
                            .m = (uint64_t)out->dim[0],
                            .n = (uint64_t)out->dim[1],
                            .k = (uint64_t)d.a->dim[sc_onnx_int(n, "transA", 0) == 0]};
    const uint64_t terms = c && c->shaped ? sc_onnx_count(c) : 0;
    d.bias = terms > 1 && terms == d.p.n && c->constant && d.b->constant;
    const sc_status st = add_product(l, &d);
    if (st != SC_OK || !out->lowered || !out->direct || terms < 1 || d.bias ||
        (terms == 1 && c->constant) || (!c->constant && !sc_lower_has(c)))
        return st;
    return add_term(l, n, c);
}
