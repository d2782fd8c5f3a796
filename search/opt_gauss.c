/* Multivariate normal with margin: docs/algorithms/cmaes.md. Numbers of equations are those of
 * Hansen, "The CMA evolution strategy: a tutorial", arXiv:1604.00772. */
#include <gsl/gsl_cdf.h>
#include <gsl/gsl_randist.h>
#include <math.h>
#include <string.h>

#include "core/mem.h"
#include "search/opt_gauss.h"

/* Weights before scaling, eq. 49; their sums and squares apart by sign. */
static void raw_weights(sc_gauss_rates *r, double *mu_eff_minus, double *negative)
{
    double plus = 0.0, plus_squares = 0.0, minus = 0.0, minus_squares = 0.0;
    *negative = 0.0;
    for (size_t i = 0; i < r->lambda; i++) {
        const double w = log(((double)r->lambda + 1.0) / 2.0) - log((double)i + 1.0);
        r->weight[i] = w;
        if (i < r->mu) {
            plus += w;
            plus_squares += w * w;
        } else {
            minus += w;
            minus_squares += w * w;
        }
        *negative += w < 0.0 ? -w : 0.0;
    }
    r->mu_eff = plus * plus / plus_squares;
    *mu_eff_minus = minus * minus / minus_squares;
}

void sc_gauss_rates_of(sc_gauss_rates *r, size_t n, size_t lambda)
{
    const double d = n > 0 ? (double)n : 1.0, alpha_cov = 2.0;
    double minus, negative, positive = 0.0, sum = 0.0;

    r->lambda = lambda;
    r->mu = lambda / 2;
    raw_weights(r, &minus, &negative);
    const double mu_eff = r->mu_eff;
    r->c_sigma = (mu_eff + 2.0) / (d + mu_eff + 5.0); /* eq. 55 */
    r->d_sigma = 1.0 + 2.0 * fmax(0.0, sqrt((mu_eff - 1.0) / (d + 1.0)) - 1.0) + r->c_sigma;
    r->c_c = (4.0 + mu_eff / d) / (d + 4.0 + 2.0 * mu_eff / d); /* eq. 56 */
    r->c_1 = alpha_cov / ((d + 1.3) * (d + 1.3) + mu_eff);      /* eq. 57 */
    r->c_mu = fmin(1.0 - r->c_1, alpha_cov * (0.25 + mu_eff + 1.0 / mu_eff - 2.0) /
                                     ((d + 2.0) * (d + 2.0) + alpha_cov * mu_eff / 2.0));
    r->chi = sqrt(d) * (1.0 - 1.0 / (4.0 * d) + 1.0 / (21.0 * d * d));
    const double alpha = fmin(1.0 + r->c_1 / r->c_mu,                          /* eq. 50 */
                              fmin(1.0 + 2.0 * minus / (mu_eff + 2.0),         /* eq. 51 */
                                   (1.0 - r->c_1 - r->c_mu) / (d * r->c_mu))); /* eq. 52 */
    for (size_t i = 0; i < r->mu; i++)
        positive += r->weight[i];
    for (size_t i = 0; i < lambda; i++) { /* eq. 53 */
        r->weight[i] *= r->weight[i] >= 0.0 ? 1.0 / positive : alpha / negative;
        sum += r->weight[i];
    }
    r->weight_sum = sum;
}

/* ---- life ---- */

sc_status sc_gauss_create(sc_gauss *g, const uint32_t *cardinality, size_t n, size_t most_rows)
{
    *g = (sc_gauss){.n = n, .cardinality = cardinality};
    g->mean = sc_calloc(n, sizeof *g->mean);
    g->scale = sc_calloc(n, sizeof *g->scale);
    g->path_sigma = sc_calloc(n, sizeof *g->path_sigma);
    g->path_c = sc_calloc(n, sizeof *g->path_c);
    g->shift = sc_calloc(n, sizeof *g->shift);
    g->c = sc_calloc(n, n * sizeof *g->c);
    g->l = sc_calloc(n, n * sizeof *g->l);
    g->step = sc_calloc(most_rows, n * sizeof *g->step);
    g->white = sc_calloc(most_rows, n * sizeof *g->white);
    if (g->mean && g->scale && g->path_sigma && g->path_c && g->shift && g->c && g->l && g->step &&
        g->white)
        return SC_OK;
    sc_gauss_clear(g);
    return SC_ENOMEM;
}

void sc_gauss_clear(sc_gauss *g)
{
    sc_free(g->mean);
    sc_free(g->scale);
    sc_free(g->path_sigma);
    sc_free(g->path_c);
    sc_free(g->shift);
    sc_free(g->c);
    sc_free(g->l);
    sc_free(g->step);
    sc_free(g->white);
    *g = (sc_gauss){0};
}

