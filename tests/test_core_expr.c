/* Expressions: values by hand, and random trees against a naive evaluator. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka wants the four above first */
#include <cmocka.h>
#include <math.h>

#include "core/rng.h"
#include "core_expr_support.h"

static const struct {
    const char *text;
    double want;
} by_hand[] = {
    {"1 + 2 * 3", 7},
    {"(1 + 2) * 3", 9},
    {"2 - 3 - 5", -6},
    {"36 / 6 / 3", 2},
    {"-2 ^ 2", -4},
    {"2 ^ 3 ^ 2", 512},
    {"2 ^ -1", 0.5},
    {"17 % 5", 2},
    {"-17 % 5", -2},
    {"17 // 5", 3},
    {"-17 // 5", -4}, /* down, as in Python */
    {"7 // 2 * 2", 6},
    {"2 * 7 // 3 + zero", 4},
    {"zero + 9 // (zero + 2)", 4},
    {"7 // zero", NAN},
    {"--3", 3},
    {"+3", 3},
    {"!0", 1},
    {"!7", 0},
    {"1.5e2", 150},
    {".5 + 7.", 7.5},
    {"3Ki", 3072},
    {"2Mi + 1Gi", 1075838976},
    {"1Ti", 0x1p40},
    {"3 < 5", 1},
    {"5 <= 5", 1},
    {"5 > 5", 0},
    {"5 >= 7", 0},
    {"3 + 4 == 7", 1},
    {"3 != 3", 0},
    {"1 && 2", 1},
    {"0 || 3", 1},
    {"0 || 0", 0},
    {"1 || 0 && 0", 1},
    {"1 < 2 == 1", 1},
    {"1 ? 2 : 3", 2},
    {"0 ? 2 : 3", 3},
    {"0 ? 1 : 0 ? 2 : 5", 5},
    {"1 ? 0 ? 2 : 3 : 5", 3},
    {"min(3, 2)", 2},
    {"min(5, 3, 7)", 3},
    {"max(5, 3, 7, 6)", 7},
    {"ceil(2.1)", 3},
    {"floor(-2.1)", -3},
    {"round(2.5)", 3},
    {"round(-2.5)", -3},
    {"abs(-3)", 3},
    {"log2(1024)", 10},
    {"log10(1000)", 3},
    {"log10(0)", NAN},
    {"sqrt(49)", 7},
    {"pow(2, 10)", 1024},
    {"ceil_div(7, 2)", 4},
    {"ceil_div(8, 2)", 4},
    {"ceil_div(-7, 2)", -3},
    {"pes_x * pes_y", 77},
    {"pes_x ^ 2 - pes_y", 38},
    {"l2.size * 2", 27},
    {"mode == 'shared'", 1},
    {"mode != \"shared\"", 0},
    {"'private' == mode", 0},
    {"(mode == 'disabled') + 1", 1},
    {"min(pes_x, pes_y) == pes_x ? l2.size : 0", 13.5},
    {"2 * (zero ? 3 : 5) + 1", 11},
    {"max(1, ceil_div(pes_x * 64Ki, pes_y))", 41705},
    /* without a value */
    {"1 / zero", NAN},
    {"0 / 0", NAN},
    {"7 % zero", NAN},
    {"log2(0)", NAN},
    {"log2(-1)", NAN},
    {"sqrt(-1)", NAN},
    {"(-8) ^ 0.5", NAN},
    {"1e308 * 10", NAN},
    {"2 ^ 5000", NAN},
    {"ceil_div(3, zero)", NAN},
    /* what it reaches, and what it does not */
    {"1 / zero < 3", NAN},
    {"!(1 / zero)", NAN},
    {"min(1, 1 / zero)", NAN},
    {"max(1 / zero, 1)", NAN},
    {"(1 / zero) ^ 0", NAN},
    {"1 ^ (1 / zero)", NAN},
    {"1 / zero ? 2 : 3", NAN},
    {"1 / zero && 0", NAN},
    {"1 / zero || 1", NAN},
    {"zero && 1 / zero", 0},
    {"1 || 1 / zero", 1},
    {"zero ? 1 / zero : 5", 5},
    {"1 && 1 / zero", NAN},
    {"0 || 1 / zero", NAN},
    {"1 / (1e308 * 10)", 0},
};

