/* Rows of the vector unit: elementwise ops, reductions, pools, norms. */
#include <string.h>

#include "workloads/checked.h"
#include "workloads/onnx_lower.h"

enum { MOST_OPERANDS = 64, GROUPS = 4 };

/* One value in, one row of that kind out, as large. */
static sc_status add_like(sc_lower *l, sc_onnx_node *n, sc_onnx_value *in, sc_onnx_value *out,
                          const sc_op_spec *kind)
{
    sc_input_ref ref;
    sc_shape s;
    int32_t row;
    sc_status st = sc_lower_shape(l, &s, in);
    if (st != SC_OK || (st = sc_lower_read(l, &ref, in, s)) != SC_OK)
        return st;
    sc_op_spec spec = *kind;
    spec.n_inputs = 1;
    spec.inputs = &ref;
    spec.bits = sc_lower_bits(in);
    return sc_lower_row(l, &row, n, "", &spec, out);
}

static bool ready(sc_lower *l, const sc_onnx_node *n, const sc_onnx_value *in,
                  const sc_onnx_value *out)
{
    if (sc_lower_has(in) && out && out->shaped)
        return true;
    sc_lower_leave(l, n);
    return false;
}

/* Learned numbers among the inputs: a slope a channel, a table of masks. Single ones are not
 * counted. */
static uint64_t learned(const sc_onnx_node *n, size_t from)
{
    uint64_t sum = 0;
    for (size_t i = from; i < n->n_in; i++) {
        const sc_onnx_value *v = n->in[i];
        const uint64_t count = v && v->constant && v->shaped ? sc_onnx_count(v) : 0;
        if (count > 1 && !sc_count_add(&sum, count))
            return 0;
    }
    return sum;
}

/* Results beside the first (a mask, a scale) come with it. */
static sc_status alias_others(sc_lower *l, const sc_onnx_node *n)
{
    sc_status st = SC_OK;
    for (size_t i = 1; i < n->n_out && st == SC_OK; i++)
        if (n->out[i])
            st = sc_lower_alias(l, n->out[i], n->out[0]);
    return st;
}

/* Let a node be part of the row that made its input. */
static sc_status take_in(sc_lower *l, sc_onnx_value *in, sc_onnx_value *out)
{
    const sc_status st = sc_lower_alias(l, out, in);
    out->direct = true; /* what follows may be taken in too */
    return st;
}

/* Whether a value is the result of a convolution, which takes any activation in. */
static bool is_map(const sc_lower *l, const sc_onnx_value *v)
{
    if (!sc_lower_absorbs(l, v))
        return false;
    const sc_op_kind k = sc_builder_op(l->b, (size_t)v->producer)->kind;
    return k == SC_OP_CONV || k == SC_OP_DWCONV || k == SC_OP_TCONV;
}

sc_status sc_lower__activation(sc_lower *l, sc_onnx_node *n)
{
    sc_onnx_value *in = sc_onnx_in(n, 0), *out = sc_onnx_out(n, 0);
    sc_op_spec spec = {.kind = SC_OP_ACTIVATION, .function = n->op->function};
    if (!ready(l, n, in, out))
        return SC_OK;
    if (n->n_out == 1 && is_map(l, in))
        return take_in(l, in, out);
    spec.parameters = strcmp(n->call->op, "PRelu") == 0 ? learned(n, 1) : 0;
    const sc_status st = add_like(l, n, in, out, &spec);
    return st == SC_OK ? alias_others(l, n) : st;
}

sc_status sc_lower__simple(sc_lower *l, sc_onnx_node *n)
{
    sc_onnx_value *in = sc_onnx_in(n, 0), *out = sc_onnx_out(n, 0);
    if (!ready(l, n, in, out))
        return SC_OK;
    if (!sc_lower_absorbs(l, in) || n->n_out != 1)
        return sc_lower__activation(l, n);
    return take_in(l, in, out);
}

sc_status sc_lower__softmax(sc_lower *l, sc_onnx_node *n)
{
    sc_onnx_value *in = sc_onnx_in(n, 0), *out = sc_onnx_out(n, 0);
    sc_op_spec spec = {.kind = SC_OP_SOFTMAX};
    return ready(l, n, in, out) ? add_like(l, n, in, out, &spec) : SC_OK;
}

/* ---- two and more operands ---- */

