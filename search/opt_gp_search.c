/* Models in step with the trials, and the search for the point worth most: docs/algorithms/gp.md.
 */
#include <gsl/gsl_randist.h>
#include <math.h>
#include <string.h>

#include "search/opt_gp_search.h"

enum {
    LEAST_ROWS = 4, /* of a fit */
    STEPS = 16,     /* of a fit */
    BLOCKS = 8,     /* of candidates, and of neighbours of the best one, at most */
    A_BLOCK = 32,   /* rows that the models may hold a block: small models, quick suggestions */
    TRIES = 8       /* for a candidate that is new */
};

static const double BEYOND = 0.1; /* of the range of the front: BoTorch, arXiv:1910.06403 */

void sc_gp_describe(const sc_optimizer *o, size_t slot, const uint32_t *point)
{
    const struct gp *s = o->state;
    double *x = s->features + slot * s->n_columns;
    for (size_t j = 0; j < s->n_columns; j++) {
        const uint32_t i = s->column[j];
        x[j] = (double)point[i];
        if (j < s->n_ordered)
            x[j] /= (double)(o->problem.cardinality[i] - 1);
    }
}

/* ---- values of the models ---- */

/* To mean 0 and deviation 1; far bad values count by their logarithm. @return the image of 0. */
static double standardise(double *y, size_t n)
{
    double mean = 0.0, squares = 0.0;
    for (size_t i = 0; i < n; i++)
        mean += y[i] / (double)n;
    for (size_t i = 0; i < n; i++)
        squares += (y[i] - mean) * (y[i] - mean) / (double)n;
    const double deviation = squares > 0.0 ? sqrt(squares) : 1.0;
    for (size_t i = 0; i < n; i++) {
        y[i] = (y[i] - mean) / deviation;
        if (y[i] > 2.0)
            y[i] = 2.0 + log1p(y[i] - 2.0);
    }
    return -mean / deviation;
}

/* Rows of an objective: the feasible ones. */
static size_t take_objective(const struct gp *s, sc_gp_model *g, size_t j)
{
    size_t n = 0;
    for (size_t i = 0; i < s->pool->n_rows; i++)
        if (s->pool->violation[i] == 0.0) {
            g->slot[n] = (uint32_t)i;
            g->y[n++] = s->pool->value[i * s->pool->m + j];
        }
    (void)standardise(g->y, n);
    return n;
}

/* Feasible rows at -1, infeasible ones above 0 by the logarithm of their violation over the
 * geometric mean of all, failed ones as the worst. */
static size_t take_feasibility(struct gp *s, sc_gp_model *g)
{
    const size_t n = s->pool->n_rows;
    double logs = 0.0, most = 1.0;
    size_t missed = 0;

    s->any_feasible = s->any_infeasible = false;
    for (size_t i = 0; i < n; i++) {
        const double v = s->pool->violation[i];
        s->any_feasible |= v == 0.0;
        s->any_infeasible |= v > 0.0;
        if (v > 0.0 && isfinite(v)) {
            logs += log(v);
            missed++;
        }
    }
    const double typical = missed > 0 ? exp(logs / (double)missed) : 1.0;
    for (size_t i = 0; i < n; i++)
        if (isfinite(s->pool->violation[i]))
            most = fmax(most, 0.3 + log1p(s->pool->violation[i] / typical));
    for (size_t i = 0; i < n; i++) {
        const double v = s->pool->violation[i];
        g->slot[i] = (uint32_t)i;
        g->y[i] = v == 0.0 ? -1.0 : isfinite(v) ? 0.3 + log1p(v / typical) : most;
    }
    s->threshold = standardise(g->y, n);
    return n;
}

/* Whether the hyperparameters are due: at 4 rows, then each time a quarter has come, or an eighth
 * of what the models hold. */
static bool is_due(const struct gp *s, const sc_gp_model *g, uint64_t waiting)
{
    const size_t quarter = g->fitted / 4, eighth = s->pool->capacity / 8;
    const size_t wait = quarter < eighth ? quarter : eighth;
    return g->n_told >= LEAST_ROWS && (g->fitted == 0 || waiting >= (wait > 2 ? wait : 2));
}

