/**
 * Optimisers against true fronts, and the same problems for programs that ask over a pipe.
 * Usage: bench_optimizers list | run [OPTION]... | serve PROBLEM | table [-a N,...] FILE...
 *   list   the test functions, those held back, and the optimisers
 *   run    every optimiser on every problem: lines `problem,method,seed,evaluations,share,us`
 *          -p PROBLEM, -o OPTIMIZER (may be given again), -s SEEDS, -a EVALUATIONS,...
 *   serve  answers points on standard input: docs/benchmarks.md has the protocol
 *   table  medians and quartiles of such lines, of ours and of others
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/mem.h"
#include "targets.h"

enum { MOST = 64, LINE = 8192 };
static uint64_t marks[MOST] = {50, 100, 200, 500};
static size_t n_marks = 4;

static void check(sc_status st)
{
    if (st != SC_OK) {
        fprintf(stderr, "bench_optimizers: %s\n", sc_error_message());
        exit(1);
    }
}

static int usage(void)
{
    fputs("usage: bench_optimizers list | run [-p PROBLEM] [-o OPTIMIZER] [-s SEEDS] [-a N,N,...]"
          " | serve PROBLEM | table [-a N,N,...] FILE...\n",
          stderr);
    return 2;
}

static int list(void)
{
    char names[TARGET_MOST][TARGET_NAME_LEN];
    for (int held = 0; held < 2; held++) {
        const size_t n = target_names(names, held);
        for (size_t i = 0; i < n; i++)
            printf("%s %s\n", held ? "held" : "problem", names[i]);
    }
    for (size_t i = 0; sc_optimizer_builtin(i); i++)
        if (sc_compare_searches(sc_optimizer_builtin(i)))
            printf("optimizer %s\n", sc_optimizer_builtin(i));
    return 0;
}

/* ---- run ---- */

/* A table goes by the name of its study. */
static const char *name_of(const target *t, const char *given)
{
    return t->study ? sc_study_name(t->study) : given;
}

static void run_one(const target *t, const char *problem, const char *optimizer, uint64_t seeds)
{
    for (uint64_t seed = 1; seed <= seeds; seed++) {
        double share[MOST], seconds;
        const sc_compare_call call = {optimizer, seed, 1, marks, n_marks};
        check(sc_compare_run(share, &seconds, &t->as, &call));
        for (size_t k = 0; k < n_marks; k++)
            printf("%s,%s,%llu,%llu,%.6f,%.3f\n", problem, optimizer, (unsigned long long)seed,
                   (unsigned long long)marks[k], share[k], 1e6 * seconds);
    }
}

static void read_marks(char *text)
{
    n_marks = 0;
    for (char *at = strtok(text, ","); at && n_marks < MOST; at = strtok(NULL, ","))
        marks[n_marks++] = strtoull(at, NULL, 10);
}

static int run(int argc, char **argv)
{
    static char builtin[TARGET_MOST][TARGET_NAME_LEN];
    const char *problems[TARGET_MOST], *optimizers[MOST];
    size_t n_problems = 0, n_optimizers = 0;
    uint64_t seeds = 10;
    for (int i = 0; i + 1 < argc; i += 2) {
        if (strcmp(argv[i], "-p") == 0 && n_problems < TARGET_MOST)
            problems[n_problems++] = argv[i + 1];
        else if (strcmp(argv[i], "-o") == 0 && n_optimizers < MOST)
            optimizers[n_optimizers++] = argv[i + 1];
        else if (strcmp(argv[i], "-s") == 0)
            seeds = strtoull(argv[i + 1], NULL, 10);
        else if (strcmp(argv[i], "-a") == 0)
            read_marks(argv[i + 1]);
        else
            return usage();
    }
    if (n_problems == 0)
        for (n_problems = 0; n_problems < target_names(builtin, false); n_problems++)
            problems[n_problems] = builtin[n_problems];
    for (size_t p = 0; p < n_problems; p++) {
        static target t;
        check(target_open(&t, problems[p]));
        for (size_t i = 0; i < n_optimizers; i++)
            run_one(&t, name_of(&t, problems[p]), optimizers[i], seeds);
        for (size_t i = 0; n_optimizers == 0 && sc_optimizer_builtin(i); i++)
            if (sc_compare_searches(sc_optimizer_builtin(i)))
                run_one(&t, name_of(&t, problems[p]), sc_optimizer_builtin(i), seeds);
        target_close(&t);
        (void)fflush(stdout);
    }
    return 0;
}

