/* Files of the reference tool: the forms they come in, and every refusal with its place. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "core/file.h"
#include "core/yaml.h"
#include "core_support.h"
#include "count_make.h"
#include "model/count/reference_arch.h"
#include "model/count/reference_case.h"
#include "model/count/reference_mapping.h"
#include "scantle/log.h"
#include "scantle/reference.h"

static sc_yaml *parse(const char *text)
{
    sc_yaml *doc = NULL;
    if (sc_yaml_parse(&doc, "t.yaml", text, strlen(text)) != SC_OK)
        fail_msg("%s", sc_error_message());
    return doc;
}

/* Attributes of a lone buffer between a memory and 12 MACs in 4 columns. */
static void with_buffer(char *out, size_t size, const char *attributes)
{
    (void)snprintf(out, size,
                   "version: 0.3\n"
                   "subtree:\n"
                   "- name: chip\n"
                   "  local:\n"
                   "  - {name: memory, class: DRAM, attributes: {width: 64, word-bits: 8}}\n"
                   "  subtree:\n"
                   "  - name: PE[0..2]\n"
                   "    local:\n"
                   "    - name: buffer\n"
                   "      class: smartbuffer_SRAM\n"
                   "      attributes: {%s}\n"
                   "    - {name: 'mac[1..4]', class: intmac, attributes: {meshX: 4}}\n",
                   attributes);
}

static sc_status read_arch(sc_arch *out, const char *text)
{
    sc_yaml *doc = parse(text);
    const sc_status st = sc_reference_arch_read(out, doc, sc_yaml_root(doc), NULL);
    sc_yaml_close(doc);
    return st;
}

static sc_level buffer_of(const char *attributes)
{
    char text[1024];
    sc_arch a;
    with_buffer(text, sizeof text, attributes);
    if (read_arch(&a, text) != SC_OK)
        fail_msg("%s", sc_error_message());
    assert_string_equal(a.level[1].name, "buffer");
    return a.level[1];
}

static void architecture(void **state)
{
    char text[1024];
    sc_arch a;
    with_buffer(text, sizeof text, "depth: 64, width: 32, word_bits: 8, meshX: 1");
    if (read_arch(&a, text) != SC_OK)
        fail_msg("%s", sc_error_message());
    assert_int_equal(a.n_levels, 2);
    assert_int_equal(a.level[0].instances, 1);
    assert_false(a.level[0].bounded);
    assert_int_equal(a.level[0].block_words, 8);
    assert_int_equal(a.level[0].fanout_x, 1);
    assert_int_equal(a.level[0].fanout_y, 3);
    assert_int_equal(a.level[1].instances, 3);
    assert_int_equal(a.level[1].fanout_x, 4);
    assert_int_equal(a.level[1].fanout_y, 1);
    assert_int_equal(a.level[1].capacity[0], 64 * 4); /* words */
    assert_int_equal(a.level[1].block_words, 4);
    assert_string_equal(a.compute.name, "mac");
    assert_int_equal(a.compute.instances, 12);
    assert_float_equal(a.compute.mac_pj, 1, 0);     /* 16 * 16 / 256 */
    assert_float_equal(a.level[0].read_pj, 800, 0); /* 200 * 64 / 16 */
    assert_float_equal(a.level[1].update_pj, 2 * (1 + (0.25 - 0.5) * 5 / 99.5), 1e-12);
}

static void sizes(void **state)
{
    assert_int_equal(buffer_of("entries: 77, word-bits: 8, meshX: 1").capacity[0], 77);
    assert_int_equal(buffer_of("sizeKB: 3, word-bits: 12, meshX: 1").capacity[0], 2048);
    assert_int_equal(buffer_of("depth: 5, block-size: 3, word-bits: 8, meshX: 1").capacity[0], 15);
    assert_false(buffer_of("word-bits: 8, meshX: 1").bounded);
    const sc_level none = buffer_of("depth: 0, width: 16, meshX: 1");
    assert_true(none.bounded && none.capacity[0] == 0 && none.read_pj == 0);
    const sc_level shared =
        buffer_of("depth: 8, width: 64, block_size: 2, word_bits: 16, meshX: 1");
    assert_int_equal(shared.cluster_size, 2);
    assert_int_equal(shared.capacity[0], 16);
    const sc_level l = buffer_of("depth: 8, width: 16, datawidth: 8, meshX: 1, bandwidth: 6, "
                                 "write_bandwidth: 5, shared-bandwidth: 2.5, "
                                 "multiple-buffering: 2.0, vector-access-energy: 1.25");
    assert_int_equal(l.block_words, 2);
    assert_float_equal(l.read_bw, 3, 0);
    assert_float_equal(l.write_bw, 5, 0);
    assert_float_equal(l.shared_bw, 2.5, 0);
    assert_float_equal(l.buffers, 2, 0);
    assert_float_equal(l.write_pj, 1.25, 0);
}

