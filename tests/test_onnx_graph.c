/* ONNX import: functions, branches, order, options, what is refused and what is assumed. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "core/file.h"
#include "onnx_write.h"
#include "workloads/yaml_form.h"
#include "workloads_support.h"

static om small_graph(void)
{
    om m = om_graph();
    om_input(&m, "x", F32, L(2, 3));
    om_weight(&m, "w", F32, L(3, 5));
    return m;
}

static void test_nodes_in_any_order(void **state)
{
    om m = small_graph();
    om_node(&m, "Exp", "b", "c");
    om_node(&m, "MatMul", "a w", "b");
    om_node(&m, "Neg", "x", "a");
    sc_workload *w = om_take(&m);
    assert_int_equal(w->n_ops, 3);
    assert_string_equal(w->ops[0].name, "a");
    assert_string_equal(w->ops[1].name, "b");
    assert_string_equal(w->ops[2].name, "c");
    assert_int_equal(w->macs, 2 * 3 * 5);
    sc_workload_destroy(w);
}

/* double(x) = f(f(x)) where f multiplies and takes its axis from the call. */
static void test_functions(void **state)
{
    om m = om_graph(), f = om_function("own", "Half", "a", "b"), g;
    om_node(&f, "Concat", "a a", "wide");
    om_attr_from(&f, "axis", "along");
    om_node(&f, "MatMul", "a wide", "b");
    g = om_function("own", "Both", "p", "q r");
    om_node(&g, "Half", "p", "q");
    om_in_domain(&g, "own");
    om_attr_from(&g, "along", "side");
    om_node(&g, "Exp", "q", "r");
    om_input(&m, "x", F32, L(4, 4));
    om_add_function(&m, &g);
    om_add_function(&m, &f);
    om_node(&m, "Both", "x", "y z");
    om_in_domain(&m, "own");
    om_attr_int(&m, "side", 1);
    sc_workload *w = om_take(&m);
    assert_int_equal(w->n_ops, 3); /* concat, product, exp */
    assert_int_equal(w->macs, 4 * 4 * 8);
    assert_int_equal(w->ops[2].out_elems, 32);
    sc_workload_destroy(w);
}

static void test_function_that_hands_through(void **state)
{
    om m = small_graph(), f = om_function("own", "Same", "a", "a");
    om_node(&f, "Neg", "a", "unused");
    om_add_function(&m, &f);
    om_node(&m, "Same", "x", "y");
    om_in_domain(&m, "own");
    om_node(&m, "MatMul", "y w", "z");
    sc_workload *w = om_take(&m);
    assert_int_equal(w->macs, 30);
    sc_workload_destroy(w);
}

static om branch(const char *op, const char *input, const char *output)
{
    om g = om_graph();
    om_node(&g, op, input, output);
    om_output(&g, output);
    return g;
}

static om conditional(bool constant)
{
    om m = small_graph(), yes = branch("Exp", "later", "t"), no = branch("Tanh", "x", "e");
    if (constant)
        om_int(&m, "cond", 0);
    else
        om_input(&m, "cond", B8, NO_DIMS);
    om_node(&m, "If", "cond", "y");
    om_attr_graph(&m, "then_branch", &yes);
    om_attr_graph(&m, "else_branch", &no);
    om_node(&m, "Neg", "x", "later"); /* read by a branch that stands before it */
    om_node(&m, "MatMul", "y w", "z");
    return m;
}

static void test_branches(void **state)
{
    om m = conditional(true);
    sc_workload *w = om_take(&m);
    assert_int_equal(w->n_ops, 3);
    bool tanh = false;
    for (size_t i = 0; i < w->n_ops; i++)
        tanh = tanh || strcmp(sc_op_word(&w->ops[i]), "tanh") == 0;
    assert_true(tanh); /* the branch for 0 */
    assert_int_equal(w->macs, 30);
    sc_workload_destroy(w);
    m = conditional(false);
    om_refused(&m, "node 'y' (If): control flow: its condition is not constant");
}

