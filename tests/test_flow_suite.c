#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka wants the four above first */
#include <cmocka.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/file.h"
#include "core/mem.h"
#include "flow/study.h"
#include "flow_support.h"
#include "scantle/evaluate.h"

/* Studies of several networks under rules, each row against evaluations one by one. */

enum { POINTS = 3, NETWORKS = 2, MOST_ROWS = 64 };
static const char *const points[POINTS] = {
    "pes_x=1,pes_y=1,systolic_x=4,systolic_y=4,native_batch=1",
    "pes_x=2,pes_y=1,systolic_x=8,systolic_y=16,native_batch=4",
    "pes_x=4,pes_y=2,systolic_x=16,systolic_y=8,native_batch=4"};
static const double weights[NETWORKS] = {1, 3};

static const char little[] =
    "version: 1\nname: little\n"
    "inputs: {x: {channels: 24, height: 20, width: 1}}\n"
    "ops:\n"
    "  - {name: a, kind: conv, inputs: [x], channels: 40, kernel: [1, 1]}\n"
    "  - {name: s, kind: softmax, inputs: [a]}\n"
    "  - {name: b, kind: conv, inputs: [s], channels: 24, kernel: [1, 1]}\n";

static int set_up(void **state)
{
    if (flow_set_up(state) != 0)
        return -1;
    return sc_file_write(flow_path(state, "little.yaml"), little, strlen(little)) == SC_OK ? 0 : -1;
}

/* Writes the study, with a text for what is tried of it. */
static const char *suite(void **state, const char *aggregate, const char *objectives,
                         const char *rules, const char *search)
{
    char text[2048];
    const char *path = flow_path(state, "suite.yaml");
    (void)snprintf(
        text, sizeof text,
        "version: 1\nname: suite\ntemplate: fast\n"
        "space: {restrict: {pes_x: [1, 2, 4], pes_y: [1, 2], systolic_x: [4, 8, 16],"
        " systolic_y: [4, 8, 16], l1_mode: private, l1_input: 16 KiB,"
        " l1_weight: 16 KiB, l1_output: 16 KiB, l2_mode: disabled, l3_global: 1 MiB,"
        " gddr6_channels: 1, vector_multiplier: 1, native_batch: [1, 4]}}\n"
        "networks:\n"
        "  - '" SCANTLE_SOURCE_DIR "/configs/networks/example.yaml'\n"
        "  - {network: little.yaml, weight: 3}\n"
        "aggregate: %s\nobjectives: %s\nrules: %s\nmap_budget: 60\nbatch: 4\nseed: 5\n%s",
        aggregate, objectives, rules, search);
    assert_int_equal(sc_file_write(path, text, strlen(text)), SC_OK);
    return path;
}

static const char *list_of_points(void)
{
    static char text[512];
    (void)snprintf(text, sizeof text, "optimizer: list\npoints: ['%s', '%s', '%s']\n", points[0],
                   points[1], points[2]);
    return text;
}

/* ---- rows of the database ---- */

typedef struct rows {
    size_t n, n_values;
    char names[SC_STORE_MAX_VALUES][128];
    double values[MOST_ROWS][SC_STORE_MAX_VALUES];
    sc_store_state state[MOST_ROWS];
    bool front[MOST_ROWS];
    char parameters[MOST_ROWS][512];
} rows;

