/* Shapes and counts of single ops. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "core/rng.h"
#include "workloads_support.h"

/* A builder with one input of that shape. */
static sc_builder *begin(uint64_t batch, sc_shape shape)
{
    sc_builder *b = NULL;
    int32_t x;
    assert_int_equal(sc_builder_create(&b, "net", batch, 16), SC_OK);
    assert_int_equal(sc_builder_input(b, &x, "x", shape), SC_OK);
    assert_int_equal(x, -1);
    return b;
}

static const sc_input_ref x_ref = {.producer = -1};

/* Add an op that reads the input; the row lives as long as no other is added. */
static const sc_op *add(sc_builder *b, sc_op_spec s)
{
    int32_t i;
    if (!s.name)
        s.name = "op";
    if (!s.inputs) {
        s.inputs = &x_ref;
        s.n_inputs = 1;
    }
    if (sc_builder_add(b, &i, &s) != SC_OK)
        fail_msg("%s", sc_error_message());
    return sc_builder_op(b, (size_t)i);
}

static void check_gemm(const sc_op *op, uint64_t m, uint64_t n, uint64_t k, uint64_t count)
{
    assert_int_equal(op->m, m);
    assert_int_equal(op->n, n);
    assert_int_equal(op->k, k);
    assert_int_equal(op->count, count);
    assert_int_equal(op->macs, m * n * k * count);
}

static void check_result(const sc_op *op, uint64_t c, uint64_t d, uint64_t h, uint64_t w)
{
    assert_int_equal(op->cout, c);
    assert_int_equal(op->od, d);
    assert_int_equal(op->oh, h);
    assert_int_equal(op->ow, w);
    assert_int_equal(op->out_elems, op->batch * c * d * h * w);
}

static void test_conv_of_primes(void **state)
{
    sc_builder *b = begin(2, (sc_shape){5, 1, 23, 19});
    const sc_op *op = add(b, (sc_op_spec){.kind = SC_OP_CONV,
                                          .channels = 7,
                                          .kernel = {0, 3, 5},
                                          .stride = {0, 2, 3},
                                          .pad = {0, 1, 0, 0, 2, 3},
                                          .bias = true,
                                          .batch_norm = true,
                                          .input_norm = true});
    check_result(op, 7, 1, 12, 6); /* (23 + 3 - 3) / 2 + 1, (19 + 3 - 5) / 3 + 1 */
    check_gemm(op, 2 * 12 * 6, 7, 5 * 3 * 5, 1);
    assert_int_equal(op->weights, 7 * 5 * 3 * 5);
    assert_int_equal(op->other_params, 7 + 2 * 7 + 2 * 5);
    assert_int_equal(op->in_elems, 2 * 5 * 23 * 19);
    assert_int_equal(op->n_inputs, 1);
    assert_int_equal(op->inputs[0], -1);
    sc_builder_destroy(b);
}

/* Case 1: a depthwise convolution has a 32nd of the dense one's MACs. */
static void case_1_depthwise(void **state)
{
    sc_builder *b = begin(1, (sc_shape){32, 1, 14, 14});
    const sc_op *op = add(b, (sc_op_spec){.kind = SC_OP_CONV,
                                          .channels = 32,
                                          .kernel = {0, 3, 3},
                                          .pad = {0, 1, 1, 0, 1, 1},
                                          .groups = 32});
    assert_int_equal(op->kind, SC_OP_DWCONV);
    check_gemm(op, 196, 1, 9, 32);
    assert_int_equal(op->macs, 56448);
    assert_int_equal(op->weights, 288);
    assert_int_equal(op->in_elems, 6272);
    assert_int_equal(op->out_elems, 6272);
    op = add(b, (sc_op_spec){.name = "dense",
                             .kind = SC_OP_CONV,
                             .channels = 32,
                             .kernel = {0, 3, 3},
                             .pad = {0, 1, 1, 0, 1, 1}});
    assert_int_equal(op->macs, 1806336);
    sc_builder_destroy(b);
}

