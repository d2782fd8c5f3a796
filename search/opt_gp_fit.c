/* Hyperparameters of a Gaussian process, at the maximum of their posterior: docs/algorithms/gp.md.
 * Priors of Hvarfner, Hellsten, Nardi, "Vanilla Bayesian optimization performs great in high
 * dimensions", ICML'24, arXiv:2402.02229; steps of Rprop: Blum, Riedmiller, "Optimization of
 * Gaussian process hyperparameters using Rprop", ESANN 2013. */
#include <math.h>
#include <string.h>

#include "core/mem.h"
#include "search/opt_gp.h"

static const double ROOT5 = 2.2360679774997896964;

sc_status sc_gp_fit_create(sc_gp_fit *f)
{
    const size_t n = SC_GP_FIT;
    *f = (sc_gp_fit){0};
    f->matrix = sc_calloc(n, n * sizeof *f->matrix);
    f->inverse = sc_calloc(n, n * sizeof *f->inverse);
    f->y = sc_calloc(n, sizeof *f->y);
    f->alpha = sc_calloc(n, sizeof *f->alpha);
    f->slot = sc_calloc(n, sizeof *f->slot);
    if (f->matrix && f->inverse && f->y && f->alpha && f->slot)
        return SC_OK;
    sc_gp_fit_clear(f);
    return SC_ENOMEM;
}

void sc_gp_fit_clear(sc_gp_fit *f)
{
    sc_free(f->matrix);
    sc_free(f->inverse);
    sc_free(f->y);
    sc_free(f->alpha);
    sc_free(f->slot);
    *f = (sc_gp_fit){0};
}

/* The root of f->matrix in its place, row by row. @return half the log of the determinant, or
 * HUGE_VAL. */
static double factor(double *a, size_t n)
{
    double half = 0.0;
    for (size_t i = 0; i < n; i++) {
        double *row = a + i * n;
        for (size_t j = 0; j <= i; j++) {
            const double *other = a + j * n;
            double s[2] = {0.0, 0.0};
            size_t k = 0;
            for (; k + 2 <= j; k += 2) {
                s[0] += row[k] * other[k];
                s[1] += row[k + 1] * other[k + 1];
            }
            if (k < j)
                s[0] += row[k] * other[k];
            const double v = row[j] - (s[0] + s[1]);
            if (j < i)
                row[j] = v / other[j];
            else if (v > 0.0)
                row[j] = sqrt(v);
            else
                return HUGE_VAL;
        }
        half += log(row[i]);
    }
    return half;
}

/* out = (l l')^-1, lower half; l is overwritten by its own inverse. */
static void invert(double *l, double *out, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        double *row = l + i * n, sum[SC_GP_FIT] = {0.0};
        for (size_t k = 0; k < i; k++) {
            const double v = row[k], *other = l + k * n;
            for (size_t c = 0; c <= k; c++)
                sum[c] -= v * other[c];
        }
        row[i] = 1.0 / row[i];
        for (size_t c = 0; c < i; c++)
            row[c] = sum[c] * row[i];
    }
    for (size_t i = 0; i < n; i++)
        for (size_t c = 0; c <= i; c++)
            out[i * n + c] = 0.0;
    for (size_t i = 0; i < n; i++) {
        const double *row = l + i * n;
        for (size_t a = 0; a <= i; a++) {
            const double v = row[a];
            for (size_t c = 0; c <= a; c++)
                out[a * n + c] += v * row[c];
        }
    }
}

/* Log density of the priors, negated, without constants; its derivative is added. */
static double prior(const sc_gp_kernel *k, double *gradient)
{
    const size_t n = k->n_ordered + k->n_labels;
    const double root2 = 1.4142135623730951, middle = root2 + 0.5 * log((double)n);
    double value = 0.0;
    for (size_t j = 0; j < n + 2; j++) {
        /* lengths: log-normal (sqrt 2 + log(n) / 2, sqrt 3); weights as their inverse squares would
         * be; mix: logistic-normal (0, 1.5); noise: log-normal (-6, 1.5) */
        const double at = j < k->n_ordered ? middle
                          : j < n          ? -0.5 * log((double)n)
                          : j == n         ? 0.0
                                           : -6.0;
        const double width = j < n ? 1.7320508075688772 : 1.5;
        const double d = (k->theta[j] - at) / width;
        value += 0.5 * d * d;
        gradient[j] += d / width;
    }
    return value;
}

/* Derivative of the value by an element of the matrix off the diagonal, times that of the element
 * by theta. */
static void pair_gradient(const sc_gp_kernel *k, const double *a, const double *b, double w,
                          double *gradient)
{
    const size_t n = k->n_ordered + k->n_labels;
    double squares = 0.0, apart = 0.0;
    for (size_t j = 0; j < k->n_ordered; j++) {
        const double d = (a[j] - b[j]) * k->inverse[j];
        squares += d * d;
    }
    for (size_t j = k->n_ordered; j < n; j++)
        apart += a[j] != b[j] ? k->inverse[j] : 0.0;
    const bool both = k->n_ordered > 0 && k->n_labels > 0;
    const double r = ROOT5 * sqrt(squares), e = exp(-r), h = exp(-apart);
    const double x = (1.0 + r + 5.0 / 3.0 * squares) * e;
    const double by_x = !both ? 1.0 : 0.5 * (1.0 - k->mix) + k->mix * h;
    const double by_h = !both ? 1.0 : 0.5 * (1.0 - k->mix) + k->mix * x;
    const double length = w * by_x * 5.0 / 3.0 * (1.0 + r) * e, weight = -w * by_h * h;
    for (size_t j = 0; j < k->n_ordered; j++) {
        const double d = (a[j] - b[j]) * k->inverse[j];
        gradient[j] += length * d * d;
    }
    for (size_t j = k->n_ordered; j < n; j++)
        gradient[j] += a[j] != b[j] ? weight * k->inverse[j] : 0.0;
    if (both)
        gradient[n] += w * (x * h - 0.5 * (x + h)) * k->mix * (1.0 - k->mix);
}

