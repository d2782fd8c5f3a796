#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "store/private.h"

static int last_errno(sqlite3 *db, int which_file)
{
    sqlite3_file *file = NULL;
    int reason = 0;
    if (sqlite3_file_control(db, "main", which_file, &file) != SQLITE_OK || !file ||
        !file->pMethods ||
        file->pMethods->xFileControl(file, SQLITE_FCNTL_LAST_ERRNO, &reason) != SQLITE_OK)
        return 0;
    return reason;
}

/* Why the system refused. SQLite does not pass it on from a COMMIT; the files remember. */
static int system_reason(sqlite3 *db)
{
    int reason = sqlite3_system_errno(db);
    if (reason == 0)
        reason = last_errno(db, SQLITE_FCNTL_JOURNAL_POINTER);
    return reason ? reason : last_errno(db, SQLITE_FCNTL_FILE_POINTER);
}

/* SQLite reports a disk that refuses to grow a file as a plain i/o error unless errno is ENOSPC. */
static bool is_full(int rc, int system_errno)
{
    return rc == SQLITE_FULL ||
           (rc == SQLITE_IOERR &&
            (system_errno == EFBIG || system_errno == EDQUOT || system_errno == ENOSPC));
}

static const char *system_text(char out[128], int system_errno)
{
    if (system_errno == 0 || strerror_r(system_errno, out, 128) != 0)
        (void)snprintf(out, 128, "no reason given");
    return out;
}

static bool is_no_memory(int extended)
{
    return (extended & 0xff) == SQLITE_NOMEM || extended == SQLITE_IOERR_NOMEM;
}

/* The system's fault, not the caller's or a rival's: no later write can be trusted. */
static bool is_lasting(int extended)
{
    const int rc = extended & 0xff;
    return rc != SQLITE_BUSY && rc != SQLITE_LOCKED && !is_no_memory(extended);
}

static sc_status say_refused(const sc_store *s, int rc, const char *doing)
{
    char reason[128];
    if (rc == SQLITE_BUSY || rc == SQLITE_LOCKED)
        return sc_fail(SC_ESTORE,
                       "%s: database is locked: another process was writing to it for over %g s "
                       "(while %s); wait until that one ends and run the same command again",
                       s->path, s->busy_ms / 1000.0, doing);
    if (rc == SQLITE_CANTOPEN)
        return sc_fail(SC_ESTORE,
                       "%s: database cannot be opened: %s (while %s); check the path and the "
                       "permissions of the file and its folder",
                       s->path, system_text(reason, system_reason(s->db)), doing);
    return sc_fail(SC_ESTORE,
                   "%s: database cannot be written: the file or its folder is read-only (while "
                   "%s); give write permission or use a copy elsewhere",
                   s->path, doing);
}

static sc_status say(const sc_store *s, int extended, const char *doing)
{
    const int rc = extended & 0xff;
    const int system_errno = system_reason(s->db);
    char reason[128];

    if (is_no_memory(extended))
        return sc_fail(SC_ENOMEM, "%s: no memory while %s", s->path, doing);
    if (rc == SQLITE_BUSY || rc == SQLITE_LOCKED || rc == SQLITE_CANTOPEN ||
        rc == SQLITE_READONLY || rc == SQLITE_PERM || rc == SQLITE_AUTH)
        return say_refused(s, rc, doing);
    if (is_full(rc, system_errno))
        return sc_fail(SC_ESTORE,
                       "%s: database is full: its disk or quota has no room left (while %s); what "
                       "was committed before is safe; make room and run the same command again",
                       s->path, doing);
    if (rc == SQLITE_IOERR || rc == SQLITE_PROTOCOL)
        return sc_fail(SC_ESTORE,
                       "%s: the system failed to read or write the database: %s, %s (while %s); "
                       "check the disk, then run `scantle db verify`",
                       s->path, sqlite3_errstr(extended), system_text(reason, system_errno), doing);
    if (rc == SQLITE_MISUSE || rc == SQLITE_RANGE)
        return sc_fail(SC_EBUG, "%s: %s while %s", s->path, sqlite3_errmsg(s->db), doing);
    return sc_fail(SC_ESTORE,
                   "%s: database is corrupt: %s (while %s); run `scantle db verify`, then restore "
                   "a copy, or move the file away and run the study again",
                   s->path, sqlite3_errmsg(s->db), doing);
}

/* From here on every write returns the message that stands. */
static void stay_failed(sc_store *s)
{
    if (!s->failed[0])
        (void)snprintf(s->failed, sizeof s->failed, "%s", sc_error_message());
}

sc_status sc_store__fail(sc_store *s, const char *doing)
{
    const int extended = sqlite3_extended_errcode(s->db);
    const sc_status st = say(s, extended, doing);
    if (s->in_batch && is_lasting(extended))
        stay_failed(s);
    return sc_store__lose_batch(s, st);
}

sc_status sc_store__corrupt(sc_store *s, const char *fmt, ...)
{
    char what[512];
    va_list ap;
    va_start(ap, fmt);
    (void)vsnprintf(what, sizeof what, fmt, ap);
    va_end(ap);
    return sc_store__lose_batch(
        s, sc_fail(SC_ESTORE, "%s: database is corrupt: %s; run `scantle db verify` for the list",
                   s->path, what));
}

sc_status sc_store__conflict(sc_store *s, const char *what, sc_hash128 key)
{
    char hex[SC_HASH_HEX];
    sc_hash_hex(key, hex);
    return sc_store__lose_batch(
        s, sc_fail(SC_ESTORE,
                   "%s: %s %s is in the database with another content; the stored one stands",
                   s->path, what, hex));
}

sc_status sc_store__lose_batch(sc_store *s, sc_status st)
{
    if (st != SC_OK && s->in_batch)
        s->batch_lost = true;
    return st;
}

sc_status sc_store__exec(sc_store *s, const char *sql, const char *doing)
{
    if (sqlite3_exec(s->db, sql, NULL, NULL, NULL) != SQLITE_OK)
        return sc_store__fail(s, doing);
    return SC_OK;
}

sc_status sc_store__prepare(sqlite3_stmt **out, sc_store *s, const char *sql)
{
    if (sqlite3_prepare_v3(s->db, sql, -1, SQLITE_PREPARE_PERSISTENT, out, NULL) != SQLITE_OK)
        return sc_store__fail(s, "preparing a statement");
    return SC_OK;
}

sc_status sc_store__step(bool *more, sc_store *s, sqlite3_stmt *stmt, const char *doing)
{
    const int rc = sqlite3_step(stmt);
    if (rc != SQLITE_ROW && rc != SQLITE_DONE)
        return sc_store__fail(s, doing);
    *more = rc == SQLITE_ROW;
    return SC_OK;
}

sc_status sc_store__number(int64_t *out, sc_store *s, const char *sql)
{
    sqlite3_stmt *stmt = NULL;
    bool more = false;
    sc_status st = sc_store__prepare(&stmt, s, sql);
    if (st == SC_OK)
        st = sc_store__step(&more, s, stmt, "reading the header");
    if (st == SC_OK && more)
        *out = sqlite3_column_int64(stmt, 0);
    (void)sqlite3_finalize(stmt);
    return st;
}
