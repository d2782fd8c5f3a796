#include "oracle_array_space.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "count_random.h"
#include "model/mapper/array.h"

enum {
    GRIDS = 3,            /* levels with children side by side, the array's aside, at most */
    GRID = SC_MAX_LEVELS, /* slot l < GRID: in time at level l; GRID + i: on the i-th grid */
    ARRAY = GRID + GRIDS,
    SLOTS
};

typedef struct walk {
    const oracle_array_problem *p;
    oracle_array_result *out;
    sc_scorer scorer;
    double limit;
    uint64_t most;
    int array;                     /* level whose children are the array's MACs, -1: plain MACs */
    unsigned n_grids, grid[GRIDS]; /* levels, outermost first; of plain MACs theirs is one too */
    sc_dataflow flow;
    uint64_t factor[SC_MAX_DIMS][SLOTS];
    sc_mapping m;
} walk;

/* What users would be told of the mapping, for the op padded to its factors. */
static double as_padded(const walk *w)
{
    const oracle_array_problem *p = w->p;
    sc_map_options o = SC_MAP_OPTIONS_INIT;
    sc_einsum padded = p->e;
    sc_mapped r;
    o.input_share = p->input_share;
    for (unsigned d = 0; d < p->e.n_dims; d++) {
        padded.bound[d] = 1;
        for (unsigned s = 0; s < SLOTS; s++)
            padded.bound[d] *= w->factor[d][s];
    }
    if (sc_map_score(&r, &padded, &p->a, &w->m, &o) != SC_OK || r.misfit.code != SC_FITS)
        abort();
    return r.total_cycles;
}

static void evaluate(walk *w)
{
    sc_mapped r = {.total_cycles = 0};
    w->out->scored++;
    if (sc_score(&r, &w->scorer, &w->m) != SC_OK)
        abort();
    if (r.total_cycles >= w->out->cycles)
        return;
    if (as_padded(w) != r.total_cycles)
        abort();
    w->out->cycles = r.total_cycles;
    w->out->mapping = w->m;
}

static void swap(sc_loops *loops, unsigned i, unsigned j)
{
    const uint8_t dim = loops->dim[i];
    const uint64_t factor = loops->factor[i];
    loops->dim[i] = loops->dim[j];
    loops->factor[i] = loops->factor[j];
    loops->dim[j] = dim;
    loops->factor[j] = factor;
}

/* All orders of the loops in time of levels l.., of which the first `placed` of level l stand. */
static void walk_orders(walk *w, unsigned l, unsigned placed)
{
    if (w->out->scored >= w->most) {
        w->out->complete = false;
        return;
    }
    if (l == w->p->a.n_levels) {
        evaluate(w);
        return;
    }
    sc_loops *loops = &w->m.level[l].temporal;
    if (placed >= loops->n) {
        walk_orders(w, l + 1, 0);
        return;
    }
    for (unsigned i = placed; i < loops->n; i++) {
        swap(loops, placed, i);
        walk_orders(w, l, placed + 1);
        swap(loops, placed, i);
    }
}

static void walk_kept(walk *w, unsigned l)
{
    const oracle_array_problem *p = w->p;
    const unsigned all = (1u << p->e.n_tensors) - 1;
    if (l + (w->array >= 0) == p->a.n_levels) {
        if (sc_mapping_fit_padded(&w->m, &p->e, &p->a).code == SC_FITS)
            walk_orders(w, 0, 0);
        return;
    }
    for (unsigned keep = l == 0 ? all : 0; keep <= all; keep++) {
        w->m.level[l].keep = (uint8_t)keep;
        walk_kept(w, l + 1);
    }
}

static void add_loop(sc_loops *l, unsigned d, uint64_t factor)
{
    if (factor < 2)
        return;
    l->dim[l->n] = (uint8_t)d;
    l->factor[l->n++] = factor;
}

