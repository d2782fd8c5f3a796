/* Suggestions, bounded copies, UTF-8 and places: hand-made tables, and naive oracles that decode
 * and measure distances in another way. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka wants the four above first */
#include <cmocka.h>

#include "core/text.h"
#include "core_support.h"

static void test_nearest_table(void **state)
{
    static const char *const names[] = {"l3_global", "pes_x", "pes_y", "vector", "a"};
    static const struct {
        const char *word, *want;
    } rows[] = {
        {"pes_x", "pes_x"},
        {"pes_z", "pes_x"}, /* a tie goes to the first */
        {"pse_y", "pes_y"}, /* a swap counts one */
        {"l3_glbal", "l3_global"},
        {"l3globl", "l3_global"}, /* 2 of 7 letters */
        {"vektor", "vector"},
        {"vectorial", "vector"}, /* 3 of 9 */
        {"vctr", NULL},          /* 2 of 4 is too far */
        {"b", "a"},
        {"bc", NULL},
        {"", "a"},
        {"nothing like it", NULL},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        const char *got = sc_nearest(rows[i].word, names, COUNT(names));
        if (!rows[i].want)
            assert_null(got);
        else
            assert_string_equal(got, rows[i].want);
    }
    assert_null(sc_nearest("a", NULL, 0));
}

static void test_nearest_caps(void **state)
{
    char word[65], name[65];
    memset(word, 'x', sizeof word);
    memset(name, 'x', sizeof name);
    const char *const names[] = {name};
    word[63] = name[62] = '\0';
    assert_ptr_equal(sc_nearest(word, names, 1), name);
    word[63] = 'x';
    word[64] = '\0'; /* 64 bytes */
    assert_null(sc_nearest(word, names, 1));
    assert_null(sc_nearest("a", (const char *const[]){word}, 1));
}

static size_t lower(size_t a, size_t b)
{
    return a < b ? a : b;
}

/* Optimal string alignment by its definition, on the ends of both words. */
static size_t naive_distance(const char *a, size_t n, const char *b, size_t m)
{
    if (n == 0 || m == 0)
        return n + m;
    size_t d = naive_distance(a, n - 1, b, m - 1) + (a[n - 1] != b[m - 1]);
    d = lower(d, naive_distance(a, n - 1, b, m) + 1);
    d = lower(d, naive_distance(a, n, b, m - 1) + 1);
    if (n > 1 && m > 1 && a[n - 1] == b[m - 2] && a[n - 2] == b[m - 1])
        d = lower(d, naive_distance(a, n - 2, b, m - 2) + 1);
    return d;
}

/* All pairs of words over three letters, up to four long. A common beginning changes no distance
 * but lets the threshold be passed, so that the distance itself shows. */
static void test_distance_oracle(void **state)
{
    static const char front[] = "0123456789ABCDEFGHIJKLMNOPQR";
    char words[121][5];
    size_t n = 0;
    for (size_t length = 0, many = 1; length <= 4; length++, many *= 3) {
        for (size_t code = 0; code < many; code++, n++) {
            size_t rest = code;
            for (size_t i = 0; i < length; i++, rest /= 3)
                words[n][i] = (char)('a' + rest % 3);
            words[n][length] = '\0';
        }
    }
    assert_int_equal(n, 121);
    for (size_t i = 0; i < n; i++) {
        for (size_t j = 0; j < n; j++) {
            char word[40], name[40];
            sc_near near;
            snprintf(word, sizeof word, "%s%.4s", front, words[i]);
            snprintf(name, sizeof name, "%s%.4s", front, words[j]);
            sc_near_begin(&near, word);
            sc_near_offer(&near, name);
            assert_ptr_equal(near.best, name);
            assert_int_equal(near.distance, naive_distance(words[i], strlen(words[i]), words[j],
                                                           strlen(words[j])));
        }
    }
}

static void test_did_you_mean(void **state)
{
    char out[SC_SUGGEST_LEN];
    assert_string_equal(sc_did_you_mean(out, NULL), "");
    assert_string_equal(sc_did_you_mean(out, "l3_mib"), " (did you mean 'l3_mib'?)");
    char name[300];
    memset(name, 'n', sizeof name - 1);
    name[sizeof name - 1] = '\0';
    assert_non_null(strstr(sc_did_you_mean(out, name), "nnn...'?)"));
}

static void test_show(void **state)
{
    char out[SC_SHOWN_LEN];
    assert_string_equal(sc_text_show(out, "plain"), "plain");
    assert_string_equal(sc_text_show(out, ""), "");
    assert_string_equal(sc_text_show(out, "a\nb\x1b[31m\x7f"), "a?b?[31m?");
    assert_string_equal(sc_text_show(out, "\xC3\xA9 \xC3 \xFF"), "\xC3\xA9 ? ?");
    char text[200];
    for (size_t i = 0; i < 198; i += 3)
        memcpy(text + i, "\xE2\x82\xAC", 3); /* the euro sign: no multiple of three bytes fits */
    text[198] = '\0';
    assert_string_equal(sc_text_show(out, text) + 66, "...");
    assert_int_equal(sc_utf8_span(out + 63, 3), 3);
}

