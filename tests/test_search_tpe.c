/* TPE: its densities by hand and as densities, its choice of good trials against all choices, and
 * what it finds. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka wants the four above first */
#include <cmocka.h>
#include <math.h>
#include <stdlib.h>

#include "core/mem.h"
#include "search/opt_tpe.h"
#include "search/pareto.h"
#include "search_cases.h"

enum { SEEDS = 10 };
static const bool ordered[CASE_PARAMS] = {false};
static const bool all_active[CASE_PARAMS] = {true, true, true, true, true, true};

static void assert_near(double a, double b, double tolerance)
{
    if (!(fabs(a - b) <= tolerance * fmax(fabs(a), fabs(b))))
        fail_msg("%.12g is not %.12g", a, b);
}

static sc_tpe_density *density(const sc_problem *p, size_t capacity)
{
    sc_tpe_density *d = NULL;
    assert_int_equal(sc_tpe_density_create(&d, p, capacity), SC_OK);
    return d;
}

/* ---- densities ---- */

/* Mass of the standard normal distribution below x. */
static double below(double x)
{
    return 0.5 * (1 + erf(x / sqrt(2.0)));
}

/* Five values, one component at index 1 with bandwidth 2, the prior with weight 0.5. */
static void test_ordered_kernel_by_hand(void **state)
{
    static const uint32_t five = 5;
    const sc_problem p = {
        .n_params = 1, .cardinality = &five, .categorical = ordered, .n_objectives = 1};
    sc_tpe_density *d = density(&p, 1);
    const uint32_t centre = 1;
    const double whole = below((4.5 - 1) / 2) - below((-0.5 - 1) / 2);
    sc_tpe_density_begin(d, 0.5);
    sc_tpe_density_width(d, 0, 2.0);
    sc_tpe_density_add(d, &centre, all_active);
    for (uint32_t x = 0; x < 5; x++) {
        const double kernel = (below((x + 0.5 - 1) / 2) - below((x - 0.5 - 1) / 2)) / whole;
        assert_near(exp(sc_tpe_density_log(d, &x, all_active)), (kernel + 0.5 / 5) / 1.5, 1e-12);
    }
    sc_tpe_density_destroy(d);
}

/* Four labels, two components at label 2 and 0, which give 0.3 to the three others. */
static void test_categorical_kernel_by_hand(void **state)
{
    static const uint32_t four = 4;
    static const bool yes = true;
    static const double want[] = {(0.1 + 0.7 + 0.25) / 3, (0.1 + 0.1 + 0.25) / 3,
                                  (0.7 + 0.1 + 0.25) / 3, (0.1 + 0.1 + 0.25) / 3};
    const sc_problem p = {
        .n_params = 1, .cardinality = &four, .categorical = &yes, .n_objectives = 1};
    sc_tpe_density *d = density(&p, 2);
    const uint32_t at[] = {2, 0};
    sc_tpe_density_begin(d, 1.0);
    sc_tpe_density_width(d, 0, 0.3);
    sc_tpe_density_add(d, &at[0], all_active);
    sc_tpe_density_add(d, &at[1], all_active);
    for (uint32_t x = 0; x < 4; x++)
        assert_near(exp(sc_tpe_density_log(d, &x, all_active)), want[x], 1e-12);
    sc_tpe_density_destroy(d);
}

/* Without components it is the prior: 1 / 5 for each of five values. */
static void test_empty_density_is_uniform(void **state)
{
    static const uint32_t five = 5;
    const sc_problem p = {
        .n_params = 1, .cardinality = &five, .categorical = ordered, .n_objectives = 1};
    sc_tpe_density *d = density(&p, 1);
    const uint32_t x = 3;
    sc_tpe_density_begin(d, 0.5);
    assert_near(exp(sc_tpe_density_log(d, &x, all_active)), 0.2, 1e-12);
    sc_tpe_density_destroy(d);
}

enum { CASE_POINTS = 2160 };

