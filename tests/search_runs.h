#ifndef TESTS_SEARCH_RUNS_H
#define TESTS_SEARCH_RUNS_H
/** Whole runs of an optimiser on functions whose best point is known, for tests of single ones. */
#include <math.h>

#include "search/optimizer.h"

enum { RUN_MOST_PARAMS = 12, RUN_MOST_SEEDS = 16 };

/** f: one objective of a point of n parameters. @return the violation, 0 if it is feasible. */
typedef double (*run_evaluate)(const uint32_t *p, size_t n, double *f);

/** n <= 8 parameters: ordered ones of 64 or 41 values; labels of 6. One objective. */
sc_problem run_ordered_64(size_t n);
sc_problem run_ordered_41(size_t n);
sc_problem run_labels_6(size_t n);

/** Around 40 each, turned: neighbours must be alike. Least value 0. */
double run_turned_bowl(const uint32_t *p, size_t n, double *f);
/** Least value 0 at 29, 12, 29, 12, ...; steeper by each parameter. */
double run_convex(const uint32_t *p, size_t n, double *f);
/** Labels in no order: one of 6 is right in each, and worth more in later ones. Least value 0. */
double run_right_labels(const uint32_t *p, size_t n, double *f);
/** All alike; and never feasible, with all alike. */
double run_flat(const uint32_t *p, size_t n, double *f);
double run_never(const uint32_t *p, size_t n, double *f);

/** Least feasible value after so many points, asked and told one at a time. population 0: the
 *  default. @return HUGE_VAL: none was feasible. */
double run_least(const char *name, uint32_t population, const sc_problem *p, run_evaluate evaluate,
                 uint64_t seed, size_t budget);
/** Median of that over seeds 1 to n_seeds; of an even number the mean of the middle two. */
double run_median(const char *name, uint32_t population, const sc_problem *p, run_evaluate evaluate,
                  size_t n_seeds, size_t budget);
#endif
