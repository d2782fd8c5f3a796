#include "ladder.h"

#include <math.h>
#include <stdio.h>

#include "inputs.h"
#include "interrupt.h"
#include "message.h"
#include "output.h"
#include "progress.h"
#include "run_study.h"
#include "scantle/rules.h"
#include "scantle/study.h"
#include "show.h"

enum { HEADING_BYTES = 256 };

/* What each rung adds, below a table of them. */
static void show_abouts(const json_t *rungs)
{
    sc_cli_show_heading("Rungs");
    for (size_t i = 0; i < json_array_size(rungs); i++) {
        const json_t *rung = json_array_get(rungs, i);
        printf("%-9s %s\n", json_string_value(json_object_get(rung, "rung")),
               json_string_value(json_object_get(rung, "about")));
    }
}

/* ---- a study ---- */

static sc_status show_study(const json_t *root)
{
    const char *metric = json_string_value(json_object_get(root, "metric"));
    const char *baseline = json_string_value(json_object_get(root, "baseline"));
    const json_t *rungs = json_object_get(root, "rungs");
    const sc_cli_field fields[] = {{"rung", "rung", SC_CLI_AS_TEXT},
                                   {"best.value", metric, SC_CLI_AS_NUMBER},
                                   {"over_plain", "over baseline, plain", SC_CLI_AS_NUMBER},
                                   {"over_same", "same rules", SC_CLI_AS_NUMBER},
                                   {"over_previous", "over rung before", SC_CLI_AS_NUMBER},
                                   {"trials", "trials", SC_CLI_AS_COUNT},
                                   {"infeasible_share", "infeasible", SC_CLI_AS_PERCENT},
                                   {"evaluated", "evaluated now", SC_CLI_AS_COUNT},
                                   {"elapsed_s", "took", SC_CLI_AS_SECONDS},
                                   {"best.id", "best", SC_CLI_AS_TEXT},
                                   {NULL, NULL, SC_CLI_AS_TEXT}};
    sc_cli_put_lines(json_string_value(json_object_get(root, "study")));
    if (baseline != NULL)
        printf("baseline %s at its best setting: plain, under the rules of the first rung; same "
               "rules, under those of each rung\n",
               baseline);
    const sc_status st = sc_cli_show_rows(rungs, fields);
    if (st == SC_OK)
        show_abouts(rungs);
    return st;
}

/* Exit code 2 where no rung has a feasible trial. */
static int study_code(const char *document, uint64_t *trials)
{
    json_t *root = json_loads(document, 0, NULL);
    const json_t *rungs = json_object_get(root, "rungs");
    bool feasible = false;
    *trials = 0;
    for (size_t i = 0; i < json_array_size(rungs); i++) {
        const json_t *rung = json_array_get(rungs, i);
        *trials += (uint64_t)json_integer_value(json_object_get(rung, "trials"));
        feasible = feasible || json_integer_value(json_object_get(rung, "feasible")) > 0;
    }
    json_decref(root);
    return feasible ? SC_EXIT_OK : SC_EXIT_INFEASIBLE;
}

int sc_cli_ablate_study(const sc_cli *cli, const sc_cli_integer *trials)
{
    sc_study_overrides over = SC_STUDY_OVERRIDES_INIT;
    sc_study_options options = SC_STUDY_OPTIONS_INIT;
    sc_cli_progress progress;
    sc_store *store = NULL;
    char *document = NULL;
    sc_stop why = SC_RUNNING;
    uint64_t done;

    if (cli->globals.seed.given)
        over.seed = &cli->globals.seed.value;
    if (trials->given)
        over.trials = &trials->value;
    int code = sc_cli_open_database(cli, &store, SC_STORE_CREATE);
    if (code != SC_EXIT_OK)
        return code;
    sc_cli_catch_interrupts();
    sc_cli_progress_begin(&progress, &cli->globals);
    options.threads = (int)cli->globals.threads.value;
    options.progress = sc_cli_progress_hook;
    options.payload = &progress;
    const sc_status st = sc_study_ablate(&document, &why, cli->operand[0], &over, store, &options);
    sc_cli_status_line(NULL);
    sc_store_close(store);
    if (st != SC_OK)
        return sc_cli_fail_input(st);
    const int outcome = study_code(document, &done);
    code = sc_cli_show(cli, document, show_study);
    if (why != SC_STOP_INTERRUPT || code != SC_EXIT_OK)
        return code != SC_EXIT_OK ? code : outcome;
    sc_cli_say_resume(cli, done);
    return SC_EXIT_STOPPED;
}

/* ---- one design ---- */

