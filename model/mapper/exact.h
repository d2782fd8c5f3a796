#ifndef MODEL_MAPPER_EXACT_H
#define MODEL_MAPPER_EXACT_H
/**
 * The exact mapper: the best mapping of one op on one chain of levels, with a proof. Branch and
 * bound over spatial choices, tiles from the inside out, bypasses and the loop orders that differ
 * in reuse; perfect factors. See docs/algorithms/exact_mapper.md.
 */
#include "model/count/constraints.h"
#include "model/count/count.h"
#include "model/mapper/blocker.h"

/** What is minimised; ties are broken by the second. */
typedef enum sc_goal_kind {
    SC_GOAL_ENERGY,   /* energy, then cycles */
    SC_GOAL_DELAY,    /* cycles, then energy */
    SC_GOAL_EDP,      /* energy * cycles, then energy */
    SC_GOAL_ED2P,     /* energy * cycles^2, then energy */
    SC_GOAL_WEIGHTED, /* energy_weight * energy + delay_weight * cycles, then energy */
    SC_GOALS
} sc_goal_kind;

typedef struct sc_goal {
    sc_goal_kind kind;
    double energy_weight, delay_weight; /* >= 0, per pJ and per cycle; SC_GOAL_WEIGHTED only */
} sc_goal;

const char *sc_goal_name(sc_goal_kind k); /* "energy", "delay", "edp", "ed2p", "weighted" */
/** The goal's value; both arguments >= 0. */
double sc_goal_value(const sc_goal *g, double energy_pj, double cycles);
/** The second value, of two mappings whose first are equal. */
double sc_goal_tie(const sc_goal *g, double energy_pj, double cycles);

typedef struct sc_exact_options {
    uint32_t version;
    sc_goal goal;
    sc_count_options count;
    const sc_map_constraints *constraints; /* NULL: none */
    uint64_t node_budget; /* partial and whole mappings looked at; 0: until proved */
} sc_exact_options;
#define SC_EXACT_OPTIONS_INIT                                                                      \
    {                                                                                              \
        1, {SC_GOAL_EDP, 0, 0}, SC_COUNT_OPTIONS_INIT, NULL, 0                                     \
    }

/** The best mapping and how sure it is. */
typedef struct sc_exact {
    bool found;       /* some mapping fits; else misfit says what was nearest */
    bool optimal;     /* no mapping has a smaller goal */
    sc_misfit misfit; /* of a space without a mapping */
    sc_mapping mapping;
    sc_counts counts;
    sc_cost cost;
    double value, bound;  /* of the goal; bound <= the value of every mapping */
    uint64_t nodes;       /* partial mappings looked at */
    uint64_t evaluations; /* whole mappings counted exactly */
    uint64_t spatial;     /* spatial choices */
} sc_exact;

/** Relative gap, value / bound - 1; 0 when proved, infinite where nothing is known. */
double sc_exact_gap(const sc_exact *x);

/**
 * Search the map space: perfect factors of every dimension over all temporal and spatial blocks,
 * all orders, all splits of the spatial dimensions over X and Y, every bypass that the levels and
 * constraints allow, tiles within capacities.
 * @param out  written in full on success.
 * @return SC_OK, also when nothing fits or the budget ended it; SC_EINVAL for a bad option or
 *         design; SC_ERANGE if a dimension or the lattice of tiles is too large; SC_ENOMEM.
 * Threads: safe. Determinism: a function of its arguments. Cost: grows with the divisors of the
 * bounds; see the page for measurements.
 */
sc_status sc_exact_map(sc_exact *out, const sc_einsum *e, const sc_arch *a,
                       const sc_exact_options *o) SC_MUST_USE;

/**
 * Of a space without a mapping, a set of limits that together rule out every mapping, none of which
 * can be left out: with all others gone there is none, with any one of them gone as well there is.
 * Where a space is too large to be sure, a limit is named that may not be needed.
 * @param[out] n  how many; 0: some mapping fits, or the space is too large to tell.
 * @param      limits  NULL: none.
 * @return as sc_exact_map(). Cost: a walk of the tiles for each limit,
 * docs/algorithms/exact_mapper.md; milliseconds, and in the worst case 0.1 s for each limit.
 */
sc_status sc_exact_blockers(sc_blocker out[SC_MAX_BLOCKERS], unsigned *n, const sc_einsum *e,
                            const sc_arch *a, const sc_map_constraints *limits) SC_MUST_USE;
#endif
