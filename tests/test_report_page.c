/* The page and its plots: what stands where, and how figures are written. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka wants the four above first */
#include <cmocka.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/json.h"
#include "core/mem.h"
#include "report/figure.h"
#include "report/rows.h"
#include "store_support.h"

static void test_figures(void **state)
{
    static const struct {
        const char *name;
        double largest;
        const char *heading;
        double factor;
    } rows[] = {
        {"latency_s", 2.5, "batch latency, s", 1},
        {"latency_s", 0.25, "batch latency, ms", 1e3},
        {"latency_s", 0.001, "batch latency, ms", 1e3}, /* 1 ms, not 1000 us */
        {"latency_s", 3e-13, "batch latency, ns", 1e9},
        {"latency_s[net]", 3e-5, "batch latency of net, us", 1e6},
        {"energy_j", 0.5, "batch energy, mJ", 1e3},
        {"area_mm2", 0.001, "area, mm2", 1},
        {"tdp_w", 300, "TDP, W", 1},
        {"perf_per_tdp", 44, "perf/TDP, 1/(s W)", 1},
        {"utilization", 0.5, "utilisation, %", 100},
        {"dram_bytes", 3 * 1048576.0, "DRAM, MiB", 1.0 / 1048576},
        {"cycles", 7, "cycles", 1},
        {"latency_s", (double)NAN, "batch latency, ns", 1e9}, /* nothing to show */
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        sc_figure f;
        char heading[SC_FIGURE_TITLE];
        sc_figure_of(&f, rows[i].name, rows[i].largest);
        sc_figure_heading(heading, &f);
        assert_string_equal(heading, rows[i].heading);
        assert_true(f.factor == rows[i].factor);
    }
}

static void test_numbers(void **state)
{
    static const struct {
        double v;
        const char *text;
    } rows[] = {{0, "0"},           {0.57604, "0.576"},    {12.3456, "12.35"}, {13776.94, "13777"},
                {2.5e8, "2.5e+08"}, {-1234.5678, "-1235"}, {(double)NAN, "-"}};
    char text[SC_FIGURE_NUMBER];
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        sc_figure_number(text, rows[i].v);
        assert_string_equal(text, rows[i].text);
    }
}

/* A study of 40 trials, with what flow/ keeps beside the rows where given. */
static sc_store *filled(void **state, const sc_store_study *study, const char *form,
                        const char *baseline)
{
    sc_store *s = support_open(support_path(state, "p.db"), SC_STORE_CREATE);
    sc_store_writer *w = NULL;
    assert_ok(sc_store_writer_open(&w, s, study));
    support_tell(s, w, 0, 40);
    assert_ok(sc_store_begin(s));
    if (form)
        assert_ok(sc_store_put_detail(s, sc_store_writer_id(w), "form", form, strlen(form)));
    if (baseline)
        assert_ok(
            sc_store_put_detail(s, sc_store_writer_id(w), "baseline", baseline, strlen(baseline)));
    assert_ok(sc_store_commit(s));
    sc_store_writer_close(w);
    return s;
}

static void page(char **html, sc_store *s)
{
    if (sc_report_html(html, s, NULL) != SC_OK)
        fail_msg("%s", sc_error_message());
}

static const char form_text[] =
    "{\"units\":{\"pes\":\"B\"},\"limits\":[{\"name\":\"area_mm2\",\"bound\":\"max\","
    "\"value\":0.75,\"of_baseline\":true}]}";

/* Outcome, plots, designs, parameters, reasons, file: in this order. */
static void test_order(void **state)
{
    static const char *const wanted[] = {"class=\"outcome\"", "<svg",
                                         "Best so far",       "Designs on the front",
                                         "Their parameters",  "Why points were infeasible",
                                         "The study</h2>"};
    const sc_store_study study = support_study((sc_store_keep){SC_KEEP_ALL, 0});
    sc_store *s = filled(state, &study, form_text, NULL);
    char *html = NULL;
    page(&html, s);
    const char *at = html;
    for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++) {
        const char *found = strstr(at, wanted[i]);
        if (!found)
            fail_msg("'%s' is not there, or too early", wanted[i]);
        at = found;
    }
    sc_free(html);
    sc_store_close(s);
}

/* The best of the support study, found here on its own, over a baseline of 4. */
static void test_outcome(void **state)
{
    const sc_store_study study = support_study((sc_store_keep){SC_KEEP_ALL, 0});
    sc_store *s = filled(state, &study, form_text,
                         "{\"spec\":\"ref <1>\",\"values\":{\"perf\":4,\"area_mm2\":0.75}}");
    double best = 0;
    char wanted[96];
    for (uint64_t i = 0; i < 40; i++)
        if (support_trial(i)->state == SC_STATE_FEASIBLE)
            best = fmax(best, support_trial(i)->values[0]);
    char *html = NULL;
    page(&html, s);
    (void)snprintf(wanted, sizeof wanted,
                   "perf <b>%g</b>, <b>%.4g times</b> that of the baseline ref &lt;1&gt;.", best,
                   best / 4);
    if (!strstr(html, wanted))
        fail_msg("no '%s'", wanted);
    assert_non_null(strstr(html, "at most 0.75 (the baseline's)"));
    sc_free(html);
    sc_store_close(s);
}

