#ifndef CORE_HASH_H
#define CORE_HASH_H
/** Content hashes (XXH3): 128 bits name a thing, 64 bits check a stored row. Not cryptographic. */
#include <stddef.h>
#include <stdint.h>

typedef struct sc_hash128 {
    uint64_t hi, lo;
} sc_hash128;

enum { SC_HASH_HEX = 33, SC_ID_HEX = 13 }; /* buffer sizes, NUL included */

sc_hash128 sc_hash128_of(const void *bytes, size_t n);
uint64_t sc_hash64_of(const void *bytes, size_t n);
void sc_hash_hex(sc_hash128 h, char out[SC_HASH_HEX]); /* 32 lower-case digits */
void sc_hash_id(sc_hash128 h, char out[SC_ID_HEX]);    /* its first 12: the short ID users type */
int sc_hash_equal(sc_hash128 a, sc_hash128 b);
#endif
