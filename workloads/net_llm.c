/* Llama 2 (Touvron et al. 2023, arXiv:2307.09288) and Llama 3 (Dubey et al. 2024,
 * arXiv:2407.21783): prefill over a whole prompt, or one decoding step against a key/value cache.
 */
#include "workloads/net.h"

typedef struct decoder {
    unsigned layers;
    uint64_t width, heads, kv_heads, hidden, vocabulary;
} decoder;

enum { PREFILL, DECODE, CONTEXT, OPTIONS };

static const sc_net_option options[OPTIONS] = {
    [PREFILL] = {.key = "prefill", .fallback = 2048, .most = INT32_MAX, .without = "decode"},
    [DECODE] = {.key = "decode"},
    [CONTEXT] = {.key = "ctx", .fallback = 2048, .most = INT32_MAX, .with = "decode"},
};

/* Full attention (not masked); `cache` earlier positions are read from the cache. */
static int32_t attend(sc_net *n, const decoder *d, int32_t x, uint64_t cache)
{
    const uint64_t kv_width = d->width / d->heads * d->kv_heads;
    const int32_t q = sc_net_matmul(n, "q", x, d->width, 0);
    const int32_t k = sc_net_matmul(n, "k", x, kv_width, 0);
    const int32_t v = sc_net_matmul(n, "v", x, kv_width, 0);
    const sc_input_ref qk[] = {{.producer = q}, {.producer = k}};
    sc_op_spec product = {.name = "qk",
                          .kind = SC_OP_BMM,
                          .n_inputs = 2,
                          .inputs = qk,
                          .heads = d->heads,
                          .kv_heads = d->kv_heads,
                          .cache = cache,
                          .transpose = true};
    int32_t y = sc_net_add(n, &product);
    y = sc_net_op(n, "softmax", SC_OP_SOFTMAX, NULL, y, SC_NET_NONE);
    const sc_input_ref av[] = {{.producer = y}, {.producer = v}};
    product.name = "av";
    product.inputs = av;
    product.transpose = false;
    y = sc_net_add(n, &product);
    return sc_net_matmul(n, "o", y, d->width, 0);
}

static int32_t feed_forward(sc_net *n, const decoder *d, int32_t x)
{
    const int32_t gate = sc_net_matmul(n, "gate", x, d->hidden, 0);
    const int32_t up = sc_net_matmul(n, "up", x, d->hidden, 0);
    const int32_t y = sc_net_op(n, "swiglu", SC_OP_MUL, NULL, gate, up);
    return sc_net_matmul(n, "down", y, d->width, 0);
}

static void build(sc_net *n, const void *table)
{
    const decoder *d = table;
    const bool decode = n->value[DECODE];
    const uint64_t positions = decode ? 1 : n->value[PREFILL];
    const uint64_t cache = decode ? n->value[CONTEXT] - 1 : 0; /* ctx counts the new token too */
    const sc_input_ref tokens = {.producer =
                                     sc_net_input(n, "tokens", (sc_shape){1, 1, positions, 1})};
    int32_t x = sc_net_add(n, &(sc_op_spec){.name = "embed",
                                            .kind = SC_OP_EMBED,
                                            .n_inputs = 1,
                                            .inputs = &tokens,
                                            .channels = d->width,
                                            .vocabulary = d->vocabulary});
    for (unsigned l = 0; l < d->layers; l++) {
        sc_net_prefix(n, "l%u_", l);
        int32_t y = sc_net_op(n, "rms1", SC_OP_RMSNORM, NULL, x, SC_NET_NONE);
        y = attend(n, d, y, cache);
        x = sc_net_op(n, "add1", SC_OP_ADD, NULL, y, x);
        y = sc_net_op(n, "rms2", SC_OP_RMSNORM, NULL, x, SC_NET_NONE);
        y = feed_forward(n, d, y);
        x = sc_net_op(n, "add2", SC_OP_ADD, NULL, y, x);
    }
    sc_net_prefix(n, "%s", "");
    x = sc_net_op(n, "rms", SC_OP_RMSNORM, NULL, x, SC_NET_NONE);
    sc_net_matmul(n, "lm_head", x, d->vocabulary, 0);
}

static const decoder llama2_7b = {32, 4096, 32, 32, 11008, 32000};
static const decoder llama2_70b = {80, 8192, 64, 8, 28672, 32000};
static const decoder llama3_8b = {32, 4096, 32, 8, 14336, 128256};

#define LLM_OPTIONS "; prefill=S (default 2048) or decode,ctx=S; "

const sc_generator sc_net_llms[] = {
    {"llama2-7b", "Llama-2-7B" LLM_OPTIONS "Touvron et al. 2023, arXiv:2307.09288", options,
     OPTIONS, build, &llama2_7b},
    {"llama2-70b", "Llama-2-70B" LLM_OPTIONS "Touvron et al. 2023, arXiv:2307.09288", options,
     OPTIONS, build, &llama2_70b},
    {"llama3-8b", "Llama-3-8B" LLM_OPTIONS "Dubey et al. 2024, arXiv:2407.21783", options, OPTIONS,
     build, &llama3_8b},
    {NULL, NULL, NULL, 0, NULL, NULL},
};
