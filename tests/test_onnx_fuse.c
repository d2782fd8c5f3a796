/* ONNX import: activations and norms that a file writes out in parts. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "onnx_write.h"
#include "workloads_support.h"

static om start(void)
{
    om m = om_graph();
    om_input(&m, "x", F32, L(1, 5, 6));
    om_weight(&m, "c", F32, NO_DIMS);
    om_weight(&m, "g", F32, L(6));
    om_weight(&m, "wrong", F32, L(5, 1));
    om_ints(&m, "last", L(-1));
    return m;
}

/* The graph becomes these rows, by their words, separated by blanks. */
static void expect_rows(om *m, const char *words)
{
    char text[256] = "";
    sc_workload *w = om_take(m);
    for (size_t i = 0; i < w->n_ops; i++) {
        strcat(text, i ? " " : "");
        strcat(text, sc_op_word(&w->ops[i]));
    }
    assert_string_equal(text, words);
    assert_int_equal(w->ops[w->n_ops - 1].out_elems, 30);
    sc_workload_destroy(w);
}

static void test_gates(void **state)
{
    om m = start();
    om_node(&m, "Sigmoid", "x", "s");
    om_node(&m, "Mul", "s x", "y");
    expect_rows(&m, "silu");

    m = start();
    om_node(&m, "HardSigmoid", "x", "s");
    om_node(&m, "Mul", "x s", "y");
    expect_rows(&m, "hswish");

    m = start(); /* another reader of the sigmoid */
    om_node(&m, "Sigmoid", "x", "s");
    om_node(&m, "Mul", "x s", "y");
    om_node(&m, "Add", "y s", "z");
    expect_rows(&m, "sigmoid mul add");

    m = start(); /* the gate of something else */
    om_node(&m, "Exp", "x", "e");
    om_node(&m, "Sigmoid", "x", "s");
    om_node(&m, "Mul", "e s", "y");
    expect_rows(&m, "exp sigmoid mul");
}

static void test_gate_behind_a_conv(void **state)
{
    om m = om_graph();
    om_input(&m, "x", F32, L(1, 3, 5, 2));
    om_weight(&m, "w", F32, L(3, 3, 1, 1));
    om_node(&m, "Conv", "x w", "c");
    om_node(&m, "Sigmoid", "c", "s");
    om_node(&m, "Mul", "c s", "y");
    expect_rows(&m, "conv");
}

static void test_gelu(void **state)
{
    om m = start(); /* (x (1 + erf)) / 2 */
    om_node(&m, "Div", "x c", "d");
    om_node(&m, "Erf", "d", "e");
    om_node(&m, "Add", "e c", "a");
    om_node(&m, "Mul", "x a", "b");
    om_node(&m, "Mul", "b c", "y");
    expect_rows(&m, "gelu");

    m = start(); /* x ((1 + erf) / 2) */
    om_node(&m, "Mul", "x c", "d");
    om_node(&m, "Erf", "d", "e");
    om_node(&m, "Add", "c e", "a");
    om_node(&m, "Mul", "c a", "b");
    om_node(&m, "Mul", "x b", "y");
    expect_rows(&m, "gelu");

    m = start(); /* (x / 2) (1 + erf) */
    om_node(&m, "Div", "x c", "d");
    om_node(&m, "Erf", "d", "e");
    om_node(&m, "Add", "e c", "a");
    om_node(&m, "Mul", "x c", "b");
    om_node(&m, "Mul", "b a", "y");
    expect_rows(&m, "gelu");

    m = start(); /* erf of one thing times another */
    om_node(&m, "Tanh", "x", "t");
    om_node(&m, "Div", "x c", "d");
    om_node(&m, "Erf", "d", "e");
    om_node(&m, "Add", "e c", "a");
    om_node(&m, "Mul", "t a", "b");
    om_node(&m, "Mul", "b c", "y");
    expect_rows(&m, "tanh unary exp unary mul");
}

/* Mean, difference, variance, root, quotient, scale and shift. */
static om layer_norm(const char *scale)
{
    om m = start();
    char operands[32];
    (void)snprintf(operands, sizeof operands, "q %s", scale);
    om_node(&m, "ReduceMean", "x last", "mean");
    om_node(&m, "Sub", "x mean", "d");
    om_node(&m, "Pow", "d c", "p");
    om_node(&m, "ReduceMean", "p last", "v");
    om_node(&m, "Add", "v c", "e");
    om_node(&m, "Sqrt", "e", "r");
    om_node(&m, "Div", "d r", "q");
    om_node(&m, "Mul", operands, "s");
    om_node(&m, "Add", "s g", "y");
    return m;
}

static void test_layer_norm(void **state)
{
    om m = layer_norm("g");
    sc_workload *w = om_take(&m);
    assert_int_equal(w->n_ops, 1);
    assert_int_equal(w->ops[0].kind, SC_OP_LAYERNORM);
    assert_int_equal(w->parameters, 12);
    assert_int_equal(w->ops[0].cin, 6);
    sc_workload_destroy(w);

    m = layer_norm("wrong"); /* a scale a position is no layer norm */
    w = om_take(&m);
    assert_true(w->n_ops > 5);
    sc_workload_destroy(w);
}

static void test_rms_norm(void **state)
{
    static const char *const roots[] = {"Div", "Reciprocal"};
    for (size_t i = 0; i < 2; i++) {
        om m = start();
        om_node(&m, "Mul", "x x", "p");
        om_node(&m, "ReduceMean", "p last", "v");
        om_node(&m, "Add", "v c", "e");
        om_node(&m, "Sqrt", "e", "r");
        om_node(&m, roots[i], i ? "r" : "c r", "i");
        om_node(&m, "Mul", "x i", "q");
        om_node(&m, "Mul", "g q", "y");
        expect_rows(&m, "rmsnorm");
    }
    om m = start();
    om_node(&m, "Pow", "x c", "p");
    om_node(&m, "ReduceMean", "p last", "v");
    om_node(&m, "Add", "v c", "e");
    om_node(&m, "Sqrt", "e", "r");
    om_node(&m, "Div", "x r", "q");
    om_node(&m, "Mul", "q g", "y");
    expect_rows(&m, "rmsnorm");
}

static void test_sum_before_a_norm(void **state)
{
    om m = start();
    om_node(&m, "Exp", "x", "e");
    om_node(&m, "Add", "x e", "a");
    om_node(&m, "LayerNormalization", "a g g", "y");
    sc_workload *w = om_take(&m);
    assert_int_equal(w->n_ops, 2);
    assert_int_equal(w->ops[1].kind, SC_OP_LAYERNORM);
    assert_int_equal(w->ops[1].in_elems, 60); /* reads both */
    sc_workload_destroy(w);

    m = start(); /* the sum goes on elsewhere */
    om_node(&m, "Exp", "x", "e");
    om_node(&m, "Add", "x e", "a");
    om_node(&m, "LayerNormalization", "a g g", "n");
    om_node(&m, "Mul", "n a", "y");
    expect_rows(&m, "exp add layernorm mul");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_gates),    cmocka_unit_test(test_gate_behind_a_conv),
        cmocka_unit_test(test_gelu),     cmocka_unit_test(test_layer_norm),
        cmocka_unit_test(test_rms_norm), cmocka_unit_test(test_sum_before_a_norm),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
