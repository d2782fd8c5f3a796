#ifndef MODEL_MAPPER_IMPERFECT_SPACE_H
#define MODEL_MAPPER_IMPERFECT_SPACE_H
/** Inside the search for imperfect mappings: factors by block, counted mappings, the best so far.
 */
#include "model/mapper/exact_space.h"
#include "model/mapper/imperfect.h"
#include "model/mapper/limits.h"

/** Least energy and cycles of any mapping, perfect or not. */
typedef struct sc_least {
    double energy_pj; /* leakage aside */
    double leak_pj;   /* a cycle */
    double cycles;
} sc_least;

/** Compulsory words at the outermost level and at the one that feeds the MACs; MACs over the lanes
 *  that the bounds can use. Page imperfect_mapper.md, "Bound". */
void sc_least_of(sc_least *out, const sc_space *x);

/** The goal of no less than that energy, and than so many cycles. */
double sc_least_value(const sc_least *least, const sc_goal *g, double cycles);

typedef struct sc_ragged {
    const sc_space *x;
    sc_map_constraints limits; /* free where there are none */
    sc_count_plan plan;
    sc_least least;
    uint64_t factor[SC_MAX_LEVELS][SC_BLOCKS][SC_MAX_DIMS]; /* by dimension of the einsum */
    sc_mapping m;
    sc_exact best;
    double tie;
    double value, value_tie; /* of the mapping tried last; HUGE_VAL: it does not fit or obey */
    uint64_t left;           /* mappings that may still be counted */
    bool refused;            /* some mapping cannot be counted */
    sc_status status;        /* first failure */
} sc_ragged;

/** Count the mapping, if it fits, and keep it if it is the best. */
void sc_ragged_try(sc_ragged *r, const sc_mapping *m);

/** Iterations with which a loop around tiles of an extent just covers the bound. */
static inline uint64_t sc_last_factor(uint64_t bound, uint64_t extent)
{
    return extent > 0 && extent < bound ? (bound - 1) / extent + 1 : 1;
}

/** Lay r->factor into r->m: spatial blocks, and temporal loops in the order asked for.
 *  @return false if children or constraints have no room. */
bool sc_ragged_lay(sc_ragged *r);

/** Walk every mapping that the bound does not rule out. @return false if the budget ended it. */
bool sc_ragged_walk(sc_ragged *r);

/** Sets of factors, capacities and meshes aside; HUGE_VAL where they are too many to count. */
double sc_ragged_sets(const sc_ragged *r);

/** Improve the mapping by small changes until none helps or nothing is left. */
void sc_ragged_improve(sc_ragged *r, const sc_mapping *start);
#endif
