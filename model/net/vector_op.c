#include <math.h>
#include <string.h>

#include "model/mapper/array.h"
#include "model/net/op_cost.h"

/* One way to run an op on the lanes. An addition, a comparison or a multiply-add is one operation;
 * an exp, division or square root one special function. Passes beyond the first read are over a row
 * that may stay in a buffer. */
typedef struct work {
    double ops, special;            /* of the whole op */
    double reads, writes;           /* elements to and from the lanes, parameters left out */
    double again_reads, sent_twice; /* of them, those of passes after the first */
    double row;                     /* elements that a later pass needs once more; 0 = one pass */
} work;

/* Of one element of an activation. */
static work activation(const char *f)
{
    static const char *const simple[] = {"relu", "relu6", "hswish", "hsigmoid"};
    for (size_t i = 0; i < sizeof simple / sizeof *simple; i++)
        if (strcmp(f, simple[i]) == 0)
            return (work){.ops = 2.0};
    if (strcmp(f, "unary") == 0)
        return (work){.ops = 1.0};
    if (strcmp(f, "exp") == 0)
        return (work){.special = 1.0};
    if (strcmp(f, "lstm_cell") == 0) /* 3 sigmoids, 2 tanh; f * c + i * g, o * tanh(c) */
        return (work){.ops = 5 * 4.0 + 3.0, .special = 5.0};
    if (strcmp(f, "gru_cell") == 0) /* 2 sigmoids, 1 tanh; r * h, (1 - z) * n + z * h */
        return (work){.ops = 3 * 4.0 + 4.0, .special = 3.0};
    return (work){.ops = 4.0,
                  .special = 1.0}; /* gelu, silu, sigmoid, tanh: polynomial and one exp */
}

/* Elements over which a softmax or a norm runs: the last extent of scores, the channels of a
 * sequence. */
static double row_of(const sc_op *op)
{
    if (op->kind == SC_OP_SOFTMAX && op->ow > 1)
        return (double)op->ow;
    return (double)op->cout;
}

static double operands_of(const sc_op *op)
{
    const size_t n = op->n_operands > op->n_inputs ? op->n_operands : op->n_inputs;
    return n > 0 ? (double)n : 1.0;
}

/* Operations of one result element of elementwise ops, of pools a window's. */
static work per_element(const sc_op *op)
{
    const double extra = operands_of(op) - 1.0; /* norms of transformers add their operands first */
    switch (op->kind) {
    case SC_OP_ADD:
    case SC_OP_MUL: return (work){.ops = extra > 1.0 ? extra : 1.0};
    case SC_OP_POOL: return (work){.ops = (double)op->t * (double)op->r * (double)op->s};
    case SC_OP_RESIZE: return (work){.ops = strcmp(op->function, "bilinear") == 0 ? 3.0 : 0.0};
    case SC_OP_LAYERNORM:
        return (work){.ops = extra + 5.0}; /* sum, square sum, centre, scale, shift */
    case SC_OP_RMSNORM: return (work){.ops = extra + 3.0}; /* square sum, two scales */
    case SC_OP_BATCHNORM: return (work){.ops = extra + 1.0};
    case SC_OP_ACTIVATION: return activation(op->function);
    default: return (work){.ops = 0.0}; /* gathers and movement only touch memory */
    }
}

/* Everything but softmax: one way. */
static work work_of(const sc_op *op)
{
    const double out = (double)op->out_elems, in = (double)op->in_elems;
    work w = per_element(op);
    const bool twice = op->kind == SC_OP_LAYERNORM || op->kind == SC_OP_RMSNORM;
    w.ops *= out;
    w.special *= out;
    w.reads = in;
    if (op->kind == SC_OP_POOL) /* windows that overlap read an element again */
        w.reads = fmax(in, out * (double)op->t * (double)op->r * (double)op->s);
    if (op->kind == SC_OP_ADD || op->kind == SC_OP_MUL) /* and so do operands that repeat */
        w.reads = fmax(in, out * operands_of(op));
    w.writes = out;
    if (twice) { /* statistics of a row, then the row again; its root and division */
        w.row = row_of(op);
        w.reads = in + out;
        w.again_reads = out;
        w.special = out / w.row;
    }
    return w;
}

/* Three passes over a row: its maximum; exp(x - maximum), kept, and their sum; the scaling. Five
 * accesses and one exp an element. */
static work softmax_three_pass(const sc_op *op)
{
    const double n = (double)op->out_elems, row = row_of(op);
    return (work){.ops = 4.0 * n,
                  .special = n + n / row,
                  .reads = 3.0 * n,
                  .writes = 2.0 * n,
                  .again_reads = 2.0 * n,
                  .sent_twice = n,
                  .row = row};
}

