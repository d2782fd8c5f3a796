/* The `parameters:` list of a template: domains, defaults and conditions. */
#include <math.h>
#include <string.h>

#include "model/arch/param.h"

/* A domain being read: its values so far, in the order they stand. */
typedef struct domain {
    double *values; /* [SC_MAX_VALUES at most] */
    size_t n, capacity;
} domain;

static bool reserve(domain *d, sc_arena *arena, const sc_node *at, size_t n)
{
    if (n == 0 || n > SC_MAX_VALUES) {
        sc_node_error(at, "a parameter has 1 to %d values", SC_MAX_VALUES);
        return false;
    }
    d->values = sc_arena_calloc(arena, n, sizeof *d->values);
    d->capacity = n;
    if (!d->values)
        sc_node_fail(at, SC_ENOMEM);
    return d->values != NULL;
}

static bool read_values(domain *d, const sc_node *list, sc_unit unit)
{
    bool ok = true;
    for (size_t i = 0; i < sc_node_count(list); i++)
        ok = sc_node_number(&d->values[d->n++], sc_node_item(list, i), unit) && ok;
    return ok;
}

static bool read_ordinal(domain *d, sc_arena *arena, const sc_node *n, sc_unit unit)
{
    const sc_node *list = sc_map_sequence(n, "values");
    return list && reserve(d, arena, list, sc_node_count(list)) && read_values(d, list, unit);
}

/* Steps from min to max, whole in number: by a factor of 2, or by `step`. -1 after recording. */
static long count_steps(const sc_node *n, double min, double max, double step)
{
    const double steps = step > 0 ? (max - min) / step : min > 0 ? log2(max / min) : -1;
    if (!(steps >= 0) || steps != floor(steps) || steps >= SC_MAX_VALUES) {
        sc_node_error(n,
                      step > 0 ? "max must lie a whole number of steps above min, at most %d"
                               : "max must be min, above 0, times a power of two, at most 2^%d",
                      SC_MAX_VALUES - 1);
        return -1;
    }
    return (long)steps;
}

static bool read_range(domain *d, sc_arena *arena, const sc_node *n, sc_unit unit, bool is_log2)
{
    const sc_node *first = sc_node_get(n, "first");
    double min = 0, max = 0, step = 1;
    bool ok = sc_map_number(&min, n, "min", unit);
    ok = sc_map_number(&max, n, "max", unit) && ok;
    ok = (is_log2 || sc_map_number_or(&step, n, "step", unit, 1)) && ok;
    if (ok && !is_log2 && (min != floor(min) || step != floor(step) || step < 1)) {
        sc_node_error(n, "an int parameter has a whole min and a whole step of 1 or more");
        return false;
    }
    if (first && sc_node_kind_of(first) != SC_NODE_SEQUENCE) {
        sc_node_error(first, "'first' is a list of values");
        return false;
    }
    const long steps = ok ? count_steps(n, min, max, is_log2 ? 0 : step) : -1;
    if (steps < 0 || !reserve(d, arena, n, sc_node_count(first) + (size_t)steps + 1) ||
        !read_values(d, first, unit))
        return false;
    for (long i = 0; i <= steps; i++)
        d->values[d->n++] = is_log2 ? ldexp(min, (int)i) : min + (double)i * step;
    return true;
}

static bool read_labels(sc_param *p, domain *d, sc_arena *arena, const sc_node *n)
{
    const sc_node *list = sc_map_sequence(n, "values");
    const size_t count = sc_node_count(list);
    if (!list || !reserve(d, arena, list, count))
        return false;
    const char **labels = sc_arena_calloc(arena, count, sizeof *labels);
    if (!labels) {
        sc_node_fail(list, SC_ENOMEM);
        return false;
    }
    for (size_t i = 0; i < count; i++) {
        const sc_node *item = sc_node_item(list, i);
        if (!sc_name__ok(sc_node_text(item))) {
            sc_node_error(item, "a label is a letter or _ followed by letters, digits or _");
            return false;
        }
        for (size_t k = 0; k < i; k++)
            if (strcmp(labels[k], sc_node_text(item)) == 0) {
                sc_node_error(item, "'%s' stands twice", labels[k]);
                return false;
            }
        labels[i] = sc_arena__text(arena, item, sc_node_text(item));
        if (!labels[i])
            return false;
        d->values[d->n++] = (double)i;
    }
    p->labels = labels;
    return true;
}

