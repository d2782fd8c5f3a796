#ifndef WORKLOADS_NET_H
#define WORKLOADS_NET_H
/**
 * What the built-in generators are written in: calls that append ops to one network and remember
 * the first failure, so that a generator reads as the network and its caller checks once. After a
 * failure every call does nothing and returns -1.
 */
#include "workloads/builder.h"

enum { SC_NET_OPTIONS = 4, SC_PREFIX_LEN = 24 };

/** One option of a built-in, a whole number or a flag. */
typedef struct sc_net_option {
    const char *key;     /* "" = a value that stands alone: unet:572 */
    uint64_t fallback;   /* value when not given; unused for a flag */
    uint64_t most;       /* values are 1 to this; 0 = a flag */
    const char *with;    /* only together with that flag; NULL = always */
    const char *without; /* never together with that flag; NULL = always */
} sc_net_option;

typedef struct sc_net {
    sc_builder *b;
    sc_status status;
    char prefix[SC_PREFIX_LEN];     /* put before every name */
    uint64_t value[SC_NET_OPTIONS]; /* of the generator's options; a flag is 0 or 1 */
} sc_net;

/** One built-in network. */
typedef struct sc_generator {
    const char *name, *about;
    const sc_net_option *options; /* [n_options] beside batch and bits */
    size_t n_options;
    void (*build)(sc_net *n, const void *table);
    const void *table; /* what a family's members differ in */
} sc_generator;

/* Families; each ends with a generator whose name is NULL. */
extern const sc_generator sc_net_efficientnets[], sc_net_mobilenets[], sc_net_resnets[],
    sc_net_transformers[], sc_net_llms[], sc_net_unets[], sc_net_alexnets[], sc_net_detectors[],
    sc_net_recurrents[], sc_net_vggs[];

/** Flags of the calls below. */
enum {
    SC_NET_BN = 1,       /* batch norm folded in: 2 parameters a produced channel */
    SC_NET_BIAS = 2,     /* 1 parameter a produced channel */
    SC_NET_INPUT_BN = 4, /* batch norm before: 2 parameters a read channel */
    SC_NET_VALID = 8,    /* no padding (otherwise: result = ceil(input / stride)) */
    SC_NET_CENTRED = 16  /* (kernel - 1) / 2 on both sides, as PyTorch models pad */
};

void sc_net_prefix(sc_net *n, const char *fmt, ...) SC_PRINTF(2, 3);
int32_t sc_net_input(sc_net *n, const char *name, sc_shape shape);
int32_t sc_net_add(sc_net *n, const sc_op_spec *spec);
/** Record a failure of the generator itself. */
void sc_net_fail(sc_net *n, sc_status status);
/** Result of an op, or a network input; all 1 after a failure. */
sc_shape sc_net_shape(const sc_net *n, int32_t producer);

/* Square windows over height and width. */
int32_t sc_net_conv(sc_net *n, const char *name, int32_t in, uint64_t channels, uint64_t kernel,
                    uint64_t stride, unsigned flags);
int32_t sc_net_dwconv(sc_net *n, const char *name, int32_t in, uint64_t kernel, uint64_t stride,
                      unsigned flags);
int32_t sc_net_max_pool(sc_net *n, const char *name, int32_t in, uint64_t kernel, uint64_t stride,
                        unsigned flags);
int32_t sc_net_global_pool(sc_net *n, const char *name, int32_t in, unsigned flags);
int32_t sc_net_fc(sc_net *n, const char *name, int32_t in, uint64_t channels, unsigned flags);
int32_t sc_net_matmul(sc_net *n, const char *name, int32_t in, uint64_t channels, unsigned flags);
/** An op of two operands (add, mul, concat, a norm) or of one (b = SC_NET_NONE). */
enum { SC_NET_NONE = INT32_MIN };
int32_t sc_net_op(sc_net *n, const char *name, sc_op_kind kind, const char *function, int32_t a,
                  int32_t b);
#endif
