#include <string.h>

#include "store/disk.h"
#include "store/private.h"

/* In the header of the file; "ScTl". */
enum { APPLICATION_ID = 0x5363546C };

/* Tables are STRICT, so a column holds the type that its checksum saw; no column is a REAL, whose
 * NaN SQLite would turn into NULL. Key columns come first, checksums last. */
static const sc_migration schema[] = {{
    "CREATE TABLE ledger (name TEXT PRIMARY KEY, rows INTEGER NOT NULL, total INTEGER NOT NULL,"
    " sum INTEGER NOT NULL) STRICT;"
    "CREATE TABLE studies (id BLOB PRIMARY KEY, name TEXT NOT NULL, config TEXT NOT NULL,"
    " config_hash BLOB NOT NULL, seed INTEGER NOT NULL, model TEXT NOT NULL, keep TEXT NOT NULL,"
    " parameters BLOB NOT NULL, outputs BLOB NOT NULL, sum INTEGER NOT NULL) STRICT;"
    "CREATE TABLE progress (study BLOB PRIMARY KEY, status TEXT NOT NULL, trials INTEGER NOT NULL,"
    " feasible INTEGER NOT NULL, infeasible INTEGER NOT NULL, failed INTEGER NOT NULL,"
    " kept INTEGER NOT NULL, checkpoint INTEGER NOT NULL, told BLOB NOT NULL,"
    " sum INTEGER NOT NULL) STRICT;"
    "CREATE TABLE checkpoints (study BLOB PRIMARY KEY, trials INTEGER NOT NULL,"
    " state BLOB NOT NULL, sum INTEGER NOT NULL) STRICT;"
    "CREATE TABLE trials (study BLOB NOT NULL, idx INTEGER NOT NULL, point BLOB NOT NULL,"
    " parameters TEXT NOT NULL, state INTEGER NOT NULL, numbers BLOB NOT NULL,"
    " reasons TEXT NOT NULL, evaluator TEXT NOT NULL, model TEXT NOT NULL,"
    " flags INTEGER NOT NULL, sum INTEGER NOT NULL, PRIMARY KEY (study, idx)) STRICT;"
    "CREATE INDEX trials_point ON trials (point);"
    "CREATE INDEX trials_flagged ON trials (study, idx) WHERE flags <> 0;"
    "CREATE TABLE runs (study BLOB NOT NULL, number INTEGER NOT NULL, started_ms INTEGER NOT NULL,"
    " elapsed_ms INTEGER NOT NULL, first_trial INTEGER NOT NULL, trials INTEGER NOT NULL,"
    " threads INTEGER NOT NULL, sum INTEGER NOT NULL, PRIMARY KEY (study, number)) STRICT;"
    "CREATE TABLE results (key BLOB PRIMARY KEY, design BLOB NOT NULL, workload BLOB NOT NULL,"
    " model TEXT NOT NULL, options TEXT NOT NULL, evaluator TEXT NOT NULL, state INTEGER NOT NULL,"
    " metrics BLOB NOT NULL, reasons TEXT NOT NULL, sum INTEGER NOT NULL) STRICT;"
    "CREATE TABLE details (key BLOB NOT NULL, kind TEXT NOT NULL, codec INTEGER NOT NULL,"
    " bytes INTEGER NOT NULL, data BLOB NOT NULL, sum INTEGER NOT NULL,"
    " PRIMARY KEY (key, kind)) STRICT;",
}};

const sc_migration *sc_store__schema(void)
{
    return schema;
}

int sc_store_schema_version(void)
{
    return (int)(sizeof schema / sizeof schema[0]);
}

/* ---- what file is this? ---- */

static sc_status foreign(const sc_store *s)
{
    return sc_fail(SC_ESTORE,
                   "%s: is not a scantle database: another program made this file; name another "
                   "path",
                   s->path);
}

/* SQLite pads a last page that is cut, and only says "malformed" of a missing one. */
static sc_status check_length(sc_store *s)
{
    bool has_log = false;
    int64_t has = 0;
    int64_t promised = 0;

    sc_disk__sizes(s->db, &has, &promised);
    if (has >= promised)
        return SC_OK;
    const sc_status st = sc_disk__has_log(&has_log, s->path);
    if (st != SC_OK || has_log) /* the log may hold what the file lacks */
        return st;
    return sc_fail(SC_ESTORE,
                   "%s: database is truncated: %lld of %lld bytes are left; restore a copy, or "
                   "move the file away and run the study again",
                   s->path, (long long)has, (long long)promised);
}

/* Say more of a first read that failed than SQLite does. */
static sc_status explain(sc_store *s, sc_status st)
{
    const int rc = sqlite3_errcode(s->db) & 0xff;
    bool has_log = false;
    sc_status more;

    if (rc == SQLITE_NOTADB)
        return foreign(s);
    if (rc == SQLITE_CORRUPT && (more = check_length(s)) != SC_OK)
        return more;
    if (rc == SQLITE_CANTOPEN && sc_disk__has_log(&has_log, s->path) == SC_OK && has_log)
        return sc_fail(SC_ESTORE,
                       "%s: database cannot be opened: a process was killed while it had it open, "
                       "and its log cannot be read in a folder without write permission; copy the "
                       "file and the one with -wal behind its name to another folder",
                       s->path);
    return st;
}

/* The first read of the file. */
static sc_status read_header(int64_t *objects, int64_t *application, int64_t *version, sc_store *s)
{
    sc_status st = sc_store__number(objects, s, "SELECT count(*) FROM sqlite_schema");
    if (st == SC_ESTORE)
        return explain(s, st);
    if (st == SC_OK)
        st = sc_store__number(application, s, "PRAGMA application_id");
    if (st == SC_OK)
        st = sc_store__number(version, s, "PRAGMA user_version");
    return st;
}

