/* Batches, trials under every keep policy, checkpoints, runs. */
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
#include "store_support.h"

static const sc_store_keep ALL = {SC_KEEP_ALL, 0};

/* ---- trials ---- */

static void assert_same_trial(const sc_store_trial *got, const sc_store_trial *want)
{
    assert_int_equal(got->index, want->index);
    assert_true(sc_hash_equal(got->point, want->point));
    assert_string_equal(got->parameters, want->parameters);
    assert_int_equal(got->state, want->state);
    assert_int_equal(got->n_values, want->n_values);
    assert_memory_equal(got->values, want->values, want->n_values * sizeof *want->values);
    assert_memory_equal(&got->violation, &want->violation, sizeof got->violation);
    assert_string_equal(got->reasons, want->reasons ? want->reasons : "");
    assert_string_equal(got->evaluator, want->evaluator);
    assert_string_equal(got->model_version, want->model_version);
}

static void trials_come_back_bit_for_bit(void **state)
{
    enum { N = 60 };
    const char *path = support_path(state, "a.db");
    sc_store *s = support_open(path, SC_STORE_CREATE);
    sc_store_writer *w = support_writer(s, ALL);
    support_tell(s, w, 0, 17);
    support_tell(s, w, 17, N);
    sc_store_writer_close(w);
    sc_store_close(s);

    s = support_open(path, SC_STORE_READ);
    const sc_store_study study = support_study(ALL);
    const sc_hash128 id = sc_store_study_id(&study);
    sc_store_trials *it = NULL;
    const sc_store_trial *t = NULL;
    assert_ok(sc_store_trials_open(&it, s, id, SC_WHICH_ALL));
    for (uint64_t i = 0; i < N; i++) {
        assert_ok(sc_store_trials_next(&t, it));
        assert_non_null(t);
        assert_same_trial(t, support_trial(i));
    }
    assert_ok(sc_store_trials_next(&t, it));
    assert_null(t);
    sc_store_trials_close(it);

    assert_ok(sc_store_get_trial(&t, s, id, 13));
    assert_same_trial(t, support_trial(13));
    assert_ok(sc_store_get_trial(&t, s, id, N));
    assert_null(t);
    assert_ok(sc_store_get_trial(&t, s, id, UINT64_MAX));
    assert_null(t);

    uint64_t told = 0;
    void *bytes = NULL;
    size_t n = 0;
    assert_ok(sc_store_get_checkpoint(&bytes, &n, s, id));
    assert_int_equal(n, sizeof told);
    memcpy(&told, bytes, n);
    assert_int_equal(told, N);
    sc_free(bytes);
    assert_int_equal(support_faults(s), 0);
    sc_store_close(s);
    assert_int_equal(sc_mem_live(), 0);
}

static void telling_again_does_nothing_or_conflicts(void **state)
{
    sc_store *s = support_open(support_path(state, "a.db"), SC_STORE_CREATE);
    sc_store_writer *w = support_writer(s, ALL);
    support_tell(s, w, 0, 20);
    char *before = support_export(s, SC_STORE_CSV);
    support_tell(s, w, 5, 20);
    char *after = support_export(s, SC_STORE_CSV);
    assert_string_equal(before, after);
    assert_int_equal(sc_store_writer_counts(w)->trials, 20);
    assert_true(sc_store_writer_told(w, 19) && !sc_store_writer_told(w, 20));

    sc_store_trial other = *support_trial(7);
    other.evaluator = "simulator";
    assert_ok(sc_store_begin(s));
    assert_ok(sc_store_put_trial(w, support_trial(20)));
    assert_fails(sc_store_put_trial(w, &other), SC_ESTORE, "trial 7 of study");
    assert_fails(sc_store_commit(s), SC_ESTORE, "nothing of it was written");
    sc_release(after);
    after = support_export(s, SC_STORE_CSV);
    assert_string_equal(before, after);
    assert_false(sc_store_writer_told(w, 20));
    assert_int_equal(sc_store_writer_counts(w)->trials, 20);
    support_tell(s, w, 20, 21); /* the store itself is still good */
    assert_int_equal(sc_store_writer_counts(w)->trials, 21);
    assert_int_equal(support_faults(s), 0);
    sc_release(before);
    sc_release(after);
    sc_store_writer_close(w);
    sc_store_close(s);
}

