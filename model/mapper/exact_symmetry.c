/* Dimensions that can change places: a conv's height and width, taps included. */
#include <string.h>

#include "model/mapper/exact_spatial.h"

static void swap(uint8_t *to, unsigned a, unsigned b)
{
    const uint8_t was = to[a];
    to[a] = to[b];
    to[b] = was;
}

/* Is rank r of the tensor, its dimensions renamed, rank q? */
static bool same_rank(const sc_xtensor *t, unsigned r, unsigned q, const uint8_t *to)
{
    const sc_rank *a = &t->rank[r], *b = &t->rank[q];
    unsigned found = 0;
    if (a->n_terms != b->n_terms)
        return false;
    for (unsigned i = 0; i < a->n_terms; i++)
        for (unsigned k = 0; k < b->n_terms; k++)
            found += to[a->dim[i]] == b->dim[k] && a->coef[i] == b->coef[k];
    return found == a->n_terms;
}

/* Does every tensor stay what it is when the dimensions are renamed? A tensor's ranks may change
 * places; none stands for two. */
static bool keeps_tensors(const sc_space *x, const uint8_t *to)
{
    for (unsigned i = 0; i < x->n_tensors; i++) {
        const sc_xtensor *t = &x->tensor[i];
        unsigned taken = 0;
        for (unsigned r = 0; r < t->n_ranks; r++) {
            unsigned q = 0;
            while (q < t->n_ranks && (taken >> q & 1 || !same_rank(t, r, q, to)))
                q++;
            if (q == t->n_ranks)
                return false;
            taken |= 1u << q;
        }
    }
    return true;
}

static void keep(sc_symmetries *s, const sc_space *x, const uint8_t *to)
{
    if (s->n < SC_MAX_SYMMETRIES && keeps_tensors(x, to))
        memcpy(s->to[s->n++], to, SC_MAX_DIMS);
}

void sc_symmetries_find(sc_symmetries *s, const sc_space *x)
{
    uint8_t to[SC_MAX_DIMS];
    s->n = 0;
    if (x->limits)
        return; /* they name dimensions */
    for (unsigned d = 0; d < SC_MAX_DIMS; d++)
        to[d] = (uint8_t)d;
    for (unsigned a = 0; a < x->n_dims; a++)
        for (unsigned b = a + 1; b < x->n_dims; b++) {
            if (x->dim[a].bound != x->dim[b].bound)
                continue;
            swap(to, a, b);
            keep(s, x, to);
            for (unsigned c = a + 1; c < x->n_dims; c++)
                for (unsigned d = c + 1; d < x->n_dims; d++) {
                    if (c == b || d == b || x->dim[c].bound != x->dim[d].bound)
                        continue;
                    swap(to, c, d);
                    keep(s, x, to);
                    swap(to, c, d);
                }
            swap(to, a, b);
        }
}

bool sc_symmetries_first(const sc_symmetries *s, const sc_space *x, const sc_shape *fan,
                         unsigned n_fans)
{
    for (unsigned k = 0; k < s->n; k++) {
        int order = 0;
        for (unsigned f = 0; f < n_fans && order == 0; f++)
            for (unsigned d = 0; d < x->n_dims && order == 0; d++)
                order = (int)fan[f].at[s->to[k][d]] - (int)fan[f].at[d];
        if (order < 0)
            return false;
    }
    return true;
}
