#include "flow/evaluator.h"

#include <math.h>
#include <omp.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

#include "flow/stored_task.h"

enum { MEMO_ENTRIES = 100000 };

/* A network at one batch size, made when first needed. */
typedef struct prepared {
    struct prepared *next;
    size_t network;
    uint64_t batch;
    sc_network *net;
} prepared;

struct sc_evaluator {
    const sc_study *s;
    int threads;
    sc_memo *memo;
    pthread_mutex_t lock; /* of prepared_list */
    prepared *prepared_list;
    size_t most_ops;
    sc_op_cost *cost; /* [threads][most_ops] scratch */
    size_t n_tasks, capacity;
    sc_task *tasks;
    sc_hash128 *workload_hash; /* [n_networks] */
    uint64_t cached;
};

static sc_status hash_workloads(sc_evaluator *e)
{
    for (size_t i = 0; i < e->s->n_networks; i++) {
        char hex[SC_HASH_HEX];
        const sc_status st = sc_workload_fingerprint(hex, e->s->networks[i].workload);
        if (st != SC_OK)
            return st;
        e->workload_hash[i] = sc_hash128_of(hex, strlen(hex));
        const size_t ops = sc_workload_ops(e->s->networks[i].workload);
        e->most_ops = ops > e->most_ops ? ops : e->most_ops;
    }
    return SC_OK;
}

sc_status sc_evaluator_create(sc_evaluator **out, const sc_study *s, int threads)
{
    sc_status st = SC_ENOMEM;
    sc_evaluator *e = sc_calloc(1, sizeof *e);
    if (!e)
        return SC_ENOMEM;
    e->s = s;
    e->threads = threads > 0 ? threads : omp_get_max_threads();
    pthread_mutex_init(&e->lock, NULL);
    if (!(e->workload_hash = sc_calloc(s->n_networks, sizeof *e->workload_hash)))
        goto done;
    if ((st = hash_workloads(e)) != SC_OK || (st = sc_memo_create(&e->memo, MEMO_ENTRIES)) != SC_OK)
        goto done;
    e->cost = sc_calloc((size_t)e->threads * e->most_ops, sizeof *e->cost);
    if (!e->cost) {
        st = SC_ENOMEM;
        goto done;
    }
    *out = e;
    e = NULL;
done:
    sc_evaluator_destroy(e);
    return st;
}

void sc_evaluator_destroy(sc_evaluator *e)
{
    if (!e)
        return;
    for (prepared *p = e->prepared_list, *next; p; p = next) {
        next = p->next;
        sc_network_destroy(p->net);
        sc_free(p);
    }
    sc_memo_destroy(e->memo);
    pthread_mutex_destroy(&e->lock);
    sc_free(e->cost);
    sc_free(e->tasks);
    sc_free(e->workload_hash);
    sc_free(e);
}

uint64_t sc_evaluator_cached(const sc_evaluator *e)
{
    return e->cached;
}

static sc_status prepare(const sc_network **out, sc_evaluator *e, size_t network, uint64_t batch)
{
    sc_status st = SC_OK;
    pthread_mutex_lock(&e->lock);
    prepared *p = e->prepared_list;
    while (p && (p->network != network || p->batch != batch))
        p = p->next;
    if (!p) {
        p = sc_calloc(1, sizeof *p);
        st = p ? sc_network_create(&p->net, e->s->networks[network].workload, batch) : SC_ENOMEM;
        if (st == SC_OK) {
            p->network = network;
            p->batch = batch;
            p->next = e->prepared_list;
            e->prepared_list = p;
        } else {
            sc_free(p);
            p = NULL;
        }
    }
    if (p)
        *out = p->net;
    pthread_mutex_unlock(&e->lock);
    return st;
}

