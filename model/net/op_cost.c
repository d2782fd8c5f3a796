#include "model/net/op_cost.h"

#include <math.h>
#include <string.h>

#include "model/mapper/array.h"
#include "model/mapper/footprint.h"
#include "model/mapper/score.h"
#include "model/net/calibrated.h"

void sc_op_tensor_names(const char *names[SC_MAX_TENSORS], const sc_op *op)
{
    names[0] = "input";
    names[1] = sc_op_is_mac(op) ? "weight" : "parameters";
    names[2] = "output";
    for (int t = 3; t < SC_MAX_TENSORS; t++)
        names[t] = "";
}

const char *sc_variant_name(sc_variant v)
{
    switch (v) {
    case SC_VARIANT_THREE_PASS: return "three-pass";
    case SC_VARIANT_TWO_PASS: return "two-pass";
    case SC_VARIANT_NONE:
    case SC_VARIANTS: break;
    }
    return "";
}

double sc_op_input_share(const sc_op *op, const sc_einsum *e)
{
    if (op->kind != SC_OP_CONV && op->kind != SC_OP_DWCONV)
        return 1.0;
    for (int t = 0; t < e->n_tensors; t++) {
        if (e->tensor[t].role != SC_ROLE_INPUT)
            continue;
        const double share = (double)op->in_elems / sc_footprint_words(&e->tensor[t], e->bound);
        return share < 1.0 ? share : 1.0;
    }
    return 1.0;
}

static uint32_t bits_on(uint32_t bits, const sc_arch *a)
{
    const uint32_t own = a->compute.operand_bits;
    return own > 0 && own < bits ? own : bits;
}

uint32_t sc_op_bits_on(const sc_op *op, const sc_arch *a)
{
    return bits_on(op->bits, a);
}

sc_status sc_op_einsum_on(sc_einsum *out, const sc_op *op, const sc_arch *a)
{
    const sc_status st = sc_op_einsum(out, op);
    for (int t = 0; st == SC_OK && t < out->n_tensors; t++)
        out->tensor[t].bits = bits_on(out->tensor[t].bits, a);
    return st;
}

sc_map_options sc_op_map_options(const sc_op *op, const sc_einsum *e, const sc_cost_options *with)
{
    sc_map_options o = SC_MAP_OPTIONS_INIT;
    o.budget = with->map_budget;
    o.nodes = with->map_nodes;
    o.plain = with->rules.mapping == SC_MAPPING_PLAIN;
    o.divisors = with->rules.padding == SC_PADDING_OFF;
    o.input_share = sc_op_input_share(op, e);
    o.sequential = op->recurrent ? 1 : 0; /* dimension L stands first */
    return o;
}

/* Where a tensor of the einsum stands among input, weight, output. */
static int slot_of(const sc_tensor *t)
{
    switch (t->role) {
    case SC_ROLE_INPUT: return 0;
    case SC_ROLE_WEIGHT: return 1;
    case SC_ROLE_OUTPUT: return 2;
    case SC_ROLES: break;
    }
    return 3;
}

/* What one instance's accesses take at its bandwidths, whatever the MACs take. */
static double bandwidth_cycles(const sc_access *at, const sc_einsum *e, const sc_level *l)
{
    double read = 0.0, written = 0.0, cycles = 0.0;
    for (int t = 0; t < e->n_tensors; t++) {
        const double unit = l->word_bits > 0 ? 1.0 : sc_level_moved_bits(l, &e->tensor[t]) / 8.0;
        read += (double)at[t].reads * unit;
        written += (double)(at[t].fills + at[t].updates) * unit;
    }
    if (l->read_bw > 0.0)
        cycles = fmax(cycles, read / l->read_bw);
    if (l->write_bw > 0.0)
        cycles = fmax(cycles, written / l->write_bw);
    if (l->shared_bw > 0.0)
        cycles = fmax(cycles, (read + written) / l->shared_bw);
    return ceil(cycles);
}

static void first_tiles(sc_op_traffic *out, const sc_mapped *m, const sc_arch *a)
{
    uint64_t extent[SC_MAX_DIMS];
    sc_score_first_extents(extent, &m->padded, a, &m->mapping, true);
    for (int t = 0; t < m->padded.n_tensors; t++)
        if (m->padded.tensor[t].role != SC_ROLE_OUTPUT)
            out->first[slot_of(&m->padded.tensor[t])] =
                sc_footprint_units(&a->level[0], &m->padded.tensor[t],
                                   sc_footprint_words(&m->padded.tensor[t], extent));
}

static void traffic_of(sc_op_traffic *out, const sc_mapped *m, const sc_arch *a)
{
    for (int level = 0; level < 2 && level < (int)a->n_levels; level++)
        for (int t = 0; t < m->padded.n_tensors; t++) {
            const sc_tensor *tensor = &m->padded.tensor[t];
            const sc_access *at = &m->counts.at[level][t];
            const int slot = slot_of(tensor);
            const double unit = sc_level_moved_bits(&a->level[level], tensor) / 8.0 *
                                (double)m->counts.used_instances[level];
            out->read[level][slot] += (double)at->reads * unit;
            out->written[level][slot] += (double)(at->fills + at->updates) * unit;
            if (level == 0 || at->tile == 0)
                continue;
            out->filled[slot] += (double)at->fills * unit;
            out->tile[slot] += (double)sc_level_size(&a->level[level], tensor, at->tile);
            out->through |= (uint8_t)(1u << slot);
        }
    if (a->level[0].word_bits == 0 && !a->level[0].no_overlap)
        first_tiles(out, m, a);
}

