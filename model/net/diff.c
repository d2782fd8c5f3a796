#include <math.h>
#include <string.h>

#include "core/json.h"
#include "core/mem.h"
#include "model/net/evaluation.h"
#include "model/net/explain.h"

/* One side: the design as its JSON says it, and its evaluation where there is a network. */
typedef struct side {
    json_t *design;
    sc_evaluation *evaluation; /* NULL: none */
} side;

static sc_status open_side(side *s, const sc_design *d, const sc_workload *w,
                           const sc_evaluate_options *o)
{
    char *text = NULL;
    sc_status st = sc_design_json(&text, d);
    if (st == SC_OK)
        st = sc_json_parse(&s->design, "design", text, strlen(text));
    if (st == SC_OK && w)
        st = sc_evaluate(&s->evaluation, d, w, o);
    sc_free(text);
    return st;
}

static void close_side(side *s)
{
    json_decref(s->design);
    sc_evaluation_destroy(s->evaluation);
}

static json_t *side_json(const side *s, bool *ok)
{
    json_t *o = json_object();
    sc_json_set(o, "name", json_incref(json_object_get(s->design, "name")), ok);
    sc_json_set(o, "template", json_incref(json_object_get(s->design, "template")), ok);
    if (s->evaluation) {
        sc_json_set(o, "batch", json_integer((json_int_t)s->evaluation->batch), ok);
        sc_json_set(o, "feasible", json_boolean(s->evaluation->result.feasible), ok);
        sc_json_set(o, "reasons", sc_reasons_json(s->evaluation, ok), ok);
    }
    return o;
}

static json_t *or_null(json_t *value)
{
    return value ? json_incref(value) : json_null();
}

static void add_value(json_t *list, const char *name, json_t *a, json_t *b, bool *ok)
{
    json_t *o = json_object();
    sc_json_set(o, "name", json_string(name), ok);
    sc_json_set(o, "a", or_null(a), ok);
    sc_json_set(o, "b", or_null(b), ok);
    sc_json_append(list, o, ok);
}

/* Parameters that differ or that one of the templates does not have. */
static json_t *values_json(const side *a, const side *b, bool *ok)
{
    json_t *list = json_array(), *value;
    json_t *of_a = json_object_get(a->design, "values"),
           *of_b = json_object_get(b->design, "values");
    const char *name;
    json_object_foreach(of_a, name, value)
    {
        json_t *other = json_object_get(of_b, name);
        if (!json_equal(value, other))
            add_value(list, name, value, other, ok);
    }
    json_object_foreach(of_b, name, value)
    {
        if (!json_object_get(of_a, name))
            add_value(list, name, NULL, value, ok);
    }
    return list;
}

static void add_total(json_t *list, const char *name, double a, double b, bool *ok)
{
    json_t *o = json_object();
    sc_json_set(o, "name", json_string(name), ok);
    sc_json_set(o, "a", sc_json_real(a), ok);
    sc_json_set(o, "b", sc_json_real(b), ok);
    sc_json_set(o, "ratio", sc_json_real(b / a), ok);
    sc_json_append(list, o, ok);
}

/* Per sample, of times and energies, where the designs run different batches. */
static double scale_of(const side *s, bool per_sample)
{
    return per_sample ? 1.0 / (double)s->evaluation->batch : 1.0;
}

static json_t *totals_json(const side *a, const side *b, bool per_sample, bool *ok)
{
    json_t *list = json_array();
    add_total(list, "area_mm2", json_number_value(json_object_get(a->design, "area_mm2")),
              json_number_value(json_object_get(b->design, "area_mm2")), ok);
    add_total(list, "tdp_w", json_number_value(json_object_get(a->design, "tdp_w")),
              json_number_value(json_object_get(b->design, "tdp_w")), ok);
    if (!a->evaluation)
        return list;
    const sc_metrics *x = &a->evaluation->result.metrics, *y = &b->evaluation->result.metrics;
    const double of_a = scale_of(a, per_sample), of_b = scale_of(b, per_sample);
    add_total(list, "latency_s", x->latency_s * of_a, y->latency_s * of_b, ok);
    add_total(list, "throughput_per_s", x->throughput_per_s, y->throughput_per_s, ok);
    add_total(list, "energy_j", x->energy_j * of_a, y->energy_j * of_b, ok);
    add_total(list, "power_w", x->power_w, y->power_w, ok);
    add_total(list, "perf_per_tdp", x->perf_per_tdp, y->perf_per_tdp, ok);
    add_total(list, "utilization", x->utilization, y->utilization, ok);
    return list;
}

