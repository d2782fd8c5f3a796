/* Data sets, splits and scales: by hand, what is refused, and bytes there and back. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka wants the four above first */
#include <cmocka.h>
#include <math.h>

#include "core/mem.h"
#include "core_support.h"
#include "surrogate/encoder.h"
#include "surrogate/split.h"

static const sc_column columns[] = {
    {"pes", SC_COLUMN_LOG},    {"depth", SC_COLUMN_ORDINAL}, {"flow", SC_COLUMN_LABEL},
    {"net", SC_COLUMN_GROUP},  {"cycles", SC_COLUMN_TARGET}, {"ok", SC_COLUMN_FEASIBLE},
    {"noise", SC_COLUMN_REAL},
};

static sc_dataset *make(void)
{
    sc_dataset *d = NULL;
    assert_int_equal(sc_dataset_create(&d, columns, COUNT(columns), 0), SC_OK);
    return d;
}

/* A file of that text, read into d. */
static sc_status read_text(sc_dataset *d, const char *text)
{
    char *folder = make_folder(), path[300];
    (void)snprintf(path, sizeof path, "%s/log.csv", folder);
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    assert_true(fputs(text, f) >= 0);
    assert_int_equal(fclose(f), 0);
    const sc_status st = sc_dataset_read(d, path);
    assert_int_equal(unlink(path), 0);
    assert_int_equal(rmdir(folder), 0);
    free(folder);
    return st;
}

static const char *const log_text = "flow,pes,extra,depth,cycles,ok,net,noise\n"
                                    "ws,1,x,4,100,true,a,5\n"
                                    "os,16,x,2,,no,a,5\n"
                                    ",4,x,8,50,1,b,NaN\n"
                                    "ws,?,x,2,70,yes,,5\n";

static void test_file(void **state)
{
    sc_dataset *d = make();
    assert_int_equal(read_text(d, log_text), SC_OK);
    assert_int_equal(sc_dataset_rows(d), 4);
    assert_true(sc_dataset_number(d, 1, 0) == 16 && isnan(sc_dataset_number(d, 3, 0)));
    assert_true(isnan(sc_dataset_number(d, 2, 6)));
    assert_string_equal(sc_dataset_text(d, 1, 2), "os");
    assert_null(sc_dataset_text(d, 2, 2));
    assert_true(sc_dataset_feasible(d, 0) && !sc_dataset_feasible(d, 1) &&
                sc_dataset_feasible(d, 3));
    assert_true(isnan(sc_dataset_target(d, 1, 0)) && sc_dataset_target(d, 2, 0) == 50);
    assert_int_equal(sc_dataset_group(d, 0), sc_dataset_group(d, 1));
    assert_true(sc_dataset_group(d, 0) != sc_dataset_group(d, 2));
    assert_true(sc_dataset_group(d, 3) == UINT32_MAX);
    assert_true(sc_dataset_bytes(d) > 4 * (8 * 4 + 4 * 2 + 1));
    sc_dataset_destroy(d);
}

static void refused(const char *text, const char *says)
{
    sc_dataset *d = make();
    assert_int_equal(read_text(d, text), SC_EPARSE);
    assert_says(says);
    sc_dataset_destroy(d);
}

static void test_files_refused(void **state)
{
    refused("flow,pes,depth,nois\nws,1,2,3\n", "no column noise (did you mean 'nois'?)");
    refused("flow,pes,depth,noise\nws,0,2,3\n",
            "log.csv:2:4: error: 0 in column pes is not positive");
    refused("flow,pes,depth,noise\nws,4,2,3\nws,4,many,3\n", "log.csv:3:6: error:");
    refused("flow,pes,depth,noise,ok\nws,4,2,3,perhaps\n", "a flag is 1, true, yes");
    refused("flow,pes,depth,noise,pes\nws,4,2,3,4\n", "column pes stands twice");
    sc_dataset *d = make();
    assert_int_equal(sc_dataset_read(d, "no/such/file.csv"), SC_ENOTFOUND);
    sc_dataset_destroy(d);
}

static void test_columns_refused(void **state)
{
    sc_dataset *d = NULL;
    const sc_column twice[] = {{"a", SC_COLUMN_REAL}, {"a", SC_COLUMN_TARGET}};
    const sc_column groups[] = {
        {"a", SC_COLUMN_REAL}, {"b", SC_COLUMN_GROUP}, {"c", SC_COLUMN_GROUP}};
    const sc_column none[] = {{"a", SC_COLUMN_TARGET}};
    assert_int_equal(sc_dataset_create(&d, twice, 2, 0), SC_EINVAL);
    assert_says("a stands twice");
    assert_int_equal(sc_dataset_create(&d, groups, 3, 0), SC_EINVAL);
    assert_says("b and c are both of kind group");
    assert_int_equal(sc_dataset_create(&d, none, 1, 0), SC_EINVAL);
    assert_says("no column to learn from");
    assert_int_equal(sc_dataset_create(&d, none, 0, 0), SC_EINVAL);
    assert_null(d);
}

