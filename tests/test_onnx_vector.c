/* ONNX import: rows of the vector unit, and what is folded into the row before. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "onnx_write.h"
#include "workloads_support.h"

static om conv_first(void)
{
    om m = om_graph();
    om_input(&m, "x", F32, L(1, 3, 8, 8));
    om_weight(&m, "w", F32, L(5, 3, 1, 1));
    om_node(&m, "Conv", "x w", "c");
    return m;
}

static void test_norm_and_activation_fold(void **state)
{
    om m = conv_first();
    om_weight(&m, "v", F32, L(5));
    om_weight(&m, "b", F32, L(1, 5, 1, 1));
    om_node(&m, "Add", "c b", "biased");
    om_node(&m, "BatchNormalization", "biased v v v v", "n");
    om_node(&m, "Relu", "n", "r");
    om_node(&m, "Clip", "r", "y");
    sc_workload *w = om_take(&m);
    assert_int_equal(w->n_ops, 1);
    assert_int_equal(w->parameters, 15 + 5 + 10); /* weights, bias, two a channel */
    sc_workload_destroy(w);
}

static void test_norm_that_others_read_around(void **state)
{
    om m = conv_first();
    om_weight(&m, "v", F32, L(5));
    om_node(&m, "BatchNormalization", "c v v v v", "n");
    om_node(&m, "Add", "c n", "y"); /* the conv's own result is read too */
    sc_workload *w = om_take(&m);
    assert_int_equal(w->n_ops, 3);
    assert_int_equal(w->ops[1].kind, SC_OP_BATCHNORM);
    assert_int_equal(w->ops[1].other_params, 10);
    assert_int_equal(w->parameters, 15 + 10);
    sc_workload_destroy(w);
}

static void test_activation_that_others_read_around(void **state)
{
    om m = conv_first();
    om_node(&m, "Relu", "c", "r");
    om_node(&m, "Add", "c r", "y");
    sc_workload *w = om_take(&m);
    assert_int_equal(w->n_ops, 3);
    assert_string_equal(sc_op_word(&w->ops[1]), "relu");
    sc_workload_destroy(w);

    m = conv_first(); /* the conv's own result is wanted */
    om_node(&m, "Relu", "c", "r");
    om_output(&m, "c");
    w = om_take(&m);
    assert_int_equal(w->n_ops, 2);
    sc_workload_destroy(w);
}

static void test_activations(void **state)
{
    static const struct {
        const char *op, *word;
    } cases[] = {{"Relu", "relu"},       {"Sigmoid", "sigmoid"},  {"Tanh", "tanh"},
                 {"Gelu", "gelu"},       {"HardSwish", "hswish"}, {"HardSigmoid", "hsigmoid"},
                 {"Erf", "exp"},         {"Sqrt", "exp"},         {"Neg", "unary"},
                 {"LeakyRelu", "unary"}, {"Elu", "exp"},          {"Softmax", "softmax"}};
    for (size_t i = 0; i < COUNT(cases); i++) {
        om m = om_graph();
        om_input(&m, "x", F32, L(2, 3, 5));
        om_node(&m, cases[i].op, "x", "y");
        sc_workload *w = om_take(&m);
        assert_int_equal(w->n_ops, 1);
        assert_string_equal(sc_op_word(&w->ops[0]), cases[i].word);
        assert_int_equal(w->ops[0].out_elems, 30);
        assert_int_equal(w->macs, 0);
        sc_workload_destroy(w);
    }
}

static void test_slope_a_channel(void **state)
{
    om m = om_graph();
    om_input(&m, "x", F32, L(1, 3, 5));
    om_weight(&m, "slope", F32, L(3, 1));
    om_node(&m, "PRelu", "x slope", "y");
    sc_workload *w = om_take(&m);
    assert_int_equal(w->parameters, 3);
    sc_workload_destroy(w);
}