/* ---- serve ---- */

static void print_head(const target *t, const char *name)
{
    const sc_problem *p = t->as.problem;
    printf("{\"name\": \"%s\", \"objectives\": %zu, \"constraints\": %zu, \"ref\": [",
           name_of(t, name), p->n_objectives, t->n_constraints);
    for (size_t j = 0; j < p->n_objectives; j++)
        printf("%s%.17g", j > 0 ? ", " : "", t->as.ref[j]);
    printf("], \"parameters\": [");
    for (size_t i = 0; i < p->n_params; i++)
        printf("%s{\"values\": %u, \"categorical\": %s}", i > 0 ? ", " : "", p->cardinality[i],
               p->categorical[i] ? "true" : "false");
    printf("]}\n");
    (void)fflush(stdout);
}

/* `i j k ...`: indices into the values. @return false if the line is none. */
static bool read_point(uint32_t *point, const sc_problem *p, const char *line)
{
    for (size_t i = 0; i < p->n_params; i++) {
        char *end;
        const unsigned long v = strtoul(line, &end, 10);
        if (end == line || v >= p->cardinality[i])
            return false;
        point[i] = (uint32_t)v;
        line = end;
    }
    return true;
}

/* An infeasible point of a table may have no figures: others want some, and get the reference. */
static void answer(const target *t, const uint32_t *point, sc_share *share)
{
    const size_t m = t->as.problem->n_objectives;
    double f[SC_MAX_OBJECTIVES], g[FUNCTION_MOST_CONSTRAINTS];
    sc_trial trial = {.point = point};
    target_evaluate(t, point, &trial, f, g);
    if (trial.state == SC_TRIAL_FEASIBLE)
        check(sc_share_add(share, f));
    printf("%s", sc_trial_state_name(trial.state));
    for (size_t j = 0; j < m; j++)
        printf(" %.17g", isfinite(f[j]) ? f[j] : t->as.ref[j]);
    for (size_t i = 0; i < t->n_constraints; i++)
        printf(" %.17g", g[i]);
    puts("");
    (void)fflush(stdout);
}

static int serve(const char *name)
{
    static target t;
    char line[LINE];
    uint32_t point[SC_MAX_PARAMS];
    sc_share share;
    check(target_open(&t, name));
    check(sc_share_open(&share, t.as.problem->n_objectives, t.as.ref, t.as.volume));
    print_head(&t, name);
    while (fgets(line, sizeof line, stdin)) {
        double now;
        if (strncmp(line, "share", 5) == 0) {
            check(sc_share_now(&now, &share));
            printf("%.6f\n", now);
            (void)fflush(stdout);
        } else if (strncmp(line, "reset", 5) == 0) {
            sc_share_close(&share);
            check(sc_share_open(&share, t.as.problem->n_objectives, t.as.ref, t.as.volume));
        } else if (read_point(point, t.as.problem, line)) {
            answer(&t, point, &share);
        } else {
            fprintf(stderr, "bench_optimizers: no point of %s: %s", name, line);
            return 1;
        }
    }
    sc_share_close(&share);
    target_close(&t);
    return 0;
}

/* ---- table ---- */

/* One line, its problem and method by the number of their first appearance. */
typedef struct run_line {
    size_t problem, method;
    unsigned long long evaluations;
    double share, us;
} run_line;

typedef struct results {
    char problem[MOST][MOST], method[MOST][MOST]; /* names */
    size_t n_problems, n_methods, n;
    run_line *lines; /* [n] */
    double *values;  /* [n] scratch */
} results;

