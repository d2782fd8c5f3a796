#include <string.h>

#include "core/json.h"
#include "core/log.h"
#include "core/number.h"
#include "flow/study_read.h"
#include "flow/table.h"

static const sc_space_kind kind_of[] = {[SC_PARAM_LOG2] = SC_SPACE_LOG2,
                                        [SC_PARAM_INT] = SC_SPACE_INT,
                                        [SC_PARAM_ORDINAL] = SC_SPACE_ORDINAL,
                                        [SC_PARAM_CATEGORICAL] = SC_SPACE_CATEGORICAL};

static void canonical_of_template(const void *payload, uint32_t *index)
{
    sc_template_canonical(payload, index);
}

static sc_status space_of_template(sc_space **out, const sc_template *t)
{
    sc_space *space = NULL;
    sc_status st = sc_space_create(&space, sc_template_name(t));
    for (size_t i = 0; i < sc_template_params(t) && st == SC_OK; i++) {
        const sc_param *p = sc_template_param(t, i);
        const sc_space_param as = {.name = p->name,
                                   .kind = kind_of[p->kind],
                                   .unit = p->unit,
                                   .n_values = p->n_values,
                                   .values = p->values,
                                   .labels = p->labels,
                                   .fallback = p->fallback};
        st = sc_space_add(space, &as);
    }
    if (st == SC_OK)
        st = sc_space_set_canonical(space, canonical_of_template, t);
    if (st != SC_OK) {
        sc_space_destroy(space);
        return st;
    }
    *out = space;
    return SC_OK;
}

static bool read_template(sc_study *s, const sc_node *root)
{
    const char *name;
    if (!sc_map_text(&name, root, "template"))
        return false;
    const sc_node *at = sc_node_get(root, "template");
    const char *reference = sc_study_reference(s, at, name);
    if (!reference)
        return false;
    sc_status st = sc_template_open(&s->template, reference);
    if (st == SC_OK)
        st = space_of_template(&s->space, s->template);
    return st == SC_OK || sc_study_fault(at, st);
}

bool sc_study_names_table(const sc_node *root)
{
    return sc_node_kind_of(sc_node_get(root, "evaluator")) == SC_NODE_MAP;
}

/* The space behind a template or a table is there already; a study may cut it. */
static bool read_source(sc_study *s, const sc_node *root, bool *there)
{
    *there = true;
    if (sc_study_names_table(root))
        return sc_study_read_table(s, root);
    if (sc_node_get(root, "template"))
        return read_template(s, root);
    *there = false;
    return true;
}

bool sc_study_read_space(sc_study *s, const sc_node *root)
{
    static const char *const cuts[] = {"restrict", "constraints"};
    static const char *const own[] = {"parameters", "restrict", "constraints"};
    const sc_node *section = sc_node_get(root, "space");
    bool ok = true, there;

    if (!read_source(s, root, &there))
        return false;
    if (there) {
        if (!section)
            return true;
        ok = sc_map_only(section, cuts, 2);
    } else {
        const sc_node *parameters = sc_map_node(sc_map_map(root, "space"), "parameters");
        const sc_status st = sc_space_create(&s->space, s->name);
        if (st != SC_OK)
            return sc_study_fault(root, st);
        if (!parameters || !sc_space_read_parameters(s->space, parameters))
            return false;
        ok = sc_map_only(section, own, 3);
    }
    if (sc_node_get(section, "restrict"))
        ok &= sc_space_read_restrict(s->space, sc_map_map(section, "restrict"));
    if (sc_node_get(section, "constraints"))
        ok &= sc_space_read_constraints(s->space, sc_map_map(section, "constraints"));
    return ok;
}

static json_t *values_json(const sc_space_param *p)
{
    json_t *list = json_array();
    for (size_t i = 0; i < p->n_values; i++)
        json_array_append_new(list,
                              p->labels ? json_string(p->labels[i]) : sc_json_number(p->values[i]));
    return list;
}

