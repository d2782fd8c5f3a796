#ifndef MODEL_NET_CALIBRATED_H
#define MODEL_NET_CALIBRATED_H
/** Cycles of a mapped op by a calibration: the tiled-run model with factors fitted to measurements
 * in place of the analytic time. See docs/algorithms/calibration.md. */
#include <jansson.h>

#include "model/mapper/mapper.h"

/**
 * The mapping as a host would run it: the loops of the outermost level hand tiles to the array, all
 * inner loops make the tile; samples, heads, groups and steps of a recurrent op run one after the
 * other.
 * @param[out] cycles  whole run of the padded op; untouched where there is no such form.
 * @return whether the op has the form that was calibrated: a 2-D convolution without dilation, or a
 * matrix product. Depthwise, transposed and 3-D convolutions do not. Threads: safe. Allocates
 * nothing.
 */
bool sc_calibrated_cycles(double *cycles, const sc_mapped *m, const sc_arch *a);

/** `{"name","driver","hash"}`, or null for none; a failure for memory turns *ok false. */
json_t *sc_calibration_json(const sc_calibration *c, bool *ok);
#endif
