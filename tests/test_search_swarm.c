/* What evolution, firefly and the linear combination swarm have in common: the order they compare
 * trials by, and what they make of trials that failed, miss a limit, or nobody asked for. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka wants the four above first */
#include <cmocka.h>
#include <math.h>
#include <string.h>

#include "core/rng.h"
#include "search/optimizer.h"
#include "search/pareto.h"
#include "search/pool.h"
#include "search_runs.h"

enum { SEEDS = 10, MOST_PARAMS = 256 };

static const char *const names[] = {"evolution", "firefly", "lcs"};
enum { N_NAMES = sizeof names / sizeof *names };

static sc_optimizer *create(const char *name, const sc_problem *p, uint64_t seed)
{
    sc_optimizer *o = NULL;
    assert_int_equal(sc_optimizer_create(&o, name, p, seed, NULL), SC_OK);
    return o;
}

static uint32_t *ask(sc_optimizer *o, uint32_t *point)
{
    size_t got;
    sc_stop why;
    assert_int_equal(sc_optimizer_ask(o, 1, point, &got, &why), SC_OK);
    assert_int_equal(got, 1);
    return point;
}

static void tell(sc_optimizer *o, const uint32_t *point, double violation, const double *f)
{
    const sc_trial t = {point,
                        isinf(violation)  ? SC_TRIAL_FAILED
                        : violation > 0.0 ? SC_TRIAL_INFEASIBLE
                                          : SC_TRIAL_FEASIBLE,
                        violation, f};
    assert_int_equal(sc_optimizer_tell(o, &t, 1), SC_OK);
}

/* ---- the order, against a naive one ---- */

static bool dominated(const sc_pool *p, size_t i, const bool *gone)
{
    for (size_t k = 0; k < p->n_rows; k++)
        if (!gone[k] &&
            sc_pareto_compare_constrained(p->value + k * p->m, p->violation[k], p->value + i * p->m,
                                          p->violation[i], p->m) < 0)
            return true;
    return false;
}

/* Fronts by peeling: those that nothing left dominates go together. */
static void peel(const sc_pool *p, uint32_t *rank)
{
    bool gone[64] = {false}, now[64];
    for (uint32_t front = 0, left = (uint32_t)p->n_rows; left > 0; front++) {
        for (size_t i = 0; i < p->n_rows; i++)
            now[i] = !gone[i] && !dominated(p, i, gone);
        for (size_t i = 0; i < p->n_rows; i++)
            if (now[i]) {
                gone[i] = true;
                rank[i] = front;
                left--;
            }
    }
}

static void fill(sc_pool *p, sc_rng *r, size_t n)
{
    p->n_rows = 0;
    for (uint32_t i = 0; i < n; i++) {
        const double f[] = {(double)gsl_rng_uniform_int(&r->gsl, 9),
                            (double)gsl_rng_uniform_int(&r->gsl, 9)};
        const unsigned kind = (unsigned)gsl_rng_uniform_int(&r->gsl, 4);
        const sc_trial t = {&i,
                            kind == 0   ? SC_TRIAL_INFEASIBLE
                            : kind == 1 ? SC_TRIAL_FAILED
                                        : SC_TRIAL_FEASIBLE,
                            1.0 + (double)gsl_rng_uniform_int(&r->gsl, 3), f};
        sc_pool_add(p, &t);
    }
}

static void test_order(void **state)
{
    sc_pool *p = NULL;
    sc_rng r;
    assert_int_equal(sc_pool_create(&p, 1, 2, 64), SC_OK);
    for (uint64_t round = 0; round < 200; round++) {
        uint32_t rank[64], best[64];
        sc_rng_init(&r, 3, 1, round);
        fill(p, &r, 1 + round % 64);
        peel(p, rank);
        sc_pool_grade(p);
        sc_pool_sort(p);
        for (size_t i = 0; i < p->n_rows; i++)
            assert_int_equal(p->rank[i], rank[i]);
        for (size_t i = 0; i + 1 < p->n_rows; i++) {
            const uint32_t a = p->order[i], b = p->order[i + 1];
            assert_true(p->violation[a] <= p->violation[b]);
            assert_true(rank[a] < rank[b] ||
                        (rank[a] == rank[b] &&
                         (p->crowding[a] > p->crowding[b] ||
                          (p->crowding[a] == p->crowding[b] && a < b)))); /* ties: the older */
        }
        memcpy(best, p->order, sizeof best);
        const size_t n = p->n_rows, keep = (n + 1) / 2;
        sc_pool_keep_best(p, keep);
        assert_true(p->n_rows == keep && p->n_kept == keep);
        for (size_t i = 0; i < keep; i++) { /* points are their old rows: still ascending */
            bool among = false;
            for (size_t k = 0; k < keep; k++)
                among |= best[k] == p->point[i];
            assert_true(among && (i == 0 || p->point[i - 1] < p->point[i]));
        }
    }
    sc_pool_destroy(p);
}

