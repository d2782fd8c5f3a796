#include "oracle_recursion.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_CHILDREN = 256, MAX_BOXES = 16, MAX_SIZES = 64, MAX_NEST = 64 };

typedef struct box {
    int64_t low[SC_MAX_RANKS], high[SC_MAX_RANKS]; /* high is outside */
} box;

typedef struct point_set {
    unsigned n;
    box at[MAX_BOXES];
} point_set;

typedef struct loop {
    unsigned dim;
    uint64_t factor;
    int64_t step;
} loop;

/* Accesses by (children sharing, groups so shared), ascending. */
typedef struct access_stats {
    unsigned n;
    struct {
        uint64_t children, groups;
        double accesses;
    } at[MAX_SIZES];
} access_stats;

/* One tensor at the boundary under one level. */
typedef struct boundary {
    const sc_tensor *tensor;
    const sc_count_options *options;
    unsigned n_loops; /* temporal, innermost first */
    loop loops[MAX_NEST];
    int64_t extent[SC_MAX_DIMS]; /* of the child's tile */
    unsigned children;
    int64_t child_offset[MAX_CHILDREN][SC_MAX_RANKS];
    int64_t x[MAX_CHILDREN], y[MAX_CHILDREN];
    int64_t width, height; /* neighbours lie inside */
    bool spatial, leaf, alone, every_step;
    /* state */
    bool has_last, has_translation, has_before;
    box last;
    int64_t translation[SC_MAX_RANKS];
    point_set before; /* of child 0 in the step before */
    access_stats stats;
    double linked;
} boundary;

static void check(bool ok, const char *what)
{
    if (!ok) {
        fprintf(stderr, "oracle: %s\n", what);
        abort();
    }
}

static void project(int64_t *out, const sc_tensor *t, const int64_t *point)
{
    for (unsigned r = 0; r < t->n_ranks; r++) {
        out[r] = 0;
        for (unsigned k = 0; k < t->rank[r].n_terms; k++)
            out[r] += t->rank[r].coef[k] * point[t->rank[r].dim[k]];
    }
}

static uint64_t volume(const point_set *s, unsigned n_ranks)
{
    uint64_t sum = 0;
    for (unsigned i = 0; i < s->n; i++) {
        uint64_t v = 1;
        for (unsigned r = 0; r < n_ranks; r++)
            v *= (uint64_t)(s->at[i].high[r] - s->at[i].low[r]);
        sum += v;
    }
    return sum;
}

/* a minus b, as disjoint boxes. */
static void subtract(point_set *out, box a, const box *b, unsigned n_ranks)
{
    out->n = 0;
    for (unsigned r = 0; r < n_ranks; r++)
        if (a.high[r] <= b->low[r] || b->high[r] <= a.low[r]) {
            out->at[out->n++] = a;
            return;
        }
    for (unsigned r = 0; r < n_ranks; r++) {
        if (a.low[r] < b->low[r]) {
            out->at[out->n] = a;
            out->at[out->n++].high[r] = b->low[r];
            a.low[r] = b->low[r];
        }
        if (b->high[r] < a.high[r]) {
            out->at[out->n] = a;
            out->at[out->n++].low[r] = b->high[r];
            a.high[r] = b->high[r];
        }
    }
}

static bool same_box(const box *a, const int64_t *a_offset, const box *b, const int64_t *b_offset,
                     unsigned n_ranks)
{
    for (unsigned r = 0; r < n_ranks; r++)
        if (a->low[r] + a_offset[r] != b->low[r] + b_offset[r] ||
            a->high[r] + a_offset[r] != b->high[r] + b_offset[r])
            return false;
    return true;
}

/* Every box of one set is in the other. */
static bool same_set(const point_set *a, const int64_t *a_offset, const point_set *b,
                     const int64_t *b_offset, unsigned n_ranks)
{
    if (a->n != b->n)
        return false;
    for (unsigned i = 0; i < a->n; i++) {
        bool found = false;
        for (unsigned k = 0; k < b->n && !found; k++)
            found = same_box(&a->at[i], a_offset, &b->at[k], b_offset, n_ranks);
        if (!found)
            return false;
    }
    return true;
}

static void add_stats(access_stats *s, uint64_t children, uint64_t groups, double accesses)
{
    unsigned i = 0;
    while (i < s->n && (s->at[i].children < children ||
                        (s->at[i].children == children && s->at[i].groups < groups)))
        i++;
    if (i == s->n || s->at[i].children != children || s->at[i].groups != groups) {
        check(s->n < MAX_SIZES, "too many group sizes");
        memmove(&s->at[i + 1], &s->at[i], (s->n - i) * sizeof s->at[0]);
        s->at[i].children = children;
        s->at[i].groups = groups;
        s->at[i].accesses = 0;
        s->n++;
    }
    s->at[i].accesses += accesses;
}

