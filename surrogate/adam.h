#ifndef SURROGATE_ADAM_H
#define SURROGATE_ADAM_H
/** Adam with weight decay beside the gradient (Kingma, Ba, ICLR'15, arXiv:1412.6980, algorithm 1;
 *  Loshchilov, Hutter, ICLR'19, arXiv:1711.05101, algorithm 2). */
#include <stddef.h>

#include "scantle/error.h"
#include "surrogate/real.h"

typedef struct sc_adam {
    double rate, beta1, beta2, floor; /* 1e-3, 0.9, 0.999, 1e-8: section 2 of the paper */
    double decay;                     /* of a weight, times the rate, each step */
    double longest;                   /* the gradient's norm is cut to it; 0: not */
    unsigned long steps;              /* taken so far */
    size_t n;
    sc_real *mean, *square; /* [n] */
} sc_adam;

/** With the paper's constants, no decay, no cut. @return SC_OK; SC_ENOMEM. */
sc_status sc_adam_init(sc_adam *a, size_t n) SC_MUST_USE;
void sc_adam_clear(sc_adam *a);
/** One step down the gradient, both [n]; allocates nothing. The gradient is set to 0. A gradient
 *  that is not finite changes nothing but that. */
void sc_adam_step(sc_adam *a, sc_real *weights, sc_real *gradient);
#endif
