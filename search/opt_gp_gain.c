/* What a candidate may gain: docs/algorithms/gp.md. Expected improvement: Jones, Schonlau, Welch,
 * J. Global Optimization 13 1998, doi:10.1023/A:1008306431147. Expected hypervolume improvement in
 * two objectives: Emmerich, Yang, Deutz, Wang, Fonseca, 2016, doi:10.1007/978-3-319-29975-4_8.
 * Chebyshev scalar: Knowles, "ParEGO", IEEE Trans. Evol. Comput. 10(1) 2006,
 * doi:10.1109/TEVC.2005.851274. */
#include <math.h>
#include <string.h>

#include "search/opt_gp.h"

double sc_gp_improvement(double x, double mean, double deviation)
{
    const double z = (x - mean) / deviation;
    const double density = 0.39894228040143267794 * exp(-0.5 * z * z);
    const double below = 0.5 * erfc(-z * 0.70710678118654752440);
    return fmax(deviation * (z * below + density), 0.0);
}

double sc_gp_scalar(const sc_gp_gain *g, const double *y)
{
    const double rho = 0.05; /* Knowles 2006, section II */
    double most = -HUGE_VAL, sum = 0.0;
    for (size_t j = 0; j < g->m; j++) {
        const double v = g->weight[j] * (y[j] - g->low[j]) / g->range[j];
        most = fmax(most, v);
        sum += v;
    }
    return most + rho * sum;
}

/* By the first objective, keeping only what no other point dominates. */
static void sort_front(sc_gp_gain *g)
{
    double(*front)[2] = (double(*)[2])(void *)g->front;
    size_t kept = 0;
    for (size_t i = 1; i < g->n; i++) {
        const double x = front[i][0], y = front[i][1];
        size_t k = i;
        for (; k > 0 && (front[k - 1][0] > x || (front[k - 1][0] == x && front[k - 1][1] > y)); k--)
            memcpy(front[k], front[k - 1], sizeof *front);
        front[k][0] = x;
        front[k][1] = y;
    }
    for (size_t i = 0; i < g->n; i++)
        if (kept == 0 || front[i][1] < front[kept - 1][1]) {
            front[kept][0] = front[i][0];
            front[kept++][1] = front[i][1];
        }
    g->n = kept;
}

/* Merge the two neighbours that span the least area, again and again. */
static void merge_front(sc_gp_gain *g)
{
    double(*front)[2] = (double(*)[2])(void *)g->front;
    while (g->n > SC_GP_FRONT) {
        double least = HUGE_VAL;
        size_t at = 0;
        for (size_t i = 0; i + 1 < g->n; i++) {
            const double area = (front[i + 1][0] - front[i][0]) * (front[i][1] - front[i + 1][1]);
            if (area < least) {
                least = area;
                at = i;
            }
        }
        front[at][1] = front[at + 1][1];
        memmove(front + at + 1, front + at + 2, (g->n - at - 2) * sizeof *front);
        g->n--;
    }
}

/* By the third objective, and the stairs of every slab from those of the one below. */
static void build_slabs(sc_gp_gain *g)
{
    double(*front)[3] = (double(*)[3])(void *)g->front;
    for (size_t i = 1; i < g->n; i++) {
        double row[3];
        size_t k = i;
        memcpy(row, front[i], sizeof row);
        for (; k > 0 && front[k - 1][2] > row[2]; k--)
            memcpy(front[k], front[k - 1], sizeof row);
        memcpy(front[k], row, sizeof row);
    }
    g->slab[0] = g->slab[1] = 0;
    for (size_t k = 0; k < g->n; k++) { /* slab k + 1: those of slab k, and point k */
        size_t at = g->slab[k + 1];
        bool done = false;
        for (size_t i = g->slab[k]; i < g->slab[k + 1]; i++) {
            const double *other = front[g->stair[i]];
            if (!done && front[k][0] < other[0]) {
                g->stair[at++] = (uint32_t)k;
                done = true;
            }
            if (other[0] <= front[k][0] && other[1] <= front[k][1])
                done = true; /* nothing new below it */
            if (other[0] < front[k][0] || other[1] < front[k][1])
                g->stair[at++] = g->stair[i];
        }
        if (!done)
            g->stair[at++] = (uint32_t)k;
        g->slab[k + 2] = (uint32_t)at;
    }
}

