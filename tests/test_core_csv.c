/* CSV: cells and their places, what is refused, and tables that are written and read back. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka wants the four above first */
#include <cmocka.h>

#include "core/csv.h"
#include "core/rng.h"
#include "core_support.h"

static sc_csv *parse(const char *text)
{
    sc_csv *c = NULL;
    if (sc_csv_parse(&c, "t.csv", text, strlen(text)) != SC_OK)
        fail_msg("%s", sc_error_message());
    return c;
}

/* The whole table as one text: cells in <>, a / after each row. */
static void assert_table(const char *text, const char *want)
{
    char got[400] = "", *to = got;
    sc_csv *c = parse(text);
    for (size_t i = 0; i < sc_csv_rows(c); i++) {
        for (size_t j = 0; j < sc_csv_columns(c); j++)
            to += sprintf(to, "<%s>", sc_csv_cell(c, i, j));
        to += sprintf(to, "/");
    }
    assert_string_equal(got, want);
    sc_csv_close(c);
}

static void test_tables(void **state)
{
    assert_table("a,b\n1,2\n", "<a><b>/<1><2>/");
    assert_table("a,b\r\n1,2", "<a><b>/<1><2>/");
    assert_table("\xEF\xBB\xBF"
                 "a,b\n",
                 "<a><b>/");
    assert_table(",\n,x\n", "<><>/<><x>/");
    assert_table("\n  \na\n\t\n\r\nb\n\n", "<a>/<b>/");
    assert_table("\"a\"\"b\",\"c,d\"\n\"e\nf\",\"\"\n", "<a\"b><c,d>/<e\nf><>/");
    assert_table("\"\"\n", "<>/");
    assert_table("\"\"\"\"\"\"", "<\"\">/");
    assert_table("a b , c\n", "<a b >< c>/");
    assert_table("a\rb,c\n", "<a\rb><c>/");
    assert_table("\"a\r\nb\",c\r\n", "<a\r\nb><c>/");
    assert_table("x", "<x>/");
}

static void test_access(void **state)
{
    sc_csv *c = parse("name,cycles\n\n\"two\nlines\",7\nlast, \t11 \t\n");
    int64_t n = 0;
    double d = 0;
    assert_string_equal(sc_csv_name(c), "t.csv");
    assert_int_equal(sc_csv_rows(c), 3);
    assert_int_equal(sc_csv_columns(c), 2);
    assert_int_equal(sc_csv_line(c, 0), 1);
    assert_int_equal(sc_csv_line(c, 1), 3);
    assert_int_equal(sc_csv_line(c, 2), 5);
    assert_int_equal(sc_csv_line(c, 3), 0);
    assert_int_equal(sc_csv_find(c, "cycles"), 1);
    assert_true(sc_csv_find(c, "cycle") == SIZE_MAX);
    assert_string_equal(sc_csv_cell(c, 3, 0), "");
    assert_string_equal(sc_csv_cell(c, 0, 2), "");
    assert_int_equal(sc_csv_integer(&n, c, 2, 1), SC_OK); /* blanks around it */
    assert_true(n == 11);
    assert_int_equal(sc_csv_number(&d, c, 1, 1), SC_OK);
    assert_true(d == 7);
    sc_csv_close(c);
    sc_csv_close(NULL);
}

