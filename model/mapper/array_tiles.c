#include <string.h>

#include "model/mapper/array_search.h"
#include "model/mapper/footprint.h"

/* A tile while its dimensions are chosen, in q->order. */
typedef struct walk {
    sc_array_tile tile;
    uint16_t choice[SC_MAX_DIMS];
    double rest;  /* product of the bounds not decided */
    double bound; /* largest of those so far */
} walk;

static const sc_extents one_apart = {{1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1}};

/* ---- bounds ---- */

/* Whether a bound is below what is looked for. */
static bool worth_a_look(const sc_array_search *q, double bound)
{
    return bound < q->best->cycles && bound <= q->to;
}

/* Whether it is among the least for which there is room, too; else the least such bound is kept. */
static bool has_room(sc_array_search *q, double bound)
{
    if (q->n_tiles < SC_OPEN_TILES || bound < q->tile[0].bound)
        return true;
    q->rest = sc_smaller(q->rest, bound);
    return false;
}

/* Cycles of the MACs of tiles of these extents over all dataflows. */
static double least_macs(const sc_array_search *q, const sc_extents *extent,
                         const sc_extents *steps, double n_steps, double inside)
{
    double least = HUGE_VAL;
    for (int f = 0; f <= SC_DATAFLOWS; f++)
        if (q->dataflows >> f & 1)
            least = sc_smaller(
                least, sc_array_macs(q, (sc_dataflow)f, extent, steps, n_steps, inside, false));
    return least;
}

/* Words of each tensor if the innermost loop outside is of dimension d; -1: there is none. */
static void serve(sc_scoped *served, const sc_array_search *q, const sc_words *words, int d)
{
    const sc_array_space *s = &q->space;
    for (unsigned t = 0; t < s->n_tensors; t++) {
        const bool moved = d >= 0 && s->moves[t] >> d & 1;
        served->of[s->n_grids][t] =
            sc_larger(s->compulsory[t], moved ? words[t].by[d] : words[t].still);
    }
    sc_array_divide(served, s, s->n_grids);
}

/* Least cycles of what the tile leaves open, its dimensions from k on not decided: they count as
 * whole, with no loop outside, which asks for no more words than any choice of them. */
static double partial_bound(const sc_array_search *q, const walk *w, unsigned k, double prefill)
{
    const sc_array_space *s = &q->space;
    sc_extents most = w->tile.all;
    sc_words words[SC_MAX_TENSORS];
    sc_scoped served = {{{0}}};
    double memory = HUGE_VAL;
    bool decided = k == q->n_order;
    for (unsigned i = k; i < q->n_order; i++)
        most.of[q->order[i]] = s->e->bound[q->order[i]];
    const double macs =
        least_macs(q, &most, &w->tile.steps, w->tile.n_steps, w->tile.n_inside * w->rest);
    if (!worth_a_look(q, macs + prefill))
        return macs + prefill;
    for (unsigned t = 0; t < s->n_tensors; t++)
        sc_array_words(&words[t], s, t, &most, &one_apart, &w->tile.steps, false);
    for (unsigned i = 0; i < q->n_order; i++) {
        const unsigned d = q->order[i];
        if (i < k && w->tile.steps.of[d] < 2)
            continue;
        decided = false;
        serve(&served, q, words, (int)d);
        memory = sc_smaller(memory, sc_array_memory_any(q, macs, &served));
    }
    if (decided || w->tile.n_steps == 1) { /* there may be no loop outside at all */
        serve(&served, q, words, -1);
        memory = sc_smaller(memory, sc_array_memory_any(q, macs, &served));
    }
    return memory + prefill;
}

/* Words a tensor takes at the array of one child, under a dataflow in which another one stays:
 * every lane's at every step, but for those that share it. */
static double streamed(const sc_array_search *q, sc_dataflow f, unsigned t,
                       const sc_array_tile *tile)
{
    return tile->n_steps * tile->n_inside / (sc_array_sharing(q, f, t, &tile->all) * q->children);
}

/* What innermost buffers do not keep comes from further out for every step. */
static void pass_on(sc_scoped *served, const sc_array_search *q, unsigned set, const double *stream)
{
    const sc_array_space *s = &q->space;
    for (unsigned t = 0; t < s->n_tensors; t++) {
        double words = stream[t];
        for (unsigned i = 0; !(set >> t & 1); i++) {
            served->of[i][t] = sc_larger(served->of[i][t], words);
            if (i == s->n_grids)
                break;
            words *= (double)s->grid[i].children / sc_array_sharers(s, t, &s->grid[i]);
        }
    }
}

