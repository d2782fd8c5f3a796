/* YAML that must not be taken: each a clear error with its place, and in no time. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka wants the four above first */
#include <cmocka.h>
#include <sys/stat.h>

#include "core/yaml.h"
#include "core_support.h"

enum { MANY = 100000 };
static const double BOUND_S = 0.1;

/* Refused within the bound, with that message, and nothing handed over. */
static void refuse(const char *text, size_t n, const char *message)
{
    sc_yaml *y = NULL;
    const long before = sc_mem_live();
    const double begin = cpu_now();
    const sc_status st = sc_yaml_parse(&y, "f", text, n);
    assert_within(begin, BOUND_S);
    if (st != SC_EPARSE)
        fail_msg("status %d for: %.60s", (int)st, text);
    assert_message(message);
    assert_null(y);
    assert_int_equal(sc_mem_live(), before);
}

static void test_table(void **state)
{
    static const struct {
        const char *text, *message;
    } rows[] = {
        {"", "f:1:1: error: the file is empty"},
        {"\xEF\xBB\xBF", "f:1:1: error: the file is empty"},
        {"# only\n\n", "f:3:1: error: the file holds no value"},
        {"a: 1\n\tb: 2\n", "f:2:1: error: a tab where YAML takes spaces only"},
        {"a:\n  b:\n\t- c\n", "f:3:1: error: a tab where YAML takes spaces only"},
        {"a: 1\n---\nb: 2\n", "f:2:1: error: a second document begins here; one file holds one"},
        {"a: 1\n...\n---\nb\n", "f:3:1: error: a second document begins here; one file holds one"},
        {"a: \xC3\xA9\xC3\n", "f:1:5: error: not UTF-8 text"},
        {"\xC3\xA9: 1\nb: \x01\n", "f:2:4: error: control characters are not allowed"},
        {"a: \"\\0\"\n", "f:1:4: error: a NUL character in a text"},
        {"a: 1\nb: 2\na: 3\n", "f:3:1: error: duplicate key 'a' (first at line 1, column 1)"},
        {"a: {x: 1, x: 2, 'x': 3}\n",
         "f:1:11: error: duplicate key 'x' (first at line 1, column 5)\n"
         "f:1:17: error: duplicate key 'x' (first at line 1, column 5)"},
        {"a:\n  <<: 3\n", "f:2:3: error: a merge key (<<) takes a map or a list of maps"},
        {"b: &b {y: 1}\na:\n  <<: [*b, 1]\n",
         "f:3:3: error: a merge key (<<) takes a map or a list of maps"},
        {"b: &b {y: 1}\na:\n  <<: *b\n  <<: *b\n",
         "f:4:3: error: duplicate key '<<' (first at line 3, column 3)"},
        {"b: &b {y: 1}\na: {<<: *b, y: 2, y: 3}\n",
         "f:2:19: error: duplicate key 'y' (first at line 2, column 13)"},
        {"a: &a {<<: *a}\n", "f:1:12: error: the alias '*a' stands inside what it refers to"},
        {"[a, b]: 1\n", "f:1:1: error: a key must be text, not a map or a sequence"},
        {"? \n: 1\n", "f:1:2: error: a key is missing here"},
        {"a: *x\n", "f:1:4: error: no anchor '&x' stands before this alias"},
        {"a: &x [1, *x]\n", "f:1:11: error: the alias '*x' stands inside what it refers to"},
        {"a: &x\n  b: {c: *x}\n", "f:2:10: error: the alias '*x' stands inside what it refers to"},
        {"a: [1, 2\n", "f:2:1: error: did not find expected ',' or ']' (while parsing a flow "
                       "sequence that begins at line 1)"},
        {"a: 'x\n", "f:2:1: error: found unexpected end of stream (while scanning a quoted scalar "
                    "that begins at line 1)"},
        {"a: b: c\n", "f:1:5: error: mapping values are not allowed in this context"},
        {"a: 1\n b: 2\n", "f:2:3: error: mapping values are not allowed in this context"},
        {"a: @x\n", "f:1:4: error: found character that cannot start any token"},
        {"x: \"\\q\"\n", "f:1:5: error: found unknown escape character"},
    };
    for (size_t i = 0; i < COUNT(rows); i++)
        refuse(rows[i].text, strlen(rows[i].text), rows[i].message);
    static char large[(64 << 20) + 1];
    refuse(large, sizeof large, "f:1:1: error: over the limit of 64 MiB");
    refuse("a: b\nc: \0d\n", 10, "f:2:4: error: a NUL byte: this is no text file");
}

static void test_nesting_bombs_flow(void **state)
{
    static char text[4 * MANY];
    memset(text, '[', MANY);
    refuse(text, MANY, "f:1:65: error: nested more than 64 deep");
    memset(text, '{', MANY);
    refuse(text, MANY, "f:1:2: error: a key must be text, not a map or a sequence");
    for (size_t i = 0; i < MANY; i++)
        memcpy(text + 4 * i, "{a: ", 4);
    refuse(text, 4 * MANY, "f:1:257: error: nested more than 64 deep");
}

