/* VGG-16, configuration D (Simonyan, Zisserman, ICLR 2015, arXiv:1409.1556): five stages of 3 x 3
 * convolutions with a bias, each halved by a pool, and three fully connected layers. */
#include <stdio.h>

#include "workloads/net.h"

static const struct {
    unsigned convs;
    uint64_t channels;
} stages[] = {{2, 64}, {2, 128}, {3, 256}, {3, 512}, {3, 512}};

static void build(sc_net *n, const void *table)
{
    (void)table;
    char name[32];
    int32_t x = sc_net_input(n, "image", (sc_shape){3, 1, 224, 224});
    for (unsigned s = 0; s < sizeof stages / sizeof *stages; s++) {
        for (unsigned i = 0; i < stages[s].convs; i++) {
            (void)snprintf(name, sizeof name, "conv%u_%u", s + 1, i + 1);
            x = sc_net_conv(n, name, x, stages[s].channels, 3, 1, SC_NET_BIAS);
        }
        (void)snprintf(name, sizeof name, "pool%u", s + 1);
        x = sc_net_max_pool(n, name, x, 2, 2, SC_NET_VALID);
    }
    x = sc_net_fc(n, "fc6", x, 4096, SC_NET_BIAS);
    x = sc_net_fc(n, "fc7", x, 4096, SC_NET_BIAS);
    (void)sc_net_fc(n, "fc8", x, 1000, SC_NET_BIAS);
}

const sc_generator sc_net_vggs[] = {
    {"vgg16", "VGG-16, 224 x 224; Simonyan, Zisserman, ICLR 2015, arXiv:1409.1556", NULL, 0, build,
     NULL},
    {NULL, NULL, NULL, 0, NULL, NULL},
};