void sc_gauss_start(sc_gauss *g, const double *mean, double sigma)
{
    const size_t n = g->n;
    g->sigma = sigma;
    g->generation = 0;
    for (size_t i = 0; i < n * n; i++)
        g->c[i] = g->l[i] = i % (n + 1) == 0 ? 1.0 : 0.0;
    for (size_t j = 0; j < n; j++) {
        g->mean[j] = mean[j];
        g->scale[j] = 1.0;
        g->path_sigma[j] = g->path_c[j] = 0.0;
    }
}

/* ---- drawing ---- */

void sc_gauss_draw(sc_gauss *g, sc_rng *r, double *x)
{
    for (size_t j = 0; j < g->n; j++)
        g->shift[j] = gsl_ran_ugaussian(&r->gsl);
    for (size_t j = 0; j < g->n; j++) {
        const double *row = g->l + j * g->n;
        double sum = 0.0;
        for (size_t k = 0; k <= j; k++)
            sum += row[k] * g->shift[k];
        x[j] = g->mean[j] + g->sigma * sum;
    }
}

static uint32_t value_at(double v, uint32_t cardinality)
{
    const double k = floor(v * (double)cardinality), last = (double)cardinality - 1.0;
    return !(k >= 0.0) ? 0 : k > last ? cardinality - 1 : (uint32_t)k;
}

uint32_t sc_gauss_index(const sc_gauss *g, size_t j, double x)
{
    return value_at(g->mean[j] + g->scale[j] * (x - g->mean[j]), g->cardinality[j]);
}

double sc_gauss_middle(const sc_gauss *g, size_t j, uint32_t k)
{
    const double v = ((double)k + 0.5) / (double)g->cardinality[j];
    return g->mean[j] + (v - g->mean[j]) / g->scale[j];
}

/* ---- update ---- */

/* out = l^-1 y; also its squared length. */
static double whiten(const sc_gauss *g, const double *y, double *out)
{
    double length = 0.0;
    for (size_t j = 0; j < g->n; j++) {
        const double *row = g->l + j * g->n;
        double v = y[j];
        for (size_t k = 0; k < j; k++)
            v -= row[k] * out[k];
        out[j] = v / row[j];
        length += out[j] * out[j];
    }
    return length;
}

/* Steps in units of sigma, and the weights of eq. 46, which take length out of bad ones.
 * @return sum of squares of the positive weights. */
static double take_steps(sc_gauss *g, const double *x, const double *weight, size_t rows,
                         double *shift_weight)
{
    const size_t n = g->n;
    const double longest = sqrt((double)n) + 2.0 * (double)n / ((double)n + 2.0);
    double squares = 0.0;

    for (size_t i = 0; i < rows; i++) {
        double *y = g->step + i * n, *z = g->white + i * n;
        for (size_t j = 0; j < n; j++)
            y[j] = (x[i * n + j] - g->mean[j]) / g->sigma;
        double length = sqrt(whiten(g, y, z));
        const double cut = length > longest ? longest / length : 1.0;
        for (size_t j = 0; j < n; j++) {
            y[j] *= cut;
            z[j] *= cut;
        }
        length *= cut;
        shift_weight[i] =
            weight[i] >= 0.0 ? weight[i] : weight[i] * (double)n / fmax(length * length, 1e-12);
        squares += weight[i] > 0.0 ? weight[i] * weight[i] : 0.0;
    }
    return squares;
}

/* Mean and path of the step size, eq. 41 to 43. The sum of squares stands for 1 / mu_eff, which it
 * is where no weights are shared by ties. @return length of the path. */
static double move_mean(sc_gauss *g, const sc_gauss_rates *r, const double *weight, size_t rows,
                        double squares)
{
    const size_t n = g->n;
    const double keep = 1.0 - r->c_sigma, add = sqrt(r->c_sigma * (2.0 - r->c_sigma) / squares);
    double length = 0.0;

    for (size_t j = 0; j < n; j++) {
        double step = 0.0, white = 0.0;
        for (size_t i = 0; i < rows; i++)
            if (weight[i] > 0.0) {
                step += weight[i] * g->step[i * n + j];
                white += weight[i] * g->white[i * n + j];
            }
        g->shift[j] = step;
        g->mean[j] += g->sigma * step;
        g->path_sigma[j] = keep * g->path_sigma[j] + add * white;
        length += g->path_sigma[j] * g->path_sigma[j];
    }
    return sqrt(length);
}

/* Eq. 45 and 47. */
static void adapt_covariance(sc_gauss *g, const sc_gauss_rates *r, const double *weight,
                             size_t rows, double squares, bool steady)
{
    const size_t n = g->n;
    const double add = steady ? sqrt(r->c_c * (2.0 - r->c_c) / squares) : 0.0;
    const double lost = steady ? 0.0 : r->c_c * (2.0 - r->c_c);
    const double keep = 1.0 + r->c_1 * lost - r->c_1 - r->c_mu * r->weight_sum;

    for (size_t j = 0; j < n; j++)
        g->path_c[j] = (1.0 - r->c_c) * g->path_c[j] + add * g->shift[j];
    for (size_t j = 0; j < n; j++) {
        double *row = g->c + j * n;
        for (size_t k = 0; k <= j; k++)
            row[k] = keep * row[k] + r->c_1 * g->path_c[j] * g->path_c[k];
        for (size_t i = 0; i < rows; i++) {
            const double *y = g->step + i * n, f = r->c_mu * weight[i] * y[j];
            for (size_t k = 0; k <= j; k++)
                row[k] += f * y[k];
        }
    }
    for (size_t j = 0; j < n; j++)
        for (size_t k = 0; k < j; k++)
            g->c[k * n + j] = g->c[j * n + k];
}

