#include "surrogate/blas.h"

#include <cblas.h>

/* Called by the Fortran names: GSL brings a library with the C names too, twenty times slower, and
 * which of the two a program gets would hang on the order of its libraries. */
#ifdef SC_REAL_DOUBLE
#define GEMM dgemm_
#else
#define GEMM sgemm_
#endif
void GEMM(const char *flip_a, const char *flip_b, const blasint *m, const blasint *n,
          const blasint *k, const sc_real *alpha, const sc_real *a, const blasint *lda,
          const sc_real *b, const blasint *ldb, const sc_real *beta, sc_real *c,
          const blasint *ldc);

int sc_blas_threads(int wanted)
{
    if (openblas_get_parallel() == OPENBLAS_SEQUENTIAL)
        return 1;
    openblas_set_num_threads(1);
    return wanted;
}

/* Fortran's matrices are column-major, so it is handed C' = B' A'. */
void sc_gemm(sc_real *c, size_t stride, size_t m, size_t n, size_t k, sc_factor a, sc_factor b,
             sc_real beta)
{
    const blasint rows = (blasint)n, columns = (blasint)m, depth = (blasint)k;
    const blasint first = (blasint)b.stride, second = (blasint)a.stride, third = (blasint)stride;
    const sc_real one = 1;
    if (m == 0 || n == 0)
        return;
    GEMM(b.flip ? "T" : "N", a.flip ? "T" : "N", &rows, &columns, &depth, &one, b.v, &first, a.v,
         &second, &beta, c, &third);
}
