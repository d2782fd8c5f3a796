/* ONNX import: ops that multiply, with counts worked out by hand. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "core/rng.h"
#include "onnx_write.h"
#include "workloads_support.h"

/* The one row of a network. */
static const sc_op *only(const sc_workload *w)
{
    assert_int_equal(w->n_ops, 1);
    return &w->ops[0];
}

static om conv_graph(size_t rank, const int64_t *x, const int64_t *w)
{
    om m = om_graph();
    om_input(&m, "x", F32, rank, x);
    om_weight(&m, "w", F32, rank, w);
    om_node(&m, "Conv", "x w", "y");
    om_output(&m, "y");
    return m;
}

static void test_conv_1d(void **state)
{
    om m = conv_graph(3, (int64_t[]){2, 5, 17}, (int64_t[]){7, 5, 3});
    om_attr_ints(&m, "strides", L(2));
    om_attr_ints(&m, "pads", L(1, 1));
    sc_workload *w = om_take(&m);
    const sc_op *op = only(w);
    assert_int_equal(op->kind, SC_OP_CONV);
    assert_int_equal(w->batch, 2);
    assert_int_equal(op->oh, 9); /* (17 + 2 - 3) / 2 + 1 */
    assert_int_equal(op->macs, 2 * 9 * 7 * 5 * 3);
    assert_int_equal(op->in_elems, 2 * 5 * 17);
    assert_int_equal(op->out_elems, 2 * 7 * 9);
    assert_int_equal(w->parameters, 7 * 5 * 3);
    assert_int_equal(op->bits, 32);
    sc_workload_destroy(w);
}

static void test_conv_2d(void **state)
{
    om m = conv_graph(4, (int64_t[]){1, 6, 19, 23}, (int64_t[]){9, 2, 3, 5});
    om_attr_int(&m, "group", 3);
    om_attr_ints(&m, "dilations", L(2, 3));
    om_attr_ints(&m, "strides", L(2, 3));
    om_attr_ints(&m, "pads", L(1, 2, 3, 4));
    sc_workload *w = om_take(&m);
    const sc_op *op = only(w);
    assert_int_equal(op->groups, 3);
    assert_int_equal(op->oh, 10); /* (19 + 1 + 3 - 5) / 2 + 1 */
    assert_int_equal(op->ow, 6);  /* (23 + 2 + 4 - 13) / 3 + 1 */
    assert_int_equal(op->pad_top, 1);
    assert_int_equal(op->pad_left, 2);
    assert_int_equal(op->pad_bottom, 3);
    assert_int_equal(op->pad_right, 4);
    assert_int_equal(op->macs, 10 * 6 * 9 * 2 * 15);
    sc_workload_destroy(w);
}

static void test_conv_3d(void **state)
{
    om m = conv_graph(5, (int64_t[]){1, 2, 7, 11, 13}, (int64_t[]){3, 2, 2, 3, 5});
    sc_workload *w = om_take(&m);
    assert_int_equal(only(w)->macs, 6 * 9 * 9 * 3 * 2 * 30);
    assert_int_equal(only(w)->od, 6);
    sc_workload_destroy(w);
}

