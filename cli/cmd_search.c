/** `scantle search STUDY`: look for the best designs of a space. */
#include "commands.h"
#include "run_study.h"

static const sc_cli_operand operands[] = {
    {.name = "STUDY",
     .kind = SC_CLI_OPERAND_FILE,
     .help = "YAML file: space, networks, objectives, constraints, optimiser, seed and budget"},
    {.name = NULL}};

static const sc_cli_example examples[] = {
    {"scantle search study.yaml", "Run it, or go on where it stopped, in ./scantle.db."},
    {"scantle search study.yaml -n 5000 --db results.db -j 2",
     "To 5,000 trials in all, in another database, on two threads."},
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
             "trials for any number of threads and across interrupts.",
    .examples = examples,
    .sample = &sample,
    .operands = operands,
    .options = sc_cli_run_options,
    .values_size = sizeof(sc_cli_run_values),
    .run = sc_cli_run_study,
};