static void test_by_hand(void **state)
{
    for (size_t i = 0; i < COUNT(by_hand); i++) {
        sc_expr *e = compile(by_hand[i].text);
        const double got = sc_expr_eval(e, values);
        if (isnan(by_hand[i].want) ? !isnan(got) : got != by_hand[i].want)
            fail_msg("%s is %.17g", by_hand[i].text, got);
        assert_string_equal(sc_expr_text(e), by_hand[i].text);
        sc_expr_destroy(e);
    }
    sc_expr *e = NULL;
    assert_int_equal(sc_expr_compile(&e, "3 * 5", NULL, 0, NULL), SC_OK);
    assert_true(sc_expr_eval(e, NULL) == 15);
    assert_false(sc_expr_uses(e, 0));
    sc_expr_destroy(e);
    sc_expr_destroy(NULL);
}

static void test_uses(void **state)
{
    sc_expr *e = compile("pes_y > 3 ? mode == 'shared' : 0");
    const bool want[] = {false, true, true, false, false, false};
    for (size_t i = 0; i < COUNT(want); i++)
        assert_int_equal(sc_expr_uses(e, i), want[i]);
    sc_expr_destroy(e);
}

/* ceil_div of whole numbers up to 2^53 against integer arithmetic. */
static void test_ceil_div(void **state)
{
    static const sc_symbol ab[] = {{"a", NULL, 0}, {"b", NULL, 0}};
    sc_expr *e = NULL;
    sc_rng r;
    sc_rng_init(&r, 41, 1, 0);
    assert_int_equal(sc_expr_compile(&e, "ceil_div(a, b)", ab, 2, NULL), SC_OK);
    for (int i = 0; i < 100000; i++) {
        const int64_t b = 1 + (int64_t)(gsl_rng_get(&r.gsl) >> gsl_rng_uniform_int(&r.gsl, 32));
        const int64_t q = (int64_t)(gsl_rng_uniform(&r.gsl) * (double)((INT64_C(1) << 53) / b));
        const int64_t a = q * b + (i % 3) - 1; /* at and beside the multiples */
        if (a < 0)
            continue;
        const double v[] = {(double)a, (double)b};
        if (sc_expr_eval(e, v) != (double)((a + b - 1) / b))
            fail_msg("ceil_div(%lld, %lld)", (long long)a, (long long)b);
    }
    sc_expr_destroy(e);
}

/* A naive language to compare with: trees that are printed as text and evaluated as trees. */
typedef struct tree {
    enum { NUMBER, NAME, LABEL, UNARY, BINARY, LOGIC, CHOICE, CALL } kind;
    const char *op; /* operator or function */
    double number;
    size_t symbol, n;
    const struct tree *part[3];
} tree;

static tree pool[4000];
static size_t used;

static const tree *grow(sc_rng *r, int depth);

static const char *pick(sc_rng *r, const char *const *from, size_t n)
{
    return from[gsl_rng_uniform_int(&r->gsl, n)];
}

static const tree *leaf(sc_rng *r, tree *t)
{
    static const double numbers[] = {0, 1, 2, 3, 5, 0.5, 7.25, 1000, 65536};
    const unsigned long k = gsl_rng_uniform_int(&r->gsl, 9);
    if (k < 5) {
        *t =
            (tree){.kind = NUMBER, .number = numbers[gsl_rng_uniform_int(&r->gsl, COUNT(numbers))]};
    } else if (k < 8) {
        static const size_t plain[] = {0, 1, 3, 4};
        *t = (tree){.kind = NAME, .symbol = plain[gsl_rng_uniform_int(&r->gsl, 4)]};
    } else {
        static const char *const ops[] = {"==", "!="};
        *t = (tree){.kind = LABEL, .op = pick(r, ops, 2), .n = gsl_rng_uniform_int(&r->gsl, 3)};
    }
    return t;
}

static const tree *grow(sc_rng *r, int depth)
{
    static const char *const unary[] = {"-", "!", "+"};
    static const char *const binary[] = {"+",  "-", "*",  "/",  "%",  "^", "<",
                                         "<=", ">", ">=", "==", "!=", "*", "+"};
    static const char *const logic[] = {"&&", "||"};
    static const char *const one[] = {"ceil", "floor", "round", "abs", "log2", "log10", "sqrt"};
    static const char *const two[] = {"min", "max", "pow", "ceil_div"};
    assert_true(used < COUNT(pool));
    tree *t = &pool[used++];
    const unsigned long k = depth == 0 ? 0 : gsl_rng_uniform_int(&r->gsl, 12);
    if (k < 2)
        return leaf(r, t);
    if (k < 3)
        *t = (tree){.kind = UNARY, .op = pick(r, unary, 3), .n = 1};
    else if (k < 7)
        *t = (tree){.kind = BINARY, .op = pick(r, binary, COUNT(binary)), .n = 2};
    else if (k < 8)
        *t = (tree){.kind = LOGIC, .op = pick(r, logic, 2), .n = 2};
    else if (k < 9)
        *t = (tree){.kind = CHOICE, .n = 3};
    else if (k < 10)
        *t = (tree){.kind = CALL, .op = pick(r, one, COUNT(one)), .n = 1};
    else if (k < 11)
        *t = (tree){.kind = CALL, .op = pick(r, two, COUNT(two)), .n = 2};
    else
        *t = (tree){.kind = CALL, .op = pick(r, two, 2), .n = 3};
    for (size_t i = 0; i < t->n; i++)
        t->part[i] = grow(r, depth - 1);
    return t;
}

