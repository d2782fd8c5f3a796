/** `scantle place`: macro placements of netlists. */
#include <jansson.h>
#include <stdio.h>

#include "commands.h"
#include "message.h"
#include "output.h"
#include "place.h"
#include "progress.h"
#include "show.h"

typedef struct place_values {
    const char *init, *output, *canvas, *grid;
    int placer, start;
    sc_cli_number utilization;
    sc_cli_run_values run;
    sc_cli_rule_values rules;
    sc_cli_cost_values cost;
} place_values;

static const char *const placers[] = {"sa", NULL};
static const char *const starts[] = {"given", "spiral", "analytic", NULL};

/* ---- what came of it ---- */

static json_t *outcome_json(const sc_place_outcome *o, const char *why, uint64_t seed,
                            const char *output)
{
    if (why != NULL)
        return json_pack("{s:b, s:s}", "feasible", 0, "reason", why);
    json_t *root = sc_cli_cost_json(&o->best);
    json_t *rest = json_pack(
        "{s:b, s:b, s:s, s:s, s:I, s:I, s:I, s:I, s:f, s:f, s:o, s:s}", "feasible",
        o->violations == 0, "legal", o->violations == 0, "placer", "sa", "stopped_by",
        sc_stop_name(o->stop), "seed", (json_int_t)seed, "moves", (json_int_t)o->moves, "accepted",
        (json_int_t)o->accepted, "chain", (json_int_t)o->chain, "elapsed_s", o->seconds,
        "legalised_um", o->legalised_um, "start", sc_cli_cost_json(&o->start), "output", output);
    (void)json_object_update(root, rest);
    json_decref(rest);
    return root;
}

static sc_status show_outcome(const json_t *root)
{
    static const sc_cli_field fields[] = {
        {"feasible", "feasible", SC_CLI_AS_TEXT},
        {"reason", "because", SC_CLI_AS_TEXT},
        {"legal", "legal", SC_CLI_AS_TEXT},
        {"start.proxy_cost", "proxy cost before", SC_CLI_AS_NUMBER},
        {"proxy_cost", "proxy cost", SC_CLI_AS_NUMBER},
        {"wirelength_cost", "wirelength cost", SC_CLI_AS_NUMBER},
        {"density_cost", "density cost", SC_CLI_AS_NUMBER},
        {"congestion_cost", "congestion cost", SC_CLI_AS_NUMBER},
        {"hpwl_um", "HPWL (um)", SC_CLI_AS_NUMBER},
        {"legalised_um", "legalised by (um)", SC_CLI_AS_NUMBER},
        {"stopped_by", "stopped by", SC_CLI_AS_TEXT},
        {"moves", "moves", SC_CLI_AS_COUNT},
        {"accepted", "accepted", SC_CLI_AS_COUNT},
        {"elapsed_s", "took", SC_CLI_AS_SECONDS},
        {"output", "written to", SC_CLI_AS_TEXT},
        {NULL, NULL, SC_CLI_AS_TEXT}};
    sc_cli_show_fields(root, fields);
    return SC_OK;
}

static int print_outcome(const sc_cli *cli, const sc_place_outcome *outcome, const char *why,
                         uint64_t seed)
{
    const place_values *v = cli->values;
    json_t *root = outcome_json(outcome, why, seed, v->output);
    const int code = sc_cli_show_json(cli, root, show_outcome);

    json_decref(root);
    if (code != SC_EXIT_OK)
        return code;
    if (why == NULL && outcome->violations > 0)
        sc_cli_note("fixed blocks break %llu rules of a legal placement; place score names them",
                    (unsigned long long)outcome->violations);
    if (why != NULL || outcome->violations > 0)
        return SC_EXIT_INFEASIBLE;
    return outcome->stop == SC_STOP_INTERRUPT ? SC_EXIT_STOPPED : SC_EXIT_OK;
}

/* ---- a run ---- */

static int place(const sc_cli *cli, const sc_netlist *netlist, sc_placement *placement,
                 const sc_place_options *options)
{
    const place_values *v = cli->values;
    sc_cli_progress progress;
    sc_place_outcome outcome = {0};
    char *why = NULL;

    sc_place_run run = sc_cli_place_run(cli, &v->run, &progress);
    if (v->start >= 0)
        run.start = (sc_place_start)v->start;
    else
        run.start = v->init != NULL ? SC_PLACE_GIVEN : SC_PLACE_ANALYTIC;
    sc_status st = sc_place_anneal(placement, &outcome, &why, netlist, options, &run);
    sc_cli_status_line(NULL);
    if (st == SC_OK && why == NULL)
        st = sc_placement_write(placement, netlist, v->output);
    const int code =
        st == SC_OK ? print_outcome(cli, &outcome, why, run.seed) : sc_cli_fail_input(st);
    sc_release(why);
    return code;
}

/* With the rules of the options. */
static int place_by_rules(const sc_cli *cli, const sc_netlist *netlist, sc_placement *placement,
                          sc_place_options *options)
{
    const place_values *v = cli->values;
    sc_place_rules *rules = NULL;

    int code = sc_cli_place_rules(&rules, netlist, &v->rules);
    if (code == SC_EXIT_OK) {
        const sc_status st = rules != NULL ? sc_place_rules_apply(rules, placement) : SC_OK;
        options->rules = rules;
        code = st == SC_OK ? place(cli, netlist, placement, options) : sc_cli_fail_input(st);
    }
    sc_place_rules_destroy(rules);
    return code;
}