/* Case 5: what a dilated kernel touches; one that passes its input is among the refusals below. */
static void case_5_dilation(void **state)
{
    sc_builder *b = begin(1, (sc_shape){1, 1, 7, 7});
    const sc_op *op =
        add(b, (sc_op_spec){
                   .kind = SC_OP_CONV, .channels = 1, .kernel = {0, 3, 3}, .dilation = {0, 2, 2}});
    check_result(op, 1, 1, 3, 3);
    assert_int_equal(op->macs, 81);
    sc_einsum e;
    uint64_t words;
    assert_int_equal(sc_op_einsum(&e, op), SC_OK);
    assert_int_equal(sc_einsum_volume(&words, &e, 0, e.bound), SC_OK);
    assert_int_equal(words, 49); /* rows and columns 0 to 6 */
    sc_builder_destroy(b);
}

/* Case 2: depthwise and grouped transposed convolutions, N = 2, 8 x 8. */
static void case_2_transposed(void **state)
{
    static const struct {
        uint64_t cin, cout, kernel, pad, output_padding, groups, macs, out;
    } cases[] = {
        {4, 6, 4, 1, 0, 1, 49152, 16},
        {4, 4, 3, 1, 1, 4, 4608, 16},
        {6, 6, 2, 0, 0, 3, 6144, 16},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        const uint64_t k = cases[i].kernel, p = cases[i].pad, behind = cases[i].output_padding;
        sc_builder *b = begin(2, (sc_shape){cases[i].cin, 1, 8, 8});
        const sc_op *op = add(b, (sc_op_spec){.kind = SC_OP_TCONV,
                                              .channels = cases[i].cout,
                                              .kernel = {0, k, k},
                                              .stride = {0, 2, 2},
                                              .pad = {0, p, p, 0, p, p},
                                              .output_padding = {0, behind, behind},
                                              .groups = cases[i].groups});
        assert_int_equal(op->macs, cases[i].macs);
        check_result(op, cases[i].cout, 1, cases[i].out, cases[i].out);
        assert_int_equal(op->weights, cases[i].cin * cases[i].cout / cases[i].groups * k * k);
        sc_builder_destroy(b);
    }
}

/* Starts of a window that lies within the padded axis, counted one by one. */
static uint64_t count_windows(uint64_t in, uint64_t kernel, uint64_t stride, uint64_t dilation,
                              uint64_t before, uint64_t after)
{
    uint64_t n = 0;
    for (uint64_t start = 0;; start += stride, n++)
        for (uint64_t tap = 0; tap < kernel; tap++)
            if (start + tap * dilation >= before + in + after)
                return n;
}

/* Random windows against counting; "same" gives ceil(in / stride) with as little padding as does.
 */
static void test_windows_against_counting(void **state)
{
    sc_rng rng;
    sc_rng_init(&rng, 1, 71, 0);
    for (int trial = 0; trial < 300; trial++) {
        const uint64_t in = 1 + gsl_rng_uniform_int(&rng.gsl, 40);
        const uint64_t kernel = 1 + gsl_rng_uniform_int(&rng.gsl, 5);
        const uint64_t stride = 1 + gsl_rng_uniform_int(&rng.gsl, 4);
        const uint64_t dilation = 1 + gsl_rng_uniform_int(&rng.gsl, 3);
        const uint64_t before = gsl_rng_uniform_int(&rng.gsl, 4);
        const uint64_t after = gsl_rng_uniform_int(&rng.gsl, 4);
        const uint64_t windows = count_windows(in, kernel, stride, dilation, before, after);
        sc_builder *b = begin(1, (sc_shape){1, 1, in, 1});
        sc_op_spec s = {.name = "op",
                        .kind = SC_OP_CONV,
                        .n_inputs = 1,
                        .inputs = &x_ref,
                        .channels = 1,
                        .kernel = {0, kernel, 1},
                        .stride = {0, stride, 1},
                        .dilation = {0, dilation, 1},
                        .pad = {0, before, 0, 0, after, 0}};
        int32_t i;
        if (windows == 0) {
            assert_int_equal(sc_builder_add(b, &i, &s), SC_EINVAL);
            assert_says("effective kernel");
        } else {
            assert_int_equal(add(b, s)->oh, windows);
        }
        s.name = "same";
        s.padding = SC_PAD_SAME;
        const sc_op *op = add(b, s);
        const uint64_t want = (in + stride - 1) / stride;
        assert_int_equal(op->oh, want);
        assert_int_equal(count_windows(in, kernel, stride, dilation, op->pad_top, op->pad_bottom),
                         want);
        assert_true(op->pad_bottom - op->pad_top <= 1);
        if (op->pad_bottom > 0)
            assert_true(count_windows(in, kernel, stride, dilation, op->pad_top,
                                      op->pad_bottom - 1) < want);
        sc_builder_destroy(b);
    }
}

