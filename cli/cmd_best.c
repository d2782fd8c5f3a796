/** `scantle best [STUDY]`: show the best trials of a study. */
#include "commands.h"
#include "trials.h"

static int run(const sc_cli *cli)
{
    const sc_cli_trials_values *v = cli->values;
    return sc_cli_print_trials(cli, SC_REPORT_BEST, v->top.value);
}

static const sc_cli_option options[] = {{.name = "top",
                                         .letter = 'n',
                                         .kind = SC_CLI_INTEGER,
                                         .argument = "N",
                                         .offset = offsetof(sc_cli_trials_values, top),
                                         .help = "trials to show at most, 0 = all",
                                         .fallback = "10"},
                                        {.name = NULL}};

static const sc_cli_example examples[] = {
    {"scantle best b0", "The ten best, and the parameters of the best one."},
    {"scantle best study.yaml -n 1 --json", "The best one as JSON, of the study in that file."},
    {NULL, NULL}};

const sc_cli_command sc_cmd_best = {
    .name = "best",
    .summary = "Show the best trials of a study",
    .about = "By the first objective; infeasible trials never stand among them. Exit code 2 if "
             "no trial is feasible.",
    .examples = examples,
    .operands = sc_cli_stored_study,
    .options = options,
    .values_size = sizeof(sc_cli_trials_values),
    .run = run,
};
