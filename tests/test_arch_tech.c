/* Tables that build on others, and a user's own figures: what they take over, and at which place
 * they are refused. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "arch_support.h"
#include "core/file.h"

enum { MAX_PATH = 512 };

/* A folder for the files of one test. */
typedef struct folder {
    char name[MAX_PATH];
} folder;

static int make_folder(void **state)
{
    folder *f = calloc(1, sizeof *f);
    const char *tmp = getenv("TMPDIR");
    if (!f)
        return -1;
    snprintf(f->name, sizeof f->name, "%s/arch_tech_XXXXXX", tmp ? tmp : "/tmp");
    *state = f;
    return mkdtemp(f->name) && use_source_configs(state) == 0 ? 0 : -1;
}

static int remove_folder(void **state)
{
    static const char *const FILES[] = {"sram.csv", "ert.yaml", "mine.yaml", "chip.yaml"};
    folder *f = *state;
    char path[MAX_PATH + 32];
    for (size_t i = 0; i < sizeof FILES / sizeof FILES[0]; i++) {
        snprintf(path, sizeof path, "%s/%s", f->name, FILES[i]);
        unlink(path);
    }
    rmdir(f->name);
    free(f);
    return 0;
}

static const char *put(const folder *f, const char *name, const char *text)
{
    static char path[MAX_PATH + 32];
    snprintf(path, sizeof path, "%s/%s", f->name, name);
    if (sc_file_write(path, text, strlen(text)) != SC_OK)
        fail_msg("%s", sc_error_message());
    return path;
}

/* The small chip with another `technology:`, as a file of the folder. */
static sc_status open_with(sc_template **out, const folder *f, const char *technology)
{
    char *text = replaced(SMALL_TEMPLATE, "technology: 7nm", technology);
    const sc_status st = sc_template_open(out, put(f, "chip.yaml", text));
    sc_free(text);
    return st;
}

static sc_arch arch_with(const folder *f, const char *technology, sc_budget *b)
{
    sc_template *t = NULL;
    uint32_t index[4];
    sc_arch a;
    if (open_with(&t, f, technology) != SC_OK)
        fail_msg("%s", sc_error_message());
    point_of(index, t, NULL);
    assert_int_equal(sc_template_arch(&a, t, index), SC_OK);
    if (b)
        assert_int_equal(sc_template_budget(b, t, index), SC_OK);
    sc_template_destroy(t);
    return a;
}

static void expect_refusal(const folder *f, const char *technology, const char *message)
{
    sc_template *t = NULL;
    const sc_status st = open_with(&t, f, technology);
    if (st != SC_EPARSE || !strstr(sc_error_message(), message))
        fail_msg("wanted %s\n%s: %s", message, sc_status_name(st), sc_error_message());
    assert_null(t);
}

static const sc_constant *constant_of(const sc_tech *t, const char *name)
{
    const sc_constant *c = sc_constants__find(&t->constants, name);
    if (!c)
        fail_msg("no constant %s", name);
    return c;
}

static sc_tech *open_tech(const char *name)
{
    sc_tech *t = NULL;
    if (sc_tech__open(&t, name, NULL) != SC_OK)
        fail_msg("%s: %s", name, sc_error_message());
    return t;
}

static void a_table_between_two_lies_on_the_line_of_logarithms(void **state)
{
    sc_tech *old = NULL, *t = open_tech("12nm");
    const char *path =
        put(*state, "mine.yaml", "version: 1\nname: old\nnode_nm: 65\nbetween: [16nm, 45nm]\n");
    if (sc_tech__open(&old, path, NULL) != SC_OK)
        fail_msg("%s", sc_error_message());
    const double share = log(12 / 7.0) / log(16 / 7.0);
    assert_near(constant_of(t, "int8_mul_pj")->value, 0.07 * pow(0.1116 / 0.07, share), 1e-12);
    assert_string_equal(constant_of(t, "int8_mul_pj")->source,
                        "scaled from 0.07 (7nm) and 0.1116 (16nm)");
    /* what is the same in both stays it, to the last bit */
    assert_true(constant_of(t, "hbm2_pj")->value == 350);
    assert_true(t->overhead_share == 0.25 && t->clock_share == 0.2);
    const sc_curve *c = sc_tech__optional_curve(t, "sram_pj");
    assert_non_null(c);
    assert_int_equal(c->n, 3);
    assert_near(sc_curve__at(c, 32 * 1024), 8.5 * pow(12.43 / 8.5, share), 1e-12);
    /* beyond the second: the line goes on; what one table alone has of DRAM is taken, other
     * figures that only one has are not */
    const double beyond = log(65 / 16.0) / log(45 / 16.0);
    assert_near(constant_of(old, "int32_add_pj")->value, 0.05122 * pow(0.1 / 0.05122, beyond),
                1e-12);
    assert_true(constant_of(old, "hbm2_pj")->value == 350);
    assert_true(constant_of(old, "gddr6_phy_mm2")->value == 5);
    assert_null(sc_constants__find(&old->constants, "bf16_mul_pj"));
    sc_tech__destroy(t);
    sc_tech__destroy(old);
}

