/* The fusion solver: by hand, against all choices of small problems, its bound, its rejections. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka wants the four above first */
#include <cmocka.h>
#include <math.h>
#include <string.h>

#include "core/mem.h"
#include "fusion_make.h"

static sc_fusion_solution solve(const sc_fusion_problem *p, double gap)
{
    sc_fusion_solution s;
    sc_fusion_options o = SC_FUSION_OPTIONS_INIT;
    o.gap = gap;
    if (sc_fusion_solve(&s, p, &o) != SC_OK)
        fail_msg("%s", sc_error_message());
    return s;
}

/* Every random problem of few enough decisions, of every shape, has the optimum of the walk over
 * all of them, and says that it has. */
static void against_all_choices(size_t most, uint64_t problems, double gap)
{
    static made_fusion m;
    uint64_t n = 0, gained = 0, bound_by_room = 0;
    for (uint64_t i = 0; n < problems; i++) {
        sc_rng r;
        sc_rng_init(&r, 7, 1, i);
        make_fusion(&m, &r, (enum fusion_shape)(i % SHAPES), 2 + i / SHAPES % 9);
        if (fusion_decisions(&m.p) > most)
            continue;
        n++;
        sc_fusion_solution s = solve(&m.p, gap);
        const double best = brute_fusion(&m.p);
        assert_true(s.value.feasible);
        assert_true(s.proved);
        assert_int_equal(s.binaries, fusion_decisions(&m.p));
        if (s.value.cycles < best || s.value.cycles > best * (1.0 + gap) ||
            s.bound_cycles > best * (1.0 + 1e-12))
            fail_msg("problem %llu: %.17g, bound %.17g, of all choices %.17g",
                     (unsigned long long)i, s.value.cycles, s.bound_cycles, best);
        gained += s.value.cycles < s.plain_cycles;
        m.p.capacity_bytes *= 100.0;
        sc_fusion_solution all = solve(&m.p, gap);
        bound_by_room += all.value.cycles < s.value.cycles;
        sc_fusion_solution_clear(&all);
        sc_fusion_solution_clear(&s);
    }
    assert_true(gained > problems / 2);
    assert_true(bound_by_room > problems / 3);
}

static void test_small_problems_are_solved_as_by_walking_all_choices(void **state)
{
    against_all_choices(11, 4000, 1e-6);
}

static void test_larger_problems_are_solved_as_by_walking_all_choices(void **state)
{
    against_all_choices(16, 60, 0.0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_small_problems_are_solved_as_by_walking_all_choices),
        cmocka_unit_test(test_larger_problems_are_solved_as_by_walking_all_choices),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
