/* A portfolio of the other optimisers: docs/algorithms/portfolio.md.
 * Angermueller, Belanger, Gane, Mariet, Dohan, Murphy, Colwell, Sculley, "Population-based
 * black-box optimization for biological sequence design" (P3BO), ICML'20, arXiv:2006.03227. */
#include "search/opt_portfolio.h"

#include <math.h>
#include <string.h>

#include "core/mem.h"
#include "search/opt.h"

enum {
    START = 10,       /* points of the sequence, whoever is asked: nobody's merit */
    LATE = 50,        /* points before the population methods join */
    ROWS = 128,       /* best points known that new ones are held against */
    PENDING = 512,    /* points asked and not told whose member is known: the latest */
    GP_ROWS = 256,    /* trials that gp's models hold, ... */
    GP_TRIALS = 1024, /* ... and that are told before it leaves */
    LEAST_GP = 8,     /* as gp takes them */
    MOST_GP = 1024,
    DOMAIN_CHOICE = 0x43484F49
};
static const double DECAY = 0.99, TEMPERATURE = 0.2, DOUBT = 2.0;

/* gp comes first: it is the one that leaves. */
static const struct {
    const sc_opt_class *class;
    uint64_t from; /* points met before it is asked */
} plan[] = {
    {&sc_opt_class_gp, 0},
    {&sc_opt_class_tpe, 0},
    {&sc_opt_class_nsga2, LATE},
    {&sc_opt_class_lcs, LATE},
};
enum { MEMBERS = sizeof plan / sizeof *plan, GP = 0 };

struct portfolio {
    sc_optimizer member[MEMBERS]; /* own state and options, all else lent by the portfolio */
    double reward[MEMBERS], trials[MEMBERS]; /* decayed sums over trials told */
    sc_pool *best;
    size_t n_pending;
    uint64_t key[PENDING]; /* oldest first */
    uint32_t by[PENDING];  /* member that proposed it */
};

/* ---- members ---- */

static uint32_t gp_rows(const sc_optimizer *o)
{
    return o->options.population ? o->options.population : GP_ROWS;
}

static bool is_member(const sc_optimizer *o, size_t k)
{
    return k != GP || o->seen.n_told < (uint64_t)gp_rows(o) * (GP_TRIALS / GP_ROWS);
}

/* Member k as it stands now: the points met are those of all, and suggestions have one number. */
static sc_optimizer *lend(const sc_optimizer *o, size_t k)
{
    struct portfolio *s = o->state;
    sc_optimizer *m = &s->member[k];
    m->seen = o->seen;
    m->asked = o->asked;
    m->sweep = o->sweep;
    return m;
}

static void destroy(sc_optimizer *o)
{
    struct portfolio *s = o->state;
    if (!s)
        return;
    for (size_t k = 0; k < MEMBERS; k++)
        plan[k].class->destroy(&s->member[k]);
    sc_pool_destroy(s->best);
    sc_free(s);
    o->state = NULL;
}

static sc_status create(sc_optimizer *o)
{
    const uint32_t population = o->options.population;
    sc_status st = SC_OK;

    if (population != 0 && (population < LEAST_GP || population > MOST_GP))
        return sc_fail(SC_EINVAL, "portfolio: population %u, must be %d to %d", population,
                       LEAST_GP, MOST_GP);
    struct portfolio *s = sc_calloc(1, sizeof *s);
    if (!s)
        return SC_ENOMEM;
    o->state = s;
    for (size_t k = 0; k < MEMBERS && st == SC_OK; k++) {
        sc_optimizer *m = &s->member[k];
        *m = *o;
        m->class = plan[k].class;
        m->state = NULL;
        m->options = (sc_optimizer_options)SC_OPTIMIZER_OPTIONS_INIT;
        if (k == GP)
            m->options.population = gp_rows(o);
        st = m->class->create(m);
    }
    if (st != SC_OK || (st = sc_pool_create(&s->best, o->problem.n_params, o->problem.n_objectives,
                                            ROWS)) != SC_OK)
        destroy(o);
    return st;
}

