/* Quantities: exact values of every unit, what is refused and how it is said, and printing. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka wants the four above first */
#include <cmocka.h>
#include <math.h>

#include "core/rng.h"
#include "core/units.h"
#include "core_support.h"

static const struct {
    const char *text;
    sc_unit unit;
    double want; /* rounded once, by the compiler */
} quantities[] = {
    {"7", SC_UNIT_NONE, 7},
    {"3 Ki", SC_UNIT_NONE, 3072},
    {"2 MiB", SC_UNIT_BYTES, 2097152},
    {"2MiB", SC_UNIT_BYTES, 2097152},
    {"2 MB", SC_UNIT_BYTES, 2e6},
    {"3 kB", SC_UNIT_BYTES, 3000},
    {"3 KiB", SC_UNIT_BYTES, 3072},
    {"5 GiB", SC_UNIT_BYTES, 5368709120.0},
    {"7 TiB", SC_UNIT_BYTES, 7696581394432.0},
    {"11 GB", SC_UNIT_BYTES, 11e9},
    {"13 TB", SC_UNIT_BYTES, 13e12},
    {"17 B", SC_UNIT_BYTES, 17},
    {"19", SC_UNIT_BYTES, 19},
    {"16Ki", SC_UNIT_BYTES, 16384},
    {"1 Ti", SC_UNIT_BYTES, 0x1p40},
    {"0.5 KiB", SC_UNIT_BYTES, 512},
    {"24 bit", SC_UNIT_BYTES, 3},
    {"3 kbit", SC_UNIT_BYTES, 375},
    {"5 Kibit", SC_UNIT_BYTES, 640},
    {"7 Mbit", SC_UNIT_BYTES, 875000},
    {"3 Mibit", SC_UNIT_BYTES, 393216},
    {"3 Gibit", SC_UNIT_BYTES, 402653184},
    {"1.4 GHz", SC_UNIT_HZ, 1.4e9},
    {"940 MHz", SC_UNIT_HZ, 940e6},
    {"3 kHz", SC_UNIT_HZ, 3000},
    {"0.3 THz", SC_UNIT_HZ, 0.3e12},
    {"448 GB/s", SC_UNIT_BYTES_PER_S, 448e9},
    {"3 MiB/s", SC_UNIT_BYTES_PER_S, 3145728},
    {"56 Gbit/s", SC_UNIT_BYTES_PER_S, 7e9},
    {"1.2 TB/s", SC_UNIT_BYTES_PER_S, 1.2e12},
    {"250 W", SC_UNIT_WATT, 250},
    {"0.1 mW", SC_UNIT_WATT, 0.1e-3},
    {"3 uW", SC_UNIT_WATT, 3e-6},
    {"2 MW", SC_UNIT_WATT, 2e6},
    {"5 pJ", SC_UNIT_JOULE, 5e-12},
    {"0.7 fJ", SC_UNIT_JOULE, 0.7e-15},
    {"1.1 nJ", SC_UNIT_JOULE, 1.1e-9},
    {"3 kJ", SC_UNIT_JOULE, 3000},
    {"3 ms", SC_UNIT_SECOND, 3e-3},
    {"7 us", SC_UNIT_SECOND, 7e-6},
    {"7 \xC2\xB5s", SC_UNIT_SECOND, 7e-6},
    {"7 \xCE\xBCs", SC_UNIT_SECOND, 7e-6},
    {"10 min", SC_UNIT_SECOND, 600},
    {"1.5 h", SC_UNIT_SECOND, 5400},
    {"0.3 mm2", SC_UNIT_AREA_M2, 0.3e-6},
    {"7 um2", SC_UNIT_AREA_M2, 7e-12},
    {"3 cm2", SC_UNIT_AREA_M2, 3e-4},
    {"7 nm", SC_UNIT_METRE, 7e-9},
    {"0.1 um", SC_UNIT_METRE, 0.1e-6},
    {"3 cm", SC_UNIT_METRE, 0.03},
    {"-5 W", SC_UNIT_WATT, -5},
    {"1e3 MHz", SC_UNIT_HZ, 1e9},
};

static void test_table(void **state)
{
    for (size_t i = 0; i < COUNT(quantities); i++) {
        double got = NAN;
        assert_int_equal(sc_quantity_parse(&got, quantities[i].text, quantities[i].unit), SC_OK);
        if (got != quantities[i].want)
            fail_msg("%s is %.17g, not %.17g", quantities[i].text, got, quantities[i].want);
    }
}

