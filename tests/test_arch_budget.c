/* Area and TDP against sums written out here from the tables' figures. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <string.h>

#include "arch_support.h"

static sc_budget budget_of(const sc_template *t, const char *assignments)
{
    uint32_t index[SC_TEMPLATE_PARAMS];
    sc_budget b;
    point_of(index, t, assignments);
    if (sc_template_budget(&b, t, index) != SC_OK)
        fail_msg("%s", sc_error_message());
    return b;
}

static const sc_item *item_of(const sc_budget *b, const char *name)
{
    for (uint32_t i = 0; i < b->n_items; i++)
        if (strcmp(b->item[i].name, name) == 0)
            return &b->item[i];
    fail_msg("no item %s", name);
    return NULL;
}

static void expect_item(const sc_budget *b, const char *name, double area_mm2, double tdp_w)
{
    assert_near(item_of(b, name)->area_mm2, area_mm2, 1e-12);
    assert_near(item_of(b, name)->tdp_w, tdp_w, 1e-12);
}

/* overhead, clock and leakage over the items before them, with the tables' shares */
static void expect_totals(const sc_budget *b, double area_mm2, double dynamic_w)
{
    expect_item(b, "overhead", area_mm2 * 0.25, 0);
    expect_item(b, "clock", 0, dynamic_w * 0.2);
    expect_item(b, "leakage", 0, area_mm2 * 1.25 * 0.05);
    assert_near(b->leak_w, area_mm2 * 1.25 * 0.05, 1e-12);
    assert_near(b->area_mm2, area_mm2 * 1.25, 1e-12);
    assert_near(b->tdp_w, dynamic_w * 1.2 + area_mm2 * 1.25 * 0.05, 1e-12);
    assert_true(b->clock_share == 0.2);
}

/* 64 bits over half the side of the square that one instance and all in it fill, overhead included;
 * the tables' energies a bit and mm are of 7 and of 16 nm */
static double wire_pj(double pj_per_bit_mm, double area_mm2)
{
    return 64 * pj_per_bit_mm * sqrt(area_mm2 * 1.25) / 2;
}

static void a_fast_point_by_hand(void **state)
{
    sc_template *t = open_template("fast");
    const sc_budget b = budget_of(
        t, "pes_x=2,pes_y=4,systolic_x=8,systolic_y=16,vector_multiplier=2,l1_input=8KiB,"
           "l1_weight=32KiB,l1_output=1MiB,l2_mode=shared,l2_input_mult=4,l2_weight_mult=1,"
           "l2_output_mult=1,l3_global=4MiB,gddr6_channels=2");
    const double hz = 940e6, w = 1e-12;
    const double macs = 2 * 4 * 8 * 16, lanes = 2 * 4 * 8 * 2, pes = 8;
    /* 7 nm: bf16 multiply 0.21 pJ and fp32 add 0.38, 8.5e-4 mm2 a MAC */
    const double mac_mm2 = macs * 8.5e-4, mac_w = macs * (0.21 + 0.38) * w * hz;
    /* two channels of 5 mm2 and 56 GB/s at 415 pJ for 8 bytes */
    const double dram_mm2 = 2 * 5;
    /* 4 MiB at 0.875 mm2; 64 bytes a cycle times 4; the last line of the curve goes on */
    const double l3_pj = 14 * pow(4, log(14 / 8.5) / log(32));
    const double l3_mm2 = 4 * 0.875;
    /* array: 16 rows * 2 + 8 columns * 6 = 80 bytes; lanes: 16 * 4 = 64 */
    const double rate = 80;
    const double l2_kib = 32 + 32 + 1024;
    const double l2_pj = 14 * pow(l2_kib / 1024, log(14 / 8.5) / log(32));
    const double l2_mm2 = pes * l2_kib / 1024 * 0.875;
    const double l1_mm2 = pes * (8 + 32 + 1024) / 1024.0 * 3.2;
    const double l1_pj = (7.5 + 8.5 + 14) / 3;
    const double vector_mm2 = lanes * 6.8e-3, vector_w = lanes * 2.07 * w * hz;
    /* what a read goes through: from the arrays outwards */
    const double in_reg = mac_mm2, in_l1 = in_reg + l1_mm2, in_l2 = in_l1 + l2_mm2;
    const double in_l3 = in_l2 + l3_mm2, in_dram = in_l3 + dram_mm2, e = 0.0698;
    const double reg_w = macs * 4 / 8.0 * (2 * 0.19 + wire_pj(e, in_reg / macs)) * w * hz;
    const double l1_w = pes * rate / 8 * (2 * l1_pj + wire_pj(e, in_l1 / pes)) * w * hz;
    const double l2_w = pes * rate / 2 / 8 * (2 * l2_pj + wire_pj(e, in_l2 / pes)) * w * hz;
    const double l3_w = 64 * 4 / 8.0 * (l3_pj + wire_pj(e, in_l3)) * w * hz;
    const double dram_w = 2 * 56e9 / 8 * (415 + wire_pj(e, in_dram)) * w;

    expect_item(&b, "MAC", mac_mm2, mac_w);
    expect_item(&b, "DRAM", dram_mm2, dram_w);
    expect_item(&b, "L3", l3_mm2, l3_w);
    expect_item(&b, "L2", l2_mm2, l2_w);
    expect_item(&b, "L1", l1_mm2, l1_w);
    expect_item(&b, "REG", 0, reg_w);
    expect_item(&b, "vector", vector_mm2, vector_w);
    expect_totals(&b, mac_mm2 + dram_mm2 + l3_mm2 + l2_mm2 + l1_mm2 + vector_mm2,
                  mac_w + dram_w + l3_w + l2_w + l1_w + reg_w + vector_w);
    assert_int_equal(b.n_items, 10);
    sc_template_destroy(t);
}

