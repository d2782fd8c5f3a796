/* Does any mapping fit, and if none, why: against the walk of whole map spaces, and by hand. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "core_support.h"
#include "mapper_make.h"
#include "model/mapper/exact_fit.h"

enum { PROBLEMS = 60, MOST_MAPPINGS = 2000 };

static const sc_map_constraints *limits_of(const oracle_problem *p)
{
    return p->constrained ? &p->limits : NULL;
}

static void check_fitting(const sc_fit *f, const oracle_problem *p)
{
    assert_int_equal(sc_mapping_check(&f->mapping, &p->e, &p->a), SC_OK);
    assert_int_equal(sc_mapping_fit(&f->mapping, &p->e, &p->a).code, SC_FITS);
    if (p->constrained)
        assert_int_equal(sc_map_constraints_check(&p->limits, &f->mapping, &p->e).code, SC_OBEYS);
}

/* A level is made to keep all and hold next to nothing in some problems. */
static void make(oracle_problem *p, uint64_t seed)
{
    mapper_problem(p, seed, MOST_MAPPINGS);
    if (seed % 2)
        mapper_limits(p, seed);
    if (seed % 3 == 0) {
        sc_level *v = &p->a.level[seed % p->a.n_levels];
        v->may_keep = v->must_keep = (1 << SC_ROLES) - 1;
        v->bounded = true;
        v->partitioned = false;
        v->capacity[0] = 1 + seed % 4;
    }
}

static void any_of_random_spaces(void **state)
{
    unsigned fitting = 0;
    for (uint64_t seed = 1; seed <= PROBLEMS; seed++) {
        oracle_problem p;
        oracle_result r;
        sc_fit f;
        make(&p, seed);
        oracle_mapspace(&r, &p);
        assert_int_equal(sc_fit_any(&f, &p.e, &p.a, limits_of(&p)), SC_OK);
        if (!f.decided || f.fits != (r.found > 0))
            fail_msg("seed %llu: %s, of %llu mappings\n%s", (unsigned long long)seed,
                     f.fits ? "one fits" : "none fits", (unsigned long long)r.found,
                     mapper_describe(&p));
        if (f.fits)
            check_fitting(&f, &p);
        fitting += f.fits;
    }
    assert_true(fitting > PROBLEMS / 2 && fitting < PROBLEMS - PROBLEMS / 10);
}

/* ---- blockers: the set alone rules out all mappings, each member is needed ---- */

static bool is_factor(const sc_blocker *b, int level, int dim, bool spatial)
{
    return b->code == SC_BLOCKER_FACTOR && b->level == level && b->dim == dim &&
           b->spatial == spatial;
}

static bool is_tensor(const sc_blocker *b, sc_blocker_code code, int level, int tensor)
{
    return b->code == code && b->level == level && b->tensor == tensor;
}

static void ease_loops(sc_loop_limits *loops, int level, int dim, bool spatial, const sc_blocker *b,
                       unsigned n)
{
    for (unsigned i = 0; i < n; i++)
        if (is_factor(&b[i], level, dim, spatial))
            return;
    loops->fixed[dim] = loops->max[dim] = 0;
    loops->min[dim] = 1;
}

static bool named(const sc_blocker *b, unsigned n, sc_blocker_code code, int level, int tensor)
{
    for (unsigned i = 0; i < n; i++)
        if (is_tensor(&b[i], code, level, tensor))
            return true;
    return false;
}

/* The problem with these limits alone; orders, splits and meshes stay. */
static void only(oracle_problem *out, const oracle_problem *p, const sc_blocker *b, unsigned n)
{
    *out = *p;
    if (!p->constrained)
        sc_map_constraints_init(&out->limits, p->a.n_levels);
    out->constrained = true;
    for (int l = 0; l < (int)p->a.n_levels; l++) {
        sc_level *v = &out->a.level[l];
        sc_level_limits *limits = &out->limits.level[l];
        const uint8_t must = limits->must_keep, must_not = limits->must_bypass;
        v->bounded = v->bounded && named(b, n, SC_BLOCKER_CAPACITY, l, -1);
        limits->must_keep = limits->must_bypass = 0;
        for (int i = 0; i < p->e.n_tensors; i++) {
            const unsigned role = p->e.tensor[i].role;
            const bool keep = must >> i & 1 || (l > 0 && v->must_keep >> role & 1);
            const bool pass = must_not >> i & 1 || (l > 0 && !(v->may_keep >> role & 1));
            if (keep && named(b, n, SC_BLOCKER_KEEP, l, i))
                limits->must_keep |= (uint8_t)(1u << i);
            if (pass && named(b, n, SC_BLOCKER_BYPASS, l, i))
                limits->must_bypass |= (uint8_t)(1u << i);
        }
        if (l > 0) {
            v->must_keep = 0;
            v->may_keep = (1 << SC_ROLES) - 1;
        }
        for (int d = 0; d < p->e.n_dims; d++) {
            ease_loops(&limits->temporal, l, d, false, b, n);
            ease_loops(&limits->spatial, l, d, true, b, n);
        }
    }
}

/* As the search for the best has it. */
static bool searched(const oracle_problem *p)
{
    static sc_exact x;
    sc_exact_options o = SC_EXACT_OPTIONS_INIT;
    o.constraints = &p->limits;
    assert_int_equal(sc_exact_map(&x, &p->e, &p->a, &o), SC_OK);
    return x.found;
}

