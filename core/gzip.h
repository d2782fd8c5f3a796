#ifndef CORE_GZIP_H
#define CORE_GZIP_H
/** Unpacking of gzip (RFC 1952) in memory, bounded. */
#include <stdbool.h>
#include <stddef.h>

#include "scantle/error.h"

/** Whether the bytes begin as gzip does. */
bool sc_gzip_is(const char *bytes, size_t n);

/**
 * Unpack every member in turn and append a NUL.
 * @param[out] out  free with sc_free.
 * @param max_bytes cap on the unpacked size; memory used never passes about twice this.
 * @param name      stands in messages.
 * @return SC_OK; SC_EPARSE as `name:1:1: error: ...` for damaged or cut data or past the cap;
 *         SC_ENOMEM. *out and *length untouched on failure.
 */
sc_status sc_gzip_unpack(char **out, size_t *length, const char *bytes, size_t n, size_t max_bytes,
                         const char *name) SC_MUST_USE;
#endif
