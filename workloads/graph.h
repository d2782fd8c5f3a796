#ifndef WORKLOADS_GRAPH_H
#define WORKLOADS_GRAPH_H
/** The op graph behind the opaque sc_workload: a DAG in execution order, one row an op. */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "scantle/workload.h"
#include "workloads/einsum.h"

typedef enum sc_op_kind {
    /* MAC ops */
    SC_OP_CONV,   /* dense or grouped */
    SC_OP_DWCONV, /* groups == cin */
    SC_OP_TCONV,
    SC_OP_FC,
    SC_OP_MATMUL,
    SC_OP_BMM,
    /* vector ops */
    SC_OP_ADD,
    SC_OP_MUL,
    SC_OP_ACTIVATION, /* relu, gelu, silu, sigmoid, ... by `function` */
    SC_OP_POOL,
    SC_OP_SOFTMAX,
    SC_OP_LAYERNORM,
    SC_OP_RMSNORM,
    SC_OP_BATCHNORM,
    SC_OP_EMBED,
    /* movement */
    SC_OP_CONCAT,
    SC_OP_RESHAPE,
    SC_OP_KINDS
} sc_op_kind;

typedef struct sc_op {
    const char *name;
    sc_op_kind kind;
    const char *function; /* of an activation or pool ("gelu", "max"), else "" */
    uint64_t batch;
    /* image ops: channels, input and output extents, kernel; 1 where a dimension does not exist */
    uint64_t cin, h, w, cout, oh, ow, r, s;
    uint64_t stride_h, stride_w, dilation_h, dilation_w, groups;
    uint64_t pad_top, pad_left;
    /* GEMM view of a MAC op: count products of [m][k] x [k][n]; includes batch in m or count */
    uint64_t m, n, k, count;
    uint64_t macs;         /* of the whole op, count and batch included */
    uint64_t weights;      /* elements that the MAC array reads as weights */
    uint64_t other_params; /* bias, norm scales, tables */
    uint64_t in_elems, out_elems;
    uint32_t bits;             /* of every tensor of the op */
    bool weight_is_activation; /* bmm: the second operand comes from another op, not from DRAM-held
                                  parameters */
    size_t n_inputs;
    const int32_t *inputs; /* [n_inputs] producer indices, -1 = network input */
} sc_op;

struct sc_workload {
    struct sc_arena *arena;
    const char *name;
    uint64_t batch;
    size_t n_ops;
    sc_op *ops; /* [n_ops], execution order: inputs[j] < i */
    uint64_t macs, parameters;
};

const char *sc_op_kind_name(sc_op_kind k); /* as in tables and YAML: "conv", "dwconv", ... */
bool sc_op_is_mac(const sc_op *op);

/**
 * The einsum of a MAC op. Conv: dims N K C P Q R S (and G when grouped; depthwise: G P Q R S N);
 * matmul and fc: M N K; bmm: H M N K. Stride and dilation are coefficients.
 * @return SC_OK; SC_EINVAL for an op that is no MAC op.
 */
sc_status sc_op_einsum(sc_einsum *out, const sc_op *op) SC_MUST_USE;
#endif
