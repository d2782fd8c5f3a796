/* From designs to macros: areas add up, pieces and buses are those of the chip, and all of it can
 * be placed legally. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "arch_support.h"
#include "floorplan/floorplan.h"
#include "placement/legal.h"
#include "placement/placement.h"

static const double UM2_PER_MM2 = 1e6;

static sc_floorplan *floorplan_of(const char *spec, const sc_floorplan_options *o)
{
    sc_design *d = NULL;
    sc_floorplan *f = NULL;
    if (sc_design_open(&d, spec) != SC_OK || sc_floorplan_create(&f, d, o) != SC_OK)
        fail_msg("%s: %s", spec, sc_error_message());
    sc_design_destroy(d);
    return f;
}

static size_t count_named(const sc_floorplan *f, const char *part)
{
    size_t n = 0;
    for (size_t i = 0; i < f->pieces.n; i++)
        n += strstr(f->pieces.piece[i].name, part) != NULL;
    return n;
}

static double blocks_um2(const sc_floorplan *f)
{
    double sum = 0;
    for (size_t i = 0; i < f->pieces.n; i++)
        sum += f->pieces.piece[i].width_um * f->pieces.piece[i].height_um;
    return sum;
}

/* The blocks have the design's area, the macros are no more than asked for, and the netlist is the
 * pieces. */
static void check_whole(const sc_floorplan *f, const char *spec)
{
    const double whole = f->parts.area_mm2 * UM2_PER_MM2;
    if (fabs(blocks_um2(f) - whole) > 1e-9 * whole)
        fail_msg("%s: blocks of %.12g um2, a design of %.12g", spec, blocks_um2(f), whole);
    assert_int_equal(f->netlist->n_blocks, f->pieces.n);
    assert_int_equal(f->netlist->n_nets, f->pieces.n_buses);
    if (sc_plan_macros(&f->plan) > f->options.macros)
        fail_msg("%s: %llu macros", spec, (unsigned long long)sc_plan_macros(&f->plan));
}

/* A legal start is found, and a short annealing keeps it legal. */
static void check_placed(const sc_floorplan *f, const char *spec)
{
    const sc_place_options options = SC_PLACE_OPTIONS_INIT;
    sc_place_run run = SC_PLACE_RUN_INIT;
    sc_place_outcome outcome;
    sc_placement *p = NULL;
    sc_violation *violation = NULL;
    char *why = NULL, *report = NULL;
    size_t n = 0;
    run.moves = 2000;
    run.seconds = 0;
    assert_int_equal(sc_floorplan_start(&p, f), SC_OK);
    assert_int_equal(sc_place_anneal(p, &outcome, &why, f->netlist, &options, &run), SC_OK);
    if (why != NULL)
        fail_msg("%s: %s", spec, why);
    assert_int_equal(sc_legal_check(&violation, &n, f->netlist, &p->canvas, NULL, p->spot), SC_OK);
    if (n > 0)
        fail_msg("%s: %s breaks a rule", spec, f->netlist->block[violation[0].block].name);
    assert_int_equal(sc_floorplan_json(&report, f, p, &options), SC_OK);
    assert_non_null(strstr(report, "\"legal\": true"));
    sc_release(report);
    sc_placement_destroy(p);
}

/* Two cores of two arrays; vector memory of 16 MiB a core as banks of one; four stacks of HBM. */
static void tpu_v3_is_its_published_parts(void **state)
{
    (void)state;
    const sc_floorplan_options o = SC_FLOORPLAN_OPTIONS_INIT;
    sc_floorplan *f = floorplan_of("tpu-v3", &o);
    check_whole(f, "tpu-v3");
    assert_int_equal(count_named(f, "/channel_"), 4);
    assert_int_equal(count_named(f, "/bank_"), 32);
    assert_int_equal(count_named(f, "MAC"), 4);
    assert_int_equal(count_named(f, "/lanes"), 2);
    for (size_t i = 0; i < f->pieces.n; i++) {
        const sc_piece *p = &f->pieces.piece[i];
        const bool on_edge =
            p->fixed && (fabs(p->x_um - p->width_um / 2) < 1e-6 ||
                         fabs(p->x_um + p->width_um / 2 - f->pieces.width_um) < 1e-6);
        assert_int_equal(strstr(p->name, "/channel_") != NULL, on_edge);
    }
    check_placed(f, "tpu-v3");
    sc_floorplan_destroy(f);
}

/* Wires of a bus add up: what all channels carry is the memory's bandwidth a cycle, and banks share
 * their buffer's port. */
