/** `scantle place`: macro placements of netlists. */
#include <stdio.h>
#include <string.h>

#include "commands.h"
#include "message.h"
#include "output.h"
#include "scantle/place.h"
#include "show.h"

typedef struct score_values {
    const char *placement, *congestion_grid;
    sc_cli_number wirelength, density, congestion;
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

/* One side of a grid, 1 to 4096; 0 if the text is none. */
static uint32_t read_side(const char *text, size_t n)
{
    char digits[8] = "";
    uint64_t side = 0;
    if (n < sizeof digits)
        memcpy(digits, text, n);
    return sc_cli_whole(&side, digits) && side <= 4096 ? (uint32_t)side : 0;
}

/* CxR as two numbers. */
static bool read_grid(uint32_t *columns, uint32_t *rows, const char *text)
{
    const size_t n = strcspn(text, "x");
    *columns = read_side(text, n);
    *rows = text[n] == 'x' ? read_side(text + n + 1, strlen(text + n + 1)) : 0;
    return *columns > 0 && *rows > 0;
}

static bool read_options(sc_place_options *out, const score_values *v)
{
    if (v->wirelength.given)
        out->wirelength_weight = v->wirelength.value;
    if (v->density.given)
        out->density_weight = v->density.value;
    if (v->congestion.given)
        out->congestion_weight = v->congestion.value;
    if (v->congestion_grid == NULL ||
        read_grid(&out->congestion_columns, &out->congestion_rows, v->congestion_grid))
        return true;
    sc_cli_error("--congestion-grid: '%s' should be columns x rows, such as 32x28",
                 v->congestion_grid);
    return false;
}

static int run_score(const sc_cli *cli)
{
    const score_values *v = cli->values;
    sc_place_options options = SC_PLACE_OPTIONS_INIT;
    sc_netlist *netlist = NULL;
    sc_placement *placement = NULL;
    char *document = NULL;

    if (v->placement == NULL) {
        sc_cli_error("place score needs --placement FILE.plc");
        return SC_EXIT_USAGE;
    }
    if (!read_options(&options, v))
        return SC_EXIT_USAGE;
    sc_status st = sc_netlist_open(&netlist, cli->operand[0]);
    if (st == SC_OK)
        st = sc_placement_open(&placement, netlist, v->placement);
    if (st == SC_OK)
        st = sc_place_score_json(&document, netlist, placement, &options);
    const int code = st == SC_OK ? sc_cli_show(cli, document, show_score) : sc_cli_fail_input(st);
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
    {.name = "wirelength-weight",
     .kind = SC_CLI_QUANTITY,
     .argument = "W",
     .offset = AT(wirelength),
     .help = "weight of the wirelength cost",
     .fallback = "1"},
    {.name = "density-weight",
     .kind = SC_CLI_QUANTITY,
     .argument = "W",
     .offset = AT(density),
     .help = "weight of the density cost",
     .fallback = "0.5"},
    {.name = "congestion-weight",
     .kind = SC_CLI_QUANTITY,
     .argument = "W",
     .offset = AT(congestion),
     .help = "weight of the congestion cost",
     .fallback = "0.5"},
    {.name = "congestion-grid",
     .kind = SC_CLI_TEXT,
     .argument = "CxR",
     .offset = AT(congestion_grid),
     .help = "count congestion on another grid than the placement's, columns x rows"},
    {.name = NULL}};
#undef AT

static const sc_cli_operand operands[] = {{.name = "NETLIST",
                                           .kind = SC_CLI_OPERAND_FILE,
                                           .help = "text protobuf of Circuit Training, gzip too"},
                                          {.name = NULL}};

static const sc_cli_example score_examples[] = {
    {"scantle place score netlist.pb.txt.gz --placement legalized.plc",
     "Costs of a placement, and whether it is legal."},
    {NULL, NULL}};

static const sc_cli_command score = {
    .name = "score",
    .summary = "Count what a placement costs, and whether it is legal",
    .about = "The proxy cost is wirelength + 0.5 density + 0.5 congestion, counted as Circuit "
             "Training counts them (docs/algorithms/placement_cost.md). It is a proxy: its "
             "published rank correlation with figures after routing is weak. Costs that the "
             "placement's heading states are not read.",
    .examples = score_examples,
    .operands = operands,
    .options = score_options,
    .values_size = sizeof(score_values),
    .run = run_score,
};

static const sc_cli_command *const members[] = {&score, NULL};

static const sc_cli_example examples[] = {
    {"scantle place score --help", "What the command takes, with examples."}, {NULL, NULL}};

const sc_cli_command sc_cmd_place = {
    .name = "place",
    .summary = "Score placements of macros",
    .examples = examples,
    .members = members,
};
