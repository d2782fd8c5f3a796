#ifndef SEARCH_OPTIMIZER_H
#define SEARCH_OPTIMIZER_H
/**
 * Optimisers that are asked for points and told results.
 *
 * What holds for all of them:
 * - every proposed point is canonical, keeps the known constraints, and is proposed once: neither a
 *   point asked before nor one told before comes again;
 * - suggestions are a pure function of (name, problem, seed, options, the sequence of asks and
 *   tells); the size of a batch comes from the caller's config, never from the core count;
 * - points that nobody asked for may be told (warm start, an old study);
 * - load after save continues bit for bit as if never interrupted;
 * - infeasible and failed trials are told too, and used.
 * An optimiser is one thread's at a time. Memory: O(population) + about 20 bytes a point seen.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "scantle/error.h"
#include "scantle/run.h"
#include "search/problem.h"

typedef struct sc_optimizer sc_optimizer;

/** Options of all optimisers; 0 everywhere = defaults (docs/algorithms). */
typedef struct sc_optimizer_options {
    uint32_t version;
    uint32_t population;    /* nsga2, lcs: points kept, evolution: alive, 4 .. 65536; firefly:
                               flies, 4 .. 1000; cmaes: of the first run, 4 .. 512; gp: trials that
                               the models hold, 8 .. 1024; portfolio: the same, and gp leaves it
                               after so many */
    uint32_t batch;         /* nsga2, lcs: results gathered before the population is renewed,
                               1 .. 65536 */
    const uint32_t *points; /* list: [n_points][n_params], copied; each keeps the known
                               constraints */
    size_t n_points;
} sc_optimizer_options;
#define SC_OPTIMIZER_OPTIONS_INIT                                                                  \
    {                                                                                              \
        .version = 1                                                                               \
    }

/** Names that sc_optimizer_create takes, in a fixed order; NULL past the end. */
const char *sc_optimizer_builtin(size_t i);
/** One line on what it does. */
const char *sc_optimizer_builtin_about(size_t i);

/**
 * Create `random`, `sobol`, `grid`, `list`, `nsga2`, `cmaes`, `tpe`, `evolution`, `firefly`, `lcs`,
 * `gp`, `portfolio`. problem is copied (its context is borrowed).
 * @param options NULL = defaults.
 * @return SC_OK; SC_ENOTFOUND for an unknown name (with a suggestion); SC_EINVAL for a bad problem
 *         or option, `grid` on a space of 2^63 points or more, `list` without points or with one
 *         that is out of range or breaks a known constraint; SC_ENOMEM.
 */
sc_status sc_optimizer_create(sc_optimizer **out, const char *name, const sc_problem *problem,
                              uint64_t seed, const sc_optimizer_options *options) SC_MUST_USE;
void sc_optimizer_destroy(sc_optimizer *o); /* NULL is fine */
const char *sc_optimizer_name(const sc_optimizer *o);

/**
 * Propose up to n points.
 * @param[out] points [n][n_params], the first *got rows are written.
 * @param[out] got    0 .. n.
 * @param[out] why    SC_STOP_EXHAUSTED: no further point (every one was proposed or told, or, in a
 *                    space too large to walk, none was found within a fixed number of tries);
 *                    SC_RUNNING otherwise. *got < n with SC_RUNNING: the work allowed in one call
 * is spent (a grid with few valid points): poll the limits, ask again.
 * @return SC_OK; SC_ENOMEM, SC_ERANGE (over 2^31 points seen): nothing changed.
 */
sc_status sc_optimizer_ask(sc_optimizer *o, size_t n, uint32_t *points, size_t *got,
                           sc_stop *why) SC_MUST_USE;

/**
 * Report finished trials, in the order that is to count (index order, whatever finished first).
 * A point that was told before is passed over: the first result stands.
 * @return SC_OK; SC_EINVAL (index out of range, feasible without finite objectives, violation not
 *         positive and finite) naming the trial; SC_ENOMEM, SC_ERANGE: nothing changed.
 */
sc_status sc_optimizer_tell(sc_optimizer *o, const sc_trial *trials, size_t n) SC_MUST_USE;

uint64_t sc_optimizer_asked(const sc_optimizer *o);   /**< points proposed so far */
uint64_t sc_optimizer_told(const sc_optimizer *o);    /**< distinct points told so far */
uint64_t sc_optimizer_pending(const sc_optimizer *o); /**< asked, not told yet */

/** What a save holds of the points seen. */
typedef enum sc_save {
    SC_SAVE_LIGHT, /* not the told points: the caller has them and hands them back on load; a few
                      kB however long the run is, of tpe and portfolio up to 1,024 trials */
    SC_SAVE_WHOLE  /* 8 bytes a point seen as well: loads alone */
} sc_save;

/**
 * The state as a portable byte string: version, fixed byte order, checksum. Equal states give equal
 * bytes. Free with sc_free.
 * Cost: light O(population + pending), whole O(points seen).
 */
sc_status sc_optimizer_save(const sc_optimizer *o, sc_save what, unsigned char **bytes,
                            size_t *n) SC_MUST_USE;

/** The told trials of a run, any order: what a light save leaves out. get fills *trial, whose
 *  pointers stay valid until the next call; every field as it was told. */
typedef struct sc_history {
    uint64_t n;
    sc_status (*get)(void *payload, uint64_t i, sc_trial *trial);
    void *payload;
} sc_history;

/**
 * Continue a saved run. o was created with the same name, problem, seed and options.
 * @param history the trials told before the save; NULL for a whole save.
 * @return SC_OK; SC_EPARSE: damaged, of another version, or of another optimiser, problem, seed or
 *         options, or the history is not the one that was told; SC_ENOMEM; what history->get
 *         returned. On failure o is unchanged.
 */
sc_status sc_optimizer_load(sc_optimizer *o, const void *bytes, size_t n,
                            const sc_history *history) SC_MUST_USE;
#endif
