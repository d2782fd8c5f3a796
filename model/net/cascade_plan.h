#ifndef MODEL_NET_CASCADE_PLAN_H
#define MODEL_NET_CASCADE_PLAN_H
/** Attention of a network as cascades: which ops may run as one step, and what that step costs on a
 *  design. See docs/algorithms/cascade.md. */
#include "model/net/cascade.h"
#include "model/net/network.h"

/** softmax(q k^T) v. It runs at the place of its last op. */
typedef struct sc_cascade_chain {
    size_t qk, softmax, av; /* ops */
    size_t shape;           /* chains of equal shapes share one */
} sc_cascade_chain;

/** Chains of one shape on one design. */
typedef struct sc_cascade_shape {
    bool possible;       /* the ops and the design have the form, and some tiles fit */
    bool taken;          /* they run as cascades; else apart. Only if possible */
    double apart_cycles; /* the three ops, with nothing resident */
    sc_cascade_best best;
    sc_op_cost cost[3]; /* as ops: of qk and softmax nothing, of av all */
} sc_cascade_shape;

typedef struct sc_cascades {
    size_t n_chains, n_shapes;
    sc_cascade_chain *chain; /* [n_chains] in execution order */
    sc_cascade_shape *shape; /* [n_shapes] */
    uint32_t *role;          /* [ops] 0: none; else 1 + 3 * chain + place in it */
    size_t n_ops;
} sc_cascades;

/** @return SC_OK; SC_ENOMEM. Cost: O(operands + chains * shapes). */
sc_status sc_cascades_create(sc_cascades **out, const sc_network *n) SC_MUST_USE;
void sc_cascades_destroy(sc_cascades *c); /* NULL is fine */

/** Which shapes to take. */
typedef enum sc_cascade_take {
    SC_CASCADE_NONE,
    SC_CASCADE_FASTER, /* those that are faster with nothing resident */
    SC_CASCADE_ALL,    /* all that are possible */
    SC_CASCADE_TAKES
} sc_cascade_take;

/** The best cascade of every shape; none is taken.
 *  @param cost  [sc_network_unique(n)], every op fits. Allocates nothing. */
void sc_cascades_price(sc_cascades *c, const sc_network *n, const sc_op_cost *cost,
                       const sc_arch *a);

/** @return shapes that are taken now. */
size_t sc_cascades_take(sc_cascades *c, sc_cascade_take what);

/** Chain of an op that runs in a cascade as things are; NULL: it runs by itself. c may be NULL. */
const sc_cascade_chain *sc_cascades_chain(const sc_cascades *c, size_t op);

/** What op i costs as things are. @param cost  as in sc_cascades_price. c may be NULL. */
const sc_op_cost *sc_cascades_cost(const sc_cascades *c, const sc_network *n,
                                   const sc_op_cost *cost, size_t op);
#endif
