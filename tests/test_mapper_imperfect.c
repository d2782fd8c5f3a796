/* The best of mappings whose factors need not divide: against a walk of all of them on small
 * problems, and by hand. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka wants the four above first */
#include <cmocka.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/mem.h"
#include "mapper_make.h"
#include "model/mapper/imperfect_space.h"
#include "model_support.h"

enum { M, N, K };
enum { MOST_TUPLES = 1024, MOST_COUNTED = 6000 };

/* ---- the walk: every factor from 1 to the bound in every block ---- */

typedef struct tuples {
    unsigned n;
    uint64_t at[MOST_TUPLES][2 * SC_MAX_LEVELS]; /* outermost first: time, space, time, .. */
} tuples;

typedef struct walk {
    const oracle_problem *p;
    tuples dim[SC_MAX_DIMS];
    sc_count_plan plan;
    sc_mapping m;
    sc_least least;
    uint64_t counted, refused, most;
    double best[ORACLE_GOALS], tie[ORACLE_GOALS];
} walk;

/* Factors reach the bound, and the last iteration of the outermost loop above 1 is needed. */
static bool covers(const uint64_t *f, unsigned n, uint64_t bound)
{
    uint64_t inside = 1;
    unsigned outer = 0;
    while (outer < n && f[outer] == 1)
        outer++;
    for (unsigned i = outer + 1; i < n; i++)
        inside *= f[i];
    if (outer == n)
        return bound == 1;
    return inside * f[outer] >= bound && inside * (f[outer] - 1) < bound;
}

static void list(tuples *t, uint64_t *f, unsigned block, const oracle_problem *p, unsigned d)
{
    const unsigned n = 2 * p->a.n_levels;
    if (t->n == MOST_TUPLES)
        return;
    if (block == n) {
        if (covers(f, n, p->e.bound[d]))
            memcpy(t->at[t->n++], f, n * sizeof *f);
        return;
    }
    const sc_level *v = &p->a.level[block / 2];
    const uint64_t most = block % 2 ? v->fanout_x * v->fanout_y : p->e.bound[d];
    for (f[block] = 1; f[block] <= most && f[block] <= p->e.bound[d]; f[block]++)
        list(t, f, block + 1, p, d);
}

static void swap(sc_loops *loops, unsigned i, unsigned j)
{
    const uint8_t dim = loops->dim[i];
    const uint64_t factor = loops->factor[i];
    loops->dim[i] = loops->dim[j];
    loops->factor[i] = loops->factor[j];
    loops->dim[j] = dim;
    loops->factor[j] = factor;
}

static void evaluate(walk *w)
{
    const oracle_problem *p = w->p;
    sc_counts counts;
    sc_cost cost;
    if (p->constrained && sc_map_constraints_check(&p->limits, &w->m, &p->e).code != SC_OBEYS)
        return;
    w->counted++;
    if (sc_count_with(&counts, &w->plan, &p->a, &w->m, &p->count) != SC_OK) {
        w->refused++;
        return;
    }
    sc_cost_of(&cost, &counts, (double)counts.compute_cycles, &p->e, &p->a);
    if (cost.cycles < w->least.cycles ||
        cost.energy_pj < w->least.energy_pj + w->least.leak_pj * cost.cycles)
        fail_msg("below the bound: %.17g pJ, %.17g cycles; %.17g, %.17g a cycle, %.17g\n%s",
                 cost.energy_pj, cost.cycles, w->least.energy_pj, w->least.leak_pj, w->least.cycles,
                 mapper_describe(p));
    for (unsigned g = 0; g < ORACLE_GOALS; g++) {
        const double value = oracle_value(p, g, cost.energy_pj, cost.cycles);
        const double tie = oracle_tie(g, cost.energy_pj, cost.cycles);
        if (value < w->best[g] || (value == w->best[g] && tie < w->tie[g])) {
            w->best[g] = value;
            w->tie[g] = tie;
        }
    }
}

static void walk_orders(walk *w, unsigned l, unsigned placed)
{
    if (w->counted > w->most)
        return;
    if (l == w->p->a.n_levels) {
        evaluate(w);
        return;
    }
    sc_loops *loops = &w->m.level[l].temporal;
    if (placed >= loops->n) {
        walk_orders(w, l + 1, 0);
        return;
    }
    for (unsigned i = placed; i < loops->n; i++) {
        swap(loops, placed, i);
        walk_orders(w, l, placed + 1);
        swap(loops, placed, i);
    }
}

static void walk_kept(walk *w, unsigned l)
{
    const unsigned all = (1u << w->p->e.n_tensors) - 1;
    if (l == w->p->a.n_levels) {
        if (sc_mapping_check(&w->m, &w->p->e, &w->p->a) != SC_OK)
            fail_msg("%s", sc_error_message());
        if (sc_mapping_fit(&w->m, &w->p->e, &w->p->a).code == SC_FITS)
            walk_orders(w, 0, 0);
        return;
    }
    for (unsigned keep = l == 0 ? all : 0; keep <= all && w->counted <= w->most; keep++) {
        w->m.level[l].keep = (uint8_t)keep;
        walk_kept(w, l + 1);
    }
}

