#ifndef CORE_HASH_H
#define CORE_HASH_H
/**
 * Content hashes: 128 bits name a thing, 64 bits check a stored row. Not cryptographic.
 * XXH3 with the default seed, as specified by https://github.com/Cyan4973/xxHash (XXH3_128bits,
 * XXH3_64bits): the values are the same on every machine. Cost: O(n). Threads: safe.
 */
#include <stddef.h>
#include <stdint.h>

typedef struct sc_hash128 {
    uint64_t hi, lo;
} sc_hash128;

enum { SC_HASH_HEX = 33, SC_ID_HEX = 13 }; /* buffer sizes, NUL included */

/** bytes may be NULL when n is 0. */
sc_hash128 sc_hash128_of(const void *bytes, size_t n);
uint64_t sc_hash64_of(const void *bytes, size_t n);
/** Name of the i-th thing under a name: how texts of trial i of a study are keyed. */
sc_hash128 sc_hash128_at(sc_hash128 name, uint64_t i);
void sc_hash_hex(sc_hash128 h, char out[SC_HASH_HEX]); /* 32 lower-case digits, hi first */
void sc_hash_id(sc_hash128 h, char out[SC_ID_HEX]);    /* its first 12: the short ID users type */
int sc_hash_equal(sc_hash128 a, sc_hash128 b);
#endif
