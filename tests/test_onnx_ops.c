/* ONNX import: the rarer ops, and every op on inputs that it was not made for. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "onnx_write.h"
#include "workloads_support.h"

/* Every op of the table. */
static const char names[] =
    "Abs Acos Acosh Add Affine AffineGrid And ArgMax ArgMin Asin Asinh Atan Atanh "
    "AveragePool BatchNormalization Bernoulli BiasDropout BiasGelu BiasSoftmax "
    "BipolarQuant BitCast BitShift BitwiseAnd BitwiseNot BitwiseOr BitwiseXor "
    "BlackmanWindow Cast CastLike Ceil Celu CenterCropPad Clip Col2Im Concat Constant "
    "ConstantOfShape Conv ConvInteger ConvTranspose Cos Cosh CumProd CumSum DFT "
    "DepthToSpace DequantizeLinear Div Dropout DynamicQuantizeLSTM DynamicQuantizeLinear "
    "DynamicQuantizeMatMul Einsum Elu EmbedLayerNormalization Equal Erf Exp Expand EyeLike "
    "FastGelu Flatten FloatQuant Floor FusedConv FusedGemm FusedMatMul GRU Gather "
    "GatherElements GatherND Gelu Gemm GemmFastGelu GlobalAveragePool GlobalLpPool "
    "GlobalMaxPool Greater GreaterOrEqual GridSample GroupNorm GroupNormalization "
    "HammingWindow HannWindow HardSigmoid HardSwish Hardmax Identity ImageScaler "
    "InstanceNormalization IntQuant IsInf IsNaN LRN LSTM LayerNormalization LeakyRelu Less "
    "LessOrEqual Log LogSoftmax LpNormalization LpPool MatMul MatMulBnb4 MatMulFpQ4 "
    "MatMulInteger MatMulIntegerToFloat MatMulNBits Max MaxPool MaxUnpool Mean "
    "MeanVarianceNormalization Min Mish Mod Mul MultiThreshold Neg Not OneHot Or PRelu Pad "
    "ParametricSoftplus Pow QGemm QLinearAdd QLinearAveragePool QLinearConcat QLinearConv "
    "QLinearGlobalAveragePool QLinearLeakyRelu QLinearMatMul QLinearMul QLinearReduceMean "
    "QLinearSigmoid QLinearSoftmax Quant QuantizeLinear QuickGelu RMSNormalization RNN "
    "RandomNormal RandomNormalLike RandomUniform RandomUniformLike Range Reciprocal "
    "ReduceL1 ReduceL2 ReduceLogSum ReduceLogSumExp ReduceMax ReduceMean ReduceMin "
    "ReduceProd ReduceSum ReduceSumSquare Relu Reshape Resize ReverseSequence RoiAlign "
    "RotaryEmbedding Round STFT Scale ScaledTanh Scatter ScatterElements ScatterND Selu "
    "Shape Shrink Sigmoid Sign SimplifiedLayerNormalization Sin Sinh Size "
    "SkipLayerNormalization SkipSimplifiedLayerNormalization Slice Softmax Softplus "
    "Softsign SpaceToDepth Split Sqrt Squeeze Sub Sum Swish Tan Tanh TensorScatter "
    "ThresholdedRelu Tile TopK Transpose TransposeMatMul Trilu Trunc Unsqueeze Upsample "
    "Where Xor ";

static om one_input(int elem, size_t rank, const int64_t *dims)
{
    om m = om_graph();
    om_input(&m, "x", elem, rank, dims);
    return m;
}

/* The graph closed by a row that reads `name` reads so many elements in its last row. */
static sc_workload *take_reading(om *m, const char *name, uint64_t elements)
{
    om_node(m, "Exp", name, "the_end");
    sc_workload *w = om_take(m);
    assert_int_equal(w->ops[w->n_ops - 1].in_elems, elements);
    return w;
}

