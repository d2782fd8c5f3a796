#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka wants the four above first */
#include <cmocka.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "core/mem.h"
#include "flow_support.h"

static const char *const one_objective = "objectives: [perf_per_tdp]\n"
                                         "limits: {area_mm2: {max: 12}}\n"
                                         "budget: {trials: 80}\n";

static void assert_same_export(const char *study, const char *a, const char *b)
{
    char *x = flow_export(study, a), *y = flow_export(study, b);
    assert_string_equal(x, y);
    sc_release(x);
    sc_release(y);
}

static size_t lines_of(const char *text)
{
    size_t n = 0;
    for (; *text; text++)
        n += *text == '\n';
    return n;
}

static void test_budget_and_counts(void **state)
{
    const char *study = flow_model_study(state, one_objective), *db = flow_path(state, "a.db");
    const sc_study_outcome o = flow_run(study, db, 1, 0);
    assert_int_equal(o.why, SC_STOP_BUDGET);
    assert_int_equal(o.trials, 80);
    assert_int_equal(o.evaluated, 80);
    assert_int_equal(o.feasible + o.infeasible + o.failed, 80);
    assert_int_equal(o.failed, 0);
    assert_true(o.feasible > 0);
    char *csv = flow_export(study, db);
    assert_int_equal(lines_of(csv), 81); /* and the header */
    sc_release(csv);
}

static void test_same_for_any_thread_count(void **state)
{
    const char *study = flow_model_study(state, one_objective);
    const char *one = flow_path(state, "1.db"), *two = flow_path(state, "2.db"),
               *three = flow_path(state, "3.db");
    (void)flow_run(study, one, 1, 0);
    (void)flow_run(study, two, 2, 0);
    (void)flow_run(study, three, 3, 0);
    assert_same_export(study, one, two);
    assert_same_export(study, one, three);
}

/* A budget that ends inside a batch (35 = 2 * 16 + 3), then a larger one: the rows of one long run.
 */
static void test_two_short_runs_are_one_long_run(void **state)
{
    const char *study = flow_model_study(state, one_objective);
    const char *whole = flow_path(state, "whole.db"), *parts = flow_path(state, "parts.db");
    (void)flow_run(study, whole, 1, 80);
    assert_int_equal(flow_run(study, parts, 1, 35).trials, 35);
    const sc_study_outcome rest = flow_run(study, parts, 1, 80);
    assert_int_equal(rest.trials, 80);
    assert_int_equal(rest.evaluated, 45);
    assert_same_export(study, whole, parts);
}

/* The same without every row kept: the checkpoint then holds what the optimiser saw. */
static void test_resumes_without_all_rows(void **state)
{
    const char *study = flow_model_study(state, "objectives: [perf_per_tdp]\nkeep: pareto\n"
                                                "budget: {trials: 64}\n");
    const char *whole = flow_path(state, "whole.db"), *parts = flow_path(state, "parts.db");
    (void)flow_run(study, whole, 1, 64);
    (void)flow_run(study, parts, 1, 20);
    (void)flow_run(study, parts, 1, 64);
    assert_same_export(study, whole, parts);
}

static void test_a_finished_study_evaluates_nothing(void **state)
{
    const char *study = flow_model_study(state, one_objective), *db = flow_path(state, "a.db");
    (void)flow_run(study, db, 1, 0);
    const sc_study_outcome again = flow_run(study, db, 1, 0);
    assert_int_equal(again.evaluated, 0);
    assert_int_equal(again.trials, 80);
}

static int stop_after_40(const sc_progress *p, void *payload)
{
    (void)payload;
    return p->done >= 40;
}

static void test_the_hook_stops_between_batches(void **state)
{
    const char *study = flow_model_study(state, one_objective);
    const char *db = flow_path(state, "a.db"), *whole = flow_path(state, "whole.db");
    sc_study *s = NULL;
    sc_store *store = NULL;
    sc_study_options o = SC_STUDY_OPTIONS_INIT;
    sc_study_outcome outcome;
    o.progress = stop_after_40;
    assert_int_equal(sc_study_open(&s, study, NULL), SC_OK);
    assert_int_equal(sc_store_open(&store, db, SC_STORE_CREATE), SC_OK);
    assert_int_equal(sc_study_run(s, store, &o, &outcome), SC_OK);
    assert_int_equal(outcome.why, SC_STOP_INTERRUPT);
    assert_int_equal(outcome.trials, 48); /* three batches of 16 */
    sc_store_close(store);
    sc_study_close(s);
    (void)flow_run(study, db, 1, 0);
    (void)flow_run(study, whole, 1, 0);
    assert_same_export(study, whole, db);
}