static void test_rejects(void **state)
{
    static const struct {
        const char *text;
        sc_unit unit;
        const char *says;
    } rows[] = {
        {"2 KB", SC_UNIT_BYTES, "KB is ambiguous: write kB (1000) or KiB (1024)"},
        {"2 KB/s", SC_UNIT_BYTES_PER_S, "KB/s is ambiguous"},
        {"2 mib", SC_UNIT_BYTES, "'2 mib' is not a size: the unit may be B, kB, MB"},
        {"2 Mib", SC_UNIT_BYTES, "(did you mean 'MiB'?)"},
        {"2 MHZ", SC_UNIT_HZ, "Hz, kHz, MHz, GHz, THz (did you mean 'MHz'?)"},
        {"2 GHz", SC_UNIT_BYTES, "is not a size"},
        {"2 GB", SC_UNIT_BYTES_PER_S, "is not a bandwidth"},
        {"2 GB/s", SC_UNIT_BYTES, "is not a size"},
        {"5 W", SC_UNIT_NONE, "is not a number"},
        {"5  W", SC_UNIT_WATT, "is not a power"},
        {"5 W ", SC_UNIT_WATT, "is not a power"},
        {"5 ", SC_UNIT_WATT, "is not a power"},
        {" 5", SC_UNIT_WATT, "is not a power"},
        {"", SC_UNIT_SECOND, "is not a time"},
        {"nan", SC_UNIT_JOULE, "is not an energy"},
        {"inf W", SC_UNIT_WATT, "is not a power"},
        {"0x10", SC_UNIT_NONE, "is not a number"},
        {"1,5 mm2", SC_UNIT_AREA_M2, "is not an area"},
        {"1 m2", SC_UNIT_METRE, "is not a length"},
        {"1e999", SC_UNIT_NONE, "too large"},
        {"1e300 TiB", SC_UNIT_BYTES, "too large"},
        {"1e306 h", SC_UNIT_SECOND, "too large"},
        {"1e308 kW", SC_UNIT_WATT, "too large"},
        {"12345678901234567890", SC_UNIT_NONE, "more digits than can be held exactly"},
        {"12345678901234567890 B", SC_UNIT_BYTES, "more digits than can be held exactly"},
    };
    double got = 42;
    for (size_t i = 0; i < COUNT(rows); i++) {
        assert_int_equal(sc_quantity_parse(&got, rows[i].text, rows[i].unit), SC_EINVAL);
        assert_says(rows[i].says);
    }
    assert_true(got == 42);
}

static void test_format(void **state)
{
    static const struct {
        double si;
        sc_unit unit;
        const char *want;
    } rows[] = {
        {1.4e9, SC_UNIT_HZ, "1.40 GHz"},
        {2097152, SC_UNIT_BYTES, "2.00 MiB"},
        {17, SC_UNIT_BYTES, "17 B"},
        {1023, SC_UNIT_BYTES, "1023 B"},
        {1048575, SC_UNIT_BYTES, "1.00 MiB"},
        {12.5 * 0x1p30, SC_UNIT_BYTES, "12.5 GiB"},
        {448e9, SC_UNIT_BYTES_PER_S, "448 GB/s"},
        {250, SC_UNIT_WATT, "250 W"},
        {0.0325, SC_UNIT_WATT, "32.5 mW"},
        {999.9e3, SC_UNIT_HZ, "1.00 MHz"},
        {999.4e3, SC_UNIT_HZ, "999 kHz"},
        {3.25e-3, SC_UNIT_JOULE, "3.25 mJ"},
        {0.9996e-12, SC_UNIT_JOULE, "1.00 pJ"},
        {331e-6, SC_UNIT_AREA_M2, "331 mm2"},
        {7e-9, SC_UNIT_METRE, "7.00 nm"},
        {90, SC_UNIT_SECOND, "1.50 min"},
        {5400, SC_UNIT_SECOND, "1.50 h"},
        {-1.4e9, SC_UNIT_HZ, "-1.40 GHz"},
        {0, SC_UNIT_JOULE, "0 J"},
        {0, SC_UNIT_AREA_M2, "0 mm2"},
        {1e-20, SC_UNIT_JOULE, "1e-05 fJ"},
        {4e14, SC_UNIT_WATT, "4e+08 MW"},
        {NAN, SC_UNIT_WATT, "nan W"},
        {INFINITY, SC_UNIT_HZ, "inf Hz"},
        {1.5, SC_UNIT_AREA_M2, "1.50 m2"},
        {5e304, SC_UNIT_AREA_M2, "5e+304 m2"},
        {12345, SC_UNIT_NONE, "1.23e+04"},
        {0.125, SC_UNIT_NONE, "0.125"},
    };
    char out[32];
    for (size_t i = 0; i < COUNT(rows); i++) {
        sc_quantity_format(out, sizeof out, rows[i].si, rows[i].unit);
        assert_string_equal(out, rows[i].want);
    }
    sc_quantity_format(out, 4, 1.4e9, SC_UNIT_HZ); /* cut, and terminated */
    assert_string_equal(out, "1.4");
}

