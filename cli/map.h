#ifndef CLI_MAP_H
#define CLI_MAP_H
/** The two forms of `scantle map`. */
#include "inputs.h"

typedef struct sc_cli_map_values {
    const char *op, *mapping, *save, *calibration, *picture;
    sc_cli_model_values model;
    bool timeloop, drain, loops, timing;
    int reuse, links; /* -1 = not given */
    const char *ert, *macros;
} sc_cli_map_values;

/** Choices of --links. */
extern const char *const sc_cli_links[];

/** `map --timeloop ARCH PROBLEM MAPPING`: all three operands are there. @return an exit code. */
int sc_cli_map_reference(const sc_cli *cli);
#endif
