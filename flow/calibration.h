#ifndef FLOW_CALIBRATION_H
#define FLOW_CALIBRATION_H
/** Named calibrations of the tiled-run model and what they were made from. Form: the page
 *  docs/algorithms/calibration.md. */
#include <jansson.h>

#include "core/buf.h"
#include "flow/tiled_fit.h"
#include "model/arch/calibration.h"

/** What a fit was made from and how far it is off, as it stands in the file. */
typedef struct sc_calibration_record {
    const char *target, *group;
    uint32_t folds;
    sc_fit_quality uncalibrated, fitted, held_out;
} sc_calibration_record;

/** The file. @return SC_OK or SC_ENOMEM. */
sc_status sc_calibration_write(char **yaml, const sc_calibration *c, const sc_measured *m,
                               const sc_calibration_record *r) SC_MUST_USE;
#endif