/* A branch may name a value from around it as its result. */
static void test_branch_of_an_outer_value(void **state)
{
    om m = small_graph(), yes = om_graph(), no = om_graph();
    om_output(&yes, "x");
    om_output(&no, "w");
    om_int(&m, "cond", 1);
    om_node(&m, "If", "cond", "y");
    om_attr_graph(&m, "then_branch", &yes);
    om_attr_graph(&m, "else_branch", &no);
    om_node(&m, "MatMul", "y w", "z");
    sc_workload *w = om_take(&m);
    assert_int_equal(w->macs, 30);
    sc_workload_destroy(w);
}

static void test_refused_graphs(void **state)
{
    om m = small_graph();
    om_node(&m, "Add", "x b", "a");
    om_named(&m, "first");
    om_node(&m, "Add", "x a", "b");
    om_named(&m, "second");
    om_refused(&m, "a cycle of 2 nodes: node 'first' (Add) reads, by way of node 'second' (Add), "
                   "itself");

    m = small_graph();
    om_node(&m, "Exp", "nowhere", "a");
    om_refused(&m, "node 'a' (Exp): reads 'nowhere', which nothing gives");

    m = small_graph();
    om_node(&m, "Exp", "x", "a");
    om_node(&m, "Neg", "x", "a");
    om_refused(&m, "gives 'a', which was given before");

    m = small_graph();
    om_node(&m, "Loop", "x", "a");
    om_refused(&m, "node 'a' (Loop): control flow is not imported");

    m = small_graph();
    om_node(&m, "MultiHeadAttention", "x x x", "a");
    om_in_domain(&m, "com.microsoft");
    om_refused(&m, "an op of com.microsoft whose multiplications are not known here");

    m = small_graph();
    om_node(&m, "MatMul", "x x", "a");
    om_refused(&m, "node 'a' (MatMul): sums over 3 columns and 2 rows");

    m = small_graph();
    om_weight(&m, "v", F32, L(3, -5));
    om_refused(&m, "initializer 'v' has a negative dimension");

    m = om_graph();
    om_input(&m, "x", F32, L(2, -3));
    om_refused(&m, "input 'x' has a negative dimension");

    m = small_graph();
    om_node(&m, "Mystery", "x", "a"); /* nobody says how large */
    om_node(&m, "MatMul", "a w", "b");
    om_refused(&m, "node 'b' (MatMul): the shapes it multiplies are missing");

    m = small_graph();
    om_weight(&m, "huge", F32, L(INT64_C(1) << 40, INT64_C(1) << 40));
    om_refused(&m, "more than 2^63 - 1 elements");
}

static void test_every_error_at_once(void **state)
{
    om m = small_graph();
    om_node(&m, "MatMul", "x x", "a");
    om_node(&m, "MatMul", "a w", "quiet"); /* reads a broken one */
    om_node(&m, "Loop", "x", "b");
    om_refused(&m, "node 'a'");
    assert_says("node 'b'");
    assert_null(strstr(sc_error_message(), "quiet"));
}

static void test_functions_that_call_themselves(void **state)
{
    om m = small_graph(), f = om_function("own", "Again", "a", "b");
    om_node(&f, "Again", "a", "b");
    om_in_domain(&f, "own");
    om_add_function(&m, &f);
    om_node(&m, "Again", "x", "y");
    om_in_domain(&m, "own");
    om_refused(&m, "functions and branches stand more than 32 deep in each other");
}

