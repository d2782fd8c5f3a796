#ifndef MODEL_NET_EXPLAIN_H
#define MODEL_NET_EXPLAIN_H
#include <jansson.h>
#include <stdbool.h>

#include "scantle/explain.h"

/**
 * What sc_explain() says but the steps, of one evaluation.
 * @param[out] out    an object, the caller's.
 * @param[out] index  of the op that `op` names; SIZE_MAX for NULL.
 * @return SC_OK; SC_ENOTFOUND (with a suggestion); SC_ENOMEM.
 */
sc_status sc_explain_evaluation(json_t **out, size_t *index, const sc_evaluation *e,
                                const char *op) SC_MUST_USE;

/** Why it is infeasible, as in `evaluate --json`. */
json_t *sc_reasons_json(const sc_evaluation *e, bool *ok);
#endif
