#ifndef STORE_STUDY_H
#define STORE_STUDY_H
/** A study's rows, shared by its writer, its readers and its pictures in JSON. */
#include <jansson.h>

#include "store/private.h"

/** Columns of the table progress. */
typedef enum sc_progress_column {
    SC_PROGRESS_STUDY,
    SC_PROGRESS_STATUS,
    SC_PROGRESS_TRIALS,
    SC_PROGRESS_FEASIBLE,
    SC_PROGRESS_INFEASIBLE,
    SC_PROGRESS_FAILED,
    SC_PROGRESS_KEPT,
    SC_PROGRESS_CHECKPOINT, /* trials told when it was taken, -1 = there is none */
    SC_PROGRESS_TOLD        /* ranges of indices, as sc_ranges__encode() */
} sc_progress_column;

sc_store_counts sc_store__counts(sqlite3_stmt *progress);

/** SC_EINVAL for a text that is NULL, empty though needed, too long or not UTF-8. */
sc_status sc_store__check_text(const char *what, const char *text, bool needed) SC_MUST_USE;
/** Whether a value may stand in a row of that state: finite in a feasible one, finite or NaN in an
 *  infeasible one, anything in a failed one. */
bool sc_store__is_fit(sc_store_state state, double value);
/** SC_EINVAL for what is neither NULL nor empty nor a JSON array. */
sc_status sc_store__check_reasons(const char *reasons) SC_MUST_USE;

sc_status sc_store__study_insert(sc_added *how, sc_store *s,
                                 const sc_store_study *study) SC_MUST_USE;

/** Lists of names; NULL when out of memory. */
json_t *sc_store__parameters_json(const sc_store_study *study);
json_t *sc_store__values_json(const sc_store_study *study);
/** The fields of sc_store_study_list(); NULL when out of memory. */
json_t *sc_store__info_json(const sc_store_info *info);

/** Read an ID of all its 32 digits. */
bool sc_store__full_id(sc_hash128 *id, const char *word);
#endif
