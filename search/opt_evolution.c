/* Regularised evolution: docs/algorithms/evolution.md.
 * Real, Aggarwal, Huang, Le, "Regularized evolution for image classifier architecture search",
 * AAAI'19, doi:10.1609/aaai.v33i01.33014780. */
#include <string.h>

#include "core/mem.h"
#include "search/opt.h"
#include "search/pool.h"

enum {
    MAX_ALIVE = 65536, /* largest population */
    ALIVE = 100,       /* P of the paper, section 3 */
    MOST_SAMPLE = 50,  /* S: half of those alive, up to so many */
    START = 20,        /* points of the sequence before the first child */
    CHILD_TRIES = 64,
    TRIES_A_STEP = 16 /* after so many in vain another parent, and one more change */
};
/* Share of changes to any value, as in the paper; the others go to a near one. */
static const double JUMP = 0.5;

struct evolution {
    sc_pool *alive; /* rows from `first` on, oldest first; the dead before them are dropped late */
    size_t first;
    bool blind;      /* nobody alive is better than another by its violation, and none feasible */
    sc_pool *sample; /* of a tournament */
    sc_sequence *sequence;
};

static size_t population_of(const sc_optimizer *o)
{
    return o->options.population ? o->options.population : ALIVE;
}

static void destroy(sc_optimizer *o)
{
    struct evolution *s = o->state;
    if (!s)
        return;
    sc_pool_destroy(s->alive);
    sc_pool_destroy(s->sample);
    sc_sequence_destroy(s->sequence);
    sc_free(s);
    o->state = NULL;
}

static sc_status create(sc_optimizer *o)
{
    const size_t n = o->problem.n_params, m = o->problem.n_objectives;
    const uint32_t population = o->options.population;
    sc_status st;

    if (population != 0 && (population < 4 || population > MAX_ALIVE))
        return sc_fail(SC_EINVAL, "evolution: population %u, must be 4 to %d", population,
                       MAX_ALIVE);
    struct evolution *s = sc_calloc(1, sizeof *s);
    if (!s)
        return SC_ENOMEM;
    o->state = s;
    if ((st = sc_pool_create(&s->alive, n, m, 2 * population_of(o))) != SC_OK ||
        (st = sc_pool_create(&s->sample, n, m, MOST_SAMPLE)) != SC_OK ||
        (st = sc_sequence_create(&s->sequence, o)) != SC_OK)
        destroy(o);
    return st;
}

/* The newest enters, the oldest dies. */
static void tell(sc_optimizer *o, const sc_trial *t)
{
    struct evolution *s = o->state;
    sc_pool *p = s->alive;

    if (p->n_rows == p->capacity) {
        sc_pool_drop_first(p, s->first);
        s->first = 0;
    }
    sc_pool_add(p, t);
    if (p->n_rows - s->first > population_of(o))
        s->first++;
    s->blind = sc_pool_is_blind(p, s->first, p->n_rows - s->first);
}

/* Draw with replacement, as the paper does, but let a row compete once: its copies would count as
 * neighbours in the crowding. @return the row of the best. */
static uint32_t pick_parent(struct evolution *s, sc_rng *r)
{
    const size_t n_alive = s->alive->n_rows - s->first;
    const size_t half = n_alive / 2 > 2 ? n_alive / 2 : 2;
    const size_t draws = half < MOST_SAMPLE ? half : MOST_SAMPLE;
    sc_pool *sample = s->sample;
    uint32_t row[MOST_SAMPLE] = {0}, best = 0;

    sample->n_rows = 0;
    for (size_t k = 0; k < draws; k++) {
        const size_t j = sample->n_rows;
        size_t met = 0;
        row[j] = (uint32_t)(s->first + gsl_rng_uniform_int(&r->gsl, n_alive));
        while (row[met] != row[j])
            met++;
        if (met == j)
            sc_pool_copy_row(sample, sample->n_rows++, s->alive, row[j]);
    }
    sc_pool_grade(sample);
    for (uint32_t j = 1; j < sample->n_rows; j++)
        if (sc_pool_better(sample, j, best))
            best = j;
    return row[best];
}

/* Change one active parameter, and so many more; n_free of them may be. */
static void mutate(const sc_optimizer *o, sc_rng *r, uint32_t *child, int more)
{
    uint32_t which[SC_MAX_PARAMS];
    const size_t n_free = sc_opt_free(o, child, which);

    for (; more >= 0 && n_free > 0; more--) {
        const size_t i = which[gsl_rng_uniform_int(&r->gsl, n_free)];
        if (gsl_rng_uniform(&r->gsl) < JUMP)
            sc_opt_jump(o, r, child, i);
        else
            sc_opt_mutate(o, r, child, i);
    }
}

static sc_opt_found propose(sc_optimizer *o, uint32_t *point)
{
    struct evolution *s = o->state;
    const sc_pool *p = s->alive;
    sc_rng r;

    if (o->seen.n < START || p->n_rows == 0 || s->blind) {
        if (sc_sequence_next(s->sequence, o, point))
            return SC_OPT_FOUND;
    }
    sc_opt_stream(o, &r);
    uint32_t parent = 0;
    for (int t = 0; t < CHILD_TRIES && p->n_rows > 0; t++) {
        if (t % TRIES_A_STEP == 0)
            parent = pick_parent(s, &r);
        memcpy(point, p->point + parent * p->n, p->n * sizeof *point);
        mutate(o, &r, point, t / TRIES_A_STEP);
        if (sc_opt_is_new(o, point))
            return SC_OPT_FOUND;
    }
    return sc_opt_random(o, &r, point);
}

/* ---- state ---- */

static void save(const sc_optimizer *o, sc_buf *b)
{
    const struct evolution *s = o->state;
    sc_blob_u64(b, sc_sequence_position(s->sequence));
    sc_blob_u64(b, s->alive->n_rows - s->first);
    sc_pool_save(s->alive, s->first, b);
}

static bool load(sc_optimizer *o, sc_blob *in)
{
    struct evolution *s = o->state;
    const uint64_t position = sc_blob_read_u64(in);
    const size_t n = sc_blob_read_count(in, sc_pool_row_bytes(s->alive));

    if (in->broken || n > population_of(o) || !sc_pool_load(s->alive, n, o, in))
        return false;
    s->blind = sc_pool_is_blind(s->alive, 0, n);
    return sc_sequence_seek(s->sequence, o, position);
}

const sc_opt_class sc_opt_class_evolution = {
    .name = "evolution",
    .about = "the best of a random sample has a child, the oldest dies (regularised evolution)",
    .create = create,
    .destroy = destroy,
    .propose = propose,
    .tell = tell,
    .save = save,
    .load = load,
};
