/* The reference tool's problem files. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "workloads/reference_problem.h"
#include "workloads_support.h"

/* Read the text's `problem` with its `macro`, if there is one. */
static sc_status read_text(sc_einsum *out, const char *text)
{
    sc_yaml *doc = NULL;
    sc_status st = sc_yaml_parse(&doc, "p.yaml", text, strlen(text));
    if (st == SC_OK)
        st = sc_reference_problem_read(out, doc, sc_node_get(sc_yaml_root(doc), "problem"),
                                       sc_node_get(sc_yaml_root(doc), "macro"), 8);
    sc_yaml_close(doc);
    return st;
}

static sc_einsum read_good(const char *text)
{
    sc_einsum e;
    if (read_text(&e, text) != SC_OK)
        fail_msg("%s", sc_error_message());
    return e;
}

static uint64_t words(const sc_einsum *e, unsigned tensor)
{
    uint64_t v = 0;
    assert_int_equal(sc_einsum_volume(&v, e, tensor, e->bound), SC_OK);
    return v;
}

/* A dilated, strided convolution over primes. */
static const char conv[] =
    "problem:\n"
    "  shape:\n"
    "    name: CONV\n"
    "    dimensions: [R, P, C, K]\n"
    "    coefficients:\n"
    "    - {name: Wstride, default: 2}\n"
    "    - {name: Wdilation, default: 1}\n"
    "    - {name: unused}\n"
    "    data_spaces:\n"
    "    - name: Weights\n"
    "      projection: [[[C]], [[K]], [[R]]]\n"
    "    - name: Inputs\n"
    "      projection:\n"
    "      - - - C\n"
    "      - - - R\n"
    "          - Wdilation\n"
    "        - - P\n"
    "          - Wstride\n"
    "    - name: Outputs\n"
    "      projection: [[[K]], [[P]]]\n"
    "      read_write: true\n"
    "  instance: {R: 3, P: 7, C: 5, K: 11, Wdilation: 4, densities: {I: 0.5}}\n";

static void test_conv(void **state)
{
    const sc_einsum e = read_good(conv);
    uint64_t macs;
    assert_string_equal(e.name, "CONV");
    assert_int_equal(e.n_dims, 4);
    assert_string_equal(e.dim_name[3], "K");
    assert_int_equal(sc_einsum_macs(&macs, &e), SC_OK);
    assert_int_equal(macs, 3 * 7 * 5 * 11);
    assert_int_equal(e.output, 2);
    assert_int_equal(e.tensor[0].role, SC_ROLE_WEIGHT);
    assert_int_equal(e.tensor[1].role, SC_ROLE_INPUT);
    assert_int_equal(e.tensor[2].role, SC_ROLE_OUTPUT);
    assert_int_equal(e.tensor[1].bits, 8);
    assert_int_equal(words(&e, 0), 5 * 11 * 3);
    assert_int_equal(words(&e, 1), 5 * (2 * 4 + 6 * 2 + 1)); /* default stride 2, dilation 4 */
    assert_int_equal(words(&e, 2), 11 * 7);
    assert_int_equal(e.tensor[1].rank[1].coef[0], 4);
    assert_int_equal(e.tensor[1].rank[1].coef[1], 2);
}

/* Flat ranks, keys with dashes, sizes from a macro, the output first: as people write them. */
static void test_other_spellings(void **state)
{
    const sc_einsum e = read_good("problem:\n"
                                  "  shape:\n"
                                  "    dimensions: [M, N, K]\n"
                                  "    data-spaces:\n"
                                  "    - {name: C, projection: [M, [N]], read-write: True}\n"
                                  "    - {name: A, projection: [[[M]], [K]]}\n"
                                  "    - {name: X, projection: [[K, 2], [K, N]]}\n"
                                  "  instance: {M: M, N: 7, K: K}\n"
                                  "macro: {M: 5, K: 3}\n");
    assert_int_equal(e.output, 0);
    assert_int_equal(e.bound[0], 5);
    assert_int_equal(e.bound[2], 3);
    assert_int_equal(words(&e, 0), 35);
    assert_int_equal(words(&e, 1), 15);
    assert_int_equal(words(&e, 2), (2 * 2 + 1) * (2 + 6 + 1));
    assert_int_equal(e.tensor[1].role, SC_ROLE_INPUT);
    assert_int_equal(e.tensor[2].role, SC_ROLE_WEIGHT); /* the second read-only one */
}

