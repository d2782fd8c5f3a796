#include "model/mapper/tile.h"

#include <math.h>
#include <string.h>

#include "model/mapper/array.h"
#include "model/mapper/factor.h"
#include "model/mapper/footprint.h"

enum {
    LONG_PASS_COLUMNS = 4 /* a pass of so many array columns hides its ramp; double-buffered: 1 */
};

typedef struct growth {
    const sc_einsum *e;
    const sc_arch *a;
    uint64_t extent[SC_MAX_DIMS]; /* of the tile being grown, spatial loops inside it included */
    uint64_t left[SC_MAX_DIMS];   /* temporal steps not yet given to a level */
    uint64_t fan[SC_MAX_DIMS];    /* children side by side under the level that fills this one */
    int filler;                   /* that level */
    bool divisors;                /* factors divide */
    uint16_t relevant[SC_MAX_TENSORS]; /* bit 1 << dimension */
    int stationary;
    const sc_limits *limits; /* NULL: none */
} growth;

/* Steps of one dimension that a level could take at once, and what is then left for outer levels.
 */
typedef struct step {
    uint64_t factor, after;
} step;

/* The smallest factor worth taking. Where a large prime is in the way: all of it if `whole`, else
 * half of it, padded, or its least divisor where nothing may be padded. */
static step next_step(uint64_t steps, bool whole, bool divisors)
{
    for (uint64_t p = 2; p <= SC_LONGEST_EXACT_PRIME; p++)
        if (steps % p == 0)
            return (step){p, steps / p};
    if (whole)
        return (step){steps, 1};
    const uint64_t factor = divisors ? sc_factor_least(steps) : 2;
    return (step){factor, (steps + factor - 1) / factor};
}

/* Bits that the level above sends for one step of all its children: a word that several of them
 * need goes out once, if that level can multicast, and their partial sums come back as one, if it
 * can add. */
static double step_bits(const growth *g, int t)
{
    const sc_level *above = &g->a->level[g->filler];
    const bool alone = t == g->e->output ? above->no_reduction : above->no_multicast;
    uint64_t all[SC_MAX_DIMS];
    double copies = 1.0;
    for (int d = 0; d < g->e->n_dims; d++) {
        all[d] = g->extent[d] * g->fan[d];
        if (alone && !(g->relevant[t] >> d & 1))
            copies *= (double)g->fan[d];
    }
    return sc_footprint_words(&g->e->tensor[t], all) * g->e->tensor[t].bits * copies;
}

/* Bits brought into the level over the whole run under the best order: the tensor that stays is
 * loaded once a relevant step, the others at every step; partial sums go out and come back. */
static double traffic(const growth *g)
{
    double all = 1.0, once[SC_MAX_TENSORS], every[SC_MAX_TENSORS], sum = 0.0, best = HUGE_VAL;
    for (int d = 0; d < g->e->n_dims; d++)
        all *= (double)g->left[d];
    for (int t = 0; t < g->e->n_tensors; t++) {
        const double bits = step_bits(g, t);
        double distinct = 1.0;
        for (unsigned d = 0; d < g->e->n_dims; d++)
            if (g->relevant[t] >> d & 1)
                distinct *= (double)g->left[d];
        once[t] = bits * distinct;
        every[t] = t == g->e->output ? bits * (2.0 * all - distinct) : bits * all;
        sum += every[t];
    }
    for (int t = 0; t < g->e->n_tensors; t++)
        best = fmin(best, sum - every[t] + once[t]);
    return best;
}

/* How far the level's factor of a dimension may still grow. */
static uint64_t growth_allowed(const growth *g, const sc_loops *loops, int level, unsigned dim)
{
    uint64_t has = 1;
    if (!g->limits)
        return UINT64_MAX;
    for (int i = 0; i < loops->n; i++)
        if (loops->dim[i] == dim)
            has = loops->factor[i];
    return g->limits->most[level][SC_IN_TIME][dim] / has;
}

/* The next step of a dimension that fits, and the traffic after it; factor 0 if none fits, and
 * *cost as it was. */
static step try_grow(growth *g, const sc_loops *loops, int level, uint8_t keep, unsigned dim,
                     double *cost)
{
    const uint64_t left = g->left[dim], extent = g->extent[dim];
    const uint64_t most = growth_allowed(g, loops, level, dim);
    for (int whole = 1; whole >= 0; whole--) {
        const step s = next_step(left, whole, g->divisors);
        if (s.factor > most)
            continue;
        g->extent[dim] = extent * s.factor;
        g->left[dim] = s.after;
        const bool fits = sc_footprint_fit(g->a, level, g->e, keep, g->extent).code == SC_FITS;
        if (fits)
            *cost = traffic(g);
        g->extent[dim] = extent;
        g->left[dim] = left;
        if (fits)
            return s;
    }
    return (step){0, left};
}

