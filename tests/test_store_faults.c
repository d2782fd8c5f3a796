/* Faults of the system: kill -9 at any moment, disks that are full or fail, files that may not
 * grow. What was acknowledged is there once, and the database verifies. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka wants the four above first */
#include <cmocka.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "core/mem.h"
#include "core/rng.h"
#include "store/private.h"
#include "store_support.h"
#include "store_vfs.h"

static const sc_store_keep ALL = {SC_KEEP_ALL, 0};
enum { BATCH = 8 };

/* Tell batches until `end`, each acknowledged on the pipe. @return the first failure. */
static sc_status work(const char *path, sc_store_keep keep, uint64_t end, int pipe_end)
{
    const sc_store_study study = support_study(keep);
    sc_store *s = NULL;
    sc_store_writer *w = NULL;
    sc_status st;

    if ((st = sc_store_open(&s, path, SC_STORE_CREATE)) != SC_OK ||
        (st = sc_store_writer_open(&w, s, &study)) != SC_OK)
        goto done;
    for (uint64_t i = sc_store_writer_counts(w)->trials; i < end; i += BATCH) {
        const uint64_t next = i + BATCH;
        if ((st = sc_store_begin(s)) != SC_OK)
            goto done;
        for (uint64_t k = i; k < next; k++) {
            if ((st = sc_store_put_result(s, support_result(k))) != SC_OK ||
                (st = sc_store_put_trial(w, support_trial(k))) != SC_OK)
                goto done;
        }
        if ((st = sc_store_put_checkpoint(w, &next, sizeof next)) != SC_OK ||
            (st = sc_store_commit(s)) != SC_OK)
            goto done;
        if (write(pipe_end, &next, sizeof next) != sizeof next)
            _exit(9);
    }
done:
    sc_store_writer_close(w);
    sc_store_close(s);
    return st;
}

static uint64_t last_acknowledged(int pipe_end)
{
    uint64_t told = 0;
    while (read(pipe_end, &told, sizeof told) == sizeof told)
        continue;
    return told;
}

/* After whatever happened: as much as was acknowledged, whole, with its checkpoint. */
static uint64_t assert_sound(const char *path, uint64_t acknowledged)
{
    const sc_store_study study = support_study(ALL);
    const sc_hash128 id = sc_store_study_id(&study);
    sc_store_info *info = NULL;
    void *bytes = NULL;
    size_t n = 0;
    uint64_t told = 0;
    sc_store *s = support_open(path, SC_STORE_CREATE);
    assert_int_equal(support_faults(s), 0);
    const sc_status st = sc_store_info_open(&info, s, id);
    if (st == SC_OK)
        told = info->counts.trials;
    assert_true(st == SC_OK || (st == SC_ENOTFOUND && acknowledged == 0));
    assert_true(told >= acknowledged && told % BATCH == 0);
    if (told > 0) {
        uint64_t checkpoint = 0;
        assert_ok(sc_store_get_checkpoint(&bytes, &n, s, id));
        assert_int_equal(n, sizeof checkpoint);
        memcpy(&checkpoint, bytes, n);
        assert_int_equal(checkpoint, told);
        sc_free(bytes);
    }
    sc_store_info_close(info);
    sc_store_close(s);
    return told;
}

static void wait_us(long us)
{
    const struct timespec t = {us / 1000000, us % 1000000 * 1000};
    (void)nanosleep(&t, NULL);
}

static void kills_lose_nothing(void **state, sc_store_keep keep, int kills)
{
    enum { END = 4000 };
    const char *path = support_path(state, "killed.db");
    int interrupted = 0;
    sc_rng rng;
    sc_rng_init(&rng, 20, 4, keep.kind);
    for (int k = 0; k < kills; k++) {
        int ends[2], rc = 0;
        assert_int_equal(pipe(ends), 0);
        const pid_t child = fork();
        if (child == 0)
            _exit(work(path, keep, END, ends[1]) == SC_OK ? 0 : 1);
        assert_true(child > 0);
        assert_int_equal(close(ends[1]), 0);
        wait_us((long)gsl_rng_uniform_int(&rng.gsl, 40000));
        assert_int_equal(kill(child, SIGKILL), 0);
        assert_int_equal(waitpid(child, &rc, 0), child);
        assert_true(WIFSIGNALED(rc) || WEXITSTATUS(rc) == 0);
        interrupted += WIFSIGNALED(rc);
        (void)assert_sound(path, last_acknowledged(ends[0]));
        assert_int_equal(close(ends[0]), 0);
    }
    assert_true(interrupted > 0); /* or this looked at nothing */
    int null_ends[2];
    assert_int_equal(pipe(null_ends), 0);
    assert_ok(work(path, keep, END, null_ends[1]));
    sc_store *s = support_open(path, SC_STORE_READ);
    char *killed = support_export(s, SC_STORE_CSV);
    sc_store_close(s);
    const char *straight_path = support_path(state, "straight.db");
    s = support_open(straight_path, SC_STORE_CREATE);
    sc_store_writer *w = support_writer(s, keep);
    support_tell(s, w, 0, END);
    char *straight = support_export(s, SC_STORE_CSV);
    assert_string_equal(killed, straight);
    sc_store_writer_close(w);
    sc_store_close(s);
    sc_release(killed);
    sc_release(straight);
    assert_int_equal(close(null_ends[0]) + close(null_ends[1]), 0);
}