/* Log2 of a tensor's part of the tile over what one innermost buffer holds. */
static double over_room(const sc_array_search *q, unsigned t, const sc_extents *tile)
{
    const sc_level *inner = &q->space.a->level[q->space.inner];
    const sc_tensor *tensor = &q->space.e->tensor[t];
    const double room = q->room[t];
    const double unit = inner->word_bits > 0 ? 1 : sc_level_moved_bits(inner, tensor) / 8.0;
    /* neither rounded up nor with what lies between windows: that would not divide by children */
    const double need = sc_footprint_touched(tensor, tile->of) * unit;
    if (!inner->bounded)
        return -HUGE_VAL;
    return room > 0 ? log2(need / room) : HUGE_VAL;
}

/* Cycles of a tile with one dataflow and one set of tensors in the innermost buffers, over the
 * loops that may stand first outside; `least` if they are not below it. */
static double flow_bound(const sc_array_search *q, const sc_array_tile *tile, sc_dataflow f,
                         unsigned set, double output, double least)
{
    const sc_array_space *s = &q->space;
    const int stays = q->stays[f];
    double macs[2], stream[SC_MAX_TENSORS] = {0};
    sc_scoped served = {{{0}}};
    for (unsigned t = 0; t < s->n_tensors; t++)
        stream[t] = (int)t == stays ? 0 : streamed(q, f, t, tile);
    const double ports = sc_array_inner_time(s, set, stream, NULL);
    for (unsigned ends = 0; ends < 2; ends++)
        macs[ends] = sc_larger(ports, sc_array_macs(q, f, &tile->all, &tile->steps, tile->n_steps,
                                                    tile->n_inside, ends != 0));
    for (unsigned i = 0; i <= q->n_order; i++) {
        const int d = i < q->n_order ? (int)q->order[i] : -1;
        if (d >= 0 ? tile->steps.of[d] < 2 : tile->n_steps > 1)
            continue;
        serve(&served, q, tile->words, d);
        pass_on(&served, q, set, stream);
        const bool ends = d >= 0 && q->ends_pass[f] >> d & 1;
        if (sc_array_memory_any(q, macs[ends], &served) < least)
            least = sc_smaller(least, sc_array_memory(q, macs[ends], &served, output));
    }
    return least;
}

/* The tile is known: its words, and the cycles that they and the MACs take at least, over all that
 * the innermost buffers could keep. */
static void bound_tile(const sc_array_search *q, sc_array_tile *tile)
{
    const sc_array_space *s = &q->space;
    sc_extents whole;
    double over[SC_MAX_TENSORS];
    for (unsigned d = 0; d < s->n_dims; d++)
        whole.of[d] = tile->all.of[d] * tile->steps.of[d];
    const double output = sc_footprint_words(&s->e->tensor[s->e->output], whole.of);
    for (unsigned t = 0; t < s->n_tensors; t++) {
        sc_array_words(&tile->words[t], s, t, &tile->all, &one_apart, &tile->steps, false);
        over[t] = over_room(q, t, &tile->all);
    }
    const unsigned may = sc_keepable(&s->a->level[s->inner], s->e), all = 1u << s->n_tensors;
    tile->memory = HUGE_VAL;
    for (unsigned set = 0; set < all; set++) {
        bool largest = (set & may) == set && sc_array_could_fit(q, set, over);
        for (unsigned t = 0; largest && !s->ported && t < s->n_tensors; t++)
            largest =
                set >> t & 1 || !(may >> t & 1) || !sc_array_could_fit(q, set | 1u << t, over);
        for (int f = 0; largest && f <= SC_DATAFLOWS; f++)
            if (q->dataflows >> f & 1)
                tile->memory = flow_bound(q, tile, (sc_dataflow)f, set, output, tile->memory);
    }
}

/* ---- the tiles with the least bounds ---- */

static void sift_down(sc_open_tile *heap, unsigned n, unsigned at)
{
    const sc_open_tile moved = heap[at];
    for (;;) {
        unsigned next = 2 * at + 1;
        if (next + 1 < n && heap[next + 1].bound > heap[next].bound)
            next++;
        if (next >= n || heap[next].bound <= moved.bound)
            break;
        heap[at] = heap[next];
        at = next;
    }
    heap[at] = moved;
}

static void add_tile(sc_array_search *q, const walk *w, double bound)
{
    sc_open_tile t = {.bound = bound, .met = -1};
    memcpy(t.choice, w->choice, sizeof t.choice);
    if (q->n_tiles == SC_OPEN_TILES) {
        if (q->tile[0].met < 0) /* it will be listed again */
            q->rest = sc_smaller(q->rest, q->tile[0].bound);
        else /* it will not: what it leaves stays open */
            q->open = sc_smaller(q->open, q->tile[0].bound);
        q->tile[0] = t;
        sift_down(q->tile, SC_OPEN_TILES, 0);
        return;
    }
    unsigned at = q->n_tiles++;
    for (; at > 0 && q->tile[(at - 1) / 2].bound < bound; at = (at - 1) / 2)
        q->tile[at] = q->tile[(at - 1) / 2];
    q->tile[at] = t;
}