static void unrank(size_t rank, uint32_t *p)
{
    for (size_t i = CASE_PARAMS; i-- > 0; rank /= case_cardinality[i])
        p[i] = (uint32_t)(rank % case_cardinality[i]);
}

static size_t rank_of(const uint32_t *p)
{
    size_t rank = 0;
    for (size_t i = 0; i < CASE_PARAMS; i++)
        rank = rank * case_cardinality[i] + p[i];
    return rank;
}

/* Three components on the problem with conditions: the third and the sixth parameter are active in
 * some of them only. */
static sc_tpe_density *conditional(void)
{
    static const uint32_t points[3][CASE_PARAMS] = {
        {3, 0, 0, 0, 5, 2}, {1, 4, 2, 1, 0, 0}, {2, 2, 0, 1, 3, 2}};
    sc_tpe_density *d = density(&case_problem, 3);
    sc_tpe_density_begin(d, 0.5);
    for (size_t i = 0; i < CASE_PARAMS; i++)
        sc_tpe_density_width(d, i, case_categorical[i] ? 0.25 : 0.8);
    for (size_t k = 0; k < 3; k++) {
        uint32_t p[CASE_PARAMS];
        bool active[CASE_PARAMS];
        memcpy(p, points[k], sizeof p);
        case_canonical(NULL, p, active);
        sc_tpe_density_add(d, p, active);
    }
    return d;
}

/* A density over canonical points: it sums to one over them, and what is drawn follows it. */
static void test_conditional_density_is_one(void **state)
{
    enum { DRAWS = 40000 };
    static unsigned drawn[CASE_POINTS];
    sc_tpe_density *d = conditional();
    double sum = 0, distance = 0;
    sc_rng r;

    memset(drawn, 0, sizeof drawn);
    sc_rng_init(&r, 5, 1, 0);
    for (size_t k = 0; k < DRAWS; k++) {
        uint32_t p[CASE_PARAMS];
        sc_tpe_density_sample(d, &r, p);
        case_canonical(NULL, p, NULL);
        drawn[rank_of(p)]++;
    }
    for (size_t rank = 0; rank < CASE_POINTS; rank++) {
        uint32_t p[CASE_PARAMS], q[CASE_PARAMS];
        bool active[CASE_PARAMS];
        unrank(rank, p);
        memcpy(q, p, sizeof q);
        case_canonical(NULL, q, active);
        if (memcmp(p, q, sizeof p) != 0)
            continue;
        const double mass = exp(sc_tpe_density_log(d, p, active));
        sum += mass;
        distance += 0.5 * fabs(mass - (double)drawn[rank] / DRAWS);
    }
    assert_near(sum, 1.0, 1e-12);
    /* of n draws over k cells at most sqrt(k / n) / 2 on average: 0.12 here, less as they differ */
    assert_true(distance < 0.12);
    sc_tpe_density_destroy(d);
}

/* Far more values than a table has entries: still a density, and lower further out. */
static void test_many_values(void **state)
{
    static const uint32_t many = SC_MAX_VALUES;
    const sc_problem p = {
        .n_params = 1, .cardinality = &many, .categorical = ordered, .n_objectives = 1};
    sc_tpe_density *d = density(&p, 1);
    const uint32_t centre = 700000;
    double sum = 0, last = HUGE_VAL;
    sc_tpe_density_begin(d, 1e-300);
    sc_tpe_density_width(d, 0, 11000.0);
    sc_tpe_density_add(d, &centre, all_active);
    for (uint32_t x = 0; x < many; x += 64)
        sum += 64 * exp(sc_tpe_density_log(d, &x, all_active));
    assert_near(sum, 1.0, 0.01);
    for (uint32_t x = centre; x > 10000; x -= 10000) {
        const double here = sc_tpe_density_log(d, &x, all_active);
        assert_true(isfinite(here) && here <= last);
        last = here;
    }
    sc_tpe_density_destroy(d);
}

