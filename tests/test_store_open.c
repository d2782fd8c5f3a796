/* Opening: modes, foreign and damaged files, locks, permissions, odd names, journals, upgrades. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka wants the four above first */
#include <cmocka.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/file.h"
#include "core/mem.h"
#include "store/private.h"
#include "store_support.h"

static const sc_store_keep ALL = {SC_KEEP_ALL, 0};

static void put(const char *path, const void *bytes, size_t n)
{
    FILE *f = fopen(path, "wb");
    assert_non_null(f);
    assert_int_equal(fwrite(bytes, 1, n, f), n);
    assert_int_equal(fclose(f), 0);
}

static long size_of(const char *path)
{
    struct stat info;
    return stat(path, &info) == 0 ? (long)info.st_size : -1;
}

/* A database with n trials, closed. */
static void make(const char *path, uint64_t n)
{
    sc_store *s = support_open(path, SC_STORE_CREATE);
    sc_store_writer *w = support_writer(s, ALL);
    support_tell(s, w, 0, n);
    sc_store_writer_close(w);
    sc_store_close(s);
}

static void assert_refused(const char *path, sc_status status, const char *text)
{
    sc_store *s = NULL;
    for (int mode = SC_STORE_READ; mode <= SC_STORE_CREATE; mode++)
        assert_fails(sc_store_open(&s, path, (sc_store_mode)mode), status, text);
    assert_null(s);
}

static void modes_create_what_they_may(void **state)
{
    const char *path = support_path(state, "new.db");
    sc_store *s = NULL;
    assert_fails(sc_store_open(&s, path, SC_STORE_READ), SC_ENOTFOUND, "no such database");
    assert_fails(sc_store_open(&s, path, SC_STORE_WRITE), SC_ENOTFOUND, "no such database");
    assert_int_equal(size_of(path), -1);
    put(path, "", 0); /* as a killed maker leaves it, or mktemp */
    assert_fails(sc_store_open(&s, path, SC_STORE_READ), SC_ESTORE, "empty");
    assert_fails(sc_store_open(&s, path, SC_STORE_WRITE), SC_ESTORE, "empty");
    assert_int_equal(size_of(path), 0);
    assert_ok(sc_store_open(&s, path, SC_STORE_CREATE));
    sc_store_close(s);
    s = support_open(path, SC_STORE_READ);
    assert_int_equal(support_faults(s), 0);
    assert_fails(sc_store_begin(s), SC_ESTORE, "reading only");
    sc_store_close(s);
    sc_store_close(NULL);
    assert_int_equal(sc_mem_live(), 0);
}

static void paths_that_are_no_files_are_refused(void **state)
{
    const char *fifo = support_path(state, "fifo");
    assert_int_equal(mkfifo(fifo, 0600), 0);
    assert_refused("", SC_EINVAL, "path");
    assert_refused(*state, SC_ESTORE, "a directory");
    assert_refused(fifo, SC_ESTORE, "a FIFO");
    sc_store *s = NULL;
    assert_fails(sc_store_open(&s, support_old_path(state, "no/such/folder.db"), SC_STORE_CREATE),
                 SC_ESTORE, "No such file or directory");
}

static void files_of_others_are_refused_and_left_alone(void **state)
{
    static const char text[] =
        "version: 1\nname: a study\nthis is YAML and long enough for a header "
        "of one hundred bytes, or is it? yes it is.\n";
    const char *path = support_path(state, "foreign");
    char *bytes = NULL;
    size_t n = 0;
    put(path, text, strlen(text));
    assert_refused(path, SC_ESTORE, "not a scantle database");
    assert_ok(sc_file_read(&bytes, &n, path, 1 << 20));
    assert_string_equal(bytes, text);
    sc_free(bytes);

    const char *other = support_path(state, "other.db");
    support_sql(other, "CREATE TABLE trials (x); INSERT INTO trials VALUES (1)");
    assert_refused(other, SC_ESTORE, "not a scantle database");
    support_sql(other, "PRAGMA application_id = 77; DROP TABLE trials");
    assert_refused(other, SC_ESTORE, "not a scantle database");
}

