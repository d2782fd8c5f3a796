#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka wants the four above first */
#include <cmocka.h>
#include <math.h>
#include <string.h>

#include "core/rng.h"
#include "model/count/systolic.h"
#include "model/mapper/array.h"
#include "model/mapper/factor.h"
#include "model/mapper/mapper.h"
#include "model_support.h"

/* The switches of the mapper: dimensions that are not padded, and one mapping by a fixed rule. */

enum { M, N, K };
enum { G, P, Q, R, S };

static sc_mapped map_with(const sc_einsum *e, const sc_arch *a, bool plain, bool divisors)
{
    sc_map_options o = SC_MAP_OPTIONS_INIT;
    sc_mapped m;
    o.budget = 300;
    o.plain = plain;
    o.divisors = divisors;
    if (sc_map_op(&m, e, a, &o) != SC_OK)
        fail_msg("%s", sc_error_message());
    return m;
}

static uint64_t spatial_of(const sc_mapped *m, int level, int dim)
{
    const sc_loops *loops = &m->mapping.level[level].spatial;
    for (int i = 0; i < loops->n; i++)
        if (loops->dim[i] == dim)
            return loops->factor[i];
    return 1;
}

static uint64_t temporal_of(const sc_mapped *m, int level, int dim)
{
    const sc_loops *loops = &m->mapping.level[level].temporal;
    for (int i = 0; i < loops->n; i++)
        if (loops->dim[i] == dim)
            return loops->factor[i];
    return 1;
}

static sc_arch weights_stay(uint64_t rows, uint64_t cols, uint64_t bytes)
{
    sc_arch a = array_arch(rows, cols, bytes);
    a.compute.dataflows = 1 << SC_WS;
    return a;
}

/* Shares against a walk over all of them. */
static void test_factors_against_all(void **state)
{
    for (uint64_t steps = 1; steps <= 60; steps++)
        for (uint64_t room = 1; room <= 70; room++) {
            uint64_t rounds = 1, even = 1, divisor = 1;
            while (rounds * room < steps)
                rounds++;
            while (rounds * even < steps)
                even++;
            for (uint64_t d = 1; d <= room && d <= steps; d++)
                divisor = steps % d == 0 ? d : divisor;
            assert_int_equal(sc_factor_even(steps, room, false), even);
            assert_int_equal(sc_factor_even(steps, room, true), divisor);
        }
    assert_int_equal(sc_factor_least(2), 2);
    assert_int_equal(sc_factor_least(91), 7);
    assert_int_equal(sc_factor_least(169), 13);
    assert_int_equal(sc_factor_least(10007), 10007);
}

/* On 8 x 8: N = 12 lies 6 wide in both cases, K = 14 lies 7 high: all divides. N = 22 is padded to
 * 24 = 3 x 8, unpadded 11 is over the columns and 2 is left; K = 13 is padded to 14, unpadded it
 * has no divisor below 8 at all. */
static void test_unpadded_factors_divide(void **state)
{
    static const struct {
        uint64_t n, k, padded_n, padded_k, steps, unpadded_steps;
    } rows[] = {{12, 14, 12, 14, 2 * 2, 2 * 2}, {22, 13, 24, 14, 3 * 2, 11 * 13}};
    const sc_arch a = weights_stay(8, 8, 1 << 20);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const sc_einsum e = gemm_einsum(101, rows[i].n, rows[i].k);
        for (int plain = 0; plain < 2; plain++) {
            const sc_mapped on = map_with(&e, &a, plain, false);
            const sc_mapped off = map_with(&e, &a, plain, true);
            assert_int_equal(on.padded.bound[N], rows[i].padded_n);
            assert_int_equal(on.padded.bound[K], rows[i].padded_k);
            assert_int_equal(on.counts.compute_cycles, 101 * rows[i].steps);
            assert_memory_equal(off.padded.bound, e.bound, 3 * sizeof *e.bound);
            assert_int_equal(off.counts.compute_cycles, 101 * rows[i].unpadded_steps);
        }
    }
}

/* In time too: 20 bytes hold at most 4 inputs, as many results and a weight, and M = 11 has no
 * divisor so small: 11 steps outside, where padded ones take 3 of 4. */
static void test_unpadded_in_time(void **state)
{
    const sc_einsum e = gemm_einsum(11, 1, 1);
    const sc_arch a = grid_arch(1, 1, 20, 1.0);
    const sc_mapped off = map_with(&e, &a, false, true);
    assert_int_equal(off.misfit.code, SC_FITS);
    assert_int_equal(off.padded.bound[M], 11);
    assert_int_equal(temporal_of(&off, 0, M), 11);
    assert_int_equal(off.counts.compute_cycles, 11);
}

