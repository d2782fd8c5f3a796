#ifndef TESTS_ONNX_WRITE_H
#define TESTS_ONNX_WRITE_H
/**
 * ONNX models as tests write them: a protocol-buffer encoder of a few functions, and over it calls
 * that add inputs, weights and nodes to one graph. Lists of names are separated by blanks; "-" is a
 * name that is left out. Running out of memory ends the test.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "workloads/graph.h"

/** Bytes that grow. */
typedef struct pb {
    uint8_t *bytes;
    size_t n, capacity;
} pb;

void pb_raw(pb *b, const void *bytes, size_t n);
void pb_varint(pb *b, unsigned field, uint64_t v);
void pb_float(pb *b, unsigned field, float v);
void pb_bytes(pb *b, unsigned field, const void *bytes, size_t n);
void pb_text(pb *b, unsigned field, const char *text);
/** Tag and length of a field whose bytes are still to come. */
void pb_head(pb *b, unsigned field, uint64_t length);
/** A message as a field; it is emptied. */
void pb_message(pb *b, unsigned field, pb *inner);
void pb_clear(pb *b);

/** Element types used in tests. */
enum { F32 = 1, U8 = 2, I8 = 3, I32 = 6, I64 = 7, B8 = 9, F16 = 10, F64 = 11 };

/** A graph being written: of a model, a function or a subgraph. */
typedef struct om {
    pb graph, node, functions;
    bool open;      /* a node takes attributes */
    unsigned nodes; /* field number of nodes: 1 in graphs, 7 in functions */
} om;

/** A list of integers and how many they are. */
#define L(...)                                                                                     \
    sizeof((int64_t[]){__VA_ARGS__}) / sizeof(int64_t), (const int64_t[])                          \
    {                                                                                              \
        __VA_ARGS__                                                                                \
    }
#define NO_DIMS 0, NULL

om om_graph(void);
om om_function(const char *domain, const char *name, const char *inputs, const char *outputs);
/** An extent of -1 is left open, one of 0 or below -1 is written as it is. */
void om_input(om *m, const char *name, int elem, size_t rank, const int64_t *dims);
/** An input whose first extents have names. */
void om_input_named(om *m, const char *name, int elem, const char *names, size_t rank,
                    const int64_t *dims);
void om_output(om *m, const char *name);
/** Shape of a value as the file states it. */
void om_info(om *m, const char *name, int elem, size_t rank, const int64_t *dims);
/** A weight without data. */
void om_weight(om *m, const char *name, int elem, size_t rank, const int64_t *dims);
/** Integers as a constant vector, and one as a scalar. */
void om_ints(om *m, const char *name, size_t n, const int64_t *values);
void om_int(om *m, const char *name, int64_t value);
void om_int32s(om *m, const char *name, size_t n, const int32_t *values);
void om_reals(om *m, const char *name, size_t n, const float *values);

void om_node(om *m, const char *op, const char *inputs, const char *outputs);
void om_in_domain(om *m, const char *domain);
void om_named(om *m, const char *name);
void om_attr_int(om *m, const char *name, int64_t v);
void om_attr_real(om *m, const char *name, float v);
void om_attr_text(om *m, const char *name, const char *v);
void om_attr_ints(om *m, const char *name, size_t n, const int64_t *v);
void om_attr_graph(om *m, const char *name, om *graph);
/** A tensor of one integer, as Constant and ConstantOfShape have it. */
void om_attr_tensor(om *m, const char *name, int64_t v);
/** Inside a function: the attribute of its call. */
void om_attr_from(om *m, const char *name, const char *from);
/** Add a function to the model; it is emptied. */
void om_add_function(om *m, om *function);

/** The graph alone, a message; m is emptied. */
pb om_close(om *m);
/** The whole model; m is emptied. Free bytes with pb_clear(). */
pb om_model(om *m);

/** Import a model (emptied) with options. */
sc_status om_import(sc_workload **w, char **report, om *m, const char *options);
/** Import one that must be sound. */
sc_workload *om_take(om *m);
/** One that must be refused with SC_EPARSE and a message that holds the text. */
void om_refused(om *m, const char *text);
#endif