/* The dimensions of these bits along Y, the others along X. */
static void lay_grid(walk *w, unsigned i, unsigned on_y)
{
    sc_block *b = &w->m.level[w->grid[i]];
    b->spatial.n = 0;
    for (unsigned y = 0; y < 2; y++) {
        for (unsigned d = 0; d < w->p->e.n_dims; d++)
            if ((on_y >> d & 1) == y)
                add_loop(&b->spatial, d, w->factor[d][GRID + i]);
        if (y == 0)
            b->split = b->spatial.n;
    }
}

static bool grid_has_room(const walk *w, unsigned level)
{
    const sc_block *b = &w->m.level[level];
    uint64_t x = 1, y = 1;
    for (unsigned i = 0; i < b->spatial.n; i++)
        *(i < b->split ? &x : &y) *= b->spatial.factor[i];
    return x <= w->p->a.level[level].fanout_x && y <= w->p->a.level[level].fanout_y;
}

/* Of the i-th grid and those inside. @return whether one way at least was met. */
static bool walk_sides(walk *w, unsigned i)
{
    const unsigned n = w->p->e.n_dims;
    bool met = false;
    if (i == GRIDS || i == w->n_grids) {
        walk_kept(w, 0);
        return true;
    }
    for (unsigned on_y = 0; on_y < 1u << n; on_y++) {
        bool idle = false; /* only loops are laid */
        for (unsigned d = 0; d < n; d++)
            idle |= on_y >> d & 1 && w->factor[d][GRID + i] < 2;
        if (idle)
            continue;
        lay_grid(w, i, on_y);
        if (!grid_has_room(w, w->grid[i]))
            continue;
        if (!walk_sides(w, i + 1))
            return met; /* one further in has no room, whatever the sides here */
        met = true;
        if (!w->p->sides)
            return true;
    }
    return met;
}

/* Columns lie on X, rows on Y; groups advance on both. */
static void lay_array(walk *w)
{
    if (w->array < 0)
        return;
    sc_block *b = &w->m.level[w->array];
    for (unsigned y = 0; y < 2; y++) {
        for (unsigned d = 0; d < w->p->e.n_dims; d++) {
            const sc_array_place place = sc_array_place_of(&w->p->e, w->flow, d);
            if ((place == SC_PLACE_ROWS) != (y == 1))
                continue;
            if (place == SC_PLACE_DIAGONAL && w->factor[d][ARRAY] > 1)
                b->diagonal |= (uint8_t)(1u << b->spatial.n);
            add_loop(&b->spatial, d, w->factor[d][ARRAY]);
        }
        if (y == 0)
            b->split = b->spatial.n;
    }
}

static void take_factors(walk *w)
{
    const oracle_array_problem *p = w->p;
    memset(&w->m, 0, sizeof w->m);
    w->m.n_levels = (uint8_t)p->a.n_levels;
    for (unsigned l = 0; l < p->a.n_levels; l++)
        for (unsigned d = 0; d < p->e.n_dims; d++)
            add_loop(&w->m.level[l].temporal, d, w->factor[d][l]);
    if (w->array >= 0)
        w->m.level[p->a.n_levels - 1].keep = (uint8_t)(1u << sc_array_stationary(&p->e, w->flow));
    lay_array(w);
    (void)walk_sides(w, 0);
}

static uint64_t most_of(const walk *w, unsigned d, unsigned slot)
{
    const sc_arch *a = &w->p->a;
    if (slot >= GRID && slot < ARRAY) {
        if (slot - GRID >= w->n_grids)
            return 1;
        const sc_level *v = &a->level[w->grid[slot - GRID]];
        return v->fanout_x > v->fanout_y ? v->fanout_x : v->fanout_y;
    }
    if (slot == ARRAY && w->array < 0)
        return 1;
    if (slot == ARRAY)
        switch (sc_array_place_of(&w->p->e, w->flow, d)) {
        case SC_PLACE_ROWS: return a->compute.rows;
        case SC_PLACE_COLUMNS: return a->compute.cols;
        case SC_PLACE_DIAGONAL:
            return a->compute.rows < a->compute.cols ? a->compute.rows : a->compute.cols;
        case SC_PLACE_NONE: return 1;
        }
    if (slot + 1 == a->n_levels && w->array >= 0)
        return w->p->registers ? w->p->e.bound[d] : 1;
    return slot < a->n_levels && a->level[slot].may_keep ? w->p->e.bound[d] : 1;
}

