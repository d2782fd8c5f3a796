#include <string.h>

#include "model/mapper/array_search.h"
#include "model/mapper/footprint.h"

enum { MAX_PAIRS = (SC_MAX_DIMS + 1) << SC_MAX_TENSORS };

/* Extents of a child, products; each at most: what is open counts as whole. */
typedef struct extents {
    double inside, pass;              /* of all dimensions; of those that leave what stays */
    double at[SC_PLACE_DIAGONAL + 1]; /* by place of the array */
    double rows[SC_MAX_TENSORS], cols[SC_MAX_TENSORS]; /* in rows, columns that share a word */
} extents;

/* The grid while its units are decided: products over those that are. */
typedef struct so_far {
    uint64_t children; /* left */
    extents most;
    sc_grid_factors factors;
} so_far;

typedef struct walk {
    sc_array_search *q;
    const sc_array_tile *tile;
    int stationary;
    unsigned n, unit[SC_MAX_DIMS];               /* in the order they are decided */
    extents open[SC_MAX_DIMS + 1];               /* the k-th unit and on, open */
    sc_grid_factors open_least[SC_MAX_DIMS + 1]; /* likewise */
    const sc_grid_list *list[SC_MAX_DIMS];       /* of each unit */
    const sc_grid_shares *shares[SC_MAX_DIMS];   /* of each unit: as decided, or the least */
    unsigned n_pairs[SC_MAX_DIMS + 1]; /* still looked for, by how many units are decided */
    sc_pair pairs[SC_MAX_DIMS + 1][MAX_PAIRS];
    double moving[SC_MAX_TENSORS]; /* steps outside of the loops that move the tensor */
    double pass;                   /* steps outside of those that leave in place what stays */
    double prefill;
    sc_lanes lanes;
} walk;

/* ---- factors ---- */

static const sc_grid_factors no_factors = {
    1, {1, 1, 1, 1}, {{1, 1, 1, 1}, {1, 1, 1, 1}}, {{1, 1, 1, 1}, {1, 1, 1, 1}}};
static const extents no_extents = {1, 1, {1, 1, 1, 1}, {1, 1, 1, 1}, {1, 1, 1, 1}};

static void times(sc_grid_factors *f, const sc_grid_factors *x)
{
    f->inside *= x->inside;
    for (unsigned t = 0; t < SC_MAX_TENSORS; t++)
        f->all_inside[t] *= x->all_inside[t];
    for (unsigned k = 0; k < SC_GRID_KEPT; k++)
        for (unsigned t = 0; t < SC_MAX_TENSORS; t++) {
            f->words[k][t] *= x->words[k][t];
            f->all_words[k][t] *= x->all_words[k][t];
        }
}

static void times_extents(extents *e, const extents *x)
{
    e->inside *= x->inside;
    e->pass *= x->pass;
    for (unsigned p = 0; p <= SC_PLACE_DIAGONAL; p++)
        e->at[p] *= x->at[p];
    for (unsigned t = 0; t < SC_MAX_TENSORS; t++) {
        e->rows[t] *= x->rows[t];
        e->cols[t] *= x->cols[t];
    }
}

static void add_dim(extents *e, const walk *w, unsigned d, double extent)
{
    const sc_array_space *s = &w->q->space;
    const sc_array_place place = w->q->place[w->lanes.dataflow][d];
    e->inside *= extent;
    e->at[place] *= extent;
    if (!(s->moves[w->stationary] >> d & 1))
        e->pass *= extent;
    for (unsigned t = 0; t < s->n_tensors; t++) {
        if (s->moves[t] >> d & 1)
            continue;
        e->rows[t] *= place == SC_PLACE_ROWS ? extent : 1;
        e->cols[t] *= place == SC_PLACE_COLUMNS ? extent : 1;
    }
}

/* ---- bounds ---- */

/* Cycles of the MACs. A grid that is whole takes whole steps along rows, along columns and of what
 * the array has no place for, unless some dimension may lie on the diagonal. */
