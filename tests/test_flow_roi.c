#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka wants the four above first */
#include <cmocka.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/file.h"
#include "core/json.h"
#include "core/mem.h"
#include "flow_support.h"
#include "scantle/roi.h"

/* Figures of which each part can be worked out by hand; %s: lines in place of the defect density.
 */
static const char file[] = "version: 1\nname: hand\n"
                           "lifetime: {value: 4, unit: year, source: here}\n"
                           "electricity: {value: 0.05, unit: USD/kWh, source: here}\n"
                           "pue: {value: 1.25, unit: '1', source: here}\n"
                           "provisioning: {value: 9, unit: USD/W, source: '[R] here'}\n"
                           "provisioning_life: {value: 12, unit: year, source: here}\n"
                           "rest: {value: 70, unit: USD, source: here}\n"
                           "wafer_diameter: {value: 300, unit: mm, source: here}\n"
                           "%s"
                           "clustering: {value: 1, unit: '1', source: here}\n"
                           "nodes:\n"
                           "  - {node: 7nm, design: {value: 12e6, unit: USD, source: here},"
                           " wafer: {value: 6000, unit: USD, source: '[R] here'}}\n"
                           "  - {node: 16nm, design: {value: 5e6, unit: USD, source: here},"
                           " wafer: {value: 3000, unit: USD, source: here}}\n";

static const char *economics(void **state, const char *defects)
{
    char text[2048];
    const char *path = flow_path(state, "hand.yaml");
    (void)snprintf(text, sizeof text, file, defects);
    assert_int_equal(sc_file_write(path, text, strlen(text)), SC_OK);
    return path;
}

static const char half[] = "defects: {value: 0.5, unit: 1/cm2, source: here}\n";

static json_t *answer(const sc_roi_unit *design, const sc_roi_unit *baseline,
                      const sc_roi_options *o)
{
    char *text = NULL;
    json_t *root = NULL;
    if (sc_roi(&text, design, baseline, o) != SC_OK ||
        sc_json_parse(&root, "roi", text, strlen(text)) != SC_OK)
        fail_msg("%s", sc_error_message());
    sc_release(text);
    return root;
}

static void assert_figure(const json_t *o, const char *key, double wanted)
{
    const json_t *v = json_object_get(o, key);
    if (!json_is_number(v) || !(fabs(json_number_value(v) - wanted) <= 1e-9 * fabs(wanted)))
        fail_msg("%s is %.17g, not %.17g", key, json_number_value(v), wanted);
}

/* Design: 200 mm2 at 7 nm. Dies: pi 150^2 / 200 - pi 300 / sqrt(400) = (112.5 - 15) pi. Yield:
 * 1 / (1 + 2 cm2 * 0.5) = 1/2. Chip: 6000 / (48.75 pi) USD. 100 W to provide: 100 * 9 * 4 / 12 =
 * 300 USD. 40 W drawn: 0.04 kW * 1.25 * 4 * 8766 h * 0.05 = 87.66 USD. Baseline: 800 mm2 at 16 nm.
 * Dies: pi 22500 / 800 - pi 300 / 40 = (28.125 - 7.5) pi. Yield: 1 / (1 + 8 * 0.5) = 1/5. Chip:
 * 3000 / (4.125 pi). 450 W: 1350 USD. 200 W: 438.3 USD. */
static void test_by_hand(void **state)
{
    const double pi = acos(-1.0), volumes[] = {1000, 25000};
    const sc_roi_unit design = {"7nm", 300, 200, 100, 40, NULL};
    const sc_roi_unit baseline = {"16nm", 120, 800, 450, 200, NULL};
    const double unit = 6000 / (48.75 * pi) + 70 + 300 + 87.66;
    const double other = 3000 / (4.125 * pi) + 70 + 1350 + 438.3;
    const double saved = 2.5 * other - unit; /* 300 / 120 units replaced */
    sc_roi_options o = SC_ROI_OPTIONS_INIT;
    o.economics = economics(state, half);
    o.volumes = volumes;
    o.n_volumes = 2;
    json_t *root = answer(&design, &baseline, &o);
    const json_t *d = json_object_get(root, "design"), *b = json_object_get(root, "baseline");
    assert_figure(d, "dies_per_wafer", 97.5 * pi);
    assert_figure(d, "yield", 0.5);
    assert_figure(d, "provisioning_usd", 300);
    assert_figure(d, "energy_usd", 87.66);
    assert_figure(d, "unit_usd", unit);
    assert_figure(b, "yield", 0.2);
    assert_figure(b, "unit_usd", other);
    assert_figure(root, "replaces", 2.5);
    assert_figure(root, "saved_per_unit_usd", saved);
    assert_figure(root, "design_cost_usd", 12e6);
    assert_figure(root, "break_even_units", ceil(12e6 / saved));
    assert_figure(root, "break_even_replaced", 2.5 * ceil(12e6 / saved));
    const json_t *v = json_array_get(json_object_get(root, "volumes"), 1);
    assert_figure(v, "units", 25000);
    assert_figure(v, "net_usd", 25000 * saved - 12e6);
    assert_figure(v, "roi", 25000 * saved / 12e6);
    /* what the file itself calls recalled, of what was used */
    const json_t *recalled = json_object_get(root, "recalled");
    assert_int_equal(json_array_size(recalled), 2);
    assert_string_equal(json_string_value(json_array_get(recalled, 0)), "provisioning");
    assert_string_equal(json_string_value(json_array_get(recalled, 1)), "7nm");
    json_decref(root);
}

