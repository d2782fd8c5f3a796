#ifndef FLOW_CALIBRATION_H
#define FLOW_CALIBRATION_H
/** Named calibrations of the tiled-run model and what they were made from. Form: the page
 *  docs/algorithms/calibration.md. */
#include <jansson.h>

#include "core/buf.h"
#include "flow/tiled_fit.h"

enum { SC_CALIBRATION_NAME = 65 };

typedef struct sc_calibration {
    char name[SC_CALIBRATION_NAME];
    sc_tiled_driver driver;
    double factor[SC_TILED_FACTORS];
} sc_calibration;

/** What a fit was made from and how far it is off, as it stands in the file. */
typedef struct sc_calibration_record {
    const char *target, *group;
    uint32_t folds;
    sc_fit_quality uncalibrated, fitted, held_out;
} sc_calibration_record;

/** Index of a driver's name. @return SC_OK; SC_EINVAL with a suggestion. */
sc_status sc_calibration_driver(sc_tiled_driver *out, const char *name) SC_MUST_USE;
/** "plain" or "gemmini". */
const char *sc_calibration_driver_name(sc_tiled_driver driver);

/** Whether a name is 1 to 64 letters, digits, '-', '_' or '.'. @return SC_OK or SC_EINVAL. */
sc_status sc_calibration_check_name(const char *name) SC_MUST_USE;

/** The file. @return SC_OK or SC_ENOMEM. */
sc_status sc_calibration_write(char **yaml, const sc_calibration *c, const sc_measured *m,
                               const sc_calibration_record *r) SC_MUST_USE;
/** @return SC_OK; SC_EPARSE with every error as file:line:column; SC_ENOTFOUND, SC_EIO; SC_ENOMEM.
 */
sc_status sc_calibration_read(sc_calibration *out, const char *path) SC_MUST_USE;
#endif
