#ifndef PLACEMENT_PLACEMENT_H
#define PLACEMENT_PLACEMENT_H
/** Where the blocks of a netlist stand on a canvas. */
#include "placement/netlist.h"

/** An area of the canvas that hard macros keep out of, if rate >= 1; less only thins cells out. */
typedef struct sc_blockage {
    double x0_um, y0_um, x1_um, y1_um, rate;
} sc_blockage;

/** The canvas, its origin in the lower left corner, and the grid that costs are counted on. */
typedef struct sc_canvas {
    double width_um, height_um;
    uint32_t columns, rows;
    double h_routes_per_um, v_routes_per_um; /* tracks there are */
    double h_routes_macro, v_routes_macro;   /* tracks a hard macro takes above itself */
    uint32_t smoothing;                      /* cells to each side that routes are spread over */
    double overlap_um2;                      /* of two macros that still counts as none */
    sc_blockage *blockage;                   /* [n_blockages] heap */
    size_t n_blockages;
} sc_canvas;

struct sc_placement {
    char *name; /* of the file it came from */
    sc_canvas canvas;
    size_t n_blocks;
    sc_spot *spot; /* [n_blocks] in the netlist's order */
};

/** As sc_placement_open(), from a text of n bytes, which is changed while it is read; a NUL ends
 *  it. name stands in messages. */
sc_status sc_placement_parse(sc_placement **out, const sc_netlist *list, const char *name,
                             char *text, size_t n) SC_MUST_USE;
#endif
