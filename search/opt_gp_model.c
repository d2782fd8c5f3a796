/* Gaussian process of one output: docs/algorithms/gp.md. Rasmussen, Williams, "Gaussian processes
 * for machine learning", MIT Press 2006, algorithm 2.1; kernel of Wan et al., ICML'21,
 * arXiv:2102.07188. */
#include <math.h>

#include "core/mem.h"
#include "search/opt_gp.h"

static const double ROOT5 = 2.2360679774997896964;

void sc_gp_kernel_start(sc_gp_kernel *k, size_t n_ordered, size_t n_labels)
{
    const size_t n = n_ordered + n_labels;
    k->n_ordered = n_ordered;
    k->n_labels = n_labels;
    for (size_t j = 0; j < n_ordered; j++)
        k->theta[j] = log(0.5 * sqrt((double)n));
    for (size_t j = n_ordered; j < n; j++)
        k->theta[j] = -0.5 * log((double)n);
    k->theta[n] = 0.0;
    k->theta[n + 1] = -6.0;
    sc_gp_kernel_set(k);
}

void sc_gp_kernel_set(sc_gp_kernel *k)
{
    const size_t n = k->n_ordered + k->n_labels;
    for (size_t j = 0; j < k->n_ordered; j++)
        k->inverse[j] = exp(-k->theta[j]);
    for (size_t j = k->n_ordered; j < n; j++)
        k->inverse[j] = exp(k->theta[j]);
    k->mix = 1.0 / (1.0 + exp(-k->theta[n]));
    k->noise = exp(k->theta[n + 1]);
}

static double matern(double squares)
{
    const double r = ROOT5 * sqrt(squares);
    return (1.0 + r + 5.0 / 3.0 * squares) * exp(-r);
}

static double join(const sc_gp_kernel *k, double squares, double apart)
{
    if (k->n_labels == 0)
        return matern(squares);
    if (k->n_ordered == 0)
        return exp(-apart);
    const double x = matern(squares), h = exp(-apart);
    return (1.0 - k->mix) * 0.5 * (x + h) + k->mix * x * h;
}

double sc_gp_kernel_at(const sc_gp_kernel *k, const double *a, const double *b)
{
    const size_t n = k->n_ordered + k->n_labels;
    double squares = 0.0, apart = 0.0;
    for (size_t j = 0; j < k->n_ordered; j++) {
        const double d = (a[j] - b[j]) * k->inverse[j];
        squares += d * d;
    }
    for (size_t j = k->n_ordered; j < n; j++)
        apart += a[j] != b[j] ? k->inverse[j] : 0.0;
    return join(k, squares, apart);
}

/* ---- life ---- */

sc_status sc_gp_model_create(sc_gp_model *g, size_t n_ordered, size_t n_labels, size_t capacity)
{
    *g = (sc_gp_model){.capacity = capacity, .scale = 1.0};
    sc_gp_kernel_start(&g->kernel, n_ordered, n_labels);
    g->slot = sc_calloc(capacity, sizeof *g->slot);
    g->l = sc_calloc(capacity * (capacity + 1) / 2, sizeof *g->l);
    g->y = sc_calloc(capacity, sizeof *g->y);
    g->z = sc_calloc(capacity, sizeof *g->z);
    g->block = sc_calloc(capacity, SC_GP_BLOCK * sizeof *g->block);
    if (g->slot && g->l && g->y && g->z && g->block)
        return SC_OK;
    sc_gp_model_clear(g);
    return SC_ENOMEM;
}

void sc_gp_model_clear(sc_gp_model *g)
{
    sc_free(g->slot);
    sc_free(g->l);
    sc_free(g->y);
    sc_free(g->z);
    sc_free(g->block);
    *g = (sc_gp_model){0};
}

/* ---- the root ---- */

static double *row_of(const sc_gp_model *g, size_t i)
{
    return g->l + i * (i + 1) / 2;
}

/* In four sums, so that no addition waits for the one before. */
static double dot(const double *a, const double *b, size_t n)
{
    double s[4] = {0.0, 0.0, 0.0, 0.0};
    size_t k = 0;
    for (; k + 4 <= n; k += 4)
        for (size_t i = 0; i < 4; i++)
            s[i] += a[k + i] * b[k + i];
    for (; k < n; k++)
        s[0] += a[k] * b[k];
    return (s[0] + s[1]) + (s[2] + s[3]);
}