/* Positions a transposed window touches, by placing each. */
static void test_transposed_against_placing(void **state)
{
    sc_rng rng;
    sc_rng_init(&rng, 1, 71, 1);
    for (int trial = 0; trial < 200; trial++) {
        const uint64_t in = 1 + gsl_rng_uniform_int(&rng.gsl, 20);
        const uint64_t kernel = 1 + gsl_rng_uniform_int(&rng.gsl, 5);
        const uint64_t stride = 1 + gsl_rng_uniform_int(&rng.gsl, 4);
        const uint64_t dilation = 1 + gsl_rng_uniform_int(&rng.gsl, 3);
        uint64_t last = 0;
        for (uint64_t p = 0; p < in; p++)
            for (uint64_t tap = 0; tap < kernel; tap++)
                if (p * stride + tap * dilation > last)
                    last = p * stride + tap * dilation;
        sc_builder *b = begin(1, (sc_shape){3, 1, 1, in});
        sc_op_spec s = {.kind = SC_OP_TCONV,
                        .channels = 2,
                        .kernel = {0, 1, kernel},
                        .stride = {0, 1, stride},
                        .dilation = {0, 1, dilation}};
        const sc_op *op = add(b, s);
        check_result(op, 2, 1, 1, last + 1);
        check_gemm(op, in, 2 * kernel, 3, 1);
        s.name = "same";
        s.padding = SC_PAD_SAME;
        assert_int_equal(add(b, s)->ow, in * stride);
        sc_builder_destroy(b);
    }
}

static void test_conv_3d(void **state)
{
    sc_builder *b = begin(3, (sc_shape){4, 11, 13, 17});
    const sc_op *op = add(b, (sc_op_spec){.kind = SC_OP_CONV,
                                          .channels = 6,
                                          .kernel = {3, 5, 7},
                                          .stride = {2, 1, 3},
                                          .dilation = {1, 2, 1},
                                          .groups = 2});
    check_result(op, 6, 5, 5, 4); /* (11-3)/2+1, 13-9+1, (17-7)/3+1 */
    check_gemm(op, 3 * 5 * 5 * 4, 3, 2 * 3 * 5 * 7, 2);
    sc_einsum e;
    uint64_t words;
    assert_int_equal(sc_op_einsum(&e, op), SC_OK);
    assert_int_equal(sc_einsum_check(&e), SC_OK);
    assert_int_equal(sc_einsum_macs(&words, &e), SC_OK);
    assert_int_equal(words, op->macs);
    assert_int_equal(sc_einsum_volume(&words, &e, 0, e.bound), SC_OK);
    assert_int_equal(words, 3 * 4 * 11 * 13 * 16); /* rows touched: 11, 13, 16 */
    sc_builder_destroy(b);
}

