#include <string.h>

#include "core/mem.h"
#include "store/study.h"

sc_status sc_store_get_checkpoint(void **bytes, size_t *n, sc_store *s, sc_hash128 study)
{
    const sc_key key = sc_store__key(study);
    const sc_cell cell = sc_cell_key(&key);
    sqlite3_stmt *row = NULL;
    char hex[SC_HASH_HEX];
    sc_status st;

    if ((st = sc_store__find(&row, s, SC_TABLE_CHECKPOINTS, &cell)) != SC_OK)
        return st;
    if (!row) {
        sc_hash_hex(study, hex);
        return sc_fail(SC_ENOTFOUND, "%s: no checkpoint of study %s", s->path, hex);
    }
    const sc_cell state = sc_store__column(row, 2);
    void *copy = sc_malloc(state.n);
    if (copy) {
        memcpy(copy, state.bytes, state.n);
        *bytes = copy;
        *n = state.n;
    } else {
        st = sc_store__lose_batch(s, SC_ENOMEM);
    }
    sc_store__release(row);
    return st;
}

sc_status sc_store_get_runs(uint64_t *out, sc_store *s, sc_hash128 study)
{
    const sc_key key = sc_store__key(study);
    sqlite3_stmt *row = NULL;
    bool more = false;
    sc_status st = sc_store__prepare(&row, s, "SELECT count(*) FROM runs WHERE study = ?1");

    if (st == SC_OK &&
        sqlite3_bind_blob(row, 1, key.bytes, sizeof key.bytes, SQLITE_STATIC) != SQLITE_OK)
        st = sc_store__fail(s, "counting runs");
    if (st == SC_OK)
        st = sc_store__step(&more, s, row, "counting runs");
    if (st == SC_OK)
        *out = (uint64_t)sqlite3_column_int64(row, 0);
    (void)sqlite3_finalize(row);
    return st;
}
