/* How many mappings there are: by hand, and against a walk of whole map spaces. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka wants the four above first */
#include <cmocka.h>
#include <math.h>
#include <string.h>

#include "core/mem.h"
#include "mapper_make.h"
#include "model/mapper/map_size.h"
#include "model_support.h"

enum { M, N, K };
enum { KEPT = 8 }; /* sets of three tensors */

static uint64_t size_with(const sc_einsum *e, const sc_arch *a, const sc_map_size_options *o)
{
    sc_map_size s;
    if (sc_map_size_of(&s, e, a, o) != SC_OK)
        fail_msg("%s", sc_error_message());
    assert_true(s.counted && s.exact);
    assert_true(s.value == (double)s.count);
    return s.count;
}

static uint64_t size_of(uint64_t m, uint64_t n, uint64_t k, uint64_t x, uint64_t y)
{
    const sc_einsum e = gemm_einsum(m, n, k);
    const sc_arch a = grid_arch(x, y, 64, 0.0);
    return size_with(&e, &a, NULL);
}

static void by_hand(void **state)
{
    assert_int_equal(size_of(1, 1, 1, 1, 1), KEPT);
    assert_int_equal(size_of(2, 1, 1, 1, 1), 2 * KEPT); /* at one level or the other */
    assert_int_equal(size_of(4, 1, 1, 1, 1), 3 * KEPT); /* 1 * 4, 2 * 2, 4 * 1 */
    /* both at one level in two orders, two levels; or apart in two ways */
    assert_int_equal(size_of(2, 2, 1, 1, 1), (2 * 2 + 2) * KEPT);
    assert_int_equal(size_of(2, 1, 1, 2, 1), 3 * KEPT); /* two levels in time, or along X */
    assert_int_equal(size_of(2, 1, 1, 2, 2), 4 * KEPT); /* or along Y */
    /* in time 6; one beside the other's two levels, along X or Y: 2 * 2 * 2; one along each: 2 */
    assert_int_equal(size_of(2, 2, 1, 2, 2), (6 + 8 + 2) * KEPT);
    /* both along X or both along Y as well, in two orders each, and both beside each other */
    assert_int_equal(size_of(2, 2, 1, 4, 4), (6 + 8 + 2 + 4) * KEPT);
}

static void constraints_by_hand(void **state)
{
    const sc_einsum e = gemm_einsum(2, 2, 1);
    const sc_arch a = grid_arch(4, 4, 64, 0.0);
    sc_map_constraints c;
    const sc_map_size_options o = {.constraints = &c};
    sc_map_constraints_init(&c, 2);
    assert_int_equal(size_with(&e, &a, &o), 20 * KEPT);
    c.level[1].must_keep = 1;
    assert_int_equal(size_with(&e, &a, &o), 20 * KEPT / 2);
    c.level[1].must_bypass = 6;
    assert_int_equal(size_with(&e, &a, &o), 20);
    c.level[0].temporal.fixed[M] = 2; /* N: inside or outside it, along X or Y, or at L1 */
    assert_int_equal(size_with(&e, &a, &o), 5);
    c.level[0].temporal.order[0] = N; /* inside */
    c.level[0].temporal.n_inner = 1;
    assert_int_equal(size_with(&e, &a, &o), 4);
    c.level[0].split = 3; /* all along X */
    assert_int_equal(size_with(&e, &a, &o), 3);
    c.level[1].temporal.max[N] = 1;
    assert_int_equal(size_with(&e, &a, &o), 2);
    c.level[0].must_bypass = 1;
    assert_int_equal(size_with(&e, &a, &o), 0);
    c.level[0].must_bypass = 0;
    c.level[0].temporal.fixed[K] = 2; /* it has one position */
    assert_int_equal(size_with(&e, &a, &o), 0);
}

/* DRAM, L1 and an array of 2 x 2. M, N, K of 2 where the weight stays: N lies on columns, K on
 * rows, M on neither, and the registers have no loops. M at DRAM or L1; N and K there or on the
 * array: the two levels share out three, two or one loop. Three: 2 * 3! + 6 * 2! ways; two, twice:
 * 2 * 2! + 2; one: 2. L1 keeps any set. */
