/* What holds for every optimiser: canonical, valid and new points until there are none left. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka wants the four above first */
#include <cmocka.h>
#include <stdlib.h>

#include "core/mem.h"
#include "core/rng.h"
#include "search_cases.h"

enum { CASE_POINTS = 2160 };

static const char *const searching[] = {"random", "sobol",     "grid",    "nsga2", "cmaes",
                                        "tpe",    "evolution", "firefly", "lcs",   "gp"};
enum { N_SEARCHING = sizeof searching / sizeof *searching };

static sc_optimizer *create(const char *name, const sc_problem *p, uint64_t seed,
                            const sc_optimizer_options *options)
{
    static const sc_optimizer_options quick = {.version = 1, .population = 8};
    sc_optimizer *o = NULL;
    if (!options && strcmp(name, "gp") == 0)
        options = &quick; /* a model of few rows obeys the same rules */
    assert_int_equal(sc_optimizer_create(&o, name, p, seed, options), SC_OK);
    return o;
}

static void *saved(const sc_optimizer *o, size_t *n)
{
    unsigned char *bytes = NULL;
    assert_int_equal(sc_optimizer_save(o, SC_SAVE_WHOLE, &bytes, n), SC_OK);
    return bytes;
}

static size_t rank_of(const uint32_t *p)
{
    size_t rank = 0;
    for (size_t i = 0; i < CASE_PARAMS; i++)
        rank = rank * case_cardinality[i] + p[i];
    return rank;
}

/* Canonical and valid points, by looking at all. */
static size_t count_valid(void)
{
    size_t n = 0;
    for (size_t rank = 0; rank < CASE_POINTS; rank++) {
        uint32_t p[CASE_PARAMS], q[CASE_PARAMS];
        size_t rest = rank;
        for (size_t i = CASE_PARAMS; i-- > 0; rest /= case_cardinality[i])
            p[i] = (uint32_t)(rest % case_cardinality[i]);
        memcpy(q, p, sizeof q);
        case_canonical(NULL, q, NULL);
        n += memcmp(p, q, sizeof p) == 0 && case_valid(NULL, p);
    }
    return n;
}

static void check_new(const uint32_t *p, bool *seen)
{
    uint32_t q[CASE_PARAMS];
    memcpy(q, p, sizeof q);
    case_canonical(NULL, q, NULL);
    assert_memory_equal(p, q, sizeof q);
    assert_true(case_valid(NULL, p));
    assert_false(seen[rank_of(p)]);
    seen[rank_of(p)] = true;
}

/* Batches of changing size to the end: every valid point once, then EXHAUSTED for good. */
static void test_proposes_each_point_once(void **state)
{
    const size_t want = count_valid();
    for (size_t k = 0; k < N_SEARCHING; k++) {
        const uint64_t seeds = strcmp(searching[k], "gp") == 0 ? 1 : 3; /* it takes its time */
        for (uint64_t seed = 1; seed <= seeds; seed++) {
            static bool seen[CASE_POINTS];
            uint32_t points[CASE_BATCH * CASE_PARAMS];
            sc_optimizer *o = create(searching[k], &case_problem, seed, NULL);
            sc_stop why = SC_RUNNING;
            size_t total = 0;
            memset(seen, 0, sizeof seen);
            for (size_t step = 0; why == SC_RUNNING; step++) {
                const size_t n = 1 + (step * 7 + seed) % CASE_BATCH;
                const size_t got = case_ask(o, n, points, &why);
                assert_true(got == n || why == SC_STOP_EXHAUSTED);
                for (size_t i = 0; i < got; i++)
                    check_new(points + i * CASE_PARAMS, seen);
                assert_int_equal(case_tell(o, points, got), SC_OK);
                total += got;
            }
            assert_int_equal(total, want);
            assert_int_equal(sc_optimizer_asked(o), want);
            assert_int_equal(sc_optimizer_told(o), want);
            assert_int_equal(case_ask(o, 1, points, &why), 0);
            assert_int_equal(why, SC_STOP_EXHAUSTED);
            sc_optimizer_destroy(o);
        }
    }
}

/* Ask n in steps of a fixed size, telling nothing. */
static void ask_in_steps(const char *name, uint64_t seed, size_t step, uint32_t *points, size_t n)
{
    sc_optimizer *o = create(name, &case_problem, seed, NULL);
    sc_stop why;
    for (size_t done = 0; done < n; done += step)
        assert_int_equal(case_ask(o, step, points + done * CASE_PARAMS, &why), step);
    sc_optimizer_destroy(o);
}

static void test_depends_on_seed_not_on_batch(void **state)
{
    for (size_t k = 0; k < N_SEARCHING; k++) {
        uint32_t a[60 * CASE_PARAMS], b[60 * CASE_PARAMS];
        ask_in_steps(searching[k], 5, 1, a, 60);
        ask_in_steps(searching[k], 5, 20, b, 60);
        assert_memory_equal(a, b, sizeof a);
        ask_in_steps(searching[k], 6, 20, b, 60);
        if (strcmp(searching[k], "grid") != 0)
            assert_memory_not_equal(a, b, sizeof a);
    }
}

