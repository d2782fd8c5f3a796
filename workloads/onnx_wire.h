#ifndef WORKLOADS_ONNX_WIRE_H
#define WORKLOADS_ONNX_WIRE_H
/**
 * The protocol-buffer form of an ONNX file, looked through before it is decoded. The decoder calls
 * itself for every level of nesting and copies all it finds, so a file is first brought down to
 * what an importer reads: depth and sizes are capped, weights are stepped over without being read.
 */
#include <stddef.h>
#include <stdint.h>

#include "scantle/error.h"

enum {
    SC_ONNX_DEPTH = 64,        /* messages within messages; a subgraph is three of them */
    SC_ONNX_ELEMENTS = 1024,   /* a tensor of more has no bearing on shapes: its data are dropped */
    SC_ONNX_NAME_BYTES = 4096, /* longest name */
    SC_ONNX_WINDOW = 1 << 15,  /* bytes of a file held at a time */
    SC_ONNX_KEPT_MIB = 48,     /* of the file less its weights and comments */
    SC_ONNX_DECODED_MIB = 128  /* of what the decoder makes of it */
};

/** Where a model comes from: `bytes`, or an open file. */
typedef struct sc_onnx_source {
    const char *name;     /* for messages */
    const uint8_t *bytes; /* [size], or NULL */
    int fd;
    uint64_t size, window_start, window_size; /* window_size: 0 at first */
    uint8_t window[SC_ONNX_WINDOW];
} sc_onnx_source;

/**
 * Copy a model without weights, comments, and fields that the schema does not know.
 * @param[out] out     protocol-buffer form, for onnx__model_proto__unpack; free with sc_free().
 * @param[out] length  its bytes.
 * @return SC_OK; SC_EPARSE naming the place for a file that is cut short, nested deeper than
 *         SC_ONNX_DEPTH, over the caps, or no protocol buffer of the schema; SC_EIO; SC_ENOMEM.
 * Cost: linear in the file less its weights. Memory: the copy. No recursion.
 */
sc_status sc_onnx_strip(char **out, size_t *length, sc_onnx_source *source) SC_MUST_USE;
#endif
