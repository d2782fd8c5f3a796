#include "model/net/explain.h"

#include <stdlib.h>
#include <string.h>

#include "core/json.h"
#include "core/text.h"
#include "model/net/evaluation.h"

enum { MAX_BOUNDS = SC_MAX_LEVELS + 2, NO_BOUND = -3 };

/* ---- one op: what its bounds ask for ---- */

/* Cycles of the array or the lanes, or of a level's bandwidth; the prefill comes on top. */
static double cycles_of(const sc_op_cost *c, int bound)
{
    return bound < 0 ? c->compute_cycles : c->level_cycles[bound];
}

static int compute_bound(const sc_op_detail *d)
{
    return d->lanes ? SC_BOUND_VECTOR : SC_BOUND_COMPUTE;
}

/* The bound that would set the time if the first were lifted; NO_BOUND where nothing else takes
 * any time. */
static int second_bound(const sc_op_detail *d, uint32_t n_levels)
{
    int best = NO_BOUND;
    const int own = compute_bound(d);
    if (d->cost->bound != own && d->cost->compute_cycles > 0.0)
        best = own;
    for (int level = 0; level < (int)n_levels; level++)
        if (level != d->cost->bound && d->cost->level_cycles[level] > 0.0 &&
            (best == NO_BOUND || d->cost->level_cycles[level] > cycles_of(d->cost, best)))
            best = level;
    return best;
}

static bool serial(const sc_op_cost *c, int bound)
{
    return bound >= 0 && (c->serial >> bound & 1);
}

/* Cycles without the op's bound: of what overlaps the longest, and all that nothing overlaps. */
static double left_cycles(const sc_op_detail *d, uint32_t n_levels)
{
    const sc_op_cost *c = d->cost;
    double longest = c->bound == compute_bound(d) ? 0.0 : c->compute_cycles, sum = 0.0;
    for (int level = 0; level < (int)n_levels; level++) {
        if (level == c->bound)
            continue;
        if (serial(c, level))
            sum += c->level_cycles[level];
        else if (c->level_cycles[level] > longest)
            longest = c->level_cycles[level];
    }
    return longest + sum;
}

/* Seconds that lifting the op's bound alone could save. */
static double relief_s(const sc_evaluation *e, const sc_op_detail *d)
{
    const double left = left_cycles(d, e->n_levels);
    const double now = d->cost->cycles - d->cost->prefill_cycles;
    return now > left ? (now - left) / e->clock_hz : 0.0;
}

static json_t *bound_json(const sc_evaluation *e, int bound)
{
    return bound == NO_BOUND ? json_null() : json_string(sc_bound_name(e, bound));
}

/* By which share the first bound exceeds what would be left: relief over the rest. */
static json_t *distance_json(double time_s, double relief)
{
    return time_s > relief ? sc_json_real(time_s / (time_s - relief) - 1.0) : json_null();
}

/* ---- sums over ops ---- */

typedef struct sums {
    double time_s, relief_s;
    size_t ops;
    int bound;
} sums;

static bool runs(const sc_op_detail *d)
{
    return d->cost->misfit.code == SC_FITS;
}

static int by_time(const void *x, const void *y)
{
    const sums *a = x, *b = y;
    if (a->time_s != b->time_s)
        return a->time_s < b->time_s ? 1 : -1;
    return (a->bound > b->bound) - (a->bound < b->bound);
}

/* Time by what bounds it, over ops first to last; longest first. @return entries with ops. */
static size_t sum_bounds(sums out[MAX_BOUNDS], const sc_evaluation *e, size_t first, size_t last)
{
    size_t n = 0;
    memset(out, 0, MAX_BOUNDS * sizeof *out);
    for (size_t i = 0; i < MAX_BOUNDS; i++)
        out[i].bound = (int)i - 2;
    for (size_t i = first; i < last; i++) {
        const sc_op_detail *d = &e->ops[i];
        if (!runs(d))
            continue;
        sums *s = &out[d->cost->bound + 2];
        s->time_s += d->row.time_s;
        s->relief_s += relief_s(e, d);
        s->ops++;
    }
    qsort(out, MAX_BOUNDS, sizeof *out, by_time);
    while (n < MAX_BOUNDS && out[n].ops > 0)
        n++;
    return n;
}

static json_t *bounds_json(const sc_evaluation *e, const sums *bounds, size_t n, double time_s,
                           bool *ok)
{
    json_t *list = json_array();
    for (size_t i = 0; i < n; i++) {
        json_t *o = json_object();
        sc_json_set(o, "bound", bound_json(e, bounds[i].bound), ok);
        sc_json_set(o, "time_s", sc_json_real(bounds[i].time_s), ok);
        sc_json_set(o, "share", sc_json_real(bounds[i].time_s / time_s), ok);
        sc_json_set(o, "ops", json_integer((json_int_t)bounds[i].ops), ok);
        sc_json_set(o, "relief_s", sc_json_real(bounds[i].relief_s), ok);
        sc_json_append(list, o, ok);
    }
    return list;
}

