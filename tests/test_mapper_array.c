#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <stdio.h>

#include "arch_support.h"
#include "array_make.h"
#include "core_support.h"
#include "count_make.h"
#include "count_random.h"
#include "mapper_make.h"

static uint64_t n_problems = 20, first_seed = 1;
static uint64_t most_scored = 8000, n_followed = 10, more_nodes = 5000;
static unsigned n_steps = 500;

/* ---- small random problems ---- */

/* In parts: a message of cmocka holds a kilobyte. */
static void print_problem(const oracle_array_problem *p)
{
    const oracle_problem as = {.e = p->e, .a = p->a};
    const char *text = mapper_describe(&as);
    for (size_t n = strlen(text), at = 0; at < n; at += 512)
        print_message("%.512s", text + at);
    print_message(
        "\nrows %u, cols %u, dataflows %u, double_buffered %d, input_share %g, loose %d\n",
        (unsigned)p->a.compute.rows, (unsigned)p->a.compute.cols, p->a.compute.dataflows,
        p->a.compute.double_buffered, p->input_share, p->loose);
}

/* @param budget  of the search that comes before the proof; 0: its own */
static sc_mapped map(const oracle_array_problem *p, uint64_t nodes, uint64_t budget)
{
    sc_map_options o = SC_MAP_OPTIONS_INIT;
    sc_mapped r;
    o.budget = budget;
    o.input_share = p->input_share;
    o.nodes = nodes;
    if (sc_map_op(&r, &p->e, &p->a, &o) != SC_OK)
        fail_msg("%s", sc_error_message());
    return r;
}

enum { PLENTY = 20000000 };

/* ---- smaller problems of the same fault ---- */

/* Cycles by which some mapping stays below the bound; 0: none does. */
static double fault(const oracle_array_problem *p, uint64_t most, sc_mapping *m)
{
    oracle_array_result walked;
    const sc_mapped r = map(p, PLENTY, 1);
    if (r.misfit.code != SC_FITS)
        return 0;
    oracle_array_space(&walked, p, r.total_cycles, most);
    if (m)
        *m = walked.mapping;
    return walked.cycles < r.lower_bound_cycles ? r.lower_bound_cycles - walked.cycles : 0;
}

/* One way to make a problem plainer. @return false: there is no i-th. */
static bool make_plainer(oracle_array_problem *p, unsigned i)
{
    enum { OF_LEVEL = 15 };
    if (i < SC_MAX_DIMS) {
        if (i < p->e.n_dims && p->e.bound[i] > 1)
            p->e.bound[i]--;
        return true;
    }
    i -= SC_MAX_DIMS;
    if (i < SC_MAX_LEVELS * OF_LEVEL) {
        sc_level *v = &p->a.level[i / OF_LEVEL];
        if (i / OF_LEVEL >= p->a.n_levels)
            return true;
        switch (i % OF_LEVEL) {
        case 0: v->read_bw = 0; break;
        case 1: v->write_bw = 0; break;
        case 2: v->shared_bw = 0; break;
        case 3: v->bounded = false; break;
        case 4: v->partitioned = false; break;
        case 5:
            if (v->buffers > 1)
                v->capacity[0] /= 2;
            v->buffers = 1;
            break;
        case 6: v->may_keep = ARRAY_ALL_ROLES; break;
        case 7: v->must_keep = 0; break;
        case 8: v->no_reduction = false; break;
        case 9: v->no_overlap = false; break;
        case 10: v->output_bits = 0; break;
        case 11: v->capacity[0] -= v->capacity[0] > 1; break;
        case 12: v->no_multicast = false; break;
        case 13: v->fanout_x -= v->fanout_x > 1 && !p->a.compute.rows; break;
        case 14: v->fanout_y -= v->fanout_y > 1 && !p->a.compute.rows; break;
        }
        return true;
    }
    i -= SC_MAX_LEVELS * OF_LEVEL;
    switch (i) {
    case 0:
    case 1:
    case 2: p->a.compute.dataflows &= (uint8_t)(1u << i); break;
    case 3: p->input_share = 1; break;
    case 4: p->loose = false; break;
    case 5: p->sides = false; break;
    case 6: p->a.compute.double_buffered = true; break;
    default: return false;
    }
    return true;
}

