/* Mappings whose last iterations are smaller, against a walk of every step of every child. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdbool.h>
#include <string.h>

#include "core_support.h"
#include "count_make.h"
#include "count_random.h"
#include "model/count/clip.h"
#include "oracle_clip.h"

/* The outermost loop of more than one iteration over a dimension, and the product of all inside. */
static uint64_t outermost_factor(uint64_t *inside, const sc_mapping *m, unsigned d)
{
    uint64_t factor = 1;
    *inside = 1;
    for (unsigned l = m->n_levels; l-- > 0;) {
        const sc_loops *loops[2] = {&m->level[l].spatial, &m->level[l].temporal};
        for (unsigned k = 0; k < 2; k++)
            for (unsigned i = 0; i < loops[k]->n; i++)
                if (loops[k]->dim[i] == d && loops[k]->factor[i] > 1) {
                    *inside *= factor;
                    factor = loops[k]->factor[i];
                }
    }
    return factor;
}

/* Take indices off the op's bounds, so many that every iteration of the mapping has some left. */
static void cut_bounds(uint64_t *seed, sc_einsum *e, const sc_mapping *m)
{
    for (unsigned d = 0; d < e->n_dims; d++) {
        uint64_t inside;
        const uint64_t factor = outermost_factor(&inside, m, d);
        if (random_below(seed, 4))
            e->bound[d] = (factor - 1) * inside + 1 + random_below(seed, inside);
    }
}

static void assert_same(const sc_counts *ours, const sc_counts *theirs, const sc_einsum *e,
                        const sc_arch *a, const sc_mapping *m)
{
    for (unsigned l = 0; l < m->n_levels; l++)
        for (unsigned i = 0; i < e->n_tensors; i++) {
            const sc_access *x = &ours->at[l][i], *y = &theirs->at[l][i];
            if (memcmp(x, y, sizeof *x) == 0)
                continue;
            for (unsigned d = 0; d < e->n_dims; d++)
                print_message("%s %llu ", e->dim_name[d], (unsigned long long)e->bound[d]);
            fail_msg("%s\n  level %u, tensor %u: tile %llu reads %llu fills %llu updates %llu, "
                     "oracle %llu %llu %llu %llu",
                     count_describe(e, a, m), l, i, (unsigned long long)x->tile,
                     (unsigned long long)x->reads, (unsigned long long)x->fills,
                     (unsigned long long)x->updates, (unsigned long long)y->tile,
                     (unsigned long long)y->reads, (unsigned long long)y->fills,
                     (unsigned long long)y->updates);
        }
    assert_memory_equal(ours->used_instances, theirs->used_instances, sizeof ours->used_instances);
    assert_int_equal(ours->used_macs, theirs->used_macs);
    assert_int_equal(ours->macs, theirs->macs);
    assert_int_equal(ours->compute_cycles, theirs->compute_cycles);
}

static bool is_cut(const sc_einsum *e, const sc_mapping *m)
{
    for (unsigned d = 0; d < e->n_dims; d++) {
        uint64_t inside;
        if (outermost_factor(&inside, m, d) * inside != e->bound[d])
            return true;
    }
    return false;
}

/* @return how many mappings were compared; *refused those with windows that are not counted. */
static unsigned compare(unsigned *refused, uint64_t seed, unsigned rounds, bool cut)
{
    unsigned done = 0;
    for (unsigned i = 0; i < rounds; i++) {
        sc_count_options o = SC_COUNT_OPTIONS_INIT;
        sc_einsum e = count_random_einsum(&seed, i % COUNT_KINDS, 0);
        sc_arch a = count_random_arch(&seed, 1 + (unsigned)random_below(&seed, 4), 16);
        const sc_mapping m = count_random_mapping(&seed, &e, &a);
        sc_counts ours, theirs;
        a.level[random_below(&seed, a.n_levels)].no_multicast = random_below(&seed, 8) == 0;
        a.level[random_below(&seed, a.n_levels)].no_reduction = random_below(&seed, 8) == 0;
        o.reuse_pre_2025 = random_below(&seed, 3) == 0;
        o.charge_drain = random_below(&seed, 3) == 0;
        o.charge_first_read = random_below(&seed, 3) == 0;
        if (cut)
            cut_bounds(&seed, &e, &m);
        if (oracle_clip_size(&m) > 2000 || is_cut(&e, &m) != cut)
            continue;
        if (sc_count(&ours, &e, &a, &m, &o) != SC_OK) {
            assert_non_null(strstr(sc_error_message(), "remainder"));
            (*refused)++;
            continue;
        }
        oracle_clip(&theirs, &e, &a, &m, &o);
        assert_same(&ours, &theirs, &e, &a, &m);
        done++;
    }
    return done;
}

