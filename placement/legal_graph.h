#ifndef PLACEMENT_LEGAL_GRAPH_H
#define PLACEMENT_LEGAL_GRAPH_H
/** Which boxes are apart along which axis, as two graphs of least distances between centres. An arc
 *  of an axis goes from the box whose centre comes first along it, so there are no cycles. */
#include "placement/legal_state.h"

typedef struct sc_legal_graph {
    uint32_t n, n_movable; /* boxes: movable hard macros, then fixed ones and blockages */
    double *half[2], *want[2], *low[2], *high[2]; /* [n] um; low = high of what stands */
    uint32_t *order[2];                           /* [n] boxes along each axis */
    uint32_t *rank[2];                            /* [n] place in that order */
    uint8_t *axis;                   /* [n][n] axis that a pair is apart along; 2: both stand */
    double *earliest[2], *latest[2]; /* [n] first and last places of a centre that the arcs leave */
    void *memory, *memory_u32;
} sc_legal_graph;

/** Boxes with centres at `at` [n_blocks] as the order; no axis is chosen yet. @return SC_OK;
 *  SC_ENOMEM. */
sc_status sc_legal_graph_create(sc_legal_graph *g, const sc_legalising *l,
                                const sc_spot *at) SC_MUST_USE;
void sc_legal_graph_clear(sc_legal_graph *g);

/** Least distance of the centres of two boxes that are apart along an axis. */
static inline double sc_legal_graph_apart(const sc_legal_graph *g, int axis, uint32_t a, uint32_t b)
{
    return g->half[axis][a] + g->half[axis][b];
}

static inline void sc_legal_graph_choose(sc_legal_graph *g, uint32_t a, uint32_t b, int axis)
{
    g->axis[(size_t)a * g->n + b] = g->axis[(size_t)b * g->n + a] = (uint8_t)axis;
}

static inline int sc_legal_graph_axis(const sc_legal_graph *g, uint32_t a, uint32_t b)
{
    return g->axis[(size_t)a * g->n + b];
}

/** Longest paths along one axis, from both ends. Cost: O(n^2). */
void sc_legal_graph_solve(sc_legal_graph *g, int axis);
/** Put movable macros at `place` [n], or as near above as the arcs allow, and into l->spot. The
 *  graph must be solved and have room for all. */
void sc_legal_graph_put(const sc_legal_graph *g, int axis, double *place, sc_legalising *l);
#endif
