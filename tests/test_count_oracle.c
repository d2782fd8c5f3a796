/* The closed form against the reference's recursion, on thousands of random mappings. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "count_make.h"
#include "count_random.h"
#include "oracle_recursion.h"

/* Small enough for the oracle: few loops, and of two iterations if every one is to be walked. */
static bool is_small(const sc_mapping *m, int every_step)
{
    unsigned n = 0;
    for (unsigned l = 0; l < m->n_levels; l++)
        for (unsigned i = 0; i < m->level[l].temporal.n; i++) {
            n += m->level[l].temporal.factor[i] > 1;
            if (every_step && m->level[l].temporal.factor[i] > 2)
                return false;
        }
    return n <= 8;
}

static void assert_same(const sc_counts *ours, const sc_counts *theirs, const sc_einsum *e,
                        const sc_arch *a, const sc_mapping *m)
{
    for (unsigned l = 0; l < m->n_levels; l++) {
        assert_int_equal(ours->used_instances[l], theirs->used_instances[l]);
        for (unsigned i = 0; i < e->n_tensors; i++) {
            const sc_access *x = &ours->at[l][i], *y = &theirs->at[l][i];
            if (memcmp(x, y, sizeof *x) != 0)
                fail_msg("%s\n  level %u, tensor %u: tile %llu reads %llu fills %llu updates %llu, "
                         "oracle %llu %llu %llu %llu",
                         count_describe(e, a, m), l, i, (unsigned long long)x->tile,
                         (unsigned long long)x->reads, (unsigned long long)x->fills,
                         (unsigned long long)x->updates, (unsigned long long)y->tile,
                         (unsigned long long)y->reads, (unsigned long long)y->fills,
                         (unsigned long long)y->updates);
        }
    }
    assert_int_equal(ours->macs, theirs->macs);
    assert_int_equal(ours->used_macs, theirs->used_macs);
    assert_int_equal(ours->compute_cycles, theirs->compute_cycles);
}

/* Do links change anything here? */
static bool links_matter(const sc_counts *with, const sc_einsum *e, const sc_arch *a,
                         const sc_mapping *m, sc_count_options o)
{
    sc_counts without;
    o.links = SC_LINKS_NONE;
    assert_int_equal(sc_count(&without, e, a, m, &o), SC_OK);
    return memcmp(without.at, with->at, sizeof without.at) != 0;
}

/* Random ops, designs and mappings under one rule; `most` children under a level. @return how many
 * were compared, or with links how many of them came out otherwise than without. */
static unsigned compare(uint64_t seed, unsigned rounds, sc_count_options o, uint64_t most, int twos,
                        int every_step)
{
    unsigned done = 0;
    for (unsigned i = 0; i < rounds; i++) {
        const sc_einsum e = count_random_einsum(&seed, i % COUNT_KINDS, twos);
        sc_arch a = count_random_arch(&seed, 1 + (unsigned)random_below(&seed, 5), most);
        sc_mapping m = count_random_mapping(&seed, &e, &a);
        sc_counts ours, theirs;
        sc_block *some = &m.level[random_below(&seed, a.n_levels)];
        if (random_below(&seed, 4) == 0)
            some->diagonal = (uint8_t)(1u << random_below(&seed, 4));
        a.level[random_below(&seed, a.n_levels)].no_multicast = random_below(&seed, 8) == 0;
        a.level[random_below(&seed, a.n_levels)].no_reduction = random_below(&seed, 8) == 0;
        o.reuse_pre_2025 = random_below(&seed, 3) == 0;
        o.charge_drain = random_below(&seed, 3) == 0;
        o.charge_first_read = random_below(&seed, 3) == 0;
        if (!is_small(&m, every_step))
            continue;
        assert_int_equal(sc_mapping_check(&m, &e, &a), SC_OK);
        if (sc_count(&ours, &e, &a, &m, &o) != SC_OK)
            fail_msg("%s", sc_error_message());
        oracle_recursion(&theirs, &e, &a, &m, &o, every_step);
        assert_same(&ours, &theirs, &e, &a, &m);
        done += o.links == SC_LINKS_NONE || links_matter(&ours, &e, &a, &m, o);
    }
    return done;
}

static void without_links(void **state)
{
    sc_count_options o = SC_COUNT_OPTIONS_INIT;
    assert_true(compare(1, 3000, o, 24, 0, 0) > 2000);
}

static void reference_links(void **state)
{
    sc_count_options o = SC_COUNT_OPTIONS_INIT;
    o.links = SC_LINKS_REFERENCE;
    assert_true(compare(2, 3000, o, 24, 0, 0) > 300);
}

