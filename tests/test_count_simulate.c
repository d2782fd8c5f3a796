/* The engine against a run of the loop nest, word by word. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdbool.h>

#include "count_make.h"
#include "count_random.h"
#include "oracle_simulate.h"

static bool is_plain(const sc_tensor *t)
{
    for (unsigned r = 0; r < t->n_ranks; r++)
        if (t->rank[r].n_terms > 1 || t->rank[r].coef[0] > 1)
            return false;
    return true;
}

static void keep_all(sc_mapping *m, const sc_einsum *e)
{
    for (unsigned l = 0; l < m->n_levels; l++)
        m->level[l].keep = (uint8_t)((1u << e->n_tensors) - 1);
}

/* Reads of a level are what it serves; fills of a child what it receives. Partial sums: what a
 * child sees for the first time need not be read or filled. */
static void check_plain(const sc_counts *c, const sc_einsum *e, const sc_arch *a,
                        const sc_mapping *m, unsigned tensor)
{
    const bool is_output = tensor == e->output;
    uint64_t fresh = 1; /* words of the level's own instance that were never seen before */
    for (unsigned r = 0; r < e->tensor[tensor].n_ranks; r++)
        fresh *= e->bound[e->tensor[tensor].rank[r].dim[0]];
    for (unsigned l = 0; l < m->n_levels; l++) {
        const oracle_traffic t = oracle_simulate(e, tensor, m, l);
        const uint64_t children =
            c->used_instances[l] ? (l + 1 < m->n_levels ? c->used_instances[l + 1] : c->used_macs) /
                                       c->used_instances[l]
                                 : 0;
        const sc_access *here = &c->at[l][tensor];
        if (here->reads != t.served - (is_output ? fresh : 0) ||
            here->updates != (is_output ? t.served : 0))
            fail_msg("%s\n level %u, tensor %u: reads %llu updates %llu, served %llu fresh %llu",
                     count_describe(e, a, m), l, tensor, (unsigned long long)here->reads,
                     (unsigned long long)here->updates, (unsigned long long)t.served,
                     (unsigned long long)fresh);
        if (l + 1 == m->n_levels)
            break;
        const uint64_t known = is_output ? t.received - t.first : t.received;
        assert_int_equal(known % children, 0);
        if (c->at[l + 1][tensor].fills != known / children)
            fail_msg("%s\n level %u, tensor %u: fills %llu, received %llu of %llu children",
                     count_describe(e, a, m), l + 1, tensor,
                     (unsigned long long)c->at[l + 1][tensor].fills, (unsigned long long)known,
                     (unsigned long long)children);
        fresh = t.first / children;
    }
}

static void plain_tensors(void **state)
{
    const sc_count_options o = SC_COUNT_OPTIONS_INIT;
    uint64_t seed = 21;
    unsigned checked = 0;
    for (unsigned i = 0; i < 500; i++) {
        const sc_einsum e = count_random_einsum(&seed, i % 5, 0);
        const sc_arch a = count_random_arch(&seed, 1 + (unsigned)random_below(&seed, 4), 12);
        sc_mapping m = count_random_mapping(&seed, &e, &a);
        sc_counts c;
        keep_all(&m, &e);
        assert_int_equal(sc_count(&c, &e, &a, &m, &o), SC_OK);
        if (c.macs > 1500)
            continue;
        for (unsigned t = 0; t < e.n_tensors; t++)
            if (is_plain(&e.tensor[t]))
                check_plain(&c, &e, &a, &m, t);
        checked++;
    }
    assert_true(checked > 100);
}

/* Windows that slide: the rule gives up reuse that a buffer has when the stride changes, so with
 * loops of two iterations it never counts less than the run needs. */
static void windows_never_less(void **state)
{
    const sc_count_options o = SC_COUNT_OPTIONS_INIT;
    uint64_t seed = 22;
    unsigned checked = 0, equal = 0;
    for (unsigned i = 0; i < 1500; i++) {
        const sc_einsum e = count_einsum(i % 2 ? "R2 P4 C2" : "P8 R2 K2", i % 2 ? "W C,R" : "W K,R",
                                         i % 2 ? "I C,P+R" : "I P+R", i % 2 ? "O P" : "O K,P");
        const sc_arch a = count_random_arch(&seed, 2, 1);
        sc_mapping m = count_random_mapping(&seed, &e, &a);
        sc_counts c;
        bool twos = true;
        keep_all(&m, &e);
        for (unsigned l = 0; l < 2; l++)
            for (unsigned k = 0; k < m.level[l].temporal.n; k++)
                twos &= m.level[l].temporal.factor[k] <= 2;
        if (!twos)
            continue;
        assert_int_equal(sc_count(&c, &e, &a, &m, &o), SC_OK);
        const uint64_t needed = oracle_simulate(&e, 1, &m, 0).served;
        assert_true(c.at[0][1].reads >= needed);
        equal += c.at[0][1].reads == needed;
        checked++;
    }
    assert_true(checked > 200 && equal > 50);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(plain_tensors),
        cmocka_unit_test(windows_never_less),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
