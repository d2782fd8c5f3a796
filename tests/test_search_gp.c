/* Searches by Gaussian processes, against random search at the same budget. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka wants the four above first */
#include <cmocka.h>
#include <math.h>
#include <string.h>

#include "search_runs.h"

enum { SEEDS = 5, ROWS = 64 }; /* of the models: quick, and is filled */

/* Feasible only where the first three are high, which costs; and where nothing tells by how much.
 */
static double narrow(const uint32_t *p, size_t n, double *f)
{
    run_turned_bowl(p, n, f);
    return p[0] >= 50 && p[1] >= 50 ? 0 : 1;
}

static double gp(const sc_problem *p, run_evaluate evaluate, size_t budget)
{
    return run_median("gp", ROWS, p, evaluate, SEEDS, budget);
}

static double uniform(const sc_problem *p, run_evaluate evaluate, size_t budget)
{
    return run_median("random", 0, p, evaluate, SEEDS, budget);
}

static void test_searches(void **state)
{
    const sc_problem ordered = run_ordered_64(6), labels = run_labels_6(6);
    assert_true(uniform(&ordered, run_turned_bowl, 80) > 500);
    assert_true(gp(&ordered, run_turned_bowl, 80) < 60);
    assert_true(uniform(&labels, run_right_labels, 80) > 2);
    assert_true(gp(&labels, run_right_labels, 80) < 1);
    /* the best feasible value: both at 50, the others 45, 43, .. : 200 + 100 and some 62 */
    assert_true(uniform(&ordered, narrow, 80) > 1500);
    assert_true(gp(&ordered, narrow, 80) < 1100);
}

static void test_nothing_to_learn(void **state)
{
    const sc_problem ordered = run_ordered_64(6), labels = run_labels_6(6);
    assert_true(run_least("gp", ROWS, &ordered, run_flat, 1, 90) == 1);
    assert_true(run_least("gp", ROWS, &labels, run_never, 1, 90) == HUGE_VAL);
}

/* Points asked together are not neighbours of one spot: each knows of those before. */
static void test_batches_spread(void **state)
{
    const sc_problem ordered = run_ordered_64(6);
    sc_optimizer *o = NULL;
    uint32_t points[16 * 6];
    double f[16], apart = 0;
    sc_trial trials[16];
    size_t got;
    sc_stop why;
    assert_int_equal(sc_optimizer_create(&o, "gp", &ordered, 3, NULL), SC_OK);
    for (int round = 0; round < 2; round++) {
        assert_int_equal(sc_optimizer_ask(o, 16, points, &got, &why), SC_OK);
        for (size_t k = 0; k < 16; k++) {
            run_turned_bowl(points + 6 * k, 6, &f[k]);
            trials[k] = (sc_trial){points + 6 * k, SC_TRIAL_FEASIBLE, 0, &f[k]};
        }
        assert_int_equal(sc_optimizer_tell(o, trials, 16), SC_OK);
    }
    assert_int_equal(sc_optimizer_ask(o, 16, points, &got, &why), SC_OK);
    for (size_t a = 0; a < 16; a++)
        for (size_t b = 0; b < a; b++) {
            double d = 0;
            for (size_t i = 0; i < 6; i++)
                d += fabs((double)points[6 * a + i] - (double)points[6 * b + i]);
            assert_true(d > 0);
            apart += d / 120;
        }
    assert_true(apart > 12); /* steps over six parameters: a spot of one step each has 4 */
    sc_optimizer_destroy(o);
}

static void test_edges(void **state)
{
    static const uint32_t one[] = {2}, fixed[] = {1};
    static uint32_t cardinality[SC_MAX_PARAMS], points[12 * SC_MAX_PARAMS];
    static bool categorical[SC_MAX_PARAMS];
    sc_problem p = {.n_params = 1,
                    .cardinality = one,
                    .categorical = (const bool[1]){false},
                    .n_objectives = 1};
    const sc_optimizer_options options = {.version = 1, .population = 8};
    sc_optimizer *o = NULL;
    uint32_t point[2];
    size_t got;
    sc_stop why;
    for (int k = 2; k > 0; k--) { /* two points; then one that nothing can be said about */
        assert_int_equal(sc_optimizer_create(&o, "gp", &p, 1, NULL), SC_OK);
        assert_int_equal(sc_optimizer_ask(o, 2, point, &got, &why), SC_OK);
        assert_int_equal(got, k);
        const sc_trial failed = {point, SC_TRIAL_FAILED, 0, NULL};
        assert_int_equal(sc_optimizer_tell(o, &failed, 1), SC_OK);
        assert_int_equal(sc_optimizer_ask(o, 1, point, &got, &why), SC_OK);
        assert_true(got == 0 && why == SC_STOP_EXHAUSTED);
        sc_optimizer_destroy(o);
        p.cardinality = fixed;
    }
    for (size_t i = 0; i < SC_MAX_PARAMS; i++) {
        categorical[i] = i % 4 == 1;
        cardinality[i] = i % 4 == 0 ? 1 << 20 : (uint32_t)(i % 4);
    }
    p = (sc_problem){.n_params = SC_MAX_PARAMS,
                     .cardinality = cardinality,
                     .categorical = categorical,
                     .n_objectives = SC_MAX_OBJECTIVES};
    assert_int_equal(sc_optimizer_create(&o, "gp", &p, 1, &options), SC_OK);
    for (int round = 0; round < 3; round++) {
        assert_int_equal(sc_optimizer_ask(o, 12, points, &got, &why), SC_OK);
        assert_int_equal(got, 12);
        for (size_t k = 0; k < 12; k++) {
            double f[SC_MAX_OBJECTIVES];
            for (size_t j = 0; j < SC_MAX_OBJECTIVES; j++)
                f[j] = points[k * SC_MAX_PARAMS + 4 * j];
            const sc_trial t = {points + k * SC_MAX_PARAMS,
                                k % 5 == 4 ? SC_TRIAL_FAILED : SC_TRIAL_FEASIBLE, 0, f};
            assert_int_equal(sc_optimizer_tell(o, &t, 1), SC_OK);
        }
    }
    sc_optimizer_destroy(o);
}

static void test_rejects_populations(void **state)
{
    const sc_problem ordered = run_ordered_64(6);
    static const uint32_t bad[] = {1, 7, 1025};
    sc_optimizer *o = NULL;
    for (size_t i = 0; i < 3; i++) {
        const sc_optimizer_options options = {.version = 1, .population = bad[i]};
        assert_int_equal(sc_optimizer_create(&o, "gp", &ordered, 1, &options), SC_EINVAL);
        assert_null(o);
    }
}

int main(void)
{
    const struct CMUnitTest t[] = {
        cmocka_unit_test(test_searches),
        cmocka_unit_test(test_nothing_to_learn),
        cmocka_unit_test(test_batches_spread),
        cmocka_unit_test(test_edges),
        cmocka_unit_test(test_rejects_populations),
    };
    return cmocka_run_group_tests_name("search_gp", t, NULL, NULL);
}
