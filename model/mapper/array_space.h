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
    SC_ARRAY_GRIDS = 2, /* levels with children side by side outside it, at most */
    SC_MAX_LANES = 256  /* of one axis of the array or of a grid */
};

/** Extents, factors: one number a dimension. */
typedef struct sc_extents {
    uint64_t of[SC_MAX_DIMS];
} sc_extents;

/** Children side by side under one level. */
typedef struct sc_array_grid {
    int level; /* above them */
    uint64_t x, y, children;
    bool between; /* some level outside the innermost buffer is one a child: steps of its loops are
                     those of one child, not of all */
} sc_array_grid;

/** Words by scope, of which a level outside the innermost buffer has one: how many grids lie
 *  between. Of scope 0 are those of one innermost buffer, of the last those of all together. */
typedef struct sc_scoped {
    double of[SC_ARRAY_GRIDS + 1][SC_MAX_TENSORS];
} sc_scoped;

typedef struct sc_array_space {
    const sc_scorer *with;
    const sc_einsum *e;
    const sc_arch *a;
    unsigned n_dims, n_tensors;
    int inner;        /* innermost buffer */
    int array;        /* level whose children are the array's MACs, or the plain ones */
    bool plain;       /* MACs without an array: any dimension on either axis, nothing stays */
    unsigned n_grids; /* at least one, perhaps of one child */
    sc_array_grid grid[SC_ARRAY_GRIDS]; /* innermost first */
    sc_array_grid arrays;      /* side by side under the innermost buffer, level -1: there is one */
    unsigned n_outer;          /* levels with loops outside the innermost buffer */
    int outer[SC_ARRAY_OUTER]; /* those, innermost first; the last is level 0 */
    unsigned scope[SC_ARRAY_OUTER]; /* of each: grids inside it */
    bool ported; /* the innermost buffer's ports take time: what it keeps is no gift */
    bool gaps;   /* in the output: first reads that the engine leaves out are those of
                    its box, more than there are */
    uint16_t moves[SC_MAX_TENSORS]; /* bit 1 << dimension */
    /* dimensions that share ranks of a tensor with others, bit 1 << dimension: windows */
    uint16_t window[SC_MAX_TENSORS][SC_MAX_DIMS];
    uint16_t alone;                              /* dimensions in no window of any tensor */
    double units[SC_MAX_LEVELS][SC_MAX_TENSORS]; /* of one word at a level, zero padding off */
    double worked[SC_MAX_TENSORS];     /* of one that the innermost buffer sends to MACs or takes */
    double compulsory[SC_MAX_TENSORS]; /* words that some MAC needs */
} sc_array_space;

/** Whether the design has such a form, whatever the op: no children side by side under more levels
 *  than there is room for, no dimension that a level wants first. */
bool sc_array_space_suits(const sc_arch *a);

/** Prepare. @return false if the design has no such form, or steps of the op wait for one another.
 */
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
 * extent times `apart`, or by a multiple of that. @param steps iterations around it. @param box
 * words between windows that no MAC needs are counted: the tile is held in a buffer.
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
 *  adds no partial sums takes those of each child by itself, one without multicast serves each by
 *  itself; the array under the innermost buffer may add where a grid's parent does not. */
double sc_array_groups(const sc_array_space *s, unsigned tensor, int level, const sc_extents *grid);

/** Children of a grid that one word of the tensor can come from or go to, at most. */
double sc_array_sharers(const sc_array_space *s, unsigned tensor, const sc_array_grid *grid);

/** Fill the scopes inside `from`: children divide what they get together, at most. */
void sc_array_divide(sc_scoped *words, const sc_array_space *s, unsigned from);

/** Cycles that the innermost buffer's own ports take, at least. @param set  tensors that it keeps
 *  @param worked  words of each that go to its MACs, or come from them @param fills  that come in
 *  from outside; NULL: not looked at */
double sc_array_inner_time(const sc_array_space *s, unsigned set, const double *worked,
                           const double *fills);
/** Units a cycle of level 0 before the grid can start; 0: it takes no time. */
double sc_array_prefill_bw(const sc_array_space *s);

/** Cycles before the grid can start, of tiles of these extents on all children together. */
double sc_array_prefill(const sc_array_space *s, const sc_extents *all);

/** What moves at the levels with loops outside the innermost buffer. */
typedef struct sc_traffic {
    double read[SC_ARRAY_OUTER], write[SC_ARRAY_OUTER]; /* units of one instance */
} sc_traffic;

/** Cycles of the run: the MACs' against those of all traffic, whole; a lower bound. */
double sc_array_time(const sc_array_space *s, double mac_cycles, const sc_traffic *t);
#endif
