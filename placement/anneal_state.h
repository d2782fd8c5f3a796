#ifndef PLACEMENT_ANNEAL_STATE_H
#define PLACEMENT_ANNEAL_STATE_H
/** The inside of annealing, shared by anneal*.c only: one chain of moves. */
#include "core/blob.h"
#include "core/rng.h"
#include "placement/anneal.h"
#include "placement/room.h"

/** Kinds of moves. */
typedef enum sc_move_kind {
    SC_HARD_SHIFT,
    SC_HARD_SWAP,
    SC_HARD_TURN,
    SC_SOFT_SHIFT,
    SC_SOFT_SWAP,
    SC_SOFT_JOIN,
    SC_MOVE_KINDS
} sc_move_kind;

/** How far a kind of move goes: so that a share of 0.44 is accepted (VPR). */
typedef struct sc_reach {
    double share; /* of the canvas, to each side */
    uint32_t tried, accepted;
} sc_reach;

/** What a chain goes on from: as it was after a whole number of stretches. */
typedef struct sc_chain_kept {
    uint64_t moves, accepted, drawn;
    sc_reach reach[SC_MOVE_KINDS];
    sc_place_cost best_cost;
    sc_spot *now, *best; /* [n_blocks] */
} sc_chain_kept;

typedef struct sc_chain {
    const sc_netlist *list;
    const sc_canvas *canvas;
    const sc_anneal_rule *rule;
    sc_cost *cost;
    sc_room room;
    sc_rng rng;
    uint32_t *hard, *soft; /* movable blocks of either kind */
    uint32_t n_hard, n_soft;
    uint8_t *orients; /* [n_blocks] that hard macros may have, as bits */
    sc_reach reach[SC_MOVE_KINDS];
    sc_spot *best; /* [n_blocks] */
    sc_place_cost best_cost;
    double now;
    bool best_is_now; /* not copied to `best` yet */
    double temperature;
    uint64_t moves, accepted;
    sc_chain_kept kept;
} sc_chain;

/** One chain from a legal start. @return SC_OK; SC_ENOMEM. */
sc_status sc_chain_init(sc_chain *c, const sc_netlist *list, const sc_canvas *canvas,
                        const sc_spot *spot, const sc_place_options *options,
                        const sc_anneal_rule *rule, uint64_t seed, uint64_t index) SC_MUST_USE;
void sc_chain_clear(sc_chain *c);
/** Try n moves, at most up to `limit` in all; temperatures by the share of a budget that is spent,
 *  or, if it is below 0, by moves of the limit. Allocates nothing. */
void sc_chain_run(sc_chain *c, uint64_t n, uint64_t limit, double share);
/** Have the best placement met in `best`. */
void sc_chain_keep_best(sc_chain *c);
/** Write what the chain goes on from. */
void sc_chain_save(sc_buf *b, const sc_chain *c);
/** Go on from what was saved. @return SC_OK; SC_EPARSE if that is damaged, with no message. */
sc_status sc_chain_load(sc_chain *c, sc_blob *b) SC_MUST_USE;

/** Fill one or two moves of some kind. @return how many, 0 if none of that kind can be made. */
size_t sc_chain_propose(sc_chain *c, sc_move_kind *kind, sc_move m[2]);
#endif
