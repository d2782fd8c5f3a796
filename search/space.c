/* Building a space. */
#include "search/space.h"

#include <math.h>
#include <string.h>

#include "core/mem.h"
#include "core/text.h"
#include "search/space_inner.h"

static const size_t MOST_VALUES = (size_t)1 << 22; /* of all parameters: 50 MB */

const char *sc_space_kind_name(sc_space_kind k)
{
    switch (k) {
    case SC_SPACE_LOG2: return "log2";
    case SC_SPACE_INT: return "int";
    case SC_SPACE_ORDINAL: return "ordinal";
    case SC_SPACE_CATEGORICAL: return "categorical";
    }
    return "unknown";
}

sc_status sc_space_create(sc_space **out, const char *name)
{
    sc_space *s = sc_calloc(1, sizeof *s);
    char *copy = s ? sc_strdup(name) : NULL;
    if (!copy) {
        sc_free(s);
        return SC_ENOMEM;
    }
    s->name = copy;
    *out = s;
    return SC_OK;
}

static void clear_axis(struct sc_axis *a)
{
    for (size_t k = 0; a->labels && k < a->n_added; k++)
        sc_free(a->labels[k]);
    sc_free(a->labels);
    sc_free(a->view_labels);
    sc_free(a->label_hash);
    sc_free(a->values);
    sc_free(a->origin);
    sc_expr_destroy(a->when);
}

void sc_space_destroy(sc_space *s)
{
    if (!s)
        return;
    for (size_t i = 0; i < s->n; i++)
        clear_axis(&s->axis[i]);
    for (size_t i = 0; i < s->n_rules; i++) {
        sc_free(s->rule[i].name);
        sc_expr_destroy(s->rule[i].expression);
        sc_free(s->rule[i].text);
    }
    sc_free(s->axis);
    sc_free(s->cardinality);
    sc_free(s->categorical);
    sc_free(s->order);
    sc_free(s->rule);
    sc_free(s->name);
    sc_free(s);
}

/* ---- parameters ---- */

