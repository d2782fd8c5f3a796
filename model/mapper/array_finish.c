#include <string.h>

#include "model/mapper/array_search.h"
#include "model/mapper/factor.h"
#include "model/mapper/footprint.h"

/* A mapping whose lanes and innermost tile are known, while the rest is chosen. */
typedef struct draft {
    sc_array_search *q;
    const sc_array_tile *tile;
    const sc_lanes *lanes;
    const sc_keeping *keeping;
    sc_extents child, all; /* tiles of one innermost buffer, of all together */
    uint8_t inner_keeps;
    double prefill;
    double macs;
    sc_scoped words;
    double output;
    int first;     /* dimension of the innermost loop outside the innermost buffer, -1 = none */
    uint64_t stop; /* at so many nodes */
    double bound;  /* of this keeping and first loop */
    double found;  /* best of it */
    double scored; /* best of one choice of factors */
    sc_extents factor[SC_ARRAY_OUTER]; /* by level outside, innermost first */
} draft;

static const sc_extents one_apart = {{1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1}};

/* Whether this draft must end, by itself or with the search. */
static bool spent(const draft *w)
{
    return w->q->nodes >= w->stop || sc_array_spent(w->q);
}

/* ---- the mapping ---- */

static void add_loop(sc_loops *l, unsigned dim, uint64_t factor)
{
    if (factor < 2)
        return;
    l->dim[l->n] = (uint8_t)dim;
    l->factor[l->n++] = factor;
}

static void lay_array(sc_block *b, const draft *w)
{
    static const sc_array_place order[] = {SC_PLACE_DIAGONAL, SC_PLACE_COLUMNS, SC_PLACE_ROWS};
    const sc_array_space *s = &w->q->space;
    for (unsigned i = 0; i < 3; i++) {
        if (order[i] == SC_PLACE_ROWS)
            b->split = b->spatial.n;
        for (unsigned d = 0; d < s->n_dims; d++) {
            if (sc_array_place_of(s->e, w->lanes->dataflow, d) != order[i])
                continue;
            if (order[i] == SC_PLACE_DIAGONAL && w->lanes->array.of[d] > 1)
                b->diagonal |= (uint8_t)(1u << b->spatial.n);
            add_loop(&b->spatial, d, w->lanes->array.of[d]);
        }
    }
}

static void lay_axes(sc_block *b, unsigned n_dims, const sc_extents *lanes, uint16_t on_y)
{
    for (unsigned y = 0; y < 2; y++) {
        for (unsigned d = 0; d < n_dims; d++)
            if ((on_y >> d & 1) == y)
                add_loop(&b->spatial, d, lanes->of[d]);
        if (y == 0)
            b->split = b->spatial.n;
    }
}

/* Loops of these factors: dimension `first` innermost, then by the tensors that they move, those of
 * `priority` looked at first. */
static void order_loops(sc_loops *l, const sc_array_space *s, const sc_extents *factor, int first,
                        const uint8_t *priority)
{
    unsigned key[SC_MAX_DIMS];
    l->n = 0;
    for (unsigned d = 0; d < s->n_dims; d++) {
        if (factor->of[d] < 2)
            continue;
        unsigned k = (int)d == first ? 0 : 1;
        for (unsigned i = 0; i < s->n_tensors; i++)
            k = k << 1 | (s->moves[priority[i]] >> d & 1);
        if ((int)d == first)
            k = 0;
        unsigned at = l->n++;
        for (; at > 0 && key[at - 1] > k; at--) {
            key[at] = key[at - 1];
            l->dim[at] = l->dim[at - 1];
            l->factor[at] = l->factor[at - 1];
        }
        key[at] = k;
        l->dim[at] = (uint8_t)d;
        l->factor[at] = factor->of[d];
    }
}

