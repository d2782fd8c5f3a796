/* Groups of ops in tiles: the front of a group and the choice of groups against all there are, a
 * case by hand, and properties of random designs. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka wants the four above first */
#include <cmocka.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/mem.h"
#include "core/rng.h"
#include "model/net/fused.h"
#include "model_support.h"
#include "scantle/design.h"
#include "scantle/evaluate.h"
#include "workloads/builder.h"

/* ---- a network, priced on a design ---- */

typedef struct bench {
    sc_network *n;
    sc_op_cost *cost;
    sc_mapping *mapping;
    sc_tiles *tiles;
    sc_arch a;
} bench;

static void price(bench *b)
{
    const sc_workload *w = sc_network_workload(b->n);
    const sc_cost_options o = {.map_budget = 60, .rules = SC_RULES_INIT};
    const sc_arch inside = sc_tile_inside(&b->a);
    const size_t unique = sc_network_unique(b->n);
    b->cost = sc_calloc(unique, sizeof *b->cost);
    b->mapping = sc_calloc(unique, SC_TILE_MAPPINGS * sizeof *b->mapping);
    for (size_t i = 0; i < w->n_ops; i++) {
        const size_t u = sc_network_unique_of(b->n, i);
        sc_mapping *m = &b->mapping[SC_TILE_MAPPINGS * u];
        const uint64_t extent[] = {w->ops[i].oh, w->ops[i].ow};
        sc_op_cost one_cost;
        sc_op one;
        assert_int_equal(sc_op_cost_with_mapping(&b->cost[u], m, &w->ops[i], &b->a, &o), SC_OK);
        sc_tile_part(&one, &w->ops[i], 1, extent);
        assert_int_equal(sc_op_cost_with_mapping(&one_cost, m + 1, &one, &inside, &o), SC_OK);
    }
    assert_int_equal(sc_tiles_create(&b->tiles, b->n), SC_OK);
    if (sc_tiles_price(b->tiles, b->cost, b->mapping, &b->a, NULL, SC_SOFTMAX_BEST, NULL) != SC_OK)
        fail_msg("%s", sc_error_message());
}

static void close_bench(bench *b)
{
    sc_tiles_destroy(b->tiles);
    sc_free(b->cost);
    sc_free(b->mapping);
    sc_network_destroy(b->n);
}

static int32_t add(sc_builder *b, const sc_op_spec *spec, int32_t x, int32_t y)
{
    const sc_input_ref from[] = {{.producer = x}, {.producer = y}};
    sc_op_spec s = *spec;
    int32_t at;
    s.inputs = from;
    s.n_inputs = y == INT32_MIN ? 1 : 2;
    if (sc_builder_add(b, &at, &s) != SC_OK)
        fail_msg("%s", sc_error_message());
    return at;
}

/* An inverted bottleneck with squeeze and excite and its skip, and a 3x3 window behind it. */
static sc_network *bottleneck(uint64_t batch, uint64_t rows, uint64_t channels)
{
    const int32_t none = INT32_MIN;
    const uint64_t wide = 3 * channels;
    sc_builder *b = NULL;
    sc_workload *w = NULL;
    sc_network *n = NULL;
    int32_t x;
    assert_int_equal(sc_builder_create(&b, "bottleneck", batch, 16), SC_OK);
    assert_int_equal(sc_builder_input(b, &x, "x", (sc_shape){channels, 1, rows, rows}), SC_OK);
    sc_op_spec conv = {.name = "expand", .kind = SC_OP_CONV, .channels = wide};
    int32_t y = add(b, &conv, x, none);
    const sc_op_spec dw = {.name = "dw",
                           .kind = SC_OP_DWCONV,
                           .kernel = {1, 3, 3},
                           .padding = SC_PAD_SAME,
                           .groups = wide};
    y = add(b, &dw, y, none);
    const sc_op_spec pool = {.name = "pool", .kind = SC_OP_POOL, .function = "avg", .global = true};
    int32_t s = add(b, &pool, y, none);
    conv = (sc_op_spec){.name = "excite", .kind = SC_OP_CONV, .channels = wide};
    s = add(b, &conv, s, none);
    const sc_op_spec mul = {.name = "mul", .kind = SC_OP_MUL};
    y = add(b, &mul, y, s);
    conv = (sc_op_spec){.name = "project", .kind = SC_OP_CONV, .channels = channels};
    y = add(b, &conv, y, none);
    const sc_op_spec sum = {.name = "sum", .kind = SC_OP_ADD};
    y = add(b, &sum, y, x);
    conv = (sc_op_spec){.name = "next",
                        .kind = SC_OP_CONV,
                        .channels = channels,
                        .kernel = {1, 3, 3},
                        .stride = {1, 2, 2},
                        .padding = SC_PAD_SAME};
    (void)add(b, &conv, y, none);
    if (sc_builder_finish(&w, b) != SC_OK || sc_network_create(&n, w, batch) != SC_OK)
        fail_msg("%s", sc_error_message());
    sc_builder_destroy(b);
    sc_workload_destroy(w);
    return n;
}

