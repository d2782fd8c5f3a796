/* Expressions that must not be taken: what is wrong, where, and within which caps. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka wants the four above first */
#include <cmocka.h>
#include <math.h>

#include "core_expr_support.h"

static const struct {
    const char *text;
    size_t at;
    const char *message;
} wrong[] = {
    {"", 0, "the expression is empty"},
    {"   ", 0, "the expression is empty"},
    {"pes_z", 0, "unknown name 'pes_z' (did you mean 'pes_x'?)"},
    {"1 + unknown", 4, "unknown name 'unknown'"},
    {"3 * maxx(1, 2)", 4, "unknown function 'maxx' (did you mean 'max'?)"},
    {"pes_x(2)", 0, "'pes_x' is no function"},
    {"2 + max", 4, "'max' is a function: write max(...)"},
    {"pow(1)", 0, "pow takes 2 arguments, found 1"},
    {"1 + pow(1, 2, 3)", 4, "pow takes 2 arguments, found 3"},
    {"min(1)", 0, "min takes at least 2 arguments, found 1"},
    {"ceil()", 0, "ceil takes 1 argument, found 0"},
    {"log2(1, 2)", 0, "log2 takes 1 argument, found 2"},
    {"min(1 2)", 6, "expected ')' or ',' in the arguments of min"},
    {"min(1,", 6, "the expression ends where a value should stand"},
    {"min(,1)", 4, "expected a value, found ','"},
    {"mode * 2", 0, "'mode' has labels and is no number: compare it with == or != 'private'"},
    {"2 < mode", 4, "'mode' has labels and is no number: compare it with == or != 'private'"},
    {"mode == mode", 0, "'mode' has labels and is no number: compare it with == or != 'private'"},
    {"mode", 0, "'mode' has labels and is no number: compare it with == or != 'private'"},
    {"mode ? 1 : 2", 0, "'mode' has labels and is no number: compare it with == or != 'private'"},
    {"mode == 'other'", 9, "'other' is no label of 'mode'"},
    {"mode != 'Shared'", 9, "'Shared' is no label of 'mode' (did you mean 'shared'?)"},
    {"pes_x == 'a'", 10, "'pes_x' has no labels: it cannot be compared with 'a'"},
    {"'a' == 3", 1, "'3' has no labels: it cannot be compared with 'a'"},
    {"mode < 'shared'", 0,
     "'mode' has labels and is no number: compare it with == or != 'private'"},
    {"'shared'", 1,
     "the label 'shared' can only be compared, by == or !=, with a name that has labels"},
    {"'a' == 'b'", 1,
     "the label 'a' can only be compared, by == or !=, with a name that has labels"},
    {"1 < 2 < 3", 6, "comparisons do not chain: write a < b && b < c"},
    {"1 == 2 != 3", 7, "comparisons do not chain: write a < b && b < c"},
    {"1 +", 3, "the expression ends where a value should stand"},
    {"* 2", 0, "expected a value, found '*'"},
    {"(1 + 2", 6, "expected ')' for the '(' at column 1"},
    {"1 + 2)", 5, "expected an operator, found ')'"},
    {"1 2", 2, "expected an operator, found '2'"},
    {"1 ? 2", 5, "expected ':' and what holds if the condition does not"},
    {"1 = 2", 2, "a single '=' is no operator: compare with =="},
    {"1 & 2", 2, "a single '&' is no operator: write &&"},
    {"1 | 2", 2, "a single '|' is no operator: write ||"},
    {"2MiB", 1, "only Ki, Mi, Gi or Ti can follow a number directly"},
    {"2x", 1, "only Ki, Mi, Gi or Ti can follow a number directly"},
    {"mode == 'shared", 8, "this quote is never closed"},
    {"1 + $", 4, "'$' means nothing in an expression"},
    {"\xC3\xA9", 0, "'\xC3\xA9' means nothing in an expression"},
    {"1e999", 0, "1e999 is too large a number"},
    {"1e308Ki", 0, "too large a number"},
    {"1 + 12345678901234567890", 4,
     "12345678901234567890 has more digits than can be held exactly (write 1.5e20 if an "
     "approximation will do)"},
};

