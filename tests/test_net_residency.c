/* Fusion problems of networks, and what their solutions make of time, traffic and energy: by hand
 * on lane operations, and as properties of random designs. */
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
#include "model/net/fused.h"
#include "model_support.h"
#include "scantle/design.h"
#include "scantle/evaluate.h"
#include "workloads/builder.h"

enum { BYTES = 2, CHANNELS = 7, LENGTH = 11, N = BYTES * CHANNELS * LENGTH }; /* N: of a tensor */

#define DRAM_BW 3.0 /* bytes a cycle */
#define PORT_BW 44.0

static int32_t add(sc_builder *b, const char *name, sc_op_kind kind, size_t n, const int32_t *from)
{
    sc_input_ref refs[4] = {{0}};
    sc_op_spec s = {.kind = kind, .name = name, .n_inputs = n, .inputs = refs};
    int32_t at = 0;
    for (size_t i = 0; i < n; i++)
        refs[i].producer = from[i];
    if (kind == SC_OP_MATMUL)
        s.channels = CHANNELS;
    if (sc_builder_add(b, &at, &s) != SC_OK)
        fail_msg("%s", sc_error_message());
    return at;
}

typedef struct bench {
    sc_network *n;
    sc_op_cost *cost;
    sc_fused *fused;
} bench;

static void run(bench *b, const sc_arch *a)
{
    const sc_cost_options o = {.rules = SC_RULES_INIT};
    b->cost = sc_calloc(sc_network_unique(b->n), sizeof *b->cost);
    assert_int_equal(sc_fused_create(&b->fused, b->n), SC_OK);
    for (size_t i = 0; i < 3; i++)
        assert_int_equal(sc_op_cost_of(&b->cost[sc_network_unique_of(b->n, i)],
                                       &sc_network_workload(b->n)->ops[i], a, &o),
                         SC_OK);
    if (sc_fused_run(b->fused, b->n, b->cost, a) != SC_OK)
        fail_msg("%s", sc_error_message());
}

/* x, then p = f(x), q = f(p), r = p + q: p has two readers and skips q. */
static void open_skip(bench *b, sc_arch *a, double capacity)
{
    sc_builder *make = NULL;
    sc_workload *w = NULL;
    int32_t x = 0;
    *a = buffered_arch(capacity, DRAM_BW, PORT_BW);
    assert_int_equal(sc_builder_create(&make, "skip", 1, 8 * BYTES), SC_OK);
    assert_int_equal(sc_builder_input(make, &x, "x", (sc_shape){CHANNELS, 1, LENGTH, 1}), SC_OK);
    const int32_t p = add(make, "p", SC_OP_ACTIVATION, 1, &x);
    const int32_t q = add(make, "q", SC_OP_ACTIVATION, 1, &p);
    (void)add(make, "r", SC_OP_ADD, 2, (int32_t[]){p, q});
    assert_int_equal(sc_builder_finish(&w, make), SC_OK);
    sc_builder_destroy(make);
    assert_int_equal(sc_network_create(&b->n, w, 1), SC_OK);
    sc_workload_destroy(w);
    run(b, a);
}

static void close_bench(bench *b)
{
    sc_fused_destroy(b->fused);
    sc_free(b->cost);
    sc_network_destroy(b->n);
}

static void near(double a, double b)
{
    if (fabs(a - b) > 1e-9 * fmax(fabs(a), fabs(b)))
        fail_msg("%.17g is not %.17g", a, b);
}

/* Bytes of p, q, r that still go to and from the main memory, and through the buffer's port. A step
 * that the main memory bounds keeps the cycle that rounding up has added. */
static void expect(const bench *b, size_t op, double dram, double port, double before)
{
    const sc_op_cost *c = &b->fused->cost[op];
    const double rounding = ceil(before / DRAM_BW) - before / DRAM_BW;
    near(c->level_bytes[0], dram);
    near(c->level_bytes[1], port);
    near(c->cycles, fmax(dram / DRAM_BW, port / PORT_BW) + rounding);
    near(c->tensor_pj[0][0] + c->tensor_pj[0][2], 100.0 * dram);
    near(c->tensor_pj[1][0] + c->tensor_pj[1][2], 1.0 * port);
}

