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
#include "flow/study.h"
#include "flow_support.h"
#include "model/net/rules.h"
#include "scantle/evaluate.h"

static const char network[] = SCANTLE_SOURCE_DIR "/configs/networks/example.yaml";

/* The specification's ladder: datapath only, + mapping, + padding, + fusion, + softmax; then what
 * goes past FAST. */
static void test_each_rung_adds_one_part(void **state)
{
    static const char *const names[] = {"datapath", "mapping",   "padding", "fusion",
                                        "softmax",  "attention", "tiles"};
    const sc_rules bare = {SC_MAPPING_PLAIN, SC_PADDING_OFF,     SC_SOFTMAX_THREE,
                           SC_FUSION_OFF,    SC_ATTENTION_APART, SC_TILES_OFF};
    const sc_rules whole = {SC_MAPPING_SEARCH, SC_PADDING_ON,        SC_SOFTMAX_BEST,
                            SC_FUSION_ON,      SC_ATTENTION_CASCADE, SC_TILES_ON};
    (void)state;
    for (size_t i = 0; i < SC_RUNGS; i++) {
        assert_string_equal(sc_rung_at(i)->name, names[i]);
        assert_int_equal(sc_rules_check(&sc_rung_at(i)->rules), SC_OK);
        for (size_t r = 0; i > 0 && r < SC_RULES; r++) {
            const bool its_own = strcmp(sc_rule_at(r)->name, names[i]) == 0;
            const bool changed = sc_rules_get(&sc_rung_at(i)->rules, r) !=
                                 sc_rules_get(&sc_rung_at(i - 1)->rules, r);
            assert_int_equal(changed, its_own);
        }
    }
    assert_null(sc_rung_at(SC_RUNGS));
    assert_memory_equal(&sc_rung_at(0)->rules, &bare, sizeof bare);
    assert_memory_equal(&sc_rung_at(SC_RUNGS - 1)->rules, &whole, sizeof whole);
}

static void open_rung(sc_study **s, const char *path, const char *rung)
{
    sc_study_overrides over = SC_STUDY_OVERRIDES_INIT;
    over.rung = rung;
    *s = NULL;
    if (sc_study_open(s, path, &over) != SC_OK)
        fail_msg("%s", sc_error_message());
}

/* The rung goes into the study's text, whatever the form of the file, and reads back from there. */
static void test_a_rung_is_part_of_the_text(void **state)
{
    static const char *const heads[] = {
        "version: 1\nname: s\ntemplate: fast\n",
        "# a comment: {\n---\n\nversion: 1\nname: s\ntemplate: fast\n",
        "  version: 1\n  name: s\n  template: fast\n",
        "\"version\": 1\nname: s\ntemplate: fast\n",
        "{version: 1, name: s, template: fast, ",
        "# naïve\n{ version: 1, name: s, template: fast, ",
        "{\n  version: 1, name: s, template: fast,\n"};
    char id[33], other[33];
    for (size_t i = 0; i < sizeof heads / sizeof *heads; i++) {
        const bool flow = strchr(heads[i], ',') != NULL;
        const char *indent = heads[i][0] == ' ' ? "  " : "";
        char text[1024];
        sc_study *s = NULL, *again = NULL;
        (void)snprintf(text, sizeof text, "%s%snetworks: ['%s']%s%sobjectives: [latency_s]%s\n",
                       heads[i], indent, network, flow ? ", " : "\n", flow ? "" : indent,
                       flow ? "}" : "");
        const char *path = flow_path(state, "study.yaml");
        assert_int_equal(sc_file_write(path, text, strlen(text)), SC_OK);
        open_rung(&s, path, "padding");
        assert_string_equal(s->name, "s/padding");
        assert_memory_equal(&s->rules, &sc_rung_at(2)->rules, sizeof s->rules);
        if (sc_study_parse(&again, path, s->config, strlen(s->config)) != SC_OK)
            fail_msg("%zu: %s", i, sc_error_message());
        sc_study_id(id, s);
        sc_study_id(other, again);
        assert_string_equal(id, other);
        sc_study_close(again);
        sc_study_close(s);
    }
}