/* How many elements are read when one operand repeats. */
static void test_broadcasting(void **state)
{
    static const struct {
        size_t ra, rb;
        int64_t a[4], b[4];
        uint64_t in, out;
    } cases[] = {
        {2, 2, {4, 6}, {4, 6}, 48, 24},
        {3, 1, {1, 4, 6}, {6}, 30, 24},
        {4, 3, {1, 3, 4, 6}, {3, 1, 1}, 75, 72},
        {4, 4, {1, 3, 4, 6}, {1, 1, 4, 6}, 96, 72},
        {4, 4, {1, 3, 4, 6}, {1, 3, 1, 6}, 90, 72},
        {2, 2, {1, 6}, {4, 1}, 24 + 4, 24}, /* neither is whole: the larger one is read again */
        {3, 1, {1, 4, 6}, {1}, 25, 24},
        {4, 2, {1, 3, 4, 6}, {4, 1}, 76, 72},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        om m = om_graph();
        om_input(&m, "a", F32, cases[i].ra, cases[i].a);
        om_input(&m, "b", F32, cases[i].rb, cases[i].b);
        om_node(&m, i % 2 ? "Mul" : "Add", "a b", "y");
        sc_workload *w = om_take(&m);
        assert_int_equal(w->n_ops, 1);
        assert_int_equal(w->ops[0].kind, i % 2 ? SC_OP_MUL : SC_OP_ADD);
        assert_int_equal(w->ops[0].in_elems, cases[i].in);
        assert_int_equal(w->ops[0].out_elems, cases[i].out);
        sc_workload_destroy(w);
    }
}

/* Files of opset 6 and before say where the smaller operand lies. */
static void test_old_broadcasting(void **state)
{
    om m = om_graph();
    om_input(&m, "a", F32, L(1, 3, 4, 5));
    om_input(&m, "b", F32, L(3, 4));
    om_node(&m, "Sub", "a b", "y");
    om_attr_int(&m, "broadcast", 1);
    om_attr_int(&m, "axis", 1);
    sc_workload *w = om_take(&m);
    assert_int_equal(w->n_ops, 1);
    assert_int_equal(w->ops[0].in_elems, 60 + 12);
    sc_workload_destroy(w);

    m = conv_first(); /* a bias in the old way */
    om_weight(&m, "b", F32, L(5));
    om_node(&m, "Add", "c b", "y");
    om_attr_int(&m, "broadcast", 1);
    om_attr_int(&m, "axis", 1);
    w = om_take(&m);
    assert_int_equal(w->n_ops, 1);
    assert_int_equal(w->parameters, 15 + 5);
    sc_workload_destroy(w);
}

static void test_constants_among_operands(void **state)
{
    om m = om_graph();
    om_input(&m, "x", F32, L(1, 4, 6));
    om_weight(&m, "table", F32, L(4, 6));
    om_weight(&m, "half", F32, NO_DIMS);
    om_node(&m, "Add", "x table", "a"); /* learned positions */
    om_node(&m, "Mul", "a half", "b");  /* one number: part of the row before */
    om_node(&m, "Exp", "b", "c");
    om_node(&m, "Mul", "half c", "d"); /* no such row before */
    sc_workload *w = om_take(&m);
    assert_int_equal(w->n_ops, 3);
    assert_int_equal(w->ops[0].kind, SC_OP_ADD);
    assert_int_equal(w->ops[0].other_params, 24);
    assert_string_equal(sc_op_word(&w->ops[2]), "unary");
    assert_int_equal(w->parameters, 24);
    sc_workload_destroy(w);
}

static void test_pools(void **state)
{
    om m = om_graph();
    om_input(&m, "x", F32, L(2, 3, 11, 13));
    om_node(&m, "MaxPool", "x", "a where");
    om_attr_ints(&m, "kernel_shape", L(3, 3));
    om_attr_ints(&m, "strides", L(2, 2)); /* 5 x 6 */
    om_node(&m, "AveragePool", "x", "b");
    om_attr_ints(&m, "kernel_shape", L(3, 2));
    om_attr_ints(&m, "strides", L(3, 2));
    om_attr_int(&m, "ceil_mode", 1); /* ceil(8 / 3) + 1 = 4, ceil(11 / 2) + 1 = 7 */
    om_node(&m, "GlobalAveragePool", "x", "c");
    om_node(&m, "MaxPool", "x", "d"); /* a fifth window of each column would begin in the padding */
    om_attr_ints(&m, "kernel_shape", L(3, 3));
    om_attr_ints(&m, "strides", L(3, 4));
    om_attr_ints(&m, "pads", L(1, 0, 2, 2)); /* 14 and 15 positions */
    om_attr_int(&m, "ceil_mode", 1);
    sc_workload *w = om_take(&m);
    assert_int_equal(w->n_ops, 4);
    assert_int_equal(w->ops[3].oh, 4); /* floor(11 / 3) + 1; ceil would begin one at 12 of 1 + 11 */
    assert_int_equal(w->ops[3].ow, 4);
    assert_int_equal(w->ops[0].oh * w->ops[0].ow, 30);
    assert_string_equal(w->ops[0].function, "max");
    assert_int_equal(w->ops[1].oh, 4);
    assert_int_equal(w->ops[1].ow, 7);
    assert_string_equal(w->ops[1].function, "avg");
    assert_int_equal(w->ops[2].out_elems, 6);
    sc_workload_destroy(w);
}

