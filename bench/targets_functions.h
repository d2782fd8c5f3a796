#ifndef BENCH_TARGETS_FUNCTIONS_H
#define BENCH_TARGETS_FUNCTIONS_H
/** The test functions themselves, over real variables; the grid is laid over them in targets.c. */
#include <stddef.h>

enum { FUNCTION_MOST_VARIABLES = 12, FUNCTION_MOST_CONSTRAINTS = 6 };

typedef struct test_function {
    const char *name;
    const char *source; /* where it is defined */
    size_t n_variables, n_objectives, n_constraints;
    unsigned levels;            /* of every variable, unless steps says otherwise */
    const double *low, *high;   /* [n_variables]; NULL: 0 and 1 */
    const unsigned *own_levels; /* [n_variables] or NULL */
    unsigned label_levels;      /* of a variable made categorical */
    unsigned labels;            /* bit i: variable i is categorical by nature; no -cat then */
    /** f: [n_objectives], minimised; g: [n_constraints], at most 0 where kept, as shares of the
     *  limit. */
    void (*value)(double *f, double *g, const double *x, size_t n);
    /** Optimal value of every variable behind the first n_front, which alone span the front; NULL:
     *  the front is found by going through the whole grid. */
    const double *optimum;
    size_t n_front;
    double greatest[3]; /* maxima of the objectives over the box; with optimum only */
} test_function;

/** NULL past the last: those that constants were chosen on or reported with; those held back. */
const test_function *test_function_at(size_t i);
const test_function *test_function_held(size_t i);
#endif
