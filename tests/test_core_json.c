/* JSON: the fixed form, what is refused, and values that are written and read back. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka wants the four above first */
#include <cmocka.h>
#include <math.h>

#include "core/json.h"
#include "core/rng.h"
#include "core_support.h"

static json_t *parse(const char *text)
{
    json_t *v = NULL;
    if (sc_json_parse(&v, "t.json", text, strlen(text)) != SC_OK)
        fail_msg("%s", sc_error_message());
    return v;
}

static void assert_written(const char *text, int pretty, const char *want)
{
    char *got = NULL;
    json_t *v = parse(text);
    assert_int_equal(sc_json_write(&got, v, pretty), SC_OK);
    assert_string_equal(got, want);
    sc_free(got);
    json_decref(v);
}

static void test_form(void **state)
{
    assert_written(" { \"b\" : [ 1 , 2.50 , -3e2 ] , \"a\" : { } } ", 0,
                   "{\"b\":[1,2.5,-300.0],\"a\":{}}");
    assert_written("[true,false,null,[],0,-0.0,1e300,0.1]", 0,
                   "[true,false,null,[],0,-0.0,1e+300,0.1]");
    assert_written("[\"\\u0041\\u00e9\\ud83d\\ude00\\\"\\\\\\/\\b\\f\\n\\r\\t\\u001f<&>\x7f\"]", 0,
                   "[\"A\xC3\xA9\xF0\x9F\x98\x80\\\"\\\\/\\b\\f\\n\\r\\t\\u001f<&>\x7f\"]");
    assert_written("{\"a\":[1,{\"b\":2}],\"c\":{},\"d\":[]}", 1,
                   "{\n  \"a\": [\n    1,\n    {\n      \"b\": 2\n    }\n  ],\n"
                   "  \"c\": {},\n  \"d\": []\n}");
    assert_written("{\"\\n\":1}", 0, "{\"\\n\":1}");
    assert_written("[9223372036854775807,-9223372036854775808]", 0,
                   "[9223372036854775807,-9223372036854775808]");
}

static void test_reals(void **state)
{
    json_t *nan = sc_json_real(NAN), *inf = sc_json_real(-INFINITY), *half = sc_json_real(0.5);
    assert_true(json_is_null(nan));
    assert_true(json_is_null(inf));
    assert_true(json_is_real(half) && json_real_value(half) == 0.5);
    json_decref(nan);
    json_decref(inf);
    json_decref(half);
}

/* Whole numbers are integers as long as a double holds each of them. */
static void test_numbers(void **state)
{
    static const double integers[] = {0, 32, -7, 9007199254740991.0},
                        reals[] = {0.5, 9007199254740992.0, -1e300};
    (void)state;
    for (size_t i = 0; i < sizeof integers / sizeof *integers; i++) {
        json_t *o = sc_json_number(integers[i]);
        assert_true(json_is_integer(o));
        assert_true((double)json_integer_value(o) == integers[i]);
        json_decref(o);
    }
    for (size_t i = 0; i < sizeof reals / sizeof *reals; i++) {
        json_t *o = sc_json_number(reals[i]);
        assert_true(json_is_real(o));
        assert_true(json_real_value(o) == reals[i]);
        json_decref(o);
    }
    json_t *nothing = sc_json_number((double)NAN);
    assert_true(json_is_null(nothing));
    json_decref(nothing);
}

/* Whatever double goes in comes back, bit by bit, and as a real. */
static void test_reals_read_back(void **state)
{
    sc_rng r;
    sc_rng_init(&r, 23, 1, 0);
    for (int i = 0; i < 5000; i++) {
        const uint64_t bits = (uint64_t)gsl_rng_get(&r.gsl) << 32 | gsl_rng_get(&r.gsl);
        double v, back;
        memcpy(&v, &bits, sizeof v);
        if (i % 4 == 0)
            v = (double)(bits % 100000);
        if (!isfinite(v))
            continue;
        char *text = NULL;
        json_t *list = json_pack("[f]", v);
        assert_int_equal(sc_json_write(&text, list, 0), SC_OK);
        json_t *again = parse(text);
        assert_true(json_is_real(json_array_get(again, 0)));
        back = json_real_value(json_array_get(again, 0));
        assert_memory_equal(&back, &v, sizeof v);
        sc_free(text);
        json_decref(list);
        json_decref(again);
    }
}

static void test_rejects(void **state)
{
    static const struct {
        const char *text, *says;
    } rows[] = {
        {"", "t.json:1:1: error: the file is empty"},
        {"[1,\n2", "t.json:2:1: error: "},
        {"{\"a\":1,\n\"a\":2}", "t.json:2:3: error: duplicate object key"},
        {"[NaN]", "t.json:1:4: error: invalid token"},
        {"[1e999]", "t.json:1:6: error: real number overflow"},
        {"[12345678901234567890]", "t.json:1:21: error: too big integer"},
        {"[1] x", "t.json:1:5: error: end of file expected"},
        {"[1,]", "t.json:1:4: error: "},
        {"[\"\\u0000\"]", "error: \\u0000 is not allowed"},
        {"[\"\xC3\xA9\", \xFF]", "t.json:1:7: error: not UTF-8 text"},
        {"5", "t.json:1:1: error: '[' or '{' expected"},
        {"['a']", "t.json:1:2: error: invalid token"},
        {"[\"a\nb\"]", "error: unexpected newline"},
    };
    json_t *v = NULL;
    for (size_t i = 0; i < COUNT(rows); i++) {
        assert_int_equal(sc_json_parse(&v, "t.json", rows[i].text, strlen(rows[i].text)),
                         SC_EPARSE);
        assert_says(rows[i].says);
    }
    assert_int_equal(sc_json_parse(&v, "t.json", "[1,\n\0]", 6), SC_EPARSE);
    assert_message("t.json:2:1: error: a NUL byte: this is no text file");
    assert_int_equal(sc_json_parse(&v, "t.json", "", ((size_t)64 << 20) + 1), SC_EPARSE);
    assert_message("t.json:1:1: error: over the limit of 64 MiB");
    assert_int_equal(sc_json_open(&v, "."), SC_EPARSE);
    assert_message(".:1:1: error: is a directory, not a regular file");
    assert_int_equal(sc_json_open(&v, "none.json"), SC_ENOTFOUND);
    assert_null(v);
}