/* Memory is bounded: a row takes 8 * 2 + 1 bytes here. */
static void test_memory_is_bounded(void **state)
{
    const sc_column two[] = {{"x", SC_COLUMN_REAL}, {"y", SC_COLUMN_TARGET}};
    sc_dataset *d = NULL;
    double cells[2 * 1000] = {0};
    assert_int_equal(sc_dataset_create(&d, two, 2, 17 * 700), SC_OK);
    assert_int_equal(sc_dataset_add(d, cells, 1000), SC_ERANGE);
    assert_says("only 700 rows of 17 bytes fit");
    assert_int_equal(sc_dataset_rows(d), 700);
    sc_dataset_destroy(d);
}

static void test_array(void **state)
{
    sc_dataset *d = make();
    const double cells[] = {8, 2, 7, 3, 100, 1, 0.5, 8, NAN, NAN, NAN, NAN, NAN, NAN};
    assert_int_equal(sc_dataset_add(d, cells, 2), SC_OK);
    assert_string_equal(sc_dataset_text(d, 0, 2), "7");
    assert_null(sc_dataset_text(d, 1, 2));
    assert_true(sc_dataset_feasible(d, 1));
    const double bad[] = {-1, 2, 7, 3, 100, 1, 0.5}, far[] = {1, 2, 7, 3, INFINITY, 1, 0.5};
    assert_int_equal(sc_dataset_add(d, bad, 1), SC_EINVAL);
    assert_says("row 2, column pes: -1 is not positive");
    assert_int_equal(sc_dataset_add(d, far, 1), SC_EINVAL);
    assert_says("column cycles: inf is infinite");
    assert_int_equal(sc_dataset_rows(d), 2);
    sc_dataset_destroy(d);
}

/* ---- scales ---- */

static sc_encoder *fit(const sc_dataset *d, const uint32_t *row, size_t n)
{
    sc_encoder *e = NULL;
    assert_int_equal(sc_encoder_fit(&e, d, row, n), SC_OK);
    return e;
}

static void assert_near(double got, double want)
{
    if (!(fabs(got - want) <= 1e-6))
        fail_msg("%.9g is not %.9g", got, want);
}

/* pes: logs 0, 4, 2 of base 2: mean 2, deviation sqrt(8/3). depth: levels 2, 4, 8: numbers 1, 0, 2
 * and 0: mean 3/4, deviation sqrt(11)/4. noise is constant. */
static void test_scales_by_hand(void **state)
{
    const uint32_t rows[] = {0, 1, 2, 3};
    size_t at[8];
    sc_real x[8];
    uint32_t code[4];
    sc_dataset *d = make();
    assert_int_equal(read_text(d, log_text), SC_OK);
    sc_encoder *e = fit(d, rows, 4);
    assert_int_equal(sc_encoder_reals(e), 4); /* pes, pes missing, depth, flow missing */
    assert_int_equal(sc_encoder_codes(e), 2);
    assert_int_equal(sc_encoder_levels(e, 0), 4);
    assert_int_equal(sc_encoder_levels(e, 1), 3);
    assert_string_equal(sc_encoder_constant(e, 0), "noise");
    assert_null(sc_encoder_constant(e, 1));
    const bool moves[] = {true, false, true, false};
    for (size_t i = 0; i < 4; i++)
        assert_int_equal(sc_encoder_moves(e, i), moves[i]);
    assert_int_equal(sc_encoder_match(at, e, d), SC_OK);
    assert_int_equal(sc_encoder_row(x, code, e, d, at, 1), 0);
    assert_near(x[0], 2 / sqrt(8.0 / 3));
    assert_near(x[1], 0);
    assert_near(x[2], -0.75 / (sqrt(11) / 4));
    assert_near(x[3], 0);
    assert_true(code[0] == 1 && code[1] == 2);
    assert_int_equal(sc_encoder_row(x, code, e, d, at, 3), 0);
    assert_near(x[0], 0);
    assert_near(x[1], 1);
    assert_int_equal(sc_encoder_row(x, code, e, d, at, 2), 0);
    assert_near(x[3], 1);
    assert_true(code[0] == 3 && code[1] == 0);

    const double next[] = {32, 6, NAN, NAN, NAN, NAN, 6};
    assert_int_equal(sc_dataset_add(d, next, 1), SC_OK);
    const unsigned flags = sc_encoder_row(x, code, e, d, at, 4);
    assert_int_equal(flags, SC_NEW_VALUE | SC_NEW_CONSTANT);
    assert_near(x[2], (1.5 - 0.75) / (sqrt(11) / 4)); /* between levels 1 and 2 */
    sc_encoder_destroy(e);
    sc_dataset_destroy(d);
}

