/* Points become chains: levels, fan-outs, capacities, rates and energies, by hand. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <string.h>

#include "arch_support.h"

static sc_arch arch_of(const char *name, const char *assignments)
{
    sc_template *t = open_template(name);
    uint32_t index[SC_TEMPLATE_PARAMS];
    sc_arch a;
    point_of(index, t, assignments);
    if (sc_template_arch(&a, t, index) != SC_OK)
        fail_msg("%s", sc_error_message());
    sc_template_destroy(t);
    return a;
}

static void expect_level(const sc_arch *a, uint32_t i, const char *name, uint64_t instances,
                         uint64_t x, uint64_t y)
{
    assert_true(i < a->n_levels);
    assert_string_equal(a->level[i].name, name);
    assert_int_equal(a->level[i].instances, instances);
    assert_int_equal(a->level[i].fanout_x, x);
    assert_int_equal(a->level[i].fanout_y, y);
    assert_int_equal(a->level[i].word_bits, 0);
    assert_int_equal(a->level[i].block_bits, 64);
    assert_int_equal(a->level[i].cluster_size, 1);
}

static void fast_with_everything(void **state)
{
    const sc_arch a = arch_of("fast", "pes_x=2,pes_y=4,systolic_x=8,systolic_y=16,l1_input=1KiB,"
                                      "l1_weight=2KiB,l1_output=4KiB,l2_mode=private,"
                                      "l2_input_mult=2,l2_weight_mult=4,l2_output_mult=8,"
                                      "l3_global=4MiB,gddr6_channels=2,native_batch=32");
    assert_int_equal(a.n_levels, 5);
    expect_level(&a, 0, "DRAM", 1, 1, 1);
    expect_level(&a, 1, "L3", 1, 2, 4);
    expect_level(&a, 2, "L2", 8, 1, 1);
    expect_level(&a, 3, "L1", 8, 8, 16);
    expect_level(&a, 4, "REG", 1024, 1, 1);
    assert_int_equal(a.compute.instances, 1024);
    assert_int_equal(a.compute.rows, 16);
    assert_int_equal(a.compute.cols, 8);
    assert_int_equal(a.compute.dataflows, 7);
    assert_true(a.compute.double_buffered);
    assert_true(a.clock_hz == 940e6);
    assert_int_equal(a.native_batch, 32);

    assert_true(a.level[0].bounded);
    assert_true(a.level[0].capacity[0] == 2 * (UINT64_C(2) << 30)); /* 16 Gb a channel of 32 bits */
    assert_int_equal(a.level[0].must_keep, 7);
    assert_true(a.level[0].no_reduction && !a.level[0].no_multicast);
    assert_near(a.level[0].shared_bw, 2 * 56e9 / 940e6, 1e-15);
    assert_true(a.level[1].bounded && !a.level[1].partitioned);
    assert_int_equal(a.level[1].capacity[0], 4 << 20);
    assert_true(a.level[1].buffers == 1);
    assert_true(a.level[1].shared_bw == 64 * 4); /* the larger of 2 and 4 */
    assert_int_equal(a.level[1].output_bits, 0);
    assert_true(a.level[2].partitioned);
    assert_int_equal(a.level[2].capacity[SC_ROLE_INPUT], 2 * 1024);
    assert_int_equal(a.level[2].capacity[SC_ROLE_WEIGHT], 8 * 1024);
    assert_int_equal(a.level[2].capacity[SC_ROLE_OUTPUT], 32 * 1024);
    assert_true(a.level[2].buffers == 2);
    assert_int_equal(a.level[2].output_bits, 32);
    assert_int_equal(a.level[3].capacity[SC_ROLE_OUTPUT], 4 * 1024);
    assert_int_equal(a.level[3].output_bits, 32);
    /* 16 rows of one word of 2 bytes, 8 columns of a sum of 4 and a word of 2 */
    assert_true(a.level[3].read_bw == 16 * 2 + 8 * 6 && a.level[3].write_bw == 80);
    assert_true(a.level[2].read_bw == 40 && a.level[2].write_bw == 40);
    assert_int_equal(a.level[4].capacity[SC_ROLE_INPUT], 4);
    assert_int_equal(a.level[4].capacity[SC_ROLE_OUTPUT], 8);
    assert_true(a.level[4].read_bw == 0 && a.level[4].write_bw == 0 && a.level[4].shared_bw == 0);
}

