/* Texts that grow, and the three that are built of them or like them: SVG, log lines, messages. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka wants the four above first */
#include <cmocka.h>
#include <math.h>

#include "core/buf.h"
#include "core/log.h"
#include "core/svg.h"
#include "core_support.h"

static void test_append(void **state)
{
    sc_buf b;
    char *text = NULL;
    sc_buf_init(&b);
    sc_buf_puts(&b, "two");
    sc_buf_append(&b, "threes", 5);
    sc_buf_append(&b, NULL, 0);
    sc_buf_printf(&b, "%s %d%%", "", 7);
    assert_int_equal(b.length, 11);
    assert_string_equal(b.text, "twothree 7%");
    assert_int_equal(sc_buf_take(&b, &text), SC_OK);
    assert_string_equal(text, "twothree 7%");
    assert_null(b.text);
    sc_free(text);
    assert_int_equal(sc_buf_take(&b, &text), SC_OK); /* empty, not NULL */
    assert_string_equal(text, "");
    sc_free(text);
}

/* Long formatted pieces against plain counting: every length around the growth steps. */
static void test_growth(void **state)
{
    for (int piece = 100; piece < 400; piece += 7) {
        sc_buf b;
        sc_buf_init(&b);
        for (int i = 0; i < 9; i++)
            sc_buf_printf(&b, "%*d", piece, i);
        assert_int_equal(b.length, 9 * (size_t)piece);
        assert_int_equal(strlen(b.text), b.length);
        for (int i = 0; i < 9; i++)
            assert_int_equal(b.text[(i + 1) * piece - 1], '0' + i);
        sc_buf_clear(&b);
    }
}

static void test_xml(void **state)
{
    sc_buf b;
    sc_buf_init(&b);
    sc_buf_xml(&b, "<script>\"a\" & 'b'</script>\x01\x1b\t\n\xC3\xA9\xFF\xEF\xBF\xBF\xEF\xBF\xBD");
    assert_string_equal(b.text, "&lt;script&gt;&quot;a&quot; &amp; &#39;b&#39;&lt;/script&gt;\t\n"
                                "\xC3\xA9\xEF\xBF\xBD\xEF\xBF\xBD");
    sc_buf_clear(&b);
}

static sc_status build_text(void *payload)
{
    sc_buf b;
    char *text = NULL;
    sc_buf_init(&b);
    for (int i = 0; i < 40; i++)
        sc_buf_printf(&b, "%d: %50s;", i, "x");
    sc_buf_puts(&b, "end");
    const sc_status st = sc_buf_take(&b, &text);
    if (st == SC_OK)
        assert_string_equal(text + strlen(text) - 4, ";end");
    else
        assert_null(text);
    sc_free(text);
    return st;
}

static void test_no_memory(void **state)
{
    assert_true(fail_each_allocation(build_text, NULL) > 3);
    sc_buf b;
    sc_buf_init(&b);
    sc_mem_fail_after(0);
    sc_buf_puts(&b, "lost");
    sc_mem_fail_after(-1);
    sc_buf_puts(&b, "later"); /* the failure sticks */
    assert_int_equal(b.status, SC_ENOMEM);
    assert_null(b.text);
    sc_buf_clear(&b);
    sc_buf_puts(&b, "again");
    assert_string_equal(b.text, "again");
    sc_buf_append(&b, "x", SIZE_MAX); /* no such text can be */
    assert_int_equal(b.status, SC_ENOMEM);
    assert_string_equal(b.text, "again");
    sc_buf_clear(&b);
}

static sc_status draw(char **out)
{
    const double curve[] = {1, 2, 3.333333, 4, 5, -0.001};
    const double broken[] = {1, 2, NAN, 4};
    sc_svg s;
    sc_svg_begin(&s, 320, 200.5, "a <b>");
    sc_svg_line(&s, 0, 1, 2, 3, "#000", 1.5);
    sc_svg_line(&s, 0, INFINITY, 2, 3, "#000", 1.5);
    sc_svg_rect(&s, 1, 2, 3, 5, "red\" onload=\"x", NULL);
    sc_svg_rect(&s, NAN, 2, 3, 5, "red", NULL);
    sc_svg_circle(&s, 7, 11, 13, "blue", 0.5, "tip & tip");
    sc_svg_circle(&s, 7, 11, -INFINITY, "blue", 0.5, NULL);
    sc_svg_polyline(&s, curve, 3, "green", 2);
    sc_svg_polyline(&s, broken, 2, "green", 2);
    sc_svg_text(&s, 17, 19, 12, "middle", "x < y");
    sc_svg_text(&s, 17, NAN, 12, "middle", "x < y");
    sc_svg_group(&s, "a & b");
    sc_svg_box(&s, 1, 2, 30, 5, 4, "white", "\"", 1.5);
    sc_svg_box(&s, 1, 2, 30, 5, NAN, "white", "black", 1.5);
    sc_svg_group_end(&s);
    return sc_svg_end(&s, out);
}

