#ifndef MODEL_MAPPER_MAPPER_H
#define MODEL_MAPPER_MAPPER_H
/**
 * The heuristic mapper: a bounded, deterministic search for a fast mapping of one op on one design.
 * It fills the array and the grid, grows tiles level by level, then improves loop orders, bypass
 * and factors by exact evaluation. It proves nothing; the gap to the lower bound is given, or
 * closed by the exact search that may follow. See docs/algorithms/mapper.md and array_mapper.md.
 */
#include "model/count/count.h"
#include "model/mapper/blocker.h"

typedef struct sc_map_options {
    uint32_t version;
    uint64_t budget;    /* exact evaluations at most, 0 = the default; work, not time; half of
                           them without padding */
    double input_share; /* share of the input's bounding box that exists outside the innermost
                           buffer: below 1 for convs with zero padding; in (0, 1] */
    int sequential;     /* 1 + a dimension whose steps wait for one another (a recurrent op's): it
                           is only the outermost loop in time, each step pays the array's ramps;
                           0 = none */
    bool plain;    /* one mapping by a fixed rule, no search: docs/algorithms/plain_mapping.md */
    bool divisors; /* factors divide the bounds: no dimension is padded */
    const sc_map_constraints *constraints; /* that every mapping obeys; NULL: none. Not with plain
                                              or divisors */
    uint64_t nodes; /* then search on for a proof, so many partial mappings at most; 0: do not. Only
                       without the three above, on designs of array_space.h */
} sc_map_options;
#define SC_MAP_OPTIONS_INIT                                                                        \
    {                                                                                              \
        1, 0, 1.0, 0, false, false, NULL, 0                                                        \
    }

/** The best mapping found. `padded` is the op whose bounds the factors multiply to: dimensions that
 *  do not divide are padded up, and the padded work is counted. */
typedef struct sc_mapped {
    sc_misfit misfit; /* code != SC_FITS: nothing fits, this is the nearest miss; the rest is 0 */
    sc_einsum padded;
    sc_mapping mapping;
    sc_counts counts;
    sc_cost cost;
    double compute_cycles;     /* array ramps and stationary loads included */
    double prefill_cycles;     /* until the first tiles have come from the outermost level */
    double total_cycles;       /* cost.cycles + prefill_cycles: what is minimised first */
    double lower_bound_cycles; /* no mapping of the op on the design is faster; with `nodes` what
                                  the search has proved */
    uint64_t evaluations;
} sc_mapped;

/**
 * Map one op. Objective: least cycles, then least energy, then first found; with `plain` none.
 * Never slower than with `plain`, with `divisors` or with both.
 * Constraints hold for the padded factors; where they multiply to more than a bound the op is
 * padded to them.
 * @return SC_OK, also when nothing fits (see misfit; SC_MISFIT_CONSTRAINTS: ask sc_map_blockers());
 *         SC_EINVAL for a bad option, or an array none of whose dataflows keeps a tensor that the
 *         op has; SC_ERANGE.
 * Threads: safe. Allocates nothing, with `nodes` 0.3 MB (SC_ENOMEM). Determinism: a function of
 * its arguments only. Cost: at most `budget` evaluations of about a microsecond, and `nodes`
 * partial mappings of some 0.3.
 */
sc_status sc_map_op(sc_mapped *out, const sc_einsum *e, const sc_arch *a,
                    const sc_map_options *o) SC_MUST_USE;

/**
 * Of an op without a mapping under its constraints, a smallest set of limits that together rule out
 * all (blocker.h), constraints and those of the design.
 * @param[out] n  how many; 0: some mapping fits, or there are too many to tell.
 * @return SC_OK; SC_EINVAL for a bad option. Cost: some 10 ms a limit at most.
 */
sc_status sc_map_blockers(sc_blocker out[SC_MAX_BLOCKERS], unsigned *n, const sc_einsum *e,
                          const sc_arch *a, const sc_map_options *o) SC_MUST_USE;

/** Score a given mapping as the mapper would (drain charged, array ramps, input_share). Where its
 *  factors pass a bound of `padded`, last iterations are smaller.
 *  @return SC_OK (a mapping that does not fit sets misfit); SC_EINVAL if it is not well formed. */
sc_status sc_map_score(sc_mapped *out, const sc_einsum *padded, const sc_arch *a,
                       const sc_mapping *m, const sc_map_options *o) SC_MUST_USE;

/** Cycles below which no mapping can run the op: MACs over the units that can work on it, and each
 *  tensor's compulsory bytes over the outermost level's bandwidth. */
double sc_map_lower_bound(const sc_einsum *e, const sc_arch *a, double input_share);

/** The same over every choice of what lies side by side, with the array's ramps and the first words
 *  of all lanes. @param sequential  as in sc_map_options. Cost: up to some milliseconds. */
double sc_map_tight_bound(const sc_einsum *e, const sc_arch *a, double input_share, int sequential);
#endif