/* A baseline that is bought at 5,000 USD, a design that costs 1 M USD. */
static void test_prices_that_are_known(void **state)
{
    const double price = 5000, cost = 1e6;
    const sc_roi_unit design = {"7nm", 100, 200, 100, 40, NULL};
    const sc_roi_unit baseline = {"unheard of", 100, 800, 450, 200, &price};
    sc_roi_options o = SC_ROI_OPTIONS_INIT;
    o.economics = economics(state, half);
    o.design_usd = &cost;
    json_t *root = answer(&design, &baseline, &o);
    const double saved = 5000 + 1350 + 438.3 - (6000 / (48.75 * acos(-1.0)) + 70 + 300 + 87.66);
    assert_true(json_is_null(json_object_get(json_object_get(root, "baseline"), "chip_usd")));
    assert_figure(root, "saved_per_unit_usd", saved);
    assert_figure(root, "break_even_units", ceil(1e6 / saved));
    assert_int_equal(json_array_size(json_object_get(root, "volumes")), 3);
    json_decref(root);
}

/* One that saves nothing never breaks even, and its return is below zero. */
static void test_never_pays(void **state)
{
    const double price = 0;
    const sc_roi_unit design = {"7nm", 100, 200, 100, 40, NULL};
    const sc_roi_unit baseline = {"7nm", 100, 200, 100, 40, &price};
    sc_roi_options o = SC_ROI_OPTIONS_INIT;
    o.economics = economics(state, half);
    json_t *root = answer(&design, &baseline, &o);
    assert_true(json_is_null(json_object_get(root, "break_even_units")));
    assert_true(json_is_null(json_object_get(root, "break_even_replaced")));
    const json_t *v = json_array_get(json_object_get(root, "volumes"), 0);
    assert_true(json_number_value(json_object_get(v, "roi")) < 0.0);
    json_decref(root);
}

/* Saving grows with throughput, falls with area and power, whatever the figures. */
static void test_moves_the_right_way(void **state)
{
    const sc_roi_unit base = {"7nm", 100, 300, 120, 60, NULL};
    sc_roi_options o = SC_ROI_OPTIONS_INIT;
    double saved[5];
    (void)state;
    for (int i = 0; i < 5; i++) {
        sc_roi_unit u = base;
        u.throughput_per_s *= i == 1 ? 1.1 : 1.0;
        u.area_mm2 *= i == 2 ? 1.1 : 1.0;
        u.tdp_w *= i == 3 ? 1.1 : 1.0;
        u.power_w *= i == 4 ? 1.1 : 1.0;
        json_t *root = answer(&u, &base, &o); /* the shipped economics */
        saved[i] = json_number_value(json_object_get(root, "saved_per_unit_usd"));
        json_decref(root);
    }
    assert_true(saved[0] == 0.0); /* a unit against itself */
    assert_true(saved[1] > 0.0 && saved[2] < 0.0 && saved[3] < 0.0 && saved[4] < 0.0);
}

static void refuse(const sc_roi_unit *d, const sc_roi_unit *b, const sc_roi_options *o,
                   sc_status status, const char *says)
{
    char *json = NULL;
    assert_int_equal(sc_roi(&json, d, b, o), status);
    assert_null(json);
    if (!strstr(sc_error_message(), says))
        fail_msg("'%s' is not in '%s'", says, sc_error_message());
}

