/* Tiled runs: mappings as text, what a run consists of, and its cycles, by hand. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>

#include "core_support.h"
#include "model/count/tiled_run.h"

/* Extents and strides; the rest comes from the text. */
static sc_tiled_layer layer_of(uint64_t k, uint64_t c, uint64_t p, uint64_t q, uint64_t r,
                               uint64_t s, uint64_t stride, const char *mapping)
{
    sc_tiled_layer l = {.extent = {k, c, p, q, r, s}, .stride_p = stride, .stride_q = stride};
    if (sc_tiled_parse(&l, mapping) != SC_OK)
        fail_msg("%s", sc_error_message());
    return l;
}

static sc_tiled_work work_of(const sc_tiled_layer *l, uint64_t side, sc_tiled_driver driver)
{
    sc_tiled_work w;
    if (sc_tiled_count(&w, l, side, driver) != SC_OK)
        fail_msg("%s", sc_error_message());
    return w;
}

static void parses(void **state)
{
    const sc_tiled_layer l = layer_of(
        15, 26, 22, 7, 1, 1, 1, "L3[WIO] K5 Q7 - L2[WI] N1 K3X - L1[O] C2 P11 C13X - L0[W] P2");
    assert_int_equal(l.n_outer, 2);
    assert_int_equal(l.outer_dim[0], SC_TILED_K);
    assert_int_equal(l.outer[0], 5);
    assert_int_equal(l.outer_dim[1], SC_TILED_Q);
    assert_int_equal(l.outer[1], 7);
    const uint64_t tile[] = {3, 26, 22, 1, 1, 1}, spatial[] = {3, 13, 1, 1, 1, 1};
    assert_memory_equal(l.tile, tile, sizeof tile);
    assert_memory_equal(l.spatial, spatial, sizeof spatial);
}

static void counts_plain(void **state)
{
    const sc_tiled_layer l = layer_of(
        15, 26, 22, 7, 1, 1, 1, "L3[WIO] K5 Q7 - L2[WI] N1 K3X - L1[O] C2 P11 C13X - L0[W] P2");
    const sc_tiled_work w = work_of(&l, 16, SC_TILED_PLAIN);
    assert_false(w.product);
    assert_true(w.side == 16);
    assert_true(w.tiles == 5 * 7);
    assert_true(w.passes == 1 * 2 * 2); /* 3 of 16 columns, 26 of 2 x 16 rows, 22 in two goes */
    assert_true(w.stream == 11);
    assert_true(w.rows == 26 + 22 * 2);
    assert_true(w.bytes == 26 * 3 + 22 * 26);
    assert_true(w.repeat == 1);
    assert_true(w.lines == 0);                              /* all fits the cache */
    assert_true(work_of(&l, 0, SC_TILED_PLAIN).side == 16); /* holds 13 */
}

/* Weights of 1 MiB do not fit the cache: they are read again for each of four rows. */
static void counts_misses(void **state)
{
    const sc_tiled_layer l =
        layer_of(1024, 1024, 4, 1, 1, 1, 1, "L3 P4 K4 - L2 K16X - L1 K16 C1024");
    const sc_tiled_work w = work_of(&l, 16, SC_TILED_PLAIN);
    assert_true(w.product);
    assert_true(w.lines == 16 * 4096 + 4 * 16 + 16 * 4);
    /* rows of 16 bytes, 1,024 apart, take a line each */
    const sc_tiled_layer narrow =
        layer_of(1024, 1024, 4, 1, 1, 1, 1, "L3 P4 K64 - L2 K16X - L1 C1024");
    assert_true(work_of(&narrow, 16, SC_TILED_PLAIN).lines == 256 * 1024 + 4 * 16 + 256);
    /* 65,536 rows of 3 bytes, 3 apart, share them; the input alone passes the cache */
    const sc_tiled_layer close =
        layer_of(3, 64, 4, 65536, 1, 1, 1, "L3 P4 - L2 K3X - L1 C64 Q65536");
    assert_true(work_of(&close, 4, SC_TILED_PLAIN).lines == 4 * (3 + 65536 + 3072));
}

static void counts_gemmini_product(void **state)
{
    const sc_tiled_layer l =
        layer_of(64, 32, 128, 1, 1, 1, 1, "L3 K2 P4 - L2 K8X - L1 K4 C4 C8X - L0 P32");
    const sc_tiled_work w = work_of(&l, 0, SC_TILED_GEMMINI);
    assert_true(w.product);
    assert_true(w.side == 8);
    assert_true(w.tiles == 8 * 4 * 2); /* 128 by 16, 64 by 16, 32 by 16 */
    assert_true(w.passes == 2 * 2 * 2);
    assert_true(w.stream == 8);
    assert_true(w.rows == 16 * 2 + 16 * 2);
    assert_true(w.bytes == 16 * 16 + 16 * 16);
    assert_true(w.repeat == 1);
}

static void counts_gemmini_window(void **state)
{
    const sc_tiled_layer l = layer_of(4, 4, 8, 2, 3, 1, 2, "L3 P2 Q2 - L2 K4X - L1 C4X R3 - L0 P4");
    const sc_tiled_work tight = work_of(&l, 4, SC_TILED_PLAIN);
    const sc_tiled_work loose = work_of(&l, 4, SC_TILED_GEMMINI);
    assert_true(tight.rows == 12 + 9 * 1);  /* (4 - 1) * 2 + 3 columns of one row */
    assert_true(loose.rows == 12 + 10 * 2); /* 4 * 2 + 3 - 1 columns of 1 * 2 + 1 - 1 rows */
    assert_true(tight.repeat == 1);
    assert_true(loose.repeat == 4); /* 8 x 2 runs as 8 x 8 */
}

