#include <string.h>

#include "model/mapper/array_search.h"
#include "model/mapper/factor.h"
#include "model/mapper/footprint.h"

/* One class: products of its dimensions' lanes, known, and its steps in time. While it is open the
 * least of each: of all steps, of those outside the innermost buffers, of those in them. */
typedef struct class_steps {
    double array, grid;
    double steps, outer, inner;
    bool decided, may_loop; /* may have a loop outside */
} class_steps;

typedef struct walk {
    sc_array_search *q;
    sc_flat_lanes *const *lanes; /* of each class */
    sc_dataflow dataflow;
    int stationary;
    double macs; /* cycles of the MACs, at least */
    unsigned n;
    unsigned of[SC_FLAT_CLASSES];                /* classes in the order they are decided */
    const sc_flat_split *split[SC_FLAT_CLASSES]; /* as decided */
    class_steps now[SC_FLAT_CLASSES];
    uint16_t moved[SC_MAX_TENSORS];                           /* bit 1 << class */
    double on_array[SC_MAX_TENSORS], on_grid[SC_MAX_TENSORS]; /* lanes with different words */
    double room[SC_MAX_TENSORS]; /* of an innermost buffer for each alone, words at most */
    unsigned may, must;          /* be kept in the innermost buffer: bit 1 << tensor */
} walk;

/* What a node knows of its classes: products. */
typedef struct products {
    double steps, inner_pass;
    bool moving;                  /* a loop of the innermost buffer moves what stays in the array */
    double all[SC_MAX_TENSORS];   /* words that come if each comes once */
    double again[SC_MAX_TENSORS]; /* steps outside of loops that leave the tensor in place */
    double tile[SC_MAX_TENSORS];  /* of one child */
    double prefill;
} products;

static void multiply(products *p, const walk *w)
{
    const sc_array_search *q = w->q;
    sc_extents whole;
    *p = (products){.steps = 1, .inner_pass = 1};
    for (unsigned d = 0; d < SC_MAX_DIMS; d++)
        whole.of[d] = 1;
    for (unsigned t = 0; t < q->space.n_tensors; t++)
        p->all[t] = p->again[t] = p->tile[t] = 1;
    for (unsigned c = 0; c < w->n; c++) {
        const class_steps *k = &w->now[c];
        p->steps *= k->steps;
        if (!(w->moved[w->stationary] >> c & 1))
            p->inner_pass *= k->decided ? k->inner : k->steps;
        else
            p->moving |= k->inner > 1;
        for (unsigned t = 0; t < q->space.n_tensors; t++)
            if (w->moved[t] >> c & 1) {
                p->all[t] *= k->array * k->steps;
                p->tile[t] *= k->array * k->inner;
            } else {
                p->again[t] *= k->outer;
            }
        whole.of[q->flat.dim[c][0]] = (uint64_t)(k->array * k->grid * k->inner);
    }
    p->prefill = sc_array_prefill(&q->space, &whole);
}

/* Steps of the longest pass. @param ends  the first loop outside moves what stays. */
static double pass_of(const walk *w, const products *p, bool ends)
{
    double pass = p->inner_pass;
    for (unsigned c = 0; c < w->n && !p->moving && !ends; c++)
        if (w->now[c].decided && !(w->moved[w->stationary] >> c & 1))
            pass *= w->now[c].outer;
    return pass;
}

/* Steps outside that room asks for: of a tensor that is kept, what a class leaves open may not be
 * larger in the innermost buffer than all else lets it. @param[out] again  as in products. */
static void ask_for_room(double *again, const walk *w, const products *p, unsigned set)
{
    const sc_array_search *q = w->q;
    for (unsigned t = 0; t < q->space.n_tensors; t++)
        again[t] = p->again[t];
    for (unsigned c = 0; c < w->n; c++) {
        const class_steps *k = &w->now[c];
        double most = k->steps; /* in the innermost buffer */
        for (unsigned t = 0; !k->decided && t < q->space.n_tensors; t++)
            if (set >> t & 1 && w->moved[t] >> c & 1)
                most = sc_smaller(most, floor(w->room[t] / p->tile[t] * (1 + 1e-12)));
        if (most >= k->steps)
            continue;
        const double outer = ceil(k->steps / most * (1 - 1e-12));
        for (unsigned t = 0; t < q->space.n_tensors; t++)
            if (!(w->moved[t] >> c & 1))
                again[t] *= outer;
    }
}

/* Cycles of one set of kept tensors and one class first outside (-1: no loop), first words aside.
 * @param again  steps outside that leave a tensor in place */
