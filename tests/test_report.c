#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka wants the four above first */
#include <cmocka.h>
#include <string.h>

#include "core/json.h"
#include "core/mem.h"
#include "report/rows.h"
#include "store_support.h"

static sc_store *filled(void **state, uint64_t n)
{
    sc_store *s = support_open(support_path(state, "r.db"), SC_STORE_CREATE);
    sc_store_writer *w = support_writer(s, (sc_store_keep){SC_KEEP_ALL, 0});
    support_tell(s, w, 0, n);
    sc_store_writer_close(w);
    return s;
}

static json_t *rows(sc_store *s, sc_report_which which, uint64_t top)
{
    char *text = NULL;
    json_t *o = NULL;
    if (sc_report_rows(&text, s, NULL, which, top) != SC_OK ||
        sc_json_parse(&o, "rows", text, strlen(text)) != SC_OK)
        fail_msg("%s", sc_error_message());
    sc_free(text);
    return o;
}

static double metric(const json_t *o, size_t i, const char *name)
{
    const json_t *row = json_array_get(json_object_get(o, "trials"), i);
    return json_number_value(json_object_get(json_object_get(row, "metrics"), name));
}

static const char *state_of(const json_t *o, size_t i)
{
    return json_string_value(
        json_object_get(json_array_get(json_object_get(o, "trials"), i), "state"));
}

/* The study of the support file: perf up, energy_j down. */
static void test_best_first(void **state)
{
    sc_store *s = filled(state, 60);
    json_t *o = rows(s, SC_REPORT_BEST, 0);
    const size_t n = json_array_size(json_object_get(o, "trials"));
    assert_true(n > 10 && n < 60);
    for (size_t i = 0; i < n; i++) {
        assert_string_equal(state_of(o, i), "feasible");
        if (i > 0)
            assert_true(metric(o, i, "perf") <= metric(o, i - 1, "perf"));
    }
    json_t *top = rows(s, SC_REPORT_BEST, 3);
    assert_int_equal(json_array_size(json_object_get(top, "trials")), 3);
    assert_true(metric(top, 2, "perf") == metric(o, 2, "perf"));
    json_decref(top);
    json_decref(o);
    sc_store_close(s);
}

/* No member of the front is dominated by any feasible trial, and every other one is. */
static void test_front(void **state)
{
    sc_store *s = filled(state, 60);
    json_t *all = rows(s, SC_REPORT_BEST, 0), *front = rows(s, SC_REPORT_PARETO, 0);
    const size_t n = json_array_size(json_object_get(all, "trials"));
    const size_t m = json_array_size(json_object_get(front, "trials"));
    size_t undominated = 0;
    for (size_t i = 0; i < n; i++) {
        int dominated = 0;
        for (size_t k = 0; k < n; k++) {
            const double dp = metric(all, k, "perf") - metric(all, i, "perf");
            const double de = metric(all, i, "energy_j") - metric(all, k, "energy_j");
            dominated |= dp >= 0 && de >= 0 && (dp > 0 || de > 0);
        }
        undominated += !dominated;
    }
    assert_true(m > 0);
    assert_true(m <= undominated); /* equal points stand once on the front */
    for (size_t i = 1; i < m; i++)
        assert_true(metric(front, i, "energy_j") < metric(front, i - 1, "energy_j"));
    json_decref(all);
    json_decref(front);
    sc_store_close(s);
}

static void test_trials_in_order(void **state)
{
    sc_store *s = filled(state, 25);
    json_t *o = rows(s, SC_REPORT_TRIALS, 0);
    const json_t *list = json_object_get(o, "trials");
    assert_int_equal(json_array_size(list), 25);
    for (size_t i = 0; i < 25; i++)
        assert_int_equal(json_integer_value(json_object_get(json_array_get(list, i), "index")), i);
    json_decref(o);
    sc_store_close(s);
}

static void test_parameters_text(void **state)
{
    json_t *o = sc_report_params("a=1,b='x,''y''',c=2.5e3,d=plain,e='7'");
    assert_true(json_number_value(json_object_get(o, "a")) == 1.0);
    assert_string_equal(json_string_value(json_object_get(o, "b")), "x,'y'");
    assert_true(json_number_value(json_object_get(o, "c")) == 2500.0);
    assert_string_equal(json_string_value(json_object_get(o, "d")), "plain");
    assert_string_equal(json_string_value(json_object_get(o, "e")),
                        "7"); /* a label, not a number */
    json_decref(o);
    o = sc_report_params("");
    assert_int_equal(json_object_size(o), 0);
    json_decref(o);
}

static size_t count(const char *text, const char *what)
{
    size_t n = 0;
    for (const char *p = text; (p = strstr(p, what)); p += strlen(what))
        n++;
    return n;
}

