/* YAML trees: their shape and places, the typed readers, and how errors are gathered. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka wants the four above first */
#include <cmocka.h>

#include "core/json.h"
#include "core/rng.h"
#include "core/yaml.h"
#include "core_support.h"

static sc_yaml *parse(const char *text)
{
    sc_yaml *y = NULL;
    if (sc_yaml_parse(&y, "t.yaml", text, strlen(text)) != SC_OK)
        fail_msg("%s", sc_error_message());
    return y;
}

static void assert_place(const sc_node *n, int line, int column)
{
    assert_int_equal(sc_node_line(n), line);
    assert_int_equal(sc_node_column(n), column);
}

static void test_tree(void **state)
{
    sc_yaml *y = parse("a: 1 # one\n"
                       "list: [x, 'y z', {k: v}]\n"
                       "tagged: !Container\n"
                       "  - \"esc\\n\"\n"
                       "  - |\n"
                       "    block\n"
                       "    text\n"
                       "\xC3\xA9t\xC3\xA9: caf\xC3\xA9\n"
                       "none:\n"
                       "folded: two\n"
                       "  lines\n");
    const sc_node *root = sc_yaml_root(y);
    assert_string_equal(sc_yaml_name(y), "t.yaml");
    assert_int_equal(sc_node_kind_of(root), SC_NODE_MAP);
    assert_int_equal(sc_node_count(root), 6);
    assert_place(root, 1, 1);
    assert_string_equal(sc_node_key(root, 1), "list");
    assert_place(sc_node_key_node(root, 1), 2, 1);

    const sc_node *list = sc_node_get(root, "list");
    assert_ptr_equal(list, sc_node_item(root, 1));
    assert_int_equal(sc_node_kind_of(list), SC_NODE_SEQUENCE);
    assert_int_equal(sc_node_count(list), 3);
    assert_place(list, 2, 7);
    assert_string_equal(sc_node_text(sc_node_item(list, 1)), "y z");
    assert_place(sc_node_item(list, 1), 2, 11);
    assert_string_equal(sc_node_text(sc_node_get(sc_node_item(list, 2), "k")), "v");
    assert_null(sc_node_item(list, 3));
    assert_string_equal(sc_node_text(list), "");

    const sc_node *tagged = sc_node_get(root, "tagged");
    assert_string_equal(sc_node_tag(tagged), "!Container");
    assert_string_equal(sc_node_tag(list), "");
    assert_string_equal(sc_node_text(sc_node_item(tagged, 0)), "esc\n");
    assert_string_equal(sc_node_text(sc_node_item(tagged, 1)), "block\ntext\n");

    const sc_node *cafe = sc_node_get(root, "\xC3\xA9t\xC3\xA9");
    assert_string_equal(sc_node_text(cafe), "caf\xC3\xA9");
    assert_place(cafe, 8, 6); /* characters, not bytes */
    assert_string_equal(sc_node_text(sc_node_get(root, "folded")), "two lines");
    assert_null(sc_node_get(root, "absent"));
    assert_null(sc_node_get(list, "list"));
    assert_int_equal(sc_yaml_status(y), SC_OK);
    sc_yaml_close(y);
    sc_yaml_close(NULL);
}

static void test_null(void **state)
{
    sc_yaml *y = parse("[~, null, Null, NULL, '', 'null', \"~\", nil, [], {}]");
    const bool want[] = {true, true, true, true, false, false, false, false, false, false};
    const sc_node *root = sc_yaml_root(y);
    assert_int_equal(sc_node_count(root), COUNT(want));
    for (size_t i = 0; i < COUNT(want); i++)
        assert_int_equal(sc_node_is_null(sc_node_item(root, i)), want[i]);
    sc_yaml_close(y);
    y = parse("a:\n");
    assert_true(sc_node_is_null(sc_node_get(sc_yaml_root(y), "a")));
    sc_yaml_close(y);
}

