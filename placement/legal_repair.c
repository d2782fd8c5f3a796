/** Repair: the order of a start is kept; for every pair an axis is chosen that it is apart along,
 *  and chosen again on the longest paths that do not fit. */
#include <math.h>
#include <string.h>

#include "core/mem.h"
#include "placement/legal_graph.h"

enum { CHANGES_OF_A_PAIR = 6 };
static const double rounding_um = 1e-9;
static const double most_steps = 1e9; /* pairs looked at */

/* By how much two boxes of an order would have to go apart along an axis. */
static double lacking(const sc_legal_graph *g, int axis, uint32_t a, uint32_t b)
{
    const bool forth = g->rank[axis][a] < g->rank[axis][b];
    const double *want = g->want[axis];
    return sc_legal_graph_apart(g, axis, a, b) - (forth ? want[b] - want[a] : want[a] - want[b]);
}

/* At first the axis along which a pair has the least to go. */
static void choose_all(sc_legal_graph *g)
{
    for (uint32_t a = 0; a < g->n_movable; a++)
        for (uint32_t b = a + 1; b < g->n; b++)
            sc_legal_graph_choose(g, a, b, lacking(g, 0, a, b) <= lacking(g, 1, a, b) ? 0 : 1);
}

/* The box that lacks most room along an axis; n if all have it. */
static uint32_t worst_box(const sc_legal_graph *g, int axis, double *lack)
{
    uint32_t worst = g->n;
    for (uint32_t i = 0; i < g->n; i++) {
        const double over = g->earliest[axis][i] - g->latest[axis][i];
        if (over <= fmax(*lack, rounding_um))
            continue;
        *lack = over;
        worst = i;
    }
    return worst;
}

/* The neighbour on the longest path through a box, before it or after it; n at the path's end. */
static uint32_t next_on_path(const sc_legal_graph *g, int axis, uint32_t b, bool after)
{
    const uint32_t *order = g->order[axis], n = g->n, at = g->rank[axis][b];
    const double *place = after ? g->latest[axis] : g->earliest[axis];
    const uint32_t from = after ? at + 1 : 0, to = after ? n : at;

    for (uint32_t k = from; k < to; k++) {
        const uint32_t other = order[k];
        if (sc_legal_graph_axis(g, b, other) != axis)
            continue;
        const double apart = sc_legal_graph_apart(g, axis, b, other);
        if (fabs(place[b] - (after ? place[other] - apart : place[other] + apart)) < rounding_um)
            return other;
    }
    return n;
}

typedef struct arc {
    uint32_t a, b;
    double spare; /* room along the other axis, um */
} arc;

/* Look at an arc of the path: what room would the pair have along the other axis? */
static void offer(arc *best, const sc_legal_graph *g, const uint8_t *changes, int axis, uint32_t a,
                  uint32_t b)
{
    const int other = !axis;
    const bool forth = g->rank[other][a] < g->rank[other][b];
    const uint32_t first = forth ? a : b, last = forth ? b : a;
    const uint8_t n = changes[(size_t)(a < b ? a : b) * g->n + (a < b ? b : a)];

    if (n >= CHANGES_OF_A_PAIR)
        return;
    const double spare =
        g->latest[other][last] - g->earliest[other][first] - sc_legal_graph_apart(g, other, a, b);
    if (spare > best->spare)
        *best = (arc){a, b, spare};
}

/* Turn the arc of the longest path that has most room along the other axis. @return false if none
 * may be turned any more. */
static bool turn_one(sc_legal_graph *g, uint8_t *changes, int axis, uint32_t worst)
{
    arc best = {.spare = -(double)INFINITY};
    for (int after = 0; after < 2; after++) {
        uint32_t b = worst;
        for (;;) {
            const uint32_t next = next_on_path(g, axis, b, after == 1);
            if (next == g->n)
                break;
            offer(&best, g, changes, axis, b, next);
            b = next;
        }
    }
    if (!isfinite(best.spare))
        return false;
    sc_legal_graph_choose(g, best.a, best.b, !axis);
    changes[(size_t)(best.a < best.b ? best.a : best.b) * g->n +
            (best.a < best.b ? best.b : best.a)]++;
    return true;
}

static bool repair(sc_legal_graph *g, uint8_t *changes)
{
    const uint64_t steps = (uint64_t)(most_steps / (2.0 * g->n * g->n + 1));
    choose_all(g);
    for (uint64_t step = 0; step < steps; step++) {
        double lack = 0;
        sc_legal_graph_solve(g, 0);
        sc_legal_graph_solve(g, 1);
        const uint32_t along_x = worst_box(g, 0, &lack), along_y = worst_box(g, 1, &lack);
        if (along_x == g->n && along_y == g->n)
            return true;
        const int axis = along_y < g->n;
        if (!turn_one(g, changes, axis, axis ? along_y : along_x))
            return false;
    }
    return false;
}

sc_status sc_legal_repair(sc_legalising *l, bool *done)
{
    sc_legal_graph g;
    sc_status st = sc_legal_graph_create(&g, l, l->want);

    *done = false;
    if (st != SC_OK)
        return st;
    uint8_t *changes = sc_calloc((size_t)g.n * g.n + 1, 1);
    double *place = sc_calloc(g.n + 1, sizeof *place);
    if (changes == NULL || place == NULL)
        st = SC_ENOMEM;
    else
        *done = repair(&g, changes);
    for (int axis = 0; axis < 2 && *done; axis++) {
        memcpy(place, g.want[axis], g.n * sizeof *place);
        sc_legal_graph_put(&g, axis, place, l);
    }
    if (*done) {
        sc_legal_put_all(l);
        *done = sc_legal_holds(l);
    }
    sc_free(place);
    sc_free(changes);
    sc_legal_graph_clear(&g);
    return st;
}