static void minimise(oracle_array_problem *p)
{
    enum { WALK = 3000000 };
    for (bool changed = true; changed;) {
        changed = false;
        oracle_array_problem plainer = *p;
        for (unsigned i = 0; make_plainer(&plainer, i) || i < 500; i++, plainer = *p)
            if (memcmp(&plainer, p, sizeof *p) != 0 &&
                (plainer.a.compute.dataflows || !p->a.compute.rows) &&
                fault(&plainer, WALK, NULL) > 0) {
                *p = plainer;
                changed = true;
            }
    }
}

/* ---- against the walk ---- */

typedef struct tally {
    uint64_t walked, left_out, without, lost, open, missed, beyond, faults, scored;
} tally;

static void report_fault(const oracle_array_problem *p, uint64_t seed)
{
    oracle_array_problem q = *p;
    sc_mapping m;
    minimise(&q);
    const double by = fault(&q, UINT64_MAX, &m);
    const sc_mapped r = map(&q, PLENTY, 1);
    print_message("seed %llu: bound %.17g, mapper %.17g, walk %.17g\n", (unsigned long long)seed,
                  r.lower_bound_cycles, r.total_cycles, r.lower_bound_cycles - by);
    print_problem(&q);
    print_message("%s\n", count_describe(&q.e, &q.a, &m));
}

/* What the search says of a problem against the walk of all its mappings: from the best mapping of
 * the search before it, and from a bad one, which leaves all to the proof. */
static void check(tally *n, const oracle_array_problem *p, uint64_t seed)
{
    oracle_array_result walked;
    const sc_mapped r = map(p, PLENTY, 0), alone = map(p, PLENTY, 1);
    const bool found = r.misfit.code == SC_FITS;
    oracle_array_space(&walked, p, found ? r.total_cycles : HUGE_VAL, most_scored);
    n->scored += walked.scored;
    n->left_out += !walked.complete;
    n->walked += walked.complete;
    n->without += !found;
    if (!found) {
        n->lost += walked.cycles < HUGE_VAL;
        return;
    }
    n->open += r.lower_bound_cycles < r.total_cycles;
    n->missed += walked.cycles < r.total_cycles;
    n->beyond += walked.complete && walked.cycles > r.total_cycles;
    const double bound = fmax(r.lower_bound_cycles, alone.lower_bound_cycles);
    if (bound > fmin(r.total_cycles, alone.total_cycles) || bound > walked.cycles) {
        n->faults++;
        report_fault(p, seed);
    }
}

static void check_all(void (*draw)(oracle_array_problem *, uint64_t))
{
    tally n = {0};
    for (uint64_t i = 0; i < n_problems; i++) {
        oracle_array_problem p;
        draw(&p, first_seed + i);
        check(&n, &p, first_seed + i);
    }
    print_message("%llu problems walked whole, %llu in part, %llu without a mapping (%llu of them "
                  "have one); %llu not closed, %llu not the best; %llu beyond the space; %llu "
                  "mappings\n",
                  (unsigned long long)n.walked, (unsigned long long)n.left_out,
                  (unsigned long long)n.without, (unsigned long long)n.lost,
                  (unsigned long long)n.open, (unsigned long long)n.missed,
                  (unsigned long long)n.beyond, (unsigned long long)n.scored);
    assert_int_equal(n.faults, 0);
}

static void small_problems(void **state)
{
    check_all(array_problem);
}

static void several_grids(void **state)
{
    check_all(array_fan_problem);
}

/* ---- by hand ---- */

/* Words of a byte; DRAM, for three levels of buffers an L3 too, L1, an array; nothing bounded. */
static oracle_array_problem by_hand_problem(sc_einsum e, unsigned levels, uint64_t rows,
                                            uint64_t cols, sc_dataflow flow)
{
    oracle_array_problem p = {.e = e, .input_share = 1};
    static const char *const names[] = {"DRAM", "L3", "L1", "REG"};
    for (unsigned l = 4 - levels; l < 4; l++)
        array_add_level(&p.a, names[l == 4 - levels ? 0 : l], false);
    for (unsigned t = 0; t < p.e.n_tensors; t++)
        p.e.tensor[t].bits = 8;
    p.a.level[levels - 2].fanout_x = cols;
    p.a.level[levels - 2].fanout_y = rows;
    p.a.level[levels - 1].instances = p.a.compute.instances = rows * cols;
    p.a.level[levels - 1].bounded = true;
    p.a.level[levels - 1].capacity[0] = 1;
    p.a.compute.rows = rows;
    p.a.compute.cols = cols;
    p.a.compute.double_buffered = true;
    p.a.compute.dataflows = (uint8_t)(1u << flow);
    p.a.clock_hz = 1e9;
    p.a.native_batch = 1;
    return p;
}

