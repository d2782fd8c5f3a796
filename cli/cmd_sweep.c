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

const sc_cli_command sc_cmd_sweep = {
    .name = "sweep",
    .summary = "Evaluate a grid, a list or a sample of designs on networks",
    .about = "A sweep is a study that visits given points instead of looking for better ones. It "
             "resumes, is interrupted and is stored as scantle search says.",
    .examples = examples,
    .operands = operands,
    .options = sc_cli_run_options,
    .values_size = sizeof(sc_cli_run_values),
    .run = sc_cli_run_study,
};