static json_t *parameter_json(const sc_space *space, size_t i)
{
    const sc_space_param *p = sc_space_param_at(space, i);
    json_t *o = json_object();
    json_object_set_new(o, "name", json_string(p->name));
    json_object_set_new(o, "kind", json_string(sc_space_kind_name(p->kind)));
    if (p->unit != SC_UNIT_NONE)
        json_object_set_new(o, "unit", json_string(sc_unit_symbol(p->unit)));
    json_object_set_new(o, "values", values_json(p));
    if (sc_space_condition(space, i))
        json_object_set_new(o, "when", json_string(sc_space_condition(space, i)));
    return o;
}

static sc_status space_json(char **out, const sc_space *space, const char *name)
{
    sc_space_size size;
    json_t *o = json_object(), *parameters = json_array(), *constraints = json_object();
    sc_space_size_of(space, &size);
    for (size_t i = 0; i < sc_space_params(space); i++)
        json_array_append_new(parameters, parameter_json(space, i));
    for (size_t i = 0; i < sc_space_constraints(space); i++)
        json_object_set_new(constraints, sc_space_constraint_name(space, i),
                            json_string(sc_space_constraint_text(space, i)));
    json_object_set_new(o, "name", json_string(name));
    json_object_set_new(o, "points", sc_json_real(size.product));
    json_object_set_new(o, "distinct", size.counted ? sc_json_real(size.distinct) : json_null());
    json_object_set_new(o, "valid", size.counted ? sc_json_real(size.valid) : json_null());
    json_object_set_new(o, "parameters", parameters);
    json_object_set_new(o, "constraints", constraints);
    const sc_status st = sc_json_write(out, o, 1);
    json_decref(o);
    return st;
}

sc_status sc_study_space_json(char **out, const sc_study *s)
{
    return space_json(out, s->space, s->name);
}

/* A space by itself has its parameters at the root; a study never has. */
static sc_status is_space_file(bool *out, const char *path)
{
    sc_yaml *y = NULL;
    const sc_status st = sc_yaml_open(&y, path);
    if (st == SC_OK)
        *out = sc_node_get(sc_yaml_root(y), "parameters") != NULL;
    sc_yaml_close(y);
    return st;
}

sc_status sc_space_file_json(char **out, const char *path)
{
    sc_study *study = NULL;
    sc_space *space = NULL;
    bool alone = false;
    sc_status st = is_space_file(&alone, path);
    if (st != SC_OK)
        return st;
    if (alone && (st = sc_space_open(&space, path)) == SC_OK)
        st = space_json(out, space, sc_space_name(space));
    else if (!alone && (st = sc_study_open(&study, path, NULL)) == SC_OK)
        st = sc_study_space_json(out, study);
    sc_space_destroy(space);
    sc_study_close(study);
    return st;
}

void sc_study_say_empty(const sc_study *s)
{
    const size_t n = sc_space_constraints(s->space);
    double points = 0, *rejected = sc_calloc(n, sizeof *rejected);
    char number[32];
    sc_buf b;
    sc_buf_init(&b);
    const bool sampled = rejected && sc_space_rejections(s->space, rejected, &points);
    for (size_t i = 0; rejected && i < n; i++) {
        sc_double_text(number, sizeof number, rejected[i]);
        sc_buf_printf(&b, "%s '%s' (%s) rejects %s", i > 0 ? "," : "",
                      sc_space_constraint_name(s->space, i), sc_space_constraint_text(s->space, i),
                      number);
    }
    sc_double_text(number, sizeof number, points);
    if (rejected && n > 0 && b.status == SC_OK)
        sc_log(SC_LOG_WARNING,
               "no point of the space of %s keeps its constraints: of %s points%s%s", s->name,
               number, sampled ? " drawn at random" : "", b.text);
    sc_buf_clear(&b);
    sc_free(rejected);
}
