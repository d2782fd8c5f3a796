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
 *  its bound, or more: then last iterations are smaller. Of the loops over the dimension, outermost
 *  first (in each level time, then space), iterations follow the digits of a number below the
 * bound; every iteration of the outermost loop must have work. See docs/algorithms/counting.md. */
typedef struct sc_mapping {
    uint8_t n_levels;
    sc_block level[SC_MAX_LEVELS];
} sc_mapping;

/** Why a well-formed mapping cannot run on a design. */
typedef enum sc_misfit_code {
    SC_FITS = 0,
    SC_MISFIT_CAPACITY, /* need > have words or bytes at the level; tensor = -1 for a shared buffer
                         */
    SC_MISFIT_FANOUT,   /* more children used than stand under one instance */
    SC_MISFIT_MESH_X,   /* spatial extent > fanout_x */
    SC_MISFIT_MESH_Y,
    SC_MISFIT_KEEP,       /* the level may not keep, or must keep, the tensor */
    SC_MISFIT_CONSTRAINTS /* no mapping that was found obeys what is asked of mappings */
} sc_misfit_code;

typedef struct sc_misfit {
    sc_misfit_code code;
    int level, tensor;   /* tensor: of a buffer a role, one that lies in it; else -1 */
    uint64_t need, have; /* keep: 1 and 0, or 0 and 1 when the tensor must be kept */
} sc_misfit;

const char *sc_misfit_name(sc_misfit_code c); /* "capacity", "fanout", "mesh_x", ... */

/** Well-formedness: as many levels as the design, dims in range and unrepeated, factors >= 1 that
 * multiply to the bounds or, without an idle iteration of the outermost loop, to more; every tensor
 * kept somewhere. The outermost level that keeps a tensor is taken to hold it from the start.
 * @return SC_OK; SC_EINVAL naming level, dimension, product and bound. */
sc_status sc_mapping_check(const sc_mapping *m, const sc_einsum *e, const sc_arch *a) SC_MUST_USE;

/** The loops over one dimension. */
typedef struct sc_mapped_dim {
    uint64_t product; /* of all factors; UINT64_MAX if more */
    uint64_t outer;   /* factor of the outermost loop of more than one iteration, else 1 */
    uint64_t needed;  /* its iterations that have work */
    uint64_t steps;   /* in time, of the child with most: the product of the temporal factors if
                         the product is the bound */
} sc_mapped_dim;
/** Look at one dimension of the given bound >= 1. Cost: the levels. */
sc_mapped_dim sc_mapping_dim(const sc_mapping *m, unsigned dim, uint64_t bound);

/** Bits one element of the tensor takes at the level. */
uint32_t sc_level_bits(const sc_level *l, const sc_tensor *t);
/** Bits in which one element comes and goes there: those, compressed. */
double sc_level_moved_bits(const sc_level *l, const sc_tensor *t);
/** Size of a tile in the level's own measure (words or bytes); UINT64_MAX if more. */
uint64_t sc_level_size(const sc_level *l, const sc_tensor *t, uint64_t words);
/** What one instance can hold in that measure, of tensors of a role, buffering taken off. */
uint64_t sc_level_room(const sc_level *l, unsigned role);

/** Room for every misfit of one mapping. */
enum { SC_MAX_MISFITS = SC_MAX_LEVELS * (SC_MAX_TENSORS + SC_ROLES + 3) };

/**
 * All misfits: levels outermost first, in each what it keeps, capacity, then the children under it.
 * Tiles end at the bounds.
 * Sizes past 2^64 are misfits. Allocates nothing.
 * @return how many; 0 = it fits.
 */
unsigned sc_mapping_misfits(sc_misfit out[SC_MAX_MISFITS], const sc_mapping *m, const sc_einsum *e,
                            const sc_arch *a);

/** The first of them, or SC_FITS. For inner loops. */
sc_misfit sc_mapping_fit(const sc_mapping *m, const sc_einsum *e, const sc_arch *a);
/** The same with the bounds padded to what the factors multiply to. */
sc_misfit sc_mapping_fit_padded(const sc_mapping *m, const sc_einsum *e, const sc_arch *a);
#endif
