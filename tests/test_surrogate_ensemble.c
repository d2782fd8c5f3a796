/* Ensembles on a made-up log: figures, intervals and probabilities on rows not learned from, equal
 * bits for any number of threads and from a file, and what is refused. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka wants the four above first */
#include <cmocka.h>

#include "core/file.h"
#include "core/mem.h"
#include "surrogate/ensemble_inner.h"
#include "surrogate/metrics.h"
#include "surrogate_make.h"

enum { LEARN = 800, ROWS = 1600 };

static sc_ensemble_options small(void)
{
    sc_ensemble_options o = SC_ENSEMBLE_OPTIONS_INIT;
    o.fit.width = 32;
    o.fit.batch = 64;
    o.fit.epochs = 40;
    o.fit.rate = 5e-3;
    o.fit.seed = 8;
    o.logarithm = true;
    return o;
}

/* A log, the ensemble learned from its first rows, and forecasts for all. */
static struct {
    sc_dataset *d;
    sc_ensemble *e;
    sc_ensemble_report r;
    uint32_t row[ROWS];
    sc_forecast f[ROWS];
} t;

static int setup(void **state)
{
    const sc_ensemble_options o = small();
    t.d = made_log(ROWS, 21);
    for (uint32_t i = 0; i < ROWS; i++)
        t.row[i] = i;
    assert_int_equal(sc_ensemble_learn(&t.e, &t.r, t.d, t.row, LEARN, &o), SC_OK);
    assert_int_equal(sc_ensemble_predict(t.f, t.e, t.d, t.row, ROWS, 2), SC_OK);
    return 0;
}

static int teardown(void **state)
{
    sc_ensemble_destroy(t.e);
    sc_dataset_destroy(t.d);
    return 0;
}

static void test_values_of_rows_not_seen(void **state)
{
    double got[ROWS], want[ROWS], tau, mean, median;
    size_t n = 0;
    for (size_t i = LEARN; i < ROWS; i++)
        if (sc_dataset_feasible(t.d, i)) {
            got[n] = t.f[i].value;
            want[n++] = sc_dataset_target(t.d, i, 0);
            assert_true(t.f[i].low90 <= t.f[i].low50 && t.f[i].low50 <= t.f[i].value &&
                        t.f[i].value <= t.f[i].high50 && t.f[i].high50 <= t.f[i].high90);
        }
    assert_int_equal(sc_metric_tau(&tau, got, want, n), SC_OK);
    assert_true(tau > 0.9);
    assert_int_equal(sc_metric_relative_error(&mean, &median, got, want, n), SC_OK);
    assert_true(median < 0.05);
    /* what the parts held out say agrees with rows that took no part at all */
    assert_true(fabs(t.r.tau - tau) < 0.03);
    assert_true(t.r.by_groups && t.r.folds == 5 && t.r.rows == LEARN);
    assert_true(t.r.learned + t.r.infeasible == LEARN && t.r.without_target == 0);
}

/* A share s of n rows lies within its interval up to four deviations sqrt(s (1 - s) / n), of both
 * samples; more is allowed above, as an ensemble misses less than the members that set the width.
 */
static void test_intervals_cover(void **state)
{
    double low[2][ROWS], high[2][ROWS], want[ROWS], got;
    size_t n = 0;
    for (size_t i = LEARN; i < ROWS; i++)
        if (sc_dataset_feasible(t.d, i)) {
            low[0][n] = t.f[i].low50, high[0][n] = t.f[i].high50;
            low[1][n] = t.f[i].low90, high[1][n] = t.f[i].high90;
            want[n++] = sc_dataset_target(t.d, i, 0);
        }
    for (size_t k = 0; k < 2; k++) {
        const double share = k ? 0.9 : 0.5;
        const double noise = 4 * sqrt(2 * share * (1 - share) / (double)n);
        assert_int_equal(sc_metric_coverage(&got, low[k], high[k], want, n), SC_OK);
        if (!(got > share - noise && got < (k ? 0.99 : 0.75)))
            fail_msg("%g of the intervals of %g hold", got, share);
    }
}

