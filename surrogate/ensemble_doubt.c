/* How sure: lines from scores to targets, conformal half widths, calibrated probabilities. */
#include <math.h>
#include <stdlib.h>

#include "core/mem.h"
#include "surrogate/ensemble_inner.h"

void sc_ensemble__line(double line[2], const double *s, const double *y, size_t n)
{
    double mean_s = 0.0, mean_y = 0.0, along = 0.0, squares = 0.0;
    for (size_t i = 0; i < n; i++) {
        mean_s += s[i] / (double)n;
        mean_y += y[i] / (double)n;
    }
    for (size_t i = 0; i < n; i++) {
        along += (s[i] - mean_s) * (y[i] - mean_y);
        squares += (s[i] - mean_s) * (s[i] - mean_s);
    }
    line[1] = squares > 0.0 && along > 0.0 ? along / squares : 0.0;
    line[0] = mean_y - line[1] * mean_s;
}

static int by_size(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Vovk, Gammerman, Shafer, "Algorithmic learning in a random world", 2005; in this form Lei et al.,
 * JASA 113(523), 2018, doi:10.1080/01621459.2017.1307116, algorithm 2. */
double sc_ensemble__half_width(double *miss, size_t n, double share)
{
    const double rank = ceil(((double)n + 1.0) * share);
    qsort(miss, n, sizeof *miss, by_size);
    return rank <= (double)n && rank >= 1.0 ? miss[(size_t)rank - 1] : (double)INFINITY;
}

/* Platt, "Probabilistic outputs for support vector machines", 1999, with the Newton steps and
 * halvings of Lin, Lin, Weng, Machine Learning 68, 2007, doi:10.1007/s10994-007-5018-6. */
static double platt_loss(double a, double b, const double *z, const uint8_t *label, size_t n,
                         const double target[2])
{
    double sum = 0.0;
    for (size_t i = 0; i < n; i++) {
        const double f = a + b * z[i], t = target[label[i]];
        sum += fmax(f, 0.0) - t * f + log1p(exp(-fabs(f)));
    }
    return sum;
}

void sc_ensemble__platt(double *logit0, double *logit1, const double *logit, const uint8_t *label,
                        size_t n)
{
    double count[2] = {0.0, 0.0}, a, b = 0.0;
    for (size_t i = 0; i < n; i++)
        count[label[i]] += 1.0;
    const double target[2] = {1.0 / (count[0] + 2.0), (count[1] + 1.0) / (count[1] + 2.0)};
    a = log((count[1] + 1.0) / (count[0] + 1.0));
    double now = platt_loss(a, b, logit, label, n, target);
    for (int round = 0; round < 100; round++) {
        double g0 = 0.0, g1 = 0.0, h00 = 1e-12, h01 = 0.0, h11 = 1e-12;
        for (size_t i = 0; i < n; i++) {
            const double p = 1.0 / (1.0 + exp(-(a + b * logit[i]))), q = p * (1.0 - p);
            g0 += p - target[label[i]];
            g1 += (p - target[label[i]]) * logit[i];
            h00 += q;
            h01 += q * logit[i];
            h11 += q * logit[i] * logit[i];
        }
        const double det = h00 * h11 - h01 * h01;
        const double d0 = (h11 * g0 - h01 * g1) / det, d1 = (h00 * g1 - h01 * g0) / det;
        double pace = 1.0, next = now;
        if (!isfinite(d0) || !isfinite(d1) || fabs(d0) + fabs(d1) < 1e-10)
            break;
        for (int halving = 0; halving < 34; halving++) {
            next = platt_loss(a - pace * d0, b - pace * d1, logit, label, n, target);
            if (next < now)
                break;
            pace *= 0.5;
        }
        if (!(next < now))
            break;
        a -= pace * d0;
        b -= pace * d1;
        now = next;
    }
    *logit0 = a;
    *logit1 = b;
}

typedef struct judged {
    double logit;
    uint8_t label;
} judged;

/* From the highest; among equal ones the infeasible first. */
static int from_the_surest(const void *a, const void *b)
{
    const judged *x = a, *y = b;
    if (x->logit != y->logit)
        return x->logit < y->logit ? 1 : -1;
    return (int)x->label - (int)y->label;
}

sc_status sc_ensemble__sure(double *out, const double *logit, const uint8_t *label, size_t n,
                            double share)
{
    judged *of = sc_calloc(n, sizeof *of);
    double good = 0.0;
    if (of == NULL)
        return SC_ENOMEM;
    for (size_t i = 0; i < n; i++)
        of[i] = (judged){logit[i], label[i]};
    qsort(of, n, sizeof *of, from_the_surest);
    *out = of[0].logit;
    for (size_t i = 0; i < n; i++) {
        good += of[i].label;
        if (good >= share * (double)(i + 1))
            *out = of[i].logit;
    }
    sc_free(of);
    return SC_OK;
}
