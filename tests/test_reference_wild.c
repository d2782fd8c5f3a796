/* Files of the reference tool as people write them: every version, whole folders, what is refused,
 * and what an import makes of them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "core_support.h"
#include "model/arch/data_dir.h"
#include "scantle/design.h"
#include "scantle/log.h"
#include "scantle/workload.h"

static const char file_name[] = "reference_wild_test.yaml";
#include "reference_make.h"

static const char version_02[] =
    "architecture:\n"
    "  version: 0.2\n"
    "  subtree:\n"
    "  - name: system\n"
    "    local:\n"
    "    - {name: DRAM, class: DRAM, attributes: {word-bits: 8}}\n"
    "    - name: buffer[0..2]\n"
    "      class: SRAM\n"
    "      attributes: {depth: 11, word-bits: 8, meshX: 3}\n"
    "    - {name: 'mac[0..2]', class: intmac, attributes: {meshX: 3}}\n";

static const char version_04[] = "variables: {version: 0.4, bits: 2**3, lines: log2(bits) + bits}\n"
                                 "architecture:\n"
                                 "  version: 0.4\n"
                                 "  nodes:\n"
                                 "  - !Container\n"
                                 "    name: system\n"
                                 "    attributes: {datawidth: bits, technology: 45nm}\n"
                                 "  - !Component\n"
                                 "    name: DRAM\n"
                                 "    class: DRAM\n"
                                 "    attributes: {width: 1 * datawidth}\n"
                                 "  - !Container\n"
                                 "    name: PE\n"
                                 "    spatial: {meshX: 3}\n"
                                 "    constraints: {spatial: {factors: [N<=3, K=1], split: 1}}\n"
                                 "  - !Parallel\n"
                                 "    nodes:\n"
                                 "    - !Component\n"
                                 "      name: buffer\n"
                                 "      class: regfile\n"
                                 "      attributes: {depth: lines, width: bits}\n"
                                 "      constraints:\n"
                                 "        dataspace: {keep: [A, B, Z], bypass: []}\n"
                                 "    - !Nothing {constraints: {dataspace: {keep: [A]}}}\n"
                                 "  - !Component\n"
                                 "    name: mac\n"
                                 "    class: intmac\n"
                                 "    attributes: {multiplier_width: 8}\n";

static const char version_old[] =
    "arch:\n"
    "  arithmetic: {name: mac, instances: 3, word-bits: 8, meshX: 3}\n"
    "  storage:\n"
    "  - {name: buffer, entries: 11, instances: 3, meshX: 3, word-bits: 8}\n"
    "  - {name: DRAM, technology: DRAM, instances: 1, word-bits: 8}\n";

static void every_version(void **state)
{
    static const struct {
        const char *architecture, *spatial;
    } forms[] = {{version_02, "DRAM"},
                 {version_03, "DRAM"},
                 {version_04, "PE"},
                 {version_04, "inter_PE_spatial"},
                 {version_old, "DRAM"}};
    sc_reference_options o = SC_REFERENCE_OPTIONS_INIT;
    o.links = "none";
    for (size_t i = 0; i < COUNT(forms); i++) {
        char *text = NULL;
        int feasible = 0;
        write_case(forms[i].architecture, forms[i].spatial);
        if (sc_reference_map(&text, &feasible, file_name, file_name, file_name, &o) != SC_OK)
            fail_msg("form %zu: %s", i, sc_error_message());
        assert_int_equal(feasible, 1);
        json_t *counts = parse_json(text);
        check_counts(counts);
        const json_t *buffer = named(json_object_get(counts, "levels"), "buffer");
        assert_true(number(buffer, "instances") == 3);
        assert_true(number(buffer, "capacity") == 11);
        assert_true(number(buffer, "total_capacity") == 33);
        json_decref(counts);
    }
}

/* The name of a component with copies of its own means the loops over them, not those inside. */
static void copies_of_a_component(void **state)
{
    char *text = NULL;
    sc_reference_options o = SC_REFERENCE_OPTIONS_INIT;
    o.links = "none";
    write_case("architecture:\n"
               "  nodes:\n"
               "  - !Component {name: DRAM, class: DRAM, attributes: {datawidth: 8}}\n"
               "  - !Hierarchical\n"
               "    nodes:\n"
               "    - !Component {name: buffer, class: SRAM, spatial: {meshX: 1, meshY: 3}, "
               "attributes: {depth: 11, datawidth: 8}}\n"
               "  - !Component {name: mac, class: intmac}\n",
               "buffer, split: 0");
    if (sc_reference_map(&text, NULL, file_name, file_name, file_name, &o) != SC_OK)
        fail_msg("%s", sc_error_message());
    json_t *counts = parse_json(text);
    check_counts(counts);
    json_decref(counts);
}

