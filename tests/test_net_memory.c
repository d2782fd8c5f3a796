/* What a network keeps in the main memory: by hand, against a naive count, and on chips whose size
 * is published. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka wants the four above first */
#include <cmocka.h>
#include <math.h>
#include <string.h>

#include "core/mem.h"
#include "core/rng.h"
#include "model/net/network.h"
#include "model_support.h"
#include "scantle/design.h"
#include "workloads/builder.h"

enum { BYTES = 2 };

static sc_memory_need need_of(const sc_workload *w, const sc_arch *a)
{
    sc_memory_plan *p = NULL;
    sc_memory_need n;
    assert_int_equal(sc_memory_plan_create(&p, w), SC_OK);
    sc_memory_need_of(&n, p, a);
    sc_memory_plan_destroy(p);
    return n;
}

static int32_t add(sc_builder *b, const char *name, sc_op_spec s, size_t n, const int32_t *from)
{
    sc_input_ref refs[4] = {{0}};
    int32_t at = 0;
    for (size_t i = 0; i < n; i++)
        refs[i].producer = from[i];
    s.name = name;
    s.n_inputs = n;
    s.inputs = refs;
    if (sc_builder_add(b, &at, &s) != SC_OK)
        fail_msg("%s", sc_error_message());
    return at;
}

/* x of 12 is read by two matmuls of 5 and 7 channels; the first result is added to itself behind a
 * relu. Elements of 3 positions and a batch of 2. */
static sc_workload *branches(void)
{
    sc_builder *b = NULL;
    sc_workload *w = NULL;
    int32_t x = 0;
    assert_int_equal(sc_builder_create(&b, "branches", 2, 8 * BYTES), SC_OK);
    assert_int_equal(sc_builder_input(b, &x, "x", (sc_shape){4, 1, 3, 1}), SC_OK);
    const int32_t p =
        add(b, "p", (sc_op_spec){.kind = SC_OP_MATMUL, .channels = 5, .bias = true}, 1, &x);
    const int32_t q = add(b, "q", (sc_op_spec){.kind = SC_OP_MATMUL, .channels = 7}, 1, &x);
    const int32_t r = add(b, "r", (sc_op_spec){.kind = SC_OP_ACTIVATION}, 1, &p);
    (void)add(b, "s", (sc_op_spec){.kind = SC_OP_ADD}, 2, (int32_t[]){p, r});
    (void)add(b, "t", (sc_op_spec){.kind = SC_OP_ACTIVATION}, 1, &q);
    assert_int_equal(sc_builder_finish(&w, b), SC_OK);
    sc_builder_destroy(b);
    return w;
}

/* Alive, in elements of one position: at p x 4 and p 5; at q x, p and 7; at r p, q and 5; at s p,
 * q, r and 5; at t s, q and 7. The most is 22 at s, of 3 positions and 2 samples. */
static void test_by_hand(void **state)
{
    sc_workload *w = branches();
    const sc_arch a = grid_arch(1, 1, 64, 0.0);
    const sc_memory_need n = need_of(w, &a);
    assert_true(n.weights == (4 * 5 + 5 + 4 * 7) * BYTES);
    assert_true(n.cache == 0);
    assert_true(n.activations == 22 * 6 * BYTES);
    assert_true(n.have == 0 && sc_memory_over(&n) == 0);
    sc_workload_destroy(w);
}

/* The naive way: at each op, every tensor made before that somebody reads at it or later. */
static double most_alive(const sc_workload *w)
{
    double most = 0;
    for (size_t i = 0; i < w->n_ops; i++) {
        double alive = 0;
        for (size_t t = 0; t < w->n_inputs + w->n_ops; t++) {
            const int32_t name = t < w->n_inputs ? -1 - (int32_t)t : (int32_t)(t - w->n_inputs);
            bool read = false, later = false;
            for (size_t j = 0; j < w->n_ops; j++)
                for (size_t k = 0; k < w->ops[j].n_operands; k++)
                    if (w->ops[j].operands[k].producer == name) {
                        read = true;
                        later |= j >= i;
                    }
            const bool made = name < 0 || (size_t)name <= i;
            if (!made || (read && !later))
                continue;
            const sc_shape s = t < w->n_inputs ? w->inputs[t].shape : (sc_shape){0};
            alive += t < w->n_inputs ? (double)(w->batch * s.c * s.d * s.h * s.w) * w->bits / 8
                                     : (double)w->ops[name].out_elems * w->ops[name].bits / 8;
        }
        most = fmax(most, alive);
    }
    return most;
}

static void test_networks_against_the_naive_count(void **state)
{
    const char *const names[] = {"efficientnet-b0",  "resnet50", "mobilenet-v3-small",
                                 "bert-base:seq=32", "unet:256", "llama2-7b:decode,ctx=64"};
    const sc_arch a = grid_arch(1, 1, 64, 0.0);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        sc_workload *w = NULL;
        assert_int_equal(sc_workload_open(&w, names[i]), SC_OK);
        const sc_memory_need n = need_of(w, &a);
        assert_true(n.activations == most_alive(w));
        assert_true(n.weights == (double)w->parameters * w->bits / 8);
        sc_workload_destroy(w);
    }
}

