#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka wants the four above first */
#include <cmocka.h>
#include <stdio.h>
#include <string.h>

#include "core/json.h"
#include "core/mem.h"
#include "flow_support.h"
#include "scantle/log.h"

/* Both open; closed by done(). */
typedef struct desk {
    sc_study *study;
    sc_store *store;
} desk;

static desk sit_down(const char *study, const char *db)
{
    desk d = {0};
    if (sc_study_open(&d.study, study, NULL) != SC_OK ||
        sc_store_open(&d.store, db, SC_STORE_CREATE) != SC_OK)
        fail_msg("%s", sc_error_message());
    return d;
}

static void done(desk *d)
{
    sc_store_close(d->store);
    sc_study_close(d->study);
}

static json_t *ask(const desk *d, size_t n)
{
    char *text = NULL;
    json_t *list = NULL;
    if (sc_study_ask(&text, d->study, d->store, n) != SC_OK ||
        sc_json_parse(&list, "ask", text, strlen(text)) != SC_OK)
        fail_msg("%s", sc_error_message());
    sc_release(text);
    return list;
}

static const char *id_at(const json_t *list, size_t i)
{
    return json_string_value(json_object_get(json_array_get(list, i), "id"));
}

/* The evaluator outside: cost (x - 40)^2, 10 more in mode b; weight 2 x. */
static sc_status tell_all(const desk *d, const json_t *list, uint64_t *told)
{
    json_t *results = json_array();
    for (size_t i = 0; i < json_array_size(list); i++) {
        const json_t *p = json_object_get(json_array_get(list, i), "params");
        const double x = json_number_value(json_object_get(p, "x"));
        const char *mode = json_string_value(json_object_get(p, "mode"));
        const double cost = (x - 40) * (x - 40) + (strcmp(mode, "b") == 0 ? 10 : 0);
        json_array_append_new(results, json_pack("{s:s,s:{s:f,s:f}}", "id", id_at(list, i),
                                                 "metrics", "cost", cost, "weight", 2 * x));
    }
    char *text = json_dumps(results, 0);
    const sc_status st = sc_study_tell(d->study, d->store, text, told);
    free(text);
    json_decref(results);
    return st;
}

static void test_finds_the_best_point(void **state)
{
    const char *study = flow_external_study(state, "budget: {trials: 128}\n");
    const char *db = flow_path(state, "a.db");
    uint64_t total = 0;
    for (;;) {
        desk d = sit_down(study, db); /* each step in a process of its own, as scripts do */
        uint64_t told = 0;
        json_t *list = ask(&d, 16);
        const size_t n = json_array_size(list);
        assert_int_equal(tell_all(&d, list, &told), SC_OK);
        assert_int_equal(told, n);
        total += told;
        json_decref(list);
        done(&d);
        if (n == 0)
            break;
    }
    assert_int_equal(total, 128); /* 64 x 2 points: the whole space, each once */
    char *csv = flow_export(study, db);
    assert_non_null(strstr(csv, "infeasible")); /* x > 50 weighs more than 100 */
    assert_non_null(strstr(csv, ",40,a,"));
    sc_release(csv);
}

static void test_points_wait_until_told(void **state)
{
    const char *study = flow_external_study(state, "budget: {trials: 12}\n");
    const char *db = flow_path(state, "a.db");
    uint64_t told = 0;
    desk d = sit_down(study, db);
    json_t *first = ask(&d, 3);
    done(&d);
    d = sit_down(study, db);
    json_t *second = ask(&d, 3);
    assert_int_equal(json_array_size(second), 3);
    for (size_t i = 0; i < 3; i++)
        for (size_t k = 0; k < 3; k++)
            assert_string_not_equal(id_at(first, i), id_at(second, k));
    assert_int_equal(tell_all(&d, second, &told), SC_OK); /* in any order */
    assert_int_equal(tell_all(&d, first, &told), SC_OK);
    assert_int_equal(told, 3);
    assert_int_equal(tell_all(&d, first, &told), SC_OK); /* again: nothing new */
    assert_int_equal(told, 0);
    json_decref(first);
    json_decref(second);
    done(&d);
}

static void test_infeasible_and_failed(void **state)
{
    const char *study = flow_external_study(state, "budget: {trials: 12}\n");
    const char *db = flow_path(state, "a.db");
    char text[512];
    uint64_t told = 0;
    desk d = sit_down(study, db);
    json_t *list = ask(&d, 2);
    (void)snprintf(text, sizeof text,
                   "[{\"id\":\"%s\",\"infeasible\":\"no \\\"room\\\"\"},"
                   "{\"id\":\"%s\",\"failed\":\"crashed\"}]",
                   id_at(list, 0), id_at(list, 1));
    assert_int_equal(sc_study_tell(d.study, d.store, text, &told), SC_OK);
    assert_int_equal(told, 2);
    json_decref(list);
    done(&d);
    char *csv = flow_export(study, db);
    assert_non_null(strstr(csv, "infeasible"));
    assert_non_null(strstr(csv, "failed"));
    assert_non_null(strstr(csv, "room"));
    sc_release(csv);
}