/* What does not fit is refused, with the numbers. */
static void test_convs_that_do_not_fit(void **state)
{
    om m = conv_graph(4, (int64_t[]){1, 4, 8, 8}, (int64_t[]){6, 3, 3, 3});
    om_refused(&m, "reads 4 channels; its weights are for 3 in each of 1 groups");
    m = conv_graph(4, (int64_t[]){1, 4, 8, 8}, (int64_t[]){7, 2, 3, 3});
    om_attr_int(&m, "group", 2);
    om_refused(&m, "2 groups do not divide 7 output channels");
    m = conv_graph(4, (int64_t[]){1, 4, 2, 8}, (int64_t[]){7, 4, 3, 3});
    om_attr_ints(&m, "dilations", L(2, 1));
    om_refused(&m, "an effective kernel of 5 on 2 positions and 0 of padding");
    m = conv_graph(4, (int64_t[]){1, 4, 8, 8}, (int64_t[]){7, 4, 3, 3});
    om_attr_text(&m, "auto_pad", "SAME_UPER");
    om_refused(&m, "auto_pad 'SAME_UPER' is none of NOTSET, SAME_UPPER, SAME_LOWER, VALID (did you "
                   "mean 'SAME_UPPER'?)");
    m = conv_graph(4, (int64_t[]){1, 4, 8, 8}, (int64_t[]){7, 4, 3, 3});
    om_attr_ints(&m, "pads", L(1, 1, -1, 1));
    om_refused(&m, "pads is -1, must be at least 0");
    m = conv_graph(4, (int64_t[]){1, 4, 8, 8}, (int64_t[]){7, 4, 3, 3});
    om_attr_ints(&m, "strides", L(1, 1, 1));
    om_refused(&m, "strides has 3 numbers for 2 axes");
}

/* Random windows against counting every place where one fits. */
static void test_windows_by_counting(void **state)
{
    sc_rng rng;
    sc_rng_init(&rng, 1, 0, 0);
    for (int i = 0; i < 200; i++) {
        int64_t in = 1 + (int64_t)gsl_rng_uniform_int(&rng.gsl, 20),
                k = 1 + (int64_t)gsl_rng_uniform_int(&rng.gsl, 5);
        int64_t stride = 1 + (int64_t)gsl_rng_uniform_int(&rng.gsl, 4),
                before = (int64_t)gsl_rng_uniform_int(&rng.gsl, 4);
        int64_t dilation = 1 + (int64_t)gsl_rng_uniform_int(&rng.gsl, 3),
                after = (int64_t)gsl_rng_uniform_int(&rng.gsl, 4);
        uint64_t places = 0;
        for (int64_t at = -before; at + (k - 1) * dilation < in + after; at += stride)
            places++;
        om m = conv_graph(3, (int64_t[]){1, 3, in}, (int64_t[]){5, 3, k});
        om_attr_ints(&m, "strides", 1, &stride);
        om_attr_ints(&m, "dilations", 1, &dilation);
        om_attr_ints(&m, "pads", L(before, after));
        if (!places) {
            om_refused(&m, "an effective kernel");
            continue;
        }
        sc_workload *w = om_take(&m);
        assert_int_equal(only(w)->macs, places * 15 * (uint64_t)k);
        sc_workload_destroy(w);
    }
}

static void test_padding_by_rule(void **state)
{
    static const struct {
        const char *rule;
        uint64_t top, bottom, oh, ow;
    } cases[] = {{"SAME_UPPER", 1, 2, 4, 4}, {"SAME_LOWER", 2, 1, 4, 4}, {"VALID", 0, 0, 3, 3}};
    for (size_t i = 0; i < COUNT(cases); i++) {
        om m = conv_graph(4, (int64_t[]){1, 3, 10, 11}, (int64_t[]){5, 3, 4, 4});
        om_attr_ints(&m, "strides", L(3, 3));
        om_attr_text(&m, "auto_pad", cases[i].rule);
        sc_workload *w = om_take(&m);
        const sc_op *op = only(w);
        assert_int_equal(op->pad_top, cases[i].top); /* 3 * 3 + 4 - 10 = 3 in all */
        assert_int_equal(op->pad_bottom, cases[i].bottom);
        assert_int_equal(op->oh, cases[i].oh);
        assert_int_equal(op->macs, cases[i].oh * cases[i].ow * 5 * 3 * 16);
        sc_workload_destroy(w);
    }
}

static void test_depthwise(void **state)
{
    om m = conv_graph(4, (int64_t[]){1, 4, 6, 6}, (int64_t[]){8, 1, 3, 3});
    om_attr_int(&m, "group", 4);
    sc_workload *w = om_take(&m);
    assert_int_equal(only(w)->kind, SC_OP_DWCONV);
    assert_int_equal(only(w)->macs, 16 * 8 * 9);
    assert_int_equal(only(w)->cout, 8);
    sc_workload_destroy(w);
}

