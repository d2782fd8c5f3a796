/* ONNX import: files that are broken, too deep or too large, and memory that runs out. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <sys/resource.h>

#include "onnx_write.h"
#include "workloads/onnx_import.h"
#include "workloads_support.h"

static sc_status import_bytes(sc_workload **w, const uint8_t *bytes, size_t n)
{
    sc_onnx_source source = {.name = "net.onnx", .bytes = bytes, .fd = -1, .size = n};
    return sc_onnx_import(w, NULL, &source, "");
}

static void refuse_bytes(pb *b, const char *says)
{
    sc_workload *w = NULL;
    const double start = cpu_now();
    assert_int_equal(import_bytes(&w, b->bytes, b->n), SC_EPARSE);
    assert_says(says);
    assert_null(w);
    assert_within(start, 1.0);
    pb_clear(b);
}

/* A model with a part of everything that the decoder meets. */
static om full_graph(void)
{
    om m = om_graph(), f = om_function("own", "Twice", "a", "b"), yes = om_graph(), no = om_graph();
    om_node(&f, "Add", "a a", "b");
    om_node(&yes, "Relu", "c", "t");
    om_output(&yes, "t");
    om_node(&no, "Neg", "c", "e");
    om_output(&no, "e");
    om_add_function(&m, &f);
    om_input_named(&m, "x", F32, "n", L(0, 3, 8, 8));
    om_weight(&m, "w", F32, L(5, 3, 3, 3));
    om_int(&m, "cond", 1);
    om_ints(&m, "axis", L(0));
    om_ints(&m, "rest", L(-1));
    om_node(&m, "Conv", "x w", "c");
    om_attr_ints(&m, "pads", L(1, 1, 1, 1));
    om_node(&m, "If", "cond", "i");
    om_attr_graph(&m, "then_branch", &yes);
    om_attr_graph(&m, "else_branch", &no);
    om_node(&m, "Twice", "i", "d");
    om_in_domain(&m, "own");
    om_node(&m, "Shape", "d", "s");
    om_node(&m, "Slice", "s axis rest", "lead");
    om_node(&m, "ConstantOfShape", "axis", "k");
    om_attr_tensor(&m, "value", 0);
    om_node(&m, "Flatten", "d", "f");
    om_node(&m, "LSTM", "x3 lw lr", "y");
    om_attr_int(&m, "hidden_size", 5);
    om_weight(&m, "lw", F32, L(1, 20, 64));
    om_weight(&m, "lr", F32, L(1, 20, 5));
    om_ints(&m, "three", L(5, 1, 64));
    om_node(&m, "Reshape", "f three", "x3");
    om_output(&m, "y");
    return m;
}

/* Half a file, wherever it is cut, is refused with a name, and never read past its end. */
static void test_files_cut_short(void **state)
{
    om m = full_graph();
    pb model = om_model(&m);
    size_t graph_ends = 0;
    for (size_t n = 0; n < model.n; n++) {
        uint8_t *part = malloc(n ? n : 1); /* so that a sanitizer sees the end */
        sc_workload *w = NULL;
        assert_non_null(part);
        memcpy(part, model.bytes, n);
        const sc_status st = import_bytes(&w, part, n);
        if (st != SC_OK) {
            assert_int_equal(st, SC_EPARSE);
            assert_null(w);
            assert_says("net.onnx: error: ");
        } else if (!graph_ends) {
            graph_ends = n; /* from here on only the opset is missing, and then the function */
        }
        sc_workload_destroy(w);
        free(part);
    }
    assert_true(graph_ends == 0 || graph_ends > model.n / 2);
    sc_workload *w = NULL;
    assert_int_equal(import_bytes(&w, model.bytes, model.n / 2), SC_EPARSE);
    assert_says("the file is cut short");
    pb_clear(&model);
}

