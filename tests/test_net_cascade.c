/* Attention as one step: a small case by hand, its traffic and its pipeline against naive walks,
 * the search against all tiles. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka wants the four above first */
#include <cmocka.h>
#include <math.h>
#include <string.h>

#include "core/rng.h"
#include "model/net/cascade_plan.h"
#include "model/net/fused.h"
#include "model_support.h"
#include "scantle/design.h"
#include "scantle/evaluate.h"
#include "workloads/builder.h"

typedef struct attention {
    uint64_t heads, kv_heads, queries, keys, width;
} attention;

/* softmax(q k^T) v as a network of 16 bits. */
static sc_network *attend(const attention *t)
{
    sc_builder *b = NULL;
    sc_workload *w = NULL;
    sc_network *n = NULL;
    sc_input_ref in[3] = {{0}}, scores[2] = {{0}};
    static const char *const names[] = {"q", "k", "v"};
    sc_op_spec s = {.kind = SC_OP_BMM, .n_inputs = 2, .inputs = in, .transpose = true};
    int32_t x;
    assert_int_equal(sc_builder_create(&b, "attention", 1, 16), SC_OK);
    for (int i = 0; i < 3; i++) {
        const sc_shape shape = {(i == 0 ? t->heads : t->kv_heads) * t->width, 1,
                                i == 0 ? t->queries : t->keys, 1};
        assert_int_equal(sc_builder_input(b, &in[i].producer, names[i], shape), SC_OK);
    }
    s.name = "qk";
    s.heads = t->heads;
    s.kv_heads = t->kv_heads;
    if (sc_builder_add(b, &x, &s) != SC_OK)
        fail_msg("%s", sc_error_message());
    scores[0].producer = x;
    const sc_op_spec soft = {
        .name = "softmax", .kind = SC_OP_SOFTMAX, .n_inputs = 1, .inputs = scores};
    assert_int_equal(sc_builder_add(b, &x, &soft), SC_OK);
    scores[0].producer = x;
    scores[1] = in[2];
    s.name = "av";
    s.inputs = scores;
    s.transpose = false;
    if (sc_builder_add(b, &x, &s) != SC_OK)
        fail_msg("%s", sc_error_message());
    assert_int_equal(sc_builder_finish(&w, b), SC_OK);
    sc_builder_destroy(b);
    assert_int_equal(sc_network_create(&n, w, 1), SC_OK);
    sc_workload_destroy(w);
    return n;
}

/* The network must outlive it: tensors are copied, ops are not kept. */
static void open_cascade(sc_cascade *c, sc_network **n, const attention *t, const sc_arch *a)
{
    *n = attend(t);
    const sc_op *op = sc_network_workload(*n)->ops;
    assert_true(sc_cascade_init(c, &op[0], &op[1], &op[2], a));
}

/* One array 2 x 2 that keeps sums; 1 pJ a byte everywhere, 3 a MAC, 2 a lane operation, 5 an exp.
 */
static sc_arch one_array(void)
{
    sc_arch a = array_arch(2, 2, 1 << 12);
    for (uint32_t l = 0; l < a.n_levels; l++) {
        a.level[l].block_bits = 8;
        a.level[l].read_pj = a.level[l].write_pj = a.level[l].update_pj = 1.0;
    }
    a.compute.dataflows = 1u << SC_OS;
    a.compute.mac_pj = 3.0;
    a.compute.double_buffered = false;
    a.vector = (sc_vector_unit){.lanes = 4, .op_pj = 2.0, .special_pj = 5.0};
    a.level[0].shared_bw = 2.0;
    return a;
}

