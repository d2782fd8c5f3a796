/* Damage: flipped bytes anywhere in the file, rows changed, lost and repeated behind our back. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka wants the four above first */
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/buf.h"
#include "core/file.h"
#include "core/mem.h"
#include "core/rng.h"
#include "store_support.h"

static const sc_store_keep ALL = {SC_KEEP_ALL, 0};
static const sc_hash128 DETAIL = {7, 11};
enum { FLIPS = 300, TRIALS = 120 };

/* A database with rows in every table. */
static void make(const char *path)
{
    char detail[600];
    sc_store *s = support_open(path, SC_STORE_CREATE);
    sc_store_writer *w = support_writer(s, ALL);
    const sc_store_run run = {.started_ms = 1700000000123, .threads = 2};
    for (size_t i = 0; i < sizeof detail; i++)
        detail[i] = (char)('a' + i % 7);
    support_tell(s, w, 0, TRIALS);
    assert_ok(sc_store_begin(s));
    assert_ok(sc_store_put_run(w, &run));
    assert_ok(sc_store_put_detail(s, DETAIL, "ops", detail, sizeof detail));
    assert_ok(sc_store_put_status(w, "budget"));
    assert_ok(sc_store_commit(s));
    sc_store_writer_close(w);
    sc_store_study other = support_study((sc_store_keep){SC_KEEP_SAMPLE, 5});
    other.name = "other";
    other.seed = 8;
    assert_ok(sc_store_writer_open(&w, s, &other));
    support_tell(s, w, 0, 40);
    sc_store_writer_close(w);
    sc_store_close(s);
}

/* Everything that can be read, as one text; the status of the first read that failed. */
static sc_status dump(sc_buf *out, sc_store *s)
{
    static const char *const studies[] = {"alpha", "other"};
    char *text = NULL;
    size_t n = 0;
    sc_status st = sc_store_study_list(&text, s);
    if (st == SC_OK)
        sc_buf_puts(out, text);
    for (int i = 0; i < 2 && st == SC_OK; i++) {
        sc_release(text);
        text = NULL;
        if ((st = sc_store_study_show(&text, s, studies[i])) != SC_OK)
            break;
        sc_buf_puts(out, text);
        sc_release(text);
        text = NULL;
        if ((st = sc_store_export_text(&text, s, studies[i], SC_STORE_JSON)) == SC_OK)
            sc_buf_puts(out, text);
    }
    sc_release(text);
    for (uint64_t i = 0; i < TRIALS && st == SC_OK; i++) {
        const sc_store_result *r = NULL;
        st = sc_store_get_result(&r, s, sc_store_result_key(support_result(i)));
        if (st == SC_OK && !r)
            st = SC_ENOTFOUND;
        if (st == SC_OK)
            sc_buf_printf(out, "%s %s %.17g %.17g\n", r->options, r->evaluator, r->metrics[0].value,
                          r->metrics[1].value);
    }
    text = NULL;
    if (st == SC_OK && (st = sc_store_get_detail(&text, &n, s, DETAIL, "ops")) == SC_OK)
        sc_buf_puts(out, text);
    sc_free(text);
    return st;
}

static void put(const char *path, const char *bytes, size_t n)
{
    FILE *f = fopen(path, "wb");
    assert_non_null(f);
    assert_int_equal(fwrite(bytes, 1, n, f), n);
    assert_int_equal(fclose(f), 0);
}

enum outcome { HARMLESS, BY_OPEN, BY_VERIFY };

static enum outcome look(const char *path, const char *want)
{
    sc_store *s = NULL;
    sc_buf got;
    if (sc_store_open(&s, path, SC_STORE_READ) != SC_OK)
        return BY_OPEN;
    enum outcome found = BY_VERIFY;
    if (support_faults(s) == 0) {
        found = HARMLESS;
        sc_buf_init(&got);
        assert_ok(dump(&got, s));
        assert_string_equal(got.text, want);
        sc_buf_clear(&got);
    }
    sc_store_close(s);
    return found;
}