/* Found and proved from a first mapping that nothing was done for. */
static void assert_least(const oracle_array_problem *p, double cycles)
{
    oracle_array_result walked;
    const sc_mapped r = map(p, PLENTY, 1);
    oracle_array_space(&walked, p, HUGE_VAL, UINT64_MAX);
    assert_true(walked.cycles == cycles);
    assert_true(r.total_cycles == cycles);
    assert_true(r.lower_bound_cycles == cycles);
}

/* Of a vector times a matrix 3 x 3 on 2 x 4 MACs the input stays in the array; only sums can go no
 * further than the L3. 9 weights and 3 inputs come, 12 cycles. Three passes of three steps:
 * 2 * 3 + 3 + (2 * 2 + 4 - 2) = 15. The first words of both: 2. */
static void sums_between(void **state)
{
    oracle_array_problem p =
        by_hand_problem(count_einsum("C3 K3", "W C,K", "I C", "O K"), 4, 2, 4, SC_IS);
    p.a.level[0].read_bw = 1;
    p.a.level[1].may_keep = 1u << SC_ROLE_OUTPUT;
    p.a.level[2].may_keep = 1u << SC_ROLE_WEIGHT;
    assert_least(&p, 17);
}

/* Two rows add up S, though the DRAM would not add sums of the four children. Three passes of one
 * step on two rows: 2 * 2 + 1 + (2 * 2 + 1 - 2) = 8. 6 weights, 6 times an input, 3 sums at 2 a
 * cycle: 7.5. First 2 weights and 2 inputs: 2. */
static void array_adds(void **state)
{
    oracle_array_problem p =
        by_hand_problem(count_einsum("S2 K3", "W K,S", "I S", "O K"), 3, 2, 1, SC_WS);
    p.a.level[0].fanout_x = p.a.level[0].fanout_y = 2;
    p.a.level[1].instances = 4;
    p.a.level[2].instances = p.a.compute.instances = 8;
    p.a.level[0].no_reduction = true;
    p.a.level[0].shared_bw = 2;
    p.a.level[1].may_keep = 1u << SC_ROLE_WEIGHT;
    assert_least(&p, 10);
}

/* One MAC in which sums stay: with P inside R they are words 0, 1, 1, 2; the second and the third
 * are one, so no partial sum comes back. 2 inputs and 2 weights come, 4 cycles, as long as 4 passes
 * without a ramp. P stands in the L1: first come 2 inputs and a weight. */
static void window_in_array(void **state)
{
    oracle_array_problem p =
        by_hand_problem(count_einsum("P2 R2", "W R", "I P", "O P+R"), 3, 1, 1, SC_OS);
    p.a.level[0].read_bw = 1;
    p.a.level[1].may_keep = 1u << SC_ROLE_WEIGHT | 1u << SC_ROLE_INPUT;
    assert_least(&p, 7);
}

/* Windows with gaps: of two taps 3 apart, every place but the first two is met again 3 further on.
 * For each Q 4 inputs come, not 6; with 2 weights and 6 sums 16 words, at one in 4 cycles 64. First
 * come 2 weights and the box of 2 inputs, 4: 24. */
static void windows_with_gaps(void **state)
{
    oracle_array_problem p =
        by_hand_problem(count_einsum("P3 Q2 R2", "W R", "I 3P+3R,Q", "O P,Q"), 3, 1, 3, SC_IS);
    p.a.level[0].fanout_x = p.a.level[0].fanout_y = 2;
    p.a.level[1].instances = 4;
    p.a.level[2].instances = p.a.compute.instances = 12;
    p.a.level[0].shared_bw = 0.25;
    assert_least(&p, 88);
}

/* An L2 in each child; two of them share R: steps of R inside one are 1 apart, not 2. P lies on
 * three columns: such a step brings 2 more sums, of 5. */