static void read_rows(rows *out, const char *path, const char *db)
{
    sc_study *s = NULL;
    sc_store *store = NULL;
    sc_store_trials *it = NULL;
    const sc_store_trial *row = NULL;
    if (sc_study_open(&s, path, NULL) != SC_OK || sc_store_open(&store, db, SC_STORE_READ) != SC_OK)
        fail_msg("%s", sc_error_message());
    const sc_store_study key = {
        .config_hash = s->config_hash, .seed = s->seed, .model_version = sc_model_version()};
    out->n = 0;
    out->n_values = s->n_values;
    for (size_t v = 0; v < s->n_values; v++)
        (void)snprintf(out->names[v], sizeof out->names[v], "%s", s->values[v].name);
    if (sc_store_trials_open(&it, store, sc_store_study_id(&key), SC_WHICH_ALL) != SC_OK)
        fail_msg("%s", sc_error_message());
    while (sc_store_trials_next(&row, it) == SC_OK && row) {
        assert_true(out->n < MOST_ROWS);
        memcpy(out->values[out->n], row->values, s->n_values * sizeof *row->values);
        out->state[out->n] = row->state;
        out->front[out->n] = (row->flags & SC_FLAG_FRONT) != 0;
        (void)snprintf(out->parameters[out->n], sizeof out->parameters[0], "%s", row->parameters);
        out->n++;
    }
    sc_store_trials_close(it);
    sc_store_close(store);
    sc_study_close(s);
}

static double value(const rows *r, size_t row, const char *name)
{
    for (size_t v = 0; v < r->n_values; v++)
        if (strcmp(r->names[v], name) == 0)
            return r->values[row][v];
    fail_msg("no column %s", name);
    return 0.0;
}

/* ---- the oracle: each network evaluated by itself ---- */

static sc_metrics evaluate(void **state, const char *point, size_t network, const sc_rules *rules)
{
    const char *const files[NETWORKS] = {SCANTLE_SOURCE_DIR "/configs/networks/example.yaml",
                                         flow_path(state, "little.yaml")};
    sc_design *d = NULL;
    sc_workload *w = NULL;
    sc_evaluation *e = NULL;
    sc_evaluate_options o = SC_EVALUATE_OPTIONS_INIT;
    char spec[512];
    (void)snprintf(spec, sizeof spec,
                   "fast:%s,l1_mode=private,l1_input=16KiB,l1_weight=16KiB,l1_output=16KiB,"
                   "l2_mode=disabled,l3_global=1MiB,gddr6_channels=1,vector_multiplier=1",
                   point);
    o.rules = *rules;
    o.map_budget = 60;
    if (sc_design_open(&d, spec) != SC_OK || sc_workload_open(&w, files[network]) != SC_OK ||
        sc_evaluate(&e, d, w, &o) != SC_OK)
        fail_msg("%s", sc_error_message());
    const sc_metrics m = *sc_evaluation_metrics(e);
    sc_evaluation_destroy(e);
    sc_workload_destroy(w);
    sc_design_destroy(d);
    return m;
}

static void assert_near(double found, double wanted)
{
    if (!(fabs(found - wanted) <= 1e-12 * fabs(wanted)))
        fail_msg("%.17g is not %.17g", found, wanted);
}

static double weighted(double a, double b)
{
    return exp((weights[0] * log(a) + weights[1] * log(b)) / (weights[0] + weights[1]));
}

static const struct {
    const char *text;
    sc_rules rules;
} settings[] = {
    {"{fusion: on}", {.fusion = SC_FUSION_ON}},
    {"{mapping: plain, padding: off, softmax: three}",
     {.mapping = SC_MAPPING_PLAIN, .padding = SC_PADDING_OFF, .softmax = SC_SOFTMAX_THREE}},
    {"{softmax: two, padding: off, fusion: on}",
     {.padding = SC_PADDING_OFF, .softmax = SC_SOFTMAX_TWO, .fusion = SC_FUSION_ON}}};

