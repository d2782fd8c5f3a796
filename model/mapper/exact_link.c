#include <math.h>
#include <string.h>

#include "model/mapper/exact_spatial.h"

/* A walk over the loops outside the children under a level, innermost first. */
typedef struct walk {
    const sc_space *x;
    const sc_xtensor *t;
    const sc_xtile *child;
    const sc_shape *fan;
    unsigned level;
    double moved[SC_MAX_RANKS]; /* by the loops so far, all put back when the next one steps */
    double first[SC_MAX_RANKS];
    bool idle; /* dimensions side by side leave the tensor alone: neighbours along them count too */
} walk;

static void begin(walk *w, const sc_space *x, const sc_xtile *child, unsigned tensor,
                  const sc_shape *fan, unsigned level)
{
    *w = (walk){.x = x, .t = &x->tensor[tensor], .child = child, .fan = fan, .level = level};
    for (unsigned d = 0; d < x->n_dims; d++)
        w->idle = w->idle || (fan->at[d] > 0 && !(w->t->relevant >> d & 1));
}

static bool is_window(const sc_xtensor *t, unsigned component)
{
    const uint16_t members = t->members[component];
    return (members & (members - 1)) != 0;
}

/* One dimension side by side moves the tile; is a child so many indices of it away a neighbour? The
 * next one is. In the reference's numbering so is the one a row further, if the loops inside this
 * dimension's number as many children as divide a row so. Neighbours across the end of a loop have
 * another index of that outside it. */
static bool is_neighbour(const walk *w, double apart, double factor)
{
    const double width = (double)w->x->a->level[w->level].fanout_x;
    double others = 1;
    if (apart == 1 || (apart == factor - 1 && w->idle))
        return true;
    if (w->x->o->count.links != SC_LINKS_REFERENCE)
        return false;
    for (unsigned d = 0; d < w->x->n_dims; d++)
        others *= (double)sc_shape_extent(w->x, w->fan, d);
    others /= factor;
    return w->idle || (fmod(width, apart) == 0 && width / apart <= others);
}

/* How far the children's tiles lie apart along a rank, at most. */
static double reach_of(const walk *w, unsigned r)
{
    double reach = 0;
    for (unsigned k = 0; k < w->t->rank[r].n_terms; k++) {
        const unsigned d = w->t->rank[r].dim[k];
        if (w->fan->at[d] > 0)
            reach += ((double)sc_shape_extent(w->x, w->fan, d) - 1) *
                     (double)w->t->rank[r].coef[k] * w->child->extent[d];
    }
    return reach;
}

/* How many dimensions lie side by side along a component. @param only  the last of them. */
static unsigned spread_along(const walk *w, unsigned component, unsigned *only)
{
    unsigned spread = 0;
    for (unsigned d = 0; d < w->x->n_dims; d++)
        if (w->t->component[d] == component && w->fan->at[d] > 0) {
            spread++;
            *only = d;
        }
    return spread;
}

/* Of one dimension side by side: whole indices of it that lie between the tiles, -1 if not whole.
 */
static double indices_apart(const walk *w, const double *by, unsigned only)
{
    double apart = -1;
    for (unsigned r = 0; r < w->t->n_ranks; r++) {
        double unit = 0;
        for (unsigned k = 0; k < w->t->rank[r].n_terms; k++)
            if (w->t->rank[r].dim[k] == only)
                unit += (double)w->t->rank[r].coef[k] * w->child->extent[only];
        if (unit == 0)
            continue;
        if (fmod(fabs(by[r]), unit) != 0)
            return -1;
        apart = fabs(by[r]) / unit;
    }
    return apart;
}

/* May a child have a neighbour whose tile lies so far from its own? Along several components, or
 * with several dimensions of one side by side, only the reach is looked at. */
static bool has_neighbour(const walk *w, const double *by)
{
    unsigned along = SC_NO_COMPONENT, only = 0;
    bool several = false;
    for (unsigned r = 0; r < w->t->n_ranks; r++) {
        const unsigned c = w->t->component[w->t->rank[r].dim[0]];
        if (fabs(by[r]) > reach_of(w, r))
            return false;
        several = several || (by[r] != 0 && along != SC_NO_COMPONENT && along != c);
        if (by[r] != 0)
            along = c;
    }
    if (several || spread_along(w, along, &only) != 1)
        return true;
    const double apart = indices_apart(w, by, only);
    return apart > 0 && is_neighbour(w, apart, (double)sc_shape_extent(w->x, w->fan, only));
}

