#ifndef PLACEMENT_COST_H
#define PLACEMENT_COST_H
/**
 * The proxy cost of a placement, kept while blocks move: wirelength, density and congestion as
 * Circuit Training counts them (docs/algorithms/placement_cost.md). A move is tried, then accepted
 * or taken back; what is kept after many moves differs from a count anew by rounding only, and
 * every so many accepted moves it is counted anew.
 */
#include "placement/placement.h"
#include "scantle/place.h"

typedef struct sc_cost sc_cost;

/** One block put elsewhere. */
typedef struct sc_move {
    uint32_t block;
    sc_spot spot;
} sc_move;

/**
 * Count a placement. Netlist and canvas are borrowed as long as the cost lives.
 * @param spot  [list->n_blocks], copied.
 * @return SC_OK; SC_EINVAL if the options do not check; SC_ENOMEM. Cost: O(pins + nets * cells of a
 *         side). Memory: O(pins + cells). Threads: one a cost.
 */
sc_status sc_cost_create(sc_cost **out, const sc_netlist *list, const sc_canvas *canvas,
                         const sc_spot *spot, const sc_place_options *options) SC_MUST_USE;
void sc_cost_destroy(sc_cost *c); /* NULL is fine */

/** The cost as it stands: after a try, of what is tried. */
sc_place_cost sc_cost_now(const sc_cost *c);
/** [n_blocks] where blocks stand, those of a try included. */
const sc_spot *sc_cost_spots(const sc_cost *c);

/**
 * Move n different blocks at once. Between a try and the next stands one accept or reject.
 * @return the proxy cost. Cost: O(pins of the nets of these blocks + cells). Allocates nothing.
 */
double sc_cost_try(sc_cost *c, const sc_move *move, size_t n);
void sc_cost_accept(sc_cost *c);
void sc_cost_reject(sc_cost *c); /* everything is as before the try, to the last bit */

/** A block that shares a net with this one: the k-th of its nets and the i-th of that net's ends,
 *  both counted around. @return false if no net meets the block, or that end is its own. */
bool sc_cost_neighbour(uint32_t *out, const sc_cost *c, uint32_t block, uint32_t k, uint32_t i);

/** Put all blocks at spot [n_blocks] and count everything anew. */
void sc_cost_set(sc_cost *c, const sc_spot *spot);
/** Count everything anew from where the blocks stand; not between try and accept. */
void sc_cost_recount(sc_cost *c);
#endif