static void test_what_is_new(void **state)
{
    const uint32_t rows[] = {0, 1};
    size_t at[8];
    sc_real x[8];
    uint32_t code[4];
    sc_dataset *d = make();
    assert_int_equal(read_text(d, log_text), SC_OK);
    sc_encoder *e = fit(d, rows, 2);
    assert_int_equal(sc_encoder_match(at, e, d), SC_OK);
    assert_int_equal(sc_encoder_row(x, code, e, d, at, 2), SC_NEW_MISSING | SC_NEW_VALUE);
    const double next[] = {4, 2, 9, NAN, NAN, NAN, 5};
    assert_int_equal(sc_dataset_add(d, next, 1), SC_OK);
    assert_int_equal(sc_encoder_row(x, code, e, d, at, 4), SC_NEW_LABEL);
    assert_int_equal(code[1], 0);
    sc_encoder_destroy(e);
    sc_dataset_destroy(d);
}

static void test_other_schema(void **state)
{
    const uint32_t rows[] = {0, 1};
    const sc_column other[] = {{"pes", SC_COLUMN_LOG}, {"depth", SC_COLUMN_REAL}};
    size_t at[8];
    sc_dataset *d = make(), *o = NULL;
    assert_int_equal(read_text(d, log_text), SC_OK);
    sc_encoder *e = fit(d, rows, 2);
    assert_int_equal(sc_dataset_create(&o, other, 2, 0), SC_OK);
    assert_int_equal(sc_encoder_match(at, e, o), SC_EINVAL);
    assert_says("column depth is real, but the surrogate learned from it as ordinal");
    sc_dataset_destroy(o);
    assert_int_equal(sc_dataset_create(&o, other, 1, 0), SC_OK);
    assert_int_equal(sc_encoder_match(at, e, o), SC_EINVAL);
    assert_says("no column depth");
    sc_encoder *none = NULL;
    const uint32_t same[] = {1, 1};
    assert_int_equal(sc_encoder_fit(&none, d, same, 2), SC_EINVAL);
    assert_says("every feature is constant");
    assert_int_equal(sc_encoder_fit(&none, d, rows, 0), SC_EINVAL);
    sc_encoder_destroy(e);
    sc_dataset_destroy(o);
    sc_dataset_destroy(d);
}

static char *bytes_of(const sc_encoder *e, size_t *n)
{
    sc_buf b;
    char *text = NULL;
    sc_buf_init(&b);
    sc_encoder_write(&b, e);
    *n = b.length;
    assert_int_equal(sc_buf_take(&b, &text), SC_OK);
    return text;
}

/* There and back gives the same bytes; every cut is refused, and no damaged byte does harm. */
static void test_bytes(void **state)
{
    const uint32_t rows[] = {0, 1, 2, 3};
    sc_dataset *d = make();
    assert_int_equal(read_text(d, log_text), SC_OK);
    sc_encoder *e = fit(d, rows, 4), *back = NULL;
    size_t n, m;
    char *bytes = bytes_of(e, &n);
    sc_blob b = {.at = (unsigned char *)bytes, .left = n};
    assert_int_equal(sc_encoder_read(&back, &b), SC_OK);
    assert_int_equal(b.left, 0);
    char *again = bytes_of(back, &m);
    assert_true(m == n && memcmp(bytes, again, n) == 0);
    sc_encoder_destroy(back);
    for (size_t cut = 0; cut < n; cut++) {
        b = (sc_blob){.at = (unsigned char *)bytes, .left = cut};
        const sc_status st = sc_encoder_read(&back, &b);
        if (st == SC_OK) /* the last text may be cut where its count is not */
            fail_msg("read from %zu of %zu bytes", cut, n);
    }
    for (size_t i = 0; i < n; i++) {
        const char was = bytes[i];
        bytes[i] = (char)(was ^ 0x41);
        b = (sc_blob){.at = (unsigned char *)bytes, .left = n};
        if (sc_encoder_read(&back, &b) == SC_OK)
            sc_encoder_destroy(back);
        bytes[i] = was;
    }
    sc_free(again);
    sc_free(bytes);
    sc_encoder_destroy(e);
    sc_dataset_destroy(d);
}

