#ifndef MODEL_MAPPER_EXACT_ORDER_H
#define MODEL_MAPPER_EXACT_ORDER_H
/** Inside the exact mapper: the loop orders of one block that can differ in what is reused. */
#include "model/mapper/exact_space.h"

/** What tensors have at stake in a block. */
typedef struct sc_order_stake {
    uint8_t open;                      /* no loop inside has moved them yet: bit 1 << tensor */
    uint8_t component[SC_MAX_TENSORS]; /* all movements so far were along this one of a window, and
                                          may cancel; SC_NO_COMPONENT: it does not matter */
    /* Neighbours may hand words on: every order counts as long as only loops of these dimensions
     * stand inside. 0: they cannot. */
    uint16_t linked[SC_MAX_TENSORS];
    uint8_t costs; /* and what they read for it may cost more than it saves: bit 1 << tensor */
} sc_order_stake;

typedef struct sc_order {
    unsigned n;
    uint8_t dim[SC_MAX_DIMS]; /* of the space, innermost first */
} sc_order;

/** Called for each order, and for each beginning of several.
 *  @param rest  loops not placed yet, bit 1 << dimension; 0: the order is whole.
 *  @return of a beginning: whether to go on with it. */
typedef bool (*sc_order_visit)(void *context, const sc_order *o, uint16_t rest);

/**
 * Visit orders of the dimensions in `loops` (bit 1 << dimension), so that for every order there is
 * a visited one no tensor of which is filled more. Constraints of the level are obeyed.
 */
void sc_orders_visit(const sc_space *x, unsigned level, uint16_t loops, const sc_order_stake *stake,
                     sc_order_visit visit, void *context);
#endif
