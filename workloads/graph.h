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
    SC_OP_CONV,   /* dense or grouped; 2-D or 3-D */
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
    SC_OP_RESIZE, /* nearest or bilinear, by `function` */
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

/** Extents of a tensor of one sample: channels, depth, height, width. A sequence of vectors has
 *  their width in c and its length in h. */
typedef struct sc_shape {
    uint64_t c, d, h, w;
} sc_shape;

/** One tensor an op reads. */
typedef struct sc_operand {
    int32_t producer; /* index of an op, or -1 - i for the i-th network input */
    sc_shape read;    /* of one sample: the part read, which may be less than what was produced */
} sc_operand;

typedef struct sc_op {
    const char *name;
    sc_op_kind kind;
    const char *function; /* of an activation, pool, resize or add ("gelu", "max"), else "" */
    uint64_t batch;
    /* First operand and result of one sample, and the kernel; 1 where a dimension does not exist.
     * cin of a concat counts all operands, that of an embed the channels of a row it gathers.
     * cout, od, oh, ow are the shape of the result for ops of every kind. */
    uint64_t cin, d, h, w, cout, od, oh, ow;
    uint64_t t, r, s; /* kernel depth, height, width */
    uint64_t stride_d, stride_h, stride_w, dilation_d, dilation_h, dilation_w, groups;
    uint64_t pad_front, pad_top, pad_left, pad_back, pad_bottom, pad_right;
    /* GEMM view of a MAC op: count products of [m][k] x [k][n]; includes batch in m or count */
    uint64_t m, n, k, count;
    uint64_t macs;         /* of the whole op, count and batch included */
    uint64_t weights;      /* elements that the MAC array reads as weights */
    uint64_t other_params; /* bias, norm scales, tables */
    uint64_t in_elems, out_elems;
    uint64_t cache_elems;  /* of in_elems: read from a key/value cache, not from a producer */
    uint64_t passed_elems; /* of in_elems: what an array op, or a chain behind one, has just made
                              for this op alone; set where a network is prepared */
    uint64_t passed_macs;  /* of the array op right before it in such a chain; else 0 */
    uint32_t bits;         /* of every tensor of the op */
    bool weight_is_activation; /* bmm: the second operand comes from another op, not from DRAM-held
                                  parameters */
    uint64_t sharing; /* bmm: so many of the count products use one second operand (grouped-query
                         attention); else 1 */
    bool recurrent;   /* matmul: the count products run one after the other with the same weights,
                         each needing the result of the one before */
    size_t n_inputs;
    const int32_t *inputs; /* [n_inputs] distinct producer indices, -1 = network input */
    size_t n_operands;
    const sc_operand *operands;    /* [n_operands] what is read; one producer may stand twice */
    const struct sc_op_spec *spec; /* what the op was built from: workloads/builder.h */
} sc_op;

typedef struct sc_network_input {
    const char *name;
    sc_shape shape;
} sc_network_input;

struct sc_workload {
    struct sc_arena *arena;
    const char *name;
    uint64_t batch;
    uint32_t bits; /* of ops that do not say otherwise */
    size_t n_inputs;
    const sc_network_input *inputs; /* [n_inputs] */
    size_t n_ops;
    sc_op *ops; /* [n_ops], execution order: inputs[j] < i */
    uint64_t macs, parameters;
};

const char *sc_op_kind_name(sc_op_kind k); /* "conv", "dwconv", ..., "activation" */
/** The op's kind in tables, JSON and YAML: that of sc_op_kind_name, but "gelu", "relu", ... for an
 *  activation. */
const char *sc_op_word(const sc_op *op);
bool sc_op_is_mac(const sc_op *op);
/** Functions an op of a kind may have, its usual one first. @param[out] n of them, at least 1. */
const char *const *sc_op_functions(sc_op_kind k, size_t *n);

/**
 * The einsum of a MAC op. Dimensions, which stand in this order:
 * conv: N K C P Q R S, G behind them when grouped; depthwise: G P Q R S N, K behind them when it
 * has more outputs than inputs; a 3-D kernel adds Z (depth of the result) and T (of the kernel).
 * Stride and dilation are coefficients of the input's ranks; padding is not seen.
 * tconv: as conv, but P, Q (and Z) run over the INPUT's positions and the coefficients stand in the
 * output's ranks. fc and matmul: M N K; recurrent: L (steps) M N K. bmm: H M N K; where products
 * share the second operand: H J M N K, J of them to one.
 * @return SC_OK; SC_EINVAL for an op that is no MAC op.
 */
sc_status sc_op_einsum(sc_einsum *out, const sc_op *op) SC_MUST_USE;
#endif
