#include "flow/session.h"

#include <math.h>
#include <string.h>

#include "core/blob.h"

enum { CHECKPOINT_MAGIC = 0x31435353, CHECKPOINT_VERSION = 1 }; /* "SSC1" */

static size_t params_of(const sc_session *x)
{
    return x->problem.n_params;
}

static sc_status reserve(sc_session *x, size_t wanted)
{
    if (wanted <= x->capacity)
        return SC_OK;
    const size_t params = params_of(x);
    sc_pending *grown = sc_realloc_array(x->pending, wanted, sizeof *grown);
    if (!grown)
        return SC_ENOMEM;
    x->pending = grown;
    uint32_t *points = sc_realloc_array(x->points, wanted * params, sizeof *points);
    if (!points)
        return SC_ENOMEM;
    x->points = points;
    for (; x->capacity < wanted; x->capacity++)
        if (!(x->pending[x->capacity].point = sc_calloc(params, sizeof(uint32_t))))
            return SC_ENOMEM;
    return SC_OK;
}

static void push_pending(sc_session *x, const uint32_t *point)
{
    sc_pending *p = &x->pending[x->n_pending++];
    p->index = x->next_index++;
    memcpy(p->point, point, params_of(x) * sizeof *point);
}

static bool is_pending(const sc_session *x, const uint32_t *point)
{
    for (size_t i = 0; i < x->n_pending; i++)
        if (memcmp(x->pending[i].point, point, params_of(x) * sizeof *point) == 0)
            return true;
    return false;
}

sc_status sc_session_propose(sc_session *x, size_t n, size_t *got)
{
    const size_t params = params_of(x);
    sc_status st = reserve(x, x->n_pending + n);
    sc_stop why = SC_RUNNING;
    size_t asked = 0;
    *got = 0;
    if (st != SC_OK)
        return st;
    while (*got < n && x->warm_given < x->s->n_warm) {
        const uint32_t *point = x->s->warm + x->warm_given++ * params;
        if (sc_space_broken(x->s->space, point) == SIZE_MAX && !is_pending(x, point)) {
            push_pending(x, point);
            ++*got;
        }
    }
    if (*got > 0)
        return SC_OK; /* the optimiser is asked when these have been told: it learns from them */
    st = sc_optimizer_ask(x->optimizer, n, x->points, &asked, &why);
    if (st != SC_OK)
        return st;
    for (size_t i = 0; i < asked; i++)
        if (!is_pending(x, x->points + i * params)) {
            push_pending(x, x->points + i * params);
            ++*got;
        }
    x->exhausted = why == SC_STOP_EXHAUSTED;
    return SC_OK;
}

/* ---- checkpoint ---- */

/* With every row kept the told points come back from the rows; otherwise the save holds them. */
static sc_save how_to_save(const sc_session *x)
{
    return x->s->keep.kind == SC_KEEP_ALL ? SC_SAVE_LIGHT : SC_SAVE_WHOLE;
}

sc_status sc_session_checkpoint(sc_session *x)
{
    unsigned char *state = NULL;
    size_t n = 0;
    sc_buf b;
    sc_status st = sc_optimizer_save(x->optimizer, how_to_save(x), &state, &n);
    if (st != SC_OK)
        return st;
    sc_buf_init(&b);
    sc_blob_u32(&b, CHECKPOINT_MAGIC);
    sc_blob_u32(&b, CHECKPOINT_VERSION);
    sc_blob_u64(&b, x->next_index);
    sc_blob_u64(&b, x->warm_given);
    sc_blob_double(&b, x->best);
    sc_blob_u64(&b, x->best_told);
    sc_blob_u32(&b, x->exhausted);
    sc_blob_u64(&b, x->n_pending);
    for (size_t i = 0; i < x->n_pending; i++) {
        sc_blob_u64(&b, x->pending[i].index);
        for (size_t p = 0; p < params_of(x); p++)
            sc_blob_u32(&b, x->pending[i].point[p]);
    }
    sc_buf_append(&b, (const char *)state, n);
    st = b.status;
    if (st == SC_OK)
        st = sc_store_put_checkpoint(x->writer, b.text, b.length);
    sc_buf_clear(&b);
    sc_free(state);
    return st;
}

