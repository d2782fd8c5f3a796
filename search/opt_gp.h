#ifndef SEARCH_OPT_GP_H
#define SEARCH_OPT_GP_H
/**
 * Parts of Gaussian-process Bayesian optimisation: the model of one output, the fit of its
 * hyperparameters, and what a candidate is worth. Equations and constants: docs/algorithms/gp.md.
 *
 * Coordinates: an ordered parameter's value k of K is k / (K - 1), a label is its number. Columns
 * with ordered parameters come first.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "scantle/error.h"
#include "search/problem.h"

enum {
    SC_GP_BLOCK = 16,   /* candidates predicted at once */
    SC_GP_FIT = 128,    /* rows that hyperparameters are fitted to, at most */
    SC_GP_FRONT = 64,   /* corners of the front that a candidate is held against, m = 2 */
    SC_GP_SAMPLES = 32, /* draws of an improvement in four or more objectives */
    SC_GP_THETA = SC_MAX_PARAMS + 2
};

/** Kernel: of ordered columns Matern-5/2 with a length each, of labels exp(-sum of the weights of
 *  those that differ), both together (1 - mix) (k_x + k_h) / 2 + mix k_x k_h. */
typedef struct sc_gp_kernel {
    size_t n_ordered, n_labels;
    double theta[SC_GP_THETA];     /* log length [n_ordered], log weight [n_labels], logit mix, log
                                      noise: what is fitted */
    double inverse[SC_MAX_PARAMS]; /* 1 / length, then weight */
    double mix, noise;             /* noise: variance, the kernel's being 1 */
} sc_gp_kernel;

/** Middle of the prior. */
void sc_gp_kernel_start(sc_gp_kernel *k, size_t n_ordered, size_t n_labels);
/** Fill in what follows from theta. */
void sc_gp_kernel_set(sc_gp_kernel *k);
/** Kernel of two rows [n_ordered + n_labels]. */
double sc_gp_kernel_at(const sc_gp_kernel *k, const double *a, const double *b);

/** One output: a lower root of the kernel matrix that grows row by row, so that adding a row takes
 *  O(n^2) and gives the same bits as starting over. */
typedef struct sc_gp_model {
    sc_gp_kernel kernel;
    size_t n_told, n, capacity; /* rows with a value; all, the later ones only known to be coming */
    uint32_t *slot;             /* [capacity] row of the table of features */
    double *l;                  /* [capacity * (capacity + 1) / 2] rows of the root */
    double *y, *z;              /* [capacity] values of told rows; l^-1 y, 0 for the others */
    double scale;               /* variance of the process */
    size_t fitted;              /* told rows when theta was fitted */
    double *block;              /* [capacity][SC_GP_BLOCK] scratch */
} sc_gp_model;

sc_status sc_gp_model_create(sc_gp_model *g, size_t n_ordered, size_t n_labels,
                             size_t capacity) SC_MUST_USE;
void sc_gp_model_clear(sc_gp_model *g); /* all zeros is fine */
/** Add a row of features [..][n_ordered + n_labels], for which there is room. O(n^2). */
void sc_gp_model_add(sc_gp_model *g, const double *features, uint32_t slot);
/** Solve for y of the first n_told rows; the others are taken to come as predicted, which leaves
 *  the mean as it is and takes away variance. O(n^2). */
void sc_gp_model_solve(sc_gp_model *g);
/** Mean and variance at SC_GP_BLOCK points: candidate [columns][SC_GP_BLOCK]. O(n^2) each. */
void sc_gp_model_predict(sc_gp_model *g, const double *features, const double *candidate,
                         double *mean, double *variance);

/** Scratch of a fit. */
typedef struct sc_gp_fit {
    double *matrix, *inverse; /* [SC_GP_FIT][SC_GP_FIT] */
    double *y, *alpha;        /* [SC_GP_FIT] */
    uint32_t *slot;           /* [SC_GP_FIT] */
} sc_gp_fit;

sc_status sc_gp_fit_create(sc_gp_fit *f) SC_MUST_USE;
void sc_gp_fit_clear(sc_gp_fit *f);
/**
 * Negative log posterior of theta given n rows in f->slot, f->y, without constants; the variance of
 * the process at its best. gradient [n_ordered + n_labels + 2]. O(n^3 + n^2 columns).
 * @return HUGE_VAL where the matrix is not positive definite.
 */
double sc_gp_fit_value(sc_gp_fit *f, const sc_gp_kernel *k, const double *features, size_t n,
                       double *gradient);
/** Fit the kernel of g to its told rows, from where it stands: `steps` steps of Rprop. */
void sc_gp_fit_run(sc_gp_fit *f, sc_gp_model *g, const double *features, int steps);

/** What candidates are held against: the front in the units of the models. */
typedef struct sc_gp_gain {
    size_t m, n;   /* objectives; points of the front */
    double *front; /* [n][m], borrowed, room for all */
    /* m = 3: borrowed. Slab k lies between points k - 1 and k by the third objective; its stairs
     * are the points below it that none of them dominates in the first two, by the first */
    uint32_t *slab;                /* [n + 2] where its stairs begin */
    uint32_t *stair;               /* [n (n + 1) / 2] */
    double *upto;                  /* [3][n + 1] scratch */
    double ref[SC_MAX_OBJECTIVES]; /* m = 2, 3: worst value that counts */
    double weight[SC_MAX_OBJECTIVES], low[SC_MAX_OBJECTIVES], range[SC_MAX_OBJECTIVES];
    double best; /* least scalar of the front; m = 1: its value */
    double draw[SC_GP_SAMPLES][SC_MAX_OBJECTIVES];
} sc_gp_gain;

/** Integral of the normal distribution function up to x: E max(x - Y, 0), Y ~ N(mean, deviation^2).
 */
double sc_gp_improvement(double x, double mean, double deviation);
/** After front, ref, weight and draw are filled in: set what follows. m = 2: front is sorted, and
 * its closest neighbours are merged until SC_GP_FRONT are left, into corners as good as both, so
 * that no gain is seen where there is none. */
void sc_gp_gain_ready(sc_gp_gain *g);
/** Augmented Chebyshev scalar of an outcome [m]. */
double sc_gp_scalar(const sc_gp_gain *g, const double *y);
/** Expected gain of an outcome with independent normal objectives: m = 1, improvement; m = 2 and 3,
 *  hypervolume; more, improvement of the augmented Chebyshev scalar. */
double sc_gp_gain_of(sc_gp_gain *g, const double *mean, const double *deviation);
#endif
