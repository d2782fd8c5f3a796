#include "targets.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/mem.h"
#include "search/pareto.h"

static const char suffix[] = "-cat";

static const test_function *function_at(size_t i, bool held)
{
    return held ? test_function_held(i) : test_function_at(i);
}

size_t target_names(char out[TARGET_MOST][TARGET_NAME_LEN], bool held)
{
    size_t n = 0;
    for (int mixed = 0; mixed < 2; mixed++)
        for (size_t i = 0; function_at(i, held) && n < TARGET_MOST; i++)
            if (!mixed || function_at(i, held)->labels == 0)
                (void)snprintf(out[n++], TARGET_NAME_LEN, "%s%s", function_at(i, held)->name,
                               mixed ? suffix : "");
    return n;
}

/* Level that a label stands for: steps of about 0.618 of the levels, so that neighbours are apart.
 */
static uint32_t scrambled(uint32_t label, uint32_t levels)
{
    uint32_t step = (uint32_t)(0.618 * levels) + 1;
    for (bool common = true; common; step += common) {
        uint32_t a = levels, b = step;
        while (b > 0) {
            const uint32_t rest = a % b;
            a = b;
            b = rest;
        }
        common = a != 1;
    }
    return (uint32_t)(((uint64_t)label * step + levels / 3) % levels);
}

static double variable(const target *t, size_t i, uint32_t index)
{
    const test_function *f = t->function;
    const double low = f->low ? f->low[i] : 0, high = f->high ? f->high[i] : 1;
    const uint32_t levels = t->cardinality[i];
    const uint32_t level = t->categorical[i] ? scrambled(index, levels) : index;
    return low + (high - low) * level / (levels - 1);
}

static void evaluate_function(const target *t, const double *x, sc_trial *out, double *f, double *g)
{
    t->function->value(f, g, x, t->function->n_variables);
    out->violation = 0;
    for (size_t i = 0; i < t->n_constraints; i++)
        out->violation += fmax(g[i], 0);
    out->state = out->violation > 0 ? SC_TRIAL_INFEASIBLE : SC_TRIAL_FEASIBLE;
}

void target_evaluate(const target *t, const uint32_t *point, sc_trial *out, double *f, double *g)
{
    double x[FUNCTION_MOST_VARIABLES];
    if (!t->function) {
        const sc_problem *p = t->as.problem;
        t->known.as.evaluate(t->known.as.payload, point, out, f);
        if (p->valid && !p->valid(p->context, point) && out->state == SC_TRIAL_FEASIBLE) {
            out->state = SC_TRIAL_INFEASIBLE;
            out->violation = 1;
        }
        g[0] = out->state == SC_TRIAL_FEASIBLE     ? 0
               : out->state == SC_TRIAL_INFEASIBLE ? out->violation
                                                   : 1;
        return;
    }
    for (size_t i = 0; i < t->function->n_variables; i++)
        x[i] = variable(t, i, point[i]);
    evaluate_function(t, x, out, f, g);
}

static void evaluate_known(const void *payload, const uint32_t *point, sc_trial *out, double *f)
{
    double g[FUNCTION_MOST_CONSTRAINTS];
    target_evaluate(payload, point, out, f, g);
}

static bool next_point(const target *t, uint32_t *point, size_t n)
{
    for (size_t i = n; i-- > 0;) {
        if (++point[i] < t->cardinality[i])
            return true;
        point[i] = 0;
    }
    return false;
}

/* Every point of the grid, or of those variables that span the front. */
static sc_status measure_front(target *t)
{
    const test_function *f = t->function;
    const size_t n = f->optimum ? f->n_front : f->n_variables;
    double x[FUNCTION_MOST_VARIABLES] = {0}, value[3], g[FUNCTION_MOST_CONSTRAINTS];
    uint32_t point[FUNCTION_MOST_VARIABLES] = {0};
    sc_archive *a = NULL;
    bool added;
    sc_status st = sc_archive_create(&a, f->n_objectives);
    for (size_t j = 0; j < f->n_objectives; j++)
        t->ref[j] = f->optimum ? f->greatest[j] : -HUGE_VAL;
    if (f->optimum)
        memcpy(x, f->optimum, f->n_variables * sizeof *x);
    do {
        sc_trial trial;
        for (size_t i = 0; i < n; i++)
            x[i] = variable(t, i, point[i]);
        evaluate_function(t, x, &trial, value, g);
        if (trial.state != SC_TRIAL_FEASIBLE || st != SC_OK)
            continue;
        for (size_t j = 0; j < f->n_objectives && !f->optimum; j++)
            t->ref[j] = fmax(t->ref[j], value[j]);
        st = sc_archive_add(a, value, 0, &added);
    } while (next_point(t, point, n));
    if (st == SC_OK)
        st = sc_hypervolume(&t->as.volume, sc_archive_values(a, 0), sc_archive_count(a),
                            f->n_objectives, t->ref);
    sc_archive_destroy(a);
    return st;
}

static sc_status open_function(target *t, const test_function *f, bool mixed)
{
    t->function = f;
    t->n_constraints = f->n_constraints;
    for (size_t i = 0; i < f->n_variables; i++) {
        t->categorical[i] = mixed ? i % 2 == 1 : f->labels >> i & 1;
        t->cardinality[i] = f->own_levels       ? f->own_levels[i]
                            : t->categorical[i] ? f->label_levels
                                                : f->levels;
    }
    t->problem = (sc_problem){.n_params = f->n_variables,
                              .cardinality = t->cardinality,
                              .categorical = t->categorical,
                              .n_objectives = f->n_objectives};
    t->as = (sc_known_problem){&t->problem, t->ref, 0, evaluate_known, t};
    return measure_front(t);
}

static sc_status open_table(target *t, const char *path)
{
    sc_status st = sc_study_open(&t->study, path, NULL);
    if (st == SC_OK)
        st = sc_study_know(&t->known, t->study);
    if (st != SC_OK)
        return st;
    t->as = t->known.as;
    t->as.evaluate = evaluate_known;
    t->as.payload = t;
    t->n_constraints = 1;
    return SC_OK;
}

sc_status target_open(target *t, const char *name)
{
    const size_t n = strlen(name), m = strlen(suffix);
    const bool mixed = n > m && strcmp(name + n - m, suffix) == 0;
    *t = (target){.function = NULL};
    if (n > 5 && strcmp(name + n - 5, ".yaml") == 0)
        return open_table(t, name);
    for (int held = 0; held < 2; held++)
        for (size_t i = 0; function_at(i, held); i++) {
            const test_function *f = function_at(i, held);
            const size_t length = strlen(f->name);
            if (length == (mixed ? n - m : n) && strncmp(f->name, name, length) == 0 &&
                (!mixed || f->labels == 0))
                return open_function(t, f, mixed);
        }
    return sc_fail(SC_ENOTFOUND, "no test function '%s'", name);
}

void target_close(target *t)
{
    sc_study_close(t->study);
    t->study = NULL;
}
