#include <math.h>
#include <string.h>

#include "core/json.h"
#include "core/mem.h"
#include "model/arch/param.h"
#include "model/arch/template.h"
#include "model/net/evaluation.h"
#include "model/net/explain.h"
#include "scantle/whatif.h"

typedef struct variant {
    char *set;
    sc_evaluation *evaluation;
} variant;

struct sc_whatif {
    sc_evaluation *base;
    size_t n, capacity;
    variant *variants;
};

static sc_status start(sc_whatif **out, const sc_design *base, const sc_workload *w, size_t n,
                       const sc_evaluate_options *o)
{
    sc_whatif *x = sc_calloc(1, sizeof *x);
    if (!x)
        return SC_ENOMEM;
    x->capacity = n;
    x->variants = sc_calloc(n, sizeof *x->variants);
    const sc_status st = x->variants ? sc_evaluate(&x->base, base, w, o) : SC_ENOMEM;
    if (st != SC_OK) {
        sc_whatif_destroy(x);
        return st;
    }
    *out = x;
    return SC_OK;
}

static sc_status add(sc_whatif *x, const sc_design *base, const sc_workload *w, const char *set,
                     const sc_evaluate_options *o)
{
    sc_design *d = NULL;
    variant *v = &x->variants[x->n++];
    sc_status st = SC_ENOMEM;
    if (!(v->set = sc_strdup(set)))
        return st;
    if ((st = sc_design_with(&d, base, set)) == SC_OK)
        st = sc_evaluate(&v->evaluation, d, w, o);
    sc_design_destroy(d);
    return st;
}

sc_status sc_whatif_create(sc_whatif **out, const sc_design *base, const sc_workload *w,
                           const char *const *sets, size_t n, const sc_evaluate_options *o)
{
    sc_whatif *x = NULL;
    sc_status st = start(&x, base, w, n, o);
    for (size_t i = 0; i < n && st == SC_OK; i++)
        st = add(x, base, w, sets[i], o);
    if (st != SC_OK) {
        sc_whatif_destroy(x);
        return st;
    }
    *out = x;
    return SC_OK;
}

/* `name=value` for another value of a parameter, as users write it. */
static sc_status write_set(char *out, size_t size, const sc_param *p, size_t value)
{
    sc_buf b;
    char *text = NULL;
    sc_buf_init(&b);
    sc_buf_printf(&b, "%s=", p->name);
    sc_param__text(&b, p, value);
    const sc_status st = sc_buf_take(&b, &text);
    if (st == SC_OK)
        (void)snprintf(out, size, "%s", text);
    sc_free(text);
    return st;
}

sc_status sc_whatif_sensitivity(sc_whatif **out, const sc_design *base, const sc_workload *w,
                                const sc_evaluate_options *o)
{
    const sc_template *t = sc_design_template(base);
    const uint32_t *index = sc_design_index(base);
    sc_whatif *x = NULL;
    sc_status st = start(&x, base, w, 2 * sc_template_params(t), o);
    for (size_t i = 0; i < sc_template_params(t) && st == SC_OK; i++) {
        const sc_param *p = sc_template_param(t, i);
        if (!sc_template_active(t, i, index))
            continue;
        for (int step = -1; step <= 1 && st == SC_OK; step += 2) {
            char set[SC_NAME_LEN * 4];
            const size_t value = (size_t)index[i] + (size_t)step; /* -1 wraps past the end */
            if (value >= p->n_values)
                continue;
            if ((st = write_set(set, sizeof set, p, value)) == SC_OK)
                st = add(x, base, w, set, o);
        }
    }
    if (st != SC_OK) {
        sc_whatif_destroy(x);
        return st;
    }
    *out = x;
    return SC_OK;
}

void sc_whatif_destroy(sc_whatif *x)
{
    if (!x)
        return;
    for (size_t i = 0; i < x->n; i++) {
        // NOLINTNEXTLINE(clang-analyzer-core.NullDereference): n is 0 until there are variants
        sc_free(x->variants[i].set);
        sc_evaluation_destroy(x->variants[i].evaluation);
    }
    sc_free(x->variants);
    sc_evaluation_destroy(x->base);
    sc_free(x);
}

size_t sc_whatif_variants(const sc_whatif *x)
{
    return x->n;
}

const char *sc_whatif_set(const sc_whatif *x, size_t i)
{
    return i < x->n ? x->variants[i].set : NULL;
}

const sc_evaluation *sc_whatif_base(const sc_whatif *x)
{
    return x->base;
}

const sc_evaluation *sc_whatif_variant(const sc_whatif *x, size_t i)
{
    return i < x->n ? x->variants[i].evaluation : NULL;
}

/* ---- JSON ---- */

enum { N_FIGURES = 8 };
static const char *const figure_names[N_FIGURES] = {
    "latency_s", "throughput_per_s", "energy_j",     "power_w",
    "tdp_w",     "area_mm2",         "perf_per_tdp", "utilization"};

static void figures(double out[N_FIGURES], const sc_metrics *m)
{
    const double f[N_FIGURES] = {
        m->latency_s, m->throughput_per_s, m->energy_j,     m->power_w,
        m->tdp_w,     m->area_mm2,         m->perf_per_tdp, m->utilization};
    memcpy(out, f, sizeof f);
}

