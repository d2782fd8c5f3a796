/*
 * ResNet-50: v1 (He et al., CVPR 2016, doi:10.1109/CVPR.2016.90), v1.5 (the stride in the 3x3, as
 * in most libraries) and v2 (He et al., ECCV 2016, doi:10.1007/978-3-319-46493-0_38).
 */
#include "workloads/net_resnet.h"

enum { RESOLUTION = 224, CLASSES = 1000, STEM = 64, EXPANSION = 4 };

/* A conv with its norm: after it, or before it where that is not done for it already. */
static int32_t add_conv(sc_net *n, const char *name, int32_t x, uint64_t channels, uint64_t kernel,
                        uint64_t stride, uint64_t dilation, unsigned norm)
{
    const uint64_t pad = (kernel - 1) / 2 * dilation;
    const sc_input_ref ref = {.producer = x};
    return sc_net_add(n, &(sc_op_spec){.name = name,
                                       .kind = SC_OP_CONV,
                                       .n_inputs = 1,
                                       .inputs = &ref,
                                       .channels = channels,
                                       .kernel = {0, kernel, kernel},
                                       .stride = {0, stride, stride},
                                       .dilation = {0, dilation, dilation},
                                       .pad = {0, pad, pad, 0, pad, pad},
                                       .batch_norm = norm & SC_NET_BN,
                                       .input_norm = norm & SC_NET_INPUT_BN});
}

static int32_t add_block(sc_net *n, int32_t x, uint64_t width, uint64_t stride, uint64_t dilation,
                         bool project, const sc_resnet *cfg)
{
    const unsigned norm = cfg->preactivated ? SC_NET_INPUT_BN : SC_NET_BN;
    const uint64_t first = cfg->stride_first ? stride : 1, second = stride / first;
    int32_t skip = x;
    int32_t y = add_conv(n, "a", x, width, 1, first, 1, norm);
    y = add_conv(n, "b", y, width, 3, second, dilation, norm);
    y = add_conv(n, "c", y, EXPANSION * width, 1, 1, 1, norm);
    if (project) /* preactivated: it reads what block's first norm gives, counted with "a" */
        skip = add_conv(n, "proj", x, EXPANSION * width, 1, stride, 1,
                        cfg->preactivated ? 0 : SC_NET_BN);
    return sc_net_op(n, "add", SC_OP_ADD, NULL, y, skip);
}

void sc_net__resnet_stages(sc_net *n, int32_t ends[SC_RESNET_STAGES], int32_t x,
                           const sc_resnet *cfg)
{
    x = sc_net_conv(n, "conv1", x, STEM, 7, 2,
                    SC_NET_CENTRED | (cfg->preactivated ? 0 : SC_NET_BN));
    x = sc_net_max_pool(n, "maxpool", x, 3, 2, SC_NET_CENTRED);
    for (int s = 0; s < SC_RESNET_STAGES; s++) {
        for (uint64_t r = 0; r < cfg->repeats[s]; r++) {
            sc_net_prefix(n, "s%d_%u_", s + 2, (unsigned)r);
            x = add_block(n, x, (uint64_t)STEM << s, r ? 1 : cfg->stride[s], cfg->dilation[s],
                          r == 0, cfg);
        }
        ends[s] = x;
    }
    sc_net_prefix(n, "%s", "");
}

static void build(sc_net *n, const void *table)
{
    const sc_resnet *cfg = table;
    int32_t ends[SC_RESNET_STAGES];
    int32_t x = sc_net_input(n, "image", (sc_shape){3, 1, RESOLUTION, RESOLUTION});
    sc_net__resnet_stages(n, ends, x, cfg);
    x = sc_net_global_pool(n, "gap", ends[SC_RESNET_STAGES - 1],
                           cfg->preactivated ? SC_NET_INPUT_BN : 0);
    sc_net_fc(n, "fc", x, CLASSES, SC_NET_BIAS);
}

static const sc_resnet v1 = {{3, 4, 6, 3}, {1, 2, 2, 2}, {1, 1, 1, 1}, true, false};
static const sc_resnet v1_5 = {{3, 4, 6, 3}, {1, 2, 2, 2}, {1, 1, 1, 1}, false, false};
static const sc_resnet v2 = {{3, 4, 6, 3}, {1, 2, 2, 2}, {1, 1, 1, 1}, false, true};

const sc_generator sc_net_resnets[] = {
    {"resnet50",
     "ResNet-50 v1.5 (stride in the 3x3), 224 x 224; He et al. 2016, "
     "doi:10.1109/CVPR.2016.90",
     NULL, 0, build, &v1_5},
    {"resnet50-v1",
     "ResNet-50 v1 (stride in the first 1x1), 224 x 224; He et al. 2016, "
     "doi:10.1109/CVPR.2016.90",
     NULL, 0, build, &v1},
    {"resnet50-v2",
     "ResNet-50 v2 (pre-activation), 224 x 224; He et al. 2016, "
     "doi:10.1007/978-3-319-46493-0_38",
     NULL, 0, build, &v2},
    {NULL, NULL, NULL, 0, NULL, NULL},
};
