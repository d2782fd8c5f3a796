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

/* A grid while its units are decided: products over those that are. */
typedef struct so_far {
    uint64_t children; /* left */
    extents most;
    sc_grid_factors factors;
} so_far;

/* Of one grid, those outside it laid. */
typedef struct walk {
    sc_array_search *q;
    const sc_array_tile *tile;
    unsigned at;                                          /* which grid */
    double inner_children, inner_sharers[SC_MAX_TENSORS]; /* of the grids inside it */
    double outer_groups[SC_ARRAY_GRIDS][SC_MAX_TENSORS];  /* of each grid outside it */
    sc_extents all;                                       /* tile of its children together */
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
    if (!(w->q->ends_pass[w->lanes.dataflow] >> d & 1))
        e->pass *= extent;
    for (unsigned t = 0; t < s->n_tensors; t++) {
        if (!(w->q->shared[t] >> d & 1))
            continue;
        e->rows[t] *= place == SC_PLACE_ROWS ? extent : 1;
        e->cols[t] *= place == SC_PLACE_COLUMNS ? extent : 1;
    }
}

/* ---- bounds ---- */

/* Cycles of the MACs. A last grid that is whole takes whole steps along rows, along columns and of
 * what the array has no place for, unless some dimension may lie on the diagonal. */
static double mac_cycles(const walk *w, const extents *most, double children, bool whole, bool ends)
{
    const sc_array_search *q = w->q;
    const double rows = (double)q->rows, cols = (double)q->cols;
    const double arrays = (double)q->space.arrays.children;
    double steps =
        most->inside / (sc_array_busy_at(q, most->at) * children * w->inner_children * arrays);
    if (whole && w->at == 0 && arrays == 1 && most->at[SC_PLACE_DIAGONAL] == 1)
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
    for (unsigned i = 1; i < w->q->grid[w->at].n_units; i++)
        for (unsigned k = 0; k < SC_GRID_KEPT; k++)
            for (unsigned t = 0; t < SC_MAX_TENSORS; t++)
                least.of[k][t] = sc_smaller(least.of[k][t], w->shares[i]->of[k][t]);
    return least;
}

/* Lanes of the arrays that a word can go to, at most. */
static double sharing(const walk *w, const extents *most, unsigned t)
{
    return sc_smaller(most->rows[t], (double)w->q->rows) *
           sc_smaller(most->cols[t], (double)w->q->cols) *
           sc_array_sharers(&w->q->space, t, &w->q->space.arrays);
}

/* Words of a tensor by a first loop outside: of one child, of all. `share`: the least that windows
 * leave of it. Between the tiles of children further in, boxes have gaps. */
typedef struct child_words {
    double inside, served;
} child_words;

static child_words words_of(const walk *w, const extents *most, const sc_grid_factors *f,
                            unsigned t, bool kept, int first, double share)
{
    const sc_array_search *q = w->q;
    const sc_array_space *s = &q->space;
    const sc_array_tile *tile = w->tile;
    const bool moved = first >= 0 && s->moves[t] >> first & 1, box = kept && w->at == 0;
    const double steps = moved
                             ? tile->n_steps * w->shares[q->grid[w->at].unit_of[first]]->of[box][t]
                             : w->moving[t] * share;
    child_words c = {f->words[box][t] * steps, f->all_words[box][t] * steps};
    if (!kept && (int)t != w->stationary) {
        const double each = tile->n_steps / (sharing(w, most, t) * w->inner_sharers[t]);
        c.inside = sc_larger(c.inside, each * f->inside);
        c.served = sc_larger(c.served, each * f->all_inside[t]);
    }
    return c;
}

/* Words of one tensor in all scopes: those of this grid, shared by what lies in its children, and
 * passed on to what lies outside. */
static void spread(sc_scoped *out, const walk *w, unsigned t, const child_words *c, int first)
{
    const sc_array_space *s = &w->q->space;
    const bool moved = first >= 0 && s->moves[t] >> first & 1;
    const sc_words *tile = &w->tile->words[t];
    out->of[w->at][t] = c->inside;
    for (unsigned i = w->at; i-- > 0;)
        out->of[i][t] = out->of[i + 1][t] / (double)s->grid[i].children;
    out->of[w->at + 1][t] = c->served;
    for (unsigned i = w->at + 1; i < s->n_grids; i++)
        out->of[i + 1][t] = out->of[i][t] * w->outer_groups[i][t];
    double *all = &out->of[s->n_grids][t];
    *all = sc_larger(*all, sc_larger(s->compulsory[t], moved ? tile->by[first] : tile->still));
}

/* Cycles of the innermost buffer's ports, by what it keeps. */
static void list_ports(double *ports, const walk *w, const extents *most, double inside)
{
    const sc_array_space *s = &w->q->space;
    double worked[SC_MAX_TENSORS] = {0};
    for (unsigned t = 0; t < s->n_tensors; t++)
        if ((int)t != w->stationary)
            worked[t] = w->tile->n_steps * inside / (sharing(w, most, t) * w->inner_children);
    for (unsigned set = 0; set < 1u << s->n_tensors; set++)
        ports[set] = sc_array_inner_time(s, set, worked, NULL);
}

