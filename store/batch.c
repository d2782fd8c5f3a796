#include <stdio.h>

#include "store/private.h"

static sc_status prepare_pair(sc_store *s, sc_control first)
{
    static const char *const sql[SC_CONTROLS] = {
        [SC_CONTROL_BEGIN] = "BEGIN IMMEDIATE",
        [SC_CONTROL_ROLLBACK] = "ROLLBACK",
        [SC_CONTROL_READ] = "SAVEPOINT reading",
        [SC_CONTROL_READ_END] = "RELEASE reading",
    };
    sc_status st = SC_OK;
    for (int c = (int)first; c <= (int)first + 1 && st == SC_OK; c++)
        if (!s->control[c])
            st = sc_store__prepare(&s->control[c], s, sql[c]);
    return st;
}

static sc_status run(sc_store *s, sc_control c, const char *doing)
{
    bool more = false;
    const sc_status st = sc_store__step(&more, s, s->control[c], doing);
    (void)sqlite3_reset(s->control[c]);
    return st;
}

/* Work under a name that was moved or deleted would be lost with it. */
static sc_status check_in_place(sc_store *s)
{
    int moved = 0;
    if (sqlite3_file_control(s->db, "main", SQLITE_FCNTL_HAS_MOVED, &moved) == SQLITE_OK && moved)
        return sc_fail(SC_ESTORE,
                       "%s: database was moved or deleted while it was in use; nothing more is "
                       "written",
                       s->path);
    return SC_OK;
}

static void end_batch(sc_store *s, bool committed)
{
    s->in_batch = false;
    s->batch_lost = false;
    sc_store__ledger_forget(s);
    sc_store__writers_release(s, committed);
}

sc_status sc_store_begin(sc_store *s)
{
    sc_status st;

    if (s->in_batch)
        return sc_fail(SC_EINVAL, "%s: a batch is already running", s->path);
    if (!sqlite3_get_autocommit(s->db))
        return sc_fail(SC_EINVAL, "%s: a batch cannot begin while trials are being read", s->path);
    if (s->mode == SC_STORE_READ)
        return sc_fail(SC_ESTORE, "%s: database is open for reading only", s->path);
    if (s->failed[0])
        return sc_fail(SC_ESTORE, "%s", s->failed);
    if ((st = check_in_place(s)) != SC_OK || (st = prepare_pair(s, SC_CONTROL_BEGIN)) != SC_OK ||
        (st = run(s, SC_CONTROL_BEGIN, "beginning a batch")) != SC_OK)
        return st;
    s->in_batch = true;
    s->moved_on = false;
    return SC_OK;
}

sc_status sc_store_commit(sc_store *s)
{
    sc_status st;

    if (!s->in_batch)
        return sc_fail(SC_EINVAL, "%s: no batch is running", s->path);
    if (s->batch_lost) {
        st = sc_fail(SC_ESTORE, "%s: a call of this batch failed, so nothing of it was written",
                     s->path);
    } else if ((st = sc_store__writers_save(s)) == SC_OK &&
               (st = sc_store__ledger_save(s)) == SC_OK &&
               (st = sc_store__exec(s, "COMMIT", "committing a batch")) == SC_OK) {
        end_batch(s, true);
        return SC_OK;
    }
    sc_store_rollback(s);
    return st;
}

bool sc_store_moved_on(const sc_store *s)
{
    return s->moved_on;
}

void sc_store_rollback(sc_store *s)
{
    if (!s->in_batch)
        return;
    /* SQLite may have undone the transaction itself, on a full disk for example. What cannot be
     * undone now is when the file is closed: the log has no commit mark. */
    if (!sqlite3_get_autocommit(s->db)) {
        (void)sqlite3_step(s->control[SC_CONTROL_ROLLBACK]);
        (void)sqlite3_reset(s->control[SC_CONTROL_ROLLBACK]);
    }
    if (!sqlite3_get_autocommit(s->db) && !s->failed[0])
        (void)snprintf(s->failed, sizeof s->failed, "%.400s: a batch could not be undone", s->path);
    end_batch(s, false);
}

sc_status sc_store__read_begin(sc_store *s)
{
    const sc_status st = prepare_pair(s, SC_CONTROL_READ);
    return st == SC_OK ? run(s, SC_CONTROL_READ, "beginning to read") : st;
}

void sc_store__read_end(sc_store *s)
{
    (void)sqlite3_step(s->control[SC_CONTROL_READ_END]);
    (void)sqlite3_reset(s->control[SC_CONTROL_READ_END]);
}
