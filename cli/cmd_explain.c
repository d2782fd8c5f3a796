/** `scantle explain DESIGN WORKLOAD`: what bounds an op or a network, and what would relieve it. */
#include <stdio.h>
#include <string.h>

#include "commands.h"
#include "inputs.h"
#include "message.h"
#include "output.h"
#include "scantle/explain.h"
#include "show.h"

typedef struct explain_values {
    const char *op;
    sc_cli_model_values model;
} explain_values;

static const sc_cli_field totals[] = {{"op", "op", SC_CLI_AS_TEXT},
                                      {"kind", "kind", SC_CLI_AS_TEXT},
                                      {"feasible", "feasible", SC_CLI_AS_TEXT},
                                      {"time_s", "time", SC_CLI_AS_SECONDS},
                                      {"bound", "bound", SC_CLI_AS_TEXT},
                                      {"second_bound", "second bound", SC_CLI_AS_TEXT},
                                      {"distance", "distance to it", SC_CLI_AS_PERCENT},
                                      {"prefill_s", "prefill", SC_CLI_AS_SECONDS},
                                      {"lower_bound_s", "no mapping below", SC_CLI_AS_SECONDS},
                                      {NULL, NULL, SC_CLI_AS_TEXT}};

static const sc_cli_field misfits[] = {{"op", "op", SC_CLI_AS_TEXT},
                                       {"code", "misses", SC_CLI_AS_TEXT},
                                       {"level", "level", SC_CLI_AS_TEXT},
                                       {"tensor", "tensor", SC_CLI_AS_TEXT},
                                       {"need_bytes", "needs", SC_CLI_AS_COUNT},
                                       {"have_bytes", "has", SC_CLI_AS_COUNT},
                                       {"over_bytes", "over", SC_CLI_AS_NUMBER},
                                       {NULL, NULL, SC_CLI_AS_TEXT}};

static const sc_cli_field bounds[] = {{"bound", "bound", SC_CLI_AS_TEXT},
                                      {"time_s", "time", SC_CLI_AS_SECONDS},
                                      {"share", "share", SC_CLI_AS_PERCENT},
                                      {"ops", "ops", SC_CLI_AS_COUNT},
                                      {"relief_s", "lifting it saves", SC_CLI_AS_SECONDS},
                                      {NULL, NULL, SC_CLI_AS_TEXT}};

static const sc_cli_field levels[] = {{"name", "level", SC_CLI_AS_TEXT},
                                      {"bytes", "moved", SC_CLI_AS_BYTES},
                                      {"compulsory_bytes", "compulsory", SC_CLI_AS_BYTES},
                                      {"ratio", "ratio", SC_CLI_AS_NUMBER},
                                      {NULL, NULL, SC_CLI_AS_TEXT}};

static const sc_cli_field ops[] = {{"name", "op", SC_CLI_AS_TEXT},
                                   {"kind", "kind", SC_CLI_AS_TEXT},
                                   {"time_s", "time", SC_CLI_AS_SECONDS},
                                   {"share", "share", SC_CLI_AS_PERCENT},
                                   {"bound", "bound", SC_CLI_AS_TEXT},
                                   {"second_bound", "second bound", SC_CLI_AS_TEXT},
                                   {"distance", "distance", SC_CLI_AS_PERCENT},
                                   {"dram_bytes", "DRAM", SC_CLI_AS_BYTES},
                                   {"compulsory_bytes", "compulsory", SC_CLI_AS_BYTES},
                                   {NULL, NULL, SC_CLI_AS_TEXT}};

static const sc_cli_field steps[] = {{"set", "one step", SC_CLI_AS_TEXT},
                                     {"feasible", "feasible", SC_CLI_AS_TEXT},
                                     {"time_per_sample_s", "time a sample", SC_CLI_AS_SECONDS},
                                     {"change", "change", SC_CLI_AS_PERCENT},
                                     {"bound", "bound", SC_CLI_AS_TEXT},
                                     {NULL, NULL, SC_CLI_AS_TEXT}};

/* Parts of the document as tables, those that are there. */
static const struct part {
    const char *key, *heading;
    const sc_cli_field *fields;
} parts[] = {{"misfits", "What does not fit", misfits},
             {"bounds", "What asks for time", bounds},
             {"levels", "Bytes at each level, and what no mapping avoids", levels},
             {"op_list", "Ops, longest first", ops},
             {"steps", "What one step of each parameter changes, fastest first", steps}};

static sc_status show_explanation(const json_t *root)
{
    sc_status st = SC_OK;
    sc_cli_show_fields(root, totals);
    for (size_t i = 0; i < sizeof parts / sizeof *parts && st == SC_OK; i++) {
        const json_t *rows = json_object_get(root, parts[i].key);
        if (json_array_size(rows) == 0)
            continue;
        sc_cli_show_heading(parts[i].heading);
        st = sc_cli_show_rows(rows, parts[i].fields);
    }
    return st;
}

/* Whether the document says that the op or the network runs. */
static bool says_feasible(const char *document)
{
    json_t *root = json_loads(document, 0, NULL);
    const bool feasible = json_is_true(json_object_get(root, "feasible"));
    json_decref(root);
    return feasible;
}

static int run(const sc_cli *cli)
{
    const explain_values *v = cli->values;
    const sc_evaluate_options how = sc_cli_evaluate_options(cli, &v->model);
    sc_design *design = NULL;
    sc_workload *workload = NULL;
    char *document = NULL;

    int code = sc_cli_open_pair(cli, &design, &workload);
    if (code != SC_EXIT_OK)
        return code;
    const sc_status st = sc_explain(&document, design, workload, v->op, &how);
    const bool feasible = st == SC_OK && says_feasible(document);
    code = st == SC_OK ? sc_cli_show(cli, document, show_explanation) : sc_cli_fail_input(st);
    if (code == SC_EXIT_OK && !feasible)
        code = SC_EXIT_INFEASIBLE;
    sc_workload_destroy(workload);
    sc_design_destroy(design);
    return code;
}

static const sc_cli_option options[] = {{.name = "op",
                                         .kind = SC_CLI_TEXT,
                                         .argument = "NAME",
                                         .offset = offsetof(explain_values, op),
                                         .help = "this op alone"},
                                        SC_CLI_MODEL_OPTIONS(offsetof(explain_values, model)),
                                        {.name = NULL}};

static const sc_cli_example examples[] = {
    {"scantle explain fast bert-base:seq=128", "What bounds the network, and what would help."},
    {"scantle explain fast bert-base:seq=128 --op l0_q --json", "The same of one op, as JSON."},
    {NULL, NULL}};

const sc_cli_command sc_cmd_explain = {
    .name = "explain",
    .summary = "Say what bounds an op or a network on a design, and what would relieve it",
    .about = "Prints the bound, the second bound and the distance to it, the bytes of each level "
             "against those that no mapping avoids, and what one step of each parameter would "
             "change. Of a design that does not fit: each op with the level, the tensor and the "
             "bytes over, and exit code 2.",
    .examples = examples,
    .operands = sc_cli_pair_operands,
    .options = options,
    .values_size = sizeof(explain_values),
    .run = run,
};
