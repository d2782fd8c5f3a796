#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka wants the four above first */
#include <cmocka.h>
#include <math.h>
#include <omp.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/file.h"
#include "core/json.h"
#include "core/mem.h"
#include "model/net/network.h"
#include "model_support.h"
#include "scantle/map.h"

static sc_op vector_op(sc_op_kind kind, uint64_t in, uint64_t out)
{
    return (sc_op){.name = "v",
                   .kind = kind,
                   .function = "",
                   .batch = 1,
                   .in_elems = in,
                   .out_elems = out,
                   .bits = 16,
                   .n_inputs = 1};
}

/* 3000 sums on 8 lanes: 375 cycles; bytes: 6000 elements in, 3000 out, 2 each. */
static void test_vector_op_by_hand(void **state)
{
    sc_arch a = grid_arch(1, 1, 4096, 0.0);
    sc_op op = vector_op(SC_OP_ADD, 6000, 3000);
    sc_op_cost c;
    op.n_inputs = 2;
    sc_vector_cost_of(&c, &op, &a, SC_SOFTMAX_BEST);
    assert_int_equal(c.misfit.code, SC_FITS);
    assert_true(c.compute_cycles == 375.0);
    assert_true(c.cycles == 375.0);
    assert_int_equal(c.bound, SC_BOUND_VECTOR);
    assert_true(c.level_bytes[0] == 18000.0);
    assert_true(c.level_bytes[1] == 36000.0); /* written and read on the way */
    a.level[0].shared_bw = 10.0;
    sc_vector_cost_of(&c, &op, &a, SC_SOFTMAX_BEST);
    assert_true(c.cycles == 1800.0);
    assert_int_equal(c.bound, 0);
    /* 8-byte blocks: 1500 read and 750 updated at 400; 1500 at 3 + 5 in, 750 at 3 + 7 out; 3000
     * sums */
    assert_true(c.energy_pj == 2250 * 400.0 + 1500 * 8.0 + 750 * 10.0 + 3000.0);
}

static void test_no_lanes_is_infeasible(void **state)
{
    sc_arch a = grid_arch(1, 1, 4096, 0.0);
    const sc_op add = vector_op(SC_OP_ADD, 6, 3), concat = vector_op(SC_OP_CONCAT, 6, 6);
    sc_op_cost c;
    a.vector.lanes = 0;
    sc_vector_cost_of(&c, &add, &a, SC_SOFTMAX_BEST);
    assert_int_not_equal(c.misfit.code, SC_FITS);
    sc_vector_cost_of(&c, &concat, &a, SC_SOFTMAX_BEST); /* movement needs none */
    assert_int_equal(c.misfit.code, SC_FITS);
}

/* A 3x3 conv on 5x5 with padding 1 reads a 7x7 box, of which 25 of 49 exist. */
static void test_padding_is_not_read(void **state)
{
    sc_workload *w = NULL;
    sc_einsum e;
    if (sc_workload_open(&w, SCANTLE_SOURCE_DIR "/configs/networks/example.yaml") != SC_OK)
        fail_msg("%s", sc_error_message());
    for (size_t i = 0; i < w->n_ops; i++) {
        const sc_op *op = &w->ops[i];
        if (!sc_op_is_mac(op))
            continue;
        assert_int_equal(sc_op_einsum(&e, op), SC_OK);
        const double share = sc_op_input_share(op, &e);
        assert_true(share > 0.0 && share <= 1.0);
        if (op->kind == SC_OP_CONV && op->stride_h == 1 && op->r == 3 && op->oh == op->h)
            assert_true(fabs(share - (double)(op->h * op->w) /
                                         (double)((op->h + 2) * (op->w + 2))) < 1e-12);
    }
    sc_workload_destroy(w);
}