/* A second input without samples: the first one's two stand in the row itself. */
static void test_samples_that_cannot_be_told(void **state)
{
    om m = conv_graph(4, (int64_t[]){2, 3, 5, 5}, (int64_t[]){7, 3, 3, 3});
    om_input(&m, "v", F32, L(7, 1, 1));
    om_node(&m, "Mul", "y v", "z");
    sc_workload *w = om_take(&m);
    assert_int_equal(w->batch, 1);
    assert_int_equal(w->ops[0].macs, 2 * 9 * 7 * 27);
    assert_int_equal(w->ops[0].in_elems, 2 * 75);
    assert_int_equal(w->ops[1].in_elems, 2 * 63 + 7);
    sc_workload_destroy(w);

    m = conv_graph(5, (int64_t[]){2, 3, 5, 5, 5}, (int64_t[]){7, 3, 3, 3, 3});
    om_input(&m, "v", F32, L(7, 1, 1, 1));
    om_node(&m, "Mul", "y v", "z");
    w = om_take(&m);
    assert_int_equal(w->macs, 2 * 27 * 7 * 81);
    assert_int_equal(w->parameters, 7 * 81);
    sc_workload_destroy(w);
}

static om back_graph(void)
{
    om m = om_graph();
    om_input(&m, "x", F32, L(1, 4, 5, 7));
    om_weight(&m, "w", F32, L(4, 3, 3, 2));
    om_weight(&m, "b", F32, L(6));
    om_node(&m, "ConvTranspose", "x w b", "y");
    om_attr_int(&m, "group", 2);
    om_attr_ints(&m, "strides", L(2, 3));
    om_output(&m, "y");
    return m;
}

static void test_conv_transposed(void **state)
{
    om m = back_graph();
    om_attr_ints(&m, "pads", L(1, 0, 1, 0));
    om_attr_ints(&m, "output_padding", L(1, 2));
    sc_workload *w = om_take(&m);
    const sc_op *op = only(w);
    assert_int_equal(op->kind, SC_OP_TCONV);
    assert_int_equal(op->oh, 10); /* 2 * 4 + 3 + 1 - 2 */
    assert_int_equal(op->ow, 22); /* 3 * 6 + 2 + 2 */
    assert_int_equal(op->macs, 5 * 7 * 4 * 3 * 6);
    assert_int_equal(w->parameters, 4 * 3 * 6 + 6);
    sc_workload_destroy(w);
}

static void test_conv_transposed_to_a_size(void **state)
{
    om m = back_graph();
    om_attr_ints(&m, "output_shape", L(8, 24)); /* full: 11, 20 */
    sc_workload *w = om_take(&m);
    const sc_op *op = only(w);
    assert_int_equal(op->oh, 8);
    assert_int_equal(op->ow, 24);
    assert_int_equal(op->pad_top, 2); /* of 3: the odd one before unless SAME_UPPER */
    assert_int_equal(op->macs, 5 * 7 * 4 * 3 * 6);
    sc_workload_destroy(w);

    m = back_graph();
    om_attr_text(&m, "auto_pad", "SAME_UPPER");
    w = om_take(&m);
    assert_int_equal(only(w)->oh, 10); /* in * stride */
    assert_int_equal(only(w)->ow, 21);
    assert_int_equal(only(w)->pad_top, 0);
    assert_int_equal(only(w)->pad_bottom, 1);
    sc_workload_destroy(w);
}