static void test_drop_first(void **state)
{
    sc_pool *p = NULL;
    sc_rng r;
    assert_int_equal(sc_pool_create(&p, 1, 2, 64), SC_OK);
    sc_rng_init(&r, 3, 2, 0);
    fill(p, &r, 10);
    p->n_kept = 5;
    const double value = p->value[2 * 7 + 1], violation = p->violation[7];
    sc_pool_drop_first(p, 3);
    assert_true(p->n_rows == 7 && p->n_kept == 2 && p->point[4] == 7);
    assert_true(p->value[2 * 4 + 1] == value && p->violation[4] == violation);
    sc_pool_drop_first(p, 3);
    assert_true(p->n_rows == 4 && p->n_kept == 0 && p->point[1] == 7);
    sc_pool_destroy(p);
}

/* ---- searches ---- */

static const bool ordered[MOST_PARAMS] = {false};
static void test_convex(void **state)
{
    const sc_problem six = run_ordered_41(6);
    static const size_t budgets[] = {100, 200, 800};
    for (size_t k = 0; k < N_NAMES; k++)
        for (size_t b = 0; b < 3; b++) {
            const double mine = run_median(names[k], 0, &six, run_convex, SEEDS, budgets[b]);
            const double random = run_median("random", 0, &six, run_convex, SEEDS, budgets[b]);
            assert_true(mine < random);
            assert_true(b < 2 || mine < 0.05 * random);
        }
}

/* Feasible where all six are 36 or more: one in 31,000; only the miss shows the way. */
static void test_climbs_into_feasibility(void **state)
{
    const sc_problem six = run_ordered_41(6);
    for (size_t k = 0; k < N_NAMES; k++)
        for (uint64_t seed = 1; seed <= SEEDS; seed++) {
            sc_optimizer *o = create(names[k], &six, seed);
            size_t feasible = 0;
            for (size_t t = 0; t < 1000; t++) {
                uint32_t point[6];
                double miss = 0;
                ask(o, point);
                for (size_t i = 0; i < 6; i++)
                    miss += point[i] < 36 ? 36.0 - point[i] : 0;
                const double f = point[0];
                tell(o, point, miss, &f);
                feasible += miss == 0;
            }
            assert_true(feasible > 10);
            sc_optimizer_destroy(o);
        }
}

/* One in 64 is feasible and nothing shows which: spread until the first, near it after. */
static void test_spreads_while_blind(void **state)
{
    static const uint32_t cardinality[] = {128, 128, 4};
    const sc_problem p = {
        .n_params = 3, .cardinality = cardinality, .categorical = ordered, .n_objectives = 2};
    for (size_t k = 0; k < N_NAMES; k++)
        for (uint64_t seed = 1; seed <= SEEDS; seed++) {
            sc_optimizer *o = create(names[k], &p, seed);
            size_t first = 0, feasible = 0;
            for (size_t t = 1; t <= 200; t++) {
                uint32_t point[3];
                ask(o, point);
                const bool good = point[0] / 16 == 5 && point[1] / 16 == 3;
                const double f[] = {point[2], -(double)point[2]};
                tell(o, point, good ? 0 : 1, f);
                feasible += good;
                if (good && first == 0)
                    first = t;
            }
            assert_true(first > 0 && first <= 64); /* a net of base 2: 8 x 8 boxes */
            assert_true(feasible > (200 - first) / 4);
            sc_optimizer_destroy(o);
        }
}

/* Told before anything was asked: the good ones have 38 in parameter 0, the others 0. Whatever the
 * good ones are better by, suggestions go near them: uniform ones would be over 30 in 10 of 40,
 * with a standard deviation of 2.7. */
static void check_prefers(const char *name, double bad_violation, double good_violation)
{
    const sc_problem six = run_ordered_41(6);
    sc_optimizer *o = create(name, &six, 7);
    size_t near = 0;
    for (uint32_t k = 0; k < 60; k++) {
        const bool good = k % 3 == 0;
        const uint32_t point[6] = {good ? 38 : 0, k % 41, 5, 5, k / 41, 5};
        const double f = good ? 1 : 2;
        const double miss = good ? good_violation : bad_violation;
        tell(o, point, miss * (1 + 1e-4 * k), &f); /* equal misses would teach nothing */
    }
    for (size_t k = 0; k < 40; k++) {
        uint32_t point[6];
        near += ask(o, point)[0] > 30;
    }
    if (near < 19)
        fail_msg("%s, misses of %g and %g: %zu of 40", name, good_violation, bad_violation, near);
    sc_optimizer_destroy(o);
}

static void test_uses_what_is_told(void **state)
{
    for (size_t k = 0; k < N_NAMES; k++) {
        check_prefers(names[k], 0, 0);
        check_prefers(names[k], 0.1, 0);
        check_prefers(names[k], HUGE_VAL, 0);
        if (strcmp(names[k], "firefly") != 0) /* there every fly has its turn, good or bad */
            check_prefers(names[k], 2, 0.5);
        check_prefers(names[k], HUGE_VAL, 0.5);
    }
}

