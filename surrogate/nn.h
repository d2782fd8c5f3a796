#ifndef SURROGATE_NN_H
#define SURROGATE_NN_H
/**
 * Small neural networks: an acyclic list of layers over a batch of samples, each value a small
 * matrix [fields][width] a sample. A network is a description; its weights are one array of the
 * caller's, so that members of an ensemble, checkpoints and an optimiser's moments are arrays of
 * equal length. Forward and backward passes write into a workspace that is made before and
 * allocate nothing. Equations and papers: docs/algorithms/networks.md.
 *
 * A layer is named by the number that its constructor gives; constructors take earlier ones. Their
 * first failure sticks and is what sc_nn_check() returns, so a network is built without tests
 * between the lines.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/blob.h"
#include "core/rng.h"
#include "surrogate/real.h"

enum {
    SC_NN_LAYERS = 128,      /* layers of a network, at most */
    SC_NN_INPUTS = 8,        /* inputs of each kind, at most */
    SC_NN_WIDEST = 1 << 16,  /* fields * width of a layer, at most */
    SC_NN_WEIGHTS = 1 << 28, /* weights, at most */
    SC_NN_SAMPLES = 1 << 16, /* samples of a batch, at most */
    SC_NN_NONE = INT32_MAX   /* no layer */
};

typedef enum sc_activation {
    SC_ACT_NONE,
    SC_ACT_RELU,
    SC_ACT_SILU, /* z / (1 + exp(-z)): smooth, so that gradients of inputs are too */
    SC_ACT_TANH
} sc_activation;

typedef enum sc_pooling { SC_POOL_MEAN, SC_POOL_SUM, SC_POOL_MAX } sc_pooling;

typedef struct sc_nn sc_nn;

sc_status sc_nn_create(sc_nn **out) SC_MUST_USE;
void sc_nn_destroy(sc_nn *n); /* NULL is fine */

/* ---- layers ---- */

/** The next real input, [fields][width]; a set's items are its fields, and samples say how many
 *  they have (sc_nn_batch::count). */
uint32_t sc_nn_real(sc_nn *n, uint32_t fields, uint32_t width, bool set);
/** The next input of codes, each looked up in its field's table: [fields][width]. Code 0 to
 *  levels[field] - 1. levels: [fields]. */
uint32_t sc_nn_embed(sc_nn *n, uint32_t fields, const uint32_t *levels, uint32_t width);
/** Each number of a layer as a token of its own, x_j w_j + b_j: [fields * width][out]. */
uint32_t sc_nn_tokens(sc_nn *n, uint32_t from, uint32_t out);
/** act(x W + b) on each field: [fields][out]. */
uint32_t sc_nn_dense(sc_nn *n, uint32_t from, uint32_t out, sc_activation act);
/** act(x W + b) on all fields as one vector: [1][out]. */
uint32_t sc_nn_dense_whole(sc_nn *n, uint32_t from, uint32_t out, sc_activation act);
/** Layer normalisation of each field. */
uint32_t sc_nn_norm(sc_nn *n, uint32_t from);
/** Self-attention of the fields with its four projections; heads divides the width. Fields past a
 *  set's count are neither looked at nor filled. */
uint32_t sc_nn_attention(sc_nn *n, uint32_t from, uint32_t heads);
/** a + b and a * b, element by element; b may have one field, which then stands for each of a's. */
uint32_t sc_nn_add(sc_nn *n, uint32_t a, uint32_t b);
uint32_t sc_nn_multiply(sc_nn *n, uint32_t a, uint32_t b);
/** b behind a: [fields of both][width] where widths are equal, else one vector of all. */
uint32_t sc_nn_join(sc_nn *n, uint32_t a, uint32_t b);
/** One field made of all: [1][width]. Of a set only its items count; an empty set gives 0. */
uint32_t sc_nn_pool(sc_nn *n, uint32_t from, sc_pooling how);
/** Heads mixed by a vote: sum_e softmax(gate)_e heads_e. heads: [E][width], gate: E numbers. */
uint32_t sc_nn_mix(sc_nn *n, uint32_t heads, uint32_t gate);