static void steps_of_one_child(void **state)
{
    oracle_array_problem p = by_hand_problem(
        count_einsum("P3 R5 C2 K3", "W C,K,R", "I C,P", "O K,2P+R"), 4, 1, 3, SC_IS);
    oracle_array_result walked;
    p.a.level[0].fanout_x = p.a.level[0].fanout_y = 2;
    p.a.level[0].read_bw = 8;
    p.a.level[0].no_reduction = true;
    p.a.level[1].read_bw = 0.5;
    p.a.level[1].instances = p.a.level[2].instances = 4;
    p.a.level[3].instances = p.a.compute.instances = 12;
    const sc_mapped r = map(&p, PLENTY, 1);
    oracle_array_space(&walked, &p, r.total_cycles, 60000);
    assert_true(r.lower_bound_cycles <= walked.cycles);
}

/* Results 3 apart: their box is larger than what is written, and so are the first reads left out.
 * The walk of all mappings, too long for here, finds 276. */
static void results_with_gaps(void **state)
{
    oracle_array_problem p = by_hand_problem(
        count_einsum("P1 R3 C6 K6", "W C,K,R", "I C,P", "O K,P+3R"), 4, 3, 2, SC_IS);
    p.a.level[0].shared_bw = 0.5;
    p.a.level[1].read_bw = 0.125;
    const sc_mapped r = map(&p, PLENTY, 1);
    assert_true(r.lower_bound_cycles <= 276);
    assert_true(r.total_cycles <= 276);
}

/* Bounds of some of the dimensions of this op are above those of whole tiles. */
static void bounds_that_fall(void **state)
{
    oracle_array_problem p =
        by_hand_problem(count_einsum("G7 Q5 S2", "W G,S", "I G,2Q+3S", "O G,Q"), 3, 4, 4, SC_WS);
    oracle_array_result walked;
    p.a.level[0].fanout_x = p.a.level[0].fanout_y = 2;
    p.a.level[1].instances = 4;
    p.a.level[2].instances = p.a.compute.instances = 64;
    p.a.level[0].shared_bw = 2;
    p.a.level[1].bounded = p.a.level[1].partitioned = true;
    p.a.level[1].capacity[SC_ROLE_INPUT] = 8;
    p.a.level[1].capacity[SC_ROLE_WEIGHT] = 4;
    p.a.level[1].capacity[SC_ROLE_OUTPUT] = 10;
    p.a.compute.double_buffered = false;
    const sc_mapped r = map(&p, PLENTY, 1);
    oracle_array_space(&walked, &p, HUGE_VAL, UINT64_MAX);
    assert_true(r.lower_bound_cycles <= walked.cycles);
    assert_true(r.total_cycles == walked.cycles);
}

/* ---- along random mappings of real layers ---- */

static const struct layer {
    const char *dims, *weight, *input, *output;
    double share;
} layers[] = {
    /* of EfficientNets: the stem, expansions and projections, depthwise convs, squeezes, the head
     */
    {"N1 P112 Q112 R3 S3 C3 K32", "W C,K,R,S", "I N,C,2P+R,2Q+S", "O N,K,P,Q", 0.99},
    {"N1 P56 Q56 C24 K144", "W C,K", "I N,C,P,Q", "O N,K,P,Q", 1},
    {"N1 P19 Q19 C1344 K224", "W C,K", "I N,C,P,Q", "O N,K,P,Q", 1},
    {"N1 P7 Q7 C1152 K320", "W C,K", "I N,C,P,Q", "O N,K,P,Q", 1},
    {"N1 G96 P56 Q56 R3 S3", "W G,R,S", "I N,G,2P+R,2Q+S", "O N,G,P,Q", 0.97},
    {"N1 G480 P14 Q14 R5 S5", "W G,R,S", "I N,G,P+R,Q+S", "O N,G,P,Q", 0.8},
    {"N1 G1152 P7 Q7 R3 S3", "W G,R,S", "I N,G,P+R,Q+S", "O N,G,P,Q", 0.7},
    {"N1 C1152 K48", "W C,K", "I N,C", "O N,K", 1},
    {"N1 C1280 K1000", "W C,K", "I N,C", "O N,K", 1},
    /* of ResNets and U-Nets */
    {"N1 P28 Q28 R3 S3 C128 K128", "W C,K,R,S", "I N,C,P+R,Q+S", "O N,K,P,Q", 0.94},
    {"N1 P28 Q28 C256 K512", "W C,K", "I N,C,2P,2Q", "O N,K,P,Q", 1},
    {"N1 P32 Q32 R2 S2 C128 K64", "W C,K,R,S", "I N,C,P,Q", "O N,K,2P+R,2Q+S", 1},
    /* of transformers: products with weights, scores, one token */
    {"M128 C768 K3072", "W C,K", "I M,C", "O M,K", 1},
    {"H12 M128 C64 K128", "W H,C,K", "I H,M,C", "O H,M,K", 1},
    {"M1 C4096 K11008", "W C,K", "I M,C", "O M,K", 1},
};

