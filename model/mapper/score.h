#ifndef MODEL_MAPPER_SCORE_H
#define MODEL_MAPPER_SCORE_H
/** What one mapping of one op costs: counts, bandwidths, array ramps and the first fill. */
#include "model/mapper/mapper.h"

/** An op on a design, prepared for any number of mappings. */
typedef struct sc_scorer {
    const sc_einsum *e;
    const sc_arch *a;
    sc_count_plan plan;
    double input_share; /* as in sc_map_options */
    int sequential;     /* dimension, -1 = none */
    bool clip; /* factors past a bound make last iterations smaller; else they are padding, which
                  is counted: the default */
} sc_scorer;

void sc_scorer_init(sc_scorer *s, const sc_einsum *e, const sc_arch *a, const sc_map_options *o);

/** Cycles of the MACs with array ramps: no mapping with these factors and orders is faster. Costs a
 *  small part of sc_score. */
double sc_score_floor(const sc_scorer *s, const sc_mapping *m);

/** Extents [n_dims] of what must have come from the outermost level before the grid can start: the
 *  working set of everything below its loops, the innermost buffers' tiles across the whole grid;
 *  with `clip` no more than the bounds. */
void sc_score_first_extents(uint64_t *extent, const sc_einsum *e, const sc_arch *a,
                            const sc_mapping *m, bool clip);

/** Fill counts, cost, compute_cycles, prefill_cycles and total_cycles of *out, which keeps its
 *  other members. Whether the mapping fits is not looked at. @return SC_OK; SC_ERANGE. */
sc_status sc_score(sc_mapped *out, const sc_scorer *s, const sc_mapping *m) SC_MUST_USE;
#endif
