/* The heuristic mapper under constraints: against a walk of all padded mappings of small problems,
 * against its own free mappings asked for again, and limits that rule out all, by hand. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka wants the four above first */
#include <cmocka.h>
#include <string.h>

#include "core/rng.h"
#include "mapper_make.h"
#include "model/mapper/array.h"
#include "model/mapper/mapper.h"
#include "model_support.h"

enum { M, N, K };
enum { IN, WEIGHT, OUT };

/* ---- a walk of every padded mapping, with factors up to the bounds ---- */

typedef struct walk {
    const sc_einsum *e;
    const sc_arch *a;
    const sc_map_constraints *c;
    uint64_t factor[SC_MAX_LEVELS][2][SC_MAX_DIMS]; /* in time, in space */
    sc_mapping m;
    sc_dataflow flow;
    bool found;
} walk;

static void gather(sc_loops *loops, const uint64_t *factor, int n_dims)
{
    loops->n = 0;
    for (int d = 0; d < n_dims; d++)
        if (factor[d] > 1) {
            loops->dim[loops->n] = (uint8_t)d;
            loops->factor[loops->n++] = factor[d];
        }
}

static void swap(sc_loops *loops, int i, int j)
{
    const uint8_t dim = loops->dim[i];
    const uint64_t factor = loops->factor[i];
    loops->dim[i] = loops->dim[j];
    loops->factor[i] = loops->factor[j];
    loops->dim[j] = dim;
    loops->factor[j] = factor;
}

static void walk_kept(walk *w, int level)
{
    const int registers = sc_array_level(w->a) >= 0 ? (int)w->a->n_levels - 1 : -1;
    if (level == (int)w->a->n_levels) {
        w->found |= sc_mapping_fit_padded(&w->m, w->e, w->a).code == SC_FITS &&
                    sc_map_constraints_check(w->c, &w->m, w->e).code == SC_OBEYS;
        return;
    }
    for (unsigned keep = level == 0 ? 7 : 0; keep < 8 && !w->found; keep++) {
        if (level == registers && keep != 1u << sc_array_stationary(w->e, w->flow))
            continue;
        w->m.level[level].keep = (uint8_t)keep;
        walk_kept(w, level + 1);
    }
}

static bool on_the_array(const walk *w, const sc_block *b)
{
    for (int i = 0; i < b->spatial.n; i++) {
        const sc_array_place place = sc_array_place_of(w->e, w->flow, b->spatial.dim[i]);
        if (place != (i < b->split ? SC_PLACE_COLUMNS : SC_PLACE_ROWS))
            return false;
    }
    return true;
}

static void walk_sides(walk *w, int level, int placed)
{
    sc_block *b = &w->m.level[level];
    if (level == (int)w->a->n_levels) {
        walk_kept(w, 0);
        return;
    }
    if (placed < b->spatial.n) {
        for (int i = placed; i < b->spatial.n && !w->found; i++) {
            swap(&b->spatial, placed, i);
            walk_sides(w, level, placed + 1);
            swap(&b->spatial, placed, i);
        }
        return;
    }
    for (b->split = 0; b->split <= b->spatial.n && !w->found; b->split++)
        if (level != sc_array_level(w->a) || on_the_array(w, b))
            walk_sides(w, level + 1, 0);
}

static void walk_orders(walk *w, int level, int placed)
{
    if (level == (int)w->a->n_levels) {
        walk_sides(w, 0, 0);
        return;
    }
    sc_loops *loops = &w->m.level[level].temporal;
    const sc_loop_limits *asked = &w->c->level[level].temporal;
    if (placed >= loops->n || asked->n_inner + asked->n_outer == 0) {
        walk_orders(w, level + 1, 0);
        return;
    }
    for (int i = placed; i < loops->n && !w->found; i++) {
        swap(loops, placed, i);
        walk_orders(w, level, placed + 1);
        swap(loops, placed, i);
    }
}

static void walk_flows(walk *w)
{
    for (int l = 0; l < (int)w->a->n_levels; l++) {
        gather(&w->m.level[l].temporal, w->factor[l][0], w->e->n_dims);
        gather(&w->m.level[l].spatial, w->factor[l][1], w->e->n_dims);
    }
    for (int f = 0; f < SC_DATAFLOWS && !w->found; f++) {
        w->flow = (sc_dataflow)f;
        if (sc_array_level(w->a) < 0 || w->a->compute.dataflows >> f & 1)
            walk_orders(w, 0, 0);
    }
}

