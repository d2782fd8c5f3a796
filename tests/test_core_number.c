/* Decimal numbers: exactness, range, and sameness in a locale with a decimal comma. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka wants the four above first */
#include <cmocka.h>
#include <float.h>
#include <locale.h>
#include <math.h>

#include "core/buf.h"
#include "core/number.h"
#include "core/rng.h"
#include "core_support.h"

static void test_span(void **state)
{
    static const struct {
        const char *text;
        size_t want;
    } rows[] = {
        {"12", 2},  {"-1.5e3x", 6}, {".5", 2},   {"7.", 2},     {"7.e1", 4},  {"+3", 2},
        {"1e", 1},  {"1e+", 1},     {"1e+2", 4}, {"1E-02 ", 5}, {".", 0},     {"-", 0},
        {"-.", 0},  {"", 0},        {"x1", 0},   {" 1", 0},     {"1.2.3", 3}, {"0x10", 1},
        {"nan", 0}, {"inf", 0},     {"1,5", 1},  {"--1", 0},    {"1_000", 1}, {"e5", 0},
    };
    for (size_t i = 0; i < COUNT(rows); i++)
        if (sc_number_span(rows[i].text) != rows[i].want)
            fail_msg("\"%s\" spans %zu", rows[i].text, sc_number_span(rows[i].text));
}

static void test_read_table(void **state)
{
    static const struct {
        const char *text;
        int exp10;
        double want; /* written by the compiler, which rounds rightly */
    } rows[] = {
        {"0", 0, 0.0},
        {"-0.0", 3, -0.0},
        {"17", 0, 17.0},
        {"0.1", 0, 0.1},
        {"-2.5e-3", 0, -2.5e-3},
        {"5", -12, 5e-12},
        {"1.4", 9, 1.4e9},
        {"3e2", -5, 3e-3},
        {"9007199254740993.0", 0, 9007199254740992.0},
        {"9007199254740992", 0, 9007199254740992.0},
        {"100000000000000000000", 0, 1e20},
        {"1.7976931348623157e308", 0, DBL_MAX},
        {"5e-324", 0, 0x1p-1074},
        {"0e99999999999", 0, 0.0},
        {"000000000000000000000000000007", 0, 7.0},
        {"0.3", -6, 0.3e-6},
        {"1e308", 0, 1e308},
        {"123456", -6, 0.123456},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        double got = NAN;
        assert_int_equal(sc_number_read(&got, rows[i].text, strlen(rows[i].text), rows[i].exp10),
                         SC_OK);
        if (memcmp(&got, &rows[i].want, sizeof got) != 0)
            fail_msg("%s: %.17g", rows[i].text, got);
    }
    double got = 0;
    assert_int_equal(sc_number_read(&got, "123", 2, 0), SC_OK);
    assert_true(got == 12.0);
}

static void test_read_rejects(void **state)
{
    static const struct {
        const char *text, *says;
    } rows[] = {
        {"1e999", "too large"},
        {"-1e309", "too large"},
        {"1e-999", "too small"},
        {"0.0000001e-320", "too small"},
        {"9007199254740993", "more digits than can be held exactly"},
        {"12345678901234567890", "more digits than can be held exactly"},
        {"18446744073709551615", "more digits than can be held exactly"},
        {"1e99999999999999999999999", "too large"},
    };
    char long_one[402];
    memset(long_one, '1', 401);
    long_one[401] = '\0';
    double got = 42.0;
    for (size_t i = 0; i < COUNT(rows); i++) {
        assert_int_equal(sc_number_read(&got, rows[i].text, strlen(rows[i].text), 0), SC_EINVAL);
        assert_says(rows[i].says);
    }
    assert_int_equal(sc_number_read(&got, long_one, 401, 0), SC_EINVAL);
    assert_says("too long");
    assert_int_equal(sc_number_read(&got, long_one, 0, 0), SC_EINVAL);
    assert_true(got == 42.0);
}

static void test_integer_table(void **state)
{
    static const struct {
        const char *text;
        int64_t want;
    } rows[] = {
        {"0", 0},
        {"-17", -17},
        {"+5", 5},
        {"9223372036854775807", INT64_MAX},
        {"-9223372036854775808", INT64_MIN},
        {"1e6", 1000000},
        {"12.0", 12},
        {"2.5e1", 25},
        {"-0", 0},
        {"9007199254740993", INT64_C(9007199254740993)}, /* no double equals it */
        {"9.007199254740992e15", INT64_C(9007199254740992)},
        {"0000000000000000000000000000013", 13},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        int64_t got = -1;
        assert_int_equal(sc_integer_read(&got, rows[i].text), SC_OK);
        assert_true(got == rows[i].want);
    }
}

static void test_integer_rejects(void **state)
{
    static const struct {
        const char *text, *says;
    } rows[] = {
        {"", "not a whole number"},          {"1.5", "not a whole number"},
        {"x", "not a whole number"},         {"1 ", "not a whole number"},
        {"0x10", "not a whole number"},      {"9223372036854775808", "64 bits"},
        {"-9223372036854775809", "64 bits"}, {"12345678901234567890", "64 bits"},
        {"1e16", "write all digits"},        {"1e999", "too large"},
        {"1e-1", "not a whole number"},
    };
    int64_t got = 42;
    for (size_t i = 0; i < COUNT(rows); i++) {
        assert_int_equal(sc_integer_read(&got, rows[i].text), SC_EINVAL);
        assert_says(rows[i].says);
    }
    assert_true(got == 42);
}

