/* The fusion solver on random points of the `fast` template.
 * bench_fusion CONFIGS NETWORK [DESIGNS [verbose]]  time a solve, gaps, share closed, what it wins
 * bench_fusion CONFIGS NETWORK DESIGNS glpk MS      the same problems by GLPK, at most MS ms each
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "core/mem.h"
#include "core/rng.h"
#include "fusion_glpk.h"
#include "model/net/residency.h"

enum { DOMAIN_DESIGN = 1, MAX_PARAMS = 64, MAP_BUDGET = 200 };

static void check(sc_status st)
{
    if (st != SC_OK) {
        fprintf(stderr, "bench_fusion: %s\n", sc_error_message());
        exit(1);
    }
}

static double cpu_s(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static int ascending(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

typedef struct tally {
    size_t n, proved;
    bool verbose;
    int glpk_ms;             /* 0: without */
    size_t glpk_done, equal; /* problems that GLPK proved; of them, those with our optimum */
    size_t glpk_none;        /* where it found no choice at all */
    double glpk_behind;      /* the most that its best was behind ours, relative */
    double *ms, *gap, *speedup;
    size_t binaries;
} tally;

static void ask_glpk(tally *t, const sc_fusion_problem *p, const sc_fusion_solution *s)
{
    const glpk_fusion g = solve_by_glpk(p, t->glpk_ms);
    t->glpk_done += g.finished;
    t->equal += g.finished && fabs(g.cycles - s->value.cycles) <= 1e-6 * g.cycles;
    t->glpk_none += isfinite(g.cycles) ? 0 : 1;
    if (isfinite(g.cycles))
        t->glpk_behind = fmax(t->glpk_behind, g.cycles / s->value.cycles - 1.0);
}

/* One design with a buffer; false: it has none, or the network does not run on it. */
static bool one(tally *t, const sc_template *template, const char *name, uint64_t i)
{
    sc_rng r;
    uint32_t index[MAX_PARAMS];
    sc_arch a;
    sc_budget budget;
    sc_network_result result;
    sc_workload *w = NULL;
    sc_network *n = NULL;
    sc_residency *fused = NULL;
    sc_fusion_solution s;
    uint64_t batch;
    sc_rng_init(&r, 1, DOMAIN_DESIGN, i);
    for (size_t k = 0; k < sc_template_params(template); k++)
        index[k] = (uint32_t)gsl_rng_uniform_int(&r.gsl, sc_template_param(template, k)->n_values);
    sc_template_canonical(template, index);
    check(sc_template_arch(&a, template, index));
    check(sc_template_budget(&budget, template, index));
    if (!sc_residency_level(&a))
        return false;
    check(sc_workload_open(&w, name));
    check(sc_network_batch(&batch, &a, w, 0));
    check(sc_network_create(&n, w, batch));
    sc_op_cost *cost = sc_calloc(sc_network_unique(n), sizeof *cost);
    const sc_network_options o = {.threads = 1, .map_budget = MAP_BUDGET, .stop_at_misfit = true};
    check(sc_network_cost(&result, cost, n, &a, &budget, &o));
    if (result.feasible) {
        check(sc_residency_create(&fused, n));
        const sc_fusion_options fo = SC_FUSION_OPTIONS_INIT;
        const double start = cpu_s();
        const sc_fusion_problem *p = sc_residency_problem(fused, cost, NULL, &a);
        check(sc_fusion_solve(&s, p, &fo));
        t->ms[t->n] = 1e3 * (cpu_s() - start);
        if (!s.value.feasible) {
            fprintf(stderr, "bench_fusion: design %llu: not feasible\n", (unsigned long long)i);
            exit(1);
        }
        t->gap[t->n] = s.gap;
        t->speedup[t->n] = s.plain_cycles / s.value.cycles;
        t->proved += s.proved;
        t->binaries = s.binaries;
        if (t->glpk_ms > 0)
            ask_glpk(t, p, &s);
        if (t->verbose)
            printf("%llu: L3 %g MiB, batch %llu: %.2f ms, gap %.2e, work %llu, x%.3f\n",
                   (unsigned long long)i, p->capacity_bytes / 1048576.0, (unsigned long long)batch,
                   t->ms[t->n], s.gap, (unsigned long long)s.work, t->speedup[t->n]);
        t->n++;
        sc_fusion_solution_clear(&s);
    }
    sc_residency_destroy(fused);
    sc_free(cost);
    sc_network_destroy(n);
    sc_workload_destroy(w);
    return result.feasible;
}

static double quantile(double *v, size_t n, double q)
{
    qsort(v, n, sizeof *v, ascending);
    return v[(size_t)ceil(q * (double)n) - 1];
}

int main(int argc, char **argv)
{
    if (argc < 3) {
        fprintf(stderr, "usage: bench_fusion CONFIGS NETWORK [DESIGNS [verbose | glpk MS]]\n");
        return 2;
    }
    sc_template *t = NULL;
    const size_t want = argc > 3 ? strtoul(argv[3], NULL, 10) : 100;
    tally all = {.verbose = argc > 4 && strcmp(argv[4], "verbose") == 0,
                 .glpk_ms = argc > 5 ? (int)strtol(argv[5], NULL, 10) : 0,
                 .ms = sc_calloc(want, sizeof(double)),
                 .gap = sc_calloc(want, sizeof(double)),
                 .speedup = sc_calloc(want, sizeof(double))};
    check(sc_data_dir_set(argv[1]));
    check(sc_template_open(&t, "fast"));
    uint64_t i = 0;
    for (; all.n < want && i < 1000 * want; i++)
        (void)one(&all, t, argv[2], i);
    if (all.n == 0)
        return 1;
    printf("%s: %zu designs of %llu random ones, %zu binaries\n", argv[2], all.n,
           (unsigned long long)i, all.binaries);
    printf("proved %zu (%.1f %%), worst gap %.2e\n", all.proved,
           100.0 * (double)all.proved / (double)all.n, quantile(all.gap, all.n, 1.0));
    printf("ms a solve: median %.2f, 90 %% %.2f, 99 %% %.2f, most %.2f\n",
           quantile(all.ms, all.n, 0.5), quantile(all.ms, all.n, 0.9),
           quantile(all.ms, all.n, 0.99), quantile(all.ms, all.n, 1.0));
    printf("speedup: median %.3f, most %.3f\n", quantile(all.speedup, all.n, 0.5),
           quantile(all.speedup, all.n, 1.0));
    if (all.glpk_ms > 0)
        printf("GLPK, %d ms each: proved %zu, %zu of them our optimum; else at worst %.2g behind "
               "ours, "
               "%zu without any choice\n",
               all.glpk_ms, all.glpk_done, all.equal, all.glpk_behind, all.glpk_none);
    sc_template_destroy(t);
    sc_free(all.ms);
    sc_free(all.gap);
    sc_free(all.speedup);
    return 0;
}
