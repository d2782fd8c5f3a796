#ifndef TESTS_ORACLE_ARRAY_SPACE_H
#define TESTS_ORACLE_ARRAY_SPACE_H
/**
 * The whole space of mappings of a small op on a small design, systolic or of plain MACs, one after
 * another, each scored by the engine: what the exact mapper of arrays is held against. Naive, and
 * shares no code with it.
 */
#include "model/mapper/score.h"

typedef struct oracle_array_problem {
    sc_einsum e;
    sc_arch a;
    double input_share;
    bool loose;     /* all factors with products of less than twice the bound; else those of which
                       none can be lowered */
    bool sides;     /* all ways to lay the grids' loops on X and Y; else one */
    bool registers; /* loops in time in the array's registers too, where they have room */
} oracle_array_problem;

typedef struct oracle_array_result {
    bool complete;   /* the walk came to its end */
    uint64_t scored; /* mappings */
    double cycles;   /* least of all; HUGE_VAL: no mapping fits, or none within the limit */
    sc_mapping mapping;
} oracle_array_result;

/**
 * Walk: every dataflow; every way to give each dimension a factor in time at each level that may
 * keep something, one on each grid of children and one on the array where the dataflow lets it lie
 * (plain MACs are a grid of their own), with a
 * product of the bound or more; every set of kept tensors of each level but the outermost, which
 * keeps all; every order of the loops in time.
 * @param limit  mappings whose steps in time alone are more are left out: they take at least that
 * many cycles. @param most  mappings scored, at most.
 */
void oracle_array_space(oracle_array_result *out, const oracle_array_problem *p, double limit,
                        uint64_t most);

/** Follow changes of single factors, orders, places and kept tensors from a mapping, most of them
 *  for the better, `steps` of them. @param start  NULL: a random one. @param reached  the last
 *  mapping of fewest cycles. @return its cycles; HUGE_VAL: none that fits was met. */
double oracle_array_follow(sc_mapping *reached, const oracle_array_problem *p,
                           const sc_mapping *start, unsigned steps, uint64_t seed);
#endif
