#include "model/mapper/exact_tile.h"

#include <math.h>
#include <string.h>

/* Sides of the tile along each rank. */
static void sides_of(double *side, const sc_xtensor *t, const double *extent)
{
    for (unsigned r = 0; r < t->n_ranks; r++) {
        side[r] = 1;
        for (unsigned k = 0; k < t->rank[r].n_terms; k++)
            side[r] += (extent[t->rank[r].dim[k]] - 1) * (double)t->rank[r].coef[k];
    }
}

/* How far `step` indices of a dimension move the tile along each rank. */
static void move_of(double *move, const sc_xtensor *t, unsigned d, double step)
{
    for (unsigned r = 0; r < t->n_ranks; r++) {
        move[r] = 0;
        for (unsigned k = 0; k < t->rank[r].n_terms; k++)
            if (t->rank[r].dim[k] == d)
                move[r] += (double)t->rank[r].coef[k] * step;
    }
}

static double uncovered(double words, const double *side, const double *move, unsigned n_ranks)
{
    double common = 1;
    for (unsigned r = 0; r < n_ranks; r++)
        common *= side[r] > move[r] ? side[r] - move[r] : 0;
    return words - common;
}

/* With one block of loops outside, each dimension has one loop: can the movement of another one of
 * the component equal that of the innermost, or twice that? */
static bool may_cancel(const sc_xtile *tile, const sc_xtensor *t, unsigned d)
{
    double first[SC_MAX_RANKS], move[SC_MAX_RANKS];
    const uint16_t members = t->members[t->component[d]];
    unsigned others = 0;
    move_of(first, t, d, tile->extent[d] * tile->spread[d]);
    for (unsigned q = 0; members >> q; q++) {
        bool once = true, twice = true;
        if (!(members >> q & 1) || q == d || tile->left[q] == 1)
            continue;
        others++;
        move_of(move, t, q, tile->extent[q] * tile->spread[q]);
        for (unsigned r = 0; r < t->n_ranks; r++) {
            once = once && move[r] == first[r];
            twice = twice && move[r] == 2 * first[r];
        }
        if (once || twice)
            return true;
    }
    return others > 1; /* sums of several */
}

/* Of the innermost loop that moves a tile which overlaps its neighbours: its steps bring in `sub`
 * words. With one dimension left in the component a sweep brings in the tile and then `sub` a step,
 * and no further loop can do better. With several, movements may cancel and all but the steps of
 * this loop, at least half of all, come for nothing: page exact_mapper.md, "Windows". */
static double window_share(const sc_xtile *tile, const sc_xtensor *t, unsigned tensor, unsigned d,
                           const double *side)
{
    double move[SC_MAX_RANKS], others = 1;
    const double words = tile->words[tensor], left = tile->left[d];
    const uint16_t members = t->members[t->component[d]];
    move_of(move, t, d, tile->extent[d] * tile->spread[d]);
    const double sub = uncovered(words, side, move, t->n_ranks);
    for (unsigned q = 0; members >> q; q++)
        if (members >> q & 1 && q != d)
            others *= tile->left[q];
    if (others > 1 && tile->blocks == 1 && !may_cancel(tile, t, d))
        others = 1;
    const double share = others > 1 ? 0.5 * sub / words + 1 / (left * others)
                                    : (words + (left - 1) * sub) / (words * left);
    return share < 1 ? share : 1;
}

static bool alone(const sc_xtensor *t, unsigned d)
{
    return !sc_is_window(t, t->component[d]);
}

static void init_shares(sc_xtile *tile, const sc_space *x, unsigned tensor)
{
    const sc_xtensor *t = &x->tensor[tensor];
    double side[SC_MAX_RANKS];
    bool moves = false;
    tile->least[tensor] = 1;
    if (!t->plain)
        sides_of(side, t, tile->extent);
    for (unsigned d = 0; d < x->n_dims; d++) {
        double share = 1;
        if (!(t->relevant >> d & 1) || tile->left[d] == 1)
            continue;
        if (!t->plain && !alone(t, d))
            share = window_share(tile, t, tensor, d, side);
        tile->share[tensor][d] = share;
        tile->least[tensor] = moves ? fmin(tile->least[tensor], share) : share;
        moves = true;
    }
}

void sc_xtile_init(sc_xtile *tile, const sc_space *x)
{
    tile->steps = 1;
    for (unsigned d = 0; d < x->n_dims; d++) {
        tile->extent[d] = (double)sc_shape_extent(x, &tile->shape, d);
        tile->steps *= tile->left[d];
    }
    for (unsigned i = 0; i < x->n_tensors; i++) {
        const sc_xtensor *t = &x->tensor[i];
        tile->words[i] = sc_space_words(t, tile->extent);
        tile->idle[i] = 1;
        for (unsigned d = 0; d < x->n_dims; d++)
            if (!(t->relevant >> d & 1))
                tile->idle[i] *= tile->left[d];
        init_shares(tile, x, i);
    }
}