static void ten_kills_lose_nothing(void **state)
{
    kills_lose_nothing(state, ALL, 10);
}

static void kills_of_an_upgrade_leave_old_or_new(void **state)
{
    const sc_migration steps[] = {{sc_store__schema()[0].sql},
                                  {"CREATE TABLE surrogates (id BLOB PRIMARY KEY) STRICT;"
                                   "CREATE INDEX by_model ON results (model);"}};
    sc_store_tuning next = sc_store__tuning();
    next.schema = steps;
    next.version = 2;
    sc_rng rng;
    sc_rng_init(&rng, 21, 4, 0);
    for (int k = 0; k < 6; k++) {
        const char *path = support_path(state, "upgrade.db");
        int from = 0, to = 0, rc = 0;
        sc_store *s = support_open(path, SC_STORE_CREATE);
        sc_store_writer *w = support_writer(s, ALL);
        support_tell(s, w, 0, 64);
        sc_store_writer_close(w);
        sc_store_close(s);
        const pid_t child = fork();
        if (child == 0)
            _exit(sc_store__upgrade(path, &next, &from, &to) == SC_OK ? 0 : 1);
        assert_true(child > 0);
        wait_us((long)gsl_rng_uniform_int(&rng.gsl, 6000));
        assert_int_equal(kill(child, SIGKILL), 0);
        assert_int_equal(waitpid(child, &rc, 0), child);
        assert_ok(sc_store__upgrade(path, &next, &from, &to));
        assert_true((from == 1 || from == 2) && to == 2);
        s = NULL;
        assert_ok(sc_store__open(&s, path, SC_STORE_WRITE, &next));
        assert_int_equal(support_faults(s), 0);
        sc_store_close(s);
    }
}

/* ---- disks that fail ---- */

static void assert_stays_failed(sc_store *s, sc_store_writer *w)
{
    char first[8192];
    (void)snprintf(first, sizeof first, "%.400s", sc_error_message());
    assert_int_equal(sc_store_begin(s), SC_ESTORE);
    assert_true(strncmp(first, sc_error_message(), 400) == 0);
    assert_int_equal(sc_store_put_trial(w, support_trial(0)), SC_EINVAL); /* no batch */
    char *text = NULL;
    assert_ok(sc_store_export_text(&text, s, "alpha", SC_STORE_CSV)); /* reading goes on */
    sc_release(text);
}

/* One batch of trials, results and their checkpoint. */
static sc_status one_batch(sc_store *s, sc_store_writer *w, uint64_t first)
{
    const uint64_t next = first + BATCH;
    sc_status st = sc_store_begin(s);
    for (uint64_t k = first; k < next && st == SC_OK; k++)
        if ((st = sc_store_put_result(s, support_result(k))) == SC_OK)
            st = sc_store_put_trial(w, support_trial(k));
    if (st == SC_OK)
        st = sc_store_put_checkpoint(w, &next, sizeof next);
    if (st == SC_OK)
        return sc_store_commit(s);
    sc_store_rollback(s);
    return st;
}

static void every_fault_of(void **state, vfs_fault kind, bool rollback_journal, const char *text)
{
    sc_store_tuning tuning = sc_store__tuning();
    long faults = 0;
    tuning.rollback_journal = rollback_journal;
    for (long n = 0;; n++) {
        const char *path = support_path(state, "fault.db");
        sc_store *s = NULL;
        assert_ok(sc_store__open(&s, path, SC_STORE_CREATE, &tuning));
        sc_store_writer *w = support_writer(s, ALL);
        assert_ok(one_batch(s, w, 0));
        uint64_t told = BATCH;
        vfs_fail(kind, n);
        sc_status st = SC_OK;
        while (told < 4 * BATCH && (st = one_batch(s, w, told)) == SC_OK)
            told += BATCH;
        const bool failed = vfs_failed();
        assert_true(st == SC_OK || failed);
        if (st != SC_OK) {
            assert_int_equal(st, SC_ESTORE);
            assert_non_null(strstr(sc_error_message(), text));
            vfs_fail(VFS_NONE, 0); /* too late */
            assert_stays_failed(s, w);
            faults++;
        }
        vfs_fail(VFS_NONE, 0);
        sc_store_writer_close(w);
        sc_store_close(s);
        (void)assert_sound(path, told);
        if (!failed)
            break;
    }
    assert_true(faults > 2);
}

static void failing_disks_stop_the_store(void **state)
{
    vfs_install();
    every_fault_of(state, VFS_FULL, false, "database is full");
    every_fault_of(state, VFS_WRITE, false, "failed to read or write");
    every_fault_of(state, VFS_SYNC, false, "failed to read or write");
    every_fault_of(state, VFS_SYNC, true, "failed to read or write");
    every_fault_of(state, VFS_FULL, true, "database is full");
    vfs_remove();
}

