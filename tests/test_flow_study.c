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
#include "core/json.h"
#include "core/mem.h"
#include "flow/evaluator.h"
#include "flow_support.h"
#include "scantle/whatif.h"

static void test_joins_figures(void **state)
{
    const double v[] = {2.0, 8.0}, even[] = {1.0, 1.0}, uneven[] = {3.0, 1.0};
    (void)state;
    assert_true(fabs(sc_metric_join(SC_METRIC_LATENCY, SC_AGGREGATE_GEOMEAN, v, even, 2) - 4.0) <
                1e-12);
    assert_true(fabs(sc_metric_join(SC_METRIC_LATENCY, SC_AGGREGATE_GEOMEAN, v, uneven, 2) -
                     pow(2.0, 1.5)) < 1e-12);
    assert_true(sc_metric_join(SC_METRIC_LATENCY, SC_AGGREGATE_WORST, v, even, 2) == 8.0);
    assert_true(sc_metric_join(SC_METRIC_THROUGHPUT, SC_AGGREGATE_WORST, v, even, 2) == 2.0);
}

static void test_every_metric_by_hand(void **state)
{
    const sc_metrics m = {.latency_s = 3,
                          .throughput_per_s = 5,
                          .energy_j = 7,
                          .power_w = 11,
                          .tdp_w = 13,
                          .area_mm2 = 17,
                          .perf_per_tdp = 19,
                          .utilization = 0.23};
    const double want[SC_METRICS] = {3, 5, 7, 11, 17, 13, 19, 5.0 / 17.0, 21, 63, 0.23};
    (void)state;
    for (int i = 0; i < SC_METRICS; i++) {
        assert_true(sc_metric_of((sc_metric)i, &m) == want[i]);
        assert_string_equal(sc_metric_about_of((sc_metric)i)->name, sc_metric_names()[i]);
    }
}

static void assert_refused(const char *path, const char *says)
{
    sc_study *s = NULL;
    assert_int_equal(sc_study_open(&s, path, NULL), SC_EPARSE);
    assert_null(s);
    if (!strstr(sc_error_message(), says))
        fail_msg("'%s' is not in '%s'", says, sc_error_message());
    assert_non_null(strstr(sc_error_message(), "study.yaml:"));
}

static void test_faults_of_the_file(void **state)
{
    static const struct {
        const char *more, *says;
    } bad[] = {
        {"objectives: [perf_per_tpd]\n", "did you mean 'perf_per_tdp'?"},
        {"objectives: []\n", "0 objectives"},
        {"objectives: [latency_s, latency_s]\n", "already"},
        {"objectives: [latency_s]\nbudgets: {trials: 3}\n", "did you mean 'budget'?"},
        {"objectives: [latency_s]\nbudget: {trials: -3}\n", "must not be negative"},
        {"objectives: [latency_s]\nbudget: {trials: 0}\n", "a budget of no trials"},
        {"objectives: [latency_s]\nbudget: {time: 0 s}\n", "a budget of no time"},
        {"objectives: [latency_s]\nlimits: {area_mm2: {max: 3 W}}\n", "mm2"},
        {"objectives: [latency_s]\nlimits: {area_mm2: {most: 3}}\n", "most"},
        {"objectives: [latency_s]\nlimits: {area_mm2: {max: baseline}}\n", "no `baseline:`"},
        {"objectives: [latency_s]\nlimits: {area_mm2: {min: 3, max: 2}}\n", "no value can be"},
        {"objectives: [latency_s]\nlimits: {area_mm2: {max: 2, min: 3}}\n", "no value can be"},
        {"objectives: [latency_s]\nbaseline: tpu-v9\n", ":10:11: error: no template"},
        {"objectives: [latency_s]\noptimizer: nsga3\n", "did you mean 'nsga2'?"},
        {"objectives: [latency_s]\noptimizer: {name: nsga2, population: 1}\n",
         ":10:12: error: nsga2: population 1"},
        {"objectives: [latency_s]\noptimizer: list\n", ":10:12: error: list: no points"},
        {"objectives: [latency_s]\nkeep: some\n", "some"},
        {"objectives: [latency_s]\nbatch: 0\n", "duplicate"},
        {"objectives: [latency_s]\nwarm_start: [pes_z=3]\n", "pes_z"},
        {"objectives: [latency_s]\npoints: [pes_x=1]\n", "optimizer: list"},
        {"objectives: [latency_s]\nevaluator: external\n", "space"},
        {"objectives: [latency_s]\nrules: {maping: plain}\n", "did you mean 'mapping'?"},
        {"objectives: [latency_s]\nrules: {padding: of}\n", ":10:18: error: "},
        {"objectives: [latency_s]\nrules: plain\n", ":10:8: error: "},
        {"objectives: [latency_s]\nbaseline_rules: {mapping: plain}\n", "no `baseline:`"},
        {"objectives: [latency_s]\nbaseline: tpu-v3\nbaseline_rules: {mapping: fast}\n",
         ":11:27: error: "},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        assert_refused(flow_model_study(state, bad[i].more), bad[i].says);
}

/* What a database would not take is refused with its place, before one is made. */
static void test_refuses_names_with_places(void **state)
{
    static const char *const bad[][2] = {
        {"version: 1\nname: ''\nspace: {parameters: [{name: x, kind: int, min: 1, max: 2}]}\n"
         "objectives: [{metric: cost, goal: min}]\n",
         ":2:7: error: the name is empty"},
        {"version: 1\nname: s\nspace: {parameters: [{name: index, kind: int, min: 1, max: 2}]}\n"
         "objectives: [{metric: cost, goal: min}]\n",
         ":3:29: error: 'index' cannot name a parameter"},
        {"version: 1\nname: s\nspace: {parameters: [{name: x, kind: int, min: 1, max: 2}]}\n"
         "objectives: [{metric: x, goal: min}]\n",
         ":4:23: error: 'x' cannot name a value"},
        {"version: 1\nname: s\ntemplate: fast\nnetworks: [alexnet, alexnet]\n"
         "objectives: [latency_s]\n",
         ":4:21: error: network 'alexnet' stands twice"},
    };
    const char *path = flow_path(state, "study.yaml");
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        assert_int_equal(sc_file_write(path, bad[i][0], strlen(bad[i][0])), SC_OK);
        assert_refused(path, bad[i][1]);
    }
}

