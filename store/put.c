#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "core/json.h"
#include "store/bytes.h"
#include "store/params.h"
#include "store/writer.h"

/* ---- what a trial may be ---- */

bool sc_store__is_fit(sc_store_state state, double value)
{
    return state == SC_STATE_FAILED || isfinite(value) ||
           (state == SC_STATE_INFEASIBLE && isnan(value));
}

static sc_status check_numbers(const sc_store_writer *w, const sc_store_trial *t)
{
    const bool feasible = t->state == SC_STATE_FEASIBLE;

    if (t->state > SC_STATE_FAILED)
        return sc_fail(SC_EINVAL, "trial %" PRIu64 " has no state", t->index);
    if (t->n_values != w->info->study.n_values || (t->n_values && !t->values))
        return sc_fail(SC_EINVAL, "trial %" PRIu64 " has %zu values, the study %zu", t->index,
                       t->n_values, w->info->study.n_values);
    if (t->state == SC_STATE_FAILED)
        return SC_OK;
    if (!isfinite(t->violation) || t->violation < 0 || (feasible && t->violation > 0))
        return sc_fail(SC_EINVAL, "trial %" PRIu64 " is %s with the violation %g", t->index,
                       sc_store_state_name(t->state), t->violation);
    for (size_t i = 0; i < t->n_values; i++)
        if (!sc_store__is_fit(t->state, t->values[i]))
            return sc_fail(SC_EINVAL, "trial %" PRIu64 " is %s with %s = %g", t->index,
                           sc_store_state_name(t->state), w->info->study.values[i].name,
                           t->values[i]);
    return SC_OK;
}

sc_status sc_store__check_reasons(const char *reasons)
{
    json_t *list = NULL;
    sc_status st;

    if (!reasons || !reasons[0])
        return SC_OK;
    if ((st = sc_store__check_text("list of reasons", reasons, false)) != SC_OK)
        return st;
    st = sc_json_parse(&list, "reasons", reasons, strlen(reasons));
    if (st == SC_OK && !json_is_array(list))
        st = sc_fail(SC_EINVAL, "reasons are no JSON array");
    json_decref(list);
    return st == SC_EPARSE ? SC_EINVAL : st;
}

static sc_status check_trial(const sc_store_writer *w, const sc_store_trial *t)
{
    const sc_store_study *study = &w->info->study;
    sc_status st;

    if (t->index > INT64_MAX)
        return sc_fail(SC_EINVAL, "trial index %" PRIu64 " is not below 2^63", t->index);
    if ((st = check_numbers(w, t)) != SC_OK ||
        (st = sc_store__check_text("parameters", t->parameters, false)) != SC_OK ||
        (st = sc_params__check(t->parameters, study->parameters, study->n_parameters)) != SC_OK ||
        (st = sc_store__check_text("evaluator", t->evaluator, true)) != SC_OK ||
        (st = sc_store__check_text("model version", t->model_version, true)) != SC_OK)
        return st;
    return sc_store__check_reasons(t->reasons);
}

/* ---- its row ---- */

/* What the cells of a row point to. */
struct trial_cells {
    sc_key point;
    unsigned char numbers[8 * (1 + SC_STORE_MAX_VALUES)];
    sc_cell cell[SC_TRIAL_FLAGS + 1];
};

static void fill(struct trial_cells *c, const sc_store_writer *w, const sc_store_trial *t,
                 unsigned flags)
{
    c->point = sc_store__key(t->point);
    sc_put_double(c->numbers, t->violation);
    for (size_t i = 0; i < t->n_values; i++)
        sc_put_double(c->numbers + 8 * (1 + i), t->values[i]);
    c->cell[SC_TRIAL_STUDY] = sc_cell_key(&w->key);
    c->cell[SC_TRIAL_INDEX] = sc_cell_int((int64_t)t->index);
    c->cell[SC_TRIAL_POINT] = sc_cell_key(&c->point);
    c->cell[SC_TRIAL_PARAMETERS] = sc_cell_text(t->parameters);
    c->cell[SC_TRIAL_STATE] = sc_cell_int(t->state);
    c->cell[SC_TRIAL_NUMBERS] = sc_cell_blob(c->numbers, 8 * (1 + t->n_values));
    c->cell[SC_TRIAL_REASONS] = sc_cell_text(t->reasons ? t->reasons : "");
    c->cell[SC_TRIAL_EVALUATOR] = sc_cell_text(t->evaluator);
    c->cell[SC_TRIAL_MODEL] = sc_cell_text(t->model_version);
    c->cell[SC_TRIAL_FLAGS] = sc_cell_int((int64_t)flags);
}

