#include "model/count/clip.h"

#include <string.h>

static void take_factors(uint64_t *factor, const sc_loops *loops)
{
    for (unsigned i = 0; i < loops->n; i++)
        factor[loops->dim[i]] = loops->factor[i];
}

/* Digits of every bound less one, from the innermost loop outwards. */
static void find_digits(sc_clip *c)
{
    const unsigned n_dims = c->plan->n_dims, n_levels = c->nest->n_levels;
    for (unsigned l = 0; l < n_levels; l++) {
        for (unsigned d = 0; d < n_dims; d++)
            c->time[l][d] = c->space[l][d] = 1;
        take_factors(c->time[l], &c->mapping->level[l].temporal);
        take_factors(c->space[l], &c->mapping->level[l].spatial);
    }
    for (unsigned d = 0; d < n_dims; d++) {
        uint64_t rest = c->plan->bound[d] - 1, extent = 1;
        for (unsigned l = n_levels; l-- > 0;) {
            c->full[l][d] = extent;
            c->rest[l][d] = (c->plan->bound[d] - 1) % extent + 1;
            c->last_space[l][d] = rest % c->space[l][d];
            rest /= c->space[l][d];
            c->last_time[l][d] = rest % c->time[l][d];
            rest /= c->time[l][d];
            extent *= c->space[l][d] * c->time[l][d];
        }
    }
}

/* Words over all steps of a boundary. */
static sc_u128 served(sc_clip *c, unsigned tensor, unsigned level, uint16_t shared)
{
    sc_clip_view v = {tensor, level, shared, SC_CLIP_EVERY, 0};
    sc_u128 total;
    if (level + 1 == c->nest->n_levels)
        return sc_clip_words(c, &v);
    v.steps = SC_CLIP_FIRST;
    total = sc_clip_words(c, &v);
    v.steps = SC_CLIP_LOOP;
    for (v.loop = c->nest->first[level]; v.loop < c->nest->n_loops; v.loop++)
        c->overflow |= __builtin_add_overflow(total, sc_clip_words(c, &v), &total);
    return total;
}

/* Levels from `level` inwards to the next that keeps the tensor, and which of them serve children
 * in the same place at once. @return the innermost of them. */
static unsigned chain_of(uint16_t *shared, const sc_clip *c, unsigned tensor, unsigned level)
{
    *shared = 0;
    for (;; level++) {
        const sc_level *l = &c->arch->level[level];
        if (!(tensor == c->plan->output ? l->no_reduction : l->no_multicast))
            *shared |= (uint16_t)(1u << level);
        if (level + 1 == c->nest->n_levels || c->mapping->level[level + 1].keep >> tensor & 1)
            return level;
    }
}

/* Extents of the largest tile of level l, or of all its children together. */
static uint64_t box_of(const sc_clip *c, unsigned tensor, unsigned l, bool with_time,
                       bool *overflow)
{
    uint64_t extent[SC_MAX_DIMS];
    const sc_plan_tensor *t = &c->plan->tensor[tensor];
    for (unsigned d = 0; d < c->plan->n_dims; d++) {
        extent[d] = c->full[l][d] * c->space[l][d] * (with_time ? c->time[l][d] : 1);
        if (extent[d] > c->plan->bound[d])
            extent[d] = c->plan->bound[d];
    }
    return sc_nest_box(NULL, t->rank, t->n_ranks, extent, overflow);
}

/* Output words that fall to the instances of a level, all together: those that an instance works
 * on. With gaps or windows, by the sizes of the largest tiles. */
static sc_u128 partition(sc_clip *c, unsigned level, uint64_t used)
{
    const sc_plan_tensor *t = &c->plan->tensor[c->plan->output];
    sc_u128 part = 1;
    if (t->dense) {
        for (unsigned d = 0; d < c->plan->n_dims; d++)
            sc_clip_mul(&part, t->relevant >> d & 1 ? c->plan->bound[d] : sc_clip_used(c, level, d),
                        &c->overflow);
        return part;
    }
    part = box_of(c, c->plan->output, 0, true, &c->overflow);
    for (unsigned l = 1; l <= level; l++)
        if (c->nest->n_spatial[l - 1] > 0) {
            sc_clip_mul(&part, box_of(c, c->plan->output, l, true, &c->overflow), &c->overflow);
            part /= box_of(c, c->plan->output, l - 1, false, &c->overflow);
        }
    sc_clip_mul(&part, used, &c->overflow);
    return part;
}

