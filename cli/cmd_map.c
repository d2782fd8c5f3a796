/** `scantle map`: how each op of a network runs on a design, or the score of a given mapping. */
#include "commands.h"
#include "map.h"
#include "message.h"
#include "output.h"
#include "scantle/map.h"

enum { MAP_NODES = 1000000 }; /* of the search for a proof, where the user gives none */

/* One mapping of the op asked for, else those of all, where --save says. */
static int save_mapping(const sc_cli_map_values *v, const sc_map_result *result)
{
    char *text = NULL;
    sc_status st = v->op != NULL ? sc_map_result_yaml(&text, result, 0)
                                 : sc_map_result_yaml_all(&text, result);
    int code = st == SC_OK ? sc_cli_write(v->save, text) : sc_cli_fail(st);
    sc_release(text);
    return code;
}

static int save_picture(const sc_cli_map_values *v, const sc_map_result *result)
{
    char *svg = NULL;
    sc_status st = sc_map_result_picture(&svg, result, 0);
    int code = st == SC_OK ? sc_cli_write(v->picture, svg) : sc_cli_fail(st);
    sc_release(svg);
    return code;
}

/* One op in full, a network in short. */
static sc_status describe(char **text, const sc_cli *cli, const sc_map_result *result)
{
    const sc_cli_map_values *v = cli->values;
    if (cli->globals.json)
        return sc_map_result_json(text, result);
    return v->op != NULL || v->loops ? sc_map_result_loops(text, result)
                                     : sc_map_result_text(text, result);
}

static int print(const sc_cli *cli, const sc_map_result *result)
{
    const sc_cli_map_values *v = cli->values;
    char *text = NULL;
    bool feasible = sc_map_result_feasible(result) != 0;

    sc_status st = describe(&text, cli, result);
    if (st != SC_OK)
        return sc_cli_fail(st);
    if (cli->globals.json)
        sc_cli_put_line(text);
    else
        sc_cli_put_lines(text);
    sc_release(text);
    if (!feasible)
        return SC_EXIT_INFEASIBLE;
    int code = v->save != NULL ? save_mapping(v, result) : SC_EXIT_OK;
    return code == SC_EXIT_OK && v->picture != NULL ? save_picture(v, result) : code;
}

static int map_network(const sc_cli *cli)
{
    const sc_cli_map_values *v = cli->values;
    sc_map_request request = SC_MAP_REQUEST_INIT;
    sc_design *design = NULL;
    sc_workload *workload = NULL;
    sc_map_result *result = NULL;

    int code = sc_cli_open_calibrated(cli, &design, &workload, v->calibration);
    if (code != SC_EXIT_OK)
        return code;
    request.op = v->op;
    request.mapping = v->mapping;
    request.constraints = v->constraints;
    request.batch = v->model.batch.value;
    request.map_budget = v->model.map_budget.value;
    request.map_nodes = v->model.map_nodes.given ? v->model.map_nodes.value : MAP_NODES;
    request.rules = sc_cli_rules(&v->model, &request.rules);
    if (v->mapping == NULL && v->constraints == NULL)
        sc_cli_say_idle_nodes(&v->model, design, &request.rules);
    request.timing = v->timing;
    request.threads = (int)cli->globals.threads.value;
    sc_status st = sc_map_network(&result, design, workload, &request);
    code = st == SC_OK ? print(cli, result) : sc_cli_fail_input(st);
    sc_map_result_destroy(result);
    sc_workload_destroy(workload);
    sc_design_destroy(design);
    return code;
}

