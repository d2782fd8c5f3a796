#ifndef SURROGATE_REAL_H
#define SURROGATE_REAL_H
/**
 * The number that networks compute in: float, as the products of matrices are twice as fast in it
 * and weights need no more. The tests build the same sources in double, where a finite difference
 * tells a wrong derivative from rounding.
 */
#ifdef SC_REAL_DOUBLE
typedef double sc_real;
#else
typedef float sc_real;
#endif
#endif
