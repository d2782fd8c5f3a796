#include "surrogate/fit.h"

#include <math.h>
#include <string.h>

#include "core/mem.h"
#include "surrogate/adam.h"
#include "surrogate/loss.h"
#include "surrogate/metrics.h"
#include "surrogate/split.h"

enum {
    DOMAIN_FIT = 0x4649545f,
    RESULTS = 2,
    MOST_LEVELS = 4096,
    MOST_REALS = 2 * SC_DATASET_COLUMNS
}; /* "FIT_" */

const char *sc_fit_options_check(const sc_fit_options *o)
{
    const double positive[] = {o->temperature, o->limit, o->stride, o->rate};
    const double weights[] = {o->alpha, o->beta, o->below, o->feasibility, o->decay, o->longest};
    for (size_t i = 0; i < sizeof positive / sizeof *positive; i++)
        if (!(positive[i] > 0.0 && isfinite(positive[i])))
            return "temperature, limit, stride and rate must be positive";
    for (size_t i = 0; i < sizeof weights / sizeof *weights; i++)
        if (!(weights[i] >= 0.0 && isfinite(weights[i])))
            return "weights of losses, decay and longest gradient must not be negative";
    if (o->width == 0 || o->layers == 0 || o->layers > 16 || o->experts == 0 || o->embedding == 0)
        return "width, layers (16 at most), experts and embedding must be at least 1";
    if (o->batch < 2 || o->batch > SC_NN_SAMPLES / 3 || o->epochs == 0)
        return "a batch is of 2 to 21845 samples, and there is at least one epoch";
    if (o->loss > SC_SCORE_LIST || o->activation > SC_ACT_TANH)
        return "no such loss or activation";
    return NULL;
}

/* ---- network ---- */

/* Levels of the codes, [codes]. */
static sc_status levels_of(uint32_t **out, const sc_encoder *e)
{
    const size_t n = sc_encoder_codes(e);
    uint32_t *levels = sc_calloc(n, sizeof *levels);
    if (!levels)
        return SC_ENOMEM;
    for (size_t i = 0; i < n; i++)
        levels[i] = sc_encoder_levels(e, i);
    *out = levels;
    return SC_OK;
}

/* The score as heads mixed by a vote, and the logit, of one vector. */
static uint32_t add_heads(sc_nn *net, uint32_t from, uint32_t experts)
{
    if (experts == 1)
        return sc_nn_dense_whole(net, from, RESULTS, SC_ACT_NONE);
    const uint32_t gate = sc_nn_dense_whole(net, from, experts, SC_ACT_NONE);
    uint32_t heads = sc_nn_dense_whole(net, from, RESULTS, SC_ACT_NONE);
    for (uint32_t i = 1; i < experts; i++)
        heads = sc_nn_join(net, heads, sc_nn_dense_whole(net, from, RESULTS, SC_ACT_NONE));
    return sc_nn_mix(net, heads, gate);
}

sc_status sc_fit_net(sc_nn **out, const sc_encoder *e, const sc_fit_options *o)
{
    const uint32_t reals = (uint32_t)sc_encoder_reals(e), codes = (uint32_t)sc_encoder_codes(e);
    uint32_t *levels = NULL, h = SC_NN_NONE, labels = SC_NN_NONE, numbers = SC_NN_NONE;
    sc_nn *net = NULL;
    sc_status st = levels_of(&levels, e);
    if (st == SC_OK)
        st = sc_nn_create(&net);
    if (st != SC_OK)
        goto done;
    if (reals > 0)
        h = numbers = sc_nn_real(net, 1, reals, false);
    if (reals > 0 && o->attention)
        h = sc_nn_tokens(net, h, o->width);
    if (codes > 0)
        labels = sc_nn_embed(net, codes, levels, o->attention ? o->width : o->embedding);
    h = reals == 0 ? labels : codes == 0 ? h : sc_nn_join(net, h, labels);
    for (uint32_t i = 0; i < o->layers; i++)
        h = o->attention ? sc_nn_transformer(net, h, o->heads, 4 * o->width)
                         : sc_nn_dense_whole(net, h, o->width, o->activation);
    if (o->attention)
        h = sc_nn_norm(net, h);
    if (o->skip && reals > 0)
        h = sc_nn_join(net, h, numbers);
    h = add_heads(net, h, o->experts);
    if ((st = sc_nn_finish(net, h)) == SC_OK) {
        *out = net;
        net = NULL;
    }
done:
    sc_nn_destroy(net);
    sc_free(levels);
    return st;
}