/* 2 heads, 4 queries, 8 keys of 3 channels, in tiles of 2 x 4: 4 blocks of rows of 2 tiles each. */
static void test_by_hand(void **state)
{
    const attention t = {2, 2, 4, 8, 3};
    const sc_arch a = one_array();
    sc_cascade c;
    sc_network *n;
    sc_op_cost cost;
    sc_cascade_choice w = {.queries = 2,
                           .keys = 4,
                           .beside = 1,
                           .home = 0,
                           .stages = 1,
                           .scores = SC_OS,
                           .context = SC_OS};
    open_cascade(&c, &n, &t, &a);
    assert_true(sc_cascade_fits(&c, &w));
    sc_cascade_cost(&cost, &c, &w);
    /* scores: 2 folds of 3 + 2 + 2 - 2; context: 2 columns of folds of 4 + 2 + 2 - 2 */
    const double array = 2.0 * 5.0 + 2.0 * 6.0;
    /* 3 * 8 of scores, 3 * 2 + 6 of rows; 8 + 2 exp; on 4 lanes. End: 6 and 2. */
    const double lanes = ceil((36.0 + 10.0) / 4.0), end = 2.0;
    assert_true(cost.compute_cycles == 8.0 * (array + lanes) + 4.0 * end);
    /* q and o once, k and v of each head twice, for each block: 24 + 24 + 2 * 2 * 48 words */
    const double q = 2 * 24, o = 2 * 24, kv = 2 * 2 * 2 * 48;
    assert_true(cost.level_bytes[0] == q + o + kv);
    assert_true(cost.compulsory_bytes == q + o + kv / 2);
    assert_true(cost.traffic.read[0][0] == q && cost.traffic.read[0][1] == kv &&
                cost.traffic.written[0][2] == o);
    assert_true(cost.prefill_cycles == (2 * 2 * 3 + 2 * 4 * 3) / 2.0); /* a tile of q and of k */
    assert_true(cost.cycles == cost.compute_cycles + cost.prefill_cycles);
    assert_true(cost.compute_pj ==
                8.0 * (8 * 6 * 3.0 + 36 * 2.0 + 10 * 5.0) + 4.0 * (6 * 2.0 + 2 * 5.0));
    w.stages = 2;
    sc_cascade_cost(&cost, &c, &w);
    /* Tile 1: its scores, then the lanes beside the scores of tile 2; tiles 2 to 7: the array;
     * tile 8: the context of 7 and then the rescaling, 6 on 4 lanes; its own context. */
    assert_true(cost.compute_cycles ==
                10.0 + fmax(lanes, 10.0) + 6.0 * array + (12.0 + 2.0) + 12.0 + 4.0 * end);
    /* Buffer: the input slot takes q once and p of 8 scores in each of 8 tiles; q is read once for
     * each of 2 columns of folds, p as well. */
    assert_true(cost.traffic.written[1][0] == q + 2.0 * 8 * 8);
    assert_true(cost.traffic.read[1][0] == 2.0 * 8 * (2 * 6 + 2 * 8));
    assert_true(cost.traffic.written[1][1] == kv && cost.traffic.read[1][1] == kv);
    sc_network_destroy(n);
}

/* All keys in one tile: keys and values stay from block to block, and nothing is rescaled. */
static void test_keys_that_fit_come_once(void **state)
{
    const attention t = {2, 2, 4, 8, 3};
    const sc_arch a = one_array();
    sc_cascade c;
    sc_network *n;
    sc_op_cost cost;
    const sc_cascade_choice w = {.queries = 2, .keys = 8, .beside = 1, .stages = 1};
    open_cascade(&c, &n, &t, &a);
    sc_cascade_cost(&cost, &c, &w);
    assert_true(cost.level_bytes[0] == cost.compulsory_bytes);
    assert_true(cost.compute_pj == 4.0 * (16 * 6 * 3.0 + 48 * 2.0 + 16 * 5.0 + 6 * 2.0 + 2 * 5.0));
    sc_network_destroy(n);
}

/* Heads that share keys make rows of one set. */
static void test_grouped_heads_share(void **state)
{
    const attention t = {6, 2, 1, 8, 3};
    const sc_arch a = one_array();
    sc_cascade c;
    sc_network *n;
    open_cascade(&c, &n, &t, &a);
    assert_true(c.heads == 2 && c.rows == 3 && c.keys == 8);
    sc_network_destroy(n);
}

