/* The fusion solver: by hand, against all choices of small problems, its bound, its rejections. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka wants the four above first */
#include <cmocka.h>
#include <math.h>
#include <string.h>

#include "core/mem.h"
#include "fusion_make.h"

static sc_fusion_solution solve(const sc_fusion_problem *p, double gap)
{
    sc_fusion_solution s;
    sc_fusion_options o = SC_FUSION_OPTIONS_INIT;
    o.gap = gap;
    if (sc_fusion_solve(&s, p, &o) != SC_OK)
        fail_msg("%s", sc_error_message());
    return s;
}

/* Every random problem of few enough decisions, of every shape, has the optimum of the walk over
 * all of them, and says that it has. */
static void against_all_choices(size_t most, uint64_t problems, double gap)
{
    static made_fusion m;
    uint64_t n = 0, gained = 0, bound_by_room = 0;
    for (uint64_t i = 0; n < problems; i++) {
        sc_rng r;
        sc_rng_init(&r, 7, 1, i);
        make_fusion(&m, &r, (enum fusion_shape)(i % SHAPES), 2 + i / SHAPES % 9);
        if (fusion_decisions(&m.p) > most)
            continue;
        n++;
        sc_fusion_solution s = solve(&m.p, gap);
        const double best = brute_fusion(&m.p);
        assert_true(s.value.feasible);
        assert_true(s.proved);
        assert_int_equal(s.binaries, fusion_decisions(&m.p));
        if (s.value.cycles < best || s.value.cycles > best * (1.0 + gap) ||
            s.bound_cycles > best * (1.0 + 1e-12))
            fail_msg("problem %llu: %.17g, bound %.17g, of all choices %.17g",
                     (unsigned long long)i, s.value.cycles, s.bound_cycles, best);
        gained += s.value.cycles < s.plain_cycles;
        m.p.capacity_bytes *= 100.0;
        sc_fusion_solution all = solve(&m.p, gap);
        bound_by_room += all.value.cycles < s.value.cycles;
        sc_fusion_solution_clear(&all);
        sc_fusion_solution_clear(&s);
    }
    assert_true(gained > problems / 2);
    assert_true(bound_by_room > problems / 3);
}

static void test_small_problems_are_solved_as_by_walking_all_choices(void **state)
{
    against_all_choices(11, 4000, 1e-6);
}

static void test_larger_problems_are_solved_as_by_walking_all_choices(void **state)
{
    against_all_choices(16, 60, 0.0);
}

/* ---- by hand ---- */

enum { LINES = 2 };

static sc_fusion_gain saves(double cycles, double bytes)
{
    return (sc_fusion_gain){.cycles = {0.0, cycles}, .dram_bytes = bytes};
}

/* Two steps of 100 cycles of traffic and 30 of the chip; a tensor of 10 bytes between them saves 40
 * at each, weights of 7 bytes save 50 at the first step and of 4 bytes 25 at the second. */
static sc_fusion_problem pair(sc_fusion_step step[2], sc_fusion_read *read,
                              sc_fusion_tensor *tensor, double capacity)
{
    *tensor = (sc_fusion_tensor){.bytes = 10.0};
    *read = (sc_fusion_read){0, saves(40.0, 40.0)};
    step[0] = (sc_fusion_step){.cycles = {30.0, 100.0},
                               .work_bytes = 2.0,
                               .weight_bytes = 7.0,
                               .weight = saves(50.0, 50.0),
                               .made_gain = saves(40.0, 40.0)};
    step[1] = (sc_fusion_step){.cycles = {30.0, 100.0},
                               .work_bytes = 3.0,
                               .weight_bytes = 4.0,
                               .weight = saves(25.0, 25.0),
                               .n_reads = 1,
                               .made = -1};
    return (sc_fusion_problem){.n_lines = LINES,
                               .capacity_bytes = capacity,
                               .n_steps = 2,
                               .n_tensors = 1,
                               .n_reads = 1,
                               .step = step,
                               .tensor = tensor,
                               .read = read};
}