static sc_status show_design(const json_t *root)
{
    static const sc_cli_field fields[] = {{"rung", "rung", SC_CLI_AS_TEXT},
                                          {"feasible", "feasible", SC_CLI_AS_TEXT},
                                          {"latency_s", "latency", SC_CLI_AS_SECONDS},
                                          {"throughput_per_s", "throughput", SC_CLI_AS_RATE},
                                          {"energy_j", "energy", SC_CLI_AS_JOULE},
                                          {"perf_per_tdp", "perf/TDP (1/s/W)", SC_CLI_AS_NUMBER},
                                          {"utilization", "utilization", SC_CLI_AS_PERCENT},
                                          {"over_first", "over datapath", SC_CLI_AS_NUMBER},
                                          {"over_previous", "over rung before", SC_CLI_AS_NUMBER},
                                          {NULL, NULL, SC_CLI_AS_TEXT}};
    const json_t *rungs = json_object_get(root, "rungs");
    char heading[HEADING_BYTES];

    (void)snprintf(heading, sizeof heading, "%s, batch %lld",
                   json_string_value(json_object_get(root, "design")),
                   (long long)json_integer_value(json_object_get(root, "batch")));
    sc_cli_put_lines(heading);
    const sc_status st = sc_cli_show_rows(rungs, fields);
    if (st == SC_OK)
        show_abouts(rungs);
    return st;
}

/* null for what an infeasible evaluation has not. */
static json_t *figure(double v)
{
    return isfinite(v) ? json_real(v) : json_null();
}

static json_t *rules_json(const sc_rules *r)
{
    return json_pack("{s:s, s:s, s:s, s:s, s:s, s:s}", "mapping", sc_cli_mapping_rules[r->mapping],
                     "padding", sc_cli_padding_rules[r->padding], "softmax",
                     sc_cli_softmax_rules[r->softmax], "fusion", sc_cli_fusion_rules[r->fusion],
                     "attention", sc_cli_attention_rules[r->attention], "tiles",
                     sc_cli_tiles_rules[r->tiles]);
}

/* first, before: latencies of the first rung and of the one before, in s; NaN: none. */
static json_t *rung_json(const sc_rung *rung, const sc_evaluation *e, double first, double before)
{
    const sc_metrics *m = sc_evaluation_metrics(e);
    return json_pack("{s:s, s:s, s:o, s:b, s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "rung", rung->name,
                     "about", rung->about, "rules", rules_json(&rung->rules), "feasible",
                     sc_evaluation_feasible(e), "latency_s", figure(m->latency_s),
                     "throughput_per_s", figure(m->throughput_per_s), "energy_j",
                     figure(m->energy_j), "perf_per_tdp", figure(m->perf_per_tdp), "utilization",
                     figure(m->utilization), "over_first", figure(first / m->latency_s),
                     "over_previous", figure(before / m->latency_s));
}

/* The batch of an evaluation, which only its document says. */
static sc_status batch_of(json_int_t *batch, const sc_evaluation *e)
{
    char *text = NULL;
    const sc_status st = sc_evaluation_json(&text, e);
    if (st != SC_OK)
        return st;
    json_t *root = json_loads(text, 0, NULL);
    *batch = json_integer_value(json_object_get(root, "batch"));
    json_decref(root);
    sc_release(text);
    return SC_OK;
}

/* list: takes one object a rung. */
static sc_status climb(json_t *list, bool *feasible, json_int_t *batch, const sc_design *design,
                       const sc_workload *workload, const sc_evaluate_options *o)
{
    sc_evaluate_options mine = *o;
    double first = (double)NAN, before = (double)NAN;
    const sc_rung *rung;
    sc_status st = SC_OK;

    *feasible = false;
    for (size_t i = 0; st == SC_OK && (rung = sc_rung_at(i)) != NULL; i++) {
        sc_evaluation *e = NULL;
        mine.rules = rung->rules;
        if ((st = sc_evaluate(&e, design, workload, &mine)) != SC_OK)
            break;
        const double latency = sc_evaluation_metrics(e)->latency_s;
        if (i == 0) {
            first = latency;
            st = batch_of(batch, e);
        }
        if (json_array_append_new(list, rung_json(rung, e, first, before)) != 0)
            st = sc_fail(SC_ENOMEM, "out of memory for the ladder");
        before = latency;
        *feasible = *feasible || sc_evaluation_feasible(e);
        sc_evaluation_destroy(e);
    }
    return st;
}

int sc_cli_ablate_design(const sc_cli *cli, const sc_design *design, const sc_workload *workload,
                         const sc_evaluate_options *o)
{
    json_t *list = json_array();
    json_int_t batch = 0;
    bool feasible;

    const sc_status st = climb(list, &feasible, &batch, design, workload, o);
    if (st != SC_OK) {
        json_decref(list);
        return sc_cli_fail(st);
    }
    json_t *root = json_pack("{s:s, s:s, s:I, s:o, s:s}", "design", sc_design_spec(design),
                             "workload", cli->operand[1], "batch", batch, "rungs", list,
                             "model_version", sc_model_version());
    const int code = sc_cli_show_json(cli, root, show_design);
    json_decref(root);
    return code == SC_EXIT_OK && !feasible ? SC_EXIT_INFEASIBLE : code;
}
