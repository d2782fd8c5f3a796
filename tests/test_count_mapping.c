/* What a mapping must be, whether it fits a design, and what its counts cost. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>

#include "core_support.h"
#include "count_make.h"

/* M6 N10 K15 on a memory and a buffer over 4 x 3 MACs. */
static sc_einsum op(void)
{
    return count_einsum("M6 N10 K15", "I M,K", "W K,N", "O M,N");
}

static sc_arch design(void)
{
    sc_arch a = {.n_levels = 2, .clock_hz = 1e9, .native_batch = 1};
    for (unsigned l = 0; l < 2; l++) {
        sc_level *v = &a.level[l];
        (void)snprintf(v->name, sizeof v->name, l ? "buffer" : "memory");
        v->instances = v->fanout_x = v->fanout_y = 1;
        v->buffers = 1;
        v->word_bits = 8;
        v->block_words = 1;
        v->cluster_size = 1;
        v->may_keep = 7;
    }
    a.level[1].fanout_x = 4;
    a.level[1].fanout_y = 3;
    a.level[1].bounded = true;
    a.level[1].capacity[0] = 100;
    a.compute.instances = 12;
    return a;
}

/* Buffer tiles: M2 N5 K3 over N5 time, M2 on X, K3 on Y. */
static sc_mapping mapping(void)
{
    sc_mapping m = {.n_levels = 2};
    m.level[0].temporal = (sc_loops){3, {0, 1, 2}, {3, 2, 5}};
    m.level[1].temporal = (sc_loops){1, {1}, {5}};
    m.level[1].spatial = (sc_loops){2, {0, 2}, {2, 3}};
    m.level[1].split = 1;
    m.level[0].keep = m.level[1].keep = 7;
    return m;
}

static void assert_rejected(const sc_mapping *m, const char *why)
{
    const sc_einsum e = op();
    const sc_arch a = design();
    assert_int_equal(sc_mapping_check(m, &e, &a), SC_EINVAL);
    assert_says(why);
}

static void check_rejects(void **state)
{
    const sc_einsum e = op();
    const sc_arch a = design();
    sc_mapping m = mapping();
    assert_int_equal(sc_mapping_check(&m, &e, &a), SC_OK);
    m.n_levels = 3;
    assert_rejected(&m, "the mapping has 3 levels, the design 2");
    m = mapping();
    m.level[0].temporal.factor[1] = 7;
    assert_rejected(&m, "dimension N: the factors of all levels multiply to 35, its bound is 10: "
                        "of its outermost loop only 2 of 7 iterations have work");
    m = mapping();
    m.level[0].temporal.factor[1] = 1;
    assert_rejected(&m, "dimension N: the factors of all levels multiply to 5, its bound is 10");
    m = mapping();
    m.level[1].spatial.dim[1] = 3;
    assert_rejected(&m, "level buffer: spatial loop over dimension 3 of 3");
    m = mapping();
    m.level[0].temporal.dim[2] = 0;
    assert_rejected(&m, "level memory: dimension M stands twice in the temporal loops");
    m = mapping();
    m.level[0].temporal.factor[0] = 0;
    assert_rejected(&m, "level memory: temporal factor 0 of dimension M");
    m = mapping();
    m.level[0].temporal.factor[0] = m.level[1].spatial.factor[0] = 1ull << 40;
    assert_rejected(&m, "dimension M: its factors multiply to more than 2^64 - 1");
    m = mapping();
    m.level[0].keep = m.level[1].keep = 5;
    assert_rejected(&m, "no level keeps tensor W1");
    m = mapping();
    m.level[1].keep = 15;
    assert_rejected(&m, "level buffer: keeps a tensor that the op does not have");
}

static void assert_misfit(const sc_mapping *m, const sc_arch *a, sc_misfit_code code, int level,
                          uint64_t need, uint64_t have)
{
    const sc_einsum e = op();
    const sc_misfit f = sc_mapping_fit(m, &e, a);
    if (f.code != code ||
        (code != SC_FITS && (f.level != level || f.need != need || f.have != have)))
        fail_msg("%s at level %d: %llu of %llu", sc_misfit_name(f.code), f.level,
                 (unsigned long long)f.need, (unsigned long long)f.have);
}