/* Does another child need the same tile? */
static bool has_double(const walk *w)
{
    bool windows = false;
    for (unsigned d = 0; d < w->x->n_dims; d++)
        windows = windows || (w->fan->at[d] > 0 && w->t->relevant >> d & 1 &&
                              is_window(w->t, w->t->component[d]));
    return w->idle || windows;
}

/* May a step that moves the tile by `by` be served from next door? */
static bool reached(const walk *w, const double *by)
{
    for (unsigned r = 0; r < w->t->n_ranks; r++)
        if (by[r] != 0)
            return has_neighbour(w, by);
    return has_double(w);
}

/* How a step of a loop moves the tile: the loops inside go back by an iteration each. */
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

uint16_t sc_grid_alive(const sc_xtile *child, const sc_space *x, unsigned tensor,
                       const sc_shape *fan)
{
    const sc_xtensor *t = &x->tensor[tensor];
    uint16_t dims = (uint16_t)(((1u << x->n_dims) - 1) & ~t->relevant);
    for (unsigned c = 0; c < t->n_components; c++) {
        const uint16_t members = t->members[c];
        unsigned moving = 0;
        bool spread = false;
        for (unsigned d = 0; members >> d; d++)
            if (members >> d & 1) {
                moving += child->left[d] > 1;
                spread = spread || fan->at[d] > 0;
            }
        /* One dimension alone moves by more than all children together. */
        if (is_window(t, c) && (spread || moving > 1))
            dims |= members;
    }
    return dims;
}

double sc_grid_handed(const sc_xtile *child, const sc_space *x, unsigned tensor,
                      const sc_shape *fan, const sc_xloops *loops, unsigned from, unsigned level)
{
    walk w;
    const bool macs = level + 1 == x->n_levels;
    const double all = child->words[tensor] * child->steps;
    const uint16_t dims = sc_grid_alive(child, x, tensor, fan);
    double handed = 0, passed = 1, kind = 0;
    bool alive = true;
    begin(&w, x, child, tensor, fan, level);
    if (from == loops->n)
        return all;
    for (unsigned j = from; j < loops->n && alive; j++) {
        const unsigned d = loops->dim[j];
        double by[SC_MAX_RANKS] = {0};
        movement(by, &w, d, loops->step[j]);
        for (unsigned r = 0; w.t->relevant >> d & 1 && r < w.t->n_ranks; r++)
            w.moved[r] += by[r] + w.moved[r];
        passed *= loops->factor[j];
        if (j == from) {
            kind = macs ? 1 : kind_of(&w, tensor, by);
            memcpy(w.first, by, sizeof w.first);
        }
        if (kind == 0)
            return 0;
        alive = dims >> d & 1;
        const bool alike = macs || kind == child->words[tensor] ||
                           memcmp(by, w.first, w.t->n_ranks * sizeof *by) == 0;
        if (alike && reached(&w, by))
            handed += kind * (loops->factor[j] - 1) * child->steps / passed;
    }
    /* Loops that are not known yet may go on as long as all movement may still cancel. */
    if (alive)
        handed += kind * child->steps / passed;
    return handed < all ? handed : all;
}

double sc_grid_may_hand(const sc_xtile *child, const sc_space *x, unsigned tensor,
                        const sc_shape *fan, unsigned first, unsigned level)
{
    walk w;
    double by[SC_MAX_RANKS] = {0};
    bool others = false;
    begin(&w, x, child, tensor, fan, level);
    const uint16_t dims = sc_grid_alive(child, x, tensor, fan);
    if (first >= x->n_dims || !(w.t->relevant >> first & 1) || !(dims >> first & 1))
        return 0;
    movement(by, &w, first, child->extent[first] * child->spread[first]);
    const bool here = reached(&w, by);
    if (kind_of(&w, tensor, by) < child->words[tensor])
        return here ? 1 : 0;
    for (unsigned d = 0; d < x->n_dims; d++)
        others = others || (d != first && dims >> d & 1 && child->left[d] > 1);
    /* So is a further loop of the same dimension, which moves by another multiple. */
    if (!here && child->left[first] >= 4)
        others = true;
    if (others)
        return here ? 1 : 0.5;
    return here ? 1 - 1 / child->left[first] : 0;
}
