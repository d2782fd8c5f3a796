#ifndef FLOW_COMPARE_H
#define FLOW_COMPARE_H
/**
 * Optimisers measured on problems whose true front is known: the share of its hypervolume that is
 * reached, over the evaluations, whatever became of each.
 */
#include "search/optimizer.h"

/** A problem, what an evaluation gives, and its true front. Plain data, borrowed. */
typedef struct sc_known_problem {
    const sc_problem *problem;
    const double *ref; /* [n_objectives] */
    double volume;     /* of the true front below ref; 0: any feasible point is all of it */
    /** Fill in state, violation and f ([n_objectives], of a feasible point). Safe from many
     *  threads. */
    void (*evaluate)(const void *payload, const uint32_t *point, sc_trial *out, double *f);
    const void *payload;
} sc_known_problem;

/** A study's recorded table as a known problem; as points into the rest: not to be copied. */
typedef struct sc_study_known {
    const struct sc_study *s; /* borrowed */
    sc_problem problem;
    double ref[SC_MAX_OBJECTIVES];
    size_t front; /* points on it */
    sc_known_problem as;
} sc_study_known;

/** @return SC_OK; SC_EINVAL without a recorded table or a feasible row; SC_ENOMEM.
 *  Cost: as sc_table_front(). */
sc_status sc_study_know(sc_study_known *k, const struct sc_study *s) SC_MUST_USE;

/** Hypervolume reached so far, as a share of the whole. */
typedef struct sc_share {
    struct sc_archive *archive;
    const double *ref;
    double volume;
    size_t m;
} sc_share;

sc_status sc_share_open(sc_share *s, size_t m, const double *ref, double volume) SC_MUST_USE;
void sc_share_close(sc_share *s);
/** A feasible point. @return SC_OK; SC_EINVAL for a value that is not finite; SC_ENOMEM. */
sc_status sc_share_add(sc_share *s, const double *f) SC_MUST_USE;
/** 0 .. 1. Cost: as sc_hypervolume(). */
sc_status sc_share_now(double *out, const sc_share *s) SC_MUST_USE;

typedef struct sc_compare_call {
    const char *optimizer;
    uint64_t seed;
    size_t batch;          /* points asked for at a time, at least 1 */
    const uint64_t *marks; /* [n] ascending numbers of evaluations */
    size_t n;
} sc_compare_call;

/**
 * Run an optimiser with its defaults up to the last mark.
 * @param[out] share  [n] at each mark; past the last point of a space that is exhausted sooner,
 * what it had then.
 * @param[out] seconds  spent in asking and telling, a suggestion; may be NULL.
 * @return SC_OK; as sc_optimizer_create(), sc_optimizer_ask() and sc_share_now().
 */
sc_status sc_compare_run(double *share, double *seconds, const sc_known_problem *p,
                         const sc_compare_call *call) SC_MUST_USE;

/** Whether an optimiser of that name searches, rather than walk through what it is given. */
bool sc_compare_searches(const char *optimizer);

/** The quantile q of n values, between the two nearest (type 7 of Hyndman and Fan, The American
 *  Statistician 50(4) 1996, doi:10.2307/2684934). Sorts them in place. n is at least 1. */
double sc_compare_quantile(double *values, size_t n, double q);
#endif