static void test_depthwise_multiplier(void **state)
{
    sc_builder *b = begin(1, (sc_shape){5, 1, 9, 9});
    const sc_op *op =
        add(b, (sc_op_spec){.kind = SC_OP_DWCONV, .channels = 10, .kernel = {0, 3, 3}});
    check_gemm(op, 49, 2, 9, 5);
    sc_einsum e;
    uint64_t macs;
    assert_int_equal(sc_op_einsum(&e, op), SC_OK);
    assert_int_equal(sc_einsum_macs(&macs, &e), SC_OK);
    assert_int_equal(macs, op->macs);
    sc_builder_destroy(b);
}

static void test_pools(void **state)
{
    sc_builder *b = begin(2, (sc_shape){3, 4, 6, 10});
    const sc_op *op = add(b, (sc_op_spec){.name = "a", .kind = SC_OP_POOL, .kernel = {2, 3, 5}});
    check_result(op, 3, 2, 2, 2); /* the stride of a pool is its kernel */
    assert_string_equal(op->function, "max");
    op = add(b, (sc_op_spec){.name = "b",
                             .kind = SC_OP_POOL,
                             .function = "avg",
                             .global = true,
                             .input_norm = true});
    check_result(op, 3, 1, 1, 1);
    assert_int_equal(op->in_elems, 2 * 3 * 4 * 6 * 10);
    assert_int_equal(op->other_params, 6);
    assert_int_equal(op->macs, 0);
    sc_builder_destroy(b);
}

static void test_products(void **state)
{
    sc_builder *b = begin(2, (sc_shape){3, 1, 5, 7});
    const sc_op *op =
        add(b, (sc_op_spec){.name = "fc", .kind = SC_OP_FC, .channels = 11, .bias = true});
    check_gemm(op, 2, 11, 3 * 5 * 7, 1);
    check_result(op, 11, 1, 1, 1);
    assert_int_equal(op->other_params, 11);
    op = add(b, (sc_op_spec){.name = "mm", .kind = SC_OP_MATMUL, .channels = 11});
    check_gemm(op, 2 * 5 * 7, 11, 3, 1);
    check_result(op, 11, 1, 5, 7);
    /* the last two positions of a row alone, through a slice */
    const sc_input_ref part = {.producer = 1, .take = {.h = 1, .w = 2}};
    op = add(
        b,
        (sc_op_spec){
            .name = "part", .kind = SC_OP_MATMUL, .n_inputs = 1, .inputs = &part, .channels = 13});
    check_gemm(op, 2 * 2, 13, 11, 1);
    assert_int_equal(op->in_elems, 2 * 11 * 2);
    assert_int_equal(op->inputs[0], 1);
    sc_builder_destroy(b);
}

static void test_attention(void **state)
{
    sc_builder *b = begin(3, (sc_shape){24, 1, 5, 1}); /* 6 heads of 4, 5 queries */
    add(b, (sc_op_spec){.name = "kv", .kind = SC_OP_MATMUL, .channels = 8}); /* 2 heads of 4 */
    const sc_input_ref qk[] = {{.producer = -1}, {.producer = 0}};
    const sc_op *op = add(b, (sc_op_spec){.name = "qk",
                                          .kind = SC_OP_BMM,
                                          .n_inputs = 2,
                                          .inputs = qk,
                                          .heads = 6,
                                          .kv_heads = 2,
                                          .cache = 7,
                                          .transpose = true});
    check_gemm(op, 5, 12, 4, 3 * 6);
    check_result(op, 6, 1, 5, 12);
    assert_int_equal(op->sharing, 3);
    assert_int_equal(op->cache_elems, 3 * 7 * 8);
    assert_int_equal(op->in_elems, 3 * (24 * 5 + 8 * 5 + 7 * 8));
    assert_int_equal(op->weights, 0);
    const sc_input_ref av[] = {{.producer = 1}, {.producer = 0}};
    op = add(b, (sc_op_spec){.name = "av",
                             .kind = SC_OP_BMM,
                             .n_inputs = 2,
                             .inputs = av,
                             .heads = 6,
                             .kv_heads = 2,
                             .cache = 7});
    check_gemm(op, 5, 4, 12, 3 * 6);
    check_result(op, 24, 1, 5, 1);
    sc_builder_destroy(b);
}

