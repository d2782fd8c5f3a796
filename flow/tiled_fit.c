#include "flow/tiled_fit.h"

#include <gsl/gsl_errno.h>
#include <gsl/gsl_multifit_nlinear.h>
#include <gsl/gsl_statistics_double.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/mem.h"

enum { MAX_STEPS = 200 };
static const double damping = 0.05; /* log ratio from which a row counts as an outlier */
static const double hold = 0.05;    /* pull of each log factor to its start; a row's is 1 */

/* Where the search starts: a small host (hundreds of cycles a tile), weights loaded while the pass
 * before runs, a bus of 16 bytes, DRAM lines of 64 bytes in 4 cycles. */
static const double start[SC_TILED_FACTORS] = {
    [SC_TILED_HOST_WINDOW] = 200, [SC_TILED_HOST_PRODUCT] = 200,
    [SC_TILED_PASS] = 2,          [SC_TILED_PASS_SIDE] = 0.5,
    [SC_TILED_ROW] = 1,           [SC_TILED_ROW_SIDE] = 1.0 / 32,
    [SC_TILED_BUS] = 16,          [SC_TILED_LINE] = 4,
    [SC_TILED_OVERLAP] = 3,       [SC_TILED_START] = 1000,
};

/* ---- quality ---- */

static int by_value(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

sc_status sc_fit_quality_of(sc_fit_quality *out, const double *predicted, const double *measured,
                            size_t n)
{
    sc_fit_quality q = {.n = n,
                        .mape = (double)NAN,
                        .median = (double)NAN,
                        .within_20 = (double)NAN,
                        .spearman = (double)NAN};
    double *error = sc_calloc(n ? n : 1, sizeof *error);
    double *ranks = sc_calloc(n ? n : 1, 2 * sizeof *ranks);
    if (!error || !ranks) {
        sc_free(error);
        sc_free(ranks);
        return SC_ENOMEM;
    }
    double sum = 0, within = 0;
    for (size_t i = 0; i < n; i++) {
        error[i] = fabs(predicted[i] / measured[i] - 1);
        sum += error[i];
        within += error[i] <= 0.2;
    }
    qsort(error, n, sizeof *error, by_value);
    if (n > 0) {
        q.mape = sum / (double)n;
        q.within_20 = within / (double)n;
        q.median = (error[(n - 1) / 2] + error[n / 2]) / 2;
    }
    if (n > 1)
        q.spearman = gsl_stats_spearman(predicted, 1, measured, 1, n, ranks);
    sc_free(error);
    sc_free(ranks);
    *out = q;
    return SC_OK;
}

void sc_tiled_predict(double *predicted, const sc_measured *m, const double *factor)
{
    for (size_t i = 0; i < m->n; i++)
        predicted[i] = sc_tiled_cycles(&m->work[i], factor);
}

/* ---- the fit ---- */

typedef struct problem {
    const sc_measured *m;
    uint32_t hold_out;
} problem;

static bool seen(const sc_measured *m, size_t row, uint32_t hold_out)
{
    return hold_out == UINT32_MAX || m->fold[row] != hold_out;
}

/* The unknowns are logs, so that factors stay above 0; of overlap - 1, which stays above 0 too. */
static double to_unknown(unsigned f, double factor)
{
    return log(f == SC_TILED_OVERLAP ? factor - 1 : factor);
}

static double to_factor(unsigned f, double unknown)
{
    const double v = exp(fmin(fmax(unknown, -30), 30));
    return f == SC_TILED_OVERLAP ? 1 + v : v;
}

static void factors_of(double *factor, const gsl_vector *x)
{
    for (unsigned f = 0; f < SC_TILED_FACTORS; f++)
        factor[f] = to_factor(f, gsl_vector_get(x, f));
}

/* A residual whose square is the damped loss. */
static double damped(double residual)
{
    const double z = residual / damping;
    return copysign(damping * sqrt(2 * (sqrt(1 + z * z) - 1)), residual);
}

static int residuals(const gsl_vector *x, void *params, gsl_vector *out)
{
    const problem *p = params;
    double factor[SC_TILED_FACTORS];
    size_t at = 0;
    factors_of(factor, x);
    for (size_t i = 0; i < p->m->n; i++)
        if (seen(p->m, i, p->hold_out)) {
            const double ratio = sc_tiled_cycles(&p->m->work[i], factor) / p->m->cycles[i];
            gsl_vector_set(out, at++, damped(log(ratio)));
        }
    for (unsigned f = 0; f < SC_TILED_FACTORS; f++)
        gsl_vector_set(out, at++, hold * (gsl_vector_get(x, f) - to_unknown(f, start[f])));
    return GSL_SUCCESS;
}

static size_t count_seen(const problem *p)
{
    size_t n = 0;
    for (size_t i = 0; i < p->m->n; i++)
        n += seen(p->m, i, p->hold_out);
    return n;
}

static sc_status search(double *factor, gsl_multifit_nlinear_workspace *w,
                        gsl_multifit_nlinear_fdf *fdf)
{
    double first[SC_TILED_FACTORS];
    int info = 0;
    for (unsigned f = 0; f < SC_TILED_FACTORS; f++)
        first[f] = to_unknown(f, start[f]);
    const gsl_vector_const_view x = gsl_vector_const_view_array(first, SC_TILED_FACTORS);
    int code = gsl_multifit_nlinear_init(&x.vector, fdf, w);
    if (code == GSL_SUCCESS) /* it may also end because no step helps any more: that is an end */
        code = gsl_multifit_nlinear_driver(MAX_STEPS, 1e-9, 1e-9, 1e-12, NULL, NULL, &info, w);
    if (code != GSL_SUCCESS && code != GSL_EMAXITER && code != GSL_ENOPROG)
        return sc_fail(SC_ERANGE, "the fit failed: %s", gsl_strerror(code));
    factors_of(factor, gsl_multifit_nlinear_position(w));
    return SC_OK;
}

sc_status sc_tiled_fit(double *factor, const sc_measured *m, uint32_t hold_out)
{
    problem p = {m, hold_out};
    const size_t n = count_seen(&p);
    if (n < SC_TILED_FACTORS)
        return sc_fail(SC_EINVAL, "%zu rows cannot decide %d factors", n, SC_TILED_FACTORS);

    gsl_multifit_nlinear_parameters how = gsl_multifit_nlinear_default_parameters();
    how.scale = gsl_multifit_nlinear_scale_levenberg;
    gsl_multifit_nlinear_fdf fdf = {
        .f = residuals, .n = n + SC_TILED_FACTORS, .p = SC_TILED_FACTORS, .params = &p};
    gsl_error_handler_t *old = gsl_set_error_handler_off();
    gsl_multifit_nlinear_workspace *w =
        gsl_multifit_nlinear_alloc(gsl_multifit_nlinear_trust, &how, fdf.n, fdf.p);
    const sc_status st =
        w ? search(factor, w, &fdf) : sc_fail(SC_ENOMEM, "out of memory for a fit of %zu rows", n);
    if (w)
        gsl_multifit_nlinear_free(w);
    gsl_set_error_handler(old);
    return st;
}

sc_status sc_tiled_cross_validate(double *held_out, const sc_measured *m, uint32_t folds)
{
    for (uint32_t fold = 0; fold < folds; fold++) {
        double factor[SC_TILED_FACTORS];
        const sc_status st = sc_tiled_fit(factor, m, fold);
        if (st != SC_OK)
            return st;
        for (size_t i = 0; i < m->n; i++)
            if (m->fold[i] == fold)
                held_out[i] = sc_tiled_cycles(&m->work[i], factor);
    }
    return SC_OK;
}
