/* Templates: parameters and their domains, canonical points, hashes, extension. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "arch_support.h"

static void fast_has_sixteen_parameters_and_its_product(void **state)
{
    /* the space of model.md, in its order: name, values, first, last, default */
    static const struct {
        const char *name;
        size_t n;
        double first, last, fallback;
    } WANTED[] = {
        {"pes_x", 9, 1, 256, 8},
        {"pes_y", 9, 1, 256, 8},
        {"systolic_x", 9, 1, 256, 32},
        {"systolic_y", 9, 1, 256, 32},
        {"vector_multiplier", 5, 1, 16, 1},
        {"l1_mode", 2, 0, 1, 0},
        {"l1_input", 11, 1024, 1048576, 16384},
        {"l1_weight", 11, 1024, 1048576, 16384},
        {"l1_output", 11, 1024, 1048576, 16384},
        {"l2_mode", 3, 0, 2, 0},
        {"l2_input_mult", 8, 1, 128, 1},
        {"l2_weight_mult", 8, 1, 128, 1},
        {"l2_output_mult", 8, 1, 128, 1},
        {"l3_global", 10, 0, 268435456, 16777216},
        {"gddr6_channels", 4, 1, 8, 8},
        {"native_batch", 9, 1, 256, 8},
    };
    sc_template *t = open_template("fast");
    uint64_t product = 1;
    assert_int_equal(sc_template_params(t), 16);
    for (size_t i = 0; i < 16; i++) {
        const sc_param *p = sc_template_param(t, i);
        assert_string_equal(p->name, WANTED[i].name);
        assert_int_equal(p->n_values, WANTED[i].n);
        assert_true(p->values[0] == WANTED[i].first);
        assert_true(p->values[p->n_values - 1] == WANTED[i].last);
        assert_true(p->values[p->fallback] == WANTED[i].fallback);
        product *= p->n_values;
    }
    assert_null(sc_template_param(t, 16));
    /* 9^4 * 5 * 2 * 11^3 * 3 * 8^3 * 10 * 4 * 9 = 4.83e13 */
    assert_true(product == UINT64_C(48288288153600));
    assert_true(sc_template_param(t, param_of(t, "l3_global"))->values[1] == 1048576);
    assert_string_equal(sc_template_param(t, 9)->labels[2], "shared");
    sc_template_destroy(t);
}

static void every_kind_of_parameter_lists_its_values(void **state)
{
    sc_template *t = parse_template(SMALL_TEMPLATE);
    const sc_param *n = sc_template_param(t, 0);
    const double wanted[] = {1, 3, 5, 7};
    assert_int_equal(n->kind, SC_PARAM_INT);
    assert_int_equal(n->n_values, 4);
    for (int i = 0; i < 4; i++)
        assert_true(n->values[i] == wanted[i]);
    assert_int_equal(n->fallback, 1);
    assert_null(n->when);
    const sc_param *extra = sc_template_param(t, 2);
    assert_int_equal(extra->kind, SC_PARAM_ORDINAL);
    assert_true(extra->values[2] == 11);
    assert_string_equal(extra->when, "mode == 'many'");
    sc_template_destroy(t);
}

static void what_has_no_effect_takes_its_fallback(void **state)
{
    sc_template *t = open_template("fast");
    const size_t mode = param_of(t, "l2_mode"), mult = param_of(t, "l2_weight_mult");
    uint32_t index[16];
    point_of(index, t, NULL);
    index[mult] = 5; /* the L2 is disabled by default */
    assert_false(sc_template_active(t, mult, index));
    sc_template_canonical(t, index);
    assert_int_equal(index[mult], 0);
    index[mode] = 1;
    index[mult] = 5;
    assert_true(sc_template_active(t, mult, index));
    sc_template_canonical(t, index);
    assert_int_equal(index[mult], 5);
    sc_template_destroy(t);
}

static void canonical_form_is_idempotent_and_keeps_the_chip(void **state)
{
    sc_template *t = open_template("fast");
    uint32_t raw[16], once[16], twice[16];
    for (uint64_t i = 0; i < 2000; i++) {
        sc_budget before, after;
        sc_arch arch_before, arch_after;
        random_point(raw, t, i);
        memcpy(once, raw, sizeof once);
        sc_template_canonical(t, once);
        memcpy(twice, once, sizeof twice);
        sc_template_canonical(t, twice);
        assert_memory_equal(once, twice, sizeof once);
        /* a parameter without effect has none: the budget of the raw point is the same */
        assert_int_equal(sc_template_budget(&before, t, raw), SC_OK);
        assert_int_equal(sc_template_budget(&after, t, once), SC_OK);
        assert_memory_equal(&before, &after, sizeof before);
        assert_int_equal(sc_template_arch(&arch_before, t, raw), SC_OK);
        assert_int_equal(sc_template_arch(&arch_after, t, once), SC_OK);
        assert_memory_equal(&arch_before, &arch_after, sizeof arch_before);
    }
    sc_template_destroy(t);
}

static void hash_is_of_what_a_template_means(void **state)
{
    static const struct {
        const char *from, *to;
        bool same;
    } CASES[] = {
        {"name: small", "name: other", true},
        {"source: chosen", "source: \"measured\"", true},
        {"clock: 700 MHz", "clock:   700 MHz # as built", true},
        {"clock: 700 MHz", "clock: 701 MHz", false},
        {"technology: 7nm", "technology: 16nm", false},
        {"port * 2", "port * 3", false},
        {"value: 5", "value: 6", false},
        {"name: BUF", "name: MEM", false},
        {"[2, 3, 11]", "[2, 3, 13]", false},
    };
    sc_template *t = parse_template(SMALL_TEMPLATE);
    for (size_t i = 0; i < sizeof CASES / sizeof CASES[0]; i++) {
        char *text = replaced(SMALL_TEMPLATE, CASES[i].from, CASES[i].to);
        sc_template *u = parse_template(text);
        assert_int_equal(sc_hash_equal(sc_template_hash(t), sc_template_hash(u)) != 0,
                         CASES[i].same);
        sc_template_destroy(u);
        sc_free(text);
    }
    sc_template_destroy(t);
}

