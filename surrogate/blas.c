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

void sc_blas_one_thread(void)
{
    if (openblas_get_parallel() != OPENBLAS_SEQUENTIAL)
        openblas_set_num_threads(1);
}

/* Fortran's matrices are column-major, so it is handed C' = op(B)' op(A)'. */
void sc_gemm(bool flip_a, bool flip_b, size_t m, size_t n, size_t k, const sc_real *a, size_t lda,
             const sc_real *b, size_t ldb, sc_real beta, sc_real *c, size_t ldc)
{
    const blasint rows = (blasint)n, columns = (blasint)m, depth = (blasint)k;
    const blasint first = (blasint)ldb, second = (blasint)lda, third = (blasint)ldc;
    const sc_real one = 1;
    if (m == 0 || n == 0)
        return;
    GEMM(flip_b ? "T" : "N", flip_a ? "T" : "N", &rows, &columns, &depth, &one, b, &first, a,
         &second, &beta, c, &third);
}
