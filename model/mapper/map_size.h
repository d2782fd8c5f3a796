#ifndef MODEL_MAPPER_MAP_SIZE_H
#define MODEL_MAPPER_MAP_SIZE_H
/** How many mappings an op has on a chain of levels. */
#include "core/json.h"
#include "model/count/constraints.h"
#include "scantle/error.h"

/** A number of mappings. */
typedef struct sc_map_size {
    bool counted;   /* false: more work than is spent on it; the rest is 0 */
    bool exact;     /* below 2^63: count is it */
    uint64_t count; /* exact only */
    double value;   /* the number, to some parts in 10^13 where it is not exact */
} sc_map_size;

typedef struct sc_map_size_options {
    const sc_map_constraints *constraints; /* NULL: none */
    bool arrays; /* a systolic array lays dimensions where its dataflows do; its registers keep the
                    tensor that stays and have no loops */
    int sequential; /* 1 + a dimension that is only the outermost loop in time; 0 = none */
} sc_map_size_options;

/**
 * Count the mappings of perfect factors: all ways to write each bound as a product over the
 * temporal and spatial blocks, times the orders of the loops above 1 of each temporal block, times
 * the ways to lay those of each spatial block as one list along X and one along Y that the children
 * have room for, times the sets of tensors that each level but the outermost may keep. Constraints
 * are obeyed. Capacities are not looked at. Page exact_mapper.md, "Size of the map space".
 * @param o  NULL: no constraints, no array.
 * @return SC_OK; SC_ERANGE for a dimension or a lattice of tiles that sc_exact_map() refuses;
 *         SC_ENOMEM.
 * Threads: safe. Cost: levels * tiles * (dimensions * divisors + shapes of children); some ms, at
 * most some 0.3 s.
 */
sc_status sc_map_size_of(sc_map_size *out, const sc_einsum *e, const sc_arch *a,
                         const sc_map_size_options *o) SC_MUST_USE;

enum { SC_MAP_SIZE_TEXT = 32 };
/** "1234", "1.23e+45", or "too many to count". */
const char *sc_map_size_text(char out[SC_MAP_SIZE_TEXT], const sc_map_size *s);

/** `{"mappings", "exact"}`, an integer where it is exact and else a real; null where it was not
 *  counted. @param[in,out] ok  cleared when out of memory. */
json_t *sc_map_size_json(const sc_map_size *s, bool *ok);
#endif