static void test_bombs(void **state)
{
    static char text[9 << 20];
    json_t *v = NULL;
    double begin = cpu_now();
    memset(text, '[', 100000);
    assert_int_equal(sc_json_parse(&v, "t.json", text, 100000), SC_EPARSE);
    assert_message("t.json:1:65: error: nested more than 64 deep");
    assert_within(begin, 0.1);
    for (size_t i = 0; i < sizeof text; i += 2)
        memcpy(text + i, "1,", 2);
    text[0] = '[';
    begin = cpu_now();
    assert_int_equal(sc_json_parse(&v, "t.json", text, sizeof text), SC_EPARSE);
    assert_says("error: too many values");
    assert_within(begin, 0.5);
    assert_null(v);
    memset(text, ' ', sizeof text); /* as many bytes, but one value */
    text[0] = '[';
    text[sizeof text - 1] = ']';
    assert_int_equal(sc_json_parse(&v, "t.json", text, sizeof text), SC_OK);
    json_decref(v);
}

/* Brackets in strings are no nesting; 64 levels are taken, 65 are neither read nor written. */
static void test_depth(void **state)
{
    char text[400];
    char *got = NULL;
    json_t *v = NULL;
    assert_written("[\"[[[[\\\"[[\\\\\"]", 0, "[\"[[[[\\\"[[\\\\\"]");
    memset(text, '[', 64);
    memset(text + 64, ']', 64);
    text[128] = '\0';
    assert_written(text, 0, text);
    memset(text, '[', 65);
    memset(text + 65, ']', 65);
    assert_int_equal(sc_json_parse(&v, "t.json", text, 130), SC_EPARSE);
    assert_message("t.json:1:65: error: nested more than 64 deep");
    v = json_array();
    for (int i = 1; i < 65; i++)
        v = json_pack("[o]", v);
    assert_int_equal(sc_json_write(&got, v, 0), SC_EINVAL);
    assert_null(got);
    json_decref(v);
}

static sc_status read_and_write(void *payload)
{
    static const char text[] = "{\"a\": [1, 2.5, \"text\", {\"b\": null}], \"c\": true, \"d\": {}}";
    json_t *v = NULL;
    char *got = NULL;
    sc_status st = sc_json_parse(&v, "t.json", text, strlen(text));
    assert_true((st == SC_OK) == (v != NULL));
    if (st == SC_OK)
        st = sc_json_write(&got, v, 1);
    assert_true((st == SC_OK) == (got != NULL));
    sc_free(got);
    json_decref(v);
    return st;
}

static sc_status write_only(void *payload)
{
    char *got = NULL;
    const sc_status st = sc_json_write(&got, payload, 1);
    assert_true((st == SC_OK) == (got != NULL));
    sc_free(got);
    return st;
}

/* A program may have jansson allocate through sc_malloc; then every one of its allocations can fail
 * as well. Nothing leaks and nothing is handed over, though jansson calls some of it a mistake in
 * the text. */
static void test_no_memory(void **state)
{
    json_malloc_t usual_malloc;
    json_free_t usual_free;
    char *got = NULL;
    json_get_alloc_funcs(&usual_malloc, &usual_free);
    json_set_alloc_funcs(sc_malloc, sc_free);
    json_object_seed(7); /* else jansson seeds itself at a moment of its own */
    const long before = sc_mem_live();
    sc_status st = SC_ENOMEM;
    long count = 0;
    for (; st != SC_OK; count++) {
        sc_mem_fail_after(count);
        st = read_and_write(NULL);
        sc_mem_fail_after(-1);
        assert_int_equal(sc_mem_live(), before);
        assert_true(st == SC_OK || st == SC_ENOMEM || st == SC_EPARSE);
    }
    json_set_alloc_funcs(usual_malloc, usual_free);
    assert_true(count > 10);
    json_t *v = parse("{\"a\": [1, 2.5, \"a text that takes its room, and takes it again\"],"
                      " \"and a key that takes as much\": [true, false, null, [], {}]}");
    assert_true(fail_each_allocation(write_only, v) > 1);
    json_decref(v);
    assert_int_equal(sc_json_write(&got, NULL, 0), SC_ENOMEM);
    assert_null(got);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_form),    cmocka_unit_test(test_reals),
        cmocka_unit_test(test_numbers), cmocka_unit_test(test_reals_read_back),
        cmocka_unit_test(test_rejects), cmocka_unit_test(test_bombs),
        cmocka_unit_test(test_depth),   cmocka_unit_test(test_no_memory),
    };
    return cmocka_run_group_tests_name("core/json", tests, NULL, NULL);
}