/* A trial told again: the same, flags apart, or a conflict. */
static sc_status compare(sc_store_writer *w, const sc_store_trial *t)
{
    sc_store *s = w->store;
    struct trial_cells c;
    sqlite3_stmt *row = NULL;
    uint64_t sum = 0;
    char id[SC_ID_HEX];
    sc_status st;

    fill(&c, w, t, 0);
    if ((st = sc_store__find(&row, s, SC_TABLE_TRIALS, c.cell)) != SC_OK)
        return st;
    if (!row) /* the policy dropped it */
        return SC_OK;
    c.cell[SC_TRIAL_FLAGS] = sc_store__column(row, SC_TRIAL_FLAGS);
    if ((st = sc_store__sum(&sum, s, SC_TABLE_TRIALS, c.cell)) == SC_OK &&
        sum != sc_store__row_sum(SC_TABLE_TRIALS, row)) {
        sc_hash_id(w->info->id, id);
        st = sc_store__lose_batch(s, sc_fail(SC_ESTORE,
                                             "%s: trial %" PRIu64
                                             " of study %s is in the database with another result; "
                                             "neither was changed",
                                             s->path, t->index, id));
    }
    sc_store__release(row);
    return st;
}

/* ---- what is kept ---- */

/* Take a flag from a row; a row that was kept for its flags alone goes with the last one. */
static sc_status lower_flag(sc_store_writer *w, uint64_t index, unsigned flag)
{
    sc_store *s = w->store;
    const sc_store_keep_kind keep = w->info->study.keep.kind;
    const sc_cell keys[] = {sc_cell_key(&w->key), sc_cell_int((int64_t)index)};
    const bool for_flags = keep == SC_KEEP_PARETO || keep == SC_KEEP_SAMPLE;
    sc_cell cells[SC_TRIAL_FLAGS + 1];
    sqlite3_stmt *row = NULL;
    sc_status st;

    if ((st = sc_store__find(&row, s, SC_TABLE_TRIALS, keys)) != SC_OK)
        return st;
    if (!row)
        return sc_store__corrupt(s, "trial %" PRIu64 " of the front or sample is missing", index);
    for (int i = 0; i <= SC_TRIAL_FLAGS; i++)
        cells[i] = sc_store__column(row, i);
    cells[SC_TRIAL_FLAGS].i &= ~(int64_t)flag;
    if (for_flags && cells[SC_TRIAL_FLAGS].i == 0) {
        sc_store__release(row);
        w->now.counts.kept--;
        return sc_store__delete(s, SC_TABLE_TRIALS, keys);
    }
    st = sc_store__update_found(s, SC_TABLE_TRIALS, row, cells);
    sc_store__release(row);
    return st;
}

static bool is_kept(const sc_store_writer *w, const sc_store_trial *t, unsigned flags)
{
    switch (w->info->study.keep.kind) {
    case SC_KEEP_ALL: return true;
    case SC_KEEP_FEASIBLE: return t->state == SC_STATE_FEASIBLE;
    case SC_KEEP_PARETO:
    case SC_KEEP_SAMPLE: return flags != 0;
    }
    return true;
}

/* Offer the trial to the front and the sample. *left = the index that left the sample. */
static sc_status select_trial(unsigned *flags, uint64_t *left, sc_store_writer *w,
                              const sc_store_trial *t)
{
    double minimised[SC_STORE_MAX_VALUES];
    bool on_front = false;
    bool in_sample = false;
    sc_status st;

    w->front.n_gone = 0;
    if (t->state == SC_STATE_FEASIBLE) {
        sc_store__objectives(minimised, w, t->values);
        if ((st = sc_front__offer(&w->front, t->index, minimised, &on_front)) != SC_OK)
            return st;
    }
    if ((st = sc_sample__offer(&w->sample, t->index, &in_sample, left)) != SC_OK)
        return st;
    *flags = (on_front ? SC_FLAG_FRONT : 0U) | (in_sample ? SC_FLAG_SAMPLE : 0U);
    return SC_OK;
}

