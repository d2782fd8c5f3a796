#ifndef MODEL_MAPPER_EXACT_PRICE_H
#define MODEL_MAPPER_EXACT_PRICE_H
/** Inside the exact mapper: what a partial mapping costs, one level after another from the MACs. */
#include "model/mapper/exact_search.h"

/** A step under way from the node at level `inner` to the level outside it. */
typedef struct sc_expansion {
    sc_search *s;
    const sc_node *from;
    unsigned inner, outer;
    sc_xstep step;
    sc_shape start; /* the tiles of all children together: the outer tile with no loop */
    sc_shape most;  /* factors that the dimensions have left for the outer level */
    sc_outside base[SC_ALL_MASKS];
    /* Of the outer tile that is looked at. */
    sc_shape factor, tile;
    size_t at; /* in the tables */
    sc_node next;
    sc_xstep outside; /* the boundary over the outer tile */
    double received[SC_MAX_TENSORS], handed[SC_MAX_TENSORS], passed[SC_MAX_TENSORS], inner_pj,
        inner_cycles, reads, writes;
    bool settled;   /* all inside the outer level is counted exactly */
    sc_order order; /* of the outer level's loops, as far as it is known */
    uint16_t rest;  /* loops whose order is not, bit 1 << dimension */
} sc_expansion;

/** Put the outer level's loops behind those inside. @return how many those are. */
unsigned sc_expansion_append(sc_expansion *e);

/** With the order of the outer level's loops known, or its beginning: all that happens inside it.
 *  Fills that loops further in had left open are counted anew. */
void sc_expansion_receive(sc_expansion *e);

/** The outer level, if it keeps a set: e->next. */
void sc_expansion_complete(sc_expansion *e, uint8_t set);

/** Is there a partial mapping with the same tile, that keeps the same, and is better in everything
 *  that the future depends on? Only where all inside is counted exactly. */
bool sc_expansion_beaten(sc_expansion *e);
#endif
