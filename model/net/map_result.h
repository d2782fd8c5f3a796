#ifndef MODEL_NET_MAP_RESULT_H
#define MODEL_NET_MAP_RESULT_H
#include "core/mem.h"
#include "core/yaml.h"
#include "model/count/view.h"
#include "model/mapper/map_size.h"
#include "model/mapper/mapper.h"
#include "scantle/map.h"

typedef struct sc_mapped_op {
    const char *name;
    uint64_t macs;
    uint64_t bound[SC_MAX_DIMS]; /* of the op, unpadded */
    sc_mapped mapped;
    sc_certificate certificate; /* seconds NaN unless the request asks for them */
    double cycles;              /* total_cycles, or what the calibration says */
    bool calibrated;
    sc_blocker *blocker; /* [SC_MAX_BLOCKERS], with constraints: what rules out all mappings */
    unsigned n_blockers; /* 0 under SC_MISFIT_CONSTRAINTS: too many mappings to tell */
} sc_mapped_op;

struct sc_map_result {
    sc_arena *arena;
    const char *spec, *workload;
    uint64_t batch;
    sc_arch arch;
    size_t n_ops;
    sc_mapped_op *ops; /* [n_ops] */
    bool sized;        /* where one op is mapped: */
    sc_map_size size;  /* mappings of perfect factors, capacities aside */
};

/** The op as people are shown it; it fits. The view borrows from both. */
void sc_mapped_op_view(sc_mapping_view *out, const sc_map_result *r, const sc_mapped_op *op);

/** Read the YAML form of a mapping for this op and design: levels by name, factors by dimension.
 * The padded bounds are the products of the factors, but of the dimensions under `clip` the op's
 * own: there last iterations are smaller. A product below the bound is an error, and an outermost
 * loop with idle iterations under `clip`. Faults are recorded in the document. @return false if any
 * was. */
bool sc_mapping_read(sc_mapping *out, sc_einsum *padded, const sc_node *root, const sc_einsum *e,
                     const sc_arch *a);

/** The same of one entry of a file with the mappings of many ops. */
bool sc_mapping_read_entry(sc_mapping *out, sc_einsum *padded, const sc_node *entry,
                           const sc_einsum *e, const sc_arch *a);

/** Whether a file holds the mappings of many ops; else it is one mapping. */
bool sc_mapping_is_set(const sc_node *root);

/**
 * The mapping of each op in a file. An op without one, one that stands twice and an entry of no op
 * are recorded in the document.
 * @param[out] entry   [n_ops]: root itself, of a file of one mapping; NULL where an op has none.
 * @param      ops     [n_ops], of the workload; only names are read.
 * @param      others  whether the file may hold mappings of more ops.
 * @return false if there is nothing to go on with, after recording why. Cost: O(n_ops) where
 *         entries stand in the order of the ops.
 */
bool sc_mapping_entries(const sc_node **entry, const sc_node *root, const sc_mapped_op *ops,
                        size_t n_ops, bool others);

/** Do the factors of a dimension pass its padded bound, so that last iterations are smaller? */
bool sc_mapped_clips(const sc_mapped *m, int dim);

/** Write it; reads back equal. */
sc_status sc_mapping_write(char **out, const sc_mapped *m, const sc_arch *a,
                           const char *op) SC_MUST_USE;
/** Write those of all ops, which fit, into one file. */
sc_status sc_mapping_write_set(char **out, const sc_map_result *r) SC_MUST_USE;
#endif
