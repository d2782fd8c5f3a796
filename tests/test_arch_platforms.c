/* The platforms and the edge space: each opens, and its figures are those that its file's sources
 * and the tables give by hand. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <string.h>

#include "arch_support.h"

static sc_budget budget_of(const char *name, const char *assignments, sc_arch *a)
{
    sc_template *t = open_template(name);
    uint32_t index[SC_TEMPLATE_PARAMS];
    sc_budget b;
    point_of(index, t, assignments);
    if (sc_template_budget(&b, t, index) != SC_OK || (a && sc_template_arch(a, t, index) != SC_OK))
        fail_msg("%s", sc_error_message());
    sc_template_destroy(t);
    return b;
}

static double area_of(const sc_budget *b, const char *part)
{
    for (uint32_t i = 0; i < b->n_items; i++)
        if (strcmp(b->item[i].name, part) == 0)
            return b->item[i].area_mm2;
    fail_msg("no part %s", part);
    return 0;
}

static void every_built_in_opens_and_its_parts_sum_up(void **state)
{
    size_t n = 0;
    for (const char *name; (name = sc_design_builtin(n)); n++) {
        const sc_budget b = budget_of(name, NULL, NULL);
        double area = 0, tdp = 0;
        for (uint32_t i = 0; i < b.n_items; i++) {
            area += b.item[i].area_mm2;
            tdp += b.item[i].tdp_w;
        }
        if (!(b.area_mm2 > 0.1 && b.area_mm2 < 2000 && b.tdp_w > 0.01 && b.tdp_w < 1000))
            fail_msg("%s: %g mm2, %g W", name, b.area_mm2, b.tdp_w);
        assert_true(area == b.area_mm2 && tdp == b.tdp_w);
        assert_true(strlen(sc_design_builtin_about(n)) > 10);
    }
    assert_int_equal(n, 22); /* two templates, TPU-v3 and A100 twice, 16 other chips */
}

/* Twice the MACs at the clock is the peak that the makers publish. */
static void peaks_are_as_published(void **state)
{
    static const struct {
        const char *name;
        double ops_per_s;
    } CHIPS[] = {{"tpu-v1", 92e12},   {"tpu-v2", 46e12},     {"tpu-v3", 123e12},
                 {"tpu-v4i", 138e12}, {"simba", 128e12},     {"a100", 312e12},
                 {"v100", 125e12},    {"ipu-gc200", 250e12}, {"eyeriss", 67.2e9}};
    for (size_t i = 0; i < sizeof CHIPS / sizeof CHIPS[0]; i++) {
        sc_arch a;
        budget_of(CHIPS[i].name, NULL, &a);
        assert_near(2 * (double)a.compute.instances * a.clock_hz, CHIPS[i].ops_per_s, 0.005);
    }
}

static void nvdla_of_every_size_has_its_macs_and_buffer(void **state)
{
    static const struct {
        const char *name;
        uint64_t macs, buffer_kib;
        double dram_gb_per_s;
    } SIZES[] = {{"nvdla-2048", 2048, 512, 20}, {"nvdla-1024", 1024, 256, 15},
                 {"nvdla-512", 512, 256, 10},   {"nvdla-256", 256, 256, 5},
                 {"nvdla-128", 128, 256, 2},    {"nvdla-64", 64, 128, 1},
                 {"nvdla-32", 32, 128, 0.5}};
    for (size_t i = 0; i < sizeof SIZES / sizeof SIZES[0]; i++) {
        sc_arch a;
        budget_of(SIZES[i].name, NULL, &a);
        assert_int_equal(a.compute.instances, SIZES[i].macs);
        assert_int_equal(a.level[1].capacity[SC_ROLE_INPUT] + a.level[1].capacity[SC_ROLE_WEIGHT],
                         SIZES[i].buffer_kib * 1024);
        assert_near(a.level[0].shared_bw, SIZES[i].dram_gb_per_s, 1e-12); /* at 1 GHz */
        assert_int_equal(a.compute.operand_bits, 8);
    }
}

static void nvdla_by_hand(void **state)
{
    const sc_budget b = budget_of("nvdla-2048", NULL, NULL);
    const double macs = 2048 * 6.025e-4, lanes = 16 * 1.838e-2, control = 213.4 * 6.025e-4;
    /* 2 x 256 KiB in banks of 32, and 32 * 256 sums of 4 bytes in banks of 4: a third of the way in
     * logarithms from 8 to 1 KiB */
    const double sums_mm2 = 32 / 1024.0 * 1.836 * pow(2.754 / 1.836, 1.0 / 3);
    const double buffer = 512 / 1024.0 * 1.836;
    assert_near(area_of(&b, "MAC"), macs, 1e-12);
    assert_near(area_of(&b, "CBUF"), buffer, 1e-12);
    assert_true(area_of(&b, "DRAM") == 0);
    assert_near(area_of(&b, "CACC"), sums_mm2, 1e-12);
    assert_near(b.area_mm2, 1.25 * (macs + lanes + control + buffer + sums_mm2), 1e-12);
    /* its sums are in banks of 1 KiB */
    const sc_budget small = budget_of("nvdla-128", NULL, NULL);
    const double sums = 8 * 256 * 4 / 1048576.0 * 2.754;
    assert_near(area_of(&small, "CACC"), sums, 1e-12);
    assert_near(area_of(&small, "CBUF"), 256 / 1024.0 * 1.836, 1e-12);
}