/* ---- imports ---- */

/* What is written is read again, and says the same. */
static void check_texts(const sc_reference_export *e, uint64_t macs, uint64_t units)
{
    sc_workload *w = NULL;
    sc_design *d = NULL;
    char *json = NULL;
    assert_non_null(e->network);
    assert_non_null(e->platform);
    write_text("wild_network.yaml", e->network);
    write_text("wild_platform.yaml", e->platform);
    if (e->energies)
        write_text("energies.yaml", e->energies);
    if (sc_workload_open(&w, "wild_network.yaml") != SC_OK ||
        sc_design_open(&d, "./wild_platform.yaml") != SC_OK || sc_design_json(&json, d) != SC_OK)
        fail_msg("%s", sc_error_message());
    assert_int_equal(sc_workload_macs(w), macs);
    json_t *design = parse_json(json);
    assert_true(number(design, "macs") == (double)units);
    json_decref(design);
    sc_design_destroy(d);
    sc_workload_destroy(w);
}

/* Our names of M, N and K are the same; the file's DRAM holds all, as the reference has it. */
static void check_constraints(const sc_reference_export *e)
{
    static const char fanout[] =
        "  - level: inter_PE_spatial\n    bypass: [input, weight, output]\n    temporal:\n"
        "      factors: [M=1, N=1, K=1]\n    spatial:\n      factors: [N<=3, K=1]\n";
    const char *const says[] = {"  - level: DRAM\n    keep: [input, weight, output]\n", fanout,
                                "  - level: buffer\n    keep: [input, weight, output]\n"};
    assert_non_null(e->constraints);
    for (size_t i = 0; i < COUNT(says); i++)
        if (!strstr(e->constraints, says[i]))
            fail_msg("no '%s' in %s", says[i], e->constraints);
    assert_null(strstr(e->constraints, "split")); /* of an order that nothing gives */
    assert_non_null(strstr(e->platform, "a split of 1 passes the order that is given"));
}

static void import_all(void **state)
{
    write_case(version_04, "PE");
    sc_reference_export e = import(file_name);
    check_texts(&e, 120, 3);
    assert_non_null(strstr(e.platform, "keep: {input: must, weight: must, output: must}"));
    assert_non_null(strstr(e.platform, "storage: none"));
    check_constraints(&e);
    assert_non_null(strstr(e.platform, "no cycle time in the file: taken as 1 GHz"));
    assert_non_null(strstr(e.network, "kind: matmul, channels: 6"));
    assert_non_null(strstr(e.mapping, "temporal: [N=2, M=4]"));
    assert_non_null(strstr(e.mapping, "x: [N=3]"));
    assert_null(e.energies);
    json_t *report = parse_json(e.report);
    e.report = NULL;
    assert_true(number(report, "macs") == 120);
    assert_true(number(report, "constraints") == 2);
    assert_true(json_is_true(json_object_get(report, "mapping")));
    check_counts(json_object_get(report, "counts"));
    json_decref(report);
    sc_reference_export_clear(&e);
}

/* Case 13: a buffer inside a 16-wide container is there 16 times, with all their words; an
 * architecture without compute is refused in words. */
static void case_13_containers(void **state)
{
    static const char chip[] =
        "architecture:\n"
        "  nodes:\n"
        "  - !Component {name: DRAM, class: DRAM, attributes: {datawidth: 8}}\n"
        "  - !Container {name: PE, spatial: {meshX: 16}}\n"
        "  - !Component {name: buffer, class: SRAM, attributes: {depth: 7, datawidth: 8}}\n";
    char text[1024];
    (void)snprintf(text, sizeof text, "%s  - !Component {name: mac, class: intmac}\n", chip);
    write_text(file_name, text);
    sc_reference_export e = import(file_name);
    json_t *report = parse_json(e.report);
    e.report = NULL;
    const json_t *buffer = named(json_object_get(report, "levels"), "buffer");
    assert_true(number(buffer, "instances") == 16);
    assert_true(number(buffer, "capacity_words") == 7);
    assert_true(number(buffer, "total_words") == 16 * 7);
    json_decref(report);
    sc_reference_export_clear(&e);
    write_text(file_name, chip);
    const char *path = file_name;
    assert_int_equal(sc_reference_import(&e, &path, 1), SC_EPARSE);
    assert_non_null(strstr(sc_error_message(), "no compute component"));
}

