/* NSGA-II with constrained dominance on index vectors: docs/algorithms/nsga2.md.
 * Deb, Pratap, Agarwal, Meyarivan, "A fast and elitist multiobjective genetic algorithm: NSGA-II",
 * IEEE Trans. Evol. Comput. 6(2) 2002, doi:10.1109/4235.996017. */
#include <math.h>
#include <string.h>

#include "core/mem.h"
#include "search/opt.h"
#include "search/order.h"
#include "search/pareto.h"

enum {
    MAX_ROWS = 65536, /* largest population or batch */
    START = 10,       /* points of the sequence before the first offspring */
    LEAST_KEPT = 10,  /* population that grows: with the trials told ... */
    MOST_KEPT = 100,  /* ... as a SHARE of them, between these */
    SHARE = 32,       /* one in so many */
    BATCH_SHARE = 16, /* batch: one in so many of the population */
    OFFSPRING_TRIES = 64,
    TRIES_A_STEP = 16 /* after so many in vain one more parameter is changed */
};
static const double CROSSOVER = 0.9; /* of the paper, section IV */

/* Rows in the order told: first the parents, then those told since the last renewal. */
struct nsga2 {
    size_t n, m, capacity;
    size_t n_parents, n_rows;
    uint32_t *point;   /* [capacity][n] */
    double *value;     /* [capacity][m], zeros unless feasible */
    double *violation; /* [capacity] 0 = feasible, HUGE_VAL = failed */
    uint32_t *rank;    /* [capacity] front of a parent */
    double *crowding;  /* [capacity] in that front */
    bool blind;        /* no parent is better than another by its violation, and none feasible */
    sc_sequence *sequence;
    sc_pareto_work *work;
    uint32_t *order, *scratch; /* [capacity] */
    double *distance;          /* [capacity] */
};

/* Rows to keep now. A population in step with what is known is greedy while trials are few. */
static size_t population_of(const sc_optimizer *o)
{
    const size_t grown = o->seen.n_told / SHARE;
    if (o->options.population)
        return o->options.population;
    return grown < LEAST_KEPT ? LEAST_KEPT : grown > MOST_KEPT ? MOST_KEPT : grown;
}

/* Trials to gather before a renewal, which sorts everything: one while sorting is cheap. */
static size_t batch_for(const sc_optimizer *o, size_t population)
{
    const size_t part = population / BATCH_SHARE;
    return o->options.batch ? o->options.batch : part > 1 ? part : 1;
}

static void destroy(sc_optimizer *o)
{
    struct nsga2 *s = o->state;
    if (!s)
        return;
    sc_free(s->point);
    sc_free(s->value);
    sc_free(s->violation);
    sc_free(s->rank);
    sc_free(s->crowding);
    sc_free(s->order);
    sc_free(s->scratch);
    sc_free(s->distance);
    sc_sequence_destroy(s->sequence);
    sc_pareto_work_destroy(s->work);
    sc_free(s);
    o->state = NULL;
}

static bool allocate(struct nsga2 *s)
{
    s->point = sc_calloc(s->capacity, s->n * sizeof *s->point);
    s->value = sc_calloc(s->capacity, s->m * sizeof *s->value);
    s->violation = sc_calloc(s->capacity, sizeof *s->violation);
    s->rank = sc_calloc(s->capacity, sizeof *s->rank);
    s->crowding = sc_calloc(s->capacity, sizeof *s->crowding);
    s->order = sc_calloc(s->capacity, sizeof *s->order);
    s->scratch = sc_calloc(s->capacity, sizeof *s->scratch);
    s->distance = sc_calloc(s->capacity, sizeof *s->distance);
    return s->point && s->value && s->violation && s->rank && s->crowding && s->order &&
           s->scratch && s->distance;
}

