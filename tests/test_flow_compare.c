/* Shares of a true front: by hand, for optimisers whose walk is known, and of stored studies. */
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

#include "core/file.h"
#include "core/json.h"
#include "core/mem.h"
#include "flow/compare.h"
#include "flow/study.h"
#include "flow_support.h"

static void test_share_by_hand(void **state)
{
    /* below (10, 10): (2, 8) and (6, 4) cover 8*2 + 4*4 = 32, with (4, 9) nothing more */
    static const double ref[] = {10, 10};
    sc_share s;
    double now = -1;
    assert_int_equal(sc_share_open(&s, 2, ref, 64), SC_OK);
    assert_int_equal(sc_share_now(&now, &s), SC_OK);
    assert_true(now == 0);
    assert_int_equal(sc_share_add(&s, (const double[]){2, 8}), SC_OK);
    assert_int_equal(sc_share_now(&now, &s), SC_OK);
    assert_true(now == 0.25);
    assert_int_equal(sc_share_add(&s, (const double[]){6, 4}), SC_OK);
    assert_int_equal(sc_share_add(&s, (const double[]){4, 9}), SC_OK);
    assert_int_equal(sc_share_now(&now, &s), SC_OK);
    assert_true(now == (16.0 + 24.0 - 8.0) / 64.0);
    sc_share_close(&s);
    /* a front of one value: any feasible point is all of it */
    assert_int_equal(sc_share_open(&s, 1, ref, 0), SC_OK);
    assert_int_equal(sc_share_now(&now, &s), SC_OK);
    assert_true(now == 0);
    assert_int_equal(sc_share_add(&s, ref), SC_OK);
    assert_int_equal(sc_share_now(&now, &s), SC_OK);
    assert_true(now == 1);
    sc_share_close(&s);
}

static void test_quantiles_by_hand(void **state)
{
    double v[] = {7, 1, 3, 5}, one[] = {4};
    assert_true(sc_compare_quantile(v, 4, 0.5) == 4);
    assert_true(sc_compare_quantile(v, 4, 0.25) == 2.5); /* 1 + 0.75 * 2 */
    assert_true(sc_compare_quantile(v, 4, 1) == 7 && sc_compare_quantile(v, 4, 0) == 1);
    assert_true(sc_compare_quantile(one, 1, 0.75) == 4);
}

/* Two hundred values of which one is the least; points with a cost of 150 and more do not fit. */
static const char *put_study(void **state, const char *violation, const char *more)
{
    char text[600];
    FILE *f = fopen(flow_path(state, "t.csv"), "w");
    fputs("x,cost\n", f);
    for (int x = 0; x < 200; x++)
        fprintf(f, "%d,%d\n", x, x * 37 % 200);
    fclose(f);
    snprintf(text, sizeof text,
             "version: 1\nname: t\n"
             "evaluator: {table: t.csv, parameters: [x], violation: \"%s\"}\n"
             "objectives: [{metric: cost, goal: min}]\nbatch: 4\n%s",
             violation, more);
    const char *path = flow_path(state, "study.yaml");
    assert_int_equal(sc_file_write(path, text, strlen(text)), SC_OK);
    return path;
}

static const char *write_study(void **state, const char *more)
{
    return put_study(state, "cost - 149", more);
}

static sc_study *open_study(const char *path)
{
    sc_study *s = NULL;
    if (sc_study_open(&s, path, NULL) != SC_OK)
        fail_msg("%s", sc_error_message());
    return s;
}

static json_t *compare(const sc_study *s, const sc_compare_options *o)
{
    char *text = NULL;
    json_t *root = NULL;
    if (sc_study_compare(&text, s, o) != SC_OK)
        fail_msg("%s", sc_error_message());
    assert_int_equal(sc_json_parse(&root, "compared", text, strlen(text)), SC_OK);
    sc_release(text);
    return root;
}

static double share_at(const json_t *row, const char *which, size_t i)
{
    return json_number_value(json_array_get(json_object_get(row, which), i));
}

