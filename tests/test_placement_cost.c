/* Costs of placements: by hand, against the cell-by-cell oracle, kept over moves, and against the
 * costs that the reference printed. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka wants the four above first */
#include <cmocka.h>

#include <math.h>

#include "core/csv.h"
#include "oracle_placement.h"
#include "placement/cost.h"
#include "placement/top.h"
#include "placement_make.h"

static const sc_place_options usual = SC_PLACE_OPTIONS_INIT;

static sc_cost *count(const made *m)
{
    sc_cost *c = NULL;
    assert_int_equal(sc_cost_create(&c, m->list, &m->placement->canvas, m->placement->spot, &usual),
                     SC_OK);
    return c;
}

static void assert_near(double got, double want, double relative)
{
    if (!(fabs(got - want) <= relative * fmax(1, fabs(want))))
        fail_msg("%.17g is not %.17g", got, want);
}

static void assert_cost(const sc_place_cost *got, const sc_place_cost *want, double relative)
{
    assert_near(got->hpwl_um, want->hpwl_um, relative);
    assert_near(got->wirelength, want->wirelength, relative);
    assert_near(got->density, want->density, relative);
    assert_near(got->congestion, want->congestion, relative);
    assert_near(got->proxy, want->proxy, relative);
}

/* ---- by hand ---- */

static const char hand_netlist[] =
    "node { name: 'p' input: 'm/0' attr { key: 'type' value { placeholder: 'PORT' } } }\n"
    "node { name: 'm' attr { key: 'type' value { placeholder: 'MACRO' } }\n"
    "  attr { key: 'width' value { f: 30 } } attr { key: 'height' value { f: 20 } } }\n"
    "node { name: 'm/0' attr { key: 'type' value { placeholder: 'MACRO_PIN' } }\n"
    "  attr { key: 'macro_name' value { placeholder: 'm' } }\n"
    "  attr { key: 'x_offset' value { f: 7 } } attr { key: 'y_offset' value { f: 3 } } }\n";

/* One macro at (50, 50), its only pin off the centre by (7, 3) as the orientation turns it. */
static void test_turns(void **state)
{
    static const struct {
        const char *name;
        double dx, dy;
    } turns[] = {{"N", 7, 3},  {"FN", -7, 3},  {"S", -7, -3}, {"FS", 7, -3},
                 {"E", 3, -7}, {"FE", -3, -7}, {"W", -3, 7},  {"FW", 3, 7}};
    for (size_t i = 0; i < COUNT(turns); i++) {
        char plc[256];
        (void)snprintf(plc, sizeof plc,
                       "# Columns : 4  Rows : 4\n# Width : 100  Height : 100\n0 0 0 - 1\n"
                       "1 50 50 %s 0\n",
                       turns[i].name);
        made m = make_of_texts(hand_netlist, plc);
        sc_cost *c = count(&m);
        assert_near(sc_cost_now(c).hpwl_um, 100 + turns[i].dx + turns[i].dy, 1e-12);
        assert_near(sc_cost_now(c).wirelength, (100 + turns[i].dx + turns[i].dy) / 200, 1e-12);
        sc_cost_destroy(c);
        made_clear(&m);
    }
}

/* 16 cells of 25 x 25: the top tenth is one. The macro lies on four cells alike at N (15 x 10 in
 * each); turned, 10 x 15. The wire goes along the bottom row to column 2, then up to row 2. Where
 * it runs there is nothing else, and macros span two rows and two columns partly: their tracks
 * count in the lower row and the left column only. */
static void test_maps(void **state)
{
    const char plc[] = "# Columns : 4  Rows : 4\n# Width : 100  Height : 100\n"
                       "# Routes per micron, hor : 2  ver : 4\n"
                       "# Routes used by macros, hor : 1  ver : 3\n0 0 0 - 1\n1 50 50 N 0\n";
    made m = make_of_texts(hand_netlist, plc);
    sc_cost *c = count(&m);
    const sc_place_cost cost = sc_cost_now(c);

    assert_near(cost.density, 0.5 * 15 * 10 / (25.0 * 25.0), 1e-12);
    /* 32 values, the top one of them: v of macro 15 * 3 / (25 * 4) in columns 1 and 2 of row 1,
     * in column 2 the wire's 1 / (25 * 4) too; h of macro 10 * 1 / (25 * 2) is less */
    assert_near(cost.congestion, (15 * 3 + 1) / 100.0, 1e-12);
    sc_cost_destroy(c);
    made_clear(&m);
}

/* A grid of fewer than ten cells counts those that are covered; without nets nothing is wired. */
static void test_small_grid(void **state)
{
    made m = make_of_texts("node { name: 'm' attr { key: 'type' value { placeholder: 'macro' } }\n"
                           " attr { key: 'width' value { f: 10 } }\n"
                           " attr { key: 'height' value { f: 20 } } }\n",
                           "# Columns : 3  Rows : 1\n# Width : 30  Height : 40\n0 10 20 N 0\n");
    sc_cost *c = count(&m);
    const sc_place_cost cost = sc_cost_now(c);

    assert_near(cost.density, 0.5 * 5 * 20 / (10.0 * 40.0), 1e-12);
    assert_true(cost.wirelength == 0 && cost.congestion == 0);
    sc_cost_destroy(c);
    made_clear(&m);
}

