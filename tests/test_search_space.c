/* Spaces built by hand: parameters, conditions, constraints, sizes, fingerprints, ranks. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka wants the four above first */
#include <cmocka.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/mem.h"
#include "core/rng.h"
#include "search/space.h"

static const double POWERS[] = {1, 2, 4, 8, 16};
static const double ODD[] = {3, 5, 7};
static const char *const MODES[] = {"off", "private", "shared"};

static void add(sc_space *s, const char *name, const double *values, size_t n, size_t fallback)
{
    const sc_space_param p = {.name = name,
                              .kind = SC_SPACE_ORDINAL,
                              .n_values = n,
                              .values = values,
                              .fallback = fallback};
    assert_int_equal(sc_space_add(s, &p), SC_OK);
}

static void add_labels(sc_space *s, const char *name, const char *const *labels, size_t n)
{
    const sc_space_param p = {
        .name = name, .kind = SC_SPACE_CATEGORICAL, .n_values = n, .labels = labels};
    assert_int_equal(sc_space_add(s, &p), SC_OK);
}

/* mode(3) size(5, when mode is not off) width(3) depth(5, when size > 4): 225 points */
static sc_space *sample(void)
{
    sc_space *s;
    assert_int_equal(sc_space_create(&s, "sample"), SC_OK);
    add_labels(s, "mode", MODES, 3);
    add(s, "size", POWERS, 5, 1);
    add(s, "width", ODD, 3, 0);
    add(s, "depth", POWERS, 5, 0);
    assert_int_equal(sc_space_when(s, 3, "size > 4"), SC_OK);
    assert_int_equal(sc_space_when(s, 1, "mode != 'off'"), SC_OK);
    return s;
}

static void test_describes_itself(void **state)
{
    sc_space *s = sample();
    assert_string_equal(sc_space_name(s), "sample");
    assert_int_equal(sc_space_params(s), 4);
    const sc_space_param *p = sc_space_param_at(s, 0);
    assert_string_equal(p->name, "mode");
    assert_string_equal(p->labels[2], "shared");
    assert_true(p->values[2] == 2 && p->kind == SC_SPACE_CATEGORICAL);
    assert_int_equal(sc_space_find(s, "width"), 2);
    assert_int_equal(sc_space_find(s, "wid"), SIZE_MAX);
    assert_string_equal(sc_space_condition(s, 3), "size > 4");
    assert_null(sc_space_condition(s, 0));
    assert_string_equal(sc_space_kind_name(SC_SPACE_LOG2), "log2");
    sc_space_destroy(s);
    sc_space_destroy(NULL);
}

/* In a chain, what stops counting takes what hangs on it along. */
static void test_canonical_by_hand(void **state)
{
    static const struct {
        uint32_t from[4], to[4];
        bool active[4];
    } k[] = {
        {{1, 3, 2, 4}, {1, 3, 2, 4}, {1, 1, 1, 1}}, /* private, 8, 7, 16 */
        {{1, 2, 2, 4}, {1, 2, 2, 0}, {1, 1, 1, 0}}, /* size 4: depth rests */
        {{0, 4, 2, 4}, {0, 1, 2, 0}, {1, 0, 1, 0}}, /* off: size stands at 2 */
    };
    sc_space *s = sample();
    for (size_t i = 0; i < sizeof k / sizeof *k; i++) {
        uint32_t point[4];
        bool active[4];
        memcpy(point, k[i].from, sizeof point);
        sc_space_canonical(s, point, active);
        assert_memory_equal(point, k[i].to, sizeof point);
        assert_memory_equal(active, k[i].active, sizeof active);
    }
    sc_space_destroy(s);
}

/* All points by rank; canonical ones (those that stay), and of these the valid ones. */
static void count_points(const sc_space *s, uint64_t *distinct, uint64_t *valid)
{
    sc_space_size size;
    sc_space_size_of(s, &size);
    *distinct = *valid = 0;
    for (uint64_t rank = 0; rank < size.product_exact; rank++) {
        uint32_t point[8], twice[8];
        sc_space_unrank(s, rank, point);
        assert_int_equal(sc_space_rank(s, point), rank);
        sc_space_canonical(s, point, NULL);
        memcpy(twice, point, sizeof twice);
        sc_space_canonical(s, twice, NULL);
        assert_memory_equal(point, twice, sc_space_params(s) * sizeof *point); /* idempotent */
        if (sc_space_rank(s, point) != rank)
            continue;
        ++*distinct;
        *valid += sc_space_broken(s, point) == SIZE_MAX;
    }
}