static void test_defuse(void **state)
{
    char text[] = "a\tb\nc\x1b";
    sc_text_defuse(text, "\n");
    assert_string_equal(text, "a?b\nc?");
    sc_text_defuse(text, "");
    assert_string_equal(text, "a?b?c?");
}

static void test_copy(void **state)
{
    char out[5] = "----";
    assert_true(sc_text_copy(out, sizeof out, "abcd"));
    assert_string_equal(out, "abcd");
    assert_false(sc_text_copy(out, sizeof out, "abcde"));
    assert_string_equal(out, "abcd");
    assert_false(sc_text_copy(out, sizeof out, "abc\xC3\xA9")); /* not half a letter */
    assert_string_equal(out, "abc");
    assert_false(sc_text_copy(out, 2, "\xC3\xA9"));
    assert_string_equal(out, "");
    assert_true(sc_text_copy(out, 1, ""));
    assert_string_equal(out, "");
    out[0] = 'x';
    assert_false(sc_text_copy(out, 0, "a"));
    assert_int_equal(out[0], 'x');
}

/* UTF-8 as a formula, not as a table of ranges. */
static size_t encode(char out[4], uint32_t c)
{
    if (c < 0x80) {
        out[0] = (char)c;
        return 1;
    }
    const size_t n = c < 0x800 ? 2 : c < 0x10000 ? 3 : 4;
    for (size_t i = n; i-- > 1; c >>= 6)
        out[i] = (char)(0x80 | (c & 0x3F));
    out[0] = (char)((0xF00 >> n) | c);
    return n;
}

static void test_utf8_accepts_all(void **state)
{
    char bytes[4];
    for (uint32_t c = 0; c <= 0x10FFFF; c++) {
        const size_t n = encode(bytes, c);
        const size_t want = c >= 0xD800 && c <= 0xDFFF ? 0 : n;
        if (sc_utf8_span(bytes, n) != want)
            fail_msg("U+%04X", c);
        if (n > 1 && sc_utf8_span(bytes, n - 1) != 0)
            fail_msg("U+%04X cut short", c);
    }
}

/* Nothing else: as many sequences are taken as there are characters. */
static void test_utf8_accepts_no_more(void **state)
{
    size_t one = 0, two = 0, three = 0, four = 0;
    char b[4];
    for (int lead = 0; lead < 256; lead++) {
        for (int second = 0; second < 256; second++) {
            b[0] = (char)lead;
            b[1] = (char)second;
            b[2] = b[3] = (char)0xBF;
            one += sc_utf8_span(b, 4) == 1;
            two += sc_utf8_span(b, 4) == 2;
            four += sc_utf8_span(b, 4) == 4;
            for (int third = 0; third < 256; third++) {
                b[2] = (char)third;
                three += sc_utf8_span(b, 3) == 3;
            }
        }
    }
    assert_int_equal(one, 128 * 256);
    assert_int_equal(two, 0x800 - 0x80);
    assert_int_equal(three, 0x10000 - 0x800 - 0x800);
    assert_int_equal(four, 0x100000 / 0x1000); /* third and fourth byte fixed: 12 bits less */
    memcpy(b, "\xF0\x9F\xBF\x20", 4);
    assert_int_equal(sc_utf8_span(b, 4), 0);
    memcpy(b, "\xF0\x9F\x20\xBF", 4);
    assert_int_equal(sc_utf8_span(b, 4), 0);
}

static void test_place(void **state)
{
    static const char text[] = "ab\n\xC3\xA9t\n\nx";
    static const sc_place want[] = {{1, 1}, {1, 2}, {1, 3}, {2, 1}, {2, 2},
                                    {2, 2}, {2, 3}, {3, 1}, {4, 1}, {4, 2}};
    for (size_t i = 0; i < sizeof text; i++) {
        const sc_place p = sc_text_place(text, i);
        assert_int_equal(p.line, want[i].line);
        assert_int_equal(p.column, want[i].column);
    }
}

static void test_bad_byte(void **state)
{
    assert_int_equal(sc_text_bad_byte("", 0), 0);
    assert_int_equal(sc_text_bad_byte("a\xC3\xA9z", 4), 4);
    assert_int_equal(sc_text_bad_byte("a\0z", 3), 1);
    assert_int_equal(sc_text_bad_byte("a\xC3\xA9\xA9", 4), 3);
    assert_int_equal(sc_text_bad_byte("ab\xC3", 3), 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_nearest_table),
        cmocka_unit_test(test_nearest_caps),
        cmocka_unit_test(test_distance_oracle),
        cmocka_unit_test(test_did_you_mean),
        cmocka_unit_test(test_show),
        cmocka_unit_test(test_defuse),
        cmocka_unit_test(test_copy),
        cmocka_unit_test(test_utf8_accepts_all),
        cmocka_unit_test(test_utf8_accepts_no_more),
        cmocka_unit_test(test_place),
        cmocka_unit_test(test_bad_byte),
    };
    return cmocka_run_group_tests_name("core/text", tests, NULL, NULL);
}
