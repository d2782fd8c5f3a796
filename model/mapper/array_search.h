#ifndef MODEL_MAPPER_ARRAY_SEARCH_H
#define MODEL_MAPPER_ARRAY_SEARCH_H
/**
 * Inside the exact mapper of systolic arrays: the search from the tile of the innermost buffers to
 * the whole mapping. Stages: array_tiles.c lists tiles, array_grid.c lays one on the grid,
 * array_lanes.c a child's part on the array, array_finish.c finds what is kept where, the factors
 * and orders outside, and scores. Each stage bounds what it leaves open. Rules and proofs:
 * docs/algorithms/array_mapper.md.
 */
#include <math.h>

#include "model/mapper/array.h"
#include "model/mapper/array_flat.h"
#include "model/mapper/array_grid.h"
#include "model/mapper/array_space.h"
#include "model/mapper/array_symmetry.h"
#include "model/mapper/local.h"

enum {
    SC_MAX_KEEPINGS = 256,
    SC_MAX_STEPS = 1024, /* choices of one dimension's outer steps */
    SC_OPEN_TILES = 4096 /* looked into at a time; memory: 40 bytes each */
};

/** Where each tensor is kept between the innermost buffer and level 0: bit k of at[tensor] stands
 *  for level outer[k]. */
typedef struct sc_keeping {
    uint8_t at[SC_MAX_TENSORS];
} sc_keeping;

/** Cycles of one bandwidth of a level as a sum over tensors, of words of the level's scope. */
typedef struct sc_traffic_form {
    double each[SC_MAX_TENSORS], fixed;
} sc_traffic_form;

enum { SC_BANDWIDTHS = 3 /* of a level: shared, read, write */ };

/** Those of all levels outside, for one way to keep tensors. */
typedef struct sc_keeping_forms {
    unsigned n[SC_ARRAY_OUTER];
    sc_traffic_form form[SC_ARRAY_OUTER][SC_BANDWIDTHS];
} sc_keeping_forms;

/** One dimension's steps outside the innermost buffers, and the extent that they leave inside. */
typedef struct sc_outer_steps {
    uint32_t steps, extent;
} sc_outer_steps;

/** The tile of the innermost buffers of all children together, and the loops outside it. */
typedef struct sc_array_tile {
    sc_extents steps; /* iterations of the loops outside */
    sc_extents all;   /* extents at least */
    double n_steps;   /* product of `steps` */
    double n_inside;  /* product of `all` */
    double memory;    /* cycles of traffic, at least */
    sc_words words[SC_MAX_TENSORS];
} sc_array_tile;

/** A tile while it waits: its choices (index into `choice` of each dimension). */
typedef struct sc_open_tile {
    double bound; /* of what is not met yet */
    double met;   /* up to here all is met */
    uint16_t choice[SC_MAX_DIMS];
} sc_open_tile;

/** What the innermost buffers keep (bit 1 << tensor), and the first loop outside them: of dimension
 *  order[first], or none at n_order. */
typedef struct sc_pair {
    uint8_t set, first;
    double memory; /* cycles, first words aside: the largest of all bounds so far */
} sc_pair;

/** What lies side by side. */
typedef struct sc_lanes {
    sc_dataflow dataflow;
    sc_extents array, grid[SC_ARRAY_GRIDS]; /* lanes */
    sc_extents arrays;                      /* side by side under one innermost buffer */
    sc_extents time;                        /* steps in the innermost buffer */
    uint16_t on_y[SC_ARRAY_GRIDS];          /* bit 1 << dimension: on Y of a grid */
    uint16_t arrays_on_y, macs_on_y;        /* the same of arrays, of plain MACs */
    double steps;                           /* of the whole run */
    double pass, inner_pass; /* of the longest pass; of one that ends with the innermost buffer */
    double macs;             /* cycles: the largest of all bounds on the way to them */
    unsigned n_pairs;        /* that the grid left */
    const sc_pair *pairs;
} sc_lanes;

typedef struct sc_array_search {
    sc_array_space space;
    sc_local *local; /* scores whole mappings */
    sc_point *best;
    double from, to; /* what is looked for now: bounds above `from`, up to `to` */
    double next;     /* least bound above `to` that was met on the way */
    double open;     /* least bound of mappings of which no order that was tried reaches it */
    uint64_t nodes, budget; /* partial mappings */
    uint64_t share;         /* of them, for what is left to choose once lanes are known */
    bool cut;               /* some draft needed more: its bound is in `open` */
    unsigned n_keepings;
    sc_keeping keeping[SC_MAX_KEEPINGS];
    sc_keeping_forms forms[SC_MAX_KEEPINGS]; /* of each, but for what the output's size saves */
    unsigned n_order, order[SC_MAX_DIMS]; /* dimensions of more than one iteration, largest first */
    unsigned n_choices[SC_MAX_DIMS];
    sc_outer_steps choice[SC_MAX_DIMS][SC_MAX_STEPS];
    sc_swaps swaps;
    double listed; /* tiles up to this bound were listed before */
    double rest;   /* least bound of tiles that found no room */
    unsigned n_tiles;
    sc_open_tile tile[SC_OPEN_TILES];    /* while listed a heap, the largest bound first */
    double children;                     /* of all grids: innermost buffers */
    double divided[1 << SC_MAX_TENSORS]; /* log2 of the most by which grids divide a set */
    uint64_t rows, cols; /* of the array; of plain MACs all are one row, as wide as both axes */
    double rows_of[SC_MAX_LANES + 1], cols_of[SC_MAX_LANES + 1]; /* of the array, for g blocks */
    uint8_t dataflows; /* bit 1 << sc_dataflow: that the array runs and the op has a tensor for;
                          SC_DATAFLOWS: of plain MACs */
    int stays[SC_DATAFLOWS + 1];          /* the tensor, -1: none */
    uint16_t ends_pass[SC_DATAFLOWS + 1]; /* dimensions that move it, bit 1 << dimension */
    uint16_t shared[SC_MAX_TENSORS]; /* dimensions of which lanes may share a word of the tensor */
    sc_array_place place[SC_DATAFLOWS + 1][SC_MAX_DIMS];
    double room[SC_MAX_TENSORS]; /* of an innermost buffer for each tensor, in what it counts in */
    sc_grid_ways grid[SC_ARRAY_GRIDS];
    sc_flat flat;
} sc_array_search;

