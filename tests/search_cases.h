#ifndef TESTS_SEARCH_CASES_H
#define TESTS_SEARCH_CASES_H
/** Problems that the tests of the optimisers share, and one step of a run. */
#include <math.h>
#include <string.h>

#include "search/optimizer.h"

enum { CASE_PARAMS = 6, CASE_OBJECTIVES = 2 };

/* 4*5*3*2*6*3 = 2160 points. Parameter 2 counts when parameter 3 is 1, parameter 5 when 2 is over
 * 0; a known constraint keeps the sum of 0, 1 and 4 at or below 8. */
static const uint32_t case_cardinality[CASE_PARAMS] = {4, 5, 3, 2, 6, 3};
static const bool case_categorical[CASE_PARAMS] = {false, false, false, true, false, true};

static void case_canonical(const void *context, uint32_t *index, bool *active)
{
    (void)context;
    const bool third = index[3] == 1;
    if (!third)
        index[2] = 0;
    const bool sixth = index[2] > 0;
    if (!sixth)
        index[5] = 2;
    for (size_t i = 0; active && i < CASE_PARAMS; i++)
        active[i] = i == 2 ? third : i == 5 ? sixth : true;
}

static bool case_valid(const void *context, const uint32_t *index)
{
    (void)context;
    return index[0] + index[1] + index[4] <= 8;
}

static const sc_problem case_problem = {
    .n_params = CASE_PARAMS,
    .cardinality = case_cardinality,
    .categorical = case_categorical,
    .n_objectives = CASE_OBJECTIVES,
    .canonical = case_canonical,
    .valid = case_valid,
};

/* A pure function of the point: some infeasible by an amount, a few failed. objectives: [2] */
static inline sc_trial case_trial(const uint32_t *p, double *objectives)
{
    sc_trial t = {.point = p, .state = SC_TRIAL_FEASIBLE, .objectives = objectives};
    objectives[0] = p[0] * 1.5 + p[2] * 0.7 + (p[4] - 2.0) * (p[4] - 2.0);
    objectives[1] = (4.0 - p[1]) + 0.3 * p[5] - p[0] * p[4] * 0.2;
    if ((p[0] + 2 * p[1] + p[4]) % 3 == 1) {
        t.state = SC_TRIAL_INFEASIBLE;
        t.violation = 0.5 + p[1] + p[5];
    }
    if ((p[0] + p[1] * p[4]) % 11 == 7)
        t.state = SC_TRIAL_FAILED;
    return t;
}

enum { CASE_BATCH = 40 };

/** Ask for n <= CASE_BATCH, into points [n][CASE_PARAMS]. @return how many came. */
static inline size_t case_ask(sc_optimizer *o, size_t n, uint32_t *points, sc_stop *why)
{
    size_t got = 0;
    return sc_optimizer_ask(o, n, points, &got, why) == SC_OK ? got : 0;
}

/** Evaluate and tell n <= CASE_BATCH points. */
static inline sc_status case_tell(sc_optimizer *o, const uint32_t *points, size_t n)
{
    double objectives[CASE_BATCH][CASE_OBJECTIVES];
    sc_trial trials[CASE_BATCH];
    for (size_t i = 0; i < n; i++)
        trials[i] = case_trial(points + i * CASE_PARAMS, objectives[i]);
    return sc_optimizer_tell(o, trials, n);
}
#endif
