/* NSGA-II with constrained dominance on index vectors: docs/algorithms/nsga2.md.
 * Deb, Pratap, Agarwal, Meyarivan, "A fast and elitist multiobjective genetic algorithm: NSGA-II",
 * IEEE Trans. Evol. Comput. 6(2) 2002, doi:10.1109/4235.996017. */
#include "core/mem.h"
#include "search/opt.h"
#include "search/pool.h"

enum {
    MAX_ROWS = 65536, /* largest population or batch */
    START = 10,       /* points of the sequence before the first offspring */
    SHARE = 32,       /* the population grows with the trials told: one in so many */
    OFFSPRING_TRIES = 64,
    TRIES_A_STEP = 16 /* after so many in vain one more parameter is changed */
};
static const double CROSSOVER = 0.9; /* of the paper, section IV */

struct nsga2 {
    sc_pool *pool; /* first the parents, then those told since the last renewal */
    bool blind;    /* no parent is better than another by its violation, and none feasible */
    sc_sequence *sequence;
};

/* Rows to keep now. A population in step with what is known is greedy while trials are few. */
static size_t population_of(const sc_optimizer *o)
{
    return sc_pool_population(o, SHARE);
}

static void destroy(sc_optimizer *o)
{
    struct nsga2 *s = o->state;
    if (!s)
        return;
    sc_pool_destroy(s->pool);
    sc_sequence_destroy(s->sequence);
    sc_free(s);
    o->state = NULL;
}

static sc_status create(sc_optimizer *o)
{
    const uint32_t population = o->options.population;
    const size_t most = population ? population : SC_POOL_MOST;
    if (population != 0 && (population < 4 || population > MAX_ROWS))
        return sc_fail(SC_EINVAL, "nsga2: population %u, must be 4 to %d", population, MAX_ROWS);
    if (o->options.batch > MAX_ROWS)
        return sc_fail(SC_EINVAL, "nsga2: batch %u, must be 1 to %d", o->options.batch, MAX_ROWS);
    struct nsga2 *s = sc_calloc(1, sizeof *s);
    if (!s)
        return SC_ENOMEM;
    o->state = s;
    sc_status st = sc_pool_create(&s->pool, o->problem.n_params, o->problem.n_objectives,
                                  most + sc_pool_batch(o, most));
    if (st != SC_OK || (st = sc_sequence_create(&s->sequence, o)) != SC_OK)
        destroy(o);
    return st;
}

static void tell(sc_optimizer *o, const sc_trial *t)
{
    struct nsga2 *s = o->state;
    sc_pool *p = s->pool;

    sc_pool_add(p, t);
    if (p->n_rows - p->n_kept < sc_pool_batch(o, population_of(o)))
        return;
    sc_pool_keep_best(p, population_of(o));
    s->blind = sc_pool_is_blind(p, 0, p->n_kept);
}

/* ---- offspring ---- */

/* Binary tournament by the crowded comparison. */
static uint32_t pick_parent(const sc_pool *p, sc_rng *r)
{
    const uint32_t a = (uint32_t)gsl_rng_uniform_int(&r->gsl, p->n_kept);
    const uint32_t b = (uint32_t)gsl_rng_uniform_int(&r->gsl, p->n_kept);
    return sc_pool_better(p, b, a) ? b : a;
}

/* Each parameter from one of two parents. */
static void cross(const sc_pool *p, sc_rng *r, uint32_t *child)
{
    const uint32_t *a = p->point + pick_parent(p, r) * p->n;
    const uint32_t *b = p->point + pick_parent(p, r) * p->n;
    const bool both = gsl_rng_uniform(&r->gsl) < CROSSOVER;
    for (size_t i = 0; i < p->n; i++)
        child[i] = both && gsl_rng_get(&r->gsl) % 2 ? b[i] : a[i];
}

/* Change each active parameter with probability 1 / (their number), and so many more at random. */
static void mutate(const sc_optimizer *o, sc_rng *r, uint32_t *child, int more)
{
    uint32_t free_one[SC_MAX_PARAMS];
    const size_t n_free = sc_opt_free(o, child, free_one);

    for (size_t k = 0; k < n_free; k++)
        if (gsl_rng_uniform_int(&r->gsl, n_free) == 0)
            sc_opt_mutate(o, r, child, free_one[k]);
    for (; more > 0 && n_free > 0; more--)
        sc_opt_mutate(o, r, child, free_one[gsl_rng_uniform_int(&r->gsl, n_free)]);
}

static sc_opt_found propose(sc_optimizer *o, uint32_t *point)
{
    struct nsga2 *s = o->state;
    sc_rng r;

    if (o->seen.n < START || s->pool->n_kept == 0 || s->blind) {
        if (sc_sequence_next(s->sequence, o, point))
            return SC_OPT_FOUND;
    }
    sc_opt_stream(o, &r);
    for (int t = 0; t < OFFSPRING_TRIES && s->pool->n_kept > 0; t++) {
        cross(s->pool, &r, point);
        mutate(o, &r, point, t / TRIES_A_STEP);
        if (sc_opt_is_new(o, point))
            return SC_OPT_FOUND;
    }
    return sc_opt_random(o, &r, point);
}

/* ---- state ---- */

static void save(const sc_optimizer *o, sc_buf *b)
{
    const struct nsga2 *s = o->state;
    sc_blob_u64(b, sc_sequence_position(s->sequence));
    sc_pool_save_kept(s->pool, b);
}

static bool load(sc_optimizer *o, sc_blob *in)
{
    struct nsga2 *s = o->state;
    const uint64_t position = sc_blob_read_u64(in);

    if (!sc_pool_load_kept(s->pool, sc_pool_batch(o, population_of(o)), o, in))
        return false;
    s->blind = sc_pool_is_blind(s->pool, 0, s->pool->n_kept);
    return sc_sequence_seek(s->sequence, o, position);
}

const sc_opt_class sc_opt_class_nsga2 = {
    .name = "nsga2",
    .about = "evolution towards the Pareto front, feasible points first (NSGA-II)",
    .create = create,
    .destroy = destroy,
    .propose = propose,
    .tell = tell,
    .save = save,
    .load = load,
};