/* @return false after saying what is wrong. */
static bool read_canvas(sc_canvas_options *out, const place_values *v)
{
    double size[2];

    if (v->init != NULL && (v->canvas != NULL || v->grid != NULL || v->utilization.given)) {
        sc_cli_error("--canvas, --grid and --utilization are for a netlist without --init, which "
                     "has a canvas of its own");
        return false;
    }
    if (v->init == NULL && v->start == SC_PLACE_GIVEN) {
        sc_cli_error("--start given needs the placement that it begins with: --init FILE.plc");
        return false;
    }
    if (v->canvas != NULL && (!sc_cli_pair(size, v->canvas) || size[0] <= 0 || size[1] <= 0)) {
        sc_cli_error("--canvas: '%s' should be a width, or a width and a height such as 800,600, "
                     "in um",
                     v->canvas);
        return false;
    }
    if (v->canvas != NULL) {
        out->width_um = size[0];
        out->height_um = size[1];
    }
    if (v->utilization.given)
        out->utilization = v->utilization.value;
    if (v->grid != NULL && !sc_cli_grid(&out->columns, &out->rows, "grid", v->grid))
        return false;
    const char *wrong = sc_canvas_options_check(out);
    if (wrong != NULL)
        sc_cli_error("%s (--canvas, --grid, --utilization)", wrong);
    return wrong == NULL;
}

static int run(const sc_cli *cli)
{
    const place_values *v = cli->values;
    sc_place_options options = SC_PLACE_OPTIONS_INIT;
    sc_canvas_options canvas = SC_CANVAS_OPTIONS_INIT;
    sc_netlist *netlist = NULL;
    sc_placement *placement = NULL;

    if (v->output == NULL) {
        sc_cli_error("place needs --output FILE.plc");
        return SC_EXIT_USAGE;
    }
    if (!read_canvas(&canvas, v) || !sc_cli_cost_options(&options, &v->cost))
        return SC_EXIT_USAGE;
    sc_status st = sc_netlist_open(&netlist, cli->operand[0]);
    if (st == SC_OK)
        st = v->init != NULL ? sc_placement_open(&placement, netlist, v->init)
                             : sc_placement_create(&placement, netlist, &canvas);
    const int code =
        st == SC_OK ? place_by_rules(cli, netlist, placement, &options) : sc_cli_fail_input(st);
    sc_placement_destroy(placement);
    sc_netlist_destroy(netlist);
    return code;
}

#define AT(field) offsetof(place_values, field)
static const sc_cli_option options[] = {
    {.name = "init",
     .kind = SC_CLI_FILE,
     .argument = "FILE",
     .offset = AT(init),
     .help = "canvas and start, as .plc of Circuit Training; macros that stand illegally are moved "
             "a little first"},
    {.name = "start",
     .kind = SC_CLI_CHOICE,
     .argument = "START",
     .offset = AT(start),
     .help = "where annealing begins: given (as --init has it), spiral (hard macros from the edge "
             "inwards) or analytic (least quadratic wirelength, spread); given with --init, else "
             "analytic",
     .choices = starts},
    {.name = "canvas",
     .kind = SC_CLI_TEXT,
     .argument = "W[,H]",
     .offset = AT(canvas),
     .help =
         "without --init: width and height of the canvas, um; else the box that the ports stand "
         "around, or a square"},
    {.name = "grid",
     .kind = SC_CLI_TEXT,
     .argument = "CxR",
     .offset = AT(grid),
     .help = "without --init: columns x rows of the grid that costs are counted on"},
    {.name = "utilization",
     .kind = SC_CLI_QUANTITY,
     .argument = "U",
     .offset = AT(utilization),
     .help =
         "without --init and ports: area of all blocks over that of the canvas; 0.7 by default"},
    {.name = "output",
     .letter = 'o',
     .kind = SC_CLI_OUTPUT,
     .argument = "FILE",
     .offset = AT(output),
     .help = "write the placement to FILE, as .plc"},
    {.name = "placer",
     .kind = SC_CLI_CHOICE,
     .argument = "PLACER",
     .offset = AT(placer),
     .help = "sa: simulated annealing of hard and soft macros together",
     .fallback = "sa",
     .choices = placers},
    SC_CLI_RUN_OPTIONS(AT(run)),
    SC_CLI_RULE_OPTIONS(AT(rules)),
    SC_CLI_COST_OPTIONS(AT(cost)),
    {.name = NULL}};
#undef AT

static const sc_cli_command *const members[] = {&sc_cmd_place_export, &sc_cmd_place_floorplan,
                                                &sc_cmd_place_score, NULL};

static const sc_cli_example examples[] = {
    {"scantle place netlist.pb.txt.gz --init legalized.plc --time 60 -o placed.plc",
     "The best placement that a minute of annealing finds."},
    {"scantle place netlist.pb.txt --init initial.plc --moves 1000000 --seed 7 -o placed.plc",
     "The same placement on every machine."},
    {"scantle place netlist.pb.txt --canvas 1400,1400 --halo 5 --time 2min -o placed.plc",
     "From scratch, with 5 um clear around every hard macro."},
    {NULL, NULL}};

const sc_cli_command sc_cmd_place = {
    .name = "place",
    .summary = "Place the macros of a netlist",
    .about =
        "Hard macros end inside the canvas and off each other; what is fixed stays. The cost "
        "is a proxy (place score --help). Ctrl-C keeps the best placement so far; with --state "
        "the same command goes on from there. A netlist "
        "whose macros cannot all be placed is reported with the macro and its size, and exit "
        "code 2.",
    .examples = examples,
    .operands = sc_cli_netlist_operands,
    .options = options,
    .values_size = sizeof(place_values),
    .members = members,
    .run = run,
};