static sc_evaluation *evaluate(const char *design, const char *workload, int threads)
{
    sc_design *d = NULL;
    sc_workload *w = NULL;
    sc_evaluation *e = NULL;
    sc_evaluate_options o = SC_EVALUATE_OPTIONS_INIT;
    o.threads = threads;
    o.map_budget = 200;
    if (sc_design_open(&d, design) != SC_OK || sc_workload_open(&w, workload) != SC_OK ||
        sc_evaluate(&e, d, w, &o) != SC_OK)
        fail_msg("%s", sc_error_message());
    sc_design_destroy(d); /* the evaluation stands alone */
    sc_workload_destroy(w);
    return e;
}

static void test_same_for_any_thread_count(void **state)
{
    char *one = NULL;
    for (int threads = 1; threads <= 4; threads++) {
        char *json = NULL;
        sc_evaluation *e = evaluate("fast", "bert-base:seq=128", threads);
        assert_int_equal(sc_evaluation_json(&json, e), SC_OK);
        sc_evaluation_destroy(e);
        if (threads > 1)
            assert_string_equal(json, one);
        else
            one = sc_strdup(json);
        sc_free(json);
    }
    sc_free(one);
}

static double number(const json_t *o, const char *key)
{
    const json_t *v = json_object_get(o, key);
    assert_true(json_is_number(v));
    return json_number_value(v);
}

/* Times of ops sum to the latency, parts of the energy to the energy, and the rest follows. */
static void test_totals_are_sums(void **state)
{
    const char *networks[] = {"efficientnet-b0", "bert-base:seq=128", "unet:256"};
    for (size_t i = 0; i < 3; i++) {
        char *text = NULL;
        json_t *o = NULL;
        double time = 0.0, energy = 0.0;
        sc_evaluation *e = evaluate("fast:native_batch=2", networks[i], 0);
        assert_true(sc_evaluation_feasible(e));
        assert_int_equal(sc_evaluation_json(&text, e), SC_OK);
        assert_int_equal(sc_json_parse(&o, "e", text, strlen(text)), SC_OK);
        const json_t *ops = json_object_get(o, "op_list"),
                     *parts = json_object_get(o, "energy_by_part_j");
        for (size_t k = 0; k < json_array_size(ops); k++) {
            const json_t *op = json_array_get(ops, k);
            time += number(op, "time_s");
            assert_true(number(op, "utilization") <= 1.0);
            assert_true(number(op, "time_s") >= number(op, "compute_s"));
        }
        energy = number(parts, "compute") + number(parts, "clock") + number(parts, "leakage");
        const char *key;
        json_t *value;
        json_object_foreach(json_object_get(parts, "levels"), key, value) energy +=
            json_number_value(value);
        assert_true(fabs(time / number(o, "latency_s") - 1.0) < 1e-9);
        assert_true(fabs(energy / number(o, "energy_j") - 1.0) < 1e-9);
        assert_true(fabs(number(o, "throughput_per_s") * number(o, "latency_s") - 2.0) < 1e-9);
        assert_true(number(o, "power_w") <= number(o, "tdp_w"));
        assert_true(number(o, "energy_per_sample_j") == number(o, "energy_j") / 2);
        assert_true(number(o, "utilization") > 0.0 && number(o, "utilization") <= 1.0);
        json_decref(o);
        sc_free(text);
        sc_evaluation_destroy(e);
    }
}

