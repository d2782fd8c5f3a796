#ifndef FLOW_EVALUATOR_H
#define FLOW_EVALUATOR_H
/**
 * From points of a study's space to rows of its database, a batch at a time: area and TDP first,
 * then what the database already knows, then the model on the rest in parallel. Row i is a pure
 * function of point i: the same for any thread count, batch and cache.
 */
#include "flow/study.h"
#include "model/count/mapping.h"

enum { SC_REASONS_LEN = 768 };

typedef struct sc_row {
    sc_store_state state;
    double violation;
    double *values;               /* [n_values] NaN where not computed */
    char reasons[SC_REASONS_LEN]; /* JSON array */
} sc_row;

typedef struct sc_evaluator sc_evaluator;

/** @param threads  0 = all cores. The study is borrowed. */
sc_status sc_evaluator_create(sc_evaluator **out, const sc_study *s, int threads) SC_MUST_USE;
void sc_evaluator_destroy(sc_evaluator *e); /* NULL is fine */

/** Asked on the calling thread before each of its evaluations; true: start no more of them. */
typedef bool (*sc_evaluator_stop_fn)(void *payload);

typedef struct sc_evaluator_call {
    const uint32_t *points; /* [n][params] canonical */
    size_t n;
    sc_store *store;           /* asked for results by content; NULL: none */
    sc_evaluator_stop_fn stop; /* NULL: never */
    void *payload;             /* of stop */
} sc_evaluator_call;

/**
 * Evaluate the points into rows [n] whose values arrays the caller owns.
 * @param whole  the number of rows, from the first, that are complete: n unless stopped. Rows
 * behind it say nothing.
 * @return SC_OK, stopped or not; SC_ESTORE; SC_ENOMEM; SC_ERANGE. A point on which the model fails
 * is a row of state failed with the message as its reason, not an error.
 */
sc_status sc_evaluator_run(size_t *whole, sc_evaluator *e, const sc_evaluator_call *call,
                           sc_row *rows) SC_MUST_USE;

/** Put the new results of the last run into the store, also those behind its whole rows: inside a
 * batch. */
sc_status sc_evaluator_put_results(sc_evaluator *e, sc_store *store) SC_MUST_USE;

uint64_t sc_evaluator_cached(const sc_evaluator *e); /* results taken from the store so far */

/** Judge values against the study's limits: adds each miss to the row's violation and reasons, and
 *  makes it infeasible. @param of_design  only limits on area and TDP (true), or the others. */
void sc_study_judge(sc_row *row, const sc_study *s, bool of_design);

/** The same for the area that the template itself allows. */
void sc_study_judge_area(sc_row *row, const sc_budget *b);

/** Why an op cannot run, as a JSON array of one reason: `[{"code","where":"OP at
 * LEVEL","excess"}]`. Names may hold anything; a text that does not fit is cut to its code. */
void sc_misfit_reason(char out[SC_REASONS_LEN], const char *op, const char *level,
                      const sc_misfit *m);
/** The same of a network that the main memory cannot hold. */
void sc_memory_reason(char out[SC_REASONS_LEN], const char *level, double over_bytes);
#endif
