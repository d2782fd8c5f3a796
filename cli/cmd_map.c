/** `scantle map`: how each op of a network runs on a design, or the score of a given mapping. */
#include "commands.h"
#include "inputs.h"
#include "message.h"
#include "output.h"
#include "scantle/map.h"

typedef struct map_values {
    const char *op, *mapping, *save;
    sc_cli_model_values model;
} map_values;

/* The mapping of the one op asked for, where --save says. */
static int save_mapping(const map_values *v, const sc_map_result *result)
{
    char *text = NULL;
    sc_status st = sc_map_result_yaml(&text, result, 0);
    int code = st == SC_OK ? sc_cli_write(v->save, text) : sc_cli_fail(st);
    sc_release(text);
    return code;
}

static int print(const sc_cli *cli, const sc_map_result *result)
{
    const map_values *v = cli->values;
    char *text = NULL;
    bool feasible = sc_map_result_feasible(result) != 0;

    sc_status st =
        cli->globals.json ? sc_map_result_json(&text, result) : sc_map_result_text(&text, result);
    if (st != SC_OK)
        return sc_cli_fail(st);
    if (cli->globals.json)
        sc_cli_put_line(text);
    else
        sc_cli_put_lines(text);
    sc_release(text);
    int code = feasible && v->save != NULL ? save_mapping(v, result) : SC_EXIT_OK;
    return code == SC_EXIT_OK && !feasible ? SC_EXIT_INFEASIBLE : code;
}

static int run(const sc_cli *cli)
{
    const map_values *v = cli->values;
    sc_map_request request = SC_MAP_REQUEST_INIT;
    sc_design *design = NULL;
    sc_workload *workload = NULL;
    sc_map_result *result = NULL;

    if (v->op == NULL && (v->mapping != NULL || v->save != NULL)) {
        sc_cli_error("%s is of one op: name it with --op",
                     v->mapping != NULL ? "--mapping" : "--save");
        return SC_EXIT_USAGE;
    }
    int code = sc_cli_open_pair(cli, &design, &workload);
    if (code != SC_EXIT_OK)
        return code;
    request.op = v->op;
    request.mapping = v->mapping;
    request.batch = v->model.batch.value;
    request.map_budget = v->model.map_budget.value;
    request.threads = (int)cli->globals.threads.value;
    sc_status st = sc_map_network(&result, design, workload, &request);
    code = st == SC_OK ? print(cli, result) : sc_cli_fail_input(st);
    sc_map_result_destroy(result);
    sc_workload_destroy(workload);
    sc_design_destroy(design);
    return code;
}

#define AT(field) offsetof(map_values, field)
static const sc_cli_option options[] = {
    {.name = "op",
     .kind = SC_CLI_TEXT,
     .argument = "NAME",
     .offset = AT(op),
     .help = "this op alone"},
    {.name = "mapping",
     .kind = SC_CLI_FILE,
     .argument = "FILE",
     .offset = AT(mapping),
     .help = "score the mapping in this YAML file instead of looking for the best; needs --op"},
    {.name = "save",
     .kind = SC_CLI_FILE,
     .argument = "FILE",
     .offset = AT(save),
     .help = "write the mapping as YAML, which --mapping reads; needs --op"},
    SC_CLI_MODEL_OPTIONS(map_values, model),
    {.name = NULL}};
#undef AT

static const sc_cli_example examples[] = {
    {"scantle map tpu-v3 resnet50",
     "The mapping of every MAC op, and how far from the bound it is."},
    {"scantle map tpu-v3 resnet50 --op conv1 --save conv1.yaml", "One op, kept as a file."},
    {"scantle map tpu-v3 resnet50 --op conv1 --mapping conv1.yaml --json",
     "The score of a given mapping."},
    {NULL, NULL}};

const sc_cli_command sc_cmd_map = {
    .name = "map",
    .summary = "Find the mapping of each op on a design, or score a given one",
    .examples = examples,
    .operands = sc_cli_pair_operands,
    .options = options,
    .values_size = sizeof(map_values),
    .run = run,
};