/* Two passes: maximum and sum together, the sum rescaled as the maximum grows (two exp); then
 * exp(x - maximum) / sum. Three accesses and three exp. Milakov, Gimelshein, arXiv:1805.02867. */
static work softmax_two_pass(const sc_op *op)
{
    const double n = (double)op->out_elems, row = row_of(op);
    return (work){.ops = 5.0 * n,
                  .special = 3.0 * n + n / row,
                  .reads = 2.0 * n,
                  .writes = n,
                  .again_reads = n,
                  .row = row};
}

/* Innermost level that can hold the rows that the lanes run at once in a buffer a role or a shared
 * one; 0 if only the outermost does. */
static int home_of(const sc_op *op, const sc_arch *a, double row)
{
    const double row_bytes = row * sc_op_bits_on(op, a) / 8.0;
    int level = sc_inner_buffer(a);
    for (; level > 0; level--) {
        const sc_level *l = &a->level[level];
        if (!(l->may_keep & 1u << SC_ROLE_INPUT))
            continue;
        if (!l->bounded || row_bytes <= (double)sc_level_room(l, SC_ROLE_INPUT))
            break;
    }
    return level;
}

/* Bytes one level reads and writes, all instances together. */
typedef struct moved {
    double read[3], written[3]; /* input, parameters, output */
} moved;

static void charge(sc_op_cost *out, const sc_arch *a, int level, const moved *m)
{
    const sc_level *l = &a->level[level];
    const double block_bytes = l->block_bits > 0 ? l->block_bits / 8.0 : 1.0;
    for (int t = 0; t < 3; t++) {
        const double in_pj = t == 2 ? l->update_pj : l->write_pj;
        out->tensor_pj[level][t] =
            ceil(m->read[t] / block_bytes) * l->read_pj + ceil(m->written[t] / block_bytes) * in_pj;
        out->energy_pj += out->tensor_pj[level][t];
        out->level_bytes[level] += m->read[t] + m->written[t];
    }
}

/* What fusion sees of it. Rows are kept at their home. */
static void note_traffic(sc_op_traffic *out, const sc_arch *a, int level, const moved *m)
{
    for (int t = 0; level < 2 && t < SC_SLOTS; t++) {
        out->read[level][t] = m->read[t];
        out->written[level][t] = m->written[t];
        if (level == 1 && t != 2)
            out->filled[t] = m->written[t];
        if (level == 1 && sc_inner_buffer(a) == 1)
            out->through |= (uint8_t)(1u << t);
    }
}

static double level_cycles(const sc_level *l, const moved *m)
{
    const double units = (double)l->instances;
    const double read = m->read[0] + m->read[1] + m->read[2];
    const double written = m->written[0] + m->written[1] + m->written[2];
    double cycles = 0.0;
    if (l->read_bw > 0.0)
        cycles = fmax(cycles, read / (l->read_bw * units));
    if (l->write_bw > 0.0)
        cycles = fmax(cycles, written / (l->write_bw * units));
    if (l->shared_bw > 0.0)
        cycles = fmax(cycles, (read + written) / (l->shared_bw * units));
    return ceil(cycles);
}

/* Elements of a result that the array hands to the lanes on its way out. It has been charged for
 * writing as many. */
static double passed(const sc_op *op, const sc_arch *a)
{
    return a->vector.in_line ? (double)op->passed_elems : 0.0;
}

/* What of n elements is left to move when so many were passed. */
static double beyond(double n, double passed)
{
    return fmax(0.0, n - passed);
}

/* What each level moves. Operands come from the outermost level once and results go there once;
 * later passes turn back at the row's home. Whatever comes from further out than the innermost
 * buffer is written there before the lanes read it. An operand that is passed in line is not read,
 * and the result goes where the array's would have gone. */
static moved moved_at(const sc_op *op, const sc_arch *a, const work *w, int level, int home)
{
    const double bytes = sc_op_bits_on(op, a) / 8.0, p = passed(op, a);
    const double params = op->kind == SC_OP_EMBED ? 0.0 : (double)op->other_params * bytes;
    const double in = beyond((double)op->in_elems, p) * bytes;
    const double out = beyond((double)op->out_elems, p) * bytes;
    const double reads = beyond(w->reads, p) * bytes, writes = beyond(w->writes, p) * bytes;
    const double again = w->again_reads * bytes, twice = w->sent_twice * bytes;
    const int inner = sc_inner_buffer(a);
    moved m = {{0.0}, {0.0}};
    if (level == 0) {
        const double *by = a->level[0].compression;
        m = (moved){{in / fmax(1.0, by[SC_ROLE_INPUT]), params, 0.0},
                    {0.0, 0.0, out / fmax(1.0, by[SC_ROLE_OUTPUT])}};
        if (home == 0 && inner > 0) {
            m.read[0] += again;
            m.written[2] += twice;
        }
    } else if (level == inner) {
        const double fresh = home < level ? again : 0.0, gone = home < level ? twice : 0.0;
        m = (moved){{reads, params, out + gone}, {in + fresh, params, writes}};
    } else if (level == home) {
        m = (moved){{again, 0.0, 0.0}, {in, 0.0, twice}};
    }
    return m;
}

