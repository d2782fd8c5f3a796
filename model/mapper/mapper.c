#include "model/mapper/mapper.h"

#include <math.h>
#include <string.h>

#include "model/mapper/array.h"
#include "model/mapper/footprint.h"
#include "model/mapper/tile.h"

enum { DEFAULT_BUDGET = 4000 };

/* One search: the op, the design, and the best mapping so far. */
typedef struct search {
    const sc_einsum *e;
    const sc_arch *a;
    const sc_count_plan *plan;
    double input_share;
    uint64_t left; /* evaluations */
    sc_mapped *best;
} search;

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

/* Words that must be there before the grid can start: the working set of everything below the
 * outermost level's loops, the innermost buffers' tiles across the whole grid. */
static double first_tile_units(const sc_einsum *padded, const sc_arch *a, const sc_mapping *m)
{
    uint64_t extent[SC_MAX_DIMS];
    double units = 0.0;
    const int inner = sc_inner_buffer(a);
    for (int d = 0; d < padded->n_dims; d++)
        extent[d] = 1;
    for (int level = 0; level < m->n_levels; level++) {
        const sc_block *b = &m->level[level];
        for (int i = 0; i < b->spatial.n; i++)
            extent[b->spatial.dim[i]] *= b->spatial.factor[i];
        for (int i = 0; level >= inner && i < b->temporal.n; i++)
            extent[b->temporal.dim[i]] *= b->temporal.factor[i];
    }
    for (int t = 0; t < padded->n_tensors; t++)
        if (padded->tensor[t].role != SC_ROLE_OUTPUT)
            units += sc_footprint_units(&a->level[0], &padded->tensor[t],
                                        sc_footprint_words(&padded->tensor[t], extent));
    return units;
}

static double prefill(const sc_einsum *padded, const sc_arch *a, const sc_mapping *m)
{
    const sc_level *outer = &a->level[0];
    double bw = outer->read_bw > 0.0 ? outer->read_bw : outer->shared_bw;
    if (outer->shared_bw > 0.0)
        bw = fmin(bw, outer->shared_bw);
    return bw > 0.0 ? ceil(first_tile_units(padded, a, m) / bw) : 0.0;
}

static sc_status evaluate(sc_mapped *out, const sc_count_plan *plan, const sc_einsum *padded,
                          const sc_arch *a, const sc_mapping *m, double input_share)
{
    sc_count_options o = SC_COUNT_OPTIONS_INIT;
    o.charge_drain = true;
    const sc_status st = sc_count_with(&out->counts, plan, a, m, &o);
    if (st != SC_OK)
        return st;
    if (input_share < 1.0)
        scale_input(&out->counts, padded, a, input_share);
    out->compute_cycles = sc_array_cycles(padded, a, m, out->counts.compute_cycles);
    sc_cost_of(&out->cost, &out->counts, out->compute_cycles, padded, a);
    out->prefill_cycles = prefill(padded, a, m);
    out->total_cycles = out->cost.cycles + out->prefill_cycles;
    return SC_OK;
}

static bool better(const sc_mapped *x, const sc_mapped *y)
{
    if (x->total_cycles != y->total_cycles)
        return x->total_cycles < y->total_cycles;
    return x->cost.energy_pj < y->cost.energy_pj;
}

/* Evaluate *try_it exactly; take it if it is better than *now. */
static sc_status consider(search *s, sc_mapped *now, sc_mapped *try_it, bool *improved)
{
    *improved = false;
    if (s->left == 0)
        return SC_OK;
    if (sc_mapping_fit(&try_it->mapping, &try_it->padded, s->a).code != SC_FITS)
        return SC_OK;
    s->left--;
    const sc_status st =
        evaluate(try_it, s->plan, &try_it->padded, s->a, &try_it->mapping, s->input_share);
    if (st == SC_OK && better(try_it, now)) {
        *now = *try_it;
        *improved = true;
    }
    return st;
}