/* Tiles of the buffer: I 2 x 3, W 3 x 5, O 2 x 5: 6 + 15 + 10 words. */
static void capacity(void **state)
{
    sc_arch a = design();
    sc_mapping m = mapping();
    assert_misfit(&m, &a, SC_FITS, 0, 0, 0);
    a.level[1].capacity[0] = 31;
    assert_misfit(&m, &a, SC_FITS, 0, 0, 0);
    a.level[1].capacity[0] = 30;
    assert_misfit(&m, &a, SC_MISFIT_CAPACITY, 1, 31, 30);
    m.level[1].keep = 6; /* without I */
    assert_misfit(&m, &a, SC_FITS, 0, 0, 0);
    m.level[1].keep = 7;
    a.level[1].capacity[0] = 63; /* 63 / 2.1 = 30 exactly */
    a.level[1].buffers = 2.1;
    assert_misfit(&m, &a, SC_MISFIT_CAPACITY, 1, 31, 30);
    a.level[1].capacity[0] = 66; /* 31.4 */
    assert_misfit(&m, &a, SC_FITS, 0, 0, 0);
}

static void capacity_in_bytes(void **state)
{
    sc_einsum e = op();
    sc_arch a = design();
    sc_mapping m = mapping();
    a.level[1].word_bits = 0;
    e.tensor[0].bits = 12; /* 6 words: 9 bytes */
    e.tensor[1].bits = 3;  /* 15 words: 45 bits, 6 bytes */
    e.tensor[2].bits = 16; /* 10 words: 20 bytes, 40 as partial sums */
    a.level[1].output_bits = 32;
    a.level[1].capacity[0] = 54;
    sc_misfit f = sc_mapping_fit(&m, &e, &a);
    assert_int_equal(f.code, SC_MISFIT_CAPACITY);
    assert_int_equal(f.tensor, -1);
    assert_int_equal(f.need, 55);
    a.level[1].capacity[0] = 55;
    assert_int_equal(sc_mapping_fit(&m, &e, &a).code, SC_FITS);
    a.level[1].partitioned = true;
    a.level[1].capacity[SC_ROLE_INPUT] = 9;
    a.level[1].capacity[SC_ROLE_WEIGHT] = 5;
    a.level[1].capacity[SC_ROLE_OUTPUT] = 39;
    sc_misfit all[SC_MAX_MISFITS];
    assert_int_equal(sc_mapping_misfits(all, &m, &e, &a), 2);
    assert_int_equal(all[0].tensor, 1);
    assert_int_equal(all[0].need, 6);
    assert_int_equal(all[1].tensor, 2);
    assert_int_equal(all[1].need, 40);
    assert_int_equal(all[1].have, 39);
}

/* Case 12: 28 on 16 PEs, and 28 x 21 on 16 x 16, are refused with the level and both figures. */
static void case_12_children(void **state)
{
    const sc_einsum e = count_einsum("P28 Q21", "I P,Q", "W P", "O P,Q");
    sc_arch a = design();
    sc_mapping m = {.n_levels = 2};
    sc_misfit all[SC_MAX_MISFITS];
    m.level[0].keep = m.level[1].keep = 7;
    m.level[0].temporal = (sc_loops){1, {1}, {21}};
    m.level[1].spatial = (sc_loops){1, {0}, {28}};
    m.level[1].split = 1;
    a.level[1].fanout_x = 16;
    a.level[1].fanout_y = 1;
    a.level[1].capacity[0] = 5000;
    assert_int_equal(sc_mapping_misfits(all, &m, &e, &a), 2);
    assert_string_equal(sc_misfit_name(all[0].code), "fanout");
    assert_int_equal(all[0].level, 1);
    assert_int_equal(all[0].need, 28);
    assert_int_equal(all[0].have, 16);
    assert_string_equal(sc_misfit_name(all[1].code), "mesh_x");
    m.level[0].temporal.n = 0;
    m.level[1].spatial = (sc_loops){2, {0, 1}, {28, 21}};
    a.level[1].fanout_y = 16;
    assert_int_equal(sc_mapping_misfits(all, &m, &e, &a), 3);
    assert_int_equal(all[0].need, 588);
    assert_int_equal(all[0].have, 256);
    assert_string_equal(sc_misfit_name(all[2].code), "mesh_y");
    assert_int_equal(all[2].need, 21);
}

/* A loop along the diagonal takes room on both axes but only its own children. */
static void diagonal(void **state)
{
    sc_arch a = design();
    sc_mapping m = mapping();
    m.level[1].diagonal = 1; /* M2 along X and Y, K3 on Y: 2 x 6 */
    assert_misfit(&m, &a, SC_MISFIT_MESH_Y, 1, 6, 3);
    a.level[1].fanout_y = 6;
    assert_misfit(&m, &a, SC_FITS, 0, 0, 0);
    a.level[1].fanout_x = 1;
    assert_misfit(&m, &a, SC_MISFIT_MESH_X, 1, 2, 1);
}

