#include "scantle/calibrate.h"

#include "core/json.h"
#include "core/mem.h"
#include "core/text.h"
#include "flow/calibration.h"

enum { DEFAULT_FOLDS = 5, MAX_FOLDS = 1000 };

/* Predictions of every row: by an ideal machine, by the fit, by fits that did not see its group. */
typedef struct predictions {
    double *ideal, *fitted, *held_out; /* [n]; held_out may be NULL */
    sc_fit_quality q_ideal, q_fitted, q_held_out;
} predictions;

static void clear(predictions *p)
{
    sc_free(p->ideal);
    sc_free(p->fitted);
    sc_free(p->held_out);
}

static sc_status predict(predictions *p, const sc_measured *m, const double *factor)
{
    p->ideal = sc_calloc(m->n, sizeof *p->ideal);
    p->fitted = sc_calloc(m->n, sizeof *p->fitted);
    if (!p->ideal || !p->fitted)
        return SC_ENOMEM;
    sc_tiled_predict(p->ideal, m, sc_tiled_ideal);
    sc_tiled_predict(p->fitted, m, factor);
    const sc_status st = sc_fit_quality_of(&p->q_ideal, p->ideal, m->cycles, m->n);
    return st == SC_OK ? sc_fit_quality_of(&p->q_fitted, p->fitted, m->cycles, m->n) : st;
}

static sc_status hold_out(predictions *p, const sc_measured *m, uint32_t folds)
{
    if (!(p->held_out = sc_calloc(m->n, sizeof *p->held_out)))
        return SC_ENOMEM;
    const sc_status st = sc_tiled_cross_validate(p->held_out, m, folds);
    return st == SC_OK ? sc_fit_quality_of(&p->q_held_out, p->held_out, m->cycles, m->n) : st;
}

/* ---- the document ---- */

static json_t *quality_json(const sc_fit_quality *q, bool *ok)
{
    json_t *o = json_object();
    sc_json_set(o, "mape", sc_json_real(q->mape), ok);
    sc_json_set(o, "median", sc_json_real(q->median), ok);
    sc_json_set(o, "within_20", sc_json_real(q->within_20), ok);
    sc_json_set(o, "spearman", sc_json_real(q->spearman), ok);
    return o;
}

static json_t *rows_json(const sc_measured *m, const predictions *p, bool *ok)
{
    json_t *list = json_array();
    for (size_t i = 0; i < m->n; i++) {
        json_t *o = json_object();
        sc_json_set(o, "group", json_string(m->group[i]), ok);
        if (p->held_out)
            sc_json_set(o, "fold", json_integer((json_int_t)m->fold[i]), ok);
        sc_json_set(o, "measured", sc_json_real(m->cycles[i]), ok);
        sc_json_set(o, "uncalibrated", sc_json_real(p->ideal[i]), ok);
        sc_json_set(o, "fitted", sc_json_real(p->fitted[i]), ok);
        if (p->held_out)
            sc_json_set(o, "held_out", sc_json_real(p->held_out[i]), ok);
        sc_json_append(list, o, ok);
    }
    return list;
}

static sc_status document(char **out, const sc_calibration *c, const sc_measured *m,
                          const predictions *p, uint32_t folds)
{
    json_t *o = json_object(), *factors = json_object();
    bool ok = o != NULL;
    sc_json_set(o, "name", json_string(c->name), &ok);
    sc_json_set(o, "driver", json_string(sc_calibration_driver_name(c->driver)), &ok);
    sc_json_set(o, "rows", json_integer((json_int_t)m->n), &ok);
    if (p->held_out) {
        sc_json_set(o, "groups", json_integer((json_int_t)m->n_groups), &ok);
        sc_json_set(o, "folds", json_integer((json_int_t)folds), &ok);
    }
    sc_json_set(o, "uncalibrated", quality_json(&p->q_ideal, &ok), &ok);
    sc_json_set(o, "fitted", quality_json(&p->q_fitted, &ok), &ok);
    if (p->held_out)
        sc_json_set(o, "held_out", quality_json(&p->q_held_out, &ok), &ok);
    for (int f = 0; f < SC_TILED_FACTORS; f++)
        sc_json_set(factors, sc_tiled_factor_name((sc_tiled_factor)f), sc_json_real(c->factor[f]),
                    &ok);
    sc_json_set(o, "factors", factors, &ok);
    sc_json_set(o, "row_list", rows_json(m, p, &ok), &ok);
    const sc_status st = sc_json_write(out, ok ? o : NULL, 1);
    json_decref(o);
    return st;
}