static void trials_outside_their_domain_are_refused(void **state)
{
    sc_store *s = support_open(support_path(state, "a.db"), SC_STORE_CREATE);
    sc_store_writer *w = support_writer(s, ALL);
    const sc_store_trial good = *support_trial(0);
    assert_int_equal(good.state, SC_STATE_FEASIBLE);
    double nan_value[] = {1, NAN, 2}, infinite[] = {1, 2, INFINITY};
    sc_store_trial bad[14];
    for (size_t i = 0; i < 14; i++)
        bad[i] = good;
    bad[0].index = UINT64_C(1) << 63;
    bad[1].values = nan_value; /* a NaN never enters a feasible row, nor an infinity */
    bad[2].values = infinite;
    bad[3].n_values = 2;
    bad[4].violation = 0.5;
    bad[5].violation = NAN;
    bad[6].state = (sc_store_state)3;
    bad[7].parameters = "kind=1,pes=2";
    bad[8].parameters = NULL;
    bad[9].reasons = "{}";
    bad[10].reasons = "[1";
    bad[11].evaluator = "";
    bad[12].model_version = "\xff";
    bad[13].state = SC_STATE_INFEASIBLE;
    bad[13].values = infinite;

    assert_fails(sc_store_put_trial(w, &good), SC_EINVAL, "in batches only");
    assert_ok(sc_store_begin(s));
    for (size_t i = 0; i < 14; i++)
        if (sc_store_put_trial(w, &bad[i]) != SC_EINVAL)
            fail_msg("case %zu was taken", i);
    assert_ok(sc_store_put_trial(w, &good)); /* and the batch is still good */
    assert_ok(sc_store_commit(s));
    assert_int_equal(sc_store_writer_counts(w)->trials, 1);
    sc_store_writer_close(w);
    sc_store_close(s);
}

static void studies_outside_their_domain_are_refused(void **state)
{
    static const char *const twice[] = {"a", "a"};
    static const char *const fixed[] = {"pes", "state"};
    static const char *const equals[] = {"pes", "a=b"};
    static const char *const of_values[] = {"pes", "perf"};
    static const sc_store_value unnamed[] = {{"", SC_GOAL_MIN}};
    static const sc_store_value goalless[] = {{"x", (sc_store_goal)3}};
    sc_store *s = support_open(support_path(state, "a.db"), SC_STORE_CREATE);
    sc_store_writer *w = NULL;
    sc_store_study bad[12];
    for (size_t i = 0; i < 12; i++)
        bad[i] = support_study(ALL);
    bad[0].name = "";
    bad[1].name = "\xc3";
    bad[2].config = NULL;
    bad[3].seed = UINT64_C(1) << 63;
    bad[4].keep = (sc_store_keep){SC_KEEP_SAMPLE, 0};
    bad[5].keep = (sc_store_keep){SC_KEEP_ALL, 3};
    bad[6].parameters = twice;
    bad[7].parameters = fixed;
    bad[8].parameters = equals;
    bad[9].parameters = of_values;
    bad[10].values = unnamed;
    bad[10].n_values = 1;
    bad[11].values = goalless;
    bad[11].n_values = 1;
    for (size_t i = 0; i < 12; i++)
        if (sc_store_writer_open(&w, s, &bad[i]) != SC_EINVAL)
            fail_msg("case %zu was taken", i);
    assert_null(w);
    sc_hash128 *ids = NULL;
    size_t n = 9;
    assert_ok(sc_store_studies(&ids, &n, s));
    assert_int_equal(n, 0);
    assert_null(ids);
    sc_store_close(s);
}

/* ---- keep policies ---- */

enum { TOLD = 160 };

/* Kept flags of trials 0 .. TOLD - 1, by the definitions in store.h. */
static void expect_kept(unsigned *flags, bool *kept, sc_store_keep keep, const bool *sampled)
{
    static double values[TOLD][2];
    static sc_store_state states[TOLD];
    for (uint64_t i = 0; i < TOLD; i++) {
        const sc_store_trial *t = support_trial(i);
        values[i][0] = -t->values[0];
        values[i][1] = t->values[1];
        states[i] = t->state;
    }
    for (size_t i = 0; i < TOLD; i++) {
        bool front = states[i] == SC_STATE_FEASIBLE;
        for (size_t k = 0; k < TOLD && front; k++) {
            if (states[k] != SC_STATE_FEASIBLE || k == i)
                continue;
            const bool covers = values[k][0] <= values[i][0] && values[k][1] <= values[i][1];
            const bool equal = values[k][0] == values[i][0] && values[k][1] == values[i][1];
            front = !covers || (equal && k > i);
        }
        const bool sample = keep.kind == SC_KEEP_SAMPLE && sampled[i];
        flags[i] = (front ? SC_FLAG_FRONT : 0U) | (sample ? SC_FLAG_SAMPLE : 0U);
        kept[i] = keep.kind == SC_KEEP_ALL ||
                  (keep.kind == SC_KEEP_FEASIBLE && states[i] == SC_STATE_FEASIBLE) ||
                  (keep.kind >= SC_KEEP_PARETO && flags[i]);
    }
}

