#ifndef MODEL_NET_FUSION_GRAPH_H
#define MODEL_NET_FUSION_GRAPH_H
/**
 * The layered graph of a fusion problem. A node of layer i is a set of activations that stay in the
 * buffer between step i - 1 and step i; an arc is one way to run a step: what comes from the
 * buffer, what stays behind, whether its weights are pinned. A path from the first layer to the
 * last is a choice; it is feasible if the weight bytes of its arcs and the largest `use` of them
 * together fit the capacity.
 */
#include "model/net/fusion.h"

typedef struct sc_fusion_arc {
    uint32_t from, to;
    double cycles;
    double use;    /* bytes of working blocks and activations at the step */
    double weight; /* bytes pinned */
} sc_fusion_arc;

typedef struct sc_fusion_graph {
    size_t n_layers; /* steps */
    size_t n_nodes, n_arcs;
    size_t *first_node; /* [n_layers + 2]: nodes before step i are first_node[i] .. [i + 1] - 1 */
    size_t *first_arc;  /* [n_layers + 1] */
    sc_fusion_arc *arc; /* [n_arcs], by layer, then by node */
    uint64_t *taken;    /* [n_arcs] bit 0 pinned, 1 unwritten, 2 + j the step's j-th read from the
                           buffer */
    bool narrowed;      /* more is live at once than the graph follows */
    size_t node_room, arc_room;
} sc_fusion_graph;

/** What becomes of activations where the states of a layer pass the limit: those that stay longest
 *  never stay (a choice, maybe not the best), or serve everybody and take no room (a bound). */
typedef enum sc_fusion_spill { SC_FUSION_SPILL_OUT, SC_FUSION_SPILL_FREE } sc_fusion_spill;

/**
 * Build. Of arcs between the same two nodes those are left out that are no better than another,
 * within `slack` cycles.
 * @param p  passes sc_fusion_check; not kept.
 * @return SC_OK; SC_ENOMEM. Cost: O(arcs).
 */
sc_status sc_fusion_graph_create(sc_fusion_graph **out, const sc_fusion_problem *p, double slack,
                                 sc_fusion_spill spill) SC_MUST_USE;
void sc_fusion_graph_destroy(sc_fusion_graph *g); /* NULL is fine */

/** The choice of a path. @param path  [n_layers] arcs. @param[out] c  arrays of p's sizes. */
void sc_fusion_graph_choice(sc_fusion_choice *c, const sc_fusion_graph *g,
                            const sc_fusion_problem *p, const uint32_t *path);

/** What can at most be saved at a step, cycles. */
double sc_fusion_potential(const sc_fusion_problem *p, size_t step);

/** Decisions of the problem as an integer program: weights to pin, reads that an earlier use can
 *  serve, writes that can be spared. */
sc_status sc_fusion_binaries(size_t *out, const sc_fusion_problem *p) SC_MUST_USE;
#endif
