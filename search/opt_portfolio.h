#ifndef SEARCH_OPT_PORTFOLIO_H
#define SEARCH_OPT_PORTFOLIO_H
/** The arithmetic of the portfolio, for opt_portfolio.c and its test:
 *  docs/algorithms/portfolio.md. */
#include <stdbool.h>
#include <stddef.h>

#include "search/pool.h"

/**
 * What a trial is worth to its member, 0 .. 1, and enter it into the pool of the best known if that
 * is more than 0. Only news count: not as good as any row of the pool or worse. Of a feasible one
 * sqrt(min(1, e)), e being the additive epsilon indicator of the pool against the new point, the
 * least over rows of the most over objectives of (row - new) / range of the rows (Zitzler, Thiele,
 * Laumanns, Fonseca, Grunert da Fonseca, IEEE Trans. Evol. Comput. 7(2) 2003,
 * doi:10.1109/TEVC.2003.810758); 1 where no row is feasible yet, and of a lesser violation.
 * An objective without range counts as 1 or -1. O(rows m); a full pool is halved first.
 */
double sc_portfolio_worth(sc_pool *best, const sc_trial *t);

/**
 * Odds of n members, sum 1: softmax of their mean rewards, brought to 0 .. 1, over the temperature.
 * A mean is (reward + 2 of the mean over all trials) / (trials + 2): who was asked little is taken
 * for average.
 * @param reward,trials [n] decayed sums.
 * @param on            [n] who may be chosen, one at least; the odds of the others are 0.
 */
void sc_portfolio_odds(double *odds, const double *reward, const double *trials, const bool *on,
                       size_t n);
#endif