/* alpha = K^-1 y. @return y' alpha. */
static double weigh(sc_gp_fit *f, size_t n)
{
    double total = 0.0;
    for (size_t i = 0; i < n; i++)
        f->alpha[i] = 0.0;
    for (size_t i = 0; i < n; i++) {
        const double *row = f->inverse + i * n;
        double sum = row[i] * f->y[i];
        for (size_t j = 0; j < i; j++) {
            sum += row[j] * f->y[j];
            f->alpha[j] += row[j] * f->y[i];
        }
        f->alpha[i] += sum;
    }
    for (size_t i = 0; i < n; i++)
        total += f->alpha[i] * f->y[i];
    return total;
}

double sc_gp_fit_value(sc_gp_fit *f, const sc_gp_kernel *k, const double *features, size_t n,
                       double *gradient)
{
    const size_t columns = k->n_ordered + k->n_labels;
    for (size_t j = 0; j < columns + 2; j++)
        gradient[j] = 0.0;
    for (size_t i = 0; i < n; i++) {
        const double *x = features + f->slot[i] * columns;
        for (size_t j = 0; j < i; j++)
            f->matrix[i * n + j] = sc_gp_kernel_at(k, x, features + f->slot[j] * columns);
        f->matrix[i * n + i] = 1.0 + k->noise;
    }
    const double half = factor(f->matrix, n);
    if (half == HUGE_VAL)
        return HUGE_VAL;
    invert(f->matrix, f->inverse, n);
    /* variance of the process at its best, with two rows of variance 1 added */
    const double scale = (weigh(f, n) + 2.0) / ((double)n + 2.0);
    for (size_t i = 0; i < n; i++) {
        const double *row = f->inverse + i * n, *x = features + f->slot[i] * columns;
        for (size_t j = 0; j < i; j++)
            pair_gradient(k, x, features + f->slot[j] * columns,
                          row[j] - f->alpha[i] * f->alpha[j] / scale, gradient);
        gradient[columns + 1] += 0.5 * (row[i] - f->alpha[i] * f->alpha[i] / scale) * k->noise;
    }
    return 0.5 * ((double)n + 2.0) * log(scale) + half + prior(k, gradient);
}

/* Rows of the fit: all, or as many spread evenly. */
static size_t choose_rows(sc_gp_fit *f, const sc_gp_model *g)
{
    const size_t n = g->n_told < SC_GP_FIT ? g->n_told : SC_GP_FIT;
    for (size_t i = 0; i < n; i++) {
        const size_t row = i * g->n_told / n;
        f->slot[i] = g->slot[row];
        f->y[i] = g->y[row];
    }
    return n;
}

/* Rprop without weight backtracking: each parameter has its own step, by the sign alone. theta is
 * left at the best met. @return its value. */
static double climb(sc_gp_fit *f, sc_gp_kernel *k, const double *features, size_t n, int steps)
{
    const size_t n_theta = k->n_ordered + k->n_labels + 2;
    double step[SC_GP_THETA], last[SC_GP_THETA], best[SC_GP_THETA];
    double gradient[SC_GP_THETA] = {0.0};
    double least = HUGE_VAL;

    for (size_t j = 0; j < n_theta; j++) {
        step[j] = 0.3;
        last[j] = 0.0;
        best[j] = k->theta[j];
    }
    for (int t = 0; t < steps; t++) {
        sc_gp_kernel_set(k);
        const double value = sc_gp_fit_value(f, k, features, n, gradient);
        if (value == HUGE_VAL)
            break;
        if (value < least) {
            least = value;
            memcpy(best, k->theta, n_theta * sizeof *best);
        }
        for (size_t j = 0; j < n_theta; j++) {
            const double turn = gradient[j] * last[j];
            step[j] = turn > 0.0   ? fmin(1.2 * step[j], 1.0)
                      : turn < 0.0 ? fmax(0.5 * step[j], 1e-3)
                                   : step[j];
            last[j] = turn < 0.0 ? 0.0 : gradient[j];
            if (last[j] != 0.0)
                k->theta[j] = fmin(fmax(k->theta[j] - copysign(step[j], last[j]), -12.0), 12.0);
        }
    }
    memcpy(k->theta, best, n_theta * sizeof *best);
    sc_gp_kernel_set(k);
    return least;
}

void sc_gp_fit_run(sc_gp_fit *f, sc_gp_model *g, const double *features, int steps)
{
    const size_t n = choose_rows(f, g);
    sc_gp_kernel fresh = g->kernel;
    sc_gp_kernel_start(&fresh, fresh.n_ordered, fresh.n_labels);
    const double value = climb(f, &g->kernel, features, n, steps);
    if (climb(f, &fresh, features, n, steps) < value)
        g->kernel = fresh;
    g->fitted = g->n_told;
}
