#include "model/net/op_cost.h"

#include <math.h>
#include <string.h>

#include "model/mapper/array.h"
#include "model/mapper/footprint.h"

void sc_op_tensor_names(const char *names[SC_MAX_TENSORS], const sc_op *op)
{
    names[0] = "input";
    names[1] = sc_op_is_mac(op) ? "weight" : "parameters";
    names[2] = "output";
    for (int t = 3; t < SC_MAX_TENSORS; t++)
        names[t] = "";
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

void sc_op_cost_mapped(sc_op_cost *out, const sc_mapped *m, const sc_arch *a)
{
    memset(out, 0, sizeof *out);
    out->misfit = m->misfit;
    out->evaluations = m->evaluations;
    if (m->misfit.code != SC_FITS)
        return;
    out->prefill_cycles = m->prefill_cycles;
    out->cycles = m->total_cycles;
    out->compute_cycles = m->compute_cycles;
    out->lower_bound_cycles = m->lower_bound_cycles;
    out->bound = m->cost.bound;
    out->energy_pj = m->cost.energy_pj;
    out->compute_pj = m->cost.mac_pj;
    for (int level = 0; level < (int)a->n_levels; level++)
        for (int t = 0; t < m->padded.n_tensors; t++) {
            const sc_access *at = &m->counts.at[level][t];
            const double words = (double)(at->reads + at->fills + at->updates) *
                                 (double)m->counts.used_instances[level];
            out->tensor_pj[level][slot_of(&m->padded.tensor[t])] += m->cost.tensor_pj[level][t];
            out->level_bytes[level] +=
                sc_footprint_units(&a->level[level], &m->padded.tensor[t], words);
        }
}

sc_status sc_op_cost_of(sc_op_cost *out, const sc_op *op, const sc_arch *a, uint64_t budget)
{
    if (!sc_op_is_mac(op)) {
        sc_vector_cost_of(out, op, a);
        return SC_OK;
    }
    sc_einsum e;
    sc_mapped mapped;
    sc_map_options options = SC_MAP_OPTIONS_INIT;
    sc_status st = sc_op_einsum_on(&e, op, a);
    if (st != SC_OK)
        return st;
    options.budget = budget;
    options.input_share = sc_op_input_share(op, &e);
    if ((st = sc_map_op(&mapped, &e, a, &options)) == SC_OK)
        sc_op_cost_mapped(out, &mapped, a);
    return st;
}

sc_status sc_op_shape_hash(sc_hash128 *out, const sc_op *op)
{
    sc_einsum e;
    uint64_t word[8 + SC_MAX_DIMS + SC_MAX_TENSORS * (4 + SC_MAX_RANKS * (1 + 2 * SC_MAX_TERMS))];
    size_t n = 0;

    word[n++] = (uint64_t)op->kind;
    word[n++] = op->bits;
    word[n++] = op->in_elems;
    word[n++] = op->out_elems;
    word[n++] = op->other_params;
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