static void open_bench(bench *b, const char *spec, uint64_t batch, uint64_t rows, uint64_t channels)
{
    sc_design *d = NULL;
    memset(b, 0, sizeof *b);
    if (sc_design_open(&d, spec) != SC_OK)
        fail_msg("%s", sc_error_message());
    b->a = *sc_design_arch(d);
    sc_design_destroy(d);
    b->n = bottleneck(batch, rows, channels);
    price(b);
}

/* ---- all there is ---- */

/* Whether every op but the last is read in the run, and all may be in a group. */
static bool is_run(const bench *b, size_t first, size_t last)
{
    const sc_workload *w = sc_network_workload(b->n);
    for (size_t i = first; i < last; i++) {
        bool read = false;
        for (size_t r = i + 1; r <= last; r++)
            for (size_t k = 0; k < w->ops[r].n_operands; k++)
                read = read || w->ops[r].operands[k].producer == (int32_t)i;
        if (!read)
            return false;
    }
    return true;
}

typedef void (*visit_fn)(void *job, const sc_tile_lines *l, double cycles);

/* Weights that are small enough stay wherever that spares traffic: the space says so. */
static bool in_space(const sc_tile_group *g, const sc_tile_shape *s, const sc_tile_cost *cost,
                     uint32_t stay, double room)
{
    for (uint32_t m = 0; m < g->n; m++) {
        sc_tile_lines with, without;
        if (g->weights[m] <= 0.0 && stay >> m & 1)
            return false;
        if (g->weights[m] <= 0.0 || stay >> m & 1)
            continue;
        sc_tile_lines_of(&with, g, s, cost, 1u << m);
        sc_tile_lines_of(&without, g, s, cost, 0);
        if (with.bytes - without.bytes <= room / SC_TILE_SMALL &&
            with.weight_once + with.weight_again <= without.weight_once + without.weight_again)
            return false;
    }
    return true;
}

static void visit_weights(const sc_tile_group *g, const sc_tile_choice *w, double room,
                          visit_fn visit, void *job)
{
    sc_tile_shape s;
    sc_tile_cost cost[SC_TILE_MEMBERS];
    double times;
    if (!sc_tile_shape_of(&s, g, w))
        return;
    for (uint32_t m = 0; m < g->n; m++) {
        uint64_t extent[SC_TILE_AXES];
        sc_tile_call(extent, &s, m);
        assert_int_equal(sc_tile_call_price(&cost[m], NULL, &times, g, m, s.batch, extent), SC_OK);
        if (!cost[m].fits)
            return;
    }
    for (uint32_t stay = 0; stay < 1u << g->n; stay++) {
        sc_tile_lines l;
        if (!in_space(g, &s, cost, stay, room))
            continue;
        sc_tile_lines_of(&l, g, &s, cost, stay);
        if (l.bytes <= room)
            visit(job, &l, sc_tile_cycles(&l, g->a));
    }
}

/* Columns whole: with these they always fit, or rows are not cut. */
static void visit_all(const sc_tile_group *g, double room, visit_fn visit, void *job)
{
    uint64_t batch[SC_TILE_SIZES], rows[SC_TILE_SIZES];
    const sc_op *last = g->op[g->n - 1];
    const int batches = sc_tile_sizes(batch, g->batch), n = sc_tile_sizes(rows, last->oh);
    for (int b = 0; b < batches; b++)
        for (int r = 0; r < (batch[b] == 1 ? n : 1); r++)
            for (int again = 0; again < 2; again++) {
                const sc_tile_choice w = {
                    .batch = batch[b], .extent = {rows[r], last->ow}, .again = {again, false}};
                visit_weights(g, &w, room, visit, job);
            }
}

