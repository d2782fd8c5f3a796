/* Rows of recorded tables: text and JSON, packed or not, their places, and what is refused. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka wants the four above first */
#include <cmocka.h>
#include <zlib.h>

#include "core/csv.h"
#include "core/file.h"
#include "core/rng.h"
#include "core/rows.h"
#include "core_support.h"

static char folder[] = "rows-test-XXXXXX";
static char path[64];

static int set_up(void **state)
{
    return mkdtemp(folder) ? 0 : -1;
}

static int tear_down(void **state)
{
    return rmdir(folder);
}

static const char *write_as(const char *name, const char *text, size_t n)
{
    snprintf(path, sizeof path, "%s/%s", folder, name);
    if (sc_file_write(path, text, n) != SC_OK)
        fail_msg("%s", sc_error_message());
    return path;
}

/* All rows as one text: cells in <>, a / after each row; the names of the columns first. */
static sc_status spell(char *out, const char *file, const sc_rows_form *form)
{
    sc_rows *r = NULL;
    bool got = true;
    sc_status st = sc_rows_open(&r, file, form);
    out[0] = '\0';
    for (size_t i = 0; st == SC_OK && i < sc_rows_columns(r); i++)
        out += sprintf(out, "[%s]", sc_rows_column(r, i));
    while (st == SC_OK && (st = sc_rows_next(&got, r)) == SC_OK && got) {
        for (size_t i = 0; i < sc_rows_columns(r); i++)
            out += sprintf(out, "<%s>", sc_rows_cell(r, i));
        out += sprintf(out, "/");
    }
    sc_rows_close(r);
    return st;
}

static void assert_rows(const char *name, const char *text, const sc_rows_form *form,
                        const char *want)
{
    char got[1000];
    if (spell(got, write_as(name, text, strlen(text)), form) != SC_OK)
        fail_msg("%s", sc_error_message());
    assert_string_equal(got, want);
    remove(path);
}

static void assert_refused(const char *name, const char *text, size_t n, const sc_rows_form *form,
                           const char *says)
{
    char got[1000];
    assert_int_equal(spell(got, write_as(name, text, n), form), SC_EPARSE);
    assert_says(says);
    remove(path);
}

static const sc_rows_form plain = {.separator = ','};

static void test_text(void **state)
{
    static const char *const names[] = {"x", "y"};
    const sc_rows_form blanks = {.separator = ' ', .columns = names, .n_columns = 2};
    assert_rows("t.csv", "a,b\n1, 2 \n\n3,\r\n", &plain, "[a][b]<1><2>/<3><>/");
    assert_rows("t.csv",
                "\xEF\xBB\xBF"
                "a\n7",
                &plain, "[a]<7>/");
    assert_rows("t.csv", "a,b\n\"p\nq\",\"r\"\"s\"\nt,u\n", &plain, "[a][b]<p\nq><r\"s>/<t><u>/");
    assert_rows("t.csv", "a,b\n", &plain, "[a][b]");
    assert_rows("t.txt", "  1 \t 2  \n3 4\n", &blanks, "[x][y]<1><2>/<3><4>/");
    assert_rows("t.txt", "a;b\n1,5;2\n", &(sc_rows_form){.separator = ';'}, "[a][b]<1,5><2>/");
    assert_rows("t.txt", "a\tb\n1 2\t\n", &(sc_rows_form){.separator = '\t'}, "[a][b]<1 2><>/");
}

static void test_json(void **state)
{
    assert_rows("t.json", "[{\"a\": 1, \"b\": \"x\"}, {\"b\": true, \"c\": 0.25, \"a\": null}]",
                &plain, "[a][b][c]<1><x><>/<><true><0.25>/");
    assert_rows("t.json", "{\"head\": 3, \"rows\": {\"k\": {\"a\": [1], \"b\": 1e30}}}",
                &(sc_rows_form){.member = "rows"}, "[a][b]<><1e+30>/");
    assert_refused("t.json", "{\"a\": 3}", 8, &plain, "'a': error: a row must be an object");
    assert_refused("t.json", "[3]", 3, &plain, "row 1: error: a row must be an object");
    assert_refused("t.json", "[]", 2, &plain, "no row in it");
    assert_refused("t.json", "{}", 2, &(sc_rows_form){.member = "x"}, "no list of rows under 'x'");
}

