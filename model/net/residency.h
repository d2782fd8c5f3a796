#ifndef MODEL_NET_RESIDENCY_H
#define MODEL_NET_RESIDENCY_H
/** The fusion problem of a network on a design, and what its solution makes of the ops' costs. See
 * docs/algorithms/fusion.md. */
#include "model/net/cascade_plan.h"
#include "model/net/fusion.h"
#include "model/net/tile_plan.h"

/** Level that tensors stay in, 1: the one under the main memory, if it is one buffer for the whole
 *  chip and for all tensors; else 0. */
int sc_residency_level(const sc_arch *a);

typedef struct sc_residency sc_residency;

/** @param n  kept, not copied. @return SC_OK; SC_ENOMEM. */
sc_status sc_residency_create(sc_residency **out, const sc_network *n) SC_MUST_USE;
void sc_residency_destroy(sc_residency *r); /* NULL is fine */

/** Groups of this network that later problems take as they are then: one step at the place of the
 *  last op, which reads what comes from outside and makes the last result; what else leaves a group
 *  goes through the main memory. Kept; NULL: none. */
void sc_residency_set_tiles(sc_residency *r, const sc_tiles *t);

/**
 * The problem: a step an op, a tensor a network input and then one an op's result.
 * @param cost  [sc_network_unique(n)], every op fits.
 * @param cascades  taken ones are one step in the place of their last op, which reads queries, keys
 * and values: the steps of their other ops are empty. Kept until the next call; NULL: none.
 * @return borrowed, until the next call. One thread at a time. Allocates nothing. Cost:
 * O(operands).
 */
const sc_fusion_problem *sc_residency_problem(sc_residency *r, const sc_op_cost *cost,
                                              const sc_cascades *cascades, const sc_arch *a);

/**
 * Costs with the choice: cycles, bound, energy and bytes.
 * @param[out] fused  [ops of the network]
 * @param      step_cycles  [ops], of sc_fusion_value_of
 */
void sc_residency_apply(sc_op_cost *fused, const sc_residency *r, const sc_op_cost *cost,
                        const sc_arch *a, const sc_fusion_choice *c, const double *step_cycles);
#endif
