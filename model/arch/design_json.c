/* The JSON form of a design: docs/formats/design.md. */
#include "core/json.h"
#include "model/arch/design_values.h"

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
            sc_json_set(o, p->name, json_string(p->labels[d->index[i]]), &ok);
        else
            sc_json_set(o, p->name, sc_json_number(v), &ok);
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
            sc_json_set(o, p->name, json_string(sc_unit_symbol(p->unit)), &ok);
    }
    return finished(o, ok);
}

static json_t *capacity_json(const sc_level *l)
{
    static const char *const ROLES[] = {"input", "weight", "output"};
    if (!l->bounded)
        return json_null();
    if (!l->partitioned)
        return sc_json_count(l->capacity[0]);
    json_t *o = json_object();
    bool ok = o != NULL;
    for (int r = 0; r < SC_ROLES; r++)
        sc_json_set(o, ROLES[r], sc_json_count(l->capacity[r]), &ok);
    return finished(o, ok);
}

static json_t *level_json(const sc_level *l)
{
    const uint64_t bytes = l->capacity[0] + l->capacity[1] + l->capacity[2];
    json_t *o = json_object();
    bool ok = o != NULL;
    sc_json_set(o, "name", json_string(l->name), &ok);
    sc_json_set(o, "instances", sc_json_count(l->instances), &ok);
    sc_json_set(o, "fanout_x", sc_json_count(l->fanout_x), &ok);
    sc_json_set(o, "fanout_y", sc_json_count(l->fanout_y), &ok);
    sc_json_set(o, "capacity_bytes", capacity_json(l), &ok);
    sc_json_set(o, "total_capacity_bytes",
                l->bounded ? sc_json_real((double)bytes * (double)l->instances) : json_null(), &ok);
    sc_json_set(o, "buffers", sc_json_real(l->buffers), &ok);
    sc_json_set(o, "read_bytes_per_cycle", l->read_bw > 0 ? sc_json_real(l->read_bw) : json_null(),
                &ok);
    sc_json_set(o, "write_bytes_per_cycle",
                l->write_bw > 0 ? sc_json_real(l->write_bw) : json_null(), &ok);
    sc_json_set(o, "shared_bytes_per_cycle",
                l->shared_bw > 0 ? sc_json_real(l->shared_bw) : json_null(), &ok);
    sc_json_set(o, "pj_per_64_bits", sc_json_real(l->read_pj), &ok);
    sc_json_set(o, "write_pj_per_64_bits", sc_json_real(l->write_pj), &ok);
    sc_json_set(o, "wire_pj_per_64_bits", sc_json_real(l->wire_pj), &ok);
    return finished(o, ok);
}

static json_t *levels_json(const sc_arch *a)
{
    json_t *list = json_array();
    bool ok = list != NULL;
    for (uint32_t i = 0; i < a->n_levels; i++)
        sc_json_append(list, level_json(&a->level[i]), &ok);
    return finished(list, ok);
}

static json_t *items_json(const sc_budget *b, bool area)
{
    json_t *o = json_object();
    bool ok = o != NULL;
    for (uint32_t i = 0; i < b->n_items; i++)
        sc_json_set(o, b->item[i].name, sc_json_real(area ? b->item[i].area_mm2 : b->item[i].tdp_w),
                    &ok);
    return finished(o, ok);
}

static json_t *figures_json(const sc_constants *list)
{
    json_t *o = json_object();
    bool ok = o != NULL;
    for (size_t i = 0; i < list->n; i++) {
        const sc_constant *c = &list->item[i];
        json_t *figure = json_object();
        sc_json_set(figure, "value", sc_json_real(c->value), &ok);
        sc_json_set(figure, "unit", json_string(c->unit), &ok);
        sc_json_set(figure, "source", json_string(c->source), &ok);
        sc_json_set(o, c->name, figure, &ok);
    }
    return finished(o, ok);
}

static json_t *curve_json(const sc_curve *c)
{
    json_t *o = json_object(), *points = json_array();
    bool ok = o && points;
    for (size_t i = 0; i < c->n; i++) {
        json_t *point = json_object();
        sc_json_set(point, "size_bytes", sc_json_real(c->size[i]), &ok);
        sc_json_set(point, "value", sc_json_real(c->value[i]), &ok);
        sc_json_set(point, "source", json_string(c->source[i]), &ok);
        sc_json_append(points, point, &ok);
    }
    sc_json_set(o, "unit", json_string(c->unit), &ok);
    sc_json_set(o, "points", points, &ok);
    return finished(o, ok);
}