/* ---- which trials are good ---- */

static void test_how_many_are_good(void **state)
{
    static const struct {
        uint64_t told;
        size_t want;
    } cases[] = {{1, 4},    {40, 4},   {41, 5},   {100, 10},
                 {249, 25}, {250, 25}, {251, 25}, {100000, 25}};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++)
        assert_int_equal(sc_tpe_wanted(cases[k].told), cases[k].want);
}

static sc_pool *pool_of(const sc_trial *trials, size_t n, size_t m)
{
    sc_pool *p = NULL;
    assert_int_equal(sc_pool_create(&p, 1, m, n), SC_OK);
    for (size_t k = 0; k < n; k++)
        sc_pool_add(p, &trials[k]);
    return p;
}

static size_t split(sc_pool *p, size_t m, size_t n)
{
    sc_tpe_split *s = NULL;
    assert_int_equal(sc_tpe_split_create(&s, m, p->n_rows), SC_OK);
    const size_t got = sc_tpe_split_rows(s, p, n);
    sc_tpe_split_destroy(s);
    return got;
}

/* Feasible ones only, by value; without any the least violations; failed ones last of all. */
static void test_good_of_one_objective(void **state)
{
    static const uint32_t at = 0;
    static const double f[] = {3, 1, 2};
    const sc_trial trials[] = {
        {&at, SC_TRIAL_INFEASIBLE, 0.1, NULL}, {&at, SC_TRIAL_FEASIBLE, 0, &f[0]},
        {&at, SC_TRIAL_FEASIBLE, 0, &f[1]},    {&at, SC_TRIAL_FAILED, 0, NULL},
        {&at, SC_TRIAL_FEASIBLE, 0, &f[2]},    {&at, SC_TRIAL_INFEASIBLE, 0.05, NULL}};
    sc_pool *p = pool_of(trials, 6, 1);
    assert_int_equal(split(p, 1, 2), 2);
    assert_true(p->order[0] == 2 && p->order[1] == 4);
    assert_int_equal(split(p, 1, 5), 3);
    sc_pool_destroy(p);
    const sc_trial bad[] = {trials[0], trials[3], trials[5]};
    p = pool_of(bad, 3, 1);
    assert_int_equal(split(p, 1, 2), 2);
    assert_true(p->order[0] == 2 && p->order[1] == 0);
    sc_pool_destroy(p);
}

/* Hypervolume of the rows of a mask, below 0.1 of the range behind the worst. */
static double volume_of(double (*f)[3], size_t m, unsigned mask, size_t n)
{
    double chosen[12 * 3], ref[3], out = 0;
    size_t got = 0;
    for (size_t j = 0; j < m; j++) {
        double low = HUGE_VAL, high = -HUGE_VAL;
        for (size_t k = 0; k < n; k++) {
            low = fmin(low, f[k][j]);
            high = fmax(high, f[k][j]);
        }
        ref[j] = high + 0.1 * (high - low);
    }
    for (size_t k = 0; k < n; k++) {
        if (mask >> k & 1) {
            memcpy(chosen + got * m, f[k], m * sizeof **f);
            got++;
        }
    }
    assert_int_equal(sc_hypervolume(&out, chosen, got, m, ref), SC_OK);
    return out;
}

/* Of a front of 12 the 4 chosen, against all 495 choices: a greedy choice is proved to reach
 * 1 - 1/e of the best (Nemhauser, Wolsey, Fisher 1978), and is mostly close to it. */
