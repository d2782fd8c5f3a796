/* What leaves the store: exports to the byte, lists, and how words name studies and points. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka wants the four above first */
#include <cmocka.h>
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/csv.h"
#include "core/file.h"
#include "core/json.h"
#include "core/mem.h"
#include "store_support.h"

static const sc_store_keep ALL = {SC_KEEP_ALL, 0};
static const char *const HOSTILE = "../'x\"; DROP TABLE trials;--\n<script>";

/* A study whose names and texts are hostile, with a trial of each state. */
static sc_hash128 make_hostile(sc_store *s)
{
    static const char *const parameters[] = {"<b>", "n"};
    static const sc_store_value values[] = {{"line\nbreak", SC_GOAL_MIN}, {"v", SC_GOAL_NONE}};
    const sc_store_study study = {.name = HOSTILE,
                                  .config = "a: '\n",
                                  .config_hash = {1, 2},
                                  .seed = 3,
                                  .model_version = "m",
                                  .parameters = parameters,
                                  .n_parameters = 2,
                                  .values = values,
                                  .n_values = 2};
    const double a[] = {0.1, -2}, b[] = {NAN, 1e300}, c[] = {INFINITY, NAN};
    const sc_store_trial trials[] = {{.index = 0,
                                      .point = {1, 0},
                                      .parameters = "<b>='it''s, \"x\"',n=1.50",
                                      .values = a,
                                      .n_values = 2,
                                      .evaluator = "e,1",
                                      .model_version = "m"},
                                     {.index = 4,
                                      .point = {0x123456789abcdef0, 5},
                                      .parameters = "n=-7",
                                      .state = SC_STATE_INFEASIBLE,
                                      .values = b,
                                      .n_values = 2,
                                      .violation = 2.5,
                                      .reasons = "[ {\"code\": \"tdp\"} ]",
                                      .evaluator = "e",
                                      .model_version = "m"},
                                     {.index = 5,
                                      .point = {0, 7},
                                      .parameters = "<b>='8'",
                                      .state = SC_STATE_FAILED,
                                      .values = c,
                                      .n_values = 2,
                                      .violation = NAN,
                                      .evaluator = "e",
                                      .model_version = "m"}};
    sc_store_writer *w = NULL;
    assert_ok(sc_store_writer_open(&w, s, &study));
    assert_ok(sc_store_begin(s));
    for (size_t i = 0; i < 3; i++)
        assert_ok(sc_store_put_trial(w, &trials[i]));
    assert_ok(sc_store_commit(s));
    const sc_hash128 id = sc_store_writer_id(w);
    sc_store_writer_close(w);
    return id;
}

static void csv_is_this_to_the_byte(void **state)
{
    sc_store *s = support_open(support_path(state, "a.db"), SC_STORE_CREATE);
    char *text = NULL;
    (void)make_hostile(s);
    assert_ok(sc_store_export_text(&text, s, HOSTILE, SC_STORE_CSV));
    assert_string_equal(
        text,
        "index,id,state,feasible,<b>,n,\"line\nbreak\",v,violation,front,reasons,evaluator,"
        "model_version\n"
        "0,00000000000000010000000000000000,feasible,true,\"it's, \"\"x\"\"\",1.50,0.1,-2,0,true,,"
        "\"e,1\",m\n"
        "4,123456789abcdef00000000000000005,infeasible,false,,-7,,1e+300,2.5,false,"
        "\"[ {\"\"code\"\": \"\"tdp\"\"} ]\",e,m\n"
        "5,00000000000000000000000000000007,failed,false,8,,inf,,,false,,e,m\n");
    sc_csv *csv = NULL; /* and reads back as a table */
    assert_ok(sc_csv_parse(&csv, "export", text, strlen(text)));
    assert_int_equal(sc_csv_rows(csv), 4);
    assert_string_equal(sc_csv_cell(csv, 1, sc_csv_find(csv, "<b>")), "it's, \"x\"");
    sc_csv_close(csv);
    sc_release(text);
    sc_store_close(s);
    assert_int_equal(sc_mem_live(), 0);
}