/* What each resource alone asks of one op, most first. */
static json_t *op_bounds_json(const sc_evaluation *e, const sc_op_detail *d, bool *ok)
{
    sums all[MAX_BOUNDS] = {{0}};
    size_t n = 0;
    json_t *list = json_array();
    all[n++] = (sums){.time_s = d->cost->compute_cycles / e->clock_hz, .bound = compute_bound(d)};
    for (int level = 0; level < (int)e->n_levels; level++)
        if (d->cost->level_cycles[level] > 0.0)
            all[n++] = (sums){.time_s = d->cost->level_cycles[level] / e->clock_hz, .bound = level};
    qsort(all, n, sizeof *all, by_time);
    for (size_t i = 0; i < n; i++) {
        json_t *o = json_object();
        sc_json_set(o, "bound", bound_json(e, all[i].bound), ok);
        sc_json_set(o, "time_s", sc_json_real(all[i].time_s), ok);
        sc_json_set(o, "share", sc_json_real(all[i].time_s / d->row.time_s), ok);
        sc_json_append(list, o, ok);
    }
    return list;
}

static json_t *levels_json(const sc_evaluation *e, size_t first, size_t last, bool *ok)
{
    json_t *list = json_array();
    double compulsory = 0.0;
    for (size_t i = first; i < last; i++)
        compulsory += e->ops[i].cost->compulsory_bytes;
    for (uint32_t level = 0; level < e->n_levels; level++) {
        json_t *o = json_object();
        double bytes = 0.0;
        for (size_t i = first; i < last; i++)
            bytes += e->ops[i].cost->level_bytes[level];
        sc_json_set(o, "name", json_string(e->level_names[level]), ok);
        sc_json_set(o, "bytes", sc_json_real(bytes), ok);
        sc_json_set(o, "compulsory_bytes", sc_json_real(compulsory), ok);
        sc_json_set(o, "ratio", compulsory > 0.0 ? sc_json_real(bytes / compulsory) : json_null(),
                    ok);
        sc_json_append(list, o, ok);
    }
    return list;
}

/* ---- what does not fit ---- */

/* The main memory is too small for the network: no single op is to blame. */
static json_t *memory_misfit_json(const sc_evaluation *e, bool *ok)
{
    const sc_memory_need *m = &e->result.memory;
    json_t *o = json_object();
    sc_json_set(o, "op", json_string("all"), ok);
    sc_json_set(o, "code", json_string(sc_misfit_name(SC_MISFIT_CAPACITY)), ok);
    sc_json_set(o, "level", json_string(e->level_names[0]), ok);
    sc_json_set(o, "tensor", json_string("all"), ok);
    sc_json_set(o, "need_bytes", sc_json_number(m->weights + m->cache + m->activations), ok);
    sc_json_set(o, "have_bytes", sc_json_number(m->have), ok);
    sc_json_set(o, "over_bytes", sc_json_real(e->result.over_memory_bytes), ok);
    return o;
}

static json_t *misfits_json(const sc_evaluation *e, size_t first, size_t last, bool *ok)
{
    json_t *list = json_array();
    if (e->result.over_memory_bytes > 0 && last - first == e->n_ops)
        sc_json_append(list, memory_misfit_json(e, ok), ok);
    for (size_t i = first; i < last; i++) {
        const sc_op_detail *d = &e->ops[i];
        const sc_misfit *m = &d->cost->misfit;
        if (m->code == SC_FITS)
            continue;
        json_t *o = json_object();
        sc_json_set(o, "op", json_string(d->row.name), ok);
        sc_json_set(o, "code", json_string(sc_misfit_name(m->code)), ok);
        sc_json_set(
            o, "level",
            m->level < 0 ? json_string("vector unit") : json_string(e->level_names[m->level]), ok);
        sc_json_set(o, "tensor",
                    m->tensor < 0 ? json_string("all") : json_string(d->tensors[m->tensor]), ok);
        sc_json_set(o, "need_bytes", json_integer((json_int_t)m->need), ok);
        sc_json_set(o, "have_bytes", json_integer((json_int_t)m->have), ok);
        sc_json_set(o, "over_bytes", sc_json_real((double)m->need - (double)m->have), ok);
        sc_json_append(list, o, ok);
    }
    return list;
}

/* ---- the document ---- */

static json_t *op_json(const sc_evaluation *e, const sc_op_detail *d, bool *ok)
{
    json_t *o = json_object();
    sc_json_set(o, "name", json_string(d->row.name), ok);
    sc_json_set(o, "kind", json_string(d->row.kind), ok);
    sc_json_set(o, "time_s", sc_json_real(d->row.time_s), ok);
    sc_json_set(o, "share", sc_json_real(d->row.time_s / e->result.metrics.latency_s), ok);
    sc_json_set(o, "bound", json_string(d->row.bound), ok);
    sc_json_set(o, "second_bound", bound_json(e, second_bound(d, e->n_levels)), ok);
    sc_json_set(o, "distance", distance_json(d->row.time_s, relief_s(e, d)), ok);
    sc_json_set(o, "dram_bytes", sc_json_real(d->row.dram_bytes), ok);
    sc_json_set(o, "compulsory_bytes", sc_json_real(d->cost->compulsory_bytes), ok);
    return o;
}

