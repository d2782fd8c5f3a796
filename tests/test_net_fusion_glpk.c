/* The fusion solver against GLPK, on problems that are too large for a walk of all choices. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka wants the four above first */
#include <cmocka.h>
#include <math.h>

#include "fusion_glpk.h"
#include "fusion_make.h"

enum { MOST_MS = 200 };

static void test_the_optimum_is_that_of_an_integer_program(void **state)
{
    static made_fusion m;
    int finished = 0, improved = 0, large = 0;
    for (uint64_t i = 0; i < 40; i++) {
        sc_rng r;
        sc_fusion_solution s;
        const sc_fusion_options o = SC_FUSION_OPTIONS_INIT;
        sc_rng_init(&r, 11, 1, i);
        make_fusion(&m, &r, (enum fusion_shape)(i % SHAPES), 6 + i / SHAPES * 4);
        if (sc_fusion_solve(&s, &m.p, &o) != SC_OK)
            fail_msg("%s", sc_error_message());
        const glpk_fusion g = solve_by_glpk(&m.p, MOST_MS);
        assert_true(s.value.feasible && s.proved);
        assert_true(s.value.cycles <= g.cycles * (1.0 + 1e-6));
        if (g.finished) {
            assert_true(fabs(s.value.cycles - g.cycles) <= 1e-6 * g.cycles);
            finished++;
            large += s.binaries >= 60;
        }
        improved += s.value.cycles < s.plain_cycles;
        sc_fusion_solution_clear(&s);
    }
    assert_true(finished >= 30);
    assert_true(large >= 8);
    assert_true(improved >= 35);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_the_optimum_is_that_of_an_integer_program),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