/* What does not go together. @return false after saying so. */
static bool check_usage(const sc_cli *cli)
{
    const sc_cli_map_values *v = cli->values;
    bool own = v->op != NULL || v->mapping != NULL || v->save != NULL || v->model.batch.given ||
               v->model.map_budget.given || v->model.map_nodes.given || v->calibration != NULL ||
               v->constraints != NULL || v->model.mapping >= 0 || v->model.padding >= 0 ||
               v->model.softmax >= 0;
    bool searched = v->model.mapping >= 0 || v->model.padding >= 0;
    bool reference =
        v->reuse >= 0 || v->links >= 0 || v->drain || v->ert != NULL || v->macros != NULL;
    bool exact = v->objective >= 0 || v->node_budget.given || v->imperfect;

    if (v->timeloop && own)
        sc_cli_error(
            "--op, --mapping, --save, --constraints, --batch, --map-budget, "
            "--map-nodes, --mapping-rule, --padding, --softmax and --calibration do not go with "
            "--timeloop");
    else if (v->model.fusion >= 0 || v->model.attention >= 0 || v->model.tiles >= 0)
        sc_cli_error("--fusion, --attention and --tiles are between ops and leave their mappings "
                     "as they are: use evaluate");
    else if (v->mapping != NULL && v->constraints != NULL)
        sc_cli_error("--constraints are for the search: leave --mapping out");
    else if (v->mapping != NULL && searched)
        sc_cli_error("--mapping-rule and --padding are for the search: leave --mapping out");
    else if ((v->mapping != NULL || v->constraints != NULL) && v->model.map_nodes.given)
        sc_cli_error("--map-nodes goes on from the search that is free: leave --mapping and "
                     "--constraints out");
    else if (v->constraints != NULL &&
             (v->model.mapping == SC_MAPPING_PLAIN || v->model.padding == SC_PADDING_OFF))
        sc_cli_error("--constraints are for the search with padding: leave --mapping-rule plain "
                     "and --padding off out");
    else if (v->timeloop && cli->n_operands > 2 && (exact || v->timing))
        sc_cli_error("--objective, --node-budget, --imperfect and --timing are of the search for "
                     "the best mapping: leave MAPPING out");
    else if (!v->timeloop && (reference || exact))
        sc_cli_error("--reuse, --links, --drain, --ert, --macros, --objective, --node-budget and "
                     "--imperfect go with --timeloop only");
    else if (!v->timeloop && cli->n_operands > 2)
        sc_cli_error("unexpected argument '%s': a mapping file goes with --mapping",
                     cli->operand[2]);
    else if (!v->timeloop && v->op == NULL && v->picture != NULL)
        sc_cli_error("--picture is of one op: name it with --op");
    else
        return true;
    return false;
}

static int run(const sc_cli *cli)
{
    const sc_cli_map_values *v = cli->values;
    if (!check_usage(cli))
        return SC_EXIT_USAGE;
    return v->timeloop ? sc_cli_map_reference(cli) : map_network(cli);
}

static const char *const reuses[] = {"current", "pre-2025", NULL};

