#ifndef SCANTLE_SURROGATE_H
#define SCANTLE_SURROGATE_H
/**
 * @file scantle/surrogate.h
 * @brief The offline surrogate: learn from a log of designs, infeasible ones included; forecast
 * others with intervals; propose the best of many without a simulation.
 *
 * Reference: Kumar et al., Data-driven offline optimization for architecting hardware accelerators
 * (PRIME), ICLR 2022, arXiv:2110.11346. Pages: docs/algorithms/training.md, losses.md, doubt.md.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "scantle/error.h"
#ifdef __cplusplus
extern "C" {
#endif

typedef struct sc_surrogate sc_surrogate; /**< immutable; shared by threads */

/** A list of names, borrowed. */
typedef struct sc_surrogate_names {
    const char *const *name; /**< [n] */
    size_t n;
} sc_surrogate_names;

/** Which column of a table is what; names are borrowed. */
typedef struct sc_surrogate_columns {
    const char *target;             /**< learned */
    const char *feasible;           /**< NULL: every row is */
    const char *group;              /**< what is held out together; NULL: rows at random */
    sc_surrogate_names categorical; /**< texts or numbers without an order */
    sc_surrogate_names logarithm;   /**< positive numbers whose ratios matter */
    sc_surrogate_names ignore;      /**< not learned from: names, other results */
} sc_surrogate_columns;

/** Whether the logarithm of the target is learned. */
typedef enum sc_surrogate_scale {
    SC_SCALE_AUTO, /**< if it is positive and spans a factor of ten or more */
    SC_SCALE_LINEAR,
    SC_SCALE_LOG
} sc_surrogate_scale;

typedef struct sc_surrogate_options {
    uint32_t version;
    bool maximise; /**< more of the target is better */
    sc_surrogate_scale scale;
    uint32_t members; /**< networks, 1 to 64 */
    uint32_t epochs;  /**< passes over the log; 0: as many as the method takes */
    uint64_t seed;
    int threads; /**< 0: as OpenMP has it; the result is the same for any number */
} sc_surrogate_options;
#define SC_SURROGATE_OPTIONS_VERSION 1
#define SC_SURROGATE_OPTIONS_INIT                                                                  \
    {                                                                                              \
        SC_SURROGATE_OPTIONS_VERSION, false, SC_SCALE_AUTO, 5, 0, 1, 0                             \
    }
/** NULL if the options can be used, else why not. */
SC_API const char *sc_surrogate_options_check(const sc_surrogate_options *options);

/**
 * Learn from a table: CSV with a heading or JSON, gzip too (docs/formats/surrogate.md). Kinds of
 * columns that are not named are seen from their cells.
 * @param[out] report  as JSON: rows, columns and their kinds, what the parts held out say
 *                     (Kendall's tau, Spearman, relative errors, AUC), memory. Free with
 *                     sc_release().
 * @return SC_OK; SC_EPARSE with file, line and column; SC_EINVAL for a column that is not there, no
 *         feature, fewer than three rows with a target, a target or features that are constant;
 *         SC_ERANGE past 2 GiB of rows, with how many fit; SC_ENOTFOUND; SC_EIO; SC_ENOMEM; *out
 *         untouched on failure. Cost: epochs * rows * weights * 6 flops a member. Threads: one
 *         member each. Determinism: bitwise by seed, for any number of threads.
 */
SC_API sc_status sc_surrogate_learn_table(sc_surrogate **out, char **report, const char *path,
                                          const sc_surrogate_columns *columns,
                                          const sc_surrogate_options *options) SC_MUST_USE;
SC_API void sc_surrogate_destroy(sc_surrogate *s); /**< NULL is fine */

/** Write to a file, whole or not at all, with version and checksum. @return SC_OK; the statuses of
 *  sc_file_write(). */
SC_API sc_status sc_surrogate_save(const sc_surrogate *s, const char *path) SC_MUST_USE;
/** Read back, equal to the last bit. @return SC_OK; SC_ENOTFOUND; SC_EIO; SC_EPARSE naming the file
 *  if it is none, of another version or damaged; SC_ENOMEM. */
SC_API sc_status sc_surrogate_open(sc_surrogate **out, const char *path) SC_MUST_USE;

/**
 * Forecast every row of a table that has the features, in any order; its target, flag and other
 * columns are not read. Out: CSV with `prediction,lower,upper`, `p_feasible` if the log had
 * infeasible rows, and `note`, which says what about the row is new (`value`, `label`, `missing`,
 * `constant`, `spread`, separated by blanks); a line a row, in their order. lower to upper: 90 %.
 * @param[out] n  bytes. @param[out] out  free with sc_release().
 * @return SC_OK; SC_EPARSE with file, line and column, also for a feature that is not there;
 *         SC_ENOTFOUND; SC_EIO; SC_ENOMEM. Cost: O(rows * weights * members). Memory: the text,
 *         about 60 bytes a row, and 65536 rows. Determinism: bitwise for any number of threads.
 */
SC_API sc_status sc_surrogate_predict_table(char **out, size_t *n, const sc_surrogate *s,
                                            const char *path, int threads) SC_MUST_USE;

/** A bound on a column of the candidates. */
typedef struct sc_surrogate_limit {
    const char *column;
    double least, most;
} sc_surrogate_limit;

typedef struct sc_propose_options {
    uint32_t version;
    size_t top;                       /**< so many proposals, 1 to 1000000 */
    double feasible;                  /**< those that are feasible with at least this probability
                                           come first; 0: the larger of 0.5 and that from which on
                                           99 % of the rows held out were */
    double caution;                   /**< deviations between members taken off a score, 0 to 100 */
    uint32_t differ;                  /**< any two proposals differ in so many features; 0, 1: in
                                           one */
    const sc_surrogate_limit *limits; /**< [n_limits] borrowed */
    size_t n_limits;
    int threads;
} sc_propose_options;
#define SC_PROPOSE_OPTIONS_VERSION 1
#define SC_PROPOSE_OPTIONS_INIT                                                                    \
    {                                                                                              \
        SC_PROPOSE_OPTIONS_VERSION, 10, 0.0, 0.0, 0, NULL, 0, 0                                    \
    }
/** NULL if the options can be used, else why not. */
SC_API const char *sc_propose_options_check(const sc_propose_options *options);

/**
 * The best of a table of candidates: those likely feasible by their cautious score, then the rest
 * by their probability of being feasible; ties by their order. Out: CSV of the candidate's columns
 * and then those of sc_surrogate_predict_table(), best first.
 * @return as sc_surrogate_predict_table(); SC_EINVAL for a limit on a column that is not there.
 *         Cost: two passes over the table. Memory: 24 bytes a candidate, and the text of at most
 *         max(64 top, 8192) of them.
 */
SC_API sc_status sc_surrogate_propose_table(char **out, size_t *n, const sc_surrogate *s,
                                            const char *path,
                                            const sc_propose_options *options) SC_MUST_USE;
#ifdef __cplusplus
}
#endif
#endif
