#ifndef WORKLOADS_ONNX_LOWER_H
#define WORKLOADS_ONNX_LOWER_H
/**
 * From understood nodes to the rows of an op graph. Tensors of any rank become the four extents of
 * a row's operands, which each reader chooses for itself: a reshape, a slice or a repetition on the
 * way is a view, not a row. What is computed from constants alone runs before the network and gives
 * none.
 *
 * `batch` samples stand in every tensor that has a row. A graph in which some tensor cannot be
 * divided by it is lowered again as one sample.
 */
#include "workloads/builder.h"
#include "workloads/onnx_infer.h"

typedef struct sc_lower {
    sc_onnx *x;
    sc_builder *b;
    uint64_t batch;
    uint32_t bits;       /* of the network */
    bool unfit;          /* `batch` does not divide some tensor; the status is then SC_EINVAL */
    const char **row_op; /* [row capacity] op of the file that a row came from */
    size_t row_capacity;
    size_t n_renamed;   /* numbers put behind names that were taken */
    size_t n_uncounted; /* nodes left out because their sizes depend on data */
    const char *first_uncounted;
} sc_lower;

/* Ways in which a node becomes rows; each is a sc_onnx_lower_fn. */
sc_status sc_lower__nothing(sc_lower *l, sc_onnx_node *n); /* constants and sizes */
sc_status sc_lower__view(sc_lower *l, sc_onnx_node *n);
sc_status sc_lower__expand(sc_lower *l, sc_onnx_node *n);
sc_status sc_lower__transpose(sc_lower *l, sc_onnx_node *n);
sc_status sc_lower__gather(sc_lower *l, sc_onnx_node *n);
sc_status sc_lower__move(sc_lower *l, sc_onnx_node *n);
sc_status sc_lower__concat(sc_lower *l, sc_onnx_node *n);
sc_status sc_lower__resize(sc_lower *l, sc_onnx_node *n);
sc_status sc_lower__embed_norm(sc_lower *l, sc_onnx_node *n);

sc_status sc_lower__activation(sc_lower *l,
                               sc_onnx_node *n); /* part of a convolution, else a row */
sc_status sc_lower__simple(sc_lower *l,
                           sc_onnx_node *n); /* part of the row before it, if it can be */
sc_status sc_lower__add(sc_lower *l, sc_onnx_node *n);
sc_status sc_lower__mul(sc_lower *l, sc_onnx_node *n);
sc_status sc_lower__softmax(sc_lower *l, sc_onnx_node *n);
sc_status sc_lower__reduce(sc_lower *l, sc_onnx_node *n);
sc_status sc_lower__pool(sc_lower *l, sc_onnx_node *n);
sc_status sc_lower__global_pool(sc_lower *l, sc_onnx_node *n);
sc_status sc_lower__layer_norm(sc_lower *l, sc_onnx_node *n);
sc_status sc_lower__channel_norm(sc_lower *l, sc_onnx_node *n);

sc_status sc_lower__conv(sc_lower *l, sc_onnx_node *n);
sc_status sc_lower__conv_back(sc_lower *l, sc_onnx_node *n);
sc_status sc_lower__gemm(sc_lower *l, sc_onnx_node *n);
sc_status sc_lower__product(sc_lower *l, sc_onnx_node *n);
sc_status sc_lower__packed_product(sc_lower *l, sc_onnx_node *n);
sc_status sc_lower__einsum(sc_lower *l, sc_onnx_node *n);
sc_status sc_lower__recurrent(sc_lower *l, sc_onnx_node *n);

/* ---- what they share ---- */

/** Whether a value has a row, or is a network input, and a known shape with elements in it. */
bool sc_lower_has(const sc_onnx_value *v);
/** Let a constant stand for data: a product of constants is fed from memory, as by an input. */
void sc_lower_fetch(sc_onnx_value *v);
/** Read a value as a tensor of that shape; a network input is declared on first use. */
sc_status sc_lower_read(sc_lower *l, sc_input_ref *ref, sc_onnx_value *v, sc_shape as) SC_MUST_USE;
/** Add the row of a node; out (may be NULL) becomes its direct result. @p suffix tells rows of one
 * node apart. */
sc_status sc_lower_row(sc_lower *l, int32_t *row, const sc_onnx_node *n, const char *suffix,
                       sc_op_spec *spec, sc_onnx_value *out) SC_MUST_USE;
/** Let a value stand for (part of) what another one's row gives. */
sc_status sc_lower_alias(sc_lower *l, sc_onnx_value *to, sc_onnx_value *from) SC_MUST_USE;
/** Divide by the batch. @return SC_OK; SC_EINVAL, and l->unfit, if it leaves a rest. */
sc_status sc_lower_divide(sc_lower *l, uint64_t *n) SC_MUST_USE;
/** Extents of a sample of a value as rows of the usual networks have them. */
sc_status sc_lower_shape(sc_lower *l, sc_shape *out, const sc_onnx_value *v) SC_MUST_USE;
/** Note a node that is left out: some size of it depends on data. */
void sc_lower_leave(sc_lower *l, const sc_onnx_node *n);
/** Precision of a value. */
uint32_t sc_lower_bits(const sc_onnx_value *v);
/** Whether an activation, a bias or a scale may become part of the row that made the value. */
bool sc_lower_absorbs(const sc_lower *l, const sc_onnx_value *v);
/** Fold a bias and a batch norm that follow a MAC op into its description. @p last becomes the
 * value that the folded nodes give. @param channel_axis of the value: 1, or its last. */
void sc_lower_look_ahead(sc_op_spec *spec, sc_onnx_value **last, sc_onnx_value *out,
                         size_t channel_axis);
#endif