/* Every level in turn, its loops around each tensor in turn. */
static sc_status improve_orders(search *s, sc_mapped *now, bool *any)
{
    bool improved;
    for (int level = 0; level < (int)s->a->n_levels; level++) {
        if (now->mapping.level[level].temporal.n < 2)
            continue;
        for (unsigned t = 0; t < s->e->n_tensors; t++) {
            sc_mapped other = *now;
            sc_order_around(&other.mapping.level[level].temporal, s->e, t);
            const sc_status st = consider(s, now, &other, &improved);
            if (st != SC_OK)
                return st;
            *any |= improved;
        }
    }
    return SC_OK;
}

/* Let each tensor pass a level by, or be kept after all. */
static sc_status improve_keep(search *s, sc_mapped *now, bool *any)
{
    bool improved;
    for (int level = 1; level <= sc_inner_buffer(s->a); level++)
        for (int t = 0; t < s->e->n_tensors; t++) {
            sc_mapped other = *now;
            other.mapping.level[level].keep ^= (uint8_t)(1u << t);
            const sc_status st = consider(s, now, &other, &improved);
            if (st != SC_OK)
                return st;
            *any |= improved;
        }
    return SC_OK;
}

static int find_loop(const sc_loops *loops, unsigned dim)
{
    for (int i = 0; i < loops->n; i++)
        if (loops->dim[i] == dim)
            return i;
    return -1;
}

static void remove_loop(sc_loops *loops, int i)
{
    loops->n--;
    for (; i < loops->n; i++) {
        loops->dim[i] = loops->dim[i + 1];
        loops->factor[i] = loops->factor[i + 1];
    }
}

/* Move a prime factor of a dimension from one level's block to another's. */
static bool move_factor(sc_mapping *m, unsigned dim, uint64_t prime, int from, int to)
{
    sc_loops *source = &m->level[from].temporal, *target = &m->level[to].temporal;
    const int i = find_loop(source, dim);
    int j = find_loop(target, dim);
    if (i < 0 || source->factor[i] % prime != 0)
        return false;
    source->factor[i] /= prime;
    if (source->factor[i] == 1)
        remove_loop(source, i);
    if (j < 0) {
        j = target->n++;
        target->dim[j] = (uint8_t)dim;
        target->factor[j] = 1;
    }
    target->factor[j] *= prime;
    return true;
}

static sc_status improve_factors(search *s, sc_mapped *now, bool *any)
{
    static const uint64_t primes[] = {2, 3, 5, 7};
    const int inner = sc_inner_buffer(s->a);
    bool improved;
    for (unsigned d = 0; d < s->e->n_dims; d++)
        for (int from = 0; from <= inner; from++)
            for (int to = 0; to <= inner; to++)
                for (size_t p = 0; from != to && p < sizeof primes / sizeof *primes; p++) {
                    sc_mapped other = *now;
                    if (s->a->level[to].may_keep == 0 ||
                        !move_factor(&other.mapping, d, primes[p], from, to))
                        continue;
                    const sc_status st = consider(s, now, &other, &improved);
                    if (st != SC_OK)
                        return st;
                    *any |= improved;
                }
    return SC_OK;
}

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

static sc_status from_start(search *s, const sc_spatial *choice, const sc_arch *grown_on,
                            sc_growth how)
{
    sc_mapped now = {.total_cycles = HUGE_VAL}, start = {0};
    bool improved = false;

    const sc_misfit misfit =
        sc_tile_grow(&start.mapping, &start.padded, s->e, grown_on, choice, how);
    if (misfit.code != SC_FITS) {
        if (grown_on == s->a && s->best->total_cycles == HUGE_VAL)
            s->best->misfit = misfit;
        return SC_OK;
    }
    sc_status st = consider(s, &now, &start, &improved);
    for (int round = 0; st == SC_OK && improved && round < 4; round++) {
        improved = false;
        if ((st = improve_orders(s, &now, &improved)) == SC_OK)
            st = improve_keep(s, &now, &improved);
    }
    if (st == SC_OK && now.total_cycles < HUGE_VAL && better(&now, s->best))
        *s->best = now;
    return st;
}

static sc_status from_spatial(search *s, const sc_spatial *choice)
{
    sc_status st = SC_OK;
    for (unsigned halvings = 0; halvings <= 4 && st == SC_OK; halvings += 2) {
        const sc_arch smaller = with_smaller_buffer(s->a, halvings);
        for (int how = 0; how < SC_GROWTHS && st == SC_OK; how++)
            st = from_start(s, choice, halvings ? &smaller : s->a, (sc_growth)how);
    }
    return st;
}

