#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka wants the four above first */
#include <cmocka.h>
#include <math.h>
#include <string.h>

#include "core/rng.h"
#include "model/mapper/array.h"
#include "model/mapper/footprint.h"
#include "model/mapper/mapper.h"
#include "model_support.h"

enum { M, N, K };
enum { G, P, Q, R, S };

static void test_places_on_the_array(void **state)
{
    const sc_einsum g = gemm_einsum(3, 5, 7), d = depthwise_einsum(3, 5, 5, 3, 3);
    /* WS: the weight stays, inputs stream along rows, sums run down columns */
    assert_int_equal(sc_array_place_of(&g, SC_WS, K), SC_PLACE_ROWS);
    assert_int_equal(sc_array_place_of(&g, SC_WS, N), SC_PLACE_COLUMNS);
    assert_int_equal(sc_array_place_of(&g, SC_WS, M), SC_PLACE_NONE);
    assert_int_equal(sc_array_place_of(&g, SC_OS, M), SC_PLACE_ROWS);
    assert_int_equal(sc_array_place_of(&g, SC_OS, N), SC_PLACE_COLUMNS);
    assert_int_equal(sc_array_place_of(&g, SC_OS, K), SC_PLACE_NONE);
    assert_int_equal(sc_array_place_of(&g, SC_IS, K), SC_PLACE_ROWS);
    assert_int_equal(sc_array_place_of(&g, SC_IS, M), SC_PLACE_COLUMNS);
    /* a channel of a depthwise conv has its own input, weight and output: nothing is shared */
    for (int f = 0; f < SC_DATAFLOWS; f++)
        assert_int_equal(sc_array_place_of(&d, (sc_dataflow)f, G), SC_PLACE_DIAGONAL);
    assert_int_equal(sc_array_place_of(&d, SC_WS, R), SC_PLACE_ROWS);
    assert_int_equal(sc_array_place_of(&d, SC_WS, P), SC_PLACE_NONE);
}

/* One tile that fills the array exactly: the formula of model.md section 4 by hand. */
static void test_full_array_takes_the_formula(void **state)
{
    static const struct {
        uint64_t m, n, k, rows, cols;
        uint8_t dataflow;
        double cycles;
    } rows[] = {
        {101, 16, 8, 8, 16, 1 << SC_WS, 101 + 2 * 8 + 16 - 2},
        {101, 32, 8, 8, 16, 1 << SC_WS, 2 * (101 + 2 * 8 + 16 - 2)},
        {8, 16, 103, 8, 16, 1 << SC_OS, 103 + 8 + 16 - 2},
        {16, 107, 8, 8, 16, 1 << SC_IS, 107 + 2 * 8 + 16 - 2},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const sc_einsum e = gemm_einsum(rows[i].m, rows[i].n, rows[i].k);
        sc_arch a = array_arch(rows[i].rows, rows[i].cols, 1 << 20);
        const sc_map_options o = SC_MAP_OPTIONS_INIT;
        sc_mapped m;
        a.compute.dataflows = rows[i].dataflow;
        assert_int_equal(sc_map_op(&m, &e, &a, &o), SC_OK);
        assert_int_equal(m.misfit.code, SC_FITS);
        assert_true(m.compute_cycles == rows[i].cycles);
        assert_true(m.cost.cycles == rows[i].cycles); /* no bandwidth limit */
    }
}

static void test_double_buffering_hides_loads(void **state)
{
    const sc_einsum e = gemm_einsum(101, 64, 8); /* four passes of 101 */
    sc_arch a = array_arch(8, 16, 1 << 20);
    const sc_map_options o = SC_MAP_OPTIONS_INIT;
    sc_mapped m;
    a.compute.dataflows = 1 << SC_WS;
    a.compute.double_buffered = true;
    assert_int_equal(sc_map_op(&m, &e, &a, &o), SC_OK);
    assert_true(m.compute_cycles == 4 * 101 + 2 * 8 + 16 - 2);
}

/* 35 channels, at most 8 side by side on the diagonal: 5 rounds of 7, 9 taps and 11 * 13 positions
 * in time. Taps of one channel on the rows would take 35 * 11 * 13 * 2 cycles. */