/* Whether these factors of one dimension are among those to look at. */
static bool is_wanted(const walk *w, unsigned d, uint64_t product)
{
    const uint64_t bound = w->p->e.bound[d];
    if (product < bound)
        return false;
    for (unsigned s = 0; s < SLOTS && !w->p->loose; s++)
        if (w->factor[d][s] > 1 && product / w->factor[d][s] * (w->factor[d][s] - 1) >= bound)
            return false;
    return true;
}

/* All factors of dimension d at slot.. and so on for the dimensions after it; `product` is of those
 * of d so far, `steps` of all in time. */
static void walk_factors(walk *w, unsigned d, unsigned slot, uint64_t product, double steps)
{
    if (!w->out->complete)
        return;
    if (slot == SLOTS) {
        if (!is_wanted(w, d, product))
            return;
        if (d + 1 < w->p->e.n_dims)
            walk_factors(w, d + 1, 0, 1, steps);
        else
            take_factors(w);
        return;
    }
    const uint64_t most = most_of(w, d, slot), bound = w->p->e.bound[d];
    for (uint64_t f = 1; f <= most && (f == 1 || product * f < 2 * bound); f++) {
        const double taken = slot < GRID ? steps * (double)f : steps;
        if (taken > w->limit)
            break;
        w->factor[d][slot] = f;
        walk_factors(w, d, slot + 1, product * f, taken);
    }
}

static void start_walk(walk *w, const oracle_array_problem *p)
{
    sc_map_options o = SC_MAP_OPTIONS_INIT;
    memset(w, 0, sizeof *w);
    w->p = p;
    o.input_share = p->input_share;
    sc_scorer_init(&w->scorer, &p->e, &p->a, &o);
    w->array = p->a.compute.rows > 0 ? (int)p->a.n_levels - 2 : -1;
    for (unsigned l = 0; l < p->a.n_levels; l++)
        if ((int)l != w->array && p->a.level[l].fanout_x * p->a.level[l].fanout_y > 1) {
            if (w->n_grids == GRIDS)
                abort();
            w->grid[w->n_grids++] = l;
        }
}

void oracle_array_space(oracle_array_result *out, const oracle_array_problem *p, double limit,
                        uint64_t most)
{
    walk w;
    start_walk(&w, p);
    w.out = out;
    w.limit = limit;
    w.most = most;
    memset(out, 0, sizeof *out);
    out->complete = true;
    out->cycles = HUGE_VAL;
    w.flow = SC_DATAFLOWS;
    if (w.array < 0)
        walk_factors(&w, 0, 0, 1, 1);
    for (unsigned f = 0; w.array >= 0 && f < SC_DATAFLOWS; f++) {
        w.flow = (sc_dataflow)f;
        if (p->a.compute.dataflows >> f & 1 && sc_array_stationary(&p->e, w.flow) >= 0)
            walk_factors(&w, 0, 0, 1, 1);
    }
}

/* ---- following random changes ---- */

/* A mapping as what is chosen for it. */
typedef struct draft {
    sc_dataflow flow;
    uint64_t factor[SC_MAX_DIMS][SLOTS];
    uint8_t order[SC_MAX_LEVELS][SC_MAX_DIMS]; /* innermost first */
    uint8_t keep[SC_MAX_LEVELS];
    unsigned on_y[GRIDS];
} draft;