static void test_reports_every_fault_at_once(void **state)
{
    sc_study *s = NULL;
    const char *path =
        flow_model_study(state, "objectives: [latency]\nlimits: {area: {max: 3}}\nkeep: some\n");
    assert_int_equal(sc_study_open(&s, path, NULL), SC_EPARSE);
    assert_non_null(strstr(sc_error_message(), "'latency'"));
    assert_non_null(strstr(sc_error_message(), "'area'"));
    assert_non_null(strstr(sc_error_message(), "some"));
}

/* Paths are meant from where the study file lies: here a folder that is not the current one. */
static void test_paths_from_the_file(void **state)
{
    static const char network[] = "version: 1\nname: tiny\ninputs: {x: {channels: 4}}\n"
                                  "ops: [{name: f, kind: fc, inputs: [x], channels: 3}]\n";
    sc_study *s = NULL;
    if (sc_file_write(flow_path(state, "tiny.yaml"), network, strlen(network)) != SC_OK)
        fail_msg("%s", sc_error_message());
    const char *path = flow_path(state, "study.yaml");
    static const char study[] = "version: 1\nname: s\ntemplate: fast\nnetworks: [tiny.yaml]\n"
                                "objectives: [latency_s]\n";
    assert_int_equal(sc_file_write(path, study, strlen(study)), SC_OK);
    if (sc_study_open(&s, path, NULL) != SC_OK)
        fail_msg("%s", sc_error_message());
    assert_int_equal(sc_workload_macs(s->networks[0].workload), 12);
    sc_study_close(s);
}

static void id_of(char id[33], const char *path)
{
    sc_study *s = NULL;
    if (sc_study_open(&s, path, NULL) != SC_OK)
        fail_msg("%s", sc_error_message());
    sc_study_id(id, s);
    sc_study_close(s);
}

/* Columns: the objectives in the order of the file, then the rest; limits still find theirs. */
static void test_objectives_come_first(void **state)
{
    sc_study *s = NULL;
    const char *path = flow_model_study(state, "objectives: [tdp_w, latency_s]\n"
                                               "limits: {area_mm2: {max: 7}}\n");
    if (sc_study_open(&s, path, NULL) != SC_OK)
        fail_msg("%s", sc_error_message());
    assert_string_equal(s->values[0].name, "tdp_w");
    assert_string_equal(s->values[1].name, "latency_s");
    assert_int_equal(s->values[0].goal, SC_GOAL_MIN);
    assert_int_equal(s->n_values, SC_METRICS);
    assert_string_equal(s->values[s->limits[0].value].name, "area_mm2");
    sc_study_close(s);
}

