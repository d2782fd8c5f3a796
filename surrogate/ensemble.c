/* Learning an ensemble: parts held out, members side by side, what the parts say. */
#include "surrogate/ensemble_inner.h"

#include <math.h>
#include <omp.h>
#include <string.h>

#include "core/mem.h"
#include "core/order.h"
#include "surrogate/blas.h"
#include "surrogate/metrics.h"
#include "surrogate/split.h"

enum { BATCH = 256, RESULTS = 2, LEAST_IN_GROUP = 5 };
static const double SURE_SHARE = 0.99;

void sc_ensemble_destroy(sc_ensemble *e)
{
    if (!e)
        return;
    sc_encoder_destroy(e->encoder);
    sc_nn_destroy(e->net);
    for (size_t m = 0; e->base != NULL && m < e->members; m++)
        sc_base_destroy(e->base[m]);
    sc_free(e->base);
    sc_free(e->target);
    sc_free(e->weights);
    sc_free(e->line);
    sc_free(e);
}

const sc_encoder *sc_ensemble_encoder(const sc_ensemble *e)
{
    return e->encoder;
}

const char *sc_ensemble_target(const sc_ensemble *e)
{
    return e->target;
}

bool sc_ensemble_maximises(const sc_ensemble *e)
{
    return e->scale.maximise;
}

double sc_ensemble_sure(const sc_ensemble *e)
{
    return e->always ? 0.0 : e->sure;
}

bool sc_ensemble_has_feasibility(const sc_ensemble *e)
{
    return !e->always;
}

static int threads_of(int wanted, size_t jobs)
{
    const int most = sc_blas_threads(wanted > 0 ? wanted : omp_get_max_threads());
    return jobs < (size_t)most ? (int)(jobs ? jobs : 1) : most;
}

/* ---- learning ---- */

/* What learning holds beside the ensemble. */
typedef struct school {
    sc_ensemble *e;
    const sc_ensemble_options *o;
    sc_samples s;
    uint32_t *fold;
    size_t folds;
    bool by_groups;
    uint8_t *role;         /* [members][n] */
    sc_fit_result *result; /* [members] */
    sc_status *status;     /* [members] */
    sc_real *out;          /* [members][n][2] */
    double *a, *b;         /* [n] room */
    uint8_t *label;        /* [n] */
} school;

static void school_clear(school *c)
{
    sc_samples_clear(&c->s);
    sc_free(c->fold);
    sc_free(c->role);
    sc_free(c->result);
    sc_free(c->status);
    sc_free(c->out);
    sc_free(c->a);
    sc_free(c->label);
}

static sc_status school_init(school *c, const sc_dataset *d, const uint32_t *row, size_t n)
{
    sc_ensemble *e = c->e;
    const size_t members = c->o->members;
    sc_status st = sc_encoder_fit(&e->encoder, d, row, n);
    if (st == SC_OK)
        st = sc_target_scale_fit(&e->scale, d, row, n);
    if (st == SC_OK)
        st = sc_fit_net(&e->net, e->encoder, &c->o->fit);
    if (st == SC_OK)
        st = sc_samples_init(&c->s, e->encoder, &e->scale, d, row, n);
    if (st != SC_OK)
        return st;
    e->members = members;
    e->n_weights = sc_nn_weights(e->net);
    e->weights = sc_calloc(members, e->n_weights * sizeof *e->weights);
    e->line = sc_calloc(members, 2 * sizeof *e->line);
    e->base = sc_calloc(members, sizeof *e->base);
    e->base_alone = c->o->fit.base_alone;
    c->fold = sc_calloc(n, sizeof *c->fold);
    c->role = sc_calloc(members, n);
    c->result = sc_calloc(members, sizeof *c->result);
    c->status = sc_calloc(members, sizeof *c->status);
    c->out = sc_calloc(members, n * RESULTS * sizeof *c->out);
    c->a = sc_calloc(n, 2 * sizeof *c->a);
    c->label = sc_calloc(n, sizeof *c->label);
    if (!e->weights || !e->line || !e->base || !c->fold || !c->role || !c->result || !c->status ||
        !c->out || !c->a || !c->label)
        return SC_ENOMEM;
    c->b = c->a + n;
    return SC_OK;
}

