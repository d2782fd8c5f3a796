#include <string.h>

#include "core/json.h"
#include "flow/study_read.h"

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

bool sc_study_read_space(sc_study *s, const sc_node *root)
{
    static const char *const of_template[] = {"restrict", "constraints"};
    static const char *const own[] = {"parameters", "restrict", "constraints"};
    const sc_node *section = sc_node_get(root, "space");
    bool ok = true;

    if (sc_node_get(root, "template")) {
        if (!read_template(s, root))
            return false;
        if (!section)
            return true;
        ok = sc_map_only(section, of_template, 2);
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

sc_status sc_study_space_json(char **out, const sc_study *s)
{
    sc_space_size size;
    json_t *o = json_object(), *parameters = json_array(), *constraints = json_object();
    sc_space_size_of(s->space, &size);
    for (size_t i = 0; i < sc_space_params(s->space); i++)
        json_array_append_new(parameters, parameter_json(s->space, i));
    for (size_t i = 0; i < sc_space_constraints(s->space); i++)
        json_object_set_new(constraints, sc_space_constraint_name(s->space, i),
                            json_string(sc_space_constraint_text(s->space, i)));
    json_object_set_new(o, "name", json_string(s->name));
    json_object_set_new(o, "points", sc_json_real(size.product));
    json_object_set_new(o, "distinct", size.counted ? sc_json_real(size.distinct) : json_null());
    json_object_set_new(o, "valid", size.counted ? sc_json_real(size.valid) : json_null());
    json_object_set_new(o, "parameters", parameters);
    json_object_set_new(o, "constraints", constraints);
    const sc_status st = sc_json_write(out, o, 1);
    json_decref(o);
    return st;
}