static void test_good_of_a_cut_front(void **state)
{
    for (size_t m = 2; m <= 3; m++) {
        for (uint64_t seed = 1; seed <= SEEDS; seed++) {
            static const uint32_t at = 0;
            double f[12][3], best = 0;
            unsigned chosen = 0;
            sc_trial trials[13];
            sc_rng r;
            sc_rng_init(&r, seed, 2, m);
            for (size_t k = 0; k < 12; k++) { /* on the positive sphere: nobody dominates */
                double square = 0;
                for (size_t j = 0; j < m; j++) {
                    f[k][j] = gsl_rng_uniform(&r.gsl);
                    square += f[k][j] * f[k][j];
                }
                for (size_t j = 0; j < m; j++)
                    f[k][j] = 5 - f[k][j] / sqrt(square);
                trials[k] = (sc_trial){&at, SC_TRIAL_FEASIBLE, 0, f[k]};
            }
            trials[12] = (sc_trial){&at, SC_TRIAL_INFEASIBLE, 1, NULL};
            sc_pool *p = pool_of(trials, 13, m);
            assert_int_equal(split(p, m, 4), 4);
            for (size_t k = 0; k < 4; k++)
                chosen |= 1u << p->order[k];
            for (unsigned mask = 0; mask < 1u << 12; mask++)
                if (__builtin_popcount(mask) == 4)
                    best = fmax(best, volume_of(f, m, mask, 12));
            assert_true(volume_of(f, m, chosen, 12) > 0.9 * best);
            sc_pool_destroy(p);
        }
    }
}

/* ---- runs ---- */

typedef sc_trial (*evaluate_fn)(const uint32_t *point, double *f);

/* Ask and tell one at a time. @return the least first objective of a feasible trial. */
static double run(const sc_problem *p, const char *name, uint64_t seed, size_t budget,
                  evaluate_fn evaluate)
{
    double best = HUGE_VAL;
    sc_optimizer *o = NULL;
    assert_int_equal(sc_optimizer_create(&o, name, p, seed, NULL), SC_OK);
    for (size_t k = 0; k < budget; k++) {
        uint32_t point[CASE_PARAMS];
        double f[CASE_OBJECTIVES];
        size_t got;
        sc_stop why;
        assert_int_equal(sc_optimizer_ask(o, 1, point, &got, &why), SC_OK);
        if (got == 0)
            break;
        const sc_trial t = evaluate(point, f);
        assert_int_equal(sc_optimizer_tell(o, &t, 1), SC_OK);
        if (t.state == SC_TRIAL_FEASIBLE)
            best = fmin(best, f[0]);
    }
    sc_optimizer_destroy(o);
    return best;
}