static sc_status polish(search *s)
{
    sc_status st = SC_OK;
    bool improved = true;
    while (st == SC_OK && improved && s->left > 0) {
        improved = false;
        if ((st = improve_factors(s, s->best, &improved)) != SC_OK ||
            (st = improve_orders(s, s->best, &improved)) != SC_OK)
            break;
        st = improve_keep(s, s->best, &improved);
    }
    return st;
}

static const char *options_fault(const sc_map_options *o)
{
    if (o->version != 1)
        return "version must be 1";
    return o->input_share > 0.0 && o->input_share <= 1.0 ? NULL : "input_share must be in (0, 1]";
}

double sc_map_lower_bound(const sc_einsum *e, const sc_arch *a, double input_share)
{
    const sc_level *outer = &a->level[0];
    double macs = 1.0, in_units = 0.0, out_units = 0.0;
    for (int d = 0; d < e->n_dims; d++)
        macs *= (double)e->bound[d];
    for (int t = 0; t < e->n_tensors; t++) {
        const sc_tensor *tensor = &e->tensor[t];
        const double units =
            sc_footprint_units(outer, tensor, sc_footprint_words(tensor, e->bound));
        if (tensor->role == SC_ROLE_OUTPUT)
            out_units += units;
        else
            in_units += tensor->role == SC_ROLE_INPUT ? units * input_share : units;
    }
    double cycles = macs / (double)a->compute.instances;
    if (outer->read_bw > 0.0)
        cycles = fmax(cycles, in_units / outer->read_bw);
    if (outer->write_bw > 0.0)
        cycles = fmax(cycles, out_units / outer->write_bw);
    if (outer->shared_bw > 0.0)
        cycles = fmax(cycles, (in_units + out_units) / outer->shared_bw);
    return cycles;
}

sc_status sc_map_op(sc_mapped *out, const sc_einsum *e, const sc_arch *a, const sc_map_options *o)
{
    sc_spatial choice[SC_MAX_SPATIAL];
    sc_mapped best = {.total_cycles = HUGE_VAL};
    const char *fault = options_fault(o);
    if (fault)
        return sc_fail(SC_EINVAL, "map options: %s", fault);

    const uint64_t budget = o->budget ? o->budget : DEFAULT_BUDGET;
    const double bound = sc_map_lower_bound(e, a, o->input_share);
    sc_count_plan plan;
    sc_count_plan_init(&plan, e);
    search s = {.e = e,
                .a = a,
                .plan = &plan,
                .input_share = o->input_share,
                .left = budget,
                .best = &best};
    const int n = sc_spatial_choices(choice, &best.misfit, e, a, bound);
    sc_status st = SC_OK;
    for (int i = 0; i < n && st == SC_OK; i++)
        st = from_spatial(&s, &choice[i]);
    if (st == SC_OK && best.total_cycles < HUGE_VAL)
        st = polish(&s);
    if (st != SC_OK)
        return st;
    if (best.total_cycles == HUGE_VAL) {
        const sc_misfit misfit = best.misfit;
        memset(&best, 0, sizeof best);
        best.misfit = misfit;
    }
    best.lower_bound_cycles = bound;
    best.evaluations = budget - s.left;
    *out = best;
    return SC_OK;
}

sc_status sc_map_score(sc_mapped *out, const sc_einsum *padded, const sc_arch *a,
                       const sc_mapping *m, const sc_map_options *o)
{
    sc_mapped r = {.padded = *padded, .mapping = *m};
    const char *fault = options_fault(o);
    if (fault)
        return sc_fail(SC_EINVAL, "map options: %s", fault);
    sc_status st = sc_mapping_check(m, padded, a);
    if (st != SC_OK)
        return st;
    r.misfit = sc_mapping_fit(m, padded, a);
    sc_count_plan plan;
    sc_count_plan_init(&plan, padded);
    if (r.misfit.code == SC_FITS &&
        (st = evaluate(&r, &plan, padded, a, m, o->input_share)) != SC_OK)
        return st;
    r.lower_bound_cycles = sc_map_lower_bound(padded, a, o->input_share);
    r.evaluations = 1;
    *out = r;
    return SC_OK;
}
