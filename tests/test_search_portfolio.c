/* The portfolio: what a trial is worth and whom that makes likely, worked out by hand; whom it
 * asks; the rules of every optimiser. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka wants the four above first */
#include <cmocka.h>
#include <math.h>
#include <string.h>

#include "core/mem.h"
#include "search/opt_portfolio.h"
#include "search_rules.h"
#include "search_runs.h"

const char *const rules_names[] = {"portfolio"};
const size_t rules_n_names = 1;
const bool rules_slow = true;

enum { SEEDS = 10, MEMBERS = 3 };

static void assert_near(double got, double want)
{
    if (!(fabs(got - want) <= 1e-12))
        fail_msg("%.17g is not %.17g", got, want);
}

/* ---- what a trial is worth ---- */

static double worth(sc_pool *p, double violation, double a, double b)
{
    static const uint32_t point[1] = {0};
    const double f[] = {a, b};
    const sc_trial t = {point,
                        isinf(violation)  ? SC_TRIAL_FAILED
                        : violation > 0.0 ? SC_TRIAL_INFEASIBLE
                                          : SC_TRIAL_FEASIBLE,
                        violation, f};
    return sc_portfolio_worth(p, &t);
}

static void test_worth_of_a_trial(void **state)
{
    sc_pool *p = NULL;
    assert_int_equal(sc_pool_create(&p, 1, 2, 8), SC_OK);
    assert_near(worth(p, 5, 0, 0), 1);        /* the first miss, */
    assert_near(worth(p, 7, 0, 0), 0);        /* a larger one, */
    assert_near(worth(p, 5, 0, 0), 0);        /* the same again, */
    assert_near(worth(p, 2, 0, 0), 1);        /* a smaller one */
    assert_near(worth(p, HUGE_VAL, 0, 0), 0); /* and none at all */
    assert_near(worth(p, 0, 0, 8), 1);        /* the first feasible one */
    assert_near(worth(p, 1, 0, 0), 0);
    assert_near(worth(p, 0, 4, 0), 1); /* no ranges yet: it is ahead in the second objective */
    assert_int_equal(p->n_rows, 4);
    /* Ranges 4 and 8. (2, 4): ahead of (0, 8) by max(-2/4, 4/8), of (4, 0) by max(2/4, -4/8). */
    assert_near(worth(p, 0, 2, 4), sqrt(0.5));
    /* (1, 5): ahead of (0, 8) by 3/8, of (2, 4) by 1/4, of (4, 0) by 3/4. */
    assert_near(worth(p, 0, 1, 5), sqrt(0.25));
    assert_near(worth(p, 0, 2, 5), 0); /* (2, 4) is as good in one and better in the other */
    assert_near(worth(p, 0, 2, 4), 0); /* known values */
    assert_int_equal(p->n_rows, 6);
    /* Whole ranges ahead is worth 1, not more: -16 is 20/4 ahead of 4. */
    assert_near(worth(p, 0, -16, -16), 1);
    sc_pool_destroy(p);
}

/* One objective; values 1, 1/2, 1/4, ...: each halves the best, in a pool that has to forget. */
static void test_worth_outlives_a_full_pool(void **state)
{
    static const uint32_t point[1] = {0};
    sc_pool *p = NULL;
    assert_int_equal(sc_pool_create(&p, 1, 1, 8), SC_OK);
    double best = 1;
    for (int k = 0; k < 100; k++, best /= 2) {
        const sc_trial t = {point, SC_TRIAL_FEASIBLE, 0, &best};
        assert_true(sc_portfolio_worth(p, &t) > 0);
        assert_near(sc_portfolio_worth(p, &t), 0);
        assert_true(p->n_rows <= 8);
    }
    sc_pool_destroy(p);
}

/* ---- odds ---- */

static void test_odds(void **state)
{
    double odds[MEMBERS];
    const bool all[] = {true, true, true}, some[] = {true, false, true};
    /* Nothing known: all alike, of those that may be asked. */
    const double nothing[MEMBERS] = {0};
    sc_portfolio_odds(odds, nothing, nothing, all, 3);
    for (size_t k = 0; k < MEMBERS; k++)
        assert_near(odds[k], 1.0 / 3);
    sc_portfolio_odds(odds, nothing, nothing, some, 3);
    assert_true(odds[0] == 0.5 && odds[1] == 0.0 && odds[2] == 0.5);
    /* Mean 6/20 = 0.3; means with two average trials more: 5.6/10, 0.6/10, 1.6/6 = 0.56, 0.06,
     * 0.2667; scores 1, 0, 0.41333; odds as exp(score / 0.2). */
    const double reward[] = {5, 0, 1}, trials[] = {8, 8, 4};
    const double e[] = {exp(5), 1, exp(5 * (1.6 / 6 - 0.06) / 0.5)};
    sc_portfolio_odds(odds, reward, trials, all, 3);
    for (size_t k = 0; k < MEMBERS; k++)
        assert_near(odds[k], e[k] / (e[0] + e[1] + e[2]));
    /* The first gone: the third is best, the second worst; the mean is that of all. */
    const bool late[] = {false, true, true};
    sc_portfolio_odds(odds, reward, trials, late, 3);
    assert_true(odds[0] == 0.0);
    assert_near(odds[1], 1 / (1 + exp(5)));
    assert_near(odds[2], exp(5) / (1 + exp(5)));
}

/* ---- searches ---- */

static const bool ordered[6] = {false};
static sc_optimizer *create(const char *name, uint64_t seed, uint32_t population)
{
    const sc_optimizer_options options = {.version = 1, .population = population};
    const sc_problem six = run_ordered_41(6);
    sc_optimizer *o = NULL;
    assert_int_equal(sc_optimizer_create(&o, name, &six, seed, &options), SC_OK);
    return o;
}

