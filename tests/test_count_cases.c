/* Situations in which public tools have gone wrong, single levels by hand, and large arrays. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <string.h>

#include "core_support.h"
#include "count_make.h"
#include "count_random.h"
#include "model/count/groups.h"

static sc_arch plain_arch(unsigned n)
{
    sc_arch a = {.n_levels = n};
    for (unsigned l = 0; l < n; l++) {
        (void)snprintf(a.level[l].name, sizeof a.level[l].name, "L%u", l);
        a.level[l].instances = a.level[l].fanout_x = a.level[l].fanout_y = 1;
        a.level[l].buffers = 1;
        a.level[l].word_bits = 8;
        a.level[l].block_words = a.level[l].cluster_size = 1;
        a.level[l].may_keep = 7;
    }
    a.compute.instances = 1;
    return a;
}

static sc_mapping keeping_all(unsigned n)
{
    sc_mapping m = {.n_levels = (uint8_t)n};
    for (unsigned l = 0; l < n; l++)
        m.level[l].keep = 7;
    return m;
}

static sc_counts counted(const sc_einsum *e, const sc_arch *a, const sc_mapping *m,
                         const sc_count_options *o)
{
    const sc_count_options defaults = SC_COUNT_OPTIONS_INIT;
    sc_counts c;
    assert_int_equal(sc_mapping_check(m, e, a), SC_OK);
    if (sc_count(&c, e, a, m, o ? o : &defaults) != SC_OK)
        fail_msg("%s", sc_error_message());
    return c;
}

/* Case 6: one memory, one MAC: 18 inputs, 3 weights and 16 outputs in 48 MACs; no counter wraps. */
static void case_6_one_memory(void **state)
{
    const sc_einsum e = count_einsum("R3 P16", "I P+R", "W R", "O P");
    const sc_arch a = plain_arch(1);
    sc_mapping m = keeping_all(1);
    m.level[0].temporal = (sc_loops){2, {0, 1}, {3, 16}};
    const sc_counts c = counted(&e, &a, &m, NULL);
    assert_int_equal(c.macs, 48);
    assert_int_equal(c.compute_cycles, 48);
    assert_int_equal(c.at[0][0].tile, 18);
    assert_int_equal(c.at[0][1].tile, 3);
    assert_int_equal(c.at[0][2].tile, 16);
    assert_int_equal(c.at[0][0].reads, 48);
    assert_int_equal(c.at[0][2].updates, 48);
    assert_int_equal(c.at[0][2].reads, 32);
    assert_int_equal(c.at[0][2].fills, 0);
    sc_count_options first = SC_COUNT_OPTIONS_INIT;
    first.charge_first_read = true;
    assert_int_equal(counted(&e, &a, &m, &first).at[0][2].reads, 48);
}

/* Case 7: a buffer of three inputs, the window sliding over P: 18 reads. A stationary loop inside
 * it costs nothing under the newer rule, and all reuse (48) under the older one. */
static void case_7_sliding_window(void **state)
{
    const sc_einsum e = count_einsum("R3 P16 K1", "I P+R", "W K,R", "O K,P");
    const sc_einsum e2 = count_einsum("R3 P16 K2", "I P+R", "W K,R", "O K,P");
    const sc_arch a = plain_arch(2);
    sc_mapping m = keeping_all(2);
    sc_count_options older = SC_COUNT_OPTIONS_INIT;
    older.reuse_pre_2025 = true;
    m.level[1].temporal = (sc_loops){1, {0}, {3}};
    m.level[0].temporal = (sc_loops){2, {1, 2}, {16, 1}};
    assert_int_equal(counted(&e, &a, &m, NULL).at[0][0].reads, 18);
    m.level[0].temporal = (sc_loops){2, {2, 1}, {2, 16}}; /* K inside */
    assert_int_equal(counted(&e2, &a, &m, NULL).at[0][0].reads, 18);
    assert_int_equal(counted(&e2, &a, &m, &older).at[0][0].reads, 48);
    m.level[0].temporal = (sc_loops){2, {1, 2}, {16, 2}}; /* K outside: the window starts again */
    assert_int_equal(counted(&e2, &a, &m, NULL).at[0][0].reads, 36);
    assert_int_equal(counted(&e2, &a, &m, &older).at[0][0].reads, 36);
}

/* Case 8: 1x256 times 256x72, output stationary: 72 outputs in 256 cycles. */
static void case_8_fc_bandwidth(void **state)
{
    const sc_einsum e = count_einsum("N72 K256", "I K", "W K,N", "O N");
    sc_arch a = plain_arch(2);
    sc_mapping m = keeping_all(2);
    a.level[0].fanout_x = 72;
    m.level[0].spatial = (sc_loops){1, {0}, {72}};
    m.level[0].split = 1;
    m.level[1].temporal = (sc_loops){1, {1}, {256}};
    const sc_counts c = counted(&e, &a, &m, NULL);
    assert_int_equal(c.compute_cycles, 256);
    assert_int_equal(c.at[0][2].updates, 72);
    assert_true((double)c.at[0][2].updates / (double)c.compute_cycles <= 0.28125);
    assert_int_equal(c.at[0][0].reads, 256); /* one read serves all 72 */
}

