/* Netlists in text protobuf and placements as .plc: forms that are taken, and what is refused with
 * its place. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka wants the four above first */
#include <cmocka.h>

#include <dirent.h>

#include "placement/pbtext.h"
#include "placement_make.h"

/* ---- text protobuf ---- */

/* All items of a text as one: name=value, name{ and }. */
static sc_status items(char out[512], const char *text)
{
    char copy[512];
    sc_pb p;
    sc_status st = SC_OK;
    int at = 0;

    (void)snprintf(copy, sizeof copy, "%s", text);
    sc_pb_begin(&p, "t.pb", copy);
    out[0] = '\0';
    while ((st = sc_pb_next(&p)) == SC_OK && p.kind != SC_PB_END) {
        if (p.kind == SC_PB_VALUE)
            at += snprintf(out + at, 512 - (size_t)at, "%s=%s ", p.name, p.text);
        else
            at +=
                snprintf(out + at, 512 - (size_t)at, p.kind == SC_PB_OPEN ? "%s{ " : "} ", p.name);
    }
    return st;
}

static void test_forms(void **state)
{
    static const struct {
        const char *text, *items;
    } cases[] = {
        {"", ""},
        {"# only\n # comments", ""},
        {"a: 1", "a=1 "},
        {"a { b: 'x' } c: -1.5e3", "a{ b=x } c=-1.5e3 "},
        {"a: < b: true >", "a{ b=true } "},
        {"a: [1, 2 , 'z'] b: 3", "a=1 a=2 a=z b=3 "},
        {"a: []; b: 1,", "b=1 "},
        {"a: \"x\\n\\t\\\"\\'\\\\\\101\\x41\"", "a=x\n\t\"'\\AA "},
        {"a: 'one' \"two\"\n 'three'  b{}", "a=onetwothree b{ } "},
        {"a:'{}#,' # tail", "a={}#, "},
    };
    char got[512];
    for (size_t i = 0; i < COUNT(cases); i++) {
        assert_int_equal(items(got, cases[i].text), SC_OK);
        assert_string_equal(got, cases[i].items);
    }
}

static void test_bad_forms(void **state)
{
    static const struct {
        const char *text, *message;
    } cases[] = {
        {"a", "t.pb:1:2: error: ':' or '{' should stand after 'a'"},
        {"a:\n  }", "t.pb:2:3: error: '}' stands where a value should"},
        {"a {\n", "t.pb:2:1: error: the file ends inside a message; its last '}' is missing"},
        {"a { b: 1 >", "t.pb:1:10: error: '>' closes nothing"},
        {"}", "t.pb:1:1: error: '}' closes nothing"},
        {"a: 'x", "t.pb:1:4: error: the string is not closed on its line"},
        {"a: 'x\ny'", "t.pb:1:4: error: the string is not closed on its line"},
        {"a: '\\q'", "t.pb:1:6: error: no such escape in a string"},
        {"a: '\\000'", "t.pb:1:9: error: a NUL byte in a string"},
        {"a:", "t.pb:1:3: error: the file ends where a value should stand"},
        {"1: 2", "t.pb:1:1: error: '1' stands where a field should"},
        {"a: [1, {", "t.pb:1:8: error: '{' stands where a value should"},
    };
    char got[512];
    for (size_t i = 0; i < COUNT(cases); i++) {
        assert_int_equal(items(got, cases[i].text), SC_EPARSE);
        assert_message(cases[i].message);
    }
}

/* ---- netlists ---- */

#define NODE(name, rest)  "node { name: '" name "' " rest " }\n"
#define TEXT(key, value)  " attr { key: '" key "' value { placeholder: '" value "' } }"
#define NUMBER(key, text) " attr { key: '" key "' value { f: " text " } }"
#define PORT              TEXT("type", "PORT") NUMBER("x", "1") NUMBER("y", "2")
#define HARD              TEXT("type", "MACRO") NUMBER("width", "4") NUMBER("height", "6")

