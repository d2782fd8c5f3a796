#ifndef SCANTLE_ROI_H
#define SCANTLE_ROI_H
/**
 * @file scantle/roi.h
 * @brief Return on investment of a chip of one's own: what its units save against the ones they
 * replace, over what its design costs, and the volume at which it breaks even.
 */
#include <stddef.h>
#include <stdint.h>

#include "scantle/error.h"
#ifdef __cplusplus
extern "C" {
#endif

/** One unit in service: a chip with what belongs to it. */
typedef struct sc_roi_unit {
    const char *node;        /**< technology, as the economics name it: "7nm" */
    double throughput_per_s; /**< samples (decode: tokens) a second */
    double area_mm2;         /**< of the die */
    double tdp_w, power_w;   /**< what is provisioned, what is drawn on average */
    const double *price_usd; /**< of a unit that is bought; NULL: made, as the economics say */
} sc_roi_unit;

typedef struct sc_roi_options {
    uint32_t version;
    const char *economics; /**< a shipped file's name, or a path; NULL: "datacenter" */
    const double
        *design_usd;       /**< what the design costs; NULL: what the economics say of its node */
    const double *volumes; /**< [n_volumes] units of the design, positive */
    size_t n_volumes;      /**< 0 = 1,000, 10,000 and 100,000 */
} sc_roi_options;
#define SC_ROI_OPTIONS_INIT                                                                        \
    {                                                                                              \
        1, 0, 0, 0, 0                                                                              \
    }

/**
 * Return on investment of a design whose units replace a baseline's at equal throughput.
 * Formulas, units and worked examples: docs/algorithms/roi.md. After Zhang et al., ASPLOS'22,
 * doi:10.1145/3503222.3507767 (volume x cost saved over design cost); differs: costs are sums of
 * stated parts, not taken to be in proportion to TDP.
 * @param[out] json  `{"economics","design":{"node","dies_per_wafer","yield","chip_usd","rest_usd",
 *                   "provisioning_usd","energy_usd","unit_usd"},"baseline":{...},"replaces",
 *                   "saved_per_unit_usd","design_cost_usd","break_even_units",
 *                   "break_even_replaced","volumes":[{"units","saved_usd","net_usd","roi"}],
 *                   "recalled":[keys whose source is marked so]}`; break-even null where a unit
 *                   saves nothing. Parts of the chip are null for a unit that is bought. Free with
 *                   sc_release().
 * @return SC_OK; SC_EINVAL for a figure that is not positive and finite, a die that no wafer holds,
 *         or a node without costs (naming those that have some); SC_ENOTFOUND, SC_EPARSE with
 *         file:line:column, SC_EIO for the economics; SC_ENOMEM. Threads: safe. Cost: O(volumes).
 */
SC_API sc_status sc_roi(char **json, const sc_roi_unit *design, const sc_roi_unit *baseline,
                        const sc_roi_options *o) SC_MUST_USE;
#ifdef __cplusplus
}
#endif
#endif