static void sync_model(struct gp *s, size_t j)
{
    sc_gp_model *g = &s->model[j];
    size_t kept = g->n < g->n_told ? g->n : g->n_told; /* rows of the root that stay */

    g->n_told = j < s->pool->m ? take_objective(s, g, j) : take_feasibility(s, g);
    if (is_due(s, g, s->waiting[j])) {
        sc_gp_fit_run(&s->fit, g, s->features, STEPS);
        s->waiting[j] = 0;
        kept = 0;
    }
    for (g->n = kept; g->n < g->n_told;)
        sc_gp_model_add(g, s->features, g->slot[g->n]);
    for (size_t i = 0; i < s->n_pending; i++)
        sc_gp_model_add(g, s->features, (uint32_t)(s->pool->capacity + i));
    sc_gp_model_solve(g);
}

/* Means of all models at a block; deviations too. */
static void predict(struct gp *s, double mean[][SC_GP_BLOCK], double deviation[][SC_GP_BLOCK])
{
    const size_t m = s->pool->m;
    for (size_t j = s->any_feasible ? 0 : m; j <= m; j++) {
        double variance[SC_GP_BLOCK];
        if (j == m && !s->any_infeasible)
            continue;
        sc_gp_model_predict(&s->model[j], s->features, s->block, mean[j], variance);
        for (size_t c = 0; c < SC_GP_BLOCK; c++)
            deviation[j][c] = sqrt(variance[c]);
    }
}

/* What the models make of a pending point. */
static void believe(struct gp *s, size_t k)
{
    double mean[SC_MAX_OBJECTIVES + 1][SC_GP_BLOCK] = {{0.0}};
    double deviation[SC_MAX_OBJECTIVES + 1][SC_GP_BLOCK];
    const double *x = s->features + (s->pool->capacity + k) * s->n_columns;
    for (size_t j = 0; j < s->n_columns; j++)
        for (size_t c = 0; c < SC_GP_BLOCK; c++)
            s->block[j * SC_GP_BLOCK + c] = x[j];
    predict(s, mean, deviation);
    for (size_t j = 0; j <= s->pool->m; j++)
        s->believed[k * (s->pool->m + 1) + j] = mean[j][0];
}

static void sync(sc_optimizer *o)
{
    struct gp *s = o->state;
    sc_pool *p = s->pool;
    for (size_t i = 0; i < s->n_pending; i++)
        sc_gp_describe(o, p->capacity + i, s->pending + i * p->n);
    for (size_t j = 0; j <= p->m; j++)
        sync_model(s, p->m - j); /* the last one first: it sets the flags */
    for (size_t k = 0; k < s->n_pending; k++)
        believe(s, k);
    sc_pool_grade(p);
    sc_pool_sort(p);
    for (s->n_front = 1; s->n_front < p->n_rows && p->rank[p->order[s->n_front]] == 0;)
        s->n_front++;
    s->in_step = true;
}

void sc_gp_await(sc_optimizer *o, const uint32_t *point)
{
    struct gp *s = o->state;
    const size_t n = o->problem.n_params;

    if (s->n_pending == s->most_pending) {
        s->n_pending--;
        memmove(s->pending_key, s->pending_key + 1, s->n_pending * sizeof *s->pending_key);
        memmove(s->pending, s->pending + n, s->n_pending * n * sizeof *s->pending);
        s->in_step = false;
    }
    const size_t k = s->n_pending++;
    s->pending_key[k] = sc_opt_key(o, point);
    memcpy(s->pending + k * n, point, n * sizeof *point);
    if (!s->in_step)
        return;
    const size_t slot = s->pool->capacity + k;
    sc_gp_describe(o, slot, point);
    for (size_t j = 0; j <= s->pool->m; j++) {
        sc_gp_model *g = &s->model[j];
        sc_gp_model_add(g, s->features, (uint32_t)slot);
        g->z[g->n - 1] = 0.0; /* as predicted */
    }
    believe(s, k);
}

/* ---- worth ---- */

/* The row that is best by the scalar, which leads to one part of the front. */
static void choose_centre(struct gp *s)
{
    double least = HUGE_VAL, y[SC_MAX_OBJECTIVES];
    for (size_t i = 0; i < s->model[0].n_told; i++) {
        for (size_t j = 0; j < s->pool->m; j++)
            y[j] = s->model[j].y[i];
        const double value = sc_gp_scalar(&s->gain, y);
        if (value < least) {
            least = value;
            s->centre = s->model[0].slot[i];
        }
    }
}

/* Worst values that count. One time in three all that is known does, which draws the ends of the
 * front outwards; else little more than the front does, which fills it. */
