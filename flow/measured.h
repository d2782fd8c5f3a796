#ifndef FLOW_MEASURED_H
#define FLOW_MEASURED_H
/** Measured runs of tiled layers, from tables. */
#include "core/hash.h"
#include "model/count/tiled_run.h"

typedef struct sc_measured {
    size_t n, capacity;
    sc_tiled_work *work;  /* [n] */
    double *cycles;       /* [n], measured, above 0 */
    char **group;         /* [n] */
    uint32_t *fold;       /* [n], once dealt */
    size_t n_groups;      /* once dealt */
    sc_hash128 data_hash; /* over the bytes of the tables in order */
} sc_measured;

/** Read tables, one after the other. Columns, each alone or after "prob.": K, C, P, Q, R, S;
 * Wstride and Hstride, or stride, of 1 if absent; mapping, alone or as "mapping.mapping"; with the
 * plain driver array, alone or as "arch.meshX"; target and group as named.
 *  @return SC_OK; SC_EPARSE with every wrong row (the first 20) as file:line:column; SC_EINVAL,
 *          SC_ENOTFOUND, SC_EIO, SC_ENOMEM. */
sc_status sc_measured_read(sc_measured *out, const char *const *paths, size_t n_paths,
                           const char *target, const char *group,
                           sc_tiled_driver driver) SC_MUST_USE;
/** Deal groups, sorted by name, to folds in turn. @return SC_OK; SC_EINVAL for fewer groups than
 *  folds or fewer than 2 folds; SC_ENOMEM. */
sc_status sc_measured_deal(sc_measured *m, uint32_t folds) SC_MUST_USE;
void sc_measured_clear(sc_measured *m);
#endif
