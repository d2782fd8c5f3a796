/* Saved states: a run that was interrupted anywhere goes on as if it had not been. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka wants the four above first */
#include <cmocka.h>
#include <stdlib.h>

#include "core/hash.h"
#include "core/mem.h"
#include "core/rng.h"
#include "search_states.h"

enum { STEPS = 24 };

sc_optimizer *states_create(size_t k, uint64_t seed)
{
    sc_optimizer *o = NULL;
    assert_int_equal(sc_optimizer_create(&o, states_cases[k].name, &case_problem, seed,
                                         &states_cases[k].options),
                     SC_OK);
    return o;
}

struct state_bytes states_save(const sc_optimizer *o, sc_save what)
{
    struct state_bytes b;
    assert_int_equal(sc_optimizer_save(o, what, &b.at, &b.n), SC_OK);
    return b;
}

void states_assert_same(struct state_bytes a, struct state_bytes b)
{
    assert_int_equal(a.n, b.n);
    assert_memory_equal(a.at, b.at, a.n);
}

sc_status states_get_told(void *payload, uint64_t i, sc_trial *trial)
{
    struct state_told *t = payload;
    *trial = case_trial(t->points[t->n - 1 - i], t->objectives);
    return SC_OK;
}

/* Throw the optimiser away and make it again from a save. */
static void interrupt(sc_optimizer **o, size_t k, sc_save what, struct state_told *told)
{
    const sc_history history = {told->n, states_get_told, told};
    struct state_bytes b = states_save(*o, what);
    sc_optimizer_destroy(*o);
    *o = states_create(k, 77);
    const sc_status st = sc_optimizer_load(*o, b.at, b.n, what == SC_SAVE_LIGHT ? &history : NULL);
    if (st != SC_OK)
        print_message("%s\n", sc_error_message());
    assert_int_equal(st, SC_OK);
    struct state_bytes again = states_save(*o, what);
    states_assert_same(b, again);
    sc_free(b.at);
    sc_free(again.at);
}

/* A run; interrupted after an ask or a tell with the given probability. The last save is returned.
 */
static struct state_bytes run(size_t k, double probability, uint64_t seed, sc_save what,
                              uint32_t (*asked)[CASE_PARAMS])
{
    static struct state_told told;
    sc_optimizer *o = states_create(k, 77);
    size_t n = 0;
    sc_rng r;

    sc_rng_init(&r, seed, 5, 0);
    told.n = 0;
    for (int step = 0; step < STEPS; step++) {
        sc_stop why;
        const size_t got = case_ask(o, BATCH, *(asked + n), &why);
        if (gsl_rng_uniform(&r.gsl) < probability)
            interrupt(&o, k, what, &told);
        assert_int_equal(case_tell(o, *(asked + n), got), SC_OK);
        memcpy(told.points + told.n, asked + n, got * sizeof *asked);
        told.n += got;
        n += got;
        if (gsl_rng_uniform(&r.gsl) < probability)
            interrupt(&o, k, what, &told);
    }
    struct state_bytes last = states_save(o, SC_SAVE_LIGHT);
    sc_optimizer_destroy(o);
    return last;
}

void states_goes_on_as_if_never_interrupted(void **state)
{
    for (size_t k = 0; k < states_n_cases; k++) {
        uint32_t whole[MOST][CASE_PARAMS] = {0}, cut[MOST][CASE_PARAMS] = {0};
        struct state_bytes a = run(k, 0.0, 0, SC_SAVE_WHOLE, whole);
        for (uint64_t seed = 1; seed <= 6; seed++) {
            const sc_save what = seed % 2 ? SC_SAVE_LIGHT : SC_SAVE_WHOLE;
            struct state_bytes b = run(k, seed == 6 ? 1.0 : 0.3, seed, what, cut);
            assert_memory_equal(whole, cut, sizeof whole);
            states_assert_same(a, b);
            sc_free(b.at);
        }
        sc_free(a.at);
    }
}

/* Some told, some pending. */
sc_optimizer *states_half_way(size_t k, struct state_told *told)
{
    sc_optimizer *o = states_create(k, 77);
    told->n = 0;
    for (int step = 0; step < 5; step++) {
        sc_stop why;
        const size_t got = case_ask(o, BATCH, told->points[told->n], &why);
        if (step == 4)
            break;
        assert_int_equal(case_tell(o, told->points[told->n], got), SC_OK);
        told->n += got;
    }
    return o;
}