static void set_reference(struct gp *s, bool wide)
{
    sc_gp_gain *g = &s->gain;
    for (size_t j = 0; j < g->m; j++) {
        double low = HUGE_VAL, high = -HUGE_VAL, worst = -HUGE_VAL;
        for (size_t i = 0; i < g->n; i++) {
            low = fmin(low, g->front[i * g->m + j]);
            high = fmax(high, g->front[i * g->m + j]);
        }
        for (size_t i = 0; i < s->model[j].n_told; i++)
            worst = fmax(worst, s->model[j].y[i]);
        g->ref[j] = (wide || !(high > low) ? worst : high) + BEYOND * (high - low);
    }
}

/* The front of feasible rows and of pending ones that are believed to be feasible. */
static void set_gain(sc_optimizer *o, sc_rng *r)
{
    struct gp *s = o->state;
    sc_gp_gain *g = &s->gain;
    const sc_pool *p = s->pool;
    double sum = 0.0;

    g->m = p->m;
    g->n = 0;
    for (size_t i = 0; i < s->model[0].n_told; i++)
        if (p->rank[s->model[0].slot[i]] == 0) {
            for (size_t j = 0; j < p->m; j++)
                g->front[g->n * p->m + j] = s->model[j].y[i];
            g->n++;
        }
    set_reference(s, gsl_rng_uniform_int(&r->gsl, 3) == 0);
    for (size_t k = 0; k < s->n_pending; k++) {
        const double *y = s->believed + k * (p->m + 1);
        if (!s->any_infeasible || y[p->m] < s->threshold)
            memcpy(g->front + g->n++ * p->m, y, p->m * sizeof *y);
    }
    for (size_t j = 0; j < p->m; j++) {
        g->weight[j] = -log(1.0 - gsl_rng_uniform(&r->gsl));
        sum += g->weight[j];
    }
    for (size_t j = 0; j < p->m; j++)
        g->weight[j] /= sum;
    for (size_t i = 0; i < SC_GP_SAMPLES && p->m > 3; i++)
        for (size_t j = 0; j < p->m; j++)
            g->draw[i][j] = gsl_ran_ugaussian(&r->gsl);
    sc_gp_gain_ready(g);
    if (p->m > 3)
        choose_centre(s);
}

/* Logarithm of the expected gain times the probability to be feasible, of a block of candidates. */
static void score_block(sc_optimizer *o, size_t n, double *score)
{
    struct gp *s = o->state;
    const size_t m = s->pool->m;
    double mean[SC_MAX_OBJECTIVES + 1][SC_GP_BLOCK], deviation[SC_MAX_OBJECTIVES + 1][SC_GP_BLOCK];

    for (size_t j = 0; j < s->n_columns; j++) {
        const uint32_t i = s->column[j];
        const double unit = j < s->n_ordered ? 1.0 / (double)(o->problem.cardinality[i] - 1) : 1.0;
        for (size_t c = 0; c < SC_GP_BLOCK; c++)
            s->block[j * SC_GP_BLOCK + c] =
                (double)s->candidate[(c < n ? c : 0) * o->problem.n_params + i] * unit;
    }
    predict(s, mean, deviation);
    for (size_t c = 0; c < n; c++) {
        double at[SC_MAX_OBJECTIVES], apart[SC_MAX_OBJECTIVES];
        score[c] = 0.0;
        if (s->any_infeasible) {
            const double z = (s->threshold - mean[m][c]) / deviation[m][c];
            score[c] += log(fmax(0.5 * erfc(-z * 0.70710678118654752440), 1e-300));
        }
        if (!s->any_feasible)
            continue;
        for (size_t j = 0; j < m; j++) {
            at[j] = mean[j][c];
            apart[j] = deviation[j][c];
        }
        score[c] += log(fmax(sc_gp_gain_of(&s->gain, at, apart), 1e-300));
    }
}

/* ---- candidates ---- */

/* Another value of a parameter, an ordered one within the trust region. */
static void move_within(const sc_optimizer *o, sc_rng *r, uint32_t *point, uint32_t i)
{
    const struct gp *s = o->state;
    const uint32_t n = o->problem.cardinality[i];
    if (o->problem.categorical[i]) {
        const uint32_t k = (uint32_t)gsl_rng_uniform_int(&r->gsl, n - 1);
        point[i] = k + (k >= point[i]);
        return;
    }
    const double half = fmax(1.0, round(0.5 * s->length * (double)(n - 1)));
    const double low = fmax(0.0, (double)point[i] - half);
    const double high = fmin((double)(n - 1), (double)point[i] + half);
    point[i] =
        (uint32_t)low + (uint32_t)gsl_rng_uniform_int(&r->gsl, (unsigned long)(high - low) + 1);
}