static void true_links(void **state)
{
    sc_count_options o = SC_COUNT_OPTIONS_INIT;
    o.links = SC_LINKS_TRUE;
    assert_true(compare(3, 3000, o, 24, 0, 0) > 300);
}

/* Windows on an array: a read-only tensor's share is a sum of quotients, one a group size, and the
 * reference cuts it to a whole number, sometimes the one below. */
static void window_shares(void **state)
{
    sc_count_options o = SC_COUNT_OPTIONS_INIT;
    unsigned below = 0;
    for (unsigned i = 0; i < 600; i++) {
        const uint64_t r = 2 + i % 4, p = 2 + i / 4 % 13, c = 1 + i % 7, k = 1 + i % 2;
        char dims[64];
        (void)snprintf(dims, sizeof dims, "R%u P%u C%u K%u", (unsigned)r, (unsigned)p, i + 1,
                       (unsigned)(c * k));
        const sc_einsum e = count_einsum(dims, "I C,P+R", "W R,C", "O P,K");
        sc_arch a = {.n_levels = 2};
        a.level[0].fanout_x = r * p * k;
        a.level[0].fanout_y = 1;
        sc_mapping m = {.n_levels = 2};
        m.level[0].spatial = (sc_loops){3, {0, 1, 3}, {r, p, k}};
        m.level[0].split = 3;
        m.level[0].temporal = (sc_loops){1, {3}, {c}};
        m.level[1].temporal = (sc_loops){1, {2}, {i + 1}};
        m.level[0].keep = m.level[1].keep = 7;
        sc_counts ours, theirs;
        o.links = SC_LINKS_REFERENCE;
        assert_int_equal(sc_count(&ours, &e, &a, &m, &o), SC_OK);
        oracle_recursion(&theirs, &e, &a, &m, &o, 0);
        assert_same(&ours, &theirs, &e, &a, &m);
        o.links = SC_LINKS_NONE;
        assert_int_equal(sc_count(&theirs, &e, &a, &m, &o), SC_OK);
        below += ours.at[1][0].fills + 1 == theirs.at[1][0].fills;
    }
    assert_true(below > 0);
}

/* Three loops on one rank over an array, inside it a level that keeps nothing and whose children
 * hand words on: group sizes are then known only in sum. */
static void tangled_and_linked(void **state)
{
    sc_count_options o = SC_COUNT_OPTIONS_INIT;
    const sc_einsum e = count_einsum("P16 Q2 R6", "I P+Q+R", "W R,Q", "O P");
    sc_arch a = {.n_levels = 3};
    sc_mapping m = {.n_levels = 3};
    a.level[0].fanout_x = 8;
    a.level[1].fanout_x = 4;
    for (unsigned l = 0; l < 3; l++)
        a.level[l].fanout_y = 1;
    m.level[0].spatial = (sc_loops){3, {0, 1, 2}, {2, 2, 2}};
    m.level[0].split = 3;
    m.level[1].spatial = (sc_loops){1, {0}, {4}};
    m.level[1].split = 1;
    m.level[1].temporal = (sc_loops){2, {2, 0}, {3, 2}};
    m.level[0].keep = m.level[2].keep = 7;
    for (uint8_t keep = 0; keep < 8; keep++)
        for (unsigned links = SC_LINKS_NONE; links <= SC_LINKS_REFERENCE; links++) {
            sc_counts ours, theirs;
            o.links = (sc_links)links;
            m.level[1].keep = keep;
            assert_int_equal(sc_count(&ours, &e, &a, &m, &o), SC_OK);
            oracle_recursion(&theirs, &e, &a, &m, &o, 0);
            assert_same(&ours, &theirs, &e, &a, &m);
            assert_true(links == SC_LINKS_NONE || links_matter(&ours, &e, &a, &m, o));
        }
}

/* With factors of 2 the first two iterations are all there are, so the recursion that walks every
 * step must agree too. */
static void every_iteration(void **state)
{
    sc_count_options o = SC_COUNT_OPTIONS_INIT;
    assert_true(compare(4, 2500, o, 8, 1, 1) > 600);
    o.links = SC_LINKS_TRUE;
    assert_true(compare(5, 2500, o, 8, 1, 1) > 60);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(without_links),      cmocka_unit_test(reference_links),
        cmocka_unit_test(true_links),         cmocka_unit_test(window_shares),
        cmocka_unit_test(tangled_and_linked), cmocka_unit_test(every_iteration),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
