#ifndef SCANTLE_VALIDATE_H
#define SCANTLE_VALIDATE_H
/**
 * @file scantle/validate.h
 * @brief The model beside what others published or measured: counts, cycles, chips.
 */
#include <stdint.h>

#include "scantle/error.h"
#ifdef __cplusplus
extern "C" {
#endif

typedef struct sc_validate_options {
    uint32_t version;
    /** Folder of reference data, with timeloop/, systolic/ and rtl/ in it; NULL: sections that need
     *  it say that it is not there. */
    const char *data;
    int threads; /**< 0 = all cores; the result does not depend on it */
} sc_validate_options;
#define SC_VALIDATE_OPTIONS_INIT                                                                   \
    {                                                                                              \
        1, NULL, 0                                                                                 \
    }

/**
 * Validate. What is missing (a folder, a platform, a design that cannot run a network) is a row
 * that says so, never an error and never a figure.
 * @param[out] markdown  the page docs/validation.md; free with sc_release(). NULL is fine.
 * @param[out] json `{"sections":[{"title","about","rows":[{"what","published","modelled","unit",
 *                       "error","error_unit","aim","use","source","note"}]}]}`; what a row has not
 *                       is null. Free with sc_release(). NULL is fine.
 * @param      o         NULL = defaults.
 * @return SC_OK; SC_ENOMEM. Outputs are untouched on failure. Cost: some evaluations of whole
 *         networks, seconds. Threads: as sc_calibrate(), and not while another thread sets the
 *         data folder.
 */
SC_API sc_status sc_validate(char **markdown, char **json,
                             const sc_validate_options *o) SC_MUST_USE;
#ifdef __cplusplus
}
#endif
#endif
