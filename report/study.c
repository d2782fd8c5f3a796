#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "report/rows.h"

static sc_status only_study(sc_hash128 *id, sc_store *store)
{
    sc_hash128 *all = NULL;
    size_t n = 0;
    const sc_status st = sc_store_studies(&all, &n, store);
    if (st == SC_OK && n == 1)
        *id = all[0];
    sc_free(all);
    if (st != SC_OK || n == 1)
        return st;
    return n == 0 ? sc_fail(SC_ENOTFOUND, "the database has no studies")
                  : sc_fail(SC_EINVAL,
                            "the database has %zu studies: name one ('scantle study "
                            "list' shows them)",
                            n);
}

static sc_status copy_row(sc_report_row *out, sc_report_study *r, const sc_store_trial *t)
{
    double *values = sc_arena_calloc(r->arena, t->n_values ? t->n_values : 1, sizeof *values);
    const char *reasons = t->reasons ? t->reasons : "";
    out->index = t->index;
    sc_hash_id(t->point, out->id);
    out->state = t->state;
    out->front = (t->flags & SC_FLAG_FRONT) != 0;
    out->parameters = sc_arena_strndup(r->arena, t->parameters, strlen(t->parameters));
    out->reasons = sc_arena_strndup(r->arena, reasons, strlen(reasons));
    if (!values || !out->parameters || !out->reasons)
        return SC_ENOMEM;
    if (t->n_values > 0)
        memcpy(values, t->values, t->n_values * sizeof *values);
    out->values = values;
    return SC_OK;
}

static sc_status read_rows(sc_report_study *r, sc_store *store)
{
    sc_store_trials *it = NULL;
    const sc_store_trial *t = NULL;
    const size_t kept = (size_t)r->info->counts.kept;
    sc_status st = sc_store_trials_open(&it, store, r->info->id, SC_WHICH_ALL);
    if (st == SC_OK && !(r->rows = sc_arena_calloc(r->arena, kept ? kept : 1, sizeof *r->rows)))
        st = SC_ENOMEM;
    while (st == SC_OK && r->n_rows < kept && (st = sc_store_trials_next(&t, it)) == SC_OK && t)
        st = copy_row(&r->rows[r->n_rows++], r, t);
    sc_store_trials_close(it);
    return st;
}

/* Studies that no run of has ended, and those of older programs, have none. */
static sc_status read_form(sc_report_study *r, sc_store *store)
{
    char *text = NULL;
    size_t n = 0;
    sc_status st = sc_store_get_detail(&text, &n, store, r->info->id, "form");
    if (st == SC_OK)
        st = sc_json_parse(&r->form, "form", text, n);
    sc_free(text);
    return st == SC_ENOTFOUND ? SC_OK : st;
}

json_t *sc_report_units(const sc_report_study *r)
{
    return json_object_get(r->form, "units");
}

sc_status sc_report_study_open(sc_report_study **out, sc_store *store, const char *word)
{
    sc_hash128 id;
    sc_status st = word ? sc_store_find(&id, store, word) : only_study(&id, store);
    if (st != SC_OK)
        return st;
    sc_report_study *r = sc_calloc(1, sizeof *r);
    if (!r)
        return SC_ENOMEM;
    if ((st = sc_arena_create(&r->arena, 0)) != SC_OK ||
        (st = sc_store_info_open(&r->info, store, id)) != SC_OK)
        goto done;
    for (size_t v = 0; v < r->info->study.n_values; v++)
        if (r->info->study.values[v].goal != SC_GOAL_NONE)
            r->objectives[r->n_objectives++] = v;
    if ((st = read_rows(r, store)) != SC_OK || (st = read_form(r, store)) != SC_OK)
        goto done;
    *out = r;
    r = NULL;
done:
    sc_report_study_close(r);
    return st;
}

void sc_report_study_close(sc_report_study *r)
{
    if (!r)
        return;
    json_decref(r->form);
    sc_store_info_close(r->info);
    sc_arena_destroy(r->arena);
    sc_free(r);
}

const char *sc_report_objective(const sc_report_study *r, size_t k)
{
    return r->info->study.values[r->objectives[k]].name;
}

bool sc_report_better(const sc_report_study *r, size_t k, double a, double b)
{
    return r->info->study.values[r->objectives[k]].goal == SC_GOAL_MAX ? a > b : a < b;
}

/* Insertion into what is sorted so far would be quadratic: a merge sort keeps ties in index order.
 */
static void sort_best_first(const sc_report_row **list, const sc_report_row **spare, size_t n,
                            const sc_report_study *r)
{
    if (n < 2)
        return;
    const size_t half = n / 2, v = r->objectives[0];
    size_t i = 0, j = half, to = 0;
    sort_best_first(list, spare, half, r);
    sort_best_first(list + half, spare, n - half, r);
    while (i < half || j < n) {
        const bool right =
            i == half || (j < n && sc_report_better(r, 0, list[j]->values[v], list[i]->values[v]));
        spare[to++] = right ? list[j++] : list[i++];
    }
    memcpy(list, spare, n * sizeof *list);
}

sc_status sc_report_select(const sc_report_row ***list, size_t *n, const sc_report_study *r,
                           sc_report_which which, uint64_t top)
{
    const sc_report_row **chosen = sc_calloc(r->n_rows + 1, sizeof *chosen);
    const sc_report_row **spare = sc_calloc(r->n_rows + 1, sizeof *spare);
    size_t count = 0;
    if (!chosen || !spare) {
        sc_free(chosen);
        sc_free(spare);
        return SC_ENOMEM;
    }
    for (size_t i = 0; i < r->n_rows; i++) {
        const sc_report_row *row = &r->rows[i];
        if (which == SC_REPORT_TRIALS || (which == SC_REPORT_PARETO && row->front) ||
            (which == SC_REPORT_BEST && row->state == SC_STATE_FEASIBLE))
            chosen[count++] = row;
    }
    if (which != SC_REPORT_TRIALS && r->n_objectives > 0)
        sort_best_first(chosen, spare, count, r);
    sc_free(spare);
    *n = top > 0 && top < count ? (size_t)top : count;
    *list = chosen;
    return SC_OK;
}

sc_status sc_report_baseline_open(sc_report_baseline *out, const sc_report_study *r,
                                  sc_store *store)
{
    char *text = NULL;
    size_t n = 0;
    *out = (sc_report_baseline){0};
    sc_status st = sc_store_get_detail(&text, &n, store, r->info->id, "baseline");
    if (st == SC_ENOTFOUND)
        return SC_OK;
    if (st == SC_OK && (st = sc_json_parse(&out->root, "baseline", text, n)) == SC_OK) {
        out->spec = json_string_value(json_object_get(out->root, "spec"));
        out->values = json_object_get(out->root, "values");
    }
    sc_free(text);
    return st;
}

double sc_report_baseline_value(const sc_report_baseline *b, const char *name)
{
    const json_t *v = json_object_get(b->values, name);
    return json_is_number(v) ? json_number_value(v) : (double)NAN;
}
