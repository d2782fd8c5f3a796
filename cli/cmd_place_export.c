/** `scantle place export`: a placement as chip flows read it. */
#include "commands.h"
#include "message.h"
#include "place.h"
#include "scantle/place.h"

typedef struct export_values {
    const char *placement, *output;
    int format;
} export_values;

static const char *const formats[] = {"openroad", "innovus", "pl", NULL}; /* as sc_flow_format */

static int run_export(const sc_cli *cli)
{
    const export_values *v = cli->values;
    sc_netlist *netlist = NULL;
    sc_placement *placement = NULL;

    if (v->placement == NULL || v->output == NULL) {
        sc_cli_error("place export needs --placement FILE.plc and --output FILE");
        return SC_EXIT_USAGE;
    }
    sc_status st = sc_netlist_open(&netlist, cli->operand[0]);
    if (st == SC_OK)
        st = sc_placement_open(&placement, netlist, v->placement);
    if (st == SC_OK)
        st = sc_placement_write_flow(placement, netlist, (sc_flow_format)v->format, v->output);
    const int code = st == SC_OK ? SC_EXIT_OK : sc_cli_fail_input(st);
    sc_placement_destroy(placement);
    sc_netlist_destroy(netlist);
    return code;
}

#define AT(field) offsetof(export_values, field)
static const sc_cli_option export_options[] = {
    {.name = "placement",
     .kind = SC_CLI_FILE,
     .argument = "FILE",
     .offset = AT(placement),
     .help = "the placement, as .plc of Circuit Training"},
    {.name = "format",
     .letter = 'f',
     .kind = SC_CLI_CHOICE,
     .argument = "FORMAT",
     .offset = AT(format),
     .choices = formats,
     .fallback = "openroad",
     .help = "Tcl of OpenROAD (place_macro) or of Innovus (placeInstance), both of the hard "
             "macros; or .pl of Bookshelf, of every block"},
    {.name = "output",
     .letter = 'o',
     .kind = SC_CLI_OUTPUT,
     .argument = "FILE",
     .offset = AT(output),
     .help = "write to FILE, whole or not at all"},
    {.name = NULL}};
#undef AT

static const sc_cli_example export_examples[] = {
    {"scantle place export netlist.pb.txt.gz --placement placed.plc -f openroad -o macros.tcl",
     "The macros where OpenROAD shall place them."},
    {NULL, NULL}};

const sc_cli_command sc_cmd_place_export = {
    .name = "export",
    .summary = "Write a placement as a chip flow reads it",
    .about = "Lower left corners of the macros as they are turned, in um "
             "(docs/formats/placement_out.md). Names that a format has no form for are refused.",
    .examples = export_examples,
    .operands = sc_cli_netlist_operands,
    .options = export_options,
    .values_size = sizeof(export_values),
    .run = run_export,
};
