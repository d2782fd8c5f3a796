#include "commands.h"

static const sc_cli_command *const members[] = {
    &sc_cmd_evaluate,
    &sc_cmd_map,
    &sc_cmd_whatif,
    &sc_cmd_explain,
    &sc_cmd_diff,
    &sc_cmd_systolic,
    &sc_cmd_validate,
    &sc_cmd_calibrate,
    &sc_cmd_search,
    &sc_cmd_sweep,
    &sc_cmd_ask,
    &sc_cmd_tell,
    &sc_cmd_best,
    &sc_cmd_pareto,
    &sc_cmd_trials,
    &sc_cmd_train,
    &sc_cmd_predict,
    &sc_cmd_propose,
    &sc_cmd_place,
    &sc_cmd_report,
    &sc_cmd_export,
    &sc_cmd_roi,
    &sc_cmd_study,
    &sc_cmd_space,
    &sc_cmd_workload,
    &sc_cmd_import,
    &sc_cmd_design,
    &sc_cmd_db,
    &sc_cmd_completion,
    &sc_cmd_manual,
    NULL,
};

static const sc_cli_example examples[] = {
    {"scantle evaluate tpu-v3 efficientnet-b0", "Score a built-in design on a built-in network."},
    {"scantle evaluate --help", "What a command takes, with examples."},
    {NULL, NULL}};

const sc_cli_command sc_cli_root = {
    .name = "scantle",
    .summary = "Find, score and explain accelerator designs for neural networks",
    .about = "A DESIGN is a built-in name (tpu-v3), a template with values "
             "(fast:pes_x=8,l3_global=16MiB), a YAML file, or an ID from the database. A WORKLOAD "
             "is a built-in name with options (bert-base:seq=128,batch=8), or a YAML or ONNX file. "
             "Quantities take units: 2 MiB, 1.4 GHz, 448 GB/s, 250 W.\n"
             "Standard output is data only; errors, warnings and progress go to standard error.\n"
             "\n"
             "Exit codes: 0 done; 1 internal or system error; 2 nothing feasible; 3 interrupted, "
             "the same command resumes; 4 bad usage or bad input; 5 the database is locked, full, "
             "corrupt or newer; 6 a quality rule was violated.",
    .examples = examples,
    .members = members,
};
