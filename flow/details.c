#include "flow/details.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/json.h"

enum { KIND_LEN = 32 };

typedef struct chosen {
    uint64_t index;
    double objective; /* smaller is better */
    uint32_t *point;
} chosen;

static sc_status baseline_text(char **out, const sc_study *s)
{
    json_t *o = json_object(), *values = json_object();
    for (size_t v = 0; v < s->n_values; v++)
        json_object_set_new(values, s->values[v].name, sc_json_real(s->baseline_values[v]));
    json_object_set_new(o, "spec", json_string(sc_design_spec(s->baseline_design)));
    json_object_set_new(o, "values", values);
    const sc_status st = sc_json_write(out, o, 0);
    json_decref(o);
    return st;
}

static sc_status keep_baseline(sc_session *x)
{
    char *text = NULL;
    if (!x->s->baseline_values)
        return SC_OK;
    sc_status st = baseline_text(&text, x->s);
    if (st == SC_OK)
        st = sc_store_put_detail(x->store, sc_store_writer_id(x->writer), "baseline", text,
                                 strlen(text));
    sc_free(text);
    return st;
}

static json_t *units_json(const sc_space *space)
{
    json_t *o = json_object();
    for (size_t i = 0; i < sc_space_params(space); i++) {
        const sc_space_param *p = sc_space_param_at(space, i);
        if (p->unit != SC_UNIT_NONE)
            json_object_set_new(o, p->name, json_string(sc_unit_symbol(p->unit)));
    }
    return o;
}

static json_t *limits_json(const sc_study *s)
{
    json_t *list = json_array();
    for (size_t i = 0; i < s->n_limits; i++) {
        const sc_study_limit *l = &s->limits[i];
        json_array_append_new(
            list, json_pack("{s:s,s:s,s:o,s:b}", "name", s->values[l->value].name, "bound",
                            l->at_most ? "max" : "min", "value",
                            sc_json_real(l->baseline ? s->baseline_values[l->value] : l->limit),
                            "of_baseline", (int)l->baseline));
    }
    return list;
}

static sc_status form_text(char **out, const sc_study *s)
{
    json_t *o = json_pack("{s:o,s:o}", "units", units_json(s->space), "limits", limits_json(s));
    const sc_status st = sc_json_write(out, o, 0);
    json_decref(o);
    return st;
}

sc_status sc_details_keep_form(sc_session *x)
{
    const sc_hash128 id = sc_store_writer_id(x->writer);
    char *text = NULL;
    size_t n;
    sc_status st = sc_store_get_detail(&text, &n, x->store, id, "form");
    if (st == SC_ENOTFOUND && (st = form_text(&text, x->s)) == SC_OK)
        st = sc_store_put_detail(x->store, id, "form", text, strlen(text));
    sc_free(text);
    return st;
}

static int by_objective(const void *a, const void *b)
{
    const chosen *x = a, *y = b;
    if (x->objective != y->objective)
        return x->objective < y->objective ? -1 : 1;
    return (x->index > y->index) - (x->index < y->index);
}

/* The front, sorted, at most SC_DETAILED_DESIGNS of it; list: [front size] owned by the caller. */
static sc_status choose(chosen **out, size_t *n, sc_session *x)
{
    sc_store_trials *it = NULL;
    const sc_store_trial *row = NULL;
    const size_t params = x->problem.n_params, v = x->s->objectives[0];
    const double sign = x->s->values[v].goal == SC_GOAL_MAX ? -1.0 : 1.0;
    sc_status st =
        sc_store_trials_open(&it, x->store, sc_store_writer_id(x->writer), SC_WHICH_FRONT);
    while (st == SC_OK && (st = sc_store_trials_next(&row, it)) == SC_OK && row) {
        chosen *grown = sc_realloc_array(*out, *n + 1, sizeof *grown);
        if (!grown) {
            st = SC_ENOMEM;
            break;
        }
        *out = grown;
        chosen *c = &grown[*n];
        *c = (chosen){row->index, sign * row->values[v], sc_calloc(params, sizeof *c->point)};
        if (!c->point) {
            st = SC_ENOMEM;
            break;
        }
        ++*n;
        st = sc_space_parse(x->s->space, row->parameters, c->point);
    }
    sc_store_trials_close(it);
    if (*n > 1)
        qsort(*out, *n, sizeof **out, by_objective);
    return st;
}

static sc_status evaluation_text(char **out, const sc_session *x, const uint32_t *point,
                                 size_t network, int threads)
{
    uint32_t origin[SC_MAX_PARAMS];
    sc_design *d = NULL;
    sc_evaluation *e = NULL;
    sc_evaluate_options o = SC_EVALUATE_OPTIONS_INIT;
    o.threads = threads;
    o.map_budget = x->s->map_budget;
    o.map_nodes = x->s->map_nodes;
    o.rules = x->s->rules;
    sc_space_origin(x->s->space, point, origin);
    sc_status st = sc_design_create(&d, x->s->template, origin);
    if (st == SC_OK && x->s->calibration.name[0])
        st = sc_design_use_calibration(d, &x->s->calibration);
    if (st == SC_OK && (st = sc_evaluate(&e, d, x->s->networks[network].workload, &o)) == SC_OK)
        st = sc_evaluation_json(out, e);
    sc_evaluation_destroy(e);
    sc_design_destroy(d);
    return st;
}

static sc_status keep_design(sc_session *x, const chosen *c, int threads)
{
    const sc_hash128 key = sc_hash128_at(sc_store_writer_id(x->writer), c->index);
    sc_status st = SC_OK;
    for (size_t k = 0; k < x->s->n_networks && st == SC_OK; k++) {
        char kind[KIND_LEN], *text = NULL;
        size_t n;
        (void)snprintf(kind, sizeof kind, "evaluation.%zu", k);
        st = sc_store_get_detail(&text, &n, x->store, key, kind);
        if (st == SC_ENOTFOUND && (st = evaluation_text(&text, x, c->point, k, threads)) == SC_OK)
            st = sc_store_put_detail(x->store, key, kind, text, strlen(text));
        sc_free(text);
    }
    return st;
}

sc_status sc_details_keep(sc_session *x, int threads)
{
    chosen *list = NULL;
    size_t n = 0;
    sc_status st = choose(&list, &n, x);
    if (st == SC_OK && (st = sc_store_begin(x->store)) == SC_OK) {
        st = keep_baseline(x);
        if (st == SC_OK)
            st = sc_details_keep_form(x);
        for (size_t i = 0; i < n && i < SC_DETAILED_DESIGNS && st == SC_OK; i++)
            st = keep_design(x, &list[i], threads);
        if (st == SC_OK)
            st = sc_store_commit(x->store);
        else
            sc_store_rollback(x->store);
    }
    for (size_t i = 0; i < n; i++)
        sc_free(list[i].point);
    sc_free(list);
    return st;
}