void sc_gp_model_add(sc_gp_model *g, const double *features, uint32_t slot)
{
    const size_t columns = g->kernel.n_ordered + g->kernel.n_labels, i = g->n++;
    const double *x = features + slot * columns;
    double *row = row_of(g, i);

    g->slot[i] = slot;
    for (size_t j = 0; j < i; j++) {
        const double *other = row_of(g, j);
        const double v = sc_gp_kernel_at(&g->kernel, x, features + g->slot[j] * columns);
        row[j] = (v - dot(row, other, j)) / other[j];
    }
    /* what rounding takes must not reach the noise */
    row[i] = sqrt(fmax(1.0 + g->kernel.noise - dot(row, row, i), 0.5 * g->kernel.noise));
}

void sc_gp_model_solve(sc_gp_model *g)
{
    double squares = 0.0;
    for (size_t i = 0; i < g->n; i++) {
        const double *row = row_of(g, i);
        g->z[i] = i < g->n_told ? (g->y[i] - dot(row, g->z, i)) / row[i] : 0.0;
        squares += g->z[i] * g->z[i];
    }
    /* as if two more rows had told variance 1: y has that by construction */
    g->scale = (squares + 2.0) / ((double)g->n_told + 2.0);
}

/* Kernel of one row with a block of candidates. */
static void kernel_block(const sc_gp_kernel *k, const double *x, const double *candidate,
                         double *out)
{
    const size_t n = k->n_ordered + k->n_labels;
    double squares[SC_GP_BLOCK] = {0.0}, apart[SC_GP_BLOCK] = {0.0};
    for (size_t j = 0; j < k->n_ordered; j++)
        for (size_t c = 0; c < SC_GP_BLOCK; c++) {
            const double d = (candidate[j * SC_GP_BLOCK + c] - x[j]) * k->inverse[j];
            squares[c] += d * d;
        }
    for (size_t j = k->n_ordered; j < n; j++)
        for (size_t c = 0; c < SC_GP_BLOCK; c++)
            apart[c] += candidate[j * SC_GP_BLOCK + c] != x[j] ? k->inverse[j] : 0.0;
    for (size_t c = 0; c < SC_GP_BLOCK; c++)
        out[c] = join(k, squares[c], apart[c]);
}

/* Two candidates side by side, as the smallest vector unit takes them. The compiler's own way
 * through a block is five times slower (gcc 12); the arithmetic is the same. */
typedef double pair __attribute__((vector_size(16)));
enum { PAIRS = SC_GP_BLOCK / 2 };

/* v -= row * b, b [n][PAIRS]. */
static void eliminate(pair *v, const double *row, const pair *b, size_t n)
{
    pair sum[PAIRS];
    for (size_t c = 0; c < PAIRS; c++)
        sum[c] = v[c];
    for (size_t k = 0; k < n; k++, b += PAIRS) {
        const pair f = {row[k], row[k]};
        for (size_t c = 0; c < PAIRS; c++)
            sum[c] -= f * b[c];
    }
    for (size_t c = 0; c < PAIRS; c++)
        v[c] = sum[c];
}

void sc_gp_model_predict(sc_gp_model *g, const double *features, const double *candidate,
                         double *mean, double *variance)
{
    const size_t columns = g->kernel.n_ordered + g->kernel.n_labels;
    pair *block = (pair *)g->block, means[PAIRS] = {{0.0}}, squares[PAIRS] = {{0.0}};

    for (size_t i = 0; i < g->n; i++) {
        const double *row = row_of(g, i);
        pair *v = block + i * PAIRS;
        kernel_block(&g->kernel, features + g->slot[i] * columns, candidate, (double *)v);
        eliminate(v, row, block, i);
        for (size_t c = 0; c < PAIRS; c++) {
            v[c] /= row[i];
            means[c] += v[c] * g->z[i];
            squares[c] += v[c] * v[c];
        }
    }
    for (size_t c = 0; c < SC_GP_BLOCK; c++) {
        mean[c] = means[c / 2][c % 2];
        variance[c] = g->scale * fmax(1.0 - squares[c / 2][c % 2], 1e-10);
    }
}