static double naive_binary(const char *op, double a, double b)
{
    if (isnan(a) || isnan(b))
        return NAN;
    if (!strcmp(op, "+"))
        return a + b;
    if (!strcmp(op, "-"))
        return a - b;
    if (!strcmp(op, "*"))
        return a * b;
    if (!strcmp(op, "/"))
        return b == 0 ? NAN : a / b;
    if (!strcmp(op, "%"))
        return b == 0 ? NAN : fmod(a, b);
    if (!strcmp(op, "^") || !strcmp(op, "pow"))
        return pow(a, b);
    if (!strcmp(op, "<"))
        return a < b ? 1 : 0;
    if (!strcmp(op, "<="))
        return a <= b ? 1 : 0;
    if (!strcmp(op, ">"))
        return a > b ? 1 : 0;
    if (!strcmp(op, ">="))
        return a >= b ? 1 : 0;
    if (!strcmp(op, "=="))
        return a == b ? 1 : 0;
    if (!strcmp(op, "!="))
        return a != b ? 1 : 0;
    if (!strcmp(op, "min"))
        return a < b ? a : b;
    if (!strcmp(op, "max"))
        return a > b ? a : b;
    assert_string_equal(op, "ceil_div");
    return b == 0 ? NAN : ceil(a / b);
}

static double naive_unary(const char *op, double a)
{
    if (isnan(a))
        return NAN;
    if (!strcmp(op, "-"))
        return -a;
    if (!strcmp(op, "+"))
        return a;
    if (!strcmp(op, "!"))
        return a == 0 ? 1 : 0;
    if (!strcmp(op, "ceil"))
        return ceil(a);
    if (!strcmp(op, "floor"))
        return floor(a);
    if (!strcmp(op, "round"))
        return a < 0 ? -floor(0.5 - a) : floor(a + 0.5);
    if (!strcmp(op, "abs"))
        return a < 0 ? -a : a;
    if (!strcmp(op, "log2"))
        return a > 0 ? log2(a) : NAN;
    if (!strcmp(op, "log10"))
        return a > 0 ? log10(a) : NAN;
    assert_string_equal(op, "sqrt");
    return sqrt(a);
}

static double naive(const tree *t)
{
    double a, b;
    switch (t->kind) {
    case NUMBER: return t->number;
    case NAME: return values[t->symbol];
    case LABEL: return (values[2] == (double)t->n) == !strcmp(t->op, "==");
    case UNARY: return naive_unary(t->op, naive(t->part[0]));
    case BINARY: return naive_binary(t->op, naive(t->part[0]), naive(t->part[1]));
    case LOGIC:
        a = naive(t->part[0]);
        if (isnan(a))
            return NAN;
        if ((a != 0) == !strcmp(t->op, "||"))
            return a != 0;
        b = naive(t->part[1]);
        return isnan(b) ? NAN : b != 0;
    case CHOICE: a = naive(t->part[0]); return isnan(a) ? NAN : naive(t->part[a != 0 ? 1 : 2]);
    case CALL:
        if (t->n == 1)
            return naive_unary(t->op, naive(t->part[0]));
        a = naive_binary(t->op, naive(t->part[0]), naive(t->part[1]));
        return t->n == 2 ? a : naive_binary(t->op, a, naive(t->part[2]));
    }
    return NAN;
}

/* How tightly each binds, by the table of docs/formats/expressions.md. */
static int tightness(const tree *t)
{
    static const char *const levels[] = {"||", "&&", "== !=", "< <= > >=", "+ -", "* / %"};
    if (t->kind == CHOICE)
        return 0;
    if (t->kind == LABEL)
        return 3;
    if (t->kind == UNARY)
        return 7;
    if (t->kind != BINARY && t->kind != LOGIC)
        return 9;
    if (!strcmp(t->op, "^"))
        return 8;
    for (int i = 0; i < 6; i++) {
        const char *at = strstr(levels[i], t->op);
        const size_t n = strlen(t->op);
        if (at && (at[n] == ' ' || at[n] == '\0') && (at == levels[i] || at[-1] == ' '))
            return i + 1;
    }
    fail_msg("operator %s", t->op);
    return 0;
}