static void arrays_by_hand(void **state)
{
    const sc_einsum e = gemm_einsum(2, 2, 2);
    sc_arch a = array_arch(2, 2, 4096);
    sc_map_size_options o = {.arrays = true};
    a.compute.dataflows = 1 << SC_WS;
    assert_int_equal(size_with(&e, &a, &o), (24 + 2 * 6 + 2) * KEPT);
    a.compute.dataflows = 1 << SC_WS | 1 << SC_OS | 1 << SC_IS; /* the others with other names */
    assert_int_equal(size_with(&e, &a, &o), 3 * (24 + 2 * 6 + 2) * KEPT);
    o.sequential = 1 + M; /* has its place; WS: 6 + 2 * 2 + 1; OS, IS: columns or rows, not both */
    assert_int_equal(size_with(&e, &a, &o), (11 + 8 + 8) * KEPT);
    const sc_einsum d = depthwise_einsum(2, 1, 1, 1, 1); /* two levels, or the diagonal */
    o.sequential = 0;
    a.compute.dataflows = 1 << SC_WS;
    assert_int_equal(size_with(&d, &a, &o), 3 * KEPT);
    a.level[1].fanout_y = 1;
    assert_int_equal(size_with(&d, &a, &o), 2 * KEPT);
}

static double binomial(unsigned n, unsigned k)
{
    double b = 1.0;
    for (unsigned i = 1; i <= k; i++)
        b = b * (n - k + i) / i;
    return b;
}

/* 2^20 over 12 levels, three times, in one order: binomials, and all sets at 11 levels. */
static void past_an_integer(void **state)
{
    const sc_einsum e = gemm_einsum(1 << 20, 1 << 20, 1 << 20);
    sc_arch a = grid_arch(1, 1, 64, 0.0);
    sc_map_constraints c;
    const sc_map_size_options o = {.constraints = &c};
    sc_map_size s;
    char text[SC_MAP_SIZE_TEXT];
    for (a.n_levels = 2; a.n_levels < SC_MAX_LEVELS; a.n_levels++)
        a.level[a.n_levels] = a.level[1];
    sc_map_constraints_init(&c, a.n_levels);
    for (unsigned l = 0; l < a.n_levels; l++) {
        sc_loop_limits *b = &c.level[l].temporal;
        for (b->n_inner = 0; b->n_inner < 3; b->n_inner++)
            b->order[b->n_inner] = b->n_inner;
    }
    const double wanted = pow(binomial(20 + 11, 11), 3) * pow(KEPT, 11);
    assert_int_equal(sc_map_size_of(&s, &e, &a, &o), SC_OK);
    assert_true(s.counted && !s.exact && s.count == 0);
    assert_true(fabs(s.value / wanted - 1) < 1e-12);
    (void)sc_map_size_text(text, &s);
    assert_non_null(strstr(text, "e+33"));
    a.n_levels = 2; /* 21^3 * 8 */
    assert_int_equal(sc_map_size_of(&s, &e, &a, &o), SC_OK);
    assert_string_equal(sc_map_size_text(text, &s), "74088");
    s.counted = false;
    assert_string_equal(sc_map_size_text(text, &s), "too many to count");
}

/* A walk counts what fits: with all levels unbounded that is the whole space. */
static void as_the_walk(void **state)
{
    uint64_t all = 0;
    unsigned constrained = 0, empty = 0;
    for (uint64_t seed = 1; seed <= 120; seed++) {
        static oracle_result r;
        oracle_problem p;
        mapper_problem(&p, seed, 1500);
        for (unsigned l = 0; l < p.a.n_levels; l++)
            p.a.level[l].bounded = false;
        if (oracle_mapspace_size(&p, 20000) > 20000)
            continue;
        if (seed % 2)
            mapper_limits(&p, seed);
        p.every_order = true;
        const sc_map_size_options o = {.constraints = p.constrained ? &p.limits : NULL};
        oracle_mapspace(&r, &p);
        const uint64_t n = size_with(&p.e, &p.a, &o);
        if (n != r.found)
            fail_msg("seed %llu: %llu, walked %llu\n%s", (unsigned long long)seed,
                     (unsigned long long)n, (unsigned long long)r.found, mapper_describe(&p));
        all += n;
        constrained += p.constrained;
        empty += n == 0;
    }
    assert_true(all > 50000 && constrained > 40 && empty > 3);
}

static void out_of_memory(void **state)
{
    const sc_einsum e = gemm_einsum(8, 8, 8);
    const sc_arch a = grid_arch(4, 4, 64, 0.0);
    sc_map_size s;
    const long before = sc_mem_live();
    long failed = 0;
    sc_status st;
    for (;; failed++) {
        sc_mem_fail_after(failed);
        st = sc_map_size_of(&s, &e, &a, NULL);
        sc_mem_fail_after(-1);
        assert_int_equal(sc_mem_live(), before);
        if (st != SC_ENOMEM)
            break;
    }
    assert_int_equal(st, SC_OK);
    assert_true(failed > 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(by_hand),        cmocka_unit_test(constraints_by_hand),
        cmocka_unit_test(arrays_by_hand), cmocka_unit_test(past_an_integer),
        cmocka_unit_test(as_the_walk),    cmocka_unit_test(out_of_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
