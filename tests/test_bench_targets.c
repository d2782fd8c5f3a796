/* Test functions of the benchmarks: values by hand, fronts of the grid, scrambled labels. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka wants the four above first */
#include <cmocka.h>
#include <math.h>
#include <string.h>

#include "targets.h"

static target t;

static void open_target(const char *name)
{
    if (target_open(&t, name) != SC_OK)
        fail_msg("%s", sc_error_message());
}

static void assert_near(double got, double want)
{
    if (!(fabs(got - want) <= 1e-12 * fmax(1, fabs(want))))
        fail_msg("%.17g is not %.17g", got, want);
}

/* f and the violation of a point. */
static void assert_at(const char *name, const uint32_t *point, double f0, double f1,
                      double violation)
{
    double f[3], g[FUNCTION_MOST_CONSTRAINTS];
    sc_trial trial;
    open_target(name);
    target_evaluate(&t, point, &trial, f, g);
    assert_near(f[0], f0);
    assert_near(f[1], f1);
    assert_near(trial.violation, violation);
    assert_int_equal(trial.state, violation > 0 ? SC_TRIAL_INFEASIBLE : SC_TRIAL_FEASIBLE);
}

static void test_values_by_hand(void **state)
{
    const uint32_t quarter[10] = {16}, far[10] = {0, 64, 64, 64, 64, 64, 64, 64, 64, 64};
    assert_at("zdt1", quarter, 0.25, 0.5, 0);
    assert_at("zdt1", far, 0, 10, 0);
    assert_at("zdt2", quarter, 0.25, 0.9375, 0);
    assert_at("zdt3", quarter, 0.25, 0.25, 0); /* 1 - 0.5 - 0.25 sin(2.5 pi) */
    assert_at("bnh", (const uint32_t[]){0, 0}, 0, 50, 0);
    assert_at("bnh", (const uint32_t[]){1024, 1024}, 136, 4, 0);
    /* x = (0, 3): 25 + 9 of 25 */
    assert_at("bnh", (const uint32_t[]){0, 1024}, 36, 29, 9.0 / 25);
    /* x = (5, 1, 2, 0, 5, 10), a point of the front by the paper */
    assert_at("osy", (const uint32_t[]){10, 2, 2, 0, 8, 20}, -259, 155, 0);
    /* x = (0, 0, 1, 0, 1, 0): misses 1 by 2 of 2, 4 keeps 2; 5 keeps; 6: (1-3)^2 + 0 - 4 = 0 */
    assert_at("osy", (const uint32_t[]){0, 0, 0, 0, 0, 0}, -(100 + 4 + 0 + 16 + 0), 2, 1);
    /* x = (0, pi): the second by (0.25 + (pi - 0.5)^2 - 0.5) / 0.5 */
    assert_at("tnk", (const uint32_t[]){0, 1024}, 0, acos(-1.0),
              (pow(acos(-1.0) - 0.5, 2) - 0.25) / 0.5);
}

static void assert_constraints(const char *name, const uint32_t *point, const double *want)
{
    double f[3], g[FUNCTION_MOST_CONSTRAINTS];
    sc_trial trial;
    open_target(name);
    target_evaluate(&t, point, &trial, f, g);
    for (size_t i = 0; i < t.n_constraints; i++)
        assert_near(g[i], want[i]);
}

static void test_constraints_by_hand(void **state)
{
    /* (5, 0): 0 of 25, and 7.7 less 9 + 9; (0, 3): 34 of 25, and 7.7 less 64 + 36 */
    assert_constraints("bnh", (const uint32_t[]){1024, 0}, (const double[]){-1, (7.7 - 18) / 7.7});
    assert_constraints("bnh", (const uint32_t[]){0, 1024},
                       (const double[]){9.0 / 25, (7.7 - 100) / 7.7});
    /* x = (5, 1, 2, 0, 5, 10): the second and the fourth have nothing to spare */
    assert_constraints("osy", (const uint32_t[]){10, 2, 2, 0, 8, 20},
                       (const double[]){-2, 0, -3, 0, -0.75, -2.5});
    /* x = (1, 6, 1, 6, 3, 0): each of the six otherwise */
    assert_constraints("osy", (const uint32_t[]){2, 12, 0, 12, 4, 0},
                       (const double[]){-2.5, 1.0 / 6, 1.5, -9.5, 1.5, 1});
}