static bool is_name(const char *text)
{
    const size_t n =
        strspn(text, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_0123456789");
    return n > 0 && n < SC_SPACE_NAME_LEN && text[n] == '\0' && strchr("0123456789", *text) == NULL;
}

static sc_status check_labels(const sc_space_param *p)
{
    char shown[SC_SHOWN_LEN];
    if (!p->labels)
        return sc_fail(SC_EINVAL, "parameter %s: a categorical one has labels", p->name);
    for (size_t k = 0; k < p->n_values; k++) {
        if (!p->labels[k] || p->labels[k][0] == '\0')
            return sc_fail(SC_EINVAL, "parameter %s: label %zu is empty", p->name, k);
        for (size_t j = 0; j < k; j++)
            if (strcmp(p->labels[j], p->labels[k]) == 0)
                return sc_fail(SC_EINVAL, "parameter %s: label '%s' is there twice", p->name,
                               sc_text_show(shown, p->labels[k]));
    }
    return SC_OK;
}

static sc_status check_values(const sc_space_param *p)
{
    if (!p->values)
        return sc_fail(SC_EINVAL, "parameter %s: no values", p->name);
    for (size_t k = 0; k < p->n_values; k++) {
        if (!isfinite(p->values[k]))
            return sc_fail(SC_EINVAL, "parameter %s: value %zu is not finite", p->name, k);
        if (k > 0 && p->values[k] <= p->values[k - 1])
            return sc_fail(SC_EINVAL, "parameter %s: values do not ascend: %g after %g", p->name,
                           p->values[k], p->values[k - 1]);
    }
    return SC_OK;
}

static sc_status check_param(const sc_space *s, const sc_space_param *p)
{
    const bool labelled = p->kind == SC_SPACE_CATEGORICAL;
    const size_t most = labelled ? SC_MAX_LABELS : SC_MAX_VALUES;
    char shown[SC_SHOWN_LEN];

    if (!is_name(p->name))
        return sc_fail(SC_EINVAL,
                       "parameter '%s': a name is a letter or _, then letters, digits and _, at "
                       "most %d in all",
                       sc_text_show(shown, p->name), SC_SPACE_NAME_LEN - 1);
    if (sc_space_find(s, p->name) != SIZE_MAX)
        return sc_fail(SC_EINVAL, "parameter %s: there is one of that name", p->name);
    if (s->n == SC_MAX_PARAMS)
        return sc_fail(SC_EINVAL, "parameter %s: more than %d parameters", p->name, SC_MAX_PARAMS);
    if (p->n_values < 1 || p->n_values > most)
        return sc_fail(SC_EINVAL, "parameter %s: %zu values, must be 1 to %zu", p->name,
                       p->n_values, most);
    size_t before = 0;
    for (size_t i = 0; i < s->n; i++)
        before += s->axis[i].n_added;
    if (p->n_values > MOST_VALUES - before)
        return sc_fail(SC_EINVAL, "parameter %s: more than %zu values in all", p->name,
                       MOST_VALUES);
    if (p->fallback >= p->n_values)
        return sc_fail(SC_EINVAL, "parameter %s: the fallback is no value of it", p->name);
    return labelled ? check_labels(p) : check_values(p);
}

static bool fill_labels(struct sc_axis *a, const sc_space_param *p)
{
    a->labels = sc_calloc(p->n_values, sizeof *a->labels);
    a->view_labels = sc_calloc(p->n_values, sizeof *a->view_labels);
    a->label_hash = sc_calloc(p->n_values, sizeof *a->label_hash);
    if (!a->labels || !a->view_labels || !a->label_hash)
        return false;
    for (size_t k = 0; k < p->n_values; k++) {
        a->labels[k] = sc_strdup(p->labels[k]);
        if (!a->labels[k])
            return false;
        a->view_labels[k] = a->labels[k];
        a->label_hash[k] = sc_hash64_of(a->labels[k], strlen(a->labels[k]));
    }
    a->view.labels = a->view_labels;
    return true;
}

static sc_status fill_axis(struct sc_axis *a, const sc_space_param *p)
{
    const bool labelled = p->kind == SC_SPACE_CATEGORICAL;

    *a = (struct sc_axis){.n_added = p->n_values, .view = *p};
    a->view.labels = NULL;
    memcpy(a->name, p->name, strlen(p->name) + 1);
    a->name_hash = sc_hash64_of(a->name, strlen(a->name));
    a->values = sc_calloc(p->n_values, sizeof *a->values);
    a->origin = sc_calloc(p->n_values, sizeof *a->origin);
    if (!a->values || !a->origin || (labelled && !fill_labels(a, p)))
        return SC_ENOMEM;
    for (size_t k = 0; k < p->n_values; k++) {
        a->values[k] = labelled ? (double)k : p->values[k] + 0.0; /* -0 becomes 0 */
        a->origin[k] = (uint32_t)k;
    }
    a->view.values = a->values;
    a->fallback_origin = (uint32_t)p->fallback;
    a->fallback_value = a->values[p->fallback];
    return SC_OK;
}

/* Grow every per-parameter array by one; what grew before a failure does no harm. */
static sc_status make_room(sc_space *s)
{
    void *p;
    if (!(p = sc_realloc_array(s->axis, s->n + 1, sizeof *s->axis)))
        return SC_ENOMEM;
    s->axis = p;
    /* The names of the views stand in the axes, which have moved. */
    for (size_t i = 0; i < s->n; i++)
        s->axis[i].view.name = s->axis[i].name;
    if (!(p = sc_realloc_array(s->cardinality, s->n + 1, sizeof *s->cardinality)))
        return SC_ENOMEM;
    s->cardinality = p;
    if (!(p = sc_realloc_array(s->categorical, s->n + 1, sizeof *s->categorical)))
        return SC_ENOMEM;
    s->categorical = p;
    if (!(p = sc_realloc_array(s->order, s->n + 1, sizeof *s->order)))
        return SC_ENOMEM;
    s->order = p;
    return SC_OK;
}

sc_status sc_space_add(sc_space *s, const sc_space_param *p)
{
    sc_status st = check_param(s, p);
    struct sc_axis axis;

    if (st != SC_OK || (st = make_room(s)) != SC_OK)
        return st;
    if ((st = fill_axis(&axis, p)) != SC_OK) {
        clear_axis(&axis);
        return st;
    }
    s->axis[s->n] = axis;
    s->axis[s->n].view.name = s->axis[s->n].name;
    s->cardinality[s->n] = (uint32_t)p->n_values;
    s->categorical[s->n] = p->kind == SC_SPACE_CATEGORICAL;
    s->n++;
    return SC_OK;
}

static sc_status check_keep(const sc_space *s, size_t i, const uint32_t *keep, size_t n)
{
    if (i >= s->n)
        return sc_fail(SC_EINVAL, "restriction of parameter %zu of %zu", i, s->n);
    const sc_space_param *p = &s->axis[i].view;
    if (n < 1)
        return sc_fail(SC_EINVAL, "parameter %s: no value is left", p->name);
    for (size_t k = 0; k < n; k++)
        if (keep[k] >= p->n_values || (k > 0 && keep[k] <= keep[k - 1]))
            return sc_fail(SC_EINVAL, "parameter %s: indices to keep must ascend below %zu",
                           p->name, p->n_values);
    return SC_OK;
}

sc_status sc_space_restrict(sc_space *s, size_t i, const uint32_t *keep, size_t n)
{
    const sc_status st = check_keep(s, i, keep, n);
    if (st != SC_OK)
        return st;
    /* keep[k] >= k, so the values move down in place and nothing can fail. */
    struct sc_axis *a = &s->axis[i];
    a->view.fallback = 0;
    for (size_t k = 0; k < n; k++) {
        a->values[k] = a->values[keep[k]];
        a->origin[k] = a->origin[keep[k]];
        if (a->view_labels)
            a->view_labels[k] = a->view_labels[keep[k]];
        if (a->origin[k] == a->fallback_origin)
            a->view.fallback = k;
    }
    a->view.n_values = n;
    s->cardinality[i] = (uint32_t)n;
    return SC_OK;
}

/* ---- conditions and constraints ---- */

sc_status sc_space__symbols(const sc_space *s, sc_symbol **out)
{
    sc_symbol *symbols = sc_calloc(s->n, sizeof *symbols);
    if (!symbols)
        return SC_ENOMEM;
    for (size_t i = 0; i < s->n; i++) {
        const struct sc_axis *a = &s->axis[i];
        symbols[i] =
            (sc_symbol){a->name, (const char *const *)a->labels, a->labels ? a->n_added : 0};
    }
    *out = symbols;
    return SC_OK;
}

static sc_status compile(const sc_space *s, const char *expression, sc_expr **out)
{
    sc_symbol *symbols = NULL;
    sc_status st = sc_space__symbols(s, &symbols);
    if (st == SC_OK)
        st = sc_expr_compile(out, expression, symbols, s->n, NULL);
    sc_free(symbols);
    return st;
}

static bool condition_uses(const struct sc_axis *a, size_t j)
{
    return a->when && sc_expr_uses(a->when, j);
}

/* Conditioned parameters, each after those its condition names, lowest first among equals.
 * @return their number, SIZE_MAX if conditions form a circle. */
static size_t sort_conditions(const sc_space *s, uint32_t *order)
{
    uint32_t waits_for[SC_MAX_PARAMS] = {0}; /* conditioned ones it names, not placed yet */
    bool placed[SC_MAX_PARAMS] = {false};
    size_t n = 0, conditioned = 0;

    for (size_t i = 0; i < s->n; i++) {
        conditioned += s->axis[i].when != NULL;
        for (size_t j = 0; j < s->n; j++)
            waits_for[i] += s->axis[j].when && condition_uses(&s->axis[i], j);
    }
    while (n < conditioned) {
        size_t next = 0;
        while (next < s->n && (!s->axis[next].when || placed[next] || waits_for[next] > 0))
            next++;
        if (next == s->n)
            return SIZE_MAX;
        placed[next] = true;
        order[n++] = (uint32_t)next;
        for (size_t i = 0; i < s->n; i++)
            waits_for[i] -= condition_uses(&s->axis[i], next);
    }
    return n;
}

sc_status sc_space__take_condition(sc_space *s, size_t i, sc_expr *e)
{
    struct sc_axis *a = &s->axis[i];
    uint32_t order[SC_MAX_PARAMS];

    if (s->canonical)
        return sc_fail(SC_EINVAL, "parameter %s: the space has a canonical form of its own",
                       a->name);
    if (a->when)
        return sc_fail(SC_EINVAL, "parameter %s: it has a condition", a->name);
    a->when = e;
    const size_t n = sort_conditions(s, order);
    if (n == SIZE_MAX) {
        a->when = NULL;
        return sc_fail(SC_EINVAL, "parameter %s: conditions depend on each other in a circle",
                       a->name);
    }
    memcpy(s->order, order, n * sizeof *order);
    s->n_conditions = n;
    return SC_OK;
}

sc_status sc_space_when(sc_space *s, size_t i, const char *expression)
{
    sc_expr *e = NULL;
    sc_status st;

    if (i >= s->n)
        return sc_fail(SC_EINVAL, "condition of parameter %zu of %zu", i, s->n);
    if ((st = compile(s, expression, &e)) != SC_OK)
        return st;
    if ((st = sc_space__take_condition(s, i, e)) != SC_OK)
        sc_expr_destroy(e);
    return st;
}

static sc_status add_rule(sc_space *s, const char *name, struct sc_space_rule r)
{
    char shown[SC_SHOWN_LEN];

    if (name[0] == '\0')
        return sc_fail(SC_EINVAL, "a constraint has a name");
    for (size_t i = 0; i < s->n_rules; i++)
        if (strcmp(s->rule[i].name, name) == 0)
            return sc_fail(SC_EINVAL, "constraint '%s': there is one of that name",
                           sc_text_show(shown, name));
    struct sc_space_rule *rule = sc_realloc_array(s->rule, s->n_rules + 1, sizeof *rule);
    if (!rule)
        return SC_ENOMEM;
    s->rule = rule;
    if (!(r.name = sc_strdup(name)))
        return SC_ENOMEM;
    rule[s->n_rules++] = r;
    return SC_OK;
}

sc_status sc_space__take_constraint(sc_space *s, const char *name, sc_expr *e)
{
    return add_rule(s, name, (struct sc_space_rule){.expression = e});
}

sc_status sc_space_require_member(sc_space *s, const char *name, const char *text,
                                  sc_space_member_fn fn, const void *payload)
{
    struct sc_space_rule r = {.text = sc_strdup(text), .member = fn, .payload = payload};
    const sc_status st = r.text ? add_rule(s, name, r) : SC_ENOMEM;
    if (st != SC_OK)
        sc_free(r.text);
    return st;
}

sc_status sc_space_require(sc_space *s, const char *name, const char *expression)
{
    sc_expr *e = NULL;
    sc_status st = compile(s, expression, &e);

    if (st == SC_OK && (st = sc_space__take_constraint(s, name, e)) != SC_OK)
        sc_expr_destroy(e);
    return st;
}

sc_status sc_space_set_canonical(sc_space *s, sc_space_canonical_fn fn, const void *payload)
{
    if (s->n_conditions > 0)
        return sc_fail(SC_EINVAL, "space '%s': it has conditions", s->name);
    s->canonical = fn;
    s->payload = payload;
    return SC_OK;
}