static void test_refuses_with_places(void **state)
{
    static const struct {
        const char *text, *says;
    } bad[] = {
        {"", ":1:1: error: no row in it"},
        {"a,b\n1,2\n3\n", ":3:1: error: this row has 1 cells, the heading has 2"},
        {"a,b\n1,2,9\n", ":2:5: error: this row has more than the 2 cells"},
        {"a,b\n1,\"2\n", ":2:3: error: this quote is never closed"},
        {"a,b\n1,2\"\n", ":2:4: error: a quote inside a cell"},
        {"a,b\n\n1,\xFF\n", ":3:3: error: not UTF-8"},
    };
    for (size_t i = 0; i < COUNT(bad); i++)
        assert_refused("t.csv", bad[i].text, strlen(bad[i].text), &plain, bad[i].says);
    assert_refused("t.csv", "a\n1\0\n", 5, &plain, ":2:2: error: a NUL byte");
    char got[100];
    assert_int_equal(spell(got, "/nowhere/t.csv", &plain), SC_ENOTFOUND);
}

static void test_numbers_and_places(void **state)
{
    sc_rows *r = NULL;
    bool got;
    size_t again;
    double v = 0;
    const char text[] = "a,\xC3\xA4,a\nx,nan,2.5\n";
    assert_int_equal(sc_rows_open(&r, write_as("t.csv", text, strlen(text)), &plain), SC_OK);
    assert_int_equal(sc_rows_next(&got, r), SC_OK);
    assert_true(got);
    assert_int_equal(sc_rows_line(r), 2);
    assert_int_equal(sc_rows_find(r, "a", &again), 0);
    assert_int_equal(again, 2);
    assert_int_equal(sc_rows_find(r, "b", &again), SIZE_MAX);
    assert_int_equal(sc_rows_number(&v, r, 2), SC_OK);
    assert_true(v == 2.5);
    assert_int_equal(sc_rows_number(&v, r, 1), SC_EPARSE);
    assert_says(":2:3: error: 'nan' is not a finite number");
    assert_int_equal(sc_rows_fail(r, 2, "so"), SC_EPARSE);
    assert_says(":2:7: error: so");
    sc_rows_close(r);
    remove(path);
}

/* A table larger than what is read at a time, packed: read in pieces, twice, and the same both
 * times; its hash is that of the plain one and another than that of a table that differs in one
 * digit. */
static void test_long_and_packed(void **state)
{
    enum { ROWS = 80000, LONGEST_ROW = 48 };
    char *text = malloc(ROWS * LONGEST_ROW + 32), *to = text;
    sc_hash128 hash[3];
    to += sprintf(to, "n,square,filler\n");
    for (unsigned i = 0; i < ROWS; i++)
        to += sprintf(to, "%u,%u,%030u\n", i, i % 1000 * (i % 1000), i);
    assert_true(to - text > 2 * SC_ROWS_LONGEST);
    for (int k = 0; k < 3; k++) {
        sc_rows *r = NULL;
        bool got;
        double n = 0, square = 0;
        if (k == 2)
            to[-2]--; /* the last digit of the filler, which is not read */
        snprintf(path, sizeof path, "%s/t.csv.gz", folder);
        gzFile z = gzopen(path, k == 1 ? "wbT" : "wb1");
        assert_int_equal(gzwrite(z, text, (unsigned)(to - text)), to - text);
        gzclose(z);
        assert_int_equal(sc_rows_open(&r, path, &plain), SC_OK);
        for (int pass = 0; pass < 2; pass++) {
            assert_int_equal(sc_rows_rewind(r), SC_OK);
            for (unsigned i = 0; i < ROWS; i++) {
                assert_int_equal(sc_rows_next(&got, r), SC_OK);
                assert_true(got && sc_rows_line(r) == i + 2);
                assert_int_equal(sc_rows_number(&n, r, 0), SC_OK);
                assert_int_equal(sc_rows_number(&square, r, 1), SC_OK);
                assert_true(n == i && square == i % 1000 * (i % 1000));
            }
            assert_int_equal(sc_rows_next(&got, r), SC_OK);
            assert_false(got);
            assert_true(pass == 0 || sc_hash_equal(hash[k], sc_rows_hash(r)));
            hash[k] = sc_rows_hash(r);
        }
        sc_rows_close(r);
    }
    assert_true(sc_hash_equal(hash[0], hash[1]));
    assert_false(sc_hash_equal(hash[0], hash[2]));
    free(text);
    remove(path);
}

