/* The trials of studies as one table to learn from: docs/formats/study_log.md. */
#include <math.h>
#include <string.h>

#include "core/csv.h"
#include "core/file.h"
#include "core/mem.h"
#include "core/number.h"
#include "flow/stored_design.h"
#include "scantle/study.h"
#include "store/params.h"
#include "store/store.h"
#include "workloads/features.h"

/* Distinct names in the order in which they came up, borrowed. */
typedef struct names {
    const char **name;
    size_t n;
} names;

typedef struct source {
    sc_store_info *info;
    size_t n_networks;
    char *networks; /* their names, a '+' between two */
    double feature[SC_NETWORK_FEATURES];
} source;

typedef struct writing {
    source *source; /* [n] */
    size_t n;
    names params, values;
    bool networks; /* whether a study has one */
    sc_buf text, cell;
} writing;

static sc_status add_name(names *list, const char *name)
{
    for (size_t i = 0; i < list->n; i++)
        if (strcmp(list->name[i], name) == 0)
            return SC_OK;
    const char **grown = sc_realloc_array(list->name, list->n + 1, sizeof *grown);
    if (!grown)
        return SC_ENOMEM;
    list->name = grown;
    list->name[list->n++] = name;
    return SC_OK;
}

/* ---- what the studies are ---- */

static sc_status describe(source *s, sc_workload **network)
{
    sc_buf b;
    sc_buf_init(&b);
    for (size_t i = 0; i < s->n_networks; i++)
        sc_buf_printf(&b, "%s%s", i ? "+" : "", sc_workload_name(network[i]));
    sc_network_features(s->feature, (const sc_workload *const *)network, s->n_networks);
    return sc_buf_take(&b, &s->networks);
}

/* Open the networks of the study's file and keep what they say. */
static sc_status read_networks(source *s, const sc_yaml *config)
{
    size_t n = 0;
    sc_status st = SC_OK;
    while (sc_stored_network_name(config, n))
        n++;
    if (n == 0)
        return SC_OK;
    sc_workload **network = sc_calloc(n, sizeof *network);
    if (!network)
        return SC_ENOMEM;
    for (; s->n_networks < n && st == SC_OK; s->n_networks += st == SC_OK)
        st = sc_workload_open(&network[s->n_networks],
                              sc_stored_network_name(config, s->n_networks));
    if (st == SC_OK)
        st = describe(s, network);
    for (size_t i = 0; i < n; i++)
        sc_workload_destroy(network[i]);
    sc_free(network);
    return st;
}

static sc_status open_source(writing *w, sc_store *store, const char *word)
{
    source *s = &w->source[w->n];
    sc_yaml *config = NULL;
    sc_hash128 id;
    sc_status st = sc_store_find(&id, store, word);
    if (st != SC_OK || (st = sc_store_info_open(&s->info, store, id)) != SC_OK)
        return st;
    w->n++;
    const sc_store_study *study = &s->info->study;
    const sc_store_study *first = &w->source[0].info->study;
    for (size_t i = 0; i + 1 < w->n; i++)
        if (memcmp(&w->source[i].info->id, &id, sizeof id) == 0)
            return sc_fail(SC_EINVAL, "study '%s' is named twice", study->name);
    if (strcmp(study->model_version, first->model_version) != 0)
        return sc_fail(SC_EINVAL,
                       "studies '%s' and '%s' are of model versions %s and %s, whose figures do "
                       "not compare: run the older one again",
                       first->name, study->name, first->model_version, study->model_version);
    for (size_t i = 0; i < study->n_parameters && st == SC_OK; i++)
        st = add_name(&w->params, study->parameters[i]);
    for (size_t i = 0; i < study->n_values && st == SC_OK; i++)
        st = add_name(&w->values, study->values[i].name);
    if (st == SC_OK)
        st = sc_yaml_parse(&config, study->name, study->config, strlen(study->config));
    if (st == SC_OK)
        st = read_networks(s, config);
    sc_yaml_close(config);
    w->networks |= s->n_networks > 0;
    return st;
}

/* ---- the table ---- */

static void put_cell(writing *w, const char *text)
{
    sc_buf_puts(&w->text, ",");
    sc_csv_quote(&w->text, text);
}

