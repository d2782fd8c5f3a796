/* Constraint files over the ops of a network. */
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

/* ResNet-50's first conv has 64 outputs K, 3 inputs C, 7 x 7 taps R S and 112 x 112 positions P Q;
 * TPU-v3 runs it at batch 64. The array is 128 x 128, weights stay. */
static const char OBEYED[] = "version: 1\n"
                             "op: conv1\n"
                             "levels:\n"
                             "  - level: VMEM\n"
                             "    keep: [weight]\n"
                             "    bypass: [output]\n"
                             "    temporal: {factors: [P=16, Q<=4, N>=3], order: [N, rest, P]}\n"
                             "  - level: MXU\n"
                             "    spatial: {factors: [C=3, K=32]}\n";
/* Of 64 outputs VMEM takes 2, the array at most 16 and nothing else any: 32. */
static const char NOT_OBEYED[] = "version: 1\n"
                                 "levels:\n"
                                 "  - level: HBM\n"
                                 "    temporal: {factors: [K=1]}\n"
                                 "    spatial: {factors: [K=1]}\n"
                                 "  - level: VMEM\n"
                                 "    temporal: {factors: [K=2]}\n"
                                 "    spatial: {factors: [K=1]}\n"
                                 "  - level: MXU\n"
                                 "    temporal: {factors: [K=1]}\n"
                                 "    spatial: {factors: [K<=16]}\n"
                                 "  - level: REG\n"
                                 "    temporal: {factors: [K=1]}\n";

typedef struct room {
    sc_design *d;
    sc_workload *w;
    char path[32]; /* of the constraints */
    sc_map_request request;
} room;

static void enter(room *r, const char *text)
{
    *r = (room){.path = "limits-XXXXXX", .request = SC_MAP_REQUEST_INIT};
    const int fd = mkstemp(r->path);
    assert_true(fd >= 0);
    (void)close(fd);
    assert_int_equal(sc_file_write(r->path, text, strlen(text)), SC_OK);
    if (sc_design_open(&r->d, "tpu-v3") != SC_OK || sc_workload_open(&r->w, "resnet50") != SC_OK)
        fail_msg("%s", sc_error_message());
    r->request.op = "conv1";
    r->request.constraints = r->path;
    r->request.map_budget = 200;
}

static void leave(room *r)
{
    (void)unlink(r->path);
    sc_workload_destroy(r->w);
    sc_design_destroy(r->d);
}

static json_t *map(const room *r)
{
    sc_map_result *result = NULL;
    char *text = NULL;
    json_t *o = NULL;
    if (sc_map_network(&result, r->d, r->w, &r->request) != SC_OK ||
        sc_map_result_json(&text, result) != SC_OK ||
        sc_json_parse(&o, "map", text, strlen(text)) != SC_OK)
        fail_msg("%s", sc_error_message());
    sc_free(text);
    sc_map_result_destroy(result);
    return o;
}

static const json_t *level_of(const json_t *op, const char *name)
{
    size_t i;
    const json_t *level;
    json_array_foreach(json_object_get(op, "mapping"), i, level)
    {
        if (strcmp(json_string_value(json_object_get(level, "level")), name) == 0)
            return level;
    }
    fail_msg("no level %s", name);
    return NULL;
}

static json_int_t factor_of(const json_t *level, const char *block, const char *dim)
{
    size_t i;
    const json_t *loop;
    json_array_foreach(json_object_get(level, block), i, loop)
    {
        if (strcmp(json_string_value(json_object_get(loop, "dim")), dim) == 0)
            return json_integer_value(json_object_get(loop, "factor"));
    }
    return 1;
}

static void test_obeyed(void **state)
{
    room r;
    enter(&r, OBEYED);
    json_t *o = map(&r);
    const json_t *op = json_array_get(json_object_get(o, "op_list"), 0);
    assert_true(json_is_true(json_object_get(op, "feasible")));
    const json_t *vmem = level_of(op, "VMEM"), *array = level_of(op, "MXU");
    const json_t *loops = json_object_get(vmem, "temporal"); /* outermost first */
    assert_int_equal(factor_of(vmem, "temporal", "P"), 16);
    assert_true(factor_of(vmem, "temporal", "Q") <= 4);
    assert_true(factor_of(vmem, "temporal", "N") >= 3);
    assert_string_equal(json_string_value(json_object_get(json_array_get(loops, 0), "dim")), "N");
    assert_string_equal(json_string_value(json_object_get(
                            json_array_get(loops, json_array_size(loops) - 1), "dim")),
                        "P");
    assert_non_null(json_object_get(json_object_get(vmem, "tile_words"), "weight"));
    assert_null(json_object_get(json_object_get(vmem, "tile_words"), "output"));
    assert_int_equal(factor_of(array, "y", "C"), 3);
    assert_int_equal(factor_of(array, "x", "K"), 32);
    json_decref(o);
    leave(&r);
}

