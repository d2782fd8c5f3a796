#include <string.h>

#include "core/mem.h"
#include "core/text.h"
#include "store/study.h"

/* ---- fingerprints that begin with given digits ---- */

static int digit(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    if (c >= 'a' && c <= 'f')
        return c - 'a' + 10;
    return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

/* The first and last fingerprint that begin with word; false if it is no such beginning. */
static bool prefix_range(sc_key *low, sc_key *high, const char *word)
{
    const size_t n = strlen(word);
    if (n == 0 || n > 2 * sizeof low->bytes)
        return false;
    memset(low->bytes, 0x00, sizeof low->bytes);
    memset(high->bytes, 0xFF, sizeof high->bytes);
    for (size_t i = 0; i < n; i++) {
        const int d = digit(word[i]);
        if (d < 0)
            return false;
        const unsigned shift = i % 2 == 0 ? 4 : 0;
        low->bytes[i / 2] = (unsigned char)(low->bytes[i / 2] | (unsigned)d << shift);
        high->bytes[i / 2] =
            (unsigned char)(high->bytes[i / 2] & ~(0xFU << shift)) | (unsigned char)(d << shift);
    }
    return true;
}

static bool is_within(const sc_cell *c, const sc_key *low, const sc_key *high)
{
    return c->kind == SC_CELL_BLOB && c->n == sizeof low->bytes &&
           memcmp(c->bytes, low->bytes, c->n) >= 0 && memcmp(c->bytes, high->bytes, c->n) <= 0;
}

/* ---- studies ---- */

/* What a word can mean among the studies. */
struct matches {
    const char *word;
    bool is_prefix;
    sc_key low, high;
    size_t n_named, n_prefixed;
    sc_hash128 named, prefixed; /* the first of each */
    sc_buf ids;                 /* of all that match, for the message */
    sc_near near;
    char nearest[SC_SHOWN_LEN];
};

static void consider(struct matches *m, sqlite3_stmt *row)
{
    const sc_hash128 id = sc_store__column_hash(row, 0);
    const sc_cell bytes = sc_store__column(row, 0);
    const sc_cell name = sc_store__column(row, 1);
    const bool is_name = name.n == strlen(m->word) && memcmp(name.bytes, m->word, name.n) == 0;
    const bool is_id = m->is_prefix && is_within(&bytes, &m->low, &m->high);
    char hex[SC_HASH_HEX];
    char text[SC_SHOWN_LEN];

    if (is_name && m->n_named++ == 0)
        m->named = id;
    if (is_id && m->n_prefixed++ == 0)
        m->prefixed = id;
    if (is_name || is_id) {
        sc_hash_hex(id, hex);
        sc_buf_printf(&m->ids, "%s%s", m->ids.length ? ", " : "", hex);
    }
    if (name.n < sizeof text) { /* suggestions are for names that a person types */
        memcpy(text, name.bytes, name.n);
        text[name.n] = '\0';
        const char *before = m->near.best;
        sc_near_offer(&m->near, text);
        if (m->near.best != before) {
            memcpy(m->nearest, text, sizeof text);
            m->near.best = m->nearest; /* text is gone with the row */
        }
    }
}

static sc_status decide(sc_hash128 *id, const sc_store *s, struct matches *m)
{
    char shown[SC_SHOWN_LEN];
    char suggestion[SC_SUGGEST_LEN];

    (void)sc_text_show(shown, m->word);
    if (m->n_named > 1 || (m->n_named == 0 && m->n_prefixed > 1))
        return sc_fail(SC_EINVAL, "%s: '%s' names several studies; their IDs: %.4096s", s->path,
                       shown, m->ids.text ? m->ids.text : "");
    if (m->n_named == 0 && m->n_prefixed == 0)
        return sc_fail(SC_ENOTFOUND, "%s: no study '%s'%s", s->path, shown,
                       sc_did_you_mean(suggestion, m->near.best));
    *id = m->n_named ? m->named : m->prefixed;
    return SC_OK;
}

/* Rows are not verified here: a damaged study must be found to be deleted, and whoever reads it
 * verifies it. */
sc_status sc_store_find(sc_hash128 *id, sc_store *s, const char *word)
{
    struct matches m = {.word = word};
    sqlite3_stmt *row = NULL;
    bool more = false;
    sc_status st;

    m.is_prefix = prefix_range(&m.low, &m.high, word);
    sc_buf_init(&m.ids);
    sc_near_begin(&m.near, word);
    if ((st = sc_store__prepare(&row, s, "SELECT id, name FROM studies ORDER BY name, id")) !=
        SC_OK)
        return st;
    while ((st = sc_store__step(&more, s, row, "looking for a study")) == SC_OK && more)
        consider(&m, row);
    (void)sqlite3_finalize(row);
    if (st == SC_OK)
        st = m.ids.status == SC_OK ? decide(id, s, &m) : m.ids.status;
    sc_buf_clear(&m.ids);
    return st;
}

sc_status sc_store_study_find(char id[33], sc_store *s, const char *word)
{
    sc_hash128 hash;
    const sc_status st = sc_store_find(&hash, s, word);
    if (st == SC_OK)
        sc_hash_hex(hash, id);
    return st;
}

bool sc_store__full_id(sc_hash128 *id, const char *word)
{
    sc_key low;
    sc_key high;
    if (strlen(word) != SC_HASH_HEX - 1 || !prefix_range(&low, &high, word))
        return false;
    *id = sc_store__key_hash(&low);
    return true;
}

/* Fingerprints in the first column of a query, which ends here. */
static sc_status list_ids(sc_hash128 **out, size_t *n, sc_store *s, sqlite3_stmt *row,
                          const char *doing)
{
    sc_hash128 *ids = NULL;
    size_t count = 0;
    size_t capacity = 0;
    bool more = false;
    sc_status st = SC_OK;

    while ((st = sc_store__step(&more, s, row, doing)) == SC_OK && more) {
        if (count == capacity) {
            capacity = capacity ? 2 * capacity : 16;
            sc_hash128 *grown = sc_realloc_array(ids, capacity, sizeof *ids);
            if (!grown) {
                st = sc_store__lose_batch(s, SC_ENOMEM);
                break;
            }
            ids = grown;
        }
        ids[count++] = sc_store__column_hash(row, 0);
    }
    (void)sqlite3_finalize(row);
    if (st == SC_OK) {
        *out = ids;
        *n = count;
        ids = NULL;
    }
    sc_free(ids);
    return st;
}

sc_status sc_store_studies(sc_hash128 **out, size_t *n, sc_store *s)
{
    sqlite3_stmt *row = NULL;
    const sc_status st = sc_store__prepare(&row, s, "SELECT id FROM studies ORDER BY name, id");
    return st == SC_OK ? list_ids(out, n, s, row, "listing studies") : st;
}

sc_status sc_store_details(sc_hash128 **out, size_t *n, sc_store *s, const char *kind,
                           const char *word)
{
    sqlite3_stmt *row = NULL;
    sc_key low, high;
    char shown[SC_SHOWN_LEN];

    memset(&low, 0x00, sizeof low);
    memset(&high, 0xFF, sizeof high);
    if (word[0] != '\0' && !prefix_range(&low, &high, word))
        return sc_fail(SC_EINVAL, "'%s' is no ID: up to 32 hexadecimal digits are",
                       sc_text_show(shown, word));
    const sc_status st = sc_store__prepare(
        &row, s, "SELECT key FROM details WHERE key BETWEEN ?1 AND ?2 AND kind = ?3 ORDER BY key");
    if (st != SC_OK)
        return st;
    (void)sqlite3_bind_blob(row, 1, low.bytes, sizeof low.bytes, SQLITE_STATIC);
    (void)sqlite3_bind_blob(row, 2, high.bytes, sizeof high.bytes, SQLITE_STATIC);
    (void)sqlite3_bind_text(row, 3, kind, -1, SQLITE_STATIC);
    return list_ids(out, n, s, row, "listing details");
}

/* ---- points ---- */

static sc_status prepare_points(sqlite3_stmt **out, sc_store *s, const sc_key *low,
                                const sc_key *high)
{
    sqlite3_stmt *row = NULL;
    sc_buf sql;
    sc_status st;

    sc_buf_init(&sql);
    sc_store__select(&sql, SC_TABLE_TRIALS);
    sc_buf_puts(&sql, " WHERE point BETWEEN ?1 AND ?2 ORDER BY point, study, idx");
    st = sql.status == SC_OK ? sc_store__prepare(&row, s, sql.text) : sql.status;
    sc_buf_clear(&sql);
    if (st != SC_OK)
        return sc_store__lose_batch(s, st);
    if (sqlite3_bind_blob(row, 1, low->bytes, sizeof low->bytes, SQLITE_STATIC) != SQLITE_OK ||
        sqlite3_bind_blob(row, 2, high->bytes, sizeof high->bytes, SQLITE_STATIC) != SQLITE_OK) {
        st = sc_store__fail(s, "looking for a point");
        (void)sqlite3_finalize(row);
        return st;
    }
    *out = row;
    return SC_OK;
}

/* The first row, and whether another point follows. */
static sc_status first_point(bool *found, bool *several, sc_hash128 *study, uint64_t *index,
                             sc_store *s, sqlite3_stmt *row)
{
    sc_hash128 point = {0, 0};
    bool more = false;
    sc_status st;

    *found = *several = false;
    while ((st = sc_store__step(&more, s, row, "looking for a point")) == SC_OK && more) {
        if ((st = sc_store__verify_row(s, SC_TABLE_TRIALS, row)) != SC_OK)
            return st;
        const sc_hash128 here = sc_store__column_hash(row, SC_TRIAL_POINT);
        if (*found && !sc_hash_equal(here, point)) {
            *several = true;
            return SC_OK;
        }
        if (!*found) {
            point = here;
            *study = sc_store__column_hash(row, SC_TRIAL_STUDY);
            *index = (uint64_t)sqlite3_column_int64(row, SC_TRIAL_INDEX);
        }
        *found = true;
    }
    return st;
}

sc_status sc_store_find_point(sc_hash128 *study, uint64_t *index, sc_store *s, const char *word)
{
    sc_key low;
    sc_key high;
    sc_hash128 first_study = {0, 0};
    uint64_t first_index = 0;
    bool found = false;
    bool several = false;
    sqlite3_stmt *row = NULL;
    char shown[SC_SHOWN_LEN];
    sc_status st;

    (void)sc_text_show(shown, word);
    if (!prefix_range(&low, &high, word))
        return sc_fail(SC_EINVAL, "'%s' is no ID: an ID is 1 to 32 hexadecimal digits", shown);
    if ((st = prepare_points(&row, s, &low, &high)) != SC_OK)
        return st;
    st = first_point(&found, &several, &first_study, &first_index, s, row);
    (void)sqlite3_finalize(row);
    if (st != SC_OK)
        return st;
    if (several)
        return sc_fail(SC_EINVAL,
                       "%s: several designs have an ID that begins with %s: give more "
                       "of its digits",
                       s->path, shown);
    if (!found)
        return sc_fail(SC_ENOTFOUND, "%s: no trial has the ID %s", s->path, shown);
    *study = first_study;
    *index = first_index;
    return SC_OK;
}

static sc_status prepare_next_study(sqlite3_stmt **out, sc_store *s, const sc_key *point,
                                    const sc_key *study)
{
    sqlite3_stmt *row = NULL;
    sc_buf sql;

    sc_buf_init(&sql);
    sc_store__select(&sql, SC_TABLE_TRIALS);
    sc_buf_puts(&sql, " WHERE point = ?1 AND study > ?2 ORDER BY study, idx LIMIT 1");
    sc_status st = sql.status == SC_OK ? sc_store__prepare(&row, s, sql.text) : sql.status;
    sc_buf_clear(&sql);
    if (st != SC_OK)
        return sc_store__lose_batch(s, st);
    if (sqlite3_bind_blob(row, 1, point->bytes, sizeof point->bytes, SQLITE_STATIC) != SQLITE_OK ||
        sqlite3_bind_blob(row, 2, study->bytes, sizeof study->bytes, SQLITE_STATIC) != SQLITE_OK) {
        st = sc_store__fail(s, "looking for a point's studies");
        (void)sqlite3_finalize(row);
        return st;
    }
    *out = row;
    return SC_OK;
}

sc_status sc_store_next_of_point(bool *found, sc_hash128 *study, uint64_t *index, sc_store *s,
                                 sc_hash128 point)
{
    const sc_key of = sc_store__key(point), after = sc_store__key(*study);
    sqlite3_stmt *row = NULL;
    bool more = false;
    sc_status st = prepare_next_study(&row, s, &of, &after);

    if (st != SC_OK)
        return st;
    if ((st = sc_store__step(&more, s, row, "looking for a point's studies")) == SC_OK && more &&
        (st = sc_store__verify_row(s, SC_TABLE_TRIALS, row)) == SC_OK) {
        *study = sc_store__column_hash(row, SC_TRIAL_STUDY);
        *index = (uint64_t)sqlite3_column_int64(row, SC_TRIAL_INDEX);
    }
    (void)sqlite3_finalize(row);
    if (st == SC_OK)
        *found = more;
    return st;
}
