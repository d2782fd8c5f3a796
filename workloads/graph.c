#include "workloads/graph.h"

#include "core/mem.h"

const char *sc_op_kind_name(sc_op_kind k)
{
    switch (k) {
    case SC_OP_CONV: return "conv";
    case SC_OP_DWCONV: return "dwconv";
    case SC_OP_TCONV: return "tconv";
    case SC_OP_FC: return "fc";
    case SC_OP_MATMUL: return "matmul";
    case SC_OP_BMM: return "bmm";
    case SC_OP_ADD: return "add";
    case SC_OP_MUL: return "mul";
    case SC_OP_ACTIVATION: return "activation";
    case SC_OP_POOL: return "pool";
    case SC_OP_RESIZE: return "resize";
    case SC_OP_SOFTMAX: return "softmax";
    case SC_OP_LAYERNORM: return "layernorm";
    case SC_OP_RMSNORM: return "rmsnorm";
    case SC_OP_BATCHNORM: return "batchnorm";
    case SC_OP_EMBED: return "embed";
    case SC_OP_CONCAT: return "concat";
    case SC_OP_RESHAPE: return "reshape";
    case SC_OP_KINDS: break;
    }
    return "unknown";
}

const char *sc_op_word(const sc_op *op)
{
    return op->kind == SC_OP_ACTIVATION ? op->function : sc_op_kind_name(op->kind);
}

const char *const *sc_op_functions(sc_op_kind k, size_t *n)
{
    static const char *const none[] = {""};
    static const char *const add[] = {"", "position"};
    static const char *const pool[] = {"max", "avg"};
    static const char *const resize[] = {"nearest", "bilinear"};
    static const char *const activation[] = {"relu",      "relu6",    "gelu",   "silu",
                                             "sigmoid",   "tanh",     "hswish", "hsigmoid",
                                             "lstm_cell", "gru_cell", "exp",    "unary"};
    switch (k) {
    case SC_OP_ADD: *n = sizeof add / sizeof *add; return add;
    case SC_OP_POOL: *n = sizeof pool / sizeof *pool; return pool;
    case SC_OP_RESIZE: *n = sizeof resize / sizeof *resize; return resize;
    case SC_OP_ACTIVATION: *n = sizeof activation / sizeof *activation; return activation;
    default: *n = 1; return none;
    }
}

bool sc_op_is_mac(const sc_op *op)
{
    return op->kind <= SC_OP_BMM;
}

void sc_workload_destroy(sc_workload *w)
{
    if (!w)
        return;
    sc_arena_destroy(w->arena);
    sc_free(w);
}

const char *sc_workload_name(const sc_workload *w)
{
    return w->name;
}

uint64_t sc_workload_batch(const sc_workload *w)
{
    return w->batch;
}

size_t sc_workload_ops(const sc_workload *w)
{
    return w->n_ops;
}

uint64_t sc_workload_macs(const sc_workload *w)
{
    return w->macs;
}

uint64_t sc_workload_parameters(const sc_workload *w)
{
    return w->parameters;
}
