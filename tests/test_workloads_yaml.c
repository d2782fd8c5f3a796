/* The YAML and JSON forms of networks. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "core/file.h"
#include "core/json.h"
#include "workloads/yaml_form.h"
#include "workloads_support.h"

static sc_status read_text(sc_workload **out, const char *text)
{
    sc_yaml *doc = NULL;
    sc_status st = sc_yaml_parse(&doc, "net.yaml", text, strlen(text));
    if (st == SC_OK)
        st = sc_workload__yaml_read(out, doc);
    sc_yaml_close(doc);
    return st;
}

static sc_workload *read_good(const char *text)
{
    sc_workload *w = NULL;
    if (read_text(&w, text) != SC_OK)
        fail_msg("%s", sc_error_message());
    return w;
}

#define EXAMPLE SCANTLE_SOURCE_DIR "/configs/networks/example.yaml"

/* configs/networks/example.yaml by hand. */
static void test_example(void **state)
{
    sc_workload *w = open_network(EXAMPLE);
    static const struct {
        const char *name, *kind;
        uint64_t macs, parameters;
    } rows[] = {
        {"stem", "conv", 32 * 32 * 16 * 27, 16 * 27 + 32},
        {"dw", "dwconv", 16 * 16 * 16 * 9, 16 * 9 + 32},
        {"expand", "conv", 16 * 16 * 32 * 16, 32 * 16 + 64},
        {"body", "conv", 16 * 16 * 32 * 8 * 9, 32 * 8 * 9 + 64},
        {"skip", "add", 0, 0},
        {"gap", "pool", 0, 0},
        {"classes", "fc", 320, 320 + 10},
        {"probabilities", "softmax", 0, 0},
    };
    assert_string_equal(sc_workload_name(w), "example-cnn");
    assert_int_equal(w->n_ops, COUNT(rows));
    uint64_t macs = 0, parameters = 0;
    for (size_t i = 0; i < COUNT(rows); i++) {
        assert_string_equal(w->ops[i].name, rows[i].name);
        assert_string_equal(sc_op_word(&w->ops[i]), rows[i].kind);
        assert_int_equal(w->ops[i].macs, rows[i].macs);
        assert_int_equal(w->ops[i].weights + w->ops[i].other_params, rows[i].parameters);
        macs += rows[i].macs;
        parameters += rows[i].parameters;
    }
    assert_int_equal(sc_workload_macs(w), macs);
    assert_int_equal(sc_workload_parameters(w), parameters);
    assert_int_equal(op_named(w, "skip")->inputs[0], 3);
    assert_int_equal(op_named(w, "skip")->inputs[1], 2);
    sc_workload_destroy(w);
}

static void test_file_options(void **state)
{
    sc_workload *w = open_network(EXAMPLE ":batch=3,bits=8"), *none = NULL;
    assert_int_equal(w->batch, 3);
    assert_int_equal(w->ops[0].bits, 8);
    assert_int_equal(w->ops[0].m, 3 * 32 * 32);
    sc_workload_destroy(w);
    assert_int_equal(sc_workload_open(&none, EXAMPLE ":seq=3"), SC_EINVAL);
    assert_says("no option 'seq'");
    assert_int_equal(sc_workload_open(&none, EXAMPLE ":batch=0"), SC_EINVAL);
    assert_says("batch 0 in tensor 'image'");
    assert_null(none);
}

/* Writing and reading back gives the same rows, and then the same text. */
static void check_round_trip(const sc_workload *w)
{
    char *text = NULL, *again = NULL;
    assert_int_equal(sc_workload_yaml(&text, w), SC_OK);
    sc_workload *back = read_good(text);
    assert_string_equal(sc_workload_name(w), sc_workload_name(back));
    assert_same_network(w, back);
    assert_int_equal(sc_workload_yaml(&again, back), SC_OK);
    assert_string_equal(text, again);
    sc_workload_destroy(back);
    sc_release(text);
    sc_release(again);
}

