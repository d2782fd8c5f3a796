/* AlexNet's convolutions as Eyeriss ran them (Chen et al., JSSC 52(1) 2017,
 * doi:10.1109/JSSC.2016.2616357; network: Krizhevsky et al., doi:10.1145/3065386). */
#include "workloads/net.h"

typedef struct layer {
    const char *name, *pool; /* pool behind it, or NULL */
    uint64_t channels, kernel, stride, pad, groups;
} layer;

static const layer layers[] = {
    {"conv1", "pool1", 96, 11, 4, 0, 1}, {"conv2", "pool2", 256, 5, 1, 2, 2},
    {"conv3", NULL, 384, 3, 1, 1, 1},    {"conv4", NULL, 384, 3, 1, 1, 2},
    {"conv5", "pool5", 256, 3, 1, 1, 2},
};

static void build(sc_net *n, const void *table)
{
    (void)table;
    int32_t x = sc_net_input(n, "image", (sc_shape){3, 1, 227, 227});
    for (size_t i = 0; i < sizeof layers / sizeof *layers; i++) {
        const layer *l = &layers[i];
        const sc_input_ref ref = {.producer = x};
        x = sc_net_add(n, &(sc_op_spec){.name = l->name,
                                        .kind = SC_OP_CONV,
                                        .n_inputs = 1,
                                        .inputs = &ref,
                                        .channels = l->channels,
                                        .kernel = {0, l->kernel, l->kernel},
                                        .stride = {0, l->stride, l->stride},
                                        .pad = {0, l->pad, l->pad, 0, l->pad, l->pad},
                                        .groups = l->groups,
                                        .bias = true});
        if (l->pool)
            x = sc_net_max_pool(n, l->pool, x, 3, 2, SC_NET_VALID);
    }
}

const sc_generator sc_net_alexnets[] = {
    {"alexnet",
     "AlexNet, the five convolutional layers as in Eyeriss, 227 x 227; Chen et al. "
     "2017, doi:10.1109/JSSC.2016.2616357",
     NULL, 0, build, NULL},
    {NULL, NULL, NULL, 0, NULL, NULL},
};
