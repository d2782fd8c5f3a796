/* ONNX import: extents of transforms, sampling grids and what undoes a pool, worked out by hand. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "onnx_write.h"
#include "workloads_support.h"

static om one_input(size_t rank, const int64_t *dims)
{
    om m = om_graph();
    om_input(&m, "x", F32, rank, dims);
    return m;
}

/* The tensor "y" has so many elements, and so many along its last axis: of a product with as many
 * rows as that and one column it is the data. */
static void check_extents(om *m, uint64_t elements, int64_t last)
{
    om_weight(m, "column", F32, L(last, 1));
    om_node(m, "MatMul", "y column", "the_end");
    sc_workload *w = om_take(m);
    assert_int_equal(w->macs, elements);
    sc_workload_destroy(w);
}

static void test_fourier(void **state)
{
    om m = one_input(L(2, 10, 3, 1));
    om_node(&m, "DFT", "x", "y"); /* of the axis behind the samples */
    check_extents(&m, 2 * 10 * 3 * 2, 2);

    m = one_input(L(2, 10, 3, 1));
    om_int(&m, "length", 16);
    om_int(&m, "axis", 1);
    om_node(&m, "DFT", "x length axis", "y");
    om_attr_int(&m, "onesided", 1); /* 9 frequencies of 16 samples */
    check_extents(&m, 2 * 9 * 3 * 2, 2);

    m = one_input(L(2, 9, 2)); /* back to 16 real samples */
    om_node(&m, "DFT", "x", "y");
    om_attr_int(&m, "inverse", 1);
    om_attr_int(&m, "onesided", 1);
    check_extents(&m, 2 * 16, 1);

    m = one_input(L(2, 9, 2));
    om_int(&m, "axis", 7);
    om_node(&m, "DFT", "x - axis", "y");
    om_refused(&m, "axis");
}

static void test_frames(void **state)
{
    om m = one_input(L(2, 100, 1));
    om_int(&m, "step", 8);
    om_int(&m, "length", 16);
    om_node(&m, "HannWindow", "length", "window");
    om_node(&m, "STFT", "x step window", "y"); /* (100 - 16) / 8 + 1 = 11 frames */
    check_extents(&m, 2 * 11 * 9 * 2, 2);

    m = one_input(L(2, 100, 1));
    om_int(&m, "step", 8);
    om_int(&m, "length", 16);
    om_node(&m, "STFT", "x step - length", "y");
    om_attr_int(&m, "onesided", 0);
    check_extents(&m, 2 * 11 * 16 * 2, 2);

    m = one_input(L(2, 100, 1));
    om_int(&m, "step", 0);
    om_int(&m, "length", 16);
    om_node(&m, "STFT", "x step - length", "y");
    om_refused(&m, "its frames do not fit its signal");
}

static void test_grids(void **state)
{
    om m = one_input(L(2, 2, 3));
    om_ints(&m, "size", L(2, 7, 5, 6)); /* samples, channels, rows, columns */
    om_node(&m, "AffineGrid", "x size", "y");
    check_extents(&m, 2 * 5 * 6 * 2, 2);

    m = one_input(L(2, 3, 4));
    om_ints(&m, "size", L(2, 7, 4, 5, 6));
    om_node(&m, "AffineGrid", "x size", "y");
    check_extents(&m, 2 * 4 * 5 * 6 * 3, 3);
}

static void test_unpool(void **state)
{
    om m = one_input(L(1, 3, 4, 5));
    om_input(&m, "at", I64, L(1, 3, 4, 5));
    om_node(&m, "MaxUnpool", "x at", "y");
    om_attr_ints(&m, "kernel_shape", L(2, 3));
    om_attr_ints(&m, "strides", L(2, 3)); /* 3 * 2 + 2 = 8 rows, 4 * 3 + 3 = 15 columns */
    check_extents(&m, 3 * 8 * 15, 15);

    m = one_input(L(1, 3, 4, 5));
    om_input(&m, "at", I64, L(1, 3, 4, 5));
    om_ints(&m, "shape", L(1, 3, 9, 16));
    om_node(&m, "MaxUnpool", "x at shape", "y");
    om_attr_ints(&m, "kernel_shape", L(2, 3));
    check_extents(&m, 3 * 9 * 16, 16);
}

static void test_images(void **state)
{
    om m = one_input(L(2, 24, 30));
    om_ints(&m, "image", L(6, 7));
    om_ints(&m, "block", L(2, 3));
    om_node(&m, "Col2Im", "x image block", "y"); /* 24 / 6 channels */
    check_extents(&m, 2 * 4 * 6 * 7, 7);

    m = one_input(L(2, 24, 30));
    om_ints(&m, "image", L(6, 7));
    om_ints(&m, "block", L(2, 5));
    om_node(&m, "Col2Im", "x image block", "y");
    om_refused(&m, "its blocks do not fit its columns");

    m = one_input(L(3, 8, 9));
    om_ints(&m, "size", L(10, 4));
    om_node(&m, "CenterCropPad", "x size", "y");
    om_attr_ints(&m, "axes", L(1, -1));
    check_extents(&m, 3 * 10 * 4, 4);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_fourier), cmocka_unit_test(test_frames), cmocka_unit_test(test_grids),
        cmocka_unit_test(test_unpool),  cmocka_unit_test(test_images),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
