#ifndef MODEL_COUNT_TILED_RUN_H
#define MODEL_COUNT_TILED_RUN_H
/**
 * Time of one tiled layer on a systolic array whose host hands it a tile at a time: the array's
 * passes with their ramps, the rows, bytes and cache lines that move, and the host's own work for
 * each tile. What a machine's data sheet does not say stands in ten free factors, which
 * flow/calibrate.h fits to measured cycles. See docs/algorithms/calibration.md.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/arch/calibration.h"
#include "scantle/error.h"

/** Dimensions of a layer in the order of the letters "KCPQRS": output and input channels, output
 *  width and height, window width and height. */
typedef enum sc_tiled_dim {
    SC_TILED_K,
    SC_TILED_C,
    SC_TILED_P,
    SC_TILED_Q,
    SC_TILED_R,
    SC_TILED_S,
    SC_TILED_DIMS
} sc_tiled_dim;

enum { SC_TILED_LOOPS = 16 };

/** A layer and how it is cut. */
typedef struct sc_tiled_layer {
    uint64_t extent[SC_TILED_DIMS];
    uint64_t tile[SC_TILED_DIMS];    /* of one iteration of all outer loops */
    uint64_t spatial[SC_TILED_DIMS]; /* part of the tile that the mapping spreads over the array */
    uint64_t stride_p, stride_q;
    unsigned n_outer; /* loops over tiles, outermost first */
    uint8_t outer_dim[SC_TILED_LOOPS];
    uint64_t outer[SC_TILED_LOOPS];
} sc_tiled_layer;

/**
 * Read a mapping as one line: levels outermost first with " - " between them, each a name and then
 * its loops, e.g. "L3[WIO] K8 Q28 - L2[WI] K4X - L1[O] C3X - L0[W] P16": a letter of KCPQRS (or N,
 * of factor 1), a factor, and X or Y where the loop is spatial. Loops of the first level go over
 * tiles; all others make the tile.
 * @param layer  its extents and strides are set; the rest is written here, untouched on failure.
 * @return SC_OK; SC_EINVAL saying what is wrong at which character, a mapping that does not cover
 * an extent included. Threads: safe. Cost: O(length).
 */
sc_status sc_tiled_parse(sc_tiled_layer *layer, const char *text) SC_MUST_USE;

/** What a run consists of; cycles follow with sc_tiled_cycles. */
typedef struct sc_tiled_work {
    bool product;  /* a matrix product (no window, one column): the host's other loop */
    double side;   /* PEs along one side of the array */
    double tiles;  /* iterations of the host's loops */
    double passes; /* of a tile: weights loaded into the array, and values streamed past them */
    double stream; /* values streamed in a pass, on average */
    double rows;   /* scratchpad rows of `side` elements loaded for a tile */
    double bytes;  /* loaded for a tile, one an element */
    double lines;  /* 64-byte lines that miss the cache in front of DRAM, all tiles together */
    double repeat; /* runs of all this: 1, but for a driver that pads maps to squares */
} sc_tiled_work;

/**
 * Count what a run consists of.
 * @param side  PEs along one side; 0: the smallest power of two that holds the spatial factors.
 * @return SC_OK; SC_EINVAL if an extent, tile or stride is 0, or over 2^31. out is then untouched.
 * Threads: safe. Allocates nothing. Cost: O(loops^2).
 */
sc_status sc_tiled_count(sc_tiled_work *out, const sc_tiled_layer *layer, uint64_t side,
                         sc_tiled_driver driver) SC_MUST_USE;

/** Factors of an ideal machine, no measurement used: no host time, weights loaded in `side` cycles
 * a pass, a row a cycle, 16 bytes a cycle from cache and DRAM, all overlapped. [SC_TILED_FACTORS]
 */
extern const double sc_tiled_ideal[SC_TILED_FACTORS];

/**
 * Cycles of a run: repeat * (sum over host, array and memory of their cycles ^ overlap) ^
 * (1 / overlap) + start.
 * @param factor  [SC_TILED_FACTORS], none negative, bus above 0, overlap >= 1.
 * Threads: safe. Cost: O(1), four powers.
 */
double sc_tiled_cycles(const sc_tiled_work *w, const double *factor);
#endif
