#ifndef CLI_PLACE_H
#define CLI_PLACE_H
/** What the commands of macro placement share. */
#include <jansson.h>

#include "options.h"
#include "progress.h"
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

/** Options that say what is legal, and the values they fill. */
typedef struct sc_cli_rule_values {
    const char *constraints, *halo, *spacing;
    bool rotate;
} sc_cli_rule_values;

#define SC_CLI_RULE_OPTIONS(base)                                                                  \
    {.name = "constraints",                                                                        \
     .kind = SC_CLI_FILE,                                                                          \
     .argument = "FILE",                                                                           \
     .offset = (base) + offsetof(sc_cli_rule_values, constraints),                                 \
     .help = "halos, spacing, regions, orientations, blockages, pre-placed and fixed macros, as "  \
             "YAML (docs/formats/placement_constraints.md)"},                                      \
        {.name = "halo",                                                                           \
         .kind = SC_CLI_TEXT,                                                                      \
         .argument = "X[,Y]",                                                                      \
         .offset = (base) + offsetof(sc_cli_rule_values, halo),                                    \
         .help = "um kept clear to each side of every hard macro along x and y; halos of "         \
                 "neighbours add"},                                                                \
        {.name = "spacing",                                                                        \
         .kind = SC_CLI_TEXT,                                                                      \
         .argument = "X[,Y]",                                                                      \
         .offset = (base) + offsetof(sc_cli_rule_values, spacing),                                 \
         .help = "least gap between hard macros, um"},                                             \
    {                                                                                              \
        .name = "rotate", .kind = SC_CLI_FLAG,                                                     \
        .offset = (base) + offsetof(sc_cli_rule_values, rotate),                                   \
        .help = "hard macros may turn by 90 degrees"                                               \
    }

/** "X" for both axes or "X,Y". @return false if it is neither. */
bool sc_cli_pair(double out[2], const char *text);
/** Columns and rows of a grid as CxR. @return false after saying what is wrong with the option. */
bool sc_cli_grid(uint32_t *columns, uint32_t *rows, const char *option, const char *text);
/** Rules of the options; *out stays as it is if they ask nothing.
 *  @return SC_EXIT_OK, else the exit code after saying what is wrong. */
int sc_cli_place_rules(sc_place_rules **out, const sc_netlist *netlist,
                       const sc_cli_rule_values *v);

/** The budget of a placer, and the values it fills. */
typedef struct sc_cli_run_values {
    sc_cli_number time;
    sc_cli_integer moves, chains;
    const char *state;
} sc_cli_run_values;

#define SC_CLI_RUN_OPTIONS(base)                                                                   \
    {.name = "time",                                                                               \
     .kind = SC_CLI_QUANTITY,                                                                      \
     .unit = SC_UNIT_SECOND,                                                                       \
     .argument = "T",                                                                              \
     .offset = (base) + offsetof(sc_cli_run_values, time),                                         \
     .help =                                                                                       \
         "time for it, a minute if --moves is not given, else no limit; temperatures follow the "  \
         "clock, so such a run does not come again to the last bit"},                              \
        {.name = "moves",                                                                          \
         .kind = SC_CLI_INTEGER,                                                                   \
         .argument = "N",                                                                          \
         .offset = (base) + offsetof(sc_cli_run_values, moves),                                    \
         .min = 1,                                                                                 \
         .help = "moves that each chain tries; with a seed the same placement every time"},        \
        {.name = "chains",                                                                         \
         .kind = SC_CLI_INTEGER,                                                                   \
         .argument = "N",                                                                          \
         .offset = (base) + offsetof(sc_cli_run_values, chains),                                   \
         .min = 1,                                                                                 \
         .max = 4096,                                                                              \
         .help = "chains that anneal side by side from one start, on as many threads as there "    \
                 "are; the best placement is kept",                                                \
         .fallback = "1"},                                                                         \
    {                                                                                              \
        .name = "state", .kind = SC_CLI_FILE, .argument = "FILE",                                  \
        .offset = (base) + offsetof(sc_cli_run_values, state),                                     \
        .help = "keep the run in FILE, and go on from there if it was stopped or killed"           \
    }

/** The budget of the command line, a minute if it says none, with progress and Ctrl-C. progress
 *  begins here and lives as long as the run. */
sc_place_run sc_cli_place_run(const sc_cli *cli, const sc_cli_run_values *v,
                              sc_cli_progress *progress);
/** The costs of a placement as every document names them. */
json_t *sc_cli_cost_json(const sc_place_cost *cost);

/** Fill in what was given. @return false after saying what is wrong with it. */
bool sc_cli_cost_options(sc_place_options *out, const sc_cli_cost_values *v);
#endif
