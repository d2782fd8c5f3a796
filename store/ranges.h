#ifndef STORE_RANGES_H
#define STORE_RANGES_H
/** A set of indices as sorted ranges: one range while a study is told in order, a few while results
 *  arrive out of order. */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "scantle/error.h"

enum { SC_RANGES_MAX = 1 << 16 };

typedef struct sc_range {
    uint64_t first, end; /* first <= i < end */
} sc_range;

/** All zero = empty. */
typedef struct sc_ranges {
    sc_range *range;
    size_t n, capacity;
} sc_ranges;

void sc_ranges__clear(sc_ranges *r);
bool sc_ranges__has(const sc_ranges *r, uint64_t i);
uint64_t sc_ranges__count(const sc_ranges *r);
/** Add an index (below 2^63) that is not there. Cost: O(log n), and a shift where a range begins or
 *  ends. @return SC_OK; SC_ERANGE if there would be over SC_RANGES_MAX ranges; SC_ENOMEM: unchanged
 *  then. */
sc_status sc_ranges__add(sc_ranges *r, uint64_t i) SC_MUST_USE;

/** Make *to equal to *from, in its own memory. @return SC_OK; SC_ENOMEM: *to unchanged. */
sc_status sc_ranges__copy(sc_ranges *to, const sc_ranges *from) SC_MUST_USE;

size_t sc_ranges__bytes(const sc_ranges *r); /**< length of the encoding */
/** 16 bytes a range: first, end, little-endian. out: [sc_ranges__bytes]. */
void sc_ranges__encode(const sc_ranges *r, unsigned char *out);
/** Read that. @return SC_OK; SC_EPARSE if the ranges are not sorted, disjoint and not empty;
 *  SC_ENOMEM. *r unchanged then. */
sc_status sc_ranges__decode(sc_ranges *r, const unsigned char *bytes, size_t n) SC_MUST_USE;
#endif
