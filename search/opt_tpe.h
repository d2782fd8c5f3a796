#ifndef SEARCH_OPT_TPE_H
#define SEARCH_OPT_TPE_H
/** Parts of the tree-structured Parzen estimator (docs/algorithms/tpe.md): densities over points,
 * and which trials count as good. */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/rng.h"
#include "search/pool.h"
#include "search/problem.h"

/* ---- densities: opt_tpe_density.c ---- */

/**
 * A mixture over the points of a problem: one component a trial, the product of one kernel a
 * parameter, and one uniform component, the prior. A parameter that is inactive in a trial is
 * uniform in its component; one that is inactive in the point asked about is summed over.
 * Reference: Falkner, Klein, Hutter, ICML'18, arXiv:1807.01774 (products over all parameters);
 * Watanabe, arXiv:2304.11127, section 3 (kernels).
 */
typedef struct sc_tpe_density sc_tpe_density;

/** Room for so many components. problem is borrowed for the call. Memory: capacity * n_params * 4
 *  bytes, and two tables of up to 1,024 numbers a parameter. @return SC_OK, SC_ENOMEM. */
sc_status sc_tpe_density_create(sc_tpe_density **out, const sc_problem *problem,
                                size_t capacity) SC_MUST_USE;
void sc_tpe_density_destroy(sc_tpe_density *d); /* NULL is fine */

/** Take all components out. prior: weight of the uniform one, > 0; the others weigh 1. */
void sc_tpe_density_begin(sc_tpe_density *d, double prior);

/** Bandwidth of parameter i: of an ordered one in indices, > 0; of a categorical one the share that
 *  its kernel gives to the other labels, above 0 and below 1. To be set before the first component.
 *  Cost: its tables, where the width is another than before. */
void sc_tpe_density_width(sc_tpe_density *d, size_t i, double width);

/** Add a component, for which there is room, around a canonical point. active: [n_params]. */
void sc_tpe_density_add(sc_tpe_density *d, const uint32_t *point, const bool *active);

/** Logarithm of the density at a canonical point. Cost: O(components * n_params). */
double sc_tpe_density_log(sc_tpe_density *d, const uint32_t *point, const bool *active);

/** Draw a point; inactive parameters get some index too: make it canonical. */
void sc_tpe_density_sample(const sc_tpe_density *d, sc_rng *r, uint32_t *point);

/* ---- which trials are good: opt_tpe_split.c ---- */

/** Scratch for pools of one shape. */
typedef struct sc_tpe_split sc_tpe_split;
sc_status sc_tpe_split_create(sc_tpe_split **out, size_t n_objectives, size_t capacity) SC_MUST_USE;
void sc_tpe_split_destroy(sc_tpe_split *s); /* NULL is fine */

enum { SC_TPE_MOST_GOOD = 25 }; /* as in Watanabe 2023, section 3 */

/** How many trials of n are wanted as good: a tenth, at least 4 and at most SC_TPE_MOST_GOOD. */
size_t sc_tpe_wanted(uint64_t n);

/**
 * Grade the pool and bring up to n <= SC_TPE_MOST_GOOD good rows to the front of pool->order:
 * feasible rows only, where there is one, else those of the least violation. Whole fronts come
 * first; of the one that is cut those that add most hypervolume, chosen greedily. The volume is
 * estimated as the mean over 64 directions w of max over rows of (min over objectives j of (ref_j -
 * f_j) / w_j)^m. Reference: Ozaki, Tanigaki, Watanabe, Onishi, GECCO'20,
 * doi:10.1145/3377930.3389817 (ranks and subset selection); Golovin, Zhang, ICML'20,
 * arXiv:2006.04655 (the estimate).
 * @return how many are good: at least 1 of a pool that is not empty.
 * Cost: sc_pool_grade() + 64 * n_objectives a row of the cut front. Allocates nothing.
 */
size_t sc_tpe_split_rows(sc_tpe_split *s, sc_pool *pool, size_t n);
#endif