static void count(sc_store_counts *counts, sc_store_state state)
{
    counts->trials++;
    counts->feasible += state == SC_STATE_FEASIBLE;
    counts->infeasible += state == SC_STATE_INFEASIBLE;
    counts->failed += state == SC_STATE_FAILED;
}

static sc_status tell(sc_store_writer *w, const sc_store_trial *t)
{
    struct trial_cells c;
    unsigned flags = 0;
    uint64_t left = UINT64_MAX;
    sc_added how = SC_ADDED;
    sc_status st;

    if ((st = sc_ranges__add(&w->now.told, t->index)) != SC_OK ||
        (st = select_trial(&flags, &left, w, t)) != SC_OK)
        return st;
    count(&w->now.counts, t->state);
    if (is_kept(w, t, flags)) {
        fill(&c, w, t, flags);
        if ((st = sc_store__insert(&how, w->store, SC_TABLE_TRIALS, c.cell)) != SC_OK)
            return st;
        if (how != SC_ADDED)
            return sc_store__corrupt(w->store, "trial %" PRIu64 " is there but was never told",
                                     t->index);
        w->now.counts.kept++;
    }
    for (size_t i = 0; i < w->front.n_gone; i++)
        if ((st = lower_flag(w, w->front.gone[i], SC_FLAG_FRONT)) != SC_OK)
            return st;
    return left == UINT64_MAX ? SC_OK : lower_flag(w, left, SC_FLAG_SAMPLE);
}

sc_status sc_store_put_trial(sc_store_writer *w, const sc_store_trial *t)
{
    sc_status st;

    if ((st = check_trial(w, t)) != SC_OK || (st = sc_store__touch(w)) != SC_OK)
        return st;
    if (sc_ranges__has(&w->now.told, t->index))
        return compare(w, t);
    w->changed = true;
    return sc_store__lose_batch(w->store, tell(w, t));
}

/* ---- the rest of a study ---- */

sc_status sc_store_put_checkpoint(sc_store_writer *w, const void *bytes, size_t n)
{
    const sc_cell cells[] = {sc_cell_key(&w->key), sc_cell_int((int64_t)w->now.counts.trials),
                             sc_cell_blob(bytes, n)};
    sc_status st;

    if (n > SC_STORE_MAX_BLOB)
        return sc_fail(SC_EINVAL, "a checkpoint of %zu bytes is over the %d allowed", n,
                       SC_STORE_MAX_BLOB);
    if ((st = sc_store__touch(w)) != SC_OK ||
        (st = sc_store__upsert(NULL, w->store, SC_TABLE_CHECKPOINTS, cells)) != SC_OK)
        return st;
    w->now.checkpoint = (int64_t)w->now.counts.trials;
    w->changed = true;
    return SC_OK;
}

sc_status sc_store_put_status(sc_store_writer *w, const char *status)
{
    sc_status st;

    if ((st = sc_store__check_text("status", status, true)) != SC_OK)
        return st;
    if (strlen(status) >= SC_STATUS_LEN)
        return sc_fail(SC_EINVAL, "a status has at most %d bytes", SC_STATUS_LEN - 1);
    if ((st = sc_store__touch(w)) != SC_OK)
        return st;
    memcpy(w->now.status, status, strlen(status) + 1);
    w->changed = true;
    return SC_OK;
}

sc_status sc_store_put_run(sc_store_writer *w, const sc_store_run *run)
{
    const sc_cell cells[] = {
        sc_cell_key(&w->key),
        sc_cell_int((int64_t)run->number),
        sc_cell_int(run->started_ms),
        sc_cell_int((int64_t)run->elapsed_ms),
        sc_cell_int((int64_t)run->first_trial),
        sc_cell_int((int64_t)run->trials),
        sc_cell_int((int64_t)run->threads),
    };
    sc_status st;

    if (run->number > INT64_MAX || run->elapsed_ms > INT64_MAX || run->first_trial > INT64_MAX ||
        run->trials > INT64_MAX || run->threads > INT64_MAX)
        return sc_fail(SC_EINVAL, "a figure of a run is not below 2^63");
    if ((st = sc_store__touch(w)) != SC_OK)
        return st;
    return sc_store__upsert(NULL, w->store, SC_TABLE_RUNS, cells);
}
