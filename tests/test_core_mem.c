/* The heap's counters and its failing allocations; the arena. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka wants the four above first */
#include <cmocka.h>
#include <stdalign.h>

#include "core_support.h"

static void test_counts(void **state)
{
    const long before = sc_mem_live();
    char *a = sc_malloc(0), *b = sc_malloc(0);
    assert_non_null(a);
    assert_ptr_not_equal(a, b);
    int *c = sc_calloc(7, sizeof *c);
    for (int i = 0; i < 7; i++)
        assert_int_equal(c[i], 0);
    char *d = sc_strdup("text");
    assert_string_equal(d, "text");
    assert_int_equal(sc_mem_live(), before + 4);
    c[6] = 11;
    c = sc_realloc_array(c, 700, sizeof *c);
    assert_int_equal(c[6], 11);
    int *e = sc_realloc_array(NULL, 3, sizeof *e);
    assert_int_equal(sc_mem_live(), before + 5);
    sc_free(a);
    sc_free(b);
    sc_free(c);
    sc_free(d);
    sc_free(NULL);
    sc_release(e);
    assert_int_equal(sc_mem_live(), before);
}

static void test_overflow(void **state)
{
    const long before = sc_mem_live();
    char *p = sc_strdup("kept");
    assert_null(sc_calloc(SIZE_MAX / 3, 5));
    assert_null(sc_realloc_array(NULL, SIZE_MAX / 3, 5));
    assert_null(sc_realloc_array(p, SIZE_MAX / 3, 5));
    assert_says("no memory for");
    assert_string_equal(p, "kept");
    sc_free(p);
    assert_int_equal(sc_mem_live(), before);
}

static void test_fail_after(void **state)
{
    sc_mem_fail_after(1);
    char *a = sc_malloc(3);
    assert_non_null(a);
    assert_null(sc_malloc(5));
    assert_message("no memory for 5 bytes");
    char *b = sc_malloc(5); /* once only */
    assert_non_null(b);
    sc_mem_fail_after(0);
    assert_null(sc_realloc_array(a, 100, 1));
    sc_mem_fail_after(-1);
    sc_free(a);
    sc_free(b);
}

static void test_arena(void **state)
{
    const long before = sc_mem_live();
    sc_arena *a = NULL;
    assert_int_equal(sc_arena_create(&a, 1000), SC_OK);
    unsigned char *items[300];
    for (size_t i = 0; i < COUNT(items); i++) {
        const size_t n = i * 17 % 1300; /* some pass the size of a block */
        items[i] = sc_arena_calloc(a, n, 1);
        assert_int_equal((uintptr_t)items[i] % alignof(max_align_t), 0);
        for (size_t j = 0; j < n; j++)
            assert_int_equal(items[i][j], 0);
        memset(items[i], (int)i % 251, n);
    }
    for (size_t i = 0; i < COUNT(items); i++) /* none runs into another */
        for (size_t j = 0; j < i * 17 % 1300; j++)
            assert_int_equal(items[i][j], i % 251);
    const size_t used = sc_arena_bytes(a);
    assert_string_equal(sc_arena_strndup(a, "cut here", 3), "cut");
    assert_true(sc_arena_bytes(a) >= used + 4);
    assert_null(sc_arena_calloc(a, SIZE_MAX / 7, 8));
    assert_says("overflow");
    assert_null(sc_arena_strndup(a, "", SIZE_MAX));
    sc_arena_destroy(a);
    sc_arena_destroy(NULL);
    assert_int_equal(sc_mem_live(), before);
}

static sc_status fill_arena(void *payload)
{
    sc_arena *a = NULL;
    sc_status st = sc_arena_create(&a, 64);
    for (int i = 0; i < 9 && st == SC_OK; i++)
        st = sc_arena_calloc(a, 10, 10) ? SC_OK : SC_ENOMEM;
    sc_arena_destroy(a);
    return st;
}

static void test_no_memory(void **state)
{
    assert_int_equal(fail_each_allocation(fill_arena, NULL), 10);
}

static void test_threads(void **state)
{
    const long before = sc_mem_live();
#pragma omp parallel for num_threads(3)
    for (int i = 0; i < 30000; i++)
        sc_free(sc_malloc((size_t)i % 100));
    assert_int_equal(sc_mem_live(), before);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_counts),     cmocka_unit_test(test_overflow),
        cmocka_unit_test(test_fail_after), cmocka_unit_test(test_arena),
        cmocka_unit_test(test_no_memory),  cmocka_unit_test(test_threads),
    };
    return cmocka_run_group_tests_name("core/mem", tests, NULL, NULL);
}
