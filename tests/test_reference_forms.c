/* What people write in files of the reference tool: constraints in every form, defaults, tiles in
 * one another, clusters of older versions. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "core_support.h"
#include "model/count/constraints_yaml.h"
#include "model/count/reference_case.h"

static const char file_name[] = "reference_forms_test.yaml";
static const char other_name[] = "reference_forms_other.yaml";
#include "reference_make.h"

/* ---- constraints ---- */

/* Every way to say them; M4 N6 K5 on DRAM and a buffer. */
static const char all_constraints[] =
    "architecture_constraints:\n"
    "  targets:\n"
    "  - {target: DRAM, type: temporal, factors: 'M=0 N<=9,K>2', permutation: K N}\n"
    "  - {target: DRAM, type: spatial, factors: N=9, permutation: NK M, split: 1,\n"
    "     no_link_transfer: [A, B, Z], no_multicast_no_reduction: ['*']}\n"
    "mapspace_constraints:\n"
    "- {target: 0, type: bypassing, keep_only: [Z]}\n"
    "- target: buffer\n"
    "  constraints:\n"
    "  - {type: temporal, attributes: {factors_only: K=5, permutation: K_N}}\n"
    "  - {type: utilization, min: 0.5}\n"
    "  - {type: no_link_transfer, datatypes: [A]}\n"
    "- {name: DRAM, type: dataspace, bypass: B}\n"
    "constraints:\n"
    "- {target: buffer, type: spatial, no_iteration_over_dataspaces: [A],\n"
    "   must_iterate_over_dataspaces: [B], default_max_factor: 2, maximize_dims: [M]}\n";

static void carried_constraints(void **state)
{
    enum { M, N, K };
    sc_reference_case c;
    write_case(version_03, "DRAM");
    write_text(other_name, all_constraints);
    assert_int_equal(sc_reference_case_read(&c, file_name, other_name, NULL, NULL), SC_OK);
    const sc_level_limits *dram = &c.constraints.level[0], *buffer = &c.constraints.level[1];
    assert_int_equal(c.n_constraints, 7);
    assert_int_equal(c.constraints.n_levels, 2);
    assert_int_equal(dram->temporal.fixed[M], 4);
    assert_int_equal(dram->temporal.fixed[N], 0);
    assert_int_equal(dram->temporal.max[N], 9);
    assert_int_equal(dram->temporal.min[N], 1);
    assert_int_equal(dram->temporal.min[K], 3);
    assert_true(dram->temporal.order_total); /* M has one place left */
    assert_int_equal(dram->temporal.n_inner, 3);
    assert_memory_equal(dram->temporal.order, ((uint8_t[]){K, N, M}), 3);
    assert_int_equal(dram->spatial.fixed[N], 6); /* the bound, in place of 9 */
    assert_int_equal(dram->split, 1);
    assert_true(dram->no_links && dram->no_multicast);
    assert_int_equal(dram->must_keep, 5); /* A and Z, since nothing bypasses them */
    assert_int_equal(dram->must_bypass, 2);
    assert_int_equal(buffer->must_keep, 4);
    assert_int_equal(buffer->must_bypass, 3);
    for (unsigned d = 0; d < 3; d++)
        assert_int_equal(buffer->temporal.fixed[d], d == K ? 5 : 1);
    assert_int_equal(buffer->temporal.order[0], K);
    assert_int_equal(buffer->temporal.order[SC_MAX_DIMS - 1], N);
    assert_true(!buffer->no_links && !buffer->no_multicast);
    assert_int_equal(buffer->spatial.fixed[M], 1); /* A has it */
    assert_int_equal(buffer->spatial.fixed[K], 1);
    assert_int_equal(buffer->spatial.fixed[N], 0);
    assert_int_equal(buffer->spatial.max[N], 2);
    assert_int_equal(buffer->split, -1);
}