static void every_step(void **state)
{
    unsigned refused = 0;
    const unsigned done = compare(&refused, 31, 4000, true);
    assert_true(done > 1000);
    assert_true(refused < done / 50);
}

static bool is_plain(const sc_tensor *t)
{
    for (unsigned r = 0; r < t->n_ranks; r++)
        if (t->rank[r].n_terms > 1 || t->rank[r].coef[0] > 1)
            return false;
    return true;
}

static uint64_t nearest(uint64_t total, uint64_t used)
{
    return (2 * total + used) / (2 * used);
}

static void check_words(const sc_counts *c, const sc_einsum *e, const sc_arch *a,
                        const sc_mapping *m, unsigned tensor)
{
    const bool is_output = tensor == e->output;
    uint64_t fresh = 1; /* output words that the level's instances see for the first time */
    for (unsigned r = 0; r < e->tensor[tensor].n_ranks; r++)
        fresh *= e->bound[e->tensor[tensor].rank[r].dim[0]];
    for (unsigned l = 0; l < m->n_levels; l++) {
        const oracle_words w = oracle_clip_words(e, tensor, m, l);
        const sc_access *at = &c->at[l][tensor];
        const uint64_t used = c->used_instances[l];
        if (at->reads != nearest(w.served - (is_output ? fresh : 0), used) ||
            at->updates != (is_output ? nearest(w.served, used) : 0))
            fail_msg("%s\n level %u, tensor %u: reads %llu updates %llu, served %llu fresh %llu",
                     count_describe(e, a, m), l, tensor, (unsigned long long)at->reads,
                     (unsigned long long)at->updates, (unsigned long long)w.served,
                     (unsigned long long)fresh);
        fresh = w.first;
        if (l + 1 == m->n_levels)
            break;
        const uint64_t under = c->used_instances[l + 1], fills = c->at[l + 1][tensor].fills;
        if (fills != (is_output ? nearest(w.received - w.first, under) : w.received / under))
            fail_msg("%s\n level %u, tensor %u: fills %llu, received %llu first %llu",
                     count_describe(e, a, m), l + 1, tensor, (unsigned long long)fills,
                     (unsigned long long)w.received, (unsigned long long)w.first);
    }
}

/* Tensors without windows: no rule is needed, a child takes what it does not hold. */
static void word_by_word(void **state)
{
    const sc_count_options o = SC_COUNT_OPTIONS_INIT;
    uint64_t seed = 35;
    unsigned done = 0;
    for (unsigned i = 0; i < 700; i++) {
        sc_einsum e = count_random_einsum(&seed, i % 5, 0);
        const sc_arch a = count_random_arch(&seed, 1 + (unsigned)random_below(&seed, 4), 12);
        sc_mapping m = count_random_mapping(&seed, &e, &a);
        sc_counts c;
        for (unsigned l = 0; l < m.n_levels; l++)
            m.level[l].keep = (uint8_t)((1u << e.n_tensors) - 1);
        cut_bounds(&seed, &e, &m);
        if (oracle_clip_size(&m) > 1200 || !is_cut(&e, &m))
            continue;
        if (sc_count(&c, &e, &a, &m, &o) != SC_OK)
            continue; /* windows */
        for (unsigned t = 0; t < e.n_tensors; t++)
            if (is_plain(&e.tensor[t]))
                check_words(&c, &e, &a, &m, t);
        done++;
    }
    assert_true(done > 150);
}

