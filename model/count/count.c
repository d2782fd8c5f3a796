#include "model/count/count.h"

#include <string.h>

#include "model/count/clip.h"
#include "model/count/flow.h"

static sc_status too_large(void)
{
    return sc_fail(SC_ERANGE, "the mapping makes more than 2^63 - 1 accesses of some tensor");
}

static bool fits(const sc_counts *c, unsigned n_levels, unsigned n_tensors)
{
    uint64_t any = c->macs | c->used_macs | c->compute_cycles;
    for (unsigned l = 0; l < n_levels; l++)
        for (unsigned i = 0; i < n_tensors; i++) {
            const sc_access *a = &c->at[l][i];
            any |= a->tile | a->reads | a->fills | a->updates;
        }
    return !(any >> 63);
}

sc_status sc_count_with(sc_counts *out, const sc_count_plan *p, const sc_arch *a,
                        const sc_mapping *m, const sc_count_options *o)
{
    sc_counts c;
    sc_nest nest;
    sc_moves moves;
    sc_flow flow;
    sc_flow_input in = {p, a, m, o, &nest, &moves, 0};
    sc_nest_build(&nest, p, m);
    bool overflow = nest.overflow;
    if (nest.ragged && !o->pad && !overflow)
        return sc_clip_count(out, p, a, m, o, &nest);
    memset(&c, 0, sizeof c);
    for (unsigned l = 0; l < m->n_levels; l++)
        c.used_instances[l] = nest.used[l];
    c.used_macs = nest.used[m->n_levels];
    c.macs = c.compute_cycles = nest.outer[0];
    sc_nest_mul(&c.macs, c.used_macs, &overflow);
    for (in.tensor = 0; in.tensor < p->n_tensors && !overflow; in.tensor++) {
        const sc_plan_tensor *t = &p->tensor[in.tensor];
        if (!t->plain || o->links != SC_LINKS_NONE)
            sc_moves_build(&moves, &nest, t);
        sc_flow_build(&flow, &in, &overflow);
        if (flow.uneven)
            sc_flow_uneven(c.at, &flow, &in);
        else
            sc_flow_even(c.at, &flow, &in, &overflow);
    }
    if (overflow || !fits(&c, m->n_levels, p->n_tensors))
        return too_large();
    *out = c;
    return SC_OK;
}

sc_status sc_count(sc_counts *out, const sc_einsum *e, const sc_arch *a, const sc_mapping *m,
                   const sc_count_options *o)
{
    sc_count_plan plan;
    sc_count_plan_init(&plan, e);
    return sc_count_with(out, &plan, a, m, o);
}