/* What is not carried is told with its place. */
static void warned_constraints(void **state)
{
    static const char *const says[] = {
        ":4:44: warning: a factor of 9 of dimension N, whose bound is 6: the bound is taken",
        ":11:5: warning: a constraint of type 'utilization' has no effect here",
        ":12:41: warning: 'no_link_transfer' of some tensors only has no effect here",
        ":16:62: warning: 'maximize_dims' has no effect here"};
    sc_reference_export e;
    const char *const paths[] = {file_name, other_name};
    write_case(version_03, "DRAM");
    write_text(other_name, all_constraints);
    assert_int_equal(sc_reference_import(&e, paths, 2), SC_OK);
    for (size_t i = 0; i < COUNT(says); i++)
        if (!strstr(e.report, says[i]))
            fail_msg("no '%s' in %s", says[i], e.report);
    sc_reference_export_clear(&e);
}

/* The text that an import writes, read again for the op it is of. */
static void constraints_again(void **state)
{
    enum { M, N, K };
    static const char *const roles[] = {"input", "weight", "output"};
    sc_reference_export e;
    sc_reference_case c;
    sc_map_constraints again;
    sc_yaml *y = NULL;
    const char *const paths[] = {file_name, other_name};
    write_case(version_03, "DRAM");
    write_text(other_name, all_constraints);
    assert_int_equal(sc_reference_case_read(&c, paths[0], paths[1], NULL, NULL), SC_OK);
    assert_int_equal(sc_reference_import(&e, paths, 2), SC_OK);
    for (unsigned t = 0; t < 3; t++)
        (void)snprintf(c.problem.tensor[t].name, SC_NAME_LEN, "%s", roles[t]);
    assert_int_equal(sc_yaml_parse(&y, "f", e.constraints, strlen(e.constraints)), SC_OK);
    if (!sc_map_constraints_read(&again, sc_yaml_root(y), &c.problem, &c.arch))
        fail_msg("%d: %s", (int)sc_yaml_status(y), sc_error_message());
    for (unsigned l = 0; l < 2; l++) {
        const sc_level_limits *a = &c.constraints.level[l], *b = &again.level[l];
        assert_int_equal(a->must_keep, b->must_keep);
        assert_int_equal(a->must_bypass, b->must_bypass);
        assert_int_equal(a->split, b->split);
        assert_int_equal(a->no_links, b->no_links);
        assert_int_equal(a->no_multicast, b->no_multicast);
        assert_memory_equal(a->temporal.fixed, b->temporal.fixed, sizeof a->temporal.fixed);
        assert_memory_equal(a->temporal.min, b->temporal.min, sizeof a->temporal.min);
        assert_memory_equal(a->temporal.max, b->temporal.max, sizeof a->temporal.max);
        assert_memory_equal(a->temporal.order, b->temporal.order, sizeof a->temporal.order);
        assert_memory_equal(a->spatial.fixed, b->spatial.fixed, sizeof a->spatial.fixed);
        assert_memory_equal(a->spatial.order, b->spatial.order, sizeof a->spatial.order);
    }
    sc_yaml_close(y);
    sc_reference_export_clear(&e);
}

/* A mapping that does not do what its own file asks is counted, and told of: N is split in 3 along
 * X, where 2 is asked for. */
static void broken_constraints(void **state)
{
    char text[4096];
    int n = snprintf(text, sizeof text, "%s%s", version_03, problem);
    n += snprintf(text + n, sizeof text - (size_t)n, mapping, "DRAM");
    (void)snprintf(text + n, sizeof text - (size_t)n,
                   "constraints: [{target: DRAM, type: spatial, factors: N=2}]\n");
    write_text(file_name, text);
    sc_reference_export e = import(file_name);
    assert_non_null(strstr(e.report, "the mapping breaks a constraint (factor) at DRAM in space: N "
                                     "has 3, asked for is 2"));
    sc_reference_export_clear(&e);
}

