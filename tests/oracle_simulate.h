#ifndef TESTS_ORACLE_SIMULATE_H
#define TESTS_ORACLE_SIMULATE_H
/**
 * A mapping run word by word: every index point of the nest in order, a set of words for every
 * child of every level. Knows nothing of boxes, movements or groups. For tensors without gaps whose
 * tiles of different indices are disjoint, the engine must come out the same to the word.
 */
#include "model/count/count.h"

/** Words one parent serves its children, and one child receives, over the whole run. */
typedef struct oracle_traffic {
    uint64_t served;   /* a word that several children need at once counts once */
    uint64_t received; /* by all children together */
    uint64_t first;    /* of these, words the child never held before */
} oracle_traffic;

/** Traffic of one tensor under level l, of the first instance of that level. A child keeps what it
 *  holds for the next step and no longer. */
oracle_traffic oracle_simulate(const sc_einsum *e, unsigned tensor, const sc_mapping *m,
                               unsigned level);
#endif