/* The whole loop: a second run tells and asks the very same. */
static void test_repeats_itself(void **state)
{
    uint32_t a[10][CASE_BATCH * CASE_PARAMS];
    for (size_t k = 0; k < N_SEARCHING; k++) {
        for (int run = 0; run < 2; run++) {
            sc_optimizer *o = create(searching[k], &case_problem, 9, NULL);
            for (size_t step = 0; step < 10; step++) {
                uint32_t points[CASE_BATCH * CASE_PARAMS];
                sc_stop why;
                assert_int_equal(case_ask(o, CASE_BATCH, points, &why), CASE_BATCH);
                assert_int_equal(case_tell(o, points, CASE_BATCH), SC_OK);
                if (run == 0)
                    memcpy(a[step], points, sizeof points);
                assert_memory_equal(a[step], points, sizeof points);
            }
            sc_optimizer_destroy(o);
        }
    }
}

static void test_never_asks_what_was_told(void **state)
{
    uint32_t given[3][CASE_PARAMS] = {{1, 1, 2, 0, 3, 0}, {0, 4, 1, 1, 1, 1}, {3, 4, 0, 0, 5, 0}};
    for (size_t k = 0; k < N_SEARCHING; k++) {
        static bool seen[CASE_POINTS];
        uint32_t points[CASE_BATCH * CASE_PARAMS];
        sc_stop why = SC_RUNNING;
        sc_optimizer *o = create(searching[k], &case_problem, 3, NULL);
        memset(seen, 0, sizeof seen);
        assert_int_equal(case_tell(o, *given, 3), SC_OK); /* the last one is not valid: a fact */
        for (size_t i = 0; i < 3; i++) {
            uint32_t q[CASE_PARAMS];
            memcpy(q, given[i], sizeof q);
            case_canonical(NULL, q, NULL);
            seen[rank_of(q)] = true;
        }
        assert_int_equal(sc_optimizer_told(o), 3);
        assert_int_equal(sc_optimizer_asked(o), 0);
        size_t total = 0;
        while (why == SC_RUNNING) {
            const size_t got = case_ask(o, CASE_BATCH, points, &why);
            for (size_t i = 0; i < got; i++)
                check_new(points + i * CASE_PARAMS, seen);
            total += got;
        }
        assert_int_equal(total, count_valid() - 2);
        assert_int_equal(sc_optimizer_pending(o), total);
        sc_optimizer_destroy(o);
    }
}

