#ifndef STORE_STORE_H
#define STORE_STORE_H
/**
 * The store as flow/ and report/ use it: writing a study's trials and the results cache in batches,
 * and reading them back in order. It knows no other folder's types: things are named by
 * fingerprints, metrics by their names, parameters by the text `a=1,b=2`.
 *
 * Writing:
 *
 *     sc_store_open(&s, path, SC_STORE_CREATE);
 *     sc_store_writer_open(&w, s, &study);          finds the study or creates it
 *     sc_store_get_checkpoint(&bytes, &n, s, id);      SC_ENOTFOUND on a new one
 *     for each batch:
 *         sc_store_begin(s);
 *         sc_store_put_result(...); sc_store_put_trial(...); ...   in index order
 *         sc_store_put_checkpoint(w, bytes, n);
 *         sc_store_commit(s);                       now, and only now, it is on the disk
 *     sc_store_writer_close(w); sc_store_close(s);
 *
 * A batch is one transaction: after kill -9 either all of it is there or nothing. When a call
 * inside a batch fails, the batch is lost: commit refuses it and undoes it. When the system fails a
 * write (full, i/o error, corrupt), the store stays failed: every later write returns SC_ESTORE
 * with the first message; reading goes on. Arguments outside their domain (SC_EINVAL) are refused
 * before anything is touched, and the batch is still good.
 *
 * Two processes may write different studies of one file, in turns. A second process that writes the
 * same study makes one of the two fail with SC_ESTORE at its next batch.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/hash.h"
#include "scantle/error.h"
#include "scantle/store.h"

enum {
    SC_STORE_MAX_VALUES = 64,      /* objectives and metrics of a trial */
    SC_STORE_MAX_PARAMETERS = 256, /* of a study */
    SC_STORE_MAX_METRICS = 256,    /* of a cached result */
    SC_STORE_MAX_TEXT = 1 << 24,   /* bytes of one text (config, reasons, parameters) */
    SC_STORE_MAX_BLOB = 1 << 28,   /* bytes of a checkpoint or of a detail */
    SC_STORE_MAX_SAMPLE = 1 << 20, /* N of keep sample:N */
    SC_STORE_KEEP_LEN = 32         /* buffer of sc_store_keep_text, NUL included */
};

/* ---- what a study is ---- */

typedef enum sc_store_keep_kind {
    SC_KEEP_ALL,      /* every trial */
    SC_KEEP_FEASIBLE, /* feasible ones */
    SC_KEEP_PARETO,   /* the Pareto front */
    SC_KEEP_SAMPLE    /* n trials drawn evenly from all, and the Pareto front */
} sc_store_keep_kind;

/**
 * Which trials keep a row. The counts of a study are exact under every policy, and what is kept is
 * a function of the set of trials told, not of their order, batching or thread count:
 * - the front holds feasible trials that none dominates; of equal ones the lowest index;
 * - the sample holds the n trials with the smallest hash of (study, index).
 * A row that leaves both is deleted in the transaction that makes it leave. Under all policies but
 * SC_KEEP_ALL the checkpoint must resume alone, without the told trials.
 */
typedef struct sc_store_keep {
    sc_store_keep_kind kind;
    uint64_t n; /* SC_KEEP_SAMPLE: 1 .. SC_STORE_MAX_SAMPLE; else 0 */
} sc_store_keep;

/** Read "all", "feasible", "pareto" or "sample:N". @return SC_OK; SC_EINVAL, *out untouched. */
sc_status sc_store_keep_parse(sc_store_keep *out, const char *text) SC_MUST_USE;
/** Write that form. @return out. */
const char *sc_store_keep_text(char out[SC_STORE_KEEP_LEN], sc_store_keep keep);

/** What a value of a trial is to the Pareto front. */
typedef enum sc_store_goal {
    SC_GOAL_NONE, /* recorded only */
    SC_GOAL_MIN,
    SC_GOAL_MAX
} sc_store_goal;
const char *sc_store_goal_name(sc_store_goal g); /* "none", "min", "max" */

typedef struct sc_store_value {
    const char *name; /* with its unit: "energy_j" */
    sc_store_goal goal;
} sc_store_value;