/* f31(x) = f30(f30(x)), ...: two to the thirtieth nodes. */
static void test_functions_that_multiply(void **state)
{
    om m = small_graph();
    char name[16], inner[16];
    for (int i = 0; i < 31; i++) {
        (void)snprintf(name, sizeof name, "F%d", i);
        (void)snprintf(inner, sizeof inner, "F%d", i - 1);
        om f = om_function("own", name, "a", "c");
        for (int k = 0; k < 2; k++) {
            om_node(&f, i ? inner : "Neg", k ? "b" : "a", k ? "c" : "b");
            if (i)
                om_in_domain(&f, "own");
        }
        om_add_function(&m, &f);
    }
    om_node(&m, "F30", "x", "y");
    om_in_domain(&m, "own");
    const double start = cpu_now();
    om_refused(&m, "more than 131072 nodes, or too many names, functions expanded");
    assert_within(start, 1.0);
}

static char *report_of(om *m, const char *options, sc_workload **w)
{
    char *report = NULL;
    if (om_import(w, &report, m, options) != SC_OK)
        fail_msg("%s", sc_error_message());
    return report;
}

static void assert_reports(const char *report, const char *text)
{
    if (!strstr(report, text))
        fail_msg("the report lacks: %s\n%s", text, report);
}

static om open_graph(void)
{
    om m = om_graph();
    om_input_named(&m, "x", F32, "n sequence_length", L(0, 0, 3));
    om_weight(&m, "w", F32, L(3, 5));
    om_node(&m, "MatMul", "x w", "y");
    return m;
}

static void test_open_dimensions(void **state)
{
    static const struct {
        const char *options;
        uint64_t batch, macs;
    } cases[] = {{"", 1, 15},
                 {"batch=7", 7, 7 * 15},
                 {"batch=7,seq=11", 7, 77 * 15},
                 {"n=5,sequence_length=2", 5, 10 * 15},
                 {"x[0]=5,x[1]=2", 5, 10 * 15},
                 {"n=5,batch=2", 2, 2 * 15}}; /* scaled: no dimension takes it */
    for (size_t i = 0; i < COUNT(cases); i++) {
        om m = open_graph();
        sc_workload *w = NULL;
        char *report = report_of(&m, cases[i].options, &w);
        assert_int_equal(w->macs, cases[i].macs);
        assert_int_equal(w->batch, cases[i].batch);
        if (i == 0) {
            assert_reports(report, "dimension 'n' (0 of 'x') is open: taken as 1");
            assert_reports(report, "dimension 'sequence_length' (1 of 'x') is open: taken as 1");
        }
        sc_release(report);
        sc_workload_destroy(w);
    }
}

static void test_bad_options(void **state)
{
    static const struct {
        const char *options, *says;
    } cases[] = {{"sequence_lenght=3", "no dimension 'sequence_lenght' in the file (did you mean "
                                       "'sequence_length'?)"},
                 {"x[2]=7", "no dimension 'x[2]' in the file"}, /* it is no open one */
                 {"batch=0", "option 'batch' must be a whole number from 1 to"},
                 {"batch", "option 'batch' must be NAME=VALUE"},
                 {"seq=x", "option 'seq' must be a whole number"},
                 {"seq=3,sequence_length=2", "no open dimension is called a sequence"},
                 {"bits=7", "option 'bits' must be 8, 16 or 32"},
                 {"batch=2,batch=3", "option 'batch' is given twice"},
                 {"seq=2,seq=2", "option 'seq' is given twice"},
                 {"bits=8,bits=16", "option 'bits' is given twice"},
                 {"sequence_length=3,sequence_length=4", "option 'sequence_length' is given twice"},
                 {"unsupported=ignore", "must be refuse or movement"}};
    for (size_t i = 0; i < COUNT(cases); i++) {
        om m = open_graph();
        sc_workload *w = NULL;
        assert_int_equal(om_import(&w, NULL, &m, cases[i].options), SC_EINVAL);
        assert_says(cases[i].says);
        assert_null(w);
    }
}

