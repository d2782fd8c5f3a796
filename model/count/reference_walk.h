#ifndef MODEL_COUNT_REFERENCE_WALK_H
#define MODEL_COUNT_REFERENCE_WALK_H
/** Inside the counting room: architectures of version 0.4, a list of tagged nodes. */
#include "model/count/reference_component.h"

/**
 * Add what stands under `nodes`, outermost first.
 *
 * A node holds for those behind it: attributes of a `!Container` are inherited, and `spatial:
 * {meshX, meshY}` of a container or component multiplies the copies of itself and of all that
 * follows. As in the reference's own front end a level `inter_NAME_spatial` that stores nothing
 * stands before such a node: loops over its copies are told by its name. Branches of a `!Parallel`
 * become links of the chain in their order; what a branch opens ends with it.
 */
void sc_reference_walk(sc_reference_builder *b, const sc_node *list);
#endif
