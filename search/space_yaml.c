/* Spaces from YAML: docs/formats/space.md. Every error of a file is recorded at its place, so the
 * readers go on after one. */
#include <math.h>
#include <string.h>

#include "core/mem.h"
#include "core/text.h"
#include "search/space_inner.h"

/* Record the last failure at a node. */
static bool record(const sc_node *at, sc_status st)
{
    char why[512];
    if (st == SC_ENOMEM) {
        sc_node_fail(at, st);
        return false;
    }
    (void)sc_text_copy(why, sizeof why, sc_error_message());
    sc_node_error(at, "%s", why);
    return false;
}

/* ---- the values of one parameter ---- */

struct domain {
    double *values;
    const char **labels;
    size_t n;
};

static bool make_values(struct domain *d, const sc_node *at, size_t n)
{
    if (n < 1 || n > SC_MAX_VALUES) {
        sc_node_error(at, "a parameter has 1 to %d values", SC_MAX_VALUES);
        return false;
    }
    d->values = sc_calloc(n, sizeof *d->values);
    return d->values || record(at, SC_ENOMEM);
}

static bool read_numbers(struct domain *d, const sc_node *list, sc_unit unit)
{
    bool ok = true;
    for (size_t k = 0; k < sc_node_count(list); k++)
        ok = sc_node_number(&d->values[d->n++], sc_node_item(list, k), unit) && ok;
    return ok;
}

static bool is_power_of_two(double v)
{
    int exponent;
    return v > 0.0 && frexp(v, &exponent) == 0.5;
}

/* first..., then min, 2 min, 4 min, ... max */
static bool read_log2(struct domain *d, const sc_node *n, sc_unit unit)
{
    const sc_node *first = sc_node_get(n, "first") ? sc_map_sequence(n, "first") : NULL;
    double min = 0.0, max = 0.0;
    bool ok = sc_map_number(&min, n, "min", unit);

    ok = sc_map_number(&max, n, "max", unit) && ok;
    if (!ok || (sc_node_get(n, "first") && !first))
        return false;
    if (!is_power_of_two(min) || !is_power_of_two(max) || max < min) {
        sc_node_error(n, "min and max of a log2 parameter are powers of two, max not below min");
        return false;
    }
    const size_t steps = (size_t)(ilogb(max) - ilogb(min)) + 1;
    if (!make_values(d, n, sc_node_count(first) + steps) ||
        (first && !read_numbers(d, first, unit)))
        return false;
    for (size_t k = 0; k < steps; k++)
        d->values[d->n++] = ldexp(min, (int)k);
    return true;
}

static bool read_int(struct domain *d, const sc_node *n, sc_unit unit)
{
    double min = 0.0, max = 0.0, step = 1.0;
    bool ok = sc_map_number(&min, n, "min", unit);

    ok = sc_map_number(&max, n, "max", unit) && ok;
    ok = sc_map_number_or(&step, n, "step", unit, 1.0) && ok;
    if (!ok)
        return false;
    const double steps = (max - min) / step;
    if (min != floor(min) || step != floor(step) || step < 1.0 || steps < 0.0 ||
        steps != floor(steps) || fabs(min) > 0x1p53 || fabs(max) > 0x1p53) {
        sc_node_error(n, "an int parameter has whole numbers up to 2^53, and its max lies a whole "
                         "number of steps of 1 or more above its min");
        return false;
    }
    const size_t n_values = steps < SC_MAX_VALUES ? (size_t)steps + 1 : SIZE_MAX;
    if (!make_values(d, n, n_values))
        return false;
    for (; d->n < n_values; d->n++)
        d->values[d->n] = min + (double)d->n * step;
    return true;
}

static bool read_ordinal(struct domain *d, const sc_node *n, sc_unit unit)
{
    const sc_node *list = sc_map_sequence(n, "values");
    return list && make_values(d, list, sc_node_count(list)) && read_numbers(d, list, unit);
}

static bool read_labels(struct domain *d, const sc_node *n)
{
    const sc_node *list = sc_map_sequence(n, "values");
    if (!list)
        return false;
    d->n = sc_node_count(list);
    d->labels = sc_calloc(d->n, sizeof *d->labels);
    if (!d->labels)
        return record(list, SC_ENOMEM);
    for (size_t k = 0; k < d->n; k++) {
        if (sc_node_kind_of(sc_node_item(list, k)) != SC_NODE_SCALAR) {
            sc_node_error(sc_node_item(list, k), "a label is a text");
            return false;
        }
        d->labels[k] = sc_node_text(sc_node_item(list, k));
    }
    return true;
}

