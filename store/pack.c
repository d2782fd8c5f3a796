#include "store/pack.h"

#include <zlib.h>

#include "core/mem.h"

static voidpf zlib_alloc(voidpf opaque, uInt items, uInt size)
{
    (void)opaque;
    return sc_calloc(items, size);
}

static void zlib_free(voidpf opaque, voidpf address)
{
    (void)opaque;
    sc_free(address);
}

/* Stored texts are at most SC_STORE_MAX_BLOB long, well within zlib's 32 bits. */
static z_stream stream_of(const void *in, size_t n, unsigned char *out, size_t n_out)
{
    return (z_stream){.next_in = (z_const Bytef *)in,
                      .avail_in = (uInt)n,
                      .next_out = out,
                      .avail_out = (uInt)n_out,
                      .zalloc = zlib_alloc,
                      .zfree = zlib_free};
}

sc_status sc_pack__deflate(unsigned char **out, size_t *n_out, const void *bytes, size_t n)
{
    unsigned char *packed = n > 1 ? sc_malloc(n - 1) : NULL;
    if (n <= 1) {
        *out = NULL;
        return SC_OK;
    }
    if (!packed)
        return SC_ENOMEM;
    z_stream z = stream_of(bytes, n, packed, n - 1); /* no room for anything that does not pay */
    if (deflateInit(&z, Z_DEFAULT_COMPRESSION) != Z_OK) {
        sc_free(packed);
        return sc_fail(SC_ENOMEM, "no memory to compress %zu bytes", n);
    }
    const int rc = deflate(&z, Z_FINISH);
    (void)deflateEnd(&z);
    if (rc != Z_STREAM_END) {
        sc_free(packed);
        packed = NULL;
    }
    *out = packed;
    *n_out = z.total_out;
    return SC_OK;
}

sc_status sc_pack__inflate(unsigned char *out, size_t n_out, const void *bytes, size_t n)
{
    z_stream z = stream_of(bytes, n, out, n_out);
    if (inflateInit(&z) != Z_OK)
        return sc_fail(SC_ENOMEM, "no memory to unpack %zu bytes", n_out);
    const int rc = inflate(&z, Z_FINISH);
    (void)inflateEnd(&z);
    if (rc == Z_MEM_ERROR)
        return sc_fail(SC_ENOMEM, "no memory to unpack %zu bytes", n_out);
    if (rc != Z_STREAM_END || z.avail_out != 0 || z.avail_in != 0)
        return sc_fail(SC_EPARSE, "compressed text is damaged");
    return SC_OK;
}
