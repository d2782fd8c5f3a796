/* Firefly search, in the form of the open Eagle strategy: docs/algorithms/firefly.md.
 * Yang, "Firefly algorithms for multimodal optimization", SAGA 2009,
 * doi:10.1007/978-3-642-04944-6_14; Song et al., arXiv:2408.11527. */
#include "search/opt_firefly.h"

#include <gsl/gsl_randist.h>
#include <math.h>
#include <string.h>

#include "core/mem.h"
#include "search/opt.h"
#include "search/pool.h"

enum {
    MAX_FLIES = 1000,
    START = 10,          /* points of the sequence before the first flight */
    FEW_VALUES = 10,     /* most of a parameter that is seen as discrete */
    MOST_FLIGHTS = 4096, /* pending ones whose fly is known; the oldest are forgotten beyond */
    TRIES = 64,
    TRIES_A_STEP = 16, /* after so many in vain a flight anew, with one more change */
    TRIES_A_WIDTH = 4  /* and after so many the perturbation is wider by once itself */
};
static const double ATTRACTION = 1.0, REPULSION = 0.02;
static const double REACH = 0.1, LEAST_REACH = 1e-3, TIRED = 0.9, MOST_REACH = 0.5;
static const double visibility[SC_FIREFLY_KINDS] = {3.0, 1.0, 0.2};

/* A point that was asked for, and the fly that goes there. */
struct flight {
    uint64_t key, fly;
};

struct firefly {
    sc_pool *flies;         /* a row each; one row more for the trial that comes in */
    uint64_t *id;           /* [capacity] of a row, from 1 */
    double *reach;          /* [capacity] perturbation of a row */
    uint64_t next_id, turn; /* turn: the fly that moved last */
    bool blind;             /* no fly is better than another by its violation, and none feasible */
    unsigned char *kind;    /* [n_params] */
    double *scale;     /* [n_params] 1 / (values - 1), 1 for categories, 0 for a single value */
    double *x, *noise; /* [n_params] scratch */
    uint32_t *visit;   /* [capacity] scratch */
    size_t dof[SC_FIREFLY_KINDS];
    struct flight flights[MOST_FLIGHTS]; /* ring, oldest first */
    size_t first, n_flights;
    sc_sequence *sequence;
};

size_t sc_firefly_pool(size_t d)
{
    const double n = 10.0 + round(0.5 * (pow((double)d, 1.2) + (double)d));
    return n < MAX_FLIES ? (size_t)n : MAX_FLIES;
}

double sc_firefly_pull(sc_firefly_kind kind, double distance2, size_t dof, int other_is_better)
{
    const double seen = exp(-visibility[kind] * 10.0 * distance2 / (double)dof);
    return other_is_better ? ATTRACTION * seen : -REPULSION * seen;
}

static size_t room(const struct firefly *s)
{
    return s->flies->capacity - 1;
}

/* ---- creation ---- */

static void destroy(sc_optimizer *o)
{
    struct firefly *s = o->state;
    if (!s)
        return;
    sc_pool_destroy(s->flies);
    sc_sequence_destroy(s->sequence);
    sc_free(s->id);
    sc_free(s->reach);
    sc_free(s->visit);
    sc_free(s->kind);
    sc_free(s->scale);
    sc_free(s);
    o->state = NULL;
}

/* @return parameters that have more than one value. */
static size_t read_kinds(struct firefly *s, const sc_problem *p)
{
    size_t d = 0;
    for (size_t i = 0; i < p->n_params; i++) {
        const uint32_t n = p->cardinality[i];
        const sc_firefly_kind kind = p->categorical[i] ? SC_FIREFLY_CATEGORICAL
                                     : n > FEW_VALUES  ? SC_FIREFLY_CONTINUOUS
                                                       : SC_FIREFLY_DISCRETE;
        s->kind[i] = (unsigned char)kind;
        s->scale[i] = n == 1 ? 0.0 : p->categorical[i] ? 1.0 : 1.0 / (n - 1.0);
        s->dof[kind] += n > 1;
        d += n > 1;
    }
    return d;
}