/* Merge children, those left out excepted, that need the same. */
static void group(access_stats *out, const boundary *b, const point_set *delta,
                  const bool *left_out, double words)
{
    bool done[MAX_CHILDREN] = {false};
    uint64_t groups_of[MAX_CHILDREN + 1] = {0};
    out->n = 0;
    for (unsigned i = 0; i < b->children; i++) {
        unsigned members = 0;
        if (done[i] || (left_out && left_out[i]))
            continue;
        for (unsigned k = i; k < b->children; k++) {
            if (done[k] || (left_out && left_out[k]) || (b->alone && k != i) ||
                !same_set(delta, b->child_offset[i], delta, b->child_offset[k], b->tensor->n_ranks))
                continue;
            done[k] = true;
            members++;
        }
        groups_of[members]++;
    }
    for (unsigned members = 1; members <= b->children; members++)
        if (groups_of[members])
            add_stats(out, members, groups_of[members], (double)groups_of[members] * words);
}

static double total_of(const access_stats *s)
{
    double sum = 0;
    for (unsigned i = 0; i < s->n; i++)
        sum += s->at[i].accesses;
    return sum;
}

static double weighted_of(const access_stats *s)
{
    double sum = 0;
    for (unsigned i = 0; i < s->n; i++)
        sum += s->at[i].accesses * (double)s->at[i].children;
    return sum;
}

/* Which children hold now what a neighbour held one step earlier. */
static unsigned find_receivers(bool *receives, const boundary *b, const point_set *delta)
{
    unsigned n = 0;
    for (unsigned i = 0; i < b->children; i++) {
        receives[i] = false;
        for (unsigned k = 0; k < b->children && b->has_before; k++) {
            const int64_t dx = b->x[k] - b->x[i], dy = b->y[k] - b->y[i];
            if (llabs(dx) + llabs(dy) == 1 && b->x[k] < b->width && b->y[k] < b->height &&
                same_set(delta, b->child_offset[i], &b->before, b->child_offset[k],
                         b->tensor->n_ranks))
                receives[i] = true;
        }
        n += receives[i];
    }
    return n;
}

static void serve(boundary *b, const point_set *delta, double weight)
{
    const double words = (double)volume(delta, b->tensor->n_ranks) * weight;
    access_stats plain, linked, *used = &plain;
    bool receives[MAX_CHILDREN];
    if (words > 0) {
        group(&plain, b, delta, NULL, words);
        if (b->options->links != SC_LINKS_NONE && b->spatial) {
            const unsigned n = find_receivers(receives, b, delta);
            group(&linked, b, delta, receives, words);
            if (total_of(&linked) < total_of(&plain)) {
                used = &linked;
                b->linked += n * words;
            }
        }
        for (unsigned i = 0; i < used->n; i++)
            add_stats(&b->stats, used->at[i].children, used->at[i].groups, used->at[i].accesses);
    }
    b->before = *delta;
    b->has_before = true;
}

/* The child's box at one point of the nest, and what of it is new. */
static void step(boundary *b, const int64_t *point, double weight)
{
    const unsigned n = b->tensor->n_ranks;
    int64_t low[SC_MAX_RANKS], reach[SC_MAX_RANKS], top[SC_MAX_DIMS], t[SC_MAX_RANKS];
    point_set delta = {.n = 1};
    box now;
    for (unsigned d = 0; d < SC_MAX_DIMS; d++)
        top[d] = b->extent[d] - 1;
    project(low, b->tensor, point);
    project(reach, b->tensor, top);
    bool still = true, same = b->has_translation;
    for (unsigned r = 0; r < n; r++) {
        now.low[r] = low[r];
        now.high[r] = low[r] + reach[r] + 1;
        t[r] = b->has_last ? low[r] - b->last.low[r] : 0;
        still &= t[r] == 0;
        same &= t[r] == b->translation[r];
    }
    delta.at[0] = now;
    if (b->has_last && !b->leaf) {
        const bool counts = !still || b->options->reuse_pre_2025;
        if (still)
            delta.n = 0;
        else if (!b->has_translation || same)
            subtract(&delta, now, &b->last, n);
        if (counts && (!b->has_translation || same)) {
            memcpy(b->translation, t, sizeof t);
            b->has_translation = true;
        } else if (counts) {
            b->has_translation = false;
        }
    }
    b->last = now;
    b->has_last = true;
    serve(b, &delta, weight);
}

