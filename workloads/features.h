#ifndef WORKLOADS_FEATURES_H
#define WORKLOADS_FEATURES_H
/** What the op graph of networks says in a few numbers, without a simulation: the context by which
 * a surrogate tells networks apart, and knows one that was never logged. */
#include <stddef.h>

#include "scantle/workload.h"

enum { SC_NETWORK_FEATURES = 14 };

/** Name of feature i, "net_macs" ...; docs/formats/study_log.md says what each is. */
const char *sc_network_feature_name(size_t i);

/** Features of n >= 1 networks taken as one: counts add up, shares and means are over all ops. NaN
 *  for what is not defined: shapes of networks without a multiply-accumulate. Cost: O(ops). */
void sc_network_features(double out[SC_NETWORK_FEATURES], const sc_workload *const *network,
                         size_t n);
#endif
