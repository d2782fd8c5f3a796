/* What holds for every optimiser, of those without a model; single ones, and what is refused. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka wants the four above first */
#include <cmocka.h>
#include <stdlib.h>

#include "core/mem.h"
#include "search_cases.h"
#include "search_rules.h"

const char *const rules_names[] = {"random", "sobol",     "grid",    "nsga2",
                                   "cmaes",  "evolution", "firefly", "lcs"};
const size_t rules_n_names = sizeof rules_names / sizeof *rules_names;
const bool rules_slow = false;

static void test_grid_order(void **state)
{
    static const uint32_t cardinality[] = {2, 3};
    static const bool ordered[2] = {false};
    const sc_problem p = {
        .n_params = 2, .cardinality = cardinality, .categorical = ordered, .n_objectives = 1};
    sc_optimizer *o = rules_create("grid", &p, 0, NULL);
    uint32_t points[12];
    size_t got;
    sc_stop why;
    assert_int_equal(sc_optimizer_ask(o, 6, points, &got, &why), SC_OK);
    assert_int_equal(got, 6);
    assert_int_equal(why, SC_RUNNING);
    const uint32_t want[] = {0, 0, 0, 1, 0, 2, 1, 0, 1, 1, 1, 2};
    assert_memory_equal(points, want, sizeof want);
    assert_int_equal(sc_optimizer_ask(o, 0, points, &got, &why), SC_OK);
    assert_true(got == 0 && why == SC_RUNNING);
    sc_optimizer_destroy(o);
}

static void first_rests_high(const void *context, uint32_t *index, bool *active)
{
    if (index[1] == 0)
        index[0] = 2;
}

/* A point stands where its canonical form does, not where it is first met otherwise. */
static void test_grid_order_with_conditions(void **state)
{
    static const uint32_t cardinality[] = {3, 3};
    static const bool ordered[2] = {false};
    static const uint32_t want[] = {0, 1, 0, 2, 1, 1, 1, 2, 2, 0, 2, 1, 2, 2};
    const sc_problem p = {.n_params = 2,
                          .cardinality = cardinality,
                          .categorical = ordered,
                          .n_objectives = 1,
                          .canonical = first_rests_high};
    sc_optimizer *o = rules_create("grid", &p, 0, NULL);
    uint32_t points[18];
    size_t got;
    sc_stop why;
    assert_int_equal(sc_optimizer_ask(o, 9, points, &got, &why), SC_OK);
    assert_int_equal(got, 7);
    assert_int_equal(why, SC_STOP_EXHAUSTED);
    assert_memory_equal(points, want, sizeof want);
    sc_optimizer_destroy(o);
}

/* One valid point at the very end of 2^23: the grid asks for time, random search finds it too. */
static bool last_only(const void *context, const uint32_t *index)
{
    return index[0] == 4095 && index[1] == 2047;
}

static void test_sparse_space(void **state)
{
    static const uint32_t cardinality[] = {4096, 2048};
    static const bool ordered[2] = {false};
    const sc_problem p = {.n_params = 2,
                          .cardinality = cardinality,
                          .categorical = ordered,
                          .n_objectives = 1,
                          .valid = last_only};
    size_t calls[2] = {0};
    for (int interrupted = 0; interrupted < 2; interrupted++) {
        sc_optimizer *o = rules_create("grid", &p, 0, NULL);
        uint32_t point[2];
        size_t got = 9;
        sc_stop why = SC_RUNNING;
        while (why == SC_RUNNING && got != 1) {
            assert_int_equal(sc_optimizer_ask(o, 1, point, &got, &why), SC_OK);
            assert_true(++calls[interrupted] < 5);
            size_t n;
            void *bytes = rules_saved(o, &n);
            sc_optimizer *fresh = rules_create("grid", &p, 0, NULL);
            assert_int_equal(sc_optimizer_load(fresh, bytes, n, NULL), SC_OK);
            sc_free(bytes);
            sc_optimizer_destroy(interrupted ? o : fresh);
            o = interrupted ? fresh : o;
        }
        assert_true(got == 1 && point[0] == 4095 && point[1] == 2047);
        sc_optimizer_destroy(o);
    }
    assert_true(calls[0] > 1 && calls[0] == calls[1]); /* it goes on, not from the start */
}