/* Every order of spatial loops and every split of each. */
static void walk_sides(walk *w, unsigned l, unsigned placed)
{
    if (l == w->p->a.n_levels) {
        walk_kept(w, 0);
        return;
    }
    sc_block *b = &w->m.level[l];
    if (placed == b->spatial.n) {
        for (b->split = 0; b->split <= b->spatial.n; b->split++) {
            uint64_t side[2] = {1, 1};
            for (unsigned i = 0; i < b->spatial.n; i++)
                side[i >= b->split] *= b->spatial.factor[i];
            if (side[0] <= w->p->a.level[l].fanout_x && side[1] <= w->p->a.level[l].fanout_y)
                walk_sides(w, l + 1, 0);
        }
        return;
    }
    for (unsigned i = placed; i < b->spatial.n; i++) {
        swap(&b->spatial, placed, i);
        walk_sides(w, l, placed + 1);
        swap(&b->spatial, placed, i);
    }
}

static void append(sc_loops *loops, unsigned d, uint64_t f)
{
    if (f == 1)
        return;
    loops->dim[loops->n] = (uint8_t)d;
    loops->factor[loops->n++] = f;
}

static void walk_dims(walk *w, unsigned d)
{
    if (w->counted > w->most)
        return;
    if (d == w->p->e.n_dims) {
        walk_sides(w, 0, 0);
        return;
    }
    for (unsigned i = 0; i < w->dim[d].n; i++) {
        const sc_mapping before = w->m;
        for (unsigned l = 0; l < w->p->a.n_levels; l++) {
            append(&w->m.level[l].temporal, d, w->dim[d].at[i][2 * l]);
            append(&w->m.level[l].spatial, d, w->dim[d].at[i][2 * l + 1]);
        }
        walk_dims(w, d + 1);
        w->m = before;
    }
}

static void least_of(sc_least *out, const oracle_problem *p)
{
    sc_exact_options o = SC_EXACT_OPTIONS_INIT;
    sc_arena *arena = NULL;
    sc_space x;
    o.constraints = p->constrained ? &p->limits : NULL;
    assert_int_equal(sc_arena_create(&arena, 1 << 16), SC_OK);
    assert_int_equal(sc_space_init(&x, arena, &p->e, &p->a, &o), SC_OK);
    sc_least_of(out, &x);
    sc_arena_destroy(arena);
}

/* @return false if there are too many. */
static bool walk_all(walk *w, const oracle_problem *p)
{
    memset(w, 0, sizeof *w);
    w->p = p;
    w->most = MOST_COUNTED;
    w->m.n_levels = (uint8_t)p->a.n_levels;
    least_of(&w->least, p);
    for (unsigned g = 0; g < ORACLE_GOALS; g++)
        w->best[g] = w->tie[g] = HUGE_VAL;
    for (unsigned d = 0; d < p->e.n_dims; d++) {
        uint64_t f[2 * SC_MAX_LEVELS];
        list(&w->dim[d], f, 0, p, d);
        if (w->dim[d].n == MOST_TUPLES)
            return false;
    }
    sc_count_plan_init(&w->plan, &p->e);
    walk_dims(w, 0);
    return w->counted <= w->most;
}

static void check_found(const sc_imperfect *f, const oracle_problem *p)
{
    assert_int_equal(sc_mapping_check(&f->best.mapping, &p->e, &p->a), SC_OK);
    assert_int_equal(sc_mapping_fit(&f->best.mapping, &p->e, &p->a).code, SC_FITS);
    if (p->constrained)
        assert_int_equal(sc_map_constraints_check(&p->limits, &f->best.mapping, &p->e).code,
                         SC_OBEYS);
    if (f->perfect_found)
        assert_true(f->best.value <= f->perfect_value * (1 + 1e-12));
}

static void random_spaces(void **state)
{
    static walk w;
    unsigned walked = 0, gained = 0, constrained = 0, short_of = 0;
    for (uint64_t seed = 1; seed <= 400 && walked < 16; seed++) {
        oracle_problem p;
        mapper_problem(&p, seed, 1500);
        p.count.links = SC_LINKS_NONE;
        if (seed % 3 == 0)
            mapper_limits(&p, seed);
        if (!walk_all(&w, &p))
            continue;
        walked++;
        constrained += p.constrained;
        for (unsigned g = 0; g < ORACLE_GOALS; g++) {
            static sc_imperfect f;
            sc_exact_options o = SC_EXACT_OPTIONS_INIT;
            o.goal = (sc_goal){(sc_goal_kind)g, p.energy_weight, p.cycle_weight};
            o.count = p.count;
            o.constraints = p.constrained ? &p.limits : NULL;
            assert_int_equal(sc_imperfect_map(&f, &p.e, &p.a, &o), SC_OK);
            assert_true(f.walked);
            if (f.best.found != (w.best[g] < HUGE_VAL) ||
                (f.best.found &&
                 (f.best.value != w.best[g] ||
                  sc_goal_tie(&o.goal, f.best.cost.energy_pj, f.best.cost.cycles) != w.tie[g])))
                fail_msg("seed %llu, %s: %.17g, walked %.17g of %llu\n%s", (unsigned long long)seed,
                         sc_goal_name(o.goal.kind), f.best.value, w.best[g],
                         (unsigned long long)w.counted, mapper_describe(&p));
            if (!f.best.found)
                continue;
            check_found(&f, &p);
            assert_true(f.best.optimal || w.refused > 0);
            gained += f.perfect_found && f.best.value < f.perfect_value * (1 - 1e-9);
            o.node_budget = 40; /* claims no more than it may, whatever it finds */
            assert_int_equal(sc_imperfect_map(&f, &p.e, &p.a, &o), SC_OK);
            assert_true(f.best.bound <= w.best[g] * (1 + 1e-9));
            assert_true(!f.best.optimal || f.best.value <= w.best[g] * (1 + 1e-9));
            short_of += f.best.found && f.best.value > w.best[g] * (1 + 1e-9);
        }
    }
    assert_true(walked >= 14 && gained > 2 && constrained > 2 && short_of > 0);
}