static void test_the_id_names_what_matters(void **state)
{
    char base[33], other[33];
    id_of(base, flow_model_study(state, "objectives: [latency_s]\n"));
    id_of(other, flow_model_study(state, "# a comment\nobjectives:   [ latency_s ]\n"
                                         "budget: {trials: 7}\nkeep: pareto\n"));
    assert_string_equal(base, other);
    id_of(other, flow_model_study(state, "objectives: [energy_j]\n"));
    assert_string_not_equal(base, other);
    id_of(other, flow_model_study(state, "objectives: [latency_s]\noptimizer: random\n"));
    assert_string_not_equal(base, other);
    id_of(other, flow_model_study(state, "objectives: [latency_s]\noptimizer: portfolio\n"));
    assert_string_equal(base, other); /* the default */
    id_of(other, flow_model_study(state, "objectives: [latency_s]\nlimits: {tdp_w: {max: 9}}\n"));
    assert_string_not_equal(base, other);
}

/* limits 10 mm2 and 4 W against 12 mm2 and 5 W: misses of a fifth and a quarter. */
static void test_judges_by_shares(void **state)
{
    sc_study *s = NULL;
    const char *path = flow_model_study(
        state, "objectives: [latency_s]\nlimits: {area_mm2: {max: 10 mm2}, tdp_w: {max: 4},"
               " latency_s: {max: 2 ms}}\n");
    if (sc_study_open(&s, path, NULL) != SC_OK)
        fail_msg("%s", sc_error_message());
    double values[SC_STORE_MAX_VALUES];
    sc_row row = {.state = SC_STATE_FEASIBLE, .values = values};
    for (size_t v = 0; v < s->n_values; v++)
        values[v] = s->values[v].metric == SC_METRIC_AREA  ? 12.0
                    : s->values[v].metric == SC_METRIC_TDP ? 5.0
                                                           : 0.001;
    sc_study_judge(&row, s, true);
    assert_int_equal(row.state, SC_STATE_INFEASIBLE);
    assert_true(fabs(row.violation - 0.45) < 1e-12);
    assert_non_null(strstr(row.reasons, "\"code\":\"area\""));
    assert_non_null(strstr(row.reasons, "\"code\":\"tdp\""));
    row = (sc_row){.state = SC_STATE_FEASIBLE, .values = values};
    sc_study_judge(&row, s, false); /* 1 ms is within 2 ms */
    assert_int_equal(row.state, SC_STATE_FEASIBLE);
    sc_study_close(s);
}

static void test_misfits_are_told_as_json(void **state)
{
    const sc_misfit m = {SC_MISFIT_CAPACITY, 1, -1, 700, 500};
    char text[SC_REASONS_LEN], longest[SC_REASONS_LEN + 9];
    json_t *list = NULL;
    (void)state;
    sc_misfit_reason(text, "conv \"1\"\n", "L1", &m);
    assert_int_equal(sc_json_parse(&list, "reasons", text, strlen(text)), SC_OK);
    const json_t *r = json_array_get(list, 0);
    assert_string_equal(json_string_value(json_object_get(r, "code")), "capacity");
    assert_string_equal(json_string_value(json_object_get(r, "where")), "conv \"1\"\n at L1");
    assert_true(json_number_value(json_object_get(r, "excess")) == 200.0);
    json_decref(list);
    memset(longest, 'x', sizeof longest);
    longest[sizeof longest - 1] = '\0';
    sc_misfit_reason(text, longest, "L1", &m);
    assert_string_equal(text, "[{\"code\":\"capacity\"}]");
}

/* A study under other rules is another study; one that spells the defaults out is the same. */
static void test_rules_name_a_study(void **state)
{
    static const char *const rules[] = {
        "rules: {mapping: search, padding: on, softmax: best}\n",
        "rules: {mapping: plain}\n",
        "rules: {padding: off}\n",
        "rules: {softmax: three}\n",
        "rules: {softmax: two}\n",
        "baseline: tpu-v3\nbaseline_rules: {mapping: plain}\n",
        "rules: {mapping: plain}\nbaseline: tpu-v3\nbaseline_rules: {mapping: search}\n"};
    enum { N = sizeof rules / sizeof *rules };
    char plain[33], id[N][33], more[256];
    id_of(plain, flow_model_study(state, "objectives: [latency_s]\n"));
    for (size_t i = 0; i < N; i++) {
        (void)snprintf(more, sizeof more, "objectives: [latency_s]\n%s", rules[i]);
        id_of(id[i], flow_model_study(state, more));
        for (size_t k = 0; k < i; k++)
            assert_string_not_equal(id[i], id[k]);
    }
    assert_string_equal(id[0], plain);
}

static double baseline_latency(void **state, const char *rules)
{
    char more[256];
    sc_study *s = NULL;
    (void)snprintf(more, sizeof more, "objectives: [latency_s]\nbaseline: tpu-v3\n%s", rules);
    if (sc_study_open(&s, flow_model_study(state, more), NULL) != SC_OK ||
        sc_study_find_baseline(s) != SC_OK)
        fail_msg("%s", sc_error_message());
    const double latency = s->baseline_values[s->objectives[0]];
    sc_study_close(s);
    return latency;
}

