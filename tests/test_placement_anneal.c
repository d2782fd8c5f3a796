/* Placers: any start made legal with little movement, annealing that ends legal and not worse, the
 * same for a seed, and placements that are written and read back. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka wants the four above first */
#include <cmocka.h>

#include <math.h>

#include "oracle_placement.h"
#include "placement/legal.h"
#include "placement/legalise.h"
#include "placement_make.h"

static const sc_place_options usual = SC_PLACE_OPTIONS_INIT;

/* Sizes whose macros, of at most 30 x 30 um, leave room on a canvas of 100 x 100. */
static made_size some_size(sc_rng *rng)
{
    return (made_size){1 + pick(rng, 3),
                       1 + pick(rng, 4),
                       pick(rng, 4),
                       1 + pick(rng, 3),
                       4 + pick(rng, 6),
                       4 + pick(rng, 6),
                       0};
}

static size_t count_violations(const sc_netlist *list, const sc_canvas *canvas, const sc_spot *spot)
{
    sc_violation *v = NULL;
    size_t n = 0;
    assert_int_equal(sc_legal_check(&v, &n, list, canvas, NULL, spot), SC_OK);
    sc_free(v);
    return n;
}

/* ---- legal ---- */

#define MACRO(name, w, h)                                                                          \
    "node { name: '" name "' attr { key: 'type' value { placeholder: 'MACRO' } }"                  \
    " attr { key: 'width' value { f: " w " } } attr { key: 'height' value { f: " h " } } }\n"
#define HEAD "# Columns : 4  Rows : 4\n# Width : 100  Height : 100\n"

/* What a start is made of, and how far macros go. */
static double legalised(made *m, const char *netlist, const char *plc, char **why)
{
    double moved = 0;
    sc_buf text;
    sc_buf_init(&text);
    *m = make_of_texts(netlist, plc);
    assert_int_equal(
        sc_legalise(m->placement->spot, &moved, &text, m->list, &m->placement->canvas, NULL),
        SC_OK);
    assert_int_equal(sc_buf_take(&text, why), SC_OK);
    return moved;
}

/* The smaller of two that overlap goes the shortest way: 15 um to the right, not 20 up. */
static void test_least_movement(void **state)
{
    made m;
    char *why = NULL;
    const double moved = legalised(&m, MACRO("a", "40", "30") MACRO("b", "20", "30"),
                                   HEAD "0 50 50 N 0\n1 65 50 N 0\n", &why);
    assert_string_equal(why, "");
    assert_true(fabs(moved - 15) < 1e-9);
    assert_true(m.placement->spot[0].x_um == 50 && fabs(m.placement->spot[1].x_um - 80) < 1e-9);
    sc_free(why);
    made_clear(&m);
}

/* What is fixed stays and what blocks is kept off, even where the larger macro must go. */
static void test_fixed(void **state)
{
    made m;
    char *why = NULL;
    (void)legalised(&m, MACRO("a", "40", "40") MACRO("b", "10", "10"),
                    HEAD "# Blockage : 0 0 100 20 1\n0 50 50 N 0\n1 50 50 N 1\n", &why);
    assert_string_equal(why, "");
    assert_true(m.placement->spot[1].x_um == 50 && m.placement->spot[1].y_um == 50);
    assert_int_equal(count_violations(m.list, &m.placement->canvas, m.placement->spot), 0);
    sc_free(why);
    made_clear(&m);
}