static double bound_of(const walk *w, const products *p, const double *again, unsigned set,
                       int first)
{
    const sc_array_search *q = w->q;
    const sc_array_space *s = &q->space;
    const bool ends = first >= 0 && w->moved[w->stationary] >> first & 1;
    sc_scoped words = {{{0}}};
    double *inside = words.of[0], *served = words.of[1];
    double worked[SC_MAX_TENSORS] = {0};
    for (unsigned t = 0; t < s->n_tensors; t++) {
        const bool moved = first >= 0 && w->moved[t] >> first & 1;
        if (set >> t & 1)
            inside[t] = p->all[t] * (moved ? again[t] : 1);
        else if ((int)t == w->stationary)
            inside[t] = p->all[t] * (moved || p->moving ? again[t] : 1);
        else
            inside[t] = p->steps * w->on_array[t];
        if ((int)t != w->stationary)
            worked[t] = p->steps * w->on_array[t];
        served[t] = sc_larger(inside[t] * w->on_grid[t], s->compulsory[t]);
    }
    const double macs =
        ceil(sc_array_ramped(s->a, w->dataflow, p->steps, pass_of(w, p, ends)) * (1 - 1e-12));
    const double ports = sc_array_inner_time(s, set, worked, inside);
    return sc_larger(w->macs, sc_array_memory_any(q, sc_larger(macs, ports), &words));
}

static bool may_keep(const walk *w, uint32_t hold, unsigned set)
{
    return hold >> set & 1 && (set & w->must) == w->must && !(set & ~w->may);
}

/* Is a set among those to look at once all is decided? Of those that fit only one that no other
 * fits beyond, where what is kept is a gift. */
static bool is_wanted(const walk *w, uint32_t hold, unsigned set)
{
    if (!may_keep(w, hold, set))
        return false;
    for (unsigned t = 0; !w->q->flat.all && !w->q->space.ported && t < w->q->space.n_tensors; t++)
        if (!(set >> t & 1) && w->may >> t & 1 && hold >> (set | 1u << t) & 1)
            return false;
    return true;
}

/* Is some bound below the best mapping? */
static bool has_hope(const walk *w, const products *p)
{
    const uint32_t hold = sc_array_could_hold(w->q, p->tile, 1);
    bool loops = false;
    for (unsigned c = 0; c < w->n; c++)
        loops |= w->now[c].decided && w->now[c].may_loop;
    for (unsigned set = 1u << w->q->space.n_tensors; set-- > 0;) {
        double again[SC_MAX_TENSORS];
        if (!may_keep(w, hold, set))
            continue;
        ask_for_room(again, w, p, set);
        for (int c = loops ? 0 : -1; c < (int)w->n; c++)
            if ((c < 0 || w->now[c].may_loop) &&
                bound_of(w, p, again, set, c) + p->prefill < w->q->best->cycles)
                return true;
    }
    return false;
}

/* ---- all is decided ---- */

static unsigned list_pairs(sc_pair *pair, const walk *w, const products *p,
                           const sc_array_tile *tile)
{
    const sc_array_search *q = w->q;
    const uint32_t hold = sc_array_could_hold(q, p->tile, 1);
    unsigned n = 0;
    for (unsigned set = 0; set < 1u << q->space.n_tensors; set++) {
        if (!is_wanted(w, hold, set))
            continue;
        if (tile->n_steps <= 1)
            pair[n++] =
                (sc_pair){(uint8_t)set, (uint8_t)q->n_order, bound_of(w, p, p->again, set, -1)};
        for (unsigned i = 0; i < q->n_order; i++)
            if (tile->steps.of[q->order[i]] > 1)
                pair[n++] =
                    (sc_pair){(uint8_t)set, (uint8_t)i,
                              bound_of(w, p, p->again, set, (int)q->flat.class_of[q->order[i]])};
    }
    return n;
}

/* Lanes, loops and tile as decided. */
static void put_together(sc_lanes *y, sc_array_tile *tile, const walk *w)
{
    const sc_flat *f = &w->q->flat;
    *tile = (sc_array_tile){.n_steps = 1, .n_inside = 1};
    *y = (sc_lanes){.dataflow = w->dataflow};
    for (unsigned d = 0; d < SC_MAX_DIMS; d++) {
        tile->steps.of[d] = tile->all.of[d] = y->time.of[d] = 1;
        y->array.of[d] = y->arrays.of[d] = y->grid[0].of[d] = 1;
    }
    for (unsigned c = 0; c < w->n; c++) {
        const sc_flat_vector *v = &f->vector[w->split[c]->vector];
        for (unsigned i = 0; i < f->n_dims[c]; i++) {
            const unsigned d = f->dim[c][i];
            y->array.of[d] = v->array[i];
            y->grid[0].of[d] = v->grid[i];
            y->on_y[0] = (uint16_t)(y->on_y[0] | (v->on_y >> i & 1u) << d);
            tile->steps.of[d] = w->split[c]->of[i];
            y->time.of[d] = sc_factor_rounds(v->steps[i], tile->steps.of[d]);
            tile->all.of[d] = y->time.of[d] * y->array.of[d] * y->grid[0].of[d];
            tile->n_steps *= (double)tile->steps.of[d];
            tile->n_inside *= (double)tile->all.of[d];
        }
    }
}

