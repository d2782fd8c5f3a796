/* Optimisers on a recorded design space of which 4.2 % is valid. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka wants the four above first */
#include <cmocka.h>
#include <stdlib.h>

#include "search_table.h"

enum { SEEDS = 10, MARKS = 4 };
static const unsigned marks[MARKS] = {50, 100, 200, 500};

static search_table table;
static bool present;

static int read_table(void **state)
{
    const char *data = getenv("SCANTLE_DATA");
    const sc_status st =
        search_table_read(&table, data ? data : SCANTLE_SOURCE_DIR "/../shared/data");
    present = st == SC_OK;
    if (!present)
        print_message("SKIPPED: %s\n", sc_error_message());
    return st == SC_OK || st == SC_ENOTFOUND ? 0 : -1;
}

static void run_all(const char *optimizer, bool graded, double share[SEEDS][MARKS])
{
    for (uint64_t seed = 0; seed < SEEDS; seed++)
        assert_int_equal(
            search_table_run(share[seed], &table, optimizer, NULL, 1 + seed, graded, marks, MARKS),
            SC_OK);
}

static double mean(double share[SEEDS][MARKS], size_t mark)
{
    double sum = 0;
    for (size_t seed = 0; seed < SEEDS; seed++)
        sum += share[seed][mark];
    return sum / SEEDS;
}

static void test_the_table_is_what_it_should_be(void **state)
{
    size_t valid = 0;
    if (!present)
        skip();
    for (size_t i = 0; i < TABLE_ROWS; i++)
        valid += table.valid[i];
    assert_int_equal(valid, 3194); /* 4.2 % of 76,800 */
}

/* Sign test: were the two alike, nine or ten wins in ten would come with probability 0.011. The
 * means must pass those of the constrained NSGA-II of public libraries: 0.46, 0.75, 0.87. */
static void check_beats_random(const char *name)
{
    static const double public_nsga2[] = {0.46, 0.75, 0.87};
    double mine[SEEDS][MARKS], random[SEEDS][MARKS];
    if (!present)
        skip();
    run_all("random", false, random);
    for (int graded = 0; graded < 2; graded++) {
        run_all(name, graded, mine);
        for (size_t mark = 1; mark < MARKS; mark++) {
            size_t wins = 0;
            for (size_t seed = 0; seed < SEEDS; seed++)
                wins += mine[seed][mark] > random[seed][mark];
            assert_true(wins >= 9);
        }
        for (size_t mark = 0; mark < 3; mark++)
            assert_true(mean(mine, mark) > public_nsga2[mark]);
        assert_true(mean(mine, 3) > 0.99);
    }
}

static void test_nsga2_beats_random(void **state)
{
    check_beats_random("nsga2");
}

static void test_firefly_beats_random(void **state)
{
    check_beats_random("firefly");
}

static void test_lcs_beats_random(void **state)
{
    check_beats_random("lcs");
}

/* A net of base 2 has points in every box; random points leave holes. */
static void test_sobol_beats_random(void **state)
{
    double sobol[SEEDS][MARKS], random[SEEDS][MARKS];
    if (!present)
        skip();
    run_all("random", false, random);
    run_all("sobol", false, sobol);
    assert_true(mean(sobol, 3) > mean(random, 3));
}

static int by_value(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Wanted: medians of 0.90 and 0.985 after 50 and 100 evaluations. */
static void test_tpe_is_early(void **state)
{
    static const double wanted[] = {0.90, 0.985};
    double share[SEEDS][2], column[SEEDS];
    if (!present)
        skip();
    for (uint64_t seed = 0; seed < SEEDS; seed++)
        assert_int_equal(
            search_table_run(share[seed], &table, "tpe", NULL, 1 + seed, false, marks, 2), SC_OK);
    for (size_t mark = 0; mark < 2; mark++) {
        for (size_t seed = 0; seed < SEEDS; seed++)
            column[seed] = share[seed][mark];
        qsort(column, SEEDS, sizeof *column, by_value);
        assert_true(0.5 * (column[SEEDS / 2 - 1] + column[SEEDS / 2]) >= wanted[mark]);
    }
}

/* A model of the space pays where trials are few: past what the others reach (mean of random 0.51,
 * of nsga2 0.96 at 100) on each of three seeds. */
static void test_gp_needs_few_trials(void **state)
{
    static const unsigned few[] = {50, 100};
    if (!present)
        skip();
    for (uint64_t seed = 1; seed <= 3; seed++) {
        double share[2];
        assert_int_equal(search_table_run(share, &table, "gp", NULL, seed, seed == 3, few, 2),
                         SC_OK);
        assert_true(share[0] > 0.85 && share[1] > 0.97);
    }
}

int main(void)
{
    const struct CMUnitTest t[] = {
        cmocka_unit_test(test_the_table_is_what_it_should_be),
        cmocka_unit_test(test_nsga2_beats_random),
        cmocka_unit_test(test_firefly_beats_random),
        cmocka_unit_test(test_lcs_beats_random),
        cmocka_unit_test(test_sobol_beats_random),
        cmocka_unit_test(test_tpe_is_early),
        cmocka_unit_test(test_gp_needs_few_trials),
    };
    return cmocka_run_group_tests_name("search_table", t, read_table, NULL);
}
