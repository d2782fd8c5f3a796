/* Input of the systolic simulator: what its files leave to their reader. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "core/file.h"
#include "core_support.h"
#include "scantle/scalesim.h"

static const char topology_name[] = "scalesim_test.csv", config_name[] = "scalesim_test.cfg";

static const char config[] = "[general]\n"
                             "run_name = \"test\"\n"
                             "[architecture_presets]\n"
                             "ArrayHeight: 12\n"
                             "ArrayWidth : 14\n"
                             "IfmapSramSzkB: 64\n"
                             "FilterSramSz: 32\n"
                             "OfmapSramSzkB: 16\n"
                             "IfmapOffset: 0\n"
                             "# a comment\n"
                             "Dataflow : WS\n"
                             "Bandwidth : 10,20\n";

static void write_text(const char *name, const char *text)
{
    assert_int_equal(sc_file_write(name, text, strlen(text)), SC_OK);
}

typedef struct imported {
    sc_workload *network;
    char *platform, *report;
} imported;

static sc_status import(imported *out, const char *cfg, const char *csv)
{
    write_text(topology_name, csv);
    if (cfg)
        write_text(config_name, cfg);
    return sc_scalesim_import(&out->network, &out->platform, &out->report, cfg ? config_name : NULL,
                              topology_name);
}

static imported import_good(const char *cfg, const char *csv)
{
    imported i = {NULL, NULL, NULL};
    if (import(&i, cfg, csv) != SC_OK)
        fail_msg("%s", sc_error_message());
    return i;
}

static void discard(imported *i)
{
    sc_workload_destroy(i->network);
    sc_release(i->platform);
    sc_release(i->report);
}

/* 224 - 3 = 221 is odd: at stride 2 the simulator counts 112 windows, the last one overhangs. */
static void quirks(void **state)
{
    imported i = import_good(NULL, "Layer name, IFMAP Height, IFMAP Width, Filter Height, Filter "
                                   "Width, Channels, Num Filter, Strides,\n"
                                   "\n"
                                   "Conv1, 224, 224, 3, 3, 3, 32, 2,\n"
                                   "Conv2_dw, 112, 112, 3, 3, 32, 1, 1,#dw\n"
                                   "Conv3,28,28,1,1,256,17,1\r\n"
                                   "\tConv4_dw_0,14,14,3,3,1,1,1,\n"
                                   "FC, 1, 1, 1, 1, 1024, 1000, 1,\n");
    assert_int_equal(sc_workload_ops(i.network), 5);
    assert_int_equal(sc_workload_macs(i.network), 112 * 112 * 27 * 32 + 110 * 110 * 9 * 32 +
                                                      28 * 28 * 256 * 17 + 12 * 12 * 9 +
                                                      1024 * 1000);
    assert_int_equal(sc_workload_parameters(i.network),
                     27 * 32 + 9 * 32 + 256 * 17 + 9 + 1024 * 1000);
    assert_null(i.platform);
    static const char *const said[] = {"no padding",
                                       "1 layers have a last window that overhangs",
                                       "one filter a channel",
                                       "have one channel in the file",
                                       "1 lines lack the last comma",
                                       "behind a # is left out",
                                       "each reads an input of its own"};
    for (size_t k = 0; k < COUNT(said); k++)
        if (!strstr(i.report, said[k]))
            fail_msg("no '%s' in %s", said[k], i.report);
    assert_null(strstr(i.report, "no header line"));
    discard(&i);
}

static void products_without_header(void **state)
{
    imported i = import_good(NULL, "a,7,11,13\na,2,3,5\n");
    assert_int_equal(sc_workload_macs(i.network), 7 * 11 * 13 + 2 * 3 * 5);
    assert_int_equal(sc_workload_parameters(i.network), 11 * 13 + 3 * 5);
    assert_non_null(strstr(i.report, "no header line"));
    assert_non_null(strstr(i.report, "lines of M, N, K"));
    assert_non_null(strstr(i.report, "a second layer of that name is called a_2"));
    discard(&i);
    i = import_good(NULL, "Layer,M,N,K,Sparsity,\nx,7,11,13,2:4,\n");
    assert_int_equal(sc_workload_macs(i.network), 7 * 11 * 13);
    assert_non_null(strstr(i.report, "layers are dense"));
    discard(&i);
}

/* Two strides: 9 x 9 under 3 x 3 is 4 x 3 at strides of 2 and 3; depthwise of 2 filters a channel.
 */
static void strides_and_filters(void **state)
{
    imported i = import_good(NULL, "x,9,9,3,3,2,5,2,3,\nDP_y,5,5,1,1,4,8,1,\n");
    assert_int_equal(sc_workload_macs(i.network), 4 * 3 * 9 * 2 * 5 + 25 * 8);
    discard(&i);
}

static void platform(void **state)
{
    imported i = import_good(config, "x,2,3,5\n");
    static const char *const parts[] = {"rows: 12",
                                        "cols: 14",
                                        "dataflows: [ws]",
                                        "shared: 10,",
                                        "input: 64 KiB, weight: 32 KiB, output: 16 KiB",
                                        "instances_x: 14",
                                        "instances_y: 12"};
    for (size_t k = 0; k < COUNT(parts); k++)
        if (!strstr(i.platform, parts[k]))
            fail_msg("no '%s' in %s", parts[k], i.platform);
    assert_non_null(strstr(i.report, "of several bandwidths the first is taken"));
    assert_non_null(strstr(i.report, "\"dataflow\": \"ws\""));
    discard(&i);
}

