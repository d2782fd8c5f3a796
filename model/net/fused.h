#ifndef MODEL_NET_FUSED_H
#define MODEL_NET_FUSED_H
/** Fusion of a network on one design after another: problem, solution, and costs with it. */
#include "model/net/residency.h"

/** Choices of groups that are solved for: around what stays without them, and with nothing. */
enum { SC_FUSED_TRIES = 2 };

typedef struct sc_fused {
    sc_residency *plan;
    sc_cascades *cascades; /* borrowed, priced: attention that may run as one step; NULL: none */
    sc_tiles *tiles;       /* borrowed: ops that may run tile by tile; NULL: none */
    const sc_mapping *mapping;          /* for the tiles, see sc_tiles_price */
    sc_softmax_rule softmax;            /* the same */
    sc_tile_pick *pick[SC_FUSED_TRIES]; /* [ops] */
    double whole_cycles;                /* the best without groups */
    double tiles_bound;                 /* cycles that no groups and no residency go below */
    bool possible;                      /* the design has a buffer that tensors can stay in */
    double capacity_bytes;              /* of it */
    sc_op_cost *cost;    /* [ops] with the solution; without fusion where it is not possible */
    double *step_cycles; /* [ops] */
    const sc_fusion_problem *problem; /* of the plan; NULL where it is not possible */
    sc_fusion_solution solution;
} sc_fused;

/** @param n  kept, not copied. @return SC_OK; SC_ENOMEM. */
sc_status sc_fused_create(sc_fused **out, const sc_network *n) SC_MUST_USE;
void sc_fused_destroy(sc_fused *f); /* NULL is fine */

/**
 * Solve for a design on which every op fits and fill the members. With cascades: solve with none,
 * with those that are faster by themselves and with all; the fastest of these is left taken.
 * With tiles: choose groups, solve with them, and leave them taken where that is faster still. Ops
 * run one after the other, so the time of the network is the sum of cost[i].cycles.
 * @param cost  [sc_network_unique of the network]
 * @return SC_OK; SC_ENOMEM. One thread at a time.
 */
sc_status sc_fused_run(sc_fused *f, const sc_network *n, const sc_op_cost *cost,
                       const sc_arch *a) SC_MUST_USE;
#endif
