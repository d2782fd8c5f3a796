/* U-Net (Ronneberger et al., MICCAI 2015, doi:10.1007/978-3-319-24574-4_28) and 3D U-Net (Cicek et
 * al., MICCAI 2016, doi:10.1007/978-3-319-46723-8_49). */
#include "workloads/net.h"

enum { LEVELS_2D = 4, LEVELS_3D = 3, FILTERS = 64, CLASSES_2D = 2, CLASSES_3D = 3 };

/** What the two differ in. */
typedef struct unet {
    unsigned levels; /* poolings */
    uint64_t depth;  /* kernel depth of a 3x3 conv: 3, or 0 for none */
    bool up_bias;
    sc_padding padding;
} unet;

static int32_t add_conv(sc_net *n, const char *name, int32_t x, uint64_t channels, const unet *u)
{
    const sc_input_ref ref = {.producer = x};
    return sc_net_add(n, &(sc_op_spec){.name = name,
                                       .kind = SC_OP_CONV,
                                       .n_inputs = 1,
                                       .inputs = &ref,
                                       .channels = channels,
                                       .kernel = {u->depth, 3, 3},
                                       .padding = u->padding,
                                       .bias = true});
}

/* A pool or a transposed conv of stride 2 in every axis that the network has. */
static int32_t add_step(sc_net *n, const char *name, sc_op_kind kind, int32_t x, uint64_t channels,
                        const unet *u)
{
    const sc_input_ref ref = {.producer = x};
    const uint64_t along_depth = u->depth ? 2 : 0;
    return sc_net_add(n, &(sc_op_spec){.name = name,
                                       .kind = kind,
                                       .n_inputs = 1,
                                       .inputs = &ref,
                                       .channels = channels,
                                       .kernel = {along_depth, 2, 2},
                                       .stride = {along_depth, 2, 2},
                                       .bias = u->up_bias && kind == SC_OP_TCONV});
}

/* Upsampled map beside the middle of the one kept on the way down. */
static int32_t add_concat(sc_net *n, int32_t up, int32_t skip)
{
    sc_shape middle = sc_net_shape(n, up);
    middle.c = 0; /* all channels */
    const sc_input_ref refs[] = {{.producer = up}, {.producer = skip, .take = middle}};
    return sc_net_add(
        n, &(sc_op_spec){.name = "cat", .kind = SC_OP_CONCAT, .n_inputs = 2, .inputs = refs});
}

/* Channels of level l: 2-D doubles with the first conv of a level, 3-D with the second, so that its
 * first has half as many; on the way up both have the level's. */
static void build_levels(sc_net *n, int32_t x, uint64_t classes, const unet *u)
{
    int32_t skip[LEVELS_2D];
    for (unsigned l = 0; l <= u->levels; l++) {
        const uint64_t channels = (uint64_t)FILTERS << l;
        sc_net_prefix(n, "d%u_", l);
        x = add_conv(n, "a", x, u->depth ? channels / 2 : channels, u);
        x = add_conv(n, "b", x, channels, u);
        sc_net_prefix(n, "pool%u", l + 1);
        if (l < u->levels) {
            skip[l] = x;
            x = add_step(n, "", SC_OP_POOL, x, 0, u);
        }
    }
    for (unsigned l = u->levels; l-- > 0;) {
        const uint64_t channels = (uint64_t)FILTERS << l;
        sc_net_prefix(n, "u%u_", l);
        /* 3-D keeps its channels here */
        x = add_step(n, "up", SC_OP_TCONV, x, u->depth ? 2 * channels : channels, u);
        x = add_concat(n, x, skip[l]);
        x = add_conv(n, "a", x, channels, u);
        x = add_conv(n, "b", x, channels, u);
    }
    sc_net_prefix(n, "%s", "");
    sc_net_conv(n, "out", x, classes, 1, 1, SC_NET_BIAS);
}

static void build_2d(sc_net *n, const void *table)
{
    const uint64_t size = n->value[0];
    const unet u = {LEVELS_2D, 0, true, size == 572 ? SC_PAD_VALID : SC_PAD_SAME};
    (void)table;
    if (size != 572 && size != 256)
        sc_net_fail(n, sc_fail(SC_EINVAL,
                               "unet: size %llu, must be 572 (no padding) or 256 "
                               "(padded)",
                               (unsigned long long)size));
    build_levels(n, sc_net_input(n, "image", (sc_shape){1, 1, size, size}), CLASSES_2D, &u);
}

static void build_3d(sc_net *n, const void *table)
{
    const unet u = {LEVELS_3D, 3, false, SC_PAD_VALID};
    (void)table;
    build_levels(n, sc_net_input(n, "volume", (sc_shape){3, 116, 132, 132}), CLASSES_3D, &u);
}

static const sc_net_option size_options[] = {{.key = "", .fallback = 572, .most = INT32_MAX}};

const sc_generator sc_net_unets[] = {
    {"unet",
     "U-Net; 572 (no padding, the default) or 256 (padded): unet:256; Ronneberger et al. "
     "2015, doi:10.1007/978-3-319-24574-4_28",
     size_options, 1, build_2d, NULL},
    {"unet3d",
     "3D U-Net, 132 x 132 x 116 voxels, our reading of Cicek et al. 2016, "
     "doi:10.1007/978-3-319-46723-8_49",
     NULL, 0, build_3d, NULL},
    {NULL, NULL, NULL, 0, NULL, NULL},
};
