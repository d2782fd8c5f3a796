#ifndef MODEL_NET_TILE_PLAN_H
#define MODEL_NET_TILE_PLAN_H
/** Groups of a network: which runs of ops may be one, what each costs on a design, and which to
 *  take. See docs/algorithms/fused_tiles.md. */
#include "model/net/cascade_plan.h"
#include "model/net/fusion.h"
#include "model/net/tile_search.h"

/** Ops first .. last may be a group. */
typedef struct sc_tile_run {
    uint32_t first, last;
    uint32_t shape; /* runs of equal shapes share one front */
} sc_tile_run;

/** A group that is taken; it runs at the place of its last op. */
typedef struct sc_tile_taken {
    uint32_t run;
    size_t first, last; /* ops */
    sc_tile_point point;
    sc_op_cost cost; /* of the step; the steps of the other members are empty */
    uint32_t n_outside;
    int32_t producer[SC_TILE_OUTSIDE];  /* of what it reads, as in sc_operand */
    double read_bytes[SC_TILE_OUTSIDE]; /* from the main memory */
    double weight_bytes;                /* of all members */
    double inside_bytes;                /* of results that are never whole */
} sc_tile_taken;

typedef struct sc_tiles sc_tiles;

/** @param n  kept, not copied. @return SC_OK; SC_ENOMEM. Cost: O(ops * SC_TILE_MEMBERS^2). */
sc_status sc_tiles_create(sc_tiles **out, const sc_network *n) SC_MUST_USE;
void sc_tiles_destroy(sc_tiles *t); /* NULL is fine */

enum { SC_TILE_MAPPINGS = 2 };

/** Whether groups may run on a design: a buffer that tensors can stay in, transfers that overlap
 *  with work, times that are modelled. */
bool sc_tiles_possible(const sc_arch *a);

/**
 * Fronts of all runs on a design; none is taken.
 * @param cost  [sc_network_unique(n)], every op fits; kept.
 * @param mapping  [sc_network_unique(n)][SC_TILE_MAPPINGS] of MAC ops: of the whole op, and of one
 * sample of it on sc_tile_inside(), n_levels = 0: none; kept.
 * @param step_cycles  [ops] of ops by themselves, which groups are to be faster than; NULL: those
 * of `cost`
 * @param cascades  members of taken ones are in no group; NULL: none
 * @return SC_OK; SC_ENOMEM; SC_ERANGE.
 */
sc_status sc_tiles_price(sc_tiles *t, const sc_op_cost *cost, const sc_mapping *mapping,
                         const sc_arch *a, const sc_cascades *cascades, sc_softmax_rule softmax,
                         const double *step_cycles) SC_MUST_USE;

/** What stays in the buffer around the groups: a solved problem of all ops by themselves. */
typedef struct sc_tile_around {
    const sc_fusion_problem *problem;
    const sc_fusion_solution *solution;
    const double *step_cycles; /* [ops] */
} sc_tile_around;

/**
 * Take the groups, in order and disjoint, that make the sum of all steps least, then the traffic:
 * dynamic programming over the execution order, the optimum.
 * @param around  ops then take step_cycles, groups have the room that is left, and what they read
 * and make is where the solution has it; NULL: nothing is resident.
 * @return SC_OK; SC_ENOMEM; SC_ERANGE.
 */
sc_status sc_tiles_choose(sc_tiles *t, const sc_tile_around *around) SC_MUST_USE;

/** A group of a choice, to take it again. */
typedef struct sc_tile_pick {
    uint32_t run;
    sc_tile_point point;
} sc_tile_pick;

/** What is taken. @param[out] pick  [ops]. @return how many. */
size_t sc_tiles_picks(const sc_tiles *t, sc_tile_pick *pick);
/** Take the groups of an earlier choice on the same design. */
sc_status sc_tiles_take(sc_tiles *t, const sc_tile_pick *pick, size_t n) SC_MUST_USE;
/** Take none. */
void sc_tiles_clear(sc_tiles *t);

/** Cycles that no choice of groups and of what stays goes below. @param problem  of all ops by
 *  themselves */
double sc_tiles_bound(const sc_tiles *t, const sc_fusion_problem *problem);

const sc_tile_taken *sc_tiles_taken(const sc_tiles *t, size_t *n);
/** The group an op runs in; NULL: by itself. t may be NULL. */
const sc_tile_taken *sc_tiles_group(const sc_tiles *t, size_t op);
/** What op i costs as things are; NULL: it runs by itself, or is no member. */
const sc_op_cost *sc_tiles_cost(const sc_tiles *t, size_t op);
/** The group itself, with its members and what it reads. @return false past a limit: no group. */
bool sc_tiles_group_of(sc_tile_group *out, const sc_tiles *t, const sc_tile_run *r);

/** Runs, different shapes of them, parts that were priced, tiles looked at. */
typedef struct sc_tiles_counts {
    size_t runs, shapes;
    uint64_t priced_parts, choices, priced, dropped;
} sc_tiles_counts;
sc_tiles_counts sc_tiles_count(const sc_tiles *t);
#endif