static double mac_cycles(const walk *w, const extents *most, double children, bool whole, bool ends)
{
    const sc_array_search *q = w->q;
    const double rows = (double)q->space.a->compute.rows, cols = (double)q->space.a->compute.cols;
    double steps = most->inside / (sc_array_busy_at(q, most->at) * children);
    if (whole && most->at[SC_PLACE_DIAGONAL] == 1)
        steps = most->at[SC_PLACE_NONE] * ceil(most->at[SC_PLACE_ROWS] / rows) *
                ceil(most->at[SC_PLACE_COLUMNS] / cols);
    const double all = w->tile->n_steps * sc_larger(1, ceil(steps * (1 - 1e-12)));
    return ceil(
        sc_array_ramped(q->space.a, w->lanes.dataflow, all, most->pass * (ends ? 1 : w->pass)) *
        (1 - 1e-12));
}

/* The least that a window leaves of each tensor's words. */
static sc_grid_shares least_shares(const walk *w)
{
    sc_grid_shares least = *w->shares[0];
    for (unsigned i = 1; i < w->q->grid.n_units; i++)
        for (unsigned k = 0; k < SC_GRID_KEPT; k++)
            for (unsigned t = 0; t < SC_MAX_TENSORS; t++)
                least.of[k][t] = sc_smaller(least.of[k][t], w->shares[i]->of[k][t]);
    return least;
}

/* Words of a tensor by a first loop outside: of one child, of all. `share`: the least that windows
 * leave of it. */
typedef struct child_words {
    double inside, served;
} child_words;

static child_words words_of(const walk *w, const extents *most, const sc_grid_factors *f,
                            unsigned t, bool kept, int first, double share)
{
    const sc_array_search *q = w->q;
    const sc_array_space *s = &q->space;
    const sc_array_tile *tile = w->tile;
    const bool moved = first >= 0 && s->moves[t] >> first & 1;
    const double steps = moved ? tile->n_steps * w->shares[q->grid.unit_of[first]]->of[kept][t]
                               : w->moving[t] * share;
    child_words c = {f->words[kept][t] * steps, f->all_words[kept][t] * steps};
    if (!kept && (int)t != w->stationary) {
        const double each = tile->n_steps / (sc_smaller(most->rows[t], (double)s->a->compute.rows) *
                                             sc_smaller(most->cols[t], (double)s->a->compute.cols));
        c.inside = sc_larger(c.inside, each * f->inside);
        c.served = sc_larger(c.served, each * f->all_inside[t]);
    }
    c.served = sc_larger(c.served, moved ? tile->words[t].by[first] : tile->words[t].still);
    c.served = sc_larger(c.served, s->compulsory[t]);
    return c;
}

/* Which sets the innermost buffer could hold, of tiles of at least these words: bit 1 << set. */
static uint32_t could_hold(const walk *w, const double *words)
{
    const sc_array_space *s = &w->q->space;
    const sc_level *inner = &s->a->level[s->inner];
    double need[SC_MAX_TENSORS];
    uint32_t hold = 0;
    for (unsigned t = 0; t < s->n_tensors; t++)
        need[t] = sc_footprint_units(inner, &s->e->tensor[t], words[t]);
    for (unsigned set = 0; set < 1u << s->n_tensors; set++) {
        double shared = 0;
        bool fits = true;
        for (unsigned t = 0; t < s->n_tensors; t++) {
            fits &= !(set >> t & 1) || !inner->partitioned || need[t] <= w->q->room[t];
            shared += set >> t & 1 ? need[t] : 0;
        }
        fits &= inner->partitioned || shared <= w->q->room[0];
        hold |= (uint32_t)(fits || !inner->bounded) << set;
    }
    return hold;
}

/* Go through the pairs that k - 1 units left; those that are still looked for stay.
 * @return cycles of the traffic of the best of them, HUGE_VAL if there is none. */