/* Flip one bit at `flips` places and look at each. */
static void flip(void **state, size_t flips, uint64_t seed)
{
    const char *path = support_path(state, "a.db");
    char *bytes = NULL;
    size_t n = 0, seen[3] = {0};
    sc_rng rng;
    sc_buf want;
    sc_buf_init(&want);
    make(path);
    sc_store *s = support_open(path, SC_STORE_READ);
    assert_ok(dump(&want, s));
    assert_int_equal(support_faults(s), 0);
    sc_store_close(s);
    assert_ok(sc_file_read(&bytes, &n, path, 1 << 24));
    sc_rng_init(&rng, seed, 5, 0);
    for (size_t k = 0; k < flips; k++) {
        const size_t at = k < 100 ? k : gsl_rng_uniform_int(&rng.gsl, n); /* the header whole */
        const char bit = (char)(1 << gsl_rng_uniform_int(&rng.gsl, 8));
        bytes[at] = (char)(bytes[at] ^ bit);
        put(support_path(state, "a.db"), bytes, n);
        bytes[at] = (char)(bytes[at] ^ bit);
        seen[look(path, want.text)]++;
    }
    /* The file is mostly rows, so most flips must be found, or the test looks at nothing. */
    assert_true(seen[BY_VERIFY] > (flips - 100) / 3);
    assert_true(seen[BY_OPEN] > 10);
    sc_free(bytes);
    sc_buf_clear(&want);
    assert_int_equal(sc_mem_live(), 0);
}

static void every_flipped_bit_is_found_or_harmless(void **state)
{
    flip(state, FLIPS, 1);
}

/* ---- rows changed by SQL, which keeps every structure of SQLite's whole ---- */

struct seen {
    const char *table, *what;
    int hits;
};

static void match(const sc_store_fault *fault, void *payload)
{
    struct seen *seen = payload;
    seen->hits += strcmp(fault->table, seen->table) == 0 && strstr(fault->what, seen->what) != NULL;
}

static void changed_rows_are_named(void **state)
{
    static const struct {
        const char *sql, *table, *what;
    } damage[] = {
        {"UPDATE trials SET state = 0 WHERE idx = 6", "trials", "checksum"},
        {"UPDATE trials SET flags = flags + 1 WHERE idx = 0", "trials", "checksum"},
        {"UPDATE trials SET sum = sum + 1 WHERE idx = 2", "trials", "checksum"},
        {"UPDATE trials SET numbers = x'00' WHERE idx = 2", "trials", "checksum"},
        {"UPDATE trials SET idx = 1000 WHERE idx = 3", "trials", "checksum"},
        {"UPDATE results SET options = 'batch=2'", "results", "checksum"},
        {"UPDATE studies SET name = 'x'", "studies", "checksum"},
        {"UPDATE progress SET trials = 39, failed = failed - 1", "progress", "checksum"},
        {"UPDATE checkpoints SET state = x'00'", "checkpoints", "checksum"},
        {"UPDATE runs SET threads = 3", "runs", "checksum"},
        {"UPDATE details SET codec = 0", "details", "checksum"},
        {"UPDATE ledger SET rows = rows + 1 WHERE name = 'trials'", "ledger", "checksum"},
        {"DELETE FROM trials WHERE idx = 4", "trials", "rows, not the"},
        {"DELETE FROM trials WHERE idx = 4", "progress", "number of its trials"},
        {"DELETE FROM checkpoints", "checkpoints", "taken last"},
        {"DELETE FROM runs", "runs", "rows, not the"},
        {"DELETE FROM results WHERE rowid = 9", "results", "rows, not the"},
        {"DELETE FROM studies WHERE name = 'other'", "progress", "belongs to no study"},
        {"DELETE FROM progress", "studies", "no row in progress"},
        {"DELETE FROM ledger WHERE name = 'runs'", "runs", "no row for table"},
        {"UPDATE results SET (key, design, workload, model, options, evaluator, state, metrics,"
         " reasons, sum) = (SELECT x'00', design, workload, model, options, evaluator, state,"
         " metrics, reasons, sum FROM results WHERE rowid = 1) WHERE rowid = 2",
         "results", "checksum"},
    };
    char *bytes = NULL;
    size_t n = 0;
    const char *path = support_path(state, "a.db");
    make(path);
    assert_ok(sc_file_read(&bytes, &n, path, 1 << 24));
    for (size_t i = 0; i < sizeof damage / sizeof damage[0]; i++) {
        struct seen seen = {damage[i].table, damage[i].what, 0};
        sc_store_check check = {0};
        put(support_path(state, "a.db"), bytes, n);
        support_sql(path, damage[i].sql);
        sc_store *s = support_open(path, SC_STORE_READ);
        assert_fails(sc_store_verify(s, match, &seen, &check), SC_ESTORE, "damaged");
        if (seen.hits == 0)
            fail_msg("%s: no fault of %s says '%s'", damage[i].sql, seen.table, seen.what);
        assert_true(check.faults >= (uint64_t)seen.hits && check.rows > 0);
        sc_store_close(s);
    }
    sc_free(bytes);
}