static void absent_levels_pass_their_fanout_inwards(void **state)
{
    const sc_arch a = arch_of("fast", "pes_x=2,pes_y=4,systolic_x=8,systolic_y=16,l3_global=0");
    assert_int_equal(a.n_levels, 3);
    expect_level(&a, 0, "DRAM", 1, 2, 4); /* neither L3 nor L2: the PEs hang under the DRAM */
    expect_level(&a, 1, "L1", 8, 8, 16);
    const sc_arch b = arch_of("fast", "pes_x=2,pes_y=4,l3_global=1MiB");
    expect_level(&b, 1, "L3", 1, 2, 4);
    expect_level(&b, 2, "L1", 8, 32, 32);
    const sc_arch c = arch_of("fast", "pes_x=2,pes_y=4,l3_global=0,l2_mode=shared");
    expect_level(&c, 0, "DRAM", 1, 2, 4);
    expect_level(&c, 1, "L2", 8, 1, 1);
}

static void shared_buffers_have_the_summed_size(void **state)
{
    const sc_arch a =
        arch_of("fast", "l1_mode=shared,l1_input=1KiB,l1_weight=2KiB,l1_output=8KiB,"
                        "l2_mode=shared,l2_input_mult=64,l2_weight_mult=1,l2_output_mult=2");
    assert_false(a.level[3].partitioned || a.level[2].partitioned);
    assert_int_equal(a.level[3].capacity[0], 11 * 1024);
    assert_int_equal(a.level[3].capacity[1], 0);
    assert_int_equal(a.level[2].capacity[0], (64 + 2 + 16) * 1024);
}

static void the_l1_port_serves_the_wider_of_array_and_lanes(void **state)
{
    const sc_arch a = arch_of("fast", "systolic_x=8,systolic_y=8,vector_multiplier=16");
    assert_true(a.level[2].read_bw == 8 * 16 * 4);
    assert_int_equal(a.vector.lanes, 64 * 8 * 16);
}

static void energies_come_from_the_curve_by_size(void **state)
{
    const sc_arch a = arch_of("fast", "l1_input=8KiB,l1_weight=32KiB,l1_output=1MiB,"
                                      "l3_global=1MiB");
    assert_true(a.level[0].write_pj == 415);
    assert_true(a.level[1].write_pj == 14);
    assert_near(a.level[2].write_pj, (7.5 + 8.5 + 14) / 3, 1e-15); /* mean of the three buffers */
    assert_true(a.level[3].write_pj == 0.19);
    for (uint32_t i = 0; i < a.n_levels; i++) { /* what goes to and comes from children has a way */
        assert_true(a.level[i].read_pj == a.level[i].write_pj + a.level[i].wire_pj);
        assert_true(a.level[i].update_pj == a.level[i].read_pj && a.level[i].wire_pj > 0);
    }
    assert_near(a.compute.mac_pj, 0.21 + 0.38, 1e-15); /* bf16 multiply, fp32 add */
    assert_true(a.vector.op_pj == 2.07 && a.vector.special_pj == 16.56);
}

static void tpu_v3_is_two_cores_of_two_arrays(void **state)
{
    const sc_arch a = arch_of("tpu-v3", "native_batch=16");
    assert_int_equal(a.n_levels, 4);
    expect_level(&a, 0, "HBM", 1, 2, 1);
    expect_level(&a, 1, "VMEM", 2, 2, 1);
    expect_level(&a, 2, "MXU", 4, 128, 128);
    expect_level(&a, 3, "REG", 4 * 128 * 128, 1, 1);
    assert_near(a.level[0].shared_bw * a.clock_hz, 900e9, 1e-15);
    assert_int_equal(a.level[1].capacity[0], 16 << 20);
    assert_true(a.level[1].read_bw == 4096);
    assert_int_equal(a.level[2].may_keep, 0);
    assert_int_equal(a.level[2].capacity[0], 0);
    assert_int_equal(a.level[3].may_keep, 1 << SC_ROLE_WEIGHT);
    assert_int_equal(a.level[3].must_keep, 1 << SC_ROLE_WEIGHT);
    assert_int_equal(a.level[3].capacity[SC_ROLE_WEIGHT], 4); /* two bf16 weights */
    assert_int_equal(a.compute.instances, 65536);
    assert_int_equal(a.compute.dataflows, 1 << SC_WS);
    assert_int_equal(a.vector.lanes, 2048);
    assert_int_equal(a.native_batch, 16);
    /* 123 TFLOP/s, two a MAC, as published */
    assert_near(2.0 * (double)a.compute.instances * a.clock_hz, 123e12, 0.005);
}