static bool allowed(const sc_loop_limits *l, int d, uint64_t f)
{
    return (l->fixed[d] == 0 || f == l->fixed[d]) && f >= l->min[d] &&
           (l->max[d] == 0 || f <= l->max[d]);
}

static void walk_factors(walk *w, int d, int block, uint64_t product)
{
    if (w->found)
        return;
    if (block == 2 * (int)w->a->n_levels) {
        if (product >= w->e->bound[d] && d + 1 < w->e->n_dims)
            walk_factors(w, d + 1, 0, 1);
        else if (product >= w->e->bound[d])
            walk_flows(w);
        return;
    }
    const sc_level *l = &w->a->level[block / 2];
    const sc_level_limits *limits = &w->c->level[block / 2];
    const uint64_t most = block % 2 ? l->fanout_x * l->fanout_y : w->e->bound[d];
    for (uint64_t f = 1; f <= w->e->bound[d] && f <= most; f++)
        if (allowed(block % 2 ? &limits->spatial : &limits->temporal, d, f)) {
            w->factor[block / 2][block % 2][d] = f;
            walk_factors(w, d, block + 1, product * f);
        }
}

static bool any_mapping(const oracle_problem *p)
{
    walk w = {.e = &p->e, .a = &p->a, .c = &p->limits, .m.n_levels = (uint8_t)p->a.n_levels};
    walk_factors(&w, 0, 0, 1);
    return w.found;
}

/* ---- random problems ---- */

static void make(oracle_problem *p, uint64_t seed)
{
    sc_rng r;
    memset(p, 0, sizeof *p);
    sc_rng_init(&r, 5, 1, seed);
    const uint64_t m = 2 + gsl_rng_uniform_int(&r.gsl, 2), n = 1 + gsl_rng_uniform_int(&r.gsl, 3);
    p->e = gemm_einsum(m, n, 2);
    const uint64_t x = 1 + gsl_rng_uniform_int(&r.gsl, 3), y = 1 + gsl_rng_uniform_int(&r.gsl, 3);
    const uint64_t bytes = 6 + gsl_rng_uniform_int(&r.gsl, 20);
    p->a = seed % 2 ? grid_arch(x, y, bytes, 0.0) : array_arch(x, y, 2 * bytes);
    mapper_limits(p, seed);
    if (seed % 3 == 0) /* all steps are given out elsewhere */
        p->limits.level[0].temporal.fixed[M] = 1;
    if (seed % 6 == 0)
        p->limits.level[0].temporal.max[N] = 1;
}

static void check_mapped(const sc_mapped *m, const oracle_problem *p, const sc_map_options *o)
{
    sc_mapped again;
    assert_int_equal(sc_mapping_check(&m->mapping, &m->padded, &p->a), SC_OK);
    assert_int_equal(sc_mapping_fit(&m->mapping, &m->padded, &p->a).code, SC_FITS);
    assert_int_equal(sc_map_constraints_check(o->constraints, &m->mapping, &p->e).code, SC_OBEYS);
    for (int d = 0; d < p->e.n_dims; d++)
        assert_true(m->padded.bound[d] >= p->e.bound[d]);
    assert_true(m->total_cycles >= sc_map_tight_bound(&p->e, &p->a, 1.0, 0));
    assert_int_equal(sc_map_score(&again, &m->padded, &p->a, &m->mapping, o), SC_OK);
    assert_true(again.total_cycles == m->total_cycles);
    if (sc_array_level(&p->a) >= 0)
        assert_true(sc_array_dataflow(&p->e, &p->a, &m->mapping) != SC_DATAFLOWS);
}

