#ifndef MODEL_COUNT_REFERENCE_CONSTRAINTS_H
#define MODEL_COUNT_REFERENCE_CONSTRAINTS_H
/** Inside the counting room: what the reference tool's files ask of a mapping. */
#include "model/arch/arch.h"
#include "model/count/reference_factors.h"

/** What is asked of one block of loops. */
typedef struct sc_reference_rule {
    sc_reference_factor factor[SC_MAX_DIMS];
    unsigned named; /* of order, innermost first; the rest may stand anywhere outside */
    uint8_t order[SC_MAX_DIMS];
    bool has_split;
    uint64_t split;
} sc_reference_rule;

typedef struct sc_reference_constraints {
    unsigned n; /* directives read */
    sc_reference_rule temporal[SC_MAX_LEVELS], spatial[SC_MAX_LEVELS];
    uint8_t keep[SC_MAX_LEVELS], bypass[SC_MAX_LEVELS]; /* bit 1 << tensor */
} sc_reference_constraints;

/**
 * Add the directives of one section: a list of {target, type, factors, permutation, split, keep,
 * bypass}, such a list under `targets` or `constraints`, or a name there that chooses a list
 * `constraints_NAME`. A later directive adds to what an earlier one asked; contradictions,
 * unknown targets, dimensions and tensors, and factors above the bound are recorded.
 */
void sc_reference_constraints_add(sc_reference_constraints *c, const sc_node *section,
                                  const sc_reference_dims *dims, const sc_arch *a);

/** Add the `constraints` of the components and containers of an architecture: {temporal, spatial,
 *  dataspace}. */
void sc_reference_constraints_of(sc_reference_constraints *c, const sc_node *architecture,
                                 const sc_reference_dims *dims, const sc_arch *a);
#endif
