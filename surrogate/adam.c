#include "surrogate/adam.h"

#include <math.h>
#include <string.h>

#include "core/mem.h"

#ifdef SC_REAL_DOUBLE
#define ROOT sqrt
#else
#define ROOT sqrtf
#endif

sc_status sc_adam_init(sc_adam *a, size_t n)
{
    sc_adam made = {.rate = 1e-3, .beta1 = 0.9, .beta2 = 0.999, .floor = 1e-8, .n = n};
    made.mean = sc_calloc(n, sizeof *made.mean);
    made.square = sc_calloc(n, sizeof *made.square);
    if (!made.mean || !made.square) {
        sc_adam_clear(&made);
        return SC_ENOMEM;
    }
    *a = made;
    return SC_OK;
}

void sc_adam_clear(sc_adam *a)
{
    sc_free(a->mean);
    sc_free(a->square);
    a->mean = a->square = NULL;
    a->n = 0;
}

/* In eight sums, so that the additions do not wait for each other. */
static double squares_of(const sc_real *v, size_t n)
{
    double sum[8] = {0.0};
    for (size_t i = 0; i < n; i++)
        sum[i % 8] += (double)v[i] * (double)v[i];
    return ((sum[0] + sum[1]) + (sum[2] + sum[3])) + ((sum[4] + sum[5]) + (sum[6] + sum[7]));
}

void sc_adam_step(sc_adam *a, sc_real *weights, sc_real *gradient)
{
    const double norm = sqrt(squares_of(gradient, a->n));
    if (isfinite(norm)) {
        a->steps++;
        const double left1 = 1.0 - pow(a->beta1, (double)a->steps);
        const double left2 = 1.0 - pow(a->beta2, (double)a->steps);
        const sc_real cut = a->longest > 0 && norm > a->longest ? (sc_real)(a->longest / norm) : 1;
        const sc_real b1 = (sc_real)a->beta1, b2 = (sc_real)a->beta2;
        const sc_real step = (sc_real)(a->rate / left1), floor = (sc_real)a->floor;
        const sc_real unbiased = (sc_real)(1.0 / sqrt(left2));
        const sc_real kept = (sc_real)(1.0 - a->rate * a->decay);
        sc_real *restrict m = a->mean, *restrict v = a->square, *restrict w = weights;
        const sc_real *restrict g = gradient;
        for (size_t i = 0; i < a->n; i++) {
            const sc_real d = cut * g[i];
            m[i] = b1 * m[i] + (1 - b1) * d;
            v[i] = b2 * v[i] + (1 - b2) * d * d;
            w[i] = kept * w[i] - step * m[i] / (ROOT(v[i]) * unbiased + floor);
        }
    }
    memset(gradient, 0, a->n * sizeof *gradient);
}