static void test_errors(void **state)
{
    const long before = sc_mem_live();
    for (size_t i = 0; i < COUNT(wrong); i++) {
        sc_expr *e = NULL;
        size_t at = 99;
        assert_int_equal(sc_expr_compile(&e, wrong[i].text, symbols, COUNT(symbols), &at),
                         SC_EPARSE);
        assert_message(wrong[i].message);
        if (at != wrong[i].at)
            fail_msg("%s: at %zu", wrong[i].text, at);
        assert_null(e);
        assert_int_equal(sc_expr_compile(&e, wrong[i].text, symbols, COUNT(symbols), NULL),
                         SC_EPARSE);
    }
    assert_int_equal(sc_mem_live(), before);
}

/* n times begin, then middle, then n times end. */
static char *repeated(const char *begin, const char *middle, const char *end, size_t n)
{
    char *text = malloc(n * (strlen(begin) + strlen(end)) + strlen(middle) + 1), *to = text;
    assert_non_null(text);
    for (size_t i = 0; i < n; i++)
        to += sprintf(to, "%s", begin);
    to += sprintf(to, "%s", middle);
    for (size_t i = 0; i < n; i++)
        to += sprintf(to, "%s", end);
    return text;
}

static void test_caps(void **state)
{
    static const struct {
        const char *begin, *middle, *end;
        size_t fits, too_many;
        const char *says;
    } rows[] = {
        {"(", "1", ")", 63, 64, "nested too deeply"},
        {"-", "pes_x", "", 63, 64, "nested too deeply"},
        {"1 ? ", "2", " : 3", 63, 64, "nested too deeply"},
        {"1 ? 2 : ", "3", "", 63, 64, "nested too deeply"},
        {"min(pes_x, ", "1", ")", 62, 64, "nested too deeply"},
        {"2 ^ ", "1", "", 62, 63, "nested too deeply"},
        {"pes_x + ", "1", "", 2000, 5000, "too long"},
        {"pes_x || ", "1", "", 1300, 1500, "too long"},
        {" ", "1", "", 16383, 16384, "too long"},
        {"(", "1", ")", 63, 8000, "nested too deeply"},
        {"2 ^ ", "1", "", 62, 4000, "nested too deeply"},
    };
    const double begin = cpu_now();
    for (size_t i = 0; i < COUNT(rows); i++) {
        char *text = repeated(rows[i].begin, rows[i].middle, rows[i].end, rows[i].fits);
        sc_expr *e = compile(text);
        assert_false(isnan(sc_expr_eval(e, values)) && rows[i].begin[0] != '2');
        sc_expr_destroy(e);
        free(text);
        text = repeated(rows[i].begin, rows[i].middle, rows[i].end, rows[i].too_many);
        e = NULL;
        if (sc_expr_compile(&e, text, symbols, COUNT(symbols), NULL) == SC_EPARSE)
            assert_says(rows[i].says);
        else
            fail_msg("%zu of %s are taken", rows[i].too_many, rows[i].begin);
        free(text);
    }
    sc_expr *e = NULL;
    assert_int_equal(sc_expr_compile(&e, "1", symbols, 65536, NULL), SC_EPARSE);
    assert_says("more than 65535 names");
    assert_within(begin, 0.5);
}

