/* ONNX import: extents that follow from numbers, and ops that only move elements. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "onnx_write.h"
#include "workloads_support.h"

/* Close the graph with a row that reads `name`, and check how many elements it reads. */
static void expect_count(om *m, const char *name, uint64_t elements)
{
    om_node(m, "Exp", name, "the_end");
    sc_workload *w = om_take(m);
    const sc_op *op = &w->ops[w->n_ops - 1];
    assert_string_equal(op->name, "the_end");
    assert_int_equal(op->in_elems, elements);
    sc_workload_destroy(w);
}

/* The row before the closing one writes so many. */
static void expect_row(om *m, const char *name, sc_op_kind kind, uint64_t in, uint64_t out)
{
    om_node(m, "Exp", name, "the_end");
    sc_workload *w = om_take(m);
    assert_int_equal(w->n_ops, 2);
    assert_int_equal(w->ops[0].kind, kind);
    assert_int_equal(w->ops[0].in_elems, in);
    assert_int_equal(w->ops[0].out_elems, out);
    assert_int_equal(w->ops[1].in_elems, out);
    sc_workload_destroy(w);
}

static om one_input(size_t rank, const int64_t *dims)
{
    om m = om_graph();
    om_input(&m, "x", F32, rank, dims);
    return m;
}

/* What exporters write for x.view(x.size(0), -1, 7): no row, and no number is known beforehand. */
static void test_computed_reshape(void **state)
{
    om m = one_input(L(3, 5, 14));
    om_int(&m, "zero", 0);
    om_ints(&m, "axis", L(0));
    om_ints(&m, "rest", L(-1, 7));
    om_node(&m, "Shape", "x", "s");
    om_node(&m, "Gather", "s zero", "n");
    om_node(&m, "Unsqueeze", "n axis", "n1");
    om_node(&m, "Concat", "n1 rest", "wanted");
    om_attr_int(&m, "axis", 0);
    om_node(&m, "Reshape", "x wanted", "y");
    om_node(&m, "ReduceSum", "y axis", "z"); /* over the 3: what is left tells the extents */
    om_attr_int(&m, "keepdims", 0);
    expect_row(&m, "z", SC_OP_POOL, 210, 70);
}

/* Arithmetic on sizes: (14 / 2 + 3) * 1, as a scalar and as a list. */
static void test_computed_numbers(void **state)
{
    om m = one_input(L(3, 5, 14));
    om_int(&m, "last", -1);
    om_int(&m, "two", 2);
    om_int(&m, "three", 3);
    om_ints(&m, "axis", L(0));
    om_node(&m, "Shape", "x", "s");
    om_node(&m, "Gather", "s last", "n");
    om_node(&m, "Div", "n two", "half");
    om_node(&m, "Add", "half three", "sum");
    om_node(&m, "Cast", "sum", "real");
    om_attr_int(&m, "to", F32);
    om_node(&m, "Floor", "real", "down");
    om_node(&m, "Cast", "down", "whole");
    om_attr_int(&m, "to", I64);
    om_node(&m, "Unsqueeze", "whole axis", "list");
    om_node(&m, "ConstantOfShape", "list", "ones");
    om_node(&m, "Constant", "", "start");
    om_attr_int(&m, "value_int", 0);
    om_node(&m, "Slice", "x start1 list last1", "y"); /* 10 of the last axis */
    om_ints(&m, "start1", L(0));
    om_ints(&m, "last1", L(2));
    expect_count(&m, "y", 3 * 5 * 10);
}

static void test_comparisons_choose(void **state)
{
    om m = one_input(L(4, 6));
    om_ints(&m, "wanted", L(-1, 8)); /* -1 stands for 4, as torch exports expand() */
    om_ints(&m, "minus", L(-1, -1));
    om_ints(&m, "ones", L(1, 1));
    om_ints(&m, "start", L(0));
    om_ints(&m, "one", L(1));
    om_node(&m, "Equal", "wanted minus", "open");
    om_node(&m, "Where", "open ones wanted", "shape"); /* 1, 8 */
    om_node(&m, "Slice", "x start one one", "part");   /* 4 x 1 */
    om_node(&m, "Expand", "part shape", "y");
    expect_count(&m, "y", 32);
}