static void test_vector_ops(void **state)
{
    sc_builder *b = begin(2, (sc_shape){12, 1, 5, 1});
    const sc_input_ref two[] = {{.producer = -1}, {.producer = -1}};
    const sc_input_ref scaled[] = {{.producer = -1}, {.producer = -1, .take = {.h = 1}}};
    const sc_op *op =
        add(b, (sc_op_spec){.name = "add", .kind = SC_OP_ADD, .n_inputs = 2, .inputs = two});
    assert_int_equal(op->in_elems, 2 * 2 * 60);
    assert_int_equal(op->n_inputs, 1); /* one producer, read twice */
    assert_int_equal(op->n_operands, 2);
    op = add(b, (sc_op_spec){.name = "mul", .kind = SC_OP_MUL, .n_inputs = 2, .inputs = scaled});
    assert_int_equal(op->in_elems, 2 * (60 + 12)); /* one value a channel */
    op = add(b, (sc_op_spec){.name = "ln", .kind = SC_OP_LAYERNORM});
    assert_int_equal(op->other_params, 24);
    op = add(b, (sc_op_spec){.name = "rms", .kind = SC_OP_RMSNORM});
    assert_int_equal(op->other_params, 12);
    op = add(b, (sc_op_spec){.name = "bn", .kind = SC_OP_BATCHNORM});
    assert_int_equal(op->other_params, 24);
    op =
        add(b, (sc_op_spec){.name = "pos", .kind = SC_OP_ADD, .function = "position", .tokens = 2});
    check_result(op, 12, 1, 7, 1);
    assert_int_equal(op->other_params, (7 + 2) * 12);
    op = add(b, (sc_op_spec){.name = "cell", .kind = SC_OP_ACTIVATION, .function = "lstm_cell"});
    check_result(op, 3, 1, 5, 1);
    assert_string_equal(sc_op_word(op), "lstm_cell");
    op = add(b, (sc_op_spec){.name = "gru", .kind = SC_OP_ACTIVATION, .function = "gru_cell"});
    check_result(op, 4, 1, 5, 1);
    op = add(b, (sc_op_spec){.name = "up", .kind = SC_OP_RESIZE, .shape = {.h = 9}});
    check_result(op, 12, 1, 9, 1);
    op = add(b, (sc_op_spec){.name = "re", .kind = SC_OP_RESHAPE, .shape = {.c = 30, .h = 2}});
    check_result(op, 30, 1, 2, 1);
    op = add(b, (sc_op_spec){.name = "cat", .kind = SC_OP_CONCAT, .n_inputs = 2, .inputs = two});
    check_result(op, 24, 1, 5, 1);
    const sc_input_ref token = {.producer = -1, .take = {.c = 1}};
    op = add(b, (sc_op_spec){.name = "embed",
                             .kind = SC_OP_EMBED,
                             .n_inputs = 1,
                             .inputs = &token,
                             .channels = 7,
                             .vocabulary = 101,
                             .positions = 13,
                             .types = 2,
                             .layer_norm = true});
    check_result(op, 7, 1, 5, 1);
    assert_int_equal(op->other_params, 7 * (101 + 13 + 2 + 2));
    assert_int_equal(op->in_elems, 2 * 5 * 7);
    sc_builder_destroy(b);
}

static const sc_input_ref too_wide = {.producer = -1, .take = {.w = 8}};
static const sc_input_ref nobody = {.producer = 0}, no_input = {.producer = -2};
static const sc_input_ref unlike[] = {{.producer = -1}, {.producer = -1, .take = {.h = 4}}};
static const sc_input_ref few_channels[] = {{.producer = -1}, {.producer = -1, .take = {.c = 4}}};
static const sc_input_ref row[] = {{.producer = -1, .take = {.w = 1}},
                                   {.producer = -1, .take = {.c = 2, .w = 1}}};

