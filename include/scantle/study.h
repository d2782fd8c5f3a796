#ifndef SCANTLE_STUDY_H
#define SCANTLE_STUDY_H
/**
 * @file scantle/study.h
 * @brief Studies: a space, networks, objectives, constraints, an optimiser, a seed and a budget in
 * one YAML file; run, resumed, and served to external evaluators through the database.
 */
#include <stddef.h>
#include <stdint.h>

#include "scantle/design.h"
#include "scantle/rules.h"
#include "scantle/run.h"
#include "scantle/store.h"
#include "scantle/workload.h"
#ifdef __cplusplus
extern "C" {
#endif

typedef struct sc_study sc_study;

/** What the command line may change of a study file. */
typedef struct sc_study_overrides {
    uint32_t version;
    const uint64_t *seed;   /**< NULL = the file's */
    const uint64_t *trials; /**< budget; NULL = the file's. A larger one continues the same study */
    const char *rung;       /**< as if the file had this `rung:`; NULL = as it is */
} sc_study_overrides;
#define SC_STUDY_OVERRIDES_INIT                                                                    \
    {                                                                                              \
        1, 0, 0, 0                                                                                 \
    }

/**
 * Read a study (or sweep) file. Form: docs/formats/study.md. Opens its template, networks and
 * space, and reports every fault of the file in one message.
 * @return SC_OK; SC_EPARSE with file:line:column; SC_ENOTFOUND; SC_EINVAL; SC_EIO; SC_ENOMEM.
 */
SC_API sc_status sc_study_open(sc_study **out, const char *path,
                               const sc_study_overrides *o) SC_MUST_USE;
SC_API void sc_study_close(sc_study *s); /**< NULL is fine */
SC_API const char *sc_study_name(const sc_study *s);
/** Its ID in a database, 32 hexadecimal digits: of everything that may change a trial. */
SC_API void sc_study_id(char out[33], const sc_study *s);
/** The space: parameters, sizes, constraints, as JSON. */
SC_API sc_status sc_study_space_json(char **out, const sc_study *s) SC_MUST_USE;
/** The same of a file: a study's, or a space by itself (docs/formats/space.md), which is told by
 * its `parameters:`. @return SC_OK; as sc_study_open(). */
SC_API sc_status sc_space_file_json(char **out, const char *path) SC_MUST_USE;

typedef struct sc_study_options {
    uint32_t version;
    int threads;             /**< 0 = all cores; trials do not depend on it */
    sc_progress_fn progress; /**< NULL: none; non-zero stops the run: no evaluation begins */
    void *payload;
} sc_study_options;
#define SC_STUDY_OPTIONS_INIT                                                                      \
    {                                                                                              \
        1, 0, 0, 0                                                                                 \
    }

typedef struct sc_study_outcome {
    sc_stop why;
    uint64_t trials, feasible, infeasible, failed; /**< of the whole study */
    uint64_t evaluated; /**< by this run; the rest was in the database already */
    uint64_t cached;    /**< results this run took from the database instead of the model */
    double elapsed_s;   /**< of this run */
} sc_study_outcome;

/**
 * Run, or go on with what the database has. Each batch is one transaction: a trial is either wholly
 * in the database or not at all, and the same seed gives the same rows for any thread count and
 * however often the run was interrupted.
 * @return SC_OK (see outcome->why); SC_EINVAL for a study with an external evaluator; SC_ESTORE;
 * SC_ENOMEM.
 */
SC_API sc_status sc_study_run(sc_study *s, sc_store *store, const sc_study_options *o,
                              sc_study_outcome *outcome) SC_MUST_USE;

/**
 * Run a study once for every rung of the ladder of ablations (sc_rung_at()), or go on with them:
 * same file, seed and budget, each rung a study of its own named `STUDY/RUNG`. Then hold the best
 * trial of each against the file's baseline, under the plain rules of the first rung and under
 * the rung's own.
 * @param      path  the study file; it needs a `template:` and must not have a `rung:`.
 * @param      o     as in sc_study_open(), without a rung; NULL = none.
 * @param      run   of each rung; its progress hook is called by all of them.
 * @param[out] json  `{"study","metric","goal","baseline","rungs":[{"rung","about","rules":{},
 *                   "study","id","stopped_by","trials","feasible","infeasible","failed",
 *                   "evaluated","infeasible_share","elapsed_s","best":{"index","id","value"},
 *                   "baseline_plain","baseline_same","over_plain","over_same","over_previous"}]}`:
 *                   metric is the first objective, and every ratio is above 1 where the trial is
 *                   better. null where there is no feasible trial or no baseline. Rungs that an
 *                   interrupt kept from beginning are not in the list. Free with sc_release().
 * @param[out] why   SC_STOP_INTERRUPT if the hook stopped it, else SC_STOP_BUDGET.
 * @return SC_OK; as sc_study_open() and sc_study_run(); SC_EINVAL if our model is not the evaluator
 *         or the file has a `rung:` already.
 */
SC_API sc_status sc_study_ablate(char **json, sc_stop *why, const char *path,
                                 const sc_study_overrides *o, sc_store *store,
                                 const sc_study_options *run) SC_MUST_USE;

/** Ask for up to n points: `[{"id","params":{...}}]`; free with sc_release(). An empty list: the
 * budget is spent or the space exhausted. Asked points wait in the database until they are told. */
SC_API sc_status sc_study_ask(char **json, sc_study *s, sc_store *store, size_t n) SC_MUST_USE;

/** The points that were asked for and not told, in the order they were asked for, as sc_study_ask()
 * gives them: for an evaluator that goes on after it was interrupted. Asks for nothing new.
 *  @return SC_OK; SC_ESTORE; SC_ENOMEM. Free with sc_release(). */
SC_API sc_status sc_study_waiting(char **json, sc_study *s, sc_store *store) SC_MUST_USE;

/** Tell results: `[{"id","metrics":{...}}]`, `{"id","infeasible":"reason"}` or
 * `{"id","failed":"reason"}`, one object or an array. All or nothing. Telling the same again is
 * fine.
 *  @param told  how many were new; may be NULL.
 *  Metrics that the study has not are left out, with a warning to the log.
 *  @return SC_OK; SC_EPARSE; SC_EINVAL naming the id or metric, also when an id was told otherwise
 *          before; SC_ENOTFOUND for an id never asked; SC_ESTORE. */
SC_API sc_status sc_study_tell(sc_study *s, sc_store *store, const char *json,
                               uint64_t *told) SC_MUST_USE;

/** What to compare on a study of a recorded table (docs/formats/table.md). */
typedef struct sc_compare_options {
    uint32_t version;
    const char *const *optimizers; /**< [n_optimizers] names */
    size_t n_optimizers;           /**< 0 = all built-in ones that search (not grid, not list) */
    uint64_t seeds;                /**< from the study's own on; 0 = 10 */
    const uint64_t *marks;         /**< [n_marks] numbers of evaluations, ascending */
    size_t n_marks;                /**< 0 = 50, 100, 200, 500 */
    int threads;                   /**< 0 = all cores; shares do not depend on it */
} sc_compare_options;
#define SC_COMPARE_OPTIONS_INIT                                                                    \
    {                                                                                              \
        1, 0, 0, 0, 0, 0, 0                                                                        \
    }

/**
 * Run optimisers on the study's recorded table, in memory: which share of the hypervolume of the
 * table's true front each has reached after so many evaluations, invalid ones counted. The
 * reference point is the maximum of each objective over the feasible rows in the study's space.
 * Each runs with its defaults, in batches as the study has them.
 * @param[out] json  `{"study","rows","front","seeds","evaluations":[],"optimizers":[{"optimizer",
 *                   "q1":[],"median":[],"q3":[],"us_per_suggestion"}]}`: quartiles over the seeds
 *                   at each number of evaluations; front: its points. Free with sc_release().
 * @return SC_OK; SC_EINVAL: no recorded table, no feasible row, marks that do not ascend;
 *         SC_ENOTFOUND: an unknown optimiser; SC_ENOMEM.
 */
SC_API sc_status sc_study_compare(char **json, const sc_study *s,
                                  const sc_compare_options *o) SC_MUST_USE;

/** The same share of the study's own trials in a database, at each mark and after the last trial:
 *  `{"study","id","optimizer","front","shares":[{"trials","share"}]}`.
 *  @param n  0: marks as above. @return as sc_study_compare(); SC_ENOTFOUND without a trial;
 *  SC_EINVAL for a study that does not keep all its trials; SC_ESTORE. */
SC_API sc_status sc_study_share(char **json, sc_study *s, sc_store *store, const uint64_t *marks,
                                size_t n) SC_MUST_USE;

/**
 * The kept trials of studies as one table to learn from, CSV: the study, its networks, parameters,
 * figures of the networks' op graphs, `feasible`, values (docs/formats/study_log.md). The studies
 * may differ in networks, space and objectives: a cell that a study has nothing for is empty, and
 * so are the values of an infeasible trial. Failed trials are left out.
 * @param[out] csv    free with sc_release(); untouched on failure.
 * @param      words  [n] as in sc_store_study_find(). Networks that are files are looked for as the
 *                    study's file names them, from the current folder.
 * @return SC_OK; SC_ENOTFOUND; SC_EINVAL: no study, one named twice, studies of different model
 *         versions; as sc_workload_open(); SC_ESTORE; SC_ENOMEM. Cost: O(trials * columns). Memory:
 *         the text. The bytes depend on the trials and the order of the words alone.
 */
SC_API sc_status sc_study_log(char **csv, sc_store *store, const char *const *words,
                              size_t n) SC_MUST_USE;

/** Open the design of a kept trial of any study. The ID is the point's, so several studies may have
 *  it: a search and the rungs of its ladder.
 *  @param id  the first digits of the trial's ID, as best, pareto and trials print it.
 *  @return SC_OK; SC_ENOTFOUND; SC_EINVAL if the digits are ambiguous, if studies that have the
 * point calibrate it differently (two are named), or the study's space is not a template's; as
 * sc_design_open() if the template is not there as it was; SC_ESTORE. The design has the study's
 * calibration. */
SC_API sc_status sc_study_design_open(sc_design **out, sc_store *store, const char *id) SC_MUST_USE;

/** Open a network of the study that a kept trial is of. A file is looked for as the study's file
 *  names it, from the current folder. Several studies may have tried the point, as long as their
 *  networks, rules and calibration are the same.
 *  @param[out] out  NULL past the last network; untouched on failure.
 *  @param      id   as in sc_study_design_open().
 *  @param      i    place in the study's list, from 0.
 *  @return SC_OK; SC_ENOTFOUND; SC_EINVAL, also if studies that have the point differ (two are
 *  named); as sc_workload_open(); SC_ESTORE; SC_ENOMEM. */
SC_API sc_status sc_study_network_open(sc_workload **out, sc_store *store, const char *id,
                                       size_t i) SC_MUST_USE;

/** The rules that a kept trial was evaluated under: those of its study. *out is untouched on
 * failure.
 *  @param id  as in sc_study_design_open().
 *  @return as sc_study_network_open(). */
SC_API sc_status sc_study_rules_open(sc_rules *out, sc_store *store, const char *id) SC_MUST_USE;
#ifdef __cplusplus
}
#endif
#endif