/* ---- uphill ---- */

/* Change the one label of a sample whose first-order gain is the largest, if any is. */
static void change_label(uint32_t *code, size_t sample, const sc_climber *c, const sc_nn_batch *b)
{
    const size_t codes = sc_encoder_codes(c->e);
    size_t field = codes;
    uint32_t best = 0;
    sc_real most = 0, gain[MOST_LEVELS];
    for (size_t f = 0; f < codes; f++) {
        const uint32_t levels = sc_encoder_levels(c->e, f);
        if (!sc_encoder_is_label(c->e, f) || levels > MOST_LEVELS)
            continue;
        sc_nn_d_code(gain, c->net, c->weights, c->work, b, 0, sample, (uint32_t)f);
        for (uint32_t k = 1; k < levels; k++)
            if (gain[k] > most) {
                most = gain[k];
                field = f;
                best = k;
            }
    }
    if (field < codes)
        code[sample * codes + field] = best;
}

/* One step of a batch that went forward and backward. */
static void step_uphill(sc_real *real, uint32_t *code, const sc_climber *c, const sc_nn_batch *b,
                        bool last)
{
    const size_t reals = sc_encoder_reals(c->e), codes = sc_encoder_codes(c->e);
    const sc_real *d = reals ? sc_nn_d_real(c->net, c->work, 0) : NULL;
    sc_real slope[MOST_REALS];
    for (size_t i = 0; i < b->n; i++) {
        if (reals > 0)
            memcpy(slope, d + i * reals, reals * sizeof *slope);
        sc_base_slope(slope, c->base, real + i * reals, code + i * codes);
        for (size_t k = 0; k < reals; k++)
            if (slope[k] != 0 && sc_encoder_moves(c->e, k))
                real[i * reals + k] += (sc_real)(slope[k] > 0 ? c->stride : -c->stride);
        change_label(code, i, c, b);
        sc_encoder_snap(real + i * reals, code + i * codes, c->e, last);
    }
}

void sc_fit_climb(sc_real *real, uint32_t *code, size_t n, const sc_climber *c)
{
    const sc_nn_batch b = {.n = n, .real = {real}, .code = {code}};
    for (uint32_t step = 0; step < c->steps; step++) {
        for (size_t i = 0; i < n; i++) {
            c->d[i * RESULTS] = 1;
            c->d[i * RESULTS + 1] = 0;
        }
        (void)sc_nn_forward(c->net, c->weights, c->work, &b);
        sc_nn_backward(c->net, c->weights, c->work, &b, c->d, NULL, true);
        step_uphill(real, code, c, &b, step + 1 == c->steps);
    }
}

/* ---- learning ---- */

/* Everything that the steps need. */
typedef struct learner {
    const sc_nn *net;
    const sc_base *base;
    const sc_encoder *e;
    const sc_samples *s;
    const sc_fit_options *o;
    sc_nn_work *work;
    sc_adam adam;
    sc_rng rng;
    sc_real *weights, *best, *gradient;
    size_t n_good, n_bad, n_check; /* feasible with a target, infeasible, validating */
    uint32_t *good, *bad, *check;  /* samples */
    size_t next_bad;
    size_t rows;                /* of a batch: good, bad, negatives */
    sc_real *real, *d;          /* [rows][reals], [rows][2] */
    uint32_t *code;             /* [rows][codes] */
    sc_real *y, *score, *slope; /* [batch], [rows], [rows] */
    uint32_t *group;            /* [batch] */
    uint8_t *label;             /* [rows] */
    double *seen, *truth;       /* [n_check] */
} learner;

