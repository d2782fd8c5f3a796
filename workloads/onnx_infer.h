#ifndef WORKLOADS_ONNX_INFER_H
#define WORKLOADS_ONNX_INFER_H
/**
 * Shapes of each op's results, by the operators' definitions (ONNX operator schemas, all opsets:
 * what moved from an attribute to an input is looked for in both). Where a shape depends on numbers
 * that are not constant, the result stays without one. The declarations follow sc_onnx_infer_fn.
 */
#include "workloads/onnx_graph.h"

sc_status sc_infer__same(sc_onnx *x, sc_onnx_node *n);      /* as the first input */
sc_status sc_infer__identity(sc_onnx *x, sc_onnx_node *n);  /* and its numbers */
sc_status sc_infer__cast(sc_onnx *x, sc_onnx_node *n);      /* type of attribute `to` */
sc_status sc_infer__unary(sc_onnx *x, sc_onnx_node *n);     /* as same, constants worked out */
sc_status sc_infer__broadcast(sc_onnx *x, sc_onnx_node *n); /* of all inputs */
sc_status sc_infer__compare(sc_onnx *x, sc_onnx_node *n);   /* broadcast; truth values */
sc_status sc_infer__where(sc_onnx *x, sc_onnx_node *n);
sc_status sc_infer__constant(sc_onnx *x, sc_onnx_node *n);
sc_status sc_infer__constant_of_shape(sc_onnx *x, sc_onnx_node *n); /* and random ones, EyeLike */
sc_status sc_infer__shape_like(sc_onnx *x, sc_onnx_node *n); /* random values of a given shape */
sc_status sc_infer__range(sc_onnx *x, sc_onnx_node *n);
sc_status sc_infer__quantize(sc_onnx *x, sc_onnx_node *n);
sc_status sc_infer__dequantize(sc_onnx *x, sc_onnx_node *n);
sc_status sc_infer__quantize_dynamic(sc_onnx *x, sc_onnx_node *n);
sc_status sc_infer__quantize_bits(sc_onnx *x, sc_onnx_node *n); /* Quant, BipolarQuant of QONNX */
sc_status sc_infer__reduce(sc_onnx *x, sc_onnx_node *n);
sc_status sc_infer__arg(sc_onnx *x, sc_onnx_node *n); /* ArgMax, ArgMin */
sc_status sc_infer__top_k(sc_onnx *x, sc_onnx_node *n);
sc_status sc_infer__norm(sc_onnx *x, sc_onnx_node *n);
sc_status sc_infer__skip_norm(sc_onnx *x, sc_onnx_node *n); /* of a sum, which is its last result */
sc_status sc_infer__embed_norm(sc_onnx *x, sc_onnx_node *n);

sc_status sc_infer__conv1(sc_onnx *x, sc_onnx_node *n); /* convolutions */
sc_status sc_infer__conv_back(sc_onnx *x, sc_onnx_node *n);
sc_status sc_infer__window_pool(sc_onnx *x, sc_onnx_node *n);
sc_status sc_infer__global_pool(sc_onnx *x, sc_onnx_node *n);

sc_status sc_infer__gemm(sc_onnx *x, sc_onnx_node *n);
sc_status sc_infer__product2(sc_onnx *x, sc_onnx_node *n);       /* MatMul and its relatives */
sc_status sc_infer__packed_product(sc_onnx *x, sc_onnx_node *n); /* MatMulNBits */
sc_status sc_infer__einsum(sc_onnx *x, sc_onnx_node *n);
sc_status sc_infer__recurrent(sc_onnx *x, sc_onnx_node *n);

sc_status sc_infer__shape(sc_onnx *x, sc_onnx_node *n);
sc_status sc_infer__size(sc_onnx *x, sc_onnx_node *n);
sc_status sc_infer__reshape(sc_onnx *x, sc_onnx_node *n);
sc_status sc_infer__flatten(sc_onnx *x, sc_onnx_node *n);
sc_status sc_infer__squeeze(sc_onnx *x, sc_onnx_node *n);
sc_status sc_infer__unsqueeze(sc_onnx *x, sc_onnx_node *n);
sc_status sc_infer__transpose(sc_onnx *x, sc_onnx_node *n);
sc_status sc_infer__concat(sc_onnx *x, sc_onnx_node *n);
sc_status sc_infer__split(sc_onnx *x, sc_onnx_node *n);
sc_status sc_infer__slice(sc_onnx *x, sc_onnx_node *n);
sc_status sc_infer__gather(sc_onnx *x, sc_onnx_node *n);
sc_status sc_infer__gather_elements(sc_onnx *x, sc_onnx_node *n);
sc_status sc_infer__gather_nd(sc_onnx *x, sc_onnx_node *n);
sc_status sc_infer__expand(sc_onnx *x, sc_onnx_node *n);
sc_status sc_infer__tile(sc_onnx *x, sc_onnx_node *n);
sc_status sc_infer__pad(sc_onnx *x, sc_onnx_node *n);
sc_status sc_infer__resize(sc_onnx *x, sc_onnx_node *n);
sc_status sc_infer__depth_to_space(sc_onnx *x, sc_onnx_node *n);
sc_status sc_infer__space_to_depth(sc_onnx *x, sc_onnx_node *n);
sc_status sc_infer__one_hot(sc_onnx *x, sc_onnx_node *n);
sc_status sc_infer__roi_align(sc_onnx *x, sc_onnx_node *n);
sc_status sc_infer__grid_sample(sc_onnx *x, sc_onnx_node *n);