/* ---- the public calls ---- */

static const char *either(const char *given, const char *fallback)
{
    return given ? given : fallback;
}

static sc_status prepare(sc_calibration *c, uint32_t *folds, const sc_calibrate_options *o)
{
    const char *name = either(o->name, "calibration");
    sc_status st = sc_calibration_check_name(name);
    if (st == SC_OK)
        st = sc_calibration_driver(&c->driver, either(o->driver, "gemmini"));
    if (st == SC_OK && (o->folds < 0 || o->folds > MAX_FOLDS))
        st = sc_fail(SC_EINVAL, "%d folds: 2 to %d, or 0 for %d", o->folds, MAX_FOLDS,
                     DEFAULT_FOLDS);
    if (st != SC_OK)
        return st;
    (void)sc_text_copy(c->name, sizeof c->name, name);
    *folds = o->folds ? (uint32_t)o->folds : DEFAULT_FOLDS;
    return SC_OK;
}

sc_status sc_calibrate(char **yaml, char **json, const char *const *paths, size_t n,
                       const sc_calibrate_options *o)
{
    static const sc_calibrate_options defaults = SC_CALIBRATE_OPTIONS_INIT;
    sc_calibration c;
    sc_measured m = {0};
    predictions p = {0};
    char *file = NULL, *doc = NULL;
    uint32_t folds = 0;
    o = o ? o : &defaults;
    const char *target = either(o->target, "cycles"), *group = either(o->group, "layer");

    sc_status st = prepare(&c, &folds, o);
    if (st != SC_OK || (st = sc_measured_read(&m, paths, n, target, group, c.driver)) != SC_OK ||
        (st = sc_measured_deal(&m, folds)) != SC_OK ||
        (st = sc_tiled_fit(c.factor, &m, UINT32_MAX)) != SC_OK ||
        (st = predict(&p, &m, c.factor)) != SC_OK || (st = hold_out(&p, &m, folds)) != SC_OK)
        goto done;
    const sc_calibration_record record = {target,    group,      folds,
                                          p.q_ideal, p.q_fitted, p.q_held_out};
    if (yaml && (st = sc_calibration_write(&file, &c, &m, &record)) != SC_OK)
        goto done;
    if (json && (st = document(&doc, &c, &m, &p, folds)) != SC_OK)
        goto done;
    if (yaml)
        *yaml = file;
    if (json)
        *json = doc;
    file = doc = NULL;
done:
    sc_free(file);
    sc_free(doc);
    clear(&p);
    sc_measured_clear(&m);
    return st;
}

sc_status sc_calibration_judge(char **json, const char *calibration_path, const char *const *paths,
                               size_t n, const sc_calibrate_options *o)
{
    static const sc_calibrate_options defaults = SC_CALIBRATE_OPTIONS_INIT;
    sc_calibration c;
    sc_measured m = {0};
    predictions p = {0};
    o = o ? o : &defaults;

    sc_status st = sc_calibration_read(&c, calibration_path);
    if (st == SC_OK)
        st = sc_measured_read(&m, paths, n, either(o->target, "cycles"), either(o->group, "layer"),
                              c.driver);
    if (st == SC_OK)
        st = predict(&p, &m, c.factor);
    if (st == SC_OK)
        st = document(json, &c, &m, &p, 0);
    clear(&p);
    sc_measured_clear(&m);
    return st;
}
