#ifndef MODEL_MAPPER_FOOTPRINT_H
#define MODEL_MAPPER_FOOTPRINT_H
/** Sizes of tiles while a mapping is still being built: doubles, so that no estimate can overflow.
 */
#include "model/count/mapping.h"

/** Words of a tensor's bounding box for these extents [n_dims]; exact below 2^53. */
double sc_footprint_words(const sc_tensor *t, const uint64_t *extent);

/** Words that some point of these extents [n_dims] names, gaps between windows left out: no tiling
 *  moves fewer. Exact where ranks have at most two terms, else never too many. */
double sc_footprint_touched(const sc_tensor *t, const uint64_t *extent);

/** The same of one rank. */
double sc_footprint_places(const sc_rank *r, const uint64_t *extent);

/** Largest number that divides both; of 0 and x, x. */
uint64_t sc_footprint_gcd(uint64_t a, uint64_t b);

/** What so many words of the tensor take at the level, in the unit the level counts in. */
double sc_footprint_units(const sc_level *level, const sc_tensor *t, double words);

/** Whether tiles of these extents fit one instance, for the tensors in keep (bit 1 << tensor).
 *  @return SC_FITS or SC_MISFIT_CAPACITY with level, tensor (-1: shared buffer), need and have. */
sc_misfit sc_footprint_fit(const sc_arch *a, int level, const sc_einsum *e, uint8_t keep,
                           const uint64_t *extent);

/** Tensors (bit 1 << tensor) that the level may keep, by role. */
uint8_t sc_keepable(const sc_level *level, const sc_einsum *e);
#endif