static sc_status whole(void *payload)
{
    const double cells[] = {8, 2, 7, 3, 100, 1, 0.5, 4, 3, 5, 3, 10, 1, 0.5};
    const uint32_t rows[] = {0, 1};
    sc_dataset *d = NULL;
    sc_encoder *e = NULL, *back = NULL;
    sc_buf b;
    char *bytes = NULL;
    sc_buf_init(&b);
    sc_status st = sc_dataset_create(&d, columns, COUNT(columns), 0);
    if (st == SC_OK)
        st = sc_dataset_add(d, cells, 2);
    if (st == SC_OK)
        st = sc_encoder_fit(&e, d, rows, 2);
    if (st == SC_OK) {
        sc_encoder_write(&b, e);
        const size_t n = b.length;
        st = sc_buf_take(&b, &bytes);
        sc_blob blob = {.at = (unsigned char *)bytes, .left = n};
        if (st == SC_OK)
            st = sc_encoder_read(&back, &blob);
    }
    sc_free(bytes);
    sc_encoder_destroy(e);
    sc_encoder_destroy(back);
    sc_dataset_destroy(d);
    return st;
}

static void test_memory(void **state)
{
    assert_true(fail_each_allocation(whole, NULL) > 5);
}

/* ---- splits ---- */

static void test_random_folds(void **state)
{
    uint32_t fold[103], again[103], size[5] = {0};
    assert_int_equal(sc_split_random(fold, 103, 5, 9), SC_OK);
    for (size_t i = 0; i < 103; i++)
        size[fold[i]]++;
    for (size_t k = 0; k < 5; k++)
        assert_true(size[k] == 20 || size[k] == 21);
    assert_int_equal(sc_split_random(again, 103, 5, 9), SC_OK);
    assert_memory_equal(fold, again, sizeof fold);
    assert_int_equal(sc_split_random(again, 103, 5, 10), SC_OK);
    assert_true(memcmp(fold, again, sizeof fold) != 0);
    assert_int_equal(sc_split_random(fold, 3, 4, 1), SC_EINVAL);
    assert_int_equal(sc_split_random(fold, 3, 1, 1), SC_EINVAL);
}

/* Sizes 6, 3, 2, 1 into two folds: 6 against 3 + 2 + 1, whatever the order of equals. */
static void test_groups_stay_whole(void **state)
{
    const uint32_t group[] = {7, 4, 7, 4, 7, 2, 7, 2, 7, 4, 7, UINT32_MAX};
    uint32_t fold[12];
    size_t folds, first = 0;
    assert_int_equal(sc_split_groups(fold, &folds, group, 12, 2, 3), SC_OK);
    assert_int_equal(folds, 2);
    for (size_t i = 0; i < 12; i++) {
        first += fold[i] == fold[0];
        for (size_t j = 0; j < 12; j++)
            assert_true(group[i] != group[j] || fold[i] == fold[j]);
    }
    assert_int_equal(first, 6);
    assert_int_equal(sc_split_groups(fold, &folds, group, 12, 10, 3), SC_OK);
    assert_int_equal(folds, 4);
    const uint32_t one[] = {1, 1, 1};
    assert_int_equal(sc_split_groups(fold, &folds, one, 3, 2, 3), SC_EINVAL);
    assert_says("one group");
    const uint32_t none[] = {UINT32_MAX, UINT32_MAX, UINT32_MAX};
    assert_int_equal(sc_split_groups(fold, &folds, none, 3, 3, 3), SC_OK);
    assert_int_equal(folds, 3);
}

static void test_worst_are_learned_from(void **state)
{
    const double value[] = {3, NAN, 5, 1, 4};
    uint32_t fold[5];
    assert_int_equal(sc_split_worst(fold, value, 5, 0.6), SC_OK);
    const uint32_t want[] = {0, 0, 1, 0, 1};
    assert_memory_equal(fold, want, sizeof want);
    assert_int_equal(sc_split_worst(fold, value, 5, 0.1), SC_EINVAL);
    assert_int_equal(sc_split_worst(fold, value, 5, 1), SC_EINVAL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_file),
        cmocka_unit_test(test_files_refused),
        cmocka_unit_test(test_columns_refused),
        cmocka_unit_test(test_memory_is_bounded),
        cmocka_unit_test(test_array),
        cmocka_unit_test(test_scales_by_hand),
        cmocka_unit_test(test_what_is_new),
        cmocka_unit_test(test_other_schema),
        cmocka_unit_test(test_bytes),
        cmocka_unit_test(test_memory),
        cmocka_unit_test(test_random_folds),
        cmocka_unit_test(test_groups_stay_whole),
        cmocka_unit_test(test_worst_are_learned_from),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