/* Metadata is no node; a port, a macro with two pins, one net with a weight. */
static void test_netlist(void **state)
{
    static const char text[] = NODE("__metadata__", NUMBER("soft_macro_area_bloating_ratio", "2"))
        NODE("p", "input: 'm/a' input: 'm/b'" PORT NUMBER("weight", "3"))
            NODE("m", HARD TEXT("orientation", "FS")) NODE(
                "m/a", TEXT("type", "MACRO_PIN") TEXT("macro_name", "m") NUMBER("x_offset", "-1"))
                NODE("m/b", "input: 'p'" TEXT("type", "macro_pin") TEXT("macro_name", "m"));
    sc_netlist *n = NULL;

    assert_int_equal(sc_netlist_parse(&n, "n", text, sizeof text - 1), SC_OK);
    assert_int_equal(n->n_nodes, 4);
    assert_int_equal(n->n_blocks, 2);
    assert_int_equal(n->n_of_kind[SC_BLOCK_HARD], 1);
    assert_int_equal(n->n_pins, 3); /* the port has one in its middle */
    assert_int_equal(n->n_nets, 2);
    assert_int_equal(n->net_first[1] - n->net_first[0], 3);
    assert_true(n->net_weight[0] == 3 && n->net_weight[1] == 1);
    assert_int_equal(n->block[1].spot.orient, SC_ORIENT_FS);
    assert_true(n->block[1].width_um == 4 && n->block[1].height_um == 6);
    assert_true(n->block[0].has_spot && !n->block[1].has_spot);
    assert_true(n->pin[0].dx_um == -1);
    sc_netlist_destroy(n);
}

static void test_bad_netlists(void **state)
{
    static const struct {
        const char *text, *message;
    } cases[] = {
        {"", "n:1:1: error: no node: this is no netlist in text protobuf"},
        {"node { }", "n:1:6: error: a node without a name"},
        {NODE("a", ""), "n:1:6: error: node 'a' has no attribute 'type'"},
        {NODE("a", TEXT("type", "BOX")),
         "n:1:6: error: node 'a' is of type 'BOX'; known are PORT, MACRO, MACRO_PIN, macro, "
         "macro_pin and STDCELL"},
        {NODE("a", PORT) NODE("a", PORT),
         "n:2:6: error: a second node 'a'; the first is in line 1"},
        {NODE("a", "\ninput: 'b'" PORT),
         "n:2:8: error: node 'a' has an input 'b', which is no node"},
        {NODE("a", TEXT("type", "MACRO") NUMBER("width", "1")),
         "n:1:6: error: node 'a' has no width or no height"},
        {NODE("a", TEXT("type", "macro") NUMBER("width", "-1") NUMBER("height", "0")),
         "n:1:6: error: node 'a' is -1 x 0 um; both should be positive"},
        {NODE("a", TEXT("type", "macro") NUMBER("width", "nan")),
         "n:1:102: error: 'nan' is no finite number"},
        {NODE("a", TEXT("type", "MACRO_PIN")),
         "n:1:6: error: node 'a' is a pin without an attribute 'macro_name'"},
        {NODE("a", PORT) NODE("b", TEXT("type", "macro_pin") TEXT("macro_name", "c")),
         "n:2:6: error: pin 'b' is of 'c', which is no macro"},
        {NODE("a", TEXT("type", "macro_pin") TEXT("macro_name", "a")),
         "n:1:6: error: pin 'a' is of 'a', which is no macro"},
        {NODE("a", HARD TEXT("orientation", "NE")),
         "n:1:6: error: node 'a' has orientation 'NE'; known are N S W E FN FS FW FE"},
        {NODE("a", "input: 'a'" PORT NUMBER("weight", "-1")),
         "n:1:6: error: node 'a' has a negative weight"},
        {NODE("a", TEXT("type", "macro") NUMBER("width", "1e999")),
         "n:1:102: error: '1e999' is no number that can be held"},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        sc_netlist *n = NULL;
        assert_int_equal(sc_netlist_parse(&n, "n", cases[i].text, strlen(cases[i].text)),
                         SC_EPARSE);
        assert_null(n);
        assert_message(cases[i].message);
    }
}

/* Every fault of a file in one run, up to a count of the rest. */
static void test_many_faults(void **state)
{
    sc_buf b;
    char *text = NULL;
    sc_netlist *n = NULL;

    sc_buf_init(&b);
    for (int i = 0; i < 30; i++)
        sc_buf_printf(&b, "node { name: 'a%d' }\n", i);
    assert_int_equal(sc_buf_take(&b, &text), SC_OK);
    assert_int_equal(sc_netlist_parse(&n, "n", text, strlen(text)), SC_EPARSE);
    assert_says("n:1:6: error: node 'a0' has no attribute 'type'\n");
    assert_says("n:20:6: error: node 'a19'");
    assert_says("\nn: 10 more errors");
    sc_free(text);
}