/* Swapping the contents of two rows, checksums and all, leaves every sum as it was: the key inside
 * the checksum tells. */
static void swapped_rows_are_found(void **state)
{
    const char *path = support_path(state, "a.db");
    make(path);
    support_sql(path,
                "DELETE FROM trials WHERE study <> (SELECT id FROM studies WHERE name = 'alpha')");
    support_sql(path, "CREATE TEMP TABLE t AS SELECT * FROM trials WHERE idx IN (2, 5);"
                      "UPDATE trials SET (point, numbers, sum) ="
                      " (SELECT point, numbers, sum FROM t WHERE idx = 5) WHERE idx = 2;"
                      "UPDATE trials SET (point, numbers, sum) ="
                      " (SELECT point, numbers, sum FROM t WHERE idx = 2) WHERE idx = 5;");
    sc_store *s = support_open(path, SC_STORE_READ);
    struct seen seen = {"trials", "checksum", 0};
    assert_int_equal(sc_store_verify(s, match, &seen, NULL), SC_ESTORE);
    assert_int_equal(seen.hits, 2);
    sc_store_close(s);
}

/* A row as it once was has a good checksum and the same key; the ledger knows better. */
static void rows_of_the_past_are_found(void **state)
{
    const char *path = support_path(state, "a.db");
    const char *old = support_path(state, "old.db");
    struct seen seen = {"progress", "not the ones that were written", 0};
    char *bytes = NULL;
    char sql[900];
    size_t n = 0;
    make(path);
    assert_ok(sc_file_read(&bytes, &n, path, 1 << 24));
    put(old, bytes, n);
    sc_free(bytes);
    sc_store *s = support_open(path, SC_STORE_WRITE);
    sc_store_writer *w = support_writer(s, ALL);
    assert_ok(sc_store_begin(s));
    assert_ok(sc_store_put_status(w, "later"));
    assert_ok(sc_store_commit(s));
    sc_store_writer_close(w);
    sc_store_close(s);
    (void)snprintf(
        sql, sizeof sql,
        "ATTACH '%s' AS old; UPDATE progress SET (status, sum) = (SELECT status, sum FROM"
        " old.progress o WHERE o.study = progress.study)",
        old);
    support_sql(path, sql);
    s = support_open(path, SC_STORE_READ);
    assert_int_equal(sc_store_verify(s, match, &seen, NULL), SC_ESTORE);
    assert_int_equal(seen.hits, 1);
    sc_store_close(s);
}