static void small_memories_take_more_area_a_byte(void **state)
{
    sc_template *t = open_template("fast");
    const sc_budget b = budget_of(t, "pes_x=1,pes_y=1,l1_input=1KiB,l1_weight=1KiB,l1_output=2KiB");
    /* 4.8 mm2 a MiB at 1 KiB; 2 KiB is a third of the way from 1 to 8 in logarithms */
    const double at_2 = 4.8 * pow(3.2 / 4.8, 1.0 / 3);
    assert_near(item_of(&b, "L1")->area_mm2, (2 * 4.8 + 2 * at_2) / 1024, 1e-12);
    sc_template_destroy(t);
}

static void tpu_v3_by_hand(void **state)
{
    sc_template *t = open_template("tpu-v3");
    const sc_budget b = budget_of(t, NULL);
    const double hz = 940e6, w = 1e-12;
    const double mac_mm2 = 65536 * 2.297e-3, mac_w = 65536 * (0.3538 + 0.5574) * w * hz;
    const double hbm_mm2 = 4 * 10;
    const double vmem_pj = 33.53 * pow(16, log(33.53 / 12.43) / log(32));
    const double vmem_mm2 = 32 * 6.5;
    const double vector_mm2 = 2048 * 1.838e-2, vector_w = 2048 * 3.287 * w * hz;
    const double in_reg = mac_mm2, in_vmem = in_reg + vmem_mm2, e = 0.0906;
    const double reg_w = 65536 * 2 / 8.0 * (0.3259 + wire_pj(e, in_reg / 65536)) * w * hz;
    const double vmem_w = 2 * 4096 / 8.0 * (2 * vmem_pj + wire_pj(e, in_vmem / 2)) * w * hz;
    const double hbm_w = 900e9 / 8 * (350 + wire_pj(e, in_vmem + hbm_mm2)) * w;
    expect_item(&b, "MAC", mac_mm2, mac_w);
    expect_item(&b, "HBM", hbm_mm2, hbm_w);
    expect_item(&b, "VMEM", vmem_mm2, vmem_w);
    expect_item(&b, "REG", 0, reg_w);
    expect_item(&b, "vector", vector_mm2, vector_w);
    expect_totals(&b, mac_mm2 + hbm_mm2 + vmem_mm2 + vector_mm2,
                  mac_w + hbm_w + vmem_w + reg_w + vector_w);
    /* published: a die under 700 mm2, 450 W; the model is to be of that order */
    assert_true(b.area_mm2 < 700);
    assert_true(b.tdp_w > 450 / 2.0 && b.tdp_w < 450 * 1.5);
    sc_template_destroy(t);
}

static void the_shrink_is_smaller_and_cooler(void **state)
{
    sc_template *built = open_template("tpu-v3"), *shrunk = open_template("tpu-v3-7nm");
    const sc_budget a = budget_of(built, NULL), b = budget_of(shrunk, NULL);
    assert_near(item_of(&a, "MAC")->area_mm2 * 0.37, item_of(&b, "MAC")->area_mm2, 1e-3);
    assert_near(item_of(&a, "VMEM")->area_mm2 * 0.49, item_of(&b, "VMEM")->area_mm2, 0.01);
    assert_true(item_of(&a, "HBM")->area_mm2 == item_of(&b, "HBM")->area_mm2);
    assert_true(b.area_mm2 < a.area_mm2 && b.tdp_w < a.tdp_w);
    sc_template_destroy(built);
    sc_template_destroy(shrunk);
}

