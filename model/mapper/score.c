#include "model/mapper/score.h"

#include <math.h>

#include "model/mapper/array.h"
#include "model/mapper/footprint.h"

void sc_scorer_init(sc_scorer *s, const sc_einsum *e, const sc_arch *a, const sc_map_options *o)
{
    s->e = e;
    s->a = a;
    s->input_share = o->input_share;
    s->sequential = o->sequential - 1;
    s->clip = false;
    sc_count_plan_init(&s->plan, e);
}

/* Zero padding exists only inside the innermost buffer: scale what is brought in from outside it.
 */
static void scale_input(sc_counts *c, const sc_einsum *e, const sc_arch *a, double share)
{
    const int buffer = sc_inner_buffer(a);
    for (int t = 0; t < e->n_tensors; t++) {
        if (e->tensor[t].role != SC_ROLE_INPUT)
            continue;
        for (int level = 0; level <= buffer; level++) {
            sc_access *at = &c->at[level][t];
            if (level < buffer)
                at->reads = (uint64_t)ceil((double)at->reads * share);
            at->fills = (uint64_t)ceil((double)at->fills * share);
        }
    }
}

void sc_score_first_extents(uint64_t *extent, const sc_einsum *e, const sc_arch *a,
                            const sc_mapping *m, bool clip)
{
    const int inner = sc_inner_buffer(a);
    for (int d = 0; d < e->n_dims; d++)
        extent[d] = 1;
    for (int level = 0; level < m->n_levels; level++) {
        const sc_block *b = &m->level[level];
        for (int i = 0; i < b->spatial.n; i++)
            extent[b->spatial.dim[i]] *= b->spatial.factor[i];
        for (int i = 0; level >= inner && i < b->temporal.n; i++)
            extent[b->temporal.dim[i]] *= b->temporal.factor[i];
    }
    for (int d = 0; d < e->n_dims; d++)
        if (clip && extent[d] > e->bound[d])
            extent[d] = e->bound[d];
}

static double first_tile_units(const sc_scorer *s, const sc_mapping *m)
{
    const sc_einsum *e = s->e;
    uint64_t extent[SC_MAX_DIMS];
    double units = 0.0;
    sc_score_first_extents(extent, e, s->a, m, s->clip);
    for (int t = 0; t < e->n_tensors; t++)
        if (e->tensor[t].role != SC_ROLE_OUTPUT)
            units += sc_footprint_units(&s->a->level[0], &e->tensor[t],
                                        sc_footprint_words(&e->tensor[t], extent));
    return units;
}

static double prefill(const sc_scorer *s, const sc_mapping *m)
{
    const sc_level *outer = &s->a->level[0];
    if (outer->no_overlap)
        return 0.0; /* all of its time is counted */
    double bw = outer->read_bw > 0.0 ? outer->read_bw : outer->shared_bw;
    if (outer->shared_bw > 0.0)
        bw = fmin(bw, outer->shared_bw);
    return bw > 0.0 ? ceil(first_tile_units(s, m) / bw) : 0.0;
}

/* Steps that wait for one another cannot share a pass of the array: the cycles of one, as often as
 * there are. */
static double mac_cycles(const sc_scorer *s, const sc_mapping *m, uint64_t cycles)
{
    sc_mapping one_step;
    uint64_t steps = 1;
    if (s->sequential < 0)
        return sc_array_cycles(s->e, s->a, m, cycles, s->clip);
    one_step = *m;
    for (int level = 0; level < m->n_levels; level++) {
        sc_loops *loops = &one_step.level[level].temporal;
        for (int i = 0; i < loops->n; i++)
            if (loops->dim[i] == s->sequential) {
                steps *= loops->factor[i];
                loops->factor[i] = 1;
            }
    }
    if (s->clip) {
        sc_einsum one = *s->e;
        const unsigned d = (unsigned)s->sequential;
        steps = sc_mapping_dim(m, d, one.bound[d]).steps;
        one.bound[d] = sc_mapping_dim(&one_step, d, 1).product;
        return (double)steps * sc_array_cycles(&one, s->a, &one_step, cycles / steps, true);
    }
    return (double)steps * sc_array_cycles(s->e, s->a, &one_step, cycles / steps, false);
}

double sc_score_floor(const sc_scorer *s, const sc_mapping *m)
{
    double cycles = 1.0;
    for (int d = 0; s->clip && d < s->e->n_dims; d++)
        cycles *= (double)sc_mapping_dim(m, (unsigned)d, s->e->bound[d]).steps;
    for (int level = 0; !s->clip && level < m->n_levels; level++)
        for (int i = 0; i < m->level[level].temporal.n; i++)
            cycles *= (double)m->level[level].temporal.factor[i];
    if (cycles > 0x1p63)
        return cycles; /* sc_score says so */
    return mac_cycles(s, m, (uint64_t)cycles);
}

sc_status sc_score(sc_mapped *out, const sc_scorer *s, const sc_mapping *m)
{
    sc_count_options o = SC_COUNT_OPTIONS_INIT;
    o.charge_drain = true;
    o.pad = !s->clip;
    const sc_status st = sc_count_with(&out->counts, &s->plan, s->a, m, &o);
    if (st != SC_OK)
        return st;
    if (s->input_share < 1.0)
        scale_input(&out->counts, s->e, s->a, s->input_share);
    out->compute_cycles = mac_cycles(s, m, out->counts.compute_cycles);
    sc_cost_of(&out->cost, &out->counts, out->compute_cycles, s->e, s->a);
    out->prefill_cycles = prefill(s, m);
    out->total_cycles = out->cost.cycles + out->prefill_cycles;
    return SC_OK;
}