static void test_nothing(void **state)
{
    int64_t i = 42;
    assert_int_equal(sc_node_kind_of(NULL), SC_NODE_SCALAR);
    assert_place(NULL, 0, 0);
    assert_string_equal(sc_node_text(NULL), "");
    assert_string_equal(sc_node_tag(NULL), "");
    assert_string_equal(sc_node_key(NULL, 0), "");
    assert_int_equal(sc_node_count(NULL), 0);
    assert_null(sc_node_item(NULL, 0));
    assert_null(sc_node_get(NULL, "a"));
    assert_true(sc_node_is_null(NULL));
    assert_false(sc_node_integer(&i, NULL));
    assert_false(sc_map_integer(&i, NULL, "a"));
    assert_false(sc_map_integer_or(&i, NULL, "a", 5));
    assert_null(sc_map_map(NULL, "a"));
    assert_false(sc_map_only(NULL, NULL, 0));
    sc_node_error(NULL, "nobody hears");
    sc_node_error_at(NULL, 3, "nobody hears");
    sc_node_warning(NULL, "nobody hears");
    sc_node_fail(NULL, SC_ENOMEM);
    assert_true(i == 42);
}

static void test_aliases(void **state)
{
    sc_yaml *y = parse("base: &b {x: 3}\n"
                       "one: *b\n"
                       "two: [*b, *b]\n"
                       "key: &k name\n"
                       "*k : 5\n"
                       "b2: &b {x: 7}\n"
                       "three: *b\n");
    const sc_node *root = sc_yaml_root(y);
    const sc_node *base = sc_node_get(root, "base");
    assert_ptr_equal(sc_node_get(root, "one"), base);
    assert_ptr_equal(sc_node_item(sc_node_get(root, "two"), 1), base);
    assert_string_equal(sc_node_text(sc_node_get(root, "name")), "5");
    assert_ptr_equal(sc_node_get(root, "three"), sc_node_get(root, "b2")); /* the newer one */
    sc_yaml_close(y);
}

/* Own keys win over merged ones, earlier maps of a list over later ones; order is own, then merged;
 * values are those of the anchors, at their places. A quoted << is a key like any other. */
static void test_merge(void **state)
{
    sc_yaml *y = parse("a: &a {x: 1, y: 2}\n"
                       "b: &b {y: 3, z: 4, <<: *a}\n"
                       "one: {<<: *a, x: 5}\n"
                       "two:\n"
                       "  <<: [*b, {w: 6, z: 7}]\n"
                       "  v: 8\n"
                       "three: {<<: {}}\n"
                       "four: {'<<': *a}\n");
    const sc_node *root = sc_yaml_root(y), *a = sc_node_get(root, "a");
    const sc_node *one = sc_node_get(root, "one"), *two = sc_node_get(root, "two");
    static const char *const keys[] = {"v", "y", "z", "x", "w"}, *const values[] = {"8", "3", "4",
                                                                                    "1", "6"};
    assert_int_equal(sc_node_count(one), 2);
    assert_string_equal(sc_node_text(sc_node_get(one, "x")), "5");
    assert_ptr_equal(sc_node_get(one, "y"), sc_node_get(a, "y"));
    assert_int_equal(sc_node_column(sc_node_get(one, "y")), 17);
    assert_int_equal(sc_node_count(two), 5);
    for (size_t i = 0; i < 5; i++) {
        assert_string_equal(sc_node_key(two, i), keys[i]);
        assert_string_equal(sc_node_text(sc_node_item(two, i)), values[i]);
    }
    assert_int_equal(sc_node_count(sc_node_get(root, "three")), 0);
    assert_ptr_equal(sc_node_get(sc_node_get(root, "four"), "<<"), a);
    sc_yaml_close(y);
}

/* The example of the reference tool's own sheet on hierarchical merge keys: maps in maps, lists
 * joined, !nomerge; then a list of defaults, and defaults that have defaults. */