/* A weighted geometric mean of each figure, and the figures of each network. */
static void test_geometric_mean_under_rules(void **state)
{
    static rows r;
    for (size_t k = 0; k < sizeof settings / sizeof *settings; k++) {
        const char *path =
            suite(state, "geomean", "[perf_per_tdp]", settings[k].text, list_of_points());
        const char *db = flow_path(state, "mean.db");
        assert_int_equal(flow_run(path, db, 2, 0).trials, POINTS);
        read_rows(&r, path, db);
        assert_int_equal(r.n, POINTS);
        for (size_t i = 0; i < POINTS; i++) {
            const sc_metrics a = evaluate(state, points[i], 0, &settings[k].rules);
            const sc_metrics b = evaluate(state, points[i], 1, &settings[k].rules);
            assert_near(value(&r, i, "perf_per_tdp"), weighted(a.perf_per_tdp, b.perf_per_tdp));
            assert_near(value(&r, i, "latency_s"), weighted(a.latency_s, b.latency_s));
            assert_near(value(&r, i, "energy_j"), weighted(a.energy_j, b.energy_j));
            assert_near(value(&r, i, "tdp_w"), a.tdp_w);
            assert_near(value(&r, i, "latency_s[little.yaml]"), b.latency_s);
            assert_near(value(&r, i, "perf_per_tdp[little.yaml]"), b.perf_per_tdp);
            assert_near(
                value(&r, i, "energy_j[" SCANTLE_SOURCE_DIR "/configs/networks/example.yaml]"),
                a.energy_j);
        }
    }
}

/* The worst case: the longest latency, the least throughput per watt; weights do not count. */
static void test_worst_case_under_rules(void **state)
{
    static rows r;
    const char *path = suite(state, "worst", "[perf_per_tdp]", settings[0].text, list_of_points());
    const char *db = flow_path(state, "worst.db");
    (void)flow_run(path, db, 1, 0);
    read_rows(&r, path, db);
    for (size_t i = 0; i < POINTS; i++) {
        const sc_metrics a = evaluate(state, points[i], 0, &settings[0].rules);
        const sc_metrics b = evaluate(state, points[i], 1, &settings[0].rules);
        assert_near(value(&r, i, "perf_per_tdp"), fmin(a.perf_per_tdp, b.perf_per_tdp));
        assert_near(value(&r, i, "latency_s"), fmax(a.latency_s, b.latency_s));
    }
}

static bool dominates(const double *a, const double *b)
{
    return a[0] <= b[0] && a[1] <= b[1] && (a[0] < b[0] || a[1] < b[1]);
}

/* One objective a network, and a limit on one: the front is that of the rows, by comparing all. */
static void test_an_objective_for_each_network(void **state)
{
    static rows r;
    char objectives[256], search[256];
    const double limit = evaluate(state, points[1], 1, &settings[0].rules).latency_s;
    (void)snprintf(objectives, sizeof objectives, "['latency_s[%s]', 'energy_j[little.yaml]']",
                   SCANTLE_SOURCE_DIR "/configs/networks/example.yaml");
    (void)snprintf(search, sizeof search,
                   "limits: {'latency_s[little.yaml]': {max: %.17g}}\n"
                   "optimizer: nsga2\nbudget: {trials: 40}\n",
                   limit);
    const char *path = suite(state, "geomean", objectives, settings[0].text, search);
    const char *db = flow_path(state, "front.db");
    const sc_study_outcome outcome = flow_run(path, db, 2, 0);
    assert_int_equal(outcome.trials, 40);
    assert_true(outcome.feasible > 0 && outcome.infeasible > 0);
    read_rows(&r, path, db);
    for (size_t i = 0; i < r.n; i++) {
        /* the first two columns are the objectives, both to be small */
        bool beaten = r.state[i] != SC_STATE_FEASIBLE;
        assert_int_equal(r.state[i] == SC_STATE_FEASIBLE,
                         value(&r, i, "latency_s[little.yaml]") <= limit);
        for (size_t k = 0; k < r.n && !beaten; k++)
            beaten = r.state[k] == SC_STATE_FEASIBLE && dominates(r.values[k], r.values[i]);
        if (beaten)
            assert_false(r.front[i]);
    }
    for (size_t i = 0; i < r.n; i++) {
        bool beaten = r.state[i] != SC_STATE_FEASIBLE, twin = false;
        for (size_t k = 0; k < r.n; k++)
            if (k != i && r.state[k] == SC_STATE_FEASIBLE) {
                beaten = beaten || dominates(r.values[k], r.values[i]);
                twin = twin || memcmp(r.values[k], r.values[i], 2 * sizeof(double)) == 0;
            }
        if (!beaten && !twin)
            assert_true(r.front[i]);
    }
}

