#include <math.h>
#include <string.h>

#include "model/mapper/exact_spatial.h"

/* A walk over the loops outside the children, innermost first. */
typedef struct walk {
    const sc_space *x;
    const sc_xtensor *t;
    const sc_xtile *child;
    const sc_shape *fan;
    double moved[SC_MAX_RANKS]; /* by the loops so far, all put back when the next one steps */
    double first[SC_MAX_RANKS];
    unsigned component; /* along which all of that was; SC_NO_COMPONENT before any */
    bool lost;          /* moved along two of them: no neighbour stands there */
    unsigned level;     /* whose children they are */
    bool idle;
} walk;

/* Dimensions side by side that do not move the tensor: neighbours along them count as well. */
static bool has_idle(const walk *w)
{
    for (unsigned d = 0; d < w->x->n_dims; d++)
        if (w->fan->at[d] > 0 && !(w->t->relevant >> d & 1))
            return true;
    return false;
}

/* One dimension side by side moves the tile; is a child so many indices of it away a neighbour? The
 * next one is. In the reference's numbering so is the one a row further, if the loops inside this
 * dimension's number as many children as divide a row so. Neighbours across the end of a loop have
 * another index of that outside it. */
static bool is_neighbour(const walk *w, double apart, double factor)
{
    const uint64_t width = w->x->a->level[w->level].fanout_x;
    double others = 1;
    if (apart == 1)
        return true;
    if (apart == factor - 1 && w->idle)
        return true;
    if (w->x->o->count.links != SC_LINKS_REFERENCE)
        return false;
    for (unsigned d = 0; d < w->x->n_dims; d++)
        others *= (double)sc_shape_extent(w->x, w->fan, d);
    others /= factor;
    return w->idle || (fmod((double)width, apart) == 0 && (double)width / apart <= others);
}

/* Children, as a share of all, who have a neighbour whose tile lies so far from theirs, at most.
 * One dimension side by side: the neighbours are those next along it and, where another dimension
 * counts up, that at its other end. Of several dimensions only the reach is looked at. */
static double served_by(const walk *w, const double *by, unsigned component)
{
    unsigned spread = 0, only = 0;
    double apart = 0;
    for (unsigned d = 0; d < w->x->n_dims; d++)
        if (w->t->component[d] == component && w->fan->at[d] > 0) {
            spread++;
            only = d;
        }
    if (spread == 0)
        return false;
    const double factor = (double)sc_shape_extent(w->x, w->fan, only);
    for (unsigned r = 0; r < w->t->n_ranks; r++) {
        double reach = 0, unit = 0;
        for (unsigned k = 0; k < w->t->rank[r].n_terms; k++) {
            const unsigned d = w->t->rank[r].dim[k];
            const double move = (double)w->t->rank[r].coef[k] * w->child->extent[d];
            if (w->t->component[d] == component && w->fan->at[d] > 0)
                reach += ((double)sc_shape_extent(w->x, w->fan, d) - 1) * move;
            if (d == only)
                unit += move;
        }
        if (fabs(by[r]) > reach)
            return false;
        if (spread > 1 || unit == 0)
            continue;
        if (fmod(fabs(by[r]), unit) != 0)
            return false;
        apart = fabs(by[r]) / unit;
    }
    return spread > 1 || is_neighbour(w, apart, factor);
}

/* Does another child need the same tile? */
static bool has_double(const walk *w)
{
    for (unsigned d = 0; d < w->x->n_dims; d++) {
        const uint16_t members = w->t->relevant >> d & 1 ? w->t->members[w->t->component[d]] : 0;
        if (w->fan->at[d] > 0 && (members == 0 || (members & (members - 1)) != 0))
            return true;
    }
    return false;
}

/* May a step that moves the tile by `by` be served from next door? */
static bool reached(const walk *w, const double *by)
{
    bool still = true;
    for (unsigned r = 0; r < w->t->n_ranks; r++)
        still = still && by[r] == 0;
    if (still)
        return has_double(w);
    return w->component != SC_NO_COMPONENT && !w->lost && served_by(w, by, w->component);
}

static void take(walk *w, unsigned dim, const double *by)
{
    const unsigned c = w->t->component[dim];
    w->lost = w->lost || (w->component != SC_NO_COMPONENT && w->component != c);
    w->component = c;
    for (unsigned r = 0; r < w->t->n_ranks; r++)
        w->moved[r] += by[r] + w->moved[r];
}

