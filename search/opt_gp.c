/* Gaussian-process Bayesian optimisation in a trust region: docs/algorithms/gp.md.
 * Eriksson, Pearce, Gardner, Turner, Poloczek, "Scalable global optimization via local Bayesian
 * optimization", NeurIPS'19, arXiv:1910.01739; Wan, Nguyen, Ha, Ru, Lu, Osborne, "Think global and
 * act local", ICML'21, arXiv:2102.07188; Eriksson, Poloczek, "Scalable constrained Bayesian
 * optimization", AISTATS'21, arXiv:2002.08526. */
#include <math.h>
#include <string.h>

#include "core/mem.h"
#include "search/opt_gp_search.h"

enum {
    START = 10, /* points of the sequence before the models */
    LEAST_CAPACITY = 8,
    MOST_CAPACITY = 1024,
    SUCCESSES = 3, /* Eriksson et al. 2019, appendix */
    LEAST_FAILURES = 4
};
static const double FIRST_LENGTH = 0.8, MOST_LENGTH = 1.6, LEAST_LENGTH = 1.0 / 128; /* same */

static void destroy(sc_optimizer *o)
{
    struct gp *s = o->state;
    if (!s)
        return;
    for (size_t j = 0; s->model && j <= o->problem.n_objectives; j++)
        sc_gp_model_clear(&s->model[j]);
    sc_free(s->model);
    sc_free(s->waiting);
    sc_free(s->features);
    sc_free(s->pending_key);
    sc_free(s->pending);
    sc_free(s->believed);
    sc_free(s->candidate);
    sc_free(s->best);
    sc_free(s->block);
    sc_free(s->gain.front);
    sc_free(s->gain.slab);
    sc_free(s->gain.stair);
    sc_free(s->gain.upto);
    sc_pool_destroy(s->pool);
    sc_gp_fit_clear(&s->fit);
    sc_sequence_destroy(s->sequence);
    sc_free(s);
    o->state = NULL;
}

static void split_parameters(struct gp *s, const sc_problem *p)
{
    for (int labels = 0; labels <= 1; labels++) {
        for (size_t i = 0; i < p->n_params; i++)
            if (p->cardinality[i] > 1 && p->categorical[i] == (labels == 1))
                s->column[s->n_columns++] = (uint32_t)i;
        if (labels == 0)
            s->n_ordered = s->n_columns;
    }
}

/* What three objectives want. */
static sc_status allocate_slabs(sc_gp_gain *g, size_t rows)
{
    g->slab = sc_calloc(rows + 2, sizeof *g->slab);
    g->stair = sc_calloc(rows * (rows + 1) / 2, sizeof *g->stair);
    g->upto = sc_calloc(rows + 1, 3 * sizeof *g->upto);
    return g->slab && g->stair && g->upto ? SC_OK : SC_ENOMEM;
}

static sc_status allocate(sc_optimizer *o, struct gp *s, size_t capacity)
{
    const size_t n = o->problem.n_params, m = o->problem.n_objectives;
    const size_t most = capacity < SC_GP_PENDING ? capacity : SC_GP_PENDING;
    const size_t rows = capacity + most;
    sc_status st = SC_OK;

    s->most_pending = most;
    s->model = sc_calloc(m + 1, sizeof *s->model);
    s->waiting = sc_calloc(m + 1, sizeof *s->waiting);
    s->features = sc_calloc(rows, s->n_columns * sizeof *s->features);
    s->pending_key = sc_calloc(most, sizeof *s->pending_key);
    s->pending = sc_calloc(most, n * sizeof *s->pending);
    s->believed = sc_calloc(most, (m + 1) * sizeof *s->believed);
    s->candidate = sc_calloc(SC_GP_BLOCK, n * sizeof *s->candidate);
    s->best = sc_calloc(n, sizeof *s->best);
    s->block = sc_calloc(SC_GP_BLOCK, s->n_columns * sizeof *s->block);
    s->gain.front = sc_calloc(rows, m * sizeof *s->gain.front);
    if (!s->gain.front || !s->model || !s->waiting || !s->features || !s->pending_key ||
        !s->pending || !s->believed || !s->candidate || !s->best || !s->block)
        return SC_ENOMEM;
    for (size_t j = 0; j <= m && st == SC_OK; j++)
        st = sc_gp_model_create(&s->model[j], s->n_ordered, s->n_columns - s->n_ordered, rows);
    if (st != SC_OK || (st = sc_gp_fit_create(&s->fit)) != SC_OK ||
        (st = sc_pool_create(&s->pool, n, m, capacity)) != SC_OK)
        return st;
    if (m == 3 && (st = allocate_slabs(&s->gain, rows)) != SC_OK)
        return st;
    return sc_sequence_create(&s->sequence, o);
}

