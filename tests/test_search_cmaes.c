/* CMA-ES with margin: single steps against the papers, then whole searches. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka wants the four above first */
#include <cmocka.h>
#include <gsl/gsl_cdf.h>
#include <math.h>
#include <string.h>

#include "core/mem.h"
#include "search/opt_cmaes.h"
#include "search/optimizer.h"
#include "search_runs.h"

static void assert_near(double got, double want, double tolerance)
{
    if (!(fabs(got - want) <= tolerance))
        fail_msg("%.17g is not within %g of %.17g", got, tolerance, want);
}

enum { N = 3, ROWS = 6, SEEDS = 10 };
static const uint32_t three[N] = {7, 5, 11};

/* ---- weights and rates ---- */

/* Population 6: w' = ln 3.5 - ln i; positive ones over their sum 1.966526. By hand, 5 digits. */
static void test_weights_and_rates(void **state)
{
    static const double want[3] = {0.63704, 0.28457, 0.07839};
    double weight[6], negative = 0;
    sc_gauss_rates r = {.weight = weight};
    sc_gauss_rates_of(&r, 10, 6);
    assert_int_equal(r.mu, 3);
    for (size_t i = 0; i < 3; i++) {
        assert_near(weight[i], want[i], 2e-5);
        assert_true(weight[3 + i] < 0);
        negative -= weight[3 + i];
    }
    assert_near(r.mu_eff, 2.0286, 1e-4); /* 1 / sum of squares */
    assert_near(r.c_sigma, 4.0286 / 17.0286, 1e-4);
    assert_near(r.d_sigma, 1 + 4.0286 / 17.0286, 1e-4); /* sqrt(1.0286 / 11) < 1 */
    assert_near(r.c_c, 4.20286 / 14.40572, 1e-4);
    assert_near(r.c_1, 2 / (11.3 * 11.3 + 2.0286), 1e-6);
    assert_near(r.c_mu, 2 * (0.25 + 2.0286 + 1 / 2.0286 - 2) / (144 + 2.0286), 1e-6);
    assert_near(r.chi, 3.16228 * (1 - 1.0 / 40 + 1.0 / 2100), 1e-4);
    /* raw negative weights -0.13353, -0.35667, -0.53900: minus mu_eff 2.43187, so the least of
     * 1 + c_1 / c_mu, 1 + 4.86374 / 4.0286, (1 - c_1 - c_mu) / (10 c_mu) is the second or first */
    const double alpha =
        fmin(1 + r.c_1 / r.c_mu, fmin(2.2073, (1 - r.c_1 - r.c_mu) / (10 * r.c_mu)));
    assert_near(negative, alpha, 1e-4);
    assert_near(r.weight_sum, 1 - negative, 1e-12);
}

/* ---- one update against the equations, written out plainly ---- */

struct plain {
    double mean[N], sigma, c[N][N], path_sigma[N], path_c[N];
    int generation;
};

static void plain_root(double l[N][N], double c[N][N])
{
    memset(l, 0, N * sizeof *l);
    for (int j = 0; j < N; j++)
        for (int k = 0; k <= j; k++) {
            double v = c[j][k];
            for (int i = 0; i < k; i++)
                v -= l[j][i] * l[k][i];
            l[j][k] = j == k ? sqrt(v) : v / l[k][k];
        }
}

static void plain_solve(double out[N], double l[N][N], const double y[N])
{
    for (int j = 0; j < N; j++) {
        out[j] = y[j];
        for (int k = 0; k < j; k++)
            out[j] -= l[j][k] * out[k];
        out[j] /= l[j][j];
    }
}

static double norm(const double v[N])
{
    return sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
}

