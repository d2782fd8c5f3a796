#ifndef PLACEMENT_ROUTE_H
#define PLACEMENT_ROUTE_H
/**
 * Demand for routes: an estimate of which cells the wires of a net and the tracks above a hard
 * macro take, as shares of the tracks there are.
 * Reference: the congestion of Circuit Training (Mirhoseini et al., Nature 2021,
 * doi:10.1038/s41586-021-03544-w) as later work found it; docs/algorithms/placement_cost.md.
 */
#include <stdint.h>

#include "placement/grid.h"

/** Maps of one canvas. Each direction is stored along its wires, so that a run is contiguous. */
typedef struct sc_routes {
    sc_grid grid;
    double *h;               /* [rows][columns] share of horizontal tracks taken */
    double *v;               /* [columns][rows] of vertical ones */
    double h_wire, v_wire;   /* share that one wire takes of a cell */
    double h_macro, v_macro; /* share a um of macro takes */
    uint32_t smoothing;      /* cells to each side */
} sc_routes;

/**
 * Add a net's wires.
 * @param cell    [n] distinct cells of its pins, the driver's first.
 * @param weight  wires; negative ones take off what the same call added.
 * Cost: O(n * (rows + columns)). Allocates nothing.
 */
void sc_routes_add_net(sc_routes *r, const uint32_t *cell, uint32_t n, double weight);
/** Add the tracks above a hard macro from (x0, y0) to (x1, y1); sign 1, or -1 to take it off. */
void sc_routes_add_macro(sc_routes *r, double x0_um, double y0_um, double x1_um, double y1_um,
                         double sign);
#endif