/* Parts of the log: whole groups where there are some, else rows at random. */
static sc_status part(school *c)
{
    const size_t n = c->s.n, folds = c->o->folds;
    bool several = false;
    for (size_t i = 1; i < n; i++)
        several |= c->s.group[i] != c->s.group[0];
    c->by_groups = several;
    c->folds = folds < n ? folds : n;
    return several ? sc_split_groups(c->fold, &c->folds, c->s.group, n, folds, c->o->fit.seed)
                   : sc_split_random(c->fold, n, c->folds, c->o->fit.seed);
}

static void give_roles(school *c)
{
    for (size_t m = 0; m < c->e->members; m++) {
        const size_t held = m % c->folds, judge = (m + 1) % c->folds;
        for (size_t i = 0; i < c->s.n; i++)
            c->role[m * c->s.n + i] =
                c->fold[i] == held                                              ? SC_ROLE_HELD
                : c->o->fit.patience > 0 && c->folds > 2 && c->fold[i] == judge ? SC_ROLE_VALIDATE
                                                                                : SC_ROLE_LEARN;
    }
}

/* To what the member's network learns from. */
static sc_status fit_base(school *c, size_t m, const uint8_t *role)
{
    uint8_t *use = sc_calloc(c->s.n, sizeof *use);
    if (use == NULL)
        return SC_ENOMEM;
    for (size_t i = 0; i < c->s.n; i++)
        use[i] = role[i] == SC_ROLE_LEARN;
    const sc_status st = sc_base_fit(&c->e->base[m], c->e->encoder, &c->s, use, &c->o->base);
    sc_free(use);
    return st;
}

/* Member m: its weights, then its results for all samples. */
static sc_status learn_member(school *c, size_t m)
{
    sc_ensemble *e = c->e;
    sc_nn_work *w = NULL;
    sc_real *weights = e->weights + m * e->n_weights;
    const uint8_t *role = c->role + m * c->s.n;
    sc_status st = c->o->base.degree > 0 ? fit_base(c, m, role) : SC_OK;
    if (st == SC_OK)
        st = sc_fit(weights, &c->result[m], e->net, e->base[m], e->encoder, &c->s, role, &c->o->fit,
                    m);
    if (st == SC_OK)
        st = sc_nn_work_create(&w, e->net, BATCH, false);
    if (st == SC_OK)
        sc_fit_predict(c->out + m * c->s.n * RESULTS,
                       &(sc_learned){e->net, weights, e->base[m], e->base_alone}, w, BATCH, &c->s,
                       c->s.n);
    sc_nn_work_destroy(w);
    return st;
}

static sc_status learn_members(school *c)
{
    const int threads = threads_of(c->o->threads, c->e->members);
    const size_t members = c->e->members;
#pragma omp parallel for schedule(dynamic, 1) num_threads(threads)
    for (size_t m = 0; m < members; m++)
        c->status[m] = learn_member(c, m);
    for (size_t m = 0; m < members; m++)
        if (c->status[m] != SC_OK) /* its message is another thread's */
            return c->status[m] == SC_ENOMEM
                       ? sc_fail(SC_ENOMEM, "no memory to learn member %zu", m)
                       : sc_fail(c->status[m], "surrogate: too few rows with a target are "
                                               "left when a part is held out");
    return SC_OK;
}

/* ---- what the parts held out say ---- */

static const sc_real *result_of(const school *c, size_t member, size_t i)
{
    return c->out + (member * c->s.n + i) * RESULTS;
}

/* Scores of order losses have a scale of their own: lines to the target, over what was learned. */
static void fit_lines(school *c)
{
    for (size_t m = 0; m < c->e->members; m++) {
        double *line = c->e->line + 2 * m;
        size_t n = 0;
        line[1] = 1.0;
        if (c->o->fit.loss == SC_SCORE_SQUARED)
            continue;
        for (size_t i = 0; i < c->s.n; i++)
            if (c->role[m * c->s.n + i] == SC_ROLE_LEARN && !isnan(c->s.y[i])) {
                c->a[n] = (double)result_of(c, m, i)[0];
                c->b[n++] = (double)c->s.y[i];
            }
        sc_ensemble__line(line, c->a, c->b, n);
    }
}

/* y or logit of a sample by the members that were learned without it. */
static double unseen(const school *c, size_t i, size_t column)
{
    double sum = 0.0, count = 0.0;
    for (size_t m = c->fold[i]; m < c->e->members; m += c->folds) {
        const double v = (double)result_of(c, m, i)[column];
        sum += column ? v : c->e->line[2 * m] + c->e->line[2 * m + 1] * v;
        count += 1.0;
    }
    return count > 0.0 ? sum / count : (double)NAN;
}

