#include "run_study.h"

#include <stdio.h>
#include <string.h>

#include "inputs.h"
#include "interrupt.h"
#include "message.h"
#include "progress.h"
#include "scantle/study.h"
#include "show.h"
#include "trials.h"

const sc_cli_option sc_cli_run_options[] = {SC_CLI_TRIALS_OPTION(0), {.name = NULL}};

/* One word as a shell reads it back. */
static void put_shell_word(FILE *out, const char *word)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                                "_-+=./:,@%";
    if (*word != '\0' && strspn(word, plain) == strlen(word)) {
        fputs(word, out);
        return;
    }
    fputc('\'', out);
    for (; *word != '\0'; word++) {
        if (*word == '\'')
            fputs("'\\''", out);
        else
            fputc(*word, out);
    }
    fputc('\'', out);
}

/* The very command line: the same command resumes. */
void sc_cli_say_resume(const sc_cli *cli, uint64_t trials)
{
    char text[4096] = "";
    FILE *out = fmemopen(text, sizeof text, "w");
    if (out != NULL) {
        for (int i = 0; i < cli->argc; i++) {
            fputs(i > 0 ? " " : "", out);
            put_shell_word(out, cli->argv[i]);
        }
        (void)fclose(out);
    }
    sc_cli_note("stopped after %llu trials, all of them saved; to go on: %s",
                (unsigned long long)trials, text);
}

enum { SHOWN_BEST = 10 };

/* The best trials as sc_report_rows tells them. */
static sc_status best_json(json_t **out, sc_store *store, const char *id)
{
    char *text = NULL;
    sc_status st = sc_report_rows(&text, store, id, SC_REPORT_BEST, SHOWN_BEST);
    if (st != SC_OK)
        return st;
    *out = json_loads(text, 0, NULL);
    sc_release(text);
    return *out != NULL ? SC_OK : sc_fail(SC_EBUG, "the best trials are no JSON");
}

/* best: taken over. */
static json_t *outcome_json(const sc_study *study, const char *id, const sc_study_outcome *o,
                            json_t *best)
{
    return json_pack("{s:s, s:s, s:s, s:I, s:I, s:I, s:I, s:I, s:I, s:f, s:o}", "study",
                     sc_study_name(study), "id", id, "stopped_by", sc_stop_name(o->why), "trials",
                     (json_int_t)o->trials, "feasible", (json_int_t)o->feasible, "infeasible",
                     (json_int_t)o->infeasible, "failed", (json_int_t)o->failed, "evaluated",
                     (json_int_t)o->evaluated, "cached", (json_int_t)o->cached, "elapsed_s",
                     o->elapsed_s, "best", best);
}

static sc_status show_outcome(const json_t *root)
{
    static const sc_cli_field fields[] = {{"study", "study", SC_CLI_AS_TEXT},
                                          {"id", "id", SC_CLI_AS_TEXT},
                                          {"stopped_by", "stopped by", SC_CLI_AS_TEXT},
                                          {"trials", "trials", SC_CLI_AS_COUNT},
                                          {"feasible", "feasible", SC_CLI_AS_COUNT},
                                          {"infeasible", "infeasible", SC_CLI_AS_COUNT},
                                          {"failed", "failed", SC_CLI_AS_COUNT},
                                          {"evaluated", "evaluated now", SC_CLI_AS_COUNT},
                                          {"elapsed_s", "took", SC_CLI_AS_SECONDS},
                                          {NULL, NULL, SC_CLI_AS_TEXT}};
    const json_t *best = json_object_get(root, "best");

    sc_cli_show_fields(root, fields);
    if (json_array_size(json_object_get(best, "trials")) == 0)
        return SC_OK;
    sc_cli_show_heading("Best");
    return sc_cli_show_best(best);
}

static int exit_code_of(const sc_study_outcome *outcome)
{
    if (outcome->why == SC_STOP_INTERRUPT)
        return SC_EXIT_STOPPED;
    return outcome->feasible > 0 ? SC_EXIT_OK : SC_EXIT_INFEASIBLE;
}

static int print_outcome(const sc_cli *cli, const sc_study *study, sc_store *store,
                         const sc_study_outcome *outcome)
{
    json_t *best = NULL;
    char id[33];

    sc_study_id(id, study);
    sc_status st = best_json(&best, store, id);
    if (st != SC_OK)
        return sc_cli_fail(st);
    json_t *root = outcome_json(study, id, outcome, best);
    int code = sc_cli_show_json(cli, root, show_outcome);
    json_decref(root);
    if (outcome->why == SC_STOP_INTERRUPT)
        sc_cli_say_resume(cli, outcome->trials);
    return code != SC_EXIT_OK ? code : exit_code_of(outcome);
}

static int run_open_study(const sc_cli *cli, sc_study *study, sc_store *store)
{
    sc_cli_progress progress;
    sc_study_options options = SC_STUDY_OPTIONS_INIT;
    sc_study_outcome outcome = {0};

    sc_cli_catch_interrupts();
    sc_cli_progress_begin(&progress, &cli->globals);
    options.threads = (int)cli->globals.threads.value;
    options.progress = sc_cli_progress_hook;
    options.payload = &progress;
    sc_status st = sc_study_run(study, store, &options, &outcome);
    sc_cli_status_line(NULL);
    return st == SC_OK ? print_outcome(cli, study, store, &outcome) : sc_cli_fail(st);
}

int sc_cli_run_study(const sc_cli *cli)
{
    const sc_cli_run_values *v = cli->values;
    sc_study *study = NULL;
    sc_store *store = NULL;

    int code = sc_cli_open_study(cli, &study, &v->trials);
    if (code == SC_EXIT_OK)
        code = sc_cli_open_database(cli, &store, SC_STORE_CREATE);
    if (code == SC_EXIT_OK)
        code = run_open_study(cli, study, store);
    sc_store_close(store);
    sc_study_close(study);
    return code;
}
