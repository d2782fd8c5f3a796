/* Rules of every optimiser: canonical, valid and new points until there are none left. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka wants the four above first */
#include <cmocka.h>
#include <stdlib.h>

#include "core/mem.h"
#include "search_cases.h"
#include "search_rules.h"

enum { CASE_POINTS = 2160 };

sc_optimizer *rules_create(const char *name, const sc_problem *p, uint64_t seed,
                           const sc_optimizer_options *options)
{
    /* models of few rows obey the same rules */
    static const sc_optimizer_options few = {.version = 1, .population = 8};
    static const sc_optimizer_options some = {.version = 1, .population = 24};
    sc_optimizer *o = NULL;
    if (!options && strcmp(name, "gp") == 0)
        options = &few;
    if (!options && strcmp(name, "portfolio") == 0)
        options = &some;
    assert_int_equal(sc_optimizer_create(&o, name, p, seed, options), SC_OK);
    return o;
}

void *rules_saved(const sc_optimizer *o, size_t *n)
{
    unsigned char *bytes = NULL;
    assert_int_equal(sc_optimizer_save(o, SC_SAVE_WHOLE, &bytes, n), SC_OK);
    return bytes;
}

static size_t rank_of(const uint32_t *p)
{
    size_t rank = 0;
    for (size_t i = 0; i < CASE_PARAMS; i++)
        rank = rank * case_cardinality[i] + p[i];
    return rank;
}

/* Canonical and valid points, by looking at all. */
static size_t count_valid(void)
{
    size_t n = 0;
    for (size_t rank = 0; rank < CASE_POINTS; rank++) {
        uint32_t p[CASE_PARAMS], q[CASE_PARAMS];
        size_t rest = rank;
        for (size_t i = CASE_PARAMS; i-- > 0; rest /= case_cardinality[i])
            p[i] = (uint32_t)(rest % case_cardinality[i]);
        memcpy(q, p, sizeof q);
        case_canonical(NULL, q, NULL);
        n += memcmp(p, q, sizeof p) == 0 && case_valid(NULL, p);
    }
    return n;
}

static void check_new(const uint32_t *p, bool *seen)
{
    uint32_t q[CASE_PARAMS];
    memcpy(q, p, sizeof q);
    case_canonical(NULL, q, NULL);
    assert_memory_equal(p, q, sizeof q);
    assert_true(case_valid(NULL, p));
    assert_false(seen[rank_of(p)]);
    seen[rank_of(p)] = true;
}

/* Batches of changing size to the end: every valid point once, then EXHAUSTED for good. */
void rules_proposes_each_point_once(void **state)
{
    const size_t want = count_valid();
    for (size_t k = 0; k < rules_n_names; k++) {
        const uint64_t seeds = rules_slow ? 1 : 3;
        for (uint64_t seed = 1; seed <= seeds; seed++) {
            static bool seen[CASE_POINTS];
            uint32_t points[CASE_BATCH * CASE_PARAMS];
            sc_optimizer *o = rules_create(rules_names[k], &case_problem, seed, NULL);
            sc_stop why = SC_RUNNING;
            size_t total = 0;
            memset(seen, 0, sizeof seen);
            for (size_t step = 0; why == SC_RUNNING; step++) {
                const size_t n = 1 + (step * 7 + seed) % CASE_BATCH;
                const size_t got = case_ask(o, n, points, &why);
                assert_true(got == n || why == SC_STOP_EXHAUSTED);
                for (size_t i = 0; i < got; i++)
                    check_new(points + i * CASE_PARAMS, seen);
                assert_int_equal(case_tell(o, points, got), SC_OK);
                total += got;
            }
            assert_int_equal(total, want);
            assert_int_equal(sc_optimizer_asked(o), want);
            assert_int_equal(sc_optimizer_told(o), want);
            assert_int_equal(case_ask(o, 1, points, &why), 0);
            assert_int_equal(why, SC_STOP_EXHAUSTED);
            sc_optimizer_destroy(o);
        }
    }
}

/* Ask n in steps of a fixed size, telling nothing. */
static void ask_in_steps(const char *name, uint64_t seed, size_t step, uint32_t *points, size_t n)
{
    sc_optimizer *o = rules_create(name, &case_problem, seed, NULL);
    sc_stop why;
    for (size_t done = 0; done < n; done += step)
        assert_int_equal(case_ask(o, step, points + done * CASE_PARAMS, &why), step);
    sc_optimizer_destroy(o);
}

void rules_depends_on_seed_not_on_batch(void **state)
{
    for (size_t k = 0; k < rules_n_names; k++) {
        uint32_t a[60 * CASE_PARAMS], b[60 * CASE_PARAMS];
        ask_in_steps(rules_names[k], 5, 1, a, 60);
        ask_in_steps(rules_names[k], 5, 20, b, 60);
        assert_memory_equal(a, b, sizeof a);
        ask_in_steps(rules_names[k], 6, 20, b, 60);
        if (strcmp(rules_names[k], "grid") != 0)
            assert_memory_not_equal(a, b, sizeof a);
    }
}

