/* Logs of studies: every cell held against the export of the study it is of. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "core/csv.h"
#include "core_support.h"
#include "flow_support.h"
#include "scantle/study.h"

enum { TRIALS = 24 };

static sc_csv *parse(const char *text)
{
    sc_csv *c = NULL;
    if (sc_csv_parse(&c, "log", text, strlen(text)) != SC_OK)
        fail_msg("%s", sc_error_message());
    return c;
}

/* The cell of a named column; row 0 is the first below the heading. */
static const char *cell(const sc_csv *c, size_t row, const char *column)
{
    const size_t i = sc_csv_find(c, column);
    if (i == SIZE_MAX)
        fail_msg("no column %s", column);
    return sc_csv_cell(c, row + 1, i);
}

static sc_status log_of(char **out, const char *db, const char *const *words, size_t n)
{
    sc_store *store = NULL;
    assert_int_equal(sc_store_open(&store, db, SC_STORE_READ), SC_OK);
    const sc_status st = sc_study_log(out, store, words, n);
    sc_store_close(store);
    return st;
}

static sc_csv *good_log(const char *db, const char *const *words, size_t n)
{
    char *text = NULL;
    if (log_of(&text, db, words, n) != SC_OK)
        fail_msg("%s", sc_error_message());
    sc_csv *c = parse(text);
    sc_release(text);
    return c;
}

static sc_csv *export_of(const char *study, const char *db)
{
    char *text = flow_export(study, db);
    sc_csv *c = parse(text);
    sc_release(text);
    return c;
}

/* A limit that some of the designs break. */
static const char *first_study(void **state)
{
    return flow_model_study(state, "objectives: [latency_s, area_mm2]\noptimizer: random\n"
                                   "limits: {area_mm2: {max: 60}}\n");
}

static void check_rows(const sc_csv *log, size_t from, const sc_csv *export)
{
    static const char *const same[] = {"pes_x", "pes_y", "systolic_x", "l2_mode", "native_batch"};
    for (size_t r = 0; r < TRIALS; r++) {
        for (size_t i = 0; i < COUNT(same); i++)
            assert_string_equal(cell(log, from + r, same[i]), cell(export, r, same[i]));
        const char *feasible = cell(export, r, "feasible");
        assert_string_equal(cell(log, from + r, "feasible"), feasible);
        assert_string_equal(cell(log, from + r, "latency_s"),
                            strcmp(feasible, "true") == 0 ? cell(export, r, "latency_s") : "");
    }
}

static void check_network(const sc_csv *log, size_t from, const char *spec)
{
    sc_workload *w = NULL;
    assert_int_equal(sc_workload_open(&w, spec), SC_OK);
    for (size_t r = from; r < from + TRIALS; r++) {
        assert_string_equal(cell(log, r, "network"), sc_workload_name(w));
        assert_true(strtod(cell(log, r, "net_macs"), NULL) == (double)sc_workload_macs(w));
        assert_true(strtod(cell(log, r, "net_weights"), NULL) == (double)sc_workload_parameters(w));
    }
    sc_workload_destroy(w);
}

static size_t count_feasible(const sc_csv *log)
{
    size_t n = 0;
    for (size_t r = 0; r + 1 < sc_csv_rows(log); r++)
        n += strcmp(cell(log, r, "feasible"), "true") == 0;
    return n;
}

#define NETWORK SCANTLE_SOURCE_DIR "/configs/networks/example.yaml"

