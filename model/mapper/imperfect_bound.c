#include <math.h>

#include "model/mapper/footprint.h"
#include "model/mapper/imperfect_space.h"

/* Fewest steps in time over the dimensions from d on, with so many lanes left: every dimension
 * takes ceil(bound / lanes) steps or more. Only lanes of which none less would do for as many
 * steps. */
static double fewest_steps(const sc_space *x, unsigned d, double lanes)
{
    double best = HUGE_VAL;
    if (d == x->n_dims)
        return 1.0;
    const uint64_t bound = x->dim[d].bound;
    for (uint64_t f = 1; (double)f <= lanes;) {
        const uint64_t steps = bound / f + (bound % f != 0);
        best = fmin(best, (double)steps * fewest_steps(x, d + 1, floor(lanes / (double)f)));
        if (steps == 1)
            break;
        f = bound / (steps - 1) + (bound % (steps - 1) != 0);
    }
    return best;
}

static double most_lanes(const sc_space *x, unsigned from)
{
    double lanes = 1.0;
    for (unsigned l = from; l < x->n_levels; l++)
        lanes *= (double)x->level[l].fan;
    return lanes;
}

/* Per-instance figures are rounded: so much of a total may be lost over all instances. */
static double rounded(double total, double instances, double share)
{
    return fmax(0.0, total - share * instances);
}

static double instances_of(const sc_space *x, unsigned level)
{
    double n = 1.0;
    for (unsigned l = 0; l < level; l++)
        n *= (double)x->level[l].fan;
    return n;
}

/* Least energy of one tensor if level l is the innermost that keeps it: whatever comes to the MACs
 * is read there in every step, once for all children at most, and has come from the outermost
 * level; sums go the other way. */
static double tensor_energy(const sc_space *x, unsigned tensor, unsigned l, double words)
{
    const double served = x->macs / most_lanes(x, l), built = instances_of(x, l);
    const sc_word_pj *outer = &x->level[0].pj[tensor], *inner = &x->level[l].pj[tensor];
    const double at_macs = fmax(rounded(served, built, 0.5), l == 0 ? words : 0.0);
    if (tensor == x->output)
        return at_macs * inner->update + (l > 0 ? words * outer->update : 0.0);
    return at_macs * inner->read +
           (l > 0 ? words * outer->read + rounded(words, built, 1.0) * inner->write : 0.0);
}

static double least_tensor(const sc_space *x, unsigned tensor, double words)
{
    double best = HUGE_VAL;
    for (unsigned l = x->n_levels; l-- > 0;) {
        if (x->level[l].may >> tensor & 1)
            best = fmin(best, tensor_energy(x, tensor, l, words));
        if (x->level[l].must >> tensor & 1)
            break; /* no level outside it is the innermost */
    }
    return best;
}

/* Cycles that the outermost level's bandwidths ask for. */
static double memory_cycles(const sc_space *x, double in, double out)
{
    const sc_level *v = &x->a->level[0];
    double cycles = 0.0;
    if (v->read_bw > 0)
        cycles = fmax(cycles, in / v->read_bw);
    if (v->write_bw > 0)
        cycles = fmax(cycles, out / v->write_bw);
    if (v->shared_bw > 0)
        cycles = fmax(cycles, (in + out) / v->shared_bw);
    return cycles;
}

void sc_least_of(sc_least *out, const sc_space *x)
{
    double in = 0.0, from = 0.0;
    const sc_level *outer = &x->a->level[0];
    *out = (sc_least){.energy_pj = x->mac_pj};
    for (unsigned i = 0; i < x->n_tensors; i++) {
        const double words = sc_footprint_touched(&x->e->tensor[i], x->e->bound);
        *(i == x->output ? &from : &in) += words * x->level[0].unit[i];
        out->energy_pj += least_tensor(x, i, words);
    }
    const double steps = fewest_steps(x, 0, most_lanes(x, 0)), memory = memory_cycles(x, in, from);
    out->cycles = outer->no_overlap ? steps + memory : fmax(steps, memory);
    out->energy_pj *= 1 - 1e-12; /* sums in another order */
    out->cycles = ceil(out->cycles * (1 - 1e-12));
    for (unsigned l = 0; l < x->n_levels; l++)
        if (x->a->level[l].word_bits == 0 || l == 0) /* what gates unused instances has used ones */
            out->leak_pj +=
                x->a->level[l].leak_pj *
                (x->a->level[l].word_bits == 0 ? (double)x->a->level[l].instances : 1.0);
}

double sc_least_value(const sc_least *least, const sc_goal *g, double cycles)
{
    const double delay = fmax(cycles, least->cycles);
    return sc_goal_value(g, least->energy_pj + least->leak_pj * delay, delay);
}
