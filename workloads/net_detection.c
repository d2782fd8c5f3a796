/*
 * Detection and segmentation, by our own reading (docs/networks.md): SSD300 on VGG-16 (Liu et al.,
 * ECCV 2016, doi:10.1007/978-3-319-46448-0_2), the ResNet-50-FPN backbone of Mask R-CNN (He et al.,
 * ICCV 2017, doi:10.1109/ICCV.2017.322; Lin et al., CVPR 2017, doi:10.1109/CVPR.2017.106) and
 * DeepLabv3+ on ResNet-101 (Chen et al., ECCV 2018, doi:10.1007/978-3-030-01234-2_49).
 */
#include "workloads/net_resnet.h"

enum { COCO_CLASSES = 91, VOC_CLASSES = 21, PYRAMID = 256 };

static int32_t resize_to(sc_net *n, const char *name, const char *function, int32_t x, uint64_t h,
                         uint64_t w)
{
    const sc_input_ref ref = {.producer = x};
    return sc_net_add(n, &(sc_op_spec){.name = name,
                                       .kind = SC_OP_RESIZE,
                                       .function = function,
                                       .n_inputs = 1,
                                       .inputs = &ref,
                                       .shape = {.h = h, .w = w}});
}

static int32_t dilated_conv(sc_net *n, const char *name, int32_t x, uint64_t channels,
                            uint64_t dilation, unsigned flags)
{
    const sc_input_ref ref = {.producer = x};
    return sc_net_add(n, &(sc_op_spec){.name = name,
                                       .kind = SC_OP_CONV,
                                       .n_inputs = 1,
                                       .inputs = &ref,
                                       .channels = channels,
                                       .kernel = {0, 3, 3},
                                       .dilation = {0, dilation, dilation},
                                       .padding = SC_PAD_SAME,
                                       .batch_norm = flags & SC_NET_BN,
                                       .bias = flags & SC_NET_BIAS});
}

/* VGG-16 up to conv5_3 and the layers that replace its classifier; maps[0], maps[1] are read by
 * the predictors. */
static int32_t add_vgg(sc_net *n, int32_t x, int32_t maps[])
{
    static const struct {
        unsigned convs;
        uint64_t channels;
    } groups[] = {{2, 64}, {2, 128}, {3, 256}, {3, 512}, {3, 512}};
    for (unsigned g = 0; g < 5; g++) {
        for (unsigned c = 0; c < groups[g].convs; c++) {
            sc_net_prefix(n, "conv%u_%u", g + 1, c + 1);
            x = sc_net_conv(n, "", x, groups[g].channels, 3, 1, SC_NET_BIAS);
        }
        sc_net_prefix(n, "%s", "");
        if (g == 3) /* L2 norm with a scale a channel */
            maps[0] = sc_net_op(n, "conv4_3_norm", SC_OP_RMSNORM, NULL, x, SC_NET_NONE);
        sc_net_prefix(n, "pool%u", g + 1);
        x = sc_net_max_pool(n, "", x, g < 4 ? 2 : 3, g < 4 ? 2 : 1, 0);
    }
    sc_net_prefix(n, "%s", "");
    x = dilated_conv(n, "fc6", x, 1024, 6, SC_NET_BIAS);
    return maps[1] = sc_net_conv(n, "fc7", x, 1024, 1, 1, SC_NET_BIAS);
}

static void build_ssd(sc_net *n, const void *table)
{
    static const struct {
        uint64_t narrow, channels, stride;
    } extras[] = {{256, 512, 2}, {128, 256, 2}, {128, 256, 1}, {128, 256, 1}};
    static const uint64_t boxes[] = {4, 6, 6, 6, 4, 4}; /* default boxes a position */
    enum { MAPS = 6 };
    int32_t maps[MAPS];
    (void)table;
    int32_t x = add_vgg(n, sc_net_input(n, "image", (sc_shape){3, 1, 300, 300}), maps);
    for (unsigned e = 0; e < 4; e++) {
        sc_net_prefix(n, "conv%u_", e + 8);
        x = sc_net_conv(n, "1", x, extras[e].narrow, 1, 1, SC_NET_BIAS);
        maps[e + 2] = x = sc_net_conv(n, "2", x, extras[e].channels, 3, extras[e].stride,
                                      SC_NET_BIAS | (e < 2 ? 0 : SC_NET_VALID));
    }
    for (unsigned m = 0; m < MAPS; m++) {
        sc_net_prefix(n, "head%u_", m);
        sc_net_conv(n, "class", maps[m], boxes[m] * COCO_CLASSES, 3, 1, SC_NET_BIAS);
        sc_net_conv(n, "box", maps[m], boxes[m] * 4, 3, 1, SC_NET_BIAS);
    }
}

