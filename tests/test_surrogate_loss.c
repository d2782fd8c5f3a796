/* Losses: values by hand, derivatives against differences, in double. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka wants the four above first */
#include <cmocka.h>
#include <math.h>

#include "core_support.h"
#include "surrogate/loss.h"

enum { N = 5, LOSSES = 8 };

static const double y[N] = {1, -0.5, 2, 2, 0};
static const uint32_t group[N] = {1, 1, 2, 2, 1};
static const uint8_t label[N] = {1, 0, 0, 1, 1};

/* One of the losses at scores s, its derivative added to d. */
static double loss(int which, double *d, const double *s, double weight)
{
    switch (which) {
    case 0: return sc_loss_squared(d, s, y, N, weight);
    case 1: return sc_loss_pairs(d, s, y, NULL, N, weight);
    case 2: return sc_loss_pairs(d, s, y, group, N, weight);
    case 3: return sc_loss_list(d, s, y, N, 0.7, weight);
    case 4: return sc_loss_push_down(d, s, N, 1.5, weight);
    case 5: return sc_loss_below(d, d + 2, s, 2, s + 2, N - 2, weight);
    case 6: return sc_loss_logistic(d, s, label, N, weight);
    default: return sc_loss_list(d, s, y, N, 10, weight);
    }
}

static void test_derivatives(void **state)
{
    for (int which = 0; which < LOSSES; which++) {
        double s[N] = {0.3, -2, 1.1, 0.9, -0.4}, d[N] = {7, 7, 7, 7, 7}, none[N];
        loss(which, d, s, 0.25);
        for (size_t i = 0; i < N; i++) {
            const double was = s[i], h = 1e-5;
            s[i] = was + h;
            const double above = loss(which, none, s, 1);
            s[i] = was - h;
            const double below = loss(which, none, s, 1);
            s[i] = was;
            const double want = 0.25 * (above - below) / (2 * h);
            if (!(fabs(d[i] - 7 - want) < 1e-9))
                fail_msg("loss %d, score %zu: %.12g, by differences %.12g", which, i, d[i] - 7,
                         want);
        }
    }
}

static void assert_near(double got, double want)
{
    if (!(fabs(got - want) <= 1e-12))
        fail_msg("%.17g is not %.17g", got, want);
}

static void test_values_by_hand(void **state)
{
    const double flat[N] = {0}, s[N] = {0.5, 0, 2, 1, 0};
    double d[N] = {0};
    assert_near(sc_loss_squared(d, s, y, N, 1), (0.25 + 0.25 + 0 + 1 + 0) / 5);
    assert_near(sc_loss_pairs(d, flat, y, NULL, N, 1), log(2));
    assert_near(sc_loss_pairs(d, flat, (const double[]){3, 3, 3, 3, 3}, NULL, N, 1), 0);
    /* within groups: 0 over 1, 0 over 4, 4 over 1; the two of group 2 are equal */
    assert_near(sc_loss_pairs(d, s, y, group, N, 1), (2 * log1p(exp(-0.5)) + log(2)) / 3);
    /* entropy of (1/5, ...) against a uniform guess */
    assert_near(sc_loss_list(d, flat, flat, N, 1, 1), log(5));
    assert_near(sc_loss_push_down(d, (const double[]){3, -9, 0, 0, 0}, N, 5, 1), (3.0 - 5) / 5);
    assert_near(sc_loss_below(d, d, (const double[]){1}, 1, (const double[]){0}, 1, 1),
                log1p(exp(-1)));
    assert_near(sc_loss_logistic(d, (const double[]){2}, (const uint8_t[]){0}, 1, 1),
                log1p(exp(2)));
}

/* Scores that no exponential holds. */
static void test_large_scores(void **state)
{
    const double s[N] = {2000, -2000, 0, 900, -900};
    for (int which = 0; which < LOSSES; which++) {
        double d[N] = {0};
        assert_true(isfinite(loss(which, d, s, 1)));
        for (size_t i = 0; i < N; i++)
            assert_true(isfinite(d[i]));
    }
}

/* A batch may hold none of a kind. */
static void test_empty(void **state)
{
    double d[1] = {3}, s[1] = {1};
    assert_near(sc_loss_squared(d, s, s, 0, 1), 0);
    assert_near(sc_loss_pairs(d, s, s, NULL, 0, 1), 0);
    assert_near(sc_loss_list(d, s, s, 0, 1, 1), 0);
    assert_near(sc_loss_push_down(d, s, 0, 1, 1), 0);
    assert_near(sc_loss_below(d, d, s, 1, s, 0, 1), 0);
    assert_near(sc_loss_logistic(d, s, NULL, 0, 1), 0);
    assert_true(d[0] == 3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_derivatives),
        cmocka_unit_test(test_values_by_hand),
        cmocka_unit_test(test_large_scores),
        cmocka_unit_test(test_empty),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