/* The sample is known by its size, and by being the same whatever the order: tested below. */
static void read_sample(bool *sampled, sc_store *s, sc_hash128 id)
{
    sc_store_trials *it = NULL;
    const sc_store_trial *t = NULL;
    memset(sampled, 0, TOLD);
    assert_ok(sc_store_trials_open(&it, s, id, SC_WHICH_FLAGGED));
    while (sc_store_trials_next(&t, it) == SC_OK && t)
        sampled[t->index] = (t->flags & SC_FLAG_SAMPLE) != 0;
    sc_store_trials_close(it);
}

static void check_policy(void **state, sc_store_keep keep)
{
    unsigned flags[TOLD];
    bool kept[TOLD], sampled[TOLD];
    size_t n_kept = 0, n_sampled = 0;
    sc_store *s = support_open(support_path(state, "a.db"), SC_STORE_CREATE);
    sc_store_writer *w = support_writer(s, keep);
    for (uint64_t i = 0; i < TOLD; i += 32)
        support_tell(s, w, i, i + 32);
    const sc_hash128 id = sc_store_writer_id(w);
    const sc_store_counts *counts = sc_store_writer_counts(w);
    read_sample(sampled, s, id);
    expect_kept(flags, kept, keep, sampled);
    for (uint64_t i = 0; i < TOLD; i++) {
        const sc_store_trial *t = NULL;
        assert_ok(sc_store_get_trial(&t, s, id, i));
        assert_int_equal(t != NULL, kept[i]);
        if (t)
            assert_int_equal(t->flags, flags[i]);
        n_kept += kept[i];
        n_sampled += sampled[i];
    }
    assert_int_equal(counts->kept, n_kept);
    assert_int_equal(counts->trials, TOLD);
    assert_int_equal(counts->infeasible, TOLD / 5);
    assert_int_equal(counts->feasible + counts->infeasible + counts->failed, TOLD);
    assert_int_equal(n_sampled, keep.n < TOLD ? keep.n : TOLD);
    assert_int_equal(support_faults(s), 0);
    sc_store_writer_close(w);
    sc_store_close(s);
}

static void policies_keep_what_they_say(void **state)
{
    check_policy(state, ALL);
    check_policy(state, (sc_store_keep){SC_KEEP_FEASIBLE, 0});
    check_policy(state, (sc_store_keep){SC_KEEP_PARETO, 0});
    check_policy(state, (sc_store_keep){SC_KEEP_SAMPLE, 23});
    check_policy(state, (sc_store_keep){SC_KEEP_SAMPLE, 1000});
}

/* Batches of any size, interrupted and resumed, and told in another order: the same export. */
static char *export_of(void **state, sc_store_keep keep, uint64_t batch, bool reopen,
                       bool backwards)
{
    const char *path = support_path(state, "order.db");
    sc_store *s = support_open(path, SC_STORE_CREATE);
    sc_store_writer *w = support_writer(s, keep);
    for (uint64_t i = 0; i < TOLD; i += batch) {
        const uint64_t end = i + batch < TOLD ? i + batch : TOLD;
        if (backwards)
            support_tell(s, w, TOLD - end, TOLD - i);
        else
            support_tell(s, w, i, end);
        if (reopen) {
            sc_store_writer_close(w);
            sc_store_close(s);
            s = support_open(path, SC_STORE_WRITE);
            w = support_writer(s, keep);
        }
    }
    char *text = support_export(s, SC_STORE_JSON);
    assert_int_equal(support_faults(s), 0);
    sc_store_writer_close(w);
    sc_store_close(s);
    return text;
}

static void exports_do_not_depend_on_how_trials_came(void **state)
{
    static const sc_store_keep keeps[] = {
        {SC_KEEP_ALL, 0}, {SC_KEEP_FEASIBLE, 0}, {SC_KEEP_PARETO, 0}, {SC_KEEP_SAMPLE, 9}};
    for (size_t k = 0; k < sizeof keeps / sizeof keeps[0]; k++) {
        char *base = export_of(state, keeps[k], TOLD, false, false);
        char *other[] = {export_of(state, keeps[k], 7, false, false),
                         export_of(state, keeps[k], 40, true, false),
                         export_of(state, keeps[k], 13, false, true)};
        for (size_t i = 0; i < sizeof other / sizeof other[0]; i++) {
            assert_string_equal(base, other[i]);
            sc_release(other[i]);
        }
        sc_release(base);
    }
}