/* The baseline runs under the study's rules, or under its own. */
static void test_rules_of_the_baseline(void **state)
{
    const double search = baseline_latency(state, "");
    const double plain = baseline_latency(state, "rules: {mapping: plain}\n");
    assert_true(plain > search);
    assert_true(baseline_latency(state, "baseline_rules: {mapping: plain}\n") == plain);
    assert_true(baseline_latency(state, "rules: {mapping: plain}\n"
                                        "baseline_rules: {mapping: search}\n") == search);
}

static sc_study_outcome run_rules(void **state, const char *db, const char *rules)
{
    char more[160];
    (void)snprintf(more, sizeof more,
                   "objectives: [latency_s]\noptimizer: list\n"
                   "points: ['pes_x=1,pes_y=1,systolic_x=4', 'pes_x=2,pes_y=1,systolic_x=8']\n%s",
                   rules);
    return flow_run(flow_model_study(state, more), db, 1, 0);
}

/* Results of one rule never stand for another's: only another study under the first one's rules
 * finds what that has stored. */
static void test_results_are_kept_by_rule(void **state)
{
    const char *db = flow_path(state, "rules.db");
    const sc_study_outcome first = run_rules(state, db, "");
    assert_true(first.trials == 2 && first.cached == 0);
    assert_int_equal(run_rules(state, db, "rules: {mapping: plain}\n").cached, 0);
    assert_int_equal(run_rules(state, db, "rules: {padding: off}\n").cached, 0);
    assert_int_equal(run_rules(state, db, "limits: {latency_s: {max: 1000}}\n").cached, 2);
}

static void test_whatif_against_the_base(void **state)
{
    sc_design *d = NULL;
    sc_workload *w = NULL;
    sc_whatif *x = NULL;
    sc_evaluate_options o = SC_EVALUATE_OPTIONS_INIT;
    const char *sets[] = {"gddr6_channels=4", "gddr6_channels=8"};
    char *json = NULL;
    (void)state;
    o.map_budget = 50;
    assert_int_equal(sc_design_open(&d, "fast:gddr6_channels=8"), SC_OK);
    assert_int_equal(sc_workload_open(&w, "mobilenet-v3-small"), SC_OK);
    assert_int_equal(sc_whatif_create(&x, d, w, sets, 2, &o), SC_OK);
    assert_int_equal(sc_whatif_variants(x), 2);
    assert_string_equal(sc_whatif_set(x, 0), "gddr6_channels=4");
    assert_null(sc_whatif_set(x, 2));
    const sc_metrics *base = sc_evaluation_metrics(sc_whatif_base(x));
    const sc_metrics *half = sc_evaluation_metrics(sc_whatif_variant(x, 0));
    const sc_metrics *same = sc_evaluation_metrics(sc_whatif_variant(x, 1));
    assert_true(half->latency_s > base->latency_s);
    assert_true(half->area_mm2 < base->area_mm2);
    assert_memory_equal(same, base, sizeof *base);
    assert_int_equal(sc_whatif_json(&json, x), SC_OK);
    assert_non_null(strstr(json, "\"ratio\""));
    sc_release(json);
    sc_whatif_destroy(x);
    x = NULL;
    const char *bad[] = {"gddr6_chanels=4"};
    assert_int_equal(sc_whatif_create(&x, d, w, bad, 1, &o), SC_EINVAL);
    assert_null(x);
    sc_design_destroy(d);
    sc_workload_destroy(w);
}

int main(void)
{
#define CASE(f) cmocka_unit_test_setup_teardown(f, flow_set_up, flow_tear_down)
    const struct CMUnitTest t[] = {CASE(test_joins_figures),
                                   CASE(test_every_metric_by_hand),
                                   CASE(test_faults_of_the_file),
                                   CASE(test_refuses_names_with_places),
                                   CASE(test_reports_every_fault_at_once),
                                   CASE(test_objectives_come_first),
                                   CASE(test_paths_from_the_file),
                                   CASE(test_the_id_names_what_matters),
                                   CASE(test_rules_name_a_study),
                                   CASE(test_rules_of_the_baseline),
                                   CASE(test_results_are_kept_by_rule),
                                   CASE(test_judges_by_shares),
                                   CASE(test_misfits_are_told_as_json),
                                   CASE(test_whatif_against_the_base)};
    return cmocka_run_group_tests_name("flow_study", t, NULL, NULL);
}