static void test_gathers_and_scatters(void **state)
{
    om m = one_input(F32, L(4, 5));
    om_input(&m, "at", I64, L(4, 3));
    om_node(&m, "GatherElements", "x at", "y");
    sc_workload_destroy(take_reading(&m, "y", 12));

    m = one_input(F32, L(4, 5, 7));
    om_input(&m, "at", I64, L(3, 2)); /* each picks a row of 7 */
    om_node(&m, "GatherND", "x at", "y");
    sc_workload_destroy(take_reading(&m, "y", 21));

    m = one_input(F32, L(4, 5));
    om_input(&m, "at", I64, L(3, 1));
    om_input(&m, "v", F32, L(3, 5));
    om_node(&m, "ScatterND", "x at v", "y");
    sc_workload_destroy(take_reading(&m, "y", 20));

    m = one_input(I64, L(3));
    om_int(&m, "depth", 11);
    om_ints(&m, "values", L(0, 1));
    om_node(&m, "OneHot", "x depth values", "y");
    sc_workload_destroy(take_reading(&m, "y", 33));
}

static void test_maps_and_regions(void **state)
{
    om m = one_input(F32, L(1, 3, 8, 9));
    om_input(&m, "grid", F32, L(1, 5, 7, 2));
    om_node(&m, "GridSample", "x grid", "y");
    sc_workload_destroy(take_reading(&m, "y", 3 * 35));

    m = one_input(F32, L(1, 3, 8, 9));
    om_input(&m, "regions", F32, L(11, 4));
    om_input(&m, "image", I64, L(11));
    om_node(&m, "RoiAlign", "x regions image", "y");
    om_attr_int(&m, "output_height", 2);
    om_attr_int(&m, "output_width", 5);
    sc_workload_destroy(take_reading(&m, "y", 11 * 3 * 10));
}

static void test_reductions_by_nothing(void **state)
{
    om m = one_input(F32, L(2, 3, 5));
    om_ints(&m, "none", 0, NULL);
    om_node(&m, "ReduceSum", "x none", "y");
    om_attr_int(&m, "noop_with_empty_axes", 1);
    sc_workload_destroy(take_reading(&m, "y", 30));

    m = one_input(F32, L(2, 3, 5));
    om_ints(&m, "none", 0, NULL);
    om_node(&m, "ReduceSum", "x none", "y");
    sc_workload_destroy(take_reading(&m, "y", 1));
}

static void test_activations_of_maps(void **state)
{
    static const char *const ops[] = {"Sigmoid", "Tanh", "Gelu", "Elu", "Mish"};
    for (size_t i = 0; i < COUNT(ops); i++) {
        om m = one_input(F32, L(1, 3, 4, 4));
        om_weight(&m, "w", F32, L(5, 3, 1, 1));
        om_node(&m, "Conv", "x w", "c");
        om_node(&m, ops[i], "c", "y");
        sc_workload *w = om_take(&m);
        assert_int_equal(w->n_ops, 1);
        sc_workload_destroy(w);
    }
    om m = one_input(F32, L(1, 3, 4)); /* after a product it is a row, as in transformers */
    om_weight(&m, "w", F32, L(4, 5));
    om_node(&m, "MatMul", "x w", "c");
    om_node(&m, "Gelu", "c", "y");
    sc_workload *w = om_take(&m);
    assert_int_equal(w->n_ops, 2);
    sc_workload_destroy(w);
}

