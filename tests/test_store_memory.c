/* Out of memory: every allocation of ours, of SQLite and of jansson fails once, in every operation.
 * It is reported as such, nothing leaks, and the database is as it was before or as it should be
 * after. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka wants the four above first */
#include <cmocka.h>
#include <jansson.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/mem.h"
#include "store_support.h"

static const sc_store_keep SAMPLE = {SC_KEEP_SAMPLE, 6};
enum { TOLD = 24 };

/* ---- SQLite's memory through ours: the size stands before each block ---- */

enum { HEAD = 16 };

static void *db_malloc(int n)
{
    char *p = sc_malloc((size_t)n + HEAD);
    if (!p)
        return NULL;
    memcpy(p, &n, sizeof n);
    return p + HEAD;
}

static void db_free(void *p)
{
    if (p)
        sc_free((char *)p - HEAD);
}

static void *db_realloc(void *p, int n)
{
    char *q = sc_realloc_array((char *)p - HEAD, (size_t)n + HEAD, 1);
    if (!q)
        return NULL;
    memcpy(q, &n, sizeof n);
    return q + HEAD;
}

static int db_size(void *p)
{
    int n = 0;
    memcpy(&n, (char *)p - HEAD, sizeof n);
    return n;
}

static int db_roundup(int n)
{
    return (n + 7) & ~7;
}

static int db_init(void *p)
{
    return SQLITE_OK;
}

static void db_shutdown(void *p)
{
}

/* jansson's parser takes some of its own failed allocations for bad text. */
static bool json_failed;

static void *json_memory(size_t n)
{
    void *p = sc_malloc(n);
    json_failed |= p == NULL;
    return p;
}

static int use_our_memory(void **state)
{
    static sqlite3_mem_methods methods = {db_malloc,  db_free, db_realloc,  db_size,
                                          db_roundup, db_init, db_shutdown, NULL};
    json_set_alloc_funcs(json_memory, sc_free);
    return sqlite3_config(SQLITE_CONFIG_MALLOC, &methods) == SQLITE_OK ? 0 : -1;
}

/* Countdown of the running operation, and whether its failure was never met. */
static long ahead;
static bool pending;

/* From here on nothing fails; the operation is over as far as memory goes. */
static void stop_failing(void)
{
    for (long i = 0; i <= ahead && !pending; i++) {
        void *p = sc_malloc(1);
        pending = p == NULL;
        sc_free(p);
    }
    ahead = -1;
    sc_mem_fail_after(-1);
}

/* ---- the loop ---- */

struct world {
    const char *path;
    sc_store *s; /* open for the operation, unless it opens one itself */
    sc_store_writer *w;
};

struct operation {
    sc_status (*run)(struct world *);
    bool opens; /* runs on the path alone */
    bool fresh; /* on a new file each time */
};

static void begin_world(struct world *x, void **state, const struct operation *op)
{
    *x = (struct world){.path = op->fresh ? support_path(state, "oom.db")
                                          : support_old_path(state, "oom.db")};
    if (!op->opens) {
        x->s = support_open(x->path, SC_STORE_CREATE);
        x->w = support_writer(x->s, SAMPLE);
        if (sc_store_writer_counts(x->w)->trials == 0)
            support_tell(x->s, x->w, 0, TOLD);
    }
}

static void end_world(struct world *x)
{
    sc_store_writer_close(x->w);
    sc_store_close(x->s);
}

static void fail_each_allocation(void **state, const struct operation *op)
{
    struct world x;
    long failures = 0, live = -1;
    for (long n = 0;; n += 1 + n / 20) { /* the first ones each, later ones by steps of 5 % */
        begin_world(&x, state, op);
        json_failed = pending = false;
        ahead = n;
        sc_mem_fail_after(n);
        const sc_status st = op->run(&x);
        const bool misnamed = json_failed;
        stop_failing();
        if (st != SC_OK && st != SC_ENOMEM && !misnamed)
            fail_msg("allocation %ld: %d %s", n, (int)st, sc_error_message());
        failures += st != SC_OK;
        end_world(&x);
        if (live < 0 || sc_mem_live() < live)
            live = sc_mem_live(); /* what SQLite keeps for itself once it has begun */
        assert_int_equal(sc_mem_live(), live);
        sc_store *s = support_open(x.path, SC_STORE_CREATE);
        if (support_faults(s) != 0)
            fail_msg("allocation %ld: %s", n, sc_error_message());
        sc_store_close(s);
        if (pending) {
            assert_int_equal(st, SC_OK);
            break;
        }
    }
    assert_true(failures > 10);
}

/* ---- operations ---- */

static sc_status open_new(struct world *x)
{
    sc_store *s = NULL;
    const sc_status st = sc_store_open(&s, x->path, SC_STORE_CREATE);
    assert_true((st == SC_OK) == (s != NULL));
    sc_store_close(s);
    return st;
}

static sc_status open_old(struct world *x)
{
    sc_store *s = NULL;
    const sc_status st = sc_store_open(&s, x->path, SC_STORE_READ);
    assert_true((st == SC_OK) == (s != NULL));
    sc_store_close(s);
    return st;
}

