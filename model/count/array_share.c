#include "model/count/array_share.h"

static uint64_t ceil_div(uint64_t a, uint64_t b)
{
    return a / b + (a % b != 0);
}

static bool times(uint64_t *acc, uint64_t factor)
{
    return !__builtin_mul_overflow(*acc, factor, acc) && !(*acc >> 63);
}

static bool op_cycles(uint64_t *out, const sc_op *op, uint64_t rows, uint64_t cols)
{
    *out = op->m;
    if (op->kind == SC_OP_DWCONV)
        return times(out, op->k) && times(out, op->n) &&
               times(out, ceil_div(op->count, rows < cols ? rows : cols));
    return times(out, ceil_div(op->k, rows)) && times(out, ceil_div(op->n, cols)) &&
           times(out, op->count);
}

sc_status sc_array_share_of(sc_array_share *out, const sc_workload *w, uint64_t rows, uint64_t cols)
{
    sc_array_share s = {.cycles = 0};
    uint64_t macs = 0;
    if (rows < 1 || cols < 1)
        return sc_fail(SC_EINVAL, "an array needs rows and columns");
    for (size_t i = 0; i < w->n_ops; i++) {
        const sc_op *op = &w->ops[i];
        uint64_t cycles;
        if (!sc_op_is_mac(op))
            continue;
        if (!op_cycles(&cycles, op, rows, cols) ||
            __builtin_add_overflow(s.cycles, cycles, &s.cycles) || s.cycles >> 63 ||
            __builtin_add_overflow(macs, op->macs, &macs))
            return sc_fail(SC_ERANGE, "network %s: more than 2^63 - 1 cycles", w->name);
        if (op->kind == SC_OP_DWCONV)
            s.depthwise_cycles += cycles;
    }
    if (s.cycles == 0)
        return sc_fail(SC_EINVAL, "network %s has no multiply-accumulates", w->name);
    s.depthwise = (double)s.depthwise_cycles / (double)s.cycles;
    s.utilization = (double)macs / (double)s.cycles / (double)rows / (double)cols;
    *out = s;
    return SC_OK;
}
