#ifndef TESTS_CORE_SUPPORT_H
#define TESTS_CORE_SUPPORT_H
/** What the tests of core share. Included after cmocka.h. */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "core/mem.h"
#include "scantle/error.h"

#if defined __SANITIZE_ADDRESS__ || defined __SANITIZE_THREAD__
#define SANITIZED
#elif defined __has_feature
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define SANITIZED
#endif
#endif

#define COUNT(array) (sizeof(array) / sizeof *(array))

/* The last failure's message holds that text. */
static inline void assert_says(const char *part)
{
    if (!strstr(sc_error_message(), part))
        fail_msg("message \"%s\" does not say \"%s\"", sc_error_message(), part);
}

/* The last failure's message is that text. */
static inline void assert_message(const char *whole)
{
    assert_string_equal(sc_error_message(), whole);
}

/* Let allocation 0, 1, 2, ... fail until run() gets by; nothing may leak on the way. run() gives
 * back what it made. @return how many allocations it takes. */
static inline long fail_each_allocation(sc_status (*run)(void *payload), void *payload)
{
    const long before = sc_mem_live();
    for (long i = 0;; i++) {
        sc_mem_fail_after(i);
        const sc_status st = run(payload);
        sc_mem_fail_after(-1);
        assert_int_equal(sc_mem_live(), before);
        if (st == SC_OK)
            return i;
        assert_int_equal(st, SC_ENOMEM);
        assert_true(i < 100000);
    }
}

/* Seconds of processor time of this process: a machine that is busy elsewhere does not count. */
static inline double cpu_now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* No more than so many seconds since begin. Sanitizers slow things down several times, valgrind so
 * much that a bound means nothing. */
static inline void assert_within(double begin, double seconds)
{
    const char *preload = getenv("LD_PRELOAD");
    const double used = cpu_now() - begin;
    double bound = seconds;
#ifdef SANITIZED
    bound *= 10;
#endif
    if (!(preload && strstr(preload, "vgpreload")) && used >= bound)
        fail_msg("took %g s", used);
}

/* A new empty folder under the working folder, entered by nobody; removed by remove_folder(). */
static inline char *make_folder(void)
{
    char *path = strdup("core_test_XXXXXX");
    assert_non_null(path);
    assert_non_null(mkdtemp(path));
    return path;
}

/* Path of a file of the reference data; skips the test if the data is not there. */
static inline const char *reference_data(char out[], size_t size, const char *name)
{
    const char *folder = getenv("SCANTLE_DATA");
    (void)snprintf(out, size, "%s/%s", folder ? folder : SCANTLE_SOURCE_DIR "/../shared/data",
                   name);
    if (access(out, R_OK) != 0) {
        print_message("SKIPPED: no reference data at %s (set SCANTLE_DATA)\n", out);
        skip();
    }
    return out;
}
#endif
