/** `scantle evaluate DESIGN WORKLOAD`: one design on one network. */
#include "commands.h"
#include "inputs.h"
#include "message.h"
#include "scantle/evaluate.h"
#include "show.h"

typedef struct evaluate_values {
    sc_cli_integer batch, map_budget;
} evaluate_values;

static const sc_cli_field totals[] = {{"feasible", "feasible", SC_CLI_AS_TEXT},
                                      {"latency_s", "latency", SC_CLI_AS_SECONDS},
                                      {"throughput_per_s", "throughput", SC_CLI_AS_RATE},
                                      {"energy_j", "energy", SC_CLI_AS_JOULE},
                                      {"power_w", "power", SC_CLI_AS_WATT},
                                      {"tdp_w", "TDP", SC_CLI_AS_WATT},
                                      {"area_mm2", "area", SC_CLI_AS_MM2},
                                      {"perf_per_tdp", "perf/TDP (1/s/W)", SC_CLI_AS_NUMBER},
                                      {"utilization", "utilization", SC_CLI_AS_PERCENT},
                                      {"model_version", "model", SC_CLI_AS_TEXT},
                                      {NULL, NULL, SC_CLI_AS_TEXT}};

static const sc_cli_field reasons[] = {{"code", "misses", SC_CLI_AS_TEXT},
                                       {"where", "where", SC_CLI_AS_TEXT},
                                       {"excess", "by", SC_CLI_AS_NUMBER},
                                       {NULL, NULL, SC_CLI_AS_TEXT}};

static const sc_cli_field ops[] = {{"name", "op", SC_CLI_AS_TEXT},
                                   {"kind", "kind", SC_CLI_AS_TEXT},
                                   {"time_s", "time", SC_CLI_AS_SECONDS},
                                   {"bound", "bound", SC_CLI_AS_TEXT},
                                   {"utilization", "utilization", SC_CLI_AS_PERCENT},
                                   {"macs", "MACs", SC_CLI_AS_COUNT},
                                   {"dram_bytes", "DRAM", SC_CLI_AS_BYTES},
                                   {"intensity", "ops/byte", SC_CLI_AS_NUMBER},
                                   {"energy_j", "energy", SC_CLI_AS_JOULE},
                                   {NULL, NULL, SC_CLI_AS_TEXT}};

static sc_status show_evaluation(const json_t *root)
{
    const json_t *why = json_object_get(root, "reasons");
    const json_t *op_list = json_object_get(root, "op_list");
    sc_status st = SC_OK;

    sc_cli_show_fields(root, totals);
    if (json_array_size(why) > 0) {
        sc_cli_show_heading("Why it is infeasible");
        if ((st = sc_cli_show_rows(why, reasons)) != SC_OK)
            return st;
    }
    if (json_array_size(op_list) > 0) {
        sc_cli_show_heading("Ops");
        st = sc_cli_show_rows(op_list, ops);
    }
    return st;
}

static int run(const sc_cli *cli)
{
    const evaluate_values *v = cli->values;
    sc_evaluate_options options = SC_EVALUATE_OPTIONS_INIT;
    sc_design *design = NULL;
    sc_workload *workload = NULL;
    sc_evaluation *evaluation = NULL;
    char *document = NULL;

    int code = sc_cli_open_pair(cli, &design, &workload);
    if (code != SC_EXIT_OK)
        return code;
    options.threads = (int)cli->globals.threads.value;
    options.batch = v->batch.value;
    options.map_budget = v->map_budget.value;
    sc_status st = sc_evaluate(&evaluation, design, workload, &options);
    if (st == SC_OK)
        st = sc_evaluation_json(&document, evaluation);
    code = st == SC_OK ? sc_cli_show(cli, document, show_evaluation) : sc_cli_fail(st);
    if (code == SC_EXIT_OK && !sc_evaluation_feasible(evaluation))
        code = SC_EXIT_INFEASIBLE;
    sc_evaluation_destroy(evaluation);
    sc_workload_destroy(workload);
    sc_design_destroy(design);
    return code;
}

#define AT(field) offsetof(evaluate_values, field)
static const sc_cli_option options[] = {
    {.name = "batch",
     .letter = 'b',
     .kind = SC_CLI_INTEGER,
     .argument = "N",
     .offset = AT(batch),
     .min = 1,
     .help = "samples in one run (default: the design's native batch times the workload's own)"},
    {.name = "map-budget",
     .kind = SC_CLI_INTEGER,
     .argument = "N",
     .offset = AT(map_budget),
     .min = 1,
     .help = "mappings to look at for each op: work, not time, so results repeat"},
    {.name = NULL}};
#undef AT

static const sc_cli_operand operands[] = {
    {.name = "DESIGN",
     .kind = SC_CLI_OPERAND_DESIGN,
     .help = "a built-in name, a template with values, a YAML file, or an ID from the database"},
    {.name = "WORKLOAD",
     .kind = SC_CLI_OPERAND_WORKLOAD,
     .help = "a built-in name with options, a YAML file, or an ID from the database"},
    {.name = NULL}};

static const sc_cli_example examples[] = {
    {"scantle evaluate tpu-v3 efficientnet-b0", "Totals and a table of the ops."},
    {"scantle evaluate fast:pes_x=4,pes_y=4,l3_global=32MiB bert-base:seq=128 -b 8 --json",
     "A point of a template on another batch size, as JSON."},
    {NULL, NULL}};

const sc_cli_command sc_cmd_evaluate = {
    .name = "evaluate",
    .summary = "Score one design on one network",
    .about = "Prints time, energy, power and area, and for every op its time, what bounds it, its "
             "utilisation, its bytes from DRAM and its energy. A design or a mapping that does not "
             "fit is reported with where and by how much it misses, and exit code 2.",
    .examples = examples,
    .operands = operands,
    .options = options,
    .values_size = sizeof(evaluate_values),
    .run = run,
};