static void test_round_trip_of_builtins(void **state)
{
    const char *name;
    for (size_t i = 0; (name = sc_workload_builtin(i)) != NULL; i++) {
        sc_workload *w = open_network(name);
        check_round_trip(w);
        sc_workload_destroy(w);
    }
    sc_workload *w = open_network("llama3-8b:decode,ctx=7,batch=3,bits=8");
    check_round_trip(w);
    sc_workload_destroy(w);
}

/* A part that is the whole tensor is written as the tensor. */
static void test_whole_parts(void **state)
{
    sc_workload *w = read_good(
        "{version: 1, name: n, inputs: {x: {channels: 3, height: 5}}, ops: [{name: a, kind: relu, "
        "inputs: [{of: x, channels: 3, height: 5}]}, {name: b, kind: relu, inputs: [{of: x, "
        "channels: 3, height: 4}]}]}");
    char *text = NULL;
    assert_int_equal(sc_workload_yaml(&text, w), SC_OK);
    assert_non_null(strstr(text, "kind: relu, inputs: [\"x\"]}"));
    assert_non_null(strstr(text, "kind: relu, inputs: [{of: \"x\", height: 4}]}"));
    sc_release(text);
    sc_workload_destroy(w);
}

/* Every key of the form at once. */
static const char every_key[] =
    "version: 1\n"
    "name: \"a \\\"b\\\"\\n../<script>\\u0085\\u2028\\uFEFF\\x7F caf\xC3\xA9 \\U0001F600\"\n"
    "batch: 2\n"
    "precision: 12\n"
    "inputs: {volume: {channels: 6, depth: 5, height: 7, width: 11}, words: {height: 4}}\n"
    "ops:\n"
    "  - {name: c3, kind: conv, inputs: [volume], channels: 8, kernel: [2, 3, 3], stride: [1, 2, "
    "1], dilation: [2, 1, 1], padding: [1, 0, 2, 0, 1, 1], groups: 2, bias: true, precision: "
    "fp32}\n"
    "  - {name: pool, kind: pool, function: avg, kernel: [1, 2, 3], stride: 2, padding: [0, 1, 0, "
    "1], input_norm: on}\n"
    "  - {name: \"t \\\\ '\", kind: tconv, channels: 4, kernel: 3, stride: 2, padding: 1, "
    "output_padding: 1}\n"
    "  - {name: same, kind: dwconv, kernel: 3, padding: same}\n"
    "  - {name: valid, kind: conv, inputs: [same], channels: 4, kernel: 1, padding: valid, "
    "batch_norm: yes, input_norm: true}\n"
    "  - {name: gap, kind: pool, global: true}\n"
    "  - {name: scale, kind: mul, inputs: [valid, gap]}\n"
    "  - {name: cat, kind: concat, inputs: [scale, {of: valid, channels: 2}]}\n"
    "  - {name: up, kind: resize, function: bilinear, shape: {height: 9}}\n"
    "  - {name: act, kind: hswish}\n"
    "  - {name: words_in, kind: embed, inputs: [words], channels: 12, vocabulary: 31, positions: "
    "4, types: 2, layer_norm: true}\n"
    "  - {name: kv, kind: matmul, channels: 6, bias: true, precision: int8}\n"
    "  - {name: qk, kind: bmm, inputs: [words_in, kv], heads: 4, kv_heads: 2, cache: 3, transpose: "
    "true}\n"
    "  - {name: sm, kind: softmax}\n"
    "  - {name: av, kind: bmm, inputs: [sm, kv], heads: 4, kv_heads: 2, cache: 3}\n"
    "  - {name: norm, kind: layernorm, inputs: [av, words_in]}\n"
    "  - {name: rms, kind: rmsnorm}\n"
    "  - {name: bn, kind: batchnorm}\n"
    "  - {name: pos, kind: add, function: position, tokens: 1}\n"
    "  - {name: x, kind: matmul, channels: 16}\n"
    "  - {name: h, kind: matmul, channels: 16, recurrent: 4}\n"
    "  - {name: cell, kind: lstm_cell}\n"
    "  - {name: flat, kind: reshape, shape: {channels: 20}}\n"
    "  - {name: fc, kind: fc, channels: 3, bias: true}\n";

