#ifndef SURROGATE_BASE_H
#define SURROGATE_BASE_H
/**
 * A polynomial of a sample's inputs, fitted by ridge regression, that networks learn the rest of:
 * on logarithms it is a product of powers, which is how times and energies of hardware go beyond
 * what was measured. Page: docs/algorithms/base.md.
 */
#include "core/blob.h"
#include "surrogate/samples.h"

typedef struct sc_base sc_base;

typedef struct sc_base_options {
    uint32_t degree; /* 0: none, 1: a plane, 2: with squares and products */
    double ridge;    /* penalty on every weight but the constant, in samples */
} sc_base_options;

/**
 * Fit to samples with a target.
 * @param use  [s->n] whether to fit to it; samples without a target are passed over.
 * @return SC_OK; SC_EINVAL without such a sample or if the equations cannot be solved; SC_ENOMEM.
 *         Cost: O(n terms^2 + terms^3). Threads: safe. Determinism: bitwise.
 */
sc_status sc_base_fit(sc_base **out, const sc_encoder *e, const sc_samples *s, const uint8_t *use,
                      const sc_base_options *o) SC_MUST_USE;
void sc_base_destroy(sc_base *b); /* NULL is fine */

/** Its value, on the scale of y. Reals out of the range fitted to count as a little past its end.
 *  b NULL: 0. Cost: O(terms). Allocates nothing. */
double sc_base_value(const sc_base *b, const sc_real *real, const uint32_t *code);
/** Add its values to the first of two results of n samples, [n][2]. */
void sc_base_add(sc_real *result, const sc_base *b, const sc_real *real, const uint32_t *code,
                 size_t n);
/** Add its derivatives by the reals of one sample to d [reals]. */
void sc_base_slope(sc_real *d, const sc_base *b, const sc_real *real, const uint32_t *code);

/** Bytes and back, equal to the last bit. @return SC_OK; SC_EPARSE; SC_ENOMEM. */
void sc_base_write(sc_buf *out, const sc_base *b);
sc_status sc_base_read(sc_base **out, sc_blob *in) SC_MUST_USE;
/** Whether it takes the inputs that an encoder gives. */
bool sc_base_fits(const sc_base *b, const sc_encoder *e);
#endif
