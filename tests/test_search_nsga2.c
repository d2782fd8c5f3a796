/* NSGA-II on problems whose fronts are known, against random search at the same budget. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka wants the four above first */
#include <cmocka.h>
#include <math.h>
#include <string.h>

#include "search/optimizer.h"
#include "search/pareto.h"

enum { MOST_PARAMS = 10, SEEDS = 8 };

/* Objectives [2] of a point; the violation, 0 = feasible. */
typedef double (*evaluate_fn)(const uint32_t *point, double *objectives);

struct task {
    sc_problem problem;
    evaluate_fn evaluate;
    double ref[2];
};

/* Binh and Korn 1997, the constrained test of Deb et al. 2002, 128 x 128 points. */
static double bnh(const uint32_t *p, double *f)
{
    const double x = p[0] * 5.0 / 127, y = p[1] * 3.0 / 127;
    const double inside = (x - 5) * (x - 5) + y * y - 25;
    const double outside = 7.7 - (x - 8) * (x - 8) - (y + 3) * (y + 3);
    f[0] = 4 * x * x + 4 * y * y;
    f[1] = (x - 5) * (x - 5) + (y - 5) * (y - 5);
    return fmax(inside / 25, 0) + fmax(outside / 7.7, 0);
}

/* ZDT1 (Zitzler, Deb, Thiele 2000) on 10 parameters of 32 values. */
static double zdt1(const uint32_t *p, double *f)
{
    double g = 1;
    for (size_t i = 1; i < 10; i++)
        g += p[i] / 31.0;
    f[0] = p[0] / 31.0;
    f[1] = g * (1 - sqrt(f[0] / g));
    return 0;
}

static const bool ordered[MOST_PARAMS] = {false};
static const uint32_t bnh_cardinality[] = {128, 128};
static const uint32_t zdt_cardinality[] = {32, 32, 32, 32, 32, 32, 32, 32, 32, 32};
static const struct task bnh_task = {
    {.n_params = 2, .cardinality = bnh_cardinality, .categorical = ordered, .n_objectives = 2},
    bnh,
    {140, 50}};
static const struct task zdt_task = {
    {.n_params = 10, .cardinality = zdt_cardinality, .categorical = ordered, .n_objectives = 2},
    zdt1,
    {1.1, 6}};

static void check_add(sc_archive *a, const double *f, uint64_t number)
{
    bool added;
    assert_int_equal(sc_archive_add(a, f, number, &added), SC_OK);
}

static double volume_of(const sc_archive *a, const struct task *t)
{
    double out = 0;
    if (sc_archive_count(a) > 0)
        assert_int_equal(
            sc_hypervolume(&out, sc_archive_values(a, 0), sc_archive_count(a), 2, t->ref), SC_OK);
    return out;
}

/* Hypervolume after so many evaluations in batches. */
static double run(const struct task *t, const char *name, uint64_t seed, size_t budget,
                  size_t batch, const sc_optimizer_options *options)
{
    sc_optimizer *o = NULL;
    sc_archive *a = NULL;
    assert_int_equal(sc_optimizer_create(&o, name, &t->problem, seed, options), SC_OK);
    assert_int_equal(sc_archive_create(&a, 2), SC_OK);
    for (size_t done = 0; done < budget; done += batch) {
        uint32_t points[32 * MOST_PARAMS];
        double f[32][2];
        sc_trial trials[32];
        size_t got;
        sc_stop why;
        assert_int_equal(sc_optimizer_ask(o, batch, points, &got, &why), SC_OK);
        for (size_t i = 0; i < got; i++) {
            const uint32_t *p = points + i * t->problem.n_params;
            const double violation = t->evaluate(p, f[i]);
            trials[i] = (sc_trial){p, violation > 0 ? SC_TRIAL_INFEASIBLE : SC_TRIAL_FEASIBLE,
                                   violation, f[i]};
            if (violation == 0)
                check_add(a, f[i], done + i);
        }
        assert_int_equal(sc_optimizer_tell(o, trials, got), SC_OK);
    }
    const double volume = volume_of(a, t);
    sc_archive_destroy(a);
    sc_optimizer_destroy(o);
    return volume;
}

/* Of BNH by looking at every point. */
static double bnh_volume(void)
{
    sc_archive *a = NULL;
    assert_int_equal(sc_archive_create(&a, 2), SC_OK);
    for (uint32_t k = 0; k < 128 * 128; k++) {
        const uint32_t p[] = {k / 128, k % 128};
        double f[2];
        if (bnh(p, f) == 0)
            check_add(a, f, k);
    }
    const double volume = volume_of(a, &bnh_task);
    sc_archive_destroy(a);
    return volume;
}

