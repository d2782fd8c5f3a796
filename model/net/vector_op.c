#include <math.h>
#include <string.h>

#include "model/mapper/array.h"
#include "model/net/op_cost.h"

/* Lane operations and special functions (exp, division, square root) per element; an addition, a
 * comparison or a multiply-add is one operation. */
typedef struct work {
    double ops, special;
    bool per_input; /* elements counted: the input's, else the output's */
} work;

static work work_of(const sc_op *op)
{
    const char *f = op->function;
    switch (op->kind) {
    case SC_OP_ADD:
    case SC_OP_MUL: return (work){op->n_inputs > 2 ? (double)op->n_inputs - 1.0 : 1.0, 0.0, false};
    case SC_OP_POOL: return (work){1.0, 0.0, true};
    /* running maximum, subtraction, sum, scaling; one exp; the division is once a row */
    case SC_OP_SOFTMAX: return (work){4.0, 1.0, false};
    /* mean, centred square sum, scale, shift; the root is once a row */
    case SC_OP_LAYERNORM: return (work){5.0, 0.0, false};
    case SC_OP_RMSNORM: return (work){3.0, 0.0, false};
    case SC_OP_BATCHNORM: return (work){1.0, 0.0, false};
    case SC_OP_ACTIVATION:
        if (strcmp(f, "relu") == 0 || strcmp(f, "relu6") == 0 || strcmp(f, "hardswish") == 0)
            return (work){2.0, 0.0, false};
        return (work){4.0, 1.0, false};      /* gelu, silu, sigmoid, tanh: polynomial and one exp */
    default: return (work){0.0, 0.0, false}; /* gathers and movement only touch memory */
    }
}

/* Bytes through one level in each direction: the op streams its operands in and its result out once
 * through every level it passes. */
static void stream(sc_op_cost *out, const sc_arch *a, int level, const double bytes[3])
{
    const sc_level *l = &a->level[level];
    const double block_bytes = l->block_bits > 0 ? l->block_bits / 8.0 : 1.0;
    const bool outer = level == 0;
    const double in_pj = outer ? l->read_pj : l->read_pj + l->write_pj;
    const double out_pj = outer ? l->update_pj : l->read_pj + l->update_pj;
    for (int t = 0; t < 3; t++)
        out->tensor_pj[level][t] = ceil(bytes[t] / block_bytes) * (t == 2 ? out_pj : in_pj);
    out->level_bytes[level] = (outer ? 1.0 : 2.0) * (bytes[0] + bytes[1] + bytes[2]);
    for (int t = 0; t < 3; t++)
        out->energy_pj += out->tensor_pj[level][t];
}

static double level_cycles(const sc_level *l, double in_bytes, double out_bytes)
{
    const double units = (double)l->instances;
    double cycles = 0.0;
    if (l->read_bw > 0.0)
        cycles = fmax(cycles, in_bytes / (l->read_bw * units));
    if (l->write_bw > 0.0)
        cycles = fmax(cycles, out_bytes / (l->write_bw * units));
    if (l->shared_bw > 0.0)
        cycles = fmax(cycles, (in_bytes + out_bytes) / (l->shared_bw * units));
    return cycles;
}

void sc_vector_cost_of(sc_op_cost *out, const sc_op *op, const sc_arch *a)
{
    const work w = work_of(op);
    const double elements = (double)(w.per_input ? op->in_elems : op->out_elems);
    const double element_bytes = sc_op_bits_on(op, a) / 8.0;
    const bool gather = op->kind == SC_OP_EMBED; /* reads the rows it needs, not the whole table */
    const double bytes[3] = {(double)(gather ? op->out_elems : op->in_elems) * element_bytes,
                             gather ? 0.0 : (double)op->other_params * element_bytes,
                             (double)op->out_elems * element_bytes};
    const int inner = sc_inner_buffer(a);

    memset(out, 0, sizeof *out);
    if (a->vector.lanes == 0 && w.ops > 0.0) {
        out->misfit = (sc_misfit){SC_MISFIT_KEEP, -1, -1, 1, 0};
        return;
    }
    if (w.ops > 0.0)
        out->compute_cycles = ceil(elements * (w.ops + w.special) / (double)a->vector.lanes);
    out->compute_pj = elements * (w.ops * a->vector.op_pj + w.special * a->vector.special_pj);
    out->energy_pj = out->compute_pj;
    out->cycles = out->compute_cycles;
    out->bound = SC_BOUND_VECTOR;
    for (int level = 0; level <= inner; level++) {
        if (level > 0 && level < inner)
            continue; /* streamed past: nothing is reused there */
        stream(out, a, level, bytes);
        const double cycles = ceil(level_cycles(&a->level[level], bytes[0] + bytes[1], bytes[2]));
        if (cycles > out->cycles) {
            out->cycles = cycles;
            out->bound = level;
        }
    }
    out->lower_bound_cycles = out->cycles;
}
