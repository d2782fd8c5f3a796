/* Gaussian processes: kernel, model, fit and gain against plain versions. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka wants the four above first */
#include <cmocka.h>
#include <math.h>
#include <string.h>

#include "core/rng.h"
#include "search/opt_gp.h"
#include "search/pareto.h"

static void assert_near(double got, double want, double tolerance)
{
    if (!(fabs(got - want) <= tolerance))
        fail_msg("%.17g is not within %g of %.17g", got, tolerance, want);
}

enum { ORDERED = 3, LABELS = 2, COLUMNS = 5, ROWS = 20 };

/* ---- kernel ---- */

/* Matern-5/2 at distance 1: (1 + 2.236068 + 1.666667) exp(-2.236068) = 0.523994. */
static void test_kernel_by_hand(void **state)
{
    const double a[] = {0.25, 3}, b[] = {0.75, 3}, c[] = {0.25, 1}, d[] = {0.75, 1};
    sc_gp_kernel k;
    sc_gp_kernel_start(&k, 1, 1);
    k.theta[0] = log(0.5); /* a length that makes 0.25 to 0.75 a distance of 1 */
    k.theta[1] = log(2.0);
    k.theta[2] = log(0.3 / 0.7);
    sc_gp_kernel_set(&k);
    const double x = 0.523994, h = exp(-2);
    assert_near(sc_gp_kernel_at(&k, a, a), 1, 1e-15);
    assert_near(sc_gp_kernel_at(&k, a, b), 0.35 * (x + 1) + 0.3 * x, 1e-6);
    assert_near(sc_gp_kernel_at(&k, a, c), 0.35 * (1 + h) + 0.3 * h, 1e-12);
    assert_near(sc_gp_kernel_at(&k, a, d), 0.35 * (x + h) + 0.3 * x * h, 1e-6);
    sc_gp_kernel_start(&k, 2, 0); /* lengths sqrt(2) / 2: squares of 2 * (0.5^2 + 0.5^2) = 1 */
    const double p[] = {0, 0.5}, q[] = {0.5, 0};
    assert_near(sc_gp_kernel_at(&k, p, q), x, 1e-6);
    sc_gp_kernel_start(&k, 0, 4); /* weights 1/2 each, two apart */
    const double r[] = {0, 1, 2, 3}, s[] = {0, 2, 2, 1};
    assert_near(sc_gp_kernel_at(&k, r, s), exp(-1), 1e-12);
}

/* ---- model ---- */

struct data {
    double x[ROWS + 2][COLUMNS], y[ROWS];
};

static struct data make_data(uint64_t seed)
{
    struct data d;
    sc_rng r;
    sc_rng_init(&r, seed, 1, 1);
    for (size_t i = 0; i < ROWS + 2; i++)
        for (size_t j = 0; j < COLUMNS; j++)
            d.x[i][j] =
                j < ORDERED ? gsl_rng_uniform(&r.gsl) : (double)gsl_rng_uniform_int(&r.gsl, 3);
    for (size_t i = 0; i < ROWS; i++)
        d.y[i] = sin(5 * d.x[i][0]) + 0.5 * d.x[i][1] + (d.x[i][3] == 1 ? 0.7 : 0);
    return d;
}

static sc_gp_model make_model(void)
{
    sc_gp_model g;
    assert_int_equal(sc_gp_model_create(&g, ORDERED, LABELS, ROWS + 2), SC_OK);
    for (size_t j = 0; j < COLUMNS + 2; j++)
        g.kernel.theta[j] = -0.7 + 0.2 * (double)j;
    g.kernel.theta[COLUMNS + 1] = log(0.01);
    sc_gp_kernel_set(&g.kernel);
    return g;
}

/* Solve a [n][n] x = b by elimination with pivots; also the log of |det a|. */
static double plain_solve(size_t n, double a[][ROWS + 2], double *b)
{
    double log_det = 0;
    for (size_t k = 0; k < n; k++) {
        size_t pivot = k;
        for (size_t i = k + 1; i < n; i++)
            if (fabs(a[i][k]) > fabs(a[pivot][k]))
                pivot = i;
        for (size_t j = 0; j < n; j++) {
            const double t = a[k][j];
            a[k][j] = a[pivot][j];
            a[pivot][j] = t;
        }
        const double t = b[k];
        b[k] = b[pivot];
        b[pivot] = t;
        log_det += log(fabs(a[k][k]));
        for (size_t i = k + 1; i < n; i++) {
            const double f = a[i][k] / a[k][k];
            for (size_t j = k; j < n; j++)
                a[i][j] -= f * a[k][j];
            b[i] -= f * b[k];
        }
    }
    for (size_t k = n; k-- > 0;) {
        for (size_t j = k + 1; j < n; j++)
            b[k] -= a[k][j] * b[j];
        b[k] /= a[k][k];
    }
    return log_det;
}