static double keep_pairs(walk *w, unsigned k, const extents *most, const sc_grid_factors *f,
                         const double *macs)
{
    sc_array_search *q = w->q;
    const sc_array_space *s = &q->space;
    const unsigned from = k > 0 ? k - 1 : 0, n = w->n_pairs[from];
    child_words words[2][SC_MAX_TENSORS];
    double memory = HUGE_VAL;
    unsigned kept = 0, now = UINT32_MAX;
    const uint32_t hold = could_hold(w, f->words[1]);
    const sc_grid_shares least = least_shares(w);
    for (unsigned i = 0; i < n; i++) {
        sc_pair p = w->pairs[from][i];
        const int first = p.first < q->n_order ? (int)q->order[p.first] : -1;
        double served[SC_MAX_TENSORS] = {0}, inside[SC_MAX_TENSORS] = {0};
        if (!(hold >> p.set & 1))
            continue;
        for (unsigned t = 0; now != p.first && t < s->n_tensors; t++)
            for (unsigned x = 0; x < 2; x++)
                words[x][t] = words_of(w, most, f, t, x == 1, first, least.of[x][t]);
        now = p.first;
        for (unsigned t = 0; t < s->n_tensors; t++) {
            inside[t] = words[p.set >> t & 1][t].inside;
            served[t] = words[p.set >> t & 1][t].served;
        }
        const bool ends = first >= 0 && s->moves[w->stationary] >> first & 1;
        const double bound = sc_array_memory_any(q, macs[ends], served, inside);
        p.memory = sc_larger(p.memory, bound);
        if (!sc_array_wanted(q, p.memory + w->prefill))
            continue;
        memory = sc_smaller(memory, p.memory);
        w->pairs[k][kept++] = p;
    }
    w->n_pairs[k] = kept;
    return memory;
}

/* ---- the walk ---- */

/* Put the grid's loops on its two axes. @return false if they do not go there. */
static bool lay_axes(sc_lanes *y, const sc_array_space *v)
{
    unsigned n = 0, dim[SC_MAX_DIMS];
    for (unsigned d = 0; d < v->n_dims; d++)
        if (y->grid.of[d] > 1)
            dim[n++] = d;
    for (unsigned on_y = 0; on_y < 1u << n; on_y++) {
        uint64_t along[2] = {1, 1};
        y->on_y = 0;
        for (unsigned i = 0; i < n; i++) {
            along[on_y >> i & 1] *= y->grid.of[dim[i]];
            y->on_y |= (uint16_t)((on_y >> i & 1) << dim[i]);
        }
        if (n == 0 || (along[0] <= v->a->level[v->grid].fanout_x &&
                       along[1] <= v->a->level[v->grid].fanout_y))
            return true;
    }
    return false;
}

static void grid_done(walk *w, double memory)
{
    sc_array_search *q = w->q;
    sc_lanes lanes = w->lanes;
    sc_extents all;
    for (unsigned d = 0; d < q->space.n_dims; d++)
        all.of[d] = lanes.time.of[d] * lanes.grid.of[d];
    const double prefill = sc_array_prefill(&q->space, &all);
    lanes.n_pairs = w->n_pairs[w->n];
    lanes.pairs = w->pairs[w->n];
    if (sc_array_wanted(q, memory + prefill))
        sc_array_lay_child(q, w->tile, &lanes, memory, prefill);
}

/* k units are decided. */
static void look(walk *w, const so_far *s, unsigned k)
{
    sc_array_search *q = w->q;
    const bool whole = k == w->n;
    double macs[2];
    extents most = s->most;
    q->nodes++;
    times_extents(&most, &w->open[k]);
    for (unsigned ends = 0; ends < 2; ends++)
        macs[ends] = mac_cycles(w, &most, whole ? 1 : (double)s->children, whole, ends != 0);
    if (!sc_array_wanted(q, macs[0] + w->prefill) || (whole && !lay_axes(&w->lanes, &q->space)))
        return;
    sc_grid_factors f = s->factors;
    times(&f, &w->open_least[k]);
    const double memory = keep_pairs(w, k, &most, &f, macs);
    if (w->n_pairs[k] == 0 || sc_array_spent(q))
        return;
    if (whole) {
        grid_done(w, memory);
        return;
    }
    const unsigned u = w->unit[k];
    const sc_grid_list *list = w->list[u];
    for (unsigned i = 0; i < list->n; i++) {
        const sc_grid_way *way = &q->grid.way[list->first + i];
        so_far next = *s;
        if (way->children > (double)s->children)
            continue;
        next.children = (uint64_t)((double)s->children / way->children);
        for (unsigned d = 0; d < q->grid.n_dims[u]; d++) {
            w->lanes.grid.of[q->grid.dim[u][d]] = way->lanes[d];
            w->lanes.time.of[q->grid.dim[u][d]] = way->time[d];
            add_dim(&next.most, w, q->grid.dim[u][d], (double)way->time[d]);
        }
        times(&next.factors, &way->factors);
        w->shares[u] = &way->shares;
        look(w, &next, k + 1);
    }
    w->shares[u] = &list->least_shares;
}

