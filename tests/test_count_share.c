/* The depthwise check: shares and utilisations that were published for whole networks. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "model/count/array_share.h"
#include "workloads_support.h"

static void assert_digits(const char *what, double percent, double published, int digits)
{
    char ours[32], theirs[32];
    (void)snprintf(ours, sizeof ours, "%.*f", digits, percent);
    (void)snprintf(theirs, sizeof theirs, "%.*f", digits, published);
    if (strcmp(ours, theirs) != 0)
        fail_msg("%s: %s, published %s", what, ours, theirs);
}

static void published_networks(void **state)
{
    static const struct {
        const char *network;
        double depthwise, utilization; /* %; depthwise 0 = the network has none */
    } rows[] = {{"efficientnet-b0", 82.8, 4.68}, {"efficientnet-b1", 84.4, 4.48},
                {"efficientnet-b2", 84.8, 4.95}, {"efficientnet-b4", 82.9, 7.02},
                {"efficientnet-b6", 82.7, 9.38}, {"efficientnet-b7", 82.7, 10.39},
                {"resnet50", 0, 79.36},          {"bert-base:seq=128", 0, 97.37},
                {"bert-base:seq=1024", 0, 84.62}};
    for (size_t i = 0; i < COUNT(rows); i++) {
        sc_workload *w = open_network(rows[i].network);
        sc_array_share s;
        assert_int_equal(sc_array_share_of(&s, w, 128, 128), SC_OK);
        assert_digits(rows[i].network, 100 * s.depthwise, rows[i].depthwise, 1);
        assert_digits(rows[i].network, 100 * s.utilization, rows[i].utilization, 2);
        sc_workload_destroy(w);
    }
}

static void by_hand(void **state)
{
    /* conv k = 27, n = 16, m = 100; depthwise 3x3 on 16 channels, m = 100; on 5 x 7 */
    sc_op ops[] = {{.name = "conv",
                    .kind = SC_OP_CONV,
                    .m = 100,
                    .n = 16,
                    .k = 27,
                    .count = 1,
                    .macs = 100 * 16 * 27},
                   {.name = "relu", .kind = SC_OP_ACTIVATION},
                   {.name = "dw",
                    .kind = SC_OP_DWCONV,
                    .m = 100,
                    .n = 1,
                    .k = 9,
                    .count = 16,
                    .macs = 100 * 9 * 16}};
    sc_workload w = {.name = "net", .n_ops = 3, .ops = ops};
    sc_array_share s;
    assert_int_equal(sc_array_share_of(&s, &w, 5, 7), SC_OK);
    assert_int_equal(s.cycles, 100 * 6 * 3 + 100 * 9 * 4);
    assert_int_equal(s.depthwise_cycles, 100 * 9 * 4);
    assert_float_equal(s.utilization, (43200 + 14400) / (5400.0 * 35), 1e-12);
    assert_int_equal(sc_array_share_of(&s, &w, 0, 7), SC_EINVAL);
    w.n_ops = 0;
    assert_int_equal(sc_array_share_of(&s, &w, 5, 7), SC_EINVAL);
    w.n_ops = 1;
    ops[0].m = 1ull << 62;
    assert_int_equal(sc_array_share_of(&s, &w, 5, 7), SC_ERANGE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(published_networks),
        cmocka_unit_test(by_hand),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
