/* Studies of recorded tables held against the true front. */
#include <math.h>
#include <omp.h>
#include <string.h>

#include "core/json.h"
#include "core/mem.h"
#include "flow/compare.h"
#include "flow/table.h"

enum { MOST_OPTIMIZERS = 64, MOST_SEEDS = 10000, MOST_MARKS = 64 };
static const uint64_t default_marks[] = {50, 100, 200, 500};

static void minimised(double *f, const sc_study *s, const double *values)
{
    for (size_t i = 0; i < s->n_objectives; i++) {
        const size_t v = s->objectives[i];
        f[i] = s->values[v].goal == SC_GOAL_MAX ? -values[v] : values[v];
    }
}

static void evaluate(const void *payload, const uint32_t *point, sc_trial *out, double *f)
{
    static const sc_trial_state states[] = {[SC_STATE_FEASIBLE] = SC_TRIAL_FEASIBLE,
                                            [SC_STATE_INFEASIBLE] = SC_TRIAL_INFEASIBLE,
                                            [SC_STATE_FAILED] = SC_TRIAL_FAILED};
    const sc_study *s = payload;
    double values[SC_STORE_MAX_VALUES];
    sc_row row = {.values = values};
    sc_table_evaluate(&row, s, point);
    out->state = states[row.state];
    out->violation = fmax(row.violation, 1e-12);
    minimised(f, s, values);
}

sc_status sc_study_know(sc_study_known *k, const sc_study *s)
{
    double volume;
    if (!s->table)
        return sc_fail(SC_EINVAL,
                       "study %s has no recorded table as its evaluator: its true front is unknown",
                       s->name);
    *k = (sc_study_known){.s = s};
    sc_space_problem(s->space, s->n_objectives, &k->problem);
    const sc_status st = sc_table_front(k->ref, &volume, &k->front, s);
    k->as = (sc_known_problem){&k->problem, k->ref, volume, evaluate, s};
    return st;
}

/* The marks asked for, in ascending order. */
static sc_status check_marks(const uint64_t **marks, size_t *n)
{
    if (*n == 0) {
        *marks = default_marks;
        *n = sizeof default_marks / sizeof *default_marks;
    }
    if (*n > MOST_MARKS)
        return sc_fail(SC_EINVAL, "at most %d numbers of evaluations", MOST_MARKS);
    for (size_t i = 0; i < *n; i++)
        if ((*marks)[i] <= (i > 0 ? (*marks)[i - 1] : 0))
            return sc_fail(SC_EINVAL, "numbers of evaluations must be above 0 and ascend");
    return SC_OK;
}

static json_t *marks_json(const uint64_t *marks, size_t n)
{
    json_t *list = json_array();
    for (size_t i = 0; i < n; i++)
        json_array_append_new(list, sc_json_count(marks[i]));
    return list;
}

/* ---- all optimisers ---- */

typedef struct field {
    const char *name[MOST_OPTIMIZERS];
    size_t n;
    size_t seeds, n_marks;
    double *share;     /* [n][seeds][n_marks] */
    double *seconds;   /* [n][seeds] */
    sc_status *status; /* [n][seeds] */
} field;

static sc_status choose(field *f, const sc_compare_options *o)
{
    for (size_t i = 0; o->n_optimizers == 0 && sc_optimizer_builtin(i); i++)
        if (sc_compare_searches(sc_optimizer_builtin(i)) && f->n < MOST_OPTIMIZERS)
            f->name[f->n++] = sc_optimizer_builtin(i);
    if (o->n_optimizers > MOST_OPTIMIZERS || o->seeds > MOST_SEEDS)
        return sc_fail(SC_EINVAL, "at most %d optimisers and %d seeds", MOST_OPTIMIZERS,
                       MOST_SEEDS);
    for (size_t i = 0; i < o->n_optimizers; i++)
        f->name[f->n++] = o->optimizers[i];
    f->seeds = o->seeds ? (size_t)o->seeds : 10;
    return SC_OK;
}

/* Run i: the seeds of one optimiser follow one another. */
static sc_status run_one(const field *f, size_t i, const sc_study_known *k, const uint64_t *marks)
{
    const sc_compare_call call = {.optimizer = f->name[i / f->seeds],
                                  .seed = k->s->seed + i % f->seeds,
                                  .batch = k->s->batch,
                                  .marks = marks,
                                  .n = f->n_marks};
    return sc_compare_run(f->share + i * f->n_marks, &f->seconds[i], &k->as, &call);
}

/* Every seed of every optimiser, run i into slot i. */
static sc_status run_all(field *f, const sc_study_known *k, const sc_compare_options *o,
                         const uint64_t *marks)
{
    const size_t count = f->n * f->seeds;
    const int threads = o->threads > 0 ? o->threads : omp_get_max_threads();
    f->share = sc_calloc(count * f->n_marks, sizeof *f->share);
    f->seconds = sc_calloc(count, sizeof *f->seconds);
    f->status = sc_calloc(count, sizeof *f->status);
    if (!f->share || !f->seconds || !f->status)
        return SC_ENOMEM;
#pragma omp parallel for schedule(dynamic, 1) num_threads(threads)
    for (size_t i = 0; i < count; i++)
        f->status[i] = run_one(f, i, k, marks);
    for (size_t i = 0; i < count; i++)
        if (f->status[i] != SC_OK)
            return run_one(f, i, k, marks); /* once more, for its message on this thread */
    return SC_OK;
}