static sc_arch two_levels(uint64_t macs)
{
    sc_arch a = {.n_levels = 2};
    for (unsigned l = 0; l < 2; l++) {
        a.level[l].instances = a.level[l].fanout_x = a.level[l].fanout_y = 1;
        a.level[l].may_keep = 7;
    }
    a.level[1].fanout_x = a.compute.instances = macs;
    return a;
}

static void assert_access(const sc_access *a, uint64_t tile, uint64_t reads, uint64_t fills,
                          uint64_t updates)
{
    assert_int_equal(a->tile, tile);
    assert_int_equal(a->reads, reads);
    assert_int_equal(a->fills, fills);
    assert_int_equal(a->updates, updates);
}

/* 100 x 100 x 100 in tiles of 32: 3 of 32 and one of 4 along each dimension. Memory runs M outside
 * N outside K: both operands pass 4 times, the output once. */
static void hundred_cubed(void **state)
{
    const sc_count_options o = SC_COUNT_OPTIONS_INIT;
    const sc_einsum e = count_einsum("M100 N100 K100", "I M,K", "W K,N", "O M,N");
    const sc_arch a = two_levels(1);
    sc_mapping m = {.n_levels = 2};
    sc_counts c;
    m.level[0].temporal = (sc_loops){3, {2, 1, 0}, {4, 4, 4}};
    m.level[1].temporal = (sc_loops){3, {2, 1, 0}, {32, 32, 32}};
    m.level[0].keep = m.level[1].keep = 7;
    assert_int_equal(sc_mapping_check(&m, &e, &a), SC_OK);
    assert_int_equal(sc_count(&c, &e, &a, &m, &o), SC_OK);
    assert_int_equal(c.macs, 1000000);
    assert_int_equal(c.compute_cycles, 1000000);
    assert_access(&c.at[0][0], 10000, 40000, 0, 0);
    assert_access(&c.at[0][1], 10000, 40000, 0, 0);
    assert_access(&c.at[0][2], 10000, 0, 0, 10000);
    assert_access(&c.at[1][0], 1024, 1000000, 40000, 0);
    assert_access(&c.at[1][1], 1024, 1000000, 40000, 0);
    assert_access(&c.at[1][2], 1024, 990000, 0, 1000000);
}

/* M7 over 4 MACs in 2 steps: the last step has 3 children, the fourth is idle. N3 and K5 in time
 * outside: 30 steps with 4 or 3 children, 105 MACs. A weight goes to all of them at once. */
static void idle_children(void **state)
{
    sc_count_options o = SC_COUNT_OPTIONS_INIT;
    const sc_einsum e = count_einsum("M7 N3 K5", "I M,K", "W K,N", "O M,N");
    sc_arch a = two_levels(4);
    sc_mapping m = {.n_levels = 2};
    sc_counts c;
    m.level[1].temporal = (sc_loops){3, {0, 1, 2}, {2, 3, 5}};
    m.level[1].spatial = (sc_loops){1, {0}, {4}};
    m.level[1].split = 1;
    m.level[0].keep = m.level[1].keep = 7;
    assert_int_equal(sc_count(&c, &e, &a, &m, &o), SC_OK);
    assert_int_equal(c.macs, 105);
    assert_int_equal(c.used_macs, 4);
    assert_int_equal(c.compute_cycles, 30);
    assert_access(&c.at[1][0], 35, 105, 35, 0);
    assert_access(&c.at[1][1], 15, 30, 15, 0);
    assert_access(&c.at[1][2], 21, 84, 0, 105);
    a.level[1].no_multicast = true;
    assert_int_equal(sc_count(&c, &e, &a, &m, &o), SC_OK);
    assert_int_equal(c.at[1][1].reads, 105);
    o.pad = true; /* one idle MAC in every other step is work now: M is 8 */
    assert_int_equal(sc_count(&c, &e, &a, &m, &o), SC_OK);
    assert_int_equal(c.macs, 120);
    assert_int_equal(c.compute_cycles, 30);
}

/* A window of 3 over 7 outputs in tiles of 3, 3 and 1: tiles of 5, 5 and 3 columns, each of which
 * shares 2 with the one before. */