static json_t *metrics_json(const sc_evaluation *e)
{
    double f[N_FIGURES];
    json_t *o = json_object();
    figures(f, sc_evaluation_metrics(e));
    json_object_set_new(o, "feasible", json_boolean(sc_evaluation_feasible(e)));
    for (int i = 0; i < N_FIGURES; i++)
        json_object_set_new(o, figure_names[i], sc_json_real(f[i]));
    return o;
}

static json_t *ratio_json(const sc_evaluation *e, const sc_evaluation *base)
{
    double f[N_FIGURES], b[N_FIGURES];
    json_t *o = json_object();
    figures(f, sc_evaluation_metrics(e));
    figures(b, sc_evaluation_metrics(base));
    for (int i = 0; i < N_FIGURES; i++)
        json_object_set_new(o, figure_names[i], sc_json_real(f[i] / b[i]));
    return o;
}

static json_t *ops_json(const sc_evaluation *e, const sc_evaluation *base)
{
    json_t *list = json_array();
    const sc_op_result *op, *before;
    for (size_t i = 0; (op = sc_evaluation_op(e, i)) && (before = sc_evaluation_op(base, i)); i++) {
        json_t *o = json_object();
        json_object_set_new(o, "name", json_string(op->name));
        json_object_set_new(o, "time_s", sc_json_real(op->time_s));
        json_object_set_new(o, "base_time_s", sc_json_real(before->time_s));
        json_object_set_new(o, "bound", json_string(op->bound));
        json_object_set_new(o, "base_bound", json_string(before->bound));
        json_array_append_new(list, o);
    }
    return list;
}

sc_status sc_whatif_json(char **out, const sc_whatif *x)
{
    json_t *o = json_object(), *list = json_array();
    json_object_set_new(o, "base", metrics_json(x->base));
    for (size_t i = 0; i < x->n; i++) {
        json_t *v = metrics_json(x->variants[i].evaluation);
        json_object_set_new(v, "set", json_string(x->variants[i].set));
        json_object_set_new(v, "ratio", ratio_json(x->variants[i].evaluation, x->base));
        json_object_set_new(v, "op_list", ops_json(x->variants[i].evaluation, x->base));
        json_array_append_new(list, v);
    }
    const bool ok = json_object_set_new(o, "variants", list) == 0;
    const sc_status st =
        ok ? sc_json_write(out, o, 1) : sc_fail(SC_ENOMEM, "no memory for the comparison's JSON");
    json_decref(o);
    return st;
}

/* ---- the steps of an explanation ---- */

/* Time a sample of the op, or of the network for SIZE_MAX: steps may change the batch. NaN where it
 * does not fit. */
static double time_of(const sc_evaluation *e, size_t op)
{
    const double batch = (double)e->batch;
    if (op == SIZE_MAX)
        return sc_evaluation_metrics(e)->latency_s / batch;
    const sc_op_result *r = sc_evaluation_op(e, op);
    return r && r->time_s > 0.0 ? r->time_s / batch : (double)NAN;
}

static json_t *step_json(const variant *v, size_t op, double before, bool *ok)
{
    const double after = time_of(v->evaluation, op);
    const bool feasible = sc_evaluation_feasible(v->evaluation);
    json_t *o = json_object();
    sc_json_set(o, "set", json_string(v->set), ok);
    sc_json_set(o, "feasible", json_boolean(feasible), ok);
    sc_json_set(o, "time_per_sample_s", sc_json_real(after), ok);
    sc_json_set(o, "change", sc_json_real(after / before - 1.0), ok);
    if (op != SIZE_MAX && feasible)
        sc_json_set(o, "bound", json_string(sc_evaluation_op(v->evaluation, op)->bound), ok);
    return o;
}

/* Fastest first, what does not fit last; ties in the order of the parameters. */
static json_t *steps_json(const sc_whatif *x, size_t op, bool *ok)
{
    json_t *list = json_array();
    const double before = time_of(x->base, op);
    for (size_t i = 0; i < x->n; i++) {
        const double after = time_of(x->variants[i].evaluation, op);
        size_t at = json_array_size(list);
        while (at > 0 && !isnan(after)) {
            const json_t *t = json_object_get(json_array_get(list, at - 1), "time_per_sample_s");
            if (json_is_number(t) && json_number_value(t) <= after)
                break;
            at--;
        }
        if (json_array_insert_new(list, at, step_json(&x->variants[i], op, before, ok)) != 0)
            *ok = false;
    }
    return list;
}

sc_status sc_explain(char **out, const sc_design *d, const sc_workload *w, const char *op,
                     const sc_evaluate_options *o)
{
    sc_whatif *x = NULL;
    json_t *root = NULL;
    size_t index;
    bool ok = true;
    sc_status st = sc_whatif_sensitivity(&x, d, w, o);
    if (st != SC_OK || (st = sc_explain_evaluation(&root, &index, x->base, op)) != SC_OK)
        goto done;
    sc_json_set(root, "steps", steps_json(x, index, &ok), &ok);
    st = ok ? sc_json_write(out, root, 1)
            : sc_fail(SC_ENOMEM, "no memory for the explanation's JSON");
done:
    json_decref(root);
    sc_whatif_destroy(x);
    return st;
}