static void build_pyramid(sc_net *n, const void *table)
{
    int32_t ends[SC_RESNET_STAGES], x = 0;
    sc_net__resnet_stages(n, ends, sc_net_input(n, "image", (sc_shape){3, 1, 800, 1344}), table);
    for (unsigned s = SC_RESNET_STAGES; s-- > 0;) {
        const sc_shape shape = sc_net_shape(n, ends[s]);
        sc_net_prefix(n, "p%u_", s + 2);
        const int32_t lateral = sc_net_conv(n, "lateral", ends[s], PYRAMID, 1, 1, SC_NET_BIAS);
        if (s == SC_RESNET_STAGES - 1) {
            x = lateral;
        } else {
            x = resize_to(n, "up", "nearest", x, shape.h, shape.w);
            x = sc_net_op(n, "add", SC_OP_ADD, NULL, lateral, x);
        }
        const int32_t out = sc_net_conv(n, "out", x, PYRAMID, 3, 1, SC_NET_BIAS);
        sc_net_prefix(n, "%s", "");
        if (s == SC_RESNET_STAGES - 1)
            sc_net_max_pool(n, "p6", out, 1, 2, SC_NET_VALID);
    }
}

/* Atrous spatial pyramid pooling for an output stride of 16. */
static int32_t add_aspp(sc_net *n, int32_t x)
{
    static const uint64_t rates[] = {6, 12, 18};
    const sc_shape map = sc_net_shape(n, x);
    sc_input_ref branches[5] = {{0}};
    branches[0].producer = sc_net_conv(n, "aspp_1x1", x, PYRAMID, 1, 1, SC_NET_BN);
    for (unsigned r = 0; r < 3; r++) {
        sc_net_prefix(n, "aspp_rate%u", (unsigned)rates[r]);
        branches[r + 1].producer = dilated_conv(n, "", x, PYRAMID, rates[r], SC_NET_BN);
    }
    sc_net_prefix(n, "aspp_");
    int32_t pooled = sc_net_global_pool(n, "pool", x, 0);
    pooled = sc_net_conv(n, "pool_conv", pooled, PYRAMID, 1, 1, SC_NET_BN);
    branches[4].producer = resize_to(n, "pool_up", "bilinear", pooled, map.h, map.w);
    x = sc_net_add(
        n, &(sc_op_spec){.name = "cat", .kind = SC_OP_CONCAT, .n_inputs = 5, .inputs = branches});
    x = sc_net_conv(n, "project", x, PYRAMID, 1, 1, SC_NET_BN);
    sc_net_prefix(n, "%s", "");
    return x;
}

static void build_deeplab(sc_net *n, const void *table)
{
    int32_t ends[SC_RESNET_STAGES];
    const int32_t image = sc_net_input(n, "image", (sc_shape){3, 1, 513, 513});
    sc_net__resnet_stages(n, ends, image, table);
    const sc_shape low = sc_net_shape(n, ends[0]), full = sc_net_shape(n, image);
    int32_t x = add_aspp(n, ends[SC_RESNET_STAGES - 1]);
    sc_net_prefix(n, "decoder_");
    x = resize_to(n, "up", "bilinear", x, low.h, low.w);
    const int32_t fine = sc_net_conv(n, "low", ends[0], 48, 1, 1, SC_NET_BN);
    x = sc_net_op(n, "cat", SC_OP_CONCAT, NULL, x, fine);
    x = sc_net_conv(n, "a", x, PYRAMID, 3, 1, SC_NET_BN);
    x = sc_net_conv(n, "b", x, PYRAMID, 3, 1, SC_NET_BN);
    sc_net_prefix(n, "%s", "");
    x = sc_net_conv(n, "classes", x, VOC_CLASSES, 1, 1, SC_NET_BIAS);
    resize_to(n, "up", "bilinear", x, full.h, full.w);
}

static const sc_resnet resnet50 = {{3, 4, 6, 3}, {1, 2, 2, 2}, {1, 1, 1, 1}, false, false};
static const sc_resnet resnet101 = {{3, 4, 23, 3}, {1, 2, 2, 1}, {1, 1, 1, 2}, false, false};

const sc_generator sc_net_detectors[] = {
    {"deeplab-v3plus",
     "DeepLabv3+ on ResNet-101, output stride 16, 513 x 513, our reading of Chen "
     "et al. 2018, doi:10.1007/978-3-030-01234-2_49",
     NULL, 0, build_deeplab, &resnet101},
    {"ssd300",
     "SSD300 on VGG-16, 91 classes, 300 x 300, our reading of Liu et al. 2016, "
     "doi:10.1007/978-3-319-46448-0_2",
     NULL, 0, build_ssd, NULL},
    {"mask-rcnn-backbone",
     "Backbone of Mask R-CNN: ResNet-50-FPN, 800 x 1344, our reading of He et "
     "al. 2017, doi:10.1109/ICCV.2017.322",
     NULL, 0, build_pyramid, &resnet50},
    {NULL, NULL, NULL, 0, NULL, NULL},
};
