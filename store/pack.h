#ifndef STORE_PACK_H
#define STORE_PACK_H
/** Compression of stored texts (zlib, RFC 1950). */
#include <stddef.h>

#include "scantle/error.h"

/** Compress if that makes it smaller. @param[out] out free with sc_free; NULL if it does not pay.
 *  @return SC_OK; SC_ENOMEM. */
sc_status sc_pack__deflate(unsigned char **out, size_t *n_out, const void *bytes,
                           size_t n) SC_MUST_USE;
/** Undo it into exactly n_out bytes. @return SC_OK; SC_EPARSE for anything else; SC_ENOMEM. */
sc_status sc_pack__inflate(unsigned char *out, size_t n_out, const void *bytes,
                           size_t n) SC_MUST_USE;
#endif
