#ifndef FLOORPLAN_BLOCKS_H
#define FLOORPLAN_BLOCKS_H
/** Blocks and buses that a plan makes of a design. Page: docs/algorithms/floorplan.md. */
#include "core/intern.h"
#include "floorplan/plan.h"
#include "placement/netlist.h"

enum { SC_PIECE_NAME = 256 };

typedef struct sc_piece {
    char name[SC_PIECE_NAME];
    sc_block_kind kind;
    double width_um, height_um;
    double x_um, y_um; /* of its middle, where it is put first */
    bool fixed;
} sc_piece;

/** A bus from one piece to another: as many wires as it has bits. Pins by shares of a piece's half
 *  width and height from its middle, -1 to 1. */
typedef struct sc_bus {
    uint32_t from, to, kind;
    float from_at[2], to_at[2];
    double bits;
} sc_bus;

typedef struct sc_pieces {
    double width_um, height_um; /* of the canvas */
    size_t n, capacity, n_buses, buses_capacity;
    sc_piece *piece; /* [n] */
    sc_bus *bus;     /* [n_buses] */
    sc_intern kind;  /* names of kinds of buses */
} sc_pieces;

/** All pieces and buses of a plan. @return SC_OK; SC_ENOMEM. */
sc_status sc_pieces_make(sc_pieces *out, const sc_plan *plan, const sc_parts *parts,
                         const sc_floorplan_options *o) SC_MUST_USE;
void sc_pieces_clear(sc_pieces *p);
#endif