static void plain_update(struct plain *p, const sc_gauss_rates *r, double x[ROWS][N])
{
    double l[N][N], y[ROWS][N], z[N], yw[N] = {0}, zw[N], w[ROWS];
    plain_root(l, p->c);
    for (int i = 0; i < ROWS; i++) {
        for (int j = 0; j < N; j++)
            y[i][j] = (x[i][j] - p->mean[j]) / p->sigma;
        plain_solve(z, l, y[i]);
        assert_true(norm(z) < sqrt(N) + 2.0 * N / (N + 2)); /* else it would be cut */
        w[i] = i < ROWS / 2 ? r->weight[i] : r->weight[i] * N / (norm(z) * norm(z));
        for (int j = 0; j < N && i < ROWS / 2; j++)
            yw[j] += r->weight[i] * y[i][j];
    }
    plain_solve(zw, l, yw);
    for (int j = 0; j < N; j++) {
        p->mean[j] += p->sigma * yw[j];
        p->path_sigma[j] = (1 - r->c_sigma) * p->path_sigma[j] +
                           sqrt(r->c_sigma * (2 - r->c_sigma) * r->mu_eff) * zw[j];
    }
    const double length = norm(p->path_sigma);
    const double left = length / sqrt(1 - pow(1 - r->c_sigma, 2 * (p->generation + 1)));
    const int h = left < (1.4 + 2.0 / (N + 1)) * r->chi;
    for (int j = 0; j < N; j++)
        p->path_c[j] =
            (1 - r->c_c) * p->path_c[j] + h * sqrt(r->c_c * (2 - r->c_c) * r->mu_eff) * yw[j];
    for (int j = 0; j < N; j++)
        for (int k = 0; k < N; k++) {
            double v =
                (1 + r->c_1 * (1 - h) * r->c_c * (2 - r->c_c) - r->c_1 - r->c_mu * r->weight_sum) *
                p->c[j][k];
            v += r->c_1 * p->path_c[j] * p->path_c[k];
            for (int i = 0; i < ROWS; i++)
                v += r->c_mu * w[i] * y[i][j] * y[i][k];
            p->c[j][k] = v;
        }
    p->sigma *= exp(r->c_sigma / r->d_sigma * (length / r->chi - 1));
    p->generation++;
}

static void test_update_is_that_of_the_paper(void **state)
{
    double weight[ROWS], x[ROWS][N];
    const double start[N] = {0.4, 0.5, 0.6};
    sc_gauss_rates r = {.weight = weight};
    sc_gauss g;
    sc_rng rng;
    struct plain p = {.sigma = 0.1, .c = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};
    memcpy(p.mean, start, sizeof start);
    sc_gauss_rates_of(&r, N, ROWS);
    sc_rng_init(&rng, 1, 2, 3);
    assert_int_equal(sc_gauss_create(&g, three, N, ROWS), SC_OK);
    sc_gauss_start(&g, start, 0.1);
    for (int t = 0; t < 6; t++) {
        for (int i = 0; i < ROWS; i++) {
            sc_gauss_draw(&g, &rng, x[i]);
            for (int j = 0; j < N; j++) /* short of the cut, with a trend to follow */
                x[i][j] = p.mean[j] + 0.5 * (x[i][j] - p.mean[j]) + (j == 0 ? 0.02 * i : 0);
        }
        assert_true(sc_gauss_update(&g, &r, *x, weight, ROWS));
        plain_update(&p, &r, x);
        assert_near(g.sigma, p.sigma, 1e-12);
        for (int j = 0; j < N; j++) {
            assert_near(g.mean[j], p.mean[j], 1e-12);
            for (int k = 0; k < N; k++)
                assert_near(g.c[j * N + k], p.c[j][k], 1e-12);
        }
    }
    sc_gauss_clear(&g);
}

