/* The good trials of several objectives: docs/algorithms/tpe.md. */
#include <gsl/gsl_math.h>
#include <gsl/gsl_randist.h>
#include <math.h>
#include <string.h>

#include "core/mem.h"
#include "search/opt_tpe.h"

enum {
    DIRECTIONS = 64,
    DOMAIN_DIRECTIONS = 0x54504544,
    LEAST_GOOD = 4,
    SHARE_GOOD = 10 /* one in so many */
};
static const double BEYOND = 0.1; /* reference point behind the worst value, as a share of the
                                     range: Ozaki et al. take 1.1 times the worst */

struct sc_tpe_split {
    size_t m;
    double *inverse;  /* [DIRECTIONS][m] 1 / w */
    double *reach;    /* [capacity][DIRECTIONS] of the rows of a front */
    double *gain;     /* [capacity] of a row when last looked at */
    uint32_t *looked; /* [capacity] how many were chosen then */
};

/* Uniform on the positive part of the sphere; two objectives: evenly spaced angles. */
static void set_directions(sc_tpe_split *s)
{
    sc_rng r;

    sc_rng_init(&r, 0, DOMAIN_DIRECTIONS, 0);
    for (size_t q = 0; q < DIRECTIONS; q++) {
        double *w = s->inverse + q * s->m, square = 0;
        for (size_t j = 0; j < s->m; j++) {
            const double angle = ((double)q + 0.5) / DIRECTIONS * M_PI_2;
            w[j] = s->m != 2 ? fabs(gsl_ran_gaussian(&r.gsl, 1.0)) + 1e-9
                             : (j == 0 ? cos(angle) : sin(angle));
            square += w[j] * w[j];
        }
        for (size_t j = 0; j < s->m; j++)
            w[j] = sqrt(square) / w[j];
    }
}

sc_status sc_tpe_split_create(sc_tpe_split **out, size_t n_objectives, size_t capacity)
{
    sc_tpe_split *s = sc_calloc(1, sizeof *s);
    if (!s)
        return SC_ENOMEM;
    s->m = n_objectives;
    s->inverse = sc_calloc(DIRECTIONS, n_objectives * sizeof *s->inverse);
    s->reach = sc_calloc(capacity, DIRECTIONS * sizeof *s->reach);
    s->gain = sc_calloc(capacity, sizeof *s->gain);
    s->looked = sc_calloc(capacity, sizeof *s->looked);
    if (!s->inverse || !s->reach || !s->gain || !s->looked) {
        sc_tpe_split_destroy(s);
        return SC_ENOMEM;
    }
    set_directions(s);
    *out = s;
    return SC_OK;
}

void sc_tpe_split_destroy(sc_tpe_split *s)
{
    if (s) {
        sc_free(s->inverse);
        sc_free(s->reach);
        sc_free(s->gain);
        sc_free(s->looked);
    }
    sc_free(s);
}

size_t sc_tpe_wanted(uint64_t n)
{
    const uint64_t share = n / SHARE_GOOD + (n % SHARE_GOOD != 0);
    return share < LEAST_GOOD         ? LEAST_GOOD
           : share > SC_TPE_MOST_GOOD ? SC_TPE_MOST_GOOD
                                      : (size_t)share;
}

/* Box of the first n rows of the pool's order: its worst values and 1 / extent. */
struct box {
    double worst[SC_MAX_OBJECTIVES], scale[SC_MAX_OBJECTIVES];
};

static struct box box_of(const sc_pool *p, size_t n)
{
    struct box b = {{0}, {0}};
    for (size_t j = 0; j < p->m; j++) {
        double low = HUGE_VAL, high = -HUGE_VAL;
        for (size_t k = 0; k < n; k++) {
            const double v = p->value[p->order[k] * p->m + j];
            low = v < low ? v : low;
            high = v > high ? v : high;
        }
        /* halves, for the difference of two finite values may not be finite */
        const double half = 0.5 * high - 0.5 * low;
        b.worst[j] = high;
        b.scale[j] = half > 0.0 ? 0.5 / half : 1.0;
    }
    return b;
}

/* What a row covers in each direction. */
static void measure(const sc_tpe_split *s, const sc_pool *p, uint32_t row, const struct box *b,
                    double *reach)
{
    double side[SC_MAX_OBJECTIVES];
    for (size_t j = 0; j < s->m; j++) {
        const double v = p->value[row * s->m + j];
        side[j] = 2.0 * ((0.5 * b->worst[j] - 0.5 * v) * b->scale[j]) + BEYOND;
    }
    for (size_t q = 0; q < DIRECTIONS; q++) {
        double least = HUGE_VAL, power = 1.0;
        for (size_t j = 0; j < s->m; j++) {
            const double v = side[j] * s->inverse[q * s->m + j];
            least = v < least ? v : least;
        }
        for (size_t j = 0; j < s->m; j++)
            power *= least;
        reach[q] = power;
    }
}

static double gain_of(const double *reach, const double *best)
{
    double gain = 0;
    for (size_t q = 0; q < DIRECTIONS; q++)
        gain += reach[q] > best[q] ? reach[q] - best[q] : 0.0;
    return gain;
}

/* Greedy with stale gains as upper bounds, since a gain only falls as more are chosen: Minoux,
 * "Accelerated greedy algorithms for maximizing submodular set functions", 1978,
 * doi:10.1007/BFb0006528. The chosen come first. */
static void choose(sc_tpe_split *s, const sc_pool *p, size_t first, size_t end, size_t take)
{
    const struct box b = box_of(p, end);
    const size_t n = end - first;
    uint32_t *front = p->order + first;
    double best[DIRECTIONS] = {0};

    for (size_t k = 0; k < n; k++) {
        measure(s, p, front[k], &b, s->reach + k * DIRECTIONS);
        s->gain[k] = gain_of(s->reach + k * DIRECTIONS, best);
        s->looked[k] = 0;
        p->scratch[k] = 0; /* chosen */
    }
    for (uint32_t t = 0; t < take;) {
        size_t at = n;
        for (size_t k = 0; k < n; k++)
            if (!p->scratch[k] && (at == n || s->gain[k] > s->gain[at]))
                at = k;
        const double *reach = s->reach + at * DIRECTIONS;
        if (s->looked[at] != t) {
            s->gain[at] = gain_of(reach, best);
            s->looked[at] = t;
            continue;
        }
        p->scratch[at] = 1;
        for (size_t q = 0; q < DIRECTIONS; q++)
            best[q] = reach[q] > best[q] ? reach[q] : best[q];
        t++;
    }
    /* stable: the chosen in the order told, then the others */
    for (size_t k = 0, to = 0; to < take; k++) {
        if (p->scratch[k]) {
            const uint32_t row = front[k];
            memmove(front + to + 1, front + to, (k - to) * sizeof *front);
            front[to++] = row;
        }
    }
}

size_t sc_tpe_split_rows(sc_tpe_split *s, sc_pool *pool, size_t n)
{
    size_t n_feasible = 0, first = 0, end = 0;

    sc_pool_grade(pool);
    for (size_t i = 0; i < pool->n_rows; i++)
        n_feasible += pool->violation[i] == 0.0;
    const size_t most = n_feasible > 0 ? n_feasible : pool->n_rows;
    if (n > most)
        n = most;
    if (n_feasible == 0 || s->m == 1)
        return n;
    for (;; first = end) {
        const uint32_t rank = pool->rank[pool->order[first]];
        for (end = first + 1; end < n_feasible && pool->rank[pool->order[end]] == rank;)
            end++;
        if (end >= n)
            break;
    }
    if (end > n)
        choose(s, pool, first, end, n - first);
    return n;
}
