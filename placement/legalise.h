#ifndef PLACEMENT_LEGALISE_H
#define PLACEMENT_LEGALISE_H
/** Any start made legal: hard macros inside, off each other and off blockages, moved little. */
#include "core/buf.h"
#include "placement/placement.h"

/**
 * Put hard macros that stand illegally on the nearest free places, large ones first; bring centres
 * of soft macros into the canvas. What is fixed stays. A start that is legal is not changed.
 * @param spot  [list->n_blocks], changed in place; as far as it got if there is no place.
 * @param[out] moved_um  sum of the distances that hard macros went.
 * @param[out] why  stays empty if all is well; else which macros have no place, with sizes.
 * @return SC_OK, also if there is no place; SC_ENOMEM. Cost: O(m^2) places a macro at the worst,
 *         each O(m), for m macros; nearest first.
 */
sc_status sc_legalise(sc_spot *spot, double *moved_um, sc_buf *why, const sc_netlist *list,
                      const sc_canvas *canvas) SC_MUST_USE;
#endif
