#include <math.h>
#include <string.h>

#include "model/mapper/exact_served.h"

/* A walk over the loops outside the children under a level, innermost first. */
typedef struct walk {
    const sc_space *x;
    const sc_xtensor *t;
    const sc_xtile *child;
    const sc_shape *fan;
    const sc_near *near;
    const sc_grid_choice *grid;
    double moved[SC_MAX_RANKS]; /* by the loops so far, all put back when the next one steps */
    double first[SC_MAX_RANKS];
    bool idle; /* dimensions side by side leave the tensor alone: neighbours along them count too */
} walk;

static void begin(walk *w, const sc_space *x, const sc_xtile *child, unsigned tensor,
                  const sc_grid_choice *g, unsigned level)
{
    const sc_shape *fan = &g->fan[level];
    *w = (walk){.x = x,
                .t = &x->tensor[tensor],
                .child = child,
                .fan = fan,
                .near = &g->near[level],
                .grid = g};
    for (unsigned d = 0; d < x->n_dims; d++)
        w->idle = w->idle || (fan->at[d] > 0 && !(w->t->relevant >> d & 1));
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

/* Do tiles so many indices apart lie apart by the movement, one way or the other? */
static bool matches(const walk *w, const int16_t *apart, const double *by)
{
    bool on = true, back = true;
    for (unsigned r = 0; r < w->t->n_ranks && (on || back); r++) {
        double ahead = 0;
        for (unsigned k = 0; k < w->t->rank[r].n_terms; k++) {
            const unsigned d = w->t->rank[r].dim[k];
            ahead += (double)apart[d] * (double)w->t->rank[r].coef[k] * w->child->extent[d];
        }
        on = on && ahead == by[r];
        back = back && -ahead == by[r];
    }
    return on || back;
}

/* Children, as a share of all, that have a neighbour so many indices away. */
static double share_of(const walk *w, const int16_t *apart)
{
    double share = 1;
    for (unsigned d = 0; d < w->x->n_dims; d++)
        if (apart[d] != 0)
            share *= 1 - fabs((double)apart[d]) / (double)sc_shape_extent(w->x, w->fan, d);
    return share;
}

/* Children, as a share of all, that may have a neighbour whose tile lies so far from their own: at
 * most, over all arrangements together. */
static double have_neighbour(const walk *w, const double *by)
{
    double share = 0;
    for (unsigned r = 0; r < w->t->n_ranks; r++)
        if (fabs(by[r]) > reach_of(w, r))
            return 0;
    for (unsigned i = 0; i < w->near->n && !w->near->any && share < 1; i++)
        if (matches(w, w->near->apart[i], by))
            share += share_of(w, w->near->apart[i]);
    return w->near->any ? 1 : fmin(share, 1);
}

/* Does another child need the same tile? */
static bool has_double(const walk *w)
{
    bool windows = false;
    for (unsigned d = 0; d < w->x->n_dims; d++)
        windows = windows || (w->fan->at[d] > 0 && w->t->relevant >> d & 1 &&
                              sc_is_window(w->t, w->t->component[d]));
    return w->idle || windows;
}

/* Children, as a share of all, that a step which moves the tile by `by` may serve from next door.
 */
static double reached(const walk *w, const double *by)
{
    for (unsigned r = 0; r < w->t->n_ranks; r++)
        if (by[r] != 0)
            return have_neighbour(w, by);
    return has_double(w) ? 1 : 0;
}

/* Of the words that a level is spared when a step serves all but one child of each row from next
 * door, those that it is spared when so many children are served. Where groups of children with the
 * same tile are alike in size, so many groups are; else the smallest may be. */
static double spared(const walk *w, const sc_xstep *step, unsigned tensor, double served)
{
    const double most = step->share[tensor] - step->left[tensor];
    bool even = true;
    for (unsigned c = 0; c < w->t->n_components; c++)
        even = even && sc_spread_along(w->t, c, w->fan) < 2;
    if (even)
        served *= step->share[tensor];
    return served < most ? served / most : 1;
}

/* Of the words that a step may spare a level, those that it does when the tile moves by `by`. */
static double handed_at(const walk *w, const sc_xstep *step, unsigned tensor, const double *by)
{
    if (!sc_served_known(w->grid, step->level))
        return spared(w, step, tensor, reached(w, by));
    const sc_served at = sc_served_at(w->x, w->grid, step->level, tensor, w->child, by);
    const double least = step->unicast >> tensor & 1 ? at.alone : at.groups;
    if (!at.any)
        return 0;
    return fmin(1, fmax(1 - at.alone, (step->share[tensor] - least) /
                                          (step->share[tensor] - step->left[tensor])));
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
        if (sc_is_window(t, c) && (spread || moving > 1))
            dims |= members;
    }
    return dims;
}

