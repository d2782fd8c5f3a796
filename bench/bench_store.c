/* Rows a second into and out of the store: trial by trial and in batches, the cache, the export,
 * verify. Usage: bench_store DATABASE, a path that does not exist, on the disk to be measured. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/mem.h"
#include "core/rng.h"
#include "core/run.h"
#include "store/store.h"

enum { VALUES = 8, PARAMETERS = 16, SINGLES = 300, ROWS = 60000 };

static void check(sc_status st)
{
    if (st != SC_OK) {
        fprintf(stderr, "bench_store: %s\n", sc_error_message());
        exit(1);
    }
}

static void report(const char *what, uint64_t n, double seconds)
{
    printf("%-44s %9.0f /s  (%" PRIu64 " in %.2f s)\n", what, (double)n / seconds, n, seconds);
}

/* A study of the size that the main job has: 16 parameters, two objectives, six more metrics. */
static sc_store_writer *open_study(sc_store *s, const char *name, sc_store_keep keep)
{
    static char names[PARAMETERS][12];
    static const char *parameters[PARAMETERS];
    static const sc_store_value values[VALUES] = {
        {"throughput_per_s", SC_GOAL_MAX}, {"energy_j", SC_GOAL_MIN},
        {"latency_s", SC_GOAL_NONE},       {"power_w", SC_GOAL_NONE},
        {"tdp_w", SC_GOAL_NONE},           {"area_mm2", SC_GOAL_NONE},
        {"perf_per_tdp", SC_GOAL_NONE},    {"utilization", SC_GOAL_NONE},
    };
    for (int i = 0; i < PARAMETERS; i++) {
        (void)snprintf(names[i], sizeof names[i], "param_%02d", i);
        parameters[i] = names[i];
    }
    const sc_store_study study = {.name = name,
                                  .config = "version: 1\n",
                                  .config_hash = sc_hash128_of(name, strlen(name)),
                                  .model_version = "model-1",
                                  .keep = keep,
                                  .parameters = parameters,
                                  .n_parameters = PARAMETERS,
                                  .values = values,
                                  .n_values = VALUES};
    sc_store_writer *w = NULL;
    check(sc_store_writer_open(&w, s, &study));
    return w;
}

/* Trial and cached result i; three of five trials are infeasible, as in a random search. */
static void put(sc_store *s, sc_store_writer *w, uint64_t i)
{
    static const char *const metric[VALUES] = {"throughput_per_s", "energy_j",   "latency_s",
                                               "power_w",          "tdp_w",      "area_mm2",
                                               "perf_per_tdp",     "utilization"};
    char text[PARAMETERS * 20];
    double values[VALUES];
    sc_store_metric metrics[VALUES];
    size_t n = 0;
    sc_rng rng;

    sc_rng_init(&rng, 1, 8, i);
    for (int k = 0; k < PARAMETERS; k++)
        n += (size_t)snprintf(text + n, sizeof text - n, "%sparam_%02d=%lu", k ? "," : "", k,
                              gsl_rng_uniform_int(&rng.gsl, 1 << 20));
    for (int k = 0; k < VALUES; k++) {
        values[k] = gsl_rng_uniform(&rng.gsl);
        metrics[k] = (sc_store_metric){metric[k], values[k]};
    }
    const bool feasible = i % 5 < 2;
    const sc_store_state state = feasible ? SC_STATE_FEASIBLE : SC_STATE_INFEASIBLE;
    const char *reasons =
        feasible ? NULL : "[{\"code\":\"area\",\"where\":\"chip\",\"excess\":12.5}]";
    const sc_hash128 point = sc_hash128_of(&i, sizeof i);
    const sc_store_result r = {.design = point,
                               .workload = {1, 2},
                               .model_version = "model-1",
                               .options = "batch=1",
                               .evaluator = "model",
                               .state = state,
                               .metrics = metrics,
                               .n_metrics = VALUES,
                               .reasons = reasons};
    const sc_store_trial t = {.index = i,
                              .point = point,
                              .parameters = text,
                              .state = state,
                              .values = values,
                              .n_values = VALUES,
                              .violation = feasible ? 0 : 1.5,
                              .reasons = reasons,
                              .evaluator = "model",
                              .model_version = "model-1"};
    check(sc_store_put_result(s, &r));
    check(sc_store_put_trial(w, &t));
}

static void write_rows(sc_store *s, const char *name, sc_store_keep keep, uint64_t n,
                       uint64_t batch)
{
    static const char state[16384] = {1}; /* an optimiser's, at the end of each batch */
    char what[80];
    char policy[SC_STORE_KEEP_LEN];
    sc_store_writer *w = open_study(s, name, keep);
    const double start = sc_now();
    for (uint64_t i = 0; i < n; i += batch) {
        check(sc_store_begin(s));
        for (uint64_t k = i; k < i + batch && k < n; k++)
            put(s, w, k);
        check(sc_store_put_checkpoint(w, state, sizeof state));
        check(sc_store_commit(s));
    }
    (void)snprintf(what, sizeof what, "trials, batches of %" PRIu64 ", keep %s", batch,
                   sc_store_keep_text(policy, keep));
    report(what, n, sc_now() - start);
    sc_store_writer_close(w);
}

static sc_status drop(const char *bytes, size_t n, void *payload)
{
    (void)bytes;
    *(size_t *)payload += n;
    return SC_OK;
}

static void read_rows(sc_store *s, const char *name, sc_store_format format, const char *what)
{
    size_t bytes = 0;
    const double start = sc_now();
    check(sc_store_export(s, name, format, drop, &bytes));
    report(what, ROWS, sc_now() - start);
}

static void look_up(sc_store *s)
{
    const sc_store_result *found = NULL;
    uint64_t hits = 0;
    const double start = sc_now();
    for (uint64_t i = 0; i < ROWS; i++) {
        const sc_store_result r = {.design = sc_hash128_of(&i, sizeof i),
                                   .workload = {1, 2},
                                   .model_version = "model-1",
                                   .options = "batch=1"};
        check(sc_store_get_result(&found, s, sc_store_result_key(&r)));
        hits += found != NULL;
    }
    report("results looked up in the cache", hits, sc_now() - start);
}

int main(int argc, char **argv)
{
    sc_store *s = NULL;
    sc_store_check rows;
    if (argc != 2) {
        fprintf(stderr, "usage: bench_store DATABASE\n");
        return 4;
    }
    check(sc_store_open(&s, argv[1], SC_STORE_CREATE));
    write_rows(s, "single", (sc_store_keep){SC_KEEP_ALL, 0}, SINGLES, 1);
    write_rows(s, "hundreds", (sc_store_keep){SC_KEEP_ALL, 0}, ROWS / 4, 100);
    write_rows(s, "thousands", (sc_store_keep){SC_KEEP_ALL, 0}, ROWS, 1000);
    write_rows(s, "front", (sc_store_keep){SC_KEEP_PARETO, 0}, ROWS, 1000);
    look_up(s);
    read_rows(s, "thousands", SC_STORE_CSV, "trials exported as CSV");
    read_rows(s, "thousands", SC_STORE_JSON, "trials exported as JSON");
    const double start = sc_now();
    check(sc_store_verify(s, NULL, NULL, &rows));
    report("rows verified", rows.rows, sc_now() - start);
    sc_store_close(s);
    return 0;
}