/* A byte more than what is there: q, k, v tiles, two score tiles each before and behind the exp,
 * results and two words a row. */
static void test_room(void **state)
{
    const attention t = {2, 2, 4, 8, 3};
    sc_arch a = one_array();
    const uint64_t out = a.level[1].output_bits ? a.level[1].output_bits / 8 : 2;
    const uint64_t need = 2 * (2 * 3 + 2 * 4 * 3) + 2 * 8 * 2 + 2 * 8 * out + 2 * 3 * out + 4 * out;
    sc_cascade c;
    sc_network *n;
    const sc_cascade_choice w = {.queries = 2, .keys = 4, .beside = 1, .stages = 2};
    open_cascade(&c, &n, &t, &a);
    a.level[1].capacity[0] = need;
    assert_true(sc_cascade_fits(&c, &w));
    a.level[1].capacity[0] = need - 1;
    assert_false(sc_cascade_fits(&c, &w));
    sc_network_destroy(n);
}

/* Under 4 units, with a global buffer between. */
static sc_arch four_units(uint64_t global, uint64_t buffer)
{
    sc_arch a = one_array();
    memmove(&a.level[2], &a.level[1], (a.n_levels - 1) * sizeof *a.level);
    a.n_levels++;
    a.level[1] = a.level[0];
    a.level[1].bounded = true;
    a.level[1].must_keep = 0;
    a.level[1].capacity[0] = global;
    a.level[1].shared_bw = 16.0;
    a.level[0].fanout_x = a.level[0].fanout_y = 1;
    a.level[1].fanout_x = 4;
    a.level[2].instances = 4;
    a.level[2].capacity[0] = buffer;
    a.level[2].read_bw = a.level[2].write_bw = 24.0;
    a.level[3].instances *= 4;
    a.compute.instances *= 4;
    a.compute.dataflows = 1u << SC_OS | 1u << SC_WS | 1u << SC_IS;
    a.level[3].may_keep = (1u << SC_ROLES) - 1;
    a.vector.lanes = 8;
    return a;
}

/* Least cycles of a product alone, by the mapper; the port of the buffer sets no limit. */
static double mapped_cycles(uint64_t m, uint64_t n, uint64_t k, const sc_arch *a)
{
    const sc_einsum e = gemm_einsum(m, n, k);
    const sc_map_options o = SC_MAP_OPTIONS_INIT;
    sc_mapped out;
    assert_int_equal(sc_map_op(&out, &e, a, &o), SC_OK);
    assert_int_equal(out.misfit.code, SC_FITS);
    return out.compute_cycles;
}

/* One tile of all: the array takes what the mapper's best mapping of either product takes. */
static void test_products_take_what_the_mapper_says(void **state)
{
    static const attention t[] = {{1, 1, 32, 64, 16}, {1, 1, 9, 40, 16}, {1, 1, 8, 24, 5}};
    for (size_t i = 0; i < sizeof t / sizeof *t; i++)
        for (int twice = 0; twice < 2; twice++) {
            sc_arch a = array_arch(8, 8, 1 << 20);
            sc_cascade c;
            sc_network *n;
            double least = (double)INFINITY;
            a.compute.double_buffered = twice;
            a.vector.lanes = 1000000; /* two cycles, of the tile and of the end */
            open_cascade(&c, &n, &t[i], &a);
            for (int f = 0; f < SC_DATAFLOWS * SC_DATAFLOWS; f++) {
                sc_op_cost cost;
                const sc_cascade_choice w = {.queries = t[i].queries,
                                             .keys = t[i].keys,
                                             .beside = 1,
                                             .stages = 1,
                                             .scores = (sc_dataflow)(f / SC_DATAFLOWS),
                                             .context = (sc_dataflow)(f % SC_DATAFLOWS)};
                sc_cascade_cost(&cost, &c, &w);
                least = fmin(least, cost.compute_cycles - 2.0);
            }
            assert_true(least == mapped_cycles(t[i].queries, t[i].keys, t[i].width, &a) +
                                     mapped_cycles(t[i].queries, t[i].width, t[i].keys, &a));
            sc_network_destroy(n);
        }
}