/* ---- rewards ---- */

/* By how much of the ranges the new row beats the row that comes nearest to it: the additive
 * epsilon. @return 1 where no row before it is feasible. */
static double advance(const sc_pool *p, size_t new)
{
    double low[SC_MAX_OBJECTIVES], high[SC_MAX_OBJECTIVES], least = 1.0;

    for (size_t j = 0; j < p->m; j++) {
        low[j] = HUGE_VAL;
        high[j] = -HUGE_VAL;
    }
    for (size_t i = 0; i < new; i++)
        for (size_t j = 0; p->violation[i] == 0.0 && j < p->m; j++) {
            low[j] = fmin(low[j], p->value[i * p->m + j]);
            high[j] = fmax(high[j], p->value[i * p->m + j]);
        }
    for (size_t i = 0; i < new; i++) {
        double most = -HUGE_VAL;
        if (p->violation[i] > 0.0)
            continue;
        for (size_t j = 0; j < p->m; j++) {
            const double d = p->value[i * p->m + j] - p->value[new * p->m + j];
            const double range = high[j] - low[j];
            most = fmax(most, range > 0.0 ? d / range : (d > 0.0) - (d < 0.0));
        }
        least = fmin(least, most);
    }
    return least > 0.0 ? least : 0.0;
}

double sc_portfolio_worth(sc_pool *best, const sc_trial *t)
{
    if (best->n_rows == best->capacity) {
        sc_pool_keep_best(best, best->capacity / 2);
        best->n_kept = 0; /* its grades are not kept up */
    }
    const size_t k = sc_pool_add(best, t);
    if (!sc_pool_is_news(best, best, k)) {
        best->n_rows--;
        return 0.0;
    }
    return best->violation[k] > 0.0 ? 1.0 : sqrt(advance(best, k));
}

/* The member that proposed a point, which is forgotten. @return MEMBERS: not known. */
static size_t whose(struct portfolio *s, uint64_t key)
{
    size_t i = 0;
    while (i < s->n_pending && s->key[i] != key)
        i++;
    if (i == s->n_pending)
        return MEMBERS;
    const size_t k = s->by[i], after = --s->n_pending - i;
    memmove(s->key + i, s->key + i + 1, after * sizeof *s->key);
    memmove(s->by + i, s->by + i + 1, after * sizeof *s->by);
    return k;
}

static void tell(sc_optimizer *o, const sc_trial *t)
{
    struct portfolio *s = o->state;
    const double worth = sc_portfolio_worth(s->best, t);
    const size_t by = whose(s, sc_opt_key(o, t->point));

    for (size_t k = 0; k < MEMBERS && by < MEMBERS; k++) {
        s->reward[k] = DECAY * s->reward[k] + (k == by ? worth : 0.0);
        s->trials[k] = DECAY * s->trials[k] + (k == by ? 1.0 : 0.0);
    }
    for (size_t k = 0; k < MEMBERS; k++)
        if (is_member(o, k))
            plan[k].class->tell(lend(o, k), t);
}

/* ---- choice ---- */

void sc_portfolio_odds(double *odds, const double *reward, const double *trials, const bool *on,
                       size_t n)
{
    double gained = 0.0, told = 0.0, low = HUGE_VAL, high = -HUGE_VAL, sum = 0.0;

    for (size_t k = 0; k < n; k++) {
        gained += reward[k];
        told += trials[k];
    }
    const double mean = told > 0.0 ? gained / told : 0.0;
    for (size_t k = 0; k < n; k++) {
        odds[k] = (reward[k] + DOUBT * mean) / (trials[k] + DOUBT);
        low = on[k] ? fmin(low, odds[k]) : low;
        high = on[k] ? fmax(high, odds[k]) : high;
    }
    for (size_t k = 0; k < n; k++) {
        const double score = high > low ? (odds[k] - low) / (high - low) : 1.0;
        odds[k] = on[k] ? exp((score - 1.0) / TEMPERATURE) : 0.0;
        sum += odds[k];
    }
    for (size_t k = 0; k < n; k++)
        odds[k] /= sum;
}

