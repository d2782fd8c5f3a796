/* Starts without a placement: springs against a dense solver, spreading by area, both starts on
 * random netlists, and the canvas that a netlist gets. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka wants the four above first */
#include <cmocka.h>

#include <gsl/gsl_linalg.h>
#include <math.h>

#include "placement/legal.h"
#include "placement/start.h"
#include "placement/start_solve.h"
#include "placement/start_spread.h"
#include "placement_make.h"

static double real(sc_rng *rng, double low, double high)
{
    return low + (high - low) * gsl_rng_uniform(&rng->gsl);
}

/* ---- springs ---- */

/* Two points between two walls: x0 - x1 hangs on springs of 1, 2, 1, the middle one of length 3. By
 * hand: 3 x0 - 2 x1 = 0 - 6, -2 x0 + 3 x1 = 20 + 6. */
static void test_springs_by_hand(void **state)
{
    sc_springs s;
    double x[2] = {7, 7};
    assert_int_equal(sc_springs_init(&s, 2, 4), SC_OK);
    sc_springs_pull(&s, 0, 1, 0);
    sc_springs_join(&s, 0, 1, 2, -3);
    sc_springs_pull(&s, 1, 1, 20);
    sc_springs_solve(&s, x);
    assert_true(fabs(x[0] - 34.0 / 5) < 1e-4 && fabs(x[1] - 66.0 / 5) < 1e-4);
    sc_springs_clear(&s);
}

/* Random springs against an LU of the same matrix; a second set after the first was cleared. */
static void test_springs(void **state)
{
    enum { N = 12 };
    sc_rng rng;
    sc_springs s;
    sc_rng_init(&rng, 1, 3, 0);
    assert_int_equal(sc_springs_init(&s, N + 5, 100), SC_OK);
    s.n = N; /* fewer points than there is room for */
    for (int run = 0; run < 10; run++) {
        double a[N * N] = {0}, b[N] = {0}, x[N] = {0}, want[N];
        gsl_matrix_view matrix = gsl_matrix_view_array(a, N, N);
        gsl_vector_view right = gsl_vector_view_array(b, N), left = gsl_vector_view_array(want, N);
        gsl_permutation *p = gsl_permutation_alloc(N);
        int sign = 0;
        sc_springs_reset(&s);
        for (int k = 0; k < 40; k++) {
            const uint32_t i = pick(&rng, N), j = pick(&rng, N);
            const double weight = real(&rng, 0.1, 5), gap = real(&rng, -3, 3);
            if (k < 4) {
                sc_springs_pull(&s, i, weight, gap);
                a[i * N + i] += weight;
                b[i] += weight * gap;
                continue;
            }
            const uint32_t l = k < 4 + N && i == j ? (i + 1) % N : j;
            sc_springs_join(&s, i, l, weight, gap);
            if (i == l)
                continue;
            a[i * N + i] += weight;
            a[l * N + l] += weight;
            a[i * N + l] -= weight;
            a[l * N + i] -= weight;
            b[i] += weight * gap;
            b[l] -= weight * gap;
        }
        for (uint32_t i = 0; i < N; i++) { /* no point hangs in the air */
            sc_springs_pull(&s, i, 0.1, 0);
            a[i * N + i] += 0.1;
        }
        sc_springs_solve(&s, x);
        (void)gsl_linalg_LU_decomp(&matrix.matrix, p, &sign);
        (void)gsl_linalg_LU_solve(&matrix.matrix, p, &right.vector, &left.vector);
        for (int i = 0; i < N; i++)
            assert_true(fabs(x[i] - want[i]) < 1e-3);
        gsl_permutation_free(p);
    }
    sc_springs_clear(&s);
}

/* ---- spreading ---- */

/* Equal items that all lie on one place cover a canvas evenly: a sixteenth of them is in each
 * sixteenth of it; with half of it blocked none is there. */
static void test_spread(void **state)
{
    enum { N = 1600 };
    static double x[N], y[N], area[N];
    const sc_canvas canvas = {.width_um = 100, .height_um = 200};
    double *const at[2] = {x, y};
    for (int blocked = 0; blocked < 2; blocked++) {
        sc_spread s;
        int count[4][4] = {{0}};
        assert_int_equal(sc_spread_init(&s, &canvas, N), SC_OK);
        if (blocked)
            sc_spread_take(&s, 0, 100, 100, 200);
        for (int i = 0; i < N; i++) {
            x[i] = y[i] = 30;
            area[i] = 5;
        }
        sc_spread_items(&s, at, area, N);
        for (int i = 0; i < N; i++)
            count[(int)(y[i] / 50)][(int)(x[i] / 25)]++;
        for (int row = 0; row < 4; row++)
            for (int column = 0; column < 4; column++)
                assert_int_equal(count[row][column], !blocked ? N / 16 : row < 2 ? N / 8 : 0);
        sc_spread_clear(&s);
    }
}