static void extra_items_and_shared_limits(void **state)
{
    sc_template *t = parse_template(SMALL_TEMPLATE);
    const sc_budget b = budget_of(t, "n=5");
    expect_item(&b, "pads", 10, 0.25);
    expect_item(&b, "MAC", 30 * 2.229e-4, 30 * (0.07 + 0.03) * 1e-12 * 700e6);
    /* reads of 5 and writes of 10 bytes a cycle on each of 5 instances */
    const double buf_pj = (7.5 + 8.5 + 14) / 3, buf_mm2 = 5 * ((8 + 32) * 0.875 / 1024 + 0.875);
    const double wire = wire_pj(0.0698, (30 * 2.229e-4 + buf_mm2) / 5);
    expect_item(&b, "BUF", buf_mm2, 5 / 8.0 * (5 * (buf_pj + wire) + 10 * buf_pj) * 1e-12 * 700e6);
    sc_template_destroy(t);

    /* a shared limit below the two of its own binds */
    char *text = replaced(SMALL_TEMPLATE, "write: port * 2", "write: port * 2, shared: 7");
    t = parse_template(text);
    const sc_budget c = budget_of(t, "n=5");
    assert_near(item_of(&c, "BUF")->tdp_w, 5 / 8.0 * 7 * (buf_pj + wire) * 1e-12 * 700e6, 1e-12);
    sc_template_destroy(t);
    sc_free(text);
}

static void items_sum_to_the_totals_exactly(void **state)
{
    sc_template *t = open_template("fast");
    for (uint64_t draw = 0; draw < 2000; draw++) {
        uint32_t index[16];
        sc_budget b;
        double area = 0, tdp = 0;
        random_point(index, t, draw);
        sc_template_canonical(t, index);
        assert_int_equal(sc_template_budget(&b, t, index), SC_OK);
        for (uint32_t i = 0; i < b.n_items; i++) {
            assert_true(b.item[i].area_mm2 >= 0 && b.item[i].tdp_w >= 0);
            area += b.item[i].area_mm2;
            tdp += b.item[i].tdp_w;
        }
        assert_true(area == b.area_mm2 && tdp == b.tdp_w);
        assert_true(b.leak_w == item_of(&b, "leakage")->tdp_w);
    }
    sc_template_destroy(t);
}

/* One step up of any parameter that builds more hardware never takes less area or power. */
static void more_hardware_never_takes_less(void **state)
{
    static const char *const NAMES[] = {
        "pes_x",          "pes_y",     "systolic_x",    "systolic_y",    "vector_multiplier",
        "l1_input",       "l1_weight", "l1_output",     "l2_input_mult", "l2_weight_mult",
        "l2_output_mult", "l3_global", "gddr6_channels"};
    sc_template *t = open_template("fast");
    for (uint64_t draw = 0; draw < 1000; draw++) {
        uint32_t index[16];
        sc_budget low, high;
        random_point(index, t, draw);
        sc_template_canonical(t, index);
        assert_int_equal(sc_template_budget(&low, t, index), SC_OK);
        for (size_t k = 0; k < sizeof NAMES / sizeof NAMES[0]; k++) {
            const size_t i = param_of(t, NAMES[k]);
            if (!sc_template_active(t, i, index) ||
                index[i] + 1 == sc_template_param(t, i)->n_values)
                continue;
            index[i]++;
            assert_int_equal(sc_template_budget(&high, t, index), SC_OK);
            index[i]--;
            if (!(high.area_mm2 > low.area_mm2 * (1 - 1e-14) &&
                  high.tdp_w > low.tdp_w * (1 - 1e-14)))
                fail_msg("draw %llu, %s up: %.17g to %.17g mm2, %.17g to %.17g W",
                         (unsigned long long)draw, NAMES[k], low.area_mm2, high.area_mm2, low.tdp_w,
                         high.tdp_w);
        }
    }
    sc_template_destroy(t);
}

/* What bounds the tally of items: every level present and every other part. */
static void no_chip_has_more_items_than_fit(void **state)
{
    assert_int_equal(SC_MAX_LEVELS + SC_MAX_EXTRA + 5, SC_MAX_ITEMS);
}

static void budgets_are_the_same_on_every_thread(void **state)
{
    enum { N = 512 };
    static sc_budget one[N], many[N];
    sc_template *t = open_template("fast");
    for (int threads = 1; threads <= 3; threads++) {
        sc_budget *out = threads == 1 ? one : many;
        int bad = 0;
#pragma omp parallel for num_threads(threads) reduction(+ : bad)
        for (int i = 0; i < N; i++) {
            uint32_t index[16];
            random_point(index, t, (uint64_t)i);
            sc_template_canonical(t, index);
            bad += sc_template_budget(&out[i], t, index) != SC_OK;
        }
        assert_int_equal(bad, 0);
        if (threads > 1)
            assert_memory_equal(one, many, sizeof one);
    }
    sc_template_destroy(t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_fast_point_by_hand),
        cmocka_unit_test(small_memories_take_more_area_a_byte),
        cmocka_unit_test(tpu_v3_by_hand),
        cmocka_unit_test(the_shrink_is_smaller_and_cooler),
        cmocka_unit_test(extra_items_and_shared_limits),
        cmocka_unit_test(items_sum_to_the_totals_exactly),
        cmocka_unit_test(more_hardware_never_takes_less),
        cmocka_unit_test(no_chip_has_more_items_than_fit),
        cmocka_unit_test(budgets_are_the_same_on_every_thread),
    };
    return cmocka_run_group_tests(tests, use_source_configs, NULL);
}