static void test_dtlz2_is_a_sphere(void **state)
{
    uint32_t point[12] = {10, 50, 32, 32, 32, 32, 32, 32, 32, 32, 32, 32};
    double f[3], g[FUNCTION_MOST_CONSTRAINTS];
    sc_trial trial;
    open_target("dtlz2");
    target_evaluate(&t, point, &trial, f, g);
    assert_near(f[0] * f[0] + f[1] * f[1] + f[2] * f[2], 1);
    point[11] = 64; /* a quarter farther out */
    target_evaluate(&t, point, &trial, f, g);
    assert_near(f[0] * f[0] + f[1] * f[1] + f[2] * f[2], 1.25 * 1.25);
}

/* Steps of the front's points below the reference (1, 10); the same with labels, as the first
 * variable keeps its order. */
static void test_volume_of_zdt1(void **state)
{
    double area = 0;
    for (int i = 0; i < 64; i++)
        area += (10 - (1 - sqrt(i / 64.0))) / 64;
    open_target("zdt1");
    assert_near(t.as.volume, area);
    open_target("zdt1-cat");
    assert_near(t.as.volume, area);
    open_target("dtlz2"); /* 3.5^3 less an eighth of the unit ball, a little less on the grid */
    assert_true(t.as.volume < 42.875 - acos(-1.0) / 6 && t.as.volume > 42.875 - 0.60);
}

/* Feasible points only, and their maxima: against going through the grid in another way. */
static void test_front_of_bnh(void **state)
{
    double top[2] = {0, 0}, volume = 0, least = HUGE_VAL;
    open_target("bnh-cat");
    assert_int_equal(t.problem.cardinality[1], 33);
    assert_true(t.problem.categorical[1] && !t.problem.categorical[0]);
    static double best[200000]; /* least f1 for each f0 in steps of 0.001 */
    for (size_t i = 0; i < sizeof best / sizeof *best; i++)
        best[i] = HUGE_VAL;
    for (uint32_t i = 0; i < 1025; i++)
        for (uint32_t j = 0; j < 33; j++) {
            const double x = 5.0 * i / 1024, y = 3.0 * j / 32;
            const double f0 = 4 * x * x + 4 * y * y, f1 = (x - 5) * (x - 5) + (y - 5) * (y - 5);
            if ((x - 5) * (x - 5) + y * y > 25 || (x - 8) * (x - 8) + (y + 3) * (y + 3) < 7.7)
                continue;
            top[0] = fmax(top[0], f0);
            top[1] = fmax(top[1], f1);
            best[(size_t)(f0 * 1000)] = fmin(best[(size_t)(f0 * 1000)], f1);
        }
    for (size_t i = 0; i < (size_t)(top[0] * 1000); i++) {
        least = fmin(least, best[i]);
        volume += fmax(top[1] - least, 0) * 0.001;
    }
    assert_near(t.ref[0], top[0]);
    assert_near(t.ref[1], top[1]);
    assert_true(fabs(t.as.volume - volume) < 0.001 * top[1] + 1e-3 * volume);
}

/* Every level has one label, and few neighbours stay neighbours. What the second variable alone
 * does to an objective: a line, or a square. */