static void test_every_key(void **state)
{
    sc_workload *w = read_good(every_key);
    const sc_op *c3 = op_named(w, "c3"), *pool = op_named(w, "pool");
    assert_int_equal(c3->od, 4);  /* 5 + 1 + 0 - 3 + 1 */
    assert_int_equal(c3->oh, 3);  /* (7 + 0 + 1 - 3) / 2 + 1 */
    assert_int_equal(c3->ow, 12); /* 11 + 2 + 1 - 3 + 1 */
    assert_int_equal(c3->bits, 32);
    assert_int_equal(pool->bits, 12);
    assert_int_equal(pool->stride_d, 1); /* a pool's stride is its kernel where none is stated */
    assert_int_equal(pool->pad_bottom, 0);
    assert_int_equal(pool->pad_left, 1);
    assert_int_equal(op_named(w, "t \\ '")->oh, 2); /* of 1 row: 0 * 2 + 3 + 1 - 2 */
    assert_int_equal(op_named(w, "kv")->bits, 8);
    assert_int_equal(op_named(w, "qk")->n, 7);
    assert_int_equal(op_named(w, "cat")->cout, 6);
    assert_int_equal(op_named(w, "pos")->oh, 5);
    assert_int_equal(op_named(w, "h")->count, 5);
    assert_int_equal(op_named(w, "fc")->n_inputs, 1);
    check_round_trip(w);
    sc_workload_destroy(w);
}

/* Every spelling of padding, as front, top, left, back, bottom, right. */
static void test_paddings(void **state)
{
    static const struct {
        const char *text;
        uint64_t pad[6];
    } cases[] = {
        {"2", {0, 2, 2, 0, 2, 2}},
        {"[1, 2]", {0, 1, 2, 0, 1, 2}},
        {"[1, 2, 3]", {1, 2, 3, 1, 2, 3}},
        {"[1, 2, 3, 4]", {0, 1, 2, 0, 3, 4}},
        {"[1, 2, 3, 4, 5, 6]", {1, 2, 3, 4, 5, 6}},
        {"valid", {0}},
        {"same", {1, 1, 1, 1, 2, 1}}, /* kernel 3, 4, 3 */
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        char text[256];
        (void)snprintf(text, sizeof text,
                       "{version: 1, name: n, inputs: {x: {depth: 7, height: 8, width: 9}}, ops: "
                       "[{name: c, kind: conv, channels: 1, kernel: [3, 4, 3], padding: %s}]}",
                       cases[i].text);
        sc_workload *w = read_good(text);
        const sc_op *op = &w->ops[0];
        const uint64_t pad[] = {op->pad_front, op->pad_top,    op->pad_left,
                                op->pad_back,  op->pad_bottom, op->pad_right};
        assert_memory_equal(pad, cases[i].pad, sizeof pad);
        check_round_trip(w);
        sc_workload_destroy(w);
    }
}

/* A colon belongs to the path where a file of that name is. */
static void test_colon_in_path(void **state)
{
    static const char text[] =
        "{version: 1, name: n, inputs: {x: {}}, ops: [{name: a, kind: relu}]}";
    char *folder = make_folder(), path[128], spec[160];
    (void)snprintf(path, sizeof path, "%s/a:batch=3.yaml", folder);
    assert_int_equal(sc_file_write(path, text, sizeof text - 1), SC_OK);
    sc_workload *w = open_network(path);
    assert_int_equal(w->batch, 1);
    sc_workload_destroy(w);
    (void)snprintf(spec, sizeof spec, "%s:batch=5", path);
    w = open_network(spec);
    assert_int_equal(w->batch, 5);
    sc_workload_destroy(w);
    assert_int_equal(remove(path), 0);
    assert_int_equal(rmdir(folder), 0);
    free(folder);
}

