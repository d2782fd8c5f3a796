#include "core/gzip.h"

#include <stdint.h>
#include <zlib.h>

#include "core/mem.h"

enum { FIRST_CAPACITY = 1 << 16, GZIP_WINDOW = 15 + 16 /* 32 KiB window, gzip header */ };

bool sc_gzip_is(const char *bytes, size_t n)
{
    return n >= 2 && (unsigned char)bytes[0] == 0x1F && (unsigned char)bytes[1] == 0x8B;
}

static void *zlib_alloc(void *opaque, unsigned count, unsigned size)
{
    (void)opaque;
    return sc_calloc(count, size);
}

static void zlib_free(void *opaque, void *p)
{
    (void)opaque;
    sc_free(p);
}

/* What one unpacking carries. */
typedef struct unpacker {
    z_stream z;
    const char *name;
    size_t input_left; /* zlib counts in 32 bits, so input and output are given in portions */
    char *bytes;
    size_t used, capacity, max_bytes;
} unpacker;

static uInt portion(size_t n)
{
    return n < UINT32_MAX ? (uInt)n : UINT32_MAX;
}

static sc_status check_limit(const unpacker *u)
{
    if (u->used <= u->max_bytes)
        return SC_OK;
    return sc_fail(SC_EPARSE, "%s:1:1: error: unpacks to over the limit of %zu bytes", u->name,
                   u->max_bytes);
}

/* Room for at least one more byte and the NUL. */
static sc_status make_room(unpacker *u)
{
    if (u->used + 1 < u->capacity)
        return SC_OK;
    size_t capacity = u->capacity ? u->capacity * 2 : FIRST_CAPACITY;
    if (capacity > u->max_bytes + 2) /* one byte past the limit shows that it was passed */
        capacity = u->max_bytes + 2;
    char *grown = sc_realloc_array(u->bytes, capacity, 1);
    if (!grown)
        return SC_ENOMEM;
    u->bytes = grown;
    u->capacity = capacity;
    return SC_OK;
}

/* One call of inflate into the spare room. */
static int inflate_some(unpacker *u)
{
    const uInt room = portion(u->capacity - 1 - u->used);
    const uInt given = portion(u->input_left);
    u->z.next_out = (Bytef *)u->bytes + u->used;
    u->z.avail_out = room;
    u->z.avail_in = given;
    const int code = inflate(&u->z, Z_NO_FLUSH);
    u->used += room - u->z.avail_out;
    u->input_left -= given - u->z.avail_in;
    return code;
}

static sc_status inflate_members(unpacker *u)
{
    for (;;) {
        sc_status st;
        if ((st = check_limit(u)) != SC_OK || (st = make_room(u)) != SC_OK)
            return st;
        const int code = inflate_some(u);
        if (code == Z_MEM_ERROR)
            return sc_fail(SC_ENOMEM, "no memory to unpack %s", u->name);
        if (code == Z_STREAM_END) {
            if (u->input_left == 0)
                break;
            if (inflateReset(&u->z) != Z_OK)
                return sc_fail(SC_EBUG, "inflateReset failed");
        } else if (code == Z_BUF_ERROR && u->input_left == 0) {
            return sc_fail(SC_EPARSE, "%s:1:1: error: the gzip data end too early", u->name);
        } else if (code != Z_OK) {
            return sc_fail(SC_EPARSE, "%s:1:1: error: damaged gzip data (%s)", u->name,
                           u->z.msg ? u->z.msg : "no more detail");
        }
    }
    return check_limit(u);
}

sc_status sc_gzip_unpack(char **out, size_t *length, const char *bytes, size_t n, size_t max_bytes,
                         const char *name)
{
    unpacker u = {.z = {.zalloc = zlib_alloc, .zfree = zlib_free},
                  .name = name,
                  .input_left = n,
                  .max_bytes = max_bytes < SIZE_MAX / 4 ? max_bytes : SIZE_MAX / 4};
    sc_status st = SC_OK;

    u.z.next_in = (z_const Bytef *)bytes;
    const int code = inflateInit2(&u.z, GZIP_WINDOW);
    if (code != Z_OK)
        return code == Z_MEM_ERROR ? SC_ENOMEM : sc_fail(SC_EBUG, "inflateInit2 failed");
    if ((st = inflate_members(&u)) != SC_OK)
        goto done;
    u.bytes[u.used] = '\0';
    *out = u.bytes;
    *length = u.used;
    u.bytes = NULL;
done:
    (void)inflateEnd(&u.z);
    sc_free(u.bytes);
    return st;
}
