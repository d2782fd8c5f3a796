/* Curves of technology tables: points, lines between them, what lies beyond, what is refused. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "arch_support.h"
#include "core/rng.h"

static bool read_curve(sc_curve *out, sc_arena *arena, const char *name, const char *points,
                       char *message, size_t size)
{
    char text[1024];
    sc_yaml *y = NULL;
    snprintf(text, sizeof text, "%s:\n  unit: u\n  points:\n%s", name, points);
    assert_int_equal(sc_yaml_parse(&y, "t", text, strlen(text)), SC_OK);
    const bool ok = sc_curve__read(out, arena, sc_yaml_root(y), 0);
    assert_int_equal(ok ? SC_OK : SC_EPARSE, sc_yaml_status(y));
    if (!ok)
        snprintf(message, size, "%s", sc_error_message());
    sc_yaml_close(y);
    return ok;
}

#define POINT(size, value) "    - {size: " size ", value: " value ", source: s}\n"

static void energy_follows_lines_on_logarithmic_axes(void **state)
{
    sc_template *t = open_template("fast");
    const sc_curve *c = sc_tech__curve(t->tech, NULL, "sram", "_pj");
    assert_non_null(c);
    /* the table's own figures */
    assert_true(sc_curve__at(c, 8 * 1024) == 7.5);
    assert_true(sc_curve__at(c, 32 * 1024) == 8.5);
    assert_true(sc_curve__at(c, 1024 * 1024) == 14);
    /* 16 KiB is half way from 8 to 32 in logarithms: the geometric mean */
    assert_near(sc_curve__at(c, 16 * 1024), sqrt(7.5 * 8.5), 1e-12);
    /* 24 KiB: log(3)/log(4) of the way */
    assert_near(sc_curve__at(c, 24 * 1024), 7.5 * pow(8.5 / 7.5, log(3) / log(4)), 1e-12);
    /* beyond: the first and the last line go on; 2 KiB is as far below 8 as 32 above it */
    assert_near(sc_curve__at(c, 2 * 1024), 7.5 * 7.5 / 8.5, 1e-12);
    assert_near(sc_curve__at(c, 32.0 * 1024 * 1024), 14 * 14 / 8.5, 1e-12);
    assert_true(sc_curve__at(c, 0) == 0);
    sc_template_destroy(t);
}

static void density_is_level_above_its_last_point(void **state)
{
    sc_template *t = open_template("fast");
    const sc_curve *c = sc_tech__curve(t->tech, NULL, "ported", "_mm2_per_mib");
    assert_non_null(c);
    assert_true(sc_curve__at(c, 8 * 1024) == 3.2);
    assert_true(sc_curve__at(c, 12345678) == 3.2);
    assert_true(sc_curve__at(c, 1024) == 4.8);
    assert_near(sc_curve__at(c, 128), 4.8 * 1.5, 1e-12); /* an eighth again, 1.5 again */
    sc_template_destroy(t);
}

static void larger_is_never_cheaper(void **state)
{
    static const char *const NODES[] = {"7nm", "16nm", "45nm"};
    sc_rng r;
    sc_rng_init(&r, 3, 5, 0);
    for (int n = 0; n < 3; n++) {
        sc_tech *t = NULL;
        assert_int_equal(sc_tech__open(&t, NODES[n], NULL), SC_OK);
        for (int i = 0; i < 3000; i++) {
            const double a = floor(exp2(40 * gsl_rng_uniform(&r.gsl))) + 1;
            const double b = a + floor(a * gsl_rng_uniform(&r.gsl)) + 1;
            for (size_t k = 0; k < t->n_curves; k++) {
                const sc_curve *c = &t->curve[k];
                const double va = sc_curve__at(c, a) * (c->flat_above ? a : 1);
                const double vb = sc_curve__at(c, b) * (c->flat_above ? b : 1);
                assert_true(vb >= va * (1 - 1e-14));
            }
        }
        sc_tech__destroy(t);
    }
}

static void powers_of_two_agree_with_their_neighbours(void **state)
{
    sc_arena *arena = NULL;
    sc_curve c;
    assert_int_equal(sc_arena_create(&arena, 0), SC_OK);
    assert_true(read_curve(&c, arena, "x_pj",
                           POINT("3", "5") POINT("700", "11") POINT("9999", "13"), NULL, 0));
    for (int e = 0; e < 50; e++) { /* the stored value against the computed one beside it */
        const double size = ldexp(1, e);
        assert_near(sc_curve__at(&c, size), sc_curve__at(&c, size * (1 + 1e-12)), 1e-11);
    }
    assert_true(sc_curve__at(&c, 700) == 11);
    sc_arena_destroy(arena);
}

static void one_point_is_a_constant(void **state)
{
    sc_arena *arena = NULL;
    sc_curve c;
    assert_int_equal(sc_arena_create(&arena, 0), SC_OK);
    assert_true(read_curve(&c, arena, "x_pj", POINT("1 KiB", "5"), NULL, 0));
    assert_true(sc_curve__at(&c, 3) == 5);
    assert_true(sc_curve__at(&c, 12345) == 5);
    sc_arena_destroy(arena);
}

static void broken_curves_are_refused_at_their_place(void **state)
{
    static const struct {
        const char *name, *points, *message;
    } CASES[] = {
        {"x_pj", POINT("8", "7") POINT("4", "8"), "t:5:14: error: sizes must ascend"},
        {"x_pj", POINT("8", "7") POINT("8", "8"), "t:5:14: error: sizes must ascend"},
        {"x_pj", POINT("8", "7") POINT("16", "6"), "t:5:7: error: a larger memory costs less"},
        {"x_mm2_per_mib", POINT("8", "7") POINT("16", "3"), "t:5:7: error: a larger memory takes"},
        {"x_pj", POINT("8", "0"), "t:4:7: error: a point needs"},
        {"x_pj", POINT("0", "1"), "t:4:7: error: a point needs"},
        {"x_pj", POINT("8", "-1"), "t:4:7: error: a point needs"},
        {"x_pj", POINT("8", "1e999"), "t:4:24: error:"},
        {"x_pj", "    - {size: 8, value: 7}\n", "t:4:7: error:"},
        {"x_pj", "    []\n", "t:4:5: error: a curve has 1 to 32 points"},
        {"power", POINT("8", "7"), "t:1:1: error: a curve is an energy"},
        {"x_pj", "    - {size: 8, value: 7, source: s, extra: 1}\n", "t:4:38: error: unknown key"},
    };
    sc_arena *arena = NULL;
    assert_int_equal(sc_arena_create(&arena, 0), SC_OK);
    for (size_t i = 0; i < sizeof CASES / sizeof CASES[0]; i++) {
        char message[1024] = "";
        sc_curve c = {.n = 4711};
        assert_false(
            read_curve(&c, arena, CASES[i].name, CASES[i].points, message, sizeof message));
        if (strncmp(message, CASES[i].message, strlen(CASES[i].message)) != 0)
            fail_msg("case %zu: %s", i, message);
        assert_int_equal(c.n, 4711);
    }
    sc_arena_destroy(arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(energy_follows_lines_on_logarithmic_axes),
        cmocka_unit_test(density_is_level_above_its_last_point),
        cmocka_unit_test(larger_is_never_cheaper),
        cmocka_unit_test(powers_of_two_agree_with_their_neighbours),
        cmocka_unit_test(one_point_is_a_constant),
        cmocka_unit_test(broken_curves_are_refused_at_their_place),
    };
    return cmocka_run_group_tests(tests, use_source_configs, NULL);
}