static void tpu_v1_and_v4i_by_hand(void **state)
{
    const sc_budget one = budget_of("tpu-v1", NULL, NULL), four = budget_of("tpu-v4i", NULL, NULL);
    assert_near(area_of(&one, "MAC"), 65536 * 1.0042e-3, 1e-12);
    assert_near(area_of(&one, "UB"), 24 * 4.374, 1e-12);
    assert_near(area_of(&one, "io"), 0.06 * 331, 1e-12);
    assert_near(area_of(&one, "control"), 0.02 * 331, 1e-12);
    assert_near(area_of(&one, "activation") + area_of(&one, "vector"), 0.06 * 331, 1e-12);
    assert_near(area_of(&four, "CMEM"), 128 * 0.875, 1e-12);
    assert_near(area_of(&four, "VMEM"), 16 * 3.2, 1e-12);
    assert_near(area_of(&four, "MAC"), 65536 * 8.5e-4, 1e-12);
}

static void the_edge_space_has_as_many_points_as_published(void **state)
{
    sc_template *t = open_template("edge");
    uint64_t points = 1;
    assert_int_equal(sc_template_params(t), 10);
    for (size_t i = 0; i < sc_template_params(t); i++)
        points *= sc_template_param(t, i)->n_values;
    assert_true(points == 452760000);
    sc_template_destroy(t);
}

/* One step up of any parameter but the bandwidth of a channel takes more area, or as much. */
static void a_larger_edge_chip_never_takes_less_area(void **state)
{
    sc_template *t = open_template("edge");
    size_t over = 0;
    for (uint64_t draw = 0; draw < 2000; draw++) {
        uint32_t index[16];
        sc_budget low, high;
        random_point(index, t, draw);
        assert_int_equal(sc_template_budget(&low, t, index), SC_OK);
        assert_true(low.area_limit_mm2 == 174.7);
        over += low.area_mm2 > low.area_limit_mm2;
        for (size_t i = 0; i < sc_template_params(t); i++) {
            if (index[i] + 1 == sc_template_param(t, i)->n_values)
                continue;
            index[i]++;
            assert_int_equal(sc_template_budget(&high, t, index), SC_OK);
            index[i]--;
            assert_true(high.area_mm2 >= low.area_mm2 * (1 - 1e-14));
        }
    }
    /* 80 % are over the limit; five standard deviations of 2,000 draws are 4.5 % */
    assert_true(over > 2000 * 0.755 && over < 2000 * 0.845);
    sc_template_destroy(t);
}

static void limits_banks_and_widths_are_read_and_refused(void **state)
{
    static const struct {
        const char *from, *to, *message;
    } BAD[] = {
        {"items:", "limits: {area_mm2: -1}\nitems:",
         "test.yaml:34:20: error: '-1' is -1 at this point"},
        {"items:", "limits: {area: 1}\nitems:", "unknown key 'area'"},
        {"size: {input", "banks: 0\n    size: {input", "test.yaml:24:12: error: '0' is 0"},
        {"dram: ddr4", "dram: ddr4\n    banks: 2", "'banks' has no use in this kind of storage"},
        {"multiply: int8", "operand_bits: 65\n  multiply: int8", "operands have 1 to 64 bits"},
        {"multiply: int8", "operand_bits: 1.5\n  multiply: int8", "test.yaml:30:17: error:"},
    };
    for (size_t i = 0; i < sizeof BAD / sizeof BAD[0]; i++) {
        sc_template *t = NULL;
        char *text = replaced(SMALL_TEMPLATE, BAD[i].from, BAD[i].to);
        const sc_status st = sc_template__parse(&t, "test.yaml", text, strlen(text));
        if (st != SC_EPARSE || !strstr(sc_error_message(), BAD[i].message))
            fail_msg("wanted %s\n%s: %s", BAD[i].message, sc_status_name(st), sc_error_message());
        sc_free(text);
    }
    char *text = replaced(SMALL_TEMPLATE, "size: {input", "banks: 4\n    size: {input");
    sc_template *t = parse_template(text);
    uint32_t index[4];
    sc_arch a;
    point_of(index, t, NULL);
    assert_int_equal(sc_template_arch(&a, t, index), SC_OK);
    /* banks of 2 and 8 KiB lie on the lines; of 1 MiB, a bank of 256 KiB: 3/5 from 32 in logs */
    const double pj = 7.5 * 7.5 / 8.5 + 7.5 + 8.5 * pow(14 / 8.5, 3.0 / 5);
    assert_near(a.level[1].write_pj, pj / 3, 1e-12);
    sc_template_destroy(t);
    sc_free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_built_in_opens_and_its_parts_sum_up),
        cmocka_unit_test(peaks_are_as_published),
        cmocka_unit_test(nvdla_of_every_size_has_its_macs_and_buffer),
        cmocka_unit_test(nvdla_by_hand),
        cmocka_unit_test(tpu_v1_and_v4i_by_hand),
        cmocka_unit_test(the_edge_space_has_as_many_points_as_published),
        cmocka_unit_test(a_larger_edge_chip_never_takes_less_area),
        cmocka_unit_test(limits_banks_and_widths_are_read_and_refused),
    };
    return cmocka_run_group_tests(tests, use_source_configs, NULL);
}