static size_t choose(const sc_optimizer *o)
{
    const struct portfolio *s = o->state;
    double odds[MEMBERS];
    bool on[MEMBERS];
    size_t chosen = 0;
    sc_rng r;

    for (size_t k = 0; k < MEMBERS; k++)
        on[k] = is_member(o, k) && o->seen.n >= plan[k].from;
    sc_portfolio_odds(odds, s->reward, s->trials, on, MEMBERS);
    sc_rng_init(&r, o->seed, DOMAIN_CHOICE, o->asked);
    double left = gsl_rng_uniform(&r.gsl);
    for (size_t k = 0; k < MEMBERS; k++) {
        if (!on[k])
            continue;
        chosen = k;
        if (left < odds[k])
            break;
        left -= odds[k];
    }
    return chosen;
}

static void remember(struct portfolio *s, uint64_t key, size_t by)
{
    if (s->n_pending == PENDING)
        (void)whose(s, s->key[0]);
    s->key[s->n_pending] = key;
    s->by[s->n_pending++] = (uint32_t)by;
}

static sc_opt_found propose(sc_optimizer *o, uint32_t *point)
{
    const size_t k = choose(o);
    sc_optimizer *m = lend(o, k);
    const sc_opt_found found = m->class->propose(m, point);

    o->sweep = m->sweep;
    if (found == SC_OPT_FOUND && o->seen.n >= START)
        remember(o->state, sc_opt_key(o, point), k);
    return found;
}

/* ---- state ---- */

static void save(const sc_optimizer *o, sc_buf *b)
{
    const struct portfolio *s = o->state;

    for (size_t k = 0; k < MEMBERS; k++) {
        sc_blob_double(b, s->reward[k]);
        sc_blob_double(b, s->trials[k]);
    }
    sc_blob_u64(b, s->n_pending);
    for (size_t i = 0; i < s->n_pending; i++) {
        sc_blob_u64(b, s->key[i]);
        sc_blob_u32(b, s->by[i]);
    }
    sc_blob_u64(b, s->best->n_rows);
    sc_pool_save(s->best, 0, b);
    for (size_t k = 0; k < MEMBERS; k++)
        if (is_member(o, k))
            plan[k].class->save(lend(o, k), b);
}

static bool load_pending(const sc_optimizer *o, sc_blob *in)
{
    struct portfolio *s = o->state;
    const size_t n = sc_blob_read_count(in, 12);

    if (in->broken || n > PENDING)
        return false;
    for (size_t i = 0; i < n; i++) {
        s->key[i] = sc_blob_read_u64(in);
        s->by[i] = sc_blob_read_u32(in);
        if (s->by[i] >= MEMBERS || sc_seen_state_of(&o->seen, s->key[i]) != SC_SEEN_PENDING)
            return false;
    }
    s->n_pending = n;
    return true;
}

static bool load(sc_optimizer *o, sc_blob *in)
{
    struct portfolio *s = o->state;

    for (size_t k = 0; k < MEMBERS; k++) {
        s->reward[k] = sc_blob_read_double(in);
        s->trials[k] = sc_blob_read_double(in);
        if (!(s->reward[k] >= 0.0 && s->reward[k] <= s->trials[k] &&
              s->trials[k] <= 1.0 / (1.0 - DECAY) + 1.0))
            return false;
    }
    if (!load_pending(o, in))
        return false;
    const size_t rows = sc_blob_read_count(in, sc_pool_row_bytes(s->best));
    if (in->broken || !sc_pool_load(s->best, rows, o, in))
        return false;
    for (size_t k = 0; k < MEMBERS; k++)
        if (is_member(o, k) && !plan[k].class->load(lend(o, k), in))
            return false;
    return true;
}

const sc_opt_class sc_opt_class_portfolio = {
    .name = "portfolio",
    .about = "several of these in turn, asked by what each improves now (P3BO)",
    .create = create,
    .destroy = destroy,
    .propose = propose,
    .tell = tell,
    .save = save,
    .load = load,
};
