/* Coding, gating, transfers that nothing overlaps, lanes in line with the array, and dimensions
 * that a design wants first: bytes, cycles and energies worked out by hand. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka wants the four above first */
#include <cmocka.h>
#include <stdio.h>

#include "model/mapper/array.h"
#include "model/net/network.h"
#include "model_support.h"
#include "workloads/builder.h"

enum { BITS = 16 };

/* out[4][4] += in[4][4] * weight[4][4] on one unit whose buffer holds all of it at once. */
static sc_op_cost four_cubed(const sc_arch *a)
{
    const sc_einsum e = gemm_einsum(4, 4, 4);
    const sc_map_options o = SC_MAP_OPTIONS_INIT;
    sc_mapping whole = {.n_levels = 2};
    sc_mapped m;
    sc_op_cost c;
    whole.level[0].keep = whole.level[1].keep = 7;
    whole.level[1].temporal = (sc_loops){.n = 3, .dim = {2, 1, 0}, .factor = {4, 4, 4}};
    if (sc_map_score(&m, &e, a, &whole, &o) != SC_OK)
        fail_msg("%s", sc_error_message());
    assert_int_equal(m.misfit.code, SC_FITS);
    sc_op_cost_mapped(&c, &m, a);
    return c;
}

/* 64 MACs, and 96 bytes at 2 a cycle, of which 64 come before the first MAC. */
static void transfers_that_nothing_overlaps_add_up(void **state)
{
    (void)state;
    sc_arch a = grid_arch(1, 1, 1 << 16, 2.0);
    const sc_op_cost beside = four_cubed(&a);
    assert_true(beside.cycles == 64 + 32 && beside.prefill_cycles == 32);
    assert_int_equal(beside.serial, 0);
    a.level[0].no_overlap = true;
    const sc_op_cost apart = four_cubed(&a);
    assert_true(apart.cycles == 64 + 48 && apart.prefill_cycles == 0);
    assert_true(apart.lower_bound_cycles == 64 + 48);
    assert_true(apart.level_cycles[0] == 48 && apart.bound == SC_BOUND_COMPUTE);
    assert_int_equal(apart.serial, 1);
    a.level[0].shared_bw = 1; /* 96 cycles: now the longest */
    assert_int_equal(four_cubed(&a).bound, 0);
}

/* 16 words of each tensor: inputs of 8 bits on the way, results of 4. */
static void coded_words_are_fewer_bytes(void **state)
{
    (void)state;
    sc_arch a = grid_arch(1, 1, 1 << 16, 2.0);
    a.level[0].compression[SC_ROLE_INPUT] = 2;
    a.level[0].compression[SC_ROLE_OUTPUT] = 4;
    const sc_op_cost c = four_cubed(&a);
    assert_true(c.level_bytes[0] == 16 + 32 + 8);
    assert_true(c.level_cycles[0] == 28);
    /* blocks of 64 bits at 400 pJ */
    assert_true(c.tensor_pj[0][0] == 2 * 400 && c.tensor_pj[0][1] == 4 * 400);
    assert_true(c.tensor_pj[0][2] == 1 * 400);
    /* the buffer keeps them as they are */
    a.level[0].compression[SC_ROLE_INPUT] = a.level[0].compression[SC_ROLE_OUTPUT] = 1;
    assert_true(four_cubed(&a).level_bytes[1] == c.level_bytes[1]);
}

/* A buffer reads 64 weights for the MACs, 16 blocks of 3 pJ, and fills 4 of 5 pJ. */
static void gated_reads_and_macs_take_no_energy(void **state)
{
    (void)state;
    sc_arch a = grid_arch(1, 1, 1 << 16, 0.0);
    const sc_op_cost plain = four_cubed(&a);
    a.compute.gated = 0.25;
    a.level[1].gated[SC_ROLE_WEIGHT] = 0.5;
    const sc_op_cost c = four_cubed(&a);
    assert_true(plain.compute_pj == 64 && c.compute_pj == 48);
    assert_true(plain.tensor_pj[1][1] == 16 * 3 + 4 * 5);
    assert_true(c.tensor_pj[1][1] == 8 * 3 + 4 * 5);
    assert_true(c.tensor_pj[1][0] == plain.tensor_pj[1][0]);
    assert_true(c.cycles == plain.cycles && c.level_bytes[1] == plain.level_bytes[1]);
}

/* Rows of the filter down the grid and rows of the output across it, though other shapes would keep
 * all units as busy; a filter's row whole in each unit. */
static void a_design_may_want_dimensions_first(void **state)
{
    (void)state;
    const sc_einsum e = depthwise_einsum(12, 12, 5, 3, 3); /* G P Q R S */
    const sc_map_options o = SC_MAP_OPTIONS_INIT;
    sc_arch a = grid_arch(4, 3, 256, 1.0);
    sc_mapped m;
    (void)snprintf(a.level[0].lead[SC_LEAD_X], SC_LEAD_LEN, "P");
    (void)snprintf(a.level[0].lead[SC_LEAD_Y], SC_LEAD_LEN, "R");
    (void)snprintf(a.level[1].lead[SC_LEAD_TILE], SC_LEAD_LEN, "S");
    assert_int_equal(sc_map_op(&m, &e, &a, &o), SC_OK);
    const sc_block *grid = &m.mapping.level[0];
    assert_int_equal(grid->spatial.n, 2);
    assert_int_equal(grid->split, 1);
    assert_int_equal(grid->spatial.dim[0], 1); /* P */
    assert_int_equal(grid->spatial.factor[0], 4);
    assert_int_equal(grid->spatial.dim[1], 3); /* R */
    assert_int_equal(grid->spatial.factor[1], 3);
    /* an op without such dimensions is free */
    const sc_einsum gemm = gemm_einsum(8, 8, 8);
    assert_int_equal(sc_map_op(&m, &gemm, &a, &o), SC_OK);
    assert_int_equal(m.misfit.code, SC_FITS);
    assert_int_equal(sc_level_lead(&a.level[0], &gemm, SC_LEAD_X), -1);
    assert_int_equal(sc_level_lead(&a.level[1], &e, SC_LEAD_TILE), 4);
}

