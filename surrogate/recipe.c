/* The choice of base, network and loss by validation. docs/algorithms/recipe.md. */
#include "surrogate/recipe.h"

#include <math.h>
#include <string.h>

#include "core/mem.h"
#include "surrogate/metrics.h"
#include "surrogate/split.h"

enum {
    MOST_TRIED = 4000, /* rows of a trial */
    TRIAL_MEMBERS = 3,
    TRIAL_STEPS = 400,
    FINAL_STEPS = 1500,
    LEAST_EPOCHS = 60,
    LEAST_BEST = 10,           /* rows of a best fifth that judges */
    DOMAIN_RECIPE = 0x52454350 /* "RECP" */
};
static const double WORST_SHARE = 0.6;

/** A way to learn; the simplest comes first. */
typedef struct way {
    const char *name;
    bool base, alone, small;
    sc_score_loss loss;
} way;

static const way ways[] = {
    {"base alone", true, true, true, SC_SCORE_SQUARED},
    {"base and a small network, squared errors", true, false, true, SC_SCORE_SQUARED},
    {"base and a small network, pairs", true, false, true, SC_SCORE_PAIRS},
    {"base and a network, squared errors", true, false, false, SC_SCORE_SQUARED},
    {"a small network, pairs", false, false, true, SC_SCORE_PAIRS},
    {"a network, squared errors", false, false, false, SC_SCORE_SQUARED},
};

static const sc_base_options bases[] = {{1, 0.01}, {1, 10}, {2, 0.01}, {2, 1}, {2, 30}};

typedef struct trying {
    const sc_dataset *d;
    uint32_t *known; /* [n_known] a sample of the rows that have a target */
    size_t n_known;
    uint32_t *part[2]; /* rows of the worst, of the best */
    size_t n_part[2];
    sc_forecast *said; /* [n_known] */
    double *a, *b;     /* [n_known] */
    bool by_groups;
} trying;

static void set_epochs(sc_fit_options *fit, size_t rows, uint32_t steps)
{
    const size_t batches = (rows + fit->batch - 1) / fit->batch;
    const size_t epochs = (steps + batches - 1) / (batches > 0 ? batches : 1);
    fit->epochs = epochs > LEAST_EPOCHS ? (uint32_t)epochs : LEAST_EPOCHS;
}

static void set_way(sc_ensemble_options *o, const way *w, const sc_base_options *base)
{
    o->base = w->base ? *base : (sc_base_options){0, 0};
    o->fit.base_alone = w->alone;
    o->fit.loss = w->loss;
    o->fit.activation = SC_ACT_SILU;
    o->fit.skip = true;
    o->fit.width = w->small ? 32 : 128;
    o->fit.layers = w->small ? 1 : 2;
    o->fit.rate = w->small ? 3e-3 : 1e-3;
    o->fit.decay = w->small ? 1.0 : 1e-2;
}

/* ---- rows to try on ---- */

static bool has_target(const trying *t, uint32_t row, uint32_t target)
{
    return sc_dataset_feasible(t->d, row) && !isnan(sc_dataset_target(t->d, row, target));
}

static sc_status sample_rows(trying *t, const uint32_t *row, size_t n, const sc_ensemble_options *o)
{
    sc_rng rng;
    uint32_t *all = sc_calloc(n, sizeof *all);
    if (all == NULL)
        return SC_ENOMEM;
    for (size_t i = 0; i < n; i++)
        if (has_target(t, row[i], o->target))
            all[t->n_known++] = row[i];
    sc_rng_init(&rng, o->fit.seed, DOMAIN_RECIPE, 0);
    sc_split_shuffle(all, t->n_known, &rng);
    t->known = all;
    t->n_known = t->n_known < MOST_TRIED ? t->n_known : MOST_TRIED;
    for (size_t i = 1; i < t->n_known; i++)
        t->by_groups |= sc_dataset_group(t->d, all[i]) != sc_dataset_group(t->d, all[0]);
    return SC_OK;
}

/* The worst four fifths and the best fifth of the rows that have a target. */
static sc_status part_rows(trying *t, const sc_ensemble_options *o)
{
    const size_t n = t->n_known;
    uint32_t *fold = sc_calloc(n, sizeof *fold);
    t->part[0] = sc_calloc(n, sizeof *fold);
    t->part[1] = sc_calloc(n, sizeof *fold);
    t->said = sc_calloc(n, sizeof *t->said);
    t->a = sc_calloc(n, sizeof *t->a);
    t->b = sc_calloc(n, sizeof *t->b);
    sc_status st = fold && t->part[0] && t->part[1] && t->said && t->a && t->b ? SC_OK : SC_ENOMEM;
    for (size_t i = 0; st == SC_OK && i < n; i++) {
        const double v = sc_dataset_target(t->d, t->known[i], o->target);
        t->a[i] = o->maximise ? v : -v;
    }
    if (st == SC_OK)
        st = sc_split_worst(fold, t->a, n, WORST_SHARE);
    for (size_t i = 0; st == SC_OK && i < n; i++)
        t->part[fold[i]][t->n_part[fold[i]]++] = t->known[i];
    sc_free(fold);
    return st;
}