static void walk(boundary *b, unsigned n_loops, int64_t *point, double weight)
{
    if (n_loops == 0) {
        step(b, point, weight);
        return;
    }
    const loop *l = &b->loops[n_loops - 1];
    const uint64_t iterations = b->every_step ? l->factor : 2;
    for (uint64_t i = 0; i < iterations; i++) {
        walk(b, n_loops - 1, point,
             i && !b->every_step ? weight * (double)(l->factor - 1) : weight);
        point[l->dim] += l->step;
    }
    point[l->dim] -= l->step * (int64_t)iterations;
}

/* Children of a level: offsets in rank space and places on the mesh. */
static void place_children(boundary *b, const sc_block *block, const sc_level *level,
                           const int64_t *extent)
{
    uint64_t children = 1, used_x = 1;
    for (unsigned i = 0; i < block->spatial.n; i++) {
        children *= block->spatial.factor[i];
        if (i < block->split)
            used_x *= block->spatial.factor[i];
    }
    check(children <= MAX_CHILDREN, "too many children");
    b->children = (unsigned)children;
    b->spatial = children > 1;
    const uint64_t width = used_x > level->fanout_x ? used_x : level->fanout_x;
    for (unsigned id = 0; id < children; id++) {
        int64_t point[SC_MAX_DIMS] = {0}, scale[SC_MAX_DIMS], place[2] = {0, 0}, row[2] = {1, 1};
        uint64_t rest = id;
        memcpy(scale, extent, sizeof scale);
        for (unsigned i = 0; i < block->spatial.n; i++) {
            const uint64_t f = block->spatial.factor[i], digit = rest % f;
            rest /= f;
            point[block->spatial.dim[i]] += (int64_t)digit * scale[block->spatial.dim[i]];
            for (unsigned side = 0; side < 2; side++)
                if (block->diagonal >> i & 1 || side == (i >= block->split)) {
                    place[side] += (int64_t)digit * row[side];
                    row[side] *= (int64_t)f;
                }
        }
        project(b->child_offset[id], b->tensor, point);
        const bool reference = b->options->links == SC_LINKS_REFERENCE;
        b->x[id] = reference ? (int64_t)(id % width) : place[0];
        b->y[id] = reference ? (int64_t)(id / width) : place[1];
    }
    b->width = b->height = INT64_MAX;
}

static void grow(int64_t *extent, const sc_loops *loops)
{
    for (unsigned i = 0; i < loops->n; i++)
        extent[loops->dim[i]] *= (int64_t)loops->factor[i];
}

static uint64_t box_size(const sc_tensor *t, const int64_t *extent)
{
    int64_t top[SC_MAX_DIMS], reach[SC_MAX_RANKS];
    uint64_t v = 1;
    for (unsigned d = 0; d < SC_MAX_DIMS; d++)
        top[d] = extent[d] - 1;
    project(reach, t, top);
    for (unsigned r = 0; r < t->n_ranks; r++)
        v *= (uint64_t)reach[r] + 1;
    return v;
}

/* One tensor over all levels. */
typedef struct chain {
    unsigned n_levels;
    uint64_t size[SC_MAX_LEVELS], spread[SC_MAX_LEVELS], used[SC_MAX_LEVELS + 1];
    uint64_t fan[SC_MAX_LEVELS];
    access_stats stats[SC_MAX_LEVELS];
    double linked[SC_MAX_LEVELS];
} chain;

static void analyse(chain *c, unsigned tensor, const sc_einsum *e, const sc_arch *a,
                    const sc_mapping *m, const sc_count_options *o, bool every_step)
{
    int64_t extent[SC_MAX_DIMS];
    static loop nest[MAX_NEST];
    c->n_levels = m->n_levels;
    for (unsigned d = 0; d < SC_MAX_DIMS; d++)
        extent[d] = 1;
    for (unsigned l = m->n_levels; l-- > 0;) {
        static boundary b;
        const sc_block *block = &m->level[l];
        const bool is_output = tensor == e->output;
        memset(&b, 0, sizeof b);
        b.tensor = &e->tensor[tensor];
        b.options = o;
        b.every_step = every_step;
        b.leaf = l + 1 == m->n_levels;
        b.alone = is_output ? a->level[l].no_reduction : a->level[l].no_multicast;
        memcpy(b.extent, extent, sizeof extent);
        place_children(&b, block, &a->level[l], extent);
        c->fan[l] = b.children;
        grow(extent, &block->spatial);
        c->spread[l] = box_size(b.tensor, extent);
        /* loops of this level and of all outside it */
        int64_t scale[SC_MAX_DIMS], point[SC_MAX_DIMS] = {0};
        memcpy(scale, extent, sizeof scale);
        for (unsigned k = l + 1; k-- > 0;) {
            if (k < l)
                grow(scale, &m->level[k].spatial);
            for (unsigned i = 0; i < m->level[k].temporal.n; i++) {
                const unsigned d = m->level[k].temporal.dim[i];
                const uint64_t f = m->level[k].temporal.factor[i];
                if (f > 1)
                    nest[b.n_loops++] = (loop){d, f, scale[d]};
                scale[d] *= (int64_t)f;
            }
        }
        memcpy(b.loops, nest, sizeof nest);
        walk(&b, b.n_loops, point, 1);
        grow(extent, &block->temporal);
        c->size[l] = box_size(b.tensor, extent);
        c->stats[l] = b.stats;
        c->linked[l] = b.linked;
    }
    c->used[0] = 1;
    for (unsigned l = 0; l < m->n_levels; l++)
        c->used[l + 1] = c->used[l] * c->fan[l];
}

