/* Parameters as files write them: their values by hand, and every refusal at its place. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "core/param.h"
#include "core_support.h"

static sc_yaml *doc;

static bool read_form(sc_param_form *p, const char *text, size_t most)
{
    assert_int_equal(sc_yaml_parse(&doc, "p.yaml", text, strlen(text)), SC_OK);
    return sc_param_form_read(p, sc_yaml_root(doc), most);
}

static void end(sc_param_form *p)
{
    sc_param_form_clear(p);
    sc_yaml_close(doc);
    doc = NULL;
}

static void values(void **state)
{
    static const struct {
        const char *text;
        sc_param_kind kind;
        size_t n;
        double value[5];
    } rows[] = {
        {"{name: a, kind: log2, min: 3, max: 24}", SC_PARAM_LOG2, 4, {3, 6, 12, 24}},
        {"{name: a, kind: log2, first: [0, 1], min: 4, max: 4}", SC_PARAM_LOG2, 3, {0, 1, 4}},
        {"{name: a, kind: log2, min: 0.25, max: 0.5}", SC_PARAM_LOG2, 2, {0.25, 0.5}},
        {"{name: a, kind: int, min: -3, max: 8, step: 11}", SC_PARAM_INT, 2, {-3, 8}},
        {"{name: a, kind: int, min: 5, max: 7}", SC_PARAM_INT, 3, {5, 6, 7}},
        {"{name: a, kind: ordinal, unit: B, values: [1 KiB, 3 kB]}",
         SC_PARAM_ORDINAL,
         2,
         {1024, 3000}},
        {"{name: a, kind: categorical, values: [x, 'y z']}", SC_PARAM_CATEGORICAL, 2, {0, 1}},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        sc_param_form p;
        if (!read_form(&p, rows[i].text, 5))
            fail_msg("%s: %s", rows[i].text, sc_yaml_status(doc) ? sc_error_message() : "");
        assert_string_equal(p.name, "a");
        assert_int_equal(p.kind, rows[i].kind);
        assert_int_equal(p.n_values, rows[i].n);
        for (size_t k = 0; k < rows[i].n; k++)
            assert_true(p.values[k] == rows[i].value[k]);
        assert_int_equal(p.labels != NULL, p.kind == SC_PARAM_CATEGORICAL);
        if (p.labels)
            assert_string_equal(p.labels[1], "y z");
        assert_int_equal(p.unit, p.kind == SC_PARAM_ORDINAL ? SC_UNIT_BYTES : SC_UNIT_NONE);
        end(&p);
    }
}

static void refusals(void **state)
{
    static const char *const rows[][2] = {
        {"7", "1:1: error: a parameter is a map"},
        {"{kind: int, min: 1, max: 2}", "name"},
        {"{name: a, kind: lgo2, min: 1, max: 2}", "1:17: error"},
        {"{name: a, kind: log2, min: 1, max: 2, step: 1}", "1:39: error"},
        {"{name: a, kind: int, min: 1, max: 2, first: [0]}", "1:38: error"},
        {"{name: a, kind: log2, min: 0, max: 2}", "times a power of two"},
        {"{name: a, kind: log2, min: 2, max: 1}", "times a power of two"},
        {"{name: a, kind: int, min: 1, max: 4, step: 2}", "whole number of steps"},
        {"{name: a, kind: int, min: 0.5, max: 1.5}", "whole numbers"},
        {"{name: a, kind: int, min: 0, max: 1e17}", "2^53"},
        {"{name: a, kind: int, min: 0, max: 5}", "1 to 5 values"},
        {"{name: a, kind: log2, min: 1, max: 16, first: [0]}", "1 to 5 values"},
        {"{name: a, kind: ordinal, values: [1, 1]}", "must ascend"},
        {"{name: a, kind: ordinal, values: []}", "1 to 5 values"},
        {"{name: a, kind: ordinal, unit: mm, values: [1]}", "'mm' is none of"},
        {"{name: a, kind: categorical, values: [x, [y]]}", "1:42: error: a label is a text"},
        {"{name: a, kind: categorical, values: [x, x]}", "1:42: error: 'x' stands twice"},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        sc_param_form p;
        assert_false(read_form(&p, rows[i][0], 5));
        assert_int_equal(sc_yaml_status(doc), SC_EPARSE);
        if (!strstr(sc_error_message(), rows[i][1]))
            fail_msg("%s: %s", rows[i][0], sc_error_message());
        end(&p);
    }
}

static sc_status read_all(void *payload)
{
    sc_param_form p;
    sc_yaml *y = NULL;
    sc_status st = sc_yaml_parse(&y, "p.yaml", payload, strlen(payload));
    if (st == SC_OK) {
        const bool ok = sc_param_form_read(&p, sc_yaml_root(y), 9);
        st = sc_yaml_status(y);
        assert_int_equal(ok, st == SC_OK);
        sc_param_form_clear(&p);
    }
    sc_yaml_close(y);
    return st;
}

static void out_of_memory(void **state)
{
    char text[] = "{name: a, kind: categorical, values: [x, y]}";
    assert_true(fail_each_allocation(read_all, text) > 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values),
        cmocka_unit_test(refusals),
        cmocka_unit_test(out_of_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
