/* What reaches the terminal: escapes, widths, wrapping, tables, values of JSON, the progress line.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/progress.h"
#include "cli/show.h"
#include "cli/table.h"
#include "cli/text.h"

/* What a writer puts into a stream. */
static char *captured;
static size_t captured_n;
static FILE *capture(void)
{
    FILE *out = open_memstream(&captured, &captured_n);
    assert_non_null(out);
    return out;
}

static void assert_captured(FILE *out, const char *expected)
{
    assert_int_equal(fclose(out), 0);
    assert_string_equal(captured, expected);
    free(captured);
}

static void test_safe_text(void **state)
{
    static const struct {
        const char *text, *shown;
        size_t width;
    } cases[] = {
        {"plain", "plain", 5},
        {"", "", 0},
        {"caf\xC3\xA9", "caf\xC3\xA9", 4},
        {"\xE6\xBC\xA2", "\xE6\xBC\xA2", 2},         /* wide */
        {"e\xCC\x81", "e\xCC\x81", 1},               /* combining accent */
        {"\xF0\x9F\x98\x80", "\xF0\x9F\x98\x80", 2}, /* pictograph */
        {"a\033[31mb", "a\\x1b[31mb", 10},           /* colour */
        {"a\nb\tc\r", "a\\nb\\tc\\x0d", 11},         /* line end, tab, return */
        {"\x7F", "\\x7f", 4},                        /* delete */
        {"\xC2\x9B"
         "31m",
         "\\u009b31m", 9},                       /* C1: a one-character CSI */
        {"\xE2\x80\xAE", "\\u202e", 6},          /* right-to-left override */
        {"\xE2\x81\xA6", "\\u2066", 6},          /* isolate */
        {"\xFF\xC3", "\\xff\\xc3", 8},           /* no UTF-8 */
        {"\xC0\xAF", "\\xc0\\xaf", 8},           /* overlong '/' */
        {"\xED\xA0\x80", "\\xed\\xa0\\x80", 12}, /* surrogate */
        {"<script>'\"", "<script>'\"", 10},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        FILE *out = capture();
        sc_cli_put_safe(out, cases[i].text);
        assert_captured(out, cases[i].shown);
        assert_int_equal(sc_cli_width(cases[i].text), cases[i].width);
    }
    FILE *out = capture();
    sc_cli_put_safe_n(out, "caf\xC3\xA9", 4); /* cut inside a character */
    assert_captured(out, "caf\\xc3");
}

static void test_wrapping(void **state)
{
    FILE *out = capture();
    sc_cli_put_wrapped(out, "one two three four", 4, 2, 11);
    assert_captured(out, "one two\n  three\n  four");
    out = capture();
    sc_cli_put_wrapped(out, "a\nb\n\nc", 0, 1, 80); /* line ends stay, an empty line too */
    assert_captured(out, "a\n b\n\n c");
    out = capture();
    sc_cli_put_wrapped(out, "immeasurable word", 0, 0, 4); /* longer than the line */
    assert_captured(out, "immeasurable\nword");
}

static void test_table(void **state)
{
    static const sc_cli_column columns[] = {{"name", false}, {"n", true}, {"last", false}};
    sc_cli_table table;
    FILE *out = capture();

    sc_cli_table_begin(&table, columns, 3);
    sc_cli_table_cell(&table, "%s", "\xE6\xBC\xA2\xE6\xBC\xA2");
    sc_cli_table_cell(&table, "%d", 7);
    sc_cli_table_cell(&table, "x");
    sc_cli_table_cell(&table, "%s", "a\033b");
    sc_cli_table_cell(&table, "%d", 12345);
    sc_cli_table_cell(&table, "y");
    assert_int_equal(sc_cli_table_end(&table, out, false), SC_OK);
    assert_captured(out, "name        n  last\n"
                         "\xE6\xBC\xA2\xE6\xBC\xA2        7  x\n"
                         "a\\x1bb  12345  y\n");
}

