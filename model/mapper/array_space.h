#ifndef MODEL_MAPPER_ARRAY_SPACE_H
#define MODEL_MAPPER_ARRAY_SPACE_H
/**
 * Inside the exact mapper of systolic arrays: an op on a design in the form the search walks, and
 * the words that loops around a tile cannot avoid. Rules and proofs:
 * docs/algorithms/array_mapper.md.
 */
#include "model/mapper/score.h"

/** Without the care for NaN of fmax() and fmin(), which costs a call. */
static inline double sc_larger(double x, double y)
{
    return x > y ? x : y;
}
static inline double sc_smaller(double x, double y)
{
    return x < y ? x : y;
}

enum {
    SC_ARRAY_OUTER = 3, /* levels with loops outside the innermost buffer, at most */
    SC_MAX_LANES = 256  /* of one axis of the array or of the grid */
};

/** Extents, factors: one number a dimension. */
typedef struct sc_extents {
    uint64_t of[SC_MAX_DIMS];
} sc_extents;

typedef struct sc_array_space {
    const sc_scorer *with;
    const sc_einsum *e;
    const sc_arch *a;
    unsigned n_dims, n_tensors;
    int inner;                 /* innermost buffer */
    int array;                 /* level whose children are the array's MACs */
    int grid;                  /* level whose children stand side by side, -1 = none */
    unsigned n_outer;          /* levels with loops outside the innermost buffer */
    int outer[SC_ARRAY_OUTER]; /* those, innermost first; the last is level 0 */
    bool between; /* the level next to the innermost buffer is one a child: steps of its
                     loops are those of one child, not of all */
    bool gaps;    /* in the output: first reads that the engine leaves out are those of
                     its box, more than there are */
    bool unicast; /* the grid's parent takes each child's partial sums by itself */
    uint16_t moves[SC_MAX_TENSORS]; /* bit 1 << dimension */
    /* dimensions that share ranks of a tensor with others, bit 1 << dimension: windows */
    uint16_t window[SC_MAX_TENSORS][SC_MAX_DIMS];
    uint16_t alone;                              /* dimensions in no window of any tensor */
    double units[SC_MAX_LEVELS][SC_MAX_TENSORS]; /* of one word at a level, zero padding off */
    double compulsory[SC_MAX_TENSORS];           /* words that some MAC needs */
} sc_array_space;

/** Whether the design has such a form, whatever the op: one array, children side by side under one
 *  level at most, no dimension that a level wants first. */
bool sc_array_space_suits(const sc_arch *a);

/** Prepare. @return false if the design or the op has no such form: no array, children side by side
 *  under several levels, dimensions that a level wants first, steps that wait for one another. */
bool sc_array_space_init(sc_array_space *s, const sc_scorer *with);

/** Words of one tensor that come to a tile over all steps of the loops around it, by the innermost
 *  of these loops. Lower bounds. */
typedef struct sc_words {
    double one;             /* of the tile at one step */
    double still;           /* it does not move the tensor, or there is none */
    double by[SC_MAX_DIMS]; /* it is of this dimension, which moves it */
} sc_words;

/**
 * Words that must come into a tile. @param tile extents; every step of a loop moves the tile by its
 * extent times `apart`. @param steps iterations around it. @param box words between windows that no
 * MAC needs are counted: the tile is held in a buffer.
 */
void sc_array_words(sc_words *out, const sc_array_space *s, unsigned tensor, const sc_extents *tile,
                    const sc_extents *apart, const sc_extents *steps, bool box);

/** One way to lay a dimension: so many lanes side by side, steps left in time. */
typedef struct sc_way {
    uint16_t lanes;
    uint32_t steps;
} sc_way;

/** The least numbers of lanes for each number of steps of an extent, fewest steps first.
 *  @param[out] way  [SC_MAX_LANES] @param lanes  at most SC_MAX_LANES @return how many. */
unsigned sc_array_ways(sc_way *way, uint64_t extent, uint64_t lanes);

/** Children of a level, laid out so, that get different words of the tensor, at least. A level that
 *  adds no partial sums takes those of each child by itself; the array under the innermost buffer
 *  may add where the grid's parent does not. @param level  -1: there are no such children. */
double sc_array_groups(const sc_array_space *s, unsigned tensor, int level, const sc_extents *grid);

/** Cycles before the grid can start, of tiles of these extents on all children together. */
double sc_array_prefill(const sc_array_space *s, const sc_extents *all);

/** What moves at the levels with loops outside the innermost buffer. */
typedef struct sc_traffic {
    double read[SC_ARRAY_OUTER], write[SC_ARRAY_OUTER]; /* units of one instance */
} sc_traffic;

/** Cycles of the run: the MACs' against those of all traffic, whole; a lower bound. */
double sc_array_time(const sc_array_space *s, double mac_cycles, const sc_traffic *t);
#endif