/* Ops of the extension domain that stand for several of the standard one. */
static void test_extension_ops(void **state)
{
    om m = one_input(I64, L(1, 5));
    om_weight(&m, "words", F32, L(11, 6));
    om_weight(&m, "places", F32, L(7, 6));
    om_weight(&m, "kinds", F32, L(2, 6));
    om_weight(&m, "g", F32, L(6));
    om_node(&m, "EmbedLayerNormalization", "x x words places kinds g g", "e");
    om_in_domain(&m, "com.microsoft");
    om_node(&m, "SkipLayerNormalization", "e e g g", "s - - sum");
    om_in_domain(&m, "com.microsoft");
    om_weight(&m, "packed", U8, L(13, 1, 16));
    om_node(&m, "MatMulNBits", "s packed", "n");
    om_in_domain(&m, "com.microsoft");
    om_attr_int(&m, "K", 6);
    om_attr_int(&m, "N", 13);
    om_weight(&m, "w", F32, L(3, 13));
    om_node(&m, "FusedMatMul", "n w", "y");
    om_in_domain(&m, "com.microsoft");
    om_attr_int(&m, "transB", 1);
    sc_workload *w = om_take(&m);
    assert_int_equal(w->n_ops, 4);
    assert_int_equal(w->ops[0].other_params, (11 + 7 + 2 + 2) * 6);
    assert_int_equal(w->ops[1].kind, SC_OP_LAYERNORM);
    assert_int_equal(w->ops[1].in_elems, 60);
    assert_int_equal(w->ops[2].macs, 5 * 6 * 13);
    assert_int_equal(w->ops[3].macs, 5 * 13 * 3);
    sc_workload_destroy(w);
}

/* The diagonals of two matrices are a movement. */
static void test_diagonals(void **state)
{
    om m = one_input(F32, L(2, 5, 5));
    om_node(&m, "Einsum", "x", "y");
    om_attr_text(&m, "equation", "...ii->...i");
    sc_workload *w = take_reading(&m, "y", 10);
    assert_int_equal(w->macs, 0);
    sc_workload_destroy(w);

    m = one_input(F32, L(2, 5, 4));
    om_node(&m, "Einsum", "x", "y");
    om_attr_text(&m, "equation", "aii->ai");
    om_refused(&m, "is not read");
}

/* Operands of FusedMatMul whose rows stand before the axes that are repeated over: 7 products of 5
 * rows, 4 terms and 3 columns, given as 5, 7, 4 and, transposed, as 3, 7, 4. */
static void test_rows_in_front(void **state)
{
    om m = one_input(F32, L(5, 7, 4));
    om_input(&m, "b", F32, L(3, 7, 4));
    om_node(&m, "FusedMatMul", "x b", "y");
    om_in_domain(&m, "com.microsoft");
    om_attr_int(&m, "transBatchA", 1);
    om_attr_int(&m, "transBatchB", 1);
    om_attr_int(&m, "transB", 1);
    sc_workload *w = om_take(&m);
    assert_int_equal(w->ops[0].macs, 7 * 5 * 4 * 3);
    assert_int_equal(w->ops[0].out_elems, 7 * 5 * 3);
    sc_workload_destroy(w);
}

/* Its weights stand the other way round than those of LSTM. */
static void test_quantised_lstm(void **state)
{
    om m = one_input(F32, L(5, 1, 7)); /* steps, samples, features */
    om_weight(&m, "w", I8, L(2, 7, 4 * 11));
    om_weight(&m, "r", I8, L(2, 11, 4 * 11));
    om_node(&m, "DynamicQuantizeLSTM", "x w r", "y");
    om_in_domain(&m, "com.microsoft");
    om_attr_int(&m, "hidden_size", 11);
    sc_workload *w = take_reading(&m, "y", 2 * 5 * 11);
    assert_int_equal(w->macs, 2 * 5 * 44 * (7 + 11));
    assert_int_equal(w->parameters, 2 * 44 * (7 + 11));
    sc_workload_destroy(w);

    m = one_input(F32, L(5, 1, 7));
    om_weight(&m, "w", I8, L(2, 4 * 11, 7)); /* as those of LSTM */
    om_weight(&m, "r", I8, L(2, 4 * 11, 11));
    om_node(&m, "DynamicQuantizeLSTM", "x w r", "y");
    om_in_domain(&m, "com.microsoft");
    om_refused(&m, "do not fit each other");
}