/* Ops that run, longest first; ties in the order of execution. */
static json_t *ops_json(const sc_evaluation *e, bool *ok)
{
    json_t *list = json_array();
    for (size_t i = 0; i < e->n_ops; i++) {
        if (!runs(&e->ops[i]))
            continue;
        size_t at = json_array_size(list);
        while (at > 0 && json_number_value(json_object_get(json_array_get(list, at - 1),
                                                           "time_s")) < e->ops[i].row.time_s)
            at--;
        if (json_array_insert_new(list, at, op_json(e, &e->ops[i], ok)) != 0)
            *ok = false;
    }
    return list;
}

static void explain_op(json_t *o, const sc_evaluation *e, const sc_op_detail *d, bool *ok)
{
    sc_json_set(o, "kind", json_string(d->row.kind), ok);
    sc_json_set(o, "time_s", sc_json_real(d->row.time_s), ok);
    sc_json_set(o, "bound", json_string(d->row.bound), ok);
    sc_json_set(o, "second_bound", bound_json(e, second_bound(d, e->n_levels)), ok);
    sc_json_set(o, "distance", distance_json(d->row.time_s, relief_s(e, d)), ok);
    sc_json_set(o, "prefill_s", sc_json_real(d->cost->prefill_cycles / e->clock_hz), ok);
    sc_json_set(o, "lower_bound_s", sc_json_real(d->cost->lower_bound_cycles / e->clock_hz), ok);
    sc_json_set(o, "bounds", op_bounds_json(e, d, ok), ok);
}

static void explain_network(json_t *o, const sc_evaluation *e, bool *ok)
{
    sums bounds[MAX_BOUNDS];
    const double time_s = e->result.metrics.latency_s;
    const size_t n = sum_bounds(bounds, e, 0, e->n_ops);
    sc_json_set(o, "time_s", sc_json_real(time_s), ok);
    sc_json_set(o, "bound", n > 0 ? bound_json(e, bounds[0].bound) : json_null(), ok);
    sc_json_set(o, "second_bound", n > 1 ? bound_json(e, bounds[1].bound) : json_null(), ok);
    sc_json_set(o, "distance", n > 0 ? distance_json(time_s, bounds[0].relief_s) : json_null(), ok);
    sc_json_set(o, "bounds", bounds_json(e, bounds, n, time_s, ok), ok);
    sc_json_set(o, "op_list", ops_json(e, ok), ok);
}

static sc_status find_op(size_t *index, const sc_evaluation *e, const char *name)
{
    const char **names = sc_calloc(e->n_ops, sizeof *names);
    char shown[SC_SHOWN_LEN];
    sc_status st = SC_ENOTFOUND;
    if (!names)
        return SC_ENOMEM;
    for (size_t i = 0; i < e->n_ops && st != SC_OK; i++) {
        names[i] = e->ops[i].row.name;
        if (strcmp(names[i], name) == 0) {
            *index = i;
            st = SC_OK;
        }
    }
    if (st != SC_OK) {
        const char *near = sc_nearest(name, names, e->n_ops);
        sc_text_show(shown, name);
        st = near ? sc_fail(st, "no op '%s' in %s (did you mean '%s'?)", shown, e->workload, near)
                  : sc_fail(st, "no op '%s' in %s; 'scantle workload show' lists them", shown,
                            e->workload);
    }
    sc_free(names);
    return st;
}

sc_status sc_explain_evaluation(json_t **out, size_t *index, const sc_evaluation *e, const char *op)
{
    bool ok = true;
    size_t at = SIZE_MAX;
    sc_status st = op ? find_op(&at, e, op) : SC_OK;
    if (st != SC_OK)
        return st;
    const size_t first = op ? at : 0, last = op ? at + 1 : e->n_ops;
    const bool feasible = op ? runs(&e->ops[at]) : e->result.feasible;
    json_t *o = json_object();
    sc_json_set(o, "design", json_string(e->design), &ok);
    sc_json_set(o, "spec", json_string(e->spec), &ok);
    sc_json_set(o, "workload", json_string(e->workload), &ok);
    sc_json_set(o, "batch", json_integer((json_int_t)e->batch), &ok);
    sc_json_set(o, "feasible", json_boolean(feasible), &ok);
    sc_json_set(o, "op", op ? json_string(op) : json_null(), &ok);
    if (feasible && op)
        explain_op(o, e, &e->ops[at], &ok);
    else if (feasible)
        explain_network(o, e, &ok);
    if (feasible)
        sc_json_set(o, "levels", levels_json(e, first, last, &ok), &ok);
    if (!op)
        sc_json_set(o, "reasons", sc_reasons_json(e, &ok), &ok);
    sc_json_set(o, "misfits", misfits_json(e, first, last, &ok), &ok);
    if (!ok) {
        json_decref(o);
        return sc_fail(SC_ENOMEM, "no memory for the explanation's JSON");
    }
    *out = o;
    *index = at;
    return SC_OK;
}
