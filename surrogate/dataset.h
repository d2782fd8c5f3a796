#ifndef SURROGATE_DATASET_H
#define SURROGATE_DATASET_H
/**
 * A log of designs as a matrix: typed columns, rows with or without a target, feasible or not. From
 * an array or a CSV (core/rows.h: gzip and JSON too). Nothing here knows what a column means.
 *
 * A cell that is empty, `nan`, `NA`, `null` or `?` is missing. Numbers are kept as doubles, texts
 * by number. Memory: sc_dataset_bytes(), 8 bytes a number or target, 4 a label or group, 1 a row,
 * and the distinct texts; while it grows half as much again.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/intern.h"
#include "scantle/error.h"

typedef enum sc_column_kind {
    SC_COLUMN_REAL,     /* a number on a linear scale */
    SC_COLUMN_LOG,      /* a positive number whose ratios matter */
    SC_COLUMN_ORDINAL,  /* a number of few levels whose order matters */
    SC_COLUMN_LABEL,    /* a text without an order */
    SC_COLUMN_GROUP,    /* a text: what belongs together when parts are held out; at most one */
    SC_COLUMN_TARGET,   /* what is learned; at most SC_DATASET_TARGETS */
    SC_COLUMN_FEASIBLE, /* 1, true, yes or 0, false, no; at most one */
    SC_COLUMN_KINDS
} sc_column_kind;

enum { SC_DATASET_COLUMNS = 1024, SC_DATASET_TARGETS = 16, SC_DATASET_LABELS = 1 << 20 };

typedef struct sc_column {
    const char *name;
    sc_column_kind kind;
} sc_column;

typedef struct sc_dataset sc_dataset;

const char *sc_column_kind_name(sc_column_kind kind);

/** Without rows yet. columns: copied. @param max_bytes  of rows, past which adding fails with the
 *  number of rows that fit; 0: 2 GiB.
 *  @return SC_OK; SC_EINVAL for a name that is empty or stands twice, two groups or flags, no
 *          feature; SC_ENOMEM. */
sc_status sc_dataset_create(sc_dataset **out, const sc_column *columns, size_t n,
                            size_t max_bytes) SC_MUST_USE;
void sc_dataset_destroy(sc_dataset *d); /* NULL is fine */

/** Add rows of an array: [n][columns], NaN missing; labels, groups and flags as numbers.
 *  @return SC_OK; SC_EINVAL naming row and column for an infinity, or a logarithm's column that is
 *          not positive; SC_ERANGE past max_bytes; SC_ENOMEM. Rows before the fault stay. */
sc_status sc_dataset_add(sc_dataset *d, const double *cells, size_t n) SC_MUST_USE;
/** Add the rows of a file by the names of its columns; others are passed over. A file without
 *  target, flag or group has them missing; a missing flag is feasible.
 *  @return SC_OK; SC_ENOTFOUND; SC_EPARSE with file, line and column (also for a feature that the
 *          file has not, naming the nearest); SC_EIO; SC_ERANGE; SC_ENOMEM. */
sc_status sc_dataset_read(sc_dataset *d, const char *path) SC_MUST_USE;

/** The same in pieces, for files larger than memory. */
typedef struct sc_dataset_file sc_dataset_file;
/** Find the columns of a data set in a file. @return as sc_dataset_read(). */
sc_status sc_dataset_file_open(sc_dataset_file **out, const sc_dataset *d,
                               const char *path) SC_MUST_USE;
void sc_dataset_file_close(sc_dataset_file *f); /* NULL is fine */
/** Add the next rows, at most so many; none past the last. @return as sc_dataset_read(). */
sc_status sc_dataset_read_some(sc_dataset *d, sc_dataset_file *f, size_t most) SC_MUST_USE;
/** Take all rows away; memory and the numbers of texts stay. */
void sc_dataset_empty(sc_dataset *d);

/** Whether a cell is one of the missing ones above. */
bool sc_dataset_is_missing(const char *cell);

size_t sc_dataset_rows(const sc_dataset *d);
size_t sc_dataset_bytes(const sc_dataset *d);
size_t sc_dataset_columns(const sc_dataset *d);
sc_column sc_dataset_column(const sc_dataset *d, size_t i);
size_t sc_dataset_targets(const sc_dataset *d);
const char *sc_dataset_target_name(const sc_dataset *d, size_t i);

/** Number of a cell of a real, log, ordinal or target column; NaN if missing. */
double sc_dataset_number(const sc_dataset *d, size_t row, size_t column);
/** Text of a label or group; NULL if missing. */
const char *sc_dataset_text(const sc_dataset *d, size_t row, size_t column);
bool sc_dataset_feasible(const sc_dataset *d, size_t row);
/** Number of the row's group among all, UINT32_MAX if missing or there is no such column. */
uint32_t sc_dataset_group(const sc_dataset *d, size_t row);
/** Target i of the row; NaN if missing. */
double sc_dataset_target(const sc_dataset *d, size_t row, size_t i);
#endif
