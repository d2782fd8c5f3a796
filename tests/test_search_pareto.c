/* Dominance, fronts, crowding, archive and hypervolume against hand-made figures and naive oracles.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka wants the four above first */
#include <cmocka.h>
#include <math.h>
#include <string.h>

#include "core/mem.h"
#include "core/order.h"
#include "core/rng.h"
#include "search/pareto.h"

enum { N = 60, M = 5 };

/* Small whole numbers, so that ties and equal rows are common. */
static void fill(double *values, size_t n, uint64_t seed, unsigned range)
{
    sc_rng r;
    sc_rng_init(&r, seed, 1, 0);
    for (size_t i = 0; i < n; i++)
        values[i] = (double)gsl_rng_uniform_int(&r.gsl, range);
}

static bool dominates(const double *a, const double *b, size_t m)
{
    size_t not_worse = 0, better = 0;
    for (size_t j = 0; j < m; j++) {
        not_worse += a[j] <= b[j];
        better += a[j] < b[j];
    }
    return not_worse == m && better > 0;
}

static void test_compare(void **state)
{
    const double a[] = {2, 3, 5}, b[] = {2, 3, 7}, c[] = {3, 2, 5};
    assert_int_equal(sc_pareto_compare(a, b, 3), -1);
    assert_int_equal(sc_pareto_compare(b, a, 3), 1);
    assert_int_equal(sc_pareto_compare(a, c, 3), 0);
    assert_int_equal(sc_pareto_compare(a, a, 3), 0);
    assert_int_equal(sc_pareto_compare(a, b, 2), 0);
}

static void test_compare_constrained(void **state)
{
    const double low[] = {1, 1}, high[] = {9, 9};
    assert_int_equal(sc_pareto_compare_constrained(low, 0, high, 0, 2), -1);
    assert_int_equal(sc_pareto_compare_constrained(low, 0.1, high, 0, 2), 1);
    assert_int_equal(sc_pareto_compare_constrained(low, 3, high, 2, 2), 1);
    assert_int_equal(sc_pareto_compare_constrained(low, 2, high, 3, 2), -1);
    assert_int_equal(sc_pareto_compare_constrained(low, 2, high, 2, 2), 0);
    assert_int_equal(sc_pareto_compare_constrained(low, 2, high, HUGE_VAL, 2), -1);
    assert_int_equal(sc_pareto_compare_constrained(low, HUGE_VAL, high, HUGE_VAL, 2), 0);
}

static bool less(const void *context, uint32_t a, uint32_t b)
{
    const double *v = context;
    return v[a] < v[b];
}

static void test_order_is_stable(void **state)
{
    double v[N];
    uint32_t item[N], scratch[N];
    for (size_t n = 0; n <= N; n++) {
        fill(v, n, n, 7);
        for (size_t i = 0; i < n; i++)
            item[i] = (uint32_t)i;
        sc_order_sort(item, scratch, n, less, v);
        for (size_t i = 1; i < n; i++) {
            assert_true(v[item[i - 1]] <= v[item[i]]);
            assert_true(v[item[i - 1]] < v[item[i]] || item[i - 1] < item[i]);
        }
    }
}

/* Peel front after front, by the definition. @return number of fronts. */
static size_t naive_sort(uint32_t *rank, const double *v, const double *violation, size_t n,
                         size_t m)
{
    size_t left = n, fronts = 0;
    for (size_t i = 0; i < n; i++)
        rank[i] = UINT32_MAX;
    for (; left > 0; fronts++) {
        bool front[N] = {false};
        for (size_t i = 0; i < n; i++) {
            front[i] = rank[i] == UINT32_MAX;
            for (size_t j = 0; j < n && front[i]; j++) {
                const double a = violation ? violation[j] : 0, b = violation ? violation[i] : 0;
                const bool beats = a != b ? a < b : a == 0 && dominates(v + j * m, v + i * m, m);
                front[i] = !(rank[j] == UINT32_MAX && beats);
            }
        }
        for (size_t i = 0; i < n; i++) {
            if (front[i]) {
                rank[i] = (uint32_t)fronts;
                left--;
            }
        }
    }
    return fronts;
}