static void test_room_for_all(void **state)
{
    bench b;
    sc_arch a;
    open_skip(&b, &a, 2.0 * N); /* p and q together, at the last step */
    const sc_fusion_choice *c = &b.fused->solution.choice;
    assert_true(b.fused->possible && b.fused->solution.proved);
    near(b.fused->solution.plain_cycles, 2.0 * ceil(2.0 * N / DRAM_BW) + ceil(3.0 * N / DRAM_BW));
    assert_true(c->unwritten[1] && c->unwritten[2] && !c->unwritten[3]); /* 0 is x */
    expect(&b, 0, N, N, 2.0 * N);
    expect(&b, 1, 0.0, 2.0 * N, 2.0 * N);
    expect(&b, 2, N, 2.0 * N, 3.0 * N);
    near(b.fused->solution.value.dram_bytes, 5.0 * N);
    near(b.fused->solution.value.peak_bytes, 2.0 * N);
    close_bench(&b);
}

/* One byte short: p stays for both of its readers and spares three transfers, q would spare two. */
static void test_room_for_one(void **state)
{
    bench b;
    sc_arch a;
    open_skip(&b, &a, 2.0 * N - 1.0);
    const sc_fusion_choice *c = &b.fused->solution.choice;
    assert_true(b.fused->solution.proved);
    assert_true(c->unwritten[1] && !c->unwritten[2]);
    expect(&b, 0, N, N, 2.0 * N);
    expect(&b, 1, N, N, 2.0 * N);
    expect(&b, 2, 2.0 * N, N, 3.0 * N);
    close_bench(&b);
}

static void test_room_for_none(void **state)
{
    bench b;
    sc_arch a;
    open_skip(&b, &a, N - 1.0);
    near(b.fused->solution.value.cycles, b.fused->solution.plain_cycles);
    expect(&b, 0, 2.0 * N, 0.0, 2.0 * N);
    expect(&b, 2, 3.0 * N, 0.0, 3.0 * N);
    close_bench(&b);
}

static void test_no_buffer(void **state)
{
    sc_arch a = buffered_arch(1e6, DRAM_BW, PORT_BW);
    assert_int_equal(sc_residency_level(&a), 1);
    a.level[1].partitioned = true;
    assert_int_equal(sc_residency_level(&a), 0);
    a = buffered_arch(1e6, DRAM_BW, PORT_BW);
    a.level[1].may_keep = 3; /* no results */
    assert_int_equal(sc_residency_level(&a), 0);
    a = buffered_arch(1e6, DRAM_BW, PORT_BW);
    a.level[1].instances = 2;
    assert_int_equal(sc_residency_level(&a), 0);
}

/* x, m = matmul(x), r = f(m), k = matmul(r). */
static void open_products(bench *b, sc_arch *a, bool in_line)
{
    sc_builder *make = NULL;
    sc_workload *w = NULL;
    int32_t x = 0;
    *a = buffered_arch(1e6, DRAM_BW, PORT_BW);
    a->vector.in_line = in_line;
    assert_int_equal(sc_builder_create(&make, "products", 1, 8 * BYTES), SC_OK);
    assert_int_equal(sc_builder_input(make, &x, "x", (sc_shape){CHANNELS, 1, LENGTH, 1}), SC_OK);
    const int32_t m = add(make, "m", SC_OP_MATMUL, 1, &x);
    const int32_t r = add(make, "r", SC_OP_ACTIVATION, 1, &m);
    (void)add(make, "k", SC_OP_MATMUL, 1, &r);
    assert_int_equal(sc_builder_finish(&w, make), SC_OK);
    sc_builder_destroy(make);
    assert_int_equal(sc_network_create(&b->n, w, 1), SC_OK);
    sc_workload_destroy(w);
    run(b, a);
}

/* With room for everything only what comes in and what goes out passes the main memory; weights are
 * there for good. */
static void test_pinned_weights(void **state)
{
    bench b;
    sc_arch a;
    open_products(&b, &a, false);
    const sc_op_cost *m = &b.cost[sc_network_unique_of(b.n, 0)];
    const double weights = BYTES * CHANNELS * CHANNELS;
    assert_true(b.fused->solution.proved);
    assert_true(b.fused->solution.choice.pinned[0] && b.fused->solution.choice.pinned[2]);
    near(b.fused->solution.value.pinned_bytes, 2.0 * weights);
    assert_true(m->traffic.read[0][1] >= weights);
    near(b.fused->cost[0].level_bytes[0], m->traffic.read[0][0]);
    near(b.fused->cost[1].level_bytes[0], 0.0);
    near(b.fused->cost[2].level_bytes[0], m->traffic.read[0][2] + m->traffic.written[0][2]);
    assert_true(b.fused->cost[0].tensor_pj[0][1] == 0.0);
    /* the mapping goes through the buffer: it is no longer filled with weights, which are there,
     * nor read to write the result out */
    assert_int_equal(m->traffic.through, 7);
    near(b.fused->cost[0].level_bytes[1], m->level_bytes[1] - weights - N);
    near(b.fused->cost[2].level_bytes[1], m->level_bytes[1] - weights - N);
    close_bench(&b);
}