static void build(walk *w, const draft *f)
{
    const oracle_array_problem *p = w->p;
    const unsigned last = p->a.n_levels - 1;
    memset(&w->m, 0, sizeof w->m);
    memcpy(w->factor, f->factor, sizeof w->factor);
    w->flow = f->flow;
    w->m.n_levels = (uint8_t)p->a.n_levels;
    for (unsigned l = 0; l <= last; l++) {
        w->m.level[l].keep = f->keep[l];
        for (unsigned i = 0; i < p->e.n_dims; i++)
            add_loop(&w->m.level[l].temporal, f->order[l][i], f->factor[f->order[l][i]][l]);
    }
    w->m.level[0].keep = (uint8_t)((1u << p->e.n_tensors) - 1);
    if (w->array >= 0)
        w->m.level[last].keep = (uint8_t)(1u << sc_array_stationary(&p->e, f->flow));
    lay_array(w);
    for (unsigned i = 0; i < w->n_grids; i++)
        lay_grid(w, i, f->on_y[i]);
}

static double cycles_of(walk *w, const draft *f)
{
    sc_mapped r = {.total_cycles = 0};
    build(w, f);
    if (sc_mapping_fit_padded(&w->m, &w->p->e, &w->p->a).code != SC_FITS)
        return HUGE_VAL;
    if (sc_score(&r, &w->scorer, &w->m) != SC_OK)
        abort();
    return r.total_cycles;
}

/* The dimension's outermost factor takes what is left of its bound. */
static void complete(const walk *w, draft *f, unsigned d)
{
    uint64_t product = 1;
    for (unsigned s = 1; s < SLOTS; s++)
        product *= f->factor[d][s];
    f->factor[d][0] = (w->p->e.bound[d] + product - 1) / product;
}

static uint64_t random_factor(uint64_t most, uint64_t *seed)
{
    while (most > 1 && random_below(seed, 2))
        most = 1 + random_below(seed, most);
    return most > 0 ? most : 1;
}

static void draw(walk *w, draft *f, uint64_t *seed)
{
    const oracle_array_problem *p = w->p;
    memset(f, 0, sizeof *f);
    f->flow = w->flow = SC_DATAFLOWS;
    while (w->array >= 0 && (f->flow == SC_DATAFLOWS || !(p->a.compute.dataflows >> f->flow & 1) ||
                             sc_array_stationary(&p->e, f->flow) < 0))
        f->flow = w->flow = (sc_dataflow)random_below(seed, SC_DATAFLOWS);
    for (unsigned d = 0; d < p->e.n_dims; d++) {
        uint64_t left = p->e.bound[d];
        for (unsigned s = SLOTS; s-- > 0;) {
            const uint64_t most = most_of(w, d, s);
            f->factor[d][s] = s == 0 ? left : random_factor(most < left ? most : left, seed);
            left = (left + f->factor[d][s] - 1) / f->factor[d][s];
        }
        for (unsigned l = 0; l < p->a.n_levels; l++)
            f->order[l][d] = (uint8_t)d;
    }
    for (unsigned l = 0; l < p->a.n_levels; l++)
        f->keep[l] = (uint8_t)random_below(seed, 1u << p->e.n_tensors);
}

static void read_loops(draft *f, unsigned slot, const sc_loops *loops)
{
    for (unsigned i = 0; i < loops->n; i++)
        f->factor[loops->dim[i]][slot] = loops->factor[i];
}

static void take_order(uint8_t *order, const sc_loops *loops, unsigned n_dims)
{
    unsigned n = 0, there = 0;
    for (unsigned i = 0; i < loops->n; i++) {
        order[n++] = loops->dim[i];
        there |= 1u << loops->dim[i];
    }
    for (unsigned d = 0; d < n_dims; d++)
        if (!(there >> d & 1))
            order[n++] = (uint8_t)d;
}

