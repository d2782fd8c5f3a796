#include <inttypes.h>
#include <string.h>

#include "core/mem.h"
#include "store/writer.h"

/* ---- reading the state of a study ---- */

static sc_status read_progress(sc_store_writer *w)
{
    sc_store *s = w->store;
    const sc_cell key = sc_cell_key(&w->key);
    sqlite3_stmt *row = NULL;
    sc_status st;

    if ((st = sc_store__find(&row, s, SC_TABLE_PROGRESS, &key)) != SC_OK)
        return st;
    if (!row)
        return sc_store__corrupt(s, "a row of table progress is missing");
    const sc_cell told = sc_store__column(row, SC_PROGRESS_TOLD);
    const sc_cell status = sc_store__column(row, SC_PROGRESS_STATUS);
    if ((st = sc_ranges__decode(&w->now.told, told.bytes, told.n)) == SC_EPARSE ||
        status.n >= sizeof w->now.status)
        st = sc_store__corrupt(s, "a row of table progress has no meaning");
    if (st == SC_OK && sc_ranges__count(&w->now.told) != sc_store__counts(row).trials)
        st = sc_store__corrupt(s, "a row of table progress contradicts itself");
    if (st == SC_OK) {
        w->now.counts = sc_store__counts(row);
        w->now.checkpoint = sqlite3_column_int64(row, SC_PROGRESS_CHECKPOINT);
        memcpy(w->now.status, status.bytes, status.n);
        w->now.status[status.n] = '\0';
        w->sum = sc_store__row_sum(SC_TABLE_PROGRESS, row);
    }
    sc_store__release(row);
    return sc_store__lose_batch(s, st);
}

void sc_store__objectives(double *out, const sc_store_writer *w, const double *values)
{
    for (size_t i = 0; i < w->front.m; i++) {
        const double v = values[w->objective[i]];
        out[i] = w->info->study.values[w->objective[i]].goal == SC_GOAL_MAX ? -v : v;
    }
}

static sc_status recall(sc_store_writer *w, const sc_store_trial *t)
{
    double minimised[SC_STORE_MAX_VALUES];
    bool entered = false;
    uint64_t left = 0;
    sc_status st = SC_OK;

    if (t->flags & SC_FLAG_FRONT) {
        sc_store__objectives(minimised, w, t->values);
        st = sc_front__offer(&w->front, t->index, minimised, &entered);
    }
    if (st == SC_OK && t->flags & SC_FLAG_SAMPLE)
        st = sc_sample__offer(&w->sample, t->index, &entered, &left);
    return st;
}

static sc_status read_selection(sc_store_writer *w)
{
    const sc_store_study *study = &w->info->study;
    const sc_store_trial *t = NULL;
    sc_store_trials *it = NULL;
    sc_status st;

    sc_front__clear(&w->front);
    sc_sample__clear(&w->sample);
    w->sample.study = w->info->id;
    w->sample.wanted = (size_t)study->keep.n;
    w->front.m = 0;
    for (size_t i = 0; i < study->n_values; i++)
        if (study->values[i].goal != SC_GOAL_NONE)
            w->objective[w->front.m++] = i;
    if ((st = sc_store_trials_open(&it, w->store, w->info->id, SC_WHICH_FLAGGED)) != SC_OK)
        return st;
    while ((st = sc_store_trials_next(&t, it)) == SC_OK && t) {
        if (t->n_values != study->n_values)
            st = sc_store__corrupt(w->store, "trial %" PRIu64 " has %zu values, not %zu", t->index,
                                   t->n_values, study->n_values);
        else
            st = sc_store__lose_batch(w->store, recall(w, t));
        if (st != SC_OK)
            break;
    }
    sc_store_trials_close(it);
    return st;
}

/* ---- opening ---- */

static sc_status same_list(const sc_store_study *a, const sc_store_study *b)
{
    bool same = a->n_parameters == b->n_parameters && a->n_values == b->n_values;
    for (size_t i = 0; same && i < a->n_parameters; i++)
        same = strcmp(a->parameters[i], b->parameters[i]) == 0;
    for (size_t i = 0; same && i < a->n_values; i++)
        same = strcmp(a->values[i].name, b->values[i].name) == 0 &&
               a->values[i].goal == b->values[i].goal;
    return same ? SC_OK : SC_EINVAL;
}