static void a_node_in_between_has_figures_in_between(void **state)
{
    sc_tech *low = open_tech("7nm"), *t = open_tech("12nm"), *high = open_tech("16nm");
    for (size_t i = 0; i < t->constants.n; i++) {
        const sc_constant *c = &t->constants.item[i];
        const double a = constant_of(low, c->name)->value, b = constant_of(high, c->name)->value;
        assert_true(c->value >= fmin(a, b) && c->value <= fmax(a, b));
    }
    assert_int_equal(t->constants.n, low->constants.n);
    sc_tech__destroy(low);
    sc_tech__destroy(t);
    sc_tech__destroy(high);
}

static void a_table_may_change_another_inside_the_template(void **state)
{
    sc_budget b;
    const sc_arch plain = arch_with(*state, "technology: 7nm", NULL);
    const sc_arch a = arch_with(*state,
                                "technology:\n  extends: 7nm\n  constants:\n"
                                "    int8_mul_pj: {value: 3, unit: pJ, source: ours}\n"
                                "    wire_pj_per_bit_mm: {value: 0, unit: pJ, source: ours}\n"
                                "    leakage_w_per_mm2: {value: 0, unit: W per mm2, source: ours}",
                                &b);
    assert_near(a.compute.mac_pj, 3 + 0.03, 1e-15);
    assert_true(b.leak_w == 0);
    for (uint32_t i = 0; i < a.n_levels; i++) { /* wires gone, the rest as it was */
        assert_true(a.level[i].wire_pj == 0);
        assert_true(a.level[i].read_pj == plain.level[i].write_pj);
    }
}

static const char SRAM_CSV[] = "size,width,read_pj,write_pj,area_um2\n"
                               "1 MiB,64,17,19,1100000\n"
                               "8 KiB,32,1.5,2,9000\n"      /* 3 and 4 pJ a 64 bits */
                               "8 KiB,128,50,50,99999\n"    /* as far from 64 bits, but behind it */
                               "65536,16,1.25,1.5,70000\n"; /* 5 and 6 pJ a 64 bits */

static void a_memory_compilers_table_replaces_energies_and_density(void **state)
{
    sc_budget b;
    put(*state, "sram.csv", SRAM_CSV);
    const sc_arch a = arch_with(*state, "technology: {extends: 7nm, sram: sram.csv}", &b);
    const double third = log(32 / 8.0) / log(64 / 8.0); /* 32 KiB between 8 and 64 */
    const double read = (3 + 3 * pow(5 / 3.0, third) + 17) / 3;
    const double write = (4 + 4 * pow(6 / 4.0, third) + 19) / 3;
    assert_near(a.level[1].read_pj - a.level[1].wire_pj, read, 1e-12);
    assert_near(a.level[1].write_pj, write, 1e-12);
    /* three buffers of 8 KiB, 32 KiB and 1 MiB */
    const double d8 = 0.009 * 128, d64 = 0.07 * 16;
    const double area = 0.009 + d8 * pow(d64 / d8, third) / 32 + 1.1;
    for (uint32_t i = 0; i < b.n_items; i++)
        if (strcmp(b.item[i].name, "BUF") == 0)
            assert_near(b.item[i].area_mm2, 3 * area, 1e-12);
}

