/* Calibration: errors by hand, factors found again, folds that never see what they predict. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>

#include "core/file.h"
#include "core/json.h"
#include "core_support.h"
#include "flow/calibration.h"
#include "scantle/calibrate.h"

static const char csv_name[] = "validate_calibrate_test.csv";
static const char yaml_name[] = "validate_calibrate_test.yaml";

static const double truth[SC_TILED_FACTORS] = {
    [SC_TILED_HOST_WINDOW] = 310, [SC_TILED_HOST_PRODUCT] = 90, [SC_TILED_PASS] = 3,
    [SC_TILED_PASS_SIDE] = 0.4,   [SC_TILED_ROW] = 0.8,         [SC_TILED_ROW_SIDE] = 0.05,
    [SC_TILED_BUS] = 9,           [SC_TILED_LINE] = 6,          [SC_TILED_OVERLAP] = 2.5,
    [SC_TILED_START] = 700};

static void write_text(const char *name, const char *text)
{
    assert_int_equal(sc_file_write(name, text, strlen(text)), SC_OK);
}

/* Layers of several shapes, each cut in several ways, with the cycles that `truth` gives. */
static void write_runs(void)
{
    sc_buf b;
    char *text = NULL;
    sc_buf_init(&b);
    sc_buf_puts(&b, "K,C,P,Q,R,S,stride,mapping,cycles,layer\n");
    for (unsigned layer = 0; layer < 12; layer++)
        for (unsigned cut = 0; cut < 6; cut++) {
            const unsigned window = layer % 3 ? 3 : 1, q = layer % 4 ? 28 : 1;
            const unsigned side = 4u << layer % 3, k = 64 << cut % 3, c = side * (1 + layer);
            const unsigned p = 7 * (1 + cut);
            char mapping[160];
            sc_tiled_layer l = {
                .extent = {k, c, p, q, window, window}, .stride_p = 1, .stride_q = 1};
            (void)snprintf(mapping, sizeof mapping,
                           "L3 K%u Q%u - L2 K%uX - L1 R%u S%u C%u C%uX - L0 P%u", k / side, q, side,
                           window, window, c / side, side, p);
            assert_int_equal(sc_tiled_parse(&l, mapping), SC_OK);
            sc_tiled_work w;
            assert_int_equal(sc_tiled_count(&w, &l, 0, SC_TILED_GEMMINI), SC_OK);
            sc_buf_printf(&b, "%u,%u,%u,%u,%u,%u,1,%s,%.17g,layer %u\n", k, c, p, q, window, window,
                          mapping, sc_tiled_cycles(&w, truth), layer);
        }
    assert_int_equal(sc_buf_take(&b, &text), SC_OK);
    write_text(csv_name, text);
    sc_free(text);
}

static void read_runs(sc_measured *m)
{
    const char *paths[] = {csv_name};
    write_runs();
    if (sc_measured_read(m, paths, 1, "cycles", "layer", SC_TILED_GEMMINI) != SC_OK)
        fail_msg("%s", sc_error_message());
    assert_int_equal(sc_measured_deal(m, 5), SC_OK);
}

static void quality_by_hand(void **state)
{
    const double predicted[] = {110, 60, 260, 400}, measured[] = {100, 100, 200, 400};
    sc_fit_quality q;
    assert_int_equal(sc_fit_quality_of(&q, predicted, measured, 4), SC_OK);
    assert_int_equal(q.n, 4);
    assert_true(fabs(q.mape - (0.1 + 0.4 + 0.3 + 0) / 4) < 1e-12);
    assert_true(fabs(q.median - 0.2) < 1e-12);
    assert_true(q.within_20 == 0.5);
    /* ranks 2 1 3 4 and 1.5 1.5 3 4: covariance 4.5, variances 5 and 4.5 */
    assert_true(fabs(q.spearman - 4.5 / sqrt(5 * 4.5)) < 1e-12);
}

static void folds_split_by_group(void **state)
{
    sc_measured m;
    unsigned used[5] = {0};
    read_runs(&m);
    assert_int_equal(m.n, 72);
    assert_int_equal(m.n_groups, 12);
    for (size_t i = 0; i < m.n; i++) {
        assert_true(m.fold[i] < 5);
        used[m.fold[i]]++;
        for (size_t j = 0; j < m.n; j++)
            if (strcmp(m.group[i], m.group[j]) == 0)
                assert_int_equal(m.fold[i], m.fold[j]);
    }
    for (unsigned f = 0; f < 5; f++)
        assert_true(used[f] >= 12);
    assert_int_equal(sc_measured_deal(&m, 1), SC_EINVAL);
    assert_int_equal(sc_measured_deal(&m, 13), SC_EINVAL);
    sc_measured_clear(&m);
}