static void test_nesting_bombs_block(void **state)
{
    static char text[2 * MANY];
    for (size_t i = 0; i < MANY; i++)
        memcpy(text + 2 * i, "- ", 2);
    refuse(text, 2 * MANY, "f:1:129: error: nested more than 64 deep");
}

/* 64 levels are taken, also through an alias; 65 are not. */
static void test_depth_limit(void **state)
{
    char text[600];
    for (size_t levels = 64; levels <= 65; levels++) {
        size_t n = 0;
        for (size_t i = 0; i < levels; i++)
            text[n++] = '[';
        for (size_t i = 0; i < levels; i++)
            text[n++] = ']';
        sc_yaml *y = NULL;
        assert_int_equal(sc_yaml_parse(&y, "f", text, n), levels == 64 ? SC_OK : SC_EPARSE);
        sc_yaml_close(y);
    }
    for (int levels = 30; levels <= 31; levels++) { /* 1 + 33 + levels */
        char *to = text + sprintf(text, "[&a ");
        for (int i = 0; i < levels; i++)
            *to++ = '[';
        for (int i = 0; i < levels; i++)
            *to++ = ']';
        to += sprintf(to, ", ");
        for (int i = 0; i < 33; i++)
            *to++ = '[';
        to += sprintf(to, "*a");
        for (int i = 0; i < 33; i++)
            *to++ = ']';
        to += sprintf(to, "]");
        sc_yaml *y = NULL;
        const sc_status st = sc_yaml_parse(&y, "f", text, (size_t)(to - text));
        assert_int_equal(st, levels == 30 ? SC_OK : SC_EPARSE);
        if (st != SC_OK)
            assert_says("nested more than 64 deep through this alias");
        sc_yaml_close(y);
    }
}

static void test_alias_bomb(void **state)
{
    char text[4000], *to = text;
    to += sprintf(to, "a: &a [x, x, x, x, x, x, x, x, x]\n");
    for (char c = 'b'; c <= 'z'; c++) {
        to += sprintf(to, "%c: &%c [", c, c);
        for (int i = 0; i < 9; i++)
            to += sprintf(to, "*%c,", c - 1);
        to += sprintf(to, "]\n");
    }
    /* level k stands for n_k = 9 n_(k-1) + 1 values, n_0 = 10; 9 aliases a level:
     * 9 (10 + 91 + 820 + 7381 + 66430) = 672588, and 597871 more at the next alias */
    refuse(text, (size_t)(to - text),
           "f:7:8: error: alias bomb: aliases stand for more than 1000000 values");
}

/* Many aliases to one scalar are as many values. */
static void test_many_aliases(void **state)
{
    enum { ALIASES = 1000001 };
    static char text[3 * ALIASES + 20];
    char *to = text + sprintf(text, "[&a x");
    for (size_t i = 0; i < ALIASES; i++, to += 3)
        memcpy(to, ",*a", 3);
    *to++ = ']';
    sc_yaml *y = NULL;
    assert_int_equal(sc_yaml_parse(&y, "f", text, (size_t)(to - text)), SC_EPARSE);
    assert_says("alias bomb");
}

/* Merges are aliases: 20 maps, each the last one twice and a key more, stand for 2^20 values. */
static void test_merge_bomb(void **state)
{
    char text[2000], *to = text + sprintf(text, "a: &a {a: 1}\n");
    for (char c = 'b'; c <= 'z'; c++)
        to += sprintf(to, "%c: &%c {<<: [*%c, *%c], %c: 1}\n", c, c, c - 1, c - 1, c);
    sc_yaml *y = NULL;
    const double begin = cpu_now();
    assert_int_equal(sc_yaml_parse(&y, "f", text, (size_t)(to - text)), SC_EPARSE);
    assert_within(begin, BOUND_S);
    assert_says("alias bomb");
}

static void test_large_map(void **state)
{
    static char text[40 * MANY];
    char *to = text;
    for (int i = 0; i < MANY; i++)
        to += sprintf(to, "key %d: %d\n", i, i);
    const double begin = cpu_now();
    sc_yaml *y = NULL;
    assert_int_equal(sc_yaml_parse(&y, "f", text, (size_t)(to - text)), SC_OK);
    for (int i = 0; i < MANY; i++) {
        char key[20];
        int64_t got = -1;
        sprintf(key, "key %d", i);
        assert_true(sc_map_integer(&got, sc_yaml_root(y), key) && got == i);
    }
    sc_yaml_close(y);
    assert_within(begin, 5.0); /* a walk a key would take minutes */
    to += sprintf(to, "key 77: again\n");
    assert_int_equal(sc_yaml_parse(&y, "f", text, (size_t)(to - text)), SC_EPARSE);
    assert_message("f:100001:1: error: duplicate key 'key 77' (first at line 78, column 1)");
}

