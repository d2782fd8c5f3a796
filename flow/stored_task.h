#ifndef FLOW_STORED_TASK_H
#define FLOW_STORED_TASK_H
/** One design on one network, and its result as the store keeps it. */
#include "flow/evaluator.h"
#include "model/net/network.h"

typedef struct sc_task {
    size_t row, network;
    uint64_t batch, map_budget, map_nodes;
    sc_rules rules;
    sc_hash128 design, workload;
    sc_arch arch;
    sc_budget budget;
    sc_status status; /* of the model, when it was asked */
    bool known;       /* from the store */
    bool computed;    /* by the model, in this run */
    bool feasible;
    double violation;
    sc_metrics metrics;
    char reasons[SC_REASONS_LEN];
} sc_task;

/** Fill the task from the store, if it has the result: t->known says so. @return SC_OK; SC_ESTORE.
 */
sc_status sc_task_look_up(sc_task *t, sc_store *store) SC_MUST_USE;

/** Put a computed result, inside a batch. */
sc_status sc_task_put(sc_task *t, sc_store *store) SC_MUST_USE;
#endif
