/** `scantle import`: files of other tools as ours, saying what was assumed. */
#include <stdio.h>
#include <string.h>

#include "commands.h"
#include "import.h"
#include "message.h"
#include "output.h"
#include "scantle/workload.h"
#include "show.h"

/* ---- onnx ---- */

typedef struct onnx_values {
    const char *output;
} onnx_values;

static const sc_cli_field totals[] = {
    {"name", "network", SC_CLI_AS_TEXT},
    {"opset", "opset", SC_CLI_AS_COUNT},
    {"nodes", "nodes", SC_CLI_AS_COUNT},
    {"ops", "ops", SC_CLI_AS_COUNT},
    {"batch", "batch", SC_CLI_AS_COUNT},
    {"bits", "bits an element", SC_CLI_AS_COUNT},
    {"macs", "MACs", SC_CLI_AS_COUNT},
    {"parameters", "parameters of the file", SC_CLI_AS_COUNT},
    {"network_parameters", "parameters of the ops", SC_CLI_AS_COUNT},
    {NULL, NULL, SC_CLI_AS_TEXT}};

void sc_cli_show_assumptions(const json_t *root)
{
    const json_t *list = json_object_get(root, "assumptions");
    const json_int_t more = json_integer_value(json_object_get(root, "more_assumptions"));
    char text[64];
    if (json_array_size(list))
        sc_cli_show_heading("Assumed");
    for (size_t i = 0; i < json_array_size(list); i++)
        sc_cli_put_lines(json_string_value(json_array_get(list, i)));
    if (more > 0) {
        (void)snprintf(text, sizeof text, "and %lld more", (long long)more);
        sc_cli_put_lines(text);
    }
}

static sc_status show_onnx(const json_t *root)
{
    const json_t *by_op = json_object_get(root, "macs_by_op");
    sc_status st = SC_OK;
    sc_cli_show_fields(root, totals);
    if (json_object_size(by_op)) {
        sc_cli_show_heading("MACs by kind of node");
        st = sc_cli_show_map(by_op, "node", SC_CLI_AS_COUNT);
    }
    sc_cli_show_assumptions(root);
    return st;
}

/* The network as YAML, where it has any op. */
static int write_network(const char *path, const sc_workload *workload)
{
    char *yaml = NULL;
    if (workload == NULL) {
        sc_cli_error("no op to run in the file: nothing to write to %s", path);
        return SC_EXIT_USAGE;
    }
    const sc_status st = sc_workload_yaml(&yaml, workload);
    const int code = st == SC_OK ? sc_cli_write(path, yaml) : sc_cli_fail(st);
    sc_release(yaml);
    return code;
}

static int run_onnx(const sc_cli *cli)
{
    const onnx_values *v = cli->values;
    sc_workload *workload = NULL;
    char *report = NULL;
    int code = SC_EXIT_OK;

    const sc_status st = sc_workload_import_onnx(&workload, &report, cli->operand[0]);
    if (st != SC_OK)
        return sc_cli_fail_input(st);
    if (v->output != NULL)
        code = write_network(v->output, workload);
    if (code == SC_EXIT_OK && (v->output == NULL || strcmp(v->output, "-") != 0))
        code = sc_cli_show(cli, report, show_onnx);
    else
        sc_release(report);
    sc_workload_destroy(workload);
    return code;
}

static const sc_cli_option onnx_options[] = {{.name = "output",
                                              .letter = 'o',
                                              .kind = SC_CLI_OUTPUT,
                                              .argument = "FILE",
                                              .offset = offsetof(onnx_values, output),
                                              .help = "write the network to FILE, as YAML"},
                                             {.name = NULL}};

static const sc_cli_operand onnx_operands[] = {
    {.name = "FILE",
     .kind = SC_CLI_OPERAND_FILE,
     .help = "an ONNX model; behind a colon: batch=N, seq=N, bits=8|16|32, NAME=N for any open "
             "dimension, unsupported=refuse|movement"},
    {.name = NULL}};

static const sc_cli_example onnx_examples[] = {
    {"scantle import onnx model.onnx -o net.yaml", "The network as YAML, and what was assumed."},
    {"scantle import onnx bert.onnx:batch=8,seq=128 --json",
     "Open dimensions bound; totals as JSON."},
    {NULL, NULL}};

static const sc_cli_command onnx = {
    .name = "onnx",
    .summary = "Import an ONNX model",
    .about = "Prints multiply-accumulates, parameters and what was assumed. Weights are not read: "
             "they may be missing. A dimension that the file leaves open is 1 unless it is bound. "
             "Any command that takes a WORKLOAD takes the model itself, with the same options.",
    .examples = onnx_examples,
    .operands = onnx_operands,
    .options = onnx_options,
    .values_size = sizeof(onnx_values),
    .run = run_onnx,
};

static const sc_cli_command *const members[] = {&onnx, &sc_cmd_import_timeloop,
                                                &sc_cmd_import_scalesim, NULL};

static const sc_cli_example examples[] = {
    {"scantle import onnx model.onnx", "Totals of a model, and what was assumed."}, {NULL, NULL}};

const sc_cli_command sc_cmd_import = {
    .name = "import",
    .summary = "Import files of other tools",
    .examples = examples,
    .members = members,
};
