#ifndef PLACEMENT_START_H
#define PLACEMENT_START_H
/** Where annealing begins if no placement is given: made of the netlist, the canvas and what is
 *  fixed alone. */
#include "core/buf.h"
#include "placement/rules.h"

/** Hard macros, larger ones first, along a spiral of the grid's cells from the edge inwards, soft
 *  macros in the middle; as the starts of published annealers. Not legal yet. Cost: O(n log n).
 *  @return SC_OK; SC_ENOMEM. */
sc_status sc_start_spiral(sc_spot *spot, const sc_netlist *list,
                          const sc_canvas *canvas) SC_MUST_USE;

/**
 * Least quadratic wirelength against spreading, hard macros legalised, soft ones spread beside
 * them. Reference: Kim, Lee, Markov, "SimPL: an effective placement algorithm", ICCAD'10,
 * doi:10.1109/ICCAD.2010.5654229; nets: Spindler, Schlichtmann, Johannes, "Kraftwerk2", TCAD 27(8),
 * 2008, doi:10.1109/TCAD.2008.925783. Differs: docs/algorithms/analytic_start.md.
 * @param spot  [n_blocks] places of what is fixed, orientations of all; movable blocks are put.
 *              Hard macros end legal unless *why says why not.
 * @param[out] why  as of sc_legalise().
 * @return SC_OK; SC_ENOMEM. Determinism: bitwise. Threads: one. Cost: some seconds for 100,000
 * nets.
 */
sc_status sc_start_analytic(sc_spot *spot, sc_buf *why, const sc_netlist *list,
                            const sc_canvas *canvas, const sc_place_rules *rules) SC_MUST_USE;
#endif
