/* Calibrated cycles of mapped ops: the runs they stand for, written out by hand. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka wants the four above first */
#include <cmocka.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "core/file.h"
#include "core/json.h"
#include "core/mem.h"
#include "model/arch/template.h"
#include "model/count/tiled_run.h"
#include "model/net/calibrated.h"
#include "model/net/memo.h"
#include "model_support.h"
#include "scantle/evaluate.h"
#include "workloads/builder.h"

static const char file_name[] = "net_calibrated_test.yaml";

static const sc_calibration chip = {.name = "chip",
                                    .driver = SC_TILED_PLAIN,
                                    .factor = {[SC_TILED_HOST_WINDOW] = 310,
                                               [SC_TILED_HOST_PRODUCT] = 90,
                                               [SC_TILED_PASS] = 3,
                                               [SC_TILED_PASS_SIDE] = 0.4,
                                               [SC_TILED_ROW] = 0.8,
                                               [SC_TILED_ROW_SIDE] = 0.05,
                                               [SC_TILED_BUS] = 9,
                                               [SC_TILED_LINE] = 6,
                                               [SC_TILED_OVERLAP] = 1,
                                               [SC_TILED_START] = 700}};

static sc_arch chip_arch(sc_tiled_driver driver)
{
    sc_arch a = array_arch(4, 4, 1 << 16);
    a.calibration = chip;
    a.calibration.driver = driver;
    return a;
}

/* Cycles of a layer cut as one line of a table of measured runs says. */
static double as_measured(sc_tiled_layer l, const char *mapping, sc_tiled_driver driver,
                          double repeat)
{
    sc_tiled_work w;
    if (sc_tiled_parse(&l, mapping) != SC_OK || sc_tiled_count(&w, &l, 4, driver) != SC_OK)
        fail_msg("%s", sc_error_message());
    w.repeat *= repeat;
    return sc_tiled_cycles(&w, chip.factor);
}

/* 24 x 8 times 8 x 12 in tiles of 6 x 4 x 8: every count of the model by hand, units in turn. */
static void test_product_by_hand(void **state)
{
    const sc_arch a = chip_arch(SC_TILED_PLAIN);
    sc_mapped m = {.padded = gemm_einsum(24, 12, 8)};
    m.mapping.n_levels = 3;
    m.mapping.level[0].temporal = (sc_loops){2, {0, 1}, {4, 3}}; /* M innermost */
    m.mapping.level[1].spatial = (sc_loops){2, {1, 2}, {4, 4}};
    m.mapping.level[1].temporal = (sc_loops){2, {0, 2}, {6, 2}};
    double cycles = 0;
    assert_true(sc_calibrated_cycles(&cycles, &m, &a));
    /* 12 tiles. N 4 and K 8 on 4 x 4 are 2 passes, 6 rows of M in 2 pieces: 4 passes of 3 values,
     * each at least 3 + 0.4 * 4. A tile loads 8 rows of weights and 6 of inputs, 2 wide: 8 + 12
     * rows of 0.8 + 0.05 * 4, and 8 * 4 + 6 * 8 bytes at 9 a cycle. All fits the cache. */
    const double host = 12 * 90, array = 12 * 4 * 4.6, memory = 12 * (20 * 1.0 + 80 / 9.0);
    assert_true(fabs(cycles - (host + array + memory + 700)) < 1e-9 * cycles);
}

static sc_op conv_op(sc_workload **w, sc_op_spec spec, uint64_t batch, sc_shape shape)
{
    sc_builder *b = NULL;
    int32_t x = 0;
    assert_int_equal(sc_builder_create(&b, "one", batch, 8), SC_OK);
    assert_int_equal(sc_builder_input(b, &x, "x", shape), SC_OK);
    spec.name = "op";
    spec.n_inputs = 1;
    spec.inputs = &(sc_input_ref){.producer = x};
    if (sc_builder_add(b, &x, &spec) != SC_OK || sc_builder_finish(w, b) != SC_OK)
        fail_msg("%s", sc_error_message());
    sc_builder_destroy(b);
    return (*w)->ops[0];
}

static int dim(const sc_einsum *e, const char *name)
{
    int d = 0;
    while (strcmp(e->dim_name[d], name) != 0)
        d++;
    return d;
}