/* Elements of keys and values that units fetch, by walking over sets, rounds and tiles: one fetch
 * serves all units beside each other. */
static double walked(const sc_cascade *c, const sc_cascade_choice *w)
{
    double words = 0.0;
    for (uint64_t head = 0; head < c->heads; head++) {
        uint64_t held = UINT64_MAX; /* first key of the tile in the units */
        for (uint64_t row = 0; row < c->rows; row += w->queries * w->beside)
            for (uint64_t key = 0; key < c->keys; key += w->keys) {
                const uint64_t left = c->keys - key;
                if (held != key)
                    words +=
                        (double)((left < w->keys ? left : w->keys) * (c->width + c->value_width));
                held = key;
            }
    }
    return words;
}

static void test_traffic_of_a_walk(void **state)
{
    static const attention t[] = {{8, 8, 7, 10, 3}, {8, 2, 5, 9, 4}, {3, 3, 13, 6, 2}};
    const sc_arch a = four_units(1 << 12, 1 << 10);
    for (size_t i = 0; i < sizeof t / sizeof *t; i++) {
        sc_cascade c;
        sc_network *n;
        open_cascade(&c, &n, &t[i], &a);
        for (uint64_t q = 1; q <= c.rows; q++)
            for (uint64_t k = 1; k <= c.keys; k++)
                for (uint64_t beside = 1; beside <= 4; beside *= 2) {
                    sc_op_cost cost;
                    sc_cascade_choice w = {.queries = q, .keys = k, .beside = beside, .stages = 2};
                    const double io = 2.0 * (double)(c.heads * c.rows * (c.width + c.value_width));
                    sc_cascade_cost(&cost, &c, &w);
                    assert_true(cost.level_bytes[0] == io + 2.0 * walked(&c, &w));
                    assert_true(cost.level_bytes[1] == 0.0);
                    assert_true(cost.level_bytes[0] >= cost.compulsory_bytes);
                    w.home = 1; /* into the global buffer once, from there as before */
                    sc_cascade_cost(&cost, &c, &w);
                    assert_true(cost.level_bytes[0] == cost.compulsory_bytes);
                    assert_true(cost.level_bytes[1] ==
                                cost.compulsory_bytes - io + 2.0 * walked(&c, &w));
                }
        sc_network_destroy(n);
    }
}

/* Each starts as soon as it can. Array: scores of tile j + 1, then context of j; two buffers of
 * scores. Lanes: tile j, and then, once the context of j - 1 is there, its rescaling.
 * @return when the last context is done. */
static double pipelined(int tiles, double scores, double context, double lanes, double rescale)
{
    double array = scores, ready = scores, lane = 0.0, before = 0.0; /* before: context of j - 1 */
    for (int j = 0; j < tiles; j++) {
        lane = fmax(lane, ready) + lanes - rescale;
        lane = fmax(lane, before) + rescale;
        if (j + 1 < tiles) { /* into the buffer that the context of j - 1 has left */
            array += scores;
            ready = array;
        }
        array = fmax(array, lane) + context;
        before = array;
    }
    return array;
}

