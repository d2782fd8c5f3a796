#include <math.h>
#include <string.h>
#include <time.h>

#include "core/log.h"
#include "core/run.h"
#include "flow/details.h"
#include "flow/evaluator.h"
#include "flow/session.h"
#include "flow/table.h"
#include "scantle/map.h"

typedef struct run {
    sc_session *x;
    sc_evaluator *evaluator; /* NULL: a recorded table is asked */
    const sc_study_options *o;
    sc_row *rows;      /* [batch] */
    double *values;    /* [batch][n_values] */
    sc_finished *done; /* [batch] */
    uint32_t *points;  /* [batch][params] */
    double started;
    sc_stop why; /* what stopped the evaluations inside a batch */
    sc_store_run log;
} run;

static sc_status run_create(run *r, sc_study *s, sc_store *store, const sc_study_options *o)
{
    const size_t params = sc_space_params(s->space);
    sc_status st;
    r->o = o;
    r->started = sc_now();
    if ((st = sc_session_open(&r->x, s, store)) != SC_OK ||
        (!s->table && (st = sc_evaluator_create(&r->evaluator, s, o->threads)) != SC_OK) ||
        (st = sc_store_get_runs(&r->log.number, store, sc_store_writer_id(r->x->writer))) != SC_OK)
        return st;
    r->rows = sc_calloc(s->batch, sizeof *r->rows);
    r->values = sc_calloc(s->batch * s->n_values, sizeof *r->values);
    r->done = sc_calloc(s->batch, sizeof *r->done);
    r->points = sc_calloc(s->batch * params, sizeof *r->points);
    if (!r->rows || !r->values || !r->done || !r->points)
        return SC_ENOMEM;
    for (size_t i = 0; i < s->batch; i++)
        r->rows[i].values = r->values + i * s->n_values;
    r->log.started_ms = (int64_t)time(NULL) * 1000;
    r->log.first_trial = sc_store_writer_counts(r->x->writer)->trials;
    r->log.threads = (uint64_t)o->threads;
    return SC_OK;
}

static void run_clear(run *r)
{
    sc_evaluator_destroy(r->evaluator);
    sc_session_close(r->x);
    sc_free(r->rows);
    sc_free(r->values);
    sc_free(r->done);
    sc_free(r->points);
}

static sc_progress progress_of(const run *r)
{
    const sc_store_counts *c = sc_store_writer_counts(r->x->writer);
    sc_progress p = {.done = c->trials,
                     .total = r->x->s->trials,
                     .feasible = c->feasible,
                     .best = r->x->best,
                     .elapsed_s = sc_now() - r->started,
                     .eta_s = (double)NAN};
    p.rate_per_s = p.elapsed_s > 0.0 ? (double)(c->trials - r->log.first_trial) / p.elapsed_s : 0.0;
    if (p.total > p.done && p.rate_per_s > 0.0)
        p.eta_s = (double)(p.total - p.done) / p.rate_per_s;
    return p;
}

static bool target_reached(const sc_session *x)
{
    const bool max = x->s->values[x->s->objectives[0]].goal == SC_GOAL_MAX;
    if (isnan(x->s->target) || isnan(x->best))
        return false;
    return max ? x->best >= x->s->target : x->best <= x->s->target;
}

/* What may end a run at any evaluation: it decides how far the run comes, not what comes. */
static sc_stop stop_from_outside(const run *r)
{
    const sc_study *s = r->x->s;
    const sc_progress p = progress_of(r);
    if (r->o->progress && r->o->progress(&p, r->o->payload))
        return SC_STOP_INTERRUPT;
    return s->time_s > 0.0 && p.elapsed_s >= s->time_s ? SC_STOP_TIME : SC_RUNNING;
}

static bool stop_evaluating(void *payload)
{
    run *r = payload;
    r->why = stop_from_outside(r);
    return r->why != SC_RUNNING;
}

/* Target and stall are looked at between whole batches only, so that they end a run that was
 * interrupted inside one where they end a run that was not. */
static sc_stop stop_reason(const run *r)
{
    const sc_session *x = r->x;
    const sc_study *s = x->s;
    const uint64_t told = sc_store_writer_counts(x->writer)->trials;
    const sc_stop outside = r->why != SC_RUNNING ? r->why : stop_from_outside(r);
    if (outside == SC_STOP_INTERRUPT)
        return outside;
    if (x->n_pending == 0 && target_reached(x))
        return SC_STOP_TARGET;
    if (s->trials > 0 && told >= s->trials)
        return SC_STOP_BUDGET;
    if (x->n_pending == 0 && s->stall > 0 && !isnan(x->best) && told - x->best_told >= s->stall)
        return SC_STOP_STALL;
    if (outside != SC_RUNNING)
        return outside;
    return x->exhausted && x->n_pending == 0 ? SC_STOP_EXHAUSTED : SC_RUNNING;
}

/* How many of the pending points this batch evaluates. */
static size_t batch_size(const sc_session *x)
{
    size_t n = x->n_pending < x->s->batch ? x->n_pending : x->s->batch;
    const uint64_t told = sc_store_writer_counts(x->writer)->trials;
    if (x->s->trials > 0 && x->s->trials - told < n)
        n = (size_t)(x->s->trials - told);
    return n;
}