static void test_merge_deep(void **state)
{
    sc_yaml *y = parse("a: &a\n"
                       "  key1: value1\n"
                       "  key2: {subkey1: subvalue1, subkey2: subvalue2}\n"
                       "  mylist: [d, e, f]\n"
                       "  plain: [4, 5]\n"
                       "one: &one\n"
                       "  <<<: *a\n"
                       "  key2: {subkey1: override1}\n"
                       "  mylist: [a, b, c]\n"
                       "  plain: !nomerge [1]\n"
                       "two: {x: 1, <<<: [{key3: 9, key1: 8}, *one]}\n");
    assert_int_equal(sc_yaml_merge_deep(y, "<<<"), SC_OK);
    const sc_node *one = sc_node_get(sc_yaml_root(y), "one");
    const sc_node *key2 = sc_node_get(one, "key2"), *list = sc_node_get(one, "mylist");
    assert_int_equal(sc_node_count(one), 4);
    assert_string_equal(sc_node_text(sc_node_get(one, "key1")), "value1");
    assert_int_equal(sc_node_line(sc_node_get(one, "key1")), 2);
    assert_int_equal(sc_node_count(key2), 2);
    assert_string_equal(sc_node_text(sc_node_get(key2, "subkey1")), "override1");
    assert_string_equal(sc_node_text(sc_node_get(key2, "subkey2")), "subvalue2");
    assert_int_equal(sc_node_line(key2), 8);
    assert_int_equal(sc_node_count(list), 6);
    for (size_t i = 0; i < 6; i++)
        assert_int_equal(sc_node_text(sc_node_item(list, i))[0], "abcdef"[i]);
    assert_int_equal(sc_node_count(sc_node_get(one, "plain")), 1);
    const sc_node *a = sc_node_get(sc_yaml_root(y), "a"); /* as it was */
    assert_int_equal(sc_node_count(sc_node_get(a, "mylist")), 3);
    assert_string_equal(sc_node_text(sc_node_get(sc_node_get(a, "key2"), "subkey1")), "subvalue1");
    const sc_node *two = sc_node_get(sc_yaml_root(y), "two");
    assert_int_equal(sc_node_count(two), 6);
    assert_string_equal(sc_node_text(sc_node_get(two, "key1")), "8");
    assert_int_equal(sc_node_count(sc_node_get(two, "mylist")), 6);
    sc_yaml_close(y);

    y = parse("a:\n  <<<: 3\n");
    assert_int_equal(sc_yaml_merge_deep(y, "<<<"), SC_EPARSE);
    assert_message("t.yaml:2:3: error: '<<<' takes a map or a list of maps");
    sc_yaml_close(y);
}

/* Lists that double with each level are stopped before they cost memory. */
static void test_merge_deep_bomb(void **state)
{
    char text[2000], *to = text + sprintf(text, "a: &a {l: [1, 2, 3, 4, 5, 6, 7, 8]}\n");
    for (char c = 'b'; c <= 'z'; c++)
        to += sprintf(to, "%c: &%c {<<<: [{l: []}, *%c, *%c]}\n", c, c, c - 1, c - 1);
    sc_yaml *y = NULL;
    sc_status st = sc_yaml_parse(&y, "f", text, (size_t)(to - text));
    if (st == SC_OK)
        st = sc_yaml_merge_deep(y, "<<<");
    assert_int_equal(st, SC_EPARSE);
    sc_yaml_close(y);
}

/* Merged maps on both sides of the size from which keys are hashed: n own keys and m merged ones of
 * which one is hidden. */
static void test_merge_lookup(void **state)
{
    for (int n = 1; n <= 20; n++)
        for (int m = 1; m <= 20; m++) {
            char text[2000], *to = text + sprintf(text, "m: &m {o0: -1");
            for (int i = 1; i < m; i++)
                to += sprintf(to, ", m%d: %d", i, 100 + i);
            to += sprintf(to, "}\nmap: {<<: *m");
            for (int i = 0; i < n; i++)
                to += sprintf(to, ", o%d: %d", i, i);
            sprintf(to, "}\n");
            sc_yaml *y = parse(text);
            const sc_node *map = sc_node_get(sc_yaml_root(y), "map");
            int64_t got;
            assert_int_equal(sc_node_count(map), n + m - 1);
            assert_null(sc_node_get(map, "<<"));
            for (int i = 0; i < n + m - 1; i++) {
                char key[20];
                sprintf(key, "%c%d", i < n ? 'o' : 'm', i < n ? i : i - n + 1);
                assert_true(sc_map_integer(&got, map, key));
                assert_int_equal(got, i < n ? i : 100 + i - n + 1);
            }
            sc_yaml_close(y);
        }
}