/* The whole loop: a second run tells and asks the very same. */
void rules_repeats_itself(void **state)
{
    uint32_t a[10][CASE_BATCH * CASE_PARAMS];
    for (size_t k = 0; k < rules_n_names; k++) {
        for (int run = 0; run < 2; run++) {
            sc_optimizer *o = rules_create(rules_names[k], &case_problem, 9, NULL);
            for (size_t step = 0; step < 10; step++) {
                uint32_t points[CASE_BATCH * CASE_PARAMS];
                sc_stop why;
                assert_int_equal(case_ask(o, CASE_BATCH, points, &why), CASE_BATCH);
                assert_int_equal(case_tell(o, points, CASE_BATCH), SC_OK);
                if (run == 0)
                    memcpy(a[step], points, sizeof points);
                assert_memory_equal(a[step], points, sizeof points);
            }
            sc_optimizer_destroy(o);
        }
    }
}

void rules_never_asks_what_was_told(void **state)
{
    uint32_t given[3][CASE_PARAMS] = {{1, 1, 2, 0, 3, 0}, {0, 4, 1, 1, 1, 1}, {3, 4, 0, 0, 5, 0}};
    for (size_t k = 0; k < rules_n_names; k++) {
        static bool seen[CASE_POINTS];
        uint32_t points[CASE_BATCH * CASE_PARAMS];
        sc_stop why = SC_RUNNING;
        sc_optimizer *o = rules_create(rules_names[k], &case_problem, 3, NULL);
        memset(seen, 0, sizeof seen);
        assert_int_equal(case_tell(o, *given, 3), SC_OK); /* the last one is not valid: a fact */
        for (size_t i = 0; i < 3; i++) {
            uint32_t q[CASE_PARAMS];
            memcpy(q, given[i], sizeof q);
            case_canonical(NULL, q, NULL);
            seen[rank_of(q)] = true;
        }
        assert_int_equal(sc_optimizer_told(o), 3);
        assert_int_equal(sc_optimizer_asked(o), 0);
        size_t total = 0;
        while (why == SC_RUNNING) {
            const size_t got = case_ask(o, CASE_BATCH, points, &why);
            for (size_t i = 0; i < got; i++)
                check_new(points + i * CASE_PARAMS, seen);
            total += got;
        }
        assert_int_equal(total, count_valid() - 2);
        assert_int_equal(sc_optimizer_pending(o), total);
        sc_optimizer_destroy(o);
    }
}

static bool nothing(const void *context, const uint32_t *index)
{
    return false;
}

/* Bounded, though there are 2^1280 points and none is valid. */
void rules_gives_up(void **state)
{
    static uint32_t cardinality[64];
    static bool ordered[64];
    for (size_t i = 0; i < 64; i++)
        cardinality[i] = SC_MAX_VALUES;
    sc_problem p = {.n_params = 64,
                    .cardinality = cardinality,
                    .categorical = ordered,
                    .n_objectives = 1,
                    .valid = nothing};
    uint32_t points[128];
    size_t got;
    sc_stop why;
    for (size_t k = 0; k < rules_n_names; k++) {
        if (strcmp(rules_names[k], "grid") == 0)
            continue; /* it wants a space that can be counted */
        sc_optimizer *o = rules_create(rules_names[k], &p, 1, NULL);
        for (int again = 0; again < 2; again++) {
            assert_int_equal(sc_optimizer_ask(o, 2, points, &got, &why), SC_OK);
            assert_int_equal(got, 0);
            assert_int_equal(why, SC_STOP_EXHAUSTED);
        }
        size_t n;
        void *bytes = rules_saved(o, &n); /* however many draws that took */
        assert_int_equal(sc_optimizer_load(o, bytes, n, NULL), SC_OK);
        sc_free(bytes);
        sc_optimizer_destroy(o);
    }
    p.valid = NULL; /* and such a space can be searched */
    for (size_t k = 0; k < rules_n_names; k++) {
        if (strcmp(rules_names[k], "grid") == 0)
            continue;
        sc_optimizer *o = rules_create(rules_names[k], &p, 1, NULL);
        assert_int_equal(sc_optimizer_ask(o, 2, points, &got, &why), SC_OK);
        assert_int_equal(got, 2);
        assert_memory_not_equal(points, points + 64, 64 * sizeof *points);
        sc_optimizer_destroy(o);
    }
}

/* Ask and tell again and again: an ask or tell that fails for memory changes nothing. */
static sc_status run_a_little(const char *name)
{
    uint32_t points[CASE_BATCH * CASE_PARAMS];
    sc_optimizer *o = NULL;
    size_t got = 99;
    sc_stop why = SC_STOP_TARGET;
    sc_status st = sc_optimizer_create(&o, name, &case_problem, 4, NULL);
    for (int i = 0; i < 3 && st == SC_OK; i++) {
        const uint64_t asked = sc_optimizer_asked(o), told = sc_optimizer_told(o);
        st = sc_optimizer_ask(o, CASE_BATCH, points, &got, &why);
        if (st == SC_OK)
            st = case_tell(o, points, CASE_BATCH);
        else
            assert_true(sc_optimizer_asked(o) == asked && sc_optimizer_told(o) == told);
    }
    sc_optimizer_destroy(o);
    return st;
}

void rules_out_of_memory(void **state)
{
    const long before = sc_mem_live();
    for (size_t i = 0; i < rules_n_names; i++) {
        long k = 0;
        for (;; k++) {
            sc_mem_fail_after(k);
            const sc_status st = run_a_little(rules_names[i]);
            sc_mem_fail_after(-1);
            assert_int_equal(sc_mem_live(), before);
            if (st == SC_OK)
                break;
            assert_int_equal(st, SC_ENOMEM);
        }
        assert_true(k >= 8);
    }
}