/* Of ZDT1: the others at 0, the first one anything. */
static double zdt_volume(void)
{
    double front[32][2], volume;
    for (uint32_t k = 0; k < 32; k++) {
        const uint32_t p[10] = {k};
        zdt1(p, front[k]);
    }
    assert_int_equal(sc_hypervolume(&volume, *front, 32, 2, zdt_task.ref), SC_OK);
    return volume;
}

static void test_constrained_front(void **state)
{
    const double whole = bnh_volume();
    for (uint64_t seed = 1; seed <= SEEDS; seed++)
        assert_true(run(&bnh_task, "nsga2", seed, 600, 10, NULL) > 0.985 * whole);
}

/* Of uniform points one in 9! has g below 2, and all of the curve g = 2 has 0.875 of the volume: so
 * random search stays below that, while the optimiser must reach the front at g = 1. */
static void test_many_parameters(void **state)
{
    const double whole = zdt_volume();
    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        assert_true(run(&zdt_task, "nsga2", seed, 2000, 20, NULL) > 0.98 * whole);
        assert_true(run(&zdt_task, "random", seed, 2000, 20, NULL) < 0.88 * whole);
    }
}

static void test_population_and_batch_of_choice(void **state)
{
    static const sc_optimizer_options options[] = {
        {.version = 1, .population = 4, .batch = 1},
        {.version = 1, .population = 20, .batch = 20},
        {.version = 1, .population = 40, .batch = 7},
    };
    const double whole = zdt_volume();
    for (size_t i = 0; i < 3; i++)
        assert_true(run(&zdt_task, "nsga2", 3, 3000, 20, &options[i]) > 0.9 * whole);
}

/* ---- what infeasible trials teach ---- */

/* All ten parameters must be at 28 or more: one point in 2^30. Only the miss shows the way. */
static double corner(const uint32_t *p, double *f)
{
    double miss = 0;
    f[0] = f[1] = 0;
    for (size_t i = 0; i < 10; i++) {
        miss += p[i] < 28 ? (28.0 - p[i]) / 28 : 0;
        f[0] += p[i];
        f[1] -= p[i];
    }
    return miss;
}

static void test_climbs_into_feasibility(void **state)
{
    const struct task t = {zdt_task.problem, corner, {400, 0}};
    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        assert_true(run(&t, "nsga2", seed, 1500, 10, NULL) > 0);
        assert_true(run(&t, "random", seed, 1500, 10, NULL) == 0);
    }
}

/* One in 64 is feasible and nothing shows which: what comes before the first feasible one must be
 * spread (the 128 first points of a net of base 2 hit each of 128 boxes), what comes after near it.
 */
static double hidden(const uint32_t *p, double *f)
{
    f[0] = p[2];
    f[1] = -(double)p[2];
    return p[0] / 16 == 5 && p[1] / 16 == 3 ? 0 : 1;
}

static void test_spreads_while_blind(void **state)
{
    static const uint32_t cardinality[] = {128, 128, 4};
    const sc_problem p = {
        .n_params = 3, .cardinality = cardinality, .categorical = ordered, .n_objectives = 2};
    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        sc_optimizer *o = NULL;
        size_t first = 0, feasible = 0;
        assert_int_equal(sc_optimizer_create(&o, "nsga2", &p, seed, NULL), SC_OK);
        for (size_t k = 1; k <= 200; k++) {
            uint32_t point[3];
            double f[2];
            size_t got;
            sc_stop why;
            assert_int_equal(sc_optimizer_ask(o, 1, point, &got, &why), SC_OK);
            const double violation = hidden(point, f);
            const sc_trial trial = {point, violation > 0 ? SC_TRIAL_INFEASIBLE : SC_TRIAL_FEASIBLE,
                                    violation, f};
            assert_int_equal(sc_optimizer_tell(o, &trial, 1), SC_OK);
            feasible += violation == 0;
            if (violation == 0 && first == 0)
                first = k;
        }
        assert_true(first > 0 && first <= 64); /* 8 x 8 boxes in two parameters */
        assert_true(feasible > (200 - first) / 4);
        sc_optimizer_destroy(o);
    }
}