static void finds_factors_again(void **state)
{
    sc_measured m;
    double factor[SC_TILED_FACTORS], predicted[72], ideal[72];
    sc_fit_quality q, before;
    read_runs(&m);
    assert_int_equal(sc_tiled_fit(factor, &m, UINT32_MAX), SC_OK);
    sc_tiled_predict(predicted, &m, factor);
    sc_tiled_predict(ideal, &m, sc_tiled_ideal);
    assert_int_equal(sc_fit_quality_of(&q, predicted, m.cycles, m.n), SC_OK);
    assert_int_equal(sc_fit_quality_of(&before, ideal, m.cycles, m.n), SC_OK);
    assert_true(before.mape > 0.1);
    assert_true(q.mape < 0.01);
    assert_true(fabs(factor[SC_TILED_HOST_WINDOW] / truth[SC_TILED_HOST_WINDOW] - 1) < 0.05);
    double again[SC_TILED_FACTORS];
    assert_int_equal(sc_tiled_fit(again, &m, UINT32_MAX), SC_OK);
    assert_memory_equal(again, factor, sizeof factor);
    sc_measured_clear(&m);
}

/* Spoiling the measurements of one fold moves every prediction but those of that very fold. */
static void never_sees_what_it_predicts(void **state)
{
    sc_measured m;
    double before[72], after[72];
    size_t moved = 0;
    read_runs(&m);
    assert_int_equal(sc_tiled_cross_validate(before, &m, 5), SC_OK);
    for (size_t i = 0; i < m.n; i++)
        m.cycles[i] *= m.fold[i] == 2 ? 1000 : 1;
    assert_int_equal(sc_tiled_cross_validate(after, &m, 5), SC_OK);
    for (size_t i = 0; i < m.n; i++) {
        if (m.fold[i] == 2)
            assert_true(after[i] == before[i]);
        else
            moved += after[i] != before[i];
    }
    assert_true(moved > 40);
    sc_measured_clear(&m);
}

static double figure(const char *json, const char *set, const char *key)
{
    json_t *root = NULL;
    assert_int_equal(sc_json_parse(&root, "document", json, strlen(json)), SC_OK);
    const json_t *value = json_object_get(json_object_get(root, set), key);
    assert_true(json_is_number(value));
    const double v = json_number_value(value);
    json_decref(root);
    return v;
}

static void stores_and_judges(void **state)
{
    const char *paths[] = {csv_name};
    sc_calibrate_options o = SC_CALIBRATE_OPTIONS_INIT;
    char *yaml = NULL, *json = NULL, *judged = NULL;
    write_runs();
    o.name = "test-chip";
    o.folds = 4;
    assert_int_equal(sc_calibrate(&yaml, &json, paths, 1, &o), SC_OK);
    assert_non_null(strstr(yaml, "name: test-chip\n"));
    assert_non_null(strstr(yaml, "  rows: 72\n  groups: 12\n  folds: 4\n"));
    assert_non_null(strstr(json, "\"held_out\""));
    write_text(yaml_name, yaml);
    assert_int_equal(sc_calibration_judge(&judged, yaml_name, paths, 1, NULL), SC_OK);
    assert_true(figure(judged, "fitted", "mape") == figure(json, "fitted", "mape"));
    assert_true(figure(judged, "factors", "line") == figure(json, "factors", "line"));
    assert_null(strstr(judged, "\"held_out\""));
    sc_release(yaml);
    sc_release(json);
    sc_release(judged);
}

static void rejects_tables(void **state)
{
#define HEADER "K,C,P,Q,R,S,stride,mapping,cycles,layer\n"
    static const char *const wrong[][2] = {
        {"K,C,P,Q,R,S,mapping,layer\n1,1,1,1,1,1,L3 - L2,a\n", ":1:1: error: no column cycles"},
        {"K,C,P,Q,R,S,cycles,layer\n1,1,1,1,1,1,5,a\n", ":1:1: error: no column mapping"},
        {"C,P,Q,R,S,mapping,cycles,layer\n1,1,1,1,1,L3,5,a\n", ":1:1: error: no column K"},
        {HEADER, ":1:1: error: a header without rows"},
        {HEADER "4,0,1,1,1,1,1,L3 K4,5,a\n", ":2:3: error: 0 is not 1 to 2^31"},
        {HEADER "4,1,1,1,1,1,1,L3 K4,5,a\n4,x,1,1,1,1,1,L3 K4,5,a\n", ":3:3: error"},
        {HEADER "4,1,1,1,1,1,1,L3 K2,5,a\n", ":2:15: error: mapping: covers K only to 2 of 4"},
        {HEADER "4,1,1,1,1,1,1,L3 K4,0,a\n", ":2:21: error: measured cycles are above 0"},
        {HEADER "4,1,1,1,1,1,1,L3 K4,many,a\n", ":2:21: error"},
    };
    const char *paths[] = {csv_name};
    char *yaml = NULL;
    for (size_t i = 0; i < COUNT(wrong); i++) {
        write_text(csv_name, wrong[i][0]);
        assert_int_equal(sc_calibrate(&yaml, NULL, paths, 1, NULL), SC_EPARSE);
        assert_says(csv_name);
        assert_says(wrong[i][1]);
        assert_null(yaml);
    }
    write_text(csv_name, HEADER "4,1,1,1,1,1,1,L3 K4,5,a\n4,1,1,1,1,1,1,L3 K4,5,b\n");
    assert_int_equal(sc_calibrate(&yaml, NULL, paths, 1, NULL), SC_EINVAL); /* two groups */
    const char *absent[] = {"no_such_table.csv"};
    assert_int_equal(sc_calibrate(&yaml, NULL, absent, 1, NULL), SC_ENOTFOUND);
    sc_calibrate_options o = SC_CALIBRATE_OPTIONS_INIT;
    o.driver = "gemini";
    assert_int_equal(sc_calibrate(&yaml, NULL, paths, 1, &o), SC_EINVAL);
    assert_says("did you mean 'gemmini'");
    o.driver = NULL;
    o.name = "../x";
    assert_int_equal(sc_calibrate(&yaml, NULL, paths, 1, &o), SC_EINVAL);
    assert_null(yaml);
#undef HEADER
}

