#ifndef SCANTLE_MAP_H
#define SCANTLE_MAP_H
/**
 * @file scantle/map.h
 * @brief How each op of a network runs on a design: the mapping found, or the score of a given one.
 */
#include "scantle/design.h"
#include "scantle/rules.h"
#include "scantle/workload.h"
#ifdef __cplusplus
extern "C" {
#endif

typedef struct sc_map_request {
    uint32_t version;
    const char *op; /**< this op alone; NULL = every MAC op */
    /** YAML file to score instead of searching; NULL = search. Without `op` a file of one mapping
     *  is scored for the op it names; one of many must have every op and no other. */
    const char *mapping;
    uint64_t batch;      /**< 0 = the design's native batch times the workload's own */
    uint64_t map_budget; /**< exact evaluations an op, 0 = the default */
    int threads;         /**< 0 = all cores; the result does not depend on it */
    int timing;          /**< not 0: texts also say how long each op took, so they then differ
                              from run to run */
    /** YAML file of what every mapping must obey (docs/formats/constraints.md), for a search: every
     *  op that is mapped has the dimensions and tensors it names; NULL = none. */
    const char *constraints;
    uint64_t map_nodes; /**< then search on for a proof, so many partial mappings an op at most
                             (docs/algorithms/array_mapper.md); 0 = do not */
    sc_rules rules;     /**< of mapping and padding, for a search; constraints need its defaults */
} sc_map_request;
#define SC_MAP_REQUEST_INIT                                                                        \
    {                                                                                              \
        1, 0, 0, 0, 0, 0, 0, 0, 0, SC_RULES_INIT                                                   \
    }

/** Why a search for a proof (map_nodes) leaves all as it is on a design under rules, as words that
 *  follow "has no effect"; NULL: it may have one. Threads: safe. */
SC_API const char *sc_map_nodes_idle(const sc_design *d, const sc_rules *rules);

typedef struct sc_map_result sc_map_result;

/**
 * Map the MAC ops of a network. A pure function of its arguments, bitwise the same for any threads.
 * @return SC_OK, also when an op does not fit (its row says why: under constraints a smallest set
 * of limits that rule out every mapping); SC_ENOTFOUND for an unknown op (with a suggestion);
 * SC_EINVAL; SC_EPARSE for a faulty mapping or constraint file; SC_ERANGE; SC_ENOMEM.
 */
SC_API sc_status sc_map_network(sc_map_result **out, const sc_design *d, const sc_workload *w,
                                const sc_map_request *request) SC_MUST_USE;
SC_API void sc_map_result_destroy(sc_map_result *r);       /**< NULL is fine */
SC_API int sc_map_result_feasible(const sc_map_result *r); /**< every op fits */

/** `{"design","workload","batch","feasible","map_space":{"mappings","exact"},
 *  "op_list":[{"name","feasible","reasons":[{"code","where","need","have","excess"}],"cycles",
 *  "lower_bound","gap","optimal","utilization","energy_pj","dataflow","evaluations",
 *  "mapping":[{"level","tile_words","temporal","x","y","instances","used_instances","cycles",
 *  "energy_pj","tensors":[{"name","tile_words","tile_bytes","capacity_share","reads","fills",
 *  "updates","loads","reuse","energy_pj"}]}],"padding":{"share","dims":[{"dim","size","padded"}]},
 *  "clip":[...]}]}`; padding: of the MACs done, and the dimensions that are padded; clip:
 * dimensions whose last iterations are smaller, left out if there are none; counts are of one used
 * instance. With timing also "seconds" of each op. map_space, where one op is mapped: the mappings
 * of perfect factors, capacities aside; null where they are too many to count. */
SC_API sc_status sc_map_result_json(char **out, const sc_map_result *r) SC_MUST_USE;
/** Op by op: cycles, gap to the bound or "optimal", utilisation, energy; the loops of every level,
 *  outermost first, with its tiles in words. */
SC_API sc_status sc_map_result_text(char **out, const sc_map_result *r) SC_MUST_USE;
/** The same with all that is known of a level: use, cycles, energy, and of each tensor its tile in
 *  words and bytes, the share of the capacity, how often it is loaded and its reuse. */
SC_API sc_status sc_map_result_loops(char **out, const sc_map_result *r) SC_MUST_USE;
/** The mapping of the i-th mapped op in the YAML form of docs/formats/mapping.md; scoring it again
 *  gives the same figures. SC_EINVAL past the end or where nothing fits. */
SC_API sc_status sc_map_result_yaml(char **out, const sc_map_result *r, size_t i) SC_MUST_USE;
/** The mappings of all ops in one file. SC_EINVAL where one does not fit. */
SC_API sc_status sc_map_result_yaml_all(char **out, const sc_map_result *r) SC_MUST_USE;
/** The i-th mapped op as an SVG, 1000 px wide: levels, loops, tiles against capacities, and what
 *  moves between them. SC_EINVAL past the end or where nothing fits. */
SC_API sc_status sc_map_result_picture(char **svg, const sc_map_result *r, size_t i) SC_MUST_USE;
#ifdef __cplusplus
}
#endif
#endif