/* What a branch of !Parallel does not keep goes through another one. */
static void import_branches(void **state)
{
    char text[4096];
    (void)snprintf(
        text, sizeof text,
        "architecture:\n"
        "  nodes:\n"
        "  - !Component {name: DRAM, class: DRAM, attributes: {datawidth: 8}}\n"
        "  - !Parallel\n"
        "    nodes:\n"
        "    - !Component {name: left, class: SRAM, attributes: {depth: 4}, constraints: "
        "{dataspace: {keep: [A]}}}\n"
        "    - !Component {name: right, class: SRAM, attributes: {depth: 4}, constraints: "
        "{dataspace: {keep: [B, Z]}}}\n"
        "  - !Component {name: alu, class: unit}\n%s",
        problem);
    write_text(file_name, text);
    sc_reference_export e = import(file_name);
    check_texts(&e, 120, 1);
    assert_non_null(strstr(e.platform, "keep: {input: must, weight: never, output: never}"));
    assert_non_null(strstr(e.platform, "keep: {input: never, weight: must, output: must}"));
    assert_non_null(strstr(e.report, "'alu', the last one left out, is taken to"));
    sc_reference_export_clear(&e);
}

/* Energies of a table become those of 64-bit accesses: a byte of 3 pJ is 24 pJ there. */
static void import_energies(void **state)
{
    char text[4096];
    (void)snprintf(
        text, sizeof text,
        "%s%sERT:\n  tables:\n  - name: system.PE.buffer[1..3]\n    actions: [{name: read, "
        "energy: 3}, {name: write, energy: 4}]\n  - name: mac\n    actions: [{name: "
        "compute, energy: 0.5}]\nART:\n  tables: [{name: system.buffer, area: 125}]\n",
        version_03, problem);
    write_text(file_name, text);
    sc_reference_export e = import(file_name);
    check_texts(&e, 120, 3);
    assert_non_null(strstr(e.energies, "{name: read, energy: 24}, {name: write, energy: 32}"));
    assert_non_null(strstr(e.energies, "{name: compute, energy: 0.5}"));
    assert_non_null(strstr(e.platform, "width_bits: 64"));
    assert_non_null(strstr(e.platform, "one instance has 125 um2"));
    assert_null(e.mapping);
    sc_reference_export_clear(&e);
}

/* Convolutions: stride 2 and dilation 3 of five outputs and three taps touch 4 * 2 + 2 * 3 + 1. */
static void import_networks(void **state)
{
    write_text(file_name, "problem: {shape: cnn_layer, C: 2, K: 3, R: 3, S: 1, P: 5, Q: 7, N: 2, "
                          "Wstride: 2, Wdilation: 3}\n");
    sc_reference_export e = import(file_name);
    assert_null(e.platform);
    assert_non_null(strstr(e.network, "{channels: 2, height: 15, width: 7}"));
    assert_non_null(strstr(e.network, "kernel: [3, 1], stride: [2, 1], dilation: [3, 1]"));
    write_text("wild_network.yaml", e.network);
    sc_workload *w = NULL;
    assert_int_equal(sc_workload_open(&w, "wild_network.yaml"), SC_OK);
    assert_int_equal(sc_workload_macs(w), 2 * 3 * 3 * 5 * 7 * 2);
    sc_workload_destroy(w);
    sc_reference_export_clear(&e);
    /* a product of three is none of our ops, and says so */
    write_text(file_name, "problem:\n  shape:\n    dimensions: [I]\n    data_spaces:\n"
                          "    - {name: A, projection: [[[I]]]}\n"
                          "    - {name: B, projection: [[[I]]]}\n"
                          "    - {name: D, projection: [[[I]]]}\n"
                          "    - {name: Z, projection: [[[I]]], read_write: true}\n"
                          "  instance: {I: 4}\n");
    e = import(file_name);
    assert_null(e.network);
    assert_non_null(strstr(e.report, "no network: the problem has 4 tensors"));
    sc_reference_export_clear(&e);
}