/* What two stages are charged is enough, and no less than the busier of array and lanes. */
static void test_two_stages_are_enough(void **state)
{
    sc_rng r;
    sc_rng_init(&r, 1, 2, 3);
    for (int i = 0; i < 2000; i++) {
        const attention t = {1, 1, 1 + gsl_rng_uniform_int(&r.gsl, 20),
                             2 + gsl_rng_uniform_int(&r.gsl, 20),
                             1 + gsl_rng_uniform_int(&r.gsl, 12)};
        sc_arch a = one_array();
        sc_cascade c;
        sc_network *n;
        sc_op_cost cost;
        a.vector.lanes = 1 + gsl_rng_uniform_int(&r.gsl, 30);
        open_cascade(&c, &n, &t, &a);
        const sc_cascade_choice w = {.queries = 1 + gsl_rng_uniform_int(&r.gsl, t.queries),
                                     .keys = 1 + gsl_rng_uniform_int(&r.gsl, t.keys),
                                     .beside = 1,
                                     .stages = 2};
        sc_cascade_cost(&cost, &c, &w);
        const double q = (double)w.queries, k = (double)w.keys, d = (double)t.width;
        const double blocks = ceil((double)t.queries / q), again = k < (double)t.keys;
        const double s = ceil(q / 2) * ceil(k / 2) * (d + 2),
                     o = ceil(q / 2) * ceil(d / 2) * (k + 2);
        const double l = (double)a.vector.lanes, rescale = ceil(again * q * d / l);
        const double lanes = ceil((4 * q * k + again * (4 * q + q * d)) / l);
        const double end = blocks * ceil((q * d + q) / l),
                     tiles = blocks * ceil((double)t.keys / k);
        assert_true(cost.compute_cycles - end >= pipelined((int)tiles, s, o, lanes, rescale));
        assert_true(cost.compute_cycles - end >= tiles * fmax(s + o, lanes));
        assert_true(cost.compute_cycles - end <= tiles * (s + o + lanes));
        sc_network_destroy(n);
    }
}

/* Least cycles, then energy, of all tiles there are. */
static void brute(sc_op_cost *best, const sc_cascade *c)
{
    *best = (sc_op_cost){.cycles = (double)INFINITY};
    sc_cascade_choice w;
    for (w.queries = 1; w.queries <= c->rows; w.queries++)
        for (w.keys = 1; w.keys <= c->keys; w.keys++)
            for (w.beside = 1; w.beside <= 4; w.beside *= 2)
                for (int k = 0; k < 36; k++) {
                    sc_op_cost cost;
                    w.home = k & 1;
                    w.stages = 1 + (k >> 1 & 1);
                    w.scores = (sc_dataflow)(k / 4 % 3);
                    w.context = (sc_dataflow)(k / 12);
                    if (!sc_cascade_fits(c, &w))
                        continue;
                    sc_cascade_cost(&cost, c, &w);
                    assert_true(cost.cycles >= sc_cascade_floor(c, w.queries, w.keys, w.beside));
                    if (cost.cycles < best->cycles ||
                        (cost.cycles == best->cycles && cost.energy_pj < best->energy_pj))
                        *best = cost;
                }
}

static void test_search_finds_the_best_tiles(void **state)
{
    static const attention t[] = {{8, 8, 11, 14, 3}, {8, 2, 5, 9, 4}, {3, 3, 13, 6, 2}};
    for (size_t i = 0; i < sizeof t / sizeof *t; i++)
        for (uint64_t buffer = 128; buffer <= 2048; buffer *= 4)
            for (uint64_t global = 64; global <= 4096; global *= 8) {
                const sc_arch a = four_units(global, buffer);
                sc_cascade c;
                sc_network *n;
                sc_cascade_best best;
                sc_op_cost other;
                open_cascade(&c, &n, &t[i], &a);
                sc_cascade_search(&best, &c);
                brute(&other, &c);
                assert_true(best.found == isfinite(other.cycles));
                if (best.found) {
                    assert_true(best.cost.cycles == other.cycles);
                    assert_true(best.cost.energy_pj == other.energy_pj);
                    assert_true(sc_cascade_fits(&c, &best.choice) && best.priced <= best.choices);
                }
                sc_network_destroy(n);
            }
}

/* ---- in networks ---- */

static void evaluate(sc_metrics *out, const sc_design *d, const sc_workload *w,
                     sc_fusion_rule fusion, sc_attention_rule attention, int threads)
{
    sc_evaluation *e = NULL;
    sc_evaluate_options o = SC_EVALUATE_OPTIONS_INIT;
    double time_s = 0.0;
    o.map_budget = 60;
    o.threads = threads;
    o.rules.fusion = fusion;
    o.rules.attention = attention;
    if (sc_evaluate(&e, d, w, &o) != SC_OK)
        fail_msg("%s", sc_error_message());
    *out = *sc_evaluation_metrics(e);
    assert_true(sc_evaluation_feasible(e));
    for (size_t i = 0; sc_evaluation_op(e, i); i++)
        time_s += sc_evaluation_op(e, i)->time_s;
    assert_true(fabs(time_s - out->latency_s) <= 1e-9 * time_s);
    sc_evaluation_destroy(e);
}

