/** `scantle evaluate DESIGN WORKLOAD`: one design on one network. */
#include <stdio.h>
#include <string.h>

#include "commands.h"
#include "inputs.h"
#include "message.h"
#include "output.h"
#include "scantle/evaluate.h"
#include "show.h"

typedef struct evaluate_values {
    sc_cli_model_values model;
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

/* ---- ops: fixed columns, then the bytes at each level of the design ---- */

static const sc_cli_field op_fields[] = {{"name", "op", SC_CLI_AS_TEXT},
                                         {"kind", "kind", SC_CLI_AS_TEXT},
                                         {"time_s", "time", SC_CLI_AS_SECONDS},
                                         {"bound", "bound", SC_CLI_AS_TEXT},
                                         {"utilization", "util.", SC_CLI_AS_PERCENT},
                                         {"macs", "MACs", SC_CLI_AS_COUNT},
                                         {"intensity", "ops/byte", SC_CLI_AS_NUMBER},
                                         {"energy_j", "energy", SC_CLI_AS_JOULE}};
enum { OP_FIELDS = sizeof op_fields / sizeof *op_fields, MAX_LEVELS = 12 };

/* Levels that move bytes in any op, in the order of the design. */
static size_t find_levels(const char *levels[MAX_LEVELS], const json_t *op_list)
{
    size_t n = 0;
    for (size_t i = 0; i < json_array_size(op_list); i++) {
        json_t *bytes = json_object_get(json_array_get(op_list, i), "level_bytes");
        const char *key = NULL;
        json_t *value = NULL;
        json_object_foreach(bytes, key, value)
        {
            bool known = n == MAX_LEVELS || json_number_value(value) == 0;
            for (size_t k = 0; k < n; k++)
                known = known || strcmp(levels[k], key) == 0;
            if (!known)
                levels[n++] = key;
        }
    }
    return n;
}

static sc_status show_ops(const json_t *op_list)
{
    sc_cli_column columns[OP_FIELDS + MAX_LEVELS];
    const char *levels[MAX_LEVELS];
    sc_cli_table table;
    size_t n = find_levels(levels, op_list);

    for (size_t c = 0; c < OP_FIELDS; c++)
        columns[c] = (sc_cli_column){op_fields[c].heading, op_fields[c].form != SC_CLI_AS_TEXT};
    for (size_t k = 0; k < n; k++)
        columns[OP_FIELDS + k] = (sc_cli_column){levels[k], true};
    sc_cli_table_begin(&table, columns, OP_FIELDS + n);
    for (size_t i = 0; i < json_array_size(op_list); i++) {
        const json_t *op = json_array_get(op_list, i);
        const json_t *bytes = json_object_get(op, "level_bytes");
        for (size_t c = 0; c < OP_FIELDS; c++)
            sc_cli_show_cell(&table, json_object_get(op, op_fields[c].key), op_fields[c].form);
        for (size_t k = 0; k < n; k++)
            sc_cli_show_cell(&table, json_object_get(bytes, levels[k]), SC_CLI_AS_BYTES);
    }
    return sc_cli_table_end(&table, stdout, sc_cli_color_out());
}

/* ---- energy of the network, by level and tensor ---- */

static const char *const roles[] = {"input", "weight", "output"};
enum { ROLES = sizeof roles / sizeof *roles };

static void add_energy(double sums[ROLES], const json_t *op, const char *level)
{
    const json_t *at = json_object_get(json_object_get(op, "level_energy_j"), level);
    for (size_t r = 0; r < ROLES; r++)
        sums[r] += json_number_value(json_object_get(at, roles[r]));
}

static sc_status show_energy(const json_t *op_list)
{
    static const sc_cli_column columns[] = {
        {"level", false}, {"input", true}, {"weight", true}, {"output", true}};
    const char *levels[MAX_LEVELS];
    sc_cli_table table;
    size_t n = find_levels(levels, op_list);

    sc_cli_table_begin(&table, columns, 1 + ROLES);
    for (size_t k = 0; k < n; k++) {
        double sums[ROLES] = {0};
        for (size_t i = 0; i < json_array_size(op_list); i++)
            add_energy(sums, json_array_get(op_list, i), levels[k]);
        sc_cli_table_cell(&table, "%s", levels[k]);
        for (size_t r = 0; r < ROLES; r++) {
            char text[32];
            sc_quantity_format(text, sizeof text, sums[r], SC_UNIT_JOULE);
            sc_cli_table_cell(&table, "%s", text);
        }
    }
    return sc_cli_table_end(&table, stdout, sc_cli_color_out());
}

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
        sc_cli_show_heading("Ops, with the bytes at each level");
        if ((st = show_ops(op_list)) != SC_OK)
            return st;
        sc_cli_show_heading("Energy by level and tensor");
        st = show_energy(op_list);
    }
    return st;
}

static int run(const sc_cli *cli)
{
    const evaluate_values *v = cli->values;
    const sc_evaluate_options how = sc_cli_evaluate_options(cli, &v->model);
    sc_design *design = NULL;
    sc_workload *workload = NULL;
    sc_evaluation *evaluation = NULL;
    char *document = NULL;

    int code = sc_cli_open_pair(cli, &design, &workload);
    if (code != SC_EXIT_OK)
        return code;
    sc_status st = sc_evaluate(&evaluation, design, workload, &how);
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

static const sc_cli_option options[] = {SC_CLI_MODEL_OPTIONS(offsetof(evaluate_values, model)),
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
    .operands = sc_cli_pair_operands,
    .options = options,
    .values_size = sizeof(evaluate_values),
    .run = run,
};
