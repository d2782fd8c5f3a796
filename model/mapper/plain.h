#ifndef MODEL_MAPPER_PLAIN_H
#define MODEL_MAPPER_PLAIN_H
/** One mapping by a fixed rule, as schedules were made before they were searched for: weights stay,
 * the batch lies over the cores, tiles fill the buffers. docs/algorithms/plain_mapping.md. */
#include "model/mapper/array.h"

/**
 * @param[out] m   the mapping; n_levels = 0 if the array has no dataflow that keeps a tensor of the
 *                 op. Undefined where it does not fit.
 * @param divisors no dimension is padded: factors divide the bounds.
 * @return SC_FITS, or the level and tensor that do not fit at the smallest tile.
 * Threads: safe. Allocates nothing. Cost: microseconds.
 */
sc_misfit sc_plain_mapping(sc_mapping *m, const sc_einsum *e, const sc_arch *a, bool divisors);
#endif
