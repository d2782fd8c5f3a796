#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka wants the four above first */
#include <cmocka.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/file.h"
#include "core/json.h"
#include "core/mem.h"
#include "scantle/map.h"

typedef struct room {
    sc_design *d;
    sc_workload *w;
    char path[32]; /* of a mapping file */
} room;

static void enter(room *r, const char *design, const char *workload)
{
    *r = (room){.path = "mappings-XXXXXX"};
    const int fd = mkstemp(r->path);
    assert_true(fd >= 0);
    (void)close(fd);
    if (sc_design_open(&r->d, design) != SC_OK || sc_workload_open(&r->w, workload) != SC_OK)
        fail_msg("%s", sc_error_message());
}

static void leave(room *r)
{
    (void)unlink(r->path);
    sc_workload_destroy(r->w);
    sc_design_destroy(r->d);
}

static sc_map_request request(const char *op, const char *mapping)
{
    sc_map_request q = SC_MAP_REQUEST_INIT;
    q.op = op;
    q.mapping = mapping;
    q.map_budget = 30;
    return q;
}

static sc_map_result *map(const room *r, const sc_map_request *q)
{
    sc_map_result *result = NULL;
    if (sc_map_network(&result, r->d, r->w, q) != SC_OK)
        fail_msg("%s", sc_error_message());
    return result;
}

static json_t *json_of(const sc_map_result *result)
{
    char *text = NULL;
    json_t *o = NULL;
    if (sc_map_result_json(&text, result) != SC_OK ||
        sc_json_parse(&o, "map", text, strlen(text)) != SC_OK)
        fail_msg("%s", sc_error_message());
    sc_free(text);
    return o;
}

static void save(const room *r, const sc_map_result *result)
{
    char *text = NULL;
    if (sc_map_result_yaml_all(&text, result) != SC_OK ||
        sc_file_write(r->path, text, strlen(text)) != SC_OK)
        fail_msg("%s", sc_error_message());
    sc_free(text);
}

static void write_text(const room *r, const char *text)
{
    assert_int_equal(sc_file_write(r->path, text, strlen(text)), SC_OK);
}

/* All but how many mappings were looked at: a search looks at many, a replay at one. */
static void drop_evaluations(json_t *o)
{
    size_t i;
    json_t *op;
    json_array_foreach(json_object_get(o, "op_list"), i, op)
    {
        assert_int_equal(json_object_del(op, "evaluations"), 0);
    }
}

static void check_replay(const char *design, const char *workload)
{
    room r;
    char *short_found = NULL, *short_again = NULL;
    enter(&r, design, workload);
    const sc_map_request search = request(NULL, NULL), replay = request(NULL, r.path);
    sc_map_result *found = map(&r, &search);
    save(&r, found);
    sc_map_result *again = map(&r, &replay);
    json_t *a = json_of(found), *b = json_of(again);
    drop_evaluations(a);
    drop_evaluations(b);
    assert_true(json_array_size(json_object_get(a, "op_list")) > 10);
    assert_true(json_equal(a, b)); /* reals bit by bit */
    assert_int_equal(sc_map_result_text(&short_found, found), SC_OK);
    assert_int_equal(sc_map_result_text(&short_again, again), SC_OK);
    assert_string_equal(short_found, short_again);
    sc_free(short_found);
    sc_free(short_again);
    json_decref(a);
    json_decref(b);
    sc_map_result_destroy(found);
    sc_map_result_destroy(again);
    leave(&r);
}

static void test_networks_replay(void **state)
{
    check_replay("fast", "efficientnet-b0"); /* padded factors, depthwise on the diagonal */
    check_replay("tpu-v3", "bert-base:seq=128");
    check_replay("edge", "mobilenet-v2");
}

/* One op of a file of many is that op of the whole. */
static void test_one_of_many(void **state)
{
    room r;
    enter(&r, "fast", SCANTLE_SOURCE_DIR "/configs/networks/example.yaml");
    const sc_map_request all = request(NULL, NULL);
    sc_map_result *found = map(&r, &all);
    save(&r, found);
    json_t *whole = json_of(found);
    drop_evaluations(whole);
    const json_t *list = json_object_get(whole, "op_list");
    for (size_t i = 0; i < json_array_size(list); i++) {
        const json_t *op = json_array_get(list, i);
        const sc_map_request one = request(json_string_value(json_object_get(op, "name")), r.path);
        sc_map_result *again = map(&r, &one);
        json_t *o = json_of(again);
        drop_evaluations(o);
        assert_int_equal(json_array_size(json_object_get(o, "op_list")), 1);
        assert_true(json_equal(op, json_array_get(json_object_get(o, "op_list"), 0)));
        json_decref(o);
        sc_map_result_destroy(again);
    }
    json_decref(whole);
    sc_map_result_destroy(found);
    leave(&r);
}

/* A file of one mapping is of the op it names. */
static void test_one_mapping_names_its_op(void **state)
{
    room r;
    char *text = NULL;
    enter(&r, "fast", "efficientnet-b0");
    const sc_map_request one = request("b1_0_dw", NULL), replay = request(NULL, r.path);
    sc_map_result *found = map(&r, &one);
    assert_int_equal(sc_map_result_yaml(&text, found, 0), SC_OK);
    write_text(&r, text);
    sc_map_result *again = map(&r, &replay);
    json_t *a = json_of(found), *b = json_of(again);
    drop_evaluations(a);
    drop_evaluations(b);
    assert_true(json_equal(a, b));
    json_decref(a);
    json_decref(b);
    sc_map_result_destroy(found);
    sc_map_result_destroy(again);
    sc_free(text);
    leave(&r);
}