static void versions_that_differ_are_refused(void **state)
{
    const char *path = support_path(state, "a.db");
    make(path, 3);
    support_sql(path, "PRAGMA user_version = 99");
    assert_refused(path, SC_ESTORE, "newer schema 99");
    int from = 5, to = 5;
    assert_fails(sc_store_upgrade(path, &from, &to), SC_ESTORE, "newer schema 99");
    assert_true(from == 5 && to == 5);
    support_sql(path, "PRAGMA user_version = 0");
    assert_refused(path, SC_ESTORE, "corrupt");
}

static void a_changed_schema_is_refused(void **state)
{
    static const char *const change[] = {
        "CREATE TRIGGER t AFTER INSERT ON trials BEGIN DELETE FROM trials; END",
        "DROP INDEX trials_point", "CREATE VIEW v AS SELECT 1",
        "ALTER TABLE runs RENAME COLUMN threads TO thread", "DROP TABLE ledger"};
    for (size_t i = 0; i < sizeof change / sizeof change[0]; i++) {
        const char *path = support_path(state, "a.db");
        make(path, 2);
        support_sql(path, change[i]);
        assert_refused(path, SC_ESTORE, "corrupt");
    }
}

static void cut_files_are_refused(void **state)
{
    const char *path = support_path(state, "a.db");
    char *bytes = NULL;
    size_t n = 0;
    make(path, 200);
    assert_ok(sc_file_read(&bytes, &n, path, 1 << 24));
    assert_true(n > 3 * 4096 && n % 4096 == 0);
    const size_t cut[] = {n - 1, n - 4096, n - 5000, n / 2, 4096, 4000, 50};
    for (size_t i = 0; i < sizeof cut / sizeof cut[0]; i++) {
        put(path, bytes, cut[i]);
        assert_refused(path, SC_ESTORE, "truncated");
    }
    put(path, bytes, n);
    sc_store *s = support_open(path, SC_STORE_READ);
    assert_int_equal(support_faults(s), 0);
    sc_store_close(s);
    sc_free(bytes);
}

static void a_locked_database_is_waited_for(void **state)
{
    const char *path = support_path(state, "a.db");
    sc_store_tuning quick = sc_store__tuning();
    sc_store *a = NULL, *b = NULL, *reader = NULL;
    quick.busy_ms = 30;
    assert_ok(sc_store__open(&a, path, SC_STORE_CREATE, &quick));
    assert_ok(sc_store__open(&b, path, SC_STORE_WRITE, &quick));
    sc_store_writer *w = support_writer(a, ALL);
    support_tell(a, w, 0, 3);
    assert_ok(sc_store_begin(a));
    assert_fails(sc_store_begin(b), SC_ESTORE, "locked");
    assert_ok(sc_store_put_trial(w, support_trial(3)));
    assert_ok(sc_store_put_checkpoint(w, "", 0));
    assert_ok(sc_store__open(&reader, path, SC_STORE_READ, &quick)); /* readers go on */
    char *text = support_export(reader, SC_STORE_CSV);
    assert_null(strstr(text, "\n3,")); /* and see what was committed */
    sc_release(text);
    assert_ok(sc_store_commit(a));
    text = support_export(reader, SC_STORE_CSV);
    assert_non_null(strstr(text, "\n3,"));
    sc_release(text);
    assert_ok(sc_store_begin(b)); /* nothing was lost: it may try again */
    sc_store_rollback(b);
    sc_store_writer_close(w);
    sc_store_close(a);
    sc_store_close(b);
    sc_store_close(reader);

    sqlite3 *rival = NULL; /* a rollback-mode lock, which keeps even readers out */
    assert_int_equal(sqlite3_open(path, &rival), SQLITE_OK);
    assert_int_equal(
        sqlite3_exec(rival, "PRAGMA journal_mode = DELETE; BEGIN EXCLUSIVE", NULL, NULL, NULL),
        SQLITE_OK);
    assert_fails(sc_store__open(&a, path, SC_STORE_WRITE, &quick), SC_ESTORE, "locked");
    assert_int_equal(sqlite3_close(rival), SQLITE_OK);
    assert_int_equal(sc_mem_live(), 0);
}

/* Run in a child process without the rights of root, for whom nothing is read-only. */
static int as_nobody(int (*body)(const char *path), const char *path)
{
    int rc = -1;
    const pid_t child = fork();
    if (child == 0) {
        if (geteuid() == 0 && (setgid(65534) != 0 || setuid(65534) != 0))
            _exit(99);
        _exit(body(path));
    }
    assert_true(child > 0);
    assert_int_equal(waitpid(child, &rc, 0), child);
    return WIFEXITED(rc) ? WEXITSTATUS(rc) : -1;
}