static void test_sort_equals_peeling(void **state)
{
    double v[N * M], violation[N];
    uint32_t want[N], got[N];
    sc_pareto_work *w;
    assert_int_equal(sc_pareto_work_create(&w, N), SC_OK);
    for (size_t m = 1; m <= M; m++) {
        for (uint64_t seed = 0; seed < 12; seed++) {
            const size_t n = 1 + seed * 59 / 11;
            fill(v, n * m, seed, seed % 2 ? 5 : 100);
            fill(violation, n, 1000 + seed, 4); /* a quarter is feasible */
            violation[n / 2] = HUGE_VAL;
            assert_int_equal(sc_pareto_sort(got, v, NULL, n, m, w),
                             naive_sort(want, v, NULL, n, m));
            assert_memory_equal(got, want, n * sizeof *got);
            assert_int_equal(sc_pareto_sort(got, v, violation, n, m, w),
                             naive_sort(want, v, violation, n, m));
            assert_memory_equal(got, want, n * sizeof *got);
        }
    }
    assert_int_equal(sc_pareto_sort(got, v, NULL, 0, 2, w), 0);
    sc_pareto_work_destroy(w);
    sc_pareto_work_destroy(NULL);
}

/* Rows that are not in the front lie between, to see that only item[] is read. */
static void test_crowding_by_hand(void **state)
{
    const double v[] = {0, 17, 99, 99, 2, 11, 5, 7, 98, 98, 13, 0};
    const uint32_t front[] = {5, 2, 0, 3}; /* (13,0) (2,11) (0,17) (5,7) */
    double d[4];
    sc_pareto_work *w;
    assert_int_equal(sc_pareto_work_create(&w, 4), SC_OK);
    sc_pareto_crowding(d, v, front, 4, 2, w);
    assert_true(isinf(d[0]) && isinf(d[2]));
    assert_float_equal(d[1], 5.0 / 13 + 10.0 / 17, 1e-15);
    assert_float_equal(d[3], 11.0 / 13 + 11.0 / 17, 1e-15);
    sc_pareto_crowding(d, v, front, 2, 2, w);
    assert_true(isinf(d[0]) && isinf(d[1]));
    sc_pareto_work_destroy(w);
}

static void test_crowding_without_range(void **state)
{
    const double v[] = {3, 0, 3, 2, 3, 5};
    const double wide[] = {-1.7e308, 0, 1.7e308};
    const uint32_t front[] = {0, 1, 2};
    double d[3];
    sc_pareto_work *w;
    assert_int_equal(sc_pareto_work_create(&w, 3), SC_OK);
    sc_pareto_crowding(d, v, front, 3, 2, w);
    assert_true(isinf(d[0]) && d[1] == 1.0 && isinf(d[2]));
    sc_pareto_crowding(d, wide, front, 3, 1, w); /* a range that no double holds */
    assert_true(d[1] == 1.0);
    sc_pareto_work_destroy(w);
}

/* The first of equal rows, and none that is dominated. */
static bool belongs(const double *v, size_t n, size_t m, size_t i)
{
    for (size_t j = 0; j < n; j++)
        if (dominates(v + j * m, v + i * m, m) ||
            (j < i && memcmp(v + j * m, v + i * m, m * sizeof *v) == 0))
            return false;
    return true;
}