static void test_other_batch_and_precision(void **state)
{
    om m = small_graph();
    om_node(&m, "MatMul", "x w", "y");
    sc_workload *w = NULL;
    sc_release(report_of(&m, "batch=7,bits=8", &w)); /* the file's batch is 2 */
    assert_int_equal(w->batch, 7);
    assert_int_equal(w->macs, 7 * 15);
    assert_int_equal(w->parameters, 15);
    assert_int_equal(w->ops[0].bits, 8);
    sc_workload_destroy(w);
}

static void test_unknown_ops(void **state)
{
    sc_workload *w = NULL;
    om m = small_graph();
    om_node(&m, "Mystery", "x", "a");
    om_in_domain(&m, "some.where");
    om_info(&m, "a", F32, L(2, 3));
    om_node(&m, "MatMul", "a w", "b");
    char *report = report_of(&m, "", &w);
    assert_reports(report,
                   "node 'a' (Mystery): an op of some.where that is not known here, counted "
                   "as movement");
    assert_int_equal(w->n_ops, 2);
    assert_int_equal(w->ops[0].kind, SC_OP_RESHAPE);
    assert_int_equal(w->macs, 30);
    sc_release(report);
    sc_workload_destroy(w);

    m = small_graph();
    w = NULL;
    om_node(&m, "Mystery", "x", "a");
    om_info(&m, "a", F32, L(2, 3));
    assert_int_equal(om_import(&w, NULL, &m, "unsupported=refuse"), SC_EPARSE);
    assert_says("node 'a' (Mystery): an op of the standard domain that is not known here");
}

/* A shape that depends on data: what multiplies nothing is left out, and said. */
static void test_sizes_that_depend_on_data(void **state)
{
    sc_workload *w = NULL;
    om m = small_graph();
    om_input(&m, "how", I64, L(1));
    om_node(&m, "Expand", "x how", "a");
    om_node(&m, "Exp", "a", "b");
    om_node(&m, "MatMul", "x w", "c");
    char *report = report_of(&m, "", &w);
    assert_int_equal(w->n_ops, 1);
    assert_reports(report, "2 nodes are not counted, their sizes depend on data; the first is 'a'");
    sc_release(report);
    sc_workload_destroy(w);
}

static void test_own_shapes_are_compared(void **state)
{
    sc_workload *w = NULL;
    om m = small_graph();
    om_info(&m, "y", F32, L(2, 7));
    om_node(&m, "MatMul", "x w", "y");
    char *report = report_of(&m, "", &w);
    assert_reports(report, "the file's own shape of 'y' differs from the one that follows");
    assert_int_equal(w->macs, 30);
    sc_release(report);
    sc_workload_destroy(w);
}

static void test_report(void **state)
{
    sc_workload *w = NULL;
    om m = small_graph();
    om_weight(&m, "v", F32, L(5, 7));
    om_weight(&m, "unused", F32, L(11));
    om_node(&m, "MatMul", "x w", "y");
    om_node(&m, "Gemm", "y v", "z");
    char *report = report_of(&m, "", &w);
    assert_reports(report, "\"name\": \"net\"");
    assert_reports(report, "\"macs\": 100"); /* 2 (15 + 35) */
    assert_reports(report, "\"MatMul\": 30");
    assert_reports(report, "\"Gemm\": 70");
    assert_reports(report, "\"parameters\": 61");
    assert_reports(report, "\"network_parameters\": 50");
    assert_reports(report, "\"batch\": 2");
    sc_release(report);
    sc_workload_destroy(w);
}

static void test_nothing_to_run(void **state)
{
    sc_workload *w = NULL;
    om m = small_graph();
    om_node(&m, "Identity", "x", "y");
    char *report = report_of(&m, "", &w);
    assert_null(w);
    assert_reports(report, "\"macs\": 0");
    assert_reports(report, "\"parameters\": 15");
    sc_release(report);
}

static sc_status read_yaml(sc_workload **w, const char *text)
{
    sc_yaml *doc = NULL;
    sc_status st = sc_yaml_parse(&doc, "net.yaml", text, strlen(text));
    if (st == SC_OK)
        st = sc_workload__yaml_read(w, doc);
    sc_yaml_close(doc);
    return st;
}