/**
 * A study. Its ID is the hash of (config_hash, seed, model_version). Names of parameters and values
 * become columns of the export: they are distinct, not empty, and none of the fixed columns (index,
 * id, state, feasible, violation, front, reasons, evaluator, model_version). Texts are UTF-8.
 */
typedef struct sc_store_study {
    const char *name;
    const char *config;     /* as the user wrote it; kept for `study show` */
    sc_hash128 config_hash; /* of its canonical form: layout and comments do not count */
    uint64_t seed;          /* below 2^63 */
    const char *model_version;
    sc_store_keep keep;
    const char *const *parameters; /* [n_parameters] names, in the order of the export */
    size_t n_parameters;
    const sc_store_value *values; /* [n_values] the values each trial carries */
    size_t n_values;
} sc_store_study;

sc_hash128 sc_store_study_id(const sc_store_study *study);

/** Trials told so far, whether or not they are kept. */
typedef struct sc_store_counts {
    uint64_t trials; /* = feasible + infeasible + failed */
    uint64_t feasible, infeasible, failed;
    uint64_t kept; /* rows */
} sc_store_counts;

/* ---- batches ---- */

/** Begin a batch. @return SC_OK; SC_ESTORE if locked (nothing is lost: it may be tried again), the
 *  store has failed before, or it is open for reading; SC_EINVAL inside a batch; SC_ENOMEM. */
sc_status sc_store_begin(sc_store *s) SC_MUST_USE;
/** Write the batch to the disk. On SC_OK it survives kill -9 and loss of power. On any failure the
 *  batch is undone. @return SC_OK; SC_ESTORE; SC_EINVAL outside a batch; SC_ENOMEM. */
sc_status sc_store_commit(sc_store *s) SC_MUST_USE;
/** Undo the batch; nothing outside one. */
void sc_store_rollback(sc_store *s);

/* ---- writing a study ---- */

/** Writer of one study: its counts, front and sample in memory. Close it before the store. */
typedef struct sc_store_writer sc_store_writer;

/** Whether a store would take the study: its texts, names of columns and sizes. @return SC_OK;
 *  SC_EINVAL. */
sc_status sc_store_check_study(const sc_store_study *study) SC_MUST_USE;
/** The column whose name it would not take: parameters first, then values; SIZE_MAX: all are fine.
 */
size_t sc_store_bad_column(const sc_store_study *study);

/**
 * Find the study by its ID or create it, in a transaction of its own.
 * @return SC_OK; SC_EINVAL (a field outside its domain, inside a batch, or the study is there with
 *         another name, keep policy, parameters or values); SC_ESTORE; SC_ENOMEM.
 * Cost: O(front + sample).
 */
sc_status sc_store_writer_open(sc_store_writer **out, sc_store *s,
                               const sc_store_study *study) SC_MUST_USE;
void sc_store_writer_close(sc_store_writer *w); /* NULL is fine */
/** Whether the last batch failed because another process had moved the study on after the writer
 * was opened: what it read is stale, and the same done anew may succeed. */
bool sc_store_moved_on(const sc_store *s);
/** Whether that has happened since the writer was opened, so that what is read now does not belong
 * to what was read then. */
bool sc_store_writer_stale(sc_store_writer *w);
sc_hash128 sc_store_writer_id(const sc_store_writer *w);
/** Counts with the puts of the running batch. */
const sc_store_counts *sc_store_writer_counts(const sc_store_writer *w);
/** Whether a trial of that index was told, kept or not. */
bool sc_store_writer_told(const sc_store_writer *w, uint64_t index);

typedef enum sc_store_state {
    SC_STATE_FEASIBLE,
    SC_STATE_INFEASIBLE,
    SC_STATE_FAILED /* the evaluator crashed or gave no number */
} sc_store_state;
const char *sc_store_state_name(sc_store_state s); /* "feasible", "infeasible", "failed" */

enum {
    SC_FLAG_FRONT = 1, /* on the Pareto front */
    SC_FLAG_SAMPLE = 2 /* in the sample of SC_KEEP_SAMPLE */
};

/**
 * One trial. Feasible: every value finite, violation 0. Infeasible: values finite or NaN (= not
 * computed), violation finite and >= 0. Failed: anything; NaN and infinities are stored as they
 * are, and such a row never enters a front.
 */
