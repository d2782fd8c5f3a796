/** Macros one at a time. A free place nearest to a wanted one lies, along x, at the wanted
 * coordinate or against an edge of a box or of the canvas; for each of these, nearest first, the
 * nearest free place along y follows from the boxes that a macro would meet there. */
#include <math.h>
#include <stdlib.h>

#include "placement/legal_state.h"

static const double least_gain_um = 1e-6;
static const double touch_um = 1e-9; /* what rounding makes of touching */

double sc_legal_moved(const sc_legalising *l, uint32_t block)
{
    return hypot(l->spot[block].x_um - l->want[block].x_um,
                 l->spot[block].y_um - l->want[block].y_um);
}

double sc_legal_moved_all(const sc_legalising *l)
{
    double sum = 0;
    for (size_t i = 0; i < l->n_hard; i++)
        sum += sc_legal_moved(l, l->hard[i]);
    return sum;
}

void sc_legal_put_all(sc_legalising *l)
{
    for (size_t i = 0; i < l->n_hard; i++)
        sc_room_put(&l->room, l->hard[i], &l->spot[l->hard[i]]);
}

bool sc_legal_holds(const sc_legalising *l)
{
    for (size_t i = 0; i < l->n_hard; i++)
        if (!sc_room_free(&l->room, l->hard[i], &l->spot[l->hard[i]]))
            return false;
    return true;
}

static int by_distance(const void *a, const void *b)
{
    const sc_axis_place *p = a, *q = b;
    if (p->distance != q->distance)
        return p->distance < q->distance ? -1 : 1;
    return (p->at > q->at) - (p->at < q->at);
}

/* Centres along x that may be the nearest free one and are nearer than a limit, by distance from
 * the wanted one. */
static size_t list_places(sc_legalising *l, double want, double half, double low, double high,
                          double limit)
{
    const sc_room *r = &l->room;
    sc_axis_place *to = l->along_x;
    size_t n = 0, kept = 0;

    to[n++].at = fmin(fmax(want, low), high);
    to[n++].at = low;
    to[n++].at = high;
    for (size_t i = 0; i < r->n; i++) {
        if (!isfinite(r->x0[i]))
            continue; /* lifted */
        to[n++].at = r->x0[i] - half;
        to[n++].at = r->x1[i] + half;
    }
    for (size_t i = 0; i < n; i++) {
        const double at = to[i].at, distance = fabs(at - want);
        if (distance < limit && at >= low - least_gain_um && at <= high + least_gain_um)
            to[kept++] = (sc_axis_place){fmin(fmax(at, low), high), distance};
    }
    qsort(to, kept, sizeof *to, by_distance);
    return kept;
}

/* Centres along y that boxes forbid at a place along x: open intervals. */
static size_t list_forbidden(sc_legalising *l, double x, const double half[2])
{
    const sc_room *r = &l->room;
    const double x0 = x - half[0] + touch_um, x1 = x + half[0] - touch_um;
    size_t n = 0;

    for (size_t i = 0; i < r->n; i++) {
        l->along_y[n] = (sc_interval){r->y0[i] - half[1], r->y1[i] + half[1]};
        n += r->x0[i] < x1 && x0 < r->x1[i];
    }
    return n;
}

/* The first place from y upwards (sign 1) or downwards (-1) that no interval forbids. */
static double leave(const sc_interval *forbidden, size_t n, double y, double sign)
{
    for (bool moved = true; moved;) {
        moved = false;
        for (size_t i = 0; i < n; i++) {
            if (!(forbidden[i].low + touch_um < y && y < forbidden[i].high - touch_um))
                continue;
            y = sign > 0 ? forbidden[i].high : forbidden[i].low;
            moved = true;
        }
    }
    return y;
}

/* The free place nearest to the wanted one at an orientation, nearer than `least`. @return its
 * distance; infinite if there is none. */
static double nearest_free(sc_legalising *l, sc_spot *best, uint32_t block, sc_orient orient,
                           double least)
{
    const sc_spot *want = &l->want[block];
    double half[2], low[2], high[2], found = (double)INFINITY;

    sc_room_reach(half, &l->room, block, orient);
    sc_room_bounds(low, high, &l->room, block, orient);
    if (low[0] > high[0] || low[1] > high[1])
        return found;
    const double start = fmin(fmax(want->y_um, low[1]), high[1]);
    const size_t n = list_places(l, want->x_um, half[0], low[0], high[0], least);
    for (size_t i = 0; i < n && l->along_x[i].distance < least; i++) {
        const double x = l->along_x[i].at, dx = l->along_x[i].distance;
        const size_t forbidden = list_forbidden(l, x, half);
        for (int side = -1; side <= 1; side += 2) {
            const double y = leave(l->along_y, forbidden, start, side);
            const double distance = hypot(dx, y - want->y_um);
            if (y < low[1] || y > high[1] || distance >= least)
                continue;
            found = least = distance;
            best->x_um = x;
            best->y_um = y;
            best->orient = orient;
        }
    }
    return found;
}

