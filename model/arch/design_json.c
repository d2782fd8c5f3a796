/* The JSON form of a design: docs/formats/design.md. */
#include "core/json.h"
#include "model/arch/design_values.h"

/* Set; what ran out of memory on the way turns *ok false instead of leaving a key out. */
static void put(json_t *object, const char *key, json_t *value, bool *ok)
{
    *ok = json_object_set_new(object, key, value) == 0 && *ok;
}

static json_t *whole(uint64_t v)
{
    return json_integer((json_int_t)v);
}

static json_t *finished(json_t *v, bool ok)
{
    if (ok)
        return v;
    json_decref(v);
    return NULL;
}

static json_t *values_json(const sc_design *d)
{
    json_t *o = json_object();
    bool ok = o != NULL;
    for (size_t i = 0; i < d->t->scope.n_params; i++) {
        const sc_param *p = &d->t->scope.param[i];
        const double v = p->values[d->index[i]];
        if (p->labels)
            put(o, p->name, json_string(p->labels[d->index[i]]), &ok);
        else
            put(o, p->name, sc_json_number(v), &ok);
    }
    return finished(o, ok);
}

/* Base units of the parameters that have one. */
static json_t *units_json(const sc_design *d)
{
    json_t *o = json_object();
    bool ok = o != NULL;
    for (size_t i = 0; i < d->t->scope.n_params; i++) {
        const sc_param *p = &d->t->scope.param[i];
        if (p->unit != SC_UNIT_NONE)
            put(o, p->name, json_string(sc_unit_symbol(p->unit)), &ok);
    }
    return finished(o, ok);
}

static json_t *capacity_json(const sc_level *l)
{
    static const char *const ROLES[] = {"input", "weight", "output"};
    if (!l->bounded)
        return json_null();
    if (!l->partitioned)
        return whole(l->capacity[0]);
    json_t *o = json_object();
    bool ok = o != NULL;
    for (int r = 0; r < SC_ROLES; r++)
        put(o, ROLES[r], whole(l->capacity[r]), &ok);
    return finished(o, ok);
}

static json_t *level_json(const sc_level *l)
{
    const uint64_t bytes = l->capacity[0] + l->capacity[1] + l->capacity[2];
    json_t *o = json_object();
    bool ok = o != NULL;
    put(o, "name", json_string(l->name), &ok);
    put(o, "instances", whole(l->instances), &ok);
    put(o, "fanout_x", whole(l->fanout_x), &ok);
    put(o, "fanout_y", whole(l->fanout_y), &ok);
    put(o, "capacity_bytes", capacity_json(l), &ok);
    put(o, "total_capacity_bytes",
        l->bounded ? sc_json_real((double)bytes * (double)l->instances) : json_null(), &ok);
    put(o, "buffers", sc_json_real(l->buffers), &ok);
    put(o, "read_bytes_per_cycle", l->read_bw > 0 ? sc_json_real(l->read_bw) : json_null(), &ok);
    put(o, "write_bytes_per_cycle", l->write_bw > 0 ? sc_json_real(l->write_bw) : json_null(), &ok);
    put(o, "shared_bytes_per_cycle", l->shared_bw > 0 ? sc_json_real(l->shared_bw) : json_null(),
        &ok);
    put(o, "pj_per_64_bits", sc_json_real(l->read_pj), &ok);
    put(o, "write_pj_per_64_bits", sc_json_real(l->write_pj), &ok);
    put(o, "wire_pj_per_64_bits", sc_json_real(l->wire_pj), &ok);
    return finished(o, ok);
}

static json_t *levels_json(const sc_arch *a)
{
    json_t *list = json_array();
    bool ok = list != NULL;
    for (uint32_t i = 0; i < a->n_levels; i++)
        ok = json_array_append_new(list, level_json(&a->level[i])) == 0 && ok;
    return finished(list, ok);
}

static json_t *items_json(const sc_budget *b, bool area)
{
    json_t *o = json_object();
    bool ok = o != NULL;
    for (uint32_t i = 0; i < b->n_items; i++)
        put(o, b->item[i].name, sc_json_real(area ? b->item[i].area_mm2 : b->item[i].tdp_w), &ok);
    return finished(o, ok);
}