static void test_rungs_are_studies_of_their_own(void **state)
{
    char id[SC_RUNGS + 1][33];
    const char *path = flow_model_study(state, "objectives: [latency_s]\nrules: {fusion: on}\n"
                                               "baseline: tpu-v3\n"
                                               "baseline_rules: {mapping: plain}\n");
    for (size_t i = 0; i <= SC_RUNGS; i++) {
        sc_study *s = NULL;
        open_rung(&s, path, i < SC_RUNGS ? sc_rung_at(i)->name : NULL);
        sc_study_id(id[i], s);
        /* limits taken from the baseline are the same on every rung */
        assert_int_equal(s->baseline_rules.mapping, SC_MAPPING_PLAIN);
        assert_int_equal(s->baseline_rules.fusion, SC_FUSION_ON);
        for (size_t k = 0; k < i; k++)
            assert_string_not_equal(id[i], id[k]);
        sc_study_close(s);
    }
}

static void refuse(const char *path, const char *rung, sc_status status, const char *says)
{
    sc_study_overrides over = SC_STUDY_OVERRIDES_INIT;
    sc_study *s = NULL;
    over.rung = rung;
    assert_int_equal(sc_study_open(&s, path, &over), status);
    assert_null(s);
    if (!strstr(sc_error_message(), says))
        fail_msg("'%s' is not in '%s'", says, sc_error_message());
}

static void test_refuses_what_has_no_rungs(void **state)
{
    sc_store *store = NULL;
    sc_study_options o = SC_STUDY_OPTIONS_INIT;
    sc_stop why = SC_RUNNING;
    char *json = NULL;
    refuse(flow_model_study(state, "objectives: [latency_s]\nrung: padding\n"), "fusion", SC_EINVAL,
           "study.yaml:10:7: error: the study is a rung already");
    refuse(flow_model_study(state, "objectives: [latency_s]\nrung: paddin\n"), NULL, SC_EPARSE,
           "did you mean 'padding'?");
    const char *path = flow_external_study(state, "");
    refuse(path, "padding", SC_EPARSE, "only studies of our model have rungs");
    assert_int_equal(sc_store_open(&store, flow_path(state, "no.db"), SC_STORE_CREATE), SC_OK);
    assert_int_equal(sc_study_ablate(&json, &why, path, NULL, store, &o), SC_EINVAL);
    assert_true(json == NULL && why == SC_RUNNING);
    sc_store_close(store);
}

/* ---- the whole ladder, against evaluations one by one ---- */

static const char points[] = "objectives: [latency_s]\noptimizer: list\n"
                             "limits: {area_mm2: {max: baseline}}\n"
                             "points: ['pes_x=1,pes_y=1,systolic_x=4,systolic_y=4,native_batch=4',"
                             " 'pes_x=2,pes_y=1,systolic_x=8,systolic_y=16,native_batch=4']\n";

static double latency_with(const char *design, const sc_rules *rules, uint64_t map_budget)
{
    sc_design *d = NULL;
    sc_workload *w = NULL;
    sc_evaluation *e = NULL;
    sc_evaluate_options o = SC_EVALUATE_OPTIONS_INIT;
    o.rules = *rules;
    o.map_budget = map_budget;
    if (sc_design_open(&d, design) != SC_OK || sc_workload_open(&w, network) != SC_OK ||
        sc_evaluate(&e, d, w, &o) != SC_OK)
        fail_msg("%s", sc_error_message());
    const double latency = sc_evaluation_metrics(e)->latency_s;
    sc_evaluation_destroy(e);
    sc_workload_destroy(w);
    sc_design_destroy(d);
    return latency;
}

/* With the file's budget, for the trials and the baseline. */
static double latency_of(const char *design, const sc_rules *rules)
{
    return latency_with(design, rules, 60);
}

/* Every native batch of the baseline: its parameters' best setting. */
static double baseline_latency(const sc_rules *rules)
{
    double best = (double)INFINITY;
    for (int batch = 1; batch <= 256; batch *= 2) {
        char spec[64];
        (void)snprintf(spec, sizeof spec, "tpu-v3:native_batch=%d", batch);
        best = fmin(best, latency_of(spec, rules));
    }
    return best;
}

