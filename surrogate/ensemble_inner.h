#ifndef SURROGATE_ENSEMBLE_INNER_H
#define SURROGATE_ENSEMBLE_INNER_H
/** The inside of ensembles, shared by the files ensemble*.c only. */
#include "surrogate/ensemble.h"

struct sc_ensemble {
    char *target; /* its name */
    size_t members, n_weights;
    sc_target_scale scale;
    sc_encoder *encoder;
    sc_nn *net;
    sc_real *weights;      /* [members][n_weights] */
    sc_base **base;        /* [members] NULL: none */
    bool base_alone;       /* scores are the base's */
    double *line;          /* [members][2] y = line[0] + line[1] score */
    double half50, half90; /* of intervals, in y */
    double logit0, logit1; /* p = 1 / (1 + exp(-(logit0 + logit1 logit))) */
    bool always;           /* nothing infeasible was learned from: p = 1 */
    double spread_limit;   /* in y */
    double sure;           /* p from which on 99 % of the rows held out are feasible */
};

/** Least squares y = line[0] + line[1] s, not falling: flat at the mean if it would. */
void sc_ensemble__line(double line[2], const double *s, const double *y, size_t n);
/** The half width that holds a share of n misses, sorted in place, as conformal prediction has it:
 *  the ceil((n + 1) share)-th smallest; infinite if there are too few. */
double sc_ensemble__half_width(double *miss, size_t n, double share);
/** Logistic regression on one number: Platt's scaling with his targets. label: [n] 0 or 1. */
void sc_ensemble__platt(double *logit0, double *logit1, const double *logit, const uint8_t *label,
                        size_t n);
/** The lowest logit at which, counted from the highest down, a share of the rows is still feasible;
 *  the highest one if even that is not. logit, label: [n]. @return SC_OK; SC_ENOMEM. O(n log n). */
sc_status sc_ensemble__sure(double *out, const double *logit, const uint8_t *label, size_t n,
                            double share) SC_MUST_USE;
#endif