static void figures_keep_where_they_come_from(void **state)
{
    sc_template *t = NULL;
    put(*state, "sram.csv", SRAM_CSV);
    assert_int_equal(open_with(&t, *state, "technology: {extends: 7nm, sram: sram.csv}"), SC_OK);
    const sc_curve *c = sc_tech__optional_curve(t->tech, "sram_pj");
    assert_non_null(strstr(c->source[0], "sram.csv:3"));
    assert_non_null(strstr(c->source[2], "sram.csv:2"));
    assert_string_equal(constant_of(t->tech, "int8_mul_pj")->source,
                        "Jouppi et al., ISCA'21, table 2, 7 nm");
    sc_template_destroy(t);
}

static const char ERT[] = "ERT:\n  version: 0.4\n  tables:\n"
                          "    - name: chip.buf_pile[1..4]\n      actions:\n"
                          "        - {name: read, energy: 7}\n"
                          "    - name: chip.BUF[1..9]\n      actions:\n"
                          "        - {name: read, arguments: {}, energy: 2}\n"
                          "        - {name: read, arguments: {x: 1}, energy: 3}\n"
                          "        - {name: write, energy: 5}\n"
                          "        - {name: leak, energy: 11}\n"
                          "    - name: chip.MAC\n      actions:\n"
                          "        - {name: mac_random, energy: 13}\n";

static void measured_energies_go_over_those_by_kind(void **state)
{
    put(*state, "ert.yaml", ERT);
    const sc_arch a = arch_with(
        *state, "technology: {extends: 7nm, ert: {file: ert.yaml, width_bits: 16}}", NULL);
    /* 64 bits are four accesses; the dearest read; an update is a write; no wire is added */
    assert_true(a.level[1].read_pj == 12 && a.level[1].write_pj == 20);
    assert_true(a.level[1].update_pj == 20 && a.level[1].wire_pj == 0);
    assert_true(a.compute.mac_pj == 13);
    assert_true(a.level[0].write_pj == 1300); /* not in the table: the default */
}

/* Where a part's leakage is given it takes the place of that by area: 3 buffers of 11 pJ a cycle at
 * 700 MHz; the MACs, which have none, still leak by area. */
static void measured_leakage_goes_over_that_by_area(void **state)
{
    sc_budget b;
    double buffers = 0, others = 0;
    put(*state, "ert.yaml", ERT);
    const sc_arch a =
        arch_with(*state, "technology: {extends: 7nm, ert: {file: ert.yaml, width_bits: 16}}", &b);
    for (uint32_t i = 0; i < b.n_items; i++)
        *(strcmp(b.item[i].name, "BUF") == 0 ? &buffers : &others) += b.item[i].area_mm2;
    assert_true(buffers > 0);
    assert_near(b.leak_w, 0.05 * others + 3 * 11e-12 * 700e6, 1e-12);
    assert_true(a.level[1].leak_pj == 0); /* it is charged once, with the rest */
}

static void measured_leakage_is_told_with_its_file(void **state)
{
    sc_design *d = NULL;
    char *json = NULL;
    put(*state, "ert.yaml", ERT);
    char *text = replaced(SMALL_TEMPLATE, "technology: 7nm",
                          "technology: {extends: 7nm, ert: {file: ert.yaml, width_bits: 16}}");
    assert_int_equal(sc_design_open(&d, put(*state, "chip.yaml", text)), SC_OK);
    assert_int_equal(sc_design_json(&json, d), SC_OK);
    const char *leak = strstr(json, "\"measured_leak_pj_per_cycle\"");
    assert_non_null(leak);
    assert_non_null(strstr(leak, "\"BUF\": 11"));
    assert_null(strstr(leak, "\"MAC\": 13"));
    assert_non_null(strstr(json, "ert.yaml\""));
    sc_free(text);
    sc_free(json);
    sc_design_destroy(d);
}