static void test_depthwise_uses_the_diagonal(void **state)
{
    const sc_einsum e = depthwise_einsum(35, 11, 13, 3, 3);
    sc_arch a = array_arch(8, 16, 1 << 20);
    const sc_map_options o = SC_MAP_OPTIONS_INIT;
    sc_mapped m;
    a.compute.dataflows = 1 << SC_WS;
    assert_int_equal(sc_map_op(&m, &e, &a, &o), SC_OK);
    assert_int_equal(m.misfit.code, SC_FITS);
    assert_int_equal(m.counts.used_macs, 7);
    assert_int_equal(m.counts.compute_cycles, 5 * 9 * 11 * 13);
}

static sc_einsum random_einsum(sc_rng *r)
{
    const uint64_t a = 1 + gsl_rng_uniform_int(&r->gsl, 60),
                   b = 1 + gsl_rng_uniform_int(&r->gsl, 60);
    const uint64_t c = 1 + gsl_rng_uniform_int(&r->gsl, 60);
    if (gsl_rng_uniform_int(&r->gsl, 2))
        return gemm_einsum(a, b, c);
    return depthwise_einsum(a, b, 1 + c / 4, 1 + a % 3, 1 + b % 3);
}

static sc_arch random_arch(sc_rng *r)
{
    const uint64_t x = 1u << gsl_rng_uniform_int(&r->gsl, 5);
    const uint64_t y = 1u << gsl_rng_uniform_int(&r->gsl, 5);
    const uint64_t bytes = 64u << gsl_rng_uniform_int(&r->gsl, 10);
    if (gsl_rng_uniform_int(&r->gsl, 2))
        return grid_arch(x, y, bytes, (double)gsl_rng_uniform_int(&r->gsl, 32));
    return array_arch(y, x, bytes);
}

/* Whatever the op and the design: the mapping is well formed, covers the op, fits, is not below the
 * bound, and scores the same when it is scored again. */
static void test_every_mapping_holds(void **state)
{
    int fitted = 0;
    for (uint64_t i = 0; i < 300; i++) {
        sc_rng r;
        sc_rng_init(&r, 7, 1, i);
        const sc_einsum e = random_einsum(&r);
        const sc_arch a = random_arch(&r);
        sc_map_options o = SC_MAP_OPTIONS_INIT;
        sc_mapped m, again;
        o.budget = 300;
        assert_int_equal(sc_map_op(&m, &e, &a, &o), SC_OK);
        if (m.misfit.code != SC_FITS) {
            assert_true(m.misfit.need > m.misfit.have);
            continue;
        }
        fitted++;
        assert_int_equal(sc_mapping_check(&m.mapping, &m.padded, &a), SC_OK);
        assert_int_equal(sc_mapping_fit(&m.mapping, &m.padded, &a).code, SC_FITS);
        for (int d = 0; d < e.n_dims; d++)
            assert_true(m.padded.bound[d] >= e.bound[d]);
        assert_true(m.total_cycles >= sc_map_tight_bound(&e, &a, o.input_share, o.sequential));
        assert_true(m.evaluations <= 300);
        assert_int_equal(sc_map_score(&again, &m.padded, &a, &m.mapping, &o), SC_OK);
        assert_true(again.cost.cycles == m.cost.cycles);
        assert_true(again.cost.energy_pj == m.cost.energy_pj);
    }
    assert_true(fitted > 200);
}

static void test_more_budget_is_never_worse(void **state)
{
    for (uint64_t i = 0; i < 60; i++) {
        sc_rng r;
        sc_rng_init(&r, 11, 1, i);
        const sc_einsum e = random_einsum(&r);
        const sc_arch a = random_arch(&r);
        sc_map_options o = SC_MAP_OPTIONS_INIT;
        double before = HUGE_VAL;
        for (o.budget = 20; o.budget <= 2000; o.budget *= 10) {
            sc_mapped m;
            assert_int_equal(sc_map_op(&m, &e, &a, &o), SC_OK);
            if (m.misfit.code != SC_FITS)
                break;
            assert_true(m.total_cycles <= before);
            before = m.total_cycles;
        }
    }
}