static void test_roles(void **state)
{
    static const struct {
        const char *first, *second;
        sc_role role; /* of the first */
    } cases[] = {
        {"A", "B", SC_ROLE_INPUT},        {"B", "A", SC_ROLE_WEIGHT},
        {"FILTERS", "y", SC_ROLE_WEIGHT}, {"x", "my_Weight_s", SC_ROLE_INPUT},
        {"x", "y", SC_ROLE_INPUT},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        char text[256];
        (void)snprintf(text, sizeof text,
                       "{problem: {shape: {dimensions: [K], data_spaces: [{name: %s, projection: "
                       "[K]}, {name: %s, projection: [K]}, {name: Z, projection: [], read_write: "
                       "true}]}, instance: {K: 2}}}",
                       cases[i].first, cases[i].second);
        const sc_einsum e = read_good(text);
        assert_int_equal(e.tensor[0].role, cases[i].role);
        assert_int_equal(e.tensor[1].role,
                         cases[i].role == SC_ROLE_INPUT ? SC_ROLE_WEIGHT : SC_ROLE_INPUT);
        assert_int_equal(e.tensor[2].n_ranks, 0); /* a scalar */
    }
}

static void test_named_layer(void **state)
{
    static const char *const texts[] = {
        "problem: {C: 2, K: 3, R: 3, S: 1, P: 5, Q: 7, N: 1, Wstride: 2, Hstride: 1}",
        "problem: {shape: cnn-layer, instance: {C: 2, K: 3, R: 3, S: 1, P: 5, Q: 7, N: 1, Wstride: "
        "2}}",
    };
    for (size_t i = 0; i < COUNT(texts); i++) {
        const sc_einsum e = read_good(texts[i]);
        assert_int_equal(e.n_dims, 7);
        assert_int_equal(words(&e, 0), 2 * 3 * 3);
        assert_int_equal(words(&e, 1), 2 * (2 + 4 * 2 + 1) * 7);
        assert_int_equal(words(&e, 2), 3 * 5 * 7);
    }
}

static void test_warnings(void **state)
{
    sc_yaml *doc = NULL;
    sc_einsum e;
    assert_int_equal(sc_yaml_parse(&doc, "p.yaml", conv, sizeof conv - 1), SC_OK);
    assert_int_equal(
        sc_reference_problem_read(&e, doc, sc_node_get(sc_yaml_root(doc), "problem"), NULL, 8),
        SC_OK);
    assert_non_null(strstr(sc_yaml_warnings(doc), "p.yaml:22:53"));
    assert_non_null(
        strstr(sc_yaml_warnings(doc), "'densities' has no effect here: tensors are dense"));
    sc_yaml_close(doc);
}

/* A dilation of 0, as published sets have it, is taken as it stands: S does not move the input. */
static void test_zero_coefficient(void **state)
{
    static const char text[] =
        "problem: {shape: cnn-layer, C: 2, K: 3, R: 3, S: 5, P: 4, Q: 7, N: 1,"
        " Wdilation: 2, Hdilation: 0, Hstride: 3}\n";
    sc_yaml *doc = NULL;
    sc_einsum e;
    assert_int_equal(sc_yaml_parse(&doc, "p.yaml", text, sizeof text - 1), SC_OK);
    if (sc_reference_problem_read(&e, doc, sc_node_get(sc_yaml_root(doc), "problem"), NULL, 8) !=
        SC_OK)
        fail_msg("%s", sc_error_message());
    assert_int_equal(words(&e, 1), 2 * (2 * 2 + 3 + 1) * (3 * 6 + 1));
    assert_int_equal(sc_einsum_relevant(&e, 1, 1), 0);
    assert_int_equal(words(&e, 0), 2 * 3 * 3 * 5);
    sc_yaml_close(doc);
}

/* Sizes as people write them: names and expressions over them; shapes by the name of their file;
 * one op in place of a shape. */
static void test_forms(void **state)
{
    static const char *const texts[] = {
        "macro: {rows: 4, depth: rows * 2 + 1}\n"
        "problem: {shape: gemm-ABZ, M: 'rows', N: rows // 2 * 3, K: depth, commonDensity: 1}\n",
        "problem: {shape: gemm_ABZ.yaml, instance: {M: 4, N: 3 * 2, K: 3^2}}\n",
        "problem:\n"
        "  io: {ins: A, outs: Z}\n"
        "  dimensions: [M, N, K]\n"
        "  instance: {M: 4, N: 6, K: 9}\n"
        "  ops:\n"
        "  - name: product\n"
        "    dimensions: [M, N, K]\n"
        "    data-spaces:\n"
        "    - {name: A, projection: [[[M]], [[K]]]}\n"
        "    - {name: B, projection: [[[N]], [[K]]]}\n"
        "    - {name: Z, projection: [[[M]], [[N]]], read-write: true}\n"
        "    ins: A, B\n"
        "    out: Z\n"};
    for (size_t i = 0; i < COUNT(texts); i++) {
        sc_yaml *doc = NULL;
        sc_einsum e;
        assert_int_equal(sc_yaml_parse(&doc, "p.yaml", texts[i], strlen(texts[i])), SC_OK);
        const sc_node *root = sc_yaml_root(doc);
        if (sc_reference_problem_read(&e, doc, sc_node_get(root, "problem"),
                                      sc_node_get(root, "macro"), 8) != SC_OK)
            fail_msg("%s", sc_error_message());
        assert_int_equal(words(&e, 0), 4 * 9);
        assert_int_equal(words(&e, 1), 6 * 9);
        assert_int_equal(words(&e, 2), 4 * 6);
        sc_yaml_close(doc);
    }
}

