/* Spread of random points and of low-discrepancy sequences, and steps of mutation: bounds are from
 * theory, seeds are fixed. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka wants the four above first */
#include <cmocka.h>
#include <math.h>
#include <string.h>

#include "search/opt.h"

enum { MOST = 64 };

static sc_optimizer *create(const char *name, size_t n_params, const uint32_t *cardinality,
                            uint64_t seed)
{
    static const bool ordered[MOST] = {false};
    const sc_problem p = {.n_params = n_params,
                          .cardinality = cardinality,
                          .categorical = ordered,
                          .n_objectives = 1};
    sc_optimizer *o = NULL;
    assert_int_equal(sc_optimizer_create(&o, name, &p, seed, NULL), SC_OK);
    return o;
}

static void ask(sc_optimizer *o, size_t n, uint32_t *points)
{
    size_t got;
    sc_stop why;
    assert_int_equal(sc_optimizer_ask(o, n, points, &got, &why), SC_OK);
    assert_int_equal(got, n);
}

/* Each value of each parameter as often as a fair die would: 6 degrees of freedom, p = 1e-4. */
static void test_random_is_uniform(void **state)
{
    static uint32_t points[7000 * 8];
    const uint32_t cardinality[8] = {7, 7, 7, 7, 7, 7, 7, 7};
    sc_optimizer *o = create("random", 8, cardinality, 1);
    ask(o, 7000, points);
    for (size_t i = 0; i < 8; i++) {
        double count[7] = {0}, chi2 = 0;
        for (size_t k = 0; k < 7000; k++)
            count[points[k * 8 + i]]++;
        for (size_t v = 0; v < 7; v++)
            chi2 += (count[v] - 1000) * (count[v] - 1000) / 1000;
        assert_true(chi2 < 27.86);
    }
    sc_optimizer_destroy(o);
}

/* Whether the first n points show each of n values of parameter i once. */
static bool each_once(const uint32_t *points, size_t n_params, size_t i, size_t n)
{
    bool seen[1024] = {false};
    for (size_t k = 0; k < n; k++) {
        const uint32_t v = points[k * n_params + i];
        if (v >= n || seen[v])
            return false;
        seen[v] = true;
    }
    return true;
}

/* The first 2^k points of Sobol' are a net, shifted or not: each of 2^k values of any parameter
 * once, and the first two parameters together once in each of 32 x 32 cells. */
static void test_sobol_is_a_net(void **state)
{
    static uint32_t points[1024 * 40];
    uint32_t cardinality[40];
    for (size_t i = 0; i < 40; i++)
        cardinality[i] = 32;
    for (uint64_t seed = 0; seed < 5; seed++) {
        static bool cell[1024];
        sc_optimizer *o = create("sobol", 40, cardinality, seed);
        ask(o, 1024, points);
        for (size_t i = 0; i < 40; i++)
            assert_true(each_once(points, 40, i, 32));
        memset(cell, 0, sizeof cell);
        for (size_t k = 0; k < 1024; k++) {
            const size_t at = points[k * 40] * 32 + points[k * 40 + 1];
            assert_false(cell[at]);
            cell[at] = true;
        }
        sc_optimizer_destroy(o);
    }
}

/* Over 40 parameters: the first b^k points of Halton hit each of b^k values once, b the i-th prime.
 */
static void test_halton_beyond_forty(void **state)
{
    static uint32_t points[125 * 41];
    uint32_t cardinality[41];
    for (size_t i = 0; i < 41; i++)
        cardinality[i] = 1000;
    cardinality[0] = 64;
    cardinality[1] = 81;
    cardinality[2] = 125;
    cardinality[3] = 49;
    cardinality[4] = 11;
    for (uint64_t seed = 0; seed < 5; seed++) {
        sc_optimizer *o = create("sobol", 41, cardinality, seed);
        ask(o, 125, points);
        for (size_t i = 0; i < 5; i++)
            assert_true(each_once(points, 41, i, cardinality[i]));
        sc_optimizer_destroy(o);
    }
}