static void an_extension_changes_figures_alone(void **state)
{
    sc_template *built = open_template("tpu-v3"), *shrunk = open_template("tpu-v3-7nm");
    uint32_t index[1];
    sc_arch a, b;
    point_of(index, built, NULL);
    assert_int_equal(sc_template_arch(&a, built, index), SC_OK);
    assert_int_equal(sc_template_arch(&b, shrunk, index), SC_OK);
    assert_int_equal(a.n_levels, b.n_levels);
    for (uint32_t i = 0; i < a.n_levels; i++) { /* all but the energies */
        a.level[i].read_pj = a.level[i].write_pj = a.level[i].update_pj = a.level[i].wire_pj = 0;
        b.level[i].read_pj = b.level[i].write_pj = b.level[i].update_pj = b.level[i].wire_pj = 0;
    }
    assert_true(a.compute.mac_pj > b.compute.mac_pj);
    a.compute.mac_pj = b.compute.mac_pj = 0;
    memset(&a.vector, 0, sizeof a.vector);
    memset(&b.vector, 0, sizeof b.vector);
    assert_memory_equal(&a, &b, sizeof a);
    assert_string_equal(sc_template_name(shrunk), "tpu-v3-7nm");
    sc_template_destroy(built);
    sc_template_destroy(shrunk);
}

static void an_extension_overrides_constants_and_clock(void **state)
{
    sc_template *t = parse_template("version: 1\n"
                                    "name: hot\n"
                                    "extends: tpu-v3\n"
                                    "clock: 1 GHz\n"
                                    "constants:\n"
                                    "  hbm_bandwidth: {value: 1 TB/s, unit: B/s, source: s}\n");
    uint32_t index[1];
    sc_arch a;
    point_of(index, t, NULL);
    assert_int_equal(sc_template_arch(&a, t, index), SC_OK);
    assert_true(a.clock_hz == 1e9);
    assert_true(a.level[0].shared_bw == 1000);
    assert_int_equal(a.compute.instances, 65536);
    sc_template_destroy(t);
}

static void formulas_too_wide_for_a_table_are_evaluated(void **state)
{
    /* eight values each of five parameters: 32,768 points of a formula that looks at all */
    static const char TEXT[] =
        "version: 1\nname: wide\ntechnology: 7nm\nclock: 1e9\nparameters:\n"
        "  - {name: a, kind: int, min: 1, max: 8, default: 1}\n"
        "  - {name: b, kind: int, min: 1, max: 8, default: 1}\n"
        "  - {name: c, kind: int, min: 1, max: 8, default: 1}\n"
        "  - {name: d, kind: int, min: 1, max: 8, default: 1}\n"
        "  - {name: e, kind: int, min: 1, max: 8, default: 1}\n"
        "let:\n  all: a * b * c * d * e\n  more: all + a\n"
        "levels:\n"
        "  - {name: D, storage: dram, dram: ddr4, bandwidth: {shared: more, unit: B/cycle}}\n"
        "compute: {name: MAC, instances_x: all, multiply: int8, accumulate: int32}\n";
    sc_template *t = parse_template(TEXT);
    sc_point p;
    for (uint64_t draw = 0; draw < 200; draw++) {
        uint32_t index[5];
        sc_arch arch;
        uint64_t all = 1;
        random_point(index, t, draw);
        for (int i = 0; i < 5; i++)
            all *= index[i] + 1;
        assert_int_equal(sc_template_arch(&arch, t, index), SC_OK);
        assert_int_equal(arch.compute.instances, all);
        assert_true(arch.level[0].shared_bw == (double)(all + index[0] + 1));
        assert_int_equal(sc_form__point(&p, t, index), SC_OK);
        assert_null(t->compute.x.table);
    }
    sc_template_destroy(t);
}

static void a_table_holds_what_evaluation_gives(void **state)
{
    sc_template *t = open_template("fast");
    sc_formula *f = &t->level[3].f[SC_SLOT_READ]; /* L1's: lets over three parameters */
    uint32_t index[16];
    sc_point p;
    assert_non_null(f->table);
    assert_int_equal(f->n_deps, 3);
    for (uint64_t draw = 0; draw < 1000; draw++) {
        random_point(index, t, draw);
        assert_int_equal(sc_form__point(&p, t, index), SC_OK);
        const double x = exp2(index[2]), y = exp2(index[3]), lanes = x * exp2(index[4]);
        assert_true(sc_formula__value(f, &p) == fmax(2 * y + 6 * x, 4 * lanes));
    }
    sc_template_destroy(t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fast_has_sixteen_parameters_and_its_product),
        cmocka_unit_test(every_kind_of_parameter_lists_its_values),
        cmocka_unit_test(what_has_no_effect_takes_its_fallback),
        cmocka_unit_test(canonical_form_is_idempotent_and_keeps_the_chip),
        cmocka_unit_test(hash_is_of_what_a_template_means),
        cmocka_unit_test(an_extension_changes_figures_alone),
        cmocka_unit_test(an_extension_overrides_constants_and_clock),
        cmocka_unit_test(formulas_too_wide_for_a_table_are_evaluated),
        cmocka_unit_test(a_table_holds_what_evaluation_gives),
    };
    return cmocka_run_group_tests(tests, use_source_configs, NULL);
}
