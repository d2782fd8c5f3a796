#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka wants the four above first */
#include <cmocka.h>
#include <stdlib.h>

#include "search_runs.h"

static const bool in_order[8] = {false};
static const bool no_order[] = {true, true, true, true, true, true, true, true};
static const uint32_t sixty_four[] = {64, 64, 64, 64, 64, 64, 64, 64};
static const uint32_t forty_one[] = {41, 41, 41, 41, 41, 41, 41, 41};
static const uint32_t six[] = {6, 6, 6, 6, 6, 6, 6, 6};

sc_problem run_ordered_64(size_t n)
{
    return (sc_problem){
        .n_params = n, .cardinality = sixty_four, .categorical = in_order, .n_objectives = 1};
}

sc_problem run_ordered_41(size_t n)
{
    return (sc_problem){
        .n_params = n, .cardinality = forty_one, .categorical = in_order, .n_objectives = 1};
}

sc_problem run_labels_6(size_t n)
{
    return (sc_problem){
        .n_params = n, .cardinality = six, .categorical = no_order, .n_objectives = 1};
}

double run_turned_bowl(const uint32_t *p, size_t n, double *f)
{
    *f = 0;
    for (size_t i = 0; i < n; i++) {
        const double x = p[i] - 40.0, y = i > 0 ? p[i - 1] - 40.0 : 0;
        *f += x * x + (x - y) * (x - y);
    }
    return 0;
}

double run_convex(const uint32_t *p, size_t n, double *f)
{
    *f = 0;
    for (size_t i = 0; i < n; i++) {
        const double d = (double)p[i] - (i % 2 ? 12 : 29);
        *f += (1.0 + (double)i) * d * d;
    }
    return 0;
}

double run_right_labels(const uint32_t *p, size_t n, double *f)
{
    *f = 0;
    for (size_t i = 0; i < n; i++)
        *f += p[i] == (5 * i + 2) % 6 ? 0 : 1 + 0.1 * (double)i;
    return 0;
}

double run_flat(const uint32_t *p, size_t n, double *f)
{
    (void)p;
    (void)n;
    *f = 1;
    return 0;
}

double run_never(const uint32_t *p, size_t n, double *f)
{
    (void)p;
    (void)n;
    *f = 0;
    return 3;
}

double run_least(const char *name, uint32_t population, const sc_problem *p, run_evaluate evaluate,
                 uint64_t seed, size_t budget)
{
    const sc_optimizer_options options = {.version = 1, .population = population};
    sc_optimizer *o = NULL;
    double least = HUGE_VAL;
    assert_int_equal(sc_optimizer_create(&o, name, p, seed, &options), SC_OK);
    for (size_t k = 0; k < budget; k++) {
        uint32_t point[RUN_MOST_PARAMS];
        double f;
        size_t got;
        sc_stop why;
        assert_int_equal(sc_optimizer_ask(o, 1, point, &got, &why), SC_OK);
        assert_int_equal(got, 1);
        const double violation = evaluate(point, p->n_params, &f);
        const sc_trial t = {point, violation > 0 ? SC_TRIAL_INFEASIBLE : SC_TRIAL_FEASIBLE,
                            violation, &f};
        assert_int_equal(sc_optimizer_tell(o, &t, 1), SC_OK);
        if (violation == 0 && f < least)
            least = f;
    }
    sc_optimizer_destroy(o);
    return least;
}

static int ascending(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

double run_median(const char *name, uint32_t population, const sc_problem *p, run_evaluate evaluate,
                  size_t n_seeds, size_t budget)
{
    double v[RUN_MOST_SEEDS];
    assert_in_range(n_seeds, 1, RUN_MOST_SEEDS);
    for (uint64_t seed = 0; seed < n_seeds; seed++)
        v[seed] = run_least(name, population, p, evaluate, 1 + seed, budget);
    qsort(v, n_seeds, sizeof *v, ascending);
    return 0.5 * (v[(n_seeds - 1) / 2] + v[n_seeds / 2]);
}