static void draw_followed(oracle_array_problem *p, const sc_template *t, uint64_t seed)
{
    uint32_t point[64];
    const struct layer *l = &layers[random_below(&seed, COUNT(layers))];
    memset(p, 0, sizeof *p);
    random_point(point, t, seed);
    sc_template_canonical(t, point);
    if (sc_template_arch(&p->a, t, point) != SC_OK)
        fail_msg("%s", sc_error_message());
    p->e = count_einsum(l->dims, l->weight, l->input, l->output);
    p->input_share = l->share;
    if (p->e.dim_name[0][0] == 'N')
        p->e.bound[0] = 1u << random_below(&seed, 5);
}

/* No mapping that is met stays below what was proved, with little work or with more, from a bad
 * mapping or from a good one. */
static void random_mappings(void **state)
{
    enum { STARTS = 4, LITTLE = 2000 };
    sc_template *t = open_template("fast");
    uint64_t closed = 0, faults = 0, met = 0, better = 0, level = 0;
    for (uint64_t i = 0; i < n_followed; i++) {
        oracle_array_problem p;
        draw_followed(&p, t, first_seed + i);
        const sc_mapped little = map(&p, LITTLE, 1), alone = map(&p, more_nodes, 1),
                        more = map(&p, more_nodes, 0);
        if (more.misfit.code != SC_FITS || alone.misfit.code != SC_FITS)
            continue;
        const double bound = fmax(little.lower_bound_cycles,
                                  fmax(alone.lower_bound_cycles, more.lower_bound_cycles));
        double least = fmin(little.total_cycles, fmin(alone.total_cycles, more.total_cycles));
        met++;
        closed += more.lower_bound_cycles == more.total_cycles;
        for (unsigned k = 0; k < STARTS; k++) {
            const sc_mapping *start = k == 0 ? &alone.mapping : k == 1 ? &more.mapping : NULL;
            sc_mapping m;
            const double c = oracle_array_follow(&m, &p, start, n_steps, first_seed + i + k);
            better += c < more.total_cycles;
            level += c == more.total_cycles && k != 1;
            least = fmin(least, c);
        }
        if (bound <= least)
            continue;
        faults++;
        print_message("seed %llu: bounds %.17g, %.17g, %.17g; met %.17g, mapper %.17g\n",
                      (unsigned long long)(first_seed + i), little.lower_bound_cycles,
                      alone.lower_bound_cycles, more.lower_bound_cycles, least, more.total_cycles);
        print_problem(&p);
    }
    print_message("%llu layers on designs, %llu closed; of %llu walks each %llu found a better "
                  "mapping, %llu as good a one\n",
                  (unsigned long long)met, (unsigned long long)closed, (unsigned long long)STARTS,
                  (unsigned long long)better, (unsigned long long)level);
    sc_template_destroy(t);
    assert_int_equal(faults, 0);
    assert_true(met > 0);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sums_between),       cmocka_unit_test(array_adds),
        cmocka_unit_test(window_in_array),    cmocka_unit_test(bounds_that_fall),
        cmocka_unit_test(windows_with_gaps),  cmocka_unit_test(results_with_gaps),
        cmocka_unit_test(steps_of_one_child), cmocka_unit_test(small_problems),
        cmocka_unit_test(several_grids),      cmocka_unit_test(random_mappings),
    };
    if (argc > 1)
        n_problems = strtoull(argv[1], NULL, 10);
    if (argc > 2)
        first_seed = strtoull(argv[2], NULL, 10);
    if (argc > 3)
        most_scored = strtoull(argv[3], NULL, 10);
    if (argc > 4)
        cmocka_set_test_filter(argv[4]);
    if (argc > 5)
        n_followed = strtoull(argv[5], NULL, 10);
    if (argc > 6)
        more_nodes = strtoull(argv[6], NULL, 10);
    if (argc > 7)
        n_steps = (unsigned)strtoul(argv[7], NULL, 10);
    return cmocka_run_group_tests_name("model/mapper array", tests, use_source_configs, NULL);
}