static json_t *figures_json(const sc_constants *list)
{
    json_t *o = json_object();
    bool ok = o != NULL;
    for (size_t i = 0; i < list->n; i++) {
        const sc_constant *c = &list->item[i];
        json_t *figure = json_object();
        put(figure, "value", sc_json_real(c->value), &ok);
        put(figure, "unit", json_string(c->unit), &ok);
        put(figure, "source", json_string(c->source), &ok);
        put(o, c->name, figure, &ok);
    }
    return finished(o, ok);
}

static json_t *curve_json(const sc_curve *c)
{
    json_t *o = json_object(), *points = json_array();
    bool ok = o && points;
    for (size_t i = 0; i < c->n; i++) {
        json_t *point = json_object();
        put(point, "size_bytes", sc_json_real(c->size[i]), &ok);
        put(point, "value", sc_json_real(c->value[i]), &ok);
        put(point, "source", json_string(c->source[i]), &ok);
        ok = json_array_append_new(points, point) == 0 && ok;
    }
    put(o, "unit", json_string(c->unit), &ok);
    put(o, "points", points, &ok);
    return finished(o, ok);
}

/* Every figure of the table in use with where it came from, the user's own among them. */
static json_t *technology_json(const sc_tech *t)
{
    json_t *o = json_object(), *curves = json_object(), *measured = json_array();
    bool ok = o && curves && measured;
    put(o, "name", json_string(t->name), &ok);
    put(o, "node_nm", sc_json_real(t->node_nm), &ok);
    put(o, "constants", figures_json(&t->constants), &ok);
    for (size_t i = 0; i < t->n_curves; i++)
        put(curves, t->curve[i].name, curve_json(&t->curve[i]), &ok);
    put(o, "curves", curves, &ok);
    for (size_t i = 0; i < t->n_measured; i++)
        ok = json_array_append_new(measured, json_string(t->measured[i].name)) == 0 && ok;
    put(o, "measured", measured, &ok);
    put(o, "measured_source", t->ert ? json_string(t->ert) : json_null(), &ok);
    return finished(o, ok);
}

static void put_chip(json_t *o, const sc_arch *a, bool *ok)
{
    put(o, "clock_hz", sc_json_real(a->clock_hz), ok);
    put(o, "native_batch", whole(a->native_batch), ok);
    put(o, "macs", whole(a->compute.instances), ok);
    put(o, "array_rows", whole(a->compute.rows), ok);
    put(o, "array_cols", whole(a->compute.cols), ok);
    put(o, "operand_bits", a->compute.operand_bits ? whole(a->compute.operand_bits) : json_null(),
        ok);
    put(o, "lanes", whole(a->vector.lanes), ok);
    put(o, "peak_macs_per_s", sc_json_real((double)a->compute.instances * a->clock_hz), ok);
    put(o, "levels", levels_json(a), ok);
}

sc_status sc_design_json(char **out, const sc_design *d)
{
    char fingerprint[SC_HASH_HEX], id[SC_ID_HEX];
    json_t *o = json_object();
    bool ok = o != NULL;
    sc_hash_hex(d->fingerprint, fingerprint);
    sc_hash_id(d->fingerprint, id);
    put(o, "name", json_string(d->name), &ok);
    put(o, "id", json_string(id), &ok);
    put(o, "fingerprint", json_string(fingerprint), &ok);
    put(o, "spec", json_string(d->spec), &ok);
    put(o, "template", json_string(d->t->name), &ok);
    put(o, "technology", json_string(d->t->tech->name), &ok);
    put(o, "technology_table", technology_json(d->t->tech), &ok);
    put(o, "values", values_json(d), &ok);
    put(o, "units", units_json(d), &ok);
    put_chip(o, &d->arch, &ok);
    put(o, "area_mm2", sc_json_real(d->budget.area_mm2), &ok);
    put(o, "area", items_json(&d->budget, true), &ok);
    put(o, "area_limit_mm2",
        d->budget.area_limit_mm2 > 0 ? sc_json_real(d->budget.area_limit_mm2) : json_null(), &ok);
    put(o, "tdp_w", sc_json_real(d->budget.tdp_w), &ok);
    put(o, "tdp", items_json(&d->budget, false), &ok);
    put(o, "published", figures_json(&d->t->published), &ok);
    o = finished(o, ok);
    const sc_status st = sc_json_write(out, o, 1);
    json_decref(o);
    return st;
}
