#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "core/text.h"
#include "store/bytes.h"
#include "store/private.h"

/* ---- checksum ---- */

static void append_u64(sc_buf *b, uint64_t value)
{
    unsigned char bytes[8];
    sc_put_u64(bytes, value);
    sc_buf_append(b, (const char *)bytes, sizeof bytes);
}

/* Kind, number or length, bytes: no two rows have the same encoding. */
static void encode(sc_buf *b, const sc_cell *c)
{
    const char kind = (char)c->kind;
    sc_buf_append(b, &kind, 1);
    append_u64(b, c->kind == SC_CELL_INT ? (uint64_t)c->i : (uint64_t)c->n);
    if (c->n)
        sc_buf_append(b, c->bytes, c->n);
}

sc_status sc_store__sum(uint64_t *out, sc_store *s, sc_table t, const sc_cell *cells)
{
    const sc_table_info *info = sc_store__table(t);
    sc_buf *b = &s->scratch;

    if (b->status != SC_OK)
        sc_buf_clear(b); /* an earlier row found no memory; this one tries anew */
    b->length = 0;
    sc_buf_append(b, info->name, strlen(info->name) + 1);
    for (int i = 0; i < info->n_columns - 1; i++)
        encode(b, &cells[i]);
    if (b->status != SC_OK)
        return sc_store__lose_batch(s, sc_fail(SC_ENOMEM, "no memory for a row of %s", info->name));
    *out = sc_hash64_of(b->text, b->length);
    return SC_OK;
}

uint64_t sc_store__row_sum(sc_table t, sqlite3_stmt *row)
{
    return (uint64_t)sqlite3_column_int64(row, sc_store__table(t)->n_columns - 1);
}

sc_status sc_store__is_good(bool *good, sc_store *s, sc_table t, sqlite3_stmt *row)
{
    const int last = sc_store__table(t)->n_columns - 1;
    sc_cell cells[SC_MAX_COLUMNS];
    uint64_t sum = 0;
    sc_status st;

    for (int i = 0; i <= last; i++)
        cells[i] = sc_store__column(row, i);
    if ((st = sc_store__sum(&sum, s, t, cells)) == SC_OK)
        *good = cells[last].kind == SC_CELL_INT && (uint64_t)cells[last].i == sum;
    return st;
}

sc_status sc_store__verify_row(sc_store *s, sc_table t, sqlite3_stmt *row)
{
    bool good = false;
    char name[128];
    const sc_status st = sc_store__is_good(&good, s, t, row);

    if (st != SC_OK || good)
        return st;
    sc_store__row_name(name, sizeof name, t, row);
    return sc_store__corrupt(s, "row %s of table %s does not match its checksum", name,
                             sc_store__table(t)->name);
}

void sc_store__row_name(char *out, size_t size, sc_table t, sqlite3_stmt *row)
{
    sc_buf b;
    char hex[SC_HASH_HEX];
    char shown[SC_SHOWN_LEN];

    sc_buf_init(&b);
    for (int i = 0; i < sc_store__table(t)->n_keys; i++) {
        const sc_cell c = sc_store__column(row, i);
        sc_buf_puts(&b, i ? " " : "");
        if (c.kind == SC_CELL_INT) {
            sc_buf_printf(&b, "%" PRId64, c.i);
        } else if (c.kind == SC_CELL_BLOB && c.n == sizeof(sc_key)) {
            sc_hash_hex(sc_store__column_hash(row, i), hex);
            sc_buf_puts(&b, hex);
        } else {
            char text[SC_SHOWN_LEN];
            (void)snprintf(text, sizeof text, "%.*s", (int)(c.n < 64 ? c.n : 64),
                           (const char *)c.bytes);
            sc_buf_printf(&b, "'%s'", sc_text_show(shown, text));
        }
    }
    (void)snprintf(out, size, "%s", b.text ? b.text : "?");
    sc_buf_clear(&b);
}

/* ---- statements, one for each table and operation ---- */

static void list(sc_buf *sql, const sc_table_info *info, int first, int end, const char *between,
                 const char *form)
{
    for (int i = first; i < end; i++) {
        sc_buf_puts(sql, i > first ? between : "");
        for (const char *p = form; *p; p++) {
            if (*p == '#')
                sc_buf_printf(sql, "?%d", i + 1);
            else if (*p == '@')
                sc_buf_puts(sql, info->column[i]);
            else
                sc_buf_append(sql, p, 1);
        }
    }
}