static sc_status open_study(struct world *x)
{
    sc_store_study study = support_study(SAMPLE);
    sc_store_writer *w = NULL;
    sc_status st = sc_store_writer_open(&w, x->s, &study); /* one that is there */
    assert_true((st == SC_OK) == (w != NULL));
    sc_store_writer_close(w);
    if (st != SC_OK)
        return st;
    w = NULL;
    study.name = "second";
    study.seed = 77; /* a new one */
    st = sc_store_writer_open(&w, x->s, &study);
    assert_true((st == SC_OK) == (w != NULL));
    sc_store_writer_close(w);
    return st;
}

static sc_status write_batch(struct world *x)
{
    const uint64_t end = 2 * TOLD;
    const sc_store_run run = {.number = 1};
    char text[400];
    sc_status st = sc_store_begin(x->s);
    memset(text, 'x', sizeof text);
    if (st != SC_OK)
        return st;
    for (uint64_t i = TOLD; i < end && st == SC_OK; i++)
        if ((st = sc_store_put_result(x->s, support_result(i))) == SC_OK)
            st = sc_store_put_trial(x->w, support_trial(i));
    if (st == SC_OK)
        st = sc_store_put_detail(x->s, (sc_hash128){1, 2}, "ops", text, sizeof text);
    if (st == SC_OK)
        st = sc_store_put_run(x->w, &run);
    if (st == SC_OK)
        st = sc_store_put_status(x->w, "budget");
    if (st == SC_OK)
        st = sc_store_put_checkpoint(x->w, &end, sizeof end);
    if (st == SC_OK)
        st = sc_store_commit(x->s);
    sc_store_rollback(x->s);
    stop_failing();
    if (st != SC_OK) { /* nothing of it stayed, and it can be told again */
        assert_int_equal(sc_store_writer_counts(x->w)->trials, TOLD);
        support_tell(x->s, x->w, TOLD, end);
    }
    assert_int_equal(sc_store_writer_counts(x->w)->trials, end);
    return st;
}

/* One kind of text each, in turn. */
static sc_status read_texts(struct world *x)
{
    sc_status st = SC_OK;
    for (int i = 0; i < 4 && st == SC_OK; i++) {
        char *text = NULL;
        if (i == 0)
            st = sc_store_study_list(&text, x->s);
        else if (i == 1)
            st = sc_store_study_show(&text, x->s, "alpha");
        else
            st = sc_store_export_text(&text, x->s, "alpha", i == 2 ? SC_STORE_CSV : SC_STORE_JSON);
        assert_true((st == SC_OK) == (text != NULL));
        sc_release(text);
    }
    return st;
}

static sc_status first_point(char hex[SC_HASH_HEX], struct world *x)
{
    sc_store_trials *it = NULL;
    const sc_store_trial *t = NULL;
    sc_status st = sc_store_trials_open(&it, x->s, sc_store_writer_id(x->w), SC_WHICH_ALL);
    if (st == SC_OK && (st = sc_store_trials_next(&t, it)) == SC_OK)
        sc_hash_hex(t->point, hex);
    sc_store_trials_close(it);
    return st;
}

static sc_status read_rows(struct world *x)
{
    const sc_hash128 id = sc_store_writer_id(x->w);
    const sc_store_trial *t = NULL;
    const sc_store_result *r = NULL;
    void *bytes = NULL;
    size_t n = 0;
    sc_hash128 found;
    uint64_t index = 0;
    char hex[SC_HASH_HEX];
    sc_status st;

    if ((st = sc_store_get_checkpoint(&bytes, &n, x->s, id)) != SC_OK)
        return st;
    sc_free(bytes);
    if ((st = sc_store_get_result(&r, x->s, sc_store_result_key(support_result(2)))) != SC_OK ||
        (st = first_point(hex, x)) != SC_OK ||
        (st = sc_store_find_point(&found, &index, x->s, hex)) != SC_OK ||
        (st = sc_store_get_trial(&t, x->s, id, index)) != SC_OK)
        return st;
    assert_true(r && t);
    return sc_store_verify(x->s, NULL, NULL, NULL);
}

static sc_status delete_study(struct world *x)
{
    return sc_store_study_delete(x->s, "alpha");
}

static void opening(void **state)
{
    const struct operation make_one = {open_new, true, true}, again = {open_old, true, false};
    fail_each_allocation(state, &make_one);
    fail_each_allocation(state, &again);
}

static void opening_a_study(void **state)
{
    const struct operation op = {open_study, false, true};
    fail_each_allocation(state, &op);
}

static void writing(void **state)
{
    const struct operation op = {write_batch, false, true};
    fail_each_allocation(state, &op);
}

static void reading_texts(void **state)
{
    const struct operation op = {read_texts, false, false};
    fail_each_allocation(state, &op);
}

static void reading_rows(void **state)
{
    const struct operation op = {read_rows, false, false};
    fail_each_allocation(state, &op);
}

static void deleting(void **state)
{
    const struct operation op = {delete_study, false, true};
    fail_each_allocation(state, &op);
}

#define WITH(test) cmocka_unit_test_setup_teardown(test, support_folder, support_remove_folder)

int main(void)
{
    const struct CMUnitTest tests[] = {
        WITH(opening),       WITH(opening_a_study), WITH(writing),
        WITH(reading_texts), WITH(reading_rows),    WITH(deleting),
    };
    return cmocka_run_group_tests(tests, use_our_memory, NULL);
}
