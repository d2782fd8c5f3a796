#include "workloads/features.h"

#include <math.h>

#include "workloads/graph.h"

static const char *const names[SC_NETWORK_FEATURES] = {
    "net_macs",      "net_weights",   "net_activations", "net_largest", "net_ops",
    "net_conv",      "net_depthwise", "net_matmul",      "net_bmm",     "net_vector",
    "net_intensity", "net_m",         "net_n",           "net_k"};

const char *sc_network_feature_name(size_t i)
{
    return names[i];
}

/* Sums over ops, in double: exact to 2^53, which is past what ratios need. */
typedef struct sums {
    double macs[SC_OP_KINDS];
    double all_macs, weights, results, largest, ops;
    double vector;  /* results of ops without multiply-accumulates */
    double moved;   /* elements in and out of ops, and parameters */
    double m, n, k; /* logarithms of extents, weighted by multiply-accumulates */
} sums;

static void add_op(sums *s, const sc_op *op)
{
    const double macs = (double)op->macs, out = (double)op->out_elems;
    const double parameters = (double)op->weights + (double)op->other_params;
    s->ops++;
    s->results += out;
    s->largest = fmax(s->largest, out);
    s->moved += (double)op->in_elems + out + parameters;
    s->all_macs += macs;
    s->macs[op->kind] += macs;
    if (!sc_op_is_mac(op)) {
        s->vector += out;
        return;
    }
    s->m += macs * log((double)op->m);
    s->n += macs * log((double)op->n);
    s->k += macs * log((double)op->k);
}

static double ratio(double part, double whole)
{
    return whole > 0 ? part / whole : (double)NAN;
}

void sc_network_features(double out[SC_NETWORK_FEATURES], const sc_workload *const *network,
                         size_t n)
{
    sums s = {.ops = 0};
    for (size_t i = 0; i < n; i++) {
        s.weights += (double)network[i]->parameters;
        for (size_t j = 0; j < network[i]->n_ops; j++)
            add_op(&s, &network[i]->ops[j]);
    }
    const double conv = s.macs[SC_OP_CONV] + s.macs[SC_OP_TCONV];
    const double matmul = s.macs[SC_OP_FC] + s.macs[SC_OP_MATMUL];
    const double values[SC_NETWORK_FEATURES] = {
        s.all_macs,
        s.weights,
        s.results,
        s.largest,
        s.ops,
        ratio(conv, s.all_macs),
        ratio(s.macs[SC_OP_DWCONV], s.all_macs),
        ratio(matmul, s.all_macs),
        ratio(s.macs[SC_OP_BMM], s.all_macs),
        ratio(s.vector, s.results),
        ratio(s.all_macs, s.moved),
        exp(ratio(s.m, s.all_macs)),
        exp(ratio(s.n, s.all_macs)),
        exp(ratio(s.k, s.all_macs)),
    };
    for (size_t i = 0; i < SC_NETWORK_FEATURES; i++)
        out[i] = values[i];
}
