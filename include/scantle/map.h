#ifndef SCANTLE_MAP_H
#define SCANTLE_MAP_H
/**
 * @file scantle/map.h
 * @brief How each op of a network runs on a design: the mapping found, or the score of a given one.
 */
#include "scantle/design.h"
#include "scantle/workload.h"
#ifdef __cplusplus
extern "C" {
#endif

typedef struct sc_map_request {
    uint32_t version;
    const char *op;      /**< this op alone; NULL = every MAC op */
    const char *mapping; /**< YAML file to score instead of searching; NULL = search; needs `op` */
    uint64_t batch;      /**< 0 = the design's native batch times the workload's own */
    uint64_t map_budget; /**< exact evaluations an op, 0 = the default */
    int threads;         /**< 0 = all cores; the result does not depend on it */
} sc_map_request;
#define SC_MAP_REQUEST_INIT                                                                        \
    {                                                                                              \
        1, 0, 0, 0, 0, 0                                                                           \
    }

typedef struct sc_map_result sc_map_result;

/**
 * Map the MAC ops of a network. A pure function of its arguments, bitwise the same for any threads.
 * @return SC_OK, also when an op does not fit (its row says why); SC_ENOTFOUND for an unknown op
 * (with a suggestion); SC_EINVAL; SC_EPARSE for a faulty mapping file; SC_ERANGE; SC_ENOMEM.
 */
SC_API sc_status sc_map_network(sc_map_result **out, const sc_design *d, const sc_workload *w,
                                const sc_map_request *request) SC_MUST_USE;
SC_API void sc_map_result_destroy(sc_map_result *r);       /**< NULL is fine */
SC_API int sc_map_result_feasible(const sc_map_result *r); /**< every op fits */

/** `{"design","workload","batch","feasible","op_list":[{"name","feasible","reasons","cycles",
 *  "lower_bound","gap","utilization","energy_pj","dataflow","mapping":[...]}]}` */
SC_API sc_status sc_map_result_json(char **out, const sc_map_result *r) SC_MUST_USE;
/** Readable loops, op by op: levels outermost first, tile sizes, utilisation, gap to the bound. */
SC_API sc_status sc_map_result_text(char **out, const sc_map_result *r) SC_MUST_USE;
/** The mapping of the i-th mapped op in the YAML form of docs/formats/mapping.md; scoring it again
 *  gives the same figures. SC_EINVAL past the end or where nothing fits. */
SC_API sc_status sc_map_result_yaml(char **out, const sc_map_result *r, size_t i) SC_MUST_USE;
#ifdef __cplusplus
}
#endif
#endif
