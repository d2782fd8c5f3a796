/** `scantle diff A B [WORKLOAD]`: two designs side by side. */
#include <stdio.h>
#include <string.h>

#include "commands.h"
#include "inputs.h"
#include "message.h"
#include "output.h"
#include "scantle/explain.h"
#include "show.h"

typedef struct diff_values {
    sc_cli_model_values model;
} diff_values;

static const sc_cli_field values[] = {{"name", "parameter", SC_CLI_AS_TEXT},
                                      {"a", "A", SC_CLI_AS_TEXT},
                                      {"b", "B", SC_CLI_AS_TEXT},
                                      {NULL, NULL, SC_CLI_AS_TEXT}};

static const sc_cli_field totals[] = {{"name", "total", SC_CLI_AS_TEXT},
                                      {"a", "A", SC_CLI_AS_NUMBER},
                                      {"b", "B", SC_CLI_AS_NUMBER},
                                      {"ratio", "B / A", SC_CLI_AS_NUMBER},
                                      {NULL, NULL, SC_CLI_AS_TEXT}};

static const sc_cli_field ops[] = {{"name", "op", SC_CLI_AS_TEXT},
                                   {"kind", "kind", SC_CLI_AS_TEXT},
                                   {"a_time_s", "time on A", SC_CLI_AS_SECONDS},
                                   {"b_time_s", "on B", SC_CLI_AS_SECONDS},
                                   {"effect_s", "B - A", SC_CLI_AS_SECONDS},
                                   {"a_bound", "bound on A", SC_CLI_AS_TEXT},
                                   {"b_bound", "on B", SC_CLI_AS_TEXT},
                                   {NULL, NULL, SC_CLI_AS_TEXT}};

static sc_status show_diff(const json_t *root)
{
    const json_t *differ = json_object_get(root, "values"),
                 *op_list = json_object_get(root, "op_list");
    sc_status st = SC_OK;
    if (json_array_size(differ) > 0) {
        sc_cli_show_heading("Parameters that differ");
        st = sc_cli_show_rows(differ, values);
    }
    if (st == SC_OK) {
        const bool per_sample = json_is_true(json_object_get(root, "per_sample"));
        sc_cli_show_heading(per_sample ? "Totals; times and energies of one sample" : "Totals");
        st = sc_cli_show_rows(json_object_get(root, "totals"), totals);
    }
    if (st == SC_OK && json_array_size(op_list) > 0) {
        sc_cli_show_heading("Ops, the largest effect first");
        st = sc_cli_show_rows(op_list, ops);
    }
    return st;
}

static int compare(const sc_cli *cli, const sc_design *a, const sc_design *b)
{
    const diff_values *v = cli->values;
    const sc_evaluate_options how = sc_cli_evaluate_options(cli, &v->model);
    sc_workload *workload = NULL;
    char *document = NULL;
    sc_cli_say_idle_nodes(&v->model, a, &how.rules);
    sc_cli_say_idle_nodes(&v->model, b, &how.rules);
    sc_status st = cli->n_operands > 2 ? sc_workload_open(&workload, cli->operand[2]) : SC_OK;
    if (st == SC_OK)
        st = sc_diff(&document, a, b, workload, &how);
    sc_workload_destroy(workload);
    return st == SC_OK ? sc_cli_show(cli, document, show_diff) : sc_cli_fail_input(st);
}

static int run(const sc_cli *cli)
{
    sc_design *a = NULL, *b = NULL;
    /* both are tried, so that one run reports what is wrong with either */
    const int bad_a = sc_cli_open_design(cli, &a, cli->operand[0]);
    const int bad_b = sc_cli_open_design(cli, &b, cli->operand[1]);
    int code = bad_a != SC_EXIT_OK ? bad_a : bad_b;
    if (code == SC_EXIT_OK)
        code = compare(cli, a, b);
    sc_design_destroy(a);
    sc_design_destroy(b);
    return code;
}

static const sc_cli_operand operands[] = {
    {.name = "A", .kind = SC_CLI_OPERAND_DESIGN, .help = "a design, in any form"},
    {.name = "B", .kind = SC_CLI_OPERAND_DESIGN, .help = "the design it is compared with"},
    {.name = "WORKLOAD",
     .kind = SC_CLI_OPERAND_WORKLOAD,
     .optional = true,
     .help = "a network to compare them on (default: the designs alone)"},
    {.name = NULL}};

static const sc_cli_option options[] = {SC_CLI_MODEL_OPTIONS(offsetof(diff_values, model)),
                                        {.name = NULL}};

static const sc_cli_example examples[] = {
    {"scantle diff fast fast:pes_x=16 resnet50", "Totals, and the ops that change most."},
    {"scantle diff tpu-v3 tpu-v3-7nm --json", "Parameters, area and TDP alone, as JSON."},
    {NULL, NULL}};

const sc_cli_command sc_cmd_diff = {
    .name = "diff",
    .summary = "Compare two designs, on a network op by op",
    .examples = examples,
    .operands = operands,
    .options = options,
    .values_size = sizeof(diff_values),
    .run = run,
};