static double best_latency(const sc_rules *rules)
{
    return fmin(latency_of("fast:pes_x=1,pes_y=1,systolic_x=4,systolic_y=4,l2_mode=disabled,"
                           "native_batch=4",
                           rules),
                latency_of("fast:pes_x=2,pes_y=1,systolic_x=8,systolic_y=16,l2_mode=disabled,"
                           "native_batch=4",
                           rules));
}

static double number(const json_t *o, const char *key)
{
    const json_t *v = json_object_get(o, key);
    if (!json_is_number(v))
        fail_msg("%s is no number", key);
    return json_number_value(v);
}

static void assert_near(double found, double wanted)
{
    if (!(fabs(found - wanted) <= 1e-12 * fabs(wanted)))
        fail_msg("%.17g is not %.17g", found, wanted);
}

typedef struct hook {
    int left;
} hook;

static int count_down(const sc_progress *p, void *payload)
{
    hook *h = payload;
    (void)p;
    return h->left-- <= 0;
}

static json_t *climb(const char *path, const char *db, int evaluations, sc_stop *why)
{
    sc_store *store = NULL;
    sc_study_options o = SC_STUDY_OPTIONS_INIT;
    hook h = {evaluations};
    json_t *root = NULL;
    char *json = NULL;
    o.threads = 1;
    if (evaluations > 0) {
        o.progress = count_down;
        o.payload = &h;
    }
    if (sc_store_open(&store, db, SC_STORE_CREATE) != SC_OK ||
        sc_study_ablate(&json, why, path, NULL, store, &o) != SC_OK ||
        sc_json_parse(&root, "ladder", json, strlen(json)) != SC_OK)
        fail_msg("%s", sc_error_message());
    sc_release(json);
    sc_store_close(store);
    return root;
}

static void test_ladder_against_evaluations(void **state)
{
    sc_stop why = SC_RUNNING;
    char text[sizeof points + 64];
    (void)snprintf(text, sizeof text, "%sbaseline: tpu-v3\n", points);
    const char *path = flow_model_study(state, text), *db = flow_path(state, "ladder.db");
    json_t *root = climb(path, db, 0, &why);
    const double plain = baseline_latency(&sc_rung_at(0)->rules);
    double before = 0.0;
    assert_int_equal(why, SC_STOP_BUDGET);
    assert_string_equal(json_string_value(json_object_get(root, "metric")), "latency_s");
    for (size_t i = 0; i < SC_RUNGS; i++) {
        const json_t *r = json_array_get(json_object_get(root, "rungs"), i);
        const sc_rules *rules = &sc_rung_at(i)->rules;
        const double best = best_latency(rules), same = baseline_latency(rules);
        assert_string_equal(json_string_value(json_object_get(r, "rung")), sc_rung_at(i)->name);
        assert_near(number(json_object_get(r, "best"), "value"), best);
        assert_near(number(r, "baseline_plain"), plain);
        assert_near(number(r, "baseline_same"), same);
        assert_near(number(r, "over_plain"), plain / best); /* less time is better */
        assert_near(number(r, "over_same"), same / best);
        if (i > 0)
            assert_near(number(r, "over_previous"), before / best);
        assert_true(number(r, "trials") == 2 && number(r, "evaluated") == 2);
        assert_true(number(r, "infeasible_share") == number(r, "infeasible") / 2.0);
        before = best;
    }
    json_decref(root);
    /* the same command again computes nothing */
    root = climb(path, db, 0, &why);
    for (size_t i = 0; i < SC_RUNGS; i++) {
        const json_t *r = json_array_get(json_object_get(root, "rungs"), i);
        assert_true(number(r, "trials") == 2 && number(r, "evaluated") == 0);
    }
    json_decref(root);
}

/* Without a search for the baseline's best batch, which takes its time. */
static const char *quick_study(void **state, const char *more)
{
    char text[sizeof points + 128];
    (void)snprintf(text, sizeof text, "%sbaseline: tpu-v3:native_batch=4\n%s", points, more);
    return flow_model_study(state, text);
}