typedef struct operands {
    size_t n;
    sc_onnx_value *v[MOST_OPERANDS];
} operands;

/* Axis i of the result in an operand, a sample at a time; 1 where it is repeated. */
static uint64_t extent_of(const sc_lower *l, const sc_onnx_value *v, const sc_onnx_value *out,
                          size_t i)
{
    const size_t skipped = (size_t)(out->rank - v->rank);
    const uint64_t d = i < skipped ? 1 : (uint64_t)v->dim[i - skipped];
    return i == 0 && d > 1 ? d / l->batch : d;
}

/* Whether the operands repeat along the same axes at i and at k. */
static bool same_pattern(const sc_lower *l, const operands *o, const sc_onnx_value *out, size_t i,
                         size_t k)
{
    for (size_t m = 0; m < o->n; m++)
        if ((extent_of(l, o->v[m], out, i) > 1) != (extent_of(l, o->v[m], out, k) > 1))
            return false;
    return true;
}

/* Neighbouring axes that every operand has, or repeats along, together are one extent. @return how
 * many extents are left; group[i] of each axis. */
static size_t group_axes(const sc_lower *l, const operands *o, const sc_onnx_value *out,
                         size_t group[SC_ONNX_RANK])
{
    size_t n = 0, latest = SC_ONNX_RANK;
    for (size_t i = 0; i < out->rank; i++) {
        if (extent_of(l, out, out, i) > 1) {
            n += latest == SC_ONNX_RANK || !same_pattern(l, o, out, latest, i);
            latest = i;
        }
        group[i] = n ? n - 1 : 0;
    }
    return n;
}

static sc_shape grouped_shape(const sc_lower *l, const sc_onnx_value *v, const sc_onnx_value *out,
                              const size_t group[SC_ONNX_RANK], size_t n)
{
    uint64_t e[GROUPS] = {1, 1, 1, 1};
    for (size_t i = 0; i < out->rank; i++)
        e[group[i]] *= extent_of(l, v, out, i);
    if (n == 2 && out->rank < 4) /* positions, then channels */
        return (sc_shape){e[1], 1, e[0], 1};
    return n == 2   ? (sc_shape){e[0], 1, e[1], 1}
           : n == 3 ? (sc_shape){e[0], 1, e[1], e[2]}
                    : (sc_shape){e[0], e[1], e[2], e[3]};
}

/* The largest operand first: the row's shape is its shape. */
static void order(operands *o)
{
    size_t best = 0;
    for (size_t i = 1; i < o->n; i++)
        if (sc_onnx_count(o->v[i]) > sc_onnx_count(o->v[best]))
            best = i;
    sc_onnx_value *first = o->v[best];
    memmove(&o->v[1], &o->v[0], best * sizeof *o->v);
    o->v[0] = first;
}

/* How each operand is read, so that it repeats over whole extents of the first. */
static sc_status read_all(sc_lower *l, sc_input_ref *refs, const operands *o,
                          const sc_onnx_value *out)
{
    size_t group[SC_ONNX_RANK];
    sc_shape whole;
    sc_status st = sc_lower_shape(l, &whole, out);
    if (st != SC_OK)
        return st;
    const size_t n = group_axes(l, o, out, group);
    const bool split = out->rank && (uint64_t)out->dim[0] % l->batch == 0;
    const bool by_groups = n >= 2 && n <= GROUPS && split;
    for (size_t i = 0; i < o->n && st == SC_OK; i++) {
        const bool full = i == 0 || sc_onnx_count(o->v[i]) == sc_onnx_count(out);
        sc_shape s = whole;
        if (by_groups)
            s = grouped_shape(l, full ? out : o->v[i], out, group, n);
        else if (!full && sc_onnx_count(o->v[i]) == 1)
            s = (sc_shape){1, 1, 1, 1};
        st = sc_lower_read(l, &refs[i], o->v[i], s);
    }
    return st;
}

