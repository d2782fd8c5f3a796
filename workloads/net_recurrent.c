/*
 * Recurrent networks, by our own reading (docs/networks.md): GNMT (Wu et al. 2016,
 * arXiv:1609.08144) and the encoder and decoder of an RNN transducer (Graves 2012, arXiv:1211.3711,
 * in the sizes of MLPerf inference, Reddi et al. 2020, arXiv:1911.02549).
 */
#include "workloads/net.h"

enum {
    GNMT_WIDTH = 1024,
    GNMT_LAYERS = 8,
    GNMT_VOCABULARY = 32000,
    RNNT_FEATURES = 240, /* 80 log-mel bins, three frames stacked */
    RNNT_ENCODER = 1024,
    RNNT_PREDICTION = 320,
    RNNT_JOINT = 512,
    RNNT_SYMBOLS = 29 /* 28 characters and the blank */
};

/* One LSTM layer: the half that reads x, over all positions at once; the half that reads the state,
 * step by step; the gates. */
static int32_t add_lstm(sc_net *n, int32_t x, uint64_t hidden)
{
    x = sc_net_matmul(n, "x", x, 4 * hidden, 0);
    const sc_input_ref ref = {.producer = x};
    x = sc_net_add(n, &(sc_op_spec){.name = "h",
                                    .kind = SC_OP_MATMUL,
                                    .n_inputs = 1,
                                    .inputs = &ref,
                                    .channels = 4 * hidden,
                                    .recurrent = hidden,
                                    .bias = true});
    return sc_net_op(n, "cell", SC_OP_ACTIVATION, "lstm_cell", x, SC_NET_NONE);
}

static int32_t embed(sc_net *n, const char *name, int32_t tokens, uint64_t vocabulary,
                     uint64_t width)
{
    const sc_input_ref ref = {.producer = tokens};
    return sc_net_add(n, &(sc_op_spec){.name = name,
                                       .kind = SC_OP_EMBED,
                                       .n_inputs = 1,
                                       .inputs = &ref,
                                       .channels = width,
                                       .vocabulary = vocabulary});
}

static int32_t gnmt_encoder(sc_net *n, int32_t tokens)
{
    int32_t x = embed(n, "enc_embed", tokens, GNMT_VOCABULARY, GNMT_WIDTH);
    sc_net_prefix(n, "enc0_fw_");
    const int32_t forward = add_lstm(n, x, GNMT_WIDTH);
    sc_net_prefix(n, "enc0_bw_");
    const int32_t backward = add_lstm(n, x, GNMT_WIDTH);
    sc_net_prefix(n, "enc0_");
    x = sc_net_op(n, "cat", SC_OP_CONCAT, NULL, forward, backward);
    for (unsigned l = 1; l < GNMT_LAYERS; l++) {
        sc_net_prefix(n, "enc%u_", l);
        const int32_t y = add_lstm(n, x, GNMT_WIDTH);
        x = l < 2 ? y : sc_net_op(n, "add", SC_OP_ADD, NULL, y, x);
    }
    sc_net_prefix(n, "%s", "");
    return x;
}

/* Additive attention has the multiply-accumulates of a product of queries and keys. */
static int32_t gnmt_attention(sc_net *n, int32_t decoder, int32_t encoder)
{
    sc_net_prefix(n, "att_");
    const int32_t query = sc_net_matmul(n, "query", decoder, GNMT_WIDTH, 0);
    const int32_t key = sc_net_matmul(n, "key", encoder, GNMT_WIDTH, 0);
    const sc_input_ref scored[] = {{.producer = query}, {.producer = key}};
    sc_op_spec product = {.name = "score",
                          .kind = SC_OP_BMM,
                          .n_inputs = 2,
                          .inputs = scored,
                          .heads = 1,
                          .transpose = true};
    int32_t x = sc_net_add(n, &product);
    x = sc_net_op(n, "softmax", SC_OP_SOFTMAX, NULL, x, SC_NET_NONE);
    const sc_input_ref weighted[] = {{.producer = x}, {.producer = encoder}};
    product.name = "context";
    product.inputs = weighted;
    product.transpose = false;
    return sc_net_add(n, &product);
}