/* What is left of what stays left of it, as long as areas are equal. */
static void test_spread_order(void **state)
{
    enum { N = 64 };
    double x[N], y[N], area[N];
    const sc_canvas canvas = {.width_um = 100, .height_um = 1};
    double *const at[2] = {x, y};
    sc_spread s;
    assert_int_equal(sc_spread_init(&s, &canvas, N), SC_OK);
    for (int i = 0; i < N; i++) {
        x[i] = 10 + 0.1 * i * i / N;
        y[i] = 0.5;
        area[i] = 1;
    }
    sc_spread_items(&s, at, area, N);
    for (int i = 1; i < N; i++)
        assert_true(x[i] > x[i - 1]);
    sc_spread_clear(&s);
}

/* ---- starts ---- */

static const made_size usual_size = {3, 5, 6, 3, 6, 6, 0};

static size_t violations(const made *m)
{
    sc_violation *v = NULL;
    size_t n = 0;
    assert_int_equal(
        sc_legal_check(&v, &n, m->list, &m->placement->canvas, NULL, m->placement->spot), SC_OK);
    sc_free(v);
    return n;
}

/* The analytic start is legal, does not depend on where movable blocks were, leaves what is fixed.
 */
static void test_analytic(void **state)
{
    sc_rng rng;
    sc_rng_init(&rng, 3, 1, 0);
    for (int run = 0; run < 20; run++) {
        made m = make_random(&rng, &usual_size);
        sc_spot *spot = m.placement->spot, first[32];
        const size_t n = m.list->n_blocks;
        const sc_spot port = spot[0];
        for (int again = 0; again < 2; again++) {
            sc_buf why;
            sc_buf_init(&why);
            for (size_t b = usual_size.ports; b < n; b++) {
                spot[b].x_um = real(&rng, 0, 100);
                spot[b].y_um = real(&rng, 0, 100);
            }
            assert_int_equal(sc_start_analytic(spot, &why, m.list, &m.placement->canvas, NULL),
                             SC_OK);
            assert_int_equal(why.length, 0);
            assert_int_equal(violations(&m), 0);
            assert_true(spot[0].x_um == port.x_um && spot[0].y_um == port.y_um);
            for (size_t b = 0; b < n && again == 1; b++)
                assert_true(first[b].x_um == spot[b].x_um && first[b].y_um == spot[b].y_um);
            memcpy(first, spot, n * sizeof *spot);
            sc_buf_clear(&why);
        }
        made_clear(&m);
    }
}

/* Macros that hang on ports in two corners go to these corners. */
static void test_analytic_pulls(void **state)
{
    sc_buf text, plc;
    char *list_text, *plc_text, name[32], sink[64];
    sc_buf_init(&text);
    sc_buf_init(&plc);
    sc_buf_puts(&plc, "# Columns : 8  Rows : 8\n# Width : 100  Height : 100\n"
                      "0 0 0 - 1\n1 100 100 - 1\n");
    for (int p = 0; p < 2; p++) {
        sc_buf_printf(&text, "node { name: 'p%d' ", p);
        for (int i = p; i < 20; i += 2)
            sc_buf_printf(&text, "input: 's%d/0' ", i);
        sc_buf_puts(&text, "attr { key: 'type' value { placeholder: 'PORT' } } }\n");
    }
    for (int i = 0; i < 20; i++) {
        (void)snprintf(name, sizeof name, "s%d", i);
        (void)snprintf(sink, sizeof sink, "s%d/0", i);
        const node_text macro = {name,      "macro",   NULL,      NULL,      10,       10,
                                 NODE_NONE, NODE_NONE, NODE_NONE, NODE_NONE, NODE_NONE};
        const node_text pin = {sink,      "macro_pin", name,      NULL,      NODE_NONE, NODE_NONE,
                               NODE_NONE, NODE_NONE,   NODE_NONE, NODE_NONE, NODE_NONE};
        put_node(&text, &macro);
        put_node(&text, &pin);
        sc_buf_printf(&plc, "%d 50 50 N 0\n", 2 + 2 * i);
    }
    assert_int_equal(sc_buf_take(&text, &list_text), SC_OK);
    assert_int_equal(sc_buf_take(&plc, &plc_text), SC_OK);
    made m = make_of_texts(list_text, plc_text);
    sc_buf_init(&text);
    assert_int_equal(
        sc_start_analytic(m.placement->spot, &text, m.list, &m.placement->canvas, NULL), SC_OK);
    double sum[2] = {0, 0};
    for (int i = 0; i < 20; i++)
        sum[i % 2] += m.placement->spot[2 + i].x_um + m.placement->spot[2 + i].y_um;
    /* evenly spread, split by a line: means of x + y are 200 / 3 and 400 / 3 */
    assert_true(sum[0] / 10 < 85 && sum[1] / 10 > 115);
    sc_buf_clear(&text);
    sc_free(list_text);
    sc_free(plc_text);
    made_clear(&m);
}