/* Case 14 of the reference cases, and macros that are too many. */
static void test_no_place(void **state)
{
    static const struct {
        const char *netlist, *plc, *why;
    } cases[] = {
        {MACRO("big", "120", "80"), HEAD "0 50 50 N 0\n",
         "macro 'big' of 120 x 80 um is larger than the canvas of 100 x 100 um"},
        {MACRO("big", "120", "80"), HEAD "0 50 50 E 0\n",
         "macro 'big' of 80 x 120 um is larger than the canvas of 100 x 100 um"},
        {MACRO("a", "90", "90") MACRO("b", "60", "60"), HEAD "0 50 50 N 0\n1 5 5 N 0\n",
         "hard macros of 11700 um2 in all are more than the canvas of 10000 um2"},
        {MACRO("a", "60", "60") MACRO("b", "50", "50"), HEAD "0 50 50 N 0\n1 5 5 N 0\n",
         "macro 'a' of 60 x 60 um and macro 'b' of 50 x 50 um fit neither side by side nor above "
         "each other on the canvas of 100 x 100 um"},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        made m;
        char *why = NULL;
        (void)legalised(&m, cases[i].netlist, cases[i].plc, &why);
        assert_string_equal(why, cases[i].why);
        sc_free(why);
        made_clear(&m);
    }
}

/* The nearest free place of one macro among others that are fixed, against every place of a fine
 * grid: none of these is nearer. */
static double nearest_on_grid(const made *m, const sc_spot *spot, uint32_t block, double x,
                              double y)
{
    sc_spot all[16];
    double least = (double)INFINITY;
    assert_true(m->list->n_blocks <= COUNT(all));
    memcpy(all, spot, m->list->n_blocks * sizeof *spot);
    for (double at_x = 0; at_x <= 100; at_x += 2.5) {
        for (double at_y = 0; at_y <= 100; at_y += 2.5) {
            const double distance = hypot(at_x - x, at_y - y);
            if (distance >= least)
                continue;
            all[block].x_um = at_x;
            all[block].y_um = at_y;
            if (count_violations(m->list, &m->placement->canvas, all) == 0)
                least = distance;
        }
    }
    return least;
}

static void test_nearest(void **state)
{
    sc_rng rng;
    sc_rng_init(&rng, 1, 1, 0);
    for (int run = 0; run < 40; run++) {
        made m;
        char *why = NULL, plc[256];
        const double x = 100 * gsl_rng_uniform(&rng.gsl), y = 100 * gsl_rng_uniform(&rng.gsl);
        (void)snprintf(plc, sizeof plc,
                       HEAD "0 %.17g %.17g N 0\n1 30 30 N 1\n2 70 40 N 1\n3 50 80 N 1\n", x, y);
        const double moved = legalised(&m,
                                       MACRO("a", "20", "10") MACRO("b", "30", "40")
                                           MACRO("c", "30", "30") MACRO("d", "70", "20"),
                                       plc, &why);
        assert_string_equal(why, "");
        assert_int_equal(count_violations(m.list, &m.placement->canvas, m.placement->spot), 0);
        assert_true(moved <= nearest_on_grid(&m, m.placement->spot, 0, x, y) + 1e-9);
        sc_free(why);
        made_clear(&m);
    }
}

/* ---- annealing ---- */

static sc_place_outcome anneal(sc_placement *p, const sc_netlist *list, uint64_t seed,
                               uint64_t moves)
{
    sc_place_run run = SC_PLACE_RUN_INIT;
    sc_place_outcome out;
    char *why = NULL;
    run.seed = seed;
    run.moves = moves;
    run.seconds = 0;
    assert_int_equal(sc_place_anneal(p, &out, &why, list, &usual, &run), SC_OK);
    assert_null(why);
    return out;
}

/* Ends legal, where it says and not above the start; ports stay; the cost is that of the oracle. */
static void test_anneal(void **state)
{
    sc_rng rng;
    sc_rng_init(&rng, 2, 1, 0);
    for (uint64_t run = 0; run < 30; run++) {
        const made_size size = some_size(&rng);
        made m = make_random(&rng, &size);
        const sc_spot port = m.placement->spot[0];
        const sc_place_outcome out = anneal(m.placement, m.list, run, 3000);
        const sc_canvas *canvas = &m.placement->canvas;
        const sc_place_cost want = oracle_placement(m.list, canvas, m.placement->spot);
        assert_int_equal(count_violations(m.list, canvas, m.placement->spot), 0);
        assert_true(out.best.proxy <= out.start.proxy);
        assert_true(fabs(out.best.proxy - want.proxy) < 1e-9);
        assert_int_equal(out.moves, 3000);
        assert_int_equal(out.stop, SC_STOP_BUDGET);
        assert_memory_equal(&port, &m.placement->spot[0], sizeof port);
        made_clear(&m);
    }
}