static void check_archive(const sc_archive *a, const double *v, size_t n, size_t m)
{
    size_t want = 0;
    for (size_t i = 0; i < n; i++) {
        bool found = false;
        for (size_t k = 0; k < sc_archive_count(a); k++)
            found |= sc_archive_number(a, k) == i &&
                     memcmp(sc_archive_values(a, k), v + i * m, m * sizeof *v) == 0;
        assert_int_equal(found, belongs(v, n, m, i));
        want += belongs(v, n, m, i);
    }
    assert_int_equal(sc_archive_count(a), want);
    for (size_t k = 1; k < want && m == 2; k++)
        assert_true(sc_archive_values(a, k - 1)[0] < sc_archive_values(a, k)[0]);
}

static void test_archive_equals_filter(void **state)
{
    double v[N * M];
    for (size_t m = 1; m <= 4; m++) {
        for (uint64_t seed = 0; seed < 6; seed++) {
            sc_archive *a;
            assert_int_equal(sc_archive_create(&a, m), SC_OK);
            fill(v, N * m, seed, seed % 2 ? 6 : 50);
            for (size_t i = 0; i < N; i++) {
                bool added;
                assert_int_equal(sc_archive_add(a, v + i * m, i, &added), SC_OK);
                assert_int_equal(added, belongs(v, i + 1, m, i));
            }
            check_archive(a, v, N, m);
            sc_archive_destroy(a);
        }
    }
}

static void test_archive_rejects(void **state)
{
    const double nan_row[] = {1, NAN}, inf_row[] = {HUGE_VAL, 1};
    const double zero[] = {0.0, 1, 2}, minus_zero[] = {-0.0, 1, 2};
    sc_archive *a = NULL;
    bool added = true;
    assert_int_equal(sc_archive_create(&a, 0), SC_EINVAL);
    assert_int_equal(sc_archive_create(&a, SC_MAX_OBJECTIVES + 1), SC_EINVAL);
    assert_null(a);
    assert_int_equal(sc_archive_create(&a, 2), SC_OK);
    assert_int_equal(sc_archive_add(a, nan_row, 0, &added), SC_EINVAL);
    assert_int_equal(sc_archive_add(a, inf_row, 0, &added), SC_EINVAL);
    assert_true(added);
    assert_int_equal(sc_archive_count(a), 0);
    sc_archive_destroy(a);
    assert_int_equal(sc_archive_create(&a, 3), SC_OK);
    assert_int_equal(sc_archive_add(a, zero, 1, &added), SC_OK);
    assert_int_equal(sc_archive_add(a, minus_zero, 2, &added), SC_OK);
    assert_false(added);
    sc_archive_destroy(a);
    sc_archive_destroy(NULL);
}

/* ---- hypervolume ---- */

static double hypervolume(const double *v, size_t n, size_t m, const double *ref)
{
    double out = -1;
    assert_int_equal(sc_hypervolume(&out, v, n, m, ref), SC_OK);
    return out;
}

static void test_hypervolume_by_hand(void **state)
{
    const double ref[] = {13, 17, 19};
    const double staircase[] = {2, 11, 5, 7, 7, 3, 5, 13, 14, 0}; /* two add nothing */
    /* (5-2)(17-11) + (7-5)(17-7) + (13-7)(17-3) */
    assert_true(hypervolume(staircase, 5, 2, ref) == 18 + 20 + 84);
    const double boxes[] = {2, 11, 5, 7, 3, 13};
    /* 11*6*14 + 6*14*6 less the common 6*6*6 */
    assert_true(hypervolume(boxes, 2, 3, ref) == 924 + 504 - 216);
    const double line[] = {11, 7, 20};
    assert_true(hypervolume(line, 3, 1, ref) == 6);
    assert_true(hypervolume(line, 0, 1, ref) == 0);
    assert_true(hypervolume(boxes, 0, 3, ref) == 0);
    const double edge[] = {13, 0, 0, 17}; /* on the boundary of the box */
    assert_true(hypervolume(edge, 2, 2, ref) == 0);
}

