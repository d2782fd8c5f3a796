/* Halos, spacing, regions, orientations, pre-placed macros: read, checked, kept by the placers. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka wants the four above first */
#include <cmocka.h>

#include <math.h>

#include "placement/legal.h"
#include "placement_make.h"

#define MACRO(name, w, h)                                                                          \
    "node { name: '" name "' attr { key: 'type' value { placeholder: 'MACRO' } }"                  \
    " attr { key: 'width' value { f: " w " } } attr { key: 'height' value { f: " h " } } }\n"
#define HEAD "# Columns : 4  Rows : 4\n# Width : 100  Height : 100\n"

static sc_place_rules *rules_of(const made *m, const char *text)
{
    sc_place_rules *rules = NULL;
    if (sc_place_rules_parse(&rules, m->list, "r.yaml", text, strlen(text)) != SC_OK)
        fail_msg("%s", sc_error_message());
    return rules;
}

/* The violations of a placement as "kind/block/amount" words. */
static void check(const made *m, const sc_place_rules *rules, const char *want)
{
    sc_violation *v = NULL;
    size_t n = 0;
    char is[512] = "";
    assert_int_equal(
        sc_legal_check(&v, &n, m->list, &m->placement->canvas, rules, m->placement->spot), SC_OK);
    for (size_t i = 0; i < n; i++)
        (void)snprintf(is + strlen(is), sizeof is - strlen(is), "%s%s/%s/%.6g", i > 0 ? " " : "",
                       sc_violation_names[v[i].kind], m->list->block[v[i].block].name, v[i].amount);
    assert_string_equal(is, want);
    sc_free(v);
}

static void check_text(const char *netlist, const char *plc, const char *yaml, const char *want)
{
    made m = make_of_texts(netlist, plc);
    sc_place_rules *rules = rules_of(&m, yaml);
    check(&m, rules, want);
    sc_place_rules_destroy(rules);
    made_clear(&m);
}

/* Case 15 of the reference cases: halos add, so a gap of 4.32 is legal and any less is not. */
static void test_halos_add(void **state)
{
    static const char two[] = MACRO("a", "100", "20") MACRO("b", "100", "20");
    static const char yaml[] = "version: 1\nhalo_um: [0, 2.16]\n";
    check_text(two, HEAD "0 50 40 N 0\n1 50 64.32 N 0\n", yaml, "");
    check_text(two, HEAD "0 50 40 N 0\n1 50 64.3 N 0\n", yaml, "halo/a/0.02");
    check_text(two, HEAD "0 50 40 N 0\n1 50 60 N 0\n", yaml, "halo/a/4.32");
    check_text(two, HEAD "0 50 40 N 0\n1 50 50 N 0\n", yaml, "overlap/a/1000");
    /* what is fixed may stand at the edge and near what else is fixed, and keeps others off */
    check_text(two, HEAD "0 50 10 N 1\n1 50 31 N 1\n", yaml, "");
    check_text(two, HEAD "0 50 10 N 1\n1 50 31 N 0\n", yaml, "halo/a/3.32");
    /* the edge: 12 um below the centre are the macro's 10 and 2 of its halo */
    check_text(two, HEAD "0 50 12 N 0\n1 50 64.3 N 0\n", yaml, "halo/a/0.16");
}

static void test_checked(void **state)
{
    static const char two[] = MACRO("a", "10", "20") MACRO("b", "10", "20");
    /* spacing: half to each, so 4 between; along either axis is enough */
    check_text(two, HEAD "0 20 40 N 0\n1 33 40 N 0\n", "version: 1\nspacing_um: 4\n", "halo/a/1");
    check_text(two, HEAD "0 20 40 N 0\n1 34 40 N 0\n", "version: 1\nspacing_um: 4\n", "");
    check_text(two, HEAD "0 20 20 N 0\n1 20 44 N 0\n", "version: 1\nspacing_um: [9, 4]\n", "");
    /* a halo turns with its macro: 8 um to the left and right at E are those above and below at N
     */
    check_text(two, HEAD "0 18 50 E 0\n1 60 50 N 0\n",
               "version: 1\nmacros: [{name: a, halo_um: [1, 8], orientations: [E]}]\n", "");
    check_text(two, HEAD "0 17 50 E 0\n1 60 50 N 0\n",
               "version: 1\nmacros: [{name: a, halo_um: [1, 8], orientations: [E]}]\n", "halo/a/1");
    check_text(two, HEAD "0 18 50 N 0\n1 60 50 FS 0\n",
               "version: 1\nregions: {r: [15, 35, 100, 100]}\n"
               "macros: [{name: '*', region: r}, {name: b, orientations: [N, S]}]\n",
               "region/a/2 orientation/b/1");
    check_text(two, HEAD "# Blockage : 0 0 100 38 1\n0 20 50 N 0\n1 60 50 N 0\n",
               "version: 1\nmacros: [{name: a, halo_um: 3}]\n", "halo/a/1");
}