static sc_status create(sc_optimizer *o)
{
    const uint32_t capacity = o->options.population;
    if (capacity != 0 && (capacity < LEAST_CAPACITY || capacity > MOST_CAPACITY))
        return sc_fail(SC_EINVAL, "gp: population %u, must be %d to %d", capacity, LEAST_CAPACITY,
                       MOST_CAPACITY);
    struct gp *s = sc_calloc(1, sizeof *s);
    if (!s)
        return SC_ENOMEM;
    o->state = s;
    s->length = FIRST_LENGTH;
    split_parameters(s, &o->problem);
    const sc_status st = allocate(o, s, capacity ? capacity : SC_GP_ROWS);
    if (st != SC_OK)
        destroy(o);
    return st;
}

/* ---- told ---- */

/* The models are full: keep the best quarter and the latest, seven eighths in all. */
static void trim(sc_optimizer *o)
{
    struct gp *s = o->state;
    sc_pool *p = s->pool;
    const size_t elite = p->capacity / 4, keep = p->capacity - p->capacity / 8;
    size_t marked = elite, kept = 0;

    sc_pool_grade(p);
    sc_pool_sort(p);
    for (size_t i = 0; i < p->n_rows; i++)
        p->scratch[p->order[i]] = i < elite;
    for (size_t i = p->n_rows; i-- > 0 && marked < keep;) {
        marked += !p->scratch[i];
        p->scratch[i] = 1;
    }
    for (size_t i = 0; i < p->n_rows; i++)
        if (p->scratch[i])
            sc_pool_copy_row(p, kept++, p, i);
    p->n_rows = kept;
    for (size_t i = 0; i < kept; i++)
        sc_gp_describe(o, i, p->point + i * p->n);
    for (size_t j = 0; j <= p->m; j++)
        s->model[j].n = s->model[j].n_told = 0;
}

/* Side of the trust region: doubled by successes, halved by failures, started anew when it is
 * spent. */
static void resize(struct gp *s, bool success)
{
    const uint32_t most = s->n_columns > LEAST_FAILURES ? (uint32_t)s->n_columns : LEAST_FAILURES;
    s->successes = success ? s->successes + 1 : 0;
    s->failures = success ? 0 : s->failures + 1;
    if (s->successes >= SUCCESSES) {
        s->length = fmin(2.0 * s->length, MOST_LENGTH);
        s->successes = 0;
    } else if (s->failures >= most) {
        s->length *= 0.5;
        s->failures = 0;
    }
    if (s->length < LEAST_LENGTH)
        s->length = FIRST_LENGTH;
}

static void tell(sc_optimizer *o, const sc_trial *t)
{
    struct gp *s = o->state;
    sc_pool *p = s->pool;
    const uint64_t key = sc_opt_key(o, t->point);

    if (p->n_rows == p->capacity)
        trim(o);
    const size_t k = sc_pool_add(p, t);
    p->n_kept = 0;
    sc_gp_describe(o, k, t->point);
    for (size_t j = 0; j <= p->m; j++)
        s->waiting[j] += j == p->m || p->violation[k] == 0.0;
    s->sighted |= p->violation[k] == 0.0 || p->violation[k] != p->violation[0];
    if (o->seen.n_told > START && s->sighted)
        resize(s, sc_pool_is_news(p, p, k));
    for (size_t i = 0; i < s->n_pending; i++)
        if (s->pending_key[i] == key) {
            s->n_pending--;
            memmove(s->pending_key + i, s->pending_key + i + 1,
                    (s->n_pending - i) * sizeof *s->pending_key);
            memmove(s->pending + i * p->n, s->pending + (i + 1) * p->n,
                    (s->n_pending - i) * p->n * sizeof *s->pending);
            break;
        }
    s->in_step = false;
}

