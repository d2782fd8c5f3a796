/** `scantle pareto [STUDY]`: show the Pareto front of a study. */
#include "commands.h"
#include "trials.h"

static int run(const sc_cli *cli)
{
    const sc_cli_trials_values *v = cli->values;
    return sc_cli_print_trials(cli, SC_REPORT_PARETO, v->top.value);
}

static const sc_cli_option options[] = {{.name = "top",
                                         .letter = 'n',
                                         .kind = SC_CLI_INTEGER,
                                         .argument = "N",
                                         .offset = offsetof(sc_cli_trials_values, top),
                                         .help = "trials to show at most, 0 = all",
                                         .fallback = "0"},
                                        {.name = NULL}};

static const sc_cli_example examples[] = {{"scantle pareto b0", "The whole front."},
                                          {"scantle pareto b0 --json", "With parameters, as JSON."},
                                          {NULL, NULL}};

const sc_cli_command sc_cmd_pareto = {
    .name = "pareto",
    .summary = "Show the Pareto front of a study",
    .about = "The feasible trials that no other one beats in every objective, best first by the "
             "first. Exit code 2 if no trial is feasible.",
    .examples = examples,
    .operands = sc_cli_stored_study,
    .options = options,
    .values_size = sizeof(sc_cli_trials_values),
    .run = run,
};
