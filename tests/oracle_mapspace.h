#ifndef TESTS_ORACLE_MAPSPACE_H
#define TESTS_ORACLE_MAPSPACE_H
/**
 * The whole map space of a small problem, one mapping after another, each counted and costed by the
 * engine: what the exact mapper is held against. Naive, and shares no code with it.
 */
#include "model/count/constraints.h"
#include "model/count/count.h"

/** What is minimised, and of mappings equal in that, what next. */
enum {
    ORACLE_ENERGY, /* energy; cycles */
    ORACLE_CYCLES, /* cycles; energy */
    ORACLE_EDP,    /* energy * cycles; energy */
    ORACLE_ED2P,   /* energy * cycles^2; energy */
    ORACLE_MIX,    /* weights; energy */
    ORACLE_GOALS
};

typedef struct oracle_problem {
    sc_einsum e;
    sc_arch a;
    sc_count_options count;
    bool constrained;
    sc_map_constraints limits; /* where constrained */
    double energy_weight, cycle_weight;
    bool every_order; /* walk the innermost level's temporal orders even where they cannot matter */
} oracle_problem;

typedef struct oracle_best {
    double value;
    /* Least second value: of the mappings with exactly this value, and of all within 1e-9 of it,
       which sums in another order may have been meant to equal it. */
    double tie, near_tie;
    double energy_pj, cycles;
    sc_mapping mapping; /* the first with the value and the tie */
} oracle_best;

typedef struct oracle_result {
    uint64_t fitting; /* mappings that fit, constraints aside */
    uint64_t found;   /* of those, how many obey too; 0: the bests are unset */
    oracle_best best[ORACLE_GOALS];
} oracle_result;

/** What a goal makes of an energy and a time, and what decides between equals. */
double oracle_value(const oracle_problem *p, unsigned goal, double energy_pj, double cycles);
double oracle_tie(unsigned goal, double energy_pj, double cycles);

/** How many mappings fit, counted without walking the temporal orders; any number above `most` if
 *  there are more than that, or if four times as many had to be looked at. */
uint64_t oracle_mapspace_size(const oracle_problem *p, uint64_t most);

/**
 * Walk every mapping: all ways to split each bound over the temporal and spatial blocks, all orders
 * of the loops above factor 1, all ways to lay the spatial ones along X and Y, and every set of
 * kept tensors of each level but the outermost, which keeps all.
 * Cost: a count for each of them. Aborts on a count past 2^63 - 1.
 */
void oracle_mapspace(oracle_result *out, const oracle_problem *p);
#endif
