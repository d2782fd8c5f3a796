#ifndef WORKLOADS_ONNX_FILE_H
#define WORKLOADS_ONNX_FILE_H
/** An ONNX file as plain data: what it says, before anything is understood. */
#include <stdbool.h>

#include "core/mem.h"
#include "workloads/onnx_wire.h"

/** Element types, numbered as in TensorProto.DataType. */
enum {
    SC_ONNX_FLOAT = 1,
    SC_ONNX_UINT8,
    SC_ONNX_INT8,
    SC_ONNX_UINT16,
    SC_ONNX_INT16,
    SC_ONNX_INT32,
    SC_ONNX_INT64,
    SC_ONNX_STRING,
    SC_ONNX_BOOL,
    SC_ONNX_FLOAT16,
    SC_ONNX_DOUBLE,
    SC_ONNX_UINT32,
    SC_ONNX_UINT64,
    SC_ONNX_COMPLEX64,
    SC_ONNX_COMPLEX128,
    SC_ONNX_BFLOAT16
};

/** Whether elements are numbers with a fraction. */
bool sc_onnx_is_real(int elem);
/** Bits of an element; 32 for types that have no size of their own. */
uint32_t sc_onnx_bits(int elem);

/** One number: `r` in tensors of a real type, else `i`. */
typedef union sc_onnx_number {
    int64_t i;
    double r;
} sc_onnx_number;

typedef struct sc_onnx_tensor {
    const char *name;
    int elem;
    size_t rank;
    const int64_t *dims;
    size_t n;                   /* of data */
    const sc_onnx_number *data; /* NULL: not kept, or not in the file */
} sc_onnx_tensor;

typedef struct sc_onnx_dim {
    const char *name; /* of a symbolic dimension, else NULL */
    int64_t size;     /* -1 where neither is given */
} sc_onnx_dim;

/** What a file says of a tensor. */
typedef struct sc_onnx_info {
    const char *name;
    int elem;
    bool tensor, shaped; /* tensor: false for sequences, maps, ... */
    size_t rank;
    const sc_onnx_dim *dims;
} sc_onnx_info;

typedef enum sc_onnx_attribute_kind {
    SC_ONNX_NONE,
    SC_ONNX_REAL,
    SC_ONNX_INT,
    SC_ONNX_TEXT,
    SC_ONNX_TENSOR,
    SC_ONNX_GRAPH,
    SC_ONNX_REALS,
    SC_ONNX_INTS,
    SC_ONNX_OTHER
} sc_onnx_attribute_kind;

typedef struct sc_onnx_attribute {
    const char *name;
    const char *from; /* inside a function: name of the attribute of its call; else NULL */
    sc_onnx_attribute_kind kind;
    double real;
    int64_t integer;
    const char *text;
    size_t n; /* of the lists */
    const int64_t *ints;
    const float *reals;
    const sc_onnx_tensor *tensor;
    const struct sc_onnx_graph *graph;
} sc_onnx_attribute;

/** A node as it is written. */
typedef struct sc_onnx_call {
    const char *name, *op, *domain; /* "" where left out; the standard domain is "" */
    size_t n_inputs, n_outputs, n_attributes;
    char *const *inputs, *const *outputs; /* "" = left out */
    const sc_onnx_attribute *attributes;
} sc_onnx_call;

typedef struct sc_onnx_graph {
    const char *name;
    size_t n_nodes, n_weights, n_inputs, n_outputs, n_infos;
    const sc_onnx_call *nodes;
    const sc_onnx_tensor *weights; /* initializers, sparse ones too */
    const sc_onnx_info *inputs, *outputs, *infos;
} sc_onnx_graph;

typedef struct sc_onnx_function {
    const char *name, *domain;
    size_t n_inputs, n_outputs, n_nodes;
    char *const *inputs, *const *outputs;
    const sc_onnx_call *nodes;
} sc_onnx_function;

typedef struct sc_onnx_file {
    const char *name;
    int64_t opset; /* of the standard domain; 0 = not stated */
    const sc_onnx_graph *graph;
    size_t n_functions;
    const sc_onnx_function *functions;
} sc_onnx_file;

/**
 * Decode a model. Everything in @p out lives in the arena.
 * @return SC_OK; SC_EPARSE as sc_onnx_strip(), or for a model without a graph; SC_EIO; SC_ENOMEM.
 */
sc_status sc_onnx_decode(sc_onnx_file *out, sc_arena *arena, sc_onnx_source *source) SC_MUST_USE;

/** Attribute of a node by name; NULL if it has none. */
const sc_onnx_attribute *sc_onnx_attribute_of(const sc_onnx_call *call, const char *name);
#endif