/* A capacity is the least that would do. */
static void check_need(const oracle_problem *p, const sc_blocker *b)
{
    oracle_problem q = *p;
    sc_level *v = &q.a.level[b->level];
    assert_true(b->need > b->have);
    v->partitioned = false;
    v->buffers = 1;
    v->capacity[0] = b->need;
    assert_true(searched(&q));
    v->capacity[0] = b->need - 1;
    assert_false(searched(&q));
}

static void blockers_of_random_spaces(void **state)
{
    unsigned empty = 0, several = 0;
    for (uint64_t seed = 1; seed <= 3 * PROBLEMS; seed++) {
        oracle_problem p, q;
        sc_blocker all[SC_MAX_BLOCKERS], b[SC_MAX_BLOCKERS];
        sc_fit f;
        unsigned n;
        make(&p, seed);
        assert_int_equal(sc_fit_any(&f, &p.e, &p.a, limits_of(&p)), SC_OK);
        assert_int_equal(sc_exact_blockers(all, &n, &p.e, &p.a, limits_of(&p)), SC_OK);
        assert_int_equal(n == 0, f.fits);
        if (n == 0)
            continue;
        only(&q, &p, all, n);
        if (searched(&q))
            fail_msg("seed %llu: the limits named leave a mapping\n%s", (unsigned long long)seed,
                     mapper_describe(&p));
        for (unsigned i = 0; i < n; i++) {
            if (all[i].code == SC_BLOCKER_CAPACITY)
                check_need(&q, &all[i]);
            memcpy(b, all, sizeof b);
            b[i] = b[n - 1];
            oracle_problem less;
            only(&less, &p, b, n - 1);
            if (!searched(&less))
                fail_msg("seed %llu: %s is not needed\n%s", (unsigned long long)seed,
                         sc_blocker_name(all[i].code), mapper_describe(&p));
        }
        empty++;
        several += n > 1;
    }
    assert_true(empty > 15 && several > 8);
}

/* A dimension of one position can have no loop, whatever is asked for. */
static void one_position(void **state)
{
    oracle_problem p;
    sc_blocker b[SC_MAX_BLOCKERS];
    unsigned n;
    mapper_problem(&p, 1, MOST_MAPPINGS);
    sc_map_constraints_init(&p.limits, p.a.n_levels);
    p.e.bound[0] = 1;
    for (unsigned spatial = 0; spatial < 2; spatial++) {
        sc_level_limits *l = &p.limits.level[0];
        (spatial ? &l->spatial : &l->temporal)->fixed[0] = 2;
        assert_int_equal(sc_exact_blockers(b, &n, &p.e, &p.a, &p.limits), SC_OK);
        assert_int_equal(n, 1);
        assert_true(is_factor(&b[0], 0, 0, spatial) && b[0].need == 1 && b[0].have == 2);
        l->spatial.fixed[0] = l->temporal.fixed[0] = 0;
    }
}

/* ---- far too many tiles: it gives up rather than run on, and claims nothing ---- */

static void gives_up(void **state)
{
    oracle_problem p;
    sc_fit f;
    sc_blocker b[SC_MAX_BLOCKERS];
    unsigned n;
    uint64_t seed = 1;
    do
        mapper_problem(&p, seed++, MOST_MAPPINGS);
    while (p.e.n_dims != 3 || p.a.n_levels < 3);
    sc_map_constraints_init(&p.limits, p.a.n_levels);
    for (unsigned l = 0; l < p.a.n_levels; l++) {
        sc_level *v = &p.a.level[l];
        v->fanout_x = v->fanout_y = 1024;
        v->bounded = l == 1;
        v->partitioned = false;
        v->must_keep = l == 1 ? (1 << SC_ROLES) - 1 : 0;
        v->may_keep = (1 << SC_ROLES) - 1;
        v->capacity[0] = 60000;
    }
    for (unsigned d = 0; d < 3; d++) {
        p.e.bound[d] = 5040;
        p.limits.level[0].temporal.fixed[d] = 1;
        p.limits.level[0].spatial.fixed[d] = 1;
    }
    const double begin = cpu_now();
    assert_int_equal(sc_fit_any(&f, &p.e, &p.a, &p.limits), SC_OK);
    assert_false(f.fits);
    assert_false(f.decided);
    assert_int_equal(sc_exact_blockers(b, &n, &p.e, &p.a, &p.limits), SC_OK);
    assert_int_equal(n, 0);
    assert_within(begin, 3);
}

static sc_status run(void *payload)
{
    const oracle_problem *p = payload;
    sc_blocker b[SC_MAX_BLOCKERS];
    unsigned n;
    return sc_exact_blockers(b, &n, &p->e, &p->a, limits_of(p));
}

static void out_of_memory(void **state)
{
    for (uint64_t seed = 3; seed <= 30; seed += 3) {
        oracle_problem p;
        make(&p, seed);
        assert_true(fail_each_allocation(run, &p) > 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(any_of_random_spaces), cmocka_unit_test(blockers_of_random_spaces),
        cmocka_unit_test(one_position),         cmocka_unit_test(gives_up),
        cmocka_unit_test(out_of_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