/* Known designs come first, in their order, and are what they are by themselves. */
static void test_warm_start_of_a_suite(void **state)
{
    static rows r;
    char search[512];
    (void)snprintf(search, sizeof search,
                   "optimizer: evolution\nbudget: {trials: 12}\nwarm_start: ['%s', '%s']\n",
                   points[2], points[0]);
    const char *path = suite(state, "geomean", "[perf_per_tdp]", settings[0].text, search);
    const char *db = flow_path(state, "warm.db");
    assert_int_equal(flow_run(path, db, 1, 0).trials, 12);
    read_rows(&r, path, db);
    for (size_t i = 0; i < 2; i++) {
        const char *point = points[i == 0 ? 2 : 0];
        const sc_metrics a = evaluate(state, point, 0, &settings[0].rules);
        const sc_metrics b = evaluate(state, point, 1, &settings[0].rules);
        assert_near(value(&r, i, "perf_per_tdp"), weighted(a.perf_per_tdp, b.perf_per_tdp));
    }
    for (size_t i = 0; i < r.n; i++)
        for (size_t k = 0; k < i; k++)
            assert_string_not_equal(r.parameters[i], r.parameters[k]);
}

/* The same rows for any number of threads and in two runs, fusion included. */
static void test_same_rows_with_fusion(void **state)
{
    const char *path = suite(state, "geomean", "[perf_per_tdp, latency_s]", settings[0].text,
                             "optimizer: nsga2\nbudget: {trials: 24}\n");
    const char *one = flow_path(state, "one.db"), *three = flow_path(state, "three.db");
    const char *two = flow_path(state, "two.db");
    (void)flow_run(path, one, 1, 0);
    (void)flow_run(path, three, 3, 0);
    (void)flow_run(path, two, 2, 7);
    (void)flow_run(path, two, 1, 0);
    char *a = flow_export(path, one), *b = flow_export(path, three), *c = flow_export(path, two);
    assert_string_equal(a, b);
    assert_string_equal(a, c);
    sc_release(a);
    sc_release(b);
    sc_release(c);
}

/* The shipped studies of the method: eight networks, one network, and what they promise. */
static void test_shipped_studies(void **state)
{
    static const struct {
        const char *file;
        size_t networks;
    } shipped[] = {{SCANTLE_SOURCE_DIR "/configs/studies/fast-suite.yaml", 8},
                   {SCANTLE_SOURCE_DIR "/configs/studies/fast-efficientnet-b7.yaml", 1}};
    (void)state;
    for (size_t i = 0; i < 2; i++) {
        sc_study *s = NULL;
        if (sc_study_open(&s, shipped[i].file, NULL) != SC_OK)
            fail_msg("%s", sc_error_message());
        assert_int_equal(s->n_networks, shipped[i].networks);
        assert_int_equal(s->trials, 5000);
        assert_int_equal(s->rules.fusion, SC_FUSION_ON);
        assert_int_equal(s->baseline_rules.fusion, SC_FUSION_OFF);
        assert_int_equal(s->baseline_rules.mapping, SC_MAPPING_PLAIN);
        assert_string_equal(s->baseline, "tpu-v3-7nm");
        assert_string_equal(s->values[s->objectives[0]].name, "perf_per_tdp");
        assert_int_equal(s->n_limits, 2);
        sc_study_close(s);
    }
}

int main(void)
{
#define CASE(f) cmocka_unit_test_setup_teardown(f, set_up, flow_tear_down)
    const struct CMUnitTest tests[] = {
        CASE(test_geometric_mean_under_rules),    CASE(test_worst_case_under_rules),
        CASE(test_an_objective_for_each_network), CASE(test_warm_start_of_a_suite),
        CASE(test_same_rows_with_fusion),         CASE(test_shipped_studies),
    };
#undef CASE
    return cmocka_run_group_tests_name("flow_suite", tests, NULL, NULL);
}
