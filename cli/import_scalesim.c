/** `scantle import scalesim`: input of the systolic-array simulator in our forms. */
#include "import.h"
#include "message.h"
#include "scantle/scalesim.h"
#include "show.h"

typedef struct scalesim_values {
    const char *output;
} scalesim_values;

static sc_status show_import(const json_t *root)
{
    static const sc_cli_field totals[] = {{"name", "network", SC_CLI_AS_TEXT},
                                          {"layers", "layers", SC_CLI_AS_COUNT},
                                          {"macs", "MACs", SC_CLI_AS_COUNT},
                                          {"parameters", "parameters", SC_CLI_AS_COUNT},
                                          {"array.rows", "array rows", SC_CLI_AS_COUNT},
                                          {"array.cols", "array columns", SC_CLI_AS_COUNT},
                                          {"array.dataflow", "dataflow", SC_CLI_AS_TEXT},
                                          {NULL, NULL, SC_CLI_AS_TEXT}};
    sc_cli_show_fields(root, totals);
    sc_cli_show_assumptions(root);
    return SC_OK;
}

static int write_all(const char *folder, const sc_workload *network, const char *platform)
{
    char *yaml = NULL;
    const sc_status st = sc_workload_yaml(&yaml, network);
    if (st != SC_OK)
        return sc_cli_fail(st);
    const sc_cli_part parts[] = {{"network.yaml", yaml}, {"platform.yaml", platform}};
    const int code = sc_cli_write_parts(folder, parts, 2);
    sc_release(yaml);
    return code;
}

static int run_scalesim(const sc_cli *cli)
{
    const scalesim_values *v = cli->values;
    const bool pair = cli->n_operands == 2;
    sc_workload *network = NULL;
    char *platform = NULL, *report = NULL;
    int code = SC_EXIT_OK;
    const sc_status st = sc_scalesim_import(
        &network, &platform, &report, pair ? cli->operand[0] : NULL, cli->operand[pair ? 1 : 0]);
    if (st != SC_OK)
        return sc_cli_fail_input(st);
    if (v->output != NULL)
        code = write_all(v->output, network, platform);
    if (code == SC_EXIT_OK)
        code = sc_cli_show(cli, report, show_import);
    else
        sc_release(report);
    sc_release(platform);
    sc_workload_destroy(network);
    return code;
}

static const sc_cli_option options[] = {
    {.name = "output",
     .letter = 'o',
     .kind = SC_CLI_FOLDER,
     .argument = "FOLDER",
     .offset = offsetof(scalesim_values, output),
     .help = "write network.yaml, and platform.yaml where there is a configuration, there"},
    {.name = NULL}};

static const sc_cli_operand operands[] = {
    {.name = "FILE",
     .kind = SC_CLI_OPERAND_FILE,
     .help = "the configuration (.cfg), or the topology if it comes alone"},
    {.name = "TOPOLOGY",
     .kind = SC_CLI_OPERAND_FILE,
     .optional = true,
     .help = "the topology (.csv): convolutions, or lines of M, N, K"},
    {.name = NULL}};

static const sc_cli_example examples[] = {
    {"scantle import scalesim scale.cfg resnet50.csv -o mine", "A platform and a network."},
    {"scantle import scalesim gpt2.csv --json", "A topology alone; totals as JSON."},
    {NULL, NULL}};

const sc_cli_command sc_cmd_import_scalesim = {
    .name = "scalesim",
    .summary = "Import a configuration and a topology of the systolic-array simulator",
    .about =
        "Prints multiply-accumulates and parameters, and what such files leave to their reader: "
        "no padding, windows that overhang, depthwise layers known by name, lines that lack "
        "their last comma.",
    .examples = examples,
    .operands = operands,
    .options = options,
    .values_size = sizeof(scalesim_values),
    .run = run_scalesim,
};