static void read_mapping(const walk *w, draft *f, const sc_mapping *m)
{
    const oracle_array_problem *p = w->p;
    memset(f, 0, sizeof *f);
    f->flow = sc_array_dataflow(&p->e, &p->a, m);
    for (unsigned d = 0; d < p->e.n_dims; d++)
        for (unsigned s = 0; s < SLOTS; s++)
            f->factor[d][s] = 1;
    for (unsigned l = 0; l < p->a.n_levels; l++) {
        read_loops(f, l, &m->level[l].temporal);
        take_order(f->order[l], &m->level[l].temporal, p->e.n_dims);
        f->keep[l] = m->level[l].keep;
    }
    if (w->array >= 0)
        read_loops(f, ARRAY, &m->level[w->array].spatial);
    for (unsigned g = 0; g < w->n_grids; g++) {
        const sc_block *b = &m->level[w->grid[g]];
        read_loops(f, GRID + g, &b->spatial);
        for (unsigned i = b->split; i < b->spatial.n; i++)
            f->on_y[g] |= 1u << b->spatial.dim[i];
    }
}

/* Another factor of one dimension at one place; another one makes up for it. */
static void change_factor(walk *w, draft *f, uint64_t *seed)
{
    const unsigned d = (unsigned)random_below(seed, w->p->e.n_dims);
    const unsigned times = w->p->a.n_levels - (w->array >= 0); /* none in the array's registers */
    const unsigned places = times + w->n_grids + (w->array >= 0);
    unsigned s[2];
    w->flow = f->flow;
    for (unsigned i = 0; i < 2; i++) {
        const unsigned k = (unsigned)random_below(seed, places);
        s[i] = k < times ? k : k < times + w->n_grids ? GRID + k - times : ARRAY;
    }
    const uint64_t most = most_of(w, d, s[0]), was = f->factor[d][s[0]];
    uint64_t now = random_below(seed, 3) ? 1 + random_below(seed, 2 * was) : most;
    now = now < most ? now : most;
    f->factor[d][s[0]] = now < w->p->e.bound[d] ? now : w->p->e.bound[d];
    if (s[1] != 0 && s[1] != s[0]) {
        uint64_t others = 1;
        for (unsigned k = 0; k < SLOTS; k++)
            others *= k == s[1] ? 1 : f->factor[d][k];
        const uint64_t needed = (w->p->e.bound[d] + others - 1) / others;
        if (needed <= most_of(w, d, s[1]))
            f->factor[d][s[1]] = needed;
    }
    complete(w, f, d);
}

static void change(walk *w, draft *f, uint64_t *seed)
{
    const oracle_array_problem *p = w->p;
    const unsigned l = (unsigned)random_below(seed, p->a.n_levels - (w->array >= 0));
    switch (random_below(seed, 8)) {
    case 0: f->keep[l] ^= (uint8_t)(1u << random_below(seed, p->e.n_tensors)); break;
    case 1: f->on_y[random_below(seed, GRIDS)] ^= 1u << random_below(seed, p->e.n_dims); break;
    case 2:
    case 3: {
        uint8_t *x = &f->order[l][random_below(seed, p->e.n_dims)];
        uint8_t *y = &f->order[l][random_below(seed, p->e.n_dims)];
        const uint8_t was = *x;
        *x = *y;
        *y = was;
        break;
    }
    default: change_factor(w, f, seed);
    }
}

double oracle_array_follow(sc_mapping *reached, const oracle_array_problem *p,
                           const sc_mapping *start, unsigned steps, uint64_t seed)
{
    walk w;
    draft at, next;
    double cycles = HUGE_VAL, best = HUGE_VAL;
    start_walk(&w, p);
    for (unsigned i = 0; i < steps; i++) {
        if (cycles < HUGE_VAL) {
            next = at;
            for (unsigned n = 1 + (unsigned)random_below(&seed, 3); n > 0; n--)
                change(&w, &next, &seed);
        } else if (start) {
            read_mapping(&w, &next, start);
        } else {
            draw(&w, &next, &seed);
        }
        const double c = cycles_of(&w, &next);
        /* a little worse now and then: a way out of dead ends */
        if (c > cycles * (1 + 0.02 * (double)random_below(&seed, 4)))
            continue;
        at = next;
        cycles = c;
        if (c < best) {
            best = c;
            *reached = w.m;
        }
    }
    return best;
}