static int by_value(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double median_run(const sc_problem *p, const char *name, size_t budget, evaluate_fn evaluate)
{
    double best[SEEDS];
    for (uint64_t seed = 0; seed < SEEDS; seed++)
        best[seed] = run(p, name, 1 + seed, budget, evaluate);
    qsort(best, SEEDS, sizeof *best, by_value);
    return 0.5 * (best[SEEDS / 2 - 1] + best[SEEDS / 2]);
}

static const uint32_t wide[CASE_PARAMS] = {64, 64, 64, 64, 64, 64};
static const sc_problem wide_problem = {
    .n_params = 6, .cardinality = wide, .categorical = ordered, .n_objectives = 1};

static sc_trial bowl(const uint32_t *p, double *f)
{
    f[0] = 0;
    for (size_t i = 0; i < 6; i++)
        f[0] += (p[i] - 9.0 * (double)i) * (p[i] - 9.0 * (double)i);
    return (sc_trial){p, SC_TRIAL_FEASIBLE, 0, f};
}

/* 120 points in six dimensions leave random search some 28 of 64 steps away from the best one in
 * each; the distance counts by its square. */
static void test_beats_random_on_a_bowl(void **state)
{
    assert_true(median_run(&wide_problem, "tpe", 120, bowl) <
                0.25 * median_run(&wide_problem, "random", 120, bowl));
}

/* One point in 4^6 is feasible: only the violation shows the way. */
static sc_trial corner(const uint32_t *p, double *f)
{
    double miss = 0;
    f[0] = p[0];
    for (size_t i = 0; i < 6; i++)
        miss += p[i] < 48 ? (48.0 - p[i]) / 48 : 0;
    return (sc_trial){p, miss > 0 ? SC_TRIAL_INFEASIBLE : SC_TRIAL_FEASIBLE, miss, f};
}

static void test_climbs_into_feasibility(void **state)
{
    assert_true(isfinite(median_run(&wide_problem, "tpe", 150, corner)));
    assert_false(isfinite(median_run(&wide_problem, "random", 150, corner)));
}

/* Six labels of eight, each counting by itself: how many are wrong. */
static sc_trial labels(const uint32_t *p, double *f)
{
    f[0] = 0;
    for (size_t i = 0; i < 6; i++)
        f[0] += p[i] == (3 * i + 1) % 8 ? 0 : 1;
    return (sc_trial){p, SC_TRIAL_FEASIBLE, 0, f};
}

static void test_categories_alone(void **state)
{
    static const uint32_t eight[CASE_PARAMS] = {8, 8, 8, 8, 8, 8};
    const sc_problem p = {
        .n_params = 6, .cardinality = eight, .categorical = all_active, .n_objectives = 1};
    assert_true(median_run(&p, "tpe", 150, labels) < median_run(&p, "random", 150, labels));
}

static sc_trial never_feasible(const uint32_t *p, double *f)
{
    f[0] = 0;
    return (sc_trial){p, SC_TRIAL_INFEASIBLE, 1 + p[0], f};
}

static sc_trial always_failed(const uint32_t *p, double *f)
{
    f[0] = 0;
    return (sc_trial){p, SC_TRIAL_FAILED, 0, f};
}

static void test_edges(void **state)
{
    static const uint32_t two = 2, one = 1;
    sc_problem p = wide_problem;
    assert_false(isfinite(run(&p, "tpe", 1, 100, never_feasible)));
    assert_false(isfinite(run(&p, "tpe", 1, 100, always_failed)));
    p.n_params = 1;
    p.cardinality = &two;
    uint32_t points[3], q[3];
    size_t got;
    sc_stop why;
    sc_optimizer *o = NULL;
    assert_int_equal(sc_optimizer_create(&o, "tpe", &p, 1, NULL), SC_OK);
    assert_int_equal(sc_optimizer_ask(o, 3, points, &got, &why), SC_OK);
    assert_true(got == 2 && points[0] != points[1] && why == SC_STOP_EXHAUSTED);
    sc_optimizer_destroy(o);
    p.cardinality = &one;
    assert_int_equal(sc_optimizer_create(&o, "tpe", &p, 1, NULL), SC_OK);
    assert_int_equal(sc_optimizer_ask(o, 3, q, &got, &why), SC_OK);
    assert_true(got == 1 && q[0] == 0);
    sc_optimizer_destroy(o);
}

/* A point asked for counts as no better than the rest until it is told: within one batch the points
 * move away from where the good trials are. Of so many values none is hit twice by chance. */
static void test_pending_points_push_away(void **state)
{
    enum { TOLD = 40, BATCH = 64, PART = 16 };
    static const uint32_t line = SC_MAX_VALUES;
    const sc_problem p = {
        .n_params = 1, .cardinality = &line, .categorical = ordered, .n_objectives = 1};
    const double best = SC_MAX_VALUES / 2.0;
    double first = 0, last = 0;
    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        uint32_t points[TOLD], batch[BATCH];
        double f[TOLD];
        sc_trial trials[TOLD];
        sc_optimizer *o = NULL;
        size_t got;
        sc_stop why;
        for (uint32_t k = 0; k < TOLD; k++) {
            points[k] = SC_MAX_VALUES / TOLD * k;
            f[k] = fabs(points[k] - best);
            trials[k] = (sc_trial){&points[k], SC_TRIAL_FEASIBLE, 0, &f[k]};
        }
        assert_int_equal(sc_optimizer_create(&o, "tpe", &p, seed, NULL), SC_OK);
        assert_int_equal(sc_optimizer_tell(o, trials, TOLD), SC_OK);
        assert_int_equal(sc_optimizer_ask(o, BATCH, batch, &got, &why), SC_OK);
        assert_int_equal(got, BATCH);
        for (size_t k = 0; k < PART; k++) {
            first += fabs(batch[k] - best);
            last += fabs(batch[BATCH - PART + k] - best);
        }
        sc_optimizer_destroy(o);
    }
    assert_true(last > 1.5 * first);
}