void states_counts_survive(void **state)
{
    static struct state_told told;
    for (size_t k = 0; k < states_n_cases; k++) {
        sc_optimizer *o = states_half_way(k, &told), *p = states_create(k, 77);
        struct state_bytes b = states_save(o, SC_SAVE_WHOLE);
        assert_int_equal(sc_optimizer_load(p, b.at, b.n, NULL), SC_OK);
        assert_int_equal(sc_optimizer_asked(p), sc_optimizer_asked(o));
        assert_int_equal(sc_optimizer_told(p), told.n);
        assert_int_equal(sc_optimizer_pending(p), sc_optimizer_pending(o));
        assert_true(sc_optimizer_pending(p) > 0);
        sc_free(b.at);
        sc_optimizer_destroy(o);
        sc_optimizer_destroy(p);
    }
}

/* Bytes of the trials and distributions that a method goes on from. */
static size_t most_kept(const char *name)
{
    const size_t row = 4 * CASE_PARAMS + 8 * CASE_OBJECTIVES + 20;
    if (strcmp(name, "tpe") == 0) /* trials as they are, up to a fixed number of them */
        return 3 * 8 + MOST * row;
    if (strcmp(name, "portfolio") == 0) /* those of tpe, nsga2 and lcs, and the best */
        return 3 * 8 + MOST * row + 3 * 8000;
    static const char *const keeping[] = {"nsga2", "cmaes", "evolution", "firefly", "lcs", "gp"};
    for (size_t i = 0; i < sizeof keeping / sizeof *keeping; i++)
        if (strcmp(name, keeping[i]) == 0)
            return 8000;
    return 0;
}

/* The light form does not grow with what was told. */
void states_light_is_light(void **state)
{
    static struct state_told told;
    for (size_t k = 0; k < states_n_cases; k++) {
        uint32_t points[MOST][CASE_PARAMS];
        struct state_bytes late = run(k, 0.0, 0, SC_SAVE_LIGHT, points);
        assert_true(late.n < 100 + most_kept(states_cases[k].name));
        sc_free(late.at);
        sc_optimizer *o = states_half_way(k, &told);
        struct state_bytes light = states_save(o, SC_SAVE_LIGHT),
                           whole = states_save(o, SC_SAVE_WHOLE);
        const uint64_t told_bytes = 8 * sc_optimizer_told(o);
        const uint64_t flags = sc_optimizer_told(o) + sc_optimizer_pending(o);
        assert_int_equal(whole.n - light.n, told_bytes + flags);
        sc_free(light.at);
        sc_free(whole.at);
        sc_optimizer_destroy(o);
    }
}

/* Loading must fail and leave the optimiser as it was. */
void states_must_not_load(sc_optimizer *o, const void *bytes, size_t n, const sc_history *h,
                          const char *why)
{
    struct state_bytes before = states_save(o, SC_SAVE_WHOLE);
    assert_int_equal(sc_optimizer_load(o, bytes, n, h), SC_EPARSE);
    if (!strstr(sc_error_message(), why))
        fail_msg("'%s' is not in '%s'", why, sc_error_message());
    struct state_bytes after = states_save(o, SC_SAVE_WHOLE);
    states_assert_same(before, after);
    sc_free(before.at);
    sc_free(after.at);
}

void states_refuses_damage(void **state)
{
    static struct state_told told;
    for (size_t k = 0; k < states_n_cases; k++) {
        sc_optimizer *o = states_half_way(k, &told);
        struct state_bytes b = states_save(o, SC_SAVE_WHOLE);
        for (size_t n = 0; n < b.n; n += 1 + b.n / 97)
            states_must_not_load(o, b.at, n, NULL, "saved optimizer state");
        for (size_t i = 0; i < b.n; i += 1 + b.n / 97) {
            b.at[i] ^= 0x10;
            states_must_not_load(o, b.at, b.n, NULL, "saved optimizer state");
            b.at[i] ^= 0x10;
        }
        assert_int_equal(sc_optimizer_load(o, b.at, b.n, NULL), SC_OK);
        sc_free(b.at);
        sc_optimizer_destroy(o);
    }
}

