/* More hardware never gives a slower best mapping, as the exact mapper finds it: bandwidth,
 * capacity or children one step up, on random small designs. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "mapper_make.h"
#include "model/mapper/exact.h"

enum { PROBLEMS = 100, MAPPINGS = 3000 };

/* Least cycles, or least energy, of the problem on a design; negative if nothing fits. */
static double least(const oracle_problem *p, const sc_arch *a, sc_goal_kind kind)
{
    sc_exact_options o = SC_EXACT_OPTIONS_INIT;
    sc_exact x;
    o.goal.kind = kind;
    o.count = p->count;
    o.count.links = SC_LINKS_NONE; /* numbers of children change with the mesh */
    assert_int_equal(sc_exact_map(&x, &p->e, a, &o), SC_OK);
    assert_true(!x.found || x.optimal);
    return x.found ? x.value : -1;
}

static void never_more(const oracle_problem *p, const sc_arch *more, sc_goal_kind kind, double was)
{
    const double now = least(p, more, kind);
    if (now < 0 || now > was * (1 + 1e-12))
        fail_msg("%s: %.17g with more, %.17g before\n%s", sc_goal_name(kind), now, was,
                 mapper_describe(p));
}

static void one_bandwidth_up(const oracle_problem *p, double cycles)
{
    for (unsigned l = 0; l < p->a.n_levels; l++) {
        sc_arch more = p->a;
        more.level[l].read_bw *= 2;
        more.level[l].write_bw *= 1.5;
        more.level[l].shared_bw *= 3;
        never_more(p, &more, SC_GOAL_DELAY, cycles);
    }
}

/* With the energy of an access as it is, a larger buffer never takes more energy either. */
static void one_capacity_up(const oracle_problem *p, double cycles, double energy)
{
    for (unsigned l = 1; l < p->a.n_levels; l++) {
        sc_arch more = p->a;
        for (unsigned r = 0; r < SC_ROLES; r++)
            more.level[l].capacity[r] += more.level[l].capacity[r] / 2 + 1;
        never_more(p, &more, SC_GOAL_DELAY, cycles);
        never_more(p, &more, SC_GOAL_ENERGY, energy);
    }
}

/* Twice the children under one level: twice the instances of all levels inside, and MACs. */
static void one_grid_up(const oracle_problem *p, double cycles)
{
    for (unsigned l = 0; l < p->a.n_levels; l++) {
        sc_arch more = p->a;
        more.level[l].fanout_x *= 2;
        for (unsigned inner = l + 1; inner < p->a.n_levels; inner++)
            more.level[inner].instances *= 2;
        more.compute.instances *= 2;
        never_more(p, &more, SC_GOAL_DELAY, cycles);
    }
}

static void never_slower(void **state)
{
    unsigned fitted = 0;
    (void)state;
    for (uint64_t seed = 1; seed <= PROBLEMS; seed++) {
        oracle_problem p;
        mapper_problem(&p, seed, MAPPINGS);
        const double cycles = least(&p, &p.a, SC_GOAL_DELAY);
        const double energy = least(&p, &p.a, SC_GOAL_ENERGY);
        if (cycles < 0)
            continue;
        fitted++;
        one_bandwidth_up(&p, cycles);
        one_capacity_up(&p, cycles, energy);
        one_grid_up(&p, cycles);
    }
    assert_true(fitted > PROBLEMS / 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(never_slower)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