static void test_same_for_a_seed(void **state)
{
    const made_size size = {3, 4, 4, 3, 8, 8, 0};
    sc_spot first[16];
    double proxy[3];
    for (int i = 0; i < 3; i++) {
        sc_rng rng;
        sc_rng_init(&rng, 3, 1, 0);
        made m = make_random(&rng, &size);
        proxy[i] = anneal(m.placement, m.list, i < 2 ? 7 : 8, 2000).best.proxy;
        for (size_t b = 0; b < m.list->n_blocks && i == 1; b++)
            assert_true(first[b].x_um == m.placement->spot[b].x_um &&
                        first[b].y_um == m.placement->spot[b].y_um &&
                        first[b].orient == m.placement->spot[b].orient);
        memcpy(first, m.placement->spot, m.list->n_blocks * sizeof *first);
        made_clear(&m);
    }
    assert_true(proxy[0] == proxy[1] && proxy[0] != proxy[2]);
}

/* Two soft macros of zero density share in all places: a net between a port in a corner and each
 * pulls both into that corner's cell, where no wire is left. */
static void test_known_optimum(void **state)
{
    static const char netlist[] =
        "node { name: 'p' input: 'a/0' input: 'b/0' attr { key: 'type' value { placeholder: 'PORT' "
        "} } }\n"
        "node { name: 'a' attr { key: 'type' value { placeholder: 'macro' } }\n"
        "  attr { key: 'width' value { f: 1 } } attr { key: 'height' value { f: 1 } } }\n"
        "node { name: 'a/0' attr { key: 'type' value { placeholder: 'macro_pin' } }\n"
        "  attr { key: 'macro_name' value { placeholder: 'a' } } }\n"
        "node { name: 'b' attr { key: 'type' value { placeholder: 'macro' } }\n"
        "  attr { key: 'width' value { f: 1 } } attr { key: 'height' value { f: 1 } } }\n"
        "node { name: 'b/0' attr { key: 'type' value { placeholder: 'macro_pin' } }\n"
        "  attr { key: 'macro_name' value { placeholder: 'b' } } }\n";
    for (uint64_t seed = 1; seed <= 5; seed++) {
        made m = make_of_texts(netlist, HEAD "0 0 0 - 1\n1 90 90 N 0\n3 10 80 N 0\n");
        const sc_place_outcome out = anneal(m.placement, m.list, seed, 20000);
        assert_true(out.best.congestion == 0);
        assert_true(out.best.wirelength < 0.01);
        made_clear(&m);
    }
}

static int stop_at_once(const sc_place_progress *p, void *payload)
{
    assert_true(p->run.best <= *(double *)payload);
    assert_true(fabs(p->best.wirelength + 0.5 * p->best.density + 0.5 * p->best.congestion -
                     p->run.best) < 1e-12);
    assert_true(p->accepted > 0 && p->accepted <= 1);
    return 1;
}

/* Stopped from outside, what was best so far is kept. */
static void test_interrupt(void **state)
{
    const made_size size = {3, 4, 4, 3, 8, 8, 0};
    sc_place_run run = SC_PLACE_RUN_INIT;
    sc_place_outcome out;
    double limit = 1e9;
    char *why = NULL;
    sc_rng rng;

    sc_rng_init(&rng, 4, 1, 0);
    made m = make_random(&rng, &size);
    run.progress = stop_at_once;
    run.payload = &limit;
    assert_int_equal(sc_place_anneal(m.placement, &out, &why, m.list, &usual, &run), SC_OK);
    assert_int_equal(out.stop, SC_STOP_INTERRUPT);
    assert_true(out.best.proxy <= out.start.proxy && out.seconds < 30);
    assert_int_equal(count_violations(m.list, &m.placement->canvas, m.placement->spot), 0);
    made_clear(&m);
}