/* Pre-placed macros, blockages and what is fixed go into the placement. */
static void test_applied(void **state)
{
    made m = make_of_texts(MACRO("a", "10", "20") MACRO("b", "10", "20") MACRO("c", "10", "20"),
                           HEAD "0 20 40 N 0\n1 60 40 N 0\n2 80 80 N 0\n");
    sc_place_rules *rules =
        rules_of(&m, "version: 1\nblockages: [[0, 0, 9, 8]]\n"
                     "macros: [{name: a, at_um: [30, 31], orientation: FS}, {name: b, fixed: "
                     "true}, {name: c, at_um: [70, 70], fixed: false}]\n");
    assert_int_equal(sc_place_rules_apply(rules, m.placement), SC_OK);
    const sc_spot *spot = m.placement->spot;
    assert_true(spot[0].x_um == 30 && spot[0].y_um == 31 && spot[0].orient == SC_ORIENT_FS);
    assert_true(spot[0].fixed && spot[1].fixed && !spot[2].fixed);
    assert_true(spot[1].x_um == 60 && spot[2].x_um == 70);
    assert_int_equal(m.placement->canvas.n_blockages, 1);
    assert_true(m.placement->canvas.blockage[0].y1_um == 8);
    assert_int_equal(sc_place_rules_apply(rules, m.placement), SC_OK); /* again changes nothing */
    assert_int_equal(m.placement->canvas.n_blockages, 1);
    m.placement->spot[0].x_um = 33;
    m.placement->canvas.n_blockages = 0; /* the checker knows the rules' own */
    m.placement->spot[1].x_um = 12;
    m.placement->spot[1].y_um = 10;
    check(&m, rules, "blocked/b/16 moved/a/3");
    sc_place_rules_destroy(rules);
    made_clear(&m);
}

static void test_match(void **state)
{
    static const struct {
        const char *pattern, *name;
        bool is;
    } cases[] = {{"a", "a", true},         {"a", "b", false},      {"*", "", true},
                 {"a*", "abc", true},      {"*c", "abc", true},    {"*b", "abc", false},
                 {"a*c*e", "abcde", true}, {"a?c", "abc", true},   {"a?c", "ac", false},
                 {"*ab", "aab", true},     {"m[3]", "m[3]", true}, {"a*", "b", false},
                 {"x?y*", "x?y*", true},   {"**", "ab", true},     {"a*b*c", "acb", false}};
    for (size_t i = 0; i < COUNT(cases); i++)
        assert_int_equal(sc_rules_match(cases[i].pattern, cases[i].name), cases[i].is);
}

static void test_refused(void **state)
{
    static const struct {
        const char *text, *says;
    } cases[] = {
        {"version: 1\nhalo: 3\n", "r.yaml:2:1"},
        {"version: 1\nhalo_um: -1\n", "r.yaml:2:10: error: halo_um should be at least 0"},
        {"version: 1\nhalo_um: [1, 2, 3]\n", "list of 2 numbers"},
        {"version: 1\nhalo_um: [1, .nan]\n", "r.yaml:2:"},
        {"version: 1\nmacros: [{name: memoyr}]\n", "did you mean 'memory'?"},
        {"version: 1\nmacros: [{name: memory, region: q}]\nregions: {r: [0, 0, 1, 1]}\n",
         "no region of that name"},
        {"version: 1\nregions: {r: [5, 0, 1, 1]}\n", "x0 < x1"},
        {"version: 1\nmacros: [{name: '*', at_um: [1, 1]}]\n", "2 macros on one place"},
        {"version: 1\nmacros: [{name: memory, orientations: [Q]}]\n", "r.yaml:2:"},
        {"version: 1\nmacros: [{halo_um: 3}]\n", "name"},
        {"version: 1\nblockages: {a: 3}\n", "should be a list"},
        {"version: 2\n", "r.yaml:1:"},
    };
    made m = make_of_texts(MACRO("memory", "10", "20") MACRO("other", "10", "20"),
                           HEAD "0 20 40 N 0\n1 60 40 N 0\n");
    for (size_t i = 0; i < COUNT(cases); i++) {
        sc_place_rules *rules = NULL;
        assert_int_equal(
            sc_place_rules_parse(&rules, m.list, "r.yaml", cases[i].text, strlen(cases[i].text)),
            SC_EPARSE);
        assert_null(rules);
        if (strstr(sc_error_message(), cases[i].says) == NULL)
            fail_msg("'%s' is not in: %s", cases[i].says, sc_error_message());
    }
    sc_place_rules *rules = rules_of(&m, "version: 1\n");
    assert_int_equal(sc_place_rules_halo(rules, -1, 0), SC_EINVAL);
    assert_int_equal(sc_place_rules_spacing(rules, 0, (double)NAN), SC_EINVAL);
    sc_place_rules_destroy(rules);
    made_clear(&m);
}

/* ---- placed ---- */