/* As many wrong keys: the first twenty are shown, the rest counted, without a search for each. */
static void test_many_unknown_keys(void **state)
{
    static const char *const allowed[] = {"version", "parameters", "levels"};
    static char text[40 * MANY];
    char *to = text;
    for (int i = 0; i < MANY; i++)
        to += sprintf(to, "parameter %d: %d\n", i, i);
    sc_yaml *y = NULL;
    assert_int_equal(sc_yaml_parse(&y, "f", text, (size_t)(to - text)), SC_OK);
    const double begin = cpu_now();
    assert_false(sc_map_only(sc_yaml_root(y), allowed, COUNT(allowed)));
    assert_within(begin, BOUND_S);
    assert_int_equal(sc_yaml_status(y), SC_EPARSE);
    assert_says("f:1:1: error: unknown key 'parameter 0' (did you mean 'parameters'?)");
    assert_says("f: error: 99980 more errors");
    sc_yaml_close(y);
}

static void test_directives(void **state)
{
    static char text[20 * MANY];
    char *to = text;
    for (int i = 0; i < MANY; i++)
        to += sprintf(to, "%%TAG !%d! t:x\n", i);
    refuse(text, (size_t)(to - text), "f:1:1: error: more than 64 %TAG directives");
    memset(text, '%', 1000); /* the sign alone is none */
    text[0] = '#';
    memcpy(text + 1000, "\na: 1\n", 6);
    sc_yaml *y = NULL;
    assert_int_equal(sc_yaml_parse(&y, "f", text, 1006), SC_OK);
    sc_yaml_close(y);
    const char few[] = "%YAML 1.2\n%TAG !e! tag:x,2000:\n---\n!e!y {a: 1}\n";
    assert_int_equal(sc_yaml_parse(&y, "f", few, strlen(few)), SC_OK);
    assert_string_equal(sc_node_tag(sc_yaml_root(y)), "tag:x,2000:y");
    sc_yaml_close(y);
}

/* Numbers that no reader may take, at their place. */
static void test_numbers(void **state)
{
    static const char *const texts[] = {
        "1e999",
        "-1e999",
        "12345678901234567890",
        "99999999999999999999",
        "nan",
        ".inf",
        "0x1F",
        "1_000",
        "1,5",
        "five",
        "1e-999",
    };
    for (size_t i = 0; i < COUNT(texts); i++) {
        char text[64];
        double d = 42;
        int64_t n = 42;
        sc_yaml *y = NULL;
        const size_t length = (size_t)sprintf(text, "v: %s\n", texts[i]);
        assert_int_equal(sc_yaml_parse(&y, "f", text, length), SC_OK);
        assert_false(sc_map_number(&d, sc_yaml_root(y), "v", SC_UNIT_NONE));
        assert_int_equal(sc_yaml_status(y), SC_EPARSE);
        assert_says("f:1:4: error: ");
        assert_false(sc_map_integer(&n, sc_yaml_root(y), "v"));
        assert_true(d == 42 && n == 42);
        sc_yaml_close(y);
    }
}

static void test_files(void **state)
{
    char *folder = make_folder(), path[64];
    sc_yaml *y = NULL;
    const double begin = cpu_now();
    assert_int_equal(sc_yaml_open(&y, folder), SC_EPARSE);
    assert_says(":1:1: error: is a directory, not a regular file");
    snprintf(path, sizeof path, "%s/file", folder);
    assert_int_equal(sc_yaml_open(&y, path), SC_ENOTFOUND);
    assert_says("/file: error: ");
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    fclose(f);
    assert_int_equal(sc_yaml_open(&y, path), SC_EPARSE);
    assert_says("/file:1:1: error: the file is empty");
    assert_int_equal(truncate(path, (64 << 20) + 1), 0); /* a hole: no block is written */
    assert_int_equal(sc_yaml_open(&y, path), SC_EPARSE);
    assert_says("/file:1:1: error: over the limit of 67108864 bytes");
    assert_null(y);
    assert_within(begin, BOUND_S);
    f = fopen(path, "w");
    assert_non_null(f);
    fputs("a: 3\n", f);
    fclose(f);
    assert_int_equal(sc_yaml_open(&y, path), SC_OK);
    assert_string_equal(sc_yaml_name(y), path);
    assert_string_equal(sc_node_text(sc_node_get(sc_yaml_root(y), "a")), "3");
    sc_yaml_close(y);
    unlink(path);
    rmdir(folder);
    free(folder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_table),
        cmocka_unit_test(test_nesting_bombs_flow),
        cmocka_unit_test(test_nesting_bombs_block),
        cmocka_unit_test(test_depth_limit),
        cmocka_unit_test(test_alias_bomb),
        cmocka_unit_test(test_merge_bomb),
        cmocka_unit_test(test_many_aliases),
        cmocka_unit_test(test_large_map),
        cmocka_unit_test(test_many_unknown_keys),
        cmocka_unit_test(test_directives),
        cmocka_unit_test(test_numbers),
        cmocka_unit_test(test_files),
    };
    return cmocka_run_group_tests_name("core/yaml, bad input", tests, NULL, NULL);
}