/* Case 4: past 2^32. */
static void case_4_conv_3d(void **state)
{
    sc_workload *w = read_good(
        "{version: 1, name: n, inputs: {v: {channels: 64, depth: 30, height: 256, width: 256}}, "
        "ops: [{name: c, kind: conv, channels: 64, kernel: [1, 1, 1]}]}");
    assert_true(sc_workload_macs(w) == UINT64_C(8053063680));
    sc_workload_destroy(w);
}

/* Case 3: a batch of 0, and the same network at batch 1. */
static void case_3_batch_zero(void **state)
{
    static const char net[] =
        "version: 1\nname: n\nbatch: %d\ninputs:\n  X: {channels: 3, height: 416, width: 416}\n"
        "ops:\n  - {name: c, kind: conv, channels: 16, kernel: 3, padding: 1}\n";
    char text[256];
    sc_workload *w = NULL;
    (void)snprintf(text, sizeof text, net, 0);
    assert_int_equal(read_text(&w, text), SC_EPARSE);
    assert_message("net.yaml:5:3: error: batch 0 in tensor 'X'");
    assert_null(w);
    (void)snprintf(text, sizeof text, net, 1);
    w = read_good(text);
    assert_int_equal(sc_workload_macs(w), 74760192);
    sc_workload_destroy(w);
}

/* What comes before the ops of the cases below, and is right. */
#define HEAD                                                                                       \
    "version: 1\n"                                                                                 \
    "name: n\n"                                                                                    \
    "inputs: {x: {channels: 4, height: 9, width: 9}}\n"                                            \
    "ops:\n"