static sc_status create(sc_optimizer *o)
{
    const uint32_t population = o->options.population;
    if (population != 0 && (population < 4 || population > MAX_ROWS))
        return sc_fail(SC_EINVAL, "nsga2: population %u, must be 4 to %d", population, MAX_ROWS);
    if (o->options.batch > MAX_ROWS)
        return sc_fail(SC_EINVAL, "nsga2: batch %u, must be 1 to %d", o->options.batch, MAX_ROWS);
    struct nsga2 *s = sc_calloc(1, sizeof *s);
    if (!s)
        return SC_ENOMEM;
    o->state = s;
    s->n = o->problem.n_params;
    s->m = o->problem.n_objectives;
    s->capacity = population ? population : MOST_KEPT;
    s->capacity += batch_for(o, s->capacity);
    sc_status st = allocate(s) ? SC_OK : SC_ENOMEM;
    if (st != SC_OK || (st = sc_pareto_work_create(&s->work, s->capacity)) != SC_OK ||
        (st = sc_sequence_create(&s->sequence, o)) != SC_OK)
        destroy(o);
    return st;
}

/* ---- selection of survivors ---- */

static bool by_rank(const void *context, uint32_t a, uint32_t b)
{
    const struct nsga2 *s = context;
    return s->rank[a] < s->rank[b];
}

/* The crowded comparison of section III-B. */
static bool better(const void *context, uint32_t a, uint32_t b)
{
    const struct nsga2 *s = context;
    return s->rank[a] != s->rank[b] ? s->rank[a] < s->rank[b] : s->crowding[a] > s->crowding[b];
}

/* Front and crowding of every row; order is left sorted by front. */
static void grade(struct nsga2 *s)
{
    sc_pareto_sort(s->rank, s->value, s->violation, s->n_rows, s->m, s->work);
    for (size_t i = 0; i < s->n_rows; i++)
        s->order[i] = (uint32_t)i;
    sc_order_sort(s->order, s->scratch, s->n_rows, by_rank, s);
    for (size_t first = 0, end; first < s->n_rows; first = end) {
        const uint32_t *front = s->order + first;
        for (end = first + 1; end < s->n_rows && s->rank[s->order[end]] == s->rank[*front];)
            end++;
        if (s->violation[*front] > 0.0) {
            for (size_t k = 0; k < end - first; k++)
                s->distance[k] = 0.0; /* values of infeasible rows mean nothing */
        } else {
            sc_pareto_crowding(s->distance, s->value, front, end - first, s->m, s->work);
        }
        for (size_t k = 0; k < end - first; k++)
            s->crowding[front[k]] = s->distance[k];
    }
}

static void move_row(struct nsga2 *s, size_t to, size_t from)
{
    if (to == from)
        return;
    memcpy(s->point + to * s->n, s->point + from * s->n, s->n * sizeof *s->point);
    memcpy(s->value + to * s->m, s->value + from * s->m, s->m * sizeof *s->value);
    s->violation[to] = s->violation[from];
    s->rank[to] = s->rank[from];
    s->crowding[to] = s->crowding[from];
}

/* Keep the best rows, in the order told, so that ties go to the older one. */
static void keep_best(struct nsga2 *s, size_t n_kept)
{
    if (s->n_rows <= n_kept)
        return;
    sc_order_sort(s->order, s->scratch, s->n_rows, better, s);
    for (size_t i = 0; i < s->n_rows; i++)
        s->scratch[s->order[i]] = i < n_kept;
    size_t kept = 0;
    for (size_t i = 0; i < s->n_rows; i++)
        if (s->scratch[i])
            move_row(s, kept++, i);
    s->n_rows = n_kept;
}

static bool is_blind(const struct nsga2 *s)
{
    for (size_t i = 0; i < s->n_parents; i++)
        if (s->violation[i] != s->violation[0] || s->violation[i] == 0.0)
            return false;
    return true;
}

static void tell(sc_optimizer *o, const sc_trial *t)
{
    struct nsga2 *s = o->state;
    const size_t row = s->n_rows++;
    const bool feasible = t->state == SC_TRIAL_FEASIBLE;

    memcpy(s->point + row * s->n, t->point, s->n * sizeof *s->point);
    for (size_t j = 0; j < s->m; j++)
        s->value[row * s->m + j] = feasible ? t->objectives[j] : 0.0;
    s->violation[row] = feasible ? 0.0 : t->state == SC_TRIAL_FAILED ? HUGE_VAL : t->violation;
    if (s->n_rows - s->n_parents < batch_for(o, population_of(o)))
        return;
    grade(s);
    keep_best(s, population_of(o));
    s->n_parents = s->n_rows;
    s->blind = is_blind(s);
}

