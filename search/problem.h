#ifndef SEARCH_PROBLEM_H
#define SEARCH_PROBLEM_H
/**
 * What an optimiser sees of a search: how many parameters, how many values each, which of them are
 * ordered, two callbacks, and the results of trials. No names, units or expressions: those are in
 * search/space.h, which fills a problem in.
 *
 * A point is one index a parameter, uint32_t index[n_params], index[i] < cardinality[i].
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "scantle/error.h"

enum {
    SC_MAX_PARAMS = 256,     /* of one space */
    SC_MAX_OBJECTIVES = 16,  /* of one problem */
    SC_MAX_VALUES = 1 << 20, /* of one ordered parameter */
    SC_MAX_LABELS = 1024     /* of one categorical parameter */
};

/**
 * A problem: plain data, copied by whoever keeps it; context is borrowed and must outlive them.
 * Both callbacks are pure functions of their arguments, safe from many threads, and allocate
 * nothing.
 */
typedef struct sc_problem {
    size_t n_params;             /* 1 .. SC_MAX_PARAMS */
    const uint32_t *cardinality; /* [n_params], each 1 .. SC_MAX_VALUES */
    const bool *categorical;     /* [n_params]; true: the order of the indices means nothing */
    size_t n_objectives;         /* 1 .. SC_MAX_OBJECTIVES, all minimised */
    const void *context;         /* first argument of the callbacks */
    /** Put every inactive parameter of index ([n_params], in place) at its resting index, so that
     *  points that mean the same are equal; idempotent. active ([n_params], NULL = not wanted):
     *  whether each counts. NULL: every parameter is always active. */
    void (*canonical)(const void *context, uint32_t *index, bool *active);
    /** Whether a canonical point keeps the constraints that are known before any evaluation.
     *  NULL: every point does. */
    bool (*valid)(const void *context, const uint32_t *index);
} sc_problem;

/** NULL if p is well formed, else what is wrong with it. */
const char *sc_problem_check(const sc_problem *p);

/** How a trial ended. */
typedef enum sc_trial_state {
    SC_TRIAL_FEASIBLE,   /* objectives are known */
    SC_TRIAL_INFEASIBLE, /* misses a constraint, by a known amount */
    SC_TRIAL_FAILED      /* the evaluator crashed or gave no result; ranks behind everything */
} sc_trial_state;

const char *sc_trial_state_name(sc_trial_state s); /* "feasible", "infeasible", "failed" */

/** One finished trial. Pointers are borrowed for the call only. */
typedef struct sc_trial {
    const uint32_t *point; /* [n_params]; need not be canonical, need not have been asked for */
    sc_trial_state state;
    double violation;         /* infeasible: > 0 and finite, the sum of the normalised misses */
    const double *objectives; /* [n_objectives], finite; feasible only, else ignored (NULL) */
} sc_trial;
#endif