static const struct {
    const char *text, *message;
} rejected[] = {
    {"- 1\n", "net.yaml:1:1: error: "},
    {"version: 2\nname: n\ninputs: {x: {}}\nops: [{name: a, kind: relu}]\n", "net.yaml:1:10: "},
    {"version: 1\nname: n\ninputs: {x: {}}\n", "net.yaml:1:1: error: "}, /* no ops */
    {"version: 1\nname: n\ninputs: {x: {}}\nops: []\n", "at least one op"},
    {"version: 1\nname: n\ninputs: {}\nops: [{name: a, kind: relu}]\n", "needs an input"},
    {"version: 1\nname: n\ninput: {x: {}}\nops: [{name: a, kind: relu}]\n",
     "net.yaml:3:1: error: unknown key 'input' (did you mean 'inputs'?)"},
    {"version: 1\nname: n\ninputs: {x: {heigth: 3}}\nops: [{name: a, kind: relu}]\n",
     "(did you mean 'height'?)"},
    {"version: 1\nname: n\ninputs: {x: {height: 0}}\nops: [{name: a, kind: relu}]\n",
     "net.yaml:3:22: error: 0, must be at least 1"},
    {"version: 1\nname: n\nprecision: bf17\ninputs: {x: {}}\nops: [{name: a, kind: relu}]\n",
     "(did you mean 'bf16'?)"},
    {"version: 1\nname: n\nprecision: 65\ninputs: {x: {}}\nops: [{name: a, kind: relu}]\n",
     "65 bits"},
    {"version: 1\nname: n\nbatch: -1\ninputs: {x: {}}\nops: [{name: a, kind: relu}]\n",
     "net.yaml:3:8: error: -1, must be at least 0"},
    {HEAD "  - relu\n", "net.yaml:5:5: error: an op must be a map"},
    {HEAD "  - {kind: relu}\n", "'name'"},
    {HEAD "  - {name: a}\n", "'kind'"},
    {HEAD "  - {name: a, kind: rleu}\n", "(did you mean 'relu'?)"},
    {HEAD "  - {name: a, kind: convv}\n", "(did you mean 'conv'?)"},
    {HEAD "  - {name: a, kind: conv, channels: 1, kernle: 3}\n", "(did you mean 'kernel'?)"},
    {HEAD "  - {name: a, kind: relu, kernel: 3}\n", "unknown key 'kernel'"},
    {HEAD "  - {name: a, kind: conv, channels: 0}\n", "net.yaml:5:37: error: 0, must be at least"},
    {HEAD "  - {name: a, kind: conv, channels: 1e30}\n", "net.yaml:5:37: "},
    {HEAD "  - {name: a, kind: conv, channels: 1, kernel: [1, 2, 3, 4]}\n", "list of up to 3"},
    {HEAD "  - {name: a, kind: conv, channels: 1, kernel: []}\n", "list of up to 3"},
    {HEAD "  - {name: a, kind: conv, channels: 1, padding: smae}\n", "(did you mean 'same'?)"},
    {HEAD "  - {name: a, kind: conv, channels: 1, padding: [1, 2, 3, 4, 5]}\n", "1, 2, 3, 4 or 6"},
    {HEAD "  - {name: a, kind: conv, channels: 1, padding: {h: 1}}\n", "list of up to 6"},
    {HEAD "  - {name: a, kind: conv, channels: 1, bias: perhaps}\n", "net.yaml:5:46: "},
    {HEAD "  - {name: a, kind: conv, channels: 6, groups: 3}\n", "3 groups do not divide 4"},
    /* case 5 */
    {HEAD "  - {name: a, kind: conv, channels: 1, kernel: 3, dilation: 16}\n",
     "net.yaml:5:5: error: op 'a': effective kernel 33 > 9"},
    {HEAD "  - {name: a, kind: relu, inputs: x}\n", "net.yaml:5:35: "},
    {HEAD "  - {name: a, kind: relu, inputs: []}\n", "reads 1 to 1 tensors, not 0"},
    {HEAD "  - {name: a, kind: relu, inputs: [y]}\n", "net.yaml:5:36: error: no earlier op"},
    {HEAD "  - {name: stem, kind: relu}\n  - {name: b, kind: relu, inputs: [stme]}\n",
     "(did you mean 'stem'?)"},
    {HEAD "  - {name: a, kind: relu, inputs: [a]}\n", "no earlier op or network input 'a'"},
    {HEAD "  - {name: a, kind: relu, inputs: [{of: x, channel: 2}]}\n", "did you mean 'channels'"},
    {HEAD "  - {name: a, kind: relu, inputs: [{of: x, channels: 5}]}\n", "takes more"},
    {HEAD "  - {name: a, kind: relu, inputs: [{channels: 1}]}\n", "'of'"},
    {HEAD "  - {name: a, kind: relu, precision: 0}\n", "0, must be at least 1"},
    {HEAD "  - {name: x, kind: relu}\n", "the name 'x' is taken"},
    {HEAD "  - {name: a, kind: pool, function: sum}\n", "no function 'sum'"},
    {HEAD "  - {name: a, kind: resize, shape: {channels: 3}}\n", "unknown key 'channels'"},
    {HEAD "  - {name: a, kind: reshape}\n", "'shape'"},
    {HEAD "  - {name: a, kind: fc, channels: 9223372036854775807}\n", "2^63 - 1"},
    {HEAD "  - {name: a, kind: relu, name: b}\n", "'name'"}, /* the same key twice */
    {HEAD "  - {name: a, kind: pool, global: true, kernel: 3}\n", "net.yaml:5:49: error: a global"},
};

static void test_rejections(void **state)
{
    for (size_t i = 0; i < COUNT(rejected); i++) {
        sc_workload *w = NULL;
        if (read_text(&w, rejected[i].text) != SC_EPARSE)
            fail_msg("case %zu is taken: %s", i, rejected[i].text);
        assert_null(w);
        assert_says(rejected[i].message);
        assert_non_null(strstr(sc_error_message(), "net.yaml:"));
    }
}

/* Each mistake once, all in one go; ops that read a broken one say nothing. */
static void test_all_errors_at_once(void **state)
{
    sc_workload *w = NULL;
    assert_int_equal(read_text(&w, HEAD "  - {name: a, kind: conv, channels: 0}\n"
                                        "  - {name: b, kind: conv, channels: 7, groups: 7}\n"
                                        "  - {name: c, kind: add, inputs: [a, b]}\n"
                                        "  - {name: d, kind: relu, inputs: [x], colour: red}\n"
                                        "  - {name: e, kind: relu, inputs: [nobody]}\n"),
                     SC_EPARSE);
    size_t lines = 1;
    for (const char *p = sc_error_message(); *p; p++)
        lines += *p == '\n' && p[1];
    assert_int_equal(lines, 3);
    assert_says("net.yaml:5:37: ");
    assert_says("net.yaml:8:40: ");
    assert_says("net.yaml:9:36: ");
}