/* A memo, hit or missed, changes nothing. */
static void test_memo_changes_nothing(void **state)
{
    sc_workload *w = NULL;
    sc_design *d = NULL;
    sc_network *n = NULL;
    sc_memo *memo = NULL, *tiny = NULL;
    sc_network_result plain, first, second, small;
    assert_int_equal(sc_design_open(&d, "fast"), SC_OK);
    assert_int_equal(sc_workload_open(&w, "mobilenet-v2"), SC_OK);
    assert_int_equal(sc_network_create(&n, w, 3), SC_OK);
    assert_int_equal(sc_memo_create(&memo, 1000), SC_OK);
    assert_int_equal(sc_memo_create(&tiny, 1), SC_OK);
    assert_true(sc_network_unique(n) < sc_workload_ops(w));
    sc_op_cost *cost = sc_calloc(sc_network_unique(n), sizeof *cost);
    const sc_arch *a = sc_design_arch(d);
    const sc_budget *b = sc_design_budget(d);
    sc_network_options o = {.map_budget = 100, .threads = 2};
    assert_int_equal(sc_network_cost(&plain, cost, n, a, b, &o), SC_OK);
    o.memo = memo;
    assert_int_equal(sc_network_cost(&first, cost, n, a, b, &o), SC_OK);
    assert_int_equal(sc_memo_hits(memo), 0);
    assert_int_equal(sc_network_cost(&second, cost, n, a, b, &o), SC_OK);
    assert_true(sc_memo_hits(memo) > 10);
    o.memo = tiny;
    assert_int_equal(sc_network_cost(&small, cost, n, a, b, &o), SC_OK);
    assert_memory_equal(&plain.metrics, &first.metrics, sizeof plain.metrics);
    assert_memory_equal(&plain.metrics, &second.metrics, sizeof plain.metrics);
    assert_memory_equal(&plain.metrics, &small.metrics, sizeof plain.metrics);
    sc_free(cost);
    sc_memo_destroy(memo);
    sc_memo_destroy(tiny);
    sc_network_destroy(n);
    sc_workload_destroy(w);
    sc_design_destroy(d);
}

/* The memo's key sees what the mapper sees and nothing else. */
static void test_memo_key(void **state)
{
    const sc_arch a = array_arch(8, 16, 4096);
    sc_arch b = a;
    b.clock_hz *= 2;
    b.vector.lanes *= 2;
    b.native_batch = 7;
    assert_true(sc_hash_equal(sc_memo_arch_hash(&a), sc_memo_arch_hash(&b)));
    b = a;
    b.level[1].capacity[0]++;
    assert_false(sc_hash_equal(sc_memo_arch_hash(&a), sc_memo_arch_hash(&b)));
    b = a;
    b.level[0].read_bw = 3.0;
    assert_false(sc_hash_equal(sc_memo_arch_hash(&a), sc_memo_arch_hash(&b)));
    b = a;
    b.compute.double_buffered = true;
    assert_false(sc_hash_equal(sc_memo_arch_hash(&a), sc_memo_arch_hash(&b)));
}

static json_t *map_json(const sc_design *d, const sc_workload *w, const sc_map_request *q,
                        char **yaml)
{
    sc_map_result *r = NULL;
    char *text = NULL;
    json_t *o = NULL;
    if (sc_map_network(&r, d, w, q) != SC_OK || sc_map_result_json(&text, r) != SC_OK ||
        sc_json_parse(&o, "map", text, strlen(text)) != SC_OK ||
        (yaml && sc_map_result_yaml(yaml, r, 0) != SC_OK))
        fail_msg("%s", sc_error_message());
    sc_free(text);
    sc_map_result_destroy(r);
    return o;
}

/* Every mapping written as a file scores as it did when it was found. */
static void test_mappings_replay(void **state)
{
    const char *ops[] = {"stem", "b1_0_dw", "b2_0_expand", "b3_0_dw", "fc"};
    sc_design *d = NULL;
    sc_workload *w = NULL;
    char name[] = "mapping-XXXXXX";
    const int fd = mkstemp(name);
    assert_true(fd >= 0);
    (void)close(fd);
    assert_int_equal(sc_design_open(&d, "fast"), SC_OK);
    assert_int_equal(sc_workload_open(&w, "efficientnet-b0"), SC_OK);
    for (size_t i = 0; i < sizeof ops / sizeof *ops; i++) {
        sc_map_request q = SC_MAP_REQUEST_INIT;
        char *yaml = NULL;
        q.op = ops[i];
        json_t *found = map_json(d, w, &q, &yaml);
        assert_int_equal(sc_file_write(name, yaml, strlen(yaml)), SC_OK);
        q.mapping = name;
        json_t *again = map_json(d, w, &q, NULL);
        const json_t *a = json_array_get(json_object_get(found, "op_list"), 0);
        const json_t *b = json_array_get(json_object_get(again, "op_list"), 0);
        assert_true(number(a, "cycles") == number(b, "cycles"));
        assert_true(number(a, "energy_pj") == number(b, "energy_pj"));
        json_decref(found);
        json_decref(again);
        sc_free(yaml);
    }
    (void)unlink(name);
    sc_workload_destroy(w);
    sc_design_destroy(d);
}