void sc_store__select(sc_buf *sql, sc_table t)
{
    const sc_table_info *info = sc_store__table(t);
    sc_buf_puts(sql, "SELECT ");
    list(sql, info, 0, info->n_columns, ", ", "@");
    sc_buf_printf(sql, " FROM %s", info->name);
}

static void row_sql(sc_buf *sql, sc_table t, sc_row_op op)
{
    const sc_table_info *info = sc_store__table(t);

    if (op == SC_OP_FIND || op == SC_OP_DELETE) {
        if (op == SC_OP_FIND)
            sc_store__select(sql, t);
        else
            sc_buf_printf(sql, "DELETE FROM %s", info->name);
        sc_buf_puts(sql, " WHERE ");
        list(sql, info, 0, info->n_keys, " AND ", "@ = #");
        return;
    }
    sc_buf_printf(sql, "INSERT INTO %s VALUES (", info->name);
    list(sql, info, 0, info->n_columns, ", ", "#");
    sc_buf_puts(sql, ") ON CONFLICT (");
    list(sql, info, 0, info->n_keys, ", ", "@");
    sc_buf_puts(sql, op == SC_OP_INSERT ? ") DO NOTHING" : ") DO UPDATE SET ");
    if (op == SC_OP_UPSERT)
        list(sql, info, info->n_keys, info->n_columns, ", ", "@ = excluded.@");
}

static sc_status statement(sqlite3_stmt **out, sc_store *s, sc_table t, sc_row_op op)
{
    sc_status st = SC_OK;
    sc_buf sql;

    if (!s->row_stmt[t][op]) {
        sc_buf_init(&sql);
        row_sql(&sql, t, op);
        st = sql.status == SC_OK ? sc_store__prepare(&s->row_stmt[t][op], s, sql.text)
                                 : sc_store__lose_batch(s, SC_ENOMEM);
        sc_buf_clear(&sql);
    }
    if (st == SC_OK)
        *out = s->row_stmt[t][op];
    return st;
}

static int bind(sqlite3_stmt *stmt, int i, const sc_cell *c)
{
    if (c->kind == SC_CELL_INT)
        return sqlite3_bind_int64(stmt, i, c->i);
    if (c->kind == SC_CELL_TEXT)
        return sqlite3_bind_text64(stmt, i, c->bytes, c->n, SQLITE_STATIC, SQLITE_UTF8);
    return sqlite3_bind_blob64(stmt, i, c->bytes, c->n, SQLITE_STATIC);
}

static sc_status bind_all(sc_store *s, sqlite3_stmt *stmt, const sc_cell *cells, int n)
{
    for (int i = 0; i < n; i++)
        if (bind(stmt, i + 1, &cells[i]) != SQLITE_OK)
            return sc_store__fail(s, "binding a row");
    return SC_OK;
}

void sc_store__release(sqlite3_stmt *row)
{
    if (row) {
        (void)sqlite3_reset(row); /* repeats the failure of the last step, which was reported */
        (void)sqlite3_clear_bindings(row);
    }
}

/* Run a statement that gives no rows, with cells [n] and the checksum after them if n_columns. */
static sc_status run(sc_store *s, sc_table t, sc_row_op op, const sc_cell *cells, int n,
                     const uint64_t *sum)
{
    sqlite3_stmt *stmt = NULL;
    bool more = false;
    sc_status st;

    if ((st = statement(&stmt, s, t, op)) != SC_OK)
        return st;
    if ((st = bind_all(s, stmt, cells, n)) == SC_OK && sum &&
        sqlite3_bind_int64(stmt, n + 1, (int64_t)*sum) != SQLITE_OK)
        st = sc_store__fail(s, "binding a row");
    if (st == SC_OK)
        st = sc_store__step(&more, s, stmt, "writing a row");
    sc_store__release(stmt);
    return st;
}

sc_status sc_store__find(sqlite3_stmt **row, sc_store *s, sc_table t, const sc_cell *keys)
{
    sqlite3_stmt *stmt = NULL;
    bool more = false;
    sc_status st;

    if ((st = statement(&stmt, s, t, SC_OP_FIND)) != SC_OK)
        return st;
    if ((st = bind_all(s, stmt, keys, sc_store__table(t)->n_keys)) == SC_OK)
        st = sc_store__step(&more, s, stmt, "reading a row");
    if (st == SC_OK && more)
        st = sc_store__verify_row(s, t, stmt);
    if (st != SC_OK || !more)
        sc_store__release(stmt);
    if (st == SC_OK)
        *row = more ? stmt : NULL;
    return st;
}