bool sc_gauss_factor(sc_gauss *g)
{
    const size_t n = g->n;
    for (size_t j = 0; j < n; j++) {
        double *row = g->l + j * n;
        for (size_t k = 0; k <= j; k++) {
            const double *other = g->l + k * n;
            double v = g->c[j * n + k];
            for (size_t i = 0; i < k; i++)
                v -= row[i] * other[i];
            if (k < j)
                row[k] = v / other[k];
            else if (v > 0.0 && isfinite(v))
                row[j] = sqrt(v);
            else
                return false;
        }
    }
    return true;
}

/* No coordinate spreads over more than its range: beyond it all draws are the outer values. */
static void cap_sigma(sc_gauss *g)
{
    double widest = 0.0;
    for (size_t j = 0; j < g->n; j++)
        widest = fmax(widest, g->scale[j] * sqrt(g->c[j * g->n + j]));
    if (g->sigma * widest > 1.0)
        g->sigma = 1.0 / widest;
}

bool sc_gauss_update(sc_gauss *g, const sc_gauss_rates *r, const double *x, const double *weight,
                     size_t rows)
{
    double shared[SC_GAUSS_ROWS];
    if (g->n == 0)
        return true;
    const double squares = take_steps(g, x, weight, rows, shared);
    if (squares == 0.0)
        return true; /* all alike: nothing to learn */
    const double length = move_mean(g, r, weight, rows, squares);
    const double age = 2.0 * ((double)g->generation + 1.0);
    const bool steady = length / sqrt(1.0 - pow(1.0 - r->c_sigma, age)) <
                        (1.4 + 2.0 / ((double)g->n + 1.0)) * r->chi;
    adapt_covariance(g, r, shared, rows, squares, steady);
    g->sigma *= exp(fmin(1.0, r->c_sigma / r->d_sigma * (length / r->chi - 1.0))); /* eq. 44 */
    g->generation++;
    if (!sc_gauss_factor(g) || !(g->sigma > 1e-12))
        return false;
    cap_sigma(g);
    return true;
}

/* ---- margin ---- */

/* Deviations from the mean beyond which probability p lies: the square root of the quantile of
 * chi-square at 1 - 2 p. */
static double deviations(double p)
{
    return gsl_cdf_ugaussian_Qinv(fmin(fmax(p, 1e-10), 0.5 - 1e-10));
}

/* The mean is in the first or last value: eq. 15 of Hamano et al. */
static void margin_at_edge(double *mean, double threshold, double deviation, double margin)
{
    const double most = deviations(margin) * deviation, away = *mean - threshold;
    if (fabs(away) > most)
        *mean = threshold + copysign(most, away);
}

/* Between two thresholds: eq. 18 to 23, for mean and scale together. */
static void margin_inside(double *mean, double *scale, double low, double high, double deviation,
                          double margin)
{
    const double below = gsl_cdf_ugaussian_P((low - *mean) / (*scale * deviation));
    const double above = gsl_cdf_ugaussian_Q((high - *mean) / (*scale * deviation));
    if (below >= margin / 2.0 && above >= margin / 2.0)
        return;
    const double p_low = fmax(below, margin / 2.0), p_high = fmax(above, margin / 2.0);
    const double middle = 1.0 - below - above;
    const double excess =
        (1.0 - p_low - p_high - middle) / (p_low + p_high + middle - 1.5 * margin);
    const double d_low = deviations(p_low + excess * (p_low - margin / 2.0));
    const double d_high = deviations(p_high + excess * (p_high - margin / 2.0));
    *mean = (low * d_high + high * d_low) / (d_low + d_high);
    *scale = (high - low) / (deviation * (d_low + d_high));
}

void sc_gauss_margin(sc_gauss *g, double margin)
{
    for (size_t j = 0; j < g->n; j++) {
        const uint32_t count = g->cardinality[j], k = value_at(g->mean[j], count);
        const double deviation = g->sigma * sqrt(g->c[j * g->n + j]), width = 1.0 / (double)count;
        if (k == 0)
            margin_at_edge(&g->mean[j], width, g->scale[j] * deviation, margin);
        else if (k == count - 1)
            margin_at_edge(&g->mean[j], (double)k * width, g->scale[j] * deviation, margin);
        else
            margin_inside(&g->mean[j], &g->scale[j], (double)k * width, (double)(k + 1) * width,
                          deviation, margin);
    }
}
