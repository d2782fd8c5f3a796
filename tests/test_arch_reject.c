/* Everything a template's or a technology table's file can get wrong, each at its line and column;
 * and running out of memory anywhere. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "arch_support.h"
#include "core/file.h"
#include "model/arch/design_values.h"

static void expect_error(const char *text, const char *message)
{
    sc_template *t = NULL;
    const sc_status st = sc_template__parse(&t, "test.yaml", text, strlen(text));
    if (st != SC_EPARSE || !strstr(sc_error_message(), message))
        fail_msg("wanted %s\n%s: %s", message, sc_status_name(st), sc_error_message());
    assert_null(t);
}

typedef struct mistake {
    const char *from, *to, *message;
} mistake;

static void expect_errors(const mistake *m, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        char *text = replaced(SMALL_TEMPLATE, m[i].from, m[i].to);
        expect_error(text, m[i].message);
        sc_free(text);
    }
}
#define EXPECT_ERRORS(m) expect_errors(m, sizeof(m) / sizeof(m)[0])

static void of_the_head(void **state)
{
    static const mistake M[] = {
        {"version: 1", "version: 2", "test.yaml:1:10: error:"},
        {"name: small\n", "", "test.yaml:1:1: error:"},
        {"technology: 7nm\n", "", "test.yaml:1:1: error: key 'technology' is missing"},
        {"technology: 7nm", "technology: 8nm", "test.yaml:3:13: error: no technology table '8nm'"},
        {"technology: 7nm", "technology: ../7nm", "test.yaml:3:13: error:"},
        {"technology: 7nm", "technology: [7nm]", "test.yaml:3:13: error:"},
        {"clock: 700 MHz\n", "", "test.yaml:1:1: error: key 'clock' is missing"},
        {"clock: 700 MHz", "clock: fats", "test.yaml:4:8: error: unknown name 'fats'"},
        {"clock: 700 MHz", "clock: 0", "test.yaml:4:8: error: '0' is 0 at this point"},
        {"clock: 700 MHz", "clock: 1e-300", "test.yaml:4:8: error: '1e-300' is 1e-300 at this"},
        {"clock: 700 MHz", "clock: 1e300", "not a frequency from 1 Hz to 1000 THz"},
        {"clock: 700 MHz", "clok: 700 MHz", "test.yaml:4:1: error: unknown key 'clok' (did you "},
        {"native_batch: 3", "native_batch: 0.5", "test.yaml:5:15: error: '0.5' is 0.5"},
        {"value: 5", "value: five", "test.yaml:7:17: error:"},
        {"value: 5, ", "", "test.yaml:7:9: error:"},
        {"unit: B per cycle, ", "", "test.yaml:7:9: error:"},
        {", source: chosen", "", "test.yaml:7:9: error:"},
        {"port:", "1port:", "test.yaml:7:3: error: a name is a letter"},
        {"port:", "sram/port:", "test.yaml:7:3: error: a name is a letter"},
        {"  port:", "  bf16_mul_pj:", "test.yaml:7:16: error: 'bf16_mul_pj' is already a constant"},
        {"name: small", "name: small\nname: again", "test.yaml:3:1: error:"},
    };
    EXPECT_ERRORS(M);
}

static void of_parameters(void **state)
{
    static const mistake M[] = {
        {"name: n,", "name: port,", "test.yaml:9:12: error: 'port' is already a constant"},
        {"name: mode,", "name: n,", "test.yaml:10:12: error: 'n' is already a parameter"},
        {"name: n,", "name: about,", "test.yaml:9:12: error: a name is a letter"},
        {"name: n,", "name: \"a b\",", "test.yaml:9:12: error: a name is a letter"},
        {"name: n, ", "", "test.yaml:9:5: error:"},
        {"kind: int", "kind: integer", "test.yaml:9:21: error: 'integer' is none of"},
        {"step: 2", "step: 0", "test.yaml:9:5: error: an int parameter has whole numbers"},
        {"step: 2", "step: 4", "test.yaml:9:5: error: max must lie a whole number of steps"},
        {"step: 2", "step: 0.5", "test.yaml:9:5: error: an int parameter has whole numbers"},
        {"min: 1, max: 7", "min: 9, max: 7", "test.yaml:9:5: error: max must lie"},
        {"max: 7", "max: 1e15", "test.yaml:9:5: error: max must lie"},
        {"min: 1", "min: 1 KiB", "test.yaml:9:31: error: '1 KiB'"},
        {"default: 3}", "default: 4}", "test.yaml:9:60: error: n cannot be 4: the nearest values"},
        {", default: 3}", "}", "test.yaml:9:5: error:"},
        {"kind: int, min: 1, max: 7, step: 2, default: 3", "kind: log2, min: 1, max: 7, default: 1",
         "test.yaml:9:5: error: max must be min"},
        {"kind: int, min: 1, max: 7, step: 2, default: 3", "kind: log2, min: 0, max: 8, default: 1",
         "test.yaml:9:5: error: max must be min"},
        {"kind: int, min: 1, max: 7, step: 2, default: 3",
         "kind: log2, first: [2], min: 1, max: 8, default: 1",
         "test.yaml:9:5: error: the values must ascend"},
        {"kind: int, min: 1, max: 7, step: 2, default: 3",
         "kind: log2, first: 0, min: 1, max: 8, default: 1",
         "test.yaml:9:34: error: 'first' must be a sequence"},
        {"kind: int,", "kind: int, unit: mm,", "test.yaml:9:32: error: 'mm' is none of"},
        {"values: [one, many], default: one", "values: [], default: one",
         "test.yaml:10:45: error: a parameter has 1 to 65536 values"},
        {"[one, many]", "[one, one]", "test.yaml:10:51: error: 'one' stands twice"},
        {"[one, many]", "[one, \"m'y\"]", "test.yaml:10:51: error: a label is a letter"},
        {"default: one", "default: two", "test.yaml:10:67: error: mode cannot be 'two'"},
        {"[2, 3, 11]", "[2, 11, 3]", "test.yaml:11:5: error: the values must ascend"},
        {"[2, 3, 11]", "[2, 3, x]", "test.yaml:11:49: error:"},
        {"[2, 3, 11]", "3", "test.yaml:11:42: error:"},
        {"mode == 'many'\"}", "mode == 'mny'\"}", "test.yaml:12:22: error: 'mny' is no label"},
        {"mode == 'many'\"}", "ways > 1\"}", "test.yaml:12:13: error: unknown name 'ways'"},
        {"mode == 'many'\"}", "extra > 1\"}", "test.yaml:12:13: error: unknown name 'extra'"},
    };
    EXPECT_ERRORS(M);
}

static void of_levels(void **state)
{
    static const mistake M[] = {
        {"ways: \"mode", "n: \"mode", "test.yaml:14:3: error: 'n' is already a parameter"},
        {"ways: \"mode", "port: \"mode", "test.yaml:14:3: error: 'port' is already a constant"},
        {"extra : 1\"", "extra : ways\"", "test.yaml:14:35: error: unknown name 'ways'"},
        {"storage: dram", "storage: sram", "the outermost level has storage: dram"},
        {"storage: dram", "storage: dam", "test.yaml:17:14: error:"},
        {"dram: ddr4", "dram: ddr5",
         "test.yaml:18:11: error: technology '7nm' has no 'ddr5_pj' (of "},
        {"    dram: ddr4\n", "", "test.yaml:16:5: error:"},
        {"name: BUF", "name: DRAM", "test.yaml:20:11: error: 'DRAM' is taken"},
        {"name: BUF", "name: vector", "test.yaml:20:11: error: 'vector' is taken"},
        {"name: BUF", "name: <b>", "test.yaml:20:11: error: a name is a letter"},
        {"storage: sram", "storage: none", "test.yaml:24:11: error: 'size' has no use"},
        {"storage: sram", "storage: sram\n    dram: ddr4", "test.yaml:22:11: error: 'dram' has no"},
        {"storage: sram", "storage: sram\n    area: porte", "test.yaml:22:11: error: technology "},
        {"storage: sram", "storage: sram\n    areas: ported", "test.yaml:22:5: error: unknown key"},
        {"storage: sram", "storage: sram\n    keep: {input: mst}", "test.yaml:22:19: error:"},
        {"storage: sram", "storage: sram\n    keep: {inputs: may}", "test.yaml:22:12: error:"},
        {"storage: dram", "storage: dram\n    keep: {input: may}", "the outermost level keeps"},
        {"storage: dram", "storage: dram\n    present: n > 1", "the outermost level is always"},
        {"storage: sram", "storage: sram\n    multicast: perhaps", "test.yaml:22:16: error:"},
        {"size: {input: 8 KiB", "size: {in: 8 KiB", "test.yaml:24:12: error: unknown key 'in'"},
        {"size: {input: 8 KiB", "size: {input: 8 KB/s", "test.yaml:24:"},
        {"    size: {input: 8 KiB, weight: 32 KiB, output: 1 MiB}\n", "",
         "test.yaml:20:5: error: key 'size' is missing"},
        {"    size: {input: 8 KiB, weight: 32 KiB, output: 1 MiB}\n",
         "    size: 8 KiB\n    partitioned: 1\n", "test.yaml:25:18: error: 'partitioned' needs"},
        {"unit: B/cycle", "unit: B/hour", "test.yaml:25:52: error:"},
        {", unit: B/cycle", "", "test.yaml:25:16: error:"},
        {"read: port, ", "read: 0, ", "'0' is 0 at this point, not a rate above 0"},
        {"shared: 14 GB/s", "shared: 1e-300",
         "'1e-300' is 1e-300 at this point, not a rate above 0"},
        {"shared: 14 GB/s", "shared: port - port", "is 0 at this point, not a rate above 0"},
        {"read: port, ", "", "test.yaml:25:16: error: 'bandwidth' gives 'read' and 'write'"},
        {"read: port, ", "shared: port, ", "gives both 'read' and 'write' or neither"},
        {"    bandwidth: {read: port, write: port * 2, unit: B/cycle}\n", "",
         "test.yaml:20:5: error: a level that stores needs a 'bandwidth'"},
        {"instances_x: n\n", "instances_x: [n]\n", "test.yaml:22:18: error:"},
        {"instances_x: n\n", "instances_x:\n", "test.yaml:22:"},
    };
    EXPECT_ERRORS(M);
}

static void of_compute_and_items(void **state)
{
    static const mistake M[] = {
        {"name: MAC", "name: BUF", "test.yaml:27:9: error: 'BUF' is taken"},
        {"multiply: int8", "multiply: int9",
         "test.yaml:30:13: error: technology '7nm' has no 'int9_"},
        {"accumulate: int32", "accumulate: int33", "test.yaml:31:15: error: technology '7nm' has"},
        {"  multiply: int8\n", "", "test.yaml:27:3: error:"},
        {"  instances_y: 3\n", "  rows: 3\n", "test.yaml:27:3: error: an array has both"},
        {"  instances_y: 3\n", "  dataflows: [os]\n", "test.yaml:29:14: error: only an array"},
        {"  instances_y: 3\n", "  rows: 3\n  cols: 2\n", "test.yaml:27:3: error:"},
        {"  instances_y: 3\n", "  instances_y: 3\n  rows: 3\n  cols: 2\n  dataflows: []\n",
         "test.yaml:32:14: error: an array runs one dataflow"},
        {"  instances_y: 3\n", "  instances_y: 3\n  rows: 3\n  cols: 2\n  dataflows: [ows]\n",
         "test.yaml:32:15: error:"},
        {"  instances_y: 3\n", "  instances_y: 3\n  rows: 2\n  cols: 3\n  dataflows: [os]\n",
         "test.yaml:30:9: error: '2' is 2 at this point, not the children along Y"},
        {"  lanes: 13", "  lans: 13", "test.yaml:33:3: error: unknown key 'lans'"},
        {"name: pads", "name: MAC", "test.yaml:35:12: error: 'MAC' is taken"},
        {"power_w: 0.25", "power_w: 0.25 +", "test.yaml:35:"},
        {"power_w: 0.25", "power: 0.25", "test.yaml:35:35: error: unknown key 'power'"},
    };
    EXPECT_ERRORS(M);
    expect_error("version: 1\nname: x\ntechnology: 7nm\nclock: 1\nlevels: []\n"
                 "compute: {name: MAC, multiply: int8, accumulate: int8}\n",
                 "test.yaml:5:9: error: a chip has one level at least");
    expect_error("version: 1\nname: x\ntechnology: 7nm\nclock: 1\n", "test.yaml:1:1: error:");
    expect_error("[]\n", "test.yaml:1:1: error:");
}

static void all_errors_are_told_in_one_run(void **state)
{
    char *one = replaced(SMALL_TEMPLATE, "instances_x: n\n", "instances_x: m\n");
    char *two = replaced(one, "storage: dram", "storage: drum");
    sc_template *t = NULL;
    assert_int_equal(sc_template__parse(&t, "test.yaml", two, strlen(two)), SC_EPARSE);
    assert_non_null(strstr(sc_error_message(), "test.yaml:17:14: error:"));
    assert_non_null(strstr(sc_error_message(), "test.yaml:22:18: error: unknown name 'm'"));
    sc_free(one);
    sc_free(two);
}

static void of_extensions(void **state)
{
    expect_error("version: 1\nname: x\nextends: fast2\n", "test.yaml:3:10: error: no template");
    expect_error("version: 1\nname: x\nextends: gone.yaml\n", "test.yaml:3:10: error:");
    expect_error("version: 1\nname: x\nextends: fast\nlevels: []\n",
                 "test.yaml:4:1: error: unknown key 'levels'");
    expect_error("version: 1\nname: x\nextends: fast\ntechnology: 45nm\n",
                 "technology '45nm' has no 'gddr6_pj' (of that kind it has:");
}

/* A file in a folder of its own, which is removed with it. */
static void expect_file_error(const char *name, const char *text, const char *opened,
                              const char *message)
{
    char folder[] = "arch_reject_XXXXXX", path[64], spec[64];
    sc_template *t = NULL;
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/%s", folder, name);
    snprintf(spec, sizeof spec, "%s/%s", folder, opened);
    assert_int_equal(sc_file_write(path, text, strlen(text)), SC_OK);
    const sc_status st = sc_template_open(&t, spec);
    remove(path);
    rmdir(folder);
    if (st != SC_EPARSE || !strstr(sc_error_message(), message))
        fail_msg("wanted %s\n%s: %s", message, sc_status_name(st), sc_error_message());
    assert_null(t);
}