/* ---- lanes in line ---- */

static int32_t put(sc_builder *b, sc_op_spec s, size_t n, const int32_t *from)
{
    sc_input_ref refs[2] = {{0}};
    int32_t index = -1;
    for (size_t i = 0; i < n; i++)
        refs[i].producer = from[i];
    s.n_inputs = n;
    s.inputs = refs;
    if (sc_builder_add(b, &index, &s) != SC_OK)
        fail_msg("%s", sc_error_message());
    return index;
}

/* first -> second -> add(second, first) -> third -> relu -> pool of all; 8 channels of 4 x 4 */
static sc_workload *residual(void)
{
    const sc_op_spec conv = {.kind = SC_OP_CONV, .channels = 8};
    sc_op_spec s = conv;
    sc_builder *b = NULL;
    sc_workload *w = NULL;
    int32_t image;
    assert_int_equal(sc_builder_create(&b, "residual", 1, BITS), SC_OK);
    assert_int_equal(sc_builder_input(b, &image, "image", (sc_shape){8, 1, 4, 4}), SC_OK);
    s.name = "first";
    const int32_t first = put(b, s, 1, &image);
    s.name = "second";
    const int32_t second = put(b, s, 1, &first);
    const int32_t add =
        put(b, (sc_op_spec){.name = "add", .kind = SC_OP_ADD}, 2, (int32_t[]){second, first});
    s.name = "third";
    const int32_t third = put(b, s, 1, &add);
    const int32_t relu = put(
        b, (sc_op_spec){.name = "relu", .kind = SC_OP_ACTIVATION, .function = "relu"}, 1, &third);
    (void)put(b,
              (sc_op_spec){.name = "pool", .kind = SC_OP_POOL, .function = "max", .global = true},
              1, &relu);
    if (sc_builder_finish(&w, b) != SC_OK)
        fail_msg("%s", sc_error_message());
    sc_builder_destroy(b);
    return w;
}

enum { OPS = 6, ADD = 2, RELU = 4, POOL = 5 };

static void cost_all(sc_op_cost out[OPS], const sc_arch *a)
{
    sc_op_cost unique[OPS];
    sc_network *n = NULL;
    sc_network_result r;
    const sc_budget budget = {0};
    const sc_network_options o = {0};
    sc_workload *w = residual();
    if (sc_network_create(&n, w, 1) != SC_OK)
        fail_msg("%s", sc_error_message());
    assert_int_equal(sc_workload_ops(sc_network_workload(n)), OPS);
    assert_int_equal(sc_network_cost(&r, unique, n, a, &budget, &o), SC_OK);
    assert_true(r.feasible);
    for (size_t i = 0; i < OPS; i++)
        out[i] = unique[sc_network_unique_of(n, i)];
    sc_network_destroy(n);
    sc_workload_destroy(w);
}

/* 128 elements of two bytes a map. The second convolution is read by the addition alone, the first
 * by two ops. */
static void what_the_array_makes_for_one_op_is_passed_in_line(void **state)
{
    (void)state;
    sc_op_cost apart[OPS], in_line[OPS];
    sc_arch a = grid_arch(2, 2, 1 << 16, 4.0);
    cost_all(apart, &a);
    a.vector.in_line = true;
    cost_all(in_line, &a);
    assert_true(apart[ADD].level_bytes[0] == 3 * 256);
    assert_true(in_line[ADD].level_bytes[0] == 256); /* the other operand; the sum goes out as the
                                                        convolution's result would have */
    assert_true(in_line[ADD].compulsory_bytes == 256);
    assert_true(apart[RELU].level_bytes[0] == 2 * 256 && in_line[RELU].level_bytes[0] == 0);
    assert_true(apart[POOL].level_bytes[0] == 256 + 16 && in_line[POOL].level_bytes[0] == 0);
    /* 128 additions on 8 lanes hide behind 1,024 MACs on 4 units; the pool's 128 comparisons,
     * behind a relu and not behind an array, do not */
    assert_true(apart[ADD].compute_cycles == 16 && in_line[ADD].compute_cycles == 0);
    assert_true(in_line[POOL].compute_cycles == 16);
    assert_true(in_line[ADD].compute_pj == apart[ADD].compute_pj);
    for (size_t i = 0; i < 2; i++) /* convolutions are as they were */
        assert_true(in_line[i].cycles == apart[i].cycles &&
                    in_line[i].level_bytes[0] == apart[i].level_bytes[0]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(transfers_that_nothing_overlaps_add_up),
        cmocka_unit_test(coded_words_are_fewer_bytes),
        cmocka_unit_test(gated_reads_and_macs_take_no_energy),
        cmocka_unit_test(a_design_may_want_dimensions_first),
        cmocka_unit_test(what_the_array_makes_for_one_op_is_passed_in_line),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
