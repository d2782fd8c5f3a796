#ifndef MODEL_MAPPER_LIMITS_FIT_H
#define MODEL_MAPPER_LIMITS_FIT_H
/** Does any mapping of the heuristic mapper's kind (padded factors, the array's dataflows) obey? */
#include "model/mapper/blocker.h"

/**
 * Smallest factors everywhere: tiles only grow with them, so if these do not fit none do. Where the
 * outermost level may not take all steps that are left, every least way to give them to the other
 * blocks is tried.
 * @param s  e, arch, limits, sequential and any_place are read; fits, decided and mapping filled.
 * @return SC_OK. Cost: at most 2^14 mappings, some 10 ms, then it gives up. Allocates nothing.
 */
sc_status sc_limits_look(sc_blocked *s) SC_MUST_USE;
#endif