/* Points that the first constraint rejects are those that break it first; the last one rejects at
 * least those that only it breaks. */
static void check_rejections(const sc_space *s, uint64_t distinct)
{
    const size_t n = sc_space_constraints(s);
    double rejected[8], points, first = 0, last = 0;
    sc_space_size size;
    assert_true(n <= 8);
    assert_false(sc_space_rejections(s, rejected, &points));
    assert_true(points == (double)distinct);
    sc_space_size_of(s, &size);
    for (uint64_t rank = 0; rank < size.product_exact; rank++) {
        uint32_t point[8];
        sc_space_unrank(s, rank, point);
        sc_space_canonical(s, point, NULL);
        const bool canonical = sc_space_rank(s, point) == rank;
        first += canonical && sc_space_broken(s, point) == 0;
        last += canonical && n > 0 && sc_space_broken(s, point) == n - 1;
    }
    assert_true(n == 0 || rejected[0] == first);
    assert_true(n == 0 || (rejected[n - 1] >= last && rejected[n - 1] <= points));
}

static void check_size(const sc_space *s)
{
    sc_space_size size;
    uint64_t distinct, valid;
    count_points(s, &distinct, &valid);
    sc_space_size_of(s, &size);
    assert_true(size.counted);
    assert_int_equal(size.distinct_exact, distinct);
    assert_int_equal(size.valid_exact, valid);
    assert_true(size.distinct == (double)distinct && size.valid == (double)valid);
    check_rejections(s, distinct);
}

static void test_size_by_hand(void **state)
{
    sc_space_size size;
    sc_space *s = sample();
    sc_space_size_of(s, &size);
    assert_int_equal(size.product_exact, 225);
    /* off: 3 widths. Two modes: 3 sizes up to 4 with 3 widths, 2 above with 3 widths, 5 depths. */
    assert_int_equal(size.distinct_exact, 3 + 2 * (3 * 3 + 2 * 3 * 5));
    assert_int_equal(size.valid_exact, size.distinct_exact);
    assert_int_equal(sc_space_require(s, "narrow", "width * size <= 20"), SC_OK);
    sc_space_size_of(s, &size);
    /* off stands at size 2: 3 widths. Sizes 1, 2: 3 each; 4: widths 3, 5; 8 and 16: none. */
    assert_int_equal(size.valid_exact, 3 + 2 * (3 + 3 + 2));
    check_size(s);
    sc_space_destroy(s);
}

/* Random small spaces, conditions on whatever comes earlier, and a random constraint. */
static void test_size_equals_enumeration(void **state)
{
    static const char *const names[] = {"a", "b", "c", "d", "e"};
    for (uint64_t seed = 0; seed < 40; seed++) {
        sc_rng r;
        sc_space *s;
        char text[64];
        sc_rng_init(&r, seed, 2, 0);
        assert_int_equal(sc_space_create(&s, "random"), SC_OK);
        for (size_t i = 0; i < 5; i++) {
            const size_t n = 1 + gsl_rng_uniform_int(&r.gsl, 4);
            add(s, names[i], POWERS, n, gsl_rng_uniform_int(&r.gsl, n));
            if (i == 0 || gsl_rng_uniform(&r.gsl) < 0.5)
                continue;
            snprintf(text, sizeof text, "%s >= %lu", names[gsl_rng_uniform_int(&r.gsl, i)],
                     gsl_rng_uniform_int(&r.gsl, 5));
            assert_int_equal(sc_space_when(s, i, text), SC_OK);
        }
        check_size(s);
        snprintf(text, sizeof text, "%s * %s <= 4", names[gsl_rng_uniform_int(&r.gsl, 5)],
                 names[gsl_rng_uniform_int(&r.gsl, 5)]);
        assert_int_equal(sc_space_require(s, "product", text), SC_OK);
        check_size(s);
        sc_space_destroy(s);
    }
}