static void accept(growth *g, sc_loops *loops, unsigned dim, step s)
{
    g->extent[dim] *= s.factor;
    g->left[dim] = s.after;
    for (int i = 0; i < loops->n; i++)
        if (loops->dim[i] == dim) {
            loops->factor[i] *= s.factor;
            return;
        }
    loops->dim[loops->n] = (uint8_t)dim;
    loops->factor[loops->n++] = s.factor;
}

/* Long passes first: grow the loops that leave the stationary tensor in place. */
static void grow_passes(growth *g, sc_loops *loops, int level, uint8_t keep)
{
    const double hidden = g->a->compute.double_buffered ? 1.0 : LONG_PASS_COLUMNS;
    const double wanted = hidden * (double)g->a->compute.rows;
    double pass = 1.0, cost;
    for (unsigned d = 0; d < g->e->n_dims; d++) {
        if (g->relevant[g->stationary] >> d & 1)
            continue;
        while (g->left[d] > 1 && pass < wanted) {
            const step s = try_grow(g, loops, level, keep, d, &cost);
            if (s.factor == 0)
                break;
            accept(g, loops, d, s);
            pass *= (double)s.factor;
        }
    }
}

/* Step by step what lowers the traffic most; with `ties` also what does not raise it: reductions
 * then run inside, where partial sums need not go further out. */
static void grow_by_traffic(growth *g, sc_loops *loops, int level, uint8_t keep, bool ties)
{
    double now = traffic(g);
    for (;;) {
        int best = -1;
        step best_step = {0, 0};
        double best_cost = now;
        for (unsigned d = 0; d < g->e->n_dims; d++) {
            double cost = HUGE_VAL;
            if (g->left[d] < 2)
                continue;
            const step s = try_grow(g, loops, level, keep, d, &cost);
            const bool tie = ties && best < 0 && cost == now;
            if (s.factor > 0 && (cost < best_cost || tie)) {
                best = (int)d;
                best_step = s;
                best_cost = cost;
            }
        }
        if (best < 0)
            return;
        accept(g, loops, (unsigned)best, best_step);
        now = best_cost;
    }
}

/* What the level keeps at the smallest tile: all it may, less the largest optional ones that do not
 * fit. */
static sc_misfit choose_keep(uint8_t *keep, const growth *g, int level)
{
    const sc_level *l = &g->a->level[level];
    const uint8_t must = g->limits ? g->limits->c->level[level].must_keep : 0;
    *keep = sc_keepable(l, g->e);
    if (g->limits)
        *keep = sc_limits_keepable(g->limits, level, *keep);
    for (;;) {
        const sc_misfit misfit = sc_footprint_fit(g->a, level, g->e, *keep, g->extent);
        if (misfit.code == SC_FITS)
            return misfit;
        int drop = -1;
        double largest = 0.0;
        for (int t = 0; t < g->e->n_tensors; t++) {
            const double units = sc_footprint_units(
                l, &g->e->tensor[t], sc_footprint_words(&g->e->tensor[t], g->extent));
            const int optional = !(l->must_keep & 1u << g->e->tensor[t].role) && !(must >> t & 1);
            if ((*keep & 1u << t) && optional && (misfit.tensor < 0 || misfit.tensor == t) &&
                units > largest) {
                drop = t;
                largest = units;
            }
        }
        if (drop < 0)
            return misfit;
        *keep &= (uint8_t) ~(1u << drop);
    }
}

void sc_tile_repeat(sc_mapping *m, int dim, uint64_t steps)
{
    sc_loops *loops = &m->level[0].temporal;
    if (steps < 2)
        return;
    loops->dim[loops->n] = (uint8_t)dim;
    loops->factor[loops->n++] = steps;
}

void sc_order_around(sc_loops *loops, uint16_t relevant, int outermost)
{
    const sc_loops before = *loops;
    int n = 0;
    for (int place = 0; place < 3; place++)
        for (int d = 0; d < SC_MAX_DIMS; d++)
            for (int i = 0; i < before.n; i++)
                if (before.dim[i] == d &&
                    (d == outermost ? 2 : (int)(relevant >> d & 1)) == place) {
                    loops->dim[n] = before.dim[i];
                    loops->factor[n++] = before.factor[i];
                }
}

static void take_spatial(growth *g, const sc_spatial *s, int level)
{
    for (int i = 0; i < s->loops[level].n; i++)
        g->extent[s->loops[level].dim[i]] *= s->loops[level].factor[i];
}

/* The level that fills this one, and the children between which its words are shared. */
static void find_filler(growth *g, const sc_spatial *s, int level)
{
    for (int d = 0; d < SC_MAX_DIMS; d++)
        g->fan[d] = 1;
    g->filler = level;
    while (g->filler > 0) {
        const sc_loops *loops = &s->loops[--g->filler];
        for (int i = 0; i < loops->n; i++)
            g->fan[loops->dim[i]] *= loops->factor[i];
        if (g->a->level[g->filler].may_keep != 0)
            return;
    }
}