/* Lanes in line: the product's step makes what the lanes pass on, and nobody reads the product. */
static void test_lanes_in_line(void **state)
{
    bench b;
    sc_arch a;
    open_products(&b, &a, true);
    const sc_fusion_problem *p = b.fused->problem; /* tensors: x, m, r, k */
    assert_int_equal(sc_network_passed_from(b.n, 1), 0);
    assert_int_equal(p->step[0].made, 2);
    assert_int_equal(p->step[1].made, -1);
    assert_int_equal(p->step[1].n_reads, 0);
    assert_int_equal(p->step[2].n_reads, 1);
    assert_int_equal(p->read[p->step[2].first_read].tensor, 2);
    assert_true(b.fused->solution.choice.unwritten[2] && !b.fused->solution.choice.unwritten[1]);
    near(b.fused->cost[0].level_bytes[0], b.cost[0].traffic.read[0][0]);
    close_bench(&b);
}

/* ---- whole networks ---- */

typedef struct pair {
    sc_metrics off, on;
} pair;

static void evaluate(sc_metrics *out, const sc_design *d, const sc_workload *w, bool fusion,
                     int threads)
{
    sc_evaluation *e = NULL;
    sc_evaluate_options o = SC_EVALUATE_OPTIONS_INIT;
    o.map_budget = 60;
    o.threads = threads;
    o.rules.fusion = fusion ? SC_FUSION_ON : SC_FUSION_OFF;
    if (sc_evaluate(&e, d, w, &o) != SC_OK)
        fail_msg("%s", sc_error_message());
    *out = *sc_evaluation_metrics(e);
    double cycles = 0.0;
    for (size_t i = 0; sc_evaluation_op(e, i); i++)
        cycles += sc_evaluation_op(e, i)->time_s;
    if (sc_evaluation_feasible(e))
        assert_true(fabs(cycles - out->latency_s) <= 1e-9 * cycles);
    sc_evaluation_destroy(e);
}

static void test_fusion_never_costs_time(void **state)
{
    static const char *const networks[] = {"mobilenet-v2", "bert-base:seq=128", "resnet50"};
    int faster = 0;
    for (uint64_t i = 0; i < 12; i++) {
        char spec[128];
        sc_rng r;
        sc_design *d = NULL;
        sc_workload *w = NULL;
        pair p;
        sc_metrics again;
        sc_rng_init(&r, 3, 1, i);
        (void)snprintf(spec, sizeof spec, "fast:pes_x=%d,pes_y=4,l3_global=%dMiB,gddr6_channels=%d",
                       1 << gsl_rng_uniform_int(&r.gsl, 5), 1 << gsl_rng_uniform_int(&r.gsl, 8),
                       1 << gsl_rng_uniform_int(&r.gsl, 4));
        assert_int_equal(sc_design_open(&d, spec), SC_OK);
        assert_int_equal(sc_workload_open(&w, networks[i % 3]), SC_OK);
        evaluate(&p.off, d, w, false, 1);
        evaluate(&p.on, d, w, true, 1);
        evaluate(&again, d, w, true, 2);
        assert_memory_equal(&p.on, &again, sizeof again);
        assert_true(p.on.latency_s <= p.off.latency_s);
        assert_true(p.on.energy_j <= p.off.energy_j);
        assert_true(p.on.energy_j > 0.1 * p.off.energy_j);
        faster += p.on.latency_s < 0.99 * p.off.latency_s;
        sc_workload_destroy(w);
        sc_design_destroy(d);
    }
    assert_true(faster >= 6);
}

static int set_up(void **state)
{
    return sc_data_dir_set(SCANTLE_SOURCE_DIR "/configs") == SC_OK ? 0 : -1;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_room_for_all),
        cmocka_unit_test(test_room_for_one),
        cmocka_unit_test(test_room_for_none),
        cmocka_unit_test(test_no_buffer),
        cmocka_unit_test(test_pinned_weights),
        cmocka_unit_test(test_lanes_in_line),
        cmocka_unit_test(test_fusion_never_costs_time),
    };
    return cmocka_run_group_tests(tests, set_up, NULL);
}
