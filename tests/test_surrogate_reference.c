/* The surrogate on recorded designs: order beyond the best that was learned from. The bar is the
 * figure of another method on the same data. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka wants the four above first */
#include <cmocka.h>

#include "core/intern.h"
#include "core/rows.h"
#include "core_support.h"
#include "surrogate/ensemble.h"
#include "surrogate/metrics.h"
#include "surrogate/split.h"

static const sc_column columns[] = {{"arch.pe", SC_COLUMN_LOG},
                                    {"arch.meshX", SC_COLUMN_LOG},
                                    {"arch.mem1_entries", SC_COLUMN_LOG},
                                    {"arch.mem1_depth", SC_COLUMN_LOG},
                                    {"arch.mem1_instances", SC_COLUMN_LOG},
                                    {"arch.mem2_entries", SC_COLUMN_LOG},
                                    {"arch.mem2_depth", SC_COLUMN_LOG},
                                    {"arch.mem2_width", SC_COLUMN_LOG},
                                    {"arch.mem2_shared_bandwidth", SC_COLUMN_LOG},
                                    {"prob.C", SC_COLUMN_LOG},
                                    {"prob.K", SC_COLUMN_LOG},
                                    {"prob.P", SC_COLUMN_LOG},
                                    {"prob.Q", SC_COLUMN_LOG},
                                    {"prob.R", SC_COLUMN_LOG},
                                    {"prob.S", SC_COLUMN_LOG},
                                    {"prob.Hstride", SC_COLUMN_LOG},
                                    {"prob.Wstride", SC_COLUMN_LOG},
                                    {"target.edp", SC_COLUMN_TARGET}};
enum { COLUMNS = COUNT(columns), MOST = 10000 };

static double cell_of(const sc_rows *r, const char *name)
{
    double v;
    size_t again;
    assert_int_equal(sc_rows_number(&v, r, sc_rows_find(r, name, &again)), SC_OK);
    return v;
}

static const char *text_of(const sc_rows *r, const char *name)
{
    size_t again;
    return sc_rows_cell(r, sc_rows_find(r, name, &again));
}

/* EDP of the best mapping of each architecture and layer. */
static sc_dataset *best_mappings(void)
{
    static double cells[MOST][COLUMNS];
    char text[400];
    bool got = true;
    const sc_rows_form form = {.separator = ','};
    sc_intern pairs = {0};
    sc_rows *r = NULL;
    sc_dataset *d = NULL;
    const char *path = reference_data(text, sizeof text, "mapping/points.csv.gz");
    assert_int_equal(sc_rows_open(&r, path, &form), SC_OK);
    for (;;) {
        uint32_t i;
        const size_t known = pairs.n;
        assert_int_equal(sc_rows_next(&got, r), SC_OK);
        if (!got)
            break;
        (void)snprintf(text, sizeof text, "%s,%s", text_of(r, "arch_id"), text_of(r, "layer"));
        assert_int_equal(sc_intern_add(&i, &pairs, text, MOST), SC_OK);
        double *row = cells[i], edp = cell_of(r, "target.edp");
        if (pairs.n > known)
            for (size_t k = 0; k < COLUMNS; k++)
                row[k] = cell_of(r, columns[k].name);
        if (edp < row[COLUMNS - 1])
            row[COLUMNS - 1] = edp;
    }
    assert_int_equal(sc_dataset_create(&d, columns, COLUMNS, 0), SC_OK);
    assert_int_equal(sc_dataset_add(d, *cells, pairs.n), SC_OK);
    sc_intern_clear(&pairs);
    sc_rows_close(r);
    return d;
}

/* Learned from the worst 60 %, judged on the best 40 %: trees reach -0.05 to 0.14, a network on
 * squared errors 0.59, the same on pairs 0.65. */
static void test_order_beyond_the_best_seen(void **state)
{
    static double value[MOST], score[MOST];
    static uint32_t fold[MOST], row[2][MOST];
    static sc_forecast f[MOST];
    sc_dataset *d = best_mappings();
    const size_t n = sc_dataset_rows(d);
    size_t count[2] = {0, 0};
    sc_ensemble_options o = SC_ENSEMBLE_OPTIONS_INIT;
    sc_ensemble *e = NULL;
    sc_ensemble_report r;
    double tau;
    for (size_t i = 0; i < n; i++)
        value[i] = -sc_dataset_target(d, i, 0);
    assert_int_equal(sc_split_worst(fold, value, n, 0.6), SC_OK);
    for (uint32_t i = 0; i < n; i++)
        row[fold[i]][count[fold[i]]++] = i;
    o.logarithm = true;
    o.fit.loss = SC_SCORE_PAIRS;
    o.fit.width = 32;
    o.fit.layers = 1;
    o.fit.skip = true;
    o.fit.activation = SC_ACT_SILU;
    o.fit.rate = 3e-3;
    o.fit.decay = 1;
    o.fit.seed = 1;
    assert_int_equal(sc_ensemble_learn(&e, &r, d, row[0], count[0], &o), SC_OK);
    assert_int_equal(sc_ensemble_predict(f, e, d, row[1], count[1], 0), SC_OK);
    for (size_t i = 0; i < count[1]; i++) {
        score[i] = f[i].score;
        value[i] = -sc_dataset_target(d, row[1][i], 0);
    }
    assert_int_equal(sc_metric_tau(&tau, score, value, count[1]), SC_OK);
    print_message("tau on the best 40 %% of %zu: %.3f; within the worst 60 %%: %.3f\n", n, tau,
                  r.tau);
    assert_true(tau > 0.65);
    sc_ensemble_destroy(e);
    sc_dataset_destroy(d);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_order_beyond_the_best_seen),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