static void build(sc_mapping *m, const draft *w)
{
    const sc_array_space *s = &w->q->space;
    const sc_lanes *y = w->lanes;
    const int stationary = w->q->stays[y->dataflow];
    uint8_t priority[SC_MAX_TENSORS];
    unsigned n = 0;
    memset(m, 0, sizeof *m);
    m->n_levels = (uint8_t)s->a->n_levels;
    m->level[0].keep = (uint8_t)((1u << s->n_tensors) - 1);
    m->level[s->inner].keep = w->inner_keeps;
    if (!s->plain)
        m->level[s->a->n_levels - 1].keep = (uint8_t)(1u << stationary);
    for (unsigned i = 0; i + 1 < s->n_outer; i++)
        for (unsigned t = 0; t < s->n_tensors; t++)
            m->level[s->outer[i]].keep |= (uint8_t)((w->keeping->at[t] >> i & 1) << t);
    for (unsigned i = 0; i < s->n_grids; i++)
        lay_axes(&m->level[s->grid[i].level], s->n_dims, &y->grid[i], y->on_y[i]);
    if (s->arrays.level >= 0)
        lay_axes(&m->level[s->arrays.level], s->n_dims, &y->arrays, y->arrays_on_y);
    if (s->plain)
        lay_axes(&m->level[s->array], s->n_dims, &y->array, y->macs_on_y);
    else
        lay_array(&m->level[s->array], w);
    if (stationary >= 0)
        priority[n++] = (uint8_t)stationary;
    for (unsigned t = 0; t < s->n_tensors; t++)
        if ((int)t != stationary)
            priority[n++] = (uint8_t)t;
    order_loops(&m->level[s->inner].temporal, s, &w->lanes->time, -1, priority);
}

static double score(draft *w, const sc_mapping *m)
{
    sc_local *local = w->q->local;
    sc_point p = {.mapping = *m};
    w->q->nodes++;
    local->left = UINT64_MAX;
    sc_local_score(local, &p);
    if (sc_point_better(&p, w->q->best))
        *w->q->best = p;
    w->scored = sc_smaller(w->scored, p.cycles);
    return p.cycles;
}

static bool next_permutation(uint8_t *p, unsigned n)
{
    unsigned i = n - 1;
    while (i > 0 && p[i - 1] >= p[i])
        i--;
    if (i == 0)
        return false;
    unsigned j = n - 1;
    while (p[j] <= p[i - 1])
        j--;
    const uint8_t t = p[i - 1];
    p[i - 1] = p[j];
    p[j] = t;
    for (unsigned a = i, b = n - 1; a < b; a++, b--) {
        const uint8_t u = p[a];
        p[a] = p[b];
        p[b] = u;
    }
    return true;
}

static bool same_loops(const sc_loops *x, const sc_loops *y)
{
    return x->n == y->n && memcmp(x->dim, y->dim, x->n) == 0;
}

/* Orders of the levels outside from the k-th on; each that is new is scored. */
static void walk_orders(draft *w, sc_mapping *m, unsigned k, double bound)
{
    const sc_array_space *s = &w->q->space;
    if (k >= s->n_outer || k >= SC_ARRAY_OUTER) {
        score(w, m);
        return;
    }
    sc_loops *loops = &m->level[s->outer[k]].temporal;
    unsigned n_first = 0, first[SC_MAX_DIMS + 1];
    bool inside = false; /* a loop further in, outside the innermost buffer */
    for (unsigned i = 0; i < k; i++)
        inside |= m->level[s->outer[i]].temporal.n > 0;
    for (unsigned d = 0; d < s->n_dims; d++)
        if (w->factor[k].of[d] > 1 && (inside || (int)d == w->first))
            first[n_first++] = d;
    if (n_first == 0)
        first[n_first++] = UINT32_MAX;
    sc_loops tried[32];
    unsigned n_tried = 0;
    for (unsigned i = 0; i < n_first; i++) {
        uint8_t priority[SC_MAX_TENSORS] = {0, 1, 2, 3};
        do {
            order_loops(loops, s, &w->factor[k], (int)first[i], priority);
            unsigned j = 0;
            while (j < n_tried && !same_loops(&tried[j], loops))
                j++;
            if (j < n_tried)
                continue;
            if (n_tried < 32)
                tried[n_tried++] = *loops;
            walk_orders(w, m, k + 1, bound);
            if (w->scored <= bound || spent(w))
                return;
        } while (next_permutation(priority, s->n_tensors));
    }
}

/* ---- factors outside ---- */