/* Maps on both sides of the size from which keys are hashed, against a walk. */
static void test_lookup(void **state)
{
    for (int n = 1; n <= 70; n++) {
        char text[2000], *to = text;
        for (int i = 0; i < n; i++)
            to += sprintf(to, "key_%d: %d\n", i * 7, i);
        sc_yaml *y = parse(text);
        const sc_node *root = sc_yaml_root(y);
        assert_int_equal(sc_node_count(root), n);
        for (int i = -1; i <= 7 * n; i++) {
            char key[20];
            int64_t got = -1;
            sprintf(key, "key_%d", i);
            const sc_node *found = sc_node_get(root, key);
            if (i < 0 || i % 7 || i == 7 * n)
                assert_null(found);
            else
                assert_true(sc_node_integer(&got, found) && got == i / 7);
        }
        sc_yaml_close(y);
    }
}

/* Compare a tree with the JSON value it was written from. */
static void assert_same(const sc_node *n, const json_t *v)
{
    if (json_is_object(v)) {
        const char *key;
        json_t *item;
        size_t i = 0;
        assert_int_equal(sc_node_kind_of(n), SC_NODE_MAP);
        assert_int_equal(sc_node_count(n), json_object_size(v));
        json_object_foreach((json_t *)(uintptr_t)v, key, item)
        {
            assert_string_equal(sc_node_key(n, i++), key);
            assert_same(sc_node_get(n, key), item);
        }
    } else if (json_is_array(v)) {
        assert_int_equal(sc_node_kind_of(n), SC_NODE_SEQUENCE);
        assert_int_equal(sc_node_count(n), json_array_size(v));
        for (size_t i = 0; i < json_array_size(v); i++)
            assert_same(sc_node_item(n, i), json_array_get(v, i));
    } else if (json_is_string(v)) {
        assert_string_equal(sc_node_text(n), json_string_value(v));
        assert_false(sc_node_is_null(n));
    } else if (json_is_null(v)) {
        assert_true(sc_node_is_null(n));
    } else if (json_is_integer(v)) {
        int64_t got = 0;
        assert_true(sc_node_integer(&got, n) && got == json_integer_value(v));
    } else if (json_is_real(v)) {
        double got = 0;
        assert_true(sc_node_number(&got, n, SC_UNIT_NONE) && got == json_real_value(v));
    } else {
        bool got = false;
        assert_true(sc_node_bool(&got, n) && got == json_is_true(v));
    }
}

static json_t *random_value(sc_rng *r, int depth)
{
    static const char *const words[] = {
        "",     "a b",  "caf\xC3\xA9", "q\"uote", "x\ny\t",
        "- no", "#: ,", "null",        "\x01",    "\xF0\x9F\x98\x80"};
    const unsigned long kind = gsl_rng_uniform_int(&r->gsl, depth > 4 ? 5 : 7);
    if (kind == 0)
        return json_string(words[gsl_rng_uniform_int(&r->gsl, COUNT(words))]);
    if (kind == 1)
        return json_integer((json_int_t)gsl_rng_get(&r->gsl) - 2000000000);
    if (kind == 2)
        return json_real(gsl_rng_uniform(&r->gsl) * 1e9 - 5e8);
    if (kind == 3)
        return json_boolean(gsl_rng_uniform_int(&r->gsl, 2));
    if (kind == 4)
        return json_null();
    json_t *v = kind == 5 ? json_array() : json_object();
    for (unsigned long n = gsl_rng_uniform_int(&r->gsl, depth == 2 ? 40 : 5); n > 0; n--) {
        char key[40];
        snprintf(key, sizeof key, "%s%lu", words[1 + n % (COUNT(words) - 1)], n);
        if (kind == 5)
            json_array_append_new(v, random_value(r, depth + 1));
        else
            json_object_set_new(v, key, random_value(r, depth + 1));
    }
    return v;
}