static void finds_one_where_there_is_one(void **state)
{
    int fitting = 0, none = 0;
    for (uint64_t seed = 1; seed <= 300; seed++) {
        oracle_problem p;
        sc_map_options o = SC_MAP_OPTIONS_INIT;
        sc_blocker b[SC_MAX_BLOCKERS];
        sc_mapped m;
        unsigned n;
        make(&p, seed);
        o.constraints = &p.limits;
        o.budget = 200;
        const bool exists = any_mapping(&p);
        assert_int_equal(sc_map_op(&m, &p.e, &p.a, &o), SC_OK);
        if ((m.misfit.code == SC_FITS) != exists)
            fail_msg("seed %llu: %s\n%s", (unsigned long long)seed,
                     exists ? "there is one" : "there is none", mapper_describe(&p));
        assert_int_equal(sc_map_blockers(b, &n, &p.e, &p.a, &o), SC_OK);
        assert_int_equal(n == 0, exists);
        if (exists)
            check_mapped(&m, &p, &o);
        fitting += exists;
        none += !exists;
    }
    assert_true(fitting > 100 && none > 30);
}

/* ---- a mapping that was found free, asked for in every respect, is found again ---- */

static sc_einsum larger_einsum(sc_rng *r)
{
    const uint64_t a = 1 + gsl_rng_uniform_int(&r->gsl, 60);
    const uint64_t b = 1 + gsl_rng_uniform_int(&r->gsl, 60);
    const uint64_t c = 1 + gsl_rng_uniform_int(&r->gsl, 60);
    if (gsl_rng_uniform_int(&r->gsl, 2))
        return gemm_einsum(a, b, c);
    return depthwise_einsum(a, b, 1 + c / 4, 1 + a % 3, 1 + b % 3);
}

static sc_arch larger_arch(sc_rng *r)
{
    const uint64_t x = 1u << gsl_rng_uniform_int(&r->gsl, 5);
    const uint64_t y = 1u << gsl_rng_uniform_int(&r->gsl, 5);
    const uint64_t bytes = 64u << gsl_rng_uniform_int(&r->gsl, 10);
    if (gsl_rng_uniform_int(&r->gsl, 2))
        return grid_arch(x, y, bytes, (double)gsl_rng_uniform_int(&r->gsl, 32));
    return array_arch(y, x, bytes);
}

static void ask_for_loops(sc_loop_limits *l, const sc_loops *loops, int n_dims)
{
    for (int d = 0; d < n_dims; d++)
        l->fixed[d] = 1;
    for (int i = 0; i < loops->n; i++) {
        l->fixed[loops->dim[i]] = loops->factor[i];
        l->order[l->n_inner++] = loops->dim[i];
    }
}

static void ask_for(sc_map_constraints *c, const sc_mapping *m, const sc_einsum *e)
{
    sc_map_constraints_init(c, m->n_levels);
    for (int l = 0; l < m->n_levels; l++) {
        ask_for_loops(&c->level[l].temporal, &m->level[l].temporal, e->n_dims);
        ask_for_loops(&c->level[l].spatial, &m->level[l].spatial, e->n_dims);
        c->level[l].split = m->level[l].split;
        c->level[l].must_keep = m->level[l].keep;
        c->level[l].must_bypass = (uint8_t)(7 & ~m->level[l].keep);
    }
}

static void finds_what_is_asked_for(void **state)
{
    int fitted = 0;
    for (uint64_t i = 0; i < 150; i++) {
        sc_rng r;
        sc_rng_init(&r, 17, 1, i);
        const sc_einsum e = larger_einsum(&r);
        const sc_arch a = larger_arch(&r);
        sc_map_options o = SC_MAP_OPTIONS_INIT;
        sc_map_constraints c;
        sc_mapped m, again;
        o.budget = 100;
        o.sequential = i % 5 == 0 ? 1 + M : 0;
        assert_int_equal(sc_map_op(&m, &e, &a, &o), SC_OK);
        if (m.misfit.code != SC_FITS)
            continue;
        fitted++;
        ask_for(&c, &m.mapping, &e);
        o.constraints = &c;
        assert_int_equal(sc_map_op(&again, &e, &a, &o), SC_OK);
        if (again.misfit.code != SC_FITS)
            fail_msg("%llu: not found again", (unsigned long long)i);
        assert_true(again.total_cycles == m.total_cycles);
        assert_true(again.cost.energy_pj == m.cost.energy_pj);
        assert_int_equal(sc_map_constraints_check(&c, &again.mapping, &e).code, SC_OBEYS);
    }
    assert_true(fitted > 100);
}