static bool read_domain(struct domain *d, sc_space_kind kind, const sc_node *n, sc_unit unit)
{
    switch (kind) {
    case SC_SPACE_LOG2: return read_log2(d, n, unit);
    case SC_SPACE_INT: return read_int(d, n, unit);
    case SC_SPACE_ORDINAL: return read_ordinal(d, n, unit);
    case SC_SPACE_CATEGORICAL: return read_labels(d, n);
    }
    return false;
}

/* ---- one parameter ---- */

static bool read_unit(sc_unit *out, const sc_node *n)
{
    static const char *const names[] = {"B", "Hz", "B/s", "W", "J", "s", "m2", "m"};
    static const sc_unit units[] = {SC_UNIT_BYTES,   SC_UNIT_HZ,    SC_UNIT_BYTES_PER_S,
                                    SC_UNIT_WATT,    SC_UNIT_JOULE, SC_UNIT_SECOND,
                                    SC_UNIT_AREA_M2, SC_UNIT_METRE};
    size_t k;
    if (!sc_node_get(n, "unit"))
        return true;
    if (!sc_map_choice(&k, n, "unit", names, sizeof names / sizeof *names))
        return false;
    *out = units[k];
    return true;
}

static bool read_keys(const sc_node *n, sc_space_kind *kind)
{
    static const char *const kinds[] = {"log2", "int", "ordinal", "categorical"};
    /* The first six go with every kind. */
    static const char *const keys[][10] = {
        {"name", "kind", "default", "when", "about", "unit", "min", "max", "first"},
        {"name", "kind", "default", "when", "about", "unit", "min", "max", "step"},
        {"name", "kind", "default", "when", "about", "unit", "values"},
        {"name", "kind", "default", "when", "about", "values"}};
    static const size_t n_keys[] = {9, 9, 7, 6};
    size_t k;

    if (sc_node_kind_of(n) != SC_NODE_MAP) {
        sc_node_error(n, "a parameter is a map of name, kind and values");
        return false;
    }
    if (!sc_map_choice(&k, n, "kind", kinds, sizeof kinds / sizeof *kinds))
        return false;
    *kind = (sc_space_kind)k;
    return sc_map_only(n, keys[k], n_keys[k]);
}

static bool read_default(sc_space_param *p, const sc_node *n)
{
    const sc_node *at = sc_node_get(n, "default");
    uint32_t index = 0;
    if (!at)
        return true;
    const sc_status st = sc_space__value_index(p, sc_node_text(at), &index);
    p->fallback = index;
    return st == SC_OK || record(at, st);
}

static bool read_parameter(sc_space *s, const sc_node *n)
{
    struct domain d = {0};
    sc_space_param p = {.unit = SC_UNIT_NONE};
    bool ok = read_keys(n, &p.kind) && sc_map_text(&p.name, n, "name") && read_unit(&p.unit, n) &&
              read_domain(&d, p.kind, n, p.unit);
    if (ok) {
        p.n_values = d.n;
        p.values = d.values;
        p.labels = d.labels;
        ok = read_default(&p, n);
        const sc_status st = sc_space_add(s, &p);
        ok = (st == SC_OK || record(sc_node_get(n, "name"), st)) && ok;
    }
    sc_free(d.values);
    sc_free(d.labels);
    return ok;
}

/* ---- the parts of a space ---- */

/* The condition of a parameter, once all are known: it may name any. */
static bool read_condition(sc_space *s, const sc_node *n, const sc_symbol *symbols)
{
    const size_t i = sc_space_find(s, sc_map_text_or(n, "name", ""));
    const sc_node *at = sc_node_get(n, "when");
    sc_expr *e = NULL;

    if (!at || i == SIZE_MAX)
        return true;
    if (!sc_expr_from_node(&e, at, symbols, s->n))
        return false;
    const sc_status st = sc_space__take_condition(s, i, e);
    if (st == SC_OK)
        return true;
    sc_expr_destroy(e);
    return record(at, st);
}

bool sc_space_read_parameters(sc_space *s, const sc_node *list)
{
    sc_symbol *symbols = NULL;
    bool ok = true;

    if (sc_node_kind_of(list) != SC_NODE_SEQUENCE || sc_node_count(list) == 0) {
        sc_node_error(list, "the parameters are a list of one or more");
        return false;
    }
    for (size_t i = 0; i < sc_node_count(list); i++)
        ok = read_parameter(s, sc_node_item(list, i)) && ok;
    if (sc_space__symbols(s, &symbols) != SC_OK)
        return record(list, SC_ENOMEM);
    for (size_t i = 0; i < sc_node_count(list); i++)
        ok = read_condition(s, sc_node_item(list, i), symbols) && ok;
    sc_free(symbols);
    return ok;
}

