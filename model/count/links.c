#include "model/count/links.h"

#include <string.h>

enum { MAX_WALKED = 1 << 20 }; /* children looked at one by one */

/* Straight numbering for SC_LINKS_TRUE: the first `split` loops on X, the rest on Y. A diagonal
 * loop moves along both axes, so no neighbour lies beyond it: an axis ends there. */
static void true_axes(sc_grid *g, const sc_nest *n, const sc_block *b, unsigned level)
{
    bool open[2] = {true, true};
    for (unsigned s = 0; s < n->n_spatial[level]; s++) {
        const unsigned index = n->spatial_index[level][s];
        if (b->diagonal >> index & 1) {
            open[0] = open[1] = false;
            continue;
        }
        const unsigned side = index >= b->split;
        if (open[side])
            g->axis[side][g->n_axis[side]++] = (uint8_t)s;
    }
}

/* The reference numbers children row by row on the mesh, whichever loops are meant for Y. */
static void reference_axes(sc_grid *g, const sc_nest *n, unsigned level, uint64_t width)
{
    uint64_t row = 1;
    unsigned s = 0;
    while (s < n->n_spatial[level] && row < width) {
        row *= n->spatial[level][s].factor;
        g->axis[0][g->n_axis[0]++] = (uint8_t)s++;
    }
    g->width = width;
    g->crooked = row > width;
    for (; s < n->n_spatial[level]; s++)
        g->axis[1][g->n_axis[1]++] = (uint8_t)s;
}

void sc_grid_build(sc_grid *g, const sc_nest *n, const sc_block *b, unsigned level, sc_links links,
                   uint64_t width)
{
    g->n_axis[0] = g->n_axis[1] = 0;
    g->crooked = false;
    g->width = 0;
    if (links == SC_LINKS_TRUE) {
        true_axes(g, n, b, level);
        return;
    }
    uint64_t used = 1;
    for (unsigned i = 0; i < b->spatial.n && i < b->split; i++)
        used *= b->spatial.factor[i];
    reference_axes(g, n, level, used > width ? used : width);
}

/* Digits of one loop fall into three ranges: the first, those between, the last. */
enum { FIRST = 1, BETWEEN = 2, LAST = 4, ANY = 7 };

/* Children served from one side: every loop's digit lies in the ranges of its mask. */
typedef struct sc_served {
    unsigned n;
    uint8_t mask[4 * SC_MAX_DIMS][SC_MAX_DIMS];
} sc_served;

static void serve(sc_served *v, const sc_fan *f, const uint8_t *axis, unsigned at, bool up)
{
    uint8_t *mask = v->mask[v->n++];
    memset(mask, ANY, f->n);
    for (unsigned q = 0; q < at; q++)
        mask[axis[q]] = up ? LAST : FIRST;
    mask[axis[at]] = up ? FIRST | BETWEEN : BETWEEN | LAST;
}

/* The next coordinate on an axis counts up its innermost loop that is not at its end and puts the
 * loops inside back to 0; the one before does the opposite. */
static void find_served(sc_served *v, const sc_fan *f, const sc_grid *g, const uint64_t *move)
{
    v->n = 0;
    for (unsigned side = 0; side < 2; side++) {
        uint64_t ends[SC_MAX_RANKS] = {0}; /* what putting the inner loops back undoes */
        for (unsigned k = 0; k < g->n_axis[side]; k++) {
            const unsigned s = g->axis[side][k];
            bool up = true, down = true;
            for (unsigned r = 0; r < f->n_ranks; r++) {
                const uint64_t ahead = f->move[s][r] - ends[r];
                up &= ahead == move[r];
                down &= ahead == 0 - move[r];
                ends[r] += (f->factor[s] - 1) * f->move[s][r];
            }
            if (up)
                serve(v, f, g->axis[side], k, true);
            if (down)
                serve(v, f, g->axis[side], k, false);
        }
    }
}

/* Ranges of a loop's digits that have to be told apart, and how many digits each holds. */
typedef struct sc_ranges {
    unsigned n;
    uint8_t bit[3]; /* of the masks; ANY when the loop matters to nobody */
    uint64_t digits[3];
} sc_ranges;

static void ranges_of(sc_ranges *out, const sc_served *v, unsigned loop, uint64_t factor)
{
    unsigned matters = 0;
    for (unsigned i = 0; i < v->n; i++)
        matters |= v->mask[i][loop] != ANY;
    if (!matters) {
        *out = (sc_ranges){1, {ANY}, {factor}};
        return;
    }
    *out = (sc_ranges){2, {FIRST, LAST, BETWEEN}, {1, 1, factor - 2}};
    out->n += factor > 2;
}