static void bad_attributes(void **state)
{
    static const char *const wrong[][2] = {
        {"depht: 4, meshX: 1", "11:20: error: unknown key 'depht' (did you mean 'depth'?)"},
        {"depth: -1, meshX: 1", "11:27: error: -1, must be at least 0"},
        {"depth: 4, meshX: 2", "9:7: error: 3 instances on a mesh of 2 x 1"},
        {"depth: 4, meshX: 1, width: 20, word_bits: 8", "a width of 20 bits is not"},
        {"entries: 4, meshX: 1, width: 8589934592", "more than 2^32 - 1"},
        {"depth: 4, meshX: 1, read_bandwidth: 0", "'read_bandwidth' must be more than 0"},
        {"depth: 4, meshX: 1, multiple_buffering: 0.5", "at least 1"},
        {"depth: 4, meshX: 1, instances: 99999999999999999999", "11:51: error"},
        {"depth: 18446744073709551615, meshX: 1", "error"},
        {"depth: 4611686018427387904, block_size: 8, meshX: 1", "more than 2^64 - 1 words"},
        {"meshX: 1, instances: 5, depth: 4", "does not divide evenly"},
    };
    char text[1024];
    for (size_t i = 0; i < COUNT(wrong); i++) {
        sc_arch a = {.n_levels = 9};
        with_buffer(text, sizeof text, wrong[i][0]);
        assert_int_equal(read_arch(&a, text), SC_EPARSE);
        assert_says(wrong[i][1]);
        assert_int_equal(a.n_levels, 9);
    }
}

static void bad_trees(void **state)
{
    static const char *const wrong[][2] = {
        {"[1]", "must be a map"},
        {"{subtree: 3}", "subtree must be a list of one"},
        {"{subtree: [{name: a}, {name: b}]}", "levels form a chain"},
        {"{subtree: [{name: a, local: 7}]}", "local must be a list"},
        {"{subtree: [{name: a, local: [7]}]}", "a component must be a map"},
        {"{subtree: [{name: a, local: [{class: DRAM}]}]}", "name"},
        {"{subtree: [{name: a, local: [{name: m}]}]}", "class"},
        {"{subtree: [{name: a, local: [{name: m, class: DRAM}]}]}", "no compute component"},
        {"{subtree: [{name: a, local: [{name: m, class: intmac}]}]}", "no storage"},
        {"{local: [{name: m, class: DRAM}, {name: m, class: SRAM}, {name: c, class: mac}]}",
         "a second component named 'm'"},
        {"{local: [{name: m, class: DRAM}, {name: c, class: mac}, {name: d, class: mac}]}",
         "a second compute component"},
        {"{subtree: [{name: 'a[5..2]', local: []}]}", "is no range"},
        {"{local: [{name: 'm[0..x]', class: DRAM}]}", "'[0..x]' is no range"},
        {"{nodes: []}", "the architecture has no storage"},
        {"{nodes: 3}", "nodes"},
        {"{storage: [{name: m, entries: 4}]}", "no compute component"},
        {"{storage: [{name: m, entires: 4}]}", "did you mean 'entries'?"},
        {"{local: [{name: m, class: DRAM, attributs: {}}]}", "did you mean 'attributes'?"},
    };
    for (size_t i = 0; i < COUNT(wrong); i++) {
        sc_arch a;
        assert_int_equal(read_arch(&a, wrong[i][0]), SC_EPARSE);
        assert_says("t.yaml:1:");
        assert_says(wrong[i][1]);
    }
    sc_arch a;
    char many[2048] = "{local: [";
    for (unsigned i = 0; i < 13; i++)
        (void)snprintf(many + strlen(many), sizeof many - strlen(many),
                       "{name: l%u, class: SRAM, attributes: {depth: 1}}, ", i);
    strcat(many, "{name: c, class: mac}]}");
    assert_int_equal(read_arch(&a, many), SC_EPARSE);
    assert_says("more than 12 storage levels");
}