/* A sequential dimension is only ever the outermost loop in time, on any design. */
static void test_sequential_steps_stay_outside(void **state)
{
    for (uint64_t i = 0; i < 60; i++) {
        sc_rng r;
        sc_mapped m;
        sc_rng_init(&r, 13, 1, i);
        const sc_einsum e = gemm_einsum(2 + i % 7, 1 + i, 61 - i);
        const sc_arch a = random_arch(&r);
        sc_map_options o = SC_MAP_OPTIONS_INIT;
        o.budget = 300;
        o.sequential = 1 + M;
        assert_int_equal(sc_map_op(&m, &e, &a, &o), SC_OK);
        if (m.misfit.code != SC_FITS)
            continue;
        assert_int_equal(sc_mapping_check(&m.mapping, &m.padded, &a), SC_OK);
        const sc_loops *outer = &m.mapping.level[0].temporal;
        assert_int_equal(outer->dim[outer->n - 1], M);
        assert_int_equal(outer->factor[outer->n - 1], e.bound[M]);
    }
}

static void test_says_what_does_not_fit(void **state)
{
    const sc_einsum e = gemm_einsum(3, 5, 7);
    sc_arch a = grid_arch(1, 1, 5, 0.0); /* one input, one weight, one output take 6 bytes */
    const sc_map_options o = SC_MAP_OPTIONS_INIT;
    sc_mapped m;
    a.level[1].must_keep = 7;
    assert_int_equal(sc_map_op(&m, &e, &a, &o), SC_OK);
    assert_int_equal(m.misfit.code, SC_MISFIT_CAPACITY);
    assert_int_equal(m.misfit.level, 1);
    assert_int_equal(m.misfit.need, 6);
    assert_int_equal(m.misfit.have, 5);
}

/* A stationary operand wider than the register of its MAC: no dataflow has a mapping, and that is
 * said, not a run of no cycles. */
static void test_says_what_misses_a_register(void **state)
{
    const sc_einsum e = gemm_einsum(3, 5, 7);
    sc_arch a = array_arch(4, 4, 4096); /* elements of 2 bytes, registers of 2 */
    const sc_map_options o = SC_MAP_OPTIONS_INIT;
    sc_mapped m;
    assert_int_equal(sc_map_op(&m, &e, &a, &o), SC_OK);
    assert_int_equal(m.misfit.code, SC_FITS);
    a.level[2].buffers = 2; /* the next operand shifts in behind: half of it each */
    assert_int_equal(sc_map_op(&m, &e, &a, &o), SC_OK);
    assert_int_equal(m.misfit.code, SC_MISFIT_CAPACITY);
    assert_int_equal(m.misfit.level, 2);
    assert_int_equal(m.misfit.need, 2);
    assert_int_equal(m.misfit.have, 1);
}

/* The outermost level holds the whole op, however it is mapped: 21 + 35 + 15 elements of 2 bytes.
 */
static void test_says_that_the_op_is_too_large(void **state)
{
    const sc_einsum e = gemm_einsum(3, 5, 7);
    for (int plain = 0; plain < 2; plain++) {
        sc_arch a = array_arch(4, 4, 4096);
        sc_map_options o = SC_MAP_OPTIONS_INIT;
        sc_mapped m;
        o.plain = plain;
        a.level[0].bounded = true;
        for (int role = 0; role < SC_ROLES; role++)
            a.level[0].capacity[role] = 141;
        assert_int_equal(sc_map_op(&m, &e, &a, &o), SC_OK);
        assert_int_equal(m.misfit.code, SC_MISFIT_CAPACITY);
        assert_int_equal(m.misfit.level, 0);
        assert_int_equal(m.misfit.need, 142);
        assert_int_equal(m.misfit.have, 141);
        for (int role = 0; role < SC_ROLES; role++)
            a.level[0].capacity[role] = 142; /* enough, unless a dimension is padded */
        assert_int_equal(sc_map_op(&m, &e, &a, &o), SC_OK);
        assert_int_equal(m.misfit.code, SC_FITS);
    }
}

/* Weights stay in the array, and the op has none. */
static void test_needs_a_tensor_that_stays(void **state)
{
    sc_einsum e = gemm_einsum(3, 5, 7);
    sc_arch a = array_arch(4, 4, 4096);
    const sc_map_options o = SC_MAP_OPTIONS_INIT;
    sc_mapped m;
    e.tensor[1].role = SC_ROLE_INPUT;
    a.compute.dataflows = 1 << SC_WS;
    assert_int_equal(sc_map_op(&m, &e, &a, &o), SC_EINVAL);
    a.compute.dataflows = 1 << SC_OS;
    assert_int_equal(sc_map_op(&m, &e, &a, &o), SC_OK);
    assert_int_equal(m.misfit.code, SC_FITS);
}

/* Case 10: without a bandwidth limit nothing stalls and nothing is waited for, under any dataflow.
 */