/* On a grid of 3 x 3 macros of one cell go around and end in the middle, the largest first. */
static void test_spiral(void **state)
{
    static const double want[9][2] = {{10, 10}, {30, 10}, {50, 10}, {50, 30}, {50, 50},
                                      {30, 50}, {10, 50}, {10, 30}, {30, 30}};
    sc_buf text;
    char *list_text;
    sc_buf_init(&text);
    for (int i = 0; i < 9; i++)
        sc_buf_printf(&text,
                      "node { name: 'm%d' attr { key: 'type' value { placeholder: 'MACRO' } } attr "
                      "{ key: 'width' value { f: 15 } } attr { key: 'height' value { f: %d } } }\n",
                      i, 10 + i);
    assert_int_equal(sc_buf_take(&text, &list_text), SC_OK);
    made m = make_of_texts(list_text, "# Columns : 3  Rows : 3\n# Width : 60  Height : 60\n"
                                      "0 1 1 N 0\n1 1 1 N 0\n2 1 1 N 0\n3 1 1 N 0\n4 1 1 N 0\n"
                                      "5 1 1 N 0\n6 1 1 N 0\n7 1 1 N 0\n8 1 1 N 0\n");
    assert_int_equal(sc_start_spiral(m.placement->spot, m.list, &m.placement->canvas), SC_OK);
    for (int i = 0; i < 9; i++) {
        assert_true(fabs(m.placement->spot[8 - i].x_um - want[i][0]) < 1e-9);
        assert_true(fabs(m.placement->spot[8 - i].y_um - want[i][1]) < 1e-9);
    }
    sc_free(list_text);
    made_clear(&m);
}

/* ---- a canvas ---- */

static void test_canvas(void **state)
{
    static const char list[] =
        "node { name: 'p' attr { key: 'type' value { placeholder: 'PORT' } } attr { key: 'x' value "
        "{ f: 1 } } attr { key: 'y' value { f: 30 } } }\n"
        "node { name: 'q' attr { key: 'type' value { placeholder: 'PORT' } } attr { key: 'x' value "
        "{ f: 49 } } attr { key: 'y' value { f: 10 } } }\n"
        "node { name: 'r' attr { key: 'type' value { placeholder: 'PORT' } } }\n"
        "node { name: 'm' attr { key: 'type' value { placeholder: 'MACRO' } } attr { key: 'width' "
        "value { f: 20 } } attr { key: 'height' value { f: 35 } } }\n";
    sc_canvas_options o = SC_CANVAS_OPTIONS_INIT;
    sc_netlist *netlist = NULL;
    sc_placement *p = NULL;
    assert_int_equal(sc_netlist_parse(&netlist, "n", list, sizeof list - 1), SC_OK);
    assert_int_equal(sc_placement_create(&p, netlist, &o), SC_OK);
    assert_true(p->canvas.width_um == 50 && p->canvas.height_um == 40); /* around the ports */
    assert_int_equal(p->canvas.columns, 24);
    assert_int_equal(p->canvas.rows, 19);
    assert_true(p->spot[3].x_um == 25 && p->spot[3].y_um == 20 && !p->spot[3].fixed);
    assert_true(p->spot[2].fixed && p->spot[0].x_um == 1);
    /* the third of three ports: two thirds of the way around of 180 um */
    assert_true(fabs(p->spot[2].x_um - 20) < 1e-9 && fabs(p->spot[2].y_um - 40) < 1e-9);
    sc_placement_destroy(p);
    o.width_um = 300;
    assert_non_null(sc_canvas_options_check(&o));
    assert_int_equal(sc_placement_create(&p, netlist, &o), SC_EINVAL);
    o.height_um = 100;
    o.columns = 7;
    o.rows = 3;
    assert_int_equal(sc_placement_create(&p, netlist, &o), SC_OK);
    assert_true(p->canvas.width_um == 300 && p->canvas.columns == 7);
    sc_placement_destroy(p);
    sc_netlist_destroy(netlist);
}

static sc_status start_once(void *payload)
{
    made *m = payload;
    sc_spot spot[32];
    sc_buf why;
    sc_buf_init(&why);
    memcpy(spot, m->placement->spot, m->list->n_blocks * sizeof *spot);
    sc_status st = sc_start_analytic(spot, &why, m->list, &m->placement->canvas, NULL);
    sc_buf_clear(&why);
    if (st == SC_OK)
        st = sc_start_spiral(spot, m->list, &m->placement->canvas);
    return st;
}

static void test_memory(void **state)
{
    sc_rng rng;
    sc_rng_init(&rng, 6, 1, 0);
    made m = make_random(&rng, &usual_size);
    assert_true(fail_each_allocation(start_once, &m) > 0);
    made_clear(&m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_springs_by_hand), cmocka_unit_test(test_springs),
        cmocka_unit_test(test_spread),          cmocka_unit_test(test_spread_order),
        cmocka_unit_test(test_analytic),        cmocka_unit_test(test_analytic_pulls),
        cmocka_unit_test(test_spiral),          cmocka_unit_test(test_canvas),
        cmocka_unit_test(test_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