static size_t number_of(char names[MOST][MOST], size_t *n, const char *name)
{
    size_t i = 0;
    while (i < *n && strcmp(names[i], name) != 0)
        i++;
    if (i == *n && *n < MOST)
        (void)snprintf(names[(*n)++], MOST, "%s", name);
    return i;
}

static void read_lines(results *r, const char *path)
{
    char text[512], problem[MOST], method[MOST];
    FILE *f = fopen(path, "r");
    if (!f) {
        fprintf(stderr, "bench_optimizers: cannot read %s\n", path);
        exit(1);
    }
    while (fgets(text, sizeof text, f)) {
        run_line l;
        int numbers = 0;
        if (sscanf(text, "%63[^,],%63[^,],%n", problem, method, &numbers) != 2 || numbers == 0)
            continue;
        char *at = text + numbers; /* seed, evaluations, share, us */
        (void)strtoull(at, &at, 10);
        l.evaluations = strtoull(at + (*at == ','), &at, 10);
        l.share = strtod(at + (*at == ','), &at);
        l.us = strtod(at + (*at == ','), &at);
        if (r->n % 1024 == 0 &&
            !(r->lines = sc_realloc_array(r->lines, r->n + 1024, sizeof *r->lines)))
            check(SC_ENOMEM);
        l.problem = number_of(r->problem, &r->n_problems, problem);
        l.method = number_of(r->method, &r->n_methods, method);
        r->lines[r->n++] = l;
    }
    (void)fclose(f);
}

/* Shares of a method on a problem after so many evaluations, 0: its times; into values. */
static size_t select_lines(results *r, size_t problem, size_t method,
                           unsigned long long evaluations)
{
    size_t n = 0;
    for (size_t i = 0; i < r->n; i++) {
        const run_line *l = &r->lines[i];
        if (l->problem == problem && l->method == method &&
            (evaluations == 0 || l->evaluations == evaluations))
            r->values[n++] = evaluations == 0 ? l->us : l->share;
    }
    return n;
}

static void print_row(results *r, size_t problem, size_t method)
{
    const size_t any = select_lines(r, problem, method, 0);
    if (any == 0)
        return;
    printf("%-24s %-22s", r->problem[problem], r->method[method]);
    for (size_t k = 0; k < n_marks; k++) {
        const size_t n = select_lines(r, problem, method, marks[k]);
        if (n > 0)
            printf("  %.3f (%.3f %.3f)", sc_compare_quantile(r->values, n, 0.5),
                   sc_compare_quantile(r->values, n, 0.25),
                   sc_compare_quantile(r->values, n, 0.75));
        else
            printf("  %19s", "-");
    }
    (void)select_lines(r, problem, method, 0);
    printf("  %10.4g\n", sc_compare_quantile(r->values, any, 0.5));
}

static int table(int n_files, char **files)
{
    static results r;
    if (n_files > 2 && strcmp(files[0], "-a") == 0) {
        read_marks(files[1]);
        n_files -= 2;
        files += 2;
    }
    for (int i = 0; i < n_files; i++)
        read_lines(&r, files[i]);
    check((r.values = sc_calloc(r.n, sizeof *r.values)) ? SC_OK : SC_ENOMEM);
    puts("Share of the true front's hypervolume after so many evaluations: median (quartiles)");
    printf("%-24s %-22s", "problem", "method");
    for (size_t k = 0; k < n_marks; k++)
        printf("  %19llu", (unsigned long long)marks[k]);
    puts("  us/suggestion");
    for (size_t p = 0; p < r.n_problems; p++)
        for (size_t m = 0; m < r.n_methods; m++)
            print_row(&r, p, m);
    sc_free(r.lines);
    sc_free(r.values);
    return 0;
}

int main(int argc, char **argv)
{
    if (argc == 2 && strcmp(argv[1], "list") == 0)
        return list();
    if (argc >= 2 && strcmp(argv[1], "run") == 0)
        return run(argc - 2, argv + 2);
    if (argc == 3 && strcmp(argv[1], "serve") == 0)
        return serve(argv[2]);
    if (argc >= 3 && strcmp(argv[1], "table") == 0)
        return table(argc - 2, argv + 2);
    return usage();
}