/* A pool larger than its data by less than a stride has one result (its extent is a quotient that
 * is rounded towards 0); by a stride it has none, and a convolution never has one. */
static void test_pools_that_overhang(void **state)
{
    static const char *const none = "an effective kernel of 4 on 2 positions and 0 of padding";
    static const char *const ops[] = {"MaxPool", "AveragePool", "MaxPool", "Conv"};
    for (size_t i = 0; i < COUNT(ops); i++) {
        om m = om_graph();
        om_input(&m, "x", F32, L(1, 3, 2, 5));
        om_weight(&m, "w", F32, L(1, 3, 4, 1));
        om_node(&m, ops[i], i == 3 ? "x w" : "x", "y");
        om_attr_ints(&m, "kernel_shape", L(4, 1));
        om_attr_ints(&m, "strides", L(i == 2 ? 2 : 3, 1));
        if (i >= 2) {
            om_refused(&m, none);
            continue;
        }
        char *report = NULL;
        sc_workload *w = NULL;
        assert_int_equal(om_import(&w, &report, &m, ""), SC_OK);
        assert_int_equal(w->ops[0].oh, 1);
        assert_int_equal(w->ops[0].out_elems, 15);
        assert_int_equal(w->ops[0].in_elems, 30);
        assert_non_null(strstr(report, "taken as one that overhangs them"));
        sc_release(report);
        sc_workload_destroy(w);
    }
}

static void test_norms(void **state)
{
    om m = om_graph();
    om_input(&m, "x", F32, L(1, 7, 6));
    om_weight(&m, "g", F32, L(6));
    om_weight(&m, "h", F32, L(7));
    om_node(&m, "LayerNormalization", "x g g", "a");
    om_node(&m, "RMSNormalization", "a g", "b");
    om_node(&m, "InstanceNormalization", "b h h", "c");
    sc_workload *w = om_take(&m);
    assert_int_equal(w->n_ops, 3);
    assert_int_equal(w->ops[0].kind, SC_OP_LAYERNORM);
    assert_int_equal(w->ops[0].other_params, 12);
    assert_int_equal(w->ops[0].cin, 6);
    assert_int_equal(w->ops[1].kind, SC_OP_RMSNORM);
    assert_int_equal(w->ops[1].other_params, 6);
    assert_int_equal(w->ops[2].other_params, 14);
    sc_workload_destroy(w);
}

static void test_precision(void **state)
{
    om m = om_graph();
    om_input(&m, "x", F16, L(2, 3));
    om_node(&m, "Exp", "x", "a");
    om_node(&m, "Cast", "a", "b");
    om_attr_int(&m, "to", F64);
    om_node(&m, "Exp", "b", "c");
    sc_workload *w = om_take(&m);
    assert_int_equal(w->bits, 16);
    assert_int_equal(w->ops[0].bits, 16);
    assert_int_equal(w->ops[w->n_ops - 1].bits, 64);
    sc_workload_destroy(w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_norm_and_activation_fold),
        cmocka_unit_test(test_norm_that_others_read_around),
        cmocka_unit_test(test_activation_that_others_read_around),
        cmocka_unit_test(test_activations),
        cmocka_unit_test(test_slope_a_channel),
        cmocka_unit_test(test_broadcasting),
        cmocka_unit_test(test_old_broadcasting),
        cmocka_unit_test(test_constants_among_operands),
        cmocka_unit_test(test_pools),
        cmocka_unit_test(test_pools_that_overhang),
        cmocka_unit_test(test_norms),
        cmocka_unit_test(test_precision),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