static bool in_group_order(const void *context, uint32_t a, uint32_t b)
{
    const uint32_t *group = context;
    return group[a] < group[b];
}

/* Mean over groups of the order inside each: what is asked of a new one. */
static sc_status judge_groups(school *c, sc_ensemble_report *r)
{
    double sum = 0.0, count = 0.0, tau;
    size_t at = 0, n = 0;
    uint32_t *item = sc_calloc(c->s.n, 2 * sizeof *item);
    if (item == NULL)
        return SC_ENOMEM;
    for (size_t i = 0; i < c->s.n; i++)
        if (!isnan(unseen(c, i, 0)) && !isnan((double)c->s.y[i]))
            item[n++] = (uint32_t)i;
    sc_order_sort(item, item + c->s.n, n, in_group_order, c->s.group);
    sc_status st = SC_OK;
    while (at < n && st == SC_OK) {
        size_t end = at;
        for (; end < n && c->s.group[item[end]] == c->s.group[item[at]]; end++) {
            c->a[end - at] = unseen(c, item[end], 0);
            c->b[end - at] = (double)c->s.y[item[end]];
        }
        if (end - at >= LEAST_IN_GROUP &&
            (st = sc_metric_tau(&tau, c->a, c->b, end - at)) == SC_OK && !isnan(tau)) {
            sum += tau;
            count += 1.0;
        }
        at = end;
    }
    sc_free(item);
    if (count > 0.0)
        r->tau_within = sum / count;
    return st;
}

/* Figures and half widths of feasible samples. */
static sc_status judge_values(school *c, sc_ensemble_report *r)
{
    const sc_target_scale *scale = &c->e->scale;
    sc_status st = SC_OK;
    size_t n = 0;
    for (size_t i = 0; i < c->s.n; i++) {
        c->a[n] = unseen(c, i, 0);
        c->b[n] = (double)c->s.y[i];
        n += isnan(c->a[n]) || isnan(c->b[n]) ? 0U : 1U;
    }
    r->learned = n;
    r->tau = r->spearman = r->mape = r->median_error = (double)NAN;
    if (n > 1) {
        st = sc_metric_tau(&r->tau, c->a, c->b, n);
        if (st == SC_OK)
            st = sc_metric_spearman(&r->spearman, c->a, c->b, n);
    }
    if (st != SC_OK || n < 2)
        return st;
    double *miss = c->a;
    for (size_t i = 0; i < n; i++) {
        const double y = c->a[i], truth = c->b[i];
        c->a[i] = sc_target_unscaled(scale, y);
        c->b[i] = sc_target_unscaled(scale, truth);
    }
    st = sc_metric_relative_error(&r->mape, &r->median_error, c->a, c->b, n);
    for (size_t i = 0, k = 0; i < c->s.n; i++) {
        const double y = unseen(c, i, 0);
        if (!isnan(y) && !isnan(c->s.y[i]))
            miss[k++] = fabs(y - (double)c->s.y[i]);
    }
    c->e->half50 = sc_ensemble__half_width(miss, n, 0.5);
    c->e->half90 = sc_ensemble__half_width(miss, n, 0.9);
    return st;
}

static sc_status judge_feasibility(school *c, sc_ensemble_report *r)
{
    size_t n = 0;
    r->infeasible = 0;
    r->auc = (double)NAN;
    for (size_t i = 0; i < c->s.n; i++) {
        c->a[n] = unseen(c, i, 1);
        c->label[n] = c->s.feasible[i];
        r->infeasible += !c->s.feasible[i];
        n += isnan(c->a[n]) ? 0U : 1U;
    }
    c->e->always = r->infeasible == 0;
    if (c->e->always || n < 2)
        return SC_OK;
    sc_ensemble__platt(&c->e->logit0, &c->e->logit1, c->a, c->label, n);
    double surely = 0.0;
    const sc_status st = sc_ensemble__sure(&surely, c->a, c->label, n, SURE_SHARE);
    c->e->sure = 1.0 / (1.0 + exp(-(c->e->logit0 + c->e->logit1 * surely)));
    return st == SC_OK ? sc_metric_auc(&r->auc, c->a, c->label, n) : st;
}