static void compute(sc_evaluator *e, sc_task *t, sc_op_cost *cost)
{
    const sc_network *net = NULL;
    sc_network_result r;
    const sc_network_options o = {.memo = e->memo,
                                  .map_budget = e->s->map_budget,
                                  .map_nodes = e->s->map_nodes,
                                  .rules = e->s->rules,
                                  .threads = 1,
                                  .stop_at_misfit = true};
    t->status = prepare(&net, e, t->network, t->batch);
    if (t->status == SC_OK)
        t->status = sc_network_cost(&r, cost, net, &t->arch, &t->budget, &o);
    if (t->status != SC_OK) {
        (void)snprintf(t->reasons, sizeof t->reasons, "[{\"code\":\"%s\"}]",
                       sc_status_name(t->status));
        return;
    }
    t->feasible = r.feasible;
    t->metrics = r.metrics;
    if (r.over_memory_bytes > 0) {
        t->violation = r.over_memory_bytes / r.memory.have;
        sc_memory_reason(t->reasons, t->arch.level[0].name, r.over_memory_bytes);
    } else if (!r.feasible) {
        const double have = r.misfit.have > 0 ? (double)r.misfit.have : 1.0;
        t->violation = ((double)r.misfit.need - (double)r.misfit.have) / have;
        sc_misfit_reason(t->reasons, sc_network_workload(net)->ops[r.misfit_op].name,
                         r.misfit.level >= 0 ? t->arch.level[r.misfit.level].name : "vector unit",
                         &r.misfit);
    }
}

static sc_status add_tasks(sc_evaluator *e, size_t row, const uint32_t *origin,
                           const sc_budget *budget, sc_hash128 design)
{
    sc_arch arch;
    sc_status st = sc_template_arch(&arch, e->s->template, origin);
    if (st == SC_OK && e->s->calibration.name[0])
        arch.calibration = e->s->calibration;
    for (size_t k = 0; k < e->s->n_networks && st == SC_OK; k++) {
        if (e->n_tasks == e->capacity) {
            const size_t capacity = e->capacity ? 2 * e->capacity : 64;
            sc_task *grown = sc_realloc_array(e->tasks, capacity, sizeof *grown);
            if (!grown)
                return SC_ENOMEM;
            e->tasks = grown;
            e->capacity = capacity;
        }
        sc_task *t = &e->tasks[e->n_tasks];
        *t = (sc_task){.row = row,
                       .network = k,
                       .map_budget = e->s->map_budget,
                       .map_nodes = e->s->map_nodes,
                       .rules = e->s->rules,
                       .design = design,
                       .workload = e->workload_hash[k],
                       .arch = arch,
                       .budget = *budget};
        st = sc_network_batch(&t->batch, &arch, e->s->networks[k].workload, 0);
        e->n_tasks += st == SC_OK;
    }
    return st;
}

static void fresh_row(sc_row *row, const sc_study *s)
{
    row->state = SC_STATE_FEASIBLE;
    row->violation = 0.0;
    row->reasons[0] = '\0';
    for (size_t v = 0; v < s->n_values; v++)
        row->values[v] = (double)NAN;
}

static void fail_row(sc_row *row, const char *why)
{
    row->state = SC_STATE_FAILED;
    (void)snprintf(row->reasons, sizeof row->reasons, "[{\"code\":\"%s\"}]", why);
}

/* Whether a point is of the form that the study's calibration was measured on. */
static bool calibration_fits(const sc_study *s, const uint32_t *origin)
{
    sc_arch arch;
    return sc_template_arch(&arch, s->template, origin) == SC_OK && sc_arch_is_one_square(&arch);
}

/* Phase A: area and TDP. Most points of a large space end here. */
static sc_status check_budgets(sc_evaluator *e, const uint32_t *points, size_t n, sc_row *rows)
{
    const sc_study *s = e->s;
    const size_t params = sc_space_params(s->space);
    uint32_t origin[SC_MAX_PARAMS];
    const sc_hash128 template_hash = sc_template_hash(s->template);
    e->n_tasks = 0;
    for (size_t i = 0; i < n; i++) {
        sc_budget budget;
        const uint32_t *point = points + i * params;
        fresh_row(&rows[i], s);
        sc_space_origin(s->space, point, origin);
        if (sc_template_budget(&budget, s->template, origin) != SC_OK) {
            fail_row(&rows[i], "range");
            continue;
        }
        for (size_t v = 0; v < s->n_values; v++) {
            if (s->values[v].metric == SC_METRIC_AREA)
                rows[i].values[v] = budget.area_mm2;
            if (s->values[v].metric == SC_METRIC_TDP)
                rows[i].values[v] = budget.tdp_w;
        }
        sc_study_judge(&rows[i], s, true);
        sc_study_judge_area(&rows[i], &budget);
        if (rows[i].state != SC_STATE_FEASIBLE)
            continue;
        if (s->calibration.name[0] && !calibration_fits(s, origin)) {
            fail_row(&rows[i], "calibration");
            continue;
        }
        const sc_hash128 place = sc_space_fingerprint(s->space, point);
        const sc_hash128 parts[2] = {template_hash, place};
        const sc_status st = add_tasks(e, i, origin, &budget, sc_hash128_of(parts, sizeof parts));
        if (st == SC_ENOMEM)
            return st;
        if (st != SC_OK)
            fail_row(&rows[i], sc_status_name(st));
    }
    return SC_OK;
}

