/* CMA-ES with margin, joined with categorical distributions, and restarts:
 * docs/algorithms/cmaes.md. Hamano, Saito, Nomura, Shirakawa, "CMA-ES with margin", GECCO'22,
 * doi:10.1145/3512290.3528827; Hamano, Saito, Nomura, Uchida, Shirakawa, "CatCMA", GECCO'24,
 * arXiv:2405.09962; Hansen, "Benchmarking a BI-population CMA-ES", GECCO'09,
 * doi:10.1145/1570256.1570333. */
#include <math.h>
#include <string.h>

#include "core/mem.h"
#include "search/opt.h"
#include "search/opt_cmaes.h"

enum {
    DOMAIN_RESTART = 0x434D4152,
    LEAST_ROWS = 4,
    START = 10, /* points of the sequence before the first run */
    TRIES = 64,
    TRIES_A_STEP = 8, /* after so many in vain one more parameter is changed */
    DOUBLINGS = 10,   /* of the population that matter: SC_GAUSS_ROWS ends them sooner */
    STALE = 4         /* times: draws of points known, a new one, that end a run */
};
static const double SIGMA = 0.15; /* of the range: Hansen, arXiv:1604.00772, figure 7 */

/* ---- life ---- */

static void destroy(sc_optimizer *o)
{
    struct cmaes *s = o->state;
    if (!s)
        return;
    sc_gauss_clear(&s->gauss);
    sc_categories_clear(&s->categories);
    sc_free(s->rates.weight);
    sc_free(s->weight);
    sc_free(s->x);
    sc_free(s->category);
    sc_pool_destroy(s->row);
    sc_pool_destroy(s->best);
    sc_pool_destroy(s->all);
    sc_cmaes_pending_clear(&s->pending);
    sc_sequence_destroy(s->sequence);
    sc_free(s);
    o->state = NULL;
}

/* Parameters with more than one value: of two values, or without order, as categories. */
static void split_parameters(struct cmaes *s, const sc_problem *p)
{
    for (size_t i = 0; i < p->n_params; i++) {
        if (p->cardinality[i] < 2)
            continue;
        if (p->categorical[i] || p->cardinality[i] == 2) {
            s->label[s->n_labels] = (uint32_t)i;
            s->label_count[s->n_labels++] = p->cardinality[i];
        } else {
            s->ordered[s->n_ordered] = (uint32_t)i;
            s->ordered_count[s->n_ordered++] = p->cardinality[i];
        }
    }
}

static sc_status allocate(sc_optimizer *o, struct cmaes *s)
{
    const size_t n = o->problem.n_params, m = o->problem.n_objectives, most = SC_GAUSS_ROWS;
    sc_status st = SC_OK;

    s->rates.weight = sc_calloc(most, sizeof *s->rates.weight);
    s->weight = sc_calloc(most, sizeof *s->weight);
    s->x = sc_calloc(most, s->n_ordered * sizeof *s->x);
    s->category = sc_calloc(most, s->n_labels * sizeof *s->category);
    if (!s->rates.weight || !s->weight || !s->x || !s->category)
        return SC_ENOMEM;
    if ((st = sc_gauss_create(&s->gauss, s->ordered_count, s->n_ordered, most)) != SC_OK ||
        (st = sc_categories_create(&s->categories, s->label_count, s->n_labels)) != SC_OK ||
        (st = sc_pool_create(&s->row, n, m, most)) != SC_OK ||
        (st = sc_pool_create(&s->best, n, m, SC_CMAES_BEST + 1)) != SC_OK ||
        (st = sc_pool_create(&s->all, n, m, most + SC_CMAES_BEST)) != SC_OK ||
        (st = sc_cmaes_pending_create(&s->pending, s->n_ordered, s->n_labels)) != SC_OK)
        return st;
    return sc_sequence_create(&s->sequence, o);
}