static void times(sc_extents *x, const sc_extents *by, unsigned n_dims)
{
    for (unsigned d = 0; d < n_dims; d++)
        x->of[d] *= by->of[d];
}

/* How many times more words a tensor takes that is kept nowhere outside the innermost buffer: the
 * outermost level's loops that leave it in place bring it again once anything inside them moves it.
 */
static double brought_again(const draft *w, unsigned t, const sc_extents *steps, int first)
{
    const sc_array_space *s = &w->q->space;
    const bool counted = w->first >= 0 && s->moves[t] >> w->first & 1; /* all loops are */
    bool moved = first >= 0 && s->moves[t] >> first & 1;
    double times = 1;
    for (unsigned d = 0; d < s->n_dims; d++) {
        const bool moves = s->moves[t] >> d & 1;
        for (unsigned k = 0; moves && k + 1 < s->n_outer; k++)
            moved |= w->factor[k].of[d] > 1;
        if (!moves)
            times *= (double)steps->of[d];
    }
    return moved && !counted ? times : 1;
}

/* Cycles of the whole, all factors known: what the outermost level serves. `tile`: extents in the
 * outermost level but one, `steps`: loops of level 0. */
static double split_bound(const draft *w, const sc_extents *tile, const sc_extents *steps)
{
    const sc_array_search *q = w->q;
    const sc_array_space *s = &q->space;
    const unsigned last = s->n_outer - 1, outermost = s->n_outer - 2;
    sc_extents apart;
    sc_words words[SC_MAX_TENSORS];
    double least = HUGE_VAL, groups[SC_MAX_TENSORS] = {1, 1, 1, 1};
    bool loops = false;
    for (unsigned d = 0; d < SC_MAX_DIMS; d++)
        apart.of[d] = 1;
    for (unsigned i = s->scope[outermost]; i < s->n_grids; i++) {
        times(&apart, &w->lanes->grid[i], s->n_dims);
        for (unsigned t = 0; t < s->n_tensors; t++)
            groups[t] *= sc_array_groups(s, t, s->grid[i].level, &w->lanes->grid[i]);
    }
    for (unsigned t = 0; t < s->n_tensors; t++)
        if (w->keeping->at[t] >> outermost & 1)
            sc_array_words(&words[t], s, t, tile, &apart, steps, true);
    for (unsigned i = 0; i <= q->n_order; i++) {
        const unsigned d = i < q->n_order ? q->order[i] : 0;
        if (i < q->n_order ? steps->of[d] < 2 : loops)
            continue;
        loops = true;
        sc_traffic f = {{0}, {0}};
        for (unsigned t = 0; t < s->n_tensors; t++) {
            const bool moved = i < q->n_order && s->moves[t] >> d & 1;
            double served = s->compulsory[t];
            if (w->keeping->at[t] >> outermost & 1)
                served = sc_larger(served, groups[t] * (moved ? words[t].by[d] : words[t].still));
            else if (w->keeping->at[t] == 0)
                served = w->words.of[s->n_grids][t] *
                         brought_again(w, t, steps, i < q->n_order ? (int)d : -1);
            f.read[last] +=
                s->units[0][t] * (t == s->e->output ? sc_larger(0, served - w->output) : served);
            if (t == s->e->output)
                f.write[last] += s->units[0][t] * served;
        }
        least = sc_smaller(least, sc_array_time(s, w->macs, &f));
    }
    return sc_larger(w->bound, least + w->prefill);
}

static bool keeps_at(const draft *w, unsigned k, uint8_t *keep)
{
    *keep = 0;
    for (unsigned t = 0; t < w->q->space.n_tensors; t++)
        *keep |= (uint8_t)((w->keeping->at[t] >> k & 1) << t);
    return *keep != 0;
}

static void walk_levels(draft *w, unsigned k, const sc_extents *tile, const sc_extents *left);

