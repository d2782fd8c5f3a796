#include <string.h>

#include "core/mem.h"
#include "store/disk.h"
#include "store/private.h"

enum { BUSY_MS = 5000 };

/* What holds for every handle, whatever the file is: nothing here touches its content. */
static sc_status configure(sc_store *s)
{
    (void)sqlite3_busy_timeout(s->db, s->busy_ms);
    (void)sqlite3_limit(s->db, SQLITE_LIMIT_ATTACHED, 0);
    if (sqlite3_db_config(s->db, SQLITE_DBCONFIG_DEFENSIVE, 1, (int *)NULL) != SQLITE_OK ||
        sqlite3_db_config(s->db, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, (int *)NULL) != SQLITE_OK)
        return sc_store__fail(s, "opening");
    return sc_store__exec(s,
                          s->mode == SC_STORE_READ
                              ? "PRAGMA query_only = ON; PRAGMA cell_size_check = ON;"
                                " PRAGMA temp_store = MEMORY"
                              : "PRAGMA cell_size_check = ON; PRAGMA temp_store = MEMORY",
                          "opening");
}

static sc_status open_sqlite(sc_store *s, bool immutable)
{
    /* A reader opens for writing, too, where it may: SQLite then settles what a killed process left
     * behind, and takes its own files away in the end. query_only keeps the rows from it. */
    const int access_flags = immutable ? SQLITE_OPEN_READONLY
                             : s->mode == SC_STORE_CREATE
                                 ? SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE
                                 : SQLITE_OPEN_READWRITE;
    sc_buf uri;

    sc_buf_init(&uri);
    sc_disk__uri(&uri, s->path, immutable);
    sc_status st = uri.status;
    if (st == SC_OK && sqlite3_open_v2(uri.text, &s->db,
                                       access_flags | SQLITE_OPEN_URI | SQLITE_OPEN_NOMUTEX |
                                           SQLITE_OPEN_EXRESCODE,
                                       NULL) != SQLITE_OK)
        st = s->db ? sc_store__fail(s, "opening")
                   : sc_fail(SC_ENOMEM, "%s: no memory to open the database", s->path);
    sc_buf_clear(&uri);
    if (st == SC_OK && s->mode != SC_STORE_READ && sqlite3_db_readonly(s->db, "main") == 1)
        st = sc_fail(SC_ESTORE,
                     "%s: database cannot be written: the file is read-only; give write "
                     "permission or use a copy elsewhere",
                     s->path);
    return st;
}

/* The handle alone: the file is open, nothing of its content was looked at. */
static sc_status open_file(sc_store **out, const char *path, sc_store_mode mode,
                           const sc_store_tuning *tuning)
{
    sc_status st = SC_OK;
    sc_store *s = NULL;
    bool exists = false;
    bool frozen = false;

    if (!path || !path[0])
        return sc_fail(SC_EINVAL, "a database needs a path");
    if ((st = sc_disk__look(&exists, path)) != SC_OK)
        return st;
    if (!exists && mode != SC_STORE_CREATE)
        return sc_fail(SC_ENOTFOUND, "%s: no such database", path);
    if (!(s = sc_calloc(1, sizeof *s)) || !(s->path = sc_strdup(path))) {
        st = SC_ENOMEM;
        goto done;
    }
    s->mode = mode;
    s->version = tuning->version;
    s->busy_ms = tuning->busy_ms;
    sc_buf_init(&s->scratch);
    sc_buf_init(&s->result_text);
    sc_buf_init(&s->trial.text);
    if ((mode == SC_STORE_READ && (st = sc_disk__is_frozen(&frozen, path)) != SC_OK) ||
        (st = open_sqlite(s, frozen)) != SC_OK || (st = configure(s)) != SC_OK)
        goto done;
    *out = s;
    s = NULL;
done:
    sc_store_close(s);
    return st;
}

/* synchronous: FULL flushes the log at each commit; with a rollback journal EXTRA also flushes the
 * folder after the journal is gone, without which a commit could come undone by loss of power. */
