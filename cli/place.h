#ifndef CLI_PLACE_H
#define CLI_PLACE_H
/** What the commands of macro placement share. */
#include "options.h"
#include "scantle/place.h"

/** The operand NETLIST. */
extern const sc_cli_operand sc_cli_netlist_operands[];

/** Options that say how costs are counted, and the values they fill. */
typedef struct sc_cli_cost_values {
    const char *congestion_grid;
    sc_cli_number wirelength, density, congestion;
} sc_cli_cost_values;

#define SC_CLI_COST_WEIGHT(at, option, text, usual)                                                \
    {                                                                                              \
        .name = (option), .kind = SC_CLI_QUANTITY, .argument = "W", .offset = (at),                \
        .help = (text), .fallback = (usual)                                                        \
    }
#define SC_CLI_COST_OPTIONS(base)                                                                  \
    SC_CLI_COST_WEIGHT((base) + offsetof(sc_cli_cost_values, wirelength), "wirelength-weight",     \
                       "weight of the wirelength cost", "1"),                                      \
        SC_CLI_COST_WEIGHT((base) + offsetof(sc_cli_cost_values, density), "density-weight",       \
                           "weight of the density cost", "0.5"),                                   \
        SC_CLI_COST_WEIGHT((base) + offsetof(sc_cli_cost_values, congestion), "congestion-weight", \
                           "weight of the congestion cost", "0.5"),                                \
    {                                                                                              \
        .name = "congestion-grid", .kind = SC_CLI_TEXT, .argument = "CxR",                         \
        .offset = (base) + offsetof(sc_cli_cost_values, congestion_grid),                          \
        .help = "count congestion on another grid than the placement's, columns x rows"            \
    }

/** Fill in what was given. @return false after saying what is wrong with it. */
bool sc_cli_cost_options(sc_place_options *out, const sc_cli_cost_values *v);
#endif