static const struct {
    sc_op_spec spec; /* reads x of 6 x 1 x 5 x 7 unless it says otherwise */
    sc_status status;
    const char *says;
} rejected[] = {
    {{.name = "", .kind = SC_OP_SOFTMAX}, SC_EINVAL, "no name"},
    {{.name = "x", .kind = SC_OP_SOFTMAX}, SC_EINVAL, "'x' is taken"},
    {{.kind = SC_OP_KINDS}, SC_EINVAL, "no such kind"},
    {{.kind = SC_OP_SOFTMAX, .bits = 65}, SC_EINVAL, "65 bits"},
    {{.kind = SC_OP_SOFTMAX, .n_inputs = 1, .inputs = &nobody}, SC_EINVAL, "no earlier op"},
    {{.kind = SC_OP_SOFTMAX, .n_inputs = 1, .inputs = &no_input}, SC_EINVAL, "no earlier op"},
    {{.kind = SC_OP_SOFTMAX, .n_inputs = 1, .inputs = &too_wide}, SC_EINVAL, "takes more"},
    {{.kind = SC_OP_SOFTMAX, .n_inputs = 2, .inputs = unlike}, SC_EINVAL, "reads 1 to 1"},
    {{.kind = SC_OP_BMM, .heads = 2}, SC_EINVAL, "reads 2 to 2"},
    {{.kind = SC_OP_ADD}, SC_EINVAL, "reads 2 to"},
    {{.kind = SC_OP_ADD, .function = "positon"}, SC_EINVAL, "did you mean 'position'"},
    {{.kind = SC_OP_ACTIVATION, .function = "gleu"}, SC_EINVAL, "did you mean 'gelu'"},
    {{.kind = SC_OP_CONV}, SC_EINVAL, "0 channels"},
    {{.kind = SC_OP_CONV, .channels = 6, .groups = 4}, SC_EINVAL, "4 groups do not divide 6"},
    {{.kind = SC_OP_CONV, .channels = 4, .groups = 3}, SC_EINVAL, "3 groups do not divide 6"},
    {{.kind = SC_OP_DWCONV, .channels = 7}, SC_EINVAL, "6 groups do not divide"},
    {{.kind = SC_OP_CONV, .channels = 1, .kernel = {0, 3, 3}, .dilation = {0, 16, 16}},
     SC_EINVAL,
     "effective kernel 33 > 5"},
    {{.kind = SC_OP_CONV, .channels = 1, .kernel = {2, 1, 1}}, SC_EINVAL, "depth"},
    {{.kind = SC_OP_CONV, .channels = 1, .kernel = {0, 3, 3}, .dilation = {0, 1, INT64_MAX}},
     SC_ERANGE,
     "width"},
    {{.kind = SC_OP_CONV, .channels = UINT64_C(1) << 62}, SC_ERANGE, "2^63 - 1"},
    {{.kind = SC_OP_TCONV, .channels = 1, .pad = {0, 3, 0, 0, 2, 0}}, SC_EINVAL, "crops all of 5"},
    {{.kind = SC_OP_TCONV, .channels = 1, .stride = {0, INT64_MAX, 1}}, SC_ERANGE, "height"},
    {{.kind = SC_OP_POOL, .kernel = {0, 6, 1}}, SC_EINVAL, "effective kernel 6 > 5"},
    {{.kind = SC_OP_FC}, SC_EINVAL, "0 channels"},
    {{.kind = SC_OP_MATMUL, .channels = 5, .recurrent = 2}, SC_EINVAL, "as many, not 6"},
    {{.kind = SC_OP_MUL, .n_inputs = 2, .inputs = unlike}, SC_EINVAL, "input 2 has"},
    {{.kind = SC_OP_CONCAT, .n_inputs = 2, .inputs = unlike}, SC_EINVAL, "input 2 has"},
    {{.kind = SC_OP_LAYERNORM, .n_inputs = 2, .inputs = few_channels}, SC_EINVAL, "input 2 has"},
    {{.kind = SC_OP_ACTIVATION, .function = "lstm_cell"}, SC_EINVAL, "four gates"},
    {{.kind = SC_OP_ACTIVATION, .n_inputs = 1, .inputs = &few_channels[1], .function = "gru_cell"},
     SC_EINVAL,
     "three gates"},
    {{.kind = SC_OP_RESHAPE, .shape = {.c = 211}}, SC_EINVAL, "210 elements into 211"},
    {{.kind = SC_OP_EMBED, .channels = 3, .vocabulary = 7}, SC_EINVAL, "one channel"},
    {{.kind = SC_OP_BMM, .n_inputs = 2, .inputs = row}, SC_EINVAL, "0 heads"},
    {{.kind = SC_OP_BMM, .n_inputs = 2, .inputs = row, .heads = 3, .kv_heads = 2},
     SC_EINVAL,
     "multiple"},
    {{.kind = SC_OP_BMM, .n_inputs = 2, .inputs = row, .heads = 4, .transpose = true},
     SC_EINVAL,
     "4 heads do not divide 6"},
    {{.kind = SC_OP_BMM, .n_inputs = 2, .inputs = row, .heads = 2, .transpose = true},
     SC_EINVAL,
     "head size of the second operand is 1, must be 3"},
    {{.kind = SC_OP_BMM, .n_inputs = 2, .inputs = row, .heads = 2},
     SC_EINVAL,
     "channels of the first operand is 6, must be 2"},
    {{.kind = SC_OP_BMM, .n_inputs = 2, .inputs = few_channels, .heads = 2},
     SC_EINVAL,
     "second operand no width"},
};