/* The stored study against the one asked for; the ID holds what is not compared here. */
static sc_status agree(const sc_store *s, const sc_store_info *stored, const sc_store_study *asked)
{
    const sc_store_study *study = &stored->study;
    char id[SC_ID_HEX];
    char keep[SC_STORE_KEEP_LEN];

    sc_hash_id(stored->id, id);
    if (strcmp(study->name, asked->name) != 0)
        return sc_fail(SC_EINVAL,
                       "%s: this study is in the database under the name '%.64s' (%s): use that "
                       "name, or delete it first",
                       s->path, study->name, id);
    if (study->keep.kind != asked->keep.kind || study->keep.n != asked->keep.n)
        return sc_fail(SC_EINVAL,
                       "%s: study '%.64s' (%s) was begun with keep: %s: keep that, or delete it "
                       "first",
                       s->path, study->name, id, sc_store_keep_text(keep, study->keep));
    if (same_list(study, asked) != SC_OK)
        return sc_fail(SC_EINVAL,
                       "%s: study '%.64s' (%s) is in the database with other parameters or values",
                       s->path, study->name, id);
    return SC_OK;
}

static sc_status insert_rows(sc_store *s, const sc_store_study *study)
{
    const sc_key id = sc_store__key(sc_store_study_id(study));
    const sc_cell progress[] = {
        [SC_PROGRESS_STUDY] = sc_cell_key(&id),     [SC_PROGRESS_STATUS] = sc_cell_text("new"),
        [SC_PROGRESS_TRIALS] = sc_cell_int(0),      [SC_PROGRESS_FEASIBLE] = sc_cell_int(0),
        [SC_PROGRESS_INFEASIBLE] = sc_cell_int(0),  [SC_PROGRESS_FAILED] = sc_cell_int(0),
        [SC_PROGRESS_KEPT] = sc_cell_int(0),        [SC_PROGRESS_CHECKPOINT] = sc_cell_int(-1),
        [SC_PROGRESS_TOLD] = sc_cell_blob(NULL, 0),
    };
    sc_added how = SC_SAME;
    sc_status st = sc_store__study_insert(&how, s, study);
    /* Another process may have been faster: then its rows stand, and are compared like any. */
    return st == SC_OK && how == SC_ADDED ? sc_store__insert(&how, s, SC_TABLE_PROGRESS, progress)
                                          : st;
}

static sc_status create(sc_store *s, const sc_store_study *study)
{
    sc_status st;
    if ((st = sc_store_begin(s)) != SC_OK)
        return st;
    if ((st = insert_rows(s, study)) != SC_OK) {
        sc_store_rollback(s);
        return st;
    }
    return sc_store_commit(s);
}

sc_status sc_store_writer_open(sc_store_writer **out, sc_store *s, const sc_store_study *study)
{
    sc_store_writer *w = NULL;
    sc_status st;

    if ((st = sc_store_check_study(study)) != SC_OK)
        return st;
    if (s->in_batch)
        return sc_fail(SC_EINVAL, "%s: a study cannot be opened within a batch", s->path);
    if (!(w = sc_calloc(1, sizeof *w)))
        return SC_ENOMEM;
    w->store = s;
    const sc_hash128 id = sc_store_study_id(study);
    w->key = sc_store__key(id);
    st = sc_store_info_open(&w->info, s, id);
    if (st == SC_ENOTFOUND && (st = create(s, study)) == SC_OK)
        st = sc_store_info_open(&w->info, s, id);
    if (st != SC_OK || (st = agree(s, w->info, study)) != SC_OK ||
        (st = sc_store__read_begin(s)) != SC_OK)
        goto done;
    if ((st = read_progress(w)) == SC_OK)
        st = read_selection(w);
    sc_store__read_end(s);
    if (st == SC_OK) {
        *out = w;
        w = NULL;
    }
done:
    sc_store_writer_close(w);
    return st;
}

void sc_store_writer_close(sc_store_writer *w)
{
    if (!w)
        return;
    if (w->touched) { /* its part of the batch has nobody to finish it */
        sc_store *s = w->store;
        s->batch_lost = true;
        for (sc_store_writer **p = &s->touched; *p; p = &(*p)->next) {
            if (*p == w) {
                *p = w->next;
                break;
            }
        }
    }
    sc_store_info_close(w->info);
    sc_front__clear(&w->front);
    sc_sample__clear(&w->sample);
    sc_ranges__clear(&w->now.told);
    sc_ranges__clear(&w->before.told);
    sc_free(w);
}

sc_hash128 sc_store_writer_id(const sc_store_writer *w)
{
    return w->info->id;
}

const sc_store_counts *sc_store_writer_counts(const sc_store_writer *w)
{
    return &w->now.counts;
}

bool sc_store_writer_told(const sc_store_writer *w, uint64_t index)
{
    return sc_ranges__has(&w->now.told, index);
}

/* ---- taking part in a batch ---- */

