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