/* A step of a hundred deviations moves the mean by no more than the longest that is believed. */
static void test_long_steps_are_cut(void **state)
{
    double weight[ROWS], x[ROWS][N];
    const double start[N] = {0.5, 0.5, 0.5};
    sc_gauss_rates r = {.weight = weight};
    sc_gauss g;
    sc_gauss_rates_of(&r, N, ROWS);
    assert_int_equal(sc_gauss_create(&g, three, N, ROWS), SC_OK);
    sc_gauss_start(&g, start, 0.01);
    for (int i = 0; i < ROWS; i++)
        for (int j = 0; j < N; j++)
            x[i][j] = 0.5 + (i == 0 && j == 0 ? 1.0 : 0.0);
    assert_true(sc_gauss_update(&g, &r, *x, weight, ROWS));
    assert_near(g.mean[0], 0.5 + 0.01 * r.weight[0] * (sqrt(3) + 6.0 / 5), 1e-12);
    sc_gauss_clear(&g);
}

/* Equal weights that sum to nothing teach nothing. */
static void test_ties_teach_nothing(void **state)
{
    double weight[ROWS], flat[ROWS] = {-0.1, -0.1, -0.1, -0.1, -0.1, -0.1}, x[ROWS][N] = {{0.3}};
    const double start[N] = {0.5, 0.5, 0.5};
    sc_gauss_rates r = {.weight = weight};
    sc_gauss g;
    sc_gauss_rates_of(&r, N, ROWS);
    assert_int_equal(sc_gauss_create(&g, three, N, ROWS), SC_OK);
    sc_gauss_start(&g, start, 0.1);
    assert_true(sc_gauss_update(&g, &r, *x, flat, ROWS));
    assert_true(g.sigma == 0.1 && g.mean[0] == 0.5 && g.generation == 0);
    sc_gauss_clear(&g);
}

/* ---- margin ---- */

static double below(const sc_gauss *g, size_t j, double threshold)
{
    const double deviation = g->sigma * g->scale[j] * sqrt(g->c[j * g->n + j]);
    return gsl_cdf_ugaussian_P((threshold - g->mean[j]) / deviation);
}

/* Parameter 0 has values split at 1/7 .. 6/7. */
static void test_margin(void **state)
{
    const double alpha = 0.1;
    sc_gauss g;
    assert_int_equal(sc_gauss_create(&g, three, N, ROWS), SC_OK);
    /* far inside the first, the last and a middle value, all with tiny deviations */
    const double start[N] = {0.01, 0.99, 5.6 / 11};
    sc_gauss_start(&g, start, 1e-4);
    sc_gauss_margin(&g, alpha);
    assert_near(1 - below(&g, 0, 1.0 / 7), alpha, 1e-9);
    assert_near(below(&g, 1, 4.0 / 5), alpha, 1e-9);
    assert_near(below(&g, 2, 5.0 / 11), alpha / 2, 1e-9);
    assert_near(1 - below(&g, 2, 6.0 / 11), alpha / 2, 1e-9);
    assert_true(g.scale[0] == 1 && g.scale[1] == 1);
    assert_true(sc_gauss_index(&g, 0, g.mean[0]) == 0 && sc_gauss_index(&g, 1, g.mean[1]) == 4);
    for (uint32_t k = 0; k < 11; k++)
        assert_int_equal(sc_gauss_index(&g, 2, sc_gauss_middle(&g, 2, k)), k);
    /* one side short only: it is lifted to the least, the three stay a distribution */
    const double near[N] = {0.5, 0.5, 5.02 / 11};
    sc_gauss_start(&g, near, 0.02);
    const double before = below(&g, 2, 5.0 / 11);
    assert_true(1 - below(&g, 2, 6.0 / 11) < 0.05 && before > 0.05);
    sc_gauss_margin(&g, alpha);
    assert_near(1 - below(&g, 2, 6.0 / 11), 0.05, 1e-9);
    assert_true(below(&g, 2, 5.0 / 11) > 0.05 && below(&g, 2, 5.0 / 11) < before);
    /* nothing short: nothing changes */
    const double wide[N] = {0.5, 0.5, 0.5};
    sc_gauss_start(&g, wide, 0.3);
    sc_gauss_margin(&g, alpha);
    for (size_t j = 0; j < N; j++)
        assert_true(g.mean[j] == 0.5 && g.scale[j] == 1);
    sc_gauss_clear(&g);
}

