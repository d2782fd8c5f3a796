#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "store/ranges.h"
#include "store/study.h"

typedef struct verifying {
    sc_store *store;
    sc_store_fault_fn hook;
    void *payload;
    sc_store_check check;
} verifying;

SC_PRINTF(4, 5)
static void fault(verifying *v, const char *table, const char *row, const char *fmt, ...)
{
    char what[1024];
    va_list ap;
    va_start(ap, fmt);
    (void)vsnprintf(what, sizeof what, fmt, ap);
    va_end(ap);
    v->check.faults++;
    if (v->hook)
        v->hook(&(sc_store_fault){table, row, what}, v->payload);
}

/* A read that the damage stopped is a fault, and the next part is looked at; want of memory or a
 * lock ends the whole. */
static sc_status note(verifying *v, sc_status st, const char *table)
{
    const int rc = sqlite3_errcode(v->store->db) & 0xff;
    if (st != SC_ESTORE || rc == SQLITE_BUSY || rc == SQLITE_LOCKED)
        return st;
    char what[512];
    (void)snprintf(what, sizeof what, "%s", sc_error_message());
    fault(v, table, "", "%s", what);
    return SC_OK;
}

/* ---- the file ---- */

static sc_status check_structure(verifying *v)
{
    sqlite3_stmt *row = NULL;
    bool more = false;
    sc_status st = sc_store__prepare(&row, v->store, "PRAGMA integrity_check(1000)");

    while (st == SC_OK &&
           (st = sc_store__step(&more, v->store, row, "checking the file")) == SC_OK && more) {
        const sc_cell c = sc_store__column(row, 0);
        if (c.n != 2 || memcmp(c.bytes, "ok", 2) != 0)
            fault(v, "database", "", "%.*s", (int)(c.n < 1000 ? c.n : 1000), (const char *)c.bytes);
    }
    (void)sqlite3_finalize(row);
    return note(v, st, "database");
}

/* ---- rows against their checksums, tables against the ledger ---- */

static sc_status scan(uint64_t *rows, uint64_t *total, verifying *v, sc_table t, sqlite3_stmt *row)
{
    bool more = false;
    bool good = false;
    char name[128];
    sc_status st;

    while ((st = sc_store__step(&more, v->store, row, "reading rows")) == SC_OK && more) {
        if ((st = sc_store__is_good(&good, v->store, t, row)) != SC_OK)
            return st;
        sc_store__row_name(name, sizeof name, t, row);
        if (!good)
            fault(v, sc_store__table(t)->name, name, "does not match its checksum");
        (*rows)++;
        *total += sc_store__row_sum(t, row);
    }
    return st;
}

static sc_status check_ledger(verifying *v, sc_table t, uint64_t rows, uint64_t total)
{
    const char *name = sc_store__table(t)->name;
    const sc_ledger *l = &v->store->ledger[t];
    sc_status st;

    sc_store__ledger_forget(v->store); /* another process may have written since */
    if ((st = sc_store__ledger_load(v->store, t)) != SC_OK)
        return st;
    if (l->rows != rows)
        fault(v, name, "", "has %" PRIu64 " rows, not the %" PRIu64 " that were written", rows,
              l->rows);
    else if (l->total != total)
        fault(v, name, "", "its rows are not the ones that were written");
    return SC_OK;
}

static sc_status check_table(verifying *v, sc_table t)
{
    sqlite3_stmt *row = NULL;
    uint64_t rows = 0;
    uint64_t total = 0;
    sc_buf sql;
    sc_status st;

    sc_buf_init(&sql);
    sc_store__select(&sql, t);
    sc_buf_puts(&sql, " NOT INDEXED"); /* rows as they lie, whatever an index says */
    if ((st = sql.status) == SC_OK && (st = sc_store__prepare(&row, v->store, sql.text)) == SC_OK)
        st = scan(&rows, &total, v, t, row);
    (void)sqlite3_finalize(row);
    sc_buf_clear(&sql);
    v->check.rows += rows;
    if (st == SC_OK && t != SC_TABLE_LEDGER)
        st = check_ledger(v, t, rows, total);
    return note(v, st, sc_store__table(t)->name);
}

/* ---- studies against their trials ---- */

static sc_status check_told(verifying *v, sqlite3_stmt *row, const char *name)
{
    const sc_store_counts counts = sc_store__counts(row);
    const sc_cell told = sc_store__column(row, SC_PROGRESS_TOLD);
    sc_ranges ranges = {0};
    const sc_status st = sc_ranges__decode(&ranges, told.bytes, told.n);

    if (st == SC_ENOMEM)
        return st;
    if (st != SC_OK || sc_ranges__count(&ranges) != counts.trials ||
        counts.feasible + counts.infeasible + counts.failed != counts.trials ||
        counts.kept > counts.trials)
        fault(v, "progress", name, "its counts contradict each other");
    sc_ranges__clear(&ranges);
    return SC_OK;
}