static sc_status copy_progress(struct sc_progress_state *to, const struct sc_progress_state *from)
{
    sc_ranges told = to->told;
    const sc_status st = sc_ranges__copy(&told, &from->told);
    to->told = told;
    if (st != SC_OK)
        return st;
    *to = *from;
    to->told = told;
    return SC_OK;
}

bool sc_store_writer_stale(sc_store_writer *w)
{
    const sc_cell key = sc_cell_key(&w->key);
    sqlite3_stmt *row = NULL;
    if (sc_store__find(&row, w->store, SC_TABLE_PROGRESS, &key) != SC_OK)
        return false;
    const bool stale = !row || sc_store__row_sum(SC_TABLE_PROGRESS, row) != w->sum;
    sc_store__release(row);
    return stale;
}

/* Another process that moved the study on would have its work overwritten by ours. */
static sc_status check_unchanged(sc_store_writer *w)
{
    const sc_cell key = sc_cell_key(&w->key);
    sqlite3_stmt *row = NULL;
    char id[SC_ID_HEX];
    sc_status st;

    if ((st = sc_store__find(&row, w->store, SC_TABLE_PROGRESS, &key)) != SC_OK)
        return st;
    if (!row || sc_store__row_sum(SC_TABLE_PROGRESS, row) != w->sum) {
        sc_hash_id(w->info->id, id);
        w->store->moved_on = row != NULL;
        st = sc_store__lose_batch(
            w->store,
            sc_fail(SC_ESTORE,
                    "%s: study '%.64s' (%s) was %s by another process, and nothing of ours was "
                    "written: run the same command again%s",
                    w->store->path, w->info->study.name, id, row ? "moved on" : "deleted",
                    row ? ", it goes on from there" : " to begin anew"));
    }
    sc_store__release(row);
    return st;
}

sc_status sc_store__touch(sc_store_writer *w)
{
    sc_store *s = w->store;
    sc_status st;

    if (!s->in_batch)
        return sc_fail(SC_EINVAL, "%s: a study is written in batches only", s->path);
    if (w->touched)
        return SC_OK;
    if ((st = check_unchanged(w)) != SC_OK || (w->stale && (st = read_selection(w)) != SC_OK))
        return st;
    w->stale = false;
    if ((st = copy_progress(&w->before, &w->now)) != SC_OK)
        return sc_store__lose_batch(s, st);
    w->touched = true;
    w->changed = false;
    w->next = s->touched;
    s->touched = w;
    return SC_OK;
}

static sc_status save(sc_store_writer *w)
{
    const struct sc_progress_state *p = &w->now;
    sc_status st;

    if (!w->changed)
        return SC_OK;
    if (p->checkpoint >= 0 && (uint64_t)p->checkpoint != p->counts.trials)
        return sc_fail(
            SC_EINVAL,
            "%s: a batch told trials without the checkpoint that knows them, or after it",
            w->store->path);
    const size_t n = sc_ranges__bytes(&p->told);
    unsigned char *told = sc_malloc(n);
    if (!told)
        return SC_ENOMEM;
    sc_ranges__encode(&p->told, told);
    const sc_cell cells[] = {
        [SC_PROGRESS_STUDY] = sc_cell_key(&w->key),
        [SC_PROGRESS_STATUS] = sc_cell_text(p->status),
        [SC_PROGRESS_TRIALS] = sc_cell_int((int64_t)p->counts.trials),
        [SC_PROGRESS_FEASIBLE] = sc_cell_int((int64_t)p->counts.feasible),
        [SC_PROGRESS_INFEASIBLE] = sc_cell_int((int64_t)p->counts.infeasible),
        [SC_PROGRESS_FAILED] = sc_cell_int((int64_t)p->counts.failed),
        [SC_PROGRESS_KEPT] = sc_cell_int((int64_t)p->counts.kept),
        [SC_PROGRESS_CHECKPOINT] = sc_cell_int(p->checkpoint),
        [SC_PROGRESS_TOLD] = sc_cell_blob(told, n),
    };
    st = sc_store__upsert(&w->new_sum, w->store, SC_TABLE_PROGRESS, cells);
    sc_free(told);
    return st;
}

sc_status sc_store__writers_save(sc_store *s)
{
    for (sc_store_writer *w = s->touched; w; w = w->next) {
        const sc_status st = save(w);
        if (st != SC_OK)
            return st;
    }
    return SC_OK;
}

void sc_store__writers_release(sc_store *s, bool committed)
{
    while (s->touched) {
        sc_store_writer *w = s->touched;
        s->touched = w->next;
        w->next = NULL;
        w->touched = false;
        if (committed && w->changed) {
            w->sum = w->new_sum;
        } else if (!committed) {
            const struct sc_progress_state undone = w->now;
            w->now = w->before;
            w->before = undone;
            w->stale = true;
        }
    }
}
