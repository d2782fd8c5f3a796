/* The parts of the store that are pure: ranges, front, sample, parameters, keep, pack, paths. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka wants the four above first */
#include <cmocka.h>

#include <math.h>
#include <string.h>

#include "core/mem.h"
#include "core/rng.h"
#include "store/disk.h"
#include "store/front.h"
#include "store/pack.h"
#include "store/params.h"
#include "store/ranges.h"
#include "store_support.h"

/* ---- ranges ---- */

static void ranges_join_what_touches(void **state)
{
    static const struct {
        uint64_t add;
        size_t n; /* ranges afterwards */
    } step[] = {{5, 1}, {7, 2}, {6, 1}, {3, 2}, {4, 1}, {0, 2}, {9, 3}, {8, 2}, {INT64_MAX, 3}};
    sc_ranges r = {0};
    for (size_t i = 0; i < sizeof step / sizeof step[0]; i++) {
        assert_false(sc_ranges__has(&r, step[i].add));
        assert_ok(sc_ranges__add(&r, step[i].add));
        assert_int_equal(r.n, step[i].n);
        assert_true(sc_ranges__has(&r, step[i].add));
        assert_int_equal(sc_ranges__count(&r), i + 1);
    }
    assert_int_equal(r.range[1].first, 3);
    assert_int_equal(r.range[1].end, 10);
    sc_ranges__clear(&r);
    assert_int_equal(sc_mem_live(), 0);
}

static void ranges_agree_with_a_bitmap(void **state)
{
    enum { N = 211 };
    bool in[N] = {false};
    sc_ranges r = {0};
    sc_rng rng;
    sc_rng_init(&rng, 3, 1, 0);
    for (int k = 0; k < 150; k++) {
        const uint64_t i = gsl_rng_uniform_int(&rng.gsl, N);
        if (!in[i])
            assert_ok(sc_ranges__add(&r, i));
        in[i] = true;
        for (uint64_t j = 0; j < N; j++)
            assert_int_equal(sc_ranges__has(&r, j), in[j]);
    }
    unsigned char bytes[16 * N];
    sc_ranges back = {0};
    sc_ranges__encode(&r, bytes);
    assert_ok(sc_ranges__decode(&back, bytes, sc_ranges__bytes(&r)));
    assert_int_equal(back.n, r.n);
    assert_memory_equal(back.range, r.range, r.n * sizeof *r.range);
    sc_ranges__clear(&back);
    sc_ranges__clear(&r);
}

static void ranges_refuse_what_is_none(void **state)
{
    static const unsigned char reversed[16] = {5, [8] = 5};
    static const unsigned char overlap[32] = {0, [8] = 5, [16] = 5, [24] = 7};
    sc_ranges r = {0};
    assert_ok(sc_ranges__add(&r, 1));
    assert_int_equal(sc_ranges__decode(&r, reversed, 16), SC_EPARSE);
    assert_int_equal(sc_ranges__decode(&r, overlap, 32), SC_EPARSE);
    assert_int_equal(sc_ranges__decode(&r, overlap, 31), SC_EPARSE);
    assert_true(r.n == 1 && sc_ranges__has(&r, 1));
    for (uint64_t i = 1; r.n < SC_RANGES_MAX; i++)
        assert_ok(sc_ranges__add(&r, 2 * i + 1));
    assert_int_equal(sc_ranges__add(&r, 0x7000000), SC_ERANGE);
    assert_int_equal(r.n, SC_RANGES_MAX);
    sc_ranges__clear(&r);
}

/* ---- front ---- */

enum { POINTS = 120, M = 3 };

static bool dominates(const double *a, const double *b)
{
    bool better = false;
    for (int i = 0; i < M; i++) {
        if (a[i] > b[i])
            return false;
        better |= a[i] < b[i];
    }
    return better;
}

/* By definition: nobody dominates i, and nobody before i equals it. */
static bool on_front(double values[][M], int i)
{
    for (int k = 0; k < POINTS; k++)
        if (dominates(values[k], values[i]) ||
            (k < i && memcmp(values[k], values[i], sizeof values[i]) == 0))
            return false;
    return true;
}

