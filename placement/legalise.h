#ifndef PLACEMENT_LEGALISE_H
#define PLACEMENT_LEGALISE_H
/** Any start made legal: hard macros inside, off each other and off blockages, moved little. */
#include "core/buf.h"
#include "placement/rules.h"

/**
 * Make a start legal with little movement: of the nearest free places in turn and of a repair that
 * keeps the order of macros, each then brought nearer, the one that moves less; where both fail, a
 * packing found by search. Centres of soft macros are brought into the canvas and their region.
 * What is fixed stays. A start that is legal is not changed (docs/algorithms/legalising.md).
 * @param spot  [list->n_blocks], changed in place only if all have a place.
 * @param[out] moved_um  sum of the distances that hard macros went.
 * @param[out] why  stays empty if all is well; else a proof that nothing can be legal, or which
 *                  macros the search found no place for; with names and sizes.
 * @param rules  may be NULL.
 * @return SC_OK, also if there is no place; SC_ENOMEM. Cost: O(m^3) usually, m macros; the search
 *         at most some seconds. Determinism: bitwise. Threads: one.
 */
sc_status sc_legalise(sc_spot *spot, double *moved_um, sc_buf *why, const sc_netlist *list,
                      const sc_canvas *canvas, const sc_place_rules *rules) SC_MUST_USE;
#endif