static void reading_names_the_damaged_row(void **state)
{
    const char *path = support_path(state, "a.db");
    const sc_store_result *r = NULL;
    const sc_store_trial *t = NULL;
    char *text = NULL;
    make(path);
    support_sql(path, "UPDATE trials SET evaluator = 'x' WHERE idx = 12;"
                      "UPDATE results SET metrics = x'00'");
    sc_store *s = support_open(path, SC_STORE_WRITE);
    const sc_store_study study = support_study(ALL);
    char want[128], hex[SC_HASH_HEX];
    sc_hash_hex(sc_store_study_id(&study), hex);
    (void)snprintf(want, sizeof want, "row %s 12 of table trials", hex);
    assert_fails(sc_store_get_trial(&t, s, sc_store_study_id(&study), 12), SC_ESTORE, want);
    assert_fails(sc_store_export_text(&text, s, "alpha", SC_STORE_CSV), SC_ESTORE, want);
    assert_fails(sc_store_get_result(&r, s, sc_store_result_key(support_result(1))), SC_ESTORE,
                 "of table results");
    assert_true(!t && !text && !r);

    assert_ok(sc_store_begin(s)); /* a batch that meets damage is lost, and says so */
    assert_int_equal(sc_store_put_result(s, support_result(1)), SC_ESTORE);
    assert_fails(sc_store_commit(s), SC_ESTORE, "nothing of it was written");
    sc_store_close(s);
}

/* A lost row is missed by the export too, not only by verify. */
static void an_export_is_whole_or_fails(void **state)
{
    const char *path = support_path(state, "a.db");
    char *text = NULL;
    make(path);
    support_sql(path, "DELETE FROM trials WHERE idx = 17");
    sc_store *s = support_open(path, SC_STORE_READ);
    assert_fails(sc_store_export_text(&text, s, "alpha", SC_STORE_CSV), SC_ESTORE,
                 "119 trials left of 120");
    assert_null(text);
    sc_store_close(s);
}

static void deleting_is_the_cure(void **state)
{
    static const char *const damage[] = {
        "UPDATE trials SET evaluator = 'x' WHERE idx = 12",
        "UPDATE progress SET trials = 1",
        "UPDATE trials SET sum = 0 WHERE idx = 13",
        "DELETE FROM studies WHERE name = 'alpha'",
        "DELETE FROM trials WHERE idx = 30",
        "DELETE FROM checkpoints",
    };
    const sc_store_study study = support_study(ALL);
    char hex[SC_HASH_HEX];
    sc_hash_hex(sc_store_study_id(&study), hex);
    const char *path = support_path(state, "a.db");
    char *bytes = NULL;
    size_t n = 0;
    make(path);
    assert_ok(sc_file_read(&bytes, &n, path, 1 << 24));
    for (size_t i = 0; i < sizeof damage / sizeof damage[0]; i++) {
        put(support_path(state, "a.db"), bytes, n);
        support_sql(path, damage[i]);
        sc_store *s = support_open(path, SC_STORE_WRITE);
        assert_true(support_faults(s) > 0);
        assert_ok(sc_store_study_delete(s, hex));
        const sc_status st = sc_store_study_delete(s, "other"); /* the damage may be in both */
        assert_true(st == SC_OK || st == SC_ENOTFOUND);
        if (support_faults(s) != 0)
            fail_msg("%s: %s", damage[i], sc_error_message());
        sc_store_close(s);
    }
    sc_free(bytes);
}

#define WITH(test) cmocka_unit_test_setup_teardown(test, support_folder, support_remove_folder)

int main(void)
{
    const struct CMUnitTest tests[] = {
        WITH(every_flipped_bit_is_found_or_harmless),
        WITH(changed_rows_are_named),
        WITH(swapped_rows_are_found),
        WITH(rows_of_the_past_are_found),
        WITH(reading_names_the_damaged_row),
        WITH(an_export_is_whole_or_fails),
        WITH(deleting_is_the_cure),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
