#ifndef WORKLOADS_BUILDER_H
#define WORKLOADS_BUILDER_H
/**
 * Building an op graph: ops are described, shapes are inferred, every product is checked. What the
 * generators, the YAML reader and the importers share; a workload keeps the descriptions, so that
 * another batch size is a second run of the same ones.
 */
#include "workloads/graph.h"

/** Largest network taken: an op row costs about a kilobyte. */
enum { SC_MAX_OPS = 1 << 17, SC_MAX_OP_INPUTS = 1024 };

typedef enum sc_padding {
    SC_PAD_EXPLICIT, /* by `pad`; all 0 unless set */
    SC_PAD_SAME,     /* result = ceil(input / stride); transposed: input * stride */
    SC_PAD_VALID,    /* none */
    SC_PADDINGS
} sc_padding;

/** Axes of kernel, stride and dilation; `pad` has their leading sides, then their trailing ones. */
enum { SC_DEPTH, SC_HEIGHT, SC_WIDTH, SC_AXES };

typedef struct sc_input_ref {
    int32_t producer; /* an earlier op, or -1 - i for the i-th network input */
    sc_shape take;    /* extents of the part that is read; 0 = all of them */
    sc_shape as; /* read as a tensor of this shape: what is produced, reshaped, reordered, cut or
                    repeated on the way in; then `take` is left out. All 0 = as produced */
} sc_input_ref;

/** One op as a generator or a file states it; 0, false and NULL mean "not stated". */
typedef struct sc_op_spec {
    const char *name;
    sc_op_kind kind; /* a conv whose groups are its input channels (> 1) becomes a dwconv */
    const char *function;
    size_t n_inputs;
    const sc_input_ref *inputs;
    uint32_t bits;     /* 0 = the network's */
    uint64_t channels; /* produced: conv, tconv, fc, matmul, embed. dwconv: 0 = as many as read */
    /* windows: conv, dwconv, tconv, pool */
    uint64_t kernel[SC_AXES], stride[SC_AXES], dilation[SC_AXES]; /* 0 = 1; pool's stride 0 = its
                                                                     kernel */
    sc_padding padding;
    uint64_t pad[2 * SC_AXES];        /* front, top, left, back, bottom, right */
    uint64_t output_padding[SC_AXES]; /* tconv: added behind the result */
    uint64_t groups;                  /* conv, tconv */
    bool global;                      /* pool: one window over the whole map */
    /* parameters beside the weights */
    bool bias;       /* one a produced channel */
    bool batch_norm; /* folded into the op: 2 a produced channel */
    bool input_norm; /* batch norm before the op (pre-activation): 2 a read channel */
    bool layer_norm; /* embed: normalised afterwards, 2 a channel */
    /* bmm: `transpose` multiplies by the transposed second operand (attention scores): operands
     * [heads * k][m] and [kv_heads * k][n], result [heads][m][n]. Without: operands [heads][m][k]
     * and [kv_heads * n][k], result [heads * n][m]. */
    uint64_t heads, kv_heads; /* kv_heads 0 = heads */
    uint64_t cache;           /* earlier positions of the second operand, read from a cache */
    bool transpose;
    /* matmul: channels of the state that is fed back; its input, of `channels` channels, is added
     * to the product, and each position waits for the one before (an LSTM's recurrent half) */
    uint64_t recurrent;
    uint64_t vocabulary, positions, types; /* embed: rows of the tables; the last two may be 0 */
    uint64_t tokens;     /* add of function "position": learned positions put before the others */
    sc_shape shape;      /* of the result. resize: 0 = as read; reshape: 0 = 1 */
    uint64_t parameters; /* add, mul, activation: elements of a learned operand (a mask, a slope) */
} sc_op_spec;

typedef struct sc_builder sc_builder;

/** Start a network. @param bits of an element where an op does not say otherwise.
 *  @return SC_OK; SC_EINVAL for 0 bits or more than 64; SC_ENOMEM. */
sc_status sc_builder_create(sc_builder **out, const char *name, uint64_t batch,
                            uint32_t bits) SC_MUST_USE;
void sc_builder_destroy(sc_builder *b); /* NULL is fine */

/** Declare the next network input. @param[out] producer what its readers name.
 *  @return SC_OK; SC_EINVAL for an extent or batch of 0 ("batch 0 in tensor 'image'") or a name
 *          that is taken; SC_ENOMEM. */
sc_status sc_builder_input(sc_builder *b, int32_t *producer, const char *name,
                           sc_shape shape) SC_MUST_USE;

/**
 * Append an op. Strings and arrays of @p spec are copied. A failure leaves the network as it was,
 * so a reader can go on to find more errors.
 * @param[out] index of the new op.
 * @return SC_OK; SC_EINVAL saying which extent does not fit which (effective kernel larger than the
 *         padded input, groups that do not divide, shapes that differ, a name that is taken);
 *         SC_ERANGE if a count passes 2^63 - 1; SC_ENOMEM. Cost: O(inputs).
 */
sc_status sc_builder_add(sc_builder *b, int32_t *index, const sc_op_spec *spec) SC_MUST_USE;

/** Producer of that name, an op's or a network input's. @return false if there is none. */
bool sc_builder_find(const sc_builder *b, int32_t *producer, const char *name);
size_t sc_builder_ops(const sc_builder *b);
const sc_op *sc_builder_op(const sc_builder *b, size_t i);
/** Shape of what a producer gives. @return false, *out untouched, if there is none of that number.
 */
bool sc_builder_shape(const sc_builder *b, sc_shape *out, int32_t producer);
/** Text kept as long as the network. NULL on out of memory. */
char *sc_builder_printf(sc_builder *b, const char *fmt, ...) SC_PRINTF(2, 3);

/** Total up and hand over; the builder is empty afterwards, and only to be destroyed.
 *  @return SC_OK; SC_EINVAL for a network without ops; SC_ERANGE if a total passes 2^63 - 1;
 *          SC_ENOMEM. */
sc_status sc_builder_finish(sc_workload **out, sc_builder *b) SC_MUST_USE;

/** The same network at another batch size and default precision, a new object. @return as
 *  sc_builder_create(), sc_builder_input() and sc_builder_add(). */
sc_status sc_workload__derive(sc_workload **out, const sc_workload *w, uint64_t batch,
                              uint32_t bits) SC_MUST_USE;
#endif