/* A small problem with one thing replaced. */
#define SHAPE(dimensions, coefficients, spaces)                                                    \
    "problem: {shape: {dimensions: " dimensions ", coefficients: " coefficients                    \
    ", data_spaces: " spaces "}, instance: {K: 2, N: 3}}"
#define SPACES(a) "[{name: A, projection: " a "}, {name: Z, projection: [[[N]]], read_write: true}]"

static const struct {
    const char *text, *says;
} rejected[] = {
    {"problem: 3", "must be a map"},
    {"problem: {shape: {dimensions: [K]}}", "needs an instance"},
    {"problem: {shape: gemm, instance: {K: 2}}", "'gemm' is not built in"},
    {"problem: {ops: [{name: a}, {name: b}], instance: {K: 2}}",
     "p.yaml:1:16: error: a problem of several ops is not modelled"},
    {"problem: [{shape: {name: a}, instance: 0 <= P < 3}]",
     "p.yaml:1:10: error: a problem of several ops is not modelled"},
    {"problem: {shape: gemm-ABZ, M: 3 / 2, N: 1, K: 1}",
     "p.yaml:1:31: error: the expression is 1.5, must be a whole number"},
    {"problem: {shape: gemm-ABZ, M: 2 * rows, N: 1, K: 1}",
     "p.yaml:1:35: error: '2 * rows' has no value: unknown name 'rows'"},
    {"problem: {shape: {name: x, dimensions: [K], flatten: [{name: F, dimensions: [K]}]}, "
     "instance: {K: 2}}",
     "flattened dimensions are not modelled"},
    {"problem: {shape: [K], instance: {K: 2}}", "a shape must be a map"},
    {"problem: {shape: {}, instance: {K: 2}}", "'dimensions'"},
    {SHAPE("[K, K]", "[]", SPACES("[K]")), "p.yaml:1:35: error: dimension 'K' stands twice"},
    {SHAPE("[[K]]", "[]", SPACES("[K]")), "a dimension must be a name"},
    {SHAPE("[A, B, C, D, E, F, G, H, I, J, K, L, M]", "[]", SPACES("[K]")), "13 dimensions"},
    {SHAPE("[K, abcdefghijklmnopqrstuvwxyzabcdefghijklmnopqrstuvwxyz]", "[]", SPACES("[K]")),
     "at most 47 bytes"},
    {SHAPE("[K, N]", "3", SPACES("[K]")), "coefficients must be a list"},
    {SHAPE("[K, N]", "[{default: 1}]", SPACES("[K]")), "a coefficient needs a name"},
    {SHAPE("[K, N]", "[{name: K}]", SPACES("[K]")), "'K' is taken"},
    {SHAPE("[K, N]", "[{name: s, default: -1}]", SPACES("[K]")), "-1, must be at least 0"},
    {SHAPE("[K, N]", "[]", "3"), "needs data_spaces"},
    {SHAPE("[K, N]", "[]", "[]"), "0 data spaces are read_write"},
    {SHAPE("[K, N]", "[]", "[{name: Z, projection: [K]}]"), "0 data spaces are read_write"},
    {SHAPE("[K, N]", "[]", "[{projection: [K]}]"), "a data space needs a name"},
    {SHAPE("[K, N]", "[]", "[{name: A}]"), "'projection'"},
    {SHAPE("[K, N]", "[]",
           "[{name: A, projection: [K]}, {name: A, projection: [K], read_write: true}]"),
     "'A' stands twice"},
    {SHAPE("[K, N]", "[]", SPACES("[[[Q]]]")), "'Q' is no dimension or coefficient"},
    {SHAPE("[Kernel, N]", "[]", SPACES("[[[Kernle]]]")), "no size of dimension 'Kernel'"},
    {SHAPE("[K, N]", "[{name: stride}]", SPACES("[[[K, strdie]]]")), "(did you mean 'stride'?)"},
    {SHAPE("[K, N]", "[]", SPACES("[[[K, N]]]")), "not 'K' and 'N'"},
    {SHAPE("[K, N]", "[]", SPACES("[[[2]]]")), "a term needs a dimension"},
    {SHAPE("[K, N]", "[]", SPACES("[[[]]]")), "a term needs a dimension"},
    {SHAPE("[K, N]", "[]", SPACES("[[]]")), "a rank is a list"},
    {SHAPE("[K, N]", "[]", SPACES("[{a: b}]")), "a rank is a list"},
    {SHAPE("[K, N]", "[]", SPACES("[[[[K]]]]")), "a term is a list of names"},
    {SHAPE("[K, N]", "[]", SPACES("[[[K, 9223372036854775807, 2]]]")), "passes 2^63 - 1"},
    {SHAPE("[K, N]", "[]", SPACES("[[[K], [K], [K], [K], [K]]]")), "at most 4 terms"},
    {SHAPE("[K, N]", "[]", SPACES("[K, K, K, K, K, K, K, K, K]")), "9 ranks"},
    {SHAPE("[K, N, M]", "[]", SPACES("[K]")), "no size of dimension 'M': the shape has K N M"},
    {"problem: {C: 0, K: 1, R: 1, S: 1, P: 1, Q: 1, N: 1}", "p.yaml:1:14: error: 0, must be"},
    {"problem: {C: x, K: 1, R: 1, S: 1, P: 1, Q: 1, N: 1}", "'x' is no number and no macro"},
    {"problem: {shape: cnn-layer, instance: [1]}", "must be a map of dimensions"},
};

