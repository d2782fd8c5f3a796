#ifndef SCANTLE_STORE_H
#define SCANTLE_STORE_H
/**
 * @file scantle/store.h
 * @brief The database of studies: open, check, upgrade, list, delete, export.
 *
 * One file holds studies with their trials, and results cached by content. What a commit
 * acknowledged survives kill -9 and loss of power. Every row carries a checksum, and reading a row
 * verifies it.
 *
 * Failures of the database are SC_ESTORE, and the message says which: locked, full, read-only,
 * corrupt, truncated, not a scantle database, older or newer; and what to do about it.
 *
 * Threads: a handle belongs to one thread at a time; different handles are independent, in one
 * process or in several.
 */
#include <stddef.h>
#include <stdint.h>

#include "scantle/error.h"
#ifdef __cplusplus
extern "C" {
#endif

typedef struct sc_store sc_store;

typedef enum sc_store_mode {
    SC_STORE_READ,  /**< no row is created or changed; works in a read-only folder */
    SC_STORE_WRITE, /**< an existing database */
    SC_STORE_CREATE /**< the same; made first if there is none, or an empty file */
} sc_store_mode;

/**
 * Open a database file. A lock held by another process is waited for up to 5 s, here and in every
 * later call.
 * @param[out] out  close with sc_store_close(); untouched on failure.
 * @return SC_OK; SC_ENOTFOUND if there is no such file (modes READ and WRITE); SC_ESTORE;
 *         SC_EINVAL for an empty path; SC_ENOMEM.
 */
SC_API sc_status sc_store_open(sc_store **out, const char *path, sc_store_mode mode) SC_MUST_USE;
/** Close. What was not committed is undone. NULL is fine. */
SC_API void sc_store_close(sc_store *s);

/** Version of the database schema that this library writes. */
SC_API int sc_store_schema_version(void);

/**
 * Bring the file to this library's schema, in one transaction: an interruption leaves the old
 * schema, whole.
 * @param[out] from, to  versions before and after; equal if there was nothing to do.
 * @return SC_OK; SC_ENOTFOUND; SC_ESTORE (newer, foreign, corrupt, locked, full); SC_ENOMEM.
 */
SC_API sc_status sc_store_upgrade(const char *path, int *from, int *to) SC_MUST_USE;

/** One thing that is wrong with a database. Texts are borrowed for the call. */
typedef struct sc_store_fault {
    const char *table; /**< name of the table, or "database" for the file itself */
    const char *row;   /**< key of the row, "" if the fault is not one row's */
    const char *what;
} sc_store_fault;
typedef void (*sc_store_fault_fn)(const sc_store_fault *fault, void *payload);

/** What sc_store_verify() looked at. */
typedef struct sc_store_check {
    uint64_t rows;   /**< rows read */
    uint64_t faults; /**< calls of the hook */
} sc_store_check;

/**
 * Look at everything: every row against its checksum, every table against its recorded number of
 * rows and sum of checksums (so a lost or repeated row is found), counts and checkpoints of studies
 * against their trials, and the file's own structure.
 * @param hook       called for each fault found; may be NULL.
 * @param[out] check may be NULL; filled when something was wrong, too.
 * @return SC_OK if all is well; SC_ESTORE if there was a fault; SC_ENOMEM.
 * Cost: O(size of the file). Does not stop at the first fault.
 */
SC_API sc_status sc_store_verify(sc_store *s, sc_store_fault_fn hook, void *payload,
                                 sc_store_check *check) SC_MUST_USE;

/**
 * The one study that a user's word names: a study's name, or the first digits of its ID.
 * @param[out] id  32 hexadecimal digits.
 * @return SC_OK; SC_ENOTFOUND (with a suggestion); SC_EINVAL if several match (the message lists
 *         their IDs); SC_ESTORE; SC_ENOMEM.
 */
SC_API sc_status sc_store_study_find(char id[33], sc_store *s, const char *word) SC_MUST_USE;

/**
 * All studies, by name, then ID: `[{"id","fingerprint","name","status","trials","feasible",
 * "infeasible","failed","kept","keep","seed","model_version","objectives":[{"name","goal"}]}]`.
 * @param[out] json  free with sc_release().
 */
SC_API sc_status sc_store_study_list(char **json, sc_store *s) SC_MUST_USE;

/** One study: the fields of the list, and "parameters", "values", "config" (the text as it was
 *  given), "checkpoint_bytes", and "runs" with their times. word as in sc_store_study_find(). */
SC_API sc_status sc_store_study_show(char **json, sc_store *s, const char *word) SC_MUST_USE;

/**
 * Delete a study with its trials, checkpoint and runs, in one transaction. Cached results stay:
 * other studies use them, and running the study again is cheap. Works on a study that has damaged
 * rows: it is the cure for one.
 * @return as sc_store_study_find(); SC_ESTORE when the deletion failed, nothing is changed then.
 */
SC_API sc_status sc_store_study_delete(sc_store *s, const char *word) SC_MUST_USE;

typedef enum sc_store_format { SC_STORE_CSV, SC_STORE_JSON } sc_store_format;

/** Takes n bytes of an export; what it returns other than SC_OK ends the export. */
typedef sc_status (*sc_store_sink)(const char *bytes, size_t n, void *payload);

/**
 * Write a study's kept trials in the order of their indices, in the form of
 * docs/formats/database.md. The bytes are a function of the trials alone: no times, no row numbers;
 * equal for any thread count and however often the run was interrupted.
 * @return as sc_store_study_find(); SC_ESTORE; what the sink returned.
 * Cost: O(rows), in constant memory. Sees one state of the database, while others write.
 */
SC_API sc_status sc_store_export(sc_store *s, const char *word, sc_store_format format,
                                 sc_store_sink sink, void *payload) SC_MUST_USE;
/** The same into a text; free with sc_release(). */
SC_API sc_status sc_store_export_text(char **out, sc_store *s, const char *word,
                                      sc_store_format format) SC_MUST_USE;
/** The same into a file, by a temporary name that is renamed. @return also SC_EIO. */
SC_API sc_status sc_store_export_file(sc_store *s, const char *word, sc_store_format format,
                                      const char *path) SC_MUST_USE;
#ifdef __cplusplus
}
#endif
#endif
