#ifndef MODEL_NET_FUSION_FILL_H
#define MODEL_NET_FUSION_FILL_H
/** Which weights to pin where the activations are given: a knapsack. */
#include "model/net/fusion_path.h"

typedef struct sc_fusion_fill sc_fusion_fill;

sc_status sc_fusion_fill_create(sc_fusion_fill **out, const sc_fusion_graph *g) SC_MUST_USE;
void sc_fusion_fill_destroy(sc_fusion_fill *f); /* NULL is fine */

/**
 * Keep the nodes of a path and choose between its parallel arcs anew; a better path is put into
 * s->best. Branch and bound for the knapsack after Horowitz and Sahni, J. ACM 21(2) 1974,
 * doi:10.1145/321812.321823, cut short after `nodes` steps.
 * @param path  [n_layers] arcs; may be s->now.arc or s->best.arc.
 */
void sc_fusion_fill_run(sc_fusion_fill *f, sc_fusion_paths *s, const uint32_t *path,
                        uint64_t nodes);
#endif
