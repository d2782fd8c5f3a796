#include "model/mapper/mapper.h"

#include <limits.h>
#include <math.h>
#include <string.h>

#include "model/mapper/array.h"
#include "model/mapper/array_exact.h"
#include "model/mapper/choice_bound.h"
#include "model/mapper/footprint.h"
#include "model/mapper/limits_fit.h"
#include "model/mapper/local.h"
#include "model/mapper/plain.h"
#include "model/mapper/tile.h"

enum {
    DEFAULT_BUDGET = 8000,
    POLISH_BUDGET = 1000,
    MAX_HALVINGS = 4,
    KEPT_STARTS = 9,
    KEPT_OF_CHOICE = 1,
    POLISHED = 5
};

/* The best starts so far, best first; unscored ones have HUGE_VAL cycles. */
typedef struct starts {
    int n;
    sc_point at[KEPT_STARTS];
    sc_misfit misfit; /* of one that did not fit; SC_FITS: none yet */
} starts;

/* The design with its innermost buffers cut to a share: tiles grown on it are smaller, start sooner
 * and may leave the next level more to reuse. */
static sc_arch with_smaller_buffer(const sc_arch *a, unsigned halvings)
{
    sc_arch smaller = *a;
    sc_level *l = &smaller.level[sc_inner_buffer(a)];
    for (int role = 0; l->bounded && role < SC_ROLES; role++)
        l->capacity[role] >>= halvings;
    return smaller;
}

static void keep_start(starts *k, const sc_point *p)
{
    int at = k->n;
    while (at > 0 && sc_point_better(p, &k->at[at - 1]))
        at--;
    if (at == KEPT_STARTS)
        return;
    if (at > 0 && k->at[at - 1].cycles == p->cycles && k->at[at - 1].energy_pj == p->energy_pj)
        return; /* the same mapping, or as good as it */
    if (k->n < KEPT_STARTS)
        k->n++;
    memmove(&k->at[at + 1], &k->at[at], (size_t)(k->n - 1 - at) * sizeof *k->at);
    k->at[at] = *p;
}

/* Every way to grow tiles on one spatial choice, each scored once; the best few are kept, so that
 * choices of all kinds are searched further. */
static void grow_starts(starts *k, sc_local *s, const sc_spatial *choice)
{
    const sc_scorer *with = s->scorer;
    starts own = {0};
    sc_point grown[SC_GROWTHS] = {0}; /* the last of each kind */
    for (unsigned halvings = 0; halvings <= MAX_HALVINGS; halvings++) {
        const sc_arch smaller = with_smaller_buffer(with->a, halvings);
        for (int how = 0; how < SC_GROWTHS; how++) {
            sc_point p = {0};
            if (halvings > 0 && grown[how].mapping.n_levels > 0 &&
                sc_mapping_fit_padded(&grown[how].mapping, with->e, &smaller).code == SC_FITS)
                continue; /* would grow as large again */
            const sc_misfit misfit =
                sc_tile_grow(&p.mapping, with->e, &smaller, choice, (sc_growth)how, s->limits);
            if (with->sequential >= 0)
                sc_tile_repeat(&p.mapping, with->sequential, with->e->bound[with->sequential]);
            if (misfit.code == SC_FITS) {
                grown[how] = p;
                sc_local_score(s, &p);
                if (p.cycles < HUGE_VAL)
                    keep_start(&own, &p);
            } else if (halvings == 0) {
                k->misfit = misfit;
            }
        }
    }
    for (int i = 0; i < own.n && i < KEPT_OF_CHOICE; i++)
        keep_start(k, &own.at[i]);
}

/* Spatial loops that the search has brought down to one iteration say nothing. */
static void drop_idle_loops(sc_mapping *m)
{
    for (int level = 0; level < m->n_levels; level++) {
        sc_block *b = &m->level[level];
        const sc_block was = *b;
        b->spatial.n = b->split = b->diagonal = 0;
        for (int i = 0; i < was.spatial.n; i++) {
            if (was.spatial.factor[i] == 1)
                continue;
            b->split = (uint8_t)(b->split + (i < was.split));
            b->diagonal |= (uint8_t)((was.diagonal >> i & 1) << b->spatial.n);
            b->spatial.dim[b->spatial.n] = was.spatial.dim[i];
            b->spatial.factor[b->spatial.n++] = was.spatial.factor[i];
        }
    }
}