static void test_list(void **state)
{
    static const uint32_t rows[][CASE_PARAMS] = {{1, 1, 2, 0, 3, 0},
                                                 {0, 0, 1, 1, 0, 0},
                                                 {1, 1, 1, 0, 3, 1}, /* the first, said otherwise */
                                                 {3, 0, 0, 0, 0, 2}};
    static const uint32_t want[][CASE_PARAMS] = {
        {1, 1, 0, 0, 3, 2}, {0, 0, 1, 1, 0, 0}, {3, 0, 0, 0, 0, 2}};
    sc_optimizer_options options = SC_OPTIMIZER_OPTIONS_INIT;
    options.points = *rows;
    options.n_points = 4;
    sc_optimizer *o = rules_create("list", &case_problem, 0, &options);
    uint32_t points[5 * CASE_PARAMS];
    sc_stop why;
    assert_int_equal(case_ask(o, 5, points, &why), 3);
    assert_int_equal(why, SC_STOP_EXHAUSTED);
    assert_memory_equal(points, want, sizeof want);
    sc_optimizer_destroy(o);
}

static void test_rejects_creation(void **state)
{
    static const uint32_t outside[CASE_PARAMS] = {4, 0, 0, 0, 0, 0};
    static const uint32_t broken[CASE_PARAMS] = {3, 4, 0, 0, 5, 0};
    static const uint32_t zero[CASE_PARAMS] = {4, 0, 3, 2, 6, 3};
    sc_optimizer_options options = SC_OPTIMIZER_OPTIONS_INIT;
    sc_optimizer *o = NULL;
    sc_problem p = case_problem;
    assert_int_equal(sc_optimizer_create(&o, "nsga", &p, 1, NULL), SC_ENOTFOUND);
    assert_non_null(strstr(sc_error_message(), "did you mean 'nsga2'?"));
    assert_int_equal(sc_optimizer_create(&o, "list", &p, 1, NULL), SC_EINVAL);
    options.points = outside;
    options.n_points = 1;
    assert_int_equal(sc_optimizer_create(&o, "list", &p, 1, &options), SC_EINVAL);
    options.points = broken;
    assert_int_equal(sc_optimizer_create(&o, "list", &p, 1, &options), SC_EINVAL);
    options = (sc_optimizer_options){.version = 2};
    assert_int_equal(sc_optimizer_create(&o, "random", &p, 1, &options), SC_EINVAL);
    options = (sc_optimizer_options){.version = 1, .population = 3};
    assert_int_equal(sc_optimizer_create(&o, "nsga2", &p, 1, &options), SC_EINVAL);
    options = (sc_optimizer_options){.version = 1, .population = 65537};
    assert_int_equal(sc_optimizer_create(&o, "nsga2", &p, 1, &options), SC_EINVAL);
    options = (sc_optimizer_options){.version = 1, .batch = 65537};
    assert_int_equal(sc_optimizer_create(&o, "nsga2", &p, 1, &options), SC_EINVAL);
    p.n_params = 0;
    assert_int_equal(sc_optimizer_create(&o, "random", &p, 1, NULL), SC_EINVAL);
    p = case_problem;
    p.n_objectives = SC_MAX_OBJECTIVES + 1;
    assert_int_equal(sc_optimizer_create(&o, "random", &p, 1, NULL), SC_EINVAL);
    p = case_problem;
    p.cardinality = zero;
    assert_int_equal(sc_optimizer_create(&o, "random", &p, 1, NULL), SC_EINVAL);
    assert_null(o);
    sc_optimizer_destroy(NULL);
}

static void test_grid_needs_a_countable_space(void **state)
{
    static const uint32_t cardinality[] = {1 << 20, 1 << 20, 1 << 20, 8};
    static const bool ordered[4] = {false};
    sc_problem p = {
        .n_params = 4, .cardinality = cardinality, .categorical = ordered, .n_objectives = 1};
    sc_optimizer *o = NULL;
    assert_int_equal(sc_optimizer_create(&o, "grid", &p, 1, NULL), SC_EINVAL);
    assert_null(o);
    p.n_params = 3;
    assert_int_equal(sc_optimizer_create(&o, "grid", &p, 1, NULL), SC_OK);
    sc_optimizer_destroy(o);
}