/* Case 1: depthwise on 16 x 16: its channels can only lie on the diagonal, 16 of 256 PEs. */
static void case_1_depthwise_diagonal(void **state)
{
    const sc_einsum e = count_einsum("C32 P14 Q14 R3 S3", "I C,P+R,Q+S", "W C,R,S", "O C,P,Q");
    sc_arch a = plain_arch(2);
    sc_mapping m = keeping_all(2);
    a.level[0].fanout_x = a.level[0].fanout_y = 16;
    m.level[0].spatial = (sc_loops){1, {0}, {16}};
    m.level[0].split = 1;
    m.level[0].diagonal = 1;
    m.level[0].temporal = (sc_loops){5, {0, 1, 2, 3, 4}, {2, 14, 14, 3, 3}};
    const sc_counts c = counted(&e, &a, &m, NULL);
    assert_int_equal(c.macs, 56448);
    assert_int_equal(c.used_macs, 16);
    assert_int_equal(c.at[0][1].tile, 288);
    assert_int_equal(sc_mapping_fit(&m, &e, &a).code, SC_FITS);
    a.level[0].fanout_y = 15;
    assert_int_equal(sc_mapping_fit(&m, &e, &a).code, SC_MISFIT_MESH_Y);
}

/* Case 10: memories without limits, and with ones that no traffic reaches, stall nothing, however
 * reuse, links and drains are counted. */
static void case_10_no_stalls(void **state)
{
    static const double free_bw[] = {0, 1e300, HUGE_VAL};
    uint64_t seed = 41;
    for (unsigned i = 0; i < 400; i++) {
        const sc_einsum e = count_random_einsum(&seed, i % COUNT_KINDS, 0);
        sc_arch a = count_random_arch(&seed, 2 + i % 3, 12);
        const sc_mapping m = count_random_mapping(&seed, &e, &a);
        sc_count_options o = SC_COUNT_OPTIONS_INIT;
        o.links = (sc_links)(i % 3);
        o.reuse_pre_2025 = i & 1;
        o.charge_first_read = i & 2;
        o.charge_drain = i & 4;
        for (unsigned l = 0; l < a.n_levels; l++)
            a.level[l].read_bw = a.level[l].write_bw = a.level[l].shared_bw = free_bw[i % 3];
        const sc_counts c = counted(&e, &a, &m, &o);
        sc_cost cost;
        sc_cost_of(&cost, &c, (double)c.compute_cycles, &e, &a);
        assert_true(cost.cycles == (double)c.compute_cycles);
        assert_int_equal(cost.bound, -1);
        for (unsigned l = 0; l < a.n_levels; l++)
            assert_true(cost.level_cycles[l] - (double)c.compute_cycles == 0);
    }
}

/* Partial sums that leave and return: K outside M on a buffer of one output. */
static void partial_sums(void **state)
{
    const sc_einsum e = count_einsum("M5 K7", "I M,K", "W K", "O M");
    const sc_arch a = plain_arch(2);
    sc_mapping m = keeping_all(2);
    sc_count_options drain = SC_COUNT_OPTIONS_INIT;
    drain.charge_drain = true;
    m.level[0].temporal = (sc_loops){2, {0, 1}, {5, 7}};
    const sc_counts c = counted(&e, &a, &m, &drain);
    assert_int_equal(c.at[0][2].updates, 35); /* every visit leaves */
    assert_int_equal(c.at[0][2].reads, 30);   /* all but the first of each come back */
    assert_int_equal(c.at[1][2].fills, 30);
    assert_int_equal(c.at[1][2].updates, 35);
    assert_int_equal(c.at[1][2].reads, 30 + 35); /* accumulation, and taking them out */
    assert_int_equal(counted(&e, &a, &m, NULL).at[1][2].reads, 30);
}

/* What no counter can hold is an error, and nothing is written. */
static void too_many(void **state)
{
    const sc_einsum e = count_einsum("M4294967296 N4294967296", "I M", "W N", "O M,N");
    const sc_arch a = plain_arch(1);
    const sc_count_options o = SC_COUNT_OPTIONS_INIT;
    sc_mapping m = keeping_all(1);
    sc_counts c, before;
    memset(&c, 0x5a, sizeof c);
    before = c;
    m.level[0].temporal = (sc_loops){2, {0, 1}, {1ull << 32, 1ull << 32}};
    assert_int_equal(sc_count(&c, &e, &a, &m, &o), SC_ERANGE);
    assert_memory_equal(&c, &before, sizeof c);
    const sc_einsum half = count_einsum("M2147483648 N4294967296", "I M", "W N", "O M,N");
    m.level[0].temporal.factor[0] = 1ull << 31;
    assert_int_equal(sc_count(&c, &half, &a, &m, &o), SC_ERANGE); /* 2^63 */
    const sc_einsum quarter = count_einsum("M1073741824 N4294967296", "I M", "W N", "O M,N");
    m.level[0].temporal.factor[0] = 1ull << 30;
    assert_int_equal(sc_count(&c, &quarter, &a, &m, &o), SC_OK);
    assert_int_equal(c.at[0][0].reads, 1ull << 62);
}

