#ifndef MODEL_MAPPER_ARRAY_GRID_H
#define MODEL_MAPPER_ARRAY_GRID_H
/**
 * Inside the exact mapper of systolic arrays: all ways to lay one unit of dimensions on the grid,
 * with its share of each tensor's words. A unit: dimensions that windows join, or one alone; the
 * words of a tile are a product over units. Rules: docs/algorithms/array_mapper.md.
 */
#include "model/mapper/array_space.h"

enum {
    SC_UNIT_DIMS = 4,    /* of one unit, at most */
    SC_GRID_WAYS = 2048, /* remembered; 280 bytes each */
    SC_GRID_LISTS = 64,  /* remembered of one unit */
    SC_GRID_KEPT = 2     /* index of words: 0: that MACs need, 1: of the box that a buffer holds */
};

/** One unit's part of what is a product over units. all_: times children that get different words.
 */
typedef struct sc_grid_factors {
    double inside, all_inside[SC_MAX_TENSORS];  /* extents of a child */
    double words[SC_GRID_KEPT][SC_MAX_TENSORS]; /* of a child's tile */
    double all_words[SC_GRID_KEPT][SC_MAX_TENSORS];
} sc_grid_factors;

/** What a window that the first loop outside moves leaves of a tile's words. */
typedef struct sc_grid_shares {
    double of[SC_GRID_KEPT][SC_MAX_TENSORS];
} sc_grid_shares;

/** One way to lay a unit. */
typedef struct sc_grid_way {
    uint16_t lanes[SC_UNIT_DIMS]; /* children side by side */
    uint32_t time[SC_UNIT_DIMS];  /* extents of one child */
    double children;
    sc_grid_factors factors;
    sc_grid_shares shares;
} sc_grid_way;

/** The ways of a unit in one tile, and the least of each of their factors. */
typedef struct sc_grid_list {
    unsigned first, n;                                  /* in sc_grid_ways.way; n = 0: no list */
    uint32_t extent[SC_UNIT_DIMS], steps[SC_UNIT_DIMS]; /* of the tile: what the list is for */
    sc_grid_factors least;
    sc_grid_shares least_shares;
} sc_grid_list;

/** Units of an op, and lists of their ways on one grid that were met. */
typedef struct sc_grid_ways {
    const sc_array_space *space;
    const sc_array_grid *on;
    uint64_t longest; /* of its two axes */
    unsigned n_units, n_dims[SC_MAX_DIMS], dim[SC_MAX_DIMS][SC_UNIT_DIMS];
    unsigned unit_of[SC_MAX_DIMS];
    unsigned n_ways;
    sc_grid_list list[SC_MAX_DIMS][SC_GRID_LISTS]; /* by a hash of extents and steps */
    sc_grid_way way[SC_GRID_WAYS];
} sc_grid_ways;

/** Find the units. @return false if one has too many dimensions. */
bool sc_grid_ways_init(sc_grid_ways *g, const sc_array_space *s, unsigned grid);

/** The list of each unit for a tile. They hold until the next call.
 *  @return false if there is no room for all of them. */
bool sc_grid_ways_of(const sc_grid_list **list, sc_grid_ways *g, const sc_extents *tile,
                     const sc_extents *steps);
#endif