/* ---- categories ---- */

/* Two values at 1/2, the first selected: gradient 1/2, times the root of the Fisher matrix
 * 0.5 / 0.7071 + 0.7071 * 0.5 / (0.5 + 0.7071) = 1, so the step is the gradient itself and q = 1,
 * which the margin of a single parameter takes back to 0.73. */
static void test_category_step(void **state)
{
    static const uint32_t two[] = {2};
    const uint32_t value[] = {0, 1};
    const double weight[] = {1, -1};
    sc_categories c;
    assert_int_equal(sc_categories_create(&c, two, 1), SC_OK);
    sc_categories_start(&c);
    assert_true(c.q[0] == 0.5 && c.q[1] == 0.5);
    sc_categories_update(&c, value, weight, 2, 1);
    assert_near(c.q[0], 0.73, 1e-12);
    assert_near(c.q[1], 0.27, 1e-12);
    /* beta = 1 / sqrt(1): path = the unit step, gamma = 1, Delta = exp(1 - 1 / 1.5) */
    assert_near(c.gamma, 1, 1e-12);
    assert_near(c.delta, exp(1.0 / 3), 1e-12);
    sc_categories_clear(&c);
}

/* Three values at 1/3, the first selected: gradient (2, -1, -1) / 3, of length sqrt(1 / q - 1) =
 * sqrt 2 in the Fisher metric, so q = 1/3 + 2 / (3 sqrt 2). */
static void test_category_step_of_three(void **state)
{
    static const uint32_t count[] = {3};
    const uint32_t value[] = {0, 2};
    const double weight[] = {1, -1};
    sc_categories c;
    assert_int_equal(sc_categories_create(&c, count, 1), SC_OK);
    sc_categories_start(&c);
    sc_categories_update(&c, value, weight, 2, 8);
    assert_near(c.q[0], 0.804738, 1e-6);
    assert_near(c.q[1], 0.097631, 1e-6);
    assert_near(c.q[2], 0.097631, 1e-6);
    sc_categories_clear(&c);
}

static void test_categories_stay_distributions(void **state)
{
    static const uint32_t counts[] = {3, 2, 5};
    uint32_t value[4][3];
    const double weight[] = {0.5, 0.3, 0.2, -0.5};
    sc_categories c;
    sc_rng r;
    sc_rng_init(&r, 1, 1, 1);
    assert_int_equal(sc_categories_create(&c, counts, 3), SC_OK);
    sc_categories_start(&c);
    for (int t = 0; t < 200; t++) {
        for (int i = 0; i < 4; i++) {
            sc_categories_draw(&c, &r, value[i]);
            value[i][0] = i < 3 ? 2 : 0; /* always the same one wins */
        }
        sc_categories_update(&c, *value, weight, 4, 8);
        const double apart = 1 - pow(0.73, 1.0 / 8);
        for (size_t i = 0, at = 0; i < 3; at += counts[i++]) {
            double sum = 0;
            for (size_t k = at; k < at + counts[i]; k++) {
                assert_true(c.q[k] >= 0.999 * apart / (counts[i] - 1));
                sum += c.q[k];
            }
            assert_near(sum, 1, 1e-12);
        }
    }
    assert_true(c.q[2] > 0.95);
    sc_categories_clear(&c);
}

/* ---- searches ---- */

/* Feasible only where the first three are high, which costs. */
static double narrow(const uint32_t *p, size_t n, double *f)
{
    double miss = 0;
    run_turned_bowl(p, n, f);
    for (size_t i = 0; i < 3; i++)
        miss += p[i] < 56 ? (56.0 - p[i]) / 56 : 0;
    return miss;
}

static double cmaes(const sc_problem *p, run_evaluate evaluate, size_t budget)
{
    return run_median("cmaes", 0, p, evaluate, SEEDS, budget);
}