static void test_rejects(void **state)
{
    const char *study = flow_external_study(state, "budget: {trials: 12}\n");
    char text[512];
    desk d = sit_down(study, flow_path(state, "a.db"));
    json_t *list = ask(&d, 1);
    const char *id = id_at(list, 0);
    const struct {
        const char *form; /* %s: the id */
        sc_status status;
        const char *says;
    } bad[] = {
        {"{\"id\":\"%s\",", SC_EPARSE, "results:1:"},
        {"{\"id\":\"%.0s0123456789ab\",\"metrics\":{\"cost\":1,\"weight\":1}}", SC_ENOTFOUND,
         "never asked"},
        {"{\"id\":\"%.0s0123456789ab\",\"metrics\":{\"cots\":1}}", SC_ENOTFOUND, "never asked"},
        {"{\"id\":\"%s\",\"metrics\":{\"cost\":1}}", SC_EINVAL, "'weight' is missing"},
        {"{\"id\":\"%s\",\"metrics\":{\"cost\":\"x\",\"weight\":1}}", SC_EINVAL, "no number"},
        {"{\"id\":\"%s\"}", SC_EINVAL, "say one of"},
        {"{\"id\":\"%s\",\"failed\":\"a\",\"infeasible\":\"b\"}", SC_EINVAL, "say one of"},
        {"[\"%s\"]", SC_EINVAL, "\"id\""},
        {"[{\"id\":\"%1$s\",\"failed\":\"a\"},{\"id\":\"%1$s\",\"failed\":\"a\"}]", SC_EINVAL,
         "twice"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        uint64_t told = 42;
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
        (void)snprintf(text, sizeof text, bad[i].form, id);
#pragma GCC diagnostic pop
        assert_int_equal(sc_study_tell(d.study, d.store, text, &told), bad[i].status);
        assert_non_null(strstr(sc_error_message(), bad[i].says));
        assert_int_equal(told, 42);
    }
    json_decref(list);
    done(&d);
}

/* The first result stands; telling another one is a conflict and changes nothing. */
static void test_another_result_is_a_conflict(void **state)
{
    const char *study = flow_external_study(state, "budget: {trials: 12}\n");
    char text[256];
    uint64_t told = 0;
    desk d = sit_down(study, flow_path(state, "a.db"));
    json_t *list = ask(&d, 1);
    assert_int_equal(tell_all(&d, list, &told), SC_OK);
    (void)snprintf(text, sizeof text, "{\"id\":\"%s\",\"metrics\":{\"cost\":-1,\"weight\":1}}",
                   id_at(list, 0));
    assert_int_equal(sc_study_tell(d.study, d.store, text, &told), SC_EINVAL);
    assert_non_null(strstr(sc_error_message(), "told otherwise"));
    json_decref(list);
    done(&d);
}

static void keep_line(sc_log_level level, const char *line, void *payload)
{
    char *kept = payload;
    assert_int_equal(level, SC_LOG_WARNING);
    (void)snprintf(kept + strlen(kept), 512 - strlen(kept), "%s\n", line);
}

/* A name that the study has not is left out, and said once: it may be a slip. */
static void test_unknown_metric_is_a_warning(void **state)
{
    const char *study = flow_external_study(state, "budget: {trials: 12}\n");
    char text[512], lines[512] = "";
    uint64_t told = 0;
    desk d = sit_down(study, flow_path(state, "a.db"));
    json_t *list = ask(&d, 2);
    (void)snprintf(text, sizeof text,
                   "[{\"id\":\"%s\",\"metrics\":{\"cost\":1,\"weight\":1,\"wieght\":2}},"
                   "{\"id\":\"%s\",\"metrics\":{\"cost\":1,\"weight\":1,\"wieght\":2}}]",
                   id_at(list, 0), id_at(list, 1));
    sc_log_set(keep_line, lines);
    assert_int_equal(sc_study_tell(d.study, d.store, text, &told), SC_OK);
    sc_log_set(NULL, NULL);
    assert_int_equal(told, 2);
    assert_non_null(strstr(lines, "'wieght'"));
    assert_non_null(strstr(lines, "did you mean 'weight'?"));
    assert_ptr_equal(strchr(lines, '\n'), lines + strlen(lines) - 1); /* one line */
    json_decref(list);
    done(&d);
}

/* Whole numbers are integers: evaluators format them into other tools' files. */
static void test_whole_parameters_are_integers(void **state)
{
    desk d =
        sit_down(flow_external_study(state, "budget: {trials: 12}\n"), flow_path(state, "a.db"));
    json_t *list = ask(&d, 1);
    const json_t *params = json_object_get(json_array_get(list, 0), "params");
    assert_true(json_is_integer(json_object_get(params, "x")));
    json_decref(list);
    done(&d);
}

static void test_run_refuses_an_external_study(void **state)
{
    desk d = sit_down(flow_external_study(state, ""), flow_path(state, "a.db"));
    sc_study_options o = SC_STUDY_OPTIONS_INIT;
    sc_study_outcome outcome;
    assert_int_equal(sc_study_run(d.study, d.store, &o, &outcome), SC_EINVAL);
    assert_non_null(strstr(sc_error_message(), "ask and tell"));
    done(&d);
}

int main(void)
{
#define CASE(f) cmocka_unit_test_setup_teardown(f, flow_set_up, flow_tear_down)
    const struct CMUnitTest t[] = {
        CASE(test_finds_the_best_point),          CASE(test_points_wait_until_told),
        CASE(test_infeasible_and_failed),         CASE(test_rejects),
        CASE(test_another_result_is_a_conflict),  CASE(test_unknown_metric_is_a_warning),
        CASE(test_whole_parameters_are_integers), CASE(test_run_refuses_an_external_study)};
    return cmocka_run_group_tests_name("flow_ask", t, NULL, NULL);
}