static void case_10_no_stalls(void **state)
{
    for (uint64_t i = 0; i < 60; i++) {
        sc_rng r;
        sc_mapped m;
        sc_rng_init(&r, 17, 1, i);
        const sc_einsum e = random_einsum(&r);
        sc_arch a = array_arch(1 + i % 9, 1 + i % 7, 1 << 16);
        sc_map_options o = SC_MAP_OPTIONS_INIT;
        o.budget = 100;
        a.compute.dataflows = (uint8_t)(1u << (i % SC_DATAFLOWS));
        a.compute.double_buffered = i & 1;
        assert_int_equal(sc_map_op(&m, &e, &a, &o), SC_OK);
        assert_int_equal(m.misfit.code, SC_FITS);
        assert_true(m.total_cycles == m.compute_cycles);
        assert_true(m.prefill_cycles == 0);
    }
}

/* Case 11: 64 channels over 14 lanes take 5 passes, 64 of 70 lanes busy; 157 x 113 outputs, both
 * primes, over 16 x 16 take 10 x 8. No unrolling divides them, and the op is mapped all the same.
 */
static void case_11_primes_over_lanes(void **state)
{
    const sc_map_options o = SC_MAP_OPTIONS_INIT;
    const sc_einsum lanes = gemm_einsum(1, 64, 1), map = gemm_einsum(157, 113, 1);
    const sc_arch a = grid_arch(14, 1, 1 << 16, 0.0);
    sc_arch b = array_arch(16, 16, 1 << 20);
    sc_mapped m;
    assert_int_equal(sc_map_op(&m, &lanes, &a, &o), SC_OK);
    assert_int_equal(m.misfit.code, SC_FITS);
    assert_true(m.compute_cycles == 5);
    assert_true(64 / (m.compute_cycles * 14) == 64.0 / 70);
    b.compute.dataflows = 1 << SC_OS;
    assert_int_equal(sc_map_op(&m, &map, &b, &o), SC_OK);
    assert_int_equal(m.misfit.code, SC_FITS);
    assert_int_equal(m.counts.compute_cycles, 10 * 8); /* 157 of 160 rows are busy: 0.981 */
}

static void test_rejects_bad_options(void **state)
{
    const sc_einsum e = gemm_einsum(3, 5, 7);
    const sc_arch a = grid_arch(1, 1, 64, 0.0);
    const double shares[] = {0.0, -1.0, 1.5, NAN};
    sc_mapped m;
    memset(&m, 42, sizeof m);
    const sc_mapped before = m;
    for (size_t i = 0; i < sizeof shares / sizeof *shares; i++) {
        sc_map_options o = SC_MAP_OPTIONS_INIT;
        o.input_share = shares[i];
        assert_int_equal(sc_map_op(&m, &e, &a, &o), SC_EINVAL);
        assert_memory_equal(&m, &before, sizeof m);
    }
    for (int sequential = -1; sequential <= 4; sequential += 5) {
        sc_map_options o = SC_MAP_OPTIONS_INIT;
        o.sequential = sequential; /* there are three dimensions */
        assert_int_equal(sc_map_op(&m, &e, &a, &o), SC_EINVAL);
        assert_memory_equal(&m, &before, sizeof m);
    }
}

/* By hand: 3 x 5 x 7 MACs on 2 units take 2 * 5 * 7, 3 * 3 * 7 or 3 * 5 * 4 steps, as M, N or K
 * lies side by side; before them come the first words of both units, 3, 3 or 4 of 2 bytes each. 21
 * + 35 words go in and 15 out. */
static void test_lower_bound(void **state)
{
    const sc_einsum e = gemm_einsum(3, 5, 7);
    sc_arch a = grid_arch(2, 1, 4096, 0.0);
    assert_true(sc_map_tight_bound(&e, &a, 1.0, 0) == 60.0);
    a.level[0].shared_bw = 4.0;
    assert_true(sc_map_tight_bound(&e, &a, 1.0, 0) == 60.0 + 2.0);
    a.level[0].shared_bw = 2.0; /* memory takes 71: fewer first words decide */
    assert_true(sc_map_tight_bound(&e, &a, 1.0, 0) == 71.0 + 3.0);
    assert_true(sc_map_tight_bound(&e, &a, 0.5, 0) == 61.0 + 4.0); /* 60.5, in whole cycles */
    assert_true(sc_map_tight_bound(&e, &a, 0.5, 1 + M) == 61.0);   /* step by step: memory alone */
}