static void build_gnmt(sc_net *n, const void *table)
{
    const sc_shape tokens = {1, 1, n->value[0], 1};
    (void)table;
    const int32_t source = sc_net_input(n, "source", tokens);
    const int32_t target = sc_net_input(n, "target", tokens);
    const int32_t encoder = gnmt_encoder(n, source);
    int32_t x = embed(n, "dec_embed", target, GNMT_VOCABULARY, GNMT_WIDTH);
    sc_net_prefix(n, "dec0_");
    x = add_lstm(n, x, GNMT_WIDTH);
    const int32_t context = gnmt_attention(n, x, encoder);
    for (unsigned l = 1; l < GNMT_LAYERS; l++) {
        sc_net_prefix(n, "dec%u_", l);
        int32_t y = sc_net_op(n, "cat", SC_OP_CONCAT, NULL, x, context);
        y = add_lstm(n, y, GNMT_WIDTH);
        x = l < 2 ? y : sc_net_op(n, "add", SC_OP_ADD, NULL, y, x);
    }
    sc_net_prefix(n, "%s", "");
    sc_net_matmul(n, "classifier", x, GNMT_VOCABULARY, SC_NET_BIAS);
}

/* Two layers, pairs of positions put together, three layers. */
static void build_rnnt_encoder(sc_net *n, const void *table)
{
    const uint64_t frames = n->value[0] + n->value[0] % 2; /* padded to pairs */
    (void)table;
    int32_t x = sc_net_input(n, "features", (sc_shape){RNNT_FEATURES, 1, frames, 1});
    for (unsigned l = 0; l < 5; l++) {
        if (l == 2) {
            const sc_input_ref ref = {.producer = x};
            x = sc_net_add(n, &(sc_op_spec){.name = "stack",
                                            .kind = SC_OP_RESHAPE,
                                            .n_inputs = 1,
                                            .inputs = &ref,
                                            .shape = {2 * RNNT_ENCODER, 1, frames / 2, 1}});
        }
        sc_net_prefix(n, "l%u_", l);
        x = add_lstm(n, x, RNNT_ENCODER);
        sc_net_prefix(n, "%s", "");
    }
}

/* Prediction network and joint network, one evaluation of both a symbol or blank. */
static void build_rnnt_decoder(sc_net *n, const void *table)
{
    const uint64_t steps = n->value[0];
    (void)table;
    const int32_t frames = sc_net_input(n, "frames", (sc_shape){RNNT_ENCODER, 1, steps, 1});
    const int32_t symbols = sc_net_input(n, "symbols", (sc_shape){1, 1, steps, 1});
    int32_t x = embed(n, "embed", symbols, RNNT_SYMBOLS - 1, RNNT_PREDICTION);
    for (unsigned l = 0; l < 2; l++) {
        sc_net_prefix(n, "l%u_", l);
        x = add_lstm(n, x, RNNT_PREDICTION);
    }
    sc_net_prefix(n, "joint_");
    const int32_t left = sc_net_matmul(n, "encoder", frames, RNNT_JOINT, SC_NET_BIAS);
    const int32_t right = sc_net_matmul(n, "prediction", x, RNNT_JOINT, SC_NET_BIAS);
    x = sc_net_op(n, "add", SC_OP_ADD, NULL, left, right);
    x = sc_net_op(n, "relu", SC_OP_ACTIVATION, "relu", x, SC_NET_NONE);
    sc_net_matmul(n, "symbols", x, RNNT_SYMBOLS, SC_NET_BIAS);
}

static const sc_net_option gnmt_options[] = {{.key = "seq", .fallback = 50, .most = INT32_MAX}};
static const sc_net_option frame_options[] = {{.key = "seq", .fallback = 400, .most = INT32_MAX}};
static const sc_net_option symbol_options[] = {{.key = "seq", .fallback = 200, .most = INT32_MAX}};

const sc_generator sc_net_recurrents[] = {
    {"gnmt",
     "GNMT, 8 + 8 layers, vocabulary 32000; seq=S source and target tokens (default 50), "
     "our reading of Wu et al. 2016, arXiv:1609.08144",
     gnmt_options, 1, build_gnmt, NULL},
    {"rnnt-encoder",
     "RNN-T encoder; seq=S stacked frames (default 400), our reading of MLPerf, "
     "arXiv:1911.02549",
     frame_options, 1, build_rnnt_encoder, NULL},
    {"rnnt-decoder",
     "RNN-T prediction and joint networks; seq=S steps (default 200), our reading "
     "of MLPerf, arXiv:1911.02549",
     symbol_options, 1, build_rnnt_decoder, NULL},
    {NULL, NULL, NULL, 0, NULL, NULL},
};
