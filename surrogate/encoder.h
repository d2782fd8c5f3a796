#ifndef SURROGATE_ENCODER_H
#define SURROGATE_ENCODER_H
/**
 * Features of a data set as inputs of a network, fitted to the rows that are learned from:
 * - real: (x - mean) / deviation; log: the same of log x; ordinal: the same of the level's number,
 *   and a code. A value between two levels lies between their numbers.
 * - label: a code from 1; 0 stands for missing ones and those that were not seen.
 * - a column with missing cells has a further input, 1 where it is missing; the value is then the
 *   mean (0).
 * - a column whose learned cells are all equal is left out of the inputs, but still noticed when it
 *   has another value.
 * What a row has that none learned from had is said by flags. Page: docs/algorithms/datasets.md.
 */
#include "core/blob.h"
#include "surrogate/dataset.h"
#include "surrogate/real.h"

typedef struct sc_encoder sc_encoder;

/** What is new about a row. */
enum {
    SC_NEW_VALUE = 1,   /* a number outside the range of those learned from, or between levels */
    SC_NEW_LABEL = 2,   /* a label that was not learned from */
    SC_NEW_MISSING = 4, /* missing where no row learned from was */
    SC_NEW_CONSTANT = 8 /* another value in a column that was constant */
};

/** @param row  [n] rows to fit to. @return SC_OK; SC_EINVAL without a row, or when all features are
 *  constant; SC_ENOMEM. Cost: O(n columns), and O(n log n) an ordinal. */
sc_status sc_encoder_fit(sc_encoder **out, const sc_dataset *d, const uint32_t *row,
                         size_t n) SC_MUST_USE;
void sc_encoder_destroy(sc_encoder *e); /* NULL is fine */

size_t sc_encoder_reals(const sc_encoder *e); /* numbers a row */
size_t sc_encoder_codes(const sc_encoder *e); /* codes a row */
/** Levels of a code, 0 included. */
uint32_t sc_encoder_levels(const sc_encoder *e, size_t code);
/** Whether moving a real input alone makes sense: not if it says that a cell is missing. */
bool sc_encoder_moves(const sc_encoder *e, size_t real);
bool sc_encoder_is_label(const sc_encoder *e, size_t code);
/** Put inputs that were moved back where a design can be: into the range learned from, and the code
 *  of an ordinal to the level nearest to its real input; whole: that input onto the level too.
 *  real: [reals], code: [codes], in place. Cost: O(features). No allocation. */
void sc_encoder_snap(sc_real *real, uint32_t *code, const sc_encoder *e, bool whole);
/** Names of the columns left out as constant, in order; NULL past the last. */
const char *sc_encoder_constant(const sc_encoder *e, size_t i);

/** Whether the data set has the features that the encoder was fitted to, in any order, and where:
 *  column [features of the encoder]. @return SC_OK; SC_EINVAL naming the first that is not there or
 *  of another kind. */
sc_status sc_encoder_match(size_t *column, const sc_encoder *e, const sc_dataset *d) SC_MUST_USE;
size_t sc_encoder_features(const sc_encoder *e);
sc_column sc_encoder_feature(const sc_encoder *e, size_t i); /* in the order fitted; borrowed */

/** Inputs of one row. real: [reals], code: [codes], column: as matched. @return SC_NEW_* flags.
 *  Cost: O(features log levels). No allocation. Threads: safe. */
unsigned sc_encoder_row(sc_real *real, uint32_t *code, const sc_encoder *e, const sc_dataset *d,
                        const size_t *column, size_t row);

/** Bytes and back, equal to the last bit. @return SC_OK; SC_EPARSE; SC_ENOMEM. */
void sc_encoder_write(sc_buf *b, const sc_encoder *e);
sc_status sc_encoder_read(sc_encoder **out, sc_blob *b) SC_MUST_USE;
#endif