/* The least factor, from `least`, that divides the steps and is not above `most`; else `least`. */
static step exact_step(uint64_t steps, uint64_t least, uint64_t most)
{
    for (uint64_t f = least; f <= most && f <= 2 * least && f <= steps; f++)
        if (steps % f == 0)
            return (step){f, steps / f};
    return (step){least, (steps + least - 1) / least};
}

/* Give the level the factors that it starts from, and of what levels outside it cannot take the
 * least that they leave. @return SC_FITS, or a level that is left with too many steps. */
static sc_misfit take_asked(growth *g, sc_loops *loops, int level)
{
    for (unsigned d = 0; g->limits && d < g->e->n_dims; d++) {
        const uint64_t least = g->limits->least[level][SC_IN_TIME][d];
        const uint64_t outside = sc_limits_outside(g->limits, level, d);
        if (least > 1)
            accept(g, loops, d, (step){least, g->left[d]});
        if (g->left[d] <= outside)
            continue;
        const uint64_t need = g->left[d] / outside + (g->left[d] % outside != 0);
        const uint64_t most = growth_allowed(g, loops, level, d);
        const step s = exact_step(g->left[d], need < most ? need : most, most);
        if (s.factor > 1)
            accept(g, loops, d, s);
        if (level == 0 && g->left[d] > 1)
            return (sc_misfit){SC_MISFIT_FANOUT, level, -1, need, most};
    }
    return (sc_misfit){SC_FITS, level, -1, 0, 0};
}

static void grow_level(growth *g, sc_loops *loops, int level, uint8_t keep, sc_growth how)
{
    if (level == 0) {
        for (unsigned d = 0; d < g->e->n_dims; d++)
            if (g->left[d] > 1)
                accept(g, loops, d, (step){g->left[d], 1});
        return;
    }
    if (level > sc_inner_buffer(g->a) || keep == 0)
        return; /* registers hold one word; a structural level holds nothing */
    const int lead = sc_level_lead(&g->a->level[level], g->e, SC_LEAD_TILE);
    while (lead >= 0 && g->left[lead] > 1) {
        double cost;
        const step s = try_grow(g, loops, level, keep, (unsigned)lead, &cost);
        if (s.factor == 0)
            break;
        accept(g, loops, (unsigned)lead, s);
    }
    if (how == SC_GROW_PASSES && g->stationary >= 0 && level == sc_inner_buffer(g->a))
        grow_passes(g, loops, level, keep);
    grow_by_traffic(g, loops, level, keep, level < sc_inner_buffer(g->a));
}

sc_misfit sc_tile_grow(sc_mapping *m, const sc_einsum *e, const sc_arch *a, const sc_spatial *s,
                       sc_growth how, const sc_limits *limits)
{
    growth g = {.e = e,
                .a = a,
                .divisors = s->divisors,
                .stationary = sc_array_stationary(e, s->dataflow),
                .limits = limits};
    sc_misfit misfit = {SC_FITS, 0, -1, 0, 0};
    const int registers = sc_array_level(a) >= 0 ? (int)a->n_levels - 1 : -1;

    memset(m, 0, sizeof *m);
    m->n_levels = (uint8_t)a->n_levels;
    memcpy(g.left, s->steps, sizeof g.left);
    for (unsigned t = 0; t < e->n_tensors; t++)
        for (unsigned d = 0; d < e->n_dims; d++)
            g.relevant[t] |= (uint16_t)(sc_einsum_relevant(e, t, d) << d);
    for (int d = 0; d < SC_MAX_DIMS; d++)
        g.extent[d] = 1;
    for (int level = (int)a->n_levels - 1; level >= 0; level--) {
        sc_block *block = &m->level[level];
        block->spatial = s->loops[level];
        block->split = s->split[level];
        block->diagonal = s->diagonal[level];
        take_spatial(&g, s, level);
        if ((misfit = take_asked(&g, &block->temporal, level)).code != SC_FITS)
            return misfit;
        if (level == registers) {
            block->keep = (uint8_t)(1u << g.stationary);
            misfit = sc_footprint_fit(a, level, e, block->keep, g.extent);
        } else {
            misfit = choose_keep(&block->keep, &g, level);
        }
        if (misfit.code != SC_FITS)
            return misfit;
        find_filler(&g, s, level);
        grow_level(&g, &block->temporal, level, block->keep, how);
        sc_order_around(&block->temporal,
                        g.relevant[g.stationary >= 0 ? (unsigned)g.stationary : e->output], -1);
    }
    return misfit;
}