static void test_gemm(void **state)
{
    om m = om_graph();
    om_input(&m, "x", F32, L(7, 3)); /* read transposed: 3 x 7 */
    om_weight(&m, "w", F32, L(11, 7));
    om_weight(&m, "c", F32, L(11));
    om_node(&m, "Gemm", "x w c", "y");
    om_attr_int(&m, "transA", 1);
    om_attr_int(&m, "transB", 1);
    sc_workload *w = om_take(&m);
    assert_int_equal(only(w)->kind, SC_OP_MATMUL);
    assert_int_equal(w->macs, 3 * 7 * 11);
    assert_int_equal(w->parameters, 77 + 11);
    sc_workload_destroy(w);

    m = om_graph();
    om_input(&m, "x", F32, L(3, 7));
    om_weight(&m, "w", F32, L(7, 11));
    om_weight(&m, "c", F32, L(3, 11)); /* no bias a column */
    om_node(&m, "Gemm", "x w c", "y");
    w = om_take(&m);
    assert_int_equal(w->n_ops, 2);
    assert_int_equal(w->batch, 3);
    assert_int_equal(w->ops[0].kind, SC_OP_FC);
    assert_int_equal(w->macs, 3 * 7 * 11);
    assert_int_equal(w->ops[1].kind, SC_OP_ADD);
    assert_int_equal(w->parameters, 77 + 33);
    sc_workload_destroy(w);
}

/* Against the operator's rules, but files do it. */
static void test_gemm_of_more_dimensions(void **state)
{
    om m = om_graph();
    om_input(&m, "a", F32, L(1, 2, 5, 6));
    om_input(&m, "b", F32, L(1, 2, 5, 7));
    om_node(&m, "Gemm", "a b", "y");
    om_attr_int(&m, "transA", 1);
    sc_workload *w = om_take(&m);
    assert_int_equal(w->macs, 2 * 6 * 7 * 5);
    assert_int_equal(only(w)->out_elems, 2 * 42);
    sc_workload_destroy(w);
}

static om product_graph(const char *op, size_t ra, const int64_t *a, size_t rb, const int64_t *b,
                        bool constant_a, bool constant_b)
{
    om m = om_graph();
    if (constant_a)
        om_weight(&m, "a", F32, ra, a);
    else
        om_input(&m, "a", F32, ra, a);
    if (constant_b)
        om_weight(&m, "b", F32, rb, b);
    else
        om_input(&m, "b", F32, rb, b);
    om_node(&m, op, "a b", "y");
    return m;
}

static void test_matmul_with_weights(void **state)
{
    om m = product_graph("MatMul", L(3, 11, 13), L(13, 17), false, true);
    om_weight(&m, "c", F32, L(17));
    om_node(&m, "Add", "c y", "z"); /* a bias, whichever side it stands on */
    sc_workload *w = om_take(&m);
    const sc_op *op = only(w);
    assert_int_equal(op->kind, SC_OP_MATMUL);
    assert_int_equal(w->batch, 3);
    assert_int_equal(op->m, 33);
    assert_int_equal(op->macs, 33 * 13 * 17);
    assert_int_equal(w->parameters, 13 * 17 + 17);
    sc_workload_destroy(w);

    m = product_graph("MatMul", L(3, 11, 13), L(13, 17), false, true);
    om_weight(&m, "c", F32, L(17));
    om_node(&m, "Add", "c y", "z");
    om_output(&m, "y"); /* a result of its own: nothing is folded into it */
    w = om_take(&m);
    assert_int_equal(w->n_ops, 2);
    assert_int_equal(w->ops[0].other_params, 0);
    assert_int_equal(w->ops[1].other_params, 17);
    sc_workload_destroy(w);
}