static sc_status allocate(struct firefly *s, const sc_optimizer *o)
{
    const sc_problem *p = &o->problem;
    s->kind = sc_calloc(p->n_params, sizeof *s->kind);
    s->scale = sc_calloc(p->n_params, 3 * sizeof *s->scale);
    if (!s->kind || !s->scale)
        return SC_ENOMEM;
    s->x = s->scale + p->n_params;
    s->noise = s->x + p->n_params;
    const size_t usual = sc_firefly_pool(read_kinds(s, p));
    const size_t capacity = 1 + (o->options.population ? o->options.population : usual);
    s->id = sc_calloc(capacity, sizeof *s->id);
    s->reach = sc_calloc(capacity, sizeof *s->reach);
    s->visit = sc_calloc(capacity, sizeof *s->visit);
    const sc_status st = s->id && s->reach && s->visit ? SC_OK : SC_ENOMEM;
    return st == SC_OK ? sc_pool_create(&s->flies, p->n_params, p->n_objectives, capacity) : st;
}

static sc_status create(sc_optimizer *o)
{
    const uint32_t population = o->options.population;
    if (population != 0 && (population < 4 || population > MAX_FLIES))
        return sc_fail(SC_EINVAL, "firefly: population %u, must be 4 to %d", population, MAX_FLIES);
    struct firefly *s = sc_calloc(1, sizeof *s);
    if (!s)
        return SC_ENOMEM;
    o->state = s;
    s->next_id = 1;
    sc_status st = allocate(s, o);
    if (st != SC_OK || (st = sc_sequence_create(&s->sequence, o)) != SC_OK)
        destroy(o);
    return st;
}

/* ---- flights ---- */

static struct flight *flight_at(struct firefly *s, size_t i)
{
    return &s->flights[(s->first + i) % MOST_FLIGHTS];
}

static void set_off(struct firefly *s, uint64_t key, uint64_t fly)
{
    if (s->n_flights == MOST_FLIGHTS) {
        s->first = (s->first + 1) % MOST_FLIGHTS;
        s->n_flights--;
    }
    *flight_at(s, s->n_flights++) = (struct flight){key, fly};
}

/* @return the row of the fly that went to the point; SIZE_MAX if none did or it is gone. Trials
 * mostly come in the order they were asked for, so the first flight is the likeliest. */
static size_t land(struct firefly *s, uint64_t key)
{
    for (size_t i = 0; i < s->n_flights; i++) {
        if (flight_at(s, i)->key != key)
            continue;
        const uint64_t fly = flight_at(s, i)->fly;
        for (; i > 0; i--)
            *flight_at(s, i) = *flight_at(s, i - 1);
        s->first = (s->first + 1) % MOST_FLIGHTS;
        s->n_flights--;
        for (size_t row = 0; row < s->flies->n_rows; row++)
            if (s->id[row] == fly)
                return row;
        return SIZE_MAX;
    }
    return SIZE_MAX;
}

/* ---- what a trial changes ---- */

static size_t nearest(const sc_optimizer *o, const uint32_t *point, size_t n)
{
    const struct firefly *s = o->state;
    double least = HUGE_VAL;
    size_t best = 0;

    for (size_t row = 0; row < n; row++) {
        const uint32_t *other = s->flies->point + row * s->flies->n;
        double sum = 0.0;
        for (size_t j = 0; j < s->flies->n; j++) {
            const double d = s->kind[j] == SC_FIREFLY_CATEGORICAL
                                 ? point[j] != other[j]
                                 : ((double)point[j] - other[j]) * s->scale[j];
            sum += d * d;
        }
        if (sum < least) {
            least = sum;
            best = row;
        }
    }
    return best;
}

