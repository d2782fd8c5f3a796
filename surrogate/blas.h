#ifndef SURROGATE_BLAS_H
#define SURROGATE_BLAS_H
/** Products of row-major matrices by OpenBLAS, in the calling thread alone. */
#include <stdbool.h>
#include <stddef.h>

#include "surrogate/real.h"

/** Let OpenBLAS run in the thread that calls it: members of an ensemble are what runs side by side.
 *  A setting of the whole process, to be made before threads are.
 *  @return how many of the wanted threads may multiply at once: one with the serial OpenBLAS, whose
 *  work buffers are not guarded (in Debian 12 two threads give wrong products), else all. */
int sc_blas_threads(int wanted);

/** A factor of a product. */
typedef struct sc_factor {
    const sc_real *v;
    size_t stride; /* elements from one stored row to the next */
    bool flip;     /* stored transposed */
} sc_factor;

/**
 * C = A B + beta C.
 * @param c      [m][n], rows `stride` apart; with beta 0 what it held does not matter, NaN
 * included.
 * @param a, b   [m][k] and [k][n], as stored or transposed.
 * All extents below 2^31. Cost: 2 m n k flops. Threads: safe on distinct outputs. Determinism:
 * bitwise for equal extents on one CPU type.
 */
void sc_gemm(sc_real *c, size_t stride, size_t m, size_t n, size_t k, sc_factor a, sc_factor b,
             sc_real beta);
#endif