static sc_u128 less(sc_u128 a, sc_u128 b)
{
    return a > b ? a - b : 0;
}

/* Per instance: to the nearest whole number, halves up, or down. */
static uint64_t average(sc_clip *c, sc_u128 total, uint64_t used, bool down)
{
    const sc_u128 v = total / used + (!down && total % used >= used - total % used);
    c->overflow |= v >> 63 != 0;
    return (uint64_t)v;
}

static void count_level(sc_access *out, sc_clip *c, unsigned tensor, unsigned level, bool outermost,
                        uint64_t used)
{
    const sc_count_options *o = c->options;
    uint16_t shared;
    const unsigned inner = chain_of(&shared, c, tensor, level);
    const sc_u128 content = served(c, tensor, inner, shared);
    sc_u128 share = outermost ? 0 : served(c, tensor, level - 1, 0), reads = content;
    out->tile = box_of(c, tensor, level, true, &c->overflow);
    if (tensor != c->plan->output) {
        out->reads = average(c, content, used, false);
        out->fills = average(c, share, used, true);
        return;
    }
    if (o->charge_drain)
        reads += share;
    if (!o->charge_first_read) {
        const sc_u128 part = partition(c, level, used);
        reads = less(reads, part);
        share = less(share, part);
    }
    out->reads = average(c, reads, used, false);
    out->fills = average(c, share, used, false);
    out->updates = average(c, content, used, false);
}

static void count_tensor(sc_counts *out, sc_clip *c, unsigned tensor)
{
    bool outermost = true;
    for (unsigned l = 0; l < c->nest->n_levels; l++)
        if (c->mapping->level[l].keep >> tensor & 1) {
            count_level(&out->at[l][tensor], c, tensor, l, outermost, out->used_instances[l]);
            outermost = false;
        }
}

static void count_all(sc_counts *out, sc_clip *c)
{
    const unsigned n_levels = c->nest->n_levels;
    const sc_clip_view leading = {0, n_levels - 1, UINT16_MAX, SC_CLIP_EVERY, 0};
    memset(out, 0, sizeof *out);
    out->macs = 1;
    sc_u128 cycles = 1;
    for (unsigned d = 0; d < c->plan->n_dims; d++) {
        sc_nest_mul(&out->macs, c->plan->bound[d], &c->overflow);
        /* the child whose digits in space are all 0 has work whenever any has */
        sc_clip_mul(&cycles, sc_clip_idle_count(c, &leading, d), &c->overflow);
    }
    c->overflow |= out->macs >> 63 || cycles >> 63;
    out->compute_cycles = (uint64_t)cycles;
    for (unsigned l = 0; l <= n_levels; l++) {
        uint64_t *used = l < n_levels ? &out->used_instances[l] : &out->used_macs;
        *used = 1;
        for (unsigned d = 0; d < c->plan->n_dims; d++)
            sc_nest_mul(used, sc_clip_used(c, l, d), &c->overflow);
    }
    for (unsigned i = 0; i < c->plan->n_tensors && !c->overflow && !c->tangled; i++)
        count_tensor(out, c, i);
}

sc_status sc_clip_count(sc_counts *out, const sc_count_plan *p, const sc_arch *a,
                        const sc_mapping *m, const sc_count_options *o, const sc_nest *n)
{
    sc_clip c = {.plan = p, .arch = a, .mapping = m, .options = o, .nest = n};
    sc_counts counts;
    find_digits(&c);
    count_all(&counts, &c);
    if (c.tangled)
        return sc_fail(SC_EINVAL,
                       "level %s: spatial loops with a remainder move tensor %u along one rank, "
                       "three of them, two pairs, or again further in under levels that do not "
                       "keep it; this is not counted: let their factors multiply to the bounds",
                       a->level[c.tangled_level].name, c.tangled_tensor);
    if (c.overflow)
        return sc_fail(SC_ERANGE, "the mapping makes more than 2^63 - 1 accesses of some tensor");
    *out = counts;
    return SC_OK;
}
