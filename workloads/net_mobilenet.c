/* MobileNetV2 (Sandler et al., CVPR 2018, doi:10.1109/CVPR.2018.00474), MobileNetV3 (Howard et al.,
 * ICCV 2019, doi:10.1109/ICCV.2019.00140) and MobileNetEdgeTPU (Howard and Gupta, 2019: the
 * definition released with MobileNetV3's), at width 1 and 224 x 224. */
#include "workloads/net.h"

enum { CLASSES = 1000, RESOLUTION = 224 };

typedef struct v2_stage {
    uint64_t expand, channels, repeats, stride; /* t, c, n, s of table 2 */
} v2_stage;

static const v2_stage v2_stages[] = {
    {1, 16, 1, 1}, {6, 24, 2, 2},  {6, 32, 3, 2},  {6, 64, 4, 2},
    {6, 96, 3, 1}, {6, 160, 3, 2}, {6, 320, 1, 1},
};

/* Back to few channels, and the residual where shapes allow one. */
static int32_t add_projection(sc_net *n, int32_t y, int32_t x, uint64_t out)
{
    const sc_shape from = sc_net_shape(n, x), to = sc_net_shape(n, y);
    y = sc_net_conv(n, "project", y, out, 1, 1, SC_NET_BN);
    return from.h == to.h && from.c == out ? sc_net_op(n, "add", SC_OP_ADD, NULL, y, x) : y;
}

/* An inverted bottleneck up to its projection. */
static int32_t add_wide(sc_net *n, int32_t x, uint64_t kernel, uint64_t expanded, uint64_t stride)
{
    int32_t y = x;
    if (expanded != sc_net_shape(n, x).c)
        y = sc_net_conv(n, "expand", y, expanded, 1, 1, SC_NET_BN);
    return sc_net_dwconv(n, "dw", y, kernel, stride, SC_NET_BN);
}

static int32_t add_squeeze(sc_net *n, int32_t y, uint64_t squeezed)
{
    const uint64_t expanded = sc_net_shape(n, y).c;
    int32_t z = sc_net_global_pool(n, "se_pool", y, 0);
    z = sc_net_conv(n, "se_reduce", z, squeezed, 1, 1, SC_NET_BIAS);
    z = sc_net_conv(n, "se_expand", z, expanded, 1, 1, SC_NET_BIAS);
    return sc_net_op(n, "se_mul", SC_OP_MUL, NULL, y, z);
}

static int32_t add_stem(sc_net *n, uint64_t channels)
{
    const int32_t x = sc_net_input(n, "image", (sc_shape){3, 1, RESOLUTION, RESOLUTION});
    return sc_net_conv(n, "stem", x, channels, 3, 2, SC_NET_BN);
}

static void build_v2(sc_net *n, const void *table)
{
    (void)table;
    int32_t x = add_stem(n, 32);
    for (size_t i = 0; i < sizeof v2_stages / sizeof *v2_stages; i++) {
        const v2_stage *s = &v2_stages[i];
        for (uint64_t r = 0; r < s->repeats; r++) {
            sc_net_prefix(n, "b%zu_%u_", i + 1, (unsigned)r);
            const uint64_t expanded = s->expand * sc_net_shape(n, x).c;
            const int32_t y = add_wide(n, x, 3, expanded, r ? 1 : s->stride);
            x = add_projection(n, y, x, s->channels);
        }
    }
    sc_net_prefix(n, "%s", "");
    x = sc_net_conv(n, "head", x, 1280, 1, 1, SC_NET_BN);
    x = sc_net_global_pool(n, "gap", x, 0);
    sc_net_fc(n, "fc", x, CLASSES, SC_NET_BIAS);
}

typedef struct v3_block {
    uint64_t kernel, expanded, out;
    bool squeeze;
    uint64_t stride;
} v3_block;

typedef struct v3_variant {
    const v3_block *blocks;
    size_t n_blocks;
    uint64_t head, hidden; /* the last 1x1 conv, and the layer before the classifier */
} v3_variant;

static const v3_block large_blocks[] = {
    /* table 1 */
    {3, 16, 16, false, 1},  {3, 64, 24, false, 2},  {3, 72, 24, false, 1},  {5, 72, 40, true, 2},
    {5, 120, 40, true, 1},  {5, 120, 40, true, 1},  {3, 240, 80, false, 2}, {3, 200, 80, false, 1},
    {3, 184, 80, false, 1}, {3, 184, 80, false, 1}, {3, 480, 112, true, 1}, {3, 672, 112, true, 1},
    {5, 672, 160, true, 2}, {5, 960, 160, true, 1}, {5, 960, 160, true, 1},
};

static const v3_block small_blocks[] = {
    /* table 2 */
    {3, 16, 16, true, 2},  {3, 72, 24, false, 2}, {3, 88, 24, false, 1}, {5, 96, 40, true, 2},
    {5, 240, 40, true, 1}, {5, 240, 40, true, 1}, {5, 120, 48, true, 1}, {5, 144, 48, true, 1},
    {5, 288, 96, true, 2}, {5, 576, 96, true, 1}, {5, 576, 96, true, 1},
};