static void sliding_window(void **state)
{
    const sc_count_options o = SC_COUNT_OPTIONS_INIT;
    const sc_einsum e = count_einsum("P7 R3", "I P+R", "W R", "O P");
    const sc_arch a = two_levels(1);
    sc_mapping m = {.n_levels = 2};
    sc_counts c;
    m.level[0].temporal = (sc_loops){1, {0}, {3}};
    m.level[1].temporal = (sc_loops){2, {1, 0}, {3, 3}};
    m.level[0].keep = m.level[1].keep = 7;
    assert_int_equal(sc_count(&c, &e, &a, &m, &o), SC_OK);
    assert_access(&c.at[0][0], 9, 5 + 3 + 1, 0, 0);
    assert_access(&c.at[1][0], 5, 21, 9, 0);
}

static void rejected(void **state)
{
    const sc_count_options o = SC_COUNT_OPTIONS_INIT;
    sc_einsum e = count_einsum("P5 Q2 R2", "I P+Q+R", "W R", "O P");
    sc_arch a = two_levels(12);
    sc_mapping m = {.n_levels = 2};
    sc_counts c;
    m.level[1].spatial = (sc_loops){3, {0, 1, 2}, {3, 2, 2}};
    m.level[1].temporal = (sc_loops){1, {0}, {2}};
    m.level[1].split = 3;
    m.level[0].keep = m.level[1].keep = 7;
    (void)memcpy(a.level[1].name, "buffer", 7);
    assert_int_equal(sc_count(&c, &e, &a, &m, &o), SC_EINVAL);
    assert_says("level buffer: spatial loops with a remainder move tensor 0 along one rank");
    e.bound[0] = 6; /* all divides */
    assert_int_equal(sc_count(&c, &e, &a, &m, &o), SC_OK);
    e = count_einsum("M3 N3 K3", "I M,K", "W K,N", "O M,N");
    m = (sc_mapping){.n_levels = 2};
    m.level[0].keep = m.level[1].keep = 7;
    for (unsigned d = 0; d < 3; d++) { /* 2^66 - ... MACs */
        e.bound[d] = (1ull << 22) - 1;
        m.level[0].temporal.dim[d] = m.level[1].temporal.dim[d] = (uint8_t)d;
        m.level[0].temporal.factor[d] = m.level[1].temporal.factor[d] = 1ull << 11;
    }
    m.level[0].temporal.n = m.level[1].temporal.n = 3;
    assert_int_equal(sc_count(&c, &e, &a, &m, &o), SC_ERANGE);
}

/* The walk is held against the engine where everything divides: it is the same rule. */
static void walk_where_all_divides(void **state)
{
    unsigned refused = 0;
    assert_true(compare(&refused, 32, 600, false) > 150);
    assert_int_equal(refused, 0);
}

/* Where everything divides, the classes give what the closed form gives, in averages too. */
static void classes_where_all_divides(void **state)
{
    uint64_t seed = 33;
    for (unsigned i = 0; i < 2000; i++) {
        sc_count_options o = SC_COUNT_OPTIONS_INIT;
        const sc_einsum e = count_random_einsum(&seed, i % COUNT_KINDS, 0);
        const sc_arch a = count_random_arch(&seed, 1 + (unsigned)random_below(&seed, 5), 64);
        const sc_mapping m = count_random_mapping(&seed, &e, &a);
        sc_counts direct, classes;
        sc_count_plan plan;
        sc_nest nest;
        o.reuse_pre_2025 = i % 3 == 0;
        o.charge_drain = i % 5 == 0;
        sc_count_plan_init(&plan, &e);
        sc_nest_build(&nest, &plan, &m);
        assert_int_equal(sc_count(&direct, &e, &a, &m, &o), SC_OK);
        assert_int_equal(sc_clip_count(&classes, &plan, &a, &m, &o, &nest), SC_OK);
        assert_same(&classes, &direct, &e, &a, &m);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(hundred_cubed),
        cmocka_unit_test(idle_children),
        cmocka_unit_test(sliding_window),
        cmocka_unit_test(rejected),
        cmocka_unit_test(every_step),
        cmocka_unit_test(word_by_word),
        cmocka_unit_test(walk_where_all_divides),
        cmocka_unit_test(classes_where_all_divides),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