typedef struct seek {
    const sc_tile_front *front;
    double limit;
    uint64_t seen;
} seek;

static void must_be_met(void *job, const sc_tile_lines *l, double cycles)
{
    seek *s = job;
    (void)cycles;
    if (l->chip >= s->limit)
        return;
    s->seen++;
    for (uint32_t i = 0; i < s->front->n; i++) {
        const sc_tile_lines *p = &s->front->point[i].lines;
        const double more = 1.0 + 1e-12;
        if (p->bytes <= l->bytes * more && p->chip <= l->chip * more &&
            sc_tile_dram_bytes(p) <= sc_tile_dram_bytes(l) * more)
            return;
    }
    fail_msg("no point of the front is as good in room, chip and traffic");
}

static void test_front_beats_all(void **state)
{
    static const char *const designs[] = {
        "fast:pes_x=4,pes_y=4,systolic_x=8,systolic_y=8,l3_global=1MiB",
        "fast:pes_x=16,pes_y=2,systolic_x=8,systolic_y=16,l3_global=1MiB,gddr6_channels=2"};
    sc_tile_front *front = sc_calloc(1, sizeof *front);
    uint64_t seen = 0;
    for (size_t i = 0; i < 2; i++) {
        bench b;
        open_bench(&b, designs[i], 3, 20, 64); /* weights above and below what is small */
        const size_t ops = sc_network_workload(b.n)->n_ops;
        const double room = (double)sc_level_room(&b.a.level[1], SC_ROLE_INPUT);
        for (size_t last = 1; last < ops; last++)
            for (size_t first = 0; first < last; first++) {
                const sc_tile_run run = {(uint32_t)first, (uint32_t)last, 0};
                sc_tile_prices *prices = NULL;
                sc_tile_group g;
                if (!is_run(&b, first, last) || !sc_tiles_group_of(&g, b.tiles, &run))
                    continue;
                assert_int_equal(sc_tile_prices_create(&prices), SC_OK);
                assert_int_equal(sc_tile_search(front, &g, prices, room, 1e300), SC_OK);
                assert_true(front->n > 0 && front->dropped == 0);
                for (uint32_t k = 0; k < front->n; k++)
                    assert_true(front->point[k].lines.bytes <= room &&
                                front->point[k].lines.chip >= front->least_chip);
                seek s = {.front = front, .limit = 1e300};
                visit_all(&g, room, must_be_met, &s);
                seen += s.seen;
                sc_tile_prices_destroy(prices);
            }
        close_bench(&b);
    }
    assert_true(seen > 200);
    sc_free(front);
}

/* ---- which groups ---- */

/* Least cycles of ops from `at` on over every way to cut them into groups of points of the fronts.
 */
static double best_from(const bench *b, size_t at)
{
    const size_t n = sc_network_workload(b->n)->n_ops;
    if (at == n)
        return 0.0;
    double best = b->cost[sc_network_unique_of(b->n, at)].cycles + best_from(b, at + 1);
    for (size_t last = at + 1; last < n; last++) {
        const sc_tile_run run = {(uint32_t)at, (uint32_t)last, 0};
        sc_tile_front *front = sc_calloc(1, sizeof *front);
        sc_tile_prices *prices = NULL;
        sc_tile_group g;
        if (is_run(b, at, last) && sc_tiles_group_of(&g, b->tiles, &run)) {
            const double room = (double)sc_level_room(&b->a.level[1], SC_ROLE_INPUT);
            double least = (double)INFINITY;
            assert_int_equal(sc_tile_prices_create(&prices), SC_OK);
            assert_int_equal(sc_tile_search(front, &g, prices, room, 1e300), SC_OK);
            for (uint32_t k = 0; k < front->n; k++)
                least = fmin(least, front->point[k].cycles);
            best = fmin(best, least + best_from(b, last + 1));
            sc_tile_prices_destroy(prices);
        }
        sc_free(front);
    }
    return best;
}