static void test_two_steps_by_hand(void **state)
{
    /* capacity: best; 3 bytes are for working blocks */
    static const struct {
        double capacity, cycles;
    } best[] = {{6.0, 200.0},  /* nothing fits */
                {7.0, 175.0},  /* the small weights */
                {10.0, 150.0}, /* the large ones */
                {13.0, 120.0}, /* the tensor: 60 and 60 */
                {14.0, 120.0}, /* both weights would be 50 and 75 */
                {17.0, 95.0},  /* the tensor and the small weights: 60 and 35 */
                {20.0, 90.0},  /* the tensor and the large ones: 30, not 10, and 60 */
                {24.0, 65.0}}; /* all */
    for (size_t i = 0; i < sizeof best / sizeof *best; i++) {
        sc_fusion_step step[2];
        sc_fusion_read read;
        sc_fusion_tensor tensor;
        const sc_fusion_problem p = pair(step, &read, &tensor, best[i].capacity);
        sc_fusion_solution s = solve(&p, 1e-6);
        if (s.value.cycles != best[i].cycles)
            fail_msg("capacity %g: %g cycles, not %g", best[i].capacity, s.value.cycles,
                     best[i].cycles);
        assert_int_equal(s.binaries, 4); /* two weights, a read, a write */
        assert_true(s.proved && s.plain_cycles == 200.0);
        sc_fusion_solution_clear(&s);
    }
}

/* Room that saves no time spares traffic. */
static void test_what_saves_no_time_spares_traffic(void **state)
{
    sc_fusion_step step[2];
    sc_fusion_read read;
    sc_fusion_tensor tensor;
    const sc_fusion_problem p = pair(step, &read, &tensor, 24.0);
    step[0].cycles[0] = step[1].cycles[0] = 100.0; /* the chip sets the time */
    sc_fusion_solution s = solve(&p, 1e-6);
    assert_true(s.value.cycles == 200.0 && s.value.dram_bytes == 155.0);
    assert_true(s.choice.unwritten[0] && s.choice.pinned[0] && s.choice.pinned[1]);
    sc_fusion_solution_clear(&s);
}

/* ---- properties ---- */

static void test_more_room_is_never_slower(void **state)
{
    static made_fusion m;
    for (uint64_t i = 0; i < 20; i++) {
        sc_rng r;
        double before = (double)INFINITY;
        sc_rng_init(&r, 5, 1, i);
        make_fusion(&m, &r, (enum fusion_shape)(i % SHAPES), 60);
        for (int k = 0; k < 6; k++) {
            sc_fusion_solution s = solve(&m.p, 1e-6);
            assert_true(s.value.feasible);
            assert_true(s.bound_cycles <= before);
            assert_true(s.value.peak_bytes + s.value.pinned_bytes <= m.p.capacity_bytes);
            before = s.value.cycles;
            m.p.capacity_bytes = ceil(m.p.capacity_bytes * 1.3);
            sc_fusion_solution_clear(&s);
        }
    }
}

/* Little work: a choice that is feasible, a bound that is true, and a gap that says so. */
static void test_anytime(void **state)
{
    static made_fusion m;
    int open = 0;
    for (uint64_t i = 0; i < 40; i++) {
        sc_rng r;
        sc_fusion_solution little;
        sc_fusion_options o = SC_FUSION_OPTIONS_INIT;
        o.work = 1;
        sc_rng_init(&r, 6, 1, i);
        make_fusion(&m, &r, (enum fusion_shape)(i % SHAPES), 120);
        sc_fusion_solution s = solve(&m.p, 1e-6);
        assert_int_equal(sc_fusion_solve(&little, &m.p, &o), SC_OK);
        assert_true(little.value.feasible);
        assert_true(little.bound_cycles <= s.value.cycles && s.bound_cycles <= little.value.cycles);
        assert_true(little.proved == (little.gap <= o.gap));
        open += !little.proved;
        sc_fusion_solution_clear(&little);
        sc_fusion_solution_clear(&s);
    }
    assert_true(open >= 3);
}

/* Forty tensors live at once: more states than the graph holds. What is found fits, and the bound
 * holds, as the optimum of a part shows. */
static void test_more_tensors_than_states(void **state)
{
    enum { WIDE = 40 };
    static sc_fusion_step step[2 * WIDE];
    static sc_fusion_read read[WIDE];
    static sc_fusion_tensor tensor[WIDE];
    for (int i = 0; i < WIDE; i++) {
        tensor[i] = (sc_fusion_tensor){.bytes = 1.0};
        read[i] = (sc_fusion_read){(uint32_t)i, saves(5.0, 5.0)};
        step[i] = (sc_fusion_step){.cycles = {1.0, 10.0}, .made = i, .made_gain = saves(5.0, 5.0)};
        step[WIDE + i] = (sc_fusion_step){
            .cycles = {1.0, 10.0}, .made = -1, .first_read = (size_t)i, .n_reads = 1};
    }
    for (int i = 0; i < WIDE; i++)
        step[i].first_read = 0;
    const sc_fusion_problem p = {.n_lines = LINES,
                                 .capacity_bytes = 3.0,
                                 .n_steps = 2 * WIDE,
                                 .n_tensors = WIDE,
                                 .n_reads = WIDE,
                                 .step = step,
                                 .tensor = tensor,
                                 .read = read};
    sc_fusion_solution s = solve(&p, 1e-6);
    const double best = 10.0 * 2 * WIDE - 3 * 10.0; /* any three stay over the middle */
    assert_true(s.value.feasible);
    assert_true(s.value.cycles >= best);
    assert_true(s.bound_cycles <= best);
    assert_true(s.proved == (s.gap <= 1e-6));
    assert_true(s.value.cycles < s.plain_cycles);
    sc_fusion_solution_clear(&s);
}

