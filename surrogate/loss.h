#ifndef SURROGATE_LOSS_H
#define SURROGATE_LOSS_H
/**
 * Losses over the scores of a batch; a higher score is a better design. Each gives its value and
 * adds weight times its derivative by the scores to d, allocates nothing, sums in index order and
 * is safe on distinct outputs. Which is for what, with papers: docs/algorithms/losses.md.
 */
#include <stddef.h>
#include <stdint.h>

#include "surrogate/real.h"

/** Mean of (s - y)^2; on log targets it is the squared error of the log. s, y, d: [n]. O(n). */
double sc_loss_squared(sc_real *d, const sc_real *s, const sc_real *y, size_t n, double weight);

/** Mean of log(1 + exp(s_j - s_i)) over pairs with y_i > y_j, within a group: RankNet (Burges et
 *  al., ICML'05, doi:10.1145/1102351.1102363, section 3). group: [n], NULL: all are one. 0 without
 *  a pair. O(n^2). */
double sc_loss_pairs(sc_real *d, const sc_real *s, const sc_real *y, const uint32_t *group,
                     size_t n, double weight);

/** Cross entropy of softmax(y / temperature) and softmax(s): ListNet with top-one probabilities
 *  (Cao et al., ICML'07, doi:10.1145/1273496.1273513, eq. 5). The derivatives sum to 0. O(n). */
double sc_loss_list(sc_real *d, const sc_real *s, const sc_real *y, size_t n, double temperature,
                    double weight);

/** Mean score, each cut to [-limit, limit] and pushed no further past it: the terms with alpha and
 *  beta of PRIME (Kumar et al., ICLR'22, arXiv:2110.11346, eq. 3 and 4). O(n). */
double sc_loss_push_down(sc_real *d, const sc_real *s, size_t n, double limit, double weight);

/** Mean of log(1 + exp(s_low - s_high)) over all pairs of one sample of each list: infeasible below
 *  feasible ones. O(n_high n_low). */
double sc_loss_below(sc_real *d_high, sc_real *d_low, const sc_real *high, size_t n_high,
                     const sc_real *low, size_t n_low, double weight);

/** Mean of -log p(label), p = 1 / (1 + exp(-logit)). label: 0 or 1. O(n). */
double sc_loss_logistic(sc_real *d, const sc_real *logit, const uint8_t *label, size_t n,
                        double weight);
#endif
