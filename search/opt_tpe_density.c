/* Mixtures of product kernels over indices: docs/algorithms/tpe.md. */
#include <float.h>
#include <gsl/gsl_math.h>
#include <gsl/gsl_randist.h>
#include <math.h>
#include <string.h>

#include "core/mem.h"
#include "search/opt_tpe.h"

enum {
    TABLE = 1024, /* longest table; parameters with more values share entries */
    DRAWS = 64    /* of a truncated kernel, before it counts as uniform */
};

static const uint32_t NEVER = UINT32_MAX; /* index of a parameter inactive in a component */
static const double NOTHING = 40;         /* exp(-40) is lost beside 1 */

struct parameter {
    uint32_t n; /* values */
    bool categorical;
    bool gaps;      /* inactive in a component */
    unsigned shift; /* a table entry stands for 2^shift indices */
    double width;   /* bandwidth in indices; categorical: share of the other labels */
    double uniform; /* -log n */
    double *near;   /* log kernel by distance, before truncation; categorical: same, other */
    double *inside; /* log of what lies within the range, by the centre */
};

struct sc_tpe_density {
    size_t n_params, capacity, n;
    struct parameter *parameter; /* [n_params] */
    double *tables;              /* of all parameters */
    uint32_t *at;                /* [n_params][capacity] centre or NEVER */
    double *offset;              /* [capacity] minus the sum of `inside` */
    double *term;                /* [capacity] scratch */
    double prior;                /* weight of the uniform component; the others weigh 1 */
};

/* Standard normal mass between two numbers; precise far out on the positive side. */
static double between(double from, double to)
{
    return 0.5 * (erfc(from * M_SQRT1_2) - erfc(to * M_SQRT1_2));
}

static size_t entries(const struct parameter *p)
{
    return p->categorical ? 2 : (((size_t)p->n - 1) >> p->shift) + 1;
}

/* The discretised Gaussian of Watanabe 2023, section 3: mass of an index is that of the interval
 * of half a step around it, over the mass of the whole range. */
static void tabulate(struct parameter *p)
{
    const double step = ldexp(1.0, (int)p->shift), width = p->width;
    for (size_t k = 0; k < entries(p); k++) {
        const double at = (double)k * step + 0.5 * (step - 1.0); /* the middle of its indices */
        const double edge = (at - 0.5) / width;
        const double mass = between(edge, (at + 0.5) / width);
        /* where erfc() is below the least double, the first term of its expansion */
        p->near[k] = mass > DBL_MIN ? log(mass) : -0.5 * edge * edge - log(edge * sqrt(2 * M_PI));
        p->inside[k] = log(between((-0.5 - at) / width, ((double)p->n - 0.5 - at) / width));
    }
}

sc_status sc_tpe_density_create(sc_tpe_density **out, const sc_problem *problem, size_t capacity)
{
    const size_t n = problem->n_params;
    sc_tpe_density *d = sc_calloc(1, sizeof *d);
    size_t total = 0;

    if (!d)
        return SC_ENOMEM;
    d->n_params = n;
    d->capacity = capacity;
    d->parameter = sc_calloc(n, sizeof *d->parameter);
    for (size_t i = 0; d->parameter && i < n; i++) {
        struct parameter *p = &d->parameter[i];
        p->n = problem->cardinality[i];
        p->categorical = problem->categorical[i];
        p->uniform = -log((double)p->n);
        while (((p->n - 1) >> p->shift) >= TABLE)
            p->shift++;
        total += 2 * entries(p);
    }
    d->tables = sc_calloc(total, sizeof *d->tables);
    d->at = sc_calloc(n * capacity, sizeof *d->at);
    d->offset = sc_calloc(capacity, sizeof *d->offset);
    d->term = sc_calloc(capacity, sizeof *d->term);
    if (!d->parameter || !d->tables || !d->at || !d->offset || !d->term) {
        sc_tpe_density_destroy(d);
        return SC_ENOMEM;
    }
    double *at = d->tables;
    for (size_t i = 0; i < n; i++) {
        d->parameter[i].near = at;
        d->parameter[i].inside = at + entries(&d->parameter[i]);
        at += 2 * entries(&d->parameter[i]);
    }
    *out = d;
    return SC_OK;
}

void sc_tpe_density_destroy(sc_tpe_density *d)
{
    if (d) {
        sc_free(d->parameter);
        sc_free(d->tables);
        sc_free(d->at);
        sc_free(d->offset);
        sc_free(d->term);
    }
    sc_free(d);
}

