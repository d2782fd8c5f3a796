/* Overhead of the optimisers a suggestion, cost of saved states, and how fast they close in on the
 * front of a recorded design space. Usage: bench_search [FOLDER_OF_REFERENCE_DATA] */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/mem.h"
#include "core/run.h"
#include "search/optimizer.h"
#include "search/pareto.h"
#include "search/space.h"
#include "search_table.h"

enum { SEEDS = 10, MARKS = 4, BATCH = 16, TRIALS = 100000 };
static const unsigned trial_marks[MARKS] = {100, 1000, 10000, TRIALS};
static const unsigned table_marks[MARKS] = {50, 100, 200, 500};
static const char *const optimizers[] = {"random",  "sobol", "nsga2", "cmaes",    "evolution",
                                         "firefly", "lcs",   "gp",    "portfolio"};
enum { N_OPTIMIZERS = sizeof optimizers / sizeof *optimizers };

static void check(sc_status st)
{
    if (st != SC_OK) {
        fprintf(stderr, "bench_search: %s\n", sc_error_message());
        exit(1);
    }
}

/* Sixteen parameters as an accelerator has them, three of them conditional, one constraint. */
static const char SPACE[] =
    "version: 1\nname: bench\nparameters:\n"
    "  - {name: pes_x, kind: log2, min: 1, max: 256}\n"
    "  - {name: pes_y, kind: log2, min: 1, max: 256}\n"
    "  - {name: rows, kind: log2, min: 1, max: 256}\n"
    "  - {name: cols, kind: log2, min: 1, max: 256}\n"
    "  - {name: lanes, kind: log2, min: 1, max: 16}\n"
    "  - {name: l1, kind: categorical, values: [private, shared]}\n"
    "  - {name: l1_in, kind: log2, unit: B, min: 1 KiB, max: 1 MiB}\n"
    "  - {name: l1_weight, kind: log2, unit: B, min: 1 KiB, max: 1 MiB}\n"
    "  - {name: l1_out, kind: log2, unit: B, min: 1 KiB, max: 1 MiB}\n"
    "  - {name: l2, kind: categorical, values: [off, private, shared]}\n"
    "  - {name: l2_in, kind: log2, min: 1, max: 128, when: \"l2 != 'off'\"}\n"
    "  - {name: l2_weight, kind: log2, min: 1, max: 128, when: \"l2 != 'off'\"}\n"
    "  - {name: l2_out, kind: log2, min: 1, max: 128, when: \"l2 != 'off'\"}\n"
    "  - {name: l3, kind: log2, unit: B, first: [0], min: 1 MiB, max: 256 MiB}\n"
    "  - {name: channels, kind: log2, min: 1, max: 8}\n"
    "  - {name: batch, kind: log2, min: 1, max: 256}\n"
    "constraints:\n  array: pes_x * pes_y * rows * cols <= 2^20\n";

static sc_space *open_space(void)
{
    sc_space *s = NULL;
    sc_yaml *y = NULL;
    check(sc_yaml_parse(&y, "bench", SPACE, sizeof SPACE - 1));
    check(sc_space_from_yaml(&s, y));
    sc_yaml_close(y);
    return s;
}

/* Cheap, with a front that goes on moving, a quarter infeasible. */
static sc_trial evaluate(const sc_problem *p, const uint32_t *point, double *f)
{
    double violation = -(double)p->n_params;
    for (size_t j = 0; j < p->n_objectives; j++) {
        f[j] = 0;
        for (size_t i = 0; i < p->n_params; i++)
            f[j] += fabs((double)point[i] - (double)((i + 5 * j) % p->cardinality[i]));
    }
    for (size_t i = 0; i < p->n_params; i++)
        violation += (double)point[i] / p->cardinality[i] * 1.8;
    return (sc_trial){point, violation > 0 ? SC_TRIAL_INFEASIBLE : SC_TRIAL_FEASIBLE, violation, f};
}

struct history {
    const sc_problem *problem;
    uint32_t *points; /* [TRIALS][n_params] */
    double objectives[SC_MAX_OBJECTIVES];
};

static sc_status get(void *payload, uint64_t i, sc_trial *trial)
{
    struct history *h = payload;
    *trial = evaluate(h->problem, h->points + i * h->problem->n_params, h->objectives);
    return SC_OK;
}

static void time_state(sc_optimizer *o, const sc_history *history)
{
    static const char *const names[] = {"light", "whole"};
    for (int what = SC_SAVE_LIGHT; what <= SC_SAVE_WHOLE; what++) {
        unsigned char *bytes = NULL;
        size_t n = 0;
        const double start = sc_now();
        check(sc_optimizer_save(o, (sc_save)what, &bytes, &n));
        const double saved = sc_now();
        check(sc_optimizer_load(o, bytes, n, what == SC_SAVE_LIGHT ? history : NULL));
        printf("; %s save %.2f ms, %zu bytes, load %.1f ms", names[what], 1e3 * (saved - start), n,
               1e3 * (sc_now() - saved));
        sc_free(bytes);
    }
    puts("");
}

/* A suggestion of gp takes milliseconds, and no longer after its 256 trials; one of the portfolio
 * no longer after the 1,024 of tpe. */
static size_t trials_for(const char *name)
{
    return strcmp(name, "gp") == 0 ? 1000 : strcmp(name, "portfolio") == 0 ? 10000 : TRIALS;
}

