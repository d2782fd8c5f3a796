/** `scantle place floorplan`: the macros of a design, placed. */
#include <jansson.h>
#include <string.h>

#include "commands.h"
#include "inputs.h"
#include "message.h"
#include "output.h"
#include "place.h"
#include "scantle/floorplan.h"
#include "show.h"

typedef struct floorplan_values {
    const char *output, *netlist;
    sc_cli_number utilization, aspect, bank;
    sc_cli_integer macros;
    sc_cli_run_values run;
    sc_cli_cost_values cost;
} floorplan_values;

/* ---- what came of it ---- */

static sc_status show_floorplan(const json_t *root)
{
    static const sc_cli_field fields[] = {
        {"feasible", "feasible", SC_CLI_AS_TEXT},
        {"reason", "because", SC_CLI_AS_TEXT},
        {"design", "design", SC_CLI_AS_TEXT},
        {"area.analytic_mm2", "area of the design", SC_CLI_AS_MM2},
        {"area.hard_mm2", "hard macros", SC_CLI_AS_MM2},
        {"area.canvas_mm2", "canvas", SC_CLI_AS_MM2},
        {"area.box_mm2", "box around macros", SC_CLI_AS_MM2},
        {"hard_macros", "hard macros", SC_CLI_AS_COUNT},
        {"soft_macros", "soft macros", SC_CLI_AS_COUNT},
        {"ports", "ports", SC_CLI_AS_COUNT},
        {"start.proxy_cost", "proxy cost before", SC_CLI_AS_NUMBER},
        {"proxy_cost", "proxy cost", SC_CLI_AS_NUMBER},
        {"wirelength_cost", "wirelength cost", SC_CLI_AS_NUMBER},
        {"density_cost", "density cost", SC_CLI_AS_NUMBER},
        {"congestion_cost", "congestion cost", SC_CLI_AS_NUMBER},
        {"legal", "legal", SC_CLI_AS_TEXT},
        {"moves", "moves", SC_CLI_AS_COUNT},
        {"elapsed_s", "took", SC_CLI_AS_SECONDS},
        {NULL, NULL, SC_CLI_AS_TEXT}};
    static const sc_cli_field columns[] = {{"bus", "bus", SC_CLI_AS_TEXT},
                                           {"count", "number", SC_CLI_AS_COUNT},
                                           {"bits", "bits each", SC_CLI_AS_NUMBER},
                                           {"mean_um", "mean um", SC_CLI_AS_NUMBER},
                                           {"longest_um", "longest um", SC_CLI_AS_NUMBER},
                                           {"wire_bit_mm", "bit mm", SC_CLI_AS_NUMBER},
                                           {"peak_w", "at most", SC_CLI_AS_WATT},
                                           {NULL, NULL, SC_CLI_AS_TEXT}};
    const json_t *buses = json_object_get(root, "buses");
    sc_cli_show_fields(root, fields);
    if (json_array_size(buses) == 0)
        return SC_OK;
    sc_cli_show_heading("Buses");
    return sc_cli_show_rows(buses, columns);
}

/* The library's document, with what the run was. */
static json_t *document(const char *text, const sc_place_outcome *outcome, const char *why,
                        const sc_place_run *run)
{
    if (why != NULL)
        return json_pack("{s:b, s:s}", "feasible", 0, "reason", why);
    json_t *root = json_loads(text, 0, NULL);
    json_t *rest =
        json_pack("{s:b, s:s, s:I, s:I, s:f, s:o}", "feasible", outcome->violations == 0,
                  "stopped_by", sc_stop_name(outcome->stop), "seed", (json_int_t)run->seed, "moves",
                  (json_int_t)outcome->moves, "elapsed_s", outcome->seconds, "start",
                  sc_cli_cost_json(&outcome->start));
    (void)json_object_update(root, rest);
    json_decref(rest);
    return root;
}

/* ---- a run ---- */

static int place(const sc_cli *cli, const sc_floorplan *plan, sc_placement *placement,
                 const sc_place_options *options)
{
    const floorplan_values *v = cli->values;
    const sc_netlist *netlist = sc_floorplan_netlist(plan);
    sc_cli_progress progress;
    sc_place_outcome outcome = {0};
    char *why = NULL, *text = NULL;
    int code = SC_EXIT_OK;

    const sc_place_run run = sc_cli_place_run(cli, &v->run, &progress);
    sc_status st = sc_place_anneal(placement, &outcome, &why, netlist, options, &run);
    sc_cli_status_line(NULL);
    if (st == SC_OK)
        st = sc_floorplan_json(&text, plan, placement, options);
    if (st == SC_OK && why == NULL && v->output != NULL)
        st = sc_placement_write(placement, netlist, v->output);
    if (st == SC_OK && v->netlist != NULL)
        st = sc_floorplan_write(plan, v->netlist);
    if (st != SC_OK) {
        code = sc_cli_fail_input(st);
    } else {
        json_t *root = document(text, &outcome, why, &run);
        code = sc_cli_show_json(cli, root, show_floorplan);
        json_decref(root);
    }
    if (code == SC_EXIT_OK && (why != NULL || outcome.violations > 0))
        code = SC_EXIT_INFEASIBLE;
    if (code == SC_EXIT_OK && outcome.stop == SC_STOP_INTERRUPT)
        code = SC_EXIT_STOPPED;
    sc_release(text);
    sc_release(why);
    return code;
}