/* M x N spread over side x side PEs, K in time: sums, not PEs, are counted, whatever the side. */
static void large_arrays(void **state)
{
    for (uint64_t side = 8; side <= 4096; side *= 2) {
        char dims[64];
        (void)snprintf(dims, sizeof dims, "M%llu N%llu K16", (unsigned long long)(2 * side),
                       (unsigned long long)side);
        const sc_einsum e = count_einsum(dims, "I M,K", "W K,N", "O M,N");
        sc_arch a = plain_arch(2);
        sc_mapping m = keeping_all(2);
        a.level[0].fanout_x = a.level[0].fanout_y = side;
        m.level[0].spatial = (sc_loops){2, {0, 1}, {side, side}};
        m.level[0].split = 1;
        m.level[0].temporal = (sc_loops){2, {2, 0}, {16, 2}};
        for (unsigned links = SC_LINKS_NONE; links <= SC_LINKS_REFERENCE; links++) {
            sc_count_options o = SC_COUNT_OPTIONS_INIT;
            o.links = (sc_links)links;
            const sc_counts c = counted(&e, &a, &m, &o);
            assert_int_equal(c.used_instances[1], side * side);
            assert_int_equal(c.at[0][0].reads, 2 * side * 16);
            assert_int_equal(c.at[0][1].reads, 2 * side * 16);
            assert_int_equal(c.at[0][2].updates, 2 * side * side);
            assert_int_equal(c.at[1][0].fills, 32);
        }
    }
}

/* Groups of children in closed form against all pairs: windows (two loops on one rank), a skewed
 * tensor, and three loops on one rank. */
static void check_groups(uint64_t *seed, unsigned kind)
{
    static const char *const tensor[] = {"I 2P+3R", "I P+R,Q", "I P,P+R", "I P+2Q+3R", "I P+R,Q+S"};
    char dims[64];
    uint64_t f[4];
    for (unsigned i = 0; i < 4; i++)
        f[i] = 1 + random_below(seed, 6);
    (void)snprintf(dims, sizeof dims, "P%llu Q%llu R%llu S%llu", (unsigned long long)(2 * f[0]),
                   (unsigned long long)f[1], (unsigned long long)(3 * f[2]),
                   (unsigned long long)f[3]);
    const sc_einsum e = count_einsum(dims, tensor[kind], "O P", NULL);
    sc_mapping m = {.n_levels = 1};
    m.level[0].spatial = (sc_loops){4, {2, 0, 1, 3}, {f[2], f[0], f[1], f[3]}};
    m.level[0].temporal = (sc_loops){2, {0, 2}, {2, 3}};
    sc_count_plan plan;
    sc_nest nest;
    sc_fan fan;
    sc_group_sizes sizes;
    static int64_t place[4096][SC_MAX_RANKS];
    uint64_t members[4096] = {0}, by_size[4096] = {0}, groups = 0;
    sc_count_plan_init(&plan, &e);
    sc_nest_build(&nest, &plan, &m);
    sc_fan_build(&fan, &nest, &plan.tensor[0], 0);
    memset(place, 0, sizeof place);
    for (uint64_t i = 0; i < fan.children; i++) {
        uint64_t rest = i, first = 0;
        for (unsigned s = 0; s < fan.n; s++, rest /= fan.factor[s - 1])
            for (unsigned r = 0; r < fan.n_ranks; r++)
                place[i][r] += (int64_t)(rest % fan.factor[s] * fan.move[s][r]);
        while (memcmp(place[first], place[i], sizeof place[i]) != 0)
            first++;
        groups += first == i;
        members[first]++;
    }
    for (uint64_t i = 0; i < fan.children; i++)
        by_size[members[i]]++;
    assert_int_equal(sc_fan_groups(&fan), groups);
    sc_fan_sizes(&sizes, &fan);
    assert_int_equal(sizes.cut, fan.tangled);
    uint64_t listed = 0;
    for (unsigned i = 0; i < sizes.n; i++) {
        assert_true(i == 0 || sizes.at[i].children > sizes.at[i - 1].children);
        assert_int_equal(sizes.at[i].groups, by_size[sizes.at[i].children]);
        listed += sizes.at[i].groups;
    }
    assert_int_equal(listed, sizes.cut ? 0 : groups);
}

static void groups(void **state)
{
    uint64_t seed = 31;
    for (unsigned i = 0; i < 1500; i++)
        check_groups(&seed, i % 5);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(case_6_one_memory),
        cmocka_unit_test(case_7_sliding_window),
        cmocka_unit_test(case_8_fc_bandwidth),
        cmocka_unit_test(case_1_depthwise_diagonal),
        cmocka_unit_test(case_10_no_stalls),
        cmocka_unit_test(partial_sums),
        cmocka_unit_test(too_many),
        cmocka_unit_test(large_arrays),
        cmocka_unit_test(groups),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