/* The op with the bounds that the factors multiply to. */
static void pad(sc_einsum *padded, const sc_einsum *e, const sc_mapping *m)
{
    *padded = *e;
    for (int d = 0; d < e->n_dims; d++)
        padded->bound[d] = 1;
    for (int level = 0; level < m->n_levels; level++) {
        const sc_loops *loops[] = {&m->level[level].temporal, &m->level[level].spatial};
        for (int k = 0; k < 2; k++)
            for (int i = 0; i < loops[k]->n; i++)
                padded->bound[loops[k]->dim[i]] *= loops[k]->factor[i];
    }
}

static const char *options_fault(const sc_map_options *o, int n_dims)
{
    if (o->version != 1)
        return "version must be 1";
    if (o->sequential < 0 || o->sequential > n_dims)
        return "sequential must name a dimension";
    if (o->constraints && (o->plain || o->divisors))
        return "constraints are of the search with padding: not of plain, not of divisors";
    return o->input_share > 0.0 && o->input_share <= 1.0 ? NULL : "input_share must be in (0, 1]";
}

/* What the outermost level's bandwidth asks for: every operand in once, every result out once. */
static sc_memory_bound memory_bound(const sc_einsum *e, const sc_arch *a, double input_share)
{
    const sc_level *outer = &a->level[0];
    sc_memory_bound memory = {.no_overlap = outer->no_overlap,
                              .bytes_a_cycle =
                                  outer->read_bw > 0.0 ? outer->read_bw : outer->shared_bw};
    double in_units = 0.0, out_units = 0.0;
    for (int t = 0; t < e->n_tensors; t++) {
        const sc_tensor *tensor = &e->tensor[t];
        /* as bandwidths count: parts of a byte, where words are coded, are no byte */
        const double unit = outer->word_bits > 0 ? 1.0 : sc_level_moved_bits(outer, tensor) / 8.0;
        const double units = unit * sc_footprint_touched(tensor, e->bound);
        if (tensor->role == SC_ROLE_OUTPUT)
            out_units += units;
        else
            in_units += tensor->role == SC_ROLE_INPUT ? units * input_share : units;
    }
    if (outer->read_bw > 0.0)
        memory.cycles = in_units / outer->read_bw;
    if (outer->write_bw > 0.0)
        memory.cycles = fmax(memory.cycles, out_units / outer->write_bw);
    if (outer->shared_bw > 0.0) {
        memory.cycles = fmax(memory.cycles, (in_units + out_units) / outer->shared_bw);
        memory.bytes_a_cycle = fmin(memory.bytes_a_cycle, outer->shared_bw);
    }
    return memory;
}

double sc_map_lower_bound(const sc_einsum *e, const sc_arch *a, double input_share)
{
    const sc_memory_bound memory = memory_bound(e, a, input_share);
    double macs = 1.0;
    for (int d = 0; d < e->n_dims; d++)
        macs *= (double)e->bound[d];
    const double work = macs / (double)a->compute.instances;
    return memory.no_overlap ? work + memory.cycles : fmax(work, memory.cycles);
}

/* Runs take whole cycles. The slack is for sums in another order than the engine's. */
static double whole_cycles(double least)
{
    return fmax(least, ceil(least * (1 - 1e-12)));
}

double sc_map_tight_bound(const sc_einsum *e, const sc_arch *a, double input_share, int sequential)
{
    const sc_memory_bound memory = memory_bound(e, a, input_share);
    return whole_cycles(fmax(sc_map_lower_bound(e, a, input_share),
                             sc_choice_bound(e, a, &memory, sequential - 1)));
}

/* The mapping of the fixed rule, scored. Without one, k says why if nothing does so far. */
static sc_point map_plainly(starts *k, sc_local *s, const sc_einsum *step, bool divisors)
{
    const sc_scorer *with = s->scorer;
    sc_point p = {.cycles = HUGE_VAL, .energy_pj = HUGE_VAL};
    const sc_misfit misfit = sc_plain_mapping(&p.mapping, step, with->a, divisors);
    if (k->misfit.code == SC_FITS)
        k->misfit = misfit;
    if (misfit.code != SC_FITS || p.mapping.n_levels == 0)
        return p;
    if (with->sequential >= 0)
        sc_tile_repeat(&p.mapping, with->sequential, with->e->bound[with->sequential]);
    sc_local_score(s, &p);
    return p;
}

/* Where limits leave no start, the smallest mapping that obeys them, if there is one. */
static sc_status start_from_any(sc_point *best, sc_local *s)
{
    sc_blocked space;
    sc_blocked_init(&space, s->scorer->e, s->scorer->a, s->limits->c);
    space.sequential = s->scorer->sequential;
    const sc_status st = sc_limits_look(&space);
    if (st != SC_OK || !space.fits)
        return st;
    best->mapping = space.mapping;
    sc_local_score(s, best);
    sc_local_polish(s, best);
    return s->status;
}

