#ifndef TESTS_ORACLE_PLACEMENT_H
#define TESTS_ORACLE_PLACEMENT_H
/** The costs of a placement counted cell by cell, as their rules are written and no faster. */
#include "placement/placement.h"

/** Costs with weights 1, 0.5 and 0.5 on the canvas's own grid. */
sc_place_cost oracle_placement(const sc_netlist *list, const sc_canvas *canvas,
                               const sc_spot *spot);
#endif
