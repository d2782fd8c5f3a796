/* Whole files: what is refused, gzip and its bombs, and writes that leave the old file or the new.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka wants the four above first */
#include <cmocka.h>
#include <dirent.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <zlib.h>

#include "core/file.h"
#include "core_support.h"

enum { CAP = 1 << 20 };

static char *folder;

static int enter(void **state)
{
    folder = make_folder();
    return chdir(folder);
}

static int leave(void **state)
{
    char command[64];
    snprintf(command, sizeof command, "rm -rf ./%s", folder);
    const int failed = chdir("..") != 0 || system(command) != 0;
    free(folder);
    return failed;
}

/* The plain C way, to have something to compare with. */
static void put(const char *path, const void *bytes, size_t n)
{
    FILE *f = fopen(path, "wb");
    assert_non_null(f);
    assert_int_equal(fwrite(bytes, 1, n, f), n);
    assert_int_equal(fclose(f), 0);
}

static void assert_holds(const char *path, const char *want)
{
    char *text = NULL;
    size_t n = 0;
    assert_int_equal(sc_file_read(&text, &n, path, CAP), SC_OK);
    assert_int_equal(n, strlen(want));
    assert_memory_equal(text, want, n + 1); /* the NUL too */
    sc_free(text);
}

static size_t files_here(void)
{
    size_t n = 0;
    DIR *d = opendir(".");
    assert_non_null(d);
    for (struct dirent *e; (e = readdir(d));)
        n += e->d_name[0] != '.';
    closedir(d);
    return n;
}

static void test_read(void **state)
{
    put("plain", "two\nlines", 9);
    assert_holds("plain", "two\nlines");
    put("empty", "", 0);
    assert_holds("empty", "");
    char *text = NULL;
    size_t n = 0;
    assert_int_equal(sc_file_read(&text, &n, "plain", 9), SC_OK); /* just within */
    assert_int_equal(n, 9);
    sc_free(text);
}

static void test_read_rejects(void **state)
{
    char mark;
    char *text = &mark;
    size_t n = 42;
    const double begin = cpu_now();
    assert_int_equal(mkdir("a_folder", 0777), 0);
    assert_int_equal(mkfifo("a_fifo", 0666), 0);
    put("big", "0123456789", 10);
    assert_int_equal(sc_file_read(&text, &n, "none", CAP), SC_ENOTFOUND);
    assert_says("none: error: ");
    assert_int_equal(sc_file_read(&text, &n, "big/below", CAP), SC_ENOTFOUND);
    assert_int_equal(sc_file_read(&text, &n, "a_folder", CAP), SC_EPARSE);
    assert_message("a_folder:1:1: error: is a directory, not a regular file");
    assert_int_equal(sc_file_read(&text, &n, "a_fifo", CAP), SC_EPARSE);
    assert_message("a_fifo:1:1: error: is a FIFO, not a regular file");
    assert_int_equal(sc_file_read(&text, &n, "/dev/null", CAP), SC_EPARSE);
    assert_message("/dev/null:1:1: error: is a device or socket, not a regular file");
    assert_int_equal(sc_file_read(&text, &n, "big", 9), SC_EPARSE);
    assert_message("big:1:1: error: over the limit of 9 bytes");
    if (geteuid() != 0) {
        assert_int_equal(chmod("big", 0), 0);
        assert_int_equal(sc_file_read(&text, &n, "big", CAP), SC_EIO);
        assert_says("big: error: ");
    }
    assert_ptr_equal(text, &mark);
    assert_int_equal(n, 42);
    assert_within(begin, 0.1);
}

/* gzip of a text, by zlib, appended at *at. */
static void pack(unsigned char *out, size_t *at, size_t capacity, const char *text, size_t n)
{
    z_stream z = {.next_in = (z_const Bytef *)text,
                  .avail_in = (uInt)n,
                  .next_out = out + *at,
                  .avail_out = (uInt)(capacity - *at)};
    assert_int_equal(deflateInit2(&z, 9, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY), Z_OK);
    assert_int_equal(deflate(&z, Z_FINISH), Z_STREAM_END);
    *at += z.total_out;
    deflateEnd(&z);
}