static void test_rejects(void **state)
{
    static const struct {
        const char *text, *message;
    } rows[] = {
        {"", "t.csv:1:1: error: the file is empty"},
        {"\n \n", "t.csv:1:1: error: no row in it"},
        {"a,b\n1\n", "t.csv:2:1: error: this row has 1 cells, the first row has 2"},
        {"a,b\n\n1,2,3\n", "t.csv:3:5: error: this row has 3 cells, the first row has 2"},
        {"a,\"b\nc", "t.csv:1:3: error: this quote is never closed"},
        {"a\n\"b\"c\n", "t.csv:2:4: error: text after a closing quote"},
        {"a,b\"c\n", "t.csv:1:4: error: a quote inside a cell (quote the whole cell and double "
                     "this one)"},
        {"\xC3\xA9,\xFF\n", "t.csv:1:3: error: not UTF-8 text"},
        {"\"x\ny\",a\"\n", "t.csv:2:5: error: a quote inside a cell (quote the whole cell and "
                           "double this one)"},
    };
    const long before = sc_mem_live();
    sc_csv *c = NULL;
    for (size_t i = 0; i < COUNT(rows); i++) {
        assert_int_equal(sc_csv_parse(&c, "t.csv", rows[i].text, strlen(rows[i].text)), SC_EPARSE);
        assert_message(rows[i].message);
    }
    assert_int_equal(sc_csv_parse(&c, "t.csv", "a,b\n1,\0\n", 8), SC_EPARSE);
    assert_message("t.csv:2:3: error: a NUL byte: this is no text file");
    assert_int_equal(sc_csv_parse(&c, "t.csv", "", ((size_t)256 << 20) + 1), SC_EPARSE);
    assert_message("t.csv:1:1: error: over the limit of 256 MiB");
    assert_int_equal(sc_csv_open(&c, "."), SC_EPARSE);
    assert_message(".:1:1: error: is a directory, not a regular file");
    assert_int_equal(sc_csv_open(&c, "none.csv"), SC_ENOTFOUND);
    assert_null(c);
    assert_int_equal(sc_mem_live(), before);
}

static void test_number_errors(void **state)
{
    sc_csv *c = parse("v,w\nx,1.5\n1e999,12345678901234567890\n\xC3\xA9\xC3\xA9,\n0x10,nan\n");
    static const struct {
        size_t row, column;
        bool integer;
        const char *message;
    } rows[] = {
        {1, 0, true, "t.csv:2:1: error: 'x' is not a whole number"},
        {1, 0, false, "t.csv:2:1: error: 'x' is not a number"},
        {1, 1, true, "t.csv:2:3: error: 1.5 is not a whole number"},
        {2, 0, true, "t.csv:3:1: error: 1e999 is too large a number"},
        {2, 0, false, "t.csv:3:1: error: 1e999 is too large a number"},
        {2, 1, true, "t.csv:3:7: error: 12345678901234567890 does not fit in 64 bits"},
        {2, 1, false,
         "t.csv:3:7: error: 12345678901234567890 has more digits than can be held "
         "exactly (write 1.5e20 if an approximation will do)"},
        {3, 1, true, "t.csv:4:4: error: '' is not a whole number"},
        {3, 1, false, "t.csv:4:4: error: '' is not a number"},
        {4, 0, true, "t.csv:5:1: error: '0x10' is not a whole number"},
        {4, 1, false, "t.csv:5:6: error: 'nan' is not a number"},
    };
    int64_t n = 42;
    double d = 42;
    for (size_t i = 0; i < COUNT(rows); i++) {
        const sc_status st = rows[i].integer ? sc_csv_integer(&n, c, rows[i].row, rows[i].column)
                                             : sc_csv_number(&d, c, rows[i].row, rows[i].column);
        assert_int_equal(st, SC_EPARSE);
        assert_message(rows[i].message);
    }
    assert_true(n == 42 && d == 42);
    assert_int_equal(sc_csv_fail(c, 1, 1, "not %s", "this"), SC_EPARSE);
    assert_message("t.csv:2:3: error: not this");
    sc_csv_close(c);
}

/* A cell of hundreds of digits is no number, also if its first 400 are one. */
static void test_long_cells(void **state)
{
    char text[600];
    int64_t n = 42;
    double d = 42;
    memset(text, '0', 500);
    strcpy(text + 500, "1\n");
    sc_csv *c = parse(text);
    assert_int_equal(sc_csv_integer(&n, c, 0, 0), SC_EPARSE);
    assert_message("t.csv:1:1: error: too long for a whole number");
    assert_int_equal(sc_csv_number(&d, c, 0, 0), SC_EPARSE);
    assert_message("t.csv:1:1: error: too long for a number");
    assert_true(n == 42 && d == 42);
    sc_csv_close(c);
}

