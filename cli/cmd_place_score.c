/** `scantle place score`: what a placement costs, and whether it is legal. */
#include "commands.h"
#include "message.h"
#include "output.h"
#include "place.h"
#include "scantle/place.h"
#include "show.h"

typedef struct score_values {
    const char *placement;
    sc_cli_rule_values rules;
    sc_cli_cost_values cost;
} score_values;

/* ---- score ---- */

static sc_status show_score(const json_t *root)
{
    static const sc_cli_field totals[] = {{"hpwl_um", "HPWL (um)", SC_CLI_AS_NUMBER},
                                          {"wirelength_cost", "wirelength cost", SC_CLI_AS_NUMBER},
                                          {"density_cost", "density cost", SC_CLI_AS_NUMBER},
                                          {"congestion_cost", "congestion cost", SC_CLI_AS_NUMBER},
                                          {"proxy_cost", "proxy cost", SC_CLI_AS_NUMBER},
                                          {"legal", "legal", SC_CLI_AS_TEXT},
                                          {NULL, NULL, SC_CLI_AS_TEXT}};
    static const sc_cli_field fields[] = {{"code", "violation", SC_CLI_AS_TEXT},
                                          {"macro", "macro", SC_CLI_AS_TEXT},
                                          {"other", "other", SC_CLI_AS_TEXT},
                                          {"blockage", "blockage", SC_CLI_AS_COUNT},
                                          {"excess_um2", "by (um2)", SC_CLI_AS_NUMBER},
                                          {"excess_um", "by (um)", SC_CLI_AS_NUMBER},
                                          {NULL, NULL, SC_CLI_AS_TEXT}};
    const json_t *violations = json_object_get(root, "violations");

    sc_cli_show_fields(root, totals);
    if (json_array_size(violations) == 0)
        return SC_OK;
    sc_cli_show_heading("Rules of a legal placement that it breaks");
    return sc_cli_show_rows(violations, fields);
}

static int score(const sc_cli *cli, const sc_netlist *netlist, const sc_placement *placement,
                 sc_place_options *options)
{
    const score_values *v = cli->values;
    sc_place_rules *rules = NULL;
    char *document = NULL;

    int code = sc_cli_place_rules(&rules, netlist, &v->rules);
    if (code == SC_EXIT_OK) {
        options->rules = rules;
        const sc_status st = sc_place_score_json(&document, netlist, placement, options);
        code = st == SC_OK ? sc_cli_show(cli, document, show_score) : sc_cli_fail_input(st);
    }
    sc_place_rules_destroy(rules);
    return code;
}

static int run_score(const sc_cli *cli)
{
    const score_values *v = cli->values;
    sc_place_options options = SC_PLACE_OPTIONS_INIT;
    sc_netlist *netlist = NULL;
    sc_placement *placement = NULL;

    if (v->placement == NULL) {
        sc_cli_error("place score needs --placement FILE.plc");
        return SC_EXIT_USAGE;
    }
    if (!sc_cli_cost_options(&options, &v->cost))
        return SC_EXIT_USAGE;
    sc_status st = sc_netlist_open(&netlist, cli->operand[0]);
    if (st == SC_OK)
        st = sc_placement_open(&placement, netlist, v->placement);
    const int code = st == SC_OK ? score(cli, netlist, placement, &options) : sc_cli_fail_input(st);
    sc_placement_destroy(placement);
    sc_netlist_destroy(netlist);
    return code;
}

#define AT(field) offsetof(score_values, field)
static const sc_cli_option score_options[] = {
    {.name = "placement",
     .kind = SC_CLI_FILE,
     .argument = "FILE",
     .offset = AT(placement),
     .help = "the placement, as .plc of Circuit Training"},
    SC_CLI_RULE_OPTIONS(AT(rules)),
    SC_CLI_COST_OPTIONS(AT(cost)),
    {.name = NULL}};
#undef AT

static const sc_cli_example score_examples[] = {
    {"scantle place score netlist.pb.txt.gz --placement legalized.plc",
     "Costs of a placement, and whether it is legal."},
    {NULL, NULL}};

const sc_cli_command sc_cmd_place_score = {
    .name = "score",
    .summary = "Count what a placement costs, and whether it is legal",
    .about = "The proxy cost is wirelength + 0.5 density + 0.5 congestion, counted as Circuit "
             "Training counts them (docs/algorithms/placement_cost.md). It is a proxy: its "
             "published rank correlation with figures after routing is weak. Costs that the "
             "placement's heading states are not read.",
    .examples = score_examples,
    .operands = sc_cli_netlist_operands,
    .options = score_options,
    .values_size = sizeof(score_values),
    .run = run_score,
};