static void test_matmul_of_two_inputs(void **state)
{
    om m = product_graph("MatMul", L(2, 3, 5, 7), L(2, 3, 7, 11), false, false);
    sc_workload *w = om_take(&m);
    const sc_op *op = only(w);
    assert_int_equal(op->kind, SC_OP_BMM);
    assert_int_equal(w->batch, 2);
    assert_int_equal(op->count, 6);
    assert_int_equal(op->macs, 6 * 5 * 7 * 11);
    assert_int_equal(op->sharing, 1);
    sc_workload_destroy(w);

    m = product_graph("MatMul", L(4, 6, 3, 7), L(6, 7, 11), false, false); /* b for each of 4 */
    w = om_take(&m);
    op = only(w);
    assert_int_equal(op->macs, 24 * 3 * 7 * 11);
    assert_int_equal(op->sharing, 4);
    assert_int_equal(op->in_elems, 24 * 21 + 6 * 77);
    sc_workload_destroy(w);

    m = product_graph("MatMul", L(6, 3, 7), L(4, 6, 7, 11), false, false); /* a for each of 4 */
    w = om_take(&m);
    op = only(w);
    assert_int_equal(op->macs, 24 * 3 * 7 * 11);
    assert_int_equal(op->sharing, 4);
    assert_int_equal(op->in_elems, 6 * 21 + 24 * 77);
    sc_workload_destroy(w);

    m = product_graph("MatMul", L(7), L(7), false, false);
    w = om_take(&m);
    assert_int_equal(w->macs, 7);
    sc_workload_destroy(w);

    m = product_graph("MatMul", L(5, 3, 7), L(7), false, false);
    w = om_take(&m);
    assert_int_equal(w->macs, 5 * 3 * 7);
    sc_workload_destroy(w);
}

static void test_matmul_with_weights_in_front(void **state)
{
    om m = product_graph("MatMul", L(9, 7), L(2, 7, 5), true, false);
    sc_workload *w = om_take(&m);
    assert_int_equal(only(w)->kind, SC_OP_MATMUL);
    assert_int_equal(w->macs, 2 * 9 * 7 * 5);
    assert_int_equal(w->parameters, 63);
    sc_workload_destroy(w);

    m = product_graph("MatMul", L(2, 3, 5, 7), L(3, 7, 11), false, true); /* weights a head */
    w = om_take(&m);
    assert_int_equal(only(w)->groups, 3);
    assert_int_equal(w->macs, 2 * 3 * 5 * 7 * 11);
    assert_int_equal(w->parameters, 3 * 77);
    sc_workload_destroy(w);
}

static void test_products_of_constants(void **state)
{
    om m = product_graph("MatMul", L(3, 5), L(5, 7), true, true);
    om_weight(&m, "x", F32, L(1, 2, 4, 4));
    om_weight(&m, "k", F32, L(3, 2, 1, 1));
    om_node(&m, "Conv", "x k", "z");
    sc_workload *w = om_take(&m);
    assert_int_equal(w->n_ops, 2);
    assert_int_equal(w->macs, 3 * 5 * 7 + 16 * 6);
    sc_workload_destroy(w);
}

static void test_einsum(void **state)
{
    om m = product_graph("Einsum", L(2, 3, 5, 7), L(2, 3, 11, 7), false, false);
    om_attr_text(&m, "equation", "bhqd, bhkd -> bhqk");
    sc_workload *w = om_take(&m);
    assert_int_equal(w->macs, 6 * 5 * 11 * 7);
    assert_int_equal(only(w)->out_elems, 6 * 5 * 11);
    sc_workload_destroy(w);

    m = product_graph("Einsum", L(5, 7), L(7, 11), false, true);
    om_attr_text(&m, "equation", "ij,jk"); /* result by the alphabet: ik */
    w = om_take(&m);
    assert_int_equal(w->macs, 5 * 7 * 11);
    assert_int_equal(only(w)->out_elems, 55);
    sc_workload_destroy(w);

    m = product_graph("Einsum", L(2, 3, 5, 7), L(3, 7, 11), false, true);
    om_attr_text(&m, "equation", "... i j, ...jk -> ...ik"); /* 2 and 3; 3, aligned from behind */
    w = om_take(&m);
    assert_int_equal(w->macs, 6 * 5 * 7 * 11);
    assert_int_equal(only(w)->out_elems, 6 * 55);
    sc_workload_destroy(w);

    m = product_graph("Einsum", L(2, 5), L(7, 3), false, false);
    om_attr_text(&m, "equation", "...i,j..."); /* 2 and 3 do not fit each other */
    om_refused(&m, "is not read");
}