/* Told trials as the optimiser knew them, read back from the rows in order. */
typedef struct history {
    sc_session *x;
    sc_store_trials *rows;
    uint32_t *point;
    double objectives[SC_MAX_OBJECTIVES];
} history;

static void objectives_of(double *out, const sc_study *s, const double *values)
{
    for (size_t i = 0; i < s->n_objectives; i++) {
        const size_t v = s->objectives[i];
        out[i] = s->values[v].goal == SC_GOAL_MAX ? -values[v] : values[v];
    }
}

static sc_trial_state search_state(sc_store_state s)
{
    switch (s) {
    case SC_STATE_FEASIBLE: return SC_TRIAL_FEASIBLE;
    case SC_STATE_INFEASIBLE: return SC_TRIAL_INFEASIBLE;
    case SC_STATE_FAILED: break;
    }
    return SC_TRIAL_FAILED;
}

/* Optimisers want a positive violation of everything infeasible; an external evaluator gives none.
 */
static double told_violation(double violation)
{
    return fmax(violation, 1e-12);
}

static sc_status next_told(void *payload, uint64_t i, sc_trial *trial)
{
    history *h = payload;
    const sc_store_trial *row = NULL;
    (void)i; /* rows come in order */
    sc_status st = sc_store_trials_next(&row, h->rows);
    if (st != SC_OK)
        return st;
    if (!row)
        return sc_fail(SC_ESTORE, "the study has fewer rows than its checkpoint");
    if ((st = sc_space_parse(h->x->s->space, row->parameters, h->point)) != SC_OK)
        return st;
    objectives_of(h->objectives, h->x->s, row->values);
    *trial = (sc_trial){.point = h->point,
                        .state = search_state(row->state),
                        .violation = told_violation(row->violation),
                        .objectives = h->objectives};
    return SC_OK;
}

static sc_status load_optimizer(sc_session *x, const sc_blob *state)
{
    history h = {.x = x};
    const sc_history told = {sc_store_writer_counts(x->writer)->trials, next_told, &h};
    if (how_to_save(x) == SC_SAVE_WHOLE)
        return sc_optimizer_load(x->optimizer, state->at, state->left, NULL);
    sc_status st = SC_ENOMEM;
    if ((h.point = sc_calloc(params_of(x), sizeof *h.point)) != NULL &&
        (st = sc_store_trials_open(&h.rows, x->store, sc_store_writer_id(x->writer),
                                   SC_WHICH_ALL)) == SC_OK)
        st = sc_optimizer_load(x->optimizer, state->at, state->left, &told);
    sc_store_trials_close(h.rows);
    sc_free(h.point);
    return st;
}

static sc_status restore(sc_session *x)
{
    void *bytes = NULL;
    size_t n = 0;
    sc_status st = sc_store_get_checkpoint(&bytes, &n, x->store, sc_store_writer_id(x->writer));
    if (st == SC_ENOTFOUND)
        return SC_OK;
    if (st != SC_OK)
        return st;
    sc_blob b = {bytes, n, false};
    const bool known = sc_blob_read_u32(&b) == CHECKPOINT_MAGIC;
    const uint32_t version = sc_blob_read_u32(&b);
    x->next_index = sc_blob_read_u64(&b);
    x->warm_given = sc_blob_read_u64(&b);
    x->best = sc_blob_read_double(&b);
    x->best_told = sc_blob_read_u64(&b);
    x->exhausted = sc_blob_read_u32(&b) != 0;
    const size_t waiting = sc_blob_read_count(&b, 8 + 4 * params_of(x));
    st = reserve(x, waiting);
    for (size_t i = 0; i < waiting && st == SC_OK; i++) {
        x->pending[i].index = sc_blob_read_u64(&b);
        for (size_t p = 0; p < params_of(x); p++)
            x->pending[i].point[p] = sc_blob_read_u32(&b);
        x->n_pending = i + 1;
    }
    if (st == SC_OK && (!known || version != CHECKPOINT_VERSION || b.broken))
        st = sc_fail(SC_ESTORE, "the checkpoint of study %s is damaged or of another version",
                     x->s->name);
    if (st == SC_OK)
        st = load_optimizer(x, &b);
    sc_free(bytes);
    return st;
}

