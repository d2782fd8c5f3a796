/* Points as text, and spaces from YAML. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka wants the four above first */
#include <cmocka.h>
#include <stdio.h>
#include <string.h>

#include "core/mem.h"
#include "search/space.h"

/* Read a text; on failure the message is left for the caller. */
static sc_status read_text(sc_space **out, const char *text)
{
    sc_yaml *y = NULL;
    sc_status st = sc_yaml_parse(&y, "space.yaml", text, strlen(text));
    if (st == SC_OK)
        st = sc_space_from_yaml(out, y);
    sc_yaml_close(y);
    return st;
}

static sc_space *must_read(const char *text)
{
    sc_space *s = NULL;
    const sc_status st = read_text(&s, text);
    if (st != SC_OK)
        print_message("%s\n", sc_error_message());
    assert_int_equal(st, SC_OK);
    return s;
}

static const char WHOLE[] =
    "version: 1\n"
    "name: whole\n"
    "about: every form of a parameter\n"
    "parameters:\n"
    "  - {name: banks, kind: log2, min: 2, max: 16, first: [0, 1]}\n"
    "  - {name: rows, kind: int, min: -3, max: 11, step: 7}\n"
    "  - {name: size, kind: ordinal, unit: B, values: [1 KiB, 3KiB, 1 MiB],\n"
    "     default: 3 KiB, about: scratchpad}\n"
    "  - {name: mode, kind: categorical, values: [off, private, shared],\n"
    "     default: private}\n"
    "  - {name: ways, kind: int, min: 1, max: 4, when: \"mode != 'off'\"}\n"
    "restrict:\n"
    "  size: [1 MiB, 1 KiB]\n"
    "  rows: 4\n"
    "constraints:\n"
    "  fits: banks * size <= 8Mi\n"
    "  \"odd 'name'\": banks != 1\n";

static void test_reads_every_form(void **state)
{
    static const double banks[] = {0, 1, 2, 4, 8, 16};
    sc_space *s = must_read(WHOLE);
    assert_string_equal(sc_space_name(s), "whole");
    assert_int_equal(sc_space_params(s), 5);
    const sc_space_param *p = sc_space_param_at(s, 0);
    assert_int_equal(p->n_values, 6);
    assert_memory_equal(p->values, banks, sizeof banks);
    assert_true(p->kind == SC_SPACE_LOG2);
    p = sc_space_param_at(s, 1); /* -3 4 11, of which 4 is kept */
    assert_true(p->n_values == 1 && p->values[0] == 4 && p->kind == SC_SPACE_INT);
    p = sc_space_param_at(s, 2);
    assert_true(p->n_values == 2 && p->values[0] == 1024 && p->values[1] == 1048576);
    assert_int_equal(p->fallback, 0); /* 3 KiB was restricted away */
    p = sc_space_param_at(s, 3);
    assert_true(p->kind == SC_SPACE_CATEGORICAL && p->fallback == 1);
    assert_string_equal(p->labels[0], "off");
    assert_string_equal(sc_space_condition(s, 4), "mode != 'off'");
    assert_int_equal(sc_space_constraints(s), 2);
    assert_string_equal(sc_space_constraint_name(s, 1), "odd 'name'");
    const uint32_t breaks[][5] = {{5, 0, 1, 1, 0}, {1, 0, 0, 1, 0}, {4, 0, 1, 1, 0}};
    assert_int_equal(sc_space_broken(s, breaks[0]), 0);
    assert_int_equal(sc_space_broken(s, breaks[1]), 1);
    assert_int_equal(sc_space_broken(s, breaks[2]), SIZE_MAX);
    sc_space_destroy(s);
}

/* A condition may name a parameter that comes later. */
static void test_condition_on_a_later_one(void **state)
{
    sc_space_size size;
    sc_space *s = must_read("version: 1\nname: later\nparameters:\n"
                            "  - {name: a, kind: int, min: 1, max: 5, when: b > 2}\n"
                            "  - {name: b, kind: int, min: 1, max: 3}\n");
    sc_space_size_of(s, &size);
    assert_int_equal(size.distinct_exact, 1 + 1 + 5);
    sc_space_destroy(s);
}

#define HEAD "version: 1\nname: bad\nparameters:\n"