static void take_better(sc_point *best, const sc_point *p)
{
    if (sc_point_better(p, best))
        *best = *p;
}

/* What one search has begun with; the next one need not begin there again. */
typedef struct begun {
    int n;
    sc_spatial choice[SC_MAX_SPATIAL];
    sc_point plain;
} begun;

/* Steps that tiles share out in prime factors, so that none is padded. */
static bool grows_unpadded(uint64_t steps)
{
    for (uint64_t p = 2; p <= SC_LONGEST_EXACT_PRIME; p++)
        while (steps % p == 0)
            steps /= p;
    return steps == 1;
}

/* Whether the choice is one of divisors that the search before has grown tiles on, alike. */
static bool grown_before(const begun *before, const sc_einsum *e, const sc_spatial *choice)
{
    for (int d = 0; d < e->n_dims; d++)
        if (!grows_unpadded(choice->steps[d]))
            return false;
    for (int i = 0; i < before->n; i++)
        if (sc_spatial_same(&before->choice[i], choice, e))
            return true;
    return false;
}

/* Starts on every spatial choice, and the fixed rule's, but for those that *b has; the best of
 * them arranged, the best of those polished. Then *b has these. */
static void search(sc_point *best, sc_misfit *misfit, sc_local *s, begun *b, const sc_einsum *step,
                   double bound, bool divisors)
{
    begun now;
    starts kept = {.misfit = *misfit}, arranged = {0};
    now.n = sc_spatial_choices(now.choice, misfit, step, s->scorer->a, bound, divisors, s->limits);
    if (misfit->code != SC_FITS)
        kept.misfit = *misfit;
    for (int i = 0; i < now.n; i++)
        if (!grown_before(b, step, &now.choice[i]))
            grow_starts(&kept, s, &now.choice[i]);
    sc_point plain = now.plain = map_plainly(&kept, s, step, divisors);
    take_better(best, &plain);
    *misfit = kept.misfit;
    for (int i = 0; i < kept.n; i++) {
        sc_local_arrange(s, &kept.at[i]);
        keep_start(&arranged, &kept.at[i]);
    }
    /* beside the others, where it is as good as they: none of them is left out for it */
    const bool another = plain.cycles != b->plain.cycles || plain.energy_pj != b->plain.energy_pj;
    const int last = (arranged.n < POLISHED ? arranged.n : POLISHED) - 1;
    if (another && (last < 0 || sc_point_better(&plain, &arranged.at[last]))) {
        sc_local_polish(s, &plain);
        take_better(best, &plain);
    }
    for (int i = 0; i <= last; i++) {
        sc_local_polish(s, &arranged.at[i]);
        take_better(best, &arranged.at[i]);
    }
    *b = now;
}

/* The fixed rule alone. Where the outermost level has no room for padding, dimensions are split by
 * their divisors. */
static void search_plainly(sc_point *best, sc_misfit *misfit, sc_local *s, const sc_einsum *step,
                           bool divisors)
{
    starts none = {0};
    *best = map_plainly(&none, s, step, divisors);
    if (best->cycles == HUGE_VAL && !divisors)
        *best = map_plainly(&none, s, step, true);
    *misfit = none.misfit;
}

/* The search as the options ask for it; with padding that of divisors alone comes first, so that
 * the result is never behind it: half of what there is to spend is its own. */
static void search_all(sc_point *best, sc_misfit *misfit, sc_local *s, double bound,
                       const sc_map_options *o)
{
    const uint64_t all = s->left;
    begun b = {.plain = {.cycles = HUGE_VAL, .energy_pj = HUGE_VAL}};
    sc_einsum step = *s->scorer->e; /* of a sequential dimension, one step at a time */
    if (s->scorer->sequential >= 0)
        step.bound[s->scorer->sequential] = 1;
    if (o->plain) {
        search_plainly(best, misfit, s, &step, o->divisors);
        return;
    }
    s->left = all - all / 2;
    search(best, misfit, s, &b, &step, bound, true);
    s->left += all / 2;
    if (!o->divisors)
        search(best, misfit, s, &b, &step, bound, false);
}

/* Go on from the best mapping to a proof; then for less energy at the same cycles. */
static sc_status search_exactly(sc_mapped *r, sc_point *best, sc_local *s, const sc_map_options *o)
{
    const sc_scorer *with = s->scorer;
    const double was = best->cycles;
    const double floor = sc_map_tight_bound(with->e, with->a, o->input_share, o->sequential);
    const sc_status st = sc_array_exact(&r->lower_bound_cycles, best, s, floor, o->nodes);
    r->lower_bound_cycles = whole_cycles(r->lower_bound_cycles);
    if (st != SC_OK || best->cycles == was)
        return st;
    s->left = POLISH_BUDGET;
    sc_local_polish(s, best);
    return s->status;
}