static json_t *optimizer_json(const field *f, size_t which, double *scratch)
{
    static const char *const names[] = {"q1", "median", "q3"};
    json_t *lists[3] = {json_array(), json_array(), json_array()};
    json_t *o = json_object();
    json_object_set_new(o, "optimizer", json_string(f->name[which]));
    for (size_t j = 0; j < f->n_marks; j++) {
        for (size_t i = 0; i < f->seeds; i++)
            scratch[i] = f->share[(which * f->seeds + i) * f->n_marks + j];
        for (int q = 0; q < 3; q++)
            json_array_append_new(
                lists[q], sc_json_real(sc_compare_quantile(scratch, f->seeds, 0.25 * (q + 1))));
    }
    for (int q = 0; q < 3; q++)
        json_object_set_new(o, names[q], lists[q]);
    memcpy(scratch, f->seconds + which * f->seeds, f->seeds * sizeof *scratch);
    json_object_set_new(o, "us_per_suggestion",
                        sc_json_real(1e6 * sc_compare_quantile(scratch, f->seeds, 0.5)));
    return o;
}

static sc_status field_json(char **out, const field *f, const sc_study_known *k,
                            const uint64_t *marks)
{
    double *scratch = sc_calloc(f->seeds, sizeof *scratch);
    json_t *list = json_array();
    for (size_t i = 0; scratch && i < f->n; i++)
        json_array_append_new(list, optimizer_json(f, i, scratch));
    json_t *root = json_pack("{s:s, s:o, s:o, s:I, s:o, s:o}", "study", k->s->name, "rows",
                             sc_json_count(sc_table_rows(k->s->table)), "front",
                             sc_json_count(k->front), "seeds", (json_int_t)f->seeds, "evaluations",
                             marks_json(marks, f->n_marks), "optimizers", list);
    const sc_status st = scratch ? sc_json_write(out, root, 1) : SC_ENOMEM;
    json_decref(root);
    sc_free(scratch);
    return st;
}

sc_status sc_study_compare(char **json, const sc_study *s, const sc_compare_options *o)
{
    sc_study_known k;
    field f = {.n_marks = o->n_marks};
    const uint64_t *marks = o->marks;
    if (o->version != 1 || o->threads < 0)
        return sc_fail(SC_EINVAL, "compare options: version must be 1, threads not negative");
    sc_status st = check_marks(&marks, &f.n_marks);
    if (st == SC_OK && (st = choose(&f, o)) == SC_OK && (st = sc_study_know(&k, s)) == SC_OK &&
        (st = run_all(&f, &k, o, marks)) == SC_OK)
        st = field_json(json, &f, &k, marks);
    sc_free(f.share);
    sc_free(f.seconds);
    sc_free(f.status);
    return st;
}

/* ---- what a stored study reached ---- */

static sc_status note(json_t *list, const sc_share *share, uint64_t trials)
{
    double now;
    const sc_status st = sc_share_now(&now, share);
    if (st == SC_OK)
        json_array_append_new(list, json_pack("{s:o,s:o}", "trials", sc_json_count(trials), "share",
                                              sc_json_real(now)));
    return st;
}

/* Trials in order into the share, noted at each mark that they pass, and at their end. */
static sc_status follow(json_t *list, const sc_study_known *k, sc_store_trials *it,
                        const uint64_t *marks, size_t n)
{
    const sc_store_trial *row = NULL;
    sc_share share;
    double f[SC_MAX_OBJECTIVES];
    uint64_t told = 0;
    size_t next = 0;
    sc_status st = sc_share_open(&share, k->s->n_objectives, k->ref, k->as.volume);
    while (st == SC_OK && (st = sc_store_trials_next(&row, it)) == SC_OK && row) {
        for (; st == SC_OK && next < n && row->index >= marks[next]; next++)
            st = note(list, &share, marks[next]);
        told = row->index + 1;
        minimised(f, k->s, row->values);
        if (st == SC_OK && row->state == SC_STATE_FEASIBLE)
            st = sc_share_add(&share, f);
    }
    if (st == SC_OK && told > 0)
        st = note(list, &share, told);
    sc_share_close(&share);
    return st;
}

sc_status sc_study_share(char **json, sc_study *s, sc_store *store, const uint64_t *marks, size_t n)
{
    sc_study_known k;
    sc_store_study form;
    sc_store_trials *it = NULL;
    char id[33];
    json_t *list = json_array();
    sc_status st = check_marks(&marks, &n);
    if (st == SC_OK && s->keep.kind != SC_KEEP_ALL)
        st = sc_fail(SC_EINVAL, "study %s does not keep all its trials", s->name);
    if (st == SC_OK && (st = sc_study_know(&k, s)) == SC_OK &&
        (st = sc_study_store_form(&form, s)) == SC_OK &&
        (st = sc_store_trials_open(&it, store, sc_store_study_id(&form), SC_WHICH_ALL)) == SC_OK)
        st = follow(list, &k, it, marks, n);
    if (st == SC_OK && json_array_size(list) == 0)
        st = sc_fail(SC_ENOTFOUND, "the database has no trial of study %s", s->name);
    sc_store_trials_close(it);
    if (st == SC_OK) {
        sc_study_id(id, s);
        json_t *root = json_pack("{s:s,s:s,s:s,s:o,s:O}", "study", s->name, "id", id, "optimizer",
                                 s->optimizer, "front", sc_json_count(k.front), "shares", list);
        st = sc_json_write(json, root, 1);
        json_decref(root);
    }
    json_decref(list);
    return st;
}
