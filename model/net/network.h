#ifndef MODEL_NET_NETWORK_H
#define MODEL_NET_NETWORK_H
/** A network prepared for many designs: one batch size, ops of equal shape folded into one. */
#include <stdbool.h>

#include "model/arch/template.h"
#include "model/net/memo.h"
#include "model/net/memory.h"
#include "model/net/op_cost.h"
#include "scantle/evaluate.h"

typedef struct sc_network sc_network;

/** Batch to run: the wanted one, or for 0 the design's native batch times the workload's own.
 *  @return SC_OK; SC_ERANGE past 2^64. */
sc_status sc_network_batch(uint64_t *out, const sc_arch *a, const sc_workload *w,
                           uint64_t wanted) SC_MUST_USE;

/** Prepare. The workload is copied: it may be destroyed. Cost: O(ops). */
sc_status sc_network_create(sc_network **out, const sc_workload *w, uint64_t batch) SC_MUST_USE;
void sc_network_destroy(sc_network *n); /* NULL is fine */
const sc_workload *sc_network_workload(const sc_network *n);
size_t sc_network_unique(const sc_network *n);
/** Index among the unique ops of op i of the workload. */
size_t sc_network_unique_of(const sc_network *n, size_t op);
/** Op whose result lanes in line hand to this op on its way out of the array (op.passed_elems); -1
 * = none. */
int32_t sc_network_passed_from(const sc_network *n, size_t op);

/** Where the energy of one batch goes, J. compute_j plus the levels in order, plus (clock_j +
 *  leakage_j), is metrics.energy_j to the last bit. */
typedef struct sc_energy_parts {
    double compute_j; /* MACs and lanes */
    double level_j[SC_MAX_LEVELS];
    double clock_j;   /* clock and control: a share of the dynamic energy */
    double leakage_j; /* leakage and idle clock over the latency */
} sc_energy_parts;

typedef struct sc_network_result {
    bool feasible;
    size_t misfit_op; /* first op, in execution order, that cannot run; with its misfit */
    sc_misfit misfit; /* code SC_FITS: every op runs */
    sc_memory_need memory;
    double over_memory_bytes; /* above 0: the main memory cannot hold it */
    double over_area_mm2;     /* above 0: the chip is larger than its template allows */
    sc_metrics metrics;       /* NaN but area and TDP where infeasible */
    sc_energy_parts energy;
} sc_network_result;

struct sc_fused;
struct sc_cascades;
struct sc_tiles;

typedef struct sc_network_options {
    sc_memo *memo;       /* NULL: none */
    uint64_t map_budget; /* 0 = the mapper's default */
    uint64_t map_nodes;  /* of its exact search; 0 = none */
    sc_rules rules;
    int threads;            /* 0 = all cores */
    bool stop_at_misfit;    /* skip the ops after one that cannot run, all of them where the main
                               memory is too small: enough for a search */
    struct sc_fused *fused; /* of this network: with fusion on, what it did is left there; NULL: not
                               asked for */
    struct sc_cascades *cascades; /* the same for attention as cascades */
    struct sc_tiles *tiles;       /* the same for groups of ops in tiles */
} sc_network_options;

/**
 * Cost of the network on a design. Deterministic for any thread count and memo.
 * @param[out] cost  [sc_network_unique(n)]; not set for ops that were skipped.
 * @return SC_OK, also when infeasible; SC_ERANGE.
 */
sc_status sc_network_cost(sc_network_result *out, sc_op_cost *cost, const sc_network *n,
                          const sc_arch *a, const sc_budget *budget,
                          const sc_network_options *o) SC_MUST_USE;
#endif