static void a_file_that_extends_itself_is_refused(void **state)
{
    expect_file_error("me.yaml", "version: 1\nname: x\nextends: me.yaml\n", "me.yaml",
                      "more than 8 files extend one another");
    expect_file_error("empty.yaml", "", "empty.yaml", "empty.yaml:1:1: error:");
}

static const char TABLE[] = "version: 1\n"
                            "name: t\n"
                            "node_nm: 7\n"
                            "constants:\n"
                            "  overhead_share: {value: 0.25, unit: u, source: s}\n"
                            "  leakage_w_per_mm2: {value: 0.05, unit: u, source: s}\n"
                            "  clock_share: {value: 0.2, unit: u, source: s}\n"
                            "  ddr4_pj: {value: 1300, unit: u, source: s}\n"
                            "  ddr4_phy_mm2: {value: 10, unit: u, source: s}\n"
                            "  int8_mac_mm2: {value: 1, unit: u, source: s}\n"
                            "  int8_mul_pj: {value: 1, unit: u, source: s}\n"
                            "  int8_add_pj: {value: 1, unit: u, source: s}\n"
                            "curves:\n"
                            "  sram_pj: {unit: u, points: [{size: 1, value: 1, source: s}]}\n";

/* The hash of a template follows the figures of a table it only names, not their wording. */
static void a_hash_follows_the_table(void **state)
{
    static const struct {
        const char *from, *to;
        bool same;
    } CASES[] = {{"value: 1300", "value: 1301", false},
                 {"{size: 1, value: 1,", "{size: 1, value: 2,", false},
                 {"source: s", "source: elsewhere", true},
                 {"name: t", "name: u", true}};
    char folder[] = "arch_hash_XXXXXX", tech[64], path[64];
    assert_non_null(mkdtemp(folder));
    snprintf(tech, sizeof tech, "%s/tech.yaml", folder);
    snprintf(path, sizeof path, "%s/chip.yaml", folder);
    static const char CHIP[] =
        "version: 1\nname: chip\ntechnology: ./tech.yaml\nclock: 1 GHz\nlevels:\n"
        "  - {name: D, storage: dram, dram: ddr4, bandwidth: {shared: 8, unit: B/cycle}}\n"
        "compute: {name: M, multiply: int8, accumulate: int8}\n";
    assert_int_equal(sc_file_write(path, CHIP, strlen(CHIP)), SC_OK);
    assert_int_equal(sc_file_write(tech, TABLE, strlen(TABLE)), SC_OK);
    sc_template *first = open_template(path);
    for (size_t i = 0; i < sizeof CASES / sizeof CASES[0]; i++) {
        char *text = replaced(TABLE, CASES[i].from, CASES[i].to);
        assert_int_equal(sc_file_write(tech, text, strlen(text)), SC_OK);
        sc_template *t = open_template(path);
        assert_int_equal(sc_hash_equal(sc_template_hash(first), sc_template_hash(t)) != 0,
                         CASES[i].same);
        sc_template_destroy(t);
        sc_free(text);
    }
    sc_template_destroy(first);
    remove(tech);
    remove(path);
    rmdir(folder);
}