/* Go through the pairs that k - 1 units left; those that are still looked for stay.
 * @return cycles of the traffic of the best of them, HUGE_VAL if there is none. */
static double keep_pairs(walk *w, unsigned k, const extents *most, const sc_grid_factors *f,
                         const double *macs)
{
    sc_array_search *q = w->q;
    const sc_array_space *s = &q->space;
    const unsigned from = k > 0 ? k - 1 : 0, n = w->n_pairs[from];
    sc_scoped by[2], words = {{{0}}}; /* by[1]: as if the innermost buffer kept all */
    double memory = HUGE_VAL, ports[1 << SC_MAX_TENSORS];
    unsigned kept = 0, now = UINT32_MAX;
    const uint32_t hold = sc_array_could_hold(q, f->words[w->at == 0], w->inner_children);
    const sc_grid_shares least = least_shares(w);
    list_ports(ports, w, most, f->inside);
    for (unsigned i = 0; i < n; i++) {
        sc_pair p = w->pairs[from][i];
        const int first = p.first < q->n_order ? (int)q->order[p.first] : -1;
        if (!(hold >> p.set & 1))
            continue;
        for (unsigned t = 0; now != p.first && t < s->n_tensors; t++)
            for (unsigned x = 0; x < 2; x++) {
                const child_words c =
                    words_of(w, most, f, t, x == 1, first, least.of[x == 1 && w->at == 0][t]);
                spread(&by[x], w, t, &c, first);
            }
        now = p.first;
        for (unsigned scope = 0; scope <= s->n_grids; scope++)
            for (unsigned t = 0; t < s->n_tensors; t++)
                words.of[scope][t] = by[p.set >> t & 1].of[scope][t];
        const bool ends = first >= 0 && q->ends_pass[w->lanes.dataflow] >> first & 1;
        const double bound = sc_array_memory_any(q, sc_larger(macs[ends], ports[p.set]), &words);
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

bool sc_array_lay_axes(uint16_t *on_y, const sc_extents *lanes, unsigned n_dims, uint64_t x,
                       uint64_t y)
{
    unsigned n = 0, dim[SC_MAX_DIMS];
    for (unsigned d = 0; d < n_dims; d++)
        if (lanes->of[d] > 1)
            dim[n++] = d;
    for (unsigned way = 0; way < 1u << n; way++) {
        uint64_t along[2] = {1, 1};
        *on_y = 0;
        for (unsigned i = 0; i < n; i++) {
            along[way >> i & 1] *= lanes->of[dim[i]];
            *on_y |= (uint16_t)((way >> i & 1) << dim[i]);
        }
        if (along[0] <= x && along[1] <= y)
            return true;
    }
    return false;
}

static bool lay_axes(walk *w)
{
    const sc_array_grid *g = &w->q->space.grid[w->at];
    return sc_array_lay_axes(&w->lanes.on_y[w->at], &w->lanes.grid[w->at], w->q->space.n_dims, g->x,
                             g->y);
}

static void lay_next(const walk *w, double memory, double prefill);

static void grid_done(walk *w, double memory)
{
    sc_array_search *q = w->q;
    sc_lanes lanes = w->lanes;
    sc_extents all;
    for (unsigned d = 0; d < q->space.n_dims; d++)
        all.of[d] = lanes.time.of[d];
    for (unsigned i = w->at; i < q->space.n_grids; i++)
        for (unsigned d = 0; d < q->space.n_dims; d++)
            all.of[d] *= lanes.grid[i].of[d];
    const double prefill = sc_array_prefill(&q->space, &all);
    lanes.n_pairs = w->n_pairs[w->n];
    lanes.pairs = w->pairs[w->n];
    if (!sc_array_wanted(q, memory + prefill))
        return;
    if (w->at > 0)
        lay_next(w, memory, prefill);
    else
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
    if (!sc_array_wanted(q, macs[0] + w->prefill) || (whole && !lay_axes(w)))
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
        const sc_grid_ways *g = &q->grid[w->at];
        const sc_grid_way *way = &g->way[list->first + i];
        so_far next = *s;
        if (way->children > (double)s->children)
            continue;
        next.children = (uint64_t)((double)s->children / way->children);
        for (unsigned d = 0; d < g->n_dims[u]; d++) {
            w->lanes.grid[w->at].of[g->dim[u][d]] = way->lanes[d];
            w->lanes.time.of[g->dim[u][d]] = way->time[d];
            add_dim(&next.most, w, g->dim[u][d], (double)way->time[d]);
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
    const sc_grid_ways *g = &w->q->grid[w->at];
    double size[SC_MAX_DIMS];
    w->n = 0;
    for (unsigned u = 0; u < g->n_units; u++) {
        const sc_grid_list *l = w->list[u];
        double whole = 1;
        w->shares[u] = &l->least_shares;
        for (unsigned i = 0; i < g->n_dims[u]; i++)
            whole *= (double)w->all.of[g->dim[u][i]];
        if (l->n == 1) {
            times(&start->factors, &l->least);
            for (unsigned i = 0; i < g->n_dims[u]; i++) {
                const unsigned d = g->dim[u][i];
                w->lanes.time.of[d] = w->all.of[d];
                add_dim(&start->most, w, d, (double)w->all.of[d]);
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
    const sc_grid_ways *g = &w->q->grid[w->at];
    w->open[w->n] = no_extents;
    w->open_least[w->n] = no_factors;
    for (unsigned k = w->n; k-- > 0;) {
        const unsigned u = w->unit[k];
        w->open[k] = w->open[k + 1];
        w->open_least[k] = w->open_least[k + 1];
        times(&w->open_least[k], &w->list[u]->least);
        for (unsigned i = 0; i < g->n_dims[u]; i++)
            add_dim(&w->open[k], w, g->dim[u][i], (double)w->all.of[g->dim[u][i]]);
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

/* All ways to lay the tile of a grid's children on it. */
static void lay(walk *w)
{
    const sc_array_space *s = &w->q->space;
    so_far start = {s->grid[w->at].children, no_extents, no_factors};
    for (unsigned d = 0; d < s->n_dims; d++)
        w->lanes.grid[w->at].of[d] = 1;
    order_units(w, &start);
    sum_up(w);
    look(w, &start, 0);
}

/* What lies inside grid `at`, and the dataflow that does not depend on tiles. */
static void enter(walk *w, unsigned at)
{
    const sc_array_space *s = &w->q->space;
    w->at = at;
    w->inner_children = 1;
    for (unsigned t = 0; t < s->n_tensors; t++)
        w->inner_sharers[t] = 1;
    for (unsigned i = 0; i < at; i++) {
        w->inner_children *= (double)s->grid[i].children;
        for (unsigned t = 0; t < s->n_tensors; t++)
            w->inner_sharers[t] *= sc_array_sharers(s, t, &s->grid[i]);
    }
}

/* The next grid further in, of a child's tile. */
static void lay_next(const walk *w, double memory, double prefill)
{
    sc_array_search *q = w->q;
    const sc_array_space *s = &q->space;
    walk in;
    in.q = q;
    in.tile = w->tile;
    in.stationary = w->stationary;
    in.pass = w->pass;
    in.prefill = prefill;
    in.lanes = w->lanes;
    in.all = w->lanes.time;
    memcpy(in.moving, w->moving, sizeof in.moving);
    memcpy(in.outer_groups, w->outer_groups, sizeof in.outer_groups);
    for (unsigned t = 0; t < s->n_tensors; t++)
        in.outer_groups[w->at][t] =
            sc_array_groups(s, t, s->grid[w->at].level, &w->lanes.grid[w->at]);
    in.n_pairs[0] = w->n_pairs[w->n];
    memcpy(in.pairs[0], w->pairs[w->n], in.n_pairs[0] * sizeof *in.pairs[0]);
    enter(&in, w->at - 1);
    if (sc_grid_ways_of(in.list, &q->grid[in.at], &in.all, &in.tile->steps))
        lay(&in);
    else
        q->next = sc_smaller(q->next, memory + prefill); /* it stays open */
}

static void with_dataflow(walk *w, sc_dataflow f)
{
    const sc_array_space *s = &w->q->space;
    w->lanes.dataflow = f;
    w->stationary = w->q->stays[f];
    w->pass = 1;
    for (unsigned d = 0; d < s->n_dims; d++) {
        w->lanes.array.of[d] = w->lanes.arrays.of[d] = w->lanes.time.of[d] = 1;
        if (!(w->q->ends_pass[f] >> d & 1))
            w->pass *= (double)w->tile->steps.of[d];
    }
    list_pairs(w);
    lay(w);
}

void sc_array_walk_lanes(sc_array_search *q, const sc_array_tile *tile)
{
    const sc_array_space *s = &q->space;
    walk w;
    w.q = q;
    w.tile = tile;
    w.all = tile->all;
    w.prefill = sc_array_prefill(s, &tile->all);
    enter(&w, s->n_grids - 1);
    if (!sc_grid_ways_of(w.list, &q->grid[w.at], &tile->all, &tile->steps)) {
        q->next = tile->memory + w.prefill; /* it stays open */
        return;
    }
    for (unsigned t = 0; t < s->n_tensors; t++) {
        w.moving[t] = 1;
        for (unsigned d = 0; d < s->n_dims; d++)
            w.moving[t] *= s->moves[t] >> d & 1 ? (double)tile->steps.of[d] : 1;
    }
    for (int f = 0; f <= SC_DATAFLOWS; f++)
        if (q->dataflows >> f & 1)
            with_dataflow(&w, (sc_dataflow)f);
}