/* Whole coordinates: count the unit cells below the reference that a point dominates. */
static double count_cells(const double *v, size_t n, size_t m, unsigned side)
{
    size_t total = 1, count = 0;
    for (size_t j = 0; j < m; j++)
        total *= side;
    for (size_t cell = 0; cell < total; cell++) {
        bool covered = false;
        for (size_t i = 0; i < n && !covered; i++) {
            size_t rest = cell;
            covered = true;
            for (size_t j = 0; j < m; j++, rest /= side)
                covered &= v[i * m + j] <= (double)(rest % side);
        }
        count += covered;
    }
    return (double)count;
}

static void test_hypervolume_counts_cells(void **state)
{
    double v[N * M], ref[M];
    for (size_t m = 1; m <= M; m++) {
        for (uint64_t seed = 0; seed < 8; seed++) {
            const unsigned side = m < 4 ? 11 : 5;
            const size_t n = m < 4 ? N : 12;
            for (size_t j = 0; j < m; j++)
                ref[j] = side;
            fill(v, n * m, 77 + seed, side + 1);
            assert_true(hypervolume(v, n, m, ref) == count_cells(v, n, m, side));
        }
    }
}

static void test_hypervolume_rejects(void **state)
{
    const double v[] = {1, NAN, 1, 1}, ref[] = {2, 2}, bad[] = {2, HUGE_VAL};
    double out = -7;
    assert_int_equal(sc_hypervolume(&out, v, 2, 2, ref), SC_EINVAL);
    assert_non_null(strstr(sc_error_message(), "objective 1 of point 0"));
    assert_int_equal(sc_hypervolume(&out, v + 2, 1, 2, bad), SC_EINVAL);
    assert_int_equal(sc_hypervolume(&out, v, 1, 0, ref), SC_EINVAL);
    assert_int_equal(sc_hypervolume(&out, v, 1, SC_MAX_OBJECTIVES + 1, ref), SC_EINVAL);
    assert_true(out == -7);
}

static sc_status use_memory(void)
{
    const double v[] = {1, 2, 3, 3, 1, 2, 2, 2, 2}, ref[] = {5, 5, 5};
    sc_pareto_work *w = NULL;
    sc_archive *a = NULL;
    double volume = -1;
    bool added;
    sc_status st = sc_pareto_work_create(&w, 9);
    if (st == SC_OK)
        st = sc_archive_create(&a, 3);
    for (uint64_t i = 0; i < 3 && st == SC_OK; i++)
        st = sc_archive_add(a, v + 3 * i, i, &added);
    if (st == SC_OK) {
        st = sc_hypervolume(&volume, v, 3, 3, ref);
        assert_true(st == SC_OK || volume == -1);
    }
    sc_archive_destroy(a);
    sc_pareto_work_destroy(w);
    return st;
}

static void test_out_of_memory(void **state)
{
    const long before = sc_mem_live();
    long k = 0;
    for (;; k++) {
        sc_mem_fail_after(k);
        const sc_status st = use_memory();
        sc_mem_fail_after(-1);
        assert_int_equal(sc_mem_live(), before);
        if (st == SC_OK)
            break;
        assert_int_equal(st, SC_ENOMEM);
    }
    assert_true(k >= 7);
}

int main(void)
{
    const struct CMUnitTest t[] = {
        cmocka_unit_test(test_compare),
        cmocka_unit_test(test_compare_constrained),
        cmocka_unit_test(test_order_is_stable),
        cmocka_unit_test(test_sort_equals_peeling),
        cmocka_unit_test(test_crowding_by_hand),
        cmocka_unit_test(test_crowding_without_range),
        cmocka_unit_test(test_archive_equals_filter),
        cmocka_unit_test(test_archive_rejects),
        cmocka_unit_test(test_hypervolume_by_hand),
        cmocka_unit_test(test_hypervolume_counts_cells),
        cmocka_unit_test(test_hypervolume_rejects),
        cmocka_unit_test(test_out_of_memory),
    };
    return cmocka_run_group_tests_name("search_pareto", t, NULL, NULL);
}
