#ifndef SEARCH_OPT_GAUSS_H
#define SEARCH_OPT_GAUSS_H
/**
 * The two distributions that CMA-ES draws from: a multivariate normal over the ordered parameters,
 * with a margin that keeps every neighbouring value within reach, and a product of categorical
 * distributions. Equations and constants: docs/algorithms/cmaes.md.
 *
 * Coordinates: value k of K lies at (k + 1/2) / K; thresholds between values at k / K; the outer
 * values reach to infinity.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/rng.h"
#include "scantle/error.h"

enum { SC_GAUSS_ROWS = 512 }; /* largest population */

/** Weights and rates of n coordinates and a population; Hansen, "The CMA evolution strategy: a
 *  tutorial", arXiv:1604.00772, table 1. */
typedef struct sc_gauss_rates {
    size_t lambda, mu;
    double *weight; /* [lambda] eq. 49 to 53: positive ones sum to 1, the rest are negative */
    double mu_eff, c_sigma, d_sigma, c_c, c_1, c_mu, chi; /* chi: E|N(0, I)| */
    double weight_sum;                                    /* of all */
} sc_gauss_rates;

/** Fill r for n >= 0 coordinates; r->weight has room for lambda >= 4. */
void sc_gauss_rates_of(sc_gauss_rates *r, size_t n, size_t lambda);

/** N(mean, sigma^2 scale C scale); scale is diagonal, the paper's A. */
typedef struct sc_gauss {
    size_t n;
    const uint32_t *cardinality; /* [n] each 3 or more, borrowed */
    double sigma;
    uint64_t generation;
    double *mean, *scale, *path_sigma, *path_c; /* [n] */
    double *c, *l;                              /* [n][n] covariance, both halves; its lower root */
    double *step, *white;                       /* [most_rows][n] scratch */
    double *shift;                              /* [n] scratch */
} sc_gauss;

/** most_rows: largest population, at most SC_GAUSS_ROWS. Memory O(n^2 + most_rows n). @return
 * SC_OK, SC_ENOMEM. */
sc_status sc_gauss_create(sc_gauss *g, const uint32_t *cardinality, size_t n,
                          size_t most_rows) SC_MUST_USE;
void sc_gauss_clear(sc_gauss *g); /* all zeros is fine */
/** Start at mean [n] with deviation sigma in all coordinates. */
void sc_gauss_start(sc_gauss *g, const double *mean, double sigma);

/** Draw x [n] from N(mean, sigma^2 C). O(n^2). */
void sc_gauss_draw(sc_gauss *g, sc_rng *r, double *x);
/** Value that coordinate x of parameter j stands for, by way of the scale. */
uint32_t sc_gauss_index(const sc_gauss *g, size_t j, double x);
/** The x that stands for the middle of value k. */
double sc_gauss_middle(const sc_gauss *g, size_t j, uint32_t k);

/**
 * One update: mean, paths, step size, covariance. Hansen, arXiv:1604.00772, eq. 37 to 47, with the
 * Cholesky factor for the symmetric root, and long steps cut (Hansen, arXiv:1110.4181, eq. 3).
 * @param x      [rows][n].
 * @param weight [rows] rank weights; equal for ties.
 * @return false if nothing can be drawn from the result: start anew. O(rows n^2 + n^3).
 */
bool sc_gauss_update(sc_gauss *g, const sc_gauss_rates *r, const double *x, const double *weight,
                     size_t rows);
/** Keep the probability to leave the value at the mean at margin or more: Hamano, Saito, Nomura,
 *  Shirakawa, GECCO'22, doi:10.1145/3512290.3528827, section 4.2. */
void sc_gauss_margin(sc_gauss *g, double margin);
/** Recompute l from c. @return false if c is not positive definite. */
bool sc_gauss_factor(sc_gauss *g);

/** Product of categorical distributions, with the adaptive natural gradient of Akimoto et al.,
 *  ICML'19, arXiv:1905.08537 and the margin of Hamano et al., arXiv:2405.09962. */
typedef struct sc_categories {
    size_t n, n_all;             /* parameters; sum of their cardinalities */
    const uint32_t *cardinality; /* [n] each 2 or more, borrowed */
    double *q;                   /* [n_all] probabilities, parameter after parameter */
    double *path, *gradient;     /* [n_all] the last of each parameter unused; scratch */
    double *root;                /* [n_all] scratch */
    double delta, gamma;         /* the paper's Delta: signal to noise; normaliser of path */
} sc_categories;

sc_status sc_categories_create(sc_categories *c, const uint32_t *cardinality, size_t n) SC_MUST_USE;
void sc_categories_clear(sc_categories *c); /* all zeros is fine */
void sc_categories_start(sc_categories *c); /* uniform */
/** Draw value [n]. O(n_all). */
void sc_categories_draw(const sc_categories *c, sc_rng *r, uint32_t *value);
/** One update from value [rows][n]; weights that are not positive count as 0. Each probability
 *  stays at (1 - 0.73^(1 / n_params)) / (cardinality - 1) or more. O(rows n + n_all). */
void sc_categories_update(sc_categories *c, const uint32_t *value, const double *weight,
                          size_t rows, size_t n_params);
#endif