/* A random double of any size: its bits, unless they mean NaN or infinity. */
static double any_double(sc_rng *r)
{
    double v;
    do {
        const uint64_t bits = (uint64_t)gsl_rng_get(&r->gsl) << 32 | (uint64_t)gsl_rng_get(&r->gsl);
        memcpy(&v, &bits, sizeof v);
    } while (!isfinite(v));
    return v;
}

/* Digits of a number's text without the zeros at both ends. */
static size_t significant(const char *text)
{
    size_t n = 0, zeros = 0;
    for (; *text && *text != 'e'; text++) {
        if (*text == '0')
            zeros += n > 0;
        else if (*text >= '1' && *text <= '9') {
            n += zeros + 1;
            zeros = 0;
        }
    }
    return n;
}

/* Against all precisions from 1 up: the first that reads back. */
static void test_shortest_oracle(void **state)
{
    sc_rng r;
    sc_rng_init(&r, 11, 1, 0);
    for (int i = 0; i < 20000; i++) {
        double v = any_double(&r);
        if (i % 3 == 0) /* short ones too */
            v = (double)((int64_t)gsl_rng_get(&r.gsl) - 2000000000) / 1000.0;
        if (i % 31 == 0) /* subnormal ones */
            v = ldexp((double)gsl_rng_uniform_int(&r.gsl, 4000), -1074);
        char want[40], got[40];
        for (int precision = 1; precision <= 17; precision++) {
            snprintf(want, sizeof want, "%.*g", precision, v);
            if (strtod(want, NULL) == v)
                break;
        }
        sc_double_text(got, sizeof got, v);
        assert_true(strtod(got, NULL) == v && signbit(strtod(got, NULL)) == signbit(v));
        if (significant(got) != significant(want))
            fail_msg("%s is longer than %s", got, want);
        double back = NAN;
        assert_int_equal(sc_number_span(got), strlen(got));
        if (strchr(got, 'e') || strchr(got, '.') || fabs(v) < 0x1p53) {
            assert_int_equal(sc_number_read(&back, got, strlen(got), 0), SC_OK);
            assert_true(back == v);
        }
    }
}

static void test_double_text_table(void **state)
{
    static const struct {
        double v;
        const char *want;
    } rows[] = {
        {0.1, "0.1"},
        {1.0, "1"},
        {-0.0, "-0"},
        {1e300, "1e+300"},
        {5e-324, "5e-324"},
        {NAN, "nan"},
        {INFINITY, "inf"},
        {-INFINITY, "-inf"},
        {0.1 + 0.2, "0.30000000000000004"},
        {123456789.0, "123456789"},
        {1.0 / 3.0, "0.3333333333333333"},
    };
    char out[32];
    for (size_t i = 0; i < COUNT(rows); i++) {
        sc_double_text(out, sizeof out, rows[i].v);
        assert_string_equal(out, rows[i].want);
    }
}

/* Make a German locale for this process. @return false if the system cannot. */
static bool enter_german(const char *folder)
{
    char command[256];
    snprintf(command, sizeof command,
             "localedef -c -f UTF-8 -i de_DE ./%s/de_DE.UTF-8 2>%s/log >&2", folder, folder);
    if (system(command) != 0 || setenv("LOCPATH", folder, 1) != 0 ||
        !setlocale(LC_ALL, "de_DE.UTF-8"))
        return false;
    char comma[8];
    snprintf(comma, sizeof comma, "%.1f", 0.5);
    return strcmp(comma, "0,5") == 0;
}

static void test_locale(void **state)
{
    char *folder = make_folder(), command[64], text[40];
    const bool german = enter_german(folder);
    double v = 0;
    int read_ok = -1, message_ok = -1;
    sc_buf b;
    char *printed = NULL;
    if (german) {
        read_ok = sc_number_read(&v, "2.75", 4, 0);
        sc_double_text(text, sizeof text, 0.1);
        sc_buf_init(&b);
        sc_buf_printf(&b, "%g", 1.5);
        assert_int_equal(sc_buf_take(&b, &printed), SC_OK);
        (void)sc_fail(SC_EINVAL, "%g", 2.5);
        message_ok = strcmp(sc_error_message(), "2.5");
    }
    /* the thread's own setting is back: C's own printf still writes a comma */
    char own[8];
    snprintf(own, sizeof own, "%.1f", 0.5);
    setlocale(LC_ALL, "C");
    snprintf(command, sizeof command, "rm -rf ./%s", folder);
    (void)!system(command);
    free(folder);
    if (!german) {
        print_message("SKIPPED: no German locale can be made here\n");
        skip();
    }
    assert_int_equal(read_ok, SC_OK);
    assert_true(v == 2.75);
    assert_string_equal(text, "0.1");
    assert_string_equal(printed, "1.5");
    sc_free(printed);
    assert_int_equal(message_ok, 0);
    assert_string_equal(own, "0,5");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_span),
        cmocka_unit_test(test_read_table),
        cmocka_unit_test(test_read_rejects),
        cmocka_unit_test(test_integer_table),
        cmocka_unit_test(test_integer_rejects),
        cmocka_unit_test(test_shortest_oracle),
        cmocka_unit_test(test_double_text_table),
        cmocka_unit_test(test_locale),
    };
    return cmocka_run_group_tests_name("core/number", tests, NULL, NULL);
}
