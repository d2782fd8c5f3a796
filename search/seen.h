#ifndef SEARCH_SEEN_H
#define SEARCH_SEEN_H
/**
 * The points an optimiser has met, by a 64-bit key each, in the order they were met; asked ones are
 * pending until they are told. A hash table with open addressing over an array of keys.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "scantle/error.h"

typedef enum sc_seen_state { SC_SEEN_NEVER, SC_SEEN_PENDING, SC_SEEN_TOLD } sc_seen_state;

typedef struct sc_seen {
    size_t n, capacity;
    uint64_t *key;       /* [n] in the order met */
    unsigned char *told; /* [n] 0 or 1 */
    uint32_t *slot;      /* [n_slots] 1 + place in key, 0 = empty */
    size_t n_slots;      /* power of two, 0 before the first reserve */
    size_t n_told;
    uint64_t told_sum; /* sum of the mixed told keys: names the set whatever the order */
} sc_seen;

/** All zeros is the empty set. */
void sc_seen_clear(sc_seen *s);
/** Room for so many more, after which adding cannot fail. @return SC_OK, SC_ENOMEM, SC_ERANGE (over
 *  2^31 points). Amortised O(1) a point. */
sc_status sc_seen_reserve(sc_seen *s, size_t more) SC_MUST_USE;
sc_seen_state sc_seen_state_of(const sc_seen *s, uint64_t key);
/** Enter a key that was never met; room was reserved. */
void sc_seen_add(sc_seen *s, uint64_t key, bool told);
/** Enter or turn to told. @return false if it was told before. Room was reserved. */
bool sc_seen_tell(sc_seen *s, uint64_t key);
#endif