/* ---- offspring ---- */

/* Binary tournament by the crowded comparison. */
static uint32_t pick_parent(const struct nsga2 *s, sc_rng *r)
{
    const uint32_t a = (uint32_t)gsl_rng_uniform_int(&r->gsl, s->n_parents);
    const uint32_t b = (uint32_t)gsl_rng_uniform_int(&r->gsl, s->n_parents);
    return better(s, b, a) ? b : a;
}

/* Each parameter from one of two parents. */
static void cross(const struct nsga2 *s, sc_rng *r, uint32_t *child)
{
    const uint32_t *a = s->point + pick_parent(s, r) * s->n;
    const uint32_t *b = s->point + pick_parent(s, r) * s->n;
    const bool both = gsl_rng_uniform(&r->gsl) < CROSSOVER;
    for (size_t i = 0; i < s->n; i++)
        child[i] = both && gsl_rng_get(&r->gsl) % 2 ? b[i] : a[i];
}

/* Change each active parameter with probability 1 / (their number), and so many more at random. */
static void mutate(const sc_optimizer *o, sc_rng *r, uint32_t *child, int more)
{
    const sc_problem *p = &o->problem;
    uint32_t free_one[SC_MAX_PARAMS];
    bool active[SC_MAX_PARAMS];
    size_t n_free = 0;

    if (p->canonical)
        p->canonical(p->context, child, active);
    for (size_t i = 0; i < p->n_params; i++)
        if (p->cardinality[i] > 1 && (!p->canonical || active[i]))
            free_one[n_free++] = (uint32_t)i;
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

    if (o->seen.n < START || s->n_parents == 0 || s->blind) {
        if (sc_sequence_next(s->sequence, o, point))
            return SC_OPT_FOUND;
    }
    sc_opt_stream(o, &r);
    for (int t = 0; t < OFFSPRING_TRIES && s->n_parents > 0; t++) {
        cross(s, &r, point);
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
    sc_blob_u64(b, s->n_parents);
    sc_blob_u64(b, s->n_rows);
    for (size_t i = 0; i < s->n_rows; i++) {
        for (size_t j = 0; j < s->n; j++)
            sc_blob_u32(b, s->point[i * s->n + j]);
        for (size_t j = 0; j < s->m; j++)
            sc_blob_double(b, s->value[i * s->m + j]);
        sc_blob_double(b, s->violation[i]);
        sc_blob_u32(b, i < s->n_parents ? s->rank[i] : 0);
        sc_blob_double(b, i < s->n_parents ? s->crowding[i] : 0.0);
    }
}

static bool load_row(const sc_optimizer *o, sc_blob *in, size_t i)
{
    struct nsga2 *s = o->state;
    uint32_t *point = s->point + i * s->n;
    bool good = true;

    for (size_t j = 0; j < s->n; j++) {
        point[j] = sc_blob_read_u32(in);
        good &= point[j] < o->problem.cardinality[j];
    }
    for (size_t j = 0; j < s->m; j++) {
        s->value[i * s->m + j] = sc_blob_read_double(in);
        good &= isfinite(s->value[i * s->m + j]) != 0;
    }
    s->violation[i] = sc_blob_read_double(in);
    s->rank[i] = sc_blob_read_u32(in);
    s->crowding[i] = sc_blob_read_double(in);
    return good && !in->broken && s->violation[i] >= 0.0 && s->crowding[i] >= 0.0 &&
           sc_seen_state_of(&o->seen, sc_opt_key(o, point)) == SC_SEEN_TOLD;
}

static bool load(sc_optimizer *o, sc_blob *in)
{
    struct nsga2 *s = o->state;
    const uint64_t position = sc_blob_read_u64(in);
    const size_t row_bytes = 4 * s->n + 8 * s->m + 20;

    s->n_parents = (size_t)sc_blob_read_u64(in);
    s->n_rows = sc_blob_read_count(in, row_bytes);
    if (in->broken || s->n_parents > s->n_rows ||
        s->n_rows - s->n_parents >= batch_for(o, population_of(o)) || s->n_rows >= s->capacity)
        return false;
    for (size_t i = 0; i < s->n_rows; i++)
        if (!load_row(o, in, i))
            return false;
    s->blind = is_blind(s);
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