/* One transaction: the rows of a batch with its results, and the log of this run. */
static sc_status commit(run *r, bool batch, size_t n, const char *status)
{
    sc_store *store = r->x->store;
    sc_status st = sc_store_begin(store);
    if (st != SC_OK)
        return st;
    if (batch && r->evaluator && (st = sc_evaluator_put_results(r->evaluator, store)) != SC_OK)
        goto done;
    if (batch && (st = sc_session_finish(r->x, r->done, n)) != SC_OK)
        goto done;
    r->log.trials = sc_store_writer_counts(r->x->writer)->trials - r->log.first_trial;
    r->log.elapsed_ms = (uint64_t)((sc_now() - r->started) * 1000.0);
    if ((st = sc_store_put_run(r->x->writer, &r->log)) != SC_OK ||
        (st = sc_store_put_status(r->x->writer, status)) != SC_OK)
        goto done;
    return sc_store_commit(store);
done:
    sc_store_rollback(store);
    return st;
}

/* The first n points into rows; *got of them, if it is stopped. */
static sc_status evaluate(run *r, size_t n, size_t *got)
{
    const sc_study *s = r->x->s;
    const size_t params = r->x->problem.n_params;
    const sc_evaluator_call call = {r->points, n, r->x->store, stop_evaluating, r};
    if (r->evaluator)
        return sc_evaluator_run(got, r->evaluator, &call, r->rows);
    *got = 0;
    if (stop_evaluating(r))
        return SC_OK;
    for (; *got < n; ++*got)
        sc_table_evaluate(&r->rows[*got], s, r->points + *got * params);
    return SC_OK;
}

static sc_status one_batch(run *r)
{
    sc_session *x = r->x;
    const size_t params = x->problem.n_params;
    size_t got;
    sc_status st = SC_OK;
    if (x->n_pending == 0 && (st = sc_session_propose(x, x->s->batch, &got)) != SC_OK)
        return st;
    const size_t n = batch_size(x);
    for (size_t i = 0; i < n; i++)
        memcpy(r->points + i * params, x->pending[i].point, params * sizeof *r->points);
    if (n == 0 || (st = evaluate(r, n, &got)) != SC_OK)
        return st;
    for (size_t i = 0; i < got; i++)
        r->done[i] =
            (sc_finished){.pending = i,
                          .state = r->rows[i].state,
                          .violation = r->rows[i].violation,
                          .values = r->rows[i].values,
                          .reasons = r->rows[i].reasons,
                          .evaluator = x->s->table ? sc_table_evaluator(x->s->table) : "model"};
    return commit(r, true, got, "running");
}

/* A study that asks for proofs where none can be had runs all the same: say so. The levels of a
 * template are those of its default point. */
static sc_status say_idle_nodes(const sc_study *s)
{
    uint32_t index[SC_MAX_PARAMS];
    sc_design *d = NULL;
    if (!s->template || s->map_nodes == 0)
        return SC_OK;
    for (size_t i = 0; i < sc_template_params(s->template); i++)
        index[i] = (uint32_t)sc_template_param(s->template, i)->fallback;
    const sc_status st = sc_design_create(&d, s->template, index);
    const char *why = st == SC_OK ? sc_map_nodes_idle(d, &s->rules) : NULL;
    if (why)
        sc_log(SC_LOG_WARNING, "study %s: map_nodes has no effect %s", s->name, why);
    sc_design_destroy(d);
    return st;
}

sc_status sc_study_run(sc_study *s, sc_store *store, const sc_study_options *o,
                       sc_study_outcome *outcome)
{
    run r = {0};
    sc_stop why = SC_RUNNING;
    if (o->version != 1 || o->threads < 0)
        return sc_fail(SC_EINVAL, "study options: version must be 1, threads not negative");
    if (!s->template && !s->table)
        return sc_fail(SC_EINVAL, "study %s has an external evaluator: drive it with ask and tell",
                       s->name);
    sc_status st = say_idle_nodes(s);
    if (st == SC_OK)
        st = run_create(&r, s, store, o);
    while (st == SC_OK && (why = stop_reason(&r)) == SC_RUNNING)
        st = one_batch(&r);
    if (st == SC_OK)
        st = commit(&r, false, 0, sc_stop_name(why));
    if (st == SC_OK && why != SC_STOP_INTERRUPT)
        st = sc_details_keep(r.x, o->threads);
    if (st == SC_OK && why == SC_STOP_EXHAUSTED && sc_store_writer_counts(r.x->writer)->trials == 0)
        sc_study_say_empty(s);
    if (st == SC_OK) {
        const sc_store_counts *c = sc_store_writer_counts(r.x->writer);
        *outcome = (sc_study_outcome){.why = why,
                                      .trials = c->trials,
                                      .feasible = c->feasible,
                                      .infeasible = c->infeasible,
                                      .failed = c->failed,
                                      .evaluated = r.log.trials,
                                      .cached = r.evaluator ? sc_evaluator_cached(r.evaluator) : 0,
                                      .elapsed_s = sc_now() - r.started};
    }
    run_clear(&r);
    return st;
}
