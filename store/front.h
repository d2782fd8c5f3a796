#ifndef STORE_FRONT_H
#define STORE_FRONT_H
/**
 * Which trials a study keeps, as pure functions of the set of trials told.
 *
 * search/ has Pareto tools of its own on a level above; this front differs in that it does not
 * depend on the order of offers (of equal vectors the lowest index stays) and says who left.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/hash.h"
#include "scantle/error.h"

/** Non-dominated vectors, all minimised. All zero with m set = empty; m = 0 holds nothing ever. */
typedef struct sc_front {
    size_t m; /* values of a vector */
    size_t n, capacity;
    uint64_t *index; /* [n] */
    double *values;  /* [n][m] */
    uint64_t *gone;  /* [n_gone] indices that the last offer removed */
    size_t n_gone;
} sc_front;

void sc_front__clear(sc_front *f);
/** Offer a vector [m] of finite values. *entered = it is on the front now; f->gone = who left.
 *  Cost: O(n m). @return SC_OK; SC_ENOMEM: unchanged. */
sc_status sc_front__offer(sc_front *f, uint64_t index, const double *values,
                          bool *entered) SC_MUST_USE;

typedef struct sc_sampled {
    uint64_t rank, index;
} sc_sampled;

/**
 * Even sample of bounded size: the indices with the n smallest hashes ("bottom-k", Cohen and
 * Kaplan, PODC 2007, doi:10.1145/1281100.1281133). A function of the set alone.
 */
typedef struct sc_sample {
    sc_hash128 study;
    size_t wanted, n, capacity;
    sc_sampled *heap; /* [n], the largest rank first */
} sc_sample;

void sc_sample__clear(sc_sample *s);
/** Offer an index that was not offered before. *entered = it is in the sample now, and *left = the
 *  one that left for it, UINT64_MAX if none did. Cost: O(log n). @return SC_OK; SC_ENOMEM:
 *  unchanged. */
sc_status sc_sample__offer(sc_sample *s, uint64_t index, bool *entered, uint64_t *left) SC_MUST_USE;
#endif
