#ifndef FLOW_TABLE_H
#define FLOW_TABLE_H
/**
 * A recorded table as the evaluator of a study: which of its columns are parameters, which figures
 * are computed from the others, and which rows are infeasible or failed. Form:
 * docs/formats/table.md.
 *
 * The file is read twice, in pieces: once for the values of the parameters and the labels, once for
 * the rows. What stays in memory: for each row 8 bytes of key (4 a parameter where the grid has
 * 2^64 points or more), 8 a figure, 8 of violation if one is given, 5, and 4 to 8 of the index;
 * nothing of the texts but the distinct values of parameters. 5,000,000 rows of two figures: under
 * 200 MiB.
 */
#include "flow/evaluator.h"

typedef struct sc_table sc_table;

/** `evaluator: {table: FILE, ...}`: the table and the space of its parameters, into the study. The
 *  columns that objectives and limits name become figures too. Records what is wrong. */
bool sc_study_read_table(sc_study *s, const sc_node *root);
void sc_table_destroy(sc_table *t); /* NULL is fine */

/** Names the content of the table and all that is made of it. */
sc_hash128 sc_table_hash(const sc_table *t);
/** "table:" and the first digits of the hash: what rows of trials say of their evaluator. */
const char *sc_table_evaluator(const sc_table *t);

size_t sc_table_values(const sc_table *t);
const char *sc_table_value_name(const sc_table *t, size_t i);
/** SIZE_MAX if there is none. */
size_t sc_table_value_find(const sc_table *t, const char *name);

/** The column or figure that was likely meant; NULL if none is near. */
const char *sc_table_nearest(const sc_table *t, const char *name);

size_t sc_table_rows(const sc_table *t);
/** Indices of a row's parameters among the values as added. origin: [params]. */
void sc_table_origin(const sc_table *t, size_t row, uint32_t *origin);
/** The row of a point, SIZE_MAX if there is none. Cost: O(parameters). Threads: safe. */
size_t sc_table_find(const sc_table *t, const uint32_t *origin);

/**
 * Evaluate a canonical point of the study's space: the figures as recorded, judged by the study's
 * limits. A point that has no row is what `missing` says. Cost: O(parameters + figures); no
 * allocation. Threads: safe on distinct rows.
 */
void sc_table_evaluate(sc_row *row, const sc_study *s, const uint32_t *point);

/**
 * The feasible rows within the study's space and limits: the first a member of the true front.
 * @param[out] ref     [n_objectives] the maxima of the objectives, all taken as to be minimised.
 * @param[out] volume  hypervolume of the rows below ref.
 * @param[out] front   how many rows none dominates.
 * @return SC_OK; SC_EINVAL if there is no feasible row; SC_ENOMEM. Cost: O(rows * front) for three
 *         objectives or more, O(rows log front) for less, and sc_hypervolume() of the front.
 */
sc_status sc_table_front(double *ref, double *volume, size_t *front, const sc_study *s) SC_MUST_USE;
#endif
