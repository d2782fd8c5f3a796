/*
 * EfficientNet (Tan and Le, ICML 2019, arXiv:1905.11946), EfficientNet-X (Li et al., CVPR 2021,
 * arXiv:2102.05610) and EfficientNet-EdgeTPU (Gupta and Akin, arXiv:2003.02838):
 * one scheme of stages, scaled in width and depth.
 */
#include "workloads/net.h"

enum { MOST_STAGES = 7, DIVISOR = 8, STEM = 32, HEAD = 1280, CLASSES = 1000 };

typedef struct stage {
    uint64_t repeats, kernel, stride, expand, in, out;
    bool fused;   /* one k x k conv in place of expand and depthwise */
    bool no_skip; /* no residual even where shapes would allow one */
} stage;

typedef struct family {
    bool squeeze; /* squeeze-excite, ratio 1/4 of the block's input channels */
    size_t n_stages;
    stage stages[MOST_STAGES];
} family;

typedef struct variant {
    const family *family;
    uint64_t width_percent, depth_percent, resolution;
} variant;

static const family efficientnet = {
    true,
    7,
    {{1, 3, 1, 1, 32, 16, false, false},
     {2, 3, 2, 6, 16, 24, false, false},
     {2, 5, 2, 6, 24, 40, false, false},
     {3, 3, 2, 6, 40, 80, false, false},
     {3, 5, 1, 6, 80, 112, false, false},
     {4, 5, 2, 6, 112, 192, false, false},
     {1, 3, 1, 6, 192, 320, false, false}},
};

static const family efficientnet_x = {
    true,
    7,
    {{1, 3, 1, 1, 32, 16, false, false},
     {2, 3, 2, 6, 16, 24, true, false},
     {2, 5, 2, 6, 24, 40, true, false},
     {3, 3, 2, 6, 40, 80, false, false},
     {3, 5, 1, 6, 80, 112, false, false},
     {4, 5, 2, 6, 112, 192, false, false},
     {1, 3, 2, 6, 192, 320, false, false}},
};

static const family edgetpu = {
    false,
    6,
    {{1, 3, 1, 4, 24, 24, true, true}, /* expands a nominal 24, whatever the stem gives */
     {2, 3, 2, 8, 24, 32, true, false},
     {4, 3, 2, 8, 32, 48, true, false},
     {5, 3, 2, 8, 48, 96, false, false},
     {4, 5, 1, 8, 96, 144, false, false},
     {2, 5, 2, 8, 144, 192, false, false}},
};

/* Channels scaled in width to a multiple of 8 that loses less than a tenth; in whole percents, so
 * that no rounding of floating point decides. */
static uint64_t round_filters(uint64_t filters, uint64_t percent)
{
    const uint64_t scaled = filters * percent; /* hundredths */
    uint64_t rounded = (scaled + 100 * DIVISOR / 2) / (100 * DIVISOR) * DIVISOR;
    if (rounded < DIVISOR)
        rounded = DIVISOR;
    return 1000 * rounded < 9 * scaled ? rounded + DIVISOR : rounded;
}

static uint64_t round_repeats(uint64_t repeats, uint64_t percent)
{
    return (repeats * percent + 99) / 100;
}

static int32_t squeeze_excite(sc_net *n, int32_t x, uint64_t squeezed)
{
    const uint64_t channels = sc_net_shape(n, x).c;
    int32_t y = sc_net_global_pool(n, "se_pool", x, 0);
    y = sc_net_conv(n, "se_reduce", y, squeezed, 1, 1, SC_NET_BIAS);
    y = sc_net_conv(n, "se_expand", y, channels, 1, 1, SC_NET_BIAS);
    return sc_net_op(n, "se_mul", SC_OP_MUL, NULL, x, y);
}

/* Inverted bottleneck. in: nominal input channels, which expansion and squeeze are taken of. */
static int32_t add_block(sc_net *n, int32_t x, const stage *s, uint64_t in, uint64_t out,
                         uint64_t stride, bool squeeze)
{
    const uint64_t channels = sc_net_shape(n, x).c;
    int32_t y = x;
    if (s->fused) {
        y = sc_net_conv(n, "fused", y, in * s->expand, s->kernel, stride, SC_NET_BN);
    } else {
        if (s->expand != 1)
            y = sc_net_conv(n, "expand", y, in * s->expand, 1, 1, SC_NET_BN);
        y = sc_net_dwconv(n, "dw", y, s->kernel, stride, SC_NET_BN);
    }
    if (squeeze)
        y = squeeze_excite(n, y, in / 4);
    y = sc_net_conv(n, "project", y, out, 1, 1, SC_NET_BN);
    if (stride == 1 && channels == out && !s->no_skip)
        y = sc_net_op(n, "add", SC_OP_ADD, NULL, y, x);
    return y;
}