sc_status sc_infer__signal_window(sc_onnx *x, sc_onnx_node *n);  /* HannWindow and the like */
sc_status sc_infer__fourier(sc_onnx *x, sc_onnx_node *n);        /* DFT */
sc_status sc_infer__fourier_frames(sc_onnx *x, sc_onnx_node *n); /* STFT */
sc_status sc_infer__affine_grid(sc_onnx *x, sc_onnx_node *n);
sc_status sc_infer__unpool(sc_onnx *x, sc_onnx_node *n);
sc_status sc_infer__column_to_image(sc_onnx *x, sc_onnx_node *n);
sc_status sc_infer__crop_or_pad(sc_onnx *x, sc_onnx_node *n); /* CenterCropPad */

/* ---- what they share ---- */

/** Integers of an input or, where it is left out, of an attribute. *given: whether either is there;
 *  *out NULL although given: they are not constant. */
void sc_infer__ints(const sc_onnx_node *n, size_t input, const char *attribute, bool *given,
                    const int64_t **out, size_t *count, sc_onnx *x);
/** i-th output; NULL if it is left out. */
sc_onnx_value *sc_onnx_out(const sc_onnx_node *n, size_t i);
/** A node of at least so many inputs. @return SC_OK; SC_EPARSE. */
sc_status sc_infer__want(sc_onnx *x, const sc_onnx_node *n, size_t inputs) SC_MUST_USE;
/** Multidirectional broadcasting. @return false where two extents differ and neither is 1. */
bool sc_infer__meet(int64_t *dim, size_t *rank, const sc_onnx_value *v);

/** Numbers of an output that is a view of a constant: out[i] = in[start + sum of i_k * stride_k].
 */
sc_status sc_fold_view(sc_onnx *x, sc_onnx_value *out, const sc_onnx_value *in, int64_t start,
                       const int64_t *stride) SC_MUST_USE;
/** Numbers of an elementwise op on constants, where it is one that shapes are computed with. */
sc_status sc_fold_elementwise(sc_onnx *x, const sc_onnx_node *n, sc_onnx_value *out) SC_MUST_USE;
/** Whether a result of that many elements is worth working out. */
bool sc_fold_fits(const sc_onnx_value *out);

/** A window over 1 to 3 axes, all numbers resolved. */
enum { SC_ONNX_WINDOW_AXES = 3 };
typedef struct sc_onnx_window {
    size_t axes;
    int64_t in[SC_ONNX_WINDOW_AXES], kernel[SC_ONNX_WINDOW_AXES], stride[SC_ONNX_WINDOW_AXES],
        dilation[SC_ONNX_WINDOW_AXES], before[SC_ONNX_WINDOW_AXES], after[SC_ONNX_WINDOW_AXES],
        behind[SC_ONNX_WINDOW_AXES], /* transposed: rows added behind the result */
        out[SC_ONNX_WINDOW_AXES];
    bool overhangs; /* a pool larger than its data with their padding */
} sc_onnx_window;
enum sc_onnx_window_kind { SC_ONNX_SLIDE, SC_ONNX_SLIDE_BACK, SC_ONNX_POOL };
/** Resolve the window of a node that reads @p v with a kernel of @p kernel extents (NULL: by its
 *  attribute). @return SC_OK; SC_EPARSE. */
sc_status sc_onnx_window_of(sc_onnx *x, const sc_onnx_node *n, sc_onnx_window *out,
                            const sc_onnx_value *v, const int64_t *kernel,
                            enum sc_onnx_window_kind kind) SC_MUST_USE;
/** The inputs of a node that hold data and weights: QLinearConv has scales between them. */
void sc_onnx_operands(const sc_onnx_node *n, sc_onnx_value **a, sc_onnx_value **b,
                      sc_onnx_value **bias);

/** A product of two tensors: sum over k of A[batch][m][k] * B[batch][k][n]. */
typedef struct sc_onnx_product {
    uint64_t batch;            /* products */
    uint64_t batch_a, batch_b; /* distinct first and second operands among them */
    uint64_t m, n, k;
} sc_onnx_product;
/** Resolve MatMul, its relatives, and Einsum of two tensors. @return SC_OK; SC_EPARSE. */
sc_status sc_onnx_product_of(sc_onnx *x, const sc_onnx_node *n, sc_onnx_product *out) SC_MUST_USE;
sc_status sc_onnx_einsum_of(sc_onnx *x, const sc_onnx_node *n, sc_onnx_product *out) SC_MUST_USE;

/** Extents of a recurrent layer: its weights are [ways][gates * hidden][features or hidden], those
 *  of DynamicQuantizeLSTM [ways][features or hidden][gates * hidden]. */
typedef struct sc_onnx_layer {
    int64_t ways, gates, features, hidden;
} sc_onnx_layer;
/** Read them from the shaped weights of a node. @return false where the two do not fit. */
bool sc_onnx_layer_of(const sc_onnx_node *n, sc_onnx_layer *out);
#endif
