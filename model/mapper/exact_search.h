#ifndef MODEL_MAPPER_EXACT_SEARCH_H
#define MODEL_MAPPER_EXACT_SEARCH_H
/** Inside the exact mapper: branch and bound over tiles from the inside out. */
#include "model/mapper/exact_choice.h"
#include "model/mapper/exact_frontier.h"
#include "model/mapper/exact_order.h"
#include "model/mapper/exact_spatial.h"

/** A step from a tile to the one outside it, that may still be best. */
typedef struct sc_branch {
    double value, tie; /* at least */
    uint32_t number;   /* in which it was found */
    uint8_t keep;      /* of the outer level */
    sc_order order;    /* of the outer level's loops */
    sc_shape tile;     /* at the outer level */
} sc_branch;

/** A tile and all inside it. */
typedef struct sc_node {
    sc_xtile tile;
    uint8_t keep;
    double pending[SC_MAX_TENSORS]; /* words asked for of tensors that are not kept, of all
                                       instances */
    double paid;                    /* energy inside, and of what the level serves */
    double cycles;                  /* at least, by all inside */
    double leak;                    /* pJ a cycle, of this level and those inside */
} sc_node;

typedef struct sc_search {
    sc_space x;
    sc_tables loose;         /* of all spatial choices */
    sc_choice_tables choice; /* of the one in `grid` */
    const sc_tables *tables; /* those in use */
    uint64_t stop;           /* nodes after which the choice's own tables are made; 0: never */
    sc_spreads spreads;
    sc_grid_choice grid;
    sc_count_plan plan;
    sc_node node[SC_MAX_LEVELS + 1];        /* of the tile at each level; last: one MAC */
    sc_xloops loops;                        /* from the MACs outwards */
    unsigned first_loop[SC_MAX_LEVELS + 1]; /* of those outside the level's tile */
    sc_xstep step[SC_MAX_LEVELS];           /* the boundary under each level */
    sc_frontier frontier;
    double margin[SC_MAX_LEVELS + 1]; /* energy that rounding up to blocks may add from a level
                                         inwards, all instances built */
    bool exact_shares;             /* with this grid choice: all instances serve in known shares */
    uint8_t linked[SC_MAX_LEVELS]; /* tensors whose words neighbours under the level may hand on */
    sc_branch *branch[SC_MAX_LEVELS]; /* [room] */
    size_t n_branches[SC_MAX_LEVELS], room;
    sc_exact best;
    double tie;
    double standing;   /* bound of the partial mapping whose steps are being listed */
    double open_value; /* least bound of what a budget left unseen */
    sc_status status;
} sc_search;

/** Search all mappings with the grid choice in s->grid. */
void sc_search_spread(sc_search *s);

/** Least goal of all mappings with the grid choice in s->grid, quickly. */
void sc_search_bound_spread(sc_search *s, double *value, double *tie);

/** Whether a goal so large, and so large a tie, can be left out. */
bool sc_search_worse(const sc_search *s, double value, double tie);

/** Count the mapping that the search stands at, in all arrangements of its spatial loops that
 *  differ, and keep it if it is the best so far. */
void sc_search_leaf(sc_search *s);
#endif
