#include <inttypes.h>

#include "core/json.h"
#include "core/mem.h"
#include "store/study.h"

json_t *sc_store__parameters_json(const sc_store_study *study)
{
    json_t *list = json_array();
    for (size_t i = 0; list && i < study->n_parameters; i++) {
        if (json_array_append_new(list, json_string(study->parameters[i])) != 0) {
            json_decref(list);
            list = NULL;
        }
    }
    return list;
}

json_t *sc_store__values_json(const sc_store_study *study)
{
    json_t *list = json_array();
    for (size_t i = 0; list && i < study->n_values; i++) {
        const sc_store_value *v = &study->values[i];
        if (json_array_append_new(list, json_pack("{s:s,s:s}", "name", v->name, "goal",
                                                  sc_store_goal_name(v->goal))) != 0) {
            json_decref(list);
            list = NULL;
        }
    }
    return list;
}

static json_t *objectives(const sc_store_study *study)
{
    json_t *list = json_array();
    for (size_t i = 0; list && i < study->n_values; i++) {
        const sc_store_value *v = &study->values[i];
        if (v->goal != SC_GOAL_NONE &&
            json_array_append_new(list, json_pack("{s:s,s:s}", "name", v->name, "goal",
                                                  sc_store_goal_name(v->goal))) != 0) {
            json_decref(list);
            return NULL;
        }
    }
    return list;
}

json_t *sc_store__info_json(const sc_store_info *info)
{
    const sc_store_study *study = &info->study;
    const sc_store_counts *counts = &info->counts;
    char id[SC_ID_HEX];
    char hex[SC_HASH_HEX];
    char keep[SC_STORE_KEEP_LEN];

    sc_hash_id(info->id, id);
    sc_hash_hex(info->id, hex);
    return json_pack("{s:s,s:s,s:s,s:s,s:I,s:I,s:I,s:I,s:I,s:s,s:I,s:s,s:o}", "id", id,
                     "fingerprint", hex, "name", study->name, "status", info->status, "trials",
                     (json_int_t)counts->trials, "feasible", (json_int_t)counts->feasible,
                     "infeasible", (json_int_t)counts->infeasible, "failed",
                     (json_int_t)counts->failed, "kept", (json_int_t)counts->kept, "keep",
                     sc_store_keep_text(keep, study->keep), "seed", (json_int_t)study->seed,
                     "model_version", study->model_version, "objectives", objectives(study));
}

/* ---- list ---- */

static sc_status append_study(json_t *list, sc_store *s, sc_hash128 id)
{
    sc_store_info *info = NULL;
    const sc_status st = sc_store_info_open(&info, s, id);
    if (st != SC_OK)
        return st;
    const int rc = json_array_append_new(list, sc_store__info_json(info));
    sc_store_info_close(info);
    return rc == 0 ? SC_OK : sc_fail(SC_ENOMEM, "no memory for the list of studies");
}

static sc_status list_studies(json_t *list, sc_store *s)
{
    sc_hash128 *ids = NULL;
    size_t n = 0;
    sc_status st = sc_store_studies(&ids, &n, s);
    for (size_t i = 0; i < n && st == SC_OK; i++)
        st = append_study(list, s, ids[i]);
    sc_free(ids);
    return st;
}

sc_status sc_store_study_list(char **json, sc_store *s)
{
    json_t *list = json_array();
    sc_status st = list ? sc_store__read_begin(s) : sc_fail(SC_ENOMEM, "no memory for a list");
    if (st == SC_OK) {
        st = list_studies(list, s);
        sc_store__read_end(s);
    }
    if (st == SC_OK)
        st = sc_json_write(json, list, 1);
    json_decref(list);
    return st;
}

/* ---- show ---- */

/* Columns of the table runs after its key. */
enum { STARTED_MS = 2, ELAPSED_MS, FIRST_TRIAL, TRIALS, THREADS };

