#ifndef TESTS_MAPPER_MAKE_H
#define TESTS_MAPPER_MAKE_H
/** Small random problems for the exact mapper, and cases of the reference data as such. */
#include "oracle_mapspace.h"

enum { MAPPER_KINDS = 9 };

/**
 * A problem of 1 to 4 levels whose whole map space has at most `most` mappings (it may have none).
 * Kinds of op: GEMM, GEMV, batched GEMM, conv with one window dimension, conv with two, pointwise
 * with stride, depthwise, grouped, transposed conv. Reference conventions in half of the problems;
 * else any mix of links, drain, first reads, byte-counted levels and the older reuse rule.
 */
void mapper_problem(oracle_problem *p, uint64_t seed, uint64_t most);

/** Random limits, most of which some mapping obeys, for a problem that has none. */
void mapper_limits(oracle_problem *p, uint64_t seed);

/** The problem as text, for messages: what one needs to make it again. Static storage. */
const char *mapper_describe(const oracle_problem *p);

/** A folder of arch.yaml and problem.yaml, counted as `map --timeloop` does. Fails the test if it
 *  cannot be read. */
void mapper_reference_case(oracle_problem *p, const char *folder);
#endif