static void bad_constraints(void **state)
{
    static const char *const wrong[][2] = {
        {"- {target: bufer, type: temporal}", "did you mean 'buffer'?"},
        {"- {target: buffer, type: temporl}", "did you mean 'temporal'?"},
        {"- {target: buffer, type: temporal, factors: M>=5}", "no factor of dimension M is left"},
        {"- {target: buffer, type: temporal, factors: M>=3}\n"
         "- {target: buffer, type: temporal, factors: M=2}",
         "no factor of dimension M is left: at least 3, at most 4, and another one asked for"},
        {"- {target: buffer, type: temporal, permutation: MN}\n"
         "- {target: buffer, type: temporal, permutation: NM}",
         "a second permutation"},
        {"- {target: DRAM, type: spatial, split: 1}\n"
         "- {target: DRAM, type: spatial, split: 2}",
         "a second split"},
        {"- {target: buffer, type: temporal, permutation: M_N_K}", "a second gap"},
        {"- {target: buffer, type: temporal, factors: M<1}", "no factor is less than 1"},
        {"- {target: buffer, type: temporal, factors: Q=1}", "no dimension of the problem"},
        {"- {target: buffer, type: temporal, factors: M=2}\n"
         "- {target: buffer, type: temporal, factors: M=4}",
         "a factor of 4 here and of 2 in an earlier constraint"},
        {"- {target: buffer, type: bypass, keep: [A], bypass: [A]}", "both kept and bypassed"},
        {"- {target: buffer, type: bypass, kep: [A]}", "did you mean 'keep'?"},
        {"- {type: bypass, keep: [A]}", "target"},
        {"- 3", "a constraint must be a map"},
    };
    char text[4096];
    const char *path = file_name;
    for (size_t i = 0; i < COUNT(wrong); i++) {
        sc_reference_export e;
        (void)snprintf(text, sizeof text, "%s%smapspace_constraints:\n%s\n", version_03, problem,
                       wrong[i][0]);
        write_text(file_name, text);
        if (sc_reference_import(&e, &path, 1) != SC_EPARSE)
            fail_msg("%s is taken", wrong[i][0]);
        assert_says(file_name);
        assert_says(wrong[i][1]);
    }
}

/* The oldest form of an energy table names its actions and lists their rows, the dearest of which
 * counts: 2.72 pJ for a fill of the buffer, 1.207 for a MAC. */
static void old_energies(void **state)
{
    static const char table[] =
        "ERT:\n"
        "  tables:\n"
        "    system.DRAM: {idle: {energy: 0}, read: {arguments: null, energy: "
        "512}, write: {energy: 500}}\n"
        "    system.PE[0..2].buffer:\n"
        "      fill: [{energy: 1.454}, {energy: 2.72}, {energy: 2.325}]\n"
        "      read: [{energy: 3.835}]\n"
        "    system.PE.mac: {mac_gated: {energy: 9}, mac_random: {energy: "
        "1.207}}\n";
    char text[4096];
    sc_reference_case c;
    (void)snprintf(text, sizeof text, "%s%s%s", version_03, problem, table);
    write_text(file_name, text);
    assert_int_equal(sc_reference_case_read(&c, file_name, file_name, NULL, NULL), SC_OK);
    assert_true(c.ert);
    assert_true(c.arch.level[0].read_pj == 512);
    assert_true(c.arch.level[0].write_pj == 500);
    assert_true(c.arch.level[1].read_pj == 3.835);
    assert_true(c.arch.level[1].write_pj == 2.72);
    assert_true(c.arch.level[1].update_pj == 2.72);
    assert_true(c.arch.compute.mac_pj == 1.207);
}

/* ---- as people write ---- */

/* The same product on one DRAM and three PEs, with defaults by both kinds of merge keys, the first
 * names of tags, a part that is switched off, sizes from expressions, and a mesh by own attributes.
 */
static const char with_defaults[] =
    "variables: {version: 0.4, bits: 8, pes: 6 // 2}\n"
    "helpers:\n"
    "- &part {class: regfile, attributes: {width: bits, datawidth: bits}}\n"
    "- &word {datawidth: bits, width: bits}\n"
    "architecture:\n"
    "  version: 0.4\n"
    "  nodes:\n"
    "  - !Container {name: system, constraints: {spatial: {factors: [M=1]}}}\n"
    "  - !Element {name: DRAM, class: DRAM, attributes: {<<: *word, depth: INF}}\n"
    "  - !Component {name: spare, class: SRAM, enabled: False, attributes: {depth: 3}}\n"
    "  - !Component\n"
    "    name: buffer\n"
    "    <<<: [*part]\n"
    "    attributes: {depth: 88 // width, copies: pes}\n"
    "    spatial: {meshX: copies}\n"
    "    max_utilization: 1\n"
    "  - !Component {name: mac, class: intmac}\n";