/* Every byte replaced: no crash, and outputs only where it is taken. */
static void test_damaged_files(void **state)
{
    om m = full_graph();
    pb model = om_model(&m);
    for (size_t i = 0; i < model.n; i++) {
        const uint8_t kept = model.bytes[i];
        static const uint8_t changes[] = {0x00, 0x7F, 0xFF, 0x01};
        for (size_t k = 0; k < COUNT(changes); k++) {
            sc_workload *w = NULL;
            model.bytes[i] = changes[k];
            const sc_status st = import_bytes(&w, model.bytes, model.n);
            assert_true(st == SC_OK || w == NULL);
            sc_workload_destroy(w);
        }
        model.bytes[i] = kept;
    }
    pb_clear(&model);
}

/* Subgraphs of subgraphs, 10,000 deep. */
static void test_deep_nesting(void **state)
{
    pb inner = {0}, model = {0};
    pb_text(&inner, 2, "g");
    for (int i = 0; i < 10000; i++) {
        pb attribute = {0}, node = {0}, graph = {0};
        pb_message(&attribute, 6, &inner);
        pb_message(&node, 5, &attribute);
        pb_message(&graph, 1, &node);
        inner = graph;
    }
    pb_message(&model, 7, &inner);
    refuse_bytes(&model, "nested too deeply (more than 64 levels)");
}

static void test_no_models(void **state)
{
    static const char text[] = "version: 1\nname: this is YAML\n";
    pb b = {0};
    refuse_bytes(&b, "no graph in it: no ONNX model");
    pb_raw(&b, text, sizeof text - 1);
    refuse_bytes(&b, "no ONNX model");
    pb_varint(&b, 7, 5); /* a number where the graph should be */
    refuse_bytes(&b, "field 'graph' is of another type than in ONNX's schema");
    pb_bytes(&b, 7, "", 0);
    pb_bytes(&b, 7, "", 0);
    refuse_bytes(&b, "field 'graph' stands twice");
    pb_raw(&b, "\x3a\xff\xff\xff\xff\x0f", 6); /* four gigabytes are said to follow */
    refuse_bytes(&b, "4294967295 bytes wanted, 0 are there");
    pb_raw(&b, "\x0b", 1); /* a group, which no one writes */
    refuse_bytes(&b, "no ONNX model");
}

static void test_long_names(void **state)
{
    char name[6001];
    memset(name, 'n', 6000);
    name[6000] = '\0';
    om m = om_graph();
    om_input(&m, "x", F32, L(2, 3));
    om_node(&m, "Exp", "x", name);
    om_refused(&m, "in graph.node[0], at byte");
    assert_says("a name of more than 4096 bytes");
    name[1000] = '\0'; /* taken, and cut where it names a row */
    m = om_graph();
    om_input(&m, "x", F32, L(2, 3));
    om_node(&m, "Exp", "x", name);
    om_node(&m, "Exp", name, "y");
    sc_workload *w = om_take(&m);
    assert_true(strlen(w->ops[0].name) < 200);
    sc_workload_destroy(w);
}

/* A file of two bytes a message would be decoded to a hundred times its size. */
static void test_bombs(void **state)
{
    pb graph = {0}, model = {0};
    for (int i = 0; i < 3 * 1000 * 1000; i++)
        pb_raw(&graph, "\x0a\x00", 2); /* an empty node */
    pb_message(&model, 7, &graph);
    refuse_bytes(&model, "the graph is larger than an importer takes");
}

static void test_unknown_fields_are_passed_over(void **state)
{
    om m = om_graph();
    om_input(&m, "x", F32, L(2, 3));
    pb_text(&m.graph, 999, "from the future");
    pb_varint(&m.graph, 998, 7);
    om_node(&m, "Exp", "x", "y");
    pb_text(&m.node, 8, "overload");
    sc_workload *w = om_take(&m);
    assert_int_equal(w->n_ops, 1);
    sc_workload_destroy(w);
}

