#ifndef MODEL_MAPPER_LIMITS_H
#define MODEL_MAPPER_LIMITS_H
/** Constraints as the heuristic mapper works with them: from which factor each block starts, how
 *  far it may grow, and loops put into the order that is asked for. */
#include "model/count/constraints.h"

enum { SC_IN_TIME, SC_IN_SPACE, SC_BLOCKS };

typedef struct sc_limits {
    const sc_map_constraints *c;
    uint64_t least[SC_MAX_LEVELS][SC_BLOCKS][SC_MAX_DIMS]; /* that the block starts from, >= 1 */
    uint64_t most[SC_MAX_LEVELS][SC_BLOCKS][SC_MAX_DIMS];  /* that it may have; >= least */
} sc_limits;

/** What is asked of one block. */
const sc_loop_limits *sc_limits_of(const sc_map_constraints *c, int level, int block);

/** Starts are fixed factors, and for a minimum the next factor that divides what fixed ones leave
 *  of the bound; the minimum itself where none does.
 *  @param sequential  a dimension that only the mapper lays out, -1 = none. @param c  kept. */
void sc_limits_init(sc_limits *l, const sc_map_constraints *c, const sc_einsum *e, int sequential);

/** Steps of a dimension that no block has yet when all start: the bound over their product, rounded
 *  up. */
uint64_t sc_limits_left(const sc_limits *l, const sc_einsum *e, unsigned dim);

/** Steps that the loops in time of levels outside this one may take beyond their starts; UINT64_MAX
 *  if any number. */
uint64_t sc_limits_outside(const sc_limits *l, int level, unsigned dim);

/** Dimensions (bit 1 << dimension) that an order of the outermost level asks to stand outside one
 *  whose steps wait for one another: they cannot have loops there. @param sequential  -1: none. */
uint16_t sc_limits_outside_steps(const sc_loop_limits *asked, const sc_einsum *e, int sequential);

/** Tensors (bit 1 << tensor) that the level may keep, of those given. */
uint8_t sc_limits_keepable(const sc_limits *l, int level, uint8_t keep);

/** Put loops into the order asked for; those without a place keep the order they have, but for
 *  `outermost`, a dimension that stays outermost whatever is asked; -1 = none. */
void sc_limits_sort(sc_loops *loops, const sc_loop_limits *asked, int outermost);

/** The same of a spatial block, along X and along Y, which stay what they are. */
void sc_limits_sort_sides(sc_block *b, const sc_level_limits *asked);

/** Where dimensions lie, bit 1 << dimension; those not along X lie along Y. */
typedef struct sc_sides {
    unsigned on_x, diagonal; /* diagonal: along both, its loop with those along X */
} sc_sides;

/**
 * Lay factors along X and Y of a level's children so that the mesh has room and order and split are
 * as asked for.
 * @param[in,out] b  its spatial loops, split and diagonal are set; untouched on failure.
 * @param factor     [n_dims]; fixed  NULL: on whichever sides have room, more along X first.
 * @return false if there is no room. Cost: at most 2^loops.
 */
bool sc_limits_lay(sc_block *b, const sc_level *l, const sc_level_limits *asked, const sc_einsum *e,
                   const uint64_t *factor, const sc_sides *fixed);
#endif
