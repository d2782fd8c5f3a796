#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "flow/study_read.h"
#include "flow/table.h"

bool sc_study_read_networks(sc_study *s, const sc_node *root)
{
    static const char *const keys[] = {"network", "weight"};
    static const char *const ways[] = {"geomean", "worst"};
    const sc_node *list = sc_map_sequence(root, "networks");
    size_t how;
    if (!list || !sc_map_choice_or(&how, root, "aggregate", ways, 2, SC_AGGREGATE_GEOMEAN))
        return false;
    s->aggregate = (sc_aggregate)how;
    const size_t n = sc_node_count(list);
    if (n == 0 || n > SC_STORE_MAX_VALUES / 4) {
        sc_node_error(list, "%zu networks: must be 1 to %d", n, SC_STORE_MAX_VALUES / 4);
        return false;
    }
    if (!(s->networks = sc_study_array(s, list, n, sizeof *s->networks)))
        return false;
    bool ok = true;
    for (size_t i = 0; i < n; i++) {
        const sc_node *item = sc_node_item(list, i);
        const bool whole = sc_node_kind_of(item) == SC_NODE_MAP;
        const sc_node *name = whole ? sc_map_node(item, "network") : item;
        sc_study_network *net = &s->networks[i];
        net->weight = 1.0;
        if (whole && (!sc_map_only(item, keys, 2) ||
                      !sc_map_number_or(&net->weight, item, "weight", SC_UNIT_NONE, 1.0)))
            ok = false;
        if (!(net->weight > 0.0)) {
            sc_node_error(item, "a weight must be above 0");
            ok = false;
        }
        if (!name || !(net->spec = sc_study_text(s, name, sc_node_text(name))))
            return false;
        const char *reference = sc_study_reference(s, name, net->spec);
        if (!reference)
            return false;
        const sc_status st = sc_workload_open(&net->workload, reference);
        s->n_networks = i + 1;
        if (st != SC_OK)
            ok = sc_study_fault(name, st);
        for (size_t k = 0; k < i; k++)
            if (strcmp(s->networks[k].spec, net->spec) == 0) {
                sc_node_error(name, "network '%.200s' stands twice: give it a weight", net->spec);
                ok = false;
                break;
            }
    }
    return ok;
}

static size_t find_value(const sc_study *s, const char *name)
{
    for (size_t v = 0; v < s->n_values; v++)
        if (strcmp(s->values[v].name, name) == 0)
            return v;
    return SIZE_MAX;
}

/* The figures our model records: every metric over all networks, then the main ones of each. */
static bool model_values(sc_study *s, const sc_node *root)
{
    static const sc_metric each[] = {SC_METRIC_LATENCY, SC_METRIC_ENERGY, SC_METRIC_PERF_PER_TDP};
    const size_t per_network = s->n_networks > 1 ? s->n_networks * 3 : 0;
    if (!(s->values = sc_study_array(s, root, SC_METRICS + per_network, sizeof *s->values)))
        return false;
    for (int m = 0; m < SC_METRICS; m++)
        s->values[s->n_values++] = (sc_study_value){sc_metric_about_of((sc_metric)m)->name,
                                                    SC_GOAL_NONE, (sc_metric)m, SIZE_MAX, 0};
    for (size_t k = 0; per_network > 0 && k < s->n_networks; k++)
        for (size_t i = 0; i < sizeof each / sizeof *each; i++) {
            char name[256];
            (void)snprintf(name, sizeof name, "%s[%s]", sc_metric_about_of(each[i])->name,
                           s->networks[k].spec);
            char *kept = sc_study_text(s, root, name);
            if (!kept)
                return false;
            s->values[s->n_values++] = (sc_study_value){kept, SC_GOAL_NONE, each[i], k, 0};
        }
    return true;
}

/* An external evaluator's figures: those that the file names. */
static bool external_value(size_t *out, sc_study *s, const sc_node *at, const char *name)
{
    *out = find_value(s, name);
    if (*out != SIZE_MAX)
        return true;
    if (s->n_values == SC_STORE_MAX_VALUES || name[0] == '\0') {
        sc_node_error(at, "at most %d values, each with a name", SC_STORE_MAX_VALUES);
        return false;
    }
    char *kept = sc_study_text(s, at, name);
    if (!kept)
        return false;
    *out = s->n_values++;
    s->values[*out] = (sc_study_value){kept, SC_GOAL_NONE, SC_METRICS, SIZE_MAX, 0};
    return true;
}

/* The figures of a recorded table: all of them, in its order. */
static bool table_values(sc_study *s, const sc_node *root)
{
    const size_t n = sc_table_values(s->table);
    if (!(s->values = sc_study_array(s, root, n, sizeof *s->values)))
        return false;
    for (size_t i = 0; i < n; i++)
        s->values[s->n_values++] = (sc_study_value){.name = sc_table_value_name(s->table, i),
                                                    .metric = SC_METRICS,
                                                    .network = SIZE_MAX,
                                                    .figure = i};
    return true;
}

static bool table_value(size_t *out, const sc_study *s, const sc_node *at, const char *name)
{
    *out = find_value(s, name);
    if (*out != SIZE_MAX)
        return true;
    const char *near = sc_table_nearest(s->table, name);
    sc_node_error(at, "'%.60s' is no column of the table and none of its `values`%s%s%s", name,
                  near ? " (did you mean '" : "", near ? near : "", near ? "'?)" : "");
    return false;
}

static bool value_named(size_t *out, sc_study *s, const sc_node *at, const char *name)
{
    if (s->table)
        return table_value(out, s, at, name);
    if (!s->template)
        return external_value(out, s, at, name);
    *out = find_value(s, name);
    if (*out != SIZE_MAX)
        return true;
    const char *near = sc_nearest(name, sc_metric_names(), SC_METRICS);
    sc_node_error(at, "no metric '%.60s'%s%s%s", name, near ? " (did you mean '" : "",
                  near ? near : "", near ? "'?)" : "; docs/formats/study.md lists them");
    return false;
}

