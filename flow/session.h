#ifndef FLOW_SESSION_H
#define FLOW_SESSION_H
/**
 * A study being worked on: its rows in the database, its optimiser, and the points that were
 * proposed and not told yet. Opened from the last checkpoint, so that run, ask and tell go on where
 * any of them stopped. The optimiser is always asked for whole batches: a budget that ends inside
 * one leaves the rest pending, and a larger budget later gives the same trials as if it had been
 * there from the start.
 */
#include "flow/study.h"

typedef struct sc_pending {
    uint64_t index;  /* of the trial */
    uint32_t *point; /* [params] */
} sc_pending;

typedef struct sc_session {
    sc_study *s;
    sc_store *store; /* borrowed */
    sc_store_writer *writer;
    sc_problem problem;
    sc_optimizer *optimizer;
    uint64_t next_index; /* of the next proposed trial */
    uint64_t warm_given; /* warm-start points proposed so far */
    double best;         /* first objective of the best feasible trial, in its own sense; NaN */
    uint64_t best_told;  /* trials told when it was found */
    bool exhausted;
    size_t n_pending, capacity;
    sc_pending *pending; /* ascending index */
    uint32_t *points;    /* [capacity][params] scratch of a proposal */
} sc_session;

/** Open the study in the store, finding its baseline and its checkpoint. */
sc_status sc_session_open(sc_session **out, sc_study *s, sc_store *store) SC_MUST_USE;
void sc_session_close(sc_session *x); /* NULL is fine */

/** Propose up to n more points (warm start first); they join the pending ones. *got may be 0 with
 *  x->exhausted set. */
sc_status sc_session_propose(sc_session *x, size_t n, size_t *got) SC_MUST_USE;

/** One finished trial: put into the store and told to the optimiser, inside the store's batch. */
typedef struct sc_finished {
    size_t pending; /* position in x->pending */
    sc_store_state state;
    double violation;
    const double *values; /* [n_values] */
    const char *reasons;  /* JSON array or "" */
    const char *evaluator;
} sc_finished;

/** Record n finished trials, ascending positions, and the checkpoint after them: call between
 *  sc_store_begin and sc_store_commit. They leave the pending list. */
sc_status sc_session_finish(sc_session *x, const sc_finished *done, size_t n) SC_MUST_USE;

/** Write the checkpoint alone, in the store's batch (after a proposal that nothing was told for).
 */
sc_status sc_session_checkpoint(sc_session *x) SC_MUST_USE;
#endif