/* JSON is YAML: what jansson holds and what the tree holds must agree. */
static void test_json_oracle(void **state)
{
    sc_rng r;
    sc_rng_init(&r, 31, 1, 0);
    for (int i = 0; i < 300; i++) {
        json_t *v = random_value(&r, 0);
        char *text = NULL;
        assert_int_equal(sc_json_write(&text, v, i % 2), SC_OK);
        sc_yaml *y = parse(text);
        assert_same(sc_yaml_root(y), v);
        assert_int_equal(sc_yaml_status(y), SC_OK);
        sc_yaml_close(y);
        sc_free(text);
        json_decref(v);
    }
}

static void test_readers(void **state)
{
    static const char *const modes[] = {"private", "shared", "disabled"};
    sc_yaml *y = parse("version: 1\nsize: 2 MiB\nquoted: '7'\nname: x\nmode: shared\non: Yes\n"
                       "off: OFF\nlist: [1]\nmap: {}\ncount: 1e6\n");
    const sc_node *root = sc_yaml_root(y);
    double d = 0;
    int64_t i = 0;
    bool b = false;
    size_t c = 9;
    const char *t = NULL;
    assert_true(sc_map_version(root, 1));
    assert_true(sc_map_number(&d, root, "size", SC_UNIT_BYTES) && d == 2097152);
    assert_true(sc_map_number_or(&d, root, "quoted", SC_UNIT_NONE, 3) && d == 7);
    assert_true(sc_map_number_or(&d, root, "absent", SC_UNIT_NONE, 3) && d == 3);
    assert_true(sc_map_integer(&i, root, "count") && i == 1000000);
    assert_true(sc_map_integer_or(&i, root, "quoted", 5) && i == 7);
    assert_true(sc_map_integer_or(&i, root, "absent", 5) && i == 5);
    assert_true(sc_map_bool(&b, root, "on") && b);
    assert_true(sc_map_bool_or(&b, root, "off", true) && !b);
    assert_true(sc_map_bool_or(&b, root, "absent", true) && b);
    assert_true(sc_map_text(&t, root, "name"));
    assert_string_equal(t, "x");
    assert_string_equal(sc_map_text_or(root, "name", "y"), "x");
    assert_string_equal(sc_map_text_or(root, "absent", "y"), "y");
    assert_true(sc_map_choice(&c, root, "mode", modes, 3) && c == 1);
    assert_true(sc_map_choice_or(&c, root, "absent", modes, 3, 2) && c == 2);
    assert_true(sc_map_choice_or(&c, root, "mode", modes, 3, 2) && c == 1);
    assert_int_equal(sc_node_count(sc_map_sequence(root, "list")), 1);
    assert_non_null(sc_map_map(root, "map"));
    assert_ptr_equal(sc_map_node(root, "map"), sc_node_get(root, "map"));
    const char *const keys[] = {"version", "size", "quoted", "name", "mode",
                                "on",      "off",  "list",   "map",  "count"};
    assert_true(sc_map_only(root, keys, COUNT(keys)));
    assert_int_equal(sc_yaml_status(y), SC_OK);
    assert_string_equal(sc_yaml_warnings(y), "");
    sc_yaml_close(y);
}