static void plain_matrix(const sc_gp_kernel *k, const struct data *d, size_t n,
                         double a[][ROWS + 2])
{
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++)
            a[i][j] = sc_gp_kernel_at(k, d->x[i], d->x[j]) + (i == j ? k->noise : 0);
}

/* k' (K + noise)^-1 v */
static double plain_product(const sc_gp_kernel *k, const struct data *d, size_t n, const double *x,
                            const double *v)
{
    double a[ROWS + 2][ROWS + 2], b[ROWS + 2], sum = 0;
    plain_matrix(k, d, n, a);
    memcpy(b, v, n * sizeof *v);
    plain_solve(n, a, b);
    for (size_t i = 0; i < n; i++)
        sum += sc_gp_kernel_at(k, x, d->x[i]) * b[i];
    return sum;
}

static void check_prediction(sc_gp_model *g, const struct data *d, size_t n)
{
    double candidate[COLUMNS][SC_GP_BLOCK], mean[SC_GP_BLOCK], variance[SC_GP_BLOCK], b[ROWS];
    const struct data other = make_data(77);
    double a[ROWS + 2][ROWS + 2], squares = 0;
    for (size_t c = 0; c < SC_GP_BLOCK; c++)
        for (size_t j = 0; j < COLUMNS; j++)
            candidate[j][c] = other.x[c][j];
    sc_gp_model_predict(g, *d->x, *candidate, mean, variance);
    plain_matrix(&g->kernel, d, ROWS, a);
    memcpy(b, d->y, sizeof b);
    plain_solve(ROWS, a, b);
    for (size_t i = 0; i < ROWS; i++)
        squares += d->y[i] * b[i];
    assert_near(g->scale, (squares + 2) / (ROWS + 2), 1e-9);
    for (size_t c = 0; c < SC_GP_BLOCK; c++) {
        double near[ROWS + 2];
        for (size_t i = 0; i < n; i++)
            near[i] = sc_gp_kernel_at(&g->kernel, other.x[c], d->x[i]);
        assert_near(mean[c], plain_product(&g->kernel, d, ROWS, other.x[c], d->y), 1e-9);
        assert_near(variance[c], g->scale * (1 - plain_product(&g->kernel, d, n, other.x[c], near)),
                    1e-9);
    }
}

/* Rows that are only known to come take variance away, as if told, and leave the mean. */
static void test_model_is_plain_algebra(void **state)
{
    const struct data d = make_data(3);
    sc_gp_model g = make_model();
    for (uint32_t i = 0; i < ROWS; i++)
        sc_gp_model_add(&g, *d.x, i);
    g.n_told = ROWS;
    memcpy(g.y, d.y, sizeof d.y);
    sc_gp_model_solve(&g);
    check_prediction(&g, &d, ROWS);
    sc_gp_model_add(&g, *d.x, ROWS);
    sc_gp_model_add(&g, *d.x, ROWS + 1);
    sc_gp_model_solve(&g);
    check_prediction(&g, &d, ROWS + 2);
    sc_gp_model_clear(&g);
}

/* The same bits whether rows come one by one, or again after some were taken off. */
static void test_rows_come_and_go(void **state)
{
    const struct data d = make_data(4);
    sc_gp_model a = make_model(), b = make_model();
    for (uint32_t i = 0; i < ROWS; i++)
        sc_gp_model_add(&a, *d.x, i);
    for (uint32_t i = 0; i < 9; i++)
        sc_gp_model_add(&b, *d.x, i);
    sc_gp_model_add(&b, *d.x, ROWS);
    b.n = 9;
    for (uint32_t i = 9; i < ROWS; i++)
        sc_gp_model_add(&b, *d.x, i);
    assert_memory_equal(a.l, b.l, ROWS * (ROWS + 1) / 2 * sizeof *a.l);
    sc_gp_model_clear(&a);
    sc_gp_model_clear(&b);
}