static bool is_served(const sc_served *v, const uint8_t *cell, unsigned n)
{
    for (unsigned i = 0; i < v->n; i++) {
        bool inside = true;
        for (unsigned s = 0; s < n && inside; s++)
            inside = (v->mask[i][s] & cell[s]) != 0;
        if (inside)
            return true;
    }
    return false;
}

/* Step through the cells of the loops in `loops`; weight becomes the digits they hold together. */
static bool next_cell(unsigned *at, uint8_t *cell, uint64_t *weight, const sc_ranges *ranges,
                      unsigned n, uint16_t loops)
{
    bool more = false;
    *weight = 1;
    for (unsigned s = 0; s < n; s++) {
        if (!(loops >> s & 1))
            continue;
        if (!more) {
            at[s] = at[s] + 1 < ranges[s].n ? at[s] + 1 : 0;
            more = at[s] != 0;
        }
        cell[s] = ranges[s].bit[at[s]];
        *weight *= ranges[s].digits[at[s]];
    }
    return more;
}

static void first_cell(unsigned *at, uint8_t *cell, uint64_t *weight, const sc_ranges *ranges,
                       unsigned n, uint16_t loops)
{
    *weight = 1;
    for (unsigned s = 0; s < n; s++) {
        if (!(loops >> s & 1))
            continue;
        at[s] = 0;
        cell[s] = ranges[s].bit[0];
        *weight *= ranges[s].digits[0];
    }
}

/* Straight grid, no loops on common ranks: a group is every value of the loops that do not move
 * the tensor, and all groups whose digits lie in the same ranges fare alike. */
static void count_cells(sc_linked *out, const sc_fan *f, const sc_served *v)
{
    sc_ranges ranges[SC_MAX_DIMS];
    unsigned at[SC_MAX_DIMS];
    uint8_t cell[SC_MAX_DIMS] = {0};
    uint64_t alike, members;
    const uint16_t all = (uint16_t)((1u << f->n) - 1), others = (uint16_t)(all & ~f->relevant);
    for (unsigned s = 0; s < f->n; s++)
        ranges_of(&ranges[s], v, s, f->factor[s]);
    uint64_t left = 0;
    first_cell(at, cell, &alike, ranges, f->n, f->relevant);
    do {
        uint64_t waiting = 0; /* members of one group whom no neighbour serves */
        first_cell(at, cell, &members, ranges, f->n, others);
        do {
            if (!is_served(v, cell, f->n))
                waiting += members;
        } while (next_cell(at, cell, &members, ranges, f->n, others));
        if (waiting)
            sc_group_sizes_add(&out->sizes, waiting, alike);
        out->groups += waiting ? alike : 0;
        left += waiting * alike;
    } while (next_cell(at, cell, &alike, ranges, f->n, f->relevant));
    out->receivers = f->children - left;
}

/* On a crooked grid a neighbour's number differs by 1 in the row, by the width across rows: what is
 * added to a child's number, as digits, and the signs with which that may give the movement. */
typedef struct sc_stride {
    uint64_t digit[SC_MAX_DIMS];
    bool up, down;
} sc_stride;

/* Number plus (sign 1) or minus (-1) a stride, digit by digit: is there such a child, and does its
 * tile lie ahead by the movement? */
static bool lies_ahead(const sc_fan *f, const uint64_t *digit, const sc_stride *stride, int sign,
                       const uint64_t *move)
{
    uint64_t ahead[SC_MAX_RANKS] = {0}, carry = 0;
    for (unsigned s = 0; s < f->n; s++) {
        const uint64_t gain = stride->digit[s] + carry;
        const uint64_t room = sign > 0 ? f->factor[s] - 1 - digit[s] : digit[s];
        carry = gain > room;
        uint64_t apart = carry ? gain - f->factor[s] : gain;
        apart = sign > 0 ? apart : 0 - apart;
        for (unsigned r = 0; r < f->n_ranks; r++)
            ahead[r] += apart * f->move[s][r];
    }
    return !carry && memcmp(ahead, move, f->n_ranks * sizeof *move) == 0;
}

static bool crooked_served(const sc_fan *f, const sc_grid *g, const sc_stride stride[2],
                           const uint64_t *digit, const uint64_t *move)
{
    uint64_t id = 0, weight = 1;
    for (unsigned s = 0; s < f->n; s++) {
        id += digit[s] * weight;
        weight *= f->factor[s];
    }
    const uint64_t column = id % g->width;
    return (stride[0].up && column + 1 < g->width && lies_ahead(f, digit, &stride[0], 1, move)) ||
           (stride[0].down && column > 0 && lies_ahead(f, digit, &stride[0], -1, move)) ||
           (stride[1].up && lies_ahead(f, digit, &stride[1], 1, move)) ||
           (stride[1].down && lies_ahead(f, digit, &stride[1], -1, move));
}

