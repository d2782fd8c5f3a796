/* Single steps of evolution, firefly and the linear combination swarm, against figures worked out
 * by hand from their formulas. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka wants the four above first */
#include <cmocka.h>
#include <gsl/gsl_randist.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/mem.h"
#include "core/rng.h"
#include "search/opt_firefly.h"
#include "search/opt_lcs.h"
#include "search/optimizer.h"

enum { N = 10 };

static void assert_near(double got, double want, double tolerance)
{
    if (!(fabs(got - want) <= tolerance))
        fail_msg("%.17g is not within %g of %.17g", got, tolerance, want);
}

static const uint32_t cardinality[N] = {999, 999, 999, 999, 999, 999, 999, 999, 999, 999};
static const bool ordered[N] = {false};
static const sc_problem ten = {
    .n_params = N, .cardinality = cardinality, .categorical = ordered, .n_objectives = 1};

static sc_optimizer *create(const char *name, uint32_t population)
{
    const sc_optimizer_options options = {.version = 1, .population = population};
    sc_optimizer *o = NULL;
    assert_int_equal(sc_optimizer_create(&o, name, &ten, 4, &options), SC_OK);
    return o;
}

static void tell(sc_optimizer *o, const uint32_t *point, double f)
{
    const sc_trial t = {point, SC_TRIAL_FEASIBLE, 0, &f};
    assert_int_equal(sc_optimizer_tell(o, &t, 1), SC_OK);
}

/* ---- evolution ---- */

/* Points told: number k has k in all its parameters but the first, which is 0. Of `asks` children,
 * how many are of each, that is, differ from it in one parameter. */
static void count_children(sc_optimizer *o, size_t asks, size_t *of, size_t n_told)
{
    memset(of, 0, n_told * sizeof *of);
    for (size_t t = 0; t < asks; t++) {
        uint32_t p[N];
        size_t got, parents = 0;
        sc_stop why;
        assert_int_equal(sc_optimizer_ask(o, 1, p, &got, &why), SC_OK);
        for (uint32_t k = 0; k < n_told; k++) {
            size_t differ = p[0] != 0;
            for (size_t i = 1; i < N; i++)
                differ += p[i] != k;
            of[k] += differ == 1;
            parents += differ == 1;
        }
        assert_int_equal(parents, 1); /* one change each, as in the paper */
    }
}

static void tell_numbered(sc_optimizer *o, uint32_t n, uint32_t best)
{
    for (uint32_t k = 0; k < n; k++) {
        const uint32_t p[N] = {0, k, k, k, k, k, k, k, k, k};
        tell(o, p, k == best ? 0 : 1.0 + k);
    }
}

/* The first told is the best of all, and has no child any more once 20 others came after it. */
static void test_the_oldest_dies(void **state)
{
    size_t of[25];
    sc_optimizer *o = create("evolution", 20);
    tell_numbered(o, 25, 4);
    count_children(o, 100, of, 25);
    for (size_t k = 0; k < 5; k++)
        assert_int_equal(of[k], 0);
    sc_optimizer_destroy(o);
    o = create("evolution", 20);
    tell_numbered(o, 25, 5);
    count_children(o, 100, of, 25);
    assert_true(of[5] > 20);
    sc_optimizer_destroy(o);
}

/* 20 alive, so 10 draws with replacement: the best is among them with probability 1 - 0.95^10 =
 * 0.4013, the best but one without it with 0.95^10 - 0.90^10 = 0.2501. Five standard deviations of
 * 1000 draws. */
static void test_tournament_odds(void **state)
{
    size_t of[20];
    sc_optimizer *o = create("evolution", 20);
    tell_numbered(o, 20, 20); /* the lower the number the better */
    count_children(o, 1000, of, 20);
    assert_near((double)of[0] / 1000, 0.4013, 5 * sqrt(0.4013 * 0.5987 / 1000));
    assert_near((double)of[1] / 1000, 0.2501, 5 * sqrt(0.2501 * 0.7499 / 1000));
    sc_optimizer_destroy(o);
}

/* ---- firefly ---- */

