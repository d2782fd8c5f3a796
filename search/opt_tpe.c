/* Tree-structured Parzen estimator over all parameters together: docs/algorithms/tpe.md.
 * Bergstra, Bardenet, Bengio, Kegl, "Algorithms for hyper-parameter optimization", NeurIPS'11. */
#include <math.h>
#include <string.h>

#include "core/mem.h"
#include "search/opt.h"
#include "search/opt_tpe.h"

enum {
    START = 10,      /* points of the sequence before the first model */
    CANDIDATES = 24, /* new points drawn from the good density for one suggestion ... */
    TRIES = 256,     /* ... in at most so many draws */
    ROWS = 1024,     /* trials kept */
    CERTAIN = 128,   /* of them, best first, that thinning leaves alone */
    PENDING = 256    /* asked points remembered until they are told; the oldest go */
};

/* docs/algorithms/tpe.md has a source or a measurement for each. */
static const double WIDTH = 0.2;  /* bandwidth before Scott's factor, as a share of the range */
static const double SPREAD = 1.0; /* the same, in standard deviations of the good points */
static const double DOUBT = 3;    /* good points of a uniform kind that join in that deviation */
static const double LEAST_WIDTH = 0.01; /* of the range */
static const double LEAST_STEP = 0.5;   /* in indices */
static const double LABEL_WEIGHT = 0.5; /* of the prior in a categorical kernel */
static const double MOST_APART = 0.9;   /* of what makes a categorical kernel uniform */
static const double PRIOR = 0.5;        /* weight of the uniform component; a trial weighs 1 */
static const double GROWTH = 1.1; /* the others' bandwidths are renewed when they grew so much */

struct tpe {
    size_t n, n_free;  /* parameters; those of more than one value */
    sc_pool *pool;     /* trials kept, in the order told */
    uint32_t *pending; /* [PENDING][n] asked and not told, oldest first */
    size_t n_pending;
    sc_sequence *sequence;
    sc_tpe_split *split;
    sc_tpe_density *good, *poor;
    bool *active; /* [SC_TPE_MOST_GOOD][n] scratch: of the good rows */
    bool stale;   /* the densities are not those of the pool and the pending points */
    bool blind;   /* nothing told so far tells one point from another */
};

static void destroy(sc_optimizer *o)
{
    struct tpe *s = o->state;
    if (!s)
        return;
    sc_pool_destroy(s->pool);
    sc_free(s->pending);
    sc_free(s->active);
    sc_sequence_destroy(s->sequence);
    sc_tpe_split_destroy(s->split);
    sc_tpe_density_destroy(s->good);
    sc_tpe_density_destroy(s->poor);
    sc_free(s);
    o->state = NULL;
}

static sc_status create(sc_optimizer *o)
{
    const sc_problem *p = &o->problem;
    struct tpe *s = sc_calloc(1, sizeof *s);
    sc_status st = SC_OK;

    if (!s)
        return SC_ENOMEM;
    o->state = s;
    s->n = p->n_params;
    for (size_t i = 0; i < s->n; i++)
        s->n_free += p->cardinality[i] > 1;
    s->stale = s->blind = true;
    s->pending = sc_calloc(PENDING, s->n * sizeof *s->pending);
    s->active = sc_calloc(SC_TPE_MOST_GOOD, s->n * sizeof *s->active);
    if (!s->pending || !s->active)
        st = SC_ENOMEM;
    if (st != SC_OK || (st = sc_pool_create(&s->pool, s->n, p->n_objectives, ROWS)) != SC_OK ||
        (st = sc_sequence_create(&s->sequence, o)) != SC_OK ||
        (st = sc_tpe_split_create(&s->split, p->n_objectives, ROWS)) != SC_OK ||
        (st = sc_tpe_density_create(&s->good, p, SC_TPE_MOST_GOOD)) != SC_OK ||
        (st = sc_tpe_density_create(&s->poor, p, ROWS + PENDING)) != SC_OK)
        destroy(o);
    return st;
}

/* ---- the model ---- */

static void activity(const sc_optimizer *o, uint32_t *point, bool *active)
{
    if (o->problem.canonical)
        o->problem.canonical(o->problem.context, point, active);
    else
        memset(active, true, o->problem.n_params * sizeof *active);
}

/* Scott, Multivariate Density Estimation, 1992, doi:10.1002/9780470316849: how bandwidths fall with
 * the number of points. */
static double scott(const struct tpe *s, double n)
{
    return pow(n > 1 ? n : 1, -1.0 / ((double)s->n_free + 4.0));
}

