#ifndef STORE_BYTES_H
#define STORE_BYTES_H
/** Numbers in blobs: little-endian on every machine. */
#include <stdint.h>
#include <string.h>

static inline void sc_put_u64(unsigned char out[8], uint64_t value)
{
    for (unsigned i = 0; i < 8; i++)
        out[i] = (unsigned char)(value >> 8 * i);
}

static inline uint64_t sc_get_u64(const unsigned char bytes[8])
{
    uint64_t value = 0;
    for (unsigned i = 0; i < 8; i++)
        value |= (uint64_t)bytes[i] << 8 * i;
    return value;
}

/** The bits of a double, so that NaN and -0 come back as they were. */
static inline void sc_put_double(unsigned char out[8], double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    sc_put_u64(out, bits);
}

static inline double sc_get_double(const unsigned char bytes[8])
{
    const uint64_t bits = sc_get_u64(bytes);
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}
#endif
