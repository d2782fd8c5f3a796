#include "placement/start_solve.h"

#include <string.h>

enum { PARTS = 5, STEPS = 200 };
static const double tolerance = 1e-12; /* of the square of the forces */

sc_status sc_springs_init(sc_springs *s, uint32_t n, size_t capacity)
{
    *s = (sc_springs){.n = n, .capacity = capacity};
    s->spring = sc_calloc(capacity + 1, sizeof *s->spring);
    s->pull = sc_calloc((size_t)(2 + PARTS) * n + 1, sizeof *s->pull);
    if (s->spring == NULL || s->pull == NULL) {
        sc_springs_clear(s);
        return SC_ENOMEM;
    }
    s->target = s->pull + n;
    s->work = s->target + n;
    return SC_OK;
}

void sc_springs_clear(sc_springs *s)
{
    sc_free(s->spring);
    sc_free(s->pull);
    *s = (sc_springs){0};
}

void sc_springs_reset(sc_springs *s)
{
    s->n_springs = 0;
    memset(s->pull, 0, s->n * sizeof *s->pull);
    memset(s->target, 0, s->n * sizeof *s->target);
}

void sc_springs_join(sc_springs *s, uint32_t a, uint32_t b, double weight, double gap)
{
    if (a != b && s->n_springs < s->capacity)
        s->spring[s->n_springs++] = (sc_spring){a, b, weight, gap};
}

void sc_springs_pull(sc_springs *s, uint32_t a, double weight, double place)
{
    s->pull[a] += weight;
    s->target[a] += weight * place;
}

/* out = A in, A the Laplacian of the springs with the pulls on its diagonal. */
static void multiply(const sc_springs *s, double *out, const double *in)
{
    for (uint32_t i = 0; i < s->n; i++)
        out[i] = s->pull[i] * in[i];
    for (size_t k = 0; k < s->n_springs; k++) {
        const sc_spring *p = &s->spring[k];
        const double force = p->weight * (in[p->a] - in[p->b]);
        out[p->a] += force;
        out[p->b] -= force;
    }
}

static double dot(const double *a, const double *b, uint32_t n)
{
    double sum = 0;
    for (uint32_t i = 0; i < n; i++)
        sum += a[i] * b[i];
    return sum;
}

/* What is left of the forces at x, and the inverse of the diagonal. */
static void begin(const sc_springs *s, double *rest, double *inverse, const double *x)
{
    multiply(s, rest, x);
    for (uint32_t i = 0; i < s->n; i++) {
        rest[i] = s->target[i] - rest[i];
        inverse[i] = s->pull[i];
    }
    for (size_t k = 0; k < s->n_springs; k++) {
        const sc_spring *p = &s->spring[k];
        rest[p->a] += p->weight * p->gap;
        rest[p->b] -= p->weight * p->gap;
        inverse[p->a] += p->weight;
        inverse[p->b] += p->weight;
    }
    for (uint32_t i = 0; i < s->n; i++)
        inverse[i] = inverse[i] > 0 ? 1 / inverse[i] : 0; /* a point without springs stays */
}

void sc_springs_solve(sc_springs *s, double *x)
{
    const uint32_t n = s->n;
    double *rest = s->work, *way = rest + n, *image = way + n, *scaled = image + n,
           *inverse = scaled + n;

    begin(s, rest, inverse, x);
    for (uint32_t i = 0; i < n; i++)
        way[i] = scaled[i] = inverse[i] * rest[i];
    double square = dot(rest, scaled, n);
    const double enough = tolerance * square;
    for (int step = 0; step < STEPS && square > enough; step++) {
        multiply(s, image, way);
        const double curve = dot(way, image, n);
        if (!(curve > 0))
            return;
        const double length = square / curve;
        for (uint32_t i = 0; i < n; i++) {
            x[i] += length * way[i];
            rest[i] -= length * image[i];
            scaled[i] = inverse[i] * rest[i];
        }
        const double next = dot(rest, scaled, n);
        for (uint32_t i = 0; i < n; i++)
            way[i] = scaled[i] + next / square * way[i];
        square = next;
    }
}
