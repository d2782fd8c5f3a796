#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka wants the four above first */
#include <cmocka.h>
#include <math.h>
#include <string.h>

#include "core/json.h"
#include "core/mem.h"
#include "model/net/network.h"
#include "model/net/padding.h"
#include "model/net/rules.h"
#include "model_support.h"
#include "scantle/map.h"

/* The switches of an evaluation: mapping, padding, softmax; and what padding is shown as. */

static const char network[] = SCANTLE_SOURCE_DIR "/configs/networks/example.yaml";

/* 96 elements of 16 bits in rows of 12, on 8 lanes with a buffer of 4,096 bytes. */
static sc_op softmax_op(void)
{
    return (sc_op){.name = "s",
                   .kind = SC_OP_SOFTMAX,
                   .function = "",
                   .batch = 1,
                   .in_elems = 96,
                   .out_elems = 96,
                   .ow = 12,
                   .bits = 16,
                   .n_inputs = 1};
}

/* Three passes: 4 * 96 operations, 96 exp and 8 divisions: 488 on 8 lanes. Two: 5 * 96, 3 * 96 and
 * 8: 776. */
static void test_softmax_by_lanes(void **state)
{
    const sc_arch a = grid_arch(1, 1, 4096, 0.0);
    const sc_op op = softmax_op();
    sc_op_cost c;
    sc_vector_cost_of(&c, &op, &a, SC_SOFTMAX_BEST);
    assert_int_equal(c.variant, SC_VARIANT_THREE_PASS);
    assert_true(c.cycles == 61.0);
    assert_true(c.ways[SC_VARIANT_THREE_PASS].cycles == 61.0);
    assert_true(c.ways[SC_VARIANT_TWO_PASS].cycles == 97.0);
    sc_vector_cost_of(&c, &op, &a, SC_SOFTMAX_TWO);
    assert_int_equal(c.variant, SC_VARIANT_TWO_PASS);
    assert_true(c.cycles == 97.0);
    assert_true(c.ways[SC_VARIANT_THREE_PASS].cycles == 61.0);
}

/* At 8 bytes a cycle of the buffer. In from memory 192 and out to it 192 bytes; the lanes read 3
 * and write 2 times 192 in three passes, 2 and 1 times in two: 1,344 bytes in 168 cycles against
 * 960 in 120. Energy: 24 blocks in and 24 out of memory at 400 pJ; of the buffer, reads 3, writes
 * 5, updates 7 pJ a block: 96 * 3 + 24 * 5 + 48 * 7 against 72 * 3 + 24 * 5 + 24 * 7; lanes 384 + 4
 * * 104 against 480 + 4 * 296. */
static void test_softmax_by_bandwidth(void **state)
{
    sc_arch a = grid_arch(1, 1, 4096, 0.0);
    const sc_op op = softmax_op();
    const double memory = 48 * 400.0;
    const double three = memory + 288 + 120 + 336 + 800, two = memory + 216 + 120 + 168 + 1664;
    sc_op_cost c;
    a.level[1].shared_bw = 8.0;
    sc_vector_cost_of(&c, &op, &a, SC_SOFTMAX_BEST);
    assert_int_equal(c.variant, SC_VARIANT_TWO_PASS);
    assert_true(c.cycles == 120.0);
    assert_true(c.energy_pj == two);
    assert_true(c.ways[SC_VARIANT_TWO_PASS].cycles == 120.0);
    assert_true(c.ways[SC_VARIANT_TWO_PASS].energy_pj == two);
    assert_true(c.ways[SC_VARIANT_THREE_PASS].cycles == 168.0);
    assert_true(c.ways[SC_VARIANT_THREE_PASS].energy_pj == three);
    sc_vector_cost_of(&c, &op, &a, SC_SOFTMAX_THREE);
    assert_int_equal(c.variant, SC_VARIANT_THREE_PASS);
    assert_true(c.cycles == 168.0);
    assert_true(c.energy_pj == three);
}

/* Whatever the rates: best is the faster of the two that the other rules give, and rows that no
 * buffer holds are read from memory in each pass. */
static void test_best_is_the_better_of_both(void **state)
{
    int seen[SC_VARIANTS] = {0};
    for (unsigned i = 0; i < 60; i++) {
        sc_arch a = grid_arch(1, 1, i % 2 ? 4096 : 16, i % 3 ? 1.0 + i : 0.0);
        sc_op op = softmax_op();
        sc_op_cost best, three, two;
        a.vector.lanes = 1 + i;
        op.ow = 1 + i % 31;
        sc_vector_cost_of(&best, &op, &a, SC_SOFTMAX_BEST);
        sc_vector_cost_of(&three, &op, &a, SC_SOFTMAX_THREE);
        sc_vector_cost_of(&two, &op, &a, SC_SOFTMAX_TWO);
        assert_true(best.cycles == fmin(three.cycles, two.cycles));
        if (three.cycles == two.cycles)
            assert_true(best.energy_pj == fmin(three.energy_pj, two.energy_pj));
        assert_memory_equal(best.ways, three.ways, sizeof best.ways);
        assert_memory_equal(best.ways, two.ways, sizeof best.ways);
        seen[best.variant]++;
    }
    assert_true(seen[SC_VARIANT_THREE_PASS] > 5 && seen[SC_VARIANT_TWO_PASS] > 5);
}