static void of_technology_tables(void **state)
{
    static const mistake M[] = {
        {"version: 1", "version: 0", "tech.yaml:1:10: error:"},
        {"name: t\n", "", "tech.yaml:1:1: error:"},
        {"node_nm: 7", "node_nm: 0", "tech.yaml:3:10: error: a node is above 0 nm"},
        {"  clock_share: {value: 0.2, unit: u, source: s}\n", "",
         "tech.yaml:5:3: error: constant 'clock_share' is missing"},
        {"value: 0.05", "value: -0.05", "tech.yaml:6:22: error: a figure is not negative"},
        {"value: 0.05", "value: .inf", "tech.yaml:6:30: error:"},
        {"curves:", "curvs:",
         "tech.yaml:13:1: error: unknown key 'curvs' (did you mean 'curves'?)"},
        {"sram_pj:", "sram_watts:", "tech.yaml:14:3: error: a curve is an energy"},
    };
    char folder[] = "arch_tech_XXXXXX", path[64];
    sc_tech *t = NULL;
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/tech.yaml", folder);
    assert_int_equal(sc_file_write(path, TABLE, strlen(TABLE)), SC_OK);
    assert_int_equal(sc_tech__open(&t, path, NULL), SC_OK);
    assert_true(t->clock_share == 0.2 && t->node_nm == 7 && t->n_curves == 1);
    sc_tech__destroy(t);
    t = NULL;
    for (size_t i = 0; i < sizeof M / sizeof M[0]; i++) {
        char *text = replaced(TABLE, M[i].from, M[i].to);
        assert_int_equal(sc_file_write(path, text, strlen(text)), SC_OK);
        const sc_status st = sc_tech__open(&t, path, NULL);
        if (st != SC_EPARSE || !strstr(sc_error_message(), M[i].message))
            fail_msg("case %zu: %s: %s", i, sc_status_name(st), sc_error_message());
        assert_null(t);
        sc_free(text);
    }
    remove(path);
    rmdir(folder);
}