/* Factors of level outer[k], dimension order[i] and on; `tile` grows by them, `left` shrinks. */
static void walk_factors(draft *w, unsigned k, unsigned i, uint8_t keep, sc_extents tile,
                         sc_extents left)
{
    sc_array_search *q = w->q;
    const sc_array_space *s = &q->space;
    q->nodes++;
    if (w->found <= w->bound || w->bound >= q->best->cycles || spent(w))
        return;
    if (i == q->n_order) {
        walk_levels(w, k + 1, &tile, &left);
        return;
    }
    const unsigned d = q->order[i];
    const uint64_t whole = left.of[d], extent = tile.of[d];
    for (uint64_t rest = 1; rest <= whole;) {
        const uint64_t factor = sc_factor_rounds(whole, rest);
        sc_extents bigger = tile, fewer = left;
        bigger.of[d] = extent * factor;
        fewer.of[d] = sc_factor_rounds(whole, factor);
        if (sc_footprint_fit(s->a, s->outer[k], s->e, keep, bigger.of).code == SC_FITS) {
            w->factor[k].of[d] = factor;
            walk_factors(w, k, i + 1, keep, bigger, fewer);
        }
        if (factor == 1)
            break;
        rest = sc_factor_rounds(whole, factor - 1);
    }
    w->factor[k].of[d] = 1;
}

static void walk_levels(draft *w, unsigned k, const sc_extents *tile, const sc_extents *left)
{
    const sc_array_space *s = &w->q->space;
    sc_extents at = *tile;
    uint8_t keep;
    if (k + 1 == s->n_outer) {
        sc_mapping m;
        const double bound = k > 0 ? split_bound(w, tile, left) : w->bound;
        w->factor[k] = *left;
        if (bound >= w->q->best->cycles)
            return;
        build(&m, w);
        w->scored = HUGE_VAL;
        walk_orders(w, &m, 0, bound);
        w->found = sc_smaller(w->found, w->scored);
        if (w->scored > bound)
            w->q->open = sc_smaller(w->q->open, bound);
        return;
    }
    for (unsigned i = k > 0 ? s->scope[k - 1] : 0; i < s->scope[k]; i++)
        times(&at, &w->lanes->grid[i], s->n_dims);
    if (!keeps_at(w, k, &keep)) { /* loops of a level that holds nothing may stand further out */
        for (unsigned d = 0; d < s->n_dims; d++)
            w->factor[k].of[d] = 1;
        walk_levels(w, k + 1, &at, left);
        return;
    }
    walk_factors(w, k, 0, keep, at, *left);
}

/* ---- keeping ---- */

/* Words that pass an innermost buffer which does not keep the tensor, on their way to one lane. If
 * it stays in the array, loops that leave it in place bring it again only outside one that moves
 * it; a word may stay while two loops of a window move against each other. Else every step takes
 * one. */
static double passed(const draft *w, unsigned t, const sc_extents *time)
{
    const sc_array_space *s = &w->q->space;
    sc_extents one, steps = *time;
    sc_words words;
    uint16_t inner = 0; /* dimensions of which the innermost loop that moves it may be */
    double all = 1, least = HUGE_VAL;
    for (unsigned d = 0; d < s->n_dims; d++) {
        all *= (double)time->of[d];
        one.of[d] = 1;
        inner |= (uint16_t)((s->moves[t] >> d & 1 & (w->lanes->time.of[d] > 1)) << d);
    }
    if ((int)t != w->q->stays[w->lanes->dataflow])
        return all;
    if (!inner && w->first >= 0)
        inner = s->moves[t] & (uint16_t)(1u << w->first);
    for (unsigned d = 0; d < s->n_dims; d++)
        if (!(s->moves[t] >> d & 1))
            steps.of[d] = inner ? w->tile->steps.of[d] : 1;
    sc_array_words(&words, s, t, &one, &one, &steps, true);
    for (unsigned d = 0; d < s->n_dims; d++)
        if (inner >> d & 1)
            least = sc_smaller(least, words.by[d]);
    return inner ? least : words.still;
}

/* Words that innermost buffers get if the first loop outside is of `first`, and cycles of their
 * ports. */
