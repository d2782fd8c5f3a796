#ifndef SEARCH_OPT_LCS_H
#define SEARCH_OPT_LCS_H
/** The arithmetic of the linear combination swarm, for opt_lcs.c and its test:
 *  docs/algorithms/lcs.md. */
#include <stddef.h>

/** Weights of n points from best to worst: ln(n + 1) - ln(place), place 1 .. n, over their sum. */
void sc_lcs_weights(double *weight, size_t n);

/**
 * Factors of the points whose sum is a new one; they add up to 1.
 * @param[in,out] factor [n], in: standard normal numbers; out: factors.
 * @param weight [n] of the points, sum 1; `parent` is one of them, drawn with these as odds.
 * The new points have the weighted mean and the weighted covariance of the points themselves.
 */
void sc_lcs_factors(double *factor, const double *weight, size_t n, size_t parent);
#endif
