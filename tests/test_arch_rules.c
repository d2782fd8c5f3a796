/* What a level, the MACs and a table may say beyond sizes and rates: supply, width of a word,
 * coding, gating, order of mapping; the user's own leakage and classes of memory. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <string.h>

#include "arch_support.h"

/* The default chip of the small template with one text put for another. */
static sc_arch chip(const char *from, const char *to, sc_budget *b)
{
    char *text = replaced(SMALL_TEMPLATE, from, to);
    sc_template *t = parse_template(text);
    uint32_t index[4];
    sc_arch a;
    sc_free(text);
    point_of(index, t, NULL);
    assert_int_equal(sc_template_arch(&a, t, index), SC_OK);
    if (b)
        assert_int_equal(sc_template_budget(b, t, index), SC_OK);
    sc_template_destroy(t);
    return a;
}

static double power_of(const sc_budget *b, const char *part)
{
    for (uint32_t i = 0; i < b->n_items; i++)
        if (strcmp(b->item[i].name, part) == 0)
            return b->item[i].tdp_w;
    fail_msg("no part %s", part);
    return 0;
}

static void energies_on_the_die_go_with_the_square_of_the_supply(void **state)
{
    (void)state;
    sc_budget half_b, full_b;
    const sc_arch full = chip("13", "13", &full_b);
    const sc_arch half = chip("technology: 7nm",
                              "technology: {extends: 7nm, constants: {supply_share: "
                              "{value: 0.5, unit: share, source: s}}}",
                              &half_b);
    assert_near(full.level[1].write_pj, (7.5 + 8.5 + 14) / 3, 1e-12);
    assert_near(half.level[1].write_pj, (7.5 + 8.5 + 14) / 12, 1e-12);
    assert_near(half.level[1].wire_pj, full.level[1].wire_pj / 4, 1e-12);
    assert_near(half.compute.mac_pj, (0.07 + 0.03) / 4, 1e-12);
    assert_near(half.vector.op_pj, 2.07 / 4, 1e-12);
    assert_true(half.level[0].write_pj == 1300 && full.level[0].write_pj == 1300); /* the DRAM's */
    assert_near(power_of(&half_b, "MAC"), power_of(&full_b, "MAC") / 4, 1e-12);
    assert_true(half_b.area_mm2 == full_b.area_mm2 && half_b.leak_w == full_b.leak_w);
}

/* Half of an access of 64 bits is there whatever its width, and half goes with it. */
static void a_wide_word_costs_less_a_bit(void **state)
{
    (void)state;
    const sc_arch narrow = chip("size: {input", "word: 16\n    size: {input", NULL);
    const sc_arch wide = chip("size: {input", "word: 512\n    size: {input", NULL);
    assert_near(narrow.level[1].write_pj, 10 * (0.5 + 0.5 * 4), 1e-12);
    assert_near(wide.level[1].write_pj, 10 * (0.5 + 0.5 / 8), 1e-12);
}

static void a_level_says_how_it_is_used(void **state)
{
    (void)state;
    const sc_arch plain = chip("13", "13", NULL);
    const sc_arch a = chip("dram: ddr4",
                           "dram: ddr4\n    overlap: false\n    lead: {x: P, y: R, tile: S}\n"
                           "    compression: {input: 1.5, output: 3}\n    gated: {weight: 1 / 4}",
                           NULL);
    assert_true(a.level[0].no_overlap && !a.level[1].no_overlap && !plain.level[0].no_overlap);
    assert_string_equal(a.level[0].lead[SC_LEAD_X], "P");
    assert_string_equal(a.level[0].lead[SC_LEAD_Y], "R");
    assert_string_equal(a.level[0].lead[SC_LEAD_TILE], "S");
    assert_true(a.level[0].compression[SC_ROLE_INPUT] == 1.5);
    assert_true(a.level[0].compression[SC_ROLE_WEIGHT] == 1);
    assert_true(a.level[0].compression[SC_ROLE_OUTPUT] == 3);
    assert_true(a.level[0].gated[SC_ROLE_WEIGHT] == 0.25 && a.level[1].gated[0] == 0);
    assert_true(chip("multiply: int8", "gated: 1 / 2\n  multiply: int8", NULL).compute.gated ==
                0.5);
    assert_true(chip("lanes: 13", "lanes: 13\n  in_line: true", NULL).vector.in_line);
    assert_false(plain.vector.in_line);
}