static uint64_t nearest(double v)
{
    return v > 0 ? (uint64_t)round(v) : 0;
}

/* A figure that must come out whole, whatever its terms were. */
static double whole(double v, bool links)
{
    if (links)
        return v;
    check(fabs(v - round(v)) < 1e-6, "an average without links is not whole");
    return round(v);
}

static void finish(sc_counts *out, chain *c, unsigned tensor, const sc_einsum *e,
                   const sc_mapping *m, const sc_count_options *o)
{
    const uint8_t bit = (uint8_t)(1u << tensor);
    const bool links = o->links != SC_LINKS_NONE, is_output = tensor == e->output;
    double content[SC_MAX_LEVELS], share[SC_MAX_LEVELS], peers[SC_MAX_LEVELS] = {0};
    uint64_t partition[SC_MAX_LEVELS];
    unsigned outermost = 0;
    while (!(m->level[outermost].keep & bit))
        outermost++;
    for (unsigned l = 0; l < c->n_levels; l++) {
        content[l] = total_of(&c->stats[l]);
        partition[l] = l == 0               ? c->size[0]
                       : c->fan[l - 1] == 1 ? partition[l - 1]
                                            : partition[l - 1] * c->size[l] / c->spread[l - 1];
        share[l] = 0;
        for (unsigned i = 0; l > 0 && i < c->stats[l - 1].n; i++)
            share[l] += c->stats[l - 1].at[i].accesses * (double)c->stats[l - 1].at[i].children /
                        (double)c->fan[l - 1];
        share[l] = whole(share[l], links);
    }
    for (unsigned l = c->n_levels - 1; l > outermost; l--) {
        if (m->level[l].keep & bit)
            continue;
        access_stats *outer = &c->stats[l - 1];
        const double scale = content[l] * (double)c->fan[l - 1] / weighted_of(outer);
        for (unsigned i = 0; i < outer->n; i++)
            outer->at[i].accesses *= scale;
        c->linked[l - 1] = 0;
        content[l - 1] = whole(total_of(outer), links);
    }
    share[outermost] = 0;
    for (unsigned l = outermost; l + 1 < c->n_levels; l++)
        peers[l + 1] =
            c->linked[l] / (double)(o->links == SC_LINKS_REFERENCE ? c->used[l + 1] : c->fan[l]);
    for (unsigned l = outermost; l < c->n_levels; l++) {
        sc_access *a = &out->at[l][tensor];
        if (!(m->level[l].keep & bit))
            continue;
        a->tile = c->size[l];
        if (!is_output) {
            a->reads = nearest(content[l] + peers[l]);
            /* the reference cuts what its divisions left; our own averages are exact */
            a->fills =
                (uint64_t)(o->links == SC_LINKS_REFERENCE ? share[l] + peers[l]
                                                          : floor(share[l] + peers[l] + 1e-6));
            continue;
        }
        const double part = o->charge_first_read ? 0 : (double)partition[l];
        a->updates = nearest(content[l]);
        a->reads = nearest(content[l] + peers[l] - part + (o->charge_drain ? share[l] : 0));
        a->fills = nearest(share[l] + peers[l] - (l == outermost ? 0 : part));
    }
}

void oracle_recursion(sc_counts *out, const sc_einsum *e, const sc_arch *a, const sc_mapping *m,
                      const sc_count_options *o, int every_step)
{
    static chain c;
    memset(out, 0, sizeof *out);
    for (unsigned i = 0; i < e->n_tensors; i++) {
        analyse(&c, i, e, a, m, o, every_step);
        finish(out, &c, i, e, m, o);
    }
    out->compute_cycles = 1;
    for (unsigned l = 0; l < m->n_levels; l++) {
        out->used_instances[l] = c.used[l];
        for (unsigned i = 0; i < m->level[l].temporal.n; i++)
            out->compute_cycles *= m->level[l].temporal.factor[i];
    }
    out->used_macs = c.used[m->n_levels];
    out->macs = out->used_macs * out->compute_cycles;
}
