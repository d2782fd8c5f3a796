/* Categorical distributions under an adaptive natural gradient: docs/algorithms/cmaes.md. Akimoto,
 * Shirakawa, Yoshinari, Uchida, Saito, Nishida, "Adaptive stochastic natural gradient method for
 * one-shot neural architecture search", ICML 2019, arXiv:1905.08537; margin of Hamano, Saito,
 * Nomura, Uchida, Shirakawa, "CatCMA", GECCO 2024, arXiv:2405.09962. */
#include <math.h>

#include "core/mem.h"
#include "search/opt_gauss.h"

static const double ALPHA = 1.5; /* signal to noise that is kept: Akimoto et al., section 4 */

sc_status sc_categories_create(sc_categories *c, const uint32_t *cardinality, size_t n)
{
    *c = (sc_categories){.n = n, .cardinality = cardinality};
    for (size_t i = 0; i < n; i++)
        c->n_all += cardinality[i];
    c->q = sc_calloc(c->n_all, sizeof *c->q);
    c->path = sc_calloc(c->n_all, sizeof *c->path);
    c->gradient = sc_calloc(c->n_all, sizeof *c->gradient);
    c->root = sc_calloc(c->n_all, sizeof *c->root);
    if (c->q && c->path && c->gradient && c->root)
        return SC_OK;
    sc_categories_clear(c);
    return SC_ENOMEM;
}

void sc_categories_clear(sc_categories *c)
{
    sc_free(c->q);
    sc_free(c->path);
    sc_free(c->gradient);
    sc_free(c->root);
    *c = (sc_categories){0};
}

void sc_categories_start(sc_categories *c)
{
    size_t at = 0;
    for (size_t i = 0; i < c->n; i++)
        for (uint32_t k = 0; k < c->cardinality[i]; k++, at++) {
            c->q[at] = 1.0 / (double)c->cardinality[i];
            c->path[at] = 0.0;
        }
    c->delta = 1.0;
    c->gamma = 0.0;
}

void sc_categories_draw(const sc_categories *c, sc_rng *r, uint32_t *value)
{
    const double *q = c->q;
    for (size_t i = 0; i < c->n; q += c->cardinality[i++]) {
        double left = gsl_rng_uniform(&r->gsl);
        uint32_t k = 0;
        while (k + 1 < c->cardinality[i] && left >= q[k])
            left -= q[k++];
        value[i] = k;
    }
}

/* Natural gradient: sum of weight * (one-hot - q). */
static void gradient_of(sc_categories *c, const uint32_t *value, const double *weight, size_t rows)
{
    double total = 0.0;
    for (size_t row = 0; row < rows; row++)
        total += fmax(weight[row], 0.0);
    for (size_t at = 0; at < c->n_all; at++)
        c->gradient[at] = -total * c->q[at];
    for (size_t row = 0; row < rows; row++)
        for (size_t i = 0, at = 0; i < c->n; at += c->cardinality[i++])
            c->gradient[at + value[row * c->n + i]] += fmax(weight[row], 0.0);
}

/* Gradient times the root of the Fisher matrix (Akimoto et al., appendix B). @return its length. */
static double times_root(sc_categories *c)
{
    double squares = 0.0;
    for (size_t i = 0, at = 0; i < c->n; at += c->cardinality[i++]) {
        const size_t last = at + c->cardinality[i] - 1;
        double sum = 0.0;
        for (size_t k = at; k < last; k++)
            sum += c->gradient[k];
        for (size_t k = at; k < last; k++) {
            c->root[k] = c->gradient[k] / sqrt(c->q[k]) +
                         sqrt(c->q[k]) * sum / (c->q[last] + sqrt(c->q[last]));
            squares += c->root[k] * c->root[k];
        }
        c->root[last] = 0.0;
    }
    return sqrt(squares);
}

/* Lift what is below the least, and take it from what is above, so that the sum is 1. */
static void keep_margin(double *q, uint32_t n, double least)
{
    double over = 0.0, sum = 0.0;
    for (uint32_t k = 0; k < n; k++) {
        q[k] = fmax(q[k], least);
        over += q[k] - least;
    }
    const double room = 1.0 - least * (double)n;
    for (uint32_t k = 0; k < n; k++) {
        q[k] = least + (q[k] - least) * room / over;
        sum += q[k];
    }
    for (uint32_t k = 0; k < n; k++)
        q[k] /= sum;
}

void sc_categories_update(sc_categories *c, const uint32_t *value, const double *weight,
                          size_t rows, size_t n_params)
{
    if (c->n == 0)
        return;
    gradient_of(c, value, weight, rows);
    const double length = times_root(c);
    if (!(length > 1e-12))
        return; /* nothing to learn */
    const double beta = 1.0 / (c->delta * sqrt((double)(c->n_all - c->n)));
    double squares = 0.0;

    for (size_t at = 0; at < c->n_all; at++) {
        c->q[at] += c->gradient[at] / (c->delta * length);
        c->path[at] = (1.0 - beta) * c->path[at] + sqrt(beta * (2.0 - beta)) * c->root[at] / length;
        squares += c->path[at] * c->path[at];
    }
    c->gamma = (1.0 - beta) * (1.0 - beta) * c->gamma + beta * (2.0 - beta);
    /* not so far that beta passes 1 */
    c->delta = fmax(1.0 / sqrt((double)(c->n_all - c->n)),
                    c->delta * exp(beta * (c->gamma - squares / ALPHA)));
    const double apart = 1.0 - pow(0.73, 1.0 / (double)n_params); /* arXiv:2405.09962, section 4 */
    for (size_t i = 0, at = 0; i < c->n; at += c->cardinality[i++])
        keep_margin(c->q + at, c->cardinality[i], apart / (double)(c->cardinality[i] - 1));
}
