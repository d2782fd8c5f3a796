#ifndef TESTS_COUNT_MAKE_H
#define TESTS_COUNT_MAKE_H
/** Einsums written in one line, and random designs and mappings for them. */
#include "model/count/count.h"

/**
 * Einsum from its dimensions and tensors: count_einsum("K3 P16 R3", "W K,R", "I P+R", "O K,P").
 * A tensor is its role (I, W or O), a blank, and its ranks; a rank is a sum of dimensions, each
 * with a coefficient before it: "2P+R". NULL for no further tensor.
 */
sc_einsum count_einsum(const char *dims, const char *first, const char *second, const char *third);

/** Designs of n levels, each with up to `children` children; named L0, L1, ...; nothing bounded. */
sc_arch count_random_arch(uint64_t *seed, unsigned n, uint64_t children);

/** A mapping of perfect factors: every prime of every bound goes somewhere, in random order;
 * spatial where the mesh of the design has room; levels but the outermost keep what chance says. */
sc_mapping count_random_mapping(uint64_t *seed, const sc_einsum *e, const sc_arch *a);

/** A kind of op by number, with small random bounds: conv (stride, dilation), depthwise, GEMM,
 *  batched GEMM, grouped conv, transposed conv. @param twos bounds are powers of two. */
enum { COUNT_KINDS = 6 };
sc_einsum count_random_einsum(uint64_t *seed, unsigned kind, int twos);

/** What a mapping is, for messages; static storage. */
const char *count_describe(const sc_einsum *e, const sc_arch *a, const sc_mapping *m);
#endif
