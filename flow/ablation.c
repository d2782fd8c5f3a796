#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/json.h"
#include "flow/study.h"
#include "model/net/rules.h"

/* The best feasible trial of a rung by the first objective; of equal ones the first. */
typedef struct best_trial {
    bool found;
    uint64_t index;
    double value;
    char id[SC_ID_HEX]; /* as best and trials print it */
} best_trial;

typedef struct rung_result {
    sc_study_outcome outcome;
    best_trial best;
    double baseline; /* first objective of the baseline under the rung's rules; NaN: none */
    char id[33];
} rung_result;

static bool maximised(const sc_study *s)
{
    return s->values[s->objectives[0]].goal == SC_GOAL_MAX;
}

/* How many times as good a is as b; NaN where either is not there. */
static double ratio(const sc_study *s, double a, double b)
{
    return maximised(s) ? a / b : b / a;
}

static void consider(best_trial *best, const sc_study *s, const sc_store_trial *row)
{
    const double value = row->values[s->objectives[0]];
    const bool better = maximised(s) ? value > best->value : value < best->value;
    const bool first = value == best->value && row->index < best->index;
    if (best->found && !better && !first)
        return;
    *best = (best_trial){.found = true, .index = row->index, .value = value};
    sc_hash_id(row->point, best->id);
}

static sc_status find_best(best_trial *best, const sc_study *s, sc_store *store)
{
    const sc_store_study key = {
        .config_hash = s->config_hash, .seed = s->seed, .model_version = sc_model_version()};
    sc_store_trials *it = NULL;
    const sc_store_trial *row = NULL;
    sc_status st = sc_store_trials_open(&it, store, sc_store_study_id(&key), SC_WHICH_FRONT);
    while (st == SC_OK && (st = sc_store_trials_next(&row, it)) == SC_OK && row)
        consider(best, s, row);
    sc_store_trials_close(it);
    return st;
}

/* The baseline's first objective under the rules of a rung, at its own best setting under them. */
static sc_status baseline_under(double *out, const char *path, const sc_rules *rules)
{
    sc_study *s = NULL;
    sc_status st = sc_study_open(&s, path, NULL);
    *out = (double)NAN;
    if (st == SC_OK && s->baseline) {
        s->baseline_rules = *rules;
        if ((st = sc_study_find_baseline(s)) == SC_OK)
            *out = s->baseline_values[s->objectives[0]];
    }
    sc_study_close(s);
    return st;
}

static sc_status run_rung(rung_result *r, const char *path, const sc_study_overrides *o,
                          const sc_rung *rung, sc_store *store, const sc_study_options *run)
{
    sc_study *s = NULL;
    sc_study_overrides mine = SC_STUDY_OVERRIDES_INIT;
    if (o)
        mine = *o;
    mine.rung = rung->name;
    sc_status st = sc_study_open(&s, path, &mine);
    if (st == SC_OK) {
        sc_study_id(r->id, s);
        st = sc_study_run(s, store, run, &r->outcome);
    }
    if (st == SC_OK)
        st = find_best(&r->best, s, store);
    sc_study_close(s);
    r->baseline = (double)NAN;
    if (st != SC_OK || r->outcome.why == SC_STOP_INTERRUPT)
        return st; /* who pressed Ctrl-C waits for nothing more */
    return baseline_under(&r->baseline, path, &rung->rules);
}

static json_t *best_json(const best_trial *best, bool *ok)
{
    if (!best->found)
        return json_null();
    json_t *o = json_object();
    sc_json_set(o, "index", json_integer((json_int_t)best->index), ok);
    sc_json_set(o, "id", json_string(best->id), ok);
    sc_json_set(o, "value", sc_json_real(best->value), ok);
    return o;
}

