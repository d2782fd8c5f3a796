#include <string.h>

#include "model/mapper/array_search.h"

/* Lanes while they are decided, class by class. */
typedef struct so_far {
    double rows, cols, x, y;      /* left of the array and of the grid's axes */
    double steps;                 /* in time of the classes decided */
    double pass;                  /* of those that leave in place what stays */
    double words[SC_MAX_TENSORS]; /* that all lanes take at once, at least */
    double macs;                  /* cycles of the MACs: the largest bound */
    bool even;                    /* as many lanes on one axis of the grid as on the other */
} so_far;

/* Products of the bounds of classes that are open. */
typedef struct open_classes {
    double all, pass, rows, cols, diagonal;
} open_classes;

typedef struct walk {
    sc_array_search *q;
    double above, limit; /* cycles of the MACs that are looked for: above `above`, up to `limit` */
    double memory;       /* cycles of the traffic, at least */
    int stationary;
    sc_dataflow dataflow;
    bool square;                     /* the grid's axes may change places */
    bool apart;                      /* some class moves no tensor with first words */
    unsigned n, of[SC_FLAT_CLASSES]; /* classes in the order they are decided */
    sc_array_place place[SC_FLAT_CLASSES];
    open_classes open[SC_FLAT_CLASSES + 1];
    const sc_flat_list *list[SC_FLAT_CLASSES];
    sc_flat_lanes *lanes[SC_FLAT_CLASSES]; /* as decided */
    double unit[SC_MAX_TENSORS];           /* of a first word at level 0; 0: it has none */
} walk;

/* Cycles of the MACs with k classes decided, at least: the others fill what is left. */
static double mac_cycles(const walk *w, const so_far *s, unsigned k)
{
    const open_classes *o = &w->open[k];
    double busy = s->rows * s->cols;
    if (o->diagonal <= 1)
        busy = sc_smaller(s->rows, o->rows) * sc_smaller(s->cols, o->cols);
    const double steps = s->steps * sc_larger(1, o->all / (busy * s->x * s->y));
    return ceil(sc_array_ramped(w->q->space.a, w->dataflow, steps, s->pass * o->pass) *
                (1 - 1e-12));
}

/* Cycles before the grid can start, at least. Classes that are open need so many lanes more to be
 * in time, and each lane of a class that moves one of two tensors is one more of its words: their
 * sum is least where both parts are alike. */
static double first_words(const walk *w, const so_far *s, unsigned k)
{
    const sc_array_space *sp = &w->q->space;
    const double lanes = sc_larger(1, s->steps * w->open[k].all / w->q->best->cycles);
    double least = HUGE_VAL, most = 0, units = 0;
    unsigned n = 0;
    for (unsigned t = 0; t < sp->n_tensors; t++) {
        const double part = s->words[t] * w->unit[t];
        units += part;
        n += w->unit[t] > 0;
        if (w->unit[t] > 0)
            least = sc_smaller(least, part);
        most = sc_larger(most, part);
    }
    if (n == 2 && !w->apart)
        units = least * lanes <= most ? least * lanes + most : 2 * sqrt(least * most * lanes);
    const double bw = sc_array_prefill_bw(sp);
    return bw > 0 ? ceil(units / bw * (1 - 1e-12)) : 0;
}

/* The most lanes that a class may have so that first words are in time. */
static double most_lanes(const walk *w, const so_far *s, unsigned c)
{
    const sc_array_search *q = w->q;
    double moved = 0, left = q->best->cycles - sc_larger(s->macs, w->memory);
    const double bw = sc_array_prefill_bw(&q->space);
    if (bw <= 0)
        return HUGE_VAL;
    left *= bw;
    for (unsigned t = 0; t < q->space.n_tensors; t++)
        if (q->space.moves[t] >> q->flat.dim[c][0] & 1)
            moved += s->words[t] * w->unit[t];
        else
            left -= s->words[t] * w->unit[t];
    return moved > 0 ? left / moved * (1 + 1e-9) : HUGE_VAL;
}

/* Whether lanes with k classes decided are looked for. */
static bool is_hopeful(walk *w, so_far *s, unsigned k)
{
    w->q->nodes++;
    s->macs = sc_larger(s->macs, mac_cycles(w, s, k));
    return s->macs <= w->limit &&
           sc_larger(s->macs, w->memory) + first_words(w, s, k) < w->q->best->cycles;
}

static void look(walk *w, const so_far *before, unsigned k);

static void decide(walk *w, const so_far *before, unsigned k, sc_flat_lanes *l)
{
    const sc_array_search *q = w->q;
    const unsigned c = w->of[k], d = q->flat.dim[c][0];
    const sc_array_place place = w->place[c];
    so_far next = *before;
    next.x = floor(next.x / l->x);
    next.y = floor(next.y / l->y);
    if (place == SC_PLACE_ROWS || place == SC_PLACE_DIAGONAL)
        next.rows = floor(next.rows / l->array);
    if (place == SC_PLACE_COLUMNS || place == SC_PLACE_DIAGONAL)
        next.cols = floor(next.cols / l->array);
    if (next.x < 1 || next.y < 1 || next.rows < 1 || next.cols < 1)
        return;
    if (before->even && w->square && l->x < l->y)
        return; /* the other way round is the same */
    next.even &= l->x == l->y;
    next.steps *= l->steps;
    if (!(q->space.moves[w->stationary] >> d & 1))
        next.pass *= l->steps;
    for (unsigned t = 0; t < q->space.n_tensors; t++)
        if (q->space.moves[t] >> d & 1)
            next.words[t] *= (double)(l->array * l->x * l->y);
    w->lanes[c] = l;
    look(w, &next, k + 1);
}

