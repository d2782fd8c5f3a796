/* Linear combination swarm: docs/algorithms/lcs.md, which says what is known of the original and
 * what is our own reading. */
#include "search/opt_lcs.h"

#include <gsl/gsl_randist.h>
#include <math.h>
#include <string.h>

#include "core/mem.h"
#include "search/opt.h"
#include "search/pool.h"

enum {
    MAX_ROWS = 65536, /* largest population or batch */
    START = 10,       /* points of the sequence before the first combination */
    SHARE = 16,       /* the population grows with the trials told: one in so many */
    TRIES = 64,
    TRIES_A_STEP = 16 /* after so many in vain another sum, and one more change */
};
static const double PULL = 0.5;     /* of the parent; the rest goes to the mean of the swarm */
static const double COMBINED = 0.5; /* odds of a parameter; else it is the parent's */
static const double CHANGES = 0.5;  /* expected number of parameters changed besides */

struct lcs {
    sc_pool *pool; /* first the swarm, then those told since the last renewal */
    bool blind;    /* nobody is better than another by its violation, and none feasible */
    double *weight, *place, *factor; /* [capacity] of a row; of a place in the order; scratch */
    sc_sequence *sequence;
};

void sc_lcs_weights(double *weight, size_t n)
{
    double sum = 0.0;
    for (size_t i = 0; i < n; i++)
        sum += weight[i] = log((double)n + 1.0) - log((double)i + 1.0);
    for (size_t i = 0; i < n; i++)
        weight[i] /= sum;
}

void sc_lcs_factors(double *factor, const double *weight, size_t n, size_t parent)
{
    const double spread = sqrt(1.0 - PULL * PULL);
    double total = 0.0;
    for (size_t i = 0; i < n; i++)
        total += factor[i] *= spread * sqrt(weight[i]);
    for (size_t i = 0; i < n; i++)
        factor[i] += (1.0 - PULL - total) * weight[i];
    factor[parent] += PULL;
}

static size_t population_of(const sc_optimizer *o)
{
    return sc_pool_population(o, SHARE);
}

static void destroy(sc_optimizer *o)
{
    struct lcs *s = o->state;
    if (!s)
        return;
    sc_pool_destroy(s->pool);
    sc_sequence_destroy(s->sequence);
    sc_free(s->weight);
    sc_free(s);
    o->state = NULL;
}

static sc_status create(sc_optimizer *o)
{
    const uint32_t population = o->options.population;
    const size_t most = population ? population : SC_POOL_MOST;
    const size_t capacity = most + sc_pool_batch(o, most);
    sc_status st = SC_ENOMEM;

    if (population != 0 && (population < 4 || population > MAX_ROWS))
        return sc_fail(SC_EINVAL, "lcs: population %u, must be 4 to %d", population, MAX_ROWS);
    if (o->options.batch > MAX_ROWS)
        return sc_fail(SC_EINVAL, "lcs: batch %u, must be 1 to %d", o->options.batch, MAX_ROWS);
    struct lcs *s = sc_calloc(1, sizeof *s);
    if (!s)
        return SC_ENOMEM;
    o->state = s;
    s->weight = sc_calloc(capacity, 3 * sizeof *s->weight);
    if (!s->weight ||
        (st = sc_pool_create(&s->pool, o->problem.n_params, o->problem.n_objectives, capacity)) !=
            SC_OK ||
        (st = sc_sequence_create(&s->sequence, o)) != SC_OK) {
        destroy(o);
        return st;
    }
    s->place = s->weight + capacity;
    s->factor = s->place + capacity;
    return SC_OK;
}

static void weigh(struct lcs *s)
{
    sc_pool *p = s->pool;
    s->blind = sc_pool_is_blind(p, 0, p->n_kept);
    sc_pool_sort_kept(p);
    sc_lcs_weights(s->place, p->n_kept);
    for (size_t i = 0; i < p->n_kept; i++)
        s->weight[p->order[i]] = s->place[i];
}

static void tell(sc_optimizer *o, const sc_trial *t)
{
    struct lcs *s = o->state;
    sc_pool *p = s->pool;

    sc_pool_add(p, t);
    if (p->n_rows - p->n_kept < sc_pool_batch(o, population_of(o)))
        return;
    sc_pool_keep_best(p, population_of(o));
    weigh(s);
}

/* ---- a new point ---- */

