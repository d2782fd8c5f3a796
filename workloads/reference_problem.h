#ifndef WORKLOADS_REFERENCE_PROBLEM_H
#define WORKLOADS_REFERENCE_PROBLEM_H
/** The problem files of the public reference tool (`problem: {shape: ..., instance: ...}`). */
#include <stdbool.h>

#include "core/yaml.h"
#include "workloads/einsum.h"

/** Whether two keys are the same, - and _ alike. */
bool sc_reference_same(const char *a, const char *b);

/**
 * Read one problem into an einsum.
 *
 * `shape` has dimensions, coefficients (name and default) and data spaces, whose projections are
 * lists of ranks, a rank a list of terms, a term one dimension and any coefficients:
 * [[[C]], [[R, Wdilation], [P, Wstride]]]. Flat forms are read too: a rank may be one name, or a
 * list of names that are all dimensions (their sum) or one dimension and coefficients (a product).
 * Keys are taken with - or _ (data_spaces, data-spaces); those of no meaning are passed over with a
 * warning, mistyped ones are errors. `instance` binds every dimension and
 * any coefficient; a value may be a name bound in @p macros. The shape `cnn-layer`, by name or by
 * leaving `shape` out, is the reference tool's own; sizes may then stand directly under `problem`.
 *
 * Roles: the read-write data space is the output. The first read-only one whose name holds "weight"
 * or "filter" (any case) or is "B" is the weight; where none is, the second read-only one. The
 * others are inputs.
 *
 * @param[out] out   untouched on failure.
 * @param doc        the document of @p problem; takes the errors and warnings.
 * @param problem    the value of the key `problem`.
 * @param macros     a map from names to integers, of any document; NULL if there is none.
 * @param bits       of an element of every tensor: the form has no precision.
 * @return SC_OK; SC_EPARSE with every error as file:line:column; SC_ENOMEM. Threads: safe on
 *         distinct documents. Cost: linear in the text.
 */
sc_status sc_reference_problem_read(sc_einsum *out, const sc_yaml *doc, const sc_node *problem,
                                    const sc_node *macros, uint32_t bits) SC_MUST_USE;
#endif
