/** `scantle search STUDY`: look for the best designs of a space. */
#include "commands.h"
#include "ladder.h"
#include "run_study.h"

typedef struct search_values {
    sc_cli_run_values run; /* first: sc_cli_run_study reads it there */
    bool ablate;
} search_values;

static int run(const sc_cli *cli)
{
    const search_values *v = cli->values;
    return v->ablate ? sc_cli_ablate_study(cli, &v->run.trials) : sc_cli_run_study(cli);
}

static const sc_cli_option options[] = {
    SC_CLI_TRIALS_OPTION(offsetof(search_values, run)),
    {.name = "ablate",
     .kind = SC_CLI_FLAG,
     .offset = offsetof(search_values, ablate),
     .help = "the same search once for each part of the method: the datapath alone, then with the "
             "best mapping, padding, fusion, softmax, attention as one step and ops in tiles added "
             "in turn; a table of what each brings over the baseline. The file's rules for its "
             "trials do not count"},
    {.name = NULL}};

static const sc_cli_operand operands[] = {
    {.name = "STUDY",
     .kind = SC_CLI_OPERAND_FILE,
     .help = "YAML file: space, networks, objectives, constraints, optimiser, seed and budget"},
    {.name = NULL}};

static const sc_cli_example examples[] = {
    {"scantle search study.yaml", "Run it, or go on where it stopped, in ./scantle.db."},
    {"scantle search study.yaml -n 5000 --db results.db -j 2",
     "To 5,000 trials in all, in another database, on two threads."},
    {"scantle search configs/studies/fast-efficientnet-b7.yaml --ablate -n 1000",
     "Six studies of 1,000 trials: what mapping, padding, fusion and the rest bring."},
    {NULL, NULL}};

static const sc_cli_example sample = {
    "version: 1\n"
    "name: example\n"
    "template: fast                  # the space: all values of its parameters\n"
    "networks: [efficientnet-b0]     # built-in names, or files\n"
    "baseline: tpu-v3-7nm            # what to compare with\n"
    "objectives: [perf_per_tdp]      # several give a front\n"
    "limits: {area_mm2: {max: baseline}, tdp_w: {max: 120 W}}\n"
    "optimizer: nsga2\n"
    "budget: {trials: 1000}\n",
    "A whole study.yaml; docs/formats/study.md documents every key, and configs/studies/ has "
    "more:"};

const sc_cli_command sc_cmd_search = {
    .name = "search",
    .summary = "Run or resume a study: search a space for the best designs",
    .about = "The study's trials are kept in the database. Ctrl-C finishes the evaluations in "
             "flight, prints the command that goes on, and exits with code 3; a second Ctrl-C "
             "stops at once, and nothing that was committed is lost. The same seed gives the same "
             "trials for any number of threads and across interrupts. With --ablate each rung is a "
             "study of its own, named NAME/RUNG: the same command resumes all of them.",
    .examples = examples,
    .sample = &sample,
    .operands = operands,
    .options = options,
    .values_size = sizeof(search_values),
    .run = run,
};
