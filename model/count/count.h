#ifndef MODEL_COUNT_COUNT_H
#define MODEL_COUNT_COUNT_H
/**
 * The counting engine: exact accesses of every tensor at every level of one mapping, in closed
 * form. One engine for every design. See docs/algorithms/counting.md.
 */
#include "model/count/mapping.h"

typedef enum sc_links {
    SC_LINKS_NONE,     /* every child is served by its parent */
    SC_LINKS_TRUE,     /* neighbour forwarding, children at their true X, Y coordinates */
    SC_LINKS_REFERENCE /* numbered as the reference tool does (model.md section 3) */
} sc_links;

typedef struct sc_count_options {
    uint32_t version;
    bool reuse_pre_2025; /* a stationary step also counts as a stride (older reference rule) */
    sc_links links;
    bool charge_first_read; /* also read the output's initial zeros */
    bool charge_drain;      /* also charge the read that takes finished outputs out of a level */
    bool pad; /* factors past a bound are work like any other; else last iterations are smaller */
} sc_count_options;
#define SC_COUNT_OPTIONS_INIT                                                                      \
    {                                                                                              \
        1, false, SC_LINKS_NONE, false, false, false                                               \
    }

/** One tensor as the engine walks it. */
typedef struct sc_plan_tensor {
    uint16_t relevant; /* bit 1 << dimension */
    bool plain; /* every rank moves with one dimension: tiles of different indices are disjoint */
    bool dense; /* plain, coefficients 1, a dimension in one rank only: no gaps in any tile */
    uint8_t n_ranks;
    sc_rank rank[SC_MAX_RANKS];
} sc_plan_tensor;

/** What the engine takes from an einsum, made once for any number of mappings. */
typedef struct sc_count_plan {
    uint8_t n_dims, n_tensors, output;
    uint64_t bound[SC_MAX_DIMS];
    sc_plan_tensor tensor[SC_MAX_TENSORS];
} sc_count_plan;

/** Prepare. The einsum must pass sc_einsum_check; it is not kept. */
void sc_count_plan_init(sc_count_plan *p, const sc_einsum *e);

/** Accesses of one tensor at one level: average per used instance, in words. All 0 if bypassed. */
typedef struct sc_access {
    uint64_t tile; /* words of the largest tile one instance holds */
    uint64_t reads, fills, updates;
} sc_access;

typedef struct sc_counts {
    sc_access at[SC_MAX_LEVELS][SC_MAX_TENSORS];
    uint64_t used_instances[SC_MAX_LEVELS];
    uint64_t used_macs;      /* units that ever have work */
    uint64_t macs;           /* done; padding included with the option */
    uint64_t compute_cycles; /* steps in time with work: the temporal factors' product at most */
} sc_counts;

/** sc_count with the einsum prepared: the form for inner loops. Same result, errors and cost. */
sc_status sc_count_with(sc_counts *out, const sc_count_plan *p, const sc_arch *a,
                        const sc_mapping *m, const sc_count_options *o) SC_MUST_USE;

/**
 * Count. The mapping must pass sc_mapping_check; whether it fits is not looked at.
 * Factors that multiply to more than a bound make last iterations smaller, exactly; such mappings
 * are counted without links.
 * @return SC_OK; SC_ERANGE if a count passes 2^63 - 1; SC_EINVAL for a mapping with remainders in
 * three or more spatial loops along common ranks of a tensor (counting.md, Remainders).
 * Threads: safe. Allocates nothing. Cost: linear in loops x tensors, independent of the PEs; with
 * remainders about 40 times that, independent of iterations too.
 */
sc_status sc_count(sc_counts *out, const sc_einsum *e, const sc_arch *a, const sc_mapping *m,
                   const sc_count_options *o) SC_MUST_USE;

/** What the counts cost on the design. Energies are of the whole chip. */
typedef struct sc_cost {
    double cycles;    /* max over levels and compute, whole number */
    double energy_pj; /* storage, MACs and leakage */
    double mac_pj;
    double level_cycles[SC_MAX_LEVELS]; /* what each level's bandwidth alone allows */
    double tensor_pj[SC_MAX_LEVELS][SC_MAX_TENSORS];
    double leak_pj[SC_MAX_LEVELS];
    int bound; /* level that sets the time, -1 = compute */
} sc_cost;

/**
 * Time and energy of counts: per level usage = accesses / cycles against its bandwidths, slowdown,
 * ceil; energy = block accesses * energy a block * used instances (model.md section 3).
 * @param compute_cycles  cycles of the MACs alone (counts->compute_cycles, or more with array
 * ramps).
 */
void sc_cost_of(sc_cost *out, const sc_counts *c, double compute_cycles, const sc_einsum *e,
                const sc_arch *a);
#endif
