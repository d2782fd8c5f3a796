#ifndef STORE_PRIVATE_H
#define STORE_PRIVATE_H
/** What the files of the store share: the handle, failures of SQLite, and rows of every table by
 *  one path, so that none is read without its checksum or written without its ledger. */
#include <sqlite3.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/buf.h"
#include "core/hash.h"
#include "store/store.h"

/* ---- tables ---- */

typedef enum sc_table {
    SC_TABLE_STUDIES, /* what a study is; written once */
    SC_TABLE_PROGRESS,
    SC_TABLE_CHECKPOINTS,
    SC_TABLE_TRIALS,
    SC_TABLE_RUNS,
    SC_TABLE_RESULTS,
    SC_TABLE_DETAILS,
    SC_TABLE_LEDGER, /* rows and sums of checksums of the tables above, and the schema's */
    SC_TABLES
} sc_table;

enum { SC_MAX_COLUMNS = 12 };

typedef struct sc_table_info {
    const char *name;
    int n_keys, n_columns;              /* the primary key comes first, the checksum last */
    const char *column[SC_MAX_COLUMNS]; /* in the order of cells and of every SELECT */
} sc_table_info;

const sc_table_info *sc_store__table(sc_table t);

/* ---- the handle ---- */

typedef enum sc_row_op { SC_OP_FIND, SC_OP_INSERT, SC_OP_UPSERT, SC_OP_DELETE, SC_OPS } sc_row_op;

/** Statements around transactions. The second of each pair is prepared before the first runs: it
 *  must work when there is no memory left. */
typedef enum sc_control {
    SC_CONTROL_BEGIN,
    SC_CONTROL_ROLLBACK,
    SC_CONTROL_READ,
    SC_CONTROL_READ_END,
    SC_CONTROLS
} sc_control;

typedef struct sc_ledger {
    bool loaded, changed;
    uint64_t rows, total; /* total: sum of the rows' checksums modulo 2^64 */
} sc_ledger;

/** A trial as read from its row, with what it points to. All zero = empty. */
typedef struct sc_trial_row {
    sc_store_trial trial;
    double values[SC_STORE_MAX_VALUES];
    sc_buf text;
} sc_trial_row;

struct sc_store {
    sqlite3 *db;
    char *path; /* as the user gave it */
    sc_store_mode mode;
    int version; /* of the schema */
    int busy_ms; /* how long a lock is waited for */
    bool in_batch;
    bool moved_on;    /* the last batch was lost to another process that moved its study on */
    bool batch_lost;  /* a call of this batch failed: it can only be undone */
    char failed[512]; /* the first write that the system failed; "" = none */
    sqlite3_stmt *row_stmt[SC_TABLES][SC_OPS];
    sqlite3_stmt *control[SC_CONTROLS];
    sc_ledger ledger[SC_TABLES];
    sc_buf scratch;           /* a row as its checksum sees it */
    sc_store_writer *touched; /* writers that take part in the running batch */
    sc_trial_row trial;       /* what sc_store_get_trial() lends out */
    sc_store_result result;   /* what sc_store_get_result() lends out */
    sc_store_metric *metrics; /* of result */
    size_t metrics_capacity;
    sc_buf result_text; /* names and texts of result, one after the other */
};

/* ---- opening ---- */

/** One step of the schema, from version i to i + 1 as the i-th of a list. */
typedef struct sc_migration {
    const char *sql;
} sc_migration;

/** How a database is opened. Tests wait less, and bring a schema of their own. */
typedef struct sc_store_tuning {
    int busy_ms;                /* how long a lock is waited for */
    bool rollback_journal;      /* as on a network file system, where shared memory fails */
    const sc_migration *schema; /* [version] */
    int version;
} sc_store_tuning;

/** 5 s, a write-ahead log, this library's schema. */
sc_store_tuning sc_store__tuning(void);
sc_status sc_store__open(sc_store **out, const char *path, sc_store_mode mode,
                         const sc_store_tuning *tuning) SC_MUST_USE;
/** sc_store_upgrade() to the tuning's schema. */
sc_status sc_store__upgrade(const char *path, const sc_store_tuning *tuning, int *from,
                            int *to) SC_MUST_USE;

/** What the file holds, by its header. */
typedef struct sc_identity {
    bool empty;
    int version;
} sc_identity;

/** SC_ESTORE for a file of another program, of a newer scantle, or cut short. */
sc_status sc_store__identify(sc_identity *out, sc_store *s, int newest) SC_MUST_USE;
/** Bring an empty or older database to version n, in a transaction of its own. */
sc_status sc_store__migrate(sc_store *s, const sc_migration *steps, int n) SC_MUST_USE;
/** The steps of this library, sc_store_schema_version() of them. */
const sc_migration *sc_store__schema(void);
/** The schema as it stands against the ledger's record of it. */
sc_status sc_store__check_schema(sc_store *s, int version) SC_MUST_USE;

/* ---- failures ---- */

/** Record what SQLite's last call on this handle failed at, in words for the user; `doing` stands
 *  after "while". Inside a batch the batch is lost; if the system is at fault the store stays
 *  failed. */
sc_status sc_store__fail(sc_store *s, const char *doing);
/** A row or the file contradicts itself. */
sc_status sc_store__corrupt(sc_store *s, const char *fmt, ...) SC_PRINTF(2, 3);
/** A row that is there with another content; the batch is lost. */
sc_status sc_store__conflict(sc_store *s, const char *what, sc_hash128 key);
/** Pass st on; when it is a failure the running batch is lost. */
sc_status sc_store__lose_batch(sc_store *s, sc_status st);
/** Run statements without results. */
sc_status sc_store__exec(sc_store *s, const char *sql, const char *doing) SC_MUST_USE;
sc_status sc_store__prepare(sqlite3_stmt **out, sc_store *s, const char *sql) SC_MUST_USE;
/** *more = a row stands ready. */
sc_status sc_store__step(bool *more, sc_store *s, sqlite3_stmt *stmt,
                         const char *doing) SC_MUST_USE;