static double label_width(uint32_t n_labels, double n)
{
    const double others = n_labels - 1.0, uniform = others / n_labels;
    const double width = others * LABEL_WEIGHT / (n + n_labels);
    return width < MOST_APART * uniform ? width : MOST_APART * uniform;
}

static double step_width(uint32_t n_values, double share)
{
    const double range = n_values - 1.0;
    const double width = range * (share > LEAST_WIDTH ? share : LEAST_WIDTH);
    return width > LEAST_STEP ? width : LEAST_STEP;
}

/* Standard deviation of parameter i over the good rows in which it is active, as a share of the
 * range, drawn towards that of uniform points. */
static double spread(const struct tpe *s, const bool *active, size_t i, size_t n_good, double range)
{
    double n = 0, sum = 0, squares = 0;
    for (size_t k = 0; k < n_good; k++) {
        const double x = s->pool->point[s->pool->order[k] * s->n + i] / range;
        if (active[k * s->n + i]) {
            n += 1;
            sum += x;
            squares += x * x;
        }
    }
    const double within = n > 0 ? squares - sum * sum / n : 0;
    return sqrt(((within > 0 ? within : 0) + DOUBT / 12) / (n + DOUBT));
}

static void set_widths(struct tpe *s, const sc_problem *p, const bool *active, size_t n_good)
{
    const double good = (double)n_good;
    const double grown = floor(log((double)(s->pool->n_rows - n_good + 1)) / log(GROWTH));
    const double poor = floor(pow(GROWTH, grown));

    for (size_t i = 0; i < s->n; i++) {
        const uint32_t n = p->cardinality[i];
        if (n == 1)
            continue;
        if (p->categorical[i]) {
            sc_tpe_density_width(s->good, i, label_width(n, good));
            sc_tpe_density_width(s->poor, i, label_width(n, poor));
            continue;
        }
        const double deviation = SPREAD * spread(s, active, i, n_good, n - 1.0);
        const double share = deviation < WIDTH ? deviation : WIDTH;
        sc_tpe_density_width(s->good, i, step_width(n, share * scott(s, good)));
        sc_tpe_density_width(s->poor, i, step_width(n, WIDTH * scott(s, poor)));
    }
}

/* Densities of the good trials, and of the others with the points still pending: what is being
 * tried is for now no better than the rest (the constant liar of Ginsbourger et al., 2010). */
static void build(sc_optimizer *o)
{
    struct tpe *s = o->state;
    sc_pool *pool = s->pool;
    bool *active = s->active;
    const size_t n_good = sc_tpe_split_rows(s->split, pool, sc_tpe_wanted(o->seen.n_told));

    for (size_t k = 0; k < n_good; k++)
        activity(o, pool->point + pool->order[k] * s->n, active + k * s->n);
    sc_tpe_density_begin(s->good, PRIOR);
    sc_tpe_density_begin(s->poor, PRIOR);
    set_widths(s, &o->problem, active, n_good);
    for (size_t k = 0; k < n_good; k++)
        sc_tpe_density_add(s->good, pool->point + pool->order[k] * s->n, active + k * s->n);
    for (size_t k = n_good; k < pool->n_rows; k++) {
        uint32_t *point = pool->point + pool->order[k] * s->n;
        activity(o, point, active);
        sc_tpe_density_add(s->poor, point, active);
    }
    for (size_t k = 0; k < s->n_pending; k++) {
        activity(o, s->pending + k * s->n, active);
        sc_tpe_density_add(s->poor, s->pending + k * s->n, active);
    }
    s->stale = false;
}

/* ---- tell ---- */

/* Make room: of all but the best rows, every other one of the older half goes, so that the far past
 * is kept ever more thinly. */
static void thin(sc_pool *p)
{
    size_t seen = 0, kept = 0;

    sc_pool_grade(p);
    sc_pool_sort(p);
    for (size_t k = 0; k < p->n_rows; k++)
        p->scratch[p->order[k]] = k < CERTAIN;
    const size_t half = (p->n_rows - CERTAIN) / 2;
    for (size_t i = 0; i < p->n_rows; i++) {
        const bool certain = p->scratch[i];
        seen += !certain;
        if (certain || seen > half || seen % 2 == 0)
            sc_pool_copy_row(p, kept++, p, i);
    }
    p->n_rows = kept;
}

static void forget_pending(struct tpe *s, size_t k)
{
    uint32_t *at = s->pending + k * s->n;
    s->n_pending--;
    memmove(at, at + s->n, (s->n_pending - k) * s->n * sizeof *at);
}