/* Each bad text, and what the message must hold: place or reason. */
static const char *const bad_spaces[][2] = {
    {"version: 1\nname: bad\n", "parameters"},
    {"version: 2\nname: bad\nparameters:\n  - {name: a, kind: int, min: 1, max: 2}\n",
     "space.yaml:1:10: error:"},
    {"name: bad\nparameters:\n  - {name: a, kind: int, min: 1, max: 2}\n", "version"},
    {"[1, 2]\n", "space.yaml:1:1: error:"},
    {HEAD "  {}\n", "space.yaml:4:3: error:"},
    {HEAD "  []\n", "space.yaml:4:3: error: the parameters are a list of one or more"},
    {HEAD "  - 3\n", "space.yaml:4:5: error: a parameter is a map"},
    {HEAD "  - {name: a, kind: imt, min: 1, max: 2}\n", "did you mean 'int'?"},
    {HEAD "  - {name: a, kind: int, min: 1, max: 2, stap: 3}\n", "did you mean 'step'?"},
    {HEAD "  - {name: a b, kind: int, min: 1, max: 2}\n", "space.yaml:4:12: error:"},
    {HEAD "  - {name: a, kind: int, min: 1}\n", "max"},
    {HEAD "  - {name: a, kind: int, min: 1, max: 4, step: 2}\n", "whole number of steps"},
    {HEAD "  - {name: a, kind: int, min: 1.5, max: 2.5}\n", "whole numbers"},
    {HEAD "  - {name: a, kind: int, min: 1, max: 0}\n", "whole number of steps"},
    {HEAD "  - {name: a, kind: int, min: 0, max: 1e15}\n", "1 to 1048576 values"},
    {HEAD "  - {name: a, kind: int, min: 0, max: 1e999}\n", "space.yaml:4:39: error: 1e999"},
    {HEAD "  - {name: a, kind: log2, min: 3, max: 18}\n", "times a power of two"},
    {HEAD "  - {name: a, kind: log2, min: 4, max: 2}\n", "times a power of two"},
    {HEAD "  - {name: a, kind: log2, min: 1, max: 2, first: 0}\n", "first"},
    {HEAD "  - {name: a, kind: log2, min: 1, max: 2, first: [1]}\n", "must ascend"},
    {HEAD "  - {name: a, kind: ordinal, values: []}\n", "1 to 1048576 values"},
    {HEAD "  - {name: a, kind: ordinal, values: [2, 2]}\n", "must ascend"},
    {HEAD "  - {name: a, kind: ordinal, values: [2 KiB]}\n", "space.yaml:4:39: error:"},
    {HEAD "  - {name: a, kind: ordinal, unit: KB, values: [2]}\n", "'KB' is none of"},
    {HEAD "  - {name: a, kind: ordinal, values: [2], default: 3}\n", "no value of a"},
    {HEAD "  - {name: a, kind: categorical, values: []}\n", "1 to 1048576 values"},
    {HEAD "  - {name: a, kind: categorical, values: [x, x]}\n", "twice"},
    {HEAD "  - {name: a, kind: categorical, values: [[x]]}\n", "a label is a text"},
    {HEAD "  - {name: a, kind: categorical, values: [x], default: y}\n", "no value of a"},
    {HEAD "  - {name: a, kind: int, min: 1, max: 2, when: a > 1}\n", "circle"},
    {HEAD "  - {name: a, kind: int, min: 1, max: 2, when: bb > 1}\n",
     "space.yaml:4:48: error: unknown name"},
    {HEAD "  - {name: a, kind: int, min: 1, max: 2}\n"
          "  - {name: a, kind: int, min: 1, max: 2}\n",
     "space.yaml:5:12: error:"},
    {HEAD "  - {name: a, kind: int, min: 1, max: 2}\nrestrict: 3\n", "space.yaml:5:11: error:"},
    {HEAD "  - {name: abc, kind: int, min: 1, max: 2}\nrestrict: {abd: 3}\n",
     "no parameter 'abd' (did you mean 'abc'?)"},
    {HEAD "  - {name: a, kind: int, min: 1, max: 2}\nrestrict: {a: 3}\n",
     "space.yaml:5:15: error: 3 is no value of a; the nearest: 2"},
    {HEAD "  - {name: a, kind: int, min: 1, max: 2}\nrestrict: {a: []}\n", "no value is left"},
    {HEAD "  - {name: a, kind: int, min: 1, max: 2}\nrestrict: {a: [1, 1]}\n", "kept already"},
    {HEAD "  - {name: a, kind: int, min: 1, max: 2}\nrestrict: {a: [[1]]}\n", "or a list"},
    {HEAD "  - {name: a, kind: int, min: 1, max: 2}\nconstraints: [a]\n",
     "space.yaml:5:14: error:"},
    {HEAD "  - {name: a, kind: int, min: 1, max: 2}\nconstraints: {r: a <}\n", "space.yaml:5:"},
    {HEAD "  - {name: a, kind: int, min: 1, max: 2}\nconstraints: {r: [a]}\n",
     "space.yaml:5:18: error:"},
    {HEAD "  - {name: a, kind: int, min: 1, max: 2}\nconstraints: {\"\": a > 1}\n",
     "a constraint has a name"},
    {HEAD "  - {name: a, kind: int, min: 1, max: 2}\nconstrains: {}\n",
     "did you mean 'constraints'?"},
};

