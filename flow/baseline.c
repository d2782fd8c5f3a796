#include <math.h>
#include <string.h>

#include "flow/study.h"

/* All of the study's figures for one design, each network evaluated whole. Infeasible: all NaN. */
static sc_status figures(double *values, const sc_study *s, const sc_design *d)
{
    sc_evaluate_options o = SC_EVALUATE_OPTIONS_INIT;
    sc_metrics each[SC_STORE_MAX_VALUES];
    o.map_budget = s->map_budget;
    o.map_nodes = s->map_nodes;
    o.rules = s->baseline_rules;
    for (size_t k = 0; k < s->n_networks; k++) {
        sc_evaluation *e = NULL;
        const sc_status st = sc_evaluate(&e, d, s->networks[k].workload, &o);
        if (st != SC_OK)
            return st;
        each[k] = *sc_evaluation_metrics(e);
        sc_evaluation_destroy(e);
    }
    for (size_t v = 0; v < s->n_values; v++) {
        double figure[SC_STORE_MAX_VALUES], weight[SC_STORE_MAX_VALUES];
        for (size_t k = 0; k < s->n_networks; k++) {
            figure[k] = sc_metric_of(s->values[v].metric, &each[k]);
            weight[k] = s->networks[k].weight;
        }
        values[v] =
            s->values[v].network == SIZE_MAX
                ? sc_metric_join(s->values[v].metric, s->aggregate, figure, weight, s->n_networks)
                : figure[s->values[v].network];
    }
    return SC_OK;
}

/* Keep the design if it is the first, or better in the first objective. Takes it over. */
static sc_status consider(sc_study *s, sc_design *d, double *scratch)
{
    const size_t objective = s->objectives[0];
    sc_status st = s->calibration.name[0] ? sc_design_use_calibration(d, &s->calibration) : SC_OK;
    if (st == SC_OK)
        st = figures(scratch, s, d);
    if (st != SC_OK || isnan(scratch[objective])) {
        sc_design_destroy(d);
        return st;
    }
    const double now = s->baseline_values[objective];
    const bool better = s->values[objective].goal == SC_GOAL_MAX ? scratch[objective] > now
                                                                 : scratch[objective] < now;
    if (s->baseline_design && !better) {
        sc_design_destroy(d);
        return SC_OK;
    }
    sc_design_destroy(s->baseline_design);
    s->baseline_design = d;
    memcpy(s->baseline_values, scratch, s->n_values * sizeof *scratch);
    return SC_OK;
}

static sc_status every_point(sc_study *s, const sc_template *t, double *scratch)
{
    uint32_t index[SC_MAX_PARAMS] = {0};
    const size_t n = sc_template_params(t);
    for (;;) {
        sc_design *d = NULL;
        sc_status st = sc_design_create(&d, t, index);
        if (st != SC_OK || (st = consider(s, d, scratch)) != SC_OK)
            return st;
        size_t i = 0;
        while (i < n && ++index[i] == sc_template_param(t, i)->n_values)
            index[i++] = 0;
        if (i == n)
            return SC_OK;
    }
}

static double points_of(const sc_template *t)
{
    double product = 1.0;
    for (size_t i = 0; i < sc_template_params(t); i++)
        product *= (double)sc_template_param(t, i)->n_values;
    return product;
}

sc_status sc_study_find_baseline(sc_study *s)
{
    sc_template *t = NULL;
    sc_design *d = NULL;
    sc_status st;
    if (!s->baseline || s->baseline_values)
        return SC_OK;
    double *scratch = sc_arena_calloc(s->arena, s->n_values, sizeof *scratch);
    s->baseline_values = sc_arena_calloc(s->arena, s->n_values, sizeof *s->baseline_values);
    if (!scratch || !s->baseline_values)
        return SC_ENOMEM;
    if (sc_template_open(&t, s->baseline) == SC_OK && points_of(t) <= SC_BASELINE_POINTS)
        st = every_point(s, t, scratch);
    else if ((st = sc_design_open(&d, s->baseline)) == SC_OK)
        st = consider(s, d, scratch);
    if (st == SC_OK && !s->baseline_design)
        st = sc_fail(SC_EINVAL, "the baseline %s cannot run the study's networks", s->baseline);
    sc_template_destroy(t);
    if (st != SC_OK)
        s->baseline_values = NULL;
    return st;
}