static void inner_words(draft *w)
{
    const sc_array_space *s = &w->q->space;
    const sc_lanes *y = w->lanes;
    const int stays = w->q->stays[y->dataflow];
    const sc_extents *apart = s->grid[0].between ? &one_apart : &y->grid[0];
    double worked[SC_MAX_TENSORS] = {0};
    sc_extents time = y->time;
    times(&time, &w->tile->steps, s->n_dims);
    for (unsigned t = 0; t < s->n_tensors; t++) {
        sc_words words;
        const bool moved = w->first >= 0 && s->moves[t] >> w->first & 1;
        const sc_words *all = &w->tile->words[t];
        const double lanes = sc_array_groups(s, t, s->array, &y->array) *
                             sc_array_groups(s, t, s->arrays.level, &y->arrays);
        if ((int)t != stays)
            worked[t] = y->steps * lanes;
        if (w->inner_keeps >> t & 1) {
            sc_array_words(&words, s, t, &w->child, apart, &w->tile->steps, true);
            w->words.of[0][t] = moved ? words.by[w->first] : words.still;
        } else {
            w->words.of[0][t] = passed(w, t, &time) * lanes;
        }
        for (unsigned i = 0; i < s->n_grids; i++)
            w->words.of[i + 1][t] =
                w->words.of[i][t] * sc_array_groups(s, t, s->grid[i].level, &y->grid[i]);
        double *served = &w->words.of[s->n_grids][t];
        *served = sc_larger(*served, s->compulsory[t]);
        *served = sc_larger(*served, moved ? all->by[w->first] : all->still);
    }
    w->macs = sc_larger(w->macs, sc_array_inner_time(s, w->inner_keeps, worked, w->words.of[0]));
}

/* A pair may have been left in a round whose limit is below one of its bounds, of parts or whole:
 * it was met only if the largest of them is not above that limit. */
static void with_pair(draft *w, const sc_pair *p)
{
    sc_array_search *q = w->q;
    w->inner_keeps = p->set;
    w->first = p->first < q->n_order ? (int)q->order[p->first] : -1;
    const bool ends = w->first >= 0 && q->ends_pass[w->lanes->dataflow] >> w->first & 1;
    const double least = sc_larger(p->memory, w->lanes->macs);
    w->macs = sc_array_ramped(q->space.a, w->lanes->dataflow, w->lanes->steps,
                              ends ? w->lanes->inner_pass : w->lanes->pass);
    inner_words(w);
    for (unsigned i = 0; i < q->n_keepings && !sc_array_spent(q); i++) {
        w->keeping = &q->keeping[i];
        const double memory = sc_array_memory_of(q, w->keeping, w->macs, &w->words, w->output);
        w->bound = sc_larger(memory, least) + w->prefill;
        if (w->bound <= q->from || !sc_array_wanted(q, w->bound))
            continue;
        w->found = HUGE_VAL;
        memset(w->factor, 0, sizeof w->factor);
        walk_levels(w, 0, &w->child, &w->tile->steps);
        if (q->nodes >= w->stop && w->found > w->bound) {
            q->open = sc_smaller(q->open, w->bound);
            q->cut = true;
        }
    }
}

void sc_array_finish(sc_array_search *q, const sc_array_tile *tile, const sc_lanes *lanes)
{
    const sc_array_space *s = &q->space;
    draft w = {.q = q, .tile = tile, .lanes = lanes, .stop = q->nodes + q->share};
    sc_extents whole;
    for (unsigned d = 0; d < s->n_dims; d++) {
        w.child.of[d] = lanes->array.of[d] * lanes->arrays.of[d] * lanes->time.of[d];
        w.all.of[d] = w.child.of[d];
    }
    for (unsigned i = 0; i < s->n_grids; i++)
        times(&w.all, &lanes->grid[i], s->n_dims);
    whole = w.all;
    times(&whole, &tile->steps, s->n_dims);
    w.output = sc_footprint_words(&s->e->tensor[s->e->output], whole.of);
    w.prefill = sc_array_prefill(s, &w.all);
    for (unsigned set = 1u << s->n_tensors; set-- > 0;) { /* what keeps most, first */
        if (sc_footprint_fit(s->a, s->inner, s->e, (uint8_t)set, w.child.of).code != SC_FITS)
            continue;
        for (unsigned i = 0; i < lanes->n_pairs; i++)
            if (lanes->pairs[i].set == set)
                with_pair(&w, &lanes->pairs[i]);
    }
}
