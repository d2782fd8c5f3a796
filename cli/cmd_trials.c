/** `scantle trials [STUDY]`: show the trials of a study in their order. */
#include "commands.h"
#include "trials.h"

static int run(const sc_cli *cli)
{
    const sc_cli_trials_values *v = cli->values;
    return sc_cli_print_trials(cli, SC_REPORT_TRIALS, v->top.value);
}

static const sc_cli_option options[] = {{.name = "top",
                                         .letter = 'n',
                                         .kind = SC_CLI_INTEGER,
                                         .argument = "N",
                                         .offset = offsetof(sc_cli_trials_values, top),
                                         .help = "trials to show at most, 0 = all",
                                         .fallback = "0"},
                                        {.name = NULL}};

static const sc_cli_example examples[] = {
    {"scantle trials b0 -n 20", "The first twenty."},
    {"scantle trials b0 --json", "All, with parameters and every reason, as JSON."},
    {NULL, NULL}};

const sc_cli_command sc_cmd_trials = {
    .name = "trials",
    .summary = "Show the trials of a study in their order",
    .about = "All that the study keeps, infeasible ones with what they miss. scantle export writes "
             "the same as CSV.",
    .examples = examples,
    .operands = sc_cli_stored_study,
    .options = options,
    .values_size = sizeof(sc_cli_trials_values),
    .run = run,
};