/* Time of an op, NaN where it does not fit. */
static double op_time(const sc_op_detail *d, double scale)
{
    return d->cost->misfit.code == SC_FITS ? d->row.time_s * scale : (double)NAN;
}

static json_t *op_json(const sc_op_detail *x, const sc_op_detail *y, double a_time, double b_time,
                       bool *ok)
{
    json_t *o = json_object();
    sc_json_set(o, "name", json_string(x->row.name), ok);
    sc_json_set(o, "kind", json_string(x->row.kind), ok);
    sc_json_set(o, "a_time_s", sc_json_real(a_time), ok);
    sc_json_set(o, "b_time_s", sc_json_real(b_time), ok);
    sc_json_set(o, "effect_s", sc_json_real(b_time - a_time), ok);
    sc_json_set(o, "a_bound", isnan(a_time) ? json_null() : json_string(x->row.bound), ok);
    sc_json_set(o, "b_bound", isnan(b_time) ? json_null() : json_string(y->row.bound), ok);
    return o;
}

/* How much an op matters: one that fits only one of the designs matters most. */
static double effect(const json_t *op)
{
    const json_t *v = json_object_get(op, "effect_s");
    return json_is_number(v) ? fabs(json_number_value(v)) : HUGE_VAL;
}

/* The largest effect first; ties in the order of execution. */
static json_t *ops_json(const side *a, const side *b, bool per_sample, bool *ok)
{
    json_t *list = json_array();
    const double of_a = scale_of(a, per_sample), of_b = scale_of(b, per_sample);
    for (size_t i = 0; i < a->evaluation->n_ops; i++) {
        const sc_op_detail *x = &a->evaluation->ops[i], *y = &b->evaluation->ops[i];
        json_t *o = op_json(x, y, op_time(x, of_a), op_time(y, of_b), ok);
        const double by = effect(o);
        size_t at = json_array_size(list);
        while (at > 0 && effect(json_array_get(list, at - 1)) < by)
            at--;
        if (json_array_insert_new(list, at, o) != 0)
            *ok = false;
    }
    return list;
}

sc_status sc_diff(char **out, const sc_design *a, const sc_design *b, const sc_workload *w,
                  const sc_evaluate_options *o)
{
    side x = {0}, y = {0};
    json_t *root = NULL;
    bool ok = true;
    sc_status st = open_side(&x, a, w, o);
    if (st != SC_OK || (st = open_side(&y, b, w, o)) != SC_OK)
        goto done;
    root = json_object();
    sc_json_set(root, "a", side_json(&x, &ok), &ok);
    sc_json_set(root, "b", side_json(&y, &ok), &ok);
    sc_json_set(root, "values", values_json(&x, &y, &ok), &ok);
    const bool per_sample = w && x.evaluation->batch != y.evaluation->batch;
    sc_json_set(root, "per_sample", json_boolean(per_sample), &ok);
    sc_json_set(root, "totals", totals_json(&x, &y, per_sample, &ok), &ok);
    if (w) {
        sc_json_set(root, "workload", json_string(x.evaluation->workload), &ok);
        sc_json_set(root, "op_list", ops_json(&x, &y, per_sample, &ok), &ok);
    }
    st = ok ? sc_json_write(out, root, 1)
            : sc_fail(SC_ENOMEM, "no memory for the comparison's JSON");
done:
    json_decref(root);
    close_side(&x);
    close_side(&y);
    return st;
}