/** First column of a query's first row. */
sc_status sc_store__number(int64_t *out, sc_store *s, const char *sql) SC_MUST_USE;

/** Reads that must see one state of the database, in a batch or outside; may be nested. */
sc_status sc_store__read_begin(sc_store *s) SC_MUST_USE;
void sc_store__read_end(sc_store *s);

/* ---- rows ---- */

typedef enum sc_cell_kind { SC_CELL_INT, SC_CELL_TEXT, SC_CELL_BLOB, SC_CELL_OTHER } sc_cell_kind;

/** One column's value; bytes are borrowed. */
typedef struct sc_cell {
    sc_cell_kind kind;
    int64_t i;
    const void *bytes;
    size_t n;
} sc_cell;

/** A fingerprint as a column: big-endian, so that hexadecimal prefixes are ranges. */
typedef struct sc_key {
    unsigned char bytes[16];
} sc_key;

sc_key sc_store__key(sc_hash128 h);
sc_hash128 sc_store__key_hash(const sc_key *key);
sc_cell sc_cell_int(int64_t i);
sc_cell sc_cell_text(const char *text);
sc_cell sc_cell_blob(const void *bytes, size_t n);
sc_cell sc_cell_key(const sc_key *key); /* key must outlive the cell */

/** Column i of the row that stands ready. */
sc_cell sc_store__column(sqlite3_stmt *row, int i);
sc_hash128 sc_store__column_hash(sqlite3_stmt *row, int i); /* zero if it is no fingerprint */

/** Checksum of a row of t: its n_columns - 1 cells before the checksum. */
sc_status sc_store__sum(uint64_t *out, sc_store *s, sc_table t, const sc_cell *cells) SC_MUST_USE;
/** Whether the row that stands ready matches its checksum. @return SC_OK; SC_ENOMEM. */
sc_status sc_store__is_good(bool *good, sc_store *s, sc_table t, sqlite3_stmt *row) SC_MUST_USE;
/** Refuse one that does not. @return SC_OK; SC_ESTORE naming table and row; SC_ENOMEM. */
sc_status sc_store__verify_row(sc_store *s, sc_table t, sqlite3_stmt *row) SC_MUST_USE;
/** The checksum that the row that stands ready carries. */
uint64_t sc_store__row_sum(sc_table t, sqlite3_stmt *row);
/** Key of a row for people: "ab12... 17". Cut to fit. */
void sc_store__row_name(char *out, size_t size, sc_table t, sqlite3_stmt *row);

/** Append "SELECT columns FROM table". */
void sc_store__select(sc_buf *sql, sc_table t);
/** Row by its key, verified; *row = NULL if there is none. Give it back by sc_store__release(). */
sc_status sc_store__find(sqlite3_stmt **row, sc_store *s, sc_table t,
                         const sc_cell *keys) SC_MUST_USE;
void sc_store__release(sqlite3_stmt *row); /* NULL is fine */

typedef enum sc_added { SC_ADDED, SC_SAME, SC_DIFFERENT } sc_added;
/** Add a row; if its key is there, say whether with the same content, and change nothing. */
sc_status sc_store__insert(sc_added *how, sc_store *s, sc_table t,
                           const sc_cell *cells) SC_MUST_USE;
/** Add or replace; sum (NULL = not wanted) is the new row's checksum. */
sc_status sc_store__upsert(uint64_t *sum, sc_store *s, sc_table t,
                           const sc_cell *cells) SC_MUST_USE;
/** Replace the row that sc_store__find() gave; cells may borrow from it. */
sc_status sc_store__update_found(sc_store *s, sc_table t, sqlite3_stmt *row,
                                 const sc_cell *cells) SC_MUST_USE;
/** Delete a row that is there. */
sc_status sc_store__delete(sc_store *s, sc_table t, const sc_cell *keys) SC_MUST_USE;

/* ---- ledger ---- */

sc_status sc_store__ledger_load(sc_store *s, sc_table t) SC_MUST_USE;
sc_status sc_store__ledger_save(sc_store *s) SC_MUST_USE; /* every changed one */
void sc_store__ledger_forget(sc_store *s);

/* ---- trials ---- */

/** Columns of the table trials. */
typedef enum sc_trial_column {
    SC_TRIAL_STUDY,
    SC_TRIAL_INDEX,
    SC_TRIAL_POINT,
    SC_TRIAL_PARAMETERS,
    SC_TRIAL_STATE,
    SC_TRIAL_NUMBERS, /* violation, then the values: doubles, little-endian */
    SC_TRIAL_REASONS,
    SC_TRIAL_EVALUATOR,
    SC_TRIAL_MODEL,
    SC_TRIAL_FLAGS
} sc_trial_column;

/** Copy the verified row that stands ready. @return SC_OK; SC_ESTORE; SC_ENOMEM. */
sc_status sc_store__trial_read(sc_trial_row *r, sc_store *s, sqlite3_stmt *row) SC_MUST_USE;

/* ---- batches and writers ---- */

/** Let go of the running batch's writers; those of an undone batch read themselves anew. */
void sc_store__writers_release(sc_store *s, bool committed);
/** Write the progress of every writer of the batch. */
sc_status sc_store__writers_save(sc_store *s) SC_MUST_USE;
#endif
