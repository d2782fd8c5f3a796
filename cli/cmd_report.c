/** `scantle report [STUDY]`: one offline page about a study. */
#include <string.h>

#include "commands.h"
#include "inputs.h"
#include "message.h"
#include "output.h"
#include "show.h"
#include "trials.h"

typedef struct report_values {
    const char *output;
    int form;
} report_values;

static const char *const forms[] = {"html", "svg", NULL};

static int write_report(const sc_cli *cli, sc_store *store, const char *study)
{
    const report_values *v = cli->values;
    const char *path = v->output != NULL ? v->output : v->form == 1 ? "pareto.svg" : "report.html";
    bool to_stdout = strcmp(path, "-") == 0;
    char *text = NULL;

    sc_status st =
        v->form == 1 ? sc_report_svg(&text, store, study) : sc_report_html(&text, store, study);
    int code = st == SC_OK ? sc_cli_write(path, text) : sc_cli_fail_input(st);
    sc_release(text);
    if (code != SC_EXIT_OK || to_stdout)
        return code;
    if (!cli->globals.json) {
        sc_cli_note("%s is written", path);
        return code;
    }
    json_t *root = json_pack("{s:s}", "written", path);
    code = sc_cli_show_json(cli, root, NULL);
    json_decref(root);
    return code;
}

static int run(const sc_cli *cli)
{
    sc_store *store = NULL;
    const char *study = NULL;
    char id[33];

    int code = sc_cli_open_database(cli, &store, SC_STORE_READ);
    if (code == SC_EXIT_OK)
        code = sc_cli_find_stored_study(cli, store, id, &study);
    if (code == SC_EXIT_OK)
        code = write_report(cli, store, study);
    sc_store_close(store);
    return code;
}

#define AT(field) offsetof(report_values, field)
static const sc_cli_option options[] = {
    {.name = "output",
     .letter = 'o',
     .kind = SC_CLI_OUTPUT,
     .argument = "FILE",
     .offset = AT(output),
     .help = "file to write, - for standard output (default: report.html, or pareto.svg)"},
    {.name = "format",
     .letter = 'f',
     .kind = SC_CLI_CHOICE,
     .argument = "FORMAT",
     .offset = AT(form),
     .choices = forms,
     .help = "html: the whole page; svg: the Pareto plot alone",
     .fallback = "html"},
    {.name = NULL}};
#undef AT

static const sc_cli_example examples[] = {
    {"scantle report -o report.html", "The page of the only study in ./scantle.db."},
    {"scantle report b0 -f svg -o front.svg", "The Pareto plot of a study."},
    {NULL, NULL}};

const sc_cli_command sc_cmd_report = {
    .name = "report",
    .summary = "Write one offline HTML page about a study",
    .about = "The page begins with the outcome, beside the baseline and the limits; then come "
             "plots, the best designs with their figures and parameters, the ops of the best one, "
             "what made designs infeasible, and the study file. It reads the database only and "
             "needs no network to be viewed.",
    .examples = examples,
    .operands = sc_cli_stored_study,
    .options = options,
    .values_size = sizeof(report_values),
    .run = run,
};
