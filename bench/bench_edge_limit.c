/* The area limit of the `edge` template: the area below which a wanted share of random designs runs
 * a network. bench_edge_limit CONFIGS [DESIGNS [TEMPLATE]] */
#include <stdio.h>
#include <stdlib.h>

#include "core/mem.h"
#include "core/rng.h"
#include "model/net/network.h"

enum { SEED = 1, DOMAIN_OF_LIMIT = 0x6564, MAX_PARAMS = 64, MAP_BUDGET = 64 };
static const double SHARE_THAT_RUNS = 0.2;
static const char *const NETWORK = "mobilenet-v2";

typedef struct point {
    uint32_t index[MAX_PARAMS];
    double area_mm2;
    size_t draw;
} point;

static int by_area(const void *a, const void *b)
{
    const point *x = a, *y = b;
    if (x->area_mm2 != y->area_mm2)
        return x->area_mm2 < y->area_mm2 ? -1 : 1;
    return (x->draw > y->draw) - (x->draw < y->draw);
}

static sc_status draw(point *p, size_t n, const sc_template *t)
{
    for (size_t i = 0; i < n; i++) {
        sc_budget b;
        sc_rng r;
        sc_rng_init(&r, SEED, DOMAIN_OF_LIMIT, i);
        for (size_t k = 0; k < sc_template_params(t); k++)
            p[i].index[k] =
                (uint32_t)gsl_rng_uniform_int(&r.gsl, sc_template_param(t, k)->n_values);
        sc_template_canonical(t, p[i].index);
        const sc_status st = sc_template_budget(&b, t, p[i].index);
        if (st != SC_OK)
            return st;
        p[i].area_mm2 = b.area_mm2;
        p[i].draw = i;
    }
    qsort(p, n, sizeof *p, by_area);
    return SC_OK;
}

/* Whether every op has a tile that fits, whatever the area. */
static sc_status runs(bool *out, sc_op_cost *cost, const sc_template *t, const sc_network *net,
                      sc_memo *memo, const uint32_t *index)
{
    sc_arch a;
    sc_budget b;
    sc_network_result r;
    const sc_network_options o = {
        .memo = memo, .map_budget = MAP_BUDGET, .stop_at_misfit = true}; /* any mapping will do */
    sc_status st = sc_template_arch(&a, t, index);
    if (st == SC_OK && (st = sc_template_budget(&b, t, index)) == SC_OK) {
        b.area_limit_mm2 = 0;
        st = sc_network_cost(&r, cost, net, &a, &b, &o);
    }
    if (st == SC_OK)
        *out = r.feasible;
    return st;
}

/* Smallest designs first, until as many run as are wanted. */
static sc_status find(const point *p, size_t n, const sc_template *t, const sc_network *net)
{
    const size_t wanted = (size_t)((double)n * SHARE_THAT_RUNS + 0.5);
    size_t run = 0, i = 0;
    sc_memo *memo = NULL;
    sc_op_cost *cost = sc_calloc(sc_network_unique(net), sizeof *cost);
    sc_status st = cost ? sc_memo_create(&memo, 200000) : SC_ENOMEM;
    for (; st == SC_OK && i < n && run < wanted; i++) {
        bool ok = false;
        st = runs(&ok, cost, t, net, memo, p[i].index);
        run += ok;
    }
    if (st == SC_OK && run == wanted && i < n)
        printf(
            "%zu of %zu designs run %s up to %.10g mm2; the next has %.10g mm2; %zu smaller ones "
            "have no tile that fits\n",
            run, n, NETWORK, p[i - 1].area_mm2, p[i].area_mm2, i - run);
    else if (st == SC_OK)
        printf("only %zu of %zu designs have tiles that fit\n", run, n);
    sc_memo_destroy(memo);
    sc_free(cost);
    return st;
}

int main(int argc, char **argv)
{
    const size_t n = argc > 2 ? (size_t)strtoul(argv[2], NULL, 10) : 10000;
    sc_template *t = NULL;
    sc_workload *w = NULL;
    sc_network *net = NULL;
    point *p = n ? sc_calloc(n, sizeof *p) : NULL;
    sc_status st = SC_OK;

    if (argc < 2 || !p || (st = sc_data_dir_set(argv[1])) != SC_OK ||
        (st = sc_template_open(&t, argc > 3 ? argv[3] : "edge")) != SC_OK ||
        (st = sc_workload_open(&w, NETWORK)) != SC_OK ||
        (st = sc_network_create(&net, w, 1)) != SC_OK || (st = draw(p, n, t)) != SC_OK)
        goto done;
    st = find(p, n, t, net);
done:
    if (st != SC_OK || argc < 2)
        fprintf(stderr, "%s\n",
                argc < 2 ? "bench_edge_limit CONFIGS [DESIGNS]" : sc_error_message());
    sc_network_destroy(net);
    sc_workload_destroy(w);
    sc_template_destroy(t);
    sc_free(p);
    return st != SC_OK || argc < 2;
}
