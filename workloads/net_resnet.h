#ifndef WORKLOADS_NET_RESNET_H
#define WORKLOADS_NET_RESNET_H
/** Bottleneck ResNets, whole or as the backbone of another network. */
#include "workloads/net.h"

enum { SC_RESNET_STAGES = 4 };

typedef struct sc_resnet {
    uint64_t repeats[SC_RESNET_STAGES];
    uint64_t stride[SC_RESNET_STAGES];   /* of a stage's first block */
    uint64_t dilation[SC_RESNET_STAGES]; /* of its 3x3 convs */
    bool stride_first; /* v1: the stride stands in the first 1x1, not in the 3x3 */
    bool preactivated; /* v2: batch norm before each conv instead of after it */
} sc_resnet;

/** Append stem and stages to image x. @param[out] ends result of each stage. */
void sc_net__resnet_stages(sc_net *n, int32_t ends[SC_RESNET_STAGES], int32_t x,
                           const sc_resnet *cfg);
#endif
