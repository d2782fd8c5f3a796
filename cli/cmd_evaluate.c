/** `scantle evaluate DESIGN WORKLOAD`: one design on one network. */
#include "commands.h"
#include "evaluation.h"
#include "inputs.h"
#include "ladder.h"
#include "message.h"
#include "output.h"
#include "scantle/evaluate.h"
#include "show.h"

typedef struct evaluate_values {
    sc_cli_model_values model;
    const char *calibration;
    bool ablate;
} evaluate_values;

static int evaluate(const sc_cli *cli, const sc_design *design, const sc_workload *workload,
                    const sc_evaluate_options *how)
{
    sc_evaluation *evaluation = NULL;
    char *document = NULL;

    sc_status st = sc_evaluate(&evaluation, design, workload, how);
    if (st == SC_OK)
        st = sc_evaluation_json(&document, evaluation);
    int code = st == SC_OK ? sc_cli_show(cli, document, sc_cli_show_evaluation) : sc_cli_fail(st);
    if (code == SC_EXIT_OK && !sc_evaluation_feasible(evaluation))
        code = SC_EXIT_INFEASIBLE;
    sc_evaluation_destroy(evaluation);
    return code;
}

/* Whether the command line sets a rule. */
static bool sets_rules(const sc_cli_model_values *m)
{
    return m->mapping >= 0 || m->padding >= 0 || m->softmax >= 0 || m->fusion >= 0 ||
           m->attention >= 0 || m->tiles >= 0;
}

static int run(const sc_cli *cli)
{
    const evaluate_values *v = cli->values;
    const sc_evaluate_options how = sc_cli_evaluate_options(cli, &v->model);
    sc_design *design = NULL;
    sc_workload *workload = NULL;

    if (v->ablate && sets_rules(&v->model)) {
        sc_cli_error("--ablate sets the rules itself: leave out --mapping-rule, --padding, "
                     "--softmax, --fusion, --attention and --tiles");
        return SC_EXIT_USAGE;
    }
    int code = sc_cli_open_calibrated(cli, &design, &workload, v->calibration);
    if (code != SC_EXIT_OK)
        return code;
    sc_cli_say_idle_nodes(&v->model, design, &how.rules); /* of a ladder: under its later rungs */
    code = v->ablate ? sc_cli_ablate_design(cli, design, workload, &how)
                     : evaluate(cli, design, workload, &how);
    sc_workload_destroy(workload);
    sc_design_destroy(design);
    return code;
}

static const sc_cli_option options[] = {
    SC_CLI_MODEL_OPTIONS(offsetof(evaluate_values, model)),
    SC_CLI_CALIBRATION_OPTION(offsetof(evaluate_values, calibration)),
    {.name = "ablate",
     .kind = SC_CLI_FLAG,
     .offset = offsetof(evaluate_values, ablate),
     .help =
         "the parts of the method added in turn: plain mapping without padding and fusion, "
         "then the best mapping, padding, fusion, softmax, attention as one step and ops in tiles; "
         "one row each"},
    {.name = NULL}};

static const sc_cli_example examples[] = {
    {"scantle evaluate tpu-v3 efficientnet-b0", "Totals and a table of the ops."},
    {"scantle evaluate fast:pes_x=4,pes_y=4,l3_global=32MiB bert-base:seq=128 -b 8 --json",
     "A point of a template on another batch size, as JSON."},
    {"scantle evaluate fast:l3_global=32MiB efficientnet-b7 --fusion on",
     "With activations and weights that stay in the global buffer between ops."},
    {"scantle evaluate tpu-v3 efficientnet-b0 --ablate",
     "What a better schedule brings on the same chip, part by part."},
    {NULL, NULL}};

const sc_cli_command sc_cmd_evaluate = {
    .name = "evaluate",
    .summary = "Score one design on one network",
    .about = "Prints time, energy, power and area; for every op its time, what bounds it, its "
             "utilisation, its bytes at each level and its energy; sums by kind of op; and the "
             "energy by part of the chip. A design or a mapping that does not "
             "fit is reported with where and by how much it misses, and exit code 2.",
    .examples = examples,
    .operands = sc_cli_pair_operands,
    .options = options,
    .values_size = sizeof(evaluate_values),
    .run = run,
};