/* A strided, grouped convolution of 3 samples: each of 3 x 2 runs is as the table's line. */
static void test_convolution_as_a_line(void **state)
{
    static const char line[] = "L3 K2 Q7 - L2 K4X - L1 C4X R3 S3 - L0 P5";
    const sc_op_spec spec = {
        .kind = SC_OP_CONV, .channels = 16, .groups = 2, .kernel = {1, 3, 3}, .stride = {1, 2, 2}};
    for (int driver = SC_TILED_PLAIN; driver <= SC_TILED_GEMMINI; driver++) {
        const sc_arch a = chip_arch((sc_tiled_driver)driver);
        sc_workload *w = NULL;
        const sc_op op = conv_op(&w, spec, 3, (sc_shape){8, 1, 11, 15});
        sc_mapped m;
        memset(&m, 0, sizeof m);
        assert_int_equal(sc_op_einsum(&m.padded, &op), SC_OK);
        const sc_einsum *e = &m.padded;
        const uint8_t p = (uint8_t)dim(e, "P"), q = (uint8_t)dim(e, "Q"), k = (uint8_t)dim(e, "K"),
                      c = (uint8_t)dim(e, "C"), r = (uint8_t)dim(e, "R"), s = (uint8_t)dim(e, "S");
        const uint8_t n = (uint8_t)dim(e, "N"), g = (uint8_t)dim(e, "G");
        assert_true(e->bound[p] == 5 && e->bound[q] == 7 && e->bound[k] == 8 && e->bound[c] == 4);
        m.mapping.n_levels = 3;
        m.mapping.level[0].temporal = (sc_loops){4, {q, n, k, g}, {7, 3, 2, 2}};
        m.mapping.level[1].spatial = (sc_loops){2, {k, c}, {4, 4}};
        m.mapping.level[1].temporal = (sc_loops){3, {r, s, p}, {3, 3, 5}};
        const sc_tiled_layer layer = {.extent = {8, 4, 5, 7, 3, 3}, .stride_p = 2, .stride_q = 2};
        double cycles = 0;
        assert_true(sc_calibrated_cycles(&cycles, &m, &a));
        assert_true(cycles == as_measured(layer, line, (sc_tiled_driver)driver, 6));
        sc_workload_destroy(w);
    }
}

/* What nobody measured stays as modelled. */
static void test_other_forms_are_left(void **state)
{
    static const sc_op_spec others[] = {
        {.kind = SC_OP_CONV, .channels = 8, .groups = 8, .kernel = {1, 3, 3}},
        {.kind = SC_OP_CONV, .channels = 8, .kernel = {1, 3, 3}, .dilation = {1, 2, 2}},
        {.kind = SC_OP_CONV, .channels = 8, .kernel = {2, 3, 3}},
        {.kind = SC_OP_TCONV, .channels = 8, .kernel = {1, 2, 2}, .stride = {1, 2, 2}},
    };
    sc_arch a = chip_arch(SC_TILED_PLAIN);
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        sc_workload *w = NULL;
        const sc_op op = conv_op(&w, others[i], 1, (sc_shape){8, 2, 9, 9});
        sc_op_cost with, without;
        assert_int_equal(sc_op_cost_of(&with, &op, &a, &(sc_cost_options){.map_budget = 50}),
                         SC_OK);
        a.calibration.name[0] = '\0';
        assert_int_equal(sc_op_cost_of(&without, &op, &a, &(sc_cost_options){.map_budget = 50}),
                         SC_OK);
        a.calibration.name[0] = 'c';
        assert_true(with.cycles == without.cycles);
        assert_true(with.modelled_cycles == 0);
        sc_workload_destroy(w);
    }
}

/* An op of the calibrated form: its time is measured, all else stays; a memo tells them apart. */
static void test_cost_and_memo(void **state)
{
    const sc_arch a = chip_arch(SC_TILED_PLAIN);
    sc_arch plain = a, other = a;
    sc_workload *w = NULL;
    const sc_op op =
        conv_op(&w, (sc_op_spec){.kind = SC_OP_MATMUL, .channels = 12}, 1, (sc_shape){8, 1, 24, 1});
    sc_memo *memo = NULL;
    sc_op_cost with, without, slower;
    memset(&plain.calibration, 0, sizeof plain.calibration);
    other.calibration.factor[SC_TILED_HOST_PRODUCT] = 1000;
    assert_int_equal(sc_memo_create(&memo, 100), SC_OK);
    assert_int_equal(sc_memo_cost(&without, memo, sc_memo_arch_hash(&plain), &op, &plain,
                                  &(sc_cost_options){.map_budget = 50}),
                     SC_OK);
    assert_int_equal(sc_memo_cost(&with, memo, sc_memo_arch_hash(&a), &op, &a,
                                  &(sc_cost_options){.map_budget = 50}),
                     SC_OK);
    assert_int_equal(sc_memo_cost(&slower, memo, sc_memo_arch_hash(&other), &op, &other,
                                  &(sc_cost_options){.map_budget = 50}),
                     SC_OK);
    assert_true(with.modelled_cycles == without.cycles);
    assert_true(with.cycles > 700 && with.cycles != without.cycles);
    assert_true(slower.cycles > with.cycles);
    assert_true(with.energy_pj == without.energy_pj && with.bound == without.bound);
    sc_memo_destroy(memo);
    sc_workload_destroy(w);
}