static sc_einsum random_einsum(sc_rng *r)
{
    const uint64_t a = 1 + gsl_rng_uniform_int(&r->gsl, 60);
    const uint64_t b = 1 + gsl_rng_uniform_int(&r->gsl, 60);
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

/* Whatever the op and the design, under every combination of the switches: the mapping is well
 * formed and fits, is never below the bound, unpadded bounds are the op's own, and the fixed rule
 * keeps the weight in an array and counts one mapping alone. */
static void test_rules_hold_on_random_designs(void **state)
{
    int fitted = 0;
    for (uint64_t i = 0; i < 300; i++) {
        sc_rng r;
        sc_rng_init(&r, 23, 1, i);
        const sc_einsum e = random_einsum(&r);
        const sc_arch a = random_arch(&r);
        const bool plain = i & 1, divisors = i & 2;
        const sc_mapped m = map_with(&e, &a, plain, divisors);
        if (m.misfit.code != SC_FITS) {
            assert_true(m.misfit.need > m.misfit.have);
            continue;
        }
        fitted++;
        assert_int_equal(sc_mapping_check(&m.mapping, &m.padded, &a), SC_OK);
        assert_int_equal(sc_mapping_fit(&m.mapping, &m.padded, &a).code, SC_FITS);
        assert_true(m.total_cycles >= sc_map_tight_bound(&e, &a, 1.0, 0));
        for (int d = 0; d < e.n_dims; d++)
            assert_true(divisors ? m.padded.bound[d] == e.bound[d]
                                 : m.padded.bound[d] >= e.bound[d]);
        if (plain)
            assert_int_equal(m.evaluations, 1);
        if (plain && sc_array_level(&a) >= 0)
            assert_int_equal(sc_array_dataflow(&e, &a, &m.mapping), SC_WS);
    }
    assert_true(fitted > 200);
}

/* The search is never behind the fixed rule, with padding or without, nor with padding behind the
 * search without: each is among what it has looked at, whatever there is to spend. */
static void test_search_is_never_behind_its_parts(void **state)
{
    int compared = 0;
    for (uint64_t i = 0; i < 400; i++) {
        sc_rng r;
        sc_rng_init(&r, 31, 1, i);
        const sc_einsum e = random_einsum(&r);
        const sc_arch a = random_arch(&r);
        const sc_mapped padded = map_with(&e, &a, false, false);
        for (int part = 1; part < 4; part++) {
            const bool plain = part & 1, divisors = part & 2;
            const sc_mapped m = map_with(&e, &a, plain, divisors);
            if (m.misfit.code != SC_FITS)
                continue;
            compared++;
            assert_int_equal(padded.misfit.code, SC_FITS);
            assert_true(padded.total_cycles <= m.total_cycles);
            if (plain && divisors)
                assert_true(map_with(&e, &a, false, true).total_cycles <= m.total_cycles);
        }
    }
    assert_true(compared > 800);
}

/* On 8 x 16 double-buffered, that can run all three dataflows: K = 12 lies 6 high in 2 steps, N =
 * 40 lies ceil(40 / 3) = 14 wide in 3 steps of 42. 6 passes of 5 cycles, each no shorter than the 8
 * rows that load behind it: 5 * 8 and one whole pass of 5 + 2 * 8 + 16 - 2. The
 * search finds less under output stationary. */
static void test_plain_keeps_weights(void **state)
{
    const sc_einsum e = gemm_einsum(5, 40, 12);
    sc_arch a = array_arch(8, 16, 1 << 20);
    a.compute.double_buffered = true;
    const sc_mapped plain = map_with(&e, &a, true, false), best = map_with(&e, &a, false, false);
    assert_int_equal(spatial_of(&plain, 1, K), 6);
    assert_int_equal(spatial_of(&plain, 1, N), 14);
    assert_int_equal(plain.padded.bound[N], 42);
    assert_true(plain.compute_cycles == 5 * 8 + 5 + 2 * 8 + 16 - 2);
    assert_true(best.compute_cycles < plain.compute_cycles);
    assert_int_equal(sc_array_dataflow(&e, &a, &best.mapping), SC_OS);
}

/* Any product on one weight-stationary array whose buffer holds it all takes the cycles of the
 * exact systolic model, which published tables hold; a depthwise conv with no fewer channels than
 * rows, of which there are no more than columns, one tap of a row's worth of channels at a time. */
static void test_plain_is_the_systolic_model(void **state)
{
    for (uint64_t i = 0; i < 200; i++) {
        sc_rng r;
        sc_rng_init(&r, 29, 1, i);
        const uint64_t m = 1 + gsl_rng_uniform_int(&r.gsl, 90);
        const uint64_t n = 1 + gsl_rng_uniform_int(&r.gsl, 90);
        const uint64_t k = 1 + gsl_rng_uniform_int(&r.gsl, 90);
        const uint64_t rows = 1 + gsl_rng_uniform_int(&r.gsl, 20);
        const uint64_t cols = 1 + gsl_rng_uniform_int(&r.gsl, 20);
        sc_arch a = array_arch(rows, cols, 1 << 22);
        sc_systolic_options o = SC_SYSTOLIC_OPTIONS_INIT;
        sc_systolic_cost want;
        o.double_buffered = a.compute.double_buffered = i & 1;
        const sc_systolic_gemm g = {m, n, k, rows, cols, SC_WS};
        const sc_einsum product = gemm_einsum(m, n, k), dw = depthwise_einsum(n + 20, m, 3, 3, 2);
        assert_int_equal(sc_systolic_evaluate(&want, &g, &o), SC_OK);
        assert_true(map_with(&product, &a, true, false).compute_cycles == (double)want.cycles);
        if (rows > cols)
            continue;
        assert_int_equal(map_with(&dw, &a, true, false).counts.compute_cycles,
                         3 * 2 * ((n + 20 + rows - 1) / rows) * m * 3);
    }
}

/* Channels of a depthwise conv on the diagonal, as many as are rows: 35 over 8 in 5 rounds of 7;
 * taps and positions in time. */
static void test_plain_depthwise(void **state)
{
    const sc_einsum e = depthwise_einsum(35, 11, 13, 3, 3);
    const sc_arch a = array_arch(8, 16, 1 << 20);
    const sc_mapped m = map_with(&e, &a, true, false);
    assert_int_equal(m.counts.used_macs, 7);
    assert_int_equal(m.counts.compute_cycles, 5 * 9 * 11 * 13);
}

/* A grid of 4 x 2 plain MACs: M, which leaves the weight in place, first: 10 over 4 is 3 steps of 4
 * (12); then on Y, where M may not stand again, N: 6 over 2 is 3 steps. 3 * 3 * 5 cycles. */
static void test_plain_grid(void **state)
{
    const sc_einsum e = gemm_einsum(10, 6, 5);
    const sc_arch a = grid_arch(4, 2, 4096, 0.0);
    const sc_mapped m = map_with(&e, &a, true, false);
    assert_int_equal(m.padded.bound[M], 12);
    assert_int_equal(spatial_of(&m, 0, M), 4);
    assert_int_equal(spatial_of(&m, 0, N), 2);
    assert_int_equal(m.counts.compute_cycles, 3 * 3 * 5);
}

/* 4 x 4 lanes and 400 bytes, of which weights take 200 at most. K lies 4 high and N 4 wide, 4 steps
 * are left of each. All of K is 128 bytes of weights; twice the N would fit, but not in the
 * weights' half. Then 32 + 8 bytes a row of M: 6 fit, and 4 divide 64. Outside M, which leaves
 * weights in place, runs inside N. */
static void test_plain_tiles(void **state)
{
    const sc_einsum e = gemm_einsum(64, 16, 16);
    const sc_arch a = weights_stay(4, 4, 400);
    const sc_mapped m = map_with(&e, &a, true, false);
    const sc_loops *outer = &m.mapping.level[0].temporal;
    assert_int_equal(temporal_of(&m, 1, K), 4);
    assert_int_equal(temporal_of(&m, 1, N), 1);
    assert_int_equal(temporal_of(&m, 1, M), 4);
    assert_int_equal(outer->n, 2);
    assert_int_equal(outer->dim[0], M);
    assert_int_equal(outer->factor[0], 16);
    assert_int_equal(outer->dim[1], N);
    assert_int_equal(outer->factor[1], 4);
}

static void test_plain_says_what_does_not_fit(void **state)
{
    const sc_einsum e = gemm_einsum(3, 5, 7);
    sc_arch a = grid_arch(1, 1, 5, 0.0);
    a.level[1].must_keep = 7;
    const sc_mapped m = map_with(&e, &a, true, false);
    assert_int_equal(m.misfit.code, SC_MISFIT_CAPACITY);
    assert_int_equal(m.misfit.need, 6);
    assert_int_equal(m.misfit.have, 5);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_factors_against_all),
        cmocka_unit_test(test_unpadded_factors_divide),
        cmocka_unit_test(test_unpadded_in_time),
        cmocka_unit_test(test_rules_hold_on_random_designs),
        cmocka_unit_test(test_search_is_never_behind_its_parts),
        cmocka_unit_test(test_plain_keeps_weights),
        cmocka_unit_test(test_plain_is_the_systolic_model),
        cmocka_unit_test(test_plain_depthwise),
        cmocka_unit_test(test_plain_grid),
        cmocka_unit_test(test_plain_tiles),
        cmocka_unit_test(test_plain_says_what_does_not_fit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
