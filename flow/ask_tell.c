#include <math.h>
#include <string.h>

#include "core/json.h"
#include "core/log.h"
#include "flow/details.h"
#include "flow/evaluator.h"
#include "flow/session.h"

enum { MOST_TRIES = 1000 };

static json_t *params_json(const sc_space *space, const uint32_t *point)
{
    json_t *o = json_object();
    double values[SC_MAX_PARAMS];
    sc_space_values(space, point, values);
    for (size_t i = 0; i < sc_space_params(space); i++) {
        const sc_space_param *p = sc_space_param_at(space, i);
        json_object_set_new(
            o, p->name, p->labels ? json_string(p->labels[point[i]]) : sc_json_number(values[i]));
    }
    return o;
}

static void id_of(char id[SC_ID_HEX], const sc_session *x, const uint32_t *point)
{
    sc_hash_id(sc_space_fingerprint(x->s->space, point), id);
}

static sc_status asked_json(char **out, const sc_session *x, size_t first)
{
    json_t *list = json_array();
    for (size_t i = first; i < x->n_pending; i++) {
        char id[SC_ID_HEX];
        json_t *o = json_object();
        id_of(id, x, x->pending[i].point);
        json_object_set_new(o, "id", json_string(id));
        json_object_set_new(o, "params", params_json(x->s->space, x->pending[i].point));
        json_array_append_new(list, o);
    }
    const sc_status st = sc_json_write(out, list, 1);
    json_decref(list);
    return st;
}

/* Points proposed so far count against the budget of trials. */
static size_t within_budget(const sc_session *x, size_t n)
{
    if (x->s->trials == 0)
        return n;
    const uint64_t left = x->s->trials > x->next_index ? x->s->trials - x->next_index : 0;
    return left < n ? (size_t)left : n;
}

/* Another process may write between our reading and our writing, one of us then finds that the
 * study was moved on. Whoever loses reads anew; as somebody wins each time, all land in the end. */
static bool again(sc_status st, const sc_store *store, unsigned *tries)
{
    return st == SC_ESTORE && sc_store_moved_on(store) && ++*tries < MOST_TRIES;
}

static sc_status ask_once(char **json, sc_study *s, sc_store *store, size_t n)
{
    sc_session *x = NULL;
    char *text = NULL;
    size_t got;
    sc_status st = sc_session_open(&x, s, store);
    if (st != SC_OK)
        return st;
    const size_t first = x->n_pending;
    for (size_t left = within_budget(x, n); left > 0 && !x->exhausted; left -= got)
        if ((st = sc_session_propose(x, left, &got)) != SC_OK)
            goto done;
    if (x->exhausted && x->next_index == 0)
        sc_study_say_empty(s);
    if ((st = asked_json(&text, x, first)) != SC_OK || (st = sc_store_begin(store)) != SC_OK)
        goto done;
    if ((st = sc_session_checkpoint(x)) != SC_OK || (st = sc_details_keep_form(x)) != SC_OK ||
        (st = sc_store_put_status(x->writer, "asked")) != SC_OK) {
        sc_store_rollback(store);
        goto done;
    }
    if ((st = sc_store_commit(store)) != SC_OK)
        goto done;
    *json = text;
    text = NULL;
done:
    sc_free(text);
    sc_session_close(x);
    return st;
}

sc_status sc_study_ask(char **json, sc_study *s, sc_store *store, size_t n)
{
    unsigned tries = 0;
    sc_status st;
    do
        st = ask_once(json, s, store, n);
    while (again(st, store, &tries));
    return st;
}

sc_status sc_study_waiting(char **json, sc_study *s, sc_store *store)
{
    sc_session *x = NULL;
    sc_status st = sc_session_open(&x, s, store);
    if (st == SC_OK)
        st = asked_json(json, x, 0);
    sc_session_close(x);
    return st;
}

/* ---- tell ---- */

/* One told object, checked; reasons is owned JSON text. */
typedef struct told {
    size_t pending; /* SIZE_MAX: told before */
    sc_row row;
    char *reasons;
} told;

