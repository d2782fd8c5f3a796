#ifndef MODEL_COUNT_NEST_H
#define MODEL_COUNT_NEST_H
/** Inside the counting room: a mapping flattened into one loop nest, with the tiles it makes. */
#include "model/count/count.h"

__extension__ typedef unsigned __int128 sc_u128;

enum { SC_MAX_LOOPS = SC_MAX_LEVELS * SC_MAX_DIMS };

/** One loop of more than one iteration. */
typedef struct sc_nest_loop {
    uint64_t factor;
    uint64_t step; /* indices of the dimension that one iteration moves */
    uint8_t dim;
} sc_nest_loop;

/** Level l's child is level l + 1, or the MACs under the innermost level. */
typedef struct sc_nest {
    unsigned n_levels, n_loops;
    sc_nest_loop loop[SC_MAX_LOOPS];  /* temporal, innermost first, all levels in one row */
    unsigned first[SC_MAX_LEVELS];    /* innermost loop of level l or further out */
    uint64_t outer[SC_MAX_LOOPS + 1]; /* product of the factors of loop i and all further out */
    unsigned n_spatial[SC_MAX_LEVELS];
    sc_nest_loop spatial[SC_MAX_LEVELS][SC_MAX_DIMS];
    uint8_t spatial_index[SC_MAX_LEVELS][SC_MAX_DIMS]; /* its place in the mapping's block */
    uint64_t fan[SC_MAX_LEVELS];                       /* children used under one instance */
    uint64_t used[SC_MAX_LEVELS + 1];                  /* instances used on the chip; last: MACs */
    uint64_t tile[SC_MAX_LEVELS + 1][SC_MAX_TENSORS];  /* words one instance holds; last: 1 */
    uint64_t spread[SC_MAX_LEVELS];                    /* output words of all children together */
    uint64_t groups[SC_MAX_LEVELS][SC_MAX_TENSORS];    /* children with different tiles */
    /* Tensors that can overlap only: extents of the tile along each rank. */
    uint64_t size[SC_MAX_LEVELS + 1][SC_MAX_TENSORS][SC_MAX_RANKS];
    bool ragged;   /* factors of some dimension do not multiply to its bound */
    bool overflow; /* some product passed 2^64: nothing here holds */
} sc_nest;

/** Flatten. Loops of one iteration are dropped. `groups` is exact for plain tensors only. */
void sc_nest_build(sc_nest *n, const sc_count_plan *p, const sc_mapping *m);

/** Words of the box that the extents span, gaps counted; its sides in size[n_ranks] unless NULL. */
uint64_t sc_nest_box(uint64_t *size, const sc_rank *rank, unsigned n_ranks, const uint64_t *extent,
                     bool *overflow);

/** Rank-space movement of a tensor's tile when dimension d advances by `step`: v[n_ranks].
 *  Arithmetic on movements is modulo 2^64, so that their differences may be negative. */
void sc_nest_move(uint64_t *v, const sc_plan_tensor *t, unsigned d, uint64_t step);

/** *acc *= factor, remembering an overflow in *flag. */
static inline void sc_nest_mul(uint64_t *acc, uint64_t factor, bool *flag)
{
    *flag |= __builtin_mul_overflow(*acc, factor, acc);
}
#endif