/* Constraints that ask for nothing change nothing. */
static void nothing_asked_for(void **state)
{
    for (uint64_t i = 0; i < 80; i++) {
        sc_rng r;
        sc_rng_init(&r, 19, 1, i);
        const sc_einsum e = larger_einsum(&r);
        const sc_arch a = larger_arch(&r);
        sc_map_options o = SC_MAP_OPTIONS_INIT;
        sc_map_constraints c;
        sc_mapped m, again;
        o.budget = 200;
        assert_int_equal(sc_map_op(&m, &e, &a, &o), SC_OK);
        sc_map_constraints_init(&c, a.n_levels);
        o.constraints = &c;
        assert_int_equal(sc_map_op(&again, &e, &a, &o), SC_OK);
        assert_int_equal(m.misfit.code == SC_FITS, again.misfit.code == SC_FITS);
        if (m.misfit.code == SC_FITS)
            assert_memory_equal(&m.mapping, &again.mapping, sizeof m.mapping);
    }
}

/* 16^3 on 4 x 4 lanes take 256 steps; a tile of M = 4 at L1 leaves 4 for the lanes. */
static void keeps_the_lanes_busy(void **state)
{
    const sc_einsum e = gemm_einsum(16, 16, 16);
    const sc_arch a = grid_arch(4, 4, 4096, 0.0);
    sc_map_options o = SC_MAP_OPTIONS_INIT;
    sc_map_constraints c;
    sc_mapped m;
    sc_map_constraints_init(&c, 2);
    c.level[1].temporal.fixed[M] = 4;
    c.level[1].temporal.min[K] = 3; /* 4 divides */
    c.level[0].temporal.fixed[N] = 1;
    o.constraints = &c;
    assert_int_equal(sc_map_op(&m, &e, &a, &o), SC_OK);
    assert_int_equal(m.misfit.code, SC_FITS);
    assert_int_equal(sc_map_constraints_check(&c, &m.mapping, &e).code, SC_OBEYS);
    assert_int_equal(m.counts.compute_cycles, 256);
}

/* ---- by hand: what rules out all ---- */

static unsigned blockers_of(sc_blocker *b, const sc_einsum *e, const sc_arch *a,
                            const sc_map_constraints *c, int sequential)
{
    sc_map_options o = SC_MAP_OPTIONS_INIT;
    sc_mapped m;
    unsigned n;
    o.constraints = c;
    o.sequential = sequential;
    assert_int_equal(sc_map_op(&m, e, a, &o), SC_OK);
    assert_int_equal(m.misfit.code, SC_MISFIT_CONSTRAINTS);
    assert_int_equal(sc_map_blockers(b, &n, e, a, &o), SC_OK);
    return n;
}

static void check(const sc_blocker *b, unsigned n, sc_blocker wanted)
{
    for (unsigned i = 0; i < n; i++)
        if (b[i].code == wanted.code && b[i].level == wanted.level && b[i].dim == wanted.dim &&
            b[i].tensor == wanted.tensor && b[i].spatial == wanted.spatial) {
            assert_int_equal(b[i].need, wanted.need);
            assert_int_equal(b[i].have, wanted.have);
            return;
        }
    fail_msg("%s is not among them", sc_blocker_name(wanted.code));
}

static sc_blocker factor(int level, bool spatial, int dim, uint64_t need, uint64_t have)
{
    return (sc_blocker){SC_BLOCKER_FACTOR, level, dim, -1, spatial, need, have};
}

/* 2 * 2 * 1 of 8 steps. */
static void too_few_steps(void **state)
{
    const sc_einsum e = gemm_einsum(8, 8, 8);
    const sc_arch a = grid_arch(4, 4, 4096, 0.0);
    sc_blocker b[SC_MAX_BLOCKERS];
    sc_map_constraints c;
    sc_map_constraints_init(&c, 2);
    c.level[0].temporal.fixed[M] = 2;
    c.level[0].spatial.max[M] = 2;
    c.level[1].temporal.fixed[M] = 1;
    c.level[1].temporal.fixed[K] = 8; /* not in the way */
    const unsigned n = blockers_of(b, &e, &a, &c, 0);
    assert_int_equal(n, 3);
    check(b, n, factor(0, false, M, 4, 2));
    check(b, n, factor(0, true, M, 4, 2));
    check(b, n, factor(1, false, M, 2, 1));
}