static void test_options(void **state)
{
    sc_place_options o = usual;
    made m = make_of_texts(hand_netlist, "# Columns : 4  Rows : 4\n# Width : 100  Height : 100\n"
                                         "0 0 0 - 1\n1 50 50 N 0\n");
    sc_place_cost cost = {0};
    sc_cost *c = NULL;

    o.wirelength_weight = 2;
    o.density_weight = 3;
    o.congestion_weight = 0;
    o.congestion_columns = 7;
    o.congestion_rows = 5;
    assert_int_equal(sc_place_cost_of(&cost, m.list, m.placement, &o), SC_OK);
    assert_near(cost.proxy, 2 * cost.wirelength + 3 * cost.density, 1e-12);
    o.congestion_rows = 0;
    assert_non_null(sc_place_options_check(&o));
    o = usual;
    o.density_weight = -1;
    assert_int_equal(sc_cost_create(&c, m.list, &m.placement->canvas, m.placement->spot, &o),
                     SC_EINVAL);
    assert_null(c);
    made_clear(&m);
}

/* ---- the largest values ---- */

static int descending(const void *a, const void *b)
{
    const double *p = a, *q = b;
    return (*p < *q) - (*p > *q);
}

static void test_top(void **state)
{
    enum { N = 97 };
    double value[N], sorted[N], scratch[2 * N];
    sc_top top = {0, scratch};
    sc_rng rng;

    sc_rng_init(&rng, 1, 1, 0);
    for (int run = 0; run < 3000; run++) {
        const size_t n = 1 + pick(&rng, N), k = 1 + pick(&rng, (uint32_t)n);
        double want = 0;
        for (size_t i = 0; i < n; i++)
            sorted[i] = value[i] = run % 3 == 0 ? pick(&rng, 4) : gsl_rng_uniform(&rng.gsl);
        qsort(sorted, n, sizeof *sorted, descending);
        for (size_t i = 0; i < k; i++)
            want += sorted[i] / (double)k;
        assert_near(sc_top_mean(&top, value, n, k), want, 1e-12);
        const double cold = sc_top_mean(&(sc_top){0, scratch}, value, n, k);
        assert_true(cold == sc_top_mean(&top, value, n, k)); /* whatever was guessed */
    }
}

/* ---- against the oracle ---- */

static made_size random_size(sc_rng *rng, uint32_t run)
{
    return (made_size){1 + pick(rng, 4),
                       1 + pick(rng, 5),
                       pick(rng, 5),
                       1 + pick(rng, 4),
                       1 + pick(rng, 9),
                       1 + pick(rng, 9),
                       run % 4 == 0 ? pick(rng, 4) : 0};
}

static void test_oracle(void **state)
{
    sc_rng rng;
    sc_rng_init(&rng, 2, 1, 0);
    for (uint32_t run = 0; run < 400; run++) {
        const made_size size = random_size(&rng, run);
        made m = make_random(&rng, &size);
        sc_cost *c = count(&m);
        const sc_place_cost got = sc_cost_now(c);
        const sc_place_cost want =
            oracle_placement(m.list, &m.placement->canvas, m.placement->spot);
        assert_cost(&got, &want, 1e-9);
        sc_cost_destroy(c);
        made_clear(&m);
    }
}

/* ---- moves ---- */

/* One or two different blocks to some place, one in four only to the next cell. */
static size_t random_moves(sc_move move[2], sc_rng *rng, const sc_cost *c, size_t n_blocks)
{
    const size_t n = n_blocks > 1 ? 1 + pick(rng, 2) : 1;
    move[0].block = pick(rng, (uint32_t)n_blocks);
    move[1].block = (move[0].block + 1 + pick(rng, (uint32_t)n_blocks - 1)) % (uint32_t)n_blocks;
    for (size_t i = 0; i < n; i++) {
        move[i].spot = sc_cost_spots(c)[move[i].block];
        if (pick(rng, 4) == 0) {
            move[i].spot.x_um += 0.5 * pick(rng, 3);
        } else {
            move[i].spot.x_um = 110 * gsl_rng_uniform(&rng->gsl) - 5;
            move[i].spot.y_um = 110 * gsl_rng_uniform(&rng->gsl) - 5;
        }
        move[i].spot.orient = (sc_orient)pick(rng, SC_ORIENTS);
    }
    return n;
}

/* Every try equals a count anew, a rejected one leaves no trace. */
static void follow_moves(sc_cost *c, const made *m, sc_rng *rng, int moves)
{
    for (int i = 0; i < moves; i++) {
        sc_move move[2];
        const size_t n = random_moves(move, rng, c, m->list->n_blocks);
        const sc_place_cost before = sc_cost_now(c);
        const double proxy = sc_cost_try(c, move, n);
        const sc_place_cost got = sc_cost_now(c);
        const sc_place_cost want =
            oracle_placement(m->list, &m->placement->canvas, sc_cost_spots(c));
        assert_true(proxy == got.proxy);
        assert_cost(&got, &want, 1e-9);
        if (pick(rng, 2) == 0) {
            sc_cost_accept(c);
            continue;
        }
        sc_cost_reject(c);
        const sc_place_cost after = sc_cost_now(c);
        assert_memory_equal(&after, &before, sizeof after);
    }
}