static void test_page_is_whole_and_offline(void **state)
{
    sc_store *s = filled(state, 40);
    char *html = NULL;
    assert_int_equal(sc_report_html(&html, s, NULL), SC_OK);
    assert_int_equal(count(html, "<svg"), 2);
    assert_int_equal(count(html, "</svg>"), 2);
    assert_int_equal(count(html, "<table"), count(html, "</table>"));
    assert_int_equal(count(html, "<tr>"), count(html, "</tr>"));
    assert_int_equal(count(html, "<script"), 0);
    assert_int_equal(count(html, "http-equiv"), 0);
    assert_null(strstr(html, "src="));
    assert_non_null(strstr(html, "</html>"));
    sc_free(html);
    sc_store_close(s);
}

static void test_names_are_escaped(void **state)
{
    const char *hostile = "<script>alert(1)</script>\"'&";
    sc_store *s = support_open(support_path(state, "x.db"), SC_STORE_CREATE);
    sc_store_study study = support_study((sc_store_keep){SC_KEEP_ALL, 0});
    sc_store_writer *w = NULL;
    char *html = NULL, *svg = NULL;
    study.name = hostile;
    study.config = hostile;
    assert_int_equal(sc_store_writer_open(&w, s, &study), SC_OK);
    support_tell(s, w, 0, 10);
    sc_store_writer_close(w);
    assert_int_equal(sc_report_html(&html, s, NULL), SC_OK);
    assert_int_equal(count(html, "<script"), 0);
    assert_non_null(strstr(html, "&lt;script&gt;"));
    assert_int_equal(sc_report_svg(&svg, s, NULL), SC_OK);
    assert_int_equal(count(svg, "<script"), 0);
    sc_free(html);
    sc_free(svg);
    sc_store_close(s);
}

/* No trial at all, and none that is feasible: a page all the same. */
static void test_empty_studies(void **state)
{
    sc_store *s = filled(state, 0);
    char *html = NULL, *svg = NULL;
    json_t *o = rows(s, SC_REPORT_BEST, 0);
    assert_int_equal(json_array_size(json_object_get(o, "trials")), 0);
    json_decref(o);
    assert_int_equal(sc_report_html(&html, s, NULL), SC_OK);
    assert_int_equal(sc_report_svg(&svg, s, NULL), SC_OK);
    assert_null(strstr(svg, "inf"));
    assert_null(strstr(svg, "nan"));
    sc_free(html);
    sc_free(svg);
    sc_store_close(s);
}

static void test_which_study(void **state)
{
    char *text = NULL;
    sc_store *s = support_open(support_path(state, "none.db"), SC_STORE_CREATE);
    assert_fails(sc_report_rows(&text, s, NULL, SC_REPORT_BEST, 0), SC_ENOTFOUND, "no studies");
    sc_store_close(s);
    s = filled(state, 5);
    assert_fails(sc_report_rows(&text, s, "beta", SC_REPORT_BEST, 0), SC_ENOTFOUND, "beta");
    assert_int_equal(sc_report_rows(&text, s, "alpha", SC_REPORT_BEST, 0), SC_OK);
    sc_free(text);
    sc_store_study other = support_study((sc_store_keep){SC_KEEP_ALL, 0});
    sc_store_writer *w = NULL;
    other.seed++;
    assert_int_equal(sc_store_writer_open(&w, s, &other), SC_OK);
    sc_store_writer_close(w);
    assert_fails(sc_report_rows(&text, s, NULL, SC_REPORT_BEST, 0), SC_EINVAL, "2 studies");
    sc_store_close(s);
}

static void test_out_of_memory(void **state)
{
    sc_store *s = filled(state, 12);
    long failures = 0;
    const long live = sc_mem_live();
    for (long k = 0;; k++) {
        char *html = NULL;
        sc_mem_fail_after(k);
        const sc_status st = sc_report_html(&html, s, NULL);
        sc_mem_fail_after(-1);
        sc_free(html);
        assert_int_equal(sc_mem_live(), live);
        if (st == SC_OK)
            break;
        assert_int_equal(st, SC_ENOMEM);
        assert_null(html);
        failures++;
    }
    assert_true(failures > 10);
    sc_store_close(s);
}

int main(void)
{
    const struct CMUnitTest t[] = {cmocka_unit_test(test_best_first),
                                   cmocka_unit_test(test_front),
                                   cmocka_unit_test(test_trials_in_order),
                                   cmocka_unit_test(test_parameters_text),
                                   cmocka_unit_test(test_page_is_whole_and_offline),
                                   cmocka_unit_test(test_names_are_escaped),
                                   cmocka_unit_test(test_empty_studies),
                                   cmocka_unit_test(test_which_study),
                                   cmocka_unit_test(test_out_of_memory)};
    return cmocka_run_group_tests_name("report", t, support_folder, support_remove_folder);
}