static void energy_tables(void **state)
{
    char text[1024];
    sc_arch a;
    with_buffer(text, sizeof text, "depth: 64, width: 32, word_bits: 8, meshX: 1");
    assert_int_equal(read_arch(&a, text), SC_OK);
    sc_yaml *doc = parse("tables:\n"
                         "- name: chip.PE[0..2].buffer[1..1]\n"
                         "  actions:\n"
                         "  - {name: read, arguments: {delta: 0}, energy: 3}\n"
                         "  - {name: read, arguments: {delta: 1}, energy: 5}\n"
                         "  - {name: write, energy: 7}\n"
                         "  - {name: leak, energy: 0.5}\n"
                         "  - {name: idle, energy: 99}\n"
                         "- {name: chip.mac, actions: [{name: compute, energy: 0.25}]}\n"
                         "- {name: chip.other, actions: []}\n");
    assert_int_equal(sc_reference_ert_read(&a, doc, sc_yaml_root(doc)), SC_OK);
    sc_yaml_close(doc);
    assert_float_equal(a.level[1].read_pj, 5, 0);
    assert_float_equal(a.level[1].write_pj, 7, 0);
    assert_float_equal(a.level[1].update_pj, 7, 0);
    assert_float_equal(a.level[1].leak_pj, 0.5, 0);
    assert_float_equal(a.compute.mac_pj, 0.25, 0);
    assert_float_equal(a.level[0].read_pj, 800, 0);
    doc = parse("tables: [{name: x, actions: [{name: read, energy: -1}]}, {actions: 3}]");
    assert_int_equal(sc_reference_ert_read(&a, doc, sc_yaml_root(doc)), SC_EPARSE);
    assert_says("must not be negative");
    assert_says("name");
    sc_yaml_close(doc);
}

/* M6 N10 K15 on memory, buffer and 4 x 3 MACs. */
static sc_status read_mapping(sc_mapping *out, const char *text, const char *macros)
{
    const sc_einsum e = count_einsum("M6 N10 K15", "I M,K", "W K,N", "O M,N");
    sc_arch a = {.n_levels = 2};
    (void)snprintf(a.level[0].name, SC_NAME_LEN, "memory");
    (void)snprintf(a.level[1].name, SC_NAME_LEN, "buffer");
    sc_yaml *doc = parse(text), *names = parse(macros ? macros : "{}");
    const sc_status st =
        sc_reference_mapping_read(out, doc, sc_yaml_root(doc), sc_yaml_root(names), &e, &a);
    sc_yaml_close(doc);
    sc_yaml_close(names);
    return st;
}