typedef struct sc_store_trial {
    uint64_t index;         /* below 2^63 */
    sc_hash128 point;       /* names the design point */
    const char *parameters; /* `a=1,b='x'`: names of the study's list, in its order, none twice;
                               a value is bare, or in '...' with ' doubled. "" for none */
    sc_store_state state;
    const double *values; /* [n_values] of the study */
    size_t n_values;
    double violation;
    const char *reasons; /* JSON array, NULL or "" for none */
    const char *evaluator;
    const char *model_version;
    unsigned flags; /* out only: SC_FLAG_... */
} sc_store_trial;

/**
 * Tell a trial, inside a batch. Telling an index again with the same content does nothing. A trial
 * whose row the policy dropped cannot be compared any more: telling it again does nothing either.
 * @return SC_OK; SC_EINVAL (not in a batch, a field outside its domain); SC_ESTORE if the index was
 *         told with another content, or another process writes this study; SC_ERANGE if the indices
 *         told have over 2^16 gaps; SC_ENOMEM.
 * Cost: O(front) comparisons, and O(log rows).
 */
sc_status sc_store_put_trial(sc_store_writer *w, const sc_store_trial *t) SC_MUST_USE;

/** Replace the state of the optimiser, inside a batch and after its trials: once a study has a
 *  checkpoint, a commit that tells trials without one that knows them is refused (SC_EINVAL), so
 *  that rows and checkpoint always agree. */
sc_status sc_store_put_checkpoint(sc_store_writer *w, const void *bytes, size_t n) SC_MUST_USE;

/** Set the status shown by `study list`: "running", "budget", "interrupt", ... Inside a batch. */
sc_status sc_store_put_status(sc_store_writer *w, const char *status) SC_MUST_USE;

/** One process's share of a study: the only place where clock times are kept; never exported. */
typedef struct sc_store_run {
    uint64_t number;    /* 0, 1, ...; telling a number again replaces it */
    int64_t started_ms; /* since 1970-01-01 UTC */
    uint64_t elapsed_ms;
    uint64_t first_trial; /* trials told before this run */
    uint64_t trials;      /* told by this run */
    uint64_t threads;
} sc_store_run;
sc_status sc_store_put_run(sc_store_writer *w, const sc_store_run *run) SC_MUST_USE;
/** Number of runs recorded so far: the next run's number. */
sc_status sc_store_get_runs(uint64_t *out, sc_store *s, sc_hash128 study) SC_MUST_USE;

/* ---- results, cached by content ---- */

typedef struct sc_store_metric {
    const char *name;
    double value;
} sc_store_metric;

/** What an evaluator found; the same rules on values as for a trial. */
typedef struct sc_store_result {
    sc_hash128 design, workload;
    const char *model_version;
    const char *options; /* canonical text of what else the result depends on; "" for nothing */
    const char *evaluator;
    sc_store_state state;
    const sc_store_metric *metrics; /* [n_metrics], in the caller's order */
    size_t n_metrics;
    const char *reasons; /* JSON array, NULL or "" for none */
} sc_store_result;

/** The key: a hash of (design, workload, model_version, options). */
sc_hash128 sc_store_result_key(const sc_store_result *r);

/** Add a result, inside a batch. The same key with the same content does nothing.
 *  @return SC_OK; SC_EINVAL; SC_ESTORE if the key is there with another content; SC_ENOMEM. */
sc_status sc_store_put_result(sc_store *s, const sc_store_result *r) SC_MUST_USE;

/** Look a result up. *out is NULL if there is none; else borrowed until the next call on this
 *  store. @return SC_OK; SC_ESTORE naming the row if it is damaged; SC_ENOMEM. */
sc_status sc_store_get_result(const sc_store_result **out, sc_store *s, sc_hash128 key) SC_MUST_USE;

/** Add a text that belongs to a result (the per-op detail of a selected design), inside a batch;
 *  compressed if that makes it smaller. kind says which text, e.g. "ops". Same rule on conflicts.
 */
sc_status sc_store_put_detail(sc_store *s, sc_hash128 key, const char *kind, const char *text,
                              size_t n) SC_MUST_USE;
