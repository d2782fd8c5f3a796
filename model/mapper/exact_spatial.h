#ifndef MODEL_MAPPER_EXACT_SPATIAL_H
#define MODEL_MAPPER_EXACT_SPATIAL_H
/** Inside the exact mapper: which factors of the dimensions lie side by side, and where. */
#include "model/mapper/exact_bound.h"

enum { SC_MAX_FANS = 4 };

/** Factors of one spatial choice, and a bound for all mappings with it. */
typedef struct sc_spread {
    sc_shape fan[SC_MAX_FANS]; /* under the spatial levels, innermost first */
    double value, tie;         /* of the goal, at least */
} sc_spread;

/** The spatial choices of a space. */
typedef struct sc_spreads {
    unsigned n_fans, level[SC_MAX_FANS]; /* innermost first */
    size_t n, room;
    bool cut; /* more than there is room for */
    sc_spread *at;
} sc_spreads;

enum { SC_MAX_SYMMETRIES = 8 };

/** Renamings of dimensions, one or two exchanges, after which the op is the same. */
typedef struct sc_symmetries {
    unsigned n;
    uint8_t to[SC_MAX_SYMMETRIES][SC_MAX_DIMS];
} sc_symmetries;

void sc_symmetries_find(sc_symmetries *s, const sc_space *x);

/** Whether factors come first, or level, among those that renaming makes of them: of every set of
 *  choices that are the same but for names one does. */
bool sc_symmetries_first(const sc_symmetries *s, const sc_space *x, const sc_shape *fan,
                         unsigned n_fans);

/** All choices that fit the meshes and the constraints, in the order of their factors.
 *  @return SC_OK; SC_ERANGE for more than SC_MAX_FANS spatial levels; SC_ENOMEM. */
sc_status sc_spreads_list(sc_spreads *out, const sc_space *x, struct sc_arena *arena) SC_MUST_USE;

enum { SC_MAX_NEAR = 256 };

/** By how many indices of each dimension a child and a neighbour may differ, in some arrangement of
 *  the dimensions side by side; the other way round too. */
typedef struct sc_near {
    bool any;      /* too many to list: by any number */
    unsigned dims; /* side by side */
    unsigned n;
    int16_t apart[SC_MAX_NEAR][SC_MAX_DIMS]; /* dimensions that lie side by side; else 0 */
} sc_near;

void sc_near_init(sc_near *near, const sc_space *x, const sc_shape *fan, unsigned level);

/** One choice spread over all levels, for the search. */
typedef struct sc_grid_choice {
    sc_shape fan[SC_MAX_LEVELS];       /* under each level; index 0 = factor 1 */
    sc_shape outer[SC_MAX_LEVELS + 1]; /* product under all levels outside one, per dimension */
    double used[SC_MAX_LEVELS + 1];    /* instances; last: MACs */
    sc_near near[SC_MAX_LEVELS];       /* under each level */
    struct sc_served_memo *memo;       /* of what neighbours do; NULL: not looked at */
} sc_grid_choice;

/** @param near  also list neighbours; else any child may be one. */
void sc_grid_choose(sc_grid_choice *g, const sc_space *x, const sc_spreads *s, size_t i, bool near);

/** The boundary under level b with this choice.
 *  @param child  tile of one of the children.
 *  @param closely  look at what neighbours can do, where that is known: tighter, and dear. */
void sc_grid_step(sc_xstep *s, const sc_space *x, const sc_grid_choice *g, unsigned b,
                  const sc_xtile *child, bool closely);

/** Words that level b asks for, for one that its children ask for which do not keep the tensor, at
 *  least: with links wherever they may be. */
double sc_grid_least_passed(const sc_space *x, const sc_grid_choice *g, unsigned b,
                            unsigned tensor);

/** Tensors whose words neighbours under the level may hand on, bit 1 << tensor. */
uint8_t sc_grid_linked(const sc_xstep *s, const sc_space *x);

/**
 * Words that neighbours under one instance may hand to one child, at most: of the steps after which
 * a tile stands where another child's stood. Page exact_mapper.md, "Links".
 * @param child  the MACs' tile, or that of the level below; its steps are all outside it.
 * @param from   first of the loops outside the child.
 * @param step   the boundary above the children.
 */
double sc_grid_handed(const sc_xtile *child, const sc_space *x, unsigned tensor,
                      const sc_grid_choice *g, const sc_xloops *loops, unsigned from,
                      const sc_xstep *step);

/** Words that the level serves for one that its children ask for, which do not keep the tensor: the
 *  mixture that links would make of the steps in which they would receive them, at least.
 *  @param received  words that one child would receive, at least. */
double sc_grid_passed(const sc_xtile *child, const sc_space *x, unsigned tensor,
                      const sc_grid_choice *g, const sc_xloops *loops, unsigned from,
                      const sc_xstep *step, double received);

/** Dimensions, bit 1 << dimension, whose loops do not take a tile further than a neighbour may
 * stand or later loops may bring it back. */
uint16_t sc_grid_alive(const sc_xtile *child, const sc_space *x, unsigned tensor,
                       const sc_shape *fan);

/** The same as a share of the words that the child receives, when of all loops only the dimension
 * of the innermost one is known. Children that hold words. */
double sc_grid_may_hand(const sc_xtile *child, const sc_space *x, unsigned tensor,
                        const sc_grid_choice *g, unsigned first, unsigned level);

/** Orders and axes of the spatial loops under one level, one after another. */
typedef struct sc_arrangement {
    unsigned n;
    uint8_t dim[SC_MAX_DIMS]; /* of the space, innermost first */
    unsigned split;
} sc_arrangement;

/** First arrangement that fits the mesh. @return false if there is none. */
bool sc_arrangement_first(sc_arrangement *a, const sc_space *x, const sc_grid_choice *g,
                          unsigned level);
bool sc_arrangement_next(sc_arrangement *a, const sc_space *x, const sc_grid_choice *g,
                         unsigned level);
/** Whether neighbours stand otherwise in one arrangement than in another: in the reference's
 *  numbering where the axes part is of no account. */
bool sc_arrangement_differs(const sc_arrangement *a, const sc_arrangement *b, const sc_space *x);
#endif