/* In each fifth of the probability, as many are feasible as it says. */
static void test_probabilities_are_calibrated(void **state)
{
    double score[ROWS], auc, off = 0;
    uint8_t label[ROWS];
    size_t n = 0;
    for (size_t i = LEARN; i < ROWS; i++) {
        score[n] = t.f[i].feasible;
        label[n++] = sc_dataset_feasible(t.d, i);
    }
    assert_int_equal(sc_metric_auc(&auc, score, label, n), SC_OK);
    assert_true(auc > 0.98 && t.r.auc > 0.98);
    for (int part = 0; part < 5; part++) {
        double said = 0, were = 0;
        for (size_t i = 0; i < n; i++)
            if (score[i] >= 0.2 * part && (score[i] < 0.2 * (part + 1) || part == 4)) {
                said += score[i];
                were += label[i];
            }
        off += fabs(said - were) / (double)n;
    }
    assert_true(off < 0.05); /* expected calibration error */
}

static void test_new_rows_are_flagged(void **state)
{
    sc_forecast f[4];
    const uint32_t row[] = {0, 1, 2, 3};
    sc_dataset *d = made_log(0, 1);
    const double cells[] = {1e6, 4, 1, 0, NAN, 1, /* out of range */
                            64,  4, 9, 0, NAN, 1, /* no such label */
                            64,  3, 1, 0, NAN, 1, /* between levels */
                            64,  4, 1, 0, NAN, 1};
    assert_int_equal(sc_dataset_add(d, cells, 4), SC_OK);
    assert_int_equal(sc_ensemble_predict(f, t.e, d, row, 4, 1), SC_OK);
    assert_true(f[0].flags & SC_NEW_VALUE);
    assert_true(f[1].flags & SC_NEW_LABEL);
    assert_true(f[2].flags & SC_NEW_VALUE);
    assert_true(f[3].flags == 0);
    size_t spread = 0;
    for (size_t i = 0; i < LEARN; i++)
        spread += (t.f[i].flags & SC_DOUBT_SPREAD) != 0 && sc_dataset_feasible(t.d, i);
    assert_true(spread <= LEARN / 100); /* by its definition, of rows with a target */
    sc_dataset_destroy(d);
}

static void test_same_bits_for_any_number_of_threads(void **state)
{
    static sc_forecast other[ROWS];
    sc_ensemble *e = NULL;
    sc_ensemble_report r;
    sc_ensemble_options o = small();
    for (int threads = 1; threads <= 3; threads += 2) {
        o.threads = threads;
        assert_int_equal(sc_ensemble_learn(&e, &r, t.d, t.row, LEARN, &o), SC_OK);
        assert_memory_equal(e->weights, t.e->weights, e->members * e->n_weights * sizeof(sc_real));
        assert_int_equal(sc_ensemble_predict(other, e, t.d, t.row, ROWS, threads), SC_OK);
        assert_memory_equal(other, t.f, sizeof t.f);
        sc_ensemble_destroy(e);
    }
}

/* ---- files ---- */

static void test_file_there_and_back(void **state)
{
    static sc_forecast other[ROWS];
    char *folder = make_folder(), path[300];
    sc_ensemble *e = NULL;
    (void)snprintf(path, sizeof path, "%s/log.surrogate", folder);
    assert_int_equal(sc_ensemble_save(t.e, path), SC_OK);
    assert_int_equal(sc_ensemble_open(&e, path), SC_OK);
    assert_int_equal(sc_ensemble_predict(other, e, t.d, t.row, ROWS, 1), SC_OK);
    assert_memory_equal(other, t.f, sizeof t.f);
    sc_ensemble_destroy(e);

    char *bytes = NULL;
    size_t n;
    assert_int_equal(sc_file_read(&bytes, &n, path, 1 << 26), SC_OK);
    for (size_t i = 0; i < n; i += 1 + n / 97) { /* any byte changed, or the end cut there */
        bytes[i] = (char)(bytes[i] ^ 1);
        assert_int_equal(sc_file_write(path, bytes, n), SC_OK);
        assert_int_equal(sc_ensemble_open(&e, path), SC_EPARSE);
        assert_says("log.surrogate:1:1: error:");
        bytes[i] = (char)(bytes[i] ^ 1);
        assert_int_equal(sc_file_write(path, bytes, i), SC_OK);
        assert_int_equal(sc_ensemble_open(&e, path), SC_EPARSE);
    }
    sc_free(bytes);
    assert_int_equal(unlink(path), 0);
    assert_int_equal(rmdir(folder), 0);
    free(folder);
    assert_int_equal(sc_ensemble_open(&e, "no/such/file"), SC_ENOTFOUND);
}

/* ---- refused ---- */

