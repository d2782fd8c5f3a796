#ifndef WORKLOADS_ONNX_IMPORT_H
#define WORKLOADS_ONNX_IMPORT_H
/** ONNX files as op graphs. Form, rules and assumptions: docs/formats/onnx.md. */
#include "workloads/graph.h"
#include "workloads/onnx_wire.h"

/**
 * Read the options behind a path and import.
 * @param[out] out     the network; NULL where no op of the graph is a row (only reshapes,
 * constants).
 * @param[out] report  JSON as of sc_workload_import_onnx(); may be NULL. Free with sc_free().
 * @param options      "batch=4,seq=128,unsupported=refuse,name of a dimension=3", or "".
 * @return as sc_workload_import_onnx().
 */
sc_status sc_onnx_import(sc_workload **out, char **report, sc_onnx_source *source,
                         const char *options) SC_MUST_USE;

/** The same for a file, or "path.onnx:options". A network without rows is SC_EPARSE where @p report
 *  is NULL. */
sc_status sc_onnx_open(sc_workload **out, char **report, const char *spec) SC_MUST_USE;

/** Whether a spec names an ONNX file by its suffix, options or not. */
bool sc_onnx_is_spec(const char *spec);
#endif