/* ---- open, finish, close ---- */

/* moved: another process wrote between two of our reads, which do not belong together then. */
static sc_status open_once(sc_session **out, sc_study *s, sc_store *store,
                           const sc_store_study *form, bool *moved)
{
    sc_status st = SC_OK;
    sc_session *x = sc_calloc(1, sizeof *x);
    *moved = false;
    if (!x)
        return SC_ENOMEM;
    x->s = s;
    x->store = store;
    x->best = (double)NAN;
    sc_space_problem(s->space, s->n_objectives, &x->problem);
    if ((st = sc_store_writer_open(&x->writer, store, form)) != SC_OK ||
        (st = sc_optimizer_create(&x->optimizer, s->optimizer, &x->problem, s->seed,
                                  &s->optimizer_options)) != SC_OK ||
        (st = restore(x)) != SC_OK) {
        *moved = x->writer && sc_store_writer_stale(x->writer);
        goto done;
    }
    *out = x;
    x = NULL;
done:
    sc_session_close(x);
    return st;
}

sc_status sc_session_open(sc_session **out, sc_study *s, sc_store *store)
{
    sc_store_study form;
    bool moved;
    sc_status st = sc_study_find_baseline(s);
    if (st != SC_OK || (st = sc_study_store_form(&form, s)) != SC_OK)
        return st;
    do
        st = open_once(out, s, store, &form, &moved);
    while (st != SC_OK && moved);
    return st;
}

void sc_session_close(sc_session *x)
{
    if (!x)
        return;
    for (size_t i = 0; i < x->capacity; i++)
        sc_free(x->pending[i].point);
    sc_free(x->pending);
    sc_free(x->points);
    sc_optimizer_destroy(x->optimizer);
    sc_store_writer_close(x->writer);
    sc_free(x);
}

static void note_best(sc_session *x, const sc_finished *f)
{
    const size_t v = x->s->objectives[0];
    const bool max = x->s->values[v].goal == SC_GOAL_MAX;
    if (f->state != SC_STATE_FEASIBLE)
        return;
    const double value = f->values[v];
    if (isnan(x->best) || (max ? value > x->best : value < x->best)) {
        x->best = value;
        x->best_told = sc_store_writer_counts(x->writer)->trials;
    }
}

static sc_status finish_one(sc_session *x, const sc_finished *f)
{
    const sc_pending *p = &x->pending[f->pending];
    double objectives[SC_MAX_OBJECTIVES];
    sc_buf text;
    sc_buf_init(&text);
    sc_space_text(x->s->space, p->point, &text);
    sc_status st = text.status;
    if (st == SC_OK) {
        const sc_store_trial row = {.index = p->index,
                                    .point = sc_space_fingerprint(x->s->space, p->point),
                                    .parameters = text.text ? text.text : "",
                                    .state = f->state,
                                    .values = f->values,
                                    .n_values = x->s->n_values,
                                    .violation = f->violation,
                                    .reasons = f->reasons,
                                    .evaluator = f->evaluator,
                                    .model_version = sc_model_version()};
        st = sc_store_put_trial(x->writer, &row);
    }
    sc_buf_clear(&text);
    if (st != SC_OK)
        return st;
    objectives_of(objectives, x->s, f->values);
    const sc_trial told = {.point = p->point,
                           .state = search_state(f->state),
                           .violation = told_violation(f->violation),
                           .objectives = objectives};
    note_best(x, f);
    return sc_optimizer_tell(x->optimizer, &told, 1);
}

/* Drop the finished ones from the pending list; their buffers move to its free end. */
static void drop_finished(sc_session *x, const sc_finished *done, size_t n)
{
    size_t to = 0, next = 0;
    for (size_t from = 0; from < x->n_pending; from++) {
        if (next < n && done[next].pending == from) {
            next++;
            continue;
        }
        const sc_pending moved = x->pending[from];
        x->pending[from] = x->pending[to];
        x->pending[to++] = moved;
    }
    x->n_pending = to;
}

sc_status sc_session_finish(sc_session *x, const sc_finished *done, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        const sc_status st = finish_one(x, &done[i]);
        if (st != SC_OK)
            return st;
    }
    drop_finished(x, done, n);
    return sc_session_checkpoint(x);
}
