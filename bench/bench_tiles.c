/* Groups of ops in tiles, beside fusion, on random points of the `fast` template.
 * bench_tiles CONFIGS NETWORK [DESIGNS [verbose]]  time that they cost an evaluation, what they win
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "core/mem.h"
#include "core/rng.h"
#include "model/net/fused.h"

enum { DOMAIN_DESIGN = 1, MAX_PARAMS = 64, MAP_BUDGET = 200, MEMO = 4096 };

static void check(sc_status st)
{
    if (st != SC_OK) {
        fprintf(stderr, "bench_tiles: %s\n", sc_error_message());
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

static double quantile(double *v, size_t n, double q)
{
    qsort(v, n, sizeof *v, ascending);
    return v[(size_t)ceil(q * (double)n) - 1];
}

typedef struct tally {
    size_t n, grouped;
    bool verbose;
    double *ms, *speedup, *traffic, *gap; /* [designs] */
} tally;

/* An evaluation with all ops mapped already. */
typedef struct run {
    double seconds, cycles, dram_bytes, gap;
    size_t groups;
    bool feasible;
} run;

static run evaluate(const sc_network *n, const sc_arch *a, const sc_budget *budget, sc_memo *memo,
                    sc_tiles_rule tiles)
{
    sc_network_result result;
    sc_fused *fused = NULL;
    sc_tiles *groups = NULL;
    run r = {0};
    sc_op_cost *cost = sc_calloc(sc_network_unique(n), sizeof *cost);
    check(sc_fused_create(&fused, n));
    check(sc_tiles_create(&groups, n));
    sc_network_options o = {.threads = 1,
                            .map_budget = MAP_BUDGET,
                            .stop_at_misfit = true,
                            .memo = memo,
                            .fused = fused,
                            .tiles = groups};
    o.rules.fusion = SC_FUSION_ON;
    o.rules.tiles = tiles;
    check(sc_network_cost(&result, cost, n, a, budget, &o));
    const double start = cpu_s();
    if (result.feasible)
        check(sc_network_cost(&result, cost, n, a, budget, &o));
    r.seconds = cpu_s() - start;
    r.feasible = result.feasible;
    for (size_t i = 0; r.feasible && i < sc_network_workload(n)->n_ops; i++) {
        r.cycles += fused->cost[i].cycles;
        r.dram_bytes += fused->cost[i].level_bytes[0];
    }
    if (r.feasible && tiles == SC_TILES_ON) {
        (void)sc_tiles_taken(groups, &r.groups);
        r.gap = fmax(0.0, 1.0 - fused->tiles_bound / r.cycles);
    }
    sc_tiles_destroy(groups);
    sc_fused_destroy(fused);
    sc_free(cost);
    return r;
}

/* One design with a buffer on which the network runs. */
static void one(tally *t, const sc_template *template, const char *name, uint64_t i)
{
    sc_rng r;
    uint32_t index[MAX_PARAMS];
    sc_arch a;
    sc_budget budget;
    sc_workload *w = NULL;
    sc_network *n = NULL;
    sc_memo *memo = NULL;
    uint64_t batch;
    sc_rng_init(&r, 1, DOMAIN_DESIGN, i);
    for (size_t k = 0; k < sc_template_params(template); k++)
        index[k] = (uint32_t)gsl_rng_uniform_int(&r.gsl, sc_template_param(template, k)->n_values);
    sc_template_canonical(template, index);
    check(sc_template_arch(&a, template, index));
    check(sc_template_budget(&budget, template, index));
    if (!sc_tiles_possible(&a))
        return;
    check(sc_workload_open(&w, name));
    check(sc_network_batch(&batch, &a, w, 0));
    check(sc_network_create(&n, w, batch));
    check(sc_memo_create(&memo, MEMO));
    const run whole = evaluate(n, &a, &budget, memo, SC_TILES_OFF);
    if (whole.feasible) {
        const run tiles = evaluate(n, &a, &budget, memo, SC_TILES_ON);
        t->ms[t->n] = 1e3 * (tiles.seconds - whole.seconds);
        t->speedup[t->n] = whole.cycles / tiles.cycles;
        t->traffic[t->n] = tiles.dram_bytes / whole.dram_bytes;
        t->gap[t->n] = tiles.gap;
        t->grouped += tiles.groups > 0;
        if (t->verbose)
            printf("%llu: %zu groups, x%.3f, traffic %.3f, gap %.2f, %.2f ms\n",
                   (unsigned long long)i, tiles.groups, t->speedup[t->n], t->traffic[t->n],
                   tiles.gap, t->ms[t->n]);
        t->n++;
    }
    sc_memo_destroy(memo);
    sc_network_destroy(n);
    sc_workload_destroy(w);
}

static void show(const char *what, double *v, size_t n)
{
    printf("%s: least %.3g, median %.3g, 90 %% %.3g, 99 %% %.3g, most %.3g\n", what,
           quantile(v, n, 1e-9), quantile(v, n, 0.5), quantile(v, n, 0.9), quantile(v, n, 0.99),
           quantile(v, n, 1.0));
}

int main(int argc, char **argv)
{
    if (argc < 3) {
        fprintf(stderr, "usage: bench_tiles CONFIGS NETWORK [DESIGNS [verbose]]\n");
        return 2;
    }
    sc_template *t = NULL;
    const size_t want = argc > 3 ? strtoul(argv[3], NULL, 10) : 100;
    tally all = {.verbose = argc > 4,
                 .ms = sc_calloc(want, sizeof(double)),
                 .gap = sc_calloc(want, sizeof(double)),
                 .traffic = sc_calloc(want, sizeof(double)),
                 .speedup = sc_calloc(want, sizeof(double))};
    check(sc_data_dir_set(argv[1]));
    check(sc_template_open(&t, "fast"));
    uint64_t i = 0;
    for (; all.n < want && i < 1000 * want; i++)
        one(&all, t, argv[2], i);
    if (all.n == 0)
        return 1;
    printf("%s: %zu designs of %llu random ones, %zu of them with groups\n", argv[2], all.n,
           (unsigned long long)i, all.grouped);
    show("ms more than fusion alone", all.ms, all.n);
    show("times as fast", all.speedup, all.n);
    show("share of the traffic", all.traffic, all.n);
    show("gap over all groupings", all.gap, all.n);
    sc_template_destroy(t);
    sc_free(all.ms);
    sc_free(all.gap);
    sc_free(all.traffic);
    sc_free(all.speedup);
    return 0;
}