static void test_labels_are_scrambled(void **state)
{
    static const char *const names[] = {"zdt1-cat", "bnh-cat", "osy-cat"};
    for (size_t k = 0; k < 3; k++) {
        bool seen[64] = {false};
        double does[64], least = HUGE_VAL, most = -HUGE_VAL, last = -9;
        size_t near = 0;
        open_target(names[k]);
        const uint32_t n = t.cardinality[1];
        for (uint32_t label = 0; label < n; label++) {
            uint32_t point[FUNCTION_MOST_VARIABLES] = {0, label};
            double f[3], g[FUNCTION_MOST_CONSTRAINTS];
            sc_trial trial;
            target_evaluate(&t, point, &trial, f, g);
            does[label] = k == 1 ? f[0] : f[1];
            least = fmin(least, does[label]);
            most = fmax(most, does[label]);
        }
        for (uint32_t label = 0; label < n; label++) {
            const double part = (does[label] - least) / (most - least);
            const double level = (k == 0 ? part : sqrt(part)) * (n - 1);
            const size_t at = (size_t)lround(level);
            assert_true(fabs(level - (double)at) < 1e-6 && at < n && !seen[at]);
            seen[at] = true;
            near += fabs(level - last) < 1.5;
            last = level;
        }
        assert_true(near <= n / 4);
    }
}

/* Functions held back: values by hand, and points of their fronts by the papers. */
static void test_held_values_by_hand(void **state)
{
    uint32_t ten[10] = {16, 32, 32, 32, 32, 32, 32, 32, 32, 32};
    assert_at("zdt4", ten, 0.25, 0.5, 0);
    ten[9] = 64; /* 5: 25 - 10 cos(20 pi) = 15 for -10 */
    assert_at("zdt4", ten, 0.25, 26 * (1 - sqrt(0.25 / 26)), 0);
    /* x0 = 0: f0 = 1; all others 1: g = 10 */
    assert_at("zdt6", (const uint32_t[10]){0}, 1, 0, 0);
    assert_at("zdt6", (const uint32_t[]){0, 64, 64, 64, 64, 64, 64, 64, 64, 64}, 1, 9.9, 0);
    assert_at("dtlz1", (const uint32_t[]){32, 16, 32, 32, 32, 32, 32}, 0.0625, 0.1875, 0);
    /* one of five at 0: 0.25 - cos(10 pi) + 1 = 0.25 more, so 26 times as far */
    assert_at("dtlz1", (const uint32_t[]){32, 16, 0, 32, 32, 32, 32}, 1.625, 4.875, 0);
    assert_at("dtlz7", (const uint32_t[12]){32, 64}, 0.5, 1, 0);
    /* x = (20, 20): 575 over 225, and 20 - 60 + 10 is kept; (-20, -20): 50 over 10 as well */
    assert_at("srn", (const uint32_t[]){1024, 1024}, 2 + 324 + 361, 180 - 361, 575.0 / 225);
    assert_at("srn", (const uint32_t[]){0, 0}, 2 + 484 + 441, -180 - 441, 575.0 / 225 + 5);
    /* x = (1, 0) and (0.1, 5): 6 - 5 - 0.9 over 6, and 6 - 0.9 */
    assert_at("constr", (const uint32_t[]){1024, 0}, 1, 1, 0);
    assert_at("constr", (const uint32_t[]){0, 1024}, 0.1, 60, 0.1 / 6 + 5.1);
}

/* The plane of DTLZ1 and the pieces of DTLZ7 by their third objectives. */
static void test_held_third_objectives(void **state)
{
    double f[3], g[FUNCTION_MOST_CONSTRAINTS];
    sc_trial trial;
    open_target("dtlz1");
    target_evaluate(&t, (const uint32_t[]){40, 16, 32, 32, 32, 32, 32}, &trial, f, g);
    assert_near(f[0] + f[1] + f[2], 0.5);
    open_target("dtlz7");
    target_evaluate(&t, (const uint32_t[12]){0}, &trial, f, g);
    assert_near(f[2], 6);
    /* 2 (3 - 0.25 (1 + sin(1.5 pi)) - 0.5 (1 + sin(3 pi))) */
    target_evaluate(&t, (const uint32_t[12]){32, 64}, &trial, f, g);
    assert_near(f[2], 5);
    assert_near(t.ref[2], 33);
}