static void front_is_a_function_of_the_set(void **state)
{
    double values[POINTS][M];
    sc_rng rng;
    for (int seed = 0; seed < 5; seed++) {
        sc_rng_init(&rng, (uint64_t)seed, 2, 0);
        uint64_t order[POINTS];
        for (int i = 0; i < POINTS; i++) {
            order[i] = (uint64_t)i;
            for (int k = 0; k < M; k++)
                values[i][k] = (double)gsl_rng_uniform_int(&rng.gsl, 7);
        }
        for (int i = POINTS - 1; i > 0; i--) { /* shuffle */
            const unsigned long k = gsl_rng_uniform_int(&rng.gsl, (unsigned long)i + 1);
            const uint64_t kept = order[i];
            order[i] = order[k];
            order[k] = kept;
        }
        bool member[POINTS] = {false};
        sc_front f = {.m = M};
        for (int i = 0; i < POINTS; i++) {
            bool entered = false;
            assert_ok(sc_front__offer(&f, order[i], values[order[i]], &entered));
            member[order[i]] = entered;
            for (size_t k = 0; k < f.n_gone; k++) {
                assert_true(member[f.gone[k]]);
                member[f.gone[k]] = false;
            }
        }
        size_t n = 0;
        for (int i = 0; i < POINTS; i++) {
            assert_int_equal(member[i], on_front(values, i));
            n += member[i];
        }
        assert_int_equal(f.n, n);
        sc_front__clear(&f);
    }
    assert_int_equal(sc_mem_live(), 0);
}

static void front_without_objectives_is_empty(void **state)
{
    sc_front f = {.m = 0};
    bool entered = true;
    assert_ok(sc_front__offer(&f, 0, NULL, &entered));
    assert_false(entered);
    assert_int_equal(f.n, 0);
    sc_front__clear(&f);
}

/* ---- sample ---- */

static size_t sample_of(bool *member, size_t wanted, size_t n, bool backwards)
{
    sc_sample s = {.study = {11, 13}, .wanted = wanted};
    memset(member, 0, n);
    for (size_t k = 0; k < n; k++) {
        const uint64_t i = backwards ? n - 1 - k : k;
        bool entered = false;
        uint64_t left = 0;
        assert_ok(sc_sample__offer(&s, i, &entered, &left));
        member[i] = entered;
        if (left != UINT64_MAX) {
            assert_true(entered && member[left]);
            member[left] = false;
        }
    }
    const size_t size = s.n;
    sc_sample__clear(&s);
    return size;
}

static void sample_is_a_function_of_the_set(void **state)
{
    enum { N = 500, WANTED = 37 };
    bool forwards[N], backwards[N], shorter[N];
    assert_int_equal(sample_of(forwards, WANTED, N, false), WANTED);
    assert_int_equal(sample_of(backwards, WANTED, N, true), WANTED);
    assert_memory_equal(forwards, backwards, N);
    size_t n = 0;
    for (size_t i = 0; i < N; i++)
        n += forwards[i];
    assert_int_equal(n, WANTED);
    /* What is in the sample of all was in the sample of each part that holds it. */
    (void)sample_of(shorter, WANTED, N / 2, false);
    for (size_t i = 0; i < N / 2; i++)
        assert_true(!forwards[i] || shorter[i]);
    assert_int_equal(sample_of(forwards, WANTED, 20, false), 20);
    assert_int_equal(sample_of(forwards, 0, N, false), 0);
}

/* Each index is drawn with probability k/n. Over many studies the number of draws of a fixed half
 * of the indices is a sum of hypergeometric ones: mean k/2 each, variance below k/4. */
static void sample_is_even(void **state)
{
    enum { STUDIES = 400, N = 100, K = 10 };
    long drawn = 0;
    for (uint64_t study = 0; study < STUDIES; study++) {
        sc_sample s = {.study = {study, 1}, .wanted = K};
        for (uint64_t i = 0; i < N; i++) {
            bool entered = false;
            uint64_t left = 0;
            assert_ok(sc_sample__offer(&s, i, &entered, &left));
        }
        for (size_t k = 0; k < s.n; k++)
            drawn += s.heap[k].index < N / 2;
        sc_sample__clear(&s);
    }
    const double sigma = sqrt(STUDIES * K / 4.0);
    assert_true(fabs((double)drawn - STUDIES * K / 2.0) < 5 * sigma);
}

/* ---- parameters ---- */

static void parameters_are_read(void **state)
{
    const char *text = "a=1,b='x, ''y''=z',c=-2.5e3,d='',e=it";
    static const struct {
        const char *name, *value;
        bool quoted;
    } want[] = {{"a", "1", false},
                {"b", "x, 'y'=z", true},
                {"c", "-2.5e3", false},
                {"d", "", true},
                {"e", "it", false}};
    sc_param p;
    sc_buf value;
    sc_buf_init(&value);
    for (size_t i = 0; i < sizeof want / sizeof want[0]; i++) {
        assert_ok(sc_param__next(&p, &text));
        assert_true(sc_param__is(&p, want[i].name));
        assert_int_equal(p.quoted, want[i].quoted);
        value.length = 0;
        sc_buf_puts(&value, "");
        sc_param__value(&p, &value);
        assert_string_equal(value.text, want[i].value);
    }
    assert_string_equal(text, "");
    sc_buf_clear(&value);
}