static sc_opt_found propose(sc_optimizer *o, uint32_t *point)
{
    struct gp *s = o->state;
    sc_opt_found found = SC_OPT_FOUND;
    sc_rng r;

    if ((o->seen.n < START || !s->sighted) && sc_sequence_next(s->sequence, o, point)) {
        sc_gp_await(o, point);
        return SC_OPT_FOUND;
    }
    sc_opt_stream(o, &r);
    if (!s->sighted || !sc_gp_search(o, &r, point))
        found = sc_opt_random(o, &r, point);
    if (found == SC_OPT_FOUND)
        sc_gp_await(o, point);
    return found;
}

/* ---- state ---- */

static void save(const sc_optimizer *o, sc_buf *b)
{
    const struct gp *s = o->state;
    const size_t n = o->problem.n_params;

    sc_blob_u64(b, sc_sequence_position(s->sequence));
    sc_blob_u64(b, s->sighted);
    sc_blob_double(b, s->length);
    sc_blob_u32(b, s->successes);
    sc_blob_u32(b, s->failures);
    sc_blob_u64(b, s->pool->n_rows);
    sc_pool_save(s->pool, 0, b);
    for (size_t j = 0; j <= s->pool->m; j++) {
        sc_blob_u64(b, s->waiting[j]);
        sc_blob_u64(b, s->model[j].fitted);
        for (size_t i = 0; i < s->n_columns + 2; i++)
            sc_blob_double(b, s->model[j].kernel.theta[i]);
    }
    sc_blob_u64(b, s->n_pending);
    for (size_t i = 0; i < s->n_pending * n; i++)
        sc_blob_u32(b, s->pending[i]);
}

static bool load_models(struct gp *s, sc_blob *in)
{
    bool good = true;
    for (size_t j = 0; j <= s->pool->m; j++) {
        sc_gp_kernel *k = &s->model[j].kernel;
        s->waiting[j] = sc_blob_read_u64(in);
        s->model[j].fitted = (size_t)sc_blob_read_u64(in);
        for (size_t i = 0; i < s->n_columns + 2; i++) {
            k->theta[i] = sc_blob_read_double(in);
            good &= fabs(k->theta[i]) <= 12.0;
        }
        sc_gp_kernel_set(k);
    }
    return good && !in->broken;
}

static bool load_pending(sc_optimizer *o, sc_blob *in)
{
    struct gp *s = o->state;
    const size_t n = o->problem.n_params;
    s->n_pending = sc_blob_read_count(in, 4 * n);
    if (in->broken || s->n_pending > s->most_pending) {
        s->n_pending = 0;
        return false;
    }
    for (size_t i = 0; i < s->n_pending; i++) {
        for (size_t j = 0; j < n; j++) {
            s->pending[i * n + j] = sc_blob_read_u32(in);
            if (s->pending[i * n + j] >= o->problem.cardinality[j])
                return false;
        }
        s->pending_key[i] = sc_opt_key(o, s->pending + i * n);
        if (sc_seen_state_of(&o->seen, s->pending_key[i]) != SC_SEEN_PENDING)
            return false;
    }
    return true;
}

static bool load(sc_optimizer *o, sc_blob *in)
{
    struct gp *s = o->state;
    const uint64_t position = sc_blob_read_u64(in), sighted = sc_blob_read_u64(in);

    s->sighted = sighted != 0;
    s->length = sc_blob_read_double(in);
    s->successes = sc_blob_read_u32(in);
    s->failures = sc_blob_read_u32(in);
    const size_t rows = sc_blob_read_count(in, sc_pool_row_bytes(s->pool));
    if (in->broken || sighted > 1 || !(s->length >= LEAST_LENGTH && s->length <= MOST_LENGTH) ||
        !sc_pool_load(s->pool, rows, o, in) || (s->sighted && rows == 0))
        return false;
    for (size_t i = 0; i < rows; i++)
        sc_gp_describe(o, i, s->pool->point + i * s->pool->n);
    return load_models(s, in) && load_pending(o, in) && sc_sequence_seek(s->sequence, o, position);
}

const sc_opt_class sc_opt_class_gp = {
    .name = "gp",
    .about = "Gaussian processes in a trust region, for few and dear trials (TuRBO, SCBO)",
    .create = create,
    .destroy = destroy,
    .propose = propose,
    .tell = tell,
    .save = save,
    .load = load,
};
