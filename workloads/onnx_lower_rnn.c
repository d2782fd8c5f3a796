/* LSTM, GRU and RNN: for each direction the half that reads the sequence, the half that reads the
 * state step by step, and the gates; as in the generators of recurrent networks. */
#include <string.h>

#include "workloads/checked.h"
#include "workloads/onnx_lower.h"

typedef struct layer {
    sc_lower *l;
    sc_onnx_node *node;
    sc_onnx_value *in;
    uint64_t features, hidden, steps, gates; /* steps: of all samples that a row holds itself */
    bool bias;
    uint64_t peepholes; /* elements of one direction */
    uint32_t bits;
} layer;

static sc_status add_input_half(const layer *y, int32_t *row, const char *suffix)
{
    sc_input_ref ref;
    const sc_shape as = {y->features, 1, y->steps, 1};
    const sc_status st = sc_lower_read(y->l, &ref, y->in, as);
    sc_op_spec spec = {.kind = SC_OP_MATMUL,
                       .n_inputs = 1,
                       .inputs = &ref,
                       .channels = y->gates * y->hidden,
                       .bias = y->bias,
                       .bits = y->bits};
    return st == SC_OK ? sc_lower_row(y->l, row, y->node, suffix, &spec, NULL) : st;
}

static sc_status add_state_half(const layer *y, int32_t *row, const char *suffix)
{
    const sc_input_ref ref = {.producer = *row};
    sc_op_spec spec = {.kind = SC_OP_MATMUL,
                       .n_inputs = 1,
                       .inputs = &ref,
                       .channels = y->gates * y->hidden,
                       .recurrent = y->hidden,
                       .bias = y->bias,
                       .bits = y->bits};
    return sc_lower_row(y->l, row, y->node, suffix, &spec, NULL);
}

static sc_status add_gates(const layer *y, int32_t *row, const char *suffix)
{
    const sc_input_ref whole = {.producer = *row};
    sc_op_spec spec = {.kind = SC_OP_ACTIVATION,
                       .function = y->gates == 4   ? "lstm_cell"
                                   : y->gates == 3 ? "gru_cell"
                                                   : "tanh",
                       .n_inputs = 1,
                       .inputs = &whole,
                       .parameters = y->peepholes,
                       .bits = y->bits};
    return sc_lower_row(y->l, row, y->node, suffix, &spec, NULL);
}

static sc_status add_direction(const layer *y, int32_t *row, bool backward)
{
    sc_status st = add_input_half(y, row, backward ? "_bw_x" : "_x");
    if (st == SC_OK)
        st = add_state_half(y, row, backward ? "_bw_h" : "_h");
    return st == SC_OK ? add_gates(y, row, backward ? "_bw_cell" : "_cell") : st;
}

static sc_status join(const layer *y, int32_t *row, int32_t other)
{
    const sc_input_ref both[2] = {{.producer = other}, {.producer = *row}};
    sc_op_spec spec = {.kind = SC_OP_CONCAT, .n_inputs = 2, .inputs = both, .bits = y->bits};
    return sc_lower_row(y->l, row, y->node, "_cat", &spec, NULL);
}

sc_status sc_lower__recurrent(sc_lower *l, sc_onnx_node *n)
{
    sc_onnx_value *in = sc_onnx_in(n, 0);
    const sc_onnx_value *w = sc_onnx_in(n, 1), *r = sc_onnx_in(n, 2), *holes = sc_onnx_in(n, 7);
    sc_onnx_layer shape;
    sc_lower_fetch(in);
    if (!sc_lower_has(in) || !sc_onnx_count(w) || !sc_onnx_count(r) ||
        !sc_onnx_layer_of(n, &shape)) {
        sc_lower_leave(l, n);
        return SC_OK;
    }
    const bool lstm = shape.gates == 4;
    layer y = {.l = l,
               .node = n,
               .in = in,
               .features = (uint64_t)shape.features,
               .hidden = (uint64_t)shape.hidden,
               .steps = (uint64_t)in->dim[0] * (uint64_t)in->dim[1],
               .gates = (uint64_t)shape.gates,
               .bias = sc_onnx_in(n, 3) != NULL,
               .peepholes = lstm && holes && holes->constant && holes->shaped
                                ? sc_onnx_count(holes) / (uint64_t)shape.ways
                                : 0,
               .bits = sc_lower_bits(in)};
    int32_t row = 0, forward = 0;
    const int64_t samples = in->dim[sc_onnx_int(n, "layout", 0) ? 0 : 1];
    l->unfit = l->batch > 1 && (uint64_t)samples != l->batch; /* steps must not pass for samples */
    sc_status st = l->unfit ? SC_EINVAL : sc_lower_divide(l, &y.steps);
    if (st != SC_OK || (st = add_direction(&y, &row, false)) != SC_OK)
        return st;
    forward = row;
    if (shape.ways == 2 &&
        ((st = add_direction(&y, &row, true)) != SC_OK || (st = join(&y, &row, forward)) != SC_OK))
        return st;
    for (size_t i = 0; i < n->n_out; i++)
        if (n->out[i]) {
            n->out[i]->producer = row;
            n->out[i]->lowered = true;
        }
    return SC_OK;
}
