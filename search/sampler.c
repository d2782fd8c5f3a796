/* Points that any optimiser may want: random ones, the next of the grid, a changed one. */
#include <gsl/gsl_rng.h>
#include <math.h>
#include <string.h>

#include "core/hash.h"
#include "search/opt.h"

enum {
    DOMAIN_SUGGESTION = 0x53554747, /* stream names: one domain a purpose */
    RANDOM_TRIES = 16384,
    SWEEP_STEPS = 1 << 22 /* of a random search that finds nothing by chance any more */
};

uint64_t sc_opt_key(const sc_optimizer *o, const uint32_t *point)
{
    const sc_problem *p = &o->problem;
    if (o->product == 0) {
        unsigned char bytes[4 * SC_MAX_PARAMS]; /* of a fixed order, as keys are saved */
        for (size_t i = 0; i < 4 * p->n_params; i++)
            bytes[i] = (unsigned char)(point[i / 4] >> 8 * (i % 4));
        return sc_hash64_of(bytes, 4 * p->n_params);
    }
    uint64_t rank = 0;
    for (size_t i = 0; i < p->n_params; i++)
        rank = rank * p->cardinality[i] + point[i];
    return rank;
}

bool sc_opt_is_new(const sc_optimizer *o, uint32_t *point)
{
    const sc_problem *p = &o->problem;
    if (p->canonical)
        p->canonical(p->context, point, NULL);
    return sc_seen_state_of(&o->seen, sc_opt_key(o, point)) == SC_SEEN_NEVER &&
           (!p->valid || p->valid(p->context, point));
}

void sc_opt_stream(const sc_optimizer *o, sc_rng *r)
{
    sc_rng_init(r, o->seed, DOMAIN_SUGGESTION, o->asked);
}

static uint64_t tries_for(uint64_t product)
{
    const uint64_t enough = 4 * product + 64; /* of a small grid: it is swept sooner */
    return product != 0 && product < RANDOM_TRIES && enough < RANDOM_TRIES ? enough : RANDOM_TRIES;
}

sc_opt_found sc_opt_random(sc_optimizer *o, sc_rng *r, uint32_t *point)
{
    const sc_problem *p = &o->problem;
    for (uint64_t t = tries_for(o->product); t > 0; t--) {
        for (size_t i = 0; i < p->n_params; i++)
            point[i] = (uint32_t)gsl_rng_uniform_int(&r->gsl, p->cardinality[i]);
        if (sc_opt_is_new(o, point))
            return SC_OPT_FOUND;
    }
    const sc_opt_found found = sc_opt_sweep(o, SWEEP_STEPS, point);
    return found == SC_OPT_LATER ? SC_OPT_NONE : found;
}

static void unrank(const sc_problem *p, uint64_t rank, uint32_t *point)
{
    for (size_t i = p->n_params; i-- > 0;) {
        point[i] = (uint32_t)(rank % p->cardinality[i]);
        rank /= p->cardinality[i];
    }
}

static void step(const sc_problem *p, uint32_t *point)
{
    for (size_t i = p->n_params; i-- > 0;) {
        if (++point[i] < p->cardinality[i])
            return;
        point[i] = 0;
    }
}

sc_opt_found sc_opt_sweep(sc_optimizer *o, uint64_t steps, uint32_t *point)
{
    const size_t bytes = o->problem.n_params * sizeof *point;
    uint32_t here[SC_MAX_PARAMS];

    unrank(&o->problem, o->sweep, here);
    for (; o->sweep < o->product; step(&o->problem, here)) {
        if (steps-- == 0)
            return SC_OPT_LATER;
        o->sweep++;
        memcpy(point, here, bytes);
        /* A point that is not canonical has its say at the rank of the one it stands for. */
        if (sc_opt_is_new(o, point) && memcmp(point, here, bytes) == 0)
            return SC_OPT_FOUND;
    }
    return SC_OPT_NONE;
}

/* Polynomial mutation over the unit interval: step of a density (eta + 1) / 2 * (1 - |d|)^eta.
 * Deb, Goyal, Computer Science and Informatics 26(4) 1996; eta as in Deb et al. 2002. */
static double polynomial_step(sc_rng *r)
{
    const double eta = 20.0;
    const double u = gsl_rng_uniform(&r->gsl);
    return u < 0.5 ? pow(2.0 * u, 1.0 / (eta + 1.0)) - 1.0
                   : 1.0 - pow(2.0 * (1.0 - u), 1.0 / (eta + 1.0));
}

static uint32_t any_other(sc_rng *r, uint32_t index, uint32_t n)
{
    const uint32_t k = (uint32_t)gsl_rng_uniform_int(&r->gsl, n - 1);
    return k + (k >= index);
}

void sc_opt_jump(const sc_optimizer *o, sc_rng *r, uint32_t *point, size_t i)
{
    const uint32_t n = o->problem.cardinality[i];
    if (n > 1)
        point[i] = any_other(r, point[i], n);
}

void sc_opt_mutate(const sc_optimizer *o, sc_rng *r, uint32_t *point, size_t i)
{
    const double anywhere = 0.1; /* share of jumps, so that no value is out of reach */
    const uint32_t n = o->problem.cardinality[i];
    if (n == 1)
        return;
    if (o->problem.categorical[i] || gsl_rng_uniform(&r->gsl) < anywhere) {
        point[i] = any_other(r, point[i], n);
        return;
    }
    const double d = polynomial_step(r);
    const double to = round((double)point[i] + d * (double)(n - 1));
    uint32_t index = to < 0.0 ? 0 : to > (double)(n - 1) ? n - 1 : (uint32_t)to;
    if (index == point[i]) /* less than half a step: to the neighbour on that side, or the other */
        index = (d < 0.0 && index > 0) || index == n - 1 ? index - 1 : index + 1;
    point[i] = index;
}

size_t sc_opt_free(const sc_optimizer *o, uint32_t *point, uint32_t *which)
{
    const sc_problem *p = &o->problem;
    bool active[SC_MAX_PARAMS];
    size_t n = 0;

    if (p->canonical)
        p->canonical(p->context, point, active);
    for (size_t i = 0; i < p->n_params; i++)
        if (p->cardinality[i] > 1 && (!p->canonical || active[i]))
            which[n++] = (uint32_t)i;
    return n;
}
