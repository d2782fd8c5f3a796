/* The public surrogate: learned from a table, kept in a file. */
#include "surrogate/model.h"

#include <math.h>

#include "core/json.h"
#include "core/mem.h"
#include "surrogate/columns.h"
#include "surrogate/recipe.h"

enum { MOST_MEMBERS = SC_ENSEMBLE_MEMBERS, MOST_EPOCHS = 100000 };

const char *sc_surrogate_options_check(const sc_surrogate_options *o)
{
    if (o->version != SC_SURROGATE_OPTIONS_VERSION)
        return "surrogate options: another version of the library";
    if (o->scale > SC_SCALE_LOG)
        return "surrogate options: the scale of the target should be auto, linear or log";
    if (o->members == 0 || o->members > MOST_MEMBERS)
        return "surrogate options: an ensemble has 1 to 64 members";
    if (o->epochs > MOST_EPOCHS)
        return "surrogate options: at most 100000 epochs";
    return NULL;
}

void sc_surrogate_destroy(sc_surrogate *s)
{
    if (s == NULL)
        return;
    sc_ensemble_destroy(s->ensemble);
    sc_free(s);
}

/* ---- what was learned, told ---- */

static json_t *names_of(const sc_intern *names, bool *ok)
{
    json_t *list = json_array();
    for (uint32_t i = 0; i < names->n; i++)
        sc_json_append(list, json_string(sc_intern_text(names, i)), ok);
    return list;
}

static json_t *kinds_of(const sc_columns *c, bool *ok)
{
    json_t *root = json_object();
    for (size_t i = 0; i < c->n; i++)
        sc_json_set(root, c->column[i].name, json_string(sc_column_kind_name(c->column[i].kind)),
                    ok);
    return root;
}

static json_t *constants_of(const sc_encoder *e, bool *ok)
{
    json_t *list = json_array();
    for (size_t i = 0; sc_encoder_constant(e, i) != NULL; i++)
        sc_json_append(list, json_string(sc_encoder_constant(e, i)), ok);
    return list;
}

static json_t *figure(double v)
{
    return isnan(v) ? json_null() : sc_json_real(v);
}

static sc_status tell(char **out, const sc_ensemble *e, const sc_ensemble_report *r,
                      const sc_recipe *recipe, const sc_columns *c, const sc_dataset *d,
                      bool logarithm)
{
    const size_t bytes = r->bytes + sc_dataset_bytes(d);
    bool ok = true;
    json_t *root = json_object();
    sc_json_set(root, "target", json_string(c->target), &ok);
    sc_json_set(root, "goal", json_string(sc_ensemble_maximises(e) ? "max" : "min"), &ok);
    sc_json_set(root, "target_scale", json_string(logarithm ? "log" : "linear"), &ok);
    sc_json_set(root, "rows", json_integer((json_int_t)r->rows), &ok);
    sc_json_set(root, "learned", json_integer((json_int_t)r->learned), &ok);
    sc_json_set(root, "infeasible", json_integer((json_int_t)r->infeasible), &ok);
    sc_json_set(root, "without_target", json_integer((json_int_t)r->without_target), &ok);
    sc_json_set(root, "held_out", json_string(r->by_groups ? "groups" : "rows"), &ok);
    sc_json_set(root, "folds", json_integer((json_int_t)r->folds), &ok);
    sc_json_set(root, "recipe", json_string(recipe->name), &ok);
    sc_json_set(root, "recipe_score", figure(recipe->score), &ok);
    sc_json_set(root, "tau", figure(r->tau), &ok);
    sc_json_set(root, "tau_within_groups", figure(r->tau_within), &ok);
    sc_json_set(root, "spearman", figure(r->spearman), &ok);
    sc_json_set(root, "mape", figure(r->mape), &ok);
    sc_json_set(root, "median_error", figure(r->median_error), &ok);
    sc_json_set(root, "auc", figure(r->auc), &ok);
    sc_json_set(root, "epochs", json_integer(r->epochs), &ok);
    sc_json_set(root, "weights", json_integer((json_int_t)r->weights), &ok);
    sc_json_set(root, "memory_bytes", json_integer((json_int_t)bytes), &ok);
    sc_json_set(root, "columns", kinds_of(c, &ok), &ok);
    sc_json_set(root, "constant", constants_of(sc_ensemble_encoder(e), &ok), &ok);
    sc_json_set(root, "left_out", names_of(&c->ids, &ok), &ok);
    const sc_status st = ok ? sc_json_write(out, root, 1) : SC_ENOMEM;
    json_decref(root);
    return st;
}