/* Over the steps that neighbours may serve, for one child. */
typedef struct linked {
    double handed; /* words from neighbours */
    double words;  /* of these steps, all of them */
    double ratio;  /* least words served for one that reaches children, in such a step */
} linked;

static void add_steps(linked *l, const walk *w, const sc_xstep *step, unsigned tensor,
                      const double *by, double words)
{
    const double share = handed_at(w, step, tensor, by);
    if (share == 0)
        return;
    l->handed += share * words;
    l->words += words;
    l->ratio =
        fmin(l->ratio, sc_served_known(w->grid, step->level)
                           ? sc_served_at(w->x, w->grid, step->level, tensor, w->child, by).ratio
                           : step->passed[tensor]);
}

static linked sum_links(const sc_xtile *child, const sc_space *x, unsigned tensor,
                        const sc_grid_choice *g, const sc_xloops *loops, unsigned from,
                        const sc_xstep *step)
{
    walk w;
    const unsigned level = step->level;
    const bool macs = level + 1 == x->n_levels;
    const double all = child->words[tensor] * child->steps;
    const uint16_t dims = sc_grid_alive(child, x, tensor, &g->fan[level]);
    linked out = {0, 0, step->share[tensor]};
    double passed = 1, kind = 0;
    bool alive = true;
    if (from == loops->n)
        return (linked){all, all, step->passed[tensor]};
    begin(&w, x, child, tensor, g, level);
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
            return out;
        alive = dims >> d & 1;
        const bool alike = macs || kind == child->words[tensor] ||
                           memcmp(by, w.first, w.t->n_ranks * sizeof *by) == 0;
        if (alike)
            add_steps(&out, &w, step, tensor, by,
                      kind * (loops->factor[j] - 1) * child->steps / passed);
    }
    /* Loops that are not known yet may go on as long as all movement may still cancel. */
    if (alive) {
        out.handed += kind * child->steps / passed;
        out.words += kind * child->steps / passed;
        out.ratio = fmin(out.ratio, step->passed[tensor]);
    }
    out.handed = fmin(out.handed, all);
    return out;
}

double sc_grid_handed(const sc_xtile *child, const sc_space *x, unsigned tensor,
                      const sc_grid_choice *g, const sc_xloops *loops, unsigned from,
                      const sc_xstep *step)
{
    return sum_links(child, x, tensor, g, loops, from, step).handed;
}

double sc_grid_passed(const sc_xtile *child, const sc_space *x, unsigned tensor,
                      const sc_grid_choice *g, const sc_xloops *loops, unsigned from,
                      const sc_xstep *step, double received)
{
    const double share = step->share[tensor];
    const linked l = sum_links(child, x, tensor, g, loops, from, step);
    if (l.words == 0 || l.ratio >= share)
        return share;
    const double others = fmax(received - l.words, 0);
    return (others * share + l.words * l.ratio) / (others + l.words);
}

double sc_grid_may_hand(const sc_xtile *child, const sc_space *x, unsigned tensor,
                        const sc_grid_choice *g, unsigned first, unsigned level)
{
    walk w;
    double by[SC_MAX_RANKS] = {0};
    bool others = false;
    begin(&w, x, child, tensor, g, level);
    const uint16_t dims = sc_grid_alive(child, x, tensor, &g->fan[level]);
    if (first >= x->n_dims || !(w.t->relevant >> first & 1) || !(dims >> first & 1))
        return 0;
    /* The loop may stand further out, and its step then spans what lies side by side there. */
    if (g->outer[level].at[first] > 0)
        return 1;
    movement(by, &w, first, child->extent[first] * child->spread[first]);
    const bool here = reached(&w, by) > 0;
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