static void test_two_studies(void **state)
{
    static const char *const words[] = {"small", "other"};
    const char *db = flow_path(state, "log.db");
    const char *path = first_study(state);
    flow_run(path, db, 1, TRIALS);
    sc_csv *first = export_of(path, db);

    const char *second_path = flow_path(state, "other.yaml");
    FILE *f = fopen(second_path, "w");
    assert_non_null(f);
    assert_true(fputs("version: 1\nname: other\ntemplate: fast\n"
                      "space: {restrict: {pes_x: [1, 2, 4], pes_y: [1, 2], l2_mode: disabled}}\n"
                      "networks: ['" NETWORK ":batch=3']\nmap_budget: 60\nseed: 6\n"
                      "objectives: [latency_s]\noptimizer: random\n",
                      f) >= 0);
    assert_int_equal(fclose(f), 0);
    flow_run(second_path, db, 1, TRIALS);
    sc_csv *second = export_of(second_path, db);

    sc_csv *log = good_log(db, words, 2);
    assert_int_equal(sc_csv_rows(log), 1 + 2 * TRIALS);
    check_rows(log, 0, first);
    check_rows(log, TRIALS, second);
    check_network(log, 0, NETWORK);
    check_network(log, TRIALS, NETWORK ":batch=3");
    assert_in_range(count_feasible(log), 1, 2 * TRIALS - 1); /* so both branches were seen */
    for (size_t r = 0; r < TRIALS; r++) {
        assert_string_equal(cell(log, r, "study"), "small");
        assert_string_equal(cell(log, TRIALS + r, "study"), "other");
    }
    sc_csv_close(first);
    sc_csv_close(second);
    sc_csv_close(log);
}

/* A space of the user's own has no networks; a trial that failed is no row. */
static void test_outside(void **state)
{
    static const char *const words[] = {"outside"};
    const char *db = flow_path(state, "outside.db");
    sc_study *s = NULL;
    sc_store *store = NULL;
    char *asked = NULL;
    assert_int_equal(sc_study_open(&s,
                                   flow_external_study(state, "optimizer: list\npoints: "
                                                              "['x=3,mode=a', 'x=4,mode=b', "
                                                              "'x=5,mode=a']\n"),
                                   NULL),
                     SC_OK);
    assert_int_equal(sc_store_open(&store, db, SC_STORE_CREATE), SC_OK);
    assert_int_equal(sc_study_ask(&asked, s, store, 3), SC_OK);
    static const char *const results[] = {"\"metrics\": {\"cost\": 7, \"weight\": 2}",
                                          "\"infeasible\": \"hot\"", "\"failed\": \"crash\""};
    const char *at = asked;
    for (size_t i = 0; i < COUNT(results); i++) { /* in the order of asking */
        char told[200];
        at = strstr(at, "\"id\": \"");
        assert_non_null(at);
        at += strlen("\"id\": \"");
        (void)snprintf(told, sizeof told, "{\"id\": \"%.*s\", %s}", (int)strcspn(at, "\""), at,
                       results[i]);
        if (sc_study_tell(s, store, told, NULL) != SC_OK)
            fail_msg("%s", sc_error_message());
    }
    sc_release(asked);
    sc_store_close(store);
    sc_study_close(s);

    char *text = NULL;
    assert_int_equal(log_of(&text, db, words, 1), SC_OK);
    assert_string_equal(text, "study,x,mode,feasible,cost,weight\n"
                              "outside,3,a,true,7,2\n"
                              "outside,4,b,false,,\n");
    sc_release(text);
}

static void test_refused(void **state)
{
    static const char *const twice[] = {"small", "small"}, *const unknown[] = {"smell"};
    const char *db = flow_path(state, "refused.db");
    char *text = NULL;
    flow_run(first_study(state), db, 1, 4);
    assert_int_equal(log_of(&text, db, twice, 2), SC_EINVAL);
    assert_non_null(strstr(sc_error_message(), "'small' is named twice"));
    assert_int_equal(log_of(&text, db, unknown, 1), SC_ENOTFOUND);
    assert_int_equal(log_of(&text, db, unknown, 0), SC_EINVAL);
    assert_null(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_two_studies, flow_set_up, flow_tear_down),
        cmocka_unit_test_setup_teardown(test_outside, flow_set_up, flow_tear_down),
        cmocka_unit_test_setup_teardown(test_refused, flow_set_up, flow_tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
