/* The mapper and the network model on random points of the `fast` template.
 * bench_net CONFIGS quality [DESIGNS]   geometric means of latency, energy and the mapper's work
 * bench_net CONFIGS monotone [PAIRS]    how often one step more of a resource makes an op slower
 * bench_net CONFIGS warm                EfficientNet-B7 on one design with every mapping known */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "core/mem.h"
#include "core/rng.h"
#include "model/net/network.h"

enum { DOMAIN_DESIGN = 1, DOMAIN_PAIR = 2, MAX_PARAMS = 64 };

static void check(sc_status st)
{
    if (st != SC_OK) {
        fprintf(stderr, "bench_net: %s\n", sc_error_message());
        exit(1);
    }
}

/* Of this process: other work on the machine does not count. */
static double cpu_s(void)
{
    return (double)clock() / CLOCKS_PER_SEC;
}

static const char *const networks[] = {"efficientnet-b0", "resnet50", "bert-base:seq=128",
                                       "unet:572"};
enum { NETWORKS = sizeof networks / sizeof *networks };

static void random_point(uint32_t index[MAX_PARAMS], const sc_template *t, sc_rng *r)
{
    for (size_t i = 0; i < sc_template_params(t); i++)
        index[i] = (uint32_t)gsl_rng_uniform_int(&r->gsl, sc_template_param(t, i)->n_values);
    sc_template_canonical(t, index);
}

static sc_network *open_network(const char *name, const sc_arch *a)
{
    sc_workload *w = NULL;
    sc_network *n = NULL;
    uint64_t batch;
    check(sc_workload_open(&w, name));
    check(sc_network_batch(&batch, a, w, 0));
    check(sc_network_create(&n, w, batch));
    sc_workload_destroy(w);
    return n;
}

/* ---- quality ---- */

static void quality(const sc_template *t, uint64_t designs)
{
    for (int k = 0; k < NETWORKS; k++) {
        double latency = 0.0, energy = 0.0, work = 0.0;
        uint64_t fit = 0;
        const double start = cpu_s();
        for (uint64_t i = 0; i < designs; i++) {
            sc_rng r;
            uint32_t index[MAX_PARAMS];
            sc_arch a;
            sc_budget budget;
            sc_network_result result;
            sc_rng_init(&r, 1, DOMAIN_DESIGN, i);
            random_point(index, t, &r);
            check(sc_template_arch(&a, t, index));
            check(sc_template_budget(&budget, t, index));
            sc_network *n = open_network(networks[k], &a);
            sc_op_cost *cost = sc_calloc(sc_network_unique(n), sizeof *cost);
            const sc_network_options o = {.threads = 1};
            check(sc_network_cost(&result, cost, n, &a, &budget, &o));
            for (size_t u = 0; u < sc_network_unique(n); u++)
                work += (double)cost[u].evaluations;
            if (result.feasible) {
                fit++;
                latency += log(result.metrics.latency_s);
                energy += log(result.metrics.energy_j);
            }
            sc_free(cost);
            sc_network_destroy(n);
        }
        printf("%-20s fit %llu  latency %.6g s  energy %.6g J  evaluations %.3g  cpu %.2f s\n",
               networks[k], (unsigned long long)fit, exp(latency / (double)fit),
               exp(energy / (double)fit), work, cpu_s() - start);
    }
}

/* ---- monotone ---- */

static const char *const resources[] = {"pes_x",         "pes_y",          "vector_multiplier",
                                        "l1_input",      "l1_weight",      "l1_output",
                                        "l2_input_mult", "l2_weight_mult", "l2_output_mult",
                                        "l3_global",     "gddr6_channels"};
enum { RESOURCES = sizeof resources / sizeof *resources };

static size_t find_param(const sc_template *t, const char *name)
{
    for (size_t i = 0; i < sc_template_params(t); i++)
        if (strcmp(sc_template_param(t, i)->name, name) == 0)
            return i;
    exit(1);
}

typedef struct tally {
    uint64_t pairs, slower, slower_by_1, slower_by_10;
    double worst;
} tally;

static void count_pair(tally *of, double before, double after)
{
    const double ratio = after / before;
    of->pairs++;
    of->slower += ratio > 1.0;
    of->slower_by_1 += ratio > 1.01;
    of->slower_by_10 += ratio > 1.1;
    of->worst = fmax(of->worst, ratio);
}

static void print_tally(const char *name, const tally *of)
{
    const double n = of->pairs ? (double)of->pairs : 1.0;
    printf("%-18s pairs %5llu  slower %5.2f %%  by 1 %% %5.2f %%  by 10 %% %5.2f %%  worst %.3f\n",
           name, (unsigned long long)of->pairs, 100 * (double)of->slower / n,
           100 * (double)of->slower_by_1 / n, 100 * (double)of->slower_by_10 / n, of->worst);
}