void sc_op_cost_mapped(sc_op_cost *out, const sc_mapped *m, const sc_arch *a)
{
    memset(out, 0, sizeof *out);
    out->misfit = m->misfit;
    out->evaluations = m->evaluations;
    if (m->misfit.code != SC_FITS)
        return;
    out->prefill_cycles = m->prefill_cycles;
    out->cycles = m->total_cycles;
    if (a->calibration.name[0] && sc_calibrated_cycles(&out->cycles, m, a))
        out->modelled_cycles = m->total_cycles;
    out->compute_cycles = m->compute_cycles;
    out->lower_bound_cycles = m->lower_bound_cycles;
    out->bound = m->cost.bound;
    memcpy(out->padded, m->padded.bound, sizeof out->padded);
    out->energy_pj = m->cost.energy_pj;
    out->compute_pj = m->cost.mac_pj;
    traffic_of(&out->traffic, m, a);
    for (int level = 0; level < (int)a->n_levels; level++) {
        out->serial |= (uint32_t)a->level[level].no_overlap << level;
        out->level_cycles[level] =
            bandwidth_cycles(m->counts.at[level], &m->padded, &a->level[level]);
        for (int t = 0; t < m->padded.n_tensors; t++) {
            const sc_access *at = &m->counts.at[level][t];
            const double words = (double)(at->reads + at->fills + at->updates) *
                                 (double)m->counts.used_instances[level];
            out->tensor_pj[level][slot_of(&m->padded.tensor[t])] += m->cost.tensor_pj[level][t];
            out->level_bytes[level] +=
                sc_footprint_units(&a->level[level], &m->padded.tensor[t], words);
        }
    }
}

static double compulsory(const sc_einsum *e, const sc_arch *a, double input_share)
{
    double bytes = 0.0;
    for (int t = 0; t < e->n_tensors; t++) {
        const sc_tensor *tensor = &e->tensor[t];
        const double all = sc_footprint_touched(tensor, e->bound) *
                           sc_level_moved_bits(&a->level[0], tensor) / 8.0;
        bytes += tensor->role == SC_ROLE_INPUT ? all * input_share : all;
    }
    return bytes;
}

sc_status sc_op_cost_of(sc_op_cost *out, const sc_op *op, const sc_arch *a,
                        const sc_cost_options *o)
{
    return sc_op_cost_with_mapping(out, NULL, op, a, o);
}

sc_status sc_op_cost_with_mapping(sc_op_cost *out, sc_mapping *mapping, const sc_op *op,
                                  const sc_arch *a, const sc_cost_options *o)
{
    if (!sc_op_is_mac(op)) {
        sc_vector_cost_of(out, op, a, o->rules.softmax);
        return SC_OK;
    }
    sc_einsum e;
    sc_mapped mapped;
    sc_status st = sc_op_einsum_on(&e, op, a);
    if (st != SC_OK)
        return st;
    const sc_map_options options = sc_op_map_options(op, &e, o);
    if ((st = sc_map_op(&mapped, &e, a, &options)) != SC_OK)
        return st;
    sc_op_cost_mapped(out, &mapped, a);
    if (out->misfit.code == SC_FITS)
        out->compulsory_bytes = compulsory(&e, a, options.input_share);
    if (mapping && out->misfit.code == SC_FITS)
        *mapping = mapped.mapping;
    return SC_OK;
}

sc_status sc_op_shape_hash(sc_hash128 *out, const sc_op *op)
{
    sc_einsum e;
    uint64_t word[22 + SC_MAX_DIMS + SC_MAX_TENSORS * (4 + SC_MAX_RANKS * (1 + 2 * SC_MAX_TERMS))];
    size_t n = 0;

    word[n++] = (uint64_t)op->kind;
    word[n++] = op->bits;
    word[n++] = op->in_elems;
    word[n++] = op->out_elems;
    word[n++] = op->other_params;
    word[n++] = op->n_operands;
    word[n++] = op->n_inputs;
    word[n++] = op->t;
    word[n++] = op->r;
    word[n++] = op->s;
    word[n++] = op->cout;
    word[n++] = op->ow;
    word[n++] = op->recurrent;
    word[n++] = op->passed_elems;
    word[n++] = op->passed_macs;
    word[n++] = sc_hash64_of(op->function, strlen(op->function));
    if (sc_op_is_mac(op)) {
        const sc_status st = sc_op_einsum(&e, op);
        if (st != SC_OK)
            return st;
        for (int d = 0; d < e.n_dims; d++)
            word[n++] = e.bound[d];
        for (int t = 0; t < e.n_tensors; t++) {
            const sc_tensor *tensor = &e.tensor[t];
            word[n++] = (uint64_t)tensor->role;
            word[n++] = tensor->bits;
            word[n++] = tensor->n_ranks;
            for (int r = 0; r < tensor->n_ranks; r++) {
                word[n++] = tensor->rank[r].n_terms;
                for (int k = 0; k < tensor->rank[r].n_terms; k++) {
                    word[n++] = tensor->rank[r].dim[k];
                    word[n++] = (uint64_t)tensor->rank[r].coef[k];
                }
            }
        }
    }
    *out = sc_hash128_of(word, n * sizeof *word);
    return SC_OK;
}