static void tell(sc_optimizer *o, const sc_trial *t)
{
    struct tpe *s = o->state;
    for (size_t k = 0; k < s->n_pending; k++) {
        if (memcmp(s->pending + k * s->n, t->point, s->n * sizeof *t->point) == 0) {
            forget_pending(s, k);
            break;
        }
    }
    if (s->pool->n_rows == ROWS)
        thin(s->pool);
    sc_pool_add(s->pool, t);
    s->blind = sc_pool_is_blind(s->pool, 0, s->pool->n_rows);
    s->stale = true;
}

/* ---- ask ---- */

/* The best of some points drawn from the good density by the ratio of the two, which orders points
 * as their expected improvement does (Bergstra et al. 2011, section 4.1). */
static bool draw_best(sc_optimizer *o, sc_rng *r, uint32_t *point)
{
    struct tpe *s = o->state;
    uint32_t x[SC_MAX_PARAMS];
    bool active[SC_MAX_PARAMS];
    double best = -HUGE_VAL;
    int found = 0;

    for (int t = 0; t < TRIES && found < CANDIDATES; t++) {
        sc_tpe_density_sample(s->good, r, x);
        if (!sc_opt_is_new(o, x))
            continue;
        activity(o, x, active);
        const double ratio =
            sc_tpe_density_log(s->good, x, active) - sc_tpe_density_log(s->poor, x, active);
        if (found++ == 0 || ratio > best) {
            best = ratio;
            memcpy(point, x, s->n * sizeof *x);
        }
    }
    return found > 0;
}

static void remember(sc_optimizer *o, uint32_t *point)
{
    struct tpe *s = o->state;

    if (s->n_pending == PENDING) {
        forget_pending(s, 0);
        s->stale = true;
    }
    memcpy(s->pending + s->n_pending++ * s->n, point, s->n * sizeof *point);
    if (!s->stale) {
        bool active[SC_MAX_PARAMS];
        activity(o, point, active);
        sc_tpe_density_add(s->poor, point, active);
    }
}

static sc_opt_found propose(sc_optimizer *o, uint32_t *point)
{
    struct tpe *s = o->state;
    const bool early = o->seen.n < START || s->blind;
    sc_opt_found found = SC_OPT_FOUND;
    sc_rng r;

    if (!early || !sc_sequence_next(s->sequence, o, point)) {
        if (s->stale && !s->blind)
            build(o);
        sc_opt_stream(o, &r);
        if (s->blind || !draw_best(o, &r, point))
            found = sc_opt_random(o, &r, point);
    }
    if (found == SC_OPT_FOUND)
        remember(o, point);
    return found;
}

/* ---- state ---- */

static void save(const sc_optimizer *o, sc_buf *b)
{
    const struct tpe *s = o->state;
    sc_blob_u64(b, sc_sequence_position(s->sequence));
    sc_blob_u64(b, s->n_pending);
    for (size_t i = 0; i < s->n_pending * s->n; i++)
        sc_blob_u32(b, s->pending[i]);
    sc_blob_u64(b, s->pool->n_rows);
    sc_pool_save(s->pool, 0, b);
}

static bool load_pending(sc_optimizer *o, sc_blob *in)
{
    struct tpe *s = o->state;
    bool good = true;

    s->n_pending = sc_blob_read_count(in, 4 * s->n);
    if (s->n_pending > PENDING)
        return false;
    for (size_t k = 0; k < s->n_pending && good; k++) {
        uint32_t *point = s->pending + k * s->n;
        for (size_t i = 0; i < s->n; i++) {
            point[i] = sc_blob_read_u32(in);
            good &= point[i] < o->problem.cardinality[i];
        }
        good = good && !in->broken &&
               sc_seen_state_of(&o->seen, sc_opt_key(o, point)) == SC_SEEN_PENDING;
    }
    return good;
}

static bool load(sc_optimizer *o, sc_blob *in)
{
    struct tpe *s = o->state;
    const uint64_t position = sc_blob_read_u64(in);

    if (!load_pending(o, in))
        return false;
    const size_t n = sc_blob_read_count(in, sc_pool_row_bytes(s->pool));
    if (in->broken || !sc_pool_load(s->pool, n, o, in))
        return false;
    s->blind = sc_pool_is_blind(s->pool, 0, s->pool->n_rows);
    return sc_sequence_seek(s->sequence, o, position);
}

const sc_opt_class sc_opt_class_tpe = {
    .name = "tpe",
    .about = "points as the good trials and not as the others (Parzen estimator)",
    .create = create,
    .destroy = destroy,
    .propose = propose,
    .tell = tell,
    .save = save,
    .load = load,
};
