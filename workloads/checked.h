#ifndef WORKLOADS_CHECKED_H
#define WORKLOADS_CHECKED_H
/** Counts that saturate a flag instead of wrapping: shapes come from files. Limit 2^63 - 1, so that
 *  every count also fits the signed integers of YAML and JSON. */
#include <stdbool.h>
#include <stdint.h>

enum { SC_COUNT_BITS = 63 };

/** *acc *= factor. @return false, *acc untouched, past 2^63 - 1. */
static inline bool sc_count_mul(uint64_t *acc, uint64_t factor)
{
    uint64_t r;
    if (__builtin_mul_overflow(*acc, factor, &r) || r >> SC_COUNT_BITS)
        return false;
    *acc = r;
    return true;
}

/** *acc += term. @return false, *acc untouched, past 2^63 - 1. */
static inline bool sc_count_add(uint64_t *acc, uint64_t term)
{
    uint64_t r;
    if (__builtin_add_overflow(*acc, term, &r) || r >> SC_COUNT_BITS)
        return false;
    *acc = r;
    return true;
}
#endif
