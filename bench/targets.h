#ifndef BENCH_TARGETS_H
#define BENCH_TARGETS_H
/**
 * What the optimisers are measured on: test functions of the literature on integer grids, with and
 * without categorical parameters, and recorded tables. Each has a true front, known exactly on its
 * grid. docs/benchmarks.md lists them.
 *
 * A function by the name of NAME-cat has every second variable categorical: its labels stand for
 * the levels in a scrambled order. The reference point is the maximum of each objective over the
 * feasible points of the grid.
 */
#include "flow/compare.h"
#include "flow/study.h"
#include "targets_functions.h"

typedef struct target {
    sc_known_problem as;
    size_t n_constraints;
    /* test function */
    const test_function *function; /* NULL: a table */
    sc_problem problem;
    uint32_t cardinality[FUNCTION_MOST_VARIABLES];
    bool categorical[FUNCTION_MOST_VARIABLES];
    double ref[SC_MAX_OBJECTIVES];
    /* recorded table */
    sc_study *study;
    sc_study_known known;
} target;

/** Names of the test functions, without and then with categorical parameters: those that constants
 *  were chosen on, or those held back. out: room for 64, each of TARGET_NAME_LEN. @return how many.
 */
enum { TARGET_NAME_LEN = 24, TARGET_MOST = 64 };
size_t target_names(char out[TARGET_MOST][TARGET_NAME_LEN], bool held);

/**
 * Open a test function by its name, or a recorded table by its study file (a name that ends in
 * .yaml). Clear with target_close(), also after a failure; t does not move meanwhile.
 * @return SC_OK; SC_ENOTFOUND; what opening a study returns; SC_ENOMEM.
 * Cost: the points of the grid where the front has no closed form (at most 10 million).
 */
sc_status target_open(target *t, const char *name) SC_MUST_USE;
void target_close(target *t);

/** What one evaluation gives: objectives f, and constraints g [n_constraints], at most 0 where
 * kept, as shares of the limit. A table has one: the violation, 0 of a feasible point. */
void target_evaluate(const target *t, const uint32_t *point, sc_trial *out, double *f, double *g);
#endif