void sc_gp_gain_ready(sc_gp_gain *g)
{
    g->best = HUGE_VAL;
    for (size_t j = 0; j < g->m; j++) {
        double high = -HUGE_VAL;
        g->low[j] = HUGE_VAL;
        for (size_t i = 0; i < g->n; i++) {
            g->low[j] = fmin(g->low[j], g->front[i * g->m + j]);
            high = fmax(high, g->front[i * g->m + j]);
        }
        g->range[j] = fmax(high - g->low[j], 1e-3);
    }
    if (g->m == 2) {
        sort_front(g);
        merge_front(g);
    } else if (g->m == 3) {
        build_slabs(g);
    }
    for (size_t i = 0; i < g->n; i++)
        g->best = fmin(g->best, g->m == 1 ? g->front[i] : sc_gp_scalar(g, g->front + i * g->m));
}

/* Sum over strips between neighbours of the front: width that the first objective may take there,
 * times what the second may gain below it. */
static double hypervolume_gain(const sc_gp_gain *g, const double *mean, const double *deviation)
{
    double sum = 0.0, before = 0.0;
    for (size_t i = 0; i <= g->n; i++) {
        const double right = i < g->n ? fmin(g->front[2 * i], g->ref[0]) : g->ref[0];
        const double top = i > 0 ? fmin(g->front[2 * i - 1], g->ref[1]) : g->ref[1];
        const double upto = sc_gp_improvement(right, mean[0], deviation[0]);
        sum += fmax(upto - before, 0.0) * sc_gp_improvement(top, mean[1], deviation[1]);
        before = upto;
    }
    return sum;
}

/* Of one slab: strips as in two objectives. */
static double slab_gain(const sc_gp_gain *g, size_t k)
{
    const double *upto0 = g->upto, *upto1 = g->upto + g->n + 1;
    double sum = 0.0, before = 0.0, high = upto1[g->n];
    for (size_t i = g->slab[k]; i < g->slab[k + 1]; i++) {
        const uint32_t point = g->stair[i];
        sum += (upto0[point] - before) * high;
        before = upto0[point];
        high = upto1[point];
    }
    return sum + (upto0[g->n] - before) * high;
}

static double hypervolume_gain_3d(sc_gp_gain *g, const double *mean, const double *deviation)
{
    const size_t n = g->n;
    double sum = 0.0, before = 0.0;
    for (size_t j = 0; j < 3; j++)
        for (size_t i = 0; i <= n; i++) {
            const double x = i < n ? fmin(g->front[3 * i + j], g->ref[j]) : g->ref[j];
            g->upto[j * (n + 1) + i] = sc_gp_improvement(x, mean[j], deviation[j]);
        }
    for (size_t k = 0; k <= n; k++) {
        const double upto = g->upto[2 * (n + 1) + k];
        if (upto > before)
            sum += (upto - before) * slab_gain(g, k);
        before = upto;
    }
    return sum;
}

static double scalar_gain(const sc_gp_gain *g, const double *mean, const double *deviation)
{
    double sum = 0.0, y[SC_MAX_OBJECTIVES];
    for (size_t s = 0; s < SC_GP_SAMPLES; s++) {
        for (size_t j = 0; j < g->m; j++)
            y[j] = mean[j] + deviation[j] * g->draw[s][j];
        sum += fmax(g->best - sc_gp_scalar(g, y), 0.0);
    }
    /* where no draw gains anything, the mean decides */
    return sum / SC_GP_SAMPLES + 1e-9 * exp(-sc_gp_scalar(g, mean));
}

double sc_gp_gain_of(sc_gp_gain *g, const double *mean, const double *deviation)
{
    return g->m == 1   ? sc_gp_improvement(g->best, mean[0], deviation[0])
           : g->m == 2 ? hypervolume_gain(g, mean, deviation)
           : g->m == 3 ? hypervolume_gain_3d(g, mean, deviation)
                       : scalar_gain(g, mean, deviation);
}
