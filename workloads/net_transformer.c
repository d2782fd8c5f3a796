/* BERT (Devlin et al., NAACL 2019, arXiv:1810.04805) and ViT-B/16 (Dosovitskiy et al., ICLR 2021,
 * arXiv:2010.11929). */
#include "workloads/net.h"

enum { VOCABULARY = 30522, POSITIONS = 512, TYPES = 2, CLASSES = 1000 };

typedef struct encoder {
    unsigned layers;
    uint64_t width, heads, hidden;
} encoder;

/* Softmax(q k^T) v for operands that may be parts of one tensor. */
static int32_t attend(sc_net *n, const encoder *e, sc_input_ref q, sc_input_ref k, sc_input_ref v)
{
    const sc_input_ref qk[] = {q, k};
    int32_t x = sc_net_add(n, &(sc_op_spec){.name = "qk",
                                            .kind = SC_OP_BMM,
                                            .n_inputs = 2,
                                            .inputs = qk,
                                            .heads = e->heads,
                                            .transpose = true});
    x = sc_net_op(n, "softmax", SC_OP_SOFTMAX, NULL, x, SC_NET_NONE);
    const sc_input_ref av[] = {{.producer = x}, v};
    return sc_net_add(
        n, &(sc_op_spec){
               .name = "av", .kind = SC_OP_BMM, .n_inputs = 2, .inputs = av, .heads = e->heads});
}

static int32_t feed_forward(sc_net *n, const encoder *e, int32_t x)
{
    x = sc_net_matmul(n, "ff1", x, e->hidden, SC_NET_BIAS);
    x = sc_net_op(n, "gelu", SC_OP_ACTIVATION, "gelu", x, SC_NET_NONE);
    return sc_net_matmul(n, "ff2", x, e->width, SC_NET_BIAS);
}

static int32_t first_position(sc_net *n, const char *name, int32_t x, uint64_t channels)
{
    const sc_input_ref first = {.producer = x, .take = {.h = 1}};
    return sc_net_add(n, &(sc_op_spec){.name = name,
                                       .kind = SC_OP_MATMUL,
                                       .n_inputs = 1,
                                       .inputs = &first,
                                       .channels = channels,
                                       .bias = true});
}

static void build_bert(sc_net *n, const void *table)
{
    const encoder *e = table;
    const uint64_t sequence = n->value[0];
    const sc_input_ref tokens = {.producer =
                                     sc_net_input(n, "tokens", (sc_shape){1, 1, sequence, 1})};
    int32_t x =
        sc_net_add(n, &(sc_op_spec){.name = "embed",
                                    .kind = SC_OP_EMBED,
                                    .n_inputs = 1,
                                    .inputs = &tokens,
                                    .channels = e->width,
                                    .vocabulary = VOCABULARY,
                                    .positions = sequence > POSITIONS ? sequence : POSITIONS,
                                    .types = TYPES,
                                    .layer_norm = true});
    for (unsigned l = 0; l < e->layers; l++) {
        sc_net_prefix(n, "l%u_", l);
        const sc_input_ref q = {.producer = sc_net_matmul(n, "q", x, e->width, SC_NET_BIAS)};
        const sc_input_ref k = {.producer = sc_net_matmul(n, "k", x, e->width, SC_NET_BIAS)};
        const sc_input_ref v = {.producer = sc_net_matmul(n, "v", x, e->width, SC_NET_BIAS)};
        int32_t y = attend(n, e, q, k, v);
        y = sc_net_matmul(n, "o", y, e->width, SC_NET_BIAS);
        x = sc_net_op(n, "add_ln1", SC_OP_LAYERNORM, NULL, y, x);
        y = feed_forward(n, e, x);
        x = sc_net_op(n, "add_ln2", SC_OP_LAYERNORM, NULL, y, x);
    }
    sc_net_prefix(n, "%s", "");
    first_position(n, "pooler", x, e->width);
}

static void build_vit(sc_net *n, const void *table)
{
    const encoder *e = table;
    int32_t x = sc_net_input(n, "image", (sc_shape){3, 1, 224, 224});
    x = sc_net_conv(n, "patch", x, e->width, 16, 16, SC_NET_BIAS);
    const sc_input_ref patches = {.producer = x};
    x = sc_net_add(n, &(sc_op_spec){.name = "pos_cls",
                                    .kind = SC_OP_ADD,
                                    .function = "position",
                                    .n_inputs = 1,
                                    .inputs = &patches,
                                    .tokens = 1});
    for (unsigned l = 0; l < e->layers; l++) {
        sc_net_prefix(n, "l%u_", l);
        int32_t y = sc_net_op(n, "ln1", SC_OP_LAYERNORM, NULL, x, SC_NET_NONE);
        y = sc_net_matmul(n, "qkv", y, 3 * e->width, SC_NET_BIAS);
        const sc_input_ref third = {.producer = y, .take = {.c = e->width}};
        y = attend(n, e, third, third, third);
        y = sc_net_matmul(n, "o", y, e->width, SC_NET_BIAS);
        x = sc_net_op(n, "add1", SC_OP_ADD, NULL, y, x);
        y = sc_net_op(n, "ln2", SC_OP_LAYERNORM, NULL, x, SC_NET_NONE);
        y = feed_forward(n, e, y);
        x = sc_net_op(n, "add2", SC_OP_ADD, NULL, y, x);
    }
    sc_net_prefix(n, "%s", "");
    x = sc_net_op(n, "ln", SC_OP_LAYERNORM, NULL, x, SC_NET_NONE);
    first_position(n, "head", x, CLASSES);
}

static const encoder base = {12, 768, 12, 3072}, large = {24, 1024, 16, 4096};
static const sc_net_option bert_options[] = {{.key = "seq", .fallback = 128, .most = INT32_MAX}};

const sc_generator sc_net_transformers[] = {
    {"bert-base",
     "BERT base, with pooler; seq=S (default 128); Devlin et al. 2019, "
     "arXiv:1810.04805",
     bert_options, 1, build_bert, &base},
    {"bert-large",
     "BERT large, with pooler; seq=S (default 128); Devlin et al. 2019, "
     "arXiv:1810.04805",
     bert_options, 1, build_bert, &large},
    {"vit-b16", "ViT-B/16, 224 x 224; Dosovitskiy et al. 2021, arXiv:2010.11929", NULL, 0,
     build_vit, &base},
    {NULL, NULL, NULL, 0, NULL, NULL},
};