static void test_size_of_large_spaces(void **state)
{
    static double many[1 << 16];
    char name[16];
    sc_space_size size;
    sc_space *s;
    for (size_t k = 0; k < sizeof many / sizeof *many; k++)
        many[k] = (double)k;
    assert_int_equal(sc_space_create(&s, "large"), SC_OK);
    for (int i = 0; i < 3; i++) {
        snprintf(name, sizeof name, "p%d", i);
        add(s, name, many, 1 << 16, 0);
    }
    add_labels(s, "mode", MODES, 3);
    assert_int_equal(sc_space_when(s, 0, "mode == 'off'"), SC_OK);
    sc_space_size_of(s, &size); /* 3 * 2^48, of which 2 * 2^32 + 2^48 count */
    assert_int_equal(size.product_exact, UINT64_C(3) << 48);
    assert_int_equal(size.distinct_exact, (UINT64_C(2) << 32) + (UINT64_C(1) << 48));
    add(s, "q", many, 1 << 16, 0);
    sc_space_size_of(s, &size);
    assert_int_equal(size.product_exact, 0);
    assert_true(size.product == 0x1.8p65);
    assert_int_equal(size.distinct_exact, 0);
    assert_true(size.counted && fabs(size.distinct / 0x1.0002p64 - 1) < 1e-12);
    assert_int_equal(sc_space_require(s, "both", "p0 + p1 > 3"), SC_OK);
    sc_space_size_of(s, &size); /* 3 * 2^32 combinations are too many to look at */
    assert_false(size.counted);
    sc_space_destroy(s);
}

static void test_restriction(void **state)
{
    const uint32_t upper[] = {2, 4}, last[] = {1}, shared[] = {2};
    uint32_t point[4] = {0, 1, 0, 1}, origin[4];
    double values[4];
    sc_space *s = sample();
    sc_space *whole = sample();
    assert_int_equal(sc_space_restrict(s, 1, upper, 2),
                     SC_OK); /* size: 4, 16; fallback 2 is gone */
    assert_int_equal(sc_space_param_at(s, 1)->n_values, 2);
    assert_true(sc_space_param_at(s, 1)->values[1] == 16);
    assert_int_equal(sc_space_param_at(s, 1)->fallback, 0);
    sc_space_canonical(s, point, NULL);
    const uint32_t resting[4] = {0, 0, 0, 0};
    assert_memory_equal(point, resting, sizeof point);
    sc_space_values(s, point, values);
    assert_true(values[1] == 2); /* off: the fallback counts, not the resting index */
    sc_space_origin(s, point, origin);
    assert_int_equal(origin[1], 1);
    assert_true(sc_hash_equal(sc_space_fingerprint(s, point), sc_space_fingerprint(whole, origin)));
    check_size(s);
    assert_int_equal(sc_space_restrict(s, 1, last, 1), SC_OK);
    assert_true(sc_space_param_at(s, 1)->values[0] == 16);
    assert_int_equal(sc_space_restrict(s, 0, shared, 1), SC_OK);
    assert_string_equal(sc_space_param_at(s, 0)->labels[0], "shared");
    const uint32_t on[4] = {0, 0, 1, 3}, as_added[4] = {2, 4, 1, 3};
    sc_space_origin(s, on, origin);
    assert_memory_equal(origin, as_added, sizeof origin);
    assert_true(sc_hash_equal(sc_space_fingerprint(s, on), sc_space_fingerprint(whole, as_added)));
    check_size(s);
    sc_space_destroy(s);
    s = sample();
    const uint32_t without_first[] = {1, 2, 3}, off[4] = {0, 2, 0, 4}, at_rest[4] = {0, 0, 0, 0};
    assert_int_equal(sc_space_restrict(s, 2, without_first + 1, 1), SC_OK); /* width: 7 */
    assert_int_equal(sc_space_restrict(s, 1, without_first, 3), SC_OK);     /* size: 2, 4, 8 */
    memcpy(point, off, sizeof point);
    sc_space_canonical(s, point, NULL);
    assert_memory_equal(point, at_rest, sizeof point);
    sc_space_destroy(s);
    s = sample();
    const uint32_t without_last[] = {0, 1, 2};
    assert_int_equal(sc_space_restrict(s, 1, without_last, 3), SC_OK); /* size: 1, 2, 4 */
    assert_int_equal(sc_space_param_at(s, 1)->fallback, 1);
    memcpy(point, off, sizeof point);
    sc_space_canonical(s, point, NULL);
    assert_int_equal(point[1], 1);
    sc_space_destroy(whole);
    sc_space_destroy(s);
}

