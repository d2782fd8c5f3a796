#include <string.h>

#include "core/mem.h"
#include "store/pack.h"
#include "store/study.h"

/* Columns of the table details. */
enum { KEY, KIND, CODEC, BYTES, DATA };

/* Values of codec. */
enum { PLAIN, ZLIB };

/* The text of a row, unpacked. */
static sc_status unpack(char **text, size_t *n, sc_store *s, sqlite3_stmt *row)
{
    const sc_cell data = sc_store__column(row, DATA);
    const int64_t codec = sqlite3_column_int64(row, CODEC);
    const int64_t bytes = sqlite3_column_int64(row, BYTES);
    sc_status st = SC_OK;

    if (bytes < 0 || bytes > SC_STORE_MAX_BLOB || (codec != PLAIN && codec != ZLIB) ||
        (codec == PLAIN && data.n != (size_t)bytes))
        return sc_store__corrupt(s, "a row of table details has no meaning");
    char *copy = sc_malloc((size_t)bytes + 1);
    if (!copy)
        return sc_store__lose_batch(s, SC_ENOMEM);
    if (codec == PLAIN)
        memcpy(copy, data.bytes, data.n);
    else
        st = sc_pack__inflate((unsigned char *)copy, (size_t)bytes, data.bytes, data.n);
    if (st != SC_OK) {
        sc_free(copy);
        return st == SC_EPARSE ? sc_store__corrupt(s, "a row of table details cannot be unpacked")
                               : sc_store__lose_batch(s, st);
    }
    copy[bytes] = '\0';
    *text = copy;
    *n = (size_t)bytes;
    return SC_OK;
}

sc_status sc_store_get_detail(char **text, size_t *n, sc_store *s, sc_hash128 key, const char *kind)
{
    const sc_key bytes = sc_store__key(key);
    const sc_cell keys[] = {sc_cell_key(&bytes), sc_cell_text(kind)};
    sqlite3_stmt *row = NULL;
    char hex[SC_HASH_HEX];
    sc_status st;

    if ((st = sc_store__find(&row, s, SC_TABLE_DETAILS, keys)) != SC_OK)
        return st;
    if (!row) {
        sc_hash_hex(key, hex);
        return sc_fail(SC_ENOTFOUND, "%s: no detail '%.64s' of %s", s->path, kind, hex);
    }
    st = unpack(text, n, s, row);
    sc_store__release(row);
    return st;
}

/* Rows of equal texts may differ: another zlib packs otherwise. So texts are compared. */
static sc_status compare(sc_store *s, sc_hash128 key, const char *kind, const char *text, size_t n)
{
    char *stored = NULL;
    size_t n_stored = 0;
    sc_status st = sc_store_get_detail(&stored, &n_stored, s, key, kind);
    const bool same = stored && n_stored == n && memcmp(stored, text, n) == 0;
    if (st == SC_OK && !same)
        st = sc_store__conflict(s, "detail of", key);
    sc_free(stored);
    return st;
}

sc_status sc_store_put_detail(sc_store *s, sc_hash128 key, const char *kind, const char *text,
                              size_t n)
{
    const sc_key bytes = sc_store__key(key);
    unsigned char *packed = NULL;
    size_t n_packed = 0;
    sc_added how = SC_ADDED;
    sc_status st;

    if (!s->in_batch)
        return sc_fail(SC_EINVAL, "%s: details are written in batches only", s->path);
    if ((st = sc_store__check_text("kind of a detail", kind, true)) != SC_OK)
        return st;
    if (n > SC_STORE_MAX_BLOB)
        return sc_fail(SC_EINVAL, "a detail of %zu bytes is over the %d allowed", n,
                       SC_STORE_MAX_BLOB);
    if ((st = sc_store__lose_batch(s, sc_pack__deflate(&packed, &n_packed, text, n))) != SC_OK)
        return st;
    const sc_cell cells[] = {
        [KEY] = sc_cell_key(&bytes),
        [KIND] = sc_cell_text(kind),
        [CODEC] = sc_cell_int(packed ? ZLIB : PLAIN),
        [BYTES] = sc_cell_int((int64_t)n),
        [DATA] = packed ? sc_cell_blob(packed, n_packed) : sc_cell_blob(text, n),
    };
    st = sc_store__insert(&how, s, SC_TABLE_DETAILS, cells);
    sc_free(packed);
    return st == SC_OK && how == SC_DIFFERENT ? compare(s, key, kind, text, n) : st;
}