static void learner_clear(learner *l)
{
    void *const owned[] = {l->best, l->gradient, l->good,  l->real,  l->d,    l->code,
                           l->y,    l->score,    l->group, l->label, l->seen, l->slope};
    sc_nn_work_destroy(l->work);
    sc_adam_clear(&l->adam);
    for (size_t i = 0; i < sizeof owned / sizeof *owned; i++)
        sc_free(owned[i]);
}

/* Sort the samples by what they are for. */
static void deal(learner *l, const uint8_t *role)
{
    for (size_t i = 0; i < l->s->n; i++) {
        const bool known = !isnan(l->s->y[i]);
        if (role[i] == SC_ROLE_LEARN && known)
            l->good[l->n_good++] = (uint32_t)i;
        else if (role[i] == SC_ROLE_LEARN && !l->s->feasible[i])
            l->bad[l->n_bad++] = (uint32_t)i;
        else if (role[i] == SC_ROLE_VALIDATE && known)
            l->check[l->n_check++] = (uint32_t)i;
    }
}

static sc_status learner_init(learner *l, const uint8_t *role)
{
    const size_t n = l->s->n, weights = sc_nn_weights(l->net), batch = l->o->batch;
    l->rows = 3 * batch;
    l->good = sc_calloc(n, 3 * sizeof *l->good);
    if (!l->good)
        return SC_ENOMEM;
    l->bad = l->good + n;
    l->check = l->bad + n;
    deal(l, role);
    if (l->n_good < 2)
        return sc_fail(SC_EINVAL,
                       "surrogate: %zu samples have a target to learn from, it takes two "
                       "or more",
                       l->n_good);
    l->best = sc_calloc(weights, sizeof *l->best);
    l->gradient = sc_calloc(weights, sizeof *l->gradient);
    l->real = sc_calloc(l->rows, l->s->reals * sizeof *l->real);
    l->code = sc_calloc(l->rows, l->s->codes * sizeof *l->code);
    l->d = sc_calloc(l->rows, RESULTS * sizeof *l->d);
    l->y = sc_calloc(batch, sizeof *l->y);
    l->score = sc_calloc(l->rows, sizeof *l->score);
    l->slope = sc_calloc(l->rows, sizeof *l->slope);
    l->group = sc_calloc(batch, sizeof *l->group);
    l->label = sc_calloc(l->rows, sizeof *l->label);
    l->seen = sc_calloc(l->n_check, 2 * sizeof *l->seen);
    if (!l->best || !l->gradient || !l->real || !l->code || !l->d || !l->y || !l->score ||
        !l->slope || !l->group || !l->label || !l->seen)
        return SC_ENOMEM;
    l->truth = l->seen + l->n_check;
    sc_status st = sc_adam_init(&l->adam, weights);
    if (st == SC_OK)
        st = sc_nn_work_create(&l->work, l->net, l->rows, true);
    l->adam.decay = l->o->decay;
    l->adam.longest = l->o->longest;
    return st;
}

/* Infeasible samples of the next batch, going round. @return how many. */
static size_t next_bad(learner *l, uint32_t *item)
{
    const size_t n = l->n_bad < l->o->batch ? l->n_bad : l->o->batch;
    for (size_t i = 0; i < n; i++) {
        if (l->next_bad == 0)
            sc_split_shuffle(l->bad, l->n_bad, &l->rng);
        item[i] = l->bad[l->next_bad];
        l->next_bad = (l->next_bad + 1) % l->n_bad;
    }
    return n;
}

/* Column of the results, [n], and its derivative back. */
static void take(sc_real *out, const sc_real *result, size_t n, size_t column)
{
    for (size_t i = 0; i < n; i++)
        out[i] = result[i * RESULTS + column];
}

static void give_back(sc_real *d, sc_real *slope, size_t n, size_t column)
{
    for (size_t i = 0; i < n; i++) {
        d[i * RESULTS + column] = slope[i];
        slope[i] = 0;
    }
}