static sc_status lower_many(sc_lower *l, sc_onnx_node *n, sc_op_kind kind)
{
    sc_onnx_value *out = sc_onnx_out(n, 0);
    sc_input_ref refs[MOST_OPERANDS];
    operands o = {.n = 0};
    sc_op_spec spec = {.kind = kind, .inputs = refs, .parameters = learned(n, 0)};
    int32_t row;
    for (size_t i = 0; i < n->n_in && o.n < MOST_OPERANDS; i++)
        if (sc_lower_has(n->in[i]))
            o.v[o.n++] = n->in[i];
    if (!o.n || !out || !out->shaped) {
        sc_lower_leave(l, n);
        return SC_OK;
    }
    order(&o);
    const bool grows = sc_onnx_count(o.v[0]) != sc_onnx_count(out);
    if (o.n == 1 && !spec.parameters && !grows && sc_lower_absorbs(l, o.v[0]))
        return take_in(l, o.v[0], out); /* a number is the same everywhere */
    if (o.n == 1 && !spec.parameters) {
        spec.kind = SC_OP_ACTIVATION;
        spec.function = "unary";
    }
    const sc_status st = read_all(l, refs, &o, out);
    if (st != SC_OK)
        return st;
    spec.n_inputs = o.n;
    spec.bits = sc_lower_bits(o.v[0]);
    return sc_lower_row(l, &row, n, "", &spec, out);
}

sc_status sc_lower__add(sc_lower *l, sc_onnx_node *n)
{
    return lower_many(l, n, SC_OP_ADD);
}

sc_status sc_lower__mul(sc_lower *l, sc_onnx_node *n)
{
    return lower_many(l, n, SC_OP_MUL);
}

/* ---- reductions and pools ---- */

sc_status sc_lower__reduce(sc_lower *l, sc_onnx_node *n)
{
    sc_onnx_value *in = sc_onnx_in(n, 0), *out = sc_onnx_out(n, 0);
    const bool extreme = strstr(n->call->op, "Max") || strstr(n->call->op, "Min");
    sc_op_spec spec = {
        .kind = SC_OP_POOL, .n_inputs = 1, .global = true, .function = extreme ? "max" : "avg"};
    sc_input_ref ref;
    int32_t row;
    if (!ready(l, n, in, out) || !sc_onnx_count(out))
        return SC_OK;
    uint64_t kept = sc_onnx_count(out);
    const uint64_t reduced = sc_onnx_count(in) / kept;
    if (reduced <= 1)
        return sc_lower__view(l, n);
    sc_status st = sc_lower_divide(l, &kept);
    if (st != SC_OK || (st = sc_lower_read(l, &ref, in, (sc_shape){kept, 1, reduced, 1})) != SC_OK)
        return st;
    spec.inputs = &ref;
    spec.bits = sc_lower_bits(in);
    return sc_lower_row(l, &row, n, "", &spec, out);
}

static const char *pool_function(const sc_onnx_node *n)
{
    return strstr(n->call->op, "Max") ? "max" : "avg";
}

/* Channels of all samples of a row, and extents of the map behind them. */
static sc_status map_of(sc_lower *l, sc_shape *out, const sc_onnx_value *v)
{
    uint64_t channels = sc_onnx_span(v, 0, 2), e[SC_ONNX_WINDOW_AXES] = {1, 1, 1};
    const size_t axes = v->rank > 2 ? v->rank - 2U : 0;
    const sc_status st = sc_lower_divide(l, &channels);
    if (axes == 1)
        e[1] = (uint64_t)v->dim[2]; /* a sequence lies along the height */
    for (size_t i = 0; axes > 1 && axes <= SC_ONNX_WINDOW_AXES && i < axes; i++)
        e[i + SC_ONNX_WINDOW_AXES - axes] = (uint64_t)v->dim[2 + i];
    *out = (sc_shape){channels, e[0], e[1], e[2]};
    return st;
}

sc_status sc_lower__pool(sc_lower *l, sc_onnx_node *n)
{
    sc_onnx_value *in = sc_onnx_in(n, 0), *out = sc_onnx_out(n, 0);
    sc_onnx_window w;
    sc_shape map;
    sc_input_ref ref;
    int32_t row;
    if (!ready(l, n, in, out))
        return SC_OK;
    sc_status st = sc_onnx_window_of(l->x, n, &w, in, NULL, SC_ONNX_POOL);
    if (st != SC_OK || (st = map_of(l, &map, in)) != SC_OK ||
        (st = sc_lower_read(l, &ref, in, map)) != SC_OK)
        return st;
    sc_op_spec spec = {.kind = SC_OP_POOL,
                       .n_inputs = 1,
                       .inputs = &ref,
                       .function = pool_function(n),
                       .bits = sc_lower_bits(in),
                       .kernel = {1, 1, 1},
                       .stride = {1, 1, 1}};
    for (size_t i = 0; i < w.axes; i++) {
        const size_t a = w.axes == 1 ? SC_HEIGHT : i + SC_AXES - w.axes;
        spec.kernel[a] = (uint64_t)w.kernel[i];
        spec.stride[a] = (uint64_t)w.stride[i];
        spec.dilation[a] = (uint64_t)w.dilation[i];
        spec.pad[a] = (uint64_t)w.before[i];
        spec.pad[SC_AXES + a] = (uint64_t)w.after[i];
    }
    st = sc_lower_row(l, &row, n, "", &spec, out);
    return st == SC_OK ? alias_others(l, n) : st;
}