static sc_status judge(sc_identity *out, sc_store *s, int newest, int64_t objects,
                       int64_t application, int64_t version)
{
    /* Nothing in it: a new file, or one whose maker was killed before its first commit. */
    const bool empty = objects == 0 && application == 0 && version == 0;

    if (!empty && application != APPLICATION_ID)
        return foreign(s);
    if (version > newest)
        return sc_fail(SC_ESTORE,
                       "%s: database has the newer schema %lld, this scantle knows %d: use the "
                       "scantle that wrote it, or a newer one",
                       s->path, (long long)version, newest);
    if (!empty && version < 1)
        return sc_store__corrupt(s, "its schema version is %lld", (long long)version);
    *out = (sc_identity){.empty = empty, .version = (int)version};
    return SC_OK;
}

sc_status sc_store__identify(sc_identity *out, sc_store *s, int newest)
{
    int64_t objects = 0;
    int64_t application = 0;
    int64_t version = 0;
    sc_status st;

    if ((st = sc_store__read_begin(s)) != SC_OK)
        return st;
    if ((st = read_header(&objects, &application, &version, s)) == SC_OK &&
        (st = judge(out, s, newest, objects, application, version)) == SC_OK)
        st = check_length(s);
    sc_store__read_end(s);
    return st;
}

/* ---- the schema's own checksum ---- */

/* Hash of every object that is not SQLite's own, as it stands in the file. */
static sc_status schema_sum(uint64_t *out, sc_store *s)
{
    sqlite3_stmt *row = NULL;
    sc_buf text;
    bool more = false;
    sc_status st;

    sc_buf_init(&text);
    if ((st = sc_store__prepare(&row, s,
                                "SELECT type, name, tbl_name, sql FROM sqlite_schema"
                                " WHERE substr(name, 1, 7) <> 'sqlite_' ORDER BY name")) != SC_OK)
        goto done;
    while ((st = sc_store__step(&more, s, row, "reading the schema")) == SC_OK && more) {
        for (int i = 0; i < 4; i++) {
            const sc_cell c = sc_store__column(row, i);
            sc_buf_append(&text, c.bytes, c.n);
            sc_buf_append(&text, "", 1);
        }
    }
    if (st == SC_OK && (st = text.status) == SC_OK)
        *out = sc_hash64_of(text.text ? text.text : "", text.length);
done:
    sc_buf_clear(&text);
    (void)sqlite3_finalize(row);
    return st;
}

sc_status sc_store__check_schema(sc_store *s, int version)
{
    const sc_cell key = sc_cell_text("schema");
    sqlite3_stmt *row = NULL;
    uint64_t sum = 0;
    bool good = false;
    sc_status st;

    if ((st = sc_store__read_begin(s)) != SC_OK)
        return st;
    if ((st = schema_sum(&sum, s)) == SC_OK &&
        (st = sc_store__find(&row, s, SC_TABLE_LEDGER, &key)) == SC_OK && row) {
        good = sqlite3_column_int64(row, 1) == version &&
               (uint64_t)sqlite3_column_int64(row, 2) == sum;
        sc_store__release(row);
    }
    sc_store__read_end(s);
    if (st == SC_OK && !good)
        st = sc_store__corrupt(s, "its schema is not the one that scantle made");
    return st;
}

/* ---- changing it ---- */

static sc_status record_schema(sc_store *s, int version)
{
    uint64_t sum = 0;
    sc_added how;
    sc_status st;

    for (int t = 0; t < SC_TABLE_LEDGER; t++) { /* tables that a step has added */
        const sc_cell cells[] = {sc_cell_text(sc_store__table((sc_table)t)->name), sc_cell_int(0),
                                 sc_cell_int(0)};
        if ((st = sc_store__insert(&how, s, SC_TABLE_LEDGER, cells)) != SC_OK)
            return st;
    }
    if ((st = schema_sum(&sum, s)) != SC_OK)
        return st;
    const sc_cell cells[] = {sc_cell_text("schema"), sc_cell_int(version),
                             sc_cell_int((int64_t)sum)};
    return sc_store__upsert(NULL, s, SC_TABLE_LEDGER, cells);
}

static sc_status run_steps(sc_store *s, const sc_migration *steps, int from, int n)
{
    sc_buf sql;
    sc_status st = SC_OK;

    for (int i = from; i < n && st == SC_OK; i++)
        st = sc_store__exec(s, steps[i].sql, "changing the schema");
    if (st != SC_OK)
        return st;
    sc_buf_init(&sql);
    sc_buf_printf(&sql, "PRAGMA application_id = %d; PRAGMA user_version = %d", APPLICATION_ID, n);
    st = sql.status == SC_OK ? sc_store__exec(s, sql.text, "changing the schema") : SC_ENOMEM;
    sc_buf_clear(&sql);
    return st == SC_OK ? record_schema(s, n) : st;
}

sc_status sc_store__migrate(sc_store *s, const sc_migration *steps, int n)
{
    sc_identity now = {0};
    sc_status st;

    if ((st = sc_store_begin(s)) != SC_OK)
        return st;
    /* Another process may have done it while the lock was waited for. */
    if ((st = sc_store__identify(&now, s, n)) == SC_OK && now.version < n)
        st = run_steps(s, steps, now.version, n);
    if (st != SC_OK) {
        sc_store_rollback(s);
        return st;
    }
    return sc_store_commit(s);
}