/* pes is i * 3 + 1 bytes and differs between designs, kind is the same for all. */
static void test_parameters(void **state)
{
    const sc_store_study study = support_study((sc_store_keep){SC_KEEP_ALL, 0});
    sc_store *s = filled(state, &study, form_text, NULL);
    char *html = NULL, *text = NULL;
    page(&html, s);
    const char *table = strstr(html, "Their parameters");
    assert_non_null(table);
    assert_non_null(strstr(table, " B</b></td>"));
    assert_non_null(strstr(table, "<tr><td>kind</td><td>a, b</td>"));
    assert_ok(sc_report_rows(&text, s, NULL, SC_REPORT_BEST, 1));
    json_t *o = NULL;
    assert_ok(sc_json_parse(&o, "rows", text, strlen(text)));
    assert_string_equal(json_string_value(json_object_get(json_object_get(o, "units"), "pes")),
                        "B");
    const json_t *row = json_array_get(json_object_get(o, "trials"), 0);
    assert_true(json_is_integer(json_object_get(json_object_get(row, "params"), "pes")));
    json_decref(o);
    sc_free(text);
    sc_free(html);
    sc_store_close(s);
}

/* One objective and no area: against the trial's number, and not twice on the page. */
static void test_one_objective(void **state)
{
    static const sc_store_value values[] = {
        {"perf", SC_GOAL_MAX}, {"joule", SC_GOAL_NONE}, {"luts", SC_GOAL_NONE}};
    sc_store_study study = support_study((sc_store_keep){SC_KEEP_ALL, 0});
    study.values = values;
    sc_store *s = filled(state, &study, NULL, NULL);
    char *svg = NULL, *html = NULL;
    page(&html, s);
    assert_ok(sc_report_svg(&svg, s, NULL));
    assert_non_null(strstr(svg, ">trial</text>"));
    assert_non_null(strstr(svg, ">perf</text>"));
    assert_ptr_equal(strstr(strstr(html, "<svg") + 1, "<svg"), NULL);
    assert_null(strstr(html, ">limit<"));
    sc_free(svg);
    sc_free(html);
    sc_store_close(s);
}

/* Ops of the best design: times in the unit of the longest, shares of the latency, sums by kind. */
static void test_ops(void **state)
{
    static const char evaluation[] =
        "{\"workload\":\"net\",\"batch\":3,\"latency_s\":0.004,\"op_list\":["
        "{\"name\":\"a\",\"kind\":\"conv\",\"bound\":\"compute\",\"time_s\":0.001,"
        "\"dram_bytes\":2048,\"energy_j\":0.002},"
        "{\"name\":\"b\",\"kind\":\"conv\",\"bound\":\"DRAM\",\"time_s\":0.002,"
        "\"dram_bytes\":1024,\"energy_j\":0.005},"
        "{\"name\":\"c\",\"kind\":\"add\",\"bound\":\"DRAM\",\"time_s\":0.001,"
        "\"dram_bytes\":512,\"energy_j\":0.001}]}";
    const sc_store_study study = support_study((sc_store_keep){SC_KEEP_ALL, 0});
    sc_store *s = filled(state, &study, NULL, NULL);
    sc_report_study *r = NULL;
    const sc_report_row **list = NULL;
    sc_store_writer *w = NULL;
    size_t n = 0;
    assert_ok(sc_report_study_open(&r, s, NULL));
    assert_ok(sc_report_select(&list, &n, r, SC_REPORT_PARETO, 1));
    assert_ok(sc_store_writer_open(&w, s, &study));
    assert_ok(sc_store_begin(s));
    assert_ok(sc_store_put_detail(s, sc_hash128_at(r->info->id, list[0]->index), "evaluation.0",
                                  evaluation, strlen(evaluation)));
    assert_ok(sc_store_commit(s));
    sc_store_writer_close(w);
    char *html = NULL;
    page(&html, s);
    const char *at = strstr(html, "Ops of the best design on net");
    assert_non_null(at);
    assert_non_null(strstr(at, "<th>time, ms</th><th>DRAM, KiB</th><th>energy, mJ</th>"));
    assert_non_null(strstr(at, ">conv</td><td>2</td><td>75.00</td><td>3</td><td>3</td><td>7</td>"));
    assert_non_null(strstr(at, ">DRAM</td><td>50.00</td><td>2</td><td>1</td><td>5</td>"));
    sc_free(html);
    sc_free(list);
    sc_report_study_close(r);
    sc_store_close(s);
}

int main(void)
{
    const struct CMUnitTest t[] = {
        cmocka_unit_test(test_figures),    cmocka_unit_test(test_numbers),
        cmocka_unit_test(test_order),      cmocka_unit_test(test_outcome),
        cmocka_unit_test(test_parameters), cmocka_unit_test(test_one_objective),
        cmocka_unit_test(test_ops)};
    return cmocka_run_group_tests_name("report_page", t, support_folder, support_remove_folder);
}