static void keeping(void **state)
{
    sc_arch a = design();
    sc_mapping m = mapping();
    a.level[1].may_keep = 7 & ~(1 << SC_ROLE_WEIGHT);
    assert_misfit(&m, &a, SC_MISFIT_KEEP, 1, 1, 0);
    m.level[1].keep = 5;
    assert_misfit(&m, &a, SC_FITS, 0, 0, 0);
    a.level[0].must_keep = 1 << SC_ROLE_OUTPUT;
    m.level[0].keep = 3;
    assert_misfit(&m, &a, SC_MISFIT_KEEP, 0, 0, 1);
}

/* Factors that were never checked may multiply past anything; that is a misfit, no overflow. Tiles
 * end at the bounds: 90 + 150 + 60 words. */
static void huge(void **state)
{
    sc_arch a = design();
    sc_mapping m = mapping();
    m.level[1].temporal.factor[0] = m.level[0].temporal.factor[1] = 1ull << 60;
    m.level[1].spatial.factor[0] = m.level[1].spatial.factor[1] = 1ull << 40;
    const sc_einsum e = op();
    assert_misfit(&m, &a, SC_MISFIT_CAPACITY, 1, 300, 100);
    assert_true(sc_mapping_fit_padded(&m, &e, &a).need == UINT64_MAX);
}

/* N10 as 3 tiles of 4 leaves a last one of 2: I 2 x 3, W 3 x 4, O 2 x 4 words. As the only tile
 * there is, N is cut to the 10 of the op. */
static void remainders(void **state)
{
    const sc_einsum e = op();
    sc_arch a = design();
    sc_mapping m = mapping();
    m.level[0].temporal.factor[1] = 3;
    m.level[1].temporal.factor[0] = 4;
    assert_int_equal(sc_mapping_check(&m, &e, &a), SC_OK);
    a.level[1].capacity[0] = 25;
    assert_misfit(&m, &a, SC_MISFIT_CAPACITY, 1, 26, 25);
    const sc_mapped_dim n = sc_mapping_dim(&m, 1, 10);
    assert_true(n.product == 12 && n.outer == 3 && n.needed == 3 && n.steps == 10);
    m.level[1].spatial = (sc_loops){2, {1, 2}, {3, 3}}; /* 4 x 3 under 3 in time: not all 12 run */
    m.level[1].temporal.factor[0] = 4;
    m.level[0].temporal = (sc_loops){2, {0, 2}, {6, 5}};
    assert_int_equal(sc_mapping_check(&m, &e, &a), SC_OK);
    assert_misfit(&m, &a, SC_MISFIT_CAPACITY, 1, 3 + 30 + 10, 25);
    assert_true(sc_mapping_fit_padded(&m, &e, &a).need == 3 + 36 + 12);
    /* 4 in time, in each 3 children: the last time 1 of them */
    assert_true(sc_mapping_dim(&m, 1, 10).steps == 4);
}

static sc_counts some_counts(void)
{
    sc_counts c = {.macs = 900, .used_macs = 6, .compute_cycles = 150};
    c.used_instances[0] = 1;
    c.used_instances[1] = 5;
    c.at[0][0] = (sc_access){90, 301, 0, 0};
    c.at[0][2] = (sc_access){60, 40, 0, 100};
    c.at[1][1] = (sc_access){15, 700, 21, 0};
    return c;
}