static bool mark(const sc_space_param *p, const sc_node *at, bool *kept)
{
    uint32_t index = 0;
    if (sc_node_kind_of(at) != SC_NODE_SCALAR) {
        sc_node_error(at, "a value of %s, or a list of them", p->name);
        return false;
    }
    const sc_status st = sc_space__value_index(p, sc_node_text(at), &index);
    if (st != SC_OK)
        return record(at, st);
    if (kept[index]) {
        sc_node_error(at, "a value of %s that is kept already", p->name);
        return false;
    }
    kept[index] = true;
    return true;
}

/* One entry of `restrict`: a value, or a list of values in any order. */
static bool restrict_one(sc_space *s, size_t i, const sc_node *at)
{
    const sc_space_param *p = &s->axis[i].view;
    const bool is_list = sc_node_kind_of(at) == SC_NODE_SEQUENCE;
    bool *kept = sc_calloc(p->n_values, sizeof *kept);
    uint32_t *keep = sc_calloc(p->n_values, sizeof *keep);
    bool ok = kept && keep;
    size_t n = 0;

    if (!ok)
        record(at, SC_ENOMEM);
    for (size_t k = 0; kept && k < (is_list ? sc_node_count(at) : 1); k++)
        ok = mark(p, is_list ? sc_node_item(at, k) : at, kept) && ok;
    for (size_t k = 0; ok && k < p->n_values; k++)
        if (kept[k])
            keep[n++] = (uint32_t)k;
    if (ok) {
        const sc_status st = sc_space_restrict(s, i, keep, n);
        ok = st == SC_OK || record(at, st);
    }
    sc_free(kept);
    sc_free(keep);
    return ok;
}

bool sc_space_read_restrict(sc_space *s, const sc_node *map)
{
    bool ok = true;

    if (sc_node_kind_of(map) != SC_NODE_MAP) {
        sc_node_error(map, "the restrictions are a map of parameters to the values they keep");
        return false;
    }
    for (size_t k = 0; k < sc_node_count(map); k++) {
        const char *name = sc_node_key(map, k);
        const size_t i = sc_space_find(s, name);
        if (i != SIZE_MAX) {
            ok = restrict_one(s, i, sc_node_item(map, k)) && ok;
            continue;
        }
        ok = record(sc_node_key_node(map, k), sc_space__unknown_name(s, name));
    }
    return ok;
}

bool sc_space_read_constraints(sc_space *s, const sc_node *map)
{
    sc_symbol *symbols = NULL;
    bool ok = true;

    if (sc_node_kind_of(map) != SC_NODE_MAP) {
        sc_node_error(map, "the constraints are a map of names to expressions");
        return false;
    }
    if (sc_space__symbols(s, &symbols) != SC_OK)
        return record(map, SC_ENOMEM);
    for (size_t k = 0; k < sc_node_count(map); k++) {
        sc_expr *e = NULL;
        if (!sc_expr_from_node(&e, sc_node_item(map, k), symbols, s->n)) {
            ok = false;
            continue;
        }
        const sc_status st = sc_space__take_constraint(s, sc_node_key(map, k), e);
        if (st != SC_OK) {
            sc_expr_destroy(e);
            ok = record(sc_node_key_node(map, k), st);
        }
    }
    sc_free(symbols);
    return ok;
}

static void read_space(sc_space *s, const sc_node *root)
{
    static const char *const keys[] = {"version",    "name",     "about",
                                       "parameters", "restrict", "constraints"};

    if (!sc_map_only(root, keys, sizeof keys / sizeof *keys) &&
        sc_node_kind_of(root) != SC_NODE_MAP)
        return;
    sc_map_version(root, 1);
    const sc_node *parameters = sc_map_sequence(root, "parameters");
    if (parameters)
        sc_space_read_parameters(s, parameters);
    if (sc_node_get(root, "restrict"))
        sc_space_read_restrict(s, sc_node_get(root, "restrict"));
    if (sc_node_get(root, "constraints"))
        sc_space_read_constraints(s, sc_node_get(root, "constraints"));
}

sc_status sc_space_from_yaml(sc_space **out, const sc_yaml *y)
{
    const sc_node *root = sc_yaml_root(y);
    sc_space *s = NULL;
    sc_status st = sc_space_create(&s, sc_map_text_or(root, "name", "space"));

    if (st != SC_OK)
        goto done;
    read_space(s, root);
    if ((st = sc_yaml_status(y)) != SC_OK)
        goto done;
    *out = s;
    s = NULL;
done:
    sc_space_destroy(s);
    return st;
}

sc_status sc_space_open(sc_space **out, const char *path)
{
    sc_yaml *y = NULL;
    sc_status st = sc_yaml_open(&y, path);

    if (st == SC_OK)
        st = sc_space_from_yaml(out, y);
    sc_yaml_close(y);
    return st;
}