/* ---- placements ---- */

#define GRID "# Columns : 4  Rows : 5\n# Width : 100.5  Height : 80\n"
static const char two_blocks[] = NODE("p", PORT) NODE("m", "input: 'p'" HARD);

static sc_placement *place(const sc_netlist *n, const char *text)
{
    sc_placement *p = NULL;
    char *copy = strdup(text);
    assert_non_null(copy);
    if (sc_placement_parse(&p, n, "p", copy, strlen(copy)) != SC_OK)
        p = NULL;
    free(copy);
    return p;
}

static void test_placement(void **state)
{
    sc_netlist *n = NULL;
    assert_int_equal(sc_netlist_parse(&n, "n", two_blocks, sizeof two_blocks - 1), SC_OK);
    sc_placement *p =
        place(n, "# Wirelength cost : 9\n" GRID "# Routes per micron, hor : 70.33 ver : 74.5\r\n"
                 "# Routes used by macros, hor : 1.5  ver : 0\n"
                 "# Smoothing factor : 2\n# Overlap threshold : 0.5\n"
                 "# Blockage : 0 0 10 10.5 1.0\n\n1 12.5 7 FS 1\n");
    assert_non_null(p);
    assert_true(p->canvas.width_um == 100.5 && p->canvas.height_um == 80);
    assert_true(p->canvas.columns == 4 && p->canvas.rows == 5 && p->canvas.smoothing == 2);
    assert_true(p->canvas.h_routes_per_um == 70.33 && p->canvas.v_routes_per_um == 74.5);
    assert_true(p->canvas.h_routes_macro == 1.5 && p->canvas.v_routes_macro == 0);
    assert_true(p->canvas.overlap_um2 == 0.5 && p->canvas.n_blockages == 1);
    assert_true(p->canvas.blockage[0].y1_um == 10.5);
    assert_true(p->spot[1].x_um == 12.5 && p->spot[1].orient == SC_ORIENT_FS && p->spot[1].fixed);
    assert_true(p->spot[0].x_um == 1 && p->spot[0].y_um == 2); /* as the netlist has it */
    sc_placement_destroy(p);
    sc_netlist_destroy(n);
}

static void test_bad_placements(void **state)
{
    static const struct {
        const char *text, *message;
    } cases[] = {
        {"", "p:1:1: error: no line '# Columns : C  Rows : R' says the grid\n"
             "p:1:1: error: no line '# Width : W  Height : H' says the canvas\n"
             "p:1:1: error: no line places node 1 ('m')"},
        {GRID "1 1 1 N 0\n1 2 2 N 0\n",
         "p:4:2: error: node 1 ('m') a second time; the first is in line 3"},
        {GRID "7 1 1 N 0\n",
         "p:3:1: error: the index of a node should be a whole number from 0 to 1"},
        {GRID "x 1 1 N 0\n",
         "p:3:1: error: the index of a node should be a finite number, not 'x'"},
        {GRID "1 nan 1 N 0\n", "p:3:3: error: x should be a finite number, not 'nan'"},
        {GRID "1 1 1 Q 0\n",
         "p:3:7: error: 'Q' is no orientation; known are N S W E FN FS FW FE, and - for a port"},
        {GRID "1 1 1 N 2\n",
         "p:3:9: error: the mark of fixed ones should be a whole number from 0 to 1"},
        {GRID "1 1 1 N 0 9\n", "p:3:11: error: '9' behind the five fields of a block"},
        {GRID "1 1\n", "p:3:4: error: y should be a finite number, not ''"},
        {"# Columns : 0  Rows : 5\n",
         "p:1:13: error: the number of columns should be a whole number from 1 to 4096"},
        {"# Columns : 4\n", "p:1:14: error: 'Rows :' should follow the columns"},
        {"# Width : -1  Height : 2\n",
         "p:1:25: error: a canvas of -1 x 2 um; both should be positive"},
        {"# Routes per micron, hor : 0  ver : 2\n",
         "p:1:38: error: routes of 0 and 2; both should be positive"},
        {"# Blockage : 5 0 5 9 1\n",
         "p:1:23: error: a blockage should reach from lower left to upper right"},
        {"# Blockage : 0 0 5 9 1.5\n",
         "p:1:25: error: the rate of a blockage should be from 0 to 1, not 1.5"},
    };
    sc_netlist *n = NULL;
    assert_int_equal(sc_netlist_parse(&n, "n", two_blocks, sizeof two_blocks - 1), SC_OK);
    for (size_t i = 0; i < COUNT(cases); i++) {
        assert_null(place(n, cases[i].text));
        assert_message(cases[i].message);
    }
    sc_netlist_destroy(n);
}