static void test_rejections(void **state)
{
    sc_builder *b = begin(1, (sc_shape){6, 1, 5, 7});
    for (size_t i = 0; i < COUNT(rejected); i++) {
        sc_op_spec s = rejected[i].spec;
        int32_t index = 77;
        if (!s.name)
            s.name = "op";
        if (!s.n_inputs) {
            s.inputs = &x_ref;
            s.n_inputs = 1;
        }
        const sc_status st = sc_builder_add(b, &index, &s);
        if (st != rejected[i].status)
            fail_msg("case %zu (%s): %s", i, rejected[i].says, sc_status_name(st));
        assert_says(rejected[i].says);
        assert_int_equal(index, 77);
        assert_int_equal(sc_builder_ops(b), 0);
    }
    add(b, (sc_op_spec){.kind = SC_OP_SOFTMAX}); /* the name "op" was never taken */
    sc_builder_destroy(b);
}

static void test_bad_inputs(void **state)
{
    sc_builder *b = NULL;
    sc_workload *w = NULL;
    int32_t x = 77;
    assert_int_equal(sc_builder_create(&b, "net", 1, 0), SC_EINVAL);
    assert_int_equal(sc_builder_create(&b, "net", 1, 65), SC_EINVAL);
    assert_null(b);
    assert_int_equal(sc_builder_create(&b, "net", 0, 8), SC_OK);
    assert_int_equal(sc_builder_input(b, &x, "X", (sc_shape){3, 1, 416, 416}), SC_EINVAL);
    assert_message("batch 0 in tensor 'X'");
    sc_builder_destroy(b);
    b = begin(1, (sc_shape){1, 1, 1, 1});
    assert_int_equal(sc_builder_input(b, &x, "y", (sc_shape){3, 1, 0, 416}), SC_EINVAL);
    assert_message("height 0 in tensor 'y'");
    assert_int_equal(sc_builder_input(b, &x, "x", (sc_shape){3, 1, 1, 1}), SC_EINVAL);
    assert_int_equal(sc_builder_input(b, &x, "", (sc_shape){3, 1, 1, 1}), SC_EINVAL);
    assert_int_equal(
        sc_builder_input(b, &x, "z", (sc_shape){UINT64_C(1) << 32, 1, UINT64_C(1) << 31, 1}),
        SC_ERANGE);
    assert_int_equal(x, 77);
    assert_int_equal(sc_builder_finish(&w, b), SC_EINVAL);
    assert_says("at least one op");
    assert_null(w);
    sc_builder_destroy(b);
    sc_builder_destroy(NULL);
}