static void test_map_refuses(void **state)
{
    sc_design *d = NULL;
    sc_workload *w = NULL;
    sc_map_result *r = NULL;
    sc_map_request q = SC_MAP_REQUEST_INIT;
    assert_int_equal(sc_design_open(&d, "fast"), SC_OK);
    assert_int_equal(sc_workload_open(&w, "efficientnet-b0"), SC_OK);
    q.op = "stemm";
    assert_int_equal(sc_map_network(&r, d, w, &q), SC_ENOTFOUND);
    assert_non_null(strstr(sc_error_message(), "did you mean 'stem'?"));
    q.op = "b1_0_se_pool";
    assert_int_equal(sc_map_network(&r, d, w, &q), SC_EINVAL);
    q.op = NULL;
    q.mapping = "no-such-folder/x.yaml";
    assert_int_equal(sc_map_network(&r, d, w, &q), SC_ENOTFOUND);
    assert_null(r);
    sc_workload_destroy(w);
    sc_design_destroy(d);
}

/* Buffers of 4 bytes that must keep all three operands, 2 bytes each: no op fits. */
static void test_infeasible_says_what_and_where(void **state)
{
    sc_arch a = grid_arch(1, 1, 4, 0.0);
    const sc_budget budget = {.area_mm2 = 3.0, .tdp_w = 5.0};
    sc_workload *w = NULL;
    sc_network *n = NULL;
    sc_network_result r;
    a.level[1].must_keep = 7;
    assert_int_equal(sc_workload_open(&w, "efficientnet-b0"), SC_OK);
    assert_int_equal(sc_network_create(&n, w, 1), SC_OK);
    sc_op_cost *cost = sc_calloc(sc_network_unique(n), sizeof *cost);
    for (int stop = 0; stop < 2; stop++) {
        const sc_network_options o = {.threads = 2, .stop_at_misfit = stop};
        assert_int_equal(sc_network_cost(&r, cost, n, &a, &budget, &o), SC_OK);
        assert_false(r.feasible);
        assert_int_equal(r.misfit_op, 0);
        assert_int_equal(r.misfit.code, SC_MISFIT_CAPACITY);
        assert_int_equal(r.misfit.level, 1);
        assert_int_equal(r.misfit.need, 6);
        assert_int_equal(r.misfit.have, 4);
        assert_true(isnan(r.metrics.latency_s) && isnan(r.metrics.perf_per_tdp));
        assert_true(r.metrics.area_mm2 == 3.0 && r.metrics.tdp_w == 5.0);
    }
    sc_free(cost);
    sc_network_destroy(n);
    sc_workload_destroy(w);
}

static int set_up(void **state)
{
    (void)state;
    return sc_data_dir_set(SCANTLE_SOURCE_DIR "/configs") == SC_OK ? 0 : -1;
}

int main(void)
{
    const struct CMUnitTest t[] = {
        cmocka_unit_test(test_vector_op_by_hand),
        cmocka_unit_test(test_no_lanes_is_infeasible),
        cmocka_unit_test(test_padding_is_not_read),
        cmocka_unit_test(test_same_for_any_thread_count),
        cmocka_unit_test(test_totals_are_sums),
        cmocka_unit_test(test_memo_changes_nothing),
        cmocka_unit_test(test_memo_key),
        cmocka_unit_test(test_mappings_replay),
        cmocka_unit_test(test_map_refuses),
        cmocka_unit_test(test_infeasible_says_what_and_where),
    };
    return cmocka_run_group_tests_name("net", t, set_up, NULL);
}