/* ---- fit ---- */

static double plain_value(const sc_gp_kernel *k, const struct data *d)
{
    double a[ROWS + 2][ROWS + 2], b[ROWS], squares = 0, value = 0;
    plain_matrix(k, d, ROWS, a);
    memcpy(b, d->y, sizeof b);
    const double log_det = plain_solve(ROWS, a, b);
    for (size_t i = 0; i < ROWS; i++)
        squares += d->y[i] * b[i];
    for (size_t j = 0; j < COLUMNS + 2; j++) {
        static const double width[] = {3, 3, 3, 3, 3, 2.25, 2.25}; /* squared */
        const double at = j < ORDERED    ? sqrt(2) + 0.5 * log(5)
                          : j < COLUMNS  ? -0.5 * log(5)
                          : j == COLUMNS ? 0
                                         : -6;
        value += 0.5 * (k->theta[j] - at) * (k->theta[j] - at) / width[j];
    }
    return value + 0.5 * log_det + 0.5 * (ROWS + 2) * log((squares + 2) / (ROWS + 2));
}

static void test_fit_value_and_gradient(void **state)
{
    const struct data d = make_data(5);
    sc_gp_model g = make_model();
    sc_gp_fit f;
    double gradient[SC_GP_THETA], unused[SC_GP_THETA];
    assert_int_equal(sc_gp_fit_create(&f), SC_OK);
    for (uint32_t i = 0; i < ROWS; i++) {
        f.slot[i] = i;
        f.y[i] = d.y[i];
    }
    assert_near(sc_gp_fit_value(&f, &g.kernel, *d.x, ROWS, gradient), plain_value(&g.kernel, &d),
                1e-8);
    for (size_t j = 0; j < COLUMNS + 2; j++) {
        const double was = g.kernel.theta[j], h = 1e-5;
        g.kernel.theta[j] = was + h;
        sc_gp_kernel_set(&g.kernel);
        const double up = sc_gp_fit_value(&f, &g.kernel, *d.x, ROWS, unused);
        assert_near(up, plain_value(&g.kernel, &d), 1e-8);
        g.kernel.theta[j] = was - h;
        sc_gp_kernel_set(&g.kernel);
        const double down = sc_gp_fit_value(&f, &g.kernel, *d.x, ROWS, unused);
        g.kernel.theta[j] = was;
        sc_gp_kernel_set(&g.kernel);
        assert_near(gradient[j], (up - down) / (2 * h), 1e-5 * (1 + fabs(gradient[j])));
    }
    sc_gp_fit_clear(&f);
    sc_gp_model_clear(&g);
}

/* Values that hang on the first column and the first label: those must count most. */
static void test_fit_finds_what_counts(void **state)
{
    struct data d = make_data(6);
    sc_gp_model g = make_model();
    sc_gp_fit f;
    double unused[SC_GP_THETA];
    assert_int_equal(sc_gp_fit_create(&f), SC_OK);
    for (uint32_t i = 0; i < ROWS; i++) {
        d.y[i] = sin(6 * d.x[i][0]) + (d.x[i][3] == 1 ? 1 : 0);
        sc_gp_model_add(&g, *d.x, i);
        g.y[i] = d.y[i];
        f.slot[i] = i;
        f.y[i] = d.y[i];
    }
    g.n_told = ROWS;
    sc_gp_kernel_start(&g.kernel, ORDERED, LABELS);
    const double before = sc_gp_fit_value(&f, &g.kernel, *d.x, ROWS, unused);
    sc_gp_fit_run(&f, &g, *d.x, 40);
    assert_true(sc_gp_fit_value(&f, &g.kernel, *d.x, ROWS, unused) < before - 1);
    assert_int_equal(g.fitted, ROWS);
    for (size_t j = 1; j < ORDERED; j++)
        assert_true(g.kernel.theta[0] < g.kernel.theta[j] - 1);
    assert_true(g.kernel.theta[3] > g.kernel.theta[4] + 1);
    sc_gp_fit_clear(&f);
    sc_gp_model_clear(&g);
}

/* ---- gain ---- */