static void parameters_keep_to_the_list(void **state)
{
    static const char *const names[] = {"a", "b", "c"};
    static const char *const good[] = {"", "a=1", "c=1", "a=1,c=2", "a=1,b=2,c=3", "b=''"};
    static const char *const bad[] = {"a",       "a=",     "=1",      "a=1,",     "a=1,,b=2",
                                      "b=1,a=2", "d=1",    "a=1,a=2", "a='x",     "a='x'y",
                                      ",a=1",    "a=x'y'", "aa=1",    "a=1 b=2,b"};
    for (size_t i = 0; i < sizeof good / sizeof good[0]; i++)
        assert_ok(sc_params__check(good[i], names, 3));
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
        if (sc_params__check(bad[i], names, 3) != SC_EINVAL)
            fail_msg("'%s' was taken", bad[i]);
}

/* ---- keep ---- */

static void keep_reads_what_it_writes(void **state)
{
    static const char *const good[] = {"all", "feasible", "pareto", "sample:1", "sample:1048576"};
    static const char *const bad[] = {"",
                                      "All",
                                      "sample",
                                      "sample:",
                                      "sample:0",
                                      "sample:-1",
                                      "sample:1048577",
                                      "sample:1.5",
                                      "sample:9999999999999999999"};
    sc_store_keep keep = {SC_KEEP_SAMPLE, 99};
    char text[SC_STORE_KEEP_LEN];
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
        assert_fails(sc_store_keep_parse(&keep, bad[i]), SC_EINVAL, "keep policy");
    assert_true(keep.kind == SC_KEEP_SAMPLE && keep.n == 99);
    for (size_t i = 0; i < sizeof good / sizeof good[0]; i++) {
        assert_ok(sc_store_keep_parse(&keep, good[i]));
        assert_string_equal(sc_store_keep_text(text, keep), good[i]);
    }
}

/* ---- pack ---- */

static void pack_pays_or_is_left(void **state)
{
    char text[5000], back[sizeof text];
    unsigned char *packed = NULL;
    size_t n = 0;
    memset(text, 'x', sizeof text);
    assert_ok(sc_pack__deflate(&packed, &n, text, sizeof text));
    assert_non_null(packed);
    assert_true(n < sizeof text / 10);
    assert_ok(sc_pack__inflate((unsigned char *)back, sizeof back, packed, n));
    assert_memory_equal(text, back, sizeof text);
    assert_int_equal(sc_pack__inflate((unsigned char *)back, sizeof back - 1, packed, n),
                     SC_EPARSE);
    assert_int_equal(sc_pack__inflate((unsigned char *)back, sizeof back, packed, n - 1),
                     SC_EPARSE);
    packed[n / 2] ^= 1;
    assert_int_equal(sc_pack__inflate((unsigned char *)back, sizeof back, packed, n), SC_EPARSE);
    sc_free(packed);

    sc_rng rng;
    sc_rng_init(&rng, 9, 9, 9);
    for (size_t i = 0; i < sizeof text; i++) /* noise does not shrink */
        text[i] = (char)gsl_rng_uniform_int(&rng.gsl, 256);
    assert_ok(sc_pack__deflate(&packed, &n, text, sizeof text));
    assert_null(packed);
    assert_ok(sc_pack__deflate(&packed, &n, "", 0));
    assert_null(packed);
    assert_int_equal(sc_mem_live(), 0);
}

/* ---- paths ---- */

static void every_path_is_a_path(void **state)
{
    static const struct {
        const char *path, *uri;
    } want[] = {{"a.db", "file:./a.db"},
                {":memory:", "file:./%3Amemory%3A"},
                {"/x/a b?c#d%.db", "file:///x/a%20b%3Fc%23d%25.db"},
                {"//x/y", "file:////x/y"},
                {"\xc3\xa4", "file:./%C3%A4"}};
    sc_buf uri;
    for (size_t i = 0; i < sizeof want / sizeof want[0]; i++) {
        sc_buf_init(&uri);
        sc_disk__uri(&uri, want[i].path, false);
        assert_string_equal(uri.text, want[i].uri);
        sc_buf_clear(&uri);
    }
    assert_true(sc_disk__is_network_type(0x6969));
    assert_false(sc_disk__is_network_type(0xEF53)); /* ext4 */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ranges_join_what_touches),
        cmocka_unit_test(ranges_agree_with_a_bitmap),
        cmocka_unit_test(ranges_refuse_what_is_none),
        cmocka_unit_test(front_is_a_function_of_the_set),
        cmocka_unit_test(front_without_objectives_is_empty),
        cmocka_unit_test(sample_is_a_function_of_the_set),
        cmocka_unit_test(sample_is_even),
        cmocka_unit_test(parameters_are_read),
        cmocka_unit_test(parameters_keep_to_the_list),
        cmocka_unit_test(keep_reads_what_it_writes),
        cmocka_unit_test(pack_pays_or_is_left),
        cmocka_unit_test(every_path_is_a_path),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
