#ifndef MODEL_NET_ANCHOR_H
#define MODEL_NET_ANCHOR_H
/**
 * Published figures of real chips beside what the model says of them: a list in YAML
 * (configs/validation/silicon.yaml; form: docs/formats/anchors.md), and the measuring of one row.
 */
#include <stdbool.h>
#include <stddef.h>

#include "scantle/evaluate.h"

typedef enum sc_anchor_metric {
    SC_ANCHOR_AREA,       /* mm2 */
    SC_ANCHOR_AREA_SHARE, /* of the parts named, % of the area */
    SC_ANCHOR_TDP,        /* W */
    SC_ANCHOR_THROUGHPUT, /* samples a second */
    SC_ANCHOR_POWER,      /* average, W */
    SC_ANCHOR_DRAM,       /* MB of one batch at the outermost level */
    SC_ANCHOR_METRICS
} sc_anchor_metric;

/** One row. Texts are borrowed from the list. */
typedef struct sc_anchor {
    const char *name;
    const char *design;   /* what sc_design_open() takes */
    const char *workload; /* NULL for metrics of the design alone */
    sc_anchor_metric metric;
    bool macs_alone; /* of the workload only the ops that multiply-accumulate */
    const char
        *without;      /* of a power: a level it leaves out, its share of the clock too; or NULL */
    const char *parts; /* of an area share: names of items with + between them; else NULL */
    double published;
    double aim; /* error to stay within, % (or points, for a share); 0: none, only reported */
    bool tuned; /* constants of the model were fitted to this row; else it was held out */
    const char *unit, *source;
} sc_anchor;

typedef struct sc_anchors sc_anchors;

/** Read a list. @return SC_OK; SC_ENOTFOUND; SC_EPARSE with every error as file:line:column;
 * SC_EIO; SC_ENOMEM. */
sc_status sc_anchors_open(sc_anchors **out, const char *path) SC_MUST_USE;
void sc_anchors_close(sc_anchors *l); /* NULL is fine */
size_t sc_anchors_count(const sc_anchors *l);
const sc_anchor *sc_anchors_get(const sc_anchors *l, size_t i); /* NULL past the end */

/**
 * What the model says, in the unit of the metric. Cost: one evaluation, for rows with a workload.
 * @return SC_OK; SC_EINVAL for a part the design has not, or a design that cannot run the workload;
 *         the statuses of sc_design_open, sc_workload_open, sc_evaluate. Threads: safe.
 */
sc_status sc_anchor_measure(double *modelled, const sc_anchor *a,
                            const sc_evaluate_options *o) SC_MUST_USE;

/** Error of a modelled figure: % of the published one; points for a share, which is in %. */
double sc_anchor_error(const sc_anchor *a, double modelled);
#endif
