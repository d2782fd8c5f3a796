#ifndef MODEL_COUNT_MAPPING_H
#define MODEL_COUNT_MAPPING_H
/** A mapping: per storage level a temporal block, a spatial block under it, and what it keeps. */
#include <stdint.h>

#include "model/arch/arch.h"

/** Loops over dimensions, INNERMOST FIRST; a dimension stands at most once; factors >= 1. */
typedef struct sc_loops {
    uint8_t n;
    uint8_t dim[SC_MAX_DIMS];
    uint64_t factor[SC_MAX_DIMS];
} sc_loops;

typedef struct sc_block {
    sc_loops temporal;
    sc_loops spatial; /* over the children of one instance */
    uint8_t split;    /* the first `split` spatial loops lie on X, the rest on Y */
    uint8_t
        diagonal; /* bit i: spatial loop i advances X and Y together (block-diagonal packing of
                     groups on a systolic array); it counts in both extents, once in the fan-out */
    uint8_t keep; /* bit 1 << tensor index */
} sc_block;

/** Level 0 is the outermost, as in sc_arch. The product of a dimension's factors over all blocks is
 *  its bound (perfect factorisation); sc_mapping_check says where it is not. */
typedef struct sc_mapping {
    uint8_t n_levels;
    sc_block level[SC_MAX_LEVELS];
} sc_mapping;

/** Why a well-formed mapping cannot run on a design. */
typedef enum sc_misfit_code {
    SC_FITS = 0,
    SC_MISFIT_CAPACITY, /* need > have words or bytes at the level; tensor = -1 for a shared buffer
                         */
    SC_MISFIT_MESH_X,   /* spatial extent > fanout_x */
    SC_MISFIT_MESH_Y,
    SC_MISFIT_KEEP /* the level may not keep, or must keep, the tensor */
} sc_misfit_code;

typedef struct sc_misfit {
    sc_misfit_code code;
    int level, tensor;
    uint64_t need, have;
} sc_misfit;

const char *sc_misfit_name(sc_misfit_code c); /* "capacity", "mesh_x", ... */

/** Well-formedness: dims in range and unrepeated, factors multiply to the bounds, the outermost
 * level keeps everything. @return SC_OK; SC_EINVAL naming level, dimension, product and bound. */
sc_status sc_mapping_check(const sc_mapping *m, const sc_einsum *e, const sc_arch *a) SC_MUST_USE;

/** The first level (outermost first) where the mapping does not fit, or SC_FITS. Allocates nothing.
 */
sc_misfit sc_mapping_fit(const sc_mapping *m, const sc_einsum *e, const sc_arch *a);
#endif