/* 1 from the call on that many calls are left. */
static int stop_after_calls(const sc_progress *p, void *payload)
{
    int *left = payload;
    (void)p;
    return --*left < 0;
}

/* A run stopped after so many evaluations of its own thread. */
static sc_study_outcome run_for(const char *study, const char *db, int threads, int calls)
{
    sc_study *s = NULL;
    sc_store *store = NULL;
    sc_study_options o = SC_STUDY_OPTIONS_INIT;
    sc_study_outcome outcome;
    o.threads = threads;
    o.progress = stop_after_calls;
    o.payload = &calls;
    assert_int_equal(sc_study_open(&s, study, NULL), SC_OK);
    assert_int_equal(sc_store_open(&store, db, SC_STORE_CREATE), SC_OK);
    assert_int_equal(sc_study_run(s, store, &o, &outcome), SC_OK);
    sc_store_close(store);
    sc_study_close(s);
    return outcome;
}

/* An interrupt waits for evaluations, not for their batch; runs of a few evaluations each add up
 * to the trials of one run, and stop where it stops. */
static void test_an_interrupt_ends_a_batch(void **state)
{
    const char *study = flow_model_study(state, "objectives: [latency_s]\n"
                                                "budget: {trials: 48, stall: 8}\n");
    const char *whole = flow_path(state, "whole.db"), *db = flow_path(state, "parts.db");
    const sc_study_outcome first = run_for(study, db, 1, 6);
    assert_int_equal(first.why, SC_STOP_INTERRUPT);
    assert_in_range(first.trials, 1, 6); /* of a batch of 16 */
    sc_study_outcome last = first;
    for (int i = 0; last.why == SC_STOP_INTERRUPT; i++) {
        assert_in_range(i, 0, 200);
        last = run_for(study, db, 1 + i % 3, 7);
    }
    assert_int_equal(last.why, SC_STOP_STALL);
    assert_int_equal(flow_run(study, whole, 1, 0).trials, last.trials);
    assert_same_export(study, whole, db);
}

/* Kill a child at times spread over a run; what it committed is there once, and the resumed run
 * gives the export of an uninterrupted one. */
static void test_kill_and_resume(void **state)
{
    const char *study = flow_model_study(state, one_objective);
    const char *whole = flow_path(state, "whole.db"), *db = flow_path(state, "killed.db");
    (void)flow_run(study, whole, 1, 0);
    for (int kills = 0; kills < 5; kills++) {
        const pid_t child = fork();
        assert_true(child >= 0);
        if (child == 0) {
            (void)flow_run(study, db, 1, 0);
            _exit(0);
        }
        const struct timespec wait = {0, (3 + 11L * kills) * 1000000};
        (void)nanosleep(&wait, NULL);
        (void)kill(child, SIGKILL);
        int status;
        assert_int_equal(waitpid(child, &status, 0), child);
    }
    (void)flow_run(study, db, 1, 0);
    assert_same_export(study, whole, db);
    sc_store *store = NULL;
    assert_int_equal(sc_store_open(&store, db, SC_STORE_READ), SC_OK);
    assert_int_equal(sc_store_verify(store, NULL, NULL, NULL), SC_OK);
    sc_store_close(store);
}

/* Another study of the same designs takes their results from the database. */
static void test_results_are_shared_by_content(void **state)
{
    const char *db = flow_path(state, "a.db");
    const char *study = flow_model_study(state, "objectives: [latency_s]\n"
                                                "optimizer: grid\nbudget: {trials: 30}\n");
    assert_int_equal(flow_run(study, db, 1, 0).cached, 0);
    study = flow_model_study(state, "objectives: [energy_j]\n"
                                    "optimizer: grid\nbudget: {trials: 30}\n");
    const sc_study_outcome o = flow_run(study, db, 1, 0);
    assert_int_equal(o.evaluated, 30);
    assert_int_equal(o.cached, 30);
}