/* The graded row that n others have at their top or bottom; the first of equals. */
static size_t extreme(const struct firefly *s, size_t n, bool top)
{
    uint32_t row = 0;
    for (uint32_t i = 1; i < n; i++)
        if (top ? sc_pool_better(s->flies, i, row) : sc_pool_better(s->flies, row, i))
            row = i;
    return row;
}

/* The newest row becomes a fly, in the place of another or in its own. */
static void settle(struct firefly *s, size_t row)
{
    sc_pool *p = s->flies;
    if (row + 1 < p->n_rows) {
        sc_pool_copy_row(p, row, p, p->n_rows - 1);
        p->n_rows--;
    }
    s->id[row] = s->next_id++;
    s->reach[row] = REACH;
}

static void drop(struct firefly *s, size_t row)
{
    sc_pool *p = s->flies;
    for (size_t i = row; i + 1 < p->n_rows; i++) {
        sc_pool_copy_row(p, i, p, i + 1);
        s->id[i] = s->id[i + 1];
        s->reach[i] = s->reach[i + 1];
    }
    p->n_rows--;
}

/* 0 feasible, 1 infeasible, 2 failed. */
static int class_of(double violation)
{
    return (violation > 0.0) + (isinf(violation) != 0);
}

/* A trial that is no better than the fly it belongs to still founds a new one: in free room if it
 * is feasible, else in the place of a worse fly, if it is of the best front or that one infeasible.
 */
static void found_or_forget(struct firefly *s, size_t trial)
{
    sc_pool *p = s->flies;
    const size_t worst = extreme(s, p->n_rows, false);
    const bool feasible = p->violation[trial] == 0.0;

    if (feasible && p->n_rows <= room(s))
        settle(s, trial);
    else if (sc_pool_better(p, (uint32_t)trial, (uint32_t)worst) &&
             (p->rank[trial] == 0 || class_of(p->violation[trial]) < class_of(p->violation[worst])))
        settle(s, worst);
    else
        p->n_rows--;
}

static void tell(sc_optimizer *o, const sc_trial *t)
{
    struct firefly *s = o->state;
    sc_pool *p = s->flies;
    size_t fly = land(s, sc_opt_key(o, t->point));
    const bool flew = fly != SIZE_MAX;
    const size_t trial = sc_pool_add(p, t);

    sc_pool_grade(p);
    if (!flew && trial < room(s)) {
        settle(s, trial);
    } else {
        if (!flew)
            fly = nearest(o, t->point, trial);
        if (sc_pool_better(p, (uint32_t)trial, (uint32_t)fly)) {
            sc_pool_copy_row(p, fly, p, trial);
            s->reach[fly] = REACH;
            p->n_rows--;
        } else {
            const uint64_t id = s->id[fly];
            const bool best = extreme(s, p->n_rows, true) == fly;
            if (flew)
                s->reach[fly] *= TIRED;
            found_or_forget(s, trial);
            if (s->id[fly] == id && s->reach[fly] < LEAST_REACH && !best && p->n_rows == room(s))
                drop(s, fly);
        }
    }
    p->n_kept = p->n_rows;
    s->blind = sc_pool_is_blind(p, 0, p->n_rows);
}

/* ---- flying ---- */

/* The next in turn by its number, of those of the best class there is: infeasible flies move only
 * while none is feasible, failed ones while all are. */
static size_t next_fly(const struct firefly *s)
{
    const sc_pool *p = s->flies;
    size_t next = SIZE_MAX, first = SIZE_MAX;
    int best = 2;

    for (size_t i = 0; i < p->n_rows; i++)
        if (class_of(p->violation[i]) < best)
            best = class_of(p->violation[i]);
    for (size_t i = 0; i < p->n_rows; i++) {
        if (class_of(p->violation[i]) > best)
            continue;
        if (first == SIZE_MAX || s->id[i] < s->id[first])
            first = i;
        if (s->id[i] > s->turn && (next == SIZE_MAX || s->id[i] < s->id[next]))
            next = i;
    }
    return next != SIZE_MAX ? next : first;
}

