#ifndef MODEL_NET_FUSION_PATH_H
#define MODEL_NET_FUSION_PATH_H
/** Shortest paths in the graph of a fusion problem, at a price of pinned bytes. */
#include "model/net/fusion_graph.h"

/** Paths whose steps use at most `to` bytes, so that at least `from` of the capacity are taken from
 *  the weights: every choice has its peak in one such span. */
typedef struct sc_fusion_span {
    double from, to; /* bytes, from <= to */
    double price;    /* cycles a pinned byte; the best known for this span */
    double bound;    /* no choice with its peak in the span takes fewer cycles */
} sc_fusion_span;

/** Bounds of the rest of a path, which depend on how much of the budget is left: each amount has
 * its own best price, and of large weights only some sums fit into it. */
enum { SC_FUSION_PRICES = 8, SC_FUSION_LEVELS = 128 };

/** One path and what it comes to. */
typedef struct sc_fusion_path {
    double cycles, weight, peak;
    uint32_t *arc; /* [n_layers] */
} sc_fusion_path;

typedef struct sc_fusion_paths {
    const sc_fusion_graph *g;
    double capacity;
    double *ahead;     /* [n_nodes] priced cycles from the first layer */
    double *behind;    /* [n_nodes] to the last */
    uint32_t *through; /* [n_nodes] arc by which the best path arrives */
    double price[SC_FUSION_PRICES];
    int n_levels;
    double level[SC_FUSION_LEVELS]; /* ascending: less than so many bytes of the budget are left */
    double (
        *rest)[SC_FUSION_PRICES]; /* [n_levels][n_nodes] priced cycles of the way that is left */
    size_t rest_room;             /* levels there is memory for */
    sc_fusion_path now, best;
    uint64_t work; /* arcs looked at */
} sc_fusion_paths;

sc_status sc_fusion_paths_init(sc_fusion_paths *s, const sc_fusion_graph *g,
                               double capacity) SC_MUST_USE;
void sc_fusion_paths_clear(sc_fusion_paths *s);

/** Best path with priced pinned bytes into s->now, and, if it fits and is the best yet, into
 *  s->best. @return its priced cycles; INFINITY if no path has so little use. Cost: O(arcs). */
double sc_fusion_forward(sc_fusion_paths *s, double most_use, double price);

/** s->behind for the same graph. */
void sc_fusion_backward(sc_fusion_paths *s, double most_use, double price);

/**
 * s->rest from each node to the last layer, or, with `to_first`, to the first one; at prices around
 * that of the span, with at most so many levels. Levels are the sums that the largest weights can
 * make, as many as there are levels for, and then single weights: what is left decides which of
 * them can still be pinned, and each one that is pins it down to a lower level.
 * @return SC_OK; SC_ENOMEM. Cost: O(arcs * prices * levels).
 */
sc_status sc_fusion_rest(sc_fusion_paths *s, const sc_fusion_span *span, bool to_first,
                         int levels) SC_MUST_USE;

/** No way on from a node takes fewer cycles when so many bytes of the capacity are taken. */
double sc_fusion_rest_bound(const sc_fusion_paths *s, uint32_t node, double taken);

/**
 * Tighten span->from and ->to to uses that occur, then raise span->bound by the best price: the
 * maximum over prices of (priced cycles - price * (capacity - from)), found by secants of the
 * concave function. Starts at span->price (0: from scratch).
 * @param enough  stop once the bound is at least this.
 * @param exact   stop once no price can add more than this.
 */
void sc_fusion_span_bound(sc_fusion_span *span, sc_fusion_paths *s, double enough, double exact);
#endif
