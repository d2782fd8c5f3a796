#ifndef SURROGATE_ENSEMBLE_H
#define SURROGATE_ENSEMBLE_H
/**
 * Several networks learned from one log, each without the part that then judges it: a forecast with
 * its intervals, the chance of being feasible, and what is new about a row. Page:
 * docs/algorithms/doubt.md.
 */
#include "surrogate/fit.h"

enum {
    SC_ENSEMBLE_MEMBERS = 64,
    SC_DOUBT_SPREAD = 16 /* beside SC_NEW_*: members differ more than over 99 % of the rows learned
                            from */
};

typedef struct sc_ensemble_options {
    sc_fit_options fit;
    sc_base_options base;
    uint32_t members; /* networks */
    uint32_t folds;   /* parts of the log; member m is learned without part m modulo folds */
    uint32_t target;
    bool logarithm, maximise;
    int threads; /* 0: as OpenMP has it; the result is the same for any number */
} sc_ensemble_options;
#define SC_ENSEMBLE_OPTIONS_INIT                                                                   \
    {                                                                                              \
        .fit = SC_FIT_OPTIONS_INIT, .members = 5, .folds = 5                                       \
    }

/** What the parts held out say; NaN where a figure is not defined. */
typedef struct sc_ensemble_report {
    size_t rows, learned, infeasible, without_target; /* rows, and what they were */
    size_t folds;                                     /* not empty */
    bool by_groups;                                   /* whether whole groups were held out */
    double tau, spearman;      /* of feasible rows, each by members that did not see it */
    double tau_within;         /* mean of tau inside each group of five rows or more */
    double mape, median_error; /* relative, of the target */
    double auc;                /* of the logit */
    uint32_t epochs;           /* of the longest member */
    size_t weights, bytes;     /* of one member; of all memory while learning */
} sc_ensemble_report;

typedef struct sc_forecast {
    double value;                        /* of the target */
    double low50, high50, low90, high90; /* of the target: intervals that hold 50 and 90 % */
    double score;                        /* deviations of the target, higher is better */
    double spread;                       /* of the members, same unit */
    double feasible;                     /* probability */
    uint64_t flags;                      /* SC_NEW_*, SC_DOUBT_SPREAD */
} sc_forecast;

typedef struct sc_ensemble sc_ensemble;

/**
 * Learn from n rows of a data set: those that are feasible and have a target for the score, all for
 * feasibility. Whole groups are held out if there are two or more, rows at random otherwise.
 * @return SC_OK; SC_EINVAL for options out of range, fewer than three rows with a target, a target
 *         that is always equal, features that are; SC_ENOMEM. Cost: epochs * rows * weights * 6
 *         flops a member. Threads: one member each, bitwise equal for any number.
 */
sc_status sc_ensemble_learn(sc_ensemble **out, sc_ensemble_report *report, const sc_dataset *d,
                            const uint32_t *row, size_t n,
                            const sc_ensemble_options *o) SC_MUST_USE;
void sc_ensemble_destroy(sc_ensemble *e); /* NULL is fine */

/**
 * Forecast n rows of a data set with the same features. out: [n].
 * @return SC_OK; SC_EINVAL naming the feature that is not there or of another kind; SC_ENOMEM.
 * Memory: one batch of 256 rows a thread. Determinism: bitwise for any number of threads.
 */
sc_status sc_ensemble_predict(sc_forecast *out, const sc_ensemble *e, const sc_dataset *d,
                              const uint32_t *row, size_t n, int threads) SC_MUST_USE;
const sc_encoder *sc_ensemble_encoder(const sc_ensemble *e);
const char *sc_ensemble_target(const sc_ensemble *e); /* name of its column; borrowed */
bool sc_ensemble_maximises(const sc_ensemble *e);     /* more of the target is better */
/** The lowest probability from which on 99 % of the rows held out were feasible; 0 if all rows are.
 */
double sc_ensemble_sure(const sc_ensemble *e);
bool sc_ensemble_has_feasibility(const sc_ensemble *e); /* something infeasible was learned from */

/** Write to a file, all or nothing: version, scales, network, weights, checksum. @return SC_OK;
 *  SC_EIO; SC_ENOMEM. */
sc_status sc_ensemble_save(const sc_ensemble *e, const char *path) SC_MUST_USE;
/** Read back, equal to the last bit. @return SC_OK; SC_ENOTFOUND; SC_EIO; SC_EPARSE naming the file
 *  if it is none, of another version or damaged; SC_ENOMEM. */
sc_status sc_ensemble_open(sc_ensemble **out, const char *path) SC_MUST_USE;
#endif
