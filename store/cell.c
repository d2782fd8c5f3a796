#include <string.h>

#include "store/private.h"

sc_key sc_store__key(sc_hash128 h)
{
    sc_key key;
    for (unsigned i = 0; i < 8; i++) {
        key.bytes[i] = (unsigned char)(h.hi >> (56 - 8 * i));
        key.bytes[8 + i] = (unsigned char)(h.lo >> (56 - 8 * i));
    }
    return key;
}

static uint64_t big_endian(const unsigned char *bytes)
{
    uint64_t value = 0;
    for (size_t i = 0; i < 8; i++)
        value = value << 8 | bytes[i];
    return value;
}

sc_hash128 sc_store__key_hash(const sc_key *key)
{
    return (sc_hash128){big_endian(key->bytes), big_endian(key->bytes + 8)};
}

sc_hash128 sc_store__column_hash(sqlite3_stmt *row, int i)
{
    const sc_cell c = sc_store__column(row, i);
    if (c.kind != SC_CELL_BLOB || c.n != sizeof(sc_key))
        return (sc_hash128){0, 0};
    sc_key key;
    memcpy(key.bytes, c.bytes, sizeof key.bytes);
    return sc_store__key_hash(&key);
}

sc_cell sc_cell_int(int64_t i)
{
    return (sc_cell){.kind = SC_CELL_INT, .i = i};
}

sc_cell sc_cell_text(const char *text)
{
    return (sc_cell){.kind = SC_CELL_TEXT, .bytes = text, .n = strlen(text)};
}

/* An empty blob still needs an address: SQLite takes a null one for NULL. */
sc_cell sc_cell_blob(const void *bytes, size_t n)
{
    return (sc_cell){.kind = SC_CELL_BLOB, .bytes = n ? bytes : "", .n = n};
}

sc_cell sc_cell_key(const sc_key *key)
{
    return sc_cell_blob(key->bytes, sizeof key->bytes);
}

sc_cell sc_store__column(sqlite3_stmt *row, int i)
{
    const int type = sqlite3_column_type(row, i);
    sc_cell c = {.kind = type == SQLITE_INTEGER ? SC_CELL_INT
                         : type == SQLITE_TEXT  ? SC_CELL_TEXT
                         : type == SQLITE_BLOB  ? SC_CELL_BLOB
                                                : SC_CELL_OTHER,
                 .bytes = ""};
    if (c.kind == SC_CELL_INT) {
        c.i = sqlite3_column_int64(row, i);
    } else if (c.kind != SC_CELL_OTHER) {
        const void *bytes = sqlite3_column_blob(row, i);
        c.n = bytes ? (size_t)sqlite3_column_bytes(row, i) : 0;
        c.bytes = bytes ? bytes : "";
    }
    return c;
}