static bool check_ascending(const domain *d, const sc_node *n)
{
    for (size_t i = 1; i < d->n; i++)
        if (!(d->values[i] > d->values[i - 1])) {
            sc_node_error(n, "the values must ascend, those of 'first' before the others");
            return false;
        }
    return true;
}

static void read_default(sc_param *p, const sc_node *n)
{
    const char *text = NULL;
    uint32_t index = 0;
    if (!sc_map_text(&text, n, "default"))
        return;
    if (sc_param__find(&index, p, text) != SC_OK)
        sc_node_error(sc_node_get(n, "default"), "%s", sc_error_message());
    p->fallback = index;
}

static void read_domain(sc_param *p, sc_arena *arena, const sc_node *n)
{
    domain d = {0};
    bool ok = false;
    switch (p->kind) {
    case SC_PARAM_LOG2: ok = read_range(&d, arena, n, p->unit, true); break;
    case SC_PARAM_INT: ok = read_range(&d, arena, n, p->unit, false); break;
    case SC_PARAM_ORDINAL: ok = read_ordinal(&d, arena, n, p->unit); break;
    case SC_PARAM_CATEGORICAL: ok = read_labels(p, &d, arena, n); break;
    }
    if (!ok || !check_ascending(&d, n))
        return;
    p->values = d.values;
    p->n_values = d.n;
    read_default(p, n);
}

static bool read_unit(sc_unit *unit, const sc_node *n)
{
    const sc_node *at = sc_node_get(n, "unit");
    *unit = sc_unit__of(sc_node_text(at));
    if (!at || *unit != SC_UNIT_NONE)
        return true;
    sc_node_error(at, "the unit of a parameter is one of B, Hz, B/s, W, J, s, m, m2");
    return false;
}

static void read_param(sc_param *p, sc_formula *when, sc_scope *s, const sc_node *n)
{
    static const char *const KINDS[] = {[SC_PARAM_LOG2] = "log2",
                                        [SC_PARAM_INT] = "int",
                                        [SC_PARAM_ORDINAL] = "ordinal",
                                        [SC_PARAM_CATEGORICAL] = "categorical"};
    /* the keys of each kind */
    static const struct {
        const char *key[9];
        size_t n;
    } KEYS[] = {
        [SC_PARAM_LOG2] = {{"name", "kind", "about", "default", "when", "unit", "min", "max",
                            "first"},
                           9},
        [SC_PARAM_INT] = {{"name", "kind", "about", "default", "when", "unit", "min", "max",
                           "step"},
                          9},
        [SC_PARAM_ORDINAL] = {{"name", "kind", "about", "default", "when", "unit", "values"}, 7},
        [SC_PARAM_CATEGORICAL] = {{"name", "kind", "about", "default", "when", "values"}, 6}};
    const char *name = NULL;
    size_t kind = 0;

    *p = (sc_param){0};
    *when = sc_formula__number(1);
    if (!sc_map_text(&name, n, "name") || !(p->name = sc_arena__text(s->arena, n, name)) ||
        !sc_map_choice(&kind, n, "kind", KINDS, 4) || !sc_map_only(n, KEYS[kind].key, KEYS[kind].n))
        return;
    p->kind = (sc_param_kind)kind;
    p->about = sc_arena__text(s->arena, n, sc_map_text_or(n, "about", ""));
    if (read_unit(&p->unit, n))
        read_domain(p, s->arena, n);
    if (sc_node_get(n, "when") && sc_formula__read(when, s, sc_node_get(n, "when"), SC_UNIT_NONE))
        p->when = sc_arena__text(s->arena, n, sc_expr_text(when->expr));
}

void sc_params__read(sc_scope *s, sc_formula *when, const sc_node *list)
{
    s->first_param = s->n_symbols;
    for (size_t i = 0; i < sc_node_count(list); i++) {
        const sc_node *n = sc_node_item(list, i);
        sc_param *p = &s->param[s->n_params];
        if (s->n_params == SC_TEMPLATE_PARAMS) {
            sc_node_error(n, "more than %d parameters", SC_TEMPLATE_PARAMS);
            return;
        }
        /* with an error in it, its name stays known: no second error wherever it is used */
        read_param(p, &when[s->n_params], s, n);
        if (p->name && sc_scope__add(s, sc_node_get(n, "name"), "parameter", p->name, p->labels,
                                     p->labels ? p->n_values : 0) < SC_MAX_SYMBOLS)
            s->n_params++;
    }
}