/* Coded words take parts of bytes: 1 x 1 x 1 moves three of 2 bytes, each coded to 1.6: 4.8 bytes
 * at 4.8 a cycle, not three of 2. The first words wait for whole bytes: two of 2. */
static void test_lower_bound_of_coded_words(void **state)
{
    const sc_einsum e = gemm_einsum(1, 1, 1);
    sc_arch a = grid_arch(1, 1, 4096, 4.8 * (1 + 1e-9));
    const sc_map_options o = SC_MAP_OPTIONS_INIT;
    sc_mapped m;
    for (int role = 0; role < SC_ROLES; role++)
        a.level[0].compression[role] = 1.25;
    assert_true(sc_map_tight_bound(&e, &a, 1.0, 0) == 1.0 + 1.0);
    assert_int_equal(sc_map_op(&m, &e, &a, &o), SC_OK);
    assert_true(m.total_cycles == 2.0);
}

/* By hand: 28 x 8 x 8 with an input that is read in every other row alone: 224 of its 440 words, 64
 * weights, 224 results, 2 bytes each at 1 a cycle; before them 3 words, as N lies side by side. */
static void test_lower_bound_of_gaps(void **state)
{
    sc_einsum e = gemm_einsum(28, 8, 8);
    const sc_arch a = grid_arch(2, 1, 4096, 1.0);
    const sc_map_options o = SC_MAP_OPTIONS_INIT;
    sc_mapped m;
    e.tensor[0].rank[0].coef[0] = 2;
    assert_true(sc_map_tight_bound(&e, &a, 1.0, 0) == 1024.0 + 6.0);
    assert_int_equal(sc_map_op(&m, &e, &a, &o), SC_OK);
    assert_true(m.total_cycles >= sc_map_tight_bound(&e, &a, 1.0, 0));
}

/* Words that a tensor's indices name, against a mark for each. */
static void test_touched_words(void **state)
{
    for (uint64_t i = 0; i < 400; i++) {
        sc_rng r;
        sc_rng_init(&r, 17, 1, i);
        sc_einsum e =
            gemm_einsum(1 + gsl_rng_uniform_int(&r.gsl, 9), 1 + gsl_rng_uniform_int(&r.gsl, 9), 1);
        sc_rank *rank = &e.tensor[0].rank[0];
        bool named[256] = {false};
        unsigned n = 0;
        rank->n_terms = 2;
        rank->dim[1] = N;
        rank->coef[0] = 1 + (int64_t)gsl_rng_uniform_int(&r.gsl, 6);
        rank->coef[1] = 1 + (int64_t)gsl_rng_uniform_int(&r.gsl, 6);
        for (uint64_t x = 0; x < e.bound[M]; x++)
            for (uint64_t y = 0; y < e.bound[N]; y++)
                named[x * (uint64_t)rank->coef[0] + y * (uint64_t)rank->coef[1]] = true;
        for (unsigned k = 0; k < 256; k++)
            n += named[k];
        assert_true(sc_footprint_touched(&e.tensor[0], e.bound) == n);
    }
}

int main(void)
{
    const struct CMUnitTest t[] = {
        cmocka_unit_test(test_places_on_the_array),
        cmocka_unit_test(test_full_array_takes_the_formula),
        cmocka_unit_test(test_double_buffering_hides_loads),
        cmocka_unit_test(test_depthwise_uses_the_diagonal),
        cmocka_unit_test(test_every_mapping_holds),
        cmocka_unit_test(test_more_budget_is_never_worse),
        cmocka_unit_test(test_sequential_steps_stay_outside),
        cmocka_unit_test(test_says_what_does_not_fit),
        cmocka_unit_test(test_says_what_misses_a_register),
        cmocka_unit_test(test_says_that_the_op_is_too_large),
        cmocka_unit_test(test_needs_a_tensor_that_stays),
        cmocka_unit_test(case_10_no_stalls),
        cmocka_unit_test(case_11_primes_over_lanes),
        cmocka_unit_test(test_rejects_bad_options),
        cmocka_unit_test(test_lower_bound),
        cmocka_unit_test(test_lower_bound_of_coded_words),
        cmocka_unit_test(test_lower_bound_of_gaps),
        cmocka_unit_test(test_touched_words),
    };
    return cmocka_run_group_tests_name("mapper", t, NULL, NULL);
}