sc_status sc_map_op(sc_mapped *out, const sc_einsum *e, const sc_arch *a, const sc_map_options *o)
{
    const char *fault = options_fault(o, e->n_dims);
    if (fault)
        return sc_fail(SC_EINVAL, "map options: %s", fault);
    const uint64_t budget = o->budget ? o->budget : DEFAULT_BUDGET;
    const double bound = sc_map_lower_bound(e, a, o->input_share);
    sc_scorer scorer;
    sc_scorer_init(&scorer, e, a, o);
    sc_limits limits;
    sc_scored scored;
    sc_local s = {.scorer = &scorer, .left = budget, .scored = &scored};
    sc_point best = {.cycles = HUGE_VAL, .energy_pj = HUGE_VAL};
    sc_misfit missed = {SC_FITS, 0, -1, 0, 0};
    sc_mapped r = {.lower_bound_cycles = bound};

    sc_scored_clear(&scored);
    if (o->constraints) {
        sc_limits_init(&limits, o->constraints, e, scorer.sequential);
        s.limits = &limits;
    }
    /* the outermost level holds the whole op, however it is mapped */
    const sc_misfit outermost =
        sc_footprint_fit(a, 0, e, (uint8_t)((1u << e->n_tensors) - 1), e->bound);
    search_all(&best, &missed, &s, bound, o);
    if (s.status == SC_OK && s.limits && best.cycles == HUGE_VAL)
        s.status = start_from_any(&best, &s);
    if (s.status != SC_OK)
        return s.status;
    r.evaluations = budget - s.left;
    if (o->nodes > 0 && !o->plain && !o->divisors && !o->constraints && best.cycles < HUGE_VAL) {
        const sc_status st = search_exactly(&r, &best, &s, o);
        if (st != SC_OK)
            return st;
    }
    if (best.cycles < HUGE_VAL) {
        drop_idle_loops(&best.mapping);
        r.mapping = best.mapping;
        pad(&r.padded, e, &r.mapping);
        const sc_status st = sc_score(&r, &scorer, &r.mapping);
        if (st != SC_OK)
            return st;
    } else if (o->constraints) {
        r.misfit = (sc_misfit){SC_MISFIT_CONSTRAINTS, 0, -1, 0, 0};
    } else if (outermost.code != SC_FITS) {
        r.misfit = outermost;
    } else if (missed.code == SC_FITS) {
        return sc_fail(SC_EINVAL,
                       "op %s: no way to lay it on the array was found; give the array a dataflow "
                       "that keeps a tensor which the op has",
                       e->name);
    } else {
        r.misfit = missed;
    }
    *out = r;
    return SC_OK;
}

sc_status sc_map_blockers(sc_blocker out[SC_MAX_BLOCKERS], unsigned *n, const sc_einsum *e,
                          const sc_arch *a, const sc_map_options *o)
{
    sc_blocked space;
    const char *fault = options_fault(o, e->n_dims);
    if (fault)
        return sc_fail(SC_EINVAL, "map options: %s", fault);
    sc_blocked_init(&space, e, a, o->constraints);
    space.sequential = o->sequential - 1;
    space.nearest = space.design_first = true;
    space.codes = UINT_MAX;
    space.look = sc_limits_look;
    return sc_blockers_find(out, n, &space);
}

sc_status sc_map_score(sc_mapped *out, const sc_einsum *padded, const sc_arch *a,
                       const sc_mapping *m, const sc_map_options *o)
{
    sc_mapped r = {.padded = *padded, .mapping = *m};
    const char *fault = options_fault(o, padded->n_dims);
    if (fault)
        return sc_fail(SC_EINVAL, "map options: %s", fault);
    sc_status st = sc_mapping_check(m, padded, a);
    if (st != SC_OK)
        return st;
    sc_scorer scorer;
    sc_scorer_init(&scorer, padded, a, o);
    scorer.clip = true; /* what is padding stands in the bounds */
    r.misfit = sc_mapping_fit(m, padded, a);
    if (r.misfit.code == SC_FITS && (st = sc_score(&r, &scorer, m)) != SC_OK)
        return st;
    r.lower_bound_cycles = sc_map_lower_bound(padded, a, o->input_share);
    r.evaluations = 1;
    *out = r;
    return SC_OK;
}