static void finish(walk *w, const products *p)
{
    sc_array_search *q = w->q;
    const sc_array_space *s = &q->space;
    sc_pair pairs[(SC_MAX_DIMS + 1) << SC_MAX_TENSORS];
    sc_array_tile tile;
    sc_lanes y;
    sc_extents one;
    put_together(&y, &tile, w);
    for (unsigned d = 0; d < SC_MAX_DIMS; d++)
        one.of[d] = 1;
    for (unsigned t = 0; t < s->n_tensors; t++)
        sc_array_words(&tile.words[t], s, t, &tile.all, &one, &tile.steps, false);
    y.steps = p->steps;
    y.inner_pass = p->inner_pass;
    y.pass = pass_of(w, p, false);
    y.macs = w->macs;
    y.n_pairs = list_pairs(pairs, w, p, &tile);
    y.pairs = pairs;
    sc_array_finish(q, &tile, &y);
}

/* k classes are decided. */
static void look(walk *w, unsigned k)
{
    sc_array_search *q = w->q;
    products p;
    q->nodes++;
    multiply(&p, w);
    if (!has_hope(w, &p) || sc_array_spent(q))
        return;
    if (k == w->n) {
        finish(w, &p);
        return;
    }
    class_steps *c = &w->now[w->of[k]];
    const class_steps open = *c;
    const sc_flat_lanes *l = w->lanes[w->of[k]];
    for (unsigned i = 0; i < l->n_splits; i++) {
        const sc_flat_split *y = &q->flat.split[l->split + i];
        w->split[w->of[k]] = y;
        *c = (class_steps){open.array, open.grid, y->outer * y->inner, y->outer,
                           y->inner,   true,      y->outer > 1};
        look(w, k + 1);
    }
    *c = open;
}

/* Classes, those of most steps first. */
static void start_classes(walk *w)
{
    for (unsigned c = 0; c < w->q->flat.n_classes; c++) {
        const sc_flat_lanes *l = w->lanes[c];
        w->now[c] =
            (class_steps){l->array, (double)l->x * l->y, l->steps, 1, 1, false, l->steps > 1};
        unsigned at = w->n++;
        for (; at > 0 && w->now[w->of[at - 1]].steps < l->steps; at--)
            w->of[at] = w->of[at - 1];
        w->of[at] = c;
    }
}

/* Which tensors a class moves, lanes that take different words, room. */
static void start_tensors(walk *w)
{
    const sc_array_search *q = w->q;
    const sc_array_space *s = &q->space;
    const sc_level *inner = &s->a->level[s->inner];
    sc_extents array, grid;
    for (unsigned d = 0; d < SC_MAX_DIMS; d++)
        array.of[d] = grid.of[d] = 1;
    for (unsigned c = 0; c < w->n; c++) {
        array.of[q->flat.dim[c][0]] = w->lanes[c]->array;
        grid.of[q->flat.dim[c][0]] = (uint64_t)w->lanes[c]->x * w->lanes[c]->y;
    }
    w->may = sc_keepable(inner, s->e);
    for (unsigned t = 0; t < s->n_tensors; t++) {
        const sc_tensor *tensor = &s->e->tensor[t];
        const double unit = inner->word_bits > 0 ? 1 : sc_level_moved_bits(inner, tensor) / 8.0;
        w->must |= (unsigned)(inner->must_keep >> tensor->role & 1) << t;
        w->room[t] = inner->bounded ? q->room[t] / unit : HUGE_VAL;
        w->on_array[t] = sc_array_groups(s, t, s->array, &array);
        w->on_grid[t] = sc_array_groups(s, t, s->grid[0].level, &grid);
        for (unsigned c = 0; c < w->n; c++)
            w->moved[t] |= (uint16_t)((s->moves[t] >> q->flat.dim[c][0] & 1) << c);
    }
}

void sc_flat_split_steps(sc_array_search *q, sc_dataflow f, sc_flat_lanes *const *lanes,
                         double macs)
{
    walk w = {.q = q, .lanes = lanes, .dataflow = f, .macs = macs};
    w.stationary = q->stays[f];
    start_classes(&w);
    start_tensors(&w);
    if (sc_flat_list_splits(&q->flat, lanes, w.n))
        look(&w, 0);
    else
        q->open = sc_smaller(q->open, macs); /* it stays open */
}