/* A row of the swarm, its weight as odds. */
static size_t pick(const struct lcs *s, sc_rng *r)
{
    double left = gsl_rng_uniform(&r->gsl);
    size_t i = 0;
    for (; i + 1 < s->pool->n_kept && left >= s->weight[i]; i++)
        left -= s->weight[i];
    return i;
}

/* Index of parameter j as the sum of the rows: up or down with odds that keep the mean. */
static uint32_t sum_up(const struct lcs *s, size_t j, uint32_t cardinality, double u)
{
    const sc_pool *p = s->pool;
    double x = u;
    for (size_t i = 0; i < p->n_kept; i++)
        x += s->factor[i] * p->point[i * p->n + j];
    return x < 1.0 ? 0 : x >= cardinality ? cardinality - 1 : (uint32_t)x;
}

/* Factors of a new sum. @return the parent. */
static size_t draw(struct lcs *s, sc_rng *r)
{
    const size_t parent = pick(s, r);
    for (size_t i = 0; i < s->pool->n_kept; i++)
        s->factor[i] = gsl_ran_gaussian_ziggurat(&r->gsl, 1.0);
    sc_lcs_factors(s->factor, s->weight, s->pool->n_kept, parent);
    return parent;
}

/* Some parameters from the sum, the others from the parent. */
static void combine(const sc_optimizer *o, sc_rng *r, size_t parent, uint32_t *point)
{
    const struct lcs *s = o->state;
    const sc_pool *p = s->pool;

    memcpy(point, p->point + parent * p->n, p->n * sizeof *point);
    for (size_t j = 0; j < p->n; j++) {
        const uint32_t cardinality = o->problem.cardinality[j];
        if (cardinality == 1 || gsl_rng_uniform(&r->gsl) >= COMBINED)
            continue;
        if (!o->problem.categorical[j])
            point[j] = sum_up(s, j, cardinality, gsl_rng_uniform(&r->gsl));
        else if (gsl_rng_uniform(&r->gsl) >= PULL)
            point[j] = p->point[pick(s, r) * p->n + j];
    }
}

static void mutate(const sc_optimizer *o, sc_rng *r, uint32_t *point, int more)
{
    uint32_t which[SC_MAX_PARAMS];
    const size_t n_free = sc_opt_free(o, point, which);

    for (size_t k = 0; k < n_free; k++)
        if (gsl_rng_uniform(&r->gsl) * (double)n_free < CHANGES)
            sc_opt_mutate(o, r, point, which[k]);
    for (; more > 0 && n_free > 0; more--)
        sc_opt_mutate(o, r, point, which[gsl_rng_uniform_int(&r->gsl, n_free)]);
}

static sc_opt_found propose(sc_optimizer *o, uint32_t *point)
{
    struct lcs *s = o->state;
    sc_rng r;

    if (o->seen.n < START || s->pool->n_kept == 0 || s->blind) {
        if (sc_sequence_next(s->sequence, o, point))
            return SC_OPT_FOUND;
    }
    sc_opt_stream(o, &r);
    size_t parent = 0;
    for (int t = 0; t < TRIES && s->pool->n_kept > 0; t++) {
        if (t % TRIES_A_STEP == 0)
            parent = draw(s, &r);
        combine(o, &r, parent, point);
        mutate(o, &r, point, t / TRIES_A_STEP);
        if (sc_opt_is_new(o, point))
            return SC_OPT_FOUND;
    }
    return sc_opt_random(o, &r, point);
}

/* ---- state ---- */

static void save(const sc_optimizer *o, sc_buf *b)
{
    const struct lcs *s = o->state;
    sc_blob_u64(b, sc_sequence_position(s->sequence));
    sc_pool_save_kept(s->pool, b);
}

static bool load(sc_optimizer *o, sc_blob *in)
{
    struct lcs *s = o->state;
    const uint64_t position = sc_blob_read_u64(in);

    if (!sc_pool_load_kept(s->pool, sc_pool_batch(o, population_of(o)), o, in))
        return false;
    weigh(s);
    return sc_sequence_seek(s->sequence, o, position);
}

const sc_opt_class sc_opt_class_lcs = {
    .name = "lcs",
    .about = "random linear combinations of the best points (linear combination swarm)",
    .create = create,
    .destroy = destroy,
    .propose = propose,
    .tell = tell,
    .save = save,
    .load = load,
};