/* 8 * 8 inputs of 2 bytes. */
static void too_small_a_buffer(void **state)
{
    const sc_einsum e = gemm_einsum(8, 8, 8);
    const sc_arch a = grid_arch(4, 4, 100, 0.0);
    sc_blocker b[SC_MAX_BLOCKERS];
    sc_map_constraints c;
    sc_map_constraints_init(&c, 2);
    c.level[1].temporal.fixed[M] = c.level[1].temporal.fixed[N] = c.level[1].temporal.fixed[K] = 8;
    c.level[1].must_keep = 1 << IN;
    const unsigned n = blockers_of(b, &e, &a, &c, 0);
    assert_int_equal(n, 4);
    check(b, n, factor(1, false, M, 6, 8)); /* 96 bytes */
    check(b, n, factor(1, false, K, 6, 8));
    check(b, n, (sc_blocker){SC_BLOCKER_KEEP, 1, -1, IN, false, 0, 1});
    check(b, n, (sc_blocker){SC_BLOCKER_CAPACITY, 1, -1, -1, false, 128, 100});
}

/* 4 and 4 lanes on 4 x 2 children: 16 along X would do, or 4 along Y. */
static void too_small_a_grid(void **state)
{
    const sc_einsum e = gemm_einsum(8, 8, 8);
    const sc_arch a = grid_arch(4, 2, 4096, 0.0);
    sc_blocker b[SC_MAX_BLOCKERS];
    sc_map_constraints c;
    sc_map_constraints_init(&c, 2);
    c.level[0].spatial.fixed[M] = c.level[0].spatial.fixed[N] = 4;
    const unsigned n = blockers_of(b, &e, &a, &c, 0);
    assert_int_equal(n, 4);
    check(b, n, factor(0, true, M, 2, 4));
    check(b, n, factor(0, true, N, 2, 4));
    check(b, n, (sc_blocker){SC_BLOCKER_MESH_X, 0, -1, -1, false, 16, 4});
    check(b, n, (sc_blocker){SC_BLOCKER_MESH_Y, 0, -1, -1, false, 4, 2});
}

/* All dimensions along X, where one child stands. */
static void the_wrong_split(void **state)
{
    const sc_einsum e = gemm_einsum(8, 8, 8);
    const sc_arch a = grid_arch(1, 4, 4096, 0.0);
    sc_blocker b[SC_MAX_BLOCKERS];
    sc_map_constraints c;
    sc_map_constraints_init(&c, 2);
    c.level[0].spatial.fixed[M] = 2;
    c.level[0].split = 3;
    const unsigned n = blockers_of(b, &e, &a, &c, 0);
    assert_int_equal(n, 3);
    check(b, n, factor(0, true, M, 1, 2));
    check(b, n, (sc_blocker){SC_BLOCKER_SPLIT, 0, -1, -1, true, 0, 3});
    check(b, n, (sc_blocker){SC_BLOCKER_MESH_X, 0, -1, -1, false, 2, 1});
}

/* With K innermost and M outermost K lies along X, where one child stands, or M along Y too. */
static void the_wrong_order(void **state)
{
    const sc_einsum e = gemm_einsum(8, 8, 8);
    const sc_arch a = grid_arch(2, 4, 4096, 0.0);
    sc_blocker b[SC_MAX_BLOCKERS];
    sc_map_constraints c;
    sc_map_constraints_init(&c, 2);
    c.level[0].spatial.fixed[M] = 2;
    c.level[0].spatial.fixed[K] = 4;
    c.level[0].spatial.order[0] = K;
    c.level[0].spatial.n_inner = 1;
    const unsigned n = blockers_of(b, &e, &a, &c, 0);
    assert_int_equal(n, 5);
    check(b, n, factor(0, true, M, 1, 2));
    check(b, n, factor(0, true, K, 2, 4));
    check(b, n, (sc_blocker){SC_BLOCKER_ORDER, 0, -1, -1, true, 0, 1});
    check(b, n, (sc_blocker){SC_BLOCKER_MESH_X, 0, -1, -1, false, 4, 2});
    check(b, n, (sc_blocker){SC_BLOCKER_MESH_Y, 0, -1, -1, false, 8, 4});
}