void sc_tpe_density_begin(sc_tpe_density *d, double prior)
{
    d->n = 0;
    d->prior = prior;
    for (size_t i = 0; i < d->n_params; i++)
        d->parameter[i].gaps = false;
}

void sc_tpe_density_width(sc_tpe_density *d, size_t i, double width)
{
    struct parameter *p = &d->parameter[i];
    if (p->width == width || p->n == 1)
        return;
    p->width = width;
    if (!p->categorical) {
        tabulate(p);
        return;
    }
    p->near[0] = log(1 - width);
    p->near[1] = log(width / (double)(p->n - 1));
}

void sc_tpe_density_add(sc_tpe_density *d, const uint32_t *point, const bool *active)
{
    const size_t k = d->n++;
    double offset = 0;
    for (size_t i = 0; i < d->n_params; i++) {
        struct parameter *p = &d->parameter[i];
        d->at[i * d->capacity + k] = active[i] ? point[i] : NEVER;
        p->gaps |= !active[i];
        if (active[i] && !p->categorical && p->n > 1)
            offset -= p->inside[point[i] >> p->shift];
    }
    d->offset[k] = offset;
}

/* Add the kernels of one parameter at index x to the terms. */
static void add_kernels(const struct parameter *p, const uint32_t *at, uint32_t x, double *term,
                        size_t n)
{
    if (p->categorical) {
        for (size_t k = 0; k < n; k++)
            term[k] += p->gaps && at[k] == NEVER ? p->uniform : p->near[at[k] != x];
    } else if (p->gaps) {
        for (size_t k = 0; k < n; k++) {
            const uint32_t far = at[k] > x ? at[k] - x : x - at[k];
            term[k] += at[k] == NEVER ? p->uniform : p->near[far >> p->shift];
        }
    } else {
        for (size_t k = 0; k < n; k++) {
            const uint32_t far = at[k] > x ? at[k] - x : x - at[k];
            term[k] += p->near[far >> p->shift];
        }
    }
}

/* A parameter summed over: take back its truncation. */
static void drop_kernels(const struct parameter *p, const uint32_t *at, double *term, size_t n)
{
    for (size_t k = 0; k < n && !p->categorical; k++)
        if (at[k] != NEVER)
            term[k] += p->inside[at[k] >> p->shift];
}

double sc_tpe_density_log(sc_tpe_density *d, const uint32_t *point, const bool *active)
{
    double prior = log(d->prior), largest, sum;

    memcpy(d->term, d->offset, d->n * sizeof *d->term);
    for (size_t i = 0; i < d->n_params; i++) {
        const struct parameter *p = &d->parameter[i];
        if (p->n == 1)
            continue;
        if (active[i]) {
            add_kernels(p, d->at + i * d->capacity, point[i], d->term, d->n);
            prior += p->uniform;
        } else {
            drop_kernels(p, d->at + i * d->capacity, d->term, d->n);
        }
    }
    largest = prior;
    for (size_t k = 0; k < d->n; k++)
        largest = d->term[k] > largest ? d->term[k] : largest;
    sum = exp(prior - largest);
    for (size_t k = 0; k < d->n; k++)
        if (d->term[k] > largest - NOTHING)
            sum += exp(d->term[k] - largest);
    return largest + log(sum) - log((double)d->n + d->prior);
}

static uint32_t draw(const struct parameter *p, sc_rng *r, uint32_t centre)
{
    if (centre == NEVER)
        return (uint32_t)gsl_rng_uniform_int(&r->gsl, p->n);
    if (p->categorical) {
        if (gsl_rng_uniform(&r->gsl) >= p->width)
            return centre;
        const uint32_t k = (uint32_t)gsl_rng_uniform_int(&r->gsl, p->n - 1);
        return k + (k >= centre);
    }
    for (int t = 0; t < DRAWS; t++) {
        const double x = round((double)centre + gsl_ran_gaussian(&r->gsl, p->width));
        if (x >= 0 && x <= (double)(p->n - 1))
            return (uint32_t)x;
    }
    return (uint32_t)gsl_rng_uniform_int(&r->gsl, p->n);
}

void sc_tpe_density_sample(const sc_tpe_density *d, sc_rng *r, uint32_t *point)
{
    const double which = gsl_rng_uniform(&r->gsl) * ((double)d->n + d->prior);
    const size_t k = (size_t)which; /* n or more: the prior */
    for (size_t i = 0; i < d->n_params; i++) {
        const struct parameter *p = &d->parameter[i];
        point[i] = p->n == 1 ? 0 : draw(p, r, k < d->n ? d->at[i * d->capacity + k] : NEVER);
    }
}