static void rejects_files(void **state)
{
    static const char *const wrong[][2] = {
        {"version: 1\nname: a\ndriver: plain\n", "factors"},
        {"version: 1\nname: a b\ndriver: plain\nfactors: {}\n", ":2:7: error"},
        {"version: 1\nname: a\ndriver: gemini\nfactors: {}\n", "did you mean 'gemmini'"},
        {"version: 1\nname: a\ndriver: plain\nfactors: {bus: 0, overlap: 0.5, row: -1}\n",
         "bus is above 0"},
        {"version: 1\nname: a\ndriver: plain\nfactors: {bus: 0, overlap: 0.5, row: -1}\n",
         "overlap is 1 or more"},
        {"version: 1\nname: a\ndriver: plain\nfactors: {host_windw: 3}\n", "host_window"},
    };
    sc_calibration c = {.factor = {17}};
    for (size_t i = 0; i < COUNT(wrong); i++) {
        write_text(yaml_name, wrong[i][0]);
        assert_int_equal(sc_calibration_read(&c, yaml_name), SC_EPARSE);
        assert_says(yaml_name);
        assert_says(wrong[i][1]);
        assert_true(c.factor[0] == 17);
    }
}

static sc_status judge(void *payload)
{
    const char *paths[] = {csv_name};
    char *json = NULL;
    const sc_status st = sc_calibration_judge(&json, payload, paths, 1, NULL);
    sc_release(json);
    return st;
}

static void out_of_memory(void **state)
{
    const char *paths[] = {csv_name};
    char *yaml = NULL, *first = NULL;
    size_t length = 0;
    write_runs();
    assert_int_equal(sc_calibrate(&yaml, NULL, paths, 1, NULL), SC_OK);
    write_text(yaml_name, yaml);
    sc_release(yaml);
    assert_int_equal(sc_file_read(&first, &length, csv_name, 1 << 20), SC_OK);
    char *end = first; /* the header and two rows are enough */
    for (int line = 0; line < 3; line++)
        end = strchr(end, '\n') + 1;
    *end = '\0';
    write_text(csv_name, first);
    sc_free(first);
    assert_true(fail_each_allocation(judge, (void *)(uintptr_t)yaml_name) > 10);
}

/* ---- measured RTL, where the reference data are there ---- */

static void reaches(const char *const *names, size_t n, const char *target)
{
    char path[3][640], *json = NULL;
    const char *paths[3];
    for (size_t i = 0; i < n; i++)
        paths[i] = reference_data(path[i], sizeof path[i], names[i]);
    sc_calibrate_options o = SC_CALIBRATE_OPTIONS_INIT;
    o.target = target;
    if (sc_calibrate(NULL, &json, paths, n, &o) != SC_OK)
        fail_msg("%s", sc_error_message());
    assert_true(figure(json, "held_out", "mape") < 0.20);
    assert_true(figure(json, "held_out", "median") < 0.12);
    assert_true(figure(json, "held_out", "spearman") >= 0.98);
    sc_release(json);
}

static void random_mappings_on_rtl(void **state)
{
    static const char *const names[] = {"rtl/random_mappings.csv.gz"};
    reaches(names, 1, "rtl_cycles");
}

static void pairs_on_rtl(void **state)
{
    static const char *const names[] = {"rtl/model_and_rtl_analytical.csv",
                                        "rtl/model_and_rtl_both.csv", "rtl/model_and_rtl_dnn.csv"};
    reaches(names, 3, "target.gemmini_cycle");
}

static int remove_files(void **state)
{
    (void)unlink(csv_name);
    (void)unlink(yaml_name);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(quality_by_hand),        cmocka_unit_test(folds_split_by_group),
        cmocka_unit_test(finds_factors_again),    cmocka_unit_test(never_sees_what_it_predicts),
        cmocka_unit_test(stores_and_judges),      cmocka_unit_test(rejects_tables),
        cmocka_unit_test(rejects_files),          cmocka_unit_test(out_of_memory),
        cmocka_unit_test(random_mappings_on_rtl), cmocka_unit_test(pairs_on_rtl),
    };
    return cmocka_run_group_tests(tests, NULL, remove_files);
}