/* The baseline is mapped with the file's budget, as the trials are. */
static void test_baseline_within_the_budget(void **state)
{
    double latency[2];
    (void)state;
    for (size_t i = 0; i < 2; i++) {
        char text[256];
        sc_study *s = NULL;
        (void)snprintf(text, sizeof text,
                       "version: 1\nname: b\ntemplate: fast\nnetworks: ['%s']\n"
                       "objectives: [latency_s]\nbaseline: tpu-v3:native_batch=4\n%s",
                       network, i == 0 ? "map_budget: 1\n" : "");
        assert_int_equal(sc_study_parse(&s, "b.yaml", text, strlen(text)), SC_OK);
        assert_int_equal(sc_study_find_baseline(s), SC_OK);
        latency[i] = s->baseline_values[s->objectives[0]];
        sc_study_close(s);
    }
    const sc_rules rules = SC_RULES_INIT;
    assert_near(latency[0], latency_with("tpu-v3:native_batch=4", &rules, 1));
    assert_near(latency[1], latency_with("tpu-v3:native_batch=4", &rules, 0));
    assert_true(latency[0] > latency[1]);
}

/* Stopped on the way: what has begun is told, and the next run ends with the very same figures. */
static void test_ladder_goes_on(void **state)
{
    sc_stop why = SC_RUNNING;
    const char *path = quick_study(state, "");
    const char *db = flow_path(state, "stopped.db"), *whole = flow_path(state, "whole.db");
    json_t *root = climb(path, db, 5, &why);
    assert_int_equal(why, SC_STOP_INTERRUPT);
    const size_t begun = json_array_size(json_object_get(root, "rungs"));
    assert_true(begun >= 1 && begun < SC_RUNGS);
    json_decref(root);
    root = climb(path, db, 0, &why);
    json_t *other = climb(path, whole, 0, &why);
    for (size_t i = 0; i < SC_RUNGS; i++) {
        const json_t *a = json_array_get(json_object_get(root, "rungs"), i);
        const json_t *b = json_array_get(json_object_get(other, "rungs"), i);
        assert_true(json_equal(json_object_get(a, "best"), json_object_get(b, "best")));
        assert_true(json_equal(json_object_get(a, "id"), json_object_get(b, "id")));
        assert_true(number(a, "trials") == number(b, "trials"));
    }
    json_decref(root);
    json_decref(other);
}

/* A study of the whole method finds what its rung has computed, and the other way round. */
static void test_results_are_shared_with_the_study(void **state)
{
    sc_stop why = SC_RUNNING;
    const char *db = flow_path(state, "shared.db");
    json_decref(climb(quick_study(state, ""), db, 0, &why));
    const sc_study_outcome outcome =
        flow_run(quick_study(state, "rules: {fusion: on}\n"), db, 1, 0);
    assert_true(outcome.evaluated == 2 && outcome.cached == 2);
}

/* Run one rung of a study; id: of its first trial. */
static void run_rung(char id[SC_ID_HEX], sc_store *store, const char *path, const char *rung,
                     uint64_t seed)
{
    sc_study_overrides over = SC_STUDY_OVERRIDES_INIT;
    sc_study_options o = SC_STUDY_OPTIONS_INIT;
    sc_study_outcome outcome;
    sc_store_trials *it = NULL;
    const sc_store_trial *row = NULL;
    sc_study *s = NULL;
    over.rung = rung;
    over.seed = &seed;
    if (sc_study_open(&s, path, &over) != SC_OK)
        fail_msg("%s", sc_error_message());
    const sc_store_study key = {
        .config_hash = s->config_hash, .seed = s->seed, .model_version = sc_model_version()};
    if (sc_study_run(s, store, &o, &outcome) != SC_OK ||
        sc_store_trials_open(&it, store, sc_store_study_id(&key), SC_WHICH_ALL) != SC_OK ||
        sc_store_trials_next(&row, it) != SC_OK)
        fail_msg("%s", sc_error_message());
    if (!row)
        fail_msg("no trial is kept");
    else
        sc_hash_id(row->point, id);
    sc_store_trials_close(it);
    sc_study_close(s);
}

/* What asks for the rules of a kept trial gets those of its rung, not the file's; of a point that
 * several rungs have there is no such thing, and nothing is taken for it. */