static int by_bytes(const void *a, const void *b)
{
    return memcmp(a, b, sizeof(sc_hash128));
}

static void test_fingerprints_differ(void **state)
{
    sc_hash128 seen[225];
    size_t n = 0;
    sc_space *s = sample();
    for (uint64_t rank = 0; rank < 225; rank++) {
        uint32_t point[4], raw[4];
        sc_space_unrank(s, rank, raw);
        memcpy(point, raw, sizeof point);
        sc_space_canonical(s, point, NULL);
        /* what means the same is named the same */
        assert_true(sc_hash_equal(sc_space_fingerprint(s, raw), sc_space_fingerprint(s, point)));
        if (sc_space_rank(s, point) == rank)
            seen[n++] = sc_space_fingerprint(s, point);
    }
    qsort(seen, n, sizeof *seen, by_bytes);
    for (size_t i = 1; i < n; i++)
        assert_false(sc_hash_equal(seen[i - 1], seen[i]));
    sc_space_destroy(s);
}

/* A built space is shared: every thread sees the same canonical forms and names. */
static void test_same_for_any_thread_count(void **state)
{
    sc_hash128 want[225], got[225];
    sc_space *s = sample();
    assert_int_equal(sc_space_require(s, "narrow", "width * size <= 20"), SC_OK);
    for (int threads = 1; threads <= 5; threads++) {
#pragma omp parallel for num_threads(threads)
        for (uint64_t rank = 0; rank < 225; rank++) {
            uint32_t point[4];
            sc_space_unrank(s, rank, point);
            sc_space_canonical(s, point, NULL);
            got[rank] = sc_space_fingerprint(s, point);
            got[rank].lo += sc_space_broken(s, point);
        }
        if (threads == 1)
            memcpy(want, got, sizeof want);
        assert_memory_equal(got, want, sizeof want);
    }
    sc_space_destroy(s);
}

static void test_hash_names_the_content(void **state)
{
    const uint32_t two[] = {0, 1};
    sc_space *a = sample(), *b = sample();
    assert_true(sc_hash_equal(sc_space_hash(a), sc_space_hash(b)));
    assert_int_equal(sc_space_require(b, "r", "width < 7"), SC_OK);
    assert_false(sc_hash_equal(sc_space_hash(a), sc_space_hash(b)));
    assert_int_equal(sc_space_require(a, "r", "width < 5"), SC_OK);
    assert_false(sc_hash_equal(sc_space_hash(a), sc_space_hash(b)));
    sc_space_destroy(b);
    b = sample();
    sc_space_destroy(a);
    a = sample();
    assert_int_equal(sc_space_restrict(b, 2, two, 2), SC_OK);
    assert_false(sc_hash_equal(sc_space_hash(a), sc_space_hash(b)));
    sc_space_destroy(a);
    sc_space_destroy(b);
}

/* A hardware template's way: mode 0 puts parameter 1 at its fallback, index 1 of the values added.
 */
static void by_template(const void *payload, uint32_t *index)
{
    (*(int *)payload)++;
    if (index[0] == 0)
        index[1] = 1;
}

static void test_canonical_callback(void **state)
{
    const uint32_t upper[] = {2, 3, 4};
    int calls = 0;
    uint32_t point[2] = {0, 2}, origin[2];
    bool active[2];
    sc_space_size size;
    sc_problem problem;
    sc_space *s;
    assert_int_equal(sc_space_create(&s, "callback"), SC_OK);
    add_labels(s, "mode", MODES, 3);
    add(s, "size", POWERS, 5, 1);
    assert_int_equal(sc_space_set_canonical(s, by_template, &calls), SC_OK);
    assert_int_equal(sc_space_when(s, 1, "mode != 'off'"), SC_EINVAL);
    sc_space_canonical(s, point, active);
    assert_true(point[1] == 1 && active[0] && !active[1]);
    sc_space_size_of(s, &size);
    assert_int_equal(size.distinct_exact, 1 + 2 * 5);
    assert_int_equal(sc_space_restrict(s, 1, upper, 3), SC_OK);
    point[1] = 2;
    sc_space_canonical(s, point, active);
    assert_true(point[1] == 0 && !active[1]);
    sc_space_origin(s, point, origin);
    assert_int_equal(origin[1], 1);
    check_size(s);
    sc_space_problem(s, 1, &problem);
    assert_non_null(problem.canonical);
    assert_null(problem.valid);
    assert_true(calls > 0);
    sc_space_destroy(s);
}

