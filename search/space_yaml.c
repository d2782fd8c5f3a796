/* Spaces from YAML: docs/formats/space.md. Every error of a file is recorded at its place, so the
 * readers go on after one. */
#include <assert.h>
#include <string.h>

#include "core/mem.h"
#include "core/param.h"
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

/* ---- one parameter ---- */

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

/* The kinds of a space are those of a file. */
static_assert((int)SC_SPACE_LOG2 == (int)SC_PARAM_LOG2 && (int)SC_SPACE_INT == (int)SC_PARAM_INT &&
                  (int)SC_SPACE_ORDINAL == (int)SC_PARAM_ORDINAL &&
                  (int)SC_SPACE_CATEGORICAL == (int)SC_PARAM_CATEGORICAL,
              "kinds of parameters");

static bool read_parameter(sc_space *s, const sc_node *n)
{
    sc_param_form f;
    bool ok = sc_param_form_read(&f, n, SC_MAX_VALUES);
    if (ok) {
        sc_space_param p = {.name = f.name,
                            .kind = (sc_space_kind)f.kind,
                            .unit = f.unit,
                            .n_values = f.n_values,
                            .values = f.values,
                            .labels = f.labels};
        ok = read_default(&p, n);
        const sc_status st = sc_space_add(s, &p);
        ok = (st == SC_OK || record(sc_node_get(n, "name"), st)) && ok;
    }
    sc_param_form_clear(&f);
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
