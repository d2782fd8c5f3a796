#ifndef WORKLOADS_BUILTIN_H
#define WORKLOADS_BUILTIN_H
/** The list of built-in networks and the options behind a colon. */
#include "workloads/net.h"

/** Options that every network takes, files too; 0 = not given. */
typedef struct sc_common_options {
    uint64_t batch;
    bool has_batch; /* batch=0 is given, and refused with the name of a tensor */
    uint32_t bits;
} sc_common_options;

/** i-th built-in, NULL past the end. */
const sc_generator *sc_builtin(size_t i);
/** Built-in whose name is the first n bytes of text; NULL if there is none. */
const sc_generator *sc_builtin_find(const char *text, size_t n);

/**
 * Read "key=value,flag,..." (empty: nothing given).
 * @param g      whose own options are allowed too, in order; NULL for a file.
 * @param value  [g->n_options], filled with values given or fallbacks; NULL for a file.
 * @return SC_OK; SC_EINVAL naming the option, with a suggestion, or the conflict; SC_ENOMEM.
 */
sc_status sc_options_read(sc_common_options *common, uint64_t *value, const char *text,
                          const sc_generator *g) SC_MUST_USE;
#endif
