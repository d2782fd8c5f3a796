#include <inttypes.h>
#include <string.h>

#include "core/mem.h"
#include "core/text.h"
#include "store/bytes.h"
#include "store/study.h"

/* ---- one row ---- */

/* Texts stand in r->text one after the other; offsets first, for the buffer moves as it grows. */
static size_t keep_text(sc_trial_row *r, sqlite3_stmt *row, int column)
{
    const size_t at = r->text.length;
    const sc_cell c = sc_store__column(row, column);
    sc_buf_append(&r->text, c.bytes, c.n);
    sc_buf_append(&r->text, "", 1);
    return at;
}

static sc_status read_numbers(sc_trial_row *r, sc_store *s, sqlite3_stmt *row)
{
    const sc_cell c = sc_store__column(row, SC_TRIAL_NUMBERS);
    const size_t n = c.n / 8;
    if (c.kind != SC_CELL_BLOB || c.n % 8 != 0 || n < 1 || n > 1 + SC_STORE_MAX_VALUES)
        return sc_store__corrupt(s, "a row of table trials has no numbers");
    const unsigned char *bytes = c.bytes;
    r->trial.violation = sc_get_double(bytes);
    for (size_t i = 1; i < n; i++)
        r->values[i - 1] = sc_get_double(bytes + 8 * i);
    r->trial.values = r->values;
    r->trial.n_values = n - 1;
    return SC_OK;
}

sc_status sc_store__trial_read(sc_trial_row *r, sc_store *s, sqlite3_stmt *row)
{
    const int64_t state = sqlite3_column_int64(row, SC_TRIAL_STATE);
    sc_status st;

    if (r->text.status != SC_OK)
        sc_buf_clear(&r->text);
    r->text.length = 0;
    const size_t parameters = keep_text(r, row, SC_TRIAL_PARAMETERS);
    const size_t reasons = keep_text(r, row, SC_TRIAL_REASONS);
    const size_t evaluator = keep_text(r, row, SC_TRIAL_EVALUATOR);
    const size_t model = keep_text(r, row, SC_TRIAL_MODEL);
    if (r->text.status != SC_OK)
        return sc_store__lose_batch(s, sc_fail(SC_ENOMEM, "no memory for a trial"));
    if (state < SC_STATE_FEASIBLE || state > SC_STATE_FAILED)
        return sc_store__corrupt(s, "a row of table trials has no state");
    if ((st = read_numbers(r, s, row)) != SC_OK)
        return st;
    r->trial.index = (uint64_t)sqlite3_column_int64(row, SC_TRIAL_INDEX);
    r->trial.point = sc_store__column_hash(row, SC_TRIAL_POINT);
    r->trial.parameters = r->text.text + parameters;
    r->trial.state = (sc_store_state)state;
    r->trial.reasons = r->text.text + reasons;
    r->trial.evaluator = r->text.text + evaluator;
    r->trial.model_version = r->text.text + model;
    r->trial.flags = (unsigned)sqlite3_column_int64(row, SC_TRIAL_FLAGS);
    return SC_OK;
}

sc_status sc_store_get_trial(const sc_store_trial **out, sc_store *s, sc_hash128 study,
                             uint64_t index)
{
    const sc_key key = sc_store__key(study);
    const sc_cell keys[] = {sc_cell_key(&key), sc_cell_int((int64_t)index)};
    sqlite3_stmt *row = NULL;
    sc_status st;

    if (index > INT64_MAX) {
        *out = NULL;
        return SC_OK;
    }
    if ((st = sc_store__find(&row, s, SC_TABLE_TRIALS, keys)) != SC_OK)
        return st;
    if (row)
        st = sc_store__trial_read(&s->trial, s, row);
    if (st == SC_OK)
        *out = row ? &s->trial.trial : NULL;
    sc_store__release(row);
    return st;
}

/* ---- many, in order ---- */

struct sc_store_trials {
    sc_store *store;
    sc_hash128 study;
    sc_key key; /* of study */
    sqlite3_stmt *stmt;
    sc_trial_row row;
    uint64_t seen, expected; /* expected: UINT64_MAX = not known */
    bool reading;            /* holds a read transaction */
};