static void cost(void **state)
{
    const sc_einsum e = op();
    const sc_counts c = some_counts();
    sc_arch a = design();
    sc_cost cost;
    a.compute.mac_pj = 0.5;
    a.level[0].block_words = 7;
    a.level[0].read_pj = 11;
    a.level[0].write_pj = 13;
    a.level[0].update_pj = 17;
    a.level[1].instances = 8;
    a.level[1].cluster_size = 2;
    a.level[1].read_pj = 3;
    a.level[1].write_pj = 2;
    a.level[1].leak_pj = 0.25;
    a.level[0].read_bw = 2; /* 341 / 150 = 2.27: slowed by it */
    a.level[1].shared_bw = 100;
    sc_cost_of(&cost, &c, 150, &e, &a);
    assert_float_equal(cost.tensor_pj[0][0], 43 * 11.0, 0);                  /* 301 / 7 */
    assert_float_equal(cost.tensor_pj[0][2], 6 * 11.0 + 15 * 17.0, 0);       /* 40, 100 in sevens */
    assert_float_equal(cost.tensor_pj[1][1], (700 * 3.0 + 21 * 2.0) * 4, 0); /* 4 clusters */
    sc_counts fewer = c;
    fewer.used_instances[1] = 3; /* spread over 3 of the 4 clusters */
    sc_cost three;
    sc_cost_of(&three, &fewer, 150, &e, &a);
    assert_float_equal(three.tensor_pj[1][1], (700 * 3.0 + 21 * 2.0) * 3, 0);
    assert_float_equal(cost.mac_pj, 450, 0);
    assert_float_equal(cost.level_cycles[0], 171, 0); /* 170.5 */
    assert_float_equal(cost.level_cycles[1], 150, 0);
    assert_float_equal(cost.cycles, 171, 0);
    assert_int_equal(cost.bound, 0);
    assert_float_equal(cost.leak_pj[1], 0.25 * 171 * 5, 0);
    assert_float_equal(cost.energy_pj, 450 + 43 * 11 + 66 + 255 + 2142 * 4 + 0.25 * 171 * 5, 1e-9);
    a.level[0].read_bw = 0;
    sc_cost_of(&cost, &c, 150, &e, &a);
    assert_float_equal(cost.cycles, 150, 0); /* no limit, no stall */
    assert_int_equal(cost.bound, -1);
    a.level[0].write_bw = 0.5; /* 100 updates: 200 cycles */
    sc_cost_of(&cost, &c, 150, &e, &a);
    assert_float_equal(cost.cycles, 200, 0);
    a.level[0].shared_bw = 2; /* 441 words: 220.5 */
    sc_cost_of(&cost, &c, 150, &e, &a);
    assert_float_equal(cost.cycles, 221, 0);
}

/* Levels in bytes: blocks in bits, bandwidths in bytes, and every built instance leaks. */
static void cost_in_bytes(void **state)
{
    sc_einsum e = op();
    const sc_counts c = some_counts();
    sc_arch a = design();
    sc_cost cost;
    e.tensor[1].bits = 12;
    a.level[1].word_bits = 0;
    a.level[1].instances = 8;
    a.level[1].block_bits = 64;
    a.level[1].read_pj = 3;
    a.level[1].write_pj = 2;
    a.level[1].leak_pj = 0.25;
    a.level[1].read_bw = 4; /* 700 words of 1.5 bytes: 262.5 cycles */
    sc_cost_of(&cost, &c, 150, &e, &a);
    /* 700 * 12 / 64 = 131.25, 21 * 12 / 64 = 3.9 */
    assert_float_equal(cost.tensor_pj[1][1], (132 * 3.0 + 4 * 2.0) * 5, 0);
    assert_float_equal(cost.cycles, 263, 0);
    assert_int_equal(cost.bound, 1);
    assert_float_equal(cost.leak_pj[1], 0.25 * 263 * 8, 0);
    a.level[1].block_bits = 48; /* no power of two: 175, 5.25 */
    sc_cost_of(&cost, &c, 150, &e, &a);
    assert_float_equal(cost.tensor_pj[1][1], (175 * 3.0 + 6 * 2.0) * 5, 0);
    a.level[1].block_bits = 0; /* a word an access */
    sc_cost_of(&cost, &c, 150, &e, &a);
    assert_float_equal(cost.tensor_pj[1][1], (700 * 3.0 + 21 * 2.0) * 5, 0);
    a.level[1].block_bits = 64;
    sc_counts many = c; /* words * bits past 2^64: 2^62 * 12 / 64 = 3 * 2^58 */
    many.at[1][1].reads = 1ull << 62;
    many.at[1][1].fills = 0;
    sc_cost_of(&cost, &many, 150, &e, &a);
    assert_float_equal(cost.tensor_pj[1][1], 3 * 0x1p58 * 3 * 5, 0);
}

/* More bandwidth never takes longer. */
static void faster_memory(void **state)
{
    const sc_einsum e = op();
    const sc_counts c = some_counts();
    sc_arch a = design();
    double before = INFINITY;
    for (double bw = 0.125; bw < 16; bw *= 2) {
        sc_cost cost;
        a.level[0].read_bw = a.level[1].write_bw = bw;
        sc_cost_of(&cost, &c, 150, &e, &a);
        assert_true(cost.cycles <= before && cost.cycles >= 150);
        before = cost.cycles;
    }
    assert_float_equal(before, 150, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(check_rejects),
        cmocka_unit_test(capacity),
        cmocka_unit_test(capacity_in_bytes),
        cmocka_unit_test(case_12_children),
        cmocka_unit_test(diagonal),
        cmocka_unit_test(keeping),
        cmocka_unit_test(huge),
        cmocka_unit_test(remainders),
        cmocka_unit_test(cost),
        cmocka_unit_test(cost_in_bytes),
        cmocka_unit_test(faster_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