static sc_status set_journal(sc_store *s, bool rollback_journal)
{
    return sc_store__exec(s,
                          rollback_journal
                              ? "PRAGMA cache_size = -16384; PRAGMA journal_mode = DELETE;"
                                " PRAGMA synchronous = EXTRA"
                              : "PRAGMA cache_size = -16384; PRAGMA journal_mode = WAL;"
                                " PRAGMA synchronous = FULL",
                          "opening for writing");
}

static sc_status open_content(sc_store *s, const sc_store_tuning *tuning)
{
    const int newest = tuning->version;
    sc_identity identity = {0};
    sc_status st;

    if ((st = sc_store__identify(&identity, s, newest)) != SC_OK)
        return st;
    if (identity.empty && s->mode != SC_STORE_CREATE)
        return sc_fail(SC_ESTORE, "%s: is empty, not a scantle database", s->path);
    if (identity.empty) {
        if ((st = sc_store__migrate(s, tuning->schema, newest)) != SC_OK)
            return st;
    } else if (identity.version < newest) {
        return sc_fail(SC_ESTORE,
                       "%s: database has the older schema %d, this scantle uses %d: run `scantle "
                       "db upgrade`",
                       s->path, identity.version, newest);
    }
    if ((st = sc_store__check_schema(s, newest)) != SC_OK || s->mode == SC_STORE_READ)
        return st;
    return set_journal(s, tuning->rollback_journal);
}

sc_status sc_store__open(sc_store **out, const char *path, sc_store_mode mode,
                         const sc_store_tuning *tuning)
{
    sc_store *s = NULL;
    sc_status st = open_file(&s, path, mode, tuning);
    if (st == SC_OK)
        st = open_content(s, tuning);
    if (st == SC_OK) {
        *out = s;
        s = NULL;
    }
    sc_store_close(s);
    return st;
}

sc_store_tuning sc_store__tuning(void)
{
    return (sc_store_tuning){
        .busy_ms = BUSY_MS, .schema = sc_store__schema(), .version = sc_store_schema_version()};
}

sc_status sc_store_open(sc_store **out, const char *path, sc_store_mode mode)
{
    sc_store_tuning tuning = sc_store__tuning();
    if (path && path[0] && mode != SC_STORE_READ) {
        const sc_status st = sc_disk__is_network(&tuning.rollback_journal, path);
        if (st != SC_OK)
            return st;
    }
    return sc_store__open(out, path, mode, &tuning);
}

sc_status sc_store_upgrade(const char *path, int *from, int *to)
{
    const sc_store_tuning tuning = sc_store__tuning();
    return sc_store__upgrade(path, &tuning, from, to);
}

sc_status sc_store__upgrade(const char *path, const sc_store_tuning *tuning, int *from, int *to)
{
    const int newest = tuning->version;
    sc_identity identity = {0};
    sc_store *s = NULL;
    sc_status st;

    if ((st = open_file(&s, path, SC_STORE_WRITE, tuning)) != SC_OK ||
        (st = sc_store__identify(&identity, s, newest)) != SC_OK)
        goto done;
    if (identity.empty) {
        st = sc_fail(SC_ESTORE, "%s: is empty, not a scantle database", path);
        goto done;
    }
    if ((st = sc_store__check_schema(s, identity.version)) != SC_OK ||
        (st = sc_store__exec(s, "PRAGMA synchronous = EXTRA", "upgrading")) != SC_OK ||
        (identity.version < newest && (st = sc_store__migrate(s, tuning->schema, newest)) != SC_OK))
        goto done;
    *from = identity.version;
    *to = newest;
done:
    sc_store_close(s);
    return st;
}

void sc_store_close(sc_store *s)
{
    if (!s)
        return;
    if (s->db) {
        sc_store_rollback(s);
        for (int t = 0; t < SC_TABLES; t++)
            for (int op = 0; op < SC_OPS; op++)
                (void)sqlite3_finalize(s->row_stmt[t][op]);
        for (int c = 0; c < SC_CONTROLS; c++)
            (void)sqlite3_finalize(s->control[c]);
        (void)sqlite3_close_v2(s->db);
    }
    sc_buf_clear(&s->scratch);
    sc_buf_clear(&s->result_text);
    sc_buf_clear(&s->trial.text);
    sc_free(s->metrics);
    sc_free(s->path);
    sc_free(s);
}
