#include "search/optimizer.h"

#include <math.h>
#include <string.h>

#include "core/mem.h"
#include "core/text.h"
#include "search/opt.h"

static const sc_opt_class *const classes[] = {
    &sc_opt_class_random,  &sc_opt_class_sobol, &sc_opt_class_grid, &sc_opt_class_list,
    &sc_opt_class_nsga2,   &sc_opt_class_cmaes, &sc_opt_class_tpe,  &sc_opt_class_evolution,
    &sc_opt_class_firefly, &sc_opt_class_lcs,   &sc_opt_class_gp,   &sc_opt_class_portfolio,
};
enum { N_CLASSES = sizeof classes / sizeof *classes };

const char *sc_optimizer_builtin(size_t i)
{
    return i < N_CLASSES ? classes[i]->name : NULL;
}

const char *sc_optimizer_builtin_about(size_t i)
{
    return i < N_CLASSES ? classes[i]->about : NULL;
}

static sc_status find_class(const sc_opt_class **out, const char *name)
{
    char hint[SC_SUGGEST_LEN], shown[SC_SHOWN_LEN];
    sc_near near;

    sc_near_begin(&near, name);
    for (size_t i = 0; i < N_CLASSES; i++) {
        if (strcmp(classes[i]->name, name) == 0) {
            *out = classes[i];
            return SC_OK;
        }
        sc_near_offer(&near, classes[i]->name);
    }
    return sc_fail(SC_ENOTFOUND, "no optimizer '%s'%s", sc_text_show(shown, name),
                   sc_did_you_mean(hint, near.best));
}

/* Points of the grid, 0 where there are 2^63 or more. */
static uint64_t grid_product(const sc_problem *p)
{
    uint64_t product = 1;
    for (size_t i = 0; i < p->n_params; i++) {
        if (product > INT64_MAX / p->cardinality[i])
            return 0;
        product *= p->cardinality[i];
    }
    return product;
}

static void *copy_of(const void *from, size_t count, size_t size)
{
    void *to = sc_calloc(count, size);
    if (to && count > 0)
        memcpy(to, from, count * size);
    return to;
}

static sc_status copy_arrays(sc_optimizer *o, const sc_problem *p, const sc_optimizer_options *opts)
{
    if (opts->n_points > SIZE_MAX / p->n_params)
        return sc_fail(SC_ERANGE, "list: too many points");
    o->problem.cardinality = copy_of(p->cardinality, p->n_params, sizeof *p->cardinality);
    o->problem.categorical = copy_of(p->categorical, p->n_params, sizeof *p->categorical);
    o->options.points = copy_of(opts->points, opts->n_points * p->n_params, sizeof *opts->points);
    o->scratch = sc_calloc(p->n_params, sizeof *o->scratch);
    return o->problem.cardinality && o->problem.categorical && o->options.points && o->scratch
               ? SC_OK
               : SC_ENOMEM;
}

sc_status sc_optimizer_create(sc_optimizer **out, const char *name, const sc_problem *problem,
                              uint64_t seed, const sc_optimizer_options *options)
{
    const sc_optimizer_options defaults = SC_OPTIMIZER_OPTIONS_INIT;
    const sc_optimizer_options *opts = options ? options : &defaults;
    const char *wrong = sc_problem_check(problem);
    sc_status st = SC_OK;
    sc_optimizer *o = NULL;
    const sc_opt_class *class = NULL;

    if ((st = find_class(&class, name)) != SC_OK)
        goto done;
    if (!wrong && opts->version != 1)
        wrong = "unknown version of the options";
    if (wrong) {
        st = sc_fail(SC_EINVAL, "%s: %s", name, wrong);
        goto done;
    }
    o = sc_calloc(1, sizeof *o);
    if (!o) {
        st = SC_ENOMEM;
        goto done;
    }
    o->class = class;
    o->problem = *problem;
    o->seed = seed;
    o->options = *opts;
    o->product = grid_product(problem);
    if ((st = copy_arrays(o, problem, opts)) != SC_OK)
        goto done;
    if (class->create && (st = class->create(o)) != SC_OK)
        goto done;
    *out = o;
    o = NULL;
done:
    sc_optimizer_destroy(o);
    return st;
}

