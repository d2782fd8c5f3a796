#ifndef SURROGATE_NN_INNER_H
#define SURROGATE_NN_INNER_H
/** The inside of networks, shared by the files nn*.c only. */
#include "surrogate/nn.h"

typedef enum sc_layer_kind {
    SC_LAYER_REAL,
    SC_LAYER_EMBED,
    SC_LAYER_TOKENS,
    SC_LAYER_DENSE,
    SC_LAYER_NORM,
    SC_LAYER_ATTENTION,
    SC_LAYER_ADD,
    SC_LAYER_MULTIPLY,
    SC_LAYER_JOIN,
    SC_LAYER_POOL,
    SC_LAYER_MIX,
    SC_LAYER_KINDS
} sc_layer_kind;

typedef struct sc_layer {
    sc_layer_kind kind;
    uint32_t from[2];       /* SC_NN_NONE: none */
    uint32_t fields, width; /* of its value */
    uint32_t option;        /* activation, heads, pooling, or number of the input */
    uint32_t set;           /* the real input whose counts say how many fields are in use */
    bool whole;             /* a dense layer over all fields at once */
    bool fresh[2];          /* its derivative is the first to reach from[i]: written, not added */
    uint32_t *level;        /* [fields] of an embedding; first_level: where its table begins */
    uint32_t *first_level;
    size_t weight, n_weights; /* place among the weights */
    size_t value;             /* numbers a sample before it in the workspace */
    size_t kept, n_kept;      /* a sample: what its forward pass keeps for the backward one */
} sc_layer;

struct sc_nn {
    sc_status status; /* of the first constructor that failed */
    uint32_t n_layers, n_real, n_code, result;
    uint32_t real[SC_NN_INPUTS], code[SC_NN_INPUTS]; /* the layers of the inputs */
    size_t n_weights, n_values, n_kept;              /* the latter two a sample */
    sc_layer layer[SC_NN_LAYERS];
};

struct sc_nn_work {
    size_t samples;
    sc_real *value;    /* [n_values][samples]: layer after layer */
    sc_real *kept;     /* [n_kept][samples] */
    sc_real *gradient; /* as value; NULL if not learning */
    sc_real *scratch;  /* [SC_NN_WIDEST * 4] for attention's rows */
};

/** One layer of one pass: where its numbers are. */
typedef struct sc_pass {
    const sc_nn *net;
    const sc_layer *l;
    const sc_layer *from[2];
    const sc_nn_batch *b;
    const sc_real *weight; /* of this layer */
    const sc_real *x[2];   /* values of from */
    sc_real *y, *kept, *scratch;
    /* backward */
    sc_real *dy;       /* may be overwritten */
    sc_real *dx[2];    /* NULL: not wanted */
    sc_real *d_weight; /* NULL: not wanted */
} sc_pass;

static inline size_t sc_nn__size(const sc_layer *l)
{
    return (size_t)l->fields * l->width;
}

/** Fields of a sample that are in use. */
uint32_t sc_nn__count(const sc_pass *p, const sc_layer *l, size_t sample);
/** out = v or out += v, [n]. */
void sc_nn__give(sc_real *out, const sc_real *v, size_t n, bool fresh);

void sc_nn__activate(sc_activation act, sc_real *y, const sc_real *z, size_t n);
/** d *= act'(z), with y = act(z). */
void sc_nn__deactivate(sc_activation act, sc_real *d, const sc_real *z, const sc_real *y, size_t n);
/** x[n] to exp(x - max) / sum, in place. */
void sc_nn__softmax(sc_real *x, size_t n);

void sc_nn__embed(const sc_pass *p);
void sc_nn__embed_back(const sc_pass *p);
void sc_nn__tokens(const sc_pass *p);
void sc_nn__tokens_back(const sc_pass *p);
void sc_nn__dense(const sc_pass *p);
void sc_nn__dense_back(const sc_pass *p);
void sc_nn__norm(const sc_pass *p);
void sc_nn__norm_back(const sc_pass *p);
void sc_nn__attention(const sc_pass *p);
void sc_nn__attention_back(const sc_pass *p);
void sc_nn__add(const sc_pass *p);
void sc_nn__add_back(const sc_pass *p);
void sc_nn__multiply(const sc_pass *p);
void sc_nn__multiply_back(const sc_pass *p);
void sc_nn__join(const sc_pass *p);
void sc_nn__join_back(const sc_pass *p);
void sc_nn__pool(const sc_pass *p);
void sc_nn__pool_back(const sc_pass *p);
void sc_nn__mix(const sc_pass *p);
void sc_nn__mix_back(const sc_pass *p);
#endif
