#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "core/csv.h"
#include "core/json.h"
#include "core/mem.h"
#include "core/number.h"
#include "scantle/text.h"
#include "store/params.h"
#include "store/study.h"

enum { CHUNK = 1 << 16 }; /* bytes handed to the sink at once, about */

typedef struct writing {
    sc_buf buf, value;
    sc_store_sink sink;
    void *payload;
    const sc_store_study *study;
    bool in_line; /* CSV: a cell stands before the next one */
} writing;

static sc_status flush(writing *w, size_t at_least)
{
    sc_status st = w->buf.status;
    if (st == SC_OK && w->buf.length > 0 && w->buf.length >= at_least) {
        st = w->sink(w->buf.text, w->buf.length, w->payload);
        w->buf.length = 0;
    }
    return st;
}

/* The trial's assignment to a name of the study, if it is the next one in *text: both stand in the
 * same order. *is_there = false for an inactive parameter. */
static sc_status next_param(bool *is_there, sc_param *p, const char **text, const char *name)
{
    const char *rest = *text;
    sc_status st;

    *is_there = false;
    if (!*rest)
        return SC_OK;
    if ((st = sc_param__next(p, &rest)) != SC_OK)
        return st;
    *is_there = sc_param__is(p, name);
    if (*is_there)
        *text = rest;
    return SC_OK;
}

/* The value without its quotes, until the next call. */
static const char *value_text(writing *w, const sc_param *p)
{
    w->value.length = 0;
    sc_param__value(p, &w->value);
    if (w->value.length == 0)
        return "";
    return w->value.text;
}

/* ---- CSV ---- */

static void csv_cell(writing *w, const char *text)
{
    sc_buf_puts(&w->buf, w->in_line ? "," : "");
    sc_csv_quote(&w->buf, text);
    w->in_line = true;
}

static void csv_end(writing *w)
{
    sc_buf_puts(&w->buf, "\n");
    w->in_line = false;
}

static void csv_number(writing *w, double v)
{
    char text[40] = "";
    if (!isnan(v))
        sc_double_text(text, sizeof text, v);
    csv_cell(w, text);
}

static sc_status csv_head(writing *w, const sc_store_info *info)
{
    (void)info;
    csv_cell(w, "index");
    csv_cell(w, "id");
    csv_cell(w, "state");
    csv_cell(w, "feasible");
    for (size_t i = 0; i < w->study->n_parameters; i++)
        csv_cell(w, w->study->parameters[i]);
    for (size_t i = 0; i < w->study->n_values; i++)
        csv_cell(w, w->study->values[i].name);
    csv_cell(w, "violation");
    csv_cell(w, "front");
    csv_cell(w, "reasons");
    csv_cell(w, "evaluator");
    csv_cell(w, "model_version");
    csv_end(w);
    return SC_OK;
}

static sc_status csv_params(writing *w, const char *text)
{
    sc_param p;
    bool is_there = false;
    sc_status st;

    for (size_t i = 0; i < w->study->n_parameters; i++) {
        if ((st = next_param(&is_there, &p, &text, w->study->parameters[i])) != SC_OK)
            return st;
        csv_cell(w, is_there ? value_text(w, &p) : "");
    }
    return w->value.status;
}

static sc_status csv_trial(writing *w, const sc_store_trial *t)
{
    char text[SC_HASH_HEX];
    sc_status st;

    sc_buf_printf(&w->buf, "%" PRIu64, t->index);
    w->in_line = true;
    sc_hash_hex(t->point, text);
    csv_cell(w, text);
    csv_cell(w, sc_store_state_name(t->state));
    csv_cell(w, t->state == SC_STATE_FEASIBLE ? "true" : "false");
    if ((st = csv_params(w, t->parameters)) != SC_OK)
        return st;
    for (size_t i = 0; i < t->n_values; i++)
        csv_number(w, t->values[i]);
    csv_number(w, t->violation);
    csv_cell(w, t->flags & SC_FLAG_FRONT ? "true" : "false");
    csv_cell(w, t->reasons);
    csv_cell(w, t->evaluator);
    csv_cell(w, t->model_version);
    csv_end(w);
    return SC_OK;
}