/* The table of one class of memories leaves the others as they are. */
static void a_class_of_memories_may_have_a_table_of_its_own(void **state)
{
    sc_template *t = NULL;
    uint32_t index[4];
    sc_arch ported, plain;
    put(*state, "sram.csv", SRAM_CSV);
    char *text = replaced(SMALL_TEMPLATE, "technology: 7nm",
                          "technology: {extends: 7nm, sram: {ported: sram.csv}}");
    char *other = replaced(text, "storage: sram", "storage: sram\n    area: ported");
    assert_int_equal(sc_template_open(&t, put(*state, "chip.yaml", text)), SC_OK);
    point_of(index, t, NULL);
    assert_int_equal(sc_template_arch(&plain, t, index), SC_OK);
    sc_template_destroy(t);
    if (sc_template_open(&t, put(*state, "chip.yaml", other)) != SC_OK)
        fail_msg("%s", sc_error_message());
    assert_int_equal(sc_template_arch(&ported, t, index), SC_OK);
    assert_near(plain.level[1].write_pj, (7.5 + 8.5 + 14) / 3, 1e-12);
    const double third = log(32 / 8.0) / log(64 / 8.0); /* 32 KiB between 8 and 64 */
    assert_near(ported.level[1].write_pj, (4 + 4 * pow(6 / 4.0, third) + 19) / 3, 1e-12);
    const sc_curve *c = sc_tech__optional_curve(t->tech, "ported_mm2_per_mib");
    assert_near(sc_curve__at(c, 1 << 20), 1.1, 1e-12);
    assert_non_null(strstr(c->source[0], "sram.csv:3"));
    sc_template_destroy(t);
    sc_free(text);
    sc_free(other);
    expect_refusal(*state, "technology: {extends: 7nm, sram: {prted: sram.csv}}",
                   "chip.yaml:3:35: error: technology '7nm' has no 'prted_mm2_per_mib'");
}

static void other_figures_are_another_design(void **state)
{
    sc_template *t = NULL, *u = NULL;
    put(*state, "sram.csv", SRAM_CSV);
    assert_int_equal(open_with(&t, *state, "technology: {extends: 7nm, sram: sram.csv}"), SC_OK);
    char *text = replaced(SRAM_CSV, "17", "18");
    put(*state, "sram.csv", text);
    sc_free(text);
    assert_int_equal(open_with(&u, *state, "technology: {extends: 7nm, sram: sram.csv}"), SC_OK);
    assert_false(sc_hash_equal(sc_template_hash(t), sc_template_hash(u)));
    sc_template_destroy(t);
    sc_template_destroy(u);
}

static void bad_tables_are_refused_at_their_places(void **state)
{
    static const struct {
        const char *technology, *message;
    } CASES[] = {
        {"technology: {extends: 8nm}", "chip.yaml:3:23: error: no technology table '8nm'"},
        {"technology: {extends: 7nm, between: [7nm, 16nm]}", "chip.yaml:3:37: error: a table ext"},
        {"technology: {between: [7nm]}", "chip.yaml:3:23: error: a table stands between two"},
        {"technology: {between: [7nm, 7nm], node_nm: 9}", "both tables are of 7 nm"},
        {"technology: {between: [7nm, 16nm]}", "node_nm"},
        {"technology: {extends: 7nm, srams: x.csv}", "unknown key 'srams' (did you mean 'sram'?)"},
        {"technology: {node_nm: 7}", "constants"},
        {"technology: {extends: 7nm, sram: none.csv}", "none.csv"},
        {"technology: {extends: 7nm, ert: {file: ert.yaml}}", "width_bits"},
        {"technology: {extends: 7nm, ert: {width_bits: 8}}", "file"},
        {"technology: {extends: 7nm, ert: {file: ert.yaml, width_bits: 0}}", "a bit or more"},
        {"technology: {between: [7nm, 16nm], node_nm: 1e300}", "comes out as inf"},
        {"technology: {extends: mine.yaml}", "more than 4 tables build on one another"},
    };
    put(*state, "ert.yaml", ERT);
    put(*state, "mine.yaml", "version: 1\nname: m\nextends: ./mine.yaml\n");
    for (size_t i = 0; i < sizeof CASES / sizeof CASES[0]; i++)
        expect_refusal(*state, CASES[i].technology, CASES[i].message);
    char *half = replaced(ERT, "BUF", "FUB"), *text = replaced(half, "MAC", "CAM");
    put(*state, "ert.yaml", text);
    sc_free(half);
    sc_free(text);
    expect_refusal(*state, "technology: {extends: 7nm, ert: {file: ert.yaml, width_bits: 8}}",
                   "none of them a level or the MACs here");
    put(*state, "ert.yaml", "tables: []\n");
    expect_refusal(*state, "technology: {extends: 7nm, ert: {file: ert.yaml, width_bits: 8}}",
                   "ert.yaml:1:9: error: no entry in this table");
}