/* ---- batches ---- */

static void an_undone_batch_leaves_nothing(void **state)
{
    const sc_store_keep keep = {SC_KEEP_PARETO, 0};
    sc_store *s = support_open(support_path(state, "a.db"), SC_STORE_CREATE);
    sc_store_writer *w = support_writer(s, keep);
    support_tell(s, w, 0, 30);
    char *before = support_export(s, SC_STORE_JSON);
    const sc_store_counts counts = *sc_store_writer_counts(w);

    assert_ok(sc_store_begin(s));
    assert_fails(sc_store_begin(s), SC_EINVAL, "already running");
    for (uint64_t i = 30; i < 90; i++)
        assert_ok(sc_store_put_trial(w, support_trial(i)));
    assert_ok(sc_store_put_result(s, support_result(500)));
    sc_store_rollback(s);
    assert_fails(sc_store_commit(s), SC_EINVAL, "no batch");
    assert_memory_equal(&counts, sc_store_writer_counts(w), sizeof counts);
    char *after = support_export(s, SC_STORE_JSON);
    assert_string_equal(before, after);
    const sc_store_result *r = NULL;
    assert_ok(sc_store_get_result(&r, s, sc_store_result_key(support_result(500))));
    assert_null(r);

    /* The front in memory was undone too: the same trials end as they do without the detour. */
    support_tell(s, w, 30, TOLD);
    sc_release(after);
    after = support_export(s, SC_STORE_JSON);
    char *straight = export_of(state, keep, TOLD, false, false);
    assert_string_equal(after, straight);
    assert_int_equal(support_faults(s), 0);
    sc_release(before);
    sc_release(after);
    sc_release(straight);
    sc_store_writer_close(w);
    sc_store_close(s);
}

static void a_checkpoint_goes_with_its_trials(void **state)
{
    sc_store *s = support_open(support_path(state, "a.db"), SC_STORE_CREATE);
    sc_store_writer *w = support_writer(s, ALL);
    assert_ok(sc_store_begin(s));
    assert_ok(sc_store_put_trial(w, support_trial(0))); /* no optimiser yet: fine */
    assert_ok(sc_store_commit(s));
    support_tell(s, w, 1, 4);
    assert_ok(sc_store_begin(s));
    assert_ok(sc_store_put_trial(w, support_trial(4)));
    assert_fails(sc_store_commit(s), SC_EINVAL, "without the checkpoint");
    assert_ok(sc_store_begin(s));
    assert_ok(sc_store_put_checkpoint(w, "x", 1));
    assert_ok(sc_store_put_trial(w, support_trial(4)));
    assert_fails(sc_store_commit(s), SC_EINVAL, "without the checkpoint");
    assert_int_equal(sc_store_writer_counts(w)->trials, 4);
    assert_int_equal(support_faults(s), 0);
    sc_store_writer_close(w);
    sc_store_close(s);
}

static void a_study_is_found_again_or_disagrees(void **state)
{
    sc_store *s = support_open(support_path(state, "a.db"), SC_STORE_CREATE);
    sc_store_writer *w = support_writer(s, ALL);
    support_tell(s, w, 0, 3);
    sc_store_writer *again = support_writer(s, ALL);
    assert_int_equal(sc_store_writer_counts(again)->trials, 3);
    sc_store_writer_close(again);
    again = NULL;

    sc_store_study other = support_study(ALL);
    other.config = "version: 1 # a comment\n"; /* the canonical form is what counts */
    assert_ok(sc_store_writer_open(&again, s, &other));
    assert_true(sc_hash_equal(sc_store_writer_id(again), sc_store_writer_id(w)));
    sc_store_writer_close(again);
    again = NULL;
    other = support_study(ALL);
    other.name = "beta";
    assert_fails(sc_store_writer_open(&again, s, &other), SC_EINVAL, "'alpha'");
    other = support_study((sc_store_keep){SC_KEEP_PARETO, 0});
    assert_fails(sc_store_writer_open(&again, s, &other), SC_EINVAL, "keep: all");
    other = support_study(ALL);
    other.n_parameters = 1;
    assert_fails(sc_store_writer_open(&again, s, &other), SC_EINVAL, "other parameters");
    assert_null(again);
    other = support_study(ALL);
    other.seed = 8; /* another study */
    assert_ok(sc_store_writer_open(&again, s, &other));
    assert_int_equal(sc_store_writer_counts(again)->trials, 0);
    sc_store_writer_close(again);
    sc_store_writer_close(w);
    sc_store_close(s);
}