/* Where the weight stays, M moves through the array. */
static void the_wrong_dataflow(void **state)
{
    const sc_einsum e = gemm_einsum(8, 8, 8);
    sc_arch a = array_arch(4, 4, 4096);
    sc_blocker b[SC_MAX_BLOCKERS];
    sc_map_constraints c;
    a.compute.dataflows = 1 << SC_WS;
    sc_map_constraints_init(&c, 3);
    c.level[1].spatial.min[M] = 2;
    const unsigned n = blockers_of(b, &e, &a, &c, 0);
    assert_int_equal(n, 2);
    check(b, n, factor(1, true, M, 1, 2));
    check(b, n, (sc_blocker){SC_BLOCKER_DATAFLOW, 1, -1, -1, false, 0, 1});
}

/* A register of one element of 2 bytes for two. */
static void two_in_a_register(void **state)
{
    const sc_einsum e = gemm_einsum(8, 8, 8);
    const sc_arch a = array_arch(4, 4, 4096);
    sc_blocker b[SC_MAX_BLOCKERS];
    sc_map_constraints c;
    sc_map_constraints_init(&c, 3);
    c.level[2].must_keep = 1 << IN | 1 << WEIGHT;
    const unsigned n = blockers_of(b, &e, &a, &c, 0);
    assert_int_equal(n, 3);
    check(b, n, (sc_blocker){SC_BLOCKER_KEEP, 2, -1, IN, false, 0, 1});
    check(b, n, (sc_blocker){SC_BLOCKER_KEEP, 2, -1, WEIGHT, false, 0, 1});
    check(b, n, (sc_blocker){SC_BLOCKER_CAPACITY, 2, -1, -1, false, 4, 2});
}

/* Steps that wait for one another are the outermost loop. */
static void the_steps_inside(void **state)
{
    const sc_einsum e = gemm_einsum(8, 8, 8);
    const sc_arch a = grid_arch(4, 4, 4096, 0.0);
    sc_blocker b[SC_MAX_BLOCKERS];
    sc_map_constraints c;
    sc_map_constraints_init(&c, 2);
    c.level[0].temporal.fixed[K] = 2;
    c.level[0].temporal.order[0] = M;
    c.level[0].temporal.n_inner = 1;
    const unsigned n = blockers_of(b, &e, &a, &c, 1 + M);
    assert_int_equal(n, 3);
    check(b, n, factor(0, false, K, 1, 2));
    check(b, n, (sc_blocker){SC_BLOCKER_ORDER, 0, -1, -1, false, 0, 1});
    check(b, n, (sc_blocker){SC_BLOCKER_SEQUENTIAL, 0, M, -1, false, 0, 1});
}

/* Main memory is where all data come from. */
static void nowhere_to_come_from(void **state)
{
    const sc_einsum e = gemm_einsum(8, 8, 8);
    const sc_arch a = grid_arch(4, 4, 4096, 0.0);
    sc_blocker b[SC_MAX_BLOCKERS];
    sc_map_constraints c;
    char where[SC_BLOCKER_WHERE];
    sc_map_constraints_init(&c, 2);
    c.level[0].must_bypass = 1 << WEIGHT;
    const unsigned n = blockers_of(b, &e, &a, &c, 0);
    assert_int_equal(n, 1);
    check(b, n, (sc_blocker){SC_BLOCKER_BYPASS, 0, -1, WEIGHT, false, 1, 0});
    sc_blocker_where(where, &b[0], &e, &a);
    assert_string_equal(where, "DRAM: weight");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(finds_one_where_there_is_one),
        cmocka_unit_test(finds_what_is_asked_for),
        cmocka_unit_test(nothing_asked_for),
        cmocka_unit_test(keeps_the_lanes_busy),
        cmocka_unit_test(too_few_steps),
        cmocka_unit_test(too_small_a_buffer),
        cmocka_unit_test(too_small_a_grid),
        cmocka_unit_test(the_wrong_split),
        cmocka_unit_test(the_wrong_order),
        cmocka_unit_test(the_wrong_dataflow),
        cmocka_unit_test(two_in_a_register),
        cmocka_unit_test(the_steps_inside),
        cmocka_unit_test(nowhere_to_come_from),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