/* Two ops whose counts fit, and whose total does not. */
static void test_total_overflow(void **state)
{
    const uint64_t c = UINT64_C(1) << 31; /* c * c = 2^62 MACs each */
    sc_builder *b = begin(1, (sc_shape){c, 1, 1, 1});
    sc_workload *w = NULL;
    add(b, (sc_op_spec){.name = "a", .kind = SC_OP_FC, .channels = c});
    add(b, (sc_op_spec){.name = "b", .kind = SC_OP_FC, .channels = c});
    assert_int_equal(sc_builder_finish(&w, b), SC_ERANGE);
    assert_null(w);
    sc_builder_destroy(b);
}

static sc_status build_small(void *payload)
{
    static const sc_input_ref first = {.producer = 0};
    sc_builder *b = NULL;
    sc_workload *w = NULL;
    int32_t i;
    char name[16];
    sc_status st = sc_builder_create(&b, "net", 1, 16);
    for (int k = 0; k < 6 && st == SC_OK; k++) { /* more than the first array of inputs holds */
        (void)snprintf(name, sizeof name, "in%d", k);
        st = sc_builder_input(b, &i, name, (sc_shape){8, 1, 3, 1});
    }
    for (int k = 0; k < 150 && st == SC_OK; k++) { /* and of ops, and of names */
        (void)snprintf(name, sizeof name, "op%d", k);
        st = sc_builder_add(
            b, &i,
            &(sc_op_spec){
                .name = name, .kind = SC_OP_SOFTMAX, .n_inputs = 1, .inputs = k ? &first : &x_ref});
    }
    if (st == SC_OK)
        st = sc_builder_finish(&w, b);
    sc_builder_destroy(b);
    sc_workload_destroy(w);
    return st;
}

static void test_out_of_memory(void **state)
{
    assert_true(fail_each_allocation(build_small, NULL) > 8);
}

static void test_find(void **state)
{
    sc_builder *b = begin(1, (sc_shape){8, 1, 3, 1});
    int32_t p = 77;
    sc_shape s;
    add(b, (sc_op_spec){.name = "one", .kind = SC_OP_FC, .channels = 5});
    assert_true(sc_builder_find(b, &p, "x") && p == -1);
    assert_true(sc_builder_find(b, &p, "one") && p == 0);
    assert_false(sc_builder_find(b, &p, "two"));
    assert_true(sc_builder_shape(b, &s, 0) && s.c == 5 && s.h == 1);
    assert_false(sc_builder_shape(b, &s, 1));
    assert_false(sc_builder_shape(b, &s, -2));
    assert_false(sc_builder_shape(b, &s, INT32_MIN));
    sc_builder_destroy(b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_conv_of_primes),
        cmocka_unit_test(case_1_depthwise),

        cmocka_unit_test(case_5_dilation),
        cmocka_unit_test(case_2_transposed),
        cmocka_unit_test(test_windows_against_counting),
        cmocka_unit_test(test_transposed_against_placing),
        cmocka_unit_test(test_conv_3d),
        cmocka_unit_test(test_depthwise_multiplier),
        cmocka_unit_test(test_pools),
        cmocka_unit_test(test_products),
        cmocka_unit_test(test_attention),
        cmocka_unit_test(test_vector_ops),
        cmocka_unit_test(test_rejections),
        cmocka_unit_test(test_bad_inputs),
        cmocka_unit_test(test_total_overflow),
        cmocka_unit_test(test_out_of_memory),
        cmocka_unit_test(test_find),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