static void test_integer_and_quantised(void **state)
{
    om m = om_graph();
    om_input(&m, "x", U8, L(1, 3, 5, 5));
    om_weight(&m, "w", I8, L(7, 3, 3, 3));
    om_weight(&m, "s", F32, NO_DIMS);
    om_weight(&m, "zx", U8, NO_DIMS);
    om_weight(&m, "zw", I8, NO_DIMS);
    om_weight(&m, "b", I32, L(7));
    om_node(&m, "QLinearConv", "x s zx w s zw s zx b", "q");
    om_node(&m, "ConvInteger", "x w zx zw", "c");
    sc_workload *w = om_take(&m);
    assert_int_equal(w->n_ops, 2);
    assert_int_equal(w->ops[0].macs, 9 * 7 * 27);
    assert_int_equal(w->ops[0].bits, 8);
    assert_int_equal(w->ops[0].other_params, 7);
    assert_int_equal(w->ops[1].macs, 9 * 7 * 27);
    assert_int_equal(w->ops[1].other_params, 0);
    sc_workload_destroy(w);

    m = om_graph();
    om_input(&m, "x", U8, L(3, 5));
    om_weight(&m, "w", I8, L(5, 7));
    om_weight(&m, "s", F32, NO_DIMS);
    om_weight(&m, "z", I8, NO_DIMS);
    om_node(&m, "QLinearMatMul", "x s z w s z s z", "q");
    om_node(&m, "MatMulInteger", "x w", "i");
    w = om_take(&m);
    assert_int_equal(w->macs, 2 * 3 * 5 * 7);
    assert_int_equal(w->ops[1].bits, 8);
    sc_workload_destroy(w);
}

/* Quantise and dequantise around a conv are its precision, no rows. */
static void test_quantised_by_pairs(void **state)
{
    om m = om_graph();
    om_input(&m, "x", F32, L(1, 3, 5, 5));
    om_weight(&m, "w", I8, L(7, 3, 3, 3));
    om_weight(&m, "s", F32, NO_DIMS);
    om_weight(&m, "z", I8, NO_DIMS);
    om_node(&m, "QuantizeLinear", "x s z", "xq");
    om_node(&m, "DequantizeLinear", "xq s z", "xd");
    om_node(&m, "DequantizeLinear", "w s z", "wd");
    om_node(&m, "Conv", "xd wd", "y");
    sc_workload *w = om_take(&m);
    assert_int_equal(only(w)->bits, 8);
    assert_int_equal(w->bits, 32);
    assert_int_equal(w->macs, 9 * 7 * 27);
    sc_workload_destroy(w);
}

static sc_workload *recurrent(const char *op, int64_t gates, int64_t ways)
{
    om m = om_graph();
    om_input(&m, "x", F32, L(5, 3, 7)); /* steps, samples, features */
    om_weight(&m, "w", F32, L(ways, gates * 11, 7));
    om_weight(&m, "r", F32, L(ways, gates * 11, 11));
    om_weight(&m, "b", F32, L(ways, 2 * gates * 11));
    om_node(&m, op, "x w r b", "y last");
    om_attr_int(&m, "hidden_size", 11);
    if (ways == 2)
        om_attr_text(&m, "direction", "bidirectional");
    om_node(&m, "Exp", "y", "z");
    return om_take(&m);
}