/* Seconds in ask and tell a suggestion, between the marks. */
static void time_optimizer(const char *name, const sc_problem *p, size_t batch)
{
    struct history told = {.problem = p};
    const size_t most = trials_for(name);
    const sc_history history = {most, get, &told};
    double f[BATCH][SC_MAX_OBJECTIVES], spent = 0;
    sc_trial trials[BATCH];
    sc_optimizer *o = NULL;
    size_t done = 0;

    check(sc_optimizer_create(&o, name, p, 1, NULL));
    told.points = sc_calloc(TRIALS, p->n_params * sizeof *told.points);
    check(told.points ? SC_OK : SC_ENOMEM);
    printf("  %-7s batch %2zu, %zu objectives: us a suggestion", name, batch, p->n_objectives);
    for (size_t k = 0; k < MARKS && trial_marks[k] <= most; k++) {
        const size_t from = done;
        spent = 0;
        while (done < trial_marks[k]) {
            const size_t left = trial_marks[k] - done, n = left < batch ? left : batch;
            uint32_t *points = told.points + done * p->n_params;
            size_t got = 0;
            sc_stop why;
            double start = sc_now();
            check(sc_optimizer_ask(o, n, points, &got, &why));
            spent += sc_now() - start;
            for (size_t i = 0; i < got; i++)
                trials[i] = evaluate(p, points + i * p->n_params, f[i]);
            start = sc_now();
            check(sc_optimizer_tell(o, trials, got));
            spent += sc_now() - start;
            done += got;
        }
        printf(" %6.2f", 1e6 * spent / (double)(done - from));
    }
    time_state(o, &history);
    sc_free(told.points);
    sc_optimizer_destroy(o);
}

static void bench_overhead(void)
{
    sc_space *s = open_space();
    sc_space_size size;
    sc_problem p;

    sc_space_size_of(s, &size);
    printf(
        "Overhead to 100, 1,000, 10,000, 100,000 trials; %.4g points, %.4g distinct, %.4g valid\n",
        size.product, size.distinct, size.valid);
    for (size_t m = 1; m <= 3; m++) {
        for (size_t k = 0; k < N_OPTIMIZERS; k++) {
            sc_space_problem(s, m, &p);
            time_optimizer(optimizers[k], &p, 1);
            if (m == 2)
                time_optimizer(optimizers[k], &p, BATCH);
        }
    }
    sc_space_destroy(s);
}

/* One row: mean and least share over the seeds. */
static void measure_table(const search_table *t, const char *name, uint32_t population, bool graded)
{
    const sc_optimizer_options options = {.version = 1, .population = population};
    double sum[MARKS] = {0}, least[MARKS] = {1, 1, 1, 1}, share[MARKS];
    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        check(search_table_run(share, t, name, &options, seed, graded, table_marks, MARKS));
        for (size_t j = 0; j < MARKS; j++) {
            sum[j] += share[j];
            least[j] = fmin(least[j], share[j]);
        }
    }
    printf("  %-6s population %-3u %-19s", name, population,
           graded ? "misses with amounts" : "valid or not");
    for (size_t j = 0; j < MARKS; j++)
        printf(" %.3f (%.3f)", sum[j] / SEEDS, least[j]);
    puts("");
}

static void bench_table(const char *data)
{
    static const uint32_t populations[] = {10, 20, 50, 100};
    search_table *t = sc_calloc(1, sizeof *t);
    check(t ? SC_OK : SC_ENOMEM);
    const sc_status st = search_table_read(t, data);
    if (st == SC_ENOTFOUND) {
        printf("SKIPPED: %s\n", sc_error_message());
        sc_free(t);
        return;
    }
    check(st);
    puts("Share of the front's hypervolume at 50, 100, 200, 500 evaluations: mean (least) of 10 "
         "seeds; population 0 grows");
    for (size_t k = 0; k < N_OPTIMIZERS; k++)
        measure_table(t, optimizers[k], 0, false);
    measure_table(t, "nsga2", 0, true);
    for (size_t k = 0; k < sizeof populations / sizeof *populations; k++)
        measure_table(t, "nsga2", populations[k], false);
    sc_free(t);
}

/* Points of one front in m objectives, so that nothing is pruned. */
static double *make_front(size_t n, size_t m)
{
    double *v = sc_calloc(n, m * sizeof *v);
    check(v ? SC_OK : SC_ENOMEM);
    for (size_t i = 0; i < n; i++) {
        double sum = 0;
        for (size_t j = 0; j < m; j++)
            sum += v[i * m + j] = fmod((double)(i + 1) * sqrt(2.0 + 3.0 * (double)j), 1.0);
        for (size_t j = 0; j < m; j++)
            v[i * m + j] /= sum;
    }
    return v;
}

static void bench_pareto(void)
{
    static const size_t sizes[][2] = {{1000, 2}, {1000, 3}, {200, 4}, {50, 5}};
    const double ref[] = {1, 1, 1, 1, 1};
    puts("Pareto tools: points, objectives, sort us, hypervolume us");
    for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++) {
        const size_t n = sizes[k][0], m = sizes[k][1];
        double *v = make_front(n, m), volume = 0;
        uint32_t *rank = sc_calloc(n, sizeof *rank);
        sc_pareto_work *w = NULL;
        check(sc_pareto_work_create(&w, n));
        check(rank ? SC_OK : SC_ENOMEM);
        const double start = sc_now();
        (void)sc_pareto_sort(rank, v, NULL, n, m, w);
        const double sorted = sc_now();
        check(sc_hypervolume(&volume, v, n, m, ref));
        printf("  %5zu %zu %8.1f %10.1f\n", n, m, 1e6 * (sorted - start),
               1e6 * (sc_now() - sorted));
        sc_pareto_work_destroy(w);
        sc_free(rank);
        sc_free(v);
    }
}

int main(int argc, char **argv)
{
    bench_overhead();
    bench_table(argc > 1 ? argv[1] : "../shared/data");
    bench_pareto();
    return 0;
}