static void test_range_and_size(void **state)
{
    om m = one_input(L(2, 9));
    om_int(&m, "from", 1);
    om_int(&m, "step", 3);
    om_int(&m, "to", 18);
    om_ints(&m, "shape", L(-1, 1));
    om_node(&m, "Size", "x", "n");
    om_node(&m, "Range", "from n step", "r"); /* 1 4 7 10 13 16 */
    om_node(&m, "Equal", "n to", "same");     /* Size is 18 */
    om_node(&m, "Cast", "same", "flag");
    om_attr_int(&m, "to", I64);
    om_node(&m, "Mul", "r flag", "times");
    om_node(&m, "Reshape", "times shape", "column");
    om_node(&m, "Unsqueeze", "x axis", "x3");
    om_ints(&m, "axis", L(1));
    om_node(&m, "Add", "x3 column", "y"); /* 2 x 1 x 9 and 6 x 1 */
    expect_count(&m, "y", 2 * 6 * 9);
}

static void test_slices(void **state)
{
    static const struct {
        int64_t start, end, step;
        uint64_t left; /* of 11 */
    } cases[] = {{0, 11, 1, 11},    {2, 9, 3, 3},          {-3, INT64_MAX, 1, 3}, {0, -1, 2, 5},
                 {-1, -12, -1, 11}, {9, INT64_MIN, -4, 3}, {5, 6, 7, 1},          {-100, 4, 1, 4}};
    for (size_t i = 0; i < COUNT(cases); i++) {
        om m = one_input(L(2, 11, 3));
        om_ints(&m, "start", 1, &cases[i].start);
        om_ints(&m, "end", 1, &cases[i].end);
        om_ints(&m, "step", 1, &cases[i].step);
        om_ints(&m, "axis", L(-2));
        om_node(&m, "Slice", "x start end axis step", "y");
        expect_count(&m, "y", 6 * cases[i].left);
    }
}

static void test_narrow_integers(void **state)
{
    om m = one_input(L(2, 11, 3));
    om_int32s(&m, "start", 1, (int32_t[]){-4});
    om_int32s(&m, "end", 1, (int32_t[]){-1});
    om_int32s(&m, "axis", 1, (int32_t[]){-2});
    om_node(&m, "Slice", "x start end axis", "y");
    expect_count(&m, "y", 2 * 3 * 3);
}

static void test_splits(void **state)
{
    om m = one_input(L(2, 11));
    om_ints(&m, "sizes", L(3, 8));
    om_node(&m, "Split", "x sizes", "a b");
    om_attr_int(&m, "axis", 1);
    expect_count(&m, "b", 16);

    m = one_input(L(2, 12)); /* equal parts */
    om_node(&m, "Split", "x", "a b c");
    om_attr_int(&m, "axis", -1);
    expect_count(&m, "c", 8);

    m = one_input(L(2, 11));
    om_node(&m, "Split", "x", "a b"); /* opset 2: sizes as an attribute */
    om_attr_int(&m, "axis", 1);
    om_attr_ints(&m, "split", L(10, 1));
    expect_count(&m, "b", 2);
}

static void test_views_have_no_row(void **state)
{
    om m = one_input(L(2, 1, 3, 5));
    om_ints(&m, "one", L(1));
    om_ints(&m, "flat", L(0, -1));
    om_node(&m, "Squeeze", "x one", "a"); /* 2 3 5 */
    om_node(&m, "Flatten", "a", "b");     /* 2 15 */
    om_attr_int(&m, "axis", 1);
    om_node(&m, "Reshape", "b flat", "c");
    om_node(&m, "Identity", "c", "d");
    om_node(&m, "Dropout", "d", "e");
    om_node(&m, "Exp", "e", "y");
    sc_workload *w = om_take(&m);
    assert_int_equal(w->n_ops, 1);
    assert_int_equal(w->batch, 2);
    assert_int_equal(w->ops[0].cin, 15);
    sc_workload_destroy(w);
}

static void test_transposes(void **state)
{
    om m = one_input(L(2, 3, 5));
    om_node(&m, "Transpose", "x", "y"); /* reversed */
    expect_row(&m, "y", SC_OP_RESHAPE, 30, 30);

    m = one_input(L(2, 1, 5));
    om_node(&m, "Transpose", "x", "y");
    om_attr_ints(&m, "perm", L(1, 0, 2)); /* the order of what is there stays */
    om_node(&m, "Exp", "y", "z");
    sc_workload *w = om_take(&m);
    assert_int_equal(w->n_ops, 1);
    sc_workload_destroy(w);
}