static void set_counts(json_t *o, const sc_study_outcome *c, bool *ok)
{
    const double trials = (double)c->trials;
    sc_json_set(o, "stopped_by", json_string(sc_stop_name(c->why)), ok);
    sc_json_set(o, "trials", json_integer((json_int_t)c->trials), ok);
    sc_json_set(o, "feasible", json_integer((json_int_t)c->feasible), ok);
    sc_json_set(o, "infeasible", json_integer((json_int_t)c->infeasible), ok);
    sc_json_set(o, "failed", json_integer((json_int_t)c->failed), ok);
    sc_json_set(o, "evaluated", json_integer((json_int_t)c->evaluated), ok);
    sc_json_set(o, "infeasible_share", sc_json_real((double)c->infeasible / trials), ok);
    sc_json_set(o, "elapsed_s", sc_json_real(c->elapsed_s), ok);
}

/* results: [i + 1], those of the rungs up to this one. */
static json_t *rung_json(const sc_study *s, const rung_result *results, size_t i, bool *ok)
{
    const sc_rung *rung = sc_rung_at(i);
    const rung_result *r = &results[i];
    const double value = r->best.found ? r->best.value : (double)NAN;
    const double before =
        i > 0 && results[i - 1].best.found ? results[i - 1].best.value : (double)NAN;
    json_t *o = json_object();
    sc_json_set(o, "rung", json_string(rung->name), ok);
    sc_json_set(o, "about", json_string(rung->about), ok);
    sc_json_set(o, "rules", sc_rules_json(&rung->rules, ok), ok);
    sc_json_set(o, "study", json_sprintf("%s/%s", s->name, rung->name), ok);
    sc_json_set(o, "id", json_string(r->id), ok);
    set_counts(o, &r->outcome, ok);
    sc_json_set(o, "best", best_json(&r->best, ok), ok);
    sc_json_set(o, "baseline_plain", sc_json_real(results[0].baseline), ok);
    sc_json_set(o, "baseline_same", sc_json_real(r->baseline), ok);
    sc_json_set(o, "over_plain", sc_json_real(ratio(s, value, results[0].baseline)), ok);
    sc_json_set(o, "over_same", sc_json_real(ratio(s, value, r->baseline)), ok);
    sc_json_set(o, "over_previous", sc_json_real(ratio(s, value, before)), ok);
    return o;
}

static sc_status ladder_text(char **out, const sc_study *s, const rung_result *results, size_t n)
{
    const sc_study_value *objective = &s->values[s->objectives[0]];
    bool ok = true;
    json_t *o = json_object(), *list = json_array();
    sc_json_set(o, "study", json_string(s->name), &ok);
    sc_json_set(o, "metric", json_string(objective->name), &ok);
    sc_json_set(o, "goal", json_string(sc_store_goal_name(objective->goal)), &ok);
    sc_json_set(o, "baseline", s->baseline ? json_string(s->baseline) : json_null(), &ok);
    for (size_t i = 0; i < n; i++)
        sc_json_append(list, rung_json(s, results, i, &ok), &ok);
    sc_json_set(o, "rungs", list, &ok);
    const sc_status st =
        ok ? sc_json_write(out, o, 1) : sc_fail(SC_ENOMEM, "no memory for the ladder's JSON");
    json_decref(o);
    return st;
}

sc_status sc_study_ablate(char **json, sc_stop *why, const char *path, const sc_study_overrides *o,
                          sc_store *store, const sc_study_options *run)
{
    rung_result results[SC_RUNGS] = {0};
    sc_study *s = NULL;
    sc_stop stop = SC_STOP_BUDGET;
    size_t n = 0;
    if (o && o->rung)
        return sc_fail(SC_EINVAL, "a ladder runs every rung: none can be chosen");
    sc_status st = sc_study_open(&s, path, o);
    if (st != SC_OK)
        return st;
    if (!s->template)
        st = sc_fail(SC_EINVAL, "study %s: only studies of our model have a ladder of ablations",
                     s->name);
    while (st == SC_OK && n < SC_RUNGS && stop != SC_STOP_INTERRUPT) {
        st = run_rung(&results[n], path, o, sc_rung_at(n), store, run);
        if (results[n].outcome.why == SC_STOP_INTERRUPT)
            stop = SC_STOP_INTERRUPT;
        n++;
    }
    if (st == SC_OK && (st = ladder_text(json, s, results, n)) == SC_OK)
        *why = stop;
    sc_study_close(s);
    return st;
}