static void build(sc_net *n, const void *table)
{
    const variant *v = table;
    const family *f = v->family;
    int32_t x = sc_net_input(n, "image", (sc_shape){3, 1, v->resolution, v->resolution});
    x = sc_net_conv(n, "stem", x, round_filters(STEM, v->width_percent), 3, 2, SC_NET_BN);
    for (size_t i = 0; i < f->n_stages; i++) {
        const stage *s = &f->stages[i];
        const uint64_t repeats = round_repeats(s->repeats, v->depth_percent);
        const uint64_t out = round_filters(s->out, v->width_percent);
        for (uint64_t r = 0; r < repeats; r++) {
            const uint64_t in = r ? out : round_filters(s->in, v->width_percent);
            sc_net_prefix(n, "b%zu_%u_", i + 1, (unsigned)r);
            x = add_block(n, x, s, in, out, r ? 1 : s->stride, f->squeeze);
        }
    }
    sc_net_prefix(n, "%s", "");
    x = sc_net_conv(n, "head", x, round_filters(HEAD, v->width_percent), 1, 1, SC_NET_BN);
    x = sc_net_global_pool(n, "gap", x, 0);
    sc_net_fc(n, "fc", x, CLASSES, SC_NET_BIAS);
}

static const variant b0 = {&efficientnet, 100, 100, 224}, b1 = {&efficientnet, 100, 110, 240},
                     b2 = {&efficientnet, 110, 120, 260}, b3 = {&efficientnet, 120, 140, 300},
                     b4 = {&efficientnet, 140, 180, 380}, b5 = {&efficientnet, 160, 220, 456},
                     b6 = {&efficientnet, 180, 260, 528}, b7 = {&efficientnet, 200, 310, 600};
static const variant x0 = {&efficientnet_x, 100, 100, 224}, x1 = {&efficientnet_x, 105, 109, 229},
                     x2 = {&efficientnet_x, 113, 129, 244}, x3 = {&efficientnet_x, 127, 162, 263},
                     x4 = {&efficientnet_x, 154, 238, 299}, x5 = {&efficientnet_x, 196, 276, 332},
                     x6 = {&efficientnet_x, 275, 301, 328}, x7 = {&efficientnet_x, 326, 344, 350};
static const variant small = {&edgetpu, 100, 100, 224}, medium = {&edgetpu, 100, 110, 240},
                     large = {&edgetpu, 120, 140, 300};

#define EFFICIENTNET_SOURCE   "Tan and Le 2019, arXiv:1905.11946"
#define EFFICIENTNET_X_SOURCE "Li et al. 2021, arXiv:2102.05610"
#define EDGETPU_SOURCE        "Gupta and Akin 2020, arXiv:2003.02838"

const sc_generator sc_net_efficientnets[] = {
    {"efficientnet-b0", "EfficientNet-B0, 224 x 224; " EFFICIENTNET_SOURCE, NULL, 0, build, &b0},
    {"efficientnet-b1", "EfficientNet-B1, 240 x 240; " EFFICIENTNET_SOURCE, NULL, 0, build, &b1},
    {"efficientnet-b2", "EfficientNet-B2, 260 x 260; " EFFICIENTNET_SOURCE, NULL, 0, build, &b2},
    {"efficientnet-b3", "EfficientNet-B3, 300 x 300; " EFFICIENTNET_SOURCE, NULL, 0, build, &b3},
    {"efficientnet-b4", "EfficientNet-B4, 380 x 380; " EFFICIENTNET_SOURCE, NULL, 0, build, &b4},
    {"efficientnet-b5", "EfficientNet-B5, 456 x 456; " EFFICIENTNET_SOURCE, NULL, 0, build, &b5},
    {"efficientnet-b6", "EfficientNet-B6, 528 x 528; " EFFICIENTNET_SOURCE, NULL, 0, build, &b6},
    {"efficientnet-b7", "EfficientNet-B7, 600 x 600; " EFFICIENTNET_SOURCE, NULL, 0, build, &b7},
    {"efficientnet-x-b0", "EfficientNet-X-B0, 224 x 224; " EFFICIENTNET_X_SOURCE, NULL, 0, build,
     &x0},
    {"efficientnet-x-b1", "EfficientNet-X-B1, 229 x 229; " EFFICIENTNET_X_SOURCE, NULL, 0, build,
     &x1},
    {"efficientnet-x-b2", "EfficientNet-X-B2, 244 x 244; " EFFICIENTNET_X_SOURCE, NULL, 0, build,
     &x2},
    {"efficientnet-x-b3", "EfficientNet-X-B3, 263 x 263; " EFFICIENTNET_X_SOURCE, NULL, 0, build,
     &x3},
    {"efficientnet-x-b4", "EfficientNet-X-B4, 299 x 299; " EFFICIENTNET_X_SOURCE, NULL, 0, build,
     &x4},
    {"efficientnet-x-b5", "EfficientNet-X-B5, 332 x 332; " EFFICIENTNET_X_SOURCE, NULL, 0, build,
     &x5},
    {"efficientnet-x-b6", "EfficientNet-X-B6, 328 x 328; " EFFICIENTNET_X_SOURCE, NULL, 0, build,
     &x6},
    {"efficientnet-x-b7", "EfficientNet-X-B7, 350 x 350; " EFFICIENTNET_X_SOURCE, NULL, 0, build,
     &x7},
    {"efficientnet-edgetpu-s", "EfficientNet-EdgeTPU-S, 224 x 224; " EDGETPU_SOURCE, NULL, 0, build,
     &small},
    {"efficientnet-edgetpu-m", "EfficientNet-EdgeTPU-M, 240 x 240; " EDGETPU_SOURCE, NULL, 0, build,
     &medium},
    {"efficientnet-edgetpu-l", "EfficientNet-EdgeTPU-L, 300 x 300; " EDGETPU_SOURCE, NULL, 0, build,
     &large},
    {NULL, NULL, NULL, 0, NULL, NULL},
};