/* A model file whose one weight is a hole of so many bytes. @return its size. */
static uint64_t write_large(const char *path, uint64_t weights)
{
    pb tensor = {0}, file = {0};
    om m = om_graph();
    om_input(&m, "x", F32, L(1, 16384));
    om_node(&m, "Gemm", "x w", "y");
    pb graph = om_close(&m);
    pb_varint(&tensor, 1, 16384);
    pb_varint(&tensor, 1, 16384);
    pb_varint(&tensor, 2, F32);
    pb_text(&tensor, 8, "w");
    pb_head(&tensor, 9, weights); /* raw_data */
    pb_head(&graph, 5, tensor.n + weights);
    pb_raw(&graph, tensor.bytes, tensor.n);
    pb_head(&file, 7, graph.n + weights);
    pb_raw(&file, graph.bytes, graph.n);
    FILE *f = fopen(path, "wb");
    assert_non_null(f);
    assert_int_equal(fwrite(file.bytes, 1, file.n, f), file.n);
    assert_int_equal(fclose(f), 0);
    const uint64_t size = file.n + weights;
    assert_int_equal(truncate(path, (off_t)size), 0);
    pb_clear(&tensor);
    pb_clear(&graph);
    pb_clear(&file);
    return size;
}

/* Payloads are stepped over: a file of a gigabyte of weights takes no memory and no time. */
static void test_large_weights(void **state)
{
    static const char path[] = "./test_onnx_large.onnx";
    struct rusage before, after;
    const uint64_t size = write_large(path, UINT64_C(1) << 30);
    (void)getrusage(RUSAGE_SELF, &before);
    const double start = cpu_now();
    sc_workload *w = open_network(path);
    (void)getrusage(RUSAGE_SELF, &after);
    assert_within(start, 1.0);
    assert_int_equal(w->macs, UINT64_C(16384) * 16384);
    assert_true(after.ru_maxrss - before.ru_maxrss < 64 * 1024); /* KiB */
    sc_workload_destroy(w);
    w = NULL;
    assert_int_equal(truncate(path, (off_t)(size / 2)), 0);
    assert_int_equal(sc_workload_open(&w, path), SC_EPARSE);
    assert_says("the file is cut short");
    (void)remove(path);
}

static void test_files_that_are_none(void **state)
{
    sc_workload *w = NULL;
    assert_int_equal(sc_workload_open(&w, "./nowhere.onnx"), SC_ENOTFOUND);
    assert_int_equal(sc_workload_open(&w, "/.onnx:batch=3"), SC_ENOTFOUND);
    char *report = NULL;
    assert_int_equal(sc_workload_import_onnx(&w, &report, "/"), SC_EPARSE);
    assert_says("is a directory");
    assert_null(w);
    assert_null(report);
}

static sc_status import_once(void *payload)
{
    const pb *model = payload;
    sc_workload *w = NULL;
    char *report = NULL;
    sc_onnx_source source = {.name = "net.onnx", .bytes = model->bytes, .fd = -1, .size = model->n};
    const sc_status st = sc_onnx_import(&w, &report, &source, "bits=8");
    if (st != SC_OK) {
        assert_null(w);
        assert_null(report);
    }
    sc_workload_destroy(w);
    sc_release(report);
    return st;
}

static void test_out_of_memory(void **state)
{
    om m = full_graph();
    pb model = om_model(&m);
    assert_true(fail_each_allocation(import_once, &model) > 30);
    pb_clear(&model);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_files_cut_short),
        cmocka_unit_test(test_damaged_files),
        cmocka_unit_test(test_deep_nesting),
        cmocka_unit_test(test_no_models),
        cmocka_unit_test(test_long_names),
        cmocka_unit_test(test_bombs),
        cmocka_unit_test(test_unknown_fields_are_passed_over),
        cmocka_unit_test(test_large_weights),
        cmocka_unit_test(test_files_that_are_none),
        cmocka_unit_test(test_out_of_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