/* ZDT1 (Zitzler, Deb, Thiele 2000) on 6 parameters: more of the front than random search. */
static double zdt1_volume(const char *name, uint64_t seed)
{
    static const double ref[] = {1.1, 6};
    sc_optimizer *o = NULL;
    sc_archive *a = NULL;
    sc_problem p = run_ordered_41(6);
    double volume;
    p.n_objectives = 2;
    o = create(name, &p, seed);
    assert_int_equal(sc_archive_create(&a, 2), SC_OK);
    for (size_t k = 0; k < 1500; k++) {
        uint32_t point[6];
        double g = 1;
        bool added;
        ask(o, point);
        for (size_t i = 1; i < 6; i++)
            g += 9.0 / 5 * point[i] / 40.0;
        const double f[] = {point[0] / 40.0, g * (1 - sqrt(point[0] / 40.0 / g))};
        tell(o, point, 0, f);
        assert_int_equal(sc_archive_add(a, f, k, &added), SC_OK);
    }
    assert_int_equal(sc_hypervolume(&volume, sc_archive_values(a, 0), sc_archive_count(a), 2, ref),
                     SC_OK);
    sc_archive_destroy(a);
    sc_optimizer_destroy(o);
    return volume;
}

static void test_two_objectives(void **state)
{
    const double random = zdt1_volume("random", 1);
    const double most = 1.1 * 6 - (1.0 / 3 + 0.1 * 0); /* above the curve 1 - sqrt(x), x to 1 */
    for (size_t k = 0; k < N_NAMES; k++)
        for (uint64_t seed = 1; seed <= 3; seed++) {
            const double volume = zdt1_volume(names[k], seed);
            assert_true(volume > random && volume > 0.96 * most && volume < most);
        }
}

/* ---- spaces at the edges ---- */

static double run_to_the_end(const char *name, const sc_problem *p, double violation, size_t most)
{
    sc_optimizer *o = create(name, p, 5);
    size_t n = 0;
    for (sc_stop why = SC_RUNNING; why == SC_RUNNING && n < most;) {
        static uint32_t point[MOST_PARAMS];
        static const double f[] = {1, 1, 1};
        size_t got;
        assert_int_equal(sc_optimizer_ask(o, 1, point, &got, &why), SC_OK);
        if (got > 0)
            tell(o, point, violation, f);
        n += got;
    }
    sc_optimizer_destroy(o);
    return (double)n;
}

static void test_edges(void **state)
{
    static const uint32_t one[] = {1}, two[] = {2}, thousand[] = {1000}, labels[] = {3, 4, 5, 2};
    static const bool all[] = {true, true, true, true};
    static uint32_t many[MOST_PARAMS];
    for (size_t i = 0; i < MOST_PARAMS; i++)
        many[i] = i % 7 + 1;
    const sc_problem spaces[] = {{1, one, ordered, 1, NULL, NULL, NULL},
                                 {1, two, ordered, 2, NULL, NULL, NULL},
                                 {1, thousand, ordered, 1, NULL, NULL, NULL},
                                 {4, labels, all, 3, NULL, NULL, NULL},
                                 {MOST_PARAMS, many, ordered, 2, NULL, NULL, NULL}};
    static const double points[] = {1, 2, 1000, 120, 150};
    static const double violations[] = {0, 3, HUGE_VAL};
    for (size_t k = 0; k < N_NAMES; k++)
        for (size_t s = 0; s < 5; s++)
            for (size_t v = 0; v < 3; v++)
                assert_true(run_to_the_end(names[k], &spaces[s], violations[v],
                                           s == 4 ? 150 : 2000) == points[s]);
}

static void test_rejects_options(void **state)
{
    const sc_problem six = run_ordered_41(6);
    static const struct {
        const char *name;
        uint32_t population, batch;
    } bad[] = {{"evolution", 3, 0},  {"evolution", 65537, 0}, {"firefly", 3, 0},
               {"firefly", 1001, 0}, {"lcs", 3, 0},           {"lcs", 65537, 0},
               {"lcs", 10, 65537}};
    for (size_t k = 0; k < sizeof bad / sizeof *bad; k++) {
        const sc_optimizer_options options = {
            .version = 1, .population = bad[k].population, .batch = bad[k].batch};
        sc_optimizer *o = NULL;
        assert_int_equal(sc_optimizer_create(&o, bad[k].name, &six, 1, &options), SC_EINVAL);
        assert_non_null(strstr(sc_error_message(), bad[k].name));
        assert_null(o);
    }
}

int main(void)
{
    const struct CMUnitTest t[] = {
        cmocka_unit_test(test_order),
        cmocka_unit_test(test_drop_first),
        cmocka_unit_test(test_convex),
        cmocka_unit_test(test_climbs_into_feasibility),
        cmocka_unit_test(test_spreads_while_blind),
        cmocka_unit_test(test_uses_what_is_told),
        cmocka_unit_test(test_two_objectives),
        cmocka_unit_test(test_edges),
        cmocka_unit_test(test_rejects_options),
    };
    return cmocka_run_group_tests_name("search_swarm", t, NULL, NULL);
}