/* The way from 149 to 0: the grid's walk is known, and everybody has all of it in the end. */
static void test_compares(void **state)
{
    static const char *const names[] = {"grid", "random"};
    static const uint64_t marks[] = {2, 10, 200, 300};
    sc_compare_options o = SC_COMPARE_OPTIONS_INIT;
    sc_study *s = open_study(write_study(state, ""));
    o.optimizers = names;
    o.n_optimizers = 2;
    o.seeds = 3;
    o.marks = marks;
    o.n_marks = 4;
    json_t *root = compare(s, &o);
    const json_t *rows = json_object_get(root, "optimizers");
    assert_int_equal(json_array_size(rows), 2);
    assert_int_equal(json_integer_value(json_object_get(root, "front")), 1);
    const json_t *grid = json_array_get(rows, 0), *random = json_array_get(rows, 1);
    assert_true(fabs(share_at(grid, "median", 0) - 1) < 1e-15); /* x = 0 costs 0 */
    assert_true(share_at(random, "median", 0) < 1);
    assert_true(share_at(random, "q1", 1) <= share_at(random, "median", 1) &&
                share_at(random, "median", 1) <= share_at(random, "q3", 1));
    assert_true(share_at(random, "q1", 2) == 1 && share_at(random, "q3", 3) == 1);
    json_decref(root);
    sc_study_close(s);
}

/* What is infeasible adds nothing, however good its figures are: x = 0 costs 0 and is. */
static void test_infeasible_adds_nothing(void **state)
{
    static const char *const grid[] = {"grid"};
    static const uint64_t marks[] = {1, 2};
    sc_compare_options o = SC_COMPARE_OPTIONS_INIT;
    put_study(state, "cost == 0 ? 1 : 0", "");
    sc_study *s = open_study(flow_path(state, "study.yaml"));
    o.optimizers = grid;
    o.n_optimizers = 1;
    o.seeds = 1;
    o.marks = marks;
    o.n_marks = 2;
    json_t *root = compare(s, &o);
    const json_t *row = json_array_get(json_object_get(root, "optimizers"), 0);
    assert_true(share_at(row, "median", 0) == 0);
    /* x = 1 costs 37, on the way from 199 to 1 */
    assert_true(fabs(share_at(row, "median", 1) - 162.0 / 198) < 1e-12);
    json_decref(root);
    sc_study_close(s);
}

static void test_same_for_any_thread_count(void **state)
{
    sc_compare_options o = SC_COMPARE_OPTIONS_INIT;
    sc_study *s = open_study(write_study(state, ""));
    json_t *root[2];
    o.seeds = 5;
    o.n_optimizers = 3;
    o.optimizers = (const char *const[]){"random", "sobol", "nsga2"};
    for (int i = 0; i < 2; i++) {
        o.threads = 1 + 3 * i;
        root[i] = compare(s, &o);
        json_t *row;
        size_t k;
        json_array_foreach(json_object_get(root[i], "optimizers"), k, row)
            json_object_del(row, "us_per_suggestion");
    }
    assert_true(json_equal(root[0], root[1]));
    json_decref(root[0]);
    json_decref(root[1]);
    sc_study_close(s);
}

/* Those of the table of optimisers that search, in its order. */
static void test_all_that_search(void **state)
{
    sc_compare_options o = SC_COMPARE_OPTIONS_INIT;
    static const uint64_t few[] = {3};
    size_t n = 0;
    sc_study *s = open_study(write_study(state, ""));
    o.seeds = 1;
    o.marks = few;
    o.n_marks = 1;
    json_t *root = compare(s, &o);
    for (size_t i = 0; sc_optimizer_builtin(i); i++)
        if (strcmp(sc_optimizer_builtin(i), "grid") && strcmp(sc_optimizer_builtin(i), "list"))
            assert_string_equal(
                json_string_value(json_object_get(
                    json_array_get(json_object_get(root, "optimizers"), n++), "optimizer")),
                sc_optimizer_builtin(i));
    assert_int_equal(n, json_array_size(json_object_get(root, "optimizers")));
    json_decref(root);
    sc_study_close(s);
}