static void cycles_by_hand(void **state)
{
    const sc_tiled_work w = {.side = 10,
                             .tiles = 3,
                             .passes = 5,
                             .stream = 7,
                             .rows = 11,
                             .bytes = 26,
                             .lines = 17,
                             .repeat = 2};
    double f[SC_TILED_FACTORS] = {
        [SC_TILED_HOST_WINDOW] = 19, [SC_TILED_HOST_PRODUCT] = 23, [SC_TILED_PASS] = 1,
        [SC_TILED_PASS_SIDE] = 0.5,  [SC_TILED_ROW] = 2,           [SC_TILED_ROW_SIDE] = 0.25,
        [SC_TILED_BUS] = 13,         [SC_TILED_LINE] = 29,         [SC_TILED_OVERLAP] = 1,
        [SC_TILED_START] = 31};
    const double host = 3 * 19, array = 3 * 5 * 7, memory = 3 * (11 * 4.5 + 2) + 17 * 29;
    assert_true(fabs(sc_tiled_cycles(&w, f) - (2 * (host + array + memory) + 31)) < 1e-9);
    f[SC_TILED_OVERLAP] = 2;
    const double norm = sqrt(host * host + array * array + memory * memory);
    assert_true(fabs(sc_tiled_cycles(&w, f) - (2 * norm + 31)) < 1e-9);
    f[SC_TILED_PASS_SIDE] = 1; /* the shortest pass, 11, is longer than 7 values */
    f[SC_TILED_OVERLAP] = 1;
    assert_true(fabs(sc_tiled_cycles(&w, f) - (2 * (host + 3 * 5 * 11 + memory) + 31)) < 1e-9);
    sc_tiled_work product = w;
    product.product = true;
    assert_true(fabs(sc_tiled_cycles(&product, f) - sc_tiled_cycles(&w, f) - 2 * 3 * 4) < 1e-9);
    product.tiles = 1e200; /* no power overflows */
    assert_true(isfinite(sc_tiled_cycles(&product, sc_tiled_ideal)));
}

/* More cost of anything is never faster; more overlap or bandwidth never slower. */
static void cycles_are_monotone(void **state)
{
    const sc_tiled_work w = {false, 16, 9, 4, 12, 30, 700, 40, 1};
    double f[SC_TILED_FACTORS];
    memcpy(f, sc_tiled_ideal, sizeof f);
    f[SC_TILED_OVERLAP] = 2;
    for (int i = 0; i < SC_TILED_FACTORS; i++) {
        const double before = sc_tiled_cycles(&w, f), kept = f[i];
        f[i] += 1;
        const double after = sc_tiled_cycles(&w, f);
        if (i == SC_TILED_BUS || i == SC_TILED_OVERLAP)
            assert_true(after < before);
        else
            assert_true(i == SC_TILED_HOST_PRODUCT ? after == before : after >= before);
        f[i] = kept;
    }
}

static void rejects(void **state)
{
    static const char *const wrong[][2] = {
        {"", "character 1: a level begins with its name"},
        {"L3 K", "character 5: a factor is missing"},
        {"L3 K0", "character 6: a factor of 0"},
        {"L3 K2147483649", "a factor over 2^31"},
        {"L3 W2", "character 4: a loop begins with one of"},
        {"L3 N2", "only N of factor 1"},
        {"L3 K2Z", "maybe X or Y"},
        {"L3 K2 -", "a level begins with its name"},
        {"L3 K2 - L2 K65536 K65536", "multiply to more than 2^31"},
        {"L3 K2 - L2 C3X", "covers K only to 2 of 4"},
        {"L3 K1 K1 K1 K1 K1 K1 K1 K1 K1 K1 K1 K1 K1 K1 K1 K1 K1", "more than 16 loops"},
    };
    sc_tiled_layer l = {.extent = {4, 3, 1, 1, 1, 1}, .stride_p = 1, .stride_q = 1, .n_outer = 9};
    for (size_t i = 0; i < COUNT(wrong); i++) {
        assert_int_equal(sc_tiled_parse(&l, wrong[i][0]), SC_EINVAL);
        assert_says(wrong[i][1]);
        assert_int_equal(l.n_outer, 9);
    }
    sc_tiled_work w = {.tiles = 17};
    sc_tiled_layer zero = layer_of(4, 3, 1, 1, 1, 1, 1, "L3 K4 - L2 C3X");
    zero.extent[SC_TILED_P] = 0;
    assert_int_equal(sc_tiled_count(&w, &zero, 4, SC_TILED_PLAIN), SC_EINVAL);
    zero.extent[SC_TILED_P] = 1;
    zero.stride_q = 0;
    assert_int_equal(sc_tiled_count(&w, &zero, 4, SC_TILED_GEMMINI), SC_EINVAL);
    zero.stride_q = 1;
    assert_int_equal(sc_tiled_count(&w, &zero, (uint64_t)1 << 32, SC_TILED_PLAIN), SC_EINVAL);
    assert_true(w.tiles == 17);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(parses),
        cmocka_unit_test(counts_plain),
        cmocka_unit_test(counts_misses),
        cmocka_unit_test(counts_gemmini_product),
        cmocka_unit_test(counts_gemmini_window),
        cmocka_unit_test(cycles_by_hand),
        cmocka_unit_test(cycles_are_monotone),
        cmocka_unit_test(rejects),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