static void mapping_forms(void **state)
{
    sc_mapping m;
    const char *const same[] = {
        "- {target: memory, type: temporal, factors: 'M=3,N=2,K=5', permutation: KMN}\n"
        "- {target: buffer, type: spatial, factors: 'M=2 K=3', permutation: MKN, split: 1}\n"
        "- {target: buffer, type: temporal, factors: N=5, permutation: NMK}\n"
        "- {target: buffer, type: bypass, keep: [I0], bypass: [W1, O2]}\n",
        "- {target: buffer, type: datatype, bypass: [W1, O2]}\n"
        "- {target: buffer, type: temporal, factors: 'N5', permutation: 'N M, K'}\n"
        "- {target: buffer, type: spatial, factors: [M2, K = 3], permutation: [M, K], split: 1}\n"
        "- {target: memory, type: temporal, factors: 'M3 N2 K = FIVE', permutation: 'K,M,N'}\n"};
    for (size_t i = 0; i < COUNT(same); i++) {
        if (read_mapping(&m, same[i], "{FIVE: 5}") != SC_OK)
            fail_msg("%s", sc_error_message());
        const sc_loops *outer = &m.level[0].temporal;
        assert_int_equal(outer->dim[0], 2); /* K innermost */
        assert_int_equal(outer->factor[0], 5);
        assert_int_equal(outer->dim[2], 1);
        assert_int_equal(outer->factor[2], 2);
        assert_int_equal(m.level[1].spatial.factor[0], 2);
        assert_int_equal(m.level[1].spatial.dim[1], 2);
        assert_int_equal(m.level[1].spatial.factor[1], 3);
        assert_int_equal(m.level[1].split, 1);
        assert_int_equal(m.level[1].temporal.factor[0], 5);
        assert_int_equal(m.level[0].keep, 7);
        assert_int_equal(m.level[1].keep, 1);
    }
    /* 0 is the whole dimension; without split all lies on X; no directive loops over nothing */
    assert_int_equal(read_mapping(&m,
                                  "- {target: memory, type: temporal, factors: M0 N=0}\n"
                                  "- {target: buffer, type: spatial, factors: K15}\n",
                                  NULL),
                     SC_OK);
    assert_int_equal(m.level[0].temporal.factor[0], 6);
    assert_int_equal(m.level[0].temporal.factor[1], 10);
    assert_true(m.level[1].split >= 3);
    assert_int_equal(m.level[1].keep, 7);
}

/* M6 as 2 x 4 with 2 left, K15 as 3 x 2 x 3: the last digits of 14 are 2 0 2. N10 outermost as 5 of
 * which only 2 ever run, of 5. */
static void mapping_remainders(void **state)
{
    sc_mapping m;
    const char *text =
        "- {target: memory, type: temporal, factors: 'M2, K=3,3 N=5,2', permutation: KMN}\n"
        "- {target: buffer, type: spatial, factors: 'M=4,2 K2,1', permutation: MKN, split: 1}\n"
        "- {target: buffer, type: temporal, factors: [N=5, 'K3, 3'], permutation: NMK}\n";
    /* time stands outside space: K is 3 (memory), 3 (buffer), 2 (children): 14 = 2 1 0 */
    assert_int_equal(read_mapping(&m, text, NULL), SC_EPARSE);
    assert_says("dimension K: the factors and remainders of all levels make 17, its bound is 15");
    text = "- {target: memory, type: temporal, factors: 'M2, K=3,3 N=5,2', permutation: KMN}\n"
           "- {target: buffer, type: spatial, factors: 'M=4,2 K2,1', permutation: MKN, split: 1}\n"
           "- {target: buffer, type: temporal, factors: [N=5, 'K3, 2'], permutation: NMK}\n";
    if (read_mapping(&m, text, NULL) != SC_OK)
        fail_msg("%s", sc_error_message());
    assert_int_equal(m.level[0].temporal.factor[0], 3);
    assert_int_equal(m.level[0].temporal.factor[1], 2);
    assert_int_equal(m.level[0].temporal.factor[2], 2);
    assert_int_equal(m.level[1].spatial.factor[0], 4);
    assert_int_equal(m.level[1].spatial.factor[1], 2);
    assert_int_equal(m.level[1].temporal.factor[0], 5);
    assert_int_equal(m.level[1].temporal.factor[2], 3);
}