static void test_svg(void **state)
{
    char *text = NULL;
    assert_int_equal(draw(&text), SC_OK);
    assert_string_equal(
        text,
        "<svg xmlns=\"http://www.w3.org/2000/svg\" role=\"img\" width=\"320\" height=\"200.5\""
        " viewBox=\"0 0 320 200.5\" font-family=\"sans-serif\">\n"
        "<title>a &lt;b&gt;</title>\n"
        "<line x1=\"0\" y1=\"1\" x2=\"2\" y2=\"3\" stroke=\"#000\" stroke-width=\"1.5\"/>\n"
        "<rect x=\"1\" y=\"2\" width=\"3\" height=\"5\" fill=\"red&quot; onload=&quot;x\"/>\n"
        "<circle cx=\"7\" cy=\"11\" r=\"13\" fill=\"blue\" fill-opacity=\"0.5\">"
        "<title>tip &amp; tip</title></circle>\n"
        "<polyline fill=\"none\" points=\"1,2 3.33,4 5,0\" stroke=\"green\" stroke-width=\"2\"/>\n"
        "<text x=\"17\" y=\"19\" font-size=\"12\" text-anchor=\"middle\">x &lt; y</text>\n"
        "<g><title>a &amp; b</title>\n"
        "<rect x=\"1\" y=\"2\" width=\"30\" height=\"5\" rx=\"4\" fill=\"white\" stroke=\"&quot;\""
        " stroke-width=\"1.5\"/>\n"
        "</g>\n"
        "</svg>\n");
    sc_free(text);
}

static sc_status draw_and_drop(void *payload)
{
    char *text = NULL;
    const sc_status st = draw(&text);
    sc_free(text);
    return st;
}

static void test_svg_no_memory(void **state)
{
    assert_true(fail_each_allocation(draw_and_drop, NULL) > 2);
    const long before = sc_mem_live();
    sc_svg s;
    sc_svg_begin(&s, 1, 1, "dropped");
    sc_svg_clear(&s);
    assert_int_equal(sc_mem_live(), before);
}

typedef struct heard {
    sc_log_level level;
    char line[4096];
    int count;
} heard;

static void listen(sc_log_level level, const char *line, void *payload)
{
    heard *h = payload;
    h->level = level;
    h->count++;
    strcpy(h->line, line);
}

static void test_log(void **state)
{
    heard h = {.count = 0};
    sc_log(SC_LOG_WARNING, "to nobody");
    sc_log_set(listen, &h);
    sc_log(SC_LOG_INFO, "%d designs of '%s'", 7, "a\nb\x1b");
    assert_int_equal(h.count, 1);
    assert_int_equal(h.level, SC_LOG_INFO);
    assert_string_equal(h.line, "7 designs of 'a?b?'");
    sc_log(SC_LOG_DEBUG, "%5000s", "x");
    assert_int_equal(strlen(h.line), 2047);
    sc_log_set(NULL, NULL);
    sc_log(SC_LOG_INFO, "to nobody");
    assert_int_equal(h.count, 2);
}

static void test_message(void **state)
{
    assert_int_equal(sc_fail(SC_EIO, "%s: %d", "a", 3), SC_EIO);
    assert_message("a: 3");
    /* the old message may be part of the new one */
    assert_int_equal(sc_fail(SC_EPARSE, "b: %s\n%s", sc_error_message(), "\x1b[0m\t"), SC_EPARSE);
    assert_message("b: a: 3\n?[0m?");
    assert_int_equal(sc_fail(SC_EBUG, "%9000d", 5), SC_EBUG);
    assert_int_equal(strlen(sc_error_message()), 8191);
}

/* Each status has a name of its own, and so has a value that is none. */
static void test_status_names(void **state)
{
    for (int a = 0; a >= SC_ENOTFOUND - 1; a--)
        for (int b = a - 1; b >= SC_ENOTFOUND - 1; b--)
            assert_string_not_equal(sc_status_name((sc_status)a), sc_status_name((sc_status)b));
    assert_string_equal(sc_status_name(SC_OK), "ok");
    assert_string_equal(sc_status_name((sc_status)-99), "unknown status");
}

static void test_messages_by_thread(void **state)
{
    int wrong = 0;
#pragma omp parallel for num_threads(3) reduction(+ : wrong)
    for (int i = 0; i < 3000; i++) {
        char want[32];
        snprintf(want, sizeof want, "item %d", i);
        wrong += sc_fail(SC_EINVAL, "item %d", i) != SC_EINVAL;
        wrong += strcmp(sc_error_message(), want) != 0;
    }
    assert_int_equal(wrong, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_append),       cmocka_unit_test(test_growth),
        cmocka_unit_test(test_xml),          cmocka_unit_test(test_no_memory),
        cmocka_unit_test(test_svg),          cmocka_unit_test(test_svg_no_memory),
        cmocka_unit_test(test_log),          cmocka_unit_test(test_message),
        cmocka_unit_test(test_status_names), cmocka_unit_test(test_messages_by_thread),
    };
    return cmocka_run_group_tests_name("core/buf, svg, log, error", tests, NULL, NULL);
}