static void json_is_this_to_the_byte(void **state)
{
    sc_store *s = support_open(support_path(state, "a.db"), SC_STORE_CREATE);
    const sc_hash128 id = make_hostile(s);
    char short_id[SC_ID_HEX], hex[SC_HASH_HEX], want[2048];
    char *text = NULL;
    sc_hash_id(id, short_id);
    sc_hash_hex(id, hex);
    (void)snprintf(
        want, sizeof want,
        "{\"study\": {\"id\":\"%s\",\"fingerprint\":\"%s\","
        "\"name\":\"../'x\\\"; DROP TABLE trials;--\\n<script>\",\"trials\":3,\"feasible\":1,"
        "\"infeasible\":1,\"failed\":1,\"kept\":3,\"keep\":\"all\",\"seed\":3,"
        "\"model_version\":\"m\",\"objectives\":[{\"name\":\"line\\nbreak\",\"goal\":\"min\"}],"
        "\"parameters\":[\"<b>\",\"n\"],\"values\":[{\"name\":\"line\\nbreak\",\"goal\":\"min\"},"
        "{\"name\":\"v\",\"goal\":\"none\"}]},\n\"trials\": [\n"
        "{\"index\":0,\"id\":\"00000000000000010000000000000000\",\"state\":\"feasible\","
        "\"params\":{\"<b>\":\"it's, \\\"x\\\"\",\"n\":1.5},"
        "\"metrics\":{\"line\\nbreak\":0.1,\"v\":-2.0},\"violation\":0.0,\"front\":true,"
        "\"reasons\":[],\"evaluator\":\"e,1\",\"model_version\":\"m\"},\n"
        "{\"index\":4,\"id\":\"123456789abcdef00000000000000005\",\"state\":\"infeasible\","
        "\"params\":{\"n\":-7},\"metrics\":{\"line\\nbreak\":null,\"v\":1e+300},"
        "\"violation\":2.5,\"front\":false,\"reasons\":[{\"code\":\"tdp\"}],\"evaluator\":\"e\","
        "\"model_version\":\"m\"},\n"
        "{\"index\":5,\"id\":\"00000000000000000000000000000007\",\"state\":\"failed\","
        "\"params\":{\"<b>\":\"8\"},\"metrics\":{\"line\\nbreak\":null,\"v\":null},"
        "\"violation\":null,\"front\":false,\"reasons\":[],\"evaluator\":\"e\","
        "\"model_version\":\"m\"}\n]}\n",
        short_id, hex);
    assert_ok(sc_store_export_text(&text, s, hex, SC_STORE_JSON));
    assert_string_equal(text, want);
    json_t *parsed = NULL;
    assert_ok(sc_json_parse(&parsed, "export", text, strlen(text)));
    json_decref(parsed);
    sc_release(text);
    sc_store_close(s);
    assert_int_equal(sc_mem_live(), 0);
}

static void an_empty_study_exports_its_head(void **state)
{
    sc_store *s = support_open(support_path(state, "a.db"), SC_STORE_CREATE);
    sc_store_writer_close(support_writer(s, ALL));
    char *text = support_export(s, SC_STORE_CSV);
    assert_string_equal(text, "index,id,state,feasible,pes,kind,perf,energy_j,area_mm2,violation,"
                              "front,reasons,evaluator,model_version\n");
    sc_release(text);
    text = support_export(s, SC_STORE_JSON);
    json_t *parsed = NULL;
    assert_ok(sc_json_parse(&parsed, "export", text, strlen(text)));
    assert_int_equal(json_array_size(json_object_get(parsed, "trials")), 0);
    json_decref(parsed);
    sc_release(text);
    sc_store_close(s);
}

/* ---- sinks ---- */

struct taking {
    sc_buf text;
    size_t calls, largest, stop_at;
};

static sc_status take(const char *bytes, size_t n, void *payload)
{
    struct taking *t = payload;
    if (++t->calls == t->stop_at)
        return sc_fail(SC_ECANCEL, "enough");
    t->largest = n > t->largest ? n : t->largest;
    sc_buf_append(&t->text, bytes, n);
    return t->text.status;
}

static void exports_come_in_pieces(void **state)
{
    const char *path = support_path(state, "out.csv");
    sc_store *s = support_open(support_path(state, "a.db"), SC_STORE_CREATE);
    sc_store_writer *w = support_writer(s, ALL);
    struct taking t = {.stop_at = 0};
    char *bytes = NULL;
    size_t n = 0;
    support_tell(s, w, 0, 2000);
    assert_ok(sc_store_export(s, "alpha", SC_STORE_CSV, take, &t));
    assert_true(t.calls > 2 && t.largest < 70000);
    char *text = support_export(s, SC_STORE_CSV);
    assert_string_equal(text, t.text.text);
    assert_ok(sc_store_export_file(s, "alpha", SC_STORE_CSV, path));
    assert_ok(sc_file_read(&bytes, &n, path, 1 << 24));
    assert_string_equal(text, bytes);
    sc_free(bytes);
    sc_release(text);
    sc_buf_clear(&t.text);

    struct taking stopped = {.stop_at = 2};
    assert_fails(sc_store_export(s, "alpha", SC_STORE_JSON, take, &stopped), SC_ECANCEL, "enough");
    sc_buf_clear(&stopped.text);
    support_tell(s, w, 2000, 2001); /* the store is not left in the middle of reading */
    bytes = NULL;
    assert_fails(sc_store_export_text(&bytes, s, "alph", SC_STORE_CSV), SC_ENOTFOUND,
                 "did you mean 'alpha'?");
    assert_fails(sc_store_export_text(&bytes, s, "alpha", (sc_store_format)2), SC_EINVAL, "format");
    assert_null(bytes);
    assert_int_equal(
        sc_store_export_file(s, "alpha", SC_STORE_CSV, support_old_path(state, "no/folder.csv")),
        SC_ENOTFOUND);
    sc_store_writer_close(w);
    sc_store_close(s);
    assert_int_equal(sc_mem_live(), 0);
}