/* Metrics that the study does not know are left out, their names kept in strange. */
static sc_status read_metrics(told *t, const sc_study *s, const char *id, const json_t *metrics,
                              json_t *strange)
{
    const char *name;
    json_t *value;
    json_object_foreach((json_t *)metrics, name, value)
    {
        size_t v = 0;
        while (v < s->n_values && strcmp(s->values[v].name, name) != 0)
            v++;
        if (v == s->n_values) { /* more than the study asks for is fine, but may be a slip */
            json_object_set_new(strange, name, json_string(id));
            continue;
        }
        if (!json_is_number(value))
            return sc_fail(SC_EINVAL, "id %s: metric '%s' is no number", id, name);
        t->row.values[v] = json_number_value(value);
    }
    for (size_t v = 0; v < s->n_values; v++)
        if (isnan(t->row.values[v]))
            return sc_fail(SC_EINVAL, "id %s: metric '%s' is missing", id, s->values[v].name);
    sc_study_judge(&t->row, s, false);
    return SC_OK;
}

static sc_status keep_reason(told *t, const char *code, const char *text)
{
    json_t *r = json_pack("[{s:s,s:s}]", "code", code, "where", text);
    const sc_status st = r ? sc_json_write(&t->reasons, r, 0) : SC_ENOMEM;
    json_decref(r);
    return st;
}

static sc_status read_outcome(told *t, const sc_study *s, const json_t *o, json_t *strange)
{
    const char *id = json_string_value(json_object_get(o, "id"));
    const json_t *metrics = json_object_get(o, "metrics");
    const char *infeasible = json_string_value(json_object_get(o, "infeasible"));
    const char *failed = json_string_value(json_object_get(o, "failed"));
    if ((metrics != NULL) + (infeasible != NULL) + (failed != NULL) != 1)
        return sc_fail(SC_EINVAL,
                       "id %s: say one of \"metrics\": {...}, \"infeasible\": \"reason\", "
                       "\"failed\": \"reason\"",
                       id);
    if (metrics && !json_is_object(metrics))
        return sc_fail(SC_EINVAL, "id %s: \"metrics\" is no object", id);
    if (metrics)
        return read_metrics(t, s, id, metrics, strange);
    t->row.state = infeasible ? SC_STATE_INFEASIBLE : SC_STATE_FAILED;
    return keep_reason(t, infeasible ? "told" : "failed", infeasible ? infeasible : failed);
}

/* Whether a result that was told before is told the same again. */
static bool same_outcome(const sc_store_trial *row, const told *t)
{
    if (row->state != t->row.state)
        return false;
    if (row->state != SC_STATE_FEASIBLE)
        return true; /* another reason for the same outcome is no other result */
    for (size_t v = 0; v < row->n_values; v++)
        if (row->values[v] != t->row.values[v])
            return false;
    return true;
}

/* An ID that is not pending must be a trial of this study, with the same outcome. Whether it is one
 * is said before anything about what was told of it. */
static sc_status read_told_before(told *t, const sc_session *x, const json_t *o, json_t *strange)
{
    const char *id = json_string_value(json_object_get(o, "id"));
    sc_store_trials *it = NULL;
    const sc_store_trial *row = NULL;
    char mine[SC_ID_HEX] = "";
    sc_status st = sc_store_trials_open(&it, x->store, sc_store_writer_id(x->writer), SC_WHICH_ALL);
    while (st == SC_OK && strcmp(mine, id) != 0 && (st = sc_store_trials_next(&row, it)) == SC_OK &&
           row)
        sc_hash_id(row->point, mine);
    if (st == SC_OK && !row)
        st = sc_fail(SC_ENOTFOUND, "id %s was never asked of study %s", id, x->s->name);
    else if (st == SC_OK && (st = read_outcome(t, x->s, o, strange)) == SC_OK &&
             !same_outcome(row, t))
        st = sc_fail(SC_EINVAL,
                     "id %s was told otherwise before: its first result stands, nothing is changed",
                     id);
    sc_store_trials_close(it);
    return st;
}

static size_t find_pending(const sc_session *x, const char *id)
{
    char mine[SC_ID_HEX];
    for (size_t i = 0; i < x->n_pending; i++) {
        id_of(mine, x, x->pending[i].point);
        if (strcmp(mine, id) == 0)
            return i;
    }
    return SIZE_MAX;
}

static sc_status read_told(told *t, const sc_session *x, const json_t *o, double *values,
                           json_t *strange)
{
    const char *id = json_string_value(json_object_get(o, "id"));
    if (!json_is_object(o) || !id)
        return sc_fail(SC_EINVAL, "each result is an object with an \"id\" as `ask` gave it");
    t->row.state = SC_STATE_FEASIBLE;
    t->row.values = values;
    for (size_t v = 0; v < x->s->n_values; v++)
        values[v] = (double)NAN;
    t->pending = find_pending(x, id);
    return t->pending == SIZE_MAX ? read_told_before(t, x, o, strange)
                                  : read_outcome(t, x->s, o, strange);
}