static void bad_memory_tables_are_refused_at_their_places(void **state)
{
    static const struct {
        const char *csv, *message;
    } CASES[] = {
        {"size,energy_pj\n1,2\n", "sram.csv:1:1: error: columns needed"},
        {"size,width,energy_pj\n", "sram.csv:1:1: error: a table of memories"},
        {"size,width,energy_pj,energy_pj\n8 KiB,64,3,4\n",
         "sram.csv:1:22: error: a second column energy_pj"},
        {"size,width,energy_pj\n8 KiB,64,3\nbig,64,5\n", "sram.csv:3:1: error:"},
        {"size,width,energy_pj\n8 KiB,0,3\n", "sram.csv:2:7: error: a figure above 0"},
        {"size,width,energy_pj\n8 KiB,64,-3\n", "sram.csv:2:10: error: a figure above 0"},
        {"size,width,energy_pj\n8 KiB,64,3\n16 KiB,64,2\n",
         "sram.csv:3:1: error: a larger memory costs less an access than that of line 2"},
        {"size,width,energy_pj,area_mm2\n8 KiB,64,3,1\n16 KiB,64,4,0.5\n",
         "sram.csv:3:1: error: a larger memory takes less area than that of line 2"},
        {"size,width,energy_pj\n8 KiB,64\n", "sram.csv:2:"},
        {"size,width,energy_pj\n8 KiB,1e-300,1e300\n",
         "sram.csv:2:1: error: sram_pj comes out as inf"},
    };
    for (size_t i = 0; i < sizeof CASES / sizeof CASES[0]; i++) {
        put(*state, "sram.csv", CASES[i].csv);
        expect_refusal(*state, "technology: {extends: 7nm, sram: sram.csv}", CASES[i].message);
        expect_refusal(*state, "technology: {extends: 7nm, sram: sram.csv}", "chip.yaml:3:");
    }
}

static void no_memory_anywhere_leaves_nothing_behind(void **state)
{
    sc_template *t = NULL;
    sc_status st = SC_ENOMEM;
    put(*state, "sram.csv", SRAM_CSV);
    put(*state, "ert.yaml", ERT);
    char *text = replaced(SMALL_TEMPLATE, "technology: 7nm",
                          "technology: {between: [7nm, 16nm], node_nm: 9, sram: sram.csv, "
                          "ert: {file: ert.yaml, width_bits: 8}}");
    const char *path = put(*state, "chip.yaml", text);
    sc_free(text);
    const long before = sc_mem_live();
    for (long n = 0; st == SC_ENOMEM; n += 7) { /* every seventh: hundreds of allocations */
        sc_mem_fail_after(n);
        st = sc_template_open(&t, path);
        sc_mem_fail_after(-1);
        if (st == SC_ENOMEM)
            assert_int_equal(sc_mem_live(), before);
    }
    assert_int_equal(st, SC_OK);
    sc_template_destroy(t);
    assert_int_equal(sc_mem_live(), before);
}

int main(void)
{
#define IN_FOLDER(test) cmocka_unit_test_setup_teardown(test, make_folder, remove_folder)
    const struct CMUnitTest tests[] = {
        IN_FOLDER(a_table_between_two_lies_on_the_line_of_logarithms),
        IN_FOLDER(a_node_in_between_has_figures_in_between),
        IN_FOLDER(a_table_may_change_another_inside_the_template),
        IN_FOLDER(a_memory_compilers_table_replaces_energies_and_density),
        IN_FOLDER(figures_keep_where_they_come_from),
        IN_FOLDER(measured_energies_go_over_those_by_kind),
        IN_FOLDER(measured_leakage_goes_over_that_by_area),
        IN_FOLDER(measured_leakage_is_told_with_its_file),
        IN_FOLDER(a_class_of_memories_may_have_a_table_of_its_own),
        IN_FOLDER(other_figures_are_another_design),
        IN_FOLDER(bad_tables_are_refused_at_their_places),
        IN_FOLDER(bad_memory_tables_are_refused_at_their_places),
        IN_FOLDER(no_memory_anywhere_leaves_nothing_behind),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
