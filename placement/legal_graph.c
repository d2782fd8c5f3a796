#include "placement/legal_graph.h"

#include <math.h>
#include <stdlib.h>

#include "core/mem.h"
#include "core/order.h"

enum { PARTS = 12 }; /* of doubles */

static void set_box(sc_legal_graph *g, uint32_t i, int axis, double half, double want, double low,
                    double high)
{
    g->half[axis][i] = half;
    g->want[axis][i] = want;
    g->low[axis][i] = low;
    g->high[axis][i] = high;
}

static void add_movable(sc_legal_graph *g, const sc_legalising *l, uint32_t i)
{
    const uint32_t b = l->hard[i];
    double half[2], low[2], high[2];

    sc_room_reach(half, &l->room, b, l->spot[b].orient);
    sc_room_bounds(low, high, &l->room, b, l->spot[b].orient);
    set_box(g, i, 0, half[0], l->want[b].x_um, low[0], high[0]);
    set_box(g, i, 1, half[1], l->want[b].y_um, low[1], high[1]);
}

static void add_standing(sc_legal_graph *g, uint32_t i, double x0, double y0, double x1, double y1)
{
    const double x = (x0 + x1) / 2, y = (y0 + y1) / 2;
    set_box(g, i, 0, (x1 - x0) / 2, x, x, x);
    set_box(g, i, 1, (y1 - y0) / 2, y, y, y);
}

/* Boxes of the room that are no movable macro's. */
static void add_all(sc_legal_graph *g, const sc_legalising *l)
{
    const sc_room *r = &l->room;
    uint8_t *moves = g->axis; /* borrowed as marks until axes are chosen */

    for (uint32_t i = 0; i < g->n; i++)
        moves[i] = 0;
    for (uint32_t i = 0; i < g->n_movable; i++) {
        add_movable(g, l, i);
        moves[r->number[l->hard[i]]] = 1;
    }
    uint32_t at = g->n_movable;
    for (size_t i = 0; i < r->n; i++)
        if (!moves[i])
            add_standing(g, at++, r->x0[i], r->y0[i], r->x1[i], r->y1[i]);
}

static bool is_before(const void *context, uint32_t a, uint32_t b)
{
    const double *place = context;
    return place[a] < place[b];
}

/* Boxes along an axis; where they are now is in `place`. */
static void sort(sc_legal_graph *g, int axis, uint32_t *scratch, const double *place)
{
    for (uint32_t i = 0; i < g->n; i++)
        g->order[axis][i] = i;
    sc_order_sort(g->order[axis], scratch, g->n, is_before, place);
    for (uint32_t i = 0; i < g->n; i++)
        g->rank[axis][g->order[axis][i]] = i;
}

sc_status sc_legal_graph_create(sc_legal_graph *g, const sc_legalising *l, const sc_spot *at)
{
    const uint32_t n = (uint32_t)l->room.n;

    *g = (sc_legal_graph){.n = n, .n_movable = (uint32_t)l->n_hard};
    double *d = g->memory = sc_calloc((size_t)PARTS * (n + 1), sizeof *d);
    uint32_t *u = g->memory_u32 = sc_calloc(5 * ((size_t)n + 1), sizeof *u);
    g->axis = sc_calloc((size_t)n * n + 1, 1);
    if (d == NULL || u == NULL || g->axis == NULL) {
        sc_legal_graph_clear(g);
        return SC_ENOMEM;
    }
    for (int axis = 0; axis < 2; axis++, d += 6 * (size_t)n, u += 2 * (size_t)n) {
        g->half[axis] = d;
        g->want[axis] = d + n;
        g->low[axis] = d + 2 * (size_t)n;
        g->high[axis] = d + 3 * (size_t)n;
        g->earliest[axis] = d + 4 * (size_t)n;
        g->latest[axis] = d + 5 * (size_t)n;
        g->order[axis] = u;
        g->rank[axis] = u + n;
    }
    add_all(g, l);
    for (int axis = 0; axis < 2; axis++) {
        double *place = g->earliest[axis]; /* free until solved */
        for (uint32_t i = 0; i < n; i++)
            place[i] = g->want[axis][i];
        for (uint32_t i = 0; i < g->n_movable; i++)
            place[i] = axis == 0 ? at[l->hard[i]].x_um : at[l->hard[i]].y_um;
        sort(g, axis, u, place);
    }
    for (uint32_t i = g->n_movable; i < n; i++)
        for (uint32_t k = g->n_movable; k < n; k++)
            g->axis[(size_t)i * n + k] = 2;
    return SC_OK;
}

void sc_legal_graph_clear(sc_legal_graph *g)
{
    sc_free(g->memory);
    sc_free(g->memory_u32);
    sc_free(g->axis);
    *g = (sc_legal_graph){0};
}

void sc_legal_graph_solve(sc_legal_graph *g, int axis)
{
    const uint32_t *order = g->order[axis], n = g->n;
    double *first = g->earliest[axis], *last = g->latest[axis];

    for (uint32_t i = 0; i < n; i++) {
        const uint32_t b = order[i];
        const uint8_t *row = g->axis + (size_t)b * n;
        double at = g->low[axis][b];
        for (uint32_t k = 0; k < i; k++)
            if (row[order[k]] == axis)
                at = fmax(at, first[order[k]] + sc_legal_graph_apart(g, axis, order[k], b));
        first[b] = at;
    }
    for (uint32_t i = n; i-- > 0;) {
        const uint32_t b = order[i];
        const uint8_t *row = g->axis + (size_t)b * n;
        double at = g->high[axis][b];
        for (uint32_t k = i + 1; k < n; k++)
            if (row[order[k]] == axis)
                at = fmin(at, last[order[k]] - sc_legal_graph_apart(g, axis, order[k], b));
        last[b] = at;
    }
}

void sc_legal_graph_put(const sc_legal_graph *g, int axis, double *place, sc_legalising *l)
{
    const uint32_t *order = g->order[axis], n = g->n;

    for (uint32_t i = 0; i < n; i++) {
        const uint32_t b = order[i];
        const uint8_t *row = g->axis + (size_t)b * n;
        double at = fmax(place[b], g->low[axis][b]);
        for (uint32_t k = 0; k < i; k++)
            if (row[order[k]] == axis)
                at = fmax(at, place[order[k]] + sc_legal_graph_apart(g, axis, order[k], b));
        place[b] = b < g->n_movable ? fmin(at, g->latest[axis][b]) : g->low[axis][b];
    }
    for (uint32_t i = 0; i < g->n_movable; i++) {
        sc_spot *spot = &l->spot[l->hard[i]];
        *(axis == 0 ? &spot->x_um : &spot->y_um) = place[i];
    }
}