static double taken_cycles(const bench *b)
{
    double cycles = 0.0;
    for (size_t i = 0; i < sc_network_workload(b->n)->n_ops; i++) {
        const sc_op_cost *group = sc_tiles_cost(b->tiles, i);
        cycles += group ? group->cycles : b->cost[sc_network_unique_of(b->n, i)].cycles;
    }
    return cycles;
}

static void test_choice_is_the_best_cut(void **state)
{
    sc_rng r;
    size_t grouped = 0;
    sc_rng_init(&r, 11, 0, 0);
    for (int i = 0; i < 6; i++) {
        bench b;
        char spec[128];
        size_t n;
        (void)snprintf(spec, sizeof spec,
                       "fast:pes_x=%d,pes_y=2,systolic_x=8,systolic_y=8,l3_global=1MiB,"
                       "gddr6_channels=%d",
                       4 << gsl_rng_uniform_int(&r.gsl, 4), 1 << gsl_rng_uniform_int(&r.gsl, 2));
        open_bench(&b, spec, 2, 14 + gsl_rng_uniform_int(&r.gsl, 20),
                   8 * (1 + gsl_rng_uniform_int(&r.gsl, 3)));
        assert_int_equal(sc_tiles_choose(b.tiles, NULL), SC_OK);
        const double best = best_from(&b, 0), now = taken_cycles(&b);
        if (fabs(best - now) > 1e-9 * best)
            fail_msg("%s: %.17g, and the best cut takes %.17g", spec, now, best);
        (void)sc_tiles_taken(b.tiles, &n);
        grouped += n;
        close_bench(&b);
    }
    assert_true(grouped >= 3);
}

/* ---- a part is an op ---- */

/* The whole as one part costs what the op does by its own mapping; parts do no less work. */
static void test_parts(void **state)
{
    bench b;
    open_bench(&b, "fast:pes_x=4,pes_y=4,systolic_x=8,systolic_y=8,l3_global=4MiB", 2, 14, 8);
    const sc_workload *w = sc_network_workload(b.n);
    for (size_t i = 0; i < w->n_ops; i++) {
        const size_t u = sc_network_unique_of(b.n, i);
        const sc_mapping *m = &b.mapping[SC_TILE_MAPPINGS * u];
        const uint64_t whole[] = {w->ops[i].oh, w->ops[i].ow};
        const uint64_t half[] = {(whole[0] + 1) / 2, whole[1]};
        sc_op_cost all, part;
        assert_int_equal(sc_tile_price(&all, &w->ops[i], m, 2, whole, &b.a, SC_SOFTMAX_BEST),
                         SC_OK);
        assert_true(all.cycles == b.cost[u].cycles && all.energy_pj == b.cost[u].energy_pj);
        assert_true(all.compute_cycles == b.cost[u].compute_cycles);
        assert_memory_equal(&all.traffic, &b.cost[u].traffic, sizeof all.traffic);
        if (whole[0] == 1)
            continue;
        assert_int_equal(sc_tile_price(&part, &w->ops[i], m, 1, half, &b.a, SC_SOFTMAX_BEST),
                         SC_OK);
        assert_true(4.0 * part.compute_pj >= all.compute_pj * (1.0 - 1e-9));
        assert_true(part.compute_cycles <= all.compute_cycles);
    }
    close_bench(&b);
}

/* x, then p = f(x), q = g(p) on lanes that take no time: as one step x is read once and q written
 * once, in a buffer that holds neither. */