static void refuses(const room *r, const char *text, sc_status wanted, const char *message)
{
    const sc_map_request q = request(NULL, r->path);
    sc_map_result *result = NULL;
    write_text(r, text);
    assert_int_equal(sc_map_network(&result, r->d, r->w, &q), wanted);
    assert_null(result);
    if (!strstr(sc_error_message(), message))
        fail_msg("'%s' is not in: %s", message, sc_error_message());
}

/* The text with the first `from` replaced. */
static char *replaced(const char *text, const char *from, const char *to)
{
    const char *at = strstr(text, from);
    assert_non_null(at);
    char *out = calloc(1, strlen(text) + strlen(to) + 1);
    assert_non_null(out);
    memcpy(out, text, (size_t)(at - text));
    strcat(out, to);
    strcat(out, at + strlen(from));
    return out;
}

/* The lists behind `keep: ` emptied, in place. */
static void keep_nothing(char *text)
{
    for (char *at = text; (at = strstr(at, "keep: [")); at++)
        for (char *in = at + strlen("keep: ["); *in != ']'; in++)
            *in = ' ';
}

static void test_files_are_refused(void **state)
{
    static const struct {
        const char *from, *to, *message;
    } faults[] = {{"- op: \"fc\"", "- op: \"fcc\"", "the network maps no op 'fcc'"},
                  {"- op: \"fc\"", "- op: \"fcc\"", "no mapping of op 'fc'"},
                  {"- op: \"fc\"", "- op: \"stem\"", "op 'stem' stands twice"},
                  {"- op: \"fc\"\n ", "-", "'op'"},
                  {"version: 1", "version: 2", "version"},
                  {"mappings:", "extra: 1\nmappings:", "extra"},
                  {"    keep:", "    kept: 3\n    keep:", "kept"}};
    room r;
    char *text = NULL;
    enter(&r, "fast", "efficientnet-b0");
    const sc_map_request all = request(NULL, NULL);
    sc_map_result *found = map(&r, &all);
    assert_int_equal(sc_map_result_yaml_all(&text, found), SC_OK);
    for (size_t i = 0; i < sizeof faults / sizeof *faults; i++) {
        char *bad = replaced(text, faults[i].from, faults[i].to);
        refuses(&r, bad, SC_EPARSE, faults[i].message);
        free(bad);
    }
    keep_nothing(text);
    refuses(&r, text, SC_EPARSE, ":3:3: error: no level keeps tensor");
    refuses(&r, "version: 1\nlevels: []\n", SC_EPARSE, "'op: NAME' is missing");
    refuses(&r, "version: 1\nop: nothing\nlevels: []\n", SC_EPARSE, ":2:5: error: no op 'nothing'");
    refuses(&r, "version: 1\nmappings: 3\n", SC_EPARSE, "mappings");
    sc_free(text);
    sc_map_result_destroy(found);
    leave(&r);
}

/* Every failing allocation is told and leaves nothing behind. */
static void test_replay_without_memory(void **state)
{
    room r;
    enter(&r, "fast", SCANTLE_SOURCE_DIR "/configs/networks/example.yaml");
    const sc_map_request all = request(NULL, NULL), replay = request(NULL, r.path);
    sc_map_result *found = map(&r, &all);
    save(&r, found);
    const long before = sc_mem_live();
    long failed = 0;
    for (bool done = false; !done; failed += !done) {
        sc_map_result *again = NULL;
        char *text = NULL, *loops = NULL, *svg = NULL;
        sc_mem_fail_after(failed);
        done = sc_map_network(&again, r.d, r.w, &replay) == SC_OK &&
               sc_map_result_yaml_all(&text, again) == SC_OK &&
               sc_map_result_loops(&loops, again) == SC_OK &&
               sc_map_result_picture(&svg, again, 0) == SC_OK;
        sc_mem_fail_after(-1);
        sc_free(text);
        sc_free(loops);
        sc_free(svg);
        sc_map_result_destroy(again);
        assert_int_equal(sc_mem_live(), before);
    }
    assert_true(failed > 20);
    sc_map_result_destroy(found);
    leave(&r);
}

/* Without timing, texts are the same from run to run; with it every op has its time. */
static void test_time_on_request(void **state)
{
    room r;
    enter(&r, "fast", "efficientnet-b0");
    for (int timing = 0; timing < 2; timing++) {
        sc_map_request q = request("stem", NULL);
        q.timing = timing;
        sc_map_result *result = map(&r, &q);
        json_t *o = json_of(result);
        const json_t *seconds =
            json_object_get(json_array_get(json_object_get(o, "op_list"), 0), "seconds");
        assert_int_equal(json_number_value(seconds) > 0.0, timing);
        json_decref(o);
        sc_map_result_destroy(result);
    }
    leave(&r);
}

int main(void)
{
    if (sc_data_dir_set(SCANTLE_SOURCE_DIR "/configs") != SC_OK)
        return 1;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_networks_replay),          cmocka_unit_test(test_one_of_many),
        cmocka_unit_test(test_one_mapping_names_its_op), cmocka_unit_test(test_files_are_refused),
        cmocka_unit_test(test_replay_without_memory),    cmocka_unit_test(test_time_on_request)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