/* The cap on steps is met at each kind of step: what fails there must not be taken for compiled. */
static void test_step_cap(void **state)
{
    static const sc_symbol x[] = {{"x", NULL, 0}};
    static const char *const begins[] = {"x",       "x+x",       "x+x+x",
                                         "x+x+x+x", "x+x+x+x+x", "x+x+x+x+x+x"};
    static const char *const pieces[] = {"+min(x,x)", "+ceil(x)", "+(x?x:x)", "&&x", "^-x", "+!x"};
    static char text[16 << 10];
    for (size_t i = 0; i < COUNT(begins); i++) {
        for (size_t j = 0; j < COUNT(pieces); j++) {
            const size_t n = strlen(pieces[j]);
            char *to = text + sprintf(text, "%s", begins[i]);
            for (; to + n < text + sizeof text; to += n)
                memcpy(to, pieces[j], n + 1);
            sc_expr *e = NULL;
            size_t at = 0;
            const sc_status st = sc_expr_compile(&e, text, x, 1, &at);
            if (st != SC_EPARSE)
                fail_msg("%zu bytes of %s are taken", strlen(text), pieces[j]);
            assert_null(e);
            assert_true(at < strlen(text));
        }
    }
}

static void test_from_node(void **state)
{
    static const char text[] = "good: pes_x * 2\n"
                               "plain: pes_x * pes_z\n"
                               "quoted: \"pes_x * pes_z\"\n"
                               "caf\xC3\xA9: mode == 'Shared'\n"
                               "map: {}\n";
    sc_yaml *y = NULL;
    assert_int_equal(sc_yaml_parse(&y, "t.yaml", text, strlen(text)), SC_OK);
    const sc_node *root = sc_yaml_root(y);
    sc_expr *e = NULL;
    assert_true(sc_expr_from_node(&e, sc_node_get(root, "good"), symbols, COUNT(symbols)));
    assert_true(sc_expr_eval(e, values) == 14);
    sc_expr_destroy(e);
    e = NULL;
    assert_false(sc_expr_from_node(&e, NULL, symbols, COUNT(symbols)));
    for (size_t i = 1; i < sc_node_count(root); i++)
        assert_false(sc_expr_from_node(&e, sc_node_item(root, i), symbols, COUNT(symbols)));
    assert_null(e);
    assert_int_equal(sc_yaml_status(y), SC_EPARSE);
    assert_message("t.yaml:2:16: error: unknown name 'pes_z' (did you mean 'pes_x'?)\n"
                   "t.yaml:3:18: error: unknown name 'pes_z' (did you mean 'pes_x'?)\n"
                   "t.yaml:4:16: error: 'Shared' is no label of 'mode' (did you mean 'shared'?)\n"
                   "t.yaml:5:6: error: expected an expression");
    sc_yaml_close(y);
    assert_int_equal(sc_yaml_parse(&y, "t.yaml", text, strlen(text)), SC_OK);
    sc_mem_fail_after(0);
    assert_false(sc_expr_from_node(&e, sc_node_get(sc_yaml_root(y), "good"), symbols, 5));
    sc_mem_fail_after(-1);
    assert_int_equal(sc_yaml_status(y), SC_ENOMEM);
    sc_yaml_close(y);
}

static sc_status compile_and_drop(void *payload)
{
    sc_expr *e = NULL;
    const sc_status st = sc_expr_compile(&e, payload, symbols, COUNT(symbols), NULL);
    assert_true((st == SC_OK) == (e != NULL));
    sc_expr_destroy(e);
    return st;
}

static void test_no_memory(void **state)
{
    char text[] = "pes_x * 1 + pes_y * 2 + pes_x * 3 > 4 && min(5, pes_x) < 6 || mode == 'shared'"
                  " ? pes_x ^ 7 + 8 + pes_y * 9 / 10 - pes_x % 11 : sqrt(12 * pes_x + 13)";
    assert_true(fail_each_allocation(compile_and_drop, text) >= 6);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_errors),    cmocka_unit_test(test_caps),
        cmocka_unit_test(test_step_cap),  cmocka_unit_test(test_from_node),
        cmocka_unit_test(test_no_memory),
    };
    return cmocka_run_group_tests_name("core/expr, bad input", tests, NULL, NULL);
}
