#ifndef MODEL_MAPPER_IMPERFECT_H
#define MODEL_MAPPER_IMPERFECT_H
/** The best mapping with factors that need not divide: last iterations are smaller. See
 *  docs/algorithms/imperfect_mapper.md. */
#include "model/mapper/exact.h"

typedef struct sc_imperfect {
    sc_exact best;      /* optimal: a walk of all mappings, or the bound, proves it; nodes: sets of
                           factors looked at */
    bool perfect_found; /* some mapping of perfect factors fits */
    bool perfect_optimal; /* perfect_value is proved the least of those */
    double perfect_value;
    bool walked; /* every mapping was looked at */
} sc_imperfect;

/**
 * Search the mappings whose factors multiply to a bound or more, without an idle iteration of a
 * dimension's outermost loop: all of them where they are few enough for the budget, else those
 * around the best of perfect and of padded bounds. Counted without links whatever o->count says.
 * @param o  node_budget: whole mappings counted, and nodes of the search of perfect factors; 0:
 * until proved.
 * @return as sc_exact_map().
 * Threads: safe. Determinism: a function of its arguments. Cost: some microseconds a mapping.
 */
sc_status sc_imperfect_map(sc_imperfect *out, const sc_einsum *e, const sc_arch *a,
                           const sc_exact_options *o) SC_MUST_USE;

/** Iterations of every loop when all loops over its dimension outside it are in their last.
 *  @param[out] last  [levels][block: time, space][dimensions], 1 where there is no loop. */
void sc_last_iterations(uint64_t last[SC_MAX_LEVELS][2][SC_MAX_DIMS], const sc_mapping *m,
                        const sc_einsum *e);
#endif