/* d^1.2: 1, 5.278, 27.858, 776.05, 3981. */
static void test_pool_size(void **state)
{
    static const size_t want[][2] = {{0, 10}, {1, 11}, {4, 15}, {16, 32}, {256, 526}, {1000, 1000}};
    for (size_t k = 0; k < sizeof want / sizeof *want; k++)
        assert_int_equal(sc_firefly_pool(want[k][0]), want[k][1]);
}

static void test_pull(void **state)
{
    assert_near(sc_firefly_pull(SC_FIREFLY_CONTINUOUS, 0.1, 2, 1), 0.2231302, 1e-7); /* e^-1.5 */
    assert_near(sc_firefly_pull(SC_FIREFLY_DISCRETE, 0.1, 2, 1), 0.6065307, 1e-7);   /* e^-0.5 */
    assert_near(sc_firefly_pull(SC_FIREFLY_CATEGORICAL, 1, 2, 1), 0.3678794, 1e-7);  /* e^-1 */
    assert_near(sc_firefly_pull(SC_FIREFLY_CONTINUOUS, 0.1, 2, 0), -0.004462603, 1e-9);
    assert_near(sc_firefly_pull(SC_FIREFLY_DISCRETE, 0, 3, 1), 1, 0);
    assert_near(sc_firefly_pull(SC_FIREFLY_DISCRETE, 0, 3, 0), -0.02, 0);
}

static size_t light_bytes(const sc_optimizer *o)
{
    unsigned char *bytes = NULL;
    size_t n = 0;
    assert_int_equal(sc_optimizer_save(o, SC_SAVE_LIGHT, &bytes, &n), SC_OK);
    sc_free(bytes);
    return n;
}

/* Four flies and nothing but failures: 0.1 * 0.9^n is below 0.001 from n = 44 on. The first is the
 * best and stays; the second is dropped at its 44th, which is flight 43 * 4 + 2. The state is then
 * one fly shorter, until the point that comes instead is told. */
static void test_a_tired_fly_is_dropped(void **state)
{
    sc_optimizer *o = create("firefly", 4);
    for (uint32_t k = 0; k < 10; k++) {
        const uint32_t p[N] = {90 * k, 900 - 90 * k, 0, 0, 0, 0, 0, 0, 0, 0};
        tell(o, p, 1.0 + k);
    }
    const size_t full = light_bytes(o);
    size_t short_at = 0;
    for (size_t t = 1; t <= 175; t++) {
        uint32_t p[N];
        size_t got;
        sc_stop why;
        assert_int_equal(sc_optimizer_ask(o, 1, p, &got, &why), SC_OK);
        tell(o, p, 100.0 + (double)t);
        if (light_bytes(o) < full && short_at == 0)
            short_at = t;
    }
    assert_int_equal(short_at, 174);
    assert_int_equal(light_bytes(o), full);
    sc_optimizer_destroy(o);
}

/* A better child takes its fly's place: from then on suggestions start there. */
static void test_a_fly_moves_to_a_better_point(void **state)
{
    sc_optimizer *o = create("firefly", 4);
    for (uint32_t k = 0; k < 10; k++) {
        const uint32_t p[N] = {0, 100 * k, 0, 0, 0, 0, 0, 0, 0, 0};
        tell(o, p, 1.0 + k);
    }
    double middle = 0;
    for (size_t t = 0; t < 400; t++) { /* the value falls with the sum of all but parameter 1 */
        uint32_t p[N];
        size_t got;
        sc_stop why;
        double sum = 0;
        assert_int_equal(sc_optimizer_ask(o, 1, p, &got, &why), SC_OK);
        for (size_t i = 0; i < N; i++)
            sum += i == 1 ? 0 : p[i];
        tell(o, p, -sum);
        middle = sum / 9;
    }
    assert_true(middle > 600); /* from 0, in steps of a tenth of 998 at most for the longest */
    sc_optimizer_destroy(o);
}

/* ---- linear combination swarm ---- */