/* What an import needs of the YAML form: views of what is read, and learned operands. */
static void test_views_in_yaml(void **state)
{
    sc_workload *w = NULL, *back = NULL;
    char *yaml = NULL;
    assert_int_equal(read_yaml(&w, "version: 1\nname: n\ninputs: {x: {channels: 6, height: 4}}\n"
                                   "ops:\n"
                                   "  - {name: a, kind: mul, parameters: 24}\n"
                                   "  - {name: b, kind: add, inputs: [{of: a, as: {channels: 8, "
                                   "height: 3}}, {of: x, as: {height: 3}}]}\n"
                                   "  - {name: c, kind: unary, parameters: 5}\n"),
                     SC_OK);
    assert_int_equal(w->ops[0].other_params, 24);
    assert_int_equal(w->ops[1].cin, 8);
    assert_int_equal(w->ops[1].in_elems, 24 + 3);
    assert_int_equal(w->parameters, 24 + 5);
    assert_int_equal(sc_workload_yaml(&yaml, w), SC_OK);
    assert_int_equal(read_yaml(&back, yaml), SC_OK);
    assert_same_network(w, back);
    sc_release(yaml);
    sc_workload_destroy(w);
    sc_workload_destroy(back);
    w = NULL;
    assert_int_equal(read_yaml(&w, "version: 1\nname: n\ninputs: {x: {channels: 6}}\nops:\n"
                                   "  - {name: a, kind: relu, inputs: [{of: x, as: {rows: 3}}]}\n"
                                   "  - {name: b, kind: relu, inputs: [{of: x, as: 3}]}\n"
                                   "  - {name: c, kind: softmax, parameters: 3}\n"),
                     SC_EPARSE);
    assert_says("unknown key 'rows'");
    assert_says("net.yaml:6:");
    assert_says("net.yaml:7:");
    assert_null(w);
}

/* Names from outside stay names: they are written as YAML and read back. */
static void test_strange_names(void **state)
{
    om m = om_graph();
    om_input(&m, "../\"x'\n<script>", F32, L(2, 3));
    om_node(&m, "Exp", "../\"x'\n<script>", "\xff\xfe");
    om_node(&m, "Exp", "\xff\xfe", "??");
    sc_workload *w = om_take(&m), *back = NULL;
    char *yaml = NULL, path[] = "test_onnx_names.yaml";
    assert_int_equal(sc_workload_yaml(&yaml, w), SC_OK);
    assert_int_equal(sc_file_write(path, yaml, strlen(yaml)), SC_OK);
    assert_int_equal(sc_workload_open(&back, "./test_onnx_names.yaml"), SC_OK);
    assert_same_network(w, back);
    (void)remove(path);
    sc_release(yaml);
    sc_workload_destroy(w);
    sc_workload_destroy(back);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_nodes_in_any_order),
        cmocka_unit_test(test_functions),
        cmocka_unit_test(test_function_that_hands_through),
        cmocka_unit_test(test_branches),
        cmocka_unit_test(test_branch_of_an_outer_value),
        cmocka_unit_test(test_refused_graphs),
        cmocka_unit_test(test_every_error_at_once),
        cmocka_unit_test(test_functions_that_call_themselves),
        cmocka_unit_test(test_functions_that_multiply),
        cmocka_unit_test(test_open_dimensions),
        cmocka_unit_test(test_bad_options),
        cmocka_unit_test(test_other_batch_and_precision),
        cmocka_unit_test(test_unknown_ops),
        cmocka_unit_test(test_sizes_that_depend_on_data),
        cmocka_unit_test(test_own_shapes_are_compared),
        cmocka_unit_test(test_report),
        cmocka_unit_test(test_nothing_to_run),
        cmocka_unit_test(test_views_in_yaml),
        cmocka_unit_test(test_strange_names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