/* ---- chains, and runs that go on ---- */

static int stop_by_count(const sc_place_progress *p, void *payload)
{
    int *left = payload;
    assert_true(p->run.done <= p->run.total);
    return --*left <= 0;
}

/* A placement of one netlist by some chains on some threads; stopped that many times on the way. */
static sc_place_outcome by_chains(sc_spot *spot, uint32_t chains, int threads, const char *state,
                                  int stops)
{
    const made_size size = {3, 4, 4, 3, 8, 8, 0};
    sc_place_run run = SC_PLACE_RUN_INIT;
    sc_place_outcome out = {0};
    char *why = NULL;
    sc_rng rng;

    run.moves = 40000;
    run.seconds = 0;
    run.chains = chains;
    run.threads = threads;
    run.state = state;
    for (int part = 0; part <= stops; part++) {
        int left = 1;
        sc_rng_init(&rng, 8, 1, 0);
        made m = make_random(&rng, &size);
        run.progress = part < stops ? stop_by_count : NULL;
        run.payload = &left;
        assert_int_equal(sc_place_anneal(m.placement, &out, &why, m.list, &usual, &run), SC_OK);
        assert_null(why);
        memcpy(spot, m.placement->spot, m.list->n_blocks * sizeof *spot);
        made_clear(&m);
    }
    assert_int_equal(out.stop, SC_STOP_BUDGET);
    assert_int_equal(out.moves, 40000 * chains);
    return out;
}

static void assert_same(const sc_spot *a, const sc_spot *b)
{
    for (int i = 0; i < 11; i++)
        assert_true(a[i].x_um == b[i].x_um && a[i].y_um == b[i].y_um && a[i].orient == b[i].orient);
}

/* Any number of threads gives the same bits; more chains are no worse, and the first of them is the
 * one that runs alone. */
static void test_chains(void **state)
{
    sc_spot one[16], other[16];
    const sc_place_outcome alone = by_chains(one, 1, 1, NULL, 0);
    const sc_place_outcome three = by_chains(one, 3, 1, NULL, 0);
    const sc_place_outcome again = by_chains(other, 3, 3, NULL, 0);
    assert_same(one, other);
    assert_true(three.best.proxy == again.best.proxy && three.chain == again.chain);
    assert_true(three.best.proxy <= alone.best.proxy);
}

/* Stopped twice on its way and gone on, a run ends as one that was not, to the bit. */
static void test_goes_on(void **state)
{
    char *folder = make_folder(), path[256];
    sc_spot whole[16], parts[16];
    (void)snprintf(path, sizeof path, "%s/state", folder);
    const sc_place_outcome want = by_chains(whole, 2, 1, NULL, 0);
    const sc_place_outcome is = by_chains(parts, 2, 2, path, 2);
    assert_same(whole, parts);
    assert_true(want.best.proxy == is.best.proxy && want.accepted == is.accepted);
    (void)remove(path);
    (void)rmdir(folder);
    free(folder);
}

/* What is fixed illegally is counted; where nothing can move that is why it ends. */
static void test_fixed_illegal(void **state)
{
    sc_place_run run = SC_PLACE_RUN_INIT;
    sc_place_outcome out;
    char *why = NULL;
    made m = make_of_texts(MACRO("a", "10", "10") MACRO("b", "10", "10"),
                           HEAD "0 50 50 N 1\n1 52 50 N 1\n");
    assert_int_equal(sc_place_anneal(m.placement, &out, &why, m.list, &usual, &run), SC_OK);
    assert_null(why);
    assert_int_equal(out.violations, 1);
    assert_int_equal(out.stop, SC_STOP_EXHAUSTED);
    assert_int_equal(out.moves, 0);
    made_clear(&m);
}