/* Derivatives by the scores; good ones first, then infeasible, then negatives. */
static void score_losses(learner *l, size_t good, size_t bad, size_t negatives)
{
    const sc_fit_options *o = l->o;
    sc_real *s = l->score, *d = l->slope;
    if (o->loss == SC_SCORE_SQUARED)
        sc_loss_squared(d, s, l->y, good, 1.0);
    else if (o->loss == SC_SCORE_PAIRS)
        sc_loss_pairs(d, s, l->y, o->within_groups ? l->group : NULL, good, 1.0);
    else
        sc_loss_list(d, s, l->y, good, o->temperature, 1.0);
    /* an order has no zero: what is pushed down is so against the good ones, as in conservative
     * objective models (Trabucco et al., ICML'21, arXiv:2107.06882, eq. 3) */
    if (o->loss != SC_SCORE_SQUARED)
        sc_loss_push_down(d, s, good, o->limit,
                          -((bad > 0 ? o->beta : 0.0) + (negatives > 0 ? o->alpha : 0.0)));
    if (bad > 0 && o->beta > 0.0)
        sc_loss_push_down(d + good, s + good, bad, o->limit, o->beta);
    if (bad > 0 && o->below > 0.0)
        sc_loss_below(d, d + good, s, good, s + good, bad, o->below);
    if (negatives > 0)
        sc_loss_push_down(d + good + bad, s + good + bad, negatives, o->limit, o->alpha);
}

/* Derivatives of the sum of losses by the results, in the same order. */
static void losses(learner *l, const sc_real *result, size_t good, size_t bad, size_t negatives)
{
    const sc_fit_options *o = l->o;
    sc_real *s = l->score, *d = l->slope;
    const size_t n = good + bad + negatives;
    take(s, result, n, 0);
    for (size_t i = 0; l->base != NULL && i < n; i++)
        s[i] +=
            (sc_real)sc_base_value(l->base, l->real + i * l->s->reals, l->code + i * l->s->codes);
    if (!o->base_alone)
        score_losses(l, good, bad, negatives);
    give_back(l->d, d, n, 0);
    take(s, result, n, 1);
    if (l->n_bad > 0 && o->feasibility > 0.0)
        sc_loss_logistic(d, s, l->label, good + bad, o->feasibility);
    give_back(l->d, d, n, 1);
}

/* One step on the good samples `item` [good]. */
static void step(learner *l, const uint32_t *item, size_t good)
{
    uint32_t bad_item[SC_NN_SAMPLES / 3];
    const size_t reals = l->s->reals, codes = l->s->codes;
    const size_t bad = l->n_bad > 0 ? next_bad(l, bad_item) : 0;
    const size_t negatives = l->o->alpha > 0.0 ? good : 0, known = good + bad;
    sc_samples_gather(l->real, l->code, l->s, item, good);
    sc_samples_gather(l->real + good * reals, l->code + good * codes, l->s, bad_item, bad);
    for (size_t i = 0; i < good; i++) {
        l->y[i] = l->s->y[item[i]];
        l->group[i] = l->s->group[item[i]];
        l->label[i] = 1;
    }
    memset(l->label + good, 0, bad);
    if (negatives > 0) {
        sc_samples_gather(l->real + known * reals, l->code + known * codes, l->s, item, good);
        const sc_climber c = {l->net,  l->weights, l->base,     l->e,
                              l->work, l->d,       l->o->climb, l->o->stride};
        sc_fit_climb(l->real + known * reals, l->code + known * codes, negatives, &c);
    }
    const sc_nn_batch b = {.n = known + negatives, .real = {l->real}, .code = {l->code}};
    const sc_real *result = sc_nn_forward(l->net, l->weights, l->work, &b);
    losses(l, result, good, bad, negatives);
    sc_nn_backward(l->net, l->weights, l->work, &b, l->d, l->gradient, false);
    sc_adam_step(&l->adam, l->weights, l->gradient);
}