static void bad_mappings(void **state)
{
    static const char *const wrong[][2] = {
        {"{}", "1:1: error: the mapping must be a list"},
        {"- 3", "1:3: error: a directive must be a map"},
        {"- {target: bufer, type: temporal}", "did you mean 'buffer'?"},
        {"- {target: buffer, type: temporl}", "did you mean 'temporal'?"},
        {"- {type: temporal}", "target"},
        {"- {target: buffer, type: temporal, factor: M6}", "did you mean 'factors'?"},
        {"- {target: buffer, type: temporal, factors: M6 X3}", "1:48: error: no dimension"},
        {"- {target: buffer, type: temporal, factors: M6 N}", "a factor must follow"},
        {"- {target: buffer, type: temporal, factors: M6 M1}", "1:48: error: dimension M stands"},
        {"- {target: buffer, type: temporal, factors: M<=6}", "a factor must follow"},
        {"- {target: buffer, type: temporal, factors: M=six}", "no macro of that name"},
        {"- {target: buffer, type: temporal, factors: M6 4}", "1:48: error: a second number"},
        {"- {target: buffer, type: temporal, factors: 'M=4,5'}",
         "1:50: error: a remainder is from 1 to its factor, 4"},
        {"- {target: buffer, type: temporal, factors: 'M=4,0'}", "1:50: error: a remainder is"},
        {"- {target: buffer, type: temporal, factors: 'M=4,2 N10 K15'}",
         "1:1: error: dimension M: the factors and remainders of all levels make 2, its bound is "
         "6"},
        {"- {target: buffer, type: temporal, factors: M99999999999999999999}", "1:46: error"},
        {"- {target: buffer, type: temporal, factors: {M: 6}}", "factors are a text"},
        {"- {target: buffer, type: temporal, permutation: MNKM}", "dimension M stands twice"},
        {"- {target: buffer, type: temporal, permutation: MQ}", "no dimension"},
        {"- {target: buffer, type: spatial, split: -1}", "must be at least 0"},
        {"- {target: buffer, type: bypass, bypass: [I9]}", "did you mean"},
        {"- {target: buffer, type: bypass, bypass: I0}", "are lists of tensors"},
        {"- {target: buffer, type: temporal}\n- {target: buffer, type: temporal}",
         "2:3: error: a second temporal directive of buffer"},
        {"- {target: buffer, type: temporal, factors: M6 N10 K14}",
         "dimension K: the factors of all levels multiply to 14, its bound is 15"},
        {"- {target: buffer, type: temporal, factors: M0 N0 K0}\n"
         "- {target: memory, type: bypass, bypass: [W1]}\n"
         "- {target: buffer, type: bypass, bypass: [W1]}",
         "no level keeps tensor W1"},
    };
    for (size_t i = 0; i < COUNT(wrong); i++) {
        sc_mapping m = {.n_levels = 77};
        if (read_mapping(&m, wrong[i][0], NULL) != SC_EPARSE)
            fail_msg("%s is taken", wrong[i][0]);
        assert_says("t.yaml:");
        assert_says(wrong[i][1]);
        assert_int_equal(m.n_levels, 77);
    }
}

static const char whole[] =
    "architecture:\n"
    "  subtree:\n"
    "  - name: chip\n"
    "    local:\n"
    "    - {name: memory, class: DRAM, attributes: {width: 8, word_bits: 8}}\n"
    "    - {name: buffer, class: SRAM, attributes: {depth: 31, width: 8, word_bits: 8, "
    "n_banks: 2}}\n"
    "    - {name: 'mac[0..11]', class: intmac, attributes: {datawidth: 8, meshX: 4}}\n"
    "problem:\n"
    "  shape:\n"
    "    name: product\n"
    "    dimensions: [M, N, K]\n"
    "    data_spaces:\n"
    "    - {name: A, projection: [[[M]], [[K]]]}\n"
    "    - {name: B, projection: [[[K]], [[N]]]}\n"
    "    - {name: Z, projection: [[[M]], [[N]]], read_write: true}\n"
    "  instance: {M: 6, N: TEN, K: 15}\n"
    "macro: {TEN: 10}\n"
    "mapping:\n"
    "- {target: memory, type: temporal, factors: M3 N2 K5, permutation: KMN}\n"
    "- {target: buffer, type: spatial, factors: M2 K3, permutation: MKN, split: 1}\n"
    "- {target: buffer, type: temporal, factors: N5, permutation: NMK}\n";

static const char file_name[] = "count_reader_test.yaml";

static void write_whole(const char *from, const char *to)
{
    char text[2 * sizeof whole + 512];
    const char *at = from ? strstr(whole, from) : whole;
    assert_non_null(at);
    (void)snprintf(text, sizeof text, "%.*s%s%s", (int)(at - whole), whole, to,
                   at + (from ? strlen(from) : 0));
    assert_int_equal(sc_file_write(file_name, text, strlen(text)), SC_OK);
}

static int n_warnings;

static void count_warning(sc_log_level level, const char *line, void *payload)
{
    n_warnings += level == SC_LOG_WARNING && strstr(line, "n_banks") != NULL;
}

