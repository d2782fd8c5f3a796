/* Figures of predictions: by hand, and against definitions that look at every pair. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka wants the four above first */
#include <cmocka.h>
#include <math.h>

#include "core/rng.h"
#include "core_support.h"
#include "surrogate/metrics.h"

static void assert_near(double got, double want)
{
    if (!(fabs(got - want) <= 1e-12))
        fail_msg("%.17g is not %.17g", got, want);
}

/* By the definition: concordant less discordant pairs over the root of untied ones. */
static double plain_tau(const double *a, const double *b, size_t n)
{
    double sum = 0, in_a = 0, in_b = 0;
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < i; j++) {
            const int x = (a[i] > a[j]) - (a[i] < a[j]), y = (b[i] > b[j]) - (b[i] < b[j]);
            sum += x * y;
            in_a += x * x;
            in_b += y * y;
        }
    return sum / sqrt(in_a * in_b);
}

static double plain_rank(const double *v, size_t n, size_t i)
{
    double below = 0, equal = 0;
    for (size_t j = 0; j < n; j++) {
        below += v[j] < v[i];
        equal += v[j] == v[i];
    }
    return below + 0.5 * (equal + 1);
}

static void test_ranks_against_every_pair(void **state)
{
    sc_rng r;
    sc_rng_init(&r, 3, 1, 1);
    for (size_t n = 2; n < 60; n++) {
        double a[60], b[60], got, x = 0, y = 0, xy = 0, xx = 0, yy = 0, over = 0, pairs = 0;
        uint8_t label[60];
        for (size_t i = 0; i < n; i++) {
            a[i] = (double)gsl_rng_uniform_int(&r.gsl, 12); /* ties, some of them in both */
            b[i] = n % 2 ? (double)gsl_rng_uniform_int(&r.gsl, 9) : a[i] + gsl_rng_uniform(&r.gsl);
            label[i] = i % 3 == 0;
        }
        a[0] = 20, b[1] = -3; /* not all equal */
        assert_int_equal(sc_metric_tau(&got, a, b, n), SC_OK);
        assert_near(got, plain_tau(a, b, n));
        for (size_t i = 0; i < n; i++) {
            const double p = plain_rank(a, n, i), q = plain_rank(b, n, i);
            x += p, y += q, xy += p * q, xx += p * p, yy += q * q;
            for (size_t j = 0; j < n; j++)
                if (label[i] && !label[j]) {
                    pairs++;
                    over += a[i] > a[j] ? 1 : a[i] == a[j] ? 0.5 : 0;
                }
        }
        const double m = (double)n;
        assert_int_equal(sc_metric_spearman(&got, a, b, n), SC_OK);
        assert_near(got, (xy - x * y / m) / sqrt((xx - x * x / m) * (yy - y * y / m)));
        assert_int_equal(sc_metric_auc(&got, a, label, n), SC_OK);
        assert_near(got, over / pairs);
    }
}

static void test_by_hand(void **state)
{
    const double score[] = {5, 1, 4, 2, 3}, actual[] = {10, 50, 20, 40, 30};
    const double low[] = {9, 50, 0, 41, 0}, high[] = {11, 50, 19, 50, 100};
    double got, median;
    assert_int_equal(sc_metric_tau(&got, score, actual, 5), SC_OK);
    assert_near(got, -1);
    assert_int_equal(sc_metric_regret(&got, score, actual, 5, 2), SC_OK);
    assert_near(got, 30); /* 10 and 20 are looked at, 50 is the best */
    assert_int_equal(sc_metric_retention(&got, score, actual, 5, 2, 4), SC_OK);
    assert_near(got, 0.5); /* of 50 and 40, all but 50 are kept */
    assert_int_equal(sc_metric_coverage(&got, low, high, actual, 5), SC_OK);
    assert_near(got, 0.6);
    const double guess[] = {11, 25, 20, 60, 33};
    assert_int_equal(sc_metric_relative_error(&got, &median, guess, actual, 5), SC_OK);
    assert_near(got, (0.1 + 0.5 + 0 + 0.5 + 0.1) / 5);
    assert_near(median, 0.1);
}

static void test_undefined_and_refused(void **state)
{
    const double flat[] = {1, 1, 1}, other[] = {1, 2, 3}, bad[] = {1, NAN, 2}, zero[] = {0, 1, 2};
    double got = 7, median = 7;
    assert_int_equal(sc_metric_tau(&got, flat, other, 3), SC_OK);
    assert_true(isnan(got));
    assert_int_equal(sc_metric_spearman(&got, flat, other, 3), SC_OK);
    assert_true(isnan(got));
    assert_int_equal(sc_metric_auc(&got, other, (uint8_t[]){1, 1, 1}, 3), SC_OK);
    assert_true(isnan(got));
    assert_int_equal(sc_metric_relative_error(&got, &median, other, zero, 3), SC_OK);
    assert_true(isnan(got) && isnan(median));
    got = 7;
    assert_int_equal(sc_metric_tau(&got, bad, other, 3), SC_EINVAL);
    assert_says("1 is not a number");
    assert_int_equal(sc_metric_spearman(&got, other, bad, 3), SC_EINVAL);
    assert_int_equal(sc_metric_auc(&got, bad, (uint8_t[]){1, 0, 1}, 3), SC_EINVAL);
    assert_int_equal(sc_metric_regret(&got, other, other, 1, 1), SC_EINVAL);
    assert_says("two or more");
    assert_true(got == 7);
}

static sc_status all_of_them(void *payload)
{
    const double a[] = {1, 2, 3, 5}, b[] = {4, 2, 5, 1};
    double got, more;
    sc_status st = sc_metric_tau(&got, a, b, 4);
    if (st == SC_OK)
        st = sc_metric_spearman(&got, a, b, 4);
    if (st == SC_OK)
        st = sc_metric_auc(&got, a, (const uint8_t[]){0, 1, 0, 1}, 4);
    if (st == SC_OK)
        st = sc_metric_relative_error(&got, &more, a, b, 4);
    if (st == SC_OK)
        st = sc_metric_regret(&got, a, b, 4, 1);
    return st == SC_OK ? sc_metric_retention(&got, a, b, 4, 1, 2) : st;
}

static void test_memory(void **state)
{
    assert_true(fail_each_allocation(all_of_them, NULL) > 0);
}

/* A million pairs of numbers in seconds: the plain way would take days. */
static void test_tau_is_fast(void **state)
{
    enum { N = 300000 };
    double *v = malloc(2 * N * sizeof *v), got;
    const double begin = cpu_now();
    assert_non_null(v);
    for (size_t i = 0; i < N; i++) {
        v[i] = (double)(i * 7919 % N);
        v[N + i] = -v[i];
    }
    assert_int_equal(sc_metric_tau(&got, v, v + N, N), SC_OK);
    assert_near(got, -1);
    assert_within(begin, 2);
    free(v);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_ranks_against_every_pair),
        cmocka_unit_test(test_by_hand),
        cmocka_unit_test(test_undefined_and_refused),
        cmocka_unit_test(test_memory),
        cmocka_unit_test(test_tau_is_fast),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