static void test_movement(void **state)
{
    om m = one_input(L(1, 2, 6, 7));
    om_ints(&m, "pads", L(0, 0, 1, 2, 0, 0, 3, 4));
    om_node(&m, "Pad", "x pads", "y"); /* 10 x 13 */
    expect_row(&m, "y", SC_OP_RESHAPE, 260, 260);

    m = one_input(L(1, 8, 3, 5));
    om_node(&m, "DepthToSpace", "x", "y");
    om_attr_int(&m, "blocksize", 2);
    expect_row(&m, "y", SC_OP_RESHAPE, 120, 120);

    m = one_input(L(1, 3, 4, 6));
    om_node(&m, "SpaceToDepth", "x", "y");
    om_attr_int(&m, "blocksize", 2);
    om_node(&m, "GlobalMaxPool", "y", "z"); /* 12 channels */
    om_node(&m, "Exp", "z", "end");
    sc_workload *w = om_take(&m);
    assert_int_equal(w->ops[2].in_elems, 12);
    sc_workload_destroy(w);

    m = one_input(L(1, 3, 5));
    om_node(&m, "Concat", "x x x", "y");
    om_attr_int(&m, "axis", 1);
    expect_row(&m, "y", SC_OP_CONCAT, 45, 45);
}

static void test_tile_is_read_again(void **state)
{
    om m = one_input(L(1, 3, 5));
    om_ints(&m, "times", L(1, 2, 4));
    om_node(&m, "Tile", "x times", "y");
    expect_count(&m, "y", 120);
}

static void test_resize(void **state)
{
    om m = one_input(L(1, 3, 5, 7));
    om_reals(&m, "scales", 4, (float[]){1, 1, 2, 3});
    om_node(&m, "Resize", "x - scales", "y");
    expect_row(&m, "y", SC_OP_RESIZE, 105, 3 * 10 * 21);

    m = one_input(L(1, 3, 5, 7));
    om_ints(&m, "sizes", L(1, 3, 9, 8));
    om_node(&m, "Resize", "x - - sizes", "y");
    om_attr_text(&m, "mode", "linear");
    expect_row(&m, "y", SC_OP_RESIZE, 105, 3 * 72);

    m = one_input(L(1, 3, 5, 7)); /* floor(5 * 1.5) = 7, floor(7 * 0.5) = 3 */
    om_reals(&m, "scales", 4, (float[]){1, 1, 1.5F, 0.5F});
    om_node(&m, "Upsample", "x scales", "y");
    expect_row(&m, "y", SC_OP_RESIZE, 105, 3 * 21);
}

static void test_gathers(void **state)
{
    om m = om_graph();
    om_input(&m, "at", I64, L(1, 7));
    om_weight(&m, "table", F32, L(13, 5));
    om_node(&m, "Gather", "table at", "y");
    sc_workload *w = om_take(&m);
    assert_int_equal(w->ops[0].kind, SC_OP_EMBED);
    assert_int_equal(w->ops[0].out_elems, 35);
    assert_int_equal(w->parameters, 65);
    sc_workload_destroy(w);

    m = one_input(L(1, 7, 5)); /* the first position: a part, no row */
    om_int(&m, "zero", 0);
    om_node(&m, "Gather", "x zero", "y");
    om_attr_int(&m, "axis", 1);
    expect_count(&m, "y", 5);

    m = one_input(L(7, 5));
    om_input(&m, "at", I64, L(3));
    om_node(&m, "Gather", "x at", "y");
    expect_row(&m, "y", SC_OP_RESHAPE, 15, 15);

    m = one_input(L(2, 7, 5));
    om_ints(&m, "k", L(3));
    om_node(&m, "TopK", "x k", "y where");
    om_attr_int(&m, "axis", 1);
    expect_count(&m, "y", 2 * 3 * 5);
}

static void test_reductions(void **state)
{
    om m = one_input(L(2, 3, 5, 7));
    om_node(&m, "ReduceMean", "x", "y");
    om_attr_ints(&m, "axes", L(-1, 1));
    expect_row(&m, "y", SC_OP_POOL, 210, 10);

    m = one_input(L(2, 3, 5));
    om_node(&m, "ArgMax", "x", "y");
    om_attr_int(&m, "axis", 2);
    expect_row(&m, "y", SC_OP_POOL, 30, 6);

    m = one_input(L(2, 3, 5));
    om_node(&m, "ReduceMax", "x", "y");
    expect_row(&m, "y", SC_OP_POOL, 30, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_computed_reshape),
        cmocka_unit_test(test_computed_numbers),
        cmocka_unit_test(test_comparisons_choose),
        cmocka_unit_test(test_range_and_size),
        cmocka_unit_test(test_slices),
        cmocka_unit_test(test_narrow_integers),
        cmocka_unit_test(test_splits),
        cmocka_unit_test(test_views_have_no_row),
        cmocka_unit_test(test_transposes),
        cmocka_unit_test(test_movement),
        cmocka_unit_test(test_tile_is_read_again),
        cmocka_unit_test(test_resize),
        cmocka_unit_test(test_gathers),
        cmocka_unit_test(test_reductions),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