/* Write with no more parentheses than the table asks for. */
static char *print(char *to, const tree *t, int least)
{
    const int level = tightness(t);
    if (level < least)
        to += sprintf(to, "(");
    if (t->kind == NUMBER) {
        to += sprintf(to, t->number == 65536 ? "64Ki" : "%g", t->number);
    } else if (t->kind == NAME) {
        to += sprintf(to, "%s", symbols[t->symbol].name);
    } else if (t->kind == LABEL) {
        to += sprintf(to, "mode %s '%s'", t->op, modes[t->n]);
    } else if (t->kind == UNARY) {
        to += sprintf(to, "%s", t->op);
        to = print(to, t->part[0], 7);
    } else if (t->kind == CHOICE) {
        to = print(to, t->part[0], 1);
        to += sprintf(to, " ? ");
        to = print(to, t->part[1], 0);
        to += sprintf(to, ":");
        to = print(to, t->part[2], 0);
    } else if (t->kind == CALL) {
        to += sprintf(to, "%s(", t->op);
        for (size_t i = 0; i < t->n; i++) {
            to = print(to + sprintf(to, i ? ", " : ""), t->part[i], 0);
        }
        to += sprintf(to, ")");
    } else {
        const bool comparison = level == 3 || level == 4; /* these do not chain */
        to = print(to, t->part[0], level == 8 ? 9 : level + comparison);
        to += sprintf(to, "%s%s ", level % 2 ? " " : "", t->op);
        to = print(to, t->part[1], level == 8 ? 7 : level + 1);
    }
    if (level < least)
        to += sprintf(to, ")");
    return to;
}

static void test_random_trees(void **state)
{
    static char text[60000];
    int finite = 0;
    sc_rng r;
    sc_rng_init(&r, 53, 1, 0);
    for (int i = 0; i < 20000; i++) {
        used = 0;
        const tree *t = grow(&r, 1 + i % 5);
        print(text, t, 0);
        const double want = naive(t);
        sc_expr *e = compile(text);
        const double got = sc_expr_eval(e, values);
        if (isfinite(want) ? memcmp(&got, &want, sizeof got) != 0 && got != want : !isnan(got))
            fail_msg("%s is %.17g, not %.17g", text, got, want);
        finite += isfinite(want);
        sc_expr_destroy(e);
    }
    assert_true(finite > 10000); /* the comparison is not one of NaNs */
}

static void test_any_thread_count(void **state)
{
    enum { POINTS = 3000 };
    static double one[POINTS], many[POINTS];
    sc_expr *e =
        compile("pes_x * pes_y <= 4Ki && mode != 'disabled' ? log2(pes_x + 1) : pes_y / 3");
    for (int threads = 1; threads <= 3; threads++) {
        double *out = threads == 1 ? one : many;
#pragma omp parallel for num_threads(threads) schedule(dynamic, 7)
        for (int i = 0; i < POINTS; i++) {
            const double v[] = {i % 113, i % 97, i % 3, 0, 0};
            out[i] = sc_expr_eval(e, v);
        }
        if (threads > 1)
            assert_memory_equal(one, many, sizeof one);
    }
    sc_expr_destroy(e);
}

/* A million a second at the least, on a check such as a space makes of each of its points. */
static void test_speed(void **state)
{
    enum { EVALUATIONS = 200000 };
    sc_expr *e = compile("pes_x * pes_y * pes_x * pes_y <= 16Ki && pes_x * pes_y >= 4 && "
                         "(mode == 'disabled' ? 1 : l2.size < 100)");
    const double begin = cpu_now();
    double sum = 0;
    for (int i = 0; i < EVALUATIONS; i++) {
        const double v[] = {i % 16, i % 17, i % 3, 0, i % 101};
        sum += sc_expr_eval(e, v);
    }
    assert_within(begin, 1e-6 * EVALUATIONS);
    assert_true(sum > 0 && sum < EVALUATIONS);
    sc_expr_destroy(e);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_by_hand),          cmocka_unit_test(test_uses),
        cmocka_unit_test(test_ceil_div),         cmocka_unit_test(test_random_trees),
        cmocka_unit_test(test_any_thread_count), cmocka_unit_test(test_speed),
    };
    return cmocka_run_group_tests_name("core/expr", tests, NULL, NULL);
}