static bool straight_served(const sc_fan *f, const sc_served *v, const uint64_t *digit)
{
    uint8_t cell[SC_MAX_DIMS] = {0};
    for (unsigned s = 0; s < f->n; s++)
        cell[s] = digit[s] == 0 ? FIRST : digit[s] + 1 == f->factor[s] ? LAST : BETWEEN;
    return is_served(v, cell, f->n);
}

/* Move one step on (sign 1) or back (-1) along a walk; false, nothing moved, at its end. */
static bool walk(uint64_t *digit, const sc_fan *f, const struct sc_walk *w, int64_t sign)
{
    const uint64_t a = digit[w->a] + (uint64_t)(sign * w->da);
    const uint64_t b = digit[w->b] + (uint64_t)(sign * w->db);
    if (a >= f->factor[w->a] || (w->a != w->b && b >= f->factor[w->b]))
        return false;
    digit[w->b] = b;
    digit[w->a] = a;
    return true;
}

/* Does the point stand at the start of every walk: the one of its group that stands for all? */
static bool opens_group(const sc_fan *f, const sc_walks *w, const uint64_t *digit)
{
    uint64_t copy[SC_MAX_DIMS];
    memcpy(copy, digit, sizeof copy);
    for (unsigned i = 0; i < w->n; i++)
        if (walk(copy, f, &w->at[i], -1))
            return false;
    return true;
}

static bool next_member(uint64_t *digit, const sc_fan *f, const sc_walks *w)
{
    for (unsigned i = 0; i < w->n; i++) {
        if (walk(digit, f, &w->at[i], 1))
            return true;
        while (walk(digit, f, &w->at[i], -1))
            ;
    }
    return false;
}

static bool next_child(uint64_t *digit, const sc_fan *f)
{
    for (unsigned s = 0; s < f->n; s++) {
        if (++digit[s] < f->factor[s])
            return true;
        digit[s] = 0;
    }
    return false;
}

static void count_children(sc_linked *out, const sc_fan *f, const sc_grid *g, const sc_served *v,
                           const sc_stride stride[2], const uint64_t *move)
{
    sc_walks walks;
    uint64_t digit[SC_MAX_DIMS] = {0}, left = 0;
    sc_fan_walks(&walks, f);
    do {
        uint64_t member[SC_MAX_DIMS], waiting = 0;
        if (!opens_group(f, &walks, digit))
            continue;
        memcpy(member, digit, sizeof member);
        do
            waiting += g->crooked ? !crooked_served(f, g, stride, member, move)
                                  : !straight_served(f, v, member);
        while (next_member(member, f, &walks));
        if (waiting)
            sc_group_sizes_add(&out->sizes, waiting, 1);
        out->groups += waiting > 0;
        left += waiting;
    } while (next_child(digit, f));
    out->receivers = f->children - left;
}

/* The digits of a stride, and whether a number and the number plus it can be apart by the movement.
 * Adding in mixed radix, digit s gains its own digit of the stride, a carry, and loses a factor if
 * it passes one on: bit s of `carry`. */
static void find_stride(sc_stride *out, const sc_fan *f, uint64_t stride, const uint64_t *move)
{
    out->up = out->down = false;
    for (unsigned s = 0; s < f->n; s++) {
        out->digit[s] = stride % f->factor[s];
        stride /= f->factor[s];
    }
    if (stride > 0)
        return; /* no two children are so far apart */
    for (unsigned carry = 0; carry < 1u << f->n >> 1; carry++) {
        uint64_t ahead[SC_MAX_RANKS] = {0};
        bool up = true, down = true;
        for (unsigned s = 0; s < f->n; s++) {
            const uint64_t in = s ? carry >> (s - 1) & 1 : 0;
            const uint64_t gain = out->digit[s] + in - (carry >> s & 1) * f->factor[s];
            for (unsigned r = 0; r < f->n_ranks; r++)
                ahead[r] += gain * f->move[s][r];
        }
        for (unsigned r = 0; r < f->n_ranks; r++) {
            up &= ahead[r] == move[r];
            down &= ahead[r] == 0 - move[r];
        }
        out->up |= up;
        out->down |= down;
    }
}

bool sc_linked_find(sc_linked *out, const sc_fan *f, const sc_grid *g, const uint64_t *move)
{
    sc_served served;
    sc_stride stride[2];
    if (f->tangled || (f->children > MAX_WALKED && (g->crooked || f->n_pairs > 0)))
        return false;
    if (g->crooked) {
        find_stride(&stride[0], f, 1, move);
        find_stride(&stride[1], f, g->width, move);
        if (!stride[0].up && !stride[0].down && !stride[1].up && !stride[1].down)
            return false;
    } else {
        find_served(&served, f, g, move);
        if (served.n == 0)
            return false;
    }
    *out = (sc_linked){0};
    if (g->crooked || f->n_pairs > 0)
        count_children(out, f, g, &served, stride, move);
    else
        count_cells(out, f, &served);
    return out->receivers > 0;
}