/* Sections in any file, names of sizes in another, and defaults under `<<<`. */
static void a_folder(void **state)
{
    char *folder = make_folder(), path[5][256];
    const char *const texts[] = {version_03, "macro: {rows: 4, depth: 5}\n",
                                 "problem:\n"
                                 "  shape:\n"
                                 "    dimensions: [M, N, K]\n"
                                 "    data_spaces:\n"
                                 "    - {name: A, projection: [[[M]], [[K]]]}\n"
                                 "    - {name: B, projection: [[[K]], [[N]]]}\n"
                                 "    - {name: Z, projection: [[[M]], [[N]]], read_write: true}\n"
                                 "  instance: {M: rows, N: 6, K: depth}\n",
                                 "compound_components: {classes: []}\nmapper: {timeout: 1}\n",
                                 "mapspace_constraints:\n"
                                 "- {target: buffer, type: bypass, keep: [Z], bypass: [B]}\n"};
    for (size_t i = 0; i < COUNT(texts); i++) {
        (void)snprintf(path[i], sizeof path[i], "%s/%zu.yaml", folder, i);
        write_text(path[i], texts[i]);
    }
    sc_reference_export e = import(folder);
    check_texts(&e, 120, 3);
    assert_non_null(strstr(e.platform, "keep: {weight: never, output: must}"));
    assert_non_null(strstr(e.report, "'mapper' has no effect here"));
    sc_reference_export_clear(&e);
    write_text(path[3], problem);
    const char *only = folder;
    assert_int_equal(sc_reference_import(&e, &only, 1), SC_EPARSE);
    assert_says("3.yaml:2:3: error: a second 'problem' section: the first is at");
    for (size_t i = 0; i < COUNT(texts); i++)
        (void)unlink(path[i]);
    (void)rmdir(folder);
    free(folder);
}

/* ---- refusals ---- */

static void refusals(void **state)
{
    static const char *const wrong[][2] = {
        {"a: 1\n{{include('x')}}\n", ":2:1: error: '{{' begins a template (Jinja)"},
        {"{% for x in y %}\n", "(Jinja)"},
        {"M: ${SIZE}\n", "'${' begins a template"},
        {"arch = {\n};\n", "libconfig"},
        {"architecture: !include a.yaml\n", "'!include' is not read"},
        {"architectur: {}\n", "did you mean 'architecture'?"},
        {"mapper: {}\n", "neither an 'architecture' nor a 'problem'"},
        {"[1]\n", "expected a map of sections"},
        {"architecture:\n  nodes:\n  - !Componnt {name: a}\n",
         ":3:5: error: unknown tag '!Componnt' (did you mean '!Component'?)"},
        {"architecture: {nodes: [!Pipelined {nodes: []}]}\n", "'!Pipelined' is not modelled"},
        {"architecture: {nodes: [{name: a}]}\n", "needs one of the tags"},
        {"architecture: {nodes: [!Component 3]}\n", "a node must be a map"},
        {"architecture: {nodes: [!Container {name: a, spatial: {meshx: 2}}]}\n",
         "did you mean 'meshX'?"},
        {"architecture: {nodes: [!Container {name: a, spatial: {meshX: 0}}]}\n", "at least 1"},
        {"architecture: {nodes: [!Parallel {nodes: [!Component {name: b, class: SRAM, spatial: "
         "{meshX: 2}, attributes: {depth: 1}}]}]}\n",
         "copies inside a branch of !Parallel"},
        {"architecture: {nodes: [!Container {name: a, spatial: {meshX: 4294967296, meshY: "
         "4294967296}}]}\n",
         "more than 2^63 - 1 copies"},
        {"architecture: {nodes: [!Component {name: b, class: SRAM, attributes: {depth: width * "
         "lines, width: 8}}]}\n",
         "'width * lines' has no value"},
        {"architecture: {nodes: [!Component {name: b, class: SRAM, attributes: {depth: width, "
         "width: depth}}]}\n",
         "stands for itself"},
        {"architecture: {nodes: [!Component {name: b, class: SRAM, attributes: {depth: 3 / 2}}]}\n",
         "must be a whole number"},
        {"problem: {instance: {M: 1}, shap: {}}\n", "did you mean 'shape'?"},
        {"architecture: {<<<: 3}\n", ":1:16: error: '<<<' takes a map or a list of maps"},
        {"architecture: {nodes: [!Container {name: a, enabled: maybe}]}\n", "maybe"},
        {"architecture: {nodes: [!Memory {name: a}]}\n", "unknown tag '!Memory'"},
    };
    const char *path = file_name;
    for (size_t i = 0; i < COUNT(wrong); i++) {
        sc_reference_export e = {.report = (char *)path};
        write_text(file_name, wrong[i][0]);
        if (sc_reference_import(&e, &path, 1) != SC_EPARSE)
            fail_msg("%s is taken", wrong[i][0]);
        assert_says(file_name);
        assert_says(wrong[i][1]);
        assert_ptr_equal(e.report, path);
    }
}