static void test_never_slower(void **state)
{
    static const char *const networks[] = {"bert-base:seq=512", "vit-b16"};
    int faster = 0;
    for (uint64_t i = 0; i < 6; i++)
        for (int fusion = SC_FUSION_OFF; fusion <= SC_FUSION_ON; fusion++) {
            char spec[160];
            sc_rng r;
            sc_design *d = NULL;
            sc_workload *w = NULL;
            sc_metrics apart, cascade, again;
            sc_rng_init(&r, 5, 1, i);
            (void)snprintf(spec, sizeof spec,
                           "fast:pes_x=%d,pes_y=4,l3_global=%dMiB,l1_mode=%s,l1_output=%dKiB,"
                           "native_batch=2",
                           1 << gsl_rng_uniform_int(&r.gsl, 4), 1 << gsl_rng_uniform_int(&r.gsl, 8),
                           i & 2 ? "shared" : "private", 4 << gsl_rng_uniform_int(&r.gsl, 5));
            assert_int_equal(sc_design_open(&d, spec), SC_OK);
            assert_int_equal(sc_workload_open(&w, networks[i % 2]), SC_OK);
            evaluate(&apart, d, w, (sc_fusion_rule)fusion, SC_ATTENTION_APART, 1);
            evaluate(&cascade, d, w, (sc_fusion_rule)fusion, SC_ATTENTION_CASCADE, 1);
            evaluate(&again, d, w, (sc_fusion_rule)fusion, SC_ATTENTION_CASCADE, 2);
            assert_memory_equal(&cascade, &again, sizeof again);
            assert_true(cascade.latency_s <= apart.latency_s);
            faster += cascade.latency_s < 0.99 * apart.latency_s;
            sc_workload_destroy(w);
            sc_design_destroy(d);
        }
    assert_true(faster >= 6);
}

/* q, k, v are inputs; as one step they are its three reads, the scores are nobody's, and pinning or
 * serving is of no use before a second reader: what fusion leaves is the cascade's own cost. */
static void test_one_step_of_three_reads(void **state)
{
    const attention t = {8, 2, 5, 9, 4};
    const sc_arch a = four_units(1 << 12, 1 << 10);
    const sc_cost_options o = {.rules = SC_RULES_INIT};
    sc_network *n = attend(&t);
    const sc_op *op = sc_network_workload(n)->ops;
    sc_op_cost cost[3];
    sc_cascades *c = NULL;
    sc_fused *f = NULL;
    for (size_t i = 0; i < 3; i++)
        assert_int_equal(sc_op_cost_of(&cost[sc_network_unique_of(n, i)], &op[i], &a, &o), SC_OK);
    assert_int_equal(sc_cascades_create(&c, n), SC_OK);
    sc_cascades_price(c, n, cost, &a);
    assert_true(c->n_chains == 1 && c->shape[0].possible);
    assert_int_equal(sc_cascades_take(c, SC_CASCADE_ALL), 1);
    assert_int_equal(sc_fused_create(&f, n), SC_OK);
    const sc_fusion_problem *p = sc_residency_problem(f->plan, cost, c, &a);
    assert_int_equal(sc_fusion_check(p), SC_OK);
    assert_true(p->n_reads == 3 && p->step[0].n_reads == 0 && p->step[1].n_reads == 0);
    assert_true(p->step[0].made == -1 && p->step[1].made == -1 && p->step[2].made == 3 + 2);
    for (size_t i = 0; i < 3; i++)
        assert_int_equal(p->read[i].tensor, i);
    /* words of k and v: equal shares of what the weight slot reads of the main memory */
    const double kv = c->shape[0].cost[2].traffic.read[0][1];
    assert_true(p->read[1].gain.dram_bytes == kv / 2 && p->read[2].gain.dram_bytes == kv / 2);
    assert_true(p->step[0].cycles[0] == 0.0 && p->step[1].cycles[0] == 0.0);
    f->cascades = c;
    assert_int_equal(sc_fused_run(f, n, cost, &a), SC_OK);
    assert_true(sc_cascades_chain(c, 0) != NULL); /* it is faster than apart */
    assert_true(f->cost[0].cycles == 0.0 && f->cost[1].cycles == 0.0);
    assert_true(fabs(f->cost[2].cycles - c->shape[0].best.cost.cycles) <= 1e-9 * f->cost[2].cycles);
    assert_true(f->cost[2].cycles < c->shape[0].apart_cycles);
    sc_fused_destroy(f);
    sc_cascades_destroy(c);
    sc_network_destroy(n);
}