/* A grid so fine that one move takes milliseconds does not outrun its time. */
static void test_short_time(void **state)
{
    sc_place_run run = SC_PLACE_RUN_INIT;
    sc_place_outcome out;
    char *why = NULL;
    made m = make_of_texts(MACRO("a", "10", "10") MACRO("b", "10", "10"),
                           "# Columns : 700  Rows : 700\n# Width : 100  Height : 100\n"
                           "0 50 50 N 0\n1 20 50 N 0\n");
    run.seconds = 0.05;
    assert_int_equal(sc_place_anneal(m.placement, &out, &why, m.list, &usual, &run), SC_OK);
    assert_int_equal(out.stop, SC_STOP_TIME);
    assert_true(out.moves < 256);
    made_clear(&m);
}

static void test_bad_runs(void **state)
{
    sc_place_run run = SC_PLACE_RUN_INIT;
    assert_null(sc_place_run_check(&run));
    run.seconds = 0;
    assert_non_null(sc_place_run_check(&run));
    run.seconds = (double)NAN;
    assert_non_null(sc_place_run_check(&run));
    run.seconds = 1;
    run.chains = 0;
    assert_non_null(sc_place_run_check(&run));
    run.chains = 1;
    run.version = 0;
    assert_non_null(sc_place_run_check(&run));
}

/* ---- written and read back ---- */

static void test_written(void **state)
{
    char *folder = make_folder(), path[256];
    sc_rng rng;

    (void)snprintf(path, sizeof path, "%s/p.plc", folder);
    sc_rng_init(&rng, 5, 1, 0);
    for (int run = 0; run < 20; run++) {
        const made_size size = some_size(&rng);
        made m = make_random(&rng, &size);
        sc_placement *back = NULL;
        for (size_t b = size.ports; b < m.list->n_blocks; b++)
            m.placement->spot[b].x_um = 100 * gsl_rng_uniform(&rng.gsl);
        assert_int_equal(sc_placement_write(m.placement, m.list, path), SC_OK);
        assert_int_equal(sc_placement_open(&back, m.list, path), SC_OK);
        for (size_t b = 0; b < m.list->n_blocks; b++) {
            const sc_spot *was = &m.placement->spot[b], *is = &back->spot[b];
            assert_true(was->x_um == is->x_um && was->y_um == is->y_um &&
                        was->orient == is->orient && was->fixed == is->fixed);
        }
        assert_true(back->canvas.v_routes_macro == m.placement->canvas.v_routes_macro);
        sc_placement_destroy(back);
        made_clear(&m);
    }
    (void)remove(path);
    (void)rmdir(folder);
    free(folder);
}

static sc_status place_once(void *payload)
{
    const made *m = payload;
    sc_place_run run = SC_PLACE_RUN_INIT;
    sc_place_outcome out;
    char *why = NULL;
    run.moves = 10;
    return sc_place_anneal(m->placement, &out, &why, m->list, &usual, &run);
}

static void test_memory(void **state)
{
    const made_size size = {2, 2, 2, 2, 4, 4, 0};
    sc_rng rng;
    sc_rng_init(&rng, 6, 1, 0);
    made m = make_random(&rng, &size);
    assert_true(fail_each_allocation(place_once, &m) > 0);
    made_clear(&m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_least_movement), cmocka_unit_test(test_fixed),
        cmocka_unit_test(test_no_place),       cmocka_unit_test(test_nearest),
        cmocka_unit_test(test_anneal),         cmocka_unit_test(test_same_for_a_seed),
        cmocka_unit_test(test_known_optimum),  cmocka_unit_test(test_interrupt),
        cmocka_unit_test(test_fixed_illegal),  cmocka_unit_test(test_short_time),
        cmocka_unit_test(test_bad_runs),       cmocka_unit_test(test_written),
        cmocka_unit_test(test_memory),         cmocka_unit_test(test_chains),
        cmocka_unit_test(test_goes_on),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
