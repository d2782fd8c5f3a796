#ifndef SURROGATE_SPLIT_H
#define SURROGATE_SPLIT_H
/** Which rows are learned from and which judge. All a pure function of the arguments. */
#include <stddef.h>
#include <stdint.h>

#include "core/rng.h"
#include "scantle/error.h"

/** Folds 0 to k - 1 at random, their sizes at most one apart. fold: [n]. 2 <= k <= n.
 *  @return SC_OK; SC_EINVAL. Cost: O(n). */
sc_status sc_split_random(uint32_t *fold, size_t n, size_t k, uint64_t seed) SC_MUST_USE;
/** The same with each group whole in one fold, large groups first into the smallest fold. Rows
 *  without a group (UINT32_MAX) are groups of their own.
 *  @param[out] folds  how many are not empty: k, or the number of groups where that is less.
 *  @return SC_OK; SC_EINVAL if there is one group alone; SC_ENOMEM. Cost: O(n log n). */
sc_status sc_split_groups(uint32_t *fold, size_t *folds, const uint32_t *group, size_t n, size_t k,
                          uint64_t seed) SC_MUST_USE;
/** A region of the space held out: fold 1 for the best of value, fold 0 for the `fraction` worst,
 *  floor(fraction n) of them; higher is better, NaN the worst. What is learned from fold 0 must
 *  extrapolate. @return SC_OK; SC_EINVAL unless both have a row; SC_ENOMEM. Cost: O(n log n). */
sc_status sc_split_worst(uint32_t *fold, const double *value, size_t n,
                         double fraction) SC_MUST_USE;
/** Shuffle items in place (Fisher and Yates), numbers from that stream. */
void sc_split_shuffle(uint32_t *item, size_t n, sc_rng *r);
#endif