static double density(double x, double mean, double deviation)
{
    const double z = (x - mean) / deviation;
    return exp(-0.5 * z * z) / (deviation * sqrt(2 * acos(-1)));
}

static void test_improvement(void **state)
{
    for (int i = -3; i <= 3; i++) {
        const double best = 0.2, mean = 0.2 + 0.4 * i, deviation = 0.5, h = 1e-3;
        double sum = 0;
        for (double y = mean - 6; y < best; y += h)
            sum += (best - y - h / 2) * density(y + h / 2, mean, deviation) * h;
        assert_near(sc_gp_improvement(best, mean, deviation), sum, 1e-3);
    }
    assert_near(sc_gp_improvement(1, 1, 2), 2 * 0.3989422804, 1e-9);
    assert_near(sc_gp_improvement(3, 1, 1e-9), 2, 1e-8);
}

/* Hypervolume gained over the front, integrated over a grid of outcomes. */
static double plain_gain(const sc_gp_gain *g, const double *mean, const double *deviation)
{
    const int n = 120;
    double sum = 0, before, v[9][2];
    memcpy(v, g->front, g->n * sizeof *v);
    assert_int_equal(sc_hypervolume(&before, *v, g->n, 2, g->ref), SC_OK);
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            double after;
            v[g->n][0] = mean[0] + deviation[0] * (-5 + (i + 0.5) * 10.0 / n);
            v[g->n][1] = mean[1] + deviation[1] * (-5 + (j + 0.5) * 10.0 / n);
            assert_int_equal(sc_hypervolume(&after, *v, g->n + 1, 2, g->ref), SC_OK);
            sum += (after - before) * density(v[g->n][0], mean[0], deviation[0]) *
                   density(v[g->n][1], mean[1], deviation[1]);
        }
    return sum * deviation[0] * deviation[1] * (10.0 / n) * (10.0 / n);
}

static void test_hypervolume_gain(void **state)
{
    double front[9][2] = {{3, 1}, {1, 4}, {2, 2}, {3, 3}}; /* unsorted, the last one dominated */
    static const double mean[][2] = {{2, 3}, {1, 1}, {4, 0.5}, {0, 6}, {3.5, 3.5}, {9, 9}};
    const double deviation[] = {0.6, 0.9};
    sc_gp_gain g = {.m = 2, .n = 4, .front = *front, .ref = {5, 5}, .weight = {0.5, 0.5}};
    sc_gp_gain_ready(&g);
    assert_int_equal(g.n, 3);
    for (size_t k = 0; k < 5; k++) {
        const double want = plain_gain(&g, mean[k], deviation);
        assert_near(sc_gp_gain_of(&g, mean[k], deviation), want, 2e-3 * (1 + want));
    }
    assert_true(sc_gp_gain_of(&g, mean[5], deviation) < 1e-6);
    const double sure[] = {1e-6, 1e-6}, at[] = {1.5, 1.5};
    assert_near(sc_gp_gain_of(&g, at, sure), 0.5 * 2.5 + 1 * 0.5, 1e-4);
}

/* A front of many points: merged ones see no gain where there is none, and little less elsewhere.
 */
static void test_merged_front(void **state)
{
    enum { MANY = 300 };
    double front[MANY][2], all[MANY + 1][2], before, after;
    const double sure[] = {1e-9, 1e-9};
    sc_gp_gain g = {.m = 2, .n = MANY, .front = *front, .ref = {1.5, 1.5}, .weight = {0.5, 0.5}};
    for (size_t i = 0; i < MANY; i++) {
        front[i][0] = all[i][0] = (double)i / (MANY - 1);
        front[i][1] = all[i][1] = 1 - sqrt((double)i / (MANY - 1));
    }
    assert_int_equal(sc_hypervolume(&before, *all, MANY, 2, g.ref), SC_OK);
    sc_gp_gain_ready(&g);
    assert_int_equal(g.n, SC_GP_FRONT);
    for (size_t i = 0; i < MANY; i++)
        assert_true(sc_gp_gain_of(&g, all[i], sure) < 1e-8);
    all[MANY][0] = 0.2;
    all[MANY][1] = 0.2;
    assert_int_equal(sc_hypervolume(&after, *all, MANY + 1, 2, g.ref), SC_OK);
    const double gain = sc_gp_gain_of(&g, all[MANY], sure);
    assert_true(gain < after - before && gain > 0.9 * (after - before));
}