static const v3_variant v3_large = {large_blocks, sizeof large_blocks / sizeof *large_blocks, 960,
                                    1280};
static const v3_variant v3_small = {small_blocks, sizeof small_blocks / sizeof *small_blocks, 576,
                                    1024};

/* A quarter of the expanded channels to a multiple of 8 that loses less than a tenth. */
static uint64_t squeezed_channels(uint64_t expanded)
{
    uint64_t rounded = (expanded + 16) / 32 * 8; /* (expanded / 4 + 4) / 8 * 8 */
    if (rounded < 8)
        rounded = 8;
    return 40 * rounded < 9 * expanded ? rounded + 8 : rounded;
}

static void build_v3(sc_net *n, const void *table)
{
    const v3_variant *v = table;
    int32_t x = add_stem(n, 16);
    for (size_t i = 0; i < v->n_blocks; i++) {
        const v3_block *b = &v->blocks[i];
        sc_net_prefix(n, "b%zu_", i + 1);
        int32_t y = add_wide(n, x, b->kernel, b->expanded, b->stride);
        if (b->squeeze)
            y = add_squeeze(n, y, squeezed_channels(b->expanded));
        x = add_projection(n, y, x, b->out);
    }
    sc_net_prefix(n, "%s", "");
    x = sc_net_conv(n, "head", x, v->head, 1, 1, SC_NET_BN);
    x = sc_net_global_pool(n, "gap", x, 0);
    x = sc_net_fc(n, "fc1", x, v->hidden, SC_NET_BIAS);
    sc_net_fc(n, "fc2", x, CLASSES, SC_NET_BIAS);
}

typedef struct edge_stage {
    uint64_t kernel, channels, repeats, stride;
    uint64_t first, rest; /* expansion of the first block and of the others */
    bool fused;           /* one k x k conv in place of expand and depthwise */
    bool turn;            /* no residual about the first block, though its shapes allow one */
} edge_stage;

static const edge_stage edge_stages[] = {
    {3, 32, 4, 2, 8, 4, true, false},   {3, 48, 4, 2, 8, 4, true, false},
    {3, 96, 4, 2, 8, 4, false, false},  {3, 96, 4, 1, 8, 4, false, true},
    {5, 160, 4, 2, 8, 4, false, false}, {3, 192, 1, 1, 8, 4, false, false},
};

static int32_t add_edge_block(sc_net *n, int32_t x, const edge_stage *s, bool first)
{
    const uint64_t expanded = (first ? s->first : s->rest) * sc_net_shape(n, x).c;
    const uint64_t stride = first ? s->stride : 1;
    const int32_t y = s->fused ? sc_net_conv(n, "fused", x, expanded, s->kernel, stride, SC_NET_BN)
                               : add_wide(n, x, s->kernel, expanded, stride);
    if (first && s->turn)
        return sc_net_conv(n, "project", y, s->channels, 1, 1, SC_NET_BN);
    return add_projection(n, y, x, s->channels);
}

static void build_edge(sc_net *n, const void *table)
{
    (void)table;
    int32_t x = add_stem(n, 32);
    x = sc_net_conv(n, "b1_project", x, 16, 1, 1, SC_NET_BN); /* an expansion by 1 is none */
    for (size_t i = 0; i < sizeof edge_stages / sizeof *edge_stages; i++)
        for (uint64_t r = 0; r < edge_stages[i].repeats; r++) {
            sc_net_prefix(n, "b%zu_%u_", i + 2, (unsigned)r);
            x = add_edge_block(n, x, &edge_stages[i], r == 0);
        }
    sc_net_prefix(n, "%s", "");
    x = sc_net_conv(n, "head", x, 1280, 1, 1, SC_NET_BN);
    x = sc_net_global_pool(n, "gap", x, 0);
    sc_net_fc(n, "fc", x, CLASSES, SC_NET_BIAS);
}

const sc_generator sc_net_mobilenets[] = {
    {"mobilenet-v2", "MobileNetV2, 224 x 224; Sandler et al. 2018, doi:10.1109/CVPR.2018.00474",
     NULL, 0, build_v2, NULL},
    {"mobilenet-v3-large",
     "MobileNetV3-Large, 224 x 224; Howard et al. 2019, doi:10.1109/ICCV.2019.00140", NULL, 0,
     build_v3, &v3_large},
    {"mobilenet-v3-small",
     "MobileNetV3-Small, 224 x 224; Howard et al. 2019, doi:10.1109/ICCV.2019.00140", NULL, 0,
     build_v3, &v3_small},
    {"mobilenet-edgetpu",
     "MobileNetEdgeTPU, 224 x 224; Howard and Gupta 2019, released beside MobileNetV3", NULL, 0,
     build_edge, NULL},
    {NULL, NULL, NULL, 0, NULL, NULL},
};