static sc_status csv_foot(writing *w)
{
    (void)w;
    return SC_OK;
}

/* ---- JSON ---- */

/* Append a value and let go of it; NULL is one that ran out of memory. */
static sc_status json_append(writing *w, json_t *value)
{
    char *text = NULL;
    const sc_status st = sc_json_write(&text, value, 0);
    if (st == SC_OK)
        sc_buf_puts(&w->buf, text);
    sc_free(text);
    json_decref(value);
    return st;
}

/* What the trials follow from; how far the run came is theirs to say. */
static sc_status json_head(writing *w, const sc_store_info *info)
{
    json_t *study = sc_store__info_json(info);
    sc_status st;

    if (!study || json_object_del(study, "status") != 0 ||
        json_object_set_new(study, "parameters", sc_store__parameters_json(w->study)) != 0 ||
        json_object_set_new(study, "values", sc_store__values_json(w->study)) != 0) {
        json_decref(study);
        return sc_fail(SC_ENOMEM, "no memory to export a study");
    }
    sc_buf_puts(&w->buf, "{\"study\": ");
    st = json_append(w, study);
    sc_buf_puts(&w->buf, ",\n\"trials\": [");
    return st;
}

/* A bare value that reads as a number is one. */
static json_t *param_json(writing *w, const sc_param *p)
{
    const char *text = value_text(w, p);
    const size_t n = strlen(text);
    int64_t whole = 0;
    double number = 0;

    if (w->value.status != SC_OK)
        return NULL;
    if (!p->quoted && n > 0 && sc_number_span(text) == n) {
        if (!strpbrk(text, ".eE") && sc_integer_read(&whole, text) == SC_OK)
            return json_integer(whole);
        if (n <= 400 && sc_number_read(&number, text, n, 0) == SC_OK)
            return json_real(number);
    }
    return json_string(text);
}

static sc_status params_json(json_t **out, writing *w, const char *text)
{
    json_t *params = json_object();
    sc_param p;
    bool is_there = false;
    sc_status st = params ? SC_OK : SC_ENOMEM;

    for (size_t i = 0; i < w->study->n_parameters && st == SC_OK; i++) {
        const char *name = w->study->parameters[i];
        st = next_param(&is_there, &p, &text, name);
        if (st == SC_OK && is_there && json_object_set_new(params, name, param_json(w, &p)) != 0)
            st = sc_fail(SC_ENOMEM, "no memory to export a trial");
    }
    if (st == SC_OK)
        *out = params;
    else
        json_decref(params);
    return st;
}

static json_t *metrics_json(const sc_store_study *study, const sc_store_trial *t)
{
    json_t *metrics = json_object();
    for (size_t i = 0; metrics && i < t->n_values; i++) {
        if (json_object_set_new(metrics, study->values[i].name, sc_json_real(t->values[i])) != 0) {
            json_decref(metrics);
            return NULL;
        }
    }
    return metrics;
}

static sc_status json_trial(writing *w, const sc_store_trial *t)
{
    json_t *params = NULL;
    json_t *reasons = NULL;
    char id[SC_HASH_HEX];
    sc_status st;

    if ((st = params_json(&params, w, t->parameters)) != SC_OK)
        return st;
    if (t->reasons[0] &&
        (st = sc_json_parse(&reasons, "reasons", t->reasons, strlen(t->reasons))) != SC_OK) {
        json_decref(params);
        return st;
    }
    sc_hash_hex(t->point, id);
    json_t *trial =
        json_pack("{s:I,s:s,s:s,s:o,s:o,s:o,s:b,s:o,s:s,s:s}", "index", (json_int_t)t->index, "id",
                  id, "state", sc_store_state_name(t->state), "params", params, "metrics",
                  metrics_json(w->study, t), "violation", sc_json_real(t->violation), "front",
                  (t->flags & SC_FLAG_FRONT) != 0, "reasons", reasons ? reasons : json_array(),
                  "evaluator", t->evaluator, "model_version", t->model_version);
    sc_buf_puts(&w->buf, w->in_line ? ",\n" : "\n");
    w->in_line = true;
    return json_append(w, trial);
}