static void test_values(void **state)
{
    static const struct {
        const char *json;
        sc_cli_form form;
        const char *shown;
    } cases[] = {
        {"385756160", SC_CLI_AS_COUNT, "385,756,160"},
        {"999", SC_CLI_AS_COUNT, "999"},
        {"1000", SC_CLI_AS_COUNT, "1,000"},
        {"-1000", SC_CLI_AS_COUNT, "-1,000"},
        {"-100", SC_CLI_AS_COUNT, "-100"},
        {"9223372036854775807", SC_CLI_AS_COUNT, "9,223,372,036,854,775,807"},
        {"0.12345", SC_CLI_AS_PERCENT, "12.3 %"},
        {"12345.678", SC_CLI_AS_NUMBER, "1.235e+04"},
        {"2097152", SC_CLI_AS_BYTES, "2.00 MiB"},
        {"null", SC_CLI_AS_NUMBER, "-"},
        {"true", SC_CLI_AS_TEXT, "yes"},
        {"false", SC_CLI_AS_TEXT, "no"},
        {"\"text\"", SC_CLI_AS_TEXT, "text"},
        {"7", SC_CLI_AS_TEXT, "7"},
        {"12.5", SC_CLI_AS_MM2, "12.5 mm2"},
        {"250", SC_CLI_AS_RATE, "250/s"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char shown[64];
        json_t *value = json_loads(cases[i].json, JSON_DECODE_ANY, NULL);
        assert_non_null(value);
        sc_cli_format(shown, sizeof shown, value, cases[i].form);
        assert_string_equal(shown, cases[i].shown);
        json_decref(value);
    }
    char small[8];
    json_t *value = json_integer(123456789);
    sc_cli_format(small, sizeof small, value, SC_CLI_AS_COUNT); /* cut, never past the end */
    assert_true(strlen(small) < sizeof small);
    json_decref(value);
}

static void test_paths(void **state)
{
    json_t *root = json_loads("{\"a\": {\"b\": {\"c\": 3}}, \"ab\": 5}", 0, NULL);
    assert_int_equal(json_integer_value(sc_cli_find(root, "a.b.c")), 3);
    assert_int_equal(json_integer_value(sc_cli_find(root, "ab")), 5);
    assert_null(sc_cli_find(root, "a.x.c"));
    assert_null(sc_cli_find(root, "ab.c"));
    assert_null(sc_cli_find(NULL, "a"));
    json_decref(root);
}

static void test_progress_line(void **state)
{
    char line[160];
    sc_progress now = {.done = 312,
                       .total = 1000,
                       .feasible = 78,
                       .best = 183.06,
                       .elapsed_s = 7.5,
                       .rate_per_s = 41.23,
                       .eta_s = 16.7};
    sc_cli_progress_text(line, sizeof line, &now, sc_cli_trials);
    assert_string_equal(line, "312/1000 trials  41.2/s  best 183.1  25 % feasible  ETA 0:17");
    now = (sc_progress){.best = NAN, .eta_s = NAN};
    sc_cli_progress_text(line, sizeof line, &now, sc_cli_trials);
    assert_string_equal(line, "0 trials  0/s");
    now = (sc_progress){.done = 1, .best = NAN, .eta_s = 3661};
    sc_cli_progress_text(line, sizeof line, &now, sc_cli_trials);
    assert_string_equal(line, "1 trials  0/s  0 % feasible  ETA 1:01:01");
    now = (sc_progress){.done = 1, .best = NAN, .eta_s = 864000};
    sc_cli_progress_text(line, sizeof line, &now, sc_cli_trials);
    assert_string_equal(line, "1 trials  0/s  0 % feasible  ETA 10 days");
    sc_cli_progress_text(line, sizeof line, &now, sc_cli_moves);
    assert_string_equal(line, "1 moves  0/s  ETA 10 days");
    now.eta_s = INFINITY;
    sc_cli_progress_text(line, 24, &now, sc_cli_trials); /* cut, never past the end */
    assert_true(strlen(line) < 24);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_safe_text), cmocka_unit_test(test_wrapping),
        cmocka_unit_test(test_table),     cmocka_unit_test(test_values),
        cmocka_unit_test(test_paths),     cmocka_unit_test(test_progress_line),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