static sc_status create(sc_optimizer *o)
{
    const uint32_t population = o->options.population;
    if (population != 0 && (population < LEAST_ROWS || population > SC_GAUSS_ROWS))
        return sc_fail(SC_EINVAL, "cmaes: population %u, must be %d to %d", population, LEAST_ROWS,
                       SC_GAUSS_ROWS);
    struct cmaes *s = sc_calloc(1, sizeof *s);
    if (!s)
        return SC_ENOMEM;
    o->state = s;
    split_parameters(s, &o->problem);
    const size_t n = s->n_ordered + s->n_labels;
    s->lambda = population ? population : 4 + (n > 1 ? (size_t)floor(3.0 * log((double)n)) : 0);
    const sc_status st = allocate(o, s);
    if (st != SC_OK)
        destroy(o);
    return st;
}

/* ---- runs ---- */

/* Population and deviation of the next run: large ones double each time; small ones fill in
 * between, until they have had as many evaluations (Hansen 2009, section 2). */
static void choose_regime(const sc_optimizer *o, struct cmaes *s, sc_rng *r, double *sigma)
{
    size_t lambda = s->lambda;
    const int doublings = s->doublings < DOUBLINGS ? (int)s->doublings : DOUBLINGS;
    *sigma = SIGMA;
    s->small = s->runs > 0 && s->spent[1] < s->spent[0];
    if (s->small) {
        const double u = gsl_rng_uniform(&r->gsl), v = gsl_rng_uniform(&r->gsl);
        const double ratio = 0.5 * ldexp(1.0, doublings);
        lambda = (size_t)((double)lambda * pow(fmax(ratio, 1.0), u * u));
        *sigma = SIGMA * pow(10.0, -2.0 * v);
    } else if (s->runs > 0) {
        s->doublings++;
        lambda <<= doublings + 1;
    }
    if (lambda > SC_GAUSS_ROWS)
        lambda = SC_GAUSS_ROWS;
    if (o->options.population && lambda < LEAST_ROWS)
        lambda = LEAST_ROWS;
    sc_gauss_rates_of(&s->rates, s->n_ordered, lambda);
}

/* A mean anywhere, or at one of the best points known. */
static void start_run(sc_optimizer *o)
{
    struct cmaes *s = o->state;
    double mean[SC_MAX_PARAMS], sigma;
    sc_rng r;

    sc_rng_init(&r, o->seed, DOMAIN_RESTART, s->runs);
    choose_regime(o, s, &r, &sigma);
    const bool anywhere = s->runs > 0 && !s->small && o->problem.n_objectives == 1;
    const size_t k = gsl_rng_uniform_int(&r.gsl, s->best->n_rows);
    const uint32_t *from = s->best->point + k * o->problem.n_params;
    for (size_t j = 0; j < s->n_ordered; j++)
        mean[j] = anywhere ? gsl_rng_uniform(&r.gsl)
                           : ((double)from[s->ordered[j]] + 0.5) / (double)s->ordered_count[j];
    sc_gauss_start(&s->gauss, mean, sigma);
    sc_categories_start(&s->categories);
    s->row->n_rows = 0;
    s->draws = s->known = 0;
    s->idle = 0;
    s->runs++;
}

/* ---- told ---- */

/* Where the rows teach nothing, no step is taken. Else the distributions learn; false if the run
 * is at its end. */
static bool learn(struct cmaes *s)
{
    const size_t n = s->n_ordered, rows = s->row->n_rows;
    sc_cmaes_weigh(s->weight, s->rates.weight, s->all, s->row, s->best);
    sc_categories_update(&s->categories, s->category, s->weight, rows, n + s->n_labels);
    if (!sc_gauss_update(&s->gauss, &s->rates, s->x, s->weight, rows))
        return false;
    if (n > 0)
        sc_gauss_margin(&s->gauss, 1.0 / ((double)n * (double)s->rates.lambda));
    return true;
}