static void test_a_trial_has_the_rules_of_its_rung(void **state)
{
    sc_rules rules = SC_RULES_INIT;
    sc_store *store = NULL;
    sc_workload *w = NULL;
    sc_design *d = NULL;
    char id[SC_ID_HEX], other[SC_ID_HEX];
    const char *path = quick_study(state, "rules: {fusion: on}\n");
    assert_int_equal(sc_store_open(&store, flow_path(state, "rules.db"), SC_STORE_CREATE), SC_OK);
    run_rung(id, store, path, "datapath", 5);
    if (sc_study_rules_open(&rules, store, id) != SC_OK)
        fail_msg("%s", sc_error_message());
    assert_memory_equal(&rules, &sc_rung_at(0)->rules, sizeof rules);

    run_rung(other, store, path, "datapath", 6); /* another study that means the same */
    assert_string_equal(id, other);
    assert_int_equal(sc_study_rules_open(&rules, store, id), SC_OK);

    run_rung(other, store, path, "fusion", 5);
    assert_string_equal(id, other);
    rules.mapping = SC_MAPPING_SEARCH;
    const sc_rules before = rules;
    assert_int_equal(sc_study_rules_open(&rules, store, id), SC_EINVAL);
    assert_non_null(strstr(sc_error_message(), "small/datapath"));
    assert_non_null(strstr(sc_error_message(), "small/fusion"));
    assert_memory_equal(&rules, &before, sizeof rules);
    assert_int_equal(sc_study_network_open(&w, store, id, 0), SC_EINVAL);
    assert_null(w);
    assert_int_equal(sc_study_design_open(&d, store, id), SC_OK); /* the design is the same */
    sc_design_destroy(d);
    sc_store_close(store);
}

/* Without a baseline and without a feasible trial: null, no error. */
static void test_ladder_without_figures(void **state)
{
    sc_stop why = SC_RUNNING;
    const char *path = flow_model_study(
        state, "objectives: [latency_s]\noptimizer: list\nlimits: {area_mm2: {max: 0.001}}\n"
               "points: ['pes_x=1,pes_y=1,systolic_x=4,systolic_y=4,native_batch=4']\n");
    json_t *root = climb(path, flow_path(state, "none.db"), 0, &why);
    assert_true(json_is_null(json_object_get(root, "baseline")));
    const json_t *r = json_array_get(json_object_get(root, "rungs"), 1);
    assert_true(json_is_null(json_object_get(r, "best")));
    assert_true(json_is_null(json_object_get(r, "over_plain")));
    assert_true(json_is_null(json_object_get(r, "over_previous")));
    assert_true(number(r, "infeasible_share") == 1.0);
    json_decref(root);
}

static void test_survives_lack_of_memory(void **state)
{
    const char *path = flow_model_study(state, "objectives: [latency_s]\n");
    sc_study_overrides over = SC_STUDY_OVERRIDES_INIT;
    over.rung = "fusion";
    sc_status st = SC_ENOMEM;
    for (int k = 0; st == SC_ENOMEM; k++) {
        sc_study *s = NULL;
        sc_mem_fail_after(k);
        st = sc_study_open(&s, path, &over);
        sc_mem_fail_after(-1);
        assert_true(st == SC_OK || (st == SC_ENOMEM && !s));
        sc_study_close(s);
    }
    assert_int_equal(st, SC_OK);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_each_rung_adds_one_part),
        cmocka_unit_test(test_a_rung_is_part_of_the_text),
        cmocka_unit_test(test_rungs_are_studies_of_their_own),
        cmocka_unit_test(test_refuses_what_has_no_rungs),
        cmocka_unit_test(test_ladder_against_evaluations),
        cmocka_unit_test(test_baseline_within_the_budget),
        cmocka_unit_test(test_ladder_goes_on),
        cmocka_unit_test(test_results_are_shared_with_the_study),
        cmocka_unit_test(test_a_trial_has_the_rules_of_its_rung),
        cmocka_unit_test(test_ladder_without_figures),
        cmocka_unit_test(test_survives_lack_of_memory),
    };
    return cmocka_run_group_tests_name("flow_ablation", tests, flow_set_up, flow_tear_down);
}