static sc_place_outcome anneal(made *m, const sc_place_rules *rules, uint64_t moves, char **why)
{
    sc_place_options options = SC_PLACE_OPTIONS_INIT;
    sc_place_run run = SC_PLACE_RUN_INIT;
    sc_place_outcome out = {0};
    options.rules = rules;
    run.moves = moves;
    run.seconds = 0;
    assert_int_equal(sc_place_rules_apply(rules, m->placement), SC_OK);
    assert_int_equal(sc_place_anneal(m->placement, &out, why, m->list, &options, &run), SC_OK);
    return out;
}

/* Case 14: larger than the core also when turned; and one that only fits when turned. */
static void test_larger_than_canvas(void **state)
{
    char *why = NULL;
    made m = make_of_texts(MACRO("big", "120", "80"), HEAD "0 50 50 N 0\n");
    sc_place_rules *rules = rules_of(&m, "version: 1\nrotate: true\n");
    (void)anneal(&m, rules, 10, &why);
    assert_string_equal(why, "macro 'big' of 120 x 80 um (turned 80 x 120 um) is larger than the "
                             "canvas of 100 x 100 um");
    sc_free(why);
    sc_place_rules_destroy(rules);
    made_clear(&m);

    m = make_of_texts(MACRO("big", "120", "80"),
                      "# Columns : 4  Rows : 4\n# Width : 100  Height : 130\n0 50 50 N 0\n");
    rules = rules_of(&m, "version: 1\nrotate: true\n");
    (void)anneal(&m, rules, 100, &why);
    assert_null(why);
    assert_true(sc_orient_is_turned(m.placement->spot[0].orient));
    check(&m, rules, "");
    sc_place_rules_destroy(rules);
    made_clear(&m);
}

/* Case 15: with its halo of 40 the macro takes 180 x 180. */
static void test_halo_area(void **state)
{
    static const double side[] = {179.9, 180};
    for (size_t i = 0; i < COUNT(side); i++) {
        char plc[128], *why = NULL;
        (void)snprintf(plc, sizeof plc,
                       "# Columns : 4  Rows : 4\n# Width : %g  Height : 180\n0 50 50 N 0\n",
                       side[i]);
        made m = make_of_texts(MACRO("a", "100", "100"), plc);
        sc_place_rules *rules = rules_of(&m, "version: 1\nhalo_um: 40\n");
        (void)anneal(&m, rules, 10, &why);
        if (i == 0)
            assert_string_equal(why, "macro 'a' of 100 x 100 um, 180 x 180 um with its halo, is "
                                     "larger than the canvas of 179.9 x 180 um");
        else
            assert_null(why);
        sc_free(why);
        sc_place_rules_destroy(rules);
        made_clear(&m);
    }
}

/* Random cases with every rule at once: what comes out is legal to the checker. */
static void test_placed(void **state)
{
    static const char yaml[] =
        "version: 1\nhalo_um: [1, 2]\nspacing_um: [3, 0]\nrotate: true\n"
        "regions: {west: [0, 0, 60, 100], middle: [20, 20, 80, 80]}\n"
        "blockages: [[0, 0, 10, 10], [90, 45, 100, 55]]\n"
        "macros: [{name: h0, region: west}, {name: h1, orientations: [S, FS]}, {name: h2, halo_um: "
        "4}, {name: 's*', region: middle}]\n";
    sc_rng rng;
    size_t placed = 0;
    sc_rng_init(&rng, 12, 1, 0);
    for (int run = 0; run < 30; run++) {
        const made_size size = {2, 4, 3, 3, 6, 6, 0};
        char *why = NULL;
        made m = make_random(&rng, &size);
        sc_place_rules *rules = rules_of(&m, yaml);
        const sc_place_outcome out = anneal(&m, rules, 2000, &why);
        if (why == NULL) {
            check(&m, rules, "");
            assert_int_equal(out.violations, 0);
            assert_true(out.best.proxy <= out.start.proxy);
            placed++;
        }
        sc_free(why);
        sc_place_rules_destroy(rules);
        made_clear(&m);
    }
    assert_true(placed >= 25); /* macros of at most 30 x 30 leave room */
}

static sc_status read_once(void *payload)
{
    const made *m = payload;
    static const char text[] = "version: 1\nregions: {r: [0, 0, 9, 9]}\nblockages: [[0, 0, 1, 1]]\n"
                               "macros: [{name: a, region: r}]\n";
    sc_place_rules *rules = NULL;
    const sc_status st = sc_place_rules_parse(&rules, m->list, "r", text, strlen(text));
    sc_place_rules_destroy(rules);
    return st;
}

static void test_memory(void **state)
{
    made m = make_of_texts(MACRO("a", "10", "20"), HEAD "0 20 40 N 0\n");
    assert_true(fail_each_allocation(read_once, &m) > 0);
    made_clear(&m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_halos_add), cmocka_unit_test(test_checked),
        cmocka_unit_test(test_applied),   cmocka_unit_test(test_match),
        cmocka_unit_test(test_refused),   cmocka_unit_test(test_larger_than_canvas),
        cmocka_unit_test(test_halo_area), cmocka_unit_test(test_placed),
        cmocka_unit_test(test_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