/* Every figure of the table in use with where it came from, the user's own among them. */
static json_t *technology_json(const sc_tech *t)
{
    json_t *o = json_object(), *curves = json_object(), *measured = json_array(),
           *leaks = json_object();
    bool ok = o && curves && measured && leaks;
    sc_json_set(o, "name", json_string(t->name), &ok);
    sc_json_set(o, "node_nm", sc_json_real(t->node_nm), &ok);
    sc_json_set(o, "constants", figures_json(&t->constants), &ok);
    for (size_t i = 0; i < t->n_curves; i++)
        sc_json_set(curves, t->curve[i].name, curve_json(&t->curve[i]), &ok);
    sc_json_set(o, "curves", curves, &ok);
    for (size_t i = 0; i < t->n_measured; i++)
        sc_json_append(measured, json_string(t->measured[i].name), &ok);
    for (size_t i = 0; i < t->n_measured; i++)
        if (t->measured[i].given[SC_ERT_LEAK])
            sc_json_set(leaks, t->measured[i].name, sc_json_real(t->measured[i].pj[SC_ERT_LEAK]),
                        &ok);
    sc_json_set(o, "measured", measured, &ok);
    sc_json_set(o, "measured_leak_pj_per_cycle", leaks, &ok);
    sc_json_set(o, "measured_source", t->ert ? json_string(t->ert) : json_null(), &ok);
    return finished(o, ok);
}

static void put_chip(json_t *o, const sc_arch *a, bool *ok)
{
    sc_json_set(o, "clock_hz", sc_json_real(a->clock_hz), ok);
    sc_json_set(o, "native_batch", sc_json_count(a->native_batch), ok);
    sc_json_set(o, "macs", sc_json_count(a->compute.instances), ok);
    sc_json_set(o, "array_rows", sc_json_count(a->compute.rows), ok);
    sc_json_set(o, "array_cols", sc_json_count(a->compute.cols), ok);
    sc_json_set(o, "operand_bits",
                a->compute.operand_bits ? sc_json_count(a->compute.operand_bits) : json_null(), ok);
    sc_json_set(o, "mac_bits",
                a->compute.mac_bits ? sc_json_count(a->compute.mac_bits) : json_null(), ok);
    sc_json_set(o, "lanes", sc_json_count(a->vector.lanes), ok);
    sc_json_set(o, "peak_macs_per_s", sc_json_real((double)a->compute.instances * a->clock_hz), ok);
    sc_json_set(o, "levels", levels_json(a), ok);
}

sc_status sc_design_json(char **out, const sc_design *d)
{
    char fingerprint[SC_HASH_HEX], id[SC_ID_HEX];
    json_t *o = json_object();
    bool ok = o != NULL;
    sc_hash_hex(d->fingerprint, fingerprint);
    sc_hash_id(d->fingerprint, id);
    sc_json_set(o, "name", json_string(d->name), &ok);
    sc_json_set(o, "id", json_string(id), &ok);
    sc_json_set(o, "fingerprint", json_string(fingerprint), &ok);
    sc_json_set(o, "spec", json_string(d->spec), &ok);
    sc_json_set(o, "template", json_string(d->t->name), &ok);
    sc_json_set(o, "technology", json_string(d->t->tech->name), &ok);
    sc_json_set(o, "technology_table", technology_json(d->t->tech), &ok);
    sc_json_set(o, "values", values_json(d), &ok);
    sc_json_set(o, "units", units_json(d), &ok);
    put_chip(o, &d->arch, &ok);
    sc_json_set(o, "area_mm2", sc_json_real(d->budget.area_mm2), &ok);
    sc_json_set(o, "area", items_json(&d->budget, true), &ok);
    sc_json_set(o, "area_limit_mm2",
                d->budget.area_limit_mm2 > 0 ? sc_json_real(d->budget.area_limit_mm2) : json_null(),
                &ok);
    sc_json_set(o, "tdp_w", sc_json_real(d->budget.tdp_w), &ok);
    sc_json_set(o, "tdp", items_json(&d->budget, false), &ok);
    sc_json_set(o, "published", figures_json(&d->t->published), &ok);
    o = finished(o, ok);
    const sc_status st = sc_json_write(out, o, 1);
    json_decref(o);
    return st;
}
