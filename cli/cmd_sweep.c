/** `scantle sweep SWEEP`: evaluate a grid, a list or a sample of designs. */
#include "commands.h"
#include "run_study.h"

static const sc_cli_operand operands[] = {
    {.name = "SWEEP",
     .kind = SC_CLI_OPERAND_FILE,
     .help = "YAML file of a study whose optimiser is grid, list, random or sobol"},
    {.name = NULL}};

static const sc_cli_example examples[] = {
    {"scantle sweep sweep.yaml", "Every point; run again, it goes on where it stopped."},
    {"scantle sweep sweep.yaml --db sweep.db && scantle export sweep --db sweep.db > sweep.csv",
     "The table of a sweep whose name is sweep."},
    {NULL, NULL}};

static const sc_cli_example sample = {
    "version: 1\n"
    "name: example\n"
    "template: fast\n"
    "space:                          # one value fixes a parameter\n"
    "  restrict: {pes_x: [4, 8], pes_y: 4, systolic_x: 32, systolic_y: 32,\n"
    "    vector_multiplier: 1, l1_mode: private, l1_input: 16 KiB, l1_weight: 16 KiB,\n"
    "    l1_output: 16 KiB, l2_mode: disabled, l3_global: [4 MiB, 16 MiB],\n"
    "    gddr6_channels: 8, native_batch: 8}\n"
    "networks: [mobilenet-v2]\n"
    "objectives: [perf_per_tdp]\n"
    "optimizer: grid                 # or list, with points; random, sobol: budget\n",
    "A whole sweep.yaml of four points; docs/formats/study.md documents every key, and "
    "configs/studies/sweep-example.yaml sweeps three parameters on two networks:"};

const sc_cli_command sc_cmd_sweep = {
    .name = "sweep",
    .summary = "Evaluate a grid, a list or a sample of designs on networks",
    .about = "A sweep is a study that visits given points instead of looking for better ones. It "
             "resumes, is interrupted and is stored as scantle search says.",
    .examples = examples,
    .sample = &sample,
    .operands = operands,
    .options = sc_cli_run_options,
    .values_size = sizeof(sc_cli_run_values),
    .run = sc_cli_run_study,
};