static void put_checksum(struct state_bytes b)
{
    const uint64_t sum = sc_hash64_of(b.at, b.n - 8);
    for (size_t i = 0; i < 8; i++)
        b.at[b.n - 8 + i] = (unsigned char)(sum >> 8 * i);
}

/* Damage under a checksum that fits: refused, or a state that can be used. */
void states_survives_forgery(void **state)
{
    static struct state_told told;
    for (size_t k = 0; k < states_n_cases; k++) {
        struct state_bytes b;
        sc_optimizer *o = states_half_way(k, &told);
        size_t refused = 0, taken = 0;
        sc_rng r;
        sc_rng_init(&r, k, 6, 0);
        b = states_save(o, SC_SAVE_WHOLE);
        for (int round = 0; round < 300; round++) {
            const size_t i = gsl_rng_uniform_int(&r.gsl, b.n - 8);
            const unsigned char old = b.at[i];
            uint32_t points[BATCH * CASE_PARAMS];
            sc_stop why;
            b.at[i] = (unsigned char)gsl_rng_get(&r.gsl);
            put_checksum(b);
            sc_optimizer *p = states_create(k, 77);
            if (sc_optimizer_load(p, b.at, b.n, NULL) == SC_OK) {
                case_tell(p, points, case_ask(p, BATCH, points, &why));
                taken++;
            } else {
                refused++;
            }
            sc_optimizer_destroy(p);
            b.at[i] = old;
        }
        assert_true(refused > 50); /* objectives of a population may be any */
        assert_true(taken + refused == 300);
        sc_free(b.at);
        sc_optimizer_destroy(o);
    }
}

/* However often one asks when there is nothing more, the state can be saved and loaded. */
void states_exhausted_states_load(void **state)
{
    for (size_t k = 0; k < states_n_cases; k++) {
        uint32_t points[CASE_BATCH * CASE_PARAMS];
        sc_stop why = SC_RUNNING;
        sc_optimizer *o = states_create(k, 77);
        while (why == SC_RUNNING)
            assert_int_equal(case_tell(o, points, case_ask(o, CASE_BATCH, points, &why)), SC_OK);
        for (int i = 0; i < 9; i++)
            assert_int_equal(case_ask(o, 1, points, &why), 0);
        struct state_bytes b = states_save(o, SC_SAVE_WHOLE);
        assert_int_equal(sc_optimizer_load(o, b.at, b.n, NULL), SC_OK);
        assert_int_equal(case_ask(o, 1, points, &why), 0);
        assert_int_equal(why, SC_STOP_EXHAUSTED);
        sc_free(b.at);
        sc_optimizer_destroy(o);
    }
}

void states_out_of_memory(void **state)
{
    static struct state_told told;
    for (size_t k = 0; k < states_n_cases; k++) {
        const sc_history history = {44, states_get_told, &told};
        sc_optimizer *o = states_half_way(k, &told);
        struct state_bytes want = states_save(o, SC_SAVE_LIGHT);
        sc_status st = SC_ENOMEM;
        const long before = sc_mem_live();
        for (long fail = 0; st != SC_OK; fail++) {
            struct state_bytes b = {NULL, 0};
            sc_mem_fail_after(fail);
            st = sc_optimizer_save(o, SC_SAVE_LIGHT, &b.at, &b.n);
            sc_mem_fail_after(-1);
            assert_true(st == SC_OK ? b.n == want.n : st == SC_ENOMEM && !b.at && b.n == 0);
            sc_free(b.at);
            assert_int_equal(sc_mem_live(), before);
        }
        st = SC_ENOMEM;
        for (long fail = 0; st != SC_OK; fail++) {
            sc_mem_fail_after(fail);
            st = sc_optimizer_load(o, want.at, want.n, &history);
            sc_mem_fail_after(-1);
            struct state_bytes now = states_save(o, SC_SAVE_LIGHT);
            states_assert_same(want, now);
            sc_free(now.at);
            assert_true(st == SC_OK || st == SC_ENOMEM);
        }
        sc_free(want.at);
        sc_optimizer_destroy(o);
    }
}