/* ---- words ---- */

/* Studies "s0" .. "s39" and two named "twin". */
static void make_many(sc_store *s)
{
    char name[8];
    for (uint64_t i = 0; i < 42; i++) {
        sc_store_study study = support_study(ALL);
        sc_store_writer *w = NULL;
        (void)snprintf(name, sizeof name, "s%d", (int)i);
        study.name = i < 40 ? name : "twin";
        study.seed = 100 + i;
        assert_ok(sc_store_writer_open(&w, s, &study));
        sc_store_writer_close(w);
    }
}

static void words_name_studies(void **state)
{
    sc_store *s = support_open(support_path(state, "a.db"), SC_STORE_CREATE);
    sc_hash128 *ids = NULL;
    sc_hash128 id = {9, 9};
    size_t n = 0;
    make_many(s);
    assert_ok(sc_store_studies(&ids, &n, s));
    assert_int_equal(n, 42);
    for (size_t i = 0; i < n; i++) {
        char hex[33], found[33];
        sc_hash_hex(ids[i], hex);
        assert_ok(sc_store_study_find(found, s, hex));
        assert_string_equal(found, hex);
        for (char *p = hex; *p; p++) /* capitals too */
            *p = *p >= 'a' ? (char)(*p - 32) : *p;
        hex[12] = '\0';
        assert_ok(sc_store_find(&id, s, hex));
        assert_true(sc_hash_equal(id, ids[i]));
        /* One digit: unique or ambiguous, by counting. */
        char one[2] = {found[0], '\0'};
        size_t same = 0;
        for (size_t k = 0; k < n; k++)
            same += ids[k].hi >> 60 == ids[i].hi >> 60;
        assert_int_equal(sc_store_find(&id, s, one), same == 1 ? SC_OK : SC_EINVAL);
    }
    id = (sc_hash128){9, 9};
    assert_fails(sc_store_find(&id, s, "twin"), SC_EINVAL, "several studies");
    char hex[33];
    sc_hash_hex(ids[41], hex);
    assert_non_null(strstr(sc_error_message(), hex));
    assert_fails(sc_store_find(&id, s, "twinn"), SC_ENOTFOUND, "did you mean 'twin'?");
    assert_fails(sc_store_find(&id, s, ""), SC_ENOTFOUND, "no study ''");
    assert_fails(sc_store_find(&id, s, "00000000000000000000000000000000f"), SC_ENOTFOUND, "");
    assert_true(id.hi == 9);
    sc_free(ids);
    sc_store_close(s);
}

static void words_name_points(void **state)
{
    sc_store *s = support_open(support_path(state, "a.db"), SC_STORE_CREATE);
    const sc_hash128 hostile = make_hostile(s);
    sc_store_writer *w = support_writer(s, ALL);
    sc_hash128 study = {9, 9};
    uint64_t index = 99;
    assert_fails(sc_store_find_point(&study, &index, s, "0000"), SC_EINVAL, "several designs");
    assert_fails(sc_store_find_point(&study, &index, s, "xyz"), SC_EINVAL, "no ID");
    assert_fails(sc_store_find_point(&study, &index, s, ""), SC_EINVAL, "no ID");
    assert_fails(sc_store_find_point(&study, &index, s, "ffff"), SC_ENOTFOUND, "ffff");
    assert_int_equal(index, 99);
    assert_ok(sc_store_find_point(&study, &index, s, "12345"));
    assert_int_equal(index, 4);
    assert_true(sc_hash_equal(study, hostile));

    sc_store_trial t = *support_trial(0); /* the same point twice is one design: the first */
    t.point = (sc_hash128){0xeeeU << 20, 1};
    assert_ok(sc_store_begin(s));
    t.index = 31;
    assert_ok(sc_store_put_trial(w, &t));
    t.index = 17;
    assert_ok(sc_store_put_trial(w, &t));
    assert_ok(sc_store_commit(s));
    assert_ok(sc_store_find_point(&study, &index, s, "00000000eee"));
    assert_int_equal(index, 17);
    assert_true(sc_hash_equal(study, sc_store_writer_id(w)));
    sc_store_writer_close(w);
    sc_store_close(s);
}