static void test_grid_order(void **state)
{
    static const uint32_t cardinality[] = {2, 3};
    static const bool ordered[2] = {false};
    const sc_problem p = {
        .n_params = 2, .cardinality = cardinality, .categorical = ordered, .n_objectives = 1};
    sc_optimizer *o = create("grid", &p, 0, NULL);
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
    sc_optimizer *o = create("grid", &p, 0, NULL);
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
        sc_optimizer *o = create("grid", &p, 0, NULL);
        uint32_t point[2];
        size_t got = 9;
        sc_stop why = SC_RUNNING;
        while (why == SC_RUNNING && got != 1) {
            assert_int_equal(sc_optimizer_ask(o, 1, point, &got, &why), SC_OK);
            assert_true(++calls[interrupted] < 5);
            size_t n;
            void *bytes = saved(o, &n);
            sc_optimizer *fresh = create("grid", &p, 0, NULL);
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

static bool nothing(const void *context, const uint32_t *index)
{
    return false;
}

/* Bounded, though there are 2^1280 points and none is valid. */
static void test_gives_up(void **state)
{
    static uint32_t cardinality[64];
    static bool ordered[64];
    for (size_t i = 0; i < 64; i++)
        cardinality[i] = SC_MAX_VALUES;
    sc_problem p = {.n_params = 64,
                    .cardinality = cardinality,
                    .categorical = ordered,
                    .n_objectives = 1,
                    .valid = nothing};
    static const char *const names[] = {"random",    "sobol",   "nsga2", "cmaes", "tpe",
                                        "evolution", "firefly", "lcs",   "gp"};
    uint32_t points[128];
    size_t got;
    sc_stop why;
    for (size_t k = 0; k < sizeof names / sizeof *names; k++) {
        sc_optimizer *o = create(names[k], &p, 1, NULL);
        for (int again = 0; again < 2; again++) {
            assert_int_equal(sc_optimizer_ask(o, 2, points, &got, &why), SC_OK);
            assert_int_equal(got, 0);
            assert_int_equal(why, SC_STOP_EXHAUSTED);
        }
        size_t n;
        void *bytes = saved(o, &n); /* however many draws that took */
        assert_int_equal(sc_optimizer_load(o, bytes, n, NULL), SC_OK);
        sc_free(bytes);
        sc_optimizer_destroy(o);
    }
    p.valid = NULL; /* and such a space can be searched */
    for (size_t k = 0; k < sizeof names / sizeof *names; k++) {
        sc_optimizer *o = create(names[k], &p, 1, NULL);
        assert_int_equal(sc_optimizer_ask(o, 2, points, &got, &why), SC_OK);
        assert_int_equal(got, 2);
        assert_memory_not_equal(points, points + 64, 64 * sizeof *points);
        sc_optimizer_destroy(o);
    }
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
    sc_optimizer *o = create("list", &case_problem, 0, &options);
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
    sc_optimizer *o = create("nsga2", &case_problem, 1, NULL);
    assert_int_equal(case_ask(o, 20, points, &why), 20);
    assert_int_equal(case_tell(o, points, 20), SC_OK);
    size_t n, m;
    void *before = saved(o, &n);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        const sc_trial batch[] = {{good, SC_TRIAL_FEASIBLE, 0, fine}, bad[i]};
        assert_int_equal(sc_optimizer_tell(o, batch, 2), SC_EINVAL);
        assert_non_null(strstr(sc_error_message(), "trial 1"));
    }
    double values[] = {-100, -100};
    const sc_trial again = {points, SC_TRIAL_FEASIBLE, 0, values};
    assert_int_equal(sc_optimizer_tell(o, &again, 1), SC_OK);
    void *after = saved(o, &m);
    assert_int_equal(n, m);
    assert_memory_equal(before, after, n);
    sc_free(before);
    sc_free(after);
    sc_optimizer_destroy(o);
}

static void test_names(void **state)
{
    static const char *const want[] = {"random", "sobol",     "grid",    "list", "nsga2", "cmaes",
                                       "tpe",    "evolution", "firefly", "lcs",  "gp"};
    const size_t n = sizeof want / sizeof *want;
    for (size_t i = 0; i < n; i++) {
        assert_string_equal(sc_optimizer_builtin(i), want[i]);
        assert_true(strlen(sc_optimizer_builtin_about(i)) > 10);
    }
    assert_null(sc_optimizer_builtin(n));
    assert_null(sc_optimizer_builtin_about(n));
    sc_optimizer *o = create("sobol", &case_problem, 1, NULL);
    assert_string_equal(sc_optimizer_name(o), "sobol");
    sc_optimizer_destroy(o);
    assert_string_equal(sc_trial_state_name(SC_TRIAL_FAILED), "failed");
}

/* Ask and tell again and again: an ask or tell that fails for memory changes nothing. */
static sc_status run_a_little(const char *name)
{
    uint32_t points[CASE_BATCH * CASE_PARAMS];
    sc_optimizer *o = NULL;
    size_t got = 99;
    sc_stop why = SC_STOP_TARGET;
    sc_status st = sc_optimizer_create(&o, name, &case_problem, 4, NULL);
    for (int i = 0; i < 3 && st == SC_OK; i++) {
        const uint64_t asked = sc_optimizer_asked(o), told = sc_optimizer_told(o);
        st = sc_optimizer_ask(o, CASE_BATCH, points, &got, &why);
        if (st == SC_OK)
            st = case_tell(o, points, CASE_BATCH);
        else
            assert_true(sc_optimizer_asked(o) == asked && sc_optimizer_told(o) == told);
    }
    sc_optimizer_destroy(o);
    return st;
}

static void test_out_of_memory(void **state)
{
    const long before = sc_mem_live();
    for (size_t i = 0; i < N_SEARCHING; i++) {
        long k = 0;
        for (;; k++) {
            sc_mem_fail_after(k);
            const sc_status st = run_a_little(searching[i]);
            sc_mem_fail_after(-1);
            assert_int_equal(sc_mem_live(), before);
            if (st == SC_OK)
                break;
            assert_int_equal(st, SC_ENOMEM);
        }
        assert_true(k >= 8);
    }
}

int main(void)
{
    const struct CMUnitTest t[] = {
        cmocka_unit_test(test_proposes_each_point_once),
        cmocka_unit_test(test_depends_on_seed_not_on_batch),
        cmocka_unit_test(test_repeats_itself),
        cmocka_unit_test(test_never_asks_what_was_told),
        cmocka_unit_test(test_grid_order),
        cmocka_unit_test(test_grid_order_with_conditions),
        cmocka_unit_test(test_sparse_space),
        cmocka_unit_test(test_gives_up),
        cmocka_unit_test(test_list),
        cmocka_unit_test(test_rejects_creation),
        cmocka_unit_test(test_grid_needs_a_countable_space),
        cmocka_unit_test(test_rejects_trials),
        cmocka_unit_test(test_names),
        cmocka_unit_test(test_out_of_memory),
    };
    return cmocka_run_group_tests_name("search_optimizer", t, NULL, NULL);
}