/* The orientation that turns a macro from this one by 90 degrees, if one may be. */
static bool other_turn(sc_orient *out, const sc_legalising *l, uint32_t block)
{
    const sc_orient now = l->spot[block].orient;
    const uint8_t may = sc_rules_orients(l->rules, block, l->want[block].orient);
    for (int o = 0; o < SC_ORIENTS; o++) {
        if ((may >> o & 1) == 0 || sc_orient_is_turned((sc_orient)o) == sc_orient_is_turned(now))
            continue;
        *out = (sc_orient)o;
        return true;
    }
    return false;
}

bool sc_legal_greedy(sc_legalising *l)
{
    for (size_t i = 0; i < l->n_hard; i++)
        sc_room_lift(&l->room, l->hard[i]);
    for (l->n_put = 0; l->n_put < l->n_hard; l->n_put++) {
        const uint32_t b = l->hard[l->n_put];
        sc_spot at = l->spot[b];
        sc_orient turned = at.orient;
        if (!isfinite(nearest_free(l, &at, b, at.orient, (double)INFINITY)) &&
            (!other_turn(&turned, l, b) ||
             !isfinite(nearest_free(l, &at, b, turned, (double)INFINITY))))
            return false;
        l->spot[b] = at;
        sc_room_put(&l->room, b, &at);
    }
    return true;
}

/* ---- nearer, step by step ---- */

static bool improve_one(sc_legalising *l, uint32_t block)
{
    sc_spot at = l->spot[block];
    const double limit = sc_legal_moved(l, block) - least_gain_um;
    if (limit <= 0)
        return false;
    sc_room_lift(&l->room, block);
    const bool better = isfinite(nearest_free(l, &at, block, l->spot[block].orient, limit));
    if (better)
        l->spot[block] = at;
    sc_room_put(&l->room, block, &l->spot[block]);
    return better;
}

/* Whether two macros take the same box. */
static bool same_box(const sc_legalising *l, uint32_t a, uint32_t b)
{
    double half[2], other[2];
    sc_room_reach(half, &l->room, a, l->spot[a].orient);
    sc_room_reach(other, &l->room, b, l->spot[b].orient);
    return fabs(half[0] - other[0]) < least_gain_um && fabs(half[1] - other[1]) < least_gain_um;
}

static bool improve_pair(sc_legalising *l, uint32_t a, uint32_t b)
{
    const sc_spot was_a = l->spot[a], was_b = l->spot[b];
    const double was = sc_legal_moved(l, a) + sc_legal_moved(l, b);

    if (was <= least_gain_um || !same_box(l, a, b))
        return false;
    l->spot[a].x_um = was_b.x_um;
    l->spot[a].y_um = was_b.y_um;
    l->spot[b].x_um = was_a.x_um;
    l->spot[b].y_um = was_a.y_um;
    bool better = sc_legal_moved(l, a) + sc_legal_moved(l, b) < was - least_gain_um;
    if (better) { /* halos and regions may differ where boxes do not */
        sc_room_put(&l->room, a, &l->spot[a]);
        sc_room_put(&l->room, b, &l->spot[b]);
        better = sc_room_free(&l->room, a, &l->spot[a]) && sc_room_free(&l->room, b, &l->spot[b]);
    }
    if (better)
        return true;
    l->spot[a] = was_a;
    l->spot[b] = was_b;
    sc_room_put(&l->room, a, &was_a);
    sc_room_put(&l->room, b, &was_b);
    return false;
}

void sc_legal_settle(sc_legalising *l)
{
    enum { ROUNDS = 20 };
    bool better = true;
    for (int round = 0; round < ROUNDS && better; round++) {
        better = false;
        for (size_t i = 0; i < l->n_hard; i++)
            for (size_t k = 0; k < i; k++)
                better = improve_pair(l, l->hard[i], l->hard[k]) || better;
        for (size_t i = 0; i < l->n_hard; i++)
            better = improve_one(l, l->hard[i]) || better;
    }
}