/* Cross checks that SQL can state; each gives the key and a text for each row that is wrong. */
static const struct rule {
    const char *table, *sql, *what;
} rules[] = {
    {"studies", "SELECT id FROM studies WHERE id NOT IN (SELECT study FROM progress)",
     "has no row in progress"},
    {"progress", "SELECT study FROM progress WHERE study NOT IN (SELECT id FROM studies)",
     "belongs to no study"},
    {"trials", "SELECT DISTINCT study FROM trials WHERE study NOT IN (SELECT id FROM studies)",
     "belongs to no study"},
    {"checkpoints", "SELECT study FROM checkpoints WHERE study NOT IN (SELECT id FROM studies)",
     "belongs to no study"},
    {"runs", "SELECT DISTINCT study FROM runs WHERE study NOT IN (SELECT id FROM studies)",
     "belongs to no study"},
    {"progress",
     "SELECT study FROM progress p WHERE kept <>"
     " (SELECT count(*) FROM trials t WHERE t.study = p.study)",
     "the number of its trials is not the one recorded"},
    {"progress",
     "SELECT study FROM progress p JOIN studies s ON s.id = p.study"
     " WHERE s.keep = 'all' AND p.kept <> p.trials",
     "keeps all trials, but not all are there"},
    {"progress",
     "SELECT study FROM progress p WHERE feasible <"
     " (SELECT count(*) FROM trials t WHERE t.study = p.study AND t.state = 0)",
     "has more feasible trials than were counted"},
    {"checkpoints",
     "SELECT p.study FROM progress p LEFT JOIN checkpoints c ON c.study = p.study"
     " WHERE p.checkpoint <> coalesce(c.trials, -1)",
     "is not the one that was taken last"},
    {"checkpoints",
     "SELECT c.study FROM checkpoints c JOIN progress p ON p.study = c.study"
     " WHERE c.trials <> p.trials",
     "does not belong to the trials that are there"},
};

static sc_status check_rule(verifying *v, const struct rule *rule)
{
    sqlite3_stmt *row = NULL;
    bool more = false;
    char hex[SC_HASH_HEX];
    sc_status st = sc_store__prepare(&row, v->store, rule->sql);

    while (st == SC_OK && (st = sc_store__step(&more, v->store, row, "comparing rows")) == SC_OK &&
           more) {
        sc_hash_hex(sc_store__column_hash(row, 0), hex);
        fault(v, rule->table, hex, "%s", rule->what);
    }
    (void)sqlite3_finalize(row);
    return note(v, st, rule->table);
}

static sc_status check_progress(verifying *v)
{
    sqlite3_stmt *row = NULL;
    bool more = false;
    char name[128];
    sc_buf sql;
    sc_status st;

    sc_buf_init(&sql);
    sc_store__select(&sql, SC_TABLE_PROGRESS);
    if ((st = sql.status) == SC_OK)
        st = sc_store__prepare(&row, v->store, sql.text);
    while (st == SC_OK && (st = sc_store__step(&more, v->store, row, "reading rows")) == SC_OK &&
           more) {
        sc_store__row_name(name, sizeof name, SC_TABLE_PROGRESS, row);
        st = check_told(v, row, name);
    }
    (void)sqlite3_finalize(row);
    sc_buf_clear(&sql);
    return note(v, st, "progress");
}

static sc_status check_all(verifying *v)
{
    sc_status st = check_structure(v);
    if (st == SC_OK)
        st = note(v, sc_store__check_schema(v->store, v->store->version), "database");
    for (int t = 0; t < SC_TABLES && st == SC_OK; t++)
        st = check_table(v, (sc_table)t);
    if (st == SC_OK)
        st = check_progress(v);
    for (size_t i = 0; i < sizeof rules / sizeof rules[0] && st == SC_OK; i++)
        st = check_rule(v, &rules[i]);
    return st;
}

sc_status sc_store_verify(sc_store *s, sc_store_fault_fn hook, void *payload, sc_store_check *check)
{
    verifying v = {.store = s, .hook = hook, .payload = payload};
    sc_status st;

    if (s->in_batch)
        return sc_fail(SC_EINVAL, "%s: a database cannot be verified within a batch", s->path);
    if ((st = sc_store__read_begin(s)) != SC_OK)
        return st;
    st = check_all(&v);
    sc_store__read_end(s);
    sc_store__ledger_forget(s);
    if (check && (st == SC_OK || st == SC_ESTORE))
        *check = v.check;
    if (st == SC_OK && v.check.faults > 0)
        st = sc_fail(SC_ESTORE,
                     "%s: database is damaged: %" PRIu64 " faults; restore a copy, or delete the "
                     "studies they are in and run those again",
                     s->path, v.check.faults);
    return st;
}