/* Mean and deviation of the members' y. stride: numbers from one member's result to the next. */
static void combine(double *mean, double *spread, const sc_ensemble *e, const sc_real *result,
                    size_t stride)
{
    double sum = 0.0, squares = 0.0;
    for (size_t m = 0; m < e->members; m++)
        sum += e->line[2 * m] + e->line[2 * m + 1] * (double)result[m * stride];
    *mean = sum / (double)e->members;
    for (size_t m = 0; m < e->members; m++) {
        const double y = e->line[2 * m] + e->line[2 * m + 1] * (double)result[m * stride];
        squares += (y - *mean) * (y - *mean);
    }
    *spread = sqrt(squares / (double)e->members);
}

static void limit_spread(school *c)
{
    size_t n = 0;
    double mean;
    for (size_t i = 0; i < c->s.n; i++)
        if (!isnan(c->s.y[i]))
            combine(&mean, &c->a[n++], c->e, result_of(c, 0, i), c->s.n * RESULTS);
    c->e->spread_limit = sc_ensemble__half_width(c->a, n, 0.99);
}

static void report_sizes(const school *c, sc_ensemble_report *r)
{
    const size_t n = c->s.n, a_sample = 4 * (c->s.reals + c->s.codes) + 10;
    const size_t threads = (size_t)threads_of(c->o->threads, c->e->members);
    r->rows = n;
    r->without_target = n - r->learned - r->infeasible;
    r->folds = c->folds;
    r->by_groups = c->by_groups;
    r->weights = c->e->n_weights;
    r->epochs = 0;
    for (size_t m = 0; m < c->e->members; m++)
        r->epochs = c->result[m].epochs > r->epochs ? c->result[m].epochs : r->epochs;
    r->bytes = n * (a_sample + 25) + c->e->members * n * (1 + RESULTS * sizeof(sc_real)) +
               (c->e->members + 4 * threads) * r->weights * sizeof(sc_real) +
               threads * sc_nn_work_bytes(c->e->net, 3 * (size_t)c->o->fit.batch, true);
}

static sc_status check(const sc_ensemble_options *o)
{
    const char *wrong = sc_fit_options_check(&o->fit);
    if (!wrong && (o->members == 0 || o->members > SC_ENSEMBLE_MEMBERS))
        wrong = "an ensemble has 1 to 64 members";
    if (!wrong && o->folds < 2)
        wrong = "a log is held out in two folds or more";
    return wrong ? sc_fail(SC_EINVAL, "surrogate: %s", wrong) : SC_OK;
}

sc_status sc_ensemble_learn(sc_ensemble **out, sc_ensemble_report *report, const sc_dataset *d,
                            const uint32_t *row, size_t n, const sc_ensemble_options *o)
{
    school c = {.o = o, .e = NULL};
    sc_ensemble_report r = {0};
    sc_status st = check(o);
    if (st == SC_OK && !(c.e = sc_calloc(1, sizeof *c.e)))
        st = SC_ENOMEM;
    if (st != SC_OK)
        return st;
    c.e->scale =
        (sc_target_scale){.target = o->target, .logarithm = o->logarithm, .maximise = o->maximise};
    if (o->target < sc_dataset_targets(d))
        c.e->target = sc_strdup(sc_dataset_target_name(d, o->target));
    if (c.e->target == NULL) {
        st = o->target < sc_dataset_targets(d)
                 ? SC_ENOMEM
                 : sc_fail(SC_EINVAL, "surrogate: the data set has no target %u",
                           (unsigned)o->target);
        goto done;
    }
    if ((st = school_init(&c, d, row, n)) != SC_OK || (st = part(&c)) != SC_OK)
        goto done;
    give_roles(&c);
    if ((st = learn_members(&c)) != SC_OK)
        goto done;
    fit_lines(&c);
    r.tau_within = (double)NAN;
    if (c.by_groups && (st = judge_groups(&c, &r)) != SC_OK)
        goto done;
    if ((st = judge_values(&c, &r)) != SC_OK || (st = judge_feasibility(&c, &r)) != SC_OK)
        goto done;
    limit_spread(&c);
    report_sizes(&c, &r);
    *report = r;
    *out = c.e;
    c.e = NULL;
done:
    school_clear(&c);
    sc_ensemble_destroy(c.e);
    return st;
}

/* ---- forecasts ---- */

/* What one thread needs for a batch. */
typedef struct desk {
    sc_nn_work *work;
    sc_real *real, *result; /* [BATCH][reals], [members][BATCH][2] */
    uint32_t *code, *flags; /* [BATCH][codes], [BATCH] */
} desk;