/* Graphs of additions: anything may read anything made before. */
static void test_random_graphs(void **state)
{
    const sc_arch a = grid_arch(1, 1, 64, 0.0);
    for (uint64_t i = 0; i < 100; i++) {
        sc_rng r;
        sc_builder *b = NULL;
        sc_workload *w = NULL;
        int32_t made[16], in = 0;
        sc_rng_init(&r, 3, 1, i);
        assert_int_equal(sc_builder_create(&b, "random", 1, 8), SC_OK);
        for (int k = 0; k < 3; k++) {
            const char name[] = {'x', (char)('0' + k), '\0'};
            assert_int_equal(sc_builder_input(b, &in, name, (sc_shape){3, 1, 5, 1}), SC_OK);
            made[k] = in;
        }
        for (unsigned k = 3; k < 16; k++) {
            const char name[] = {'o', (char)('a' + k), '\0'};
            const int32_t from[] = {made[gsl_rng_uniform_int(&r.gsl, k)],
                                    made[gsl_rng_uniform_int(&r.gsl, k)]};
            made[k] =
                add(b, name, (sc_op_spec){.kind = SC_OP_ADD, .bits = 8 * (1 + k % 3)}, 2, from);
        }
        assert_int_equal(sc_builder_finish(&w, b), SC_OK);
        assert_true(need_of(w, &a).activations == most_alive(w));
        sc_builder_destroy(b);
        sc_workload_destroy(w);
    }
}

/* Room for all of it is enough, a byte less is not; nothing is then mapped for a search. */
static void test_to_the_byte(void **state)
{
    sc_workload *w = branches();
    sc_network *n = NULL;
    sc_arch a = grid_arch(1, 1, 64, 0.0);
    const double need = (4 * 5 + 5 + 4 * 7 + 22 * 6) * BYTES;
    const sc_budget budget = {.tdp_w = 1};
    sc_network_options o = {.threads = 1};
    sc_network_result r;
    assert_int_equal(sc_network_create(&n, w, 2), SC_OK);
    sc_op_cost *cost = sc_calloc(sc_network_unique(n), sizeof *cost);
    a.level[0].bounded = true;
    for (int missing = 0; missing <= 1; missing++) {
        a.level[0].capacity[0] = (uint64_t)need - (uint64_t)missing;
        assert_int_equal(sc_network_cost(&r, cost, n, &a, &budget, &o), SC_OK);
        assert_int_equal(r.feasible, !missing);
        assert_true(r.over_memory_bytes == missing);
        assert_true(isnan(r.metrics.latency_s) == missing);
    }
    assert_true(cost[0].cycles > 0);
    memset(cost, 0, sc_network_unique(n) * sizeof *cost);
    o.stop_at_misfit = true;
    assert_int_equal(sc_network_cost(&r, cost, n, &a, &budget, &o), SC_OK);
    assert_false(r.feasible);
    assert_true(cost[0].cycles == 0);
    sc_free(cost);
    sc_network_destroy(n);
    sc_workload_destroy(w);
}

static double memory_of(const char *design)
{
    sc_design *d = NULL;
    sc_workload *w = NULL;
    if (sc_design_open(&d, design) != SC_OK || sc_workload_open(&w, "resnet50") != SC_OK)
        fail_msg("%s: %s", design, sc_error_message());
    const sc_memory_need n = need_of(w, sc_design_arch(d));
    sc_workload_destroy(w);
    sc_design_destroy(d);
    return n.have;
}

static void test_published_sizes(void **state)
{
    const struct {
        const char *design;
        double gib; /* 0: not published, or somebody else's memory */
    } chips[] = {
        {"a100", 40},   {"a100-80gb", 80}, {"v100", 16},       {"tpu-v1", 8},
        {"tpu-v2", 16}, {"tpu-v3", 32},    {"tpu-v3-7nm", 32}, {"tpu-v4i", 8},
        {"gaudi", 32},  {"eyeriss", 0},    {"nvdla-64", 0},    {"simba", 0},
        {"gemmini", 0}, {"edge", 0},       {"fast", 16},       {"fast:gddr6_channels=1", 2}};
    for (size_t i = 0; i < sizeof chips / sizeof *chips; i++)
        assert_true(memory_of(chips[i].design) == chips[i].gib * (1 << 30));
}

/* 68.98 billion parameters of two bytes are not on one chip of 16 GiB: said with the bytes. */
static void test_llama_70b_on_one_chip(void **state)
{
    sc_design *d = NULL;
    sc_workload *w = NULL;
    sc_evaluation *e = NULL;
    sc_evaluate_options o = SC_EVALUATE_OPTIONS_INIT;
    o.batch = 1;
    o.map_budget = 1;
    assert_int_equal(sc_design_open(&d, "fast"), SC_OK);
    assert_int_equal(sc_workload_open(&w, "llama2-70b:decode,ctx=16"), SC_OK);
    assert_int_equal(sc_evaluate(&e, d, w, &o), SC_OK);
    assert_false(sc_evaluation_feasible(e));
    const sc_reason *r = sc_evaluation_reason(e, 0);
    assert_string_equal(r->code, "capacity");
    assert_non_null(strstr(r->where, "network, level DRAM: needs "));
    assert_true(r->excess > 2.0 * (double)w->parameters - 0x1p34);
    assert_true(r->excess < 2.0 * (double)w->parameters - 0x1p34 + 100e6); /* cache, activations */
    sc_evaluation_destroy(e);
    sc_workload_destroy(w);
    sc_design_destroy(d);
}

static int set_up(void **state)
{
    return sc_data_dir_set(SCANTLE_SOURCE_DIR "/configs") != SC_OK;
}

int main(void)
{
    const struct CMUnitTest t[] = {
        cmocka_unit_test(test_by_hand),
        cmocka_unit_test(test_networks_against_the_naive_count),
        cmocka_unit_test(test_random_graphs),
        cmocka_unit_test(test_to_the_byte),
        cmocka_unit_test(test_published_sizes),
        cmocka_unit_test(test_llama_70b_on_one_chip),
    };
    return cmocka_run_group_tests_name("net_memory", t, set_up, NULL);
}
