#ifndef MODEL_MAPPER_ARRAY_SYMMETRY_H
#define MODEL_MAPPER_ARRAY_SYMMETRY_H
/** Inside the exact mapper of systolic arrays: dimensions of an op that can change places, such as
 * a convolution's height and width with their taps. Rule D5 of docs/algorithms/array_mapper.md. */
#include <stdbool.h>

#include "workloads/einsum.h"

enum { SC_ARRAY_SWAPS = 16 };

/** Ways to rename dimensions after which the op is the same; each is its own inverse. */
typedef struct sc_swaps {
    unsigned n;
    uint8_t to[SC_ARRAY_SWAPS][SC_MAX_DIMS];
} sc_swaps;

/** Find those that exchange one or two pairs of dimensions. More than there is room for are left
 *  out. */
void sc_swaps_find(sc_swaps *s, const sc_einsum *e);

/**
 * Whether choices stand for all that renaming makes of them: none comes before them in the order of
 * the dimensions order[0], order[1], ... Of choices that renaming exchanges the first one does.
 * @param choice [n_dims] @param n_known  of order[], decided: what is open excludes nothing.
 */
bool sc_swaps_first(const sc_swaps *s, const uint16_t *choice, const unsigned *order,
                    unsigned n_known);
#endif