/** attention and feed-forward with residuals, normalised before each: a transformer's encoder
 *  layer. */
uint32_t sc_nn_transformer(sc_nn *n, uint32_t from, uint32_t heads, uint32_t hidden);

/** Say which layer is the result, and whether all went well.
 *  @return SC_OK; SC_EINVAL naming the layer and why; SC_ERANGE if it is too large. */
sc_status sc_nn_finish(sc_nn *n, uint32_t result) SC_MUST_USE;

/* ---- of a finished network ---- */

size_t sc_nn_weights(const sc_nn *n);
size_t sc_nn_outputs(const sc_nn *n); /* fields * width of the result */
/** Numbers a sample of real input i, fields of code input i; 0 if there is none. */
size_t sc_nn_real_size(const sc_nn *n, size_t i);
size_t sc_nn_code_size(const sc_nn *n, size_t i);

/** Weights to begin with: normal of deviation sqrt(2 / in) before ReLU and SiLU (He et al.,
 *  ICCV'15), sqrt(1 / in) otherwise, 1 for tables and tokens; biases 0, gains 1. A pure function of
 *  the stream. weights: [sc_nn_weights()]. */
void sc_nn_begin(const sc_nn *n, sc_real *weights, sc_rng *r);

/** Samples, borrowed. Inputs that the network has not are not read. */
typedef struct sc_nn_batch {
    size_t n;                            /* samples, at most those of the workspace */
    const sc_real *real[SC_NN_INPUTS];   /* [n][fields][width] each */
    const uint32_t *code[SC_NN_INPUTS];  /* [n][fields] each; a code past its levels counts as 0 */
    const uint32_t *count[SC_NN_INPUTS]; /* [n] items of each set; NULL: all */
} sc_nn_batch;

/** Values and derivatives of up to so many samples. One thread at a time. */
typedef struct sc_nn_work sc_nn_work;
/** @param learning  also what the backward pass needs. */
sc_status sc_nn_work_create(sc_nn_work **out, const sc_nn *n, size_t samples,
                            bool learning) SC_MUST_USE;
void sc_nn_work_destroy(sc_nn_work *w); /* NULL is fine */
size_t sc_nn_work_bytes(const sc_nn *n, size_t samples, bool learning);

/** Results of a batch, [n][outputs], in the workspace until its next use. No allocation. */
const sc_real *sc_nn_forward(const sc_nn *n, const sc_real *weights, sc_nn_work *w,
                             const sc_nn_batch *b);
/**
 * Derivatives of a loss after sc_nn_forward() on the same batch.
 * @param d_result  [n][outputs] of the loss by the results.
 * @param d_weights [sc_nn_weights()], added to; NULL: not wanted.
 * @param inputs    whether those by the inputs are wanted: sc_nn_d_real(), sc_nn_d_code().
 */
void sc_nn_backward(const sc_nn *n, const sc_real *weights, sc_nn_work *w, const sc_nn_batch *b,
                    const sc_real *d_result, sc_real *d_weights, bool inputs);
/** By real input i, [n][fields][width]. */
const sc_real *sc_nn_d_real(const sc_nn *n, const sc_nn_work *w, size_t i);
/** By what the field's lookup gave, against the table: how much the loss would change to first
 *  order if a field of code input i had each other level instead. out: [levels]. */
void sc_nn_d_code(sc_real *out, const sc_nn *n, const sc_real *weights, const sc_nn_work *w,
                  const sc_nn_batch *b, size_t i, size_t sample, uint32_t field);

/** The description as bytes, and back. @return SC_OK; SC_EPARSE if they are not one; SC_ENOMEM. */
void sc_nn_write(sc_buf *out, const sc_nn *n);
sc_status sc_nn_read(sc_nn **out, sc_blob *b) SC_MUST_USE;
#endif
