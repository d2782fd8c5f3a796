#ifndef CORE_NUMBER_H
#define CORE_NUMBER_H
/**
 * Decimal numbers as text. Reading and writing are the same in every locale of the process, round
 * correctly, and refuse what a double or an int64_t cannot hold. No hexadecimal, NaN or infinity.
 */
#include <stddef.h>
#include <stdint.h>

#include "scantle/error.h"

/** Length in bytes of the longest number at the start of text: an optional sign, digits with at
 *  most one point, an optional exponent (`-1.5e3`, `.5`, `7.`). 0 if there is none. */
size_t sc_number_span(const char *text);

/**
 * Value of a number times a power of ten, rounded once: "5" with -12 gives the double 5e-12.
 * @param text   starts with a number of n bytes, as sc_number_span() finds it.
 * @param n      1 to 400.
 * @param exp10  the power of ten, for unit prefixes; 0 for the number itself.
 * @return SC_OK; SC_EINVAL saying why: too large, too small, more digits than can be held exactly
 *         (a plain integer that no double equals), longer than 400 bytes. *out untouched then.
 */
sc_status sc_number_read(double *out, const char *text, size_t n, int exp10) SC_MUST_USE;

/**
 * Whole number of a whole text. Forms with a point or an exponent are taken when their value is
 * whole and at most 2^53 in size ("1e6", "12.0").
 * @return SC_OK; SC_EINVAL saying why: no number, a fraction, more than 64 bits. *out untouched.
 */
sc_status sc_integer_read(int64_t *out, const char *text) SC_MUST_USE;

/** Shortest decimal text that reads back to the same double ("0.1", "1e+300"); "nan", "inf" and
 *  "-inf" for the others. size >= 32. */
void sc_double_text(char *out, size_t size, double v);
#endif