/* ---- learning ---- */

/* What a log is learned with unless it says otherwise. */
static sc_ensemble_options usual(const sc_surrogate_options *o, const sc_columns *c)
{
    sc_ensemble_options out = SC_ENSEMBLE_OPTIONS_INIT;
    out.members = o->members;
    out.maximise = o->maximise;
    out.logarithm = o->scale == SC_SCALE_LOG || (o->scale == SC_SCALE_AUTO && c->log_target);
    out.threads = o->threads;
    out.fit.seed = o->seed;
    return out;
}

static sc_status learn(sc_ensemble **out, char **report, const sc_dataset *d, const sc_columns *c,
                       const sc_surrogate_options *o)
{
    sc_ensemble_options options = usual(o, c);
    sc_recipe recipe = {0};
    const size_t n = sc_dataset_rows(d);
    sc_ensemble_report r = {0};
    sc_ensemble *e = NULL;
    uint32_t *row = sc_calloc(n, sizeof *row);
    if (row == NULL)
        return SC_ENOMEM;
    for (size_t i = 0; i < n; i++)
        row[i] = (uint32_t)i;
    sc_status st = sc_recipe_choose(&options, &recipe, d, row, n);
    if (o->epochs > 0)
        options.fit.epochs = o->epochs;
    if (st == SC_OK)
        st = sc_ensemble_learn(&e, &r, d, row, n, &options);
    sc_free(row);
    if (st == SC_OK)
        st = tell(report, e, &r, &recipe, c, d, options.logarithm);
    if (st == SC_OK) {
        *out = e;
        return SC_OK;
    }
    sc_ensemble_destroy(e);
    return st;
}

sc_status sc_surrogate_learn_table(sc_surrogate **out, char **report, const char *path,
                                   const sc_surrogate_columns *columns,
                                   const sc_surrogate_options *options)
{
    const char *wrong = sc_surrogate_options_check(options);
    sc_columns c = {0};
    sc_dataset *d = NULL;
    sc_surrogate *s = NULL;
    if (wrong != NULL)
        return sc_fail(SC_EINVAL, "%s", wrong);
    if (columns->target == NULL)
        return sc_fail(SC_EINVAL, "surrogate: which column is learned is not said");
    sc_status st = sc_columns_infer(&c, path, columns);
    if (st == SC_OK)
        st = sc_dataset_create(&d, c.column, c.n, 0);
    if (st == SC_OK)
        st = sc_dataset_read(d, path);
    if (st == SC_OK && (s = sc_calloc(1, sizeof *s)) == NULL)
        st = SC_ENOMEM;
    if (st == SC_OK)
        st = learn(&s->ensemble, report, d, &c, options);
    if (st == SC_OK) {
        *out = s;
        s = NULL;
    }
    sc_surrogate_destroy(s);
    sc_dataset_destroy(d);
    sc_columns_clear(&c);
    return st;
}

/* ---- files ---- */

sc_status sc_surrogate_save(const sc_surrogate *s, const char *path)
{
    return sc_ensemble_save(s->ensemble, path);
}

sc_status sc_surrogate_open(sc_surrogate **out, const char *path)
{
    sc_surrogate *s = sc_calloc(1, sizeof *s);
    const sc_status st = s != NULL ? sc_ensemble_open(&s->ensemble, path) : SC_ENOMEM;
    if (st == SC_OK)
        *out = s;
    else
        sc_surrogate_destroy(s);
    return st;
}