double sc_xtile_fill(const sc_xtile *tile, const sc_space *x, unsigned tensor, unsigned first)
{
    const double all = tile->words[tensor] * tile->steps;
    if (first < x->n_dims && x->tensor[tensor].relevant >> first & 1)
        return all * tile->share[tensor][first];
    return all / tile->idle[tensor] * tile->least[tensor];
}

/* Where a walk along the known loops stands: the tile has moved by `back`, along one component
 * only as long as `component` says so. */
typedef struct walk {
    double side[SC_MAX_RANKS], first[SC_MAX_RANKS], back[SC_MAX_RANKS];
    unsigned component; /* SC_NO_COMPONENT once movements can no longer cancel */
    double sub;
} walk;

static bool same(const double *move, const walk *w, unsigned n_ranks, bool again)
{
    for (unsigned r = 0; r < n_ranks; r++)
        if (move[r] != w->back[r] + (again ? w->first[r] : 0))
            return false;
    return true;
}

/* Words that one iteration of loop j brings in. */
static double step_words(walk *w, const sc_xtensor *t, double words, unsigned dim, double step)
{
    double move[SC_MAX_RANKS];
    if (w->component == SC_NO_COMPONENT || !(t->relevant >> dim & 1))
        return words;
    if (t->component[dim] != w->component) {
        w->component = SC_NO_COMPONENT;
        return words;
    }
    move_of(move, t, dim, step);
    const double brought = same(move, w, t->n_ranks, false)  ? 0
                           : same(move, w, t->n_ranks, true) ? w->sub
                                                             : words;
    for (unsigned r = 0; r < t->n_ranks; r++)
        w->back[r] += move[r];
    return brought;
}

static double common_divisor(double a, double b)
{
    while (b > 0) {
        const double over = fmod(a, b);
        a = b;
        b = over;
    }
    return a;
}

/* Can loops that are not known yet move the tile back to where it was, or on by the same? Their
 * movements are multiples of those of the next loops of their dimensions. */
static bool may_match(const walk *w, const sc_xtensor *t, uint16_t dims, const double *next)
{
    double move[SC_MAX_RANKS], unit[SC_MAX_RANKS] = {0};
    for (unsigned d = 0; dims >> d; d++) {
        if (!(dims >> d & 1))
            continue;
        move_of(move, t, d, next[d]);
        for (unsigned r = 0; r < t->n_ranks; r++)
            unit[r] = common_divisor(unit[r], move[r]);
    }
    for (unsigned again = 0; again < 2; again++) {
        bool match = true;
        for (unsigned r = 0; r < t->n_ranks && match; r++) {
            const double target = w->back[r] + (again ? w->first[r] : 0);
            match = unit[r] == 0 ? target == 0 : fmod(target, unit[r]) == 0;
        }
        if (match)
            return true;
    }
    return false;
}

/* Words that loops of the component further out may save at most: all of their own first steps.
 * @param outside  steps outside the known loops. */
static double outer_saving(const walk *w, const sc_xtensor *t, double words, double outside,
                           const double *outer, const double *next)
{
    double along = 1;
    uint16_t left = 0;
    if (w->component == SC_NO_COMPONENT)
        return 0;
    for (unsigned d = 0; t->members[w->component] >> d; d++)
        if (t->members[w->component] >> d & 1 && outer[d] > 1) {
            along *= outer[d];
            left |= (uint16_t)(1u << d);
        }
    return left && may_match(w, t, left, next) ? words * outside * (1 - 1 / along) : 0;
}

/* The same, where loops of one block come first, in an order not known: if one of them is of the
 * component, it is the next to move the tile along it, from where it stands. */
static double saving_of_rest(const walk *w, const sc_xtensor *t, double words, double outside,
                             const sc_xrest *rest, uint16_t dims)
{
    double outer[SC_MAX_DIMS] = {0}, next[SC_MAX_DIMS] = {0};
    if (w->component == SC_NO_COMPONENT)
        return 0;
    const uint16_t members = t->members[w->component], own = members & dims;
    if (own == 0 || (own & (own - 1)) != 0)
        return outer_saving(w, t, words, outside, rest->outer, rest->next);
    const unsigned d = (unsigned)__builtin_ctz(own);
    const double e = rest->factor[d];
    walk after = *w;
    const double brought = step_words(&after, t, words, d, rest->next[d]);
    for (unsigned q = 0; members >> q; q++) {
        outer[q] = q == d ? rest->outer[q] / e : rest->outer[q];
        next[q] = q == d ? rest->next[q] * e : rest->next[q];
    }
    return (words - brought) * (1 - 1 / e) * outside +
           outer_saving(&after, t, words, outside / e, outer, next);
}