static void test_dynamic_quantisation(void **state)
{
    om m = one_input(F32, L(3, 5));
    om_weight(&m, "w", I8, L(5, 7));
    om_weight(&m, "s", F32, NO_DIMS);
    om_node(&m, "DynamicQuantizeLinear", "x", "q scale zero");
    om_node(&m, "MatMulInteger", "q w zero", "i");
    om_node(&m, "Cast", "i", "f");
    om_attr_int(&m, "to", F32);
    om_node(&m, "Mul", "scale s", "both");
    om_node(&m, "Mul", "f both", "y");
    sc_workload *w = om_take(&m);
    assert_int_equal(w->macs, 105);
    assert_string_equal(sc_op_word(&w->ops[0]), "unary");
    assert_int_equal(w->ops[1].bits, 8);
    sc_workload_destroy(w);
}

/* Bits of QONNX's nodes, whatever domain they are filed under. */
static void test_quantised_to_few_bits(void **state)
{
    om m = one_input(F32, L(1, 5));
    om_weight(&m, "w", F32, L(5, 7));
    om_weight(&m, "s", F32, NO_DIMS);
    om_reals(&m, "four", 1, (float[]){4});
    om_node(&m, "Quant", "x s s four", "xq");
    om_in_domain(&m, "qonnx.custom_op.general");
    om_node(&m, "BipolarQuant", "w s", "wq");
    om_in_domain(&m, "qonnx.custom_op.general");
    om_node(&m, "MatMul", "xq wq", "y");
    sc_workload *w = om_take(&m);
    assert_int_equal(w->n_ops, 1);
    assert_int_equal(w->ops[0].bits, 4);
    assert_int_equal(w->parameters, 35);
    sc_workload_destroy(w);
}

/* One node of that name on so many inputs of that shape. */
static void try_node(const char *op, size_t inputs, size_t rank, int elem, bool constant)
{
    static const int64_t dims[6] = {1, 4, 4, 4, 4, 4};
    static const char *const lists[] = {"", "a", "a b", "a b c", "a b c d"};
    om m = om_graph();
    sc_workload *w = NULL;
    char *report = NULL;
    for (char name[2] = "a"; name[0] < 'e'; name[0]++) {
        if (constant && name[0] > 'a')
            om_ints(&m, name, L(1, 0));
        else
            om_input(&m, name, elem, rank, dims);
    }
    om_node(&m, op, lists[inputs], "y z");
    om_node(&m, "Exp", "y", "the_end");
    const sc_status st = om_import(&w, &report, &m, "");
    assert_true(st == SC_OK || st == SC_EPARSE);
    assert_true(st == SC_OK ? report != NULL : report == NULL && w == NULL);
    sc_workload_destroy(w);
    sc_release(report);
}

static void test_every_op_on_anything(void **state)
{
    char op[64];
    size_t count = 0;
    for (const char *at = names; *at; at += strcspn(at, " ") + 1, count++) {
        const size_t n = strcspn(at, " ");
        memcpy(op, at, n);
        op[n] = '\0';
        for (size_t inputs = 0; inputs <= 4; inputs++)
            for (size_t rank = 0; rank <= 6; rank += 1 + rank / 4)
                try_node(op, inputs, rank, rank % 2 ? F32 : I64, inputs % 2);
    }
    assert_true(count > 150);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_gathers_and_scatters),  cmocka_unit_test(test_maps_and_regions),
        cmocka_unit_test(test_reductions_by_nothing), cmocka_unit_test(test_activations_of_maps),
        cmocka_unit_test(test_extension_ops),         cmocka_unit_test(test_diagonals),
        cmocka_unit_test(test_rows_in_front),         cmocka_unit_test(test_quantised_lstm),
        cmocka_unit_test(test_dynamic_quantisation),  cmocka_unit_test(test_quantised_to_few_bits),
        cmocka_unit_test(test_every_op_on_anything),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