/* k classes are decided. */
static void look(walk *w, const so_far *before, unsigned k)
{
    sc_array_search *q = w->q;
    so_far s = *before;
    if (!is_hopeful(w, &s, k) || sc_array_spent(q))
        return;
    if (k == w->n) {
        if (s.macs > w->above)
            sc_flat_split_steps(q, w->dataflow, w->lanes, s.macs);
        return;
    }
    const unsigned c = w->of[k];
    const double rest = s.steps * w->open[k + 1].all / (s.rows * s.cols * s.x * s.y);
    const double most = most_lanes(w, &s, c);
    for (unsigned i = 0; i < w->list[c]->n; i++) {
        sc_flat_lanes *l = &q->flat.lanes[w->list[c]->first + i];
        const double lanes = (double)l->array * l->x * l->y;
        if (l->steps * lanes * rest * (1 - 1e-9) > w->limit)
            break; /* as do those after it */
        if (lanes <= most && l->steps * s.steps <= w->limit)
            decide(w, &s, k, l);
    }
}

static double class_size(const sc_array_search *q, unsigned c)
{
    double size = 1;
    for (unsigned i = 0; i < q->flat.n_dims[c]; i++)
        size *= (double)q->space.e->bound[q->flat.dim[c][i]];
    return size;
}

/* Classes of the most steps first. */
static void start(walk *w, sc_dataflow f)
{
    sc_array_search *q = w->q;
    w->dataflow = f;
    w->stationary = q->stays[f];
    w->n = 0;
    for (unsigned c = 0; c < q->flat.n_classes; c++) {
        w->place[c] = q->place[f][q->flat.dim[c][0]];
        unsigned at = w->n++;
        for (; at > 0 && class_size(q, w->of[at - 1]) < class_size(q, c); at--)
            w->of[at] = w->of[at - 1];
        w->of[at] = c;
    }
    w->open[w->n] = (open_classes){1, 1, 1, 1, 1};
    for (unsigned k = w->n; k-- > 0;) {
        const unsigned c = w->of[k];
        const double size = class_size(q, c);
        open_classes *o = &w->open[k];
        *o = w->open[k + 1];
        o->all *= size;
        o->pass *= q->space.moves[w->stationary] >> q->flat.dim[c][0] & 1 ? 1 : size;
        o->rows *= w->place[c] == SC_PLACE_ROWS ? size : 1;
        o->cols *= w->place[c] == SC_PLACE_COLUMNS ? size : 1;
        o->diagonal *= w->place[c] == SC_PLACE_DIAGONAL ? size : 1;
    }
}

/* List the lanes of all classes. @return false: they found no room. */
static bool list_lanes(walk *w)
{
    sc_array_search *q = w->q;
    double lanes = (double)(q->space.a->compute.rows * q->space.a->compute.cols) * q->children;
    for (unsigned c = 0; c < w->n; c++)
        lanes /= class_size(q, c);
    for (unsigned c = 0; c < w->n; c++) {
        w->list[c] = sc_flat_list_lanes(&q->flat, c, w->place[c], q->best->cycles * lanes);
        if (!w->list[c])
            return false;
    }
    return true;
}

/* All lanes of one dataflow. @return false: some found no room. */
static bool lay(walk *w, sc_dataflow f)
{
    const sc_array_space *s = &w->q->space;
    so_far all = {.rows = (double)s->a->compute.rows,
                  .cols = (double)s->a->compute.cols,
                  .x = (double)s->grid[0].x,
                  .y = (double)s->grid[0].y,
                  .steps = 1,
                  .pass = 1,
                  .even = true};
    for (unsigned t = 0; t < s->n_tensors; t++)
        all.words[t] = 1;
    w->square = all.x >= all.y && all.y >= all.x;
    start(w, f);
    if (!is_hopeful(w, &all, 0))
        return true;
    if (!list_lanes(w))
        return false;
    look(w, &all, 0);
    return true;
}

static void start_units(walk *w)
{
    const sc_array_search *q = w->q;
    const sc_level *outer = &q->space.a->level[0];
    unsigned counted = 0;
    for (unsigned t = 0; t < q->space.n_tensors; t++) {
        const sc_tensor *tensor = &q->space.e->tensor[t];
        w->unit[t] = 0;
        if (tensor->role == SC_ROLE_OUTPUT)
            continue;
        w->unit[t] = outer->word_bits > 0 ? 1 : sc_level_moved_bits(outer, tensor) / 8.0;
        counted |= q->space.moves[t];
    }
    w->apart = false;
    for (unsigned i = 0; i < q->n_order; i++)
        w->apart |= !(counted >> q->order[i] & 1);
}

double sc_flat_prove(sc_array_search *q, double floor)
{
    static const double shares[] = {1.0 / 256, 1.0 / 16, 1.0 / 4, 1};
    sc_scoped least = {{{0}}};
    walk w = {.q = q, .limit = -1};
    double proved = floor;
    start_units(&w);
    memcpy(least.of[q->space.n_grids], q->space.compulsory, sizeof q->space.compulsory);
    w.memory = sc_array_memory_any(q, 0, &least);
    q->open = q->to = HUGE_VAL;
    q->from = -1;
    q->cut = false;
    for (unsigned i = 0; i < sizeof shares / sizeof *shares && proved < q->best->cycles; i++) {
        w.above = w.limit;
        w.limit = sc_larger(w.above, floor + (q->best->cycles - floor) * shares[i]);
        for (int f = 0; f < SC_DATAFLOWS && q->flat.is; f++)
            if (q->dataflows >> f & 1)
                q->flat.is = lay(&w, (sc_dataflow)f);
        if (sc_array_spent(q) || !q->flat.is)
            break;
        proved = sc_larger(proved, sc_smaller(sc_smaller(w.limit, q->open), q->best->cycles));
    }
    return proved;
}
