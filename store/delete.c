#include <string.h>

#include "store/study.h"

/* What is there of a study in one table. */
struct share {
    uint64_t rows, total; /* total: of the checksums the rows carry */
    bool damaged;
};

/* Count the rows that a statement over table t gives. */
static sc_status tally(struct share *out, sc_store *s, sc_table t, sqlite3_stmt *row)
{
    struct share share = {0};
    bool more = false;
    bool good = false;
    sc_status st;

    while ((st = sc_store__step(&more, s, row, "reading rows")) == SC_OK && more) {
        if ((st = sc_store__is_good(&good, s, t, row)) != SC_OK)
            return st;
        share.rows++;
        share.total += sc_store__row_sum(t, row);
        share.damaged |= !good;
    }
    if (st == SC_OK)
        *out = share;
    return st;
}

/* Statement `verb rows of t of one study`, or of all of them with study NULL. */
static sc_status prepare(sqlite3_stmt **out, sc_store *s, sc_table t, bool deletes,
                         const sc_key *study)
{
    const sc_table_info *info = sc_store__table(t);
    sqlite3_stmt *stmt = NULL;
    sc_buf sql;
    sc_status st;

    sc_buf_init(&sql);
    if (deletes)
        sc_buf_printf(&sql, "DELETE FROM %s", info->name);
    else
        sc_store__select(&sql, t);
    if (study)
        sc_buf_printf(&sql, " WHERE %s = ?1", info->column[0]);
    st = sql.status == SC_OK ? sc_store__prepare(&stmt, s, sql.text) : sql.status;
    sc_buf_clear(&sql);
    if (st != SC_OK)
        return sc_store__lose_batch(s, st);
    if (study &&
        sqlite3_bind_blob(stmt, 1, study->bytes, sizeof study->bytes, SQLITE_STATIC) != SQLITE_OK) {
        st = sc_store__fail(s, "preparing a statement");
        (void)sqlite3_finalize(stmt);
        return st;
    }
    *out = stmt;
    return SC_OK;
}

static sc_status tally_rows(struct share *out, sc_store *s, sc_table t, const sc_key *study)
{
    sqlite3_stmt *row = NULL;
    sc_status st = prepare(&row, s, t, false, study);
    if (st == SC_OK)
        st = tally(out, s, t, row);
    (void)sqlite3_finalize(row);
    return st;
}

static sc_status delete_rows(sc_store *s, sc_table t, const sc_key *study)
{
    sqlite3_stmt *stmt = NULL;
    bool more = false;
    sc_status st = prepare(&stmt, s, t, true, study);
    if (st == SC_OK)
        st = sc_store__step(&more, s, stmt, "deleting rows");
    (void)sqlite3_finalize(stmt);
    return st;
}

/* Where rows of studies are. */
enum { TRIALS, CHECKPOINT, RUNS, PROGRESS, STUDY, OF_STUDIES };
static const sc_table of_studies[OF_STUDIES] = {SC_TABLE_TRIALS, SC_TABLE_CHECKPOINTS,
                                                SC_TABLE_RUNS, SC_TABLE_PROGRESS, SC_TABLE_STUDIES};

/* How many rows of each kind the study should have. */
static sc_status read_claims(uint64_t claims[OF_STUDIES], sc_store *s, const sc_key *study)
{
    sqlite3_stmt *row = NULL;
    bool more = false;
    sc_status st = prepare(&row, s, SC_TABLE_PROGRESS, false, study);
    if (st == SC_OK)
        st = sc_store__step(&more, s, row, "reading rows");
    claims[STUDY] = claims[PROGRESS] = 1;
    if (st == SC_OK && more) {
        claims[TRIALS] = sc_store__counts(row).kept;
        claims[CHECKPOINT] = sqlite3_column_int64(row, SC_PROGRESS_CHECKPOINT) >= 0;
    }
    (void)sqlite3_finalize(row);
    return st;
}

/* Look at a study before it goes. *whole = it is what was once written, runs apart: those are not
 * counted anywhere. */
static sc_status survey(struct share share[OF_STUDIES], bool *whole, sc_store *s,
                        const sc_key *study)
{
    uint64_t claims[OF_STUDIES] = {0};
    sc_status st = read_claims(claims, s, study);

    *whole = true;
    for (size_t i = 0; i < OF_STUDIES && st == SC_OK; i++) {
        if ((st = sc_store__ledger_load(s, of_studies[i])) == SC_OK)
            st = tally_rows(&share[i], s, of_studies[i], study);
        *whole = *whole && !share[i].damaged && (i == RUNS || share[i].rows == claims[i]);
    }
    return st;
}

/* The ledger once the rows are gone. What a damaged or lost row once added to it cannot be told any
 * more; then it is made anew from the rows that are left, if those are all good. Rows that another
 * study lost are still missed by that study's own count. */
static sc_status settle(sc_store *s, sc_table t, const struct share *gone, bool whole)
{
    sc_ledger *l = &s->ledger[t];
    struct share left = {0};
    sc_status st;

    l->changed = true;
    l->rows -= gone->rows;
    l->total -= gone->total;
    if (whole)
        return SC_OK;
    if ((st = tally_rows(&left, s, t, NULL)) != SC_OK)
        return st;
    if (!left.damaged) {
        l->rows = left.rows;
        l->total = left.total;
    }
    return SC_OK;
}

static sc_status delete_study(bool *found, sc_store *s, sc_hash128 id)
{
    const sc_key key = sc_store__key(id);
    struct share share[OF_STUDIES] = {{0}};
    bool whole = false;
    sc_status st = survey(share, &whole, s, &key);

    *found = false;
    for (size_t i = 0; i < OF_STUDIES && st == SC_OK; i++) {
        *found = *found || share[i].rows > 0;
        if ((st = delete_rows(s, of_studies[i], &key)) == SC_OK)
            st = settle(s, of_studies[i], &share[i], whole);
    }
    return st;
}

sc_status sc_store_study_delete(sc_store *s, const char *word)
{
    sc_hash128 id = {0, 0};
    bool found = false;
    sc_status st;

    if (s->in_batch)
        return sc_fail(SC_EINVAL, "%s: a study cannot be deleted within a batch", s->path);
    st = sc_store_find(&id, s, word);
    /* Rows whose row in the table of studies is lost are named by the whole ID. */
    if (st != SC_OK && !(st == SC_ENOTFOUND && sc_store__full_id(&id, word)))
        return st;
    if ((st = sc_store_begin(s)) != SC_OK)
        return st;
    if ((st = delete_study(&found, s, id)) == SC_OK && !found)
        st = sc_fail(SC_ENOTFOUND, "%s: no study %s", s->path, word);
    if (st != SC_OK) {
        sc_store_rollback(s);
        return st;
    }
    return sc_store_commit(s);
}