/* 197 to 198 and 5 to 6 of three: 1 - 197 * 5 / (198 * 6) = 203 / 1188. */
static void test_padding_is_told(void **state)
{
    const uint64_t size[] = {197, 64, 5}, padded[] = {198, 64, 6};
    const sc_einsum e = gemm_einsum(197, 64, 5);
    bool ok = true;
    char *text = NULL;
    sc_buf b;
    assert_true(fabs(sc_padding_share(3, size, padded) - 203.0 / 1188.0) < 1e-15);
    assert_true(sc_padding_share(3, size, size) == 0.0);
    json_t *o = sc_padding_json(&e, size, padded, &ok);
    assert_true(ok);
    const json_t *dims = json_object_get(o, "dims");
    assert_int_equal(json_array_size(dims), 2);
    assert_string_equal(json_string_value(json_object_get(json_array_get(dims, 1), "dim")), "K");
    assert_int_equal(json_integer_value(json_object_get(json_array_get(dims, 1), "size")), 5);
    assert_int_equal(json_integer_value(json_object_get(json_array_get(dims, 1), "padded")), 6);
    json_decref(o);
    sc_buf_init(&b);
    sc_padding_text(&b, &e, size, padded);
    sc_padding_text(&b, &e, size, size);
    assert_int_equal(sc_buf_take(&b, &text), SC_OK);
    assert_string_equal(text, "M 197 to 198, K 5 to 6: 17.1 % of the MACs are padding");
    sc_free(text);
}

static void test_rules_as_text(void **state)
{
    char text[SC_RULES_LEN];
    sc_rules r = SC_RULES_INIT;
    assert_string_equal(sc_rules_text(text, &r), "");
    r.softmax = SC_SOFTMAX_TWO;
    r.mapping = SC_MAPPING_PLAIN;
    assert_string_equal(sc_rules_text(text, &r), ",mapping=plain,softmax=two");
    for (size_t i = 0; i < SC_RULES; i++)
        for (size_t k = 0; k < sc_rule_at(i)->n_choices; k++) {
            sc_rules_set(&r, i, k);
            assert_int_equal(sc_rules_get(&r, i), k);
            assert_int_equal(sc_rules_check(&r), SC_OK);
        }
    r.padding = (sc_padding_rule)2;
    assert_int_equal(sc_rules_check(&r), SC_EINVAL);
    assert_non_null(strstr(sc_error_message(), "padding"));
}

static json_t *evaluate(const char *spec, const char *net, const sc_rules *rules, int threads)
{
    sc_design *d = NULL;
    sc_workload *w = NULL;
    sc_evaluation *e = NULL;
    sc_evaluate_options o = SC_EVALUATE_OPTIONS_INIT;
    char *json = NULL;
    o.map_budget = 60;
    o.threads = threads;
    o.rules = *rules;
    if (sc_design_open(&d, spec) != SC_OK || sc_workload_open(&w, net) != SC_OK ||
        sc_evaluate(&e, d, w, &o) != SC_OK || sc_evaluation_json(&json, e) != SC_OK)
        fail_msg("%s", sc_error_message());
    json_t *root = json_loads(json, 0, NULL);
    assert_non_null(root);
    sc_release(json);
    sc_evaluation_destroy(e);
    sc_workload_destroy(w);
    sc_design_destroy(d);
    return root;
}

static double real_at(const json_t *o, const char *key)
{
    assert_true(json_is_number(json_object_get(o, key)));
    return json_number_value(json_object_get(o, key));
}

/* The share of all MACs done: each op's own MACs over what they are padded to, by its dims. */
static void check_shares(const json_t *root)
{
    const json_t *list = json_object_get(root, "op_list");
    double own = 0.0, done = 0.0;
    for (size_t i = 0; i < json_array_size(list); i++) {
        const json_t *op = json_array_get(list, i), *padding = json_object_get(op, "padding");
        const json_t *dims = json_object_get(padding, "dims");
        const double macs = real_at(op, "macs");
        double times = 1.0;
        assert_int_equal(json_is_object(padding), macs > 0.0);
        for (size_t k = 0; k < json_array_size(dims); k++) {
            const json_t *dim = json_array_get(dims, k);
            assert_true(real_at(dim, "padded") > real_at(dim, "size"));
            times *= real_at(dim, "padded") / real_at(dim, "size");
        }
        if (macs > 0.0)
            assert_true(fabs(real_at(padding, "share") - (1.0 - 1.0 / times)) < 1e-12);
        own += macs;
        done += macs * times;
    }
    assert_true(fabs(real_at(root, "padding_share") - (1.0 - own / done)) < 1e-9);
}