static void test_gzip(void **state)
{
    static unsigned char packed[4096];
    size_t n = 0;
    pack(packed, &n, sizeof packed, "first, ", 7);
    put("one.txt", packed, n); /* whatever its name */
    assert_holds("one.txt", "first, ");
    pack(packed, &n, sizeof packed, "second", 6);
    put("two.gz", packed, n); /* members follow each other */
    assert_holds("two.gz", "first, second");
    put("cut.gz", packed, n - 9);
    char mark;
    char *text = &mark;
    size_t length = 42;
    assert_int_equal(sc_file_read(&text, &length, "cut.gz", CAP), SC_EPARSE);
    assert_message("cut.gz:1:1: error: the gzip data end too early");
    packed[n - 8] ^= 1; /* the check sum of the second member */
    put("sum.gz", packed, n);
    assert_int_equal(sc_file_read(&text, &length, "sum.gz", CAP), SC_EPARSE);
    assert_message("sum.gz:1:1: error: damaged gzip data (incorrect data check)");
    packed[10] = 7; /* no such kind of block */
    put("block.gz", packed, n);
    assert_int_equal(sc_file_read(&text, &length, "block.gz", CAP), SC_EPARSE);
    assert_message("block.gz:1:1: error: damaged gzip data (invalid block type)");
    put("head.gz", packed, 2);
    assert_int_equal(sc_file_read(&text, &length, "head.gz", CAP), SC_EPARSE);
    assert_ptr_equal(text, &mark);
    assert_int_equal(length, 42);
}

/* Every size around the growth of the unpacking buffer and the cap. */
static void test_gzip_sizes(void **state)
{
    static unsigned char packed[1 << 16];
    static char source[300000];
    for (size_t i = 0; i < sizeof source; i++)
        source[i] = (char)('a' + i * i % 23);
    const size_t sizes[] = {0, 1, 65534, 65535, 65536, 131071, 131072, 262142, 262143};
    for (size_t i = 0; i < COUNT(sizes); i++) {
        size_t n = 0, got = 0;
        char *text = NULL;
        pack(packed, &n, sizeof packed, source, sizes[i]);
        put("sized", packed, n);
        const size_t cap = sizes[i] > n ? sizes[i] : n;
        assert_int_equal(sc_file_read(&text, &got, "sized", cap), SC_OK);
        assert_int_equal(got, sizes[i]);
        assert_memory_equal(text, source, got);
        assert_int_equal(text[got], 0);
        sc_free(text);
        if (sizes[i] > n) {
            assert_int_equal(sc_file_read(&text, &got, "sized", sizes[i] - 1), SC_EPARSE);
            assert_says("unpacks to over the limit of");
        }
    }
}

static void test_gzip_bomb(void **state)
{
    static char zeros[64 << 20];
    static unsigned char packed[1 << 17];
    size_t n = 0;
    pack(packed, &n, sizeof packed, zeros, sizeof zeros);
    put("bomb.gz", packed, n);
    char *text = NULL;
    const double begin = cpu_now();
    assert_int_equal(sc_file_read(&text, &n, "bomb.gz", CAP), SC_EPARSE);
    assert_within(begin, 0.1);
    assert_message("bomb.gz:1:1: error: unpacks to over the limit of 1048576 bytes");
}

static mode_t mode_of(const char *path)
{
    struct stat info;
    assert_int_equal(stat(path, &info), 0);
    return info.st_mode & 07777;
}

static void test_write(void **state)
{
    const mode_t old = umask(027);
    assert_int_equal(sc_file_write("new", "abc", 3), SC_OK);
    umask(old);
    assert_holds("new", "abc");
    assert_int_equal(mode_of("new"), 0640);
    assert_int_equal(chmod("new", 0604), 0);
    assert_int_equal(sc_file_write("new", "other", 5), SC_OK);
    assert_holds("new", "other");
    assert_int_equal(mode_of("new"), 0604);
    assert_int_equal(sc_file_write("./new", "", 0), SC_OK);
    assert_holds("new", "");
}

/* What could not be written is told before, in the same words, and nothing is left behind. */
static void test_may_write(void **state)
{
    put("stays", "old", 3);
    assert_int_equal(mkdir("barred", 0777), 0);
    const size_t before = files_here();
    assert_int_equal(sc_file_may_write("new"), SC_OK);
    assert_int_equal(sc_file_may_write("stays"), SC_OK);
    assert_holds("stays", "old");
    static const char *const bad[] = {"barred", "nowhere/new", "stays/new", "/proc/new"};
    for (size_t i = 0; i < COUNT(bad); i++) {
        char want[256];
        const sc_status st = sc_file_write(bad[i], "x", 1);
        assert_int_not_equal(st, SC_OK);
        (void)snprintf(want, sizeof want, "%s", sc_error_message());
        assert_int_equal(sc_file_may_write(bad[i]), st);
        assert_message(want);
    }
    assert_int_equal(files_here(), before);
}

static void test_write_through_link(void **state)
{
    struct stat info;
    assert_int_equal(mkdir("real", 0777), 0);
    put("real/file", "old", 3);
    assert_int_equal(symlink("real/file", "link"), 0);
    assert_int_equal(sc_file_write("link", "new", 3), SC_OK);
    assert_int_equal(lstat("link", &info), 0);
    assert_true(S_ISLNK(info.st_mode));
    assert_holds("real/file", "new");
}

