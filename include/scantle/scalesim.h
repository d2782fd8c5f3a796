#ifndef SCANTLE_SCALESIM_H
#define SCANTLE_SCALESIM_H
/**
 * @file scantle/scalesim.h
 * @brief Input of the public systolic-array simulator: its .cfg and topology .csv files.
 */
#include "scantle/workload.h"
#ifdef __cplusplus
extern "C" {
#endif

/**
 * Read a topology, and maybe a configuration, into a network and a platform.
 *
 * A topology is a table of convolutions (name, input height and width, filter height and width,
 * channels, filters, one stride or two) or of products (name, M, N, K), with or without a header
 * line. What such files leave to their reader is told in the report: no padding (inputs carry it),
 * a last window that overhangs is counted, depthwise layers are known by their name ("dw",
 * "depthwise", "DP"), layers are not joined, a missing or a further comma ends a line.
 * @param[out] out       the network: every layer reads an input of its own; int8 elements.
 * @param[out] platform  the configuration as a platform (docs/formats/template.md), free with
 *                       sc_release(); NULL where there is none, or it cannot be one (see the
 *                       report).
 * @param[out] report    `{"name","layers","macs","parameters","array":{"rows","cols","dataflow"},
 *                       "assumptions":[]}`; free with sc_release().
 * @param      config    path; NULL: no configuration, array is null.
 * @return SC_OK; SC_EPARSE with every error (the first 20) as file:line:column; SC_ENOTFOUND,
 *         SC_EIO; SC_ERANGE if a total passes 2^63 - 1; SC_ENOMEM. Outputs are untouched on
 *         failure. Threads: safe. Cost: linear in the files.
 */
SC_API sc_status sc_scalesim_import(sc_workload **out, char **platform, char **report,
                                    const char *config, const char *topology) SC_MUST_USE;
#ifdef __cplusplus
}
#endif
#endif