/* ---- bounds (array_bound.c) ---- */

/** MACs of one array that dimensions of these extents can keep busy under a dataflow, at most. */
double sc_array_busy(const sc_array_search *q, sc_dataflow f, const sc_extents *extent);

/** The same from the product of the extents that each place may take. */
double sc_array_busy_at(const sc_array_search *q, const double at[SC_PLACE_DIAGONAL + 1]);

/** Lanes of the array that the same word of the tensor can go to, at most. */
double sc_array_sharing(const sc_array_search *q, sc_dataflow f, unsigned tensor,
                        const sc_extents *extent);

/** Whether the innermost buffers of all children could hold the tensors of a set (bit 1 << tensor),
 *  each its part. @param over  log2 of each tensor's tile over what one buffer holds. */
bool sc_array_could_fit(const sc_array_search *q, unsigned set, const double *over);

/** Cycles of the MACs of tiles of these extents under a dataflow, at least.
 *  @param inside  product of the extents. @param ends  the first loop outside ends a pass. */
double sc_array_macs(const sc_array_search *q, sc_dataflow f, const sc_extents *extent,
                     const sc_extents *steps, double n_steps, double inside, bool ends);

/** Least cycles of the run over all ways to keep tensors.
 *  @param words  that innermost buffers get @param output  words of the whole output, padding
 *  counted */
double sc_array_memory(const sc_array_search *q, double mac_cycles, const sc_scoped *words,
                       double output);
/** The same for one way to keep them. */
double sc_array_memory_of(const sc_array_search *q, const sc_keeping *k, double mac_cycles,
                          const sc_scoped *words, double output);

/** Fill q->forms. */
void sc_array_list_forms(sc_array_search *q);

/** sc_array_memory() for an output of any size, from q->forms. */
double sc_array_memory_any(const sc_array_search *q, double mac_cycles, const sc_scoped *words);

/** Which sets of tensors (index: bit 1 << tensor) an innermost buffer could hold: bit 1 << set.
 *  @param words  of tiles, at least @param children  that may divide each */
uint32_t sc_array_could_hold(const sc_array_search *q, const double *words, double children);

/* ---- stages ---- */

/** List tiles with bounds above q->listed, up to q->to; those that find no room set q->rest. */
void sc_array_list_tiles(sc_array_search *q);

/** Look into the listed tiles up to ever larger bounds, `top` at last.
 *  @return cycles that every mapping of theirs which was not met needs. */
double sc_array_look_at_tiles(sc_array_search *q, double top);

/** Walk all ways to lay a tile on the grids, outermost first. */
void sc_array_walk_lanes(sc_array_search *q, const sc_array_tile *tile);

/** Lay loops of these factors on two axes. @param[out] on_y  bit 1 << dimension. @return false if
 * they do not go there. */
bool sc_array_lay_axes(uint16_t *on_y, const sc_extents *lanes, unsigned n_dims, uint64_t x,
                       uint64_t y);

/** Walk all ways to lay a child's tile (lanes->time) on the array and finish each; lanes->time and
 *  lanes->array change. @param memory, prefill  cycles of the traffic and first words, at least:
 * the least of all pairs. */
void sc_array_lay_child(sc_array_search *q, const sc_array_tile *tile, sc_lanes *lanes,
                        double memory, double prefill);

/** For an op without windows, in place of the stages before: walk all lanes, those that leave the
 *  MACs least to do first, and finish each. @return cycles that every mapping needs, or the best's.
 */
double sc_flat_prove(sc_array_search *q, double floor);

/** Walk all ways to split the steps that lanes of each class leave into those outside the innermost
 *  buffers and in them, and finish each. @param macs  cycles of the MACs, at least. */
void sc_flat_split_steps(sc_array_search *q, sc_dataflow f, sc_flat_lanes *const *lanes,
                         double macs);

/** Walk what is left of a mapping: keeping, outer factors, orders; score it. */
void sc_array_finish(sc_array_search *q, const sc_array_tile *tile, const sc_lanes *lanes);

/** Whether what is left of a bound is looked for now; else the least such bound is kept. */
static inline bool sc_array_wanted(sc_array_search *q, double bound)
{
    if (bound >= q->best->cycles)
        return false;
    if (bound <= q->to)
        return true;
    q->next = sc_smaller(q->next, bound);
    return false;
}

/** Whether the search must end. */
static inline bool sc_array_spent(const sc_array_search *q)
{
    return q->nodes >= q->budget || q->local->status != SC_OK;
}
#endif