/* What to run to see a pair again. */
static void show_pair(const sc_template *t, const uint32_t *point, size_t grown, const sc_op *op,
                      const sc_workload *w, double before, double after)
{
    sc_design *d = NULL;
    check(sc_design_create(&d, t, point));
    printf("%.0f -> %.0f cycles when %s grew: scantle map %s %s -b 8 --op %s\n", before, after,
           sc_template_param(t, grown)->name, sc_design_spec(d), w->name, op->name);
    sc_design_destroy(d);
}

/* Pair i: a random point, a random resource one value up, a random op of a random network. */
static bool one_pair(tally *of, int *resource, const sc_template *t, sc_workload *const *nets,
                     uint64_t i)
{
    sc_rng r;
    uint32_t index[MAX_PARAMS], more[MAX_PARAMS];
    sc_arch a;
    sc_op_cost before, after;
    sc_rng_init(&r, 1, DOMAIN_PAIR, i);
    random_point(index, t, &r);
    *resource = (int)gsl_rng_uniform_int(&r.gsl, RESOURCES);
    const sc_workload *w = nets[gsl_rng_uniform_int(&r.gsl, NETWORKS)];
    const sc_op *op = &w->ops[gsl_rng_uniform_int(&r.gsl, w->n_ops)];
    const size_t p = find_param(t, resources[*resource]);
    const sc_param *param = sc_template_param(t, p);
    if (!sc_template_active(t, p, index) || index[p] + 1 >= param->n_values ||
        param->values[index[p]] == 0.0)
        return false;
    memcpy(more, index, sizeof more);
    more[p]++;
    check(sc_template_arch(&a, t, index));
    check(sc_op_cost_of(&before, op, &a, &(sc_cost_options){.map_budget = 0}));
    check(sc_template_arch(&a, t, more));
    check(sc_op_cost_of(&after, op, &a, &(sc_cost_options){.map_budget = 0}));
    if (before.misfit.code != SC_FITS)
        return false;
    count_pair(of, before.cycles, after.misfit.code == SC_FITS ? after.cycles : HUGE_VAL);
    if (of->slower_by_10)
        show_pair(t, more, p, op, w, before.cycles, after.cycles);
    return true;
}

static void monotone(const sc_template *t, uint64_t pairs)
{
    sc_workload *nets[NETWORKS] = {0};
    tally all = {0}, each[RESOURCES] = {{0}};
    const double start = cpu_s();
    for (int k = 0; k < NETWORKS; k++) {
        sc_workload *w = NULL;
        check(sc_workload_open(&w, networks[k]));
        check(sc_workload_with_batch(&nets[k], w, 8));
        sc_workload_destroy(w);
    }
    for (uint64_t i = 0; all.pairs < pairs; i++) {
        tally one = {0};
        int resource;
        if (!one_pair(&one, &resource, t, nets, i))
            continue;
        count_pair(&all, 1.0, one.worst);
        count_pair(&each[resource], 1.0, one.worst);
    }
    for (int k = 0; k < RESOURCES; k++)
        print_tally(resources[k], &each[k]);
    print_tally("all", &all);
    printf("cpu %.2f s\n", cpu_s() - start);
    for (int k = 0; k < NETWORKS; k++)
        sc_workload_destroy(nets[k]);
}

/* ---- warm ---- */

static void warm(void)
{
    enum { RUNS = 2000 };
    sc_design *d = NULL;
    sc_memo *memo = NULL;
    sc_network_result result;
    check(sc_design_open(&d, "fast"));
    check(sc_memo_create(&memo, 4096));
    const sc_arch *a = sc_design_arch(d);
    sc_network *n = open_network("efficientnet-b7", a);
    sc_op_cost *cost = sc_calloc(sc_network_unique(n), sizeof *cost);
    const sc_network_options o = {.memo = memo, .threads = 1};
    double start = cpu_s();
    check(sc_network_cost(&result, cost, n, a, sc_design_budget(d), &o));
    printf("efficientnet-b7 cold: %.2f ms\n", (cpu_s() - start) * 1e3);
    start = cpu_s();
    for (int i = 0; i < RUNS; i++)
        check(sc_network_cost(&result, cost, n, a, sc_design_budget(d), &o));
    printf("efficientnet-b7 warm: %.4f ms, one thread, %zu ops of %zu shapes\n",
           (cpu_s() - start) * 1e3 / RUNS, sc_workload_ops(sc_network_workload(n)),
           sc_network_unique(n));
    sc_free(cost);
    sc_network_destroy(n);
    sc_memo_destroy(memo);
    sc_design_destroy(d);
}

int main(int argc, char **argv)
{
    sc_template *t = NULL;
    if (argc < 3) {
        fprintf(stderr, "usage: bench_net CONFIGS quality|monotone|warm [N]\n");
        return 1;
    }
    const uint64_t n = argc > 3 ? strtoull(argv[3], NULL, 10) : 0;
    check(sc_data_dir_set(argv[1]));
    check(sc_template_open(&t, "fast"));
    if (strcmp(argv[2], "quality") == 0)
        quality(t, n ? n : 60);
    else if (strcmp(argv[2], "monotone") == 0)
        monotone(t, n ? n : 2000);
    else
        warm();
    sc_template_destroy(t);
    return 0;
}