static void no_files(void **state)
{
    sc_reference_export e;
    const char *path = "no_such_file.yaml";
    assert_int_equal(sc_reference_import(&e, &path, 1), SC_ENOTFOUND);
    assert_int_equal(sc_reference_import(&e, NULL, 0), SC_EINVAL);
    char *folder = make_folder();
    path = folder;
    assert_int_equal(sc_reference_import(&e, &path, 1), SC_EPARSE);
    assert_says("no .yaml file in this folder");
    (void)rmdir(folder);
    free(folder);
    sc_reference_export_clear(NULL);
}

static sc_status run_import(void *payload)
{
    sc_reference_export e = {.report = NULL};
    const char *path = payload;
    const sc_status st = sc_reference_import(&e, &path, 1);
    sc_reference_export_clear(&e);
    return st;
}

static void out_of_memory(void **state)
{
    char name[sizeof file_name];
    memcpy(name, file_name, sizeof name);
    write_case(version_04, "PE");
    assert_true(fail_each_allocation(run_import, name) > 20);
}

/* ---- sets that other people wrote ---- */

static void wild_sets(void **state)
{
    static const struct {
        const char *name;
        uint64_t macs, units;
        const char *says;
    } sets[] = {
        {"set01_resnet18_base", UINT64_C(3) * 64 * 7 * 7 * 112 * 112, 16, "\"total_words\": 256"},
        {"set10_tileflow_systolic_v02", 16 * 64 * 16, 256, "\"mapping\": true"},
        {"set12_pim_v03", UINT64_C(200) * 20 * 9 * 9 * 16, 64, "'D2A_NoC' is left out"},
        {"set16_dosa_gemmini_bert", UINT64_C(64) * 128 * 128, 256, "\"constraints\": 10"},
    };
    char path[512], name[128];
    for (size_t i = 0; i < COUNT(sets); i++) {
        (void)snprintf(name, sizeof name, "wild/timeloop/%s", sets[i].name);
        sc_reference_export e = import(reference_data(path, sizeof path, name));
        check_texts(&e, sets[i].macs, sets[i].units);
        if (!strstr(e.report, sets[i].says))
            fail_msg("%s: no %s in %s", sets[i].name, sets[i].says, e.report);
        sc_reference_export_clear(&e);
    }
}

static int remove_files(void **state)
{
    static const char *const names[] = {file_name, "wild_network.yaml", "wild_platform.yaml",
                                        "energies.yaml"};
    for (size_t i = 0; i < COUNT(names); i++)
        (void)unlink(names[i]);
    return 0;
}

static int set_data_dir(void **state)
{
    return sc_data_dir_set(SCANTLE_SOURCE_DIR "/configs") != SC_OK;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_version),   cmocka_unit_test(copies_of_a_component),
        cmocka_unit_test(import_all),      cmocka_unit_test(import_energies),
        cmocka_unit_test(import_branches), cmocka_unit_test(case_13_containers),
        cmocka_unit_test(import_networks), cmocka_unit_test(a_folder),
        cmocka_unit_test(refusals),        cmocka_unit_test(no_files),
        cmocka_unit_test(out_of_memory),   cmocka_unit_test(wild_sets),

    };
    return cmocka_run_group_tests(tests, set_data_dir, remove_files);
}