static void test_warm_start_comes_first(void **state)
{
    const char *study =
        flow_model_study(state, "objectives: [latency_s]\nbudget: {trials: 20}\n"
                                "warm_start: ['pes_x=4,pes_y=2,systolic_x=8,systolic_y=8']\n");
    const char *db = flow_path(state, "a.db");
    (void)flow_run(study, db, 1, 0);
    char *csv = flow_export(study, db);
    const char *first = strchr(csv, '\n');
    assert_non_null(first);
    assert_non_null(strstr(first, ",4,2,8,8,")); /* parameters in their order */
    assert_true(strstr(first, ",4,2,8,8,") < strchr(first + 1, '\n'));
    sc_release(csv);
}

static void test_target_and_stall(void **state)
{
    const char *study =
        flow_model_study(state, "objectives: [latency_s]\nbudget: {trials: 200, target: 1.0}\n");
    assert_int_equal(flow_run(study, flow_path(state, "t.db"), 1, 0).why, SC_STOP_TARGET);
    study = flow_model_study(state, "objectives: [latency_s]\noptimizer: grid\n"
                                    "budget: {stall: 32}\n");
    assert_int_equal(flow_run(study, flow_path(state, "s.db"), 1, 0).why, SC_STOP_STALL);
}

static void test_a_list_is_exhausted(void **state)
{
    const char *study =
        flow_model_study(state, "objectives: [latency_s]\noptimizer: list\n"
                                "points: ['pes_x=1', 'pes_x=2,systolic_x=16', 'pes_x=1']\n");
    const sc_study_outcome o = flow_run(study, flow_path(state, "l.db"), 1, 0);
    assert_int_equal(o.why, SC_STOP_EXHAUSTED);
    assert_int_equal(o.trials, 2); /* the repeated point is not evaluated again */
}

/* Allocations fail one after the other: the run says so and leaks nothing; at last it succeeds. */
static void test_out_of_memory(void **state)
{
    (void)flow_model_study(state, "objectives: [latency_s]\nbudget: {trials: 4}\n");
    long failures = 0;
    for (long k = 0;; k += 1 + k / 8) { /* each of the first, then a sample */
        sc_study *s = NULL;
        sc_store *store = NULL;
        sc_study_options o = SC_STUDY_OPTIONS_INIT;
        sc_study_outcome outcome;
        const long live = sc_mem_live();
        o.threads = 1;
        (void)unlink(flow_path(state, "oom.db"));
        sc_mem_fail_after(k);
        sc_status st = sc_study_open(&s, flow_path(state, "study.yaml"), NULL);
        if (st == SC_OK)
            st = sc_store_open(&store, flow_path(state, "oom.db"), SC_STORE_CREATE);
        if (st == SC_OK)
            st = sc_study_run(s, store, &o, &outcome);
        sc_mem_fail_after(-1);
        sc_store_close(store);
        sc_study_close(s);
        assert_int_equal(sc_mem_live(), live);
        if (st == SC_OK)
            break;
        if (st != SC_ENOMEM)
            fail_msg("allocation %ld: %s: %s", k, sc_status_name(st), sc_error_message());
        failures++;
    }
    assert_true(failures > 20);
}

int main(void)
{
#define CASE(f) cmocka_unit_test_setup_teardown(f, flow_set_up, flow_tear_down)
    const struct CMUnitTest t[] = {
        CASE(test_budget_and_counts),
        CASE(test_same_for_any_thread_count),
        CASE(test_two_short_runs_are_one_long_run),
        CASE(test_resumes_without_all_rows),
        CASE(test_a_finished_study_evaluates_nothing),
        CASE(test_the_hook_stops_between_batches),
        CASE(test_an_interrupt_ends_a_batch),
        CASE(test_kill_and_resume),
        CASE(test_results_are_shared_by_content),
        CASE(test_warm_start_comes_first),
        CASE(test_target_and_stall),
        CASE(test_a_list_is_exhausted),
        CASE(test_out_of_memory),
    };
    return cmocka_run_group_tests_name("flow_run", t, NULL, NULL);
}