/* ---- memory and real files ---- */

static sc_status read_once(void *payload)
{
    sc_netlist *n = NULL;
    sc_placement *p = NULL;
    char text[] = GRID "# Blockage : 0 0 1 1 1\n1 1 1 N 0\n";
    sc_status st = sc_netlist_parse(&n, "n", two_blocks, sizeof two_blocks - 1);
    (void)payload;
    if (st == SC_OK)
        st = sc_placement_parse(&p, n, "p", text, strlen(text));
    sc_placement_destroy(p);
    sc_netlist_destroy(n);
    return st;
}

static void test_memory(void **state)
{
    assert_true(fail_each_allocation(read_once, NULL) > 0);
}

/* A line of 50 MB is read as any other. */
static void test_long_line(void **state)
{
    enum { LONG = 50000000 };
    char *text = malloc(LONG + 256);
    sc_netlist *n = NULL;

    assert_non_null(text);
    memcpy(text, "node { name: '", 14);
    memset(text + 14, 'a', LONG);
    memcpy(text + 14 + LONG, "' }", 4);
    assert_int_equal(sc_netlist_parse(&n, "n", text, 14 + LONG + 3), SC_EPARSE);
    assert_says("n:1:6: error: node 'aaaa");
    free(text);
}

/* Whether a toy's placement is of its own netlist: some folders hold that of `sample_clustered`,
 * whose indices are pins in them or past their end. */
static bool is_own(const char *name)
{
    static const char *const others[] = {
        "sample_clustered_nomacro", "sample_clustered_uniform_one_hard",
        "sample_clustered_uniform_one_soft", "sample_clustered_uniform_two_soft"};
    for (size_t i = 0; i < COUNT(others); i++)
        if (strcmp(name, others[i]) == 0)
            return false;
    return true;
}

static void read_toy(const char *folder, const char *name, size_t *netlists, size_t *placements)
{
    char path[2048];
    sc_netlist *n = NULL;
    sc_placement *p = NULL;

    (void)snprintf(path, sizeof path, "%s/%s/netlist.pb.txt", folder, name);
    if (name[0] == '.' || access(path, R_OK) != 0)
        return;
    if (sc_netlist_open(&n, path) != SC_OK)
        fail_msg("%s", sc_error_message());
    ++*netlists;
    (void)snprintf(path, sizeof path, "%s/%s/initial.plc", folder, name);
    if (access(path, R_OK) == 0) {
        const sc_status st = sc_placement_open(&p, n, path);
        if ((st == SC_OK) != is_own(name))
            fail_msg("%s: %s", path, sc_error_message());
        if (st != SC_OK)
            assert_says("initial.plc:3"); /* the line of the first block that is none */
        *placements += st == SC_OK;
    }
    sc_placement_destroy(p);
    sc_netlist_destroy(n);
}

static void test_toys(void **state)
{
    static const char *const folders[] = {"placement/ct_tests", "placement/tilos_toys"};
    char folder[1024];
    size_t netlists = 0, placements = 0;

    for (size_t f = 0; f < COUNT(folders); f++) {
        DIR *dir = opendir(reference_data(folder, sizeof folder, folders[f]));
        assert_non_null(dir);
        for (struct dirent *e; (e = readdir(dir)) != NULL;)
            read_toy(folder, e->d_name, &netlists, &placements);
        closedir(dir);
    }
    assert_true(netlists >= 10 && placements >= 5);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_forms),          cmocka_unit_test(test_bad_forms),
        cmocka_unit_test(test_netlist),        cmocka_unit_test(test_bad_netlists),
        cmocka_unit_test(test_many_faults),    cmocka_unit_test(test_placement),
        cmocka_unit_test(test_bad_placements), cmocka_unit_test(test_memory),
        cmocka_unit_test(test_long_line),      cmocka_unit_test(test_toys),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
