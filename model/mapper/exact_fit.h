#ifndef MODEL_MAPPER_EXACT_FIT_H
#define MODEL_MAPPER_EXACT_FIT_H
/** Inside the exact mapper: does any mapping fit? Asked without regard to what it costs. */
#include "model/mapper/exact.h"

/** Whether the map space holds a mapping. */
typedef struct sc_fit {
    bool fits, decided; /* decided: not given up after too many tiles; else fits is false */
    sc_mapping mapping; /* one that fits, and keeps no more than it must */
} sc_fit;

/**
 * Walk the tiles that each level can have, from the inside out, each once. What a level keeps
 * beyond its duty, and the order of its loops, never help to fit, and are not walked.
 * @param limits  NULL: none.
 * @return as sc_exact_map. Cost: at most 2^18 tiles, some 50 ms, then it gives up.
 */
sc_status sc_fit_any(sc_fit *out, const sc_einsum *e, const sc_arch *a,
                     const sc_map_constraints *limits) SC_MUST_USE;
#endif