/* What is printed reads back, in the same kind, to within three digits. */
static void test_format_reads_back(void **state)
{
    sc_rng r;
    sc_rng_init(&r, 5, 1, 0);
    for (int i = 0; i < 5000; i++) {
        const sc_unit unit = (sc_unit)(i % (SC_UNIT_METRE + 1));
        const double v = pow(10.0, -20.0 + 40.0 * gsl_rng_uniform(&r.gsl));
        char out[32];
        double back = NAN;
        sc_quantity_format(out, sizeof out, v, unit);
        assert_int_equal(sc_quantity_parse(&back, out, unit), SC_OK);
        if (fabs(back - v) > 5.01e-3 * v)
            fail_msg("%.17g prints as %s", v, out);
    }
}

static void test_exact(void **state)
{
    static const struct {
        double si;
        sc_unit unit;
        const char *want;
    } rows[] = {
        {2097152, SC_UNIT_BYTES, "2 MiB"},
        {49152, SC_UNIT_BYTES, "48 KiB"},
        {1536, SC_UNIT_BYTES, "1536 B"},
        {0, SC_UNIT_BYTES, "0 B"},
        {940e6, SC_UNIT_HZ, "940 MHz"},
        {1.5, SC_UNIT_WATT, "1500 mW"},
        {7, SC_UNIT_NONE, "7"},
        {0.1, SC_UNIT_NONE, "0.1"},
        {448e9, SC_UNIT_BYTES_PER_S, "448 GB/s"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char text[32];
        sc_quantity_exact(text, sizeof text, rows[i].si, rows[i].unit);
        assert_string_equal(text, rows[i].want);
    }
}

/* Any value of any kind, near whole numbers and not. */
static void test_exact_reads_back(void **state)
{
    sc_rng r;
    sc_rng_init(&r, 11, 1, 0);
    for (int i = 0; i < 20000; i++) {
        const sc_unit unit = (sc_unit)(i % (SC_UNIT_METRE + 1));
        const double scale = pow(10.0, floor(30.0 * gsl_rng_uniform(&r.gsl)) - 15.0);
        const double whole = floor(5000.0 * gsl_rng_uniform(&r.gsl)) * scale;
        const double value = i % 3 == 0 ? nextafter(whole, (double)INFINITY) : whole;
        char text[64];
        double back = -1;
        sc_quantity_exact(text, sizeof text, value, unit);
        assert_int_equal(sc_quantity_parse(&back, text, unit), SC_OK);
        assert_true(back == value);
    }
}

static void test_symbols(void **state)
{
    (void)state;
    assert_string_equal(sc_unit_symbol(SC_UNIT_BYTES), "B");
    assert_string_equal(sc_unit_symbol(SC_UNIT_AREA_M2), "m2");
    assert_string_equal(sc_unit_symbol(SC_UNIT_NONE), "");
    for (int u = SC_UNIT_NONE; u <= SC_UNIT_METRE; u++)
        assert_int_equal(sc_unit_of_symbol(sc_unit_symbol((sc_unit)u)), u);
    assert_int_equal(sc_unit_of_symbol("parsec"), SC_UNIT_NONE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_table),   cmocka_unit_test(test_rejects),
        cmocka_unit_test(test_format),  cmocka_unit_test(test_format_reads_back),
        cmocka_unit_test(test_exact),   cmocka_unit_test(test_exact_reads_back),
        cmocka_unit_test(test_symbols),
    };
    return cmocka_run_group_tests_name("core/units", tests, NULL, NULL);
}
