#ifndef MODEL_NET_FUSION_LABEL_H
#define MODEL_NET_FUSION_LABEL_H
/** Exact search of a span by labels: partial paths with cycles, pinned bytes and peak, of which
 *  those are dropped that another one at the same node dominates or whose bound is no better than
 *  the best choice known. */
#include "model/net/fusion_path.h"

typedef struct sc_fusion_labels sc_fusion_labels;

sc_status sc_fusion_labels_create(sc_fusion_labels **out, const sc_fusion_graph *g) SC_MUST_USE;
void sc_fusion_labels_destroy(sc_fusion_labels *l); /* NULL is fine */

typedef struct sc_fusion_label_options {
    double slack;     /* cycles by which one that dominates may be worse */
    double tolerance; /* paths that are not better than the best by more than this are dropped */
    bool from_last;   /* go from the last layer to the first: s->rest leads to the first */
    int width;        /* labels a node keeps; what is dropped for that counts in the bound */
    uint64_t work;    /* stop past so many labels and comparisons */
} sc_fusion_label_options;

/**
 * Search a span. s->ahead, s->behind and s->rest must be those of (span->to, span->price). A better
 * path is put into s->best.
 * @param[out] bound  no path of the span is shorter than the least of this and
 *                    s->best.cycles - tolerance - n_layers * slack.
 */
sc_status sc_fusion_labels_run(double *bound, sc_fusion_labels *l, sc_fusion_paths *s,
                               const sc_fusion_span *span,
                               const sc_fusion_label_options *o) SC_MUST_USE;
#endif