static void test_logs_refused(void **state)
{
    sc_ensemble *e = NULL;
    sc_ensemble_report r;
    sc_ensemble_options o = small();
    uint32_t none[ROWS];
    size_t n = 0;
    for (uint32_t i = 0; i < ROWS; i++)
        if (!sc_dataset_feasible(t.d, i))
            none[n++] = i;
    assert_int_equal(sc_ensemble_learn(&e, &r, t.d, none, n, &o), SC_EINVAL);
    assert_says("rows are feasible and have a target");
    assert_int_equal(sc_ensemble_learn(&e, &r, t.d, t.row, 0, &o), SC_EINVAL);
    assert_says("no row to learn from");
    o.folds = 1;
    assert_int_equal(sc_ensemble_learn(&e, &r, t.d, t.row, LEARN, &o), SC_EINVAL);
    assert_says("two folds or more");
    assert_null(e);
}

/* Three rows are learned from, with intervals that hold nothing back. */
static void test_three_rows(void **state)
{
    const sc_column two[] = {{"x", SC_COLUMN_REAL}, {"y", SC_COLUMN_TARGET}};
    const double cells[] = {1, 10, 2, 20, 3, 30};
    const uint32_t row[] = {0, 1, 2};
    sc_dataset *d = NULL;
    sc_ensemble *e = NULL;
    sc_ensemble_report r;
    sc_forecast f[3];
    const sc_ensemble_options o = small();
    assert_int_equal(sc_dataset_create(&d, two, 2, 0), SC_OK);
    assert_int_equal(sc_dataset_add(d, cells, 3), SC_OK);
    assert_int_equal(sc_ensemble_learn(&e, &r, d, row, 3, &o), SC_OK);
    assert_int_equal(sc_ensemble_predict(f, e, d, row, 3, 1), SC_OK);
    assert_true(f[1].low90 == 0 && isinf(f[1].high90) && f[1].feasible == 1); /* of a log target */
    assert_true(r.folds == 3 && isnan(r.auc));
    sc_ensemble_destroy(e);
    sc_dataset_destroy(d);
}

static sc_status once(void *payload)
{
    static sc_forecast f[60];
    sc_ensemble *e = NULL;
    sc_ensemble_report r;
    sc_ensemble_options o = small();
    o.fit.epochs = 1;
    o.members = 2;
    o.threads = 1;
    sc_status st = sc_ensemble_learn(&e, &r, t.d, t.row, 60, &o);
    if (st == SC_OK)
        st = sc_ensemble_predict(f, e, t.d, t.row, 60, 1);
    sc_ensemble_destroy(e);
    return st;
}

static void test_memory(void **state)
{
    assert_true(fail_each_allocation(once, NULL) > 40);
}

/* ---- parts ---- */

static void test_lines_widths_and_probabilities_by_hand(void **state)
{
    double line[2], miss[] = {5, 1, 4, 2, 3, 9, 8, 7, 6}, a, b;
    sc_ensemble__line(line, (const double[]){0, 1, 2}, (const double[]){1, 3, 5}, 3);
    assert_true(fabs(line[0] - 1) < 1e-12 && fabs(line[1] - 2) < 1e-12);
    sc_ensemble__line(line, (const double[]){0, 1, 2}, (const double[]){5, 3, 1}, 3);
    assert_true(fabs(line[0] - 3) < 1e-12 && line[1] == 0);
    assert_true(sc_ensemble__half_width(miss, 9, 0.5) == 5); /* the 5th of 9 */
    assert_true(sc_ensemble__half_width(miss, 9, 0.9) == 9);
    assert_true(isinf(sc_ensemble__half_width(miss, 9, 0.95)));
    /* two values, 3 of 4 and 1 of 4 positive: logits that give Platt's mean targets there */
    const double z[] = {1, 1, 1, 1, -1, -1, -1, -1};
    const uint8_t label[] = {1, 1, 1, 0, 0, 0, 0, 1};
    sc_ensemble__platt(&a, &b, z, label, 8);
    const double up = 5.0 / 6, down = 1.0 / 6, want = (3 * up + down) / 4;
    assert_true(fabs(1 / (1 + exp(-(a + b))) - want) < 1e-9);
    assert_true(fabs(1 / (1 + exp(-(a - b))) - (1 - want)) < 1e-9);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_values_of_rows_not_seen),
        cmocka_unit_test(test_intervals_cover),
        cmocka_unit_test(test_probabilities_are_calibrated),
        cmocka_unit_test(test_new_rows_are_flagged),
        cmocka_unit_test(test_same_bits_for_any_number_of_threads),
        cmocka_unit_test(test_file_there_and_back),
        cmocka_unit_test(test_logs_refused),
        cmocka_unit_test(test_three_rows),
        cmocka_unit_test(test_memory),
        cmocka_unit_test(test_lines_widths_and_probabilities_by_hand),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