/* An input that is broken is told of once, not again by what reads it. */
static void test_broken_inputs(void **state)
{
    static const char *const texts[] = {
        "version: 1\nname: n\ninputs: {x: {height: 0}}\n"
        "ops: [{name: a, kind: relu, inputs: [x]}, {name: b, kind: relu}]\n",
        "version: 1\nname: n\ninputs: {x: {height: 4294967296, width: 4294967296}}\n"
        "ops: [{name: a, kind: relu, inputs: [x]}]\n"};
    for (size_t i = 0; i < COUNT(texts); i++) {
        sc_workload *w = NULL;
        assert_int_equal(read_text(&w, texts[i]), SC_EPARSE);
        assert_null(strchr(sc_error_message(), '\n'));
        assert_says("net.yaml:3:");
    }
}

static void test_json(void **state)
{
    sc_workload *w = open_network("alexnet:batch=2");
    char *text = NULL;
    json_t *root = NULL;
    assert_int_equal(sc_workload_json(&text, w), SC_OK);
    assert_int_equal(sc_json_parse(&root, "json", text, strlen(text)), SC_OK);
    assert_string_equal(json_string_value(json_object_get(root, "name")), "alexnet");
    assert_int_equal(json_integer_value(json_object_get(root, "ops")), 8);
    assert_int_equal(json_integer_value(json_object_get(root, "batch")), 2);
    assert_int_equal(json_integer_value(json_object_get(root, "parameters")),
                     sc_workload_parameters(w));
    json_int_t macs = 0;
    const json_t *ops = json_object_get(root, "op_list");
    assert_int_equal(json_array_size(ops), 8);
    for (size_t i = 0; i < json_array_size(ops); i++)
        macs += json_integer_value(json_object_get(json_array_get(ops, i), "macs"));
    assert_int_equal(macs, json_integer_value(json_object_get(root, "macs")));
    const json_t *conv2 = json_array_get(ops, 2), *pool = json_array_get(ops, 1);
    assert_string_equal(json_string_value(json_object_get(conv2, "name")), "conv2");
    assert_string_equal(json_string_value(json_object_get(conv2, "kind")), "conv");
    assert_int_equal(json_integer_value(json_object_get(conv2, "groups")), 2);
    assert_int_equal(json_integer_value(json_object_get(conv2, "m")), 2 * 27 * 27);
    assert_null(json_object_get(pool, "m"));
    assert_string_equal(json_string_value(json_object_get(pool, "function")), "max");
    json_decref(root);
    sc_release(text);
    sc_workload_destroy(w);
}

static sc_status read_and_write(void *text)
{
    sc_workload *w = NULL;
    char *again = NULL;
    sc_status st = read_text(&w, text);
    if (st == SC_OK)
        st = sc_workload_yaml(&again, w);
    sc_workload_destroy(w);
    sc_release(again);
    return st;
}

static void test_out_of_memory(void **state)
{
    char text[sizeof every_key];
    memcpy(text, every_key, sizeof text);
    assert_true(fail_each_allocation(read_and_write, text) > 10);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_example),
        cmocka_unit_test(test_file_options),
        cmocka_unit_test(test_round_trip_of_builtins),
        cmocka_unit_test(test_every_key),
        cmocka_unit_test(test_whole_parts),
        cmocka_unit_test(test_paddings),
        cmocka_unit_test(test_colon_in_path),
        cmocka_unit_test(case_4_conv_3d),
        cmocka_unit_test(case_3_batch_zero),
        cmocka_unit_test(test_rejections),
        cmocka_unit_test(test_all_errors_at_once),
        cmocka_unit_test(test_broken_inputs),
        cmocka_unit_test(test_json),
        cmocka_unit_test(test_out_of_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