/* Say once of each name what was left out. */
static void warn_of_strange(const sc_study *s, json_t *strange)
{
    const char *name;
    json_t *id;
    json_object_foreach(strange, name, id)
    {
        const char *near = NULL, *names[SC_STORE_MAX_VALUES];
        for (size_t v = 0; v < s->n_values; v++)
            names[v] = s->values[v].name;
        near = sc_nearest(name, names, s->n_values);
        sc_log(SC_LOG_WARNING, "metric '%s' (of id %s) is no metric of study %s: left out%s%s%s",
               name, json_string_value(id), s->name, near ? " (did you mean '" : "",
               near ? near : "", near ? "'?)" : "");
    }
}

static int by_position(const void *a, const void *b)
{
    const size_t x = ((const sc_finished *)a)->pending, y = ((const sc_finished *)b)->pending;
    return (x > y) - (x < y);
}

/* The new ones among the told, by position; the same id twice in one message is an error. */
static sc_status gather(sc_finished *done, size_t *n_new, const told *t, size_t n)
{
    *n_new = 0;
    for (size_t i = 0; i < n; i++)
        if (t[i].pending != SIZE_MAX)
            done[(*n_new)++] =
                (sc_finished){.pending = t[i].pending,
                              .state = t[i].row.state,
                              .violation = t[i].row.violation,
                              .values = t[i].row.values,
                              .reasons = t[i].reasons ? t[i].reasons : t[i].row.reasons,
                              .evaluator = "external"};
    qsort(done, *n_new, sizeof *done, by_position);
    for (size_t i = 1; i < *n_new; i++)
        if (done[i].pending == done[i - 1].pending)
            return sc_fail(SC_EINVAL, "one id stands twice among the results");
    return SC_OK;
}

static sc_status commit_told(sc_session *x, const sc_finished *done, size_t n)
{
    sc_status st = n > 0 ? sc_store_begin(x->store) : SC_OK;
    if (st != SC_OK || n == 0)
        return st;
    if ((st = sc_session_finish(x, done, n)) != SC_OK ||
        (st = sc_store_put_status(x->writer, "told")) != SC_OK) {
        sc_store_rollback(x->store);
        return st;
    }
    return sc_store_commit(x->store);
}

static sc_status tell_once(sc_study *s, sc_store *store, const json_t *root, uint64_t *n_told)
{
    json_t *strange = json_object();
    sc_session *x = NULL;
    told *t = NULL;
    sc_finished *done = NULL;
    double *values = NULL;
    size_t n = 0, n_new = 0;
    sc_status st = sc_session_open(&x, s, store);
    if (st != SC_OK)
        goto done;
    n = json_is_array(root) ? json_array_size(root) : 1;
    t = sc_calloc(n, sizeof *t);
    done = sc_calloc(n, sizeof *done);
    values = sc_calloc(n * s->n_values, sizeof *values);
    if (!t || !done || !values) {
        st = SC_ENOMEM;
        goto done;
    }
    for (size_t i = 0; i < n && st == SC_OK; i++)
        st = read_told(&t[i], x, json_is_array(root) ? json_array_get(root, i) : root,
                       values + i * s->n_values, strange);
    if (st == SC_OK && (st = gather(done, &n_new, t, n)) == SC_OK)
        st = commit_told(x, done, n_new);
    if (st == SC_OK)
        warn_of_strange(s, strange);
    if (st == SC_OK && n_told)
        *n_told = n_new;
done:
    for (size_t i = 0; t && i < n; i++)
        sc_free(t[i].reasons);
    sc_free(values);
    sc_free(done);
    sc_free(t);
    sc_session_close(x);
    json_decref(strange);
    return st;
}

sc_status sc_study_tell(sc_study *s, sc_store *store, const char *json, uint64_t *n_told)
{
    json_t *root = NULL;
    unsigned tries = 0;
    sc_status st = sc_json_parse(&root, "results", json, strlen(json));
    if (st != SC_OK)
        return st;
    do
        st = tell_once(s, store, root, n_told);
    while (again(st, store, &tries));
    json_decref(root);
    return st;
}