/* A write that fails half-way: the system refuses to let a file grow past 4 KiB. */
static void test_write_fails(void **state)
{
    static char big[100000];
    put("kept", "old", 3);
    assert_int_equal(mkdir("in_the_way", 0777), 0);
    const size_t before = files_here();
    struct rlimit limit, small;
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &limit), 0);
    small = limit;
    small.rlim_cur = 4096;
    signal(SIGXFSZ, SIG_IGN);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
    const sc_status st = sc_file_write("kept", big, sizeof big);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
    signal(SIGXFSZ, SIG_DFL);
    assert_int_equal(st, SC_EIO);
    assert_says("kept: error: ");
    assert_holds("kept", "old");
    assert_int_equal(sc_file_write("in_the_way", "x", 1), SC_EIO);
    assert_message("in_the_way: error: is not a regular file");
    assert_int_equal(sc_file_write("no_folder/x", "x", 1), SC_ENOTFOUND);
    assert_says("no_folder/x");
    assert_int_equal(files_here(), before);
}

static sc_status read_packed(void *payload)
{
    char *text = NULL;
    size_t n = 0;
    const sc_status st = sc_file_read(&text, &n, "for_memory.gz", CAP);
    sc_free(text);
    return st;
}

static sc_status write_text(void *payload)
{
    return sc_file_write("for_memory", "abc", 3);
}

static sc_status join(void *payload)
{
    char *path = sc_path_join("a", "b");
    char *above = path ? sc_path_folder(path) : NULL;
    const bool made = above != NULL;
    sc_free(path);
    sc_free(above);
    return made ? SC_OK : SC_ENOMEM;
}

static void test_no_memory(void **state)
{
    static char source[200000];
    static unsigned char packed[4096];
    size_t n = 0;
    pack(packed, &n, sizeof packed, source, sizeof source);
    put("for_memory.gz", packed, n);
    assert_true(fail_each_allocation(read_packed, NULL) >= 4);
    assert_int_equal(sc_file_write("for_memory", "old", 3), SC_OK);
    const size_t before = files_here();
    assert_true(fail_each_allocation(write_text, NULL) >= 3);
    assert_int_equal(files_here(), before);
    assert_int_equal(fail_each_allocation(join, NULL), 2);
}

/* Many at once to one name: all succeed and what stands there is one of them, whole. */
static void test_writers_together(void **state)
{
    enum { WRITERS = 24, BYTES = 3000 };
    const size_t before = files_here();
    int failures = 0;
#pragma omp parallel for num_threads(3) reduction(+ : failures) schedule(dynamic, 1)
    for (int i = 0; i < WRITERS; i++) {
        char text[BYTES];
        memset(text, 'a' + i, sizeof text);
        failures += sc_file_write("shared", text, sizeof text) != SC_OK;
    }
    assert_int_equal(failures, 0);
    char *text = NULL;
    size_t n = 0;
    assert_int_equal(sc_file_read(&text, &n, "shared", CAP), SC_OK);
    assert_int_equal(n, BYTES);
    for (size_t i = 1; i < n; i++)
        assert_int_equal(text[i], text[0]);
    sc_free(text);
    assert_int_equal(files_here(), before + 1);
}

static void test_paths(void **state)
{
    static const struct {
        const char *folder, *name, *want;
    } joins[] = {
        {"a", "b", "a/b"}, {"a/", "b", "a/b"}, {"", "b", "b"}, {"a", "/b", "/b"}, {"/", "b", "/b"},
    };
    static const struct {
        const char *path, *want;
    } folders[] = {
        {"a/b/c.yaml", "a/b"}, {"c.yaml", ""}, {"/c", "/"}, {"a/", "a"}, {"", ""},
    };
    for (size_t i = 0; i < COUNT(joins); i++) {
        char *path = sc_path_join(joins[i].folder, joins[i].name);
        assert_string_equal(path, joins[i].want);
        sc_free(path);
    }
    for (size_t i = 0; i < COUNT(folders); i++) {
        char *path = sc_path_folder(folders[i].path);
        assert_string_equal(path, folders[i].want);
        sc_free(path);
    }
    put("is_there", "", 0);
    assert_true(sc_file_exists("is_there"));
    assert_true(sc_file_exists("."));
    assert_false(sc_file_exists("is_not_there"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_read),
        cmocka_unit_test(test_read_rejects),
        cmocka_unit_test(test_gzip),
        cmocka_unit_test(test_gzip_sizes),
        cmocka_unit_test(test_gzip_bomb),
        cmocka_unit_test(test_write),
        cmocka_unit_test(test_may_write),
        cmocka_unit_test(test_write_through_link),
        cmocka_unit_test(test_write_fails),
        cmocka_unit_test(test_no_memory),
        cmocka_unit_test(test_writers_together),
        cmocka_unit_test(test_paths),
    };
    return cmocka_run_group_tests_name("core/file", tests, enter, leave);
}