static void test_seeds_shift_the_sequence(void **state)
{
    const uint32_t cardinality[] = {64, 64, 64};
    uint32_t a[30], b[30];
    sc_optimizer *o = create("sobol", 3, cardinality, 1), *p = create("sobol", 3, cardinality, 2);
    ask(o, 10, a);
    ask(p, 10, b);
    assert_memory_not_equal(a, b, sizeof a);
    sc_optimizer_destroy(o);
    sc_optimizer_destroy(p);
}

/* ---- mutation ---- */

static void test_mutation_changes_one(void **state)
{
    static const uint32_t cardinality[] = {1, 2, 3, 200};
    sc_optimizer *o = create("random", 4, cardinality, 1);
    sc_rng r;
    sc_rng_init(&r, 1, 9, 0);
    for (uint32_t k = 0; k < 4000; k++) {
        const size_t i = k % 4;
        const uint32_t from[4] = {0, k / 4 % 2, k / 4 % 3, k / 4 % 200};
        uint32_t to[4];
        memcpy(to, from, sizeof to);
        sc_opt_mutate(o, &r, to, i);
        assert_true(to[i] < cardinality[i]);
        assert_int_equal(to[i] != from[i], i > 0);
        for (size_t j = 0; j < 4; j++)
            assert_true(j == i || to[j] == from[j]);
    }
    sc_optimizer_destroy(o);
}

/* From the middle of 1001 values: |step| <= 100 has probability 0.9 (1 - 0.9^21) + 0.1 * 0.2 =
 * 0.8215; 10,000 draws have a standard deviation of 0.0038. */
static void test_mutation_is_mostly_near(void **state)
{
    const uint32_t cardinality[] = {1001};
    sc_optimizer *o = create("random", 1, cardinality, 1);
    size_t near = 0, below = 0;
    sc_rng r;
    sc_rng_init(&r, 2, 9, 0);
    for (int k = 0; k < 10000; k++) {
        uint32_t to = 500;
        sc_opt_mutate(o, &r, &to, 0);
        near += to >= 400 && to <= 600;
        below += to < 500;
    }
    assert_true(fabs((double)near / 10000 - 0.8215) < 5 * 0.0038);
    assert_true(fabs((double)below / 10000 - 0.5) < 5 * 0.005);
    sc_optimizer_destroy(o);
}

/* A categorical one takes any of the others alike: 5 degrees of freedom, p = 1e-4. */
static void test_mutation_of_labels(void **state)
{
    static const uint32_t cardinality[] = {7};
    static const bool categorical[] = {true};
    const sc_problem p = {
        .n_params = 1, .cardinality = cardinality, .categorical = categorical, .n_objectives = 1};
    sc_optimizer *o = NULL;
    double count[7] = {0}, chi2 = 0;
    sc_rng r;
    assert_int_equal(sc_optimizer_create(&o, "random", &p, 1, NULL), SC_OK);
    sc_rng_init(&r, 3, 9, 0);
    for (int k = 0; k < 6000; k++) {
        uint32_t to = 2;
        sc_opt_mutate(o, &r, &to, 0);
        count[to]++;
    }
    assert_true(count[2] == 0);
    for (size_t v = 0; v < 7; v++)
        chi2 += v == 2 ? 0 : (count[v] - 1000) * (count[v] - 1000) / 1000;
    assert_true(chi2 < 25.75);
    sc_optimizer_destroy(o);
}

int main(void)
{
    const struct CMUnitTest t[] = {
        cmocka_unit_test(test_random_is_uniform),
        cmocka_unit_test(test_sobol_is_a_net),
        cmocka_unit_test(test_halton_beyond_forty),
        cmocka_unit_test(test_seeds_shift_the_sequence),
        cmocka_unit_test(test_mutation_changes_one),
        cmocka_unit_test(test_mutation_is_mostly_near),
        cmocka_unit_test(test_mutation_of_labels),
    };
    return cmocka_run_group_tests_name("search_sampling", t, NULL, NULL);
}