static void trying_clear(trying *t)
{
    sc_free(t->known);
    sc_free(t->part[0]);
    sc_free(t->part[1]);
    sc_free(t->said);
    sc_free(t->a);
    sc_free(t->b);
}

/* ---- trials ---- */

/* Order of the best fifth, learned from the others. */
static sc_status beyond(double *out, trying *t, const sc_ensemble_options *o)
{
    sc_ensemble *e = NULL;
    sc_ensemble_report r;
    const size_t n = t->n_part[1];
    sc_status st = sc_ensemble_learn(&e, &r, t->d, t->part[0], t->n_part[0], o);
    if (st == SC_OK)
        st = sc_ensemble_predict(t->said, e, t->d, t->part[1], n, o->threads);
    for (size_t i = 0; st == SC_OK && i < n; i++) {
        const double v = sc_dataset_target(t->d, t->part[1][i], o->target);
        t->a[i] = t->said[i].score;
        t->b[i] = o->maximise ? v : -v;
    }
    if (st == SC_OK)
        st = sc_metric_tau(out, t->a, t->b, n);
    sc_ensemble_destroy(e);
    return st;
}

/* NaN, where a figure is not defined, is the worst. */
static double or_worst(double v)
{
    return isnan(v) ? -1.0 : v;
}

static sc_status score(double *out, trying *t, const sc_ensemble_options *wanted)
{
    sc_ensemble_options o = *wanted;
    sc_ensemble *e = NULL;
    sc_ensemble_report r;
    double past = (double)NAN;
    o.members = o.folds = TRIAL_MEMBERS;
    if (o.fit.base_alone)
        o.fit.epochs = 1; /* its network has nothing to learn */
    sc_status st = sc_ensemble_learn(&e, &r, t->d, t->known, t->n_known, &o);
    sc_ensemble_destroy(e);
    if (st == SC_OK && !t->by_groups && t->n_part[1] >= LEAST_BEST)
        st = beyond(&past, t, &o);
    if (st != SC_OK)
        return st;
    const double second = t->by_groups ? r.tau_within : past;
    *out = isnan(second) ? or_worst(r.tau) : (or_worst(r.tau) + 2.0 * second) / 3.0;
    return SC_OK;
}

/* By how much a way must be better than a simpler one: about the error of a score. */
static double margin(const trying *t)
{
    return 0.5 / sqrt((double)t->n_known);
}

/* The base that does best alone, the first of the ways; *best: its score. */
static sc_status choose_base(sc_base_options *out, double *best, trying *t,
                             const sc_ensemble_options *o)
{
    double now = 0.0;
    sc_ensemble_options tried = *o;
    for (size_t i = 0; i < sizeof bases / sizeof *bases; i++) {
        set_way(&tried, &ways[0], &bases[i]);
        const sc_status st = score(&now, t, &tried);
        if (st != SC_OK)
            return st;
        if (now > *best + margin(t)) {
            *best = now;
            *out = bases[i];
        }
    }
    return SC_OK;
}

static sc_status choose(sc_ensemble_options *io, sc_recipe *out, trying *t, size_t rows)
{
    sc_base_options base = bases[0];
    size_t best = 0;
    double most = -HUGE_VAL, now = 0.0;
    sc_ensemble_options tried = *io;
    set_epochs(&tried.fit, t->n_known, TRIAL_STEPS);
    sc_status st = choose_base(&base, &most, t, &tried);
    for (size_t i = 1; st == SC_OK && i < sizeof ways / sizeof *ways; i++) {
        set_way(&tried, &ways[i], &base);
        st = score(&now, t, &tried);
        if (now > most + margin(t)) {
            most = now;
            best = i;
        }
    }
    if (st != SC_OK)
        return st;
    set_way(io, &ways[best], &base);
    set_epochs(&io->fit, rows, FINAL_STEPS);
    *out = (sc_recipe){ways[best].name, most};
    return SC_OK;
}

sc_status sc_recipe_choose(sc_ensemble_options *io, sc_recipe *out, const sc_dataset *d,
                           const uint32_t *row, size_t n)
{
    trying t = {.d = d};
    sc_status st = sample_rows(&t, row, n, io);
    if (st == SC_OK && t.n_known < 4 * TRIAL_MEMBERS) { /* too few to hold parts out */
        set_way(io, &ways[0], &bases[1]);
        set_epochs(&io->fit, n, FINAL_STEPS);
        *out = (sc_recipe){ways[0].name, (double)NAN};
    } else if (st == SC_OK && (st = part_rows(&t, io)) == SC_OK) {
        st = choose(io, out, &t, t.n_known);
    }
    trying_clear(&t);
    return st;
}