static sc_status json_foot(writing *w)
{
    sc_buf_puts(&w->buf, w->in_line ? "\n]}\n" : "]}\n");
    return SC_OK;
}

/* ---- both ---- */

static const struct form {
    sc_status (*head)(writing *, const sc_store_info *);
    sc_status (*trial)(writing *, const sc_store_trial *);
    sc_status (*foot)(writing *);
} forms[] = {
    [SC_STORE_CSV] = {csv_head, csv_trial, csv_foot},
    [SC_STORE_JSON] = {json_head, json_trial, json_foot},
};

static sc_status write_trial(writing *w, sc_store *s, const struct form *form,
                             const sc_store_trial *t)
{
    if (t->n_values != w->study->n_values)
        return sc_store__corrupt(s, "trial %" PRIu64 " has %zu values, not %zu", t->index,
                                 t->n_values, w->study->n_values);
    const sc_status st = form->trial(w, t);
    if (st == SC_EINVAL || st == SC_EPARSE) /* was checked when it was stored */
        return sc_store__corrupt(s, "trial %" PRIu64 " has no meaning", t->index);
    return st == SC_OK ? flush(w, CHUNK) : st;
}

static sc_status write_study(writing *w, sc_store *s, const struct form *form,
                             const sc_store_info *info)
{
    sc_store_trials *it = NULL;
    const sc_store_trial *t = NULL;
    sc_status st;

    w->study = &info->study;
    if ((st = form->head(w, info)) != SC_OK ||
        (st = sc_store_trials_open(&it, s, info->id, SC_WHICH_ALL)) != SC_OK)
        return st;
    while ((st = sc_store_trials_next(&t, it)) == SC_OK && t)
        if ((st = write_trial(w, s, form, t)) != SC_OK)
            break;
    sc_store_trials_close(it);
    if (st == SC_OK && (st = form->foot(w)) == SC_OK)
        st = flush(w, 0);
    return st;
}

sc_status sc_store_export(sc_store *s, const char *word, sc_store_format format, sc_store_sink sink,
                          void *payload)
{
    writing w = {.sink = sink, .payload = payload};
    sc_store_info *info = NULL;
    sc_hash128 id;
    sc_status st;

    if (format > SC_STORE_JSON)
        return sc_fail(SC_EINVAL, "unknown export format %d", (int)format);
    if ((st = sc_store__read_begin(s)) != SC_OK)
        return st;
    sc_buf_init(&w.buf);
    sc_buf_init(&w.value);
    if ((st = sc_store_find(&id, s, word)) == SC_OK &&
        (st = sc_store_info_open(&info, s, id)) == SC_OK)
        st = write_study(&w, s, &forms[format], info);
    sc_store_info_close(info);
    sc_store__read_end(s);
    sc_buf_clear(&w.buf);
    sc_buf_clear(&w.value);
    return st;
}

static sc_status into_buf(const char *bytes, size_t n, void *payload)
{
    sc_buf *b = payload;
    sc_buf_append(b, bytes, n);
    return b->status;
}

sc_status sc_store_export_text(char **out, sc_store *s, const char *word, sc_store_format format)
{
    sc_buf text;
    sc_buf_init(&text);
    sc_status st = sc_store_export(s, word, format, into_buf, &text);
    if (st == SC_OK)
        st = sc_buf_take(&text, out);
    sc_buf_clear(&text);
    return st;
}

sc_status sc_store_export_file(sc_store *s, const char *word, sc_store_format format,
                               const char *path)
{
    char *text = NULL;
    sc_status st = sc_store_export_text(&text, s, word, format);
    if (st == SC_OK)
        st = sc_file_write(path, text, strlen(text));
    sc_free(text);
    return st;
}