static void desk_clear(desk *k)
{
    sc_nn_work_destroy(k->work);
    sc_free(k->real);
    sc_free(k->result);
    sc_free(k->code);
    sc_free(k->flags);
}

static sc_status desk_init(desk *k, const sc_ensemble *e)
{
    k->real = sc_calloc(BATCH, sc_encoder_reals(e->encoder) * sizeof *k->real);
    k->code = sc_calloc(BATCH, sc_encoder_codes(e->encoder) * sizeof *k->code);
    k->flags = sc_calloc(BATCH, sizeof *k->flags);
    k->result = sc_calloc(e->members, BATCH * RESULTS * sizeof *k->result);
    if (!k->real || !k->code || !k->flags || !k->result)
        return SC_ENOMEM;
    return sc_nn_work_create(&k->work, e->net, BATCH, false);
}

static sc_forecast forecast_of(const sc_ensemble *e, const sc_real *result, uint32_t flags)
{
    sc_forecast f = {.flags = flags};
    const sc_target_scale *s = &e->scale;
    double logit = 0.0;
    combine(&f.score, &f.spread, e, result, (size_t)BATCH * RESULTS);
    for (size_t m = 0; m < e->members; m++)
        logit += (double)result[m * BATCH * RESULTS + 1] / (double)e->members;
    f.feasible = e->always ? 1.0 : 1.0 / (1.0 + exp(-(e->logit0 + e->logit1 * logit)));
    f.value = sc_target_unscaled(s, f.score);
    const double down = s->maximise ? -1.0 : 1.0; /* where the target is lower */
    f.low50 = sc_target_unscaled(s, f.score + down * e->half50);
    f.high50 = sc_target_unscaled(s, f.score - down * e->half50);
    f.low90 = sc_target_unscaled(s, f.score + down * e->half90);
    f.high90 = sc_target_unscaled(s, f.score - down * e->half90);
    if (f.spread > e->spread_limit)
        f.flags |= SC_DOUBT_SPREAD;
    return f;
}

static void predict_batch(sc_forecast *out, desk *k, const sc_ensemble *e, const sc_dataset *d,
                          const size_t *column, const uint32_t *row, size_t n)
{
    const size_t reals = sc_encoder_reals(e->encoder), codes = sc_encoder_codes(e->encoder);
    const sc_nn_batch b = {.n = n, .real = {k->real}, .code = {k->code}};
    for (size_t i = 0; i < n; i++)
        k->flags[i] =
            sc_encoder_row(k->real + i * reals, k->code + i * codes, e->encoder, d, column, row[i]);
    for (size_t m = 0; m < e->members; m++) {
        sc_real *result = k->result + m * BATCH * RESULTS;
        memcpy(result, sc_nn_forward(e->net, e->weights + m * e->n_weights, k->work, &b),
               n * RESULTS * sizeof *result);
        for (size_t i = 0; e->base_alone && i < n; i++)
            result[i * RESULTS] = 0;
        sc_base_add(result, e->base[m], k->real, k->code, n);
    }
    for (size_t i = 0; i < n; i++)
        out[i] = forecast_of(e, k->result + i * RESULTS, k->flags[i]);
}

sc_status sc_ensemble_predict(sc_forecast *out, const sc_ensemble *e, const sc_dataset *d,
                              const uint32_t *row, size_t n, int threads)
{
    const size_t batches = (n + BATCH - 1) / BATCH;
    const int most = threads_of(threads, batches);
    size_t *column = sc_calloc(sc_encoder_features(e->encoder), sizeof *column);
    desk *desks = sc_calloc((size_t)most, sizeof *desks);
    sc_status st = column && desks ? sc_encoder_match(column, e->encoder, d) : SC_ENOMEM;
    for (int i = 0; st == SC_OK && i < most; i++)
        st = desk_init(&desks[i], e);
    if (st != SC_OK)
        goto done;
#pragma omp parallel for schedule(dynamic, 1) num_threads(most)
    for (size_t i = 0; i < batches; i++) {
        const size_t at = i * BATCH, left = n - at;
        predict_batch(out + at, &desks[omp_get_thread_num()], e, d, column, row + at,
                      left < BATCH ? left : BATCH);
    }
done:
    for (int i = 0; desks && i < most; i++)
        desk_clear(&desks[i]);
    sc_free(desks);
    sc_free(column);
    return st;
}