/* ln 4 - ln 1, ln 4 - ln 2, ln 4 - ln 3 over their sum 2.367124. */
static void test_weights(void **state)
{
    static const double want[] = {0.585647, 0.292824, 0.121532};
    double weight[3];
    sc_lcs_weights(weight, 3);
    for (size_t i = 0; i < 3; i++)
        assert_near(weight[i], want[i], 3e-6);
    sc_lcs_weights(weight, 1);
    assert_near(weight[0], 1, 0);
}

/* Weights 0.730423 and 0.269577, numbers 1 and -1, spread sqrt(0.75): 0.740148 - 0.449648 =
 * 0.290500; (1 - 0.5 - 0.2905) = 0.2095 by the weights; 0.5 on top for the parent. */
static void test_factors(void **state)
{
    double weight[2], factor[2] = {1, -1};
    sc_lcs_weights(weight, 2);
    sc_lcs_factors(factor, weight, 2, 0);
    assert_near(factor[0], 0.740148 + 0.2095 * 0.730423 + 0.5, 1e-5);
    assert_near(factor[1], -0.449648 + 0.2095 * 0.269577, 1e-5);
    assert_near(factor[0] + factor[1], 1, 1e-12);
}

/* Sums of four points have the weighted mean and covariance of the four. 40,000 draws; the bounds
 * are five standard errors, those of a normal distribution with twice the variance to spare. */
static void test_moments(void **state)
{
    static const double x[4][2] = {{0, 0}, {4, 1}, {1, 3}, {5, 5}};
    enum { DRAWS = 40000 };
    double w[4], mean[2] = {0}, cov[2][2] = {{0}}, got[2] = {0}, square[2][2] = {{0}};
    sc_rng r;
    sc_lcs_weights(w, 4);
    for (int a = 0; a < 2; a++)
        for (size_t i = 0; i < 4; i++)
            mean[a] += w[i] * x[i][a];
    for (int a = 0; a < 2; a++)
        for (int b = 0; b < 2; b++)
            for (size_t i = 0; i < 4; i++)
                cov[a][b] += w[i] * (x[i][a] - mean[a]) * (x[i][b] - mean[b]);
    sc_rng_init(&r, 2, 3, 4);
    for (int t = 0; t < DRAWS; t++) {
        double factor[4], y[2] = {0}, u = gsl_rng_uniform(&r.gsl), sum = 0;
        size_t parent = 0;
        while (parent < 3 && u >= w[parent])
            u -= w[parent++];
        for (size_t i = 0; i < 4; i++)
            factor[i] = gsl_ran_gaussian_ziggurat(&r.gsl, 1.0);
        sc_lcs_factors(factor, w, 4, parent);
        for (size_t i = 0; i < 4; i++) {
            sum += factor[i];
            for (int a = 0; a < 2; a++)
                y[a] += factor[i] * x[i][a];
        }
        assert_near(sum, 1, 1e-12);
        for (int a = 0; a < 2; a++) {
            got[a] += y[a] / DRAWS;
            for (int b = 0; b < 2; b++)
                square[a][b] += (y[a] - mean[a]) * (y[b] - mean[b]) / DRAWS;
        }
    }
    for (int a = 0; a < 2; a++) {
        assert_near(got[a], mean[a], 5 * sqrt(cov[a][a] / DRAWS));
        for (int b = 0; b < 2; b++)
            assert_near(square[a][b], cov[a][b], 5 * sqrt(4 * cov[a][a] * cov[b][b] / DRAWS));
    }
}

int main(void)
{
    const struct CMUnitTest t[] = {
        cmocka_unit_test(test_the_oldest_dies),
        cmocka_unit_test(test_tournament_odds),
        cmocka_unit_test(test_pool_size),
        cmocka_unit_test(test_pull),
        cmocka_unit_test(test_a_tired_fly_is_dropped),
        cmocka_unit_test(test_a_fly_moves_to_a_better_point),
        cmocka_unit_test(test_weights),
        cmocka_unit_test(test_factors),
        cmocka_unit_test(test_moments),
    };
    return cmocka_run_group_tests_name("search_steps", t, NULL, NULL);
}