/* The generation is complete: learn from it, and start anew when there is nothing more to learn. */
static void end_generation(sc_optimizer *o)
{
    struct cmaes *s = o->state;
    const size_t rows = s->row->n_rows, n = s->n_ordered + s->n_labels;
    bool good = learn(s), better = false;

    for (size_t k = 0; k < rows; k++)
        better |= sc_cmaes_keep(s->best, s->row, k);
    s->spent[s->small] += rows;
    s->idle = better ? 0 : s->idle + 1;
    good &= s->idle * rows < 10 * rows + 30 * n;
    if (s->draws >= s->rates.lambda) {
        good &= s->known < STALE * s->draws;
        s->draws = s->known = 0;
    }
    s->row->n_rows = 0;
    if (!good)
        start_run(o);
}

/* Before the first run: until there is something to select by. */
static void tell_at_start(sc_optimizer *o, const sc_trial *t)
{
    struct cmaes *s = o->state;
    const double was = s->best->n_rows > 0 ? s->best->violation[0] : 0.0;
    sc_pool_add(s->row, t);
    s->row->n_rows = 0;
    const double violation = s->row->violation[0];
    s->sighted |= violation == 0.0 || (s->best->n_rows > 0 && violation != was);
    (void)sc_cmaes_keep(s->best, s->row, 0);
    if (o->seen.n_told >= START && s->sighted)
        start_run(o);
}

static void tell(sc_optimizer *o, const sc_trial *t)
{
    struct cmaes *s = o->state;
    if (s->runs == 0) {
        tell_at_start(o, t);
        return;
    }
    const size_t k = sc_pool_add(s->row, t);
    double *x = s->x + k * s->n_ordered;
    uint32_t *category = s->category + k * s->n_labels;
    const uint64_t run = sc_cmaes_pending_take(&s->pending, sc_opt_key(o, t->point), x, category);
    if (run != s->runs) { /* from outside, or of an earlier run */
        if (!sc_pool_is_news(s->best, s->row, k)) {
            s->row->n_rows--;
            return;
        }
        for (size_t j = 0; j < s->n_labels; j++)
            category[j] = t->point[s->label[j]];
        for (size_t j = 0; j < s->n_ordered; j++)
            x[j] = sc_gauss_middle(&s->gauss, j, t->point[s->ordered[j]]);
    }
    if (s->row->n_rows >= s->rates.lambda)
        end_generation(o);
}

/* ---- asked ---- */

static void decode(const sc_optimizer *o, const double *x, const uint32_t *label, uint32_t *point)
{
    const struct cmaes *s = o->state;
    memset(point, 0, o->problem.n_params * sizeof *point);
    for (size_t j = 0; j < s->n_ordered; j++)
        point[s->ordered[j]] = sc_gauss_index(&s->gauss, j, x[j]);
    for (size_t j = 0; j < s->n_labels; j++)
        point[s->label[j]] = label[j];
}

/* Change parameters of a point that is known, and the draw to fit. */
static void push_on(const sc_optimizer *o, sc_rng *r, double *x, uint32_t *label, uint32_t *point,
                    int changes)
{
    const struct cmaes *s = o->state;
    const size_t n = s->n_ordered, all = n + s->n_labels;
    for (; changes > 0 && all > 0; changes--) {
        const size_t j = gsl_rng_uniform_int(&r->gsl, all);
        const uint32_t i = j < n ? s->ordered[j] : s->label[j - n];
        sc_opt_mutate(o, r, point, i);
        if (j < n)
            x[j] = sc_gauss_middle(&s->gauss, j, point[i]);
        else
            label[j - n] = point[i];
    }
}

static bool is_known(const sc_optimizer *o, const uint32_t *canonical)
{
    return sc_seen_state_of(&o->seen, sc_opt_key(o, canonical)) != SC_SEEN_NEVER;
}

