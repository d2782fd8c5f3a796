#include "core/hash.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <xxhash.h>

sc_hash128 sc_hash128_of(const void *bytes, size_t n)
{
    const XXH128_hash_t h = XXH3_128bits(bytes, n);
    return (sc_hash128){.hi = h.high64, .lo = h.low64};
}

sc_hash128 sc_hash128_at(sc_hash128 name, uint64_t i)
{
    const uint64_t parts[] = {name.hi, name.lo, i};
    return sc_hash128_of(parts, sizeof parts);
}

uint64_t sc_hash64_of(const void *bytes, size_t n)
{
    return XXH3_64bits(bytes, n);
}

void sc_hash_hex(sc_hash128 h, char out[SC_HASH_HEX])
{
    (void)snprintf(out, SC_HASH_HEX, "%016" PRIx64 "%016" PRIx64, h.hi, h.lo);
}

void sc_hash_id(sc_hash128 h, char out[SC_ID_HEX])
{
    char hex[SC_HASH_HEX];
    sc_hash_hex(h, hex);
    memcpy(out, hex, SC_ID_HEX - 1);
    out[SC_ID_HEX - 1] = '\0';
}

int sc_hash_equal(sc_hash128 a, sc_hash128 b)
{
    return a.hi == b.hi && a.lo == b.lo;
}