static void test_moves(void **state)
{
    sc_rng rng;
    sc_rng_init(&rng, 3, 1, 0);
    for (uint32_t run = 0; run < 60; run++) {
        const made_size size = random_size(&rng, run);
        made m = make_random(&rng, &size);
        sc_cost *c = count(&m);
        follow_moves(c, &m, &rng, 40);
        sc_cost_destroy(c);
        made_clear(&m);
    }
}

/* Counted anew on the way: what ten thousand accepted moves leave is what stands. */
static void test_many_moves(void **state)
{
    const made_size size = {3, 4, 4, 3, 8, 7, 0};
    sc_rng rng;

    sc_rng_init(&rng, 4, 1, 0);
    made m = make_random(&rng, &size);
    sc_cost *c = count(&m);
    for (int i = 0; i < 10000; i++) {
        sc_move move[2];
        (void)sc_cost_try(c, move, random_moves(move, &rng, c, m.list->n_blocks));
        sc_cost_accept(c);
    }
    const sc_place_cost got = sc_cost_now(c);
    const sc_place_cost want = oracle_placement(m.list, &m.placement->canvas, sc_cost_spots(c));
    assert_cost(&got, &want, 1e-9);
    sc_cost_destroy(c);
    made_clear(&m);
}

static sc_status create_once(void *payload)
{
    const made *m = payload;
    sc_cost *c = NULL;
    const sc_status st =
        sc_cost_create(&c, m->list, &m->placement->canvas, m->placement->spot, &usual);
    sc_cost_destroy(c);
    return st;
}

static void test_memory(void **state)
{
    const made_size size = {2, 2, 2, 2, 4, 4, 0};
    sc_rng rng;
    sc_rng_init(&rng, 5, 1, 0);
    made m = make_random(&rng, &size);
    assert_true(fail_each_allocation(create_once, &m) > 0);
    made_clear(&m);
}

/* ---- the reference ---- */

/* Every digit that the reference printed, and nine of a second evaluator. Its own lengths are in
 * single precision. */
static void check_golden(const sc_csv *c, size_t row)
{
    static const char *const printed[] = {"wirelength_cost", "density_cost", "congestion_cost"};
    static const char *const digits[] = {"wirelength_9digits", "density_9digits",
                                         "congestion_9digits"};
    char path[1024], name[256];
    made m = {0};
    sc_place_cost cost;

    (void)snprintf(name, sizeof name, "placement/%s/netlist.pb.txt.gz", sc_csv_cell(c, row, 0));
    assert_int_equal(sc_netlist_open(&m.list, reference_data(path, sizeof path, name)), SC_OK);
    (void)snprintf(name, sizeof name, "placement/%s/%s", sc_csv_cell(c, row, 0),
                   sc_csv_cell(c, row, 1));
    assert_int_equal(
        sc_placement_open(&m.placement, m.list, reference_data(path, sizeof path, name)), SC_OK);
    assert_int_equal(sc_place_cost_of(&cost, m.list, m.placement, &usual), SC_OK);
    const double got[] = {cost.wirelength, cost.density, cost.congestion};
    for (size_t k = 0; k < COUNT(got); k++) {
        char text[32];
        (void)snprintf(text, sizeof text, "%.4f", got[k]);
        assert_string_equal(text, sc_csv_cell(c, row, sc_csv_find(c, printed[k])));
        (void)snprintf(text, sizeof text, "%.9f", got[k]);
        assert_string_equal(text, sc_csv_cell(c, row, sc_csv_find(c, digits[k])));
    }
    double hpwl = 0;
    assert_int_equal(sc_csv_number(&hpwl, c, row, sc_csv_find(c, "hpwl_um_reference")), SC_OK);
    assert_near(cost.hpwl_um, hpwl, 1e-6);
    made_clear(&m);
}

static void test_goldens(void **state)
{
    char path[1024];
    sc_csv *c = NULL;
    assert_int_equal(sc_csv_open(&c, reference_data(path, sizeof path, "placement/goldens.csv")),
                     SC_OK);
    assert_true(sc_csv_rows(c) > 1);
    for (size_t row = 1; row < sc_csv_rows(c); row++)
        check_golden(c, row);
    sc_csv_close(c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_turns),      cmocka_unit_test(test_maps),
        cmocka_unit_test(test_small_grid), cmocka_unit_test(test_options),
        cmocka_unit_test(test_top),        cmocka_unit_test(test_oracle),
        cmocka_unit_test(test_moves),      cmocka_unit_test(test_many_moves),
        cmocka_unit_test(test_memory),     cmocka_unit_test(test_goldens),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