/* One other fly draws x near or pushes it off. */
static void feel(struct firefly *s, sc_rng *r, const uint32_t *other, bool is_better)
{
    double distance2[SC_FIREFLY_KINDS] = {0.0}, pull[SC_FIREFLY_KINDS] = {0.0};
    const size_t n = s->flies->n;

    for (size_t j = 0; j < n; j++) {
        const double d = s->x[j] - other[j] * s->scale[j];
        distance2[s->kind[j]] += s->kind[j] == SC_FIREFLY_CATEGORICAL ? d != 0.0 : d * d;
    }
    for (int k = 0; k < SC_FIREFLY_KINDS; k++)
        if (s->dof[k] > 0)
            pull[k] = sc_firefly_pull((sc_firefly_kind)k, distance2[k], s->dof[k], is_better);
    for (size_t j = 0; j < n; j++) {
        const double share = pull[s->kind[j]], to = other[j] * s->scale[j];
        if (s->kind[j] != SC_FIREFLY_CATEGORICAL)
            s->x[j] += share * (to - s->x[j]);
        else if (share > 0.0 && s->x[j] != to && gsl_rng_uniform(&r->gsl) < share)
            s->x[j] = to;
    }
}

/* Forces of all others, in random order. */
static void attract(struct firefly *s, sc_rng *r, size_t row)
{
    const sc_pool *p = s->flies;

    for (size_t j = 0; j < p->n; j++)
        s->x[j] = p->point[row * p->n + j] * s->scale[j];
    for (size_t i = 0; i < p->n_rows; i++) { /* shuffled from the inside out */
        const size_t k = gsl_rng_uniform_int(&r->gsl, i + 1);
        s->visit[i] = s->visit[k];
        s->visit[k] = (uint32_t)i;
    }
    for (size_t i = 0; i < p->n_rows; i++) {
        const uint32_t other = s->visit[i];
        const bool better = sc_pool_better(p, other, (uint32_t)row);
        if (better || sc_pool_better(p, (uint32_t)row, other))
            feel(s, r, p->point + other * p->n, better);
    }
}

/* Laplace noise whose longest component is `reach`; indices by rounding up or down at random. */
static void perturb(const sc_optimizer *o, sc_rng *r, double reach, uint32_t *point)
{
    struct firefly *s = o->state;
    const sc_problem *p = &o->problem;
    double most = 0.0;

    for (size_t j = 0; j < p->n_params; j++) {
        s->noise[j] = p->cardinality[j] > 1 ? gsl_ran_laplace(&r->gsl, 1.0) : 0.0;
        most = fmax(most, fabs(s->noise[j]));
    }
    for (size_t j = 0; j < p->n_params; j++) {
        const uint32_t n = p->cardinality[j];
        const double step = most > 0.0 ? s->noise[j] / most * reach : 0.0;
        if (p->categorical[j]) {
            point[j] = n == 1 ? 0 : (uint32_t)s->x[j];
            if (n > 1 && gsl_rng_uniform(&r->gsl) < fabs(step))
                point[j] = (uint32_t)gsl_rng_uniform_int(&r->gsl, n);
            continue;
        }
        const double to = (s->x[j] + step) * (n - 1.0) + gsl_rng_uniform(&r->gsl);
        point[j] = to < 1.0 ? 0 : to >= n ? n - 1 : (uint32_t)to;
    }
}

static void mutate(const sc_optimizer *o, sc_rng *r, uint32_t *point, int times)
{
    uint32_t which[SC_MAX_PARAMS];
    const size_t n_free = times > 0 ? sc_opt_free(o, point, which) : 0;
    for (; times > 0 && n_free > 0; times--)
        sc_opt_mutate(o, r, point, which[gsl_rng_uniform_int(&r->gsl, n_free)]);
}

