#include "flow/compare.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/mem.h"
#include "core/run.h"
#include "search/pareto.h"

sc_status sc_share_open(sc_share *s, size_t m, const double *ref, double volume)
{
    *s = (sc_share){.ref = ref, .volume = volume, .m = m};
    return sc_archive_create(&s->archive, m);
}

void sc_share_close(sc_share *s)
{
    sc_archive_destroy(s->archive);
    s->archive = NULL;
}

sc_status sc_share_add(sc_share *s, const double *f)
{
    bool added;
    return sc_archive_add(s->archive, f, 0, &added);
}

sc_status sc_share_now(double *out, const sc_share *s)
{
    const size_t n = sc_archive_count(s->archive);
    double volume = 0.0;
    if (n == 0 || !(s->volume > 0.0)) {
        *out = n > 0;
        return SC_OK;
    }
    const sc_status st = sc_hypervolume(&volume, sc_archive_values(s->archive, 0), n, s->m, s->ref);
    if (st == SC_OK)
        *out = fmin(volume / s->volume, 1.0); /* the rounding of two sums */
    return st;
}

bool sc_compare_searches(const char *optimizer)
{
    return strcmp(optimizer, "grid") != 0 && strcmp(optimizer, "list") != 0;
}

/* One optimiser on one problem. */
typedef struct race {
    const sc_known_problem *p;
    sc_optimizer *o;
    sc_share share;
    uint32_t *points; /* [batch][n_params] */
    double *f;        /* [batch][n_objectives] */
    sc_trial *trials; /* [batch] */
    double spent;
    bool exhausted;
} race;

static sc_status race_open(race *r, const sc_known_problem *p, const sc_compare_call *call)
{
    r->p = p;
    sc_status st = sc_optimizer_create(&r->o, call->optimizer, p->problem, call->seed, NULL);
    if (st == SC_OK)
        st = sc_share_open(&r->share, p->problem->n_objectives, p->ref, p->volume);
    if (st != SC_OK)
        return st;
    r->points = sc_calloc(call->batch, p->problem->n_params * sizeof *r->points);
    r->f = sc_calloc(call->batch, p->problem->n_objectives * sizeof *r->f);
    r->trials = sc_calloc(call->batch, sizeof *r->trials);
    return r->points && r->f && r->trials ? SC_OK : SC_ENOMEM;
}

static void race_close(race *r)
{
    sc_optimizer_destroy(r->o);
    sc_share_close(&r->share);
    sc_free(r->points);
    sc_free(r->f);
    sc_free(r->trials);
}

/* Ask for n points, evaluate and tell them. */
static sc_status step(race *r, size_t n, size_t *got)
{
    const size_t params = r->p->problem->n_params, m = r->p->problem->n_objectives;
    sc_stop why = SC_RUNNING;
    double start = sc_now();
    sc_status st = sc_optimizer_ask(r->o, n, r->points, got, &why);
    r->spent += sc_now() - start;
    r->exhausted = why == SC_STOP_EXHAUSTED;
    for (size_t i = 0; i < *got && st == SC_OK; i++) {
        sc_trial *t = &r->trials[i];
        *t = (sc_trial){.point = r->points + i * params, .objectives = r->f + i * m};
        r->p->evaluate(r->p->payload, t->point, t, r->f + i * m);
        if (t->state == SC_TRIAL_FEASIBLE)
            st = sc_share_add(&r->share, t->objectives);
    }
    if (st != SC_OK)
        return st;
    start = sc_now();
    st = sc_optimizer_tell(r->o, r->trials, *got);
    r->spent += sc_now() - start;
    return st;
}

sc_status sc_compare_run(double *share, double *seconds, const sc_known_problem *p,
                         const sc_compare_call *call)
{
    race r = {0};
    uint64_t done = 0;
    sc_status st = race_open(&r, p, call);
    for (size_t k = 0; k < call->n && st == SC_OK; k++) {
        while (done < call->marks[k] && !r.exhausted && st == SC_OK) {
            const uint64_t left = call->marks[k] - done;
            size_t got = 0;
            st = step(&r, left < call->batch ? (size_t)left : call->batch, &got);
            done += got;
        }
        if (st == SC_OK)
            st = sc_share_now(&share[k], &r.share);
    }
    if (st == SC_OK && seconds)
        *seconds = done > 0 ? r.spent / (double)done : 0.0;
    race_close(&r);
    return st;
}

static int ascending(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

double sc_compare_quantile(double *values, size_t n, double q)
{
    qsort(values, n, sizeof *values, ascending);
    const double at = q * (double)(n - 1);
    const size_t low = (size_t)at, high = low + 1 < n ? low + 1 : low;
    return values[low] + (at - (double)low) * (values[high] - values[low]);
}