static void test_recurrent(void **state)
{
    static const struct {
        const char *op;
        int64_t gates;
        const char *cell;
    } cases[] = {{"LSTM", 4, "lstm_cell"}, {"GRU", 3, "gru_cell"}, {"RNN", 1, "tanh"}};
    for (size_t i = 0; i < COUNT(cases); i++)
        for (int64_t ways = 1; ways <= 2; ways++) {
            const uint64_t wide = (uint64_t)(cases[i].gates * 11), n = (uint64_t)ways;
            sc_workload *w = recurrent(cases[i].op, cases[i].gates, ways);
            assert_int_equal(w->batch, 3);
            assert_int_equal(w->macs, n * 15 * wide * (7 + 11));
            assert_int_equal(w->parameters, n * (wide * 7 + wide * 11 + 2 * wide));
            assert_int_equal(w->ops[1].count, 5); /* one step after the other */
            assert_int_equal(w->ops[1].m, 3);
            assert_string_equal(sc_op_word(&w->ops[2]), cases[i].cell);
            assert_int_equal(w->ops[w->n_ops - 1].out_elems, n * 15 * 11);
            sc_workload_destroy(w);
        }
}

/* Five steps of three samples: the five must not pass for samples. */
static void test_steps_are_no_samples(void **state)
{
    om m = om_graph();
    om_input(&m, "x", F32, L(5, 3, 7));
    om_weight(&m, "w", F32, L(1, 44, 7));
    om_weight(&m, "r", F32, L(1, 44, 11));
    om_node(&m, "Exp", "x", "e");
    om_node(&m, "LSTM", "e w r", "y");
    sc_workload *w = om_take(&m);
    assert_int_equal(w->batch, 1);
    assert_int_equal(w->macs, 15 * 44 * 18);
    sc_workload_destroy(w);
}

/* Keys of two heads repeated for eight queries: the products share them. */
static void test_grouped_query_attention(void **state)
{
    om m = om_graph();
    om_input(&m, "q", F32, L(1, 8, 5, 7));
    om_input(&m, "k", F32, L(1, 2, 5, 7));
    om_ints(&m, "axis", L(2));
    om_ints(&m, "wide", L(1, 2, 4, 5, 7));
    om_ints(&m, "flat", L(1, 8, 5, 7));
    om_node(&m, "Unsqueeze", "k axis", "k1");
    om_node(&m, "Expand", "k1 wide", "k2");
    om_node(&m, "Reshape", "k2 flat", "k3");
    om_node(&m, "Transpose", "k3", "kt");
    om_attr_ints(&m, "perm", L(0, 1, 3, 2));
    om_node(&m, "MatMul", "q kt", "y");
    sc_workload *w = om_take(&m);
    assert_int_equal(only(w)->macs, 8 * 25 * 7);
    assert_int_equal(only(w)->sharing, 4);
    assert_int_equal(only(w)->in_elems, 8 * 35 + 2 * 35);
    sc_workload_destroy(w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_conv_1d),
        cmocka_unit_test(test_conv_2d),
        cmocka_unit_test(test_conv_3d),
        cmocka_unit_test(test_convs_that_do_not_fit),
        cmocka_unit_test(test_windows_by_counting),
        cmocka_unit_test(test_padding_by_rule),
        cmocka_unit_test(test_depthwise),
        cmocka_unit_test(test_samples_that_cannot_be_told),
        cmocka_unit_test(test_conv_transposed),
        cmocka_unit_test(test_conv_transposed_to_a_size),
        cmocka_unit_test(test_gemm),
        cmocka_unit_test(test_gemm_of_more_dimensions),
        cmocka_unit_test(test_matmul_with_weights),
        cmocka_unit_test(test_matmul_of_two_inputs),
        cmocka_unit_test(test_matmul_with_weights_in_front),
        cmocka_unit_test(test_products_of_constants),
        cmocka_unit_test(test_einsum),
        cmocka_unit_test(test_integer_and_quantised),
        cmocka_unit_test(test_quantised_by_pairs),
        cmocka_unit_test(test_recurrent),
        cmocka_unit_test(test_steps_are_no_samples),
        cmocka_unit_test(test_grouped_query_attention),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