sc_status sc_lower__global_pool(sc_lower *l, sc_onnx_node *n)
{
    sc_onnx_value *in = sc_onnx_in(n, 0), *out = sc_onnx_out(n, 0);
    sc_shape map;
    sc_input_ref ref;
    int32_t row;
    if (!ready(l, n, in, out))
        return SC_OK;
    if (in->rank > 5)
        return sc_lower__reduce(l, n);
    sc_status st = map_of(l, &map, in);
    if (st != SC_OK || (st = sc_lower_read(l, &ref, in, map)) != SC_OK)
        return st;
    sc_op_spec spec = {.kind = SC_OP_POOL,
                       .n_inputs = 1,
                       .inputs = &ref,
                       .global = true,
                       .function = pool_function(n),
                       .bits = sc_lower_bits(in)};
    return sc_lower_row(l, &row, n, "", &spec, out);
}

/* ---- norms ---- */

/* Vectors along the channels that a norm reads: [channels][positions]. A second operand is added.
 */
static sc_status add_norm(sc_lower *l, sc_onnx_node *n, sc_op_kind kind, uint64_t channels,
                          sc_onnx_value *in, sc_onnx_value *added)
{
    sc_onnx_value *out = sc_onnx_out(n, 0);
    uint64_t positions = channels ? sc_onnx_count(in) / channels : 0;
    sc_op_spec spec = {.kind = kind, .n_inputs = 1, .bits = sc_lower_bits(in)};
    sc_input_ref refs[2];
    int32_t row;
    sc_status st = sc_lower_divide(l, &positions);
    const sc_shape s = {channels, 1, positions, 1};
    if (st != SC_OK || (st = sc_lower_read(l, &refs[0], in, s)) != SC_OK)
        return st;
    if (sc_lower_has(added) && sc_onnx_count(added) == sc_onnx_count(in)) {
        spec.n_inputs = 2;
        if ((st = sc_lower_read(l, &refs[1], added, s)) != SC_OK)
            return st;
    }
    spec.inputs = refs;
    st = sc_lower_row(l, &row, n, "", &spec, out);
    return st == SC_OK ? alias_others(l, n) : st;
}

/* Over the last axes. */
sc_status sc_lower__layer_norm(sc_lower *l, sc_onnx_node *n)
{
    sc_onnx_value *in = sc_onnx_in(n, 0);
    const char *op = n->call->op;
    const bool rms = strstr(op, "RMS") || strstr(op, "Simplified");
    int64_t axis = sc_onnx_int(n, "axis", -1);
    if (!ready(l, n, in, sc_onnx_out(n, 0)) || !in->rank)
        return SC_OK;
    axis += axis < 0 ? in->rank : 0;
    const size_t from = axis >= 0 && axis < in->rank ? (size_t)axis : in->rank - 1U;
    return add_norm(l, n, rms ? SC_OP_RMSNORM : SC_OP_LAYERNORM, sc_onnx_span(in, from, in->rank),
                    in, strncmp(op, "Skip", 4) == 0 ? sc_onnx_in(n, 1) : NULL);
}

/* With a scale and a shift a channel. */
sc_status sc_lower__channel_norm(sc_lower *l, sc_onnx_node *n)
{
    sc_onnx_value *in = sc_onnx_in(n, 0);
    const bool batch = strcmp(n->call->op, "BatchNormalization") == 0;
    if (!ready(l, n, in, sc_onnx_out(n, 0)))
        return SC_OK;
    return add_norm(l, n, batch ? SC_OP_BATCHNORM : SC_OP_LAYERNORM,
                    in->rank > 1 ? (uint64_t)in->dim[1] : 1, in, NULL);
}
