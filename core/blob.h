#ifndef CORE_BLOB_H
#define CORE_BLOB_H
/** Numbers as bytes of a fixed order (little-endian) for saved states. Writing appends to an
 * sc_buf, whose failure sticks; so does a reader's. */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/buf.h"

void sc_blob_u32(sc_buf *b, uint32_t v);
void sc_blob_u64(sc_buf *b, uint64_t v);
void sc_blob_double(sc_buf *b, double v); /* its 64 bits */
void sc_blob_text(sc_buf *b, const char *text);

typedef struct sc_blob {
    const unsigned char *at;
    size_t left;
    bool broken; /* something was read past the end */
} sc_blob;

/* 0 once broken. */
uint32_t sc_blob_read_u32(sc_blob *b);
uint64_t sc_blob_read_u64(sc_blob *b);
double sc_blob_read_double(sc_blob *b);
/** Number of items of at least item_bytes each that follow; more than there are bytes breaks the
 *  reader and gives 0, so that a damaged count never sizes an allocation. */
size_t sc_blob_read_count(sc_blob *b, size_t item_bytes);
/** A text; NULL if it is broken or memory is out. Free with sc_free. */
char *sc_blob_read_text(sc_blob *b);
#endif
