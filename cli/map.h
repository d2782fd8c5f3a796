#ifndef CLI_MAP_H
#define CLI_MAP_H
/** The two forms of `scantle map`. */
#include "inputs.h"

typedef struct sc_cli_map_values {
    const char *op, *mapping, *save, *calibration, *picture, *constraints;
    sc_cli_model_values model;
    bool timeloop, drain, loops, timing, imperfect;
    int reuse, links, objective; /* -1 = not given */
    const char *ert, *macros;
    sc_cli_integer node_budget;
} sc_cli_map_values;

/** Choices of --links and --objective. */
extern const char *const sc_cli_links[];
extern const char *const sc_cli_objectives[];

/** `map --timeloop ARCH PROBLEM [MAPPING]`: scores the mapping, or finds the best where there is
 *  none. @return an exit code. */
int sc_cli_map_reference(const sc_cli *cli);
#endif
