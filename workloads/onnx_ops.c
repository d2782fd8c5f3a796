/* The ops that are known, sorted by name: how shapes follow, and what row each becomes. Names of
 * the standard domain and of its widespread extension (com.microsoft) do not clash; those of others
 * are marked. */
#include <stdlib.h>
#include <string.h>

#include "workloads/onnx_lower.h"

#define SAME    sc_infer__same
#define UNARY   sc_infer__unary
#define BROAD   sc_infer__broadcast
#define COMPARE sc_infer__compare
#define REDUCE  sc_infer__reduce
#define SIMPLE  sc_lower__simple
#define ACT     sc_lower__activation
#define MOVE    sc_lower__move
#define VIEW    sc_lower__view
#define ADD     sc_lower__add
#define MUL     sc_lower__mul
#define NOTHING sc_lower__nothing
#define MACS    SC_ONNX_MACS
#define LAZY    SC_ONNX_LAZY
#define OWN     SC_ONNX_PER_DOMAIN

static const sc_onnx_op ops[] = {
    {"Abs", UNARY, SIMPLE, "unary", 0},
    {"Acos", SAME, ACT, "exp", 0},
    {"Acosh", SAME, ACT, "exp", 0},
    {"Add", BROAD, ADD, NULL, 0},
    {"Affine", SAME, SIMPLE, "unary", 0},
    {"And", BROAD, MUL, NULL, 0},
    {"ArgMax", sc_infer__arg, sc_lower__reduce, NULL, 0},
    {"ArgMin", sc_infer__arg, sc_lower__reduce, NULL, 0},
    {"Asin", SAME, ACT, "exp", 0},
    {"Asinh", SAME, ACT, "exp", 0},
    {"Atan", SAME, ACT, "exp", 0},
    {"Atanh", SAME, ACT, "exp", 0},
    {"AveragePool", sc_infer__window_pool, sc_lower__pool, NULL, 0},
    {"BatchNormalization", sc_infer__norm, sc_lower__channel_norm, NULL, 0},
    {"Bernoulli", SAME, SIMPLE, "unary", 0},
    {"BiasGelu", SAME, ACT, "gelu", 0},
    {"BipolarQuant", sc_infer__quantize_bits, VIEW, NULL, OWN},
    {"BitShift", BROAD, MUL, NULL, 0},
    {"BitwiseAnd", BROAD, MUL, NULL, 0},
    {"BitwiseNot", SAME, SIMPLE, "unary", 0},
    {"BitwiseOr", BROAD, MUL, NULL, 0},
    {"BitwiseXor", BROAD, MUL, NULL, 0},
    {"Cast", sc_infer__cast, SIMPLE, "unary", 0},
    {"CastLike", sc_infer__cast, SIMPLE, "unary", 0},
    {"Ceil", UNARY, SIMPLE, "unary", 0},
    {"Celu", SAME, ACT, "exp", 0},
    {"Clip", SAME, SIMPLE, "unary", 0},
    {"Concat", sc_infer__concat, sc_lower__concat, NULL, 0},
    {"Constant", sc_infer__constant, NOTHING, NULL, LAZY},
    {"ConstantOfShape", sc_infer__constant_of_shape, NOTHING, NULL, 0},
    {"Conv", sc_infer__conv1, sc_lower__conv, NULL, MACS},
    {"ConvInteger", sc_infer__conv1, sc_lower__conv, NULL, MACS},
    {"ConvTranspose", sc_infer__conv_back, sc_lower__conv_back, NULL, MACS},
    {"Cos", SAME, ACT, "exp", 0},
    {"Cosh", SAME, ACT, "exp", 0},
    {"CumSum", SAME, MOVE, NULL, 0},
    {"DepthToSpace", sc_infer__depth_to_space, MOVE, NULL, 0},
    {"DequantizeLinear", sc_infer__dequantize, VIEW, NULL, 0},
    {"Div", BROAD, MUL, NULL, 0},
    {"Dropout", sc_infer__identity, VIEW, NULL, 0},
    {"DynamicQuantizeLinear", sc_infer__quantize_dynamic, ACT, "unary", 0},
    {"DynamicQuantizeMatMul", sc_infer__product2, sc_lower__product, NULL, MACS},
    {"Einsum", sc_infer__einsum, sc_lower__einsum, NULL, MACS},
    {"Elu", SAME, ACT, "exp", 0},
    {"EmbedLayerNormalization", sc_infer__embed_norm, sc_lower__embed_norm, NULL, 0},
    {"Equal", COMPARE, MUL, NULL, 0},
    {"Erf", SAME, ACT, "exp", 0},
    {"Exp", SAME, ACT, "exp", 0},
    {"Expand", sc_infer__expand, sc_lower__expand, NULL, 0},
    {"EyeLike", SAME, MOVE, NULL, 0},
    {"FastGelu", SAME, ACT, "gelu", 0},
    {"Flatten", sc_infer__flatten, VIEW, NULL, 0},
    {"FloatQuant", sc_infer__quantize_bits, VIEW, NULL, OWN},
    {"Floor", UNARY, SIMPLE, "unary", 0},
    {"FusedConv", sc_infer__conv1, sc_lower__conv, NULL, MACS},
    {"FusedGemm", sc_infer__gemm, sc_lower__gemm, NULL, MACS},
    {"FusedMatMul", sc_infer__product2, sc_lower__product, NULL, MACS},
    {"GRU", sc_infer__recurrent, sc_lower__recurrent, NULL, MACS},
    {"Gather", sc_infer__gather, sc_lower__gather, NULL, 0},
    {"GatherElements", sc_infer__gather_elements, MOVE, NULL, 0},
    {"GatherND", sc_infer__gather_nd, MOVE, NULL, 0},
    {"Gelu", SAME, ACT, "gelu", 0},
    {"Gemm", sc_infer__gemm, sc_lower__gemm, NULL, MACS},
    {"GlobalAveragePool", sc_infer__global_pool, sc_lower__global_pool, NULL, 0},
    {"GlobalLpPool", sc_infer__global_pool, sc_lower__global_pool, NULL, 0},
    {"GlobalMaxPool", sc_infer__global_pool, sc_lower__global_pool, NULL, 0},
    {"Greater", COMPARE, MUL, NULL, 0},
    {"GreaterOrEqual", COMPARE, MUL, NULL, 0},
    {"GridSample", sc_infer__grid_sample, MOVE, NULL, 0},
    {"GroupNorm", SAME, sc_lower__channel_norm, NULL, 0},
    {"GroupNormalization", SAME, sc_lower__channel_norm, NULL, 0},
    {"HardSigmoid", SAME, SIMPLE, "hsigmoid", 0},
    {"HardSwish", SAME, SIMPLE, "hswish", 0},
    {"Hardmax", SAME, sc_lower__softmax, NULL, 0},
    {"Identity", sc_infer__identity, VIEW, NULL, 0},
    {"ImageScaler", SAME, SIMPLE, "unary", 0},
    {"InstanceNormalization", SAME, sc_lower__channel_norm, NULL, 0},
    {"IntQuant", sc_infer__quantize_bits, VIEW, NULL, OWN},
    {"IsInf", SAME, SIMPLE, "unary", 0},
    {"IsNaN", SAME, SIMPLE, "unary", 0},
    {"LRN", SAME, ACT, "exp", 0},
    {"LSTM", sc_infer__recurrent, sc_lower__recurrent, NULL, MACS},
    {"LayerNormalization", sc_infer__norm, sc_lower__layer_norm, NULL, 0},
    {"LeakyRelu", SAME, SIMPLE, "unary", 0},
    {"Less", COMPARE, MUL, NULL, 0},
    {"LessOrEqual", COMPARE, MUL, NULL, 0},
    {"Log", SAME, ACT, "exp", 0},
    {"LogSoftmax", SAME, sc_lower__softmax, NULL, 0},
    {"LpNormalization", SAME, ACT, "exp", 0},
    {"LpPool", sc_infer__window_pool, sc_lower__pool, NULL, 0},
    {"MatMul", sc_infer__product2, sc_lower__product, NULL, MACS},
    {"MatMulBnb4", sc_infer__packed_product, sc_lower__packed_product, NULL, MACS},
    {"MatMulFpQ4", sc_infer__packed_product, sc_lower__packed_product, NULL, MACS},
    {"MatMulInteger", sc_infer__product2, sc_lower__product, NULL, MACS},
    {"MatMulIntegerToFloat", sc_infer__product2, sc_lower__product, NULL, MACS},
    {"MatMulNBits", sc_infer__packed_product, sc_lower__packed_product, NULL, MACS},
    {"Max", BROAD, ADD, NULL, 0},
    {"MaxPool", sc_infer__window_pool, sc_lower__pool, NULL, 0},
    {"Mean", BROAD, ADD, NULL, 0},
    {"MeanVarianceNormalization", SAME, ACT, "exp", 0},
    {"Min", BROAD, ADD, NULL, 0},
    {"Mish", SAME, ACT, "exp", 0},
    {"Mod", BROAD, MUL, NULL, 0},
    {"Mul", BROAD, MUL, NULL, 0},
    {"MultiThreshold", SAME, SIMPLE, "unary", OWN},
    {"Neg", UNARY, SIMPLE, "unary", 0},
    {"Not", UNARY, SIMPLE, "unary", 0},
    {"OneHot", sc_infer__one_hot, MOVE, NULL, 0},
    {"Or", BROAD, MUL, NULL, 0},
    {"PRelu", SAME, SIMPLE, "unary", 0},
    {"Pad", sc_infer__pad, MOVE, NULL, 0},
    {"ParametricSoftplus", SAME, ACT, "exp", 0},
    {"Pow", BROAD, MUL, NULL, 0},
    {"QGemm", sc_infer__gemm, sc_lower__gemm, NULL, MACS},
    {"QLinearAdd", BROAD, ADD, NULL, 0},
    {"QLinearAveragePool", sc_infer__window_pool, sc_lower__pool, NULL, 0},
    {"QLinearConcat", sc_infer__concat, sc_lower__concat, NULL, 0},
    {"QLinearConv", sc_infer__conv1, sc_lower__conv, NULL, MACS},
    {"QLinearGlobalAveragePool", sc_infer__global_pool, sc_lower__global_pool, NULL, 0},
    {"QLinearLeakyRelu", SAME, SIMPLE, "unary", 0},
    {"QLinearMatMul", sc_infer__product2, sc_lower__product, NULL, MACS},
    {"QLinearMul", BROAD, MUL, NULL, 0},
    {"QLinearSigmoid", SAME, ACT, "sigmoid", 0},
    {"QLinearSoftmax", SAME, sc_lower__softmax, NULL, 0},
    {"Quant", sc_infer__quantize_bits, VIEW, NULL, OWN},
    {"QuantizeLinear", sc_infer__quantize, VIEW, NULL, 0},
    {"QuickGelu", SAME, ACT, "gelu", 0},
    {"RMSNormalization", sc_infer__norm, sc_lower__layer_norm, NULL, 0},
    {"RNN", sc_infer__recurrent, sc_lower__recurrent, NULL, MACS},
    {"RandomNormal", sc_infer__shape_like, NOTHING, NULL, 0},
    {"RandomNormalLike", sc_infer__shape_like, NOTHING, NULL, 0},
    {"RandomUniform", sc_infer__shape_like, NOTHING, NULL, 0},
    {"RandomUniformLike", sc_infer__shape_like, NOTHING, NULL, 0},
    {"Range", sc_infer__range, NOTHING, NULL, 0},
    {"Reciprocal", SAME, ACT, "exp", 0},
    {"ReduceL1", REDUCE, sc_lower__reduce, NULL, 0},
    {"ReduceL2", REDUCE, sc_lower__reduce, NULL, 0},
    {"ReduceLogSum", REDUCE, sc_lower__reduce, NULL, 0},
    {"ReduceLogSumExp", REDUCE, sc_lower__reduce, NULL, 0},
    {"ReduceMax", REDUCE, sc_lower__reduce, NULL, 0},
    {"ReduceMean", REDUCE, sc_lower__reduce, NULL, 0},
    {"ReduceMin", REDUCE, sc_lower__reduce, NULL, 0},
    {"ReduceProd", REDUCE, sc_lower__reduce, NULL, 0},
    {"ReduceSum", REDUCE, sc_lower__reduce, NULL, 0},
    {"ReduceSumSquare", REDUCE, sc_lower__reduce, NULL, 0},
    {"Relu", SAME, SIMPLE, "relu", 0},
    {"Reshape", sc_infer__reshape, VIEW, NULL, 0},
    {"Resize", sc_infer__resize, sc_lower__resize, NULL, 0},
    {"ReverseSequence", SAME, MOVE, NULL, 0},
    {"RoiAlign", sc_infer__roi_align, MOVE, NULL, 0},
    {"RotaryEmbedding", SAME, ACT, "exp", 0},
    {"Round", UNARY, SIMPLE, "unary", 0},
    {"Scale", SAME, SIMPLE, "unary", 0},
    {"ScaledTanh", SAME, ACT, "tanh", 0},
    {"Scatter", SAME, MOVE, NULL, 0},
    {"ScatterElements", SAME, MOVE, NULL, 0},
    {"ScatterND", SAME, MOVE, NULL, 0},
    {"Selu", SAME, ACT, "exp", 0},
    {"Shape", sc_infer__shape, NOTHING, NULL, 0},
    {"Shrink", SAME, SIMPLE, "unary", 0},
    {"Sigmoid", SAME, ACT, "sigmoid", 0},
    {"Sign", SAME, SIMPLE, "unary", 0},
    {"SimplifiedLayerNormalization", sc_infer__norm, sc_lower__layer_norm, NULL, 0},
    {"Sin", SAME, ACT, "exp", 0},
    {"Sinh", SAME, ACT, "exp", 0},
    {"Size", sc_infer__size, NOTHING, NULL, 0},
    {"SkipLayerNormalization", sc_infer__skip_norm, sc_lower__layer_norm, NULL, 0},
    {"SkipSimplifiedLayerNormalization", sc_infer__skip_norm, sc_lower__layer_norm, NULL, 0},
    {"Slice", sc_infer__slice, VIEW, NULL, 0},
    {"Softmax", SAME, sc_lower__softmax, NULL, 0},
    {"Softplus", SAME, ACT, "exp", 0},
    {"Softsign", SAME, ACT, "exp", 0},
    {"SpaceToDepth", sc_infer__space_to_depth, MOVE, NULL, 0},
    {"Split", sc_infer__split, VIEW, NULL, 0},
    {"Sqrt", UNARY, ACT, "exp", 0},
    {"Squeeze", sc_infer__squeeze, VIEW, NULL, 0},
    {"Sub", BROAD, ADD, NULL, 0},
    {"Sum", BROAD, ADD, NULL, 0},
    {"Swish", SAME, SIMPLE, "silu", 0},
    {"Tan", SAME, ACT, "exp", 0},
    {"Tanh", SAME, ACT, "tanh", 0},
    {"ThresholdedRelu", SAME, SIMPLE, "unary", 0},
    {"Tile", sc_infer__tile, sc_lower__expand, NULL, 0},
    {"TopK", sc_infer__top_k, MOVE, NULL, 0},
    {"Transpose", sc_infer__transpose, sc_lower__transpose, NULL, 0},
    {"Trilu", SAME, MOVE, NULL, 0},
    {"Trunc", SAME, VIEW, NULL, OWN},
    {"Unsqueeze", sc_infer__unsqueeze, VIEW, NULL, 0},
    {"Upsample", sc_infer__resize, sc_lower__resize, NULL, 0},
    {"Where", sc_infer__where, MUL, NULL, 0},
    {"Xor", BROAD, MUL, NULL, 0},
};

static int by_name(const void *name, const void *op)
{
    return strcmp(name, ((const sc_onnx_op *)op)->name);
}

const sc_onnx_op *sc_onnx_find_op(const char *domain, const char *name)
{
    const sc_onnx_op *op = bsearch(name, ops, sizeof ops / sizeof *ops, sizeof *ops, by_name);
    const bool common = !domain[0] || strcmp(domain, "com.microsoft") == 0;
    return op && (common || (op->traits & SC_ONNX_PER_DOMAIN)) ? op : NULL;
}

bool sc_onnx_is_opaque(const char *name)
{
    /* whole words of names: MultiHeadAttention, DeformConv, QMoE, MatMulBnb4, FusedGemm2, ... */
    static const char *const words[] = {"Attention", "Conv", "MatMul", "Gemm", "LSTM",
                                        "GRU",       "RNN",  "MoE",    "Mlp",  "MLP"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strstr(name, words[i]))
            return true;
    return false;
}
