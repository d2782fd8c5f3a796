#ifndef PLACEMENT_TOP_H
#define PLACEMENT_TOP_H
/** Mean of the largest values of an array, for arrays that change little from call to call. */
#include <stddef.h>

typedef struct sc_top {
    double guess;    /* a value that the k-th largest is likely not below */
    double *scratch; /* [2 n] */
} sc_top;

/**
 * Mean of the k largest of n non-negative values, 1 <= k <= n. The guess saves time only: the
 * result depends on the values alone. Cost: one pass over n while the guess holds, O(n) more when
 * it does not. Allocates nothing.
 */
double sc_top_mean(sc_top *t, const double *value, size_t n, size_t k);
#endif
