#include "report/rows.h"

#include <string.h>

/* One value of the text, ending at a comma outside quotes; '' inside quotes is one quote. */
static const char *read_value(char *out, size_t size, const char *at, bool *quoted)
{
    size_t n = 0;
    *quoted = *at == '\'';
    for (at += *quoted; *at; at++) {
        if (*quoted && *at == '\'') {
            if (at[1] != '\'') {
                at++;
                break;
            }
            at++;
        } else if (!*quoted && *at == ',') {
            break;
        }
        if (n + 1 < size)
            out[n++] = *at;
    }
    out[n] = '\0';
    return at;
}

json_t *sc_report_params(const char *text)
{
    json_t *o = json_object();
    while (*text) {
        const char *equals = strchr(text, '=');
        char name[128], value[256];
        bool quoted;
        double number;
        if (!equals)
            break;
        const size_t length = (size_t)(equals - text);
        (void)snprintf(name, sizeof name, "%.*s", (int)(length < 127 ? length : 127), text);
        text = read_value(value, sizeof value, equals + 1, &quoted);
        const size_t span = sc_number_span(value);
        if (!quoted && span > 0 && value[span] == '\0' &&
            sc_number_read(&number, value, span, 0) == SC_OK)
            json_object_set_new(o, name, sc_json_number(number));
        else
            json_object_set_new(o, name, json_string(value));
        text += *text == ',';
    }
    return o;
}

static json_t *metrics_json(const sc_report_study *r, const sc_report_row *row)
{
    json_t *o = json_object();
    for (size_t v = 0; v < r->info->study.n_values; v++)
        json_object_set_new(o, r->info->study.values[v].name, sc_json_real(row->values[v]));
    return o;
}

static json_t *row_json(const sc_report_study *r, const sc_report_row *row)
{
    json_t *o = json_object(), *reasons = NULL;
    if (row->reasons[0] == '\0' ||
        sc_json_parse(&reasons, "reasons", row->reasons, strlen(row->reasons)) != SC_OK)
        reasons = json_array();
    json_object_set_new(o, "index", json_integer((json_int_t)row->index));
    json_object_set_new(o, "id", json_string(row->id));
    json_object_set_new(o, "state", json_string(sc_store_state_name(row->state)));
    json_object_set_new(o, "params", sc_report_params(row->parameters));
    json_object_set_new(o, "metrics", metrics_json(r, row));
    json_object_set_new(o, "reasons", reasons);
    return o;
}

static json_t *objectives_json(const sc_report_study *r)
{
    json_t *list = json_array();
    for (size_t k = 0; k < r->n_objectives; k++)
        json_array_append_new(
            list, json_pack("{s:s,s:s}", "name", sc_report_objective(r, k), "goal",
                            sc_store_goal_name(r->info->study.values[r->objectives[k]].goal)));
    return list;
}

sc_status sc_report_rows(char **json, sc_store *store, const char *study, sc_report_which which,
                         uint64_t top)
{
    sc_report_study *r = NULL;
    sc_report_baseline base = {0};
    const sc_report_row **list = NULL;
    size_t n = 0;
    json_t *o = NULL;
    sc_status st = sc_report_study_open(&r, store, study);
    if (st != SC_OK || (st = sc_report_baseline_open(&base, r, store)) != SC_OK ||
        (st = sc_report_select(&list, &n, r, which, top)) != SC_OK)
        goto done;
    o = json_object();
    json_t *rows = json_array();
    for (size_t i = 0; i < n; i++)
        json_array_append_new(rows, row_json(r, list[i]));
    json_object_set_new(o, "study", json_string(r->info->study.name));
    json_object_set_new(o, "objectives", objectives_json(r));
    if (sc_report_units(r))
        json_object_set(o, "units", sc_report_units(r));
    if (base.root)
        json_object_set(o, "baseline", base.root);
    st = json_object_set_new(o, "trials", rows) == 0 ? sc_json_write(json, o, 1)
                                                     : sc_fail(SC_ENOMEM, "no memory for the rows");
done:
    json_decref(o);
    json_decref(base.root);
    sc_free(list);
    sc_report_study_close(r);
    return st;
}
