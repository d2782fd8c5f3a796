#include "surrogate/loss.h"

#include <math.h>

double sc_loss_squared(sc_real *d, const sc_real *s, const sc_real *y, size_t n, double weight)
{
    double sum = 0.0;
    for (size_t i = 0; i < n; i++) {
        const double miss = (double)s[i] - (double)y[i];
        sum += miss * miss;
        d[i] += (sc_real)(2.0 * weight * miss / (double)n);
    }
    return n ? sum / (double)n : 0.0;
}

/* log(1 + exp(-gap)); *pull: minus its derivative, 1 / (1 + exp(gap)). */
static double soft_miss(double gap, double *pull)
{
    const double e = exp(-fabs(gap));
    *pull = (gap > 0.0 ? e : 1.0) / (1.0 + e);
    return log1p(e) + (gap > 0.0 ? 0.0 : -gap);
}

double sc_loss_pairs(sc_real *d, const sc_real *s, const sc_real *y, const uint32_t *group,
                     size_t n, double weight)
{
    size_t pairs = 0;
    double sum = 0.0;
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++)
            pairs += y[i] > y[j] && (!group || group[i] == group[j]);
    for (size_t i = 0; i < n; i++) {
        double up = 0.0, pull;
        for (size_t j = 0; j < n; j++) {
            if (!(y[i] > y[j]) || (group && group[i] != group[j]))
                continue;
            sum += soft_miss((double)s[i] - (double)s[j], &pull);
            pull *= weight / (double)pairs;
            d[j] += (sc_real)pull;
            up += pull;
        }
        d[i] -= (sc_real)up;
    }
    return pairs ? sum / (double)pairs : 0.0;
}

/* log of the sum of exp(v / temperature) */
static double log_sum(const sc_real *v, size_t n, double temperature)
{
    double most = -(double)INFINITY, sum = 0.0;
    for (size_t i = 0; i < n; i++)
        most = fmax(most, (double)v[i] / temperature);
    for (size_t i = 0; i < n; i++)
        sum += exp((double)v[i] / temperature - most);
    return n > 0 ? most + log(sum) : most;
}

double sc_loss_list(sc_real *d, const sc_real *s, const sc_real *y, size_t n, double temperature,
                    double weight)
{
    if (n == 0)
        return 0.0;
    const double all_y = log_sum(y, n, temperature), all_s = log_sum(s, n, 1.0);
    double sum = 0.0;
    for (size_t i = 0; i < n; i++) {
        const double want = exp((double)y[i] / temperature - all_y), got = (double)s[i] - all_s;
        sum -= want * got;
        d[i] += (sc_real)(weight * (exp(got) - want));
    }
    return sum;
}

double sc_loss_push_down(sc_real *d, const sc_real *s, size_t n, double limit, double weight)
{
    double sum = 0.0;
    for (size_t i = 0; i < n; i++) {
        const double v = (double)s[i];
        sum += fmin(fmax(v, -limit), limit);
        if (fabs(v) < limit)
            d[i] += (sc_real)(weight / (double)n);
    }
    return n ? sum / (double)n : 0.0;
}

double sc_loss_below(sc_real *d_high, sc_real *d_low, const sc_real *high, size_t n_high,
                     const sc_real *low, size_t n_low, double weight)
{
    const double pairs = (double)n_high * (double)n_low;
    double sum = 0.0;
    for (size_t i = 0; i < n_high; i++) {
        double up = 0.0, pull;
        for (size_t j = 0; j < n_low; j++) {
            sum += soft_miss((double)high[i] - (double)low[j], &pull);
            pull *= weight / pairs;
            d_low[j] += (sc_real)pull;
            up += pull;
        }
        d_high[i] -= (sc_real)up;
    }
    return pairs > 0.0 ? sum / pairs : 0.0;
}

double sc_loss_logistic(sc_real *d, const sc_real *logit, const uint8_t *label, size_t n,
                        double weight)
{
    double sum = 0.0;
    for (size_t i = 0; i < n; i++) {
        double pull;
        const double sign = label[i] ? 1.0 : -1.0;
        sum += soft_miss(sign * (double)logit[i], &pull);
        d[i] -= (sc_real)(weight * sign * pull / (double)n);
    }
    return n ? sum / (double)n : 0.0;
}