/* The tasks of one row, in network order, become its values. */
static void join(const sc_evaluator *e, sc_row *row, const sc_task *tasks)
{
    const sc_study *s = e->s;
    for (size_t k = 0; k < s->n_networks; k++) {
        if (tasks[k].status != SC_OK) {
            fail_row(row, sc_status_name(tasks[k].status));
            return;
        }
        if (!tasks[k].feasible && row->state == SC_STATE_FEASIBLE) {
            row->state = SC_STATE_INFEASIBLE;
            memcpy(row->reasons, tasks[k].reasons, sizeof row->reasons);
        }
        row->violation += tasks[k].feasible ? 0.0 : tasks[k].violation;
    }
    if (row->state != SC_STATE_FEASIBLE)
        return;
    for (size_t v = 0; v < s->n_values; v++) {
        const sc_study_value *value = &s->values[v];
        double each[SC_STORE_MAX_VALUES], weight[SC_STORE_MAX_VALUES];
        for (size_t k = 0; k < s->n_networks; k++) {
            each[k] = sc_metric_of(value->metric, &tasks[k].metrics);
            weight[k] = s->networks[k].weight;
        }
        row->values[v] = value->network == SIZE_MAX ? sc_metric_join(value->metric, s->aggregate,
                                                                     each, weight, s->n_networks)
                                                    : each[value->network];
        if (!isfinite(row->values[v])) {
            fail_row(row, "not a finite number");
            return;
        }
    }
    sc_study_judge(row, s, false);
}

/* Compute what the store does not know, until told to stop. */
static void compute_all(sc_evaluator *e, const sc_evaluator_call *call)
{
    atomic_bool stopped = false;
    const long long count = (long long)e->n_tasks;
#pragma omp parallel for schedule(dynamic, 1) num_threads(e->threads)
    for (long long i = 0; i < count; i++) {
        sc_task *t = &e->tasks[i];
        const int thread = omp_get_thread_num();
        if (t->known)
            continue;
        if (thread == 0 && call->stop && !atomic_load(&stopped) && call->stop(call->payload))
            atomic_store(&stopped, true);
        if (atomic_load(&stopped))
            continue;
        compute(e, t, e->cost + (size_t)thread * e->most_ops);
        t->computed = true;
    }
}

/* The first row that lacks a result, or n. */
static size_t whole_rows(const sc_evaluator *e, size_t n)
{
    for (size_t i = 0; i < e->n_tasks; i++)
        if (!e->tasks[i].known && !e->tasks[i].computed)
            return e->tasks[i].row;
    return n;
}

sc_status sc_evaluator_run(size_t *whole, sc_evaluator *e, const sc_evaluator_call *call,
                           sc_row *rows)
{
    sc_status st = check_budgets(e, call->points, call->n, rows);
    for (size_t i = 0; call->store && i < e->n_tasks && st == SC_OK; i++) {
        st = sc_task_look_up(&e->tasks[i], call->store);
        e->cached += e->tasks[i].known;
    }
    if (st != SC_OK)
        return st;
    compute_all(e, call);
    const size_t n = whole_rows(e, call->n);
    for (size_t i = 0; i < e->n_tasks && e->tasks[i].row < n; i += e->s->n_networks)
        join(e, &rows[e->tasks[i].row], &e->tasks[i]);
    *whole = n;
    return SC_OK;
}

sc_status sc_evaluator_put_results(sc_evaluator *e, sc_store *store)
{
    sc_status st = SC_OK;
    for (size_t i = 0; i < e->n_tasks && st == SC_OK; i++)
        if (e->tasks[i].computed && e->tasks[i].status == SC_OK)
            st = sc_task_put(&e->tasks[i], store);
    return st;
}
