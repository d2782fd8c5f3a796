#include "model/mapper/footprint.h"

#include <math.h>

double sc_footprint_words(const sc_tensor *t, const uint64_t *extent)
{
    double words = 1.0;
    for (int r = 0; r < t->n_ranks; r++) {
        double reach = 1.0;
        for (int k = 0; k < t->rank[r].n_terms; k++)
            reach += (double)t->rank[r].coef[k] * (double)(extent[t->rank[r].dim[k]] - 1);
        words *= reach;
    }
    return words;
}

uint64_t sc_footprint_gcd(uint64_t a, uint64_t b)
{
    while (b) {
        const uint64_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

/* Different values of a x + b y, x < n, y < m. Divided by their gcd, a and b give one value twice
 * only where x moves by b and y by a; where both can, all values up to the largest are there but
 * (a - 1)(b - 1) / 2 at each end (Sylvester). */
static double different_sums(uint64_t a, uint64_t n, uint64_t b, uint64_t m)
{
    const uint64_t g = sc_footprint_gcd(a, b);
    a /= g;
    b /= g;
    if (n <= b || m <= a)
        return (double)n * (double)m;
    const double largest = (double)a * (double)(n - 1) + (double)b * (double)(m - 1);
    return largest + 1.0 - (double)(a - 1) * (double)(b - 1);
}

double sc_footprint_places(const sc_rank *r, const uint64_t *extent)
{
    double most = 1.0; /* of any two terms, the others at their first value */
    for (int i = 0; i < r->n_terms; i++) {
        most = fmax(most, (double)extent[r->dim[i]]);
        for (int k = 0; k < i && r->dim[k] != r->dim[i]; k++)
            most = fmax(most, different_sums((uint64_t)r->coef[i], extent[r->dim[i]],
                                             (uint64_t)r->coef[k], extent[r->dim[k]]));
    }
    return most;
}

double sc_footprint_touched(const sc_tensor *t, const uint64_t *extent)
{
    double words = 1.0;
    for (int r = 0; r < t->n_ranks; r++)
        words *= sc_footprint_places(&t->rank[r], extent);
    return words;
}

double sc_footprint_units(const sc_level *level, const sc_tensor *t, double words)
{
    if (level->word_bits > 0)
        return words;
    return ceil(words * sc_level_moved_bits(level, t) / 8.0);
}

static sc_misfit over(int level, int tensor, double need, double have)
{
    return (sc_misfit){SC_MISFIT_CAPACITY, level, tensor, (uint64_t)fmin(need, 0x1p63),
                       (uint64_t)have};
}

sc_misfit sc_footprint_fit(const sc_arch *a, int level, const sc_einsum *e, uint8_t keep,
                           const uint64_t *extent)
{
    const sc_level *l = &a->level[level];
    double shared = 0.0;
    if (!l->bounded)
        return (sc_misfit){SC_FITS, level, -1, 0, 0};
    for (int t = 0; t < e->n_tensors; t++) {
        if (!(keep & 1u << t))
            continue;
        const sc_tensor *tensor = &e->tensor[t];
        const double need = sc_footprint_units(l, tensor, sc_footprint_words(tensor, extent));
        const double have = floor((double)l->capacity[tensor->role] / l->buffers);
        if (l->partitioned && need > have)
            return over(level, t, need, have);
        shared += need;
    }
    const double have = floor((double)l->capacity[0] / l->buffers);
    if (!l->partitioned && shared > have)
        return over(level, -1, shared, have);
    return (sc_misfit){SC_FITS, level, -1, 0, 0};
}

uint8_t sc_keepable(const sc_level *level, const sc_einsum *e)
{
    uint8_t keep = 0;
    for (int t = 0; t < e->n_tensors; t++)
        if (level->may_keep & 1u << e->tensor[t].role)
            keep |= (uint8_t)(1u << t);
    return keep;
}