static sc_opt_found propose(sc_optimizer *o, uint32_t *point)
{
    struct firefly *s = o->state;
    sc_rng r;

    if (o->seen.n < START || s->blind || s->flies->n_rows < room(s)) {
        if (sc_sequence_next(s->sequence, o, point))
            return SC_OPT_FOUND;
    }
    sc_opt_stream(o, &r);
    const size_t row = next_fly(s);
    for (int t = 0; t < TRIES && row != SIZE_MAX; t++) {
        if (t % TRIES_A_STEP == 0)
            attract(s, &r, row);
        const int wider = t / TRIES_A_WIDTH;
        perturb(o, &r, fmin(s->reach[row] * (1 + wider), MOST_REACH), point);
        mutate(o, &r, point, t / TRIES_A_STEP);
        if (sc_opt_is_new(o, point)) {
            s->turn = s->id[row];
            set_off(s, sc_opt_key(o, point), s->id[row]);
            return SC_OPT_FOUND;
        }
    }
    return sc_opt_random(o, &r, point);
}

/* ---- state ---- */

static void save(const sc_optimizer *o, sc_buf *b)
{
    struct firefly *s = o->state;
    sc_blob_u64(b, sc_sequence_position(s->sequence));
    sc_blob_u64(b, s->next_id);
    sc_blob_u64(b, s->turn);
    sc_blob_u64(b, s->n_flights);
    for (size_t i = 0; i < s->n_flights; i++) {
        sc_blob_u64(b, flight_at(s, i)->key);
        sc_blob_u64(b, flight_at(s, i)->fly);
    }
    sc_blob_u64(b, s->flies->n_rows);
    for (size_t i = 0; i < s->flies->n_rows; i++) {
        sc_blob_u64(b, s->id[i]);
        sc_blob_double(b, s->reach[i]);
    }
    sc_pool_save(s->flies, 0, b);
}

static bool load_flights(struct firefly *s, const sc_optimizer *o, sc_blob *in)
{
    const size_t n = sc_blob_read_count(in, sizeof *s->flights);
    bool good = n <= MOST_FLIGHTS;
    for (size_t i = 0; i < n && good; i++) {
        const uint64_t key = sc_blob_read_u64(in), fly = sc_blob_read_u64(in);
        good = sc_seen_state_of(&o->seen, key) == SC_SEEN_PENDING && fly < s->next_id;
        set_off(s, key, fly);
    }
    return good;
}

static bool load(sc_optimizer *o, sc_blob *in)
{
    struct firefly *s = o->state;
    const uint64_t position = sc_blob_read_u64(in);

    s->next_id = sc_blob_read_u64(in);
    s->turn = sc_blob_read_u64(in);
    if (s->next_id == 0 || s->next_id > o->seen.n_told + 1 || s->turn >= s->next_id ||
        !load_flights(s, o, in))
        return false;
    const size_t n = sc_blob_read_count(in, 16 + sc_pool_row_bytes(s->flies));
    if (n > room(s))
        return false;
    for (size_t i = 0; i < n; i++) {
        s->id[i] = sc_blob_read_u64(in);
        s->reach[i] = sc_blob_read_double(in);
        if (s->id[i] == 0 || s->id[i] >= s->next_id || !(s->reach[i] > 0.0) || s->reach[i] > REACH)
            return false;
    }
    if (!sc_pool_load(s->flies, n, o, in))
        return false;
    s->flies->n_kept = n;
    s->blind = sc_pool_is_blind(s->flies, 0, n);
    return sc_sequence_seek(s->sequence, o, position);
}

const sc_opt_class sc_opt_class_firefly = {
    .name = "firefly",
    .about = "points drawn to better ones near them, pushed off worse ones (firefly, Eagle)",
    .create = create,
    .destroy = destroy,
    .propose = propose,
    .tell = tell,
    .save = save,
    .load = load,
};