static int reads_but_cannot_write(const char *path)
{
    sc_store *s = NULL;
    char *text = NULL;
    if (sc_store_open(&s, path, SC_STORE_READ) != SC_OK ||
        sc_store_verify(s, NULL, NULL, NULL) != SC_OK ||
        sc_store_export_text(&text, s, "alpha", SC_STORE_CSV) != SC_OK)
        return 1;
    sc_release(text);
    sc_store_close(s);
    s = NULL;
    if (sc_store_open(&s, path, SC_STORE_WRITE) != SC_ESTORE)
        return 2;
    return strstr(sc_error_message(), "permission") ? 0 : 3;
}

static int cannot_read(const char *path)
{
    sc_store *s = NULL;
    if (sc_store_open(&s, path, SC_STORE_READ) != SC_ESTORE)
        return 1;
    return strstr(sc_error_message(), "ermission denied") ? 0 : 2;
}

static int meets_a_log(const char *path)
{
    sc_store *s = NULL;
    if (sc_store_open(&s, path, SC_STORE_READ) != SC_ESTORE)
        return 1;
    return strstr(sc_error_message(), "-wal behind its name") ? 0 : 2;
}

static int cannot_create(const char *path)
{
    sc_store *s = NULL;
    if (sc_store_open(&s, path, SC_STORE_CREATE) != SC_ESTORE)
        return 1;
    return strstr(sc_error_message(), "ermission") ? 0 : 2;
}

static void permissions_are_respected(void **state)
{
    const char *path = support_path(state, "a.db");
    make(path, 20);
    assert_int_equal(chmod(*state, 0555), 0);
    assert_int_equal(chmod(path, 0666), 0); /* the folder alone is closed */
    assert_int_equal(as_nobody(reads_but_cannot_write, path), 0);
    assert_int_equal(as_nobody(cannot_create, support_old_path(state, "new.db")), 0);
    assert_int_equal(chmod(path, 0444), 0);
    assert_int_equal(as_nobody(reads_but_cannot_write, path), 0);
    put(support_old_path(state, "a.db-wal"), "", 0); /* nothing in it: no hindrance */
    assert_int_equal(as_nobody(reads_but_cannot_write, path), 0);
    put(support_old_path(state, "a.db-wal"), "left by a killed process", 24);
    assert_int_equal(as_nobody(meets_a_log, path), 0);
    assert_int_equal(unlink(support_old_path(state, "a.db-wal")), 0);
    assert_int_equal(chmod(path, 0000), 0);
    assert_int_equal(as_nobody(cannot_read, path), 0);
    assert_int_equal(chmod(*state, 0755), 0);
}

static void reading_leaves_no_trace(void **state)
{
    const char *path = support_path(state, "a.db");
    char *before = NULL, *after = NULL;
    size_t n_before = 0, n_after = 0;
    make(path, 20);
    assert_ok(sc_file_read(&before, &n_before, path, 1 << 24));
    sc_store *s = support_open(path, SC_STORE_READ);
    sc_release(support_export(s, SC_STORE_JSON));
    sc_store_close(s);
    assert_ok(sc_file_read(&after, &n_after, path, 1 << 24));
    assert_int_equal(n_before, n_after);
    assert_memory_equal(before, after, n_before);
    assert_int_equal(size_of(support_old_path(state, "a.db-wal")), -1);
    assert_int_equal(size_of(support_old_path(state, "a.db-shm")), -1);
    sc_free(before);
    sc_free(after);
}

static void a_database_that_moves_is_not_written(void **state)
{
    const char *path = support_path(state, "a.db");
    sc_store *s = support_open(path, SC_STORE_CREATE);
    sc_store_writer *w = support_writer(s, ALL);
    support_tell(s, w, 0, 2);
    assert_int_equal(rename(path, support_path(state, "b.db")), 0);
    assert_fails(sc_store_begin(s), SC_ESTORE, "moved or deleted");
    sc_store_writer_close(w);
    sc_store_close(s);
}