/* Scores that somebody else reads as well must exist. */
static void test_scores_with_another_reader_stay(void **state)
{
    sc_builder *b = NULL;
    sc_workload *w = NULL;
    sc_network *n = NULL;
    sc_cascades *c = NULL;
    sc_input_ref in[3] = {{0}}, two[2] = {{0}};
    int32_t x, soft;
    assert_int_equal(sc_builder_create(&b, "seen", 1, 16), SC_OK);
    for (int i = 0; i < 3; i++)
        assert_int_equal(sc_builder_input(b, &in[i].producer,
                                          (const char *const[]){"q", "k", "v"}[i],
                                          (sc_shape){8, 1, 6, 1}),
                         SC_OK);
    sc_op_spec s = {.name = "qk",
                    .kind = SC_OP_BMM,
                    .n_inputs = 2,
                    .inputs = in,
                    .heads = 2,
                    .transpose = true};
    assert_int_equal(sc_builder_add(b, &x, &s), SC_OK);
    two[0].producer = x;
    s = (sc_op_spec){.name = "softmax", .kind = SC_OP_SOFTMAX, .n_inputs = 1, .inputs = two};
    assert_int_equal(sc_builder_add(b, &soft, &s), SC_OK);
    two[0].producer = soft;
    s = (sc_op_spec){
        .name = "seen", .kind = SC_OP_ACTIVATION, .function = "relu", .n_inputs = 1, .inputs = two};
    assert_int_equal(sc_builder_add(b, &x, &s), SC_OK);
    two[1] = in[2];
    s = (sc_op_spec){.name = "av", .kind = SC_OP_BMM, .n_inputs = 2, .inputs = two, .heads = 2};
    assert_int_equal(sc_builder_add(b, &x, &s), SC_OK);
    assert_int_equal(sc_builder_finish(&w, b), SC_OK);
    sc_builder_destroy(b);
    assert_int_equal(sc_network_create(&n, w, 1), SC_OK);
    assert_int_equal(sc_cascades_create(&c, n), SC_OK);
    assert_int_equal(c->n_chains, 0);
    sc_cascades_destroy(c);
    sc_network_destroy(n);
    sc_workload_destroy(w);
}

static int set_up(void **state)
{
    return sc_data_dir_set(SCANTLE_SOURCE_DIR "/configs") == SC_OK ? 0 : -1;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_by_hand),
        cmocka_unit_test(test_keys_that_fit_come_once),
        cmocka_unit_test(test_grouped_heads_share),
        cmocka_unit_test(test_room),
        cmocka_unit_test(test_products_take_what_the_mapper_says),
        cmocka_unit_test(test_traffic_of_a_walk),
        cmocka_unit_test(test_two_stages_are_enough),
        cmocka_unit_test(test_search_finds_the_best_tiles),
        cmocka_unit_test(test_one_step_of_three_reads),
        cmocka_unit_test(test_scores_with_another_reader_stay),
        cmocka_unit_test(test_never_slower),
    };
    return cmocka_run_group_tests(tests, set_up, NULL);
}