static void test_refuses_what_makes_no_sense(void **state)
{
    const sc_roi_unit good = {"7nm", 100, 200, 100, 40, NULL};
    const double negative = -1, nothing = 0;
    sc_roi_unit u = good;
    sc_roi_options o = SC_ROI_OPTIONS_INIT;
    u.throughput_per_s = (double)NAN;
    refuse(&u, &good, &o, SC_EINVAL, "throughput of the design");
    u = good;
    u.tdp_w = 0;
    refuse(&good, &u, &o, SC_EINVAL, "TDP of the baseline");
    u = good;
    u.area_mm2 = 60000;
    refuse(&u, &good, &o, SC_EINVAL, "does not fit a wafer");
    u = good;
    u.node = "3nm";
    refuse(&u, &good, &o, SC_EINVAL, "no costs of a node '3nm', only of 65nm");
    u = good;
    u.price_usd = &negative;
    refuse(&good, &u, &o, SC_EINVAL, "price of the baseline");
    o.design_usd = &negative;
    refuse(&good, &good, &o, SC_EINVAL, "the design costs");
    o.design_usd = NULL;
    o.volumes = &nothing;
    o.n_volumes = 1;
    refuse(&good, &good, &o, SC_EINVAL, "a volume of 0");
    o.n_volumes = 0;
    o.economics = "datacentre";
    refuse(&good, &good, &o, SC_ENOTFOUND, "datacenter");
    (void)state;
}

static void test_faults_of_the_file(void **state)
{
    static const struct {
        const char *line, *says;
    } bad[] = {
        {"defects: {value: 0.5, unit: 1/mm2, source: here}\n",
         ":10:29: error: defects is in 1/cm2"},
        {"defects: {value: -1, unit: 1/cm2, source: here}\n", ":10:18: error: defects must be 0"},
        {"defects: {value: 1, unit: 1/cm2, source: ''}\n", "say where defects is from"},
        {"defects: {value: 1, unit: 1/cm2}\n", "source"},
        {"defects: 1\n", "defects"},
        {"defect: {value: 1, unit: 1/cm2, source: here}\n", "did you mean 'defects'?"},
        {"", "defects"},
    };
    static const char *const nodes[][2] = {{"7nm", ":15:12: error: node '7nm' stands twice"},
                                           {"''", ":15:12: error: a node's name is 1 to 31 bytes"}};
    const sc_roi_unit u = {"7nm", 100, 200, 100, 40, NULL};
    sc_roi_options o = SC_ROI_OPTIONS_INIT;
    for (size_t i = 0; i < sizeof nodes / sizeof *nodes; i++) {
        char more[2048], *text = NULL;
        size_t n;
        o.economics = economics(state, half);
        assert_int_equal(sc_file_read(&text, &n, o.economics, sizeof more), SC_OK);
        (void)snprintf(more, sizeof more,
                       "%.*s  - {node: %s, design: {value: 1, unit: USD, source: x},"
                       " wafer: {value: 1, unit: USD, source: x}}\n",
                       (int)n, text, nodes[i][0]);
        sc_free(text);
        assert_int_equal(sc_file_write(o.economics, more, strlen(more)), SC_OK);
        refuse(&u, &u, &o, SC_EPARSE, nodes[i][1]);
    }
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        o.economics = economics(state, bad[i].line);
        refuse(&u, &u, &o, SC_EPARSE, bad[i].says);
        assert_non_null(strstr(sc_error_message(), "hand.yaml:"));
    }
}

static void test_survives_lack_of_memory(void **state)
{
    const sc_roi_unit u = {"7nm", 100, 200, 100, 40, NULL};
    sc_roi_options o = SC_ROI_OPTIONS_INIT;
    sc_status st = SC_ENOMEM;
    o.economics = economics(state, half);
    for (int k = 0; st == SC_ENOMEM; k++) {
        char *json = NULL;
        sc_mem_fail_after(k);
        st = sc_roi(&json, &u, &u, &o);
        sc_mem_fail_after(-1);
        assert_true(st == SC_OK || (st == SC_ENOMEM && !json));
        sc_release(json);
    }
    assert_int_equal(st, SC_OK);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_by_hand),
        cmocka_unit_test(test_prices_that_are_known),
        cmocka_unit_test(test_never_pays),
        cmocka_unit_test(test_moves_the_right_way),
        cmocka_unit_test(test_refuses_what_makes_no_sense),
        cmocka_unit_test(test_faults_of_the_file),
        cmocka_unit_test(test_survives_lack_of_memory),
    };
    return cmocka_run_group_tests_name("flow_roi", tests, flow_set_up, flow_tear_down);
}