static void two_writers_of_one_study_do_not_mix(void **state)
{
    const char *path = support_path(state, "a.db");
    sc_store *a = support_open(path, SC_STORE_CREATE);
    sc_store *b = support_open(path, SC_STORE_WRITE);
    sc_store_writer *wa = support_writer(a, ALL);
    sc_store_writer *wb = support_writer(b, ALL);
    support_tell(a, wa, 0, 5);
    assert_ok(sc_store_begin(b));
    assert_fails(sc_store_put_trial(wb, support_trial(0)), SC_ESTORE, "run the same command again");
    sc_store_rollback(b);
    sc_store_study other = support_study(ALL);
    other.seed = 99;
    other.name = "other";
    sc_store_writer *wc = NULL;
    assert_ok(sc_store_writer_open(&wc, b, &other)); /* another study of the same file is fine */
    support_tell(b, wc, 0, 5);
    support_tell(a, wa, 5, 9);
    assert_ok(sc_store_study_delete(b, "alpha"));
    assert_ok(sc_store_begin(a));
    assert_fails(sc_store_put_trial(wa, support_trial(9)), SC_ESTORE, "deleted by another");
    sc_store_rollback(a);
    assert_int_equal(support_faults(a), 0);
    sc_store_writer_close(wa);
    sc_store_writer_close(wb);
    sc_store_writer_close(wc);
    sc_store_close(a);
    sc_store_close(b);
    assert_int_equal(sc_mem_live(), 0);
}

/* ---- runs, readers ---- */

static void runs_and_status_are_kept(void **state)
{
    sc_store *s = support_open(support_path(state, "a.db"), SC_STORE_CREATE);
    sc_store_writer *w = support_writer(s, ALL);
    sc_store_run run = {.started_ms = 1700000000123, .elapsed_ms = 10, .threads = 2};
    sc_store_info *info = NULL;
    uint64_t runs = 9;
    assert_ok(sc_store_get_runs(&runs, s, sc_store_writer_id(w)));
    assert_int_equal(runs, 0);
    assert_ok(sc_store_begin(s));
    assert_ok(sc_store_put_run(w, &run));
    run.elapsed_ms = 2500;
    assert_ok(sc_store_put_run(w, &run));
    run.number = 1;
    assert_ok(sc_store_put_run(w, &run));
    assert_ok(sc_store_put_status(w, "budget"));
    assert_fails(sc_store_put_status(w, ""), SC_EINVAL, "status");
    assert_ok(sc_store_commit(s));
    assert_ok(sc_store_get_runs(&runs, s, sc_store_writer_id(w)));
    assert_int_equal(runs, 2);
    assert_ok(sc_store_info_open(&info, s, sc_store_writer_id(w)));
    assert_string_equal(info->status, "budget");
    assert_string_equal(info->study.parameters[1], "kind");
    assert_int_equal(info->study.values[0].goal, SC_GOAL_MAX);
    assert_int_equal(info->study.seed, 7);
    sc_store_info_close(info);
    sc_store_writer_close(w);
    sc_store_close(s);
}

static void reading_and_batches_do_not_overlap(void **state)
{
    sc_store *s = support_open(support_path(state, "a.db"), SC_STORE_CREATE);
    sc_store_writer *w = support_writer(s, ALL);
    sc_store_trials *it = NULL;
    support_tell(s, w, 0, 4);
    assert_ok(sc_store_trials_open(&it, s, sc_store_writer_id(w), SC_WHICH_ALL));
    assert_fails(sc_store_begin(s), SC_EINVAL, "being read");
    sc_store_trials_close(it);
    support_tell(s, w, 4, 6);
    sc_store_writer_close(w);
    sc_store_close(s);
}

#define WITH(test) cmocka_unit_test_setup_teardown(test, support_folder, support_remove_folder)

int main(void)
{
    const struct CMUnitTest tests[] = {
        WITH(trials_come_back_bit_for_bit),
        WITH(telling_again_does_nothing_or_conflicts),
        WITH(trials_outside_their_domain_are_refused),
        WITH(studies_outside_their_domain_are_refused),
        WITH(policies_keep_what_they_say),
        WITH(exports_do_not_depend_on_how_trials_came),
        WITH(an_undone_batch_leaves_nothing),
        WITH(a_checkpoint_goes_with_its_trials),
        WITH(a_study_is_found_again_or_disagrees),
        WITH(two_writers_of_one_study_do_not_mix),
        WITH(runs_and_status_are_kept),
        WITH(reading_and_batches_do_not_overlap),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