/* Every allocation of an opening fails once; nothing leaks, the output stays as it was. */
static void memory_may_run_out_anywhere(void **state)
{
    static const char *const SPECS[] = {"tpu-v3-7nm:native_batch=8", "fast:l3_global=4MiB",
                                        "fast:l3_global=3MiB"};
    for (size_t s = 0; s < sizeof SPECS / sizeof SPECS[0]; s++) {
        const long live = sc_mem_live();
        sc_status st = SC_ENOMEM;
        for (long n = 0; st == SC_ENOMEM; n++) {
            sc_design *d = NULL;
            assert_true(n < 100000);
            sc_mem_fail_after(n);
            st = sc_design_open(&d, SPECS[s]);
            sc_mem_fail_after(-1);
            assert_true((st == SC_OK) == (d != NULL));
            sc_design_destroy(d);
            assert_int_equal(sc_mem_live(), live);
        }
        assert_int_equal(st, s < 2 ? SC_OK : SC_EINVAL);
    }
}

static void memory_may_run_out_in_copies_and_json(void **state)
{
    sc_design *base = NULL;
    assert_int_equal(sc_design_open(&base, "fast"), SC_OK);
    const long live = sc_mem_live();
    sc_status st = SC_ENOMEM;
    for (long n = 0; st == SC_ENOMEM; n++) {
        sc_design *d = NULL;
        char *text = NULL;
        sc_mem_fail_after(n);
        st = sc_design_with(&d, base, "pes_x=16");
        if (st == SC_OK)
            st = sc_design_json(&text, d);
        sc_mem_fail_after(-1);
        sc_release(text);
        sc_design_destroy(d);
        assert_int_equal(sc_mem_live(), live);
    }
    assert_int_equal(st, SC_OK);
    sc_design_destroy(base);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(of_the_head),
        cmocka_unit_test(of_parameters),
        cmocka_unit_test(of_levels),
        cmocka_unit_test(of_compute_and_items),
        cmocka_unit_test(all_errors_are_told_in_one_run),
        cmocka_unit_test(of_extensions),
        cmocka_unit_test(a_file_that_extends_itself_is_refused),
        cmocka_unit_test(a_hash_follows_the_table),
        cmocka_unit_test(of_technology_tables),
        cmocka_unit_test(memory_may_run_out_anywhere),
        cmocka_unit_test(memory_may_run_out_in_copies_and_json),
    };
    return cmocka_run_group_tests(tests, use_source_configs, NULL);
}