static void defaults(void **state)
{
    char text[4096];
    int n = snprintf(text, sizeof text, "%s%s", with_defaults, problem);
    (void)snprintf(text + n, sizeof text - (size_t)n, mapping, "buffer");
    write_text(file_name, text);
    sc_reference_export e = import(file_name);
    assert_non_null(strstr(e.report, "not enabled: left out"));
    assert_non_null(strstr(e.report, "'system' has one copy and no level"));
    json_t *report = parse_json(e.report);
    e.report = NULL;
    const json_t *levels = json_object_get(report, "levels");
    assert_int_equal(json_array_size(levels), 3);
    assert_true(number(named(levels, "buffer"), "capacity_words") == 11);
    assert_true(number(named(levels, "buffer"), "word_bits") == 8);
    assert_true(json_is_null(json_object_get(named(levels, "DRAM"), "capacity_words")));
    check_counts(json_object_get(report, "counts"));
    json_decref(report);
    sc_reference_export_clear(&e);
}

/* Tiles in one another are the directives of a list. */
static void tiles(void **state)
{
    static const char nested[] = "mapping:\n"
                                 "  node-type: Tile\n"
                                 "  type: Temporal\n"
                                 "  target: DRAM\n"
                                 "  factors: M=0 N=2 # two columns\n"
                                 "  permutation: M N K\n"
                                 "  subtree:\n"
                                 "  - node-type: Tile\n"
                                 "    type: Spatial\n"
                                 "    target: DRAM\n"
                                 "    factors: N=3\n"
                                 "    multicast: true\n"
                                 "    subtree:\n"
                                 "    - node-type: Tile\n"
                                 "      type: temporal\n"
                                 "      target: buffer\n"
                                 "      factors: K=5\n"
                                 "      permutation: KMN\n"
                                 "      subtree: [{node-type: Op, name: product}]\n";
    char text[4096];
    (void)snprintf(text, sizeof text, "%s%s%s", version_03, problem, nested);
    write_text(file_name, text);
    sc_reference_export e = import(file_name);
    json_t *report = parse_json(e.report);
    e.report = NULL;
    check_counts(json_object_get(report, "counts"));
    json_decref(report);
    sc_reference_export_clear(&e);
}

/* A width beside a cluster is that of one instance in files of older versions. */
static void old_clusters(void **state)
{
    static const char old[] =
        "architecture:\n"
        "  version: 0.3\n"
        "  subtree:\n"
        "  - name: system\n"
        "    owner: somebody\n"
        "    local:\n"
        "    - {name: DRAM, class: DRAM, attributes: {word_bits: 8}}\n"
        "    - name: registers[0..31]\n"
        "      class: regfile\n"
        "      attributes: {depth: 4, width: 24, datawidth: 24, cluster_size: 16, meshX: 8}\n"
        "    - {name: 'mac[0..31]', class: intmac, attributes: {meshX: 8}}\n";
    write_text(file_name, old);
    sc_reference_export e = import(file_name);
    json_t *report = parse_json(e.report);
    const json_t *level = named(json_object_get(report, "levels"), "registers");
    assert_true(number(level, "block_words") == 1);
    assert_true(number(level, "cluster_size") == 16);
    assert_true(number(level, "capacity_words") == 4);
    json_decref(report);
    e.report = NULL;
    sc_reference_export_clear(&e);
}

static int remove_files(void **state)
{
    (void)unlink(file_name);
    (void)unlink(other_name);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(carried_constraints),
        cmocka_unit_test(warned_constraints),
        cmocka_unit_test(constraints_again),
        cmocka_unit_test(bad_constraints),
        cmocka_unit_test(broken_constraints),
        cmocka_unit_test(old_energies),
        cmocka_unit_test(defaults),
        cmocka_unit_test(tiles),
        cmocka_unit_test(old_clusters),
    };
    return cmocka_run_group_tests(tests, NULL, remove_files);
}