/* How many rows the study says it keeps: a row that an index lost would else be missed silently.
 * Within a batch the study's row is not written yet. */
static sc_status expect(sc_store_trials *it, sc_store_which which)
{
    const sc_cell key = sc_cell_key(&it->key);
    sqlite3_stmt *row = NULL;
    sc_status st;

    it->expected = UINT64_MAX;
    if (which != SC_WHICH_ALL || it->store->in_batch)
        return SC_OK;
    if ((st = sc_store__find(&row, it->store, SC_TABLE_PROGRESS, &key)) != SC_OK)
        return st;
    it->expected = row ? sc_store__counts(row).kept : 0;
    sc_store__release(row);
    return SC_OK;
}

static sc_status prepare_trials(sc_store_trials *it, sc_store_which which)
{
    static const char *const condition[] = {
        [SC_WHICH_ALL] = "",
        [SC_WHICH_FRONT] = " AND flags <> 0 AND flags & 1",
        [SC_WHICH_FLAGGED] = " AND flags <> 0",
    };
    sc_buf sql;
    sc_status st;

    sc_buf_init(&sql);
    sc_store__select(&sql, SC_TABLE_TRIALS);
    sc_buf_printf(&sql, " WHERE study = ?1%s ORDER BY idx", condition[which]);
    st = sql.status == SC_OK ? sc_store__prepare(&it->stmt, it->store, sql.text)
                             : sc_store__lose_batch(it->store, SC_ENOMEM);
    sc_buf_clear(&sql);
    if (st == SC_OK && sqlite3_bind_blob(it->stmt, 1, it->key.bytes, sizeof it->key.bytes,
                                         SQLITE_STATIC) != SQLITE_OK)
        st = sc_store__fail(it->store, "reading trials");
    return st;
}

sc_status sc_store_trials_open(sc_store_trials **out, sc_store *s, sc_hash128 study,
                               sc_store_which which)
{
    sc_store_trials *it = sc_calloc(1, sizeof *it);
    sc_status st = it ? SC_OK : SC_ENOMEM;

    if (st != SC_OK)
        return sc_store__lose_batch(s, st);
    it->store = s;
    it->study = study;
    it->key = sc_store__key(study);
    sc_buf_init(&it->row.text);
    if ((st = sc_store__read_begin(s)) != SC_OK)
        goto done;
    it->reading = true;
    if ((st = expect(it, which)) != SC_OK || (st = prepare_trials(it, which)) != SC_OK)
        goto done;
    *out = it;
    it = NULL;
done:
    sc_store_trials_close(it);
    return st;
}

static sc_status lost_rows(const sc_store_trials *it)
{
    char hex[SC_HASH_HEX];
    sc_hash_hex(it->study, hex);
    return sc_store__corrupt(it->store,
                             "study %s has %" PRIu64 " trials left of %" PRIu64 " that it keeps",
                             hex, it->seen, it->expected);
}

sc_status sc_store_trials_next(const sc_store_trial **out, sc_store_trials *it)
{
    bool more = false;
    sc_status st;

    if ((st = sc_store__step(&more, it->store, it->stmt, "reading trials")) != SC_OK)
        return st;
    if (!more && it->expected != UINT64_MAX && it->seen != it->expected)
        return lost_rows(it);
    if (!more) {
        *out = NULL;
        return SC_OK;
    }
    if ((st = sc_store__verify_row(it->store, SC_TABLE_TRIALS, it->stmt)) != SC_OK ||
        (st = sc_store__trial_read(&it->row, it->store, it->stmt)) != SC_OK)
        return st;
    it->seen++;
    *out = &it->row.trial;
    return SC_OK;
}

void sc_store_trials_close(sc_store_trials *it)
{
    if (!it)
        return;
    (void)sqlite3_finalize(it->stmt);
    if (it->reading)
        sc_store__read_end(it->store);
    sc_buf_clear(&it->row.text);
    sc_free(it);
}