static void bad_topologies(void **state)
{
    static const char *const wrong[][2] = {
        {"", "scalesim_test.csv:1:1: error: no layer"},
        {"Layer,M,N,K\n", "no layer"},
        {"Layer,M,N,K\nx,1,2\n",
         "scalesim_test.csv:2:1: error: 2 numbers behind the name, needed 3"},
        {"h,M,N,K\nx,1,0,3,\n", ":2:5: error: expected a whole number of at least 1: 0"},
        {"h,M,N,K\nx,1,2.5,3\n", "whole number"},
        {"h,M,N,K\nx,1,-2,3\n", "at least 1: -2"},
        {"x,2,9,3,3,1,1,1,\n", "a filter of 3 x 3 is larger than the input of 2 x 9"},
        {"x,2,9,3,3,1\n", "needed 7"},
        {"c,8,8,3,3,1,1,1,\nd,56,56,3\n",
         "scalesim_test.csv:2:1: error: 3 numbers behind the name, needed 7"},
        {"Layer,H,W,R,S,C,F,s\nd,56,56,3\n",
         "scalesim_test.csv:2:1: error: 3 numbers behind the name, needed 7"},
        {"g,1,2,3\nc,8,8,3,3,1,1,1,\n",
         "scalesim_test.csv:2:11: error: a product has three numbers"},
        {"\"g, 5\", 2, 3, 4,\n", "scalesim_test.csv:1:1: error: a quote that does not end"},
        {"DP,4,4,1,1,3,2,1\n", "scalesim_test.csv:1:1: error"},
        {"x,4611686018427387904,4611686018427387904,4611686018427387904\n", "error"},
    };
    for (size_t k = 0; k < COUNT(wrong); k++) {
        imported i = {NULL, NULL, NULL};
        if (import(&i, NULL, wrong[k][0]) != SC_EPARSE)
            fail_msg("%s is taken", wrong[k][0]);
        assert_says(wrong[k][1]);
        assert_true(!i.network && !i.platform && !i.report);
    }
}

/* A file of too many layers ends there, however many they are: one error, no name for each. */
static void too_many_layers(void **state)
{
    enum { LINES = 20000, BYTES = 8 };
    imported i = {NULL, NULL, NULL};
    char *text = malloc(LINES * BYTES + 1);
    assert_non_null(text);
    for (size_t k = 0; k < LINES; k++)
        memcpy(text + k * BYTES, "x,1,2,3\n", BYTES);
    text[LINES * BYTES] = '\0';
    assert_int_equal(import(&i, NULL, text), SC_EPARSE);
    assert_message("scalesim_test.csv:1025:1: error: more than 1024 layers");
    free(text);
}

static void bad_configs(void **state)
{
    static const char *const wrong[][2] = {
        {"ArrayHeight: 4\n", "scalesim_test.cfg:1:1: error: no ArrayWidth"},
        {"ArrayHeigth: 4\n", "did you mean 'ArrayHeight'?"},
        {"ArrayHeight: 0\n", ":1:13: error: ArrayHeight must be a whole number from 1"},
        {"ArrayHeight: 4\nArrayHeight: 4\n", ":2:1: error: a second ArrayHeight"},
        {"Dataflow: rs\n", "Dataflow must be os, ws or is"},
        {"Bandwidth: -1\n", "Bandwidth must be a number above 0"},
        {"words\n", "expected 'name : value'"},
    };
    for (size_t k = 0; k < COUNT(wrong); k++) {
        imported i = {NULL, NULL, NULL};
        if (import(&i, wrong[k][0], "x,1,2,3\n") != SC_EPARSE)
            fail_msg("%s is taken", wrong[k][0]);
        assert_says(wrong[k][1]);
    }
    imported i = {NULL, NULL, NULL};
    assert_int_equal(sc_scalesim_import(&i.network, &i.platform, &i.report, "gone.cfg", "gone.csv"),
                     SC_ENOTFOUND);
}

static sc_status run_import(void *payload)
{
    imported i = {NULL, NULL, NULL};
    const sc_status st =
        sc_scalesim_import(&i.network, &i.platform, &i.report, config_name, topology_name);
    discard(&i);
    return st;
}

static void out_of_memory(void **state)
{
    write_text(config_name, config);
    write_text(topology_name, "x,1,2,3\nx,1,2,3,\n");
    assert_true(fail_each_allocation(run_import, NULL) > 10);
}

static int remove_files(void **state)
{
    (void)unlink(config_name);
    (void)unlink(topology_name);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(quirks),
        cmocka_unit_test(products_without_header),
        cmocka_unit_test(strides_and_filters),
        cmocka_unit_test(platform),
        cmocka_unit_test(bad_topologies),
        cmocka_unit_test(too_many_layers),
        cmocka_unit_test(bad_configs),
        cmocka_unit_test(out_of_memory),
    };
    return cmocka_run_group_tests(tests, NULL, remove_files);
}
