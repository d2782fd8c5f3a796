#ifndef MODEL_NET_MAP_RESULT_H
#define MODEL_NET_MAP_RESULT_H
#include "core/mem.h"
#include "core/yaml.h"
#include "model/mapper/mapper.h"
#include "scantle/map.h"

typedef struct sc_mapped_op {
    const char *name;
    uint64_t macs;
    sc_mapped mapped;
    double cycles; /* total_cycles, or what the calibration says */
    bool calibrated;
} sc_mapped_op;

struct sc_map_result {
    sc_arena *arena;
    const char *spec, *workload;
    uint64_t batch;
    sc_arch arch;
    size_t n_ops;
    sc_mapped_op *ops; /* [n_ops] */
};

/** Read the YAML form of a mapping for this op and design: levels by name, factors by dimension.
 * The padded bounds are the products of the factors; a product below the bound is an error. Faults
 * are recorded in the document. @return false if any was. */
bool sc_mapping_read(sc_mapping *out, sc_einsum *padded, const sc_node *root, const sc_einsum *e,
                     const sc_arch *a);

/** Write it; reads back equal. */
sc_status sc_mapping_write(char **out, const sc_mapped *m, const sc_arch *a,
                           const char *op) SC_MUST_USE;
#endif