static void test_refuses(void **state)
{
    static const uint64_t bad[] = {5, 5};
    static const char *const unknown[] = {"nsga3"};
    char *text = NULL;
    sc_compare_options o = SC_COMPARE_OPTIONS_INIT;
    sc_study *s = open_study(write_study(state, ""));
    o.marks = bad;
    o.n_marks = 2;
    assert_int_equal(sc_study_compare(&text, s, &o), SC_EINVAL);
    o.n_marks = 1;
    o.optimizers = unknown;
    o.n_optimizers = 1;
    assert_int_equal(sc_study_compare(&text, s, &o), SC_ENOTFOUND);
    assert_non_null(strstr(sc_error_message(), "nsga2"));
    sc_study_close(s);
    s = open_study(flow_external_study(state, ""));
    assert_int_equal(sc_study_compare(&text, s, &o), SC_EINVAL);
    assert_non_null(strstr(sc_error_message(), "no recorded table"));
    assert_null(text);
    sc_study_close(s);
}

/* A list whose costs are known: 150 misses, then 100, 50 and 0 of the way from 149 to 0. */
static void test_share_of_a_stored_study(void **state)
{
    static const uint64_t marks[] = {1, 2, 3, 9};
    char more[200] = "optimizer: list\npoints: [";
    sc_study *s;
    sc_store *store = NULL;
    char *text = NULL;
    json_t *root = NULL;
    const int cost[] = {150, 100, 50, 0};
    for (int i = 0; i < 4; i++)
        for (int x = 0; x < 200; x++)
            if (x * 37 % 200 == cost[i])
                sprintf(more + strlen(more), "%sx=%d", i > 0 ? ", " : "", x);
    strcat(more, "]\n");
    const char *path = write_study(state, more), *db = flow_path(state, "a.db");
    s = open_study(path);
    assert_int_equal(sc_store_open(&store, db, SC_STORE_CREATE), SC_OK);
    assert_int_equal(sc_study_share(&text, s, store, marks, 4), SC_ENOTFOUND);
    sc_store_close(store);
    assert_int_equal(flow_run(path, db, 1, 0).infeasible, 1);
    assert_int_equal(sc_store_open(&store, db, SC_STORE_READ), SC_OK);
    if (sc_study_share(&text, s, store, marks, 4) != SC_OK)
        fail_msg("%s", sc_error_message());
    assert_int_equal(sc_json_parse(&root, "share", text, strlen(text)), SC_OK);
    const json_t *shares = json_object_get(root, "shares");
    const double want[] = {0, 49.0 / 149, 99.0 / 149, 1};
    const int trials[] = {1, 2, 3, 4};
    assert_int_equal(json_array_size(shares), 4);
    for (size_t i = 0; i < 4; i++) {
        const json_t *row = json_array_get(shares, i);
        assert_int_equal(json_integer_value(json_object_get(row, "trials")), trials[i]);
        assert_true(fabs(json_number_value(json_object_get(row, "share")) - want[i]) < 1e-12);
    }
    json_decref(root);
    sc_release(text);
    sc_store_close(store);
    sc_study_close(s);
}

#define WITH_FOLDER(test) cmocka_unit_test_setup_teardown(test, flow_set_up, flow_tear_down)

int main(void)
{
    const struct CMUnitTest t[] = {
        cmocka_unit_test(test_share_by_hand),
        cmocka_unit_test(test_quantiles_by_hand),
        WITH_FOLDER(test_compares),
        WITH_FOLDER(test_infeasible_adds_nothing),
        WITH_FOLDER(test_same_for_any_thread_count),
        WITH_FOLDER(test_all_that_search),
        WITH_FOLDER(test_refuses),
        WITH_FOLDER(test_share_of_a_stored_study),
    };
    return cmocka_run_group_tests_name("flow_compare", t, NULL, NULL);
}