static json_t *run_json(sqlite3_stmt *row)
{
    return json_pack("{s:I,s:o,s:I,s:I,s:I}", "started_ms",
                     (json_int_t)sqlite3_column_int64(row, STARTED_MS), "elapsed_s",
                     sc_json_real((double)sqlite3_column_int64(row, ELAPSED_MS) / 1000.0),
                     "first_trial", (json_int_t)sqlite3_column_int64(row, FIRST_TRIAL), "trials",
                     (json_int_t)sqlite3_column_int64(row, TRIALS), "threads",
                     (json_int_t)sqlite3_column_int64(row, THREADS));
}

static sc_status read_runs(json_t *runs, sc_store *s, sqlite3_stmt *row, const sc_key *key)
{
    bool more = false;
    sc_status st = SC_OK;

    if (sqlite3_bind_blob(row, 1, key->bytes, sizeof key->bytes, SQLITE_STATIC) != SQLITE_OK)
        return sc_store__fail(s, "reading runs");
    while ((st = sc_store__step(&more, s, row, "reading runs")) == SC_OK && more) {
        if ((st = sc_store__verify_row(s, SC_TABLE_RUNS, row)) != SC_OK)
            return st;
        if (json_array_append_new(runs, run_json(row)) != 0)
            return sc_fail(SC_ENOMEM, "no memory for the runs of a study");
    }
    return st;
}

static sc_status add_runs(json_t *study, sc_store *s, sc_hash128 id)
{
    const sc_key key = sc_store__key(id);
    json_t *runs = json_array();
    sqlite3_stmt *row = NULL;
    sc_buf sql;
    sc_status st;

    sc_buf_init(&sql);
    sc_store__select(&sql, SC_TABLE_RUNS);
    sc_buf_puts(&sql, " WHERE study = ?1 ORDER BY number");
    if ((st = runs ? sql.status : sc_fail(SC_ENOMEM, "no memory for runs")) != SC_OK ||
        (st = sc_store__prepare(&row, s, sql.text)) != SC_OK ||
        (st = read_runs(runs, s, row, &key)) != SC_OK)
        goto done;
    if (json_object_set(study, "runs", runs) != 0)
        st = sc_fail(SC_ENOMEM, "no memory for the runs of a study");
done:
    (void)sqlite3_finalize(row);
    sc_buf_clear(&sql);
    json_decref(runs);
    return st;
}

static sc_status checkpoint_bytes(json_int_t *out, sc_store *s, sc_hash128 id)
{
    void *bytes = NULL;
    size_t n = 0;
    const sc_status st = sc_store_get_checkpoint(&bytes, &n, s, id);
    sc_free(bytes);
    if (st == SC_OK || st == SC_ENOTFOUND)
        *out = (json_int_t)n;
    return st == SC_ENOTFOUND ? SC_OK : st;
}

static sc_status show(char **json, sc_store *s, const sc_store_info *info)
{
    json_t *study = sc_store__info_json(info);
    json_int_t bytes = 0;
    sc_status st;

    if ((st = checkpoint_bytes(&bytes, s, info->id)) != SC_OK)
        goto done;
    if (!study ||
        json_object_set_new(study, "parameters", sc_store__parameters_json(&info->study)) != 0 ||
        json_object_set_new(study, "values", sc_store__values_json(&info->study)) != 0 ||
        json_object_set_new(study, "checkpoint_bytes", json_integer(bytes)) != 0 ||
        json_object_set_new(study, "config", json_string(info->study.config)) != 0) {
        st = sc_fail(SC_ENOMEM, "no memory to show a study");
        goto done;
    }
    if ((st = add_runs(study, s, info->id)) == SC_OK)
        st = sc_json_write(json, study, 1);
done:
    json_decref(study);
    return st;
}

sc_status sc_store_study_show(char **json, sc_store *s, const char *word)
{
    sc_store_info *info = NULL;
    sc_hash128 id;
    sc_status st;

    if ((st = sc_store__read_begin(s)) != SC_OK)
        return st;
    if ((st = sc_store_find(&id, s, word)) == SC_OK &&
        (st = sc_store_info_open(&info, s, id)) == SC_OK)
        st = show(json, s, info);
    sc_store_info_close(info);
    sc_store__read_end(s);
    return st;
}
