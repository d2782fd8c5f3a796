#ifndef PLACEMENT_START_SPREAD_H
#define PLACEMENT_START_SPREAD_H
/** Blocks spread over the free area of a canvas, their order along each axis kept as far as it
 * goes. */
#include "placement/placement.h"

enum { SC_SPREAD_SIDE = 64 }; /* bins along each axis */

typedef struct sc_spread {
    double bin_um[2];
    double *room;             /* [bins] area that is free, um2 */
    uint32_t *item, *scratch; /* [n] */
    uint32_t n;
} sc_spread;

/** @param n  items at most. @return SC_OK; SC_ENOMEM. */
sc_status sc_spread_init(sc_spread *s, const sc_canvas *canvas, uint32_t n) SC_MUST_USE;
void sc_spread_clear(sc_spread *s);
/** Take the area of a box away. */
void sc_spread_take(sc_spread *s, double x0_um, double y0_um, double x1_um, double y1_um);
/** Places for items: the canvas is halved again and again, and the items shared out in the order of
 *  their places so that both halves are as full.
 *  @param[in,out] at  [2][n] places along x and y.
 *  @param area  [n] um2.  Cost: O(n log^2 n). */
void sc_spread_items(sc_spread *s, double *const at[2], const double *area, uint32_t n);
#endif