/* 7 positions on 4 lanes: two steps, of 4 and 3. With perfect factors 7 steps. */
static void lanes_by_hand(void **state)
{
    const sc_einsum e = gemm_einsum(7, 1, 1);
    sc_arch a = grid_arch(4, 1, 64, 0.0);
    sc_exact_options o = SC_EXACT_OPTIONS_INIT;
    sc_imperfect f;
    uint64_t last[SC_MAX_LEVELS][2][SC_MAX_DIMS];
    o.goal.kind = SC_GOAL_DELAY;
    o.node_budget = 10000;
    assert_int_equal(sc_imperfect_map(&f, &e, &a, &o), SC_OK);
    assert_true(f.best.found && f.best.optimal && f.walked);
    assert_true(f.best.value == 2 && f.perfect_value == 7 && f.perfect_optimal);
    assert_int_equal(f.best.counts.macs, 7);
    sc_mapping m = {.n_levels = 2};
    m.level[0].temporal = (sc_loops){1, {M}, {2}};
    m.level[0].spatial = (sc_loops){1, {M}, {4}};
    sc_last_iterations(last, &m, &e);
    assert_int_equal(last[0][0][M], 2);
    assert_int_equal(last[0][1][M], 3); /* of 4: 7 = 4 + 3 */
    assert_int_equal(last[1][0][M], 1);
    assert_int_equal(last[0][0][N], 1);
}

/* 101 * 103 * 107 on 8 x 8: 14 rows of 8 for 107, 13 for 103 and 101 steps: 18382 cycles at least,
 * as 13 * 13 * 107 and 13 * 14 * 103 are more. Far too many to walk; the bound proves it. */
static void proved_by_the_bound(void **state)
{
    const sc_einsum e = gemm_einsum(101, 103, 107);
    const sc_arch a = grid_arch(8, 8, 4096, 0.0);
    sc_exact_options o = SC_EXACT_OPTIONS_INIT;
    sc_imperfect f;
    double least = HUGE_VAL;
    const uint64_t bound[3] = {101, 103, 107};
    for (uint64_t x = 1; x <= 64; x++) /* lanes of M, N and K, all 64 of them */
        for (uint64_t y = 1; y <= 64 / x; y++) {
            const uint64_t lanes[3] = {x, y, 64 / x / y};
            double steps = 1;
            for (unsigned d = 0; d < 3; d++)
                steps *= ceil((double)bound[d] / (double)lanes[d]);
            least = fmin(least, steps);
        }
    o.goal.kind = SC_GOAL_DELAY;
    o.node_budget = 8000;
    assert_int_equal(sc_imperfect_map(&f, &e, &a, &o), SC_OK);
    assert_true(f.best.found && !f.walked && f.best.bound == least);
    assert_true(f.best.value < 1.05 * least && f.perfect_value > 10 * least);
    assert_int_equal(f.best.optimal, f.best.value == least);
    o.goal.kind = SC_GOAL_EDP;
    assert_int_equal(sc_imperfect_map(&f, &e, &a, &o), SC_OK);
    assert_true(f.best.value < f.perfect_value / 4 && f.best.bound < f.best.value);
    assert_false(f.best.optimal);
}

static void out_of_memory(void **state)
{
    const sc_einsum e = gemm_einsum(3, 1, 1);
    const sc_arch a = grid_arch(2, 1, 64, 0.0);
    sc_exact_options o = SC_EXACT_OPTIONS_INIT;
    sc_imperfect f;
    const long before = sc_mem_live();
    long failed = 0;
    sc_status st;
    for (;; failed++) {
        sc_mem_fail_after(failed);
        st = sc_imperfect_map(&f, &e, &a, &o);
        sc_mem_fail_after(-1);
        assert_int_equal(sc_mem_live(), before);
        if (st != SC_ENOMEM)
            break;
    }
    assert_int_equal(st, SC_OK);
    assert_true(failed > 4);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_spaces),
        cmocka_unit_test(lanes_by_hand),
        cmocka_unit_test(proved_by_the_bound),
        cmocka_unit_test(out_of_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
