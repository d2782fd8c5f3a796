#include "core/blob.h"

#include <string.h>

#include "core/mem.h"

static void put(sc_buf *b, uint64_t v, size_t n)
{
    char bytes[8];
    for (size_t i = 0; i < n; i++)
        bytes[i] = (char)(unsigned char)(v >> 8 * i);
    sc_buf_append(b, bytes, n);
}

void sc_blob_u32(sc_buf *b, uint32_t v)
{
    put(b, v, 4);
}

void sc_blob_u64(sc_buf *b, uint64_t v)
{
    put(b, v, 8);
}

void sc_blob_double(sc_buf *b, double v)
{
    uint64_t bits;
    memcpy(&bits, &v, sizeof bits);
    put(b, bits, 8);
}

static uint64_t take(sc_blob *b, size_t n)
{
    uint64_t v = 0;
    if (b->broken || b->left < n) {
        b->broken = true;
        return 0;
    }
    for (size_t i = 0; i < n; i++)
        v |= (uint64_t)b->at[i] << 8 * i;
    b->at += n;
    b->left -= n;
    return v;
}

uint32_t sc_blob_read_u32(sc_blob *b)
{
    return (uint32_t)take(b, 4);
}

uint64_t sc_blob_read_u64(sc_blob *b)
{
    return take(b, 8);
}

double sc_blob_read_double(sc_blob *b)
{
    const uint64_t bits = take(b, 8);
    double v;
    memcpy(&v, &bits, sizeof v);
    return v;
}

size_t sc_blob_read_count(sc_blob *b, size_t item_bytes)
{
    const uint64_t n = take(b, 8);
    if (n > b->left / item_bytes) {
        b->broken = true;
        return 0;
    }
    return (size_t)n;
}

void sc_blob_text(sc_buf *b, const char *text)
{
    const size_t n = strlen(text);
    sc_blob_u64(b, n);
    sc_buf_append(b, text, n);
}

char *sc_blob_read_text(sc_blob *b)
{
    const size_t n = sc_blob_read_count(b, 1);
    if (b->broken || memchr(b->at, '\0', n)) {
        b->broken = true;
        return NULL;
    }
    char *text = sc_malloc(n + 1);
    if (!text)
        return NULL;
    memcpy(text, b->at, n);
    text[n] = '\0';
    b->at += n;
    b->left -= n;
    return text;
}