static void test_rejects_with_its_place(void **state)
{
    for (size_t i = 0; i < sizeof bad_spaces / sizeof *bad_spaces; i++) {
        sc_space *s = NULL;
        assert_int_equal(read_text(&s, bad_spaces[i][0]), SC_EPARSE);
        assert_null(s);
        if (!strstr(sc_error_message(), bad_spaces[i][1]))
            fail_msg("'%s' is not in:\n%s\nof\n%s", bad_spaces[i][1], sc_error_message(),
                     bad_spaces[i][0]);
    }
}

static void test_reports_every_error(void **state)
{
    sc_space *s = NULL;
    assert_int_equal(read_text(&s, HEAD "  - {name: a, kind: int, min: 3, max: 2}\n"
                                        "  - {name: b, kind: log2, min: 3, max: 4}\n"
                                        "  - {name: c, kind: ordinal, values: [1]}\n"
                                        "restrict: {c: 2}\nconstraints: {r: c <}\nx: 1\n"),
                     SC_EPARSE);
    for (int line = 4; line <= 9; line++) {
        char place[32];
        snprintf(place, sizeof place, "space.yaml:%d:", line);
        if (line != 6)
            assert_non_null(strstr(sc_error_message(), place));
    }
    assert_null(s);
}

static void test_opens_no_file(void **state)
{
    sc_space *s = NULL;
    assert_int_equal(sc_space_open(&s, "no/such/space.yaml"), SC_ENOTFOUND);
    assert_null(s);
}

/* ---- points as text ---- */

static const char LABELS[] = HEAD "  - {name: a, kind: log2, unit: B, min: 1 KiB, max: 1 MiB}\n"
                                  "  - {name: b, kind: ordinal, values: [-0.1, 1e-9, 1e300]}\n"
                                  "  - name: c\n"
                                  "    kind: categorical\n"
                                  "    values: [x, 'a,b', 'it''s', 'p=q', '<script>', ' lead', "
                                  "\"l\\nm\", '''', '../up', 'ä']\n";

static void check_text(const sc_space *s, const uint32_t *point, const char *want)
{
    sc_buf b;
    uint32_t back[8];
    sc_buf_init(&b);
    sc_space_text(s, point, &b);
    assert_int_equal(b.status, SC_OK);
    if (want)
        assert_string_equal(b.text, want);
    assert_int_equal(sc_space_parse(s, b.text, back), SC_OK);
    assert_memory_equal(back, point, sc_space_params(s) * sizeof *point);
    sc_buf_clear(&b);
}

static void test_text_of_points(void **state)
{
    sc_space *s = must_read(LABELS);
    const uint32_t odd[] = {4, 1, 2}, plain[] = {0, 2, 0};
    check_text(s, odd, "a=16384,b=1e-09,c='it''s'");
    check_text(s, plain, "a=1024,b=1e+300,c=x");
    for (uint64_t rank = 0; rank < 11 * 3 * 10; rank++) {
        uint32_t point[3];
        sc_space_unrank(s, rank, point);
        check_text(s, point, NULL);
    }
    sc_space_destroy(s);
}

