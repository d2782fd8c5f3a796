#include <math.h>
#include <string.h>

#include "model/net/residency_parts.h"

/* What a step no longer moves, by slot, and cycles of the first fill. */
typedef struct spared {
    sc_moved slot[SC_SLOTS];
    double prefill;
} spared;

static void read_spared(spared *out, const sc_op_cost *c, const sc_arch *a, const sc_part *p)
{
    for (int slot = SC_SLOT_IN; slot <= SC_SLOT_WEIGHT; slot++) {
        if (p->share[slot] <= 0.0)
            continue;
        sc_residency__spare_input(&out->slot[slot], &c->traffic, slot, p->share[slot]);
        out->prefill += sc_residency__sooner(c, a, slot, p->share[slot]);
    }
}

static bool is_served(const sc_fusion_choice *c, size_t read)
{
    return read != SC_NO_READ && c->from_buffer[read];
}

static void step_spared(spared *out, const sc_residency *r, const sc_op_cost *cost,
                        const sc_arch *a, const sc_fusion_choice *c, size_t i)
{
    const sc_fusion_step *s = &r->step[i];
    const sc_part whole = {{0.0, 1.0}};
    memset(out, 0, sizeof *out);
    if (c->pinned[i])
        read_spared(out, cost, a, &whole);
    for (size_t k = s->first_read; k < s->first_read + s->n_reads; k++) {
        const sc_part *p = &r->part[k];
        const int slot = p->share[SC_SLOT_IN] > 0.0 ? SC_SLOT_IN : SC_SLOT_WEIGHT;
        if (c->from_buffer[k])
            read_spared(out, cost, a, p);
        else if (is_served(c, r->after[k]))
            out->slot[slot].written[1] -=
                sc_residency__hold_read(&cost->traffic, p, r->tensor[r->read[k].tensor].bytes);
    }
    if (s->made >= 0 && c->unwritten[s->made])
        sc_residency__spare_output(&out->slot[SC_SLOT_OUT], &cost->traffic);
    else if (s->made >= 0 && is_served(c, r->first[s->made]))
        out->slot[SC_SLOT_OUT].written[1] -= sc_residency__hold_made(&cost->traffic);
}

double sc_residency__energy_pj(const sc_level *l, const sc_moved *m, int level, int slot)
{
    static const sc_role role[SC_SLOTS] = {SC_ROLE_INPUT, SC_ROLE_WEIGHT, SC_ROLE_OUTPUT};
    const double block = l->block_bits > 0 ? l->block_bits / 8.0 : 1.0;
    const double in_pj = slot == SC_SLOT_OUT ? l->update_pj : l->write_pj;
    return (m->read[level] * l->read_pj * (1.0 - l->gated[role[slot]]) +
            m->written[level] * in_pj) /
           block;
}

static double level_cycles(const sc_op_traffic *t, const sc_level *l, int level)
{
    double read = 0.0, written = 0.0, cycles = 0.0;
    for (int slot = 0; slot < SC_SLOTS; slot++) {
        read += t->read[level][slot];
        written += t->written[level][slot];
    }
    if (l->read_bw > 0.0)
        cycles = fmax(cycles, read / l->read_bw);
    if (l->write_bw > 0.0)
        cycles = fmax(cycles, written / l->write_bw);
    if (l->shared_bw > 0.0)
        cycles = fmax(cycles, (read + written) / l->shared_bw);
    return ceil(cycles);
}

/* What sets the time now; of equals what did before. */
static int bound_of(const sc_op_cost *c, const sc_arch *a, bool mac)
{
    int bound = mac ? SC_BOUND_COMPUTE : SC_BOUND_VECTOR;
    double longest = c->compute_cycles;
    if (c->bound >= 0)
        longest = fmax(longest, c->level_cycles[c->bound]);
    if (longest > c->compute_cycles)
        bound = c->bound;
    for (uint32_t level = 0; level < a->n_levels; level++)
        if (c->level_cycles[level] > longest) {
            longest = c->level_cycles[level];
            bound = (int)level;
        }
    return bound;
}

static void apply(sc_op_cost *c, const spared *s, const sc_arch *a, bool mac)
{
    bool any = false;
    for (int level = 0; level < 2; level++) {
        for (int slot = 0; slot < SC_SLOTS; slot++) {
            const sc_moved *m = &s->slot[slot];
            if (m->read[level] == 0.0 && m->written[level] == 0.0)
                continue;
            const double pj = fmin(sc_residency__energy_pj(&a->level[level], m, level, slot),
                                   c->tensor_pj[level][slot]);
            any = true;
            c->tensor_pj[level][slot] -= pj;
            c->energy_pj -= pj;
            c->traffic.read[level][slot] = fmax(0.0, c->traffic.read[level][slot] - m->read[level]);
            c->traffic.written[level][slot] =
                fmax(0.0, c->traffic.written[level][slot] - m->written[level]);
            c->level_bytes[level] =
                fmax(0.0, c->level_bytes[level] - m->read[level] - m->written[level]);
        }
        if (any)
            c->level_cycles[level] = level_cycles(&c->traffic, &a->level[level], level);
    }
    c->prefill_cycles = fmax(0.0, c->prefill_cycles - s->prefill);
    if (any)
        c->bound = bound_of(c, a, mac);
}

void sc_residency_apply(sc_op_cost *fused, const sc_residency *r, const sc_op_cost *cost,
                        const sc_arch *a, const sc_fusion_choice *c, const double *step_cycles)
{
    for (size_t i = 0; i < r->w->n_ops; i++) {
        spared s;
        fused[i] = *sc_residency__cost(r, cost, i);
        step_spared(&s, r, &fused[i], a, c, i);
        apply(&fused[i], &s, a, sc_op_is_mac(&r->w->ops[i]));
        fused[i].cycles = step_cycles[i];
    }
}