/* Uniform points have squares of 400 on average, eight times; the search must come close to 0. */
static void test_finds_the_bottom_of_a_bowl(void **state)
{
    const sc_problem p = run_ordered_64(8);
    const double random = run_median("random", 0, &p, run_turned_bowl, SEEDS, 600);
    const double found = cmaes(&p, run_turned_bowl, 600);
    assert_true(random > 500);
    assert_true(found < 60);
}

static void test_learns_labels(void **state)
{
    const sc_problem p = run_labels_6(8);
    assert_true(run_median("random", 0, &p, run_right_labels, SEEDS, 400) > 3);
    assert_true(cmaes(&p, run_right_labels, 400) < 1);
}

/* One uniform point in 512 is feasible. */
static void test_goes_where_it_is_feasible(void **state)
{
    const double best = 3 * 256 + 256; /* 16 over in each of three, and the step from 2 to 3 */
    const sc_problem p = run_ordered_64(8);
    const double found = cmaes(&p, narrow, 600);
    assert_true(found < 2 * best);
}

/* Everything fails, or nothing does and all is alike: it goes on, with new points. */
static void test_nothing_to_learn(void **state)
{
    const sc_problem ordered = run_ordered_64(8), labels = run_labels_6(8);
    assert_true(run_least("cmaes", 0, &ordered, run_flat, 1, 700) == 1);
    assert_true(run_least("cmaes", 0, &labels, run_never, 1, 700) == HUGE_VAL);
}

/* Runs begun after so many evaluations, each worth `slope` less than the one before. */
static uint64_t runs_after(const sc_problem *p, double slope, size_t budget)
{
    sc_optimizer *o = NULL;
    assert_int_equal(sc_optimizer_create(&o, "cmaes", p, 1, NULL), SC_OK);
    for (size_t k = 0; k < budget; k++) {
        uint32_t point[RUN_MOST_PARAMS];
        const double f = -slope * (double)k;
        size_t got;
        sc_stop why;
        assert_int_equal(sc_optimizer_ask(o, 1, point, &got, &why), SC_OK);
        const sc_trial t = {point, SC_TRIAL_FEASIBLE, 0, &f};
        assert_int_equal(sc_optimizer_tell(o, &t, got), SC_OK);
    }
    const uint64_t runs = ((const struct cmaes *)o->state)->runs;
    sc_optimizer_destroy(o);
    return runs;
}

/* Eight parameters have a population of 4 + floor(3 ln 8) = 10, and 10 + 30 * 8 / 10 generations
 * without news end a run; always news, and never a point twice, do not, until the points run out.
 */
static void test_starts_anew(void **state)
{
    static const uint32_t five[] = {5, 5, 5};
    const sc_problem small = {.n_params = 3,
                              .cardinality = five,
                              .categorical = (const bool[3]){false},
                              .n_objectives = 1};
    const sc_problem eight = run_ordered_64(8);
    assert_int_equal(runs_after(&eight, 0, 10 + 339), 1);
    assert_int_equal(runs_after(&eight, 0, 10 + 340), 2);
    assert_int_equal(runs_after(&eight, 1, 800), 1);
    assert_true(runs_after(&small, 1, 125) > 1);
}