static bool read_objective(sc_study *s, const sc_node *item)
{
    static const char *const keys[] = {"metric", "goal"};
    static const char *const goals[] = {"min", "max"};
    const bool whole = sc_node_kind_of(item) == SC_NODE_MAP;
    const sc_node *name = whole ? sc_map_node(item, "metric") : item;
    size_t v, goal;
    if (!name || (whole && !sc_map_only(item, keys, 2)) ||
        !value_named(&v, s, name, sc_node_text(name)))
        return false;
    sc_study_value *value = &s->values[v];
    if (value->goal != SC_GOAL_NONE) {
        sc_node_error(name, "'%s' is an objective already", value->name);
        return false;
    }
    if (s->template)
        value->goal = sc_metric_about_of(value->metric)->goal;
    if (whole && sc_node_get(item, "goal")) {
        if (!sc_map_choice(&goal, item, "goal", goals, 2))
            return false;
        value->goal = goal == 0 ? SC_GOAL_MIN : SC_GOAL_MAX;
    } else if (!s->template) {
        sc_node_error(item, "say {metric: %s, goal: min} or max: only our own metrics have a goal",
                      value->name);
        return false;
    }
    s->objectives[s->n_objectives++] = v;
    return true;
}

/* A bare number is in the metric's own unit (mm2), one with a unit in any of its kind. */
static bool read_bound(double *out, const sc_study_value *v, const sc_node *n)
{
    const char *text = sc_node_text(n);
    const size_t length = strlen(text);
    const bool bare =
        length > 0 && isdigit((unsigned char)text[length - 1]) && !strpbrk(text, "mun");
    if (v->metric == SC_METRICS || bare)
        return sc_node_number(out, n, SC_UNIT_NONE);
    const sc_metric_about *about = sc_metric_about_of(v->metric);
    if (!sc_node_number(out, n, about->unit))
        return false;
    *out /= about->scale;
    return true;
}

static bool read_limit(sc_study *s, const sc_node *map, size_t i)
{
    static const char *const keys[] = {"max", "min"};
    const sc_node *bounds = sc_node_item(map, i);
    size_t v;
    if (!value_named(&v, s, sc_node_key_node(map, i), sc_node_key(map, i)) ||
        !sc_map_only(bounds, keys, 2))
        return false;
    for (size_t k = 0; k < sc_node_count(bounds); k++) {
        const sc_node *bound = sc_node_item(bounds, k);
        sc_study_limit l = {.value = v, .at_most = strcmp(sc_node_key(bounds, k), "max") == 0};
        l.baseline = strcmp(sc_node_text(bound), "baseline") == 0;
        if (l.baseline && !s->baseline) {
            sc_node_error(bound, "there is no `baseline:` in this file");
            return false;
        }
        if (!l.baseline && !read_bound(&l.limit, &s->values[v], bound))
            return false;
        s->limits[s->n_limits++] = l;
    }
    const sc_study_limit *l = &s->limits[s->n_limits - sc_node_count(bounds)];
    if (sc_node_count(bounds) == 2 && !l[0].baseline && !l[1].baseline &&
        (l[0].at_most ? l[0].limit < l[1].limit : l[0].limit > l[1].limit)) {
        sc_node_error(bounds, "no value can be at least the min and at most the max");
        return false;
    }
    return true;
}

/* Objectives become the first columns, in the order of the file: what reads the rows later knows
 * the first objective by that. */
static bool objectives_first(sc_study *s, const sc_node *root)
{
    sc_study_value *ordered = sc_study_array(s, root, s->n_values, sizeof *ordered);
    size_t n = 0;
    if (!ordered)
        return false;
    for (size_t i = 0; i < s->n_objectives; i++)
        ordered[n++] = s->values[s->objectives[i]];
    for (size_t v = 0; v < s->n_values; v++)
        if (s->values[v].goal == SC_GOAL_NONE)
            ordered[n++] = s->values[v];
    memcpy(s->values, ordered, n * sizeof *ordered);
    for (size_t i = 0; i < s->n_objectives; i++)
        s->objectives[i] = i;
    return true;
}

bool sc_study_read_values(sc_study *s, const sc_node *root)
{
    const sc_node *objectives = sc_map_sequence(root, "objectives");
    const sc_node *limits = sc_node_get(root, "limits");
    bool ok = true;
    if (!objectives)
        return false;
    if ((s->template && !model_values(s, root)) || (s->table && !table_values(s, root)))
        return false;
    if (!s->template && !s->table &&
        !(s->values = sc_study_array(s, root, SC_STORE_MAX_VALUES, sizeof *s->values)))
        return false;
    const size_t n = sc_node_count(objectives);
    if (n == 0 || n > SC_MAX_OBJECTIVES) {
        sc_node_error(objectives, "%zu objectives: must be 1 to %d", n, SC_MAX_OBJECTIVES);
        return false;
    }
    const size_t most_limits = 2 * sc_node_count(limits);
    if (!(s->objectives = sc_study_array(s, root, n, sizeof *s->objectives)) ||
        !(s->limits = sc_study_array(s, root, most_limits, sizeof *s->limits)))
        return false;
    for (size_t i = 0; i < n; i++)
        ok &= read_objective(s, sc_node_item(objectives, i));
    if ((ok && !objectives_first(s, root)) || (limits && !sc_map_map(root, "limits")))
        return false;
    for (size_t i = 0; i < sc_node_count(limits); i++)
        ok &= read_limit(s, limits, i);
    return ok;
}