static void movement(double *by, const walk *w, unsigned dim, double step)
{
    for (unsigned r = 0; r < w->t->n_ranks; r++) {
        by[r] = -w->moved[r];
        for (unsigned k = 0; k < w->t->rank[r].n_terms; k++)
            if (w->t->rank[r].dim[k] == dim)
                by[r] += (double)w->t->rank[r].coef[k] * step;
    }
}

/* Words of one step of the innermost loop; a later one hands on words only if it brings in the same
 * kind. 0: it leaves the tile alone. */
static double kind_of(const walk *w, unsigned tensor, const double *by)
{
    double common = 1;
    bool still = true;
    for (unsigned r = 0; r < w->t->n_ranks; r++) {
        double side = 1;
        for (unsigned k = 0; k < w->t->rank[r].n_terms; k++)
            side += (w->child->extent[w->t->rank[r].dim[k]] - 1) * (double)w->t->rank[r].coef[k];
        common *= side > by[r] ? side - by[r] : 0;
        still = still && by[r] == 0;
    }
    return still ? 0 : w->child->words[tensor] - common;
}

static void begin(walk *w, const sc_space *x, const sc_xtile *child, unsigned tensor,
                  const sc_shape *fan, unsigned level)
{
    *w = (walk){.x = x,
                .t = &x->tensor[tensor],
                .child = child,
                .fan = fan,
                .component = SC_NO_COMPONENT,
                .level = level};
    w->idle = has_idle(w);
}

double sc_grid_handed(const sc_xtile *child, const sc_space *x, unsigned tensor,
                      const sc_shape *fan, const sc_xloops *loops, unsigned from, unsigned level)
{
    walk w;
    begin(&w, x, child, tensor, fan, level);
    const double all = child->words[tensor] * child->steps;
    double handed = 0, passed = 1, kind = 0;
    const bool macs = level + 1 == x->n_levels;
    if (from == loops->n)
        return all;
    for (unsigned j = from; j < loops->n; j++) {
        const unsigned d = loops->dim[j];
        const bool moves = w.t->relevant >> d & 1;
        double by[SC_MAX_RANKS];
        movement(by, &w, moves ? d : SC_MAX_DIMS, loops->step[j]);
        if (moves)
            take(&w, d, by);
        passed *= loops->factor[j];
        if (j == from) {
            kind = macs ? 1 : kind_of(&w, tensor, by);
            memcpy(w.first, by, sizeof w.first);
            if (kind == 0)
                return 0;
        }
        bool alike = macs || kind == child->words[tensor];
        if (!alike)
            alike = memcmp(by, w.first, w.t->n_ranks * sizeof *by) == 0;
        if (alike && reached(&w, by))
            handed += kind * (loops->factor[j] - 1) * child->steps / passed;
    }
    /* Loops that are not known yet may go on as long as all movement was along one component. */
    if (!w.lost && child->steps > passed &&
        (w.component == SC_NO_COMPONENT ||
         (w.t->members[w.component] & (w.t->members[w.component] - 1)) != 0))
        handed += kind * child->steps / passed;
    return handed < all ? handed : all;
}

/* Has the tensor, next to dimension `first`, another loop whose steps may leave a tile next door?
 */
static bool others_left(const walk *w, unsigned first)
{
    for (unsigned d = 0; d < w->x->n_dims; d++) {
        const unsigned c = w->t->component[d];
        if (d != first && w->child->left[d] > 1 &&
            (c == SC_NO_COMPONENT || c == w->t->component[first]))
            return true;
    }
    return false;
}

double sc_grid_may_hand(const sc_xtile *child, const sc_space *x, unsigned tensor,
                        const sc_shape *fan, unsigned first, unsigned level)
{
    walk w;
    begin(&w, x, child, tensor, fan, level);
    double by[SC_MAX_RANKS] = {0};
    if (first >= x->n_dims || !(w.t->relevant >> first & 1))
        return 0;
    const unsigned c = w.t->component[first];
    if ((w.t->members[c] & (w.t->members[c] - 1)) == 0)
        return 0;
    movement(by, &w, first, child->extent[first] * child->spread[first]);
    const bool here = served_by(&w, by, c);
    if (kind_of(&w, tensor, by) < child->words[tensor])
        return here ? 1 : 0;
    if (others_left(&w, first))
        return here ? 1 : 0.5;
    return here ? 1 - 1 / child->left[first] : 0;
}