/** Read it; NUL appended; free with sc_free. @return SC_OK; SC_ENOTFOUND; SC_ESTORE; SC_ENOMEM. */
sc_status sc_store_get_detail(char **text, size_t *n, sc_store *s, sc_hash128 key,
                              const char *kind) SC_MUST_USE;

/**
 * Keys that have a text of that kind and begin with the hexadecimal digits of word ("" = all), in
 * their order: what stands for itself, such as a placement, is a detail whose key is its own hash.
 * @param[out] out  free with sc_free; NULL if there are none.
 * @return SC_OK; SC_EINVAL if word is no beginning of a key; SC_ESTORE; SC_ENOMEM. Cost: O(details)
 *         without digits.
 */
sc_status sc_store_details(sc_hash128 **out, size_t *n, sc_store *s, const char *kind,
                           const char *word) SC_MUST_USE;

/* ---- reading studies ---- */

/** A study as stored. Owned whole; borrowed pointers live as long as it. */
typedef struct sc_store_info {
    sc_store_study study;
    sc_hash128 id;
    sc_store_counts counts;
    const char *status;
} sc_store_info;

/** @return SC_OK; SC_ENOTFOUND; SC_ESTORE; SC_ENOMEM. */
sc_status sc_store_info_open(sc_store_info **out, sc_store *s, sc_hash128 id) SC_MUST_USE;
void sc_store_info_close(sc_store_info *info); /* NULL is fine */

/** IDs of all studies, by name, then ID. *out: free with sc_free; NULL if there are none. */
sc_status sc_store_studies(sc_hash128 **out, size_t *n, sc_store *s) SC_MUST_USE;

/** The study a user's word names, as sc_store_study_find(). */
sc_status sc_store_find(sc_hash128 *id, sc_store *s, const char *word) SC_MUST_USE;

/** The checkpoint; free with sc_free. @return SC_OK; SC_ENOTFOUND if none; SC_ESTORE; SC_ENOMEM. */
sc_status sc_store_get_checkpoint(void **bytes, size_t *n, sc_store *s,
                                  sc_hash128 study) SC_MUST_USE;

/** Kept trials of a study in the order of their indices. Sees one state of the database, whatever
 *  others write meanwhile; in a batch of its own store, that batch. No batch can begin while one is
 *  open. Close it before the store. */
typedef struct sc_store_trials sc_store_trials;
typedef enum sc_store_which {
    SC_WHICH_ALL,
    SC_WHICH_FRONT,
    SC_WHICH_FLAGGED /* front or sample */
} sc_store_which;
sc_status sc_store_trials_open(sc_store_trials **out, sc_store *s, sc_hash128 study,
                               sc_store_which which) SC_MUST_USE;
/** The next one, *out = NULL past the end; borrowed until the next call on the iterator.
 *  @return SC_OK; SC_ESTORE naming the row if it is damaged; SC_ENOMEM. */
sc_status sc_store_trials_next(const sc_store_trial **out, sc_store_trials *it) SC_MUST_USE;
void sc_store_trials_close(sc_store_trials *it); /* NULL is fine */

/**
 * The trial whose point a user's ID names: the first digits of its fingerprint. If several trials
 * have that point, the first by (study, index).
 * @param[out] study, index  where it is.
 * @return SC_OK; SC_ENOTFOUND; SC_EINVAL if several points match or the word is no hexadecimal
 *         number; SC_ESTORE; SC_ENOMEM.
 */
sc_status sc_store_find_point(sc_hash128 *study, uint64_t *index, sc_store *s,
                              const char *word) SC_MUST_USE;
/**
 * The next study that has the point: the first, by study, after `*study`.
 * @param[in,out] study  of the trial before; on return of this one.
 * @param[out]    index  the study's first trial with that point.
 * @param[out]    found  false past the last; *study and *index are then untouched.
 * @return SC_OK; SC_ESTORE; SC_ENOMEM.
 */
sc_status sc_store_next_of_point(bool *found, sc_hash128 *study, uint64_t *index, sc_store *s,
                                 sc_hash128 point) SC_MUST_USE;
/** One kept trial, borrowed until the next call on this store; *out = NULL if it is not kept. */
sc_status sc_store_get_trial(const sc_store_trial **out, sc_store *s, sc_hash128 study,
                             uint64_t index) SC_MUST_USE;
#endif