/* ---- rejections ---- */

static void refused(const sc_fusion_problem *p, const sc_fusion_options *o, const char *why)
{
    sc_fusion_solution s = {.work = 77};
    assert_int_equal(sc_fusion_solve(&s, p, o), SC_EINVAL);
    assert_int_equal(s.work, 77);
    if (!strstr(sc_error_message(), why))
        fail_msg("%s: %s", why, sc_error_message());
}

static void test_refuses_what_is_no_problem(void **state)
{
    sc_fusion_step step[2];
    sc_fusion_read read;
    sc_fusion_tensor tensor;
    sc_fusion_problem p = pair(step, &read, &tensor, 24.0);
    sc_fusion_options o = SC_FUSION_OPTIONS_INIT;
    o.gap = 1.0;
    refused(&p, &o, "gap");
    o = (sc_fusion_options)SC_FUSION_OPTIONS_INIT;
    o.version = 2;
    refused(&p, &o, "version");
    o = (sc_fusion_options)SC_FUSION_OPTIONS_INIT;
    p.n_lines = 0;
    refused(&p, &o, "lines");
    p.n_lines = LINES;
    p.capacity_bytes = 2.5;
    refused(&p, &o, "step 1: working blocks of 3 bytes");
    p.capacity_bytes = 24.0;
    read.tensor = 1;
    refused(&p, &o, "step 1 reads tensor 1 of 1");
    read.tensor = 0;
    step[1].made = 0;
    refused(&p, &o, "step 1: tensor 0 is made or read before");
    step[1].made = -1;
    read.gain.block_bytes = 11.0;
    refused(&p, &o, "block of its input must be within its 10 bytes");
    read.gain.block_bytes = 4.0;
    refused(&p, &o, "step 1: blocks of 4 bytes of 3");
    read.gain.block_bytes = 0.0;
    step[0].weight.hold[1] = -1.0;
    refused(&p, &o, "hold 0 or more");
    step[0].weight.hold[1] = 0.0;
    step[0].cycles[1] = (double)NAN;
    refused(&p, &o, "step 0: cycles");
    step[0].cycles[1] = 100.0;
    p.n_reads = 2;
    refused(&p, &o, "2 reads, the steps have 1");
}

static void test_survives_each_failed_allocation(void **state)
{
    static made_fusion m;
    sc_rng r;
    sc_fusion_solution s = {.work = 77};
    const sc_fusion_options o = SC_FUSION_OPTIONS_INIT;
    sc_rng_init(&r, 8, 1, 0);
    make_fusion(&m, &r, SHAPE_RESIDUAL, 20);
    const long live = sc_mem_live();
    long n = 0;
    for (;; n++) {
        sc_mem_fail_after(n);
        const sc_status st = sc_fusion_solve(&s, &m.p, &o);
        sc_mem_fail_after(-1);
        if (st == SC_OK)
            break;
        assert_int_equal(st, SC_ENOMEM);
        assert_int_equal(s.work, 77);
        assert_int_equal(sc_mem_live(), live);
    }
    assert_true(n > 20);
    assert_int_equal(s.binaries, fusion_decisions(&m.p));
    sc_fusion_solution_clear(&s);
    assert_int_equal(sc_mem_live(), live);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_small_problems_are_solved_as_by_walking_all_choices),
        cmocka_unit_test(test_larger_problems_are_solved_as_by_walking_all_choices),
        cmocka_unit_test(test_two_steps_by_hand),
        cmocka_unit_test(test_what_saves_no_time_spares_traffic),
        cmocka_unit_test(test_more_room_is_never_slower),
        cmocka_unit_test(test_anytime),
        cmocka_unit_test(test_more_tensors_than_states),
        cmocka_unit_test(test_refuses_what_is_no_problem),
        cmocka_unit_test(test_survives_each_failed_allocation),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
