#ifndef PLACEMENT_COST_STATE_H
#define PLACEMENT_COST_STATE_H
/** The inside of a cost, shared by cost*.c only. */
#include "placement/cost.h"
#include "placement/route.h"
#include "placement/top.h"

/** A pin as costs see it: ports and soft macros have theirs in the middle. */
typedef struct sc_end {
    uint32_t block;
    double dx_um, dy_um;
} sc_end;

/** The cell of a place that is not on the canvas. */
#define SC_OUTSIDE UINT32_MAX

/** What a net adds now. */
typedef struct sc_net_state {
    double length_um; /* weight * HPWL */
    uint32_t n_cells; /* distinct ones; 0: a pin is outside, and no wire is counted */
} sc_net_state;

/** A net as it was before a try; its cells stand in old_cell from first on. */
typedef struct sc_net_before {
    uint32_t net, first;
    sc_net_state state;
} sc_net_before;

struct sc_cost {
    const sc_netlist *list;
    const sc_canvas *canvas;
    sc_place_options options;
    sc_grid grid; /* of density */
    sc_spot *spot;
    uint32_t *middle; /* [n_blocks] cell of routes under each block's centre; SC_OUTSIDE */
    /* nets */
    uint32_t *first;       /* [n_nets + 1] in end, and in cell */
    sc_end *end;           /* the ends of each net, the driver's first, none twice */
    uint32_t *cell;        /* distinct cells of each net, in the places of its ends */
    sc_net_state *net;     /* [n_nets] */
    uint32_t *block_first; /* [n_blocks + 1] in block_net */
    uint32_t *block_net;   /* nets that meet each block, none twice */
    double weight_sum;
    double length_um; /* sum over nets */
    /* maps: those that hold, and those before a try; one block each of n_map values */
    double *map, *map_before;
    size_t n_map, n_routes, n_cells; /* all; of h and v; of density */
    sc_routes routes;                /* its h and v point into map */
    double *covered;                 /* [n_cells] share of each cell under macros; in map */
    sc_top top_routes, top_cells;
    sc_place_cost now, before;
    double length_before_um;
    /* what a try changed */
    size_t n_moved, n_changed, n_old_cells;
    sc_move *moved;         /* [n_blocks] where blocks stood */
    sc_net_before *changed; /* [n_nets] */
    uint32_t *old_cell;     /* [ends] */
    uint32_t *net_mark;     /* [n_nets] number of the try that last met a net */
    uint32_t *cell_mark;    /* [cells of routes] number of the net that last met a cell */
    uint32_t try_number, cell_number;
    uint32_t accepted; /* since the last count anew */
};

/** Ends and nets of blocks from the netlist. @return SC_OK; SC_ENOMEM. */
sc_status sc_cost__wire(sc_cost *c) SC_MUST_USE;
/** Note the cell under the centre of a block where it stands now. */
void sc_cost__stand(sc_cost *c, uint32_t block);
/** Count one net where its blocks stand now; its cells go to `cell`, at most its ends. */
sc_net_state sc_cost__measure(sc_cost *c, uint32_t net, uint32_t *cell);
/** Put a block's share into the maps; sign 1, or -1 to take it off. */
void sc_cost__cover(sc_cost *c, uint32_t block, const sc_spot *spot, double sign);
/** Wires of a net by cells and count; sign 1, or -1 to take them off. */
void sc_cost__route(sc_cost *c, uint32_t net, const uint32_t *cell, uint32_t n, double sign);
/** Costs of the maps and lengths as they stand. */
void sc_cost__sum(sc_cost *c);
#endif