/* @return false after saying what is wrong. */
static bool read_options(sc_floorplan_options *out, const floorplan_values *v)
{
    if (v->utilization.given)
        out->utilization = v->utilization.value;
    if (v->aspect.given)
        out->aspect = v->aspect.value;
    if (v->bank.given)
        out->bank_bytes = (uint64_t)v->bank.value;
    if (v->macros.given)
        out->macros = (uint32_t)v->macros.value;
    const char *wrong = sc_floorplan_options_check(out);
    if (wrong == NULL)
        return true;
    sc_cli_error("%s (--utilization, --aspect, --macros, --bank)", wrong);
    return false;
}

static int run(const sc_cli *cli)
{
    const floorplan_values *v = cli->values;
    sc_place_options options = SC_PLACE_OPTIONS_INIT;
    sc_floorplan_options wanted = SC_FLOORPLAN_OPTIONS_INIT;
    sc_design *design = NULL;
    sc_floorplan *plan = NULL;
    sc_placement *placement = NULL;

    if (!sc_cli_cost_options(&options, &v->cost) || !read_options(&wanted, v))
        return SC_EXIT_USAGE;
    int code = sc_cli_open_design(cli, &design, cli->operand[0]);
    if (code == SC_EXIT_OK) {
        sc_status st = sc_floorplan_create(&plan, design, &wanted);
        if (st == SC_OK)
            st = sc_floorplan_start(&placement, plan);
        code = st == SC_OK ? place(cli, plan, placement, &options) : sc_cli_fail_input(st);
    }
    sc_placement_destroy(placement);
    sc_floorplan_destroy(plan);
    sc_design_destroy(design);
    return code;
}

#define AT(field) offsetof(floorplan_values, field)
static const sc_cli_option options[] = {
    {.name = "output",
     .letter = 'o',
     .kind = SC_CLI_OUTPUT,
     .argument = "FILE",
     .offset = AT(output),
     .help = "write the placement to FILE, as .plc"},
    {.name = "netlist",
     .kind = SC_CLI_OUTPUT,
     .argument = "FILE",
     .offset = AT(netlist),
     .help = "write the netlist that the placement is of to FILE, as text protobuf"},
    {.name = "utilization",
     .kind = SC_CLI_QUANTITY,
     .argument = "U",
     .offset = AT(utilization),
     .help = "area of all blocks over that of the canvas, at most 1",
     .fallback = "0.75"},
    {.name = "aspect",
     .kind = SC_CLI_QUANTITY,
     .argument = "A",
     .offset = AT(aspect),
     .help = "width of the canvas over its height",
     .fallback = "1"},
    {.name = "macros",
     .kind = SC_CLI_INTEGER,
     .argument = "N",
     .offset = AT(macros),
     .min = 2,
     .help = "at most about so many hard macros: where there would be more, neighbouring PEs are "
             "one tile",
     .fallback = "300"},
    {.name = "bank",
     .kind = SC_CLI_QUANTITY,
     .unit = SC_UNIT_BYTES,
     .argument = "SIZE",
     .offset = AT(bank),
     .help = "an SRAM macro holds at most so much, more where macros would be too many",
     .fallback = "1 MiB"},
    SC_CLI_RUN_OPTIONS(AT(run)),
    SC_CLI_COST_OPTIONS(AT(cost)),
    {.name = NULL}};
#undef AT

static const sc_cli_operand operands[] = {
    {.name = "DESIGN",
     .kind = SC_CLI_OPERAND_DESIGN,
     .help = "a built-in name, a template with values (fast:pes_x=8), a YAML file, or an ID from "
             "the database"},
    {.name = NULL}};

static const sc_cli_example examples[] = {
    {"scantle place floorplan tpu-v3 --moves 200000 -o tpu.plc --netlist tpu.pb.txt",
     "Banks, arrays and interfaces of a chip, placed; `place score tpu.pb.txt` reads both."},
    {"scantle place floorplan fast:pes_x=8,pes_y=8 --macros 100 --time 20",
     "Lengths of a design's buses on the die."},
    {NULL, NULL}};

const sc_cli_command sc_cmd_place_floorplan = {
    .name = "floorplan",
    .summary = "Derive the macros and buses of a design and place them",
    .about = "SRAM banks, arrays, lanes and memory interfaces have the areas of the technology "
             "table, buses the widths of the design's bandwidths (docs/algorithms/floorplan.md). "
             "Prints the length of each kind of bus, the costs of placement, and the area beside "
             "the analytic one.",
    .examples = examples,
    .operands = operands,
    .options = options,
    .values_size = sizeof(floorplan_values),
    .run = run,
};
