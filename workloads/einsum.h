#ifndef WORKLOADS_EINSUM_H
#define WORKLOADS_EINSUM_H
/**
 * One multiply-accumulate op as an einsum: dimensions with bounds, tensors whose ranks are sums of
 * coefficient * dimension (stride and dilation are coefficients). Plain data, copied freely; what
 * the counting engine, the mapper and the importers share.
 */
#include <stdint.h>

#include "scantle/error.h"

enum {
    SC_MAX_DIMS = 12,
    SC_MAX_TENSORS = 4,
    SC_MAX_RANKS = 8,
    SC_MAX_TERMS = 4, /* summands of one rank */
    SC_NAME_LEN = 48
};

/** What a tensor is to the hardware: which scratchpad holds it. */
typedef enum sc_role { SC_ROLE_INPUT, SC_ROLE_WEIGHT, SC_ROLE_OUTPUT, SC_ROLES } sc_role;

/** Coordinate of one rank: sum over terms of coef * index of dim. */
typedef struct sc_rank {
    uint8_t n_terms;
    uint8_t dim[SC_MAX_TERMS];
    int64_t coef[SC_MAX_TERMS]; /* >= 1 */
} sc_rank;

typedef struct sc_tensor {
    char name[SC_NAME_LEN];
    sc_role role;
    uint8_t n_ranks; /* 0 = a scalar */
    uint32_t bits;   /* of one element */
    sc_rank rank[SC_MAX_RANKS];
} sc_tensor;

typedef struct sc_einsum {
    char name[SC_NAME_LEN];
    uint8_t n_dims, n_tensors;
    uint8_t output; /* index of the one output tensor */
    char dim_name[SC_MAX_DIMS][SC_NAME_LEN];
    uint64_t bound[SC_MAX_DIMS]; /* >= 1 */
    sc_tensor tensor[SC_MAX_TENSORS];
} sc_einsum;

/** Product of the bounds. @return SC_OK; SC_ERANGE past 2^63 - 1. */
sc_status sc_einsum_macs(uint64_t *out, const sc_einsum *e) SC_MUST_USE;

/** Words of a tensor's bounding box when dimension d has extent[d] >= 1 (gaps counted).
 *  @return SC_OK; SC_ERANGE past 2^63 - 1. */
sc_status sc_einsum_volume(uint64_t *out, const sc_einsum *e, unsigned tensor,
                           const uint64_t *extent) SC_MUST_USE;

/** Whether the tensor has a rank that moves with the dimension. */
int sc_einsum_relevant(const sc_einsum *e, unsigned tensor, unsigned dim);

enum { SC_EINSUM_DIMS_LEN = SC_MAX_DIMS * (SC_NAME_LEN + 1) };
/** Names of the dimensions with blanks between, for messages. @return out. */
const char *sc_einsum_dims(char out[SC_EINSUM_DIMS_LEN], const sc_einsum *e);

/** Check every invariant above. @return SC_OK; SC_EINVAL naming the dimension or tensor. */
sc_status sc_einsum_check(const sc_einsum *e) SC_MUST_USE;
#endif
