#ifndef PLACEMENT_ANNEAL_H
#define PLACEMENT_ANNEAL_H
/**
 * Simulated annealing of hard and soft macros together, on the exact cost.
 * Reference: Kirkpatrick, Gelatt, Vecchi, Science 220, 1983, doi:10.1126/science.220.4598.671;
 * range of moves as in VPR (Betz, Rose, FPL'97, doi:10.1007/3-540-63465-7_226).
 */
#include "placement/cost.h"
#include "placement/rules.h"

/** Constants of a run, in docs/algorithms/annealing.md with what they were chosen on. */
typedef struct sc_anneal_rule {
    double hot, cold; /* temperatures at the start and the end, in units of the proxy cost */
} sc_anneal_rule;

extern const sc_anneal_rule sc_anneal_usual;   /* from a placement that is good already */
extern const sc_anneal_rule sc_anneal_scratch; /* from a spiral or an analytic start */

/**
 * Anneal from a legal start, in run->chains chains side by side; the best placement that one of
 * them met comes out.
 * @param[in,out] spot  [list->n_blocks] the start; untouched on failure.
 * @param rule, run     budget, chains, threads, and the file that a run goes on from.
 * @return SC_OK; SC_EINVAL if that file is of another run; SC_EPARSE if it is damaged; SC_EIO;
 *         SC_ENOMEM. Determinism: by seed and moves, for any number of threads and through stops; a
 *         budget of time chooses temperatures by the clock, so such a run does not come again to
 *         the bit.
 */
sc_status sc_anneal(sc_spot *spot, sc_place_outcome *out, const sc_netlist *list,
                    const sc_canvas *canvas, const sc_place_options *options,
                    const sc_anneal_rule *rule, const sc_place_run *run) SC_MUST_USE;
#endif