static void test_broken_gzip(void **state)
{
    char *text = NULL;
    size_t n;
    snprintf(path, sizeof path, "%s/t.csv.gz", folder);
    gzFile z = gzopen(path, "wb");
    for (int i = 0; i < 1000; i++)
        gzprintf(z, "%d,%d\n", i, i * 7919 % 1000);
    gzclose(z);
    /* the packed bytes themselves: read as they lie by a plain stream */
    FILE *f = fopen(path, "rb");
    text = malloc(1 << 16);
    n = fread(text, 1, 1 << 16, f);
    fclose(f);
    assert_refused("t.csv.gz", text, n / 2, &plain, ":1:1: error: broken gzip");
    free(text);
}

/* The reader of whole tables is the oracle: the same cells, or both refuse. */
static void test_as_the_reader_of_whole_tables(void **state)
{
    static const char alphabet[] = "ab1,,\"\n\n\r ";
    size_t accepted = 0;
    for (uint64_t k = 0; k < 3000; k++) {
        char text[40], got[2000], want[2000], *to = want;
        sc_rng rng;
        sc_csv *c = NULL;
        sc_rng_init(&rng, 7, 1, k);
        const size_t n = gsl_rng_uniform_int(&rng.gsl, 30);
        for (size_t i = 0; i < n; i++)
            text[i] = alphabet[gsl_rng_uniform_int(&rng.gsl, sizeof alphabet - 1)];
        const sc_status whole = sc_csv_parse(&c, "t.csv", text, n);
        const sc_status st = spell(got, write_as("t.csv", text, n), &plain);
        assert_int_equal(st, whole);
        for (size_t i = 0; st == SC_OK && i < sc_csv_rows(c); i++, to += sprintf(to, "/"))
            for (size_t j = 0; j < sc_csv_columns(c); j++) {
                char cell[64];
                strcpy(cell, sc_csv_cell(c, i, j) + strspn(sc_csv_cell(c, i, j), " \t"));
                for (size_t m = strlen(cell); m > 0 && cell[m - 1] == ' '; m--)
                    cell[m - 1] = '\0';
                to += sprintf(to, i == 0 ? "[%s]" : "<%s>", cell);
            }
        if (st == SC_OK) {
            char *slash = strchr(want, '/'); /* none behind the heading here */
            memmove(slash, slash + 1, strlen(slash));
            assert_string_equal(got, want);
            accepted++;
        }
        sc_csv_close(c);
    }
    assert_true(accepted > 300);
    remove(path);
}

static sc_status open_and_read(void *payload)
{
    sc_rows *r = NULL;
    bool got = true;
    sc_status st = sc_rows_open(&r, payload, &plain);
    while (st == SC_OK && got)
        st = sc_rows_next(&got, r);
    sc_rows_close(r);
    return st;
}

static void test_out_of_memory(void **state)
{
    assert_true(fail_each_allocation(open_and_read, (void *)write_as("t.csv", "a,b\n1,2\n", 8)) >
                3);
    remove(path);
}

int main(void)
{
    const struct CMUnitTest t[] = {
        cmocka_unit_test(test_text),
        cmocka_unit_test(test_json),
        cmocka_unit_test(test_refuses_with_places),
        cmocka_unit_test(test_numbers_and_places),
        cmocka_unit_test(test_long_and_packed),
        cmocka_unit_test(test_broken_gzip),
        cmocka_unit_test(test_as_the_reader_of_whole_tables),
        cmocka_unit_test(test_out_of_memory),
    };
    return cmocka_run_group_tests_name("core_rows", t, set_up, tear_down);
}