/* The optimum of the welded beam's cost by the literature, 2.381 at (0.2444, 6.2175, 8.2915,
 * 0.2444), lies between grid points that are near it and dearer. */
static void test_held_beam(void **state)
{
    double f[3], g[FUNCTION_MOST_CONSTRAINTS];
    const double x[] = {0.2444, 6.2175, 8.2915, 0.2444};
    open_target("weld");
    t.function->value(f, g, x, 4);
    assert_true(fabs(f[0] - 2.381) < 2e-3 && fabs(g[0]) < 2e-3 && fabs(g[1]) < 2e-3);
    assert_true(fabs(g[2]) < 1e-9 && fabs(g[3]) < 2e-3);
}

/* Parts: the first processor and memory, one of each: 4000 / 7, 6000 / 16 + 300. */
static void test_held_parts(void **state)
{
    double f[3], g[FUNCTION_MOST_CONSTRAINTS];
    const double x[5] = {0}, work = 4000.0 / 7, traffic = 6000.0 / 16 + 300;
    uint32_t point[5] = {0};
    size_t feasible = 0;
    sc_trial trial;
    open_target("board");
    assert_true(t.categorical[0] && t.categorical[1] && !t.categorical[2]);
    t.function->value(f, g, x, 5);
    assert_near(f[0], traffic + 0.2 * work + 2);
    assert_near(f[1], 60 + 40 + 7);
    assert_near(g[0], (9 + 6 + 1 - 60) / 60.0);
    assert_near(g[1], 36.0 / 40);
    assert_near(g[2], (2.7 + 3 + 2 - 45) / 45.0);
    for (uint32_t k = 0; k < 12 * 8 * 4096; k++) {
        const uint32_t next[5] = {k / 32768, k / 4096 % 8, k / 256 % 16, k / 16 % 16, k % 16};
        memcpy(point, next, sizeof next);
        target_evaluate(&t, point, &trial, f, g);
        feasible += trial.state == SC_TRIAL_FEASIBLE;
    }
    /* counted by a program of its own in another language */
    assert_int_equal(feasible, 12776);
    open_target("board-time");
    t.function->value(f, g, (const double[]){0, 0, 7, 7, 0}, 5);
    assert_near(g[3], (8 * 60 + 8 * 40 + 7 - 500) / 500.0);
}

static void test_names(void **state)
{
    char names[TARGET_MOST][TARGET_NAME_LEN];
    assert_int_equal(target_names(names, false), 14);
    assert_string_equal(names[0], "zdt1");
    assert_string_equal(names[13], "tnk-cat");
    assert_int_equal(target_names(names, true), 9 + 7); /* two have labels by nature */
    assert_string_equal(names[0], "zdt4");
    assert_string_equal(names[15], "weld-cat");
    assert_int_equal(target_open(&t, "board-cat"), SC_ENOTFOUND);
    assert_int_equal(target_open(&t, "zdt5"), SC_ENOTFOUND);
    assert_int_equal(target_open(&t, "nothing.yaml"), SC_ENOTFOUND);
    target_close(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_values_by_hand),
        cmocka_unit_test(test_constraints_by_hand),
        cmocka_unit_test(test_dtlz2_is_a_sphere),
        cmocka_unit_test(test_volume_of_zdt1),
        cmocka_unit_test(test_front_of_bnh),
        cmocka_unit_test(test_labels_are_scrambled),
        cmocka_unit_test(test_held_values_by_hand),
        cmocka_unit_test(test_held_third_objectives),
        cmocka_unit_test(test_held_beam),
        cmocka_unit_test(test_held_parts),
        cmocka_unit_test(test_names),
    };
    return cmocka_run_group_tests_name("bench_targets", tests, NULL, NULL);
}