/* A point told from outside, far better than all known, draws the search to it. */
static void test_news_from_outside(void **state)
{
    const sc_problem p = run_ordered_64(8);
    sc_optimizer *o = NULL;
    uint32_t points[40 * 8], given[8] = {60, 60, 60, 60, 60, 60, 60, 60};
    double near = 0, value = -1e6, worse[40];
    size_t got;
    sc_stop why;
    assert_int_equal(sc_optimizer_create(&o, "cmaes", &p, 1, NULL), SC_OK);
    for (int round = 0; round < 12; round++) {
        sc_trial trials[40];
        assert_int_equal(sc_optimizer_ask(o, 40, points, &got, &why), SC_OK);
        near = 0;
        for (size_t k = 0; k < got; k++) {
            worse[k] = 0;
            for (size_t i = 0; i < 8; i++)
                worse[k] += fabs(points[k * 8 + i] - 60.0);
            near += worse[k] / 40 / 8;
            worse[k] = 1; /* no slope of their own */
            trials[k] = (sc_trial){points + k * 8, SC_TRIAL_FEASIBLE, 0, &worse[k]};
        }
        assert_int_equal(sc_optimizer_tell(o, trials, got), SC_OK);
        given[7] = (uint32_t)(48 + round);
        value -= 1;
        const sc_trial news = {given, SC_TRIAL_FEASIBLE, 0, &value};
        assert_int_equal(sc_optimizer_tell(o, &news, 1), SC_OK);
    }
    assert_true(near < 12);
    sc_optimizer_destroy(o);
}

static void test_rejects_populations(void **state)
{
    static const uint32_t bad[] = {1, 3, SC_GAUSS_ROWS + 1};
    const sc_problem p = run_ordered_64(8);
    sc_optimizer *o = NULL;
    for (size_t i = 0; i < 3; i++) {
        const sc_optimizer_options options = {.version = 1, .population = bad[i]};
        assert_int_equal(sc_optimizer_create(&o, "cmaes", &p, 1, &options), SC_EINVAL);
        assert_null(o);
    }
}

/* As many parameters as there may be, of every kind. */
static void test_many_parameters(void **state)
{
    static uint32_t cardinality[SC_MAX_PARAMS], points[40 * SC_MAX_PARAMS];
    static bool categorical[SC_MAX_PARAMS];
    const sc_problem p = {.n_params = SC_MAX_PARAMS,
                          .cardinality = cardinality,
                          .categorical = categorical,
                          .n_objectives = 1};
    sc_optimizer *o = NULL;
    size_t got;
    sc_stop why;
    for (size_t i = 0; i < SC_MAX_PARAMS; i++) {
        categorical[i] = i % 4 == 1;
        cardinality[i] = i % 4 == 0 ? 1 << 20 : (uint32_t)(i % 4);
    }
    assert_int_equal(sc_optimizer_create(&o, "cmaes", &p, 1, NULL), SC_OK);
    for (int round = 0; round < 4; round++) {
        assert_int_equal(sc_optimizer_ask(o, 40, points, &got, &why), SC_OK);
        assert_int_equal(got, 40);
        for (size_t k = 0; k < 40; k++) {
            const double f = points[k * SC_MAX_PARAMS];
            const sc_trial t = {points + k * SC_MAX_PARAMS, SC_TRIAL_FEASIBLE, 0, &f};
            assert_int_equal(sc_optimizer_tell(o, &t, 1), SC_OK);
        }
    }
    sc_optimizer_destroy(o);
}

int main(void)
{
    const struct CMUnitTest t[] = {
        cmocka_unit_test(test_weights_and_rates),
        cmocka_unit_test(test_update_is_that_of_the_paper),
        cmocka_unit_test(test_long_steps_are_cut),
        cmocka_unit_test(test_ties_teach_nothing),
        cmocka_unit_test(test_margin),
        cmocka_unit_test(test_category_step),
        cmocka_unit_test(test_category_step_of_three),
        cmocka_unit_test(test_categories_stay_distributions),
        cmocka_unit_test(test_finds_the_bottom_of_a_bowl),
        cmocka_unit_test(test_learns_labels),
        cmocka_unit_test(test_goes_where_it_is_feasible),
        cmocka_unit_test(test_nothing_to_learn),
        cmocka_unit_test(test_starts_anew),
        cmocka_unit_test(test_news_from_outside),
        cmocka_unit_test(test_rejects_populations),
        cmocka_unit_test(test_many_parameters),
    };
    return cmocka_run_group_tests_name("search_cmaes", t, NULL, NULL);
}