static void check_reason(const json_t *reasons, const char *where, double need, double have)
{
    size_t i;
    const json_t *reason;
    json_array_foreach(reasons, i, reason)
    {
        if (strcmp(json_string_value(json_object_get(reason, "where")), where) != 0)
            continue;
        assert_string_equal(json_string_value(json_object_get(reason, "code")), "factor");
        assert_true(json_number_value(json_object_get(reason, "need")) == need);
        assert_true(json_number_value(json_object_get(reason, "have")) == have);
        return;
    }
    fail_msg("no reason at %s", where);
}

static void test_not_obeyed(void **state)
{
    room r;
    sc_map_result *result = NULL;
    char *text = NULL;
    enter(&r, NOT_OBEYED);
    json_t *o = map(&r);
    const json_t *op = json_array_get(json_object_get(o, "op_list"), 0);
    const json_t *reasons = json_object_get(op, "reasons");
    assert_true(json_is_false(json_object_get(op, "feasible")));
    assert_int_equal(json_array_size(reasons), 7);
    check_reason(reasons, "HBM: K in time", 2, 1);
    check_reason(reasons, "HBM: K in space", 2, 1);
    check_reason(reasons, "VMEM: K in time", 4, 2);
    check_reason(reasons, "VMEM: K in space", 2, 1);
    check_reason(reasons, "MXU: K in time", 2, 1);
    check_reason(reasons, "MXU: K in space", 32, 16);
    check_reason(reasons, "REG: K in time", 2, 1);
    json_decref(o);
    assert_int_equal(sc_map_network(&result, r.d, r.w, &r.request), SC_OK);
    assert_int_equal(sc_map_result_feasible(result), 0);
    assert_int_equal(sc_map_result_text(&text, result), SC_OK);
    assert_non_null(strstr(text, "MXU: K in space: factor 16 is asked for, 32 would do\n"));
    assert_int_equal(sc_map_result_yaml(&text, result, 0), SC_EINVAL);
    sc_free(text);
    sc_map_result_destroy(result);
    leave(&r);
}

/* Every conv of the network has the dimensions: none is left out, whatever the threads. */
static void test_all_ops(void **state)
{
    room r;
    enter(&r, "version: 1\nlevels: [{level: VMEM, bypass: [input]}]\n");
    r.request.op = NULL;
    r.request.map_budget = 20;
    r.request.threads = 1;
    json_t *one = map(&r);
    r.request.threads = 3;
    json_t *three = map(&r);
    size_t i;
    const json_t *op;
    json_array_foreach(json_object_get(one, "op_list"), i, op)
    {
        assert_null(json_object_get(json_object_get(level_of(op, "VMEM"), "tile_words"), "input"));
    }
    assert_true(i > 50);
    assert_true(json_equal(one, three));
    json_decref(one);
    json_decref(three);
    leave(&r);
}

static void test_refused(void **state)
{
    static const struct {
        const char *text, *where;
    } faults[] = {
        {"version: 1\nlevels: [{level: L1}]\n", ":2:18: error"},
        {"version: 1\nlevels: [{level: VMEM, keep: [bias]}]\n", ":2:31: error"},
        {"version: 1\nlevels: [{level: VMEM, temporal: {factors: [K=65]}}]\n", ":2:47: error"},
    };
    for (size_t i = 0; i < sizeof faults / sizeof *faults; i++) {
        room r;
        sc_map_result *result = NULL;
        enter(&r, faults[i].text);
        assert_int_equal(sc_map_network(&result, r.d, r.w, &r.request), SC_EPARSE);
        if (!strstr(sc_error_message(), faults[i].where))
            fail_msg("%s", sc_error_message());
        assert_null(result);
        r.request.mapping = r.path;
        assert_int_equal(sc_map_network(&result, r.d, r.w, &r.request), SC_EINVAL);
        leave(&r);
    }
}

static void test_without_memory(void **state)
{
    room r;
    enter(&r, NOT_OBEYED);
    sc_map_result *result = NULL;
    const long before = sc_mem_live();
    sc_status st = SC_ENOMEM;
    for (long n = 0; st == SC_ENOMEM; n++) {
        sc_mem_fail_after(n);
        st = sc_map_network(&result, r.d, r.w, &r.request);
        sc_mem_fail_after(-1);
        if (st != SC_OK)
            assert_int_equal(sc_mem_live(), before);
    }
    assert_int_equal(st, SC_OK);
    sc_map_result_destroy(result);
    leave(&r);
}

int main(void)
{
    if (sc_data_dir_set(SCANTLE_SOURCE_DIR "/configs") != SC_OK)
        return 1;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_obeyed),         cmocka_unit_test(test_not_obeyed),
        cmocka_unit_test(test_all_ops),        cmocka_unit_test(test_refused),
        cmocka_unit_test(test_without_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