/* Units with one way are decided at the start, the others from the smallest on. */
static void order_units(walk *w, so_far *start)
{
    const sc_grid_ways *g = &w->q->grid;
    double size[SC_MAX_DIMS];
    w->n = 0;
    for (unsigned u = 0; u < g->n_units; u++) {
        const sc_grid_list *l = w->list[u];
        double whole = 1;
        w->shares[u] = &l->least_shares;
        for (unsigned i = 0; i < g->n_dims[u]; i++)
            whole *= (double)w->tile->all.of[g->dim[u][i]];
        if (l->n == 1) {
            times(&start->factors, &l->least);
            for (unsigned i = 0; i < g->n_dims[u]; i++) {
                const unsigned d = g->dim[u][i];
                w->lanes.time.of[d] = w->tile->all.of[d];
                add_dim(&start->most, w, d, (double)w->tile->all.of[d]);
            }
            continue;
        }
        unsigned at = w->n++;
        for (; at > 0 && size[at - 1] > whole; at--) {
            size[at] = size[at - 1];
            w->unit[at] = w->unit[at - 1];
        }
        size[at] = whole;
        w->unit[at] = u;
    }
}

static void sum_up(walk *w)
{
    const sc_grid_ways *g = &w->q->grid;
    w->open[w->n] = no_extents;
    w->open_least[w->n] = no_factors;
    for (unsigned k = w->n; k-- > 0;) {
        const unsigned u = w->unit[k];
        w->open[k] = w->open[k + 1];
        w->open_least[k] = w->open_least[k + 1];
        times(&w->open_least[k], &w->list[u]->least);
        for (unsigned i = 0; i < g->n_dims[u]; i++)
            add_dim(&w->open[k], w, g->dim[u][i], (double)w->tile->all.of[g->dim[u][i]]);
    }
}

static void list_pairs(walk *w)
{
    const sc_array_search *q = w->q;
    const sc_array_space *s = &q->space;
    const sc_level *inner = &s->a->level[s->inner];
    const unsigned may = sc_keepable(inner, s->e);
    unsigned must = 0;
    bool loops = false;
    w->n_pairs[0] = 0;
    for (unsigned t = 0; t < s->n_tensors; t++)
        must |= (unsigned)(inner->must_keep >> s->e->tensor[t].role & 1) << t;
    for (unsigned i = 0; i <= q->n_order; i++) {
        if (i < q->n_order ? w->tile->steps.of[q->order[i]] < 2 : loops)
            continue;
        loops = true;
        for (unsigned set = 0; set < 1u << s->n_tensors; set++)
            if ((set & must) == must && !(set & ~may))
                w->pairs[0][w->n_pairs[0]++] = (sc_pair){(uint8_t)set, (uint8_t)i, 0};
    }
}

static void lay(walk *w, sc_dataflow f)
{
    const sc_array_space *s = &w->q->space;
    so_far start = {w->q->grid.children, no_extents, no_factors};
    w->lanes.dataflow = f;
    w->stationary = sc_array_stationary(s->e, f);
    w->pass = 1;
    for (unsigned d = 0; d < s->n_dims; d++) {
        w->lanes.array.of[d] = w->lanes.grid.of[d] = w->lanes.time.of[d] = 1;
        if (!(s->moves[w->stationary] >> d & 1))
            w->pass *= (double)w->tile->steps.of[d];
    }
    order_units(w, &start);
    sum_up(w);
    list_pairs(w);
    look(w, &start, 0);
}

void sc_array_walk_lanes(sc_array_search *q, const sc_array_tile *tile)
{
    const sc_array_space *s = &q->space;
    walk w = {.q = q, .tile = tile};
    w.prefill = sc_array_prefill(s, &tile->all);
    if (!sc_grid_ways_of(w.list, &q->grid, &tile->all, &tile->steps)) {
        q->next = tile->memory + w.prefill; /* it stays open */
        return;
    }
    for (unsigned t = 0; t < s->n_tensors; t++) {
        w.moving[t] = 1;
        for (unsigned d = 0; d < s->n_dims; d++)
            w.moving[t] *= s->moves[t] >> d & 1 ? (double)tile->steps.of[d] : 1;
    }
    for (int f = 0; f < SC_DATAFLOWS; f++)
        if (q->dataflows >> f & 1)
            lay(&w, (sc_dataflow)f);
}