/* Draw until a point is new. */
static bool draw(sc_optimizer *o, sc_rng *r, double *x, uint32_t *label, uint32_t *point)
{
    struct cmaes *s = o->state;
    s->draws++;
    for (int t = 0; t < TRIES; t++) {
        sc_gauss_draw(&s->gauss, r, x);
        sc_categories_draw(&s->categories, r, label);
        decode(o, x, label, point);
        push_on(o, r, x, label, point, t / TRIES_A_STEP);
        if (sc_opt_is_new(o, point))
            return true;
        s->known += t < TRIES_A_STEP && is_known(o, point);
    }
    return false;
}

static sc_opt_found propose(sc_optimizer *o, uint32_t *point)
{
    struct cmaes *s = o->state;
    double x[SC_MAX_PARAMS];
    uint32_t label[SC_MAX_PARAMS];
    sc_rng r;

    if (s->runs == 0 && sc_sequence_next(s->sequence, o, point))
        return SC_OPT_FOUND;
    sc_opt_stream(o, &r);
    if (s->runs > 0 && draw(o, &r, x, label, point)) {
        sc_cmaes_pending_add(&s->pending, sc_opt_key(o, point), s->runs, x, label);
        return SC_OPT_FOUND;
    }
    return sc_opt_random(o, &r, point);
}

/* ---- state ---- */

static void save(const sc_optimizer *o, sc_buf *b)
{
    const struct cmaes *s = o->state;
    const uint64_t counts[] = {sc_sequence_position(s->sequence),
                               s->runs,
                               s->doublings,
                               (uint64_t)s->small + 2 * (uint64_t)s->sighted,
                               s->spent[0],
                               s->spent[1],
                               s->draws,
                               s->known,
                               s->idle,
                               s->runs ? s->rates.lambda : 0};
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++)
        sc_blob_u64(b, counts[i]);
    sc_cmaes_save_rows(s, b);
    if (s->runs == 0)
        return;
    sc_cmaes_save_pending(&s->pending, b);
    sc_cmaes_save_gauss(&s->gauss, b);
    sc_cmaes_save_categories(&s->categories, b);
}

static bool load_counts(sc_optimizer *o, sc_blob *in, uint64_t *position, uint64_t *lambda)
{
    struct cmaes *s = o->state;
    *position = sc_blob_read_u64(in);
    s->runs = sc_blob_read_u64(in);
    s->doublings = sc_blob_read_u64(in);
    const uint64_t flags = sc_blob_read_u64(in);
    s->small = flags & 1;
    s->sighted = flags & 2;
    for (size_t i = 0; i < 2; i++)
        s->spent[i] = sc_blob_read_u64(in);
    s->draws = sc_blob_read_u64(in);
    s->known = sc_blob_read_u64(in);
    s->idle = sc_blob_read_u64(in);
    *lambda = sc_blob_read_u64(in);
    return !in->broken && flags <= 3 && s->doublings <= s->runs && s->draws <= o->asked &&
           s->known <= o->asked * TRIES;
}

static bool load(sc_optimizer *o, sc_blob *in)
{
    struct cmaes *s = o->state;
    uint64_t position, lambda;

    if (!load_counts(o, in, &position, &lambda) || !sc_cmaes_load_rows(o, in) ||
        !sc_sequence_seek(s->sequence, o, position) ||
        (s->best->n_rows > 0) != (o->seen.n_told > 0))
        return false;
    if (s->runs == 0)
        return s->row->n_rows == 0;
    if (s->best->n_rows == 0 || lambda < LEAST_ROWS || lambda > SC_GAUSS_ROWS ||
        s->row->n_rows >= lambda)
        return false;
    sc_gauss_rates_of(&s->rates, s->n_ordered, (size_t)lambda);
    return sc_cmaes_load_pending(s, in) && sc_cmaes_load_gauss(&s->gauss, in) &&
           sc_cmaes_load_categories(&s->categories, in);
}

const sc_opt_class sc_opt_class_cmaes = {
    .name = "cmaes",
    .about = "adapted normal and categorical distributions, with restarts (CMA-ES with margin)",
    .create = create,
    .destroy = destroy,
    .propose = propose,
    .tell = tell,
    .save = save,
    .load = load,
};