/* In four objectives: the scalar's improvement where nothing is uncertain. Front (0, 1, 1, 1),
 * (1, 0, 0, 0): ranges 1, weights 0.4, 0.2, 0.2, 0.2; scalars 0.2 + 0.05 * 0.6 and 0.4 + .. . */
static void test_scalar_gain(void **state)
{
    double front[2][4] = {{0, 1, 1, 1}, {1, 0, 0, 0}};
    const double sure[] = {0, 0, 0, 0}, good[] = {0.2, 0.1, 0.2, 0.1}, bad[] = {0.8, 0.8, 0.8, 0.8};
    sc_gp_gain g = {.m = 4, .n = 2, .front = *front, .weight = {0.4, 0.2, 0.2, 0.2}};
    sc_gp_gain_ready(&g);
    assert_near(g.best, 0.23, 1e-12);
    assert_near(sc_gp_gain_of(&g, good, sure), 0.23 - (0.08 + 0.05 * 0.16), 1e-8);
    assert_true(sc_gp_gain_of(&g, bad, sure) < 1e-8);
}

/* In three objectives: a sure outcome gains what the exact hypervolume says, wherever it lies, and
 * an uncertain one the mean of that over a grid of outcomes. */
static void test_hypervolume_gain_in_three(void **state)
{
    enum { POINTS = 12, GRID = 40 };
    double front[POINTS][3], all[POINTS + 1][3], before, after, upto[3 * (POINTS + 1)], sum = 0;
    uint32_t slab[POINTS + 2], stair[POINTS * (POINTS + 1) / 2];
    sc_gp_gain g = {.m = 3,
                    .n = POINTS,
                    .front = *front,
                    .ref = {9, 9, 9},
                    .slab = slab,
                    .stair = stair,
                    .upto = upto};
    sc_rng r;
    sc_rng_init(&r, 2, 2, 2);
    for (size_t i = 0; i < POINTS; i++)
        for (size_t j = 0; j < 3; j++) /* with ties and dominated ones */
            front[i][j] = all[i][j] = (double)gsl_rng_uniform_int(&r.gsl, 8);
    assert_int_equal(sc_hypervolume(&before, *all, POINTS, 3, g.ref), SC_OK);
    sc_gp_gain_ready(&g);
    double *last = all[POINTS];
    for (int k = 0; k < 200; k++) {
        const double sure[] = {1e-9, 1e-9, 1e-9};
        for (size_t j = 0; j < 3; j++)
            last[j] = 9 * gsl_rng_uniform(&r.gsl);
        assert_int_equal(sc_hypervolume(&after, *all, POINTS + 1, 3, g.ref), SC_OK);
        assert_near(sc_gp_gain_of(&g, last, sure), after - before, 1e-6);
    }
    const double mean[] = {3, 2, 4}, deviation[] = {1, 1.5, 0.7};
    for (int i = 0; i < GRID * GRID * GRID; i++) {
        const int at[] = {i / GRID / GRID, i / GRID % GRID, i % GRID};
        double f = 1;
        for (size_t j = 0; j < 3; j++) {
            const double h = 8.0 / GRID, z = -4 + (at[j] + 0.5) * h;
            last[j] = mean[j] + deviation[j] * z;
            f *= density(z, 0, 1) * h;
        }
        assert_int_equal(sc_hypervolume(&after, *all, POINTS + 1, 3, g.ref), SC_OK);
        sum += f * (after - before);
    }
    assert_near(sc_gp_gain_of(&g, mean, deviation), sum, 0.01 * sum);
}

int main(void)
{
    const struct CMUnitTest t[] = {
        cmocka_unit_test(test_kernel_by_hand),
        cmocka_unit_test(test_model_is_plain_algebra),
        cmocka_unit_test(test_rows_come_and_go),
        cmocka_unit_test(test_fit_value_and_gradient),
        cmocka_unit_test(test_fit_finds_what_counts),
        cmocka_unit_test(test_improvement),
        cmocka_unit_test(test_hypervolume_gain),
        cmocka_unit_test(test_merged_front),
        cmocka_unit_test(test_hypervolume_gain_in_three),
        cmocka_unit_test(test_scalar_gain),
    };
    return cmocka_run_group_tests_name("search_gp_model", t, NULL, NULL);
}