/* A set of 5 of 15 points: indices, as added, of an even sum, and a second one of at least so much.
 */
static bool is_member(const void *payload, const uint32_t *origin)
{
    return origin[1] >= *(const uint32_t *)payload && (origin[0] + origin[1]) % 2 == 0;
}

static void test_member_of_a_set(void **state)
{
    static const uint32_t least = 1, keep[] = {1, 3, 4};
    const uint32_t in[] = {1, 1}, out[] = {0, 1};
    double rejected[1], points;
    sc_space_size size;
    sc_space *s, *other;
    assert_int_equal(sc_space_create(&s, "set"), SC_OK);
    add(s, "size", POWERS, 5, 0);
    add(s, "width", ODD, 3, 0);
    assert_int_equal(sc_space_require_member(s, "set", "in the set", is_member, &least), SC_OK);
    assert_int_equal(sc_space_require_member(s, "set", "again", is_member, &least), SC_EINVAL);
    assert_string_equal(sc_space_constraint_text(s, 0), "in the set");
    assert_int_equal(sc_space_broken(s, in), SIZE_MAX);
    assert_int_equal(sc_space_broken(s, out), 0);
    sc_space_size_of(s, &size);
    assert_true(size.counted && size.distinct == 15 && size.valid == 5); /* 2 and 3 of 5 */
    assert_false(sc_space_rejections(s, rejected, &points));
    assert_true(rejected[0] == 10 && points == 15);
    assert_int_equal(sc_space_create(&other, "set"), SC_OK);
    add(other, "size", POWERS, 5, 0);
    add(other, "width", ODD, 3, 0);
    assert_int_equal(sc_space_require_member(other, "set", "other", is_member, &least), SC_OK);
    assert_false(sc_hash_equal(sc_space_hash(s), sc_space_hash(other)));
    sc_space_destroy(other);
    /* as added: indices 1, 3, 4 of size; the point (0, 1) is now (1, 1) */
    assert_int_equal(sc_space_restrict(s, 0, keep, 3), SC_OK);
    assert_int_equal(sc_space_broken(s, out), SIZE_MAX);
    sc_space_size_of(s, &size);
    assert_true(size.distinct == 9 && size.valid == 3); /* (1,1) (3,1) (4,2) */
    sc_space_destroy(s);
}

static void test_problem_of_space(void **state)
{
    sc_problem p;
    sc_space *s;
    assert_int_equal(sc_space_create(&s, "plain"), SC_OK);
    add(s, "width", ODD, 3, 0);
    add_labels(s, "mode", MODES, 2);
    sc_space_problem(s, 3, &p);
    assert_null(sc_problem_check(&p));
    assert_true(p.n_params == 2 && p.n_objectives == 3);
    assert_true(p.cardinality[0] == 3 && p.cardinality[1] == 2);
    assert_true(!p.categorical[0] && p.categorical[1]);
    assert_null(p.canonical);
    assert_null(p.valid);
    assert_int_equal(sc_space_require(s, "r", "width > 3 && mode == 'off'"), SC_OK);
    sc_space_problem(s, 3, &p);
    for (uint32_t i = 0; i < 6; i++) {
        const uint32_t point[] = {i / 2, i % 2};
        assert_int_equal(p.valid(p.context, point), i / 2 > 0 && i % 2 == 0);
        assert_int_equal(sc_space_broken(s, point), i / 2 > 0 && i % 2 == 0 ? SIZE_MAX : 0);
    }
    sc_space_destroy(s);
}