static void wrong_values_are_refused_at_their_places(void **state)
{
    static const struct {
        const char *from, *to, *message;
    } BAD[] = {
        {"dram: ddr4", "dram: ddr4\n    compression: {input: 0.5}",
         "test.yaml:19:26: error: '0.5' is 0.5"},
        {"dram: ddr4", "dram: ddr4\n    compression: {inputs: 2}", "unknown key 'inputs'"},
        {"size: {input", "compression: {input: 2}\n    size: {input",
         "'compression' has no use in this kind of storage"},
        {"size: {input", "gated: {input: 1}\n    size: {input", "test.yaml:24:20: error: '1' is 1"},
        {"multiply: int8", "gated: -0.1\n  multiply: int8", "test.yaml:30:10: error:"},
        {"size: {input", "word: 0\n    size: {input", "test.yaml:24:11: error: '0' is 0"},
        {"size: {input", "lead: {z: P}\n    size: {input", "unknown key 'z'"},
        {"size: {input", "lead: {x: ABCDEFGH}\n    size: {input",
         "test.yaml:24:15: error: a dimension is named in at most 7"},
        {"size: {input", "lead: {x: 3}\n    size: {input", "a dimension is named"},
        {"size: {input", "overlap: maybe\n    size: {input", "test.yaml:24:14: error:"},
        {"lanes: 13", "lanes: 13\n  inline: true", "did you mean 'in_line'?"},
        {"technology: 7nm",
         "technology: {extends: 7nm, constants: {access_fixed_share: "
         "{value: 1.5, unit: share, source: s}}}",
         "access_fixed_share is at most 1"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof BAD / sizeof BAD[0]; i++) {
        sc_template *t = NULL;
        char *text = replaced(SMALL_TEMPLATE, BAD[i].from, BAD[i].to);
        const sc_status st = sc_template__parse(&t, "test.yaml", text, strlen(text));
        if (st != SC_EPARSE || !strstr(sc_error_message(), BAD[i].message))
            fail_msg("wanted %s\n%s: %s", BAD[i].message, sc_status_name(st), sc_error_message());
        sc_free(text);
    }
}

/* 65 nm from 45 nm: 65/45 in length and 1.0 over 0.9 V; areas with the square of the length. */
static void the_oldest_table_follows_its_two_rules(void **state)
{
    static const char *const ENERGIES[] = {"int8_add_pj",  "int8_mul_pj",  "int16_add_pj",
                                           "int16_mul_pj", "int32_add_pj", "int32_mul_pj",
                                           "fp16_mul_pj",  "fp32_add_pj",  "fp32_mul_pj",
                                           "register_pj",  "vector_op_pj", "vector_special_pj"};
    static const char *const AREAS[] = {"int8_mac_mm2", "int16_mac_mm2", "vector_lane_mm2"};
    const double energy = 65 / 45.0 * pow(1 / 0.9, 2), area = pow(65 / 45.0, 2);
    sc_tech *old = NULL, *t = NULL;
    (void)state;
    assert_int_equal(sc_tech__open(&old, "65nm", NULL), SC_OK);
    assert_int_equal(sc_tech__open(&t, "45nm", NULL), SC_OK);
    for (size_t i = 0; i < sizeof ENERGIES / sizeof *ENERGIES; i++)
        assert_near(sc_constants__find(&old->constants, ENERGIES[i])->value,
                    energy * sc_constants__find(&t->constants, ENERGIES[i])->value, 1e-3);
    for (size_t i = 0; i < sizeof AREAS / sizeof *AREAS; i++)
        assert_near(sc_constants__find(&old->constants, AREAS[i])->value,
                    area * sc_constants__find(&t->constants, AREAS[i])->value, 1e-3);
    const sc_curve *c = sc_tech__optional_curve(old, "sram_pj"),
                   *d = sc_tech__optional_curve(t, "sram_pj");
    for (size_t i = 0; i < c->n; i++)
        assert_near(c->value[i], energy * d->value[i], 1e-3);
    sc_tech__destroy(old);
    sc_tech__destroy(t);
}

/* A low-power process of old leaks less a mm2 than a hot chip of today. */
static void leakage_is_of_the_node(void **state)
{
    static const char *const NODES[] = {"65nm", "45nm", "28nm"};
    double last = 0;
    (void)state;
    for (size_t i = 0; i < sizeof NODES / sizeof *NODES; i++) {
        sc_tech *t = NULL;
        assert_int_equal(sc_tech__open(&t, NODES[i], NULL), SC_OK);
        assert_true(t->leakage_w_per_mm2 > last);
        last = t->leakage_w_per_mm2;
        sc_tech__destroy(t);
    }
    /* between: 65 to 28 nm in logarithms, at 45 */
    sc_tech *t = NULL;
    const double share = log(45 / 65.0) / log(28 / 65.0);
    assert_int_equal(sc_tech__open(&t, "45nm", NULL), SC_OK);
    assert_near(t->leakage_w_per_mm2, 0.002 * pow(0.05 / 0.002, share), 0.01);
    sc_tech__destroy(t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(energies_on_the_die_go_with_the_square_of_the_supply),
        cmocka_unit_test(a_wide_word_costs_less_a_bit),
        cmocka_unit_test(a_level_says_how_it_is_used),
        cmocka_unit_test(wrong_values_are_refused_at_their_places),
        cmocka_unit_test(the_oldest_table_follows_its_two_rules),
        cmocka_unit_test(leakage_is_of_the_node),
    };
    return cmocka_run_group_tests(tests, use_source_configs, NULL);
}
