#ifndef MODEL_MAPPER_EXACT_TILE_H
#define MODEL_MAPPER_EXACT_TILE_H
/**
 * Inside the exact mapper: words that a tile has to be filled with, at least. The closed form of
 * docs/algorithms/counting.md, where the loops outside the tile are known in part or not at all.
 */
#include "model/mapper/exact_space.h"

/** A tile of one level, and what is left outside it. */
typedef struct sc_xtile {
    sc_shape shape;
    double extent[SC_MAX_DIMS];
    double
        spread[SC_MAX_DIMS];  /* children side by side along a dimension under the level outside */
    double left[SC_MAX_DIMS]; /* iterations in time outside, per dimension */
    unsigned blocks;          /* of loops outside: as many as levels */
    double steps;             /* their product */
    double words[SC_MAX_TENSORS];
    double idle[SC_MAX_TENSORS]; /* product of those that do not move the tensor */
    /* Least share of steps * words that is brought in when no loop stands inside the first that
     * moves the tensor: by that loop's dimension, and the least of all. */
    double share[SC_MAX_TENSORS][SC_MAX_DIMS];
    double least[SC_MAX_TENSORS];
} sc_xtile;

/** Fill in all but blocks, spread, left and shape, which are given. */
void sc_xtile_init(sc_xtile *t, const sc_space *x);

/** Least words brought into one instance if dimension `first` is the innermost loop outside.
 *  @param first  n_dims: no loop is left outside. */
double sc_xtile_fill(const sc_xtile *tile, const sc_space *x, unsigned tensor, unsigned first);

/** Loops from a tile outwards, innermost first, all of more than one iteration. */
typedef struct sc_xloops {
    unsigned n;
    uint8_t dim[SC_MAX_LEVELS * SC_MAX_DIMS];
    double factor[SC_MAX_LEVELS * SC_MAX_DIMS];
    double step[SC_MAX_LEVELS * SC_MAX_DIMS]; /* indices that an iteration moves */
} sc_xloops;

/** Loops outside those whose order is known. */
typedef struct sc_xrest {
    const double *outer;  /* iterations per dimension [n_dims] */
    const double *next;   /* indices that the next loop of a dimension moves at least [n_dims] */
    uint16_t dims;        /* of the loops that come first, in an order not known: bit 1 << dim */
    const double *factor; /* of these loops [n_dims] */
} sc_xrest;

/** Loops next to a tile are known from `from` on, to the end.
 *  @return least words over all orders of the loops that are not known; exact if they do not
 *          matter any more. */
double sc_xtile_fill_known(const sc_xtile *tile, const sc_space *x, unsigned tensor,
                           const sc_xloops *loops, unsigned from, const sc_xrest *rest);

/** Whether sc_xtile_fill_known() is exact: no loop further out can change it. */
bool sc_xtile_settled(const sc_space *x, unsigned tensor, const sc_xloops *loops, unsigned from,
                      const double *outer);
#endif