static void a_small_chip_of_primes(void **state)
{
    sc_template *t = parse_template(SMALL_TEMPLATE);
    uint32_t index[3];
    sc_arch a;
    point_of(index, t, "n=7,mode=many,extra=11");
    assert_int_equal(sc_template_arch(&a, t, index), SC_OK);
    expect_level(&a, 0, "DRAM", 1, 7, 11);
    expect_level(&a, 1, "BUF", 77, 2, 3);
    assert_int_equal(a.compute.instances, 77 * 6);
    assert_true(a.level[0].shared_bw == 20); /* 14 GB/s over 700 MHz */
    assert_true(a.level[1].read_bw == 5 && a.level[1].write_bw == 10);
    assert_near(a.compute.mac_pj, 0.07 + 0.03, 1e-15);
    assert_int_equal(a.compute.rows, 0);
    assert_int_equal(a.vector.lanes, 13);
    assert_int_equal(a.native_batch, 3);
    sc_template_destroy(t);
}

static void a_value_that_makes_no_chip_is_named(void **state)
{
    static const struct {
        const char *from, *to, *message;
    } CASES[] = {
        {"instances_x: n", "instances_x: n / 3", "n / 3' is 0.333"},
        {"instances_y: ways", "instances_y: 0 * ways", "is 0 at this point"},
        {"instances_x: n", "instances_x: n * 1e15", "at most 2^53 of it"},
        {"size: {input: 8 KiB", "size: {input: n - 1.5", "a whole number of bytes"},
        {"size: {input: 8 KiB", "size: {input: log2(1 - n)", "is nan at this point"},
        {"read: port", "read: 2 - n", "a rate of 0 or more"},
        {"clock: 700 MHz", "clock: 1 - n", "a frequency from 1 Hz"},
        {"lanes: 13", "lanes: n / 2", "a whole number of lanes"},
        {"area_mm2: 2 * n", "area_mm2: 2 - 2 * n", "an area of 0 or more"},
        {"power_w: 0.25", "power_w: 1 / (n - 1)", "a power of 0 or more"},
    };
    for (size_t i = 0; i < sizeof CASES / sizeof CASES[0]; i++) {
        char *text = replaced(SMALL_TEMPLATE, CASES[i].from, CASES[i].to);
        sc_template *t = NULL;
        sc_budget budget, before;
        uint32_t index[3] = {0, 0, 1};
        /* the default n = 3 may do or not; with n = 1 none does */
        const sc_status st = sc_template__parse(&t, "test.yaml", text, strlen(text));
        memset(&budget, 7, sizeof budget);
        before = budget;
        if (st == SC_OK)
            assert_int_equal(sc_template_budget(&budget, t, index), SC_ERANGE);
        else
            assert_int_equal(st, SC_EPARSE);
        if (!strstr(sc_error_message(), CASES[i].message) ||
            strncmp(sc_error_message(), "test.yaml:", 10) != 0)
            fail_msg("case %zu: %s", i, sc_error_message());
        assert_memory_equal(&budget, &before, sizeof budget);
        sc_template_destroy(t);
        sc_free(text);
    }
}

static void an_index_out_of_range_is_refused(void **state)
{
    sc_template *t = open_template("fast");
    uint32_t index[16];
    sc_arch a;
    sc_budget b;
    sc_design *d = NULL;
    point_of(index, t, NULL);
    index[3] = 9;
    assert_int_equal(sc_template_arch(&a, t, index), SC_EINVAL);
    assert_int_equal(sc_template_budget(&b, t, index), SC_EINVAL);
    assert_int_equal(sc_design_create(&d, t, index), SC_EINVAL);
    assert_null(d);
    assert_non_null(strstr(sc_error_message(), "systolic_y"));
    sc_template_destroy(t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fast_with_everything),
        cmocka_unit_test(absent_levels_pass_their_fanout_inwards),
        cmocka_unit_test(shared_buffers_have_the_summed_size),
        cmocka_unit_test(the_l1_port_serves_the_wider_of_array_and_lanes),
        cmocka_unit_test(energies_come_from_the_curve_by_size),
        cmocka_unit_test(tpu_v3_is_two_cores_of_two_arrays),
        cmocka_unit_test(a_small_chip_of_primes),
        cmocka_unit_test(a_value_that_makes_no_chip_is_named),
        cmocka_unit_test(an_index_out_of_range_is_refused),
    };
    return cmocka_run_group_tests(tests, use_source_configs, NULL);
}