static void put_number(writing *w, double v)
{
    char text[40] = "";
    if (!isnan(v))
        sc_double_text(text, sizeof text, v);
    put_cell(w, text);
}

static void put_heading(writing *w)
{
    sc_buf_puts(&w->text, "study");
    if (w->networks)
        put_cell(w, "network");
    for (size_t i = 0; i < w->params.n; i++)
        put_cell(w, w->params.name[i]);
    for (size_t i = 0; w->networks && i < SC_NETWORK_FEATURES; i++)
        put_cell(w, sc_network_feature_name(i));
    put_cell(w, "feasible");
    for (size_t i = 0; i < w->values.n; i++)
        put_cell(w, w->values.name[i]);
    sc_buf_puts(&w->text, "\n");
}

/* The value of a parameter of the trial; nothing where it is not active or not the study's. */
static sc_status put_parameter(writing *w, const char *text, const char *name)
{
    w->cell.length = 0;
    while (*text) {
        sc_param p;
        const sc_status st = sc_param__next(&p, &text);
        if (st != SC_OK)
            return st;
        if (sc_param__is(&p, name)) {
            sc_param__value(&p, &w->cell);
            break;
        }
    }
    put_cell(w, w->cell.length > 0 ? w->cell.text : "");
    return w->cell.status;
}

/* Of an infeasible trial none: what was computed before it failed is no figure of a design. */
static double value_of(const sc_store_study *study, const sc_store_trial *t, const char *name)
{
    for (size_t i = 0; t->state == SC_STATE_FEASIBLE && i < study->n_values; i++)
        if (strcmp(study->values[i].name, name) == 0)
            return t->values[i];
    return (double)NAN;
}

static sc_status put_trial(writing *w, const source *s, const sc_store_trial *t)
{
    const sc_store_study *study = &s->info->study;
    sc_status st = SC_OK;
    sc_csv_quote(&w->text, study->name);
    if (w->networks)
        put_cell(w, s->networks ? s->networks : "");
    for (size_t i = 0; i < w->params.n && st == SC_OK; i++)
        st = put_parameter(w, t->parameters, w->params.name[i]);
    for (size_t i = 0; w->networks && i < SC_NETWORK_FEATURES; i++)
        put_number(w, s->n_networks > 0 ? s->feature[i] : (double)NAN);
    put_cell(w, t->state == SC_STATE_FEASIBLE ? "true" : "false");
    for (size_t i = 0; i < w->values.n; i++)
        put_number(w, value_of(study, t, w->values.name[i]));
    sc_buf_puts(&w->text, "\n");
    return st == SC_OK ? w->text.status : st;
}

static sc_status put_study(writing *w, sc_store *store, const source *s)
{
    sc_store_trials *it = NULL;
    const sc_store_trial *t = NULL;
    sc_status st = sc_store_trials_open(&it, store, s->info->id, SC_WHICH_ALL);
    while (st == SC_OK && (st = sc_store_trials_next(&t, it)) == SC_OK && t)
        if (t->state != SC_STATE_FAILED)
            st = put_trial(w, s, t);
    sc_store_trials_close(it);
    return st;
}

sc_status sc_study_log(char **csv, sc_store *store, const char *const *words, size_t n)
{
    writing w = {.n = 0};
    sc_status st = SC_OK;
    if (n == 0)
        return sc_fail(SC_EINVAL, "a log needs a study");
    sc_buf_init(&w.text);
    sc_buf_init(&w.cell);
    if (!(w.source = sc_calloc(n, sizeof *w.source)))
        return SC_ENOMEM;
    for (size_t i = 0; i < n && st == SC_OK; i++)
        st = open_source(&w, store, words[i]);
    if (st == SC_OK)
        put_heading(&w);
    for (size_t i = 0; i < n && st == SC_OK; i++)
        st = put_study(&w, store, &w.source[i]);
    if (st == SC_OK)
        st = sc_buf_take(&w.text, csv);
    for (size_t i = 0; i < n; i++) {
        sc_store_info_close(w.source[i].info);
        sc_free(w.source[i].networks);
    }
    sc_free(w.source);
    sc_free(w.params.name);
    sc_free(w.values.name);
    sc_buf_clear(&w.text);
    sc_buf_clear(&w.cell);
    return st;
}