/* A bad trial anywhere in a batch leaves everything as it was; so does a repeated one. */
static void test_rejects_trials(void **state)
{
    static const uint32_t good[CASE_PARAMS] = {0, 1, 0, 0, 1, 2};
    static const uint32_t outside[CASE_PARAMS] = {0, 5, 0, 0, 1, 2};
    static const double fine[] = {1, 2}, nan_value[] = {1, NAN}, infinite[] = {HUGE_VAL, 1};
    const sc_trial bad[] = {
        {outside, SC_TRIAL_FEASIBLE, 0, fine},   {good, SC_TRIAL_FEASIBLE, 0, NULL},
        {good, SC_TRIAL_FEASIBLE, 0, nan_value}, {good, SC_TRIAL_FEASIBLE, 0, infinite},
        {good, SC_TRIAL_INFEASIBLE, 0, NULL},    {good, SC_TRIAL_INFEASIBLE, -1, NULL},
        {good, SC_TRIAL_INFEASIBLE, NAN, NULL},  {good, SC_TRIAL_INFEASIBLE, HUGE_VAL, NULL},
        {good, (sc_trial_state)7, 1, fine},
    };
    uint32_t points[20 * CASE_PARAMS];
    sc_stop why;
    sc_optimizer *o = rules_create("nsga2", &case_problem, 1, NULL);
    assert_int_equal(case_ask(o, 20, points, &why), 20);
    assert_int_equal(case_tell(o, points, 20), SC_OK);
    size_t n, m;
    void *before = rules_saved(o, &n);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        const sc_trial batch[] = {{good, SC_TRIAL_FEASIBLE, 0, fine}, bad[i]};
        assert_int_equal(sc_optimizer_tell(o, batch, 2), SC_EINVAL);
        assert_non_null(strstr(sc_error_message(), "trial 1"));
    }
    double values[] = {-100, -100};
    const sc_trial again = {points, SC_TRIAL_FEASIBLE, 0, values};
    assert_int_equal(sc_optimizer_tell(o, &again, 1), SC_OK);
    void *after = rules_saved(o, &m);
    assert_int_equal(n, m);
    assert_memory_equal(before, after, n);
    sc_free(before);
    sc_free(after);
    sc_optimizer_destroy(o);
}

static void test_names(void **state)
{
    static const char *const want[] = {"random",  "sobol", "grid", "list",
                                       "nsga2",   "cmaes", "tpe",  "evolution",
                                       "firefly", "lcs",   "gp",   "portfolio"};
    const size_t n = sizeof want / sizeof *want;
    for (size_t i = 0; i < n; i++) {
        assert_string_equal(sc_optimizer_builtin(i), want[i]);
        assert_true(strlen(sc_optimizer_builtin_about(i)) > 10);
    }
    assert_null(sc_optimizer_builtin(n));
    assert_null(sc_optimizer_builtin_about(n));
    sc_optimizer *o = rules_create("sobol", &case_problem, 1, NULL);
    assert_string_equal(sc_optimizer_name(o), "sobol");
    sc_optimizer_destroy(o);
    assert_string_equal(sc_trial_state_name(SC_TRIAL_FAILED), "failed");
}

int main(void)
{
    const struct CMUnitTest t[] = {
        RULES,
        cmocka_unit_test(test_grid_order),
        cmocka_unit_test(test_grid_order_with_conditions),
        cmocka_unit_test(test_sparse_space),
        cmocka_unit_test(test_list),
        cmocka_unit_test(test_rejects_creation),
        cmocka_unit_test(test_grid_needs_a_countable_space),
        cmocka_unit_test(test_rejects_trials),
        cmocka_unit_test(test_names),
    };
    return cmocka_run_group_tests_name("search_optimizer", t, NULL, NULL);
}
