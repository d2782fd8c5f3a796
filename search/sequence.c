/* Low-discrepancy sequences: Sobol' by GSL up to 40 parameters, reverse Halton by GSL beyond. */
#include <gsl/gsl_qrng.h>
#include <math.h>

#include "core/mem.h"
#include "search/opt.h"

enum {
    DOMAIN_SHIFT = 0x53484654,
    BITS = 30,              /* that GSL's Sobol' numbers have; it ends after 2^30 points */
    DRAWS = 4096,           /* for one new point; a sequence that gives none is done with */
    SPENT = (1 << BITS) - 1 /* position of such a one */
};

struct sc_sequence {
    size_t n_params;
    gsl_qrng q;      /* made by hand: gsl_qrng_alloc() aborts when there is no memory */
    double *x;       /* [n_params] in [0, 1) */
    uint32_t *shift; /* [n_params] of BITS bits */
    uint64_t position;
};

static void start(sc_sequence *s)
{
    s->q.type->init_state(s->q.state, s->q.dimension);
    s->position = 0;
}

sc_status sc_sequence_create(sc_sequence **out, const sc_optimizer *o)
{
    const size_t n = o->problem.n_params;
    const gsl_qrng_type *type =
        n <= gsl_qrng_sobol->max_dimension ? gsl_qrng_sobol : gsl_qrng_reversehalton;
    sc_status st = SC_OK;
    sc_sequence *s = sc_calloc(1, sizeof *s);
    sc_rng r;

    if (!s) {
        st = SC_ENOMEM;
        goto done;
    }
    s->n_params = n;
    s->q = (gsl_qrng){type, (unsigned)n, type->state_size((unsigned)n), NULL};
    s->q.state = sc_malloc(s->q.state_size);
    s->x = sc_calloc(n, sizeof *s->x);
    s->shift = sc_calloc(n, sizeof *s->shift);
    if (!s->q.state || !s->x || !s->shift) {
        st = SC_ENOMEM;
        goto done;
    }
    start(s);
    sc_rng_init(&r, o->seed, DOMAIN_SHIFT, 0);
    for (size_t i = 0; i < n; i++)
        s->shift[i] = (uint32_t)gsl_rng_uniform_int(&r.gsl, 1ul << BITS);
    *out = s;
    s = NULL;
done:
    sc_sequence_destroy(s);
    return st;
}

void sc_sequence_destroy(sc_sequence *s)
{
    if (s) {
        sc_free(s->q.state);
        sc_free(s->x);
        sc_free(s->shift);
    }
    sc_free(s);
}

/* Unshifted coordinates of the next point. GSL leaves point 0, the origin, out; with it the first
 * 2^k points of Sobol' are a net (Owen, "On dropping the first Sobol' point", 2020,
 * arXiv:2008.08051). */
static void advance(sc_sequence *s)
{
    if (s->position++ > 0) {
        gsl_qrng_get(&s->q, s->x);
        return;
    }
    for (size_t i = 0; i < s->n_params; i++)
        s->x[i] = 0.0;
}

/* Index of a parameter of n values. Sobol' takes the shift digit by digit (exclusive or), which
 * keeps it a net; Halton, whose bases are not two, by addition modulo one. */
static uint32_t index_of(const sc_sequence *s, size_t i, uint32_t n)
{
    const uint32_t mask = (UINT32_C(1) << BITS) - 1;
    uint32_t fraction = (uint32_t)ldexp(s->x[i], BITS);
    if (s->q.type == gsl_qrng_sobol)
        fraction ^= s->shift[i];
    else
        fraction = (fraction + s->shift[i]) & mask;
    return (uint32_t)((uint64_t)fraction * n >> BITS);
}

bool sc_sequence_next(sc_sequence *s, const sc_optimizer *o, uint32_t *point)
{
    for (int k = 0; k < DRAWS && s->position < SPENT; k++) {
        advance(s);
        for (size_t i = 0; i < s->n_params; i++)
            point[i] = index_of(s, i, o->problem.cardinality[i]);
        if (sc_opt_is_new(o, point))
            return true;
    }
    s->position = SPENT;
    return false;
}

uint64_t sc_sequence_position(const sc_sequence *s)
{
    return s->position;
}

bool sc_sequence_seek(sc_sequence *s, const sc_optimizer *o, uint64_t position)
{
    start(s);
    if (position == SPENT) {
        s->position = SPENT;
        return true;
    }
    if (position > SPENT || position / DRAWS > o->asked)
        return false;
    while (s->position < position)
        advance(s);
    return true;
}