/* Not a number is not true. */
static void test_expressions_without_value(void **state)
{
    const double values[] = {-1, 0, 1};
    const uint32_t bad[] = {0, 2};
    uint32_t point[] = {1, 2};
    sc_space *s;
    assert_int_equal(sc_space_create(&s, "nan"), SC_OK);
    add(s, "x", values, 3, 0);
    add(s, "y", values, 3, 0);
    assert_int_equal(sc_space_require(s, "root", "sqrt(x) < 5"), SC_OK);
    assert_int_equal(sc_space_when(s, 1, "1 / x"), SC_OK);
    assert_int_equal(sc_space_broken(s, bad), 0);
    assert_int_equal(sc_space_broken(s, point), SIZE_MAX);
    sc_space_canonical(s, point, NULL);
    assert_int_equal(point[1], 0);
    sc_space_destroy(s);
}

static void test_rejects_parameters(void **state)
{
    static const double down[] = {2, 1}, twice[] = {1, 1}, nan_value[] = {NAN};
    static const char *const same[] = {"a", "a"}, *const empty[] = {"a", ""};
    static char long_name[65];
    memset(long_name, 'n', 64);
    const sc_space_param k[] = {
        {"", SC_SPACE_INT, SC_UNIT_NONE, 3, ODD, NULL, 0},
        {"1a", SC_SPACE_INT, SC_UNIT_NONE, 3, ODD, NULL, 0},
        {"a b", SC_SPACE_INT, SC_UNIT_NONE, 3, ODD, NULL, 0},
        {"../<script>", SC_SPACE_INT, SC_UNIT_NONE, 3, ODD, NULL, 0},
        {long_name, SC_SPACE_INT, SC_UNIT_NONE, 3, ODD, NULL, 0},
        {"width", SC_SPACE_INT, SC_UNIT_NONE, 3, ODD, NULL, 0}, /* is there */
        {"a", SC_SPACE_INT, SC_UNIT_NONE, 0, ODD, NULL, 0},
        {"a", SC_SPACE_INT, SC_UNIT_NONE, SC_MAX_VALUES + 1, ODD, NULL, 0},
        {"a", SC_SPACE_INT, SC_UNIT_NONE, 3, NULL, NULL, 0},
        {"a", SC_SPACE_INT, SC_UNIT_NONE, 3, ODD, NULL, 3},
        {"a", SC_SPACE_INT, SC_UNIT_NONE, 2, down, NULL, 0},
        {"a", SC_SPACE_INT, SC_UNIT_NONE, 2, twice, NULL, 0},
        {"a", SC_SPACE_INT, SC_UNIT_NONE, 1, nan_value, NULL, 0},
        {"a", SC_SPACE_CATEGORICAL, SC_UNIT_NONE, 2, NULL, NULL, 0},
        {"a", SC_SPACE_CATEGORICAL, SC_UNIT_NONE, 2, NULL, same, 0},
        {"a", SC_SPACE_CATEGORICAL, SC_UNIT_NONE, 2, NULL, empty, 0},
        {"a", SC_SPACE_CATEGORICAL, SC_UNIT_NONE, SC_MAX_LABELS + 1, NULL, same, 0},
    };
    sc_space *s = sample();
    const sc_hash128 before = sc_space_hash(s);
    for (size_t i = 0; i < sizeof k / sizeof *k; i++)
        assert_int_equal(sc_space_add(s, &k[i]), SC_EINVAL);
    assert_true(sc_hash_equal(before, sc_space_hash(s)));
    for (size_t i = 4; i < SC_MAX_PARAMS; i++) {
        char name[16];
        snprintf(name, sizeof name, "p%zu", i);
        add(s, name, ODD, 1, 0);
    }
    const sc_space_param more = {"more", SC_SPACE_INT, SC_UNIT_NONE, 3, ODD, NULL, 0};
    assert_int_equal(sc_space_add(s, &more), SC_EINVAL);
    assert_string_equal(sc_space_param_at(s, 0)->name, "mode"); /* views survive the growth */
    sc_space_destroy(s);
}