static json_t *evaluate(const sc_design *d, const sc_workload *w)
{
    sc_evaluate_options o = SC_EVALUATE_OPTIONS_INIT;
    sc_evaluation *e = NULL;
    char *text = NULL;
    json_t *json = NULL;
    o.map_budget = 30;
    if (sc_evaluate(&e, d, w, &o) != SC_OK || sc_evaluation_json(&text, e) != SC_OK ||
        sc_json_parse(&json, "e", text, strlen(text)) != SC_OK)
        fail_msg("%s", sc_error_message());
    sc_free(text);
    sc_evaluation_destroy(e);
    return json;
}

/* A design takes the calibration along, changed copies too; the evaluation names it. */
static void test_a_design_names_it(void **state)
{
    sc_design *d = NULL, *changed = NULL, *tpu = NULL;
    sc_workload *w = NULL;
    assert_int_equal(
        sc_design_open(&d, "fast:pes_x=1,pes_y=1,systolic_x=16,systolic_y=16,native_batch=2"),
        SC_OK);
    assert_int_equal(sc_workload_open(&w, "mobilenet-v2"), SC_OK);
    json_t *before = evaluate(d, w);
    assert_true(json_is_null(json_object_get(before, "calibration")));
    if (sc_design_calibrate(d, "gemmini-16x16") != SC_OK)
        fail_msg("%s", sc_error_message());
    assert_int_equal(sc_design_with(&changed, d, "native_batch=2"), SC_OK);
    json_t *after = evaluate(changed, w);
    const json_t *c = json_object_get(after, "calibration");
    assert_string_equal(json_string_value(json_object_get(c, "name")), "gemmini-16x16");
    assert_string_equal(json_string_value(json_object_get(c, "driver")), "gemmini");
    assert_int_equal(strlen(json_string_value(json_object_get(c, "hash"))), 32);
    const json_t *was = json_object_get(before, "op_list"), *is = json_object_get(after, "op_list");
    for (size_t i = 0; i < json_array_size(is); i++) {
        const json_t *o = json_array_get(is, i), *p = json_array_get(was, i);
        const char *kind = json_string_value(json_object_get(o, "kind"));
        const bool measured = strcmp(kind, "conv") == 0 || strcmp(kind, "fc") == 0;
        const json_t *time = json_object_get(o, measured ? "modelled_time_s" : "time_s");
        assert_int_equal(json_is_true(json_object_get(o, "calibrated")), measured);
        assert_true(json_number_value(time) == json_number_value(json_object_get(p, "time_s")));
    }
    assert_true(json_number_value(json_object_get(after, "latency_s")) !=
                json_number_value(json_object_get(before, "latency_s")));
    json_decref(before);
    json_decref(after);
    /* what does not fit, and names and files that are wrong */
    assert_int_equal(sc_design_open(&tpu, "tpu-v3"), SC_OK);
    assert_int_equal(sc_design_calibrate(tpu, "gemmini-16x16"), SC_EINVAL);
    assert_non_null(strstr(sc_error_message(), "one square array; tpu-v3 has 65536 MAC units"));
    assert_int_equal(sc_design_calibrate(d, "gemini-16x16"), SC_ENOTFOUND);
    assert_non_null(strstr(sc_error_message(), "did you mean 'gemmini-16x16'?"));
    assert_int_equal(sc_file_write(file_name, "version: 1\nname: x\n", 19), SC_OK);
    assert_int_equal(sc_design_calibrate(d, file_name), SC_EPARSE);
    assert_non_null(strstr(sc_error_message(), file_name));
    (void)unlink(file_name);
    sc_workload_destroy(w);
    sc_design_destroy(tpu);
    sc_design_destroy(changed);
    sc_design_destroy(d);
}

static int set_up(void **state)
{
    return sc_data_dir_set(SCANTLE_SOURCE_DIR "/configs") != SC_OK;
}

int main(void)
{
    const struct CMUnitTest t[] = {
        cmocka_unit_test(test_product_by_hand),      cmocka_unit_test(test_convolution_as_a_line),
        cmocka_unit_test(test_other_forms_are_left), cmocka_unit_test(test_cost_and_memo),
        cmocka_unit_test(test_a_design_names_it),
    };
    return cmocka_run_group_tests_name("net_calibrated", t, set_up, NULL);
}
