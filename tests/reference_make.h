#ifndef TESTS_REFERENCE_MAKE_H
#define TESTS_REFERENCE_MAKE_H
/** One small case in the reference tool's YAML, its counts by hand, and its import. Included after
 *  cmocka.h, where `file_name` is the file that the test may write. */
#include "core/file.h"
#include "count_data.h"
#include "scantle/reference.h"

/* M4 N6 K5; three PEs share the columns. DRAM steps M inside N, a PE's buffer runs K. */
static const char problem[] = "problem:\n"
                              "  shape:\n"
                              "    name: product\n"
                              "    dimensions: [M, N, K]\n"
                              "    data-spaces:\n"
                              "    - {name: A, projection: [[[M]], [[K]]]}\n"
                              "    - {name: B, projection: [[[K]], [[N]]]}\n"
                              "    - {name: Z, projection: [[[M]], [[N]]], read-write: true}\n"
                              "  instance: {M: 4, N: 6, K: 5}\n";

static const char mapping[] =
    "mapping:\n"
    "- {target: DRAM, type: temporal, factors: M=0 N=2, permutation: M N K}\n"
    "- {target: %s, type: spatial, factors: N=3}\n"
    "- {target: buffer, type: temporal, factors: 'K=5', permutation: KMN}\n";

static const char version_03[] =
    "architecture:\n"
    "  version: 0.3\n"
    "  subtree:\n"
    "  - name: system\n"
    "    local:\n"
    "    - {name: DRAM, class: DRAM, attributes: {width: 8, datawidth: 8}}\n"
    "    subtree:\n"
    "    - name: PE[0..2]\n"
    "      local:\n"
    "      - {name: buffer, class: storage, subclass: smartbuffer_RF, attributes: {memory_depth: "
    "11, "
    "memory_width: 8, datawidth: 8}}\n"
    "      - {name: mac, class: compute, subclass: lmac}\n";

static inline void write_text(const char *name, const char *text)
{
    assert_int_equal(sc_file_write(name, text, strlen(text)), SC_OK);
}

static inline void write_case(const char *architecture, const char *spatial)
{
    char text[4096];
    int n = snprintf(text, sizeof text, "%s%s", architecture, problem);
    (void)snprintf(text + n, sizeof text - (size_t)n, mapping, spatial);
    write_text(file_name, text);
}

/* One count of a tensor at a level of a report. */
static inline double at_level(const json_t *counts, const char *level, const char *tensor,
                              const char *what)
{
    const json_t *l = named(json_object_get(counts, "levels"), level);
    assert_non_null(l);
    const json_t *t = named(json_object_get(l, "tensors"), tensor);
    assert_non_null(t);
    return number(t, what);
}

static inline json_t *parse_json(char *text)
{
    json_t *value = json_loads(text, 0, NULL);
    assert_non_null(value);
    sc_release(text);
    return value;
}

/* By hand. Each of 8 steps of DRAM takes another row of A, for all PEs at once: 8 * 5 reads. A PE
 * keeps its column of B while M runs: 2 * 3 columns of 5. Every sum leaves a PE once: 24 updates.
 * A PE takes 8 rows of A and 2 columns of B, and updates its sums 40 times. */
static inline void check_counts(const json_t *counts)
{
    assert_true(number(counts, "cycles") == 40);
    assert_true(number(counts, "macs") == 120);
    assert_true(at_level(counts, "DRAM", "A", "reads") == 40);
    assert_true(at_level(counts, "DRAM", "B", "reads") == 30);
    assert_true(at_level(counts, "DRAM", "Z", "updates") == 24);
    assert_true(at_level(counts, "buffer", "A", "fills") == 40);
    assert_true(at_level(counts, "buffer", "B", "fills") == 10);
    assert_true(at_level(counts, "buffer", "A", "reads") == 40);
    assert_true(at_level(counts, "buffer", "Z", "updates") == 40);
    assert_true(at_level(counts, "buffer", "Z", "instances") == 3);
}

static inline sc_reference_export import(const char *path)
{
    sc_reference_export e;
    if (sc_reference_import(&e, &path, 1) != SC_OK)
        fail_msg("%s: %s", path, sc_error_message());
    return e;
}
#endif