/* Random tables of awkward cells come back as they were written. */
static void test_written_reads_back(void **state)
{
    static const char alphabet[] = "a,\"\n\r \t;'=\xC3\xA9";
    sc_rng r;
    sc_rng_init(&r, 17, 1, 0);
    for (int round = 0; round < 300; round++) {
        const size_t rows = 1 + gsl_rng_uniform_int(&r.gsl, 6);
        const size_t columns = 2 + gsl_rng_uniform_int(&r.gsl, 4);
        char cells[6][5][12];
        sc_buf b;
        char *text = NULL;
        sc_buf_init(&b);
        for (size_t i = 0; i < rows; i++) {
            for (size_t j = 0; j < columns; j++) {
                size_t n = gsl_rng_uniform_int(&r.gsl, 5);
                char *to = cells[i][j];
                for (; n > 0; n--) {
                    const size_t k = gsl_rng_uniform_int(&r.gsl, sizeof alphabet - 2);
                    *to++ = alphabet[k];
                    if (k == sizeof alphabet - 3) /* the letter of two bytes */
                        *to++ = alphabet[k + 1];
                }
                *to = '\0';
                sc_buf_puts(&b, j ? "," : "");
                sc_csv_quote(&b, cells[i][j]);
            }
            sc_buf_puts(&b, round % 2 ? "\r\n" : "\n");
        }
        assert_int_equal(sc_buf_take(&b, &text), SC_OK);
        sc_csv *c = parse(text);
        assert_int_equal(sc_csv_rows(c), rows);
        assert_int_equal(sc_csv_columns(c), columns);
        for (size_t i = 0; i < rows; i++)
            for (size_t j = 0; j < columns; j++)
                assert_string_equal(sc_csv_cell(c, i, j), cells[i][j]);
        sc_csv_close(c);
        sc_free(text);
    }
}

static void test_quote(void **state)
{
    static const struct {
        const char *text, *want;
    } rows[] = {
        {"plain", "plain"},
        {"", ""},
        {"a b", "a b"},
        {"a,b", "\"a,b\""},
        {"a\"b", "\"a\"\"b\""},
        {" a", "\" a\""},
        {"a\t", "\"a\t\""},
        {"a\nb", "\"a\nb\""},
        {"\r", "\"\r\""},
        {"\xEF\xBB\xBF"
         "a",
         "\"\xEF\xBB\xBF"
         "a\""}, /* else it would be skipped as a mark */
        {"\"\"", "\"\"\"\"\"\""},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        sc_buf b;
        sc_buf_init(&b);
        sc_csv_quote(&b, rows[i].text);
        sc_buf_append(&b, "", 0);
        assert_string_equal(b.text, rows[i].want);
        sc_buf_clear(&b);
    }
}

static sc_status read_and_drop(void *payload)
{
    sc_csv *c = NULL;
    const sc_status st = sc_csv_parse(&c, "t.csv", payload, strlen(payload));
    assert_true((st == SC_OK) == (c != NULL));
    sc_csv_close(c);
    return st;
}

static void test_no_memory(void **state)
{
    static char text[2000];
    for (size_t i = 0; i < 400; i++)
        memcpy(text + 4 * i, "1,2\n", 4);
    assert_true(fail_each_allocation(read_and_drop, text) >= 6);
}

/* Rows of a million cells and a million rows are both read in linear time. */
static void test_large(void **state)
{
    enum { N = 500000 };
    static char text[4 * N];
    sc_csv *c = NULL;
    memset(text, ',', 2 * N);
    const double begin = cpu_now();
    assert_int_equal(sc_csv_parse(&c, "t.csv", text, 2 * N), SC_OK);
    assert_int_equal(sc_csv_columns(c), 2 * N + 1);
    sc_csv_close(c);
    for (size_t i = 0; i < N; i++)
        memcpy(text + 4 * i, "1,2\n", 4);
    assert_int_equal(sc_csv_parse(&c, "t.csv", text, 4 * N), SC_OK);
    assert_int_equal(sc_csv_rows(c), N);
    assert_int_equal(sc_csv_line(c, N - 1), N);
    sc_csv_close(c);
    assert_within(begin, 5.0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_tables),     cmocka_unit_test(test_access),
        cmocka_unit_test(test_rejects),    cmocka_unit_test(test_number_errors),
        cmocka_unit_test(test_long_cells), cmocka_unit_test(test_written_reads_back),
        cmocka_unit_test(test_quote),      cmocka_unit_test(test_no_memory),
        cmocka_unit_test(test_large),
    };
    return cmocka_run_group_tests_name("core/csv", tests, NULL, NULL);
}