/* ---- list, show, delete ---- */

static void list_and_show_say_what_is_there(void **state)
{
    sc_store *s = support_open(support_path(state, "a.db"), SC_STORE_CREATE);
    char *text = NULL;
    json_t *json = NULL;
    assert_ok(sc_store_study_list(&text, s));
    assert_ok(sc_json_parse(&json, "list", text, strlen(text)));
    assert_int_equal(json_array_size(json), 0);
    json_decref(json);
    sc_release(text);

    (void)make_hostile(s);
    sc_store_writer *w = support_writer(s, ALL);
    support_tell(s, w, 0, 10);
    const sc_store_run run = {
        .started_ms = 1700000000123, .elapsed_ms = 1500, .trials = 10, .threads = 2};
    assert_ok(sc_store_begin(s));
    assert_ok(sc_store_put_run(w, &run));
    assert_ok(sc_store_commit(s));
    assert_ok(sc_store_study_list(&text, s));
    assert_ok(sc_json_parse(&json, "list", text, strlen(text)));
    assert_int_equal(json_array_size(json), 2);
    assert_string_equal(json_string_value(json_object_get(json_array_get(json, 0), "name")),
                        HOSTILE);
    const json_t *alpha = json_array_get(json, 1);
    assert_string_equal(json_string_value(json_object_get(alpha, "name")), "alpha");
    assert_int_equal(json_integer_value(json_object_get(alpha, "trials")), 10);
    assert_int_equal(json_integer_value(json_object_get(alpha, "infeasible")), 2);
    assert_int_equal(json_integer_value(json_object_get(alpha, "failed")), 1);
    json_decref(json);
    sc_release(text);

    assert_ok(sc_store_study_show(&text, s, "alpha"));
    assert_ok(sc_json_parse(&json, "show", text, strlen(text)));
    assert_string_equal(json_string_value(json_object_get(json, "config")), "version: 1\n");
    assert_int_equal(json_integer_value(json_object_get(json, "checkpoint_bytes")), 8);
    const json_t *first = json_array_get(json_object_get(json, "runs"), 0);
    assert_int_equal(json_integer_value(json_object_get(first, "started_ms")), 1700000000123);
    assert_true(json_real_value(json_object_get(first, "elapsed_s")) == 1.5);
    json_decref(json);
    sc_release(text);
    text = NULL;
    assert_fails(sc_store_study_show(&text, s, "gamma"), SC_ENOTFOUND, "no study 'gamma'");
    assert_null(text);
    sc_store_writer_close(w);
    sc_store_close(s);
    assert_int_equal(sc_mem_live(), 0);
}

static void deleting_takes_one_study_whole(void **state)
{
    sc_store *s = support_open(support_path(state, "a.db"), SC_STORE_CREATE);
    (void)make_hostile(s);
    sc_store_writer *w = support_writer(s, ALL);
    support_tell(s, w, 0, 50);
    sc_store_writer_close(w);
    const sc_store_result *r = NULL;
    char *before = NULL, *after = NULL;
    assert_ok(sc_store_export_text(&before, s, HOSTILE, SC_STORE_JSON));
    assert_fails(sc_store_study_delete(s, "alp"), SC_ENOTFOUND, "alp");
    assert_ok(sc_store_begin(s));
    assert_fails(sc_store_study_delete(s, "alpha"), SC_EINVAL, "within a batch");
    sc_store_rollback(s);
    assert_ok(sc_store_study_delete(s, "alpha"));
    assert_int_equal(support_faults(s), 0);
    assert_int_equal(sc_store_study_delete(s, "alpha"), SC_ENOTFOUND);
    assert_ok(sc_store_export_text(&after, s, HOSTILE, SC_STORE_JSON));
    assert_string_equal(before, after);
    assert_ok(sc_store_get_result(&r, s, sc_store_result_key(support_result(3))));
    assert_non_null(r); /* cached results stay */

    w = support_writer(s, ALL); /* and the study can be run anew */
    assert_int_equal(sc_store_writer_counts(w)->trials, 0);
    support_tell(s, w, 0, 50);
    assert_int_equal(support_faults(s), 0);
    sc_store_writer_close(w);
    sc_release(before);
    sc_release(after);
    sc_store_close(s);
}

#define WITH(test) cmocka_unit_test_setup_teardown(test, support_folder, support_remove_folder)

int main(void)
{
    const struct CMUnitTest tests[] = {
        WITH(csv_is_this_to_the_byte),
        WITH(json_is_this_to_the_byte),
        WITH(an_empty_study_exports_its_head),
        WITH(exports_come_in_pieces),
        WITH(words_name_studies),
        WITH(words_name_points),
        WITH(list_and_show_say_what_is_there),
        WITH(deleting_takes_one_study_whole),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
