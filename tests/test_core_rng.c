/* Random streams: the published answers of Philox4x32-10, streams as functions of their names, and
 * uniformity by bounds from theory. Hashes and the clock too. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka wants the four above first */
#include <cmocka.h>
#include <math.h>

#include "core/hash.h"
#include "core/rng.h"
#include "core/run.h"
#include "core_support.h"

/* Known answers as published with Random123 (kat_vectors, philox4x32 10). */
static void test_known_answers(void **state)
{
    static const struct {
        uint32_t ctr[4], key[2], want[4];
    } rows[] = {
        {{0, 0, 0, 0}, {0, 0}, {0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}},
        {{0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff},
         {0xffffffff, 0xffffffff},
         {0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}},
        {{0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344},
         {0xa4093822, 0x299f31d0},
         {0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        uint32_t got[4];
        sc_philox4x32_10(rows[i].ctr, rows[i].key, got);
        assert_memory_equal(got, rows[i].want, sizeof got);
    }
}

/* Word w of a stream, straight from the definition in the header. */
static uint32_t word(uint64_t seed, uint32_t domain, uint64_t index, uint64_t w)
{
    const uint32_t ctr[4] = {(uint32_t)(w / 4), domain, (uint32_t)index, (uint32_t)(index >> 32)};
    const uint32_t key[2] = {(uint32_t)seed, (uint32_t)(seed >> 32)};
    uint32_t out[4];
    sc_philox4x32_10(ctr, key, out);
    return out[w % 4];
}

static void test_definition(void **state)
{
    const uint64_t seed = 0x123456789abcdef0, index = 0xfedcba9876543210;
    sc_rng r;
    sc_rng_init(&r, seed, 77, index);
    for (uint64_t w = 0; w < 103; w++)
        assert_int_equal(gsl_rng_get(&r.gsl), word(seed, 77, index, w));
    assert_int_equal(r.stream.drawn, 103);
    for (uint64_t to = 100; to < 110; to++) { /* from any place in a block */
        sc_rng_seek(&r, to);
        assert_int_equal(gsl_rng_get(&r.gsl), word(seed, 77, index, to));
        assert_int_equal(gsl_rng_get(&r.gsl), word(seed, 77, index, to + 1));
    }
    sc_rng_seek(&r, UINT64_C(17000000001)); /* past 32 bits of words */
    assert_int_equal(gsl_rng_get(&r.gsl), word(seed, 77, index, UINT64_C(17000000001)));
}

/* Each part of the name makes another stream, the upper halves too. */
static void test_names(void **state)
{
    static const struct {
        uint64_t seed, index;
        uint32_t domain;
    } names[] = {{0, 0, 0}, {1, 0, 0},          {0, 1, 0},          {0, 0, 1},
                 {1, 1, 1}, {1ULL << 32, 0, 0}, {0, 1ULL << 32, 0}, {0, 0, 1U << 31}};
    uint32_t first[COUNT(names)][2];
    for (size_t i = 0; i < COUNT(names); i++) {
        sc_rng r;
        sc_rng_init(&r, names[i].seed, names[i].domain, names[i].index);
        first[i][0] = (uint32_t)gsl_rng_get(&r.gsl);
        first[i][1] = (uint32_t)gsl_rng_get(&r.gsl);
        for (size_t j = 0; j < i; j++)
            assert_memory_not_equal(first[i], first[j], sizeof first[i]);
    }
}

static void test_gsl(void **state)
{
    sc_rng r, s;
    sc_rng_init(&r, 3, 5, 7);
    sc_rng_init(&s, 3, 5, 7);
    for (int i = 0; i < 50; i++) {
        const double u = gsl_rng_uniform(&r.gsl);
        const uint64_t upper = gsl_rng_get(&s.gsl) >> 5, lower = gsl_rng_get(&s.gsl) >> 6;
        assert_true(u == ldexp((double)(upper << 26 | lower), -53)); /* two words, 53 bits */
        assert_true(u >= 0 && u < 1);
    }
    gsl_rng_set(&r.gsl, 11);
    sc_rng_init(&s, 11, 5, 7);
    assert_int_equal(gsl_rng_get(&r.gsl), gsl_rng_get(&s.gsl));
    assert_int_equal(gsl_rng_max(&r.gsl), UINT32_MAX);
    assert_int_equal(gsl_rng_min(&r.gsl), 0);
}

/* The mean of n uniforms lies within 5 standard errors of 1/2, and so does the count in each of 64
 * cells of n/64: chance of a false alarm below 1e-4, and the seed is fixed. */
static void test_uniform(void **state)
{
    enum { DRAWS = 200000, CELLS = 64 };
    double sum = 0;
    int cell[CELLS] = {0};
    sc_rng r;
    sc_rng_init(&r, 20240229, 2, 3);
    for (int i = 0; i < DRAWS; i++) {
        const double u = gsl_rng_uniform(&r.gsl);
        sum += u;
        cell[(int)(u * CELLS)]++;
    }
    assert_true(fabs(sum / DRAWS - 0.5) < 5 * sqrt(1.0 / 12 / DRAWS));
    const double mean = (double)DRAWS / CELLS;
    for (int i = 0; i < CELLS; i++)
        assert_true(fabs(cell[i] - mean) < 5 * sqrt(mean * (1 - 1.0 / CELLS)));
}

static void draw_items(uint32_t *out, int n, int threads)
{
#pragma omp parallel for num_threads(threads) schedule(dynamic, 1)
    for (int i = 0; i < n; i++) {
        sc_rng r;
        sc_rng_init(&r, 99, 4, (uint64_t)i);
        for (int skip = 0; skip < i % 7; skip++)
            (void)gsl_rng_get(&r.gsl);
        out[i] = (uint32_t)gsl_rng_get(&r.gsl);
    }
}

static void test_any_thread_count(void **state)
{
    uint32_t one[500], many[500];
    draw_items(one, 500, 1);
    for (int threads = 2; threads <= 3; threads++) {
        draw_items(many, 500, threads);
        assert_memory_equal(one, many, sizeof one);
    }
}

/* Values of XXH3 with seed 0 as the xxHash project publishes them for the empty input. */
static void test_hash_known(void **state)
{
    char hex[SC_HASH_HEX], id[SC_ID_HEX];
    assert_true(sc_hash64_of(NULL, 0) == UINT64_C(0x2D06800538D394C2));
    const sc_hash128 empty = sc_hash128_of(NULL, 0);
    sc_hash_hex(empty, hex);
    assert_string_equal(hex, "99aa06d3014798d86001c324468d497f");
    sc_hash_id(empty, id);
    assert_string_equal(id, "99aa06d30147");
    sc_hash_hex((sc_hash128){.hi = 0x1, .lo = 0xABCDEF}, hex);
    assert_string_equal(hex, "00000000000000010000000000abcdef");
}

/* Every bit of an input matters, and so does its length. */
static void test_hash_differs(void **state)
{
    unsigned char text[100] = {0};
    const sc_hash128 base = sc_hash128_of(text, sizeof text);
    const uint64_t base64 = sc_hash64_of(text, sizeof text);
    assert_true(sc_hash_equal(base, sc_hash128_of(text, sizeof text)));
    for (size_t bit = 0; bit < 8 * sizeof text; bit++) {
        text[bit / 8] ^= (unsigned char)(1 << bit % 8);
        assert_false(sc_hash_equal(base, sc_hash128_of(text, sizeof text)));
        assert_true(base64 != sc_hash64_of(text, sizeof text));
        text[bit / 8] ^= (unsigned char)(1 << bit % 8);
    }
    assert_false(sc_hash_equal(base, sc_hash128_of(text, sizeof text - 1)));
    assert_true(sc_hash_equal(sc_hash128_at(base, 7), sc_hash128_at(base, 7)));
    assert_false(sc_hash_equal(sc_hash128_at(base, 7), sc_hash128_at(base, 8)));
    assert_false(sc_hash_equal(sc_hash128_at(base, 7),
                               sc_hash128_at((sc_hash128){.hi = base.lo, .lo = base.hi}, 7)));
    assert_false(sc_hash_equal(base, (sc_hash128){.hi = base.hi, .lo = base.lo ^ 1}));
    assert_false(sc_hash_equal(base, (sc_hash128){.hi = base.hi ^ 1, .lo = base.lo}));
}

static void test_run(void **state)
{
    const double a = sc_now();
    while (sc_now() == a)
        continue;
    assert_true(sc_now() > a);
    assert_true(sc_now() - a < 1.0);
    for (int i = 0; i <= SC_STOP_INTERRUPT + 1; i++)
        for (int j = 0; j < i; j++)
            assert_string_not_equal(sc_stop_name((sc_stop)i), sc_stop_name((sc_stop)j));
    assert_string_equal(sc_stop_name(SC_STOP_BUDGET), "budget");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_known_answers), cmocka_unit_test(test_definition),
        cmocka_unit_test(test_names),         cmocka_unit_test(test_gsl),
        cmocka_unit_test(test_uniform),       cmocka_unit_test(test_any_thread_count),
        cmocka_unit_test(test_hash_known),    cmocka_unit_test(test_hash_differs),
        cmocka_unit_test(test_run),
    };
    return cmocka_run_group_tests_name("core/rng, hash, run", tests, NULL, NULL);
}
