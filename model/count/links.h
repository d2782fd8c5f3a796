#ifndef MODEL_COUNT_LINKS_H
#define MODEL_COUNT_LINKS_H
/**
 * Inside the counting room: words that come from a neighbour instead of the parent. A child gets
 * its words over a link when a neighbour held, one step earlier, what the child needs now: when
 * the neighbour's tile lies ahead of the child's by exactly the movement T of the step.
 */
#include "model/count/groups.h"

/** Where the children stand. */
typedef struct sc_grid {
    /* Loops whose indices make the X and the Y coordinate, innermost first, and how many. */
    uint8_t axis[2][SC_MAX_DIMS];
    unsigned n_axis[2];
    bool crooked;   /* rows of the mesh end inside a loop: coordinates are id % width, id / width */
    uint64_t width; /* of the mesh under the parent, crooked only */
} sc_grid;

/** Grid of the children under level l. `width` is the mesh's, for the reference's numbering. */
void sc_grid_build(sc_grid *g, const sc_nest *n, const sc_block *b, unsigned level, sc_links links,
                   uint64_t width);

/** What a movement does for links. */
typedef struct sc_linked {
    uint64_t receivers;   /* children served by a neighbour */
    uint64_t groups;      /* groups with a child that is not */
    sc_group_sizes sizes; /* of these groups, receivers left out */
} sc_linked;

/**
 * Children that a step by @p move serves over links.
 * Cost: 3^loops when the grid is straight and no loops share ranks; else, if any pair of
 * neighbours is apart by the movement, O(children).
 * Not looked for in a tangled fan, nor one by one among more than 2^20 children.
 * @return false if there are none (out is then of no meaning).
 */
bool sc_linked_find(sc_linked *out, const sc_fan *f, const sc_grid *g, const uint64_t *move);
#endif
