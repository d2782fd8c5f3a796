#ifndef MODEL_MAPPER_CHOICE_BOUND_H
#define MODEL_MAPPER_CHOICE_BOUND_H
/** Cycles below which no mapping of an op can stay, over every choice of what lies side by side. */
#include "model/mapper/array.h"

/** Cycles that memory alone takes, and how prefill and overlap are counted. */
typedef struct sc_memory_bound {
    double cycles;        /* every operand in once, every result out once */
    double bytes_a_cycle; /* into the chip before the grid can start; 0 = no limit */
    bool no_overlap;      /* memory and MACs take turns */
} sc_memory_bound;

/**
 * For each dataflow, each way to lay dimensions on the array's rows and columns and on the grid's
 * axes: cycles of the MACs with the shortest ramps that it allows, against memory, and the first
 * words of every lane before it starts. The least of all of them. Docs: mapper.md, "Lower bound".
 * @param sequential  dimension whose steps wait for one another, -1 = none; it is not laid out.
 * Where there are more choices than an inner limit, those past it are bounded together, from the
 * dimensions laid so far: a lower bound still, not the best one.
 * @return 0 for a sequential dimension, or if one dimension has too many ways to lie.
 * Allocates nothing. Cost: below a millisecond.
 */
double sc_choice_bound(const sc_einsum *e, const sc_arch *a, const sc_memory_bound *memory,
                       int sequential);
#endif