/* Each reader's error, in one run, each at its place; what it should have set stays as it was. */
static void test_reader_errors(void **state)
{
    static const char *const modes[] = {"private", "shared"};
    static const char *const keys[] = {"version", "size", "count", "flag", "mode",
                                       "text",    "list", "map",   "void"};
    sc_yaml *y = parse("version: 2\n"
                       "size: 2 MB/s\n"
                       "count: 12345678901234567890\n"
                       "flag: maybe\n"
                       "mode: privat\n"
                       "text: [a]\n"
                       "list: {}\n"
                       "map: x\n"
                       "void:\n"
                       "sise: 1e999\n");
    const sc_node *root = sc_yaml_root(y);
    double d = 42;
    int64_t i = 42;
    bool b = true;
    size_t c = 42;
    const char *t = "kept";
    assert_false(sc_map_version(root, 1));
    assert_false(sc_map_number(&d, root, "size", SC_UNIT_HZ));
    assert_false(sc_map_integer(&i, root, "count"));
    assert_false(sc_map_bool(&b, root, "flag"));
    assert_false(sc_map_choice(&c, root, "mode", modes, 2));
    assert_false(sc_map_text(&t, root, "text"));
    assert_null(sc_map_sequence(root, "list"));
    assert_null(sc_map_map(root, "map"));
    assert_false(sc_map_number_or(&d, root, "void", SC_UNIT_NONE, 1));
    assert_false(sc_map_only(root, keys, COUNT(keys)));
    assert_false(sc_map_number(&d, root, "sise", SC_UNIT_NONE));
    assert_false(sc_map_integer(&i, root, "absent"));
    const sc_node *no_map = sc_node_get(root, "map");
    assert_false(sc_map_integer_or(&i, no_map, "absent", 1));
    assert_false(sc_map_number_or(&d, no_map, "absent", SC_UNIT_NONE, 1));
    assert_false(sc_map_bool_or(&b, no_map, "absent", false));
    assert_false(sc_map_choice_or(&c, no_map, "absent", modes, 2, 0));
    assert_false(sc_map_choice_or(&c, root, "mode", modes, 2, 0)); /* said already */
    assert_false(sc_map_only(no_map, keys, COUNT(keys)));
    assert_null(sc_map_node(no_map, "absent"));
    assert_string_equal(sc_map_text_or(root, "map", ""), "x");
    assert_string_equal(sc_map_text_or(root, "text", "fallback"), "fallback"); /* said already */
    assert_true(d == 42 && i == 42 && b && c == 42);
    assert_string_equal(t, "kept");
    assert_int_equal(sc_yaml_status(y), SC_EPARSE);
    assert_message(
        "t.yaml:1:10: error: version 2 is not known here; this program reads version 1\n"
        "t.yaml:2:7: error: '2 MB/s' is not a frequency: the unit may be Hz, kHz, MHz, GHz, THz\n"
        "t.yaml:3:8: error: 12345678901234567890 does not fit in 64 bits\n"
        "t.yaml:4:7: error: expected true or false, found 'maybe'\n"
        "t.yaml:5:7: error: 'privat' is none of: private, shared (did you mean 'private'?)\n"
        "t.yaml:6:7: error: expected a text, found a sequence\n"
        "t.yaml:7:7: error: 'list' must be a sequence, found a map\n"
        "t.yaml:8:6: error: 'map' must be a map, found a text\n"
        "t.yaml:9:6: error: expected a number, found nothing\n"
        "t.yaml:10:1: error: unknown key 'sise' (did you mean 'size'?)\n"
        "t.yaml:10:7: error: 1e999 is too large a number\n"
        "t.yaml:1:1: error: missing key 'absent'\n"
        "t.yaml:8:6: error: expected a map, found a text");
    sc_yaml_close(y);
}

static void test_error_places(void **state)
{
    sc_yaml *y = parse("plain: \xC3\xA9 + wrong\n"
                       "tagged: !x &a abc\n"
                       "quoted: 'abc'\n"
                       "doubled: 'a''bc'\n"
                       "two: a\n"
                       "  b\n"
                       "map: {}\n");
    const sc_node *root = sc_yaml_root(y);
    sc_node_error_at(sc_node_get(root, "plain"), 5, "%s", "at w");   /* 5 bytes, 4 characters */
    sc_node_error_at(sc_node_get(root, "tagged"), 1, "%s", "at b");  /* behind tag and anchor */
    sc_node_error_at(sc_node_get(root, "quoted"), 1, "%s", "at b");  /* behind the quote */
    sc_node_error_at(sc_node_get(root, "doubled"), 1, "%s", "near"); /* an escape: the start */
    sc_node_error_at(sc_node_get(root, "two"), 2, "%s", "near");
    sc_node_error_at(sc_node_get(root, "quoted"), 99, "%s", "behind");
    sc_node_error_at(sc_node_get(root, "map"), 3, "%s", "no text");
    assert_int_equal(sc_yaml_status(y), SC_EPARSE);
    assert_message("t.yaml:1:12: error: at w\n"
                   "t.yaml:2:16: error: at b\n"
                   "t.yaml:3:11: error: at b\n"
                   "t.yaml:4:10: error: near\n"
                   "t.yaml:5:6: error: near\n"
                   "t.yaml:3:13: error: behind\n"
                   "t.yaml:7:6: error: no text");
    sc_yaml_close(y);
    y = parse("\xEF\xBB\xBF"
              "alone");
    sc_node_error_at(sc_yaml_root(y), 2, "%s", "at o"); /* behind the mark, which is no column */
    assert_int_equal(sc_yaml_status(y), SC_EPARSE);
    assert_message("t.yaml:1:3: error: at o");
    sc_yaml_close(y);
}