static void one_file(void **state)
{
    char *json = NULL;
    int feasible = -1;
    write_whole(NULL, "");
    sc_log_set(count_warning, NULL);
    n_warnings = 0;
    if (sc_reference_map(&json, &feasible, file_name, file_name, file_name, NULL) != SC_OK)
        fail_msg("%s", sc_error_message());
    sc_log_set(NULL, NULL);
    assert_int_equal(n_warnings, 1);
    assert_int_equal(feasible, 1);
    /* memory: A tiles 2 x 3, all K for every M, again for every N: 3 * 5 * 6 * 2 words */
    assert_non_null(strstr(json, "\"feasible\": true"));
    assert_non_null(strstr(json, "\"reads\": 180"));
    assert_non_null(strstr(json, "\"compute_cycles\": 150"));
    assert_non_null(strstr(json, "\"total_capacity\": 31"));
    sc_release(json);
}

static void not_fitting(void **state)
{
    char *json = NULL;
    int feasible = -1;
    write_whole("depth: 31", "depth: 20");
    assert_int_equal(sc_reference_map(&json, &feasible, file_name, file_name, file_name, NULL),
                     SC_OK);
    assert_int_equal(feasible, 0);
    static const char *const parts[] = {
        "\"feasible\": false", "\"code\": \"capacity\"", "\"where\": \"buffer\"", "\"need\": 31",
        "\"have\": 20",        "\"excess\": 11",         "\"cycles\": null"};
    for (size_t i = 0; i < COUNT(parts); i++)
        assert_non_null(strstr(json, parts[i]));
    sc_release(json);
}

static void bad_files(void **state)
{
    sc_reference_options o = SC_REFERENCE_OPTIONS_INIT;
    char *json = NULL;
    int feasible = 5;
    /* errors of several sections in one run */
    write_whole("depth: 31", "dpth: 31");
    assert_int_equal(sc_reference_map(&json, &feasible, file_name, file_name, file_name, &o),
                     SC_EPARSE);
    assert_says("count_reader_test.yaml:6:");
    write_whole("M: 6, N: TEN", "N: TEN");
    assert_int_equal(sc_reference_map(&json, &feasible, file_name, file_name, file_name, &o),
                     SC_EPARSE);
    assert_says("no size of dimension 'M'");
    write_whole("mapping:", "maping:");
    assert_int_equal(sc_reference_map(&json, &feasible, file_name, file_name, file_name, &o),
                     SC_EPARSE);
    assert_says("count_reader_test.yaml:1:1: error: no 'mapping' section");
    assert_int_equal(sc_reference_map(&json, &feasible, file_name, "none.yaml", "gone.yaml", &o),
                     SC_ENOTFOUND);
    assert_says("none.yaml");
    assert_says("gone.yaml");
    assert_int_equal(sc_reference_map(&json, &feasible, file_name, file_name, NULL, &o), SC_EINVAL);
    o.links = "some";
    assert_int_equal(sc_reference_map(&json, &feasible, file_name, file_name, file_name, &o),
                     SC_EINVAL);
    assert_says("links 'some'");
    assert_null(json);
    assert_int_equal(feasible, 5);
}

static sc_status run_map(void *payload)
{
    char *json = NULL;
    const sc_status st = sc_reference_map(&json, NULL, payload, payload, payload, NULL);
    sc_release(json);
    return st;
}

static void out_of_memory(void **state)
{
    char name[sizeof file_name];
    memcpy(name, file_name, sizeof name);
    write_whole(NULL, "");
    assert_true(fail_each_allocation(run_map, name) > 3);
}

static int remove_file(void **state)
{
    (void)unlink(file_name);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(architecture),       cmocka_unit_test(sizes),
        cmocka_unit_test(bad_attributes),     cmocka_unit_test(bad_trees),
        cmocka_unit_test(energy_tables),      cmocka_unit_test(mapping_forms),
        cmocka_unit_test(mapping_remainders), cmocka_unit_test(bad_mappings),
        cmocka_unit_test(one_file),           cmocka_unit_test(not_fitting),
        cmocka_unit_test(bad_files),          cmocka_unit_test(out_of_memory),
    };
    return cmocka_run_group_tests(tests, NULL, remove_file);
}
