#ifndef SURROGATE_BLAS_H
#define SURROGATE_BLAS_H
/** Products of row-major matrices by OpenBLAS, in the calling thread alone. */
#include <stdbool.h>
#include <stddef.h>

#include "surrogate/real.h"

/** Let OpenBLAS run in the thread that calls it: members of an ensemble are what runs side by side.
 *  A setting of the whole process; the serial OpenBLAS has no other. To be called before threads
 *  are. */
void sc_blas_one_thread(void);

/**
 * C = op(A) op(B) + beta C.
 * @param flip_a  A is stored [k][m] rather than [m][k]; flip_b: B as [n][k] rather than [k][n].
 * @param lda     elements from one stored row of A to the next; ldb, ldc alike.
 * @param c       [m][n]; with beta 0 what it held does not matter, NaN included.
 * All extents below 2^31. Cost: 2 m n k flops. Threads: safe on distinct outputs. Determinism:
 * bitwise for equal extents on one CPU type.
 */
void sc_gemm(bool flip_a, bool flip_b, size_t m, size_t n, size_t k, const sc_real *a, size_t lda,
             const sc_real *b, size_t ldb, sc_real beta, sc_real *c, size_t ldc);
#endif
