#include "workloads/net.h"

#include <stdarg.h>
#include <stdio.h>

void sc_net_prefix(sc_net *n, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    (void)vsnprintf(n->prefix, sizeof n->prefix, fmt, ap);
    va_end(ap);
}

void sc_net_fail(sc_net *n, sc_status status)
{
    if (n->status == SC_OK)
        n->status = status;
}

int32_t sc_net_input(sc_net *n, const char *name, sc_shape shape)
{
    int32_t producer = -1;
    if (n->status == SC_OK)
        n->status = sc_builder_input(n->b, &producer, name, shape);
    return producer;
}

int32_t sc_net_add(sc_net *n, const sc_op_spec *spec)
{
    int32_t index = -1;
    sc_op_spec named = *spec;
    if (n->status != SC_OK)
        return -1;
    if (!(named.name = sc_builder_printf(n->b, "%s%s", n->prefix, spec->name)))
        n->status = SC_ENOMEM;
    else
        n->status = sc_builder_add(n->b, &index, &named);
    return index;
}

sc_shape sc_net_shape(const sc_net *n, int32_t producer)
{
    sc_shape s = {1, 1, 1, 1};
    if (n->status == SC_OK)
        (void)sc_builder_shape(n->b, &s, producer);
    return s;
}

static sc_op_spec window(const char *name, sc_op_kind kind, const sc_input_ref *in, uint64_t kernel,
                         uint64_t stride, unsigned flags)
{
    sc_op_spec s = {.name = name,
                    .kind = kind,
                    .n_inputs = 1,
                    .inputs = in,
                    .kernel = {0, kernel, kernel},
                    .stride = {0, stride, stride},
                    .padding = SC_PAD_SAME};
    if (flags & (SC_NET_VALID | SC_NET_CENTRED))
        s.padding = SC_PAD_EXPLICIT;
    if (flags & SC_NET_CENTRED)
        s.pad[SC_HEIGHT] = s.pad[SC_WIDTH] = s.pad[SC_AXES + SC_HEIGHT] =
            s.pad[SC_AXES + SC_WIDTH] = (kernel - 1) / 2;
    s.batch_norm = flags & SC_NET_BN;
    s.bias = flags & SC_NET_BIAS;
    s.input_norm = flags & SC_NET_INPUT_BN;
    return s;
}

int32_t sc_net_conv(sc_net *n, const char *name, int32_t in, uint64_t channels, uint64_t kernel,
                    uint64_t stride, unsigned flags)
{
    const sc_input_ref ref = {.producer = in};
    sc_op_spec s = window(name, SC_OP_CONV, &ref, kernel, stride, flags);
    s.channels = channels;
    return sc_net_add(n, &s);
}

int32_t sc_net_dwconv(sc_net *n, const char *name, int32_t in, uint64_t kernel, uint64_t stride,
                      unsigned flags)
{
    const sc_input_ref ref = {.producer = in};
    const sc_op_spec s = window(name, SC_OP_DWCONV, &ref, kernel, stride, flags);
    return sc_net_add(n, &s);
}

int32_t sc_net_max_pool(sc_net *n, const char *name, int32_t in, uint64_t kernel, uint64_t stride,
                        unsigned flags)
{
    const sc_input_ref ref = {.producer = in};
    const sc_op_spec s = window(name, SC_OP_POOL, &ref, kernel, stride, flags);
    return sc_net_add(n, &s);
}

int32_t sc_net_global_pool(sc_net *n, const char *name, int32_t in, unsigned flags)
{
    const sc_input_ref ref = {.producer = in};
    return sc_net_add(n, &(sc_op_spec){.name = name,
                                       .kind = SC_OP_POOL,
                                       .function = "avg",
                                       .n_inputs = 1,
                                       .inputs = &ref,
                                       .global = true,
                                       .input_norm = flags & SC_NET_INPUT_BN});
}

static int32_t add_product(sc_net *n, const char *name, sc_op_kind kind, int32_t in,
                           uint64_t channels, unsigned flags)
{
    const sc_input_ref ref = {.producer = in};
    return sc_net_add(n, &(sc_op_spec){.name = name,
                                       .kind = kind,
                                       .n_inputs = 1,
                                       .inputs = &ref,
                                       .channels = channels,
                                       .bias = flags & SC_NET_BIAS});
}

int32_t sc_net_fc(sc_net *n, const char *name, int32_t in, uint64_t channels, unsigned flags)
{
    return add_product(n, name, SC_OP_FC, in, channels, flags);
}

int32_t sc_net_matmul(sc_net *n, const char *name, int32_t in, uint64_t channels, unsigned flags)
{
    return add_product(n, name, SC_OP_MATMUL, in, channels, flags);
}

int32_t sc_net_op(sc_net *n, const char *name, sc_op_kind kind, const char *function, int32_t a,
                  int32_t b)
{
    const sc_input_ref refs[] = {{.producer = a}, {.producer = b}};
    return sc_net_add(n, &(sc_op_spec){.name = name,
                                       .kind = kind,
                                       .function = function,
                                       .n_inputs = b == SC_NET_NONE ? 1 : 2,
                                       .inputs = refs});
}