/* Long past the number of trials kept: goes on, and continues bit for bit from a save. */
static void test_thins_and_continues(void **state)
{
    enum { LONG = 1500, MORE = 40 };
    static uint32_t a[MORE][CASE_PARAMS], b[MORE][CASE_PARAMS];
    const sc_problem p = wide_problem;
    sc_optimizer *o = NULL, *fresh = NULL;
    unsigned char *bytes = NULL;
    size_t n = 0, got;
    sc_stop why;
    sc_rng r;

    sc_rng_init(&r, 3, 3, 0);
    assert_int_equal(sc_optimizer_create(&o, "tpe", &p, 1, NULL), SC_OK);
    assert_int_equal(sc_optimizer_create(&fresh, "tpe", &p, 1, NULL), SC_OK);
    for (size_t k = 0; k < LONG; k++) { /* told, not asked: quick */
        uint32_t point[CASE_PARAMS];
        double f[1];
        for (size_t i = 0; i < 6; i++)
            point[i] = (uint32_t)gsl_rng_uniform_int(&r.gsl, 64);
        const sc_trial t = bowl(point, f);
        assert_int_equal(sc_optimizer_tell(o, &t, 1), SC_OK);
    }
    assert_int_equal(sc_optimizer_ask(o, 5, *a, &got, &why), SC_OK);
    assert_int_equal(sc_optimizer_save(o, SC_SAVE_WHOLE, &bytes, &n), SC_OK);
    /* 1,024 rows are full after 1,024 tells; a quarter of the 896 but the 128 best go, which leaves
     * 800, and so again at the 1,249th and the 1,473rd: 828 after 1,500. A row has 52 bytes, a key
     * 9, a pending point 24. */
    const size_t rows = n - 9 * (LONG + 5) - 24 * 5;
    assert_in_range(rows, 828 * 52, 828 * 52 + 200);
    assert_int_equal(sc_optimizer_load(fresh, bytes, n, NULL), SC_OK);
    for (int which = 0; which < 2; which++) {
        sc_optimizer *it = which ? fresh : o;
        for (size_t k = 0; k < MORE; k++) {
            double f[1];
            uint32_t *point = which ? b[k] : a[k];
            assert_int_equal(sc_optimizer_ask(it, 1, point, &got, &why), SC_OK);
            const sc_trial t = bowl(point, f);
            assert_int_equal(sc_optimizer_tell(it, &t, 1), SC_OK);
        }
    }
    assert_memory_equal(a, b, sizeof a);
    sc_free(bytes);
    sc_optimizer_destroy(o);
    sc_optimizer_destroy(fresh);
}

int main(void)
{
    const struct CMUnitTest t[] = {
        cmocka_unit_test(test_ordered_kernel_by_hand),
        cmocka_unit_test(test_categorical_kernel_by_hand),
        cmocka_unit_test(test_empty_density_is_uniform),
        cmocka_unit_test(test_conditional_density_is_one),
        cmocka_unit_test(test_many_values),
        cmocka_unit_test(test_how_many_are_good),
        cmocka_unit_test(test_good_of_one_objective),
        cmocka_unit_test(test_good_of_a_cut_front),
        cmocka_unit_test(test_beats_random_on_a_bowl),
        cmocka_unit_test(test_climbs_into_feasibility),
        cmocka_unit_test(test_categories_alone),
        cmocka_unit_test(test_edges),
        cmocka_unit_test(test_pending_points_push_away),
        cmocka_unit_test(test_thins_and_continues),
    };
    return cmocka_run_group_tests_name("search_tpe", t, NULL, NULL);
}
