#ifndef FLOORPLAN_FLOORPLAN_H
#define FLOORPLAN_FLOORPLAN_H
/** A design's pieces and buses, with the netlist and the first placement made of them. */
#include "core/buf.h"
#include "floorplan/blocks.h"

struct sc_floorplan {
    char *spec; /* of the design */
    sc_parts parts;
    sc_plan plan;
    sc_pieces pieces;
    sc_floorplan_options options;
    char *text; /* of the netlist's file */
    size_t length;
    sc_netlist *netlist; /* its blocks are the pieces, in their order */
};

/** The netlist as text protobuf: a node a piece, two pins a bus, its bits the weight. */
void sc_floorplan_put_netlist(sc_buf *out, const sc_pieces *pieces);
/** Canvas and first places as .plc; node indices are those of the netlist. */
void sc_floorplan_put_start(sc_buf *out, const sc_floorplan *plan);
#endif