static void test_parses_loosely(void **state)
{
    static const struct {
        const char *text;
        uint32_t want[3];
    } k[] = {
        {"", {0, 0, 0}},
        {"  ", {0, 0, 0}},
        {"b=1e-9", {0, 1, 0}},
        {" c = 'a,b' , a = 16 KiB ", {4, 0, 1}},
        {"c='''',a=0.5MiB", {9, 0, 7}},
        {"a=16384,", {4, 0, 0}},
    };
    sc_space *s = must_read(LABELS);
    for (size_t i = 0; i < sizeof k / sizeof *k; i++) {
        uint32_t point[3] = {9, 9, 9};
        assert_int_equal(sc_space_parse(s, k[i].text, point), SC_OK);
        assert_memory_equal(point, k[i].want, sizeof point);
    }
    sc_space_destroy(s);
}

static void test_parse_makes_canonical(void **state)
{
    uint32_t point[2];
    sc_space *s = must_read(HEAD "  - {name: a, kind: int, min: 0, max: 1}\n"
                                 "  - {name: b, kind: int, min: 1, max: 9, default: 4, when: a}\n");
    assert_int_equal(sc_space_parse(s, "b=7", point), SC_OK);
    assert_true(point[0] == 0 && point[1] == 3);
    assert_int_equal(sc_space_parse(s, "b=7,a=1", point), SC_OK);
    assert_true(point[0] == 1 && point[1] == 6);
    sc_space_destroy(s);
}

static void test_parse_rejects(void **state)
{
    static const char *const k[][2] = {
        {"a", "name=value"},
        {"a=", "a"},
        {"=1", "no parameter ''"},
        {",a=1024", "no parameter"},
        {"d=1", "no parameter 'd'"},
        {"a=1024,a=2048", "given twice"},
        {"a=1025", "1025 is no value of a; the nearest: 1024 and 2048"},
        {"a=1", "the nearest: 1024"},
        {"a=2MiB", "the nearest: 1048576"},
        {"a=nan", ""},
        {"a=1 KiB x", ""},
        {"c=y", "'y' is no value of c"},
        {"c='x", "name=value"},
        {"c='x'y", "name=value"},
        {"c='it's'", "name=value"},
        {"a\n=1024", "no parameter"},
    };
    sc_space *s = must_read(LABELS);
    for (size_t i = 0; i < sizeof k / sizeof *k; i++) {
        uint32_t point[3] = {7, 7, 7};
        const uint32_t before[3] = {7, 7, 7};
        assert_int_equal(sc_space_parse(s, k[i][0], point), SC_EINVAL);
        assert_memory_equal(point, before, sizeof point);
        if (!strstr(sc_error_message(), k[i][1]))
            fail_msg("'%s' is not in '%s' of '%s'", k[i][1], sc_error_message(), k[i][0]);
    }
    sc_space_destroy(s);
}

static void test_out_of_memory(void **state)
{
    const long before = sc_mem_live();
    long k = 0;
    for (;; k++) {
        sc_space *s = NULL;
        sc_mem_fail_after(k);
        const sc_status st = read_text(&s, WHOLE);
        sc_mem_fail_after(-1);
        sc_space_destroy(s);
        assert_int_equal(sc_mem_live(), before);
        if (st == SC_OK)
            break;
        assert_int_equal(st, SC_ENOMEM);
        assert_null(s);
    }
    assert_true(k > 40);
}

int main(void)
{
    const struct CMUnitTest t[] = {
        cmocka_unit_test(test_reads_every_form),
        cmocka_unit_test(test_condition_on_a_later_one),
        cmocka_unit_test(test_rejects_with_its_place),
        cmocka_unit_test(test_reports_every_error),
        cmocka_unit_test(test_opens_no_file),
        cmocka_unit_test(test_text_of_points),
        cmocka_unit_test(test_parses_loosely),
        cmocka_unit_test(test_parse_makes_canonical),
        cmocka_unit_test(test_parse_rejects),
        cmocka_unit_test(test_out_of_memory),
    };
    return cmocka_run_group_tests_name("search_space_io", t, NULL, NULL);
}