/* A point anywhere (one in four), or near one of the best: all its parameters moved, at most 20 on
 * average, or up to three. */
static void propose_one(const sc_optimizer *o, sc_rng *r, size_t number, uint32_t *point)
{
    const struct gp *s = o->state;
    const sc_problem *p = &o->problem;
    uint32_t which[SC_MAX_PARAMS];

    if (number % 4 == 3) {
        for (size_t i = 0; i < p->n_params; i++)
            point[i] = (uint32_t)gsl_rng_uniform_int(&r->gsl, p->cardinality[i]);
        return;
    }
    const bool led = s->any_feasible && p->n_objectives > 3 && number % 8 < 4;
    const size_t row = led ? s->centre : s->pool->order[gsl_rng_uniform_int(&r->gsl, s->n_front)];
    memcpy(point, s->pool->point + row * p->n_params, p->n_params * sizeof *point);
    const size_t n = sc_opt_free(o, point, which);
    if (n == 0)
        return;
    if (number % 2 == 0) {
        for (size_t k = 0; k < n; k++)
            if (n <= 20 || gsl_rng_uniform_int(&r->gsl, n) < 20)
                move_within(o, r, point, which[k]);
        return;
    }
    for (size_t k = 1 + gsl_rng_uniform_int(&r->gsl, 3); k > 0; k--)
        move_within(o, r, point, which[gsl_rng_uniform_int(&r->gsl, n)]);
}

/* A neighbour of the best candidate: one parameter moved by one, or within the trust region. */
static void neighbour(const sc_optimizer *o, sc_rng *r, uint32_t *point)
{
    const struct gp *s = o->state;
    uint32_t which[SC_MAX_PARAMS];
    memcpy(point, s->best, o->problem.n_params * sizeof *point);
    const size_t n = sc_opt_free(o, point, which);
    if (n == 0)
        return;
    const uint32_t i = which[gsl_rng_uniform_int(&r->gsl, n)];
    const uint32_t kind = (uint32_t)gsl_rng_uniform_int(&r->gsl, 3);
    if (o->problem.categorical[i] || kind == 0)
        move_within(o, r, point, i);
    else if (kind == 1 ? point[i] > 0 : point[i] + 1 == o->problem.cardinality[i])
        point[i]--;
    else
        point[i]++;
}

/* Candidates of one block that are new. @return how many. */
static size_t fill_block(sc_optimizer *o, sc_rng *r, size_t number, bool climb)
{
    const struct gp *s = o->state;
    size_t n = 0;
    for (size_t c = 0; c < SC_GP_BLOCK; c++)
        for (int t = 0; t < TRIES; t++) {
            uint32_t *point = s->candidate + n * o->problem.n_params;
            if (climb)
                neighbour(o, r, point);
            else
                propose_one(o, r, number + c, point);
            if (sc_opt_is_new(o, point)) {
                n++;
                break;
            }
        }
    return n;
}

/* Whether a block holds a better candidate than the best so far, which it then replaces. */
static bool better_in_block(sc_optimizer *o, size_t n, double *best)
{
    struct gp *s = o->state;
    double score[SC_GP_BLOCK];
    bool found = false;
    if (n > 0)
        score_block(o, n, score);
    for (size_t c = 0; c < n; c++)
        if (score[c] > *best) {
            *best = score[c];
            memcpy(s->best, s->candidate + c * o->problem.n_params,
                   o->problem.n_params * sizeof *s->best);
            found = true;
        }
    return found;
}

bool sc_gp_search(sc_optimizer *o, sc_rng *r, uint32_t *point)
{
    struct gp *s = o->state;
    double best = -HUGE_VAL;
    const size_t share = s->pool->capacity / A_BLOCK;
    const size_t blocks = share < 1 ? 1 : share > BLOCKS ? BLOCKS : share;
    int idle = 0;

    if (!s->in_step)
        sync(o);
    if (s->any_feasible)
        set_gain(o, r);
    for (size_t b = 0; b < blocks; b++)
        (void)better_in_block(o, fill_block(o, r, b * SC_GP_BLOCK, false), &best);
    if (best == -HUGE_VAL)
        return false;
    for (size_t t = 0; t < blocks && idle < 2; t++)
        idle = better_in_block(o, fill_block(o, r, 0, true), &best) ? 0 : idle + 1;
    memcpy(point, s->best, o->problem.n_params * sizeof *point);
    return true;
}
