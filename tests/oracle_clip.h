#ifndef TESTS_ORACLE_CLIP_H
#define TESTS_ORACLE_CLIP_H
/** Counts of a mapping whose factors pass the bounds, found by walking every step of every child of
 *  every instance, index by index. */
#include <stdbool.h>

#include "model/count/count.h"

/** By the rule of docs/algorithms/counting.md, "Remainders". Links are left out. */
void oracle_clip(sc_counts *out, const sc_einsum *e, const sc_arch *a, const sc_mapping *m,
                 const sc_count_options *o);

/** Word by word, with no rule: a child receives what it does not hold, and children of an instance
 *  that need the same word in a step share the access; idle children keep what they hold. All
 *  levels keep the tensor. Sums over all instances of `level`. */
typedef struct oracle_words {
    uint64_t served, received;
    uint64_t first; /* received, and never seen by the child before */
} oracle_words;
oracle_words oracle_clip_words(const sc_einsum *e, unsigned tensor, const sc_mapping *m,
                               unsigned level);

/** Steps of the walk that oracle_clip makes, to leave out what takes too long. */
uint64_t oracle_clip_size(const sc_mapping *m);
#endif
