#include <math.h>
#include <string.h>

#include "model/count/nest.h"

/* Physical accesses that so many words of one tensor take. */
static uint64_t blocks(const sc_level *l, const sc_tensor *t, uint64_t words)
{
    const uint64_t block = l->word_bits > 0 ? l->block_words : l->block_bits;
    const uint64_t unit = l->word_bits > 0 ? 1 : sc_level_bits(l, t);
    uint64_t amount;
    if (block == 0)
        return words;
    if (l->word_bits == 0 && l->compression[t->role] > 1)
        return (uint64_t)ceil((double)words * sc_level_moved_bits(l, t) / (double)block);
    if (__builtin_mul_overflow(words, unit, &amount) || amount > UINT64_MAX - block) {
        const sc_u128 wide = ((sc_u128)words * unit + block - 1) / block;
        return wide > UINT64_MAX ? UINT64_MAX : (uint64_t)wide;
    }
    amount += block - 1;
    return block & (block - 1) ? amount / block : amount >> __builtin_ctzll(block);
}

/* How far a bandwidth slows the run down: 1 or less. */
static double slowdown(double bandwidth, double usage)
{
    return bandwidth > 0 && usage > bandwidth ? bandwidth / usage : 1;
}

/* Share of a bandwidth that is used. */
static double used(double bandwidth, double usage)
{
    return bandwidth > 0 ? usage / bandwidth : 0;
}

/* Cycles after the bandwidths of one level are taken into account; of a level that does not overlap
 * with the work below, those of its transfers alone. */
static double level_time(const sc_access *at, double compute, const sc_einsum *e, const sc_level *l)
{
    double read = 0, write = 0, shared = 0;
    if (l->read_bw <= 0 && l->write_bw <= 0 && l->shared_bw <= 0)
        return l->no_overlap ? 0 : ceil(compute);
    for (unsigned i = 0; i < e->n_tensors; i++) {
        const double unit = l->word_bits > 0 ? 1 : sc_level_moved_bits(l, &e->tensor[i]) / 8.0;
        const double in = (double)(at[i].fills + at[i].updates);
        read += (double)at[i].reads / compute * unit;
        write += in / compute * unit;
        shared += ((double)at[i].reads + in) / compute * unit;
    }
    if (l->no_overlap)
        return ceil(compute * fmax(used(l->read_bw, read),
                                   fmax(used(l->write_bw, write), used(l->shared_bw, shared))));
    return ceil(compute / fmin(slowdown(l->read_bw, read),
                               fmin(slowdown(l->write_bw, write), slowdown(l->shared_bw, shared))));
}

static double level_energy(double *tensor_pj, const sc_access *at, uint64_t used,
                           const sc_einsum *e, const sc_level *l)
{
    /* The reference takes used instances to lie spread over all clusters. */
    uint64_t clusters = used;
    if (l->cluster_size > 1 && used > l->instances / l->cluster_size)
        clusters = l->instances / l->cluster_size;
    double sum = 0;
    for (unsigned i = 0; i < e->n_tensors; i++) {
        const sc_tensor *t = &e->tensor[i];
        const double read = (double)blocks(l, t, at[i].reads) * (1 - l->gated[t->role]);
        tensor_pj[i] = (read * l->read_pj + (double)blocks(l, t, at[i].fills) * l->write_pj +
                        (double)blocks(l, t, at[i].updates) * l->update_pj) *
                       (double)clusters;
        sum += tensor_pj[i];
    }
    return sum;
}

/* The reference gates unused instances, and levels that keep nothing; in our designs all leak. */
static double leaking(const sc_access *at, uint64_t used, unsigned n_tensors, const sc_level *l)
{
    if (l->word_bits == 0)
        return (double)l->instances;
    for (unsigned i = 0; i < n_tensors; i++)
        if (at[i].tile > 0)
            return (double)used;
    return 0;
}

/* Transfers that nothing runs beside come on top of what does; the longest of all is the bound. */
static void add_serial(sc_cost *out, const sc_arch *a)
{
    double longest = out->cycles, sum = out->cycles;
    for (unsigned l = 0; l < a->n_levels; l++) {
        if (!a->level[l].no_overlap)
            continue;
        sum += out->level_cycles[l];
        if (out->level_cycles[l] > longest) {
            longest = out->level_cycles[l];
            out->bound = (int)l;
        }
    }
    out->cycles = sum;
}

void sc_cost_of(sc_cost *out, const sc_counts *c, double compute_cycles, const sc_einsum *e,
                const sc_arch *a)
{
    memset(out, 0, sizeof *out);
    out->cycles = ceil(compute_cycles);
    out->bound = -1;
    out->mac_pj = (double)c->macs * (1 - a->compute.gated) * a->compute.mac_pj;
    out->energy_pj = out->mac_pj;
    for (unsigned l = 0; l < a->n_levels; l++) {
        out->level_cycles[l] = level_time(c->at[l], compute_cycles, e, &a->level[l]);
        if (!a->level[l].no_overlap && out->level_cycles[l] > out->cycles) {
            out->cycles = out->level_cycles[l];
            out->bound = (int)l;
        }
    }
    add_serial(out, a);
    for (unsigned l = 0; l < a->n_levels; l++) {
        const sc_level *level = &a->level[l];
        out->energy_pj += level_energy(out->tensor_pj[l], c->at[l], c->used_instances[l], e, level);
        if (level->leak_pj > 0)
            out->leak_pj[l] = level->leak_pj * out->cycles *
                              leaking(c->at[l], c->used_instances[l], e->n_tensors, level);
        out->energy_pj += out->leak_pj[l];
    }
}
