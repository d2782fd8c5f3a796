/** `scantle workload`: the built-in networks, and what a network holds. */
#include "commands.h"
#include "message.h"
#include "names.h"
#include "output.h"
#include "scantle/workload.h"
#include "show.h"

/* ---- list ---- */

static int run_list(const sc_cli *cli)
{
    return sc_cli_list_names(cli, sc_workload_builtin, sc_workload_builtin_about);
}

static const sc_cli_example list_examples[] = {
    {"scantle workload list", "Built-in networks, their options and sources."}, {NULL, NULL}};

static const sc_cli_command list = {
    .name = "list",
    .summary = "List the built-in networks",
    .examples = list_examples,
    .run = run_list,
};

/* ---- show ---- */

static const sc_cli_field totals[] = {{"name", "network", SC_CLI_AS_TEXT},
                                      {"batch", "batch", SC_CLI_AS_COUNT},
                                      {"ops", "ops", SC_CLI_AS_COUNT},
                                      {"macs", "MACs", SC_CLI_AS_COUNT},
                                      {"parameters", "parameters", SC_CLI_AS_COUNT},
                                      {"parameter_bytes", "parameter bytes", SC_CLI_AS_BYTES},
                                      {NULL, NULL, SC_CLI_AS_TEXT}};

static const sc_cli_field ops[] = {{"name", "op", SC_CLI_AS_TEXT},
                                   {"kind", "kind", SC_CLI_AS_TEXT},
                                   {"macs", "MACs", SC_CLI_AS_COUNT},
                                   {"m", "M", SC_CLI_AS_COUNT},
                                   {"n", "N", SC_CLI_AS_COUNT},
                                   {"k", "K", SC_CLI_AS_COUNT},
                                   {"count", "count", SC_CLI_AS_COUNT},
                                   {"weights", "weights", SC_CLI_AS_COUNT},
                                   {"in_elems", "inputs", SC_CLI_AS_COUNT},
                                   {"out_elems", "outputs", SC_CLI_AS_COUNT},
                                   {"bits", "bits", SC_CLI_AS_COUNT},
                                   {NULL, NULL, SC_CLI_AS_TEXT}};

static sc_status show_workload(const json_t *root)
{
    sc_cli_show_fields(root, totals);
    sc_cli_show_heading("Ops");
    return sc_cli_show_rows(json_object_get(root, "op_list"), ops);
}

static int run_show(const sc_cli *cli)
{
    sc_workload *workload = NULL;
    char *document = NULL;
    int code = SC_EXIT_OK;

    sc_status st = sc_workload_open(&workload, cli->operand[0]);
    if (st == SC_OK)
        st = sc_workload_json(&document, workload);
    code = st == SC_OK ? sc_cli_show(cli, document, show_workload) : sc_cli_fail_input(st);
    sc_workload_destroy(workload);
    return code;
}

static const sc_cli_operand operands[] = {
    {.name = "WORKLOAD",
     .kind = SC_CLI_OPERAND_WORKLOAD,
     .help = "a built-in name with options (bert-base:seq=128,batch=8), a YAML or an ONNX file"},
    {.name = NULL}};

static const sc_cli_example show_examples[] = {
    {"scantle workload show efficientnet-b0", "Its ops, with MACs and parameters."},
    {"scantle workload show bert-base:seq=384 --json", "The same as JSON, with every shape."},
    {NULL, NULL}};

static const sc_cli_command show = {
    .name = "show",
    .summary = "Show the ops of a network, its MACs and parameters",
    .examples = show_examples,
    .operands = operands,
    .run = run_show,
};

/* ---- export ---- */

typedef struct export_values {
    const char *output;
} export_values;

static int run_export(const sc_cli *cli)
{
    const export_values *v = cli->values;
    sc_workload *workload = NULL;
    char *document = NULL;
    int code = SC_EXIT_OK;

    sc_status st = sc_workload_open(&workload, cli->operand[0]);
    if (st == SC_OK)
        st = cli->globals.json ? sc_workload_json(&document, workload)
                               : sc_workload_yaml(&document, workload);
    code = st == SC_OK ? sc_cli_write(v->output, document) : sc_cli_fail_input(st);
    sc_release(document);
    sc_workload_destroy(workload);
    return code;
}

static const sc_cli_option export_options[] = {{.name = "output",
                                                .letter = 'o',
                                                .kind = SC_CLI_OUTPUT,
                                                .argument = "FILE",
                                                .offset = offsetof(export_values, output),
                                                .help = "write to FILE instead of standard output"},
                                               {.name = NULL}};

static const sc_cli_example export_examples[] = {
    {"scantle workload export mobilenet-v2 -o net.yaml",
     "A YAML file to change; scantle reads it wherever it takes a WORKLOAD."},
    {NULL, NULL}};

static const sc_cli_command export = {
    .name = "export",
    .summary = "Write a network as YAML",
    .examples = export_examples,
    .operands = operands,
    .options = export_options,
    .values_size = sizeof(export_values),
    .run = run_export,
};

static const sc_cli_command *const members[] = {&list, &show, &export, NULL};

static const sc_cli_example examples[] = {
    {"scantle workload show resnet50", "The ops of ResNet-50 v1.5."}, {NULL, NULL}};

const sc_cli_command sc_cmd_workload = {
    .name = "workload",
    .summary = "List, show and export networks",
    .examples = examples,
    .members = members,
};