/* Offspring of designs told at the start: parameter 0 stands at 3 in all of them. */
static void test_warm_start(void **state)
{
    uint32_t points[20][10] = {{0}};
    double f[20][2];
    sc_trial trials[20];
    sc_optimizer *o = NULL;
    size_t got, same = 0;
    sc_stop why;
    for (uint32_t k = 0; k < 20; k++) {
        points[k][0] = 3;
        points[k][1] = k;
        trials[k] = (sc_trial){points[k], SC_TRIAL_FEASIBLE, zdt1(points[k], f[k]), f[k]};
    }
    assert_int_equal(sc_optimizer_create(&o, "nsga2", &zdt_task.problem, 1, NULL), SC_OK);
    assert_int_equal(sc_optimizer_tell(o, trials, 20), SC_OK);
    assert_int_equal(sc_optimizer_ask(o, 20, *points, &got, &why), SC_OK);
    for (size_t k = 0; k < 20; k++)
        same += points[k][0] == 3;
    assert_true(same >= 12); /* of random points one in 32 */
    sc_optimizer_destroy(o);
}

/* Failed trials, and worse violations, are no parents while there are better ones. */
static void test_failed_ranks_last(void **state)
{
    sc_optimizer_options options = {.version = 1, .population = 4};
    uint32_t points[12][10] = {{0}};
    const double f[] = {1, 1};
    sc_trial trials[12];
    sc_optimizer *o = NULL;
    size_t got, same = 0;
    sc_stop why;
    for (uint32_t k = 0; k < 12; k++) {
        points[k][0] = k % 3 == 0 ? 31 : 0;
        points[k][1] = k;
        trials[k] = (sc_trial){points[k],
                               k % 3 == 0   ? SC_TRIAL_INFEASIBLE
                               : k % 3 == 1 ? SC_TRIAL_FAILED
                                            : SC_TRIAL_INFEASIBLE,
                               k % 3 == 0 ? 0.5 : 2, f};
    }
    assert_int_equal(sc_optimizer_create(&o, "nsga2", &zdt_task.problem, 1, &options), SC_OK);
    assert_int_equal(sc_optimizer_tell(o, trials, 11), SC_OK);
    trials[11].state = SC_TRIAL_INFEASIBLE; /* so that the four differ and show a way */
    trials[11].violation = 0.4;
    points[11][0] = 31;
    assert_int_equal(sc_optimizer_tell(o, &trials[11], 1), SC_OK);
    assert_int_equal(sc_optimizer_ask(o, 12, *points, &got, &why), SC_OK);
    for (size_t k = 0; k < 12; k++)
        same += points[k][0] > 15;
    assert_true(same >= 9);
    sc_optimizer_destroy(o);
}

/* One objective is a special case of several. */
static void test_single_objective(void **state)
{
    static const uint32_t cardinality[] = {50, 50, 50, 50};
    static const uint32_t best[] = {7, 43, 0, 49};
    const sc_problem p = {
        .n_params = 4, .cardinality = cardinality, .categorical = ordered, .n_objectives = 1};
    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        sc_optimizer *o = NULL;
        double least = HUGE_VAL;
        assert_int_equal(sc_optimizer_create(&o, "nsga2", &p, seed, NULL), SC_OK);
        for (size_t k = 0; k < 1500; k++) {
            uint32_t point[4];
            size_t got;
            sc_stop why;
            double sum = 0;
            assert_int_equal(sc_optimizer_ask(o, 1, point, &got, &why), SC_OK);
            for (size_t i = 0; i < 4; i++)
                sum += fabs((double)point[i] - best[i]);
            const sc_trial trial = {point, SC_TRIAL_FEASIBLE, 0, &sum};
            assert_int_equal(sc_optimizer_tell(o, &trial, 1), SC_OK);
            least = fmin(least, sum);
        }
        assert_true(least == 0); /* one of 6,250,000 points */
        sc_optimizer_destroy(o);
    }
}

int main(void)
{
    const struct CMUnitTest t[] = {
        cmocka_unit_test(test_constrained_front),
        cmocka_unit_test(test_many_parameters),
        cmocka_unit_test(test_population_and_batch_of_choice),
        cmocka_unit_test(test_climbs_into_feasibility),
        cmocka_unit_test(test_spreads_while_blind),
        cmocka_unit_test(test_warm_start),
        cmocka_unit_test(test_failed_ranks_last),
        cmocka_unit_test(test_single_objective),
    };
    return cmocka_run_group_tests_name("search_nsga2", t, NULL, NULL);
}