static void buses_carry_the_bandwidth(void **state)
{
    (void)state;
    const sc_floorplan_options o = SC_FLOORPLAN_OPTIONS_INIT;
    sc_floorplan *f = floorplan_of("fast:pes_x=4,pes_y=2,l3_global=16MiB,gddr6_channels=4", &o);
    double channels = 0, banks = 0;
    for (size_t i = 0; i < f->pieces.n_buses; i++) {
        const char *kind = sc_intern_text(&f->pieces.kind, f->pieces.bus[i].kind);
        channels += strcmp(kind, "DRAM channels") == 0 ? f->pieces.bus[i].bits : 0;
        banks += strcmp(kind, "L3 banks") == 0 ? f->pieces.bus[i].bits : 0;
    }
    const double cycle_bits = 4 * 56e9 * 8 / 940e6; /* four channels of 56 GB/s at 940 MHz */
    assert_true(channels >= cycle_bits && channels < cycle_bits + 4);
    assert_true(banks >= 4 * 64 * 8 && banks < 4 * 64 * 8 + 16); /* 64 B a cycle and column */
    assert_int_equal(count_named(f, "L3/bank_"), 16);
    sc_floorplan_destroy(f);
}

/* 4,096 PEs are joined to tiles, all of one shape in a mesh that divides. */
static void many_pes_become_tiles(void **state)
{
    (void)state;
    sc_floorplan_options o = SC_FLOORPLAN_OPTIONS_INIT;
    o.macros = 128;
    sc_floorplan *f =
        floorplan_of("fast:pes_x=128,pes_y=32,systolic_x=4,systolic_y=4,l3_global=8MiB", &o);
    check_whole(f, "many");
    assert_true(f->plan.tile_x * f->plan.tile_y >= 64);
    assert_int_equal(128 % f->plan.tile_x, 0);
    assert_int_equal(32 % f->plan.tile_y, 0);
    assert_true(sc_plan_macros(&f->plan) > 32); /* and no coarser than needed */
    sc_floorplan_destroy(f);
}

static void every_platform_has_a_floorplan(void **state)
{
    (void)state;
    const sc_floorplan_options o = SC_FLOORPLAN_OPTIONS_INIT;
    for (size_t i = 0; sc_design_builtin(i) != NULL; i++) {
        sc_floorplan *f = floorplan_of(sc_design_builtin(i), &o);
        check_whole(f, sc_design_builtin(i));
        sc_floorplan_destroy(f);
    }
}

/* Ten random designs within the area and TDP of the die-shrunk TPU-v3. */
static void random_designs_are_placed(void **state)
{
    (void)state;
    const sc_floorplan_options o = SC_FLOORPLAN_OPTIONS_INIT;
    sc_template *t = NULL;
    sc_design *limit = NULL;
    uint32_t index[64];
    sc_budget budget;
    assert_int_equal(sc_template_open(&t, "fast"), SC_OK);
    assert_int_equal(sc_design_open(&limit, "tpu-v3-7nm"), SC_OK);
    int placed = 0;
    for (uint64_t i = 0; placed < 10; i++) {
        sc_design *d = NULL;
        sc_floorplan *f = NULL;
        random_point(index, t, i);
        sc_template_canonical(t, index);
        assert_int_equal(sc_template_budget(&budget, t, index), SC_OK);
        if (budget.area_mm2 > sc_design_area_mm2(limit) || budget.tdp_w > sc_design_tdp_w(limit))
            continue;
        assert_int_equal(sc_design_create(&d, t, index), SC_OK);
        assert_int_equal(sc_floorplan_create(&f, d, &o), SC_OK);
        check_whole(f, sc_design_spec(d));
        check_placed(f, sc_design_spec(d));
        sc_floorplan_destroy(f);
        sc_design_destroy(d);
        placed++;
    }
    sc_design_destroy(limit);
    sc_template_destroy(t);
}

static void wrong_options_are_refused(void **state)
{
    (void)state;
    const sc_floorplan_options usual = SC_FLOORPLAN_OPTIONS_INIT;
    sc_floorplan_options o[6] = {usual, usual, usual, usual, usual, usual};
    o[0].utilization = 0;
    o[1].utilization = (double)NAN;
    o[2].aspect = 17;
    o[3].macros = 1;
    o[4].bank_bytes = 0;
    o[5].h_routes_per_um = -1;
    assert_null(sc_floorplan_options_check(&usual));
    for (size_t i = 0; i < 6; i++)
        assert_non_null(sc_floorplan_options_check(&o[i]));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tpu_v3_is_its_published_parts),
        cmocka_unit_test(buses_carry_the_bandwidth),
        cmocka_unit_test(many_pes_become_tiles),
        cmocka_unit_test(every_platform_has_a_floorplan),
        cmocka_unit_test(random_designs_are_placed),
        cmocka_unit_test(wrong_options_are_refused),
    };
    return cmocka_run_group_tests(tests, use_source_configs, NULL);
}