static void ask(sc_optimizer *o, uint32_t *point)
{
    size_t got;
    sc_stop why;
    assert_int_equal(sc_optimizer_ask(o, 1, point, &got, &why), SC_OK);
    assert_int_equal(got, 1);
}

static void tell(sc_optimizer *o, const uint32_t *point, double violation, double f)
{
    const sc_trial t = {point, violation > 0 ? SC_TRIAL_INFEASIBLE : SC_TRIAL_FEASIBLE, violation,
                        &f};
    assert_int_equal(sc_optimizer_tell(o, &t, 1), SC_OK);
}

static void test_convex(void **state)
{
    const sc_problem six = run_ordered_41(6);
    const double random = run_median("random", 0, &six, run_convex, SEEDS, 150);
    assert_true(run_median("portfolio", 24, &six, run_convex, SEEDS, 150) < 0.2 * random);
}

/* Feasible where all six are 36 or more: one in 31,000; only the miss shows the way. */
static void test_climbs_into_feasibility(void **state)
{
    for (uint64_t seed = 1; seed <= 3; seed++) {
        sc_optimizer *o = create("portfolio", seed, 24);
        size_t feasible = 0;
        for (size_t t = 0; t < 250; t++) {
            uint32_t point[6];
            double miss = 0;
            ask(o, point);
            for (size_t i = 0; i < 6; i++)
                miss += point[i] < 36 ? 36.0 - point[i] : 0;
            tell(o, point, miss, point[0]);
            feasible += miss == 0;
        }
        assert_true(feasible > 10);
        sc_optimizer_destroy(o);
    }
}

/* All members learn from all trials: told forty good points at 38 in parameter 0 and eighty bad
 * ones at 0 that nobody asked for, suggestions are near the good ones, whoever makes them. */
static void test_learns_from_others(void **state)
{
    sc_optimizer *o = create("portfolio", 7, 200);
    size_t near = 0;
    for (uint32_t k = 0; k < 120; k++) {
        const bool good = k % 3 == 0;
        const uint32_t point[6] = {good ? 38 : 0, k % 41, 5, 5, k / 41, 5};
        tell(o, point, 0, (good ? 1 : 2) + 1e-4 * k);
    }
    for (int k = 0; k < 40; k++) {
        uint32_t point[6];
        ask(o, point);
        near += point[0] > 30; /* of uniform ones 10, deviation 2.7 */
    }
    assert_true(near > 24);
    sc_optimizer_destroy(o);
}

/* gp's models hold 8 trials, and it is a member until four times as many are told: from then on a
 * saved state has no part of it. */
static void test_gp_leaves(void **state)
{
    sc_optimizer *o = create("portfolio", 3, 8);
    size_t bytes[41] = {0};
    for (size_t k = 1; k <= 40; k++) {
        unsigned char *saved = NULL;
        uint32_t point[6];
        double f;
        ask(o, point);
        run_convex(point, 6, &f);
        tell(o, point, 0, f);
        assert_int_equal(sc_optimizer_save(o, SC_SAVE_LIGHT, &saved, &bytes[k]), SC_OK);
        sc_free(saved);
    }
    /* seven rows, the least it holds, of 6 indices of 4 bytes, a value and a violation of 8 */
    assert_true(bytes[32] + 7 * 40 < bytes[31]);
    sc_optimizer_destroy(o);
}

/* Two points; and a space where nothing works: every point once, then no more. */
static void test_edges(void **state)
{
    static const uint32_t cardinality[] = {2, 9};
    for (size_t n = 1; n <= 2; n++)
        for (int how = 0; how < 3; how++) {
            const sc_problem p = {.n_params = n,
                                  .cardinality = cardinality,
                                  .categorical = how == 2 ? (const bool[]){true, true} : ordered,
                                  .n_objectives = 2};
            const size_t all = n == 1 ? 2 : 18;
            sc_optimizer *o = NULL;
            assert_int_equal(sc_optimizer_create(&o, "portfolio", &p, 1, NULL), SC_OK);
            for (size_t k = 0; k <= all; k++) {
                uint32_t point[2];
                size_t got;
                sc_stop why;
                assert_int_equal(sc_optimizer_ask(o, 1, point, &got, &why), SC_OK);
                assert_int_equal(got, k < all);
                const sc_trial t = {point, how == 1 ? SC_TRIAL_FAILED : SC_TRIAL_INFEASIBLE, 1,
                                    NULL};
                assert_int_equal(sc_optimizer_tell(o, &t, got), SC_OK);
            }
            sc_optimizer_destroy(o);
        }
}

static void test_rejects_population(void **state)
{
    const sc_problem six = run_ordered_41(6);
    static const uint32_t wrong[] = {7, 1025};
    for (size_t i = 0; i < 2; i++) {
        const sc_optimizer_options options = {.version = 1, .population = wrong[i]};
        sc_optimizer *o = NULL;
        assert_int_equal(sc_optimizer_create(&o, "portfolio", &six, 1, &options), SC_EINVAL);
        assert_null(o);
        assert_non_null(strstr(sc_error_message(), "must be 8 to 1024"));
    }
}

int main(void)
{
    const struct CMUnitTest t[] = {
        RULES,
        cmocka_unit_test(test_worth_of_a_trial),
        cmocka_unit_test(test_worth_outlives_a_full_pool),
        cmocka_unit_test(test_odds),
        cmocka_unit_test(test_convex),
        cmocka_unit_test(test_climbs_into_feasibility),
        cmocka_unit_test(test_learns_from_others),
        cmocka_unit_test(test_gp_leaves),
        cmocka_unit_test(test_edges),
        cmocka_unit_test(test_rejects_population),
    };
    return cmocka_run_group_tests_name("search_portfolio", t, NULL, NULL);
}
