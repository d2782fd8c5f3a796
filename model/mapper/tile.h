#ifndef MODEL_MAPPER_TILE_H
#define MODEL_MAPPER_TILE_H
/** Tile sizes level by level, grown from the inside out while they fit. */
#include "model/mapper/spatial.h"

/** A larger prime that does not fit whole is halved and padded. */
enum { SC_LONGEST_EXACT_PRIME = 7 };

/** How a tile is grown at the innermost buffer. */
typedef enum sc_growth {
    SC_GROW_TRAFFIC, /* by the least words brought in from outside */
    SC_GROW_PASSES,  /* first the loops that keep the stationary tensor, so that passes are long */
    SC_GROWTHS
} sc_growth;

/**
 * Turn a spatial choice into a full mapping that fits: temporal factors per level, what each level
 * keeps, loops ordered around the stationary tensor. Bounds are rounded up to the
 * product of factors.
 * @param limits  factors and kept tensors obey them, orders may not; NULL: none.
 * @return SC_FITS, or the level and tensor that do not fit at the smallest tile; where limits leave
 *         steps that no level takes, SC_MISFIT_FANOUT of the level that has too many.
 */
sc_misfit sc_tile_grow(sc_mapping *m, const sc_einsum *e, const sc_arch *a, const sc_spatial *s,
                       sc_growth how, const sc_limits *limits);

/** Make all steps of a dimension the outermost loop of a mapping that has none of it. */
void sc_tile_repeat(sc_mapping *m, int dim, uint64_t steps);

/** Order the temporal loops of one level so that those which do not move a tensor are innermost.
 *  @param relevant  dimensions that move it, bit 1 << dimension.
 *  @param outermost  a dimension that stays outermost whatever it moves, -1 = none. */
void sc_order_around(sc_loops *loops, uint16_t relevant, int outermost);
#endif
