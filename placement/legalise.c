/** Greedy legalisation. A free place nearest to a wanted one lies, along each axis, at the wanted
 *  coordinate or against an edge of a box or of the canvas; all pairs of such coordinates are
 * looked at, nearest first. */
#include "placement/legalise.h"

#include <math.h>
#include <stdlib.h>

#include "core/mem.h"
#include "core/order.h"
#include "placement/room.h"

typedef struct place { /* along one axis */
    double at, distance;
} place;

typedef struct legalising {
    const sc_netlist *list;
    sc_room room;
    sc_spot *spot;
    sc_buf *why;
    place *axis[2]; /* [2 n boxes + 3] */
    size_t n_axis[2];
    uint32_t *order, *scratch; /* [n_blocks] */
    size_t n_order;
} legalising;

static int by_distance(const void *a, const void *b)
{
    const place *p = a, *q = b;
    if (p->distance != q->distance)
        return p->distance < q->distance ? -1 : 1;
    return (p->at > q->at) - (p->at < q->at);
}

/* Centres along one axis that may be the nearest free one, by distance from the wanted one. */
static void list_places(legalising *l, int axis, double want, double half)
{
    const sc_room *r = &l->room;
    const double *low = axis == 0 ? r->x0 : r->y0, *high = axis == 0 ? r->x1 : r->y1;
    const double end = axis == 0 ? r->width_um : r->height_um;
    place *to = l->axis[axis];
    size_t n = 0;

    to[n++].at = fmin(fmax(want, half), end - half);
    to[n++].at = half;
    to[n++].at = end - half;
    for (size_t i = 0; i < r->n; i++) {
        if (!isfinite(low[i]))
            continue; /* lifted */
        to[n++].at = low[i] - half;
        to[n++].at = high[i] + half;
    }
    for (size_t i = 0; i < n; i++)
        to[i].distance = fabs(to[i].at - want);
    qsort(to, n, sizeof *to, by_distance);
    l->n_axis[axis] = n;
}

/* The free place nearest to where a block stands. @return false if there is none. */
static bool nearest_free(legalising *l, uint32_t block)
{
    const sc_block *b = &l->list->block[block];
    sc_spot best = l->spot[block], at = best;
    double half[2], least = (double)INFINITY;

    sc_room_half(half, b, best.orient);
    list_places(l, 0, best.x_um, half[0]);
    list_places(l, 1, best.y_um, half[1]);
    for (size_t i = 0; i < l->n_axis[0] && l->axis[0][i].distance < least; i++) {
        const double dx = l->axis[0][i].distance;
        for (size_t k = 0; k < l->n_axis[1]; k++) {
            const double distance = hypot(dx, l->axis[1][k].distance);
            if (distance >= least)
                break;
            at.x_um = l->axis[0][i].at;
            at.y_um = l->axis[1][k].at;
            if (sc_room_free(&l->room, b, &at, block)) {
                least = distance;
                best = at;
            }
        }
    }
    l->spot[block] = best;
    return isfinite(least);
}

/* Larger macros first; ties by number. */
static bool is_larger(const void *context, uint32_t a, uint32_t b)
{
    const sc_block *block = context;
    return block[a].width_um * block[a].height_um > block[b].width_um * block[b].height_um;
}

/* Movable hard macros; each is lifted and comes back in its turn, those that stand well too, so
 * that a large one is not driven off by a small one that happens to be well. */
static void lift_all(legalising *l)
{
    for (uint32_t b = 0; b < l->list->n_blocks; b++) {
        if (l->list->block[b].kind != SC_BLOCK_HARD || l->spot[b].fixed)
            continue;
        l->order[l->n_order++] = b;
        sc_room_lift(&l->room, b);
    }
    sc_order_sort(l->order, l->scratch, l->n_order, is_larger, l->list->block);
}