static void test_rejects_rules(void **state)
{
    const uint32_t none[] = {0}, high[] = {3}, down[] = {1, 0};
    sc_space *s = sample();
    const sc_hash128 before = sc_space_hash(s);
    assert_int_equal(sc_space_when(s, 0, "depth > 1"), SC_EINVAL); /* depth, size, mode, depth */
    assert_non_null(strstr(sc_error_message(), "circle"));
    assert_int_equal(sc_space_when(s, 2, "width > 3"), SC_EINVAL); /* on itself */
    assert_int_equal(sc_space_when(s, 1, "width > 3"), SC_EINVAL); /* has one */
    assert_int_equal(sc_space_when(s, 4, "width > 3"), SC_EINVAL);
    assert_int_equal(sc_space_when(s, 2, "sise > 3"), SC_EPARSE);
    assert_int_equal(sc_space_when(s, 2, "mode == 'of'"), SC_EPARSE);
    assert_int_equal(sc_space_require(s, "", "width > 3"), SC_EINVAL);
    assert_int_equal(sc_space_require(s, "r", "width >"), SC_EPARSE);
    assert_int_equal(sc_space_restrict(s, 2, none, 0), SC_EINVAL);
    assert_int_equal(sc_space_restrict(s, 2, high, 1), SC_EINVAL);
    assert_int_equal(sc_space_restrict(s, 2, down, 2), SC_EINVAL);
    assert_int_equal(sc_space_restrict(s, 4, none, 1), SC_EINVAL);
    assert_int_equal(sc_space_set_canonical(s, by_template, NULL), SC_EINVAL);
    assert_true(sc_hash_equal(before, sc_space_hash(s)));
    assert_int_equal(sc_space_require(s, "../<b>'\n", "width > 3"), SC_OK); /* any name will do */
    assert_int_equal(sc_space_require(s, "../<b>'\n", "width > 3"), SC_EINVAL);
    assert_int_equal(sc_space_constraints(s), 1);
    assert_string_equal(sc_space_constraint_name(s, 0), "../<b>'\n");
    assert_string_equal(sc_space_constraint_text(s, 0), "width > 3");
    sc_space_destroy(s);
}

static sc_status build(void)
{
    const sc_space_param labels = {
        .name = "mode", .kind = SC_SPACE_CATEGORICAL, .n_values = 3, .labels = MODES};
    const sc_space_param numbers = {
        .name = "size", .kind = SC_SPACE_LOG2, .n_values = 5, .values = POWERS};
    uint32_t point[] = {2, 2};
    sc_space *s = NULL;
    sc_status st = sc_space_create(&s, "memory");
    if (st == SC_OK)
        st = sc_space_add(s, &labels);
    if (st == SC_OK)
        st = sc_space_add(s, &numbers);
    if (st == SC_OK)
        st = sc_space_when(s, 1, "mode != 'off'");
    if (st == SC_OK)
        st = sc_space_require(s, "r", "size < 16");
    if (st == SC_OK) {
        st = sc_space_parse(s, "mode=off", point);
        assert_int_equal(point[0], st == SC_OK ? 0 : 2);
    }
    sc_space_destroy(s);
    return st;
}

static void test_out_of_memory(void **state)
{
    long k = 0;
    const long before = sc_mem_live();
    for (;; k++) {
        sc_mem_fail_after(k);
        const sc_status st = build();
        sc_mem_fail_after(-1);
        assert_int_equal(sc_mem_live(), before);
        if (st == SC_OK)
            break;
        assert_int_equal(st, SC_ENOMEM);
    }
    assert_true(k > 20);
}

int main(void)
{
    const struct CMUnitTest t[] = {
        cmocka_unit_test(test_describes_itself),
        cmocka_unit_test(test_canonical_by_hand),
        cmocka_unit_test(test_size_by_hand),
        cmocka_unit_test(test_size_equals_enumeration),
        cmocka_unit_test(test_size_of_large_spaces),
        cmocka_unit_test(test_restriction),
        cmocka_unit_test(test_fingerprints_differ),
        cmocka_unit_test(test_same_for_any_thread_count),
        cmocka_unit_test(test_hash_names_the_content),
        cmocka_unit_test(test_canonical_callback),
        cmocka_unit_test(test_member_of_a_set),
        cmocka_unit_test(test_problem_of_space),
        cmocka_unit_test(test_expressions_without_value),
        cmocka_unit_test(test_rejects_parameters),
        cmocka_unit_test(test_rejects_rules),
        cmocka_unit_test(test_out_of_memory),
    };
    return cmocka_run_group_tests_name("search_space", t, NULL, NULL);
}