/* ---- changing rows; the ledger follows ---- */

static void enter(sc_store *s, sc_table t, uint64_t rows, uint64_t total)
{
    s->ledger[t].rows += rows;
    s->ledger[t].total += total;
    s->ledger[t].changed = true;
}

/* Checksum of the row under a key; *found = false if there is none. */
static sc_status sum_of(bool *found, uint64_t *sum, sc_store *s, sc_table t, const sc_cell *keys)
{
    sqlite3_stmt *row = NULL;
    const sc_status st = sc_store__find(&row, s, t, keys);
    if (st != SC_OK)
        return st;
    *found = row != NULL;
    if (row)
        *sum = sc_store__row_sum(t, row);
    sc_store__release(row);
    return SC_OK;
}

sc_status sc_store__insert(sc_added *how, sc_store *s, sc_table t, const sc_cell *cells)
{
    const int n = sc_store__table(t)->n_columns - 1;
    uint64_t sum = 0;
    uint64_t stored = 0;
    bool found = false;
    sc_status st;

    if ((t != SC_TABLE_LEDGER && (st = sc_store__ledger_load(s, t)) != SC_OK) ||
        (st = sc_store__sum(&sum, s, t, cells)) != SC_OK ||
        (st = run(s, t, SC_OP_INSERT, cells, n, &sum)) != SC_OK)
        return st;
    if (sqlite3_changes(s->db) == 1) {
        if (t != SC_TABLE_LEDGER)
            enter(s, t, 1, sum);
        *how = SC_ADDED;
        return SC_OK;
    }
    if ((st = sum_of(&found, &stored, s, t, cells)) != SC_OK)
        return st;
    if (!found)
        return sc_store__corrupt(s, "the index of table %s does not match its rows",
                                 sc_store__table(t)->name);
    *how = stored == sum ? SC_SAME : SC_DIFFERENT;
    return SC_OK;
}

/* Write cells over the row with checksum *old, or where there is none if old is NULL. */
static sc_status replace(uint64_t *sum, sc_store *s, sc_table t, const uint64_t *old,
                         const sc_cell *cells)
{
    uint64_t new_sum = 0;
    sc_status st;

    if ((st = sc_store__sum(&new_sum, s, t, cells)) != SC_OK ||
        (st = run(s, t, SC_OP_UPSERT, cells, sc_store__table(t)->n_columns - 1, &new_sum)) != SC_OK)
        return st;
    if (t != SC_TABLE_LEDGER)
        enter(s, t, old ? 0 : 1, new_sum - (old ? *old : 0));
    if (sum)
        *sum = new_sum;
    return SC_OK;
}

sc_status sc_store__upsert(uint64_t *sum, sc_store *s, sc_table t, const sc_cell *cells)
{
    uint64_t old = 0;
    bool found = false;
    sc_status st;

    if (t != SC_TABLE_LEDGER && ((st = sc_store__ledger_load(s, t)) != SC_OK ||
                                 (st = sum_of(&found, &old, s, t, cells)) != SC_OK))
        return st;
    return replace(sum, s, t, found ? &old : NULL, cells);
}

sc_status sc_store__update_found(sc_store *s, sc_table t, sqlite3_stmt *row, const sc_cell *cells)
{
    const uint64_t old = sc_store__row_sum(t, row);
    const sc_status st = sc_store__ledger_load(s, t);
    return st == SC_OK ? replace(NULL, s, t, &old, cells) : st;
}

sc_status sc_store__delete(sc_store *s, sc_table t, const sc_cell *keys)
{
    uint64_t sum = 0;
    bool found = false;
    sc_status st;

    if ((st = sc_store__ledger_load(s, t)) != SC_OK ||
        (st = sum_of(&found, &sum, s, t, keys)) != SC_OK)
        return st;
    if (!found)
        return sc_store__corrupt(s, "a row of table %s is missing", sc_store__table(t)->name);
    if ((st = run(s, t, SC_OP_DELETE, keys, sc_store__table(t)->n_keys, NULL)) == SC_OK)
        enter(s, t, UINT64_MAX, 0 - sum); /* one row less */
    return st;
}