/* Kendall's tau of the validating samples. */
static sc_status validate(double *out, learner *l)
{
    for (size_t at = 0; at < l->n_check; at += l->rows) {
        const size_t n = l->n_check - at < l->rows ? l->n_check - at : l->rows;
        sc_samples_gather(l->real, l->code, l->s, l->check + at, n);
        const sc_nn_batch b = {.n = n, .real = {l->real}, .code = {l->code}};
        const sc_real *result = sc_nn_forward(l->net, l->weights, l->work, &b);
        for (size_t i = 0; i < n; i++) {
            l->seen[at + i] =
                (l->o->base_alone ? 0.0 : (double)result[i * RESULTS]) +
                sc_base_value(l->base, l->real + i * l->s->reals, l->code + i * l->s->codes);
            l->truth[at + i] = (double)l->s->y[l->check[at + i]];
        }
    }
    return sc_metric_tau(out, l->seen, l->truth, l->n_check);
}

/* Keep the weights if they validate better. @return whether to go on. */
static sc_status judge(bool *stop, learner *l, sc_fit_result *r)
{
    double tau;
    const sc_status st = validate(&tau, l);
    if (st != SC_OK)
        return st;
    if (!(tau <= r->validation)) {
        r->validation = tau;
        r->best_epoch = r->epochs;
        memcpy(l->best, l->weights, l->adam.n * sizeof *l->best);
    }
    *stop = r->epochs - r->best_epoch >= l->o->patience;
    return SC_OK;
}

/* Passes over the good samples; the rate falls as half a cosine (Loshchilov, Hutter, ICLR'17,
 * arXiv:1608.03983, eq. 5 without restarts). */
static sc_status run(learner *l, sc_fit_result *r)
{
    const bool judged = l->o->patience > 0 && l->n_check > 1;
    const double pi = 3.14159265358979323846;
    const size_t batch = l->o->batch;
    const size_t batches = (l->n_good + batch - 1) / batch;
    const double steps = (double)batches * l->o->epochs;
    double done = 0.0;
    bool stop = false;
    while (r->epochs < l->o->epochs && !stop) {
        sc_split_shuffle(l->good, l->n_good, &l->rng);
        for (size_t at = 0; at < l->n_good; at += batch) {
            const size_t left = l->n_good - at;
            l->adam.rate = l->o->rate * 0.5 * (1.0 + cos(pi * done++ / steps));
            step(l, l->good + at, left < batch ? left : batch);
        }
        r->best_epoch = judged ? r->best_epoch : r->epochs + 1;
        r->epochs++;
        const sc_status st = judged ? judge(&stop, l, r) : SC_OK;
        if (st != SC_OK)
            return st;
    }
    if (judged)
        memcpy(l->weights, l->best, l->adam.n * sizeof *l->weights);
    return SC_OK;
}

sc_status sc_fit(sc_real *weights, sc_fit_result *result, const sc_nn *net, const sc_base *base,
                 const sc_encoder *e, const sc_samples *s, const uint8_t *role,
                 const sc_fit_options *o, uint64_t member)
{
    learner l = {.net = net, .base = base, .e = e, .s = s, .o = o, .weights = weights};
    sc_fit_result r = {.validation = (double)NAN};
    const char *wrong = sc_fit_options_check(o);
    sc_status st = wrong ? sc_fail(SC_EINVAL, "surrogate: %s", wrong) : learner_init(&l, role);
    if (st == SC_OK) {
        sc_rng_init(&l.rng, o->seed, DOMAIN_FIT, member);
        sc_nn_begin(net, weights, &l.rng);
        st = run(&l, &r);
    }
    if (st == SC_OK)
        *result = r;
    learner_clear(&l);
    return st;
}

void sc_fit_predict(sc_real *out, const sc_learned *l, sc_nn_work *w, size_t batch,
                    const sc_samples *s, size_t n)
{
    for (size_t at = 0; at < n; at += batch) {
        const size_t now = n - at < batch ? n - at : batch;
        const sc_nn_batch b = {
            .n = now, .real = {s->real + at * s->reals}, .code = {s->code + at * s->codes}};
        const sc_real *result = sc_nn_forward(l->net, l->weights, w, &b);
        memcpy(out + at * RESULTS, result, now * RESULTS * sizeof *out);
        for (size_t i = 0; l->base_alone && i < now; i++)
            out[(at + i) * RESULTS] = 0;
        sc_base_add(out + at * RESULTS, l->base, b.real[0], b.code[0], now);
    }
}
