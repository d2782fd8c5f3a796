#ifndef MODEL_NET_FUSION_SPARE_H
#define MODEL_NET_FUSION_SPARE_H
/** Room that saves no time may still save traffic. */
#include "model/net/fusion.h"

/**
 * Add to a feasible choice what moves fewer bytes to and from the main memory and makes no step
 * slower: writes that nobody needs, whole activations in order, then weights by bytes spared a byte
 * pinned. Greedy.
 * @return SC_OK; SC_ENOMEM. Cost: O(steps * lines + live ranges + weights * log(weights)).
 */
sc_status sc_fusion_spare(sc_fusion_choice *c, const sc_fusion_problem *p) SC_MUST_USE;
#endif