/* A network whose channels do not divide 128: padded under the fixed rule, and not where padding is
 * off; the rules are echoed, and the thread count makes no difference. */
static void test_evaluations_with_switches(void **state)
{
    sc_rules plain = SC_RULES_INIT, unpadded = SC_RULES_INIT, search = SC_RULES_INIT;
    plain.mapping = SC_MAPPING_PLAIN;
    unpadded.padding = SC_PADDING_OFF;
    json_t *p = evaluate("tpu-v3", "resnet50", &plain, 2);
    json_t *again = evaluate("tpu-v3", "resnet50", &plain, 3);
    json_t *u = evaluate("tpu-v3", "resnet50", &unpadded, 2);
    json_t *s = evaluate("tpu-v3", "resnet50", &search, 2);
    assert_true(json_equal(p, again));
    assert_string_equal(json_string_value(json_object_get(json_object_get(p, "rules"), "mapping")),
                        "plain");
    assert_string_equal(json_string_value(json_object_get(json_object_get(u, "rules"), "padding")),
                        "off");
    check_shares(p);
    check_shares(u);
    check_shares(s);
    assert_true(real_at(p, "padding_share") > 0.0);
    assert_true(real_at(u, "padding_share") == 0.0);
    assert_true(real_at(p, "latency_s") > real_at(s, "latency_s"));
    json_decref(p);
    json_decref(again);
    json_decref(u);
    json_decref(s);
}

/* One memo, two rules: neither answers for the other. */
static void test_memo_tells_rules_apart(void **state)
{
    sc_memo *memo = NULL;
    sc_workload *w = NULL;
    sc_op_cost cost[2][2];
    const sc_arch a = array_arch(16, 16, 1 << 16);
    assert_int_equal(sc_workload_open(&w, network), SC_OK);
    assert_int_equal(sc_memo_create(&memo, 100), SC_OK);
    size_t i = 0;
    while (!sc_op_is_mac(&w->ops[i]))
        i++;
    for (int round = 0; round < 2; round++)
        for (int k = 0; k < 2; k++) {
            sc_cost_options o = {.map_budget = 60, .rules = SC_RULES_INIT};
            o.rules.mapping = k ? SC_MAPPING_PLAIN : SC_MAPPING_SEARCH;
            assert_int_equal(
                sc_memo_cost(&cost[round][k], memo, sc_memo_arch_hash(&a), &w->ops[i], &a, &o),
                SC_OK);
        }
    assert_int_equal(sc_memo_hits(memo), 2);
    assert_int_equal(cost[1][1].evaluations, 1);
    assert_true(cost[1][0].evaluations > 1);
    sc_memo_destroy(memo);
    sc_workload_destroy(w);
}

static void test_refuses_rules_that_are_none(void **state)
{
    sc_design *d = NULL;
    sc_workload *w = NULL;
    sc_evaluation *e = NULL;
    sc_map_result *m = NULL;
    sc_evaluate_options o = SC_EVALUATE_OPTIONS_INIT;
    sc_map_request q = SC_MAP_REQUEST_INIT;
    assert_int_equal(sc_design_open(&d, "tpu-v3"), SC_OK);
    assert_int_equal(sc_workload_open(&w, network), SC_OK);
    o.rules.softmax = (sc_softmax_rule)3;
    assert_int_equal(sc_evaluate(&e, d, w, &o), SC_EINVAL);
    assert_null(e);
    q.rules.mapping = (sc_mapping_rule)2;
    assert_int_equal(sc_map_network(&m, d, w, &q), SC_EINVAL);
    assert_null(m);
    sc_workload_destroy(w);
    sc_design_destroy(d);
}

static int set_up(void **state)
{
    return sc_data_dir_set(SCANTLE_SOURCE_DIR "/configs") == SC_OK ? 0 : -1;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_softmax_by_lanes),
        cmocka_unit_test(test_softmax_by_bandwidth),
        cmocka_unit_test(test_best_is_the_better_of_both),
        cmocka_unit_test(test_padding_is_told),
        cmocka_unit_test(test_rules_as_text),
        cmocka_unit_test(test_evaluations_with_switches),
        cmocka_unit_test(test_memo_tells_rules_apart),
        cmocka_unit_test(test_refuses_rules_that_are_none),
    };
    return cmocka_run_group_tests(tests, set_up, NULL);
}