static void run(sc_op_cost *out, const sc_op *op, const sc_arch *a, const work *w)
{
    const int inner = sc_inner_buffer(a);
    /* lanes in line work while the array does, which takes at least this long */
    const double hidden =
        a->vector.in_line ? (double)op->passed_macs / (double)a->compute.instances : 0.0;
    const int home = w->row > 0.0 ? home_of(op, a, w->row) : inner;
    memset(out, 0, sizeof *out);
    if (w->ops + w->special > 0.0)
        out->compute_cycles = ceil(beyond((w->ops + w->special) / (double)a->vector.lanes, hidden));
    out->compute_pj = w->ops * a->vector.op_pj + w->special * a->vector.special_pj;
    out->energy_pj = out->compute_pj;
    out->cycles = out->compute_cycles;
    out->bound = SC_BOUND_VECTOR;
    double longest = out->cycles, serial = 0.0;
    for (int level = 0; level <= inner; level++) {
        const moved m = moved_at(op, a, w, level, home);
        charge(out, a, level, &m);
        note_traffic(&out->traffic, a, level, &m);
        out->level_cycles[level] = level_cycles(&a->level[level], &m);
        out->serial |= (uint32_t)a->level[level].no_overlap << level;
        serial += a->level[level].no_overlap ? out->level_cycles[level] : 0.0;
        if (out->level_cycles[level] > longest) {
            longest = out->level_cycles[level];
            out->bound = level;
        }
        if (!a->level[level].no_overlap)
            out->cycles = fmax(out->cycles, out->level_cycles[level]);
    }
    out->cycles += serial;
    if (home == 0 && inner > 0) { /* what turns back there does so whatever is resident */
        const double bytes = sc_op_bits_on(op, a) / 8.0;
        out->traffic.again = w->again_reads * bytes;
        out->traffic.twice = w->sent_twice * bytes;
    }
    if (home == 1 && w->row > 0.0)
        out->traffic.rows = w->row * sc_op_bits_on(op, a) / 8.0;
}

/* A softmax the way that the rule says, both priced. */
static void run_softmax(sc_op_cost *out, const sc_op *op, const sc_arch *a, sc_softmax_rule rule)
{
    const work three = softmax_three_pass(op), two = softmax_two_pass(op);
    sc_op_cost other;
    run(out, op, a, &three);
    run(&other, op, a, &two);
    const sc_way ways[SC_VARIANTS] = {[SC_VARIANT_THREE_PASS] = {out->cycles, out->energy_pj},
                                      [SC_VARIANT_TWO_PASS] = {other.cycles, other.energy_pj}};
    const bool cheaper = other.cycles < out->cycles ||
                         (other.cycles == out->cycles && other.energy_pj < out->energy_pj);
    const bool second = rule == SC_SOFTMAX_TWO || (rule == SC_SOFTMAX_BEST && cheaper);
    if (second)
        *out = other;
    out->variant = second ? SC_VARIANT_TWO_PASS : SC_VARIANT_THREE_PASS;
    memcpy(out->ways, ways, sizeof ways);
}

void sc_vector_cost_of(sc_op_cost *out, const sc_op *op, const sc_arch *a, sc_softmax_rule softmax)
{
    const double bytes = sc_op_bits_on(op, a) / 8.0;
    const work w = op->kind == SC_OP_SOFTMAX ? softmax_three_pass(op) : work_of(op);
    if (a->vector.lanes == 0 && w.ops + w.special > 0.0) {
        memset(out, 0, sizeof *out);
        out->misfit = (sc_misfit){SC_MISFIT_KEEP, -1, -1, 1, 0};
        return;
    }
    if (op->kind == SC_OP_SOFTMAX)
        run_softmax(out, op, a, softmax);
    else
        run(out, op, a, &w);
    out->lower_bound_cycles = out->cycles;
    const double p = passed(op, a);
    const double *by = a->level[0].compression;
    out->compulsory_bytes = (beyond((double)op->in_elems, p) / fmax(1.0, by[SC_ROLE_INPUT]) +
                             beyond((double)op->out_elems, p) / fmax(1.0, by[SC_ROLE_OUTPUT]) +
                             (op->kind == SC_OP_EMBED ? 0.0 : (double)op->other_params)) *
                            bytes;
}
