#ifndef PLACEMENT_LEGAL_STATE_H
#define PLACEMENT_LEGAL_STATE_H
/** A legalisation under way, shared by legal_*.c and legalise.c only. */
#include "core/buf.h"
#include "placement/room.h"

typedef struct sc_axis_place { /* along one axis */
    double at, distance;
} sc_axis_place;

typedef struct sc_interval {
    double low, high;
} sc_interval;

typedef struct sc_legalising {
    const sc_netlist *list;
    const sc_canvas *canvas;
    const sc_place_rules *rules;
    sc_room room;
    const sc_spot *want;    /* [n_blocks] the start */
    sc_spot *spot;          /* [n_blocks] where they are now */
    uint32_t *hard;         /* [n_hard] movable hard macros, larger ones first */
    size_t n_hard, n_put;   /* n_put: macros that had a place when an order came to its end */
    sc_axis_place *along_x; /* [2 boxes + 3] places to look at */
    sc_interval *along_y;   /* [boxes + 1] what is forbidden at one of them */
} sc_legalising;

/** Reasons that no placement whatever can be legal, one a line; nothing is added if none was found.
 *  spot: orientations where a macro may not turn. Cost: O(m^2). */
sc_status sc_legal_impossible(sc_buf *why, const sc_netlist *list, const sc_canvas *canvas,
                              const sc_place_rules *rules, const sc_spot *spot) SC_MUST_USE;

/** Distance from a macro's place in the start, um. */
double sc_legal_moved(const sc_legalising *l, uint32_t block);
/** The same over all movable hard macros. */
double sc_legal_moved_all(const sc_legalising *l);
/** Put the boxes of all movable hard macros where `spot` has them. */
void sc_legal_put_all(sc_legalising *l);
/** Whether every movable hard macro stands well. */
bool sc_legal_holds(const sc_legalising *l);

/** Every macro in turn to the free place nearest to the one it wants. @return whether all have one.
 */
bool sc_legal_greedy(sc_legalising *l);
/** Bring macros of a legal placement nearer to where they want to be, one at a time and in pairs of
 *  one size, until nothing helps. */
void sc_legal_settle(sc_legalising *l);
/**
 * Keep the order of macros along each axis and choose for every pair the axis that it is apart
 * along, until all fit (Moffitt, Ng, Markov, Pollack, DAC'06, doi:10.1145/1146909.1147191).
 * @param[out] done  whether they do; then spot is legal.
 */
sc_status sc_legal_repair(sc_legalising *l, bool *done) SC_MUST_USE;
/** The least sum of movement along the axes that keeps which macro is beside or above which, by
 *  linear programming; spot is legal before and after. */
sc_status sc_legal_tighten(sc_legalising *l) SC_MUST_USE;
/** Pack macros into free rectangles in many orders, without regard to where they were (Jylanki,
 *  "A thousand ways to pack the bin", 2010). @param[out] done  whether all found a place. */
sc_status sc_legal_pack(sc_legalising *l, bool *done) SC_MUST_USE;
#endif