#define AT(field) offsetof(sc_cli_map_values, field)
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
     .help = "score the mapping in this YAML file, or those of a whole network, instead of looking "
             "for the best"},
    {.name = "constraints",
     .kind = SC_CLI_FILE,
     .argument = "FILE",
     .offset = AT(constraints),
     .help = "YAML file of what every mapping must obey: factors, orders, kept tensors"},
    {.name = "save",
     .kind = SC_CLI_OUTPUT,
     .argument = "FILE",
     .offset = AT(save),
     .help = "write the mappings of all ops, or of the one of --op, as YAML that --mapping reads"},
    {.name = "picture",
     .kind = SC_CLI_OUTPUT,
     .argument = "FILE",
     .offset = AT(picture),
     .help = "draw the mapping as SVG: levels, loops, tiles and moves; needs --op or --timeloop"},
    {.name = "loops",
     .kind = SC_CLI_FLAG,
     .offset = AT(loops),
     .help = "full loops with tiles, loads and reuse: for every op, as --op gives for one, or of a "
             "MAPPING with --timeloop"},
    {.name = "timing",
     .kind = SC_CLI_FLAG,
     .offset = AT(timing),
     .help =
         "also print the time spent on each op, or on the search with --timeloop, which differs "
         "from run to run"},
    SC_CLI_MODEL_OPTIONS(offsetof(sc_cli_map_values, model)),
    SC_CLI_CALIBRATION_OPTION(AT(calibration)),
    {.name = "timeloop",
     .kind = SC_CLI_FLAG,
     .offset = AT(timeloop),
     .help = "the arguments are ARCH PROBLEM [MAPPING], YAML files of the reference tool; without "
             "MAPPING the best one is found and proved"},
    {.name = "objective",
     .kind = SC_CLI_CHOICE,
     .argument = "GOAL",
     .offset = AT(objective),
     .choices = sc_cli_objectives,
     .help = "with --timeloop and no MAPPING: what is least: edp (energy times delay, the "
             "default), energy, "
             "delay or ed2p (energy times delay squared)"},
    {.name = "node-budget",
     .kind = SC_CLI_INTEGER,
     .argument = "N",
     .offset = AT(node_budget),
     .min = 0,
     .help =
         "with --timeloop and no MAPPING: end after so many partial and whole mappings, with the "
         "best so far and its gap; 0: only when proved (default 100000000, about a minute)"},
    {.name = "imperfect",
     .kind = SC_CLI_FLAG,
     .offset = AT(imperfect),
     .help =
         "with --timeloop and no MAPPING: factors need not divide, last iterations are smaller; "
         "counted without links between neighbours, proved where all can be walked "
         "(--node-budget: mappings counted, default 1000000) or the bound is met"},
    {.name = "reuse",
     .kind = SC_CLI_CHOICE,
     .argument = "RULE",
     .offset = AT(reuse),
     .choices = reuses,
     .help = "with --timeloop: current, or pre-2025 as in older published figures"},
    {.name = "links",
     .kind = SC_CLI_CHOICE,
     .argument = "RULE",
     .offset = AT(links),
     .choices = sc_cli_links,
     .help = "with --timeloop: how neighbours hand words on: reference, true or none"},
    {.name = "drain",
     .kind = SC_CLI_FLAG,
     .offset = AT(drain),
     .help = "with --timeloop: also charge the read that takes finished outputs out of a level"},
    {.name = "ert",
     .kind = SC_CLI_FILE,
     .argument = "FILE",
     .offset = AT(ert),
     .help = "with --timeloop: energies from an energy reference table"},
    {.name = "macros",
     .kind = SC_CLI_FILE,
     .argument = "FILE",
     .offset = AT(macros),
     .help = "with --timeloop: file whose macro section binds names to sizes"},
    {.name = NULL}};
#undef AT

static const sc_cli_operand operands[] = {
    SC_CLI_PAIR_OPERANDS,
    {.name = "MAPPING",
     .kind = SC_CLI_OPERAND_FILE,
     .optional = true,
     .help = "with --timeloop: the mapping to score; none: find the best"},
    {.name = NULL}};

static const sc_cli_example examples[] = {
    {"scantle map tpu-v3 resnet50",
     "The mapping of every MAC op, and how far from the bound it is."},
    {"scantle map tpu-v3 resnet50 --op conv1 --save conv1.yaml", "One op, kept as a file."},
    {"scantle map tpu-v3 resnet50 --op conv1 --mapping conv1.yaml --json",
     "The score of a given mapping."},
    {"scantle map tpu-v3 resnet50 --op conv1 --picture conv1.svg", "One op, drawn."},
    {"scantle map tpu-v3 resnet50 --op conv1 --constraints limits.yaml",
     "The best of the mappings that obey a file, or the limits that rule out all."},
    {"scantle map tpu-v3 resnet50 --save resnet50.yaml",
     "All mappings in one file, which --mapping scores again."},
    {"scantle map --timeloop arch.yaml problem.yaml mapping.yaml --json",
     "Files of the reference tool, counted as it counts: reads, fills and updates of every level."},
    {"scantle map --timeloop arch.yaml problem.yaml --objective energy",
     "The best mapping of such files, with the proof that no other has less energy."},
    {NULL, NULL}};

const sc_cli_command sc_cmd_map = {
    .name = "map",
    .summary = "Find the mapping of each op on a design, or score a given one",
    .about = "Prints the loops of every op with its cycles, how far they are from the lower bound "
             "(optimal if not at all), and its energy. Exit code 2 if an op or a given mapping "
             "does not fit, with where and "
             "by how much it misses, or if no mapping obeys the constraints, with a smallest set "
             "of limits that rule out all.",
    .examples = examples,
    .other_form = "--timeloop [OPTIONS] ARCH PROBLEM [MAPPING]",
    .operands = operands,
    .options = options,
    .values_size = sizeof(sc_cli_map_values),
    .run = run,
};