static void put_all(legalising *l, double *moved_um)
{
    for (size_t i = 0; i < l->n_order; i++) {
        const uint32_t b = l->order[i];
        const sc_block *block = &l->list->block[b];
        const sc_spot was = l->spot[b];
        if (!nearest_free(l, b)) {
            sc_buf_printf(
                l->why,
                "no free place is left for macro '%s' of %g x %g um, number %zu of %zu by "
                "area, on a canvas of %g x %g um",
                block->name, block->width_um, block->height_um, i + 1, l->n_order, l->room.width_um,
                l->room.height_um);
            return;
        }
        *moved_um += hypot(l->spot[b].x_um - was.x_um, l->spot[b].y_um - was.y_um);
        sc_room_put(&l->room, b, block, &l->spot[b]);
    }
}

/* Macros that fit nowhere even alone, and all of them together. */
static void check_sizes(const legalising *l, const sc_canvas *canvas)
{
    const double w = canvas->width_um, h = canvas->height_um;
    double area = 0;

    for (size_t b = 0; b < l->list->n_blocks; b++) {
        const sc_block *k = &l->list->block[b];
        double half[2];
        if (k->kind != SC_BLOCK_HARD)
            continue;
        sc_room_half(half, k, l->spot[b].orient);
        area += k->width_um * k->height_um;
        if (2 * half[0] > w || 2 * half[1] > h)
            sc_buf_printf(l->why,
                          "%smacro '%s' of %g x %g um is larger than the canvas of %g x %g um",
                          l->why->length > 0 ? "\n" : "", k->name, 2 * half[0], 2 * half[1], w, h);
    }
    if (l->why->length == 0 && area > w * h)
        sc_buf_printf(l->why, "hard macros of %g um2 in all are more than the canvas of %g um2",
                      area, w * h);
}

/* Whether every movable hard macro stands well. */
static bool is_legal(const legalising *l)
{
    for (uint32_t b = 0; b < l->list->n_blocks; b++) {
        const sc_block *block = &l->list->block[b];
        if (block->kind == SC_BLOCK_HARD && !l->spot[b].fixed &&
            !sc_room_free(&l->room, block, &l->spot[b], b))
            return false;
    }
    return true;
}

static void bring_soft_in(sc_spot *spot, const sc_netlist *list, const sc_canvas *canvas)
{
    for (size_t b = 0; b < list->n_blocks; b++) {
        if (list->block[b].kind != SC_BLOCK_SOFT || spot[b].fixed)
            continue;
        spot[b].x_um = fmin(fmax(spot[b].x_um, 0), canvas->width_um);
        spot[b].y_um = fmin(fmax(spot[b].y_um, 0), canvas->height_um);
    }
}

static sc_status legalise(legalising *l, double *moved_um)
{
    const size_t most = 2 * l->room.n + 3;

    l->axis[0] = sc_calloc(most, sizeof **l->axis);
    l->axis[1] = sc_calloc(most, sizeof **l->axis);
    l->order = sc_calloc(2 * l->list->n_blocks, sizeof *l->order);
    if (l->axis[0] == NULL || l->axis[1] == NULL || l->order == NULL)
        return SC_ENOMEM;
    l->scratch = l->order + l->list->n_blocks;
    if (!is_legal(l)) {
        lift_all(l);
        put_all(l, moved_um);
    }
    return l->why->status;
}

sc_status sc_legalise(sc_spot *spot, double *moved_um, sc_buf *why, const sc_netlist *list,
                      const sc_canvas *canvas)
{
    legalising l = {.list = list, .spot = spot, .why = why};

    *moved_um = 0;
    bring_soft_in(spot, list, canvas);
    check_sizes(&l, canvas);
    if (why->length > 0 || why->status != SC_OK)
        return why->status;
    sc_status st = sc_room_init(&l.room, list, canvas, spot);
    if (st == SC_OK)
        st = legalise(&l, moved_um);
    sc_free(l.order);
    sc_free(l.axis[1]);
    sc_free(l.axis[0]);
    sc_room_clear(&l.room);
    return st;
}
