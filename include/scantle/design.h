#ifndef SCANTLE_DESIGN_H
#define SCANTLE_DESIGN_H
/**
 * @file scantle/design.h
 * @brief Accelerator designs: a template with parameter values, its area and its thermal design
 * power.
 */
#include <stddef.h>
#include <stdint.h>

#include "scantle/error.h"
#ifdef __cplusplus
extern "C" {
#endif

typedef struct sc_design sc_design;

/** Folder of templates/, technology/ and platforms/; the library reads no environment, so the
 * program sets it (default: the installed one). Call before any thread is started. The path is
 * copied. @return SC_OK; SC_EINVAL if it is empty or over 4095 bytes. */
SC_API sc_status sc_data_dir_set(const char *path) SC_MUST_USE;
/** The folder in use; valid until the next sc_data_dir_set(). */
SC_API const char *sc_data_dir(void);

/**
 * Open a design: a built-in platform ("tpu-v3", "tpu-v3-7nm"), a template with values
 * ("fast:pes_x=8,l3_global=16MiB"), or the path of a YAML file (design or template with `values`).
 * Values are canonicalised: parameters that have no effect take their fixed value.
 * @return SC_OK; SC_ENOTFOUND (with a suggestion); SC_EINVAL for a value outside its domain;
 *         SC_ERANGE if the values make no chip; SC_EPARSE with file:line:column; SC_EIO; SC_ENOMEM.
 * Threads: safe.
 */
SC_API sc_status sc_design_open(sc_design **out, const char *spec) SC_MUST_USE;
SC_API void sc_design_destroy(sc_design *d); /**< NULL is fine */

/**
 * Time the design's convolutions and matrix products by a calibration, as sc_calibrate() writes
 * it: docs/algorithms/calibration.md. Before it is evaluated; the fingerprint stays that of the
 * hardware, and evaluations say which calibration they are of.
 * @param reference  name of a shipped calibration, or the path of a file.
 * @return SC_OK; SC_EINVAL for a design that is not one square array; SC_ENOTFOUND (with a
 *         suggestion), SC_EPARSE with file:line:column, SC_EIO, SC_ENOMEM: d is then untouched.
 */
SC_API sc_status sc_design_calibrate(sc_design *d, const char *reference) SC_MUST_USE;

/** The design's own name if its file gives one, else its template's. Borrowed. */
SC_API const char *sc_design_name(const sc_design *d);
/** The canonical spec: opens to an equal design. Borrowed. */
SC_API const char *sc_design_spec(const sc_design *d);
/** 32 hexadecimal digits over the template, its technology table and the canonical values; the
 *  design's name is not in them. @return SC_OK. */
SC_API sc_status sc_design_fingerprint(char out[33], const sc_design *d) SC_MUST_USE;
/** Area of the die and thermal design power; docs/algorithms/area_power.md. */
SC_API double sc_design_area_mm2(const sc_design *d);
SC_API double sc_design_tdp_w(const sc_design *d);
/** `{"name","template","values":{...},"levels":[...],"area_mm2","area":{...},"tdp_w","tdp":{...}}`
 *  and what docs/formats/design.md lists beside these. Free with sc_release().
 *  @return SC_OK; SC_ENOMEM. Threads: safe. */
SC_API sc_status sc_design_json(char **out, const sc_design *d) SC_MUST_USE;

/**
 * A changed copy: `name=value` assignments separated by commas, over the design's own values. It
 * has the name of the template.
 * @param[out] out  owned by the caller, independent of d; untouched on failure.
 * @return SC_OK; SC_EINVAL with one line for each wrong assignment; SC_ERANGE if the values make no
 *         chip; SC_ENOMEM. Threads: safe.
 */
SC_API sc_status sc_design_with(sc_design **out, const sc_design *d,
                                const char *assignments) SC_MUST_USE;

/** Built-in platforms and templates, in a fixed order; NULL past the end. */
SC_API const char *sc_design_builtin(size_t i);
/** One line on a built-in. */
SC_API const char *sc_design_builtin_about(size_t i);
#ifdef __cplusplus
}
#endif
#endif