static void any_name_is_a_name(void **state)
{
    static const char *const names[] = {"we?ird #%25&mode=ro.db",
                                        "quote'\".db",
                                        "new\nline.db",
                                        "<script>.db",
                                        ":memory:",
                                        "\xc3\xa4.db",
                                        "file:x.db"};
    char old[1024];
    assert_non_null(getcwd(old, sizeof old));
    assert_int_equal(chdir(*state), 0);
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        make(support_path(state, names[i]), 2);
        sc_store *s = support_open(names[i], SC_STORE_WRITE); /* the same by its relative name */
        assert_int_equal(support_faults(s), 0);
        sc_store_close(s);
        assert_true(size_of(support_old_path(state, names[i])) > 0);
    }
    assert_int_equal(chdir(old), 0);
}

static void a_rollback_journal_does_as_well(void **state)
{
    const char *path = support_path(state, "a.db");
    sc_store_tuning network = sc_store__tuning();
    sc_store *s = NULL;
    network.rollback_journal = true;
    make(path, 5); /* was local once */
    assert_ok(sc_store__open(&s, path, SC_STORE_WRITE, &network));
    sc_store_writer *w = support_writer(s, ALL);
    support_tell(s, w, 5, 40);
    assert_int_equal(size_of(support_old_path(state, "a.db-wal")), -1);
    assert_int_equal(support_faults(s), 0);
    sc_store_writer_close(w);
    sc_store_close(s);
    s = support_open(path, SC_STORE_WRITE);
    w = support_writer(s, ALL);
    assert_int_equal(sc_store_writer_counts(w)->trials, 40);
    sc_store_writer_close(w);
    sc_store_close(s);
}

/* ---- upgrades ---- */

static void upgrades_are_whole_or_nothing(void **state)
{
    const char *path = support_path(state, "a.db");
    sc_migration steps[] = {{sc_store__schema()[0].sql},
                            {"CREATE TABLE surrogates (id BLOB PRIMARY KEY) STRICT;"},
                            {"CREATE TABLE placements (id BLOB) STRICT; CREATE NONSENSE;"}};
    sc_store_tuning next = sc_store__tuning();
    sc_store *s = NULL;
    int from = 0, to = 0;
    assert_int_equal(sc_store_schema_version(), 1);
    make(path, 20);
    assert_ok(sc_store_upgrade(path, &from, &to));
    assert_true(from == 1 && to == 1);

    next.schema = steps;
    next.version = 3;
    assert_fails(sc_store__open(&s, path, SC_STORE_WRITE, &next), SC_ESTORE, "db upgrade");
    from = to = 9;
    assert_int_equal(sc_store__upgrade(path, &next, &from, &to), SC_ESTORE);
    assert_true(from == 9 && to == 9);
    s = support_open(path, SC_STORE_READ); /* the failed one left the old schema, whole */
    assert_int_equal(support_faults(s), 0);
    char *before = support_export(s, SC_STORE_CSV);
    sc_store_close(s);

    next.version = 2;
    assert_ok(sc_store__upgrade(path, &next, &from, &to));
    assert_true(from == 1 && to == 2);
    assert_refused(path, SC_ESTORE, "newer schema 2");
    assert_ok(sc_store__open(&s, path, SC_STORE_WRITE, &next));
    char *after = support_export(s, SC_STORE_CSV);
    assert_string_equal(before, after);
    assert_int_equal(support_faults(s), 0);
    sc_store_close(s);
    sc_release(before);
    sc_release(after);

    path = support_path(state, "none.db");
    assert_fails(sc_store_upgrade(path, &from, &to), SC_ENOTFOUND, "no such database");
    put(path, "", 0);
    assert_fails(sc_store_upgrade(path, &from, &to), SC_ESTORE, "empty");
    assert_int_equal(sc_mem_live(), 0);
}

#define WITH(test) cmocka_unit_test_setup_teardown(test, support_folder, support_remove_folder)

int main(void)
{
    const struct CMUnitTest tests[] = {
        WITH(modes_create_what_they_may),
        WITH(paths_that_are_no_files_are_refused),
        WITH(files_of_others_are_refused_and_left_alone),
        WITH(versions_that_differ_are_refused),
        WITH(a_changed_schema_is_refused),
        WITH(cut_files_are_refused),
        WITH(a_locked_database_is_waited_for),
        WITH(permissions_are_respected),
        WITH(reading_leaves_no_trace),
        WITH(a_database_that_moves_is_not_written),
        WITH(any_name_is_a_name),
        WITH(a_rollback_journal_does_as_well),
        WITH(upgrades_are_whole_or_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
