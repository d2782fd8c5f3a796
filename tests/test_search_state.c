/* Saved states of the optimisers without a model; and what else must not load. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka wants the four above first */
#include <cmocka.h>
#include <stdlib.h>

#include "core/mem.h"
#include "core/rng.h"
#include "search_states.h"

static uint32_t list_points[MOST][CASE_PARAMS];

const struct state_case states_cases[] = {
    {"random", SC_OPTIMIZER_OPTIONS_INIT},
    {"sobol", SC_OPTIMIZER_OPTIONS_INIT},
    {"grid", SC_OPTIMIZER_OPTIONS_INIT},
    {"list", {.version = 1, .points = *list_points, .n_points = MOST}},
    {"nsga2", SC_OPTIMIZER_OPTIONS_INIT},
    {"nsga2", {.version = 1, .population = 30, .batch = 17}},
    {"cmaes", SC_OPTIMIZER_OPTIONS_INIT},
    {"cmaes", {.version = 1, .population = 24}},
    {"evolution", SC_OPTIMIZER_OPTIONS_INIT},
    {"evolution", {.version = 1, .population = 21}},
    {"firefly", SC_OPTIMIZER_OPTIONS_INIT},
    {"firefly", {.version = 1, .population = 50}},
    {"lcs", SC_OPTIMIZER_OPTIONS_INIT},
    {"lcs", {.version = 1, .population = 30, .batch = 17}},
};
const size_t states_n_cases = sizeof states_cases / sizeof *states_cases;

static int fill_list(void **state)
{
    sc_rng r;
    sc_rng_init(&r, 8, 1, 0);
    for (size_t k = 0; k < MOST;) {
        for (size_t i = 0; i < CASE_PARAMS; i++)
            list_points[k][i] = (uint32_t)gsl_rng_uniform_int(&r.gsl, case_cardinality[i]);
        k += case_valid(NULL, list_points[k]);
    }
    return 0;
}

static void test_refuses_other_runs(void **state)
{
    static struct state_told told;
    const sc_history history = {44, states_get_told, &told},
                     short_history = {43, states_get_told, &told};
    sc_optimizer *o = states_half_way(4, &told), *other_seed = states_create(4, 78),
                 *other = states_create(0, 77), *other_options = states_create(5, 77);
    struct state_bytes light = states_save(o, SC_SAVE_LIGHT);
    states_must_not_load(other, light.at, light.n, &history, "another optimizer");
    states_must_not_load(other_seed, light.at, light.n, &history, "another optimizer");
    states_must_not_load(other_options, light.at, light.n, &history, "another optimizer");
    states_must_not_load(o, light.at, light.n, NULL, "not the ones that were told");
    states_must_not_load(o, light.at, light.n, &short_history, "not the ones that were told");
    memcpy(told.points[0], told.points[44], sizeof told.points[0]); /* a pending one instead */
    states_must_not_load(o, light.at, light.n, &history, "damaged");
    states_must_not_load(o, light.at, 0, &history, "too short");
    states_must_not_load(o, "SCOPxxxxxxxxxxxxxxxxx", 21, &history, "damaged");
    states_must_not_load(o, "something else entirely", 23, &history, "not one");
    sc_free(light.at);
    sc_optimizer_destroy(o);
    sc_optimizer_destroy(other);
    sc_optimizer_destroy(other_seed);
    sc_optimizer_destroy(other_options);
}

/* As many told points, one of them never met. */
static void test_refuses_another_history(void **state)
{
    static struct state_told told;
    const sc_history history = {44, states_get_told, &told};
    sc_optimizer *o = states_half_way(4, &told);
    struct state_bytes light = states_save(o, SC_SAVE_LIGHT);
    for (uint32_t k = 0; k < 4; k++) {
        uint32_t kept[CASE_PARAMS], other[CASE_PARAMS] = {k, 4, 0, 0, 5, 2};
        memcpy(kept, told.points[7], sizeof kept);
        memcpy(told.points[7], other, sizeof other);
        bool met = false;
        for (size_t i = 0; i < 55; i++)
            met |= i != 7 && memcmp(told.points[i], other, sizeof other) == 0;
        if (!met && memcmp(kept, other, sizeof other) != 0)
            states_must_not_load(o, light.at, light.n, &history, "not the ones that were told");
        else
            assert_true(k < 3); /* k = 3 breaks the known constraint: never asked */
        memcpy(told.points[7], kept, sizeof kept);
    }
    sc_free(light.at);
    sc_optimizer_destroy(o);
}

/* Nothing but equal misses so far: that the optimiser is blind must be known after a load. */
static void test_blindness_survives(void **state)
{
    uint32_t points[30 * CASE_PARAMS], a[10 * CASE_PARAMS], b[10 * CASE_PARAMS];
    sc_trial trials[30];
    sc_stop why;
    sc_optimizer *o = states_create(4, 77), *p = states_create(4, 77);
    assert_int_equal(case_ask(o, 30, points, &why), 30);
    for (size_t i = 0; i < 30; i++)
        trials[i] = (sc_trial){points + i * CASE_PARAMS, SC_TRIAL_INFEASIBLE, 1, NULL};
    assert_int_equal(sc_optimizer_tell(o, trials, 30), SC_OK);
    struct state_bytes bytes = states_save(o, SC_SAVE_WHOLE);
    assert_int_equal(sc_optimizer_load(p, bytes.at, bytes.n, NULL), SC_OK);
    assert_int_equal(case_ask(o, 10, a, &why), 10);
    assert_int_equal(case_ask(p, 10, b, &why), 10);
    assert_memory_equal(a, b, sizeof a);
    sc_free(bytes.at);
    sc_optimizer_destroy(o);
    sc_optimizer_destroy(p);
}

static sc_status get_nothing(void *payload, uint64_t i, sc_trial *trial)
{
    return sc_fail(SC_EIO, "the store is gone");
}

static sc_status get_nonsense(void *payload, uint64_t i, sc_trial *trial)
{
    static const uint32_t outside[CASE_PARAMS] = {99};
    *trial = (sc_trial){.point = outside, .state = SC_TRIAL_FAILED};
    return SC_OK;
}

static void test_passes_failures_of_the_history_on(void **state)
{
    static struct state_told told;
    const sc_history gone = {44, get_nothing, NULL}, nonsense = {44, get_nonsense, NULL};
    sc_optimizer *o = states_half_way(4, &told);
    struct state_bytes light = states_save(o, SC_SAVE_LIGHT);
    assert_int_equal(sc_optimizer_load(o, light.at, light.n, &gone), SC_EIO);
    assert_int_equal(sc_optimizer_load(o, light.at, light.n, &nonsense), SC_EINVAL);
    struct state_bytes after = states_save(o, SC_SAVE_LIGHT);
    states_assert_same(light, after);
    sc_free(light.at);
    sc_free(after.at);
    sc_optimizer_destroy(o);
}

int main(void)
{
    const struct CMUnitTest t[] = {
        STATES,
        cmocka_unit_test(test_refuses_other_runs),
        cmocka_unit_test(test_refuses_another_history),
        cmocka_unit_test(test_blindness_survives),
        cmocka_unit_test(test_passes_failures_of_the_history_on),
    };
    return cmocka_run_group_tests_name("search_state", t, fill_list, NULL);
}