static void test_rejections(void **state)
{
    for (size_t i = 0; i < COUNT(rejected); i++) {
        sc_einsum e = {.n_dims = 99};
        if (read_text(&e, rejected[i].text) != SC_EPARSE)
            fail_msg("case %zu is taken: %s", i, rejected[i].text);
        assert_int_equal(e.n_dims, 99);
        assert_says(rejected[i].says);
        assert_says("p.yaml:");
    }
}

static sc_status read_once(void *text)
{
    sc_einsum e;
    return read_text(&e, text);
}

static void test_out_of_memory(void **state)
{
    char own[sizeof conv];
    char named[] = "problem: {C: 2, K: 3, R: 3, S: 1, P: 5, Q: 7, N: 1}";
    memcpy(own, conv, sizeof own);
    assert_true(fail_each_allocation(read_once, own) > 3);
    assert_true(fail_each_allocation(read_once, named) > 3);
}

/* Every problem file of the reference data is read, and has the MACs its sizes multiply to. */
static void test_reference_files(void **state)
{
    static const struct {
        const char *file;
        uint64_t macs;
    } files[] = {
        {"timeloop/c01_conv3x3_ws/problem.yaml", UINT64_C(3) * 3 * 28 * 28 * 16 * 32},
        {"timeloop/c05_conv_stride2_halo/problem.yaml", UINT64_C(9) * 32 * 32 * 8 * 16},
        {"timeloop/g01_gemm_os/problem.yaml", UINT64_C(512) * 1024 * 1024},
        {"timeloop/g08_bmm/problem.yaml", UINT64_C(12) * 128 * 64 * 128},
        {"timeloop/published/eyeriss_like/parsed-processed-input.yaml",
         UINT64_C(3) * 32 * 3 * 3 * 112 * 112},
        {"timeloop/published/tut_timeloop_01-model-conv1d-2level_os/parsed-processed-input.yaml",
         48},
        {"wild/timeloop/set01_resnet18_base/problem.yaml", UINT64_C(3) * 64 * 49 * 112 * 112},
        {"wild/timeloop/set12_pim_v03/problem.yaml", UINT64_C(200) * 20 * 9 * 9 * 16},
        {"wild/timeloop/set16_dosa_gemmini_bert/problem.yaml", UINT64_C(64) * 128 * 128},
    };
    for (size_t i = 0; i < COUNT(files); i++) {
        char path[512];
        sc_yaml *doc = NULL;
        sc_einsum e;
        uint64_t macs;
        assert_int_equal(sc_yaml_open(&doc, reference_data(path, sizeof path, files[i].file)),
                         SC_OK);
        if (sc_reference_problem_read(&e, doc, sc_node_get(sc_yaml_root(doc), "problem"), NULL,
                                      8) != SC_OK)
            fail_msg("%s", sc_error_message());
        assert_int_equal(sc_einsum_macs(&macs, &e), SC_OK);
        assert_true(macs == files[i].macs);
        sc_yaml_close(doc);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_conv),
        cmocka_unit_test(test_other_spellings),
        cmocka_unit_test(test_roles),
        cmocka_unit_test(test_named_layer),
        cmocka_unit_test(test_warnings),
        cmocka_unit_test(test_forms),
        cmocka_unit_test(test_zero_coefficient),
        cmocka_unit_test(test_rejections),
        cmocka_unit_test(test_out_of_memory),
        cmocka_unit_test(test_reference_files),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