/* A read that fails is reported, by whatever met it, and is not taken for an end. */
static void failing_reads_are_reported(void **state)
{
    const char *path = support_path(state, "read.db");
    sc_store *s = support_open(path, SC_STORE_CREATE);
    sc_store_writer *w = support_writer(s, ALL);
    support_tell(s, w, 0, 300);
    char *want = support_export(s, SC_STORE_CSV);
    sc_store_writer_close(w);
    sc_store_close(s);
    vfs_install();
    long failures = 0;
    for (long n = 0;; n++) {
        char *text = NULL;
        s = NULL;
        vfs_fail(VFS_READ, n);
        sc_status st = sc_store_open(&s, path, SC_STORE_READ);
        if (st == SC_OK)
            st = sc_store_export_text(&text, s, "alpha", SC_STORE_CSV);
        const bool failed = vfs_failed();
        vfs_fail(VFS_NONE, 0);
        assert_true(st == SC_OK || (st == SC_ESTORE && failed && !text));
        if (st == SC_OK)
            assert_string_equal(text, want);
        failures += st != SC_OK;
        sc_release(text);
        sc_store_close(s);
        if (!failed)
            break;
    }
    assert_true(failures > 10);
    sc_release(want);
    vfs_remove();
}

/* What a commit acknowledges is flushed: nothing is left to a loss of power. */
static void commits_are_flushed(void **state)
{
    for (int rollback = 0; rollback < 2; rollback++) {
        sc_store_tuning tuning = sc_store__tuning();
        sc_store *s = NULL;
        tuning.rollback_journal = rollback;
        vfs_install();
        assert_ok(sc_store__open(&s, support_path(state, "power.db"), SC_STORE_CREATE, &tuning));
        sc_store_writer *w = support_writer(s, ALL);
        for (uint64_t i = 0; i < 5; i++) {
            assert_ok(sc_store_begin(s));
            for (uint64_t k = 0; k < BATCH; k++)
                assert_ok(sc_store_put_trial(w, support_trial(i * BATCH + k)));
            assert_ok(sc_store_commit(s));
            assert_int_equal(vfs_unsynced(), 0);
        }
        sc_store_writer_close(w);
        sc_store_close(s);
        vfs_remove();
    }
}

static void a_full_database_says_so(void **state)
{
    const char *path = support_path(state, "a.db");
    sc_store *s = support_open(path, SC_STORE_CREATE);
    sc_store_writer *w = support_writer(s, ALL);
    uint64_t told = 0;
    sc_status st = SC_OK;
    assert_ok(sc_store__exec(s, "PRAGMA max_page_count = 60", "testing"));
    while (told < 100 * BATCH && (st = one_batch(s, w, told)) == SC_OK)
        told += BATCH;
    assert_int_equal(st, SC_ESTORE);
    assert_non_null(strstr(sc_error_message(), "database is full"));
    assert_true(told > 0);
    assert_stays_failed(s, w);
    assert_int_equal(sc_store_writer_counts(w)->trials, told);
    sc_store_writer_close(w);
    sc_store_close(s);
    assert_int_equal(assert_sound(path, told), told);
}

/* A limit on the size of files, as quotas and small disks set it, in a process of its own. */
static void files_that_may_not_grow(void **state)
{
    const char *path = support_path(state, "a.db");
    int ends[2], rc = 0;
    assert_int_equal(pipe(ends), 0);
    const pid_t child = fork();
    if (child == 0) {
        const struct rlimit limit = {200000, 200000};
        if (signal(SIGXFSZ, SIG_IGN) == SIG_ERR || setrlimit(RLIMIT_FSIZE, &limit) != 0)
            _exit(8);
        const sc_status st = work(path, ALL, 10000, ends[1]);
        _exit(st == SC_ESTORE && strstr(sc_error_message(), "database is full") ? 0 : 1);
    }
    assert_true(child > 0);
    assert_int_equal(close(ends[1]), 0);
    assert_int_equal(waitpid(child, &rc, 0), child);
    assert_true(WIFEXITED(rc));
    assert_int_equal(WEXITSTATUS(rc), 0);
    const uint64_t acknowledged = last_acknowledged(ends[0]);
    assert_true(acknowledged > 0);
    (void)assert_sound(path, acknowledged);
    assert_int_equal(close(ends[0]), 0);
}

#define WITH(test) cmocka_unit_test_setup_teardown(test, support_folder, support_remove_folder)

int main(void)
{
    const struct CMUnitTest tests[] = {
        WITH(ten_kills_lose_nothing),       WITH(kills_of_an_upgrade_leave_old_or_new),
        WITH(failing_disks_stop_the_store), WITH(failing_reads_are_reported),
        WITH(commits_are_flushed),          WITH(a_full_database_says_so),
        WITH(files_that_may_not_grow),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