static void test_gathering(void **state)
{
    sc_yaml *y = parse("[a, b]");
    const sc_node *a = sc_node_item(sc_yaml_root(y), 0), *b = sc_node_item(sc_yaml_root(y), 1);
    sc_node_warning(a, "careful with %s", "this\nthing\x1b");
    sc_node_warning(a, "careful with %s", "this\nthing\x1b"); /* once is enough */
    sc_node_error(b, "bad");
    sc_node_error(b, "ba"); /* another one, though its text begins the same */
    sc_node_error(b, "bad");
    assert_string_equal(sc_yaml_warnings(y), "t.yaml:1:2: warning: careful with this?thing?\n");
    assert_int_equal(sc_yaml_status(y), SC_EPARSE);
    assert_message("t.yaml:1:5: error: bad\nt.yaml:1:5: error: ba");
    for (int i = 0; i < 18; i++) /* just as many as are shown */
        sc_node_error(a, "number %d", i);
    assert_int_equal(sc_yaml_status(y), SC_EPARSE);
    assert_null(strstr(sc_error_message(), "more error"));
    assert_says("\nt.yaml:1:2: error: number 17");
    for (int i = 18; i < 30; i++)
        sc_node_error(a, "number %d", i);
    assert_int_equal(sc_yaml_status(y), SC_EPARSE);
    assert_says("t.yaml:1:2: error: number 17\nt.yaml: error: 12 more errors");
    sc_node_fail(a, SC_ENOMEM); /* outweighs what is wrong with the text */
    assert_int_equal(sc_yaml_status(y), SC_ENOMEM);
    assert_message("t.yaml: error: out of memory");
    sc_yaml_close(y);
}

static sc_status read_all(void *payload)
{
    sc_yaml *y = NULL;
    sc_status st = sc_yaml_parse(&y, "t.yaml", payload, strlen(payload));
    if (st != SC_OK) {
        assert_null(y);
        return st;
    }
    sc_node_warning(sc_yaml_root(y), "a warning");
    sc_node_error(sc_yaml_root(y), "an error");
    st = sc_yaml_status(y);
    if (st == SC_EPARSE)
        st = strlen(sc_yaml_warnings(y)) > 0 ? SC_OK : SC_ENOMEM;
    sc_yaml_close(y);
    return st;
}

static void test_no_memory(void **state)
{
    static char text[40000];
    char *to = text;
    for (int i = 0; i < 70; i++) /* several anchors, a hashed map, frames */
        to += sprintf(to, "k%d: !t &a%d [1, {x: *a1}]\n", i, i + 1);
    memcpy(strchr(text, '*'), "  1", 3); /* the first has none before it */
    to += sprintf(to, "merged: {<<: [{y: 1}, {z: 2}]}\n");
    sprintf(to, "long: '%020000d'\n", 7);
    assert_true(fail_each_allocation(read_all, text) > 10);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_tree),
        cmocka_unit_test(test_null),
        cmocka_unit_test(test_nothing),
        cmocka_unit_test(test_aliases),
        cmocka_unit_test(test_lookup),
        cmocka_unit_test(test_json_oracle),
        cmocka_unit_test(test_readers),
        cmocka_unit_test(test_reader_errors),
        cmocka_unit_test(test_error_places),
        cmocka_unit_test(test_gathering),
        cmocka_unit_test(test_no_memory),
        cmocka_unit_test(test_merge),
        cmocka_unit_test(test_merge_lookup),
        cmocka_unit_test(test_merge_deep),
        cmocka_unit_test(test_merge_deep_bomb),
    };
    return cmocka_run_group_tests_name("core/yaml", tests, NULL, NULL);
}