void sc_optimizer_destroy(sc_optimizer *o)
{
    if (!o)
        return;
    if (o->class->destroy)
        o->class->destroy(o);
    sc_free((void *)o->problem.cardinality);
    sc_free((void *)o->problem.categorical);
    sc_free((void *)o->options.points);
    sc_free(o->scratch);
    sc_seen_clear(&o->seen);
    sc_free(o);
}

const char *sc_optimizer_name(const sc_optimizer *o)
{
    return o->class->name;
}

sc_status sc_optimizer_ask(sc_optimizer *o, size_t n, uint32_t *points, size_t *got, sc_stop *why)
{
    sc_opt_found found = SC_OPT_FOUND;
    size_t k = 0;
    const sc_status st = sc_seen_reserve(&o->seen, n);

    if (st != SC_OK)
        return st;
    while (k < n) {
        uint32_t *point = points + k * o->problem.n_params;
        found = o->class->propose(o, point);
        if (found != SC_OPT_FOUND)
            break;
        sc_seen_add(&o->seen, sc_opt_key(o, point), false);
        o->asked++;
        k++;
    }
    *got = k;
    *why = found == SC_OPT_NONE ? SC_STOP_EXHAUSTED : SC_RUNNING;
    return SC_OK;
}

static sc_status check_trial(const sc_problem *p, const sc_trial *t, size_t k)
{
    for (size_t i = 0; i < p->n_params; i++)
        if (t->point[i] >= p->cardinality[i])
            return sc_fail(SC_EINVAL, "trial %zu: index %u of parameter %zu is not below %u", k,
                           t->point[i], i, p->cardinality[i]);
    switch (t->state) {
    case SC_TRIAL_FEASIBLE:
        for (size_t j = 0; j < p->n_objectives; j++)
            if (!t->objectives || !isfinite(t->objectives[j]))
                return sc_fail(SC_EINVAL, "trial %zu: feasible, but objective %zu is not finite", k,
                               j);
        return SC_OK;
    case SC_TRIAL_INFEASIBLE:
        if (!(t->violation > 0.0 && isfinite(t->violation)))
            return sc_fail(SC_EINVAL,
                           "trial %zu: infeasible, but the violation is not positive "
                           "and finite",
                           k);
        return SC_OK;
    case SC_TRIAL_FAILED: return SC_OK;
    }
    return sc_fail(SC_EINVAL, "trial %zu: unknown state %d", k, (int)t->state);
}

sc_status sc_opt_check_trials(const sc_optimizer *o, const sc_trial *trials, size_t n)
{
    sc_status st = SC_OK;
    for (size_t k = 0; k < n && st == SC_OK; k++)
        st = check_trial(&o->problem, &trials[k], k);
    return st;
}

bool sc_opt_take(sc_optimizer *o, const sc_trial *t, sc_trial *canonical)
{
    const sc_problem *p = &o->problem;
    memcpy(o->scratch, t->point, p->n_params * sizeof *o->scratch);
    if (p->canonical)
        p->canonical(p->context, o->scratch, NULL);
    *canonical = *t;
    canonical->point = o->scratch;
    return sc_seen_tell(&o->seen, sc_opt_key(o, o->scratch));
}

sc_status sc_optimizer_tell(sc_optimizer *o, const sc_trial *trials, size_t n)
{
    sc_status st = sc_opt_check_trials(o, trials, n);

    if (st != SC_OK || (st = sc_seen_reserve(&o->seen, n)) != SC_OK)
        return st;
    for (size_t k = 0; k < n; k++) {
        sc_trial t;
        if (sc_opt_take(o, &trials[k], &t) && o->class->tell)
            o->class->tell(o, &t);
    }
    return SC_OK;
}

uint64_t sc_optimizer_asked(const sc_optimizer *o)
{
    return o->asked;
}

uint64_t sc_optimizer_told(const sc_optimizer *o)
{
    return o->seen.n_told;
}

uint64_t sc_optimizer_pending(const sc_optimizer *o)
{
    return o->seen.n - o->seen.n_told;
}
