#ifndef TESTS_ARRAY_MAKE_H
#define TESTS_ARRAY_MAKE_H
/** Small random problems for the exact mapper of systolic arrays. */
#include "oracle_array_space.h"

enum { ARRAY_ALL_ROLES = (1 << SC_ROLES) - 1 };

/**
 * An op of a few dozen to some hundred MACs on 1 to 16 MACs a child, of up to 4 children; DRAM, L1
 * and registers, perhaps an L3 and an L2. Kinds of op: GEMM, batched GEMM, conv with stride and
 * dilation, pointwise, depthwise, grouped, transposed conv.
 */
void array_problem(oracle_array_problem *p, uint64_t seed);

/** The same on designs with children side by side under several levels, most of them of plain MACs:
 *  up to 6 children of up to 12 MACs, up to four buffers. */
void array_fan_problem(oracle_array_problem *p, uint64_t seed);

/** A level without limits inside the others. @param words  it counts words of 16 bits, else bytes.
 */
void array_add_level(sc_arch *a, const char *name, bool words);
#endif