/* Least share of all words if dimension d of the rest's first block is the first to move the
 * tile. */
static double share_if_first(const sc_xtile *tile, const sc_xtensor *t, unsigned tensor, unsigned d,
                             const sc_xrest *rest)
{
    double outer[SC_MAX_DIMS] = {0}, next[SC_MAX_DIMS] = {0}, side[SC_MAX_RANKS];
    const double words = tile->words[tensor], e = rest->factor[d];
    const uint16_t members = t->members[t->component[d]];
    walk w = {.component = t->component[d]};
    if (t->plain || alone(t, d))
        return 1;
    for (unsigned q = 0; members >> q; q++) {
        outer[q] = q == d ? rest->outer[q] / e : rest->outer[q];
        next[q] = q == d ? rest->next[q] * e : rest->next[q];
    }
    const sc_xrest others = {outer, next, 0, rest->factor};
    sides_of(side, t, tile->extent);
    move_of(w.first, t, d, rest->next[d]);
    memcpy(w.back, w.first, sizeof w.back);
    w.sub = uncovered(words, side, w.first, t->n_ranks);
    return 1 - (1 - w.sub / words) * (1 - 1 / e) -
           saving_of_rest(&w, t, words, 1 / e, &others, (uint16_t)(rest->dims & ~(1u << d))) /
               words;
}

/* Of a tile that no known loop moves: least share of all steps' words. If some loop of the rest's
 * first block moves it, all that can stand inside that one are of this block. */
static double share_of_rest(const sc_xtile *tile, const sc_space *x, unsigned tensor,
                            const sc_xrest *rest)
{
    const sc_xtensor *t = &x->tensor[tensor];
    const uint16_t moving = rest->dims & t->relevant;
    double run = 1, least = 1;
    for (unsigned d = 0; d < x->n_dims; d++) {
        if (moving >> d & 1)
            least =
                fmin(least, fmax(tile->share[tensor][d], share_if_first(tile, t, tensor, d, rest)));
        else if (!(t->relevant >> d & 1))
            run *= !moving ? rest->outer[d] : rest->dims >> d & 1 ? rest->factor[d] : 1;
    }
    return (moving ? least : tile->least[tensor]) / run;
}

double sc_xtile_fill_known(const sc_xtile *tile, const sc_space *x, unsigned tensor,
                           const sc_xloops *loops, unsigned from, const sc_xrest *rest)
{
    const sc_xtensor *t = &x->tensor[tensor];
    const double words = tile->words[tensor];
    double run = 1;
    unsigned j = from;
    while (j < loops->n && !(t->relevant >> loops->dim[j] & 1))
        run *= loops->factor[j++];
    if (j == loops->n)
        return words * tile->steps / run * share_of_rest(tile, x, tensor, rest);
    if (t->plain || alone(t, loops->dim[j]))
        return words * tile->steps / run;
    walk w = {.component = t->component[loops->dim[j]]};
    sides_of(w.side, t, tile->extent);
    move_of(w.first, t, loops->dim[j], loops->step[j]);
    w.sub = x->o->count.reuse_pre_2025 && j > from ? words
                                                   : uncovered(words, w.side, w.first, t->n_ranks);
    memcpy(w.back, w.first, sizeof w.back);
    double total = words * tile->steps / run, passed = run * loops->factor[j];
    total -= (words - w.sub) * (loops->factor[j] - 1) * tile->steps / passed;
    for (unsigned q = j + 1; q < loops->n; q++) {
        const double brought = step_words(&w, t, words, loops->dim[q], loops->step[q]);
        passed *= loops->factor[q];
        total -= (words - brought) * (loops->factor[q] - 1) * tile->steps / passed;
    }
    return total - saving_of_rest(&w, t, words, tile->steps / passed, rest, rest->dims);
}

bool sc_xtile_settled(const sc_space *x, unsigned tensor, const sc_xloops *loops, unsigned from,
                      const double *outer)
{
    const sc_xtensor *t = &x->tensor[tensor];
    unsigned along = SC_NO_COMPONENT;
    for (unsigned j = from; j < loops->n; j++) {
        const unsigned c = t->component[loops->dim[j]];
        if (c == SC_NO_COMPONENT)
            continue;
        if (t->plain || alone(t, loops->dim[j]) || (along != SC_NO_COMPONENT && along != c))
            return true;
        along = c;
    }
    /* Not moved, or along one window only: settled if nothing is left that could go on so. */
    for (unsigned d = 0; d < x->n_dims; d++)
        if (outer[d] > 1 && (along == SC_NO_COMPONENT || t->component[d] == along))
            return false;
    return true;
}
