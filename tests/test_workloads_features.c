/* Figures of op graphs, held against sums by hand. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <string.h>

#include "workloads/features.h"
#include "workloads/yaml_form.h"
#include "workloads_support.h"

#define EXAMPLE SCANTLE_SOURCE_DIR "/configs/networks/example.yaml"

/* configs/networks/example.yaml by hand: multiply-accumulates of its four kinds of ops. */
enum {
    STEM = 32 * 32 * 16 * 27,
    DEPTHWISE = 16 * 16 * 16 * 9,
    EXPAND = 16 * 16 * 32 * 16,
    BODY = 16 * 16 * 32 * 8 * 9,
    CLASSES = 320,
    MACS = STEM + DEPTHWISE + EXPAND + BODY + CLASSES,
    PARAMETERS = 16 * 27 + 32 + 16 * 9 + 32 + 32 * 16 + 64 + 32 * 8 * 9 + 64 + 320 + 10,
    /* stem, dw, expand, body, skip, gap, classes, probabilities */
    RESULTS = 32 * 32 * 16 + 16 * 16 * 16 + 3 * 16 * 16 * 32 + 32 + 10 + 10,
    VECTOR = 16 * 16 * 32 + 32 + 10,
    /* the same order; skip reads two */
    READ = 32 * 32 * 3 + 32 * 32 * 16 + 16 * 16 * 16 + 16 * 16 * 32 + 2 * 16 * 16 * 32 +
           16 * 16 * 32 + 32 + 10
};

static double feature(const double *values, const char *name)
{
    for (size_t i = 0; i < SC_NETWORK_FEATURES; i++)
        if (strcmp(sc_network_feature_name(i), name) == 0)
            return values[i];
    fail_msg("no feature %s", name);
    return (double)NAN;
}

static void assert_feature(const double *values, const char *name, double expected)
{
    const double found = feature(values, name);
    if (!(fabs(found - expected) <= 1e-12 * fabs(expected)))
        fail_msg("%s is %.17g, not %.17g", name, found, expected);
}

static void test_example_by_hand(void **state)
{
    double f[SC_NETWORK_FEATURES];
    const sc_workload *w = open_network(EXAMPLE);
    sc_network_features(f, &w, 1);
    assert_feature(f, "net_macs", MACS);
    assert_feature(f, "net_weights", PARAMETERS);
    assert_feature(f, "net_activations", RESULTS);
    assert_feature(f, "net_largest", 32 * 32 * 16);
    assert_feature(f, "net_ops", 8);
    assert_feature(f, "net_conv", (double)(STEM + EXPAND + BODY) / MACS);
    assert_feature(f, "net_depthwise", (double)DEPTHWISE / MACS);
    assert_feature(f, "net_matmul", (double)CLASSES / MACS);
    assert_feature(f, "net_bmm", 0);
    assert_feature(f, "net_vector", (double)VECTOR / RESULTS);
    assert_feature(f, "net_intensity", (double)MACS / (READ + RESULTS + PARAMETERS));
    sc_workload_destroy((sc_workload *)w);
}

/* One product of [6][10] x [10][4], the extents of a fully connected op on six samples. */
static void test_extents_of_one_product(void **state)
{
    static const char text[] = "version: 1\nname: one\nbatch: 6\ninputs: {x: {channels: 10}}\n"
                               "ops:\n  - {name: fc, kind: fc, inputs: [x], channels: 4}\n";
    double f[SC_NETWORK_FEATURES];
    sc_workload *net = NULL;
    sc_yaml *doc = NULL;
    assert_int_equal(sc_yaml_parse(&doc, "one.yaml", text, sizeof text - 1), SC_OK);
    assert_int_equal(sc_workload__yaml_read(&net, doc), SC_OK);
    sc_yaml_close(doc);
    const sc_workload *w = net;
    sc_network_features(f, &w, 1);
    assert_feature(f, "net_macs", 6 * 10 * 4);
    assert_feature(f, "net_m", 6);
    assert_feature(f, "net_k", 10);
    assert_feature(f, "net_n", 4);
    assert_feature(f, "net_matmul", 1);
    sc_workload_destroy(net);
}

/* A network beside itself: counts double, shares and means stay. Attention has products of
 * activations, 2 * layers * sequence^2 * width of them. */
static void test_networks_as_one(void **state)
{
    static const char *const counts[] = {"net_macs", "net_weights", "net_activations", "net_ops"};
    static const char *const means[] = {"net_largest",   "net_conv", "net_bmm", "net_vector",
                                        "net_intensity", "net_m",    "net_n",   "net_k"};
    double one[SC_NETWORK_FEATURES], two[SC_NETWORK_FEATURES];
    const sc_workload *w = open_network("bert-base:seq=128");
    const sc_workload *pair[] = {w, w};
    sc_network_features(one, &w, 1);
    sc_network_features(two, pair, 2);
    for (size_t i = 0; i < COUNT(counts); i++)
        assert_feature(two, counts[i], 2 * feature(one, counts[i]));
    for (size_t i = 0; i < COUNT(means); i++)
        assert_feature(two, means[i], feature(one, means[i]));
    assert_feature(one, "net_bmm", 2.0 * 12 * 128 * 128 * 768 / (double)sc_workload_macs(w));
    sc_workload_destroy((sc_workload *)w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_example_by_hand),
        cmocka_unit_test(test_extents_of_one_product),
        cmocka_unit_test(test_networks_as_one),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