static void test_two_lane_ops_by_hand(void **state)
{
    enum { CHANNELS = 16, LENGTH = 64, BYTES = 2 * CHANNELS * LENGTH };
    sc_builder *make = NULL;
    sc_workload *w = NULL;
    bench b = {.a = buffered_arch(4 * 2 * CHANNELS * 4, 3.0, 1e6)};
    int32_t x;
    size_t n;
    const sc_op_spec relu = {.name = "f", .kind = SC_OP_ACTIVATION, .function = "relu"};
    sc_op_spec then = relu;
    then.name = "g";
    b.a.vector.lanes = 1000000;
    assert_int_equal(sc_builder_create(&make, "lanes", 1, 16), SC_OK);
    assert_int_equal(sc_builder_input(make, &x, "x", (sc_shape){CHANNELS, 1, LENGTH, 1}), SC_OK);
    (void)add(make, &then, add(make, &relu, x, INT32_MIN), INT32_MIN);
    assert_int_equal(sc_builder_finish(&w, make), SC_OK);
    sc_builder_destroy(make);
    assert_int_equal(sc_network_create(&b.n, w, 1), SC_OK);
    sc_workload_destroy(w);
    price(&b);
    assert_int_equal(sc_tiles_choose(b.tiles, NULL), SC_OK);
    const sc_tile_taken *g = sc_tiles_taken(b.tiles, &n);
    assert_int_equal(n, 1);
    assert_true(g->first == 0 && g->last == 1);
    assert_true(g->cost.level_bytes[0] == 2.0 * BYTES);
    assert_true(g->inside_bytes == BYTES && g->point.lines.bytes <= 4 * 2 * CHANNELS * 4);
    /* the main memory's time, and the first tile's way in */
    const double rows = (double)g->point.choice.extent[SC_TILE_ROWS];
    const double first = 2.0 * CHANNELS * rows;
    assert_true(fabs(g->cost.cycles - (ceil(2.0 * BYTES / 3.0) + ceil(first / 3.0))) <= 2.0);
    assert_true(g->cost.tensor_pj[0][0] + g->cost.tensor_pj[0][2] == 100.0 * 2.0 * BYTES);
    close_bench(&b);
}

/* ---- networks ---- */

static void evaluate(sc_metrics *out, const sc_design *d, const sc_workload *w, int fusion,
                     int attention, int tiles, int threads)
{
    sc_evaluate_options o = SC_EVALUATE_OPTIONS_INIT;
    sc_evaluation *e = NULL;
    o.rules.fusion = (sc_fusion_rule)fusion;
    o.rules.attention = (sc_attention_rule)attention;
    o.rules.tiles = (sc_tiles_rule)tiles;
    o.map_budget = 40;
    o.threads = threads;
    if (sc_evaluate(&e, d, w, &o) != SC_OK)
        fail_msg("%s", sc_error_message());
    assert_true(sc_evaluation_feasible(e));
    *out = *sc_evaluation_metrics(e);
    sc_evaluation_destroy(e);
}

static void test_never_slower(void **state)
{
    static const char *const networks[] = {"mobilenet-v2", "bert-base:seq=128", "resnet50"};
    sc_rng r;
    int faster = 0;
    sc_rng_init(&r, 5, 0, 0);
    for (int i = 0; i < 6; i++) {
        sc_design *d = NULL;
        sc_workload *w = NULL;
        sc_metrics whole, tiles, again;
        char spec[160];
        const int fusion = i & 1, attention = i / 2 & 1;
        (void)snprintf(spec, sizeof spec, "fast:pes_x=%d,pes_y=4,l3_global=%dMiB,native_batch=2",
                       2 << gsl_rng_uniform_int(&r.gsl, 5), 1 << gsl_rng_uniform_int(&r.gsl, 6));
        assert_int_equal(sc_design_open(&d, spec), SC_OK);
        assert_int_equal(sc_workload_open(&w, networks[i % 3]), SC_OK);
        evaluate(&whole, d, w, fusion, attention, SC_TILES_OFF, 1);
        evaluate(&tiles, d, w, fusion, attention, SC_TILES_ON, 1);
        evaluate(&again, d, w, fusion, attention, SC_TILES_ON, 2);
        assert_memory_equal(&tiles, &again, sizeof again);
        if (tiles.latency_s > whole.latency_s * (1.0 + 1e-12))
            fail_msg("%s %s: slower", spec, networks[i % 3]);
        faster += tiles.latency_s < 0.99 * whole.latency_s;
        sc_workload_destroy(w);
        sc_design_destroy(d);
    }
    assert_true(faster >= 1);
}

static int set_up(void **state)
{
    return sc_data_dir_set(SCANTLE_SOURCE_DIR "/configs") == SC_OK ? 0 : -1;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_parts),           cmocka_unit_test(test_two_lane_ops_by_hand),
        cmocka_unit_test(test_front_beats_all), cmocka_unit_test(test_choice_is_the_best_cut),
        cmocka_unit_test(test_never_slower),
    };
    return cmocka_run_group_tests(tests, set_up, NULL);
}
