#ifndef SCANTLE_WORKLOAD_H
#define SCANTLE_WORKLOAD_H
/**
 * @file scantle/workload.h
 * @brief Neural networks as op graphs: built-in generators and YAML files.
 */
#include <stddef.h>
#include <stdint.h>

#include "scantle/error.h"
#ifdef __cplusplus
extern "C" {
#endif

typedef struct sc_workload sc_workload;

/**
 * Open a network: a built-in name with options ("efficientnet-b0", "bert-base:seq=128,batch=8",
 * "llama2-7b:decode,ctx=2048") or the path of a YAML file ("net.yaml", "net.yaml:batch=8"). Every
 * network takes batch=N and bits=8|16|32 (of an element; built-ins have 16).
 * @param[out] out  owned by the caller; untouched on failure.
 * @return SC_OK; SC_ENOTFOUND for an unknown name (with a suggestion) or file; SC_EINVAL for a bad
 *         option, a batch of 0 included; SC_EPARSE with file:line:column for what a file says,
 * every error of it; SC_EIO; SC_ERANGE if a count of a built-in passes 2^63 - 1; SC_ENOMEM.
 * Threads: safe. Cost: O(ops).
 */
SC_API sc_status sc_workload_open(sc_workload **out, const char *spec) SC_MUST_USE;
/**
 * Import an ONNX file, and say what was assumed. The importer reads no weights; what it makes of
 * each op stands in docs/formats/onnx.md.
 * @param[out] out     NULL where the graph has no op to run (only constants and reshapes).
 * @param[out] report  `{"name","opset","nodes","ops","macs","parameters","network_parameters",
 *                     "batch","bits","macs_by_op":{},"assumptions":[],"more_assumptions"}`;
 *                     parameters: elements of the file's initializers; network_parameters: those of
 *                     the op graph, norms with two a channel. Free with sc_release(). NULL: no
 *                     report, and a graph without an op to run is an error.
 * @param spec         path, or path and options: "model.onnx:batch=4,seq=128,dim name=3". A
 * dimension that the file leaves open is 1 unless bound by its name or as "input[2]", by `batch`
 * (the first of an input, or one called so) or by `seq`; `bits` as for every network;
 * `unsupported=refuse` refuses ops that are not known, which are otherwise counted as movement.
 * @return SC_OK; SC_ENOTFOUND; SC_EINVAL for a bad option or a dimension the file does not have;
 *         SC_EPARSE naming node and reason for a file that is cut short, nested too deeply, larger
 *         than an importer takes, or a graph that is no sound network (a cycle, a missing shape,
 *         shapes that do not fit, control flow, ops with multiplications that are not known);
 *         SC_ERANGE if a count passes 2^63 - 1; SC_EIO; SC_ENOMEM.
 * Threads: safe. Cost: linear in the file less its weights. Outputs are untouched on failure.
 */
SC_API sc_status sc_workload_import_onnx(sc_workload **out, char **report,
                                         const char *spec) SC_MUST_USE;
/** The same network at another batch size (>= 1), a new object: activations and work are
 * multiplied, parameters are not. @return SC_OK; SC_EINVAL for 0; SC_ERANGE past 2^63 - 1;
 * SC_ENOMEM. */
SC_API sc_status sc_workload_with_batch(sc_workload **out, const sc_workload *w,
                                        uint64_t batch) SC_MUST_USE;
SC_API void sc_workload_destroy(sc_workload *w); /**< NULL is fine */

SC_API const char *sc_workload_name(const sc_workload *w);
SC_API uint64_t sc_workload_batch(const sc_workload *w);
SC_API size_t sc_workload_ops(const sc_workload *w);
SC_API uint64_t sc_workload_macs(const sc_workload *w);       /**< batch included */
SC_API uint64_t sc_workload_parameters(const sc_workload *w); /**< elements */
/** 32 hexadecimal digits that name the content (graph, shapes, precision, batch), not the name. */
SC_API sc_status sc_workload_fingerprint(char out[33], const sc_workload *w) SC_MUST_USE;

/** `{"name","ops","macs","parameters","batch","op_list":[...]}`; free with sc_release(). */
SC_API sc_status sc_workload_json(char **out, const sc_workload *w) SC_MUST_USE;
/** The YAML form of docs/formats/workload.md; reads back equal. Free with sc_release(). */
SC_API sc_status sc_workload_yaml(char **out, const sc_workload *w) SC_MUST_USE;

/** Built-ins, in a fixed order; NULL past the end. */
SC_API const char *sc_workload_builtin(size_t i);
/** One line on a built-in: what it is, its options, its source. */
SC_API const char *sc_workload_builtin_about(size_t i);
#ifdef __cplusplus
}
#endif
#endif