static void sort_tiles(sc_array_search *q)
{
    for (unsigned n = q->n_tiles; n > 1;) {
        const sc_open_tile largest = q->tile[0];
        q->tile[0] = q->tile[--n];
        q->tile[n] = largest;
        sift_down(q->tile, n, 0);
    }
}

/* Tiles with nothing open leave; the rest make a heap again, for new ones to join. */
static void keep_open_tiles(sc_array_search *q)
{
    unsigned n = 0;
    for (unsigned i = 0; i < q->n_tiles; i++)
        if (q->tile[i].bound < q->best->cycles)
            q->tile[n++] = q->tile[i];
    q->n_tiles = n;
    for (unsigned i = n / 2; i-- > 0;)
        sift_down(q->tile, n, i);
}

static walk whole_op(const sc_array_search *q)
{
    walk w = {.tile = {.n_steps = 1, .n_inside = 1}, .rest = 1, .bound = 0};
    for (unsigned d = 0; d < q->space.n_dims; d++) {
        w.tile.steps.of[d] = w.tile.all.of[d] = 1;
        w.rest *= (double)q->space.e->bound[d];
    }
    return w;
}

static void choose(walk *w, const sc_array_search *q, unsigned d, unsigned i)
{
    w->choice[d] = (uint16_t)i;
    w->tile.steps.of[d] = q->choice[d][i].steps;
    w->tile.all.of[d] = q->choice[d][i].extent;
    w->tile.n_steps *= (double)w->tile.steps.of[d];
    w->tile.n_inside *= (double)w->tile.all.of[d];
    w->rest /= (double)q->space.e->bound[d];
}

/* A bound of part of the choices may be above that of all. The largest on the way is a tile's own:
 * which tiles are listed up to a limit must not depend on where they were left. */
static void walk_tiles(sc_array_search *q, const walk *before, unsigned k)
{
    const unsigned d = q->order[k];
    for (unsigned i = 0; i < q->n_choices[d] && !sc_array_spent(q); i++) {
        walk w = *before;
        q->nodes++;
        choose(&w, q, d, i);
        if (!sc_swaps_first(&q->swaps, w.choice, q->order, k + 1))
            continue;
        const double prefill = sc_array_prefill(&q->space, &w.tile.all);
        w.bound = sc_larger(w.bound, partial_bound(q, &w, k + 1, prefill));
        if (!worth_a_look(q, w.bound) || !has_room(q, w.bound))
            continue;
        if (k + 1 < q->n_order) {
            walk_tiles(q, &w, k + 1);
            continue;
        }
        bound_tile(q, &w.tile);
        w.bound = sc_larger(w.bound, w.tile.memory + prefill);
        if (w.bound > q->listed && worth_a_look(q, w.bound) && has_room(q, w.bound))
            add_tile(q, &w, w.bound);
    }
}

void sc_array_list_tiles(sc_array_search *q)
{
    const walk w = whole_op(q);
    keep_open_tiles(q);
    q->rest = HUGE_VAL;
    walk_tiles(q, &w, 0);
    sort_tiles(q);
}

/* ---- what they leave open ---- */

static void look_at_tile(sc_array_search *q, sc_open_tile *t)
{
    walk w = whole_op(q);
    for (unsigned k = 0; k < q->n_order; k++)
        choose(&w, q, q->order[k], t->choice[q->order[k]]);
    bound_tile(q, &w.tile);
    q->from = t->met;
    q->next = HUGE_VAL;
    sc_array_walk_lanes(q, &w.tile);
    t->met = q->to;
    t->bound = q->next;
}

static double least_open(const sc_array_search *q)
{
    double least = HUGE_VAL;
    for (unsigned i = 0; i < q->n_tiles; i++)
        least = sc_smaller(least, q->tile[i].bound);
    return least;
}

double sc_array_look_at_tiles(sc_array_search *q, double top)
{
    enum { ROUNDS = 4 };
    for (unsigned round = 0; round < ROUNDS; round++) {
        const double least = least_open(q);
        if (least > top || least >= q->best->cycles)
            break;
        q->to = least + (top - least) / (double)(1 << 2 * (ROUNDS - 1 - round));
        for (unsigned i = 0; i < q->n_tiles; i++) {
            if (q->tile[i].bound > q->to || q->tile[i].bound >= q->best->cycles)
                continue;
            look_at_tile(q, &q->tile[i]);
            if (sc_array_spent(q))
                return sc_smaller(least, q->open);
        }
    }
    return sc_smaller(least_open(q), q->open);
}
